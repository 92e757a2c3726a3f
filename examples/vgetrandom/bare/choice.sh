#!/usr/bin/env bash
# Shows the entry before and behind the choice on LoongArch CPUs with and without vectors, by the program beside this script, and checks that
# each leads where it should: `examples/vgetrandom/bare/choice.sh`
#
# Needs QEMU and a Rust for LoongArch, as backends/testing/tools.sh and rust-loongarch64.sh provide them, and llvm-objdump.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
tools=${CHACHA_DSL_TOOLS:-$root/target/tools}
[[ $tools == /* ]] || tools=$root/$tools
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$(cd .. && pwd)/target}
give_up() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

objdump=$(compgen -c llvm-objdump | grep -E '^llvm-objdump(-(19|2[0-9]))?$' | sort -V | tail -n 1 || true)
[[ -n $objdump ]] || objdump=$(compgen -G "$tools/root/usr/bin/llvm-objdump*" | sort -V | tail -n 1 || true)
[[ -n $objdump ]] || give_up "There is no llvm-objdump of LLVM 19 or newer: install it, or run backends/testing/tools.sh."

# On this machine's CPU it runs too.
cargo build --quiet --profile vdso --package vgetrandom-bare
"$CARGO_TARGET_DIR/vdso/bare"

# No vectors but those of the block functions: the program must run without.
CARGO_TARGET_DIR=$CARGO_TARGET_DIR/loongarch64 RUSTFLAGS='-C target-feature=-lsx,-lasx' \
    "$tools/bin/cargo-loongarch64" build --quiet --profile vdso --package vgetrandom-bare
folder=$CARGO_TARGET_DIR/loongarch64/loongarch64-unknown-linux-gnu/vdso
program=$folder/bare
object=$(find "$folder/build" -path '*vgetrandom-image*' -name vgetrandom.so -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2)
"$objdump" -d --no-show-raw-insn --mattr=+lsx,+lasx "$program" >"$program.text"
grep -q '\bsyscall\b' "$program.text" || give_up "The program can't be disassembled."
! grep -E '\$(vr|xr)[0-9]' "$program.text" || give_up "The program has vectors outside the object: it would die by itself, and show nothing."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

symbol() { # address in hexadecimal: the function there
    nm "$object" | awk -v address="$1" 'substr($1, length($1) - 7) == address && $2 ~ /[tT]/ { print $3; exit }'
}

entry() { # bytes: the instruction at the entry's place, disassembled
    cp "$object" "$scratch/object"
    printf '%b' "$(sed 's/../\\x&/g' <<<"$1")" | dd of="$scratch/object" bs=1 seek="$((16#$at))" conv=notrunc status=none
    "$objdump" -d --start-address="0x$at" --stop-address="$((16#$at + 4))" "$scratch/object" | grep -E "^ *[0-9a-f]+:" | sed -E 's/^ *//; s/[[:space:]]+/ /g'
}

field() { sed -E "s/.* $1 ([^ ]+).*/\1/" <<<"$line"; }

check() { # cpu, the function that either mechanism should lead to, whether there are states
    local cpu=$1 wanted=$2 states=$3 used=used line at mechanism behind resolved
    [[ $states == parameters ]] || used='not used'
    "$tools/bin/qemu-loongarch64" -cpu "$cpu" "$program" >"$scratch/said" || give_up "On $cpu the program ended with status $?: $(cat "$scratch/said")"
    echo "-cpu $cpu: $(head -n 1 "$scratch/said")"
    for mechanism in patched indirect; do
        line=$(grep "^$mechanism: " "$scratch/said") || give_up "On $cpu nothing was said of the mechanism $mechanism."
        at=$(field 'entry at')
        behind=$(entry "$(field behind)")
        echo "  $mechanism"
        echo "    before  $(entry "$(field before)")"
        echo "    behind  $behind"
        [[ $(field before) != "$(field behind)" || $mechanism == indirect || $wanted == vgetrandom_system_call ]] || give_up "On $cpu the entry was not replaced."
        if [[ $mechanism == patched ]]; then
            [[ $behind == *"<$wanted>"* ]] || give_up "On $cpu the entry leads elsewhere than to $wanted."
        else
            [[ $(field before) == "$(field behind)" ]] || give_up "On $cpu the code was changed, though a resolver was asked."
            resolved=$(symbol "$(field resolved)")
            echo "    resolved to $resolved"
            [[ $resolved == "$wanted" ]] || give_up "On $cpu the resolver told $resolved, not $wanted."
        fi
        [[ $line == *"query: $states "* ]] || give_up "On $cpu the query was not answered by: $states."
        # The object's functions write the state that they are handed, and the system call doesn't.
        [[ $line == *"state: $used "* ]] || give_up "On $cpu the state after a call should be: $used."
        echo "    query: $states; a call gave 32 bytes, state $used"
    done
}

check la464 vgetrandom_lasx parameters
check la464,lasx=off vgetrandom_lsx parameters
check la464,lsx=off,lasx=off vgetrandom_system_call refused

# What the choice is for: with vectors taken for granted, a call dies where there are none.
status=0
"$tools/bin/qemu-loongarch64" -cpu la464,lsx=off,lasx=off "$program" force >"$scratch/said" 2>&1 || status=$?
((status == 128 + 4)) || give_up "Vectors taken for granted on a CPU without them should end with SIGILL, and ended with status $status."
echo "vectors taken for granted without any: SIGILL, as it should be"
