//! The class's files, and the summary at the end of grading.

use std::collections::BTreeMap;
use std::path::Path;

use checker::say;
use checker::text::sanitise;
use colored::Colorize;
use grading::gradebook;
use grading::record::{Flag, Record, Status};
use grading::store::Store;
use grading::submission::Ignored;

use super::Tally;
use super::inputs::Inputs;
use checker::cli::Grade;
use checker::exit::Exit;

/// Most names that one line lists.
const MAX_NAMES: usize = 8;

/// Writes the class's files and prints the summary.
pub fn class(args: &Grade, inputs: &Inputs, store: &Store, tally: &Tally) -> anyhow::Result<Exit> {
    let refused = inputs.refused_ids().len() + tally.refused;
    gradebook::write_unmatched(&args.out, &inputs.unmatched())?;
    // a shard leaves the class's files to `merge`
    if args.shard.is_some() {
        say!("  {} unchanged · {refused} not readable", tally.unchanged);
        return shard(inputs, store);
    }
    let is_known = inputs.is_class && inputs.roster.is_some();
    let is_absent = |id: &str| !is_known || inputs.absent.iter().any(|absent| absent == id);
    let (records, damaged) = gradebook::write_student_pages(&args.out, store, is_absent)?;
    for line in &damaged {
        eprintln!("{}: {}", "warning".yellow().bold(), sanitise(line));
    }
    let leaderboard = inputs.policy.leaderboard;
    let written = gradebook::write_class_files(&args.out, &records, leaderboard)?;
    summary(&records, tally, refused);
    print_ignored(&inputs.ignored, Some(&args.out));
    print_refused(inputs);
    print_remarks(&records, &args.out);
    if let Some(roster) = &inputs.roster {
        let (nothing, handed_in): (Vec<&Record>, Vec<&Record>) =
            records.iter().partition(|record| record.submission.is_absent());
        let both = roster.match_up(handed_in.iter().map(|record| record.student.id.as_str()));
        if inputs.is_class {
            print_absent(nothing.iter().map(|record| record.student.id.as_str()));
        } else if !both.missing.is_empty() {
            let missing = both.missing.iter().map(|entry| entry.student.id.as_str());
            let missing: Vec<&str> = missing.collect();
            say!("  {} on the roster are not among these: {}", missing.len(), names(&missing));
        }
        for unknown in &both.unknown {
            say!("  {}", sanitise(&unknown.to_string()));
        }
    }
    say!("  {}", written.join("   "));
    let whole = records.iter().all(|record| record.score.complete) && damaged.is_empty();
    Ok(if whole { Exit::Passed } else { Exit::Environment })
}

/// Prints the summary of a shard.
fn shard(inputs: &Inputs, store: &Store) -> anyhow::Result<Exit> {
    let (mut graded, mut incomplete) = (0, vec![]);
    for place in &inputs.places {
        match store.read(&place.id) {
            Ok(Some(record)) if record.score.complete => graded += 1,
            _ => incomplete.push(place.id.as_str()),
        }
    }
    say!("  {graded} of {} in this shard are graded", inputs.places.len());
    let is_absent = |id: &&str| {
        store.read(id).is_ok_and(|record| record.is_some_and(|r| r.submission.is_absent()))
    };
    print_absent(inputs.absent.iter().map(String::as_str).filter(is_absent));
    if incomplete.is_empty() {
        return Ok(Exit::Passed);
    }
    say!("  not graded completely: {}; run it again", names(&incomplete));
    Ok(Exit::Environment)
}

/// Prints the students without a submission.
pub(super) fn print_absent<'a>(ids: impl Iterator<Item = &'a str>) {
    let ids: Vec<&str> = ids.collect();
    if !ids.is_empty() {
        say!("  {} on the roster submitted nothing: {}", ids.len(), names(&ids));
    }
}

/// Prints the students who have no grade because their files are not certain or not readable.
pub(super) fn print_refused(inputs: &Inputs) {
    let Some(roster) = &inputs.roster else { return };
    let ids = inputs.refused_ids().into_iter().filter(|id| roster.entry(id).is_some());
    let ids: Vec<&str> = ids.collect();
    if !ids.is_empty() {
        let (have, get) = if ids.len() == 1 { ("has", "gets") } else { ("have", "get") };
        say!(
            "  {} on the roster {have} no grade from this run and {get} a flag, because of the warnings above: {}",
            ids.len(),
            names(&ids)
        );
    }
}

/// Kinds of remarks that may explain a zero and that no warning has named.
const MAY_EXPLAIN_A_ZERO: [&str; 6] = [
    "unclear-file",
    "similar-id",
    "missing-files",
    "refused-file",
    "unread-file",
    "unreadable-source",
];

/// Prints the remarks that may explain a zero: the first ones, because the page of the class has
/// all of them. The first remark of each student comes before the second of any.
fn print_remarks(records: &[Record], out: &Path) {
    let all = records.iter().flat_map(|record| {
        let kinds = |flag: &&Flag| MAY_EXPLAIN_A_ZERO.contains(&flag.what.as_str());
        let flags = record.flags.iter().filter(kinds).enumerate();
        flags.map(|(number, flag)| (number, &record.student.id, &flag.detail))
    });
    let mut all: Vec<(usize, &String, &String)> = all.collect();
    all.sort_by_key(|(number, ..)| *number);
    if all.is_empty() {
        return;
    }
    let page = out.join("class.html");
    say!("  {} to look at, in {}:", plural(all.len(), "remark"), page.display());
    for (_, id, detail) in all.iter().take(MAX_NAMES) {
        say!("    {}", sanitise(&format!("{id}: {detail}")).replace('\n', " "));
    }
    if all.len() > MAX_NAMES {
        say!("    and {} more", all.len() - MAX_NAMES);
    }
}

/// A count with its noun.
pub(super) fn plural(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// Prints the files that are no submissions, each with its reason: the first ones, where a file in
/// the folder `out` has all of them.
pub(super) fn print_ignored(ignored: &[Ignored], out: Option<&Path>) {
    let (added, others): (Vec<&Ignored>, Vec<&Ignored>) = ignored.iter().partition(|one| one.added);
    let line = |one: &&Ignored| sanitise(&format!("{} ({})", one.path, one.why));
    match others.as_slice() {
        [] => {}
        [one] => say!("  not a submission: {}", line(one)),
        several => {
            say!("  {} files are not submissions:", several.len());
            let shown = if out.is_some() { MAX_NAMES } else { several.len() };
            several.iter().take(shown).for_each(|one| say!("    {}", line(one)));
            if let Some(out) = out.filter(|_| several.len() > shown) {
                let path = out.join(gradebook::UNMATCHED);
                say!("    and {} more: {} has all of them", several.len() - shown, path.display());
            }
        }
    }
    if !added.is_empty() {
        let (s, are) = if added.len() == 1 { ("", "is") } else { ("s", "are") };
        say!("  {} file{s} that the platform added {are} left out", added.len());
    }
}

/// Prints the summary of a class.
fn summary(records: &[Record], tally: &Tally, refused: usize) {
    let handed_in = || records.iter().filter(|record| !record.submission.is_absent());
    let is_refused = |record: &&Record| record.flags.iter().any(|flag| flag.what == "refused");
    let graded = || handed_in().filter(|record| !is_refused(record));
    let shares: Vec<f64> = sorted(
        graded()
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
    let mut line = format!("  {} graded", graded().count());
    if tally.unchanged > 0 {
        line += &format!(" ({} of them before, and unchanged)", tally.unchanged);
    }
    if tally.rescored > 0 {
        line += &format!(" ({} of them before, with new points)", tally.rescored);
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
    let mut highlights = vec![];
    if let Some((id, share)) = hardest(records) {
        highlights.push(format!("hardest: {id} ({share:.0} % pass)"));
    }
    if let Some((slug, exercise, count)) = commonest(records) {
        let students = if count == 1 { "student" } else { "students" };
        highlights.push(format!("commonest finding: {slug} in {exercise} ({count} {students})"));
    }
    if !highlights.is_empty() {
        say!("  {}", sanitise(&highlights.join(" · ")));
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

/// The exercise with the smallest share of passes among its submissions, and that share in percent.
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

/// The most frequent verdict of one exercise, without "not started" and passes.
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

/// The first names, sanitised, and the number of the others.
pub fn names(all: &[&str]) -> String {
    let mut shown: Vec<String> = all.iter().take(MAX_NAMES).map(|name| sanitise(name)).collect();
    if all.len() > MAX_NAMES {
        shown.push(format!("and {} more", all.len() - MAX_NAMES));
    }
    shown.join(", ")
}
