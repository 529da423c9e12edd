//! `checker setup`: NVIDIA's compiler in a folder of the user's own. Also how any command gets a compiler.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::exit::Exit;
use crate::toolchain::{self, Progress, Toolchain};
use crate::watch::tricks_allowed;

/// Installs the compiler, or says which one is there.
pub fn run() -> anyhow::Result<Exit> {
    let there = toolchain::find();
    let toolchain = toolchain()?;
    let (version, place) = (&toolchain.version, toolchain.place());
    match there {
        Some(_) => say!("CUDA {version} is there already: {place}"),
        None => say!("CUDA {version} is installed: {place}"),
    }
    Ok(Exit::Passed)
}

/// The compiler that is there; else installs one, after saying so on stderr, with a bar.
///
/// # Errors
/// What stands in the way, and what to do about it.
pub fn toolchain() -> Result<Toolchain, toolchain::Error> {
    let mut screen = Screen { bar: None };
    let toolchain = toolchain::find_or_install(&mut |progress| screen.show(progress));
    screen.finish();
    toolchain
}

/// What an installation looks like: a bar for each wheel on a terminal, a line for each elsewhere.
struct Screen {
    bar: Option<(&'static str, ProgressBar)>,
}

impl Screen {
    fn show(&mut self, progress: Progress) {
        match progress {
            Progress::Plan { into, download, disk } => {
                let place = toolchain::shown(&into);
                eprintln!(
                    "The CUDA 13.0 compiler is not installed. Fetching NVIDIA's wheels into {place} (one time, {} to \
                     download, {} on disk)",
                    megabytes(download),
                    megabytes(disk)
                );
            }
            Progress::Waiting => eprintln!("Another checker is installing the compiler: waiting for it"),
            Progress::Download { package, done, total } => self.step(package, done, total),
            Progress::Unpack { done, total } => self.step("unpacking", done, total),
        }
    }

    fn step(&mut self, name: &'static str, done: u64, total: u64) {
        if self.bar.as_ref().is_none_or(|(shown, _)| *shown != name) {
            self.finish();
            self.bar = Some((name, bar(name, total)));
        }
        if let Some((_, bar)) = &self.bar {
            bar.set_length(total.max(done));
            bar.set_position(done);
        }
    }

    fn finish(&mut self) {
        if let Some((_, bar)) = self.bar.take() {
            bar.finish();
        }
    }
}

fn bar(name: &'static str, total: u64) -> ProgressBar {
    if !io::stderr().is_terminal() || !tricks_allowed() {
        eprintln!("  {name}  {}", megabytes(total));
        return ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(total).with_message(name);
    match ProgressStyle::with_template("  {msg:22} {bar:28}  {bytes} of {total_bytes}  {elapsed}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// "214 MB"
fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}
