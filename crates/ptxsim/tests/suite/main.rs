//! The simulator's tests that need whole kernels, in one binary.

mod acceptance;
mod common;
mod conformance;
mod copies;
mod corpus;
mod counters;
mod determinism;
mod diagnosis;
mod errors;
mod exact;
mod grid;
mod hardware;
mod heap;
mod instructions;
mod intrinsics;
mod language;
mod limits;
mod mbarrier;
mod narrow_atomics;
mod order;
mod pathological;
mod planted;
mod progress;
mod robustness;
mod textures;
mod trace;
