//! The HTML pages, as a browser's parser reads them: what they say, what they hide, and that no
//! text becomes markup.

use std::collections::{BTreeMap, BTreeSet};

use crate::common;
use grading::formats::{Audience, Error, Options, html_class, html_student};
use grading::record::{Outcome, Record, Show, Status, Student};
use proptest::prelude::*;
use scraper::{Html, Node, Selector};

fn student() -> Options {
    Options::new(common::now())
}

fn grader() -> Options {
    Options { audience: Audience::Instructor, ..student() }
}

/// The page as a parser of HTML5 has it, which must have had nothing to complain about.
fn parse(page: &str) -> Html {
    let html = Html::parse_document(page);
    assert!(html.errors.is_empty(), "{:?}", html.errors);
    html
}

fn select<'a>(html: &'a Html, what: &str) -> Vec<scraper::ElementRef<'a>> {
    html.select(&Selector::parse(what).unwrap()).collect()
}

fn words(html: &Html, what: &str) -> String {
    let texts: Vec<String> = select(html, what).iter().map(|e| e.text().collect()).collect();
    texts.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Elements with their attributes, in order; of attributes that hold texts only the name.
fn structure(html: &Html) -> Vec<String> {
    let texts = ["title", "content", "data-v"];
    html.tree
        .nodes()
        .filter_map(|node| match node.value() {
            Node::Element(element) => {
                let attributes = element.attrs().map(|(name, value)| match texts.contains(&name) {
                    true => name.to_owned(),
                    false => format!("{name}={value}"),
                });
                let attributes: BTreeSet<String> = attributes.collect();
                Some(format!("{} {attributes:?}", element.name()))
            }
            Node::Comment(_) | Node::ProcessingInstruction(_) => Some("no element".into()),
            _ => None,
        })
        .collect()
}

/// A page is one file: nothing in it names another, and nothing can run or load but its own style
/// and script.
fn is_self_contained(html: &Html) {
    for element in select(html, "*") {
        for (name, value) in element.value().attrs() {
            assert!(!name.starts_with("on"), "{name}={value}");
            assert!(!matches!(name, "src" | "srcset" | "style" | "action" | "formaction" | "data"));
            assert!(name != "href" || value.starts_with('#'), "{value}");
        }
        let tag = element.value().name();
        assert!(!matches!(tag, "link" | "img" | "iframe" | "object" | "embed" | "base" | "form"));
    }
    let policy =
        select(html, "meta[http-equiv='Content-Security-Policy']")[0].attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none'; base-uri 'none'"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains('*'));
    let style: String = select(html, "style")[0].text().collect();
    assert!(!style.contains("url(") && !style.contains("@import"));
}

/// The class's page has a row for each student and a cell for each exercise, numbers that add up,
/// and what needs eyes.
#[test]
fn a_class() {
    let class = common::class(60, 7);
    let html = parse(&html_class::FORMAT.render(&class, &grader()).unwrap());
    is_self_contained(&html);
    let rows = select(&html, "#students tbody tr");
    assert_eq!(rows.len(), class.len());
    for (row, record) in rows.iter().zip(&class) {
        let cells: Vec<_> = row.child_elements().collect();
        assert_eq!(cells.len(), 4 + common::EXERCISES);
        let points: String = cells[1].text().collect();
        assert_eq!(points == "?not complete", !record.score.complete);
        if record.score.complete {
            assert!((points.parse::<f64>().unwrap() - record.score.points).abs() < 0.005);
        }
        for (cell, exercise) in cells[4..].iter().zip(&record.exercises) {
            let text: String = cell.text().collect();
            assert_eq!(text.starts_with('✓'), exercise.status == Status::Passed, "{text}");
            assert_eq!(text == "–", exercise.status == Status::Missing);
            assert_eq!(text.ends_with('!'), exercise.contained.is_some());
        }
    }
    let complete = class.iter().filter(|record| record.score.complete).count();
    assert!(complete < class.len(), "the class has a grade that is not complete");
    let counts = words(&html, "svg .count");
    let total: usize = counts.split(' ').map(|count| count.parse::<usize>().unwrap()).sum();
    assert_eq!(total, complete);
    let incomplete = class.iter().find(|record| !record.score.complete).unwrap();
    assert!(words(&html, ".notice").contains(&incomplete.student.id));
    let flags: usize = class.iter().map(|record| record.flags.len()).sum();
    assert_eq!(select(&html, ".low tbody tr").len(), flags);
}

/// Remarks that may change a grade come first, whatever their students are called: a list by names
/// would hide them below a hundred renamed files.
#[test]
fn the_most_urgent_remarks_come_first() {
    let flag = |what: &str| grading::record::Flag {
        what: what.into(),
        exercise: None,
        detail: format!("why {what}"),
    };
    let mut class = vec![common::small(), common::small()];
    class[0].student.id = "ada".into();
    class[0].flags = vec![flag("changed-file"), flag("look-at"), flag("of-another-version")];
    class[1].student.id = "zoe".into();
    class[1].flags = vec![flag("other-file"), flag("contained"), flag("not-graded")];
    let html = parse(&html_class::FORMAT.render(&class, &grader()).unwrap());
    let kinds: Vec<String> = select(&html, ".remarks tbody tr")
        .iter()
        .map(|row| row.text().nth(1).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        kinds,
        ["not-graded", "contained", "look-at", "other-file", "changed-file", "of-another-version"]
    );
}

/// What screen readers and keyboards need: a language, a title, names for pictures and regions,
/// headings in order, labels.
#[test]
fn pages_work_with_a_screen_reader() {
    let class = common::class(12, 7);
    let pages = [
        html_class::FORMAT.render(&class, &grader()).unwrap(),
        html_student::FORMAT.render(&class[..1], &student()).unwrap(),
    ];
    for page in pages {
        let html = parse(&page);
        assert_eq!(select(&html, "html")[0].attr("lang"), Some("en"));
        assert!(!words(&html, "title").is_empty());
        assert_eq!(select(&html, "h1").len(), 1);
        assert_eq!(select(&html, "main").len(), 1);
        for svg in select(&html, "svg") {
            let hidden = svg.attr("aria-hidden") == Some("true");
            let named = svg.attr("role") == Some("img") && svg.attr("aria-labelledby").is_some();
            assert!(hidden != named);
        }
        for region in select(&html, "[role=region]") {
            assert!(region.attr("aria-label").or(region.attr("aria-labelledby")).is_some());
            assert_eq!(region.attr("tabindex"), Some("0"));
        }
        let ids: Vec<&str> = select(&html, "[id]").iter().filter_map(|e| e.attr("id")).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "an id twice");
        for reference in select(&html, "[href^='#'], [for], [aria-labelledby]") {
            let attributes = ["href", "for", "aria-labelledby"];
            for name in attributes.into_iter().filter_map(|name| reference.attr(name)) {
                for id in name.trim_start_matches('#').split(' ') {
                    assert!(ids.contains(&id), "nothing is called {id}");
                }
            }
        }
        for table in select(&html, "th") {
            assert!(table.attr("scope").is_some() || table.text().next().is_some());
        }
    }
}

/// A student's page says what was submitted, each item's points, what is wrong and where, what to
/// think about and where to read.
#[test]
fn a_student() {
    let html = parse(&html_student::FORMAT.render(&[common::small()], &student()).unwrap());
    is_self_contained(&html);
    let page = words(&html, "body");
    for text in [
        "26 of 40 points",
        "10 of them extra credit",
        "exercises/ch04_shared/reverse_sync.cu",
        "thread 0 reads tile[32] while thread 32 may still be writing it",
        "line 26, columns 13–21: (2) thread 0 (warp 0) reads tile[32] here",
        "To think about: Which threads must reach the barrier",
        "To read: book chapter 4",
        "In the book: Chapter 4: shared, page reverse_sync",
        "notes/todo.txt",
        "6 of 10",
    ] {
        assert!(page.contains(text), "{text:?} is not in {page}");
    }
    assert_eq!(select(&html, "article").len(), 5);
    assert!(!page.contains("submissions/"), "the path on the grader's disk is not shown");
}

/// A grade that is not complete is said to be so, and there is no sum.
#[test]
fn an_incomplete_grade_has_no_sum() {
    let mut record = common::small();
    record.exercises[0].status = Status::NotGraded;
    common::add_up(&mut record);
    let html = parse(&html_student::FORMAT.render(&[record], &student()).unwrap());
    assert!(words(&html, ".notice").contains("not complete"));
    assert!(select(&html, ".score").is_empty() && select(&html, ".meter").is_empty());
    assert!(words(&html, "article").contains("no points yet"));
}

/// Nothing of a hidden item is on its student's page: not its values, not its seed, not what only
/// graders read.
#[test]
fn nothing_hidden_is_on_a_students_page() {
    let mut record = common::small();
    for exercise in &mut record.exercises {
        let Some(item) = exercise.items.last_mut() else { continue };
        (item.message, item.again) = ("LEAK of values".into(), Some("LEAK of a seed".into()));
        let mut nothing = item.clone();
        (nothing.show, nothing.name, nothing.reveal) =
            (Show::Nothing, "LEAK of a name".into(), None);
        (nothing.outcome, nothing.slug) = (Outcome::Failed, "LEAK-of-a-verdict".into());
        exercise.items.push(nothing);
        if exercise.report_hidden {
            let report = exercise.report.as_mut().unwrap();
            for text in
                [&mut report.case, &mut report.think, &mut report.again, &mut report.printed]
            {
                *text = Some("LEAK".into());
            }
            report.notes.push("LEAK".into());
            report.table.push(vec!["LEAK".into()]);
        }
    }
    record.made.seed = "LEAK".into();
    record.submission.source = "LEAK".into();
    record.flags.push(grading::record::Flag {
        what: "contained".into(),
        exercise: None,
        detail: "LEAK".into(),
    });
    let page = html_student::FORMAT.render(&[record.clone()], &student()).unwrap();
    assert!(!page.contains("LEAK"));
    assert!(page.contains("secret inputs"));
    let page = html_student::FORMAT.render(&[record], &grader()).unwrap();
    assert!(page.contains("LEAK of values"), "a grader who asks sees everything");
}

/// Pages of several students are several files, whatever the students are called.
#[test]
fn files_have_names_for_every_system() {
    let ids = ["Ada", "ada", "../../etc/passwd", "CON", "a\nb", "", "李", "-rf", ".", "a b", "a-b"];
    let records: Vec<Record> = ids
        .iter()
        .map(|id| {
            let mut record = common::small();
            record.student = Student { id: (*id).into(), ..Student::default() };
            record
        })
        .collect();
    let files = html_student::files(&records, &student()).unwrap();
    let names: BTreeMap<String, usize> =
        files.iter().map(|file| (file.path.to_lowercase(), file.contents.len())).collect();
    assert_eq!(names.len(), ids.len());
    for name in names.keys() {
        let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let stem = name.strip_suffix(".html").unwrap();
        assert!(stem.chars().all(known) && !stem.starts_with('-'), "{name}");
        assert!((10..64).contains(&stem.len()));
    }
    assert!(matches!(
        html_student::FORMAT.render(&records, &student()),
        Err(Error::OneRecord { .. })
    ));
    assert!(matches!(html_student::files(&[], &student()), Err(Error::NoRecords { .. })));
    assert!(matches!(html_class::FORMAT.render(&[], &grader()), Err(Error::NoRecords { .. })));
}

/// The script finds what it looks for: its ids and attributes are the page's.
#[test]
fn the_script_fits_the_page() {
    let html = parse(&html_class::FORMAT.render(&common::class(3, 1), &grader()).unwrap());
    let script: String = select(&html, "script")[0].text().collect();
    let ids: Vec<&str> = script
        .split("getElementById(\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(ids, ["students", "find", "only", "shown"]);
    for id in ids {
        assert_eq!(select(&html, &format!("[id={id}]")).len(), 1, "{id}");
    }
    assert_eq!(select(&html, "#students tr[data-k]").len(), 3);
    let buttons = select(&html, "#students thead button").len();
    assert_eq!(buttons, select(&html, "#students thead th").len());
}

/// A record like it whose texts are harmless, and differ where the others differ.
fn harmless(record: &Record, known: &mut BTreeMap<String, String>) -> Record {
    let mut record = record.clone();
    common::texts(&mut record, &mut |text| {
        if !text.is_empty() {
            let next = format!("text{}", known.len());
            *text = known.entry(text.clone()).or_insert(next).clone();
        }
    });
    record
}

fn class_of(words: &[String]) -> Vec<Record> {
    let mut records = vec![common::small(), common::small()];
    let mut at = 0;
    for record in &mut records {
        common::texts(record, &mut |text| {
            *text = words[at % words.len()].clone();
            at += 1;
        });
        // Names in the sums of a class; two must not become one by chance.
        for (i, exercise) in record.exercises.iter_mut().enumerate() {
            exercise.id.push_str(&i.to_string());
            if let Some(report) = &mut exercise.report {
                report.slug.push_str(&i.to_string());
            }
        }
    }
    records
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever stands in names and texts, a page has the elements and attributes that it has with
    /// harmless ones, in the same order, its parser finds no error in it, and no character acts on
    /// the reader.
    #[test]
    fn no_text_becomes_markup(words in prop::collection::vec(common::hostile(), 3..40)) {
        let records = class_of(&words);
        let mut known = BTreeMap::new();
        let plain: Vec<Record> = records.iter().map(|record| harmless(record, &mut known)).collect();
        let pages = |records: &[Record]| {
            [
                html_class::FORMAT.render(records, &grader()).unwrap(),
                html_student::FORMAT.render(&records[..1], &student()).unwrap(),
                html_student::FORMAT.render(&records[..1], &grader()).unwrap(),
            ]
        };
        for (hostile, plain) in pages(&records).iter().zip(&pages(&plain)) {
            let html = parse(hostile);
            is_self_contained(&html);
            prop_assert_eq!(structure(&html), structure(&parse(plain)));
            prop_assert!(!hostile.contains(common::acts));
        }
    }

    /// What was escaped is read as what was written: the name, in one line, without what acts.
    #[test]
    fn names_are_read_as_written(name in "[a-z<>&\"'é李]{1,20}") {
        let mut record = common::small();
        record.student.name = Some(name.clone());
        let html = parse(&html_student::FORMAT.render(&[record.clone()], &student()).unwrap());
        prop_assert_eq!(words(&html, "h1"), name.clone());
        let html = parse(&html_class::FORMAT.render(&[record], &grader()).unwrap());
        prop_assert!(words(&html, "#students tbody th").starts_with(&name));
    }
}

/// What belongs to no grade is on the page of the class, as text.
#[test]
fn the_class_page_lists_what_is_not_matched() {
    let options =
        Options { unmatched: vec!["late <b>by</b> mail.cu: not named".to_owned()], ..grader() };
    let text = html_class::FORMAT.render(&common::class(2, 1), &options).unwrap();
    assert!(text.contains("Not matched with a student"));
    assert!(text.contains("late &lt;b&gt;by&lt;/b&gt; mail.cu: not named"), "{text}");
    let without = html_class::FORMAT.render(&common::class(2, 1), &grader()).unwrap();
    assert!(!without.contains("Not matched with a student"));
}

/// A student whose files could not be graded does not read "nothing was submitted".
#[test]
fn a_refused_submission_is_not_nothing() {
    let mut record = common::class(1, 1).remove(0);
    record.submission.files.clear();
    record.submission.ignored = vec!["hw.zip: the file is empty".to_owned()];
    let page = html_student::FORMAT.render(&[record.clone()], &grader()).unwrap();
    assert!(page.contains("no file of it could be graded"), "{page}");
    assert!(page.contains("hw.zip: the file is empty"), "{page}");
    record.submission = grading::record::Submission::absent(record.submission.at);
    let page = html_student::FORMAT.render(&[record], &grader()).unwrap();
    assert!(!page.contains("no file of it could be graded"), "{page}");
}
