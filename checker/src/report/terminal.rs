//! A report as text for a terminal: the marked source (annotate-snippets), then facts, a question,
//! and commands for more.
//!
//! `colored` decides about colour, from `NO_COLOR`, `CLICOLOR` and whether standard output is a
//! terminal, and the source snippet follows it. The text moves no cursor.

use std::io::IsTerminal;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use colored::Colorize;

use super::{Report, Span};
use crate::diagnostic::Slug;
use crate::text::sanitise;

/// Columns when the terminal's width is unknown.
const UNKNOWN_WIDTH: usize = 80;
/// Columns that a report uses at most, because longer lines are tiring to read.
const MAX_WIDTH: usize = 100;
/// Columns that a report uses at least; on a narrower terminal, long lines are easier to read than
/// short ones.
const MIN_WIDTH: usize = 40;
/// Columns that a label such as `  think: ` takes.
const LABEL: usize = 9;

/// Lays out a report to the width of the terminal, with the learner's `source`.
pub fn render(report: &Report, source: &str) -> String {
    render_to_width(report, source, width())
}

/// The columns to use: those of the terminal, at most 100. Without a terminal, those of the
/// variable `COLUMNS`, or else 80.
pub fn width() -> usize {
    available_columns().map_or(UNKNOWN_WIDTH, |columns| columns.clamp(MIN_WIDTH, MAX_WIDTH))
}

/// The columns to use for source code with counts beside it: as [`width`], but at most 160.
pub fn full_width() -> usize {
    available_columns().map_or(UNKNOWN_WIDTH, |columns| columns.clamp(MIN_WIDTH, 160))
}

fn available_columns() -> Option<usize> {
    let columns = if std::io::stdout().is_terminal() {
        crossterm::terminal::size().ok().map(|(columns, _)| columns.into())
    } else {
        std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok())
    };
    columns.filter(|columns| *columns > 0)
}

/// Lays out a report to `width` columns.
pub fn render_to_width(report: &Report, source: &str, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    if report.passed { passed(report, width) } else { failed(report, source, width) }
}

fn passed(report: &Report, width: usize) -> String {
    let head = format!("{}   {}", report.exercise, report.title);
    let foot = footer(report);
    let used = 4 + columns(&head) + columns(&foot);
    let mut out = format!("  {} {}", "✓".green().bold(), head.bold());
    if used + 2 <= width {
        out.push_str(&" ".repeat(width - used));
    } else {
        out.push_str("\n    ");
    }
    out.push_str(&format!("{}\n", foot.dimmed()));
    for note in &report.notes {
        out.push_str(&hanging(note, "    ", "    ", width));
    }
    out.push_str(&table_to_width(&report.table, "    ", width));
    out.push_str(&printed(report, width));
    if let Some(learn) = &report.learn {
        out.push_str(&hanging(learn, "    ", "    ", width));
    }
    out
}

fn failed(report: &Report, source: &str, width: usize) -> String {
    let source = clean_source(source);
    let lines: Vec<&str> = source.lines().collect();
    let in_source = |span: &&Span| span.line >= 1 && (span.line as usize) <= lines.len();
    let spans: Vec<&Span> = report.spans.iter().filter(in_source).collect();
    let gutter = spans.iter().map(|span| span.line.to_string().len()).max().unwrap_or(1);
    let margin = " ".repeat(gutter);
    let (first, rest) = (format!("{margin} = "), format!("{margin}   "));

    let mut overlong = Vec::new();
    let mut out = snippet(report, &source, &lines, &spans, gutter, width, &mut overlong);
    if spans.is_empty() {
        out.push_str(&format!("{margin}{} {}\n", "-->".blue().bold(), sanitise(&report.file)));
    } else {
        out.push_str(&format!("{margin} {}\n", "|".blue().bold()));
    }
    for note in overlong.iter().chain(&report.case) {
        out.push_str(&hanging(note, &first, &rest, width));
    }
    if !report.table.is_empty() {
        let table = table_to_width(&report.table, &format!("{margin}    "), width);
        out.push_str(&format!("\n{table}\n"));
    }
    for note in &report.notes {
        out.push_str(&hanging(note, &first, &rest, width));
    }
    out.push_str(&printed(report, width));
    if let Some(question) = &report.think {
        out.push_str(&labelled("think:", &wrap(question, width - LABEL)));
    }
    if let Some(learn) = &report.learn {
        // Learners copy the command, so the line is broken before it and never inside it.
        let parts: Vec<String> = learn.split(" · ").map(str::to_owned).collect();
        let whole = columns(learn) + LABEL <= width;
        out.push_str(&labelled("learn:", if whole { std::slice::from_ref(learn) } else { &parts }));
    }
    if let Some(trace) = &report.trace {
        out.push_str(&labelled("trace:", std::slice::from_ref(trace)));
    }
    if let Some(again) = &report.again {
        out.push_str(&labelled("again:", std::slice::from_ref(again)));
    }
    out.push_str(&format!("  {}\n", footer(report).dimmed()));
    out
}

/// Lines after a label of six letters.
fn labelled(label: &str, lines: &[String]) -> String {
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        let label = if i == 0 { format!("  {} ", label.cyan().bold()) } else { " ".repeat(LABEL) };
        out.push_str(&format!("{label}{line}\n"));
    }
    out
}

/// The title, the place, and the marked lines. Labels that do not fit are added to `overlong`.
fn snippet(
    report: &Report,
    source: &str,
    lines: &[&str],
    spans: &[&Span],
    gutter: usize,
    width: usize,
    overlong: &mut Vec<String>,
) -> String {
    let level = match report.slug {
        Slug::NotStarted => Level::INFO.with_name("not yet"),
        Slug::Unsupported => Level::WARNING.with_name("not your bug"),
        _ => Level::ERROR,
    };
    let name = match report.slug {
        Slug::NotStarted => "not yet".len(),
        Slug::Unsupported => "not your bug[unsupported]".len(),
        slug => "error[]".len() + slug.as_str().len(),
    };
    let title = wrap(&report.title, width.saturating_sub(name + 2).max(MIN_WIDTH / 2)).join("\n");
    let title = level.primary_title(title);
    let title =
        if report.slug == Slug::NotStarted { title } else { title.id(report.slug.as_str()) };
    let group = Group::with_title(title);
    let group = if spans.is_empty() {
        group
    } else {
        let mut marked = Snippet::source(source).line_start(1).path(sanitise(&report.file));
        for span in spans {
            let Some(range) = bytes(lines, span) else { continue };
            let label = span.label.as_str();
            let end = gutter + 3 + span.column as usize + span.length as usize;
            let kind = if span.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let fits = end + columns(label) <= width;
            let annotation = kind.span(range);
            marked = marked.annotation(if label.is_empty() {
                annotation
            } else if fits {
                annotation.label(label)
            } else {
                overlong.push(format!("line {}: {label}", span.line));
                annotation
            });
        }
        group.element(marked)
    };
    let renderer = if colored::control::SHOULD_COLORIZE.should_colorize() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text =
        renderer.decor_style(DecorStyle::Ascii).term_width(width.max(MAX_WIDTH)).render(&[group]);
    text.push('\n');
    text
}

/// Converts a span, which counts characters, to a byte range in the joined `lines`. The range stays
/// inside its line; it is `None` when there is no such line.
fn bytes(lines: &[&str], span: &Span) -> Option<std::ops::Range<usize>> {
    let index = (span.line as usize).checked_sub(1)?;
    let line = lines.get(index)?;
    let start_of_line: usize = lines.iter().take(index).map(|line| line.len() + 1).sum();
    let at = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    let first = (span.column as usize).saturating_sub(1);
    let (start, end) = (at(first), at(first.saturating_add(span.length as usize)));
    Some(start_of_line + start..start_of_line + end.max(start))
}

/// The source, sanitised line by line.
fn clean_source(source: &str) -> String {
    source.lines().map(sanitise).collect::<Vec<_>>().join("\n")
}

fn footer(report: &Report) -> String {
    let device = sanitise(&report.device);
    if device.is_empty() {
        format!("{} ms", report.millis)
    } else {
        format!("{device} · {} ms", report.millis)
    }
}

fn printed(report: &Report, width: usize) -> String {
    let Some(text) = &report.printed else { return String::new() };
    let mut out = format!(
        "  {}\n",
        (if report.program { "your program printed:" } else { "your kernel printed:" }).bold()
    );
    for line in text.lines() {
        let line: String =
            sanitise(line).replace('\t', "    ").chars().take(width.saturating_sub(6)).collect();
        out.push_str(&format!("    {} {line}\n", "|".dimmed()));
    }
    out
}

/// A table, or a line for each row when the table is wider than `width` columns.
pub fn table_to_width(rows: &[Vec<String>], indent: &str, width: usize) -> String {
    let text = table(rows, indent);
    let Some((head, rows)) = rows.split_first() else { return text };
    if text.lines().all(|line| columns(line) <= width) {
        return text;
    }
    let mut out = String::new();
    for row in rows {
        let cells = head.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
        let cells = cells.map(|(head, cell)| format!("{head} {cell}").trim().to_owned());
        let line = cells.collect::<Vec<_>>().join(", ");
        out.push_str(&hanging(&line, indent, &format!("{indent}  "), width));
    }
    out
}

/// Aligns the columns of a table: words to the left, numbers to the right.
pub fn table(rows: &[Vec<String>], indent: &str) -> String {
    let Some(head) = rows.first() else { return String::new() };
    let widths: Vec<usize> = (0..head.len())
        .map(|i| {
            rows.iter().filter_map(|row| row.get(i)).map(|cell| columns(cell)).max().unwrap_or(0)
        })
        .collect();
    // A dash alone means that there is no value, so it decides nothing about its column.
    let words = |i: usize| {
        let mut cells =
            rows.iter().skip(1).filter_map(|row| row.get(i)).filter(|cell| *cell != "-");
        let number =
            |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit() || "-[".contains(c));
        cells.clone().next().is_some() && !cells.any(number)
    };
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        let mut line = indent.to_owned();
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(width.saturating_sub(columns(cell)));
            line.push_str(&if words(i) { format!("{cell}{pad}") } else { format!("{pad}{cell}") });
            line.push_str("   ");
        }
        let line = line.trim_end();
        out.push_str(&if number == 0 { line.dimmed().to_string() } else { line.to_owned() });
        out.push('\n');
    }
    out
}

/// A paragraph, wrapped to the width of the terminal and indented by two columns, without a line
/// end at its end.
pub fn paragraph(text: &str) -> String {
    hanging(text, "  ", "  ", width()).trim_end().to_owned()
}

/// A word with its description beside it, which starts at `column` and is wrapped to the width of
/// the terminal. There is no line end at the end.
pub fn entry(word: &str, column: usize, text: &str) -> String {
    hanging(text, &format!("{word:column$}"), &" ".repeat(column), width()).trim_end().to_owned()
}

/// `text` wrapped to `width` columns: `first` precedes the first line, `rest` each other line. It
/// ends with a line end.
pub(super) fn hanging(text: &str, first: &str, rest: &str, width: usize) -> String {
    let mut out = String::new();
    for (i, line) in
        wrap(text, width.saturating_sub(columns(first).max(columns(rest)))).iter().enumerate()
    {
        out.push_str(if i == 0 { first } else { rest });
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Breaks the text between words so that no line is wider than `width` columns, except for a single
/// word that is.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { continue };
        if line.is_empty() {
            line.push_str(word);
        } else if columns(line) + 1 + columns(word) <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

pub(super) fn columns(text: &str) -> usize {
    text.chars().count()
}

/// `text` in at most `width` columns; if it was longer, it ends with three dots.
pub(super) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(3)).collect();
    format!("{kept}...")
}
