//! Reports, profiles and traces as HTML for notebooks.
//!
//! [`page`] makes one fragment that needs nothing beside itself: the articles and one style sheet,
//! without scripts, addresses or `id`s. Each text from outside goes through [`escape`], so that a
//! learner's text is never markup. Jupyter shows a notebook that is not trusted without the style
//! sheet, so the fragment also reads well as plain HTML: the marks under the source are characters,
//! and each colour comes with a word.

mod page;
mod profile;
mod source;
mod trace;

pub use page::{Page, Section, render as on_page};
pub use profile::render as profile;
pub use trace::render as trace;

use std::fmt::Write as _;

use super::Report;
use crate::diagnostic::Slug;
use crate::text::sanitise;

/// The style sheet. Its colours are mixtures with the colour of the text around the fragment, so
/// they are legible in light and in dark notebooks.
pub const STYLE: &str = include_str!("html/style.css");

/// The articles as one fragment, without a line end at its end.
pub fn page(articles: &[String]) -> String {
    format!("<style>\n{STYLE}</style>\n{}", articles.concat().trim_end())
}

/// Escapes text for HTML, also inside attributes, and makes control characters harmless.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in sanitise(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Escapes text, and turns `code` in backquotes into code elements. An unpaired backquote stays as
/// it is.
pub fn inline(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let paired = parts.len() % 2 == 1;
    let mut out = String::new();
    for (i, part) in parts.iter().enumerate() {
        let quoted = i % 2 == 1;
        if quoted && (paired || i + 1 < parts.len()) {
            let _ = write!(out, "<code>{}</code>", escape(part));
        } else if quoted {
            let _ = write!(out, "`{}", escape(part));
        } else {
            out.push_str(&escape(part));
        }
    }
    out
}

/// A report as an article, with the learner's `source`. `after` is one more line for its end.
pub fn render(report: &Report, source: &str, after: Option<&str>) -> String {
    let mut out = begin(report);
    if !report.passed {
        let _ = writeln!(out, "<p class=\"wb-place\"><code>{}</code></p>", escape(&report.file));
        out.push_str(&source::marked(&report.spans, source));
    }
    facts(&mut out, report);
    // What helps with a mistake is of no use after a pass, as on a terminal.
    let links = [
        ("think", report.think.as_ref().filter(|_| !report.passed)),
        ("learn", report.learn.as_ref()),
        ("trace", report.trace.as_ref().filter(|_| !report.passed)),
        ("again", report.again.as_ref().filter(|_| !report.passed)),
    ];
    let links = links.map(|(label, text)| {
        let parts = text?.split(" · ").map(command_or_text).collect::<Vec<_>>();
        Some((label, parts.join(" · ")))
    });
    definitions(&mut out, links.into_iter().flatten());
    if let Some(after) = after {
        let _ = writeln!(out, "<p class=\"wb-progress\">{}</p>", inline(after));
    }
    footer(&mut out, &report.device, report.millis);
    out.push_str("</article>\n");
    out
}

/// The beginning of a report's article, with its title.
fn begin(report: &Report) -> String {
    let state = match (report.passed, report.slug) {
        (true, _) => "passed",
        (false, Slug::NotStarted) => "open",
        (false, Slug::Unsupported) => "unsupported",
        (false, _) => "failed",
    };
    let mut out = format!(
        "<article class=\"wb-report wb-{state}\" data-slug=\"{}\" data-exercise=\"{}\" aria-label=\"{}\">\n",
        escape(report.slug.as_str()),
        escape(&report.exercise),
        escape(&format!("Verdict on {}", report.exercise)),
    );
    title(&mut out, report);
    out
}

/// The case, the table, the notes and what the program printed.
fn facts(out: &mut String, report: &Report) {
    let case = report.case.iter().filter(|_| !report.passed).map(String::as_str);
    list(out, &case.collect::<Vec<_>>());
    table(out, &report.table);
    let notes: Vec<&str> = report.notes.iter().map(String::as_str).collect();
    list(out, &notes);
    if let Some(printed) = &report.printed {
        let whose = if report.program { "program" } else { "kernel" };
        let _ = writeln!(
            out,
            "<p class=\"wb-said\">Your {whose} printed:</p>\n<pre class=\"wb-output\">{}</pre>",
            escape(printed)
        );
    }
}

/// What to do next: pairs of a label and HTML.
fn definitions<'a>(out: &mut String, pairs: impl Iterator<Item = (&'a str, String)>) {
    let pairs: String =
        pairs.map(|(label, html)| format!("<dt>{label}</dt><dd>{html}</dd>\n")).collect();
    if !pairs.is_empty() {
        let _ = writeln!(out, "<dl class=\"wb-next\">\n{pairs}</dl>");
    }
}

/// A command of the checker as code, so that its quotes and dashes can be copied; other text as
/// text.
fn command_or_text(text: &str) -> String {
    match text.split_whitespace().next() {
        Some("checker" | "cargo" | "%checker") => format!("<code>{}</code>", escape(text)),
        _ => inline(text),
    }
}

/// The first line: what kind of verdict it is, and the title.
fn title(out: &mut String, report: &Report) {
    let kind = match (report.passed, report.slug) {
        (true, _) => format!("<span aria-hidden=\"true\">✓</span> passed: {}", report.exercise),
        (false, Slug::NotStarted) => "not yet".to_owned(),
        (false, Slug::Unsupported) => format!("not your bug[{}]", report.slug),
        (false, slug) => format!("error[{slug}]"),
    };
    let _ = writeln!(
        out,
        "<p class=\"wb-title\"><strong class=\"wb-kind\">{kind}</strong> {}</p>",
        inline(&report.title)
    );
}

fn list(out: &mut String, facts: &[&str]) {
    if facts.is_empty() {
        return;
    }
    let items: String = facts.iter().map(|fact| format!("<li>{}</li>\n", inline(fact))).collect();
    let _ = writeln!(out, "<ul class=\"wb-notes\">\n{items}</ul>");
}

/// A table whose first row is its header. It scrolls sideways in a narrow notebook.
fn table(out: &mut String, rows: &[Vec<String>]) {
    let Some((head, rows)) = rows.split_first() else { return };
    out.push_str("<div class=\"wb-scroll\" tabindex=\"0\">\n<table>\n<thead><tr>");
    for cell in head {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(cell));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        let cells: String = row.iter().map(|cell| table_cell(cell)).collect();
        let _ = writeln!(out, "<tr>{cells}</tr>");
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

/// Words are aligned to the left, and numbers to the right.
fn table_cell(text: &str) -> String {
    let amount = ["at most ", "at least "].iter().find_map(|limit| text.strip_prefix(limit));
    let number =
        amount.unwrap_or(text).starts_with(|c: char| c.is_ascii_digit() || "-[".contains(c));
    let class = if number { "" } else { " class=\"wb-left\"" };
    format!("<td{class}>{}</td>", escape(text))
}

fn footer(out: &mut String, device: &str, millis: u64) {
    let device = if device.is_empty() { String::new() } else { format!("{} · ", escape(device)) };
    let _ = writeln!(out, "<footer>{device}{millis} ms</footer>");
}

/// The beginning of the article of a profile or a trace.
fn begin_article(class: &str, title: &str, case: &str, wrong: Option<&str>) -> String {
    let mut out = format!(
        "<article class=\"wb-report {class}\" aria-label=\"{0}\">\n<p class=\"wb-title\"><strong \
         class=\"wb-kind\">{0}</strong> {1}</p>\n",
        escape(title),
        inline(case)
    );
    if let Some(wrong) = wrong {
        let _ = writeln!(
            out,
            "<p class=\"wb-wrong\"><strong>not right yet:</strong> {}</p>",
            inline(wrong)
        );
    }
    out
}
