//! A `cudaMemset` with a number that is meant for whole elements.

use super::{DType, Mismatch, Scene, Span, span};

/// The call of `cudaMemset` whose value is not the same for one byte and for a whole element, where
/// the wrong output has elements of several bytes.
pub(super) fn set_of_bytes(scene: &Scene<'_>, m: &Mismatch) -> Option<(Span, String)> {
    let wide = scene.param(m.output).is_some_and(|param| param.dtype != DType::U8);
    let calls = (1..=scene.source.len()).flat_map(|line| {
        let names = ["cudaMemset", "cudaMemsetAsync"].into_iter();
        names.filter_map(move |name| {
            let arguments = scene.source.call_arguments(line, name);
            let value = arguments.get(1).map(|argument| argument.text.trim().to_owned())?;
            Some((line, name, value))
        })
    });
    let every_bit =
        ["0", "0x00", "-1", "~0", "0xff", "0xFF", "255", "NULL", "false", "0.0", "0.0f"];
    let mut suspicious = calls.filter(|(.., value)| !every_bit.contains(&value.as_str()));
    let (line, name, value) = suspicious.next().filter(|_| wide && scene.program)?;
    let (column, length) = scene.source.statement_with(line, 0, name)?;
    let (label, note) = if value.parse::<u8>().is_ok() {
        (
            format!("sets each byte to {value}"),
            format!(
                "{name} sets bytes: an element that consists of several bytes equal to {value} is a different number"
            ),
        )
    } else {
        (
            format!("sets each byte, to the lowest 8 bits of int({value})"),
            format!(
                "{name} sets bytes: it converts {value} to an int, and an element that consists of several equal bytes is another number"
            ),
        )
    };
    Some((span(line, column, length, true, label), note))
}
