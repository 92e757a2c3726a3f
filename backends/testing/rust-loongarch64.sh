#!/usr/bin/env bash
# Provides ${CHACHA_DSL_TOOLS:-<repository>/target/tools}/bin/cargo-loongarch64, which is used as cargo is, from any
# folder: it builds for LoongArch Linux with a real std and runs tests and programs in QEMU. Run this as often as you like.
# With `check --target`, it also compiles for the platforms in `others`.
#
# The std is rustup's where that has one. Else a Rust toolchain of the Debian release named below is unpacked below the
# tools folder: its compiler comes with the same std for the host, for macros and build scripts, and for LoongArch. Its
# programs are started through their own C library. So neither needs root, a chroot or mounts, and the system stays as it is.
# C library and start files for LoongArch come from the same release; clang and lld, which link, and QEMU are those of
# tools.sh. What is built goes to target/loongarch64, because two compilers in one folder would undo each other's work.
#
# To fetch a newer compiler, delete the folder rust-loongarch64 in the tools folder.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/debian.sh"
release=forky # the first Debian release with LoongArch among its architectures
triple=loongarch64-unknown-linux-gnu
folder=$tools/rust-loongarch64
published=$bin/cargo-loongarch64
others=(aarch64-unknown-linux-gnu wasm32-unknown-unknown) # platforms without a target of ours, for checks that compile only
layout=2 # of the folder: counted up when one that an older version of this script made is no longer good

give_up() {
    say "$1 What is needed: Rust with the target $triple (\`rustup target add $triple\`) and a C compiler" \
        "loongarch64-linux-gnu-gcc with its C library; or a Debian mirror that has $release (set DEBIAN_MIRROR)."
    exit 1
}

is_good() { # the folder is whole, and each program that it starts can be started from where it is
    [[ -x $published && $(cat "$folder/layout" 2>/dev/null) == "$layout $folder $repository" ]] &&
        "$folder/cc" --version >/dev/null 2>&1 && "$folder/run" --version >/dev/null 2>&1 &&
        "$published" --version >/dev/null 2>&1 && has_std "$triple" "${others[@]}"
}

has_std() { # triple ...
    local sysroot one
    sysroot=$(our_rustc --print sysroot) || return 1
    for one in "$@"; do [[ -d $sysroot/lib/rustlib/$one/lib ]] || return 1; done
}

our_rustc() {
    if [[ -d $folder/rust ]]; then "$folder/rust/bin/rustc" "$@"; else (cd "$repository" && rustc "$@"); fi 2>/dev/null
}

script() { # path: an executable file of what is on standard input
    cat >"$1.new"
    chmod +x "$1.new"
    mv "$1.new" "$1"
}

# ---- rustup's std --------------------------------------------------------------------------------------------------

rustup_has_std() {
    command -v rustup >/dev/null || return 1
    cd "$repository" # whose toolchain may be another than the default
    ! printf '%s\n' "$triple" "${others[@]}" | grep -vxqf <(rustup target list --installed 2>/dev/null) ||
        timeout 60 rustup target add "$triple" "${others[@]}" >/dev/null 2>&1
}

# ---- packages of the release ---------------------------------------------------------------------------------------

# Lists of the testing release expire after a week, and a mirror may be a frozen one; they are signed all the same.
open_release() {
    [[ -z ${apt_folder:-} ]] || return 0
    find_archive
    say "reading the package lists of Debian's $release ..."
    open_archive "$folder.new/apt" "$release" -o Acquire::Check-Valid-Until=false -o Acquire::Retries=5 -o APT::Update::Error-Mode=any \
        -o APT::Architectures::="$(dpkg --print-architecture)" -o APT::Architectures::=loong64 -o APT::Architectures::=arm64
}

unpack() { # folder, package ...
    local into=$1 packages=$folder.new/packages package
    shift
    rm -rf "$packages"
    mkdir -p "$into" "$packages"
    (cd "$packages" && private_apt apt-get download "$@") || give_up "Packages of Debian's $release can't be fetched from $mirror."
    for package in "$packages"/*.deb; do dpkg -x "$package" "$into"; done
    rm -rf "$packages" "$into"/usr/share/{doc,man,locale,info,lintian}
}

make_sysroot() {
    local into=$folder.new/sysroot gcc
    open_release
    gcc=$(private_apt apt-cache pkgnames libgcc- | grep -E '^libgcc-[0-9]+-dev$' | sort -V | while read -r gcc; do
        # Some of these names are of another release or architecture alone.
        [[ -z $(private_apt apt-cache show "$gcc:loong64" 2>/dev/null) ]] || printf '%s\n' "$gcc"
    done | tail -n 1)
    [[ -n $gcc ]] || give_up "Debian's $release at $mirror has no packages for LoongArch."
    say "unpacking the C library for LoongArch ..."
    unpack "$into" {libc6,libc6-dev,libgcc-s1,libatomic1,"$gcc"}:loong64 linux-libc-dev
    # Programs name their loader by /lib64, which another package would make a link.
    ln -sfn usr/lib "$into/lib"
    ln -sfn usr/lib64 "$into/lib64"
}

make_rust() {
    local into=$folder.new/rust names loader program
    command -v cc >/dev/null || give_up "There is no C compiler (cc), which Rust links this machine's programs with."
    open_release
    # rustc depends on a C compiler, because it links with one: the host's own does that here. Unpacking more than is
    # needed would do no harm.
    mapfile -t names < <(private_apt apt-get install -s --no-install-recommends rustc cargo libstd-rust-dev |
        sed -n 's/^Inst \([^ ]*\) .*/\1/p' |
        grep -vE '^((gcc|cpp|binutils)(-.*)?|lib(binutils|gprofng|ctf|sframe|cc1|isl|mpfr|mpc|itm|gomp|quadmath|[a-z]*san)[-0-9a-z]*|libgcc-[0-9]*-dev|libc6-dev|libc-dev-bin|linux-libc-dev)$')
    ((${#names[@]})) || give_up "Debian's $release at $mirror has no Rust for this machine."
    say "unpacking Rust ..."
    unpack "$into" "${names[@]}" libstd-rust-dev:{loong64,arm64} libstd-rust-dev-wasm32
    loader=$(compgen -G "$into/usr/lib/*-linux-gnu/ld-linux-*.so.*" | head -n 1 || true)
    [[ -n $loader ]] || give_up "Debian's $release has no C library for this machine."
    # Scripts in place of the programs, so that rustdoc, too, finds a rustc that can be started.
    mkdir "$into/usr/programs"
    for program in rustc rustdoc cargo; do mv "$into/usr/bin/$program" "$into/usr/programs/"; done
    ln -s usr/bin "$into/bin"
    printf '%s' "${loader#"$into/"}" >"$into/loader"
}

# ---- the commands --------------------------------------------------------------------------------------------------

of_tools() { awk -v tool="$1" '$1 == tool { print $3 }' <<<"$found"; }

write_commands() {
    local found clang lld qemu rust=$folder/rust program loader libraries start unset_environment
    found=$("$here/tools.sh") || exit 1
    clang=$(of_tools clang) lld=$(of_tools ld.lld) qemu=$(of_tools qemu-loongarch64)
    if [[ -d $folder/sysroot ]]; then
        script "$folder/cc" <<SCRIPT
#!/bin/sh
exec "$clang" --target=loongarch64-linux-gnu --sysroot="$folder/sysroot" --ld-path="$lld" -Wno-unused-command-line-argument "\$@"
SCRIPT
        script "$folder/run" <<SCRIPT
#!/bin/sh
exec "$qemu" -cpu max -L "$folder/sysroot" "\$@"
SCRIPT
    else
        script "$folder/cc" <<<$'#!/bin/sh\nexec loongarch64-linux-gnu-gcc "$@"'
        script "$folder/run" <<SCRIPT
#!/bin/sh
exec "$qemu" -cpu max -L /usr/loongarch64-linux-gnu "\$@"
SCRIPT
    fi
    start="exec cargo" unset_environment="LD_LIBRARY_PATH CARGO"
    if [[ -d $rust ]]; then
        loader=$rust/$(<"$rust/loader")
        libraries=$(dirname "$loader")
        for program in rustc rustdoc cargo; do
            script "$rust/usr/bin/$program" <<SCRIPT
#!/bin/sh
exec "$loader" --library-path "$libraries" --argv0 "$rust/usr/bin/$program" "$rust/usr/programs/$program" "\$@"
SCRIPT
        done
        # Started so, cargo takes the loader for its own path.
        start="export RUSTC=\"$rust/bin/rustc\" RUSTDOC=\"$rust/bin/rustdoc\" RUSTC_WRAPPER= RUSTC_WORKSPACE_WRAPPER= CARGO=\"$published\"
exec \"$rust/bin/cargo\""
        unset_environment+=" RUSTUP_TOOLCHAIN RUSTUP_HOME CARGO_BUILD_RUSTC CARGO_BUILD_RUSTDOC CARGO_BUILD_RUSTC_WRAPPER"
    fi
    mkdir -p "$bin"
    script "$published" <<SCRIPT
#!/bin/sh
# Written by backends/testing/rust-loongarch64.sh.
# A cargo that started this, as tests do, says things of its own toolchain that are wrong for this one.
unset $unset_environment
export CARGO_TARGET_DIR="\${CARGO_TARGET_DIR:-$repository/target/loongarch64}"
export CARGO_BUILD_TARGET=$triple
export CARGO_TARGET_LOONGARCH64_UNKNOWN_LINUX_GNU_LINKER="$folder/cc"
export CARGO_TARGET_LOONGARCH64_UNKNOWN_LINUX_GNU_RUNNER="$folder/run"
export CC_loongarch64_unknown_linux_gnu="$folder/cc"
$start "\$@"
SCRIPT
    printf '%s' "$layout $folder $repository" >"$folder/layout"
}

# A program with std and a macro's host side: one that runs shows that compiler, both stds, linkers and QEMU fit together.
proves_itself() {
    local crate
    crate=$(mktemp -d) || return 1
    mkdir "$crate/src"
    printf '[package]\nname = "hello"\nversion = "0.0.0"\nedition = "2024"\nbuild = "build.rs"\n[workspace]\n' >"$crate/Cargo.toml"
    printf 'fn main() {}\n' >"$crate/build.rs"
    printf 'fn main() { println!("hello from {}", std::env::consts::ARCH) }\n' >"$crate/src/main.rs"
    local output status=0
    output=$(CARGO_TARGET_DIR=$crate/target "$published" run --quiet --offline --manifest-path "$crate/Cargo.toml" 2>&1) || status=1
    rm -rf "$crate"
    [[ $status == 0 && $output == *"hello from loongarch64"* ]] && return
    say "$output"
    return 1
}

if [[ $(uname -m) == loongarch64 ]]; then # nothing to cross
    mkdir -p "$bin"
    script "$published" <<<$'#!/bin/sh\nexec cargo "$@"'
elif ! is_good; then
    mkdir -p "$tools"
    if command -v flock >/dev/null; then # of two runs at once, the second finds all done
        exec 9>"$tools/lock-rust-loongarch64"
        flock 9
    fi
    if ! is_good; then
        # The folder gets its name when it is whole; until then it is of no use to anyone. One that is whole, but was
        # moved or whose tools were replaced, only needs its commands written anew.
        rm -rf "$folder.new"
        if [[ $(cut -d ' ' -f 1 "$folder/layout" 2>/dev/null) != "$layout" ]] || ! { write_commands && is_good; }; then
            rm -rf "$folder" "$folder.new"
            mkdir "$folder.new"
            (rustup_has_std) || make_rust
            if [[ -d $folder.new/rust ]] || ! command -v loongarch64-linux-gnu-gcc >/dev/null ||
                ! compgen -G "/usr/loongarch64-linux-gnu/lib*/ld-linux-loongarch*" >/dev/null; then
                make_sysroot
            fi
            rm -rf "$folder.new/apt"
            mv "$folder.new" "$folder"
            write_commands
        fi
        if ! is_good || ! proves_itself; then
            rm -rf "$folder" "$published"
            give_up "A program for LoongArch can't be built or run with what was installed."
        fi
    fi
fi
printf '%-30s %-10s %s\n' cargo-loongarch64 "$("$published" --version | cut -d ' ' -f 2)" "$published"
