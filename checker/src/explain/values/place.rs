//! Where the wrong elements lie: the title, the table, and the thread of each element.

use super::facts::keeps_its_values;
use super::marks::host_assignments;
use super::{DIGITS, DType, Example, Mismatch, Pattern, Scene, Slug, apart, digits, elementwise};
use super::{infinite, many, size, volume};

pub(super) fn title(scene: &Scene<'_>, m: &Mismatch) -> String {
    let array = scene.name(m.output);
    if m.unchanged {
        return format!("`{array}` has not changed: it still has its initial values");
    }
    let whole = m.wrong == m.total;
    let what = match (m.wrong == 1, m.slug()) {
        (true, _) if keeps_its_values(m) => "is wrong, and still has its initial value",
        (false, _) if keeps_its_values(m) => "are wrong, and still have their initial values",
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
    let rest = if m.total == 2 { "the other one" } else { "every other element" };
    format!("{array}{}{which} {what}; {rest} is right", subscript(&m.shape, index))
}

/// Where the wrong elements lie, in a few words.
fn place(scene: &Scene<'_>, m: &Mismatch) -> Option<String> {
    let [bx, by, _] = scene.block;
    let [columns_of_blocks, rows_of_blocks, _] = scene.grid;
    let columns = m.shape.last().copied().unwrap_or(1);
    Some(match m.pattern {
        Pattern::OnlyFirstBlockRight(_) => {
            let first = scene.thread_names.block_index([0; 3]);
            format!("block {first} is right, all other blocks are wrong")
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
        Pattern::RowsFrom(row) if row == by as usize && by > 1 && rows_of_blocks > 1 => {
            format!("only the first row of blocks is right (rows 0 to {})", row.saturating_sub(1))
        }
        Pattern::RowsFrom(row) => format!("every row from {row} on"),
        Pattern::ColumnsFrom(column)
            if column == bx as usize && bx > 1 && columns_of_blocks > 1 =>
        {
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
        Pattern::Edges([true, true, true, true]) => "all at the edge".into(),
        Pattern::Edges(edges) => {
            let names = ["the first row", "the last row", "the first column", "the last column"];
            let wrong = names.into_iter().zip(edges).filter(|(_, wrong)| *wrong);
            let wrong: Vec<&str> = wrong.map(|(name, _)| name).collect();
            match &wrong[..] {
                [first, second] => format!("all in {first} and {second}"),
                [first, second, third] => format!("all in {first}, {second} and {third}"),
                _ => return None,
            }
        }
        Pattern::Transposed => "rows and columns are swapped".into(),
        Pattern::Shifted { by, all } => {
            let places = many(by.unsigned_abs(), "place", "places");
            let way = if by > 0 { "early" } else { "late" };
            let which = if all { "each value is" } else { "most values are" };
            format!("{which} {places} too {way}")
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
pub(super) fn subscript(shape: &[usize], index: usize) -> String {
    match *shape {
        [_, columns] if columns > 0 => format!("[{}][{}]", index / columns, index % columns),
        _ => format!("[{index}]"),
    }
}

pub(super) fn table(scene: &Scene<'_>, m: &Mismatch) -> Vec<Vec<String>> {
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
        let index = subscript(&m.shape, example.index);
        let index = if matrix { index } else { index.trim_matches(['[', ']']).to_owned() };
        let mut row = vec![index, yours, expected];
        row.extend(owners.as_ref().and_then(|owners| owners.get(i).cloned()));
        row
    };
    std::iter::once(head).chain(m.examples.iter().enumerate().map(row)).collect()
}

/// The thread of an element, if the launch has one thread for each element, in order. `None` in
/// other launches, of a single number that all threads compute together, and if no input has the
/// output's shape, because the kernel decides which thread computes a sum.
pub(super) fn owner(scene: &Scene<'_>, m: &Mismatch, index: usize) -> Option<([u32; 3], [u32; 3])> {
    let array = scene.name(m.output);
    let unused = scene.program && scene.source.occurrences(array).len() <= 1;
    let single = scene.param(m.output).is_some_and(|param| param.shape == "[1]");
    let shared = single || !elementwise(scene.params, m.output);
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
