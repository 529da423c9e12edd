//! What the tests of the binary share: a workbook in a temporary folder, and commands that run in
//! it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A fresh workbook, written by `checker init`.
pub struct Workbook {
    temp: tempfile::TempDir,
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Workbook {
    pub fn new() -> Self {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let workbook = Self { temp };
        let ran = run(checker(workbook.temp.path()).args(["init", "book work"]));
        assert_eq!(ran.code, 0, "{ran:?}");
        workbook
    }

    pub fn root(&self) -> PathBuf {
        self.temp.path().join("book work")
    }

    /// An exercise of chapter 1.
    pub fn exercise(&self, name: &str) -> PathBuf {
        self.root().join("exercises/ch01_threads").join(format!("{name}.cu"))
    }

    pub fn progress(&self) -> PathBuf {
        self.root().join(".workbook/progress.txt")
    }

    /// Replaces an exercise of chapter 1 with its solution.
    pub fn solve(&self, name: &str) {
        self.solve_in("ch01_threads", name);
    }

    /// Replaces an exercise of any chapter with its solution.
    pub fn solve_in(&self, chapter: &str, name: &str) {
        let solution = self.run(&["solution", name, "--spoil"]).out;
        let file = self.root().join("exercises").join(chapter).join(format!("{name}.cu"));
        fs::write(file, solution).expect("writable");
    }

    /// Runs the checker in the workbook's folder.
    pub fn run(&self, args: &[&str]) -> Ran {
        run(checker(&self.root()).args(args))
    }
}

/// The built binary, without a terminal, and without variables of the environment that change what
/// it prints.
pub fn checker(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
    command.current_dir(folder).stdin(Stdio::null());
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CARGO");
    command
}

pub fn run(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().expect("the checker starts");
    Ran {
        code: status.code().unwrap_or(-1),
        out: String::from_utf8(stdout).expect("UTF-8"),
        err: String::from_utf8(stderr).expect("UTF-8"),
    }
}
