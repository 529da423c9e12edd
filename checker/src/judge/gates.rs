//! Compares the simulator's counts with the targets of gates.

use ptxsim::count::SECTOR;
use ptxsim::{Counters, LineCounters, Observations};

use super::programs;
use crate::backend::{Output, Run};
use crate::spec::{Gate, Metric, Op, Role, Spec};
use crate::verdict::Measured;

/// Measures every gate of `spec` on case `index`, and finds the source line that contributes most
/// to the decisive missed gate. A case that is not gated has no gates. A gate that could not be
/// measured does not hold.
pub fn gates(spec: &'static Spec, index: usize, run: &Run) -> (Vec<Measured>, Vec<LineCounters>) {
    if spec.cases.get(index).is_some_and(|case| !case.gated) {
        return (Vec::new(), Vec::new());
    }
    let seen = run.observations.as_ref().filter(|seen| seen.completed);
    // a baseline is a count of the first gated case, and another case has other counts
    let first = spec.cases.iter().position(|case| case.gated) == Some(index);
    let measured: Vec<Measured> = spec
        .gates
        .iter()
        .map(|gate| {
            let gate = Gate { baseline: gate.baseline.filter(|_| first), ..*gate };
            let program = run.program.as_ref().zip(spec.cases.get(index));
            let value = seen.and_then(|seen| {
                program
                    .and_then(|(program, case)| {
                        let value = programs::measure(gate.metric, case, program)?;
                        Some(programs::with_managed(gate, value, program))
                    })
                    .or_else(|| measure(spec, gate, seen, run))
            });
            Measured { gate, value, holds: value.is_some_and(|value| holds(gate, value)) }
        })
        .collect();
    let lines = Measured::decisive(&measured)
        .filter(|missed| missed.gate.op != Op::AtLeast)
        .and_then(|missed| Some(heaviest_lines(missed.gate.metric, seen?)));
    (measured, lines.unwrap_or_default())
}

fn holds(gate: Gate, value: f64) -> bool {
    match gate.op {
        Op::AtMost => value <= gate.target,
        Op::AtLeast => value >= gate.target,
        Op::Exactly => value == gate.target,
    }
}

fn measure(spec: &Spec, gate: Gate, seen: &Observations, run: &Run) -> Option<f64> {
    let totals = &seen.totals;
    match gate.metric {
        Metric::SectorsPerRequest => {
            let any = totals.load_requests + totals.store_requests > 0;
            any.then(|| totals.sectors_per_128_bytes())
        }
        Metric::WritesPerElement => super::writes_per_element(spec, seen).map(f64::from),
        Metric::SharedConflicts => Some(totals.shared_conflicts() as f64),
        Metric::SharedRequests => Some(totals.shared_requests as f64),
        Metric::LoadRequests => Some(totals.load_requests as f64),
        Metric::LoadsPerElement => {
            let elements = elements(spec, run);
            (elements > 0).then(|| totals.thread_loads as f64 / elements as f64)
        }
        Metric::BytesPerElement => {
            let elements = elements(spec, run);
            (elements > 0).then(|| (SECTOR * totals.load_sectors) as f64 / elements as f64)
        }
        Metric::StoreRequests => Some(totals.store_requests as f64),
        Metric::TextureRequests => Some(totals.texture_requests as f64),
        Metric::DivergentBranches => Some(totals.divergent_branches as f64),
        Metric::SharedBytes => Some(f64::from(seen.shared_bytes)),
        Metric::Barriers => (seen.warps > 0).then(|| totals.barriers as f64 / seen.warps as f64),
        Metric::GlobalAtomics => Some(totals.thread_atomics as f64),
        Metric::Branches => Some(totals.branches as f64),
        // `programs` measures the other metrics.
        _ => None,
    }
}

/// The number of elements of all outputs.
fn elements(spec: &Spec, run: &Run) -> usize {
    let size = |output: &Output| {
        let param = spec.params.iter().find(|param| param.name == output.name);
        let out = param.filter(|param| matches!(param.role, Role::Out | Role::InOut));
        out.map_or(0, |param| output.data.len() / param.dtype.bytes())
    };
    run.outputs.iter().map(size).sum()
}

/// The source line that contributes most to a metric. All others follow in their order if a metric
/// counts two kinds of accesses, or if the compiler may give code of a library's function another
/// line than that of its call.
fn heaviest_lines(metric: Metric, seen: &Observations) -> Vec<LineCounters> {
    let weight = |c: &Counters| match metric {
        Metric::SectorsPerRequest => (c.load_sectors + c.store_sectors)
            .saturating_sub(c.load_sectors_ideal + c.store_sectors_ideal),
        Metric::WritesPerElement => c.store_requests,
        Metric::SharedConflicts => c.shared_conflicts(),
        Metric::SharedRequests => c.shared_requests,
        Metric::LoadRequests => c.load_requests,
        Metric::LoadsPerElement => c.thread_loads,
        Metric::BytesPerElement => c.load_sectors,
        Metric::StoreRequests => c.store_requests,
        Metric::TextureRequests => c.texture_requests,
        Metric::DivergentBranches => c.divergent_branches,
        Metric::Barriers => c.barriers,
        Metric::GlobalAtomics => c.thread_atomics,
        Metric::Branches => c.branches,
        _ => 0,
    };
    // Which of several lines writes an element again is not known; two can be shown together.
    let stores = seen.lines.iter().filter(|line| line.counters.store_requests > 0).count();
    if metric == Metric::WritesPerElement && stores > 2 {
        return vec![];
    }
    // Of equal lines the first, so that the result does not depend on the order.
    let lines = seen.lines.iter().filter(|line| line.source.line > 0 && weight(&line.counters) > 0);
    let Some(first) = lines.clone().rev().max_by_key(|line| weight(&line.counters)) else {
        return vec![];
    };
    let all = matches!(
        metric,
        Metric::TextureRequests | Metric::SharedConflicts | Metric::WritesPerElement
    );
    let others = lines.filter(|line| all && *line != first);
    std::iter::once(first).chain(others).cloned().collect()
}
