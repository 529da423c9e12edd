//! A report on a page of the live book. Its places move the editor of the page, and where a
//! terminal shows commands, the page has links and buttons.
//!
//! A button says what it does in an attribute: `data-line` has a line of the file, `data-action` is
//! `hint`, and `data-trace` has the command whose options name a thread. The page's scripts read
//! these attributes.

use std::fmt::Write as _;

use super::super::{Report, Span};
use super::{begin, definitions, escape, facts, footer, inline, source};
use crate::diagnostic::Slug;

/// What the page around a report has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The section of the book that explains the report.
    pub section: Option<Section>,
    /// The address of the page about the report's diagnostic.
    pub explained: Option<String>,
    /// Whether the page shows hints.
    pub hints: bool,
    /// Whether the page shows the steps of a thread.
    pub threads: bool,
}

/// A section of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// `chapter 1, "Many blocks"`.
    pub name: String,
    /// Its address, as the page links to it.
    pub address: String,
}

/// A report as an article, with the learner's `source`.
pub fn render(report: &Report, source: &str, page: &Page) -> String {
    let mut out = begin(report);
    if !report.passed {
        out.push_str(&places(&report.spans, source));
        out.push_str(&source::marked(&report.spans, source));
    }
    facts(&mut out, report);
    if !report.passed {
        definitions(&mut out, next(report, page).into_iter());
        if report.slug == Slug::NotStarted && page.hints {
            out.push_str(
                "<p class=\"wb-stuck\">Stuck? <button type=\"button\" data-action=\"hint\">Show \
                 a hint</button></p>\n",
            );
        }
    }
    if ran(report.slug) {
        footer(&mut out, &report.device, report.millis);
    }
    out.push_str("</article>\n");
    out
}

/// Whether a device ran the code.
fn ran(slug: Slug) -> bool {
    !matches!(slug, Slug::CompileError | Slug::UnreadableSource | Slug::WrongSignature)
}

/// A button for each marked place inside the source, with the label.
fn places(spans: &[Span], source: &str) -> String {
    let lines = source.lines().count();
    let inside = |span: &&Span| (1..=lines).contains(&(span.line as usize));
    let mut spans: Vec<&Span> = spans.iter().filter(inside).collect();
    spans.sort_by_key(|span| (span.line, span.column));
    // Of several marks on a line without a label, one button is enough.
    spans.dedup_by(|later, first| later.line == first.line && later.label.is_empty());
    if spans.is_empty() {
        return String::new();
    }
    let items: String = spans.iter().map(|span| place(span)).collect();
    format!("<ul class=\"wb-places\">\n{items}</ul>\n")
}

fn place(Span { line, label, primary, .. }: &Span) -> String {
    let class = if *primary { "wb-primary" } else { "wb-context" };
    let mut out = format!(
        "<li><button type=\"button\" class=\"{class}\" data-line=\"{line}\">line {line}</button>"
    );
    if !label.is_empty() {
        let _ = write!(out, " {}", inline(label));
    }
    out.push_str("</li>\n");
    out
}

/// What to do next.
fn next<'a>(report: &Report, page: &Page) -> Vec<(&'a str, String)> {
    let link = |address: &str, text: &str| format!("<a href=\"{}\">{text}</a>", escape(address));
    let section = page.section.as_ref().map(|section| {
        let Section { name, address } = section;
        link(address, &escape(name))
    });
    let explained = page.explained.as_ref().map(|address| {
        let text = format!("what <code>{}</code> means", escape(report.slug.as_str()));
        link(address, &text)
    });
    let learn: Vec<String> = section.into_iter().chain(explained).collect();
    let trace = report.trace.as_ref().filter(|_| page.threads).map(|command| {
        format!(
            "<button type=\"button\" data-trace=\"{}\">Show the steps of this thread</button>",
            escape(command)
        )
    });
    [
        report.think.as_ref().map(|think| ("think", inline(think))),
        (!learn.is_empty()).then(|| ("learn", learn.join(" · "))),
        trace.map(|button| ("trace", button)),
    ]
    .into_iter()
    .flatten()
    .collect()
}
