//! The four assemblers, the object reader, the linker and the disassembler.

mod common;

use chacha_dsl_testing::{Architecture, Assembler, access_width, disassemble, link_flat};
use common::Both;

#[test]
fn both_assemblers_of_an_architecture_agree_on_vector_code() {
    let function = Both {
        x86: "paddd %xmm1, %xmm0\npshufd $0x39, %xmm1, %xmm1\nvprold $16, %ymm17, %ymm18\nkmovq %rax, %k1\nret\n",
        loongarch: "vadd.w $vr0, $vr0, $vr1\nvrotri.w $vr1, $vr1, 16\nxvrotri.w $xr1, $xr1, 16\nret\n",
    };
    for architecture in Architecture::ALL {
        let texts = Assembler::both(architecture).map(|assembler| assembler.assemble(function.of(architecture), &[]).unwrap().text);
        assert!(!texts[0].is_empty());
        assert_eq!(texts[0], texts[1]);
    }
}

#[test]
fn local_branches_leave_no_relocation() {
    let text = "1: nop\nbeqz $a0, 1b\nbnez $a0, 2f\nb 1b\n2: ret\n";
    for assembler in Assembler::both(Architecture::LoongArch64) {
        let object = assembler.assemble(text, &[]).unwrap();
        assert_eq!(object.section(".text").unwrap().relocations, [], "{assembler:?}");
    }
}

#[test]
fn objects_tell_sections_symbols_and_relocations() {
    let text = ".globl f\n.type f, @function\nf:\n.quad outside\n.size f, 8\ng: .byte 1\n.section .rodata\n.byte 7,8\n";
    for assembler in Assembler::ALL {
        let object = assembler.assemble(text, &[]).unwrap();
        assert_eq!(object.undefined, ["outside"], "{assembler:?}");
        let f = object.symbols.iter().find(|symbol| symbol.name == "f").unwrap();
        assert!(f.global && f.function);
        assert_eq!((f.offset, f.size, &*f.section), (0, 8, ".text"));
        assert!(object.symbols.iter().any(|symbol| symbol.name == "g" && symbol.offset == 8));
        assert_eq!(object.function("f").unwrap().len(), 8);
        let code = object.section(".text").unwrap();
        assert!(code.executable && code.allocated);
        assert_eq!(code.relocations.len(), 1);
        assert_eq!((code.relocations[0].offset, &*code.relocations[0].symbol), (0, "outside"));
        let data = object.section(".rodata").unwrap();
        assert!(data.allocated && !data.executable);
        assert_eq!(data.bytes, [7, 8]);
    }
}

#[test]
fn the_preprocessor_sees_included_files() {
    let folder = std::env::temp_dir().join(format!("chacha-dsl-include-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("names.h"), "#ifdef __ASSEMBLER__\n#define FIVE 5\n#endif\n").unwrap();
    let text = "#include <names.h>\n/* a comment */\n.byte FIVE // another\n";
    for assembler in Assembler::ALL {
        let object = assembler.assemble_with_cpp(text, &[&folder], &[]).unwrap();
        assert_eq!(object.text, [5]);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_an_assembler_complains_of_is_told() {
    for assembler in Assembler::ALL {
        let error = assembler.assemble("no_such_instruction 1\n", &[]).unwrap_err();
        assert!(error.contains("no_such_instruction"), "{error}");
    }
}

#[test]
fn disassembly_is_one_line_per_instruction() {
    let function =
        Both { x86: "movdqu (%rdi), %xmm0\npaddd 16(%rsi), %xmm1\nret\n", loongarch: "vld $vr0, $a0, 0\nxvadd.w $xr1, $xr2, $xr3\nret\n" };
    let expected = [
        vec!["movdqu xmm0, xmmword ptr [rdi]", "paddd xmm1, xmmword ptr [rsi + 0x10]", "ret"],
        vec!["vld $vr0, $a0, 0", "xvadd.w $xr1, $xr2, $xr3", "ret"],
    ];
    for (architecture, expected) in Architecture::ALL.into_iter().zip(expected) {
        assert_eq!(disassemble(architecture, &function.bytes(architecture)).unwrap(), expected);
    }
}

#[test]
fn linking_applies_relocations() {
    let text = ".globl f\nf: .quad f + 4\n.section .rodata\n.balign 8\n.quad f\n";
    for assembler in Assembler::ALL {
        let object = assembler.assemble(text, &[]).unwrap();
        let flat = link_flat(assembler.architecture(), &object, 0x10000).unwrap();
        let words: Vec<u64> = flat.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        assert_eq!(words, [0x10004, 0x10000], "{assembler:?}");
    }
}

#[test]
fn the_width_of_an_access_is_told_from_the_instruction() {
    let x86 = [
        ("movzbl (%rdi), %eax", Some(1)),
        ("movd %xmm0, 4(%rdi)", Some(4)),
        ("movq (%rdi), %xmm0", Some(8)),
        ("addq %rax, (%rdi)", Some(8)),
        ("movdqu 16(%rsi), %xmm9", Some(16)),
        ("vbroadcasti128 (%rsi), %ymm1", Some(16)),
        ("vmovdqu64 %zmm17, 64(%rdi)", Some(64)),
        ("vpaddd (%rsi){1to8}, %ymm1, %ymm2", Some(4)),
        ("lea 5(%rdi), %rax", None),
        ("nopw (%rax)", None),
        ("paddd %xmm1, %xmm2", None),
    ];
    let loongarch = [
        ("ld.bu $a0, $a1, 0", Some(1)),
        ("ldx.w $a0, $a1, $a2", Some(4)),
        ("ldptr.d $a0, $a1, 8", Some(8)),
        ("fst.d $fa0, $a1, 8", Some(8)),
        ("vld $vr0, $a1, 16", Some(16)),
        ("vldrepl.w $vr0, $a1, 4", Some(4)),
        ("vstelm.d $vr0, $a1, 0, 1", Some(8)),
        ("xvst $xr0, $a1, 32", Some(32)),
        ("vadd.w $vr0, $vr1, $vr2", None),
        ("add.d $a0, $a1, $a2", None),
    ];
    for (architecture, cases) in [(Architecture::X86_64, &x86[..]), (Architecture::LoongArch64, &loongarch[..])] {
        let source: String = cases.iter().map(|(text, _)| format!("{text}\n")).collect();
        let [assembler, _] = Assembler::both(architecture);
        let lines = disassemble(architecture, &assembler.assemble(&source, &[]).unwrap().text).unwrap();
        assert_eq!(lines.len(), cases.len());
        for (line, (text, width)) in lines.iter().zip(cases) {
            assert_eq!(access_width(architecture, line), *width, "{text}: {line}");
        }
    }
}
