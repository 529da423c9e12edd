//! One student's grade as an HTML page of its own: what was submitted, points item by item, what is
//! wrong and where, what to think about, and where the book explains it.
//!
//! A page shows what [`Options::view`] leaves: for students nothing of a hidden item that they may
//! not see.

use maud::{Markup, html};

use super::html::{block, chapter, day, outcome, page, status_badge, text, time};
use super::platform::{is_complete, points};
use super::{Audience, Error, File, Format, Options, Write};
use crate::record::{Counted, Exercise, Item, LateDays, Record, Report, Status, Student};
use crate::seed::sha256;

/// This format, for one student.
pub static FORMAT: Format = Format {
    name: "html-student",
    file_name: "student.html",
    audience: Audience::Student,
    write: Write::Student(write),
};

fn write(record: &Record, _: &Options) -> Result<String, Error> {
    Ok(whole(record))
}

/// A page for each record, in files whose names [`file_name`] makes.
///
/// # Errors
/// When there is no record.
pub fn files(records: &[Record], options: &Options) -> Result<Vec<File>, Error> {
    if records.is_empty() {
        return Err(Error::NoRecords { format: FORMAT.name });
    }
    let file = |record: &Record| {
        let contents = FORMAT.render(std::slice::from_ref(record), options)?;
        Ok(File { path: file_name(&record.student), contents })
    };
    records.iter().map(file).collect()
}

/// The file of a student's page: of characters that every file system takes, and different for any
/// two students, also where case does not count.
pub fn file_name(student: &Student) -> String {
    let known = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let stem: String = student.id.chars().take(40).map(known).collect();
    let hash = sha256(student.id.as_bytes());
    format!("{}-{}.html", stem.trim_matches('-'), hash.get(..10).unwrap_or(&hash))
        .trim_start_matches('-')
        .to_owned()
}

fn whole(record: &Record) -> String {
    let student = record.student.name.as_deref().unwrap_or(&record.student.id);
    let title = format!("{} · {}", text(&record.made.title), text(student));
    let body = html! {
        a class="skip" href="#exercises" { "To the exercises" }
        header {
            p class="lead" { (text(&record.made.title)) }
            h1 { (text(student)) }
            (score(record))
            (facts(record))
            @if submission_is_refused(record) {
                p class="notice" {
                    "There is a submission of yours, and no file of it could be graded. "
                    a href="#files" { "Here is why." }
                    " Ask your instructor, or submit it again."
                }
            }
            @if let Some(comment) = &record.comment { p class="notice" { (block(comment)) } }
        }
        main {
            h2 id="exercises" { "Exercises" }
            (index(&record.exercises))
            @for (i, exercise) in record.exercises.iter().enumerate() {
                @if i == 0 || record.exercises.get(i - 1).map(|e| &e.chapter) != Some(&exercise.chapter) {
                    h2 { (chapter(&exercise.chapter)) }
                }
                (card(i, record, exercise))
            }
            (handed_in(record))
        }
        footer {
            "Graded on " (day(record.made.at, record.made.zone.as_deref())) " by checker " (text(&record.made.checker)) " on "
            (text(&record.made.device)) "."
        }
    };
    page(&title, "narrow", include_str!("page/student.css"), "", &body)
}

fn submission_is_refused(record: &Record) -> bool {
    record.submission.files.is_empty() && !record.submission.is_absent()
}

fn score(record: &Record) -> Markup {
    let score = &record.score;
    if !is_complete(record) {
        return html! {
            p class="notice" role="status" {
                strong { "This grade is not complete." }
                " The machine could not grade everything, which is no fault of the submission. There is no sum until it \
                  is graded again."
            }
        };
    }
    let part =
        if score.possible > 0.0 { (score.points / score.possible).clamp(0.0, 1.0) } else { 0.0 };
    html! {
        p class="score" {
            strong { (points(score.points)) } " "
            span class="dim" { "of " (points(score.possible)) " points" }
            @if score.extra != 0.0 { " " span class="good" { (points(score.extra)) " of them extra credit" } }
            @if score.penalty != 0.0 { " " span class="bad" { (points(score.penalty)) " taken for being late" } }
        }
        svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect class="track" width="100" height="6" {}
            rect class="bar" width=(points(part * 100.0)) height="6" {}
        }
    }
}

fn facts(record: &Record) -> Markup {
    let submission = &record.submission;
    html! {
        dl class="meta" {
            @if record.student.name.is_some() {
                dt { "Student" }
                dd class="mono" { (text(&record.student.id)) }
            }
            dt { "Submitted" }
            dd { @if submission.is_absent() { "nothing" } @else { (time(submission.at, record.made.zone.as_deref())) } }
            @if submission.attempt > 1 {
                dt { "Attempt" }
                dd { (submission.attempt) }
            }
            @if let Some(group) = &submission.group {
                dt { "Group" }
                dd { (text(&group.name)) ": " (text(&group.members.join(", "))) }
            }
            @if record.score.late_days > 0 {
                dt { "Days late" }
                dd { (record.score.late_days) }
            }
            @if let Some(days) = &record.late_days {
                dt { "Free late days" }
                dd { (text(&free_days(days))) }
            }
        }
    }
}

/// The free late days of a term in words: "10 for the term: 2 in week 1, 1 here, 7 left".
fn free_days(days: &LateDays) -> String {
    let earlier = days.earlier.iter().map(|one| format!("{} in {}, ", one.days, one.title));
    let earlier: String = earlier.collect();
    format!("{} for the term: {earlier}{} here, {} left", days.free, days.here, days.left())
}

fn index(exercises: &[Exercise]) -> Markup {
    html! {
        nav aria-label="Exercises" {
            ul class="index" {
                @for (i, exercise) in exercises.iter().enumerate() {
                    li {
                        @let badge = status_badge(exercise);
                        a href={ "#e" (i + 1) } {
                            span class=(badge.colour) aria-hidden="true" { (badge.sign) }
                            span { (text(&exercise.id)) }
                            span class="hide" { ": " (badge.word) }
                        }
                    }
                }
            }
        }
    }
}

fn card(number: usize, record: &Record, exercise: &Exercise) -> Markup {
    let badge = status_badge(exercise);
    let open = !exercise.excused && !matches!(exercise.status, Status::Passed | Status::Missing);
    html! {
        article class="card" id={ "e" (number + 1) } {
            div class="head" {
                h3 { (text(&exercise.id)) } " "
                span class={ "badge " (badge.colour) } { (badge.word) }
                @if exercise.bonus { " " span class="badge dim" { "extra credit" } }
                " " span class="points" { (points_of(exercise)) }
            }
            p class="goal" { (text(&exercise.goal)) }
            (dates(exercise, record.made.zone.as_deref()))
            (by_hand(exercise))
            (several_files(record, exercise))
            @if let Some(why) = &exercise.contained {
                p class="notice" { strong { "The code was stopped. " } (text(why)) }
            }
            @if let Some(report) = &exercise.report {
                @if report.passed {
                    @if !report.title.is_empty() { p class="good" { (text(&report.title)) } }
                } @else { (diagnosis(exercise, report)) }
            }
            @if !exercise.items.is_empty() {
                details open[open] {
                    summary { "Points item by item" }
                    (items(&exercise.items))
                }
            }
            @if exercise.status != Status::Passed && !exercise.excused {
                p class="dim" { "In the book: " (chapter(&exercise.chapter)) ", page " (text(&exercise.id)) }
            }
        }
    }
}

/// What an instructor decided, and says.
fn by_hand(exercise: &Exercise) -> Markup {
    let Some(decision) = &exercise.by_hand else { return Markup::default() };
    html! {
        p class="notice" {
            @if decision.points.is_some() { "These points were given by hand. " }
            @if decision.late_days.is_some() { "The days late were set by hand. " }
            @if let Some(comment) = &decision.comment { (block(comment)) }
        }
    }
}

/// Which of several files counts, and why.
fn several_files(record: &Record, exercise: &Exercise) -> Markup {
    let Some(counted) = exercise.counted.filter(|_| !exercise.others.is_empty()) else {
        return Markup::default();
    };
    let why = match counted {
        Counted::Last => "it was submitted last",
        Counted::OnTime => "it is the last one that was in time",
        Counted::NoneOnTime => "none was in time, and it was submitted last",
        Counted::Best => "it gives the most points, after what its days late cost",
    };
    let submission = &record.submission;
    let own = submission.files.iter().find(|file| file.exercise == exercise.id);
    let at = own.and_then(|file| file.at).unwrap_or(submission.at);
    let zone = record.made.zone.as_deref();
    html! {
        p {
            "You submitted " (exercise.others.len() + 1) " files for this exercise. The one of " (time(at, zone))
            " counts, because " (why) "."
        }
        ul {
            @for other in &exercise.others {
                li class="dim" {
                    (time(other.file.at.unwrap_or(submission.at), zone)) ": "
                    @if counted == Counted::Best && other.status != Status::NotGraded {
                        (points(other.points)) " points"
                    } @else { "does not count" }
                }
            }
        }
    }
}

fn points_of(exercise: &Exercise) -> String {
    match exercise.status {
        _ if exercise.excused => "counts nothing".into(),
        Status::NotGraded => "no points yet".into(),
        _ => format!("{} of {}", points(exercise.points), points(exercise.possible)),
    }
}

fn dates(exercise: &Exercise, zone: Option<&str>) -> Markup {
    html! {
        @if exercise.free_days > 0 {
            p class="dim" {
                (exercise.free_days) @if exercise.free_days == 1 { " free day" } @else { " free days" }
                " spent, for everything that was due with it."
            }
        }
        @if exercise.late_days > 0 || exercise.penalty != 0.0 {
            p class="bad" {
                @if let Some(due) = exercise.due { "Due " (time(due, zone)) ". " }
                (exercise.late_days) @if exercise.late_days == 1 { " day" } @else { " days" } " late: "
                (points(exercise.penalty)) " points taken."
            }
        }
    }
}

fn diagnosis(exercise: &Exercise, report: &Report) -> Markup {
    html! {
        section class="report" aria-label="What is wrong" {
            p class="title" { (text(&report.title)) }
            @if let Some(case) = &report.case { p class="dim" { (text(case)) } }
            @if !report.spans.is_empty() {
                ul {
                    @for span in &report.spans {
                        li {
                            @if span.primary { strong { "line " (span.line) } } @else { "line " (span.line) }
                            @if span.column > 0 && span.length > 0 {
                                span class="dim" {
                                    ", columns " (span.column) "–" (span.column.saturating_add(span.length - 1))
                                }
                            }
                            @if !span.label.is_empty() { ": " (text(&span.label)) }
                        }
                    }
                }
            }
            (table(&report.table))
            @for note in &report.notes { p { (block(note)) } }
            @if let Some(think) = &report.think {
                p class="think" { strong { "To think about: " } (text(think)) }
            }
            @if let Some(learn) = &report.learn {
                p { strong { "To read: " } (text(learn)) }
            }
            @if let Some(again) = &report.again {
                p { strong { "To see it again: " } code { (text(again)) } }
            }
            @if let Some(printed) = &report.printed {
                details {
                    summary { "What the code printed" }
                    pre tabindex="0" { (block(printed)) }
                }
            }
            @if let Some(file) = &exercise.file { p class="dim" { "in " code { (text(file)) } } }
        }
    }
}

fn table(rows: &[Vec<String>]) -> Markup {
    let Some((head, rows)) = rows.split_first() else { return Markup::default() };
    html! {
        div class="scroll" {
            table {
                thead { tr { @for cell in head { th scope="col" { (text(cell)) } } } }
                tbody { @for row in rows { tr { @for cell in row { td { (text(cell)) } } } } }
            }
        }
    }
}

fn items(items: &[Item]) -> Markup {
    html! {
        table class="items" {
            thead {
                tr {
                    th scope="col" { span class="hide" { "Outcome" } }
                    th scope="col" { "Item" }
                    th scope="col" { "What was seen" }
                    th scope="col" class="num" { "Points" }
                }
            }
            tbody {
                @for item in items {
                    @let (sign, word, colour) = outcome(item.outcome);
                    tr {
                        td class={ "mark " (colour) } {
                            span aria-hidden="true" { (sign) }
                            span class="hide" { (word) }
                        }
                        th scope="row" {
                            (text(&item.name))
                            @if item.hidden { " " span class="badge dim" { "secret inputs" } }
                        }
                        td class="said" {
                            (text(&item.message))
                            @if let Some(line) = item.line { span class="dim" { " (line " (line) ")" } }
                        }
                        td class="num" { (item_points(item)) }
                    }
                }
            }
        }
    }
}

/// "3 of 4"; of a bonus gate "2 extra"; of what the file held from the start nothing, or what
/// losing it costs.
fn item_points(item: &Item) -> String {
    let [earned, possible, extra] = [item.points, item.possible, item.extra].map(points);
    match (possible.as_str(), extra.as_str(), earned.as_str()) {
        ("0", "0", "0") => String::new(),
        ("0", "0", _) => earned,
        ("0", ..) => format!("{earned} of {extra} extra"),
        _ => format!("{earned} of {possible}"),
    }
}

fn handed_in(record: &Record) -> Markup {
    let submission = &record.submission;
    html! {
        h2 id="files" { "Submitted files" }
        @if submission_is_refused(record) {
            p { "No file of your submission could be graded." }
        } @else if submission.files.is_empty() { p { "No file of an exercise." } }
        @else {
            div class="scroll" {
                table {
                    thead {
                        tr {
                            th scope="col" { "File" }
                            th scope="col" class="num" { "Bytes" }
                            th scope="col" { "SHA-256 begins" }
                        }
                    }
                    tbody {
                        @for file in &submission.files {
                            tr {
                                td { code { (text(&file.path)) } }
                                td class="num" { (file.bytes) }
                                td { code { (text(file.hash.get(..12).unwrap_or(&file.hash))) } }
                            }
                        }
                    }
                }
            }
        }
        @if !submission.ignored.is_empty() {
            p { "Not graded:" }
            ul { @for path in &submission.ignored { li { code { (text(path)) } } } }
        }
    }
}
