//! The lines that a report of wrong values marks.

use cudart_sim::report::CallSite;

use super::super::scan::Subscript;
use super::facts::missing_copy;
use super::{CopiedBack, Mismatch, Role, Scene, Span, count, elementwise, size, span};

/// Where the host's code of a program assigns to elements of an output itself.
pub(super) fn host_assignments(scene: &Scene<'_>, array: &str) -> Vec<(u32, Subscript)> {
    // `texts` blanks out strings, so only `extern` is left of `extern "C"`.
    let begins = |code: &str| code.trim_start().starts_with("extern ") && code.contains('(');
    let entry = || scene.source.texts().find(|(_, code)| begins(code));
    let Some((entry, _)) = scene.program.then(entry).flatten() else { return vec![] };
    let on = |line: u32| scene.source.subscripts(line, array).into_iter().map(move |s| (line, s));
    (entry..=scene.source.len()).flat_map(on).filter(|(_, s)| s.assigned).collect()
}

/// Marks the lines of host code that assign the first wrong element. A line with another subscript
/// than a number may assign it, too, and the run does not say which of them did.
fn mark_host_assignments(m: &Mismatch, lines: &[(u32, Subscript)]) -> Vec<Span> {
    let Some(index) = m.examples.first().map(|example| example.index.to_string()) else {
        return vec![];
    };
    let certain = lines.iter().filter(|(_, s)| s.inner == index);
    let computed = |s: &Subscript| s.inner.parse::<u64>().is_err();
    let possible: Vec<_> = lines.iter().filter(|(_, s)| computed(s)).collect();
    if certain.clone().next().is_none() {
        return vec![];
    }
    let can = if possible.is_empty() { "gets" } else { "can get" };
    let label = format!("element {index} {can} its value here");
    let mark = |(line, s): &(u32, Subscript), primary, label: &str| {
        span(*line, s.column, s.length, primary, label)
    };
    let others = possible.into_iter().map(|place| mark(place, false, "or here"));
    certain.map(|place| mark(place, true, &label)).chain(others).collect()
}

/// Marks the line that is responsible for the wrong elements, if there is only one.
pub(super) fn marks(scene: &Scene<'_>, m: &Mismatch) -> Vec<Span> {
    let array = scene.name(m.output);
    if let Some(launch) = too_few_threads(scene, m) {
        return vec![launch];
    }
    if let Some(copied) = missing_copy(scene, m).filter(|copied| copied.bytes() > 0) {
        return mark_copy(scene, array, copied).into_iter().collect();
    }
    // Where a copy is missing, no line of a kernel is to blame.
    if m.unchanged || scene.program && m.untouched > 0 {
        return vec![];
    }
    if let Some(write) = m.copied.as_ref().and_then(|copied| copied.written_by.as_ref()) {
        return mark_last_write(scene, array, write).into_iter().collect();
    }
    match host_assignments(scene, array) {
        lines if lines.is_empty() => writers(scene, m).into_iter().collect(),
        // The host's own values count only where no copy replaces them.
        lines => mark_host_assignments(m, &lines),
    }
}

/// Marks the only copy that names an array, which it does not fill.
fn mark_copy(scene: &Scene<'_>, array: &str, copied: &CopiedBack) -> Option<Span> {
    let lines = scene.source.occurrences(array).into_iter().map(|(line, _)| line);
    let copies = |line: &u32| {
        let code = scene.source.texts().find(|(at, _)| at == line);
        code.is_some_and(|(_, code)| code.contains("cudaMemcpy"))
    };
    let mut lines = lines.filter(copies);
    let line = lines.next().filter(|_| lines.next().is_none())?;
    let (column, length) = scene.source.statement_with(line, 0, "cudaMemcpy")?;
    let label = format!("fills {} of {} bytes", count(copied.bytes()), count(copied.all));
    Some(span(line, column, length, true, label))
}

/// Marks the copy or set that was the last to write the memory that is copied to an array.
fn mark_last_write(scene: &Scene<'_>, array: &str, write: &CallSite) -> Option<Span> {
    let source = write.source.as_ref()?;
    let (column, length) = scene.source.statement_with(source.line, source.column, &write.call)?;
    let label = format!("the last line that writes what is copied to `{array}`");
    Some(span(source.line, column, length, true, label))
}

/// Marks a program's only launch, if it has fewer threads than elements and those of the threads
/// that are missing are wrong.
fn too_few_threads(scene: &Scene<'_>, m: &Mismatch) -> Option<Span> {
    let (line, column) = m.launch_at?;
    let threads = scene.threads();
    let first = m.examples.first()?.index as u64;
    let missing = first >= threads && threads > 0 && (m.total - m.wrong) as u64 == threads;
    let (column, length) = scene.source.statement_around(line, column)?;
    let label = format!("{}, for {} elements", scene.launched(), size(m.total));
    (missing && elementwise(scene.params, m.output))
        .then(|| span(line, column, length, true, label))
}

/// Marks the only place that writes the output; `None` if there are several, or if that is not
/// certain.
fn writers(scene: &Scene<'_>, m: &Mismatch) -> Option<Span> {
    let (name, lines) = match &m.copied {
        None if scene.program => return None,
        None => (scene.name(m.output).to_owned(), 1..=scene.source.len()),
        // A copy filled the output, so the kernels wrote the memory that was copied.
        Some(copied) => match &copied.parameters[..] {
            [(kernel, number)] if copied.direct >= copied.all => {
                let name = scene.source.parameters(kernel).get(*number)?.clone();
                (name, scene.source.function_lines(kernel)?)
            }
            _ => return None,
        },
    };
    let assigned = |line: u32| {
        let found = scene.source.subscripts(line, &name).into_iter().filter(|s| s.assigned);
        found.map(move |s| (line, s))
    };
    let mut found = lines.flat_map(assigned);
    let (line, place) = found.next().filter(|_| found.next().is_none())?;
    // Another line that stores may write the same array under another name, unless it names
    // another output.
    let of_others = |line: &u32| {
        let outputs = [Role::Out, Role::InOut, Role::Host, Role::Answer];
        let others =
            scene.params.iter().filter(|p| outputs.contains(&p.role) && p.name != m.output);
        let on_line = |word: &str| scene.source.occurrences(word).iter().any(|(at, _)| at == line);
        !on_line(&name) && others.map(|param| scene.name(param.name)).any(on_line)
    };
    let only =
        m.store_lines.as_ref().map(|stores| stores.iter().all(|at| *at == line || of_others(at)));
    let label = match only {
        // The host may write the same memory by copies and sets.
        Some(true) if scene.program => format!("the only line of a kernel that writes `{name}`"),
        Some(true) => format!("the only line that writes `{name}`"),
        // Without counts, a name is all there is to go by.
        None => format!("write to `{name}`"),
        Some(false) => return None,
    };
    Some(span(line, place.column, place.length, true, label))
}
