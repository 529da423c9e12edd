//! The checker as learners, authors and instructors use it. One test program, because each one links everything; only
//! `gpu` stays by itself, since it runs without libtest's threads.

mod architecture;
#[cfg(target_os = "linux")]
mod attacks;
mod book;
mod cli;
mod closeups;
mod colour;
#[cfg(target_os = "linux")]
mod grade;
#[cfg(target_os = "linux")]
mod mistakes;
mod nvrtc;
#[cfg(target_os = "linux")]
mod programs;
mod reports;
mod worker;
#[cfg(target_os = "linux")]
mod wrong;
