//! A case with its inputs, ready to be launched or called.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use cudart_sim::runtime::{MachineFault, Skipped, Watching};
use ptxsim::{Disturbance, Snapshots};

use super::{BUDGET, ORDER, is_secret};
use crate::backend::{Arg, Call, Clock, Launch, PartOf, Run};
use crate::scaled;
use crate::spec::{self, Case, HostPart, Metric, Param, Role, Spec};
use crate::value::Value;

/// A case with its arguments.
pub struct PreparedCase {
    /// Index into `Spec::cases`.
    pub index: usize,
    /// The case.
    pub case: &'static Case,
    /// Its arguments in the order of the parameters.
    pub inputs: Vec<Value>,
    /// The case's own seed, which is derived from the seed of the check.
    pub seed: u64,
    /// How many times a launch is timed ([`Launch::repeat`]); a call is timed if that isn't 0.
    pub repeat: u32,
    /// The work of a program that the simulator leaves out, if any.
    pub skipped: Option<Skipped>,
    /// How many times as much the case works that this one is a part of, if it is: the simulator
    /// then counts waits for loads and what caches can't serve.
    pub part_of: Option<u32>,
    /// How the simulated machine differs, if it does.
    pub fault: Option<spec::MachineFault>,
    /// What the simulator disturbs in kernels, if anything.
    pub disturbance: Option<Disturbance>,
    /// What [`Disturbance::Exchange`] puts into shared memory, for each launch.
    pub snapshots: Vec<Snapshots>,
}

impl PreparedCase {
    /// The inputs that `seed` gives for the case with this index.
    pub fn new(spec: &Spec, (index, case): (usize, &'static Case), seed: u64) -> Self {
        let of_check = seed;
        let seed = seed.wrapping_add(index as u64);
        let mut inputs = (spec.inputs)(case, &mut ChaCha8Rng::seed_from_u64(seed));
        if is_secret(of_check) {
            // a case's second call, whose seed differs in the other bits, has the same factors
            scaled::scale(spec, !(of_check & !ORDER | index as u64), &mut inputs);
        }
        let fault = case.fault;
        Self {
            index,
            case,
            inputs,
            seed,
            repeat: 0,
            skipped: None,
            part_of: None,
            fault,
            disturbance: None,
            snapshots: vec![],
        }
    }

    /// The seed of the check.
    pub const fn check_seed(&self) -> u64 {
        self.seed.wrapping_sub(self.index as u64)
    }

    /// The part of the seed that is public: it chooses orders, and no inputs.
    pub const fn order(&self) -> u64 {
        self.seed & ORDER
    }

    /// The seed of a check whose arrays a second call gets.
    pub const fn other_seed(&self) -> u64 {
        self.check_seed().wrapping_add(1)
    }

    /// The same case with the same numbers, and with the arrays that another seed gives.
    pub fn with_other_arrays(&self, spec: &Spec) -> Self {
        self.with(spec, |own, other| match (own, other) {
            (Value::Array(a), Value::Array(b)) => a.len() == b.len(),
            _ => false,
        })
    }

    /// The same case with the same inputs, but for the array with this index, which another seed
    /// gives.
    pub fn with_other_array(&self, spec: &Spec, index: usize) -> Self {
        let all = self.with_other_arrays(spec).inputs;
        let pairs = self.inputs.iter().zip(all).enumerate();
        let inputs = pairs.map(|(i, (own, other))| if i == index { other } else { own.clone() });
        Self { inputs: inputs.collect(), snapshots: vec![], ..*self }
    }

    /// The same case with the same arrays, and with the numbers that another seed gives.
    pub fn with_other_numbers(&self, spec: &Spec) -> Self {
        self.with(spec, |own, _| matches!(own, Value::Scalar(_)))
    }

    /// The same case with those inputs of another seed that `takes` chooses, given both.
    fn with(&self, spec: &Spec, takes: impl Fn(&Value, &Value) -> bool) -> Self {
        let others = Self::new(spec, (self.index, self.case), self.other_seed());
        let mix =
            |(own, other): (&Value, Value)| if takes(own, &other) { other } else { own.clone() };
        let inputs = self.inputs.iter().zip(others.inputs).map(mix).collect();
        Self { inputs, snapshots: vec![], ..*self }
    }

    /// The same case without this work.
    pub fn without(&self, skipped: Skipped) -> Self {
        Self { inputs: self.inputs.clone(), skipped: Some(skipped), snapshots: vec![], ..*self }
    }

    /// The same case as a part of one that works so many times as much.
    pub fn part_of(self, times: u32) -> Self {
        Self { part_of: Some(times), ..self }
    }

    /// The same case with kernels that are disturbed.
    pub fn disturbed(&self, disturbance: Disturbance) -> Self {
        let snapshots = vec![];
        Self { inputs: self.inputs.clone(), disturbance: Some(disturbance), snapshots, ..*self }
    }

    /// The same case with shared memory that has the contents of another run.
    pub fn exchanging(&self, other: &Run) -> Self {
        let program = other.program.iter().flat_map(|program| &program.launches);
        let launches = program.map(|launch| &launch.observations);
        let kernel = other.observations.iter().filter(|_| other.program.is_none());
        let snapshots = launches.chain(kernel).map(|seen| seen.snapshots.as_deref().cloned());
        let snapshots = snapshots.map(Option::unwrap_or_default).collect();
        Self { snapshots, ..self.disturbed(Disturbance::Exchange) }
    }

    /// The same case on a machine with this fault.
    pub fn on_machine_with(&self, fault: spec::MachineFault) -> Self {
        Self { inputs: self.inputs.clone(), fault: Some(fault), snapshots: vec![], ..*self }
    }

    /// The launch of a kernel: arguments as bytes, in the order of its parameters.
    pub fn launch(&self, spec: &Spec) -> Launch {
        Launch {
            entry: spec.id.into(),
            grid: self.case.grid,
            block: self.case.block,
            shared: self.case.shared,
            cooperative: spec.cooperative,
            ordered: spec.ordered.iter().map(|name| (*name).to_owned()).collect(),
            args: self.args(spec).collect(),
            seed: self.order(),
            budget: BUDGET,
            repeat: self.repeat,
            disturbance: self.disturbance,
            snapshots: self.snapshots.first().cloned(),
            count_waits: self.case.gated
                && [Metric::LoadsInFlight, Metric::BytesInFlight, Metric::WorkDuringLoads]
                    .into_iter()
                    .any(|metric| spec.has_gate(metric)),
            part_of: self.part_of.map(|times| PartOf { times, registers: None }),
        }
    }

    /// The call of a program's function.
    pub fn call(&self, spec: &Spec) -> Call {
        Call {
            entry: spec.id.into(),
            args: spec.params.iter().map(|param| param.dtype).zip(self.args(spec)).collect(),
            seed: self.order(),
            budget: BUDGET,
            timed: (self.repeat > 0).then_some(Clock::Host),
            traced: None,
            watching: watching(spec),
            skipped: self.skipped,
            part_of: self.part_of,
            disturbance: self.disturbance,
            snapshots: self.snapshots.clone(),
            fault: self.fault.map(simulated),
            resources: vec![],
        }
    }

    /// The arguments as bytes.
    fn args(&self, spec: &Spec) -> impl Iterator<Item = Arg> {
        spec.params.iter().zip(&self.inputs).map(|(param, value)| arg(param, value))
    }
}

/// The fault as the simulated runtime knows it.
const fn simulated(fault: spec::MachineFault) -> MachineFault {
    match fault {
        spec::MachineFault::Unavailable => MachineFault::Unavailable,
        spec::MachineFault::NoKernelImage => MachineFault::NoKernelImage,
        spec::MachineFault::MemoryError => MachineFault::MemoryError,
        spec::MachineFault::MemoryErrorInCopyIn => MachineFault::MemoryErrorInCopyIn,
        spec::MachineFault::MemoryErrorInCopyOut => MachineFault::MemoryErrorInCopyOut,
        spec::MachineFault::LessSharedMemory => MachineFault::LessSharedMemory,
    }
}

fn watching(spec: &Spec) -> Watching {
    match spec.kind.host_part() {
        Some(HostPart::Rearranges) => Watching::Words,
        None | Some(HostPart::Copies) => Watching::Blocks,
    }
}

fn arg(param: &Param, value: &Value) -> Arg {
    let buffer = |dtype, bytes, data| Arg::Buffer {
        name: param.name.into(),
        dtype,
        bytes,
        data,
        writable: param.role != Role::In,
    };
    match value {
        Value::Scalar(scalar) => Arg::Scalar(scalar.to_bytes()),
        Value::Array(array) => {
            let data = array.to_bytes();
            buffer(array.dtype(), data.len(), Some(data))
        }
        Value::Out { dtype, .. } => buffer(*dtype, value.array_bytes(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::in_public_order;
    use super::*;
    use crate::attempt::SEED;
    use crate::exercises;

    /// Two secrets give other inputs, but the same order of blocks and warps as a learner's check.
    #[test]
    fn secret_seeds_change_the_inputs_and_not_the_order() {
        let spec = exercises::find("blocks").expect("an exercise");
        let prepare = |seed| PreparedCase::new(spec, (1, &spec.cases[1]), seed);
        let [public, one, other] =
            [SEED, in_public_order(0x1234_5678_9abc_def0), in_public_order(u64::MAX)].map(prepare);
        assert!(one.inputs != other.inputs && one.inputs != public.inputs);
        for secret in [&one, &other] {
            assert_eq!(secret.launch(spec).seed, public.launch(spec).seed);
        }
        assert_ne!(prepare(SEED + 1).launch(spec).seed, public.launch(spec).seed);
    }
}
