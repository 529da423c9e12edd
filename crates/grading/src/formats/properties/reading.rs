//! Reports read back as their readers do it: whatever learners write, a report keeps its structure.

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

use super::random::record;
use crate::formats::checks::{State, checks};
use crate::formats::fixture::now;
use crate::formats::{
    Options, findings, github_annotations, github_summary, gitlab_code_quality, junit, sarif, tap,
};
use crate::record::Record;
use crate::text;

/// How many checks of which state a record has.
fn expected(record: &Record, state: State) -> usize {
    let checks = record.exercises.iter().flat_map(checks);
    checks.filter(|check| check.state == state).count()
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.try_get_attribute(name).unwrap()?;
    Some(attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0).unwrap().into_owned())
}

/// Class and name of each test case, in a document without anything but the elements of JUnit.
pub fn test_names(xml: &str) -> Vec<(String, String)> {
    let mut reader = Reader::from_str(xml);
    let mut names = vec![];
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) | Event::Empty(start) => match start.name().as_ref() {
                "testcase" => {
                    let attribute = |name| attribute(&start, name).unwrap();
                    names.push((attribute("classname"), attribute("name")));
                }
                "testsuites" | "testsuite" | "failure" | "error" | "skipped" => {}
                other => panic!("<{other}>"),
            },
            Event::Eof => return names,
            Event::Decl(_) | Event::End(_) | Event::Text(_) | Event::GeneralRef(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn count(xml: &str, what: &str) -> usize {
    xml.matches(&format!("<{what} ")).count()
}

/// Whether a runner of GitHub, Azure or TeamCity would take the line for a command.
fn is_command(line: &str) -> bool {
    let word =
        |rest: &str| rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).starts_with('[');
    line.trim_start().starts_with("::")
        || line.match_indices("##").any(|(at, mark)| word(&line[at + mark.len()..]))
}

/// `ActionCommand.TryParseV2` of actions/runner: command, properties, data.
fn parse_command(line: &str) -> (String, Vec<(String, String)>, String) {
    let (info, data) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
    let unescape = |text: &str, more: &[(&str, &str)]| {
        let mut text = text.replace("%0D", "\r").replace("%0A", "\n");
        for (escaped, plain) in more {
            text = text.replace(escaped, plain);
        }
        text.replace("%25", "%")
    };
    let (command, properties) = info.split_once(' ').unwrap();
    let properties = properties.split(',').map(|property| {
        let (name, value) = property.split_once('=').unwrap();
        (name.to_owned(), unescape(value, &[("%3A", ":"), ("%2C", ",")]))
    });
    (command.into(), properties.collect(), unescape(data, &[]))
}

/// Asserts that GitHub makes no link, mention or formula of Markdown text outside code.
fn assert_inert(text: &str) {
    for mark in ["@", "://", "www.", "#", "$"] {
        assert!(!text.to_lowercase().contains(mark), "{mark} in {text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// No text of a learner can end an element, add one, or make the document unreadable, and the
    /// numbers at the top are those below.
    #[test]
    fn junit_is_read_back(record in record()) {
        for format in [&junit::GITLAB, &junit::JENKINS] {
            let options = Options::new(now());
            let seen = options.view(std::slice::from_ref(&record));
            let xml = format.render(std::slice::from_ref(&record), &options).unwrap();
            let names = test_names(&xml);
            let total: usize = seen[0].exercises.iter().map(|exercise| checks(exercise).len()).sum();
            prop_assert_eq!(names.len(), total);
            prop_assert_eq!(count(&xml, "failure"), expected(&seen[0], State::Failed));
            prop_assert_eq!(count(&xml, "error"), expected(&seen[0], State::NotGraded));
            prop_assert_eq!(count(&xml, "skipped"), expected(&seen[0], State::Skipped));
            prop_assert!(!xml.lines().any(is_command));
            prop_assert!(xml.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
        }
    }

    /// Every line is one command of ours, and what the runner unescapes is what was meant.
    #[test]
    fn annotations_are_read_back(record in record()) {
        let options = Options::new(now());
        let text = github_annotations::FORMAT.render(std::slice::from_ref(&record), &options).unwrap();
        let view = options.view(std::slice::from_ref(&record));
        let worst = findings::worst(&view[0]);
        prop_assert!(text.lines().count() <= 10);
        prop_assert_eq!(text.lines().count(), worst.len());
        for (line, finding) in text.lines().zip(worst) {
            let (command, properties, data) = parse_command(line);
            prop_assert!(["error", "warning", "notice"].contains(&command.as_str()));
            let names: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
            prop_assert!([vec!["title"], vec!["file", "title"], vec!["file", "line", "title"]].contains(&names));
            prop_assert_eq!(&properties.last().unwrap().1, &text::line(&finding.title()));
            prop_assert!(data.starts_with(&text::plain(&finding.check.message)));
            prop_assert!(data.chars().all(|c| c == '\n' || !c.is_control()));
        }
    }

    /// Read as GitHub reads it, a summary has our headings, our table and our code blocks, and of
    /// learners nothing but text.
    #[test]
    fn summaries_hold_no_markup_of_learners(record in record()) {
        use pulldown_cmark::{Event, Options as Extensions, Parser, Tag, TagEnd};
        let markdown = github_summary::FORMAT.render(std::slice::from_ref(&record), &Options::new(now())).unwrap();
        let (mut rows, mut cells, mut headings, mut blocks) = (0, 0, 0, 0);
        let mut code = false;
        let mut outside = String::new();
        let extensions = Extensions::ENABLE_TABLES | Extensions::ENABLE_STRIKETHROUGH | Extensions::ENABLE_FOOTNOTES
            | Extensions::ENABLE_TASKLISTS | Extensions::ENABLE_MATH | Extensions::ENABLE_GFM;
        for event in Parser::new_ext(&markdown, extensions) {
            match event {
                Event::Start(Tag::TableRow) => rows += 1,
                Event::Start(Tag::TableCell) => cells += 1,
                Event::Start(Tag::Heading { .. }) => headings += 1,
                Event::Start(Tag::CodeBlock(_)) => (blocks, code) = (blocks + 1, true),
                Event::End(TagEnd::CodeBlock) => code = false,
                Event::Text(text) if !code => outside.push_str(&text),
                Event::Text(_) | Event::Code(_) => {}
                Event::Start(Tag::Paragraph | Tag::Table(_) | Tag::TableHead | Tag::Strong) | Event::End(_) => {}
                other => prop_assert!(false, "{:?} in {}", other, markdown),
            }
            if !code {
                outside.push('\u{1}');
            }
        }
        assert_inert(&outside);
        prop_assert_eq!(rows, record.exercises.len());
        prop_assert_eq!(cells, if rows == 0 { 0 } else { 5 * (rows + 1) });
        prop_assert_eq!(headings, 1 + blocks);
        prop_assert!(!markdown.lines().any(is_command));
    }

    /// A plan, and as many points as it says, each with its number; nothing else but YAML blocks
    /// that a parser of JSON strings reads.
    #[test]
    fn tap_is_read_back(record in record()) {
        let options = Options::new(now());
        let text = tap::FORMAT.render(std::slice::from_ref(&record), &options).unwrap();
        let view = options.view(std::slice::from_ref(&record));
        let mut lines = text.lines();
        prop_assert_eq!(lines.next(), Some("TAP version 14"));
        let total: usize = view[0].exercises.iter().map(|exercise| checks(exercise).len()).sum();
        let plan = format!("1..{total}");
        prop_assert!(lines.next().unwrap().starts_with(&plan));
        let (mut number, mut yaml, mut skipped, mut failed) = (0, false, 0, 0);
        for line in lines {
            prop_assert!(!is_command(line), "{}", line);
            if yaml {
                yaml = line != "  ...";
                let (key, value) = line.trim().split_once(':').unwrap_or(("...", ""));
                prop_assert!(["...", "message", "severity", "diagnosis", "at", "file", "line", "points", "possible", "report"]
                    .contains(&key), "{}", line);
                if value.trim().starts_with('"') {
                    prop_assert!(serde_json::from_str::<String>(value.trim()).is_ok(), "{}", value);
                }
            } else if line == "  ---" {
                yaml = true;
            } else {
                number += 1;
                let (ok, not_ok) = (format!("ok {number} - "), format!("not ok {number} - "));
                prop_assert!(line.starts_with(&ok) || line.starts_with(&not_ok), "{}", line);
                failed += usize::from(line.starts_with("not"));
                // A `#` behind an even number of backslashes begins a directive.
                let directives = line.char_indices().filter(|(at, c)| {
                    let slashes = line[..*at].chars().rev().take_while(|c| *c == '\\').count();
                    *c == '#' && slashes % 2 == 0
                });
                let at: Vec<usize> = directives.map(|(at, _)| at).collect();
                prop_assert!(at.len() <= 1, "{}", line);
                skipped += at.iter().filter(|at| line[**at..].starts_with("# SKIP")).count();
                prop_assert_eq!(skipped, expected_so_far(&view[0], number), "{}", line);
            }
        }
        prop_assert_eq!(number, total);
        prop_assert_eq!(failed, expected(&view[0], State::Failed) + expected(&view[0], State::NotGraded));
    }

    /// JSON that is read back, with fingerprints that are all different, relative paths, and no
    /// text that a page would take for markup.
    #[test]
    fn code_quality_and_sarif_are_read_back(record in record()) {
        let options = Options::new(now());
        let records = std::slice::from_ref(&record);
        let quality: Vec<Value> =
            serde_json::from_str(&gitlab_code_quality::FORMAT.render(records, &options).unwrap()).unwrap();
        let log: Value = serde_json::from_str(&sarif::FORMAT.render(records, &options).unwrap()).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        prop_assert_eq!(quality.len(), results.len());
        let mut fingerprints = std::collections::BTreeSet::new();
        for (entry, result) in quality.iter().zip(results) {
            let description = entry["description"].as_str().unwrap();
            let tag = |(at, _)| description[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
            prop_assert!(!description.match_indices('<').any(tag) && !description.contains("%{"), "{}", description);
            prop_assert!(entry["location"]["lines"]["begin"].as_u64().unwrap() > 0);
            let text = result["message"]["text"].as_str().unwrap();
            prop_assert!(!text.contains("]("), "{}", text);
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            prop_assert!(
                !uri.starts_with('/') && !uri.contains(':') && uri.split('/').all(|part| part != ".."), "{}", uri);
            prop_assert!(place["region"]["startLine"].as_u64().unwrap() > 0);
            prop_assert_eq!(&entry["fingerprint"], &result["partialFingerprints"]["primaryLocationLineHash"]);
            prop_assert!(fingerprints.insert(entry["fingerprint"].to_string()));
        }
    }
}

/// Skipped checks among the first `number`.
fn expected_so_far(record: &Record, number: usize) -> usize {
    let checks = record.exercises.iter().flat_map(checks).take(number);
    checks.filter(|check| check.state == State::Skipped).count()
}
