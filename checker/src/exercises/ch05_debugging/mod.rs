//! Chapter 5: finding what is wrong.

use super::Chapter;

mod nan_hunt;
mod oob_uninit_hunt;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch05_debugging",
    number: 5,
    title: "Debugging",
    exercises: &[&oob_uninit_hunt::SPEC, &nan_hunt::SPEC],
};
