//! Which call returns which error: the failed call itself, the check after the launch, the wait, or
//! every later call.

use ndarray::{ArrayD, arr1};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{
    Case, HostPart, Kind, MachineFault, Metric, Param, Role, Spec, Start, Tolerance,
};
use crate::value::{Array, DType, Scalar, Value};

/// `error_checking`.
pub static SPEC: Spec = Spec {
    id: "error_checking",
    chapter: "ch02_memory",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Write,
    minutes: 30,
    goal: "record every error from the call that returns it",
    cooperative: false,
    ordered: &[],
    params: &[
        Param { name: "codes", role: Role::Host, dtype: DType::I32, shape: "[6]" },
        floats_in_out("data", "[n]"),
        count("n"),
        Param { name: "bytes", role: Role::Scalar, dtype: DType::U64, shape: "" },
        count("threads"),
        count("bad"),
    ],
    cases: &[
        sized(
            "all is well",
            "all six codes are 0",
            &[("n", 1000), ("bytes", 4000), ("threads", 256), ("bad", 1000)],
        ),
        fault(
            "64 TiB",
            "no GPU has that much memory, so the first call fails",
            &[("n", 1000), ("bytes", 1 << 46), ("threads", 256), ("bad", 1000)],
        ),
        fault(
            "2048 threads",
            "the launch fails, and the program must still free the memory",
            &[("n", 1000), ("bytes", 4000), ("threads", 2048), ("bad", 1000)],
        ),
        lost(
            "a kernel that fails",
            "the launch succeeds, but the wait and `cudaFree` return the kernel's error",
            &[("n", 1000), ("bytes", 4000), ("threads", 256), ("bad", 500)],
        ),
        fault(
            "1025 threads",
            "one thread more than a block can have",
            &[("n", 33), ("bytes", 132), ("threads", 1025), ("bad", 33)],
        ),
        lost(
            "a failure at the last element",
            "the kernel fails even if only one thread of its last block fails",
            &[("n", 257), ("bytes", 1028), ("threads", 128), ("bad", 256)],
        ),
        sized(
            "all is well again",
            "allocating more memory than needed is allowed",
            &[("n", 257), ("bytes", 4096), ("threads", 1024), ("bad", 257)],
        ),
        machine(
            "an unavailable GPU",
            "the arguments are the same as in the first case, but another program is using the \
             GPU exclusively, so the first call fails",
            MachineFault::Unavailable,
        ),
        machine(
            "no code for this GPU",
            "the arguments are the same as in the first case, but the compiler has made no code \
             for this GPU, so the launch fails",
            MachineFault::NoKernelImage,
        ),
        machine(
            "an error in the memory",
            "the arguments are the same as in the first case, but the GPU's memory has an error \
             that can't be corrected, so the wait and `cudaFree` fail",
            MachineFault::MemoryError,
        ),
        one_of_four("100 elements", &[("n", 100)]),
        one_of_four("500 elements", &[("n", 500)]),
        one_of_four("77 elements", &[("n", 77)]),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    // a program that stores codes without making the calls doesn't pass
    gates: &[at_least(Metric::FailedCalls, 1.0)],
    hints: &[
        "Nearly every function of the runtime returns a `cudaError_t`, which is a number: 0 \
         (`cudaSuccess`), or the number of an error. A launch isn't a function call and returns \
         nothing. Which function returns the error of a launch?",
        "`cudaGetLastError()` returns the last error of any call or launch, and resets it. Right \
         after a launch, this function returns an error if the kernel couldn't start, for example \
         because of too many threads.",
        "When a launch returns, the kernel may not have begun, so you can't know its result yet. A \
         call that waits for the kernel returns the kernel's error, and `cudaDeviceSynchronize()` \
         does nothing but wait.",
        "Set `codes[0] = cudaMalloc(...)`, and return if it isn't 0. Then take one step after the \
         other, but only if the code of the previous step is 0. A skipped step has the code -1, \
         which isn't 0, so the steps after it are skipped as well. At the end, set `codes[5] = \
         cudaFree(...)` in any case.",
    ],
    pitfalls: &[
        "If you call `cudaGetLastError` only after the wait, you can't distinguish an error of the \
         launch from an error of the kernel.",
        "Free the memory even if you return at the first error. Wrong arguments don't harm the \
         device, so it continues to work, and the memory stays allocated.",
        "Don't mistake an old error for a new one. An error remains the last error until another \
         error replaces it or `cudaGetLastError` resets it. So the error of a `cudaMalloc` that \
         failed long ago can still be the last error after the next launch.",
        "Don't try to continue after a kernel has failed. The error is sticky, so every later call \
         of this process returns it, including `cudaFree`. Only a new process can use the device \
         again.",
        "Don't call `exit()` in a library, because the program that uses the library may still \
         have data to save.",
    ],
    learn: "chapter 2, \"Checking for errors\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

/// A case with an error, in which calls fail on purpose.
const fn fault(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    gated(Case { allows: &[Slug::CallFailed, Slug::UncheckedError], ..sized(name, why, sizes) })
}

/// A case in which the device is lost on purpose. After that, every call fails, so the program
/// can't free anything.
const fn lost(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    gated(Case { allows: LOST, ..sized(name, why, sizes) })
}

/// Findings that a lost device causes.
const LOST: &[Slug] = &[Slug::Trap, Slug::CallFailed, Slug::UncheckedError, Slug::MemoryLeak];

/// A case whose seed decides whether a step fails, and which step fails.
const fn one_of_four(name: &'static str, sizes: &'static [(&'static str, usize)]) -> Case {
    let why = "every step succeeds, or one of three steps fails";
    Case { allows: LOST, ..sized(name, why, sizes) }
}

/// A case in which a step fails because of the machine, so the arguments don't show which step
/// fails. The simulated runtime returns the error.
const fn machine(name: &'static str, why: &'static str, fault: MachineFault) -> Case {
    let sizes = &[("n", 1000), ("bytes", 4000), ("threads", 256), ("bad", 1000)];
    Case { fault: Some(fault), simulated_only: true, allows: LOST, ..sized(name, why, sizes) }
}

/// Largest number of threads in a block.
const MOST_THREADS: usize = 1024;
/// More memory than any GPU has, in bytes.
const TOO_MUCH: usize = 1 << 45;

/// `cudaErrorInvalidValue`, which an NVIDIA H200 returns for a launch with too many threads.
const INVALID_VALUE: i32 = 1;
/// `cudaErrorMemoryAllocation`.
const NO_MEMORY: i32 = 2;
/// `cudaErrorLaunchFailure`, the error of a kernel that trapped.
const LAUNCH_FAILURE: i32 = 719;
/// `cudaErrorDevicesUnavailable`.
const DEVICES_UNAVAILABLE: i32 = 46;
/// `cudaErrorNoKernelImageForDevice`.
const NO_KERNEL_IMAGE: i32 = 209;
/// `cudaErrorECCUncorrectable`, which ends the context.
const ECC_UNCORRECTABLE: i32 = 214;
/// The code for a step that the program does not reach.
const LEFT_OUT: i32 = -1;

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let known = |name| case.sizes.iter().find(|(n, _)| *n == name).map(|(_, size)| *size);
    let codes = Value::Out { dtype: DType::I32, shape: vec![6] };
    let data = uniform(rng, &[n]);
    let fails = if known("bytes").is_none() { rng.random_range(0..4) } else { 0 };
    let drawn = [
        if fails == 1 { rng.random_range(TOO_MUCH + 1..2 * TOO_MUCH) } else { 4 * n },
        if fails == 2 { rng.random_range(MOST_THREADS + 1..4000) } else { 128 },
        if fails == 3 { rng.random_range(0..n) } else { n },
    ];
    let [bytes, threads, bad] =
        std::array::from_fn(|i| known(["bytes", "threads", "bad"][i]).unwrap_or(drawn[i]));
    let bytes = Value::Scalar(Scalar::U64(bytes as u64));
    vec![codes, data, int(n), bytes, int(threads), int(bad)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let number = |at: usize| match inputs.get(at) {
        Some(Value::Scalar(Scalar::I32(number))) => *number as usize,
        Some(Value::Scalar(Scalar::U64(number))) => *number as usize,
        other => panic!("argument {at} is {other:?}, not a count"),
    };
    let codes = match case.fault {
        Some(fault) => codes_of_machine(fault),
        None => codes(number(3), number(4), number(5) < number(2)),
    };
    let data = f64s(inputs, 1);
    let data: ArrayD<f64> = if codes == [0; 6] { 2.0 * data } else { data };
    vec![arr1(&codes).into(), data.into()]
}

/// The code of each step.
const fn codes(bytes: usize, threads: usize, traps: bool) -> [i32; 6] {
    const NO: i32 = LEFT_OUT;
    if bytes > TOO_MUCH {
        [NO_MEMORY, NO, NO, NO, NO, NO]
    } else if threads > MOST_THREADS {
        [0, 0, INVALID_VALUE, NO, NO, 0]
    } else if traps {
        [0, 0, 0, LAUNCH_FAILURE, NO, LAUNCH_FAILURE]
    } else {
        [0; 6]
    }
}

/// The code of each step on a machine with this fault.
const fn codes_of_machine(fault: MachineFault) -> [i32; 6] {
    const NO: i32 = LEFT_OUT;
    match fault {
        MachineFault::Unavailable => [DEVICES_UNAVAILABLE, NO, NO, NO, NO, NO],
        MachineFault::NoKernelImage => [0, 0, NO_KERNEL_IMAGE, NO, NO, 0],
        MachineFault::MemoryError => [0, 0, 0, ECC_UNCORRECTABLE, NO, ECC_UNCORRECTABLE],
        MachineFault::LessSharedMemory => [0; 6],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng as _;

    /// The codes of a process with these steps on an NVIDIA H200 with driver 580.
    #[test]
    fn each_fault_is_reported_by_its_step() {
        assert_eq!(codes(4000, 256, false), [0, 0, 0, 0, 0, 0]);
        assert_eq!(codes(1 << 46, 256, false), [2, -1, -1, -1, -1, -1]);
        assert_eq!(codes(4000, 1025, false), [0, 0, 1, -1, -1, 0]);
        assert_eq!(codes(4000, 256, true), [0, 0, 0, 719, -1, 719]);
    }

    #[test]
    fn only_what_went_well_changes_the_data() {
        let case = |name| SPEC.cases.iter().find(|c| c.name == name).expect("a case");
        let after = |name| {
            let mut inputs = inputs(case(name), &mut ChaCha8Rng::seed_from_u64(1));
            inputs[1] = Value::Array(Array::F32(arr1(&[1.5_f32, -2.0]).into_dyn()));
            reference(case(name), &inputs).pop().map(|a| (a.get_f64(0), a.get_f64(1)))
        };
        assert_eq!(after("all is well"), Some((3.0, -4.0)));
        assert_eq!(after("2048 threads"), Some((1.5, -2.0)));
    }

    /// The arguments of these cases don't show that the machine causes an error.
    #[test]
    fn arguments_do_not_predict_what_the_machine_does() {
        let sizes = |case: &Case| case.sizes;
        let machines: Vec<&Case> = SPEC.cases.iter().filter(|c| c.fault.is_some()).collect();
        assert_eq!(machines.len(), 3);
        for case in machines {
            assert_eq!(sizes(case), sizes(&SPEC.cases[0]), "{}", case.name);
            let inputs = inputs(case, &mut ChaCha8Rng::seed_from_u64(1));
            let codes = reference(case, &inputs)[0].to_bytes();
            assert_ne!(codes, [0; 24], "{}", case.name);
        }
    }

    /// The seed decides which step fails, and each outcome occurs.
    #[test]
    fn each_outcome_is_drawn() {
        let case = SPEC.cases.iter().find(|c| c.name == "77 elements").expect("a case");
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..50 {
            let inputs = inputs(case, &mut ChaCha8Rng::seed_from_u64(seed));
            seen.insert(reference(case, &inputs)[0].to_bytes());
        }
        assert_eq!(seen.len(), 4);
    }
}
