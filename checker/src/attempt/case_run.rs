//! One case on the simulator and, where there is one, on the GPU, with one verdict from both.

use super::needed_work::NeededWork;
use super::{Attempt, CompiledCode, Error, PreparedCase, SecondOpinion};
use crate::backend::{Choice, Fault, Run};
use crate::diagnostic::Slug;
use crate::engine::Engine;
use crate::judge;
use crate::spec::Spec;
use crate::verdict::{Measured, Verdict};

/// A case that has run and was judged.
#[derive(Debug, Clone)]
pub(super) struct CaseRun {
    /// What is wrong; `None` when the case is right.
    pub verdict: Option<Verdict>,
    /// The simulator's run, with its counts.
    pub run: Run,
    /// Every gate of a gated case that is right, or in which only answers to questions are wrong;
    /// else empty.
    pub gates: Vec<Measured>,
    /// The source line that contributes most to the decisive missed gate.
    pub heaviest_lines: Vec<ptxsim::LineCounters>,
    /// The device whose output is shown: "simulator", "GPU: NVIDIA H200".
    pub device: String,
    /// What the code printed on that device.
    pub printed: Option<String>,
    /// The GPU's verdict, where the simulator's counts.
    pub gpu: Option<SecondOpinion>,
}

/// When a case runs on the GPU, after the simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GpuUse {
    /// On the simulator only.
    Never,
    /// Unless the simulator has found a mistake.
    UnlessWrong,
    /// Also when the simulator has found a mistake: the GPU's verdict is shown beside the
    /// simulator's.
    Always,
}

impl CaseRun {
    /// Runs a case on the simulator, and on the GPU as `gpu_use` says, and judges it.
    ///
    /// The simulator's verdict has precedence, because it names the cause. Where the simulator
    /// lacks a feature, the GPU alone decides.
    pub(super) fn new(
        spec: &'static Spec,
        prepared: &PreparedCase,
        code: &mut CompiledCode,
        gpu_use: GpuUse,
        engine: &mut Engine,
    ) -> Result<Self, Error> {
        let mut run = code.run(Choice::Sim, spec, prepared, engine)?;
        let simulated = judge::case(spec, prepared.index, &prepared.inputs, &run);
        let found_mistake = simulated.as_ref().is_some_and(|verdict| !is_unsupported(verdict));
        let decided = simulated.as_ref().is_none_or(|verdict| !is_unsupported(verdict));
        let simulated_only =
            spec.cases.get(prepared.index).is_some_and(|case| case.simulated_only) && decided;
        let on_gpu = match gpu_use {
            GpuUse::Never => None,
            _ if simulated_only => None,
            GpuUse::UnlessWrong if found_mistake => None,
            GpuUse::UnlessWrong | GpuUse::Always => Some(run_on_gpu(spec, prepared, code, engine)?),
        };
        let shown = on_gpu.as_ref().map_or(&run, |(run, _)| run);
        let device = shown.device.clone();
        let printed = Some(shown.printed.clone()).filter(|text| !text.is_empty());
        let (verdict, gpu) = match (on_gpu, simulated) {
            (None, simulated) => (simulated, None),
            (Some((_, verdict)), Some(simulated)) if found_mistake => {
                (Some(simulated), Some(SecondOpinion { device: device.clone(), verdict }))
            }
            (Some((_, verdict)), _) => (verdict, None),
        };
        let (gates, heaviest_lines) = match &verdict {
            verdict if verdict.as_ref().is_none_or(asks_for_answers) => {
                let unused = NeededWork { spec, prepared, code, engine }.keep(&mut run)?;
                judge::gates(spec, prepared.index, &prepared.inputs, &run, &unused)
            }
            _ => (vec![], vec![]),
        };
        Ok(Self { verdict, run, gates, heaviest_lines, device, printed, gpu })
    }

    /// Makes this the case whose output an attempt shows.
    pub(super) fn show(&self, attempt: &mut Attempt) {
        attempt.device.clone_from(&self.device);
        attempt.printed.clone_from(&self.printed);
        attempt.gpu.clone_from(&self.gpu);
    }
}

/// Runs a case on the GPU and judges it. A program's process may have served earlier cases, whose
/// effects must not count against this one, so a case that is wrong there runs again in a new
/// process, and the second verdict counts.
fn run_on_gpu(
    spec: &'static Spec,
    prepared: &PreparedCase,
    code: &mut CompiledCode,
    engine: &mut Engine,
) -> Result<(Run, Option<Verdict>), Error> {
    loop {
        let run = code.run(Choice::Gpu, spec, prepared, engine)?;
        let verdict = judge::case(spec, prepared.index, &prepared.inputs, &run);
        if verdict.is_none() || !code.end_gpu_process() {
            return Ok((run, verdict));
        }
    }
}

fn is_unsupported(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Fault { fault, .. } if matches!(**fault, Fault::Unsupported { .. }))
}

/// Whether nothing but answers to questions is wrong, so that the kernel's costs are worth
/// counting.
fn asks_for_answers(verdict: &Verdict) -> bool {
    verdict.slug() == Slug::WrongAnswer
}
