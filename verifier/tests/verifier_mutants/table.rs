//! The mutants. Rows only: what is changed, and the test that must notice.
//!
//! In the text that is looked for, `«` and `»` are around what is replaced; without them it is all of the text.

use super::schemata::Mutant;

/// Each fault of the contract, by itself.
const CONTRACT: (&str, &str) = ("contract", "each_fault_is_refused_for_its_property_alone");
const SAVED: (&str, &str) = ("contract", "each_saved_register_must_be_what_it_was");
/// Functions with odd control flow, right and wrong.
const FLOW: (&str, &str) = ("control_flow", "what_is_wrong_is_not_proved");
/// What other properties take for granted.
const RESTS: (&str, &str) = ("contract", "nothing_is_proved_that_rests_on_what_is_broken");
/// The same faults in runs.
const WITNESS: (&str, &str) = ("contract", "each_fault_is_refuted_by_a_run");
/// The contract of the kernel, by proof and in runs.
const KERNEL: (&str, &str) = ("contract_kernel", "what_the_kernel_allows");
const RUNS: (&str, &str) = ("contract_kernel", "runs_say_the_same");
const DATA: (&str, &str) = ("contract_kernel", "data_beside_the_code");
const PLACED: (&str, &str) = ("contract_kernel", "data_where_it_must_lie");
const BITS: (&str, &str) = ("terms", "bits_of_sums_of_multiples");
const WIDENED: (&str, &str) = ("terms", "rules_of_widened_words");
const SHIFTED: (&str, &str) = ("terms", "multiples_of_shifted_words");
const SUBSTITUTION: (&str, &str) = ("terms", "substitution");
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

// What is not here, since no function can show it or something else tells too: whether a carry goes to the highest bits (the rule
// holds for any); the sign of a number in a sum whose low word is looked at (the word's own rule removes it); the end within a
// block (the blocks left tell); that a loop's register that changes by numbers has 64 bits (others are found to be lost in the
// next round); that what a loop has read of the key and that it has written are joined, each alone (the other finds the same).
// That no arrival and no way back is within a block, each alone, and that both have written the same behind the blocks done: they
// stand for each other. Trials and loops that a merged path keeps though only one of two is in them: what they guess is confirmed
// all the same. What makes a register that is lost a secret one in a later round, each of the three: no function was found that
// shows one of them missing. A trial's round that makes no block: the general one is looked at. A key read where no block is left: no byte of it fits.
// Stores to the stack under `strict`: to make room, the stack pointer has to move. That slots are forgotten where nobody knows
// where the stack pointer is: that itself is found. Shapes of one hash of 32 bits: no test has two. Ways that part in a replay
// (the accesses behind do), and writes to the key (which is written twice where it is the end of the output). Widened words of
// different widths: no rule gives them to one exclusive or.
#[rustfmt::skip]
pub const MUTANTS: &[Mutant] = &[
    // ---- Rules of terms. ----
    m("terms.rs", "*number = number.wrapping_add(value.wrapping_mul(factor))", "*number = number.wrapping_add(*value)", NUMBERS),
    m("terms.rs", "number.wrapping_add(more.wrapping_mul(factor))", "number.wrapping_add(*more)", NUMBERS),
    m("terms.rs", "(*part, by.wrapping_mul(factor))", "(*part, *by)", SMALL_WIDTHS),
    m("terms.rs", "factor.wrapping_mul(1 << by)", "factor", SHIFTED),
    m("terms.rs", "self.rotate_left(&long, by)", "long", EQUAL),
    m("terms.rs", "let back = «(width - by) % width»", "by", EQUAL),
    m("terms.rs", "let number = «terms.rotate_left(&number, back)»", "number", EQUAL),
    m("terms.rs", "(«self.number(zeros) == Some(0)» && self", "true", SHIFTED),
    m("terms.rs", "self.width(&whole) == width", "true", SHIFTED),
    m("terms.rs", "match «self.shifted(self.width(&term), pieces)» {", "None", EQUAL),
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
    m("terms.rs", "let neighbours = «a == b» && first", "true", PIECES),
    m("terms.rs", "first + by == from", "true", PIECES),
    m("terms.rs", "self.rotate_left(&both, width - by)", "self.rotate_left(&both, by)", PIECES),
    m("terms.rs", "let both = self.extract(&a, «first», width)", "0", PIECES),
    m("terms.rs", "(self.number(x), self.number(y))", "(Some(0), self.number(y))", SMALL_WIDTHS),
    m("terms.rs", "rest & 1 == 1", "rest & 1 == 0", NUMBERS),
    m("terms.rs", "if ones { terms.extract(other, at, run) } else { terms.constant(run, 0) }", "if ones { terms.constant(run, 0) } else { terms.extract(other, at, run) }", NUMBERS),
    m("terms.rs", "if ones { terms.constant(run, u64::MAX) } else { terms.extract(other, at, run) }", "terms.extract(other, at, run)", NUMBERS),
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
    m("terms.rs", "self.intern(width, Node::Undefined(variable, told))", "self.intern(width, Node::Variable(variable))", CONTRACT),
    m("terms.rs", "fn undefined(&mut self, width: u32) -> Term {\n        «self.variable(width, \"undefined\")»", "self.constant(width, 0)", DIFFERENT),
    // ---- Memory. ----
    m("memory.rs", "self.secrets.insert(*variable);", "", CONTRACT),
    m("memory.rs", "secret |= known", "()", CONTRACT),
    m("memory.rs", "self.written |= other.written;\n        self.key_read.iter_mut().zip(other.key_read).for_each(|(read, also)| *read |= also);", "", FLOW),
    m("memory.rs", "self.left.0.min(other.left.0)", "self.left.0", FLOW),
    m("memory.rs", "self.note(Property::Memory, \"it writes a value that depends on the key to the counter\");", "", CONTRACT),
    m("memory.rs", "end.is_multiple_of(64)", "true", FLOW),
    m("memory.rs", "before.is_some_and(|(start, unit)| start + u64::from(terms.width(unit) / 8) > from)", "false", CONTRACT),
    m("memory.rs", "self.done = terms.add(&self.done, &number);", "", FLOW),
    m("memory.rs", "self.left.0.saturating_sub(blocks)", "self.left.0", FLOW),
    m("memory.rs", "self.left.1.saturating_sub(blocks)", "self.left.1", FLOW),
    m("memory.rs", "if «self.inputs.is_secret(terms, address)»", "false", CONTRACT),
    m("memory.rs", "end <= size", "end <= size + 4", CONTRACT),
    m("memory.rs", "std::mem::replace(&mut self.progress.key_read[at as usize], true)", "false", CONTRACT),
    m("memory.rs", "«self.progress.touched = true;»\n                (offset..offset + length).map(|at| terms", "", CONTRACT),
    m("memory.rs", "length == 8 && self.inputs.on_stack", "true", CONTRACT),
    m("memory.rs", "self.return_read = true;", "", CONTRACT),
    m("memory.rs", "self.note(Property::Stack, format!(\"it reads the stack at {offset}\"));", "", CONTRACT),
    m("memory.rs", "self.note(Property::Memory, \"it reads the output\");", "", CONTRACT),
    m("memory.rs", "self.note(Property::Memory, \"it reads what is neither the key nor the counter\");", "", CONTRACT),
    m("memory.rs", "self.note(Property::Memory, \"it writes what is neither the output nor the counter\");", "", CONTRACT),
    m("memory.rs", "within(offset, length, «self.progress.left.0».saturating_mul(64))", "self.progress.left.1", FLOW),
    m("memory.rs", "self.progress.left.0.saturating_mul(64)", "self.progress.left.0.saturating_mul(64) + 64", FLOW),
    m("memory.rs", "self.progress.is_written(terms, offset, length)", "false", CONTRACT),
    m("memory.rs", "if «offset > 0» {", "false", FLOW),
    m("memory.rs", "offset + length < 8", "false", FLOW),
    // ---- The walk. ----
    m("prove.rs", "decoded.extension.split_whitespace().all(|extension| self.question.extensions.contains(&extension))", "true", CONTRACT),
    m("prove.rs", "self.question.extensions.contains(&extension)", "extension == \"AVX512VL\" || self.question.extensions.contains(&extension)", CONTRACT),
    m("prove.rs", "decoded.timing == Timing::Variable && next == Next::Following", "false", CONTRACT),
    m("prove.rs", "address != self.inputs.return_address", "false", CONTRACT),
    m("prove.rs", "if «taken == 1» { target } else { following }", "taken == 0", FLOW),
    m("prove.rs", "self.find(at, Property::ConstantTime, \"the branch depends on the key\");", "", CONTRACT),
    m("prove.rs", "(1..MOST_IN_A_ROUND).contains(blocks)", "*blocks < MOST_IN_A_ROUND", FLOW),
    m("prove.rs", "found != Some(meant)", "false", CONTRACT),
    m("prove.rs", "counter = «self.terms.add(&counter, &number)»", "counter", FLOW),
    m("prove.rs", "path.progress.left != (0, 0)", "path.progress.left.0 != 0", FLOW),
    m("prove.rs", "path.progress.counter != counter", "false", CONTRACT),
    m("prove.rs", "if «nothing && path.progress.touched»", "false", CONTRACT),
    m("prove.rs", "path.state.general[abi.stack_pointer] != stack", "false", KERNEL),
    m("prove.rs", "path.state.general[*register] != self.entry.general[*register]", "false", SAVED),
    m("prove.rs", "path.state.vector[*register][..*lanes] != self.entry.vector[*register][..*lanes]", "false", SAVED),
    m("prove.rs", "held.extend(path.state.general.iter().enumerate().map(|(number, term)| (abi.general_names[number].to_owned(), *term)));", "", CONTRACT),
    m("prove.rs", "held.extend(lanes.iter().enumerate().map(|(lane, term)| (format!(\"lane {lane} of {}{number}\", abi.vector_name), *term)));", "let _ = (number, lanes);", CONTRACT),
    m("prove.rs", "held.extend(path.state.mask.iter().enumerate().map(|(number, term)| (format!(\"k{number}\"), *term)));", "", CONTRACT),
    m("prove.rs", "held.extend(path.state.flags.iter().enumerate().map(|(number, term)| (format!(\"flag {number}\"), *term)));", "", CONTRACT),
    m("prove.rs", "if «self.inputs.is_secret(&self.terms, term)»", "false", CONTRACT),
    m("prove.rs", "Some([fails, holds])", "Some([holds, fails])", FLOW),
    m("prove.rs", "exact(«times(terms, term, left)?», high).map", "1", FLOW),
    m("prove.rs", "times > 0 && «high.checked_mul(times).is_some()»", "true", FLOW),
    m("prove.rs", "bound.div_ceil(by)", "bound / by", FLOW),
    m("prove.rs", "let bound = «number / by»;", "number.div_ceil(by)", FLOW),
    m("prove.rs", "let sum = «terms.multiple(&term, 1)»;", "term", FLOW),
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
    m("memory.rs", "!kept || «self.progress.written && self.contract == Contract::Strict»", "false", CONTRACT),
    m("memory.rs", "if «!kept» {\n            self.note(Property::Function", "false", KERNEL),
    m("memory.rs", "«!kept» || self.progress.written", "false", KERNEL),
    m("memory.rs", "true) && «self.contract == Contract::Strict»", "true", KERNEL),
    m("memory.rs", "end + 32 <= fewest + from", "true", KERNEL),
    m("memory.rs", "«end + 32» <= fewest + from", "end", KERNEL),
    m("memory.rs", "fewest + from", "fewest", KERNEL),
    m("memory.rs", "let fewest = «self.left.0»", "self.left.1", KERNEL),
    m("memory.rs", "let end = «self.pending.iter().map(|(start, unit)| start + u64::from(terms.width(unit) / 8)).max().unwrap_or(0)»;\n        let fewest", "0", KERNEL),
    m("memory.rs", "fn key_accessed(&mut self, terms: &Terms, offset: u64, length: u64) {\n        «self.progress.touched = true;»", "", CONTRACT),
    m("memory.rs", "self.left.1.max(other.left.1)", "self.left.1", FLOW),
    m("memory.rs", "let forgotten = «self.stack.join(&other.stack)»", "false", KERNEL),
    m("memory.rs", "pieces.iter().any(|piece| self.inputs.is_secret(terms, *piece))", "false", KERNEL),
    m("memory.rs", "Place::Stack(offset) => {\n                «self.note(Property::Stack, format!(\"it writes the stack at {offset}\"));»", "", KERNEL),
    m("memory.rs", "«self.stack_accessed(offset);»\n                if pieces", "", KERNEL),
    m("memory.rs", "if «self.contract == Contract::Strict» {\n                    self.note(Property::SelfContained", "false", DATA),
    m("memory.rs", "self.note(Property::Memory, \"it reads what counts from the code and lies in no read-only data that is known\");", "", DATA),
    m("memory.rs", "self.note(Property::Memory, \"it writes where the code and its data lie\");", "", DATA),
    m("memory.rs", "self.note(Property::Memory, format!(\"without blocks it writes the output all the same, {rest}\"));", "", RESTS),
    // ---- The stack. ----
    m("stack.rs", "(DEEPEST..0).contains(&offset) && «length <= offset.unsigned_abs()»", "true", KERNEL),
    m("stack.rs", "«(DEEPEST..0).contains(&offset)» && length", "offset < 0", KERNEL),
    m("stack.rs", "(DEEPEST..=0).contains(&offset)", "offset <= 0", KERNEL),
    m("stack.rs", "«(DEEPEST..=0)».contains(&offset)", "(DEEPEST..=64)", KERNEL),
    m("stack.rs", "terms.extract(unit, 8 * byte, 8)", "terms.extract(unit, 0, 8)", KERNEL),
    m("stack.rs", "at += 1;", "", KERNEL),
    m("stack.rs", "self.0.retain(|at, _| *at >= stack_pointer);", "", KERNEL),
    m("stack.rs", "other.0.get(at) == Some(value)", "true", KERNEL),
    // ---- Where code and data lie. ----
    m("layout.rs", "anchor.map(|piece| (piece.alignment, piece.distance)).max()", "anchor.map(|piece| (piece.alignment, piece.distance)).min()", PLACED),
    m("layout.rs", "terms.multiple(&variable, alignment)", "terms.multiple(&variable, 64)", PLACED),
    m("layout.rs", "«from != self.code» || !I", "false", PLACED),
    m("layout.rs", "!I::is_distance(code, at, *field)", "false", PLACED),
    m("layout.rs", "**field < at + length && at < field.saturating_add(FIELD)", "false", PLACED),
    m("layout.rs", "«(at as u64).wrapping_sub(distance as u64)»", "at as u64", PLACED),
    // ---- The store of terms. ----
    m("interner.rs", "self.shapes.push(shape);", "self.shapes.push((shape.0, Node::Constant(0)));", REAL_WIDTHS),
    m("terms/memo.rs", "*its == key", "true", REAL_WIDTHS),
    m("interner.rs", "self.slots[slot] = (self.shapes.len() as u32, hash);", "", EQUAL),
    // ---- Paths that meet. ----
    m("paths.rs", "«(self.state, self.progress) = general.instance(terms, inputs, &self.state);»\n        // A loop", "", FLOW),
    m("paths.rs", "«(self.state, self.progress) = general.instance(terms, inputs, &self.state);»\n        self.general", "", FLOW),
    m("paths.rs", "self.tried.contains_key(&head) || self.general.contains_key(&head)", "self.tried.contains_key(&head)", FLOW),
    m("paths.rs", "self.waiting.entry(path.at).or_default().push(path);", "", FLOW),
    m("paths.rs", "!self.going.iter_mut().any(|one| one.merge(terms, inputs, &path))", "self.going.is_empty()", FLOW),
    m("paths.rs", "self.general.insert(head, Rc::new(Entered { general, done: self.progress.done }));", "", FLOW),
    m("paths.rs", "self.at = head;", "", FLOW),
    // ---- The state of all arrivals. ----
    m("induction.rs", "if «one == two» {\n                return Shape::Same(one);", "false", FLOW),
    m("induction.rs", "terms.ratio(step, since)", "terms.value(&step)", FLOW),
    m("induction.rs", "counted(terms, inputs, one, since) == Some(two)", "true", FLOW),
    m("induction.rs", "«counted(terms, inputs, one, since) == Some(two)» => Shape", "false", FLOW),
    m("induction.rs", "Shape::Lost(«inputs.is_secret(terms, one) || inputs.is_secret(terms, two)»)", "inputs.is_secret(terms, one)", FLOW),
    m("induction.rs", "inputs.is_secret(terms, one) || inputs.is_secret(terms, two)", "inputs.is_secret(terms, two)", FLOW),
    m("induction.rs", "«progress.join(back);»\n        Some(General", "", FLOW),
    m("induction.rs", "stays: «before.done == back.done»", "false", FLOW),
    m("induction.rs", "if «self.stays» { self.first }", "true", FLOW),
    m("induction.rs", "inputs.unknown(terms, width, «*secret»)", "false", FLOW),
    m("induction.rs", "progress.done = done;", "", FLOW),
    m("induction.rs", "progress.counter = all.pop().unwrap_or(progress.counter);", "all.pop();", FLOW),
    m("induction.rs", "put_registers(&mut state, &all);", "", FLOW),
    m("induction.rs", "let by = «terms.multiple(&since, step)»", "since", FLOW),
    m("induction.rs", "counted(terms, inputs, term, since).unwrap_or(term)", "term", FLOW),
    m("induction.rs", "all.progress.join(back);", "", FLOW),
    m("induction.rs", "_ if «meant == found» => continue", "true", FLOW),
    m("induction.rs", "if «inputs.is_secret(terms, term)» {\n        return None;", "true", FLOW),
    m("induction.rs", "terms.add(&counter, &blocks)", "counter", FLOW),
    // ---- The walk, and what rests on what. ----
    m("prove.rs", "Contract::Strict => «&[(1, MOST_BLOCKS), (0, 0)]»", "&[(1, MOST_BLOCKS)]", CONTRACT),
    m("prove.rs", "Contract::Kernel => «&[(1, MOST_BLOCKS)]»", "&[(1, MOST_BLOCKS), (0, 0)]", KERNEL),
    m("prove.rs", "return_read && !is_return", "false", CONTRACT),
    m("prove.rs", "before != after || after.is_none()", "before != after", KERNEL),
    m("prove.rs", "«before != after» || after.is_none()", "false", KERNEL),
    m("prove.rs", "self.question.contract == Contract::Strict || !is_within", "!is_within", RESTS),
    m("prove.rs", "lowest.is_some_and(|lowest| reach.is_none_or(|reach| lowest < reach))", "false", KERNEL),
    m("prove.rs", "before.into_iter().chain(after).min()", "before", KERNEL),
    m("prove.rs", "let intervals = if «self.inputs.is_secret(&self.terms, condition)»", "false", CONTRACT),
    m("prove.rs", "self.granted.extend([Property::RegisterClean, Property::Stack].map(|property| (property, Property::ConstantTime)));", "", RESTS),
    m("prove.rs", "self.granted.extend(Property::ALL.map(|property| (property, Property::Memory)));", "", RESTS),
    m("prove.rs", "granted: «BTreeSet::from([(Property::Function, Property::Memory)])»", "BTreeSet::new()", RESTS),
    m("prove.rs", "self.made_since(*done, &path)?;", "", FLOW),
    m("prove.rs", "if «all == *general» {", "true", FLOW),
    m("prove.rs", "path.at = head;", "", FLOW),
    m("prove.rs", "(open, self.findings) = before.clone();", "", FLOW),
    m("verdict.rs", "*one == property && findings.contains_key(other)", "false", RESTS),
    // ---- Rules that came later. ----
    m("terms.rs", "(self.multiple(&to, factor) == of).then_some(factor)", "Some(factor)", FLOW),
    m("terms.rs", "(times as i64).checked_div(by as i64)? as u64", "times.checked_div(by)?", FLOW),
    m("terms.rs", "sign_extend(number, narrow) & mask(width) == number", "true", WIDENED),
    m("terms.rs", "low == 0 && «parts.iter().all(|(_, by)| by.trailing_zeros() >= width)»", "true", BITS),
    m("terms/replace.rs", "self.rotate_left(&a, distance)", "a", SUBSTITUTION),
    m("terms/replace.rs", "self.extract(&a, low, width)", "self.extract(&a, 0, width)", SUBSTITUTION),
    m("terms/replace.rs", "self.sign_extend(&a, width)", "self.zero_extend(&a, width)", SUBSTITUTION),
    m("terms/replace.rs", "all.push((self.constant(width, number), 1));", "", SUBSTITUTION),
    m("terms/replace.rs", "all.push(self.constant(width, number));", "", SUBSTITUTION),
    m("terms/replace.rs", "(of(self, part), *factor)", "(of(self, part), 1)", SUBSTITUTION),
    m("terms/replace.rs", "if ones == 0 { self.or(&all, &part) } else { self.and(&all, &part) }", "self.and(&all, &part)", SUBSTITUTION),
    m("terms/replace.rs", "self.below(&a, &b)", "self.below(&b, &a)", SUBSTITUTION),
    m("terms/replace.rs", "self.below_signed(&a, &b)", "self.below(&a, &b)", SUBSTITUTION),
    m("terms/replace.rs", "self.select(&c, &a, &b)", "self.select(&c, &b, &a)", SUBSTITUTION),
    // ---- What replays look at. ----
    m("replay/run.rs", "decoded.extension.split_whitespace().all(|extension| self.question.extensions.contains(&extension))", "true", WITNESS),
    m("replay/run.rs", "run.world.return_address_read && !matches!(next, Next::Indirect { .. })", "false", WITNESS),
    m("replay/run.rs", "decoded.timing == Timing::Variable && next == Next::Following", "false", WITNESS),
    m("replay/run.rs", "run.world.note(Property::SelfContained, at, \"control within the function until it returns\", found);", "", WITNESS),
    m("replay/run.rs", "run.world.output[*byte] != meant[*byte]", "false", WITNESS),
    m("replay/run.rs", "if «meant != found» {", "false", WITNESS),
    m("replay/run.rs", "if «after != meant» {", "false", WITNESS),
    m("replay/run.rs", "run.state.general[*register].value);\n            if «before != after»", "false", WITNESS),
    m("replay/run.rs", "run.state.vector[*register][lane].value);\n                if «before != after»", "false", WITNESS),
    m("replay/run.rs", "pairs.into_iter().find(|(one, two)| one != two)", "pairs.into_iter().find(|_| false)", WITNESS),
    m("replay/run.rs", "general.chain(vector).chain(mask).chain(flags).find(|(_, a, b)| a != b)", "general.chain(vector).chain(mask).chain(flags).find(|((class, ..), a, b)| a != b && *class != 0)", WITNESS),
    m("replay/run.rs", "general.chain(vector).chain(mask).chain(flags).find(|(_, a, b)| a != b)", "general.chain(vector).chain(mask).chain(flags).find(|((class, ..), a, b)| a != b && *class != 1)", WITNESS),
    m("replay/run.rs", "general.chain(vector).chain(mask).chain(flags).find(|(_, a, b)| a != b)", "general.chain(vector).chain(mask).chain(flags).find(|((class, ..), a, b)| a != b && *class != 2)", WITNESS),
    m("replay/run.rs", "general.chain(vector).chain(mask).chain(flags).find(|(_, a, b)| a != b)", "general.chain(vector).chain(mask).chain(flags).find(|((class, ..), a, b)| a != b && *class != 3)", WITNESS),
    m("replay/run.rs", "one.world.stack != two.world.stack", "false", RUNS),
    m("replay/world.rs", "std::mem::replace(&mut self.key_read[at], true)", "false", WITNESS),
    m("replay/world.rs", "true) && «self.contract == Contract::Strict»", "true", RUNS),
    m("replay/world.rs", "self.written_by[start..start + length].iter().any(Option::is_some)", "false", RUNS),
    m("replay/world.rs", "self.note(\n                    Property::Memory,\n                    self.at,\n                    \"the output written only\",\n                    format!(\"it reads {length} bytes at byte {offset} of the output\"),\n                );", "", WITNESS),
    m("replay/world.rs", "self.check_blocks(\"reads the key\");", "", WITNESS),
    m("replay/world.rs", "self.check_blocks(\"reads the counter\");", "", WITNESS),
    m("replay/world.rs", "self.check_stack(offset, length, \"reads\");", "", WITNESS),
    m("replay/world.rs", "self.check_stack(offset, length, \"writes\");", "", WITNESS),
    m("replay/world.rs", "self.contract == Contract::Kernel && offset + length <= STACK.0", "true", WITNESS),
    m("replay/world.rs", "«self.contract == Contract::Kernel && offset + length <= STACK.0»\n", "false", RUNS),
    m("replay/world.rs", "(offset..offset + length).find(|at| self.written_by[*at].is_some())", "None::<usize>", WITNESS),
    m("replay/world.rs", "self.note(Property::Memory, self.at, \"reads of the key and the counter only\", found);", "", WITNESS),
    m("replay/world.rs", "self.note(Property::Memory, self.at, \"writes of the output and the counter only\", found);", "", WITNESS),
    m("replay/world.rs", "self.note(Property::Memory, self.at, \"no pointer that needs alignment\", found);", "", WITNESS),
];
