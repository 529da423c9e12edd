//! Grading: what somebody else handed in, run with secret inputs, confined, and written down as a [`grading::record`].
//!
//! ```text
//! Submitted -> for each exercise: public trials (as the learner saw them), then secret ones -> items
//!           -> points by the policy -> Record -> store
//! ```
//!
//! The pipeline of one file is the one of `checker check` ([`crate::attempt`]); here is what a class adds to it.

mod class;
mod course;
mod exercise;
mod suspicious;

pub use class::{Class, Job, Source, Told, blank, grade};
pub use course::course;
pub use exercise::{Memo, Plan};
pub use suspicious::{Suspicion, suspicious};
