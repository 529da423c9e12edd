//! Work that the host has asked for and that is not done yet, with what must come before it.
//!
//! A GPU starts work whenever it can; a program that forgets to wait is right by luck. Here nothing is done before
//! somebody waits for it, and then only what that needs: a missing wait shows every time. CUDA C++ Programming Guide,
//! "Asynchronous Concurrent Execution".

use std::collections::{BTreeMap, BTreeSet};

use crate::order::Order;

/// A piece of work, in the order in which the host asked for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u64);

impl Id {
    /// Its number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The work of that number.
    pub const fn of(number: u64) -> Self {
        Self(number)
    }
}

/// A stream's number. 0 is the legacy default stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stream(pub u64);

/// The stream that waits for all blocking streams, and they for it.
pub const LEGACY: Stream = Stream(0);

/// The default stream of the first thread of the host that uses one; those of others follow. They are always there.
pub const PER_THREAD: Stream = Stream(1_000_000);

/// A piece of work whose turn it is.
#[derive(Debug)]
pub struct Step<W> {
    /// Which.
    pub id: Id,
    /// Where it was asked for.
    pub stream: Stream,
    /// What is to be done.
    pub work: W,
    /// What it had to wait for when it was asked for.
    pub after: Vec<Id>,
}

#[derive(Debug)]
struct Pending<W> {
    stream: Stream,
    work: W,
    after: Vec<Id>,
}

/// Streams and the work in them.
#[derive(Debug)]
pub struct Graph<W> {
    pending: BTreeMap<Id, Pending<W>>,
    next: u64,
    /// Per stream: does it order itself with the legacy default stream, and its last work, done or not.
    streams: BTreeMap<Stream, (bool, Option<Id>)>,
    /// The last work of streams that were destroyed, as long as the default stream waits for it.
    orphans: Vec<Id>,
    /// The last work of streams that were destroyed and for which nobody waits by himself.
    stray: Option<Id>,
    next_stream: u64,
    order: Order,
}

impl<W> Default for Graph<W> {
    fn default() -> Self {
        let streams = BTreeMap::from([(LEGACY, (true, None))]);
        Self {
            pending: BTreeMap::new(),
            next: 0,
            streams,
            orphans: vec![],
            stray: None,
            next_stream: 1,
            order: Order::default(),
        }
    }
}

impl<W> Graph<W> {
    /// A new stream; one that is not `blocking` is not ordered with the legacy default stream.
    pub fn create(&mut self, blocking: bool) -> Stream {
        let stream = Stream(self.next_stream);
        self.next_stream += 1;
        self.streams.insert(stream, (blocking, None));
        stream
    }

    /// Is there such a stream?
    pub fn exists(&self, stream: Stream) -> bool {
        self.streams.contains_key(&stream) || stream >= PER_THREAD
    }

    /// Forgets a stream. Its work stays, and is done when somebody waits for the device.
    pub fn destroy(&mut self, stream: Stream) -> bool {
        if stream == LEGACY || stream >= PER_THREAD {
            return false;
        }
        let Some((blocking, last)) = self.streams.remove(&stream) else { return false };
        self.orphans.retain(|id| !self.order.known(*id));
        if !blocking {
            self.stray = self.stray.max(last);
        }
        self.orphans.extend(last.filter(|id| blocking && !self.order.known(*id)));
        true
    }

    /// Adds work at the end of a stream, after what its order demands and after `also`.
    pub fn add(&mut self, stream: Stream, work: W, also: &[Id]) -> Id {
        let id = Id(self.next);
        self.next += 1;
        if stream >= PER_THREAD {
            self.streams.entry(stream).or_insert((true, None));
        }
        let mut after: BTreeSet<Id> = also.iter().copied().collect();
        let (blocking, last) = self.streams.get(&stream).copied().unwrap_or((false, None));
        after.extend(last);
        if stream == LEGACY {
            let others = self.streams.values().filter(|(blocking, _)| *blocking);
            after.extend(others.filter_map(|(_, last)| *last));
            after.extend(self.orphans.drain(..));
        } else if blocking {
            after.extend(self.streams.get(&LEGACY).and_then(|(_, last)| *last));
        }
        self.order.asked(id, stream, after.iter().copied());
        after.retain(|id| self.pending.contains_key(id));
        self.pending.insert(id, Pending { stream, work, after: after.into_iter().collect() });
        if let Some((_, last)) = self.streams.get_mut(&stream) {
            *last = Some(id);
        }
        id
    }

    /// The last work of a stream, if the host does not know that it is done.
    pub fn last(&self, stream: Stream) -> Option<Id> {
        let (_, last) = self.streams.get(&stream)?;
        last.filter(|id| !self.order.known(*id))
    }

    /// What is ordered before what.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The host hears that this work is done, which it is.
    pub fn heard(&mut self, id: Id) {
        self.order.heard(id);
    }

    /// Are there several streams, so that work may not be ordered?
    pub fn concurrent(&self) -> bool {
        self.streams.len() > 1
            || !self.orphans.is_empty()
            || self.stray.is_some_and(|id| !self.order.known(id))
    }

    /// The oldest work that is not done.
    pub fn oldest(&self) -> Option<Id> {
        self.pending.keys().next().copied()
    }

    /// The number that the next work will have.
    pub fn upcoming(&self) -> Id {
        Id(self.next)
    }

    /// Is this work done?
    pub fn done(&self, id: Id) -> bool {
        !self.pending.contains_key(&id)
    }

    /// The next piece of work that `id` needs, or itself: to be done now. `None` when it is done.
    pub fn step(&mut self, id: Id) -> Option<Step<W>> {
        let mut at = id;
        // what comes before has a lower number, so this ends
        while let Some(first) = self.pending.get(&at)?.after.iter().find(|id| !self.done(**id)) {
            at = *first;
        }
        self.pending.remove(&at).map(|Pending { stream, work, after }| Step {
            id: at,
            stream,
            work,
            after,
        })
    }

    /// Work that could be done now.
    pub fn ready(&self) -> Vec<Id> {
        let free = |work: &Pending<W>| work.after.iter().all(|id| self.done(*id));
        self.pending.iter().filter(|(_, work)| free(work)).map(|(id, _)| *id).collect()
    }

    /// The next piece of any work that is left.
    pub fn step_any(&mut self) -> Option<Step<W>> {
        let id = *self.pending.keys().next()?;
        self.step(id)
    }

    /// Forgets all streams and all work; numbers go on.
    pub fn reset(&mut self) {
        let (next, next_stream) = (self.next, self.next_stream);
        *self = Self { next, next_stream, ..Self::default() };
    }

    /// Forgets all work that is not done: the device is lost.
    pub fn clear(&mut self) {
        self.pending.clear();
        self.order.heard_all();
    }

    /// The host hears that all work is done, which it is.
    pub fn heard_all(&mut self) {
        self.orphans.clear();
        self.order.heard_all();
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, Id, LEGACY, PER_THREAD};

    fn finish(graph: &mut Graph<&'static str>, id: Id) -> Vec<&'static str> {
        std::iter::from_fn(|| graph.step(id).map(|step| step.work)).collect()
    }

    #[test]
    fn nothing_is_done_that_nobody_waits_for() {
        let mut graph = Graph::default();
        let (a, b) = (graph.create(true), graph.create(true));
        graph.add(a, "a1", &[]);
        let a2 = graph.add(a, "a2", &[]);
        let b1 = graph.add(b, "b1", &[]);
        assert_eq!(finish(&mut graph, b1), ["b1"]);
        assert_eq!(finish(&mut graph, a2), ["a1", "a2"]);
        assert!(graph.done(a2) && graph.last(a) == Some(a2));
        graph.heard(a2);
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
    fn the_stream_of_a_thread_is_always_there_and_waits_for_the_default_stream() {
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

    /// Who is ordered, told by hand.
    #[test]
    fn an_order_comes_from_streams_events_and_the_hosts_waits() {
        let mut graph = Graph::default();
        let (a, b) = (graph.create(false), graph.create(false));
        let a1 = graph.add(a, "a1", &[]);
        let b1 = graph.add(b, "b1", &[]);
        let a2 = graph.add(a, "a2", &[]);
        let b2 = graph.add(b, "b2", &[a1]);
        let before = |graph: &Graph<_>, x, of, y| graph.order().before((x, of), y);
        assert!(before(&graph, a1, a, a2) && before(&graph, a1, a, b2));
        assert!(
            !before(&graph, a1, a, b1) && !before(&graph, a2, a, b2) && !before(&graph, b1, b, a2)
        );
        // done without anybody knowing, it is still not ordered
        while graph.step(a2).is_some() {}
        let b3 = graph.add(b, "b3", &[]);
        assert!(!before(&graph, a2, a, b3) && before(&graph, a1, a, b3));
        graph.heard(a2);
        assert!(graph.order().known(a1) && graph.order().known(a2) && !graph.order().known(b1));
        assert!(!before(&graph, a2, a, b3), "it was asked for before the host heard");
        graph.heard_all();
        assert!(graph.order().known(b3));
    }

    /// The host has waited for the work that came second. That says nothing about the first, in another stream.
    #[test]
    fn a_wait_for_later_work_orders_nothing_before_it() {
        let mut graph = Graph::default();
        let (a, b) = (graph.create(false), graph.create(false));
        let first = graph.add(a, "first", &[]);
        let second = graph.add(b, "second", &[]);
        let after_both = graph.add(b, "after both", &[first]);
        assert_eq!(finish(&mut graph, second), ["second"]);
        graph.heard(second);
        assert!(graph.order().known(second) && !graph.order().known(first));
        assert!(!graph.order().before((first, a), second));
        assert!(graph.order().before((first, a), after_both));
        graph.heard(after_both);
        assert!(graph.order().known(first));
    }

    /// What a stream was asked for before it was destroyed is still in no order with the default stream.
    #[test]
    fn work_of_a_stream_that_is_gone_is_still_concurrent() {
        let mut graph = Graph::default();
        let gone = graph.create(false);
        let stray = graph.add(gone, "stray", &[]);
        graph.add(LEGACY, "legacy", &[]);
        assert!(graph.destroy(gone) && graph.concurrent());
        assert_eq!(finish(&mut graph, stray), ["stray"]);
        assert!(graph.concurrent(), "done, and the host does not know");
        graph.heard(stray);
        assert!(!graph.concurrent());
    }

    #[test]
    fn the_default_stream_waits_for_streams_that_are_gone() {
        let mut graph = Graph::default();
        let gone = graph.create(true);
        graph.add(gone, "gone", &[]);
        assert!(graph.destroy(gone));
        let legacy = graph.add(LEGACY, "legacy", &[]);
        assert_eq!(finish(&mut graph, legacy), ["gone", "legacy"]);
    }
}
