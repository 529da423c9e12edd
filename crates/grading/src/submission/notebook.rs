//! Notebooks (nbformat 4) whose cells are files: `%%writefile guard.cu`, `%%exercise guard`.

use serde::Deserialize;

use super::pick::Picker;

#[derive(Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    source: Source,
}

/// A cell's text, as one string or line by line.
#[derive(Deserialize)]
#[serde(untagged)]
enum Source {
    Text(String),
    Lines(Vec<String>),
}

/// Offers each cell that writes an exercise's file; of several for one file the last counts.
/// Returns how many cells write a file; `None` when it is no notebook.
pub fn read(path: &str, bytes: &[u8], picker: &mut Picker<'_>) -> Option<u32> {
    let notebook = serde_json::from_slice::<Notebook>(bytes).ok()?;
    let (mut number, mut files) = (0, 0);
    for cell in notebook.cells.into_iter().filter(|cell| cell.cell_type == "code") {
        let text = match cell.source {
            Source::Text(text) => text,
            Source::Lines(lines) => lines.concat(),
        };
        number += 1;
        let Some(name) = file_of(&text) else { continue };
        files += 1;
        if let Some(wanted) = picker.offer_cell(path, &name, number) {
            // The command becomes a comment, so that lines have the cell's numbers.
            picker.take(wanted, format!("// {}", text.trim_start()).into_bytes());
        }
    }
    Some(files)
}

/// The name of the file that a cell writes.
fn file_of(text: &str) -> Option<String> {
    let mut words = text.trim_start().lines().next()?.split_whitespace();
    let command = words.next()?;
    let name = words.next_back()?;
    match command {
        "%%writefile" => Some(name.rsplit(['/', '\\']).next()?.to_owned()),
        "%%exercise" => Some(format!("{name}.cu")),
        _ => None,
    }
}
