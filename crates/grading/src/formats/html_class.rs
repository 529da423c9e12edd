//! A class as one HTML page: how the points are spread, which exercises are hard, what goes wrong
//! most often, remarks for the instructor, and a row for each student with a cell for each
//! exercise.
//!
//! The table can be sorted and filtered by a script of a few lines; without it, it is whole.

use jiff::Timestamp;
use maud::{Markup, html};

use super::html::{block, chapter, page, status_badge, text, time, word};
use super::platform::{exercises, is_complete, points};
use super::{Audience, Error, Format, Options, Write};
use crate::record::{Exercise, Flag, Record, Status};

use super::class_numbers::{Diagnosis, Difficulty, Spread, diagnoses, hardest};

/// This format, for any number of students.
pub static FORMAT: Format = Format {
    name: "html-class",
    file_name: "class.html",
    audience: Audience::Instructor,
    write: Write::Class(write),
};

/// How many exercises and diagnoses are listed.
const MAX_LISTED: usize = 10;

/// All records as one page.
fn write(records: &[Record], options: &Options) -> Result<String, Error> {
    let title = records.first().map(|record| text(&record.made.title)).unwrap_or_default();
    let all = exercises(records);
    let body = html! {
        a class="skip" href="#class" { "To the table of students" }
        header {
            h1 { (title) }
            (made(records))
            (facts(records))
            (incomplete(records))
        }
        main class="wide" {
            div class="column" {
                div class="two" {
                    section { (spread(&Spread::new(records))) }
                    section { (diagnoses_table(&diagnoses(records))) }
                }
                section { (hardest_table(&hardest(records))) }
                (flags(records))
                (unmatched(&options.unmatched))
            }
            (students(records, &all))
        }
        footer { (signs()) }
    };
    let style = include_str!("page/class.css");
    let script = include_str!("page/class.js");
    Ok(page(&title, "", style, script, &body))
}

fn made(records: &[Record]) -> Markup {
    let ran = records.iter().filter(|record| !record.submission.files.is_empty());
    let mut devices: Vec<String> = ran.map(|record| text(&record.made.device)).collect();
    devices.sort_unstable();
    devices.dedup();
    let from = records.iter().map(|record| record.made.at).min();
    let to = records.iter().map(|record| record.made.at).max();
    let zone = records.iter().find_map(|record| record.made.zone.as_deref());
    // as far as it is shown
    let minute = |at: Timestamp| at.as_second().div_euclid(60);
    html! {
        p class="lead" {
            "Graded "
            @if let (Some(from), Some(to)) = (from, to) {
                (time(from, zone)) @if minute(to) != minute(from) { " to " (time(to, zone)) }
            }
            @if !devices.is_empty() { " on " (devices.join(", ")) }
        }
    }
}

fn facts(records: &[Record]) -> Markup {
    let count = |is: fn(&Record) -> bool| records.iter().filter(|record| is(record)).count();
    let spread = Spread::new(records);
    html! {
        dl class="facts" {
            div { dt { "Students" } dd { (records.len()) } }
            @if let (Some(median), Some(mean)) = (spread.median, spread.mean) {
                div { dt { "Median" } dd { (points(median)) " %" } }
                div { dt { "Mean" } dd { (points(mean)) " %" } }
            }
            div { dt { "No files" } dd { (count(nothing)) } }
            div { dt { "Late" } dd { (count(late)) } }
            div { dt { "Code contained" } dd { (count(contained)) } }
            div { dt { "Not complete" } dd { (count(|record| !is_complete(record))) } }
        }
    }
}

fn incomplete(records: &[Record]) -> Markup {
    let ids: Vec<String> =
        records.iter().filter(|r| !is_complete(r)).map(|r| text(&r.student.id)).collect();
    html! {
        @if !ids.is_empty() {
            div class="notice" {
                strong { (ids.len()) @if ids.len() == 1 { " grade is" } @else { " grades are" } " not complete." }
                " The machine failed, not the students: grade them again. Until then they have no sum and do not count \
                  below: " (ids.join(", ")) "."
            }
        }
    }
}

fn spread(spread: &Spread) -> Markup {
    let most = spread.bins.iter().copied().max().unwrap_or(0).max(1);
    let in_words: Vec<String> =
        (0..).zip(&spread.bins).map(|(i, count)| format!("{}: {count}", Spread::bin(i))).collect();
    html! {
        h2 { "How the points are spread" }
        figure class="chart" {
            svg viewBox="-6 0 374 168" role="img" aria-labelledby="spread-title spread-text" {
                title id="spread-title" { "Students by the share of points that they have" }
                desc id="spread-text" { (in_words.join("; ")) }
                @for (i, count) in spread.bins.iter().enumerate() {
                    @let height = (count * 120).div_ceil(most);
                    @let left = 4 + i * 35;
                    @if *count > 0 {
                        rect class="bar" x=(left) y=(140 - height) width="31" height=(height) rx="2" {}
                        text class="count" x=(left + 15) y=(135 - height) text-anchor="middle" { (count) }
                    }
                    text x=(left) y="156" text-anchor="middle" { (i * 10) }
                }
                text x="354" y="156" text-anchor="middle" { "100" }
                line class="axis" x1="2" y1="140.5" x2="358" y2="140.5" {}
            }
            figcaption {
                "Students by percent of the points"
                @if spread.above > 0 { "; " (spread.above) " above 100 with extra credit are in the last bar" }
            }
        }
    }
}

fn diagnoses_table(diagnoses: &[Diagnosis]) -> Markup {
    let most = diagnoses.first().map_or(1, |d| d.students.max(1));
    html! {
        h2 { "What goes wrong most often" }
        @if diagnoses.is_empty() { p class="dim" { "Nothing: there is no failed report." } }
        @else {
            table class="rank" {
                thead {
                    tr {
                        th scope="col" { "Diagnosis" }
                        th scope="col" class="share" { span class="hide" { "As a bar" } }
                        th scope="col" class="num" { "Students" }
                        th scope="col" class="num" { "Reports" }
                    }
                }
                tbody {
                    @for diagnosis in diagnoses.iter().take(MAX_LISTED) {
                        tr {
                            th scope="row" {
                                (text(&diagnosis.slug))
                                div class="dim" { "mostly in " (text(&diagnosis.mostly)) }
                            }
                            td class="share" { (bars(&[("bar", diagnosis.students)], most)) }
                            td class="num" data-l="students" { (diagnosis.students) }
                            td class="num" data-l="reports" { (diagnosis.reports) }
                        }
                    }
                }
            }
        }
    }
}

fn hardest_table(hardest: &[Difficulty]) -> Markup {
    html! {
        h2 { "The hardest exercises" }
        @if hardest.is_empty() { p class="dim" { "No student has submitted an exercise that gives points." } }
        @else {
            p class="dim" { "By the mean share of points among those who handed the exercise in." }
            ul class="keys" {
                @for status in [Status::Passed, Status::Partial, Status::Failed, Status::Missing] {
                    li {
                        svg viewBox="0 0 1 1" aria-hidden="true" { rect class={ "s-" (status.as_str()) } width="1" height="1" {} }
                        (word(status))
                    }
                }
            }
            table class="rank" {
                thead {
                    tr {
                        th scope="col" { "Exercise" }
                        th scope="col" class="share" { span class="hide" { "As a bar" } }
                        th scope="col" class="num" { "Points" }
                        th scope="col" class="num" { "Passed" }
                        th scope="col" class="num" { "Partly" }
                        th scope="col" class="num" { "Not yet" }
                        th scope="col" class="num" { "Missing" }
                    }
                }
                tbody {
                    @for hard in hardest.iter().take(MAX_LISTED) {
                        @let [passed, partial, failed, missing] = hard.counts;
                        tr {
                            th scope="row" {
                                (text(&hard.id))
                                div class="dim" { (chapter(&hard.chapter)) }
                            }
                            td class="share" {
                                (bars(
                                    &[("s-passed", passed), ("s-partial", partial), ("s-failed", failed), ("s-missing", missing)],
                                    hard.counts.iter().sum(),
                                ))
                            }
                            td class="num" data-l="points" { (points((hard.mean * 100.0).round())) " %" }
                            @for (count, label) in hard.counts.iter().zip(["passed", "partly", "not yet", "missing"]) {
                                td class="num" data-l=(label) { (count) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Parts of a whole, side by side. The numbers stand beside it, so that it is decoration to a
/// screen reader.
fn bars(parts: &[(&str, usize)], whole: usize) -> Markup {
    let whole = whole.max(1);
    let mut left = 0;
    let placed: Vec<(&str, usize, usize)> = parts
        .iter()
        .map(|(class, count)| {
            let from = left;
            left += count;
            (*class, from * 1000 / whole, count * 1000 / whole)
        })
        .collect();
    html! {
        svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
            @for (class, from, width) in placed {
                @if width > 0 { rect class=(class) x=(from) width=(width) height="10" {} }
            }
        }
    }
}

/// Kinds of remarks, those first that may change a grade.
const URGENT_FIRST: [&str; 19] = [
    "not-graded",
    "contained",
    "refused",
    "unclear-file",
    "other-folder",
    "similar-id",
    "missing-files",
    "refused-file",
    "unread-file",
    "unreadable-source",
    "not-on-the-roster",
    "by-hand",
    "over-the-cap",
    "late",
    "look-at",
    "hidden-characters",
    "other-file",
    "changed-file",
    "ignored-file",
];

/// All remarks, the most urgent kind first, and those of one kind by student.
fn urgent_first(records: &[Record]) -> Vec<(&Record, &Flag)> {
    let of = |record| move |flag| (record, flag);
    let mut all: Vec<(&Record, &Flag)> =
        records.iter().flat_map(|record| record.flags.iter().map(of(record))).collect();
    let place = |flag: &Flag| URGENT_FIRST.iter().position(|kind| *kind == flag.what);
    all.sort_by_key(|(_, flag)| place(flag).unwrap_or(URGENT_FIRST.len()));
    all
}

fn flags(records: &[Record]) -> Markup {
    let all = urgent_first(records);
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Remarks to look at" }
                div class="scroll low" tabindex="0" role="region" aria-label="Remarks to look at" {
                    table class="grid remarks" {
                        thead {
                            tr {
                                th scope="col" { "Student" }
                                th scope="col" { "What" }
                                th scope="col" { "Exercise" }
                                th scope="col" { "Why" }
                            }
                        }
                        tbody {
                            @for (record, flag) in &all {
                                tr {
                                    th scope="row" { (text(&record.student.id)) }
                                    td { (text(&flag.what)) }
                                    td { (text(flag.exercise.as_deref().unwrap_or_default())) }
                                    td { (block(&flag.detail)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What belongs to no grade.
fn unmatched(lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            section {
                h2 { "Not matched with a student" }
                p class="dim" { "If one of these is a student's work, that student's points are missing." }
                div class="scroll low" tabindex="0" role="region" aria-label="Not matched with a student" {
                    ul { @for line in lines { li { (text(line)) } } }
                }
            }
        }
    }
}

fn students(records: &[Record], all: &[&Exercise]) -> Markup {
    let chapter_begins =
        |i: usize| i == 0 || all.get(i - 1).map(|e| &e.chapter) != all.get(i).map(|e| &e.chapter);
    html! {
        h2 id="class" { "Students" }
        div class="tools" {
            label for="find" { "Find a name" input id="find" type="search" autocomplete="off"; }
            label for="only" {
                "Show"
                select id="only" {
                    option value="" { "all students" }
                    option value="contained" { "contained code" }
                    option value="flagged" { "something to look at" }
                    option value="incomplete" { "not complete" }
                    option value="late" { "late" }
                    option value="nothing" { "submitted nothing" }
                }
            }
            output id="shown" aria-live="polite" {}
        }
        (cell_signs())
        div class="scroll" tabindex="0" role="region" aria-labelledby="class" {
            table class="grid" id="students" {
                thead {
                    tr {
                        th scope="col" { button type="button" { "Student" } }
                        th scope="col" class="num" { button type="button" { "Points" } }
                        th scope="col" class="num" { button type="button" { "Late" } }
                        th scope="col" class="num" { button type="button" { "Flags" } }
                        @for (i, exercise) in all.iter().enumerate() {
                            th scope="col" class={ "turn" @if chapter_begins(i) { " chapter" } } {
                                button type="button" { (text(&exercise.id)) }
                            }
                        }
                    }
                }
                tbody {
                    @for record in records {
                        tr data-k=(kinds(record)) {
                            (student_cell(record))
                            (sum(record))
                            td class="num" { (record.score.late_days) }
                            td class="num" { (record.flags.len()) }
                            @for (i, exercise) in all.iter().enumerate() {
                                (cell(record.exercises.iter().find(|e| e.id == exercise.id), chapter_begins(i)))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn student_cell(record: &Record) -> Markup {
    html! {
        th scope="row" {
            (text(record.student.name.as_deref().unwrap_or(&record.student.id)))
            @if record.student.name.is_some() { small { (text(&record.student.id)) } }
        }
    }
}

fn sum(record: &Record) -> Markup {
    html! {
        @if is_complete(record) {
            td class="num" { (points(record.score.points)) }
        } @else {
            td class="num" data-v="-1" {
                b class="bad" title="not complete" aria-hidden="true" { "?" }
                span class="hide" { "not complete" }
            }
        }
    }
}

/// A student's cell for an exercise. What stands in it can be read alone; the colour repeats it.
fn cell(exercise: Option<&Exercise>, chapter: bool) -> Markup {
    let Some(exercise) = exercise else { return html! { td class="c" data-v="-3" {} } };
    let (class, what) = match exercise.status {
        _ if exercise.excused => ("c c-m", "e".to_owned()),
        Status::Passed => ("c c-p", "✓".to_owned()),
        Status::Partial => ("c c-h", points(exercise.points)),
        Status::Failed => ("c c-f", points(exercise.points)),
        Status::Missing => ("c c-m", "–".to_owned()),
        Status::NotGraded => ("c c-n", "?".to_owned()),
    };
    let stopped = if exercise.contained.is_some() { " c-s" } else { "" };
    let chapter = if chapter { " chapter" } else { "" };
    let value = match exercise.status {
        _ if exercise.excused => "-1".to_owned(),
        Status::Missing => "-1".to_owned(),
        Status::NotGraded => "-2".to_owned(),
        _ => points(exercise.points),
    };
    let slug = exercise.report.as_ref().filter(|report| !report.passed).map(|report| &report.slug);
    let mut title = format!("{}: {}", exercise.id, status_badge(exercise).word);
    if exercise.status != Status::NotGraded && !exercise.excused {
        title.push_str(&format!(", {} of {}", points(exercise.points), points(exercise.possible)));
    }
    if let Some(slug) = slug {
        title.push_str(&format!(", {slug}"));
    }
    if exercise.contained.is_some() {
        title.push_str(", contained");
    }
    html! {
        td class={ (class) (stopped) (chapter) } data-v=(value) title=(text(&title)) {
            (what) @if exercise.contained.is_some() { "!" }
        }
    }
}

fn cell_signs() -> Markup {
    html! {
        ul class="keys" {
            li { b class="c-p" { "✓" } (word(Status::Passed)) }
            li { b class="c-h" { "5" } (word(Status::Partial)) ": its points" }
            li { b class="c-f" { "0" } (word(Status::Failed)) }
            li { b class="c-m" { "–" } (word(Status::Missing)) }
            li { b class="c-n" { "?" } (word(Status::NotGraded)) }
            li { b class="c-m" { "e" } "excused" }
            li { b class="c-s" { "!" } "contained code" }
        }
    }
}

fn signs() -> Markup {
    html! {
        "Points of an exercise are before any penalty; a student's points are what counts. A dash means that no file was \
         submitted, and an empty cell that the exercise is not part of that student's assignment."
    }
}

fn kinds(record: &Record) -> String {
    let kinds: [(&str, bool); 5] = [
        ("contained", contained(record)),
        ("flagged", !record.flags.is_empty()),
        ("incomplete", !is_complete(record)),
        ("late", late(record)),
        ("nothing", nothing(record)),
    ];
    let true_ones = kinds.into_iter().filter(|(_, is)| *is).map(|(kind, _)| kind);
    true_ones.collect::<Vec<_>>().join(" ")
}

fn contained(record: &Record) -> bool {
    record.exercises.iter().any(|exercise| exercise.contained.is_some())
}

fn late(record: &Record) -> bool {
    record.score.late_days > 0
}

fn nothing(record: &Record) -> bool {
    let mut asked = record.exercises.iter().filter(|exercise| !exercise.excused).peekable();
    asked.peek().is_some() && asked.all(|exercise| exercise.status == Status::Missing)
}
