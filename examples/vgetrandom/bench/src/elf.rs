//! A dynamic symbol of an ELF image that lies in memory, as the machine's vDSO does.
//!
//! Owns the reading of the bytes, all of it within bounds: nonsense has no symbols. It knows nothing of where an image comes from, and needs
//! no sections, which aren't loaded. Of symbols in several versions it tells the first one; vDSOs have none such.

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;

const DT_NULL: u64 = 0;
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_GNU_HASH: u64 = 0x6fff_fef5;

const STT_FUNC: u8 = 2;

/// Bytes of a program header, of an entry of the dynamic section, and of a symbol (ELF-64).
const PROGRAM_HEADER: usize = 56;
const DYNAMIC: usize = 16;
const SYMBOL: usize = 24;

/// Bytes of the whole image, by its head: what is loaded begins with it.
pub fn length(head: &[u8]) -> Option<usize> {
    let base = base(head)?;
    let ends = segments(head)?
        .filter(|segment| segment.kind == PT_LOAD)
        .map(|segment| segment.address.checked_sub(base)?.checked_add(segment.length).and_then(|end| usize::try_from(end).ok()));
    ends.collect::<Option<Vec<usize>>>()?.into_iter().max()
}

/// The distance of a function from the start of the image.
pub fn function(image: &[u8], name: &str) -> Option<usize> {
    let base = base(image)?;
    let place = |address: u64| usize::try_from(address.checked_sub(base)?).ok();
    let dynamic = segments(image)?.find(|segment| segment.kind == PT_DYNAMIC)?;
    let dynamic = image.get(place(dynamic.address)?..)?.get(..usize::try_from(dynamic.length).ok()?)?;
    let entries = || dynamic.chunks_exact(DYNAMIC).map_while(|entry| Some((u64_at(entry, 0)?, u64_at(entry, 8)?)));
    let table = |tag| {
        let (_, address) = entries().take_while(|(found, _)| *found != DT_NULL).find(|(found, _)| *found == tag)?;
        image.get(place(address)?..)
    };
    let (symbols, strings) = (table(DT_SYMTAB)?, table(DT_STRTAB)?);
    let count = match table(DT_HASH) {
        Some(hash) => u32_at(hash, 4)? as usize,
        None => count_by_gnu_hash(table(DT_GNU_HASH)?)?,
    };
    let symbol = symbols.chunks_exact(SYMBOL).take(count).find(|symbol| {
        let is_defined = u16_at(symbol, 6).is_some_and(|section| section != 0);
        let text = u32_at(symbol, 0).and_then(|at| strings.get(at as usize..));
        let is_named = text.and_then(|text| text.strip_prefix(name.as_bytes())).is_some_and(|rest| rest.first() == Some(&0));
        is_defined && symbol[4] & 0xf == STT_FUNC && is_named
    })?;
    place(u64_at(symbol, 8)?).filter(|offset| *offset < image.len())
}

/// A part of the image, by its program header.
struct Segment {
    kind: u32,
    address: u64,
    length: u64,
}

/// All parts, of a 64-bit little-endian image.
fn segments(head: &[u8]) -> Option<impl Iterator<Item = Segment>> {
    if !head.starts_with(b"\x7fELF\x02\x01") || u16_at(head, 54)? as usize != PROGRAM_HEADER {
        return None;
    }
    let headers = head.get(usize::try_from(u64_at(head, 32)?).ok()?..)?.get(..u16_at(head, 56)? as usize * PROGRAM_HEADER)?;
    Some(
        headers
            .chunks_exact(PROGRAM_HEADER)
            .map_while(|header| Some(Segment { kind: u32_at(header, 0)?, address: u64_at(header, 16)?, length: u64_at(header, 40)? })),
    )
}

/// The address that the image's start was linked for.
fn base(head: &[u8]) -> Option<u64> {
    segments(head)?.find(|segment| segment.kind == PT_LOAD).map(|segment| segment.address)
}

/// How many symbols there are, which this table tells by the end of the last chain alone.
fn count_by_gnu_hash(table: &[u8]) -> Option<usize> {
    let [buckets, first, bloom] = [0, 4, 8].map(|at| u32_at(table, at).map(|count| count as usize));
    let (buckets, first) = (buckets?, first?);
    let table = table.get(16 + 8 * bloom?..)?;
    let mut last = table.get(..4 * buckets)?.chunks_exact(4).filter_map(|bucket| u32_at(bucket, 0)).max()? as usize;
    if last < first {
        return Some(first);
    }
    while u32_at(table, 4 * (buckets + last - first))? & 1 == 0 {
        last += 1;
    }
    Some(last + 1)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine;

    /// The object of this workspace, of which the loader knows the symbols by another way: sections.
    const OURS: &[u8] = vgetrandom::IMAGE;
    const NAME: &str = "__vdso_getrandom";

    /// An image whose table of one kind of hashes isn't told of.
    fn without(tag: u64) -> Vec<u8> {
        let dynamic = segments(OURS).unwrap().find(|segment| segment.kind == PT_DYNAMIC).unwrap();
        let mut image = OURS.to_vec();
        let section = &mut image[dynamic.address as usize..][..dynamic.length as usize];
        let entry = section.chunks_exact_mut(DYNAMIC).find(|entry| u64_at(entry, 0) == Some(tag)).unwrap();
        entry[..8].copy_from_slice(&0x7000_0000_u64.to_le_bytes());
        image
    }

    #[test]
    fn functions_of_the_object_are_found() {
        let entry = function(OURS, NAME).unwrap();
        let room = function(OURS, "__vdso_getrandom_room").unwrap();
        assert_ne!(entry, room);
        assert!(length(OURS).is_some_and(|length| room < length && length <= OURS.len()));
        // An indirect one is no entry, and a part of a name no name.
        for name in ["__vdso_getrandom_indirect", "__vdso_getrando", "", "no such name"] {
            assert_eq!(function(OURS, name), None, "{name}");
        }
    }

    #[test]
    fn either_table_of_hashes_is_enough() {
        for tag in [DT_HASH, DT_GNU_HASH] {
            assert_eq!(function(&without(tag), NAME), function(OURS, NAME), "{tag:#x}");
        }
    }

    #[test]
    fn the_machine_has_the_symbol_since_linux_6_11() {
        let Some(image) = machine::image() else { return };
        assert!(image.starts_with(b"\x7fELF") && length(image) == Some(image.len()));
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
        if cfg!(target_arch = "x86_64") && numbers.next() >= Some(6) && numbers.next() >= Some(11) {
            assert!(function(image, NAME).is_some(), "Linux {release}");
        }
    }

    #[test]
    fn nonsense_has_no_symbols() {
        for bytes in [&b""[..], b"\x7fELF", &[0; 4096], &[0xff; 4096], &OURS[..64], &OURS[1..]] {
            assert_eq!(function(bytes, NAME), None);
        }
        for end in 0..OURS.len() {
            let _ = (length(&OURS[..end]), function(&OURS[..end], NAME));
        }
        // Each byte of what leads to the symbols, with values that overflow most.
        let mut image = OURS.to_vec();
        for at in 0..function(OURS, NAME).unwrap().min(4096) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let before = std::mem::replace(&mut image[at], value);
                let _ = (length(&image), function(&image, NAME));
                image[at] = before;
            }
        }
    }
}
