//! What most commands start with: the workbook, the learner's progress in it, and an engine that
//! can compile.

mod install;
mod target;

use std::path::Path;
use std::{env, fs};

use anyhow::Context;

use crate::backend::Choice;
use crate::console;
use crate::engine::{Devices, Engine};
use crate::error::Usage;
use crate::exercises;
use crate::progress::{self, Progress, State};
use crate::spec::Spec;
use crate::workbook::Workbook;

pub use install::find_or_install;
pub use target::{Target, target};

/// The workbook around the current folder, and the learner's progress in it.
pub struct Session {
    /// The workbook's files.
    pub workbook: Workbook,
    /// Passes and hints recorded so far.
    pub progress: Progress,
    /// How the learner calls the checker: `checker`, `cargo checker` or `%checker`.
    pub command: &'static str,
}

impl Session {
    /// Finds the workbook and reads its progress. Lines of the progress file that cannot be read
    /// are warned about on standard error; they do not stop the command.
    ///
    /// # Errors
    /// When the current folder is not inside a workbook.
    pub fn open() -> anyhow::Result<Self> {
        let here = env::current_dir().context("the current folder cannot be found")?;
        let workbook = Workbook::find(&here).ok_or_else(|| {
            let init = format!("{} init cuda-workbook", command());
            let nearby = workbook_below(&here);
            let way_out = nearby.map_or_else(
                || format!("`cd` into your workbook, or write a new one with `{init}`"),
                |folder| format!("`cd {folder}` first, where your workbook is"),
            );
            Usage(format!("no workbook in this folder or above it: {way_out}"))
        })?;
        let (progress, damage) = Progress::load(&workbook.state());
        damage.iter().for_each(console::print_warning);
        Ok(Self { workbook, progress, command: command() })
    }

    /// The state of an exercise, given the file as it is now.
    pub fn state(&self, spec: &Spec) -> State {
        let contents = fs::read(self.workbook.exercise(spec)).ok();
        self.progress.state(spec.id, contents.map(|bytes| progress::hash(&bytes)).as_deref())
    }

    /// The first exercise that has not been passed.
    pub fn next_open(&self) -> Option<&'static Spec> {
        exercises::all().iter().copied().find(|spec| !self.progress.is_passed(spec.id))
    }

    /// The first open exercise after `spec`, or else the first open one of the course other than
    /// `spec`.
    pub fn next_after(&self, spec: &Spec) -> Option<&'static Spec> {
        let later =
            exercises::all().iter().copied().skip_while(|other| other.id != spec.id).skip(1);
        let mut open = later.filter(|other| !self.progress.is_passed(other.id));
        open.next().or_else(|| self.next_open().filter(|other| other.id != spec.id))
    }

    /// The number of exercises passed, and of all exercises.
    pub fn count(&self) -> (usize, usize) {
        let all = exercises::all();
        (all.iter().filter(|spec| self.progress.is_passed(spec.id)).count(), all.len())
    }

    /// Records that the file with this SHA-256 passed.
    pub fn record_pass(&mut self, spec: &Spec, hash: &str) {
        self.change(|progress| {
            progress.set_passed(spec.id, hash);
        });
    }

    /// Changes the progress and saves it. The file is read again first, because another checker may
    /// have written to it meanwhile. A workbook that cannot be written is warned about; the command
    /// goes on.
    pub fn change(&mut self, change: impl Fn(&mut Progress)) {
        let (mut fresh, _) = Progress::load(&self.workbook.state());
        let before = fresh.clone();
        change(&mut fresh);
        if fresh != before
            && let Err(error) = fresh.save()
        {
            console::print_warning(format_args!("progress was not saved: {error}"));
        }
        self.progress = fresh;
    }
}

/// An engine for this backend, with the compiler that its GPU takes. When none is found, one is
/// installed first.
///
/// # Errors
/// When there is no compiler and none can be installed.
pub fn engine(backend: impl Into<Choice>) -> anyhow::Result<Engine> {
    let devices = Devices::find(backend.into());
    let compilers = find_or_install(devices.gpu())?;
    Ok(devices.engine(compilers).announcing(|extra| {
        let size = console::megabytes(extra.download);
        eprintln!("Installing the headers of {} (once, {size})", extra.name);
    }))
}

/// The first folder in `here` that is a workbook.
fn workbook_below(here: &Path) -> Option<String> {
    let folders = fs::read_dir(here).ok()?.flatten().take(MOST_FOLDERS);
    let mut names: Vec<String> = folders
        .filter(|folder| Workbook::find(&folder.path()).is_some_and(|w| w.root() == folder.path()))
        .filter_map(|folder| folder.file_name().into_string().ok())
        .collect();
    names.sort();
    names.into_iter().next()
}

/// Entries of a folder that are searched for a workbook.
const MOST_FOLDERS: usize = 1000;

/// How a cell of a notebook calls the checker.
pub const IN_NOTEBOOK: &str = "%checker";

/// How the learner calls the checker: `%checker` in a notebook, `cargo checker` when cargo started
/// this process, or when this binary was built in the checkout that the command runs in, else
/// `checker`.
pub fn command() -> &'static str {
    // The extension of notebooks sets this variable, so that learners can copy the commands of
    // reports into a cell.
    if env::var_os("CUDA_WORKBOOK_NOTEBOOK").is_some() {
        return IN_NOTEBOOK;
    }
    let in_checkout = || Some(is_in_checkout(&env::current_exe().ok()?, &env::current_dir().ok()?));
    if env::var_os("CARGO").is_some() || in_checkout().unwrap_or(false) {
        "cargo checker"
    } else {
        "checker"
    }
}

/// Whether cargo's alias `checker` works in `folder` and runs `exe`. The alias stands in the
/// checkout's `.cargo/config.toml`, so it works nowhere else.
fn is_in_checkout(exe: &Path, folder: &Path) -> bool {
    let checkout = folder.ancestors().find(|folder| folder.join(".cargo/config.toml").is_file());
    checkout.is_some_and(|checkout| exe.starts_with(checkout.join("target")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workbook that `init` made elsewhere has no alias, although the binary still lies in the
    /// build folder of a checkout.
    #[test]
    fn the_alias_of_cargo_works_in_its_checkout_only() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let (checkout, elsewhere) = (temp.path().join("clone"), temp.path().join("workbook"));
        for folder in [checkout.join(".cargo"), checkout.join("exercises"), elsewhere.clone()] {
            fs::create_dir_all(folder).expect("writable");
        }
        fs::write(checkout.join(".cargo/config.toml"), "").expect("writable");
        let built = checkout.join("target/release/checker");
        assert!(is_in_checkout(&built, &checkout));
        assert!(is_in_checkout(&built, &checkout.join("exercises")));
        assert!(!is_in_checkout(&built, &elsewhere));
        assert!(!is_in_checkout(Path::new("/usr/bin/checker"), &checkout));
        // A configuration in the home folder is no checkout.
        assert!(!is_in_checkout(&checkout.join(".cargo/bin/checker"), &checkout));
    }
}
