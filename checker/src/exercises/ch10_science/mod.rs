//! Chapter 10: classic uses of a GPU in science.

pub mod convection;
pub mod euler_collatz;
pub mod fft_shared;
pub mod ising;
pub mod izhikevich;
pub mod philox;
pub mod rng_pi;
