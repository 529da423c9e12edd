//! The simulator's tests that need whole kernels, in one binary.

mod common;
mod conformance;
mod diagnosis;
