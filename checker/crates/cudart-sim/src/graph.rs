//! Work that the host has asked for and that is not done yet, with what must come before it.
//!
//! A GPU starts work whenever it can; a program that forgets to wait is right by luck. Here nothing is done before
//! somebody waits for it, and then only what that needs: a missing wait shows every time. CUDA C++ Programming Guide,
//! "Asynchronous Concurrent Execution".

use std::collections::{BTreeMap, BTreeSet};

/// A piece of work, in the order in which the host asked for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u64);

/// A stream's number. 0 is the legacy default stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stream(pub u64);

/// The stream that waits for all blocking streams, and they for it.
pub const LEGACY: Stream = Stream(0);

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
    next_stream: u64,
}

impl<W> Default for Graph<W> {
    fn default() -> Self {
        let streams = BTreeMap::from([(LEGACY, (true, None))]);
        Self { pending: BTreeMap::new(), next: 0, streams, next_stream: 1 }
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
        self.streams.contains_key(&stream)
    }

    /// Forgets a stream. Its work stays, and is done when somebody waits for the device.
    pub fn destroy(&mut self, stream: Stream) -> bool {
        stream != LEGACY && self.streams.remove(&stream).is_some()
    }

    /// Adds work at the end of a stream, after what its order demands and after `also`.
    pub fn add(&mut self, stream: Stream, work: W, also: &[Id]) -> Id {
        let id = Id(self.next);
        self.next += 1;
        let mut after: BTreeSet<Id> = also.iter().copied().collect();
        let (blocking, last) = self.streams.get(&stream).copied().unwrap_or((false, None));
        after.extend(last);
        if stream == LEGACY {
            let others = self.streams.values().filter(|(blocking, _)| *blocking);
            after.extend(others.filter_map(|(_, last)| *last));
        } else if blocking {
            after.extend(self.streams.get(&LEGACY).and_then(|(_, last)| *last));
        }
        after.retain(|id| self.pending.contains_key(id));
        self.pending.insert(id, Pending { stream, work, after: after.into_iter().collect() });
        if let Some((_, last)) = self.streams.get_mut(&stream) {
            *last = Some(id);
        }
        id
    }

    /// The last work of a stream, if it is not done.
    pub fn last(&self, stream: Stream) -> Option<Id> {
        let (_, last) = self.streams.get(&stream)?;
        last.filter(|id| self.pending.contains_key(id))
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

    /// The next piece of any work that is left.
    pub fn step_any(&mut self) -> Option<Step<W>> {
        let id = *self.pending.keys().next()?;
        self.step(id)
    }

    /// Forgets all work that is not done: the device is lost.
    pub fn clear(&mut self) {
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, Id, LEGACY};

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
        assert!(graph.done(a2) && graph.last(a).is_none());
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
}
