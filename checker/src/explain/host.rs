//! Explains mistakes in host code, such as failed calls, leaked memory and missing waits.

use cudart_sim::report::{
    CallSite, Cause, Crash, EventWait, Failure, HostFinding, HostFindingKind as Kind, Leak,
    LeakKind, Memory, MemoryKind, PointerTarget, Released, Work, WorkAccess,
};

use cudart_sim::runtime::LaunchRecord;
use ptxsim::{Finding, FindingKind};

use super::Draft;
use super::bounds;
use super::scan::{Source, span};
use super::words::{many, size_in_bytes};
use crate::backend::Fault;
use crate::report;

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
        Fault::Leaked(leaks) => self::leaks(program, leaks),
        Fault::Garbled { how } => garbled(how),
        Fault::Crashed { signal, words, crash } => crashed(program, *signal, words, crash.as_ref()),
        _ => return None,
    })
}

/// Explains a finding.
fn explain(program: Program<'_>, finding: &HostFinding) -> Draft {
    let (at, with) = (finding.at.as_ref(), finding.earlier.as_ref());
    let draft = match &finding.kind {
        Kind::CallFailed(failure) => program.failed(failure, at, false),
        Kind::UncheckedError(failure) => program.failed(failure, at, true),
        Kind::DoubleFree { memory } => {
            let name = program.name(memory);
            Draft::new(format!("{name} is freed a second time"))
                .mark(program.mark(with, false, "freed here"))
                .mark(program.mark(at, true, "freed again here"))
                .note("after the first free, the memory may already belong to another allocation")
                .think(
                    "which part of the program owns this memory, so that it alone should free it?",
                )
        }
        Kind::InvalidFree { pointer: PointerTarget::Inside { memory, offset: 0 } } => {
            let (name, made) = (program.name(memory), program.allocator(memory));
            Draft::new(format!("{} gets {name}, which comes from {made}", call(at)))
                .mark(program.mark(memory.at.as_ref(), false, "allocated here"))
                .mark(program.mark(at, true, "freed here"))
                .note("every allocation is freed with the function that belongs to it")
                .think(format!("which function frees memory of {made}?"))
        }
        Kind::InvalidFree { pointer } => {
            let call = call(at);
            Draft::new(format!("{call} gets a pointer that is not the start of an allocation"))
                .mark(program.mark(at, true, format!("this is {}", program.pointer(pointer))))
                .note("free the pointer that the allocation returned, unchanged, with the matching function")
                .note("the matching functions are cudaMalloc and cudaFree, cudaMallocHost and cudaFreeHost, malloc and free, new and delete")
                .think("where does this pointer come from, and was it changed on the way?")
        }
        Kind::UseAfterFree { memory, bytes, write } => {
            let (name, does) = (program.name(memory), if *write { "writes" } else { "reads" });
            Draft::new(format!("{} {does} {name} after it was freed", call(at)))
                .mark(program.mark(with, false, "freed here"))
                .mark(program.mark(at, true, format!("{does} {} of it", size_in_bytes(*bytes))))
                .think("which line is the last that needs this memory?")
        }
        Kind::UninitialisedCopy { memory, bytes: [first, last] } => {
            let name = program.name(memory);
            let whole = *first == 0 && last + 1 == memory.bytes;
            let part = match (whole, first) {
                (true, _) => name,
                (false, 0) => format!("the first {} bytes of {name}", last + 1),
                _ => format!("bytes {first} to {last} of {name}"),
            };
            Draft::new(format!("{} reads {part}, which nothing has written", call(at)))
                .mark(program.mark(at, true, "copy of uninitialised memory"))
                .note("cudaMalloc does not clear the memory, so it contains whatever earlier work left there")
                .think("which line writes this memory, is it before this one, and does it write all of it?")
        }
        Kind::ReleasedObject { released, kernel, launched_before } => {
            program.released_object(released, kernel, *launched_before, (at, with))
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
            program.wait_without_effect(draft, wait.as_ref(), *parallel)
        }
        Kind::HostRace { access, memory, write, .. } => {
            let (name, does) = (program.name(memory), if *write { "writes" } else { "reads" });
            let work = work(access);
            Draft::new(format!("the host {does} {name} while {work} may still use it"))
                .mark(program.mark(with, false, format!("{work} is only enqueued here")))
                .mark(program.mark(at, true, format!("the host {does} it here")))
                .note("an asynchronous call returns before its work is done, often before it has begun")
                .think("which call before this line would wait for that work?")
        }
    };
    match finding.count {
        0 | 1 => draft,
        n => draft.note(format!("this happens {n} times in this run")),
    }
}

/// Title, note and question for a system call that the sandbox refused.
#[cfg(target_os = "linux")]
fn forbidden(call: Option<i32>) -> (String, &'static str, &'static str) {
    let stopped = |what: &str| format!("the program was stopped: it tried to {what}");
    match call.map(i64::from) {
        Some(libc::SYS_socket | libc::SYS_socketpair | libc::SYS_connect | libc::SYS_bind) => (
            stopped("use the network"),
            "an exercise gets everything that it needs as arguments",
            "what was this connection for?",
        ),
        Some(libc::SYS_kill | libc::SYS_tkill | libc::SYS_tgkill) => (
            stopped("send a signal"),
            "a program that has found something wrong can call abort(), but signals to other processes are not allowed",
            "which process should get this signal, and why?",
        ),
        Some(libc::SYS_execve | libc::SYS_execveat) => (
            stopped("start another program"),
            "an exercise is a single process, which must not start other programs",
            "what is the other program for?",
        ),
        None | Some(libc::SYS_clone | libc::SYS_clone3) => another_process(),
        #[cfg(target_arch = "x86_64")]
        Some(libc::SYS_fork | libc::SYS_vfork) => another_process(),
        Some(_) => (
            stopped("make a system call that no exercise needs"),
            "system calls that reach other processes, the system or the network are not allowed",
            "what is this line for?",
        ),
    }
}

#[cfg(not(target_os = "linux"))]
fn forbidden(_: Option<i32>) -> (String, &'static str, &'static str) {
    another_process()
}

fn another_process() -> (String, &'static str, &'static str) {
    (
        "the program was stopped: it tried to start another process".to_owned(),
        "an exercise is a single process, and fork() makes a second one with a copy of everything except the device",
        "what is the second process for, and could a thread or a stream do it?",
    )
}

/// Explains an answer of the program's process that is not a valid result.
fn garbled(how: &str) -> Draft {
    Draft::new("the program destroyed its result, so the answer of its process cannot be read")
        .note(how)
        .note("code that writes outside its own memory, or to files that it did not open, damages the checker's part of the process")
        .think("which line writes through a pointer or an index that may be wrong?")
}

fn crashed(program: Program<'_>, signal: i32, words: &str, crash: Option<&Crash>) -> Draft {
    let pointer = crash.and_then(|crash| crash.pointer.as_ref());
    let raised = crash.is_some_and(|crash| crash.raised);
    let (title, note, think) = match (signal, pointer) {
        (4 | 5 | 7 | 8 | 11, _) if raised => (
            format!("the program was ended by signal {signal}, which a process sent to it"),
            "the signal came from a call such as raise or kill, and not from an access to memory",
            "which call sends this signal, and under which condition?",
        ),
        (11 | 7, Some(PointerTarget::Inside { memory, .. })) => {
            let name = program.name(memory);
            match memory.kind {
                MemoryKind::Device if program.frees(crash) => (
                    format!("the host frees {name}, which is device memory"),
                    "free and delete take memory of the host, which malloc and new have returned",
                    "which function frees what cudaMalloc has allocated?",
                ),
                MemoryKind::Device | MemoryKind::Variable => (
                    format!("the host uses {name}, which is device memory"),
                    "the host may pass on a pointer to device memory, but it must not read or write through it",
                    "how do values get from this memory into host memory?",
                ),
                _ => (
                    format!("the host uses memory outside {name}"),
                    "the allocation ends there, and the memory past its end does not belong to the program",
                    "how many elements does this memory have, and which one is used here?",
                ),
            }
        }
        (11 | 7, Some(PointerTarget::Freed { memory, .. })) => (
            format!("the host uses {}, which was freed before", program.name(memory)),
            "freed memory does not belong to the program any more",
            "which line is the last that needs this memory?",
        ),
        (11 | 7, Some(PointerTarget::Stack)) => (
            "the program crashed, because the host's stack is full".to_owned(),
            "every call that has not returned takes part of the stack, as do arrays inside functions; the stack has 8 MiB",
            "which condition ends the recursion, or how large is the array?",
        ),
        (11 | 7, Some(PointerTarget::Null)) => (
            "the program crashed, because it used a null pointer".to_owned(),
            "an allocation that fails, or was never made, leaves a null pointer",
            "which line should give this pointer its value, and did it?",
        ),
        // The crash is inside the runtime, which then knows nothing about the pointer.
        (11 | 7, None) if crash.is_some() => (
            "the program crashed, because a call got an address outside host memory".to_owned(),
            "the runtime reads and writes host memory through the pointers that it gets",
            "where does this pointer come from, and how much memory is there?",
        ),
        (11 | 7, _) => (
            "the program crashed, because it used an address outside host memory".to_owned(),
            "a pointer from cudaMalloc belongs to the device: the host may pass it on, but it must not read or write through it",
            "through which of the pointers does the host itself read or write?",
        ),
        (8, _) => (
            "the program crashed, because it divided an integer by zero".to_owned(),
            "on the host this ends the process, although on the device it does not",
            "can the divisor be zero on this line, and for which input?",
        ),
        (6, _) => (
            "the program was aborted".to_owned(),
            "abort() was called by a failed assertion, by an uncaught exception, or by the C library because it found corrupted memory",
            "which line ran last, and what did it find wrong?",
        ),
        (25, _) => (
            "the program was stopped, because it printed more than 64 MiB".to_owned(),
            "the report keeps what a program prints, so a loop that prints forever would fill the disk",
            "which loop prints, and what ends it?",
        ),
        (31, _) => forbidden(crash.and_then(|crash| crash.system_call)),
        (9, _) if !words.is_empty() => (
            "the program was stopped, because it took too much memory".to_owned(),
            "the memory of a program is limited, so that one mistake cannot bring down the machine",
            "which allocation grows, and when is it freed?",
        ),
        _ => (
            "the program was ended by a signal".to_owned(),
            "the signal did not come from the program's own control flow",
            "which line ran last?",
        ),
    };
    let place = |source| CallSite { call: String::new(), stream: None, source };
    let at = crash.map(|crash| place(crash.at.clone()));
    let freed = match pointer {
        Some(PointerTarget::Freed { freed, .. }) => freed.as_ref(),
        _ => None,
    };
    let label = if signal == 6 { "the program aborted here" } else { "the program stopped here" };
    let mut draft = Draft::new(title)
        .mark(program.mark(freed, false, "freed here"))
        .mark(program.mark(at.as_ref(), true, label))
        .note(note);
    if !words.is_empty() {
        draft = draft.note(format!("its last output: {words}"));
    }
    draft.think(think)
}

/// The names of memory that a kernel got inside a structure: the runtime's name, and the one in the
/// source.
pub fn indirect(program: Program<'_>, launched: &LaunchRecord) -> Vec<(String, String)> {
    let alias = |memory: &Memory| {
        let name = program.name(memory);
        let plain = name.strip_prefix('`')?.strip_suffix('`')?;
        Some((memory.name.clone(), plain.to_owned()))
    };
    let passed = |memory: &&Memory| launched.arrays.iter().any(|(_, array)| *array == memory.name);
    launched.named.iter().filter(|memory| !passed(memory)).filter_map(alias).collect()
}

/// Adds to a kernel's finding which of its pointer arguments do not point to live device memory.
pub fn explain_arguments(
    program: Program<'_>,
    launched: &LaunchRecord,
    finding: &Finding,
    mut draft: Draft,
) -> Draft {
    let names = program.source.parameters(&launched.kernel);
    if let Some((memory, number)) = too_small(launched, finding) {
        let (i, value) = number;
        let argument =
            names.get(i).map_or_else(|| format!("argument {}", i + 1), |n| format!("`{n}`"));
        let name = program.name(memory);
        draft = bounds::small_allocation(finding, (&argument, value), (&name, memory.bytes), draft)
            .mark(program.mark(memory.at.as_ref(), false, "allocated here"));
    }
    if let Some(memory) = pitched(launched, finding) {
        let name = program.name(memory);
        draft = draft
            .mark(program.mark(memory.at.as_ref(), false, "allocated here, with a pitch"))
            .note(format!("each row of {name} begins a pitch after the one before, and the bytes between two rows belong to neither"))
            .think("at which byte does the second row begin, and at which byte does this line look for it?");
    }
    let after_free = finding.what == FindingKind::UseAfterFree;
    for (i, pointer) in &launched.foreign_arguments {
        let argument = match names.get(*i) {
            Some(name) => format!("`{name}`"),
            None => format!("number {}", i + 1),
        };
        match pointer {
            PointerTarget::Freed { memory, freed }
                if after_free && finding.at.array.as_ref() == Some(&memory.name) =>
            {
                draft = draft.mark(program.mark(freed.as_ref(), false, "freed here")).mark(
                    program.mark(launched.at.as_ref(), false, "and passed to the kernel here"),
                );
            }
            PointerTarget::Host if !after_free => {
                let address = format!("{:#x}", finding.at.address);
                let to = if draft.title.contains(" reads ") { "" } else { "to " };
                draft.title = draft.title.replace(
                    &format!("address {address}, which belongs to no array"),
                    &format!("{to}host memory, which a kernel cannot access"),
                );
                for span in &mut draft.spans {
                    span.label = span.label.replace(&address, "host memory");
                }
                draft.notes.retain(|note| !note.contains("looks like a host pointer"));
                draft = draft
                    .mark(program.mark(launched.at.as_ref(), false, "passed to the kernel here"))
                    .note(format!("the argument {argument} is a host address"))
                    .think(
                        "which call allocates memory that a kernel can use, and which one copies into it?",
                    );
            }
            _ => {}
        }
    }
    draft
}

/// The memory past whose end a thread of a launch has accessed an element, and the integer argument
/// that is larger than the number of its elements: the launch works on more elements than the
/// memory has room for.
fn too_small<'a>(
    launched: &'a LaunchRecord,
    finding: &Finding,
) -> Option<(&'a Memory, (usize, i64))> {
    let at = &finding.at;
    let (name, elements) = (at.array.as_ref()?, i64::try_from(at.elements?).ok()?);
    let index = at.last_index.or(at.index).filter(|index| *index >= elements)?;
    if finding.what != FindingKind::OutOfBounds {
        return None;
    }
    let memory = launched.named.iter().find(|memory| memory.name == *name)?;
    // An index that no element of the launch's number has is wrong itself.
    let number = launched.integers.iter().find(|(_, value)| *value > index)?;
    Some((memory, *number))
}

/// The memory with padding after each row of which a thread has read bytes that nothing has
/// written.
fn pitched<'a>(launched: &'a LaunchRecord, finding: &Finding) -> Option<&'a Memory> {
    let name =
        finding.at.array.as_ref().filter(|_| finding.what == FindingKind::UninitialisedRead)?;
    let has_pitch = |memory: &&Memory| {
        let call = memory.at.as_ref().map_or("", |at| at.call.as_str());
        memory.name == *name && ["cudaMallocPitch", "cudaMalloc3D"].contains(&call)
    };
    launched.named.iter().find(has_pitch)
}

/// Explains memory and objects that were never released.
fn leaks(program: Program<'_>, leaks: &[Leak]) -> Draft {
    let sized =
        |leak: &&Leak| matches!(leak.kind, LeakKind::Memory | LeakKind::Array | LeakKind::Pinned);
    let memory: Vec<&Leak> = leaks.iter().filter(sized).collect();
    let mut draft = Draft::new(leak_title(leaks, &memory));
    let mut lines: Vec<(&Leak, u64)> = vec![];
    for leak in leaks {
        let here = leak.at.as_ref().map(position);
        match lines.iter_mut().find(|(first, _)| first.at.as_ref().map(position) == here) {
            Some((_, count)) => *count += 1,
            None => lines.push((leak, 1)),
        }
    }
    for (i, (leak, count)) in lines.iter().take(4).enumerate() {
        let (made, ended) = match leak.kind {
            LeakKind::Memory | LeakKind::Pinned => ("allocated", "freed"),
            LeakKind::Array => ("created", "freed"),
            LeakKind::Registered => ("registered", "unregistered"),
            LeakKind::Texture | LeakKind::Surface | LeakKind::Stream | LeakKind::Event => {
                ("created", "destroyed")
            }
        };
        let label = match count {
            1 => format!("{made} here and never {ended}"),
            n => format!("{made} {n} times here and never {ended}"),
        };
        draft = draft.mark(program.mark(leak.at.as_ref(), i == 0, label));
    }
    if lines.len() > 4 {
        draft = draft.note(format!("the same happens on {} more lines", lines.len() - 4));
    }
    let objects = |leak: &Leak| matches!(leak.kind, LeakKind::Texture | LeakKind::Surface);
    if memory.is_empty() && !leaks.iter().any(objects) {
        return draft
            .note("a stream, an event or registered memory takes up resources of the driver until the program gives it back or the process ends")
            .think("which call gives it back, and which path out of the function misses it?");
    }
    if memory.is_empty() {
        return draft
            .note("an object takes up memory on the device until it is destroyed or the process ends; the memory behind it must be freed separately")
            .think("which call destroys such an object, and which path out of the function misses it?");
    }
    let pinned = memory.iter().all(|leak| leak.kind == LeakKind::Pinned);
    let kind = if pinned { "page-locked memory" } else { "device memory" };
    draft
        .note(format!("{kind} stays allocated until it is freed or the process ends"))
        .think("which path out of the function does not free this memory?")
}

/// The title for leaks, of which `memory` has a size: "1 stream is never destroyed, 1 event is
/// never destroyed, and 2 allocations (8 KiB) are never freed".
fn leak_title(leaks: &[Leak], memory: &[&Leak]) -> String {
    let verb = |n: u64| if n == 1 { "is" } else { "are" };
    let count = |kind| leaks.iter().filter(|leak| leak.kind == kind).count() as u64;
    let kinds = [
        (LeakKind::Texture, "texture object", "destroyed"),
        (LeakKind::Surface, "surface object", "destroyed"),
        (LeakKind::Stream, "stream", "destroyed"),
        (LeakKind::Event, "event", "destroyed"),
        (LeakKind::Registered, "block of host memory", "unregistered"),
    ];
    let mut parts: Vec<String> = vec![];
    for (kind, noun, ended) in kinds {
        let plural = if kind == LeakKind::Registered {
            "blocks of host memory".to_owned()
        } else {
            format!("{noun}s")
        };
        if let n @ 1.. = count(kind) {
            parts.push(format!("{} {} never {ended}", many(n, noun, &plural), verb(n)));
        }
    }
    if !memory.is_empty() {
        let all = |kind| memory.iter().all(|leak| leak.kind == kind);
        let nouns = if all(LeakKind::Array) {
            ("array", "arrays")
        } else if all(LeakKind::Pinned) {
            ("page-locked allocation", "page-locked allocations")
        } else {
            ("allocation", "allocations")
        };
        let (n, bytes) = (memory.len() as u64, memory.iter().map(|leak| leak.bytes).sum());
        let number = many(n, nouns.0, nouns.1);
        parts.push(format!("{number} ({}) {} never freed", size_in_bytes(bytes), verb(n)));
    }
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{}, and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn position(place: &CallSite) -> Option<(&str, u32, u32)> {
    place.source.as_ref().map(|source| (source.file.as_str(), source.line, source.column))
}

impl Program<'_> {
    fn failed(self, failure: &Failure, at: Option<&CallSite>, unchecked: bool) -> Draft {
        let Failure { name, text, cause, .. } = failure;
        let title = match at.map(|place| place.call.as_str()) {
            Some("cudaLaunchKernel") => format!("the launch fails with {name}: {text}"),
            Some(call) => format!("{call} fails with {name}: {text}"),
            None => format!("a call of the runtime fails with {name}: {text}"),
        };
        let (label, think) = self.cause(cause.as_ref());
        let mut draft = Draft::new(title).mark(self.mark(at, true, label));
        if let Some(Cause::OutOfMemory { capacity, adjustable, .. }) = cause {
            draft = draft.note(if *adjustable {
                format!("the simulated device has {}, a limit of the checker and not of your program: `--device-memory` raises it, and one allocation has less than 4 GiB", size_in_bytes(*capacity))
            } else {
                format!("an exercise has {} of device memory", size_in_bytes(*capacity))
            });
        }
        if matches!(cause, Some(Cause::WrongDirection { .. } | Cause::WrongPointer { .. }))
            && let Some(variable) = self.variable(at)
        {
            draft = draft.note(format!(
                "`{variable}` is a device variable, so on the host its name is not its address: pass the name to cudaMemcpyToSymbol or cudaMemcpyFromSymbol"
            ));
        }
        let launch = at.is_some_and(|place| place.call == "cudaLaunchKernel");
        if unchecked && launch {
            draft = draft.note("a launch returns nothing, and the program does not call cudaGetLastError, so it continues as if the kernel had run");
        } else {
            draft = draft.note("a call that fails does nothing, and the program continues unless it checks what the call returned");
        }
        draft.think(think)
    }

    /// The `__device__` or `__constant__` variable that a call names.
    fn variable(self, at: Option<&CallSite>) -> Option<String> {
        let (line, column) = self.line(at?)?;
        let statement = self.source.statement_text_around(line, column, 4)?;
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = statement.split(|c| !plain(c));
        let variables: Vec<String> =
            self.source.texts().filter_map(|(_, code)| device_variable(&code)).collect();
        words.find(|word| variables.iter().any(|known| known == word)).map(str::to_owned)
    }

    /// The label that says why the call failed, and a question about it.
    fn cause(self, cause: Option<&Cause>) -> (String, String) {
        let (label, question) = self.label_of_cause(cause);
        match cause {
            Some(Cause::OutOfBounds { bytes, offset, memory, .. }) => {
                (label, self.question_of_size(*bytes, *offset, memory))
            }
            _ => (label, question.into()),
        }
    }

    /// A question about a copy of `bytes` that does not fit the memory from byte `offset` on. One
    /// of the sizes may count elements, or this part of a larger whole may be shorter than the
    /// others.
    fn question_of_size(self, bytes: u64, offset: i64, memory: &Memory) -> String {
        let factor = |a: u64, b: u64| [2, 4, 8].iter().any(|size| a == b.saturating_mul(*size));
        if offset == 0 && (factor(bytes, memory.bytes) || factor(memory.bytes, bytes)) {
            "is this size in bytes or in elements, here and where the memory was allocated?".into()
        } else if offset > 0 {
            format!("how many bytes of {} are left from byte {offset} on?", self.name(memory))
        } else {
            format!(
                "how many bytes must {} have room for, and which line decides that?",
                self.name(memory)
            )
        }
    }

    fn label_of_cause(self, cause: Option<&Cause>) -> (String, &'static str) {
        match cause {
            Some(Cause::OutOfBounds { destination, bytes, offset, memory }) => {
                let (size, name) = (size_in_bytes(memory.bytes), self.name(memory));
                let (does, where_) =
                    if *destination { ("writes", "to") } else { ("reads", "from") };
                let from = match offset {
                    0 => String::new(),
                    n => format!(", starting at byte {n}"),
                };
                let bytes = size_in_bytes(*bytes);
                (format!("{does} {bytes} {where_} {name}{from}, which has {size}"), "")
            }
            Some(Cause::WrongDirection { given, to, from }) => (
                format!(
                    "{given}, but the destination is {} and the source is {}",
                    self.pointer(to),
                    self.pointer(from)
                ),
                "where does the data come from, and where does it go?",
            ),
            Some(Cause::WrongPointer { pointer }) => (
                format!("the call gets {}", self.pointer(pointer)),
                "which kind of pointer does this call need?",
            ),
            Some(Cause::Limit { text }) => (
                text.clone(),
                "which of the numbers in this line is beyond what the device can do?",
            ),
            Some(Cause::OutOfMemory { bytes, free, .. }) => (
                format!(
                    "asks for {}, and {} are free",
                    size_in_bytes(*bytes),
                    size_in_bytes(*free)
                ),
                "how many bytes does the program need at the same time, and does it free what it no longer needs?",
            ),
            None => ("this call".to_owned(), "which of its arguments can the runtime not accept?"),
        }
    }

    fn released_object(
        self,
        released: &Released,
        kernel: &str,
        launched_before: bool,
        (at, with): (Option<&CallSite>, Option<&CallSite>),
    ) -> Draft {
        let (what, ended) = match released {
            Released::Texture => ("the texture object".to_owned(), "destroyed"),
            Released::Surface => ("the surface object".to_owned(), "destroyed"),
            Released::Array => ("the array behind its texture or surface".to_owned(), "freed"),
            Released::Memory { memory } => {
                (format!("{}, which is behind its texture", self.name(memory)), "freed")
            }
        };
        if launched_before {
            return Draft::new(format!(
                "{what} is {ended} while kernel `{kernel}` may still use it"
            ))
            .mark(self.mark(with, false, "the kernel is only enqueued here"))
            .mark(self.mark(at, true, format!("{ended} here")))
            .note("a launch returns before the kernel has run, and destroying an object does not wait for it")
            .think("which call before this line would wait for the kernel?");
        }
        Draft::new(format!("kernel `{kernel}` is launched after {what} was {ended}"))
            .mark(self.mark(with, false, format!("{ended} here")))
            .mark(self.mark(at, true, "and used by this launch"))
            .think("which launch is the last that needs it?")
    }

    fn missing_wait(
        self,
        (first, with): (&WorkAccess, Option<&CallSite>),
        (second, at): (&WorkAccess, Option<&CallSite>),
        memory: &Memory,
        [from, to]: [u64; 2],
    ) -> Draft {
        let name = self.name(memory);
        let verb = |access: &WorkAccess| if access.writes { "writes" } else { "reads" };
        let side = |access: &WorkAccess| format!("{} it in stream {}", verb(access), access.stream);
        let whole = from == 0 && to + 1 == memory.bytes;
        let part = if whole { String::new() } else { format!("bytes {from} to {to} of ") };
        Draft::new(format!(
            "{} {} {part}{name} without waiting for {}",
            work(second),
            verb(second),
            work(first)
        ))
        .mark(self.mark(with, false, format!("(1) {}", side(first))))
        .mark(self.mark(at, true, format!("(2) {}", side(second))))
        .note(
            "streams run independently: nothing orders (1) and (2), so either of them may be first",
        )
    }

    /// Adds why an event does not order the two sides, if the second stream waits for one, and a
    /// question.
    fn wait_without_effect(self, draft: Draft, wait: Option<&EventWait>, parallel: bool) -> Draft {
        let line = |place: Option<&CallSite>| Some(self.line(place?)?.0);
        match wait {
            Some(EventWait { at, recorded: Some(recorded) }) => {
                let note = match (line(at.as_ref()), line(Some(recorded))) {
                    (Some(at), Some(recorded)) => format!(
                        "the wait on line {at} waits only for the work before the record on line {recorded}, and (1) is not part of it"
                    ),
                    _ => "the stream of (2) waits for an event that was recorded before (1)".into(),
                };
                draft
                    .mark(self.mark(Some(recorded), false, "the event is recorded here"))
                    .note(note)
                    .think("which work has this stream been given by the time the event is recorded?")
            }
            Some(EventWait { at, recorded: None }) => draft
                .mark(self.mark(at.as_ref(), false, "this event has not been recorded yet"))
                .note("a wait for an event that has not been recorded does nothing")
                .think("which call records this event, and when is it made?"),
            None if parallel => {
                draft.think("should these two streams use the same bytes, and which bytes does each of them need?")
            }
            None => {
                draft.think("which of the two must come first, and what could make the other stream wait for it?")
            }
        }
    }

    /// Whether the program ended on a line that frees memory of the host.
    fn frees(self, crash: Option<&Crash>) -> bool {
        let line = crash.and_then(|crash| crash.at.as_ref()).map_or(0, |at| at.line);
        let on_line = |word: &str| self.source.occurrences(word).iter().any(|(at, _)| *at == line);
        on_line("free") || on_line("delete")
    }

    /// The learner's name for some memory.
    fn name(self, memory: &Memory) -> String {
        if memory.kind == MemoryKind::Variable {
            return format!("`{}`", memory.name);
        }
        let place = memory.at.as_ref();
        let line = place.and_then(|place| self.line(place));
        let statement =
            line.and_then(|(line, column)| self.source.statement_text_around(line, column, 4));
        if let Some(name) = statement.as_deref().and_then(allocated_variable) {
            return format!("`{name}`");
        }
        let kind = match memory.kind {
            MemoryKind::Pinned => "the page-locked memory",
            MemoryKind::Managed => "the managed memory",
            _ => "the device memory",
        };
        match line {
            Some((line, _)) => format!("{kind} allocated on line {line}"),
            None => format!("{kind} called {}", memory.name),
        }
    }

    /// The function that allocated some memory, as the source calls it.
    fn allocator(self, memory: &Memory) -> String {
        let place = memory.at.as_ref();
        let line = place.and_then(|place| self.line(place));
        let statement =
            line.and_then(|(line, column)| self.source.statement_text_around(line, column, 4));
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        let named = statement.and_then(|statement| {
            let mut words = statement.split(|c| !plain(c));
            words.find(|word| word.starts_with("cuda") && word.contains("lloc")).map(str::to_owned)
        });
        named.unwrap_or_else(|| call(place))
    }

    fn pointer(self, pointer: &PointerTarget) -> String {
        match pointer {
            PointerTarget::Null => "a null pointer".into(),
            PointerTarget::Host | PointerTarget::Stack => "ordinary host memory".into(),
            PointerTarget::Freed { memory, .. } => {
                format!("{}, which was freed before", self.name(memory))
            }
            PointerTarget::Inside { memory, offset } => {
                let kind = match memory.kind {
                    MemoryKind::Device | MemoryKind::Variable => "on the device",
                    MemoryKind::Pinned => "page-locked host memory",
                    MemoryKind::Managed => "managed memory",
                };
                match offset {
                    0 => format!("{} ({kind})", self.name(memory)),
                    n => format!("byte {n} of {} ({kind})", self.name(memory)),
                }
            }
        }
    }

    /// The line and column of a position, if it is in the learner's file.
    fn line(self, place: &CallSite) -> Option<(u32, u32)> {
        let source = place.source.as_ref()?;
        let name = source.file.rsplit('/').next()?;
        (name == self.file && source.line > 0).then_some((source.line, source.column))
    }

    fn mark(
        self,
        place: Option<&CallSite>,
        primary: bool,
        label: impl Into<String>,
    ) -> Option<report::Span> {
        let (line, column) = self.line(place?)?;
        let (column, length) = self.source.statement_around(line, column)?;
        Some(span(line, column, length, primary, label))
    }
}

/// The name of the function that was called.
fn call(place: Option<&CallSite>) -> String {
    place.map_or_else(|| "a call".to_owned(), |place| place.call.clone())
}

fn work(access: &WorkAccess) -> String {
    match &access.work {
        Work::Kernel { name } => format!("kernel `{name}`"),
        Work::Copy { to_device: true, from_device: false, .. } => "the copy to the device".into(),
        Work::Copy { to_device: false, from_device: true, .. } => "the copy to the host".into(),
        Work::Copy { .. } => "the copy".into(),
        Work::Set { .. } => "the memset".into(),
    }
}

/// The variable that an allocation fills in: `d_a` of `cudaMalloc((void**)&d_a, bytes)`.
fn allocated_variable(statement: &str) -> Option<&str> {
    let (_, after) = statement.split_once("Malloc")?;
    let (_, arguments) = after.split_once('(')?;
    let (_, name) = arguments.split(',').next()?.rsplit_once('&')?;
    let name = name.trim();
    let plain = |c: char| c.is_alphanumeric() || "_.[]->".contains(c);
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// `weights` of `__constant__ float weights[3];`: a declaration on one line that begins with the
/// specifier.
fn device_variable(code: &str) -> Option<String> {
    let code = code.trim();
    let rest = ["__constant__", "__device__"].iter().find_map(|word| code.strip_prefix(word))?;
    let declared = rest.split(['[', '=', ';', '{']).next()?.trim_end();
    let name = declared.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    (!declared.contains('(') && declared.len() > name.len() && !name.is_empty())
        .then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{allocated_variable, device_variable};

    #[test]
    fn variables_of_the_device_are_known_by_their_declaration() {
        let name = |code| device_variable(code);
        assert_eq!(name("__constant__ float weights[3];").as_deref(), Some("weights"));
        assert_eq!(name("  __device__ int hits = 0;").as_deref(), Some("hits"));
        assert_eq!(name("__device__ float* at(int z);"), None);
        assert_eq!(name("__device__"), None);
        assert_eq!(name("float weights[3];"), None);
    }

    #[test]
    fn memory_is_called_by_its_variable() {
        assert_eq!(allocated_variable("cudaMalloc(&d_a, bytes)"), Some("d_a"));
        assert_eq!(
            allocated_variable("check(cudaMalloc((void**)&buffers[i], n))"),
            Some("buffers[i]")
        );
        assert_eq!(allocated_variable("cudaMallocHost(reinterpret_cast<void**>(&h), n)"), None);
        assert_eq!(allocated_variable("auto p = make(n)"), None);
    }
}
