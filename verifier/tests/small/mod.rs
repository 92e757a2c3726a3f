//! Functions of a few instructions, to test proofs by: a block that is as small as a block can be, and text that makes it.
//!
//! Owns the block, the macros that functions are written in, and how their text becomes bytes. What is right or wrong with a
//! function is known to the tables that hold it.

#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod oracle;
pub mod steps;

use chacha_dsl_testing::Assembler;
use chacha_dsl_verifier::abi::Isa;
use chacha_dsl_verifier::contract::Contract;
use chacha_dsl_verifier::domain::Domain;
use chacha_dsl_verifier::prove::{Question, Specification, prove};
use chacha_dsl_verifier::verdict::Verdict;

/// Whether the slow tier runs too.
pub fn slow() -> bool {
    std::env::var_os("CHACHA_DSL_SLOW").is_some_and(|value| value != "0" && !value.is_empty())
}

/// Both instruction sets.
pub const ISAS: [Isa; 2] = [Isa::X86_64, Isa::LoongArch64];

/// What functions may use, if nothing else is said.
pub fn extensions(isa: Isa) -> &'static [&'static str] {
    match isa {
        Isa::X86_64 => &["x86-64", "SSE", "SSE2"],
        Isa::LoongArch64 => &["LA64", "LSX"],
    }
}

/// The block: the key, the counter with 64 zeros, and the exclusive or of this row with the key's first half.
pub fn block<D: Domain>(d: &mut D, key: &[D::Bits; 8], counter: &[D::Bits; 2]) -> [D::Bits; 16] {
    let zero = d.constant(32, 0);
    std::array::from_fn(|word| match word {
        0..8 => key[word].clone(),
        8 | 9 => counter[word - 8].clone(),
        10 | 11 => zero.clone(),
        12 | 13 => d.xor(&key[word - 12], &counter[word - 12]),
        _ => key[word - 12].clone(),
    })
}

/// That block as what a function should compute.
pub struct Small;

impl Specification for Small {
    fn block<D: Domain>(&self, d: &mut D, key: &[D::Bits; 8], counter: &[D::Bits; 2]) -> [D::Bits; 16] {
        block(d, key, counter)
    }
}

/// Steps of a proof: many times what one of a small function takes, and few enough that those that come to no end are quick.
const STEPS: usize = 2_000;

/// What the verifier is asked of a function.
pub fn question<'q>(code: &'q [u8], extensions: &'q [&'q str], contract: Contract) -> Question<'q> {
    Question { code, data: &[], extensions, contract, budget: STEPS }
}

/// What it says.
pub fn verdict(isa: Isa, code: &[u8], extensions: &[&str]) -> Verdict {
    prove(isa, question(code, extensions, Contract::Strict), &Small)
}

/// `load` takes the key and the counter; `block` writes one block, at a distance from where the output goes on and for a
/// counter that is more by so much; `next` goes on by blocks; `leave` writes the counter back, clears, and returns, and is
/// where those go that have nothing to do (`9f`). `enter` is the test for no blocks, and `load`.
///
/// The number of blocks left is in `%rcx`, the output in `%rdi`, the counter in `%rax`.
const X86_64: &str = "
.macro load
    movups (%rsi), %xmm0
    movups 16(%rsi), %xmm1
    movq (%rdx), %rax
.endm
.macro enter
    testq %rcx, %rcx
    je 9f
    load
.endm
.macro block at=0, add=0
    leaq \\add(%rax), %r8
    movq %r8, %xmm2
    movdqa %xmm2, %xmm3
    pxor %xmm0, %xmm3
    movups %xmm0, \\at(%rdi)
    movups %xmm1, \\at+16(%rdi)
    movups %xmm2, \\at+32(%rdi)
    movups %xmm3, \\at+48(%rdi)
.endm
.macro next by=1
    addq $\\by, %rax
    addq $64*\\by, %rdi
.endm
.macro clear
    pxor %xmm0, %xmm0
    pxor %xmm1, %xmm1
    pxor %xmm3, %xmm3
.endm
.macro leave
    movq %rax, (%rdx)
    clear
9:  ret
.endm
";

/// The number of blocks left is in `$a3`, the output in `$a0`, the counter in `$t0`.
const LOONGARCH64: &str = "
.macro load
    vld $vr0, $a1, 0
    vld $vr1, $a1, 16
    ld.d $t0, $a2, 0
.endm
.macro enter
    beqz $a3, 9f
    load
.endm
.macro block at=0, add=0
    addi.d $t1, $t0, \\add
    vldi $vr2, 0
    vinsgr2vr.d $vr2, $t1, 0
    vxor.v $vr3, $vr0, $vr2
    vst $vr0, $a0, \\at
    vst $vr1, $a0, \\at+16
    vst $vr2, $a0, \\at+32
    vst $vr3, $a0, \\at+48
.endm
.macro next by=1
    addi.d $t0, $t0, \\by
    addi.d $a0, $a0, 64*\\by
.endm
.macro clear
    vldi $vr0, 0
    vldi $vr1, 0
    vldi $vr3, 0
.endm
.macro leave
    st.d $t0, $a2, 0
    clear
9:  ret
.endm
";

/// The bytes of functions, all assembled at once. A semicolon ends a line.
pub fn assemble(isa: Isa, texts: &[&str]) -> Vec<Vec<u8>> {
    let (assembler, mut source) = match isa {
        Isa::X86_64 => (Assembler::LlvmX86, X86_64.to_owned()),
        Isa::LoongArch64 => (Assembler::LlvmLoongArch, LOONGARCH64.to_owned()),
    };
    for (number, text) in texts.iter().enumerate() {
        let name = format!("function_{number}");
        let body = text.replace(';', "\n");
        source += &format!(".globl {name}\n.type {name}, @function\n{name}:\n{body}\n.size {name}, .-{name}\n");
    }
    let object = assembler.assemble(&source, &[]).unwrap_or_else(|message| panic!("{message}"));
    (0..texts.len())
        .map(|number| object.function(&format!("function_{number}")).unwrap_or_else(|message| panic!("{message}")).to_vec())
        .collect()
}
