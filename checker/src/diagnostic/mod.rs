//! The diagnostics that the checker can report, each under a stable name.

mod slug;

pub use slug::Slug;
