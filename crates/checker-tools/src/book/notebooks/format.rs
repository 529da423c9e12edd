//! A notebook as JSON: nbformat 4.5.
//!
//! Source: <https://nbformat.readthedocs.io/en/latest/format_description.html>

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::cells::Cell;

/// A notebook.
#[derive(Serialize)]
pub struct Notebook {
    cells: Vec<Value>,
    metadata: Value,
    nbformat: u32,
    nbformat_minor: u32,
}

/// Characters of a cell's id at most, as the format requires.
const MAX_ID_CHARS: usize = 64;

impl Notebook {
    /// A notebook of these cells. Their ids are made from the name of the `file`, so that the same
    /// book gives the same notebook.
    pub fn new(file: &str, cells: Vec<Cell>) -> Self {
        let stem: String = file.trim_end_matches(".ipynb").chars().take(MAX_ID_CHARS - 8).collect();
        let stem = stem.replace('_', "-");
        let cell = |(number, cell): (usize, Cell)| {
            let id = format!("{stem}-{}", number + 1);
            match cell {
                Cell::Markdown(text) => json!({
                    "cell_type": "markdown",
                    "id": id,
                    "metadata": Map::new(),
                    "source": lines(&text),
                }),
                Cell::Code(text) => json!({
                    "cell_type": "code",
                    "execution_count": null,
                    "id": id,
                    "metadata": Map::new(),
                    "outputs": [],
                    "source": lines(&text),
                }),
            }
        };
        let metadata = json!({
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        });
        Self {
            cells: cells.into_iter().enumerate().map(cell).collect(),
            metadata,
            nbformat: 4,
            nbformat_minor: 5,
        }
    }

    /// Its JSON, as Jupyter writes it.
    pub fn to_json(&self) -> String {
        let mut out = vec![];
        let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
        // A tree of strings and numbers always serialises, and JSON is UTF-8.
        let _ = self.serialize(&mut serializer);
        String::from_utf8(out).unwrap_or_default() + "\n"
    }
}

/// The lines of a cell, each with its line end except for the last one.
fn lines(text: &str) -> Vec<&str> {
    text.trim_end().split_inclusive('\n').collect()
}
