//! Compiles and runs learners' code in processes of its own, on a GPU or on the simulator.
//!
//! The checker links this crate to start these processes. The processes themselves are another
//! executable, `checker-worker`, whose only code is [`main`]. So a learner's program, which shares
//! its process with that code, finds neither solutions nor references nor Specs in its memory.

use std::env;
use std::process::ExitCode;

pub mod backend;
pub mod compile;
pub mod executable;
pub mod memory;
#[cfg(target_os = "linux")]
pub mod program;
pub mod start;
pub mod text;
pub mod toolchain;
pub mod value;
pub mod worker;

/// The exit code of a process that could not begin its work.
pub const ENVIRONMENT: u8 = 3;

/// The `main` function of `checker-worker`.
pub fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    match args.next().as_deref() {
        None => worker::serve(),
        Some(executable::BUILD_OPTION) => {
            println!("{}", executable::BUILD);
            ExitCode::SUCCESS
        }
        #[cfg(target_os = "linux")]
        Some(program::COMMAND) => {
            let object = args.next().unwrap_or_default();
            let args: Vec<String> = args.collect();
            program::serve(object.as_ref(), &args)
        }
        Some(_) => {
            eprintln!("error: `checker-worker` is a part of `checker`, which starts it");
            ExitCode::from(2)
        }
    }
}
