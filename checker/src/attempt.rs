//! One check of one exercise, from the learner's file to the verdict. This is the whole pipeline.

mod case_run;
mod code;
mod error;
mod kernel;
mod needed_work;
mod prepared;
#[cfg(target_os = "linux")]
mod program;
#[cfg(not(target_os = "linux"))]
#[path = "attempt/no_program.rs"]
mod program;
mod resources;
mod second_call;
mod summary;
mod trials;

use std::path::Path;
use std::time::{Duration, Instant};

use crate::compile::Message;
use crate::engine::Engine;
use crate::source;
use crate::spec::{Case, Spec};
use crate::verdict::{Passed, Unreadable, Verdict};

pub use code::{CompiledCode, Purpose};
pub use error::Error;
pub(crate) use kernel::{compile_kernel, options};
pub use prepared::PreparedCase;
pub(crate) use program::CompiledProgram;
pub use resources::{Resources, on_card};
pub use trials::{Examination, Trial, TrialResult};
use trials::{Policy, run_trials};

/// The default seed of the inputs. It is public, so all learners see the same numbers.
pub const SEED: u64 = 7;

/// The bits of a seed that choose the order of blocks and warps on the simulator. All bits choose
/// the inputs.
const ORDER: u64 = 0xff;

/// A seed with the inputs of `seed` and with the order of [`SEED`].
///
/// Some mistakes, such as a missing barrier before the last warp's turn, exist in some orders only.
/// If the secret chose the order, it would decide whether a student passes.
pub const fn in_public_order(seed: u64) -> u64 {
    seed & !ORDER | SEED
}

/// Whether a seed comes from a secret: those that a learner would type are smaller.
const fn is_secret(seed: u64) -> bool {
    seed >> 32 != 0
}

/// Warp instructions after which the simulator stops a launch: a few seconds, and a thousand times
/// what an exercise needs.
pub const BUDGET: u64 = 20_000_000;

/// What to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Only the case with this name. The exercise cannot be passed then.
    pub case: Option<String>,
    /// Seed of the inputs and of the simulator's order of warps and blocks.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { case: None, seed: SEED }
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// What is wrong with the code, or that nothing is.
    pub verdict: Verdict,
    /// The source that was checked; empty when it could not be read.
    pub source: String,
    /// SHA-256 of the source.
    pub hash: String,
    /// The device whose output is shown: "simulator", "GPU: NVIDIA H200".
    pub device: String,
    /// Why the program ran on the simulator only, although there is a GPU.
    pub off_gpu: Option<String>,
    /// The GPU's verdict on the same case, where `verdict` is the simulator's.
    pub gpu: Option<SecondOpinion>,
    /// What the kernel printed in the case that the verdict is about, or in the last one of a pass.
    pub printed: Option<String>,
    /// The compiler's warnings about lines that the original file does not have.
    pub warnings: Vec<Message>,
    /// The seed used.
    pub seed: u64,
    /// Wall time of the check in milliseconds.
    pub millis: u64,
    /// True when all cases were selected: only then a pass counts.
    pub complete: bool,
}

/// The GPU's verdict beside the simulator's.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondOpinion {
    /// "GPU: NVIDIA H200".
    pub device: String,
    /// Its verdict on the case; `None` when the case looked right there.
    pub verdict: Option<Verdict>,
}

impl Attempt {
    /// An attempt without results so far.
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            verdict: Verdict::Passed(Passed::default()),
            source: String::new(),
            hash: String::new(),
            device: "simulator".into(),
            off_gpu: None,
            gpu: None,
            printed: None,
            warnings: vec![],
            seed: options.seed,
            millis: 0,
            complete: options.case.is_none(),
        }
    }

    /// True when all cases of the exercise are right and all its gates hold.
    pub fn passed(&self) -> bool {
        self.complete && matches!(self.verdict, Verdict::Passed(_))
    }
}

/// Checks the file at `path` as a solution of `spec`: runs the cases that `options` selects, with
/// public inputs, and stops at the first failure.
///
/// # Errors
/// When the check could not be made. Anything that is wrong with the learner's file is in the
/// verdict instead.
pub fn check(
    spec: &'static Spec,
    path: &Path,
    engine: &mut Engine,
    options: &Options,
) -> Result<Attempt, Error> {
    Ok(check_source(spec, source::read(path), engine, options)?.attempt)
}

/// As [`check`], for a source that is already read. The result also says what became of each case.
///
/// # Errors
/// As [`check`].
pub fn check_source(
    spec: &'static Spec,
    source: Result<String, Unreadable>,
    engine: &mut Engine,
    options: &Options,
) -> Result<Examination, Error> {
    let trials: Vec<Trial> = select(spec, options)?
        .into_iter()
        .map(|(case, _)| Trial { case, seed: options.seed, hidden: false })
        .collect();
    let policy = Policy {
        stop_at_failure: true,
        second_opinion: true,
        time_limit: Duration::MAX,
        keep_gpu_process: false,
    };
    let mut examination = run_trials(spec, source, &trials, policy, engine)?;
    examination.attempt.complete = options.case.is_none();
    Ok(examination)
}

/// Runs all `trials` on `source` for a grade, so a failure does not stop it. The first trial that
/// would start after `time_limit` of wall time, without the time in which the machine was too busy
/// for them, isn't right, and those after it are skipped.
///
/// # Errors
/// When the source could not be tried. Anything that is wrong with the source itself is in the
/// examination instead.
pub fn examine(
    spec: &'static Spec,
    source: Result<String, Unreadable>,
    trials: &[Trial],
    engine: &mut Engine,
    time_limit: Duration,
) -> Result<Examination, Error> {
    // Code that the simulator has found to be wrong does not run on the GPU, because many users may
    // share it.
    let policy = Policy {
        stop_at_failure: false,
        second_opinion: false,
        time_limit,
        keep_gpu_process: true,
    };
    run_trials(spec, source, trials, policy, engine)
}

/// The cases that `options` selects, with their index in the Spec.
pub(crate) fn select(
    spec: &'static Spec,
    options: &Options,
) -> Result<Vec<(usize, &'static Case)>, Error> {
    let selected = |case: &Case| options.case.as_deref().is_none_or(|name| name == case.name);
    let cases: Vec<_> = spec.cases.iter().enumerate().filter(|(_, case)| selected(case)).collect();
    match &options.case {
        Some(case) if cases.is_empty() => {
            let known: Vec<_> = spec.cases.iter().map(|case| format!("`{}`", case.name)).collect();
            Err(Error::NoSuchCase {
                exercise: spec.id,
                case: case.clone(),
                known: known.join(", "),
            })
        }
        _ => Ok(cases),
    }
}

/// Milliseconds of wall time since `start`.
pub(crate) fn millis_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}
