//! A set of threads of a launch: one bit for each, 64 neighbours in a word.

use std::collections::HashMap;

use crate::exec::machine::ThreadId;

/// Threads in a word.
const WORD: u32 = 64;

/// Different threads, however often they were inserted.
#[derive(Debug, Default)]
pub(super) struct ThreadSet {
    /// The words with a thread in them, by block and by the first thread's index over 64.
    words: HashMap<(u32, u32), u64>,
    /// The word that was changed last. One warp often inserts its threads again and again.
    last: ((u32, u32), u64),
}

impl ThreadSet {
    pub fn insert(&mut self, thread: ThreadId) {
        let place = (thread.block, thread.linear / WORD);
        let bit = 1 << (thread.linear % WORD);
        if self.last.0 == place && self.last.1 & bit != 0 {
            return;
        }
        let word = self.words.entry(place).or_default();
        *word |= bit;
        self.last = (place, *word);
    }

    /// Inserts all threads of `other`.
    pub fn join(&mut self, other: &Self) {
        for (place, word) in &other.words {
            *self.words.entry(*place).or_default() |= word;
        }
    }

    pub fn len(&self) -> u64 {
        self.words.values().map(|word| u64::from(word.count_ones())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread counts once, in each block anew.
    #[test]
    fn threads_count_once() {
        let mut some = ThreadSet::default();
        for (block, linear) in [(0, 63), (0, 64), (1, 63), (0, 63), (u32::MAX, 1023)] {
            some.insert(ThreadId { block, linear });
        }
        assert_eq!(some.len(), 4);
        let mut others = ThreadSet::default();
        others.insert(ThreadId { block: 1, linear: 63 });
        others.insert(ThreadId { block: 1, linear: 62 });
        some.join(&others);
        assert_eq!(some.len(), 5);
    }
}
