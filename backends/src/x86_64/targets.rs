//! The targets: one for each set of extensions. Data only.

use chacha_dsl_codegen::inst::Row;
use chacha_dsl_codegen::target::{CpuidBit, Detection, RustFacts};

use super::insts::{avx, avx2, avx512f, avx512vl, base, sse, sse2, ssse3};
use super::{Level, X86};

const PLATFORM: &str = "target_arch = \"x86_64\", target_pointer_width = \"64\"";
/// Everywhere, Windows and macOS included: the code is made for this convention.
const ABI: &str = "sysv64";
/// A kernel's target has it off because nobody saves the registers.
const ALLOWED: &str = "target_feature = \"sse2\"";

const SSE: CpuidBit = CpuidBit { leaf: 1, register: "edx", bit: 25 };
const SSE_2: CpuidBit = CpuidBit { leaf: 1, register: "edx", bit: 26 };
const SSSE_3: CpuidBit = CpuidBit { leaf: 1, register: "ecx", bit: 9 };
const OSXSAVE: CpuidBit = CpuidBit { leaf: 1, register: "ecx", bit: 27 };
const AVX: CpuidBit = CpuidBit { leaf: 1, register: "ecx", bit: 28 };
const AVX_2: CpuidBit = CpuidBit { leaf: 7, register: "ebx", bit: 5 };
const AVX512F: CpuidBit = CpuidBit { leaf: 7, register: "ebx", bit: 16 };
const AVX512VL: CpuidBit = CpuidBit { leaf: 7, register: "ebx", bit: 31 };

// State in XCR0: bit 1 SSE, bit 2 AVX, bits 5 to 7 AVX-512 (masks, upper halves, registers above 15).

const fn facts(function: &'static str, bits: &'static [CpuidBit], xcr0: u64) -> RustFacts {
    RustFacts { function, platform: PLATFORM, abi: ABI, detection: Detection::Cpuid { bits, xcr0, allowed: ALLOWED } }
}

/// x86-64 with SSE2, which every x86-64 CPU has: 128-bit vectors.
pub static SSE2: X86 = X86 {
    level: Level::Sse2,
    name: "x86_64-sse2",
    summary: "x86-64 with 128-bit vectors",
    extensions: &["x86-64", "SSE", "SSE2"],
    tables: &[base::ALL, sse::ALL, sse2::ALL],
    vectors: 16,
    row_parts: 1,
    column_parts: 1,
    vdso: "rows2,rows1",
    bulk: "columns4,rows3,rows2,rows1",
    rust: &facts("x86_64_sse2", &[SSE, SSE_2], 0b10),
};

/// x86-64 with SSSE3, whose shuffles of bytes rotate: 128-bit vectors.
pub static SSSE3: X86 = X86 {
    level: Level::Ssse3,
    name: "x86_64-ssse3",
    summary: "x86-64 with 128-bit vectors and byte shuffles",
    extensions: &["x86-64", "SSE", "SSE2", "SSSE3"],
    tables: &[base::ALL, sse::ALL, sse2::ALL, ssse3::ALL],
    vectors: 16,
    row_parts: 1,
    column_parts: 1,
    vdso: "rows2,rows1",
    bulk: "rows3,rows2,rows1",
    rust: &facts("x86_64_ssse3", &[SSE, SSE_2, SSSE_3], 0b10),
};

/// x86-64 with AVX2: 256-bit vectors.
pub static AVX2: X86 = X86 {
    level: Level::Avx2,
    name: "x86_64-avx2",
    summary: "x86-64 with 256-bit vectors",
    extensions: &["x86-64", "AVX", "AVX2"],
    tables: &[base::ALL, avx::ALL, avx2::ALL],
    vectors: 16,
    row_parts: 2,
    column_parts: 2,
    vdso: "rows2,rows1",
    bulk: "rows5to6,rows3to4,rows2,rows1",
    rust: &facts("x86_64_avx2", &[OSXSAVE, AVX, AVX_2], 0b110),
};

/// x86-64 with AVX-512F and VL: vectors of up to 512 bits, and rotations.
pub static AVX512: X86 = X86 {
    level: Level::Avx512,
    name: "x86_64-avx512",
    summary: "x86-64 with vectors of up to 512 bits",
    extensions: &["x86-64", "AVX", "AVX2", "AVX512F", "AVX512VL"],
    tables: &[base::ALL, avx::ALL, avx2::ALL, avx512f::ALL, avx512vl::ALL],
    vectors: 32,
    row_parts: 4,
    column_parts: 4,
    vdso: "rows2,rows1",
    bulk: "columns9to16,columns5to8,rows3to4,rows2,rows1",
    rust: &facts("x86_64_avx512", &[OSXSAVE, AVX, AVX_2, AVX512F, AVX512VL], 0b1110_0110),
};

/// What a target's tables have.
pub(super) type Tables = &'static [&'static [&'static Row]];
