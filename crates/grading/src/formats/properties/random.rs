//! Records of any shape with hostile text in every place.

use proptest::prelude::*;

use crate::formats::fixture::{HOSTILE, class, now};
use crate::record::{
    ByHand, Counted, Exercise, File, Group, Item, Kind, LateDays, Outcome, Record, Report, Show,
    Span, SpentDays, Status, Version,
};

/// Hostile text: pieces of attacks, any characters at all, and plain words.
pub fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(HOSTILE.to_vec()).prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
        proptest::sample::select(vec![
            "\n",
            "\r",
            "\t",
            " ",
            "`",
            "```",
            "|",
            "\\",
            "#",
            "##[",
            "::",
            ":",
            "%",
            "<",
            ">",
            "&",
            "]]>",
            "\"",
            "'",
            "  ...\n",
            "  ---\n",
            "@a",
            "*",
            "_",
            "[",
            "](",
            ")",
            "!",
            "~~",
            "$",
            "x",
            "out[3]",
            "\u{202e}",
            "\u{feff}",
            "# skip",
            "#todo",
            "www.a.b",
            "http://",
            "-",
            "=",
            "+",
            "1.",
            "{",
            "}",
            "\u{0}",
            "\u{1b}[31m",
        ])
        .prop_map(str::to_owned),
        "[a-z ]{0,8}",
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn item() -> impl Strategy<Value = Item> {
    let kind = prop_oneof![Just(Kind::Case), Just(Kind::Gate)];
    let outcome = prop_oneof![Just(Outcome::Held), Just(Outcome::Failed), Just(Outcome::NotRun)];
    let show = prop_oneof![Just(Show::Nothing), Just(Show::Verdict), Just(Show::Everything)];
    (
        text(),
        kind,
        any::<bool>(),
        show,
        outcome,
        text(),
        text(),
        proptest::option::of(0_u32..50),
        text(),
    )
        .prop_map(|(name, kind, hidden, show, outcome, slug, message, line, again)| Item {
            name,
            kind,
            hidden,
            show,
            reveal: None,
            outcome,
            given: false,
            points: 0.5,
            possible: 1.0,
            extra: if kind == Kind::Gate && line.is_none() { 1.0 } else { 0.0 },
            slug,
            message,
            line,
            again: Some(again),
            millis: 5,
            speed: None,
        })
}

fn report() -> impl Strategy<Value = Report> {
    let lines = || proptest::collection::vec(text(), 0..3);
    let span = (0_u32..9, 0_u32..9, 0_u32..9, text(), any::<bool>());
    let spans = proptest::collection::vec(span, 0..3);
    (text(), text(), spans, proptest::collection::vec(lines(), 0..3), lines(), text(), text())
        .prop_map(|(slug, title, spans, table, notes, think, printed)| Report {
            slug,
            passed: false,
            case: Some(title.clone()),
            title,
            spans: (spans.into_iter())
                .map(|(line, column, length, label, primary)| Span {
                    line,
                    column,
                    length,
                    label,
                    primary,
                })
                .collect(),
            table,
            notes,
            learn: Some(think.clone()),
            again: Some(think.clone()),
            think: Some(think),
            device: printed.clone(),
            printed: Some(printed),
            ..Report::default()
        })
}

fn exercise() -> impl Strategy<Value = Exercise> {
    let status = proptest::sample::select(vec![
        Status::Passed,
        Status::Partial,
        Status::Failed,
        Status::Missing,
        Status::NotGraded,
    ]);
    let text3 = (text(), text(), text());
    let option = (
        proptest::option::of(text()),
        proptest::option::of(report()),
        proptest::option::of(text()),
    );
    let items = proptest::collection::vec(item(), 0..4);
    (text3, status, option, items, any::<bool>()).prop_map(
        |((id, chapter, goal), status, (file, report, contained), items, report_hidden)| Exercise {
            id,
            chapter,
            status,
            points: 0.5,
            possible: 1.5,
            bonus: report_hidden,
            by_hand: Some(ByHand { points: None, late_days: None, comment: Some(goal.clone()) }),
            excused: goal.len() > 25,
            goal,
            due: None,
            late_days: 1,
            free_days: 1,
            penalty: 0.25,
            counted: Some(Counted::Best),
            others: others(file.as_deref(), report.as_ref()),
            file,
            report,
            report_hidden,
            items,
            contained,
            contained_hidden: report_hidden,
            retries: 0,
            millis: 7,
        },
    )
}

/// Another file with the same hostile name.
fn others(path: Option<&str>, report: Option<&Report>) -> Vec<Version> {
    let file = File {
        path: path.unwrap_or_default().to_owned(),
        exercise: path.unwrap_or_default().to_owned(),
        hash: String::new(),
        bytes: 1,
        at: Some(now()),
        order: 1,
    };
    vec![Version { report: report.cloned(), ..Exercise::missing("", "", "").take_version(file) }]
}

/// A record with hostile text in every field.
pub fn record() -> impl Strategy<Value = Record> {
    let texts = proptest::collection::vec(text(), 10);
    (texts, proptest::collection::vec(exercise(), 0..4)).prop_map(|(mut texts, exercises)| {
        let mut next = || texts.pop().unwrap_or_default();
        let mut record = class().swap_remove(0);
        record.student.id = next();
        record.student.name = Some(next());
        record.student.columns = [(next(), next())].into();
        record.made.title = next();
        record.submission.source = next();
        record.comment = Some(next());
        let group = Group { name: next(), members: vec![next()] };
        record.submission.group = Some(group);
        let earlier = vec![SpentDays { title: next(), days: 1 }];
        record.late_days = Some(LateDays { free: 3, earlier, here: 1 });
        record.exercises = exercises;
        record
    })
}
