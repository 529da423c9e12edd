//! Kernels whose blocks need more registers than a block can have, with the real assembler.
//!
//! Needs a CUDA compiler, which `cargo checker setup` installs.

use std::fs;

use checker::attempt::{self, Attempt};
use checker::backend::{Choice, Fault};
use checker::compile::Assembly;
use checker::diagnostic::Slug;
use checker::engine::Engine;
use checker::explain::{self, Context};
use checker::inspect::{self, Profiled};
use checker::report::terminal;
use checker::source;
use checker::spec::{Case, Kind, Param, Role, Spec, Start, Tolerance};
use checker::toolchain;
use checker::value::{DType, Value};
use checker::verdict::Verdict;
use cudart_sim::occupancy::{Card, SIMULATED};
use ndarray::Array1;

/// An exercise with one block of 1024 threads.
static SPEC: Spec = Spec {
    id: "mix",
    chapter: "ch04_shared",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 10,
    goal: "test",
    cooperative: false,
    ordered: &[],
    params: &[
        Param { name: "in", role: Role::In, dtype: DType::F32, shape: "[n]" },
        Param { name: "out", role: Role::Out, dtype: DType::F32, shape: "[n]" },
    ],
    cases: &[Case {
        name: "one block",
        why: "",
        sizes: &[("n", 1024)],
        grid: [1; 3],
        block: [1024, 1, 1],
        shared: 0,
        gated: true,
        defines: &[],
        simulated_only: false,
        allows: &[],
        fault: None,
        other_faults: &[],
    }],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[],
    hints: &[],
    pitfalls: &[],
    learn: "chapter 4",
    skeleton: Slug::LaunchFailed,
    inputs: |_, _| {
        let out = Value::Out { dtype: DType::F32, shape: vec![1024] };
        vec![Value::Array(zeros().into()), out]
    },
    reference: |_, _| vec![zeros().into()],
};

fn zeros() -> Array1<f32> {
    Array1::zeros(1024)
}

/// Each thread keeps 96 values while it mixes them.
fn source(bounds: &str) -> String {
    format!(
        "extern \"C\" __global__ void {bounds} mix(const float* in, float* out) {{
    float values[96];
#pragma unroll
    for (int i = 0; i < 96; i++) values[i] = in[(threadIdx.x + i) % 1024];
    for (int step = 0; step < 4; step++) {{
#pragma unroll
        for (int i = 0; i < 96; i++) values[i] = values[i] * values[(i + 7) % 96] + in[step];
    }}
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 96; i++) sum += values[i];
    out[threadIdx.x] = sum;
}}
"
    )
}

fn engine() -> Engine {
    let compilers = toolchain::find(None).ok().flatten();
    Engine::new(compilers.expect("no CUDA compiler: run `cargo checker setup` first"), Choice::Sim)
}

fn check(text: &str) -> Attempt {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mix.cu");
    fs::write(&path, text).expect("written");
    attempt::check(&SPEC, &path, &mut engine(), &attempt::Options::default()).expect("an attempt")
}

fn profile(text: &str, card: &'static Card) -> Profiled {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mix.cu");
    fs::write(&path, text).expect("written");
    let options = attempt::Options::default();
    let source = source::read(&path);
    let seen = inspect::profile(&SPEC, source, &mut engine(), &options, None, card);
    seen.expect("a profile").expect("it runs")
}

#[test]
fn a_block_with_too_many_registers_is_refused() {
    let text = source("__maxnreg__(80)");
    let attempt = check(&text);
    let Verdict::Fault { fault, .. } = &attempt.verdict else { panic!("{:?}", attempt.verdict) };
    assert!(matches!(**fault, Fault::Driver { code: 701, .. }), "{fault:?}");
    assert_eq!(attempt.verdict.slug(), Slug::LaunchFailed);
    let context = Context {
        file: "mix.cu",
        source: &text,
        device: "simulator",
        millis: 0,
        printed: None,
        seed: 7,
        command: "checker",
    };
    colored::control::set_override(false);
    let report = terminal::render(&explain::explain(&SPEC, &attempt.verdict, &context), &text);
    for part in ["80 registers", "at most 768 threads", "OUT_OF_RESOURCES", "__launch_bounds__"] {
        assert!(report.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{report}");
    }
}

/// With `__launch_bounds__`, the assembler spills registers, and the launch runs.
#[test]
fn launch_bounds_make_the_registers_fit() {
    let text = source("__launch_bounds__(1024)");
    assert!(check(&text).passed());
    let kernels = profile(&text, &SIMULATED).residency.kernels.expect("registers");
    let [kernel] = kernels.as_slice() else { panic!("{kernels:?}") };
    assert!(kernel.resources.registers <= 64, "{kernel:?}");
    assert!(kernel.resources.spill_stores > 0 && kernel.resources.local > 0, "{kernel:?}");
    assert_eq!((kernel.occupancy.blocks, kernel.occupancy.warps), (1, 32));
}

/// Code for an older card is compiled for it, and the limits are that card's.
#[test]
fn occupancy_of_another_card() {
    let text = source("__launch_bounds__(1024)");
    let turing = Card::find("sm_75").expect("a card");
    let kernels = profile(&text, turing).residency.kernels.expect("registers");
    assert_eq!((kernels[0].occupancy.warps, kernels[0].occupancy.max_warps), (32, 32));
}

/// PTX that the assembler refuses is no error of the checker.
#[test]
fn what_cannot_be_assembled_is_unknown() {
    let mut engine = engine();
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { nonsense; }\n";
    let known = engine.resources(ptx, &Assembly::default()).expect("a worker");
    assert!(known.clone().is_err_and(|why| why.starts_with("ptxas gave up")), "{known:?}");
    let arch = "sm_1".to_owned();
    let known = engine.resources(ptx, &Assembly { arch, max_registers: None }).expect("a worker");
    assert!(known.is_err());
}
