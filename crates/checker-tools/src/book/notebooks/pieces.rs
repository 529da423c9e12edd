//! The pieces of a page that a notebook shows in another way than a web page.

use std::path::Path;

use super::super::markers::Marker;
use super::super::{Problem, capture, figure, quiz};
use super::cells::fence;
use checker::course;
use checker::spec::Spec;

/// What a notebook has in the place of a marker.
///
/// # Errors
/// As for the pages of the book.
pub fn piece(marker: &Marker, root: &Path) -> Result<String, Problem> {
    match marker.name {
        // A style sheet separates these facts on a web page.
        "exercise" => {
            super::super::piece(marker, root).map(|card| card.replace("</span> <span>", " · "))
        }
        "skeleton" => skeleton(marker.spec()?),
        "hints" => {
            let text = "Run this cell to see a hint. Each time you run it, it shows one more.";
            Ok(format!("{text}\n\n{}", fence(&format!("%hint {}", marker.spec()?.id))))
        }
        "solution" => {
            let text = "After you've passed, this cell shows a solution.";
            Ok(format!("{text}\n\n{}", fence(&format!("%solution {}", marker.spec()?.id))))
        }
        "output" => capture::wide(marker.name_of()?, root),
        "figure" => figure::images(marker.name_of()?, root),
        "quiz" => quiz::for_notebook(marker.name_of()?, root),
        _ => super::super::piece(marker, root),
    }
}

/// The cell in which the learner solves an exercise.
fn skeleton(spec: &Spec) -> Result<String, Problem> {
    let text = course::skeleton(spec);
    let text = text.ok_or_else(|| Problem::NoListing(format!("skeleton of {}", spec.id)))?;
    let text = text.lines().map(|line| command_line(line, spec)).collect::<Vec<_>>().join("\n");
    Ok(fence(&format!("%%exercise {}\n{text}\n", spec.id)))
}

/// A line of an original file, with what a reader of a notebook does in place of commands.
fn command_line(line: &str, spec: &Spec) -> String {
    if line.starts_with("// Run ") {
        return "// Run     this cell (Shift+Enter)         Stuck?  %hint".to_owned();
    }
    let profile = format!("cargo checker profile {}", spec.id);
    line.replace(&profile, "%profile").replace("cargo checker ", "%checker ")
}
