//! The checker's commands that learners rarely need: the book, grading for instructors, and tools
//! for authors. They are a program of their own, `checker-tools`, so that a learner's first verdict
//! does not wait for them to be compiled. `checker` starts it for these commands.

pub mod book;
pub mod bound;
pub mod commands;
pub mod grade;
pub mod host;
pub mod live;
pub mod timing;
