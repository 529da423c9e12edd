//! Streams and the order of work: pending work, events, and the simulated clock.

pub(super) mod events;

use std::collections::{BTreeMap, VecDeque};

use super::findings::sites::SiteId;
use super::properties;
use super::work::{Task, Work};
use crate::clock::{Clock, ClockedWork, Engine, Span};
use crate::error::{Code, Result};
use crate::graph::{Graph, Id, LEGACY, PER_THREAD, Step, Stream};
use crate::order::Order;
use events::{Event, Wait};

/// `cudaStreamNonBlocking`.
const NON_BLOCKING: u32 = 1;

/// How a stream was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamKind {
    /// `cudaStreamNonBlocking`, or 0.
    pub flags: u32,
    /// A lower number is a higher priority.
    pub priority: i32,
}

/// Chooses among the orders in which streams may work.
#[derive(Debug, Default)]
struct Schedule {
    /// With seed 0 the device only does work that the host waits for.
    seed: u64,
    /// How many numbers were drawn, times SplitMix64's increment.
    drawn: u64,
}

impl Schedule {
    /// The next number below `limit` that the seed gives (SplitMix64).
    fn draw(&mut self, limit: u64) -> u64 {
        self.drawn = self.drawn.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.seed.wrapping_add(self.drawn);
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ x >> 31) % limit
    }
}

/// When and where work was done, for the clock.
#[derive(Debug)]
pub(super) struct Finished {
    pub id: Id,
    pub stream: Stream,
    /// The work that it had to wait for.
    pub after: Vec<Id>,
    /// When the host enqueued it.
    pub enqueued: f64,
}

/// What the clock needs about work that has been done.
#[derive(Debug)]
pub(super) struct Timed {
    pub engine: Engine,
    /// Its label in the timeline.
    pub what: String,
    /// How many microseconds it takes.
    pub cost: f64,
    /// The share of the multiprocessors that it takes.
    pub share: f64,
}

/// The streams of a program and everything that orders work.
#[derive(Debug, Default)]
pub struct Streams {
    graph: Graph<Task>,
    clock: Clock,
    events: Vec<Option<Event>>,
    /// The latest waits for events, in the order of the calls.
    waits: VecDeque<Wait>,
    /// How the streams were created.
    kinds: BTreeMap<Stream, StreamKind>,
    /// The calls that created the streams.
    sites: BTreeMap<Stream, SiteId>,
    /// The calls that destroyed streams.
    destroyed: BTreeMap<Stream, SiteId>,
    /// The calls that destroyed events, by the event's number.
    destroyed_events: BTreeMap<usize, SiteId>,
    /// How many streams were created.
    created: u64,
    schedule: Schedule,
}

impl Streams {
    /// Streams whose work is done in the order that this seed chooses.
    pub(super) fn new(seed: u64) -> Self {
        Self { schedule: Schedule { seed, drawn: 0 }, ..Self::default() }
    }

    /// `cudaStreamCreateWithPriority`. A priority outside the range becomes the nearest one inside.
    pub(crate) fn create(&mut self, flags: u32, priority: i32, site: SiteId) -> Result<Stream> {
        if flags & !NON_BLOCKING != 0 {
            return Err(Code::INVALID_VALUE);
        }
        self.created += 1;
        let (greatest, least) = properties::PRIORITIES;
        let kind = StreamKind { flags, priority: priority.clamp(greatest, least) };
        let stream = self.graph.create(flags == 0);
        self.kinds.insert(stream, kind);
        self.sites.insert(stream, site);
        Ok(stream)
    }

    /// A stream for work of a graph, which the program does not see.
    pub(super) fn create_internal(&mut self) -> Stream {
        self.graph.create(false)
    }

    /// The newest work of a stream, whether the host has waited for it or not.
    pub(super) fn newest(&self, stream: Stream) -> Option<Id> {
        self.graph.newest(stream)
    }

    /// `cudaStreamGetFlags`, `cudaStreamGetPriority`.
    pub fn kind(&self, stream: Stream) -> Result<StreamKind> {
        if stream == LEGACY || stream >= PER_THREAD {
            return Ok(StreamKind { flags: 0, priority: 0 });
        }
        self.kinds.get(&stream).copied().ok_or(Code::INVALID_RESOURCE_HANDLE)
    }

    /// `cudaStreamDestroy`.
    pub fn destroy(&mut self, stream: Stream) -> Result {
        self.kinds.remove(&stream);
        self.sites.remove(&stream);
        if self.graph.destroy(stream) { Ok(()) } else { Err(Code::INVALID_RESOURCE_HANDLE) }
    }

    /// The call at `site` has destroyed this stream.
    pub(super) fn set_destroyed_by(&mut self, stream: Stream, site: SiteId) {
        self.destroyed.insert(stream, site);
    }

    /// The call that destroyed this stream, if one did.
    pub(super) fn destroyed_by(&self, stream: Stream) -> Option<SiteId> {
        self.destroyed.get(&stream).copied()
    }

    /// The streams that the program has not destroyed, and the calls that created them.
    pub(super) fn kept(&self) -> impl Iterator<Item = (u64, SiteId)> {
        self.sites.iter().map(|(stream, site)| (stream.0, *site))
    }

    /// How many streams the program has created.
    pub(super) fn created(&self) -> u64 {
        self.created
    }

    /// Does this stream exist?
    pub(super) fn check(&self, stream: Stream) -> Result {
        if self.graph.exists(stream) { Ok(()) } else { Err(Code::INVALID_RESOURCE_HANDLE) }
    }

    /// Is this stream ordered with the legacy default stream?
    pub(super) fn is_blocking(&self, stream: Stream) -> bool {
        self.graph.is_blocking(stream)
    }

    /// Is there another stream that is ordered with the legacy default stream?
    pub(super) fn has_blocking(&self) -> bool {
        self.graph.has_blocking()
    }

    /// Enqueues work for the call at `site`. It also waits for the work in `also`.
    pub(super) fn enqueue(&mut self, stream: Stream, work: Work, site: SiteId, also: &[Id]) -> Id {
        let enqueued = self.clock.submit();
        self.graph.add(stream, Task { work, enqueued, site }, also)
    }

    /// The last work of a stream, unless the host has synchronised with it.
    pub(super) fn last(&self, stream: Stream) -> Option<Id> {
        self.graph.last(stream)
    }

    /// The id that the next work will have.
    pub(super) fn upcoming(&self) -> Id {
        self.graph.upcoming()
    }

    /// The oldest pending work.
    pub(super) fn oldest_pending(&self) -> Option<Id> {
        self.graph.oldest()
    }

    /// May work be unordered, because there is more than one stream?
    pub(super) fn are_concurrent(&self) -> bool {
        self.graph.concurrent()
    }

    /// Happens-before among the work.
    pub(super) fn order(&self) -> &Order {
        self.graph.order()
    }

    /// Takes the next piece of work that `id` needs; `None` when `id` is done.
    pub(super) fn step_towards(&mut self, id: Id) -> Option<Step<Task>> {
        self.graph.step(id)
    }

    /// Is this work done?
    pub(super) fn is_done(&self, id: Id) -> bool {
        self.graph.done(id)
    }

    /// The oldest pending work that `matches`.
    pub(super) fn first_pending(&self, matches: impl Fn(&Task) -> bool) -> Option<Id> {
        self.graph.pending().find(|(_, task)| matches(task)).map(|(id, _)| id)
    }

    /// Is there work besides `id` that can be done now?
    pub(super) fn has_other_ready(&mut self, id: Id) -> bool {
        self.postpone(id, true);
        let any = !self.graph.ready().is_empty();
        self.postpone(id, false);
        any
    }

    /// Does this work, which is being done, count as not done, because it waits for other work?
    pub(super) fn postpone(&mut self, id: Id, postponed: bool) {
        self.graph.postpone(id, postponed);
    }

    /// Takes the oldest work that can be done now.
    pub(super) fn step_ready(&mut self) -> Option<Step<Task>> {
        let id = *self.graph.ready().first()?;
        self.graph.step(id)
    }

    /// Takes the oldest pending work.
    pub(super) fn step_any(&mut self) -> Option<Step<Task>> {
        self.graph.step_any()
    }

    /// With a seed, takes some work that the device happens to do now, although the host does not
    /// wait for it.
    pub(super) fn step_by_chance(&mut self) -> Option<Step<Task>> {
        if self.schedule.seed == 0 || self.schedule.draw(2) != 0 {
            return None;
        }
        let ready = self.graph.ready();
        if ready.is_empty() {
            return None;
        }
        let id = ready[self.schedule.draw(ready.len() as u64) as usize];
        self.graph.step(id)
    }

    /// Work has been done.
    pub(super) fn finished(&mut self, work: Finished, done: Timed) {
        let Finished { id, stream, after, enqueued } = work;
        let Timed { engine, what, cost, share } = done;
        let after = &after;
        self.clock.add(ClockedWork { id, stream, after, enqueued, engine, what, cost, share });
    }

    /// The host has waited for this work, which is done.
    pub(super) fn synchronised(&mut self, id: Id) {
        self.observed(id);
        self.graph.synchronised(id);
    }

    /// The host has waited for all work, which is done.
    pub(super) fn synchronised_all(&mut self) {
        let end = self.clock.last();
        self.clock.synchronise(end, true);
        self.graph.synchronised_all();
    }

    /// The host learns from a query that this work is done. That takes no time.
    pub(super) fn synchronised_by_query(&mut self, id: Id) {
        self.graph.synchronised(id);
    }

    /// The host's time continues after the end of this work.
    pub(super) fn observed(&mut self, id: Id) {
        let end = self.clock.end(id);
        self.clock.synchronise(end, self.graph.oldest().is_none());
    }

    /// When a piece of work ended, in microseconds on the simulated clock.
    pub(super) fn end(&mut self, id: Id) -> f64 {
        self.clock.end(id)
    }

    /// The timeline.
    pub(super) fn timeline(&mut self) -> &[Span] {
        self.clock.spans()
    }

    /// The index of the newest bar in the timeline.
    pub(super) fn last_span(&self) -> Option<usize> {
        self.clock.count().checked_sub(1)
    }

    /// The context is lost, so pending work is never done.
    pub(super) fn drop_pending(&mut self) {
        self.graph.clear();
    }

    /// `cudaDeviceReset`: streams are gone, and events cannot be used any more.
    pub(super) fn reset(&mut self) {
        self.graph.reset();
        self.kinds.clear();
        self.sites.clear();
        self.invalidate_events();
    }
}
