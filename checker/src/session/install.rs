//! The CUDA compiler: the one that is installed, or else a new installation, drawn on standard
//! error.

use std::env;
use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};

use crate::console::{megabytes, wants_plain_text};
use crate::toolchain::{self, Compilers, Device, Progress};

/// Finds the compilers for this GPU or for none. When one is missing, announces the installation on
/// standard error, installs it, and draws its progress.
///
/// # Errors
/// As [`toolchain::find_or_install`].
pub fn find_or_install(device: Option<Device>) -> Result<Compilers, toolchain::Error> {
    let mut drawing = Drawing::new();
    let found = toolchain::find_or_install(device, &mut |progress| drawing.show(progress));
    match &found {
        Ok(_) => drawing.finish(),
        Err(_) => drawing.abandon(),
    }
    found
}

/// Draws an installation on standard error: a bar for each step on a terminal, otherwise a line for
/// each.
struct Drawing {
    /// False without a terminal, and where the environment asks for plain text.
    redraws: bool,
    /// The step under way: a wheel, or unpacking. pip does one at a time.
    step: Option<(&'static str, ProgressBar)>,
}

impl Drawing {
    fn new() -> Self {
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { redraws: stderr().is_terminal() && !dumb && !wants_plain_text(), step: None }
    }

    fn show(&mut self, progress: Progress) {
        match progress {
            Progress::Plan { release, into, download, disk } => eprintln!(
                "The CUDA {release} compiler is not installed.\n\
                 Downloading NVIDIA's wheels into {} (once, {}; {} on disk)",
                toolchain::display_path(&into),
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

    /// Fills the bar of the step under way, because its last bytes may have arrived after the last
    /// report.
    fn finish(&mut self) {
        if let Some((_, bar)) = self.step.take() {
            bar.finish();
        }
    }

    /// Leaves the bar of a failed step where it is.
    fn abandon(&mut self) {
        if let Some((_, bar)) = self.step.take() {
            bar.abandon();
        }
    }

    fn bar(&self, name: &'static str, total: u64) -> ProgressBar {
        if !self.redraws {
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
