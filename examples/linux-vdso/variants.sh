# The variants: which file each puts in place, for which architecture, on which CPUs it is booted. Data, and what is asked of it.
# shellcheck shell=bash

# name | architecture | emitted by | edits | CPUs of QEMU
variants='
loongarch64-stock|loongarch64||none|la464 la464,lsx=off,lasx=off
loongarch64-lsx|loongarch64|--target loongarch64-lsx|none|la464
loongarch64-scalar|loongarch64|--target loongarch64|none|la464 la464,lsx=off,lasx=off
loongarch64-alternative|loongarch64|--alternative loongarch64-lsx|alternative|la464 la464,lsx=off,lasx=off
x86_64-stock|x86_64||none|qemu64
x86_64-sse2|x86_64|--target x86_64-sse2|none|qemu64
'

variant_names() { awk -F'|' 'NF { print $1 }' <<<"$variants"; }

variant_field() { # name, number of the field
    awk -F'|' -v name="$1" -v field="$2" '$1 == name { print $field }' <<<"$variants"
}
