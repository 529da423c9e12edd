//! What `checker profile` and `checker trace` show at several widths, for observations that these
//! tests write out by hand. Real kernels on the simulator are in `cli/closeups.rs`.
//!
//! These are reviewed texts: read a changed snapshot as a learner would before accepting it.

use checker::backend::Fault;
use checker::diagnostic::Slug;
use checker::explain::{self, Context};
use checker::inspect::{Profiled, Residency};
use checker::report::{html, profile, trace};
use checker::spec::{Case, Gate, Kind, Metric, Op, Param, Role, Spec, Start, Tolerance};
use checker::value::DType;
use checker::verdict::{Measured, Results, Verdict};
use cudart_sim::occupancy::SIMULATED;
use cudart_sim::resources::KernelResources;
use cudart_sim::runtime::LaunchRecord;
use ptxsim::{
    Access, Action, Counters, Finding, FindingKind, LineCounters, Observations, Source, Traffic,
};

const CONFLICTS: Gate =
    Gate { metric: Metric::SharedConflicts, op: Op::AtMost, target: 0.0, baseline: Some(63_488.0) };

static TRANSPOSE: Spec = Spec {
    id: "transpose",
    chapter: "ch04_shared",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 10,
    goal: "test",
    cooperative: false,
    ordered: &[],
    params: &[
        Param { name: "in", role: Role::In, dtype: DType::F32, shape: "[rows][cols]" },
        Param { name: "out", role: Role::Out, dtype: DType::F32, shape: "[cols][rows]" },
    ],
    cases: &[Case {
        name: "256 x 256",
        why: "",
        sizes: &[("rows", 256), ("cols", 256)],
        grid: [8, 8, 1],
        block: [32, 32, 1],
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
    gates: &[CONFLICTS],
    hints: &[],
    pitfalls: &[],
    learn: "chapter 4",
    skeleton: Slug::GateMissed,
    inputs: |_, _| Vec::new(),
    reference: |_, _| Vec::new(),
};

const TRANSPOSE_CU: &str = r#"// transpose | chapter 4

extern "C" __global__ void transpose(const float* in, float* out) {
    __shared__ float tile[32][32];
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * 256 + x];
    __syncthreads();



    if (x > 7) {
        float history[64];	// a tab before this comment
        history[x % 64] = logf(tile[threadIdx.x][threadIdx.y]);
        atomicAdd(&out[x * 256 + y], history[(x + 1) % 64]);
    }
}
"#;

fn line(file: &str, line: u32, counters: Counters) -> LineCounters {
    let source = Source { file: file.into(), line, column: 0 };
    LineCounters { source, counters, traffic: Traffic::of_loads_and_stores(&counters) }
}

/// A kernel in which every counter is above zero.
fn observations() -> Observations {
    let ran = |instructions| Counters {
        instructions,
        thread_instructions: instructions * 32,
        ..Counters::default()
    };
    let lines = vec![
        line(
            "math_functions.h",
            40,
            Counters { load_requests: 64, thread_loads: 2048, load_sectors: 64, ..ran(4096) },
        ),
        line("transpose.cu", 5, ran(8192)),
        line(
            "transpose.cu",
            7,
            Counters {
                load_requests: 2048,
                thread_loads: 65_536,
                load_sectors: 8192,
                load_sectors_ideal: 8192,
                shared_requests: 2048,
                shared_wavefronts: 2048,
                shared_wavefronts_ideal: 2048,
                shared_transactions: 2048,
                ..ran(20_480)
            },
        ),
        line("transpose.cu", 8, Counters { barriers: 2048, ..ran(2048) }),
        line("transpose.cu", 12, Counters { branches: 2048, divergent_branches: 256, ..ran(4096) }),
        line(
            "transpose.cu",
            14,
            Counters {
                shared_requests: 2048,
                shared_wavefronts: 65_536,
                shared_wavefronts_ideal: 2048,
                shared_transactions: 2048,
                local_requests: 4096,
                instructions: 20_480,
                thread_instructions: 20_480 * 31,
                ..Counters::default()
            },
        ),
        line("transpose.cu", 15, Counters { global_atomics: 2048, ..ran(10_240) }),
        line("transpose.cu", 900, ran(1)),
    ];
    let mut totals = Counters::default();
    lines.iter().for_each(|line| totals.add(&line.counters));
    Observations { completed: true, totals, lines, ..Observations::default() }
}

fn seen(observations: Observations) -> Profiled {
    let value = Some(observations.totals.shared_conflicts() as f64);
    Profiled {
        case: 0,
        source: TRANSPOSE_CU.into(),
        verdict: None,
        observations,
        launches: vec![],
        chosen: None,
        timeline: vec![],
        gates: vec![Measured { gate: CONFLICTS, value, holds: false, output: None, unused: None }],
        residency: Residency::of_program(&SIMULATED, Ok(vec![resources()]), &[&launch()]),
        millis: 41,
    }
}

fn resources() -> KernelResources {
    KernelResources { name: "transpose".into(), registers: 40, shared: 4096, ..Default::default() }
}

fn launch() -> LaunchRecord {
    LaunchRecord {
        kernel: "transpose".into(),
        symbol: "transpose".into(),
        grid: [4, 4, 1],
        block: [32, 8, 1],
        ..LaunchRecord::default()
    }
}

fn described(seen: &Profiled) -> profile::Profile {
    let context = Context {
        file: "exercises/ch04_shared/transpose.cu",
        source: &seen.source,
        device: "simulator",
        millis: seen.millis,
        printed: None,
        seed: 7,
        command: "checker",
    };
    explain::profile(&TRANSPOSE, seen, &context)
}

fn screen(seen: &Profiled, width: usize) -> String {
    colored::control::set_override(false);
    let text = profile::render(&described(seen), &seen.source, width);
    assert!(!text.contains('\u{1b}'), "no colour without a terminal");
    for line in text.lines() {
        assert!(line.chars().count() <= width, "too wide: {line}");
        assert_eq!(line, line.trim_end(), "blanks at the end");
    }
    text
}

/// The profile has every column, the remarks in order of cost, a row for code in headers, and the
/// gate.
#[test]
fn a_profile() {
    insta::assert_snapshot!(screen(&seen(observations()), 120));
}

/// On a narrow terminal, columns are dropped in a fixed order, and the profile names them.
#[test]
fn a_narrow_profile() {
    insta::assert_snapshot!(screen(&seen(observations()), 80));
    insta::assert_snapshot!(screen(&seen(observations()), 50));
    screen(&seen(observations()), 40);
}

/// The profile of a kernel that stopped at a fault covers the run up to the fault, and says so.
#[test]
fn a_profile_of_a_kernel_that_did_not_finish() {
    let at = Access {
        source: Source { file: "transpose.cu".into(), line: 7, column: 5 },
        called_from: None,
        action: Action::Read,
        block: [7, 7, 0],
        thread: [31, 31, 0],
        linear: 1023,
        space: Some(ptxsim::Space::Global),
        array: Some("in".into()),
        index: Some(65_536),
        last_index: None,
        offset: None,
        pointer: None,
        elements: Some(65_536),
        array_bytes: Some(262_144),
        address: 0,
        bytes: 4,
        pending: false,
        volatile: false,
        iteration: None,
        written: None,
    };
    let finding = Finding {
        what: FindingKind::OutOfBounds,
        at,
        with: None,
        count: 3,
        threads: 3,
        both_write: false,
        one_warp: false,
    };
    let verdict = Verdict::Fault {
        case: 0,
        fault: Box::new(Fault::Finding(finding)),
        others: 0,
        results: Results::default(),
    };
    let mut observations = Observations { completed: false, ..observations() };
    observations.lines.truncate(4);
    observations.totals = Counters::default();
    for line in &observations.lines {
        observations.totals.add(&line.counters);
    }
    let seen = Profiled { verdict: Some(verdict), gates: vec![], ..seen(observations) };
    insta::assert_snapshot!(screen(&seen, 80));
}

/// Among many similar iterations, those in which a value becomes infinite or NaN are shown.
#[test]
fn iterations_in_which_values_become_infinite_are_shown() {
    let mut trace = followed();
    trace.steps.clear();
    for iteration in 0..40 {
        let mut header = step(12, 0);
        header.set = vec![named("x", &iteration.to_string())];
        let mut body = step(14, 0);
        let value = |from: i32, number: &str| {
            if iteration < from { iteration.to_string() } else { number.to_owned() }
        };
        body.set = vec![named("bottom", &value(20, "inf")), named("sum", &value(22, "NaN"))];
        trace.steps.extend([header, body]);
    }
    let text = trace::render(&trace, 200, 80);
    let remarks: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("iteration ") || line.starts_with("... iteration"))
        .map(|line| line.split(" is similar").next().unwrap_or(line))
        .map(|line| line.split(" are similar").next().unwrap_or(line))
        .collect();
    let expected = [
        "iteration 1 of 40:",
        "iteration 2 of 40:",
        "... iterations 3 to 20",
        "iteration 21 of 40:",
        "... iteration 22",
        "iteration 23 of 40:",
        "... iterations 24 to 39",
        "iteration 40 of 40:",
    ];
    assert_eq!(remarks, expected, "{text}");
}

/// Programs rely on these names, so changing one needs another version.
#[test]
fn a_profile_as_json() {
    let json = profile::json(Some(&described(&seen(observations()))));
    assert!(!json.contains('\n'));
    let document: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).expect("JSON"));
    assert_eq!(profile::json(None), r#"{"version":1,"profile":null}"#);
}

/// A notebook shows a profile as a table, in which the highest counts are marked.
#[test]
fn a_profile_as_html() {
    let seen = seen(observations());
    insta::assert_snapshot!(html::profile(&described(&seen), &seen.source));
}

fn named(name: &str, value: &str) -> trace::Named {
    trace::Named { name: name.into(), value: value.into() }
}

fn fact(text: &str, wrong: bool) -> trace::Fact {
    trace::Fact { text: text.into(), wrong }
}

fn step(line: u32, depth: u32) -> trace::Step {
    trace::Step {
        line,
        text: TRANSPOSE_CU.lines().nth(line as usize - 1).expect("a line").into(),
        function: if depth > 0 { "helper" } else { "transpose" }.into(),
        depth,
        lanes: 32,
        uses: vec![],
        set: vec![],
        accesses: vec![],
        condition: None,
        loop_lines: None,
        facts: vec![],
    }
}

/// A thread that runs a loop and stops at a fault.
fn followed() -> trace::Trace {
    let mut steps = vec![step(5, 0), step(6, 0)];
    steps[0].uses = vec![named("blockIdx.x", "3"), named("threadIdx.x", "31")];
    steps[0].set = vec![named("x", "127")];
    steps[0].facts =
        vec![fact("blockIdx.x = 3, threadIdx.x = 31", false), fact("-> x = 127", false)];
    for round in 0..9 {
        let mut header = step(12, 0);
        header.set = vec![named("x", &(128 + round).to_string())];
        header.condition = Some(round < 8);
        header.facts = vec![fact("x = 128: true", false)];
        steps.push(header);
        if round < 8 {
            let mut body = step(7, 1);
            body.accesses = vec![trace::Accessed {
                new: None,
                action: "read".into(),
                element: "in[32895]".into(),
                array: Some("in".into()),
                index: Some(32_895),
                value: Some("0.25".into()),
                old: None,
                fault: None,
            }];
            body.facts = vec![fact(
                "reads in[32895] = 0.25, which is a rather long line for a narrow terminal",
                false,
            )];
            steps.push(body);
        }
    }
    let mut last = step(14, 0);
    last.facts = vec![fact(
        "reads tile[32][0]: outside: `tile` has 1024 elements, tile[0] to tile[1023]",
        true,
    )];
    steps.push(last);
    trace::Trace {
        exercise: "transpose".into(),
        file: "exercises/ch04_shared/transpose.cu".into(),
        case: "case `256 x 256` (rows = 256, cols = 256, grid 8x8, block 32x32)".into(),
        block: [3, 0, 0],
        thread: [31, 0, 0],
        thread_name: "block (3,0), thread (31,0)".into(),
        slug: Slug::OutOfBoundsRead,
        wrong: Some(
            "block (3,0), thread (31,0) reads tile[1024], but `tile` has 1024 elements".into(),
        ),
        steps,
        skipped: None,
        end: "fault".into(),
        ending: "block (3,0), thread (31,0) made a mistake here".into(),
        same_results: true,
        notes: vec![
            "simulated, from a debug build, in which every line runs in the order of the source"
                .into(),
        ],
        other_launches: None,
        device: "simulator".into(),
        millis: 41,
    }
}

/// Loops are folded, calls are named, lines are cut and sentences are wrapped to the width, and
/// `--limit` keeps the last steps.
#[test]
fn a_trace() {
    colored::control::set_override(false);
    for (limit, width) in [(200, 120), (200, 80), (200, 50), (6, 80)] {
        let text = trace::render(&followed(), limit, width);
        assert!(!text.contains('\u{1b}'));
        for line in text.lines() {
            assert!(line.chars().count() <= width, "too wide: {line}");
        }
        insta::assert_snapshot!(format!("trace, at most {limit} steps, {width} columns"), text);
    }
}

/// Programs rely on these names, so changing one needs another version.
#[test]
fn a_trace_as_json() {
    let mut short = followed();
    short.steps.truncate(4);
    let document: serde_json::Value =
        serde_json::from_str(&trace::json(Some(&short))).expect("JSON");
    insta::assert_snapshot!(serde_json::to_string_pretty(&document).expect("JSON"));
    assert_eq!(trace::json(None), r#"{"version":1,"trace":null}"#);
}

/// A notebook shows a trace as a table with a row for each step.
#[test]
fn a_trace_as_html() {
    insta::assert_snapshot!(html::trace(&followed(), 40));
}
