//! A report: what `explain` wrote about a verdict. The renderers here (terminal, JSON, ...) are siblings and decide
//! nothing.

mod fold;
pub mod json;
pub mod profile;
pub mod terminal;
pub mod timeline;
pub mod trace;

pub use grading::report::Span;

use crate::diagnostic::Slug;

/// One message for a person, complete: renderers only lay it out.
pub type Report = grading::report::Report<Slug>;
