//! Reads a `.section` of PTX text (PTX ISA, "Debugging Directives: .section"): its bytes and the
//! names in it.

use std::collections::HashMap;

/// The bytes of a section. Where the text names a label or a section, the bytes are the offset that
/// is added to it.
#[derive(Debug, Default, PartialEq)]
pub struct Section<'a> {
    pub bytes: Vec<u8>,
    /// Offset of each name in `bytes`.
    pub names: HashMap<usize, &'a str>,
    /// Labels that the section defines.
    pub labels: HashMap<&'a str, usize>,
}

/// The section called `name`; empty when there is none.
pub fn read<'a>(ptx: &'a str, name: &str) -> Section<'a> {
    let mut section = Section::default();
    let mut lines = ptx.lines().map(str::trim);
    let opens = |line: &str| {
        line.strip_prefix(".section")
            .is_some_and(|rest| rest.trim().trim_end_matches('{').trim_end() == name)
    };
    if !lines.any(opens) {
        return section;
    }
    for line in lines {
        let line = line.split("//").next().unwrap_or_default().trim();
        if line.starts_with('}') {
            break;
        }
        if let Some(label) = line.strip_suffix(':') {
            section.labels.insert(label, section.bytes.len());
            continue;
        }
        let Some((kind, values)) = line.split_once(char::is_whitespace) else { continue };
        let width = match kind {
            ".b8" => 1,
            ".b16" => 2,
            ".b32" => 4,
            ".b64" => 8,
            _ => continue,
        };
        for value in values.split(',').map(str::trim) {
            let number = match number(value) {
                Some(number) => number,
                None => {
                    let (symbol, plus) = value.split_once('+').unwrap_or((value, "0"));
                    section.names.insert(section.bytes.len(), symbol.trim());
                    number(plus.trim()).unwrap_or(0)
                }
            };
            section.bytes.extend_from_slice(&number.to_le_bytes()[..width]);
        }
    }
    section
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse::<u64>().ok().or_else(|| text.parse::<i64>().ok().map(|n| n as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes, wider numbers, labels of other sections with and without an offset, and labels that
    /// the section defines.
    #[test]
    fn bytes_and_names() {
        let ptx = ".version 9.0\n.section\t.debug_str\n{\n.b8 1\n}\n.section\t.debug_info\n\t{\n.b8 144,0x10\n\n.b32 .debug_loc+251\n$L__here:\n.b64 $L__tmp6 // why\n\t}\n.b8 9\n";
        let section = read(ptx, ".debug_info");
        assert_eq!(section.bytes, [144, 16, 251, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(section.names, HashMap::from([(2, ".debug_loc"), (6, "$L__tmp6")]));
        assert_eq!(section.labels, HashMap::from([("$L__here", 6)]));
        assert_eq!(read(ptx, ".debug_line"), Section::default());
    }
}
