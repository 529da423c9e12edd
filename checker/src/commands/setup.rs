//! `checker setup`: installs the CUDA compiler, or says which one is there.

use std::env;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use crate::toolchain::{self, Progress, Toolchain};

/// Exit code when the machine lacks something: no compiler could be had.
const ENVIRONMENT: u8 = 3;

/// Runs `checker setup`.
///
/// # Errors
/// When the answer cannot be written.
pub fn run() -> anyhow::Result<ExitCode> {
    let (there, started) = (toolchain::find(), Instant::now());
    let found = match toolchain() {
        Ok(found) => found,
        Err(error) => {
            eprintln!("error: {error}");
            return Ok(ExitCode::from(ENVIRONMENT));
        }
    };
    let (version, place) = (&found.version, found.place());
    match there {
        Some(_) => writeln!(stdout(), "CUDA {version} is there, from {place}: nothing to install")?,
        None => {
            let seconds = started.elapsed().as_secs_f64();
            writeln!(stdout(), "CUDA {version} is ready in {place} ({seconds:.0} s)")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The compiler that is there; else installs one, after saying so on standard error and while drawing how far it is.
/// For every command that compiles.
///
/// # Errors
/// As [`toolchain::install`].
pub fn toolchain() -> Result<Toolchain, toolchain::Error> {
    let mut drawing = Drawing::new();
    let found = toolchain::find_or_install(&mut |progress| drawing.show(progress));
    match &found {
        Ok(_) => drawing.finish(),
        Err(_) => drawing.abandon(),
    }
    found
}

/// Draws an installation on standard error: a bar for each step on a terminal, else a line for each.
struct Drawing {
    /// False without a terminal, or where cursor tricks are not wanted.
    tricks: bool,
    /// The step under way: a wheel, or unpacking. pip does one at a time.
    step: Option<(&'static str, ProgressBar)>,
}

impl Drawing {
    fn new() -> Self {
        let unwanted = env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || env::var_os("TERM").is_some_and(|v| v == "dumb");
        Self { tricks: stderr().is_terminal() && !unwanted, step: None }
    }

    fn show(&mut self, progress: Progress) {
        match progress {
            Progress::Plan { into, download, disk } => eprintln!(
                "The CUDA 13.0 compiler is not installed.\n\
                 Fetching NVIDIA's wheels into {} (one time, {}; {} on disk)",
                toolchain::shown(&into),
                megabytes(download),
                megabytes(disk)
            ),
            Progress::Waiting => {
                eprintln!("Another checker is installing the CUDA compiler; waiting for it")
            }
            Progress::Download { package, done, total } => self.advance(package, done, total),
            Progress::Unpack { done, total } => self.advance("unpacking", done, total),
        }
    }

    fn advance(&mut self, name: &'static str, done: u64, total: u64) {
        if self.step.as_ref().is_none_or(|(current, _)| *current != name) {
            self.finish();
            self.step = Some((name, self.bar(name, total)));
        }
        if let Some((_, bar)) = &self.step {
            bar.set_position(done);
        }
    }

    /// Completes the step under way: its last bytes may have come between two looks.
    fn finish(&mut self) {
        if let Some((_, bar)) = self.step.take() {
            bar.finish();
        }
    }

    /// Leaves a step that failed as it stands.
    fn abandon(&mut self) {
        if let Some((_, bar)) = self.step.take() {
            bar.abandon();
        }
    }

    fn bar(&self, name: &'static str, total: u64) -> ProgressBar {
        if !self.tricks {
            eprintln!("  {name:<20} {:>7}", megabytes(total));
            return ProgressBar::hidden();
        }
        let template = "  {msg:20} {bar:28} {decimal_bytes:>10} {elapsed:>5}";
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::new(total)
            .with_style(style.progress_chars("\u{2588}\u{2588}\u{2591}"))
            .with_message(name)
    }
}

/// Bytes for people: `0.1 MB`, `195 MB`.
pub(super) fn megabytes(bytes: u64) -> String {
    let value = bytes as f64 / 1e6;
    if value < 10.0 { format!("{value:.1} MB") } else { format!("{value:.0} MB") }
}
