//! What orders threads beside memory: fences, warps that meet, numbered barriers.

use super::cell::BLOCK_MASK;
use super::sync_state::{Now, Who};
use super::vector_clock::Of;
use crate::decode::op::Scope;
use crate::exec::machine::{BlockState, Machine};
use crate::exec::warp::{Warp, lanes};

/// Threads of a warp, by mask.
pub(crate) fn threads(warp: u32, mask: u32) -> impl Iterator<Item = u32> {
    lanes(mask).map(move |lane| warp * 32 + lane as u32)
}

/// A fence by the lanes of `mask`; `epoch` is the warp's.
#[inline(never)]
pub(crate) fn fence(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    (warp, epoch): (u32, u32),
    mask: u32,
    scope: Scope,
) {
    let Some(talk) = &mut m.talk else { return };
    let now = Now { block: b.epoch, warp: epoch.max(b.epoch), stamp: b.advance() };
    for thread in threads(warp, mask) {
        talk.fence(Who { block: b.index & BLOCK_MASK, thread }, scope, now);
    }
}

/// `__syncwarp` of the lanes of `mask`, which have all come.
pub(crate) fn warp_meets(m: &mut Machine<'_>, b: &mut BlockState, warp: &mut Warp, mask: u32) {
    let stamp = b.advance();
    let whole = mask & warp.live == warp.live;
    if whole {
        warp.epoch = stamp;
    }
    if let Some(talk) = &mut m.talk {
        let here: Vec<u32> = threads(warp.index, mask).collect();
        let of = (!whole).then(|| {
            let mut of = Of::default();
            here.iter().for_each(|thread| of.thread(*thread, stamp));
            of
        });
        talk.meet(b.index & BLOCK_MASK, &here, of);
    }
}

/// Lanes that come to barrier `id` without waiting for it.
pub(crate) fn arrive(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    (warp, epoch): (u32, u32),
    mask: u32,
    id: u32,
) {
    let Some(talk) = &mut m.talk else { return };
    let stamp = b.advance();
    let here: Vec<u32> = threads(warp, mask).collect();
    let mut of = Of::block(b.epoch);
    of.warp(warp, epoch);
    here.iter().for_each(|thread| of.thread(*thread, stamp));
    talk.arrive(b.index & BLOCK_MASK, id, &here, of);
}

/// Barrier `id` opens for the lanes that wait at it, `here` (warp and mask); `all` when those are all of the block's.
pub(crate) fn barrier_opens(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    id: u32,
    here: &[(usize, u32)],
    all: bool,
) {
    let stamp = b.advance();
    let all = all || m.talk.is_none();
    if all {
        b.epoch = stamp;
    }
    let Some(talk) = &mut m.talk else { return };
    let mut of = Of::block(b.epoch);
    let mut who = vec![];
    for (w, mask) in here {
        let warp = &b.warps[*w];
        of.warp(warp.index, warp.epoch);
        if *mask == warp.lanes {
            of.warp(warp.index, stamp);
        } else {
            threads(warp.index, *mask).for_each(|thread| of.thread(thread, stamp));
        }
        who.extend(threads(warp.index, *mask));
    }
    talk.open(b.index & BLOCK_MASK, id, &who, (!all).then_some(of));
}
