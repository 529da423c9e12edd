//! Explains calls that the runtime refused.

use cudart_sim::report::{CallSite, Cause, Failure, Memory};

use super::names::device_variable;
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
                // with an offset in bytes, the other sizes are in bytes, too
                let size = |bytes: u64| match offset {
                    0 => size_in_bytes(bytes),
                    _ => many(bytes, "byte", "bytes"),
                };
                let (has, name) = (size(memory.bytes), self.name(memory));
                let (does, where_) =
                    if *destination { ("writes", "to") } else { ("reads", "from") };
                let from = match offset {
                    0 => String::new(),
                    n => format!(", starting at byte {n}"),
                };
                let bytes = size(*bytes);
                (format!("{does} {bytes} {where_} {name}{from}, which has {has}"), "")
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
            None => ("this call".to_owned(), "which of its arguments can the runtime not accept?"),
        }
    }
}
