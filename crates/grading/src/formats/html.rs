//! What both HTML pages share: the page itself, sanitised texts, and words for results.
//!
//! A page is one file that loads nothing: its style and its script are inside, and its
//! Content-Security-Policy allows these two by their hashes and nothing else, so that smuggled
//! markup could still not run or contact a server. Templates are maud's, which escape every text;
//! texts are first made plain ([`text`], [`block`]).

use jiff::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::record::{Exercise, Outcome, Status, zone_or_utc};
use crate::text;

const STYLE: &str = include_str!("page/page.css");

/// A text of one line.
pub fn text(text: &str) -> String {
    text::line(text)
}

/// A text of several lines.
pub fn block(text: &str) -> String {
    text::plain(text.trim_matches('\n'))
}

/// A whole page. `class` is the body's; `style` comes after the common style.
pub fn page(title: &str, class: &str, style: &str, script: &str, body: &Markup) -> String {
    // A parser of HTML drops them, and the hashes are about what is left.
    let [style, script] =
        [format!("{STYLE}{style}"), script.to_owned()].map(|s| s.replace('\r', ""));
    let allowed = |kind: &str, source: &str| match source {
        "" => String::new(),
        source => format!("; {kind}-src 'sha256-{}'", base64(&Sha256::digest(source))),
    };
    let policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'{}{}",
        allowed("style", &style),
        allowed("script", &script)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body class=(class) {
                (body)
                @if !script.is_empty() { script { (PreEscaped(script)) } }
            }
        }
    };
    page.into_string() + "\n"
}

/// A moment, for people in a class's time zone, and for programs.
pub fn time(at: Timestamp, zone: Option<&str>) -> Markup {
    let zone = zone_or_utc(zone);
    html! {
        time datetime=(at.strftime("%Y-%m-%dT%H:%M:%SZ")) {
            (at.to_zoned(zone).strftime("%Y-%m-%d %H:%M %Z"))
        }
    }
}

/// The day of a moment in a class's time zone.
pub fn day(at: Timestamp, zone: Option<&str>) -> Markup {
    let day = at.to_zoned(zone_or_utc(zone)).strftime("%Y-%m-%d").to_string();
    html! { time datetime=(day) { (day) } }
}

/// The badge that shows an exercise's status.
pub struct StatusBadge {
    /// One sign.
    pub sign: &'static str,
    /// In words.
    pub word: &'static str,
    /// A class of the style: its colour.
    pub colour: &'static str,
}

/// The badge of an exercise.
pub const fn status_badge(exercise: &Exercise) -> StatusBadge {
    let (sign, colour) = match exercise.status {
        _ if exercise.excused => return StatusBadge { sign: "e", word: "excused", colour: "dim" },
        Status::Passed => ("✓", "good"),
        Status::Partial => ("◐", "warn"),
        Status::Failed => ("✗", "bad"),
        Status::Missing => ("–", "dim"),
        Status::NotGraded => ("?", "bad"),
    };
    StatusBadge { sign, word: word(exercise.status), colour }
}

/// A status in words.
pub const fn word(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Partial => "partly right",
        Status::Failed => "not right yet",
        Status::Missing => "not submitted",
        Status::NotGraded => "not graded",
    }
}

/// An outcome as a sign, a word and a colour.
pub const fn outcome(outcome: Outcome) -> (&'static str, &'static str, &'static str) {
    match outcome {
        Outcome::Held => ("✓", "holds", "good"),
        Outcome::Failed => ("✗", "does not hold", "bad"),
        Outcome::NotRun => ("–", "not run", "dim"),
    }
}

/// A chapter's folder in words: "ch04_shared" is "Chapter 4: shared".
pub fn chapter(folder: &str) -> String {
    let parts = folder.strip_prefix("ch").and_then(|rest| rest.split_once('_'));
    match parts.and_then(|(number, name)| Some((number.parse::<u32>().ok()?, name))) {
        Some((number, name)) => text(&format!("Chapter {number}: {}", name.replace('_', " "))),
        None => text(folder),
    }
}

/// Base64 (RFC 4648) with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let digit = (word >> (18 - 6 * i)) & 63;
            text.push(if i <= chunk.len() { char::from(DIGITS[digit as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648, section 10: a wrong hash would leave a page without its style.
    #[test]
    fn base64_is_the_standard_one() {
        let vectors =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in vectors {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    /// Chapters read well, and a folder of another form is shown as it is.
    #[test]
    fn chapters_have_words() {
        assert_eq!(chapter("ch04_shared"), "Chapter 4: shared");
        assert_eq!(chapter("extra"), "extra");
        assert_eq!(chapter("ch_x"), "ch_x");
    }

    /// Due dates and times of submissions are those of the class, as in its policy.
    #[test]
    fn people_read_times_in_the_zone_of_the_class() {
        let at = "2026-10-09T21:59:00Z".parse().expect("a time");
        let shown = |zone| time(at, zone).into_string();
        let programs = r#"<time datetime="2026-10-09T21:59:00Z">"#;
        let berlin = shown(Some("Europe/Berlin"));
        assert_eq!(berlin, format!("{programs}2026-10-09 23:59 CEST</time>"));
        for zone in [None, Some("Europe/Nowhere")] {
            assert_eq!(shown(zone), format!("{programs}2026-10-09 21:59 UTC</time>"));
        }
    }
}
