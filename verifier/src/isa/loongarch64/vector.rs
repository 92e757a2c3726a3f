//! What LSX and LASX instructions do.
//!
//! Owns one arm per kind of instruction, for both sizes of registers. Source: LoongArch Reference Manual, volume 2. Elements
//! are only cut out of lanes, and put together again, where an instruction works on smaller ones.

use super::operations::{Arrangement, Sign, Size, Unit, Vector};
use super::registers::Cpu;
use super::{Instruction, not_constant, text};
use crate::domain::Domain;
use crate::machine::{Memory, Next, Undecided};

pub(super) fn execute<D: Domain, M: Memory<D>>(
    operation: Vector,
    size: Size,
    instruction: &Instruction,
    cpu: &mut Cpu<'_, D>,
    memory: &mut M,
) -> Result<Next<D::Bits>, Undecided> {
    let [first, second, third, fourth] = instruction.operands;
    match operation {
        Vector::Load => {
            let address = cpu.address(second, third);
            let lanes = memory.load(cpu.d, &address, 4, size.lanes())?;
            cpu.set_lanes(first, &lanes);
        }
        Vector::LoadIndexed => {
            let address = cpu.indexed_address(second, third);
            let lanes = memory.load(cpu.d, &address, 4, size.lanes())?;
            cpu.set_lanes(first, &lanes);
        }
        Vector::Store => {
            let address = cpu.address(second, third);
            memory.store(cpu.d, &address, &cpu.lanes(first, size))?;
        }
        Vector::StoreIndexed => {
            let address = cpu.indexed_address(second, third);
            memory.store(cpu.d, &address, &cpu.lanes(first, size))?;
        }
        Vector::LoadReplicated(unit) => {
            let address = cpu.address(second, third);
            let (part, count) = if unit == Unit::D { (4, 2) } else { (unit.bytes(), 1) };
            let piece = memory.load(cpu.d, &address, part, count)?;
            cpu.set_pieces(first, &vec![piece; count_of(unit, size)]);
        }
        Vector::StoreElement(unit) => {
            let address = cpu.address(second, third);
            let pieces = cpu.pieces(first, unit, size);
            memory.store(cpu.d, &address, &pieces[fourth as usize])?;
        }
        Vector::LoadImmediate => {
            let [low, high] = immediate(second as u32 & 0x1fff);
            let pair = [cpu.d.constant(32, low.into()), cpu.d.constant(32, high.into())];
            let lanes: Vec<_> = pair.into_iter().cycle().take(size.lanes()).collect();
            cpu.set_lanes(first, &lanes);
        }
        Vector::PickGeneral(unit, sign) => {
            let elements = cpu.elements(second, unit, size);
            let value = &elements[third as usize];
            let value = match sign {
                Sign::Signed => cpu.d.sign_extend(value, 64),
                Sign::Unsigned => cpu.d.zero_extend(value, 64),
            };
            cpu.set_general(first, &value);
        }
        Vector::Add(_)
        | Vector::Sub(_)
        | Vector::AddImmediate(_)
        | Vector::SubImmediate(_)
        | Vector::Bitwise(_)
        | Vector::BitwiseImmediate(_)
        | Vector::SelectBits
        | Vector::SelectBitsImmediate
        | Vector::Shift(..)
        | Vector::ShiftImmediate(..)
        | Vector::SetIf(..)
        | Vector::SetIfImmediate(..) => {
            let elements = compute(operation, size, instruction, cpu)?;
            cpu.set_elements(first, &elements);
        }
        _ => {
            let pieces = arrange(operation, size, instruction, cpu)?;
            cpu.set_pieces(first, &pieces);
        }
    }
    Ok(Next::Following)
}

/// How many elements of a size a register has.
fn count_of(unit: Unit, size: Size) -> usize {
    4 * size.lanes() / unit.bytes() as usize
}

/// The two words that `vldi` repeats (volume 2, `vldi`): thirteen bits, of which the highest chooses between a signed
/// number for each element and twelve modes that place eight bits.
fn immediate(bits: u32) -> [u32; 2] {
    let byte = bits & 0xff;
    let signed = ((bits & 0x3ff) << 22) as i32 >> 22;
    let word = |word: u32| [word, word];
    let half = |half: u32| word(half << 16 | half & 0xffff);
    match bits >> 8 {
        // The numbers: the mode's lower two bits belong to them.
        0..=3 => word(byte * 0x0101_0101),
        4..=7 => half(signed as u32),
        8..=11 => word(signed as u32),
        12..=15 => [signed as u32, (signed >> 31) as u32],
        16..=19 => word(byte << (8 * (bits >> 8 & 3))),
        20 => half(byte),
        21 => half(byte << 8),
        22 => word(byte << 8 | 0xff),
        23 => word(byte << 16 | 0xffff),
        24 => word(byte * 0x0101_0101),
        25 => [0, 4].map(|low| (0..4).filter(|i| byte >> (low + i) & 1 == 1).map(|i| 0xff << (8 * i)).sum()),
        26 => word(single(byte)),
        27 => [single(byte), 0],
        // 28; the modes behind it are reserved, and not decoded.
        _ => [0, (byte & 0x80) << 24 | (if byte & 0x40 == 0 { 0x4000_0000 } else { 0x3fc0_0000 }) | (byte & 0x3f) << 16],
    }
}

/// A floating-point number of 32 bits from eight.
fn single(byte: u32) -> u32 {
    (byte & 0x80) << 24 | (if byte & 0x40 == 0 { 0x4000_0000 } else { 0x3e00_0000 }) | (byte & 0x3f) << 19
}

/// The elements of the result of an instruction that computes with elements one by one.
fn compute<D: Domain>(operation: Vector, size: Size, instruction: &Instruction, cpu: &mut Cpu<'_, D>) -> Result<Vec<D::Bits>, Undecided> {
    let [first, second, third, fourth] = instruction.operands;
    let unit = match operation {
        Vector::Add(unit)
        | Vector::Sub(unit)
        | Vector::AddImmediate(unit)
        | Vector::SubImmediate(unit)
        | Vector::Shift(_, unit)
        | Vector::ShiftImmediate(_, unit)
        | Vector::SetIf(_, unit)
        | Vector::SetIfImmediate(_, unit) => unit,
        _ => Unit::W,
    };
    let a = cpu.elements(second, unit, size);
    let b = match operation {
        Vector::AddImmediate(_) | Vector::SubImmediate(_) | Vector::SetIfImmediate(..) => {
            vec![cpu.d.constant(unit.bits(), third as u64); a.len()]
        }
        Vector::BitwiseImmediate(_) | Vector::SelectBitsImmediate => vec![cpu.d.constant(32, third as u64 * 0x0101_0101); a.len()],
        // Nothing is read: this is a distance.
        Vector::ShiftImmediate(..) => a.clone(),
        _ => cpu.elements(third, unit, size),
    };
    let chooser = match operation {
        Vector::SelectBits => cpu.elements(fourth, unit, size),
        Vector::SelectBitsImmediate => cpu.elements(first, unit, size),
        _ => Vec::new(),
    };
    let mut result = Vec::new();
    for (i, (a, b)) in a.iter().zip(&b).enumerate() {
        result.push(match operation {
            Vector::Add(_) | Vector::AddImmediate(_) => cpu.d.add(a, b),
            Vector::Sub(_) | Vector::SubImmediate(_) => cpu.d.sub(a, b),
            Vector::Bitwise(function) | Vector::BitwiseImmediate(function) => cpu.bitwise(function, a, b),
            Vector::Shift(shift, _) => {
                let distance = cpu.d.extract(b, 0, unit.bits().ilog2());
                let distance = cpu.d.value(&distance).ok_or_else(|| not_constant(instruction, "A distance"))?;
                cpu.shift(shift, a, distance)
            }
            Vector::ShiftImmediate(shift, _) => cpu.shift(shift, a, third as u64),
            Vector::SetIf(relation, _) | Vector::SetIfImmediate(relation, _) => {
                let holds = cpu.relation(relation, a, b);
                cpu.d.sign_extend(&holds, unit.bits())
            }
            _ => select_bits(&chooser[i], a, b, cpu),
        });
    }
    Ok(result)
}

/// `b` where the chooser's bits are set, else `a`.
fn select_bits<D: Domain>(chooser: &D::Bits, a: &D::Bits, b: &D::Bits, cpu: &mut Cpu<'_, D>) -> D::Bits {
    let from_b = cpu.d.and(chooser, b);
    let not = cpu.d.not(chooser);
    let from_a = cpu.d.and(&not, a);
    cpu.d.or(&from_a, &from_b)
}

/// Elements, as they can be moved.
type Pieces<D> = Vec<Vec<<D as Domain>::Bits>>;

/// The elements of the result of an instruction that moves elements.
fn arrange<D: Domain>(operation: Vector, size: Size, instruction: &Instruction, cpu: &mut Cpu<'_, D>) -> Result<Pieces<D>, Undecided> {
    let [first, second, third, fourth] = instruction.operands;
    let immediate = third as usize;
    Ok(match operation {
        Vector::ShiftBytesLeft | Vector::ShiftBytesRight => {
            let bytes = cpu.pieces(second, Unit::B, size);
            let zero = vec![cpu.d.constant(8, 0)];
            in_halves(bytes.len(), 16, |half, i| {
                let from = if operation == Vector::ShiftBytesLeft { i.checked_sub(immediate) } else { Some(i + immediate) };
                from.filter(|from| *from < 16).map_or(zero.clone(), |from| bytes[half + from].clone())
            })
        }
        Vector::Arrange(arrangement, unit) => {
            let (a, b) = (cpu.pieces(second, unit, size), cpu.pieces(third, unit, size));
            let count = 16 / unit.bytes() as usize;
            in_halves(a.len(), count, |half, i| {
                let (odd, upper) = (i % 2 == 1, i >= count / 2);
                let (from_a, from) = match arrangement {
                    Arrangement::InterleaveLow => (odd, i / 2),
                    Arrangement::InterleaveHigh => (odd, count / 2 + i / 2),
                    Arrangement::PackEven => (odd, i & !1),
                    Arrangement::PackOdd => (odd, i | 1),
                    Arrangement::PickEven => (upper, 2 * i % count),
                    Arrangement::PickOdd => (upper, 2 * i % count + 1),
                };
                if from_a { a[half + from].clone() } else { b[half + from].clone() }
            })
        }
        Vector::ShuffleFour(unit) => {
            let source = cpu.pieces(second, unit, size);
            (0..source.len()).map(|i| source[i & !3 | immediate >> (2 * (i & 3)) & 3].clone()).collect()
        }
        Vector::ShuffleDoubles => {
            let (target, source) = (cpu.pieces(first, Unit::D, size), cpu.pieces(second, Unit::D, size));
            in_halves(source.len(), 2, |half, i| match immediate >> (2 * i) & 3 {
                from @ 0..=1 => target[half + from].clone(),
                from => source[half + from - 2].clone(),
            })
        }
        Vector::ShuffleBytes => shuffle(Unit::B, size, [second, third, fourth], instruction, cpu)?,
        Vector::Shuffle(unit) => shuffle(unit, size, [second, third, first], instruction, cpu)?,
        Vector::PermuteWords => {
            let (target, source) = (cpu.pieces(first, Unit::W, size), cpu.pieces(second, Unit::W, size));
            in_halves(source.len(), 4, |half, i| {
                let from = half + (immediate >> (2 * i) & 3);
                if i < 2 { source[from].clone() } else { target[from].clone() }
            })
        }
        Vector::PermuteDoubles => {
            let source = cpu.pieces(second, Unit::D, size);
            (0..source.len()).map(|i| source[immediate >> (2 * i) & 3].clone()).collect()
        }
        Vector::PermuteQuads => {
            let mut sources = cpu.pieces(second, Unit::Q, size);
            sources.extend(cpu.pieces(first, Unit::Q, size));
            (0..2).map(|i| sources[immediate >> (4 * i) & 3].clone()).collect()
        }
        Vector::InsertElement(unit) => {
            let (target, source) = (cpu.pieces(first, unit, size), cpu.pieces(second, unit, size));
            let (to, from) = (immediate >> 4, immediate & 15);
            let count = 16 / unit.bytes() as usize;
            in_halves(source.len(), count, |half, i| if i == to { source[half + from].clone() } else { target[half + i].clone() })
        }
        Vector::ReplicateGeneral(unit) => {
            let value = cpu.general_low(second, unit.bits());
            vec![vec![value]; count_of(unit, size)]
        }
        Vector::Replicate(unit) => replicate(unit, size, second, immediate, cpu),
        Vector::ReplicateAt(unit) => {
            let count = 16 / unit.bytes();
            let index = cpu.general_low(third, count.ilog2());
            let index = cpu.d.value(&index).ok_or_else(|| not_constant(instruction, "The index"))?;
            replicate(unit, size, second, index as usize, cpu)
        }
        Vector::ReplicateFirst(unit) => {
            let source = cpu.pieces(second, unit, size);
            vec![source[0].clone(); source.len()]
        }
        Vector::InsertGeneral(unit) => {
            let mut pieces = cpu.pieces(first, unit, size);
            let value = cpu.general_low(second, unit.bits());
            pieces[immediate] = if unit == Unit::D { cpu.split(&value, 32) } else { vec![value] };
            pieces
        }
        Vector::InsertFirst(unit) => {
            let mut pieces = cpu.pieces(first, unit, size);
            pieces[immediate] = cpu.pieces(second, unit, size)[0].clone();
            pieces
        }
        Vector::PickElement(unit) => {
            let source = cpu.pieces(second, unit, size);
            let zero = vec![cpu.d.constant(32, 0); source[0].len()];
            let mut pieces = vec![zero; source.len()];
            pieces[0] = source[immediate].clone();
            pieces
        }
        Vector::Load
        | Vector::LoadIndexed
        | Vector::Store
        | Vector::StoreIndexed
        | Vector::LoadReplicated(_)
        | Vector::StoreElement(_)
        | Vector::LoadImmediate
        | Vector::PickGeneral(..)
        | Vector::Add(_)
        | Vector::Sub(_)
        | Vector::AddImmediate(_)
        | Vector::SubImmediate(_)
        | Vector::Bitwise(_)
        | Vector::BitwiseImmediate(_)
        | Vector::SelectBits
        | Vector::SelectBitsImmediate
        | Vector::Shift(..)
        | Vector::ShiftImmediate(..)
        | Vector::SetIf(..)
        | Vector::SetIfImmediate(..) => unreachable!("`execute` has its arm"),
    })
}

/// As many elements as a register has, made half by half: from the index of a half's first element, and that within the half.
fn in_halves<T>(elements: usize, per_half: usize, mut f: impl FnMut(usize, usize) -> T) -> Vec<T> {
    (0..elements).map(|i| f(i / per_half * per_half, i % per_half)).collect()
}

/// The same element of each half, everywhere in the half.
fn replicate<D: Domain>(unit: Unit, size: Size, register: i64, index: usize, cpu: &mut Cpu<'_, D>) -> Pieces<D> {
    let source = cpu.pieces(register, unit, size);
    in_halves(source.len(), 16 / unit.bytes() as usize, |half, _| source[half + index].clone())
}

/// Each element is the one of two halves, the second operand's first, that an index names. Larger indices than there are
/// elements give different results on different cores (LA464: zero from 64 on), so their effect is left open.
fn shuffle<D: Domain>(
    unit: Unit,
    size: Size,
    [high, low, indices]: [i64; 3],
    instruction: &Instruction,
    cpu: &mut Cpu<'_, D>,
) -> Result<Pieces<D>, Undecided> {
    let (high, low) = (cpu.pieces(high, unit, size), cpu.pieces(low, unit, size));
    let count = 16 / unit.bytes() as usize;
    let mut result = Vec::new();
    for (i, index) in cpu.elements(indices, unit, size).iter().enumerate() {
        let half = i / count * count;
        let index = cpu.d.value(index).ok_or_else(|| not_constant(instruction, "An index"))? as usize;
        result.push(match index.checked_sub(count) {
            None => low[half + index].clone(),
            Some(above) if above < count => high[half + above].clone(),
            Some(_) => return Err(Undecided(format!("`{}` has an index, {index}, that selects no element.", text::of(instruction)))),
        });
    }
    Ok(result)
}
