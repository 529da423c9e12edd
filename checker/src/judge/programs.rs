//! The counts of a whole program: its copies, its launches, its time on the simulated clock.

use std::collections::{BTreeMap, BTreeSet};

use cudart_sim::clock::{Engine, Span};
use cudart_sim::report::{Copies, DoneCopy, ElapsedTime, Report, Traffic};
use cudart_sim::runtime::LaunchRecord;

use crate::spec::{Case, Gate, Metric, Op};
use crate::timeline::{busy_time, overlap, shared_time};
use crate::verdict::OverlapFacts;

/// The most bytes of variables in the device's global memory that a program may have, if its
/// exercise has no such gate of its own. Counters and small tables fit, and arrays don't.
const MAX_STATIC_BYTES: f64 = 16_384.0;

/// The gate that every program has, if its exercise has no such gate of its own.
pub const STATIC_BYTES: Gate =
    Gate { metric: Metric::StaticBytes, op: Op::AtMost, target: MAX_STATIC_BYTES, baseline: None };

/// Bytes of variables in the device's global memory.
fn variable_bytes(program: &Report) -> u64 {
    program.variables.iter().map(|variable| variable.bytes).sum()
}

/// The count for `gate`; `None` for a metric of kernels, and when nothing of the kind happened.
pub fn measure(gate: Gate, case: &Case, program: &Report) -> Option<f64> {
    let copies = &program.copies;
    let count = match gate.metric {
        Metric::BytesToDevice => {
            needed(gate, copies.to_device.bytes, unneeded(program, true).bytes)
        }
        Metric::BytesToHost => needed(gate, copies.to_host.bytes, unneeded(program, false).bytes),
        Metric::CopiesToDevice => {
            needed(gate, copies.to_device.calls, unneeded(program, true).calls)
        }
        Metric::CopiesToHost => needed(gate, copies.to_host.calls, unneeded(program, false).calls),
        Metric::CopiesWithinDevice => copies.within_device.calls,
        Metric::CopiesWithinHost => copies.within_host.calls,
        Metric::Launches if gate.op == Op::AtMost => program.launches.len() as u64,
        Metric::Launches => working(program).count() as u64,
        Metric::StaticBytes => variable_bytes(program),
        Metric::Allocations => program.allocations,
        Metric::LiveAllocations => program.peak_live,
        Metric::LiveBytes => program.peak + variable_bytes(program),
        Metric::DeviceWaits => {
            program.synchronisations.device.max(program.synchronisations.between_work)
        }
        Metric::FailedCalls => failed_calls(program),
        Metric::SpareBlocks => spare_blocks(case.size("n") as u64, program),
        Metric::IdleLanes => idle_lanes(program),
        Metric::Overlap => return overlap_of_needed_work(&program.timeline),
        Metric::ConcurrentKernels => return shared_time(spans_of(program, busy(program))),
        Metric::KernelTime => {
            let kernels = program.timeline.iter().filter(|span| span.engine == Engine::Device);
            return Some(busy_time(kernels));
        }
        // What is measured together with a kernel is known only if the kernel is measured.
        Metric::TimedCopies if !measures_a_kernel(program) => return None,
        Metric::TimedKernels if gate.op == Op::AtMost && !measures_a_kernel(program) => {
            return None;
        }
        Metric::TimedKernels => return measured_kernels(program, working_spans(program)),
        Metric::TimedCopies => return measured_share(program, copy_spans(program)),
        _ => return None,
    };
    Some(count as f64)
}

/// The count of copies, or of their bytes, for a gate: all of them where they are too many, and
/// otherwise only those that the results need.
fn needed(gate: Gate, all: u64, unneeded: u64) -> u64 {
    match gate.op {
        Op::AtMost => all,
        Op::Exactly if all as f64 > gate.target => all,
        Op::Exactly | Op::AtLeast => all.saturating_sub(unneeded),
    }
}

/// Copies to the device, or to the host, without which the results are the same.
fn unneeded(program: &Report, to_device: bool) -> Traffic {
    let mut sum = Traffic::default();
    let of_direction = |copy: &&DoneCopy| {
        copy.unneeded && copy.to_device == to_device && copy.from_device != to_device
    };
    program.done_copies.iter().filter(of_direction).for_each(|copy| sum.add(copy.bytes));
    sum
}

/// Whether the launch has written to global memory, and was not found to be unneeded. A launch that
/// an error has ended may write nothing.
const fn works(launch: &LaunchRecord) -> bool {
    let seen = &launch.observations;
    launch.span.is_some() && (seen.traffic.stores.requests > 0 || !seen.completed)
}

/// How many times as much as another launch a launch may store so that the other one still counts.
const MOST_STORED: u64 = 8;

/// The launches that work, without those that store much less than others. A kernel of a few
/// threads that only sets a flag is no share of the work.
fn working(program: &Report) -> impl Iterator<Item = &LaunchRecord> {
    let stored = |launch: &LaunchRecord| launch.observations.traffic.stores.words;
    let most = program.launches.iter().map(stored).max().unwrap_or(0);
    let counts = move |launch: &&LaunchRecord| {
        works(launch) && (MOST_STORED * stored(launch) >= most || !launch.observations.completed)
    };
    program.launches.iter().filter(counts)
}

/// How many times as many instructions as another launch a launch may execute so that the other one
/// still counts as busy.
const MOST_INSTRUCTIONS: u64 = 3;

/// The working launches without those that execute much less than others. Kernels that share the
/// work have similar shares of it, and one that only adds up their results has little.
fn busy(program: &Report) -> impl Iterator<Item = &LaunchRecord> {
    let executed = |launch: &LaunchRecord| launch.observations.totals.thread_instructions;
    let most = program.launches.iter().map(executed).max().unwrap_or(0);
    working(program).filter(move |launch| MOST_INSTRUCTIONS * executed(launch) >= most)
}

/// Calls that returned an error, and kernels that ended with one.
fn failed_calls(program: &Report) -> u64 {
    let calls = program.findings.iter().filter(|finding| finding.is_failed_call());
    let kernels = program.launches.iter().filter(|launch| !launch.observations.completed);
    (calls.count() + kernels.count()) as u64
}

/// The share of the kernels' time that can count as overlap, of the time of the copies in one
/// direction.
const KERNELS_SHARE: f64 = 0.25;

/// The share of the time in which two engines work, without what only long kernels contribute.
///
/// The bytes that a program copies are fixed, and the time of its kernels is not. A kernel that
/// works for nothing beside copies that wait for each other would overlap with all of them. So the
/// overlap is at most the time that the copies, and kernels of a fraction of their time, would take
/// longer one after the other.
fn overlap_of_needed_work(timeline: &[Span]) -> Option<f64> {
    let busy = |engines: &[Engine]| {
        let spans = timeline.iter().filter(|span| engines.contains(&span.engine));
        busy_time(spans)
    };
    let [to_device, to_host] = [Engine::ToDevice, Engine::ToHost].map(|engine| busy(&[engine]));
    let kernels = busy(&[Engine::Device]).min(KERNELS_SHARE * to_device.max(to_host));
    let all = busy(&[Engine::ToDevice, Engine::Device, Engine::ToHost]);
    let saved = (to_device + to_host + kernels - all).max(0.0);
    overlap(timeline).map(|share| share.min(saved / all))
}

/// The count of a gate for copied bytes, with the bytes that cross the bus without a copy.
///
/// Page-locked memory that kernels access crosses it in every launch, so it counts as a copy does.
/// The driver moves managed memory, but when is not known. What the host has changed before work of
/// the device used it counts. Where a gate wants bytes, all managed memory that kernels use counts
/// as far as copies are missing.
pub fn with_shared_memory(gate: Gate, value: f64, program: &Report) -> f64 {
    let (managed, mapped) = (program.managed, program.mapped);
    let (mapped, changed, used) = match gate.metric {
        Metric::BytesToDevice => (mapped.loaded, managed.changed_by_host, managed.used),
        Metric::BytesToHost => (mapped.stored, 0, managed.written),
        _ => return value,
    };
    let value = value + mapped as f64;
    match gate.op {
        Op::AtMost => value + changed as f64,
        Op::AtLeast => value.max((value + used as f64).min(gate.target)),
        Op::Exactly => {
            let used = (value + used as f64).min(gate.target);
            (value + changed as f64).max(used)
        }
    }
}

/// What decides how much of a program's work can overlap.
pub fn overlap_facts(program: &Report) -> OverlapFacts {
    let work = || program.timeline.iter().filter(|span| span.engine != Engine::HostOnly);
    let mut engines: BTreeMap<u64, BTreeSet<Engine>> = BTreeMap::new();
    for span in work() {
        engines.entry(span.stream).or_default().insert(span.engine);
    }
    let mut of_kernels: BTreeMap<u64, f64> = BTreeMap::new();
    for span in kernel_spans(program) {
        *of_kernels.entry(span.stream).or_default() += span.end - span.start;
    }
    let most = of_kernels.values().copied().fold(0.0, f64::max);
    let time: f64 = work().map(|span| span.end - span.start).sum();
    let Copies { to_device, to_host, pageable, .. } = program.copies;
    OverlapFacts {
        streams: engines.len(),
        kernel_streams: of_kernels.len(),
        busiest: most / of_kernels.values().sum::<f64>().max(f64::MIN_POSITIVE),
        one_engine: engines.values().filter(|engines| engines.len() == 1).count(),
        copies: to_device.calls + to_host.calls,
        pageable: pageable.calls,
        unneeded: program.launches.iter().filter(|launch| !works(launch)).count(),
        unneeded_copies: program.done_copies.iter().filter(|copy| copy.unneeded).count(),
        small: program.launches.iter().filter(|launch| works(launch)).count()
            - working(program).count(),
        waits: program.synchronisations.between_work,
        piece_us: time / work().count().max(1) as f64,
    }
}

fn volume([x, y, z]: [u32; 3]) -> u64 {
    u64::from(x) * u64::from(y) * u64::from(z)
}

fn spare_blocks(n: u64, program: &Report) -> u64 {
    let needed = |block| n.div_ceil(volume(block).max(1));
    program.launches.iter().map(|l| volume(l.grid).saturating_sub(needed(l.block))).sum()
}

fn idle_lanes(program: &Report) -> u64 {
    program.launches.iter().map(|l| (32 - volume(l.block) % 32) % 32).sum()
}

fn kernel_spans(program: &Report) -> impl Iterator<Item = &Span> {
    spans_of(program, program.launches.iter())
}

fn spans_of<'a>(
    program: &'a Report,
    launches: impl Iterator<Item = &'a LaunchRecord>,
) -> impl Iterator<Item = &'a Span> {
    launches.filter_map(|launch| program.timeline.get(launch.span?))
}

/// The spans of the launches that store the most, and of those that store at least half as much. A
/// launch of a few threads may take as long as the kernel that computes the results.
fn working_spans(program: &Report) -> impl Iterator<Item = &Span> {
    let stores = |launch: &LaunchRecord| launch.observations.traffic.stores.requests;
    let most = program.launches.iter().map(stores).max().unwrap_or(0);
    spans_of(program, program.launches.iter().filter(move |launch| 2 * stores(launch) >= most))
}

/// Copies between the host and the device.
fn copy_spans(program: &Report) -> impl Iterator<Item = &Span> {
    let copies = |span: &&Span| matches!(span.engine, Engine::ToDevice | Engine::ToHost);
    program.timeline.iter().filter(copies)
}

/// The share of this work's time that the last measurement covers.
fn measured_share<'a>(program: &Report, work: impl Iterator<Item = &'a Span>) -> Option<f64> {
    let measured = program.elapsed.last()?;
    let (mut inside, mut all) = (0.0, 0.0);
    for span in work {
        inside += covered(span, measured);
        all += span.end - span.start;
    }
    (all > 0.0).then(|| inside / all)
}

/// Whether the last measurement covers at least half of the longest kernel.
fn measures_a_kernel(program: &Report) -> bool {
    measured_kernels(program, working_spans(program)).is_some_and(|share| share >= 0.5)
}

/// The time of kernels that the last measurement covers, as a multiple of the longest kernel's. A
/// launch before the measurement, which warms up the device, makes no difference.
fn measured_kernels<'a>(program: &Report, kernels: impl Iterator<Item = &'a Span>) -> Option<f64> {
    let measured = program.elapsed.last()?;
    let (mut inside, mut longest) = (0.0, 0.0_f64);
    for kernel in kernels {
        inside += covered(kernel, measured);
        longest = longest.max(kernel.end - kernel.start);
    }
    (longest > 0.0).then(|| inside / longest)
}

/// The launch of which the last measurement covers most, by its index, if there are several
/// launches and the measurement covers any.
pub fn measured_launch(program: &Report) -> Option<usize> {
    let measured = program.elapsed.last()?;
    let spans = program.launches.iter().map(|launch| program.timeline.get(launch.span?));
    let times = spans.map(|span| span.map_or(0.0, |span| covered(span, measured)));
    let most = times.enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other));
    most.filter(|(_, time)| *time > 0.0 && program.launches.len() > 1).map(|(index, _)| index)
}

/// The time of `span` that lies in a measurement.
fn covered(span: &Span, measured: &ElapsedTime) -> f64 {
    (span.end.min(measured.end) - span.start.max(measured.start)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudart_sim::report::{ManagedUse, MappedUse, StaticVariable};
    use ptxsim::Observations;

    /// Any case; these counts don't depend on it.
    fn case() -> &'static Case {
        &crate::exercises::all()[0].cases[0]
    }

    fn span(engine: Engine, start: f64, end: f64) -> Span {
        Span { stream: 0, engine, what: String::new(), start, end }
    }

    /// From 3 to 8: half a copy of 2, none of another, and none of what moves within the device.
    #[test]
    fn a_measurement_covers_what_lies_between_its_events() {
        let mut program = Report {
            timeline: vec![
                span(Engine::ToDevice, 2.0, 4.0),
                span(Engine::Device, 4.0, 9.0),
                span(Engine::ToHost, 9.0, 11.0),
            ],
            ..Report::default()
        };
        assert_eq!(measured_share(&program, copy_spans(&program)), None, "nothing was measured");
        program.elapsed = vec![ElapsedTime { start: 3.0, end: 8.0, milliseconds: 0.005, at: None }];
        assert_eq!(measured_share(&program, copy_spans(&program)), Some(0.25));
        assert_eq!(
            measured_share(&program, kernel_spans(&program)),
            None,
            "spans that are not launches are not kernels"
        );
        assert_eq!(measured_share(&program, program.timeline.iter().skip(1).take(1)), Some(0.8));
    }

    /// The bytes of all variables are added up, and a counter isn't too large.
    #[test]
    fn variables_in_global_memory_are_added_up() {
        let variable = |bytes| StaticVariable { name: "values".into(), bytes };
        let value = |sizes: &[u64]| {
            let variables = sizes.iter().copied().map(variable).collect();
            let program = Report { variables, ..Report::default() };
            measure(STATIC_BYTES, case(), &program)
        };
        assert_eq!(value(&[]), Some(0.0));
        assert_eq!(value(&[4]), Some(4.0));
        assert_eq!(value(&[16_384, 4]), Some(16_388.0));
        assert_eq!((STATIC_BYTES.op, STATIC_BYTES.target), (Op::AtMost, 16_384.0));
    }

    /// Two copies to the device, and one back, of which one to the device isn't needed. It counts
    /// where the copies are too many with it.
    #[test]
    fn copies_without_use_count_only_towards_a_limit() {
        let copy = |to_device, bytes, unneeded| DoneCopy {
            to_device,
            from_device: !to_device,
            bytes,
            span: None,
            unneeded,
        };
        let done_copies = vec![copy(true, 40, false), copy(true, 8, true), copy(false, 40, false)];
        let mut copies = Copies::default();
        for copy in &done_copies {
            copies.between(copy.to_device, copy.from_device).add(copy.bytes);
        }
        let program = Report { copies, done_copies, ..Report::default() };
        let value = |metric, op, target| {
            measure(Gate { metric, op, target, baseline: None }, case(), &program)
        };
        assert_eq!(value(Metric::CopiesToDevice, Op::AtMost, 1.0), Some(2.0));
        assert_eq!(value(Metric::CopiesToDevice, Op::Exactly, 1.0), Some(2.0));
        assert_eq!(value(Metric::CopiesToDevice, Op::Exactly, 2.0), Some(1.0));
        assert_eq!(value(Metric::BytesToDevice, Op::AtLeast, 48.0), Some(40.0));
        assert_eq!(value(Metric::BytesToHost, Op::Exactly, 40.0), Some(40.0));
    }

    /// One launch works, one stores nothing, one was left out without an effect, an error ended
    /// one, and one stores too little.
    #[test]
    fn launches_without_work_count_only_towards_a_limit() {
        let launch = |words, completed, span| {
            let mut observations = Observations { completed, ..Observations::default() };
            observations.traffic.stores.requests = u64::from(words > 0);
            observations.traffic.stores.words = words;
            LaunchRecord { observations, span, ..LaunchRecord::default() }
        };
        let launches = vec![
            launch(80, true, Some(0)),
            launch(0, true, Some(1)),
            launch(80, true, None),
            launch(0, false, Some(2)),
            launch(9, true, Some(3)),
        ];
        let program = Report { launches, ..Report::default() };
        let count = |op| {
            let gate = Gate { metric: Metric::Launches, op, target: 4.0, baseline: None };
            measure(gate, case(), &program)
        };
        assert_eq!(count(Op::AtMost), Some(5.0));
        assert_eq!([Op::AtLeast, Op::Exactly].map(count), [Some(2.0); 2]);
        let facts = overlap_facts(&program);
        assert_eq!((facts.unneeded, facts.small), (2, 1));
    }

    /// Copies in and out that overlap, the same one after the other, and these with a kernel beside
    /// them that no copy needs.
    #[test]
    fn a_long_kernel_is_no_overlap() {
        let [a, b, c, kernel] = [
            span(Engine::ToDevice, 0.0, 10.0),
            span(Engine::ToHost, 2.0, 12.0),
            span(Engine::ToHost, 10.0, 20.0),
            span(Engine::Device, 0.0, 20.0),
        ];
        let share = |spans: &[&Span]| {
            let spans: Vec<Span> = spans.iter().map(|span| (*span).clone()).collect();
            overlap_of_needed_work(&spans)
        };
        assert_eq!(share(&[&a, &b]), Some(8.0 / 12.0));
        assert_eq!(share(&[&a, &c]), Some(0.0));
        assert_eq!(share(&[&a, &c, &kernel]), Some(2.5 / 20.0));
        let short = span(Engine::Device, 4.0, 6.0);
        assert_eq!(share(&[&a, &b, &short]), Some(8.0 / 12.0));
        assert_eq!(share(&[]), None);
    }

    #[test]
    fn managed_memory_counts_as_far_as_copies_are_missing() {
        let gate = |op| Gate { metric: Metric::BytesToDevice, op, target: 100.0, baseline: None };
        let managed = |used| {
            let managed = ManagedUse { used, ..ManagedUse::default() };
            Report { managed, ..Report::default() }
        };
        let value = |op, value, used| with_shared_memory(gate(op), value, &managed(used));
        assert_eq!(value(Op::Exactly, 0.0, 100), 100.0);
        assert_eq!(value(Op::Exactly, 40.0, 900), 100.0);
        assert_eq!(value(Op::AtLeast, 40.0, 10), 50.0);
        assert_eq!(value(Op::Exactly, 140.0, 100), 140.0, "copies beyond the target count");
        assert_eq!(value(Op::AtMost, 40.0, 100), 40.0);
    }

    /// Intermediate results that go through the host's memory, which no call copies.
    #[test]
    fn bytes_of_shared_memory_that_cross_the_bus_count() {
        let program = Report {
            managed: ManagedUse { used: 90, written: 90, changed_by_host: 30 },
            mapped: MappedUse { loaded: 20, stored: 10 },
            ..Report::default()
        };
        let value = |metric, op| {
            let gate = Gate { metric, op, target: 100.0, baseline: None };
            with_shared_memory(gate, 60.0, &program)
        };
        assert_eq!(value(Metric::BytesToDevice, Op::AtMost), 110.0);
        assert_eq!(value(Metric::BytesToHost, Op::AtMost), 70.0);
        assert_eq!(value(Metric::BytesToDevice, Op::Exactly), 110.0, "more than the target");
        assert_eq!(value(Metric::CopiesToDevice, Op::AtMost), 60.0);
        let program = Report { managed: ManagedUse::default(), ..program };
        let gate =
            Gate { metric: Metric::BytesToHost, op: Op::Exactly, target: 60.0, baseline: None };
        assert_eq!(with_shared_memory(gate, 60.0, &program), 70.0, "more than the target");
    }

    /// One of two equal launches is measured, both are, or only a shorter one is.
    #[test]
    fn a_launch_before_the_measurement_is_no_part_of_it() {
        let launches =
            [(0.0, 4.0), (4.0, 8.0), (8.0, 9.0)].map(|(from, to)| span(Engine::Device, from, to));
        let share = |start, end| {
            let elapsed = vec![ElapsedTime { start, end, milliseconds: 1.0, at: None }];
            let program = Report { elapsed, ..Report::default() };
            measured_kernels(&program, launches.iter())
        };
        assert_eq!(share(4.0, 8.0), Some(1.0), "the first launch warms up");
        assert_eq!(share(0.0, 8.0), Some(2.0), "it is measured, too");
        assert_eq!(share(8.0, 9.0), Some(0.25), "another kernel is measured");
        assert_eq!(share(9.0, 9.0), Some(0.0), "nothing is");
        assert_eq!(measured_kernels(&Report::default(), launches.iter()), None);
    }
}
