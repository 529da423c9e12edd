//! Numbers with units on the book's pages: each comes from an output that the page shows, from the
//! record of measured times, or from what `book/claims.toml` names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use checker::gains::{self, Gain, Times};
use regex::Regex;
use serde::Deserialize;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn book() -> PathBuf {
    repository().join("book")
}

/// Where a number comes from that the page doesn't show.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    /// The page, relative to `book/src`.
    page: String,
    /// The number with its unit, as the page has it.
    says: String,
    /// An output in `book/outputs` that contains the number.
    output: Option<String>,
    /// A file of the repository that contains the number, such as a record of measurements.
    record: Option<String>,
    /// A record of the repository that has so many lines below its heading.
    lines: Option<String>,
    /// How the number is computed.
    equals: Option<String>,
    /// The address of a document of another author that states it.
    source: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    claim: Vec<Claim>,
}

fn claims() -> Vec<Claim> {
    let text = fs::read_to_string(book().join("claims.toml")).expect("the claims");
    toml::from_str::<Claims>(&text).expect("claims").claim
}

/// A number on a page, with the words around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Number {
    /// As written: `33 554 432`.
    written: String,
    /// The number and its unit: `32.0 sectors`.
    says: String,
}

impl Number {
    fn plain(&self) -> String {
        plain(&self.written)
    }

    /// Its value, and half of its last digit.
    fn value(&self) -> (f64, f64) {
        let plain = self.plain();
        let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
        (plain.parse().expect("a number"), 0.5 * 10_f64.powi(-decimals))
    }

    /// Whether this value is written so when it's rounded.
    fn rounds(&self, value: f64) -> bool {
        let (own, half) = self.value();
        (own - value).abs() <= half * (1.0 + 1e-9)
    }
}

/// Digits without the spaces or commas between groups of three.
fn plain(number: &str) -> String {
    number.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect()
}

const UNITS: &str = "ms|us|µs|microseconds?|milliseconds?|seconds|GB/s|TB/s|GFLOP/s|TFLOP/s|%|sectors?|conflicts?|requests?|wavefronts?|\
                     bytes per microsecond|mistakes|recorded fetches|branches|instructions|loads|stores|barriers|atomic operations|times as fast|times faster|times as many";
const NUMBER: &str = r"\d+(?:[ ,]\d{3})*(?:\.\d+)?";

/// What is not prose: code, markers, addresses of links, and sections about other people's texts.
fn prose(page: &str) -> String {
    let cut = [
        r"(?ms)^ *```.*?^ *```",
        r"(?s)<!--.*?-->",
        r"\{\{#[^}]*\}\}",
        r"\]\([^)]*\)",
        r"`[^`\n]*`",
        r"(?ms)^## (?:In the wild|Further reading|Calls|Built-ins).*?(?:\n## |\z)",
    ];
    let text = page.replace("&nbsp;", " ").replace('\u{a0}', " ");
    cut.iter().fold(text, |text, cut| {
        Regex::new(cut).expect("a pattern").replace_all(&text, " ").into_owned()
    })
}

/// The numbers with units in sentences, and those in columns of tables whose heads are units.
fn numbers(page: &str) -> BTreeSet<Number> {
    let text = prose(page);
    let (rows, lines): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with('|'));
    let words =
        lines.join(" ").split_whitespace().filter(|w| *w != ">").collect::<Vec<_>>().join(" ");
    let mut found = BTreeSet::new();
    // "thread 6 loads elements" is no number of loads.
    let with_unit = Regex::new(&format!(
        r"\b(?:[Tt]hread|[Bb]lock|[Bb]lock of|[Ll]aunch|[Ww]arp) {NUMBER} \w+|({NUMBER}) (?:more |global |bank )?(?:{UNITS})(?:\b|$|[ .,)])"
    ));
    let factor = Regex::new(&format!(r"factors? of (?:about )?({NUMBER})")).expect("a pattern");
    let row_words = rows.join(" ");
    for text in [&words, &row_words] {
        for pattern in [with_unit.as_ref().expect("a pattern"), &factor] {
            for caught in pattern.captures_iter(text) {
                let (Some(all), Some(written)) = (caught.get(0), caught.get(1)) else { continue };
                let (all, written) = (all.as_str(), written.as_str());
                let says = all.trim_end_matches([' ', '.', ',', ')']).to_owned();
                found.insert(Number { written: written.to_owned(), says });
            }
        }
    }
    found.extend(columns(&rows));
    found
}

/// The cells that are numbers, in columns whose head names a unit.
fn columns(rows: &[&str]) -> Vec<Number> {
    let unit = Regex::new(&format!(r"\b(?:{UNITS})\b")).expect("a pattern");
    let number = Regex::new(&format!("^{NUMBER}$")).expect("a pattern");
    let cells = |row: &str| -> Vec<String> {
        row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut found = Vec::new();
    let mut head: Vec<String> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        if rows.get(i + 1).is_some_and(|next| next.starts_with("| ---")) {
            head = cells(row);
        }
        for (cell, head) in cells(row).into_iter().zip(&head) {
            if number.is_match(&cell) && unit.is_match(head) {
                found.push(Number { says: format!("{cell} {head}"), written: cell });
            }
        }
    }
    found
}

/// Whether a text has this number, as a number of its own.
fn contains(text: &str, number: &str) -> bool {
    let groups = Regex::new(r"(\d)[ \u{a0},_](\d{3})\b").expect("a pattern");
    let once = groups.replace_all(text, "$1$2");
    let text = groups.replace_all(&once, "$1$2");
    let own = Regex::new(&format!(
        r"(?:^|[^\d.]){}(?:$|[^\d.]|\.(?:$|\D)|\.0+(?:$|\D))",
        regex::escape(number)
    ));
    own.expect("a pattern").is_match(&text)
}

fn output(name: &str) -> Option<String> {
    fs::read_to_string(book().join("outputs").join(format!("{name}.txt"))).ok()
}

/// The outputs that a page shows, one after the other.
fn shown(page: &str) -> String {
    let names = page.split("{{#output ").skip(1).filter_map(|rest| rest.split("}}").next());
    names.filter_map(output).collect()
}

/// The measured times, and their ratios, of the exercises that a page names.
fn measured(page: &str) -> Vec<(f64, &'static str)> {
    let record = gains::recorded().expect("the record");
    let named = |gain: &&Gain| {
        page.contains(&format!("`{}`", gain.id)) || page.contains(&format!("({}.md)", gain.id))
    };
    let mut found = Vec::new();
    for gain in record.exercises.iter().filter(named) {
        let times = [Some(&gain.kernels), gain.program.as_ref()];
        for Times { skeleton, solution } in times.into_iter().flatten() {
            for time in [*skeleton, Some(*solution)].into_iter().flatten() {
                found.extend([(time, "ms"), (1000.0 * time, "us")]);
            }
            found.extend(skeleton.map(|skeleton| (skeleton / solution, "factor")));
        }
    }
    found
}

/// Whether a number is one of the measured times or ratios.
fn is_measured(number: &Number, measured: &[(f64, &str)]) -> bool {
    let unit = match &number.says {
        says if says.ends_with(" ms") || says.contains("millisecond") => "ms",
        says if says.contains("microsecond") || says.ends_with(" us") || says.ends_with(" µs") => {
            "us"
        }
        says if says.contains("factor") || says.contains("times") => "factor",
        _ => return false,
    };
    measured.iter().any(|(value, of)| *of == unit && number.rounds(*value))
}

/// The value of an expression with `+`, `-`, `*`, `/`, parentheses and `ceil`.
fn value(expression: &str) -> Option<f64> {
    let mut rest = expression;
    let value = sum(&mut rest)?;
    rest.trim().is_empty().then_some(value)
}

fn sum(rest: &mut &str) -> Option<f64> {
    let mut value = product(rest)?;
    while let Some(sign) = operator(rest, ['+', '-']) {
        let next = product(rest)?;
        value += if sign == '+' { next } else { -next };
    }
    Some(value)
}

fn product(rest: &mut &str) -> Option<f64> {
    let mut value = factor(rest)?;
    while let Some(sign) = operator(rest, ['*', '/']) {
        let next = factor(rest)?;
        value = if sign == '*' { value * next } else { value / next };
    }
    Some(value)
}

fn factor(rest: &mut &str) -> Option<f64> {
    let text = rest.trim_start();
    let (round, text) = text.strip_prefix("ceil").map_or((false, text), |text| (true, text));
    if let Some(inside) = text.strip_prefix('(') {
        *rest = inside;
        let value = sum(rest)?;
        *rest = rest.trim_start().strip_prefix(')')?;
        return Some(if round { value.ceil() } else { value });
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    *rest = &text[end..];
    text[..end].parse().ok()
}

fn operator(rest: &mut &str, known: [char; 2]) -> Option<char> {
    let text = rest.trim_start();
    let sign = text.chars().next().filter(|c| known.contains(c))?;
    *rest = &text[1..];
    Some(sign)
}

/// Why a claim doesn't support its number.
fn refuted(claim: &Claim, number: &Number) -> Option<String> {
    let plain = number.plain();
    let sources = [&claim.output, &claim.record, &claim.lines, &claim.equals, &claim.source];
    if sources.iter().filter(|source| source.is_some()).count() != 1 {
        return Some(
            "a claim needs exactly one of output, record, lines, equals and source".into(),
        );
    }
    let read = |file: &str| {
        fs::read_to_string(repository().join(file)).map_err(|error| format!("{file}: {error}"))
    };
    if let Some(name) = &claim.output {
        output(name).map_or_else(
            || Some(format!("there is no output {name}")),
            |text| (!contains(&text, &plain)).then(|| format!("{name} doesn't contain it")),
        )
    } else if let Some(file) = &claim.record {
        read(file).map_or_else(Some, |text| {
            (!contains(&text, &plain)).then(|| format!("{file} doesn't contain it"))
        })
    } else if let Some(file) = &claim.lines {
        read(file).map_or_else(Some, |text| {
            let lines = text.lines().filter(|line| !line.starts_with('#')).count() - 1;
            (lines.to_string() != plain).then(|| format!("{file} has {lines} lines"))
        })
    } else if let Some(expression) = &claim.equals {
        value(expression).map_or_else(
            || Some(format!("`{expression}` can't be computed")),
            |value| (!number.rounds(value)).then(|| format!("{expression} is {value}")),
        )
    } else {
        let address = claim.source.as_deref().unwrap_or_default();
        (!address.starts_with("https://")).then(|| format!("{address} is no address"))
    }
}

/// The pages that state facts about kernels, with their paths relative to `book/src`.
fn pages() -> BTreeMap<String, String> {
    let source = book().join("src");
    let mut names =
        vec!["introduction.md".to_owned(), "how-to-work.md".into(), "on-a-gpu.md".into()];
    for folder in fs::read_dir(&source).expect("the pages") {
        let folder = folder.expect("an entry").path();
        let chapter = folder.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if !folder.is_dir() || !(chapter.starts_with("ch") || chapter == "reference") {
            continue;
        }
        for page in fs::read_dir(&folder).expect("a chapter") {
            let page = page.expect("an entry").path();
            let stem = page.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
            // The counts and times of an exercise are written by the preprocessor.
            if !checker::exercises::all().iter().any(|spec| spec.id == stem) {
                names.push(format!("{chapter}/{stem}.md"));
            }
        }
    }
    let read = |name: String| {
        let text = fs::read_to_string(source.join(&name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        (name, text)
    };
    names.into_iter().map(read).collect()
}

/// A reader can find out for each number with a unit where it comes from.
#[test]
fn each_number_has_a_source() {
    let claims = claims();
    let mut used = vec![false; claims.len()];
    let mut problems = Vec::new();
    let mut seen = 0;
    for (name, page) in &pages() {
        let (outputs, measured) = (shown(page), measured(page));
        for number in numbers(page) {
            seen += 1;
            let named = claims.iter().position(|c| c.page == *name && c.says == number.says);
            if let Some(index) = named {
                used[index] = true;
                let why = refuted(&claims[index], &number);
                problems.extend(why.map(|why| format!("{name}: {}: {why}", number.says)));
            } else if !contains(&outputs, &number.plain()) && !is_measured(&number, &measured) {
                problems.push(format!("{name}: {}: book/claims.toml names no source", number.says));
            }
        }
    }
    for (claim, used) in claims.iter().zip(used) {
        if !used {
            problems.push(format!("{}: {}: no such number is on the page", claim.page, claim.says));
        }
    }
    assert!(seen > 100, "only {seen} numbers: the test looks at the wrong thing");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The test above finds numbers in sentences and tables, and notices wrong ones.
#[test]
fn numbers_are_found_and_compared() {
    let page = "Thread 6 loads it. A load takes 1 024 requests,\n> and 3.9\nms. `5 ms`\n\n| kernel | sectors per request |\n| --- | --- |\n\
                | a | 32.0 |\n\n```text\n7 ms\n```\n[8 ms](9 ms) and a factor of 22.\n";
    let says: Vec<String> = numbers(page).into_iter().map(|number| number.says).collect();
    for expected in ["1 024 requests", "3.9 ms", "8 ms", "factor of 22", "32.0 sectors per request"]
    {
        assert!(says.iter().any(|said| said == expected), "{expected}: {says:?}");
    }
    assert_eq!(says.len(), 5, "{says:?}");
    assert!(contains("takes 1 024 or 32.5.", "1024") && contains("x 32.5.", "32.5"));
    assert!(!contains("takes 11 024", "1024") && !contains("32.5", "32"));
    assert_eq!(value("ceil((31 * 7 * 4 + 4) / 32) * 2 - 1"), Some(55.0));
    assert_eq!(value("2 +"), None);
    let number = Number { written: "0.12".into(), says: "0.12 ms".into() };
    assert!(number.rounds(0.1244) && !number.rounds(0.13));
}
