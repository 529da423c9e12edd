//! The PTX inside a fat binary.
//!
//! nvcc emits a wrapper (`fatBinaryCtl.h`) that points to a header (`fatbinary_section.h`), which
//! is followed by entries. An entry has a header with its kind, version, header size and content
//! size, and at byte 28 the architecture. Only uncompressed entries can be read, so programs are
//! compiled with `--no-compress`.

/// The first word of a wrapper.
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;
const HEADER_MAGIC: u32 = 0xba55_ed50;
/// An entry that holds PTX.
const PTX: u16 = 1;
/// Bytes of a header, and the fewest bytes of an entry's header.
pub const HEADER_BYTES: usize = 16;
const ENTRY_BYTES: usize = 64;

/// Bytes of the fat binary that begins with `header`, including the header; `None` if this is not a
/// fat binary.
pub fn size(header: &[u8]) -> Option<usize> {
    let magic = u32::from_le_bytes(*header.first_chunk()?);
    let own = u16::from_le_bytes(*header.get(6..)?.first_chunk()?);
    let rest = u64::from_le_bytes(*header.get(8..)?.first_chunk()?);
    (magic == HEADER_MAGIC).then(|| usize::from(own).checked_add(rest.try_into().ok()?)).flatten()
}

/// The PTX for the highest architecture.
pub fn ptx(binary: &[u8]) -> Option<String> {
    let bytes = size(binary)?;
    let own = u16::from_le_bytes(*binary.get(6..)?.first_chunk()?);
    let mut rest = binary.get(usize::from(own)..bytes.min(binary.len()))?;
    let mut best: Option<(u32, &[u8])> = None;
    while rest.len() >= ENTRY_BYTES {
        let kind = u16::from_le_bytes(*rest.first_chunk()?);
        let header = u32::from_le_bytes(*rest.get(4..)?.first_chunk()?) as usize;
        let held = usize::try_from(u64::from_le_bytes(*rest.get(8..)?.first_chunk()?)).ok()?;
        let arch = u32::from_le_bytes(*rest.get(28..)?.first_chunk()?);
        let end = header.checked_add(held)?;
        let text = rest.get(header..end)?;
        if kind == PTX && best.is_none_or(|(known, _)| arch > known) {
            best = Some((arch, text));
        }
        rest = rest.get(end..)?;
    }
    let text = best?.1;
    let text = text.split(|b| *b == 0).next().unwrap_or_default();
    String::from_utf8(text.to_vec()).ok()
}

/// The PTX of each fat binary in a section of an object, one after another.
pub fn in_section(mut section: &[u8]) -> Vec<String> {
    let mut all = vec![];
    while let Some(bytes) = size(section).filter(|bytes| *bytes > 0) {
        all.extend(ptx(section));
        // Binaries begin at multiples of eight bytes.
        section = section.get(bytes.next_multiple_of(8)..).unwrap_or_default();
    }
    all
}

/// The architecture that a PTX module is compiled for: 90 for `.target sm_90`.
pub fn architecture(ptx: &str) -> Option<i32> {
    let target = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"))?;
    let digits = target.trim_start().strip_prefix("sm_")?;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{HEADER_MAGIC, architecture, in_section, ptx, size};
    use proptest::prelude::*;

    fn entry(kind: u16, arch: u32, text: &str) -> Vec<u8> {
        let mut all = kind.to_le_bytes().to_vec();
        all.extend([1, 1]);
        all.extend(64_u32.to_le_bytes());
        all.extend((text.len() as u64 + 3).to_le_bytes());
        all.resize(28, 0);
        all.extend(arch.to_le_bytes());
        all.resize(64, 0);
        all.extend(text.as_bytes());
        all.extend([0; 3]);
        all
    }

    fn binary(entries: &[Vec<u8>]) -> Vec<u8> {
        let all = entries.concat();
        let mut binary = HEADER_MAGIC.to_le_bytes().to_vec();
        binary.extend([1, 0, 16, 0]);
        binary.extend((all.len() as u64).to_le_bytes());
        binary.extend(all);
        binary
    }

    #[test]
    fn the_newest_text_is_found_among_the_entries() {
        let all = [entry(1, 75, "old"), entry(2, 90, "machine code"), entry(1, 80, ".version 9.0")];
        assert_eq!(ptx(&binary(&all)).as_deref(), Some(".version 9.0"));
        assert_eq!(size(&binary(&all)), Some(binary(&all).len()));
        assert_eq!(ptx(&binary(&all[1..2])), None);
        assert_eq!(ptx(&binary(&[])), None);
        let mut section = binary(&all[..1]);
        section.resize(section.len().next_multiple_of(8), 0);
        section.extend(binary(&all[2..]));
        assert_eq!(in_section(&section), ["old", ".version 9.0"]);
    }

    #[test]
    fn a_module_names_its_architecture() {
        assert_eq!(architecture("// made\n.version 9.0\n.target sm_90\n"), Some(90));
        assert_eq!(architecture(".target sm_100a, debug"), Some(100));
        assert_eq!(architecture(".version 9.0"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_answer(noise in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = binary(&[entry(1, 75, "text")]);
            let _ = ptx(&noise);
            for (byte, noise) in bytes.iter_mut().skip(4).zip(&noise) {
                *byte = *noise;
            }
            let _ = ptx(&bytes);
            in_section(&bytes);
        }
    }
}
