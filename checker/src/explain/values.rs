//! Explains wrong results: how many elements are wrong, where they are, and what that pattern
//! means.

use ptxsim::MAX_COUNTED_WRITES;

use super::scan::{Source, Subscript, span};
use super::scene::Scene;
use super::words::{DIGITS, apart, count, digits, many, measured, size, times, volume};
use super::{Context, Draft};
use crate::diagnostic::Slug;
use crate::report::Span;
use crate::spec::{Param, Role, Spec, elementwise};
use crate::value::DType;
use crate::verdict::{CopiedBack, Example, Mismatch, Pattern};

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
    Draft::new(format!("`{output}` is still untouched: {none}"))
        .mark(todo)
        .note(format!("Start here: open {}, answer the TODO, save.", context.file))
        .note(format!("Stuck? {} hint {}", context.command, spec.id))
}

/// Explains wrong values of one case.
pub fn explain(scene: &Scene<'_>, mismatch: &Mismatch) -> Draft {
    let time = |p: &Param| p.role == Role::Time && p.name == mismatch.output;
    if scene.params.iter().any(time) {
        return measured_time(scene, mismatch);
    }
    if mismatch.answer {
        return wrong_answer(scene, mismatch);
    }
    let mut draft = Draft::new(title(scene, mismatch));
    draft.table = table(scene, mismatch);
    let array = scene.name(mismatch.output);
    draft.spans = marks(scene, mismatch);
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
    draft.think = Some(question(scene, mismatch));
    let first = mismatch.examples.first();
    draft.watch =
        first.filter(|_| scene.simulated).and_then(|example| owner(scene, mismatch, example.index));
    draft
}

/// Numbers that the learner recorded in the file and that are wrong. The report does not show the
/// right ones.
fn wrong_answer(scene: &Scene<'_>, m: &Mismatch) -> Draft {
    let array = scene.name(m.output);
    let title = match (m.total, m.wrong) {
        _ if m.untouched == m.total => format!("nothing is written to `{array}`"),
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
        .note("everything that the kernel computes is right; these are numbers that you wrote into the file")
        .note("finding the right numbers is part of the exercise")
        .think("what made you expect this, and which command shows what really happens?");
    let row = |e: &Example| {
        let yours = e.yours.map_or_else(String::new, |yours| digits(yours, DIGITS));
        vec![subscript(m, e.index).trim_matches(['[', ']']).to_owned(), yours]
    };
    let head = ["index", "yours"].map(str::to_owned).to_vec();
    draft.table = std::iter::once(head).chain(m.examples.iter().map(row)).collect();
    draft
}

/// Whether the numbers that the learner records are right, which can be found out before anything
/// is fixed.
fn answers(scene: &Scene<'_>, m: &Mismatch) -> Option<String> {
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
fn measured_time(scene: &Scene<'_>, m: &Mismatch) -> Draft {
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
        let (column, length) = scene.source.statement(line, 0)?;
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

fn title(scene: &Scene<'_>, m: &Mismatch) -> String {
    let array = scene.name(m.output);
    if m.unchanged {
        return format!("`{array}` has not changed: it still has the values that it came with");
    }
    let whole = m.wrong == m.total;
    let what = match (m.wrong == 1, m.slug()) {
        (true, _) if m.untouched == m.wrong => "is never written",
        (false, _) if m.untouched == m.wrong => "are never written",
        (true, Slug::NotANumber) if infinite(m) => "is infinite",
        (false, Slug::NotANumber) if infinite(m) => "are infinite",
        (true, Slug::NotANumber) => "is not a number",
        (false, Slug::NotANumber) => "are not numbers",
        (true, _) => "is wrong",
        (false, _) => "are wrong",
    };
    if m.total == 1 {
        return format!("{array}[0], the only element, {what}");
    }
    let Pattern::Single(index) = m.pattern else {
        let elements = if whole {
            format!("all {} elements", size(m.total))
        } else {
            format!("{} of {} elements", size(m.wrong), size(m.total))
        };
        let place = place(scene, m).map_or_else(String::new, |place| format!("; {place}"));
        return format!("{elements} of `{array}` {what}{place}");
    };
    let which = match index {
        0 => ", the first element,".to_owned(),
        i if i + 1 == m.total => ", the last element,".to_owned(),
        _ => String::new(),
    };
    format!("{array}{}{which} {what}; every other element is right", subscript(m, index))
}

/// Whether every wrong element that is shown is infinite, and none is NaN.
fn infinite(m: &Mismatch) -> bool {
    m.examples.iter().all(|example| example.yours.is_some_and(f64::is_infinite))
}

/// Where the wrong elements lie, in a few words.
fn place(scene: &Scene<'_>, m: &Mismatch) -> Option<String> {
    let [bx, by, _] = scene.block;
    let columns = m.shape.last().copied().unwrap_or(1);
    Some(match m.pattern {
        Pattern::OnlyFirstBlockRight(_) => {
            let first = scene.thread_names.block_index([0; 3]);
            format!("block {first} is right, every other block is wrong")
        }
        Pattern::OnlyLastBlockWrong(_) => {
            "all in the last block, which is only partly filled".into()
        }
        Pattern::From(0) | Pattern::All | Pattern::Single(_) => return None,
        Pattern::From(index) => format!("all from index {index} on"),
        Pattern::Before(index) => format!("all before index {index}"),
        Pattern::Row(row) if Some(row + 1) == m.shape.first().copied() => {
            "all in the last row".into()
        }
        Pattern::Row(row) => format!("all in row {row}"),
        Pattern::Column(column) if column + 1 == columns => "all in the last column".into(),
        Pattern::Column(column) => format!("all in column {column}"),
        Pattern::RowsFrom(row) if row == by as usize && by > 1 => {
            format!("only the first row of blocks is right (rows 0 to {})", row.saturating_sub(1))
        }
        Pattern::RowsFrom(row) => format!("every row from {row} on"),
        Pattern::ColumnsFrom(column) if column == bx as usize && bx > 1 => {
            format!(
                "only the first column of blocks is right (columns 0 to {})",
                column.saturating_sub(1)
            )
        }
        Pattern::ColumnsFrom(column) => format!("every column from {column} on"),
        Pattern::Periodic { period, offset: 0 } => {
            format!("every {} one, starting at the first", nth(period))
        }
        Pattern::Periodic { period, offset } => {
            format!("every {} one, starting at index {offset}", nth(period))
        }
        Pattern::Transposed => "rows and columns are swapped".into(),
        Pattern::Shifted(shift) => {
            let places = many(shift.unsigned_abs(), "place", "places");
            let way = if shift > 0 { "early" } else { "late" };
            format!("each value is {places} too {way}")
        }
        Pattern::Scattered => return None,
    })
}

fn nth(n: usize) -> String {
    match n {
        2 => "second".into(),
        3 => "third".into(),
        n => {
            let end = match (n % 10, n % 100) {
                (1, x) if x != 11 => "st",
                (2, x) if x != 12 => "nd",
                (3, x) if x != 13 => "rd",
                _ => "th",
            };
            format!("{n}{end}")
        }
    }
}

/// `[5]`, or `[row][column]` in a matrix.
fn subscript(m: &Mismatch, index: usize) -> String {
    match *m.shape {
        [_, columns] if columns > 0 => format!("[{}][{}]", index / columns, index % columns),
        _ => format!("[{index}]"),
    }
}

fn table(scene: &Scene<'_>, m: &Mismatch) -> Vec<Vec<String>> {
    let dtype = scene.param(m.output).map(|param| param.dtype);
    let most = match dtype {
        Some(DType::F32) => 9,
        _ => 17,
    };
    // An integer is shown in full, because its last digit can be wrong.
    let whole = dtype.is_some_and(|dtype| !dtype.is_float());
    let owners = m.examples.iter().map(|e| {
        let (block, thread) = owner(scene, m, e.index)?;
        Some(scene.thread_names.thread(block, thread))
    });
    let owners = owners.collect::<Option<Vec<_>>>();
    let matrix = m.shape.len() == 2;
    let first = if matrix { "[row][col]" } else { "index" };
    let mut head = vec![first.to_owned(), "yours".to_owned(), "expected".to_owned()];
    if owners.is_some() {
        head.push(String::new());
    }
    let row = |(i, example): (usize, &Example)| {
        let (yours, expected) = match example.yours {
            Some(yours) if whole => (yours.to_string(), example.expected.to_string()),
            None if whole => ("untouched".into(), example.expected.to_string()),
            Some(yours) => apart(yours, example.expected, most),
            None => ("untouched".into(), digits(example.expected, DIGITS)),
        };
        let index = subscript(m, example.index);
        let index = if matrix { index } else { index.trim_matches(['[', ']']).to_owned() };
        let mut row = vec![index, yours, expected];
        row.extend(owners.as_ref().and_then(|owners| owners.get(i).cloned()));
        row
    };
    std::iter::once(head).chain(m.examples.iter().enumerate().map(row)).collect()
}

/// The thread of an element, if the launch has one thread for each element, in order. `None` in
/// other launches, and if no input has the output's shape, because the kernel decides which thread
/// computes a sum.
fn owner(scene: &Scene<'_>, m: &Mismatch, index: usize) -> Option<([u32; 3], [u32; 3])> {
    let array = scene.name(m.output);
    let unused = scene.program && scene.source.occurrences(array).len() <= 1;
    let shared = !elementwise(scene.params, m.output);
    if unused || shared || !host_assignments(scene, array).is_empty() {
        return None;
    }
    let (grid, block) = (scene.grid, scene.block);
    let at = |element: usize, axis: usize| -> Option<(u32, u32)> {
        let (threads, blocks) = (*block.get(axis)?, *grid.get(axis)?);
        let element = u32::try_from(element).ok()?;
        let home = element.checked_div(threads)?;
        (home < blocks).then_some((home, element % threads))
    };
    let flat = |dims: [u32; 3]| matches!(dims, [_, 1, 1]);
    match *m.shape {
        [total]
            if flat(grid)
                && flat(block)
                && volume(grid).saturating_mul(volume(block)) >= total as u64 =>
        {
            let (home, thread) = at(index, 0)?;
            Some(([home, 0, 0], [thread, 0, 0]))
        }
        [rows, columns] if block[1] > 1 && grid[2] == 1 && block[2] == 1 => {
            at(rows.checked_sub(1)?, 1)?;
            at(columns.checked_sub(1)?, 0)?;
            let (by, ty) = at(index / columns, 1)?;
            let (bx, tx) = at(index % columns, 0)?;
            Some(([bx, by, 0], [tx, ty, 0]))
        }
        _ => None,
    }
}

/// Where the host's code of a program assigns to elements of an output itself.
fn host_assignments(scene: &Scene<'_>, array: &str) -> Vec<(u32, Subscript)> {
    // `texts` blanks out strings, so only `extern` is left of `extern "C"`.
    let begins = |code: &str| code.trim_start().starts_with("extern ") && code.contains('(');
    let entry = || scene.source.texts().find(|(_, code)| begins(code));
    let Some((entry, _)) = scene.program.then(entry).flatten() else { return vec![] };
    let on = |line: u32| scene.source.subscripts(line, array).into_iter().map(move |s| (line, s));
    (entry..=scene.source.len()).flat_map(on).filter(|(_, s)| s.assigned).collect()
}

/// Marks a line of host code that assigns the first wrong element.
fn mark_host_assignment(m: &Mismatch, (line, s): (u32, Subscript)) -> Option<Span> {
    let index = m.examples.first()?.index;
    let label = format!("element {index} gets its value here");
    (s.inner == index.to_string()).then(|| span(line, s.column, s.length, true, label))
}

/// Marks the line that is responsible for the wrong elements, if there is only one.
fn marks(scene: &Scene<'_>, m: &Mismatch) -> Vec<Span> {
    let array = scene.name(m.output);
    if let Some(launch) = too_few_threads(scene, m) {
        return vec![launch];
    }
    // Where a copy is missing, no line of a kernel is to blame.
    if m.unchanged || scene.program && m.untouched > 0 {
        return vec![];
    }
    match host_assignments(scene, array) {
        lines if lines.is_empty() => writers(scene, m).into_iter().collect(),
        // The host's own values count only where no copy replaces them.
        lines => lines.into_iter().filter_map(|line| mark_host_assignment(m, line)).collect(),
    }
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
        let outputs = [Role::Out, Role::InOut, Role::Answer];
        let others =
            scene.params.iter().filter(|p| outputs.contains(&p.role) && p.name != m.output);
        let on_line = |word: &str| scene.source.occurrences(word).iter().any(|(at, _)| at == line);
        !on_line(&name) && others.map(|param| scene.name(param.name)).any(on_line)
    };
    let only =
        m.store_lines.as_ref().map(|stores| stores.iter().all(|at| *at == line || of_others(at)));
    let label = match only {
        Some(true) => format!("the only line that writes `{name}`"),
        // Without counts, a name is all there is to go by.
        None => format!("write to `{name}`"),
        Some(false) => return None,
    };
    Some(span(line, place.column, place.length, true, label))
}

/// Whether every element was written, even the wrong ones. Of an array with input values, this is
/// not known.
fn filled(scene: &Scene<'_>, m: &Mismatch) -> bool {
    m.untouched == 0 && scene.param(m.output).is_some_and(|param| param.role == Role::Out)
}

/// What a program copied back, if elements are missing in the output and copies could have filled
/// more of it.
fn missing_copy<'m>(scene: &Scene<'_>, m: &'m Mismatch) -> Option<&'m CopiedBack> {
    let array = scene.name(m.output);
    let copied = m.copied.as_ref().filter(|copied| copied.bytes() < copied.all)?;
    // A copy cannot be meant to fill an output that the program never mentions.
    let used = m.unchanged || scene.source.occurrences(array).len() > 1 || copied.to_host == 0;
    let missing = m.untouched > 0 || m.unchanged;
    (missing && used).then_some(copied)
}

/// Too few bytes came back from the device.
fn copied(scene: &Scene<'_>, m: &Mismatch) -> Option<String> {
    let copied = missing_copy(scene, m)?;
    let array = scene.name(m.output);
    Some(match copied.bytes() {
        0 if copied.to_host == 0 => "nothing is copied back from the device".to_owned(),
        0 => format!("nothing is copied back to `{array}`"),
        bytes => format!(
            "{} bytes are copied back; `{array}` is {} bytes long",
            count(bytes),
            count(copied.all)
        ),
    })
}

/// What was counted about the writing.
fn facts(scene: &Scene<'_>, m: &Mismatch) -> Vec<String> {
    let mut facts = Vec::new();
    let blocks = volume(scene.grid);
    let array = scene.name(m.output);
    let block = volume(scene.block);
    let alike = m.most_written.is_some() && m.most_written == m.written;
    match (m.written, m.max_writes) {
        (Some(0), _) => facts.push(format!("the kernel never writes an element of `{array}`")),
        (Some(written), Some(most))
            if m.total > 1
                && most > 1
                && alike
                && written <= block
                && u64::from(most) == blocks.min(MAX_COUNTED_WRITES.into()) =>
        {
            facts.push(format!(
                "every block wrote the same {}, so each was written {}",
                many(written, "element", "elements"),
                times(most)
            ));
        }
        (Some(written), most) if written < m.total as u64 && m.untouched < m.wrong => {
            let twice = most.filter(|&most| most > 1).zip(m.most_written);
            let and = twice.map_or(String::new(), |(most, which)| {
                let which = match which {
                    1 => "one of them".to_owned(),
                    which if which == written => "each of them".to_owned(),
                    which => format!("{} of them", count(which)),
                };
                format!(", {which} {}", times(most))
            });
            facts.push(format!(
                "{} of {} elements were written{and}",
                size(written as usize),
                size(m.total)
            ));
        }
        (_, Some(most)) if most > 1 => {
            let which = match m.most_written {
                Some(1) | None => "one element was".to_owned(),
                Some(which) => format!("{} elements were", count(which)),
            };
            facts.push(format!("{which} written {}, and only the last write counts", times(most)));
        }
        _ => {}
    }
    let rest = m.wrong.saturating_sub(m.untouched + m.nan);
    if m.untouched > 0 && m.untouched < m.wrong {
        let was = if m.untouched == 1 { "was" } else { "were" };
        facts.push(format!("{} of the wrong elements {was} never written", size(m.untouched)));
    }
    if m.nan > 0 && rest > 0 {
        let are = if m.nan == 1 { "is" } else { "are" };
        facts.push(format!("{} of the wrong elements {are} NaN or infinite", size(m.nan)));
    }
    if m.nan > 0 {
        facts.push(if infinite(m) {
            "inf is the result of a division by 0, or of a number that is too large for its type".into()
        } else {
            "NaN is the result of 0/0, inf/inf, inf - inf, 0 * inf, or the root or logarithm of a negative number"
                .into()
        });
    }
    if m.shape.len() == 2 && matches!(m.pattern, Pattern::Transposed) {
        let [rows, columns] = *m.shape else { return facts };
        facts.push(format!(
            "`{array}` has {} rows of {}: element [row][col] lies at row * {} + col",
            size(rows),
            many(columns as u64, "element", "elements"),
            size(columns)
        ));
    }
    if matches!(m.pattern, Pattern::From(_))
        && blocks > 0
        && !filled(scene, m)
        && scene.threads() < m.total as u64
    {
        facts.push(format!("{}, for {} elements", scene.launch_line(), size(m.total)));
    }
    facts
}

/// How the values shown resemble what is expected: all 0, off by the same amount, or by the same
/// factor.
fn resemblance(m: &Mismatch) -> Option<String> {
    let pairs: Option<Vec<(f64, f64)>> =
        m.examples.iter().map(|e| Some((e.yours?, e.expected))).collect();
    let pairs = pairs.filter(|pairs| pairs.len() >= 3)?;
    let (yours, expected) = *pairs.first()?;
    let same = |value: f64, all: &dyn Fn(f64, f64) -> f64| {
        value.is_finite()
            && pairs.iter().all(|&(y, e)| (all(y, e) - value).abs() <= 1e-4 * value.abs())
    };
    let differ = pairs.iter().any(|&(_, e)| e != expected);
    if !differ {
        return None;
    }
    if all_the_same(m) {
        let value = if yours.fract() == 0.0 && yours.abs() < 2_f64.powi(53) {
            yours.to_string()
        } else {
            digits(yours, DIGITS)
        };
        return Some(format!("every value shown is {value}"));
    }
    let factor = yours / expected;
    if same(factor, &|y, e| y / e) && factor != 0.0 {
        let (times, of) = if factor.abs() < 1.0 { (1.0 / factor, true) } else { (factor, false) };
        // Only integer factors, or their inverses, are worth a note.
        let near = times.round();
        if (times - near).abs() < 1e-3 && near.abs() >= 1.0 {
            let near = measured_signed(near);
            return Some(match (near.as_str(), of) {
                ("-1", _) => "every value shown has the wrong sign".into(),
                (_, true) => format!("each expected value is {near} times the value shown"),
                (_, false) => format!("every value shown is {near} times what is expected"),
            });
        }
    }
    let difference = yours - expected;
    same(difference, &|y, e| y - e).then(|| {
        let way = if difference > 0.0 { "too large" } else { "too small" };
        format!("every value shown is {} {way}", digits(difference.abs(), DIGITS))
    })
}

/// Whether all values shown are one and the same, though different ones are expected.
fn all_the_same(m: &Mismatch) -> bool {
    let first = m.examples.first();
    m.examples.len() >= 3
        && first.is_some_and(|e| e.yours.is_some())
        && m.examples.iter().all(|e| e.yours == first.and_then(|first| first.yours))
        && m.examples.iter().any(|e| Some(e.expected) != first.map(|first| first.expected))
}

/// Whether all values shown are 0.
fn all_zero(m: &Mismatch) -> bool {
    m.examples.iter().all(|example| example.yours == Some(0.0))
}

fn measured_signed(value: f64) -> String {
    if value < 0.0 { format!("-{}", measured(-value)) } else { measured(value) }
}

/// Whether the output is one number in every case, such as a sum, a count or a maximum.
fn is_single_number(scene: &Scene<'_>, m: &Mismatch) -> bool {
    scene.param(m.output).is_some_and(|param| param.shape == "[1]")
}

fn question(scene: &Scene<'_>, m: &Mismatch) -> String {
    if m.slug() == Slug::NotANumber {
        return "which operation is the first whose result is not finite, and what are its operands?".into();
    }
    let array = scene.name(m.output);
    if let Some(copied) = missing_copy(scene, m) {
        return match copied.bytes() {
            0 => format!("the results are on the device, so which line copies them to {array}?"),
            _ if matches!(m.pattern, Pattern::Column(_) | Pattern::Periodic { .. }) => {
                format!("which copy transfers these elements of {array}?")
            }
            _ => "how many bytes does each element have?".into(),
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
    if let Some(example) = m.examples.first()
        && !host_assignments(scene, array).is_empty()
    {
        let element = format!("{array}{}", subscript(m, example.index));
        return format!("which line gives {element} its value in this case, and which should?");
    }
    let inputs = scene.params.iter().find(|p| p.role == Role::In).map(|p| scene.name(p.name));
    let placed =
        matches!(m.pattern, Pattern::Transposed | Pattern::Shifted(_) | Pattern::Periodic { .. });
    if let Some((input, example)) = inputs.zip(m.examples.first())
        && !elementwise(scene.params, m.output)
        && m.untouched == 0
        && !placed
    {
        let element = format!("{array}{}", subscript(m, example.index));
        let begins = if is_single_number(scene, m) {
            format!("what is the initial value of {element}, ")
        } else {
            String::new()
        };
        return format!(
            "{begins}which elements of `{input}` belong in {element}, and which ones does it get?"
        );
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
            "many numbers are combined into one: what is its initial value, and is any number left out or used twice?"
                .into()
        }
        Pattern::Single(0) if m.total == 1 => {
            format!("what should {array}[0] contain, and which threads contribute to it?")
        }
        Pattern::Single(_) if m.untouched == 0 => {
            "what is special about this element: its position, or the numbers that it is computed from?".into()
        }
        Pattern::Single(0) => format!("which thread owns {array}[0], and what is its index?"),
        Pattern::Single(i) if i + 1 == m.total => {
            format!("which thread owns {array}{}, and what keeps it from writing it?", subscript(m, i))
        }
        Pattern::Single(_) => "what is special about the position of this element?".into(),
        _ if m.untouched == 0 && all_the_same(m) && all_zero(m) => {
            "which of the values that this is computed from could be 0, and where should it get another one?".into()
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
            let element = format!("{array}{}", subscript(m, 0));
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
        Pattern::From(_) | Pattern::RowsFrom(_) | Pattern::ColumnsFrom(_) => {
            "which element does the last thread compute, and which elements are left after it?".into()
        }
        Pattern::Before(_) => "which thread should compute the first element?".into(),
        Pattern::Row(_) | Pattern::Column(_) => {
            "which threads own this row or column, and does the guard let them work?".into()
        }
        Pattern::Periodic { .. } => {
            "what do the threads of the wrong elements have in common?".into()
        }
        Pattern::Transposed => {
            "when threadIdx.x grows by one, should the row change, or the column?".into()
        }
        Pattern::Shifted(_) => {
            let input = inputs.map_or("the input".to_owned(), |input| format!("`{input}`"));
            format!("which element of {input} belongs to {array}[0], and which one do you read?")
        }
        Pattern::All if m.untouched == m.total && scene.program => {
            format!("which line should fill `{array}`, and is it reached?")
        }
        Pattern::All if m.untouched == m.total => {
            "does any thread reach the line that writes?".into()
        }
        Pattern::All | Pattern::Scattered => match m.examples.first() {
            Some(example) => format!(
                "compute {array}{} by hand, step by step: where does your {} differ?",
                subscript(m, example.index),
                scene.whole()
            ),
            None => "which element is wrong first, and which thread computes it?".into(),
        },
    }
}
