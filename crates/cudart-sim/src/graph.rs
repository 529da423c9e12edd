//! Work that the host has enqueued and that is not done yet, with the work that it has to wait for.
//!
//! A GPU starts work as soon as it can, so a program that forgets to wait is often right by luck.
//! Here, work is only done when the host waits for something that needs it, so a missing wait shows
//! in every run. See the CUDA C++ Programming Guide, "Asynchronous Concurrent Execution".

use std::collections::{BTreeMap, BTreeSet};

use crate::order::Order;

/// A piece of work. Ids grow in the order in which the host enqueues work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u64);

impl Id {
    /// The id as a number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The id with this number.
    pub const fn of(number: u64) -> Self {
        Self(number)
    }
}

/// A stream's number. 0 is the legacy default stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stream(pub u64);

/// The legacy default stream, which waits for all blocking streams, as they wait for it.
pub const LEGACY: Stream = Stream(0);

/// The default stream of the first host thread that uses a per-thread default stream. Those of
/// other threads follow. They always exist.
pub const PER_THREAD: Stream = Stream(1_000_000);

/// A piece of work that can be done now.
#[derive(Debug)]
pub struct Step<W> {
    /// Its id.
    pub id: Id,
    /// The stream that it was enqueued in.
    pub stream: Stream,
    /// The work.
    pub work: W,
    /// The unfinished work that it had to wait for when it was enqueued.
    pub after: Vec<Id>,
}

#[derive(Debug)]
struct Pending<W> {
    stream: Stream,
    work: W,
    after: Vec<Id>,
}

/// What the graph keeps of a stream.
#[derive(Debug, Clone, Copy)]
struct StreamState {
    /// Is the stream ordered with the legacy default stream?
    blocking: bool,
    /// Its last work, done or not.
    last: Option<Id>,
}

/// Streams and their pending work.
#[derive(Debug)]
pub struct Graph<W> {
    pending: BTreeMap<Id, Pending<W>>,
    /// Work that was taken and is not done, because it waits for other work.
    postponed: BTreeSet<Id>,
    /// The work that was last asked for, and what it waits for: each piece for the next one. Kept,
    /// because a host that waits for a long stream asks for the same work again and again.
    chain: Vec<Id>,
    next: u64,
    streams: BTreeMap<Stream, StreamState>,
    /// The last work of destroyed blocking streams that the legacy default stream still has to wait
    /// for.
    last_of_destroyed: Vec<Id>,
    /// The newest work of a destroyed stream that was not blocking. No stream waits for it.
    last_of_destroyed_nonblocking: Option<Id>,
    next_stream: u64,
    order: Order,
}

impl<W> Default for Graph<W> {
    fn default() -> Self {
        let streams = BTreeMap::from([(LEGACY, StreamState { blocking: true, last: None })]);
        Self {
            pending: BTreeMap::new(),
            postponed: BTreeSet::new(),
            chain: vec![],
            next: 0,
            streams,
            last_of_destroyed: vec![],
            last_of_destroyed_nonblocking: None,
            next_stream: 1,
            order: Order::default(),
        }
    }
}

impl<W> Graph<W> {
    /// Creates a stream. Only a `blocking` stream is ordered with the legacy default stream.
    pub fn create(&mut self, blocking: bool) -> Stream {
        let stream = Stream(self.next_stream);
        self.next_stream += 1;
        self.streams.insert(stream, StreamState { blocking, last: None });
        stream
    }

    /// Is this stream ordered with the legacy default stream?
    pub fn is_blocking(&self, stream: Stream) -> bool {
        self.streams.get(&stream).is_some_and(|state| state.blocking)
    }

    /// Is there another stream that is ordered with the legacy default stream?
    pub fn has_blocking(&self) -> bool {
        self.streams.iter().any(|(stream, state)| *stream != LEGACY && state.blocking)
    }

    /// Does this stream exist?
    pub fn exists(&self, stream: Stream) -> bool {
        self.streams.contains_key(&stream) || stream >= PER_THREAD
    }

    /// Destroys a stream, and returns false if there is no such stream. Its work stays pending
    /// until the host waits for the device.
    pub fn destroy(&mut self, stream: Stream) -> bool {
        if stream == LEGACY || stream >= PER_THREAD {
            return false;
        }
        let Some(StreamState { blocking, last }) = self.streams.remove(&stream) else {
            return false;
        };
        self.last_of_destroyed.retain(|id| !self.order.is_synchronised(*id));
        if blocking {
            let unsynchronised = last.filter(|id| !self.order.is_synchronised(*id));
            self.last_of_destroyed.extend(unsynchronised);
        } else {
            self.last_of_destroyed_nonblocking = self.last_of_destroyed_nonblocking.max(last);
        }
        true
    }

    /// Enqueues work at the end of a stream. It waits for the work that CUDA's rules for streams
    /// demand, and for `also`.
    pub fn add(&mut self, stream: Stream, work: W, also: &[Id]) -> Id {
        let id = Id(self.next);
        self.next += 1;
        if stream >= PER_THREAD {
            self.streams.entry(stream).or_insert(StreamState { blocking: true, last: None });
        }
        let mut after: BTreeSet<Id> = also.iter().copied().collect();
        let state = self.streams.get(&stream).copied();
        let StreamState { blocking, last } =
            state.unwrap_or(StreamState { blocking: false, last: None });
        after.extend(last);
        if stream == LEGACY {
            let others = self.streams.values().filter(|other| other.blocking);
            after.extend(others.filter_map(|other| other.last));
            after.extend(self.last_of_destroyed.drain(..));
        } else if blocking {
            after.extend(self.streams.get(&LEGACY).and_then(|legacy| legacy.last));
        }
        self.order.enqueued(id, stream, after.iter().copied());
        after.retain(|id| self.pending.contains_key(id));
        self.pending.insert(id, Pending { stream, work, after: after.into_iter().collect() });
        if let Some(state) = self.streams.get_mut(&stream) {
            state.last = Some(id);
        }
        id
    }

    /// The last work of a stream, unless the host has synchronised with it.
    pub fn last(&self, stream: Stream) -> Option<Id> {
        let last = self.streams.get(&stream)?.last;
        last.filter(|id| !self.order.is_synchronised(*id))
    }

    /// The last work of a stream.
    pub fn newest(&self, stream: Stream) -> Option<Id> {
        self.streams.get(&stream)?.last
    }

    /// Happens-before among the work.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The host has waited for this work, which is done.
    pub fn synchronised(&mut self, id: Id) {
        self.order.synchronised(id);
    }

    /// Is there more than one stream, so that work may be unordered?
    pub fn concurrent(&self) -> bool {
        self.streams.len() > 1
            || !self.last_of_destroyed.is_empty()
            || self.last_of_destroyed_nonblocking.is_some_and(|id| !self.order.is_synchronised(id))
    }

    /// The oldest pending work.
    pub fn oldest(&self) -> Option<Id> {
        self.pending.keys().next().copied()
    }

    /// The id that the next work will have.
    pub fn upcoming(&self) -> Id {
        Id(self.next)
    }

    /// Is this work done?
    pub fn done(&self, id: Id) -> bool {
        !self.pending.contains_key(&id) && !self.postponed.contains(&id)
    }

    /// Says whether work that was taken counts as not done.
    pub fn postpone(&mut self, id: Id, postponed: bool) {
        self.chain.clear();
        if postponed {
            self.postponed.insert(id);
        } else {
            self.postponed.remove(&id);
        }
    }

    /// Takes the next piece of work that `id` needs, which may be `id` itself, for the caller to do
    /// now. Returns `None` when `id` is done.
    pub fn step(&mut self, id: Id) -> Option<Step<W>> {
        let mut chain = std::mem::take(&mut self.chain);
        if chain.first() != Some(&id) {
            chain = vec![id];
        }
        while chain.len() > 1 && chain.last().is_some_and(|at| self.done(*at)) {
            chain.pop();
        }
        let mut at = *chain.last()?;
        // this ends, because work only waits for work with a lower id
        while let Some(first) = self.pending.get(&at)?.after.iter().find(|id| !self.done(**id)) {
            at = *first;
            chain.push(at);
        }
        self.chain = chain;
        self.pending.remove(&at).map(|Pending { stream, work, after }| Step {
            id: at,
            stream,
            work,
            after,
        })
    }

    /// All pending work, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = (Id, &W)> {
        self.pending.iter().map(|(id, pending)| (*id, &pending.work))
    }

    /// All work that does not have to wait for other work.
    pub fn ready(&self) -> Vec<Id> {
        let ready = |work: &Pending<W>| work.after.iter().all(|id| self.done(*id));
        self.pending.iter().filter(|(_, work)| ready(work)).map(|(id, _)| *id).collect()
    }

    /// Takes the oldest pending work, for the caller to do now.
    pub fn step_any(&mut self) -> Option<Step<W>> {
        let id = *self.pending.keys().next()?;
        self.step(id)
    }

    /// Removes all streams and all work. Ids are not used again.
    pub fn reset(&mut self) {
        let (next, next_stream) = (self.next, self.next_stream);
        *self = Self { next, next_stream, ..Self::default() };
    }

    /// Removes all pending work, because the context is lost.
    pub fn clear(&mut self) {
        self.pending.clear();
        self.chain.clear();
        self.order.synchronised_all();
    }

    /// The host has waited for all work, which is done.
    pub fn synchronised_all(&mut self) {
        self.last_of_destroyed.clear();
        self.order.synchronised_all();
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, Id, LEGACY, PER_THREAD};

    fn finish(graph: &mut Graph<&'static str>, id: Id) -> Vec<&'static str> {
        std::iter::from_fn(|| graph.step(id).map(|step| step.work)).collect()
    }

    #[test]
    fn work_is_done_only_when_the_host_waits_for_it() {
        let mut graph = Graph::default();
        let (a, b) = (graph.create(true), graph.create(true));
        graph.add(a, "a1", &[]);
        let a2 = graph.add(a, "a2", &[]);
        let b1 = graph.add(b, "b1", &[]);
        assert_eq!(finish(&mut graph, b1), ["b1"]);
        assert_eq!(finish(&mut graph, a2), ["a1", "a2"]);
        assert!(graph.done(a2) && graph.last(a) == Some(a2));
        graph.synchronised(a2);
        assert_eq!(graph.last(a), None);
        assert!(graph.step_any().is_none());
    }

    #[test]
    fn the_default_stream_and_blocking_streams_wait_for_each_other() {
        let mut graph = Graph::default();
        let (a, free) = (graph.create(true), graph.create(false));
        graph.add(a, "a1", &[]);
        graph.add(free, "free", &[]);
        graph.add(LEGACY, "legacy", &[]);
        let a2 = graph.add(a, "a2", &[]);
        assert_eq!(finish(&mut graph, a2), ["a1", "legacy", "a2"]);
        assert_eq!(graph.step_any().map(|step| step.work), Some("free"));
    }

    #[test]
    fn a_per_thread_stream_always_exists_and_waits_for_the_default_stream() {
        let mut graph = Graph::default();
        assert!(graph.exists(PER_THREAD) && !graph.destroy(PER_THREAD));
        graph.add(LEGACY, "legacy", &[]);
        let own = graph.add(PER_THREAD, "own", &[]);
        assert_eq!(finish(&mut graph, own), ["legacy", "own"]);
        graph.reset();
        assert!(graph.exists(LEGACY) && graph.done(own) && graph.step_any().is_none());
    }

    #[test]
    fn events_order_streams() {
        let mut graph = Graph::default();
        let (a, b) = (graph.create(false), graph.create(false));
        let event = graph.add(a, "a1", &[]);
        graph.add(a, "a2", &[]);
        let b1 = graph.add(b, "b1", &[event]);
        assert_eq!(finish(&mut graph, b1), ["a1", "b1"]);
        assert!(graph.destroy(a) && !graph.destroy(a) && !graph.destroy(LEGACY));
        assert_eq!(graph.step_any().map(|step| step.work), Some("a2"));
    }

    #[test]
    fn order_comes_from_streams_events_and_waits_of_the_host() {
        let mut graph = Graph::default();
        let (a, b) = (graph.create(false), graph.create(false));
        let a1 = graph.add(a, "a1", &[]);
        let b1 = graph.add(b, "b1", &[]);
        let a2 = graph.add(a, "a2", &[]);
        let b2 = graph.add(b, "b2", &[a1]);
        let before = |graph: &Graph<_>, x, of, y| graph.order().is_before((x, of), y);
        assert!(before(&graph, a1, a, a2) && before(&graph, a1, a, b2));
        assert!(
            !before(&graph, a1, a, b1) && !before(&graph, a2, a, b2) && !before(&graph, b1, b, a2)
        );
        // a2 is done, but the host has not synchronised with it, so it is still unordered
        while graph.step(a2).is_some() {}
        let b3 = graph.add(b, "b3", &[]);
        assert!(!before(&graph, a2, a, b3) && before(&graph, a1, a, b3));
        graph.synchronised(a2);
        assert!(
            graph.order().is_synchronised(a1)
                && graph.order().is_synchronised(a2)
                && !graph.order().is_synchronised(b1)
        );
        assert!(!before(&graph, a2, a, b3), "b3 was enqueued before the host waited for a2");
        graph.synchronised_all();
        assert!(graph.order().is_synchronised(b3));
    }

    /// A wait for the work that was enqueued second does not order the first, which is in another
    /// stream.
    #[test]
    fn a_wait_for_later_work_orders_nothing_before_it() {
        let mut graph = Graph::default();
        let (a, b) = (graph.create(false), graph.create(false));
        let first = graph.add(a, "first", &[]);
        let second = graph.add(b, "second", &[]);
        let after_both = graph.add(b, "after both", &[first]);
        assert_eq!(finish(&mut graph, second), ["second"]);
        graph.synchronised(second);
        assert!(graph.order().is_synchronised(second) && !graph.order().is_synchronised(first));
        assert!(!graph.order().is_before((first, a), second));
        assert!(graph.order().is_before((first, a), after_both));
        graph.synchronised(after_both);
        assert!(graph.order().is_synchronised(first));
    }

    /// The work of a destroyed stream is still unordered with the default stream.
    #[test]
    fn work_of_a_destroyed_stream_is_still_concurrent() {
        let mut graph = Graph::default();
        let destroyed = graph.create(false);
        let stray = graph.add(destroyed, "stray", &[]);
        graph.add(LEGACY, "legacy", &[]);
        assert!(graph.destroy(destroyed) && graph.concurrent());
        assert_eq!(finish(&mut graph, stray), ["stray"]);
        assert!(graph.concurrent(), "done, but the host has not synchronised with it");
        graph.synchronised(stray);
        assert!(!graph.concurrent());
    }

    #[test]
    fn the_default_stream_waits_for_destroyed_streams() {
        let mut graph = Graph::default();
        let destroyed = graph.create(true);
        graph.add(destroyed, "gone", &[]);
        assert!(graph.destroy(destroyed));
        let legacy = graph.add(LEGACY, "legacy", &[]);
        assert_eq!(finish(&mut graph, legacy), ["gone", "legacy"]);
    }
}
