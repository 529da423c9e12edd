//! `checker dev time`: times skeletons and solutions of the optimise exercises on a real GPU.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use colored::Colorize;

use super::repository;
use crate::timing::{self, Limits};
use checker::attempt::SEED;
use checker::cli::{Backend, DevTime};
use checker::course;
use checker::engine::Engine;
use checker::error::Usage;
use checker::exercises;
use checker::exit::Exit;
use checker::gains::{Gain, Record, Times};
use checker::say;
use checker::session;
use checker::spec::{Spec, Start};
use checker::verdict::Verdict;

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
    let copy = Limits::copy(&mut engine)?;
    say!("{}: a copy moves {:.0} GB/s, reads and writes together", gpu.name, copy / 1e9);
    let mut record = Record {
        gpu: gpu.name,
        compiler: engine.compilers().kernels.version.clone(),
        copy,
        exercises: vec![],
    };
    let mut exit = Exit::Passed;
    for spec in specs {
        match gain(spec, &mut engine, args.kernels) {
            Ok(gain) => {
                row(&gain, copy);
                record.exercises.push(gain);
                if let Some(path) = &args.record {
                    write(&record, path)?;
                }
            }
            Err(error) => {
                say!("{:<18} {} {error:#}", spec.id, "×".red());
                exit = Exit::Usage;
            }
        }
    }
    Ok(exit)
}

/// Called after each exercise, so that a run that's stopped still leaves a record.
fn write(record: &Record, path: &Path) -> anyhow::Result<()> {
    fs::write(path, toml::to_string(record)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

fn row(gain: &Gain, copy: f64) {
    let line = |name: &str, times: &Times, share: Option<f64>| {
        let skeleton = times.skeleton.map_or("-".into(), |ms| format!("{ms:.3} ms"));
        let factor = times.factor().map_or(String::new(), |f| format!("{f:.1} times as fast"));
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

/// Times skeleton and solution on the only case of `spec`.
fn gain(spec: &'static Spec, engine: &mut Engine, only_kernels: bool) -> anyhow::Result<Gain> {
    let kernels = times(spec, engine, timing::time_kernels)?;
    let whole = spec.kind.has_host_code() && !only_kernels;
    let program = whole.then(|| times(spec, engine, timing::time)).transpose()?;
    Ok(Gain {
        id: spec.id.into(),
        sizes: timing::sizes(spec),
        changed: None,
        bytes: timing::bytes(spec, SEED)?,
        kernels,
        program,
    })
}

type Timed =
    fn(&'static Spec, &str, u64, &mut Engine) -> anyhow::Result<Result<timing::Times, Verdict>>;

/// A skeleton is timed only where it is right but slow.
fn times(spec: &'static Spec, engine: &mut Engine, timed: Timed) -> anyhow::Result<Times> {
    let mut median = |source: Option<&str>| -> anyhow::Result<f64> {
        let source = source.context("a file of the course is missing")?;
        match timed(spec, source, SEED, engine)? {
            Ok(times) => Ok(times.warm.median),
            Err(verdict) => bail!("{}", verdict.slug()),
        }
    };
    let solution = median(course::solution(spec))?;
    let skeleton = match spec.start {
        Start::Optimise => Some(median(course::skeleton(spec)).context("skeleton")?),
        Start::Write | Start::Fix => None,
    };
    Ok(Times { skeleton, solution })
}
