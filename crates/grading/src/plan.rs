//! Grading a class on many machines, with an existing job engine.
//!
//! A class is split into [shards](shard). Each is one command, `checker grade ... --shard 3/40`,
//! that any machine can run at any time and repeat. Records are written to a temporary name and
//! renamed, so a task that dies leaves only whole records; when it runs again, it skips unchanged
//! students. An engine needs to know nothing else. [`Plan::files`] makes the files for an engine,
//! and [`Plan::again`] those for the shards that a merge found incomplete.
//!
//! | engine | needs | how a lost task is repeated |
//! |---|---|---|
//! | [Slurm](slurm) | a folder that all nodes share | requeued when its node fails; the merge submits missing shards again |
//! | [GNU parallel](parallel) | one machine | tried twice; a second run repeats failed shards |
//! | [GitHub Actions](actions) | the class in a private repository | `gh run rerun --failed` |
//! | [Kubernetes](kubernetes) | a volume, an image with the checker | tried three times for each index |
//!
//! Scripts never contain a student's id, only shards and the instructor's own paths, quoted.

use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::text;

pub mod actions;
pub mod kubernetes;
pub mod parallel;
pub mod quote;
pub mod shard;
pub mod slurm;

/// The engine that runs the shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// A job array: see [`slurm`].
    Slurm,
    /// One machine: see [`parallel`].
    Parallel,
    /// A matrix: see [`actions`].
    Actions,
    /// An Indexed Job: see [`kubernetes`].
    Kubernetes,
}

impl Engine {
    /// All, in the order of the command line's help.
    pub const ALL: [Self; 4] = [Self::Slurm, Self::Parallel, Self::Actions, Self::Kubernetes];

    /// As on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Slurm => "slurm",
            Self::Parallel => "parallel",
            Self::Actions => "actions",
            Self::Kubernetes => "kubernetes",
        }
    }

    /// The maximum number of shards in one plan.
    pub const fn limit(self) -> u32 {
        match self {
            Self::Slurm => slurm::MAX_SHARDS,
            Self::Parallel => parallel::MAX_SHARDS,
            Self::Actions => actions::MAX_SHARDS,
            Self::Kubernetes => kubernetes::MAX_SHARDS,
        }
    }

    /// Shards for a class of this size: about five students in each, so that a lost one costs
    /// little (twenty if each machine has to be prepared first), but no more than one array, matrix
    /// or job can have.
    pub fn shards(self, students: usize) -> u32 {
        let each = if self == Self::Actions { 20 } else { 5 };
        shard::count(students, each, self.limit().min(1000))
    }
}

impl std::str::FromStr for Engine {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|engine| engine.as_str() == name);
        found.ok_or_else(|| Error::Engine(name.escape_debug().to_string()))
    }
}

/// A command line `checker grade`, in parts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// The checker: a path, or a name that is on `PATH` wherever the shards run.
    pub program: String,
    /// Folders, archives and files.
    pub submissions: Vec<String>,
    /// `--roster`.
    pub roster: Option<String>,
    /// `--policy`.
    pub policy: Option<String>,
    /// `--seed-file`.
    pub seed_file: Option<String>,
    /// `--out`: all shards write their records into one folder, where no two have the same student.
    pub out: String,
    /// Everything else, options only: `["--backend", "sim", "--sandbox=require"]`.
    pub options: Vec<String>,
}

/// What is graded, where, and with which resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The engine that runs it.
    pub engine: Engine,
    /// The command.
    pub grade: Grade,
    /// The folder that the command's paths are relative to, absolute.
    pub directory: String,
    /// Ids of all students who get a record: those with a submission, and those on the roster.
    pub students: Vec<String>,
    /// Parts of the class.
    pub shards: u32,
    /// `--jobs` of one shard, and as many processors.
    pub jobs: u32,
    /// The longest that one student may take with one job, in seconds of wall time.
    pub seconds_per_student: u32,
    /// Memory of one shard in MiB; `None` leaves it to the engine's default.
    pub memory_mib: Option<u32>,
    /// GPUs of one shard; 0 for the simulator.
    pub gpus: u32,
    /// Shards that run at the same time; `None` leaves it to the engine (GNU parallel: one).
    pub at_once: Option<u32>,
    /// Slurm's partition.
    pub partition: Option<String>,
    /// Slurm's account.
    pub account: Option<String>,
    /// A container's image that has the checker on its `PATH` (Kubernetes, and if given GitHub
    /// Actions).
    pub image: Option<String>,
}

/// A file of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Its name in `OUT/plan`.
    pub path: String,
    /// Its contents.
    pub contents: String,
    /// Whether it is a script (mode 0755).
    pub executable: bool,
}

/// The files of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// For `OUT/plan`.
    pub files: Vec<PlannedFile>,
    /// Instructions for the instructor, in lines.
    pub next: String,
}

impl Planned {
    /// Writes the files into `folder`, scripts with mode 0755.
    ///
    /// # Errors
    /// When a file or folder cannot be written.
    pub fn write_into(&self, folder: &Path) -> io::Result<()> {
        for file in &self.files {
            let path = folder.join(&file.path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(&path, &file.contents)?;
            #[cfg(unix)]
            if file.executable {
                use std::os::unix::fs::PermissionsExt as _;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
            }
        }
        Ok(())
    }
}

/// Why no plan could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No engine has that name.
    #[error("no engine is called `{0}`: slurm, parallel, actions or kubernetes")]
    Engine(String),
    /// An unknown setting, or an invalid value.
    #[error("`{0}` sets nothing in a plan: {SETTINGS}")]
    Setting(String),
    /// There is no student to grade.
    #[error("there is no student to plan for: name submissions or a roster")]
    NoStudents,
    /// More shards than the engine takes, or none.
    #[error("{engine} takes 1 to {most} shards, not {shards}: {why}")]
    Shards {
        /// Its name.
        engine: &'static str,
        /// The limit.
        most: u32,
        /// The requested number.
        shards: u32,
        /// The reason for the limit.
        why: &'static str,
    },
    /// A shard would take too long.
    #[error(
        "a shard may take {minutes} minutes, and {engine} ends one after {most}: plan more shards than {shards}, or more jobs for each"
    )]
    Long {
        /// Its name.
        engine: &'static str,
        /// The time limit of a shard.
        minutes: u32,
        /// The limit.
        most: u32,
        /// How many there are.
        shards: u32,
    },
    /// A path that cannot stand in a script or manifest.
    #[error("{what} `{shown}` cannot be in a plan for {engine}: {why}; rename it")]
    Text {
        /// The kind of path.
        what: &'static str,
        /// The text, escaped for a terminal.
        shown: String,
        /// The engine's name.
        engine: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A path that does not exist on the other machine.
    #[error(
        "{what} `{path}` lies outside `{directory}`, and {engine} only takes that folder along: move it there"
    )]
    Outside {
        /// The kind of path.
        what: &'static str,
        /// The path.
        path: String,
        /// The folder that it should be in.
        directory: String,
        /// The engine's name.
        engine: &'static str,
    },
    /// Something that the engine needs was not given.
    #[error("a plan for {engine} needs {what}")]
    Lacks {
        /// The engine's name.
        engine: &'static str,
        /// The missing setting, and how to give it.
        what: &'static str,
    },
}

/// The settings of [`Plan::set`].
pub const SETTINGS: &str = "write shards=N, jobs=N (of one shard), seconds=N (for one student), memory=MIB (of one shard), \
     gpus=N (of one shard), at-once=N (shards), partition=NAME, account=NAME or image=NAME";

impl Plan {
    /// A plan with the usual numbers for a class of this size.
    pub fn new(engine: Engine, directory: &str, grade: Grade, students: Vec<String>) -> Self {
        Self {
            engine,
            grade,
            directory: directory.into(),
            shards: engine.shards(students.len()),
            students,
            jobs: 2,
            seconds_per_student: 600,
            memory_mib: Some(4096),
            gpus: 0,
            at_once: None,
            partition: None,
            account: None,
            image: None,
        }
    }

    /// Changes a number or a name: "shards=40", "partition=gpu". [`SETTINGS`] lists them; the
    /// fields document their meaning.
    ///
    /// # Errors
    /// When the setting is unknown, or its value is not a number.
    pub fn set(&mut self, setting: &str) -> Result<(), Error> {
        let error = || Error::Setting(setting.escape_debug().to_string());
        let (name, value) = setting.split_once('=').ok_or_else(error)?;
        let number = || value.parse::<u32>().map_err(|_| error());
        let text = || Some(value.to_owned());
        match name {
            "shards" => self.shards = number()?,
            "jobs" => self.jobs = number()?,
            "seconds" => self.seconds_per_student = number()?,
            "memory" => self.memory_mib = Some(number()?),
            "gpus" => self.gpus = number()?,
            "at-once" => self.at_once = Some(number()?),
            "partition" => self.partition = text(),
            "account" => self.account = text(),
            "image" => self.image = text(),
            _ => return Err(error()),
        }
        Ok(())
    }

    /// The files for the whole class, including the plan itself (`plan.json`, which the merge
    /// reads).
    ///
    /// # Errors
    /// When the engine does not support the plan; [`Error`] says what to change.
    pub fn files(&self) -> Result<Planned, Error> {
        self.check()?;
        let mut planned = match self.engine {
            Engine::Slurm => slurm::files(self),
            Engine::Parallel => Ok(parallel::files(self)),
            Engine::Actions => actions::files(self),
            Engine::Kubernetes => kubernetes::files(self),
        }?;
        let json = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        planned.files.push(PlannedFile { path: PLAN.into(), contents: json, executable: false });
        Ok(planned)
    }

    /// The files that grade some shards again, in addition to those of [`Plan::files`], and in
    /// `next` the command that starts it. Both are empty if none of the shards exists. Unchanged
    /// students are skipped.
    ///
    /// # Errors
    /// As [`Plan::files`].
    pub fn again(&self, shards: &[u32]) -> Result<Planned, Error> {
        self.check()?;
        let mut shards: Vec<u32> =
            shards.iter().copied().filter(|n| (1..=self.shards).contains(n)).collect();
        shards.sort_unstable();
        shards.dedup();
        if shards.is_empty() {
            return Ok(Planned { files: vec![], next: String::new() });
        }
        match self.engine {
            Engine::Slurm => slurm::again(self, &shards),
            Engine::Parallel => Ok(parallel::again(self, &shards)),
            Engine::Actions => Ok(actions::again()),
            Engine::Kubernetes => Ok(kubernetes::again(self)),
        }
    }

    /// The shard that grades `student`.
    pub fn shard(&self, student: &str) -> shard::Shard {
        shard::Shard::of(student, self.shards)
    }

    /// The time limit of a shard in minutes: the students of the largest shard at the maximum time
    /// each, and five minutes to start. Slurm checks limits once a minute, so the checker's own
    /// limits for each case are more precise.
    pub fn minutes(&self) -> u32 {
        let students =
            u64::try_from(shard::largest(&self.students, self.shards)).unwrap_or(u64::MAX);
        let rounds = students.div_ceil(u64::from(self.jobs.max(1)));
        let seconds = rounds.saturating_mul(u64::from(self.seconds_per_student));
        u32::try_from(seconds.div_ceil(60)).unwrap_or(u32::MAX).saturating_add(5)
    }

    /// `OUT` as an absolute path.
    pub fn out(&self) -> String {
        join(&self.directory, &self.grade.out)
    }

    /// `OUT/plan`, where [`Plan::files`] go.
    pub fn folder(&self) -> String {
        join(&self.out(), "plan")
    }

    /// Checks the limits of every engine.
    fn check(&self) -> Result<(), Error> {
        let engine = self.engine.as_str();
        if self.students.is_empty() {
            return Err(Error::NoStudents);
        }
        let most = self.engine.limit();
        if !(1..=most).contains(&self.shards) {
            let why = match self.engine {
                Engine::Slurm => slurm::SHARD_LIMIT_REASON,
                Engine::Parallel => parallel::SHARD_LIMIT_REASON,
                Engine::Actions => actions::SHARD_LIMIT_REASON,
                Engine::Kubernetes => kubernetes::SHARD_LIMIT_REASON,
            };
            return Err(Error::Shards { engine, most, shards: self.shards, why });
        }
        for (what, text) in self.texts() {
            if !quote::is_one_line(text) {
                let why = "it has a line break or a control character";
                return Err(self.text(what, text, why));
            }
        }
        let names = [
            ("the partition", &self.partition),
            ("the account", &self.account),
            ("the image", &self.image),
        ];
        for (what, name) in names {
            if let Some(name) = name.as_deref().filter(|name| !quote::is_name(name)) {
                return Err(self.text(what, name, "it may have letters, digits and _.,:/@+- only"));
            }
        }
        Ok(())
    }

    /// All texts from the instructor that the plan's files repeat.
    fn texts(&self) -> Vec<(&'static str, &str)> {
        let grade = &self.grade;
        let mut texts = vec![
            ("the folder", self.directory.as_str()),
            ("the checker's path", &grade.program),
            ("the output's folder", &grade.out),
        ];
        texts.extend(grade.roster.as_deref().map(|path| ("the roster", path)));
        texts.extend(grade.policy.as_deref().map(|path| ("the policy", path)));
        texts.extend(grade.seed_file.as_deref().map(|path| ("the secret's file", path)));
        texts.extend(grade.submissions.iter().map(|path| ("the submission", path.as_str())));
        texts.extend(grade.options.iter().map(|option| ("the option", option.as_str())));
        texts
    }

    fn text(&self, what: &'static str, text: &str, why: &'static str) -> Error {
        let shown = text.escape_debug().to_string();
        Error::Text { what, shown, engine: self.engine.as_str(), why }
    }
}

/// The plan's own file in `OUT/plan`.
pub const PLAN: &str = "plan.json";

/// The parts of a command that differ between engines, as a shell reads them: quoted, or a
/// variable.
struct CommandPaths<'a> {
    out: &'a str,
    seed: &'a str,
    /// The value of `--shard=`.
    shard: &'a str,
}

impl Grade {
    /// The command for a shell.
    fn shell(&self, paths: &CommandPaths, jobs: u32) -> String {
        let mut words = vec![text::quote(&self.program), "grade".into()];
        let files = [("roster", &self.roster), ("policy", &self.policy)];
        for (name, path) in files {
            words.extend(path.as_deref().map(|path| format!("--{name}={}", text::quote(path))));
        }
        words.extend(self.seed_file.as_ref().map(|_| format!("--seed-file={}", paths.seed)));
        words.push(format!("--out={}", paths.out));
        words.push(format!("--jobs={}", jobs.max(1)));
        words.extend(self.options.iter().map(|option| text::quote(option)));
        words.push(format!("--shard={}", paths.shard));
        if !self.submissions.is_empty() {
            words.push("--".into());
        }
        words.extend(self.submissions.iter().map(|path| text::quote(path)));
        words.join(" ")
    }

    /// The command that merges the records in `from` into `out`, both already quoted.
    fn merge(&self, from: &str, out: &str) -> String {
        let roster = self.roster.as_deref().map(|path| format!(" --roster={}", text::quote(path)));
        let program = text::quote(&self.program);
        format!("{program} merge{} --out={out} -- {from}", roster.unwrap_or_default())
    }

    /// The command with its paths relative to `directory`.
    fn inside(&self, plan: &Plan) -> Result<Self, Error> {
        let one = |what, path: &String| inside(what, path, plan);
        let some = |what, path: &Option<String>| {
            path.as_ref().map(|path| inside(what, path, plan)).transpose()
        };
        let submissions = self.submissions.iter().map(|path| one("the submission", path));
        Ok(Self {
            submissions: submissions.collect::<Result<_, _>>()?,
            roster: some("the roster", &self.roster)?,
            policy: some("the policy", &self.policy)?,
            out: one("the output's folder", &self.out)?,
            ..self.clone()
        })
    }
}

/// `path` seen from `folder`.
fn join(folder: &str, path: &str) -> String {
    if path.starts_with('/') {
        path.into()
    } else {
        format!("{}/{path}", folder.trim_end_matches('/'))
    }
}

/// `path` relative to the plan's folder.
fn inside(what: &'static str, path: &str, plan: &Plan) -> Result<String, Error> {
    let parts = |path: &str| -> Option<Vec<String>> {
        let mut parts = vec![];
        for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
            match part {
                ".." => drop(parts.pop()?),
                part => parts.push(part.to_owned()),
            }
        }
        Some(parts)
    };
    let outside = || Error::Outside {
        what,
        path: path.into(),
        directory: plan.directory.clone(),
        engine: plan.engine.as_str(),
    };
    let folder = parts(&plan.directory).ok_or_else(outside)?;
    let path = parts(&join(&plan.directory, path)).ok_or_else(outside)?;
    let rest = path.strip_prefix(folder.as_slice()).ok_or_else(outside)?;
    Ok(if rest.is_empty() { ".".into() } else { rest.join("/") })
}

/// `shard.sh` and `merge.sh`, for engines whose machines share the folder; their other scripts call
/// these.
fn scripts(plan: &Plan) -> Vec<PlannedFile> {
    let count = plan.shards;
    let engine = plan.engine.as_str();
    let directory = text::quote(&plan.directory);
    let out = text::quote(&plan.grade.out);
    let paths = CommandPaths {
        out: &out,
        seed: &plan.grade.seed_file.as_deref().map(text::quote).unwrap_or_default(),
        shard: &format!("\"$1\"/{count}"),
    };
    let grade = plan.grade.shell(&paths, plan.jobs);
    let merge = plan.grade.merge(&out, &out);
    let shard = format!(
        "#!/bin/sh
# Grades one part of the class: sh shard.sh 1 .. sh shard.sh {count}
# Written by `checker grade --plan {engine}`. Run again, it skips what is graded and unchanged.
set -eu
case ${{1-}} in
'' | 0* | *[!0-9]*)
    echo 'shard.sh: which shard, from 1 to {count}?' >&2
    exit 2
    ;;
esac
cd -- {directory}
exec {grade}
"
    );
    let merge = format!(
        "#!/bin/sh
# Collects the records of all shards, lists who is missing, and writes the class's results.
# Written by `checker grade --plan {engine}`.
set -eu
cd -- {directory}
exec {merge}
"
    );
    vec![script("shard.sh", shard), script("merge.sh", merge)]
}

fn script(path: &str, contents: String) -> PlannedFile {
    PlannedFile { path: path.into(), contents, executable: true }
}

#[cfg(test)]
mod tests;
