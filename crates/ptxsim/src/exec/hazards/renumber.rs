//! What happens when a block runs out of stamps: those in use become few again.
//!
//! Stamps matter by comparison only: a mark is before an epoch, or before what somebody knows of. Two stamps that no such
//! threshold separates mean the same, so the marks between two thresholds get one number, and there are as many numbers
//! as thresholds.

use super::cell::{BLOCK_MASK, Cell, MAX_STAMP};
use super::prior_access::Lists;
use crate::exec::machine::{BlockState, Machine};
use crate::exec::warp::Warp;

/// From here on a block's stamps are renumbered before it goes on: one operation needs a few at most.
pub(crate) const FULL: u32 = MAX_STAMP - 64;
/// Thresholds that may stay. When there are more, which takes a block that releases tens of thousands of flags at
/// different moments, neighbours become one: what lies between them counts as known.
const MOST: usize = 1 << 15;

/// Renumbers the stamps of block `b`, whose warp `warp` is not in it at the moment.
#[cold]
#[inline(never)]
pub(crate) fn renumber(m: &mut Machine<'_>, b: &mut BlockState, warp: &mut Warp) {
    let block = b.index & BLOCK_MASK;
    let mut thresholds = m.talk.as_mut().map_or(vec![], |talk| talk.stamps(block));
    thresholds.extend(b.warps.iter().map(|w| w.epoch));
    thresholds.extend([b.epoch, warp.epoch, b.stamp]);
    let names = Names::new(thresholds);
    let to = |stamp| names.threshold(stamp);
    if let Some(talk) = &mut m.talk {
        talk.rename(block, &to);
    }
    for w in &mut b.warps {
        w.epoch = to(w.epoch);
    }
    warp.epoch = to(warp.epoch);
    b.epoch = to(b.epoch);
    b.stamp = to(b.stamp);
    let of = |stamp| names.mark(stamp);
    for shadow in &mut m.shadows {
        shadow.rename(block, &of);
    }
    let generation = b.generation;
    rename(b.shared_shadow.iter_mut(), &mut b.shared_lists, generation, &of);
}

/// Renames the stamps of a block's marks.
pub(super) fn rename<'c>(
    cells: impl Iterator<Item = &'c mut Cell>,
    lists: &mut Lists,
    block: u32,
    to: &impl Fn(u32) -> u32,
) {
    for cell in cells {
        cell.rename(block, to);
    }
    lists.rename(block, to);
}

/// New names for stamps.
pub(super) struct Names {
    thresholds: Vec<u32>,
    /// How many thresholds in a row share a name.
    step: usize,
}

impl Names {
    pub fn new(mut thresholds: Vec<u32>) -> Self {
        thresholds.retain(|t| *t > 0);
        thresholds.sort_unstable();
        thresholds.dedup();
        Self { step: thresholds.len().div_ceil(MOST).max(1), thresholds }
    }

    /// Of a threshold; 0 stays what it is: nothing. The first name is 2, so that marks can be below it.
    pub fn threshold(&self, stamp: u32) -> u32 {
        if stamp == 0 { 0 } else { self.below(stamp) + 2 }
    }

    /// Of a mark: below the same thresholds as before.
    pub fn mark(&self, stamp: u32) -> u32 {
        self.below(stamp + 1) + 1
    }

    /// The groups of thresholds below a stamp.
    fn below(&self, stamp: u32) -> u32 {
        (self.thresholds.partition_point(|t| *t < stamp) / self.step) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stay_where_they_are_among_thresholds() {
        let thresholds = [1, 5, 9, 40_000, 65_000];
        let names = Names::new(thresholds.into());
        for mark in [1, 2, 4, 5, 6, 8, 9, 10, 39_999, 40_000, 40_001, 64_999, 65_000] {
            for t in thresholds {
                assert_eq!(mark < t, names.mark(mark) < names.threshold(t), "{mark} and {t}");
            }
            assert!((1..=6).contains(&names.mark(mark)));
        }
        assert_eq!(names.threshold(0), 0);
    }

    #[test]
    fn too_many_thresholds_share_names_and_forget_no_order() {
        let names = Names::new((1..=60_000).collect());
        for mark in 1..60_000 {
            assert!(names.mark(mark) < names.threshold(mark + 1), "{mark}");
        }
        assert!(names.threshold(60_000) < FULL / 2 + 2);
    }
}
