//! Colour follows one switch. The switch is global to the process, and other tests of this program
//! render text at the same time, so the comparison runs in a process of its own.

use std::process::Command;

use checker::diagnostic::Slug;
use checker::report::{Report, Span, terminal};

fn report(passed: bool) -> Report {
    Report {
        exercise: "guard".into(),
        slug: if passed { Slug::Passed } else { Slug::OutOfBoundsWrite },
        passed,
        program: false,
        title: "block 3, thread 232 writes out[1000], but `out` has 1000 elements".into(),
        file: "guard.cu".into(),
        case: Some("case `one` (n = 1000)".into()),
        spans: vec![Span { line: 1, column: 1, length: 8, label: "here".into(), primary: true }],
        table: vec![vec!["index".into(), "yours".into()], vec!["1".into(), "2.5".into()]],
        notes: vec!["a note".into()],
        think: Some("what should the extra threads do?".into()),
        learn: Some("chapter 1 · checker explain out-of-bounds-write".into()),
        trace: Some("checker trace guard --block 3 --thread 232".into()),
        again: Some("checker check guard".into()),
        printed: Some("hello".into()),
        device: "simulator".into(),
        millis: 41,
    }
}

/// The text without `ESC [ ... m`. Any other escape sequence stays and fails the comparison.
fn without_colour(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.strip_prefix('[').and_then(|rest| rest.split_once('m')) {
            Some((code, rest)) if code.chars().all(|c| c.is_ascii_digit() || c == ';') => {
                out += rest
            }
            _ => out += "<not a colour>",
        }
    }
    out
}

/// Runs the comparison below in a process of its own.
#[test]
fn colour_follows_the_switch() {
    let tests = std::env::current_exe().expect("this program");
    let alone = ["--exact", "colour::colour_and_nothing_else", "--ignored"];
    let output = Command::new(tests).args(alone).output().expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// With the switch on, the text has colours and no other escape sequences; with it off, it is the
/// same text without them.
#[test]
#[ignore = "changes a switch of the whole process: `colour_follows_the_switch` runs it alone"]
fn colour_and_nothing_else() {
    let source = "out[idx] = in[idx];\n";
    for passed in [true, false] {
        colored::control::set_override(false);
        let plain = terminal::render_to_width(&report(passed), source, 80);
        assert!(!plain.contains('\u{1b}'));
        colored::control::set_override(true);
        let coloured = terminal::render_to_width(&report(passed), source, 80);
        assert!(coloured.contains("\u{1b}["));
        assert_eq!(without_colour(&coloured), plain);
    }
}
