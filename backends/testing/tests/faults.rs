//! Every way in which a function can go wrong is told as what it is, and the machine goes on afterwards.

mod common;

use chacha_dsl_testing::{Architecture, Bench, Chain, End, Machine, Protection, Random};
use common::{Both, RETURN, Rig};

const LOAD_BYTE: Both = Both { x86: "movzbl (%rdi), %eax\nret\n", loongarch: "ld.bu $a0, $a0, 0\nret\n" };
const STORE_BYTE: Both = Both { x86: "movb %sil, (%rdi)\nret\n", loongarch: "st.b $a1, $a0, 0\nret\n" };
const ENDLESS: Both = Both { x86: "1: jmp 1b\n", loongarch: "1: b 1b\n" };

#[test]
fn an_access_beside_an_arena_faults_at_its_address() {
    for architecture in Architecture::ALL {
        for function in [&LOAD_BYTE, &STORE_BYTE] {
            let mut rig = Rig::new(architecture, function);
            let arena = rig.machine.arena(2).unwrap();
            let pc = rig.code.address;
            for address in [arena.end(), arena.address - 1] {
                assert_eq!(rig.call(&[address]).end, End::Fault { pc, address });
            }
            for address in [arena.end() - 1, arena.address] {
                assert_eq!(rig.call(&[address]).end, End::Returned);
            }
        }
    }
}

#[test]
fn protections_hold_for_functions_and_not_for_the_test() {
    for architecture in Architecture::ALL {
        let mut load = Rig::new(architecture, &LOAD_BYTE);
        let arena = load.machine.arena(3).unwrap();
        let store = load.machine.load(&STORE_BYTE.bytes(architecture)).unwrap();
        let page = load.machine.hardware().page_size;
        let address = arena.address + page as u64 + 5;
        for (protection, may_read, may_write) in
            [(Protection::None, false, false), (Protection::Read, true, false), (Protection::ReadWrite, true, true)]
        {
            load.machine.protect(arena, 1..2, protection);
            load.machine.write(arena, page + 5, &[9]);
            assert_eq!(load.call(&[address]).end == End::Returned, may_read);
            let state = load.machine.entry_state(load.stack, &[address, 77]);
            let outcome = load.machine.call(store.address, &state).unwrap();
            let fault = End::Fault { pc: store.address, address };
            assert_eq!(outcome.end, if may_write { End::Returned } else { fault });
            let found = load.machine.read(arena, page + 5..page + 6).unwrap();
            assert_eq!(found, [if may_write { 77 } else { 9 }]);
            // The pages around it are as they were.
            assert_eq!(load.call(&[arena.address]).end, End::Returned);
            assert_eq!(load.call(&[arena.end() - 1]).end, End::Returned);
        }
    }
}

#[test]
fn own_code_is_readable_and_not_writable() {
    for architecture in Architecture::ALL {
        let mut load = Rig::new(architecture, &LOAD_BYTE);
        let address = load.code.address;
        assert_eq!(load.call(&[address]).end, End::Returned);
        let mut store = Rig::new(architecture, &STORE_BYTE);
        let address = store.code.address;
        assert_eq!(store.call(&[address]).end, End::Fault { pc: address, address });
    }
}

#[test]
fn an_endless_loop_times_out() {
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &ENDLESS);
        rig.machine.set_time_limit(std::time::Duration::from_millis(200));
        assert_eq!(rig.call(&[]).end, End::TimedOut { pc: rig.code.address });
        let good = rig.machine.load(&RETURN.bytes(architecture)).unwrap();
        let state = rig.machine.entry_state(rig.stack, &[]);
        assert_eq!(rig.machine.call(good.address, &state).unwrap().end, End::Returned);
    }
}

#[test]
fn traps_and_missing_instructions_are_told_apart() {
    let trap = Both { x86: "nop\nint3\nret\n", loongarch: "nop\nbreak 0\nret\n" };
    let illegal = Both { x86: "nop\nud2\n", loongarch: "nop\n.word 0\n" };
    let falls_off = Both { x86: "nop\n", loongarch: "nop\n" };
    for architecture in Architecture::ALL {
        let width = if architecture == Architecture::X86_64 { 1 } else { 4 };
        for function in [&trap, &falls_off] {
            let mut rig = Rig::new(architecture, function);
            assert_eq!(rig.call(&[]).end, End::Trap { pc: rig.code.address + width });
        }
        let mut rig = Rig::new(architecture, &illegal);
        assert_eq!(rig.call(&[]).end, End::IllegalInstruction { pc: rig.code.address + width });
    }
}

#[test]
fn the_stack_pointer_may_point_anywhere() {
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &RETURN);
        // A read-only stack is enough for a function that doesn't use it.
        rig.machine.protect(rig.stack, 0..1, Protection::Read);
        assert_eq!(rig.call(&[]).end, End::Returned);
        rig.machine.protect(rig.stack, 0..1, Protection::None);
        let state = rig.machine.entry_state(rig.stack, &[]);
        let outcome = rig.machine.call(rig.code.address, &state).unwrap();
        let expected = match architecture {
            Architecture::X86_64 => End::Fault { pc: rig.code.address, address: rig.stack.end() - 8 },
            Architecture::LoongArch64 => End::Returned,
        };
        assert_eq!(outcome.end, expected);
    }
}

#[test]
fn a_push_is_caught() {
    let push = Both { x86: "push %rax\npop %rax\nret\n", loongarch: "st.d $a0, $sp, -8\nld.d $a0, $sp, -8\nret\n" };
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &push);
        rig.machine.protect(rig.stack, 0..1, Protection::Read);
        let End::Fault { pc, address } = rig.call(&[]).end else { panic!("the push went through") };
        assert_eq!(pc, rig.code.address);
        assert!(address < rig.stack.end() && address >= rig.stack.end() - 16);
    }
}

#[test]
fn a_function_that_kills_its_process_is_reported() {
    // exit_group(3), the worst that a wild function can do.
    let exit = Both { x86: "mov $231, %eax\nmov $3, %edi\nsyscall\nret\n", loongarch: "li.w $a7, 94\nli.w $a0, 3\nsyscall 0\nret\n" };
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &exit);
        let state = rig.machine.entry_state(rig.stack, &[]);
        let first = rig.machine.call(rig.code.address, &state).unwrap_err();
        assert!(first.contains("exit status: 3"), "{first}");
        let second = rig.machine.read(rig.stack, 0..1).unwrap_err();
        assert_eq!(first, second);
    }
}

#[test]
fn wrong_ranges_are_refused_with_a_sentence() {
    let mut machine = Machine::start(Architecture::X86_64).unwrap();
    let arena = machine.arena(1).unwrap();
    let beyond = arena.length..arena.length + 1;
    assert!(machine.read(arena, beyond).unwrap_err().contains("leaves its arena"));
    machine.write(arena, arena.length - 1, &[1, 2]);
    assert!(machine.read(arena, 0..1).unwrap_err().contains("leaves its arena"));
    assert_eq!(machine.read(arena, 0..1), Ok(vec![0]));
}

#[test]
fn large_data_passes() {
    for architecture in Architecture::ALL {
        let mut machine = Machine::start(architecture).unwrap();
        let arena = machine.arena(3000).unwrap();
        let mut data = vec![0; arena.length];
        Random::new(1).fill(&mut data);
        machine.write(arena, 0, &data);
        machine.fill(arena, 100..200, 7);
        data[100..200].fill(7);
        assert!(machine.read(arena, 0..arena.length).unwrap() == data);
    }
}

#[test]
fn measurements_have_as_many_samples_as_asked_for() {
    for architecture in Architecture::ALL {
        let mut rig = Rig::new(architecture, &RETURN);
        let arena = rig.machine.arena(2).unwrap();
        for chain in [Chain::BackToBack(arena.address), Chain::Chained, Chain::Cold(arena.address)] {
            let samples = rig.machine.bench(&Bench {
                entry: rig.code.address,
                output: arena.address,
                chain,
                counter: arena.address,
                nblocks: 2,
                calls_per_sample: 10,
                samples: 5,
            });
            assert_eq!(samples.unwrap().len(), 5);
        }
        let bad = rig.machine.load(&LOAD_BYTE.bytes(architecture)).unwrap();
        let failure = rig.machine.bench(&Bench {
            entry: bad.address,
            output: arena.end(),
            chain: Chain::Chained,
            counter: 0,
            nblocks: 0,
            calls_per_sample: 1,
            samples: 1,
        });
        assert!(failure.unwrap_err().contains("Fault"));
        assert_eq!(rig.call(&[]).end, End::Returned);
    }
}
