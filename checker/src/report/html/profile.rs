//! A profile as an article: what stands out, and the source with a row of counts for each line.

use std::fmt::Write as _;

use super::super::profile::{self as terminal, Counts, Profile};
use super::super::timeline;
use super::{begin_article, escape, footer, inline, list, table};

/// Columns of the parts that are laid out as on a terminal.
const WIDTH: usize = 100;

/// Columns in which a high number costs nothing.
const NO_COSTS: [&str; 2] = ["ideal", "lanes"];

/// A profile with the learner's `source`.
pub fn render(profile: &Profile, source: &str) -> String {
    let title = format!("profile of {}", profile.exercise);
    let mut out = begin_article("wb-profile", &title, &profile.case, profile.wrong.as_deref());
    let notes: Vec<&str> = profile.notes.iter().map(String::as_str).collect();
    list(&mut out, &notes);
    remarks(&mut out, profile);
    let timeline = timeline::render(&profile.timeline, WIDTH);
    if !timeline.is_empty() {
        fixed(&mut out, &timeline);
    }
    if !profile.launches.is_empty() {
        fixed(&mut out, &terminal::launches(&profile.launches, WIDTH));
    }
    if let Some(occupancy) = terminal::occupancy(profile, WIDTH) {
        fixed(&mut out, &occupancy);
    }
    table(&mut out, &profile.gate_table);
    if !profile.lines.is_empty() {
        listing(&mut out, profile, source);
    }
    footer(&mut out, &profile.device, profile.millis);
    out.push_str("</article>\n");
    out
}

fn fixed(out: &mut String, text: &str) {
    let _ = writeln!(
        out,
        "<div class=\"wb-scroll\" tabindex=\"0\"><pre>{}</pre></div>",
        escape(text.trim_end())
    );
}

/// The most expensive lines.
fn remarks(out: &mut String, profile: &Profile) {
    if profile.worst.is_empty() {
        return;
    }
    out.push_str("<ul class=\"wb-notes\">\n");
    for remark in &profile.worst {
        let place = remark.line.map_or("elsewhere".to_owned(), |line| format!("line {line}"));
        let learn = remark.learn.as_ref().map(|learn| format!(" <br>learn: {}", inline(learn)));
        let _ = writeln!(
            out,
            "<li><strong>{place}:</strong> {}{}</li>",
            inline(&remark.text),
            learn.unwrap_or_default()
        );
    }
    out.push_str("</ul>\n");
}

fn listing(out: &mut String, profile: &Profile, source: &str) {
    out.push_str(
        "<div class=\"wb-scroll\" tabindex=\"0\">\n<table>\n<thead><tr><th scope=\"col\">line</th>",
    );
    for column in &profile.columns {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(column.name));
    }
    out.push_str("<th scope=\"col\" class=\"wb-left\">code</th></tr></thead>\n<tbody>\n");
    let highest: Vec<f64> = (0..profile.columns.len()).map(|i| highest(profile, i)).collect();
    let lines: Vec<&str> = source.lines().collect();
    let mut last = 0;
    for number in terminal::lines_to_print(profile, lines.len()) {
        if last > 0 && number > last + 1 {
            row(out, "", "...", None, &highest, "");
        }
        last = number;
        let counts = profile.lines.iter().find(|line| line.line == number).map(|line| &line.counts);
        let worst = profile.worst.iter().any(|remark| remark.line == Some(number));
        let (class, mark) = if worst { (" class=\"wb-worst\"", "&gt; ") } else { ("", "") };
        let text =
            lines.get(number as usize - 1).copied().unwrap_or_default().replace('\t', "    ");
        row(out, class, &format!("{mark}{number}"), counts.map(|c| (c, profile)), &highest, &text);
    }
    for (name, counts) in
        [("in headers", profile.elsewhere.as_ref()), ("in all", Some(&profile.total))]
    {
        if let Some(counts) = counts {
            row(out, "", "", Some((counts, profile)), &[], name);
        }
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    let meanings = profile.columns.iter().filter(|column| !column.meaning.is_empty());
    let meanings: Vec<String> = meanings.map(|c| format!("{}: {}", c.name, c.meaning)).collect();
    if !meanings.is_empty() {
        let _ = writeln!(out, "<p class=\"wb-legend\">{}</p>", escape(&meanings.join("; ")));
    }
}

fn row(
    out: &mut String,
    class: &str,
    line: &str,
    counts: Option<(&Counts, &Profile)>,
    highest: &[f64],
    code: &str,
) {
    let _ = write!(out, "<tr{class}><td>{line}</td>");
    match counts {
        Some((counts, profile)) => {
            for i in 0..profile.columns.len() {
                let heat = match (number(counts, i), highest.get(i)) {
                    (Some(value), Some(&highest)) => heat(value, highest),
                    _ => 0,
                };
                let class =
                    if heat > 0 { format!(" class=\"wb-heat{heat}\"") } else { String::new() };
                let cell = counts.cells.get(i).map_or("", String::as_str);
                let _ = write!(out, "<td{class}>{}</td>", escape(cell));
            }
        }
        None => out.push_str(&"<td></td>".repeat(highest.len())),
    }
    let _ = writeln!(out, "<td class=\"wb-code\">{}</td></tr>", escape(code));
}

/// The highest number of a column, or 0 if none of its numbers stands out.
fn highest(profile: &Profile, column: usize) -> f64 {
    if profile.columns.get(column).is_none_or(|column| NO_COSTS.contains(&column.name)) {
        return 0.0;
    }
    let numbers = || profile.lines.iter().filter_map(|line| number(&line.counts, column));
    let (low, high) = numbers().fold((f64::MAX, 0.0), |(low, high), n| (n.min(low), n.max(high)));
    if numbers().count() > 1 && low < high { high } else { 0.0 }
}

/// The number that a cell shows.
fn number(counts: &Counts, column: usize) -> Option<f64> {
    let digits: String = counts.cells.get(column)?.chars().filter(|c| !c.is_whitespace()).collect();
    digits.trim_end_matches('%').parse().ok()
}

/// How strongly a count is coloured, from 0 to 4, relative to the highest one of its column.
fn heat(value: f64, highest: f64) -> u8 {
    if highest <= 0.0 {
        return 0;
    }
    match value / highest {
        share if share >= 0.9 => 4,
        share if share >= 0.5 => 3,
        share if share >= 0.2 => 2,
        share if share >= 0.05 => 1,
        _ => 0,
    }
}
