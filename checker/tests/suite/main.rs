//! The checker as learners use it. It is one test program because each
//! test program links everything. `gpu` is another one, because it must run without libtest's
//! threads.

mod architecture;
#[cfg(target_os = "linux")]
mod causes;
mod cli;
mod closeups;
mod colour;
#[cfg(target_os = "linux")]
mod elements;
#[cfg(target_os = "linux")]
mod host_memory;
mod html;
#[cfg(target_os = "linux")]
mod leads;
#[cfg(target_os = "linux")]
mod mistakes;
mod nvrtc;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod projects;
#[cfg(target_os = "linux")]
mod questions;
mod registers;
mod reports;
#[cfg(target_os = "linux")]
mod slips;
#[cfg(target_os = "linux")]
mod stream_states;
#[cfg(target_os = "linux")]
mod time_limit;
mod values;
mod worker;
#[cfg(target_os = "linux")]
mod wrong;
