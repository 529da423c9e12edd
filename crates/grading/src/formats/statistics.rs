//! How exercises, cases and gates went in one term beside another: shares of students, as a page
//! and as a table.
//!
//! A term is an output folder ([`Options::terms`]). Of a case, the share is of those students whose
//! file was graded; runs with several secret seeds are counted together. So a case that fails more
//! often in one term than in another was harder then, or was taught differently.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::html::{chapter, page, text};
use super::platform::points;
use super::{Audience, Error, Format, Options, Write, sheet};
use crate::record::{Exercise, Item, Kind, Outcome, Record, Status};

/// The page.
pub static HTML: Format = Format {
    name: "html-statistics",
    file_name: "statistics.html",
    audience: Audience::Instructor,
    write: Write::Class(write_html),
};

/// The table: a row for each term, exercise and item.
pub static CSV: Format = Format {
    name: "csv-statistics",
    file_name: "statistics.csv",
    audience: Audience::Instructor,
    write: Write::Class(write_csv),
};

/// How often something held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    of: usize,
    held: usize,
}

impl Count {
    fn add(&mut self, held: bool) {
        self.of += 1;
        self.held += usize::from(held);
    }

    /// In whole percent.
    fn percent(self) -> Option<f64> {
        (self.of > 0).then(|| (100.0 * self.held as f64 / self.of as f64).round())
    }
}

/// What is counted: a case, with public or secret inputs, or a gate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Check {
    gate: bool,
    hidden: bool,
    /// Its place in the first record that has it.
    place: usize,
    name: String,
}

/// One exercise in all terms.
#[derive(Debug, Default)]
struct Numbers {
    chapter: String,
    /// For each term: files that were graded, and those that passed.
    whole: Vec<Count>,
    /// For each check and term.
    checks: Vec<(Check, Vec<Count>)>,
    /// For each term the verdicts of files that did not pass, with their number.
    verdicts: Vec<BTreeMap<String, usize>>,
}

impl Numbers {
    fn new(exercise: &Exercise, terms: usize) -> Self {
        Self {
            chapter: exercise.chapter.clone(),
            whole: vec![Count::default(); terms],
            checks: vec![],
            verdicts: vec![BTreeMap::new(); terms],
        }
    }

    fn add(&mut self, term: usize, exercise: &Exercise) {
        let passed = exercise.status == Status::Passed;
        if let Some(count) = self.whole.get_mut(term) {
            count.add(passed);
        }
        let report = exercise.report.as_ref().filter(|_| !passed);
        if let (Some(report), Some(verdicts)) = (report, self.verdicts.get_mut(term)) {
            *verdicts.entry(report.slug.clone()).or_default() += 1;
        }
        let terms = self.whole.len();
        for (place, item) in exercise.items.iter().enumerate() {
            let Item { kind, hidden, name, .. } = item;
            // a speed isn't right or wrong
            if *kind == Kind::Speed {
                continue;
            }
            let gate = *kind == Kind::Gate;
            // a gate is hidden only for students whose secret runs decide about it
            let hidden = *hidden && !gate;
            let is =
                |check: &Check| (check.gate, check.hidden, &check.name) == (gate, hidden, name);
            let at = self.checks.iter().position(|(check, _)| is(check)).unwrap_or_else(|| {
                let check = Check { gate, hidden, place, name: name.clone() };
                self.checks.push((check, vec![Count::default(); terms]));
                self.checks.len() - 1
            });
            if let Some(count) = self.checks.get_mut(at).and_then(|(_, all)| all.get_mut(term)) {
                count.add(item.outcome == Outcome::Held);
            }
        }
    }

    fn commonest(&self, term: usize) -> Option<(&str, usize)> {
        let verdicts = self.verdicts.get(term)?;
        let best = verdicts.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        best.map(|(slug, count)| (slug.as_str(), *count))
    }
}

/// The names of the terms, and the exercises in the order in which they first appear.
fn numbers(records: &[Record], options: &Options) -> (Vec<String>, Vec<(String, Numbers)>) {
    let mut terms: Vec<(String, usize)> = options.terms.clone();
    if terms.iter().map(|(_, records)| records).sum::<usize>() != records.len() {
        let title = records.first().map(|record| record.made.title.clone()).unwrap_or_default();
        terms = vec![(title, records.len())];
    }
    let mut all: Vec<(String, Numbers)> = vec![];
    let mut rest = records;
    for (term, (_, count)) in terms.iter().enumerate() {
        let (own, others) = rest.split_at(*count);
        rest = others;
        for exercise in own.iter().flat_map(|record| &record.exercises) {
            let at = all.iter().position(|(id, _)| *id == exercise.id).unwrap_or_else(|| {
                all.push((exercise.id.clone(), Numbers::new(exercise, terms.len())));
                all.len() - 1
            });
            let graded = !matches!(exercise.status, Status::Missing | Status::NotGraded);
            if let Some((_, numbers)) = all.get_mut(at)
                && graded
                && !exercise.excused
            {
                numbers.add(term, exercise);
            }
        }
    }
    for (_, numbers) in &mut all {
        numbers.checks.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
    (names(terms.into_iter().map(|(name, _)| name)), all)
}

/// Names that differ, because several folders may be of assignments with one title.
fn names(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    all.map(|name| {
        let mut own = name.clone();
        for number in 2.. {
            if taken.insert(own.clone()) {
                break;
            }
            own = format!("{name} ({number})");
        }
        own
    })
    .collect()
}

fn write_csv(records: &[Record], options: &Options) -> Result<String, Error> {
    let (terms, all) = numbers(records, options);
    let header = ["term", "exercise", "kind", "item", "graded", "passed", "percent", "commonest"];
    let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).to_vec()];
    for (place, term) in terms.iter().enumerate() {
        for (id, numbers) in &all {
            let mut row = |kind: &str, item: &str, count: Count, more: &str| {
                let percent = count.percent().map(points).unwrap_or_default();
                let (of, held) = (count.of.to_string(), count.held.to_string());
                let texts = [term, id, kind, item].map(sheet::text);
                rows.push(
                    texts.into_iter().chain([of, held, percent, sheet::text(more)]).collect(),
                );
            };
            let count = |all: &[Count]| all.get(place).copied().unwrap_or_default();
            let verdict = numbers.commonest(place).map_or("", |(slug, _)| slug);
            row("exercise", "", count(&numbers.whole), verdict);
            for (check, counts) in &numbers.checks {
                row(kind(check), &check.name, count(counts), "");
            }
        }
    }
    sheet::write(rows).map_err(|reason| Error::Write { format: CSV.name, reason })
}

const fn kind(check: &Check) -> &'static str {
    match (check.gate, check.hidden) {
        (true, _) => "gate",
        (false, true) => "case with secret inputs",
        (false, false) => "case",
    }
}

fn write_html(records: &[Record], options: &Options) -> Result<String, Error> {
    let (terms, all) = numbers(records, options);
    let body = html! {
        header {
            h1 { "Statistics of " (terms.len()) @if terms.len() == 1 { " term" } @else { " terms" } }
            p class="lead" { "Shares of the students whose file was graded." }
        }
        main {
            @for (i, (id, numbers)) in all.iter().enumerate() {
                @if i == 0 || all.get(i - 1).map(|(_, before)| &before.chapter) != Some(&numbers.chapter) {
                    h2 { (chapter(&numbers.chapter)) }
                }
                h3 { (text(id)) }
                (table(numbers, &terms))
            }
        }
    };
    Ok(page("Statistics", "", include_str!("page/statistics.css"), "", &body))
}

fn table(numbers: &Numbers, terms: &[String]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Shares" {
            table {
                thead {
                    tr {
                        th scope="col" { "Item" }
                        @for term in terms { th scope="col" class="num" { (text(term)) } }
                    }
                }
                tbody {
                    tr {
                        th scope="row" { strong { "everything" } }
                        @for count in &numbers.whole { (cell(*count)) }
                    }
                    @for (check, counts) in &numbers.checks {
                        tr {
                            th scope="row" {
                                (text(&check.name))
                                @if check.gate || check.hidden { " " span class="badge dim" { (kind(check)) } }
                            }
                            @for count in counts { (cell(*count)) }
                        }
                    }
                    tr {
                        th scope="row" { "commonest verdict" }
                        @for term in 0..terms.len() {
                            td class="num" {
                                @if let Some((slug, count)) = numbers.commonest(term) {
                                    (text(slug)) span class="dim" { " (" (count) ")" }
                                } @else { "–" }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(count: Count) -> Markup {
    html! {
        td class="num" {
            @if let Some(percent) = count.percent() {
                (points(percent)) " %" span class="dim" { " of " (count.of) }
            } @else { "–" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::fixture::{class, now};

    fn record(status: Status, outcomes: [Outcome; 2]) -> Record {
        let mut record = class().swap_remove(0);
        record.exercises.truncate(1);
        let exercise = &mut record.exercises[0];
        exercise.status = status;
        let item = exercise.items[0].clone();
        let items = outcomes.into_iter().zip([false, true]);
        exercise.items =
            items.map(|(outcome, hidden)| Item { outcome, hidden, ..item.clone() }).collect();
        if let Some(report) = &mut exercise.report {
            report.slug = "wrong-values".to_owned();
        }
        record
    }

    /// Terms stand side by side, students without a submission count in none, and equal titles
    /// differ.
    #[test]
    fn terms_side_by_side() {
        use Outcome::{Failed, Held, NotRun};
        let records = [
            record(Status::Passed, [Held, Held]),
            record(Status::Failed, [Held, Failed]),
            record(Status::Missing, [NotRun, NotRun]),
            record(Status::Failed, [Failed, NotRun]),
        ];
        let terms = vec![("=week 1".to_owned(), 3), ("=week 1".to_owned(), 1)];
        let options = Options { terms, audience: Audience::Instructor, ..Options::new(now()) };
        let csv = CSV.render(&records, &options).unwrap();
        let id = &records[0].exercises[0].id;
        let name = &records[0].exercises[0].items[0].name;
        for line in [
            format!("'=week 1,{id},exercise,,2,1,50,"),
            format!("'=week 1,{id},case,{name},2,2,100,"),
            format!("'=week 1,{id},case with secret inputs,{name},2,1,50,"),
            format!("'=week 1 (2),{id},exercise,,1,0,0,"),
            format!("'=week 1 (2),{id},case,{name},1,0,0,"),
        ] {
            assert!(csv.lines().any(|one| one.starts_with(&line)), "{line}: {csv}");
        }
        let page = HTML.render(&records, &options).unwrap();
        assert!(page.contains("50 %") && page.contains("=week 1 (2)"), "{page}");
        // folders that do not add up are one term
        let wrong = Options { terms: vec![("a".to_owned(), 9)], ..options };
        assert_eq!(CSV.render(&records, &wrong).unwrap().matches(",exercise,").count(), 2);
    }
}
