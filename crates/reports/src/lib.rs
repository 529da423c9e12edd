//! A verdict in words as data, and text from outside made harmless to show. The checker shows
//! reports in a terminal, and `grading` keeps them in records.

pub mod report;
pub mod text;
