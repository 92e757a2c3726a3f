//! What an assembler made: sections, symbols and relocations of a relocatable object. Knows no assembler.

use object::read::{Object as _, ObjectSection as _, ObjectSymbol as _};
use object::{RelocationFlags, RelocationTarget, SectionIndex};

/// A relocatable object file.
#[derive(Clone, Debug)]
pub struct Object {
    /// The contents of `.text`; empty where there is none.
    pub text: Vec<u8>,
    /// All sections but the null one, in the file's order.
    pub sections: Vec<Section>,
    /// The named symbols that are defined here.
    pub symbols: Vec<Symbol>,
    /// The names that must come from another object.
    pub undefined: Vec<String>,
    /// The file itself.
    pub file: Vec<u8>,
}

/// A section of an [`Object`].
#[derive(Clone, Debug)]
pub struct Section {
    /// The name, such as `.text`.
    pub name: String,
    /// Where it lies in a linked file; zero in an object.
    pub address: u64,
    /// The contents; empty for `.bss`.
    pub bytes: Vec<u8>,
    /// The alignment in bytes.
    pub align: u64,
    /// Whether it is loaded at run time (`SHF_ALLOC`).
    pub allocated: bool,
    /// Whether it holds code.
    pub executable: bool,
    /// The relocations that apply to it.
    pub relocations: Vec<Relocation>,
}

/// A relocation of a [`Section`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The place in the section.
    pub offset: u64,
    /// The type, as the ELF supplement of the architecture numbers it.
    pub kind: u32,
    /// The symbol (or section) that it is against; empty where it is against none.
    pub symbol: String,
    /// The addend.
    pub addend: i64,
}

/// A symbol of an [`Object`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The section that it lies in; empty for an absolute one.
    pub section: String,
    /// The place in the section.
    pub offset: u64,
    /// The size, 0 where the source gives none.
    pub size: u64,
    /// Whether other objects see it.
    pub global: bool,
    /// Whether its type is a function.
    pub function: bool,
}

impl Object {
    /// Where the code begins that each frame description in `.eh_frame` covers, and its length (DWARF 5, section 6.4.1; the
    /// encoding is that of GNU and LLVM: relative to itself, four bytes). In an object the start is not relocated yet.
    pub fn frames(&self) -> Vec<(u64, u64)> {
        let Some(section) = self.section(".eh_frame") else { return Vec::new() };
        let word = |at: usize| section.bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let (mut frames, mut at) = (Vec::new(), 0);
        while let Some(length) = word(at).filter(|length| *length > 0) {
            // A description points back to its common part, whose own word there is zero; then come its start and length.
            if let (Some(1..), Some(start), Some(covered)) = (word(at + 4), word(at + 8), word(at + 12)) {
                let place = section.address + at as u64 + 8;
                frames.push((place.wrapping_add_signed(i64::from(start as i32)), u64::from(covered)));
            }
            at += 4 + length as usize;
        }
        frames
    }

    /// Parses an ELF object, or a linked ELF file.
    pub fn parse(file: Vec<u8>) -> Result<Object, String> {
        let wrong = |e: object::Error| format!("The object file can't be read: {e}.");
        let parsed = object::File::parse(&*file).map_err(wrong)?;
        let section_name = |index: Option<SectionIndex>| {
            let section = index.and_then(|index| parsed.section_by_index(index).ok());
            section.map_or(String::new(), |s| s.name().unwrap_or("?").to_owned())
        };
        let mut sections = Vec::new();
        for section in parsed.sections() {
            let relocations = section.relocations().map(|(offset, relocation)| Relocation {
                offset,
                kind: match relocation.flags() {
                    RelocationFlags::Elf { r_type } => r_type,
                    _ => u32::MAX,
                },
                symbol: match relocation.target() {
                    RelocationTarget::Symbol(index) => parsed.symbol_by_index(index).map_or(String::new(), |symbol| match symbol.name() {
                        Ok(name) if !name.is_empty() => name.to_owned(),
                        _ => section_name(symbol.section_index()),
                    }),
                    RelocationTarget::Section(index) => section_name(Some(index)),
                    _ => String::new(),
                },
                addend: relocation.addend(),
            });
            let flags = match section.flags() {
                object::SectionFlags::Elf { sh_flags } => sh_flags,
                _ => 0,
            };
            sections.push(Section {
                name: section.name().map_err(wrong)?.to_owned(),
                address: section.address(),
                bytes: section.data().map_err(wrong)?.to_owned(),
                align: section.align(),
                allocated: flags & u64::from(object::elf::SHF_ALLOC) != 0,
                executable: flags & u64::from(object::elf::SHF_EXECINSTR) != 0,
                relocations: relocations.collect(),
            });
        }
        let mut symbols = Vec::new();
        let mut undefined = Vec::new();
        for symbol in parsed.symbols() {
            let section = symbol.section_index().and_then(|index| parsed.section_by_index(index).ok());
            let base = section.map_or(0, |section| section.address());
            let name = symbol.name().unwrap_or("").to_owned();
            if name.is_empty() || symbol.kind() == object::SymbolKind::File {
                continue;
            }
            if symbol.is_undefined() {
                undefined.push(name);
                continue;
            }
            symbols.push(Symbol {
                name,
                section: section_name(symbol.section_index()),
                // In a linked file both have addresses; in an object the section's is zero.
                offset: symbol.address().wrapping_sub(base),
                size: symbol.size(),
                global: symbol.is_global(),
                function: symbol.kind() == object::SymbolKind::Text,
            });
        }
        let text = sections.iter().find(|section| section.name == ".text");
        Ok(Object { text: text.map_or(Vec::new(), |section| section.bytes.clone()), sections, symbols, undefined, file })
    }

    /// The section of that name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// The bytes of a function: those of its symbol's size, or to the end of its section where it has none.
    pub fn function(&self, name: &str) -> Result<&[u8], String> {
        let symbol =
            self.symbols.iter().find(|symbol| symbol.name == name).ok_or_else(|| format!("The object defines no symbol {name}."))?;
        let section = self.section(&symbol.section).ok_or_else(|| format!("The symbol {name} lies in no section."))?;
        let start = symbol.offset as usize;
        let end = match symbol.size {
            0 => section.bytes.len(),
            size => start + size as usize,
        };
        section.bytes.get(start..end).ok_or_else(|| format!("The symbol {name} is longer than its section."))
    }
}
