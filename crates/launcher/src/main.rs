//! `cargo checker`: compiles the checker and starts it.
//!
//! The optimised build takes minutes. So the first command in a new clone compiles the profile
//! `quick` (Cargo.toml), which optimises nothing and takes less than half of the time, and starts
//! the optimised build in the background. The commands of the first exercises use the quick build
//! until the optimised one is there.

mod choice;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Error, Result};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs};

use choice::{Build, State};

/// The root of the clone.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// How often a command that waits for the build in the background looks whether it's done.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// The argument with which this program compiles the optimised build in the background.
const IN_BACKGROUND: &str = "--compile-in-background";

fn main() -> ExitCode {
    let run = || {
        let target = Target::of_this_program()?;
        if env::args_os().nth(1).is_some_and(|argument| argument == IN_BACKGROUND) {
            return target.compile_in_background();
        }
        target.launch(env::args_os().skip(1).collect())
    };
    run().unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

/// The folder in which cargo puts the programs of this clone.
struct Target(PathBuf);

impl Target {
    fn of_this_program() -> Result<Self> {
        let program = env::current_exe()?;
        let folder = program.ancestors().nth(2);
        let folder = folder.ok_or_else(|| Error::other("cargo didn't compile this program"))?;
        Ok(Self(folder.to_owned()))
    }

    fn checker(&self, build: Build) -> PathBuf {
        self.0.join(build.profile()).join(format!("checker{}", env::consts::EXE_SUFFIX))
    }

    /// The output of the build in the background. The file is there while that build runs, and
    /// after it has failed.
    fn log(&self) -> PathBuf {
        self.0.join("optimised-build.log")
    }

    /// The file that the build in the background keeps locked. The log is created and removed
    /// under this lock.
    fn lock(&self) -> Result<File> {
        File::create(self.0.join("optimised-build.lock"))
    }

    fn state(&self) -> Result<State> {
        // kept until the log has been looked for: without a build, the log is that of a failed one
        let lock = self.lock()?;
        Ok(State {
            is_compiling: lock.try_lock_shared().is_err(),
            has_failed: self.log().is_file(),
            has_optimised: self.checker(Build::Optimised).is_file(),
            has_quick: self.checker(Build::Quick).is_file(),
            is_ci: env::var_os("CI").is_some(),
        })
    }

    /// Compiles the build that suits the command, and starts it.
    fn launch(&self, arguments: Vec<OsString>) -> Result<ExitCode> {
        let mut choice = choice::choose(&self.state()?, &arguments);
        if choice.waits {
            eprintln!(
                "This command waits until the optimised checker has been compiled in the background, which takes \
                 a few minutes. Other commands, such as `cargo checker check`, work meanwhile."
            );
        }
        while choice.waits {
            sleep(BETWEEN_LOOKS);
            choice = choice::choose(&self.state()?, &arguments);
        }
        if choice.compile {
            self.compile(choice.build)?;
        }
        if choice.start_background && self.start_background()? {
            eprintln!(
                "The optimised checker is now compiled in the background, which takes a few minutes (its output is \
                 in target/optimised-build.log). Until it's done, large exercises take longer.\n"
            );
        }
        let mut checker = Command::new(self.checker(choice.build));
        start(checker.args(arguments))
    }

    /// Compiles in the foreground. A first compilation shows its progress.
    fn compile(&self, build: Build) -> Result<()> {
        let quiet = self.checker(build).is_file().then_some("--quiet");
        let status =
            self.cargo(build).args(quiet).args(["--package", "checker", "--bins"]).status()?;
        if status.success() {
            Ok(())
        } else {
            Err(Error::other("cargo could not compile the checker"))
        }
    }

    fn cargo(&self, build: Build) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .current_dir(ROOT)
            .args(["build", "--profile", build.profile(), "--target-dir"])
            .arg(&self.0);
        cargo
    }

    /// Starts this program once more, with the locked file as its standard input, so the lock lasts
    /// as long as that process. It outlives this process, and Ctrl-C doesn't reach it. Returns
    /// whether it was started, and not by another command before.
    fn start_background(&self) -> Result<bool> {
        let lock = self.lock()?;
        if lock.try_lock().is_err() {
            return Ok(false);
        }
        let log = File::create(self.log())?;
        let program = env::current_exe()?;
        // the learner's own commands go first
        let mut command = match Command::new("nice").arg("true").stdout(Stdio::null()).status() {
            Ok(status) if status.success() => {
                let mut command = Command::new("nice");
                command.args(["-n", "19"]).arg(program);
                command
            }
            _ => Command::new(program),
        };
        command.arg(IN_BACKGROUND).stdin(lock).stdout(log.try_clone()?).stderr(log);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()?;
        Ok(true)
    }

    /// Compiles the optimised programs, the tools for the book among them. This process's standard
    /// input is the locked file, which cargo doesn't get.
    fn compile_in_background(&self) -> Result<ExitCode> {
        let mut cargo = self.cargo(Build::Optimised);
        let status = cargo
            .args(["--package", "checker", "--package", "checker-tools", "--bins"])
            .stdin(Stdio::null())
            .status()?;
        if !status.success() {
            return Ok(ExitCode::FAILURE);
        }
        fs::remove_file(self.log())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Runs the program in place of this process where that's possible.
fn start(program: &mut Command) -> Result<ExitCode> {
    #[cfg(unix)]
    {
        Err(std::os::unix::process::CommandExt::exec(program))
    }
    #[cfg(not(unix))]
    {
        let code = program.status()?.code().and_then(|code| u8::try_from(code).ok());
        Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
    }
}
