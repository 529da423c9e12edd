//! What grading leaves behind for the class, and says at its end.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use colored::Colorize;
use grading::formats::{Audience, Format, Options, html_student};
use grading::record::{Record, Report, Status};
use grading::store::Store;
use jiff::Timestamp;

use super::Tally;
use super::inputs::Inputs;
use crate::cli::Grade;
use crate::exit::Exit;
use crate::text::sanitise;

/// Most names that one line lists.
const NAMES: usize = 8;

/// Writes the class's files and says what came out.
pub fn class(args: &Grade, inputs: &Inputs, store: &Store, tally: &Tally) -> anyhow::Result<Exit> {
    // shards that write into one folder leave the class to `merge`
    if args.shard.is_some() {
        say!(
            "  {} unchanged · {} not readable",
            tally.unchanged,
            inputs.refused.len() + tally.refused
        );
        return shard(inputs, store);
    }
    let is_known = inputs.is_class && inputs.roster.is_some();
    let is_absent = |id: &str| !is_known || inputs.absent.iter().any(|absent| absent == id);
    let (records, damaged) = students(&args.out, store, is_absent)?;
    for line in &damaged {
        eprintln!("{}: {}", "warning".yellow().bold(), sanitise(line));
    }
    let written = write(&args.out, &records)?;
    let refused = inputs.refused.len() + tally.refused;
    summary(&records, tally.unchanged, refused);
    if let Some(roster) = &inputs.roster {
        for problem in &roster.problems {
            eprintln!(
                "{}: the roster: {}",
                "warning".yellow().bold(),
                sanitise(&problem.to_string())
            );
        }
        let (nothing, handed_in): (Vec<&Record>, Vec<&Record>) =
            records.iter().partition(|record| record.submission.is_nothing());
        let both = roster.match_up(handed_in.iter().map(|record| record.student.id.as_str()));
        if inputs.is_class {
            handed_in_nothing(nothing.iter().map(|record| record.student.id.as_str()));
        } else if !both.missing.is_empty() {
            let missing = both.missing.iter().map(|entry| entry.student.id.as_str());
            let missing: Vec<&str> = missing.collect();
            say!("  {} of the roster not among these: {}", missing.len(), names(&missing));
        }
        for unknown in &both.unknown {
            say!("  {}", sanitise(&unknown.to_string()));
        }
    }
    say!("  {}", written.join("   "));
    let whole = records.iter().all(|record| record.score.complete) && damaged.is_empty();
    Ok(if whole { Exit::Passed } else { Exit::Environment })
}

/// Says what came out of a part of the class.
fn shard(inputs: &Inputs, store: &Store) -> anyhow::Result<Exit> {
    let (mut graded, mut incomplete) = (0, vec![]);
    for place in &inputs.places {
        match store.read(&place.id) {
            Ok(Some(record)) if record.score.complete => graded += 1,
            _ => incomplete.push(place.id.as_str()),
        }
    }
    say!("  {graded} of {} in this shard are graded", inputs.places.len());
    let is_nothing = |id: &&str| {
        store.read(id).is_ok_and(|record| record.is_some_and(|r| r.submission.is_nothing()))
    };
    handed_in_nothing(inputs.absent.iter().map(String::as_str).filter(is_nothing));
    if incomplete.is_empty() {
        return Ok(Exit::Passed);
    }
    say!("  not graded completely: {}; run it again", names(&incomplete));
    Ok(Exit::Environment)
}

/// Says who handed in nothing.
fn handed_in_nothing<'a>(ids: impl Iterator<Item = &'a str>) {
    let ids: Vec<&str> = ids.collect();
    if !ids.is_empty() {
        say!("  {} of the roster handed in nothing: {}", ids.len(), names(&ids));
    }
}

/// Writes a page for every student who has a record. What comes back is what the class's files need of each, because a class
/// of thousands does not lie in memory, and a line for each record that cannot be read.
///
/// A record which says that nothing was handed in, by somebody of whom that `is_absent` denies, is removed: the roster had another
/// id for a student, say. Nothing is lost with it.
pub fn students(
    out: &Path,
    store: &Store,
    is_absent: impl Fn(&str) -> bool,
) -> anyhow::Result<(Vec<Record>, Vec<String>)> {
    let (mut records, mut damaged) = (vec![], vec![]);
    let folder = out.join("students");
    fs::create_dir_all(&folder)?;
    for record in store.records()? {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                damaged.push(error.to_string());
                continue;
            }
        };
        let stale = record.submission.is_nothing() && !is_absent(&record.student.id);
        let one = [record];
        for file in html_student::files(&one, &Options::new(Timestamp::now()))? {
            let path = folder.join(&file.path);
            if stale {
                let _ = fs::remove_file(path);
            } else {
                fs::write(path, file.contents)?;
            }
        }
        let [record] = one;
        if stale {
            store.remove(&record.student.id)?;
            continue;
        }
        records.push(outline(record));
    }
    records.sort_by(|a, b| a.student.id.cmp(&b.student.id));
    Ok((records, damaged))
}

/// A record without what only the student's own page shows.
fn outline(mut record: Record) -> Record {
    for exercise in &mut record.exercises {
        exercise.items = vec![];
        exercise.report = exercise.report.take().map(|report| Report {
            slug: report.slug,
            passed: report.passed,
            title: report.title,
            ..Report::default()
        });
    }
    record
}

/// Writes the files of the class as a whole into `out`: their paths, and that of the students' pages.
pub fn write(out: &Path, records: &[Record]) -> anyhow::Result<Vec<String>> {
    let mut written = vec![];
    if records.is_empty() {
        return Ok(written);
    }
    let options = Options { audience: Audience::Instructor, ..Options::new(Timestamp::now()) };
    for (name, format) in [("class.html", Format::HtmlClass), ("grades.csv", Format::Csv)] {
        let path = out.join(name);
        fs::write(&path, format.render(records, &options)?)?;
        written.push(path.display().to_string());
    }
    written.push(format!("{}/", out.join("students").display()));
    let contained: String = records.iter().flat_map(contained).collect();
    let path = out.join("contained.txt");
    if contained.is_empty() {
        // of an earlier run
        let _ = fs::remove_file(&path);
    } else {
        fs::write(&path, contained)?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

/// A line for each file that had to be stopped.
fn contained(record: &Record) -> Vec<String> {
    let flags = record.flags.iter().filter(|flag| flag.what == "contained");
    let line = |id: &str, exercise: &str, detail: &str| {
        sanitise(&format!("{id}: {exercise}: {detail}")).replace('\n', " ") + "\n"
    };
    let exercise = |flag: &grading::record::Flag| flag.exercise.clone().unwrap_or_default();
    flags.map(|flag| line(&record.student.id, &exercise(flag), &flag.detail)).collect()
}

/// The lines that a person reads at the end.
pub fn summary(records: &[Record], unchanged: usize, refused: usize) {
    let handed_in = || records.iter().filter(|record| !record.submission.is_nothing());
    let shares: Vec<f64> = sorted(
        handed_in()
            .filter(|r| r.score.possible > 0.0)
            .map(|record| 100.0 * record.score.points / record.score.possible),
    );
    let contained =
        records.iter().filter(|r| r.flags.iter().any(|flag| flag.what == "contained")).count();
    let incomplete: Vec<&str> = records
        .iter()
        .filter(|record| !record.score.complete)
        .map(|record| record.student.id.as_str())
        .collect();
    let mut line = format!("  {} graded", handed_in().count());
    if unchanged > 0 {
        line += &format!(" ({unchanged} of them before, and unchanged)");
    }
    if let Some(median) = median(&shares) {
        line += &format!(" · median {median:.0} %");
    }
    if contained > 0 {
        line += &format!(" · {contained} contained");
    }
    if refused > 0 {
        line += &format!(" · {refused} not readable");
    }
    say!("{line}");
    if !incomplete.is_empty() {
        say!(
            "  {} {} not graded completely, because of this machine: {}; run it again",
            incomplete.len(),
            if incomplete.len() == 1 { "is" } else { "are" },
            names(&incomplete)
        );
    }
    let mut told = vec![];
    if let Some((id, share)) = hardest(records) {
        told.push(format!("hardest: {id} ({share:.0} % pass)"));
    }
    if let Some((slug, exercise, count)) = commonest(records) {
        let students = if count == 1 { "student" } else { "students" };
        told.push(format!("commonest finding: {slug} in {exercise} ({count} {students})"));
    }
    if !told.is_empty() {
        say!("  {}", sanitise(&told.join(" · ")));
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> Option<f64> {
    let upper = sorted.get(sorted.len() / 2)?;
    match sorted.len() % 2 {
        0 => Some(f64::midpoint(*sorted.get(sorted.len() / 2 - 1)?, *upper)),
        _ => Some(*upper),
    }
}

/// The exercise that the fewest of those who handed it in have passed, and their share in percent.
fn hardest(records: &[Record]) -> Option<(String, f64)> {
    let mut by: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for exercise in records.iter().flat_map(|record| &record.exercises) {
        if matches!(exercise.status, Status::Missing | Status::NotGraded) {
            continue;
        }
        let (passed, all) = by.entry(&exercise.id).or_default();
        *passed += u32::from(exercise.status == Status::Passed);
        *all += 1;
    }
    let share = |(passed, all): (u32, u32)| 100.0 * f64::from(passed) / f64::from(all);
    by.into_iter()
        .map(|(id, counts)| (id.to_owned(), share(counts)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(_, share)| *share < 100.0)
}

/// The verdict that most students have in one exercise, "not started" and passes left out.
fn commonest(records: &[Record]) -> Option<(String, String, usize)> {
    let mut by: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for exercise in records.iter().flat_map(|record| &record.exercises) {
        let slug = exercise.report.as_ref().map_or("", |report| report.slug.as_str());
        if !["", "passed", "not-started", "not-graded"].contains(&slug) {
            *by.entry((slug, &exercise.id)).or_default() += 1;
        }
    }
    by.into_iter()
        .max_by_key(|(_, count)| *count)
        .map(|((slug, id), count)| (slug.to_owned(), id.to_owned(), count))
}

/// A few names, and how many more.
pub fn names(all: &[&str]) -> String {
    let mut shown: Vec<String> = all.iter().take(NAMES).map(|name| sanitise(name)).collect();
    if all.len() > NAMES {
        shown.push(format!("and {} more", all.len() - NAMES));
    }
    shown.join(", ")
}
