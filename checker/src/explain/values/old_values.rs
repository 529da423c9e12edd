//! Wrong values that contain what the output held before the program wrote it.
//!
//! The checker fills outputs with a pattern that means nothing ([`crate::backend`]). A program that
//! adds to an element before it has given it a value adds to this pattern.

use super::marks::host_assignments;
use super::{Draft, Mismatch, Scene, digits, span};

/// Significant digits of the pattern in a note.
const DIGITS: usize = 5;

/// Whether the values shown contain the pattern: the first is about as large as the pattern itself,
/// the others at least as large, and what is expected is much smaller.
fn contain(fill: f64, m: &Mismatch) -> bool {
    let values: Option<Vec<f64>> = m.examples.iter().map(|example| example.yours).collect();
    let first =
        |values: &Vec<f64>| values.first().is_some_and(|value| (value / fill - 1.0).abs() < 0.2);
    let large = |values: &Vec<f64>| values.iter().all(|value| value / fill > 0.8);
    let small = m.examples.iter().all(|example| example.expected.abs() < fill.abs() / 4.0);
    values.is_some_and(|values| first(&values) && large(&values)) && small
}

/// Adds what is known about such values to a draft.
pub(super) fn explain(scene: &Scene<'_>, m: &Mismatch, mut draft: Draft) -> Draft {
    let Some(fill) = m.fill.filter(|fill| contain(*fill, m)) else { return draft };
    let array = scene.name(m.output);
    let program = scene.whole();
    draft.notes.retain(|note| !note.starts_with("every value shown"));
    let held = digits(fill, DIGITS);
    draft.spans = reads(scene, array);
    draft
        .note(format!(
            "before the {program} starts, each element of `{array}` holds the meaningless value {held}, and the wrong results are computed from it"
        ))
        .think(format!("which line reads `{array}` before the {program} has given it a value?"))
}

/// The places that read the output: copies of it to the device, and lines that change an element
/// by its own value.
fn reads(scene: &Scene<'_>, array: &str) -> Vec<crate::report::Span> {
    let label = format!("reads what `{array}` held before");
    let copies = scene.source.occurrences(array).into_iter().filter_map(|(line, column)| {
        let calls = ["cudaMemcpy", "cudaMemcpyAsync"].into_iter();
        let mut sources = calls.filter_map(|call| {
            scene.source.call_arguments(line, call).get(1).map(|argument| argument.text.clone())
        });
        let (column, length) = sources
            .any(|from| from == array)
            .then(|| scene.source.statement_around(line, column))
            .flatten()?;
        Some(span(line, column, length, true, label.clone()))
    });
    let lines = 1..=scene.source.len();
    let assigned = if scene.program {
        host_assignments(scene, array)
    } else {
        lines
            .flat_map(|line| {
                scene.source.subscripts(line, array).into_iter().map(move |s| (line, s))
            })
            .collect()
    };
    let changes = assigned
        .into_iter()
        .filter(|(_, place)| place.assigned && place.read)
        .map(|(line, place)| span(line, place.column, place.length, true, label.clone()));
    let mut places = copies.chain(changes);
    // Only one place is certainly the one.
    places.next().filter(|_| places.next().is_none()).into_iter().collect()
}
