//! Text as students' editors leave it: in other encodings, with what a notebook or an old system
//! adds.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// A file's text in UTF-8.
pub struct Decoded {
    /// The text; a file that is no text at all stays as it is.
    pub bytes: Vec<u8>,
    /// What was changed, each to stand behind "was".
    pub changes: Vec<&'static str>,
}

/// Reads a file as text.
///
/// UTF-16 is known by its byte order mark, and whatever is not UTF-8 is read as Windows-1252, which
/// contains Latin-1: only comments differ then. A line `%%writefile` or `%%exercise` at the top
/// becomes a comment, so that the numbers of lines stay, and an end-of-file character of DOS goes.
pub fn decode(mut bytes: Vec<u8>) -> Decoded {
    let mut changes = vec![];
    let utf_16 = Encoding::for_bom(&bytes).map(|(encoding, _)| encoding);
    if let Some(encoding) = utf_16.filter(|e| [UTF_16LE, UTF_16BE].contains(e)) {
        let (text, _, damaged) = encoding.decode(&bytes);
        if damaged {
            return Decoded { bytes, changes };
        }
        bytes = text.into_owned().into_bytes();
        changes.push("read as UTF-16");
    } else if bytes.contains(&0) {
        return Decoded { bytes, changes };
    } else if UTF_8.decode_without_bom_handling(&bytes).1 {
        bytes = WINDOWS_1252.decode_without_bom_handling(&bytes).0.into_owned().into_bytes();
        changes.push("read as Windows-1252 (Latin-1)");
    }
    if let Some(text) = bytes.strip_suffix(b"\x1a") {
        bytes = text.to_vec();
        changes.push("read without the end-of-file character at its end");
    }
    if bytes.contains(&b'\r') && !bytes.contains(&b'\n') {
        bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        changes.push("read with the line ends of an old Mac");
    }
    if is_cell(&bytes) {
        bytes.splice(..0, *b"// ");
        changes.push("read without its first line, a command of a notebook");
    }
    Decoded { bytes, changes }
}

/// Whether the first line is a command of a notebook.
fn is_cell(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%%writefile") || bytes.starts_with(b"%%exercise")
}

/// Whether a file's bytes are this text, whatever their line ends and byte order mark. The command
/// at the top of a cell is not part of the text.
pub fn is_same_text(bytes: &[u8], text: &str) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_command = bytes.strip_prefix(b"// ").is_some_and(is_cell);
    let first_line = bytes.iter().position(|byte| *byte == b'\n').filter(|_| is_command);
    let bytes = first_line.map_or(bytes, |end| &bytes[end + 1..]);
    // a workbook of `checker init` has the commands without `cargo`
    let plain = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).replace('\r', "").replace("cargo checker ", "checker ")
    };
    plain(bytes).trim_ascii_end() == plain(text.as_bytes()).trim_ascii_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> (String, Vec<&'static str>) {
        let decoded = decode(bytes.to_vec());
        (String::from_utf8_lossy(&decoded.bytes).into_owned(), decoded.changes)
    }

    /// Encodings of editors on Windows, and what is no text and stays as it is.
    #[test]
    fn text_of_other_editors() {
        assert_eq!(of("// größer".as_bytes()), ("// größer".into(), vec![]));
        let latin = of(b"// gr\xf6\xdfer \x96 1");
        assert_eq!(latin, ("// größer \u{2013} 1".into(), vec!["read as Windows-1252 (Latin-1)"]));
        let wide: Vec<u8> = "\u{feff}int x;".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(of(&wide), ("int x;".into(), vec!["read as UTF-16"]));
        assert_eq!(of(b"int x;\n\x1a").0, "int x;\n");
        assert_eq!(of(b"%%writefile guard.cu\nint x;").0, "// %%writefile guard.cu\nint x;");
        assert_eq!(of(b"// a\rint x;\r").0, "// a\nint x;\n");
        let binary = b"\x7fELF\0\0\xff";
        assert_eq!(decode(binary.to_vec()).bytes, binary);
    }

    #[test]
    fn the_file_as_handed_out_is_known_by_its_text() {
        assert!(is_same_text(b"\xef\xbb\xbfint x;\r\n\r\n", "int x;\n"));
        assert!(!is_same_text(b"int y;", "int x;\n"));
        assert!(is_same_text(b"// %%exercise guard\nint x;", "int x;\n"));
        assert!(!is_same_text(b"// a comment\nint x;", "int x;\n"));
    }
}
