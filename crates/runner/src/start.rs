//! Starts processes also while the system has none left ([`cudart_sim::start`]).

use std::io;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

pub use cudart_sim::start::{patiently, thread};

/// How often a process that starts others is run, and the time between.
const DRIVER_ATTEMPTS: u32 = 6;
const DRIVER_PAUSE: Duration = Duration::from_millis(500);

/// Starts a process.
///
/// # Errors
/// If it cannot be started, or the system refuses it for a long time.
pub fn process(command: &mut Command) -> io::Result<Child> {
    patiently(|| command.spawn())
}

/// Runs a process that starts others to its end, and returns what it printed. It is run again if
/// the system refused one of them; what it says about that is what perror(3) says.
///
/// # Errors
/// If it cannot be started or waited for.
pub fn driver(command: &mut Command) -> io::Result<Output> {
    const REFUSAL: &[u8] = b"Resource temporarily unavailable";
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut attempts = 0;
    loop {
        let output = process(command)?.wait_with_output()?;
        let refused = output.stderr.windows(REFUSAL.len()).any(|said| said == REFUSAL);
        attempts += 1;
        // a source can make a compiler say the same
        if output.status.success() || !refused || attempts == DRIVER_ATTEMPTS {
            return Ok(output);
        }
        std::thread::sleep(DRIVER_PAUSE);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A compiler's driver that could not start the compiler is run again.
    #[test]
    fn a_driver_without_its_processes_is_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let script = "if [ -e tried ]; then echo done; else touch tried; \
                      echo 'sh: fork: Resource temporarily unavailable' >&2; exit 1; fi";
        let output = driver(Command::new("sh").args(["-c", script]).current_dir(folder.path()));
        assert_eq!(output.unwrap().stdout, b"done\n");
    }
}
