//! Names from strangers: how they are shown, and which of them may be paths.

use super::Reason;

/// Longest name that a message shows, in characters.
const SHOWN: usize = 200;

/// A name for people: one line, no control or invisible characters, bytes that are no UTF-8 as `\xff`, cut when too long.
pub fn shown(name: &[u8]) -> String {
    let mut text = String::new();
    let mut left = SHOWN;
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            if left == 0 {
                return text + "...";
            }
            left -= 1;
            if is_plain(c) {
                text.push(c);
            } else {
                text.extend(c.escape_default());
            }
        }
        for byte in chunk.invalid() {
            if left == 0 {
                return text + "...";
            }
            left -= 1;
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Whether a character shows itself and moves nothing else: no control characters, no marks that turn the direction of
/// writing, none without a width.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The parts of an entry's path. Both slashes part: archives made on Windows have the other one.
///
/// # Errors
/// When the path is longer than `longest` bytes, starts at a root or climbs: such an archive was made to write elsewhere.
pub fn parts(path: &[u8], longest: usize) -> Result<Vec<&[u8]>, Reason> {
    if path.len() > longest {
        return Err(Reason::LongPath { entry: shown(path), longest });
    }
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let drive = matches!(path, [letter, b':', ..] if letter.is_ascii_alphabetic());
    if drive || path.first().is_some_and(is_slash) {
        return Err(Reason::Absolute { entry: shown(path) });
    }
    let parts: Vec<&[u8]> =
        path.split(is_slash).filter(|part| !part.is_empty() && part != b".").collect();
    if parts.iter().any(|part| part.trim_ascii() == b"..") {
        return Err(Reason::Climbs { entry: shown(path) });
    }
    Ok(parts)
}

/// Endings of archives that are read.
const ARCHIVES: [&str; 4] = [".tar.gz", ".tgz", ".zip", ".tar"];

/// Endings of archives that are not: a student who hands one in is told so.
const OTHERS: [&str; 12] = [
    ".tar.xz", ".tar.zst", ".tar.bz2", ".txz", ".tzst", ".tbz2", ".tbz", ".rar", ".7z", ".gz",
    ".xz", ".bz2",
];

/// `name` without the ending of an archive; `None` when it has none.
pub fn without_archive_ending(name: &str) -> Option<&str> {
    ARCHIVES.iter().chain(&OTHERS).find_map(|ending| {
        let at = name.len().checked_sub(ending.len()).filter(|at| *at > 0)?;
        let (stem, tail) = name.split_at_checked(at)?;
        tail.eq_ignore_ascii_case(ending).then_some(stem)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name cannot start a new line, colour a terminal, or look like another.
    #[test]
    fn names_are_shown_in_one_harmless_line() {
        assert_eq!(shown("Zoë O'Neil".as_bytes()), "Zoë O'Neil");
        assert_eq!(shown(b"a\nb\x1b[31m"), "a\\nb\\u{1b}[31m");
        assert_eq!(shown("cu.\u{202e}exe".as_bytes()), "cu.\\u{202e}exe");
        assert_eq!(shown(b"caf\xe9"), "caf\\xe9");
        assert_eq!(shown(&[b'x'; 500]).len(), SHOWN + 3);
        assert_eq!(shown(&[0xff; 500]).len(), SHOWN * 4 + 3);
    }

    /// Every way to leave an archive that an unpacker has ever followed is refused.
    #[test]
    fn paths_that_lead_out() {
        let refused = [
            "/etc/passwd",
            "\\etc",
            "C:\\x",
            "c:x",
            "../x",
            "a/../../x",
            "a\\..\\x",
            "..",
            "a/.. /x",
        ];
        for path in refused {
            assert!(parts(path.as_bytes(), 100).is_err(), "{path}");
        }
        assert_eq!(parts(b"./a//b\\c.cu", 100).unwrap(), [b"a".as_slice(), b"b", b"c.cu"]);
        assert_eq!(parts(b"..a/b..", 100).unwrap(), [b"..a".as_slice(), b"b.."]);
        assert!(matches!(parts(&[b'a'; 101], 100), Err(Reason::LongPath { .. })));
    }

    #[test]
    fn endings() {
        assert_eq!(without_archive_ending("ada.tar.gz"), Some("ada"));
        assert_eq!(without_archive_ending("Ada Lovelace.ZIP"), Some("Ada Lovelace"));
        assert_eq!(without_archive_ending("ada.v2.zip"), Some("ada.v2"));
        assert_eq!(without_archive_ending(".zip"), None);
        assert_eq!(without_archive_ending("blocks.cu"), None);
        assert_eq!(without_archive_ending("é.7z"), Some("é"));
    }
}
