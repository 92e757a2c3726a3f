#!/usr/bin/env bash
# The parts of run.sh that take seconds: every variant's file is emitted, and the edits are made to a source tree: to one of our own with the
# lines that they look for, and to the kernel's where run.sh has fetched it. `examples/linux-vdso/check.sh`
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

source "$here/variants.sh"
source "$here/edits.sh"
give_up() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
passed=0
expect() { # what, command ...
    local what=$1
    shift
    "$@" || give_up "$what"
    ((passed += 1))
}

# ---- emission ---------------------------------------------------------------------------------------------------------

cargo build --quiet --manifest-path "$repository/Cargo.toml" --package chacha-dsl-cli || give_up "chacha-dsl doesn't build."
command=${CARGO_TARGET_DIR:-$repository/target}/debug/chacha-dsl
for variant in $(variant_names); do
    arguments=$(variant_field "$variant" 3)
    [[ -n $arguments ]] || continue
    # shellcheck disable=SC2086
    expect "$variant isn't emitted." "$command" emit --format kernel $arguments --output "$scratch/$variant.S"
    expect "$variant has no function." grep -q '^SYM_FUNC_START(__arch_chacha20_blocks_nostack)' "$scratch/$variant.S"
done
expect "The alternative isn't one." grep -q '	ALTERNATIVE	.*, "b __arch_chacha20_blocks_nostack_lsx", CPU_FEATURE_LSX$' "$scratch/loongarch64-alternative.S"

# ---- edits ------------------------------------------------------------------------------------------------------------

edited() { # tree: whether each edit is there once, in its place
    local vdso=$1/arch/loongarch/vdso/vdso.lds.S setup=$1/arch/loongarch/kernel/vdso.c
    [[ $(grep -c 'VDSO_alt_begin = .;' "$vdso") == 1 && $(grep -c 'VDSO_alt_end = .;' "$vdso") == 1 ]] &&
        awk '/^\t\.rodata/ { rodata = NR } /\.altinstructions/ { table = NR } /_end = \./ && !end { end = NR } END { exit !(rodata < table) }' "$vdso" &&
        [[ $(grep -c 'apply_alternatives((void \*)(vdso_start + vdso_offset_alt_begin),' "$setup") == 1 ]] &&
        [[ $(grep -c '^#include <asm/alternative.h>' "$setup") == 1 ]] &&
        awk '/apply_alternatives/ { apply = NR } /vdso_info.size = / { size = NR } END { exit !(apply && apply < size) }' "$setup"
}

stand_in() { # tree: the lines that edits look for, and nothing of the kernel's
    mkdir -p "$1"/arch/loongarch/{vdso,kernel} "$1/arch/x86/entry/vdso/more"
    touch "$1/arch/loongarch/vdso/vgetrandom-chacha.S" "$1/arch/x86/entry/vdso/more/vgetrandom-chacha.S"
    printf '\t.text : {}\n\t.rodata : {}\n\t_end = .;\n' >"$1/arch/loongarch/vdso/vdso.lds.S"
    printf '#include <asm/page.h>\n\tvdso_info.size = PAGE_ALIGN(1);\n' >"$1/arch/loongarch/kernel/vdso.c"
}

stand_in "$scratch/tree"
edit_alternative "$scratch/tree"
expect "The edits aren't in the stand-in." edited "$scratch/tree"
expect "x86's file isn't found a folder deeper." test "$(chacha_file "$scratch/tree" x86_64)" = arch/x86/entry/vdso/more/vgetrandom-chacha.S

# What has moved or changed is said, and the file stays.
refused() { # what is said, command ...
    local says=$1 said
    shift
    said=$( ("$@") 2>&1 >/dev/null) && return 1
    grep -qF "$says" <<<"$said"
}
stand_in "$scratch/moved" && rm "$scratch/moved/arch/loongarch/vdso/vgetrandom-chacha.S"
expect "A file that has moved isn't missed." refused "its files have moved" chacha_file "$scratch/moved" loongarch64
stand_in "$scratch/changed" && printf '\t.text : {}\n' >"$scratch/changed/arch/loongarch/vdso/vdso.lds.S"
expect "A line that is gone isn't missed." refused "has 0 lines that begin with" edit_alternative "$scratch/changed"
expect "A file was changed though a line is gone." test "$(cat "$scratch/changed/arch/loongarch/vdso/vdso.lds.S")" = $'\t.text : {}'
stand_in "$scratch/twice" && printf '\t.rodata : {}\n' >>"$scratch/twice/arch/loongarch/vdso/vdso.lds.S"
expect "A line that is there twice isn't seen." refused "has 2 lines that begin with" edit_alternative "$scratch/twice"
expect "A variant that isn't one is taken." refused "There is no variant vax" "$here/run.sh" vax

tree=${1:-$repository/target/linux-vdso/debian/build/linux}
if [[ -d $tree/arch ]]; then
    for file in $edited_files $(chacha_file "$tree" loongarch64) $(chacha_file "$tree" x86_64); do
        pristine=$(dirname "$tree")/pristine/$file
        [[ -e $pristine ]] || pristine=$tree/$file
        install -D "$pristine" "$scratch/kernel/$file"
    done
    edit_alternative "$scratch/kernel"
    expect "The edits aren't in the kernel's files." edited "$scratch/kernel"
else
    echo "not run: the edits to the kernel's own files, as no source tree is at $tree (run.sh fetches one)"
fi
echo "examples/linux-vdso/check.sh: $passed passed"
