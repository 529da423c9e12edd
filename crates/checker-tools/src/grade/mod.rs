//! Grading: submissions run confined and with secret inputs, and their results become a
//! [`grading::record`].
//!
//! ```text
//! Submitted -> for each exercise: public trials (as the learner saw them), then secret ones -> items
//!           -> points by the policy -> Record -> store
//! ```
//!
//! Each file goes through the pipeline of `checker check` ([`checker::attempt`]); this module adds
//! what a class needs.

mod class;
mod course;
mod exercise;
mod speed;
mod suspicious;

pub use class::{Class, Event, Job, Source, Task, blank_exercise, grade};
pub use course::course;
pub use exercise::{Plan, Runs};
pub use speed::{MEMORY, Speeds};
pub use suspicious::{Suspicion, suspicious};
