//! Mistakes of a program's host code: calls that fail, memory that leaks or is freed twice, work that nobody waits for.

use cudart_sim::report::{
    CallSite, Cause, Crash, Failure, HostFinding, HostFindingKind as Kind, Leak, LeakKind, Memory,
    MemoryKind, PointerTarget, Work, WorkAccess,
};

use cudart_sim::runtime::LaunchRecord;
use ptxsim::{Finding, FindingKind};

use super::Draft;
use super::scan::{Source, span};
use super::words::{many, size_in_bytes};
use crate::backend::Fault;
use crate::report;

/// The learner's program, as the runtime's places know it.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    pub source: &'a Source<'a>,
    /// The file's name without folders: places in other files are not shown on it.
    pub file: &'a str,
}

/// Explains a fault of the host's; `None` for any other.
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
                .mark(program.mark(at, true, "and freed again here"))
                .note("after the first time the memory may already belong to somebody else")
                .think("who owns this memory, and so is the only one to free it?")
        }
        Kind::InvalidFree { pointer } => {
            let call = call(at);
            Draft::new(format!("{call} is given what is not the start of an allocation"))
                .mark(program.mark(at, true, format!("this is {}", program.pointer(pointer))))
                .note("what is freed is the pointer that the allocation gave, unchanged, by the function that belongs to it")
                .note("cudaMalloc and cudaFree, cudaMallocHost and cudaFreeHost, malloc and free, new and delete")
                .think("where did this pointer come from, and was it changed since?")
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
            Draft::new(format!("{} fetches {part}, which nothing has written", call(at)))
                .mark(program.mark(at, true, "brings what was there by chance"))
                .note("cudaMalloc does not clear memory: it holds what somebody left there")
                .think("which line writes this memory, does it come before this one, and does it write all of it?")
        }
        Kind::MissingWait { first, second, memory, bytes } => {
            program.missing_wait((first, with), (second, at), memory, *bytes)
        }
        Kind::HostRace { access, memory, write, .. } => {
            let (name, does) = (program.name(memory), if *write { "writes" } else { "reads" });
            let work = work(access);
            Draft::new(format!("the host {does} {name} while {work} may still use it"))
                .mark(program.mark(with, false, format!("{work} is only asked for here")))
                .mark(program.mark(at, true, format!("the host {does} it here")))
                .note("an asynchronous call returns before its work is done, often before it has begun")
                .think("which call, before this line, would wait for that work?")
        }
    };
    match finding.count {
        0 | 1 => draft,
        n => draft.note(format!("this happens {n} times in this run")),
    }
}

/// Explains the end of a program by a signal.
/// What the program asked the system for, and does not get: title, fact and question.
#[cfg(target_os = "linux")]
fn forbidden(call: Option<i32>) -> (String, &'static str, &'static str) {
    let stopped = |what: &str| format!("the program was stopped: it tried to {what}");
    match call.map(i64::from) {
        Some(libc::SYS_socket | libc::SYS_socketpair | libc::SYS_connect | libc::SYS_bind) => (
            stopped("use the network"),
            "an exercise gets all that it needs as arguments",
            "what was this connection for?",
        ),
        Some(libc::SYS_kill | libc::SYS_tkill | libc::SYS_tgkill) => (
            stopped("send a signal"),
            "abort() ends a program that has found something wrong; signals to others are not allowed",
            "who was to get this signal, and why?",
        ),
        Some(libc::SYS_execve | libc::SYS_execveat) => (
            stopped("start another program"),
            "an exercise is one process, and runs nothing beside it",
            "what is the other program for?",
        ),
        None | Some(libc::SYS_clone | libc::SYS_clone3) => another_process(),
        #[cfg(target_arch = "x86_64")]
        Some(libc::SYS_fork | libc::SYS_vfork) => another_process(),
        Some(_) => (
            stopped("do what no exercise needs"),
            "what reaches other processes, the system or the network is not allowed",
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
        "an exercise is one process; fork() makes a second one, with a copy of everything but the device",
        "what is the second process for, and could a thread or a stream do it?",
    )
}

/// The program's process says what is no result.
fn garbled(how: &str) -> Draft {
    Draft::new("the program destroyed the result: what its process answered cannot be read")
        .note(how)
        .note("code that writes outside its own memory, or to files that it did not open, hits the checker's part of the process")
        .think("which line writes through a pointer or an index that may be wrong?")
}

fn crashed(program: Program<'_>, signal: i32, words: &str, crash: Option<&Crash>) -> Draft {
    let pointer = crash.and_then(|crash| crash.pointer.as_ref());
    let (title, note, think) = match (signal, pointer) {
        (11 | 7, Some(PointerTarget::Inside { memory, .. })) => {
            let name = program.name(memory);
            match memory.kind {
                MemoryKind::Device | MemoryKind::Variable => (
                    format!("the host uses {name}, which is memory of the device"),
                    "the host may pass a pointer to the device on, and must not read or write through it",
                    "how do values get from this memory to where the host can see them?",
                ),
                _ => (
                    format!("the host uses what lies outside of {name}"),
                    "the memory ends there, and nothing of the program's lies behind it",
                    "how many elements does this memory have, and which one is used here?",
                ),
            }
        }
        (11 | 7, Some(PointerTarget::Freed { memory, .. })) => (
            format!("the host uses {}, which was freed before", program.name(memory)),
            "memory that was freed is nobody's",
            "which line is the last that needs this memory?",
        ),
        (11 | 7, Some(PointerTarget::Stack)) => (
            "the program crashed: the host's stack is full".to_owned(),
            "every call that has not returned takes some of the stack, and so do arrays inside functions: there are 8 MiB",
            "which call is to be the last one inside itself, or how large is the array?",
        ),
        (11 | 7, Some(PointerTarget::Null)) => (
            "the program crashed: it used a null pointer".to_owned(),
            "an allocation that fails, or was never made, leaves a null pointer",
            "which line was to give this pointer its value, and did it?",
        ),
        // stopped within the runtime, which then cannot say more
        (11 | 7, None) if crash.is_some() => (
            "the program crashed: a call was given an address that is not in the host's memory"
                .to_owned(),
            "the runtime reads and writes the host's memory through the pointers that it is given",
            "where does this pointer come from, and how much memory is there?",
        ),
        (11 | 7, _) => (
            "the program crashed: it used an address that is not in the host's memory".to_owned(),
            "a pointer that cudaMalloc gave belongs to the device: the host may pass it on, and must not read or write through it",
            "which of the pointers does the host read or write through itself?",
        ),
        (8, _) => (
            "the program crashed: a division of whole numbers by zero".to_owned(),
            "on the host this ends the process; on the device it does not",
            "can the divisor be zero on this line, and for which input?",
        ),
        (6, _) => (
            "the program was aborted".to_owned(),
            "abort() was called: by an assert, by an exception that nobody caught, or by the C library after memory was destroyed",
            "which line ran last, and what did it find wrong?",
        ),
        (25, _) => (
            "the program was stopped: it printed more than 64 MiB".to_owned(),
            "what a program prints is kept for the report; a loop that prints for ever fills the disk",
            "which loop prints, and what ends it?",
        ),
        (31, _) => forbidden(crash.and_then(|crash| crash.system_call)),
        (9, _) if !words.is_empty() => (
            "the program was stopped: it took too much memory".to_owned(),
            "what a program takes is limited, so that one mistake does not bring the machine down",
            "which allocation grows, and when is it freed?",
        ),
        _ => (
            "the program was ended by a signal".to_owned(),
            "something outside the program's own control flow ended it",
            "which line ran last?",
        ),
    };
    let place = |source| CallSite { call: String::new(), stream: None, source };
    let at = crash.map(|crash| place(crash.at.clone()));
    let freed = match pointer {
        Some(PointerTarget::Freed { freed, .. }) => freed.as_ref(),
        _ => None,
    };
    let label = if signal == 6 { "the program gave up here" } else { "the program stopped here" };
    let mut draft = Draft::new(title)
        .mark(program.mark(freed, false, "freed here"))
        .mark(program.mark(at.as_ref(), true, label))
        .note(note);
    if !words.is_empty() {
        draft = draft.note(format!("its last words: {words}"));
    }
    draft.think(think)
}

/// What the program calls memory that a kernel got in a structure: its name in findings, and in the source.
pub fn indirect(program: Program<'_>, launched: &LaunchRecord) -> Vec<(String, String)> {
    let alias = |memory: &Memory| {
        let name = program.name(memory);
        let plain = name.strip_prefix('`')?.strip_suffix('`')?;
        Some((memory.name.clone(), plain.to_owned()))
    };
    launched.indirect.iter().filter_map(alias).collect()
}

/// Adds to the finding of a kernel what its arguments are that are no memory of the device.
pub fn strangers(
    program: Program<'_>,
    launched: &LaunchRecord,
    finding: &Finding,
    mut draft: Draft,
) -> Draft {
    let names = program.source.parameters(&launched.kernel);
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
                    program.mark(launched.at.as_ref(), false, "and given to the kernel here"),
                );
            }
            PointerTarget::Host if !after_free => {
                let address = format!("{:#x}", finding.at.address);
                let to = if draft.title.contains(" reads ") { "" } else { "to " };
                draft.title = draft.title.replace(
                    &format!("address {address}, which belongs to no array"),
                    &format!("{to}memory of the host, which a kernel cannot reach"),
                );
                for span in &mut draft.spans {
                    span.label = span.label.replace(&address, "the host's memory");
                }
                draft.notes.retain(|note| !note.contains("looks like a host pointer"));
                draft = draft
                    .mark(program.mark(launched.at.as_ref(), false, "the kernel is given it here"))
                    .note(format!("the argument {argument} is an address of the host"))
                    .think(
                        "which call makes memory that a kernel can use, and which copies into it?",
                    );
            }
            _ => {}
        }
    }
    draft
}

/// Explains what was never given back.
fn leaks(program: Program<'_>, leaks: &[Leak]) -> Draft {
    let sized = |leak: &&Leak| matches!(leak.kind, LeakKind::Memory | LeakKind::Array);
    let memory: Vec<&Leak> = leaks.iter().filter(sized).collect();
    let objects = (leaks.len() - memory.len()) as u64;
    let bytes = size_in_bytes(memory.iter().map(|leak| leak.bytes).sum());
    let arrays = memory.iter().all(|leak| leak.kind == LeakKind::Array);
    let nouns = if arrays { ("array", "arrays") } else { ("allocation", "allocations") };
    let freed = || format!("{} ({bytes}) never freed", many(memory.len() as u64, nouns.0, nouns.1));
    let surfaces = leaks.iter().all(|leak| leak.kind != LeakKind::Texture);
    let kind = if surfaces { "surface" } else { "texture" };
    let destroyed = || {
        format!(
            "{} never destroyed",
            many(objects, &format!("{kind} object"), &format!("{kind} objects"))
        )
    };
    let mut draft = Draft::new(match (memory.is_empty(), objects) {
        (false, 0) => freed(),
        (true, _) => destroyed(),
        (false, _) => format!("{}, and {}", destroyed(), freed()),
    });
    let mut lines: Vec<(&Leak, u64)> = vec![];
    for leak in leaks {
        let here = leak.at.as_ref().map(line);
        match lines.iter_mut().find(|(first, _)| first.at.as_ref().map(line) == here) {
            Some((_, count)) => *count += 1,
            None => lines.push((leak, 1)),
        }
    }
    for (i, (leak, count)) in lines.iter().take(4).enumerate() {
        let (made, ended) = match leak.kind {
            LeakKind::Memory => ("allocated", "freed"),
            LeakKind::Array => ("made", "freed"),
            LeakKind::Texture | LeakKind::Surface => ("made", "destroyed"),
        };
        let label = match count {
            1 => format!("{made} here, {ended} nowhere"),
            n => format!("{n} times {made} here, and not {ended}"),
        };
        draft = draft.mark(program.mark(leak.at.as_ref(), i == 0, label));
    }
    if lines.len() > 4 {
        draft = draft.note(format!("and on {} more lines", lines.len() - 4));
    }
    if memory.is_empty() {
        return draft
            .note("an object takes room on the device until it is destroyed, or until the whole process ends; what it looks at is freed on its own")
            .think("which call ends an object, and on which way out of the function is it forgotten?");
    }
    draft
        .note("memory of the device stays taken until it is freed, or until the whole process ends")
        .think("on which way out of the function is this memory forgotten?")
}

fn line(place: &CallSite) -> Option<(&str, u32)> {
    place.source.as_ref().map(|source| (source.file.as_str(), source.line))
}

impl Program<'_> {
    fn failed(self, failure: &Failure, at: Option<&CallSite>, unchecked: bool) -> Draft {
        let Failure { name, text, cause, .. } = failure;
        let title = match at.map(|place| place.call.as_str()) {
            Some("cudaLaunchKernel") => format!("the launch fails with {name}: {text}"),
            Some(call) => format!("{call} fails with {name}: {text}"),
            None => format!("a call of the runtime fails with {name}: {text}"),
        };
        let (label, think) = self.because(cause.as_ref());
        let mut draft = Draft::new(title).mark(self.mark(at, true, label));
        if matches!(cause, Some(Cause::WrongDirection { .. } | Cause::WrongPointer { .. }))
            && let Some(variable) = self.variable(at)
        {
            draft = draft.note(format!(
                "`{variable}` is a variable of the device: on the host its name is not its address; cudaMemcpyToSymbol and cudaMemcpyFromSymbol take the name"
            ));
        }
        let launch = at.is_some_and(|place| place.call == "cudaLaunchKernel");
        if unchecked && launch {
            draft = draft.note("a launch returns nothing, and nobody asks cudaGetLastError: the program goes on as if the kernel had run");
        } else {
            draft = draft.note("a call that fails does nothing, and the program goes on unless it looks at what the call returned");
        }
        draft.think(think)
    }

    /// The `__device__` or `__constant__` variable that a call names.
    fn variable(self, at: Option<&CallSite>) -> Option<String> {
        let (line, _) = self.line(at?)?;
        let statement = self.source.statement_text(line, 4);
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = statement.split(|c| !plain(c));
        let variables: Vec<String> =
            self.source.texts().filter_map(|(_, code)| device_variable(&code)).collect();
        words.find(|word| variables.iter().any(|known| known == word)).map(str::to_owned)
    }

    /// What the call does wrong, and a question about it.
    fn because(self, cause: Option<&Cause>) -> (String, &'static str) {
        match cause {
            Some(Cause::OutOfBounds { destination, bytes, offset, memory }) => {
                let (size, name) = (size_in_bytes(memory.bytes), self.name(memory));
                let (does, where_) =
                    if *destination { ("writes", "to") } else { ("reads", "from") };
                let from = match offset {
                    0 => String::new(),
                    n => format!(", beginning at byte {n}"),
                };
                let bytes = size_in_bytes(*bytes);
                (
                    format!("{does} {bytes} {where_} {name}{from}, which has {size}"),
                    "is this size in bytes or in elements, here and where the memory was allocated?",
                )
            }
            Some(Cause::WrongDirection { given, to, from }) => (
                format!(
                    "{given}, but the destination is {}, the source {}",
                    self.pointer(to),
                    self.pointer(from)
                ),
                "where does the data come from, and where does it go?",
            ),
            Some(Cause::WrongPointer { pointer }) => (
                format!("it is given {}", self.pointer(pointer)),
                "what must this pointer be for the call to make sense?",
            ),
            Some(Cause::Limit { text }) => (
                text.clone(),
                "which of the numbers in this line is beyond what the device can do?",
            ),
            None => ("this call".to_owned(), "which of its arguments can the runtime not accept?"),
        }
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
        .note("streams run side by side: nothing orders (1) and (2), so either may come first")
        .note("an event recorded after (1), and cudaStreamWaitEvent before (2), would")
        .think("which of the two has to come first, and who tells the other stream?")
    }

    /// Memory as the learner calls it.
    fn name(self, memory: &Memory) -> String {
        if memory.kind == MemoryKind::Variable {
            return format!("`{}`", memory.name);
        }
        let place = memory.at.as_ref();
        let line = place.and_then(|place| self.line(place));
        let statement = line.map(|(line, _)| self.source.statement_text(line, 4));
        if let Some(name) = statement.as_deref().and_then(target) {
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

    fn pointer(self, pointer: &PointerTarget) -> String {
        match pointer {
            PointerTarget::Null => "a null pointer".into(),
            PointerTarget::Host | PointerTarget::Stack => "ordinary memory of the host".into(),
            PointerTarget::Freed { memory, .. } => {
                format!("{}, which was freed before", self.name(memory))
            }
            PointerTarget::Inside { memory, offset } => {
                let kind = match memory.kind {
                    MemoryKind::Device | MemoryKind::Variable => "on the device",
                    MemoryKind::Pinned => "page-locked memory of the host",
                    MemoryKind::Managed => "managed memory",
                };
                match offset {
                    0 => format!("{} ({kind})", self.name(memory)),
                    n => format!("byte {n} of {} ({kind})", self.name(memory)),
                }
            }
        }
    }

    /// The line of a place, and its column, if it is in the learner's file.
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
        let (line, _) = self.line(place?)?;
        let (column, length) = self.source.statement(line, 0)?;
        Some(span(line, column, length, primary, label))
    }
}

/// The call of a place.
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
fn target(statement: &str) -> Option<&str> {
    let (_, after) = statement.split_once("Malloc")?;
    let (_, arguments) = after.split_once('(')?;
    let (_, name) = arguments.split(',').next()?.rsplit_once('&')?;
    let name = name.trim();
    let plain = |c: char| c.is_alphanumeric() || "_.[]->".contains(c);
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// `weights` of `__constant__ float weights[3];`: a declaration on one line that begins with the specifier.
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
    use super::{device_variable, target};

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
        assert_eq!(target("cudaMalloc(&d_a, bytes)"), Some("d_a"));
        assert_eq!(target("check(cudaMalloc((void**)&buffers[i], n))"), Some("buffers[i]"));
        assert_eq!(target("cudaMallocHost(reinterpret_cast<void**>(&h), n)"), None);
        assert_eq!(target("auto p = make(n)"), None);
    }
}
