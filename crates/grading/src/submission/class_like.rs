//! Recognises a class that was taken for one student's submission: a platform's download that was
//! not unpacked, or the folders of several students in one archive.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::naming::{Naming, Platform};

/// The paths of a submission, as far as they show whose it is.
#[derive(Debug, Default)]
pub struct Seen {
    files: usize,
    /// For each platform, the files that it named, and the students in these names.
    named: BTreeMap<usize, (usize, BTreeSet<String>)>,
    /// For each first folder, the exercises in it.
    folders: BTreeMap<Vec<u8>, BTreeSet<usize>>,
}

/// Folders of one exercise that no single student has.
const MANY_FOLDERS: usize = 3;

static PLATFORMS: LazyLock<[Naming; 5]> = LazyLock::new(|| Platform::ALL.map(Naming::of_platform));

impl Seen {
    /// Looks at the path of a file, with the exercise that it belongs to.
    pub fn add(&mut self, parts: &[&[u8]], exercise: Option<usize>) {
        self.files += 1;
        for (at, naming) in PLATFORMS.iter().enumerate() {
            let part = parts.iter().filter_map(|part| std::str::from_utf8(part).ok());
            let Some(named) = part.into_iter().find_map(|part| naming.read(part)) else { continue };
            let (files, students) = self.named.entry(at).or_default();
            *files += 1;
            students.insert(named.student);
        }
        if let (Some(exercise), [first, _, ..]) = (exercise, parts) {
            self.folders.entry(first.to_vec()).or_default().insert(exercise);
        }
    }

    /// The platform whose download this is: most files have names that it gives, and these are of
    /// several students.
    pub fn platform(&self) -> Option<Platform> {
        let is = |(files, students): &(usize, BTreeSet<String>)| {
            files * 2 > self.files && students.len() > 1
        };
        let most = self.named.iter().filter(|(_, named)| is(named)).max_by_key(|(_, n)| n.0);
        most.and_then(|(at, _)| Platform::ALL.get(*at).copied())
    }

    /// Whether its folders are of several students: they have ids that `is_student` knows, or many
    /// contain the same exercise.
    pub fn has_students(&self, is_student: impl Fn(&str) -> bool) -> bool {
        let named = self
            .folders
            .keys()
            .filter_map(|name| std::str::from_utf8(name).ok())
            .filter(|n| is_student(n));
        let mut times: BTreeMap<usize, usize> = BTreeMap::new();
        self.folders.values().flatten().for_each(|id| *times.entry(*id).or_default() += 1);
        named.count() > 1 || times.values().any(|times| *times >= MANY_FOLDERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(paths: &[&str]) -> Seen {
        let mut seen = Seen::default();
        for path in paths {
            let parts: Vec<&[u8]> = path.split('/').map(str::as_bytes).collect();
            seen.add(&parts, path.ends_with("blocks.cu").then_some(0));
        }
        seen
    }

    /// A download of several students is one, with and without a folder around it; a student who
    /// hands in what the platform once gave back is not.
    #[test]
    fn downloads_are_recognised() {
        for (platform, paths) in [
            (
                Platform::Moodle,
                ["Ada L_7_assignsubmission_file_/blocks.cu", "Bob_8_assignsubmission_file_/a/x.cu"],
            ),
            (Platform::Canvas, ["hw1/adal_1_2_blocks.cu", "hw1/bob_3_4_blocks.cu"]),
            (
                Platform::Blackboard,
                ["W_ada_attempt_2026-10-02-23-00-00_a.cu", "W_bob_attempt_2026-10-02-23-00-00.txt"],
            ),
        ] {
            assert_eq!(seen(&paths).platform(), Some(platform));
            assert_eq!(seen(&paths[..1]).platform(), None);
        }
        assert_eq!(seen(&["exercises/c1/blocks.cu", "README.md"]).platform(), None);
    }

    #[test]
    fn folders_of_students() {
        let two = seen(&["ada/blocks.cu", "bob/guard.cu", "bob/blocks.cu"]);
        assert!(two.has_students(|id| ["ada", "bob"].contains(&id)));
        assert!(!two.has_students(|_| false), "an old version beside the new one");
        assert!(seen(&["a/blocks.cu", "b/blocks.cu", "c/x/blocks.cu"]).has_students(|_| false));
        assert!(!seen(&["blocks.cu", "exercises/c1/blocks.cu"]).has_students(|_| false));
    }
}
