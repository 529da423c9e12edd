//! A class in a temporary folder, graded by the real program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use grading::record::{Record, Status};

/// A folder of submissions, and where their grades go.
pub struct Class {
    pub folder: tempfile::TempDir,
}

impl Class {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// Copies a program into the class's folder, where a test can start it.
    ///
    /// Another process copies it. If this one did, a child that another test starts at the same
    /// time could inherit the open file, and the system starts no program that is open for writing.
    pub fn copy_program(&self, from: &Path, name: &str) {
        let to = self.path(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let copied = Command::new("cp").arg(from).arg(to).status().unwrap();
        assert!(copied.success());
    }

    /// Submits solutions for a student.
    pub fn submit_solutions(&self, student: &str, exercises: &[&str]) {
        for exercise in exercises {
            let text =
                fs::read(repository().join("solutions").join(format!("{exercise}.cu"))).unwrap();
            self.write(&format!("submissions/{student}/exercises/{exercise}.cu"), text);
        }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_checker-tools"));
        command.current_dir(self.folder.path()).env("NO_COLOR", "1").args(arguments);
        command
    }

    pub fn grade(&self, more: &[&str]) -> (i32, String, String) {
        let output =
            self.command(&[&["grade", "submissions", "--out", "out"], more].concat()).output();
        exit_and_output(&output.unwrap())
    }

    pub fn record(&self, student: &str) -> Record {
        let text = fs::read(self.path(&format!("out/records/{student}.json"))).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

pub fn exit_and_output(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A policy that asks for two short exercises.
pub const TWO: &str = "exercises = [\"add_one\", \"guard\"]\n";

pub fn status(record: &Record, exercise: &str) -> Status {
    record.exercises.iter().find(|one| one.id == exercise).unwrap().status
}
