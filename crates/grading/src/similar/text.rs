//! A comparison for a terminal.

use std::fmt::Write as _;

use super::columns::{display_line, fit, name, width as columns};
use super::data::{Agreement, Origin, Pair, Region, Similar};

/// The sentence that every output begins with.
pub(super) const CAVEAT: &str = "Similarity is a reason to look, never proof.";

/// Narrowest and widest output, in columns.
const NARROW: usize = 40;
const WIDE: usize = 240;
/// Columns of a name in a sentence.
const MAX_NAME_COLUMNS: usize = 32;
/// Files without an exercise that are named.
const MAX_IGNORED: usize = 5;

/// SGR parameters of regions, in turn.
const COLOURS: [&str; 6] = ["36", "33", "35", "32", "34", "31"];

/// A share in whole percent, rounded down, so that a score below the threshold never looks like it.
pub(super) fn percent(share: f64) -> String {
    format!("{} %", (share * 100.0 + 1e-9).floor())
}

/// Tokens, rounded.
pub(super) fn tokens(many: f64) -> String {
    format!("{}", many.round())
}

/// "1 pair", "2 pairs".
pub(super) fn count(many: usize, what: &str) -> String {
    if many == 1 { format!("1 {what}") } else { format!("{many} {what}s") }
}

/// One sentence about the compared files.
pub(super) fn summary(similar: &Similar) -> String {
    let listed = similar.pairs.len() + similar.not_listed;
    let have = if listed == 1 { "has" } else { "have" };
    let former = match similar.former {
        0 => String::new(),
        some => format!(" and {some} of former classes"),
    };
    format!(
        "{}{former}, {}, {}: {listed} {have} a score of {} or more.",
        count(similar.students, "student"),
        count(similar.files, "file"),
        count(similar.compared, "pair"),
        percent(similar.threshold)
    )
}

/// The exercises of a pair that make up its score, as many as fit into `most` columns.
pub(super) fn exercises(pair: &Pair, most: usize) -> String {
    let counting: Vec<&Agreement> = pair.exercises.iter().filter(|one| one.counts).collect();
    let mut out = String::new();
    for (i, one) in counting.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        let next = format!("{comma}{} {}", display_line(&one.exercise), percent(one.share()));
        let left = counting.len() - i;
        let rest = if left > 1 { format!(", {} more", left - 1) } else { String::new() };
        if i > 0 && columns(&out) + columns(&next) + columns(&rest) > most {
            let _ = write!(out, ", {left} more");
            break;
        }
        out.push_str(&next);
    }
    out
}

/// One line about a region.
pub(super) fn about(region: &Region) -> String {
    let names = if region.verbatim { ", names too" } else { "" };
    let others = match region.others {
        0 => "no other student has them".to_owned(),
        1 => "one other student has some of them".to_owned(),
        many => format!("{many} others have some of them"),
    };
    format!("{}{names}; {others}", count(region.tokens as usize, "token"))
}

/// Escape sequences, where there are colours.
struct Paint(bool);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.0 && !text.trim().is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Words in lines of at most `width` columns; all but the first are indented by four.
fn paragraph(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let word = name(word, width.saturating_sub(4));
        let needed = columns(&word);
        if column == 0 {
            column = needed;
        } else if column + 1 + needed > width {
            out.push_str("\n    ");
            column = 4 + needed;
        } else {
            out.push(' ');
            column += 1 + needed;
        }
        out.push_str(&word);
    }
    out
}

/// The list of pairs, in at most `width` columns (40 to 240).
pub fn text(similar: &Similar, width: usize, colour: bool) -> String {
    let width = width.clamp(NARROW, WIDE);
    let paint = Paint(colour);
    let mut out = String::new();
    let mut say = |text: &str| {
        out.push_str(&paragraph(text, width));
        out.push('\n');
    };
    say(&summary(similar));
    say(CAVEAT);
    if !similar.pairs.is_empty() {
        list(similar, width, &paint, &mut out);
    }
    if similar.not_listed > 0 {
        let many = count(similar.not_listed, "pair");
        let _ = writeln!(out, "\nNot listed: {many} with lower scores.");
    }
    for group in &similar.groups {
        let names: Vec<String> = group.iter().map(|one| name(one, MAX_NAME_COLUMNS)).collect();
        let line = format!("Linked by pairs: {}.", names.join(", "));
        let _ = writeln!(out, "\n{}", paragraph(&line, width));
    }
    histogram(similar, &mut out);
    for (files, why) in [
        (&similar.cut, "Only the beginning was compared, because the file is very long"),
        (&similar.ignored, "Left out, because the course has no such exercise"),
    ] {
        for line in files.iter().take(MAX_IGNORED) {
            let line = format!("{why}: {}", name(line, width));
            let _ = writeln!(out, "{}", paragraph(&line, width));
        }
        if let Some(more) = files.len().checked_sub(MAX_IGNORED + 1) {
            let _ = writeln!(out, "and {} more.", count(more + 1, "file"));
        }
    }
    out
}

fn histogram(similar: &Similar, out: &mut String) {
    out.push_str("\nScores of all pairs\n");
    let most = similar.scores.iter().copied().max().unwrap_or(0).max(1);
    for (i, many) in similar.scores.iter().enumerate() {
        // By the logarithm: one pair among thousands must be seen.
        let scale = (*many as f64 + 1.0).ln() / (most as f64 + 1.0).ln();
        let bar = "▪".repeat((scale * 16.0).ceil() as usize);
        let space = if bar.is_empty() { "" } else { " " };
        let _ = writeln!(out, "  {:>3} - {:>3} %  {bar}{space}{many}", i * 10, i * 10 + 10);
    }
}

fn list(similar: &Similar, width: usize, paint: &Paint, out: &mut String) {
    let names = similar.pairs.iter().flat_map(|pair| [&pair.a, &pair.b]);
    let longest = names.map(|name| columns(&display_line(name))).max().unwrap_or(0);
    let name = longest.clamp(8, ((width - 19) / 3).max(8));
    let rest = width.saturating_sub(19 + 2 * name);
    let line = |score: String, tokens: &str, a: &str, b: &str, exercises: &str| {
        let exercises = if rest >= 12 { exercises } else { "" };
        let line =
            format!("{score}  {tokens:>6}  {}  {}  {exercises}\n", fit(a, name), fit(b, name));
        line.trim_end().to_owned()
    };
    let head = line("score".into(), "tokens", "student", "and", "exercises");
    let _ = writeln!(out, "\n{}", paint.with("1", &head));
    for pair in &similar.pairs {
        let score = paint.with("1", &format!("{:>5}", percent(pair.score)));
        let exercises = fit(&exercises(pair, rest), rest);
        let (a, b) = (display_line(&pair.a), display_line(&pair.b));
        let _ = writeln!(out, "{}", line(score, &tokens(pair.shared), &a, &b, &exercises));
    }
}

/// One pair with the lines that agree side by side, in at most `width` columns (40 to 240). Below
/// 80 columns the two sides stand one below the other.
pub fn pair(similar: &Similar, pair: &Pair, width: usize, colour: bool) -> String {
    let width = width.clamp(NARROW, WIDE);
    let paint = Paint(colour);
    let (a, b) = (name(&pair.a, MAX_NAME_COLUMNS), name(&pair.b, MAX_NAME_COLUMNS));
    let counting = pair.exercises.iter().filter(|one| one.counts).count();
    let head = format!(
        "{} of {} unusual tokens agree, in {}: score {}. {CAVEAT}",
        tokens(pair.shared),
        tokens(pair.own),
        count(counting, "exercise"),
        percent(pair.score)
    );
    let title = paragraph(&format!("Pair: {a} and {b}"), width);
    let mut out = format!("{}\n{}\n", paint.with("1", &title), paragraph(&head, width));
    for agreement in &pair.exercises {
        let (share_a, share_b) = agreement.shares();
        let line = format!(
            "{}: {} unusual tokens agree, {} of {a}'s and {} of {b}'s{}",
            agreement.exercise,
            tokens(agreement.shared),
            percent(share_a),
            percent(share_b),
            if agreement.counts { "" } else { " (not in the score)" }
        );
        let _ = writeln!(out, "\n{}", paint.with("1", &paragraph(&line, width)));
        for (i, region) in agreement.regions.iter().enumerate() {
            let colour = COLOURS.get(i % COLOURS.len()).copied().unwrap_or("0");
            let line = paragraph(&format!("[{}] {}", i + 1, about(region)), width);
            let _ = writeln!(out, "{}", paint.with(colour, &line));
            let sides = Sides { similar, pair, agreement, paint: &paint, colour };
            if width >= 80 {
                sides.beside(region, width, &mut out);
            } else {
                sides.below(region, width, &mut out);
            }
        }
    }
    out
}

struct Sides<'s> {
    similar: &'s Similar,
    pair: &'s Pair,
    agreement: &'s Agreement,
    paint: &'s Paint,
    colour: &'s str,
}

impl Sides<'_> {
    /// A numbered line in `width` columns.
    fn line(&self, student: &str, number: Option<u32>, width: usize) -> String {
        let Some(number) = number else { return fit("", width) };
        let source = self.similar.source(student, &self.agreement.exercise);
        let line = source.and_then(|source| source.lines.get(number.saturating_sub(1) as usize));
        let text = line
            .map_or(String::new(), |line| fit(&display_line(&line.text), width.saturating_sub(5)));
        let own = line.is_some_and(|line| line.origin == Origin::Own);
        let number = self.paint.with(if own { self.colour } else { "2" }, &format!("{number:>4}"));
        format!("{number} {}", if own { text } else { self.paint.with("2", &text) })
    }

    fn beside(&self, region: &Region, width: usize, out: &mut String) {
        let side = (width - 3) / 2;
        for row in &region.rows {
            let left = self.line(&self.pair.a, row.a, side);
            let right = self.line(&self.pair.b, row.b, side);
            let _ = writeln!(out, "{}", format!("{left} │ {right}").trim_end());
        }
    }

    fn below(&self, region: &Region, width: usize, out: &mut String) {
        for (student, lines) in [(&self.pair.a, region.a), (&self.pair.b, region.b)] {
            let _ = writeln!(out, "  of {}", name(student, width.saturating_sub(5)));
            for number in lines.first..=lines.last {
                let _ = writeln!(out, "{}", self.line(student, Some(number), width).trim_end());
            }
        }
    }
}
