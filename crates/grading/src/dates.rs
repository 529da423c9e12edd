//! Times that platforms write in words, in the languages of their users: `Nov 2, 2026 1015 PM`,
//! `Montag, 2. November 2026, 22:15`, `2 nov. 2026 22h15`.

use jiff::civil::DateTime;

use crate::fold::fold;

/// Beginnings of the months' names, from January on: English, German, French, Spanish, Portuguese,
/// Italian and Dutch.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän", "ene", "gen"],
    &["feb", "fév", "fev"],
    &["march", "mars", "marzo", "março", "mär", "mrz", "maa", "mrt"],
    &["apr", "avr", "abr"],
    &["may", "mai", "mag", "mei"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "aoû", "aou", "ago"],
    &["sep", "set"],
    &["oct", "okt", "out", "ott"],
    &["nov"],
    &["dec", "déc", "dez", "dic"],
];

/// Words that may stand beside the time of day.
const BESIDE_A_CLOCK: [&str; 14] =
    ["am", "pm", "a", "p", "m", "h", "at", "um", "uhr", "à", "às", "alle", "ore", "om"];

enum Token {
    Word(String),
    Number(String),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = vec![];
    let mut joins = false;
    for c in fold(text).chars() {
        match (tokens.last_mut(), c) {
            (Some(Token::Word(word)), c) if joins && c.is_alphabetic() => word.push(c),
            (Some(Token::Number(number)), c) if joins && c.is_ascii_digit() => number.push(c),
            (_, c) if c.is_alphabetic() => tokens.push(Token::Word(c.to_string())),
            (_, c) if c.is_ascii_digit() => tokens.push(Token::Number(c.to_string())),
            _ => {
                joins = false;
                continue;
            }
        }
        joins = true;
    }
    tokens
}

fn month(word: &str) -> Option<i8> {
    // Days of the week begin like the month: mardi, martes, martedì.
    let begins = |names: &&[&str]| names.iter().any(|name| word.starts_with(name));
    let at = if word == "mar" { Some(2) } else { MONTHS.iter().position(begins) };
    at.and_then(|at| i8::try_from(at + 1).ok())
}

/// The local time that a text with the name of a month states; `None` for anything else, and for a
/// time with a zone.
pub(crate) fn in_words(text: &str) -> Option<DateTime> {
    let tokens = tokens(text);
    let month = tokens.iter().find_map(|token| match token {
        Token::Word(word) => month(word),
        Token::Number(_) => None,
    })?;
    let is_year = |token: &Token| match token {
        Token::Number(number) => number.len() == 4 && number.as_str() >= "1900",
        Token::Word(_) => false,
    };
    let at = tokens.iter().position(is_year)?;
    let (before, after) = tokens.split_at(at);
    let numbers = |tokens: &'_ [Token]| -> Vec<String> {
        let number = |token: &Token| match token {
            Token::Number(number) => Some(number.clone()),
            Token::Word(_) => None,
        };
        tokens.iter().filter_map(number).collect()
    };
    let day = numbers(before).into_iter().find(|number| number.len() <= 2)?;
    let (year, clock) = after.split_first()?;
    let words = clock.iter().filter_map(|token| match token {
        Token::Word(word) => Some(word.as_str()),
        Token::Number(_) => None,
    });
    let words: Vec<&str> = words.collect();
    if text.contains('+') || !words.iter().all(|word| BESIDE_A_CLOCK.contains(word)) {
        return None;
    }
    let year = numbers(std::slice::from_ref(year));
    let (hour, minute, second) = time_of_day(&numbers(clock), &words.concat())?;
    let year = year.first()?.parse().ok()?;
    DateTime::new(year, month, day.parse().ok()?, hour, minute, second, 0).ok()
}

/// `1015` or `10`, `15` and perhaps seconds, with `am`, `pm` or neither.
fn time_of_day(numbers: &[String], words: &str) -> Option<(i8, i8, i8)> {
    let (hour, minute, second) = match numbers {
        [one] => {
            let (hour, minute) = one.split_at_checked(one.len().checked_sub(2)?)?;
            (hour, minute, "0")
        }
        [hour, minute] => (hour.as_str(), minute.as_str(), "0"),
        [hour, minute, second] => (hour.as_str(), minute.as_str(), second.as_str()),
        _ => return None,
    };
    let hour: i8 = hour.parse().ok()?;
    let hour = match (words.contains("pm"), words.contains("am")) {
        (true, _) if hour < 12 => hour + 12,
        (false, true) if hour == 12 => 0,
        _ => hour,
    };
    Some((hour, minute.parse().ok()?, second.parse().ok()?))
}

/// `3.11.2026 22:15`: points stand between day, month and year only in this order. With slashes, no
/// one can know which of them is the month.
pub(crate) fn with_points(text: &str) -> Option<DateTime> {
    let (day, clock) = text.trim().split_once([' ', ','])?;
    let [day, month, year] = day.split('.').collect::<Vec<_>>().try_into().ok()?;
    let clock: Vec<String> = clock.trim().split(':').map(str::to_owned).collect();
    let (hour, minute, second) = time_of_day(&clock, "").filter(|_| clock.len() > 1)?;
    let year = year.parse().ok().filter(|year| *year >= 1900)?;
    DateTime::new(year, month.parse().ok()?, day.parse().ok()?, hour, minute, second, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each form is one moment, whatever the language, and a wrong one is none.
    #[test]
    fn times_in_words() {
        for text in [
            "Nov 2, 2026 1015 PM",
            "Nov. 2, 2026 10:15 p.m.",
            "November 2, 2026, 10:15 PM",
            "Monday, November 2, 2026, 10:15 PM",
            "Monday, 2 November 2026, 10:15 PM",
            "2 Nov, 2026 2215",
            "Montag, 2. November 2026, 22:15",
            "2. Nov. 2026 um 22:15 Uhr",
            "mardi 2 novembre 2026 22h15",
            "2 nov. 2026 à 22:15:00",
            "2 NOV 2026 22.15",
        ] {
            assert_eq!(in_words(text), Some("2026-11-02T22:15".parse().unwrap()), "{text}");
        }
        for (text, at) in [
            ("Oct 2, 2026 905 AM", "2026-10-02T09:05"),
            ("Oct 2, 2026 1205 AM", "2026-10-02T00:05"),
            ("Oct 2, 2026 1205 PM", "2026-10-02T12:05"),
            ("3. März 2026, 09:00", "2026-03-03T09:00"),
            ("3. Ma\u{308}rz 2026, 09:00", "2026-03-03T09:00"),
            ("martes, 3 mar 2026, 09:00", "2026-03-03T09:00"),
            ("3 août 2026 2015", "2026-08-03T20:15"),
            ("1 dez 2026 0000", "2026-12-01T00:00"),
        ] {
            assert_eq!(in_words(text), Some(at.parse().unwrap()), "{text}");
        }
        for text in [
            "",
            "Nov 2, 2026",
            "Nov 32, 2026 1015 AM",
            "Nov 2, 2026 2515",
            "2 Nov 2026 22:15 +0100",
            "2 Nov 2026 22:15 CET",
            "Nov 2026 1015",
            "yesterday at 11:00",
            "11/02/2026 10:15 PM",
        ] {
            assert_eq!(in_words(text), None, "{text}");
        }
        let points = with_points("3.11.2026 22:15");
        assert_eq!(points, Some("2026-11-03T22:15".parse().unwrap()));
        for text in
            ["3.11.26 22:15", "31.11.2026 22:15", "1.2.3", "3.11.2026 22", "3/11/2026 22:15"]
        {
            assert_eq!(with_points(text), None, "{text}");
        }
    }
}
