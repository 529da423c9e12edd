//! Reading a learner's file.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::verdict::Unreadable;

/// The maximum size of a source file, in bytes: 1 MiB.
pub const MAX_BYTES: u64 = 1 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of a source file. A byte order mark is removed, because some editors add one and NVRTC
/// rejects it.
///
/// # Errors
/// When the file is missing, not a regular file, larger than [`MAX_BYTES`], not text, or blank.
pub fn read(path: &Path) -> Result<String, Unreadable> {
    text(bytes(path)?)
}

/// The bytes of a source file, which [`text`] turns into text.
///
/// # Errors
/// When the file is missing, not a regular file, or larger than [`MAX_BYTES`].
pub fn bytes(path: &Path) -> Result<Vec<u8>, Unreadable> {
    let io = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Unreadable::Missing,
        _ => Unreadable::Io(error.to_string()),
    };
    let data = fs::metadata(path).map_err(io)?;
    if !data.is_file() {
        // Opening a pipe would block for ever, and reading a device might.
        let what = if data.is_dir() { "it is a folder" } else { "it is not a regular file" };
        return Err(Unreadable::Io(what.to_owned()));
    }
    if data.len() > MAX_BYTES {
        return Err(Unreadable::TooLarge(data.len(), MAX_BYTES));
    }
    let mut bytes = Vec::new();
    // Reads one byte more than allowed, because the file may have grown since it was measured.
    File::open(path).map_err(io)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Unreadable::TooLarge(bytes.len() as u64, MAX_BYTES));
    }
    Ok(bytes)
}

/// The text of bytes that are already read, under the same rules.
///
/// # Errors
/// When they are not text, or blank.
pub fn text(bytes: Vec<u8>) -> Result<String, Unreadable> {
    let line = |at: usize, bytes: &[u8]| {
        let before = bytes.iter().take(at).filter(|b| **b == b'\n').count();
        Unreadable::Binary(u32::try_from(before + 1).unwrap_or(u32::MAX))
    };
    let text = String::from_utf8(bytes)
        .map_err(|error| line(error.utf8_error().valid_up_to(), error.as_bytes()))?;
    if let Some(at) = text.find('\0') {
        return Err(line(at, text.as_bytes()));
    }
    match text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text) {
        blank if blank.trim().is_empty() => Err(Unreadable::Empty),
        rest if rest.len() < text.len() => Ok(rest.to_owned()),
        _ => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Result<String, Unreadable> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("kernel.cu");
        fs::write(&path, bytes).expect("writes");
        read(&path)
    }

    /// Every file that is not source has its own reason, so that it never reaches the compiler.
    #[test]
    fn files_that_are_no_source() {
        assert_eq!(of(b""), Err(Unreadable::Empty));
        assert_eq!(of(b" \n\t\r\n"), Err(Unreadable::Empty));
        assert_eq!(of(b"\xef\xbb\xbf\n"), Err(Unreadable::Empty));
        assert_eq!(of(b"int a;\nint\0b;\n"), Err(Unreadable::Binary(2)));
        assert_eq!(of(b"int a;\n\n// caf\xe9\n"), Err(Unreadable::Binary(3)));
        assert_eq!(of(b"\xff\xfei\0n\0t\0"), Err(Unreadable::Binary(1)));
        let huge = MAX_BYTES as usize + 1;
        assert_eq!(of(&vec![b' '; huge]), Err(Unreadable::TooLarge(MAX_BYTES + 1, MAX_BYTES)));
        assert_eq!(of(&vec![b'/'; MAX_BYTES as usize]).map(|s| s.len()), Ok(MAX_BYTES as usize));
    }

    /// A byte order mark is not a mistake of the learner.
    #[test]
    fn byte_order_mark_is_dropped() {
        assert_eq!(of(b"\xef\xbb\xbfint a;"), Ok("int a;".to_owned()));
        assert_eq!(of("// \u{e9}".as_bytes()), Ok("// \u{e9}".to_owned()));
    }

    #[test]
    fn missing_files_and_folders() {
        let folder = tempfile::tempdir().expect("temporary folder");
        assert_eq!(read(&folder.path().join("none.cu")), Err(Unreadable::Missing));
        assert!(matches!(read(folder.path()), Err(Unreadable::Io(_))));
    }

    /// Devices are not read, because `/dev/zero` has no end.
    #[cfg(unix)]
    #[test]
    fn devices_are_refused() {
        assert!(matches!(read(Path::new("/dev/zero")), Err(Unreadable::Io(_))));
    }
}
