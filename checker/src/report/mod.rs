//! A report: what `explain` wrote about a verdict. The renderers here (terminal, JSON, ...) are siblings and decide
//! nothing.

mod fold;
pub mod json;
pub mod profile;
pub mod terminal;
pub mod timeline;
pub mod trace;

use serde::{Deserialize, Serialize};

use crate::diagnostic::Slug;

/// One message for a person, complete: renderers only lay it out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The exercise.
    pub exercise: String,
    /// The verdict's stable name.
    pub slug: Slug,
    /// True when the exercise is passed.
    pub passed: bool,
    /// One line: what is wrong, or what passed.
    pub title: String,
    /// The file, relative to the workbook.
    pub file: String,
    /// The case, when the verdict is about one: "case `five blocks` (n = 1280, grid 5, block 256)".
    pub case: Option<String>,
    /// Marked source lines in reading order.
    pub spans: Vec<Span>,
    /// Lines of a table, first its header; columns are aligned by the renderer. Empty when there is none.
    pub table: Vec<Vec<String>>,
    /// Facts, a line each.
    pub notes: Vec<String>,
    /// One question to think about; never the answer.
    pub think: Option<String>,
    /// Where the book explains it, and the `explain` command.
    pub learn: Option<String>,
    /// The command that shows, line by line, what the thread in question does.
    #[serde(default)]
    pub trace: Option<String>,
    /// The command that repeats exactly this case.
    pub again: Option<String>,
    /// Whether it is about a whole program, and not about a kernel.
    pub program: bool,
    /// What the kernel or program printed, already cut and cleaned.
    pub printed: Option<String>,
    /// "simulator", "GPU: NVIDIA H200".
    pub device: String,
    /// Wall time of the whole check in milliseconds.
    pub millis: u64,
}

/// A marked place in a source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// One-based line.
    pub line: u32,
    /// One-based first column.
    pub column: u32,
    /// Characters marked.
    pub length: u32,
    /// What to say there.
    pub label: String,
    /// The place that matters most; the others give context.
    pub primary: bool,
}
