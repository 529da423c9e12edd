//! The texts of the verdicts: what learners read about the skeleton and about every mutant, one
//! file for each exercise in `checker/proof/verdicts/`. `dev check` compares them and
//! `dev check --bless` writes them. An author reads every change before committing it.

use std::fs;
use std::path::{Path, PathBuf};

use checker::attempt::Attempt;
use checker::explain;
use checker::report::terminal;
use checker::session;
use checker::spec::Spec;

/// Columns of the terminal that the texts are rendered for.
const WIDTH: usize = 100;

/// What `dev check` does with the texts in `checker/proof/verdicts/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictTexts {
    /// Ignores them: on a GPU some sentences describe the GPU's own run.
    Ignore,
    /// Compares them with what is shown now.
    Compare,
    /// Replaces them by what is shown now.
    Bless,
}

/// Adds the report about an attempt to `texts`, below a heading.
pub fn add(texts: &mut String, about: &str, spec: &'static Spec, attempt: &Attempt) {
    let file = format!("exercises/{}/{}.cu", spec.chapter, spec.id);
    // the time is different in every run
    let attempt = Attempt { millis: 0, ..attempt.clone() };
    let report = explain::attempt(&file, "cargo checker", spec, &attempt);
    let text = without_colours(&terminal::render_to_width(&report, &attempt.source, WIDTH));
    let lines = text.lines().map(str::trim_end).filter(|line| !line.ends_with("simulator · 0 ms"));
    let text = lines.collect::<Vec<_>>().join("\n");
    texts.push_str(&format!("==== {about}\n\n{}\n\n", text.trim_matches('\n')));
}

/// The first difference between `shown` and the committed texts; `None` when they are equal.
pub fn differ(root: &Path, spec: &Spec, shown: &str) -> Option<String> {
    let committed = fs::read_to_string(path(root, spec)).unwrap_or_default();
    if committed == shown {
        return None;
    }
    let file = relative_path(spec);
    let file = file.display();
    let mut about = "";
    for (number, (now, before)) in
        (1..).zip(shown.lines().zip(committed.lines().chain(std::iter::repeat(""))))
    {
        if now.starts_with("==== ") {
            about = now;
        }
        if now != before {
            return Some(format!(
                "{file}:{number}: {about}: the text has changed: run `{} dev check --bless {}` and read the difference",
                session::command(),
                spec.id
            ));
        }
    }
    Some(format!("{file} has lines at its end that are no longer shown"))
}

/// Writes `shown` to the exercise's file. Returns why it cannot be written, if so.
pub fn write(root: &Path, spec: &Spec, shown: &str) -> Option<String> {
    let path = path(root, spec);
    let folder = path.parent().unwrap_or(root);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, shown));
    written.err().map(|error| format!("{}: {error}", path.display()))
}

fn path(root: &Path, spec: &Spec) -> PathBuf {
    root.join(relative_path(spec))
}

/// `checker/proof/verdicts/ch01_threads/guard.txt`
fn relative_path(spec: &Spec) -> PathBuf {
    Path::new("checker/proof/verdicts").join(spec.chapter).join(format!("{}.txt", spec.id))
}

/// The text without escape sequences for colours, each of which ends with the letter `m`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use checker::exercises;

    #[test]
    fn colours_are_removed_and_text_stays() {
        assert_eq!(without_colours("a\u{1b}[1;31mred\u{1b}[0m m\n"), "ared m\n");
    }

    /// The message about a changed, added or deleted line names its place.
    #[test]
    fn every_difference_is_reported() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let spec = exercises::all()[0];
        let problem = |shown: &str| differ(temp.path(), spec, shown);
        assert!(problem("==== skeleton\nx\n").is_some(), "there is no file yet");
        assert_eq!(write(temp.path(), spec, "==== skeleton\nx\ny\n"), None);
        assert_eq!(problem("==== skeleton\nx\ny\n"), None);
        let changed = problem("==== skeleton\nx\nz\n");
        assert!(changed.is_some_and(|text| text.contains("txt:3: ==== skeleton")));
        assert!(problem("==== skeleton\nx\n").is_some());
        assert!(problem("==== skeleton\nx\ny\nmore\n").is_some_and(|text| text.contains(":4:")));
        assert!(problem("==== skeleton\nx\ny").is_some(), "a line break is text, too");
    }
}
