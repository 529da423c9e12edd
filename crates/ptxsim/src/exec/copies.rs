//! Asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy").
//!
//! A copy begins with `cp.async`, and is complete once its thread has waited for its group. PTX
//! leaves open when in between the bytes move. Here they move as late as possible: at the wait, or
//! when the thread exits. A thread that does not wait therefore reads the old values. Until then
//! the source counts as being read and the destination as being written, and no access to them is
//! ordered with the copy (`hazards::copies`).

use std::collections::VecDeque;

use super::access::{self, ActiveLanes, Context, Kind, LaneAddress, WarpParts};
use super::alu::Rows;
use super::caches::Caches;
use super::disturb::Disturbance;
use super::hazards::sync::WarpEpoch;
use super::machine::{BlockState, Machine};
use super::warp::lanes;
use super::{COUNT, FULL, TRACE, hazards};
use crate::AccessMode;
use crate::address::split;
use crate::count;
use crate::decode::op::{Address, CopyOp, CopySize, MemOp};

/// Copy instructions of a warp that may be in flight. Beyond it the oldest one completes.
const MAX_IN_FLIGHT: usize = 4096;

/// The asynchronous copies of one warp; `None` before the first one.
#[derive(Debug, Default)]
pub(crate) struct Copies(Option<Box<CopyQueue>>);

#[derive(Debug, Default)]
struct CopyQueue {
    /// The oldest first.
    all: VecDeque<WarpCopy>,
    /// Groups that each lane has committed.
    committed: [u32; 32],
}

/// The copies of one instruction.
#[derive(Debug)]
pub(super) struct WarpCopy {
    pub op: CopyOp,
    /// Lanes whose copies are in flight.
    pub mask: u32,
    /// The number of each lane's group.
    group: [u32; 32],
    pub lanes: [LaneCopy; 32],
}

/// One lane's copy: from a byte of an allocation (slot from 0) to one of shared memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LaneCopy {
    pub slot: u32,
    pub from: u32,
    pub to: u32,
    /// Bytes that it reads; the other bytes that it writes are zeros.
    pub size: u32,
}

impl Copies {
    pub fn clear(&mut self) {
        self.0 = None;
    }

    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|queue| queue.all.is_empty())
    }

    /// Ends the current group of each of these lanes.
    pub fn commit(&mut self, mask: u32) {
        let committed = &mut self.queue().committed;
        lanes(mask).for_each(|lane| committed[lane] = committed[lane].wrapping_add(1));
    }

    fn queue(&mut self) -> &mut CopyQueue {
        self.0.get_or_insert_default()
    }
}

impl CopyQueue {
    /// The lanes of `mask` whose part of a copy has to complete so that at most `groups` groups of
    /// each lane stay in flight.
    fn due(&self, copy: &WarpCopy, mask: u32, groups: u32) -> u32 {
        let due = |lane: &usize| {
            let newer = self.committed[*lane].wrapping_sub(copy.group[*lane]);
            groups == u32::MAX || newer > groups
        };
        lanes(mask & copy.mask).filter(due).fold(0, |all, lane| all | 1 << lane)
    }
}

/// Begins the program's copy operation `index` for the active lanes.
#[inline(never)]
pub(super) fn issue<const L: u8>(cx: &mut Context<'_, '_, '_>, index: u32, active: &ActiveLanes) {
    let program = cx.m.grid.program;
    let Some(op) = program.copies.get(index as usize) else { return };
    let Some([from, to]) = memory_operations(cx.m, op) else { return };
    let (sources, targets) = (addresses(cx, from), addresses(cx, to));
    let mut parts = [LaneCopy::default(); 32];
    let (mut mask, mut reads) = (0_u32, 0_u32);
    for lane in lanes(active.mask) {
        let size = size(&cx.rows, op, lane, to.bytes());
        let source = LaneAddress { lane, address: sources[lane], reach: size };
        let target = LaneAddress { lane, address: targets[lane], reach: to.bytes() };
        let reaches = size == 0 || access::check_lane(cx, from, Kind::Load, source, true);
        if access::check_lane(cx, to, Kind::Store, target, false) && reaches {
            let (slot, offset) = split(sources[lane]);
            parts[lane] = LaneCopy {
                slot: slot.saturating_sub(1) as u32,
                from: offset as u32,
                to: targets[lane] as u32,
                size,
            };
            mask |= 1 << lane;
            reads |= u32::from(size > 0) << lane;
        }
    }
    if L >= COUNT {
        count_copies(cx.m, op, (from, to), (&sources, &targets), (reads, mask));
    }
    let group = cx.warp.copies.queue().committed;
    let copy = WarpCopy { op: *op, mask, group, lanes: parts };
    if L >= FULL {
        hazards::copies::begin(cx.m, cx.b, cx.warp.sync_epoch(), &copy);
        if L >= TRACE
            && let Some(caches) = cx.m.caches.as_deref_mut()
        {
            count_misses(caches, (cx.b.index, cx.warp.index), &copy, reads);
        }
        if let Some(touched) = cx.m.touched.as_deref_mut() {
            for LaneCopy { slot, from, size, .. } in lanes(mask).map(|lane| copy.lanes[lane]) {
                touched.bytes(slot as usize, from.into(), size.into(), AccessMode::Read);
            }
        }
    }
    cx.m.changes += 1;
    let all = &mut cx.warp.copies.queue().all;
    all.push_back(copy);
    if all.len() > MAX_IN_FLIGHT
        && let Some(mut oldest) = all.pop_front()
    {
        let mask = oldest.mask;
        complete::<L>(cx.m, cx.b, cx.warp.sync_epoch(), &mut oldest, mask);
    }
}

/// Waits until at most `groups` groups of each lane of `mask` are in flight; `u32::MAX` waits for
/// all copies, committed or not.
#[inline(never)]
pub(super) fn wait<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut WarpParts<'_>,
    mask: u32,
    groups: u32,
) {
    let warp_epoch = warp.sync_epoch();
    let queue = warp.copies.queue();
    let mut all = std::mem::take(&mut queue.all);
    for copy in &mut all {
        let due = queue.due(copy, mask, groups);
        if due != 0 {
            complete::<L>(m, b, warp_epoch, copy, due);
        }
    }
    all.retain(|copy| copy.mask != 0);
    queue.all = all;
}

/// Moves the bytes of the lanes of `mask`.
fn complete<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: WarpEpoch,
    copy: &mut WarpCopy,
    mask: u32,
) {
    if L >= FULL {
        hazards::copies::end(m, b, warp, copy, mask);
    }
    let Some([_, to]) = memory_operations(m, &copy.op) else { return };
    for lane in lanes(mask) {
        let part = copy.lanes[lane];
        for by in (0..to.bytes()).step_by(4) {
            let bytes = part.size.saturating_sub(by).min(4);
            let suppressed = m.grid.disturbance == Some(Disturbance::Loads);
            let word = if bytes > 0 && !suppressed {
                m.grid.memory.word(part.slot as usize, ((part.from + by) / 4) as usize)
            } else {
                None
            };
            let copied = if bytes == 4 { u32::MAX } else { (1 << (8 * bytes)) - 1 };
            if let Some(word_to) = b.shared.get_mut(((part.to + by) / 4) as usize) {
                *word_to = word.unwrap_or(0) & copied;
            }
            if m.grid.disturbance == Some(Disturbance::Exchange) {
                let thread = warp.index * 32 + lane as u32;
                b.disturbed.store(&mut b.shared, thread, part.to + by, 4);
            }
        }
    }
    copy.mask &= !mask;
    m.changes += 1;
}

/// Bytes that a lane's copy reads, of the `bytes` that it writes.
pub(super) fn size(rows: &Rows<'_>, op: &CopyOp, lane: usize, bytes: u32) -> u32 {
    match op.size {
        CopySize::All => bytes,
        CopySize::Row(row) => rows.r[row as usize].0[lane].min(bytes),
        CopySize::Unless(row) => bytes * (!rows.p[row as usize] >> lane & 1),
    }
}

/// Whether any of these lanes reads a byte in a copy, instead of only writing zeros.
pub(super) fn reads_bytes(cx: &Context<'_, '_, '_>, index: u32, mask: u32) -> bool {
    let program = cx.m.grid.program;
    let Some(op) = program.copies.get(index as usize) else { return false };
    let bytes = program.memory.get(op.from as usize).map_or(0, MemOp::bytes);
    lanes(mask).any(|lane| size(&cx.rows, op, lane, bytes) > 0)
}

/// The memory operations of a copy: its load and its store.
pub(super) fn memory_operations<'g>(m: &Machine<'g>, op: &CopyOp) -> Option<[&'g MemOp; 2]> {
    let all = &m.grid.program.memory;
    Some([all.get(op.from as usize)?, all.get(op.to as usize)?])
}

/// The address of each lane.
pub(super) fn addresses(cx: &Context<'_, '_, '_>, op: &MemOp) -> [u64; 32] {
    match op.address {
        Address::Row64(row) => cx.rows.x[row as usize].0.map(|a| a.wrapping_add(op.offset as u64)),
        Address::Row32(row) => {
            cx.rows.r[row as usize].0.map(|a| u64::from(a.wrapping_add(op.offset as u32)))
        }
    }
}

/// Counts what the caches can't serve of the lanes that read, those of one array at a time.
fn count_misses(caches: &mut Caches, warp: (u32, u32), copy: &WarpCopy, reads: u32) {
    let mut rest = reads;
    while rest != 0 {
        let first = copy.lanes[rest.trailing_zeros() as usize];
        let here = lanes(rest).filter(|lane| copy.lanes[*lane].slot == first.slot);
        let here = here.fold(0, |all, lane| all | 1 << lane);
        let offsets = copy.lanes.map(|lane| lane.from);
        caches.access(warp, Kind::Load, (first.slot, &offsets), here, first.size);
        rest &= !here;
    }
}

/// Counts a copy as a load from global memory and a store to shared memory.
fn count_copies(
    m: &mut Machine<'_>,
    op: &CopyOp,
    (from, to): (&MemOp, &MemOp),
    (sources, targets): (&[u64; 32], &[u64; 32]),
    (reads, mask): (u32, u32),
) {
    let bytes = from.bytes();
    if let Some(site) = m.sites.get_mut(op.from as usize).filter(|_| reads != 0) {
        let units = count::sectors(sources, reads, bytes);
        let lanes = reads.count_ones();
        let ideal = count::ideal_sectors(lanes, bytes, units);
        site.requests += 1;
        site.lanes += u64::from(lanes);
        site.sectors += u64::from(units);
        site.sectors_ideal += u64::from(ideal);
        site.idle_words += u64::from(count::idle_words(lanes, bytes, ideal));
    }
    if let Some(site) = m.sites.get_mut(op.to as usize).filter(|_| mask != 0) {
        let (units, transactions) = count::shared_wavefronts(targets, mask, to.bytes(), false);
        site.shared_requests += 1;
        site.shared_words += u64::from(mask.count_ones() * to.bytes().div_ceil(4));
        site.wavefronts += u64::from(units);
        site.wavefronts_ideal +=
            u64::from(count::ideal_wavefronts(mask.count_ones(), to.bytes(), units));
        site.transactions += u64::from(transactions);
    }
}
