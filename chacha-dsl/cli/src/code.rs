//! The bytes of a function, out of a file.
//!
//! Owns the reading of ELF files and raw bytes: which symbol is meant, where its bytes are, and which relocations leave them
//! what they are. Must not know what bytes mean, except where a branch keeps its distance. Data is [`crate::data`]'s.

use std::fs;
use std::io::Read;
use std::path::Path;

#[cfg(feature = "elf")]
use object::read::elf::{Dyn, ProgramHeader, SectionHeader};
#[cfg(feature = "elf")]
use object::read::{Object, ObjectSection, ObjectSymbol, Relocation, RelocationTarget};
#[cfg(feature = "elf")]
use object::{Endianness, ObjectKind, RelocationFlags, SectionKind, SymbolFlags, SymbolKind, elf};

use chacha_dsl_verifier::layout::ReadOnly;

#[cfg(feature = "elf")]
use crate::data::{self, Code};

/// Largest file that is read, in bytes.
const LARGEST: u64 = 256 << 20;

/// Largest function that a proof is tried for, in bytes.
const LARGEST_FUNCTION: usize = 1 << 20;

/// What an ELF file begins with.
const ELF: &[u8] = b"\x7fELF";

/// Names that an error lists at most.
#[cfg(feature = "elf")]
const LISTED: usize = 20;

/// An architecture that proofs know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    X86_64,
    LoongArch64,
}

impl Architecture {
    /// That of a target, which its name begins with.
    pub fn of_target(name: &str) -> Option<Architecture> {
        [Architecture::X86_64, Architecture::LoongArch64].into_iter().find(|one| name.starts_with(one.name()))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::X86_64 => "x86_64",
            Architecture::LoongArch64 => "loongarch64",
        }
    }

    #[cfg(feature = "elf")]
    fn in_elf(self) -> object::Architecture {
        match self {
            Architecture::X86_64 => object::Architecture::X86_64,
            Architecture::LoongArch64 => object::Architecture::LoongArch64,
        }
    }
}

/// A piece of read-only data.
#[derive(Debug)]
pub struct Data {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What its address is a multiple of.
    pub alignment: u64,
    /// From the code's first byte.
    pub distance: i64,
    /// Offsets of the code's fields that the linker fills in, if it does.
    pub fields: Option<Vec<usize>>,
    /// Its section and its offset there.
    #[cfg(feature = "elf")]
    pub from: (usize, u64),
}

impl Data {
    /// As a proof takes it.
    pub fn read_only(&self) -> ReadOnly<'_> {
        ReadOnly { bytes: &self.bytes, alignment: self.alignment, distance: self.distance, fields: self.fields.as_deref() }
    }
}

/// A function to prove.
#[derive(Debug)]
pub struct Function {
    /// What kind of file it comes from.
    pub kind: &'static str,
    /// Its symbol; none in raw bytes.
    pub symbol: Option<String>,
    /// Its offset in the section, or in the file if there are none.
    pub offset: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The read-only data that it may read.
    pub data: Vec<Data>,
    /// Why these may not be the bytes that run.
    pub doubt: Option<String>,
}

/// Reads a whole file.
///
/// # Errors
/// A sentence.
pub fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let shown = path.display();
    let fault = |error: std::io::Error| format!("`{shown}` can't be read: {error}");
    if fs::metadata(path).map_err(fault)?.is_dir() {
        return Err(format!("`{shown}` is a folder: name a file in it"));
    }
    let mut bytes = Vec::new();
    // A device or a pipe doesn't tell its size and may have no end.
    fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(fault)?;
    match bytes.len() as u64 {
        0 => Err(format!("`{shown}` is empty")),
        size if size > LARGEST => Err(format!("`{shown}` has more than {LARGEST} bytes")),
        _ => Ok(bytes),
    }
}

/// Takes the function out of a file's bytes.
///
/// # Errors
/// A sentence, with no full stop and without the file's name.
pub fn function(file: &[u8], symbol: Option<&str>, architecture: Architecture) -> Result<Function, String> {
    let function = if file.starts_with(ELF) {
        in_elf(file, symbol, architecture)?
    } else if file.starts_with(b"!<arch>\n") {
        return Err("it is an archive: take the object out of it with `ar x`".into());
    } else if symbol.is_some() {
        return Err("it is no ELF file, and raw bytes have no symbols: leave `--symbol` out".into());
    } else {
        let bytes = file.get(..=LARGEST_FUNCTION).unwrap_or(file).to_vec();
        Function { kind: "raw bytes", symbol: None, offset: 0, bytes, data: Vec::new(), doubt: None }
    };
    if function.bytes.len() > LARGEST_FUNCTION {
        return Err(format!("its function has more than {LARGEST_FUNCTION} bytes, for which no proof is tried"));
    }
    Ok(function)
}

#[cfg(not(feature = "elf"))]
fn in_elf(_: &[u8], _: Option<&str>, _: Architecture) -> Result<Function, String> {
    Err("it is an ELF file, and this command was built without its feature `elf`: give the function's raw bytes, as \
         `objcopy -O binary -j .text` writes them"
        .into())
}

#[cfg(feature = "elf")]
fn in_elf(file: &[u8], name: Option<&str>, architecture: Architecture) -> Result<Function, String> {
    let broken = |error: object::Error| format!("it is an ELF file that can't be read, because it is truncated or damaged: {error}");
    let elf = object::File::parse(file).map_err(broken)?;
    if elf.architecture() != architecture.in_elf() || elf.endianness() != Endianness::Little {
        return Err(format!("it is an ELF file for {:?}, and the target is for {}", elf.architecture(), architecture.name()));
    }
    let kind = match elf.kind() {
        ObjectKind::Relocatable => "ELF object",
        ObjectKind::Executable | ObjectKind::Dynamic => "linked ELF file",
        _ => return Err("it is an ELF file, but neither an object nor a linked file".into()),
    };
    let symbol = choose(&elf, name)?;
    let name = symbol.name().map_err(broken)?;
    let section = symbol.section_index().ok_or_else(|| format!("`{name}` lies in no section"))?;
    let section = elf.section_by_index(section).map_err(broken)?;
    if section.kind() != SectionKind::Text {
        return Err(format!("`{name}` lies in a section that holds no code, `{}`", section.name().map_err(broken)?));
    }
    let data = section.data().map_err(broken)?;
    let outside = || format!("`{name}` reaches beyond its section: the file is damaged");
    let offset = symbol.address().checked_sub(section.address()).ok_or_else(outside)?;
    let start = usize::try_from(offset).map_err(|_| outside())?;
    // A symbol without a size reaches to the section's end.
    let size = if symbol.size() == 0 { data.len().saturating_sub(start) } else { usize::try_from(symbol.size()).map_err(|_| outside())? };
    let mut bytes = start.checked_add(size).and_then(|end| data.get(start..end)).ok_or_else(outside)?.to_vec();
    if bytes.is_empty() {
        return Err(format!("`{name}` has no bytes"));
    }
    let (mut data, mut doubt) = (Vec::new(), None);
    if elf.kind() == ObjectKind::Relocatable {
        if let Some(table) = unread_table(&elf, section.index()) {
            doubt = Some(format!("at 0x0 there may be relocations: the section of relocations {table} is none that can be read"));
        }
        for (at, relocation) in section.relocations() {
            let width = if relocation.size() == 0 { 4 } else { u64::from(relocation.size() / 8) };
            if at.saturating_add(width) <= offset || at >= offset + size as u64 {
                continue;
            }
            let mut code = Code { section: section.index(), offset, bytes: &mut bytes };
            let referred = data::refer(&elf, &mut data, &mut code, at, &relocation);
            if let Err(why) = referred.unwrap_or_else(|| apply(&elf, &mut code, at, &relocation, architecture)) {
                doubt = doubt.or(Some(format!("at {:#x} {why}", at.saturating_sub(offset))));
            }
        }
    } else {
        let code = symbol.address()..symbol.address().saturating_add(size as u64);
        let mut dynamic = elf.dynamic_relocations().into_iter().flatten();
        if let Some((at, _)) = dynamic.find(|(at, _)| code.start < at.saturating_add(8) && *at < code.end) {
            doubt = Some(format!("at {:#x} the bytes change when the file is loaded", at.saturating_sub(code.start)));
        }
        if let Some(tag) = unread_relocations(&elf) {
            doubt = doubt.or(Some(format!("at 0x0 the bytes may change when the file is loaded: it has packed relocations ({tag})")));
        }
        data = data::of_linked(&elf, code.start);
    }
    Ok(Function { kind, symbol: Some(name.to_owned()), offset, bytes, data, doubt })
}

/// The number of a section of relocations for this section that isn't in a form that is read, if there is one.
#[cfg(feature = "elf")]
fn unread_table(elf: &object::File<'_>, code: object::SectionIndex) -> Option<usize> {
    let object::File::Elf64(file) = elf else { return None };
    let endian = file.endian();
    let kinds = [elf::SHT_REL, elf::SHT_RELA, elf::SHT_RELR, SHT_CREL, SHT_ANDROID_REL, SHT_ANDROID_RELA, SHT_ANDROID_RELR];
    let mut sections = file.elf_section_table().iter().enumerate();
    let unread = sections.find(|(_, header)| {
        let of_code = header.sh_info(endian) as usize == code.0 && kinds.contains(&header.sh_type(endian));
        let entry = match header.sh_type(endian) {
            elf::SHT_REL => 16,
            elf::SHT_RELA => 24,
            _ => return of_code,
        };
        let (size, entry_size) = (header.sh_size(endian), header.sh_entsize(endian));
        of_code && (entry_size != entry || !size.is_multiple_of(entry))
    });
    unread.map(|(number, _)| number)
}

/// Kinds of relocation sections that the crate has no names for.
#[cfg(feature = "elf")]
const SHT_CREL: u32 = 0x4000_0014;
#[cfg(feature = "elf")]
const SHT_ANDROID_REL: u32 = 0x6000_0001;
#[cfg(feature = "elf")]
const SHT_ANDROID_RELA: u32 = 0x6000_0002;
#[cfg(feature = "elf")]
const SHT_ANDROID_RELR: u32 = 0x6fff_ff00;

/// Tags of a linked file's packed relocations, which aren't read.
#[cfg(feature = "elf")]
const PACKED: [(u64, &str); 4] =
    [(36, "DT_RELR"), (0x6000_000f, "DT_ANDROID_REL"), (0x6000_0011, "DT_ANDROID_RELA"), (0x6fff_e000, "DT_ANDROID_RELR")];

/// The tag of relocations of a linked file that aren't read, if it has such.
#[cfg(feature = "elf")]
fn unread_relocations(elf: &object::File<'_>) -> Option<&'static str> {
    let object::File::Elf64(file) = elf else { return None };
    let endian = file.endian();
    let tags = file.elf_program_headers().iter().filter_map(|header| header.dynamic(endian, file.data()).ok().flatten());
    let mut tags = tags.flatten().map(|entry| entry.d_tag(endian));
    tags.find_map(|tag| PACKED.iter().find(|(packed, _)| *packed == tag)).map(|(_, name)| *name)
}

/// The symbol of that name, or the only function.
#[cfg(feature = "elf")]
fn choose<'data, 'file>(elf: &'file object::File<'data>, name: Option<&str>) -> Result<object::read::Symbol<'data, 'file>, String> {
    let defined = |symbol: &object::read::Symbol<'data, 'file>| {
        symbol.section_index().is_some()
            && !matches!(symbol.kind(), SymbolKind::Section | SymbolKind::File)
            && symbol.name().is_ok_and(|name| !name.is_empty())
    };
    let mut all: Vec<_> = elf.symbols().filter(defined).collect();
    if all.is_empty() {
        all = elf.dynamic_symbols().filter(defined).collect();
    }
    let is_function = |symbol: &object::read::Symbol<'data, 'file>| symbol.kind() == SymbolKind::Text;
    let list = |of: &[&object::read::Symbol<'data, 'file>]| {
        let names: Vec<&str> = of.iter().filter_map(|symbol| symbol.name().ok()).collect();
        let more = names.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", names[..names.len().min(LISTED)].join(", "))
    };
    let functions: Vec<_> = all.iter().filter(|symbol| is_function(symbol)).collect();
    let listed = match &functions[..] {
        [] if all.is_empty() => "it defines no symbols".to_owned(),
        [] => format!("it has no function symbols, but these: {}", list(&all.iter().collect::<Vec<_>>())),
        some => format!("its functions are: {}", list(some)),
    };
    let Some(name) = name else {
        return match &functions[..] {
            [one] => elf.symbol_by_index(one.index()).map_err(|_| "its only symbol can't be read".to_owned()).and_then(called_itself),
            _ => Err(format!("choose the function with `--symbol`; {listed}")),
        };
    };
    let mut found = all.into_iter().filter(|symbol| symbol.name() == Ok(name));
    match (found.next(), found.next()) {
        (Some(one), None) => called_itself(one),
        (Some(_), Some(_)) => Err(format!("it has more than one symbol `{name}`")),
        (None, _) => Err(format!("it has no symbol `{name}`; {listed}")),
    }
}

/// The symbol, if a call of it goes to its own code: that of an indirect function is called once, by the loader, and returns the
/// address of another function ("ELF Handling for GNU indirect functions", `STT_GNU_IFUNC`).
#[cfg(feature = "elf")]
fn called_itself<'data, 'file>(symbol: object::read::Symbol<'data, 'file>) -> Result<object::read::Symbol<'data, 'file>, String> {
    match symbol.flags() {
        SymbolFlags::Elf { st_info, .. } if st_info & 0xf == elf::STT_GNU_IFUNC => {
            let name = symbol.name().unwrap_or_default();
            Err(format!("`{name}` is an indirect function, whose code chooses another one: name that one"))
        }
        _ => Ok(symbol),
    }
}

/// Does to a branch what the linker would, if its target is a local label of the same section.
///
/// # Errors
/// A sentence without its subject, the place, if the bytes are left to the linker.
#[cfg(feature = "elf")]
fn apply(elf: &object::File<'_>, code: &mut Code<'_>, at: u64, relocation: &Relocation, architecture: Architecture) -> Result<(), String> {
    let RelocationFlags::Elf { r_type } = relocation.flags() else { return Err("there is a relocation that is not ELF's".into()) };
    let left = |what: &str| Err(format!("there is {what}, which leaves the bytes to the linker"));
    if architecture == Architecture::LoongArch64 && matches!(r_type, elf::R_LARCH_ALIGN | elf::R_LARCH_RELAX) {
        let name = if r_type == elf::R_LARCH_ALIGN { "R_LARCH_ALIGN" } else { "R_LARCH_RELAX" };
        return Err(format!("there is {name}, by which the linker may move or delete code: assemble with `-mno-relax`"));
    }
    let bits = match (architecture, r_type) {
        (Architecture::X86_64, elf::R_X86_64_PC32 | elf::R_X86_64_PLT32) => 32,
        (Architecture::LoongArch64, elf::R_LARCH_B16) => 16,
        (Architecture::LoongArch64, elf::R_LARCH_B21) => 21,
        (Architecture::LoongArch64, elf::R_LARCH_B26) => 26,
        (Architecture::LoongArch64, elf::R_LARCH_PCALA_HI20 | elf::R_LARCH_PCALA_LO12) => {
            return left("R_LARCH_PCALA_HI20 or R_LARCH_PCALA_LO12, an address by a pair of instructions");
        }
        (_, number) => return left(&format!("a relocation of type {number}")),
    };
    let RelocationTarget::Symbol(target) = relocation.target() else { return left("a relocation against no symbol") };
    let Some(target) = elf.symbol_by_index(target).ok().filter(|target| target.is_local() && target.section_index() == Some(code.section))
    else {
        return left("a branch or distance to another section or to a symbol that is not local");
    };
    let distance = target.address().wrapping_add_signed(relocation.addend()).wrapping_sub(at) as i64;
    let place =
        at.checked_sub(code.offset).and_then(|at| usize::try_from(at).ok()).and_then(|at| code.bytes.get_mut(at..at.checked_add(4)?));
    let Some(place) = place else { return left("a branch that is cut in two") };
    let mut word = u32::from_le_bytes([place[0], place[1], place[2], place[3]]);
    // LoongArch counts in instructions.
    let (units, remainder) = if bits == 32 { (distance, 0) } else { (distance >> 2, distance & 3) };
    if remainder != 0 || units < -(1 << (bits - 1)) || units >= 1 << (bits - 1) {
        return left("a branch that can't reach its target");
    }
    let low = (units as u32 & 0xffff) << 10;
    word = match bits {
        32 => units as u32,
        16 => word & !0x03ff_fc00 | low,
        21 => word & !0x03ff_fc1f | low | (units >> 16) as u32 & 0x1f,
        _ => word & !0x03ff_ffff | low | (units >> 16) as u32 & 0x3ff,
    };
    place.copy_from_slice(&word.to_le_bytes());
    Ok(())
}
