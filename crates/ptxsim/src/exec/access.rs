//! Loads, stores and atomics of a warp: which memory they access, bounds, alignment, counters. Then
//! the race detector (`hazards`) checks them, and `words` moves the data.
//!
//! Nearly all accesses take [`fast_path`]. It decides about the warp as a whole, by the pattern in
//! which the lanes' addresses lie. Local memory, several arrays, and everything that is wrong take
//! [`slow_path`], lane by lane.

use super::alu::Rows;
use super::copies::Copies;
use super::disturb::Disturbance;
use super::hazards::sync::WarpEpoch;
use super::heap::HeapAccess;
use super::machine::{BlockState, Grid, Location, Machine};
use super::pattern::{Cost, LaneOffsets, Pattern};
use super::undefined::UndefinedValues;
use super::warp::{Observations, Split, lanes};
use super::words::{self, Half, Shape};
use super::{COUNT, FULL, TRACE, disturb, hazards, local};
use crate::address::{LOCAL_SLOT, SHARED_SLOT, base, split};
use crate::count;
use crate::decode::op::{Address, MemOp, MemSpace, Unused};
use crate::{AccessMode, AccessSet, FindingKind};

/// What an operation does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    Atomic,
}

/// The lanes that execute an operation, and their frame of local memory.
pub(super) struct ActiveLanes {
    pub mask: u32,
    /// Lanes whose registers the operation may overwrite: those of `mask`, or all where no other
    /// lane's value is needed.
    pub write_mask: u32,
    /// First byte of the frame in each lane's local memory, and its bytes.
    pub local_base: u32,
    pub local_bytes: u32,
}

/// The parts of a warp that are not its registers.
pub(super) struct WarpParts<'w> {
    pub index: u32,
    pub epoch: u32,
    pub observations: &'w mut Observations,
    pub live: &'w mut u32,
    pub splits: &'w mut Vec<Split>,
    pub local: &'w mut Vec<u32>,
    pub local_written: &'w mut Vec<u32>,
    pub copies: &'w mut Copies,
    pub undefined: &'w mut UndefinedValues,
}

impl WarpParts<'_> {
    pub const fn sync_epoch(&self) -> WarpEpoch {
        WarpEpoch { index: self.index, epoch: self.epoch }
    }
}

/// What the operations of a running split work on: the machine, the block, and the warp in its
/// parts.
pub(super) struct Context<'c, 'g, 'w> {
    pub m: &'c mut Machine<'g>,
    pub b: &'c mut BlockState,
    pub warp: WarpParts<'w>,
    pub rows: Rows<'w>,
}

/// What one lane is about to access.
pub(super) struct LaneAddress {
    pub lane: usize,
    pub address: u64,
    /// Bytes.
    pub reach: u32,
}

/// Which operation, and what it does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'o> {
    pub index: u32,
    pub op: &'o MemOp,
    pub kind: Kind,
}

/// Executes memory operation `index`, whose last pattern is among `patterns`.
#[inline(always)]
pub(super) fn access<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    patterns: &mut [Pattern],
    index: u32,
    kind: Kind,
    active: &ActiveLanes,
) {
    let op = &cx.m.grid.program.memory[index as usize];
    let request = Request { index, op, kind };
    let (mask, first) = (active.mask, active.mask.trailing_zeros() as usize & 31);
    let pattern = &mut patterns[index as usize];
    let done = match op.address {
        Address::Row64(row) => {
            let a = &cx.rows.x[row as usize].0;
            let fits = pattern.fits64(a, mask, first) || pattern.set64(a, mask, first, op.bytes());
            let at = a[first].wrapping_add(op.offset as u64);
            let (space, origin) = match op.space {
                MemSpace::Shared => (MemSpace::Shared, 0),
                MemSpace::Local => (MemSpace::Local, 0),
                space => match (space, split(at).0) {
                    (MemSpace::Generic, SHARED_SLOT) => (MemSpace::Shared, base(SHARED_SLOT)),
                    (MemSpace::Generic, LOCAL_SLOT) => (MemSpace::Local, base(LOCAL_SLOT)),
                    (_, slot) => (MemSpace::Global, base(slot)),
                },
            };
            let origin = at.wrapping_sub(origin);
            fits && fast_path::<L>(cx, &request, active, pattern, origin, space, split(at).0, false)
        }
        Address::Row32(row) => {
            let a = &cx.rows.r[row as usize].0;
            let fits = pattern.fits32(a, mask, first) || pattern.set32(a, mask, first, op.bytes());
            let at = u64::from(a[first].wrapping_add(op.offset as u32));
            let space =
                if op.space == MemSpace::Local { MemSpace::Local } else { MemSpace::Shared };
            fits && fast_path::<L>(cx, &request, active, pattern, at, space, 0, false)
        }
    };
    if !done {
        slow_path::<L>(cx, &request, active);
    }
}

/// The fast path: an access whose lanes are all inside one array and aligned. The lanes lie as
/// `pattern` says, the first at offset `first`. False, and nothing done, when that is not so, or
/// cannot be seen here and [`check_lanes`] has not `checked` it.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "the parts of an access, which stay in machine registers"
)]
fn fast_path<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    request: &Request<'_>,
    active: &ActiveLanes,
    pattern: &mut Pattern,
    first: u64,
    space: MemSpace,
    slot: u64,
    checked: bool,
) -> bool {
    let Request { op, kind, .. } = *request;
    let bytes = op.bytes();
    // a negative offset wraps around, and is then beyond any end
    let least = first.wrapping_add(pattern.least as u64);
    let end = least.saturating_add(pattern.span);
    if !pattern.aligned || first as u32 & (bytes - 1) != 0 || space == MemSpace::Local {
        return false;
    }
    let grid = cx.m.grid;
    let allocation = if space == MemSpace::Shared {
        if end > u64::from(grid.shared_bytes) {
            return false;
        }
        let (from, to) = pattern.shared_range;
        if least < u64::from(from) || end > u64::from(to) {
            match cx.m.shared_range_around(op.array, least as u32, end as u32) {
                Some(range) => pattern.shared_range = range,
                None => return false,
            }
        }
        None
    } else {
        let allocation =
            (slot as usize).checked_sub(1).and_then(|s| grid.memory.allocations.get(s));
        let Some(a) = allocation else { return false };
        if end > a.bytes || !(a.writable || kind == Kind::Load) || a.parted && !checked {
            return false;
        }
        if op.space == MemSpace::Constant && a.writable {
            return false;
        }
        Some(a)
    };
    let first = first as u32;
    if L >= COUNT {
        count_access(cx.m, request, active.mask, pattern, first, allocation.is_some());
    }
    let at = LaneOffsets { pattern, first };
    if L >= FULL {
        let slot = allocation.map(|_| slot - 1);
        match op.unused {
            None => {
                hazards::check(cx, request, active.mask, &at.offsets(), slot, &at.pattern.shape);
            }
            Some(Unused { row, when }) => {
                let holds = cx.rows.p[row as usize];
                let used = active.mask & if when { !holds } else { holds };
                if used != 0 {
                    let shape = Shape::default();
                    hazards::check(cx, request, used, &at.offsets(), slot, &shape);
                }
            }
        }
        if let (Some(touched), Some(slot)) = (cx.m.touched.as_deref_mut(), slot)
            && allocation.is_some_and(|a| !a.parted)
        {
            touch(touched, request, active.mask, &at, slot as usize);
        }
    }
    if L >= TRACE
        && let Some(caches) = cx.m.caches.as_deref_mut()
    {
        let warp = (cx.b.index, cx.warp.index);
        match allocation {
            Some(_) => {
                let at = (slot as u32 - 1, &at.offsets());
                caches.access(warp, kind, at, active.mask, bytes);
            }
            None if kind != Kind::Atomic => caches.shared(&at.offsets(), active.mask, bytes),
            None => {}
        }
    }
    let rows = &mut cx.rows;
    let all_yielded = cx.m.all_yielded;
    let changed = match allocation {
        Some(a) => {
            let mut words =
                words::Global { words: &a.words, vectors: grid.vectors, parallel: cx.m.parallel };
            match grid.disturbance {
                // the other levels have no code for this, because they have to be fast
                Some(disturbance) if L >= TRACE && disturbance.suppresses_accesses() => {
                    disturb::suppressed(&mut words, rows, (op, kind), active, &at, disturbance)
                }
                _ => words::transfer(&mut words, rows, op, kind, active, &at, all_yielded),
            }
        }
        None if grid.disturbance == Some(Disturbance::Exchange) => {
            disturb::transfer(cx.b, rows, (op, kind), (active, cx.warp.index), &at)
        }
        None => {
            let mut words = words::Shared(&mut cx.b.shared);
            words::transfer(&mut words, rows, op, kind, active, &at, all_yielded)
        }
    };
    cx.m.changes += u64::from(changed);
    true
}

/// Records the bytes that the access touches.
#[inline(never)]
fn touch(
    touched: &mut AccessSet,
    request: &Request<'_>,
    mask: u32,
    at: &LaneOffsets<'_>,
    slot: usize,
) {
    let Request { op, kind, .. } = *request;
    let how = match kind {
        _ if op.strong => AccessMode::Strong,
        Kind::Load => AccessMode::Read,
        Kind::Store => AccessMode::Write,
        Kind::Atomic => AccessMode::Strong,
    };
    let (bytes, shape) = (u64::from(op.bytes()), &at.pattern.shape);
    if shape.run {
        touched.bytes(slot, u64::from(at.first), 32 * bytes, how);
    } else {
        let offsets = at.offsets();
        let lanes = if shape.same { mask & mask.wrapping_neg() } else { mask };
        for lane in super::warp::lanes(lanes) {
            touched.bytes(slot, u64::from(offsets[lane]), bytes, how);
        }
    }
}

#[inline(always)]
fn count_access(
    m: &mut Machine<'_>,
    request: &Request<'_>,
    mask: u32,
    pattern: &mut Pattern,
    first: u32,
    global: bool,
) {
    let Request { index, op, kind } = *request;
    let bytes = op.bytes();
    let shape = &pattern.shape;
    let sector = first % 32;
    let cost = if global && shape.run {
        Cost { units: (sector + 32 * bytes).div_ceil(32), ideal: bytes, transactions: 0 }
    } else if global && let Some(halves) = shape.halves {
        let units = half_sectors(halves, first, bytes);
        Cost { units, ideal: bytes.min(units), transactions: 0 }
    } else if !global && bytes == 4 && (shape.run || shape.same) && kind != Kind::Atomic {
        Cost { units: 1, ideal: 1, transactions: 1 }
    } else {
        // besides the pattern, sectors depend only on where in a sector it begins; and moving a
        // shared access by whole words only rotates its banks
        let at = if global { sector } else { 32 + first % 4 };
        if pattern.cost_at != at {
            pattern.cost = cost(pattern, first, mask, request, global);
            pattern.cost_at = at;
        }
        pattern.cost
    };
    let site = &mut m.sites[index as usize];
    if !global {
        site.shared_requests += 1;
        site.shared_words += u64::from(mask.count_ones() * bytes.div_ceil(4));
        site.wavefronts += u64::from(cost.units);
        site.wavefronts_ideal += u64::from(cost.ideal);
        site.transactions += u64::from(cost.transactions);
    } else {
        let lanes = mask.count_ones();
        site.requests += 1;
        site.lanes += u64::from(lanes);
        site.sectors += u64::from(cost.units);
        site.sectors_ideal += u64::from(cost.ideal);
        // one lane may poll a word for the others, as often as it has to
        if kind != Kind::Load || !op.strong || op.volatile {
            site.idle_words += u64::from(count::idle_words(lanes, bytes, cost.ideal));
        }
    }
}

/// The cost of an access of any shape.
#[inline(never)]
fn cost(pattern: &Pattern, first: u32, mask: u32, request: &Request<'_>, global: bool) -> Cost {
    let offsets = widen(&LaneOffsets { pattern, first }.offsets());
    let (op, lanes) = (request.op, mask.count_ones());
    let bytes = op.bytes();
    if global {
        // allocations are aligned to sectors, so offsets count like addresses
        let units = count::sectors(&offsets, mask, bytes);
        return Cost { units, ideal: count::ideal_sectors(lanes, bytes, units), transactions: 0 };
    }
    let (units, transactions) = match op.update() {
        Some(update) => {
            // as many bank conflicts as a load has: the rest of the wavefronts is for the updates
            let (wavefronts, transactions) = count::shared_wavefronts(&offsets, mask, bytes, true);
            let units = match update {
                count::Update::Increment => wavefronts,
                _ => count::atomic_wavefronts(&offsets, mask, update),
            };
            (units, units.saturating_sub(wavefronts - transactions))
        }
        None => count::shared_wavefronts(&offsets, mask, bytes, request.kind == Kind::Load),
    };
    Cost { units, ideal: count::ideal_wavefronts(lanes, bytes, units), transactions }
}

/// The number of sectors that two half-warps touch. Each is a run or one address, so the sectors
/// are two ranges, which may overlap.
#[inline(always)]
fn half_sectors(halves: [Half; 2], first: u32, bytes: u32) -> u32 {
    let [(a, z), (b, y)] = halves.map(|h| {
        let (start, length) = (first.wrapping_add(h.by), if h.run { 16 * bytes } else { bytes });
        (start / 32, (start + length).div_ceil(32))
    });
    let apart = (z - a) + (y - b);
    if a < y && b < z { z.max(y) - a.min(b) } else { apart }
}

#[inline(always)]
fn widen(offsets: &[u32; 32]) -> [u64; 32] {
    let mut v = [0; 32];
    for i in 0..32 {
        v[i] = u64::from(offsets[i]);
    }
    v
}

/// The slow path: an access to local memory or to several windows or allocations, or one with
/// something wrong.
#[inline(never)]
fn slow_path<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    request: &Request<'_>,
    active: &ActiveLanes,
) {
    let op = request.op;
    let mut addresses = [0_u64; 32];
    match op.address {
        Address::Row64(row) => {
            let a = &cx.rows.x[row as usize].0;
            for i in 0..32 {
                addresses[i] = a[i].wrapping_add(op.offset as u64);
            }
        }
        Address::Row32(row) => {
            let a = &cx.rows.r[row as usize].0;
            for i in 0..32 {
                addresses[i] = u64::from(a[i].wrapping_add(op.offset as u32));
            }
        }
    }
    let window_of = |address: u64| match (op.space, split(address).0) {
        (MemSpace::Generic, SHARED_SLOT) => (MemSpace::Shared, base(SHARED_SLOT)),
        (MemSpace::Generic, LOCAL_SLOT) => (MemSpace::Local, base(LOCAL_SLOT)),
        (MemSpace::Generic | MemSpace::Constant, _) => (MemSpace::Global, 0),
        (space, _) => (space, 0),
    };
    let mut rest = active.mask;
    while rest != 0 {
        // the lanes of one window after those of the other
        let (space, window) = window_of(addresses[rest.trailing_zeros() as usize]);
        let here: u32 = lanes(rest)
            .filter(|l| window_of(addresses[*l]).0 == space)
            .fold(0, |all, l| all | 1 << l);
        rest &= !here;
        let part = addresses.map(|a| a.wrapping_sub(window));
        let write_mask = if here == active.mask { active.write_mask } else { here };
        let active = ActiveLanes { mask: here, write_mask, ..*active };
        if space == MemSpace::Local {
            local::access::<L>(cx, request, &active, &part);
        } else {
            check_lanes::<L>(cx, request, &active, &part, space == MemSpace::Global);
        }
    }
}

/// Checks bounds and alignment lane by lane. Then the lanes in bounds take the fast path, those of
/// one allocation at a time.
#[inline(never)]
fn check_lanes<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    request: &Request<'_>,
    active: &ActiveLanes,
    addresses: &[u64; 32],
    global: bool,
) {
    let Request { op, kind, .. } = *request;
    let bytes = op.bytes();
    let mut good = 0_u32;
    for lane in lanes(active.mask) {
        let at = LaneAddress { lane, address: addresses[lane], reach: bytes };
        if check_lane(cx, op, kind, at, global) {
            good |= 1 << lane;
        }
    }
    // the other lanes read zeros
    if kind != Kind::Store {
        let bad = active.mask & !good;
        for row in op.rows.into_iter().filter(|r| *r != u32::MAX) {
            if op.wide {
                cx.rows.set64(row, &[0; 32], bad);
            } else {
                cx.rows.set32(row, &[0; 32], bad);
            }
        }
    }
    while good != 0 {
        let first = good.trailing_zeros() as usize;
        let slot = split(addresses[first]).0;
        let same = if global {
            lanes(good).filter(|l| split(addresses[*l]).0 == slot).fold(0, |all, l| all | 1 << l)
        } else {
            // those of one shared array at a time
            lanes(good)
                .filter(|l| {
                    let (a, z) =
                        (addresses[*l].min(addresses[first]), addresses[*l].max(addresses[first]));
                    cx.m.shared_range_around(op.array, a as u32, (z as u32).saturating_add(bytes))
                        .is_some()
                })
                .fold(0, |all, l| all | 1 << l)
        };
        good &= !same;
        let origin = if global { base(slot) } else { 0 };
        let active = ActiveLanes { mask: same, write_mask: same, ..*active };
        let space = if global { MemSpace::Global } else { MemSpace::Shared };
        let mut pattern = Pattern::default();
        if pattern.set64(addresses, same, first, bytes) {
            let first = addresses[first].wrapping_sub(origin);
            fast_path::<L>(cx, request, &active, &mut pattern, first, space, slot, true);
        }
    }
}

/// Checks whether a lane may access `reach` bytes at `address`, and reports what is wrong if it may
/// not.
pub(super) fn check_lane(
    cx: &mut Context<'_, '_, '_>,
    op: &MemOp,
    kind: Kind,
    LaneAddress { lane, address, reach }: LaneAddress,
    global: bool,
) -> bool {
    let write = kind == Kind::Store;
    let thread = cx.b.thread(cx.warp.index * 32 + lane as u32);
    let (location, limits) = if global {
        let (slot, offset) = split(address);
        let location = Location::Global(slot.wrapping_sub(1), offset);
        let memory = cx.m.grid.memory;
        match memory.slot(address).and_then(|s| memory.allocations.get(s)) {
            Some(a) if a.freed.is_some() => {
                cx.m.fault(FindingKind::UseAfterFree, op, location, thread, write);
                return false;
            }
            Some(a) if a.parted => {
                match cx.m.heap_access(op, slot as usize - 1, offset, thread, write) {
                    Some(HeapAccess::Reported) => return false,
                    Some(HeapAccess::Outside) => (location, Some((offset, 0))),
                    _ => (location, Some((offset, a.bytes as i64))),
                }
            }
            // constant memory has an address space of its own
            Some(a) if a.writable && op.space == MemSpace::Constant => (location, None),
            Some(a) if a.writable || kind == Kind::Load => {
                (location, Some((offset, a.bytes as i64)))
            }
            Some(_) => (location, Some((offset, 0))),
            None => (Location::Unmapped(address), None),
        }
    } else {
        // 32-bit addresses before the window's start wrap around
        let offset = match op.address {
            Address::Row32(_) if op.space == MemSpace::Shared => i64::from(address as u32 as i32),
            _ => address as i64,
        };
        let range = u32::try_from(offset).ok().and_then(|first| {
            let end = first.checked_add(reach)?;
            cx.m.shared_range_around(op.array, first, end)
        });
        let limit = if range.is_some() { i64::MAX } else { 0 };
        (Location::Shared(offset), Some((offset, limit)))
    };
    let what = match limits {
        None => FindingKind::InvalidAddress,
        // a GPU checks the alignment before it looks where the address is
        Some((offset, _)) if offset % i64::from(op.bytes()) != 0 => FindingKind::Misaligned,
        Some((offset, limit)) if offset < 0 || offset.saturating_add(i64::from(reach)) > limit => {
            cx.m.unmapped |= is_unmapped(cx.m.grid, location);
            FindingKind::OutOfBounds
        }
        _ => return true,
    };
    cx.m.fault(what, op, location, thread, write);
    false
}

/// Is this offset so far outside its array that a GPU has no memory there, whatever else the
/// program has allocated?
fn is_unmapped(grid: &Grid<'_>, location: Location) -> bool {
    let Location::Global(slot, offset) = location else { return false };
    let array = grid.memory.allocations.get(slot as usize);
    let bytes = array.map_or(0, |array| array.bytes);
    let beyond = u64::try_from(offset).map_or(offset.unsigned_abs(), |o| o.saturating_sub(bytes));
    beyond > grid.mapped_bytes
}
