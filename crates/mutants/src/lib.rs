//! The course's mutants: wrong versions of its exercises, each with the diagnostic that the checker
//! must find in it.
//!
//! Most of them are edits of a solution or a skeleton and stand in one list for each exercise; a
//! mutant that has little in common with either is a file of its own.
//! `checker/proof/mutants/README.md` describes both formats.

mod edit;
mod list;

pub use edit::{Edit, Problem, apply};
pub use list::{Base, Error, Mutant, NotFound, Origin, all, find, of_exercise};
