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
    minutes: 40,
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
        well(
            "all is well",
            "all six codes are 0",
            &[("n", 1000), ("bytes", 4000), ("threads", 256), ("bad", 1000)],
        ),
        no_memory(
            "64 TiB",
            "no GPU has that much memory, so the first call fails",
            &[("n", 1000), ("bytes", 1 << 46), ("threads", 256), ("bad", 1000)],
        ),
        bad_launch(
            "2048 threads",
            "the launch fails, and the program must still free the memory",
            &[("n", 1000), ("bytes", 4000), ("threads", 2048), ("bad", 1000)],
        ),
        lost(
            "a kernel that fails",
            "the launch succeeds, but the wait and `cudaFree` return the kernel's error",
            &[("n", 1000), ("bytes", 4000), ("threads", 256), ("bad", 500)],
        ),
        bad_launch(
            "1025 threads",
            "one thread more than a block can have",
            &[("n", 33), ("bytes", 132), ("threads", 1025), ("bad", 33)],
        ),
        lost(
            "a failure at the last element",
            "the kernel fails even if only one thread of its last block fails",
            &[("n", 257), ("bytes", 1028), ("threads", 128), ("bad", 256)],
        ),
        well(
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
            "the arguments are the same as in the first case, but the program contains no code \
             for this GPU, so the launch fails",
            MachineFault::NoKernelImage,
        ),
        machine(
            "an error in the memory",
            "the arguments are the same as in the first case, but the GPU's memory has an error \
             that can't be corrected, so the wait and `cudaFree` fail",
            MachineFault::MemoryError,
        ),
        machine(
            "an error in the memory, at the copy in",
            "the same error, but the copy to the device finds it, so nothing is launched",
            MachineFault::MemoryErrorInCopyIn,
        ),
        machine(
            "an error in the memory, at the copy back",
            "the same error, but the copy to the host finds it, after the kernel has succeeded",
            MachineFault::MemoryErrorInCopyOut,
        ),
        no_memory(
            "a random amount of memory",
            "the first call fails, as with 64 TiB",
            &[("n", 100), ("threads", 128), ("bad", 100)],
        ),
        bad_launch(
            "a random number of threads",
            "the launch fails, as with 2048 threads",
            &[("n", 500), ("bytes", 2000), ("bad", 500)],
        ),
        lost(
            "a failure at a random element",
            "the kernel fails, and only the wait can return its error",
            &[("n", 77), ("bytes", 308), ("threads", 128)],
        ),
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
         call that waits for the kernel, such as `cudaDeviceSynchronize()`, returns the kernel's \
         error.",
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
         failed long ago can still be the last error after the next launch. In the solution, that \
         can't happen, because it launches the kernel only after successful calls, and the checker \
         runs each case in a process without old errors.",
        "Don't try to continue after a kernel has failed. The error is sticky, so all later calls \
         that use the device return it, including `cudaFree`. Only a new process can use the \
         device again.",
        "Don't call `exit()` in a library, because the program that uses the library may still \
         have data to save.",
    ],
    learn: "chapter 2, \"Checking for errors\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

/// A case in which no call fails. If the program passes, the checker calls it again on a
/// machine whose device is unavailable.
const fn well(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    Case { other_faults: &[MachineFault::Unavailable], ..sized(name, why, sizes) }
}

/// A case in which the allocation fails.
const fn no_memory(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    gated(Case { allows: FAILS, ..well(name, why, sizes) })
}

/// A case in which the launch fails. If the program passes, the checker calls it again on a
/// machine where the launch has another error.
const fn bad_launch(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    let other_faults = &[MachineFault::NoKernelImage];
    gated(Case { allows: FAILS, other_faults, ..sized(name, why, sizes) })
}

/// Findings that a failing call causes.
const FAILS: &[Slug] = &[Slug::CallFailed, Slug::UncheckedError];

/// A case in which the kernel fails. The device is lost, so every later call fails, and the program
/// can't free anything. If the program passes, the checker calls it again on a machine where the
/// kernel has another error.
const fn lost(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    let other_faults = &[MachineFault::MemoryError];
    gated(Case { allows: LOST, other_faults, ..sized(name, why, sizes) })
}

/// Findings that a lost device causes.
const LOST: &[Slug] = &[Slug::Trap, Slug::CallFailed, Slug::UncheckedError, Slug::MemoryLeak];

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

/// A size that the case doesn't have is drawn so that it causes the error.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let known = |name| case.sizes.iter().find(|(n, _)| *n == name).map(|(_, size)| *size);
    let codes = Value::Out { dtype: DType::I32, shape: vec![6] };
    let data = uniform(rng, &[n]);
    let bytes = known("bytes").unwrap_or_else(|| rng.random_range(TOO_MUCH + 1..2 * TOO_MUCH));
    let threads = known("threads").unwrap_or_else(|| rng.random_range(MOST_THREADS + 1..4000));
    let bad = known("bad").unwrap_or_else(|| rng.random_range(0..n));
    let bytes = Value::Scalar(Scalar::U64(bytes as u64));
    vec![codes, data, int(n), bytes, int(threads), int(bad)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let number = |at: usize| match inputs.get(at) {
        Some(Value::Scalar(Scalar::I32(number))) => *number as usize,
        Some(Value::Scalar(Scalar::U64(number))) => *number as usize,
        other => panic!("argument {at} is {other:?}, not a count"),
    };
    let codes = codes(number(3), number(4), number(5) < number(2), case.fault);
    let data = f64s(inputs, 1);
    let data: ArrayD<f64> = if codes == [0; 6] { 2.0 * data } else { data };
    vec![arr1(&codes).into(), data.into()]
}

/// The code of each step: the first step that fails decides.
fn codes(bytes: usize, threads: usize, traps: bool, fault: Option<MachineFault>) -> [i32; 6] {
    const NO: i32 = LEFT_OUT;
    let has = |other| fault == Some(other);
    let allocation = match () {
        () if has(MachineFault::Unavailable) => DEVICES_UNAVAILABLE,
        () if bytes > TOO_MUCH => NO_MEMORY,
        () => 0,
    };
    let copy_in = if has(MachineFault::MemoryErrorInCopyIn) { ECC_UNCORRECTABLE } else { 0 };
    let copy_out = if has(MachineFault::MemoryErrorInCopyOut) { ECC_UNCORRECTABLE } else { 0 };
    let launch = match () {
        () if has(MachineFault::NoKernelImage) => NO_KERNEL_IMAGE,
        () if threads > MOST_THREADS => INVALID_VALUE,
        () => 0,
    };
    let kernel = match () {
        () if has(MachineFault::MemoryError) => ECC_UNCORRECTABLE,
        () if traps => LAUNCH_FAILURE,
        () => 0,
    };
    match (allocation, copy_in, launch, kernel) {
        // an error that ends the context is also what `cudaFree` returns
        (0, 0, 0, 0) => [0, 0, 0, 0, copy_out, copy_out],
        (0, 0, 0, kernel) => [0, 0, 0, kernel, NO, kernel],
        (0, 0, launch, _) => [0, 0, launch, NO, NO, 0],
        (0, copy_in, ..) => [0, copy_in, NO, NO, NO, copy_in],
        (allocation, ..) => [allocation, NO, NO, NO, NO, NO],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng as _;

    /// The codes of a process with these steps on an NVIDIA H200 with driver 580.
    #[test]
    fn each_fault_is_reported_by_its_step() {
        let codes = |bytes, threads, traps| codes(bytes, threads, traps, None);
        assert_eq!(codes(4000, 256, false), [0, 0, 0, 0, 0, 0]);
        assert_eq!(codes(1 << 46, 256, false), [2, -1, -1, -1, -1, -1]);
        assert_eq!(codes(4000, 1025, false), [0, 0, 1, -1, -1, 0]);
        assert_eq!(codes(4000, 256, true), [0, 0, 0, 719, -1, 719]);
    }

    /// Where the arguments and the machine cause an error each, the earlier step fails.
    #[test]
    fn the_first_failing_step_decides() {
        use MachineFault::{
            MemoryError, MemoryErrorInCopyIn, MemoryErrorInCopyOut, NoKernelImage, Unavailable,
        };
        assert_eq!(codes(1 << 46, 256, false, Some(Unavailable)), [46, -1, -1, -1, -1, -1]);
        assert_eq!(codes(1 << 46, 256, false, Some(MemoryError)), [2, -1, -1, -1, -1, -1]);
        assert_eq!(codes(4000, 2048, false, Some(NoKernelImage)), [0, 0, 209, -1, -1, 0]);
        assert_eq!(codes(4000, 2048, false, Some(MemoryError)), [0, 0, 1, -1, -1, 0]);
        assert_eq!(codes(4000, 256, true, Some(MemoryError)), [0, 0, 0, 214, -1, 214]);
        let copy_in = Some(MemoryErrorInCopyIn);
        assert_eq!(codes(4000, 2048, true, copy_in), [0, 214, -1, -1, -1, 214]);
        let copy_out = Some(MemoryErrorInCopyOut);
        assert_eq!(codes(4000, 256, false, copy_out), [0, 0, 0, 0, 214, 214]);
        assert_eq!(codes(4000, 256, true, copy_out), [0, 0, 0, 719, -1, 719]);
    }

    #[test]
    fn only_a_run_without_errors_changes_the_data() {
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
        assert_eq!(machines.len(), 5);
        for case in machines {
            assert_eq!(sizes(case), sizes(&SPEC.cases[0]), "{}", case.name);
            let inputs = inputs(case, &mut ChaCha8Rng::seed_from_u64(1));
            let codes = reference(case, &inputs)[0].to_bytes();
            assert_ne!(codes, [0; 24], "{}", case.name);
        }
    }

    /// A learner can't distinguish two secret seeds, because no seed decides which step fails.
    #[test]
    fn each_case_has_the_same_codes_with_every_seed() {
        for case in SPEC.cases {
            let codes = |seed| {
                let inputs = inputs(case, &mut ChaCha8Rng::seed_from_u64(seed));
                reference(case, &inputs)[0].to_bytes()
            };
            assert!((1..50).all(|seed| codes(seed) == codes(0)), "{}", case.name);
        }
    }
}
