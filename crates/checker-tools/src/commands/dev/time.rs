//! `checker dev time`: times skeletons and solutions of the optimise exercises on a real GPU.

use std::fs;

use anyhow::{Context, bail, ensure};
use colored::Colorize;

use super::repository;
use checker::attempt::{CompiledCode, PreparedCase, SEED};
use checker::backend::{Arg, Choice, Launch, Run};
use checker::cli::{Backend, DevTime};
use checker::compile::{self, Outcome, ProgramOptions, Target};
use checker::diagnostic::Slug;
use checker::engine::{Engine, LAUNCH_TIME_LIMIT};
use checker::error::Usage;
use checker::exercises;
use checker::exit::Exit;
use checker::gains::{Gain, Record, Times};
use checker::say;
use checker::session;
use checker::spec::{Role, Spec, Start};
use checker::value::{DType, Value};
use checker::{course, judge};

/// Number of timed launches, which follow one launch that is not timed.
const TIMED_LAUNCHES: u32 = 9;
/// Number of floats in the reference copy: more than the caches of a GPU hold.
const COPIED_FLOATS: usize = 1 << 26;
const COPY: &str = include_str!("copy.cu");
/// Code that is appended to a program's source and times its kernels.
const LAUNCHES: &str = include_str!("launches.cu");

/// Times the exercises, prints the times, and writes the record. The exit code is 2 when a result
/// is wrong.
pub fn run(args: &DevTime) -> anyhow::Result<Exit> {
    repository()?;
    let specs: Vec<&'static Spec> = match args.what.as_deref().map(session::target).transpose()? {
        Some(target) => target.specs(),
        None => exercises::all().to_vec(),
    };
    let specs: Vec<_> = specs.into_iter().filter_map(Spec::with_large_case).collect();
    if specs.is_empty() {
        return Err(Usage("none of these exercises has a large case to time".into()).into());
    }
    let mut engine = session::engine(Backend::Gpu)?;
    let gpu = engine.gpu().map_err(checker::attempt::Error::NoGpu)?;
    let copy = copy(&mut engine)?;
    say!("{}: a copy moves {:.0} GB/s, reads and writes together", gpu.name, copy / 1e9);
    let mut record = Record {
        gpu: gpu.name,
        compiler: engine.compilers().kernels.version.clone(),
        copy,
        exercises: vec![],
    };
    let mut exit = Exit::Passed;
    for spec in specs {
        match gain(spec, &mut engine) {
            Ok(gain) => {
                row(&gain, copy);
                record.exercises.push(gain);
            }
            Err(error) => {
                say!("{:<18} {} {error:#}", spec.id, "×".red());
                exit = Exit::Usage;
            }
        }
    }
    if let Some(path) = &args.record {
        fs::write(path, toml::to_string(&record)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(exit)
}

fn row(gain: &Gain, copy: f64) {
    let line = |name: &str, times: &Times, share: Option<f64>| {
        let skeleton = times.skeleton.map_or("-".into(), |ms| format!("{ms:.3} ms"));
        let factor = times.factor().map_or(String::new(), |f| format!("{f:.1} times faster"));
        let share =
            share.map_or(String::new(), |share| format!("{:.0} % of a copy", 100.0 * share));
        let solution = times.solution;
        say!("{name:<24} {skeleton:>12} -> {solution:>9.3} ms  {factor:<20} {share}");
    };
    line(&gain.id, &gain.kernels, gain.share(copy));
    if let Some(program) = &gain.program {
        line("  the whole program", program, None);
    }
}

/// Times skeleton and solution on the only case of `spec`, and compares what they compute.
fn gain(spec: &'static Spec, engine: &mut Engine) -> anyhow::Result<Gain> {
    let Some(case) = spec.cases.first() else { bail!("no case") };
    let prepared =
        PreparedCase { repeat: TIMED_LAUNCHES, ..PreparedCase::new(spec, (0, case), SEED) };
    let mut times = |timed| -> anyhow::Result<Times> {
        let solution = time(spec, course::solution(spec), Slug::Passed, &prepared, engine, timed)?;
        // a skeleton is timed only where it computes the right result, or lacks nothing but an
        // answer
        let skeleton = match spec.start {
            Start::Optimise => Some(
                time(spec, course::skeleton(spec), spec.skeleton, &prepared, engine, timed)
                    .context("skeleton")?,
            ),
            Start::Write | Start::Fix => None,
        };
        Ok(Times { skeleton, solution })
    };
    let kernels = times(Timed::Kernels)?;
    let program = spec.kind.has_host_code().then(|| times(Timed::Program)).transpose()?;
    let sizes: Vec<String> = case.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
    Ok(Gain {
        id: spec.id.into(),
        sizes: sizes.join(", "),
        bytes: spec
            .params
            .iter()
            .zip(&prepared.inputs)
            .map(|(p, value)| bytes(p.role, value))
            .sum(),
        kernels,
        program,
    })
}

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timed {
    /// All launches, each between two events.
    Kernels,
    /// The whole call, with the host's clock.
    Program,
}

/// The median time of one source in milliseconds. Its results must be right, or wrong in the way of
/// `allowed`.
fn time(
    spec: &'static Spec,
    source: Option<&str>,
    allowed: Slug,
    prepared: &PreparedCase,
    engine: &mut Engine,
    timed: Timed,
) -> anyhow::Result<f64> {
    let source = source.context("a file of the course is missing")?;
    let run = if spec.kind.has_host_code() && timed == Timed::Kernels {
        let options = ProgramOptions::exercise(Target::TimedGpu);
        let source = format!("{source}{LAUNCHES}");
        match engine.build(&source, &format!("{}.cu", spec.id), &options)? {
            Outcome::Compiled(program) => engine
                .load(Choice::Gpu, &program.object)?
                .call(&prepared.call(spec), LAUNCH_TIME_LIMIT)?,
            refused => bail!("it does not compile: {refused:?}"),
        }
    } else {
        match CompiledCode::compile(spec, [prepared.case], source, true, engine)? {
            Ok(mut code) => code.run(Choice::Gpu, spec, prepared, engine)?,
            Err(verdict) => bail!("{}", verdict.slug()),
        }
    };
    match judge::case(spec, 0, &prepared.inputs, &run) {
        Some(verdict) if verdict.slug() != allowed => bail!("{}", verdict.slug()),
        _ => median(&run),
    }
}

fn bytes(role: Role, value: &Value) -> u64 {
    value.array_bytes() as u64 * if role == Role::InOut { 2 } else { 1 }
}

/// The median time of the repetitions, in milliseconds.
fn median(run: &Run) -> anyhow::Result<f64> {
    let mut times = run.milliseconds.clone();
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().context("nothing was timed")?;
    ensure!(median > 0.0, "no launch was timed");
    Ok(median)
}

/// Bandwidth of a plain copy, in bytes per second.
fn copy(engine: &mut Engine) -> anyhow::Result<f64> {
    let module = match engine.compile(COPY, "copy.cu", &compile::Options::default())? {
        Outcome::Compiled(module) => module,
        refused => bail!("the copy does not compile: {refused:?}"),
    };
    let bytes = COPIED_FLOATS * 4;
    let buffer = |name: &str, data: Option<Vec<u8>>| Arg::Buffer {
        name: name.into(),
        dtype: DType::F32,
        bytes,
        writable: data.is_none(),
        data,
    };
    let quads = i32::try_from(COPIED_FLOATS / 4)?;
    let launch = Launch {
        entry: "copy".into(),
        grid: [u32::try_from(COPIED_FLOATS / 4 / 256)?, 1, 1],
        block: [256, 1, 1],
        shared: 0,
        cooperative: false,
        ordered: vec![],
        args: vec![
            buffer("in", Some(vec![1; bytes])),
            buffer("out", None),
            Arg::Scalar(quads.to_le_bytes().to_vec()),
        ],
        seed: SEED,
        budget: 0,
        repeat: TIMED_LAUNCHES,
        disturbance: None,
        count_waits: false,
    };
    let run = engine.run(Choice::Gpu, &module.ptx, &launch)?;
    ensure!(run.faults.is_empty(), "the copy failed: {:?}", run.faults);
    Ok(2.0 * bytes as f64 / (median(&run)? * 1e-3))
}
