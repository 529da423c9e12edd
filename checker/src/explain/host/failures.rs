//! Explains calls that the runtime refused.

use cudart_sim::error::Code;
use cudart_sim::report::{
    CallSite, CaptureProblem, Cause, CopiedRows, Failure, LeakKind, Memory, MemoryKind,
    PointerTarget, Rows,
};

use crate::explain::faults::{REGISTERS_FIX, STATIC_SHARED_FIX, TOO_MUCH_SHARED};

use super::names::{REGISTER, device_variable, object_name};
use super::{Draft, Program, QUESTION_OF_ROWS, in_rows, many, size_in_bytes};

/// A size that is a negative number, because a size has no sign.
const fn negative(bytes: u64) -> Option<i64> {
    let signed = bytes as i64;
    if signed < 0 { Some(signed) } else { None }
}

/// `5 rows of 28 bytes, which begin 512 bytes apart`, or the number of bytes.
fn amount(bytes: u64, rows: Option<&CopiedRows>) -> String {
    match (rows, negative(bytes)) {
        (Some(rows), _) => format!("{},", in_rows(rows)),
        (None, Some(signed)) => format!("{signed} bytes, which as a size are {bytes} bytes,"),
        (None, None) => many(bytes, "byte", "bytes"),
    }
}

/// The question about a size that is negative.
const QUESTION_OF_SIGN: &str = "which value in this size can be negative, and when is it?";

/// Errors that follow from no argument.
const OF_THE_MACHINE: [Code; 3] =
    [Code::DEVICES_UNAVAILABLE, Code::NO_KERNEL_IMAGE, Code::ECC_UNCORRECTABLE];

/// Is this memory of the program's own that it has registered?
fn registered(memory: &Memory) -> bool {
    memory.at.as_ref().is_some_and(|place| place.call == REGISTER)
}

impl Program<'_> {
    pub(super) fn failed(self, failure: &Failure, at: Option<&CallSite>, unchecked: bool) -> Draft {
        let Failure { name, text, cause, .. } = failure;
        let title = match at.map(|place| place.call.as_str()) {
            Some("cudaLaunchKernel") => format!("the launch fails with {name}: {text}"),
            Some(call) => format!("{call} fails with {name}: {text}"),
            None => format!("a call of the runtime fails with {name}: {text}"),
        };
        if let Some(Cause::Limit { text }) = cause
            && text.contains(TOO_MUCH_SHARED)
        {
            return Draft::new(text)
                .mark(self.mark(at, true, format!("fails with {name}")))
                .note("the assembler refuses this kernel, so none of its launches can run")
                .note(STATIC_SHARED_FIX)
                .think("how many bytes do the arrays inside the kernel have?");
        }
        let (label, think) = match cause {
            None if OF_THE_MACHINE.iter().any(|code| code.0 == failure.code) => (
                "the machine is the reason, and not an argument".into(),
                "how does the program find out that this call has failed, and what should it do then?"
                    .into(),
            ),
            cause => self.cause(cause.as_ref()),
        };
        let mut draft = Draft::new(title).mark(self.mark(at, true, label));
        if let Some(Cause::NoSuchObject { object, destroyed }) = cause {
            return self.no_such_object(*object, destroyed.as_ref(), at, draft);
        }
        if let Some(direction) = self.direction_as_offset(cause.as_ref(), at) {
            draft = draft.note(format!(
                "the fourth argument is the offset in bytes, and the direction is the fifth: {direction} is in the place of the offset"
            ));
        }
        if let Some(Cause::Capture { problem, begun }) = cause {
            return self.capture(problem, begun.as_ref(), draft).think(think);
        }
        if let Some(Cause::EventPending { first, recorded, .. }) = cause {
            let which = if *first { "first" } else { "second" };
            draft = draft.mark(self.mark(
                recorded.as_ref(),
                false,
                format!("the {which} event is recorded here"),
            ));
        }
        let mut think = think;
        if let Some(Cause::OutOfBounds { memory, rows: Some(rows), .. }) = cause
            && let Some(Rows { width, pitch }) = memory.rows
            && (rows.width, rows.height) == (memory.bytes / pitch.max(1), width)
        {
            draft = draft.mark(self.allocated(memory));
            think =
                "which number of the allocation counts the bytes of a row, and which one the rows?"
                    .into();
        }
        if let Some(Cause::OutOfBounds { memory, rows, .. }) = cause {
            if let Some(Rows { width, pitch }) = memory.rows.filter(|_| rows.is_some()) {
                draft = draft.note(format!(
                    "{} has {} of {}, which begin {} apart",
                    self.name(memory),
                    many(memory.bytes / pitch.max(1), "row", "rows"),
                    many(width, "byte", "bytes"),
                    many(pitch, "byte", "bytes")
                ));
            }
            if registered(memory) {
                let locked = many(memory.bytes, "byte", "bytes");
                draft = draft
                    .mark(self.mark(memory.at.as_ref(), false, format!("page-locks {locked}")))
                    .note("a copy is either inside page-locked memory or outside of it: it cannot begin inside and end outside");
            }
        }
        if let Some(Cause::OutOfMemory { bytes, capacity, adjustable, .. }) = cause
            && negative(*bytes).is_none()
        {
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
        if let Some(Cause::WrongDirection { to, from, .. }) = cause
            && let Some(name) = self.address_of_pointer(at, [to, from])
        {
            draft = draft.note(format!(
                "`&{name}` is where the pointer `{name}` itself is, on the host; `{name}` is where it points"
            ));
        }
        if let Some(Cause::Limit { text }) = cause
            && text.starts_with("blockDim.")
        {
            draft = draft.note("between <<< and >>>, the number of blocks comes first, and the threads of each block come second");
        }
        if failure.code == Code::LAUNCH_OUT_OF_RESOURCES.0 {
            draft = draft.note(REGISTERS_FIX);
        }
        let launch = at.is_some_and(|place| place.call == "cudaLaunchKernel");
        if unchecked && launch {
            draft = draft.note("a launch returns nothing, and the program does not call cudaGetLastError, so it continues as if the kernel had run");
        } else {
            draft = draft.note("a call that fails does nothing, and the program continues unless it checks what the call returned");
        }
        draft.think(think)
    }

    /// A call that the state of a stream capture does not allow.
    fn capture(self, problem: &CaptureProblem, begun: Option<&CallSite>, draft: Draft) -> Draft {
        let draft = draft.mark(self.mark(begun, false, "the capture begins here"));
        match problem {
            CaptureProblem::NotAllowed => draft.note(
                "during a capture, the stream only records work and runs none, so no call can wait for it or ask about it: such a call makes the capture invalid",
            ),
            CaptureProblem::Prohibited => draft.note(
                "a capture cannot record an allocation, a free or a wait of the host, so such a call makes the capture invalid unless its mode is relaxed",
            ),
            CaptureProblem::Implicit => draft.note(
                "the default stream waits for every stream that is not created as non-blocking, and a captured stream has no work to wait for: such a call makes the capture invalid",
            ),
            CaptureProblem::CapturedEvent => draft.note(
                "an event that is recorded in a capture is only a place in the graph, and never completes: a call that waits for it or asks about it makes the capture invalid",
            ),
            CaptureProblem::Invalid { by } => draft
                .mark(self.mark(by.as_ref(), false, "this call has made the capture invalid"))
                .note("an invalid capture records nothing more, and its end gives no graph"),
            CaptureProblem::Unjoined { work } => draft
                .mark(self.mark(work.as_ref(), false, "captured in a stream that never joins the first one again"))
                .note("a stream that waits for an event of the capture joins the capture, so before the capture ends, the first stream must wait for an event after the last work of that stream"),
            CaptureProblem::Isolated => {
                draft.note("a captured stream can only wait for work of the same capture")
            }
            CaptureProblem::Unmatched => {
                draft.note("a capture ends in the stream in which it began")
            }
        }
    }

    /// A call that gets the handle of no stream or event.
    fn no_such_object(
        self,
        object: LeakKind,
        destroyed: Option<&CallSite>,
        at: Option<&CallSite>,
        draft: Draft,
    ) -> Draft {
        let name = object_name(object);
        let noun = name.rsplit(' ').next().unwrap_or(name);
        let call = match at.map(|place| place.call.as_str()) {
            Some("cudaLaunchKernel") => "the launch",
            Some(call) => call,
            None => "a call",
        };
        let error = draft.title.split_once(" fails with ").map(|(_, error)| error.to_owned());
        let error = error.unwrap_or_default();
        let code = error.split(':').next().unwrap_or_default();
        let (title, label, question) = match destroyed {
            Some(_) => (
                format!("{call} gets {name} that was destroyed before"),
                "and used here",
                format!("which call is the last that needs this {noun}?"),
            ),
            None => (
                format!("{call} gets {name} that does not exist"),
                "this handle was never set",
                format!(
                    "which line stores a handle in the variable of this {noun}, and does it store it in this variable or in a copy?"
                ),
            ),
        };
        let mut spans =
            self.mark(destroyed, false, "destroyed here").into_iter().collect::<Vec<_>>();
        spans.extend(self.mark(at, true, label));
        Draft { title, spans, ..draft }
            .note(format!("here the call returns {code}; CUDA leaves open what a call does with such a handle, so it may also crash"))
            .think(question)
    }

    /// The pointer whose own address a copy gets, as its destination or as its source, where the
    /// address is the host's.
    fn address_of_pointer(
        self,
        at: Option<&CallSite>,
        [to, from]: [&PointerTarget; 2],
    ) -> Option<String> {
        let (line, _) = self.line(at?)?;
        let arguments = self.source.call_arguments(line, &at?.call);
        let ends = [to, from].into_iter().zip(arguments);
        let names = ends.filter(|(target, _)| **target == PointerTarget::Host);
        names.into_iter().find_map(|(_, argument)| {
            let name = argument.text.strip_prefix('&')?.trim();
            self.source.declares_pointer(name).then(|| name.to_owned())
        })
    }

    /// The direction that a copy to or from a variable got as its offset, because an argument is
    /// missing before it.
    fn direction_as_offset(self, cause: Option<&Cause>, at: Option<&CallSite>) -> Option<String> {
        let Some(Cause::OutOfBounds { memory, offset: 1..=4, .. }) = cause else { return None };
        let (line, _) = self.line(at?).filter(|_| memory.kind == MemoryKind::Variable)?;
        let arguments = self.source.call_arguments(line, &at?.call);
        let offset = &arguments.get(3)?.text;
        offset.starts_with("cudaMemcpy").then(|| offset.clone())
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
            Some(Cause::OutOfBounds { bytes, .. } | Cause::OutOfMemory { bytes, .. })
                if negative(*bytes).is_some() =>
            {
                (label, QUESTION_OF_SIGN.into())
            }
            Some(Cause::OutOfBounds { rows: Some(_), .. }) => (label, QUESTION_OF_ROWS.into()),
            Some(Cause::OutOfBounds { memory, .. }) if registered(memory) => (
                label,
                "how many bytes does the registration lock, and how many does the program copy?"
                    .into(),
            ),
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
            Some(Cause::OutOfBounds { destination, bytes, rows, offset, memory }) => {
                let (size, name) = (many(memory.bytes, "byte", "bytes"), self.name(memory));
                let (does, where_) =
                    if *destination { ("writes", "to") } else { ("reads", "from") };
                let from = match offset {
                    0 => String::new(),
                    n => format!(", starting at byte {n}"),
                };
                let bytes = amount(*bytes, rows.as_ref());
                let has = if registered(memory) {
                    let first = match memory.bytes {
                        1 => "the first byte is".to_owned(),
                        n => format!("the first {} are", many(n, "byte", "bytes")),
                    };
                    format!("of which only {first} page-locked")
                } else {
                    format!("which has {size}")
                };
                (format!("{does} {bytes} {where_} {name}{from}, {has}"), "")
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
            Some(Cause::Limit { text }) if text.contains("at least") => (
                text.clone(),
                "which number in this line is too small, and for which input does it become so?",
            ),
            Some(Cause::Limit { text }) if text.contains("cudaFuncSetAttribute") => (
                text.clone(),
                "how many bytes does this launch need, and how many does a call before it allow?",
            ),
            Some(Cause::Limit { text }) if text.contains(" registers") => (
                text.clone(),
                "which values does each thread keep at the same time, and does it need all of them?",
            ),
            Some(Cause::Limit { text }) => (
                text.clone(),
                "which of the numbers in this line is beyond what the device can do?",
            ),
            Some(Cause::OutOfMemory { bytes, .. }) if let Some(signed) = negative(*bytes) => (
                format!("asks for {signed} bytes, which as an unsigned size is {bytes}"),
                QUESTION_OF_SIGN,
            ),
            Some(Cause::OutOfMemory { bytes, free, .. }) => (
                format!(
                    "asks for {}, and {} are free",
                    size_in_bytes(*bytes),
                    size_in_bytes(*free)
                ),
                "how many bytes does the program need at the same time, and does it free what it no longer needs?",
            ),
            Some(Cause::EventPending { first, second, .. }) => {
                let (which, question) = match (first, second) {
                    (true, true) => (
                        "either event",
                        "which calls before this line return only when both events are complete?",
                    ),
                    (true, false) => (
                        "the first event",
                        "which call before this line returns only when the first event is complete, too?",
                    ),
                    _ => (
                        "the second event",
                        "which call before this line returns only when the second event is complete?",
                    ),
                };
                (format!("the device has not reached {which} yet"), question)
            }
            Some(Cause::Capture { problem, .. }) => match problem {
                CaptureProblem::NotAllowed => (
                    "not allowed while the stream is being captured".to_owned(),
                    "what is recorded between the beginning and the end of a capture, and when does that work run?",
                ),
                CaptureProblem::Prohibited => (
                    "not allowed during the capture".to_owned(),
                    "does this call belong to what the graph repeats, or can it be before or after the capture?",
                ),
                CaptureProblem::Implicit => (
                    "uses the default stream during the capture".to_owned(),
                    "should the graph do this work, and which stream is being captured?",
                ),
                CaptureProblem::CapturedEvent => (
                    "this event was recorded in the capture".to_owned(),
                    "what is recorded between the beginning and the end of a capture, and when does that work run?",
                ),
                CaptureProblem::Invalid { .. } => (
                    "the capture is invalid by now".to_owned(),
                    "which of the calls in the capture is not allowed there?",
                ),
                CaptureProblem::Unjoined { .. } => (
                    "the capture ends here".to_owned(),
                    "which call makes the stream in which the capture began wait for the last work of the other one?",
                ),
                CaptureProblem::Isolated => (
                    "this event was not recorded in the capture".to_owned(),
                    "which record does this wait mean, and is that call made during the capture?",
                ),
                CaptureProblem::Unmatched => (
                    "the capture did not begin in this stream".to_owned(),
                    "in which stream does the capture begin?",
                ),
            },
            Some(Cause::Argument { text }) => (
                text.clone(),
                "where does this value come from, and which values does this call take?",
            ),
            Some(Cause::EventNotRecorded { second }) => (
                format!(
                    "the {} event was never recorded",
                    if *second { "second" } else { "first" }
                ),
                "which call gives each of the two events its time, and which events does it name?",
            ),
            // This has its own report.
            Some(Cause::NoSuchObject { .. }) => (String::new(), ""),
            None => ("this call".to_owned(), "which of its arguments can the runtime not accept?"),
        }
    }
}
