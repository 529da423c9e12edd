//! The process that compiles and runs learners' code. It has nothing of the course in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    runner::main()
}
