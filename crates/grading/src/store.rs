//! Records on disk, one file for each student. A killed run loses none.
//!
//! `OUT/records/ID.json` is written under a temporary name in the same folder, flushed to the disk,
//! and then renamed over the old one, so a reader finds either the old record or the new one,
//! whole. Several processes may write to one folder, as long as their students differ.

mod again;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

pub use again::{Arrival, Inputs, Unstated, is_same, known_files, over_the_cap};

use crate::record::{Record, VERSION};
use crate::seed;
use crate::text::shown;

/// Larger files are not read, because no record is that large.
const MAX_RECORD_BYTES: u64 = 64 << 20;

/// Longest file name without its ending. File systems allow 255 bytes, and copies add to the name.
const MAX_NAME_BYTES: usize = 100;

/// A folder of records.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

/// A record could not be written, or its folder could not be used. Existing records are unchanged.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", shown(path.as_os_str().as_encoded_bytes()), explain(error))]
pub struct Error {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub error: io::Error,
}

fn explain(error: &io::Error) -> String {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => format!(
            "the disk is full ({error}); every record written so far is whole: make room and start again, and what is \
             graded is not graded twice"
        ),
        _ => error.to_string(),
    }
}

/// A file that is not a valid record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}:{line}: {what}")]
pub struct Damaged {
    /// The file, shown as by [`shown`].
    pub path: String,
    /// One-based; 1 if the problem has no line.
    pub line: usize,
    /// The problem and a way out.
    pub what: String,
}

impl Store {
    /// The records of a grading run, in `out/records`; the folder is made if need be.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(out: &Path) -> Result<Self, Error> {
        let folder = out.join("records");
        match fs::create_dir_all(&folder) {
            Ok(()) => Ok(Self { folder }),
            Err(error) => Err(Error { path: folder, error }),
        }
    }

    /// The records in `out/records`, which need not exist: a store to read from.
    pub fn existing(out: &Path) -> Self {
        Self { folder: out.join("records") }
    }

    /// The file of a student's record.
    pub fn path(&self, id: &str) -> PathBuf {
        self.folder.join(file_name(id))
    }

    /// Writes a record in place of the student's old one.
    ///
    /// # Errors
    /// When the disk is full or cannot be written. The old record is then unchanged.
    pub fn write(&self, record: &Record) -> Result<(), Error> {
        self.write_by(record, |file, bytes| file.write_all(bytes))
    }

    /// Removes a student's record, if there is one.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn remove(&self, id: &str) -> Result<(), Error> {
        let path = self.path(id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error { path, error }),
            _ => Ok(()),
        }
    }

    fn write_by(
        &self,
        record: &Record,
        write: impl FnOnce(&mut File, &[u8]) -> io::Result<()>,
    ) -> Result<(), Error> {
        let path = self.path(&record.student.id);
        self.try_write(record, &path, write).map_err(|error| Error { path, error })
    }

    fn try_write(
        &self,
        record: &Record,
        path: &Path,
        write: impl FnOnce(&mut File, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut bytes = serde_json::to_vec_pretty(record)?;
        bytes.push(b'\n');
        let mut builder = tempfile::Builder::new();
        builder.prefix(".").suffix(".part");
        // The umask decides which users can read grades, as for every other file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // The temporary file is removed when anything below fails.
        let mut part = builder.tempfile_in(&self.folder)?;
        write(part.as_file_mut(), &bytes)?;
        part.as_file().sync_all()?;
        part.persist(path).map_err(|error| error.error)?;
        // Flush the new name. Some systems cannot open a folder, but the file itself is safe in any
        // case.
        if let Ok(folder) = File::open(&self.folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// The record of a student; `None` when there is none.
    ///
    /// # Errors
    /// When the file is not a record of this student. Grading the student again overwrites it.
    pub fn read(&self, id: &str) -> Result<Option<Record>, Damaged> {
        let path = self.path(id);
        if !path.exists() {
            return Ok(None);
        }
        let record = read_file(&path)?;
        if record.student.id == id {
            return Ok(Some(record));
        }
        let what = format!(
            "it is the record of `{}`, not of `{}`",
            shown(record.student.id.as_bytes()),
            shown(id.as_bytes())
        );
        Err(Damaged { path: shown(path.as_os_str().as_encoded_bytes()), line: 1, what })
    }

    /// The files of all records, in the order of their names.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn paths(&self) -> Result<Vec<PathBuf>, Error> {
        let fail = |error| Error { path: self.folder.clone(), error };
        let mut paths = vec![];
        for entry in fs::read_dir(&self.folder).map_err(fail)? {
            let name = entry.map_err(fail)?.file_name();
            // A file that a killed run left half written begins with a point.
            let bytes = name.as_encoded_bytes();
            if bytes.ends_with(b".json") && !bytes.starts_with(b".") {
                paths.push(self.folder.join(name));
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// All records, one after the other; an invalid one does not stop the iteration.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn records(&self) -> Result<impl Iterator<Item = Result<Record, Damaged>> + use<>, Error> {
        Ok(self.paths()?.into_iter().map(|path| read_file(&path)))
    }
}

/// Reads one record.
///
/// # Errors
/// When the file cannot be read, is no record, or was made by a newer checker.
pub fn read_file(path: &Path) -> Result<Record, Damaged> {
    let damaged = |line: usize, what: String| Damaged {
        path: shown(path.as_os_str().as_encoded_bytes()),
        line: line.max(1),
        what,
    };
    let of_io = |error: io::Error| damaged(1, format!("it cannot be read: {error}"));
    let kind = fs::metadata(path).map_err(of_io)?;
    if !kind.is_file() || kind.len() > MAX_RECORD_BYTES {
        return Err(damaged(1, "it is no record: not a file, or far too large".to_owned()));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(of_io)?;
    BufReader::new(file.take(MAX_RECORD_BYTES)).read_to_string(&mut text).map_err(of_io)?;
    let of_json = |error: serde_json::Error| {
        let what = shown(error.to_string().as_bytes());
        damaged(error.line(), format!("it is no whole record ({what}): grade this student again"))
    };
    /// Read first, because fields of another version may mean something else.
    #[derive(serde::Deserialize)]
    struct Head {
        version: u32,
    }
    let head: Head = serde_json::from_str(&text).map_err(of_json)?;
    if head.version != VERSION {
        let what = format!(
            "it has version {}, and this checker reads {VERSION}: use the checker that made it",
            head.version
        );
        return Err(damaged(1, what));
    }
    serde_json::from_str(&text).map_err(of_json)
}

/// A file name for any id; two ids never share one.
///
/// Lower-case letters, digits and `._-@+` stay; other bytes become `%` and two digits. Names with
/// capital letters, Windows' device names such as `con`, very long names and the empty one also get
/// `~` and the beginning of the id's hash, because some file systems do not distinguish `Ada` from
/// `ada` or reserve these names.
pub fn file_name(id: &str) -> String {
    let mut name = String::new();
    for (at, byte) in id.bytes().enumerate() {
        match byte {
            b'.' | b'-' if at == 0 => name.push_str(&format!("%{byte:02x}")),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'@' | b'+' => {
                name.push(char::from(byte));
            }
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    let lower = name.to_ascii_lowercase();
    let stem = lower.split('.').next().unwrap_or_default();
    let device = ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(&stem)
        || (stem.len() == 4
            && ["com", "lpt"].iter().any(|device| stem.starts_with(device))
            && stem.ends_with(|c: char| c.is_ascii_digit()));
    let ambiguous = name.bytes().any(|byte| byte.is_ascii_uppercase());
    if device || ambiguous || name.is_empty() || name.len() > MAX_NAME_BYTES {
        // The name is ASCII, so any byte is a character boundary.
        name.truncate(MAX_NAME_BYTES);
        // Windows reserves a device name up to the first point, so the hash goes before it.
        let hash: String = seed::sha256(id.as_bytes()).chars().take(32).collect();
        name = if device { format!("~{hash}~{name}") } else { format!("{name}~{hash}") };
    }
    name + ".json"
}
