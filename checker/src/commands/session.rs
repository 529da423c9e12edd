//! What most commands share: the workbook, the progress in it, and how the learner calls the checker.

use std::{env, fs};

use anyhow::Context;
use colored::Colorize;

use super::{Usage, setup};
use crate::attempt::{self, Attempt};
use crate::backend::Choice;
use crate::cli;
use crate::engine::Engine;
use crate::exercises::{self, Chapter};
use crate::progress::{self, Progress, State};
use crate::spec::Spec;
use crate::workbook::Workbook;

/// The workbook around the current folder, and what is done in it.
pub struct Session {
    /// Where the files are.
    pub workbook: Workbook,
    /// What is done.
    pub progress: Progress,
    /// How the learner calls the checker: `checker` or `cargo checker`.
    pub command: &'static str,
}

impl Session {
    /// Finds the workbook and reads its progress; damage in it is told on stderr and stops nothing.
    pub fn open() -> anyhow::Result<Self> {
        let here = env::current_dir().context("the current folder cannot be found")?;
        let workbook = Workbook::find(&here).ok_or_else(|| {
            let init = format!("{} init cuda-workbook", command());
            Usage(format!("no workbook in this folder or above it: `{init}` writes a new one"))
        })?;
        let (progress, damage) = Progress::load(&workbook.state());
        for damage in damage {
            eprintln!("{}: {damage}", "warning".yellow().bold());
        }
        Ok(Self { workbook, progress, command: command() })
    }

    /// How an exercise stands.
    pub fn state(&self, spec: &Spec) -> State {
        let contents = fs::read(self.workbook.exercise(spec)).ok();
        self.progress.state(spec.id, contents.map(|bytes| progress::hash(&bytes)).as_deref())
    }

    /// The first exercise that has not been passed.
    pub fn next_open(&self) -> Option<&'static Spec> {
        exercises::all().iter().copied().find(|spec| !self.progress.is_passed(spec.id))
    }

    /// The first open exercise after `spec`, or else the first open one.
    pub fn next_after(&self, spec: &Spec) -> Option<&'static Spec> {
        let later =
            exercises::all().iter().copied().skip_while(|other| other.id != spec.id).skip(1);
        let mut open = later.filter(|other| !self.progress.is_passed(other.id));
        open.next().or_else(|| self.next_open().filter(|other| other.id != spec.id))
    }

    /// Exercises passed, of how many.
    pub fn count(&self) -> (usize, usize) {
        let all = exercises::all();
        (all.iter().filter(|spec| self.progress.is_passed(spec.id)).count(), all.len())
    }

    /// Records a pass. True when it is news.
    pub fn record(&mut self, spec: &Spec, attempt: &Attempt) -> bool {
        if !attempt.passed() {
            return false;
        }
        let news = !self.progress.is_passed(spec.id);
        self.change(|progress| {
            progress.set_passed(spec.id, &attempt.hash);
        });
        news
    }

    /// Changes the progress and saves it, on top of what other checkers wrote meanwhile. A workbook that cannot be
    /// written is told, and stops nothing.
    pub fn change(&mut self, change: impl Fn(&mut Progress)) {
        let (mut fresh, _) = Progress::load(&self.workbook.state());
        let before = fresh.clone();
        change(&mut fresh);
        if fresh != before
            && let Err(error) = fresh.save()
        {
            eprintln!("{}: progress was not saved: {error}", "warning".yellow().bold());
        }
        self.progress = fresh;
    }
}

/// An engine, with a compiler installed first when there is none.
pub fn engine(backend: impl Into<Choice>) -> anyhow::Result<Engine> {
    Ok(Engine::new(setup::toolchain()?, backend.into()))
}

/// The options of a check, from the command line.
pub fn options(run: &cli::Run) -> attempt::Options {
    attempt::Options { case: run.case.clone(), seed: run.seed.unwrap_or(attempt::SEED) }
}

/// What a word on the command line names.
pub enum Target {
    /// One exercise.
    Exercise(&'static Spec),
    /// A whole chapter.
    Chapter(&'static Chapter),
}

/// An exercise by its name, or a chapter as `ch01_threads`, `ch01` or `1`.
pub fn target(word: &str) -> anyhow::Result<Target> {
    let number = word.trim_start_matches("ch").parse::<u32>().ok();
    let chapter = exercises::chapters()
        .iter()
        .find(|chapter| chapter.id == word || number == Some(chapter.number));
    match chapter {
        Some(chapter) => Ok(Target::Chapter(chapter)),
        None => Ok(Target::Exercise(exercises::find(word)?)),
    }
}

/// `cargo checker` when cargo started this process or built this binary in place, else `checker`.
pub fn command() -> &'static str {
    let in_target = || {
        let exe = env::current_exe().ok()?;
        let target = exe.parent()?.parent()?;
        Some(target.join("CACHEDIR.TAG").is_file() && target.file_name()? == "target")
    };
    if env::var_os("CARGO").is_some() || in_target().unwrap_or(false) {
        "cargo checker"
    } else {
        "checker"
    }
}
