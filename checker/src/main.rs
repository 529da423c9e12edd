//! The `checker` binary: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    checker::commands::main()
}
