//! A comparison as one page: nothing is loaded, nothing runs, everything is escaped.

use std::fmt::Write as _;

use super::columns::{display_line, escape};
use super::data::{Agreement, Origin, Pair, Similar, Source};
use super::text::{CAVEAT, about, count, exercises, percent, summary, tokens};

const STYLE: &str = include_str!("style.css");
/// Colours of regions, in turn.
const COLOURS: usize = 8;
/// Lines around a region that are shown.
const CONTEXT_LINES: u32 = 3;
/// Files without an exercise that are named.
const MAX_IGNORED: usize = 20;
/// Exercises of a pair that are shown with their lines; the others are named.
const MAX_EXERCISES: usize = 12;

fn safe(text: &str) -> String {
    escape(&display_line(text))
}

/// The whole comparison as a page of HTML, which needs no other file, no script and no network.
pub fn html(similar: &Similar) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"robots\" content=\"noindex\">\n\
         <title>Similar submissions</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Similar submissions</h1>\n<p>{}</p>\n<p class=\"honest\">{CAVEAT}</p>\n\
         <p class=\"soft\">Of the unusual code of the one who wrote less of it, the score is the share that the other one \
         has, too; the less code that is, the lower the score. Unusual is what no skeleton has and what less than a third of \
         the class has; what several students have counts less. Names, layout and comments do not count.</p>\n",
        escape(&summary(similar))
    );
    table(similar, &mut out);
    bars(similar, &mut out);
    for (number, pair) in similar.pairs.iter().enumerate() {
        section(similar, number + 1, pair, &mut out);
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn table(similar: &Similar, out: &mut String) {
    if !similar.pairs.is_empty() {
        out.push_str(
            "<table>\n<thead><tr><th class=\"number\" scope=\"col\">Score</th><th scope=\"col\">Students</th>\
             <th class=\"number\" scope=\"col\">Tokens</th><th class=\"wide\" scope=\"col\">Exercises</th></tr></thead>\n<tbody>\n",
        );
        for (i, pair) in similar.pairs.iter().enumerate() {
            let _ = writeln!(
                out,
                "<tr><td class=\"number\">{}</td><td><a href=\"#p{}\">{} and {}</a></td><td class=\"number\">{}</td>\
                 <td class=\"wide\">{}</td></tr>",
                percent(pair.score),
                i + 1,
                safe(&pair.a),
                safe(&pair.b),
                tokens(pair.shared),
                escape(&exercises(pair, 60))
            );
        }
        out.push_str("</tbody>\n</table>\n");
    }
    if similar.not_listed > 0 {
        let many = count(similar.not_listed, "pair");
        let _ = writeln!(out, "<p>Not listed: {many} with lower scores.</p>");
    }
    for group in &similar.groups {
        let names: Vec<String> = group.iter().map(|name| safe(name)).collect();
        let _ = writeln!(out, "<p>Linked by pairs: {}.</p>", names.join(", "));
    }
    for line in similar.cut.iter().take(MAX_IGNORED) {
        let _ = writeln!(
            out,
            "<p>Only the beginning was compared, because the file is very long: {}</p>",
            safe(line)
        );
    }
    for line in similar.ignored.iter().take(MAX_IGNORED) {
        let _ = writeln!(
            out,
            "<p class=\"soft\">Left out, because the course has no such exercise: {}</p>",
            safe(line)
        );
    }
}

fn bars(similar: &Similar, out: &mut String) {
    out.push_str("<details><summary>Scores of all pairs</summary>\n<div class=\"bars\">\n");
    let most = similar.scores.iter().copied().max().unwrap_or(0).max(1);
    for (i, many) in similar.scores.iter().enumerate() {
        // By the logarithm: one pair among thousands must be seen.
        let scale = (*many as f64 + 1.0).ln() / (most as f64 + 1.0).ln() * 80.0;
        let _ = writeln!(
            out,
            "<span>{} - {} %</span><span class=\"bar\"><i style=\"width:{scale:.1}%\"></i>{many}</span>",
            i * 10,
            i * 10 + 10
        );
    }
    out.push_str("</div>\n</details>\n");
}

fn section(similar: &Similar, number: usize, pair: &Pair, out: &mut String) {
    let counting = pair.exercises.iter().filter(|one| one.counts).count();
    let _ = writeln!(
        out,
        "<section id=\"p{number}\">\n<h2>{} and {}</h2>\n<p>Score {}: {} of {} unusual tokens agree, in {}.</p>",
        safe(&pair.a),
        safe(&pair.b),
        percent(pair.score),
        tokens(pair.shared),
        tokens(pair.own),
        count(counting, "exercise")
    );
    for (i, agreement) in pair.exercises.iter().take(MAX_EXERCISES).enumerate() {
        listing(similar, &format!("p{number}e{}", i + 1), pair, agreement, out);
    }
    let rest: Vec<String> = pair
        .exercises
        .iter()
        .skip(MAX_EXERCISES)
        .map(|one| format!("{} {}", safe(&one.exercise), percent(one.share())))
        .collect();
    if !rest.is_empty() {
        let _ =
            writeln!(out, "<p class=\"soft\">Without their lines here: {}.</p>", rest.join(", "));
    }
    out.push_str("</section>\n");
}

fn listing(similar: &Similar, id: &str, pair: &Pair, agreement: &Agreement, out: &mut String) {
    let (share_a, share_b) = agreement.shares();
    let _ = writeln!(
        out,
        "<details{}>\n<summary><b>{}</b> <span class=\"soft\">{} unusual tokens agree: {} of {}'s, {} of {}'s{}</span></summary>",
        if agreement.counts { " open" } else { "" },
        safe(&agreement.exercise),
        tokens(agreement.shared),
        percent(share_a),
        safe(&pair.a),
        percent(share_b),
        safe(&pair.b),
        if agreement.counts { "" } else { " (not in the score)" }
    );
    out.push_str("<ol class=\"regions\">\n");
    for (i, region) in agreement.regions.iter().enumerate() {
        let _ = writeln!(
            out,
            "<li><span class=\"key r k{}\">{}</span> {}</li>",
            i % COLOURS,
            i + 1,
            about(region)
        );
    }
    out.push_str("</ol>\n<div class=\"sides\">\n");
    for (side, student) in [("a", &pair.a), ("b", &pair.b)] {
        let _ = writeln!(out, "<div class=\"side\"><h3>{}</h3><div class=\"code\">", safe(student));
        if let Some(source) = similar.source(student, &agreement.exercise) {
            lines(id, side, source, agreement, out);
        }
        out.push_str("</div></div>\n");
    }
    out.push_str("</div>\n</details>\n");
}

/// The lines of one side: those of regions, coloured, and a few around them.
fn lines(id: &str, side: &str, source: &Source, agreement: &Agreement, out: &mut String) {
    let here = |i: usize| {
        agreement.regions.get(i).map(|region| if side == "a" { region.a } else { region.b })
    };
    let other = if side == "a" { "b" } else { "a" };
    let mut skipped = 0_u32;
    for (number, line) in (1_u32..).zip(&source.lines) {
        let near = (0..agreement.regions.len()).filter_map(here).any(|lines| {
            number + CONTEXT_LINES >= lines.first
                && number <= lines.last.saturating_add(CONTEXT_LINES)
        });
        if !near {
            skipped += 1;
            continue;
        }
        gap(skipped, out);
        skipped = 0;
        let inside =
            |i: &usize| here(*i).is_some_and(|lines| (lines.first..=lines.last).contains(&number));
        let region = (0..agreement.regions.len()).find(inside);
        let text = safe(&line.text);
        match region {
            Some(region) if line.origin != Origin::Given => {
                let mut marks = String::new();
                for begins in (0..agreement.regions.len())
                    .filter(|i| here(*i).is_some_and(|lines| lines.first == number))
                {
                    let label = begins + 1;
                    let _ = write!(
                        marks,
                        "<a id=\"{id}{side}{label}\" href=\"#{id}{other}{label}\" title=\"the other side\">{label}</a>"
                    );
                }
                if marks.is_empty() {
                    marks.push_str("<i></i>");
                }
                let colour = region % COLOURS;
                let _ =
                    writeln!(out, "<div class=\"r k{colour}\"><b>{number}</b>{marks}{text}</div>");
            }
            _ => {
                let class = if line.origin == Origin::Own { "" } else { " class=\"given\"" };
                let _ = writeln!(out, "<div{class}><b>{number}</b><i></i>{text}</div>");
            }
        }
    }
    gap(skipped, out);
}

fn gap(skipped: u32, out: &mut String) {
    if skipped > 0 {
        let _ = writeln!(
            out,
            "<div class=\"gap\"><b>⋯</b><i></i>{}</div>",
            count(skipped as usize, "line")
        );
    }
}
