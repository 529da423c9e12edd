//! What NVIDIA's libraries need for the work of an exercise, timed in the same run.

use anyhow::Context;

use checker::backend::{Choice, Clock};
use checker::compile::{Outcome, ProgramOptions, Target};
use checker::engine::{Engine, LAUNCH_TIME_LIMIT};
use checker::judge;
use checker::spec::Spec;
use checker::verdict::Verdict;

use super::{Sample, prepare};

/// Stands before each program.
const CLOCK: &str = include_str!("libraries/clock.cuh");

/// A library that does the work of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Library {
    /// "CUB".
    pub name: &'static str,
    /// A program with the exercise's parameters. `NAME` stands for the exercise.
    source: &'static str,
}

impl Library {
    /// The library for an exercise.
    pub fn of(spec: &Spec) -> Option<Self> {
        let (name, source) = match spec.id {
            "reduce_bandwidth" => ("CUB", include_str!("libraries/reduce.cu")),
            "histogram_bytes" => ("CUB", include_str!("libraries/histogram.cu")),
            "scan_lookback" => ("CUB", include_str!("libraries/scan.cu")),
            "matmul_tiled" | "matmul_registers" | "matmul_async" => {
                ("cuBLAS", include_str!("libraries/matmul.cu"))
            }
            _ => return None,
        };
        Some(Self { name, source })
    }

    /// Times it on the case of `spec`, whose only case is large ([`Spec::with_large_case`]).
    ///
    /// # Errors
    /// When the library isn't there, or its results are wrong.
    pub fn time(
        self,
        spec: &'static Spec,
        seed: u64,
        engine: &mut Engine,
    ) -> anyhow::Result<Sample> {
        let source = format!("{CLOCK}\n{}", self.source.replace("NAME", spec.id));
        let options = ProgramOptions { fmad: true, ..ProgramOptions::exercise(Target::TimedGpu) };
        let program = match engine.build(&source, &format!("{}.cu", self.name), &options)? {
            Outcome::Compiled(program) => program,
            refused => anyhow::bail!("the program for {} does not compile: {refused:?}", self.name),
        };
        let prepared = prepare(spec, seed)?;
        let mut call = prepared.call(spec);
        call.timed = Some(Clock::Kernels);
        let mut process = engine.load(Choice::Gpu, &program.object)?;
        let run = process.call(&call, LAUNCH_TIME_LIMIT)?;
        let sample = Sample::of(&run.milliseconds)
            .with_context(|| format!("{} isn't installed on this machine", self.name))?;
        match judge::case(spec, prepared.index, &prepared.inputs, &run).as_ref().map(Verdict::slug)
        {
            None => Ok(sample),
            Some(slug) => anyhow::bail!("the results of {} are wrong: {slug}", self.name),
        }
    }
}
