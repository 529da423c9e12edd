//! The `checker-tools` binary: every command of `checker`, and those of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    checker::commands::main(checker_tools::commands::run)
}
