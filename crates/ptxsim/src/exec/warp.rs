//! A warp: register rows, and the groups of lanes ("splits") that currently run apart.

use super::copies::Copies;
use super::undefined::UndefinedValues;
use crate::decode::MAX_ROWS;
use crate::decode::op::{Func, Observation};

/// One value per lane.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Row32(pub [u32; 32]);

/// One 64-bit value per lane.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Row64(pub [u64; 32]);

/// A function's window in the warp's register files, and its local memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Frame {
    pub function: u32,
    pub r: u32,
    pub x: u32,
    pub p: u32,
    /// First byte of the frame in the thread's local memory.
    pub local: u32,
    /// Of a caller: where it continues, and its call operation.
    pub return_to: u32,
    pub call: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// Waits at the barrier operation with this index; `pc` is behind it.
    AtBarrier(u32),
    /// Waits at the collective at `pc` for lanes that have not arrived.
    AtCollective,
}

/// Lanes that run together.
#[derive(Debug, Clone)]
pub(crate) struct Split {
    pub pc: u32,
    pub mask: u32,
    pub state: State,
    pub frame: Frame,
    /// Callers, outermost first; empty in a kernel that calls nothing.
    pub stack: Vec<Frame>,
    /// Rises each time the split yields; the split with the lowest turn runs first.
    pub turn: u32,
    /// Number of backward branches in this turn. Calls and merges with other splits do not reset
    /// it.
    pub backward_branches: u32,
    /// The memory operation of the last load or atomic in this turn; `u32::MAX` before the first.
    pub last_read: u32,
    /// The last one in the turn before, which is what a loop that yielded waits for.
    pub read_before_yield: u32,
}

impl Split {
    /// Ends the split's turn, so that others run first.
    pub fn yield_turn(&mut self) {
        self.turn += 1;
        self.backward_branches = 0;
        self.read_before_yield = std::mem::replace(&mut self.last_read, u32::MAX);
    }

    /// Can the two splits continue as one?
    pub fn can_merge(&self, other: &Self) -> bool {
        self.pc == other.pc
            && self.state == other.state
            && self.frame == other.frame
            && self.stack == other.stack
    }
}

#[derive(Debug, Default)]
pub(crate) struct Warp {
    /// Index in the block.
    pub index: u32,
    pub r: Vec<Row32>,
    pub x: Vec<Row64>,
    pub p: Vec<u32>,
    pub splits: Vec<Split>,
    /// Lanes that exist and have not exited.
    pub live: u32,
    /// Lanes that exist.
    pub lanes: u32,
    pub turn: u32,
    pub observations: Observations,
    /// Instructions executed so far.
    pub instructions: u64,
    /// Stamp of the last whole-warp synchronisation.
    pub epoch: u32,
    /// Local memory: word `w` of lane `l` at `w * 32 + l`; and per byte the lanes that wrote it.
    pub local: Vec<u32>,
    pub local_written: Vec<u32>,
    pub copies: Copies,
    pub undefined: UndefinedValues,
}

/// After its first observations, a warp yields.
const FIRST_OBSERVATIONS: u32 = 4;
/// Of a warp's later observations that do not poll, it yields after one in so many, because a loop
/// may observe all the time.
const OBSERVATIONS_PER_YIELD: u32 = 64;

/// The number of a warp's accesses so far that observed what other threads may be writing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Observations {
    number: u32,
    /// Whether one of them has polled.
    polled: bool,
}

impl Observations {
    /// Counts one; returns whether the warp yields now. Which of the later ones do so depends on
    /// the block and the warp, so none of a kernel's accesses is spared in all warps.
    pub fn count(&mut self, observation: Observation, block: u32, warp: u32) -> bool {
        let number = self.number;
        self.number = number.wrapping_add(1);
        let phase = block.wrapping_mul(7).wrapping_add(warp);
        let later = number.wrapping_add(phase).is_multiple_of(OBSERVATIONS_PER_YIELD);
        match observation {
            Observation::Polls => !std::mem::replace(&mut self.polled, true),
            Observation::Reads => number < FIRST_OBSERVATIONS || later,
        }
    }
}

impl Warp {
    /// The ready split that runs next: the one with the lowest turn, then the deepest call, then
    /// the lowest position.
    pub fn pick(&mut self) -> Option<usize> {
        let best = self
            .splits
            .iter()
            .enumerate()
            .filter(|(_, s)| s.state == State::Ready)
            .min_by_key(|(_, s)| (s.turn, usize::MAX - s.stack.len(), s.pc))?
            .0;
        Some(best)
    }

    /// The lowest position of another split with which `split` may merge; `u32::MAX` when there is
    /// none.
    #[inline(always)]
    pub fn merge_pc(&self, split: &Split) -> u32 {
        let depth = split.stack.len();
        let others = self.splits.iter();
        let candidates = others.filter(|s| s.state == State::Ready && s.stack.len() == depth);
        candidates.map(|s| s.pc).min().unwrap_or(u32::MAX)
    }

    /// Merges splits that are at the same position.
    pub fn merge(&mut self) {
        let mut i = 0;
        while i < self.splits.len() {
            let mut j = i + 1;
            while j < self.splits.len() {
                if self.splits[i].can_merge(&self.splits[j]) {
                    let other = self.splits.swap_remove(j);
                    self.splits[i].mask |= other.mask;
                    self.splits[i].turn = self.splits[i].turn.min(other.turn);
                    self.splits[i].backward_branches =
                        self.splits[i].backward_branches.max(other.backward_branches);
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
    }

    /// Makes room for a function's window on top of `frame`; false beyond [`MAX_ROWS`], which
    /// recursion may reach.
    pub fn reserve(&mut self, frame: &Frame, f: &Func) -> bool {
        let (r, x, p) = (
            (frame.r + f.rows32) as usize,
            (frame.x + f.rows64) as usize,
            (frame.p + f.preds) as usize,
        );
        if r.max(x).max(p) > MAX_ROWS as usize {
            return false;
        }
        grow(&mut self.r, r, Row32([0; 32]));
        grow(&mut self.x, x, Row64([0; 32]));
        grow(&mut self.p, p, 0);
        true
    }
}

fn grow<T: Clone>(v: &mut Vec<T>, len: usize, value: T) {
    if v.len() < len {
        v.resize(len, value);
    }
}

/// The set lanes of a mask, ascending.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            lane
        })
    })
}
