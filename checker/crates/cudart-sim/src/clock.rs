//! When things happen, on a clock of its own: a simulated device has no other, and must be the same on every machine.
//!
//! Not a performance model. Copies each way have an engine, kernels share one, and the sizes are those of a large GPU: enough
//! for overlap to show, for events to have times, and for a timeline to be drawn.

use std::collections::BTreeMap;

use ptxsim::Counters;
use serde::{Deserialize, Serialize};

use crate::graph::{Id, Stream};

/// What does a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Copies to the device.
    ToDevice,
    /// Copies from the device.
    ToHost,
    /// Kernels, and what moves within the device.
    Device,
    /// Nobody: events, functions of the host.
    Nobody,
}

/// One bar of a timeline, in microseconds since the program began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The stream's number.
    pub stream: u64,
    /// What did it.
    pub engine: Engine,
    /// What it was: a kernel's name, "4096 bytes".
    pub what: String,
    /// When it began.
    pub start: f64,
    /// When it was done.
    pub end: f64,
}

/// Microseconds that the host needs to ask for something, and to hear that it is done.
const ASK: f64 = 2.5;
const HEAR: f64 = 1.0;
/// Before a copy moves anything, and before a kernel does.
const COPY_LATENCY: f64 = 1.5;
const KERNEL_LATENCY: f64 = 2.0;
/// Bytes per microsecond: over the bus, page-locked and not; within the device.
const PINNED: f64 = 50_000.0;
const PAGEABLE: f64 = 12_000.0;
const DEVICE: f64 = 2_000_000.0;
/// Warp instructions per microsecond of one multiprocessor, and of how many.
const ISSUE: f64 = 4.0 * 1_700.0;
const MULTIPROCESSORS: f64 = 132.0;

/// The clock.
#[derive(Debug, Default)]
pub struct Clock {
    now: f64,
    free: BTreeMap<Engine, f64>,
    /// When work ended that the host does not know to be done.
    ends: BTreeMap<Id, f64>,
    spans: Vec<Span>,
}

impl Clock {
    /// The host asks for something: when.
    pub fn ask(&mut self) -> f64 {
        self.now += ASK;
        self.now
    }

    /// Work that was asked for at `asked` is done, after other work, by `engine`, in `cost` microseconds: when it ends.
    pub fn done(
        &mut self,
        (id, after): (Id, &[Id]),
        asked: f64,
        (stream, engine, what): (Stream, Engine, String),
        cost: f64,
    ) -> f64 {
        let ready = after.iter().filter_map(|id| self.ends.get(id)).fold(asked, |a, b| a.max(*b));
        let free = match engine {
            Engine::Nobody => 0.0,
            _ => self.free.get(&engine).copied().unwrap_or(0.0),
        };
        let start = ready.max(free);
        let end = start + cost;
        self.ends.insert(id, end);
        if engine != Engine::Nobody {
            self.free.insert(engine, end);
            self.spans.push(Span { stream: stream.0, engine, what, start, end });
        }
        end
    }

    /// The host has waited for something that ended then.
    pub fn hear(&mut self, end: f64) {
        self.now = self.now.max(end) + HEAR;
        self.ends.retain(|_, end| *end > self.now);
    }

    /// When a piece of work ended, if the host has not heard of it.
    pub fn end(&self, id: Id) -> f64 {
        self.ends.get(&id).copied().unwrap_or(0.0)
    }

    /// The last end of all.
    pub fn last(&self) -> f64 {
        self.ends.values().fold(0.0, |a: f64, b| a.max(*b))
    }

    /// What has been done, in the order in which it was.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }
}

/// Microseconds of a copy over the bus.
pub fn bus(bytes: u64, pinned: bool) -> f64 {
    COPY_LATENCY + bytes as f64 / if pinned { PINNED } else { PAGEABLE }
}

/// Microseconds of moving bytes within the device.
pub fn within(bytes: u64) -> f64 {
    COPY_LATENCY + bytes as f64 / DEVICE
}

/// Microseconds of a kernel of so many blocks: what takes longer, its instructions or its memory.
pub fn kernel(blocks: u64, counters: &Counters) -> f64 {
    let busy = (blocks as f64).clamp(1.0, MULTIPROCESSORS);
    let sectors = counters.load_sectors + counters.store_sectors + counters.global_atomic_sectors;
    let bytes = 32.0 * sectors as f64;
    let share = busy / MULTIPROCESSORS;
    KERNEL_LATENCY + (counters.instructions as f64 / ISSUE / busy).max(bytes / DEVICE / share)
}

#[cfg(test)]
mod tests {
    use super::{Clock, Engine, bus};
    use crate::graph::{Graph, LEGACY};

    #[test]
    fn copies_and_kernels_of_two_streams_overlap() {
        let mut graph = Graph::default();
        let (a, b) = (graph.create(true), graph.create(true));
        let mut clock = Clock::default();
        let mut ids = vec![];
        for stream in [a, b] {
            for _ in 0..2 {
                ids.push((stream, graph.add(stream, (), &[])));
            }
        }
        let [(_, copy_a), (_, run_a), (_, copy_b), (_, run_b)] = ids[..] else { unreachable!() };
        let mut end = |id, after: &[_], stream, engine| {
            clock.done((id, after), 10.0, (stream, engine, String::new()), 5.0)
        };
        assert_eq!(end(copy_a, &[], a, Engine::ToDevice), 15.0);
        assert_eq!(end(run_a, &[copy_a], a, Engine::Device), 20.0);
        assert_eq!(end(copy_b, &[], b, Engine::ToDevice), 20.0);
        assert_eq!(end(run_b, &[copy_b], b, Engine::Device), 25.0);
        assert_eq!(clock.last(), 25.0);
        clock.hear(25.0);
        assert_eq!((clock.last(), clock.end(run_b)), (0.0, 0.0));
        assert!(clock.ask() > 25.0);
        assert!(bus(1 << 20, true) < bus(1 << 20, false));
        assert!(graph.exists(LEGACY));
    }
}
