//! Disturbs what a kernel works with, to find out whether its results depend on it.
//!
//! A result depends on what a location holds if it changes when the location does (fault injection,
//! as in NVIDIA's NVBitFI). So with [`Disturbance::Exchange`], shared memory gets the contents of a
//! launch with other inputs whenever the block passes a barrier, and only the thread that has
//! written a word still reads what it wrote. Loads whose values are not used, or are multiplied by
//! zero, change no result, and neither do loads of values that a thread has left to itself, or that
//! are the same whatever the inputs are.
//!
//! The other disturbances suppress data. Results of two runs with different inputs that are the
//! same then have used the inputs in no other way (noninterference), and results that don't change
//! didn't need the data that is suppressed.

use serde::{Deserialize, Serialize};

use super::access::{ActiveLanes, Kind};
use super::alu::Rows;
use super::machine::BlockState;
use super::pattern::LaneOffsets;
use super::snapshots::Snapshots;
use super::warp::lanes;
use super::words::{self, Shape, Words};
use crate::decode::op::MemOp;

/// What a launch disturbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Disturbance {
    /// What one thread has written to shared memory becomes, for all other threads, what a launch
    /// with other inputs had there when its block passed the same barrier
    /// ([`crate::Launch::snapshots`]). Without such contents, the launch runs as usual. Either way,
    /// its own contents are recorded ([`crate::Observations::snapshots`]).
    Exchange,
    /// Texture fetches, and loads through surfaces, give zeros.
    Fetches,
    /// Gathers of four texels (`tld4`) give zeros.
    Gathers,
    /// Stores through surfaces store zeros.
    SurfaceStores,
    /// Loads and atomic operations on global and constant memory give zeros.
    Loads,
    /// Stores to global memory store nothing, and neither do atomic operations.
    Stores,
}

impl Disturbance {
    /// Whether it suppresses accesses to memory that are not through textures or surfaces.
    pub(crate) const fn suppresses_accesses(self) -> bool {
        matches!(self, Self::Loads | Self::Stores)
    }
}

/// Who has written a word of shared memory, and how the word has changed since.
#[derive(Debug, Clone, Copy, Default)]
struct DisturbedWord {
    writer: Writer,
    change: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Writer {
    #[default]
    Nothing,
    /// A thread of the block, by its linear index.
    Thread(u32),
    /// Several threads: parts of the word, or an atomic operation.
    Several,
}

/// What was done to the shared memory of a block.
#[derive(Debug, Default)]
pub(crate) struct DisturbedWords {
    words: Vec<DisturbedWord>,
    barriers: usize,
}

impl DisturbedWords {
    /// A block starts, with so many words of shared memory.
    pub fn start(&mut self, words: usize) {
        self.words.clear();
        self.words.resize(words, DisturbedWord::default());
        self.barriers = 0;
    }

    /// Changes the words of shared memory after a barrier to those of the other launch.
    pub fn pass_barrier(&mut self, block: u32, shared: &mut [u32], other: Option<&Snapshots>) {
        let contents = other.and_then(|other| other.at(block, self.barriers));
        self.barriers += 1;
        let words = shared.iter_mut().zip(&mut self.words).zip(contents.unwrap_or_default());
        for ((word, disturbed), new) in words {
            disturbed.change ^= *word ^ *new;
            *word = *new;
        }
    }

    /// A thread stores these bytes, now or next.
    pub fn store(&mut self, shared: &mut [u32], thread: u32, offset: u32, bytes: u32) {
        for at in words_of(offset, bytes) {
            let Some(word) = self.words.get_mut(at) else { continue };
            let whole = offset as usize <= 4 * at && 4 * (at + 1) <= (offset + bytes) as usize;
            let own = word.writer == Writer::Thread(thread);
            if own && !whole {
                shared.get_mut(at).into_iter().for_each(|value| *value ^= word.change);
            }
            *word = if whole || own || word.writer == Writer::Nothing {
                DisturbedWord { writer: Writer::Thread(thread), change: 0 }
            } else {
                DisturbedWord { writer: Writer::Several, change: 0 }
            };
        }
    }

    /// An atomic operation is about to update these bytes.
    fn update(&mut self, offset: u32, bytes: u32) {
        for at in words_of(offset, bytes) {
            if let Some(word) = self.words.get_mut(at) {
                *word = DisturbedWord { writer: Writer::Several, change: 0 };
            }
        }
    }

    /// The words among these bytes that this thread has written, and how they have changed since.
    fn own(&self, thread: u32, offset: u32, bytes: u32) -> Vec<(usize, u32)> {
        let word = |at: usize| Some((at, self.words.get(at)?));
        let own = |&(_, word): &(usize, &DisturbedWord)| {
            word.writer == Writer::Thread(thread) && word.change != 0
        };
        words_of(offset, bytes).filter_map(word).filter(own).map(|(at, w)| (at, w.change)).collect()
    }
}

/// Moves the data of a request of global or constant memory, if loads or stores there are
/// suppressed. True when memory may have changed.
#[cold]
#[inline(never)]
pub(super) fn suppressed<W: Words>(
    words: &mut W,
    rows: &mut Rows<'_>,
    (op, kind): (&MemOp, Kind),
    active: &ActiveLanes,
    at: &LaneOffsets<'_>,
    disturbance: Disturbance,
) -> bool {
    let loads = disturbance == Disturbance::Loads;
    let changed =
        (loads || kind == Kind::Load) && words::transfer(words, rows, op, kind, active, at, false);
    if kind == Kind::Atomic || loads && kind == Kind::Load {
        // an atomic operation may have no result
        let rows_of = op.rows.iter().take(op.vector as usize).filter(|row| **row != u32::MAX);
        for row in rows_of {
            for lane in lanes(active.write_mask) {
                if op.wide {
                    rows.x[*row as usize].0[lane] = 0;
                } else {
                    rows.r[*row as usize].0[lane] = 0;
                }
            }
        }
    }
    changed
}

/// The words that contain these bytes.
fn words_of(offset: u32, bytes: u32) -> std::ops::Range<usize> {
    (offset / 4) as usize..(offset + bytes).div_ceil(4) as usize
}

/// Moves the data of a request of shared memory. True when memory may have changed.
#[inline(never)]
pub(super) fn transfer(
    b: &mut BlockState,
    rows: &mut Rows<'_>,
    (op, kind): (&MemOp, Kind),
    (active, warp): (&ActiveLanes, u32),
    at: &LaneOffsets<'_>,
) -> bool {
    let (offsets, bytes) = (at.offsets(), op.bytes());
    let thread = |lane: usize| warp * 32 + lane as u32;
    for lane in lanes(active.mask) {
        match kind {
            Kind::Load => {}
            Kind::Store => b.disturbed.store(&mut b.shared, thread(lane), offsets[lane], bytes),
            Kind::Atomic => b.disturbed.update(offsets[lane], bytes),
        }
    }
    let changed =
        words::transfer(&mut words::Shared(&mut b.shared), rows, op, kind, active, at, false);
    if kind != Kind::Load {
        return changed;
    }
    let mut pattern = at.pattern.clone();
    pattern.shape = Shape::default();
    let at = LaneOffsets { pattern: &pattern, first: at.first };
    for lane in lanes(active.mask) {
        let own = b.disturbed.own(thread(lane), offsets[lane], bytes);
        if own.is_empty() {
            continue;
        }
        let toggle = |shared: &mut [u32]| {
            own.iter().for_each(|&(at, change)| shared[at] ^= change);
        };
        let alone = ActiveLanes { mask: 1 << lane, write_mask: 1 << lane, ..*active };
        toggle(&mut b.shared);
        let mut words = words::Shared(&mut b.shared);
        words::transfer(&mut words, rows, op, kind, &alone, &at, false);
        toggle(&mut b.shared);
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread writes a word, another one half of the next, and the first the other half.
    #[test]
    fn words_that_one_thread_has_written_are_its_own() {
        let mut shared = [0; 2];
        let mut words = DisturbedWords::default();
        words.start(2);
        words.store(&mut shared, 5, 0, 4);
        words.store(&mut shared, 6, 4, 2);
        words.store(&mut shared, 5, 6, 2);
        assert!(words.own(5, 0, 8).is_empty(), "nothing has changed yet");
        let mut other = Snapshots::default();
        for contents in [[0b01, 9], [0b11, 9], [0b111, 9]] {
            other.record(3, &contents);
        }
        words.pass_barrier(3, &mut shared, Some(&other));
        assert_eq!((words.own(5, 0, 8), shared), (vec![(0, 0b01)], [0b01, 9]));
        assert!(words.own(6, 0, 8).is_empty());
        words.pass_barrier(3, &mut shared, Some(&other));
        assert_eq!((words.own(5, 0, 8), shared), (vec![(0, 0b11)], [0b11, 9]));
        words.update(0, 4);
        words.pass_barrier(3, &mut shared, Some(&other));
        assert!(words.own(5, 0, 8).is_empty(), "an atomic operation has no owner");
    }
}
