//! Explains wrong numbers that stand for themselves: recorded answers and measured times.

use super::place::subscript;
use super::{DIGITS, Draft, Example, Mismatch, Role, Scene, Source, Spec, digits, span};
use crate::course;

/// Numbers that the learner recorded in the file and that are wrong. The report does not show the
/// right ones.
pub(super) fn wrong_answer(scene: &Scene<'_>, spec: &Spec, m: &Mismatch) -> Draft {
    let array = scene.name(m.output);
    let original = is_original(scene.source, spec, array);
    let title = match (m.total, m.wrong) {
        _ if original && m.untouched == 0 => {
            format!("`{array}` still has the numbers of the original file")
        }
        _ if m.untouched == m.total => format!("nothing is written to `{array}`"),
        _ if m.untouched > 0 => {
            let missing = m.examples.iter().find(|example| example.yours.is_none());
            let element = missing.map_or(String::new(), |e| subscript(&m.shape, e.index));
            format!("`{array}{element}` is not written in this case")
        }
        (1, _) => format!("the number recorded in `{array}` is not right"),
        (total, wrong) if total == wrong => {
            format!("none of the {total} numbers recorded in `{array}` is right")
        }
        (total, 1) => format!("1 of the {total} numbers recorded in `{array}` is not right"),
        (total, wrong) => {
            format!("{wrong} of the {total} numbers recorded in `{array}` are not right")
        }
    };
    let draft = Draft::new(title);
    if m.untouched > 0 {
        return draft
            .note("the kernel passes on the numbers that you record in the file, so that the checker can compare them")
            .think("which lines of the original file did that, and what happened to them?");
    }
    let mut draft = draft
        .note("everything that the kernel computes is right, but the exercise also asks for numbers in the file")
        .note("the numbers are about the original file's kernel; if you restore this file, yours stays as a backup");
    if !original {
        draft = draft.think(
            "what made you expect these numbers, and where can you see what the original kernel does?",
        );
    }
    let row = |e: &Example| {
        let yours = e.yours.map_or_else(String::new, |yours| digits(yours, DIGITS));
        vec![subscript(&m.shape, e.index).trim_matches(['[', ']']).to_owned(), yours]
    };
    let head = ["index", "yours"].map(str::to_owned).to_vec();
    draft.table = std::iter::once(head).chain(m.examples.iter().map(row)).collect();
    draft
}

/// Whether the list of numbers that becomes this output is still the one of the original file. Its
/// name is that of the output in capitals.
fn is_original(source: &Source<'_>, spec: &Spec, array: &str) -> bool {
    let list = |source: &Source<'_>| {
        let name = array.to_uppercase();
        let code: String = source.texts().flat_map(|(_, code)| [code, "\n".into()]).collect();
        let (_, after) = code.split_once(&format!("{name}["))?;
        let (_, after) = after.split_once('{')?;
        let (list, _) = after.split_once('}')?;
        Some(list.split_whitespace().collect::<String>())
    };
    let skeleton = course::skeleton(spec).and_then(|text| list(&Source::new(text)));
    skeleton.is_some_and(|skeleton| list(source) == Some(skeleton))
}

/// Whether the numbers that the learner records are right, which can be found out before anything
/// is fixed.
pub(super) fn answers(scene: &Scene<'_>, m: &Mismatch) -> Option<String> {
    let right = m.answers_right?;
    let recorded = scene.params.iter().find(|param| param.role == Role::Answer)?;
    let array = scene.quoted(recorded.name);
    Some(if right {
        format!("the numbers recorded in {array} are right")
    } else {
        format!("the numbers recorded in {array} are not right yet")
    })
}

/// A time that a program should measure, but that it did not measure or that differs.
pub(super) fn measured_time(scene: &Scene<'_>, m: &Mismatch) -> Draft {
    let name = scene.name(m.output);
    let example = m.examples.first();
    // The expected time is 0 if the program measured nothing.
    let expected = example.map(|e| e.expected).filter(|time| *time != 0.0);
    let title = match (example.and_then(|e| e.yours), expected) {
        (None, None) => format!("`{name}` has no value: no time was measured"),
        (None, Some(_)) => format!("`{name}` has no value, though a time was measured"),
        (Some(yours), None) => {
            format!("`{name}` is {}, but no time was measured", digits(yours, DIGITS))
        }
        (Some(yours), Some(time)) => format!(
            "`{name}` is {}, but the time between the events is {}",
            digits(yours, DIGITS),
            digits(time, DIGITS)
        ),
    };
    let negative = expected.is_some_and(|time| time < 0.0);
    let title = if negative {
        format!("`{name}` is negative: the measured time ends before it begins")
    } else {
        title
    };
    let draft = Draft::new(title);
    let calls = || scene.source.texts().filter(|(_, code)| code.contains("cudaEventElapsedTime"));
    let mark = calls().next().and_then(|(line, _)| {
        let (column, length) = scene.source.statement_with(line, 0, "cudaEventElapsedTime")?;
        Some(span(
            line,
            column,
            length,
            true,
            match expected {
                None => "call before both events are complete".to_owned(),
                Some(time) if negative => format!("this is {} ms", digits(time, DIGITS)),
                Some(_) => String::new(),
            },
        ))
    });
    match (expected, mark) {
        (None, Some(mark)) => draft
            .mark(Some(mark))
            .note("cudaEventElapsedTime does not wait: until both events are complete, it returns cudaErrorNotReady and leaves the number unchanged")
            .think("which call waits for the second event before the program reads the time?"),
        (None, None) => draft
            .note("cudaEventElapsedTime stores the milliseconds between two events that are complete")
            .think("which two points of the stream enclose the kernel?"),
        (Some(_), mark) if negative => draft
            .mark(mark)
            .note("cudaEventElapsedTime(ms, start, end) stores the milliseconds from its second argument to its third")
            .think("which of the two events does the stream reach first?"),
        (Some(_), mark) => draft
            .mark(mark)
            .note("cudaEventElapsedTime stores the time in milliseconds at the address that it gets")
            .think("what happens to the number between this call and the end of the function?"),
    }
}
