//! `checker dev check`: proves that the course is sound.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use colored::Colorize;
use serde::Serialize;

use super::proofs::{self, Proof, Scope};
use super::repository;
use super::verdict_texts::VerdictTexts;
use checker::attempt;
use checker::cli::{Backend, DevCheck, Format};
use checker::engine::Engine;
use checker::error::Usage;
use checker::exercises;
use checker::exit::Exit;
use checker::say;
use checker::session;
use checker::spec::Spec;
use checker::toolchain::Compilers;

/// Maximum number of exercises that are proven at once. Each needs a compiler, a simulator and a
/// share of the GPU.
const MAX_ENGINES: usize = 8;

/// The record that `--format json` prints.
#[derive(Serialize)]
struct Record {
    version: u32,
    checker: &'static str,
    compiler: String,
    devices: BTreeSet<String>,
    exercises: Vec<Exercise>,
    strays: Vec<String>,
    problems: usize,
}

#[derive(Serialize)]
struct Exercise {
    id: &'static str,
    chapter: &'static str,
    proofs: Vec<Proof>,
}

/// Runs every proof. The exit code is 2 when one of them fails.
pub fn run(args: &DevCheck) -> anyhow::Result<Exit> {
    let root = repository()?;
    let specs: Vec<&'static Spec> = match args.what.as_deref().map(session::target).transpose()? {
        Some(target) => target.specs(),
        None => exercises::all().to_vec(),
    };
    let engine = || -> anyhow::Result<Engine> {
        Ok(session::engine(args.backend)?.confined(args.sandbox.into(), None, None))
    };
    let first = engine()?;
    let width = specs.iter().map(|spec| spec.id.len()).max().unwrap_or(0);
    let mut record = Record {
        version: 1,
        checker: env!("CARGO_PKG_VERSION"),
        compiler: compilers(&first),
        devices: BTreeSet::new(),
        exercises: vec![],
        strays: proofs::strays(&root, exercises::all()),
        problems: 0,
    };
    record.problems = record.strays.len();
    let mut engines = vec![first];
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for _ in 1..cores.min(specs.len()).min(MAX_ENGINES) {
        engines.push(engine()?);
    }
    let verdict_texts = match (args.backend, args.bless) {
        (Backend::Sim, true) => VerdictTexts::Bless,
        (Backend::Sim, false) => VerdictTexts::Compare,
        (Backend::Auto | Backend::Gpu, true) => {
            return Err(Usage(
                "--bless writes the simulator's verdicts: leave out --backend".into(),
            )
            .into());
        }
        (Backend::Auto | Backend::Gpu, false) => VerdictTexts::Ignore,
    };
    let scope = Scope { verdict_texts, seeds: args.seeds };
    prove_all(&root, &specs, engines, scope, |spec, proofs| {
        record.problems += proofs.iter().filter(|proof| proof.problem.is_some()).count();
        record.devices.extend(proofs.iter().filter_map(|proof| proof.device.clone()));
        if args.format == Format::Term {
            row(spec, width, &proofs);
        }
        record.exercises.push(Exercise { id: spec.id, chapter: spec.chapter, proofs });
    })?;
    match args.format {
        Format::Json => say!("{}", serde_json::to_string_pretty(&record)?),
        Format::Term => summary(&record),
    }
    Ok(if record.problems == 0 { Exit::Passed } else { Exit::Usage })
}

/// The version of the compilers, or both versions if kernels and programs have different ones.
fn compilers(engine: &Engine) -> String {
    let Compilers { kernels, programs, .. } = engine.compilers();
    let (kernels, programs) = (&kernels.version, &programs.version);
    match kernels == programs {
        true => kernels.clone(),
        false => format!("{kernels} (kernels), {programs} (programs)"),
    }
}

/// Proves exercises in parallel, one thread for each engine, and passes the proofs to `report` in
/// the order of the course.
fn prove_all(
    root: &Path,
    specs: &[&'static Spec],
    engines: Vec<Engine>,
    scope: Scope,
    mut report: impl FnMut(&'static Spec, Vec<Proof>),
) -> Result<(), attempt::Error> {
    let next = AtomicUsize::new(0);
    let (sender, proven) = mpsc::channel();
    thread::scope(|threads| {
        for mut engine in engines {
            let (sender, next) = (sender.clone(), &next);
            threads.spawn(move || {
                while let Some(spec) = specs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let proofs = proofs::prove(root, spec, &mut engine, scope);
                    if sender.send((spec.id, proofs)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        for spec in specs {
            while !early.contains_key(spec.id) {
                // The channel is closed although a proof is missing, so a thread has panicked; the
                // scope passes that on.
                let Ok((id, proofs)) = proven.recv() else { return Ok(()) };
                early.insert(id, proofs);
            }
            if let Some(proofs) = early.remove(spec.id) {
                report(spec, proofs?);
            }
        }
        Ok(())
    })
}

/// One line for an exercise, and one for each problem.
fn row(spec: &Spec, width: usize, proofs: &[Proof]) {
    let (mutants, others): (Vec<_>, Vec<_>) =
        proofs.iter().partition(|proof| proof.is_about_mutant());
    let marks =
        others.iter().map(|proof| format!("{} {}", mark(proof.problem.is_none()), proof.about));
    let marks = marks.collect::<Vec<_>>().join("  ");
    let caught = mutants.iter().filter(|proof| proof.problem.is_none()).count();
    let millis: u64 = proofs.iter().map(|proof| proof.millis).sum();
    say!(
        "{:width$}  {marks}  {} {caught} of {} caught  {millis} ms",
        spec.id.bold(),
        mark(caught == mutants.len()),
        mutants.len(),
    );
    for proof in proofs {
        if let Some(problem) = &proof.problem {
            say!("    {} {}: {problem}", "×".red(), proof.about);
            for line in proof.origin.iter().flat_map(|origin| origin.lines()) {
                say!("        {line}");
            }
        }
    }
}

fn mark(proven: bool) -> colored::ColoredString {
    if proven { "✓".green() } else { "×".red() }
}

fn summary(record: &Record) {
    for stray in &record.strays {
        say!("{} {stray} belongs to no exercise", "×".red());
    }
    let mutants = record.exercises.iter().flat_map(|exercise| &exercise.proofs);
    let mutants = mutants.filter(|proof| proof.is_about_mutant()).count();
    let devices = record.devices.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let (count, problems) = (record.exercises.len(), record.problems);
    say!();
    say!(
        "{count} exercises, {mutants} mutants, {problems} problems   CUDA {} · {devices}",
        record.compiler
    );
}
