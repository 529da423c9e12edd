//! One check of one exercise, from the learner's file to the verdict. This is the whole pipeline.

mod code;
mod examine;
mod facts;
mod kernel;
#[cfg(target_os = "linux")]
mod program;
#[cfg(not(target_os = "linux"))]
#[path = "attempt/no_program.rs"]
mod program;

use std::path::Path;
use std::time::Instant;

use crate::backend::{Choice, Fault, NoGpu, Run};
use crate::diagnostic::Slug;
use crate::engine::Engine;
use crate::spec::{Case, Spec};
use crate::verdict::{Passed, Verdict};
use crate::worker;
use crate::{judge, progress, source};

pub(crate) use code::{Code, Ready};
pub use examine::{Examination, Trial, Tried, examine};
use facts::Facts;
pub(crate) use kernel::{module, options};

/// Seed of the inputs where none is given: public, so that everyone sees the same numbers.
pub const SEED: u64 = 7;

/// Warp instructions after which the simulator gives a launch up: a few seconds, and a thousand times what an exercise
/// needs.
pub const BUDGET: u64 = 20_000_000;

/// What a check is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Only the case of this name; then nothing counts as passed.
    pub case: Option<String>,
    /// Seed of the inputs and of the simulator's order of warps and blocks.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { case: None, seed: SEED }
    }
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The conclusion.
    pub verdict: Verdict,
    /// The source that was checked; empty when it could not be read.
    pub source: String,
    /// SHA-256 of the source.
    pub hash: String,
    /// Who ran it: "simulator", "GPU: NVIDIA H200".
    pub device: String,
    /// What the GPU concluded about the same case, where the verdict is the simulator's.
    pub gpu: Option<SecondOpinion>,
    /// What the kernel printed in the last case that ran.
    pub printed: Option<String>,
    /// The seed used.
    pub seed: u64,
    /// Wall time of the check in milliseconds.
    pub millis: u64,
    /// True when every case was asked for: only then a pass counts.
    pub complete: bool,
}

/// The GPU's side where the simulator gives the verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondOpinion {
    /// "GPU: NVIDIA H200".
    pub device: String,
    /// Its verdict on the case; `None` when the case looked right there.
    pub verdict: Option<Verdict>,
}

/// Why a check could not be made. Never about the learner's code.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The exercise has no such case.
    #[error("{exercise} has no case `{case}`: it has {known}")]
    NoSuchCase {
        /// The exercise.
        exercise: &'static str,
        /// What was asked for.
        case: String,
        /// The cases that there are.
        known: String,
    },
    /// The launch has no such thread.
    #[error("there is no {what} {asked} in case `{case}`: {what}s go from {first} to {last}")]
    NoSuchThread {
        /// "block" or "thread".
        what: &'static str,
        /// As asked for.
        asked: String,
        /// The case's name.
        case: String,
        /// The first of its kind.
        first: String,
        /// The last of its kind.
        last: String,
    },
    /// A GPU was asked for.
    #[error("no GPU to run on: {0}")]
    NoGpu(NoGpu),
    /// The worker could not be used.
    #[error(transparent)]
    Worker(#[from] worker::Error),
    /// The compiler could not be used.
    #[error("the CUDA compiler cannot be used: {0}; `checker doctor` looks for the cause")]
    Compiler(String),
    /// The compiler's own output could not be read.
    #[error("a bug in the checker, not in your code: the compiled kernel cannot be read: {0}")]
    Ptx(ptxsim::Error),
    /// A program launches its kernels itself.
    #[error(
        "`trace` follows a thread of a launch that the exercise makes; {0} makes its own: `checker profile {0}` counts what its kernels do"
    )]
    NoTrace(&'static str),
    /// A compiled program could not be read.
    #[cfg(target_os = "linux")]
    #[error("a bug in the checker, not in your code: {0}")]
    Program(#[from] crate::program::entry::Error),
    /// Host code runs on Linux only.
    #[error("exercises with host code run on Linux only; on Windows, use WSL")]
    NoPrograms,
    /// A launch came back with neither counts nor a fault, or an exercise has no cases.
    #[error("a bug in the checker, not in your code: nothing was run")]
    Nothing,
}

impl Attempt {
    /// An attempt that has not come to anything yet.
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            verdict: Verdict::Passed(Passed::default()),
            source: String::new(),
            hash: String::new(),
            device: "simulator".into(),
            gpu: None,
            printed: None,
            seed: options.seed,
            millis: 0,
            complete: options.case.is_none(),
        }
    }

    /// True when every case and gate of the exercise held.
    pub fn passed(&self) -> bool {
        self.complete && matches!(self.verdict, Verdict::Passed(_))
    }
}

/// Checks the file at `path` as a solution of `spec`. The first case that fails decides.
///
/// # Errors
/// When the check could not be made; whatever is wrong with the learner's file is in the verdict.
pub fn check(
    spec: &'static Spec,
    path: &Path,
    engine: &mut Engine,
    options: &Options,
) -> Result<Attempt, Error> {
    let started = Instant::now();
    let cases = select(spec, options)?;
    let mut attempt = Attempt::new(options);
    attempt.verdict = match source::read(path) {
        Ok(source) => {
            attempt.hash = progress::hash(source.as_bytes());
            attempt.source = source;
            conclude(spec, &cases, engine, &mut attempt)?
        }
        Err(unreadable) => Verdict::UnreadableSource(unreadable),
    };
    attempt.millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(attempt)
}

/// The cases asked for, with their index in the Spec.
pub(crate) fn select(
    spec: &'static Spec,
    options: &Options,
) -> Result<Vec<(usize, &'static Case)>, Error> {
    let wanted = |case: &Case| options.case.as_deref().is_none_or(|name| name == case.name);
    let cases: Vec<_> = spec.cases.iter().enumerate().filter(|(_, case)| wanted(case)).collect();
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

/// Compile, match the parameters, run and judge every case, then the gates.
fn conclude(
    spec: &'static Spec,
    cases: &[(usize, &'static Case)],
    engine: &mut Engine,
    attempt: &mut Attempt,
) -> Result<Verdict, Error> {
    let on_gpu = engine.uses_gpu().map_err(Error::NoGpu)?;
    let wanted = cases.iter().map(|(_, case)| *case);
    let mut code = match Code::compile(spec, wanted, &attempt.source, on_gpu, engine)? {
        Ok(code) => code,
        Err(verdict) => return Ok(verdict),
    };
    let mut facts = Facts::default();
    for &(index, case) in cases {
        let ready = Ready::new(spec, (index, case), attempt.seed);
        let gpu = if on_gpu { OnGpu::Always } else { OnGpu::Never };
        let seen = Seen::of(spec, index, &ready, &mut code, gpu, engine)?;
        attempt.device = seen.device;
        attempt.printed = seen.printed;
        attempt.gpu = seen.gpu;
        if let Some(verdict) = seen.verdict {
            // the count that was missed on less data is why more of it takes too long
            if verdict.slug() == Slug::NeverFinishes && facts.missed() {
                break;
            }
            return Ok(judge::not_started(verdict, index, &attempt.source));
        }
        facts.add(spec, (index, case), &ready.inputs, &seen.run);
    }
    Ok(facts.verdict())
}

/// What one case came to.
struct Seen {
    /// `None` when it is right.
    verdict: Option<Verdict>,
    /// The simulator's run, with its counts.
    run: Run,
    /// Who ran it.
    device: String,
    printed: Option<String>,
    gpu: Option<SecondOpinion>,
}

/// When the GPU is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnGpu {
    Never,
    /// Where it may decide: not where the simulator has named a mistake.
    ToDecide,
    /// Also then, for its opinion.
    Always,
}

impl Seen {
    /// Runs a case on the simulator, and on the GPU where there is one, and judges it.
    ///
    /// One verdict comes from two. The simulator's comes first, because it names the cause; what the GPU said is kept beside
    /// it. Where the simulator lacks a feature, the GPU alone decides.
    fn of(
        spec: &'static Spec,
        index: usize,
        ready: &Ready,
        code: &mut Code,
        gpu: OnGpu,
        engine: &mut Engine,
    ) -> Result<Self, Error> {
        let run = code.run(Choice::Sim, spec, ready, engine)?;
        let simulated = judge::case(spec, index, &ready.inputs, &run);
        let named = simulated.as_ref().is_some_and(|verdict| !is_unsupported(verdict));
        let on_device = match gpu {
            OnGpu::Never => None,
            OnGpu::ToDecide if named => None,
            OnGpu::ToDecide | OnGpu::Always => Some(on_gpu(spec, index, ready, code, engine)?),
        };
        let told = on_device.as_ref().map_or(&run, |(run, _)| run);
        let device = told.device.clone();
        let printed = Some(told.printed.clone()).filter(|text| !text.is_empty());
        let (verdict, gpu) = match (on_device, simulated) {
            (None, simulated) => (simulated, None),
            (Some((_, seen)), Some(verdict)) if named => {
                (Some(verdict), Some(SecondOpinion { device: device.clone(), verdict: seen }))
            }
            (Some((_, seen)), _) => (seen, None),
        };
        Ok(Self { verdict, run, device, printed, gpu })
    }
}

/// Runs a case on the GPU and judges it. What a program left behind in an earlier case is never held against it: what is wrong
/// in a process that served one is run again in a new one, and that counts.
fn on_gpu(
    spec: &'static Spec,
    index: usize,
    ready: &Ready,
    code: &mut Code,
    engine: &mut Engine,
) -> Result<(Run, Option<Verdict>), Error> {
    loop {
        let run = code.run(Choice::Gpu, spec, ready, engine)?;
        let verdict = judge::case(spec, index, &ready.inputs, &run);
        if verdict.is_none() || !code.retire() {
            return Ok((run, verdict));
        }
    }
}

fn is_unsupported(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Fault { fault: Fault::Unsupported { .. }, .. })
}
