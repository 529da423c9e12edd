//! The answers are right, and a count is not.

use ptxsim::LineCounters;

use super::Draft;
use super::scan::{Source, span};
use super::scene::Scene;
use super::words::{count, measured};
use crate::report::Span;
use crate::spec::{Metric, Op};
use crate::verdict::Measured;

/// Calls of a program that are marked at most.
const MOST_CALLS: usize = 8;

/// Explains the first gate that is missed, with a table of all.
pub fn explain(scene: &Scene<'_>, gates: &[Measured], line: Option<&LineCounters>) -> Draft {
    let Some(missed) = gates.iter().find(|gate| !gate.holds) else {
        return Draft::new(
            "this is a bug in the checker: a gate is reported missed, and every one holds",
        );
    };
    let Some(value) = missed.value else {
        if missed.gate.metric == Metric::TimedKernels {
            let mut draft = Draft::new(
                "the answers are right, but no time was measured between two events",
            )
            .note("a clock of the host measures what the host does: the kernel's time is known on the device")
            .note("cudaEventElapsedTime is asked once both events have been reached; before, it says cudaErrorNotReady")
            .think("which two places of the stream enclose the kernel, and how does the host know that the second was reached?");
            draft.table = table(gates);
            return draft;
        }
        let mut draft = Draft::new(format!(
            "the answers are right, but {} could not be counted",
            name(missed.gate.metric)
        ))
        .note("what was not counted does not pass; the counts come from the simulator")
        .think("does the kernel still read and write memory in the way that the exercise asks?");
        draft.table = table(gates);
        return draft;
    };
    let mut draft = Draft::new(format!("the answers are right, but {}", complaint(missed, value)));
    if let Some(line) = line {
        draft = draft.mark(mark(scene.source, missed.gate.metric, line));
    }
    draft.spans.extend(calls(scene.source, missed));
    draft.notes = meaning(missed.gate.metric).iter().map(|&note| note.into()).collect();
    let share = is_share(missed.gate.metric);
    let question = if missed.gate.op == Op::AtLeast && !share {
        let note = "fewer than this means that the work went another way, around the lesson";
        draft.notes.push(note.into());
        "which memory does the kernel use now, and which does the exercise ask for?"
    } else if missed.gate.metric == Metric::TextureRequests {
        question(missed.gate.metric)
    } else if missed.gate.op == Op::Exactly && value < missed.gate.target && scene.program {
        "which part of the work does the exercise want on the device, and where is it done now?"
    } else if line.is_some_and(|line| nearly_packed(missed.gate.metric, line)) {
        "at which byte does a warp's first element lie, and does a sector begin there?"
    } else {
        question(missed.gate.metric)
    };
    draft.think = Some(question.into());
    draft.table = table(gates);
    draft
}

/// A share of some time, shown in per cent.
const fn is_share(metric: Metric) -> bool {
    matches!(metric, Metric::Overlap | Metric::TimedKernels | Metric::TimedCopies)
}

fn complaint(missed: &Measured, value: f64) -> String {
    let share = is_share(missed.gate.metric);
    let shown =
        |value: f64| if share { format!("{:.0} %", 100.0 * value) } else { measured(value) };
    let (yours, target) = (shown(value), shown(missed.gate.target));
    let limit = match missed.gate.op {
        Op::AtMost if missed.gate.target == 0.0 => "none".into(),
        Op::AtMost => format!("at most {target}"),
        Op::AtLeast => format!("at least {target}"),
        Op::Exactly => target,
    };
    match missed.gate.metric {
        Metric::SectorsPerRequest => {
            format!("each request touches {value:.1} sectors of memory ({limit} wanted)")
        }
        Metric::LoadsPerElement => {
            let limit = format!("at most {:.2}", missed.gate.target);
            format!("each element costs {value:.2} loads from global memory ({limit} wanted)")
        }
        Metric::WritesPerElement if value >= 15.0 => {
            format!("one element is written 15 times or more ({limit} wanted)")
        }
        Metric::WritesPerElement => {
            format!("one element is written {yours} times ({limit} wanted)")
        }
        Metric::SharedBytes => {
            format!("each block takes {yours} bytes of shared memory ({limit} wanted)")
        }
        Metric::Barriers => format!("each warp comes to {yours} barriers ({limit} wanted)"),
        Metric::GlobalAtomics => {
            format!("threads do {yours} atomic operations on global memory ({limit} wanted)")
        }
        Metric::Overlap => {
            format!("two engines work at once for only {yours} of the time ({limit} wanted)")
        }
        Metric::TimedKernels => {
            format!("the time that is measured covers {yours} of the kernel's ({limit} wanted)")
        }
        Metric::BytesToDevice => format!("{yours} bytes are copied to the device ({limit} wanted)"),
        Metric::BytesToHost => {
            format!("{yours} bytes are copied back to the host ({limit} wanted)")
        }
        Metric::TimedCopies => {
            format!("the time that is measured covers {yours} of the copies', too ({limit} wanted)")
        }
        metric => format!("there are {yours} {} ({limit} wanted)", name(metric)),
    }
}

fn meaning(metric: Metric) -> &'static [&'static str] {
    match metric {
        Metric::SectorsPerRequest => &[
            "a request is one load or store of a warp, for all its 32 threads at once",
            "memory comes in sectors of 32 bytes: 32 neighbouring floats need 4, scattered ones 32",
        ],
        Metric::WritesPerElement => {
            &["the last write wins, and all the others were work for nothing"]
        }
        Metric::SharedConflicts => &[
            "shared memory has 32 banks, each 4 bytes wide; word i lies in bank i % 32",
            "different words of one bank are served one after the other: each extra turn counts here",
        ],
        Metric::SharedRequests => &["a request is one load or store of a warp in shared memory"],
        Metric::LoadRequests => &["a request is one load of a warp from global memory"],
        Metric::LoadsPerElement => &[
            "every load of every thread from global memory counts, divided by the elements of the output",
        ],
        Metric::TextureRequests => &[
            "a request is one fetch of a warp: it can filter four texels into one number on its way",
        ],
        Metric::DivergentBranches => {
            &["when a warp's threads go both ways, it walks both, one after the other"]
        }
        Metric::SharedBytes => &[
            "a multiprocessor shares what it has among its blocks: the more a block takes, the fewer run at the same time",
        ],
        Metric::Barriers => &["at a barrier the whole block waits for its slowest warp"],
        Metric::GlobalAtomics => &[
            "atomic operations on one address take turns, whoever they come from, and each goes all the way to the memory that all blocks share",
        ],
        Metric::BytesToDevice | Metric::BytesToHost => &[
            "every byte crosses the bus between the host and the device, which is slow: a kernel reads its own memory some 50 times faster",
        ],
        Metric::CopiesToDevice | Metric::CopiesToHost => {
            &["every copy costs microseconds before its first byte moves, however short it is"]
        }
        Metric::CopiesWithinDevice => {
            &["such a copy reads and writes every byte again, and changes nothing"]
        }
        Metric::Launches => &["a launch costs microseconds before its first thread runs"],
        Metric::SpareBlocks => &[
            "the last block may be partly idle; a block in which no thread has an element is for nothing",
        ],
        Metric::IdleLanes => &[
            "a block is made of warps of 32 threads: one of 100 threads takes 4 warps, the last with 28 idle lanes",
        ],
        Metric::Allocations => &["an allocation takes longer than many kernels"],
        Metric::LiveAllocations => &["memory that is given back late keeps others from having it"],
        Metric::Overlap => &[
            "a GPU has engines for copies in, copies out and kernels, which can all work at the same time",
            "work overlaps only when it is in different streams, and copies only when the host's memory is page-locked",
        ],
        Metric::TimedKernels => &[
            "a launch returns at once, and the kernel runs later: a clock of the host that is read too early sees only the launch",
            "an event is reached when everything before it in its stream is done",
        ],
        Metric::TimedCopies => &[
            "copies over the bus often take longer than the kernel: a time of both says little about either",
        ],
        Metric::DeviceWaits => {
            &["cudaDeviceSynchronize waits for every stream: nothing overlaps across it"]
        }
    }
}

fn question(metric: Metric) -> &'static str {
    match metric {
        Metric::SectorsPerRequest => {
            "thread 0 and thread 1 of a warp: how far apart are the elements that they touch?"
        }
        Metric::WritesPerElement => "which threads come to the same element, and which one should?",
        Metric::SharedConflicts => {
            "which words do lanes 0, 1 and 2 read, and in which banks are they?"
        }
        Metric::TextureRequests => "which texels does one fetch read, and who puts them together?",
        Metric::SharedRequests | Metric::LoadRequests | Metric::LoadsPerElement => {
            "which value is loaded more than once, and who else could have kept it?"
        }
        Metric::DivergentBranches => "which threads of one warp take the branch, and which do not?",
        Metric::SharedBytes => "which of the cells hold something that another thread will read?",
        Metric::Barriers => "between which two steps does one thread read what another one wrote?",
        Metric::GlobalAtomics => {
            "whose results could a block put together by itself, before it tells anybody else?"
        }
        Metric::BytesToDevice => "how much of what is copied in does a kernel read?",
        Metric::BytesToHost => "how much of what is copied back does the host not have already?",
        Metric::CopiesToDevice | Metric::CopiesToHost => {
            "which data does the other side really need, and when for the last time?"
        }
        Metric::CopiesWithinDevice => {
            "the data is on the device already: who says in which array the next kernel looks?"
        }
        Metric::Launches => "which launches could be one?",
        Metric::SpareBlocks => {
            "n elements, so many threads to a block: how many blocks have something to do?"
        }
        Metric::IdleLanes => "which sizes of a block are whole warps?",
        Metric::Allocations | Metric::LiveAllocations => {
            "which arrays are never needed at the same time?"
        }
        Metric::Overlap => {
            "while the second chunk is copied in, what could the device do with the first?"
        }
        Metric::TimedKernels => "what has to be true of the kernel when the second time is taken?",
        Metric::TimedCopies => "what lies between the two events, beside the kernel?",
        Metric::DeviceWaits => "which work has to wait for which, and who could tell it?",
    }
}

/// Whether neighbours do read neighbours, and only begin at the wrong place.
fn nearly_packed(metric: Metric, line: &LineCounters) -> bool {
    let c = &line.counters;
    let ideal = c.load_sectors_ideal + c.store_sectors_ideal;
    metric == Metric::SectorsPerRequest && 2 * (c.load_sectors + c.store_sectors) < 3 * ideal
}

/// Where a program does what there is too much of: its copies, its launches, its waits.
fn calls(source: &Source<'_>, missed: &Measured) -> Vec<Span> {
    let more = missed.value.is_some_and(|value| value > missed.gate.target);
    let word = match missed.gate.metric {
        Metric::BytesToDevice | Metric::CopiesToDevice => "cudaMemcpyHostToDevice",
        Metric::BytesToHost | Metric::CopiesToHost => "cudaMemcpyDeviceToHost",
        Metric::CopiesWithinDevice => "cudaMemcpyDeviceToDevice",
        Metric::Launches | Metric::SpareBlocks | Metric::IdleLanes => "<<<",
        Metric::DeviceWaits => "cudaDeviceSynchronize",
        _ => return vec![],
    };
    if !more {
        return vec![];
    }
    // a call may begin above the line with the word
    let begins = |line: u32| {
        let open = |line: &u32| {
            let text = source.statement_text(*line, 1);
            text.matches(')').count() > text.matches('(').count()
        };
        (1..=line).rev().find(|line| !open(line)).unwrap_or(line)
    };
    let mut marks: Vec<Span> = source
        .texts()
        .filter(|(_, code)| code.contains(word))
        .map(|(line, code)| (begins(line), code))
        .filter_map(|(line, _)| source.statement(line, 0).map(|place| (line, place)))
        .map(|(line, (column, length))| span(line, column, length, false, ""))
        .collect();
    // so many that nobody would look at them all
    marks.truncate(MOST_CALLS);
    if let Some(first) = marks.first_mut() {
        first.primary = true;
    }
    marks
}

/// What a metric is called in tables.
pub fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::SectorsPerRequest => "sectors per request",
        Metric::WritesPerElement => "writes per element",
        Metric::SharedConflicts => "shared conflicts",
        Metric::SharedRequests => "shared requests",
        Metric::LoadRequests => "load requests",
        Metric::LoadsPerElement => "loads per element",
        Metric::TextureRequests => "texture requests",
        Metric::DivergentBranches => "divergent branches",
        Metric::SharedBytes => "bytes of shared memory",
        Metric::Barriers => "barriers",
        Metric::GlobalAtomics => "global atomics",
        Metric::BytesToDevice => "bytes to the device",
        Metric::BytesToHost => "bytes to the host",
        Metric::CopiesToDevice => "copies to the device",
        Metric::CopiesToHost => "copies to the host",
        Metric::CopiesWithinDevice => "copies from the device to the device",
        Metric::Launches => "launches",
        Metric::SpareBlocks => "spare blocks",
        Metric::IdleLanes => "idle lanes in each block",
        Metric::Allocations => "device allocations",
        Metric::LiveAllocations => "device allocations at once",
        Metric::Overlap => "overlap",
        Metric::TimedKernels => "kernel time measured",
        Metric::TimedCopies => "copy time measured with it",
        Metric::DeviceWaits => "waits for the device",
    }
}

/// Start, yours and target of every gate.
pub fn table(gates: &[Measured]) -> Vec<Vec<String>> {
    let shown = |gate: &Measured, value: Option<f64>| match (gate.gate.metric, value) {
        (_, None) => "-".to_owned(),
        (Metric::SectorsPerRequest, Some(value)) => format!("{value:.1}"),
        (Metric::LoadsPerElement, Some(value)) => format!("{value:.2}"),
        (metric, Some(value)) if is_share(metric) => format!("{:.0} %", 100.0 * value),
        (_, Some(value)) => measured(value),
    };
    let head = ["", "start", "yours", "target", ""].map(str::to_owned).to_vec();
    let row = |gate: &Measured| {
        let target = shown(gate, Some(gate.gate.target));
        vec![
            name(gate.gate.metric).to_owned(),
            shown(gate, gate.gate.baseline),
            shown(gate, gate.value),
            match gate.gate.op {
                Op::AtMost if gate.gate.target == 0.0 => target,
                Op::AtMost => format!("at most {target}"),
                Op::AtLeast => format!("at least {target}"),
                Op::Exactly => target,
            },
            if gate.holds { "ok" } else { "missed" }.to_owned(),
        ]
    };
    std::iter::once(head).chain(gates.iter().map(row)).collect()
}

/// The line that contributes most. Its counts belong to the whole statement, so all of it is marked.
fn mark(source: &Source<'_>, metric: Metric, line: &LineCounters) -> Option<Span> {
    let c = &line.counters;
    let label = match metric {
        Metric::SectorsPerRequest => {
            let requests = c.load_requests + c.store_requests;
            let ideal = c.load_sectors_ideal + c.store_sectors_ideal;
            format!(
                "{} requests, {} sectors (packed: {})",
                count(requests),
                count(c.load_sectors + c.store_sectors),
                count(ideal)
            )
        }
        Metric::WritesPerElement => format!("{} store requests", count(c.store_requests)),
        Metric::SharedConflicts => format!(
            "{} requests, {} wavefronts (ideal: {})",
            count(c.shared_requests),
            count(c.shared_wavefronts),
            count(c.shared_transactions)
        ),
        Metric::SharedRequests => format!("{} requests", count(c.shared_requests)),
        Metric::LoadRequests => format!("{} load requests", count(c.load_requests)),
        Metric::LoadsPerElement => format!("{} loads by threads", count(c.thread_loads)),
        Metric::TextureRequests => format!("{} texture requests", count(c.texture_requests)),
        Metric::DivergentBranches => {
            format!(
                "{} of {} branches go both ways",
                count(c.divergent_branches),
                count(c.branches)
            )
        }
        Metric::Barriers => format!("warps come here {} times", count(c.barriers)),
        Metric::GlobalAtomics => {
            format!("{} operations by threads", count(c.thread_atomics))
        }
        // no line of a kernel
        _ => return None,
    };
    let (column, length) = source.statement(line.source.line, line.source.column)?;
    Some(span(line.source.line, column, length, true, label))
}
