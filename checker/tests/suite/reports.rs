//! What a learner sees, for every kind of verdict: built from verdict data by hand, rendered to 80
//! columns.
//!
//! These are reviewed texts: read a changed snapshot as a learner would before accepting it.

use checker::backend::Fault;
use checker::compile::{Message, Severity};
use checker::diagnostic::Slug;
use checker::explain::{Context, explain};
use checker::report::{Report, json, terminal};
use checker::spec::{Case, Gate, HostPart, Kind, Metric, Op, Param, Role, Spec, Start, Tolerance};
use checker::value::DType;
use checker::verdict::{
    CopiedBack, Example, Measured, Mismatch, OverlapFacts, Passed, Pattern, Results, Signature,
    Unreadable, Verdict,
};
use proptest::prelude::*;
use ptxsim::{
    Access, Action, Counters, Finding, FindingKind, FreeProblem, Iteration, LineCounters,
    LoopValues, MaskProblem, MatrixProblem, ObjectProblem, Pointer, Source, Space, Traffic,
    WaitingAt, WrittenBefore,
};

const fn param(name: &'static str, role: Role, dtype: DType, shape: &'static str) -> Param {
    Param { name, role, dtype, shape }
}

const fn case(
    name: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 3],
    block: [u32; 3],
) -> Case {
    Case {
        name,
        why: "",
        sizes,
        grid,
        block,
        shared: 0,
        gated: true,
        simulated_only: false,
        allows: &[],
        fault: None,
        other_faults: &[],
        defines: &[],
    }
}

const VECTOR: &[Param] = &[
    param("in", Role::In, DType::F32, "[n]"),
    param("out", Role::Out, DType::F32, "[n]"),
    param("n", Role::Scalar, DType::I32, ""),
];

const MATRIX: &[Param] = &[
    param("a", Role::In, DType::F32, "[rows][cols]"),
    param("out", Role::Out, DType::F32, "[rows][cols]"),
    param("rows", Role::Scalar, DType::I32, ""),
    param("cols", Role::Scalar, DType::I32, ""),
];

const fn spec(id: &'static str, params: &'static [Param], cases: &'static [Case]) -> Spec {
    Spec {
        id,
        chapter: "ch01_threads",
        kind: Kind::Kernel,
        start: Start::Fix,
        minutes: 10,
        goal: "test",
        cooperative: false,
        ordered: &[],
        params,
        cases,
        large: None,
        tolerance: Tolerance::Exact,
        gates: &[],
        hints: &[],
        pitfalls: &[],
        learn: "chapter 1, \"Which element is mine?\"",
        skeleton: Slug::WrongValues,
        inputs: |_, _| Vec::new(),
        reference: |_, _| Vec::new(),
    }
}

static GUARD: Spec =
    spec("guard", VECTOR, &[case("24 threads too many", &[("n", 1000)], [4, 1, 1], [256, 1, 1])]);
static BLOCKS: Spec =
    spec("blocks", VECTOR, &[case("five blocks", &[("n", 1280)], [5, 1, 1], [256, 1, 1])]);
static REDUCE: Spec =
    spec("reduce", VECTOR, &[case("one block", &[("n", 256)], [1, 1, 1], [256, 1, 1])]);
static ADD_2D: Spec = spec(
    "add_2d",
    MATRIX,
    &[case("37 x 65", &[("rows", 37), ("cols", 65)], [5, 3, 1], [16, 16, 1])],
);

const GUARD_CU: &str = r#"// guard | chapter 1 | "More threads than data"

extern "C" __global__ void guard(const float* in, float* out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    out[idx] = in[idx] + 10.0f;
}
"#;

const REDUCE_CU: &str = r#"extern "C" __global__ void reduce(const float* in, float* out, int n) {
    __shared__ float tile[256];
    int tid = threadIdx.x;
    tile[tid] = in[tid];
    if (tid >= n) return;
    for (int stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) {
            tile[tid] += tile[tid + stride];
        }
    }
    __syncthreads();
    out[0] = tile[0];
}
"#;

const ADD_2D_CU: &str = r#"extern "C" __global__ void add_2d(const float* a, float* result, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        result[row * cols + col] =
            a[row * cols + col] + 1.0f;
    }
}
"#;

const TILE_CU: &str = r#"extern "C" __global__ void blocks(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    __shared__ float total;
    int tid = threadIdx.x;
    tile[tid / 32][tid % 32] = in[tid];
    total = in[n - 1];
    out[tid] = tile[tid % 32][tid / 32] / total;
}
"#;

const PRODUCT_CU: &str = r#"extern "C" __global__ void reduce(const float* in, float* out, int n) {
    __shared__ float tile[256];
    float acc = 0.0f;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = in[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; ++k) {
            acc += tile[k];
        }
    }
    out[threadIdx.x] = acc;
}
"#;

const BRANCHES_CU: &str = r#"extern "C" __global__ void reduce(const float* in, float* out, int n) {
    int tid = threadIdx.x;
    if (tid < 100) {
        __syncthreads();
    }
    for (int i = tid; i < n; i += 128) {
        __syncthreads();
    }
    __syncthreads();
}
"#;

const LOOP_CU: &str = r#"extern "C" __global__ void guard(const float* in, float* out, int n) {
    int idx = threadIdx.x;
    while (idx < n) {
        out[idx] = in[idx] * 2.0f;
    }
}
"#;

static ROUND: Spec = Spec {
    kind: Kind::Program(HostPart::Copies),
    ..spec("round", VECTOR, &[case("1000 elements", &[("n", 1000)], [0, 0, 1], [0, 0, 1])])
};

const ROUND_CU: &str = r#"__global__ void twice(const float* in, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = 2.0f * in[idx];
    }
}

extern "C" void round(const float* in, float* out, int n) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_out, out, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + 99) / 100, 100>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    out[0] = 1.0f;
}
"#;

/// Whether only a GPU reports this.
fn is_of_a_gpu(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::Driver { code: 3..=217 | 219..=700 | 702..=719 | 721.., .. } | Fault::TimedOut { .. }
    )
}

/// A report, as a check of `source` would give it.
fn report(spec: &'static Spec, source: &str, verdict: &Verdict, printed: Option<&str>) -> Report {
    let file = format!("exercises/ch01_threads/{}.cu", spec.id);
    let context = Context {
        file: &file,
        source,
        device: match verdict {
            Verdict::Fault { fault, .. } if is_of_a_gpu(fault) => "GPU: NVIDIA H200",
            _ => "simulator",
        },
        millis: 41,
        printed,
        seed: 7,
        command: "checker",
    };
    explain(spec, verdict, &context)
}

fn screen(spec: &'static Spec, source: &str, verdict: &Verdict) -> String {
    colored::control::set_override(false);
    let report = report(spec, source, verdict, None);
    assert_eq!(report.slug, verdict.slug());
    assert_eq!(report.passed, verdict.passed());
    let text = terminal::render_to_width(&report, source, 80);
    assert!(!text.contains('\u{1b}'), "no colour without a terminal");
    for line in
        text.lines().filter(|line| !line.starts_with("  again: ") && !line.starts_with("  trace: "))
    {
        assert!(line.chars().count() <= 80, "too wide: {line}");
    }
    text
}

fn at(line: u32, column: u32, action: Action) -> Access {
    Access {
        source: Source { file: "x.cu".into(), line, column },
        called_from: None,
        action,
        block: [0; 3],
        thread: [0; 3],
        linear: 0,
        space: Some(Space::Global),
        array: None,
        index: None,
        last_index: None,
        offset: None,
        pointer: None,
        elements: None,
        array_bytes: None,
        address: 0x7000_0000,
        bytes: 4,
        pending: false,
        volatile: false,
        iteration: None,
        written: None,
    }
}

fn on(access: Access, array: &str, index: i64, elements: u64) -> Access {
    Access { array: Some(array.into()), index: Some(index), elements: Some(elements), ..access }
}

fn at_shared(access: Access, array: &str, index: i64, elements: u64) -> Access {
    Access { space: Some(Space::Shared), ..on(access, array, index, elements) }
}

/// In a function that line 3 calls.
fn called(access: Access) -> Access {
    Access { called_from: Some(Source { file: "x.cu".into(), line: 3, column: 5 }), ..access }
}

fn by(access: Access, block: u32, thread: u32) -> Access {
    Access { block: [block, 0, 0], thread: [thread, 0, 0], linear: thread, ..access }
}

fn fault(what: FindingKind, at: Access, with: Option<Access>, count: u64) -> Verdict {
    let fault = Fault::Finding(Finding {
        what,
        at,
        with,
        count,
        threads: count,
        both_write: false,
        one_warp: false,
    });
    Verdict::Fault { case: 0, fault: Box::new(fault), others: 0, results: Results::default() }
}

fn matrices(problem: MatrixProblem) -> Verdict {
    let what = FindingKind::BadMatrixOperation { problem };
    fault(what, at(8, 13, Action::Execute), None, 1)
}

fn other(fault: Fault) -> Verdict {
    Verdict::Fault { case: 0, fault: Box::new(fault), others: 0, results: Results::default() }
}

fn mismatch(total: usize, wrong: usize, pattern: Pattern, examples: Vec<Example>) -> Mismatch {
    let untouched = examples.iter().filter(|example| example.yours.is_none()).count();
    Mismatch {
        output: "out",
        answer: false,
        shape: vec![total],
        total,
        wrong,
        untouched: if untouched == examples.len() { wrong } else { untouched },
        kept: 0,
        fill: None,
        nan: 0,
        examples,
        pattern,
        max_writes: None,
        most_written: None,
        written: None,
        launch: None,
        launch_at: None,
        copied: None,
        unchanged: false,
        same_as: None,
        origin: None,
        other_unchanged: None,
        uncopied: vec![],
        same_memory: None,
        partial: vec![],
        answers_right: None,
        store_lines: None,
        launches: None,
    }
}

fn example(index: usize, yours: Option<f64>, expected: f64) -> Example {
    Example { index, yours, expected, tolerance: 0.0 }
}

fn values(mismatch: Mismatch) -> Verdict {
    Verdict::WrongValues { case: 0, mismatch: Box::new(mismatch) }
}

fn rejected(line: u32, column: u32, text: &str) -> Verdict {
    let severity = Severity::Error;
    Verdict::CompileError(vec![Message {
        file: None,
        severity,
        line,
        column,
        length: 1,
        text: text.into(),
    }])
}

/// The counts of a line whose only accesses are loads and stores.
fn plain_accesses(line: u32, column: u32, counters: Counters) -> LineCounters {
    let source = Source { file: "x".into(), line, column };
    LineCounters { source, counters, traffic: Traffic::of_loads_and_stores(&counters) }
}

const RATIO: Gate = Gate {
    metric: Metric::SectorsPerRequest { bytes: 8 },
    op: Op::AtMost,
    target: 4.5,
    baseline: Some(32.0),
};
const CONFLICTS: Gate =
    Gate { metric: Metric::SharedConflicts, op: Op::AtMost, target: 0.0, baseline: Some(63_488.0) };
const REQUESTS: Gate = Gate {
    metric: Metric::SharedRequests,
    op: Op::AtLeast,
    target: 4096.0,
    baseline: Some(4096.0),
};

const fn gate(metric: Metric, target: f64) -> Gate {
    Gate { metric, op: Op::Exactly, target, baseline: None }
}

fn measured(gate: Gate, value: f64, holds: bool) -> Measured {
    Measured { gate, value: Some(value), holds, output: None, unused: None }
}

macro_rules! screens {
    ($($name:ident: $spec:expr, $source:expr, $verdict:expr;)*) => { $(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), screen(&$spec, $source, &$verdict));
        }
    )* };
}

screens! {
    passed: GUARD, GUARD_CU, Verdict::Passed(Passed {
        cases: 7, gates: vec![], sectors_per_request: Some(4.0), max_writes: Some(1), sizes: (1, 1_000_003), freeing_wait: None
    });
    passed_with_gates: ADD_2D, ADD_2D_CU, Verdict::Passed(Passed {
        cases: 4, gates: vec![measured(RATIO, 4.0, true)], sectors_per_request: Some(4.0),
        max_writes: Some(1), sizes: (2405, 131_072), freeing_wait: None
    });
    not_started: GUARD, "// goal\n\nvoid k() {\n    // TODO 1: which element is mine?\n}\n",
        Verdict::NotStarted { output: "out", elements: 15, todo_line: 4 };
    missing_file: GUARD, "", Verdict::UnreadableSource(Unreadable::Missing);
    huge_file: GUARD, "", Verdict::UnreadableSource(Unreadable::TooLarge(5_242_880, 1_048_576));
    compiler_stopped: GUARD, GUARD_CU, Verdict::CompilerStopped("the compiler did not finish within 20 s".into());

    misspelt_built_in: GUARD, "void k() {\n    int idx = threadId.x;\n}\n",
        rejected(2, 15, "identifier \"threadId\" is undefined");
    misspelt_barrier: GUARD, "void k() {\n    __syncthread();\n}\n",
        rejected(2, 5, "identifier \"__syncthread\" is undefined");
    capital_member: GUARD, "void k() {\n    int idx = threadIdx.X;\n}\n",
        rejected(2, 25, "class \"uint3\" has no member \"X\"");
    missing_semicolon: GUARD, "void k() {\n    int idx = threadIdx.x  // mine\n\n    out[idx] = 1;\n}\n",
        rejected(4, 5, "expected a \";\"");
    missing_semicolon_already_found: GUARD, "void k() {\n    int idx = threadIdx.x  // mine\n\n    out[idx] = 1;\n}\n",
        rejected(2, 25, "expected a \";\"");
    missing_brace: GUARD, "void k() {\n    if (n > 1) {\n}\n",
        rejected(1, 10, "expected a \"}\" to match this \"{\"");
    three_part_index: GUARD, "void k() {\n    out[threadIdx] = 1;\n}\n",
        rejected(2, 8, "no operator \"[]\" matches these operands operand types are: float * [ const uint3 ]");
    overloads: GUARD, "void k() {\n    out[0] = max(1, 2.0f);\n}\n",
        rejected(2, 14, "more than one instance of overloaded function \"max\" matches the argument list: function \"max(double, float)\" (declared implicitly)");
    own_name_misspelt: GUARD, "void k() {\n    int index = 1;\n    out[indx] = 1;\n}\n",
        rejected(3, 9, "identifier \"indx\" is undefined");
    const_input: GUARD, "void k(const float* in) {\n    in[0] = 1.0f;\n}\n",
        rejected(2, 5, "expression must be a modifiable lvalue");
    include: GUARD, "#include <cstdio>\n",
        rejected(1, 18, "could not open source file \"cstdio\" (no directories in search list)");
    whole_array: GUARD, "void k() {\n    out[0] = in;\n}\n",
        rejected(2, 12, "a value of type \"const float *\" cannot be assigned to an entity of type \"float\"");
    host_function: GUARD, "float twice(float x) { return 2 * x; }\n",
        rejected(1, 7, "A function without execution space annotations (__host__/__device__/__global__) is considered a host function, and host functions are not allowed in JIT mode. Consider using -default-device flag");

    kernel_renamed: GUARD, "extern \"C\" __global__ void gaurd(const float* in, float* out, int n) {}\n",
        Verdict::WrongSignature(Signature::NoSuchKernel { expected: "guard".into(), found: vec!["gaurd".into()] });
    kernel_mangled: GUARD, "__global__ void guard(const float* in, float* out, int n) {}\n",
        Verdict::WrongSignature(Signature::NoSuchKernel { expected: "guard".into(), found: vec!["_Z5guardPKfPfi".into()] });
    parameter_missing: GUARD, "extern \"C\" __global__ void guard(const float* in, float* out) {}\n",
        Verdict::WrongSignature(Signature::Count { expected: VECTOR.to_vec(), found: vec!["pointer".into(), "pointer".into()] });
    parameter_type: GUARD, "extern \"C\" __global__ void guard(const float* in, float* out, float n) {}\n",
        Verdict::WrongSignature(Signature::Type { index: 2, expected: VECTOR[2], found: "float".into() });

    out_of_bounds_write: GUARD, GUARD_CU, fault(FindingKind::OutOfBounds,
        by(on(at(5, 5, Action::Write), "out", 1000, 1000), 3, 232), None, 24);
    out_of_bounds_before: GUARD, "extern \"C\" __global__ void guard(const float* in, float* out, int n) {\n    int idx = threadIdx.x;\n    if (idx < n) { out[idx] = in[idx] + in[idx - 1]; }\n}\n",
        fault(FindingKind::OutOfBounds, on(at(3, 20, Action::Read), "in", -1, 1000), None, 1);
    out_of_bounds_matrix: ADD_2D, ADD_2D_CU, fault(FindingKind::OutOfBounds, Access {
        block: [2, 4, 0], thread: [5, 1, 0], ..on(at(5, 9, Action::Write), "out", 2470, 2405) }, None, 715);
    out_of_bounds_shared: REDUCE, REDUCE_CU, fault(FindingKind::OutOfBounds, Access {
        space: Some(Space::Shared), ..by(on(at(8, 13, Action::Read), "tile", 256, 256), 0, 128) }, None, 7);
    null_pointer: GUARD, GUARD_CU, fault(FindingKind::InvalidAddress, Access { address: 0, ..at(5, 5, Action::Write) }, None, 1);
    host_pointer: GUARD, GUARD_CU, fault(FindingKind::InvalidAddress, Access { address: 0x7ffc_1234_5678, ..at(5, 5, Action::Read) }, None, 1);
    misaligned: GUARD, GUARD_CU, fault(FindingKind::Misaligned, Access { address: 0x7000_0004, bytes: 16, ..at(5, 5, Action::Read) }, None, 1);
    uninitialised_shared: REDUCE, REDUCE_CU, fault(FindingKind::UninitialisedRead, Access {
        space: Some(Space::Shared), ..on(at(12, 5, Action::Read), "tile", 0, 256) }, None, 1);
    uninitialised_output: GUARD, "extern \"C\" __global__ void guard(const float* in, float* out, int n) {\n    int idx = threadIdx.x;\n    out[idx] += in[idx];\n}\n",
        fault(FindingKind::UninitialisedRead, on(at(3, 5, Action::Read), "out", 0, 1000), None, 1000);

    shared_race: REDUCE, REDUCE_CU, fault(FindingKind::SharedRace,
        Access { space: Some(Space::Shared), ..by(on(at(8, 13, Action::Read), "tile", 32, 256), 0, 0) },
        Some(Access { space: Some(Space::Shared), ..by(on(at(8, 13, Action::Write), "tile", 32, 256), 0, 32) }), 127);
    shared_race_two_lines: REDUCE, REDUCE_CU, fault(FindingKind::SharedRace,
        Access { space: Some(Space::Shared), ..by(on(at(8, 13, Action::Read), "tile", 160, 256), 0, 32) },
        Some(Access { space: Some(Space::Shared), ..by(on(at(4, 5, Action::Write), "tile", 160, 256), 0, 160) }), 96);
    shared_race_in_source_order: BLOCKS, TILE_CU, fault(FindingKind::SharedRace,
        Access { space: Some(Space::Shared), ..by(on(at(5, 5, Action::Write), "tile", 33, 1056), 0, 1) },
        Some(Access { space: Some(Space::Shared), ..by(on(at(7, 9, Action::Read), "tile", 33, 1056), 0, 40) }), 96);
    shared_race_in_a_loop: REDUCE, PRODUCT_CU, fault(FindingKind::SharedRace,
        Access { space: Some(Space::Shared), ..by(on(at(5, 9, Action::Write), "tile", 0, 256), 0, 0) },
        Some(Access { space: Some(Space::Shared), ..by(on(at(8, 13, Action::Read), "tile", 0, 256), 0, 40) }), 256);
    shared_race_of_a_variable: BLOCKS, TILE_CU, fault(FindingKind::SharedRace,
        Access { space: Some(Space::Shared), ..by(on(at(7, 23, Action::Read), "total", 0, 1), 0, 40) },
        Some(Access { space: Some(Space::Shared), ..by(on(at(6, 5, Action::Write), "total", 0, 1), 0, 0) }), 255);
    out_of_bounds_in_two_dimensions: BLOCKS, TILE_CU, fault(FindingKind::OutOfBounds,
        Access { space: Some(Space::Shared), ..on(at(7, 9, Action::Read), "tile", 1056, 1056) }, None, 4);
    out_of_bounds_of_the_launch: BLOCKS, "extern \"C\" __global__ void blocks(const float* in, float* out, int n) {\n    extern __shared__ float pool[];\n    pool[threadIdx.x] = in[threadIdx.x];\n}\n",
        fault(FindingKind::OutOfBounds, Access { space: Some(Space::Shared), ..on(at(3, 5, Action::Write), "pool", 64, 64) }, None, 192);
    barriers_of_two_kinds: REDUCE, BRANCHES_CU, fault(FindingKind::BarrierNotReached { waiting: 256, missing: 0 },
        at(4, 9, Action::Wait), Some(by(at(9, 5, Action::Wait), 0, 100)), 1);
    barrier_in_a_loop: REDUCE, BRANCHES_CU, fault(FindingKind::BarrierNotReached { waiting: 5, missing: 251 },
        at(7, 9, Action::Wait), Some(by(at(9, 5, Action::Wait), 0, 5)), 1);
    pending_copy: REDUCE, REDUCE_CU, fault(FindingKind::SharedRace,
        Access { space: Some(Space::Shared), ..by(on(at(8, 13, Action::Read), "tile", 160, 256), 0, 32) },
        Some(Access { space: Some(Space::Shared), pending: true, ..by(on(at(4, 5, Action::Write), "tile", 160, 256), 0, 160) }), 96);
    called_twice: REDUCE, REDUCE_CU, fault(FindingKind::SharedRace,
        Access { space: Some(Space::Shared), called_from: Some(Source { file: "x.cu".into(), line: 11, column: 5 }),
            ..by(on(at(8, 13, Action::Read), "tile", 160, 256), 0, 32) },
        Some(Access { space: Some(Space::Shared), ..by(on(at(4, 5, Action::Write), "tile", 160, 256), 0, 160) }), 96);
    out_of_bounds_local: GUARD, GUARD_CU, fault(FindingKind::OutOfBounds, Access {
        space: Some(Space::Local), index: Some(8), elements: Some(8), ..at(5, 5, Action::Write) }, None, 1);
    uninitialised_local: GUARD, GUARD_CU, fault(FindingKind::UninitialisedRead, Access {
        space: Some(Space::Local), index: Some(5), elements: Some(8), ..at(5, 5, Action::Read) }, None, 2);
    global_race: BLOCKS, "extern \"C\" __global__ void blocks(const float* in, float* out, int n) {\n    int idx = threadIdx.x;\n    out[idx] = in[idx];\n}\n",
        fault(FindingKind::GlobalRace, by(on(at(3, 5, Action::Write), "out", 0, 1280), 1, 0),
        Some(by(on(at(3, 5, Action::Write), "out", 0, 1280), 0, 0)), 1024);
    counter_race: BLOCKS, "extern \"C\" __global__ void blocks(const float* in, float* out, int n) {\n    if (in[threadIdx.x] > 0.5f) {\n        out[0] += 1.0f;\n    }\n}\n",
        fault(FindingKind::GlobalRace, by(on(at(3, 9, Action::Read), "out", 0, 1280), 0, 32),
        Some(by(on(at(3, 9, Action::Write), "out", 0, 1280), 0, 31)), 96);
    every_second: GUARD, GUARD_CU, values(Mismatch { written: Some(500), max_writes: Some(1),
        ..mismatch(1000, 500, Pattern::Periodic { period: 2, offset: 1 }, vec![example(1, None, 14.625), example(3, None, 11.25)]) });
    barrier_not_reached: REDUCE, REDUCE_CU, fault(FindingKind::BarrierNotReached { waiting: 251, missing: 5 },
        at(11, 5, Action::Wait), Some(by(at(13, 1, Action::Exit), 0, 251)), 1);
    barrier_in_branch: REDUCE, "extern \"C\" __global__ void reduce(const float* in, float* out, int n) {\n    int tid = threadIdx.x;\n    if (tid < 100) {\n        __syncthreads();\n    }\n    out[tid] = in[tid];\n}\n",
        fault(FindingKind::BarrierNotReached { waiting: 100, missing: 156 }, at(4, 9, Action::Wait),
        Some(by(at(7, 1, Action::Exit), 0, 100)), 1);
    exit_at_an_inlined_function: REDUCE, "__device__ float twice(float c) {\n    return 2 * c;\n}\nextern \"C\" __global__ void reduce(const float* in, float* out, int n) {\n    int tid = threadIdx.x;\n    if (tid < 100) {\n        __syncthreads();\n        out[tid] = twice(in[tid]);\n    }\n}\n",
        fault(FindingKind::BarrierNotReached { waiting: 100, missing: 156 }, at(7, 9, Action::Wait),
        Some(by(at(2, 5, Action::Exit), 0, 100)), 1);
    deadlock: REDUCE, REDUCE_CU, fault(FindingKind::Deadlock { waiting: 256 }, at(11, 5, Action::Wait), None, 1);
    livelock: GUARD, LOOP_CU, fault(FindingKind::Livelock { waiting: 65, places: vec![
        WaitingAt { source: Source { file: "x.cu".into(), line: 3, column: 5 }, threads: 1, spinning: true },
        WaitingAt { source: Source { file: "x.cu".into(), line: 4, column: 9 }, threads: 64, spinning: false },
    ] }, on(at(3, 5, Action::Read), "out", 3, 1000), Some(by(at(4, 9, Action::Wait), 1, 0)), 1);
    livelock_alone: GUARD, LOOP_CU, fault(FindingKind::Livelock { waiting: 1, places: vec![
        WaitingAt { source: Source { file: "x.cu".into(), line: 3, column: 5 }, threads: 1, spinning: true },
    ] }, on(at(3, 5, Action::Atomic), "out", 0, 1000), None, 1);
    use_after_free: GUARD, GUARD_CU, fault(FindingKind::UseAfterFree, on(at(5, 5, Action::Read), "malloc(64)", 3, 16),
        Some(at(4, 5, Action::Free)), 4);
    freed_by_the_host: GUARD, GUARD_CU, fault(FindingKind::UseAfterFree, on(at(5, 5, Action::Write), "out", 3, 16), None, 4);
    double_free: GUARD, GUARD_CU, fault(FindingKind::DoubleFree, by(at(5, 5, Action::Free), 0, 1), Some(at(5, 5, Action::Free)), 31);
    invalid_free: GUARD, GUARD_CU, fault(FindingKind::InvalidFree { problem: FreeProblem::NotTheStart },
        on(at(5, 5, Action::Free), "malloc(64)", 16, 64), None, 1);
    bad_barrier: REDUCE, REDUCE_CU, fault(FindingKind::BadBarrier { id: 1, threads: Some(48) }, at(11, 5, Action::Execute), None, 1);
    no_such_barrier: REDUCE, REDUCE_CU, fault(FindingKind::BadBarrier { id: 99, threads: None }, at(11, 5, Action::Execute), None, 1);
    sync_mask: REDUCE, REDUCE_CU, fault(FindingKind::BadSyncMask { mask: 0xffff_ffff, present: 0x1f, problem: MaskProblem::AbsentLanes }, at(8, 13, Action::Execute), None, 1);
    matrices_without_lanes: REDUCE, REDUCE_CU, matrices(MatrixProblem::AbsentLanes { present: 0xffff });
    matrices_of_two_pointers: REDUCE, REDUCE_CU, matrices(MatrixProblem::OtherAddress { lane: 1 });
    matrices_of_two_row_lengths: REDUCE, REDUCE_CU, matrices(MatrixProblem::OtherStride { lane: 20 });
    matrix_at_an_odd_address: REDUCE, REDUCE_CU, matrices(MatrixProblem::Address { address: 0x7008, multiple: 32 });
    matrix_with_odd_rows: REDUCE, REDUCE_CU, matrices(MatrixProblem::Stride { bytes: 34, elements: 17, multiple: 16 });
    never_finishes: GUARD, LOOP_CU, fault(FindingKind::NeverFinishes { instructions: 50_000_000, values: LoopValues::Unchanged }, at(4, 9, Action::Execute), None, 1);
    never_finishes_in_a_cycle: GUARD, LOOP_CU, fault(FindingKind::NeverFinishes { instructions: 50_000_000, values: LoopValues::Cycle },
        at(3, 5, Action::Execute), Some(by(at(4, 9, Action::Wait), 0, 1)), 1);
    never_finishes_without_an_exit: GUARD, LOOP_CU, fault(FindingKind::NeverFinishes { instructions: 50_000_000, values: LoopValues::None },
        at(4, 9, Action::Execute), None, 1);
    barrier_left_out: REDUCE, "extern \"C\" __global__ void reduce(const float* in, float* out, int n) {\n    __shared__ float tile[256];\n    const int tid = threadIdx.x;\n    for (int half = 128; half > 0; half /= 2) {\n        float other = tile[tid + half];\n        tile[tid] += other;\n        if (half >= 32) __syncthreads();\n    }\n}\n",
        fault(FindingKind::SharedRace, by(at_shared(at(5, 23, Action::Read), "tile", 16, 256), 0, 0),
        Some(by(at_shared(at(6, 9, Action::Write), "tile", 16, 256), 0, 16)), 31);
    update_by_reference: BLOCKS, "__device__ void bump(float& c) { c = c + 1; }\nextern \"C\" __global__ void blocks(const float* in, float* out, int n) {\n    bump(*out);\n}\n",
        fault(FindingKind::GlobalRace, called(by(on(at(1, 35, Action::Read), "hits", 0, 1), 0, 0)),
        Some(called(by(on(at(1, 35, Action::Write), "hits", 0, 1), 0, 31))), 24);
    one_element_for_each_block: BLOCKS, "extern \"C\" __global__ void blocks(const float* in, float* out, int n) {\n    if (threadIdx.x == 0) out[blockIdx.x] = 1;\n}\n",
        fault(FindingKind::OutOfBounds, by(on(at(2, 27, Action::Write), "out", 1, 1), 1, 0), None, 4);
    local_array_too_short: GUARD, "extern \"C\" __global__ void guard(const float* a, float* out, int n) {\n    float mine[N];\n    for (int k = 0; k <= N; k++) mine[k] = a[k];\n    out[threadIdx.x] = mine[0] + mine[N];\n}\n",
        values(Mismatch { nan: 1000, ..mismatch(1000, 1000, Pattern::All, vec![example(0, Some(f64::NAN), 14.625), example(1, Some(f64::NAN), 11.25)]) });
    over_budget: GUARD, LOOP_CU, fault(FindingKind::OverBudget { instructions: 50_000_000 }, at(4, 9, Action::Execute), None, 1);
    bad_branch: GUARD, LOOP_CU, fault(FindingKind::BadBranch { index: 7, targets: 3 }, at(4, 9, Action::Execute), None, 1);
    timed_out: GUARD, LOOP_CU, other(Fault::TimedOut { seconds: 10.0 });
    trap: GUARD, GUARD_CU, fault(FindingKind::Trap, by(at(5, 5, Action::Execute), 0, 3), None, 1);
    assert_failed: GUARD, GUARD_CU, fault(FindingKind::Assert { expression: "idx < n".into() }, by(at(5, 5, Action::Execute), 3, 232), None, 24);
    // nvcc's column belongs to the expanded macro, so the statement in the file decides
    assert_failed_beyond_its_column: GUARD, "extern \"C\" __global__ void guard(const float* in, float* out, int n) {\n    float sum = in[threadIdx.x];\n    sum += 1.0f; assert(isfinite(sum));\n    out[threadIdx.x] = sum;\n}\n",
        fault(FindingKind::Assert { expression: "isfinite(sum)".into() }, by(at(3, 32, Action::Execute), 0, 3), None, 4);
    stack_overflow: GUARD, GUARD_CU, fault(FindingKind::StackOverflow { bytes: 1_048_576 }, at(5, 5, Action::Execute), None, 1);
    not_cooperative: GUARD, GUARD_CU, fault(FindingKind::NotCooperative, at(5, 5, Action::Execute), None, 1);
    no_texture: GUARD, GUARD_CU, fault(FindingKind::BadObject { surface: false, problem: ObjectProblem::Pointer },
        Access { address: 0x1_8000_0000, ..at(5, 5, Action::Read) }, None, 1);
    surface_in_bytes: GUARD, GUARD_CU, fault(FindingKind::BadSurfaceCoordinate { at: [1, 0, 0], extent: [32, 2, 1], texel: 4 },
        Access { bytes: 4, array: Some("image".into()), ..by(at(5, 5, Action::Write), 0, 1) }, None, 6);
    surface_outside: GUARD, GUARD_CU, fault(FindingKind::BadSurfaceCoordinate { at: [0, 2, 0], extent: [32, 2, 1], texel: 4 },
        Access { bytes: 4, array: Some("image".into()), ..by(at(5, 5, Action::Read), 0, 1) }, None, 6);
    refused_cooperative: GUARD, GUARD_CU, other(Fault::Driver { code: 720, name: "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE".into(),
        text: "a cooperative launch of 265 blocks: all of them must be on the device at once, and 264 blocks of 1024 threads fit its 132 multiprocessors".into() });
    refused_bounds: GUARD, GUARD_CU, other(Fault::Driver { code: 1, name: "CUDA_ERROR_INVALID_VALUE".into(),
        text: "`guard` is compiled for at most 96 threads per block (`__launch_bounds__`), and is launched with 256".into() });
    input_changed: GUARD, "extern \"C\" __global__ void guard(float* in, float* out, int n) {\n    in[threadIdx.x] = 0.0f;\n}\n",
        other(Fault::InputChanged { name: "in".into(), index: 0 });
    guard_zone: GUARD, GUARD_CU, other(Fault::GuardZone { name: "out".into(), index: 1000 });
    driver_700: GUARD, GUARD_CU, other(Fault::Driver { code: 700, name: "CUDA_ERROR_ILLEGAL_ADDRESS".into(), text: "an illegal memory access was encountered".into() });
    refused_by_the_simulator: GUARD, GUARD_CU, other(Fault::Driver { code: 2, name: "CUDA_ERROR_OUT_OF_MEMORY".into(), text: "4294967296 bytes for `buf` do not fit: the simulator gives a program at most 512 MiB".into() });
    driver_719: GUARD, GUARD_CU, other(Fault::Driver { code: 719, name: "CUDA_ERROR_LAUNCH_FAILED".into(), text: "unspecified launch failure".into() });
    no_time_left: GUARD, GUARD_CU, other(Fault::NoTimeLeft { seconds: 240 });
    worker_died: GUARD, GUARD_CU, other(Fault::WorkerDied { how: "signal 9".into() });
    unsupported: GUARD, GUARD_CU, other(Fault::Unsupported { feature: "tex.2d.v4.f32.f32".into(), source: Some(Source { file: "x".into(), line: 5, column: 5 }) });

    only_first_block: BLOCKS, "extern \"C\" __global__ void blocks(const float* in, float* out, int n) {\n    int idx = threadIdx.x;\n    if (idx < n) {\n        out[idx] = in[idx];\n    }\n}\n",
        values(Mismatch { max_writes: Some(5), most_written: Some(256), written: Some(256), ..mismatch(1280, 1024, Pattern::OnlyFirstBlockRight(256),
            vec![example(256, None, 0.743_112), example(257, None, 1.220_91)]) });
    last_block_wrong: GUARD, GUARD_CU, values(Mismatch { written: Some(768), max_writes: Some(1),
        ..mismatch(1000, 232, Pattern::OnlyLastBlockWrong(256), vec![example(768, None, 10.5), example(769, None, 11.25)]) });
    last_element: GUARD, GUARD_CU, values(mismatch(1000, 1, Pattern::Single(999), vec![example(999, None, 10.5)]));
    shifted: GUARD, GUARD_CU, values(mismatch(1000, 999, Pattern::Shifted { by: 1, all: true },
        vec![example(0, Some(10.25), 10.5), example(1, Some(10.75), 10.25), example(2, Some(10.1), 10.75)]));
    all_doubled: GUARD, GUARD_CU, values(mismatch(1000, 1000, Pattern::All,
        vec![example(0, Some(4.0), 2.0), example(1, Some(5.0), 2.5), example(2, Some(7.0), 3.5)]));
    too_small_by_ten: GUARD, GUARD_CU, values(mismatch(1000, 1000, Pattern::All,
        vec![example(0, Some(0.5), 10.5), example(1, Some(0.25), 10.25), example(2, Some(3.0), 13.0)]));
    not_a_number: GUARD, GUARD_CU, values(Mismatch { nan: 12,
        ..mismatch(1000, 12, Pattern::Scattered, vec![example(17, Some(f64::NAN), 10.5), example(40, Some(f64::INFINITY), 10.1)]) });
    infinite: GUARD, GUARD_CU, values(Mismatch { nan: 12,
        ..mismatch(1000, 12, Pattern::Scattered, vec![example(17, Some(f64::INFINITY), 10.5), example(40, Some(f64::INFINITY), 10.1)]) });
    wrong_answer: GUARD, GUARD_CU, values(Mismatch { answer: true,
        ..mismatch(3, 2, Pattern::Scattered, vec![example(0, Some(9.0), 8.0), example(2, Some(7.0), 6.0)]) });
    answer_not_passed_on: GUARD, GUARD_CU, values(Mismatch { answer: true,
        ..mismatch(3, 3, Pattern::All, vec![example(0, None, 8.0), example(1, None, 7.0), example(2, None, 6.0)]) });
    nearly_right: GUARD, GUARD_CU, values(mismatch(1000, 3, Pattern::Scattered,
        vec![example(17, Some(10.500_001), 10.500_000), example(40, Some(1.0), 2.0)]));
    transposed: ADD_2D, ADD_2D_CU, values(Mismatch { shape: vec![37, 65],
        ..mismatch(2405, 2400, Pattern::Transposed, vec![example(1, Some(1.5), 2.5), example(2, Some(1.75), 2.25)]) });
    last_column: ADD_2D, ADD_2D_CU, values(Mismatch { shape: vec![37, 65],
        ..mismatch(2405, 37, Pattern::Column(64), vec![example(64, None, 2.5), example(129, None, 2.25)]) });

    uncoalesced: ADD_2D, ADD_2D_CU, Verdict::GateMissed { case: 0, gates: vec![measured(RATIO, 31.96, false)],
        lines: vec![plain_accesses(5, 9, Counters {
            load_requests: 4096, load_sectors: 131_072, load_sectors_ideal: 16_384,
            store_requests: 4096, store_sectors: 131_072, store_sectors_ideal: 16_384, ..Counters::default() })], variables: vec![], overlap: None };
    uncoalesced_stores: ADD_2D, ADD_2D_CU, Verdict::GateMissed { case: 0, gates: vec![measured(RATIO, 18.0, false)],
        lines: vec![plain_accesses(5, 9, Counters {
            load_requests: 480, load_sectors: 1920, load_sectors_ideal: 1920,
            store_requests: 480, store_sectors: 15_360, store_sectors_ideal: 1920, ..Counters::default() })], variables: vec![], overlap: None };
    bank_conflict: REDUCE, REDUCE_CU, Verdict::GateMissed { case: 0,
        gates: vec![measured(CONFLICTS, 63_488.0, false), measured(REQUESTS, 4096.0, true)],
        lines: vec![plain_accesses(8, 13, Counters {
            shared_requests: 4096, shared_wavefronts: 67_584, shared_wavefronts_ideal: 4096, shared_transactions: 4096, ..Counters::default() })], variables: vec![], overlap: None };
    bypassed: REDUCE, REDUCE_CU, Verdict::GateMissed { case: 0,
        gates: vec![measured(CONFLICTS, 0.0, true), measured(REQUESTS, 0.0, false)], lines: vec![], variables: vec![], overlap: None };
    not_counted: ADD_2D, ADD_2D_CU, Verdict::GateMissed { case: 0,
        gates: vec![Measured { gate: RATIO, value: None, holds: false, output: None, unused: None }], lines: vec![], variables: vec![], overlap: None };

    bytes_for_nothing: ROUND, ROUND_CU, Verdict::GateMissed { case: 0,
        gates: vec![measured(gate(Metric::BytesToDevice, 4000.0), 8000.0, false)], lines: vec![], variables: vec![], overlap: None };
    idle_lanes: ROUND, ROUND_CU, Verdict::GateMissed { case: 0,
        gates: vec![measured(gate(Metric::IdleLanes, 0.0), 28.0, false)], lines: vec![], variables: vec![], overlap: None };
    too_few_launches: ROUND, ROUND_CU, Verdict::GateMissed { case: 0,
        gates: vec![measured(gate(Metric::Launches, 1.0), 0.0, false)], lines: vec![], variables: vec![], overlap: None };
    written_by_the_host: ROUND, ROUND_CU, values(mismatch(1000, 1, Pattern::Single(0),
        vec![example(0, Some(1.0), 2.5)]));
    kernel_called: ROUND, ROUND_CU, rejected(14, 5, "a __global__ function call must be configured");
}

/// The facts of a run choose the words and the question.
mod facts {
    use super::*;

    const STORE: (u32, u32, Action) = (5, 5, Action::Write);

    fn stores((block, thread): (u32, u32), index: i64, threads: u64) -> Verdict {
        let (line, column, action) = STORE;
        fault(
            FindingKind::OutOfBounds,
            by(on(at(line, column, action), "out", index, 1000), block, thread),
            None,
            threads,
        )
    }

    fn mask(problem: MaskProblem) -> Verdict {
        let what = FindingKind::BadSyncMask { mask: 0xffff, present: u32::MAX, problem };
        fault(what, at(8, 13, Action::Execute), None, 1)
    }

    fn serial(overlap: OverlapFacts) -> Verdict {
        let metric = Metric::Overlap;
        let gate = Gate { metric, op: Op::AtLeast, target: 0.5, baseline: None };
        let gates = vec![measured(gate, 0.1, false)];
        Verdict::GateMissed {
            case: 0,
            gates,
            lines: vec![],
            variables: vec![],
            overlap: Some(overlap),
        }
    }

    const BUSY: OverlapFacts = OverlapFacts {
        streams: 3,
        kernel_streams: 3,
        busiest: 0.4,
        one_engine: 0,
        copies: 16,
        pageable: 0,
        waits: 0,
        piece_us: 50.0,
        unneeded: 0,
        unneeded_copies: 0,
        small: 0,
    };

    const UPDATE_CU: &str = r#"extern "C" __global__ void blocks(const float* in, float* out, int n) {
    if (in[threadIdx.x] > 0.5f) {
        *out += 1.0f;
    }
}
"#;
    const ROUNDS_CU: &str = r#"extern "C" __global__ void reduce(const float* in, float* out, int n) {
    __shared__ float tile[256];
    int tid = threadIdx.x;
    for (int first = 0; first < n; first += 256) {
        tile[tid] = in[first + tid];
        float sum = tile[255 - tid];
        __syncthreads();
        out[first + tid] = sum;
    }
}
"#;

    fn two_of_a_tile() -> Verdict {
        let shared = |access| Access { space: Some(Space::Shared), ..access };
        fault(
            FindingKind::SharedRace,
            shared(by(on(at(6, 21, Action::Read), "tile", 0, 256), 0, 255)),
            Some(shared(by(on(at(5, 9, Action::Write), "tile", 0, 256), 0, 0))),
            256,
        )
    }

    screens! {
        wrong_index: GUARD, GUARD_CU, stores((0, 0), 1000, 1);
        short_index: GUARD, GUARD_CU, stores((128, 0), -32_768, 32_768);
        negative_for_a_block: GUARD, GUARD_CU, stores((0, 0), -256, 256);
        several_elements: GUARD, GUARD_CU, fault(FindingKind::OutOfBounds,
            Access { last_index: Some(1003), bytes: 16, ..by(on(at(5, 5, Action::Write), "out", 1000, 1002), 0, 250) }, None, 1);
        no_elements: GUARD, GUARD_CU, fault(FindingKind::OutOfBounds,
            Access { array_bytes: Some(1), ..by(on(at(5, 5, Action::Write), "out", 0, 0), 0, 0) }, None, 1000);
        mask_without_itself: REDUCE, REDUCE_CU, mask(MaskProblem::LacksItself);
        mask_without_the_source: REDUCE, REDUCE_CU, mask(MaskProblem::SourceNotNamed { lane: 16 });
        source_that_has_left: REDUCE, REDUCE_CU, mask(MaskProblem::SourceExited { lane: 16 });
        two_masks: REDUCE, REDUCE_CU, mask(MaskProblem::OtherMask { lane: 16, mask: 0xffff_0000 });
        update_through_a_pointer: BLOCKS, UPDATE_CU, fault(FindingKind::GlobalRace,
            by(on(at(3, 9, Action::Read), "out", 0, 1280), 1, 0),
            Some(by(on(at(3, 9, Action::Write), "out", 0, 1280), 0, 31)), 4);
        race_within_an_iteration: REDUCE, ROUNDS_CU, two_of_a_tile();
        race_with_the_next_iteration: REDUCE, &ROUNDS_CU.replace("        float sum", "        __syncthreads();\n        float sum")
            .replacen("sum = tile[255 - tid];\n        __syncthreads();", "sum = tile[255 - tid];", 1), {
            let shared = |access| Access { space: Some(Space::Shared), ..access };
            fault(FindingKind::SharedRace, shared(by(on(at(5, 9, Action::Write), "tile", 0, 256), 0, 0)),
                Some(shared(by(on(at(7, 21, Action::Read), "tile", 0, 256), 0, 255))), 256)
        };
        unchanged: ROUND, ROUND_CU, values(Mismatch { unchanged: true, copied: Some(CopiedBack {
            direct: 0, others: true, all: 4000, to_host: 4000, parameters: vec![], written_by: None }),
            ..mismatch(1000, 1000, Pattern::All, vec![example(0, Some(1.0), 2.0)]) });
        copied_through_other_memory: ROUND, ROUND_CU, values(Mismatch { copied: Some(CopiedBack {
            direct: 0, others: false, all: 4000, to_host: 3200, parameters: vec![], written_by: None }),
            ..mismatch(1000, 200, Pattern::From(800), vec![example(800, None, 2.0)]) });
        copy_of_the_input: ROUND, ROUND_CU, values(Mismatch { same_as: Some("in"),
            ..mismatch(1000, 1000, Pattern::All, vec![example(0, Some(1.0), 2.0)]) });
        launch_too_small: ROUND, ROUND_CU, values(Mismatch { launch: Some(([3, 1, 1], [256, 1, 1])), launch_at: Some((14, 5)),
            ..mismatch(1000, 232, Pattern::From(768), vec![example(768, Some(0.0), 2.0)]) });
        some_written_often: GUARD, GUARD_CU, values(Mismatch { written: Some(260), max_writes: Some(4), most_written: Some(200),
            ..mismatch(1000, 740, Pattern::From(260), vec![example(260, None, 2.0)]) });
        written_too_often_to_count: GUARD, GUARD_CU, values(Mismatch { written: Some(1000), max_writes: Some(15), most_written: Some(3),
            ..mismatch(1000, 3, Pattern::Scattered, vec![example(1, Some(1.0), 2.0), example(7, Some(1.0), 2.0)]) });
        another_line_writes_too: GUARD, GUARD_CU, values(Mismatch { store_lines: Some(vec![4, 5]),
            ..mismatch(1000, 1000, Pattern::All, vec![example(0, Some(1.0), 2.0)]) });
        recorded_numbers: GUARD, GUARD_CU, values(Mismatch { answers_right: Some(false),
            ..mismatch(1000, 1000, Pattern::All, vec![example(0, Some(1.0), 2.0)]) });
        one_stream: ROUND, ROUND_CU, serial(OverlapFacts { streams: 1, ..BUSY });
        pageable_copies: ROUND, ROUND_CU, serial(OverlapFacts { pageable: 8, ..BUSY });
        waits_between: ROUND, ROUND_CU, serial(OverlapFacts { waits: 7, ..BUSY });
        stream_for_each_engine: ROUND, ROUND_CU, serial(OverlapFacts { one_engine: 3, ..BUSY });
        small_pieces: ROUND, ROUND_CU, serial(OverlapFacts { piece_us: 2.0, ..BUSY });
    }
}

/// A kernel may print anything: none of it reaches the terminal as a command, and a flood is cut.
#[test]
fn printed_output_is_harmless() {
    colored::control::set_override(false);
    let flood: String =
        (0..1000).map(|i| format!("thread {i}\u{1b}[31m says \u{7}hello\n")).collect();
    let verdict = Verdict::Passed(Passed::default());
    let report = report(&GUARD, GUARD_CU, &verdict, Some(&flood));
    let text = terminal::render_to_width(&report, GUARD_CU, 80);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(text.contains("... 976 more lines"), "{text}");
}

/// A source line may hold escape sequences, tabs and wide characters; marks stay inside it.
#[test]
fn source_lines_are_harmless() {
    colored::control::set_override(false);
    let source = "void k() {\n\t/* \u{1b}[2J \u{202e} é */ out[i] = 1;\r\n}";
    let verdict =
        fault(FindingKind::OutOfBounds, on(at(2, 2, Action::Write), "out", 9, 3), None, 1);
    let text = terminal::render_to_width(&report(&GUARD, source, &verdict, None), source, 80);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    insta::assert_snapshot!("hostile_source", text);
}

/// Marks beyond the file (the file changed meanwhile) are left out, and nothing panics.
#[test]
fn marks_outside_the_source_are_dropped() {
    colored::control::set_override(false);
    let verdict = fault(FindingKind::Trap, at(5, 5, Action::Execute), None, 1);
    let mut report = report(&GUARD, GUARD_CU, &verdict, None);
    for (line, column, length) in [(0, 1, 1), (999, 1, 1), (5, 900, 3), (5, 30, 900), (5, 0, 0)] {
        report.spans[0] = checker::report::Span { line, column, length, ..report.spans[0].clone() };
        for source in [GUARD_CU, "", "\n", "é"] {
            assert!(terminal::render_to_width(&report, source, 80).contains("error[trap]"));
        }
    }
}

/// Scripts rely on the field names: a change here is a new version.
#[test]
fn json_is_stable() {
    let verdict = fault(
        FindingKind::OutOfBounds,
        by(on(at(5, 5, Action::Write), "out", 1000, 1000), 3, 232),
        None,
        24,
    );
    let text = json::render(&[report(&GUARD, GUARD_CU, &verdict, Some("hi\n"))]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&value).expect("valid JSON"));
}

fn any_access() -> impl Strategy<Value = Access> {
    let numbers =
        (0_u32..12, 0_u32..60, prop::array::uniform3(0_u32..5), prop::array::uniform3(0_u32..300));
    let array = prop::option::of(prop::sample::select(vec!["in", "out", "tile", "", "\u{1b}[2J"]));
    let action = prop::sample::select(vec![
        Action::Read,
        Action::Write,
        Action::Atomic,
        Action::Wait,
        Action::Exit,
        Action::Free,
    ]);
    let space =
        prop::option::of(prop::sample::select(vec![Space::Global, Space::Shared, Space::Local]));
    let place = (array, any::<Option<i64>>(), any::<Option<u64>>(), any::<u64>(), any::<u32>());
    (numbers, action, space, place).prop_map(
        |(
            (line, column, block, thread),
            action,
            space,
            (array, index, elements, address, bytes),
        )| Access {
            source: Source { file: "x".into(), line, column },
            called_from: (column % 3 == 1).then(|| Source {
                file: "x".into(),
                line: column,
                column: line,
            }),
            action,
            block,
            thread,
            linear: 0,
            space,
            array: array.map(str::to_owned),
            index,
            last_index: index.filter(|_| line % 4 == 1).map(|index| index.saturating_add(3)),
            offset: index.filter(|_| line % 5 != 1).map(|index| index.saturating_mul(4)),
            pointer: (line % 7 < 3).then_some(Pointer { parameter: line, byte: column, start: 8 }),
            elements,
            array_bytes: elements,
            address,
            bytes,
            pending: line % 2 == 1,
            written: (line % 3 == 2).then_some(WrittenBefore {
                bytes: address,
                from_start: address,
                of_access: column,
            }),
            volatile: line % 3 == 1,
            iteration: [None, Some(Iteration::Same), Some(Iteration::Next)][line as usize % 3],
        },
    )
}

fn any_kind() -> impl Strategy<Value = FindingKind> {
    (any::<u32>(), any::<u32>(), any::<u64>()).prop_flat_map(|(a, b, n)| {
        prop::sample::select(vec![
            FindingKind::OutOfBounds,
            FindingKind::InvalidAddress,
            FindingKind::Misaligned,
            FindingKind::UninitialisedRead,
            FindingKind::SharedRace,
            FindingKind::GlobalRace,
            FindingKind::BarrierNotReached { waiting: a, missing: b },
            FindingKind::Deadlock { waiting: a },
            FindingKind::BadBarrier { id: a, threads: Some(b) },
            FindingKind::BadSyncMask {
                mask: a,
                present: b,
                problem: MaskProblem::SourceNotNamed { lane: b },
            },
            FindingKind::BadMatrixOperation { problem: MatrixProblem::AbsentLanes { present: a } },
            FindingKind::BadMatrixOperation {
                problem: MatrixProblem::Stride { bytes: n, elements: a, multiple: 16 },
            },
            FindingKind::Livelock { waiting: a, places: vec![] },
            FindingKind::UseAfterFree,
            FindingKind::DoubleFree,
            FindingKind::InvalidFree { problem: FreeProblem::NotTheStart },
            FindingKind::NeverFinishes { instructions: n, values: LoopValues::Cycle },
            FindingKind::OverBudget { instructions: n },
            FindingKind::BadBranch { index: a, targets: b },
            FindingKind::Trap,
            FindingKind::NotCooperative,
            FindingKind::BadObject { surface: a % 2 == 0, problem: ObjectProblem::Dimensions },
            FindingKind::BadSurfaceCoordinate {
                at: [n as i64, a.into(), b.into()],
                extent: [b.into(), n, a.into()],
                texel: a,
            },
            FindingKind::Assert { expression: "\u{1b}]0;x\u{7}".into() },
            FindingKind::StackOverflow { bytes: n },
        ])
    })
}

fn any_pattern() -> impl Strategy<Value = Pattern> {
    (0_usize..2000, 0_usize..2000, any::<i64>()).prop_flat_map(|(a, b, shift)| {
        prop::sample::select(vec![
            Pattern::All,
            Pattern::OnlyFirstBlockRight(a),
            Pattern::OnlyLastBlockWrong(a),
            Pattern::Single(a),
            Pattern::From(a),
            Pattern::Before(a),
            Pattern::Periodic { period: a, offset: b },
            Pattern::Row(a),
            Pattern::Column(a),
            Pattern::RowsFrom(a),
            Pattern::ColumnsFrom(a),
            Pattern::Transposed,
            Pattern::Shifted { by: shift, all: shift % 2 == 0 },
            Pattern::Scattered,
        ])
    })
}

/// Every verdict has a report with a title, without a panic or an escape sequence.
fn renders_safely(spec: &'static Spec, source: &str, verdict: &Verdict) {
    colored::control::set_override(false);
    let report = report(spec, source, verdict, None);
    assert!(!report.title.is_empty());
    for width in [0, 40, 80, 500] {
        let text = terminal::render_to_width(&report, source, width);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_finding_has_a_report(
        what in any_kind(), at in any_access(), with in prop::option::of(any_access()),
        count in any::<u64>(), others in 0_usize..3, source in "[a-d\\[\\](){};=+ \n]{0,80}",
    ) {
        let fault = Fault::Finding(Finding { what, at, with, count, threads: count, both_write: false, one_warp: false });
        let verdict = Verdict::Fault { case: 0, fault: Box::new(fault), others, results: Results::default() };
        for (spec, source) in [(&GUARD, GUARD_CU), (&REDUCE, REDUCE_CU), (&ADD_2D, ADD_2D_CU), (&BLOCKS, &source)] {
            renders_safely(spec, source, &verdict);
        }
    }

    #[test]
    fn any_mismatch_has_a_report(
        pattern in any_pattern(), shape in prop::collection::vec(0_usize..100, 0..4),
        counts in (0_usize..3000, 0_usize..3000, 0_usize..3000),
        numbers in prop::collection::vec((any::<usize>(), any::<Option<f64>>(), any::<f64>()), 0..5),
        max_writes in any::<Option<u32>>(), written in any::<Option<u64>>(), case in 0_usize..2,
    ) {
        let (wrong, untouched, nan) = counts;
        let examples = numbers.into_iter().map(|(i, yours, expected)| example(i, yours, expected)).collect();
        let total = shape.iter().product();
        let mismatch = Mismatch {
            output: "out", shape, total, wrong, untouched, kept: untouched / 2, nan, examples, pattern, max_writes, written,
            answer: false,
            launch: None,
            launch_at: None, copied: None, unchanged: wrong % 2 == 1, same_as: (wrong % 3 == 1).then_some("in"), origin: None, other_unchanged: (wrong % 5 == 1).then_some("in"), uncopied: vec![], same_memory: None, partial: vec![], answers_right: Some(wrong % 2 == 0), launches: None,
            store_lines: None, most_written: written, fill: nan.checked_sub(1).map(|n| n as f64),
        };
        renders_safely(&GUARD, GUARD_CU, &Verdict::WrongValues { case, mismatch: Box::new(mismatch.clone()) });
        renders_safely(&ADD_2D, ADD_2D_CU, &Verdict::WrongValues { case, mismatch: Box::new(mismatch) });
    }

    #[test]
    fn any_compiler_message_has_a_report(
        line in 0_u32..9, column in 0_u32..60, length in 0_u32..90,
        text in "(identifier \"|expected a \";\"|expected a \"\\)\"|a value of type \"|has no member|is undefined|no operator \"\\[\\]\"|host function|cannot be assigned to|.{0,9}){0,4}",
    ) {
        let message = Message { file: None, severity: Severity::Error, line, column, length, text };
        let mut report = report(&GUARD, GUARD_CU, &Verdict::CompileError(vec![message]), None);
        report.title.push('.');
        terminal::render_to_width(&report, GUARD_CU, 80);
    }
}
