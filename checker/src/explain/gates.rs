//! Explains right answers with a count that misses its target.

use cudart_sim::report::StaticVariable;
use ptxsim::{Disturbance, LineCounters, Traffic};

use super::Draft;
use super::scan::{Source, span};
use super::scene::Scene;
use super::words::{count, many, measured, times};
use crate::report::Span;
use crate::spec::{Gate, Metric, Op};
use crate::value::DType;
use crate::verdict::{Measured, OverlapFacts};

/// Largest number of calls that a report marks.
const MOST_CALLS: usize = 8;

/// Explains the decisive missed gate, with a table of all gates.
pub fn explain(
    scene: &Scene<'_>,
    gates: &[Measured],
    lines: &[LineCounters],
    (variables, facts): (&[StaticVariable], Option<&OverlapFacts>),
) -> Draft {
    let Some(missed) = Measured::decisive(gates) else {
        return Draft::new(
            "this is a bug in the checker: a gate is reported as missed, but every gate is met",
        );
    };
    let Some(value) = missed.value else {
        if missed.gate.metric == Metric::TimedKernels {
            let mut draft = Draft::new(
                "the answers are right, but no time was measured between two events",
            )
            .note("a host clock measures what the host does, and only the device knows how long the kernel takes")
            .note("call cudaEventElapsedTime only after both events are complete: before that, it returns cudaErrorNotReady")
            .think("which two points of the stream enclose the kernel, and how does the host wait for the second one?");
            draft.table = table(gates);
            return draft;
        }
        let mut draft = Draft::new(format!(
            "the answers are right, but {} could not be counted",
            name(missed.gate.metric)
        ))
        .note("a count that was not taken does not pass; only the simulator takes these counts")
        .think("does the kernel still read and write memory in the way that the exercise asks?");
        draft.table = table(gates);
        return draft;
    };
    let mut draft = Draft::new(format!("the answers are right, but {}", complaint(missed, value)));
    let in_library = (missed.gate.metric == Metric::SharedConflicts)
        .then(|| of_library(scene.source, lines))
        .flatten();
    let rewritten = missed.output.map(|output| scene.name(output));
    if let Some(array) = rewritten.filter(|_| scene.params.len() > 1) {
        draft.title = draft
            .title
            .replace("elements are written", &format!("elements of `{array}` are written"));
    }
    // of the lines that write, only those that name the array
    let named: Vec<LineCounters> = lines
        .iter()
        .filter(|line| {
            let statement = scene.source.statement_text(line.source.line, 1);
            rewritten.is_none_or(|array| statement.contains(array))
        })
        .cloned()
        .collect();
    let lines = if named.is_empty() { lines } else { &named };
    let two_writers = missed.gate.metric == Metric::WritesPerElement && lines.len() > 1;
    if two_writers {
        let marks = lines.iter().filter_map(|line| mark(scene.source, missed.gate.metric, line));
        let label = || "one of the two lines that write".to_owned();
        draft.spans.extend(marks.map(|mark| Span { primary: false, label: label(), ..mark }));
    }
    let line = in_library.as_ref().or(lines.first()).filter(|_| !two_writers);
    if let Some(line) = line {
        draft = draft.mark(mark(scene.source, missed.gate.metric, line));
        draft.notes.extend(of_the_line(missed.gate.metric, line));
    }
    if in_library.is_some() {
        draft.notes.push("the function that this line calls makes these requests".into());
    }
    let all = matches!(missed.gate.metric, Metric::TextureRequests { .. });
    for other in lines.iter().skip(1).filter(|_| all) {
        let mark = mark(scene.source, missed.gate.metric, other);
        draft = draft.mark(mark.map(|mark| Span { primary: false, ..mark }));
    }
    draft.spans.extend(calls(scene.source, missed));
    if missed.gate.metric == Metric::StaticBytes {
        draft.spans.extend(declarations(scene.source, variables));
        draft.notes.extend(sizes(variables));
    }
    // The cost of a launch explains why fewer are better, so it does not belong in a report about
    // too few.
    let fewer = missed.gate.metric == Metric::Launches && value < missed.gate.target;
    let of_copies = matches!(
        missed.gate.metric,
        Metric::BytesToDevice | Metric::BytesToHost | Metric::CopiesToDevice | Metric::CopiesToHost
    );
    let unneeded = facts
        .filter(|facts| facts.unneeded_copies > 0 && of_copies && value < missed.gate.target)
        .map(unneeded_copies);
    let meaning = if fewer || unneeded.is_some() { &[][..] } else { meaning(missed.gate.metric) };
    draft.notes.extend(meaning.iter().map(|&note| note.into()));
    let bytes = matches!(missed.gate.metric, Metric::BytesToDevice | Metric::BytesToHost);
    if bytes && shares_memory(scene.source) {
        let note = "bytes that kernels load from memory of the host, or store there, cross the bus without a copy, and they count, too";
        draft.notes.push(note.into());
    }
    let of_sectors = matches!(missed.gate.metric, Metric::SectorsPerRequest { .. });
    if of_sectors && value > MOST_SECTORS {
        let note = "the kernel makes more requests than the work needs; their sectors are divided among the needed requests";
        draft.notes.push(note.into());
    }
    let few = line.is_some_and(|line| of_few_lanes(missed.gate.metric, line));
    if few {
        draft.title = format!(
            "the answers are right, but requests of few threads transfer {value:.1} sectors for \
             every 128 bytes (at most {:.1} wanted)",
            missed.gate.target
        );
    }
    let alone = few || line.is_some_and(|line| alone(missed.gate.metric, line));
    if alone {
        draft.notes.push(
            if few {
                "each of these requests serves only a few threads of a warp, but a request always transfers whole sectors of 32 bytes"
            } else {
                "each of these requests serves only one thread, while the rest of its warp waits"
            }
            .into(),
        );
    }
    let counts = missed.gate.metric == Metric::Launches && missed.gate.op != Op::AtMost;
    if fewer && counts && facts.is_some_and(|facts| facts.unneeded + facts.small > 0) {
        let note = "a launch that stores nothing in global memory, or much less than another one, or without which the results are the same, doesn't count";
        draft.notes.push(note.into());
    }
    draft.notes.extend(unneeded);
    let share = is_share(missed.gate.metric);
    let is_call = |line: &LineCounters| {
        let text = scene.source.texts().find(|(number, _)| *number == line.source.line);
        text.is_some_and(|(_, code)| !code.contains('['))
    };
    let bypassed = match missed.gate.op {
        Op::AtLeast => !share && !is_of_hardware(missed.gate.metric),
        Op::Exactly => missed.gate.metric == Metric::SharedRequests && value < missed.gate.target,
        Op::AtMost => false,
    };
    let serial = facts.and_then(|facts| match missed.gate.metric {
        Metric::Overlap => overlap_reason(facts),
        Metric::ConcurrentKernels => one_by_one_reason(facts),
        _ => None,
    });
    let question = if let Some(unused) = missed.unused {
        let report = unused_report(unused);
        draft.title = report.title.into();
        draft.notes = vec![report.reason.into()];
        report.question
    } else if let Some((reason, question)) = serial {
        draft.notes.push(reason);
        question
    } else if missed.gate.metric == Metric::TimedKernels && value > missed.gate.target {
        "which launches lie between the two events?"
    } else if bypassed {
        let note = "a smaller count means that the work avoids what this exercise teaches";
        draft.notes.push(note.into());
        if scene.program {
            "which part of the work does the exercise want on the device, and where is it done now?"
        } else {
            "which memory does the kernel use now, and which does the exercise ask for?"
        }
    } else if missed.gate.target == 0.0
        && matches!(missed.gate.metric, Metric::CopiesToDevice | Metric::CopiesToHost)
    {
        "which memory can the host and a kernel both use, so that nothing has to be copied?"
    } else if missed.gate.target == 0.0 && missed.gate.metric == Metric::Allocations {
        draft.notes = vec![
            "this exercise works with memory of the host that the device can use, too; managed memory counts as the device's"
                .into(),
        ];
        "whose memory does each of these calls allocate?"
    } else if is_split(missed, gates) {
        "how many bytes does one of these copies move, and how many could it move?"
    } else if alone {
        "which part of this could the other threads of the block do at the same time?"
    } else if matches!(missed.gate.metric, Metric::TextureRequests { .. })
        && fetches_once(scene, lines)
    {
        "how many threads reach these lines, and for how many elements?"
    } else if matches!(missed.gate.metric, Metric::TextureRequests { .. }) {
        question(missed.gate.metric)
    } else if missed.gate.metric == Metric::Launches && value >= 1.0 && value < missed.gate.target {
        "which launches does the exercise ask for, and where is their work done now?"
    } else if missed.gate.op == Op::Exactly && value < missed.gate.target && scene.program {
        "which part of the work does the exercise want on the device, and where is it done now?"
    } else if missed.gate.metric == Metric::SharedConflicts && line.is_some_and(is_call) {
        // a library's function reads and writes shared memory
        "which words do the lanes of a warp use in one request, and which of them share a bank?"
    } else if missed.gate.metric == Metric::SharedBytes && has_wide_elements(scene) {
        draft.notes.push("an element of type double takes 8 bytes, and a float takes 4".into());
        "how many bytes does each element in shared memory take, and how many does its value need?"
    } else if line.is_some_and(|line| nearly_packed(missed.gate.metric, line)) {
        "at which byte does a warp's first element start, and does a sector start there too?"
    } else {
        question(missed.gate.metric)
    };
    draft.think = Some(question.into());
    draft.table = table(gates);
    draft
}

/// A report about something that a gate counts and that the results don't use.
struct UnusedReport {
    title: &'static str,
    reason: &'static str,
    question: &'static str,
}

/// What a report says when this disturbance has shown that the results don't use what is counted.
const fn unused_report(found: Disturbance) -> UnusedReport {
    match found {
        Disturbance::Exchange => UnusedReport {
            title: "the answers are right, but the threads don't need shared memory for them",
            reason: "the checker ran the kernel again, and what threads read in shared memory of other threads was what these had written for other inputs; results stayed the same, so this memory doesn't count",
            question: "which values does a thread read from shared memory that another thread has written?",
        },
        Disturbance::Fetches => UnusedReport {
            title: "the answers are right, but they don't come from texture fetches alone",
            reason: "the checker ran the program again with texture fetches that give 0, and the results still depended on the input arrays, so these requests don't count",
            question: "which values of the result come from the texture, and which come from other memory?",
        },
        Disturbance::Loads => UnusedReport {
            title: "the answers are right, but they need data that doesn't come from texture fetches",
            reason: "the checker ran the program again with loads from global and constant memory that give 0, and the results changed, so these requests don't count",
            question: "which values of the result come from the texture, and which come from other memory?",
        },
        Disturbance::Gathers => UnusedReport {
            title: "the answers are right, but the texture unit doesn't compute them",
            reason: "the checker ran the program again with gathers that give 0, and the results changed; a gather returns four texels as they are, so these requests don't count",
            question: "which fetch returns one value that the texture unit has computed from four texels?",
        },
        Disturbance::Stores => UnusedReport {
            title: "the answers are right, but they need stores that don't go through a surface",
            reason: "the checker ran the program again without its stores to global memory, and the results changed, so these requests don't count",
            question: "through which memory do the results of the kernel reach the host?",
        },
        Disturbance::SurfaceStores => UnusedReport {
            title: "the answers are right, but they don't all go through a surface",
            reason: "the checker ran the program again with surface writes that store 0, and the results still depended on the input arrays, so these requests don't count",
            question: "through which memory do the results of the kernel reach the host?",
        },
    }
}

/// Sectors that a request of 4 bytes for each thread touches at most.
const MOST_SECTORS: f64 = 32.0;

/// Whether shared memory has elements of type `double`, and no array of the kernel has.
fn has_wide_elements(scene: &Scene<'_>) -> bool {
    let double = |(_, code): (u32, String)| code.contains("__shared__") && code.contains("double");
    scene.params.iter().all(|param| param.dtype != DType::F64) && scene.source.texts().any(double)
}

/// The line that calls a library's function with shared memory, with the counts of all lines, if
/// the compiler gave part of that function a line which uses no shared memory.
fn of_library(source: &Source<'_>, lines: &[LineCounters]) -> Option<LineCounters> {
    let names: Vec<String> = source.shared_variables();
    let uses_shared = |line: &LineCounters| {
        let on_line = |name: &String| {
            source.occurrences(name).iter().any(|(number, _)| *number == line.source.line)
        };
        names.iter().any(on_line)
    };
    let first = lines.first().filter(|first| !names.is_empty() && !uses_shared(first))?;
    let is_call = |line: &LineCounters| {
        let text = source.texts().find(|(number, _)| *number == line.source.line);
        text.is_some_and(|(_, code)| code.contains('(') && !code.contains('['))
    };
    let near = |line: &&LineCounters| {
        let between = line.source.line.abs_diff(first.source.line);
        between <= MOST_LINES_BETWEEN && uses_shared(line) && is_call(line)
    };
    let mut call = lines.iter().skip(1).find(near)?.clone();
    let others = lines.iter().filter(|line| !uses_shared(line));
    others.for_each(|line| {
        call.counters.add(&line.counters);
        call.traffic.add(&line.traffic);
    });
    Some(call)
}

/// Lines between a call and another line that the compiler gives to a part of the called function.
const MOST_LINES_BETWEEN: u32 = 4;

/// Whether a line uses a surface.
fn names_surface(source: &Source<'_>, line: &LineCounters) -> bool {
    let text = source.texts().find(|(number, _)| *number == line.source.line);
    text.is_some_and(|(_, code)| code.contains("surf"))
}

/// Whether each thread that stores through a surface makes at most one fetch for it.
fn fetches_once(scene: &Scene<'_>, lines: &[LineCounters]) -> bool {
    let sum = |surfaces: bool| -> u64 {
        let lines = lines.iter().filter(|line| names_surface(scene.source, line) == surfaces);
        lines.map(|line| line.counters.texture_requests).sum()
    };
    let stores = sum(true);
    stores > 0 && sum(false) <= stores
}

/// Whether there are too many copies, but not too many bytes.
fn is_split(missed: &Measured, gates: &[Measured]) -> bool {
    let bytes = match missed.gate.metric {
        Metric::CopiesToDevice => Metric::BytesToDevice,
        Metric::CopiesToHost => Metric::BytesToHost,
        _ => return false,
    };
    gates.iter().any(|gate| gate.gate.metric == bytes && gate.holds)
}

/// Whether the source asks for memory that the host and kernels share.
fn shares_memory(source: &Source<'_>) -> bool {
    let calls =
        ["cudaHostAlloc", "cudaHostGetDevicePointer", "cudaHostRegister", "cudaMallocManaged"];
    source.texts().any(|(_, code)| calls.iter().any(|call| code.contains(call)))
}

/// Time that a piece of work must take for its calls to be worth while, in microseconds on the
/// simulated clock: the three calls of a chunk take longer.
const SMALL_PIECE_US: f64 = 4.0;

/// Why work overlaps too little, and a question about it; `None` if no fact explains it.
fn overlap_reason(facts: &OverlapFacts) -> Option<(String, &'static str)> {
    let OverlapFacts { streams, one_engine, copies, pageable, waits, piece_us, .. } = *facts;
    Some(if facts.unneeded_copies > 0 {
        (
            unneeded_copies(facts),
            "which copies bring data to the device that a kernel uses, or results to the host?",
        )
    } else if streams <= 1 {
        (
            "all copies and kernels of this program are in one stream".into(),
            "while the second chunk is copied in, what could the device do with the first?",
        )
    } else if pageable > 0 {
        (
            format!(
                "{} of {} use pageable memory of the host",
                count(pageable),
                many(copies, "copy", "copies")
            ),
            "which host arrays do these copies use, and which of them are page-locked?",
        )
    } else if waits > 0 {
        (
            format!("the host waits {} before it enqueues more work", once_or(waits)),
            "what has the host not enqueued yet while it waits?",
        )
    } else if one_engine == streams {
        (
            format!("each of the {streams} streams uses only one engine"),
            "which piece of work must a kernel wait for, and which pieces could run at the same time?",
        )
    } else if piece_us < SMALL_PIECE_US {
        (
            format!(
                "the pieces are small: a copy or a kernel takes {piece_us:.1} us on average, no longer than its call"
            ),
            "how long does a call take, however small its piece is?",
        )
    } else {
        return None;
    })
}

/// A note about copies without which the results are the same.
fn unneeded_copies(facts: &OverlapFacts) -> String {
    let copies = many(facts.unneeded_copies as u64, "copy", "copies");
    format!("the results are the same without {copies}, so their bytes and time don't count")
}

/// Where one stream has more of the kernels' time than this share, the others hardly matter.
const MOST_OF_THE_TIME: f64 = 0.9;

/// Why kernels run one after the other, and a question about it; `None` if no fact explains it.
fn one_by_one_reason(facts: &OverlapFacts) -> Option<(String, &'static str)> {
    if facts.unneeded > 0 {
        let question =
            "which kernels compute the results, and do two of these run at the same time?";
        let launches = many(facts.unneeded as u64, "launch", "launches");
        let note =
            format!("the results are right without {launches}, so their time does not count");
        return Some((note, question));
    }
    if facts.small > 0 {
        let question =
            "which kernels compute the results, and do two of these run at the same time?";
        let launches = many(facts.small as u64, "launch", "launches");
        let note =
            format!("{launches} stored much less than another one, so the time doesn't count");
        return Some((note, question));
    }
    if facts.kernel_streams <= 1 {
        let question = "which launches need no result of another one?";
        return Some(("all kernels of this program are in one stream".into(), question));
    }
    if facts.busiest > MOST_OF_THE_TIME {
        let share = (facts.busiest * 100.0).floor();
        let question = "which launches need no result of another one?";
        return Some((format!("one stream has {share} % of the kernels' time"), question));
    }
    (facts.waits > 0).then(|| {
        let waits = once_or(facts.waits);
        (
            format!("the host waits {waits} before it enqueues more work"),
            "what has the host not launched yet while it waits?",
        )
    })
}

fn once_or(times: u64) -> String {
    if times == 1 { "once".into() } else { format!("{} times", count(times)) }
}

/// What the counts of the marked line add to its label.
fn of_the_line(metric: Metric, line: &LineCounters) -> Option<String> {
    let LineCounters { counters: c, traffic, .. } = line;
    let of_loads =
        matches!(metric, Metric::LoadRequests | Metric::LoadsPerElement | Metric::BytesPerElement);
    if of_loads && traffic.loads.requests + traffic.constants.requests > c.load_requests {
        let note = "every operation that moves data from memory to a thread counts as a load: an atomic operation whose result is used, a texture fetch, and a load from constant memory that holds the data";
        return Some(note.into());
    }
    if metric == Metric::SharedConflicts && c.shared_atomics > 0 && traffic.shared_conflicts > 0 {
        let note = "an atomic operation on shared memory has the bank conflicts of a load";
        return Some(note.into());
    }
    let each = |all: u64, requests: u64| all as f64 / requests.max(1) as f64;
    match metric {
        Metric::SectorsPerRequest { .. } if c.load_requests > 0 && c.store_requests > 0 => {
            let loads = format!("{:.1}", each(c.load_sectors, c.load_requests));
            let stores = format!("{:.1}", each(c.store_sectors, c.store_requests));
            (loads != stores)
                .then(|| format!("a load here touches {loads} sectors, a store {stores}"))
        }
        Metric::SharedConflicts if c.shared_requests > 0 => Some(format!(
            "in one wavefront, each bank delivers one word; each request here takes {:.1} \
             wavefronts",
            each(c.shared_wavefronts, c.shared_requests)
        )),
        _ => None,
    }
}

/// Whether the metric is a share of some time, which is shown in per cent.
/// Whether the count says how well the work fits the hardware, and not how much of it was done.
const fn is_of_hardware(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::LoadsInFlight
            | Metric::BytesInFlight
            | Metric::WorkDuringLoads
            | Metric::ResidentWarps
            | Metric::Waves
            | Metric::MatrixProducts
    )
}

const fn is_share(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::Overlap | Metric::ConcurrentKernels | Metric::TimedKernels | Metric::TimedCopies
    )
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
        Metric::SectorsPerRequest { .. } => {
            format!("each request touches {value:.1} sectors of memory ({limit} wanted)")
        }
        Metric::LoadsPerElement => {
            let limit = format!("at most {:.2}", missed.gate.target);
            format!("each element costs {value:.2} loads from global memory ({limit} wanted)")
        }
        Metric::BytesPerElement => {
            let limit = format!("at most {:.2}", missed.gate.target);
            format!("each element costs {value:.2} bytes of global memory ({limit} wanted)")
        }
        Metric::WritesPerElement => {
            format!("elements are written up to {} ({limit} wanted)", times(value as u32))
        }
        Metric::SharedBytes => {
            format!("each block takes {yours} bytes of shared memory ({limit} wanted)")
        }
        Metric::Barriers => format!("each warp reaches {yours} barriers ({limit} wanted)"),
        Metric::SharedWords => {
            format!("threads load or store {yours} words of shared memory ({limit} wanted)")
        }
        Metric::SingleProducts => {
            format!("warps multiply single numbers {yours} times ({limit} wanted)")
        }
        Metric::GlobalAtomics => {
            format!("threads do {yours} atomic operations on global memory ({limit} wanted)")
        }
        Metric::Overlap => {
            format!(
                "two engines work at the same time for only {yours} of the time ({limit} wanted)"
            )
        }
        Metric::ConcurrentKernels => format!(
            "kernels run at the same time for only {yours} of the kernels' time ({limit} wanted)"
        ),
        Metric::KernelTime => {
            format!("kernels run for {yours} microseconds in all ({limit} wanted)")
        }
        Metric::Instructions => format!("warps execute {yours} instructions ({limit} wanted)"),
        Metric::BusiestWarp => format!("a warp executes {yours} instructions ({limit} wanted)"),
        Metric::LoadsInFlight => {
            format!("a warp has only {value:.1} loads in flight when it waits ({limit} wanted)")
        }
        Metric::BytesInFlight => {
            format!("a warp has only {value:.0} bytes in flight when it waits ({limit} wanted)")
        }
        Metric::WorkDuringLoads => format!(
            "a warp executes only {value:.1} instructions between a load and the wait for it \
             ({limit} wanted)"
        ),
        Metric::ResidentWarps => format!(
            "only {yours} warps are resident on a multiprocessor at the same time ({limit} wanted)"
        ),
        Metric::Waves => format!(
            "the grid has {value:.1} times as many blocks as the device holds at the same time ({limit} wanted)"
        ),
        Metric::LocalBytes => {
            format!("each thread needs {yours} bytes of local memory ({limit} wanted)")
        }
        Metric::TimedKernels if value > missed.gate.target => format!(
            "the measured time covers {yours} of the kernel's time: more than one launch is in it"
        ),
        Metric::TimedKernels => {
            format!("the measured time covers {yours} of the kernel's time ({limit} wanted)")
        }
        Metric::BytesToDevice => format!("{yours} bytes are copied to the device ({limit} wanted)"),
        Metric::BytesToHost => {
            format!("{yours} bytes are copied back to the host ({limit} wanted)")
        }
        Metric::TimedCopies => {
            format!("the measured time also covers {yours} of the copies' time ({limit} wanted)")
        }
        Metric::StaticBytes => {
            format!("variables in the device's memory take {yours} bytes ({limit} wanted)")
        }
        metric if value == 1.0 => format!("the number of {} is 1 ({limit} wanted)", name(metric)),
        metric => format!("there are {yours} {} ({limit} wanted)", name(metric)),
    }
}

fn meaning(metric: Metric) -> &'static [&'static str] {
    match metric {
        Metric::SectorsPerRequest { .. } => &[
            "a request is one load or store of a warp, for all its 32 threads at once",
            "in sectors per request, a wide request, such as of float4, counts once for each 128 bytes",
            "memory is accessed in sectors of 32 bytes: 32 neighbouring floats need 4, scattered ones 32",
        ],
        Metric::WritesPerElement => {
            &["only the last write of an element counts, so all the others are wasted work"]
        }
        Metric::SharedConflicts => &[
            "shared memory has 32 banks, each 4 bytes wide; word i lies in bank i % 32",
            "different words of one bank are served one after the other: each extra wavefront counts here",
        ],
        Metric::SharedRequests => &["a request is one load or store of a warp in shared memory"],
        Metric::SharedWords => &[
            "each load, store or atomic operation of a thread in shared memory counts once for each 4 bytes",
        ],
        Metric::SingleProducts => &[
            "an instruction for a pair of halves multiplies two numbers in each thread, and other instructions multiply one",
        ],
        Metric::LoadRequests => &["a request is one load of a warp from global memory"],
        Metric::LoadsPerElement => &[
            "every load of every thread from global memory counts, divided by the elements of the output; a load of a `float4` counts as four",
        ],
        Metric::BytesPerElement => &[
            "a load of a warp transfers all 32 bytes of every sector that it touches, however few of them its threads use",
            "if several loads use the same sector, it is transferred for each of them",
        ],
        Metric::StoreRequests => &[
            "a request is one store of a warp to global memory: an element that is stored twice takes two",
        ],
        Metric::TextureRequests { .. } => &[
            "a request is one texture fetch of a warp, or one load or store through a surface; a fetch can filter four texels into one number",
        ],
        Metric::DivergentBranches => &[
            "when the threads of a warp take both sides of a branch, the warp executes both, one after the other",
        ],
        Metric::SharedBytes => &[
            "a multiprocessor divides its shared memory among its blocks: the more each block takes, the fewer run at the same time",
        ],
        Metric::Barriers => &["at a barrier the whole block waits for its slowest warp"],
        Metric::GlobalAtomics => &[
            "atomic operations on one address happen one after the other, whichever thread they come from, and each one goes to the memory that all blocks share",
        ],
        Metric::Branches => &[
            "every branch that a warp executes counts: one for an `if`, and one for each test of a loop's condition",
            "the compiler can unroll a loop when it knows the number of iterations, and then no branch is left",
        ],
        Metric::BytesToDevice | Metric::BytesToHost => &[
            "every byte crosses the bus between the host and the device, which is slow: on an H100, a kernel reads device memory about 50 times as fast",
        ],
        Metric::CopiesToDevice | Metric::CopiesToHost => {
            &["every copy costs microseconds before its first byte moves, however short it is"]
        }
        Metric::CopiesWithinHost => &[
            "both ends of such a copy are memory of the host, although the device can use one of them itself",
        ],
        Metric::CopiesWithinDevice => {
            &["such a copy reads and writes every byte again without changing any of them"]
        }
        Metric::Launches => &["a launch costs microseconds before its first thread runs"],
        Metric::SpareBlocks => &[
            "the last block may be partly idle, but a block in which no thread has an element is wasted",
        ],
        Metric::IdleLanes => &[
            "a block consists of warps of 32 threads: a block of 100 threads takes 4 warps, and the last one has 28 empty positions",
        ],
        Metric::Allocations => &["an allocation takes longer than many kernels"],
        Metric::LiveAllocations | Metric::LiveBytes => {
            &["memory that is freed late is not available to other work"]
        }
        Metric::StaticBytes => &[
            "the source decides how large such a variable is, so the program fails with a longer array, and takes as much memory for a shorter one",
            "allocate the bytes that this call needs, for example `n * sizeof(float)`, with `cudaMalloc`, and pass the pointer to the kernel",
        ],
        Metric::Overlap => &[
            "most GPUs have separate engines for copies in, copies out and kernels, and all of them can work at the same time",
            "work overlaps only when it is in different streams, and copies only when the host's memory is page-locked",
            "kernels count for at most a quarter of the time of the copies in one direction, so kernels that take longer don't raise the share",
        ],
        Metric::ConcurrentKernels => &[
            "kernels of one stream run one after the other, even if a kernel leaves most of the GPU idle",
            "kernels of different streams can run at the same time, unless something makes one of them wait",
        ],
        Metric::KernelTime => &[
            "time in which several kernels run counts only once, so kernels that run at the same time end earlier",
        ],
        Metric::MatrixProducts => &[
            "a product of matrices is one call of `mma_sync` by a warp, which a tensor core executes",
        ],
        Metric::Instructions => {
            &["the count depends on the algorithm much more than on how each line is written"]
        }
        Metric::BusiestWarp => &[
            "warps run at the same time, so a kernel takes at least as long as the warp with the most instructions",
        ],
        Metric::BytesInFlight => &[
            "a warp issues loads without waiting, and it waits at the first instruction that uses a loaded value",
            "while it waits, only the bytes of loads that were issued before are in flight; a load of 4 bytes for each lane has 128",
            "all loads together count at most the bytes of the inputs, so loading an element again doesn't raise the number",
        ],
        Metric::WorkDuringLoads => &[
            "the number is an average over all sectors that loads from global memory need, and an asynchronous copy is a load, too",
            "a warp waits for a load at the first instruction that uses the value, and for an asynchronous copy at the wait for its group",
        ],
        Metric::LoadsInFlight => &[
            "a warp issues loads without waiting, and it waits at the first instruction that uses a loaded value",
            "while it waits, only the loads that it has already issued are in flight; a load from the memory of an H100 takes about 700 cycles",
            "the compiler doesn't issue a load before an earlier store, because the store may change the element that is loaded",
        ],
        Metric::ResidentWarps => &[
            "while one warp waits for memory, a multiprocessor works on the others that are resident, at most 64 on an H100",
            "the command `profile` with the option `--gpu H100` shows in a table which resource of the multiprocessor limits the number of blocks",
        ],
        Metric::Waves => &[
            "a block that finds no room begins when another one has ended, and then it does its own preparations, such as filling a table",
            "a multiprocessor holds as many blocks as its threads, registers and shared memory allow; the device has 132 multiprocessors on an H100",
        ],
        Metric::LocalBytes => &[
            "if a thread may have fewer registers than it has values, the compiler spills some: it stores them in local memory, and loads them again",
            "an array is in local memory, too, if the compiler doesn't know each index into it",
        ],
        Metric::TimedKernels => &[
            "an event is complete when all the work before it in its stream is done",
            "the launch that is measured has to compute the results; one before it only warms up the device",
        ],
        Metric::TimedCopies => &[
            "copies over the bus often take longer than the kernel, so a time that includes both says little about either",
        ],
        Metric::DeviceWaits => &[
            "while the host waits, or queries an event again and again, it enqueues no work; and cudaDeviceSynchronize, cudaFree, and work in the default stream wait for every stream, so no work overlaps across them",
        ],
        Metric::FailedCalls => &[
            "a step of this case fails on purpose, and its code is what the call of that step returns",
        ],
    }
}

fn question(metric: Metric) -> &'static str {
    match metric {
        Metric::SectorsPerRequest { .. } => {
            "how far apart are the elements that thread 0 and thread 1 of a warp access?"
        }
        Metric::WritesPerElement => {
            "which stores write the same element, in which threads or iterations, and which one is needed?"
        }
        Metric::SharedConflicts => {
            "which words of shared memory do lanes 0, 1 and 2 access, and in which banks are they?"
        }
        Metric::TextureRequests { .. } => {
            "which texels does one fetch read, and what combines them?"
        }
        Metric::LoadRequests => {
            "is a value loaded more than once, or by a warp with few threads, or in small pieces?"
        }
        Metric::SharedRequests | Metric::LoadsPerElement => {
            "which element is loaded more than once, and by what: other threads, other blocks, or other iterations?"
        }
        Metric::BytesPerElement => {
            "how many bytes do the 32 threads of a warp need in total, and how many loads read them?"
        }
        Metric::StoreRequests => {
            "which store writes the final value of an element, and what are the others for?"
        }
        Metric::Branches => {
            "what does this branch depend on, and is that known before the kernel runs?"
        }
        Metric::SharedWords => {
            "which of these values could a thread get from a register of another one?"
        }
        Metric::SingleProducts => "which function multiplies a pair of halves?",
        Metric::DivergentBranches => "which threads of one warp take the branch, and which do not?",
        Metric::SharedBytes => "which elements of shared memory does another thread read?",
        Metric::Barriers => "between which two steps does one thread read what another one wrote?",
        Metric::GlobalAtomics => {
            "how many threads of a block update global memory here, and how many would have to once the block has combined its results?"
        }
        Metric::BytesToDevice => {
            "which of these bytes does no kernel need, and which does the device have already?"
        }
        Metric::BytesToHost => "how much of the data that is copied back is new to the host?",
        Metric::CopiesToDevice | Metric::CopiesToHost => {
            "which data does the other side really need, and when does it need that data for the last time?"
        }
        Metric::CopiesWithinHost => {
            "which of the two arrays could the host fill or read without the other one?"
        }
        Metric::CopiesWithinDevice => {
            "the data is already on the device, so what decides which array the next kernel reads?"
        }
        Metric::Launches => "which launches could be combined into one?",
        Metric::SpareBlocks => {
            "given n elements and the threads of a block, how many blocks have something to do?"
        }
        Metric::IdleLanes => "which block sizes are whole numbers of warps?",
        Metric::Allocations | Metric::LiveAllocations => {
            "which arrays are never needed at the same time?"
        }
        Metric::LiveBytes => "which arrays does a round need, and how much memory is that?",
        Metric::StaticBytes => "which of these sizes does the program know only when it's called?",
        Metric::Overlap => {
            "while the second chunk is copied in, what could the device do with the first?"
        }
        Metric::ConcurrentKernels => {
            "which launches need no result of another one, and what do they wait for anyway?"
        }
        Metric::KernelTime => {
            "which kernel takes most of this time, and which of its work could other kernels do meanwhile?"
        }
        Metric::MatrixProducts => {
            "how many tiles does the result have, and how many pairs of tiles does each of them need?"
        }
        Metric::Instructions => {
            "how does the number of operations grow when the data becomes twice as long?"
        }
        Metric::BusiestWarp => {
            "how many elements does a thread of this warp compute, and which other threads could compute some of them?"
        }
        Metric::WorkDuringLoads => {
            "which data does the next iteration need, and what could the block compute while this data is on its way?"
        }
        Metric::LoadsInFlight => {
            "which of the loads after this line could be issued before this value is used?"
        }
        Metric::BytesInFlight => {
            "how many bytes does one load of a thread have, and how many loads could it issue before it uses the first value?"
        }
        Metric::ResidentWarps => {
            "how many blocks fit into the registers, the shared memory and the threads of a multiprocessor, and how many warps do they have?"
        }
        Metric::Waves => {
            "how many blocks does the device hold, and what does the loop in the kernel do with the remaining elements?"
        }
        Metric::LocalBytes => {
            "how many values does a thread need at the same time, and what limits the number of its registers?"
        }
        Metric::TimedKernels => "what must the kernel have done when the second time is taken?",
        Metric::TimedCopies => "what lies between the two events besides the kernel?",
        Metric::DeviceWaits => {
            "which work must wait for which other work, and which call waits only for that?"
        }
        Metric::FailedCalls => "which call returns each of the codes that the program stores?",
    }
}

/// Whether neighbouring threads do access neighbouring elements, but not from the start of a
/// sector.
fn nearly_packed(metric: Metric, line: &LineCounters) -> bool {
    let c = &line.counters;
    let ideal = c.load_sectors_ideal + c.store_sectors_ideal;
    matches!(metric, Metric::SectorsPerRequest { .. })
        && 2 * (c.load_sectors + c.store_sectors) < 3 * ideal
}

/// Whether sectors are wasted because only a few lanes of a warp make each request.
fn of_few_lanes(metric: Metric, line: &LineCounters) -> bool {
    let Traffic { loads, stores, .. } = line.traffic;
    let (ideal, idle) =
        (loads.sectors_ideal + stores.sectors_ideal, loads.idle_words + stores.idle_words);
    matches!(metric, Metric::SectorsPerRequest { .. }) && idle > 4 * ideal
}

/// Whether there are too many requests because single threads make them.
fn alone(metric: Metric, line: &LineCounters) -> bool {
    let requests = matches!(metric, Metric::LoadRequests | Metric::SharedRequests);
    requests && line.counters.active_lanes() < 2.0
}

/// The calls of a program that count towards the gate when there are too many: its copies, launches
/// or waits.
fn calls(source: &Source<'_>, missed: &Measured) -> Vec<Span> {
    let more = missed.value.is_some_and(|value| value > missed.gate.target);
    let word = match missed.gate.metric {
        Metric::BytesToDevice | Metric::CopiesToDevice => "cudaMemcpyHostToDevice",
        Metric::BytesToHost | Metric::CopiesToHost => "cudaMemcpyDeviceToHost",
        Metric::CopiesWithinDevice => "cudaMemcpyDeviceToDevice",
        Metric::CopiesWithinHost => "cudaMemcpy",
        Metric::Launches | Metric::SpareBlocks | Metric::IdleLanes => "<<<",
        Metric::DeviceWaits => "cudaDeviceSynchronize",
        Metric::Allocations => "cudaMalloc",
        _ => return vec![],
    };
    if !more {
        return vec![];
    }
    // Its direction need not be written.
    let symbol = match missed.gate.metric {
        Metric::BytesToDevice | Metric::CopiesToDevice => Some("cudaMemcpyToSymbol"),
        Metric::BytesToHost | Metric::CopiesToHost => Some("cudaMemcpyFromSymbol"),
        _ => None,
    };
    let waits = (missed.gate.metric == Metric::DeviceWaits).then(|| waits_between_work(source));
    // A call may begin above the line with the word.
    let begins = |line: u32| {
        let open = |line: &u32| {
            let text = source.statement_text(*line, 1);
            text.matches(')').count() > text.matches('(').count()
        };
        (1..=line).rev().find(|line| !open(line)).unwrap_or(line)
    };
    let mut marks: Vec<Span> = source
        .texts()
        // cudaMallocHost allocates memory of the host.
        .filter(|(_, code)| !code.contains("cudaMallocHost"))
        .filter(|(_, code)| code.contains(word) || symbol.is_some_and(|name| code.contains(name)))
        .chain(waits.into_iter().flatten())
        .map(|(line, code)| (begins(line), code))
        .filter_map(|(line, _)| source.statement(line, 0).map(|place| (line, place)))
        .map(|(line, (column, length))| span(line, column, length, false, ""))
        .collect();
    // More marks than this would not help.
    marks.truncate(MOST_CALLS);
    if let Some(first) = marks.first_mut() {
        first.primary = true;
    }
    marks
}

/// The lines where the host waits for a stream or an event, or asks for its state, with their code:
/// those before a line that enqueues more work. Without any, and without a wait for the device, all
/// of them, because a loop may come back.
fn waits_between_work(source: &Source<'_>) -> Vec<(u32, String)> {
    const WAITS: [&str; 4] =
        ["cudaStreamSynchronize", "cudaEventSynchronize", "cudaStreamQuery", "cudaEventQuery"];
    let has = |code: &str, words: &[&str]| words.iter().any(|word| code.contains(word));
    let works = source.texts().filter(|(_, code)| has(code, &["<<<", "cudaMemcpyAsync"]));
    let last_work = works.map(|(line, _)| line).max().unwrap_or(0);
    let all: Vec<_> = source.texts().filter(|(_, code)| has(code, &WAITS)).collect();
    let between: Vec<_> = all.iter().filter(|(line, _)| *line < last_work).cloned().collect();
    let waits_for_all = source.texts().any(|(_, code)| code.contains("cudaDeviceSynchronize"));
    if between.is_empty() && !waits_for_all { all } else { between }
}

/// Number of variables that a report names.
const MOST_VARIABLES: usize = 3;

/// The largest variables, the largest one first, without those that are much smaller, which may be
/// the compiler's.
fn largest(variables: &[StaticVariable]) -> impl Iterator<Item = &StaticVariable> {
    let most = variables.iter().map(|variable| variable.bytes).max().unwrap_or(0);
    let mut all: Vec<_> = variables.iter().filter(|one| one.bytes >= most / 10).collect();
    all.sort_by_key(|variable| std::cmp::Reverse(variable.bytes));
    all.into_iter().take(MOST_VARIABLES)
}

/// How many bytes each of the largest variables takes.
fn sizes(variables: &[StaticVariable]) -> Vec<String> {
    let note = |variable: &StaticVariable| {
        format!("`{}` takes {} bytes", variable.name, measured(variable.bytes as f64))
    };
    largest(variables).map(note).collect()
}

/// Where the source declares the largest variables.
fn declarations(source: &Source<'_>, variables: &[StaticVariable]) -> Vec<Span> {
    let declared = |variable: &StaticVariable| {
        let (line, column) = *source.occurrences(&variable.name).first()?;
        let length = variable.name.chars().count() as u32;
        Some(span(line, column, length, false, "its size is fixed"))
    };
    let mut marks: Vec<Span> = largest(variables).filter_map(declared).collect();
    if let Some(first) = marks.first_mut() {
        first.primary = true;
    }
    marks
}

/// What a gate asks for, in a line: "sectors per request <= 4.0".
pub fn gate(gate: &Gate) -> String {
    let op = match gate.op {
        Op::AtMost => "<=",
        Op::AtLeast => ">=",
        Op::Exactly => "=",
    };
    format!("{} {op} {}", name(gate.metric), value(gate.metric, Some(gate.target)))
}

/// A count as it is shown, or a dash when it was not taken.
pub fn value(metric: Metric, number: Option<f64>) -> String {
    match (metric, number) {
        (_, None) => "-".to_owned(),
        (
            Metric::SectorsPerRequest { .. } | Metric::LoadsInFlight | Metric::WorkDuringLoads,
            Some(number),
        ) => format!("{number:.1}"),
        (Metric::BytesInFlight, Some(number)) => format!("{number:.0}"),
        (Metric::LoadsPerElement | Metric::BytesPerElement, Some(number)) => format!("{number:.2}"),
        // The simulator stops counting there.
        (Metric::WritesPerElement, Some(number))
            if number >= f64::from(ptxsim::MAX_COUNTED_WRITES) =>
        {
            format!("{} or more", measured(number))
        }
        (metric, Some(number)) if is_share(metric) => format!("{:.0} %", 100.0 * number),
        (_, Some(number)) => measured(number),
    }
}

/// What a metric is called in tables.
pub fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::SectorsPerRequest { .. } => "sectors per request",
        Metric::WritesPerElement => "writes per element",
        Metric::SharedConflicts => "shared conflicts",
        Metric::SharedRequests => "shared requests",
        Metric::SharedWords => "words of shared memory",
        Metric::SingleProducts => "single products",
        Metric::LoadRequests => "load requests",
        Metric::LoadsPerElement => "loads per element",
        Metric::BytesPerElement => "bytes per element",
        Metric::StoreRequests => "store requests",
        Metric::TextureRequests { .. } => "texture and surface requests",
        Metric::DivergentBranches => "divergent branches",
        Metric::SharedBytes => "bytes of shared memory",
        Metric::Barriers => "barriers",
        Metric::GlobalAtomics => "global atomics",
        Metric::Branches => "branches",
        Metric::BusiestWarp => "instructions of a warp",
        Metric::LoadsInFlight => "loads in flight",
        Metric::BytesInFlight => "bytes in flight",
        Metric::WorkDuringLoads => "instructions during a load",
        Metric::ResidentWarps => "resident warps",
        Metric::Waves => "waves of blocks",
        Metric::LocalBytes => "bytes of local memory",
        Metric::BytesToDevice => "bytes to the device",
        Metric::BytesToHost => "bytes to the host",
        Metric::CopiesToDevice => "copies to the device",
        Metric::CopiesToHost => "copies to the host",
        Metric::CopiesWithinDevice => "copies from the device to the device",
        Metric::CopiesWithinHost => "copies from the host to the host",
        Metric::Launches => "launches",
        Metric::SpareBlocks => "spare blocks",
        Metric::IdleLanes => "empty positions in each block",
        Metric::Allocations => "device allocations",
        Metric::LiveAllocations => "device allocations at once",
        Metric::LiveBytes => "bytes allocated at once",
        Metric::StaticBytes => "bytes of variables",
        Metric::Overlap => "overlap",
        Metric::ConcurrentKernels => "kernels at once",
        Metric::KernelTime => "microseconds of kernels",
        Metric::MatrixProducts => "products on tensor cores",
        Metric::Instructions => "instructions",
        Metric::TimedKernels => "kernel time measured",
        Metric::TimedCopies => "copy time measured with it",
        Metric::DeviceWaits => "waits for the device",
        Metric::FailedCalls => "calls that fail",
    }
}

/// The table of all gates: the count at the start, yours, and the target.
pub fn table(gates: &[Measured]) -> Vec<Vec<String>> {
    let shown = |gate: &Measured, number: Option<f64>| value(gate.gate.metric, number);
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

/// Marks the line that contributes most. Its counts are those of the whole statement, so all of the
/// statement is marked.
fn mark(source: &Source<'_>, metric: Metric, line: &LineCounters) -> Option<Span> {
    let LineCounters { counters: c, traffic, .. } = line;
    let (mut loads, stores) = (traffic.loads, &traffic.stores);
    loads.add(&traffic.constants);
    let wavefronts = c.shared_wavefronts + c.shared_atomic_wavefronts;
    let label = match metric {
        Metric::SectorsPerRequest { .. } => format!(
            "{} requests, {} sectors (packed: {})",
            count(loads.requests + stores.requests),
            count(loads.sectors + stores.sectors),
            count(loads.sectors_packed() + stores.sectors_packed())
        ),
        Metric::WritesPerElement => format!("{} store requests", count(c.store_requests)),
        Metric::SharedConflicts => format!(
            "{} requests, {} wavefronts (ideal: {})",
            count(traffic.shared_requests),
            count(wavefronts),
            count(wavefronts.saturating_sub(traffic.shared_conflicts))
        ),
        Metric::SharedRequests => format!("{} requests", count(traffic.shared_requests)),
        Metric::SharedWords => format!("{} words", count(traffic.shared_words)),
        Metric::SingleProducts => {
            format!("{} multiplications by warps", count(traffic.single_products))
        }
        Metric::LoadRequests | Metric::LoadsInFlight | Metric::WorkDuringLoads => {
            format!("{} load requests", count(loads.requests))
        }
        Metric::BytesInFlight => format!(
            "{} load requests for {} bytes",
            count(loads.requests),
            count(32 * loads.sectors_packed())
        ),
        Metric::LoadsPerElement => format!("{} loads by threads", count(loads.words)),
        Metric::BytesPerElement => format!(
            "{} load requests, {} sectors of 32 bytes",
            count(loads.requests),
            count(loads.sectors)
        ),
        Metric::StoreRequests => format!("{} store requests", count(stores.requests)),
        Metric::TextureRequests { .. } => {
            let what = if names_surface(source, line) { "surface" } else { "texture" };
            many(c.texture_requests, &format!("{what} request"), &format!("{what} requests"))
        }
        Metric::Branches => format!("{} branches", count(traffic.branches)),
        Metric::Instructions | Metric::BusiestWarp => {
            format!("warps execute {} instructions here", count(c.instructions))
        }
        Metric::DivergentBranches => {
            format!("{} of {} branches diverge", count(c.divergent_branches), count(c.branches))
        }
        Metric::Barriers => format!("reached {} times by warps", count(traffic.barriers)),
        Metric::GlobalAtomics => {
            format!("{} operations by threads", count(c.thread_atomics))
        }
        // The other metrics do not belong to a line of a kernel.
        _ => return None,
    };
    let of_code = matches!(
        metric,
        Metric::Branches
            | Metric::DivergentBranches
            | Metric::Barriers
            | Metric::Instructions
            | Metric::BusiestWarp
            | Metric::SingleProducts
    );
    let (number, column) = (line.source.line, line.source.column);
    let accesses = source.memory_accesses(number).filter(|_| !of_code && column == 0);
    let (column, length) = accesses.or_else(|| source.statement(number, column))?;
    Some(span(number, column, length, true, label))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The waits that a program makes while it still enqueues work, and not those at its end.
    #[test]
    fn a_wait_before_more_work_is_marked() {
        let lines = |text: &str| -> Vec<u32> {
            waits_between_work(&Source::new(text)).into_iter().map(|(line, _)| line).collect()
        };
        let between =
            "a<<<1, 1>>>();\ncudaStreamSynchronize(s);\nb<<<1, 1>>>();\ncudaEventSynchronize(e);\n";
        assert_eq!(lines(between), [2]);
        let in_loop = "for (;;) {\na<<<1, 1>>>();\ncudaStreamSynchronize(s);\n}\n";
        assert_eq!(lines(in_loop), [3]);
        let for_the_device =
            "a<<<1, 1>>>();\ncudaDeviceSynchronize();\ncudaStreamSynchronize(s);\n";
        assert_eq!(lines(for_the_device), [0_u32; 0]);
    }
}
