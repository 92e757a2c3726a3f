//! The read-only data that a function reads, out of an ELF file.
//!
//! Owns which bytes outside of the code are known when it runs, and where they lie. Must not know instructions: that a field
//! which the linker fills in is a distance to data is for the proof to see.

use object::read::elf::{FileHeader, SectionHeader};
use object::read::{Object, ObjectSection, ObjectSegment, ObjectSymbol, Relocation, RelocationTarget};
use object::{RelocationFlags, SectionFlags, SectionIndex, SectionKind, SegmentFlags, SymbolKind, elf};

use crate::code::Data;

/// How far from the code data is laid that the linker is still to lay.
const MADE_UP: i64 = 1 << 30;

/// Loaders lay files down in pages of at least so many bytes.
const PAGE: u64 = 4096;

/// A function's code in an object.
pub struct Code<'b> {
    /// Its section.
    pub section: SectionIndex,
    /// Its offset there.
    pub offset: u64,
    /// Its bytes.
    pub bytes: &'b mut [u8],
}

/// Does what the linker would where a relocation is the distance to read-only data of an object, and lays that data; nothing
/// if it is another relocation.
///
/// # Errors
/// A sentence without its subject, the place, if the bytes are left to the linker.
pub fn refer(
    file: &object::File<'_>,
    laid: &mut Vec<Data>,
    code: &mut Code<'_>,
    at: u64,
    relocation: &Relocation,
) -> Option<Result<(), String>> {
    let RelocationFlags::Elf { r_type: elf::R_X86_64_PC32 } = relocation.flags() else { return None };
    let RelocationTarget::Symbol(target) = relocation.target() else { return None };
    let target = file.symbol_by_index(target).ok().filter(|_| file.architecture() == object::Architecture::X86_64)?;
    let section = file.section_by_index(target.section_index().filter(|index| *index != code.section)?).ok()?;
    is_read_only(&section).then(|| lay(file, laid, code, at, relocation.addend(), &target, &section))
}

fn lay<'data>(
    file: &object::File<'data>,
    laid: &mut Vec<Data>,
    code: &mut Code<'_>,
    at: u64,
    addend: i64,
    target: &object::read::Symbol<'data, '_>,
    section: &object::read::Section<'data, '_>,
) -> Result<(), String> {
    let name = section.name().unwrap_or("without a name");
    let left = |what: &str| Err(format!("there is a distance to data in section {name}, {what}"));
    if !target.is_local() {
        return left("of a symbol that is not local");
    }
    if section.relocations().next().is_some() {
        return left("which the linker fills in");
    }
    let damaged = || format!("there is a distance to data in section {name}, which is damaged");
    let bytes = section.data().map_err(|_| damaged())?;
    let SectionFlags::Elf { sh_flags } = section.flags() else { return Err(damaged()) };
    let (mut start, mut length, mut alignment) = (0, bytes.len() as u64, section.align().max(1));
    if sh_flags & u64::from(elf::SHF_STRINGS) != 0 {
        return left("whose strings the linker may merge");
    }
    if sh_flags & u64::from(elf::SHF_MERGE) != 0 {
        // The linker keeps entries, not their neighbours; and which entry is meant only a symbol that lies in it says.
        length = entry_size(file, section.index()).filter(|size| *size > 0).ok_or_else(damaged)?;
        if target.kind() == SymbolKind::Section {
            return left("whose entries the linker may merge, and no symbol says which is meant");
        }
        start = target.address() / length * length;
        alignment = alignment.min(1 << length.trailing_zeros());
    }
    if !alignment.is_power_of_two() || start.checked_add(length).is_none_or(|end| end > bytes.len() as u64) {
        return Err(damaged());
    }
    let field = at.checked_sub(code.offset).and_then(|at| usize::try_from(at).ok());
    let place = field.and_then(|field| code.bytes.get_mut(field..field.checked_add(4)?));
    let (Some(field), Some(place)) = (field, place) else { return left("and the field for it is cut in two") };
    let distance = MADE_UP.wrapping_add((target.address().wrapping_sub(start)) as i64).wrapping_add(addend).wrapping_sub(field as i64);
    let Ok(distance) = i32::try_from(distance) else { return left("out of reach") };
    place.copy_from_slice(&distance.to_le_bytes());
    let from = (section.index().0, start);
    if let Some(fields) = laid.iter_mut().find(|data| data.from == from).and_then(|data| data.fields.as_mut()) {
        fields.push(field);
    } else {
        let bytes = bytes[start as usize..][..length as usize].to_vec();
        laid.push(Data { bytes, alignment, distance: MADE_UP, fields: Some(vec![field]), from });
    }
    Ok(())
}

/// The read-only data of a linked file, for code at an address.
pub fn of_linked(file: &object::File<'_>, code: u64) -> Vec<Data> {
    let relocated: Vec<u64> = file.dynamic_relocations().into_iter().flatten().map(|(at, _)| at).collect();
    let mut all = Vec::new();
    for section in file.sections().filter(is_read_only) {
        let (address, end) = (section.address(), section.address().saturating_add(section.size()));
        let overlaps = |from: u64, size: u64| from < end && address < from.saturating_add(size);
        let mut segments = file.segments().filter(|segment| overlaps(segment.address(), segment.size())).peekable();
        let written = segments.peek().is_none()
            || segments.any(|segment| !matches!(segment.flags(), SegmentFlags::Elf { p_flags } if p_flags & elf::PF_W == 0))
            || relocated.iter().any(|at| overlaps(*at, 8));
        let (Ok(bytes), false) = (section.data(), written) else { continue };
        let alignment = (address | PAGE) & (address | PAGE).wrapping_neg();
        let distance = address.wrapping_sub(code) as i64;
        all.push(Data { bytes: bytes.to_vec(), alignment, distance, fields: None, from: (section.index().0, 0) });
    }
    all
}

/// Whether a section holds data that is loaded and that nobody writes.
fn is_read_only(section: &object::read::Section<'_, '_>) -> bool {
    let SectionFlags::Elf { sh_flags } = section.flags() else { return false };
    let flags = |flag: u32| sh_flags & u64::from(flag) != 0;
    matches!(section.kind(), SectionKind::ReadOnlyData | SectionKind::ReadOnlyString)
        && flags(elf::SHF_ALLOC)
        && !flags(elf::SHF_WRITE | elf::SHF_EXECINSTR | elf::SHF_COMPRESSED)
}

/// The size of the entries of a section that is a table.
fn entry_size(file: &object::File<'_>, section: SectionIndex) -> Option<u64> {
    fn of<'data, Header: FileHeader>(file: &object::read::elf::ElfFile<'data, Header>, section: SectionIndex) -> Option<u64> {
        Some(file.elf_section_table().section(section).ok()?.sh_entsize(file.endian()).into())
    }
    match file {
        object::File::Elf32(file) => of(file, section),
        object::File::Elf64(file) => of(file, section),
        _ => None,
    }
}
