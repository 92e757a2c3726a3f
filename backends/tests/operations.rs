//! Each vector operation at each width that a target has: selected, encoded, run in a machine, and compared with what the
//! intermediate representation says of it. Layouts use a part of these operations only.

mod common;

use chacha_dsl_codegen::inst::Item;
use chacha_dsl_codegen::ir::{Argument, Class, Op, Program, Var};
use chacha_dsl_codegen::regalloc;
use chacha_dsl_codegen::select::select;
use chacha_dsl_codegen::target::{Style, Target};
use chacha_dsl_testing::{End, Machine, Random};
use common::{architecture, each_runnable, each_target};

type Row = [u32; 4];

/// A vector register's parts.
type Parts = Vec<Row>;

/// What an operation should leave: the target, and memory.
type Expected = (Parts, Parts);

/// The variables of a case, and the values that they begin with.
struct Case {
    /// What makes an operand that is a register's constant.
    before: Option<Op>,
    op: Op,
    /// The variable that is changed; none if memory is.
    target: Option<Var>,
    expected: Expected,
}

/// The variables that every case has.
#[derive(Clone, Copy)]
struct Vars {
    parts: u8,
    base: Var,
    general: Var,
    a: Var,
    b: Var,
    /// The target, with a value in it too.
    t: Var,
    /// For the order of parts.
    order: Var,
}

struct Values {
    memory: Parts,
    base: u64,
    general: u64,
    a: Parts,
    b: Parts,
    t: Parts,
}

fn by_part(parts: &Parts, f: impl Fn(&Row) -> Row) -> Parts {
    parts.iter().map(f).collect()
}

fn by_two(x: &Parts, y: &Parts, f: impl Fn(&Row, &Row) -> Row) -> Parts {
    x.iter().zip(y).map(|(x, y)| f(x, y)).collect()
}

fn by_lane(x: &Parts, y: &Parts, f: impl Fn(u32, u32) -> u32) -> Parts {
    by_two(x, y, |x, y| std::array::from_fn(|i| f(x[i], y[i])))
}

fn pairs(row: &Row) -> [u64; 2] {
    [0, 2].map(|i| u64::from(row[i]) | u64::from(row[i + 1]) << 32)
}

fn row_of(pairs: [u64; 2]) -> Row {
    [pairs[0] as u32, (pairs[0] >> 32) as u32, pairs[1] as u32, (pairs[1] >> 32) as u32]
}

/// Every operation on these variables; those on halves if the target has them.
fn cases(v: Vars, x: &Values, halves: bool) -> Vec<Case> {
    let Vars { parts, base, general, a, b, t, order } = v;
    let count = usize::from(parts);
    let mut all = Vec::new();
    let mut add = |op: Op, result: Parts| all.push(Case { before: None, op, target: Some(t), expected: (result, x.memory.clone()) });
    for words in [[0; 4], [7, 0, 7, 0], [9; 4], [0, 0, 1, 2], [1, 2, 0, 0], [1, 0, 0x8000_0000, 3], [u32::MAX, 2, 3, 4]] {
        add(Op::Constant { target: t, words }, vec![words; count]);
    }
    for secret in [false, true] {
        add(Op::LoadRow { target: t, base, offset: 0, secret }, vec![x.memory[0]; count]);
    }
    if parts > 1 {
        let [low, high] = [&x.a, &x.b].map(|source| source[..count / 2].to_vec());
        add(Op::Join { target: t, low: a, high: b }, [low.clone(), high].concat());
        add(Op::Join { target: t, low: a, high: a }, [low.clone(), low].concat());
    }
    add(Op::Copy { target: t, source: a }, x.a.clone());
    add(Op::Add { target: t, source: a }, by_lane(&x.t, &x.a, u32::wrapping_add));
    add(Op::Xor { target: t, source: a }, by_lane(&x.t, &x.a, |t, a| t ^ a));
    for amount in 1..32 {
        add(Op::RotateLeft { target: t, amount, mask: None }, by_part(&x.t, |row| row.map(|word| word.rotate_left(amount))));
    }
    for lanes in [[3, 0, 2, 2], [1, 2, 3, 0], [2, 3, 0, 1], [1, 1, 1, 1]] {
        let moved = |row: &Row| lanes.map(|lane: u8| row[usize::from(lane)]);
        add(Op::Permute { target: t, source: a, lanes }, by_part(&x.a, moved));
        add(Op::Permute { target: t, source: t, lanes }, by_part(&x.t, moved));
    }
    for odd in [false, true] {
        let i = usize::from(odd);
        let unzipped = by_two(&x.a, &x.b, |a, b| [a[i], a[i + 2], b[i], b[i + 2]]);
        add(Op::Unzip { target: t, low: a, high: b, odd }, unzipped);
    }
    for upper in [false, true] {
        let i = 2 * usize::from(upper);
        add(Op::Zip { target: t, low: a, high: b, pairs: false, upper }, by_two(&x.a, &x.b, |a, b| [a[i], b[i], a[i + 1], b[i + 1]]));
        add(Op::Zip { target: t, low: a, high: b, pairs: true, upper }, by_two(&x.a, &x.b, |a, b| [a[i], a[i + 1], b[i], b[i + 1]]));
    }
    add(Op::SpreadPair { target: t, source: general }, vec![row_of([x.general; 2]); count]);
    let sums = |t: &Row, a: &Row| row_of([0, 1].map(|i| pairs(t)[i].wrapping_add(pairs(a)[i])));
    add(Op::AddPairs { target: t, source: a }, by_two(&x.t, &x.a, sums));
    if parts == 1 {
        add(Op::Pairs { target: t, low: general, high: base }, vec![row_of([x.general, x.base])]);
        for lane in 0..4 {
            let mut row = x.t[0];
            row[usize::from(lane)] = x.general as u32;
            add(Op::InsertWord { target: t, lane, source: general }, vec![row]);
        }
        for lane in [0, 2] {
            let mut row = pairs(&x.t[0]);
            row[usize::from(lane / 2)] = x.general;
            add(Op::InsertPair { target: t, lane, source: general, rest_is_zero: false }, vec![row_of(row)]);
        }
    }
    for part in 0..parts {
        let stored = vec![x.a[usize::from(part)], x.memory[1]];
        let op = Op::StoreRow { source: a, part, base, offset: 0 };
        all.push(Case { before: None, op, target: None, expected: (x.t.clone(), stored) });
    }
    for upper in [false, true].into_iter().filter(|_| halves) {
        let half = |source: &Parts| source[usize::from(upper) * count / 2..][..count / 2].to_vec();
        let (before, op) = (None, Op::StoreHalf { source: a, upper, base, offset: 0 });
        all.push(Case { before, op, target: None, expected: (x.t.clone(), half(&x.a)) });
        let zipped = half(&x.a).into_iter().zip(half(&x.b)).flat_map(|(a, b)| [a, b]).collect();
        let (before, op) = (Some(Op::PartOrder { target: order, upper }), Op::ZipParts { target: t, low: a, high: b, upper, order });
        all.push(Case { before, op, target: Some(t), expected: (zipped, x.memory.clone()) });
    }
    all
}

/// A program with one operation between instructions that change nothing: they keep its variables in registers of their own.
/// So many others are live all the while, so that registers with high numbers come up.
fn program(parts: u8, others: usize) -> (Program, Vars, Vec<Var>) {
    let mut p = Program::default();
    let base = p.argument(Argument::Output, "memory");
    let others = (0..others).map(|_| p.vector(parts, "another")).collect();
    let general = p.var(Class::General, "general");
    let [a, b, t, order] = ["a", "b", "t", "order"].map(|role| p.vector(parts, role));
    (p, Vars { parts, base, general, a, b, t, order }, others)
}

fn touch(p: &mut Program, v: Vars, others: &[Var]) {
    p.group(None, "");
    p.push(Op::AddImmediate { target: v.general, source: v.general, value: 0 });
    others.iter().chain(&[v.a, v.b, v.t]).for_each(|var| p.push(Op::Copy { target: *var, source: *var }));
}

fn bytes_of(parts: &[Row]) -> Vec<u8> {
    parts.iter().flatten().flat_map(|word| word.to_le_bytes()).collect()
}

fn check(target: &dyn Target, machine: &mut Machine, parts: u8, others: usize, random: &mut Random) -> usize {
    let arenas = [(); 2].map(|()| machine.arena(1).unwrap_or_else(|message| panic!("{message}")));
    let mut row = || std::array::from_fn(|_| random.next_u64() as u32);
    let memory: Parts = vec![row(), row()];
    let [a, b, t] = [(); 3].map(|()| (0..parts).map(|_| row()).collect::<Parts>());
    let values = Values { memory, base: arenas[0].address, general: random.next_u64(), a, b, t };
    let (_, vars, _) = program(parts, others);
    let all = cases(vars, &values, target.zips_parts() && parts == 4);
    let count = all.len();
    for Case { before, op, target: changed, expected } in all {
        let (mut p, v, others) = program(parts, others);
        touch(&mut p, v, &others);
        before.into_iter().for_each(|before| p.push(before));
        p.push(op.clone());
        touch(&mut p, v, &others);
        p.push(Op::Return);
        let code = select(&mut p, target);
        let assignment = regalloc::allocate(&code, &p, target).expect("registers suffice");
        let code = regalloc::in_order(regalloc::apply(&code, &assignment), target);
        let instructions = code.items.iter().filter_map(|item| if let Item::Inst(placed) = item { Some(&placed.inst) } else { None });
        let bytes: Vec<u8> =
            instructions.flat_map(|inst| target.encode(inst, 0, 0).unwrap_or_else(|sentence| panic!("{sentence}"))).collect();
        let loaded = machine.load(&bytes).unwrap_or_else(|message| panic!("{message}"));
        machine.write(arenas[0], 0, &bytes_of(&values.memory));
        let mut state = machine.random_entry_state(arenas[1], &[arenas[0].address], random);
        let name = |var: Var| target.register(assignment.get(var).expect("it occurs"), parts, Style::Assembler);
        state.set_u64(&name(v.general), values.general);
        for (var, value) in [(v.a, &values.a), (v.b, &values.b), (v.t, &values.t)] {
            state.set(&name(var), &bytes_of(value));
        }
        let outcome = machine.call(loaded.address, &state).unwrap_or_else(|message| panic!("{message}"));
        machine.unload(loaded);
        let what = || format!("{}, {parts} parts: {op:?}", target.name());
        assert_eq!(outcome.end, End::Returned, "{}", what());
        let after = outcome.state.get(&name(changed.unwrap_or(v.t)))[..16 * usize::from(parts)].to_vec();
        assert_eq!(after, bytes_of(&expected.0), "{}", what());
        for (var, value) in [(v.a, &values.a), (v.b, &values.b)] {
            assert_eq!(outcome.state.get(&name(var))[..16 * usize::from(parts)], bytes_of(value), "{}: a source", what());
        }
        assert_eq!(machine.read(arenas[0], 0..32).unwrap_or_else(|message| panic!("{message}")), bytes_of(&expected.1), "{}", what());
    }
    count
}

#[test]
fn each_operation_is_what_the_representation_says() {
    each_runnable(|target| {
        let vectors = target.free(Class::Vector).len();
        if vectors == 0 {
            println!("{} has no vectors", target.name());
            return;
        }
        let mut machine = Machine::start(architecture(target)).unwrap_or_else(|message| panic!("{message}"));
        let mut random = Random::new(0x6f70_6572);
        let widest = target.row_parts().max(target.column_parts());
        // Registers with low numbers, and those with the highest: three variables and two temporaries beside the others.
        for others in [0, vectors - 5] {
            for parts in [1, 2, 4].into_iter().filter(|parts| *parts <= widest) {
                let count = check(target, &mut machine, parts, others, &mut random);
                println!("{}: {count} operations on {parts} parts, {others} other registers in use", target.name());
            }
        }
    });
}

/// What is put away comes back, by a pair of registers and by an exchange, which turns their roles round.
#[test]
fn words_that_wait_come_back() {
    each_runnable(|target| {
        if !target.parks_words() {
            return;
        }
        let mut machine = Machine::start(architecture(target)).unwrap_or_else(|message| panic!("{message}"));
        let mut random = Random::new(0x7061_726b);
        let arena = machine.arena(1).unwrap_or_else(|message| panic!("{message}"));
        for others in [0, target.free(Class::Vector).len() - 4] {
            let (mut p, v, others) = program(1, others);
            let [low, high] = ["low", "high"].map(|role| p.var(Class::General, role));
            touch(&mut p, v, &others);
            p.push(Op::Unpair { low, high, source: v.a });
            p.push(Op::Exchange { target: v.t, source: v.b, low, high });
            p.push(Op::Pairs { target: v.a, low: high, high: low });
            touch(&mut p, v, &others);
            p.push(Op::Return);
            let code = select(&mut p, target);
            let assignment = regalloc::allocate(&code, &p, target).expect("registers suffice");
            let code = regalloc::in_order(regalloc::apply(&code, &assignment), target);
            let bytes: Vec<u8> =
                code.insts().flat_map(|placed| target.encode(&placed.inst, 0, 0).unwrap_or_else(|sentence| panic!("{sentence}"))).collect();
            let loaded = machine.load(&bytes).unwrap_or_else(|message| panic!("{message}"));
            let mut state = machine.random_entry_state(arena, &[], &mut random);
            let name = |var: Var| target.register(assignment.get(var).expect("it occurs"), 1, Style::Assembler);
            let [a, b]: [Row; 2] = [(); 2].map(|()| std::array::from_fn(|_| random.next_u64() as u32));
            state.set(&name(v.a), &bytes_of(&[a]));
            state.set(&name(v.b), &bytes_of(&[b]));
            let outcome = machine.call(loaded.address, &state).unwrap_or_else(|message| panic!("{message}"));
            machine.unload(loaded);
            assert_eq!(outcome.end, End::Returned);
            for (var, meant, what) in [(v.t, a, "what was put away"), (v.a, b, "what was exchanged")] {
                assert_eq!(outcome.state.get(&name(var))[..16], bytes_of(&[meant]), "{}: {what}", target.name());
            }
        }
    });
}

/// A mask rotates as the instruction without one does.
#[test]
fn a_mask_rotates() {
    each_target(|target| {
        for amount in (1..32).filter(|amount| target.rotation_mask(*amount).is_some()) {
            let words = target.rotation_mask(amount).expect("it was asked");
            let bytes = bytes_of(&[words]);
            let source: Vec<u8> = (0..16).collect();
            let moved: Vec<u8> = bytes.iter().map(|from| source[usize::from(*from)]).collect();
            let word = |bytes: &[u8], i: usize| u32::from_le_bytes(std::array::from_fn(|at| bytes[4 * i + at]));
            (0..4).for_each(|i| assert_eq!(word(&moved, i), word(&source, i).rotate_left(amount), "{} by {amount}", target.name()));
        }
    });
}
