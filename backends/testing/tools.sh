#!/usr/bin/env bash
# Installs every external tool that the tests need; run it as often as you like: `backends/testing/tools.sh`.
#
# A tool that is there and good is left alone. Else it comes from the system's own apt, where that has a version that
# is new enough and we are root; else it is unpacked, without root and without touching the system's apt, from the
# Debian release named below into ${CHACHA_DSL_TOOLS:-<repository>/target/tools}, where the tests look first.
# The mirror is the system's own, or DEBIAN_MIRROR.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/debian.sh"
release=trixie # the first Debian release that has all packages below, in versions that are new enough

# tool | lowest good version | Debian package | names to look for on PATH
# The tests read the same names and versions from this table (src/tools.rs).
table='
clang|18|clang-19|clang-19 clang clang-22 clang-21 clang-20 clang-18
llvm-mc|18|llvm-19|llvm-mc-19 llvm-mc llvm-mc-22 llvm-mc-21 llvm-mc-20 llvm-mc-18
llvm-objdump|18|llvm-19|llvm-objdump-19 llvm-objdump llvm-objdump-22 llvm-objdump-21 llvm-objdump-20 llvm-objdump-18
ld.lld|18|lld-19|ld.lld-19 ld.lld ld.lld-22 ld.lld-21 ld.lld-20 ld.lld-18
qemu-loongarch64|9.0|qemu-user|qemu-loongarch64 qemu-loongarch64-static
qemu-x86_64|9.0|qemu-user|qemu-x86_64 qemu-x86_64-static
x86_64-linux-gnu-as|2.35|binutils-x86-64-linux-gnu|x86_64-linux-gnu-as
x86_64-linux-gnu-ld|2.35|binutils-x86-64-linux-gnu|x86_64-linux-gnu-ld
x86_64-linux-gnu-objcopy|2.35|binutils-x86-64-linux-gnu|x86_64-linux-gnu-objcopy
loongarch64-linux-gnu-as|2.42|binutils-loongarch64-linux-gnu|loongarch64-linux-gnu-as
loongarch64-linux-gnu-ld|2.42|binutils-loongarch64-linux-gnu|loongarch64-linux-gnu-ld
loongarch64-linux-gnu-objcopy|2.42|binutils-loongarch64-linux-gnu|loongarch64-linux-gnu-objcopy
'

# The first dotted number of a tool's version line; nothing where the tool can't be run.
version_of() {
    local first
    first=$("$1" --version 2>/dev/null | head -n 2) || true
    first=${first##*Binutils for Debian) } # "GNU assembler (GNU Binutils for Debian) 2.40" has no other number
    [[ $first =~ ([0-9]+\.[0-9]+(\.[0-9]+)*) ]] && printf '%s' "${BASH_REMATCH[1]}"
    return 0
}

at_least() { # version, lowest good version
    [[ -n $1 && $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

# Path of the first good candidate of a tool: its environment variable, ours, PATH.
find_tool() { # tool, lowest version, names
    local tool=$1 lowest=$2 name path variable
    variable=CHACHA_DSL_$(printf '%s' "$tool" | tr 'a-z.-' 'A-Z__')
    for path in "${!variable:-}" "$bin/$tool"; do
        [[ -n $path && -x $path ]] && at_least "$(version_of "$path")" "$lowest" && printf '%s' "$path" && return
    done
    for name in $3; do
        path=$(command -v "$name" || true)
        [[ -n $path ]] && at_least "$(version_of "$path")" "$lowest" && printf '%s' "$path" && return
    done
    return 0
}

# Packages that are still missing, one a line, with the version that the package must have.
missing_packages() {
    local tool lowest package names
    while IFS='|' read -r tool lowest package names; do
        [[ -z $tool || -n $(find_tool "$tool" "$lowest" "$names") ]] || printf '%s %s\n' "$package" "$lowest"
    done <<<"$table" | sort -u
}

give_up() {
    say "$1 Install by hand: clang, llvm-mc, llvm-objdump and ld.lld of LLVM 18 or later with the LoongArch and X86 targets;" \
        "qemu-loongarch64 and qemu-x86_64 (user mode) of QEMU 9.0 or later; GNU binutils (as, ld, objcopy) for" \
        "x86_64-linux-gnu (2.35 or later) and for loongarch64-linux-gnu (2.42 or later). Still missing: $(missing_packages | tr '\n' ';')"
    exit 1
}

candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \([0-9]*:\)\{0,1\}//p'; }

# What the system's own release has in a good version, installed as root.
install_from_system() {
    local package lowest wanted=()
    [[ $(id -u) == 0 ]] || return 0
    say "apt-get update ..."
    apt-get -qq update || return 0
    while read -r package lowest; do
        if at_least "$(candidate "$package")" "$lowest"; then wanted+=("$package"); fi
    done < <(missing_packages)
    ((${#wanted[@]})) || return 0
    say "apt-get install ${wanted[*]} ..."
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${wanted[@]}" >/dev/null || true
}

# Puts one program of the unpacked tree into bin: itself where it is static, else a script that starts it with that
# tree's own C library, because the system's may be older.
publish() { # tool, program
    local tool=$1 program=$2 root=$tools/root loader libraries extra="" part
    loader=$(compgen -G "$root/usr/lib*/ld-linux*.so.*" | head -n 1 || true)
    [[ -n $loader ]] || loader=$(compgen -G "$root/lib*/ld-linux*.so.*" | head -n 1 || true)
    rm -f "$bin/$tool"
    if [[ -z $loader ]] || ! "$loader" --verify "$program"; then
        ln -s "$program" "$bin/$tool"
        return
    fi
    libraries=""
    for part in "$root"/lib/*-linux-gnu "$root"/usr/lib/*-linux-gnu "$root"/usr/lib/llvm-*/lib; do
        [[ -d $part ]] && libraries+=${libraries:+:}$part
    done
    # Started through the loader, clang can't find its own headers.
    [[ $tool == clang ]] && extra="-resource-dir=$(compgen -G "$root/usr/lib/llvm-*/lib/clang/*" | head -n 1)"
    cat >"$bin/$tool.new" <<SCRIPT
#!/bin/sh
exec "$loader" --library-path "$libraries" --argv0 "$tool" "$program" ${extra:+"$extra"} "\$@"
SCRIPT
    chmod +x "$bin/$tool.new"
    mv "$bin/$tool.new" "$bin/$tool"
}

# The rest, unpacked below $tools.
install_privately() {
    local mirror keyring packages tool lowest package names name program
    mapfile -t packages < <(missing_packages | cut -d ' ' -f 1 | sort -u)
    ((${#packages[@]})) || return 0
    find_archive
    mkdir -p "$tools"
    if command -v flock >/dev/null; then # of two runs at once, the second finds all done
        exec 9>"$tools/lock"
        flock 9
        mapfile -t packages < <(missing_packages | cut -d ' ' -f 1 | sort -u)
        ((${#packages[@]})) || return 0
    fi
    mkdir -p "$bin" "$tools/root"
    say "unpacking ${packages[*]} of $release below $tools ..."
    open_archive "$tools/apt" "$release"
    private_apt apt-get install -y --no-install-recommends --download-only "${packages[@]}" >/dev/null ||
        give_up "Packages of Debian's $release can't be fetched from $mirror."
    for package in "$tools"/apt/cache/archives/*.deb; do dpkg -x "$package" "$tools/root"; done
    # The package of QEMU has each architecture that there is, most of its size.
    find "$tools/root/usr/bin" -name 'qemu-*' ! -name 'qemu-loong*' ! -name 'qemu-x86_64*' -delete
    rm -rf "$tools/apt" "$tools"/root/usr/share/{doc,man,locale,info}
    while IFS='|' read -r tool lowest package names; do
        [[ -z $tool || -n $(find_tool "$tool" "$lowest" "$names") ]] && continue
        program=""
        for name in $names $tool; do
            if [[ -e $tools/root/usr/bin/$name ]]; then
                program=$(readlink -f "$tools/root/usr/bin/$name")
                break
            fi
        done
        [[ -n $program ]] && publish "$tool" "$program"
    done <<<"$table"
}

[[ -z $(missing_packages) ]] || install_from_system
[[ -z $(missing_packages) ]] || install_privately
[[ -z $(missing_packages) ]] || give_up "Some tools can't be run after their installation."

while IFS='|' read -r tool lowest package names; do
    [[ -n $tool ]] || continue
    path=$(find_tool "$tool" "$lowest" "$names")
    printf '%-30s %-10s %s\n' "$tool" "$(version_of "$path")" "$path"
done <<<"$table"
