#!/usr/bin/env bash
# Builds small Linux kernels with emitted files in the place of the hand-written ones, boots each under QEMU, and runs the kernel's own
# vDSO self-tests and tests of our own there: `examples/linux-vdso/run.sh [VARIANT ...]`, all of variants.sh if none is named.
#
#   --work FOLDER   where everything is fetched and built (default: target/linux-vdso of this repository; some 8 GB)
#   --calls N       calls of the self-test's benchmark (default: 25000; its own number is 25000000)
#   --seconds N     how long a boot may take (default: 180)
#
# It needs Debian on x86-64 and root, for a chroot of the release below, and fetches that release's packages, its kernel's source among
# them, and a C compiler with a C library for the guest from PyPI. The kernel is GPL-2.0; nothing of it comes into this repository.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
work=$repository/target/linux-vdso
release=forky # the first Debian release with a compiler for LoongArch and a kernel whose LoongArch vDSO has getrandom()
packages='bc binutils bison cpio flex gcc gcc-loongarch64-linux-gnu libelf-dev libssl-dev make perl qemu-system-misc qemu-system-x86 xz-utils'
calls=25000
seconds=180

source "$here/variants.sh"
source "$here/edits.sh"

say() { printf '%s\n' "$*"; }
give_up() { # sentences; status 1
    printf 'error: %s\n' "$*" >&2
    exit 1
}
# Runs a command with its output in a log; the sentence, with the log's place, if it fails.
logged() { # log, sentence, command ...
    local log=$1 sentence=$2
    shift 2
    "$@" >"$log" 2>&1 || give_up "$sentence The log is $log."
}

chosen=()
while (($#)); do
    case $1 in
    --work) work=$(realpath -m "${2:?"--work needs a folder"}") && shift ;;
    --calls) calls=${2:?"--calls needs a number"} && shift ;;
    --seconds) seconds=${2:?"--seconds needs a number"} && shift ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
    *) variant_names | grep -qxF -- "$1" || give_up "There is no variant $1. There are: $(variant_names | xargs)." && chosen+=("$1") ;;
    esac
    shift
done
((${#chosen[@]})) || mapfile -t chosen < <(variant_names)

root=$work/debian # a Debian of the release
logs=$work/logs
mkdir -p "$logs" || give_up "$work can't be made: choose another folder by --work."

# ---- what is needed ---------------------------------------------------------------------------------------------------

# What a command in the chroot begins with. What it mounts is gone when it ends, and it ends with what was started, if that is killed.
# /build there is $root/build here.
chrooted=(unshare --mount --propagation private --pid --fork --kill-child bash -c '
    mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" || exit 1
    root=$1; shift; exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"' - "$root")

inside() { "${chrooted[@]}" "$@"; }

fetch_debian() {
    [[ -e $root/complete ]] && return
    [[ $(id -u) == 0 ]] || give_up "This needs root, for a chroot of Debian's $release in $root."
    command -v apt-get >/dev/null || give_up "This machine has no apt-get: it takes Debian, or a system made from it."
    command -v debootstrap >/dev/null || {
        logged "$logs/debootstrap-install" "debootstrap can't be installed." bash -c 'apt-get -qq update && apt-get -qq install -y debootstrap'
    }
    # In a shell of its own, as that script has names of its own.
    read -r mirror keyring < <(source "$repository/backends/testing/debian.sh" && find_archive && echo "$mirror $keyring")
    [[ -n ${keyring:-} ]] || give_up "No Debian archive is known from this system's apt sources."
    say "fetching a Debian $release with a compiler for LoongArch, QEMU and the kernel's source, about 900 MB ..."
    rm -rf "$root"
    [[ -e /usr/share/debootstrap/scripts/$release ]] || ln -sf sid "/usr/share/debootstrap/scripts/$release"
    logged "$logs/debootstrap" "Debian's $release can't be fetched from $mirror (set DEBIAN_MIRROR to another)." \
        debootstrap --variant=minbase --include=ca-certificates --keyring="$keyring" "$release" "$root" "$mirror"
    cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null
    cp -r /etc/ssl/certs/. "$root/etc/ssl/certs/" 2>/dev/null
    local source
    logged "$logs/apt-update" "The package lists of Debian's $release can't be read." inside apt-get -qq -o Acquire::Check-Valid-Until=false update
    source=$(inside apt-cache pkgnames linux-source- | grep -E '^linux-source-[0-9.]+$' | sort -V | tail -n 1)
    [[ -n $source ]] || give_up "Debian's $release has no package of the kernel's source."
    # shellcheck disable=SC2086
    logged "$logs/apt-install" "Packages can't be installed in $root." \
        inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$source" $packages
    say "unpacking $source ..."
    mkdir -p "$root/build"
    logged "$logs/unpack" "The kernel's source can't be unpacked." inside sh -c 'tar -xJf /usr/src/linux-source-*.tar.xz -C /build && mv /build/linux-source-* /build/linux'
    touch "$root/complete"
}

fetch_zig() {
    [[ -x $work/zig/ziglang/zig ]] && return
    command -v python3 >/dev/null || give_up "python3 is not installed, by whose pip a compiler for the guest is fetched."
    say "fetching a C compiler with a C library for the guest ..."
    logged "$logs/zig" "The package ziglang can't be fetched from PyPI." python3 -m pip install --quiet --target "$work/zig" ziglang
}

emitter() {
    logged "$logs/cargo" "chacha-dsl doesn't build." cargo build --quiet --release --manifest-path "$repository/Cargo.toml" --package chacha-dsl-cli
    emit() { "${CARGO_TARGET_DIR:-$repository/target}/release/chacha-dsl" emit --format "$@"; }
}

# ---- the source and the build -----------------------------------------------------------------------------------------

tree() { echo "$root/build/linux"; }

# The tree's own files, kept beside it the first time, are put back.
restore() {
    local file pristine=$root/build/pristine
    for file in $edited_files "$(chacha_file "$(tree)" loongarch64)" "$(chacha_file "$(tree)" x86_64)"; do
        [[ -e $pristine/$file ]] || install -D "$(tree)/$file" "$pristine/$file" || exit 1
        cmp -s "$pristine/$file" "$(tree)/$file" || cp "$pristine/$file" "$(tree)/$file"
    done
}

put_in_place() { # variant, architecture
    local arguments
    restore
    arguments=$(variant_field "$1" 3)
    [[ -z $arguments ]] && return
    # shellcheck disable=SC2086
    emit kernel $arguments >"$work/emitted.S" || give_up "The file of $1 can't be emitted."
    cp "$work/emitted.S" "$(tree)/$(chacha_file "$(tree)" "$2")"
    "edit_$(variant_field "$1" 4)" "$(tree)"
}

make_kernel() { # architecture, target ...
    local arch=$1 cross=
    shift
    [[ $arch == loongarch64 ]] && cross=loongarch64-linux-gnu-
    inside make -s -C /build/linux O="/build/$arch" ARCH="${arch/loongarch64/loongarch}" CROSS_COMPILE="$cross" -j"$(nproc)" "$@"
}

configure() { # architecture
    [[ -e $root/build/$1/.config ]] && return
    logged "$logs/$1-config" "The kernel can't be configured." make_kernel "$1" tinyconfig
    cat "$here/$1.config" >>"$root/build/$1/.config" || give_up "There is no $here/$1.config."
    logged "$logs/$1-config" "The kernel can't be configured." make_kernel "$1" olddefconfig
    grep -q '^CONFIG_VDSO_GETRANDOM=y' "$root/build/$1/.config" ||
        give_up "This kernel has no getrandom() in the vDSO of $1. Its configuration is $root/build/$1/.config."
}

# The linked vDSO and the kernel's image, below /build/ARCHITECTURE.
vdso_of() { (cd "$root/build/$1" && find arch -name 'vdso*.so' ! -name 'vdso32*' | sort | head -n 1); }
image_of() { [[ $1 == x86_64 ]] && echo arch/x86/boot/bzImage || echo vmlinux; }

build() { # variant, architecture
    local target=vmlinux log=$logs/$1-build before=$SECONDS
    [[ $2 == x86_64 ]] && target=bzImage
    configure "$2"
    [[ -e $root/build/$2/$(image_of "$2") ]] || say "$1: building a kernel from nothing, some minutes ..."
    logged "$log" "The kernel doesn't build with $1 in place." make_kernel "$2" $target
    say "$1: built in $((SECONDS - before)) seconds"
    # The first build's own warnings are all of the kernel's; what comes later is new.
    if [[ -e $root/build/$2/first-warnings ]]; then
        ! grep -iE 'warning|objtool' "$log" | grep -vxFf "$root/build/$2/first-warnings" || give_up "The build has new warnings. The log is $log."
    else
        grep -iE 'warning|objtool' "$log" >"$root/build/$2/first-warnings"
    fi
    local vdso bytes
    vdso=$root/build/$2/$(vdso_of "$2")
    bytes=$(inside readelf -lW "${vdso#"$root"}" | awk '$1 == "LOAD" { print $6 }' | sort | tail -n 1)
    bytes=$((bytes))
    say "$1: the vDSO has $bytes bytes, $(((bytes + 4095) / 4096)) pages of 4 KiB"
}

# ---- the guest --------------------------------------------------------------------------------------------------------

compile_guest() { # variant, architecture, folder
    local variant=$1 arch=$2 into=$3 tests mcpu=() include
    tests=$(tree)/tools/testing/selftests
    zig() { "$work/zig/ziglang/zig" cc -target "$arch-linux-musl" "${mcpu[@]}" -static -O2 -std=gnu99 -D_GNU_SOURCE "$@"; }
    # Neither vectors nor floating point: so these programs run everywhere, and switch no unit on.
    [[ $arch == loongarch64 ]] && mcpu=(-mcpu=generic_la64)
    include=(-I"$tests/vDSO" -I"$tests" -idirafter "$(tree)/tools/include" -idirafter "$(tree)/tools/include/generated"
        -idirafter "$(tree)/arch/${arch/loongarch64/loongarch}/include" -idirafter "$(tree)/include")
    [[ $arch == x86_64 ]] && include=("${include[@]//arch\/x86_64/arch\/x86}")
    for program in init dump once; do
        logged "$logs/guest" "The guest's $program doesn't compile." zig -Wall "$here/guest/$program.c" -o "$into/$program"
    done
    logged "$logs/guest" "The guest's residue doesn't compile." zig -Wall "$here/guest/residue.c" "$here/guest/call-$arch.S" -o "$into/residue"

    # The kernel's own self-tests, with fewer calls in the benchmark; the guest's C library has no name for the cache's line.
    sed "s/TRIALS = [0-9]*/TRIALS = $calls/" "$tests/vDSO/vdso_test_getrandom.c" >"$work/vdso_test_getrandom.c"
    grep -q "TRIALS = $calls" "$work/vdso_test_getrandom.c" || give_up "The self-test vdso_test_getrandom.c has changed: it has no TRIALS."
    logged "$logs/self-tests" "The self-test vdso_test_getrandom doesn't compile." \
        zig "${include[@]}" -include "$here/guest/cache-line.h" "$work/vdso_test_getrandom.c" "$tests/vDSO/parse_vdso.c" -o "$into/vdso_test_getrandom"
    # The file in place is assembled by GNU as, which takes vectors in a file for any ABI.
    local compiler=gcc flags=()
    [[ $arch == loongarch64 ]] && compiler=loongarch64-linux-gnu-gcc flags=(-mabi=lp64s -mfpu=none -msimd=none)
    logged "$logs/self-tests" "The file of $variant doesn't assemble for the self-test." inside $compiler "${flags[@]}" \
        -c /build/linux/tools/testing/selftests/vDSO/vgetrandom-chacha.S -o /build/chacha.o "${include[@]//$root/}" -Wa,--noexecstack
    logged "$logs/self-tests" "The self-test vdso_test_chacha doesn't compile." \
        zig "${include[@]}" "$tests/vDSO/vdso_test_chacha.c" "$root/build/chacha.o" -o "$into/vdso_test_chacha"
}

initrd() { # folder, lines of the run list
    printf '%s\n' "$2" >"$1/run.list"
    mkdir -p "$1/proc" "$1/sys" "$1/dev"
    logged "$logs/initrd" "The guest's file system can't be packed." inside sh -c 'cd /build/guest && find . | cpio --quiet -o -H newc >/build/initrd'
}

# Boots, and leaves what the console said in the log.
boot() { # variant, architecture, cpu, log, more of QEMU's options ...
    local variant=$1 arch=$2 cpu=$3 log=$4 machine console pid waited=0
    shift 4
    case $arch in
    loongarch64) machine="qemu-system-loongarch64 -M virt -m 1G" console=ttyS0,115200 ;;
    x86_64) machine="qemu-system-x86_64 -M pc -m 512M" console=ttyS0,115200 ;;
    esac
    : >"$log"
    # shellcheck disable=SC2086
    "${chrooted[@]}" $machine -cpu "$cpu" -nographic -no-reboot -kernel "/build/$arch/$(image_of "$arch")" -initrd /build/initrd \
        -append "console=$console rdinit=/init panic=-1" "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    # Power-off doesn't end the machine everywhere: the guest's last line does.
    while kill -0 $pid 2>/dev/null && ((waited < 2 * seconds)) && ! grep -qa '^guest: the end' "$log" && ! grep -qa 'Kernel panic' "$log"; do
        sleep 0.5
        ((waited += 1))
    done
    sleep 0.2
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    sed -i 's/\r//g' "$log"
    ! grep -qa 'Kernel panic' "$log" || give_up "$variant on $cpu: $(grep -am1 'Kernel panic' "$log"). The log is $log."
    grep -qa '^guest: the end' "$log" || give_up "$variant on $cpu: the guest didn't come to its end in $seconds seconds. The log is $log."
}

# Each program of the list must have ended with status 0, and its lines are shown.
report() { # variant, cpu, log, programs ...
    local variant=$1 cpu=$2 log=$3 program failed=0
    shift 3
    grep -aE '^(ok|not ok|residue|general register|vector register|guest: AT_HWCAP| *(vdso|libc|syscall): )' "$log" | sed "s|^|    |"
    ! grep -qaE '^not ok' "$log" || failed=1
    for program in "$@"; do
        grep -qaxF "end $program: status 0" "$log" || {
            say "    $program: $(grep -a "^end $program:" "$log" || echo 'not run')"
            failed=1
        }
    done
    ((failed == 0)) || give_up "$variant on $cpu: a test failed. The log is $log."
}

# Where the entry of the running vDSO leads: its first instructions, and whether it is a branch to the other function.
entry() { # variant, architecture, log
    local vdso debug at symbol=__arch_chacha20_blocks_nostack objdump=objdump
    [[ $2 == loongarch64 ]] && objdump=loongarch64-linux-gnu-objdump
    vdso=$(vdso_of "$2")
    debug=/build/$2/$vdso.dbg
    awk '$1 == "vdso" && NF == 3 && $2 ~ /^[0-9a-f]+$/ { printf "%s", $3 }' "$3" | xxd -r -p >"$root/build/running"
    [[ -s $root/build/running ]] || give_up "$1: the guest printed no code. The log is $3."
    inside nm "$debug" | awk -v symbol="$symbol" '$3 == symbol || $3 == symbol "_lsx" { print $1, $3 }' | while read -r at name; do
        say "    $name in the running vDSO:"
        inside $objdump -D -b binary -m "${2/x86_64/i386:x86-64}" --start-address="0x$at" --stop-address=$((16#$at + 12)) /build/running |
            sed -n 's/^ *\([0-9a-f]*:\)/      \1/p'
    done
}

# Exceptions for units that are switched off, of a task that calls once and uses no such unit itself: those of a boot with one call less
# those of a boot without any.
disabled_units() { # variant, architecture, cpu, folder
    local counts=() number
    for number in 0 1; do
        initrd "$4" "/once $number"
        boot "$1" "$2" "$3" "$logs/$1-once" -d int -D /build/exceptions
        sed -i '/^guest: AT_HWCAP/d' "$logs/$1-once" # it was said
        report "$1" "$3" "$logs/$1-once" /once
        counts+=("$(grep -ac '^loongarch_cpu_do_interrupt enter.*exception: [0-9]* (.*Disable exception)' "$root/build/exceptions" | tail -n 1)")
    done
    say "    exceptions for a unit that is off, in a task's first call: $((counts[1] - counts[0]))"
}

# ---- all of it --------------------------------------------------------------------------------------------------------

fetch_debian
fetch_zig
emitter
command -v xxd >/dev/null || logged "$logs/xxd" "xxd can't be installed." apt-get -qq install -y xxd
passed=0
for variant in "${chosen[@]}"; do
    arch=$(variant_field "$variant" 2)
    put_in_place "$variant" "$arch"
    build "$variant" "$arch"
    guest=$root/build/guest
    rm -rf "$guest" && mkdir -p "$guest"
    compile_guest "$variant" "$arch" "$guest"
    programs=(/vdso_test_chacha /vdso_test_getrandom /residue /dump)
    for cpu in $(variant_field "$variant" 5); do
        say "$variant on $cpu:"
        log=$logs/$variant-${cpu//,/-}
        initrd "$guest" "$(printf '%s\n' "${programs[@]}" '/vdso_test_getrandom bench-single')"
        boot "$variant" "$arch" "$cpu" "$log"
        # The stock file is what it is: two of the kernel's leave data of the key in a register.
        report "$variant" "$cpu" "$log" "${programs[@]}"
        entry "$variant" "$arch" "$log"
        [[ $arch == loongarch64 ]] && disabled_units "$variant" "$arch" "$cpu" "$guest"
        ((passed += 1))
    done
done
restore
say "passed: $passed boots. Logs are in $logs."
