//! What the shared memory of blocks holds when they pass barriers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The contents of shared memory at the barriers of a launch, up to [`Self::MAX_WORDS`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshots {
    /// Contents, in words. Blocks that have the same contents often share them.
    contents: Vec<Vec<u32>>,
    /// By a block's linear index: its contents at each of its barriers, as indices.
    blocks: BTreeMap<u32, Vec<u32>>,
    /// Words of all contents, and barriers.
    words: usize,
}

/// So many of the latest contents are compared with new ones.
const COMPARED: usize = 8;

impl Snapshots {
    /// Words of all contents, and barriers, that are recorded of a launch: 16 MiB.
    pub const MAX_WORDS: usize = 1 << 22;

    /// Records what a block has in shared memory when it passes its next barrier.
    pub(crate) fn record(&mut self, block: u32, shared: &[u32]) {
        let from = self.contents.len().saturating_sub(COMPARED);
        let known = self.contents[from..].iter().position(|contents| contents == shared);
        let words = 1 + if known.is_some() { 0 } else { shared.len() };
        if self.words + words > Self::MAX_WORDS {
            self.words = Self::MAX_WORDS; // of the later barriers none is recorded, either
            return;
        }
        self.words += words;
        let number = known.map_or(self.contents.len(), |at| from + at);
        if known.is_none() {
            self.contents.push(shared.to_vec());
        }
        self.blocks.entry(block).or_default().push(number as u32);
    }

    /// What a block had when it passed a barrier, counted from 0.
    pub(crate) fn at(&self, block: u32, barrier: usize) -> Option<&[u32]> {
        let number = *self.blocks.get(&block)?.get(barrier)?;
        Some(self.contents.get(number as usize)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_found_again() {
        let mut snapshots = Snapshots::default();
        for (block, word) in [(0, 5), (1, 6), (0, 6), (1, 5)] {
            snapshots.record(block, &[word; 3]);
        }
        assert_eq!(snapshots.contents.len(), 2, "the same contents are kept once");
        assert_eq!(snapshots.at(0, 1), Some(&[6; 3][..]));
        assert_eq!(snapshots.at(1, 1), Some(&[5; 3][..]));
        assert_eq!((snapshots.at(0, 2), snapshots.at(2, 0)), (None, None));
    }

    /// A launch with many barriers, or with much shared memory, fills no memory of the host.
    #[test]
    fn records_end_at_the_limit() {
        let mut snapshots = Snapshots::default();
        for barrier in 0..3 {
            snapshots.record(0, &vec![barrier; Snapshots::MAX_WORDS / 2 - 1]);
        }
        assert!(snapshots.at(0, 1).is_some() && snapshots.at(0, 2).is_none());
        snapshots.record(1, &[]);
        assert_eq!(snapshots.at(1, 0), None);
    }
}
