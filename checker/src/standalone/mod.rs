//! Programs with a `main` of their own, which are no exercises: compiles them, runs them confined,
//! and says what is wrong with them, as data. `checker run` prints that, and the live book shows it
//! below a listing.

mod costs;
mod files;
mod findings;

use std::path::Path;
use std::time::Duration;

use anyhow::bail;

pub use self::costs::by_file;
pub use self::files::{Files, SourceFile};
pub use self::findings::findings;
use crate::compile::{Message, Outcome, Program, ProgramOptions, Severity, nvcc};
use crate::engine::Engine;
use crate::error::Usage;
use crate::exercises;
use crate::explain::{self, Context};
use crate::report::Report;
use crate::session;
use crate::text::sanitise;
use crate::worker::End;

/// Something to say about a program.
#[derive(Debug)]
pub enum Remark {
    /// A report with the file that it is about.
    Report(Box<Report>, SourceFile),
    /// One line without a report, which begins with `note: ` or `error: `.
    Line(String),
}

/// What compiling a program gave.
#[derive(Debug)]
pub enum Built {
    /// The program.
    Program(Box<Program>),
    /// Why the compiler rejected it.
    Rejected(Remark),
}

/// Compiles a program, whose first file has the text in `files`.
///
/// # Errors
/// When the compiler did not finish or cannot be used.
pub fn build(
    files: &Files,
    options: &ProgramOptions,
    engine: &mut Engine,
) -> anyhow::Result<Built> {
    let SourceFile { name: shown, text } = files.first();
    let name = Path::new(shown).file_name().unwrap_or_default().to_string_lossy();
    match engine.build(text, &name, options)? {
        Outcome::Compiled(program) => Ok(Built::Program(Box::new(program))),
        Outcome::Rejected(messages) => Ok(Built::Rejected(rejection(files, &messages))),
        Outcome::Stopped(what) => bail!("{shown}: {what}"),
        Outcome::Unavailable(why) => bail!("{why}"),
    }
}

/// What the program calls that the simulator does not have, as a sentence; `None` if it has
/// everything.
pub fn unsupported(files: &Files, program: &Program) -> Option<String> {
    let missing = program.missing.first()?;
    let shown = &files.first().name;
    if missing == nvcc::DEVICE_LAUNCH {
        return Some(format!(
            "{shown}: the simulator does not support kernels that launch kernels (dynamic \
             parallelism), which is correct CUDA; launch the next kernel from the host"
        ));
    }
    let place = place_of(files, missing).unwrap_or_else(|| shown.clone());
    let others = match program.missing.len() {
        1 => String::new(),
        n => format!(", nor {} more CUDA functions that this program calls", n - 1),
    };
    Some(format!("{place}: the simulator does not support {missing}{others}"))
}

/// The first place that names a function: `main.cu:7`.
fn place_of(files: &Files, name: &str) -> Option<String> {
    files.compiled().iter().find_map(|file| {
        let mut lines = (1..).zip(file.text.lines());
        let (line, _) = lines.find(|(_, line)| line.contains(name))?;
        Some(format!("{}:{line}", file.name))
    })
}

/// What to say about a program that the dynamic linker does not load, for this reason.
///
/// # Errors
/// When it has no `main`, or the reason is no mistake of the program's.
pub fn unloadable(why: &str, files: &Files) -> anyhow::Result<Remark> {
    if why.contains("undefined symbol: main") {
        bail!(Usage(no_main(files.first())));
    }
    let Some((_, symbol)) = why.rsplit_once("undefined symbol: ") else {
        bail!("the program cannot be loaded: {why}")
    };
    let symbol = symbol.split([' ', ',', ')']).next().unwrap_or(symbol);
    let called = explain::plain_symbol(symbol);
    let word = called.split(['(', '<']).next().unwrap_or(&called);
    let word = word.rsplit("::").next().unwrap_or(word);
    let named = |file: &&SourceFile| file.text.contains(word);
    let file = files.compiled().iter().find(named).unwrap_or(files.first());
    let report = explain::undefined_symbol(symbol, &context(&file.name, &file.text, 0));
    Ok(Remark::Report(Box::new(report), file.clone()))
}

/// What to do about a file without a `main`.
fn no_main(file: &SourceFile) -> String {
    let stem = Path::new(&file.name).file_stem().unwrap_or_default().to_string_lossy();
    let command = session::command();
    let exercise = exercises::all().iter().find(|spec| spec.id == stem);
    let help = match exercise {
        Some(spec) => format!("did you mean `{command} check {}`?", spec.id),
        None if file.text.contains(" Main(") => "its name is written in lower case".to_owned(),
        None => "a program needs one, which allocates memory and launches the kernel".to_owned(),
    };
    format!("{}: there is no main() here; {help}", file.name)
}

/// Warnings that are shown at most.
const SHOWN_WARNINGS: usize = 3;

/// The compiler's warnings about what has an effect, a line each. A variable that is never used is
/// no mistake.
pub fn warnings(files: &Files, warnings: &[Message]) -> Vec<String> {
    let relevant = |message: &&Message| {
        message.severity == Severity::Warning && message.line > 0 && !message.is_about_unused()
    };
    let mut lines: Vec<String> = vec![];
    for message in warnings.iter().filter(relevant) {
        let name = match &message.file {
            Some(path) => files.find(path).name,
            None => files.first().name.clone(),
        };
        let text = sanitise(&message.text);
        let line = format!("warning: {text} (line {} of {})", message.line, sanitise(&name));
        // nvcc compiles host and device code one after another, and says most things twice.
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if let more @ 1.. = lines.len().saturating_sub(SHOWN_WARNINGS) {
        lines.truncate(SHOWN_WARNINGS);
        lines.push(format!("warning: {more} more of the compiler's warnings are not shown"));
    }
    lines
}

/// Why there is no program.
fn rejection(files: &Files, messages: &[Message]) -> Remark {
    let first = messages.iter().find(|message| message.severity == Severity::Error);
    let path = first.and_then(|message| message.file.as_deref());
    let file = path.map_or_else(|| files.first().clone(), |path| files.find(path));
    // The other messages are only counted.
    let report = explain::not_compiled(messages, &context(&file.name, &file.text, 0));
    Remark::Report(Box::new(report), file)
}

/// What a confined program's end says, if it did not exit by itself: words that follow "the
/// program".
pub fn unusual_end(end: &End) -> Option<String> {
    let seconds = |limit: &Duration| limit.as_secs();
    match end {
        End::Exited(_) | End::NotStarted(_) => None,
        End::Signal(libc::SIGXFSZ) => Some("printed too much, so it was ended".to_owned()),
        End::Signal(libc::SIGSYS) => {
            Some("made a system call that the sandbox forbids, so it was ended".to_owned())
        }
        End::Signal(signal) => Some(format!("was ended by signal {signal}")),
        End::TimedOut(limit) => {
            Some(format!("did not end within {} seconds, so it was ended", seconds(limit)))
        }
        End::MemoryExceeded(bytes) => {
            Some(format!("used more than {} MiB of memory, so it was ended", bytes >> 20))
        }
        End::TooManyThreads(most) => {
            Some(format!("started more than {most} threads, so it was ended"))
        }
        End::Garbled(how) => Some(format!("has damaged its own process: {}", sanitise(how))),
    }
}

/// The context of a report about a program's file.
pub fn context<'a>(file: &'a str, source: &'a str, millis: u64) -> Context<'a> {
    let command = session::command();
    Context { file, source, device: "simulator", millis, printed: None, seed: 0, command }
}
