//! The learner's files. The file on disk is the truth: each text has a version, and a page can
//! replace only the version that it has seen.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::Path;

use checker::progress::hash;
use checker::source;
use checker::verdict::Unreadable;
use serde::Serialize;

/// The version of a file that does not exist.
const MISSING: &str = "missing";
/// The version of something that is not a text.
const UNUSABLE: &str = "unusable";

/// A file as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct State {
    /// A hash of the contents. Equal versions are equal files.
    pub version: String,
    /// The text, if the file can be edited.
    pub text: Option<String>,
    /// Why it cannot be edited, as a sentence.
    pub problem: Option<String>,
}

impl State {
    fn without_text(version: &str, problem: String) -> Self {
        Self { version: version.into(), text: None, problem: Some(problem) }
    }
}

/// Why a text was not written.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The file is not the version that the page has seen, but this one.
    Conflict(State),
    /// The text is larger than a source may be.
    TooLarge,
    /// The system's reason, as a sentence.
    System(String),
}

/// Reads a file.
pub fn read(path: &Path) -> State {
    match source::bytes(path) {
        Ok(bytes) => of_bytes(bytes),
        Err(Unreadable::Missing) => State::without_text(MISSING, "The file doesn't exist.".into()),
        Err(Unreadable::TooLarge(size, limit)) => State::without_text(
            UNUSABLE,
            format!("The file has {size} bytes, and the checker reads at most {limit}."),
        ),
        Err(Unreadable::Io(why)) => {
            State::without_text(UNUSABLE, format!("The file can't be read: {why}."))
        }
        Err(Unreadable::Empty | Unreadable::Binary(_)) => {
            State::without_text(UNUSABLE, "The file isn't text.".into())
        }
    }
}

/// The version of a file from what was read of it.
pub fn version(bytes: &Result<Vec<u8>, Unreadable>) -> String {
    match bytes {
        Ok(bytes) => hash(bytes),
        Err(Unreadable::Missing) => MISSING.to_owned(),
        Err(_) => UNUSABLE.to_owned(),
    }
}

fn of_bytes(bytes: Vec<u8>) -> State {
    let version = hash(&bytes);
    let binary = |before: &[u8]| {
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("The file isn't text (UTF-8): look at line {line} in another editor.")
    };
    match String::from_utf8(bytes) {
        Ok(text) => match text.find('\0') {
            Some(at) => State::without_text(&version, binary(&text.as_bytes()[..at])),
            None => State { version, text: Some(text), problem: None },
        },
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            State::without_text(&version, binary(&error.as_bytes()[..valid]))
        }
    }
}

/// Replaces the version `base` of a file by `text`, and returns the new version. The file is
/// replaced as a whole, so that no reader sees a part of it, even if this process ends meanwhile.
///
/// # Errors
/// When the file is another version, or cannot be written. Then it stays as it is.
pub fn write(path: &Path, base: &str, text: &str) -> Result<String, Refusal> {
    if text.len() as u64 > source::MAX_BYTES {
        return Err(Refusal::TooLarge);
    }
    let system = |error: io::Error| Refusal::System(format!("The file can't be written: {error}."));
    // A link stays a link, to a file that is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().unwrap_or(Path::new("."));
    let permissions = permissions(path).map_err(system)?;
    if is_version(path, base)? == Existing::Missing {
        fs::create_dir_all(folder).map_err(system)?;
    }
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(system)?;
    file.write_all(text.as_bytes()).map_err(system)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions).map_err(system)?;
    }
    // Another program may have written the file since it was compared.
    match is_version(path, base)? {
        Existing::Missing => file.persist_noclobber(path).map_err(|error| system(error.error))?,
        Existing::File => file.persist(path).map_err(|error| system(error.error))?,
    };
    Ok(hash(text.as_bytes()))
}

#[derive(PartialEq, Eq)]
enum Existing {
    Missing,
    File,
}

/// Compares the file with the version `base`.
fn is_version(path: &Path, base: &str) -> Result<Existing, Refusal> {
    let found = read(path);
    if found.version != base || base == UNUSABLE {
        return Err(Refusal::Conflict(found));
    }
    Ok(if base == MISSING { Existing::Missing } else { Existing::File })
}

/// The permissions that a file's replacement must have; for a new file, those of other new files.
fn permissions(path: &Path) -> io::Result<Option<Permissions>> {
    match fs::metadata(path) {
        Ok(data) if data.permissions().readonly() => {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"))
        }
        Ok(data) => Ok(Some(data.permissions())),
        Err(_) => Ok(new_file_permissions()),
    }
}

/// A temporary file can be read by its owner only; a file that an editor makes can be read by all.
#[cfg(unix)]
fn new_file_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn new_file_permissions() -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    /// A change that another program made is never overwritten.
    #[test]
    fn only_the_version_that_was_seen_is_replaced() {
        let folder = folder();
        let path = folder.path().join("guard.cu");
        fs::write(&path, "one\n").expect("writable");
        let first = read(&path);
        let second = write(&path, &first.version, "two\n").expect("written");
        assert_eq!(
            read(&path),
            State { version: second, text: Some("two\n".into()), problem: None }
        );
        let conflict = write(&path, &first.version, "three\n").expect_err("an old version");
        assert_eq!(conflict, Refusal::Conflict(read(&path)));
        assert_eq!(fs::read_to_string(&path).expect("a file"), "two\n");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left");
    }

    /// A deleted file is written again only by a page that knows that it was deleted.
    #[test]
    fn a_deleted_file() {
        let folder = folder();
        let path = folder.path().join("ch01/guard.cu");
        let missing = read(&path);
        assert_eq!((missing.version.as_str(), missing.text), ("missing", None));
        let version = write(&path, "missing", "one\n").expect("written");
        assert_eq!(read(&path).version, version);
        assert!(matches!(write(&path, "missing", "two\n"), Err(Refusal::Conflict(_))));
        fs::remove_file(&path).expect("removed");
        assert!(matches!(write(&path, &version, "two\n"), Err(Refusal::Conflict(_))));
        assert!(!path.exists());
    }

    /// What is no text is shown with its reason, and is not replaced.
    #[test]
    fn what_cannot_be_edited() {
        let folder = folder();
        let path = folder.path().join("guard.cu");
        for (bytes, line) in [(b"a\nb\0c".to_vec(), "line 2"), (b"a\n\n\xff".to_vec(), "line 3")] {
            fs::write(&path, bytes).expect("writable");
            let state = read(&path);
            assert_eq!(state.text, None);
            assert!(state.problem.is_some_and(|problem| problem.contains(line)), "{line}");
        }
        fs::write(&path, vec![b' '; (10 << 20) + 1]).expect("writable");
        let state = read(&path);
        assert_eq!((state.version.as_str(), state.text), ("unusable", None));
        assert!(matches!(write(&path, "unusable", "x"), Err(Refusal::Conflict(_))));
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("a folder");
        assert!(read(&path).problem.is_some_and(|problem| problem.contains("folder")));
        assert!(matches!(write(&path, "unusable", "x"), Err(Refusal::Conflict(_))));
    }

    /// An empty file can be edited, unlike a missing one.
    #[test]
    fn an_empty_file_is_a_text() {
        let folder = folder();
        let path = folder.path().join("guard.cu");
        fs::write(&path, "").expect("writable");
        let state = read(&path);
        assert_eq!(state.text.as_deref(), Some(""));
        write(&path, &state.version, "x").expect("written");
    }

    #[test]
    fn a_text_may_be_as_large_as_a_source() {
        let folder = folder();
        let path = folder.path().join("guard.cu");
        let largest = " ".repeat(source::MAX_BYTES as usize);
        let version = write(&path, "missing", &largest).expect("written");
        assert_eq!(write(&path, &version, &(largest + " ")), Err(Refusal::TooLarge));
    }

    /// A read-only file stays, a link stays a link, and permissions stay.
    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = folder();
        let path = folder.path().join("guard.cu");
        fs::write(&path, "one").expect("writable");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("permissions");
        let link = folder.path().join("link.cu");
        symlink(&path, &link).expect("a link");
        let version = write(&link, &read(&link).version, "two").expect("written");
        assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "two");
        let mode = fs::metadata(&path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);

        fs::set_permissions(&path, Permissions::from_mode(0o440)).expect("permissions");
        let Err(Refusal::System(why)) = write(&path, &version, "three") else {
            panic!("a read-only file was replaced");
        };
        assert!(why.contains("read-only"), "{why}");
    }
}
