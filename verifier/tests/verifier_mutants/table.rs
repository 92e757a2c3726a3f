//! The mutants. Rows only: what is changed, and the test that must notice.
//!
//! In the text that is looked for, `«` and `»` are around what is replaced; without them it is all of the text.

use super::schemata::Mutant;

/// Each fault of the contract, by itself.
const CONTRACT: (&str, &str) = ("contract", "each_fault_is_refused_for_its_property_alone");
const SAVED: (&str, &str) = ("contract", "each_saved_register_must_be_what_it_was");
/// Functions with odd control flow, right and wrong.
const FLOW: (&str, &str) = ("control_flow", "what_is_wrong_is_not_proved");
const SMALL_WIDTHS: (&str, &str) = ("terms", "every_rule_at_small_widths");
const NUMBERS: (&str, &str) = ("terms", "numbers_as_operands_at_small_widths");
const REAL_WIDTHS: (&str, &str) = ("terms", "every_rule_at_real_widths");
const EQUAL: (&str, &str) = ("terms", "equal_functions_are_one_term");
const DIFFERENT: (&str, &str) = ("terms", "different_functions_are_different_terms");
const PIECES: (&str, &str) = ("terms", "pieces_mean_what_numbers_mean");
const CARRIES: (&str, &str) = ("terms", "carries_mean_what_numbers_mean");

const fn m(file: &'static str, old: &'static str, new: &'static str, caught_by: (&'static str, &'static str)) -> Mutant {
    Mutant { file, old, new, caught_by }
}

// What is not here, since no function can show it: whether a carry goes to the highest bits (the rule holds for any); the sign of
// a number in a sum whose low word is looked at (the word's own rule removes it); the end within a block (the blocks left tell
// too); that a loop's register that changes by numbers has 64 bits (others are found to be lost in the next round); that what a
// loop has read of the key and that it has written are joined, each alone (the other finds the same).
#[rustfmt::skip]
pub const MUTANTS: &[Mutant] = &[
    // ---- Rules of terms. ----
    m("terms.rs", "*number = number.wrapping_add(value.wrapping_mul(factor))", "*number = number.wrapping_add(*value)", NUMBERS),
    m("terms.rs", "number.wrapping_add(more.wrapping_mul(factor))", "number.wrapping_add(*more)", NUMBERS),
    m("terms.rs", "(*part, by.wrapping_mul(factor))", "(*part, *by)", SMALL_WIDTHS),
    m("terms.rs", "*sum = sum.wrapping_add(factor)", "*sum = factor", SMALL_WIDTHS),
    m("terms.rs", "merged.iter_mut().for_each(|(_, factor)| *factor &= mask(width));", "", EQUAL),
    m("terms.rs", "merged.retain(|(_, factor)| *factor != 0);", "", EQUAL),
    m("terms.rs", "number &= mask(width);", "", EQUAL),
    m("terms.rs", "self.lifted(width, *only, number)", "None", EQUAL),
    m("terms.rs", "self.carried(width, &merged, number)", "None", EQUAL),
    m("terms.rs", "if «number != 0» {\n            return None;", "false", CARRIES),
    m("terms.rs", "self.number(pieces[1]) == Some(0)", "true", CARRIES),
    m("terms.rs", "Node::IsZero(sum) => «(sum, 1)»", "(sum, 2)", CARRIES),
    m("terms.rs", "self.extract(&total, 0, low) == sum", "true", CARRIES),
    m("terms.rs", "a | b << low_width", "a | b << (low_width - 1)", NUMBERS),
    m("terms.rs", "if «a == b» && from + low_width == next", "true", PIECES),
    m("terms.rs", "from + low_width == next", "true", SMALL_WIDTHS),
    m("terms.rs", "let whole = «a == b» && self.width(&a) == width", "true", PIECES),
    m("terms.rs", "«self.width(&a) == width» && from", "true", PIECES),
    m("terms.rs", "from == self.width(&high)", "true", PIECES),
    m("terms.rs", "self.rotate_left(&a, width - from)", "self.rotate_left(&a, from)", PIECES),
    m("terms.rs", "(self.number(x), self.number(y))", "(Some(0), self.number(y))", SMALL_WIDTHS),
    m("terms.rs", "rest & 1 == 1", "rest & 1 == 0", NUMBERS),
    m("terms.rs", "if ones { terms.extract(&other, at, run) } else { terms.constant(run, 0) }", "if ones { terms.constant(run, 0) } else { terms.extract(&other, at, run) }", NUMBERS),
    m("terms.rs", "if ones { terms.constant(run, u64::MAX) } else { terms.extract(&other, at, run) }", "terms.extract(&other, at, run)", NUMBERS),
    m("terms.rs", "number ^= value", "number = *value", NUMBERS),
    m("terms.rs", "number ^= more;", "number |= more;", NUMBERS),
    m("terms.rs", "kept.pop_if(|last| *last == part).is_none()", "true", EQUAL),
    m("terms.rs", "[only] if «number == 0» => only", "true", NUMBERS),
    m("terms.rs", "[(only, 1)] if «number == 0» => *only", "true", NUMBERS),
    m("terms.rs", "self.sum(self.width(a), &[(*a, 1), «(*b, u64::MAX)»])", "(*b, 1)", SMALL_WIDTHS),
    m("terms.rs", "let ones = self.constant(self.width(a), «u64::MAX»)", "1", SMALL_WIDTHS),
    m("terms.rs", "let (zeros, kept) = (self.constant(by, 0), «self.extract(a, 0, width - by)»)", "self.extract(a, by, width - by)", SMALL_WIDTHS),
    m("terms.rs", "let (kept, zeros) = («self.extract(a, by, width - by)», self.constant(by, 0))", "self.extract(a, 0, width - by)", SMALL_WIDTHS),
    m("terms.rs", "by.min(width - 1)", "by % width", SMALL_WIDTHS),
    m("terms.rs", "let by = «by % width»", "(by + 1) % width", SMALL_WIDTHS),
    m("terms.rs", "value << by | value >> (width - by)", "value << by", NUMBERS),
    m("terms.rs", "self.rotate_left(&inner, by + more)", "self.rotate_left(&inner, by)", SMALL_WIDTHS),
    m("terms.rs", "number << by | number >> (width - by)", "number", NUMBERS),
    m("terms.rs", "self.constant(width, value >> low)", "self.constant(width, value)", NUMBERS),
    m("terms.rs", "self.extract(&inner, from + low, width)", "self.extract(&inner, from, width)", SMALL_WIDTHS),
    m("terms.rs", "(low + whole - by) % whole", "low", SMALL_WIDTHS),
    m("terms.rs", "self.extract(&part, from - at, to - from)", "self.extract(&part, 0, to - from)", SMALL_WIDTHS),
    m("terms.rs", "Node::SignExtend(inner) if «low + width <= self.width(&inner)»", "true", SMALL_WIDTHS),
    m("terms.rs", "Node::Sum(parts, number) if «low == 0» && whole == 64", "true", CARRIES),
    m("terms.rs", "self.constant(width, sign_extend(value, narrow))", "self.constant(width, value)", NUMBERS),
    m("terms.rs", "parts.last().is_some_and(|top| self.number(*top) == Some(0))", "parts.last().is_some()", SMALL_WIDTHS),
    m("terms.rs", "u64::from(value == 0)", "u64::from(value != 0)", NUMBERS),
    m("terms.rs", "parts.iter().any(|part| self.number(*part).is_some_and(|value| value != 0))", "false", NUMBERS),
    m("terms.rs", "if self.width(a) == 1 => «self.not(&difference)»", "difference", SMALL_WIDTHS),
    m("terms.rs", "(*term, by.wrapping_neg() & mask(width))", "(*term, *by)", PIECES),
    m("terms.rs", "let minus = «number.wrapping_neg() & mask(width)»", "number", NUMBERS),
    m("terms.rs", "(&negative, minus) < (&parts, number)", "false", EQUAL),
    m("terms.rs", "u64::from(x < y)", "u64::from(x <= y)", NUMBERS),
    m("terms.rs", "(_, Some(0)) => «self.constant(1, 0)»,\n            // Below 1", "self.constant(1, 1)", NUMBERS),
    m("terms.rs", "self.constant(self.width(a), 0)", "self.constant(self.width(a), 1)", NUMBERS),
    m("terms.rs", "self.not(&zero)", "zero", NUMBERS),
    m("terms.rs", "(sign_extend(x, width) as i64) < sign_extend(y, width) as i64", "x < y", NUMBERS),
    m("terms.rs", "Some(1) => «*a»", "*b", NUMBERS),
    m("terms.rs", "Some(_) => «*b»", "*a", NUMBERS),
    m("terms.rs", "fn undefined(&mut self, width: u32) -> Term {\n        «self.variable(width, \"undefined\")»", "self.constant(width, 0)", DIFFERENT),
    m("terms.rs", "self.nodes.push(key.clone());", "self.nodes.push((key.0, Node::Constant(0)));", REAL_WIDTHS),
    // ---- Memory. ----
    m("memory.rs", "self.secrets.insert(*variable);", "", CONTRACT),
    m("memory.rs", "own || parts.iter().any(|part| known[part])", "own", CONTRACT),
    m("memory.rs", "left: «(0, MOST_BLOCKS)»", "(1, MOST_BLOCKS)", FLOW),
    m("memory.rs", "self.written |= other.written;\n        self.key_read.iter_mut().zip(other.key_read).for_each(|(read, also)| *read |= also);", "", FLOW),
    m("memory.rs", "self.left.0.min(other.left.0)", "self.left.0", FLOW),
    m("memory.rs", "end.is_multiple_of(64)", "true", FLOW),
    m("memory.rs", "before.is_some_and(|(start, unit)| start + u64::from(terms.width(unit) / 8) > from)", "false", CONTRACT),
    m("memory.rs", "self.done = terms.add(&self.done, &number);", "", FLOW),
    m("memory.rs", "self.left.0.saturating_sub(blocks)", "self.left.0", FLOW),
    m("memory.rs", "self.left.1.saturating_sub(blocks)", "self.left.1", FLOW),
    m("memory.rs", "if «self.inputs.is_secret(terms, address)»", "false", CONTRACT),
    m("memory.rs", "end <= size", "end <= size + 4", CONTRACT),
    m("memory.rs", "std::mem::replace(&mut self.progress.key_read[at as usize], true)", "false", CONTRACT),
    m("memory.rs", "if «self.progress.written» {", "false", CONTRACT),
    m("memory.rs", "Place::Key(offset) if within(offset, length, 32) => {\n                «self.progress.touched = true;»", "", CONTRACT),
    m("memory.rs", "«self.progress.touched = true;»\n                (offset..offset + length).map(|at| terms", "", CONTRACT),
    m("memory.rs", "length == 8 && self.inputs.on_stack", "true", CONTRACT),
    m("memory.rs", "self.return_read = true;", "", CONTRACT),
    m("memory.rs", "self.note(Property::Stack, format!(\"it reads the stack at {offset}\"));", "", CONTRACT),
    m("memory.rs", "self.note(Property::Memory, \"it reads the output\");", "", CONTRACT),
    m("memory.rs", "self.note(Property::Memory, \"it reads what is neither the key nor the counter\");", "", CONTRACT),
    m("memory.rs", "self.note(Property::Stack, format!(\"it writes the stack at {offset}\"));", "", CONTRACT),
    m("memory.rs", "self.note(Property::Memory, \"it writes what is neither the output nor the counter\");", "", CONTRACT),
    m("memory.rs", "within(offset, length, «self.progress.left.0».saturating_mul(64))", "self.progress.left.1", FLOW),
    m("memory.rs", "self.progress.left.0.saturating_mul(64)", "self.progress.left.0.saturating_mul(64) + 64", FLOW),
    m("memory.rs", "self.progress.is_written(terms, offset, length)", "false", CONTRACT),
    m("memory.rs", "if «offset > 0» {", "false", FLOW),
    m("memory.rs", "offset + length < 8", "false", FLOW),
    // ---- The walk. ----
    m("prove.rs", "decoded.extension.split_whitespace().all(|extension| self.question.extensions.contains(&extension))", "true", CONTRACT),
    m("prove.rs", "self.question.extensions.contains(&extension)", "extension == \"AVX512VL\" || self.question.extensions.contains(&extension)", CONTRACT),
    m("prove.rs", "self.placed.insert(at) && depends_on_place::<I>(&decoded.instruction, at as u64)", "false", FLOW),
    m("prove.rs", "return_read && !matches!(next, Next::Indirect { .. })", "false", CONTRACT),
    m("prove.rs", "decoded.timing == Timing::Variable && next == Next::Following", "false", CONTRACT),
    m("prove.rs", "address != self.inputs.return_address", "false", CONTRACT),
    m("prove.rs", "if «taken == 1» { target } else { following }", "taken == 0", FLOW),
    m("prove.rs", "let ways = if «self.inputs.is_secret(&self.terms, condition)»", "false", CONTRACT),
    m("prove.rs", "self.find(at, Property::ConstantTime, \"the branch depends on the key\");", "", CONTRACT),
    m("prove.rs", "between_blocks(&path)?;", "", FLOW),
    m("prove.rs", "between_blocks(&one)?;", "", FLOW),
    m("prove.rs", "self.made_since(&done, &one)?;", "", FLOW),
    m("prove.rs", "(1..MOST_IN_A_ROUND).contains(blocks)", "*blocks < MOST_IN_A_ROUND", FLOW),
    m("prove.rs", "if «one == two» {\n                return Shape::Same(one);", "false", FLOW),
    m("prove.rs", "(step as i64 / blocks as i64) as u64", "step", FLOW),
    m("prove.rs", "Shape::Lost(secret) => self.inputs.unknown(&mut self.terms, width, «*secret»)", "false", FLOW),
    m("prove.rs", "path.progress.done = done;", "", FLOW),
    m("prove.rs", "let by = «self.terms.multiple(&since, step)»", "since", FLOW),
    m("prove.rs", "weaker.progress.join(&back.progress)", "false", FLOW),
    m("prove.rs", "_ if «meant == found» => continue", "true", FLOW),
    m("prove.rs", "paths.push(self.instance(&weaker, &one, to));", "", FLOW),
    m("prove.rs", "paths.push(self.instance(&general, &one, to));", "", FLOW),
    m("prove.rs", "found != Some(meant)", "false", CONTRACT),
    m("prove.rs", "counter = «self.terms.add(&counter, &number)»", "counter", FLOW),
    m("prove.rs", "path.progress.left != (0, 0)", "path.progress.left.0 != 0", FLOW),
    m("prove.rs", "path.progress.counter != counter", "false", CONTRACT),
    m("prove.rs", "if «nothing && path.progress.touched»", "false", CONTRACT),
    m("prove.rs", "path.state.general[abi.stack_pointer] != stack", "false", CONTRACT),
    m("prove.rs", "path.state.general[*register] != self.entry.general[*register]", "false", SAVED),
    m("prove.rs", "path.state.vector[*register][..*lanes] != self.entry.vector[*register][..*lanes]", "false", SAVED),
    m("prove.rs", "held.extend(path.state.general.iter().enumerate().map(|(number, term)| (abi.general_names[number].to_owned(), *term)));", "", CONTRACT),
    m("prove.rs", "held.extend(lanes.iter().enumerate().map(|(lane, term)| (format!(\"lane {lane} of {}{number}\", abi.vector_name), *term)));", "let _ = (number, lanes);", CONTRACT),
    m("prove.rs", "held.extend(path.state.mask.iter().enumerate().map(|(number, term)| (format!(\"k{number}\"), *term)));", "", CONTRACT),
    m("prove.rs", "held.extend(path.state.flags.iter().enumerate().map(|(number, term)| (format!(\"flag {number}\"), *term)));", "", CONTRACT),
    m("prove.rs", "if «self.inputs.is_secret(&self.terms, term)»", "false", CONTRACT),
    m("prove.rs", "Some([fails, holds])", "Some([holds, fails])", FLOW),
    m("prove.rs", "term == left || term == negative", "true", FLOW),
    m("prove.rs", "(low == 0).then_some((0, 0))", "None", FLOW),
    m("prove.rs", "some(low.max(1), high)", "some(low, high)", FLOW),
    m("prove.rs", "some(low, high.min(most))", "some(low, high.min(most.saturating_sub(1)))", FLOW),
    m("prove.rs", "some(low.max(bound), high)", "some(low.max(bound + 1), high)", FLOW),
    m("prove.rs", "some(low.max(least), high)", "some(low.max(least + 1), high)", FLOW),
    m("prove.rs", "some(low, high.min(bound))", "some(low, high.min(bound.saturating_sub(1)))", FLOW),
    // ---- Calling conventions. ----
    m("abi.rs", "saved_general: «&[3, 5, 12, 13, 14, 15]»", "&[5, 12, 13, 14, 15]", SAVED),
    m("abi.rs", "arguments: «[7, 6, 2, 1]»", "[6, 7, 2, 1]", FLOW),
    m("abi.rs", "&[2, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]", "&[21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]", SAVED),
    m("abi.rs", "&[(24, 2), (25, 2), (26, 2), (27, 2), (28, 2), (29, 2), (30, 2), (31, 2)]", "&[(24, 2), (25, 2), (26, 2), (27, 2), (28, 2), (29, 2), (30, 2), (31, 1)]", SAVED),
    m("abi.rs", "arguments: «[4, 5, 6, 7]»", "[5, 4, 6, 7]", FLOW),
    // ---- What depends on the place of the code. ----
    m("place.rs", "run(at) != run(at + (1 << 40) + 0x7f0)", "false", FLOW),
];
