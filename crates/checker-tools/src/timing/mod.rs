//! Times sources on a real GPU, with large cases and beside what the card can do at best.
//!
//! Nothing that a source keeps makes it faster: each timed launch of a kernel starts from the same
//! memory and a newly loaded module (`runner`, `backend/gpu/timed.rs`), and each timed call of a
//! program happens in a process of its own, after a call with other inputs. What is timed is also
//! compared with the reference.

mod libraries;
mod limits;
mod sample;

use anyhow::{Context, bail, ensure};

use checker::attempt::{CompiledCode, PreparedCase, Purpose};
use checker::backend::{Call, Choice, Clock, Run};
use checker::compile::{Outcome, ProgramOptions, Target};
use checker::diagnostic::Slug;
use checker::engine::{Engine, LAUNCH_TIME_LIMIT};
use checker::judge;
use checker::spec::{Role, Spec};
use checker::value::Value;
use checker::verdict::Verdict;

pub use libraries::Library;
pub use limits::Limits;
pub use sample::Sample;

/// Timed launches of a kernel with warm caches, and as many with cold ones.
const LAUNCHES: u32 = 9;
/// Timed calls of a program, each in a process of its own.
const CALLS: usize = 5;
/// Code that is appended to a program's source and times its kernels.
const KERNEL_CLOCK: &str = include_str!("launches.cu");
/// Code that is appended to a program's source and waits for the device.
const FINISH: &str = include_str!("finish.cu");

/// The times of one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// A kernel's launches whose inputs were copied just before, so that the caches hold as much of
    /// them as fits; or a program's calls.
    pub warm: Sample,
    /// A kernel's launches after the caches were filled with other data.
    pub cold: Option<Sample>,
}

/// Times `source` on the case of `spec`, whose only case is large ([`Spec::with_large_case`]). A
/// program's call is timed as a whole, on the host's clock. The inner error is what is wrong with
/// the source.
///
/// # Errors
/// When the code could not be run.
pub fn time(
    spec: &'static Spec,
    source: &str,
    seed: u64,
    engine: &mut Engine,
) -> anyhow::Result<Result<Times, Verdict>> {
    let finished = spec.kind.has_host_code().then(|| format!("{source}{FINISH}"));
    let mut code = match compile(spec, finished.as_deref().unwrap_or(source), engine)? {
        Ok(code) => code,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let prepared = prepare(spec, seed)?;
    if !spec.kind.has_host_code() {
        let run = code.run(Choice::Gpu, spec, &prepared, engine)?;
        if let Some(verdict) = wrong(spec, &prepared, &run) {
            return Ok(Err(verdict));
        }
        let warm = Sample::of(&run.milliseconds).context("no launch was timed")?;
        return Ok(Ok(Times { warm, cold: Sample::of(&run.cold_milliseconds) }));
    }
    let other = PreparedCase { repeat: 0, ..prepare(spec, prepared.other_seed())? };
    let calls = Calls { spec, prepared: &prepared };
    calls.time(|| {
        // The next call starts a process.
        code.end_gpu_process();
        code.run(Choice::Gpu, spec, &other, engine)?;
        Ok(code.run(Choice::Gpu, spec, &prepared, engine)?)
    })
}

/// The same for all kernels of a program together.
///
/// # Errors
/// When the code could not be run.
pub fn time_kernels(
    spec: &'static Spec,
    source: &str,
    seed: u64,
    engine: &mut Engine,
) -> anyhow::Result<Result<Times, Verdict>> {
    if !spec.kind.has_host_code() {
        return time(spec, source, seed, engine);
    }
    if let Err(verdict) = compile(spec, source, engine)? {
        return Ok(Err(verdict));
    }
    let options = ProgramOptions { fmad: true, ..ProgramOptions::exercise(Target::TimedGpu) };
    let source = format!("{source}{KERNEL_CLOCK}{FINISH}");
    let program = match engine.build(&source, &format!("{}.cu", spec.id), &options)? {
        Outcome::Compiled(program) => program,
        refused => bail!("it does not compile with a clock for its kernels: {refused:?}"),
    };
    let prepared = prepare(spec, seed)?;
    let other = prepare(spec, prepared.other_seed())?;
    let mut call = prepared.call(spec);
    call.timed = Some(Clock::Kernels);
    let before = Call { timed: None, ..other.call(spec) };
    Calls { spec, prepared: &prepared }.time(|| {
        let mut process = engine.load(Choice::Gpu, &program.object)?;
        process.call(&before, LAUNCH_TIME_LIMIT)?;
        Ok(process.call(&call, LAUNCH_TIME_LIMIT)?)
    })
}

/// Timed calls of a program.
struct Calls<'a> {
    spec: &'static Spec,
    prepared: &'a PreparedCase,
}

impl Calls<'_> {
    /// Calls again and again, and compares the results of each call.
    fn time(
        &self,
        mut call: impl FnMut() -> anyhow::Result<Run>,
    ) -> anyhow::Result<Result<Times, Verdict>> {
        let mut times = vec![];
        let mut right: Option<Run> = None;
        for _ in 0..CALLS {
            let run = call()?;
            let known = right.as_ref().is_some_and(|right| right.outputs == run.outputs);
            if (!known || !run.faults.is_empty())
                && let Some(verdict) = wrong(self.spec, self.prepared, &run)
            {
                return Ok(Err(verdict));
            }
            ensure!(run.milliseconds.len() == 1, "a call was not timed");
            times.extend(&run.milliseconds);
            right = Some(run);
        }
        let warm = Sample::of(&times).context("no launch was timed")?;
        Ok(Ok(Times { warm, cold: None }))
    }
}

/// What is wrong with the results. Answers to questions follow the outputs, and don't count here.
pub(crate) fn wrong(spec: &'static Spec, prepared: &PreparedCase, run: &Run) -> Option<Verdict> {
    let verdict = judge::case(spec, prepared.index, &prepared.inputs, run)?;
    (verdict.slug() != Slug::WrongAnswer).then_some(verdict)
}

fn compile(
    spec: &'static Spec,
    source: &str,
    engine: &mut Engine,
) -> anyhow::Result<Result<CompiledCode, Verdict>> {
    Ok(CompiledCode::compile(spec, spec.cases, source, Purpose::Timing, engine)?)
}

fn prepare(spec: &'static Spec, seed: u64) -> anyhow::Result<PreparedCase> {
    let case = spec.cases.first().context("the exercise has no large case")?;
    Ok(PreparedCase { repeat: LAUNCHES, ..PreparedCase::new(spec, (0, case), seed) })
}

/// The sizes of the case: "rows = 8192, cols = 8192".
pub fn sizes(spec: &Spec) -> String {
    let sizes = spec.cases.iter().flat_map(|case| case.sizes);
    sizes.map(|(name, n)| format!("{name} = {n}")).collect::<Vec<_>>().join(", ")
}

/// Bytes that the arrays of the case must move over the memory bus: inputs and outputs once, arrays
/// that are both twice.
///
/// # Errors
/// When the exercise has no case.
pub fn bytes(spec: &'static Spec, seed: u64) -> anyhow::Result<u64> {
    let bytes = |(role, value): (Role, &Value)| {
        value.array_bytes() as u64 * if role == Role::InOut { 2 } else { 1 }
    };
    let prepared = prepare(spec, seed)?;
    Ok(spec.params.iter().map(|param| param.role).zip(&prepared.inputs).map(bytes).sum())
}
