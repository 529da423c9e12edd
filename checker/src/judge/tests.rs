//! Errors planted in hand-made results. The judge must find the pattern of each, and must accept
//! every right result.

use half::f16;
use ndarray::{Array1, ArrayD};
use proptest::prelude::*;
use ptxsim::{ArrayUse, Counters, Disturbance, LineCounters, Moves, Observations, Source, Traffic};

use super::*;
use crate::diagnostic::Slug;
use crate::spec::{Gate, Kind, Metric, Op, Start, Tolerance};
use crate::value::DType;
use crate::verdict::{Pattern, Results};

const POISON: [u8; 4] = [0xa5, 0x5a, 0xc3, 0x7e];

/// The reference of a kernel that copies: the input as f64.
fn copy(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let Some(Value::Array(input)) = inputs.first() else { return Vec::new() };
    if input.dtype().is_float() {
        let data = (0..input.len()).map(|i| input.get_f64(i)).collect();
        vec![Array::F64(ArrayD::from_shape_vec(input.shape().to_vec(), data).expect("same shape"))]
    } else {
        vec![input.clone()]
    }
}

const fn params(dtype: DType) -> [Param; 2] {
    [
        Param { name: "in", role: Role::In, dtype, shape: "[n]" },
        Param { name: "out", role: Role::Out, dtype, shape: "[n]" },
    ]
}

const fn case_of(grid: [u32; 3], block: [u32; 3]) -> Case {
    Case {
        name: "test",
        why: "",
        sizes: &[],
        defines: &[],
        grid,
        block,
        shared: 0,
        gated: true,
        simulated_only: false,
        fault: None,
        other_faults: &[],
        allows: &[],
    }
}

const GATES: &[Gate] = &[
    Gate {
        metric: Metric::SectorsPerRequest { bytes: 1000 },
        op: Op::AtMost,
        target: 4.5,
        baseline: Some(32.0),
    },
    Gate { metric: Metric::WritesPerElement, op: Op::Exactly, target: 1.0, baseline: None },
    Gate { metric: Metric::SharedRequests, op: Op::AtLeast, target: 10.0, baseline: None },
];

const fn spec(params: &'static [Param], cases: &'static [Case], tolerance: Tolerance) -> Spec {
    Spec {
        id: "copy",
        chapter: "test",
        kind: Kind::Kernel,
        start: Start::Write,
        minutes: 1,
        goal: "copy",
        cooperative: false,
        ordered: &[],
        params,
        cases,
        large: None,
        tolerance,
        gates: GATES,
        hints: &[],
        pitfalls: &[],
        learn: "",
        skeleton: Slug::NotStarted,
        inputs: |_, _| Vec::new(),
        reference: copy,
    }
}

const LINE: &[Case] = &[case_of([16, 1, 1], [64, 1, 1])];
const TILE: &[Case] = &[case_of([5, 5, 1], [16, 8, 1])];
static FLOATS: Spec = spec(&params(DType::F32), LINE, Tolerance::Exact);
static ONE_BLOCK: Spec =
    spec(&params(DType::F32), &[case_of([1; 3], [64, 1, 1])], Tolerance::Exact);
static ROUNDED: Spec = spec(&params(DType::F32), LINE, Tolerance::Roundings(16));
static DOUBLES: Spec = spec(&params(DType::F64), LINE, Tolerance::Roundings(1));
static INTS: Spec = spec(&params(DType::I32), LINE, Tolerance::Exact);
static LONGS: Spec = spec(&params(DType::I64), LINE, Tolerance::Exact);
static SUMS: Spec = spec(
    &[
        Param { name: "in", role: Role::In, dtype: DType::F32, shape: "[n]" },
        Param { name: "out", role: Role::Out, dtype: DType::F32, shape: "[grid]" },
    ],
    LINE,
    Tolerance::Exact,
);
static MATRIX: Spec = spec(&params(DType::F32), TILE, Tolerance::Exact);

/// Distinct values that no pattern connects.
fn values(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 64.0 + 1.0).collect()
}

fn run(data: Vec<u8>) -> Run {
    Run {
        uncopied: vec![],
        written_by_host: vec![],
        outputs: vec![Output { name: "out".into(), data, poison: Some(POISON), copied_back: None }],
        faults: vec![],
        observations: None,
        program: None,
        resources: vec![],
        printed: String::new(),
        printed_dropped: 0,
        milliseconds: vec![],
        cold_milliseconds: vec![],
        device: "test".into(),
    }
}

fn judged(
    spec: &'static Spec,
    shape: &[usize],
    expected: &[f32],
    yours: &[f32],
) -> Option<Verdict> {
    let input = ArrayD::from_shape_vec(shape.to_vec(), expected.to_vec()).expect("shape fits");
    let data = yours.iter().flat_map(|v| v.to_le_bytes()).collect();
    case(spec, 0, &[Value::Array(Array::F32(input))], &run(data))
}

/// The mismatch of a result with planted errors.
fn planted(spec: &'static Spec, shape: &[usize], error: impl Fn(usize, &[f32]) -> f32) -> Mismatch {
    let right = values(shape.iter().product());
    let yours: Vec<f32> = (0..right.len()).map(|i| error(i, &right)).collect();
    match judged(spec, shape, &right, &yours) {
        Some(Verdict::WrongValues { mismatch, .. }) => *mismatch,
        other => panic!("{other:?}"),
    }
}

/// With only two different values many elements are equal, so three wrong elements are not a shift.
/// When all elements are shifted, it is one.
#[test]
fn two_values_are_not_shifted_by_chance() {
    let mut state = 1_u32;
    let mut coin = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { 1.0 } else { -1.0 }
    };
    let right: Vec<f32> = (0..200).map(|_| coin()).collect();
    let of = |right: &[f32], yours: &[f32]| match judged(&FLOATS, &[right.len()], right, yours) {
        Some(Verdict::WrongValues { mismatch, .. }) => mismatch.pattern,
        other => panic!("{other:?}"),
    };
    let pattern = |yours: &[f32]| of(&right, yours);

    // In a short array, half of the elements have no element 15 places before them.
    let short = &right[..30];
    let mut yours = short.to_vec();
    let unlike = |i: &usize| short[*i] != short[*i - 15];
    let wrong: Vec<usize> = (15..30).filter(unlike).take(3).collect();
    assert_eq!(wrong.len(), 3);
    for i in wrong {
        yours[i] *= -1.0;
    }
    let found = of(short, &yours);
    assert!(!matches!(found, Pattern::Shifted { .. }), "{found:?}");

    let mut yours = right.clone();
    for i in [40, 77, 131] {
        yours[i] *= -1.0;
    }
    assert_eq!(pattern(&yours), Pattern::Scattered);
    yours.copy_from_slice(&right);
    yours.rotate_left(5);
    assert_eq!(pattern(&yours), Pattern::Shifted { by: 5, all: true });
}

/// Flags of which none is set, or of which each is one place early.
#[test]
fn missing_values_are_not_shifted_ones() {
    let right: Vec<f32> =
        (0..100).map(|i| f32::from(u8::from([2, 16, 51, 90].contains(&i)))).collect();
    let of = |yours: &[f32]| match judged(&FLOATS, &[100], &right, yours) {
        Some(Verdict::WrongValues { mismatch, .. }) => mismatch.pattern,
        other => panic!("{other:?}"),
    };
    assert_eq!(of(&[0.0; 100]), Pattern::Scattered);
    let mut one = vec![0.0; 100];
    one[2] = 1.0;
    assert_eq!(of(&one), Pattern::Scattered);
    let mut early = right.clone();
    early.rotate_left(1);
    assert_eq!(of(&early), Pattern::Shifted { by: 1, all: true });
}

/// Every eighth value does not come from where the others do.
#[test]
fn a_shift_of_most_values_is_not_one_of_all() {
    let mostly = |i: usize, r: &[f32]| match r.get(i + 1) {
        Some(next) if i % 12 != 5 => *next,
        _ => -1.0,
    };
    assert_eq!(planted(&FLOATS, &[1000], mostly).pattern, Pattern::Shifted { by: 1, all: false });
}

const UNTOUCHED: f32 = f32::from_bits(u32::from_le_bytes(POISON));

/// Every planted pattern is found, with 1000 elements in blocks of 64, so that the last block has
/// 40.
#[test]
fn patterns_in_one_dimension() {
    let bad = |from: usize, to: usize| {
        planted(&FLOATS, &[1000], move |i, r| if (from..to).contains(&i) { -1.0 } else { r[i] })
            .pattern
    };
    assert_eq!(bad(0, 1000), Pattern::All);
    assert_eq!(bad(64, 1000), Pattern::OnlyFirstBlockRight(64));
    assert_eq!(bad(960, 1000), Pattern::OnlyLastBlockWrong(64));
    assert_eq!(bad(999, 1000), Pattern::Single(999));
    assert_eq!(bad(0, 1), Pattern::Single(0));
    assert_eq!(bad(512, 1000), Pattern::From(512));
    assert_eq!(bad(0, 100), Pattern::Before(100));
    assert_eq!(bad(100, 200), Pattern::Scattered);
    let every = |n: usize, first: usize| {
        planted(&FLOATS, &[1000], move |i, r| if i % n == first { -1.0 } else { r[i] }).pattern
    };
    assert_eq!(every(2, 1), Pattern::Periodic { period: 2, offset: 1 });
    assert_eq!(every(32, 0), Pattern::Periodic { period: 32, offset: 0 });
    let shifted =
        |by: usize| planted(&FLOATS, &[1000], move |i, r| r.get(i + by).copied().unwrap_or(0.0));
    assert_eq!(shifted(1).pattern, Pattern::Shifted { by: 1, all: true });
    assert_eq!(shifted(64).pattern, Pattern::Shifted { by: 64, all: true });
    let late = planted(&FLOATS, &[1000], |i, r| if i == 0 { UNTOUCHED } else { r[i - 1] });
    assert_eq!(
        (late.pattern, late.untouched, late.wrong),
        (Pattern::Shifted { by: -1, all: true }, 1, 1000)
    );
    assert_eq!(planted(&FLOATS, &[1], |_, _| -1.0).pattern, Pattern::All);
    assert_eq!(
        planted(&FLOATS, &[1000], |i, r| if i % 7 == 3 || i == 5 { 0.5 } else { r[i] }).pattern,
        Pattern::Scattered
    );
}

/// Wrong edges are named where the rest of a matrix is right.
#[test]
fn edges_of_a_matrix() {
    let bad = |rows: [usize; 2], columns: [usize; 2]| {
        let wrong = move |i: usize| rows.contains(&(i / 25)) || columns.contains(&(i % 25));
        planted(&FLOATS, &[40, 25], move |i, r| if wrong(i) { -1.0 } else { r[i] }).pattern
    };
    assert_eq!(bad([0, 0], [0, 0]), Pattern::Edges([true, false, true, false]));
    assert_eq!(bad([39, 39], [24, 24]), Pattern::Edges([false, true, false, true]));
    assert_eq!(bad([0, 39], [0, 24]), Pattern::Edges([true; 4]));
    assert_eq!(bad([0, 39], [24, 24]), Pattern::Edges([true, true, false, true]));
    assert_eq!(bad([0, 0], [3, 3]), Pattern::Scattered);
}

/// A sum per block is not the element of one thread, so "every other block is wrong" would name the
/// wrong blocks.
#[test]
fn blocks_are_not_named_where_elements_have_no_thread() {
    let errors = |i: usize, r: &[f32]| if i >= 64 { -1.0 } else { r[i] };
    assert_eq!(planted(&FLOATS, &[1000], errors).pattern, Pattern::OnlyFirstBlockRight(64));
    assert_eq!(planted(&SUMS, &[1000], errors).pattern, Pattern::From(64));
}

/// With atomic updates "only the last write stays" would be wrong, because all of them stay.
#[test]
fn writes_are_not_counted_against_atomics() {
    let most = |atomics: u64| {
        let mut run = run(4.0_f32.to_le_bytes().to_vec());
        let out = ArrayUse {
            name: "out".into(),
            elements: 1,
            written: 1,
            max_writes: 8,
            most_written: 1,
        };
        let totals = Counters { global_atomics: atomics, ..Counters::default() };
        run.observations =
            Some(Observations { totals, arrays: vec![out], ..Observations::default() });
        let input = Array::F32(Array1::from_vec(vec![2.0]).into_dyn());
        match case(&FLOATS, 0, &[Value::Array(input)], &run) {
            Some(Verdict::WrongValues { mismatch, .. }) => mismatch.max_writes,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((most(0), most(3)), (Some(8), None));
}

/// With one block that loops over the data, there are no other blocks to name.
#[test]
fn blocks_are_named_only_where_there_are_several() {
    let bad = planted(&ONE_BLOCK, &[1000], |i, r| if i < 64 { r[i] } else { UNTOUCHED });
    assert_eq!(bad.pattern, Pattern::From(64));
}

/// The same in a matrix of 37 rows and 65 columns, with blocks of 16 by 8.
#[test]
fn patterns_in_two_dimensions() {
    let bad = |wrong: fn(usize, usize) -> bool| {
        planted(&MATRIX, &[37, 65], move |i, r| if wrong(i / 65, i % 65) { -1.0 } else { r[i] })
            .pattern
    };
    assert_eq!(bad(|_, _| true), Pattern::All);
    assert_eq!(bad(|row, column| row >= 8 || column >= 16), Pattern::OnlyFirstBlockRight(128));
    assert_eq!(bad(|_, column| column >= 16), Pattern::ColumnsFrom(16));
    assert_eq!(bad(|row, _| row >= 8), Pattern::RowsFrom(8));
    assert_eq!(bad(|_, column| column == 64), Pattern::Column(64));
    assert_eq!(bad(|row, _| row == 36), Pattern::Row(36));
    assert_eq!(bad(|row, column| row == 3 && column > 5), Pattern::Scattered);
    let transposed = planted(&MATRIX, &[37, 65], |i, r| r[(i % 37) * 65 + i / 37]);
    assert_eq!(transposed.pattern, Pattern::Transposed);
    let square = planted(&MATRIX, &[32, 32], |i, r| r[(i % 32) * 32 + i / 32]);
    assert_eq!(square.pattern, Pattern::Transposed);
}

/// Untouched, NaN and wrong values are distinguished, and decide the diagnostic.
#[test]
fn kinds_of_wrong() {
    let nothing = planted(&FLOATS, &[100], |_, _| UNTOUCHED);
    assert_eq!((nothing.untouched, nothing.slug()), (100, Slug::OutputNotWritten));
    assert_eq!(nothing.examples.first().and_then(|e| e.yours), None);
    let half = planted(&FLOATS, &[100], |i, r| if i < 50 { r[i] } else { UNTOUCHED });
    assert_eq!((half.untouched, half.slug()), (50, Slug::WrongValues));
    let nan = planted(&FLOATS, &[100], |i, r| if i < 50 { r[i] } else { f32::NAN });
    assert_eq!((nan.nan, nan.slug()), (50, Slug::NotANumber));
    let infinite = planted(&ROUNDED, &[100], |i, r| if i < 50 { r[i] } else { f32::INFINITY });
    assert_eq!((infinite.nan, infinite.slug()), (50, Slug::NotANumber));
    let few = planted(&FLOATS, &[100], |i, _| if i == 0 { f32::NAN } else { 0.0 });
    assert_eq!((few.nan, few.wrong, few.slug()), (1, 100, Slug::WrongValues));
}

/// "Not started" needs both an output that was not written and a TODO in the source.
#[test]
fn not_started_needs_a_todo_and_an_untouched_output() {
    let nothing = || judged(&FLOATS, &[9], &values(9), &[UNTOUCHED; 9]).expect("wrong");
    let source = "void k() {\n    // TODO 1: which element is mine?\n}\n";
    let started = not_started(nothing(), 0, source);
    assert_eq!(started, Verdict::NotStarted { output: "out", elements: 9, todo_line: 2 });
    assert_eq!(not_started(nothing(), 0, "void k() {}").slug(), Slug::OutputNotWritten);
    // A learner who has passed a case has started.
    assert_eq!(not_started(nothing(), 1, source).slug(), Slug::OutputNotWritten);
    let zeros = judged(&FLOATS, &[9], &values(9), &[0.0; 9]).expect("wrong");
    assert_eq!(not_started(zeros, 0, source).slug(), Slug::WrongValues);
}

/// A float is exact when it is the reference rounded once. The tolerance grows with the number of
/// roundings.
#[test]
fn tolerances() {
    let tenth = Array1::from(vec![0.1_f64]).into();
    let bytes = 0.1_f32.to_le_bytes();
    assert!(Comparison::new(DType::F32, &bytes, &tenth, Tolerance::Exact).is_right(0, 0));
    let next = 0.1_f32.next_up().to_le_bytes();
    assert!(!Comparison::new(DType::F32, &next, &tenth, Tolerance::Exact).is_right(0, 0));
    let loose = Comparison::new(DType::F32, &next, &tenth, Tolerance::Roundings(1));
    assert!(loose.is_right(0, 0));
    let expected = 4.0 * f64::from(f32::EPSILON) * 0.1;
    approx::assert_relative_eq!(loose.tolerance(0), expected, max_relative = 1e-12);
    // A sum that cancels to 0 has a tolerance for the magnitude of the other elements.
    let cancelled = Array1::from(vec![0.0_f64, 1000.0]).into();
    let bytes: Vec<u8> = [1e-4_f32, 1000.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert!(
        Comparison::new(DType::F32, &bytes, &cancelled, Tolerance::Roundings(1)).is_right(0, 0)
    );
    assert!(!Comparison::new(DType::F32, &bytes, &cancelled, Tolerance::Exact).is_right(0, 0));
    // A fixed step is the same everywhere, and NaN is never within it.
    let off = |by: f32| (0.1_f32 + by).to_le_bytes();
    let within = |bytes: &[u8]| {
        Comparison::new(DType::F32, bytes, &tenth, Tolerance::Within(0.25)).is_right(0, 0)
    };
    assert!(within(&off(0.24)) && within(&off(-0.24)));
    assert!(!within(&off(0.26)) && !within(&off(f32::NAN)));
    // Infinity is right where it is expected, and wrong elsewhere.
    let infinite = Array1::from(vec![f64::INFINITY]).into();
    let right = f32::INFINITY.to_le_bytes();
    assert!(Comparison::new(DType::F32, &right, &infinite, Tolerance::Roundings(9)).is_right(0, 0));
    let wrong = 3.0_f32.to_le_bytes();
    assert!(
        !Comparison::new(DType::F32, &wrong, &infinite, Tolerance::Roundings(9)).is_right(0, 0)
    );
}

/// A half is exact when it is the reference rounded to a half, and eps is 2^-10.
#[test]
fn halves_are_compared_at_their_own_precision() {
    let is_right = |yours: f16, expected: f64, rule| {
        let (bytes, expected) = (yours.to_le_bytes(), Array1::from(vec![expected]).into());
        Comparison::new(DType::F16, &bytes, &expected, rule).is_right(0, 0)
    };
    let (tenth, next) = (f16::from_f64(0.1), f16::from_bits(f16::from_f64(0.1).to_bits() + 1));
    assert!(is_right(tenth, 0.1, Tolerance::Exact));
    assert!(!is_right(next, 0.1, Tolerance::Exact));
    assert!(is_right(tenth, 0.1, Tolerance::OwnRoundings(208)));
    assert!(!is_right(next, 0.1, Tolerance::OwnRoundings(208)));
    assert!(is_right(next, 0.1, Tolerance::Roundings(1)));
    // 4 * 2^-10 of 2048 are 8
    assert!(is_right(f16::from_f64(2056.0), 2048.0, Tolerance::Roundings(1)));
    assert!(!is_right(f16::from_f64(2058.0), 2048.0, Tolerance::Roundings(1)));
    assert!(!is_right(f16::NAN, 0.1, Tolerance::Roundings(1)));
}

/// A byte of 0xff is -1 and not 255.
#[test]
fn signed_bytes_have_signs() {
    static BYTES: Spec = spec(&params(DType::I8), LINE, Tolerance::Exact);
    let input = Value::Array(Array1::from_iter([-1_i8, 127, -128]).into());
    assert_eq!(case(&BYTES, 0, std::slice::from_ref(&input), &run(vec![0xff, 0x7f, 0x80])), None);
    let Some(Verdict::WrongValues { mismatch, .. }) =
        case(&BYTES, 0, &[input], &run(vec![0xff, 0x80, 0x80]))
    else {
        panic!("a wrong value")
    };
    let example = mismatch.examples[0];
    assert_eq!((example.index, example.yours, example.expected), (1, Some(-128.0), 127.0));
}

/// 64-bit integers are distinguished although they round to the same f64.
#[test]
fn large_integers_are_exact() {
    let right = (1_i64 << 60) + 1;
    let input = || [Value::Array(Array::from(Array1::from(vec![right])))];
    assert_eq!(case(&LONGS, 0, &input(), &run(right.to_le_bytes().to_vec())), None);
    assert!(case(&LONGS, 0, &input(), &run((right - 1).to_le_bytes().to_vec())).is_some());
}

/// A fault takes precedence over wrong outputs, and equal faults count once.
#[test]
fn faults_come_first() {
    let input = [Value::Array(Array::from(Array1::from(vec![1.0_f32])))];
    let mut run = run(1.0_f32.to_le_bytes().to_vec());
    let fault = Fault::TimedOut { seconds: 2.0 };
    let other = Fault::InputChanged { name: "in".into(), index: 0 };
    run.faults = vec![fault.clone(), fault.clone(), other];
    assert_eq!(
        case(&FLOATS, 0, &input, &run),
        Some(Verdict::Fault {
            case: 0,
            fault: Box::new(fault),
            others: 1,
            results: Results::default()
        })
    );
}

/// Only outputs that a run has returned can be wrong.
#[test]
fn a_fault_says_whether_the_outputs_are_wrong() {
    let input = [Value::Array(Array::from(Array1::from(vec![1.0_f32])))];
    let wrong_outputs = |mut run: Run| {
        run.faults = vec![Fault::TimedOut { seconds: 2.0 }];
        let verdict = case(&FLOATS, 0, &input, &run);
        matches!(
            verdict,
            Some(Verdict::Fault { results: Results::Wrong | Results::Unwritten(_), .. })
        )
    };
    assert!(wrong_outputs(run(2.0_f32.to_le_bytes().to_vec())));
    assert!(!wrong_outputs(run(1.0_f32.to_le_bytes().to_vec())));
    assert!(!wrong_outputs(Run { outputs: Vec::new(), ..run(Vec::new()) }));
}

/// A run that only a defect of the checker can cause does not pass, and the learner's values are
/// not blamed.
#[test]
fn broken_runs_do_not_pass() {
    let input = [Value::Array(Array::from(Array1::from(vec![1.0_f32])))];
    let short = run(vec![0; 3]);
    let mut missing = run(vec![0; 4]);
    missing.outputs.clear();
    for (index, inputs, run) in
        [(0, &input[..], &short), (0, &input, &missing), (9, &input, &short), (0, &[], &short)]
    {
        let verdict = case(&FLOATS, index, inputs, run).expect("not right");
        assert_eq!(verdict.slug(), Slug::LaunchFailed);
    }
}

fn observed() -> Observations {
    let counters = |sectors| Counters {
        load_requests: 10,
        load_sectors: sectors,
        load_sectors_ideal: 40,
        shared_requests: 12,
        ..Counters::default()
    };
    let line = |line, sectors| LineCounters {
        source: Source { file: "x.cu".into(), line, column: 0 },
        counters: counters(sectors),
        traffic: Traffic::of_loads_and_stores(&counters(sectors)),
    };
    let totals = Counters { load_requests: 20, load_sectors: 360, ..counters(360) };
    Observations {
        completed: true,
        totals,
        traffic: Traffic::of_loads_and_stores(&totals),
        lines: vec![line(3, 40), line(4, 320)],
        arrays: vec![ArrayUse {
            name: "out".into(),
            elements: 9,
            written: 9,
            max_writes: 1,
            most_written: 9,
        }],
        ..Observations::default()
    }
}

/// Each count is compared with its target, the heaviest line is named, and a gate without a
/// measurement does not hold.
#[test]
fn gates_are_counts() {
    let seen = |observations| Run { observations, ..run(vec![0; 36]) };
    let (measured, lines) = gates(&FLOATS, 0, &[], &seen(Some(observed())), &[]);
    let values: Vec<_> = measured.iter().map(|m| (m.value, m.holds)).collect();
    assert_eq!(values, [(Some(36.0), false), (Some(1.0), true), (Some(12.0), true)]);
    assert_eq!(lines.first().map(|line| line.source.line), Some(4));

    let unfinished = Observations { completed: false, ..observed() };
    for observations in [None, Some(unfinished)] {
        let (measured, lines) = gates(&FLOATS, 0, &[], &seen(observations), &[]);
        assert_eq!(measured.len(), 3);
        assert!(measured.iter().all(|m| m.value.is_none() && !m.holds) && lines.is_empty());
    }
    // Without requests and outputs there is nothing to divide by, so no gate holds.
    let empty = Observations { completed: true, ..Observations::default() };
    let (measured, _) = gates(&FLOATS, 0, &[], &seen(Some(empty)), &[]);
    assert_eq!(measured.iter().filter(|m| m.value.is_none()).count(), 2);
    assert!(measured.iter().all(|m| !m.holds));
}

proptest! {
    /// A right result is never a mismatch.
    #[test]
    fn a_right_result_never_mismatches(right in prop::collection::vec(-1e30_f32..1e30, 1..200)) {
        let n = right.len();
        prop_assert_eq!(judged(&FLOATS, &[n], &right, &right), None);
        prop_assert_eq!(judged(&ROUNDED, &[n], &right, &right), None);
    }

    /// NaN never passes.
    #[test]
    fn nan_never_passes(right in prop::collection::vec(any::<f32>(), 1..100), at in any::<prop::sample::Index>()) {
        let mut yours = right.clone();
        yours[at.index(right.len())] = f32::NAN;
        for spec in [&FLOATS, &ROUNDED] {
            prop_assert!(judged(spec, &[right.len()], &right, &yours).is_some());
        }
    }

    /// For any returned bytes there is no panic, and the counts agree with each other.
    #[test]
    fn counts_are_consistent(
        right in prop::collection::vec(any::<i32>(), 1..200),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<i32>()), 0..50),
        rows in 1_usize..8,
    ) {
        let columns = right.len().div_ceil(rows);
        let mut right = right;
        right.resize(rows * columns, 7);
        let mut yours = right.clone();
        for (at, value) in noise {
            yours[at.index(right.len())] = value;
        }
        let differ = yours.iter().zip(&right).filter(|(a, b)| a != b).count();
        let shape = vec![rows, columns];
        let input = ArrayD::from_shape_vec(shape.clone(), right).expect("shape fits");
        let data = yours.iter().flat_map(|v| v.to_le_bytes()).collect();
        match case(&INTS, 0, &[Value::Array(Array::I32(input))], &run(data)) {
            None => prop_assert_eq!(differ, 0),
            Some(Verdict::WrongValues { mismatch: m, .. }) => {
                prop_assert_eq!(m.wrong, differ);
                prop_assert_eq!(m.total, rows * columns);
                prop_assert_eq!(m.shape, shape);
                prop_assert!(m.untouched + m.nan <= m.wrong);
                prop_assert_eq!(m.examples.len(), m.wrong.min(MAX_EXAMPLES));
                prop_assert!(m.examples.iter().all(|e| e.index < m.total));
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }

    /// Bytes of any length are judged without a panic.
    #[test]
    fn never_panics(data in prop::collection::vec(any::<u8>(), 0..400), n in 1_usize..50) {
        let input = Array1::from((0..n).map(|i| i as f64).collect::<Vec<_>>());
        case(&DOUBLES, 0, &[Value::Array(Array::from(input))], &run(data));
    }
}

/// What a launch that only loads and stores leaves behind.
fn observations(totals: Counters) -> Observations {
    let traffic = Traffic::of_loads_and_stores(&totals);
    Observations { completed: true, totals, traffic, ..Observations::default() }
}

/// A sector counts as 32 bytes even when a warp uses fewer of them, and a branch counts in both
/// directions.
#[test]
fn bytes_per_element_store_requests_and_branches() {
    static GATES: &[Gate] = &[
        Gate { metric: Metric::BytesPerElement, op: Op::AtMost, target: 4.0, baseline: None },
        Gate { metric: Metric::StoreRequests, op: Op::Exactly, target: 2.0, baseline: None },
        Gate { metric: Metric::Branches, op: Op::AtMost, target: 5.0, baseline: None },
    ];
    static SPEC: Spec = Spec { gates: GATES, ..spec(&params(DType::F32), LINE, Tolerance::Exact) };
    let counted = |load_sectors, store_requests, branches, elements: usize| {
        let totals = Counters { load_sectors, store_requests, branches, ..Counters::default() };
        let seen = observations(totals);
        let run = Run { observations: Some(seen), ..run(vec![0; 4 * elements]) };
        let (measured, _) = gates(&SPEC, 0, &[], &run, &[]);
        measured.iter().map(|m| (m.value, m.holds)).collect::<Vec<_>>()
    };
    let right = [(Some(4.0), true), (Some(2.0), true), (Some(5.0), true)];
    assert_eq!(counted(4, 2, 5, 32), right);
    let wrong = [(Some(9.0), false), (Some(3.0), false), (Some(6.0), false)];
    assert_eq!(counted(18, 3, 6, 64), wrong);
    assert_eq!(counted(18, 2, 5, 0)[0], (None, false), "nothing to divide by");
}

/// Loads of threads are counted per element of the outputs, and texture requests separately.
#[test]
fn loads_per_element_and_texture_requests() {
    static GATES: &[Gate] = &[
        Gate { metric: Metric::LoadsPerElement, op: Op::AtMost, target: 1.35, baseline: None },
        Gate {
            metric: Metric::TextureRequests { surfaces: false },
            op: Op::Exactly,
            target: 3.0,
            baseline: None,
        },
    ];
    static SPEC: Spec = Spec { gates: GATES, ..spec(&params(DType::F32), LINE, Tolerance::Exact) };
    let totals = Counters { thread_loads: 14, texture_requests: 3, ..Counters::default() };
    let seen = observations(totals);
    let values = |elements: usize| {
        let run = Run { observations: Some(seen.clone()), ..run(vec![0; 4 * elements]) };
        let (measured, _) = gates(&SPEC, 0, &[], &run, &[]);
        measured.iter().map(|m| (m.value, m.holds)).collect::<Vec<_>>()
    };
    assert_eq!(values(8), [(Some(1.75), false), (Some(3.0), true)]);
    assert_eq!(values(14), [(Some(1.0), true), (Some(3.0), true)]);
    assert_eq!(values(0), [(None, false), (Some(3.0), true)]);
    // 14 loads of a float4
    let loads = Moves { lanes: 14, words: 56, ..Moves::default() };
    let seen = Observations { traffic: Traffic { loads, ..seen.traffic }, ..seen.clone() };
    let run = Run { observations: Some(seen), ..run(vec![0; 4 * 14]) };
    assert_eq!(gates(&SPEC, 0, &[], &run, &[]).0[0].value, Some(4.0));
}

/// Bytes in flight are those of the inputs, for each wait, so loads of an element that has been
/// loaded before don't raise the count.
#[test]
fn bytes_in_flight_count_each_byte_of_the_inputs_once() {
    static GATES: &[Gate] =
        &[Gate { metric: Metric::BytesInFlight, op: Op::AtLeast, target: 500.0, baseline: None }];
    static SPEC: Spec = Spec { gates: GATES, ..spec(&params(DType::F32), LINE, Tolerance::Exact) };
    let inputs = [Value::Array(Array::F32(ArrayD::ones(vec![1024])))];
    let value = |sectors, waits| {
        let totals =
            Counters { load_sectors: sectors, load_sectors_ideal: sectors, ..Counters::default() };
        let seen = Observations { load_waits: waits, ..observations(totals) };
        let run = Run { observations: Some(seen), ..run(vec![0; 4]) };
        gates(&SPEC, 0, &inputs, &run, &[]).0[0].value
    };
    assert_eq!(value(128, Some(8)), Some(512.0));
    assert_eq!(value(128, Some(32)), Some(128.0));
    assert_eq!(value(4096, Some(32)), Some(128.0), "each byte was loaded 32 times");
    assert_eq!(value(128, Some(0)), None);
    assert_eq!(value(128, None), None);
}

/// Fetches that the results don't need are not counted, and say why. A count that misses its target
/// stays as it is, and so does that of another kind of memory.
#[test]
fn what_the_results_do_not_use_is_not_counted() {
    static GATES: &[Gate] = &[Gate {
        metric: Metric::TextureRequests { surfaces: true },
        op: Op::Exactly,
        target: 3.0,
        baseline: None,
    }];
    static SPEC: Spec = Spec { gates: GATES, ..spec(&params(DType::F32), LINE, Tolerance::Exact) };
    let measured = |texture_requests, unused: &[Disturbance]| {
        let seen = observations(Counters { texture_requests, ..Counters::default() });
        let run = Run { observations: Some(seen), ..run(vec![0; 4]) };
        let measured = gates(&SPEC, 0, &[], &run, unused).0[0];
        (measured.value, measured.holds, measured.unused)
    };
    for unused in [Disturbance::Fetches, Disturbance::SurfaceStores] {
        assert_eq!(measured(3, &[unused]), (Some(0.0), false, Some(unused)));
        assert_eq!(measured(4, &[unused]), (Some(4.0), false, None));
    }
    assert_eq!(measured(3, &[Disturbance::Exchange]), (Some(3.0), true, None));
    assert_eq!(measured(3, &[]), (Some(3.0), true, None));
}

/// Packed requests beyond those that the work needs leave the number of sectors as it is, and
/// whatever instruction wastes sectors is counted.
#[test]
fn requests_for_nothing_do_not_lower_the_sectors_per_request() {
    static GATES: &[Gate] = &[Gate {
        metric: Metric::SectorsPerRequest { bytes: 8 },
        op: Op::AtMost,
        target: 4.5,
        baseline: None,
    }];
    static SPEC: Spec = Spec { gates: GATES, ..spec(&params(DType::F32), LINE, Tolerance::Exact) };
    let moves = |sectors, sectors_ideal| Moves { sectors, sectors_ideal, ..Moves::default() };
    let value = |loads, stores| {
        let traffic = Traffic { loads, stores, ..Traffic::default() };
        let seen = Observations { traffic, ..observations(Counters::default()) };
        let run = Run { observations: Some(seen), ..run(vec![0; 4 * 1024]) };
        gates(&SPEC, 0, &[], &run, &[]).0[0].value
    };
    // 1024 elements of 8 bytes need 256 sectors
    assert_eq!(value(moves(128, 128), moves(128, 128)), Some(4.0));
    assert_eq!(value(moves(128, 128), moves(1024, 128)), Some(18.0));
    assert_eq!(value(moves(5000, 5000), moves(1024, 128)), Some(18.0), "diluted with loads");
    assert_eq!(value(moves(128, 128), moves(6024, 5128)), Some(18.0), "diluted with stores");
    // fewer than the work needs are divided among themselves
    assert_eq!(value(moves(64, 64), moves(512, 64)), Some(18.0));
    assert_eq!(value(moves(0, 0), moves(0, 0)), None);
}

/// Constant memory counts like other memory once it is large enough to hold the data.
#[test]
fn constants_that_may_be_the_data_are_loads() {
    static GATES: &[Gate] = &[
        Gate { metric: Metric::LoadsPerElement, op: Op::AtMost, target: 1.0, baseline: None },
        Gate { metric: Metric::LoadRequests, op: Op::AtMost, target: 32.0, baseline: None },
    ];
    static SPEC: Spec = Spec { gates: GATES, ..spec(&params(DType::F32), LINE, Tolerance::Exact) };
    let input = [Value::Array(Array::from(Array1::from(vec![1.0_f32; 1000])))];
    let values = |constant_bytes| {
        let of = |requests| Moves { requests, words: 32 * requests, ..Moves::default() };
        let traffic = Traffic { loads: of(10), constants: of(60), ..Traffic::default() };
        let seen = Observations { constant_bytes, traffic, ..observations(Counters::default()) };
        let run = Run { observations: Some(seen), ..run(vec![0; 4 * 320]) };
        gates(&SPEC, 0, &input, &run, &[]).0.iter().map(|m| m.value).collect::<Vec<_>>()
    };
    assert_eq!(values(1999), [Some(1.0), Some(10.0)], "coefficients");
    assert_eq!(values(2000), [Some(7.0), Some(70.0)], "half of the input");
}

/// Barriers are counted per warp, and atomic operations per thread and not per request of a warp.
#[test]
fn barriers_atomics_and_shared_memory() {
    static GATES: &[Gate] = &[
        Gate { metric: Metric::Barriers, op: Op::Exactly, target: 2.0, baseline: None },
        Gate { metric: Metric::GlobalAtomics, op: Op::AtMost, target: 8.0, baseline: None },
        Gate { metric: Metric::SharedBytes, op: Op::AtMost, target: 128.0, baseline: None },
    ];
    static SPEC: Spec = Spec { gates: GATES, ..spec(&params(DType::F32), LINE, Tolerance::Exact) };
    let values = |warps: u64| {
        let totals =
            Counters { barriers: 12, global_atomics: 2, thread_atomics: 33, ..Counters::default() };
        let seen = Observations { warps, shared_bytes: 128, ..observations(totals) };
        let run = Run { observations: Some(seen), ..run(vec![0; 4]) };
        let (measured, _) = gates(&SPEC, 0, &[], &run, &[]);
        measured.iter().map(|m| (m.value, m.holds)).collect::<Vec<_>>()
    };
    let rest = [(Some(33.0), false), (Some(128.0), true)];
    assert_eq!(values(6), [[(Some(2.0), true)].as_slice(), &rest].concat());
    assert_eq!(values(8), [[(Some(1.5), false)].as_slice(), &rest].concat());
    assert_eq!(values(0)[0], (None, false), "what did not run was not counted");
}

proptest! {
    /// The loop over whole outputs finds the elements that are wrong when they are looked at one by
    /// one: of each type, with values that are equal, near, far, missing, infinite or NaN.
    #[test]
    fn wrong_elements_are_those_that_are_not_right(
        expected in prop::collection::vec(
            prop_oneof![-4.0..4.0_f64, Just(0.1), Just(f64::INFINITY), Just(f64::NAN), Just(1e300)],
            0..40,
        ),
        offsets in prop::collection::vec(
            prop_oneof![Just(0.0), Just(1e-7), Just(1.0), Just(f64::NAN), Just(f64::INFINITY)],
            0..40,
        ),
        rule in prop_oneof![
            Just(Tolerance::Exact),
            Just(Tolerance::Within(0.5)),
            Just(Tolerance::Roundings(4)),
            Just(Tolerance::OwnRoundings(4)),
        ],
    ) {
        macro_rules! compare {
            ($t:ty, $variant:ident) => {{
                let yours = expected.iter().zip(&offsets).map(|(e, offset)| (e + offset) as $t);
                let bytes: Vec<u8> = yours.flat_map(<$t>::to_le_bytes).collect();
                let same: Vec<$t> = expected.iter().map(|e| *e as $t).collect();
                for reference in [Array1::from(expected.clone()).into(), Array1::from(same).into()] {
                    let compared = Comparison::new(DType::$variant, &bytes, &reference, rule);
                    let one_by_one: Vec<usize> =
                        (0..compared.len()).filter(|&i| !compared.is_right(i, i)).collect();
                    prop_assert_eq!(compared.wrong(), one_by_one);
                }
            }};
        }
        compare!(f32, F32);
        compare!(f64, F64);
        compare!(i32, I32);
        compare!(u32, U32);
        compare!(u8, U8);
        compare!(u64, U64);
    }
}
