//! The records of all shards as one class.
//!
//! [`merge`] is pure: bytes of record files and the class's ids in, one record for each student and
//! a list of what is wrong out. When a student has no usable grade, `checker merge` writes the
//! files of [`Plan::again`] for [`Merged::shards`] and ends with exit code 3; the Slurm plan's
//! merge job then submits them by itself. Grades that were made with different things (course,
//! policy, secret, checker) are not comparable, so they are refused rather than mixed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use serde::Deserialize;

use crate::{
    plan::Plan,
    record::{self, Record, Status},
    text::shown,
};

pub mod files;

/// A record's file as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile {
    /// Its path, for messages.
    pub path: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// A class, as far as it is graded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Merged {
    /// One for each student who has any, incomplete ones included: the roster's order, then the
    /// others.
    pub records: Vec<Record>,
    /// Students who were to be graded and have no record.
    pub missing: Vec<String>,
    /// With a record in which the machine could not grade everything.
    pub incomplete: Vec<Incomplete>,
    /// On the roster and not part of the plan: they submitted nothing, and the plan was made
    /// without the roster.
    pub absent: Vec<String>,
    /// With a record, and not in the roster. Their grades are in `records`; where they go is the
    /// roster's matter.
    pub unknown: Vec<String>,
    /// Files without a valid record. Their students are unknown; each is listed as missing unless
    /// another file has the record.
    pub damaged: Vec<Damaged>,
    /// Records that another one of the same student was preferred to.
    pub replaced: Vec<Replaced>,
}

/// A student whose grade must not be used yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incomplete {
    /// The student's id.
    pub student: String,
    /// Exercises that are [`Status::NotGraded`].
    pub exercises: Vec<String>,
}

/// A file that holds no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// Its path.
    pub path: String,
    /// One line.
    pub reason: String,
}

/// A record that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The student's id.
    pub student: String,
    /// The file that was taken.
    pub kept: String,
    /// The file that was not.
    pub dropped: String,
    /// Why.
    pub why: DropReason,
}

/// Why one of two records of a student was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// It is about an earlier submission.
    Earlier,
    /// It is about the same submission, and the machine could not grade all of it.
    LessComplete,
    /// It is about the same submission and has another grade: something is not deterministic, and
    /// an instructor should look.
    Disagrees,
}

/// Records that cannot be one class.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the records were made with different {what}s: {}; grades are only comparable when all are made with the same. \
     Grade those again that are out of date (`checker grade` does by itself), or merge other folders",
    .groups.join("; ")
)]
pub struct Mixed {
    /// "course", "policy".
    pub what: &'static str,
    /// "0.1.0 (3f2a...) in 19 records", "0.2.0 (77b1...) in 1 record (out/records/ada.json)": the
    /// most frequent first.
    pub groups: Vec<String>,
}

/// One class out of records. `roster` are the ids of the class, empty without a roster; `handed_in`
/// are those who were to be graded, the plan's students. When it is empty, the whole roster was to
/// be graded.
///
/// Identical records of the same student and submission are one; otherwise the later submission
/// counts.
///
/// # Errors
/// [`Mixed`] when two records differ in the policy's title or hash, the course, the checker or the
/// secret.
pub fn merge(
    found: &[RecordFile],
    roster: &[String],
    handed_in: &[String],
) -> Result<Merged, Mixed> {
    let mut damaged = vec![];
    let mut read: Vec<(&str, Record)> = vec![];
    for file in found {
        match parse(&file.bytes) {
            Ok(record) => read.push((&file.path, record)),
            Err(reason) => damaged.push(Damaged { path: file.path.clone(), reason }),
        }
    }
    check_same_provenance(&read)?;

    // Whatever the order of files is, the outcome is the same.
    read.sort_by_key(|(path, _)| *path);
    let mut all: BTreeMap<String, Vec<(&str, Record)>> = BTreeMap::new();
    for (path, record) in read {
        all.entry(record.student.id.clone()).or_default().push((path, record));
    }
    let mut by_student = BTreeMap::new();
    let mut replaced = vec![];
    for (student, records) in all {
        let Some((kept, dropped)) = choose(records) else { continue };
        for (path, record) in dropped {
            if let Some(why) = drop_reason(&kept.1, &record) {
                let (student, kept) = (student.clone(), kept.0.into());
                replaced.push(Replaced { student, kept, dropped: path.into(), why });
            }
        }
        by_student.insert(student, kept.1);
    }

    let expected: BTreeSet<&str> = match handed_in {
        [] => roster.iter().map(String::as_str).collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    let listed: BTreeSet<&str> = roster.iter().map(String::as_str).collect();
    let is_unknown = |id: &str| !listed.is_empty() && !listed.contains(id);
    let others: Vec<String> = by_student.keys().cloned().collect();
    let mut merged = Merged { damaged, replaced, ..Merged::default() };
    let mut seen = BTreeSet::new();
    let order = roster.iter().chain(handed_in).chain(&others);
    for id in order.filter(|id| seen.insert(id.as_str())) {
        match by_student.remove(id) {
            // left over from a roster with a misspelt id
            Some(record) if record.submission.is_absent() && is_unknown(id) => {}
            Some(record) => {
                merged.incomplete.extend(incomplete(&record));
                merged.unknown.extend(is_unknown(id).then(|| id.clone()));
                merged.records.push(record);
            }
            None if expected.contains(id.as_str()) => merged.missing.push(id.clone()),
            None => merged.absent.push(id.clone()),
        }
    }
    Ok(merged)
}

impl Merged {
    /// Whether every student who was to be graded has a usable grade.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty() && self.incomplete.is_empty()
    }

    /// Students who have to be graded (again).
    pub fn ungraded(&self) -> impl Iterator<Item = &str> {
        let incomplete = self.incomplete.iter().map(|student| student.student.as_str());
        self.missing.iter().map(String::as_str).chain(incomplete)
    }

    /// Their shards in `plan`, ascending.
    pub fn shards(&self, plan: &Plan) -> Vec<u32> {
        let shards: BTreeSet<u32> = self.ungraded().map(|id| plan.shard(id).number()).collect();
        shards.into_iter().collect()
    }

    /// The summary in lines, safe for a terminal: how many are graded, which students are not and
    /// in which shards, problems, and `again`, the command that grades just those
    /// ([`Plan::again`]'s; without a plan, `checker grade` as before).
    pub fn summary(&self, plan: Option<&Plan>, again: Option<&str>) -> String {
        let mut text = String::new();
        let mut line = |line: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
        };
        let place = |student: &str| {
            plan.map(|plan| format!(" (shard {})", plan.shard(student))).unwrap_or_default()
        };
        let complete = self.records.len().saturating_sub(self.incomplete.len());
        let all = self.records.len() + self.missing.len();
        line(format!("{complete} of {all} students are graded"));
        for student in &self.missing {
            line(format!("missing: {}{}", shown(student.as_bytes()), place(student)));
        }
        for Incomplete { student, exercises } in &self.incomplete {
            let exercises: Vec<String> = exercises.iter().map(|id| shown(id.as_bytes())).collect();
            let what = match exercises.as_slice() {
                [] => "the machine could not grade everything".into(),
                some => format!("not graded: {}", some.join(", ")),
            };
            line(format!("incomplete: {}{}: {what}", shown(student.as_bytes()), place(student)));
        }
        let nothing = self.records.iter().filter(|record| record.submission.is_absent());
        let nothing = nothing.map(|record| &record.student.id);
        for student in nothing.chain(&self.absent) {
            line(format!("submitted nothing: {}", shown(student.as_bytes())));
        }
        for student in &self.unknown {
            line(format!("not in the roster: {}", shown(student.as_bytes())));
        }
        for Damaged { path, reason } in &self.damaged {
            line(format!("no record: {}: {}", shown(path.as_bytes()), shown(reason.as_bytes())));
        }
        for Replaced { student, kept, dropped, why } in &self.replaced {
            let why = match why {
                DropReason::Earlier => "is about an earlier submission",
                DropReason::LessComplete => "is less complete",
                DropReason::Disagrees => "has another grade for the same submission: look at both",
            };
            let [student, kept, dropped] =
                [student, kept, dropped].map(|text| shown(text.as_bytes()));
            line(format!("two records of {student}: {kept} is used; {dropped} {why}"));
        }
        if !self.is_whole() {
            let again = again.unwrap_or("`checker grade` as before: it skips what is graded");
            line(format!("to grade just the missing and incomplete: {again}"));
        }
        text
    }
}

/// The record in `bytes`, or why there is none.
fn parse(bytes: &[u8]) -> Result<Record, String> {
    /// The field that every version has.
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    match serde_json::from_slice(bytes) {
        Ok(Version { version }) if version == record::VERSION => {
            serde_json::from_slice(bytes).map_err(|error| error.to_string())
        }
        Ok(Version { version }) => {
            let known = record::VERSION;
            Err(format!(
                "its version is {version}, and this checker reads {known}: merge with the checker that graded"
            ))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Everything that must be the same in a class.
fn check_same_provenance(read: &[(&str, Record)]) -> Result<(), Mixed> {
    type Get = fn(&Record) -> &str;
    let facts: [(&'static str, Get); 5] = [
        ("checker", |record| &record.made.checker),
        ("course", |record| &record.made.course),
        ("policy title", |record| &record.made.title),
        ("policy", |record| &record.made.policy),
        ("secret seed", |record| &record.made.seed),
    ];
    for (what, get) in facts {
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (path, record) in read {
            groups.entry(get(record)).or_default().push(path);
        }
        if groups.len() > 1 {
            let mut groups: Vec<_> = groups.into_iter().collect();
            groups.sort_by_key(|(_, paths)| std::cmp::Reverse(paths.len()));
            let groups = groups.iter().map(|(value, paths)| group(value, paths)).collect();
            return Err(Mixed { what, groups });
        }
    }
    Ok(())
}

fn group(value: &str, paths: &[&str]) -> String {
    let value = match value {
        "" => "none".into(),
        value => shown(value.as_bytes()),
    };
    let mut names: Vec<String> = paths.iter().take(3).map(|path| shown(path.as_bytes())).collect();
    if paths.len() > 3 {
        names.push("...".into());
    }
    let s = if paths.len() == 1 { "" } else { "s" };
    format!("{value} in {} record{s} ({})", paths.len(), names.join(", "))
}

type RecordAt<'a> = (&'a str, Record);

/// Which of one student's records is used, and the others. For each submission the most complete
/// record, then the one that saw it first (a time that grading again must not change), then the one
/// made last; of those, the latest submission's, and any before none.
fn choose(mut records: Vec<RecordAt>) -> Option<(RecordAt, Vec<RecordAt>)> {
    records.sort_by(|(_, a), (_, b)| {
        let same = |r: &Record| (is_complete(r), std::cmp::Reverse(r.submission.at), r.made.at);
        same(b).cmp(&same(a))
    });
    let mut firsts: Vec<usize> = vec![];
    for (i, (_, record)) in records.iter().enumerate() {
        let hash = &record.submission.hash;
        let known = |&first: &usize| {
            records.get(first).is_some_and(|(_, other)| other.submission.hash == *hash)
        };
        if !firsts.iter().any(known) {
            firsts.push(i);
        }
    }
    let latest = firsts.into_iter().max_by_key(|&i| {
        records.get(i).map(|(_, r)| {
            (
                !r.submission.is_absent(),
                r.submission.at,
                r.submission.attempt,
                is_complete(r),
                r.made.at,
                r.submission.hash.clone(),
            )
        })
    })?;
    let kept = records.remove(latest);
    Some((kept, records))
}

fn drop_reason(kept: &Record, dropped: &Record) -> Option<DropReason> {
    if dropped.submission.is_absent() {
        None
    } else if kept.submission.hash != dropped.submission.hash {
        Some(DropReason::Earlier)
    } else if is_complete(kept) != is_complete(dropped) {
        Some(DropReason::LessComplete)
    } else {
        (outcome(kept) != outcome(dropped)).then_some(DropReason::Disagrees)
    }
}

/// The grade without what may differ between runs: times, retries, the machine's messages.
fn outcome(record: &Record) -> (Vec<record::Exercise>, record::Score) {
    let mut exercises = record.exercises.clone();
    for exercise in &mut exercises {
        exercise.retries = 0;
        exercise.millis = 0;
        exercise.report = None;
        for item in &mut exercise.items {
            item.millis = 0;
            item.again = None;
            item.message = String::new();
        }
    }
    (exercises, record.score)
}

fn is_complete(record: &Record) -> bool {
    record.score.complete && !record.exercises.iter().any(|e| e.status == Status::NotGraded)
}

fn incomplete(record: &Record) -> Option<Incomplete> {
    let open = record.exercises.iter().filter(|e| e.status == Status::NotGraded);
    (!is_complete(record)).then(|| Incomplete {
        student: record.student.id.clone(),
        exercises: open.map(|exercise| exercise.id.clone()).collect(),
    })
}

#[cfg(test)]
mod tests;
