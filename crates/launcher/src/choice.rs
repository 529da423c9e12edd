//! Which build a command uses.

use std::ffi::OsString;

/// A build of the checker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// Without optimisation.
    Quick,
    /// With optimisation.
    Optimised,
}

impl Build {
    /// The name of cargo's profile and of its folder.
    pub const fn profile(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Optimised => "release",
        }
    }
}

/// What is there when a command begins.
#[derive(Debug, Default, Clone, Copy)]
pub struct State {
    /// The optimised build is being compiled in the background.
    pub is_compiling: bool,
    /// A build in the background has failed or was interrupted, unless one runs now.
    pub has_failed: bool,
    /// The optimised checker has been compiled.
    pub has_optimised: bool,
    /// The quick checker has been compiled.
    pub has_quick: bool,
    /// A service for continuous integration runs this command, so nothing may outlive it.
    pub is_ci: bool,
}

/// The build that a command uses, and what happens before it starts.
#[derive(Debug, PartialEq, Eq)]
pub struct Choice {
    /// The build that runs.
    pub build: Build,
    /// cargo compiles this build first, which takes no time if it's up to date.
    pub compile: bool,
    /// The command waits until the build in the background has compiled the checker, and then
    /// chooses again.
    pub waits: bool,
    /// The optimised build begins in the background.
    pub start_background: bool,
}

/// The commands that a learner needs for the first exercises and lessons. The quick build is fast
/// enough for them.
const OF_FIRST_EXERCISES: [&str; 14] = [
    "check", "doctor", "explain", "help", "hint", "init", "list", "profile", "reset", "run",
    "setup", "solution", "trace", "watch",
];

/// Chooses the build for a command.
pub fn choose(state: &State, arguments: &[OsString]) -> Choice {
    let command = arguments.iter().find(|argument| !argument.to_string_lossy().starts_with('-'));
    let is_early = command.is_none_or(|name| OF_FIRST_EXERCISES.iter().any(|early| name == *early));
    let optimised =
        Choice { build: Build::Optimised, compile: true, waits: false, start_background: false };
    if state.is_compiling {
        return match (state.has_optimised, is_early) {
            // only the tools are missing, and cargo would wait for them
            (true, _) => Choice { compile: false, ..optimised },
            (false, true) => Choice { build: Build::Quick, compile: !state.has_quick, ..optimised },
            (false, false) => Choice { compile: false, waits: true, ..optimised },
        };
    }
    if state.has_optimised || state.has_failed || state.is_ci || !is_early {
        return optimised;
    }
    Choice { build: Build::Quick, start_background: true, ..optimised }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW_CLONE: State = State {
        is_compiling: false,
        has_failed: false,
        has_optimised: false,
        has_quick: false,
        is_ci: false,
    };

    fn chosen(state: State, command: &str) -> Choice {
        choose(&state, &command.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    /// The first verdict doesn't wait for an optimised build.
    #[test]
    fn a_new_clone_begins_with_the_quick_build() {
        for command in ["", "check guard", "--backend=sim check guard", "watch"] {
            let choice = chosen(NEW_CLONE, command);
            assert_eq!((choice.build, choice.compile), (Build::Quick, true), "{command}");
            assert!(choice.start_background, "{command}");
        }
    }

    /// A class isn't graded by a program without optimisation.
    #[test]
    fn other_commands_compile_the_optimised_build() {
        for command in ["grade submissions", "book serve", "dev check", "bench stride"] {
            let choice = chosen(NEW_CLONE, command);
            assert_eq!((choice.build, choice.compile), (Build::Optimised, true), "{command}");
            let waiting = chosen(State { is_compiling: true, ..NEW_CLONE }, command);
            assert_eq!((waiting.build, waiting.waits), (Build::Optimised, true), "{command}");
        }
    }

    /// cargo lets only one build of a profile run, so a command that compiles would wait.
    #[test]
    fn nothing_is_compiled_beside_the_build_in_the_background() {
        let compiling =
            State { is_compiling: true, has_failed: true, has_quick: true, ..NEW_CLONE };
        let quick = chosen(compiling, "check guard");
        assert_eq!((quick.build, quick.compile), (Build::Quick, false));
        assert!(!quick.start_background);
        let optimised = chosen(State { has_optimised: true, ..compiling }, "check guard");
        assert_eq!((optimised.build, optimised.compile), (Build::Optimised, false));
    }

    /// After a failure, cargo compiles in the foreground and shows the reason.
    #[test]
    fn a_failed_build_is_repeated_in_the_foreground() {
        let failed = chosen(State { has_failed: true, has_quick: true, ..NEW_CLONE }, "");
        assert_eq!((failed.build, failed.compile), (Build::Optimised, true));
        assert!(!failed.start_background);
    }

    /// An update of the clone is compiled before the next command.
    #[test]
    fn later_commands_keep_the_optimised_build_up_to_date() {
        let later = chosen(State { has_optimised: true, has_quick: true, ..NEW_CLONE }, "check 1");
        assert_eq!((later.build, later.compile), (Build::Optimised, true));
    }

    /// Continuous integration ends the job's processes.
    #[test]
    fn nothing_runs_in_the_background_in_ci() {
        let choice = chosen(State { is_ci: true, ..NEW_CLONE }, "check 1");
        assert_eq!((choice.build, choice.start_background), (Build::Optimised, false));
    }
}
