//! Explains mistakes in host code, such as failed calls, leaked memory and missing waits.

mod arguments;
mod crash;
mod failures;
mod frees;
mod handles;
mod leaks;
mod names;
mod order;
mod share;
mod writers;

use cudart_sim::report::{
    CopiedRows, HostFinding, HostFindingKind as Kind, Memory, PointerTarget, Rows, Work,
};

use super::scan::Source;
use super::words::{many, size_in_bytes};
use super::{Draft, bounds};
use crate::backend::Fault;

pub use arguments::{explain_arguments, indirect};
pub use names::device_variable;
use names::{call, object_name, releasing};
use order::work;
pub use share::explain as share;

/// The learner's program, to which the runtime's source positions refer.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    pub source: &'a Source<'a>,
    /// The file's name without folders. Positions in other files are not marked.
    pub file: &'a str,
}

/// Explains a fault in host code; `None` for any other fault.
pub fn fault(program: Program<'_>, fault: &Fault) -> Option<Draft> {
    Some(match fault {
        Fault::Host(finding) => explain(program, finding),
        Fault::Leaked(leaks) => leaks::leaks(program, leaks),
        Fault::Garbled { how } => crash::garbled(how),
        Fault::Crashed { signal, words, crash } => {
            crash::crashed(program, *signal, words, crash.as_ref())
        }
        _ => return None,
    })
}

/// Says how the rows of memory with a pitch are stored, if this byte of it belongs to no row.
pub fn padding(memory: &Memory, byte: u64) -> Option<String> {
    let Rows { width, pitch } = memory.rows?;
    (byte.checked_rem(pitch)? >= width).then(|| {
        format!(
            "each row has {}, but rows begin {} apart, so the bytes between two rows belong to neither row",
            many(width, "byte", "bytes"),
            many(pitch, "byte", "bytes")
        )
    })
}

/// The question about a copy of several rows that does not fit.
const QUESTION_OF_ROWS: &str = "which numbers of this copy count bytes and which count rows, and to which memory does each pitch belong?";

/// `5 rows of 28 bytes, which begin 512 bytes apart`
fn in_rows(rows: &CopiedRows) -> String {
    let bytes = |n| many(n, "byte", "bytes");
    let CopiedRows { width, height, pitch, depth, plane } = *rows;
    let (all, each, pitch) = (many(height, "row", "rows"), bytes(width), bytes(pitch));
    if depth == 1 {
        return format!("{all} of {each}, which begin {pitch} apart");
    }
    let (planes, plane) = (many(depth, "plane", "planes"), bytes(plane));
    format!("{planes} of {all} of {each}; rows begin {pitch} apart, and planes {plane}")
}

/// Explains a finding.
fn explain(program: Program<'_>, finding: &HostFinding) -> Draft {
    let (at, with) = (finding.at.as_ref(), finding.earlier.as_ref());
    let draft = match &finding.kind {
        Kind::CallFailed(failure) => program.failed(failure, at, false),
        Kind::UncheckedError(failure) => program.failed(failure, at, true),
        Kind::DoubleFree { memory, never_freed } => {
            frees::twice(program, memory, [with, at], never_freed.as_ref())
        }
        Kind::InvalidFree { pointer: PointerTarget::Inside { memory, offset: 0 } } => {
            let (name, made) = (program.name(memory), program.allocator(memory));
            Draft::new(format!("{} gets {name}, which comes from {made}", call(at)))
                .mark(program.allocated(memory))
                .mark(program.mark(at, true, "freed here"))
                .note("every allocation is freed with the function that belongs to it")
                .think(format!("which function frees memory of {made}?"))
        }
        Kind::InvalidFree { pointer: PointerTarget::Object { object, at: made } } => {
            let (name, release) = (object_name(*object), releasing(*object));
            Draft::new(format!(
                "{} gets the handle of {name}, which is not a pointer to memory",
                call(at)
            ))
            .mark(program.mark(made.as_ref(), false, "created here"))
            .mark(program.mark(at, true, format!("released here; {release} does that")))
            .note(format!("{release} releases what {} has created", call(made.as_ref())))
        }
        Kind::InvalidFree { pointer: pointer @ PointerTarget::Freed { memory, freed, .. } } => {
            let name = program.name(memory);
            Draft::new(format!("{} gets {}", call(at), program.pointer(pointer)))
                .mark(program.allocated(memory))
                .mark(program.mark(freed.as_ref(), false, "freed here"))
                .mark(program.mark(at, true, "this pointer is not the start of an allocation"))
                .note(format!(
                    "one call frees all of {name}, and no other pointer into it may be freed"
                ))
                .think("how many allocations does the program make, and how many does it free?")
        }
        Kind::InvalidFree { pointer } => {
            let call = call(at);
            Draft::new(format!("{call} gets a pointer that is not the start of an allocation"))
                .mark(program.mark(at, true, format!("this is {}", program.pointer(pointer))))
                .note("free the pointer that the allocation returned, unchanged, with the matching function")
                .note("cudaFree takes memory of cudaMalloc and cudaMallocManaged, cudaFreeHost that of cudaMallocHost and cudaHostAlloc, and cudaFreeArray that of cudaMallocArray")
                .think("where does this pointer come from, and was it changed on the way?")
        }
        Kind::UseAfterFree { memory, bytes, write } => {
            let (name, does) = (program.name(memory), if *write { "writes" } else { "reads" });
            Draft::new(format!("{} {does} {name} after it was freed", call(at)))
                .mark(program.mark(with, false, "freed here"))
                .mark(program.mark(at, true, format!("{does} {} of it", size_in_bytes(*bytes))))
                .think("which line is the last that needs this memory?")
        }
        Kind::WrongDirection { given, to, from } => {
            let [to, from] = [to, from].map(|target| program.pointer(target));
            let ends = format!("the destination is {to} and the source is {from}");
            let draft =
                Draft::new(format!("{} gets a direction that does not fit its pointers", call(at)))
                    .mark(program.mark(at, true, format!("{given}, but {ends}")))
                    .note("CUDA does not define what such a copy does; here, the pointers decided, as on current GPUs");
            let draft = if given == "cudaMemcpyHostToHost" {
                draft.note("a direction that is never set is 0, and that is cudaMemcpyHostToHost")
            } else {
                draft
            };
            draft.think("where does the data come from, and where does it go?")
        }
        Kind::HostOverread { array, available, bytes, rows } => {
            let past = rows.map_or(bytes - available, |rows| rows.bytes_outside(*available));
            let all = rows.map_or_else(|| size_in_bytes(*bytes), |rows| in_rows(&rows));
            let past = size_in_bytes(past);
            Draft::new(format!("{} reads {past} beyond the end of `{array}`", call(at)))
                .mark(program.mark(at, true, format!("reads {all}")))
                .note(format!(
                    "`{array}` has {} from there to its end, and the memory after it is not part of it",
                    size_in_bytes(*available)
                ))
                .think(match rows {
                    Some(_) => QUESTION_OF_ROWS,
                    None => "does this size count bytes, and for how many elements?",
                })
        }
        Kind::HostOverwrite { array, offset, available, bytes, rows } => {
            let outside = rows.map_or(bytes - available, |rows| rows.bytes_outside(*available));
            let side = if *offset < 0 { "before the start" } else { "beyond the end" };
            let outside = many(outside, "byte", "bytes");
            let all = rows.map_or_else(|| many(*bytes, "byte", "bytes"), |rows| in_rows(&rows));
            let from = match offset {
                0 => String::new(),
                n @ ..0 => {
                    format!(", {} before its start", many(n.unsigned_abs(), "byte", "bytes"))
                }
                n => format!(", from byte {n} on"),
            };
            let available = match available {
                0 => format!("`{array}` has no bytes there"),
                n => format!("`{array}` has {} from there to its end", many(*n, "byte", "bytes")),
            };
            let draft = Draft::new(format!("{} writes {outside} {side} of `{array}`", call(at)))
                .mark(program.mark(at, true, format!("writes {all}{from}")))
                .note(if *offset < 0 {
                    "the memory before the array is not part of it".to_owned()
                } else {
                    format!("{available}, and the memory after it is not part of it")
                });
            draft.think(match offset {
                _ if rows.is_some() => QUESTION_OF_ROWS,
                0 => "does this size count bytes, and for how many elements?",
                _ => "where in the array does this copy begin, and how many bytes are left from there on?",
            })
        }
        Kind::UninitialisedCopy { memory, bytes: [first, last], writer } => {
            let name = program.name(memory);
            let whole = *first == 0 && last + 1 == memory.bytes;
            let part = match (whole, first) {
                (true, _) => name,
                (false, 0) => format!("the first {} bytes of {name}", last + 1),
                _ => format!("bytes {first} to {last} of {name}"),
            };
            let draft = Draft::new(format!("{} reads {part}, which nothing has written", call(at)))
                .mark(program.mark(at, true, "copy of uninitialised memory"))
                .note(format!(
                    "{} does not clear the memory, so it contains old values",
                    program.allocator(memory)
                ));
            let draft = program.other_name(draft, memory, at);
            let label = match writer {
                Some(writer) if writer.call == "cudaLaunchKernel" => {
                    "its kernel wrote a part of it"
                }
                _ => "this wrote a part of it",
            };
            let draft = draft.mark(program.mark(writer.as_ref().filter(|_| !whole), false, label));
            if let Some(padding) = padding(memory, *first) {
                return draft.note(padding).think(
                    "how many bytes of each row does this copy read, and at which byte does it look for the next row?",
                );
            }
            draft.think("which line writes this memory, is it before this one, and does it write all of it?")
        }
        Kind::ReleasedObject { released, kernel, launched_before, made } => {
            program.released_object(released, (kernel, *launched_before), made.as_ref(), (at, with))
        }
        Kind::NeverAwaited { work: done, printed } => {
            let name = match done {
                Work::Kernel { name } => format!("kernel `{name}`"),
                _ => "the copy to the host".to_owned(),
            };
            let draft = Draft::new(format!("the program ends without waiting for {name}"))
                .mark(program.mark(at, true, "only enqueued here"))
                .note("when a program ends, work that it has not waited for is stopped, and its results are lost");
            let draft = if *printed {
                draft.note("the kernel's printf output waits in a buffer until the host synchronises, so it does not appear")
            } else {
                draft
            };
            draft.think("which call after this line returns only when the device has finished?")
        }
        Kind::MissingWait { first, second, memory, bytes, wait, parallel } => {
            let draft = program.missing_wait((first, with), (second, at), memory, *bytes);
            let both_write = first.writes && second.writes;
            program.wait_without_effect(draft, wait.as_deref(), *parallel, both_write)
        }
        Kind::HostRace { access, memory, write, .. } => {
            let (name, does) = (program.name(memory), if *write { "writes" } else { "reads" });
            let work = work(access);
            Draft::new(format!("the host {does} {name} while {work} may still use it"))
                .mark(program.mark(with, false, format!("{work} is only enqueued here")))
                .mark(program.mark(at, true, format!("the host {does} it here")))
                .note("an asynchronous call returns before its work is done, often before it has begun")
                .think(if *write {
                    "should that work see the old values, or the values that this line writes?"
                } else {
                    "which call before this line would wait for that work?"
                })
        }
    };
    match finding.count {
        0 | 1 => draft,
        // how many accesses a copy by the C library makes depends on the processor
        _ if matches!(finding.kind, Kind::HostRace { .. }) => {
            draft.note("this happens more than once in this run")
        }
        n => draft.note(format!("this happens {n} times in this run")),
    }
}
