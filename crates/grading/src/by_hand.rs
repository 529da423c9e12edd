//! What an instructor decides by hand: points and comments that grading again keeps.
//!
//! ```toml
//! ["ada@example.org"]
//! comment = "Well done. See the note on guard."
//!
//! ["ada@example.org".guard]
//! points = 8          # in place of what the runs give, before any penalty
//! late_days = 0       # in place of the days that its time gives
//! comment = "The index is off by one, and the guard is right."
//! ```
//!
//! All keys can be left out. The file is read again in each run, so a decision that is removed from
//! it no longer holds.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::course::Course;
use crate::policy::{self, Policy, Problem};
use crate::record::{ByHand, Exercise};
use crate::seed;

/// More points than that are a slip of the keyboard.
const MAX_POINTS: f64 = 1_000_000.0;
/// More days than that, too.
const MAX_DAYS: i64 = 366;

/// The decisions for a class.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decisions {
    /// SHA-256 of the file; empty without one.
    pub hash: String,
    /// By the student's id.
    pub students: BTreeMap<String, Decision>,
}

/// The decisions for one student.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// What the student reads about the whole grade.
    pub comment: Option<String>,
    /// By the exercise's id.
    pub exercises: BTreeMap<String, ByHand>,
}

impl Decisions {
    /// The decisions that a file's text describes.
    ///
    /// # Errors
    /// All its problems by line; put the file's name before each.
    pub fn parse(text: &str, course: &Course) -> Result<Self, policy::Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader { text, course, problems: vec![] };
        let (root, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            reader.problem(error.span().unwrap_or(0..0), error.message().to_owned());
        }
        let mut students = BTreeMap::new();
        for (id, value) in root.get_ref() {
            let Some(table) = reader.table(value, "a student's table") else { continue };
            students.insert(id.get_ref().to_string(), reader.student(table));
        }
        if reader.problems.is_empty() {
            return Ok(Self { hash: seed::sha256(text.as_bytes()), students });
        }
        reader.problems.sort();
        Err(policy::Error(reader.problems))
    }

    /// Points above what an exercise can give by the policy, bonus gates included: the student, the
    /// exercise, the points, and the most that is possible.
    pub fn above(&self, policy: &Policy) -> Vec<(&str, &str, f64, f64)> {
        let all = self.students.iter().flat_map(|(student, decision)| {
            decision.exercises.iter().map(move |(exercise, by_hand)| (student, exercise, by_hand))
        });
        all.filter_map(|(student, exercise, by_hand)| {
            let rule = policy.rule(exercise)?;
            let (points, possible) = (by_hand.points?, rule.points + rule.extra());
            (points > possible).then_some((student.as_str(), exercise.as_str(), points, possible))
        })
        .collect()
    }

    /// Sets [`Exercise::by_hand`] of a student's exercises, and returns the comment on the whole
    /// grade. [`crate::points::score`] counts by it.
    pub fn apply(&self, student: &str, exercises: &mut [Exercise]) -> Option<String> {
        let decision = self.students.get(student);
        for exercise in exercises {
            exercise.by_hand = decision.and_then(|d| d.exercises.get(&exercise.id)).cloned();
        }
        decision.and_then(|decision| decision.comment.clone())
    }
}

struct Reader<'c> {
    text: &'c str,
    course: &'c Course,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn problem(&mut self, at: Range<usize>, what: String) {
        let before = self.text.get(..at.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        self.problems.push(Problem { line, what });
    }

    fn table<'v, 't>(
        &mut self,
        value: &'v Spanned<DeValue<'t>>,
        what: &str,
    ) -> Option<&'v DeTable<'t>> {
        if let DeValue::Table(table) = value.get_ref() {
            return Some(table);
        }
        self.problem(value.span(), format!("here must be {what}: `[\"ID\".EXERCISE]`"));
        None
    }

    fn student(&mut self, table: &DeTable<'_>) -> Decision {
        let mut decision = Decision::default();
        for (key, value) in table {
            let name = key.get_ref();
            if name == "comment" {
                decision.comment = self.text_of(value, "comment");
                continue;
            }
            if self.course.exercise(name).is_none() {
                let known = self.course.exercises.iter().map(|exercise| exercise.id.as_str());
                let meant = policy::nearest(name, known);
                let meant = meant.map(|id| format!("; did you mean `{id}`?")).unwrap_or_default();
                self.problem(key.span(), format!("no exercise is called `{name}`{meant}"));
            } else if let Some(table) = self.table(value, "an exercise's table") {
                decision.exercises.insert(name.to_string(), self.exercise(table));
            }
        }
        decision
    }

    fn exercise(&mut self, table: &DeTable<'_>) -> ByHand {
        let mut by_hand = ByHand::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "points" => by_hand.points = self.points(value),
                "late_days" => by_hand.late_days = self.days(value),
                "comment" => by_hand.comment = self.text_of(value, "comment"),
                other => self.problem(
                    key.span(),
                    format!("there is no key `{other}`; there are points, late_days and comment"),
                ),
            }
        }
        by_hand
    }

    fn text_of(&mut self, value: &Spanned<DeValue<'_>>, key: &str) -> Option<String> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(text.to_string());
        }
        self.problem(value.span(), format!("`{key}` must be text in quotes"));
        None
    }

    fn points(&mut self, value: &Spanned<DeValue<'_>>) -> Option<f64> {
        let number = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse::<f64>().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let points = number.filter(|points| (0.0..=MAX_POINTS).contains(points));
        if points.is_none() {
            self.problem(value.span(), "`points` must be a number, 0 or more".to_owned());
        }
        points
    }

    fn days(&mut self, value: &Spanned<DeValue<'_>>) -> Option<u32> {
        let days = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse::<i64>().ok(),
            _ => None,
        };
        let days = days.filter(|days| (0..=MAX_DAYS).contains(days));
        if days.is_none() {
            self.problem(value.span(), "`late_days` must be a whole number, 0 or more".to_owned());
        }
        days.and_then(|days| u32::try_from(days).ok())
    }
}
