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

/// What a notebook has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// Cells that write files.
    Files,
    /// Kernels, but no cell that writes a file: the student's work may be in it.
    OnlyKernels,
    /// Nothing to grade, as a notebook that only has questions.
    Nothing,
}

/// Offers each cell that writes an exercise's file; of several for one file the last counts.
/// Returns `None` when it is no notebook.
pub fn read(path: &str, bytes: &[u8], picker: &mut Picker<'_>) -> Option<Contents> {
    let notebook = serde_json::from_slice::<Notebook>(bytes).ok()?;
    let (mut number, mut contents) = (0, Contents::Nothing);
    for cell in notebook.cells.into_iter().filter(|cell| cell.cell_type == "code") {
        let text = match cell.source {
            Source::Text(text) => text,
            Source::Lines(lines) => lines.concat(),
        };
        number += 1;
        let Some(name) = file_of(&text) else {
            // A cell `%%cuda` is a program of the lesson, and no exercise.
            let is_kernel = text.contains("__global__") && !text.starts_with("%%cuda");
            if is_kernel && contents == Contents::Nothing {
                contents = Contents::OnlyKernels;
            }
            continue;
        };
        contents = Contents::Files;
        if let Some(wanted) = picker.offer_cell(path, &name, number) {
            // The command becomes a comment, so that lines have the cell's numbers.
            picker.take(wanted, format!("// {}", text.trim_start()).into_bytes());
        }
    }
    Some(contents)
}

/// The name of the file that a cell writes.
fn file_of(text: &str) -> Option<String> {
    let mut words = text.trim_start().lines().next()?.split_whitespace();
    match words.next()? {
        // Options precede the name of the file, and follow that of an exercise.
        "%%writefile" => Some(words.next_back()?.rsplit(['/', '\\']).next()?.to_owned()),
        "%%exercise" => Some(format!("{}.cu", words.next()?)),
        _ => None,
    }
}
