//! Accesses through textures and surfaces: plain ones, as far as order goes. What PTX promises even less for, a texture
//! fetch of what its own thread has written in the same launch, is not looked at.

use super::copies::me;
use super::current_access::{Conflict, touch};
use super::prior_access::Past;
use crate::decode::op::ImageOp;
use crate::exec::machine::{BlockState, Machine, Place};

/// Some bytes of a word that one lane accesses.
pub(in crate::exec) struct Texels {
    pub slot: usize,
    pub word: usize,
    /// A bit per byte.
    pub bytes: u8,
    pub write: bool,
    /// A store of what is there already.
    pub same: bool,
}

/// Records an access by a lane of a warp (its index and epoch), and tells what it races with.
#[inline(never)]
pub(in crate::exec) fn follow(
    m: &mut Machine<'_>,
    b: &BlockState,
    warp: (u32, u32),
    lane: usize,
    op: &ImageOp,
    texels: &Texels,
) {
    let Some(allocation) = m.grid.memory.allocations.get(texels.slot) else { return };
    let Some(shadow) = m.shadows.get_mut(texels.slot).filter(|shadow| shadow.followed()) else {
        return;
    };
    let mut shadow = std::mem::take(shadow);
    let me = me(m, b, warp, lane, op.site, false);
    let know = m.talk.as_mut().and_then(|talk| talk.know(me.who()).cloned());
    let benign = |c: &Conflict| texels.same && c.past.write;
    let new = Past { ..me.past(texels.bytes, texels.write) };
    let found = shadow.pages.cell(texels.word, &allocation.initialised).and_then(|cell| {
        touch(cell, &mut shadow.lists, &mut m.scratch, &me, new, know.as_ref(), benign)
    });
    m.shadows[texels.slot] = shadow;
    if let Some(conflict) = found {
        let first = texels.word as i64 * 4 + i64::from(texels.bytes.trailing_zeros());
        let place = Place::Global(texels.slot as u64, first);
        m.race(&op.memory, place, &me, b.index, conflict, texels.write);
    }
}
