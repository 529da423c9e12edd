//! Classes made of the course's own files: skeletons, solutions, wrong versions, and solutions in
//! six hands.

use std::fs;
use std::path::{Path, PathBuf};

use grading::course::{Course, Exercise};
use grading::similar::Submission;

/// SplitMix64: the same class every time.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

/// An exercise of the repository with all versions that there are.
pub struct Versions {
    pub exercise: Exercise,
    pub solution: String,
    /// Wrong versions, each a small change of the solution or another way to be wrong.
    pub mutants: Vec<String>,
    /// Right versions in different hands; empty for most exercises.
    pub hands: Vec<String>,
}

pub fn versions() -> Vec<Versions> {
    let root = root();
    let mut found = vec![];
    for chapter in sorted(&root.join("exercises")).into_iter().filter(|path| path.is_dir()) {
        for file in sorted(&chapter) {
            let id = file.file_stem().unwrap().to_str().unwrap().to_owned();
            let chapter = chapter.file_name().unwrap().to_str().unwrap().to_owned();
            let read = |path: &Path| fs::read_to_string(path).unwrap();
            let mutants = mutants::of_exercise(&root, &chapter, &id);
            let hands = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/similar").join(&id);
            found.push(Versions {
                solution: read(&root.join("solutions").join(&chapter).join(format!("{id}.cu"))),
                mutants: mutants.into_iter().map(|mutant| mutant.unwrap().source).collect(),
                hands: if hands.exists() {
                    sorted(&hands).iter().map(|path| read(path)).collect()
                } else {
                    vec![]
                },
                exercise: Exercise {
                    id,
                    chapter,
                    goal: String::new(),
                    minutes: 5,
                    cases: vec![],
                    gates: vec![],
                    skeleton: read(&file),
                    timed: false,
                },
            });
        }
    }
    assert!(found.len() >= 45);
    found
}

pub fn course(versions: &[Versions]) -> Course {
    let exercises = versions.iter().map(|one| one.exercise.clone()).collect();
    Course { hash: String::new(), exercises }
}

/// Students who all have other files: each has a version of each exercise that no other student
/// has, as far as there are enough.
pub fn unrelated(versions: &[Versions], students: usize, random: &mut Random) -> Vec<Submission> {
    let mut class: Vec<Submission> =
        (0..students).map(|i| (format!("student{i:03}"), vec![])).collect();
    for one in versions {
        let all = one.mutants.iter().chain(&one.hands).chain([&one.solution]);
        let mut all: Vec<&String> = all.collect();
        random.shuffle(&mut all);
        let mut places: Vec<usize> = (0..students).collect();
        random.shuffle(&mut places);
        for (place, text) in places.into_iter().zip(all) {
            class[place].1.push((one.exercise.id.clone(), text.clone()));
        }
    }
    class
}
