//! The course: its chapters and exercises, in order.
//!
//! An exercise is one file in its chapter's folder, registered in the `mod.rs` of that folder.

use std::path::Path;
use std::sync::LazyLock;

use crate::spec::Spec;

mod ch01_threads;
mod ch02_memory;
mod ch03_coalescing;
mod ch04_shared;
mod ch05_debugging;
mod ch06_atomics;
mod ch07_generic;
mod ch08_streams;
mod ch09_images;
mod ch10_science;
mod ch11_inside;
mod ch12_operators;
mod ch13_speed;
mod common;
mod operations;
#[cfg(test)]
mod tests;

pub use ch10_science::philox::philox;
pub use operations::operations;

/// A chapter of the book and its exercises.
#[derive(Debug)]
pub struct Chapter {
    /// Name of the chapter's folders, such as `ch01_threads`.
    pub id: &'static str,
    /// Number of the chapter. The first chapter has the number 1.
    pub number: u32,
    /// Title of the chapter, such as "Threads, blocks, grids".
    pub title: &'static str,
    /// The chapter's exercises, in teaching order.
    pub exercises: &'static [&'static Spec],
}

static CHAPTERS: [&Chapter; 13] = [
    &ch01_threads::CHAPTER,
    &ch02_memory::CHAPTER,
    &ch03_coalescing::CHAPTER,
    &ch04_shared::CHAPTER,
    &ch05_debugging::CHAPTER,
    &ch06_atomics::CHAPTER,
    &ch07_generic::CHAPTER,
    &ch08_streams::CHAPTER,
    &ch09_images::CHAPTER,
    &ch10_science::CHAPTER,
    &ch11_inside::CHAPTER,
    &ch12_operators::CHAPTER,
    &ch13_speed::CHAPTER,
];

static ALL: LazyLock<Vec<&'static Spec>> =
    LazyLock::new(|| CHAPTERS.iter().flat_map(|c| c.exercises.iter().copied()).collect());

/// The chapters, in order.
pub fn chapters() -> &'static [&'static Chapter] {
    &CHAPTERS
}

/// Every exercise, in order.
pub fn all() -> &'static [&'static Spec] {
    &ALL
}

/// The error for a name that no exercise has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no exercise is called `{name}`{}", match .nearest {
    Some(nearest) => format!("; did you mean `{nearest}`?"),
    None => "; `checker list` shows them all".to_owned(),
})]
pub struct Unknown {
    /// The name that [`find`] received.
    pub name: String,
    /// The most similar name of an exercise, if there is one.
    pub nearest: Option<&'static str>,
}

/// Finds the exercise called `name`. The name can also be a path to the exercise's file, such as
/// `exercises/ch01_threads/blocks.cu`.
///
/// # Errors
/// Returns [`Unknown`] if no exercise has this name, with the most similar name if there is one.
pub fn find(name: &str) -> Result<&'static Spec, Unknown> {
    let stem = Path::new(name).file_name().and_then(|f| f.to_str()).unwrap_or(name);
    let stem = stem.strip_suffix(".cu").unwrap_or(stem);
    if let Some(spec) = all().iter().find(|s| s.id == stem) {
        return Ok(spec);
    }
    let wanted = stem.to_lowercase().replace('-', "_");
    let nearest = all()
        .iter()
        .map(|s| (strsim::jaro_winkler(&wanted, s.id), s.id))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, id)| id);
    Err(Unknown { name: name.to_owned(), nearest })
}
