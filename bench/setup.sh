#!/usr/bin/env bash
# Installs what the benchmark's peers need, where it may (as root, with apt-get), and says what is missing otherwise:
# `bench/setup.sh`. Nothing of it is necessary but a C compiler: a peer that isn't there is named and left out.
set -uo pipefail

has_library() { ldconfig -p 2>/dev/null | grep -q "$1" || compgen -G "/usr/lib/*/$1*" >/dev/null || compgen -G "/usr/lib*/$1*" >/dev/null; }
has_clang() { compgen -c clang | grep -qE '^clang(-[0-9]+)?$'; }

# what | its package | how to find it
missing() {
    command -v gcc >/dev/null || echo gcc
    has_clang || echo clang
    has_library libcrypto.so || echo libssl3
    has_library libsodium.so || echo libsodium23
}

mapfile -t packages < <(missing)
if ((${#packages[@]})) && [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    apt-get -qq update
    for package in "${packages[@]}"; do # one that a release doesn't have keeps none of the others away
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$package" >/dev/null
    done
fi

mapfile -t packages < <(missing)
if ((${#packages[@]})); then
    echo "Missing, by the names of Debian 12's packages: ${packages[*]}" >&2
    exit 1
fi
echo "gcc, clang, OpenSSL's libcrypto and libsodium are there."
