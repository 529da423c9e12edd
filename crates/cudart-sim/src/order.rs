//! Happens-before among pieces of work, and between them and the host.
//!
//! The work of a stream is in order. So the set of all work that is ordered before a piece of work
//! is described by the last such piece in each stream, which is a vector clock. See the CUDA C++
//! Programming Guide, "Streams", "Implicit Synchronization" and "Events".

use std::collections::BTreeMap;

use crate::graph::{Id, Stream};

/// For each stream, the last piece of work that is ordered before something.
type VectorClock = BTreeMap<Stream, Id>;

/// A piece of work's stream, and what is ordered before it.
type StreamAndClock = (Stream, VectorClock);

/// The order of all work that the host has not synchronised with yet.
#[derive(Debug, Default)]
pub struct Order {
    works: BTreeMap<Id, StreamAndClock>,
    /// Work that the host has synchronised with, while work that was enqueued earlier is still
    /// unsynchronised. The two may be unordered.
    past: BTreeMap<Id, StreamAndClock>,
    /// The work that the host has synchronised with.
    host: VectorClock,
}

fn join(clock: &mut VectorClock, stream: Stream, id: Id) {
    let last = clock.entry(stream).or_insert(id);
    *last = id.max(*last);
}

impl Order {
    /// Adds work that the host has just enqueued. It is ordered after the work in `after`, and
    /// after everything that the host has synchronised with.
    pub fn enqueued(&mut self, id: Id, stream: Stream, after: impl IntoIterator<Item = Id>) {
        let mut clock = VectorClock::new();
        for earlier in after {
            if let Some((stream, before)) = self.works.get(&earlier) {
                join(&mut clock, *stream, earlier);
                before.iter().for_each(|(stream, id)| join(&mut clock, *stream, *id));
            }
        }
        self.works.insert(id, (stream, clock));
    }

    /// Is `first`, in `stream`, ordered before `second`? The host enqueued `second` later, and
    /// before it synchronised with `first`.
    pub fn is_before(&self, (first, stream): (Id, Stream), second: Id) -> bool {
        let second = self.works.get(&second).or_else(|| self.past.get(&second));
        let Some((stream_of_second, before)) = second else { return true };
        *stream_of_second == stream || before.get(&stream).is_some_and(|last| *last >= first)
    }

    /// The host has waited for this work, and therefore for everything that is ordered before it.
    pub fn synchronised(&mut self, id: Id) {
        let Some((stream, before)) = self.works.get(&id) else { return };
        join(&mut self.host, *stream, id);
        before.iter().for_each(|(stream, id)| join(&mut self.host, *stream, *id));
        let host = &self.host;
        let synchronised =
            |id: &Id, work: &mut StreamAndClock| host.get(&work.0).is_some_and(|last| last >= id);
        self.past.extend(self.works.extract_if(.., synchronised));
        self.past = match self.works.keys().next() {
            Some(oldest) => self.past.split_off(oldest),
            None => BTreeMap::new(),
        };
    }

    /// The host has waited for all work.
    pub fn synchronised_all(&mut self) {
        self.works.clear();
        self.past.clear();
        self.host.clear();
    }

    /// Has the host synchronised with this work, which was enqueued at some time?
    pub fn is_synchronised(&self, id: Id) -> bool {
        !self.works.contains_key(&id)
    }
}
