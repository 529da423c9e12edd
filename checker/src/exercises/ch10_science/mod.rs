//! Chapter 10: classic uses of a GPU in science.

use super::Chapter;

mod convection;
mod euler_collatz;
mod fft_shared;
mod ising;
mod izhikevich;
mod occupancy_grid;
pub mod philox;
mod rng_pi;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch10_science",
    number: 10,
    title: "Science",
    exercises: &[
        &rng_pi::SPEC,
        &occupancy_grid::SPEC,
        &ising::SPEC,
        &izhikevich::SPEC,
        &convection::SPEC,
        &fft_shared::SPEC,
        &euler_collatz::SPEC,
    ],
};
