//! Which work of a right case its results need. Gates count no other work.
//!
//! A case runs again without a launch, or with kernels that are disturbed. What this changes in the
//! results tells whether they needed the launch, or the data that the disturbance has changed. The
//! secret part of a seed chooses none of these runs.

use std::collections::HashSet;

use cudart_sim::clock::Engine as DeviceEngine;
use cudart_sim::report::{DoneCopy, Report};
use cudart_sim::runtime::Skipped;
use ptxsim::Disturbance;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::{CompiledCode, Error, PreparedCase};
use crate::backend::{Choice, Output, Run};
use crate::engine::Engine;
use crate::judge;
use crate::spec::{Gate, Metric, Op, Role, Spec};
use crate::value::Value;

/// So many launches, or copies in one direction, are all left out, one after the other.
const FEW: usize = 16;

/// Launches that are left out of many.
const CHOSEN: usize = 8;

/// If shared memory changes, at most one of so many elements of an output may be an exception.
const MOST: usize = 32;

/// A right case that runs again.
pub(super) struct NeededWork<'a> {
    pub spec: &'static Spec,
    pub prepared: &'a PreparedCase,
    pub code: &'a mut CompiledCode,
    pub engine: &'a mut Engine,
}

impl NeededWork<'_> {
    /// Takes those launches and copies from the timeline and the counts of a gated case without
    /// which its results are right. Returns the disturbances of data that the results don't use,
    /// although a gate wants this.
    pub(super) fn keep(&mut self, run: &mut Run) -> Result<Vec<Disturbance>, Error> {
        if !self.prepared.case.gated {
            return Ok(vec![]);
        }
        self.leave_out_launches(run)?;
        self.leave_out_copies(run)?;
        self.leave_out_others(run)?;
        let mut unused = vec![];
        if self.spec.gates.iter().any(wants_exchange) && !self.uses_exchange(run)? {
            unused.push(Disturbance::Exchange);
        }
        for gate in self.spec.gates {
            for &disturbance in suppressed(gate.metric) {
                if self.uses_other_data(disturbance)? {
                    unused.push(disturbance);
                }
            }
            for &disturbance in not_needed(gate.metric) {
                if self.changes_with(run, disturbance)? {
                    unused.push(disturbance);
                }
            }
        }
        Ok(unused)
    }

    /// Takes from the timeline the launches without which the results are right, where a gate wants
    /// launches that have a share of the work.
    fn leave_out_launches(&mut self, run: &mut Run) -> Result<(), Error> {
        let wants = |gate: &Gate| match gate.metric {
            Metric::ConcurrentKernels => true,
            Metric::Launches => gate.op != Op::AtMost,
            _ => false,
        };
        let Some(program) = run.program.as_mut() else { return Ok(()) };
        if !self.spec.gates.iter().any(wants) {
            return Ok(());
        }
        for number in chosen(program.launches.len(), self.prepared.order()) {
            let without = self.run(&self.prepared.without(Skipped::Launch(number)))?;
            let right =
                judge::case(self.spec, self.prepared.index, &self.prepared.inputs, &without)
                    .is_none();
            if let Some(launch) = program.launches.get_mut(number - 1).filter(|_| right) {
                launch.span = None;
            }
        }
        Ok(())
    }

    /// Takes from the timeline and the counts the copies without which the results are right, where
    /// a gate wants copies that bring data where it is needed, and managed memory may bring it
    /// there instead.
    fn leave_out_copies(&mut self, run: &mut Run) -> Result<(), Error> {
        let wants = |gate: &Gate| match gate.metric {
            Metric::Overlap => true,
            Metric::BytesToDevice
            | Metric::BytesToHost
            | Metric::CopiesToDevice
            | Metric::CopiesToHost => gate.op != Op::AtMost,
            _ => false,
        };
        let Some(program) = run.program.as_mut() else { return Ok(()) };
        if program.managed.used == 0 || !self.spec.gates.iter().any(wants) {
            return Ok(()); // data comes to the device by copies alone, or crosses the bus and counts
        }
        for direction in [true, false] {
            let of_direction = |(number, copy): (usize, &DoneCopy)| {
                (copy.to_device == direction && copy.from_device != direction).then_some(number)
            };
            let copies = (1..).zip(&program.done_copies);
            let mut untried: Vec<usize> = copies.filter_map(of_direction).collect();
            if untried.len() > FEW {
                untried.shuffle(&mut ChaCha8Rng::seed_from_u64(self.prepared.order()));
            }
            let mut unneeded = vec![];
            for number in untried.drain(..FEW.min(untried.len())) {
                let without = self.run(&self.prepared.without(Skipped::Copy(number)))?;
                let (index, inputs) = (self.prepared.index, &self.prepared.inputs);
                if judge::case(self.spec, index, inputs, &without).is_none() {
                    unneeded.push(number);
                }
            }
            if !unneeded.is_empty() {
                unneeded.append(&mut untried); // they are taken for what those are that were tried
            }
            unneeded.iter().for_each(|number| leave_out(program, number - 1));
        }
        Ok(())
    }

    /// Takes from the timeline the launch that a program measures if the results need another one.
    /// Otherwise a program could measure any launch that takes as long as the kernel.
    fn leave_out_others(&mut self, run: &mut Run) -> Result<(), Error> {
        let wants = |gate: &Gate| gate.metric == Metric::TimedKernels;
        let Some(program) = run.program.as_mut() else { return Ok(()) };
        let measured = judge::measured_launch(program);
        let Some(index) = measured.filter(|_| self.spec.gates.iter().any(wants)) else {
            return Ok(());
        };
        let alone = self.run(&self.prepared.without(Skipped::OtherLaunches(index + 1)))?;
        if judge::case(self.spec, self.prepared.index, &self.prepared.inputs, &alone).is_some() {
            program.launches[index].span = None;
        }
        Ok(())
    }

    /// Whether the results come from what threads read of each other in shared memory.
    ///
    /// These words are exchanged for those of a run with other input arrays. If the results are
    /// elements of the inputs that have been moved, they have to be those of the other run then,
    /// for one of the input arrays: what is only compared with shared memory, or found with an
    /// index in it, stays as it was. Other results have to change. A few elements may be different,
    /// because a thread that looks up a value may happen to find one that it has written itself.
    fn uses_exchange(&mut self, run: &Run) -> Result<bool, Error> {
        if !self.moves(run) {
            let other = self.prepared.with_other_arrays(self.spec);
            let (_, exchanged) = self.exchange(&other)?;
            return Ok(self.results(run).all(|(output, bytes)| {
                same(output, &exchanged, bytes) * MOST <= output.data.len() / bytes
            }));
        }
        for array in self.arrays() {
            let other = self.prepared.with_other_array(self.spec, array);
            let (other, exchanged) = self.exchange(&other)?;
            let moved = self.results(&other).all(|(output, bytes)| {
                let elements = output.data.len() / bytes;
                (elements - same(output, &exchanged, bytes)) * MOST <= elements
            });
            if moved && self.results(run).any(|(output, _)| differs(output, &other)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A run with these other inputs, and one with the case's own inputs that gets what the first
    /// one has in shared memory.
    fn exchange(&mut self, other: &PreparedCase) -> Result<(Run, Run), Error> {
        let other = self.run(&other.disturbed(Disturbance::Exchange))?;
        let exchanged = self.run(&self.prepared.exchanging(&other))?;
        Ok((other, exchanged))
    }

    /// The input arrays, the shortest one first.
    fn arrays(&self) -> Vec<usize> {
        let inputs = &self.prepared.inputs;
        let mut arrays: Vec<usize> =
            (0..inputs.len()).filter(|&i| matches!(inputs[i], Value::Array(_))).collect();
        arrays.sort_by_key(|&i| inputs[i].array_bytes());
        arrays
    }

    /// Whether all elements of the results are elements of the input arrays.
    fn moves(&self, run: &Run) -> bool {
        let mut elements = HashSet::new();
        let arrays = self.arrays().into_iter().map(|i| match &self.prepared.inputs[i] {
            Value::Array(array) => (array.to_bytes(), array.dtype().bytes()),
            Value::Scalar(_) | Value::Out { .. } => (vec![], 1),
        });
        for (data, bytes) in arrays {
            elements.extend(data.chunks(bytes).map(<[u8]>::to_vec));
        }
        self.results(run)
            .all(|(output, bytes)| output.data.chunks(bytes).all(|e| elements.contains(e)))
    }

    /// The outputs that are computed on the device, with the bytes of an element.
    fn results<'r>(&self, run: &'r Run) -> impl Iterator<Item = (&'r Output, usize)> {
        let spec = self.spec;
        run.outputs.iter().filter_map(move |output| {
            let param = spec.params.iter().find(|param| param.name == output.name)?;
            let own = matches!(param.role, Role::Out | Role::InOut);
            own.then_some((output, param.dtype.bytes()))
        })
    }

    /// Whether the results depend on the input arrays although this data is suppressed.
    fn uses_other_data(&mut self, disturbance: Disturbance) -> Result<bool, Error> {
        let own = self.run(&self.prepared.disturbed(disturbance))?;
        let other = self.prepared.with_other_arrays(self.spec).disturbed(disturbance);
        let other = self.run(&other)?;
        Ok(own.outputs.iter().any(|output| self.is_result(output) && differs(output, &other)))
    }

    /// Whether the results are others with this disturbance.
    fn changes_with(&mut self, run: &Run, disturbance: Disturbance) -> Result<bool, Error> {
        let disturbed = self.run(&self.prepared.disturbed(disturbance))?;
        Ok(run.outputs.iter().any(|output| self.is_result(output) && differs(output, &disturbed)))
    }

    /// Whether an output is computed on the device.
    fn is_result(&self, output: &Output) -> bool {
        let param = self.spec.params.iter().find(|param| param.name == output.name);
        param.is_some_and(|param| matches!(param.role, Role::Out | Role::InOut))
    }

    fn run(&mut self, prepared: &PreparedCase) -> Result<Run, Error> {
        self.code.run(Choice::Sim, self.spec, prepared, self.engine)
    }
}

/// The launches that are left out, from 1: all of a few, and of many those that a public order
/// chooses.
fn chosen(all: usize, order: u64) -> Vec<usize> {
    let mut numbers: Vec<usize> = (1..=all).collect();
    if all > FEW {
        numbers.shuffle(&mut ChaCha8Rng::seed_from_u64(order));
        numbers.truncate(CHOSEN);
    }
    numbers
}

/// Counts a copy as unneeded.
fn leave_out(program: &mut Report, index: usize) {
    let Some(copy) = program.done_copies.get_mut(index) else { return };
    copy.unneeded = true;
    if let Some(span) = copy.span.and_then(|span| program.timeline.get_mut(span)) {
        span.engine = DeviceEngine::HostOnly;
    }
}

/// Whether a gate wants threads to pass values through shared memory.
fn wants_exchange(gate: &Gate) -> bool {
    matches!(gate.metric, Metric::SharedRequests | Metric::SharedBytes) && gate.op == Op::AtLeast
}

/// What is suppressed, one after the other, where a gate wants all data to go this way.
const fn suppressed(metric: Metric) -> &'static [Disturbance] {
    match metric {
        Metric::TextureRequests { surfaces: false } => &[Disturbance::Fetches],
        Metric::TextureRequests { surfaces: true } => {
            &[Disturbance::Fetches, Disturbance::SurfaceStores]
        }
        _ => &[],
    }
}

/// What is suppressed, one after the other, where a gate wants that the results don't need it,
/// because a program could get all data in another way, and compare it with the data that a texture
/// or a surface gives.
const fn not_needed(metric: Metric) -> &'static [Disturbance] {
    match metric {
        Metric::TextureRequests { surfaces: false } => &[Disturbance::Loads, Disturbance::Gathers],
        Metric::TextureRequests { surfaces: true } => {
            &[Disturbance::Loads, Disturbance::Gathers, Disturbance::Stores]
        }
        _ => &[],
    }
}

/// How many elements of an output are the same in this run.
fn same(output: &Output, run: &Run, bytes: usize) -> usize {
    let other = run.outputs.iter().find(|other| other.name == output.name);
    let other = other.map_or(&[][..], |other| &other.data);
    let pairs = output.data.chunks(bytes).zip(other.chunks(bytes));
    pairs.filter(|(own, other)| own == other).count()
}

/// Whether an output is another one in this run.
fn differs(output: &Output, run: &Run) -> bool {
    let same = |other: &Output| other.name == output.name && other.data == output.data;
    !run.outputs.iter().any(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::{SEED, in_public_order};
    use crate::exercises;

    /// Two secrets leave out the same launches: all of a few, and several of many.
    #[test]
    fn a_secret_chooses_no_launch() {
        let spec = exercises::find("cleanup").expect("an exercise");
        let numbers = |launches, seed| {
            let prepared = PreparedCase::new(spec, (1, &spec.cases[1]), seed);
            chosen(launches, prepared.order())
        };
        let secrets = [SEED, in_public_order(0x1234_5678_9abc_def0), in_public_order(u64::MAX)];
        for launches in [0, 1, FEW] {
            let all: Vec<usize> = (1..=launches).collect();
            assert!(secrets.iter().all(|&secret| numbers(launches, secret) == all));
        }
        let chosen = numbers(100, SEED);
        assert!(secrets.iter().all(|&secret| numbers(100, secret) == chosen));
        let different: std::collections::BTreeSet<usize> = chosen.iter().copied().collect();
        assert_eq!(different.len(), CHOSEN);
        assert!(different.iter().all(|number| (1..=100).contains(number)));
    }
}
