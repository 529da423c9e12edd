//! The result of a comparison, as data.

use serde::{Deserialize, Serialize};

/// Raised when a field of [`Similar`] is renamed, removed, or means something else.
pub const VERSION: u32 = 1;

/// How to compare. The defaults are calibrated on the course's own exercises: see the module's
/// documentation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Pairs with this score or more are listed, 0 to 1.
    pub threshold: f64,
    /// Most pairs that are listed, with the files that are needed to show them; the others are
    /// counted.
    pub most_pairs: usize,
    /// Tokens of the shortest agreement that counts, and of the fragments that are counted in the
    /// class.
    pub fragment: usize,
    /// How many tokens both must have written in vain: the score of n unusual tokens that are
    /// shared whole is n / (n + `doubt`). So a little agreement is never much of a score.
    pub doubt: f64,
    /// Code that at least this share of the class has (0 to 1), and at least
    /// [`MIN_COMMON_STUDENTS`] students, does not count.
    pub common: f64,
    /// Files besides the skeletons that every student could see, as (exercise, text): published
    /// solutions, examples from a lecture. Their code does not count either.
    pub known: Vec<(String, String)>,
}

/// Code of fewer students is never common.
pub const MIN_COMMON_STUDENTS: u32 = 5;

impl Default for Options {
    fn default() -> Self {
        Self {
            threshold: 0.5,
            most_pairs: 100,
            fragment: 12,
            doubt: 50.0,
            common: 1.0 / 3.0,
            known: vec![],
        }
    }
}

/// The pairs of a class that agree in what is neither given nor common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Similar {
    /// [`VERSION`].
    pub version: u32,
    /// Students that were compared.
    pub students: usize,
    /// Students of former classes, with whom these were compared.
    #[serde(default, skip_serializing_if = "is_none")]
    pub former: usize,
    /// Files of exercises of the course.
    pub files: usize,
    /// Pairs of students that were compared.
    pub compared: usize,
    /// [`Options::threshold`].
    pub threshold: f64,
    /// Pairs by score, in steps of a tenth: how many from 0 to below 0.1, and so on; the last one
    /// includes 1.
    pub scores: [usize; 10],
    /// Pairs with at least the threshold, the highest score first.
    pub pairs: Vec<Pair>,
    /// Pairs with at least the threshold beyond [`Options::most_pairs`].
    pub not_listed: usize,
    /// Three or more students who are linked by listed pairs, each group once.
    pub groups: Vec<Vec<String>>,
    /// The files of listed pairs.
    pub sources: Vec<Source>,
    /// Files that were left out because the course has no such exercise, as "student: exercise".
    pub ignored: Vec<String>,
    /// Files of which only the beginning was compared, as "student: exercise".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Two students.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The one who comes first in the alphabet.
    pub a: String,
    /// The other one.
    pub b: String,
    /// From 0 to below 1: `shared / (own + doubt)` over the exercises that count.
    pub score: f64,
    /// Unusual tokens that both have, over the exercises that count: a token that only these two
    /// have is 1, a common one 0.
    pub shared: f64,
    /// Unusual tokens that the one with fewer wrote, over the exercises that count.
    pub own: f64,
    /// Exercises with unusual tokens in common: those that count, then others that share half a
    /// fragment or more; of both, those that agree most first.
    pub exercises: Vec<Agreement>,
}

/// Two files of one exercise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// `blocks`.
    pub exercise: String,
    /// Whether it is part of the score: the exercises that make it highest are.
    pub counts: bool,
    /// Unusual tokens that both have.
    pub shared: f64,
    /// Unusual tokens of `a`'s file.
    pub own_a: f64,
    /// Unusual tokens of `b`'s file.
    pub own_b: f64,
    /// The regions in which they agree, in the order of `a`'s file.
    pub regions: Vec<Region>,
}

impl Agreement {
    /// The share of what the one with less wrote, 0 to 1.
    pub fn share(&self) -> f64 {
        ratio(self.shared, self.own_a.min(self.own_b))
    }

    /// The shares of `a`'s and of `b`'s own unusual tokens, 0 to 1.
    pub fn shares(&self) -> (f64, f64) {
        (ratio(self.shared, self.own_a), ratio(self.shared, self.own_b))
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 }
}

/// Lines that agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// In `a`'s file.
    pub a: Lines,
    /// In `b`'s file.
    pub b: Lines,
    /// Tokens that agree there and count.
    pub tokens: u32,
    /// At most so many other students have one of these fragments.
    pub others: u32,
    /// Names and literals are the same, too.
    pub verbatim: bool,
    /// Lines side by side.
    pub rows: Vec<Row>,
}

/// One-based lines, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

/// One-based lines that stand side by side; `None` where the other file has a line more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// In `a`'s file.
    pub a: Option<u32>,
    /// In `b`'s file.
    pub b: Option<u32>,
}

/// A file of a listed pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its origin.
    pub student: String,
    /// Which exercise it is.
    pub exercise: String,
    /// Its lines, as handed in.
    pub lines: Vec<Line>,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Without its end; nothing is cleaned.
    pub text: String,
    /// Its origin.
    pub origin: Origin,
}

/// The origin of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A line that is not compared: a comment, a brace, an empty line.
    Nothing,
    /// It was given.
    Given,
    /// Many have it.
    Common,
    /// A student wrote it.
    Own,
}

impl Similar {
    /// The file of a listed pair.
    pub fn source(&self, student: &str, exercise: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.student == student && source.exercise == exercise)
    }

    /// The listed pair of two students, whichever is named first.
    pub fn pair(&self, one: &str, other: &str) -> Option<&Pair> {
        self.pairs
            .iter()
            .find(|pair| (pair.a == one && pair.b == other) || (pair.a == other && pair.b == one))
    }
}
