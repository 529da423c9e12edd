//! Compiles and simulates learners' code, hostile or not, in children that are the real
//! `checker-worker`.
//!
//! Needs a CUDA compiler, which `cargo checker setup` installs.

use std::path::PathBuf;
use std::time::Duration;

use checker::backend::{Arg, Choice, Fault, Launch, PRINTED_LIMIT, Run};
use checker::compile::{Options, Outcome};
use checker::toolchain::{self, Origin, Toolchain};
use checker::value::DType;
use checker::worker::{Error, Sandbox, Worker};
use ptxsim::FindingKind;

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
    Worker::with_program(PathBuf::from(env!("CARGO_BIN_EXE_checker-worker")))
}

fn compiler() -> Toolchain {
    toolchain::find(None)
        .ok()
        .flatten()
        .expect("no CUDA compiler: run `cargo checker setup` first, then the tests again")
        .kernels
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

/// One child compiles many files, and a file with an error does not affect the next one.
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

/// A macro that expands without end is stopped at the time limit, and the next file compiles.
#[test]
fn an_endless_macro_is_stopped_in_time() {
    let mut bomb = String::from("#define A0 x+x+x+x+x+x+x+x+x+x\n");
    for i in 1..12 {
        bomb += &format!("#define A{i} {}\n", vec![format!("A{}", i - 1); 10].join("+"));
    }
    bomb += "__global__ void k(int* out, int x) { out[0] = A11; }\n";
    let mut worker = worker().with_compile_limit(Duration::from_secs(2));
    let how = stopped(compile(&mut worker, &bomb));
    // it may exceed the time limit or the memory limit first
    assert!(how == "the compiler did not finish within 2 s" || how.contains("crashed"), "{how}");
    assert!(matches!(compile(&mut worker, DOUBLE_IT), Outcome::Compiled(_)));
}

/// A compiler that runs out of memory aborts. That ends the child, and not the checker.
#[test]
fn a_compiler_that_aborts_is_reported() {
    let mut worker = worker().with_compile_limit(Duration::from_secs(120));
    let how = stopped(compile(&mut worker, "__constant__ int huge[1 << 30] = {1};\n"));
    assert!(how.contains("memory"), "{how}");
    assert!(matches!(compile(&mut worker, DOUBLE_IT), Outcome::Compiled(_)));
}

/// The process that compilers are forked from survives `recycle`, but not a crash, and a later
/// compilation gives what the first one of a new process gives.
#[test]
fn a_forked_compiler_is_like_a_new_one() {
    let limit = Duration::from_secs(120);
    let mut forked = worker().with_sandbox(Sandbox::Require).with_compile_limit(limit);
    let broken = DOUBLE_IT.replace("threadIdx", "threadId");
    for source in [DOUBLE_IT, &broken, DOUBLE_IT] {
        assert_eq!(compile(&mut forked, source), compile(&mut worker(), source));
        forked.recycle();
    }
    for _ in 0..2 {
        let how = stopped(compile(&mut forked, "__constant__ int huge[1 << 30] = {1};\n"));
        assert!(how.contains("memory") || how.contains("crashed"), "{how}");
        assert!(matches!(compile(&mut forked, DOUBLE_IT), Outcome::Compiled(_)));
    }
    let killer = forked.killer();
    killer.kill();
    let cancelled = forked.compile(&compiler(), &broken, FILE, &Options::default());
    assert!(matches!(cancelled, Err(Error::Cancelled)), "{cancelled:?}");
    killer.resume();
    assert!(matches!(compile(&mut forked, &broken), Outcome::Rejected(_)));
}

/// The counts of a source must not depend on chance. NVRTC 13.0 sorts some things of this kernel by
/// their addresses, and with randomised ones, it makes two different texts. Some containers forbid
/// programs to choose that; then there's nothing to test.
#[test]
fn a_source_has_the_same_ptx_in_every_process() {
    let permitted = std::process::Command::new("setarch").args(["-R", "true"]).output();
    if permitted.is_ok_and(|output| !output.status.success()) {
        return;
    }
    let source = include_str!("../../proof/originals/ch13_speed/async_copy.cu");
    let first = compile(&mut worker(), source);
    let mut used = worker();
    for _ in 0..6 {
        assert_eq!(compile(&mut worker(), source), first);
        assert_eq!(compile(&mut used, source), first, "after other compilations");
    }
}

/// A missing compiler is a problem of the machine. The message names the path that was tried.
#[test]
fn a_missing_compiler_is_named() {
    let nowhere = Toolchain {
        nvrtc: "/nonexistent/libnvrtc.so.13".into(),
        builtins: None,
        include: None,
        headers: vec![],
        nvcc: None,
        version: "13.0".into(),
        origin: Origin::Usual,
    };
    match worker().compile(&nowhere, DOUBLE_IT, FILE, &Options::default()).expect("a worker") {
        Outcome::Unavailable(why) => assert!(why.contains("/nonexistent/libnvrtc.so.13"), "{why}"),
        other => panic!("{other:?}"),
    }
}

const N: usize = 1000;

fn ptx(worker: &mut Worker, body: &str) -> String {
    let source = format!(
        "extern \"C\" __device__ int printf(const char*, ...);\n\
         extern \"C\" __global__ void k(const float* in, float* out, int n) {{\n\
         \x20   const int idx = blockIdx.x * blockDim.x + threadIdx.x;\n    {body}\n}}\n"
    );
    match compile(worker, &source) {
        Outcome::Compiled(module) => module.ptx,
        other => panic!("{body}: {other:?}"),
    }
}

fn launch() -> Launch {
    let buffer = |name: &str, data: Option<Vec<u8>>, writable| Arg::Buffer {
        name: name.into(),
        dtype: DType::F32,
        bytes: N * 4,
        data,
        writable,
    };
    let input = (0..N).flat_map(|i| (i as f32 + 0.5).to_le_bytes()).collect();
    Launch {
        entry: "k".into(),
        grid: [4, 1, 1],
        block: [256, 1, 1],
        shared: 0,
        cooperative: false,
        ordered: vec![],
        args: vec![
            buffer("in", Some(input), false),
            buffer("out", None, true),
            Arg::Scalar((N as i32).to_le_bytes().to_vec()),
        ],
        seed: 7,
        budget: 2_000_000,
        repeat: 0,
        disturbance: None,
        snapshots: None,
        count_waits: false,
        part_of: None,
    }
}

fn simulate(worker: &mut Worker, body: &str) -> Run {
    let ptx = ptx(worker, body);
    worker.run(Choice::Sim, &ptx, &launch(), Duration::from_secs(60)).expect("a simulator")
}

fn findings(run: &Run) -> Vec<&FindingKind> {
    run.faults
        .iter()
        .filter_map(|fault| match fault {
            Fault::Finding(finding) => Some(&finding.what),
            _ => None,
        })
        .collect()
}

const RIGHT: &str = "if (idx < n) { out[idx] = 2.0f * in[idx]; }";

fn assert_right(worker: &mut Worker) {
    let run = simulate(worker, RIGHT);
    assert_eq!(run.faults, []);
    let expected: Vec<u8> = (0..N).flat_map(|i| (i as f32 * 2.0 + 1.0).to_le_bytes()).collect();
    assert_eq!(run.outputs.len(), 1);
    assert!(run.outputs.iter().all(|o| o.data == expected && o.name == "out"));
    assert!(run.observations.is_some_and(|o| o.completed));
}

/// Each kind of wrong kernel has its fault, and the same worker then runs a right kernel.
#[test]
fn faults_of_a_kernel_are_returned() {
    let mut worker = worker();
    assert_right(&mut worker);

    let run = simulate(&mut worker, "out[idx] = 2.0f * in[idx];");
    assert!(findings(&run).contains(&&FindingKind::OutOfBounds), "{:?}", run.faults);
    assert_right(&mut worker);

    let run = simulate(&mut worker, "if (idx == 5) { const_cast<float*>(in)[idx] = -1.0f; }");
    let changed = Fault::InputChanged { name: "in".into(), index: 5 };
    assert!(run.faults.contains(&changed), "{:?}", run.faults);

    let run = simulate(&mut worker, "if (idx == 3) { asm volatile(\"trap;\"); }");
    assert!(findings(&run).contains(&&FindingKind::Trap), "{:?}", run.faults);
    assert_right(&mut worker);
}

/// An output that the kernel does not write contains the poison pattern that the run names.
#[test]
fn an_unwritten_output_contains_the_poison() {
    let mut worker = worker();
    let run = simulate(&mut worker, "if (idx == 0) { printf(\"hello from %d\\n\", n); }");
    assert_eq!((run.faults.as_slice(), run.printed.as_str()), (&[][..], "hello from 1000\n"));
    let output = run.outputs.first().expect("one output");
    let poison = output.poison.expect("poisoned");
    assert!(output.data.chunks(4).all(|word| word == poison));
}

/// All blocks of a cooperative launch must be on the device at once, so the simulator refuses one
/// with too many.
#[test]
fn a_cooperative_launch_is_limited() {
    let mut worker = worker();
    let ptx = ptx(&mut worker, RIGHT);
    let many = Launch { grid: [100_000, 1, 1], ..launch() };
    for cooperative in [false, true] {
        let launch = Launch { cooperative, ..many.clone() };
        let run =
            worker.run(Choice::Sim, &ptx, &launch, Duration::from_secs(60)).expect("a simulator");
        let refused =
            run.faults.iter().any(|fault| matches!(fault, Fault::Driver { code: 720, .. }));
        assert_eq!(refused, cooperative, "{:?}", run.faults);
    }
}

/// The instruction budget ends an endless kernel. Without a budget the time limit does, and the
/// next case runs.
#[test]
fn an_endless_kernel_ends() {
    let mut worker = worker();
    let endless = "volatile const float* flag = in; while (flag[0] != -1.0f) { }";
    let run = simulate(&mut worker, endless);
    assert!(
        findings(&run)
            .iter()
            .any(|f| matches!(f, FindingKind::NeverFinishes { .. } | FindingKind::Livelock { .. })),
        "{:?}",
        run.faults
    );
    let ptx =
        ptx(&mut worker, "volatile float* last = out; for (unsigned x = 0;; ++x) { last[0] = x; }");
    let unlimited = Launch { budget: u64::MAX, ..launch() };
    let run = worker.run(Choice::Sim, &ptx, &unlimited, Duration::from_secs(1)).expect("a worker");
    assert_eq!(run.faults, [Fault::TimedOut { seconds: 1.0 }]);
    assert_right(&mut worker);
}

/// A million lines of output are cut and counted.
#[test]
fn long_output_of_a_kernel_is_cut() {
    let mut worker = worker();
    let run = simulate(
        &mut worker,
        "for (int i = 0; i < 1000; ++i) { printf(\"line %d of %d\\n\", i, idx); }",
    );
    assert!(run.printed.len() <= PRINTED_LIMIT && run.printed.len() > PRINTED_LIMIT / 2);
    assert!(run.printed_dropped > 1 << 20, "{}", run.printed_dropped);
}

/// Code that the simulator does not support is a fault of the run, and not a bug of the checker.
#[test]
fn unsupported_code_is_not_a_bug() {
    let mut worker = worker();
    let frobnicate =
        RIGHT.replace("out[idx]", "asm(\"frobnicate.f32 %0;\" :: \"f\"(in[0])); out[idx]");
    let source = format!(
        "extern \"C\" __global__ void k(const float* in, float* out, int n) {{ int idx = 0; {frobnicate} }}"
    );
    let Outcome::Rejected(messages) = compile(&mut worker, &source) else { panic!("accepted") };
    assert!(messages[0].text.starts_with("inline assembly"), "{messages:?}");

    let right = ptx(&mut worker, RIGHT);
    let mut short = launch();
    short.args.truncate(2);
    let run = worker.run(Choice::Sim, &right, &short, Duration::from_secs(60)).expect("a worker");
    assert!(matches!(run.faults[..], [Fault::Driver { code: 1, .. }]), "{:?}", run.faults);

    let missing = Launch { entry: "missing".into(), ..launch() };
    let run = worker.run(Choice::Sim, &right, &missing, Duration::from_secs(60)).expect("a worker");
    assert!(matches!(run.faults[..], [Fault::Driver { code: 500, .. }]), "{:?}", run.faults);
    assert_right(&mut worker);
}

/// A program shares its process with the worker, and can read its memory. Nothing of the course is
/// there: no line of a solution, no hint, no goal, no name of a case.
#[test]
fn the_worker_contains_nothing_of_the_course() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_checker-worker")).expect("the worker");
    let checker = std::fs::read(env!("CARGO_BIN_EXE_checker")).expect("the checker");
    let contains = |bytes: &[u8], text: &str| {
        let text = text.as_bytes();
        text.iter().next().is_some_and(|first| {
            bytes
                .iter()
                .enumerate()
                .any(|(at, byte)| byte == first && bytes[at..].starts_with(text))
        })
    };
    for spec in checker::exercises::all() {
        let solution = checker::course::solution(spec).expect("a solution");
        let line = solution.lines().max_by_key(|line| line.len()).expect("a line");
        for text in [line, spec.goal, spec.hints.first().copied().unwrap_or(spec.goal)] {
            assert!(contains(&checker, text), "the search does not work: {text}");
            assert!(!contains(&program, text), "{}: {text}", spec.id);
        }
    }
}
