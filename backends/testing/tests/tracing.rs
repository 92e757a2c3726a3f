//! Traced pages tell each access, and counting machines tell each instruction.

mod common;

use chacha_dsl_testing::{Access, Architecture, End, Protection, access_width, disassemble_at};
use common::{Both, RETURN, Rig};

fn accesses(rig: &mut Rig, arguments: &[u64]) -> Vec<Access> {
    let outcome = rig.call(arguments);
    assert_eq!(outcome.end, End::Returned);
    outcome.accesses
}

#[test]
fn each_load_and_store_is_told() {
    let function = Both {
        x86: "movzbl 3(%rdi), %eax\nmovzbl 3(%rdi), %eax\nmovb %al, 4(%rdi)\nincb 5(%rdi)\nret\n",
        loongarch: "ld.bu $t0, $a0, 3\nld.bu $t0, $a0, 3\nst.b $t0, $a0, 4\n\
                    ld.b $t0, $a0, 5\naddi.w $t0, $t0, 1\nst.b $t0, $a0, 5\nret\n",
    };
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &function);
        let arena = rig.machine.arena(1).unwrap();
        rig.machine.write(arena, 3, &[1, 2, 3]);
        rig.machine.trace(arena, 0..1, true);
        for _ in 0..3 {
            let found: Vec<(u64, bool)> =
                accesses(&mut rig, &[arena.address]).iter().map(|access| (access.address - arena.address, access.write)).collect();
            match architecture {
                Architecture::X86_64 => {
                    assert_eq!(found, [(3, false), (3, false), (4, true), (5, true)]);
                }
                Architecture::LoongArch64 => {
                    assert_eq!(found, [(3, false), (3, false), (4, true), (5, false), (5, true)]);
                }
            }
        }
        // The function did its work meanwhile: three times.
        assert_eq!(rig.machine.read(arena, 3..6).unwrap(), [1, 1, 6]);
        rig.machine.trace(arena, 0..1, false);
        assert_eq!(accesses(&mut rig, &[arena.address]), []);
    }
}

#[test]
fn vector_accesses_have_an_address_and_a_width() {
    let function = Both {
        x86: "movdqu (%rdi), %xmm0\nmovdqu 16(%rdi), %xmm1\nmovdqu %xmm0, 32(%rdi)\nmovd 48(%rdi), %xmm2\nret\n",
        loongarch: "vld $vr0, $a0, 0\nvld $vr1, $a0, 16\nvst $vr0, $a0, 32\nvldrepl.w $vr2, $a0, 48\nret\n",
    };
    for architecture in Architecture::ALL {
        for misalignment in [0, 1, 7] {
            let mut rig = Rig::new(architecture, &function);
            let arena = rig.machine.arena(1).unwrap();
            rig.machine.trace(arena, 0..1, true);
            let lines = disassemble_at(architecture, &function.bytes(architecture)).unwrap();
            let start = arena.address + misalignment;
            let found: Vec<(u64, bool, Option<usize>)> = accesses(&mut rig, &[start])
                .iter()
                .map(|access| {
                    let offset = access.pc - rig.code.address;
                    let (_, text) = lines.iter().find(|(at, _)| *at == offset).unwrap();
                    (access.address - start, access.write, access_width(architecture, text))
                })
                .collect();
            let expected = [(0, false, Some(16)), (16, false, Some(16)), (32, true, Some(16)), (48, false, Some(4))];
            assert_eq!(found, expected, "{architecture:?}, misaligned by {misalignment}");
        }
    }
}

#[test]
fn an_access_over_the_end_of_a_page_is_told_for_both_pages() {
    let function = Both { x86: "movdqu (%rdi), %xmm0\nret\n", loongarch: "vld $vr0, $a0, 0\nret\n" };
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &function);
        let arena = rig.machine.arena(2).unwrap();
        let middle = arena.address + rig.machine.hardware().page_size as u64;
        rig.machine.trace(arena, 0..2, true);
        let found = accesses(&mut rig, &[middle - 8]);
        let found: Vec<_> = found.iter().map(|a| (a.address, a.write, a.continued)).collect();
        assert_eq!(found.len(), 2, "{found:x?}");
        assert!(found.contains(&(middle - 8, false, found[0].0 != middle - 8)), "{found:x?}");
        assert!(found.contains(&(middle, false, found[0].0 != middle)), "{found:x?}");
    }
}

#[test]
fn tracing_leaves_protections_as_they_are() {
    let store = Both { x86: "movb %al, (%rdi)\nret\n", loongarch: "st.b $a1, $a0, 0\nret\n" };
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &store);
        let arena = rig.machine.arena(2).unwrap();
        rig.machine.protect(arena, 0..1, Protection::Read);
        rig.machine.trace(arena, 0..2, true);
        let outcome = rig.call(&[arena.address]);
        assert_eq!(outcome.end, End::Fault { pc: rig.code.address, address: arena.address });
        assert_eq!(rig.call(&[arena.end() - 1]).end, End::Returned);
        rig.machine.protect(arena, 0..1, Protection::ReadWrite);
        let outcome = rig.call(&[arena.address]);
        assert_eq!((outcome.end, outcome.accesses.len()), (End::Returned, 1));
    }
}

#[test]
fn the_return_address_is_one_read_of_a_traced_stack() {
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &RETURN);
        rig.machine.protect(rig.stack, 0..1, Protection::Read);
        rig.machine.trace(rig.stack, 0..1, true);
        let pc = rig.code.address;
        let address = rig.stack.end() - 8;
        let read = Access { pc, address, write: false, continued: false };
        let expected = match architecture {
            Architecture::X86_64 => vec![read],
            Architecture::LoongArch64 => vec![],
        };
        assert_eq!(accesses(&mut rig, &[]), expected);
    }
}

#[test]
fn a_time_out_amid_traced_accesses_leaves_the_machine_whole() {
    let function = Both { x86: "1: movzbl (%rdi), %eax\njmp 1b\n", loongarch: "1: ld.b $t0, $a0, 0\nb 1b\n" };
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &function);
        let arena = rig.machine.arena(1).unwrap();
        rig.machine.trace(arena, 0..1, true);
        rig.machine.set_time_limit(std::time::Duration::from_millis(100));
        for _ in 0..3 {
            let state = rig.machine.entry_state(rig.stack, &[arena.address]);
            // More accesses than can be kept are an error of their own.
            if let Ok(outcome) = rig.machine.call(rig.code.address, &state) {
                assert!(matches!(outcome.end, End::TimedOut { .. }), "{:?}", outcome.end);
                assert!(outcome.accesses.len() > 10);
            }
        }
        let code = rig.machine.load(&RETURN.bytes(architecture)).unwrap();
        let state = rig.machine.entry_state(rig.stack, &[]);
        assert_eq!(rig.machine.call(code.address, &state).unwrap().end, End::Returned);
    }
}

#[test]
fn instructions_are_counted() {
    // 2 + 3 n instructions.
    let function = Both {
        x86: "mov %rdi, %rax\n1: xor %edx, %edx\ndec %rax\njnz 1b\nret\n",
        loongarch: "move $t0, $a0\n1: xor $t1, $t1, $t1\naddi.d $t0, $t0, -1\nbnez $t0, 1b\nret\n",
    };
    for architecture in Architecture::ALL {
        let mut rig = Rig::counting(architecture, &function);
        for n in [1, 2, 65, 1000] {
            let outcome = rig.call(&[n]);
            assert_eq!(outcome.end, End::Returned);
            assert_eq!(outcome.executed.len() as u64, 2 + 3 * n, "{architecture:?}");
        }
        let lines = disassemble_at(architecture, &function.bytes(architecture)).unwrap();
        let places: Vec<u64> = lines.iter().map(|(at, _)| rig.code.address + at).collect();
        let [a, b, c, d, e] = places[..] else { panic!("{lines:?}") };
        assert_eq!(rig.call(&[2]).executed, [a, b, c, d, b, c, d, e]);
    }
}

#[test]
fn a_machine_that_does_not_count_says_nothing() {
    for architecture in Architecture::ALL {
        assert_eq!(Rig::new(architecture, &RETURN).call(&[]).executed, []);
    }
}

#[test]
fn counting_machines_keep_several_functions_apart() {
    for architecture in Architecture::ALL {
        let mut rig = Rig::counting(architecture, &RETURN);
        let two = Both { x86: "nop\nret\n", loongarch: "nop\nret\n" }.bytes(architecture);
        let second = rig.machine.load_at_offset(&two, 32).unwrap();
        assert_eq!(rig.call(&[]).executed, [rig.code.address]);
        let state = rig.machine.entry_state(rig.stack, &[]);
        let executed = rig.machine.call(second.address, &state).unwrap().executed;
        assert_eq!((executed.len(), executed[0]), (2, second.address));
    }
}
