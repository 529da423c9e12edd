//! When things happen, on a clock of its own: a simulated device has no other, and must be the same on every machine.
//!
//! Not a performance model. Copies each way have an engine, kernels share one, and the sizes are those of a large GPU: enough
//! for overlap to show, for events to have times, and for a timeline to be drawn.

use std::collections::{BTreeMap, BTreeSet};

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
    /// No engine: events, functions of the host.
    HostOnly,
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

/// Pieces of work whose times may still change at most.
const OPEN: usize = 1024;

/// A piece of work that has been done, as the clock sees it.
#[derive(Debug)]
struct Piece {
    id: Id,
    after: Vec<Id>,
    asked: f64,
    engine: Engine,
    cost: f64,
    /// Where in the timeline it is; events and functions of the host are not.
    span: Option<usize>,
}

/// The clock.
///
/// Work becomes known when the program waits for it, stream by stream, and that is not the order in which a device does
/// it. So times are worked out afresh when more is known, for all work since the host last knew that everything was
/// done: each engine takes what is ready first, and of that what was asked for first. What the host was told it was told:
/// a program that goes on after a wait for one of several streams goes on a little early.
#[derive(Debug, Default)]
pub struct Clock {
    now: f64,
    open: Vec<Piece>,
    /// Do the times of open work not count some of it?
    stale: bool,
    /// When engines were done with what is no longer open.
    free: BTreeMap<Engine, f64>,
    /// When work ended that the host may not know to be done.
    ends: BTreeMap<Id, f64>,
    /// When events were reached, and functions of the host called.
    marks: BTreeMap<Id, f64>,
    /// The last work of each stream.
    last: BTreeMap<Stream, Id>,
    spans: Vec<Span>,
}

/// A time as a key: times are not negative, so that their bits are in their order.
fn key(time: f64) -> u64 {
    time.max(0.0).to_bits()
}

impl Clock {
    /// The host asks for something: when.
    pub fn ask(&mut self) -> f64 {
        self.now += ASK;
        self.now
    }

    /// Work that was asked for at `asked` is done, after other work and all before it in its stream, by `engine`, in `cost`
    /// microseconds.
    pub fn done(
        &mut self,
        (id, after): (Id, &[Id]),
        asked: f64,
        (stream, engine, what): (Stream, Engine, String),
        cost: f64,
    ) {
        let span = (engine != Engine::HostOnly).then(|| {
            self.spans.push(Span { stream: stream.0, engine, what, start: asked, end: asked });
            self.spans.len() - 1
        });
        let after = after.iter().copied().chain(self.last.insert(stream, id)).collect();
        self.open.push(Piece { id, after, asked, engine, cost, span });
        self.stale = true;
        if self.open.len() > OPEN {
            self.close();
        }
    }

    /// Works out when open work began and ended.
    fn work_out(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let place: BTreeMap<Id, usize> =
            self.open.iter().enumerate().map(|(i, piece)| (piece.id, i)).collect();
        let mut missing = vec![0; self.open.len()];
        let mut later: Vec<Vec<usize>> = vec![vec![]; self.open.len()];
        let mut ready: Vec<f64> = self.open.iter().map(|piece| piece.asked).collect();
        for (i, piece) in self.open.iter().enumerate() {
            for id in &piece.after {
                match place.get(id) {
                    Some(before) => {
                        missing[i] += 1;
                        later[*before].push(i);
                    }
                    None => ready[i] = ready[i].max(self.ends.get(id).copied().unwrap_or(0.0)),
                }
            }
        }
        // by engine: when it is ready, and which it is, in the order in which the engine takes it
        let mut queues: BTreeMap<Engine, BTreeSet<(u64, Id, usize)>> = BTreeMap::new();
        let mut free = self.free.clone();
        let enter = |queues: &mut BTreeMap<Engine, BTreeSet<_>>, i: usize, ready: f64| {
            let piece = &self.open[i];
            queues.entry(piece.engine).or_default().insert((key(ready), piece.id, i));
        };
        for i in (0..self.open.len()).filter(|i| missing[*i] == 0) {
            enter(&mut queues, i, ready[i]);
        }
        let begins = |engine: &Engine, ready: f64, free: &BTreeMap<Engine, f64>| match engine {
            Engine::HostOnly => ready,
            engine => ready.max(free.get(engine).copied().unwrap_or(0.0)),
        };
        let mut times = vec![(0.0, 0.0); self.open.len()];
        while let Some((engine, next)) = queues
            .iter()
            .filter_map(|(engine, queue)| Some((*engine, *queue.first()?)))
            .min_by_key(|(engine, (_, id, i))| (key(begins(engine, ready[*i], &free)), *id))
        {
            queues.entry(engine).or_default().remove(&next);
            let (_, _, i) = next;
            let start = begins(&engine, ready[i], &free);
            let end = start + self.open[i].cost;
            times[i] = (start, end);
            free.insert(engine, end);
            for &j in &later[i] {
                ready[j] = ready[j].max(end);
                missing[j] -= 1;
                if missing[j] == 0 {
                    enter(&mut queues, j, ready[j]);
                }
            }
        }
        for (piece, (start, end)) in self.open.iter().zip(times) {
            self.ends.insert(piece.id, end);
            match piece.span.and_then(|span| self.spans.get_mut(span)) {
                Some(span) => (span.start, span.end) = (start, end),
                None => _ = self.marks.insert(piece.id, end),
            }
        }
    }

    /// What is open does not change any more.
    fn close(&mut self) {
        self.work_out();
        for piece in self.open.drain(..).filter(|piece| piece.engine != Engine::HostOnly) {
            let end = self.ends.get(&piece.id).copied().unwrap_or(0.0);
            let free = self.free.entry(piece.engine).or_insert(end);
            *free = free.max(end);
        }
    }

    /// The host has waited for something that ended then. `idle` says that nothing is left to do.
    pub fn hear(&mut self, end: f64, idle: bool) {
        self.now = self.now.max(end) + HEAR;
        if idle {
            self.close();
        }
        if self.open.is_empty() {
            let now = self.now;
            self.ends.retain(|_, end| *end > now);
        }
    }

    /// When a piece of work ended; 0 of what the host has long heard of.
    pub fn end(&mut self, id: Id) -> f64 {
        self.work_out();
        self.ends.get(&id).or_else(|| self.marks.get(&id)).copied().unwrap_or(0.0)
    }

    /// The last end of all.
    pub fn last(&mut self) -> f64 {
        self.work_out();
        self.ends.values().fold(0.0, |a: f64, b| a.max(*b))
    }

    /// What has been done, in the order in which it became known.
    pub fn spans(&mut self) -> &[Span] {
        self.work_out();
        &self.spans
    }

    /// How much has been done.
    pub fn count(&self) -> usize {
        self.spans.len()
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
    use crate::graph::{Id, Stream};

    /// A copy in, a kernel and a copy out of ten microseconds each, for each of `chunks` chunks, which `streams` streams
    /// take in turn. What they do becomes known in the order of `known`: the timeline, by start.
    fn pipeline(chunks: u64, streams: u64, known: impl Fn(&(u64, u64)) -> u64) -> Vec<(f64, f64)> {
        let mut clock = Clock::default();
        let all = (0..chunks).flat_map(|chunk| (0..3).map(move |step| (chunk, step)));
        let mut asked: Vec<((u64, u64), f64)> = all.map(|at| (at, clock.ask())).collect();
        asked.sort_by_key(|(at, _)| known(at));
        for ((chunk, step), when) in asked {
            let engine = [Engine::ToDevice, Engine::Device, Engine::ToHost][step as usize];
            let bar = (Stream(chunk % streams), engine, String::new());
            clock.done((Id::of(3 * chunk + step), &[]), when, bar, 10.0);
        }
        let mut spans: Vec<_> = clock.spans().iter().map(|s| (s.start, s.end)).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        spans
    }

    /// A program that waits for one stream after the other has the timeline of one that waits for all at once.
    #[test]
    fn times_do_not_depend_on_the_order_in_which_streams_are_waited_for() {
        let at_once = pipeline(6, 3, |(chunk, _)| *chunk);
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let by_stream = pipeline(6, 3, |(chunk, _)| order[(chunk % 3) as usize]);
            assert_eq!(by_stream, at_once);
        }
        // the copies in follow each other without a gap, and the last chunk is out two steps later
        assert_eq!(at_once.first(), Some(&(2.5, 12.5)));
        assert_eq!(at_once.last(), Some(&(72.5, 82.5)));
        let serial = pipeline(2, 1, |(chunk, _)| *chunk);
        assert!(serial.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    }

    #[test]
    fn the_host_hears_of_ends_and_goes_on() {
        let mut clock = Clock::default();
        let asked = clock.ask();
        let bar = || (Stream(0), Engine::Device, String::new());
        clock.done((Id::of(0), &[]), asked, bar(), 10.0);
        clock.done((Id::of(1), &[]), asked, (Stream(0), Engine::HostOnly, String::new()), 0.0);
        assert_eq!([clock.end(Id::of(0)), clock.end(Id::of(1)), clock.last()], [12.5; 3]);
        clock.hear(12.5, true);
        assert_eq!([clock.last(), clock.end(Id::of(0))], [0.0; 2], "long done");
        assert_eq!(clock.end(Id::of(1)), 12.5, "an event is remembered");
        // what is asked for later begins later, though it is the engine's first work again
        let asked = clock.ask();
        assert_eq!(asked, 16.0);
        clock.done((Id::of(2), &[]), asked, bar(), 1.0);
        assert_eq!(clock.last(), 17.0);
        assert!(bus(1 << 20, true) < bus(1 << 20, false));
    }
}
