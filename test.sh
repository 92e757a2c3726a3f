#!/usr/bin/env bash
# Sets up what the tests need and runs them.
#
#   ./test.sh          the inner loop: tools, then every test in its quick form
#   ./test.sh --all    everything: formatting, lints, documentation, every test in full
#
# It ends with a summary and with status 1 if anything failed. A CPU extension that neither this machine nor an emulator
# has is named there as not run.
set -uo pipefail
cd "$(dirname "$0")" || exit 1

all=
case "${1-}" in
    '') ;;
    --all) all=1 ;;
    *) echo "usage: ./test.sh [--all]" >&2; exit 2 ;;
esac

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=()
step() {
    local name=$1
    shift
    echo "== $name"
    "$@" 2>&1 | tee -a "$log"
    # The status of the command, not that of tee.
    [ "${PIPESTATUS[0]}" -eq 0 ] || failed+=("$name")
}

# A workspace of its own; a peer that isn't on this machine is left out, and its README says how to get it.
bench() {
    # Without AWS-LC, which takes half of the build; beside the release, of which it needs the same parts.
    local at=(--manifest-path bench/Cargo.toml --no-default-features --target-dir target)
    cargo fmt --manifest-path bench/Cargo.toml --all --check && cargo clippy "${at[@]}" --workspace --all-targets --release -- -D warnings &&
        cargo test "${at[@]}" --release && cargo run "${at[@]}" --release -- --check
}

step 'tools' backends/testing/tools.sh
step 'Rust for LoongArch' backends/testing/rust-loongarch64.sh
if [ -n "$all" ]; then
    export CHACHA_DSL_SLOW=1
    step "the kernel's own files" backends/testing/linux-source.sh
    step 'formatting' cargo fmt --all --check
    step 'lints' cargo clippy --workspace --all-targets -- -D warnings
    step 'the command without ELF' cargo check -p chacha-dsl-cli --no-default-features
    step 'documentation' env RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps
    step 'release build' cargo build --release
fi
# A snapshot that differs is a failure, and is not written beside the reviewed one.
step 'the edits to Linux' examples/linux-vdso/check.sh
step 'tests' env INSTA_UPDATE=no cargo test --workspace --no-fail-fast -- --show-output
[ -z "$all" ] || step 'bench builds and its contestants are right' bench
[ -z "$all" ] || step 'vgetrandom, on both architectures' env CARGO_TARGET_DIR="$PWD/target/vgetrandom" examples/vgetrandom/test.sh

echo
echo '== summary'
grep -E '^not run' "$log" | sort -u
for name in "${failed[@]}"; do
    echo "failed: $name"
done
grep -E '^test .* \.\.\. FAILED' "$log" | sort -u
awk '/^test result:/ { passed += $4; broken += $6; ignored += $8 } END { printf "%d passed, %d failed, %d skipped\n", passed, broken, ignored }' "$log"
[ ${#failed[@]} -eq 0 ]
