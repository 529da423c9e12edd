//! What learners read: the text of the skeleton's and of every mutant's verdict, one file for each exercise in
//! `checker/proof/verdicts/`. `dev check` compares, `dev check --bless` writes; what changes is read by eye before it is committed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::attempt::Attempt;
use crate::explain;
use crate::report::terminal;
use crate::spec::Spec;

/// Columns of the terminal for which they are written.
const WIDTH: usize = 100;

/// Adds what an attempt shows to `screens`.
pub fn add(screens: &mut String, about: &str, spec: &'static Spec, attempt: &Attempt) {
    let file = format!("exercises/{}/{}.cu", spec.chapter, spec.id);
    // how long it took is another number every time
    let attempt = Attempt { millis: 0, ..attempt.clone() };
    let report = explain::attempt(&file, "cargo checker", spec, &attempt);
    let text = plain(&terminal::render_to_width(&report, &attempt.source, WIDTH));
    let lines = text.lines().map(str::trim_end).filter(|line| !line.ends_with("simulator · 0 ms"));
    let text = lines.collect::<Vec<_>>().join("\n");
    screens.push_str(&format!("==== {about}\n\n{}\n\n", text.trim_matches('\n')));
}

/// Why what is shown now is not what was read; `None` when it is.
pub fn differ(root: &Path, spec: &Spec, shown: &str) -> Option<String> {
    let known = fs::read_to_string(path(root, spec)).unwrap_or_default();
    if known == shown {
        return None;
    }
    let mut about = "";
    for (number, (now, before)) in
        (1..).zip(shown.lines().zip(known.lines().chain(std::iter::repeat(""))))
    {
        if now.starts_with("==== ") {
            about = now;
        }
        if now != before {
            return Some(format!(
                "checker/proof/verdicts/{}/{}.txt:{number}: {about}: another text: `checker dev check --bless {}`, and read it",
                spec.chapter, spec.id, spec.id
            ));
        }
    }
    Some(format!(
        "checker/proof/verdicts/{}/{}.txt goes on where nothing is shown",
        spec.chapter, spec.id
    ))
}

/// Keeps what is shown; why it cannot be kept.
pub fn write(root: &Path, spec: &Spec, shown: &str) -> Option<String> {
    let path = path(root, spec);
    let folder = path.parent().unwrap_or(root);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, shown));
    written.err().map(|error| format!("{}: {error}", path.display()))
}

fn path(root: &Path, spec: &Spec) -> PathBuf {
    root.join("checker/proof/verdicts").join(spec.chapter).join(format!("{}.txt", spec.id))
}

/// Without colours: an escape sequence goes on to its letter.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercises;

    #[test]
    fn colours_go_and_text_stays() {
        assert_eq!(plain("a\u{1b}[1;31mred\u{1b}[0m m\n"), "ared m\n");
    }

    /// A sentence that changed, came or went is told with its place.
    #[test]
    fn every_difference_is_told() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let spec = exercises::all()[0];
        let told = |shown: &str| differ(temp.path(), spec, shown);
        assert!(told("==== skeleton\nx\n").is_some(), "nothing was read yet");
        assert_eq!(write(temp.path(), spec, "==== skeleton\nx\ny\n"), None);
        assert_eq!(told("==== skeleton\nx\ny\n"), None);
        assert!(told("==== skeleton\nx\nz\n").is_some_and(|t| t.contains("txt:3: ==== skeleton")));
        assert!(told("==== skeleton\nx\n").is_some());
        assert!(told("==== skeleton\nx\ny\nmore\n").is_some_and(|t| t.contains(":4:")));
        assert!(told("==== skeleton\nx\ny").is_some(), "a line break is text, too");
    }
}
