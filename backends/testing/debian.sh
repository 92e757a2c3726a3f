# What the scripts beside this one share, sourced by them: where tools go, and packages of a Debian release fetched into
# a folder, without root and without touching the system's own apt. Shell functions only; nothing runs on its own.
# The sourcing script defines `give_up`, which is called with a sentence where something is missing.
# shellcheck shell=bash

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
tools=${CHACHA_DSL_TOOLS:-target/tools}
[[ $tools == /* ]] || tools=$repository/$tools
bin=$tools/bin

say() { printf '%s\n' "$*" >&2; }

# The archive that the system's own apt uses, in either format of its source lists.
system_mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        sed -e '/^ *#/d' -e 's/\[[^]]*\]//' | grep -oE '(https?|mirror\+https?|file|copy):[^ ]*/debian/?( |$)' | head -n 1 | tr -d ' '
}

# Sets `mirror` and `keyring`.
find_archive() {
    command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
        give_up "This machine has no apt, so this script can't install for it."
    mirror=${DEBIAN_MIRROR:-$(system_mirror || true)}
    [[ -n $mirror ]] || give_up "No Debian mirror is known from the system's apt sources; set DEBIAN_MIRROR to one."
    keyring=$(compgen -G "/usr/share/keyrings/debian-archive-keyring.*g*" | head -n 1 || true)
    [[ -n $keyring ]] || give_up "The keyring of Debian's archive (package debian-archive-keyring) is not installed."
}

# Reads the lists of a release into $1, the folder of an apt of its own; `private_apt` then answers from them.
open_archive() { # folder, release, more of apt's options ...
    apt_folder=$1
    local release=$2
    apt_options=("${@:3}")
    mkdir -p "$apt_folder"/{state/lists,cache/archives}/partial
    : >"$apt_folder/status"
    printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$release" >"$apt_folder/sources.list"
    private_apt apt-get update || give_up "Debian's $release can't be reached at $mirror (set DEBIAN_MIRROR to another)."
}

private_apt() { # command ...: apt with state of its own, which takes the machine for one with no package installed
    local command=$1
    shift
    "$command" -qq -o Dir::Etc::sourcelist="$apt_folder/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State="$apt_folder/state" -o Dir::State::status="$apt_folder/status" -o Dir::Cache="$apt_folder/cache" \
        -o Dir::Log="$apt_folder" -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o APT::Get::List-Cleanup=0 \
        ${apt_options[@]+"${apt_options[@]}"} "$@"
}
