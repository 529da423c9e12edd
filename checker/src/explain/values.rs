//! Explains wrong results: how many elements are wrong, where they are, and what that pattern
//! means.

mod constants;
mod facts;
mod marks;
mod numbers;
mod old_values;
mod overrun;
mod place;
mod question;
mod set_bytes;
mod swapped;
mod unset;
mod unset_element;
mod variables;

use super::scan::{Source, span};
use super::scene::Scene;
use super::words::{DIGITS, apart, count, digits, many, measured, size, times, volume};
use super::{Context, Draft, ON_PAGE};
use crate::course;
use crate::diagnostic::Slug;
use crate::report::Span;
use crate::spec::{Param, Role, Spec, elementwise};
use crate::value::DType;
use crate::verdict::{CopiedBack, Example, Mismatch, Origin, Pattern};
use constants::{constants, mark_constants};
use facts::{copied, copied_from_input, facts, origin, resemblance};
use marks::marks;
use numbers::{answers, measured_time, wrong_answer};
use overrun::overrun;
use place::{owner, table, title};
use question::question;
use set_bytes::set_of_bytes;
use swapped::swapped_launch;
pub(super) use unset::{Conditional, conditional_value, unset_variable};
use unset_element::unset_element;

/// Explains an exercise that was not started.
pub fn not_started(
    spec: &Spec,
    (output, elements): (&str, usize),
    todo_line: u32,
    source: &Source<'_>,
    context: &Context<'_>,
) -> Draft {
    let none = match elements {
        1 => "its only element is not written".to_owned(),
        n => format!("none of its {} elements is written", size(n)),
    };
    let todo = source.line(todo_line).and_then(|line| {
        let start = line.find("//").or_else(|| line.find("TODO"))?;
        let column = line.get(..start)?.chars().count() as u32 + 1;
        Some(span(todo_line, column, line.trim_end().chars().count() as u32 + 1 - column, true, ""))
    });
    let draft = Draft::new(format!("`{output}` is still untouched: {none}")).mark(todo);
    // In a notebook, the file is a cell; on a page, it is in the editor.
    let start = match context.command {
        ON_PAGE => return draft.note("Start here: answer the TODO in the editor."),
        command if command.starts_with('%') => {
            "Start here: answer the TODO in the cell, and run the cell again.".to_owned()
        }
        _ => format!("Start here: open {}, answer the TODO, save.", context.file),
    };
    draft.note(start).note(format!("Stuck? {} hint {}", context.command, spec.id))
}

/// Explains wrong values of one case.
pub fn explain(scene: &Scene<'_>, spec: &Spec, mismatch: &Mismatch) -> Draft {
    let time = |p: &Param| p.role == Role::Time && p.name == mismatch.output;
    if scene.params.iter().any(time) {
        return measured_time(scene, mismatch);
    }
    if mismatch.answer {
        return wrong_answer(scene, spec, mismatch);
    }
    let mut draft = Draft::new(title(scene, mismatch));
    draft.table = table(scene, mismatch);
    let array = scene.name(mismatch.output);
    draft.spans = marks(scene, mismatch);
    if mismatch.nan > 0 {
        draft.spans.extend(mark_constants(&constants(scene, mismatch)));
    }
    // One place is the parameter itself. Any other place may write through an alias or a call.
    if mismatch.untouched > 0 && scene.source.occurrences(array).len() <= 1 {
        draft = draft.note(format!("no line of the {} uses `{array}`", scene.whole()));
    }
    draft.notes.extend(copied(scene, mismatch));
    if let Some(input) = mismatch.same_as.filter(|_| !mismatch.unchanged) {
        draft = draft.note(format!("`{array}` is an exact copy of {}", scene.quoted(input)));
    }
    draft.notes.extend(facts(scene, mismatch));
    draft.notes.extend(answers(scene, mismatch));
    draft.notes.extend(resemblance(mismatch));
    draft.notes.extend(origin(scene, mismatch));
    if let Some(other) = mismatch.other_unchanged {
        let other = scene.quoted(other);
        draft = draft.note(format!("{other} has not changed: it still has its initial values"));
    }
    if let Some((kernel, [a, b])) = &mismatch.same_memory
        && !course::solution(spec).is_some_and(|solution| launches_in_place(solution, kernel))
        && let [Some(a), Some(b)] = [a, b].map(|i| scene.source.parameters(kernel).get(*i).cloned())
    {
        draft = draft.note(format!(
            "`{kernel}` gets the same memory as `{a}` and as `{b}`, which is right only if no thread reads an element that another one writes"
        ));
    }
    if let Some(input) = mismatch.uncopied.first().filter(|_| mismatch.untouched == 0) {
        draft = draft.note(format!("no copy to the device reads {}", scene.quoted(input)));
    }
    draft.think = Some(question(scene, mismatch));
    draft = old_values::explain(scene, mismatch, draft);
    if let Some(fact) = copied_from_input(scene, mismatch) {
        draft = draft.note(fact).think("which parameter of the kernel does each argument of the launch belong to, and which memory should the copy read?");
    }
    if let Some((name, line, column)) =
        unset_variable(scene.source).filter(|_| mismatch.untouched == 0)
    {
        let length = name.chars().count() as u32;
        // what makes a NaN is not what this one comes from
        draft.notes.retain(|note| !note.starts_with("NaN is"));
        draft = draft
            .mark([span(line, column, length, false, "declared without a value")])
            .note("a local variable has no value until your code gives it one: it may be 0, or anything else")
            .think(format!("what is the value of `{name}` before the kernel changes it for the first time?"));
    }
    if let Some(found) = unset_element(scene.source).filter(|_| mismatch.untouched == 0) {
        let length = found.array.chars().count() as u32;
        let element = format!("`{}[{}]`", found.array, found.index);
        draft.notes.retain(|note| !note.starts_with("NaN is"));
        draft = draft
            .mark([span(found.line, found.column, length, false, "declared without values")])
            .note(format!("no line gives {element} a value, so it may be 0, or anything else"))
            .think(format!(
                "which elements of `{}` get a value before the kernel uses them?",
                found.array
            ));
    }
    if let Some(found) = overrun(scene.source).filter(|_| mismatch.untouched == 0) {
        let overrun::Overrun { array, length, line, index } = found;
        let elements = format!("{length} elements");
        draft.notes.retain(|note| !note.starts_with("NaN is"));
        draft = draft
            .note(format!("`{array}` has {elements}, and the loop on line {line} uses {array}[{index}] up to {index} = {length}"))
            .note("the compiler may give an element outside a local array any value")
            .think(format!("what is the number of the last element of `{array}`, and of the last one that the loop uses?"));
    }
    if let Some((mark, note)) = set_of_bytes(scene, mismatch).filter(|_| mismatch.untouched == 0) {
        draft.spans = vec![mark];
        draft = draft.note(note).think("which value should each element have before the first kernel runs, and which one does this call give it?");
    }
    if let Some(part) = mismatch.partial.first() {
        draft = variables::filled_in_part(scene, part, draft);
    }
    if let Some(launch) = swapped_launch(scene.source).filter(|_| scene.program) {
        let [grid, block] = launch.names;
        let label = format!("`{grid}` is the grid here, and `{block}` the block");
        draft.spans.clear();
        draft = draft.mark([span(launch.line, launch.column, launch.length, true, label)]).think(
            "how many blocks does this launch have, and how many threads does each of them have?",
        );
    }
    let first = mismatch.examples.first();
    draft.watch =
        first.filter(|_| scene.simulated).and_then(|example| owner(scene, mismatch, example.index));
    draft
}

/// Whether every wrong element that is shown is infinite, and none is NaN.
fn infinite(m: &Mismatch) -> bool {
    m.examples.iter().all(|example| example.yours.is_some_and(f64::is_infinite))
}

/// Whether a program launches a kernel with one argument for two parameters.
fn launches_in_place(program: &str, kernel: &str) -> bool {
    let launch = format!("{kernel}<<<");
    let launches = program.split(&launch).skip(1);
    let arguments = launches.filter_map(|launch| {
        let (_, arguments) = launch.split_once(">>>(")?;
        Some(arguments.split_once(");")?.0)
    });
    let mut repeated = arguments.map(|arguments| {
        let all: Vec<&str> = arguments.split(',').map(str::trim).collect();
        all.iter().enumerate().any(|(i, argument)| all[..i].contains(argument))
    });
    repeated.any(|repeated| repeated)
}
