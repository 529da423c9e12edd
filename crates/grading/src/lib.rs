//! Grades of a class, as data.
//!
//! ```text
//! submission (folder, zip, tar) + roster + policy        read here, never trusted
//!   -> the checker runs what was submitted               not here
//!   -> Record                                            one JSON file for each student
//!   -> formats (JUnit, Gradescope, CSV, HTML, ...)       each from records alone
//! ```
//!
//! The crate runs no learner's code and knows no exercise by name: [`course::Course`] lists the
//! exercises.

pub mod by_hand;
pub mod course;
mod dates;
mod fold;
pub mod formats;
pub mod gradebook;
pub mod groups;
pub mod merge;
pub mod plan;
pub mod points;
pub mod policy;
pub mod record;
pub mod roster;
pub mod schema;
pub mod seed;
pub mod similar;
pub mod store;
pub mod submission;

pub use reports::{report, text};
