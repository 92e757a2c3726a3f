//! The object: one segment, and symbols.

use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SymbolFlags, elf};

use crate::Error;

/// Packed relative relocations (gABI); the library has no name for it.
const DT_RELR: u32 = 36;

/// An object in the shape of a vDSO.
#[derive(Debug)]
pub struct Image<'a> {
    file: ElfFile64<'a, LittleEndian>,
    segment: &'a [u8],
}

/// An entry of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its distance from the start of the object.
    pub offset: usize,
    /// Whether it is a function that returns the entry's address (`STT_GNU_IFUNC`), and not the entry.
    pub is_indirect: bool,
}

impl<'a> Image<'a> {
    /// Reads an object.
    ///
    /// # Errors
    /// If it has another form: not one loadable segment from the start of the file, a writable one, or relocations.
    pub fn parse(bytes: &'a [u8]) -> Result<Image<'a>, Error> {
        let file = ElfFile64::<LittleEndian>::parse(bytes).map_err(|_| Error::Image("it is no 64-bit little-endian ELF file"))?;
        let machine = if cfg!(target_arch = "loongarch64") { elf::EM_LOONGARCH } else { elf::EM_X86_64 };
        let header = file.elf_header();
        if header.e_machine(LittleEndian) != machine || header.e_type(LittleEndian) != elf::ET_DYN {
            return Err(Error::Image("it is no shared object for this machine"));
        }
        let mut loaded = file.elf_program_headers().iter().filter(|header| header.p_type(LittleEndian) == elf::PT_LOAD);
        let (Some(segment), None) = (loaded.next(), loaded.next()) else { return Err(Error::Image("it has not one segment to load")) };
        if segment.p_flags(LittleEndian) & elf::PF_W != 0 {
            return Err(Error::Image("its segment is writable"));
        }
        let (offset, address) = (segment.p_offset(LittleEndian), segment.p_vaddr(LittleEndian));
        let length = segment.p_filesz(LittleEndian);
        if (offset, address) != (0, 0) || length != segment.p_memsz(LittleEndian) {
            return Err(Error::Image("its segment doesn't begin with the file, or has memory that isn't in the file"));
        }
        let segment = usize::try_from(length).ok().and_then(|length| bytes.get(..length)).ok_or(Error::Image("its end is missing"))?;
        let dynamic = file.elf_program_headers().iter().find_map(|header| header.dynamic(LittleEndian, bytes).ok().flatten());
        let relocations = [elf::DT_RELA, elf::DT_REL, elf::DT_JMPREL, DT_RELR].map(u64::from);
        if dynamic.into_iter().flatten().any(|entry| relocations.contains(&entry.d_tag(LittleEndian))) {
            return Err(Error::Image("it needs relocations"));
        }
        Ok(Image { file, segment })
    }

    /// The bytes to map, readable and executable, from the start of the object on.
    pub fn segment(&self) -> &'a [u8] {
        self.segment
    }

    /// The entry of that name.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        let symbol = self.file.dynamic_symbols().find(|symbol| symbol.name() == Ok(name) && !symbol.is_undefined())?;
        let SymbolFlags::Elf { st_info, .. } = symbol.flags() else { return None };
        let offset = usize::try_from(symbol.address()).ok().filter(|offset| *offset < self.segment.len())?;
        Some(Symbol { offset, is_indirect: st_info & 0xf == elf::STT_GNU_IFUNC })
    }

    /// Where a section lies in the segment.
    pub(crate) fn section(&self, name: &str) -> Option<core::ops::Range<usize>> {
        let section = self.file.section_by_name(name)?;
        let (start, length) = (usize::try_from(section.address()).ok()?, usize::try_from(section.size()).ok()?);
        let range = start..start.checked_add(length)?;
        self.segment.get(range.clone()).map(|_| range)
    }
}
