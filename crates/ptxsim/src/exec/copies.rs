//! Asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy").
//!
//! A copy begins with `cp.async` and has arrived once its thread has waited for its group. When in between the bytes
//! move is open; here they move as late as they may, so that whoever does not wait sees what was there before: at the
//! wait, or when the thread leaves. Until then the source is being read and the destination being written, and nothing
//! that any thread does there is ordered with it (`hazards::copies`).

use super::access::{self, ActiveLanes, Context, Kind, WarpParts};
use super::alu::Rows;
use super::machine::{BlockState, Machine};
use super::warp::lanes;
use super::{COUNT, FULL, hazards};
use crate::AccessMode;
use crate::address::split;
use crate::count;
use crate::decode::op::{Address, CopyOp, CopySize, MemOp};

/// Instructions of a warp whose copies are on their way at most: beyond it the oldest arrive.
const MOST: usize = 4096;

/// The copies of one warp; nothing in kernels that copy nothing.
#[derive(Debug, Default)]
pub(crate) struct Copies(Option<Box<Flights>>);

#[derive(Debug, Default)]
struct Flights {
    all: Vec<Flight>,
    /// Groups that each lane has committed.
    committed: [u32; 32],
}

/// One instruction's copies.
#[derive(Debug)]
pub(super) struct Flight {
    /// Memory operations.
    pub op: CopyOp,
    /// Lanes whose copies have not arrived.
    pub mask: u32,
    /// Number of each lane's group.
    group: [u32; 32],
    pub lanes: [Part; 32],
}

/// One lane's copy: from a byte of an allocation (slot from 0) to one of shared memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part {
    pub slot: u32,
    pub from: u32,
    pub to: u32,
    /// Bytes that are read.
    pub size: u32,
}

impl Copies {
    pub fn clear(&mut self) {
        self.0 = None;
    }

    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|flights| flights.all.is_empty())
    }

    /// Ends a group of each of these lanes.
    pub fn commit(&mut self, mask: u32) {
        let committed = &mut self.flights().committed;
        lanes(mask).for_each(|lane| committed[lane] = committed[lane].wrapping_add(1));
    }

    fn flights(&mut self) -> &mut Flights {
        self.0.get_or_insert_default()
    }
}

impl Flights {
    /// The lanes of `mask` in a flight that are to have arrived when at most `groups` of each lane are on their way.
    fn due(&self, flight: &Flight, mask: u32, groups: u32) -> u32 {
        let due = |lane: &usize| {
            let newer = self.committed[*lane].wrapping_sub(flight.group[*lane]);
            groups == u32::MAX || newer > groups
        };
        lanes(mask & flight.mask).filter(due).fold(0, |all, lane| all | 1 << lane)
    }
}

/// Begins copy number `index` for the lanes of `who`.
#[inline(never)]
pub(super) fn issue<const L: u8>(cx: &mut Context<'_, '_, '_>, index: u32, active: &ActiveLanes) {
    let program = cx.m.grid.program;
    let Some(op) = program.copies.get(index as usize) else { return };
    let Some([from, to]) = memory(cx.m, op) else { return };
    let (sources, targets) = (addresses(cx, from), addresses(cx, to));
    let mut parts = [Part::default(); 32];
    let (mut mask, mut reads) = (0_u32, 0_u32);
    for lane in lanes(active.mask) {
        let size = size(&cx.rows, op, lane, to.bytes());
        let reaches =
            size == 0 || access::sound(cx, from, Kind::Load, (lane, sources[lane], size), true);
        let whole = (lane, targets[lane], to.bytes());
        if access::sound(cx, to, Kind::Store, whole, false) && reaches {
            let (slot, offset) = split(sources[lane]);
            parts[lane] = Part {
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
    let group = cx.warp.copies.flights().committed;
    let flight = Flight { op: *op, mask, group, lanes: parts };
    if L >= FULL {
        hazards::copies::begin(cx.m, cx.b, (cx.warp.index, cx.warp.epoch), &flight);
        if let Some(touched) = cx.m.touched.as_deref_mut() {
            for Part { slot, from, size, .. } in lanes(mask).map(|lane| flight.lanes[lane]) {
                touched.bytes(slot as usize, from.into(), size.into(), AccessMode::Read);
            }
        }
    }
    cx.m.changes += 1;
    let all = &mut cx.warp.copies.flights().all;
    all.push(flight);
    if all.len() > MOST {
        let mut oldest = all.remove(0);
        let mask = oldest.mask;
        arrive::<L>(cx.m, cx.b, (cx.warp.index, cx.warp.epoch), &mut oldest, mask);
    }
}

/// Waits until at most `groups` groups of each lane of `mask` are on their way.
#[inline(never)]
pub(super) fn wait<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut WarpParts<'_>,
    mask: u32,
    groups: u32,
) {
    let (index, epoch) = (warp.index, warp.epoch);
    let flights = warp.copies.flights();
    let mut all = std::mem::take(&mut flights.all);
    for flight in &mut all {
        let due = flights.due(flight, mask, groups);
        if due != 0 {
            arrive::<L>(m, b, (index, epoch), flight, due);
        }
    }
    all.retain(|flight| flight.mask != 0);
    flights.all = all;
}

/// Moves the bytes of the lanes of `mask`.
fn arrive<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: (u32, u32),
    flight: &mut Flight,
    mask: u32,
) {
    if L >= FULL {
        hazards::copies::end(m, b, warp, flight, mask);
    }
    let Some([_, to]) = memory(m, &flight.op) else { return };
    for lane in lanes(mask) {
        let part = flight.lanes[lane];
        for by in (0..to.bytes()).step_by(4) {
            let bytes = part.size.saturating_sub(by).min(4);
            let word = if bytes > 0 {
                m.grid.memory.word(part.slot as usize, ((part.from + by) / 4) as usize)
            } else {
                None
            };
            let known = if bytes == 4 { u32::MAX } else { (1 << (8 * bytes)) - 1 };
            if let Some(word_to) = b.shared.get_mut(((part.to + by) / 4) as usize) {
                *word_to = word.unwrap_or(0) & known;
            }
        }
    }
    flight.mask &= !mask;
    m.changes += 1;
}

/// Bytes that a lane's copy reads, of those that it writes.
pub(super) fn size(rows: &Rows<'_>, op: &CopyOp, lane: usize, bytes: u32) -> u32 {
    match op.size {
        CopySize::All => bytes,
        CopySize::Row(row) => rows.r[row as usize].0[lane].min(bytes),
        CopySize::Unless(row) => bytes * (!rows.p[row as usize] >> lane & 1),
    }
}

/// What a copy reads and what it writes.
pub(super) fn memory<'g>(m: &Machine<'g>, op: &CopyOp) -> Option<[&'g MemOp; 2]> {
    let all = &m.grid.program.memory;
    Some([all.get(op.from as usize)?, all.get(op.to as usize)?])
}

fn addresses(cx: &Context<'_, '_, '_>, op: &MemOp) -> [u64; 32] {
    match op.address {
        Address::Row64(row) => cx.rows.x[row as usize].0.map(|a| a.wrapping_add(op.offset as u64)),
        Address::Row32(row) => {
            cx.rows.r[row as usize].0.map(|a| u64::from(a.wrapping_add(op.offset as u32)))
        }
    }
}

/// A load from global memory and a store to shared memory, which moves past the registers.
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
        site.requests += 1;
        site.lanes += u64::from(reads.count_ones());
        site.units += u64::from(units);
        site.ideal += u64::from(count::ideal_sectors(reads.count_ones(), bytes, units));
    }
    if let Some(site) = m.sites.get_mut(op.to as usize).filter(|_| mask != 0) {
        let (units, transactions) = count::shared_wavefronts(targets, mask, to.bytes(), false);
        site.shared_requests += 1;
        site.wavefronts += u64::from(units);
        site.wavefronts_ideal +=
            u64::from(count::ideal_wavefronts(mask.count_ones(), to.bytes(), units));
        site.transactions += u64::from(transactions);
    }
}
