//! The schedule of blocks: the order in which they start, and how many are in flight.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::exec::block::{self, Stop};
use crate::exec::hazards::cell::BLOCK_MASK;
use crate::exec::machine::{BlockState, Machine};
use crate::exec::progress::{self, ProgressWatch};
use crate::exec::{FULL, TRACE};

/// Bytes of host memory for blocks in flight. When they are used up, no block starts before another
/// has ended.
const MAX_IN_FLIGHT_BYTES: usize = 1 << 30;

/// Rounds of turns of the other blocks while a block waits that has observed what they may be
/// writing.
const ROUNDS_BEFORE_OBSERVERS: usize = 4;

/// The order in which blocks start.
pub(super) struct Order {
    blocks: u64,
    step: u64,
    first: u64,
    /// The block that starts first, in exchange with the one that would: a traced thread must run.
    front: Option<u64>,
}

impl Order {
    pub fn new(blocks: u64, seed: u64) -> Self {
        if seed == 0 || blocks < 2 {
            return Self { blocks, step: 1, first: 0, front: None };
        }
        let mix = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut step = ((mix >> 16) % blocks) | 1;
        while gcd(step, blocks) != 1 {
            step += 2;
        }
        Self { blocks, step: step % blocks.max(1), first: mix % blocks, front: None }
    }

    /// The same order, except that block `front` starts first.
    pub fn with_front(self, front: Option<u64>) -> Self {
        Self { front, ..self }
    }

    fn at(&self, n: u64) -> u64 {
        let usual = self.usual(n);
        match self.front {
            Some(front) if n == 0 => front,
            Some(front) if usual == front => self.usual(0),
            _ => usual,
        }
    }

    fn usual(&self, n: u64) -> u64 {
        ((u128::from(n) * u128::from(self.step.max(1)) + u128::from(self.first))
            % u128::from(self.blocks)) as u64
    }
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The blocks that have not started. Host threads take them from here, a few neighbours at a time.
pub(super) struct Queue {
    next: AtomicU64,
    blocks: u64,
    portion: u64,
}

impl Queue {
    pub fn new(blocks: u64, threads: usize) -> Self {
        // many portions, so that no thread ends long before the others; long ones, so that few
        // pages of memory are accessed by several threads
        let portion = if threads > 1 { (blocks / (threads as u64 * 16)).clamp(1, 4096) } else { 1 };
        Self { next: AtomicU64::new(0), blocks, portion }
    }

    fn take(&self) -> Range<u64> {
        let first = self.next.fetch_add(self.portion, Ordering::Relaxed).min(self.blocks);
        first..(first + self.portion).min(self.blocks)
    }

    /// Makes the queue empty.
    fn close(&self) {
        self.next.store(self.blocks, Ordering::Relaxed);
    }
}

/// Runs blocks until the queue is empty and none is in flight; returns whether all of them ended. A
/// block that waits stays in flight while others run.
pub(super) fn run_queued_blocks<const L: u8>(
    m: &mut Machine<'_>,
    queue: &Queue,
    order: &Order,
    seed: u64,
) -> bool {
    let mut portion = 0..0;
    let mut idle = vec![];
    let mut parked: VecDeque<BlockState> = VecDeque::new();
    // Blocks that have observed what others may be writing. They continue once all others are here,
    // so what they do with the value comes after what the others do meanwhile. Others may wait for
    // these blocks, however, so after some rounds they continue in any case.
    let mut observers: VecDeque<BlockState> = VecDeque::new();
    let resident = usize::try_from(m.grid.resident).unwrap_or(usize::MAX).max(1);
    let mut bytes = 0_usize;
    let mut exhausted = false;
    // turns since a block last started or ended, and the state of memory that they left
    let (mut turns, mut watch) = (0, ProgressWatch::default());
    loop {
        let mut state = None;
        let in_flight = parked.len() + observers.len();
        if !exhausted && in_flight < resident && bytes < MAX_IN_FLIGHT_BYTES {
            if portion.is_empty() {
                portion = queue.take();
            }
            if let Some(n) = portion.next() {
                let index = order.at(n) as u32;
                let mut b = idle.pop().unwrap_or_else(|| block::new_state(m.grid, L >= FULL));
                let ctaid = m.block_index(index);
                block::start(m.grid, &mut b, index, ctaid);
                b.next_warp = (seed % b.warps.len().max(1) as u64) as usize;
                if L >= TRACE
                    && let Some(warp) = m.trace.as_ref().and_then(|t| t.warp_of(index))
                {
                    b.next_warp = warp;
                }
                state = Some(b);
                turns = 0;
            } else {
                exhausted = true;
            }
        }
        let parked_before = state.is_none();
        if state.is_none()
            && !observers.is_empty()
            && turns >= parked.len() * ROUNDS_BEFORE_OBSERVERS
        {
            // since they were here last, every block has had a turn
            parked.append(&mut observers);
            turns = 0;
            if (exhausted || parked.len() >= resident) && watch.end_round(m, parked.iter()) {
                progress::report(m, parked.iter(), &watch);
                queue.close();
                return false;
            }
        }
        let Some(mut b) = state.or_else(|| parked.pop_front()) else { return true };
        if parked_before {
            bytes -= b.bytes();
        }
        m.strong_seen = b.strong_seen;
        let stop = block::run::<L>(m, &mut b);
        b.strong_seen = m.strong_seen;
        match stop {
            Stop::Exited => {
                turns = 0;
                if let Some(sync) = &mut m.sync {
                    sync.end_block(b.index & BLOCK_MASK);
                }
                idle.push(b);
            }
            Stop::Yielded | Stop::Observed | Stop::Waits => {
                bytes += b.bytes();
                match stop {
                    Stop::Observed => observers.push_back(b),
                    _ => parked.push_back(b),
                }
                turns += 1;
                // a block that has not started may be the one that the others wait for
                let all = exhausted || parked.len() >= resident;
                if all && observers.is_empty() && turns >= parked.len() {
                    turns = 0;
                    if watch.end_round(m, parked.iter()) {
                        progress::report(m, parked.iter(), &watch);
                        queue.close();
                        return false;
                    }
                }
            }
            Stop::Fatal => {
                // makes the other host threads stop, too
                queue.close();
                return false;
            }
        }
        if m.parallel && m.must_repeat_alone() {
            queue.close();
            return false;
        }
    }
}
