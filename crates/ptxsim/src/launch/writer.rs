//! The thread that wrote a byte of an array, from what the launch remembers about each word.

use super::Launch;
use crate::Memory;
use crate::address::split;
use crate::decode::Program;
use crate::exec::hazards::cell::{BLOCK_MASK, MAX_SITE};
use crate::exec::hazards::pages::SlotShadow;
use crate::trace::Writer;

/// The last writer of a byte of the array that the parameter with this number points to. `None`
/// where nothing wrote it, or not in the plain way of one thread.
pub(super) fn writer_of(
    (parameter, byte): (u32, u64),
    launch: &Launch,
    program: &Program,
    memory: &Memory,
    shadows: &[SlotShadow],
) -> Option<Writer> {
    let pointer = launch.args.get(parameter as usize)?.first_chunk()?;
    let (slot, offset) = split(u64::from_le_bytes(*pointer));
    let slot = usize::try_from(slot).ok()?.checked_sub(1)?;
    let byte = offset.checked_add_unsigned(byte)?;
    let allocation = memory.allocations.get(slot)?;
    if byte < 0 || byte.unsigned_abs() >= allocation.bytes {
        return None;
    }
    let word = usize::try_from(byte / 4).ok()?;
    let mut cells = shadows.get(slot)?.cells();
    let (block, linear, site) = cells.find(|(number, _)| *number == word)?.1.plain_writer()?;
    let blocks: u64 = launch.grid.iter().map(|n| u64::from(*n)).product();
    // blocks have the same number every million blocks
    if blocks > u64::from(BLOCK_MASK) {
        return None;
    }
    let place = (site < MAX_SITE).then(|| program.memory.get(site as usize)).flatten();
    let place = place.and_then(|op| program.source_of.get(op.pc as usize));
    let source = place.and_then(|place| program.sources.get(*place as usize)).cloned();
    Some(Writer {
        block: position(block, launch.grid),
        thread: position(linear, launch.block),
        source: source.unwrap_or_default(),
    })
}

/// The position with this linear index in a box, x fastest.
fn position(linear: u32, [width, height, _]: [u32; 3]) -> [u32; 3] {
    let (width, height) = (width.max(1), height.max(1));
    [linear % width, linear / width % height, linear / width / height]
}
