//! Explains what went wrong while a kernel ran: the line, the thread and the element.

use ptxsim::{Access, Action, Finding, FindingKind, LoopValues, Space, Window};

use super::Draft;
use super::bounds;
use super::objects;
use super::program;
use super::races;
use super::scan::span;
use super::scene::Scene;
use super::traps;
use super::words::{count, many, size_in_bytes};
use super::{masks, matrices};
use crate::backend::Fault;
use crate::report::Span;

/// Addresses below this are a null pointer plus a small index.
const NULL_PAGE: u64 = 1 << 16;

/// Explains a fault of one case; `others` further faults were seen in the same run.
pub fn explain(scene: &Scene<'_>, fault: &Fault, others: usize) -> Draft {
    let draft = match fault {
        Fault::Finding(finding) | Fault::InLaunch { finding, .. } => {
            let finding = &scene.in_terms_of_source(finding);
            called(scene, finding, self::finding(scene, finding))
        }
        Fault::Host(_) | Fault::Leaked(_) | Fault::Crashed { .. } | Fault::Garbled { .. } => {
            Draft::new(
                "this is a bug in the checker: a mistake in host code reached the explanation of kernels",
            )
        }
        Fault::Undefined { symbol } => program::undefined(symbol, scene.source),
        Fault::Exited { code } => program::exited(*code, scene.source),
        Fault::GuardZone { name, index } => guard_zone(scene, name, *index),
        Fault::InputChanged { name, index } => input_changed(scene, name, *index),
        Fault::Driver { code: code @ (1 | 2 | 218 | 701 | 720), name, text } if scene.simulated => {
            refused(*code, name, text)
        }
        Fault::Driver { code, name, text } => driver(*code, name, text),
        Fault::TimedOut { seconds } => timed_out(scene, *seconds),
        Fault::NoTimeLeft { seconds } => no_time_left(*seconds),
        Fault::WorkerDied { how } => worker_died(how),
        Fault::Unsupported { feature, source } => unsupported(scene, feature, source.as_ref()),
    };
    match others {
        0 => draft,
        1 => draft.note("this run has 1 more finding; fix this one first"),
        n => draft.note(format!("this run has {n} more findings; fix this one first")),
    }
}

fn finding(scene: &Scene<'_>, finding: &Finding) -> Draft {
    let (at, with) = (&finding.at, finding.with.as_ref());
    match &finding.what {
        FindingKind::OutOfBounds => bounds::out_of_bounds(scene, finding),
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
        FindingKind::BadSyncMask { mask, present, problem } => {
            masks::sync_mask(scene, finding, [*mask, *present], *problem)
        }
        FindingKind::BadMatrixOperation { problem } => {
            matrices::bad_operation(scene, finding, *problem)
        }
        FindingKind::NeverFinishes { instructions, values } => {
            never_finishes(scene, finding, *instructions, *values)
        }
        FindingKind::OverBudget { instructions } => over_budget(scene, at, *instructions),
        FindingKind::BadBranch { index, targets } => bad_branch(scene, at, *index, *targets),
        FindingKind::Trap => traps::trap(scene, at),
        FindingKind::NotCooperative => objects::not_cooperative(scene, at),
        FindingKind::BadObject { surface, problem } => {
            objects::bad_object(scene, at, *surface, *problem)
        }
        FindingKind::BadSurfaceCoordinate { at: coordinates, extent, texel } => {
            objects::surface(scene, at, *coordinates, *extent, *texel)
        }
        FindingKind::Assert { expression } => assertion(scene, at, expression),
        FindingKind::StackOverflow { bytes } => stack(scene, at, *bytes),
    }
}

/// An assertion that fails. The compiler's column may be one of the expanded macro, which the file
/// doesn't have, so the statement with `assert` is marked.
fn assertion(scene: &Scene<'_>, at: &Access, expression: &str) -> Draft {
    let thread = scene.thread(at);
    let label = format!("false for {thread}");
    let place = &at.source;
    let mark = match scene.source.statement_with(place.line, place.column, "assert") {
        Some((column, length)) => Some(span(place.line, column, length, true, label)),
        None => scene.mark(at, true, label),
    };
    Draft::new(format!("the assertion `{expression}` fails for {thread}"))
        .mark(mark)
        .note("the assertion stopped the kernel at the first place where this assumption is wrong")
        .think("which value did you expect here, and which one does this thread have?")
}

/// Marks the calls of the device functions in which it happened, because many callers may share
/// such a function's line.
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

pub fn verb(action: Action) -> &'static str {
    match action {
        Action::Read => "reads",
        Action::Write => "writes",
        Action::Atomic => "atomically updates",
        Action::Wait => "waits for",
        Action::Free => "frees",
        Action::Exit | Action::Execute => "uses",
    }
}

/// "24 threads do this", or how often a single thread does.
pub fn repeated(finding: &Finding) -> Option<String> {
    match (finding.threads, finding.count) {
        (0 | 1, 0 | 1) => None,
        (0 | 1, times) => Some(format!("this happens {} times", count(times))),
        (threads, _) => Some(format!("{} threads do this", count(threads))),
    }
}

fn invalid_address(scene: &Scene<'_>, at: &Access) -> Draft {
    let (thread, verb) = (scene.thread(at), verb(at.action));
    let address = at.address;
    if address < NULL_PAGE {
        return Draft::new(format!("{thread} {verb} memory through a null pointer"))
            .mark(scene.mark(at, true, "null pointer used here"))
            .note(format!("the address is {address:#x}, which is a null pointer plus an index"))
            .think(if scene.is_launch_of_program() {
                "which call should give this pointer its value, and did that call succeed?"
            } else {
                "where should this pointer get its value, and does every thread get it?"
            });
    }
    if let Some(window) = Window::of(address) {
        let (memory, owner) = match window {
            Window::Shared => ("shared memory", "block"),
            Window::Local => ("local memory", "thread"),
        };
        return Draft::new(format!("{thread} {verb} global memory through an address of {memory}"))
            .mark(scene.mark(at, true, format!("address of {memory}")))
            .note(format!("{memory} belongs to one {owner} and exists only as long as it runs, so its address means nothing to another {owner}"))
            .think(format!("which line stores the address of a variable of a {owner} where others read it, and should it store the value instead?"));
    }
    let draft =
        Draft::new(format!("{thread} {verb} address {address:#x}, which belongs to no array"))
            .mark(scene.mark(at, true, format!("access to {address:#x}")));
    // User-space addresses of a Linux host (x86-64, aarch64): libraries, stack and heap.
    let host = (0x5500_0000_0000..0x5700_0000_0000).contains(&address)
        || (0x7e00_0000_0000..0x8000_0000_0000).contains(&address)
        || (0xaaaa_0000_0000..0x1_0000_0000_0000).contains(&address);
    let draft = if host {
        draft.note(
            "this looks like a host pointer, and a kernel cannot access the memory of the CPU",
        )
    } else {
        draft.note("either the index is far too large or negative, or the pointer was never set")
    };
    draft.think(if host && scene.is_launch_of_program() {
        "which arguments of this launch come from cudaMalloc, and which point to host memory?"
    } else {
        "print the index with printf for this thread: is it what you expect?"
    })
}

fn misaligned(scene: &Scene<'_>, at: &Access) -> Draft {
    let bytes = u64::from(at.bytes.max(1));
    let off = at.address % bytes;
    Draft::new(format!(
        "{} {} {bytes} bytes at an address that is not a multiple of {bytes}",
        scene.thread(at),
        verb(at.action)
    ))
    .mark(scene.mark(
        at,
        true,
        format!("{} past a multiple of {bytes}", many(off, "byte", "bytes")),
    ))
    .note(format!("the address is {:#x}", at.address))
    .note(format!("a GPU accesses {bytes} bytes at once only at an address that is a multiple of {bytes}"))
    .think("where does the pointer begin, and by how many bytes does it move when the index grows by one?")
}

fn uninitialised(scene: &Scene<'_>, finding: &Finding) -> Draft {
    let at = &finding.at;
    let (thread, element) = (scene.thread(at), scene.element(at));
    let label = match (scene.subscript_value(at), repeated(finding)) {
        (Some(value), Some(again)) => format!("{value} here; {again}"),
        (Some(value), None) => format!("{value} here"),
        (None, Some(again)) => again,
        (None, None) => "never written".into(),
    };
    if let Some(texel) = texel(scene, at) {
        return Draft::new(format!("{thread} reads {texel}, which nothing has written yet"))
            .mark(scene.mark(at, true, label))
            .note("texels are counted row by row, from 0")
            .note("cudaMallocArray does not clear the memory, so the texels have old values")
            .think("which copy fills the array before this launch, and how many bytes of each row does it copy?");
    }
    let part = at.written.filter(|written| (1..at.bytes).contains(&written.of_access));
    let title = match part {
        Some(written) => {
            let (some, all) = (written.of_access, many(at.bytes.into(), "byte", "bytes"));
            format!(
                "{thread} reads {element}, of which only {some} of {all} {} been written",
                if some == 1 { "has" } else { "have" }
            )
        }
        None => format!("{thread} reads {element}, which nothing has written yet"),
    };
    let draft = Draft::new(title).mark(scene.mark(at, true, label));
    let array = at.array.as_deref().map_or_else(|| "it".into(), |array| scene.quoted(array));
    match at.space {
        Some(Space::Shared) => draft
            .note("shared memory is not cleared, so it contains values of an earlier block")
            .think(format!("does a thread of this block write {element}, and does it do so before this read?")),
        // A kernel whose threads wait for each other passes values between them.
        Some(Space::Local) if scene.has_barrier() => draft
            .note("a local array or variable has no value until your code gives it one")
            .note("every thread has its own copy of a local array, which no other thread can write")
            .think("which thread should give this element its value, and can it reach the array?"),
        Some(Space::Local) => draft
            .note("a local array or variable has no value until your code gives it one")
            .think("what should its initial value be?"),
        _ if scene.is_launch_of_program() && part.is_some() => draft.think(format!(
            "how many bytes does {array} have, and how many of them are written before this launch?"
        )),
        _ if scene.is_launch_of_program() => draft
            .note("cudaMalloc does not clear the memory, so it contains old values")
            .think(format!(
                "which line fills all of {array} before this launch, or should this line not read it at all?"
            )),
        _ => draft
            .note(format!("{array} is an output, so its elements are garbage until the kernel writes them"))
            .think(if scene.is_update(at) {
                "what should this element contain before the first update, and which line stores that?"
            } else {
                "does this line need the old value at all?"
            }),
    }
}

/// "texel 14 of the array": the runtime numbers the arrays that a program creates, because they
/// have no names.
fn texel(scene: &Scene<'_>, at: &Access) -> Option<String> {
    let number =
        at.array.as_deref().filter(|_| scene.is_launch_of_program())?.strip_prefix("array ")?;
    number.parse::<u64>().ok()?;
    let element = scene.element(at);
    let (_, index) = element.strip_suffix(']')?.rsplit_once('[')?;
    Some(format!("texel {index} of the array"))
}

fn never_finishes(
    scene: &Scene<'_>,
    finding: &Finding,
    instructions: u64,
    values: LoopValues,
) -> Draft {
    let draft = Draft::new(format!(
        "the kernel never ends: it was stopped after {} instructions",
        count(instructions)
    ));
    let waits = finding.with.as_ref().filter(|with| with.action == Action::Wait);
    let waits =
        waits.map(|with| scene.mark(with, false, format!("{} waits here", scene.thread(with))));
    mark_loop(scene, &finding.at, draft)
        .mark(waits.flatten())
        .note(match values {
            LoopValues::Unchanged => {
                "in the last iterations, no value on which the end of this loop depends has changed"
            }
            LoopValues::Cycle => {
                "the values on which the end of this loop depends change, but they repeat"
            }
            LoopValues::None => "nothing that this loop does can make its condition false",
        })
        .note("on a GPU it would keep running until you kill the program")
        .think("which variable ends the loop, and does every iteration bring it closer to the end?")
}

fn over_budget(scene: &Scene<'_>, at: &Access, instructions: u64) -> Draft {
    let draft = Draft::new(format!(
        "the kernel was not finished after {} instructions, where the simulator stops",
        count(instructions)
    ));
    mark_loop(scene, at, draft)
        .note("this limit is the checker's own: on a GPU, the kernel would continue, and might end")
        .note("the end of this loop depends on values that were still changing, or that come from memory")
        .think("how often does this loop run, and how often did you expect it to run?")
}

/// Marks the loop that a thread was stopped in.
fn mark_loop(scene: &Scene<'_>, at: &Access, draft: Draft) -> Draft {
    match scene.enclosing_loop(at) {
        Some((line, column, length)) => {
            let label = format!("{} is still in this loop", scene.thread(at));
            draft.mark([span(line, column, length, true, label)])
        }
        None => draft.mark(scene.mark(at, true, format!("{} was stopped here", scene.thread(at)))),
    }
}

fn bad_branch(scene: &Scene<'_>, at: &Access, index: u32, targets: u32) -> Draft {
    Draft::new(format!("{} branches to label {index} of a list of {targets}", scene.thread(at)))
        .mark(scene.mark(at, true, "`brx.idx` with an index that is not in its list"))
        .note("PTX does not define where such a branch leads")
        .think("which values can the index have here?")
}

fn timed_out(scene: &Scene<'_>, seconds: f64) -> Draft {
    let draft = Draft::new(format!(
        "the {} was still running after {seconds} s and was stopped",
        scene.whole()
    ));
    let loops: Vec<Span> = ["while", "for"]
        .iter()
        .flat_map(|word| scene.source.occurrences(word))
        .filter_map(|(line, column)| {
            let (column, length) = scene.source.statement(line, column)?;
            Some(span(line, column, length, true, "the only loop in this file"))
        })
        .collect();
    let draft = if loops.len() == 1 { draft.mark(loops) } else { draft };
    let draft = draft.note(format!(
        "the usual cause is a loop that never ends, because a correct {} takes milliseconds here",
        scene.whole()
    ));
    let draft = if scene.simulated { draft } else { ask_simulator(draft) };
    draft
        .think("which variable ends the loop, and does every iteration bring it closer to the end?")
}

fn no_time_left(seconds: u64) -> Draft {
    Draft::new(format!("the cases before this one took more than {seconds} s, so it didn't run"))
        .note("all cases of an exercise take seconds if the file is right")
        .think("which case takes the most time, and which loop does it spend this time in?")
}

fn stack(scene: &Scene<'_>, at: &Access, bytes: u64) -> Draft {
    // Calls that need so little memory must be too many.
    if bytes < 4096 {
        return Draft::new("the function calls inside the kernel are nested too deeply")
            .mark(scene.mark(at, true, "call that is nested more than 4000 levels deep"))
            .note(
                "every call of a recursive function takes stack memory, separately for each thread",
            )
            .note("the usual cause is a function that never stops calling itself")
            .think("which condition ends the recursion, and does every thread reach it?");
    }
    Draft::new(format!("each thread needs {} of local memory, which is too much", size_in_bytes(bytes)))
        .mark(scene.mark(at, true, "local memory needed here"))
        .note("local arrays and the calls of recursive functions take local memory, separately for each thread")
        .note(format!(
            "{} would need {} in total",
            many(scene.threads(), "thread", "threads"),
            size_in_bytes(bytes.saturating_mul(scene.threads()))
        ))
        .think("how large is the local array, or how deep does the recursion go?")
}

fn input_changed(scene: &Scene<'_>, name: &str, index: u64) -> Draft {
    let yours = scene.name(name);
    let writers = writers(scene, yours);
    let label = format!("write to `{yours}`");
    let whole = scene.whole();
    Draft::new(format!("the {whole} changed {yours}[{index}], but `{yours}` is an input"))
        .mark(writers.into_iter().take(1).map(|s| Span { label: label.clone(), ..s }))
        .note(if scene.program {
            "the caller still needs this input"
        } else {
            "the caller still needs this input: another kernel may read it next"
        })
        .think("which parameter is meant for the results?")
}

fn guard_zone(scene: &Scene<'_>, name: &str, index: i64) -> Draft {
    let yours = scene.name(name);
    let side = if index < 0 { "before the first" } else { "past the last" };
    let writers = writers(scene, yours);
    let only = writers.len() == 1;
    let draft =
        Draft::new(format!("something wrote {yours}[{index}], {side} element of `{yours}`"));
    let draft = if only { draft.mark(writers) } else { draft };
    if scene.program {
        return draft
            .note("nothing stopped this write, because the memory next to a host array is other host memory")
            .note("a copy takes its size in bytes, whereas an index counts elements")
            .think("how many bytes does the array have, and how many does each line write?");
    }
    let draft = draft
        .note("the GPU did not stop, because these bytes happened to belong to no other array")
        .note(scene.launch_line());
    ask_simulator(draft).think("what should a thread without an element of its own do?")
}

/// The places that assign to an element of `name`.
fn writers(scene: &Scene<'_>, name: &str) -> Vec<Span> {
    let on = |line: u32| {
        let found = scene.source.subscripts(line, name).into_iter().filter(|s| s.assigned);
        found.map(move |s| span(line, s.column, s.length, true, format!("write to `{name}`")))
    };
    (1..=scene.source.len()).flat_map(on).collect()
}

fn ask_simulator(draft: Draft) -> Draft {
    draft
        .note("to find the line and the thread, run the command below, which uses the simulator")
        .on_backend("sim")
}

/// A launch that the simulator refuses as a GPU would; its text says what is too large.
/// The assembler's words for `__shared__` variables that take more than a kernel can have.
pub const TOO_MUCH_SHARED: &str = "too much shared data";

/// What a kernel with more static shared memory than possible can do.
pub const STATIC_SHARED_FIX: &str = "arrays of a fixed size have at most 48 KiB: declare the array as `extern __shared__`, without a size, raise the limit with cudaFuncSetAttribute, and pass the bytes as the third number of the launch";

/// What a kernel can do whose blocks need more registers than a block can have.
pub const REGISTERS_FIX: &str = "launch smaller blocks, or write `__launch_bounds__(THREADS)` before the kernel's name: then the assembler uses only as many registers as a block of that size can have";

fn refused(code: u32, name: &str, text: &str) -> Draft {
    let draft = Draft::new("the kernel cannot be launched").note(text);
    let as_gpu = format!("a GPU also refuses this launch before any thread runs, with {name}");
    match code {
        2 if text.contains("local memory") => draft
            .note(as_gpu)
            .think("how large are the local arrays of each thread?"),
        2 => draft
            .note("__device__ arrays are allocated before the kernel starts, and they need memory too")
            .think("how many bytes does the largest array of the file have?"),
        1 if text.contains("__launch_bounds__") => draft
            .note(as_gpu)
            .think("how many threads does __launch_bounds__ allow, and how many are launched?"),
        701 => draft
            .note(as_gpu)
            .note(REGISTERS_FIX)
            .think("which values does each thread keep at the same time, and does it need all of them?"),
        720 => draft
            .note(as_gpu)
            .note("blocks that wait for each other must all run at the same time, so none can be postponed until another one ends")
            .think("can fewer blocks do the same work, each with a loop over its part?"),
        218 if text.contains(TOO_MUCH_SHARED) => draft
            .note(format!("the assembler already refuses this kernel, with {name}"))
            .note(STATIC_SHARED_FIX)
            .think("how many bytes do the arrays inside the kernel have?"),
        218 => draft
            .note(format!("a GPU already refuses this kernel when it is loaded, with {name}"))
            .think("how many bytes do the arrays inside the kernel have?"),
        _ => draft.note(as_gpu).think("how many bytes do the arrays inside the kernel have?"),
    }
}

/// Driver errors. Codes: CUDA Driver API, `CUresult`.
fn driver(code: u32, name: &str, text: &str) -> Draft {
    let (title, meaning, question) = match code {
        700 => (
            "the GPU stopped the kernel, because it accessed an address outside its memory",
            "the usual cause is an index past the end of an array",
            "which thread computes the largest index, and is there an element for it?",
        ),
        716 => (
            "the GPU stopped the kernel, because an address does not fit the size of the access",
            "a float4 needs an address that is a multiple of 16, and a double one that is a multiple of 8",
            "where does the pointer begin, and by how many bytes does it move when the index grows by one?",
        ),
        719 => (
            "the GPU stopped the kernel, because something in it failed",
            "the usual causes are a trap, an index outside shared memory, or a barrier that never completes",
            "which is the last line that every thread certainly reaches?",
        ),
        715 => (
            "the GPU stopped the kernel, because it cannot execute one of its instructions",
            "a common cause is a barrier for a number of threads that is not a multiple of 32",
            "which values does the assembly in this file get?",
        ),
        710 => (
            "the GPU stopped the kernel, because an assertion in it failed",
            "the driver does not say which thread it was",
            "which value did you expect in the assertion?",
        ),
        702 => (
            "the GPU stopped the kernel, because it ran too long",
            "the usual cause is a loop that never ends",
            "which variable ends the loop, and does every iteration bring it closer to the end?",
        ),
        1 | 701 => (
            "the GPU refused to launch the kernel",
            "a block has too many threads, or needs too many registers or too much shared memory",
            "how much shared memory does one block declare?",
        ),
        2 => (
            "the GPU has no memory left for this launch",
            "another program may be using it",
            "what else is running on this GPU?",
        ),
        _ => (
            "the CUDA driver reported an error",
            "kernels rarely cause this error",
            "does a kernel that passed before still pass?",
        ),
    };
    let draft = Draft::new(title)
        .note(meaning)
        .note(format!("the driver reports {name} ({code}): {}", text.trim_end_matches('.')))
        .note("after such an error, nothing that this launch wrote can be trusted");
    ask_simulator(draft).think(question)
}

fn worker_died(how: &str) -> Draft {
    Draft::new(format!("your kernel could not be checked: {how}"))
        .note("this says nothing about your code, because the process that runs it ended too early")
        .note("if it happens again, it is a bug in the checker; please report it with this file")
}

fn unsupported(scene: &Scene<'_>, feature: &str, at: Option<&ptxsim::Source>) -> Draft {
    let feature = if feature.contains('`') { feature.into() } else { format!("`{feature}`") };
    let place = at.and_then(|at| {
        let (column, length) = scene.source.statement(at.line, at.column)?;
        Some(span(at.line, column, length, true, format!("use of {feature}")))
    });
    // The compiler does not check the text inside asm, so an unknown instruction may simply be
    // misspelt.
    let assembly =
        ["asm", "__asm__", "__asm"].iter().flat_map(|word| scene.source.occurrences(word));
    let draft = Draft::new(format!("the simulator does not support {feature}"));
    // nvcc has had the assembler check a program, but not NVRTC a kernel
    let checked = scene.is_launch_of_program();
    let draft = match assembly.min().filter(|_| !checked) {
        Some((line, _)) => draft
            .note(format!("the file contains assembly, first on line {line}: check its spelling"))
            .note("the compiler does not check the text inside asm, only the GPU's assembler does"),
        None => draft
            .note("this is valid CUDA that is not supported here, so it is not a bug in your code"),
    };
    let draft = draft.mark(place);
    if checked {
        return draft.note("on a machine with an NVIDIA GPU, `--backend gpu` runs it there");
    }
    draft
        .note("on a machine with an NVIDIA GPU, the command below runs it there")
        .on_backend("gpu")
        .think("can this exercise be solved without it?")
}
