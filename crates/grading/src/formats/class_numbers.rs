//! Numbers about a class: how points are spread, which exercises are hard, what goes wrong most
//! often.

use std::collections::BTreeMap;

use super::platform::is_complete;
use crate::record::{Record, Status};

/// The spread of the share of points over students with a submission and a complete grade.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// Students with 0 to 10 percent, 10 to 20, ..., 90 and more; a bound belongs to the upper one.
    pub bins: [usize; 10],
    /// Students in the last bin above 100 percent.
    pub above: usize,
    /// In percent; `None` when there is no such student.
    pub median: Option<f64>,
    /// In percent.
    pub mean: Option<f64>,
}

impl Spread {
    /// The spread of a class.
    pub fn new(records: &[Record]) -> Self {
        let whole = records
            .iter()
            .filter(|r| is_complete(r) && r.score.possible > 0.0 && !r.submission.is_absent());
        let mut percents: Vec<f64> = whole
            .map(|record| 100.0 * record.score.points / record.score.possible)
            .filter(|percent| percent.is_finite())
            .collect();
        percents.sort_by(f64::total_cmp);
        let mut bins = [0; 10];
        for percent in &percents {
            // A cast from f64 saturates: what is below 0 is in the first.
            if let Some(bin) = bins.get_mut(((percent / 10.0) as usize).min(9)) {
                *bin += 1;
            }
        }
        let middle = percents.len() / 2;
        let median = percents.get(middle).map(|upper| match percents.len() % 2 {
            0 => percents.get(middle - 1).map_or(*upper, |lower| f64::midpoint(*lower, *upper)),
            _ => *upper,
        });
        let mean = median.map(|_| percents.iter().sum::<f64>() / percents.len() as f64);
        let round = |percent: f64| (percent * 10.0).round() / 10.0;
        Self {
            bins,
            above: percents.iter().filter(|percent| **percent > 100.0).count(),
            median: median.map(round),
            mean: mean.map(round),
        }
    }

    /// A bin in words.
    pub fn bin(index: usize) -> String {
        match index {
            9 => "90 percent and more".into(),
            _ => format!("{} to {} percent", index * 10, index * 10 + 10),
        }
    }
}

/// The difficulty of an exercise.
#[derive(Debug, Clone, PartialEq)]
pub struct Difficulty {
    /// Its name.
    pub id: String,
    /// Its chapter.
    pub chapter: String,
    /// The mean share of points among students who submitted it.
    pub mean: f64,
    /// Students who passed, were partly right, failed, and submitted nothing.
    pub counts: [usize; 4],
}

/// Exercises that at least one student submitted, the hardest first. Ungraded and excused exercises
/// do not count.
pub fn hardest(records: &[Record]) -> Vec<Difficulty> {
    let mut list: Vec<Difficulty> = vec![];
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for exercise in records.iter().flat_map(|record| &record.exercises) {
        if exercise.excused || exercise.status == Status::NotGraded || exercise.possible <= 0.0 {
            continue;
        }
        let place = *places.entry(&exercise.id).or_insert_with(|| {
            let (id, chapter) = (exercise.id.clone(), exercise.chapter.clone());
            list.push(Difficulty { id, chapter, mean: 0.0, counts: [0; 4] });
            list.len() - 1
        });
        let Some(difficulty) = list.get_mut(place) else { continue };
        let [passed, partial, failed, missing] = &mut difficulty.counts;
        match exercise.status {
            Status::Passed => *passed += 1,
            Status::Partial => *partial += 1,
            Status::Failed => *failed += 1,
            Status::Missing | Status::NotGraded => *missing += 1,
        }
        if exercise.status != Status::Missing {
            // The sum for now.
            difficulty.mean += exercise.points / exercise.possible;
        }
    }
    list.retain_mut(|difficulty| {
        let [passed, partial, failed, _] = difficulty.counts;
        let handed_in = passed + partial + failed;
        difficulty.mean /= handed_in.max(1) as f64;
        handed_in > 0
    });
    list.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    list
}

/// A diagnosis and how often it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Its stable name: "shared-race".
    pub slug: String,
    /// Students who have it at least once.
    pub students: usize,
    /// How often it was made in all.
    pub reports: usize,
    /// The exercise where it was made most often.
    pub mostly: String,
}

/// Diagnoses of exercises that are not passed, the commonest first.
pub fn diagnoses(records: &[Record]) -> Vec<Diagnosis> {
    let mut found: BTreeMap<&str, (usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for record in records {
        let mut own: Vec<&str> = vec![];
        for exercise in &record.exercises {
            let Some(report) = exercise.report.as_ref().filter(|report| !report.passed) else {
                continue;
            };
            let (students, places) = found.entry(&report.slug).or_default();
            *places.entry(&exercise.id).or_default() += 1;
            if !own.contains(&report.slug.as_str()) {
                own.push(&report.slug);
                *students += 1;
            }
        }
    }
    let mut list: Vec<Diagnosis> = found
        .into_iter()
        .map(|(slug, (students, places))| Diagnosis {
            slug: slug.to_owned(),
            students,
            reports: places.values().sum(),
            mostly: places
                .iter()
                .max_by_key(|(_, count)| **count)
                .map(|(id, _)| (*id).to_owned())
                .unwrap_or_default(),
        })
        .collect();
    list.sort_by_key(|d| (std::cmp::Reverse(d.students), std::cmp::Reverse(d.reports)));
    list
}
