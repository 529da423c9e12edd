//! Lines on standard output and standard error, as every command writes them.

use std::fmt::{Arguments, Display};
use std::io::Write as _;
use std::time::Duration;

use colored::Colorize;
use indicatif::{ProgressBar, ProgressStyle};

/// Prints a line to standard output. A closed pipe (`checker list | head`) is neither an error nor
/// a panic.
#[macro_export]
macro_rules! say {
    () => { $crate::console::print_line(format_args!("")) };
    ($($arg:tt)*) => { $crate::console::print_line(format_args!($($arg)*)) };
}

/// What `say!` calls.
pub fn print_line(text: Arguments) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints a warning to standard error.
pub fn print_warning(text: impl Display) {
    eprintln!("{}: {text}", "warning".yellow().bold());
}

/// Prints an error to standard error, followed by those of its causes that its text does not
/// contain already.
pub fn print_error(error: &anyhow::Error) {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    eprintln!("{}: {text}", "error".red().bold());
}

/// A progress bar on standard error; indicatif draws nothing where standard error is not a
/// terminal.
pub fn progress_bar(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template("  {bar:28} {pos}/{len}  {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Whether `NO_COLOR` (no-color.org) asks for plain text: then nothing is cleared or redrawn
/// either.
pub fn wants_plain_text() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// A number of bytes in decimal megabytes: `0.1 MB`, `195 MB`.
pub fn megabytes(bytes: u64) -> String {
    let value = bytes as f64 / 1e6;
    if value < 10.0 { format!("{value:.1} MB") } else { format!("{value:.0} MB") }
}
