//! Registers go into and come out of a machine whole, and changes to them are seen in the right class.

mod common;

use chacha_dsl_testing::{Architecture, Assembler, Class, End, Machine, Random, State};
use common::{Both, RETURN, Rig};

#[test]
fn every_register_survives_a_bare_return() {
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &RETURN);
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let mut state = rig.machine.entry_state(rig.stack, &[]);
            state.randomise(&mut random, rig.machine.hardware());
            let outcome = rig.machine.call(rig.code.address, &state).unwrap();
            assert_eq!(outcome.end, End::Returned);
            let mut expected = state.clone();
            expected.set_u64("pc", outcome.state.get_u64("pc"));
            if architecture == Architecture::X86_64 {
                expected.set_u64("rsp", state.get_u64("rsp") + 8);
            }
            assert_eq!(outcome.state, expected, "{architecture:?}, seed {seed}");
        }
    }
}

#[test]
fn wide_registers_are_random_up_to_their_last_byte() {
    for (architecture, name) in [(Architecture::X86_64, "zmm15"), (Architecture::LoongArch64, "xr31")] {
        let rig = Rig::new(architecture, &RETURN);
        let mut state = State::new(architecture);
        state.randomise(&mut Random::new(1), rig.machine.hardware());
        let width = rig.machine.hardware().vector_bytes;
        assert!(width >= 16, "{width}");
        assert!(state.get(name)[width - 16..width].iter().any(|byte| *byte != 0));
    }
}

/// The table's places and names are the driver's: for each register that an instruction can name, one instruction that
/// copies it into another place.
#[test]
fn names_mean_the_registers_that_assemblers_mean() {
    for architecture in Architecture::ALL {
        let machine = Machine::start(architecture).unwrap();
        let hardware = *machine.hardware();
        let mut cases: Vec<(String, String, String)> = Vec::new();
        let mut case = |source: &str, text: String, result: &str| {
            cases.push((source.to_owned(), text, result.to_owned()));
        };
        match architecture {
            Architecture::X86_64 => {
                for name in "rcx rdx rbx rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split(' ') {
                    case(name, format!("mov %{name}, %rax"), "rax");
                    case("rax", format!("mov %rax, %{name}"), name);
                }
                for n in 0..16 {
                    let low = (n + 1) % 16;
                    case(&format!("xmm{n}"), format!("movdqu %xmm{n}, %xmm{low}"), &format!("xmm{low}"));
                    if hardware.vector_bytes >= 32 {
                        case(&format!("ymm{n}"), format!("vmovdqu %ymm{n}, %ymm{low}"), &format!("ymm{low}"));
                    }
                }
                if hardware.mask_registers == 8 {
                    for n in 0..32 {
                        let next = (n + 1) % 32;
                        case(&format!("zmm{n}"), format!("vmovdqu32 %zmm{n}, %zmm{next}"), &format!("zmm{next}"));
                    }
                    for n in 0..8 {
                        case(&format!("k{n}"), format!("kmovq %k{n}, %rax"), "rax");
                    }
                }
            }
            Architecture::LoongArch64 => {
                let general = "a1 a2 a3 a4 a5 a6 a7 t0 t1 t2 t3 t4 t5 t6 t7 t8 fp s0 s1 s2 s3 s4 s5 s6 s7 s8 tp r21 r9 s9";
                for name in general.split(' ') {
                    case(name, format!("move $a0, ${name}"), "a0");
                    case("a0", format!("move ${name}, $a0"), name);
                }
                for n in 0..32 {
                    let next = (n + 1) % 32;
                    case(&format!("f{n}"), format!("movfr2gr.d $a0, $f{n}"), "a0");
                    if hardware.vector_bytes >= 16 {
                        case(&format!("vr{n}"), format!("vori.b $vr{next}, $vr{n}, 0"), &format!("vr{next}"));
                    }
                    if hardware.vector_bytes >= 32 {
                        case(&format!("xr{n}"), format!("xvori.b $xr{next}, $xr{n}, 0"), &format!("xr{next}"));
                    }
                }
                for name in "fa0 fa7 ft0 ft15 fs0 fs7".split(' ') {
                    case(name, format!("movfr2gr.d $a0, ${name}"), "a0");
                }
                for n in 0..8 {
                    case(&format!("fcc{n}"), format!("movcf2gr $a0, $fcc{n}"), "a0");
                }
                case("fcsr0", "movfcsr2gr $a0, $fcsr0".to_owned(), "a0");
            }
        }
        // One text for all: each function starts at a multiple of 16 bytes.
        let text: String = cases.iter().map(|(_, text, _)| format!(".balign 16\n{text}\nret\n")).collect();
        let [assembler, _] = Assembler::both(architecture);
        let object = assembler.assemble(&format!("{text}.balign 16\n"), &[]).unwrap();
        let mut machine = machine;
        let code = machine.load(&object.text).unwrap();
        let stack = machine.arena(1).unwrap();
        for (number, (source, text, result)) in cases.iter().enumerate() {
            let mut state = machine.random_entry_state(stack, &[], &mut Random::new(number as u64));
            let mut value = state.get(source).to_vec();
            state.set_u64(result, 0);
            if source == result {
                value.clear();
            }
            state.set(source, &value);
            let end = machine.call(code.address + 16 * number as u64, &state).unwrap();
            assert_eq!(end.end, End::Returned, "{text}");
            let found = end.state.get(result);
            let common = value.len().min(found.len());
            assert_eq!(found[..common], value[..common], "{architecture:?}: {text}");
        }
    }
}

#[test]
fn a_clobbered_register_is_seen_in_its_class() {
    let cases: [(Architecture, &str, Class, &str); 12] = [
        (Architecture::X86_64, "not %rbx", Class::CalleeSaved, "rbx"),
        (Architecture::X86_64, "not %r15", Class::CalleeSaved, "r15"),
        (Architecture::X86_64, "not %r11", Class::CallerSaved, "r11"),
        (Architecture::X86_64, "pcmpeqd %xmm9, %xmm9", Class::CallerSaved, "zmm9"),
        (Architecture::X86_64, "std", Class::CalleeSaved, "rflags"),
        (Architecture::X86_64, "cmc", Class::CallerSaved, "rflags"),
        (Architecture::LoongArch64, "nor $s8, $s8, $zero", Class::CalleeSaved, "s8"),
        (Architecture::LoongArch64, "nor $t8, $t8, $zero", Class::CallerSaved, "t8"),
        (Architecture::LoongArch64, "nor $r21, $r21, $zero", Class::Reserved, "r21"),
        (Architecture::LoongArch64, "vnori.b $vr24, $vr24, 0", Class::CalleeSaved, "xr24"),
        (Architecture::LoongArch64, "vnori.b $vr24, $vr24, 0", Class::CallerSaved, "xr24"),
        (Architecture::LoongArch64, "vnori.b $vr23, $vr23, 0", Class::CallerSaved, "xr23"),
    ];
    for (architecture, instruction, class, name) in cases {
        let [assembler, _] = Assembler::both(architecture);
        let code = assembler.assemble(&format!("{instruction}\nret\n"), &[]).unwrap().text;
        let mut machine = Machine::start(architecture).unwrap();
        let code = machine.load(&code).unwrap();
        let stack = machine.arena(1).unwrap();
        let state = machine.random_entry_state(stack, &[], &mut Random::new(7));
        let outcome = machine.call(code.address, &state).unwrap();
        for other in [Class::CalleeSaved, Class::CallerSaved, Class::Reserved] {
            let changed = state.differences(&outcome.state, other);
            let mut names: Vec<&str> = changed.iter().map(|change| &*change.register).collect();
            // The program counter always moves, and `ret` moves the stack pointer of x86-64.
            names.retain(|name| *name != "pc" && *name != "rsp");
            if other == class {
                assert_eq!(names, [name], "{instruction}");
            } else if name != "xr24" {
                assert!(names.is_empty(), "{instruction}: {names:?} in {other:?}");
            }
        }
    }
}

#[test]
fn arguments_and_results_pass() {
    let add = Both { x86: "lea (%rdi,%rsi), %rax\nret\n", loongarch: "add.d $a0, $a0, $a1\nret\n" };
    for architecture in Architecture::ALL {
        let outcome = Rig::new(architecture, &add).call(&[40, 2]);
        let result = if architecture == Architecture::X86_64 { "rax" } else { "a0" };
        assert_eq!(outcome.state.get_u64(result), 42);
    }
}
