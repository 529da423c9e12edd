//! The work of the course's kernels, as `checker dev bound` has recorded it, and the table that
//! compares their bounds with the times that were measured on GPUs.

use std::fmt::Write;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use checker::gains::{self, Changed, Gain};
use checker::spec::Spec;
use checker::{course, exercises, progress};

use super::{Bound, CARDS, Card, Limit, Work};

const RECORD: &str = include_str!("../../../../checker/proof/records/bounds.toml");

/// One of the two files of an exercise that are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum File {
    /// The file that a learner starts with.
    Original,
    /// The solution.
    Solution,
}

impl File {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Original, Self::Solution];

    /// Its text; `None` if the exercise has none.
    pub fn text(self, spec: &Spec) -> Option<&'static str> {
        match self {
            Self::Original => course::skeleton(spec),
            Self::Solution => course::solution(spec),
        }
    }

    /// The measured time of its kernels in milliseconds; `None` if the file has changed since.
    pub const fn time(self, gain: &Gain) -> Option<f64> {
        match (self, gain.changed) {
            (_, Some(Changed::Exercise)) | (Self::Solution, Some(Changed::Solution)) => None,
            (Self::Original, _) => gain.kernels.skeleton,
            (Self::Solution, None) => Some(gain.kernels.solution),
        }
    }
}

/// Launches that do the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launches {
    /// How many.
    pub number: usize,
    /// What each does.
    pub work: Work,
}

/// The kernels of one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernels {
    /// The exercise.
    pub exercise: String,
    /// Which of its files.
    pub file: File,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Its launches in their order.
    pub launches: Vec<Launches>,
}

impl Kernels {
    /// The work of a file's launches.
    pub fn new(spec: &Spec, file: File, text: &str, work: &[Work]) -> Self {
        let same = work.chunk_by(|a, b| a == b);
        let launches =
            same.filter_map(|same| Some(Launches { number: same.len(), work: *same.first()? }));
        Self {
            exercise: spec.id.into(),
            file,
            sha256: progress::hash(text.as_bytes()),
            launches: launches.collect(),
        }
    }

    /// The bound of these kernels on a card.
    pub fn bound(&self, card: &Card) -> Bound {
        let all = self.launches.iter().flat_map(|same| vec![same.work; same.number]);
        Bound::of(&all.collect::<Vec<_>>(), card)
    }
}

/// The work of all kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// In the order of the course.
    pub kernels: Vec<Kernels>,
}

impl Record {
    /// The record of the repository.
    ///
    /// # Errors
    /// When the file cannot be parsed.
    pub fn load() -> anyhow::Result<Self> {
        toml::from_str(RECORD).context("bounds.toml")
    }

    /// The kernels of a file.
    pub fn find(&self, spec: &Spec, file: File) -> Option<&Kernels> {
        self.kernels.iter().find(|kernels| kernels.exercise == spec.id && kernels.file == file)
    }
}

/// A kernel's bound on a card, and the time that was measured there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Milliseconds.
    pub bound: f64,
    /// Milliseconds.
    pub measured: f64,
    /// What limits it.
    pub limiter: Limit,
}

/// The time of a file's kernels on a card, in milliseconds, if it was measured there.
///
/// # Errors
/// When a record of times cannot be parsed.
pub fn measured(card: &Card, exercise: &str, file: File) -> anyhow::Result<Option<f64>> {
    for record in [gains::recorded()?, gains::recorded_on_h200()?] {
        if record.gpu.contains(card.name) {
            let gain = record.exercises.iter().find(|gain| gain.id == exercise);
            return Ok(gain.and_then(|gain| file.time(gain)));
        }
    }
    Ok(None)
}

/// The bounds of all kernels that were measured on a card, beside their times.
///
/// # Errors
/// As [`measured`].
pub fn rows(record: &Record, card: &Card) -> anyhow::Result<Vec<Row>> {
    let mut rows = vec![];
    for kernels in &record.kernels {
        if let Some(measured) = measured(card, &kernels.exercise, kernels.file)? {
            let bound = kernels.bound(card);
            let limiter = bound.limiter();
            rows.push(Row { bound: bound.seconds * 1e3, measured, limiter });
        }
    }
    Ok(rows)
}

/// Spearman's rank correlation of the bounds with the times.
pub fn rank_correlation(rows: &[Row]) -> f64 {
    let bounds = ranks(rows.iter().map(|row| row.bound));
    let times = ranks(rows.iter().map(|row| row.measured));
    let mean = (rows.len() as f64 - 1.0) / 2.0;
    let moment = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    moment(&bounds, &times) / (moment(&bounds, &bounds) * moment(&times, &times)).sqrt()
}

/// The rank of each value from 0; equal values have the mean of theirs.
fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let rank = |value: &f64| {
        let less = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        less as f64 + (equal as f64 - 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// The table of all kernels, as `proof/records/bounds.md` has it.
///
/// # Errors
/// As [`measured`].
pub fn table(record: &Record) -> anyhow::Result<String> {
    let mut text = String::new();
    for card in &CARDS {
        let rows = rows(record, card)?;
        let least = rows.iter().map(|row| row.bound / row.measured).fold(f64::MAX, f64::min);
        let most = rows.iter().map(|row| row.bound / row.measured).fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "{}: {} kernels, rank correlation {:.3}, the bound is {least:.2} to {most:.2} of the time.\n",
            card.name,
            rows.len(),
            rank_correlation(&rows)
        );
    }
    text.push_str(
        "| exercise | file | limit | H100: bound | time | share | H200: bound | time | share |\n",
    );
    text.push_str("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for kernels in &record.kernels {
        let file = match kernels.file {
            File::Original => "original",
            File::Solution => "solution",
        };
        let limiter = kernels.bound(&CARDS[0]).limiter();
        let limiter = serde_json::to_value(limiter)?;
        let limiter = limiter.as_str().unwrap_or_default().replace('_', " ");
        let _ = write!(text, "| {} | {file} | {limiter} |", kernels.exercise);
        for card in &CARDS {
            let bound = kernels.bound(card).seconds * 1e3;
            match measured(card, &kernels.exercise, kernels.file)? {
                Some(time) => {
                    let _ = write!(text, " {bound:.3} ms | {time:.3} ms | {:.2} |", bound / time);
                }
                None => {
                    let _ = write!(text, " {bound:.3} ms | | |");
                }
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// The files of an exercise that are right, so that their work can be counted.
pub fn files(spec: &'static Spec) -> impl Iterator<Item = (File, &'static str)> {
    File::ALL.into_iter().filter_map(|file| Some((file, file.text(spec)?)))
}

/// The exercises with a large case, each with that as its only case.
pub fn large_exercises() -> impl Iterator<Item = &'static Spec> {
    exercises::all().iter().filter_map(|spec| spec.with_large_case())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bound that isn't one misleads, and one that says nothing about the order of kernels is of
    /// no use.
    #[test]
    fn bounds_are_below_the_measured_times_and_order_the_kernels_like_them() {
        let record = Record::load().expect("the record");
        for card in &CARDS {
            let rows = rows(&record, card).expect("the times");
            assert!(rows.len() >= 60, "{}: {} kernels", card.name, rows.len());
            let correlation = rank_correlation(&rows);
            assert!(correlation >= 0.9, "{}: rank correlation {correlation}", card.name);
            for row in rows {
                assert!(row.bound <= 1.05 * row.measured, "{}: {row:?}", card.name);
            }
        }
    }

    /// The record is about the files of the course as they are.
    #[test]
    fn the_record_is_of_the_courses_files() {
        let record = Record::load().expect("the record");
        for kernels in &record.kernels {
            let spec = exercises::find(&kernels.exercise).expect("an exercise");
            let text = kernels.file.text(spec).expect("a file");
            assert_eq!(
                kernels.sha256,
                progress::hash(text.as_bytes()),
                "{}: run `checker dev bound --record`",
                kernels.exercise
            );
        }
        for spec in large_exercises() {
            assert!(record.find(spec, File::Solution).is_some(), "{}", spec.id);
        }
    }

    /// Both files of the record say the same.
    #[test]
    fn the_table_is_that_of_the_record() {
        let table = table(&Record::load().expect("the record")).expect("a table");
        let page = include_str!("../../../../checker/proof/records/bounds.md");
        assert!(page.ends_with(&table), "bounds.md: run `checker dev bound --record`");
    }

    /// Equal values share their ranks, and a reversed order has the correlation -1.
    #[test]
    fn ranks_and_their_correlation() {
        assert_eq!(ranks([5.0, 1.0, 5.0].into_iter()), [1.5, 0.0, 1.5]);
        let row = |bound, measured| Row { bound, measured, limiter: Limit::L2 };
        let rising = [row(1.0, 10.0), row(2.0, 11.0), row(7.0, 12.0)];
        assert!((rank_correlation(&rising) - 1.0).abs() < 1e-12);
        let falling = [row(3.0, 10.0), row(2.0, 11.0), row(1.0, 12.0)];
        assert!((rank_correlation(&falling) + 1.0).abs() < 1e-12);
    }
}
