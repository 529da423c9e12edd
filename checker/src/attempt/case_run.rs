//! One case on the simulator and, where there is one, on the GPU, with one verdict from both.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::{Attempt, CompiledCode, Error, PreparedCase, SecondOpinion};
use crate::backend::{Choice, Fault, Output, Run};
use crate::engine::Engine;
use crate::judge;
use crate::spec::{Gate, Metric, Op, Spec};
use crate::verdict::{Measured, Verdict};

/// Launches of a case that are left out, one after the other, to see whether they are needed.
const MAX_SKIPPED_LAUNCHES: usize = 16;

/// Launches that are left out where an exercise wants a number of them.
const DRAWN_LAUNCHES: usize = 4;

/// A case that has run and was judged.
#[derive(Debug, Clone)]
pub(super) struct CaseRun {
    /// What is wrong; `None` when the case is right.
    pub verdict: Option<Verdict>,
    /// The simulator's run, with its counts.
    pub run: Run,
    /// Every gate of a gated case that is right; else empty.
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
            None => {
                leave_out_unneeded(spec, prepared, &mut run, code, engine)?;
                leave_out_drawn(spec, prepared, &mut run, code, engine)?;
                leave_out_unused(spec, prepared, &mut run, code, engine)?;
                judge::gates(spec, prepared.index, &prepared.inputs, &run)
            }
            Some(_) => (vec![], vec![]),
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

/// Kernels that run at the same time count only if the results need them, so this takes the time
/// of launches without which the results are right from the timeline.
fn leave_out_unneeded(
    spec: &'static Spec,
    prepared: &PreparedCase,
    run: &mut Run,
    code: &mut CompiledCode,
    engine: &mut Engine,
) -> Result<(), Error> {
    let counts = |gate: &Gate| gate.metric == Metric::ConcurrentKernels;
    let Some(program) = run.program.as_mut() else { return Ok(()) };
    if !prepared.case.gated || !spec.gates.iter().any(counts) {
        return Ok(());
    }
    for (number, launch) in (1..=MAX_SKIPPED_LAUNCHES).zip(&mut program.launches) {
        let without = prepared.without_launch(number);
        let run = code.run(Choice::Sim, spec, &without, engine)?;
        if judge::case(spec, prepared.index, &prepared.inputs, &run).is_none() {
            launch.span = None;
        }
    }
    Ok(())
}

/// Where an exercise wants a number of launches, each of them has a share of the work. So this runs
/// the case again without each of a few launches that the seed chooses, and takes those from the
/// count without which the results are right.
fn leave_out_drawn(
    spec: &'static Spec,
    prepared: &PreparedCase,
    run: &mut Run,
    code: &mut CompiledCode,
    engine: &mut Engine,
) -> Result<(), Error> {
    let several =
        |gate: &Gate| gate.metric == Metric::Launches && gate.op != Op::AtMost && gate.target > 1.0;
    let Some(program) = run.program.as_mut() else { return Ok(()) };
    if !prepared.case.gated || !spec.gates.iter().any(several) {
        return Ok(());
    }
    let mut order: Vec<usize> = (0..program.launches.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(prepared.seed));
    for drawn in order.into_iter().take(DRAWN_LAUNCHES) {
        let other = code.run(Choice::Sim, spec, &prepared.without_launch(drawn + 1), engine)?;
        if judge::case(spec, prepared.index, &prepared.inputs, &other).is_none()
            && let Some(launch) = program.launches.get_mut(drawn)
        {
            launch.span = None;
        }
    }
    Ok(())
}

/// Requests of shared memory count only if the results need what they load. So where a gate wants
/// some, this runs the kernel once more with other values in shared memory, and takes the requests
/// from the counts if any element of an output stays the same.
fn leave_out_unused(
    spec: &'static Spec,
    prepared: &PreparedCase,
    run: &mut Run,
    code: &mut CompiledCode,
    engine: &mut Engine,
) -> Result<(), Error> {
    let counts = |gate: &Gate| gate.metric == Metric::SharedRequests && gate.op == Op::AtLeast;
    let kernel = !spec.kind.has_host_code();
    if !kernel || !prepared.case.gated || !spec.gates.iter().any(counts) {
        return Ok(());
    }
    let disturbed = prepared.with_disturbed_shared_memory();
    let other = code.run(Choice::Sim, spec, &disturbed, engine)?;
    let stays = |output: &Output| {
        let bytes = spec.params.iter().find(|param| param.name == output.name);
        let bytes = bytes.map_or(1, |param| param.dtype.bytes());
        let other = other.outputs.iter().find(|other| other.name == output.name);
        let elements = other.map(|other| other.data.chunks(bytes));
        elements.is_some_and(|other| output.data.chunks(bytes).zip(other).any(|(a, b)| a == b))
    };
    if run.outputs.iter().any(stays)
        && let Some(seen) = run.observations.as_mut()
    {
        seen.totals.shared_requests = 0;
    }
    Ok(())
}

fn is_unsupported(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Fault { fault, .. } if matches!(**fault, Fault::Unsupported { .. }))
}
