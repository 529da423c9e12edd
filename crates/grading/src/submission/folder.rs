//! Submissions that are folders.

use crate::text::shown;
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use super::pick::{Offer, Picker};
use super::{Reason, names, of_io, open};

/// Offers every file below `root`. Archives that lie directly in it come back by their paths: they
/// are read, too.
pub fn read(root: &Path, picker: &mut Picker<'_>) -> Result<Vec<PathBuf>, Reason> {
    let mut entries = 0;
    let mut archives = vec![];
    // Folders still to be read, by their names from `root` on.
    let mut left: VecDeque<(Vec<Vec<u8>>, PathBuf)> =
        VecDeque::from([(vec![], root.to_path_buf())]);
    while let Some((folder, path)) = left.pop_front() {
        let mut children = vec![];
        for child in fs::read_dir(&path).map_err(|error| of_io(&error))? {
            entries += 1;
            if entries > picker.limits().entries {
                return Err(Reason::Entries(picker.limits().entries));
            }
            let child = child.map_err(|error| of_io(&error))?;
            let kind = child.file_type().map_err(|error| of_io(&error))?;
            children.push((child.file_name(), kind, child.path()));
        }
        children.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, kind, path) in children {
            let name = name.as_encoded_bytes();
            let mut parts: Vec<&[u8]> = folder.iter().map(Vec::as_slice).collect();
            parts.push(name);
            if kind.is_dir() {
                if !Picker::enters(name) {
                    continue;
                }
                if parts.len() > picker.limits().depth {
                    return Err(Reason::Depth(picker.limits().depth));
                }
                left.push_back((parts.iter().map(|part| part.to_vec()).collect(), path));
                continue;
            }
            let is_archive = folder.is_empty()
                && kind.is_file()
                && !name.starts_with(b".")
                && names::without_archive_ending(&shown(name)).is_some();
            if is_archive {
                archives.push(path);
                continue;
            }
            let Offer::Wanted(wanted) = picker.offer(&parts) else { continue };
            if kind.is_symlink() {
                picker.refuse(wanted, "it is a link: put the file itself there");
            } else if !kind.is_file() {
                picker.refuse(wanted, "it is not a regular file");
            } else {
                match open(&path, false) {
                    Ok(file) => picker.read(wanted, file)?,
                    Err(error) => picker.refuse(wanted, &format!("it cannot be read: {error}")),
                }
            }
        }
    }
    Ok(archives)
}
