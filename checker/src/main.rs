//! The `checker` binary. All of its code is in the library. Commands that learners rarely need are
//! in `checker-tools`, which it starts.

use std::process::ExitCode;

fn main() -> ExitCode {
    checker::commands::main(checker::commands::tools::run)
}
