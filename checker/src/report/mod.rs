//! Reports, profiles and traces as text for the terminal, as HTML for notebooks, and as JSON.
//! `explain` has decided what they say; the renderers only lay it out.

mod fold;
mod heading;
pub mod html;
pub mod json;
pub mod launches;
pub mod occupancy;
pub mod profile;
pub mod short;
pub mod terminal;
pub mod timeline;
pub mod trace;

pub use reports::report::Span;

use crate::diagnostic::Slug;

/// The report of a check.
pub type Report = reports::report::Report<Slug>;
