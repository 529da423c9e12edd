//! What orders threads besides memory: fences, warps that synchronise, block barriers. Each of
//! these takes a new stamp, and moves the epochs of the block or warp, or the clocks of the
//! [`SyncState`](super::sync_state::SyncState).

use super::cell::BLOCK_MASK;
use super::sync_state::Epochs;
use super::vector_clock::BlockClock;
use crate::decode::op::Scope;
use crate::exec::machine::{BlockState, Machine, ThreadId};
use crate::exec::warp::{Warp, lanes};

/// A warp's index in its block, and the stamp of its last whole-warp synchronisation.
#[derive(Debug, Clone, Copy)]
pub(in crate::exec) struct WarpEpoch {
    pub index: u32,
    pub epoch: u32,
}

/// The linear indices of the lanes of `mask`.
fn threads(warp: u32, mask: u32) -> impl Iterator<Item = u32> {
    lanes(mask).map(move |lane| warp * 32 + lane as u32)
}

/// A fence by the lanes of `mask`.
#[inline(never)]
pub(in crate::exec) fn fence(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: WarpEpoch,
    mask: u32,
    scope: Scope,
) {
    let Some(sync) = &mut m.sync else { return };
    let epochs = Epochs { block: b.epoch, warp: warp.epoch.max(b.epoch), stamp: b.advance() };
    for linear in threads(warp.index, mask) {
        sync.fence(ThreadId { block: b.index & BLOCK_MASK, linear }, scope, epochs);
    }
}

/// `__syncwarp` of the lanes of `mask`, which have all arrived.
pub(in crate::exec) fn synchronise_warp(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut Warp,
    mask: u32,
) {
    let stamp = b.advance();
    let whole = mask & warp.live == warp.live;
    if whole {
        warp.epoch = stamp;
    }
    if let Some(sync) = &mut m.sync {
        let members: Vec<u32> = threads(warp.index, mask).collect();
        let own = (!whole).then(|| {
            let mut own = BlockClock::default();
            members.iter().for_each(|thread| own.raise_thread(*thread, stamp));
            own
        });
        sync.synchronise(b.index & BLOCK_MASK, &members, own);
    }
}

/// Lanes arrive at a numbered barrier without waiting.
pub(in crate::exec) fn arrive(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: WarpEpoch,
    mask: u32,
    barrier: u32,
) {
    let Some(sync) = &mut m.sync else { return };
    let stamp = b.advance();
    let members: Vec<u32> = threads(warp.index, mask).collect();
    let mut own = BlockClock::new(b.epoch);
    own.raise_warp(warp.index, warp.epoch);
    members.iter().for_each(|thread| own.raise_thread(*thread, stamp));
    sync.arrive(b.index & BLOCK_MASK, barrier, &members, own);
}

/// Lanes of the block's warp number `warp` that wait at a barrier.
#[derive(Debug, Clone, Copy)]
pub(in crate::exec) struct WaitingLanes {
    pub warp: usize,
    pub mask: u32,
}

/// A barrier opens for the lanes that wait at it; `whole_block` when those are all that have not
/// exited.
pub(in crate::exec) fn open_barrier(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    barrier: u32,
    waiting: &[WaitingLanes],
    whole_block: bool,
) {
    let stamp = b.advance();
    let whole_block = whole_block || m.sync.is_none();
    if whole_block {
        b.epoch = stamp;
    }
    let Some(sync) = &mut m.sync else { return };
    let mut own = BlockClock::new(b.epoch);
    let mut members = vec![];
    for WaitingLanes { warp, mask } in waiting {
        let warp = &b.warps[*warp];
        own.raise_warp(warp.index, warp.epoch);
        if *mask == warp.lanes {
            own.raise_warp(warp.index, stamp);
        } else {
            threads(warp.index, *mask).for_each(|thread| own.raise_thread(thread, stamp));
        }
        members.extend(threads(warp.index, *mask));
    }
    sync.open_barrier(b.index & BLOCK_MASK, barrier, &members, (!whole_block).then_some(own));
}
