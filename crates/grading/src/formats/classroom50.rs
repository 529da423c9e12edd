//! Classroom 50's `result.json`, as its autograders write it.
//!
//! Implements `schemas/result-v1.schema.json` of <https://github.com/foundation50/classroom50> and
//! the rules that `validate_result` of its `runner.py` adds: points are integers, no score is above
//! its maximum, and the student must be what the runner expects. The runner hands that over in
//! environment variables; see [`render`].
//!
//! * A test is an exercise, less what being late took. Points are in hundredths, so that every
//!   student's maximum is the same and the scores of the tests add up to the score exactly.
//! * There is no extra credit there: it counts, up to the maximum. Its tests have 0 of 0 points and
//!   say what they add.

use jiff::Timestamp;
use serde::Serialize;

use super::platform::{self, kept, name, points, report_text};
use super::{Audience, Error, Format, Options, Write};
use crate::record::{Exercise, Record, Status};
use crate::text;

/// This format, for one student.
pub static FORMAT: Format = Format {
    name: "classroom50",
    file_name: "result.json",
    audience: Audience::Student,
    write: Write::Student(write),
};

/// How many of Classroom 50's points one point is.
const SCALE: f64 = 100.0;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Results {
    schema: &'static str,
    classroom: String,
    assignment: String,
    #[serde(rename = "assignment_type")]
    assignment_type: String,
    owner: String,
    submission: String,
    commit: String,
    release: String,
    review: String,
    datetime: String,
    #[serde(rename = "graded_at")]
    graded_at: String,
    score: u64,
    max_score: u64,
    tests: Vec<Test>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Test {
    test_name: String,
    passed: bool,
    score: u64,
    max_score: u64,
    /// Kept by the runner as it is: fields of a test's own are allowed.
    output: String,
}

/// One record as `result.json`.
///
/// [`Options::platform`] holds what the runner hands over: `CLASSROOM`, `ASSIGNMENT`, `USERNAME`,
/// `SUBMISSION_TAG`, `COMMIT_URL` and `RELEASE_URL`; also `REVIEW_URL` (else the commit) and `MODE`
/// (else "individual").
///
/// # Errors
/// When it is not one record, its grade is not complete, or one of these is missing. The caller
/// must then fail: a result without tests is a pass.
fn write(record: &Record, options: &Options) -> Result<String, Error> {
    platform::check(&FORMAT, record)?;
    let given = |key: &str| {
        options.platform.get(key).map(|v| v.trim()).filter(|v| !v.is_empty()).map(str::to_owned)
    };
    let needed = |key: &'static str| {
        given(key).ok_or_else(|| Error::Missing {
            format: FORMAT.name,
            what: format!("the environment variable {key}"),
            way_out: "Classroom 50's runner sets it for an autograder".into(),
        })
    };
    let submission = needed("SUBMISSION_TAG")?;
    if !submission.starts_with("submit/") {
        return Err(Error::Missing {
            format: FORMAT.name,
            what: "SUBMISSION_TAG to begin with submit/".into(),
            way_out: "it is the tag that the runner grades".into(),
        });
    }
    let commit = needed("COMMIT_URL")?;
    let ordinary: Vec<&Exercise> = record.exercises.iter().filter(|e| !e.bonus).collect();
    let most: Vec<u64> = ordinary.iter().map(|exercise| scaled(exercise.possible)).collect();
    let net = ordinary.iter().map(|exercise| {
        let (kept, extra) = kept(exercise);
        scaled(kept - extra)
    });
    let net: Vec<u64> = net.collect();
    let max_score: u64 = most.iter().sum();
    let earned = scaled(record.score.points);
    let without_extra = scaled(record.score.points - record.score.extra.max(0.0));
    let mut scores = share(without_extra, &net, &most).into_iter().zip(most);
    let tests = record.exercises.iter().map(|exercise| {
        let (score, max_score) =
            if exercise.bonus { None } else { scores.next() }.unwrap_or((0, 0));
        test(exercise, score, max_score)
    });
    let results = Results {
        schema: "classroom50/result/v1",
        classroom: needed("CLASSROOM")?,
        assignment: needed("ASSIGNMENT")?,
        assignment_type: given("MODE").unwrap_or_else(|| "individual".into()).to_lowercase(),
        owner: needed("USERNAME")?,
        submission,
        release: needed("RELEASE_URL")?,
        review: given("REVIEW_URL").unwrap_or_else(|| commit.clone()),
        commit,
        datetime: second(record.submission.at),
        graded_at: second(record.made.at),
        score: earned.min(max_score),
        max_score,
        tests: tests.collect(),
    };
    super::json(&FORMAT, &results)
}

fn test(exercise: &Exercise, score: u64, max_score: u64) -> Test {
    let extra = match (exercise.excused, kept(exercise).1) {
        (true, _) => " (excused)".to_owned(),
        (_, extra) if exercise.bonus || extra != 0.0 => {
            format!(" (extra credit: +{})", points(extra))
        }
        _ => String::new(),
    };
    let mut output = vec![match exercise.status {
        _ if exercise.excused => "excused".to_owned(),
        Status::Missing => "no file with that name was submitted".to_owned(),
        status => status.as_str().to_owned(),
    }];
    if let Some(why) = &exercise.contained {
        output.push(format!("the code was stopped: {}", text::plain(why)));
    }
    if exercise.penalty != 0.0 {
        output.push(format!("{} points taken for being late", points(exercise.penalty)));
    }
    for item in &exercise.items {
        output.push(format!("{}: {}", text::line(&item.name), text::line(&item.message)));
    }
    output.extend(exercise.report.as_ref().filter(|report| !report.passed).map(report_text));
    Test {
        test_name: name(&format!("{}: {}{extra}", exercise.id, exercise.goal), "exercise"),
        passed: exercise.status == Status::Passed || exercise.excused,
        score,
        max_score,
        output: output.join("\n"),
    }
}

/// In hundredths, never negative.
fn scaled(points: f64) -> u64 {
    // A cast from f64 saturates, and turns what is no number into 0.
    (points * SCALE).round().max(0.0) as u64
}

/// `total` spread over tests as their points ask for, none above its maximum: where roundings or a
/// cap on the sum make it differ from the sum of the points, in proportion to them.
fn share(total: u64, points: &[u64], most: &[u64]) -> Vec<u64> {
    let capped: Vec<u64> =
        points.iter().zip(most).map(|(points, most)| *points.min(most)).collect();
    let sum: u64 = capped.iter().sum();
    let total = total.min(most.iter().sum());
    let mut scores: Vec<u64> = if sum > total {
        let part = |points: &u64| u128::from(*points) * u128::from(total) / u128::from(sum.max(1));
        capped.iter().map(|points| u64::try_from(part(points)).unwrap_or(*points)).collect()
    } else {
        capped
    };
    let mut left = total.saturating_sub(scores.iter().sum());
    // The remainder of rounding goes to tests that have points already, the rest wherever there is
    // room.
    for only_scored in [true, false] {
        for ((score, points), most) in scores.iter_mut().zip(points).zip(most) {
            let room = if only_scored && *points == 0 { 0 } else { most - (*score).min(*most) };
            let more = if only_scored { left.min(room).min(1) } else { left.min(room) };
            *score += more;
            left -= more;
        }
    }
    scores
}

/// A moment as the schema's pattern has it: in UTC, to the second.
fn second(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Tests add up to the score, none has more than its maximum, and points that already fit
        /// stay what they are.
        #[test]
        fn shares_add_up(
            tests in prop::collection::vec((0_u64..5_000, 0_u64..5_000), 1..50),
            total in 0_u64..200_000,
        ) {
            let (points, most): (Vec<u64>, Vec<u64>) = tests.into_iter().unzip();
            let scores = share(total, &points, &most);
            prop_assert_eq!(scores.iter().sum::<u64>(), total.min(most.iter().sum()));
            prop_assert!(scores.iter().zip(&most).all(|(score, most)| score <= most));
            let capped: Vec<u64> = points.iter().zip(&most).map(|(a, b)| *a.min(b)).collect();
            prop_assert_eq!(&share(capped.iter().sum(), &points, &most), &capped);
        }
    }

    /// The schema's pattern has no fraction of a second and no offset.
    #[test]
    fn moments_are_whole_seconds_in_utc() {
        let at: Timestamp = "2026-06-01T16:32:01.25+02:00".parse().unwrap();
        assert_eq!(second(at), "2026-06-01T14:32:01Z");
    }
}
