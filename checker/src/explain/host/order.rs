//! Explains work that nothing orders, and objects that are released too early.

use cudart_sim::report::{CallSite, EventWait, Memory, Released, Work, WorkAccess};

use super::{Draft, Program};
use crate::explain::outline::split_list;

impl Program<'_> {
    pub(super) fn released_object(
        self,
        released: &Released,
        (kernel, launched_before): (&str, bool),
        made: Option<&CallSite>,
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
        let draft = Draft::new(format!("kernel `{kernel}` is launched after {what} was {ended}"))
            .mark(self.mark(with, false, format!("{ended} here")))
            .mark(self.mark(at, true, "and used by this launch"));
        match self.mark(made, false, "the object is made here") {
            Some(mark) => draft
                .mark([mark])
                .note("a texture or surface object stays with the memory that it was made for")
                .think("which memory should this launch use, and which memory was the object made for?"),
            None => draft.think("which launch is the last that needs it?"),
        }
    }

    pub(super) fn missing_wait(
        self,
        (first, with): (&WorkAccess, Option<&CallSite>),
        (second, at): (&WorkAccess, Option<&CallSite>),
        memory: &Memory,
        [from, to]: [u64; 2],
    ) -> Draft {
        let name = self.name(memory);
        let verb = |access: &WorkAccess| match (&access.work, access.writes) {
            (Work::Free, _) => "frees",
            (_, true) => "writes",
            (_, false) => "reads",
        };
        let [first_stream, second_stream] = self.streams([(first, with), (second, at)]);
        let whole = from == 0 && to + 1 == memory.bytes;
        let part = if whole { String::new() } else { format!("bytes {from} to {to} of ") };
        Draft::new(format!(
            "{} {} {part}{name} without waiting for {}",
            work(second),
            verb(second),
            work(first)
        ))
        .mark(self.mark(with, false, format!("(1) {} it in {first_stream}", verb(first))))
        .mark(self.mark(at, true, format!("(2) {} it in {second_stream}", verb(second))))
        .note(
            "streams run independently: nothing orders (1) and (2), so either of them may be first",
        )
    }

    /// The streams of two pieces of work as their calls name them, if that distinguishes them, and
    /// otherwise by number.
    fn streams(self, sides: [(&WorkAccess, Option<&CallSite>); 2]) -> [String; 2] {
        let named = sides.map(|(access, call)| match access.stream {
            0 => None,
            _ => self.stream_argument(call?),
        });
        let alike = named[0] == named[1];
        let [first, second] = named.map(|name| name.filter(|_| !alike));
        let stream = |name: Option<String>, access: &WorkAccess| match (name, access.stream) {
            (_, 0) => "the default stream".to_owned(),
            (Some(name), _) => format!("`{name}`"),
            (None, number) => format!("stream {number}"),
        };
        [stream(first, sides[0].0), stream(second, sides[1].0)]
    }

    /// The stream that a call names, as the source has it.
    fn stream_argument(self, call: &CallSite) -> Option<String> {
        let (line, column) = self.line(call)?;
        let number = match call.call.as_str() {
            "cudaLaunchKernel" => {
                let statement = self.source.statement_text_around(line, column, 4)?;
                let (_, rest) = statement.split_once("<<<")?;
                let (configuration, _) = rest.split_once(">>>")?;
                return split_list(configuration).get(3).cloned();
            }
            "cudaFreeAsync" | "cudaMemcpy3DAsync" => 1,
            "cudaMemsetAsync" => 3,
            "cudaMemcpyAsync" => 4,
            "cudaMemcpyToSymbolAsync" | "cudaMemcpyFromSymbolAsync" | "cudaMemset2DAsync" => 5,
            "cudaMemcpy2DAsync" => 7,
            _ => return None,
        };
        let argument = self.source.call_arguments(line, &call.call).into_iter().nth(number)?;
        Some(argument.text)
    }

    /// Adds why an event does not order the two sides, if the second stream waits for one, and a
    /// question.
    pub(super) fn wait_without_effect(
        self,
        draft: Draft,
        wait: Option<&EventWait>,
        parallel: bool,
        both_write: bool,
    ) -> Draft {
        let line = |place: Option<&CallSite>| Some(self.line(place?)?.0);
        match wait {
            Some(EventWait { at, late: true, .. }) => draft
                .mark(self.mark(at.as_ref(), false, "this wait comes after (2)"))
                .note("a stream's wait delays only the work that the stream gets after it")
                .think("which work should this wait delay, and when does the stream get that work?"),
            Some(EventWait { at, recorded, replaced: Some(replaced), .. }) => {
                let lines = [Some(replaced), recorded.as_ref(), at.as_ref()].map(line);
                let note = match lines {
                    [Some(first), Some(last), Some(at)] if first == last => format!(
                        "an event keeps only its last record: line {first} has recorded it again in another stream before line {at} waits"
                    ),
                    [Some(first), Some(last), Some(at)] => format!(
                        "an event keeps only its last record: the one on line {last} has replaced the one on line {first} before line {at} waits"
                    ),
                    _ => "an event keeps only its last record, and this event was recorded again before the wait".into(),
                };
                draft
                    .mark(self.mark(Some(replaced), false, "this record is after (1)"))
                    .note(note)
                    .think("how many records must this wait cover, and how many can one event keep?")
            }
            Some(EventWait { at, recorded: Some(recorded), .. }) => {
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
            Some(EventWait { at, recorded: None, .. }) => draft
                .mark(self.mark(at.as_ref(), false, "this event has not been recorded yet"))
                .note("a wait for an event that has not been recorded does nothing")
                .think("which call records this event, and when is it made?"),
            None if parallel => {
                draft.think("should these two streams use the same bytes, and which bytes does each of them need?")
            }
            None if both_write => draft.think(
                "should both write the same bytes? If so, which must come first, and what could make the other stream wait for it?",
            ),
            None => {
                draft.think("which of the two must come first, and what could make the other stream wait for it?")
            }
        }
    }
}

pub(super) fn work(access: &WorkAccess) -> String {
    match &access.work {
        Work::Kernel { name } => format!("kernel `{name}`"),
        Work::Copy { to_device: true, from_device: false, .. } => "the copy to the device".into(),
        Work::Copy { to_device: false, from_device: true, .. } => "the copy to the host".into(),
        Work::Copy { .. } => "the copy".into(),
        Work::Set { .. } => "the memset".into(),
        Work::Free => "cudaFreeAsync".into(),
    }
}
