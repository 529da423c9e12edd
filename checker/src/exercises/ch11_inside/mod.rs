//! Chapter 11: the parts of a GPU, and how they limit a kernel.

use super::Chapter;

mod choose_block;
mod loads_in_flight;
mod register_budget;
mod roofline;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch11_inside",
    number: 11,
    title: "Inside the GPU",
    exercises: &[
        &loads_in_flight::SPEC,
        &choose_block::SPEC,
        &register_budget::SPEC,
        &roofline::SPEC,
    ],
};
