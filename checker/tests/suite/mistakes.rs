//! Checks that the simulated runtime returns the same error codes for mistakes as an NVIDIA H200
//! (driver 580, CUDA 13.0). The expected codes are the rows of `hardware/mistakes-h200.tsv`, which
//! `hardware/mistakes.cu` printed there.
//!
//! Needs a CUDA 13 compiler (`cargo checker setup` installs one) and the host's g++.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

const HARDWARE: &str = "../crates/cudart-sim/hardware";

/// Rows that cannot be the same here, and why.
const KNOWN_DIFFERENCES: &[(&str, &str)] = &[
    (
        "cudaMemcpy: from what was freed, default",
        "the H200 has given the address to the next allocation; the simulator reuses it later, to report accesses to it",
    ),
    ("texture: linear, page-locked memory", "the simulator supports only texels in device memory"),
    (
        "surface: an array without its flag",
        "CUDA requires cudaArraySurfaceLoadStore, which an H200 does not check",
    ),
    ("cudaMalloc3DArray: a cube", "the simulator has no cube maps"),
    ("cudaMalloc3DArray: layers of a cube", "the simulator has no cube maps"),
    (
        "cudaMalloc3DArray: sparse",
        "the simulator has no sparse arrays, whose tiles get memory later",
    ),
    ("cudaLaunchKernelExC: clusters of 2", "the simulator has no clusters of several blocks"),
];

/// The codes of each mistake, or `signal N` if the process crashed. Lines that kernels print are
/// ignored.
fn rows(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let row = |line| {
        let mut words = str::split(line, '\t');
        let (_, what) = (words.next()?, words.next()?);
        Some((what, words.collect()))
    };
    text.lines().filter_map(row).collect()
}

fn crashed(codes: &[&str]) -> bool {
    codes.first().is_some_and(|code| code.starts_with("signal"))
}

#[test]
fn every_mistake_returns_the_same_codes_as_on_a_gpu() {
    let record = fs::read_to_string(format!("{HARDWARE}/mistakes-h200.tsv")).expect("a record");
    let output = Command::new(env!("CARGO_BIN_EXE_checker"))
        .args(["run", &format!("{HARDWARE}/mistakes.cu"), "--", "all"])
        .env("NO_COLOR", "1")
        .output()
        .expect("the checker runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    let (wanted, found) = (rows(&record), rows(&printed));
    assert!(wanted.len() > 850, "{} rows", wanted.len());
    let messages = String::from_utf8_lossy(&output.stderr);
    let missing: Vec<_> = wanted.keys().filter(|what| !found.contains_key(*what)).collect();
    assert!(
        missing.is_empty(),
        "{} rows are missing, for example {:?}: {messages}",
        missing.len(),
        missing[0]
    );
    assert_eq!(wanted.len(), found.len(), "there are rows that the record lacks");
    let mut different = vec![];
    for (what, codes) in &wanted {
        let here = &found[what];
        let listed = KNOWN_DIFFERENCES.iter().any(|(name, _)| name == what);
        // where NVIDIA's runtime crashes, the simulated one returns an error
        let same = if crashed(codes) { !crashed(here) } else { codes == here };
        if same == listed {
            different.push(format!("{what}: {codes:?} on the GPU, {here:?} here"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
