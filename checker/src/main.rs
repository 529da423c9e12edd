//! The `checker` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("worker") => checker::worker::serve(),
        _ => ExitCode::from(2),
    }
}
