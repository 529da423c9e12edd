//! Reports as lines that editors read: `FILE:LINE:COLUMN: error: TEXT`, as compilers print them.
//!
//! ```text
//! exercises/ch01_threads/guard.cu:9:5: error: thread 1000 writes out[1000], but ... [out-of-bounds-write]
//! exercises/ch01_threads/guard.cu:9:5: note: idx = 1000 here; 24 threads do this
//! exercises/ch01_threads/guard.cu:9:5: note: think: what should the extra threads do?
//! ```
//!
//! VS Code reads them with the problem matcher `$gcc`, Vim with its usual `errorformat`, and Emacs
//! in `compilation-mode`.

use std::fmt::Write as _;

use super::{Report, Span};

/// The lines of a report, each with its line end.
pub fn render(report: &Report) -> String {
    if report.passed {
        return format!("{}: passed\n", report.exercise);
    }
    let primary = report.spans.iter().find(|span| span.primary).or(report.spans.first());
    let place = |span: Option<&Span>| {
        let (line, column) = span.map_or((1, 1), |span| (span.line, span.column));
        format!("{}:{line}:{column}", report.file)
    };
    let at = place(primary);
    let mut out = format!("{at}: error: {} [{}]\n", report.title, report.slug);
    let others = report.spans.iter().filter(|span| Some(*span) != primary);
    for span in primary.into_iter().chain(others).filter(|span| !span.label.is_empty()) {
        let _ = writeln!(out, "{}: note: {}", place(Some(span)), span.label);
    }
    if let Some(case) = &report.case {
        let _ = writeln!(out, "{at}: note: {case}");
    }
    for note in &report.notes {
        let _ = writeln!(out, "{at}: note: {note}");
    }
    if let Some(think) = &report.think {
        let _ = writeln!(out, "{at}: note: think: {think}");
    }
    out
}
