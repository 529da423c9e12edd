//! The question that leads from wrong values to their cause.

use super::super::scan::is_word;
use super::constants::constants;
use super::facts::{
    all_the_same, all_zero, copied_as_it_was, differs_by_rounding, filled, made_by_host,
    missing_copy, nothing_launched,
};
use super::marks::host_assignments;
use super::place::subscript;
use super::{DType, Mismatch, Origin, Param, Pattern, Role, Scene, Slug, elementwise};

pub(super) fn question(scene: &Scene<'_>, m: &Mismatch) -> String {
    if let Some(example) = m.examples.first()
        && m.slug() == Slug::NotANumber
        && !constants(scene, m).is_empty()
    {
        let element = format!("{}{}", scene.name(m.output), subscript(&m.shape, example.index));
        return format!(
            "what is the initial value of {element}, and which operation is the first whose result is not finite?"
        );
    }
    if m.slug() == Slug::NotANumber {
        return "which operation is the first whose result is not finite, and what are its operands?".into();
    }
    let array = scene.name(m.output);
    if let Some(copied) = missing_copy(scene, m) {
        return match copied.bytes() {
            0 if nothing_launched(m) => {
                let extent = |name: &str| {
                    let mut shapes = scene.params.iter().map(|param| param.shape);
                    shapes.any(|shape| shape.split(|c| !is_word(c)).any(|word| word == name))
                };
                let empty = scene.sizes.iter().find(|(name, size)| *size == 0 && extent(name));
                match empty {
                    Some((name, _)) => format!(
                        "what does your function do when {name} is 0, and what should {array} contain then?"
                    ),
                    None => format!(
                        "which lines of your function run in this case, and which of them should fill {array}?"
                    ),
                }
            }
            0 => format!("the results are on the device, so which line copies them to {array}?"),
            _ if matches!(m.pattern, Pattern::Column(_) | Pattern::Periodic { .. }) => {
                format!("which copy transfers these elements of {array}?")
            }
            // As if the number of elements were a number of bytes.
            bytes if [2, 4, 8].iter().any(|size| bytes.saturating_mul(*size) == copied.all) => {
                "how many bytes does each element have?".into()
            }
            _ => {
                format!("how does the copy to {array} get its size, and how many elements is that?")
            }
        };
    }
    if m.copied.as_ref().is_some_and(|copied| copied.written_by.is_some()) {
        return format!(
            "which lines write the memory that is copied to {array}, in which order, and which should be the last?"
        );
    }
    if let Some(example) = m.examples.first().filter(|_| copied_as_it_was(m)) {
        let element = format!("{array}{}", subscript(&m.shape, example.index));
        return format!(
            "which thread of which launch should change {element}, and which call copies it back?"
        );
    }
    if let Some(example) = m.examples.first().filter(|_| made_by_host(m)) {
        let element = format!("{array}{}", subscript(&m.shape, example.index));
        return match example.yours {
            Some(_) => {
                format!(
                    "which line gives {element} its value in this case, and what should it store there?"
                )
            }
            None => {
                format!("which line should give {element} its value, and does it run in this case?")
            }
        };
    }
    if m.unchanged || m.same_as.is_some() && scene.program {
        return if scene.program {
            format!("which array does the last launch write, and which one is copied to {array}?")
        } else {
            format!(
                "which line gives the elements of {array} a new value, and which threads reach it?"
            )
        };
    }
    let is_float = scene.param(m.output).is_some_and(|param| param.dtype.is_float());
    if !is_float && differs_by_rounding(m) && scene.source.has_floats() {
        return "a float holds whole numbers exactly only up to 16 777 216: which variable is a float here, and which type would hold these sums?".into();
    }
    if is_float && differs_by_rounding(m) {
        return "which operations round here, and does the exercise need another order of them or a more exact function?".into();
    }
    if let Some(example) = m.examples.first()
        && !host_assignments(scene, array).is_empty()
    {
        let element = format!("{array}{}", subscript(&m.shape, example.index));
        return format!(
            "which line gives {element} its value in this case, and what should it store there?"
        );
    }
    let inputs = scene.params.iter().find(|p| p.role == Role::In).map(|p| scene.name(p.name));
    let placed = matches!(
        m.pattern,
        Pattern::Transposed | Pattern::Shifted { .. } | Pattern::Periodic { .. }
    );
    if let Some((input, example)) = inputs.zip(m.examples.first())
        && !elementwise(scene.params, m.output)
        && m.untouched == 0
        && !placed
    {
        let element = format!("{array}{}", subscript(&m.shape, example.index));
        let came_with_values = scene.param(m.output).is_some_and(|p| p.role == Role::InOut);
        if came_with_values && is_single_number(scene, m) && example.expected == 0.0 {
            return format!(
                "which value should {element} have in the end, and which line gives it that value?"
            );
        }
        if counts(scene, m) {
            return format!(
                "what does {element} count that it should not, or what does it count more than once?"
            );
        }
        let begins = if is_single_number(scene, m) {
            format!("which value does the computation of {element} begin with, ")
        } else {
            String::new()
        };
        // a count or an index is made of other things than the elements' values
        let is_float = |param: Option<&Param>| param.is_some_and(|param| param.dtype.is_float());
        let of_values = is_float(scene.params.iter().find(|p| p.role == Role::In))
            == is_float(scene.param(m.output));
        return if of_values {
            format!(
                "{begins}which elements of `{input}` belong in {element}, and which ones does it get?"
            )
        } else {
            format!(
                "{begins}which elements of `{input}` should {element} depend on, and which ones does it depend on?"
            )
        };
    }
    match m.pattern {
        Pattern::OnlyFirstBlockRight(_) => {
            let (thread, [zero, one]) = (
                scene.thread_names.thread_index([0; 3]),
                [[0; 3], [1, 0, 0]].map(|block| scene.thread_names.block_index(block)),
            );
            format!(
                "what differs between thread {thread} of block {zero} and thread {thread} of block {one}?"
            )
        }
        Pattern::OnlyLastBlockWrong(_) => {
            "which threads of the last block have an element, and which condition lets them work?".into()
        }
        _ if m.untouched == 0 && is_single_number(scene, m) => {
            "many numbers are combined into one: what is its initial value, and is any number left out, used twice, or taken in though it does not belong?"
                .into()
        }
        Pattern::Single(0) if m.total == 1 => {
            format!("what should {array}[0] contain, and which threads contribute to it?")
        }
        Pattern::Single(_) if m.untouched == 0 && m.total > 2 => {
            "what is special about this element: its position, or the numbers that it is computed from?".into()
        }
        Pattern::Single(0) if m.untouched > 0 => format!("which thread owns {array}[0], and what is its index?"),
        Pattern::Single(i) if i + 1 == m.total && m.untouched > 0 => {
            format!("which thread owns {array}{}, and what keeps it from writing it?", subscript(&m.shape, i))
        }
        Pattern::Single(_) if m.untouched > 0 => "what is special about the position of this element?".into(),
        _ if m.untouched == 0 && all_the_same(m) && all_zero(m) => {
            "which line should make this something other than 0, and does it do so in this case?".into()
        }
        _ if let Some(Origin::Number(name)) = &m.origin => {
            format!("which lines use `{}`, and for what?", scene.name(name))
        }
        _ if m.untouched == 0 && all_the_same(m) => {
            "what is this value computed from, and which part of that differs from thread to thread?".into()
        }
        Pattern::From(first) if filled(scene, m) && m.shape.len() == 1 && first > 0 => format!(
            "{array}[{}] is right, but {array}[{first}] is not: what is different about the second?",
            first - 1
        ),
        Pattern::RowsFrom(first) | Pattern::ColumnsFrom(first)
            if filled(scene, m) && first > 0 =>
        {
            let line = if matches!(m.pattern, Pattern::RowsFrom(_)) { "row" } else { "column" };
            format!(
                "{line} {} of {array} is right, but {line} {first} is not: what is different about the second?",
                first - 1
            )
        }
        // The threads that are there work on every element: the values are wrong, not the ranges.
        Pattern::Before(_) if filled(scene, m) => {
            let element = format!("{array}{}", subscript(&m.shape, 0));
            match inputs {
                Some(input) => format!(
                    "which elements of `{input}` belong in {element}, and which ones does it get?"
                ),
                None => format!("what does {element} need that the last elements do not?"),
            }
        }
        Pattern::From(_) | Pattern::RowsFrom(_) | Pattern::ColumnsFrom(_)
            if m.untouched > 0 && m.max_writes.is_some_and(|most| most > 1) =>
        {
            "which threads write the same element, and what distinguishes these threads?".into()
        }
        Pattern::From(_) | Pattern::RowsFrom(_) | Pattern::ColumnsFrom(_) if m.untouched > 0 => {
            "which elements do the threads compute, and which of them are left over?".into()
        }
        Pattern::Before(_) if m.untouched > 0 => "which thread should compute the first element?".into(),
        Pattern::Before(_) => format!("what does {array}{} need that the last elements do not?", subscript(&m.shape, 0)),
        Pattern::Row(_) if m.untouched > 0 => "which threads own this row, and what keeps them from writing it?".into(),
        Pattern::Column(_) if m.untouched > 0 => {
            "which threads own this column, and what keeps them from writing it?".into()
        }
        Pattern::Row(_) => "what is different about this row, and which lines take care of that?".into(),
        Pattern::Column(_) => {
            "what is different about this column, and which lines take care of that?".into()
        }
        Pattern::Edges(_) => {
            "what is different about an element at this edge, and which lines take care of that?".into()
        }
        Pattern::Periodic { .. } => {
            "what do the wrong elements have in common that the right ones do not have?".into()
        }
        Pattern::Transposed => {
            "at which index does the element of row 0 and column 1 lie, and which line uses another one for it?".into()
        }
        Pattern::Shifted { .. } => {
            let input = inputs.map_or("the input".to_owned(), |input| format!("`{input}`"));
            format!("which element of {input} belongs to {array}[0], and which one do you read?")
        }
        Pattern::All if m.untouched == m.total && scene.program => {
            format!("which line should fill `{array}`, and is it reached?")
        }
        Pattern::All if m.untouched == m.total => {
            format!("which line stores a result in `{array}`, and which threads reach it?")
        }
        Pattern::All | Pattern::Scattered if m.untouched == m.wrong => {
            "which elements do the threads compute, and which of them are left over?".into()
        }
        Pattern::All
        | Pattern::Scattered
        | Pattern::Single(_)
        | Pattern::From(_)
        | Pattern::RowsFrom(_)
        | Pattern::ColumnsFrom(_) => match m.examples.first() {
            Some(example) if let Some(Origin::Input { name, .. }) = &m.origin => format!(
                "which elements of `{}` belong in {array}{}, and which ones does it get?",
                scene.name(name),
                subscript(&m.shape, example.index)
            ),
            Some(example) => format!(
                "compute {array}{} by hand, step by step: where does your {} differ?",
                subscript(&m.shape, example.index),
                scene.whole()
            ),
            None => "which element is wrong first, and which thread computes it?".into(),
        },
    }
}

/// Whether the output is one number in every case, such as a sum, a count or a maximum.
fn is_single_number(scene: &Scene<'_>, m: &Mismatch) -> bool {
    scene.param(m.output).is_some_and(|param| param.shape == "[1]")
}

/// Whether an output of several counts has only counts that are too large.
fn counts(scene: &Scene<'_>, m: &Mismatch) -> bool {
    let unsigned = scene.param(m.output).is_some_and(|param| param.dtype == DType::U32);
    let more = m.examples.iter().all(|e| e.yours.is_some_and(|yours| yours > e.expected));
    unsigned && m.total > 1 && m.examples.len() > 1 && more
}
