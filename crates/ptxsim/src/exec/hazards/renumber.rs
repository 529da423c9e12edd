//! What happens when a block runs out of stamps: it gets new ones for those in use.
//!
//! Stamps matter only by comparison: a mark is before an epoch, or covered by a clock, or it is
//! not. Two stamps that no such threshold separates therefore mean the same. All marks between two
//! thresholds get one new stamp, so that there are only as many stamps as thresholds.

use super::cell::{BLOCK_MASK, MAX_STAMP, ShadowCell};
use super::prior_access::PriorLists;
use crate::exec::machine::{BlockState, Machine};
use crate::exec::warp::Warp;

/// A block whose stamp has come this far is renumbered before its next operation; one operation
/// takes a few stamps at most.
pub(crate) const RENUMBER_FROM: u32 = MAX_STAMP - 64;
/// Thresholds that may be kept apart. There are only more when a block releases tens of thousands
/// of flags at different moments. Neighbours then become one, and what lies between them counts as
/// ordered.
const MAX_THRESHOLDS: usize = 1 << 15;

/// Renumbers the stamps of block `b`. Its warp `warp` runs, and so is not among the block's.
#[cold]
#[inline(never)]
pub(crate) fn renumber(m: &mut Machine<'_>, b: &mut BlockState, warp: &mut Warp) {
    let block = b.index & BLOCK_MASK;
    let mut thresholds = m.sync.as_mut().map_or(vec![], |sync| sync.thresholds(block));
    thresholds.extend(b.warps.iter().map(|w| w.epoch));
    thresholds.extend([b.epoch, warp.epoch, b.stamp]);
    let map = StampMap::new(thresholds);
    let threshold = |stamp| map.threshold(stamp);
    if let Some(sync) = &mut m.sync {
        sync.renumber(block, &threshold);
    }
    for w in &mut b.warps {
        w.epoch = threshold(w.epoch);
    }
    warp.epoch = threshold(warp.epoch);
    b.epoch = threshold(b.epoch);
    b.stamp = threshold(b.stamp);
    let mark = |stamp| map.mark(stamp);
    for shadow in &mut m.shadows {
        shadow.renumber(block, &mark);
    }
    renumber_cells(b.shared_shadow.iter_mut(), &mut b.shared_lists, b.generation, &mark);
}

/// Replaces the stamps of a block's marks by what `map` makes of them.
pub(super) fn renumber_cells<'c>(
    cells: impl Iterator<Item = &'c mut ShadowCell>,
    lists: &mut PriorLists,
    block: u32,
    map: &impl Fn(u32) -> u32,
) {
    for cell in cells {
        cell.renumber(block, map);
    }
    lists.renumber(block, map);
}

/// The new stamps for the old ones.
pub(super) struct StampMap {
    thresholds: Vec<u32>,
    /// How many neighbouring thresholds become one.
    step: usize,
}

impl StampMap {
    pub fn new(mut thresholds: Vec<u32>) -> Self {
        thresholds.retain(|t| *t > 0);
        thresholds.sort_unstable();
        thresholds.dedup();
        Self { step: thresholds.len().div_ceil(MAX_THRESHOLDS).max(1), thresholds }
    }

    /// The new stamp of a threshold. 0, which no mark is below, stays 0; the others begin at 2, so
    /// that marks can be below the first.
    pub fn threshold(&self, stamp: u32) -> u32 {
        if stamp == 0 { 0 } else { self.thresholds_below(stamp) + 2 }
    }

    /// The new stamp of a mark, which is below the same thresholds as before.
    pub fn mark(&self, stamp: u32) -> u32 {
        self.thresholds_below(stamp + 1) + 1
    }

    fn thresholds_below(&self, stamp: u32) -> u32 {
        (self.thresholds.partition_point(|t| *t < stamp) / self.step) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stay_between_the_same_thresholds() {
        let thresholds = [1, 5, 9, 40_000, 65_000];
        let map = StampMap::new(thresholds.into());
        for mark in [1, 2, 4, 5, 6, 8, 9, 10, 39_999, 40_000, 40_001, 64_999, 65_000] {
            for t in thresholds {
                assert_eq!(mark < t, map.mark(mark) < map.threshold(t), "{mark} and {t}");
            }
            assert!((1..=6).contains(&map.mark(mark)));
        }
        assert_eq!(map.threshold(0), 0);
    }

    #[test]
    fn too_many_thresholds_become_one_and_keep_every_order() {
        let map = StampMap::new((1..=60_000).collect());
        for mark in 1..60_000 {
            assert!(map.mark(mark) < map.threshold(mark + 1), "{mark}");
        }
        assert!(map.threshold(60_000) < RENUMBER_FROM / 2 + 2);
    }
}
