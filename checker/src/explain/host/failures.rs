//! Explains calls that the runtime refused.

use cudart_sim::report::{CallSite, Cause, Failure, LeakKind, Memory, MemoryKind};

use super::names::{device_variable, object_name};
use super::{Draft, Program, many, size_in_bytes};

impl Program<'_> {
    pub(super) fn failed(self, failure: &Failure, at: Option<&CallSite>, unchecked: bool) -> Draft {
        let Failure { name, text, cause, .. } = failure;
        let title = match at.map(|place| place.call.as_str()) {
            Some("cudaLaunchKernel") => format!("the launch fails with {name}: {text}"),
            Some(call) => format!("{call} fails with {name}: {text}"),
            None => format!("a call of the runtime fails with {name}: {text}"),
        };
        let (label, think) = self.cause(cause.as_ref());
        let mut draft = Draft::new(title).mark(self.mark(at, true, label));
        if let Some(Cause::NoSuchObject { object, destroyed }) = cause {
            return self.no_such_object(*object, destroyed.as_ref(), at, draft);
        }
        if let Some(direction) = self.direction_as_offset(cause.as_ref(), at) {
            draft = draft.note(format!(
                "the fourth argument is the offset in bytes, and the direction is the fifth: {direction} stands where the offset belongs"
            ));
        }
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
                let (size, name) = (many(memory.bytes, "byte", "bytes"), self.name(memory));
                let (does, where_) =
                    if *destination { ("writes", "to") } else { ("reads", "from") };
                let from = match offset {
                    0 => String::new(),
                    n => format!(", starting at byte {n}"),
                };
                let bytes = many(*bytes, "byte", "bytes");
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
            Some(Cause::Limit { text }) if text.contains("at least") => (
                text.clone(),
                "which number in this line is too small, and for which input does it become so?",
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
            Some(Cause::EventPending) => (
                "the device has not reached both events yet".to_owned(),
                "which call before this line returns only when the second event is complete?",
            ),
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
