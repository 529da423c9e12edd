//! Learners' code through the real `checker worker`: compiled and simulated in a child, hostile or not.
//!
//! Needs a CUDA 13 compiler: `cargo checker setup` installs one.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use checker::compile::{Options, Outcome};
use checker::toolchain::{self, Origin, Toolchain};
use checker::worker::Worker;

const FILE: &str = "exercises/ch01_threads/double_it.cu";
const DOUBLE_IT: &str =
    "extern \"C\" __global__ void double_it(const float* in, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = 2.0f * in[idx];
    }
}
";

fn worker() -> Worker {
    Worker::with_program(PathBuf::from(env!("CARGO_BIN_EXE_checker")))
}

fn compiler() -> Toolchain {
    toolchain::find()
        .expect("no CUDA 13 compiler: run `cargo checker setup` first, then the tests again")
}

fn compile(worker: &mut Worker, source: &str) -> Outcome {
    worker.compile(&compiler(), source, FILE, &Options::default()).expect("a worker")
}

fn stopped(outcome: Outcome) -> String {
    match outcome {
        Outcome::Stopped(how) => how,
        other => panic!("should have stopped: {other:?}"),
    }
}

/// A warm child compiles again and again, and an error in between changes nothing.
#[test]
fn one_child_compiles_many_files() {
    let mut worker = worker();
    let Outcome::Compiled(first) = compile(&mut worker, DOUBLE_IT) else {
        panic!("should compile")
    };
    let broken = DOUBLE_IT.replace("threadIdx", "threadId");
    let Outcome::Rejected(messages) = compile(&mut worker, &broken) else { panic!("should not") };
    assert_eq!(messages.first().map(|m| m.line), Some(2), "{messages:?}");
    assert_eq!(compile(&mut worker, DOUBLE_IT), Outcome::Compiled(first));
}

/// A macro bomb ends on the clock, and the next file compiles.
#[test]
fn a_bomb_is_stopped_on_the_clock() {
    let mut bomb = String::from("#define A0 x+x+x+x+x+x+x+x+x+x\n");
    for i in 1..12 {
        bomb += &format!("#define A{i} {}\n", vec![format!("A{}", i - 1); 10].join("+"));
    }
    bomb += "__global__ void k(int* out, int x) { out[0] = A11; }\n";
    let mut worker = worker().with_compile_limit(Duration::from_secs(2));
    let start = Instant::now();
    let how = stopped(compile(&mut worker, &bomb));
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    // Whichever limit it meets first, time or memory.
    assert!(how == "the compiler did not finish within 2 s" || how.contains("crashed"), "{how}");
    assert!(matches!(compile(&mut worker, DOUBLE_IT), Outcome::Compiled(_)));
}

/// A compiler that runs out of memory aborts: the child's end, not the checker's.
#[test]
fn a_compiler_that_aborts_is_reported() {
    let mut worker = worker();
    let how = stopped(compile(&mut worker, "__constant__ int huge[1 << 30] = {1};\n"));
    assert!(how.contains("memory"), "{how}");
    assert!(matches!(compile(&mut worker, DOUBLE_IT), Outcome::Compiled(_)));
}

/// A compiler that is not there is the machine's problem, with the path that was tried.
#[test]
fn a_missing_compiler_is_named() {
    let nowhere = Toolchain {
        nvrtc: "/nonexistent/libnvrtc.so.13".into(),
        builtins: None,
        include: None,
        nvcc: None,
        version: "13.0".into(),
        origin: Origin::Usual,
    };
    match worker().compile(&nowhere, DOUBLE_IT, FILE, &Options::default()).expect("a worker") {
        Outcome::Unavailable(why) => assert!(why.contains("/nonexistent/libnvrtc.so.13"), "{why}"),
        other => panic!("{other:?}"),
    }
}
