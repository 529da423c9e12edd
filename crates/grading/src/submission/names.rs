//! Names of entries and archives: which of them may be paths, and which endings are read.

use super::Reason;
use crate::text::shown;

/// The parts of an entry's path. Both slashes part: archives made on Windows have the other one.
///
/// # Errors
/// When the path is longer than `longest` bytes, starts at a root or climbs: such an archive was
/// made to write elsewhere.
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

/// Endings of archives that are not supported; the student gets a message.
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
