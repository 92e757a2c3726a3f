# The edits to a source tree of the kernel, each of which says what it can't find. Sourced by run.sh and check.sh, which define `give_up`.
# shellcheck shell=bash

# Where the architecture's file is, below the tree. Newer trees have x86's in a folder more.
chacha_file() { # tree, architecture
    local folder found
    case $2 in
    loongarch64) folder=arch/loongarch/vdso ;;
    x86_64) folder=arch/x86/entry/vdso ;;
    esac
    found=$(cd "$1" && find "$folder" -name vgetrandom-chacha.S 2>/dev/null | sort | head -n 1)
    [[ -n $found ]] || give_up "The kernel's source at $1 has no $folder/**/vgetrandom-chacha.S: its files have moved, or it is older than 6.12."
    echo "$found"
}

# Inserts lines behind, or before, the one line that begins with a text; whatever else the file holds stays.
insert() { # file, behind|before, the text that a line begins with, lines
    local file=$1 where=$2 begins=$3 lines=$4 count
    count=$(awk -v begins="$begins" 'index($0, begins) == 1' "$file" 2>/dev/null | wc -l)
    [[ $count == 1 ]] || give_up "$file has $count lines that begin with \`$begins\`, not one: this kernel's files have changed."
    LINES_TO_INSERT=$lines awk -v begins="$begins" -v where="$where" '
        BEGIN { lines = ENVIRON["LINES_TO_INSERT"] }
        index($0, begins) == 1 && where == "before" { print lines }
        { print }
        index($0, begins) == 1 && where == "behind" { print lines }
    ' "$file" >"$file.new"
    mv "$file.new" "$file"
}

# The vDSO keeps the table of alternatives, and the kernel applies it to the vDSO when it boots.
edit_alternative() { # tree
    local vdso=$1/arch/loongarch/vdso/vdso.lds.S setup=$1/arch/loongarch/kernel/vdso.c
    insert "$vdso" behind $'\t.rodata' $'\n\t.altinstructions : {\n\t\t. = ALIGN(4);\n\t\tVDSO_alt_begin = .;\n\t\t*(.altinstructions)\n\t\tVDSO_alt_end = .;\n\t} :text'
    insert "$setup" before '#include <asm/page.h>' '#include <asm/alternative.h>'
    insert "$setup" before $'\tvdso_info.size = PAGE_ALIGN(' $'\tapply_alternatives((void *)(vdso_start + vdso_offset_alt_begin),\n\t\t\t   (void *)(vdso_start + vdso_offset_alt_end));\n'
}

edit_none() { :; }

# The files that edits change, besides the architecture's.
edited_files='arch/loongarch/vdso/vdso.lds.S arch/loongarch/kernel/vdso.c'
