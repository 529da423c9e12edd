//! The simulator's tests that need whole kernels, in one binary.

mod common;
mod conformance;
mod corpus;
mod counters;
mod determinism;
mod diagnosis;
mod hardware;
mod instructions;
mod robustness;
