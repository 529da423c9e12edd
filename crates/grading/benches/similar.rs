//! How long it takes to compare the submissions of a class: `cargo bench -p grading`.
//!
//! Nearly every file shares something with another one, so this is the expensive case. The time
//! should grow a little faster than the class, because more files share something.

#[path = "../tests/similar/class.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod class;

use std::time::Instant;

use class::{Random, Versions, course, versions};
use grading::similar::{Options, Submission, compare};

/// A crowd: every student takes any version of each exercise and changes it a little, so that many
/// files are nearly the same.
fn crowd(versions: &[Versions], students: usize, random: &mut Random) -> Vec<Submission> {
    let mut class = vec![];
    for i in 0..students {
        let mut files = vec![];
        for one in versions {
            let all = one.mutants.iter().chain(&one.hands).chain([&one.solution]);
            let all: Vec<&String> = all.collect();
            let mut lines: Vec<&str> = all[random.below(all.len())].lines().collect();
            for _ in 0..3 {
                let (a, b) = (random.below(lines.len()), random.below(lines.len()));
                match random.below(3) {
                    0 => lines.swap(a, b),
                    1 => lines[a] = "    int spare = 3; if (spare < 4) return;",
                    _ => lines.insert(b, lines[a]),
                }
            }
            files.push((one.exercise.id.clone(), lines.join("\n")));
        }
        class.push((format!("crowd{i:03}"), files));
    }
    class
}

fn main() {
    let versions = versions();
    let course = course(&versions);
    for students in [50, 100, 200] {
        let class = crowd(&versions, students, &mut Random(5));
        let begin = Instant::now();
        let similar = compare(&course, &class, &Options::default());
        let took = begin.elapsed().as_secs_f64();
        println!("{students:4} students, {:5} files: {took:5.1} s", similar.files);
    }
}
