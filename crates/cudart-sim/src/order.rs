//! What is ordered before what: happens-before among pieces of work, and between them and the host.
//!
//! A stream's work is in order, so what lies before a piece of work is known by the last one in each stream: a vector clock.
//! CUDA C++ Programming Guide, "Streams", "Implicit Synchronization", "Events".

use std::collections::BTreeMap;

use crate::graph::{Id, Stream};

/// Per stream, the last work.
type Last = BTreeMap<Stream, Id>;

/// The order of all work that the host does not know to be done.
#[derive(Debug, Default)]
pub struct Order {
    works: BTreeMap<Id, (Stream, Last)>,
    /// Work that the host knows to be done, as long as it does not know so of some that was asked for earlier: the two may
    /// not be ordered.
    past: BTreeMap<Id, (Stream, Last)>,
    /// What the host has waited for.
    host: Last,
}

fn join(all: &mut Last, stream: Stream, id: Id) {
    let last = all.entry(stream).or_insert(id);
    *last = id.max(*last);
}

impl Order {
    /// Work is asked for, which comes after these, and after what the host has waited for.
    pub fn asked(&mut self, id: Id, stream: Stream, after: impl IntoIterator<Item = Id>) {
        let mut before = Last::new();
        for earlier in after {
            if let Some((of, its)) = self.works.get(&earlier) {
                join(&mut before, *of, earlier);
                its.iter().for_each(|(stream, id)| join(&mut before, *stream, *id));
            }
        }
        self.works.insert(id, (stream, before));
    }

    /// Is `first`, in `stream`, ordered before `second`, which was asked for later, and before the host heard of `first`?
    pub fn before(&self, (first, stream): (Id, Stream), second: Id) -> bool {
        let Some((of, before)) = self.works.get(&second).or_else(|| self.past.get(&second)) else {
            return true;
        };
        *of == stream || before.get(&stream).is_some_and(|last| *last >= first)
    }

    /// The host has waited for this work, and so for all that comes before it.
    pub fn heard(&mut self, id: Id) {
        let Some((stream, before)) = self.works.get(&id) else { return };
        join(&mut self.host, *stream, id);
        before.iter().for_each(|(stream, id)| join(&mut self.host, *stream, *id));
        let host = &self.host;
        let known =
            |id: &Id, work: &mut (Stream, Last)| host.get(&work.0).is_some_and(|last| last >= id);
        self.past.extend(self.works.extract_if(.., known));
        self.past = match self.works.keys().next() {
            Some(oldest) => self.past.split_off(oldest),
            None => BTreeMap::new(),
        };
    }

    /// The host has waited for everything.
    pub fn heard_all(&mut self) {
        self.works.clear();
        self.past.clear();
        self.host.clear();
    }

    /// Does the host know that this work, asked for at some time, is done?
    pub fn known(&self, id: Id) -> bool {
        !self.works.contains_key(&id)
    }
}
