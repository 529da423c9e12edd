//! Variables of the device that copies fill only in part.

use cudart_sim::report::PartOfVariable;

use super::{Draft, Scene, many, span};

/// Adds which part of a variable is filled. The rest is 0.
pub(super) fn filled_in_part(scene: &Scene<'_>, part: &PartOfVariable, draft: Draft) -> Draft {
    let PartOfVariable { name, bytes, filled, at } = part;
    let source = at.as_ref().and_then(|at| at.source.as_ref().zip(Some(&at.call)));
    let mark = source.and_then(|(at, call)| {
        let (column, length) = scene.source.statement_with(at.line, at.column, call)?;
        Some(span(
            at.line,
            column,
            length,
            true,
            format!("fills {filled} of {}", many(*bytes, "byte", "bytes")),
        ))
    });
    draft
        .mark(mark)
        .note(format!("`{name}` has {}, and the copies to it fill the first {filled}", many(*bytes, "byte", "bytes")))
        .think(format!("how many bytes does each element of `{name}` have, and how many elements does the copy fill?"))
}
