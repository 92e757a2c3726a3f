#!/usr/bin/env bash
# Fetches the kernel's own hand-written files, which tests prove, and prints where they are; run it as often as you like.
#
# They come from the newest package linux-source-* of the Debian release named below, and lie, with nothing else of it, in
# linux-source in the tools folder: they are under the GPL, so they never come into the repository. The package has about
# 150 MB and is deleted when the two files are out of it.
#
# To fetch newer ones, delete the folder linux-source in the tools folder.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/debian.sh"
release=trixie # the first Debian release whose kernel has a file for LoongArch
folder=$tools/linux-source
file=vgetrandom-chacha.S
table='
x86_64|arch/x86/entry/vdso/*
loongarch64|arch/loongarch/vdso/*
' # newer kernels have some in a folder more

give_up() {
    say "$1 What is needed: $file of the Linux kernel's arch/x86/entry/vdso and arch/loongarch/vdso," \
        "as $folder/x86_64/$file and $folder/loongarch64/$file."
    exit 1
}

is_good() { [[ -s $folder/x86_64/$file && -s $folder/loongarch64/$file ]]; }

fetch() {
    local new=$folder.new package name pattern found patterns=()
    command -v xz >/dev/null || give_up "The program xz is not installed."
    find_archive
    rm -rf "$new"
    mkdir -p "$new/package" "$new/tree"
    say "reading the package lists of Debian's $release ..."
    open_archive "$new/apt" "$release" -o APT::Update::Error-Mode=any
    package=$(private_apt apt-cache pkgnames linux-source- | grep -E '^linux-source-[0-9.]+$' | sort -V | tail -n 1 || true)
    [[ -n $package ]] || give_up "Debian's $release at $mirror has no package of the kernel's source."
    say "fetching $package, about 150 MB ..."
    (cd "$new/package" && private_apt apt-get download "$package") || give_up "$package can't be fetched from $mirror."
    while IFS='|' read -r name pattern; do [[ -z $name ]] || patterns+=("*/$pattern$file"); done <<<"$table"
    dpkg-deb --fsys-tarfile "$new"/package/*.deb | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
        tar -xJ -C "$new/tree" --wildcards "${patterns[@]}" || give_up "$package doesn't have the files that it should have."
    (cd "$new/package" && printf '%s\n' *.deb) | cut -d _ -f 1,2 >"$new/version"
    while IFS='|' read -r name pattern; do
        [[ -n $name ]] || continue
        found=$(find "$new/tree" -path "*/$pattern$file" | sort | head -n 1)
        mkdir "$new/$name"
        mv "$found" "$new/$name/$file"
    done <<<"$table"
    rm -rf "$new/apt" "$new/package" "$new/tree" "$folder"
    mv "$new" "$folder"
}

if ! is_good; then
    mkdir -p "$tools"
    if command -v flock >/dev/null; then # of two runs at once, the second finds all done
        exec 9>"$tools/lock-linux-source"
        flock 9
    fi
    is_good || fetch
fi
for name in x86_64 loongarch64; do
    printf '%-30s %-10s %s\n' "$name" "$(cut -d _ -f 2 "$folder/version" 2>/dev/null)" "$folder/$name/$file"
done
