//! Explains how a program's process ended: crashes, refused system calls and unreadable answers.

use cudart_sim::report::{CallSite, Crash, MemoryKind, PointerTarget};

use super::super::scan::span;
use super::{Draft, Program};

/// Explains an answer of the program's process that is not a valid result.
pub(super) fn garbled(how: &str) -> Draft {
    Draft::new("the program destroyed its result, so the answer of its process cannot be read")
        .note(how)
        .note("code that writes outside its own memory, or to files that it did not open, damages the checker's part of the process")
        .think("which line writes through a pointer or an index that may be wrong?")
}

pub(super) fn crashed(
    program: Program<'_>,
    signal: i32,
    words: &str,
    crash: Option<&Crash>,
) -> Draft {
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
                    "which memory can the host use itself, and how do values get from one memory to the other?",
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
        (11 | 7, None) if crash.is_some_and(|crash| crash.at.is_none()) => (
            "the program crashed inside a call, at an address outside host memory".to_owned(),
            "the runtime uses the pointers that it gets, and the heap, which a write past the end of an array destroys",
            "where does this pointer come from, and how much memory is there?",
        ),
        (11 | 7, None) if crash.is_some() => (
            "the program crashed, because a call got an address outside host memory".to_owned(),
            "the runtime reads and writes host memory through the pointers that it gets",
            "where does this pointer come from, and how much memory is there?",
        ),
        (11 | 7, _) => (
            "the program crashed, because it used an address outside host memory".to_owned(),
            "the address belongs to no memory of the host or of the device: a pointer was never set, or something else was written over it",
            "which pointer or index does this line use, and which lines write it, or write beside it?",
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
            "the report stores the program's output, so a loop that prints forever would fill the disk",
            "which loop prints, and what ends it?",
        ),
        // without a report, it is not known which call it was
        (31, _) => forbidden(crash.map_or(Some(-1), |crash| crash.system_call)),
        (9, _) if words.ends_with("threads") => (
            "the program was stopped, because it started too many threads".to_owned(),
            "the threads of a program are limited, so that one mistake cannot keep other programs from starting",
            "which loop starts threads, and which call waits for them?",
        ),
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
    let place = |source| CallSite { call: String::new(), stream: None, source, called_from: None };
    let at = crash.map(|crash| place(crash.at.clone()));
    let freed = match pointer {
        Some(PointerTarget::Freed { freed, .. }) => freed.as_ref(),
        _ => None,
    };
    let overwritten = matches!(pointer, None | Some(PointerTarget::Host | PointerTarget::Null));
    let copy = program.copy_over_pointer().filter(|_| [7, 11].contains(&signal) && overwritten);
    let label = if signal == 6 { "the program aborted here" } else { "the program stopped here" };
    let mut draft = Draft::new(title)
        .mark(program.mark(freed, false, "freed here"))
        .mark(program.mark(at.as_ref(), true, label));
    if copy.is_none() {
        draft = draft.note(note);
    }
    if !words.is_empty() {
        draft = draft.note(format!("its last output: {words}"));
    }
    // where the line is not known, what has gone past the end of its memory may be a copy
    let elsewhere = draft.spans.is_empty() && [7, 11].contains(&signal) && overwritten;
    let think = match elsewhere {
        true => {
            "which index, or which copy with its number of bytes, may go past the end of its memory?"
        }
        false => think,
    };
    let Some((line, column, name)) = copy else { return draft.think(think) };
    let marked = program.source.statement_around(line, column);
    draft
        .mark(marked.map(|(column, length)| {
            span(line, column, length, false, format!("this copy writes over `{name}` itself"))
        }))
        .note(format!(
            "`&{name}` is where the pointer is stored, and `{name}` is where it points to"
        ))
        .think(format!("what does `{name}` contain after this copy, and what is stored beside it?"))
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

impl Program<'_> {
    /// A copy to the address of a pointer that the source declares, instead of to where it points:
    /// the line and column of the call, and the pointer's name.
    fn copy_over_pointer(self) -> Option<(u32, u32, String)> {
        let calls = ["cudaMemcpy", "cudaMemcpyAsync"];
        let places = calls.iter().flat_map(|call| self.source.occurrences(call));
        places.into_iter().find_map(|(line, column)| {
            let statement = self.source.statement_text_around(line, column, 4)?;
            let (_, arguments) = statement.split_once("cudaMemcpy")?.1.split_once('(')?;
            let mut arguments = arguments.split(',').map(str::trim);
            let name = arguments.next()?.strip_prefix('&')?.trim().to_owned();
            let size = arguments.nth(1)?.replace(['(', ')'], " ");
            let whole = size.split_whitespace().eq(["sizeof", name.as_str()]);
            (self.source.declares_pointer(&name) && !whole).then_some((line, column, name))
        })
    }

    /// Whether the program ended on a line that frees memory of the host.
    fn frees(self, crash: Option<&Crash>) -> bool {
        let line = crash.and_then(|crash| crash.at.as_ref()).map_or(0, |at| at.line);
        let on_line = |word: &str| self.source.occurrences(word).iter().any(|(at, _)| *at == line);
        on_line("free") || on_line("delete")
    }
}
