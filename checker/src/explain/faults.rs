//! Something went wrong while the kernel ran: where, which thread, which element.

use ptxsim::{Access, Action, Finding, FindingKind, Space};

use super::Draft;
use super::objects;
use super::program;
use super::races;
use super::scan::span;
use super::scene::Scene;
use super::words::{count, many, size_in_bytes};
use crate::backend::Fault;
use crate::report::Span;

/// Addresses below this are a null pointer plus a small index.
const NULL_PAGE: u64 = 1 << 16;

/// Explains a fault of one case; `others` further faults were seen in the same run.
pub fn explain(scene: &Scene<'_>, fault: &Fault, others: usize) -> Draft {
    let draft = match fault {
        Fault::Finding(finding) | Fault::InLaunch { finding, .. } => {
            called(scene, finding, self::finding(scene, finding))
        }
        Fault::Host(_) | Fault::Leaked(_) | Fault::Crashed { .. } | Fault::Garbled { .. } => {
            Draft::new(
                "this is a bug in the checker: a mistake of the host is told as one of a kernel",
            )
        }
        Fault::Undefined { symbol } => program::undefined(symbol, scene.source),
        Fault::Exited { code } => program::exited(*code, scene.source),
        Fault::GuardZone { name, index } => guard_zone(scene, name, *index),
        Fault::InputChanged { name, index } => input_changed(scene, name, *index),
        Fault::Driver { code: code @ (1 | 2 | 218 | 720), name, text } if scene.simulated => {
            refused(*code, name, text)
        }
        Fault::Driver { code, name, text } => driver(*code, name, text),
        Fault::TimedOut { seconds } => timed_out(scene, *seconds),
        Fault::WorkerDied { how } => worker_died(how),
        Fault::Unsupported { feature, source } => unsupported(scene, feature, source.as_ref()),
    };
    match others {
        0 => draft,
        1 => draft.note("this run has 1 more finding; it is shown when this one is mended"),
        n => draft.note(format!("this run has {n} more findings; mend this one first")),
    }
}

fn finding(scene: &Scene<'_>, finding: &Finding) -> Draft {
    let (at, with) = (&finding.at, finding.with.as_ref());
    match &finding.what {
        FindingKind::OutOfBounds => out_of_bounds(scene, finding),
        FindingKind::InvalidAddress => invalid_address(scene, at),
        FindingKind::Misaligned => misaligned(scene, at),
        FindingKind::UninitialisedRead => uninitialised(scene, finding),
        FindingKind::SharedRace | FindingKind::GlobalRace => races::race(scene, finding),
        FindingKind::BarrierNotReached { waiting, missing } => {
            races::barrier(scene, at, with, *waiting, *missing)
        }
        FindingKind::Deadlock { waiting } => races::deadlock(scene, at, with, *waiting),
        FindingKind::Livelock { waiting, places } => {
            races::livelock(scene, at, with, *waiting, places)
        }
        FindingKind::UseAfterFree => objects::after_free(scene, at, with),
        FindingKind::DoubleFree => objects::double_free(scene, at, with),
        FindingKind::InvalidFree { problem } => objects::invalid_free(scene, at, *problem),
        FindingKind::BadBarrier { id, threads } => races::bad_barrier(scene, at, *id, *threads),
        FindingKind::BadSyncMask { mask, present } => races::sync_mask(scene, at, *mask, *present),
        FindingKind::NeverFinishes { instructions } => never_finishes(scene, at, *instructions),
        FindingKind::Trap => Draft::new(format!("{} executed a trap", scene.who(at)))
            .mark(scene.mark(at, true, format!("{} stops everything here", scene.who(at))))
            .note("a trap ends the whole launch: no result of it can be used")
            .note("it comes from __trap(), from `asm(\"trap;\")`, or from a write through a null pointer")
            .think("what must have been true for this thread to get here?"),
        FindingKind::NotCooperative => objects::not_cooperative(scene, at),
        FindingKind::BadObject { surface, problem } => {
            objects::bad_object(scene, at, *surface, *problem)
        }
        FindingKind::BadSurfaceCoordinate { at: coordinates, extent, texel } => {
            objects::surface(scene, at, *coordinates, *extent, *texel)
        }
        FindingKind::Assert { expression } => {
            Draft::new(format!("{}: the assert `{expression}` is false", scene.who(at)))
                .mark(scene.mark(at, true, format!("false for {}", scene.who(at))))
                .note("the assert did its job: it stopped the kernel where an assumption broke")
                .think("which value did you expect here, and which one does this thread have?")
        }
        FindingKind::StackOverflow { bytes } => stack(scene, at, *bytes),
    }
}

/// Marks where the functions were called in which it happened: a line that many callers share says little.
fn called(scene: &Scene<'_>, finding: &Finding, draft: Draft) -> Draft {
    let places = [Some(&finding.at), finding.with.as_ref()].into_iter().flatten();
    let mut callers: Vec<_> = places.filter_map(|access| access.called_from.as_ref()).collect();
    callers.dedup();
    callers.into_iter().fold(draft, |draft, from| {
        let statement = scene.source.statement(from.line, from.column);
        draft.mark(
            statement.map(|(column, length)| span(from.line, column, length, false, "called here")),
        )
    })
}

fn verb(action: Action) -> &'static str {
    match action {
        Action::Read => "reads",
        Action::Write => "writes",
        Action::Atomic => "atomically updates",
        Action::Wait => "waits for",
        Action::Free => "frees",
        Action::Exit | Action::Execute => "uses",
    }
}

fn out_of_bounds(scene: &Scene<'_>, finding: &Finding) -> Draft {
    let at = &finding.at;
    let (who, element, verb) = (scene.who(at), scene.element(at), verb(at.action));
    let array = at.array.as_deref().map(|name| scene.name(name).to_owned());
    let before = at.index.is_some_and(|index| index < 0);
    let elements = at.elements.map(|elements| match (&at.array, i64::try_from(elements)) {
        (Some(name), Ok(elements)) => scene.in_elements(at, name, elements).unsigned_abs(),
        _ => elements,
    });
    let title = match (&array, elements) {
        (Some(_), _) if before => format!("{who} {verb} {element}, before the first element"),
        (Some(array), Some(elements)) => format!(
            "{who} {verb} {element}, but `{array}` has {}",
            many(elements, "element", "elements")
        ),
        (None, Some(elements)) if at.space == Some(Space::Local) => format!(
            "{who} {verb} {element}, which have {} together",
            many(elements, "element", "elements")
        ),
        (None, None) if at.space == Some(Space::Local) => {
            format!("{who} {verb} outside its local arrays")
        }
        _ => format!("{who} {verb} {element}, outside every array"),
    };
    let again = repeated(scene, at, finding.count);
    let label = match (scene.subscript_value(at), again) {
        (Some(value), Some(again)) => format!("{value} here; {again}"),
        (Some(value), None) => format!("{value} here"),
        (None, Some(again)) => again,
        (None, None) => format!("{verb} outside the array"),
    };
    let mut draft = Draft::new(title).mark(scene.mark(at, true, label));
    let elements = elements.unwrap_or(0);
    let global = at.space == Some(Space::Global);
    // an unsigned index that should be negative
    let wrapped = at.index.is_some_and(|i| (i64::from(i32::MAX)..=u32::MAX.into()).contains(&i));
    // in one dimension, a thread that has a number below this has an element, too
    let has_one = scene.flat() && scene.number(at.block, at.thread) < elements;
    let spare =
        global && !before && !wrapped && !has_one && elements > 0 && scene.threads() > elements;
    if let (Some(array), Some(last)) = (&array, elements.checked_sub(1)) {
        let shape = at.array.as_deref().and_then(|name| scene.shape_line(scene.param(name)?));
        draft = match shape {
            Some(shape) if global => draft
                .note(format!(
                    "`{array}` is {shape}, stored row after row: {array}[0] to {array}[{last}]"
                ))
                .note(scene.launch_line()),
            _ if spare => draft.note(format!(
                "{}, for {}",
                scene.launch_line(),
                many(elements, "element", "elements")
            )),
            _ => {
                let end = |index: u64| match (&at.array, i64::try_from(index)) {
                    (Some(array), Ok(index)) => scene.element_at(at, array, index),
                    _ => format!("{array}[{index}]"),
                };
                draft.note(format!("`{array}` goes from {} to {}", end(0), end(last)))
            }
        };
    }
    let launched =
        |array: &String| at.space == Some(Space::Shared) && scene.source.sized_by_the_launch(array);
    if let Some(array) = array.as_ref().filter(|array| !before && launched(array)) {
        return draft
            .note(format!(
                "`{array}` is as long as the launch says: the third value between <<< and >>>, in bytes"
            ))
            .watch(scene.simulated.then_some((at.block, at.thread)))
            .think("how many elements does one block need, and how many bytes is that?");
    }
    if wrapped {
        draft = draft.note("unsigned numbers do not go below 0: they begin again at 4294967295");
    }
    draft.watch(scene.simulated.then_some((at.block, at.thread))).think(match (before, spare) {
        _ if wrapped => {
            "for which threads would this index be negative, and what belongs there instead?"
        }
        (true, _) => "which threads have no left neighbour, and what belongs there instead?",
        (_, true) => "what should the extra threads do?",
        _ => "what is the largest value that this index can take, and which thread gets it?",
    })
}

/// "24 threads do this", where each thread can do it once only; else how often it happens.
fn repeated(scene: &Scene<'_>, at: &Access, times: u64) -> Option<String> {
    match times {
        0 | 1 => None,
        n if scene.loop_around(at).is_none() && n <= scene.threads() => {
            Some(format!("{} threads do this", count(n)))
        }
        n => Some(format!("this happens {} times", count(n))),
    }
}

fn invalid_address(scene: &Scene<'_>, at: &Access) -> Draft {
    let (who, verb) = (scene.who(at), verb(at.action));
    let address = at.address;
    if address < NULL_PAGE {
        return Draft::new(format!("{who} {verb} memory through a null pointer"))
            .mark(scene.mark(at, true, "a pointer used here points at nothing"))
            .note(format!("the address is {address:#x}: null, plus an index"))
            .think(if scene.by_a_program() {
                "which call should give this pointer its value, and did that call succeed?"
            } else {
                "where should this pointer get its value, and does every thread get it?"
            });
    }
    let draft = Draft::new(format!("{who} {verb} address {address:#x}, which belongs to no array"))
        .mark(scene.mark(at, true, format!("goes to {address:#x}")));
    // User-space addresses of a Linux host (x86-64, aarch64): libraries, stack and heap.
    let host = (0x5500_0000_0000..0x5700_0000_0000).contains(&address)
        || (0x7e00_0000_0000..0x8000_0000_0000).contains(&address)
        || (0xaaaa_0000_0000..0x1_0000_0000_0000).contains(&address);
    let draft = if host {
        draft.note("it looks like a host pointer: memory of the CPU, which a kernel cannot reach")
    } else {
        draft.note("the index is far too large or negative, or the pointer was never set")
    };
    draft.think(if host && scene.by_a_program() {
        "which arguments of this launch came from cudaMalloc, and which are the host's own?"
    } else {
        "print the index with printf for this one thread: is it what you expect?"
    })
}

fn misaligned(scene: &Scene<'_>, at: &Access) -> Draft {
    let bytes = u64::from(at.bytes.max(1));
    let off = at.address % bytes;
    Draft::new(format!(
        "{} {} {bytes} bytes at an address that is not a multiple of {bytes}",
        scene.who(at),
        verb(at.action)
    ))
    .mark(scene.mark(
        at,
        true,
        format!("{} past a multiple of {bytes}", many(off, "byte", "bytes")),
    ))
    .note(format!("the address is {:#x}", at.address))
    .note(format!("a GPU moves {bytes} bytes at once only from a multiple of {bytes}"))
    .think("where does the pointer begin, and by how many bytes does it move when the index grows by one?")
}

fn uninitialised(scene: &Scene<'_>, finding: &Finding) -> Draft {
    let at = &finding.at;
    let (who, element) = (scene.who(at), scene.element(at));
    let label = match (scene.subscript_value(at), repeated(scene, at, finding.count)) {
        (Some(value), Some(again)) => format!("{value} here; {again}"),
        (Some(value), None) => format!("{value} here"),
        (None, Some(again)) => again,
        (None, None) => "never written".into(),
    };
    if let Some(texel) = texel(scene, at) {
        return Draft::new(format!("{who} reads {texel}, which nothing has written yet"))
            .mark(scene.mark(at, true, label))
            .note("texels are counted row by row, from 0")
            .note("cudaMallocArray does not clear memory: it holds what somebody left there")
            .think("which copy fills the array before this launch, and how many bytes of each row does it take?");
    }
    let draft = Draft::new(format!("{who} reads {element}, which nothing has written yet"))
        .mark(scene.mark(at, true, label));
    let array = at.array.as_deref().map_or_else(|| "it".into(), |array| scene.quoted(array));
    match at.space {
        Some(Space::Shared) => draft
            .note("shared memory is not cleared: it holds whatever an earlier block left there")
            .think(format!("which thread should have filled {element}, and did it before this?")),
        Some(Space::Local) => draft
            .note("a local array or variable has no value until your code gives it one")
            .think("what should its first value be?"),
        _ if scene.by_a_program() => draft
            .note("cudaMalloc does not clear memory: it holds what somebody left there")
            .think(format!(
                "which line fills {array} before this launch, and all of it? Or should nobody read it here?"
            )),
        _ => draft
            .note(format!("{array} is an output: it holds garbage until the kernel writes it"))
            .think("does this line need the old value at all?"),
    }
}

/// "texel 14 of the array": an array that a program made has no name of its own, and the runtime numbers it.
fn texel(scene: &Scene<'_>, at: &Access) -> Option<String> {
    let number = at.array.as_deref().filter(|_| scene.by_a_program())?.strip_prefix("array ")?;
    number.parse::<u64>().ok()?;
    let element = scene.element(at);
    let (_, index) = element.strip_suffix(']')?.rsplit_once('[')?;
    Some(format!("texel {index} of the array"))
}

fn never_finishes(scene: &Scene<'_>, at: &Access, instructions: u64) -> Draft {
    let mut draft = Draft::new(format!(
        "the kernel does not end: stopped after {} instructions",
        count(instructions)
    ));
    draft = match scene.loop_around(at) {
        Some((line, column, length)) => draft.mark([span(
            line,
            column,
            length,
            true,
            format!("{} still runs in this loop", scene.who(at)),
        )]),
        None => draft.mark(scene.mark(at, true, format!("{} was here", scene.who(at)))),
    };
    draft
        .note("on a GPU it would run on and on, until somebody kills the program")
        .think("which variable ends the loop, and does every round bring it nearer to the end?")
}

fn timed_out(scene: &Scene<'_>, seconds: f64) -> Draft {
    let draft = Draft::new(format!(
        "the {} was still running after {seconds} s and was stopped",
        scene.whole()
    ));
    let loops: Vec<Span> = ["while", "for"]
        .iter()
        .flat_map(|word| scene.source.places(word))
        .filter_map(|(line, column)| {
            let (column, length) = scene.source.statement(line, column)?;
            Some(span(line, column, length, true, "the only loop in this file"))
        })
        .collect();
    let draft = if loops.len() == 1 { draft.mark(loops) } else { draft };
    let draft = draft.note(format!(
        "the usual cause is a loop that never ends; a right {} takes milliseconds here",
        scene.whole()
    ));
    let draft = if scene.simulated { draft } else { ask_simulator(draft) };
    draft.think("which variable ends the loop, and does every round bring it nearer to the end?")
}

fn stack(scene: &Scene<'_>, at: &Access, bytes: u64) -> Draft {
    // Calls that need hardly any memory of their own: it is their number that has no end.
    if bytes < 4096 {
        return Draft::new("the calls inside the kernel go too deep")
            .mark(scene.mark(at, true, "called here, more than 4000 times inside itself"))
            .note("every call of a recursive function takes memory, once for each thread")
            .note("the usual cause is a function that calls itself without end")
            .think("which call is the last one, and does every thread get there?");
    }
    Draft::new(format!("each thread asks for {} of its own memory: too much", size_in_bytes(bytes)))
        .mark(scene.mark(at, true, "asked for here"))
        .note("local arrays and every call of a recursive function take it, once for each thread")
        .note(format!(
            "{} would need {} together",
            many(scene.threads(), "thread", "threads"),
            size_in_bytes(bytes.saturating_mul(scene.threads()))
        ))
        .think("how large is the local array, or how deep does the recursion go?")
}

fn input_changed(scene: &Scene<'_>, name: &str, index: u64) -> Draft {
    let yours = scene.name(name);
    let writers = writers(scene, yours);
    let label = format!("writes to `{yours}`");
    let whole = scene.whole();
    Draft::new(format!("the {whole} changed {yours}[{index}], but `{yours}` is only for reading"))
        .mark(writers.into_iter().take(1).map(|s| Span { label: label.clone(), ..s }))
        .note(if scene.program {
            "the caller still needs its input"
        } else {
            "the caller still needs its input: other kernels may read it next"
        })
        .think("which parameter is meant for the results?")
}

fn guard_zone(scene: &Scene<'_>, name: &str, index: i64) -> Draft {
    let yours = scene.name(name);
    let side = if index < 0 { "before the first" } else { "behind the last" };
    let writers = writers(scene, yours);
    let only = writers.len() == 1;
    let draft =
        Draft::new(format!("something wrote {yours}[{index}], {side} element of `{yours}`"));
    let draft = if only { draft.mark(writers) } else { draft };
    if scene.program {
        return draft
            .note("nothing stopped it: behind an array of the host lies other memory of the host")
            .note("sizes of copies are in bytes, indices in elements")
            .think("how many bytes is the array long, and how many does each line write?");
    }
    let draft = draft
        .note("the GPU did not stop: the bytes there belonged to nobody, this time")
        .note(scene.launch_line());
    ask_simulator(draft).think("what should a thread do that has no element of its own?")
}

/// The places that assign to an element of `name`.
fn writers(scene: &Scene<'_>, name: &str) -> Vec<Span> {
    let on = |line: u32| {
        let found = scene.source.subscripts(line, name).into_iter().filter(|s| s.assigned);
        found.map(move |s| span(line, s.column, s.length, true, format!("writes to `{name}` here")))
    };
    (1..=scene.source.len()).flat_map(on).collect()
}

fn ask_simulator(draft: Draft) -> Draft {
    draft
        .note("the simulator can name the line and the thread: run the command below")
        .on_backend("sim")
}

/// A launch that the simulator turns down, as a GPU would: it says itself what is too large.
fn refused(code: u32, name: &str, text: &str) -> Draft {
    let draft = Draft::new("the kernel cannot be started").note(text);
    let as_gpu = format!("a GPU refuses such a launch too, before the first thread runs: {name}");
    match code {
        2 if text.contains("local memory") => draft
            .note(as_gpu)
            .think("how large are the arrays that each thread declares for itself?"),
        2 => draft
            .note("__device__ arrays are made before the kernel starts, and need memory too")
            .think("how many bytes does the largest array of the file have?"),
        1 if text.contains("__launch_bounds__") => draft
            .note(as_gpu)
            .think("how many threads does the kernel promise to need, and how many are launched?"),
        720 => draft
            .note(as_gpu)
            .note("blocks that wait for each other must all be running: none can be put off until another ends")
            .think("can fewer blocks do the same work, each with a loop over its part?"),
        218 => draft
            .note(format!("it is refused already when the kernel is loaded: {name}"))
            .think("how many bytes do the arrays inside the kernel have?"),
        _ => draft.note(as_gpu).think("how many bytes do the arrays inside the kernel have?"),
    }
}

/// Driver errors. Codes: CUDA Driver API, `CUresult`.
fn driver(code: u32, name: &str, text: &str) -> Draft {
    let (title, meaning, question) = match code {
        700 => (
            "the GPU stopped the kernel: it went to an address that is not its own",
            "the usual cause is an index beyond the end of an array",
            "which thread computes the largest index, and is there an element for it?",
        ),
        716 => (
            "the GPU stopped the kernel: an address does not fit the size of the access",
            "a float4 needs an address that is a multiple of 16, a double one of 8",
            "where does the pointer begin, and by how many bytes does it move when the index grows by one?",
        ),
        719 => (
            "the GPU stopped the kernel: something in it failed",
            "usual causes: a trap, an index outside shared memory, a barrier that cannot open",
            "what is the last line that every thread surely reaches?",
        ),
        715 => (
            "the GPU stopped the kernel: an instruction asks for what the GPU cannot do",
            "a usual cause is a barrier for a number of threads that is no multiple of 32",
            "which values does the assembly in this file get?",
        ),
        710 => (
            "the GPU stopped the kernel: an assert in it is false",
            "the driver does not say which thread it was",
            "which value did you expect in the assert?",
        ),
        702 => (
            "the GPU stopped the kernel: it ran too long",
            "the usual cause is a loop that never ends",
            "which variable ends the loop, and does every round bring it nearer to the end?",
        ),
        1 | 701 => (
            "the GPU refused to start the kernel",
            "too many threads in a block, or too many registers or bytes of shared memory for it",
            "how much shared memory does one block declare?",
        ),
        2 => (
            "the GPU has no memory left for this launch",
            "another program may be using it",
            "what else runs on this GPU now?",
        ),
        _ => (
            "the CUDA driver reported an error",
            "it is not one that a kernel often causes",
            "does a kernel that passed before still pass?",
        ),
    };
    let draft = Draft::new(title)
        .note(meaning)
        .note(format!("the driver's words: {name} ({code}), {}", text.trim_end_matches('.')))
        .note("after such an error nothing that this launch wrote can be trusted");
    ask_simulator(draft).think(question)
}

fn worker_died(how: &str) -> Draft {
    Draft::new(format!("your kernel could not be judged: {how}"))
        .note("this is no verdict on your code: the process that runs it did not finish its work")
        .note("if it happens again, it is a bug in the checker; please report it with this file")
}

fn unsupported(scene: &Scene<'_>, feature: &str, at: Option<&ptxsim::Source>) -> Draft {
    let feature = if feature.contains('`') { feature.into() } else { format!("`{feature}`") };
    let place = at.and_then(|at| {
        let (column, length) = scene.source.statement(at.line, at.column)?;
        Some(span(at.line, column, length, true, format!("needs {feature}")))
    });
    // What stands in asm goes unread through the compiler: nobody has said yet that it is CUDA at all.
    let assembly = ["asm", "__asm__", "__asm"].iter().flat_map(|word| scene.source.places(word));
    let draft = Draft::new(format!("the simulator does not know {feature}"));
    let draft = match assembly.min() {
        Some((line, _)) => draft
            .note(format!("the file has assembly, first in line {line}: is it spelled right?"))
            .note("the compiler does not read inside asm: only the GPU's own assembler does"),
        None => draft.note("this is fine CUDA, but not supported here: it is not a bug of yours"),
    };
    draft
        .mark(place)
        .note("with an NVIDIA GPU, the command below runs it there")
        .on_backend("gpu")
        .think("can this exercise be solved without it?")
}
