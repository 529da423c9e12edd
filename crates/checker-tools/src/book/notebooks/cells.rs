//! Splits a page into cells.

/// A cell of a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Text.
    Markdown(String),
    /// Python or a magic.
    Code(String),
}

/// The language of a fenced block that becomes a code cell.
pub const LANGUAGE: &str = "notebook-cell";

/// A fenced block that becomes a code cell with this text.
pub fn fence(text: &str) -> String {
    format!("```{LANGUAGE}\n{}\n```\n", text.trim_end())
}

/// Splits a page at its code cells, and its text at the headings of first and
/// second level.
pub fn split(markdown: &str) -> Vec<Cell> {
    let (mut cells, mut text) = (vec![], String::new());
    let mut code: Option<String> = None;
    let mut fenced = false;
    let flush = |text: &mut String, cells: &mut Vec<Cell>| {
        let whole = std::mem::take(text);
        if !whole.trim().is_empty() {
            cells.push(Cell::Markdown(whole.trim_matches('\n').trim_end().to_owned()));
        }
    };
    for line in markdown.lines() {
        if let Some(inside) = &mut code {
            if line.starts_with("```") {
                cells.push(Cell::Code(inside.trim_end().to_owned()));
                code = None;
            } else {
                inside.push_str(line);
                inside.push('\n');
            }
            continue;
        }
        if !fenced && line.strip_prefix("```").is_some_and(|info| info == LANGUAGE) {
            flush(&mut text, &mut cells);
            code = Some(String::new());
            continue;
        }
        fenced ^= line.trim_start().starts_with("```");
        if !fenced && (line.starts_with("# ") || line.starts_with("## ")) {
            flush(&mut text, &mut cells);
        }
        text.push_str(line);
        text.push('\n');
    }
    flush(&mut text, &mut cells);
    cells
}
