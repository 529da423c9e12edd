//! Marked lines of the learner's source, with each label under the characters that it is about.

use std::fmt::Write as _;

use super::super::Span;
use super::escape;
use crate::text::sanitise;

/// Lines between two marked lines that are shown. A longer gap becomes an ellipsis.
const MAX_GAP_LINES: u32 = 2;

/// The marked lines; empty when no mark is inside `source`.
pub fn marked(spans: &[Span], source: &str) -> String {
    let lines: Vec<String> = source.lines().map(|line| sanitise(line).replace('\t', " ")).collect();
    let line = |number: u32| lines.get((number as usize).checked_sub(1)?);
    let mut spans: Vec<&Span> = spans.iter().filter(|span| line(span.line).is_some()).collect();
    spans.sort_by_key(|span| (span.line, span.column));
    let Some(last) = spans.last() else { return String::new() };
    let gutter = last.line.to_string().len();
    let mut out = String::from(
        "<div class=\"wb-scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Marked lines of your code\">\
         <pre class=\"wb-source\">",
    );
    let mut before = None;
    for group in spans.chunk_by(|a, b| a.line == b.line) {
        let number = group[0].line;
        match before {
            Some(before) if number - before - 1 > MAX_GAP_LINES => row(&mut out, gutter, "...", ""),
            Some(before) => {
                for gap in before + 1..number {
                    row(&mut out, gutter, &gap.to_string(), &escape(line(gap).map_or("", |l| l)));
                }
            }
            None => {}
        }
        before = Some(number);
        let text = line(number).map_or("", |line| line);
        row(&mut out, gutter, &number.to_string(), &with_marks(text, group));
        for span in group {
            label(&mut out, gutter, text, span);
        }
    }
    out.push_str("</pre></div>\n");
    out
}

fn row(out: &mut String, gutter: usize, number: &str, code: &str) {
    // The line end counts where the style sheet is missing; a block element needs none behind it.
    let _ = write!(
        out,
        "<span class=\"wb-line\"><span class=\"wb-number\">{number:>gutter$} | </span>{code}\n</span>"
    );
}

/// A line of source with its marked characters in elements. Where marks overlap, the first one
/// counts.
fn with_marks(text: &str, spans: &[&Span]) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    let mut column = 1;
    for span in spans.iter().filter(|span| span.length > 0) {
        if span.column < column {
            continue;
        }
        let before: String = chars.by_ref().take((span.column - column) as usize).collect();
        let marked: String = chars.by_ref().take(span.length as usize).collect();
        let class = if span.primary { "wb-primary" } else { "wb-context" };
        let _ =
            write!(out, "{}<mark class=\"{class}\">{}</mark>", escape(&before), escape(&marked));
        column = span.column.saturating_add(span.length);
    }
    out.push_str(&escape(&chars.collect::<String>()));
    out
}

/// The line under a marked line: `^^^` for the place that matters most, `---` for another one, and
/// the label.
fn label(out: &mut String, gutter: usize, text: &str, span: &Span) {
    let columns = text.chars().count();
    let before = (span.column.saturating_sub(1) as usize).min(columns);
    let length = (span.length as usize).clamp(1, (columns - before).max(1));
    let mark = if span.primary { "^" } else { "-" }.repeat(length);
    let class = if span.primary { "wb-primary" } else { "wb-context" };
    let (number, before) = (" ".repeat(gutter), " ".repeat(before));
    // The gutter and the marks stay together when a narrow page moves the label below them.
    let _ = write!(
        out,
        "<span class=\"wb-marks\"><span class=\"wb-under {class}\" aria-hidden=\"true\"><span \
         class=\"wb-number\">{number} | </span>{before}{mark} </span><span class=\"wb-label \
         {class}\">{}</span>\n</span>",
        super::inline(&span.label)
    );
}
