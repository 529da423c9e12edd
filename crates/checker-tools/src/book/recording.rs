//! What the simulator recorded of a listing's run, from which figures are drawn.
//!
//! `book/outputs/recordings.toml` lists the recordings. `checker book capture` makes each with
//! `checker dev record` and keeps it as text, one event on a line:
//!
//! ```text
//! thread 0
//! 16 write tile 0 4 25
//! 17 barrier 32 128
//! 21 read tile 4 4 26
//! stream 1 to-device 2.000 8.144 307200-bytes
//! ```
//!
//! The line of the source comes first. An access has the array, the first byte, the number of bytes
//! and the value; a barrier has the threads of this thread's warp that reached it together, and
//! those of the block. A thread is recorded in a run in which its warp is the first.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use cudart_sim::clock::{Engine, Span};
use ptxsim::trace::{Trace, Value};
use ptxsim::{Action, Space};
use serde::Deserialize;

use super::{Problem, read};

/// A recording that the book needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Stem of its file in `book/outputs/recordings`.
    pub name: String,
    /// The listing, relative to the repository.
    pub source: String,
    /// The kernel whose first launch is recorded; without it, only the timeline is.
    pub kernel: Option<String>,
    /// The block.
    #[serde(default)]
    pub block: u32,
    /// The number of threads, from thread 0 on.
    #[serde(default)]
    pub threads: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    recording: Vec<Wanted>,
}

impl Wanted {
    /// The recordings that the book in `root` needs.
    ///
    /// # Errors
    /// When the list can't be read.
    pub fn all(root: &Path) -> Result<Vec<Self>, Problem> {
        let path = root.join("outputs/recordings.toml");
        let list: List = toml::from_str(&read(path.clone())?)
            .map_err(|error| Problem::Invalid { path, message: error.to_string() })?;
        Ok(list.recording)
    }

    /// The arguments of the command that makes it, which writes it to `out`.
    pub fn command(&self, source: &Path, out: &Path) -> Vec<String> {
        let mut words: Vec<String> = ["dev", "record"].map(String::from).into();
        words.push(source.display().to_string());
        words.extend(["--out".to_owned(), out.display().to_string()]);
        if let Some(kernel) = &self.kernel {
            words.extend(["--kernel".to_owned(), kernel.clone()]);
            words.extend(["--block".to_owned(), self.block.to_string()]);
            words.extend(["--threads".to_owned(), self.threads.to_string()]);
        }
        words
    }
}

/// The file of the recording `name`.
pub fn path(root: &Path, name: &str) -> PathBuf {
    root.join("outputs/recordings").join(format!("{name}.txt"))
}

/// An access to global or shared memory, or a barrier that a thread has reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Line of the source.
    pub line: u32,
    /// What the thread did there.
    pub what: What,
}

/// What a thread did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It read or wrote memory.
    Access {
        /// `read`, `write` or `atomic`.
        action: &'static str,
        /// The array.
        array: String,
        /// The first byte, counted from the start of the array.
        offset: i64,
        /// The number of bytes.
        bytes: u32,
        /// The value that was read or written; of several elements, the first.
        value: String,
    },
    /// It reached a barrier of its block.
    Barrier {
        /// The threads of its warp that reached it together.
        lanes: u32,
        /// The threads of the block.
        threads: u32,
    },
}

/// A piece of work on the simulated clock, with times in microseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// Its stream's number, 0 for the default stream.
    pub stream: u64,
    /// The engine that did it.
    pub engine: Engine,
    /// When it began.
    pub start: f64,
    /// When it ended.
    pub end: f64,
    /// The kernel, or how much was copied or filled: `307200-bytes`.
    pub what: String,
}

/// What was recorded of one run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recording {
    /// The events of each thread, from thread 0 on.
    pub threads: Vec<Vec<Event>>,
    /// The work of the copy engines and of the kernels, in the order in which it began.
    pub timeline: Vec<Work>,
}

const ENGINES: [(Engine, &str); 3] =
    [(Engine::ToDevice, "to-device"), (Engine::Device, "device"), (Engine::ToHost, "to-host")];

const ACTIONS: [(Action, &str); 3] =
    [(Action::Read, "read"), (Action::Write, "write"), (Action::Atomic, "atomic")];

impl Recording {
    /// Adds the next thread.
    pub fn add_thread(&mut self, trace: &Trace) {
        let mut events = Vec::new();
        for step in trace.first.iter().chain(&trace.last) {
            let line = step.source.line;
            for access in &step.accesses {
                let at = &access.access;
                let action = ACTIONS.iter().find(|(action, _)| *action == at.action);
                let seen = matches!(at.space, Some(Space::Global | Space::Shared));
                let (Some((_, action)), Some(array), Some(offset), true) =
                    (action, &at.array, at.offset, seen)
                else {
                    continue;
                };
                let value = access.values.first().map_or_else(|| "?".to_owned(), shown);
                // "allocation 1" is the name of what the first call of `cudaMalloc` returned
                let (array, bytes) = (array.replace(' ', "-"), at.bytes);
                events.push(Event {
                    line,
                    what: What::Access { action, array, offset, bytes, value },
                });
            }
            if let Some((lanes, threads)) = step.barrier {
                events.push(Event { line, what: What::Barrier { lanes, threads } });
            }
        }
        self.threads.push(events);
    }

    /// The first byte of each thread's first read of global memory, counted from the start of the
    /// array.
    pub fn first_reads(&self) -> Vec<i64> {
        let first = |events: &Vec<Event>| {
            events.iter().find_map(|event| match &event.what {
                What::Access { action: "read", array, offset, .. }
                    if array.starts_with("allocation") =>
                {
                    Some(*offset)
                }
                _ => None,
            })
        };
        self.threads.iter().filter_map(first).collect()
    }

    /// Sets the timeline.
    pub fn set_timeline(&mut self, spans: &[Span]) {
        let work = spans.iter().filter(|span| span.engine != Engine::HostOnly).map(|span| Work {
            stream: span.stream,
            engine: span.engine,
            start: span.start,
            end: span.end,
            what: span.what.replace(' ', "-"),
        });
        self.timeline = work.collect();
        self.timeline.sort_by(|a, b| a.start.total_cmp(&b.start));
    }

    /// Reads the recording `name` of the book in `root`.
    ///
    /// # Errors
    /// When there is none, or a line of it is not understood.
    pub fn read(root: &Path, name: &str) -> Result<Self, Problem> {
        let path = path(root, name);
        let text = read(path.clone())?;
        Self::parse(&text).map_err(|line| Problem::Invalid {
            path,
            message: format!("this line is not an event: {line}"),
        })
    }

    /// The recording in a text; the error is the line that is not understood.
    fn parse(text: &str) -> Result<Self, String> {
        let mut recording = Self::default();
        for line in text.lines() {
            recording.parse_line(line).ok_or_else(|| line.to_owned())?;
        }
        Ok(recording)
    }

    fn parse_line(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        let what = match words[..] {
            ["thread", _] => {
                self.threads.push(Vec::new());
                return Some(());
            }
            ["stream", stream, engine, start, end, what] => {
                let (engine, _) = ENGINES.iter().find(|(_, name)| *name == engine)?;
                let [start, end] = [start.parse().ok()?, end.parse().ok()?];
                let stream = stream.parse().ok()?;
                let what = what.to_owned();
                self.timeline.push(Work { stream, engine: *engine, start, end, what });
                return Some(());
            }
            [_, "barrier", lanes, threads] => {
                What::Barrier { lanes: lanes.parse().ok()?, threads: threads.parse().ok()? }
            }
            [_, action, array, offset, bytes, value] => What::Access {
                action: ACTIONS.iter().find(|(_, name)| *name == action)?.1,
                array: array.to_owned(),
                offset: offset.parse().ok()?,
                bytes: bytes.parse().ok()?,
                value: value.to_owned(),
            },
            _ => return None,
        };
        let line = words.first()?.parse().ok()?;
        self.threads.last_mut()?.push(Event { line, what });
        Some(())
    }
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (thread, events) in self.threads.iter().enumerate() {
            writeln!(f, "thread {thread}")?;
            for Event { line, what } in events {
                match what {
                    What::Access { action, array, offset, bytes, value } => {
                        writeln!(f, "{line} {action} {array} {offset} {bytes} {value}")?;
                    }
                    What::Barrier { lanes, threads } => {
                        writeln!(f, "{line} barrier {lanes} {threads}")?;
                    }
                }
            }
        }
        for Work { stream, engine, start, end, what } in &self.timeline {
            let name =
                ENGINES.iter().find(|(known, _)| known == engine).map_or("", |(_, name)| name);
            writeln!(f, "stream {stream} {name} {start:.3} {end:.3} {what}")?;
        }
        Ok(())
    }
}

/// A value without spaces.
fn shown(value: &Value) -> String {
    let mut out = String::new();
    let _ = match (value.integer(), value.float()) {
        (Some(integer), _) => write!(out, "{integer}"),
        (_, Some(float)) => write!(out, "{float}"),
        _ => write!(out, "{:#x}", value.bits),
    };
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written is read as it was.
    #[test]
    fn recordings_are_read_as_they_were_written() {
        let text = "thread 0\n16 write tile 0 4 25\n17 barrier 32 128\nthread 1\n\
                    stream 1 to-device 2.000 8.144 64-bytes\nstream 0 device 9.000 12.500 k\n";
        let recording = Recording::parse(text).expect("all lines are events");
        assert_eq!((recording.threads.len(), recording.threads[0].len()), (2, 2));
        assert_eq!(recording.timeline[1].engine, Engine::Device);
        assert_eq!(recording.to_string(), text);
    }

    /// A damaged file is an error, and not a smaller figure.
    #[test]
    fn lines_that_are_no_events_are_refused() {
        for line in
            ["16 write tile 0 4", "16 jump tile 0 4 25", "stream 1 nowhere 0 1 k", "17 barrier x 1"]
        {
            let text = format!("thread 0\n{line}\n");
            assert_eq!(Recording::parse(&text), Err(line.to_owned()));
        }
        assert!(Recording::parse("16 barrier 1 1\n").is_err(), "an event before any thread");
    }
}
