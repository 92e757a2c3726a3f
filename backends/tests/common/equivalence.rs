//! Why a mutant of ChaCha20 in its default layout that is still proved is equivalent, told from what its first changed
//! instruction was and became, in the disassembler's words.
//!
//! Owns the reasons. Must not know how mutants are made.

/// An instruction, as the disassembler writes it.
struct Text<'t> {
    mnemonic: &'t str,
    operands: Vec<&'t str>,
}

impl<'t> Text<'t> {
    fn of(line: &'t str) -> Self {
        // Behind the address of a branch stands the same with a symbol.
        let line = line.split(" <").next().unwrap_or(line);
        let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
        Text { mnemonic, operands: operands.split(", ").collect() }
    }

    fn is(&self, mnemonic: &str, operands: &[&str]) -> bool {
        self.mnemonic == mnemonic && self.operands == operands
    }

    fn becomes(&self, other: &Text<'_>, pairs: &[(&str, &str)]) -> bool {
        pairs.contains(&(self.mnemonic, other.mnemonic))
    }

    /// A branch that goes back, on LoongArch by its distance.
    fn goes_back(&self) -> bool {
        self.operands.last().is_some_and(|distance| distance.starts_with('-'))
    }
}

/// A change: the instruction before and after, and whether it was the first of the function, and the last of its mnemonic.
struct Change<'t> {
    before: Text<'t>,
    after: Text<'t>,
    first: bool,
    last: bool,
}

/// What may be said of a change, and whether it may; the first that may is the reason.
type Reason = (&'static str, fn(&Change<'_>) -> bool);

const REASONS: &[Reason] = &[
    ("its operands commute", |c| {
        let sorted = |text: &Text<'_>| {
            let mut operands: Vec<String> = text.operands.iter().map(|operand| (*operand).to_owned()).collect();
            operands.sort();
            operands
        };
        let commutes = ["vadd.w", "vxor.v", "xvadd.w", "xvxor.v", "add.d", "add.w", "xor", "bne", "cmp"].contains(&c.before.mnemonic);
        commutes && c.before.mnemonic == c.after.mnemonic && sorted(&c.before) == sorted(&c.after)
    }),
    ("any number clears a register", |c| {
        c.before.mnemonic == "vldi" && c.after.mnemonic == "vldi" && c.before.operands[0] == c.after.operands[0]
    }),
    ("it copies the same value", |c| {
        let copies = c.before.becomes(&c.after, &[("vor.v", "vor.v"), ("vor.v", "vand.v"), ("movdqa", "movdqa")]);
        copies && c.before.operands[0] == c.after.operands[0] && c.before.operands[1] == c.before.operands[c.before.operands.len() - 1]
    }),
    ("the operands have no bit in common", |c| c.before.becomes(&c.after, &[("ori", "xori"), ("ori", "addi.w"), ("por", "pxor")])),
    ("the carry is clear there", |c| c.before.becomes(&c.after, &[("je", "jbe"), ("add", "adc")])),
    ("a few repetitions are counted alike in any width", |c| {
        c.before.becomes(&c.after, &[("addi.w", "addi.d")]) || (c.before.is("dec", &["r8d"]) && c.after.mnemonic == "dec")
    }),
    ("it returns to where it did, and writes a register that is its own to use", |c| c.before.becomes(&c.after, &[("ret", "jirl")])),
    ("without blocks it clears registers before it returns", |c| c.first && c.before.becomes(&c.after, &[("beqz", "beqz")])),
    ("the step of one block makes the blocks that the step of two doesn't", |c| {
        let (guard, way_back) = (c.before.mnemonic == "bnez" && !c.before.goes_back(), c.before.mnemonic == "beqz" && c.before.goes_back());
        let bound = c.before.is("cmp", &["rcx", "0x2"]) || c.before.is("sltui", &["$t1", "$a3", "2"]);
        bound || guard || way_back || c.before.mnemonic == "jae"
    }),
    ("behind the last step no block is left to advance to", |c| {
        c.before.is("addi.d", &["$a0", "$a0", "64"]) || c.before.is("add", &["rdi", "0x40"])
    }),
    ("the last step makes one block, and never goes back", |c| {
        c.before.mnemonic == "bne" || (c.before.mnemonic == "jne" && c.last) || c.before.is("cmp", &["rax", "rcx"])
    }),
];

/// The offset of the first byte that differs, what stands there before and after, and why that is the same, if it is known.
pub fn explain(codes: [&[u8]; 2], [before, after]: [&[(u64, String)]; 2]) -> (String, Option<&'static str>) {
    let at = codes[0].iter().zip(codes[1]).position(|(before, after)| before != after).unwrap_or(codes[0].len().min(codes[1].len()));
    let place = |lines: &[(u64, String)]| lines.iter().rposition(|(offset, _)| *offset <= at as u64).unwrap_or_default();
    let [was, is] = [before, after].map(|lines| lines.get(place(lines)).map_or("", |(_, text)| text.as_str()));
    let edit = format!("at {at:#x}: `{was}` as `{is}`");
    if before == after {
        return (edit, Some("it disassembles to the same"));
    }
    let (number, [was, is]) = (place(before), [was, is].map(Text::of));
    let last = before.iter().skip(number + 1).all(|(_, text)| Text::of(text).mnemonic != was.mnemonic);
    let change = Change { before: was, after: is, first: number == 0, last };
    (edit, REASONS.iter().find(|(_, holds)| holds(&change)).map(|(reason, _)| *reason))
}
