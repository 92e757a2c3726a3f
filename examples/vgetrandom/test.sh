#!/usr/bin/env bash
# Builds the object in the shape of a vDSO on both architectures, looks at what was linked, and runs all tests: natively, and on LoongArch under
# QEMU. On this machine's x86-64 also the times, in a release build.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
tools=${CHACHA_DSL_TOOLS:-$root/target/tools}

# Programs that the tests run: what is missing is installed where that may be, and told by the tests otherwise.
for program in python3 openssl gcc readelf; do
    command -v "$program" >/dev/null || { ((EUID == 0)) && apt-get update -qq && apt-get install -qq -y python3 openssl gcc binutils; } || true
done

cargo fmt --all --check
cargo clippy --all-targets -- -D warnings
cargo build --package vgetrandom-preload # its tests preload it
cargo test -- --show-output
if [[ $(uname -m) == x86_64 ]]; then cargo test --release --package vgetrandom --test speed -- --show-output; fi

"$root/backends/testing/rust-loongarch64.sh"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
# A target folder of its own: two compilers in one would undo each other's work.
(export CARGO_TARGET_DIR="$CARGO_TARGET_DIR/loongarch64" && "$tools/bin/cargo-loongarch64" build && "$tools/bin/cargo-loongarch64" test --workspace --exclude vgetrandom-vdso --exclude vgetrandom-preload -- --show-output)
# Programs in C with the library preloaded, on a CPU with LSX.
[[ $(uname -m) == loongarch64 ]] || cargo test --package vgetrandom-preload --test loongarch64 -- --ignored --show-output

# The entry before and behind the choice, on CPUs with vectors and without.
bare/choice.sh

# What was linked: one undefined symbol, relocation or writable segment would be too many.
while read -r object; do
    echo "$object"
    test -z "$(nm -u "$object")"
    readelf -Wr "$object" | grep -q 'There are no relocations in this file.'
    test "$(readelf -Wl "$object" | grep -c '  LOAD .* R E ')" = 1
    test "$(readelf -Wl "$object" | grep -c '  LOAD ')" = 1
done < <(find "$CARGO_TARGET_DIR" -name vgetrandom.so | sort)
