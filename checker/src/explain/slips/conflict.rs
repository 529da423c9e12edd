//! Markers of a merge conflict that are still in the file.

use super::{Help, Slip};

/// How the lines of a conflict begin.
const BEGINS: &str = "<<<<<<<";

/// Recognises any error in a file with an unresolved conflict, because both versions are in it.
pub fn recognise(slip: &Slip<'_>) -> Option<Help> {
    let line = (1..=slip.source.len())
        .find(|line| slip.source.line(*line).is_some_and(|text| is_marker(text, BEGINS)))?;
    let message = Help::new("a conflict begins here")
        .titled("the file has the markers of a merge conflict in it")
        .at(slip.source.whole_line(line))
        .note("keep the lines of one version, and delete the other ones together with the lines that begin with <<<<<<<, ======= and >>>>>>>");
    Some(message)
}

/// Whether git writes this line at a conflict: the marker alone, or with a name after it. An editor
/// may have indented it.
fn is_marker(line: &str, marker: &str) -> bool {
    let marked = line.trim_start().strip_prefix(marker);
    marked.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r']))
}
