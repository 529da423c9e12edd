//! How often warps wait for loads. On a GPU, only the time shows it, so the kernels here have
//! numbers that follow from the definition.

use crate::common::{Kernel, both_compilers};
use ptxsim::Options;

/// The waits of one warp, and its load requests.
fn counted(entry: &str, launch: impl Fn(Kernel) -> Kernel) -> (u64, u64) {
    let modules = both_compilers("planted/waits");
    let counts = modules.iter().map(|m| {
        let kernel = launch(Kernel::new(m, entry));
        let usual = kernel.full();
        let ran = kernel.run(&Options { count_waits: true, ..Options::default() });
        assert_eq!(usual.seen.load_waits, None);
        assert_eq!(usual.seen.totals, ran.seen.totals, "{entry}: other counts change");
        assert!(ran.seen.findings.is_empty(), "{:#?}", ran.seen.findings);
        (ran.seen.load_waits.expect("counted"), ran.seen.totals.load_requests)
    });
    let counts: Vec<(u64, u64)> = counts.collect();
    assert_eq!(counts[0], counts[1], "{entry}: nvcc and NVRTC");
    counts[0]
}

fn floats(kernel: Kernel) -> Kernel {
    kernel.buffer("in", &[1.0_f32; 96]).uninitialised::<f32>("out", 96)
}

#[test]
fn loads_that_are_in_flight_together_wait_once() {
    assert_eq!(counted("one_by_one", floats), (3, 3));
    assert_eq!(counted("restricted", floats), (1, 3));
    assert_eq!(counted("together", floats), (1, 3));
}

#[test]
fn a_condition_around_a_load_is_a_predicate() {
    for n in [96_i32, 70, 32] {
        let (waits, loads) = counted("guarded", |kernel| floats(kernel).scalar(n));
        assert_eq!((waits, loads), (1, if n == 32 { 1 } else { 3 }), "{n}");
    }
}

#[test]
fn a_load_that_needs_another_one_waits_for_it() {
    let next: Vec<i32> = (0..32).map(|i| (i + 5) % 32).collect();
    let chain = |kernel: Kernel| kernel.buffer("next", &next).uninitialised::<i32>("out", 32);
    assert_eq!(counted("dependent", chain), (2, 2));
    let next: Vec<i32> = (32..192).collect();
    let chain = |kernel: Kernel| kernel.buffer("in", &next).uninitialised::<i32>("out", 32);
    assert_eq!(counted("loop", chain), (5, 5));
}

#[test]
fn a_store_to_other_bytes_of_an_array_holds_no_load_back() {
    let data = |kernel: Kernel| kernel.buffer("data", &[1.0_f32; 64]);
    assert_eq!(counted("in_place", data), (1, 2));
}

#[test]
fn loads_stay_behind_a_barrier() {
    assert_eq!(counted("barrier", floats), (2, 2));
}
