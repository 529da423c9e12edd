//! Compares the simulator's counts with the targets of gates.
//!
//! A gate counts what the code moves, and not which instructions it uses ([`Traffic`]), so a load
//! that another instruction takes the place of is still a load.

use ptxsim::count::SECTOR;
use ptxsim::{Disturbance, LineCounters, Moves, Observations, Traffic};

use super::{programs, resources};
use crate::backend::{Output, Run};
use crate::spec::{Gate, Metric, Op, Role, Spec};
use crate::value::Value;
use crate::verdict::Measured;

/// Measures every gate of `spec`, in their order, on case `index` with these `inputs`, and finds
/// the source line that contributes most to the decisive missed gate. A case that is not gated has
/// no gates, except the one that every program has. A gate that could not be measured does not
/// hold. `unused` are the disturbances that have shown that the results don't use what a gate
/// counts.
pub fn gates(
    spec: &'static Spec,
    index: usize,
    inputs: &[Value],
    run: &Run,
    unused: &[Disturbance],
) -> (Vec<Measured>, Vec<LineCounters>) {
    let beyond = too_many_static_bytes(spec, index, run);
    if spec.cases.get(index).is_some_and(|case| !case.gated) {
        return (beyond.into_iter().collect(), Vec::new());
    }
    let seen = run.observations.as_ref().filter(|seen| seen.completed);
    // a baseline is a count of the first gated case, and another case has other counts
    let first = spec.cases.iter().position(|case| case.gated) == Some(index);
    let measured = spec.gates.iter();
    let measured = measured.map(|gate| {
        let gate = Gate { baseline: gate.baseline.filter(|_| first), ..*gate };
        let program = run.program.as_ref().zip(spec.cases.get(index));
        // a kernel that fails on purpose does not complete, but its program does
        let of_program = program.and_then(|(program, case)| {
            let value = programs::measure(gate, case, program)?;
            Some(programs::with_shared_memory(gate, value, program))
        });
        let value = of_program
            .or_else(|| resources::measure(gate.metric, spec, spec.cases.get(index)?, run))
            .or_else(|| measure(spec, gate, seen?, inputs, run));
        let is_met = value.is_some_and(|value| holds(gate, value));
        let unused = unused.iter().copied().find(|&found| is_met && shows_unused(gate, found));
        let value = if unused.is_some() { Some(0.0) } else { value };
        let holds = value.is_some_and(|value| holds(gate, value));
        let output = seen.filter(|_| gate.metric == Metric::WritesPerElement && !holds);
        let output = output.and_then(|seen| super::rewritten(spec, gate.target, seen));
        Measured { gate, value, holds, output, unused }
    });
    let measured: Vec<Measured> = measured.chain(beyond).collect();
    let lines = Measured::decisive(&measured)
        .filter(|missed| {
            missed.gate.op != Op::AtLeast
                || matches!(
                    missed.gate.metric,
                    Metric::LoadsInFlight | Metric::BytesInFlight | Metric::WorkDuringLoads
                )
        })
        .and_then(|missed| Some(heaviest_lines(missed.gate.metric, seen?)));
    (measured, lines.unwrap_or_default())
}

/// The gate for variables in global memory that every program has, if the program misses it.
///
/// An array whose size the source decides is no substitute for an allocation: it fails with longer
/// inputs than those of the cases.
fn too_many_static_bytes(spec: &Spec, index: usize, run: &Run) -> Option<Measured> {
    let gate = programs::STATIC_BYTES;
    let (program, case) = run.program.as_ref().zip(spec.cases.get(index))?;
    let own = spec.gates.iter().any(|own| own.metric == gate.metric);
    let value = programs::measure(gate, case, program)?;
    let missed = spec.kind.has_host_code() && !own && !holds(gate, value);
    missed.then_some(Measured {
        gate,
        value: Some(value),
        holds: false,
        output: None,
        unused: None,
    })
}

/// Whether a gate is not one of the exercise's own, but one that every program has.
pub fn is_of_every_program(spec: &Spec, measured: &Measured) -> bool {
    !spec.gates.iter().any(|own| own.metric == measured.gate.metric)
}

/// Whether a disturbance that has found something unused is about what the gate counts.
const fn shows_unused(gate: Gate, found: Disturbance) -> bool {
    match gate.metric {
        Metric::SharedRequests | Metric::SharedBytes => {
            matches!(gate.op, Op::AtLeast) && matches!(found, Disturbance::Exchange)
        }
        Metric::TextureRequests { .. } => !matches!(found, Disturbance::Exchange),
        _ => false,
    }
}

fn holds(gate: Gate, value: f64) -> bool {
    match gate.op {
        Op::AtMost => value <= gate.target,
        Op::AtLeast => value >= gate.target,
        Op::Exactly => value == gate.target,
    }
}

/// The most instructions during a load that count, as a multiple of those that a gate wants.
const MOST_WORK: f64 = 1.25;

fn measure(
    spec: &Spec,
    gate: Gate,
    seen: &Observations,
    inputs: &[Value],
    run: &Run,
) -> Option<f64> {
    let (totals, traffic) = (&seen.totals, &seen.traffic);
    let loads = loads(traffic, constants_are_data(spec, seen, inputs));
    let elements = elements(spec, run) as f64;
    let per_element = |count: u64| (elements > 0.0).then(|| count as f64 / elements);
    let count = match gate.metric {
        Metric::SectorsPerRequest { bytes } => {
            return sectors_per_request(loads, traffic.stores, f64::from(bytes) * elements);
        }
        Metric::WritesPerElement => return super::writes_per_element(spec, seen).map(f64::from),
        Metric::LoadsPerElement => return per_element(loads.words),
        Metric::BytesPerElement => return per_element(SECTOR * loads.sectors),
        Metric::Barriers => {
            return (seen.warps > 0).then(|| traffic.barriers as f64 / seen.warps as f64);
        }
        Metric::SharedConflicts => traffic.shared_conflicts,
        // a gate that asks for more of these wants the instructions that the exercise teaches
        Metric::SharedRequests if gate.op == Op::AtLeast => totals.shared_requests,
        Metric::LoadRequests if gate.op == Op::AtLeast => totals.load_requests,
        Metric::SharedRequests => traffic.shared_requests,
        Metric::SharedWords => traffic.shared_words,
        Metric::SingleProducts => traffic.single_products,
        Metric::LoadRequests => loads.requests,
        Metric::StoreRequests => traffic.stores.requests,
        Metric::TextureRequests { .. } => totals.texture_requests,
        Metric::DivergentBranches => totals.divergent_branches,
        Metric::SharedBytes => u64::from(seen.shared_bytes),
        Metric::GlobalAtomics => totals.thread_atomics,
        Metric::Branches => traffic.branches,
        Metric::MatrixProducts => totals.matrix_multiplications,
        Metric::Instructions => totals.instructions,
        // a fused multiplication and addition is as much work as both, as far as they were counted
        Metric::BusiestWarp => {
            seen.busiest_warp + seen.awaited.as_ref().map_or(0, |awaited| awaited.fused)
        }
        Metric::LoadsInFlight => {
            let waits = seen.load_waits.filter(|waits| *waits > 0)?;
            return Some((totals.load_requests + totals.texture_requests) as f64 / waits as f64);
        }
        Metric::BytesInFlight => {
            let waits = seen.load_waits.filter(|waits| *waits > 0)?;
            // further loads of the same elements would be in flight for nothing
            let needed = inputs.iter().filter(|value| matches!(value, Value::Array(_)));
            let needed = needed.map(|array| array.array_bytes() as u64).sum();
            let loaded = (SECTOR * traffic.loads.sectors_packed()).min(needed);
            return Some(loaded as f64 / waits as f64);
        }
        Metric::WorkDuringLoads => {
            let most = MOST_WORK * gate.target;
            return seen.awaited.as_ref()?.instructions(most as u64);
        }
        // `programs` measures the other metrics.
        _ => return None,
    };
    Some(count as f64)
}

/// Sectors of loads and stores for each 128 bytes that they need, of which the outputs need
/// `packed_bytes` at most; `None` when there was no request.
///
/// Requests beyond these are not among those that the wasted sectors are divided by. A kernel that
/// loads a pad again and again, in packed requests, would lower the average without wasting fewer
/// sectors.
fn sectors_per_request(loads: Moves, stores: Moves, packed_bytes: f64) -> Option<f64> {
    let wasted = (loads.sectors_wasted() + stores.sectors_wasted()) as f64;
    let packed = (loads.sectors_packed() + stores.sectors_packed()) as f64;
    let needed = packed.min((packed_bytes / SECTOR as f64).ceil());
    (needed > 0.0).then(|| 4.0 * (1.0 + wasted / needed))
}

/// What was loaded from global memory, and from constant memory if it holds the data.
const fn loads(traffic: &Traffic, constants_are_data: bool) -> Moves {
    let mut loads = traffic.loads;
    if constants_are_data {
        loads.add(&traffic.constants);
    }
    loads
}

/// Whether constant memory may hold the exercise's data, and not only some coefficients: it is at
/// least half as large as the largest array that the code reads. A smaller one would leave most of
/// the loads to global memory.
fn constants_are_data(spec: &Spec, seen: &Observations, inputs: &[Value]) -> bool {
    let arrays = spec.params.iter().zip(inputs);
    let read = arrays.filter(|(param, _)| matches!(param.role, Role::In | Role::InOut));
    let largest = read.map(|(_, array)| array.array_bytes() as u64).max().unwrap_or(0);
    largest > 0 && 2 * seen.constant_bytes >= largest
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
    let weight = |line: &LineCounters| {
        let LineCounters { counters, traffic, .. } = line;
        let loads = loads(traffic, true);
        match metric {
            Metric::SectorsPerRequest { .. } => {
                loads.sectors_wasted() + traffic.stores.sectors_wasted()
            }
            Metric::WritesPerElement => counters.store_requests,
            Metric::SharedConflicts => traffic.shared_conflicts,
            Metric::SharedRequests => traffic.shared_requests,
            Metric::SharedWords => traffic.shared_words,
            Metric::SingleProducts => traffic.single_products,
            Metric::LoadRequests
            | Metric::LoadsInFlight
            | Metric::BytesInFlight
            | Metric::WorkDuringLoads => loads.requests,
            Metric::LoadsPerElement => loads.lanes,
            Metric::BytesPerElement => loads.sectors,
            Metric::StoreRequests => traffic.stores.requests,
            Metric::TextureRequests { .. } => counters.texture_requests,
            Metric::DivergentBranches => counters.divergent_branches,
            Metric::Barriers => traffic.barriers,
            Metric::GlobalAtomics => counters.thread_atomics,
            Metric::Branches => traffic.branches,
            Metric::Instructions | Metric::BusiestWarp => counters.instructions,
            _ => 0,
        }
    };
    // Which of several lines writes an element again is not known; two can be shown together.
    let stores = seen.lines.iter().filter(|line| line.counters.store_requests > 0).count();
    if metric == Metric::WritesPerElement && stores > 2 {
        return vec![];
    }
    // Of equal lines the first, so that the result does not depend on the order.
    let lines = seen.lines.iter().filter(|line| line.source.line > 0 && weight(line) > 0);
    let Some(first) = lines.clone().rev().max_by_key(|line| weight(line)) else {
        return vec![];
    };
    let all = matches!(
        metric,
        Metric::TextureRequests { .. } | Metric::SharedConflicts | Metric::WritesPerElement
    );
    let others = lines.filter(|line| all && *line != first);
    std::iter::once(first).chain(others).cloned().collect()
}
