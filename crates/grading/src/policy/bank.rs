//! Free late days that are for a whole term: the records of earlier assignments say how many of
//! them each student has spent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Error, Policy, Problem};
use crate::record::{Exercise, Record, SpentDays};
use crate::seed;
use crate::store::Store;

/// Reads the folders that `[late] earlier` names, and takes what they spent from the free days of
/// this policy. Paths are relative to `base`, the folder of the policy's file; `out` is where this
/// assignment's records go.
///
/// # Errors
/// All problems with their lines: a folder without records, a record that cannot be read, this
/// assignment's own folder, the same folder twice. A day that is counted twice or not at all would
/// change grades silently.
pub fn read(policy: &mut Policy, base: &Path, out: &Path) -> Result<(), Error> {
    let Some(folders) = policy.late.earlier.clone() else { return Ok(()) };
    let mut problems = vec![];
    let mut seen: BTreeMap<PathBuf, String> = BTreeMap::new();
    let own = out.canonicalize().ok();
    for folder in folders {
        let mut problem = |what: String| problems.push(Problem { line: folder.line, what });
        let path = base.join(&folder.path);
        let shown = crate::text::shown(folder.path.as_bytes());
        let Ok(whole) = path.canonicalize() else {
            problem(format!(
                "there is no folder `{shown}`: name the folder that `--out` had, relative to this file"
            ));
            continue;
        };
        if own.as_ref() == Some(&whole) {
            problem(format!("`{shown}` is where this assignment's own records go: leave it out"));
            continue;
        }
        if let Some(other) = seen.insert(whole, shown.clone()) {
            problem(format!("`{shown}` and `{other}` are the same folder: leave one out"));
            continue;
        }
        if let Err(why) = spent_in(&path, &mut policy.spent) {
            problem(format!("`{shown}`: {why}"));
        }
    }
    if !problems.is_empty() {
        return Err(Error(problems));
    }
    let all = serde_json::to_string(&policy.spent).unwrap_or_default();
    policy.hash = seed::sha256(format!("{} {all}", policy.hash).as_bytes());
    Ok(())
}

/// Adds the days that the records in a folder spent.
fn spent_in(out: &Path, spent: &mut BTreeMap<String, Vec<SpentDays>>) -> Result<(), String> {
    let records = Store::existing(out)
        .records()
        .map_err(|_| "it has no folder `records`: name the folder that `--out` had".to_owned())?;
    let mut any = false;
    for record in records {
        let record = record.map_err(|damaged| damaged.to_string())?;
        any = true;
        if !record.score.complete {
            return Err(format!(
                "the grade of `{}` is not complete: grade that assignment again first",
                crate::text::shown(record.student.id.as_bytes())
            ));
        }
        let days = free_days(&record);
        if days > 0 {
            let one = SpentDays { title: record.made.title.clone(), days };
            spent.entry(record.student.id).or_default().push(one);
        }
    }
    if any {
        Ok(())
    } else {
        Err("there is no record in it: grade that assignment first".to_owned())
    }
}

/// The free days that a record spent. Exercises that are due together share them.
pub fn free_days(record: &Record) -> u32 {
    let mut by_due: BTreeMap<_, u32> = BTreeMap::new();
    for Exercise { due, free_days, .. } in &record.exercises {
        let most = by_due.entry(due).or_default();
        *most = (*most).max(*free_days);
    }
    by_due.values().fold(0, |sum, days| sum.saturating_add(*days))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::course::Course;
    use crate::formats::fixture;
    use crate::record::Status;

    /// A record that spent free days on two due dates; exercises of one date share its days.
    fn record(id: &str, title: &str, days: [u32; 2]) -> Record {
        let mut record = fixture::class().swap_remove(0);
        record.student.id = id.to_owned();
        record.made.title = title.to_owned();
        record.exercises.truncate(3);
        for (place, exercise) in record.exercises.iter_mut().enumerate() {
            exercise.status = Status::Passed;
            exercise.free_days = days[place.min(1)];
            let due = format!("2026-10-0{}T12:00:00Z", 1 + place.min(1));
            exercise.due = Some(due.parse().unwrap());
        }
        record.score.complete = true;
        record
    }

    fn policy(text: &str) -> Policy {
        let course = Course::example(&[("c1", "a")]);
        Policy::parse(text, &course).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What earlier assignments took is gone, for each student alone, and exceptions are for the
    /// term, too. A change of an earlier grade changes the hash, so that points are made again.
    #[test]
    fn earlier_assignments_take_from_the_bank() {
        let root = tempfile::tempdir().unwrap();
        let out = |week: &str| Store::open(&root.path().join(week)).unwrap();
        let (one, two) = (out("one"), out("two"));
        one.write(&record("ada", "week 1", [2, 1])).unwrap();
        one.write(&record("bob", "week 1", [0, 0])).unwrap();
        two.write(&record("ada", "week 2", [4, 0])).unwrap();
        let text = "[late]\nfree_days = 6\nearlier = [\"one\", \"./two\"]\n[students.carl]\nfree_days = 9\n";
        let read_it = || {
            let mut policy = policy(text);
            read(&mut policy, root.path(), &root.path().join("out")).unwrap();
            policy
        };
        let policy = read_it();
        assert_eq!(["ada", "bob", "carl"].map(|id| policy.free_days(id)), [0, 6, 9]);
        let days = policy.late_days("ada");
        let earlier: Vec<(&str, u32)> =
            days.earlier.iter().map(|one| (one.title.as_str(), one.days)).collect();
        assert_eq!(earlier, [("week 1", 3), ("week 2", 4)]);
        assert_eq!((days.before(), days.left()), (0, 0), "more than there are is none left");
        assert_eq!(read_it().hash, policy.hash);
        two.write(&record("ada", "week 2", [1, 0])).unwrap();
        let later = read_it();
        assert_eq!(later.free_days("ada"), 2);
        assert_ne!(later.hash, policy.hash);
    }

    /// Whatever would count days twice, or not at all, stops with the policy's line.
    #[test]
    fn mistakes_have_lines() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(&root.path().join("good")).unwrap();
        store.write(&record("ada", "week 1", [1, 0])).unwrap();
        fs::create_dir_all(root.path().join("empty/records")).unwrap();
        fs::create_dir_all(root.path().join("none")).unwrap();
        fs::create_dir_all(root.path().join("damaged/records")).unwrap();
        fs::write(root.path().join("damaged/records/a.json"), "{").unwrap();
        let mut open = record("bob\u{1b}", "week 1", [0, 0]);
        open.score.complete = false;
        Store::open(&root.path().join("open")).unwrap().write(&open).unwrap();
        let text = "[late]\nearlier = [\n\"good\",\n\"./good\",\n\"gone\",\n\"none\",\n\"empty\",\n\"damaged\",\n\"open\",\n\"own\",\n]";
        fs::create_dir_all(root.path().join("own")).unwrap();
        let error = read(&mut policy(text), root.path(), &root.path().join("own")).unwrap_err();
        let shown = error.to_string().replace(root.path().to_str().unwrap(), "DIR");
        insta::assert_snapshot!(shown, @r"
        line 4: `./good` and `good` are the same folder: leave one out
        line 5: there is no folder `gone`: name the folder that `--out` had, relative to this file
        line 6: `none`: it has no folder `records`: name the folder that `--out` had
        line 7: `empty`: there is no record in it: grade that assignment first
        line 8: `damaged`: DIR/damaged/records/a.json:1: it is no whole record (EOF while parsing an object at line 1 column 1): grade this student again
        line 9: `open`: the grade of `bob\u{1b}` is not complete: grade that assignment again first
        line 10: `own` is where this assignment's own records go: leave it out
        ");
        // an empty list is the first assignment of the term
        let mut first = policy("[late]\nfree_days = 3\nearlier = []");
        read(&mut first, root.path(), root.path()).unwrap();
        assert_eq!(first.free_days("ada"), 3);
    }
}
