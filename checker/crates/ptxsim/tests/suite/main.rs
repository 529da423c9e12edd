//! The simulator's tests that need whole kernels, in one binary.

mod common;
mod conformance;
mod counters;
mod diagnosis;
mod instructions;
mod robustness;
