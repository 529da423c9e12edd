//! Traces of one thread: the variables, elements and lanes in a trace are those of the kernel.

use ptxsim::trace::{End, Kind, Step, Thread, Trace, Value};
use ptxsim::{Error, FindingKind, Module, Observations};

use crate::common::{Kernel, module};

const SOURCE: &str = include_str!("../kernels/debug/trace.cu");
const PTX: &str = include_str!("../kernels/debug/trace.ptx");

fn follow(block: u32, thread: u32) -> Thread {
    Thread {
        block: [block, 0, 0],
        thread: [thread, 0, 0],
        first: usize::MAX,
        last: 0,
        lines: None,
        warp: false,
        written: None,
    }
}

fn values_kernel() -> Kernel {
    let numbers: Vec<i32> = (0..32).map(|i| i * 7 - 40).collect();
    Kernel::new(&module(PTX), "values")
        .grid(2, 1, 1)
        .buffer("in", &numbers)
        .buffer("log", &[0.0_f64; 64 * 64])
        .scalar(5_i32)
        .scalar(0.7_f32)
}

fn places_kernel() -> Kernel {
    Kernel::new(&module(PTX), "places")
        .buffer("in", &[0.25_f32; 32])
        .uninitialised::<f32>("out", 60)
        .buffer("count", &[10_i32])
        .scalar(32_i32)
}

fn text(step: &Step) -> &str {
    SOURCE.lines().nth(step.source.line as usize - 1).expect("a line of the source").trim()
}

fn as_number(value: &Value) -> f64 {
    value.float().or_else(|| value.integer().map(|n| n as f64)).expect("a number")
}

fn steps_at<'t>(trace: &'t Trace, start: &str) -> Vec<&'t Step> {
    let found: Vec<&Step> = trace.first.iter().filter(|s| text(s).starts_with(start)).collect();
    assert!(!found.is_empty(), "no step at `{start}`");
    found
}

/// The central test: wherever the kernel stores a variable, the trace has shown the value that is
/// then in memory. The kernel has integers and floats of every size, loops, branches, a switch,
/// calls, recursion, shadowed names, and variables in memory.
#[test]
fn variables_have_the_values_that_the_kernel_stores() {
    let mut compared = 0;
    for (block, thread) in [(0, 0), (0, 1), (0, 7), (1, 3), (1, 31)] {
        let (seen, trace) = values_kernel().trace(&follow(block, thread));
        assert_eq!(
            (seen.findings.as_slice(), seen.completed, &trace.end),
            (&[][..], true, &End::Left)
        );
        assert!(trace.variables && trace.skipped == 0);
        for step in &trace.first {
            let Some(name) = text(step).strip_prefix("log[at++] = ") else { continue };
            let name = name.trim_end_matches(';');
            // a variable in memory is read first
            let Some(stored) = step.accesses.last() else { panic!("no store: {step:?}") };
            assert_eq!(stored.access.array.as_deref(), Some("log"));
            let before = step.before(name).unwrap_or_else(|| panic!("`{name}` in {step:?}"));
            let stored = f64::from_bits(stored.values[0].bits);
            assert_eq!(as_number(before), stored, "`{name}`, thread {thread} of block {block}");
            compared += 1;
        }
    }
    assert!(compared > 140, "{compared}");
    // a variable in memory is shown where it changes, also through a pointer
    let (_, trace) = values_kernel().trace(&follow(0, 7));
    let through = steps_at(&trace, "*to += tid;")[0];
    assert_eq!(through.value("taken").and_then(Value::integer), Some(12));
}

/// A variable is shown from the line on that assigns it, and not before.
#[test]
fn assignments_are_reported_on_their_own_line() {
    let (_, trace) = values_kernel().trace(&follow(0, 7));
    let mut assigned = 0;
    for step in &trace.first {
        let words: Vec<&str> = text(step).split_whitespace().collect();
        let Some(equals) = words.iter().position(|word| *word == "=") else { continue };
        let name = words[equals - 1];
        if !text(step).ends_with(';')
            || name.contains(['[', ']', '*'])
            || text(step).starts_with("for")
        {
            continue;
        }
        // an assignment of an equal value is not a change, and neither is the return from a call
        let known = step.set.iter().any(|b| b.name == name);
        let calls = text(step).contains("twice(") || text(step).contains("factorial(");
        assert!(known || calls || step.value(name).is_some(), "{step:?}");
        let declares = equals > 1;
        if declares && !calls && step.depth == 0 && name != "tid" {
            assert_eq!(step.before(name), None, "before its declaration: {step:?}");
            assert!(known, "{step:?}");
            assigned += 1;
        }
    }
    assert!(assigned > 10, "{assigned}");
}

/// Elements have names and indices, also in shared and local memory; an atomic shows the old value
/// and the new one; pointers show what they point at.
#[test]
fn accesses_name_the_array_element() {
    let (_, trace) = places_kernel().trace(&follow(0, 10));
    let only = |start: &str| steps_at(&trace, start).last().expect("a step").accesses.clone();
    let own = only("own[i]");
    assert_eq!((own[0].access.array.as_deref(), own[0].access.index), (Some("own"), Some(5)));
    assert_eq!((own[0].values[0].kind, own[0].values[0].float()), (Kind::Float, Some(2.5)));
    let tile = only("tile[tid / 8]");
    assert_eq!(tile[0].access.array.as_deref(), Some("in"));
    assert_eq!(
        (tile[1].access.array.as_deref(), tile[1].subscripts.as_slice()),
        (Some("tile"), &[1, 2][..])
    );
    assert_eq!(tile[1].values[0].float(), Some(0.25));
    let count = only("const int before");
    assert_eq!(count[0].access.array.as_deref(), Some("count"));
    assert_eq!(count[0].values[0].integer(), Some(2));
    assert_eq!(count[0].old.as_ref().and_then(Value::integer), Some(10 + 2 * 10));
    assert_eq!(count[0].new.as_ref().and_then(Value::integer), Some(10 + 2 * 10 + 2));
    let before =
        steps_at(&trace, "const int before").last().and_then(|s| s.value("before").cloned());
    assert_eq!(before.as_ref().and_then(Value::integer), Some(30));
    let out = steps_at(&trace, "out[tid] = shifted")[0];
    let pointer = out.before("shifted").expect("a pointer");
    assert_eq!(pointer.points_at, Some(("in".to_owned(), 1)));
    assert_eq!(out.accesses[0].access.index, Some(11));
}

/// The number of lanes that execute each line together.
#[test]
fn lanes_that_execute_a_line_together() {
    let (_, trace) = places_kernel().trace(&follow(0, 3));
    assert_eq!(steps_at(&trace, "const int tid")[0].lanes, u32::MAX);
    assert_eq!(steps_at(&trace, "pairs[tid].a")[0].lanes, 0xff);
    assert_eq!(steps_at(&trace, "out[tid] = shifted")[0].lanes, u32::MAX >> 1);
    assert_eq!(steps_at(&trace, "__syncthreads")[0].barrier, Some((32, 32)));
}

/// A trace ends at the thread's first invalid access and shows its index; traces of other threads
/// are complete.
#[test]
fn a_trace_ends_at_a_fault() {
    let (seen, trace) = places_kernel().trace(&follow(0, 31));
    assert_eq!(trace.end, End::Fault);
    let last = trace.first.last().and_then(|step| step.accesses.last()).expect("an access");
    assert_eq!((last.access.index, &last.fault), (Some(60), &Some(FindingKind::OutOfBounds)));
    assert_eq!(
        (&seen.findings[0].what, seen.findings[0].at.linear),
        (&FindingKind::OutOfBounds, 31)
    );
    assert_eq!(places_kernel().trace(&follow(0, 30)).1.end, End::Left);
}

/// A thread that waits forever, one that loops forever, and one that exits although the launch
/// never ends.
#[test]
fn traces_of_threads_that_do_not_finish() {
    let apart = |n: i32| {
        Kernel::new(&module(PTX), "apart").block(64, 1, 1).buffer("out", &[0_i32; 64]).scalar(n)
    };
    let (seen, trace) = apart(33).trace(&follow(0, 3));
    assert_eq!((seen.completed, trace.end), (false, End::Waiting));
    let keep = Thread { first: 10, last: 4, ..follow(0, 40) };
    let (seen, trace) = apart(64).trace(&keep);
    assert_eq!((seen.completed, trace.end), (false, End::Running));
    assert_eq!((trace.first.len(), trace.last.len()), (10, 4));
    assert!(trace.skipped > 1000 && trace.last.iter().any(|s| text(s) == "out[40] = 1;"));
    assert_eq!(apart(64).trace(&follow(0, 41)).1.end, End::Left);
}

/// Only steps on the selected lines are kept. A release build has the same lines and accesses, but
/// no variables.
#[test]
fn line_filters_and_release_builds() {
    let (_, all) = values_kernel().trace(&follow(0, 1));
    let line = steps_at(&all, "sum += in[i];")[0].source.line;
    let (_, some) = values_kernel().trace(&Thread { lines: Some((line, line)), ..follow(0, 1) });
    let wanted: Vec<Step> = all.first.into_iter().filter(|s| s.source.line == line).collect();
    assert_eq!(some.first, wanted);

    let [release, _] =
        crate::common::both_compilers("01_vadd").try_into().expect("two both_compilers");
    let name = release.entries()[0].name.clone();
    let floats: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let (_, trace) = Kernel::new(&release, &name)
        .block(64, 1, 1)
        .buffer("a", &floats)
        .buffer("b", &floats)
        .uninitialised::<f32>("c", 64)
        .scalar(64_i32)
        .trace(&follow(0, 40));
    assert!(!trace.variables && trace.end == End::Left);
    let written = trace
        .first
        .iter()
        .flat_map(|s| &s.accesses)
        .find(|t| t.access.array.as_deref() == Some("c"));
    let written = written.expect("a store");
    assert_eq!((written.access.index, written.values[0].bits as u32), (Some(40), 80_f32.to_bits()));
}

/// Where branches join, the copies of registers that the compiler adds there are no step of the
/// branch that the thread did not take, and no sign that it took one.
#[test]
fn joining_branches_are_no_steps() {
    let joins = |kernel: &str, thread: u32| {
        let module = module(include_str!("../kernels/debug/joins.ptx"));
        let numbers: Vec<i32> = (0..32).collect();
        let (_, trace) =
            Kernel::new(&module, kernel).buffer("v", &numbers).trace(&follow(0, thread));
        assert_eq!(trace.end, End::Left);
        trace.first
    };
    let lines: Vec<u32> = joins("join_else", 3).iter().map(|step| step.source.line).collect();
    let [taken, other] = [&[8, 9, 10, 11][..], &[8, 9, 10, 13, 14]];
    let wanted = [&[4, 5, 6, 7], taken, other, taken, &[8, 17, 18]].concat();
    assert_eq!(lines, wanted);
    let steps = joins("join_if", 3);
    let taken: Vec<bool> =
        steps.iter().filter(|step| step.source.line == 26).map(|step| step.continued).collect();
    assert_eq!(taken, [true, false, true]);
    // after the `break`, the debug information names a register with the value of before
    let values: Vec<i128> = joins("join_break", 3)
        .iter()
        .flat_map(|step| &step.set)
        .filter_map(|set| set.value.integer())
        .collect();
    assert_eq!(values, [5, 4, 3, 2]);
}

/// A thread outside the launch is an error. A trace does not change any observation.
#[test]
fn tracing_does_not_change_results() {
    for (block, thread) in [(2, 0), (0, 32), (u32::MAX, u32::MAX)] {
        let refused = values_kernel().try_trace(&follow(block, thread));
        assert!(matches!(refused, Err(Error::BadLaunch { .. })), "{refused:?}");
    }
    let plain = |kernel: Kernel| -> Observations { kernel.full().seen };
    assert_eq!(values_kernel().trace(&follow(0, 1)).0, plain(values_kernel()));
    assert_eq!(places_kernel().trace(&follow(0, 1)).0, plain(places_kernel()));
}

/// Whatever the debug sections contain, a module loads, runs, and can be traced.
#[test]
fn broken_debug_sections_are_ignored() {
    let start = PTX.find(".section").expect("debug sections");
    let mut random = crate::common::Random(11);
    let digits: Vec<usize> =
        (start..PTX.len()).filter(|i| PTX.as_bytes()[*i].is_ascii_digit()).collect();
    let places = places_kernel().trace(&follow(0, 5));
    for _ in 0..300 {
        let mut text = PTX.to_owned().into_bytes();
        for _ in 0..=random.below(20) {
            let at = digits[random.below(digits.len() as u64) as usize];
            text[at] = b'0' + random.below(10) as u8;
        }
        if random.below(4) == 0 {
            let cut = start + random.below((PTX.len() - start) as u64) as usize;
            text.truncate(cut);
            text.extend_from_slice(b"\n}\n");
        }
        let text = String::from_utf8(text).expect("digits for digits");
        let Ok(module) = Module::parse(&text) else { continue };
        let kernel = Kernel::new(&module.into(), "places")
            .buffer("in", &[0.25_f32; 32])
            .uninitialised::<f32>("out", 60)
            .buffer("count", &[10_i32])
            .scalar(32_i32);
        let (seen, trace) = kernel.trace(&follow(0, 5));
        assert_eq!((seen, trace.end), (places.0.clone(), places.1.end));
    }
}

/// A warp is followed as each of its threads alone, and lanes that execute a line together have the
/// same clock.
#[test]
fn the_threads_of_a_warp_are_followed_together() {
    for (block, thread) in [(0, 7), (1, 0)] {
        let (_, together) = values_kernel().trace(&Thread { warp: true, ..follow(block, thread) });
        let lanes: Vec<u32> = together.neighbours.iter().map(|other| other.lane).collect();
        assert_eq!(lanes, (0..32).filter(|lane| *lane != thread).collect::<Vec<_>>());
        for other in &together.neighbours {
            let (_, alone) = values_kernel().trace(&follow(block, other.lane));
            assert_eq!(other.trace, alone, "lane {}", other.lane);
        }
        let alone = values_kernel().trace(&follow(block, thread)).1;
        assert_eq!(Trace { neighbours: vec![], ..together.clone() }, alone);
        let first = &together.first[0];
        let second = &together.neighbours[0].trace.first[0];
        assert_eq!((first.lanes, first.clock), (u32::MAX, second.clock));
    }
}

/// The thread that stored an element last is found by the element's byte.
#[test]
fn the_writer_of_an_element_is_found() {
    let written = Some((1, 8 * 64 * 33));
    let (_, trace) = values_kernel().trace(&Thread { written, ..follow(0, 0) });
    let writer = trace.writer.expect("an element that is written");
    assert_eq!((writer.block, writer.thread), ([1, 0, 0], [1, 0, 0]));
    assert!(SOURCE.lines().nth(writer.source.line as usize - 1).expect("a line").contains("log["));
    let input = Thread { written: Some((0, 0)), ..follow(0, 0) };
    assert_eq!(values_kernel().trace(&input).1.writer, None);
}
