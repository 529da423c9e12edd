//! Records and plans on disk.

use std::{fs, io, path::Path};

use super::RecordFile;
use crate::plan::{PLAN, Plan};

/// The largest file that is read as a record: the largest real ones have a few megabytes.
const MAX_RECORD_BYTES: u64 = 64 << 20;

/// Why a folder's records could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}")]
pub struct Error {
    /// The file or folder.
    pub path: String,
    /// Why.
    pub source: io::Error,
}

/// All records (`*.json`) in `folder/records`, or in `folder` when it has no such folder, by name.
/// Files that are being written have other names. What cannot be read as a file is handed on empty,
/// so that the merge names it.
///
/// # Errors
/// When the folder cannot be listed.
pub fn records(folder: &Path) -> Result<Vec<RecordFile>, Error> {
    let inner = folder.join("records");
    let folder = if inner.is_dir() { inner } else { folder.to_owned() };
    let error = |source| Error { path: folder.display().to_string(), source };
    let mut found = vec![];
    for entry in fs::read_dir(&folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let small = |path: &Path| {
            fs::symlink_metadata(path)
                .is_ok_and(|data| data.is_file() && data.len() <= MAX_RECORD_BYTES)
        };
        let bytes = if small(&path) { fs::read(&path).unwrap_or_default() } else { vec![] };
        found.push(RecordFile { path: path.display().to_string(), bytes });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// The plan that `folder` was graded with (`folder/plan/plan.json`), if with one.
///
/// # Errors
/// When there is one that cannot be read.
pub fn plan(folder: &Path) -> Result<Option<Plan>, Error> {
    let path = folder.join("plan").join(PLAN);
    let error = |source| Error { path: path.display().to_string(), source };
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| error(e.into())),
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(other) => Err(error(other)),
    }
}
