//! Which of several files for an exercise counts.

use crate::policy::{Counts, Policy};
use crate::record::{Counted, Exercise, File, Status, Submission, TimeFrom, Version};

use super::late;

/// Makes that file the one of each exercise which counts by the policy, and sets
/// [`Exercise::counted`]. [`super::score`] then counts it.
///
/// The files of an exercise are in the order of [`File::order`]. *In time* and *days late* are
/// about the due date of the student, with extensions and without free days, because those are
/// shared by all exercises.
pub fn choose(
    policy: &Policy,
    student: &str,
    submission: &mut Submission,
    exercises: &mut [Exercise],
) {
    let at = submission.at;
    let assumed = submission.at_from == TimeFrom::Assumed;
    for exercise in exercises.iter_mut().filter(|exercise| !exercise.others.is_empty()) {
        let mut files = submission.files.iter_mut();
        let Some(slot) = files.find(|file| file.exercise == exercise.id) else { continue };
        let current = File { at: Some(slot.at.map_or(at, |file| file.min(at))), ..slot.clone() };
        let mut versions = std::mem::take(&mut exercise.others);
        versions.push(exercise.take_version(current));
        versions.sort_by_key(|version| version.file.order);
        let due = policy.due(&exercise.id, student).filter(|_| !assumed);
        let days = |version: &Version| {
            let at = version.file.at.unwrap_or(at);
            due.map_or(0, |due| policy.days_late(due, at))
        };
        for version in &mut versions {
            version.points = points(policy, exercise, version, days(version));
        }
        let (place, counted) = match policy.counts {
            Counts::Last => (versions.len() - 1, Counted::Last),
            Counts::LastOnTime => match versions.iter().rposition(|version| days(version) == 0) {
                Some(place) => (place, Counted::OnTime),
                None => (versions.len() - 1, Counted::NoneOnTime),
            },
            Counts::Best => (best(&versions), Counted::Best),
        };
        let file = exercise.put_version(versions.remove(place));
        *slot = File { at: file.at.filter(|file| *file < at), ..file };
        (exercise.others, exercise.counted) = (versions, Some(counted));
    }
}

/// The file with the most points; of several, the one that was submitted first. A file that the
/// machine could not grade might be the best one, so the grade is not complete with it.
fn best(versions: &[Version]) -> usize {
    let ungraded = versions.iter().position(|version| version.status == Status::NotGraded);
    let place = || {
        let all = versions.iter().enumerate().rev();
        all.max_by(|(_, a), (_, b)| a.points.total_cmp(&b.points)).map_or(0, |(place, _)| place)
    };
    ungraded.unwrap_or_else(place)
}

/// The points of a file less what its days late cost.
fn points(policy: &Policy, exercise: &Exercise, version: &Version, days: u32) -> f64 {
    let mut alone = Exercise { by_hand: None, others: vec![], ..exercise.clone() };
    alone.put_version(version.clone());
    super::count(policy.rule(&exercise.id), &mut alone);
    (alone.points - late::loss(policy, &alone, days)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::Course;
    use crate::points::score;
    use crate::record::{Item, Kind, Outcome, Show};

    fn item(held: bool) -> Item {
        Item {
            name: String::new(),
            kind: Kind::Case,
            hidden: false,
            show: Show::Everything,
            reveal: None,
            outcome: if held { Outcome::Held } else { Outcome::Failed },
            given: false,
            points: 0.0,
            possible: 0.0,
            extra: 0.0,
            slug: String::new(),
            message: String::new(),
            line: None,
            again: None,
            millis: 0,
            speed: None,
        }
    }

    fn file(order: u32, day: u32) -> File {
        File {
            path: format!("{order}.cu"),
            exercise: "a".to_owned(),
            hash: order.to_string(),
            bytes: 1,
            at: Some(format!("2026-10-0{day}T10:00:00Z").parse().unwrap()),
            order,
        }
    }

    /// Half of it on the first day, all of it on the second, half of it on the third, which is the
    /// last submission.
    fn three() -> (Submission, Vec<Exercise>) {
        let with = |held: [bool; 2]| Exercise {
            status: Status::Failed,
            items: held.map(item).into(),
            ..Exercise::missing("a", "c1", "")
        };
        let mut exercise = with([true, false]);
        exercise.others = vec![
            with([true, true]).take_version(file(2, 2)),
            with([false, true]).take_version(file(1, 1)),
        ];
        let last = file(3, 3);
        let mut submission = Submission::absent(last.at.unwrap());
        submission.at_from = TimeFrom::Stated;
        submission.files = vec![File { at: None, ..last }];
        (submission, vec![exercise])
    }

    /// The place of the file that counts, the reason, whether it has a time of its own, and the
    /// sum.
    fn counted(text: &str, all: &mut (Submission, Vec<Exercise>)) -> (u32, Counted, bool, f64) {
        let course = Course::example(&[("c1", "a")]);
        let policy = Policy::parse(text, &course).unwrap_or_else(|error| panic!("{error}"));
        choose(&policy, "ada", &mut all.0, &mut all.1);
        let sum = score(&policy, "ada", &all.0, &mut all.1);
        let (file, exercise) = (&all.0.files[0], &all.1[0]);
        assert_eq!(exercise.file.as_ref(), Some(&file.path));
        let mut orders: Vec<u32> = exercise.others.iter().map(|one| one.file.order).collect();
        assert!(orders.is_sorted());
        orders.push(file.order);
        orders.sort_unstable();
        assert_eq!(orders, [1, 2, 3], "none is lost");
        (file.order, exercise.counted.unwrap(), file.at.is_some(), sum.points)
    }

    const LATE: &str = "due = 2026-10-01T12:00:00Z\n[late]\npenalty = 0.2\n";

    /// Each rule, and from each to each other: the policy can change without a run.
    #[test]
    fn the_file_that_counts() {
        let last = format!("{LATE}[attempts]\ncounts = \"last\"");
        let in_time = format!("{LATE}[attempts]\ncounts = \"last-on-time\"");
        let best = format!("{LATE}[attempts]\ncounts = \"best\"");
        let extended = format!("{in_time}\n[students.ada]\nextension_days = 1");
        let dear = best.replace("0.2", "0.6");
        let overdue = in_time.replace("2026-10-01", "2026-09-01");
        let rules = [
            (&last, (3, Counted::Last, false, 1.0)),
            (&in_time, (1, Counted::OnTime, true, 5.0)),
            (&extended, (2, Counted::OnTime, true, 10.0)),
            (&overdue, (3, Counted::NoneOnTime, false, 0.0)),
            (&best, (2, Counted::Best, true, 8.0)),
            // one day late costs more than the other half gives
            (&dear, (1, Counted::Best, true, 5.0)),
        ];
        for (before, _) in &rules {
            for (text, expected) in &rules {
                let mut all = three();
                counted(before, &mut all);
                assert_eq!(counted(text, &mut all), *expected, "{before}, then {text}");
            }
        }
        let mut all = three();
        counted(&best, &mut all);
        let points: Vec<f64> = all.1[0].others.iter().map(|one| one.points).collect();
        assert_eq!(points, [5.0, 1.0]);
        // no time is known, so none is late, and of equal ones the first counts
        let mut all = three();
        all.0.at_from = TimeFrom::Assumed;
        all.1[0].items = vec![item(true), item(true)];
        assert_eq!(counted(&best, &mut all), (2, Counted::Best, true, 10.0));
    }

    /// Of files that the machine could not grade, none can be said to be worse.
    #[test]
    fn a_file_without_a_grade_may_be_the_best_one() {
        let course = Course::example(&[("c1", "a")]);
        let policy = Policy::parse("[attempts]\ncounts = \"best\"", &course).unwrap();
        let (mut submission, mut exercises) = three();
        exercises[0].others[1].status = Status::NotGraded;
        choose(&policy, "ada", &mut submission, &mut exercises);
        assert!(!score(&policy, "ada", &submission, &mut exercises).complete);
    }
}
