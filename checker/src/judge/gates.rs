//! Counts against targets, from the simulator's observations.

use cudart_sim::report::Report;
use ptxsim::{Counters, LineCounters, Observations};

use crate::backend::Run;
use crate::spec::{Gate, Metric, Op, Role, Spec};
use crate::verdict::Measured;

/// Measures every gate of `spec` on case `index`, and finds the source line that contributes most to the first one
/// missed. A case that is not gated has none. A count that was not taken never holds.
pub fn gates(
    spec: &'static Spec,
    index: usize,
    run: &Run,
) -> (Vec<Measured>, Option<LineCounters>) {
    if spec.cases.get(index).is_some_and(|case| !case.gated) {
        return (Vec::new(), None);
    }
    let seen = run.observations.as_ref().filter(|seen| seen.completed);
    let measured: Vec<Measured> =
        spec.gates
            .iter()
            .map(|&gate| {
                let value = seen.and_then(|seen| match &run.program {
                    Some(program) => of_program(gate.metric, program)
                        .or_else(|| measure(spec, gate.metric, seen)),
                    None => measure(spec, gate.metric, seen),
                });
                Measured { gate, value, holds: value.is_some_and(|value| holds(gate, value)) }
            })
            .collect();
    let line = measured
        .iter()
        .find(|measured| !measured.holds && measured.gate.op != Op::AtLeast)
        .and_then(|missed| heaviest(missed.gate.metric, seen?));
    (measured, line)
}

fn holds(gate: Gate, value: f64) -> bool {
    match gate.op {
        Op::AtMost => value <= gate.target,
        Op::AtLeast => value >= gate.target,
        Op::Exactly => value == gate.target,
    }
}

fn measure(spec: &Spec, metric: Metric, seen: &Observations) -> Option<f64> {
    let totals = &seen.totals;
    match metric {
        Metric::SectorsPerRequest => {
            (totals.load_requests + totals.store_requests > 0).then(|| totals.sectors_per_request())
        }
        Metric::WritesPerElement => spec
            .params
            .iter()
            .filter(|param| matches!(param.role, Role::Out | Role::InOut))
            .filter_map(|param| seen.arrays.iter().find(|array| array.name == param.name))
            .map(|array| f64::from(array.max_writes))
            .reduce(f64::max),
        Metric::SharedConflicts => Some(totals.shared_conflicts() as f64),
        Metric::SharedRequests => Some(totals.shared_requests as f64),
        Metric::LoadRequests => Some(totals.load_requests as f64),
        Metric::DivergentBranches => Some(totals.divergent_branches as f64),
        // not counted of a kernel
        Metric::BytesToDevice | Metric::BytesToHost | Metric::Launches | Metric::Allocations => {
            None
        }
    }
}

/// What is counted of the program, and not of its kernels.
fn of_program(metric: Metric, program: &Report) -> Option<f64> {
    let count = match metric {
        Metric::BytesToDevice => program.copies.to_device.bytes,
        Metric::BytesToHost => program.copies.to_host.bytes,
        Metric::Launches => program.launches.len() as u64,
        Metric::Allocations => program.allocations,
        _ => return None,
    };
    Some(count as f64)
}

fn heaviest(metric: Metric, seen: &Observations) -> Option<LineCounters> {
    let weight = |c: &Counters| match metric {
        Metric::SectorsPerRequest => (c.load_sectors + c.store_sectors)
            .saturating_sub(c.load_sectors_ideal + c.store_sectors_ideal),
        Metric::WritesPerElement => c.store_requests,
        Metric::SharedConflicts => c.shared_conflicts(),
        Metric::SharedRequests => c.shared_requests,
        Metric::LoadRequests => c.load_requests,
        Metric::DivergentBranches => c.divergent_branches,
        Metric::BytesToDevice | Metric::BytesToHost | Metric::Launches | Metric::Allocations => 0,
    };
    // The first of equals, so that the answer does not depend on the order of later lines.
    let lines = seen.lines.iter().filter(|line| line.source.line > 0 && weight(&line.counters) > 0);
    lines.rev().max_by_key(|line| weight(&line.counters)).cloned()
}
