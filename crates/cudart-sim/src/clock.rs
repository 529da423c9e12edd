//! The simulated clock. A simulated device has no time of its own, and its times must be the same
//! on every machine.
//!
//! This is not a performance model. There is one engine for copies in each direction, and there are
//! multiprocessors for kernels, with the rates of a large GPU. Kernels run at the same time if
//! there is a multiprocessor for each of their blocks; otherwise the later kernel waits. That is
//! enough for overlap to show, for events to have times, and for a timeline to be drawn.

use std::collections::{BTreeMap, BTreeSet};

use ptxsim::Counters;
use serde::{Deserialize, Serialize};

use crate::graph::{Id, Stream};

/// The part of the device that does a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Copies to the device.
    ToDevice,
    /// Copies from the device.
    ToHost,
    /// Kernels, and copies within the device.
    Device,
    /// No engine of the device: events, and functions of the host.
    HostOnly,
}

/// One bar of the timeline, in microseconds since the program began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The stream's number.
    pub stream: u64,
    /// The engine that did the work.
    pub engine: Engine,
    /// The work: a kernel's name, or "4096 bytes".
    pub what: String,
    /// When it began.
    pub start: f64,
    /// When it ended.
    pub end: f64,
}

/// Work that has been done and that the clock assigns a time to.
#[derive(Debug)]
pub struct ClockedWork<'a> {
    /// The work.
    pub id: Id,
    /// Its stream. It comes after all work that was added for this stream before.
    pub stream: Stream,
    /// The other work that it has to wait for.
    pub after: &'a [Id],
    /// When the host enqueued it, as [`Clock::submit`] returned it.
    pub enqueued: f64,
    /// The engine that does it.
    pub engine: Engine,
    /// Its label in the timeline.
    pub what: String,
    /// How long it takes, in microseconds.
    pub cost: f64,
    /// The share of the multiprocessors that it takes, from 0 to 1 ([`share`]).
    pub share: f64,
}

/// Time that the host needs to enqueue work, and to notice that work is done.
const SUBMISSION_LATENCY_US: f64 = 2.5;
const COMPLETION_LATENCY_US: f64 = 1.0;
/// Time before a copy moves its first byte, and before a kernel runs its first instruction.
const COPY_LATENCY_US: f64 = 1.5;
const KERNEL_LATENCY_US: f64 = 2.0;
/// Rates of the bus, for page-locked and for pageable memory, and of the device's memory.
const PINNED_BYTES_PER_US: f64 = 50_000.0;
const PAGEABLE_BYTES_PER_US: f64 = 12_000.0;
const DEVICE_BYTES_PER_US: f64 = 2_000_000.0;
/// Cycles of a multiprocessor in a microsecond, and the number of multiprocessors.
const CYCLES_PER_US: f64 = 1_700.0;
const MULTIPROCESSORS: f64 = 132.0;
/// Warp instructions that one multiprocessor executes in a cycle at most, and the cycles that each
/// of them takes in its warp, if the next one needs its result (CUDA C++ Programming Guide,
/// "Multiprocessor Level": typically 4 cycles since compute capability 7.0, so 16 warps keep a
/// multiprocessor busy).
const INSTRUCTIONS_PER_CYCLE: f64 = 4.0;
const CYCLES_OF_RESULT: f64 = 4.0;
/// Warps that a multiprocessor has room for.
const MAX_WARPS: f64 = 64.0;

/// The most pieces of work whose times may still change.
const MAX_OPEN: usize = 1024;

/// Work whose times may still change.
#[derive(Debug)]
struct OpenWork {
    id: Id,
    after: Vec<Id>,
    enqueued: f64,
    engine: Engine,
    cost: f64,
    share: f64,
    /// Its index in the timeline, if an engine does it.
    span: Option<usize>,
}

/// The clock.
///
/// The simulator does work when the program waits for it, stream by stream. A device would do it in
/// another order. So the clock computes all times again when more work has been added, for all work
/// since the host last waited for everything: each engine takes the work that is ready first, and
/// among that the work that was enqueued first. Times that the host has already observed do not
/// change. So a program that continues after it has waited for only one of several streams may
/// continue a little too early.
#[derive(Debug, Default)]
pub struct Clock {
    /// The host's time.
    now: f64,
    open: Vec<OpenWork>,
    /// Was work added since the times of the open work were computed?
    stale: bool,
    /// What the engines do after the work that is no longer open.
    engines: Engines,
    /// When work ended that the host may not have synchronised with.
    ends: BTreeMap<Id, f64>,
    /// When events were reached and functions of the host were called.
    marks: BTreeMap<Id, f64>,
    /// The last work of each stream.
    last: BTreeMap<Stream, Id>,
    spans: Vec<Span>,
}

/// Until when the engines are busy.
#[derive(Debug, Clone, Default)]
struct Engines {
    /// When the engine for each direction of copies becomes free.
    free: BTreeMap<Engine, f64>,
    /// When kernels end, and which shares of the multiprocessors they have until then.
    kernels: Vec<(f64, f64)>,
}

/// Shares are sums of fractions, which are not exact.
const SHARE_TOLERANCE: f64 = 1e-9;

impl Engines {
    /// When work that is ready at `ready` can begin.
    fn begin(&self, engine: Engine, ready: f64, share: f64) -> f64 {
        match engine {
            Engine::HostOnly => ready,
            Engine::ToDevice | Engine::ToHost => {
                ready.max(self.free.get(&engine).copied().unwrap_or(0.0))
            }
            Engine::Device => {
                let used = |at: f64| {
                    let running = self.kernels.iter().filter(|(end, _)| *end > at);
                    running.map(|(_, share)| share).sum::<f64>()
                };
                let fits = |at: &f64| used(*at) + share <= 1.0 + SHARE_TOLERANCE;
                let ends = self.kernels.iter().map(|(end, _)| *end).filter(|end| *end > ready);
                std::iter::once(ready).chain(ends).filter(fits).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// The work takes the engine until `end`. Work is taken in the order of its beginnings, the
    /// next of which is not before `begun`.
    fn take(&mut self, engine: Engine, begun: f64, end: f64, share: f64) {
        if engine == Engine::Device {
            self.kernels.retain(|(end, _)| *end > begun);
            self.kernels.push((end, share));
        } else {
            self.free.insert(engine, end);
        }
    }
}

/// A time as a key for ordered collections. Times are never negative, so their bits have the same
/// order.
fn key(time: f64) -> u64 {
    time.max(0.0).to_bits()
}

impl Clock {
    /// The host enqueues work. Returns the time of that.
    pub fn submit(&mut self) -> f64 {
        self.now += SUBMISSION_LATENCY_US;
        self.now
    }

    /// Adds work that has been done.
    pub fn add(&mut self, work: ClockedWork<'_>) {
        let ClockedWork { id, stream, after, enqueued, engine, what, cost, share } = work;
        let span = (engine != Engine::HostOnly).then(|| {
            self.spans.push(Span {
                stream: stream.0,
                engine,
                what,
                start: enqueued,
                end: enqueued,
            });
            self.spans.len() - 1
        });
        let after = after.iter().copied().chain(self.last.insert(stream, id)).collect();
        self.open.push(OpenWork { id, after, enqueued, engine, cost, share, span });
        self.stale = true;
        if self.open.len() > MAX_OPEN {
            self.close();
        }
    }

    /// Computes when the open work began and ended.
    fn compute_times(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let index: BTreeMap<Id, usize> =
            self.open.iter().enumerate().map(|(i, work)| (work.id, i)).collect();
        let mut missing = vec![0; self.open.len()];
        let mut later: Vec<Vec<usize>> = vec![vec![]; self.open.len()];
        let mut ready: Vec<f64> = self.open.iter().map(|work| work.enqueued).collect();
        for (i, work) in self.open.iter().enumerate() {
            for id in &work.after {
                match index.get(id) {
                    Some(before) => {
                        missing[i] += 1;
                        later[*before].push(i);
                    }
                    None => ready[i] = ready[i].max(self.ends.get(id).copied().unwrap_or(0.0)),
                }
            }
        }
        // for each engine, the ready work in the order in which the engine takes it: (time, id,
        // index)
        let mut queues: BTreeMap<Engine, BTreeSet<(u64, Id, usize)>> = BTreeMap::new();
        let mut engines = self.engines.clone();
        let enter = |queues: &mut BTreeMap<Engine, BTreeSet<_>>, i: usize, ready: f64| {
            let work = &self.open[i];
            queues.entry(work.engine).or_default().insert((key(ready), work.id, i));
        };
        for i in (0..self.open.len()).filter(|i| missing[*i] == 0) {
            enter(&mut queues, i, ready[i]);
        }
        let begins = |i: usize, ready: f64, engines: &Engines| {
            engines.begin(self.open[i].engine, ready, self.open[i].share)
        };
        let mut times = vec![(0.0, 0.0); self.open.len()];
        while let Some((engine, next)) = queues
            .iter()
            .filter_map(|(engine, queue)| Some((*engine, *queue.first()?)))
            .min_by_key(|(_, (_, id, i))| (key(begins(*i, ready[*i], &engines)), *id))
        {
            queues.entry(engine).or_default().remove(&next);
            let (_, _, i) = next;
            let start = begins(i, ready[i], &engines);
            let end = start + self.open[i].cost;
            times[i] = (start, end);
            engines.take(engine, start, end, self.open[i].share);
            for &j in &later[i] {
                ready[j] = ready[j].max(end);
                missing[j] -= 1;
                if missing[j] == 0 {
                    enter(&mut queues, j, ready[j]);
                }
            }
        }
        for (work, (start, end)) in self.open.iter().zip(times) {
            self.ends.insert(work.id, end);
            match work.span.and_then(|span| self.spans.get_mut(span)) {
                Some(span) => (span.start, span.end) = (start, end),
                None => _ = self.marks.insert(work.id, end),
            }
        }
    }

    /// Fixes the times of all open work.
    fn close(&mut self) {
        self.compute_times();
        for work in self.open.drain(..).filter(|work| work.engine != Engine::HostOnly) {
            let end = self.ends.get(&work.id).copied().unwrap_or(0.0);
            if work.engine == Engine::Device {
                self.engines.kernels.push((end, work.share));
            } else {
                let free = self.engines.free.entry(work.engine).or_insert(end);
                *free = free.max(end);
            }
        }
        let now = self.now;
        self.engines.kernels.retain(|(end, _)| *end > now);
    }

    /// The host has waited for something that ended at `end`. `idle` says that no work is pending
    /// any more.
    pub fn synchronise(&mut self, end: f64, idle: bool) {
        self.now = self.now.max(end) + COMPLETION_LATENCY_US;
        if idle {
            self.close();
        }
        if self.open.is_empty() {
            let now = self.now;
            self.ends.retain(|_, end| *end > now);
        }
    }

    /// When a piece of work ended; 0 if the host synchronised with it long ago.
    pub fn end(&mut self, id: Id) -> f64 {
        self.compute_times();
        self.ends.get(&id).or_else(|| self.marks.get(&id)).copied().unwrap_or(0.0)
    }

    /// When the last of all work ended.
    pub fn last(&mut self) -> f64 {
        self.compute_times();
        self.ends.values().fold(0.0, |a: f64, b| a.max(*b))
    }

    /// The timeline, in the order in which the work was added.
    pub fn spans(&mut self) -> &[Span] {
        self.compute_times();
        &self.spans
    }

    /// The number of bars in the timeline.
    pub fn count(&self) -> usize {
        self.spans.len()
    }
}

/// Microseconds that a copy over the bus takes.
pub fn bus(bytes: u64, pinned: bool) -> f64 {
    let rate = if pinned { PINNED_BYTES_PER_US } else { PAGEABLE_BYTES_PER_US };
    COPY_LATENCY_US + bytes as f64 / rate
}

/// Microseconds that a copy within the device takes.
pub fn within(bytes: u64) -> f64 {
    COPY_LATENCY_US + bytes as f64 / DEVICE_BYTES_PER_US
}

/// The share of the multiprocessors that a kernel of so many blocks takes.
pub fn share(blocks: u64) -> f64 {
    (blocks as f64 / MULTIPROCESSORS).min(1.0)
}

/// Microseconds that a kernel of so many blocks of so many threads takes: the time of its
/// instructions or of its memory traffic, whichever is longer. A multiprocessor with few warps
/// waits for the results of their instructions, so a few blocks take as long as one block with as
/// many warps.
pub fn kernel(blocks: u64, threads: u64, counters: &Counters) -> f64 {
    let busy = (blocks as f64).clamp(1.0, MULTIPROCESSORS);
    let warps = (blocks as f64 * threads.div_ceil(32) as f64 / busy).clamp(1.0, MAX_WARPS);
    let per_cycle = (warps / CYCLES_OF_RESULT).min(INSTRUCTIONS_PER_CYCLE);
    let sectors = counters.load_sectors + counters.store_sectors + counters.global_atomic_sectors;
    let bytes = 32.0 * sectors as f64;
    let share = busy / MULTIPROCESSORS;
    let instructions_us = counters.instructions as f64 / (per_cycle * CYCLES_PER_US) / busy;
    KERNEL_LATENCY_US + instructions_us.max(bytes / DEVICE_BYTES_PER_US / share)
}

#[cfg(test)]
mod tests {
    use super::{Clock, ClockedWork, Engine, bus};
    use crate::graph::{Id, Stream};

    fn work(
        id: u64,
        stream: u64,
        enqueued: f64,
        engine: Engine,
        cost: f64,
    ) -> ClockedWork<'static> {
        let (id, stream) = (Id::of(id), Stream(stream));
        let what = String::new();
        ClockedWork { id, stream, after: &[], enqueued, engine, what, cost, share: 1.0 }
    }

    /// For each of `chunks` chunks, a copy in, a kernel and a copy out of ten microseconds each, in
    /// `streams` streams that take turns. The work is added in the order of the key `added`.
    /// Returns the timeline in the order of the starts.
    fn pipeline(chunks: u64, streams: u64, added: impl Fn(&(u64, u64)) -> u64) -> Vec<(f64, f64)> {
        let mut clock = Clock::default();
        let all = (0..chunks).flat_map(|chunk| (0..3).map(move |step| (chunk, step)));
        let mut submitted: Vec<((u64, u64), f64)> = all.map(|at| (at, clock.submit())).collect();
        submitted.sort_by_key(|(at, _)| added(at));
        for ((chunk, step), time) in submitted {
            let engine = [Engine::ToDevice, Engine::Device, Engine::ToHost][step as usize];
            clock.add(work(3 * chunk + step, chunk % streams, time, engine, 10.0));
        }
        let mut spans: Vec<_> = clock.spans().iter().map(|s| (s.start, s.end)).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        spans
    }

    /// A program that waits for one stream after another has the same timeline as one that waits
    /// for all at once.
    #[test]
    fn times_do_not_depend_on_the_order_in_which_streams_are_waited_for() {
        let at_once = pipeline(6, 3, |(chunk, _)| *chunk);
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let by_stream = pipeline(6, 3, |(chunk, _)| order[(chunk % 3) as usize]);
            assert_eq!(by_stream, at_once);
        }
        // the copies in follow each other without a gap, and the last chunk is copied out two steps
        // later
        assert_eq!(at_once.first(), Some(&(2.5, 12.5)));
        assert_eq!(at_once.last(), Some(&(72.5, 82.5)));
        let serial = pipeline(2, 1, |(chunk, _)| *chunk);
        assert!(serial.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    }

    /// Four kernels in four streams: 66, 33 and 33 of the multiprocessors have room for three of
    /// them, and the fourth begins when one of the others ends.
    #[test]
    fn kernels_overlap_when_they_fit() {
        let mut clock = Clock::default();
        for (id, (blocks, cost)) in (0..).zip([(66, 10.0), (33, 20.0), (33, 5.0), (40, 1.0)]) {
            let share = super::share(blocks);
            clock.add(ClockedWork { share, ..work(id, id, 1.0, Engine::Device, cost) });
        }
        let spans: Vec<_> = clock.spans().iter().map(|s| (s.start, s.end)).collect();
        assert_eq!(spans, [(1.0, 11.0), (1.0, 21.0), (1.0, 6.0), (11.0, 12.0)]);
        // in one stream, they follow each other
        let mut clock = Clock::default();
        for id in 0..2 {
            clock.add(ClockedWork { share: 0.1, ..work(id, 0, 1.0, Engine::Device, 4.0) });
        }
        assert_eq!(clock.last(), 9.0);
    }

    #[test]
    fn the_host_continues_when_the_work_it_waits_for_has_ended() {
        let mut clock = Clock::default();
        let enqueued = clock.submit();
        clock.add(work(0, 0, enqueued, Engine::Device, 10.0));
        clock.add(work(1, 0, enqueued, Engine::HostOnly, 0.0));
        assert_eq!([clock.end(Id::of(0)), clock.end(Id::of(1)), clock.last()], [12.5; 3]);
        clock.synchronise(12.5, true);
        assert_eq!([clock.last(), clock.end(Id::of(0))], [0.0; 2], "synchronised long ago");
        assert_eq!(clock.end(Id::of(1)), 12.5, "the time of an event is kept");
        // work that is enqueued later begins later, although the engine is idle
        let enqueued = clock.submit();
        assert_eq!(enqueued, 16.0);
        clock.add(work(2, 0, enqueued, Engine::Device, 1.0));
        assert_eq!(clock.last(), 17.0);
        assert!(bus(1 << 20, true) < bus(1 << 20, false));
    }
}
