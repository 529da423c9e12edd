//! The other files that a student submitted for the exercises: in this submission, and in earlier
//! ones that were graded.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use grading::policy::Counts;
use grading::record::{File, Record};
use grading::seed::sha256;
use grading::store::{self, is_same, known_files};
use grading::submission::{Submitted, SubmittedFile};

use super::GradingSession;
use crate::grade::Source;
use checker::exercises;

/// Most files of one exercise that are run: the last ones.
const MAX_VERSIONS: usize = 20;

/// A file that may not count.
#[derive(Debug, Clone)]
pub(super) struct Version {
    pub file: File,
    pub bytes: Vec<u8>,
}

/// The files of a student.
#[derive(Debug, Default)]
pub(super) struct Versions {
    /// For each exercise the one that was submitted last.
    pub last: Vec<Version>,
    /// The others that are graded.
    pub others: Vec<Version>,
}

/// The files of each exercise in their order, each text once: its place is that of its last
/// submission, and its time that of its first one.
fn by_exercise(all: impl Iterator<Item = Version>) -> BTreeMap<String, Vec<Version>> {
    let mut by_exercise: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    for version in all {
        let files = by_exercise.entry(version.file.exercise.clone()).or_default();
        let before = files.iter().position(|old| is_same(&old.file, &version.file));
        let first = before.and_then(|at| files.remove(at).file.at);
        let at = first.into_iter().chain(version.file.at).min();
        files.push(Version { file: File { at, ..version.file }, ..version });
    }
    for files in by_exercise.values_mut() {
        for (order, version) in (1..).zip(files) {
            version.file.order = order;
        }
    }
    by_exercise
}

impl GradingSession<'_> {
    /// Whether another file than the last may count.
    fn keeps_versions(&self) -> bool {
        self.inputs.policy.counts != Counts::Last
    }

    /// The files of a student: of this submission, of earlier parts of it, and of earlier
    /// submissions that have a record.
    pub(super) fn versions(
        &self,
        id: &str,
        submitted: &Submitted,
        before: Option<&Record>,
    ) -> Versions {
        let own =
            |file: &SubmittedFile| Version { file: file.to_record(), bytes: file.bytes.clone() };
        let last: Vec<Version> = submitted.files.iter().map(own).collect();
        if !self.keeps_versions() {
            return Versions { last, others: vec![] };
        }
        let kept = before.into_iter().flat_map(|before| self.kept_versions(id, before));
        let all = kept.chain(submitted.versions.iter().map(own)).chain(last);
        let (mut last, mut others) = (vec![], vec![]);
        for (_, mut files) in by_exercise(all) {
            last.extend(files.pop());
            let first = files.len().saturating_sub(MAX_VERSIONS - 1);
            others.extend(files.drain(first..));
        }
        Versions { last, others }
    }

    /// The files of a record whose copies are kept.
    fn kept_versions(&self, id: &str, before: &Record) -> Vec<Version> {
        let mut files: Vec<&File> = known_files(before).collect();
        files.sort_by_key(|file| file.order);
        let at = before.submission.at;
        let read = |file: &File| {
            let paths = [self.kept_path(id, file, true)?, self.kept_path(id, file, false)?];
            let bytes = paths.into_iter().filter_map(|path| fs::read(path).ok());
            bytes.into_iter().find(|bytes| sha256(bytes) == file.hash)
        };
        files
            .into_iter()
            .filter_map(|file| {
                let file = File { at: Some(file.at.unwrap_or(at)), order: 0, ..file.clone() };
                Some(Version { bytes: read(&file)?, file })
            })
            .collect()
    }

    /// Where the copy of a file is kept. Where several files of an exercise are, their names tell
    /// them apart by their hashes.
    pub(super) fn kept_path(&self, id: &str, file: &File, by_hash: bool) -> Option<PathBuf> {
        let spec = exercises::all().iter().find(|spec| spec.id == file.exercise)?;
        let folder = store::file_name(id);
        let folder = folder.strip_suffix(".json").unwrap_or(&folder);
        let name = match file.hash.get(..12).filter(|_| by_hash) {
            Some(hash) => format!("{}-{hash}.cu", spec.id),
            None => format!("{}.cu", spec.id),
        };
        Some(self.args.out.join("files").join(folder).join(spec.chapter).join(name))
    }

    /// Keeps a copy of a file, so that a failure can be repeated without unpacking the submission.
    pub(super) fn keep_file(&self, id: &str, version: &Version) -> Result<Source, String> {
        let Version { file, bytes } = version;
        let path = self.kept_path(id, file, self.keeps_versions()).unwrap_or_default();
        let kept = (|| {
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(&path, bytes)
        })();
        kept.map_err(|error| format!("{}: {error}", path.display()))?;
        let kept = path.display().to_string();
        Ok(Source { path: file.path.clone(), kept, bytes: bytes.clone() })
    }
}
