//! Accesses through textures and surfaces, which count as plain ones. PTX promises even less for a
//! texture fetch of what its own thread has written in the same launch, but that is not checked.

use super::current_access::{Conflict, CurrentAccess, check_and_record};
use super::sync::WarpEpoch;
use crate::decode::op::ImageOp;
use crate::exec::machine::{BlockState, Location, Machine};

/// Some bytes of a word that one lane accesses.
pub(in crate::exec) struct Texels {
    pub slot: usize,
    pub word: usize,
    /// A bit per byte.
    pub bytes: u8,
    pub write: bool,
    /// A store of the value that is there already.
    pub same_value: bool,
}

/// Records an access by a lane of a warp, and reports a race.
#[inline(never)]
pub(in crate::exec) fn check(
    m: &mut Machine<'_>,
    b: &BlockState,
    warp: WarpEpoch,
    lane: usize,
    op: &ImageOp,
    texels: &Texels,
) {
    let Some(allocation) = m.grid.memory.allocations.get(texels.slot) else { return };
    let current = CurrentAccess::new(m, b, warp, op.site, false).by_lane(lane);
    let Some(shadow) = m.shadows.get_mut(texels.slot).filter(|shadow| shadow.is_followed()) else {
        return;
    };
    let mut shadow = std::mem::take(shadow);
    let clock = m.sync.as_ref().and_then(|sync| sync.clock(current.thread_id()).cloned());
    let benign = |conflict: &Conflict| texels.same_value && conflict.prior.write;
    let new = current.to_prior(texels.bytes, texels.write);
    let (lists, workspace) = (&mut shadow.lists, &mut m.workspace);
    let cell = shadow.pages.cell(texels.word, allocation);
    let found = cell.and_then(|cell| {
        check_and_record(cell, lists, workspace, &current, new, clock.as_ref(), benign)
    });
    m.shadows[texels.slot] = shadow;
    if let Some(conflict) = found {
        let first = texels.word as i64 * 4 + i64::from(texels.bytes.trailing_zeros());
        let location = Location::Global(texels.slot as u64, first);
        m.race(&op.memory, location, &current, b.index, conflict, texels.write);
    }
}
