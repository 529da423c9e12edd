//! Loads, stores and atomics of a warp: where they go, bounds, alignment, counting; then hazards and data.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over 32 lanes of several rows, which become vector code"
)]

use super::alu::Rows;
use super::machine::{BlockState, Machine, Place};
use super::warp::lanes;
use super::words::{self, Half, Shape};
use super::{COUNT, FULL, hazards, local};
use crate::FindingKind;
use crate::address::{LOCAL_SLOT, SHARED_SLOT, base, split};
use crate::count;
use crate::decode::op::{Address, MemOp, MemSpace};

/// What an operation does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    Atomic,
}

/// Everything about the lanes that access.
pub(super) struct Who {
    pub mask: u32,
    /// Lanes whose registers may be written.
    pub keep: u32,
    pub local_base: u32,
    pub local_bytes: u32,
}

/// The parts of a warp that are not its registers.
pub(super) struct WarpParts<'w> {
    pub index: u32,
    pub epoch: u32,
    pub local: &'w mut Vec<u32>,
    pub local_written: &'w mut Vec<u32>,
}

/// What an access works on, borrowed apart from the warp's control.
pub(super) struct Context<'c, 'g, 'w> {
    pub m: &'c mut Machine<'g>,
    pub b: &'c mut BlockState,
    pub warp: &'c mut WarpParts<'w>,
    pub rows: &'c mut Rows<'w>,
}

/// Which operation, and what it does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'o> {
    pub index: u32,
    pub op: &'o MemOp,
    pub kind: Kind,
}

/// Byte offsets from some origin, lane by lane. Lanes that do not take part repeat one that does.
struct Offsets {
    low: [u32; 32],
    /// Upper halves, together: not 0 when some lane is below the origin or 4 GiB beyond it.
    high: u32,
}

impl Offsets {
    #[inline(always)]
    fn new(address: impl Fn(usize) -> u64, mask: u32, origin: u64) -> Self {
        let (mut low, mut high) = ([0_u32; 32], 0_u64);
        if mask == u32::MAX {
            for i in 0..32 {
                let o = address(i).wrapping_sub(origin);
                high |= o;
                low[i] = o as u32;
            }
        } else {
            let fill = address(mask.trailing_zeros() as usize & 31).wrapping_sub(origin);
            for i in 0..32 {
                let o = address(i).wrapping_sub(origin);
                let o = if mask >> i & 1 == 1 { o } else { fill };
                high |= o;
                low[i] = o as u32;
            }
        }
        Self { low, high: (high >> 32) as u32 }
    }

    /// Least and greatest offset, all offsets' bits together, and the shape.
    #[inline(always)]
    fn survey(&self, step: u32, full: bool) -> (u32, u32, u32, Shape) {
        if let [Some(a), Some(b)] = Half::both(&self.low, step) {
            let (least, most) = (a.first.min(b.first), a.last(step).max(b.last(step)));
            let shape = Shape {
                run: full && a.run && b.run && b.first == a.first.wrapping_add(16 * step),
                same: !a.run && !b.run && a.first == b.first,
                halves: if full { Some([a, b]) } else { None },
            };
            return (least, most, a.first | b.first, shape);
        }
        let (mut least, mut most, mut bits) = (u32::MAX, 0, 0);
        for o in self.low {
            least = least.min(o);
            most = most.max(o);
            bits |= o;
        }
        (least, most, bits, Shape { run: false, same: false, halves: None })
    }
}

/// Executes memory operation `index`.
#[inline(always)]
pub(super) fn access<const L: u8>(cx: &mut Context<'_, '_, '_>, index: u32, kind: Kind, who: &Who) {
    let op = &cx.m.grid.program.memory[index as usize];
    let request = Request { index, op, kind };
    let first = who.mask.trailing_zeros() as usize & 31;
    let done = match op.address {
        Address::Row64(row) => {
            let a = &cx.rows.x[row as usize].0;
            let by = op.offset as u64;
            let at = a[first].wrapping_add(by);
            let (space, origin) = match op.space {
                MemSpace::Shared => (MemSpace::Shared, 0),
                MemSpace::Local => (MemSpace::Local, 0),
                space => match (space, split(at).0) {
                    (MemSpace::Generic, SHARED_SLOT) => (MemSpace::Shared, base(SHARED_SLOT)),
                    (MemSpace::Generic, LOCAL_SLOT) => (MemSpace::Local, base(LOCAL_SLOT)),
                    (_, slot) => (MemSpace::Global, base(slot)),
                },
            };
            let offsets = Offsets::new(|i| a[i].wrapping_add(by), who.mask, origin);
            go::<L>(cx, &request, who, &offsets, space, split(at).0)
        }
        Address::Row32(row) => {
            let a = &cx.rows.r[row as usize].0;
            let by = op.offset as u32;
            let offsets = Offsets::new(|i| u64::from(a[i].wrapping_add(by)), who.mask, 0);
            let space =
                if op.space == MemSpace::Local { MemSpace::Local } else { MemSpace::Shared };
            go::<L>(cx, &request, who, &offsets, space, 0)
        }
    };
    if !done {
        closely::<L>(cx, &request, who);
    }
}

/// The way of an access whose lanes are all fine, in one array. False, and nothing done, when they are not.
#[inline(always)]
fn go<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    request: &Request<'_>,
    who: &Who,
    offsets: &Offsets,
    space: MemSpace,
    slot: u64,
) -> bool {
    let Request { index, op, kind } = *request;
    let bytes = op.bytes();
    let (least, most, bits, shape) = offsets.survey(bytes, who.mask == u32::MAX);
    if offsets.high != 0 || bits & (bytes - 1) != 0 || space == MemSpace::Local {
        return false;
    }
    let end = u64::from(most) + u64::from(bytes);
    let grid = cx.m.grid;
    let allocation = if space == MemSpace::Shared {
        if end > u64::from(grid.shared_bytes) || !cx.m.shared_inside(least, end as u32) {
            return false;
        }
        None
    } else {
        let allocation =
            (slot as usize).checked_sub(1).and_then(|s| grid.memory.allocations.get(s));
        let Some(a) = allocation else { return false };
        if end > a.bytes || !(a.writable || kind == Kind::Load) {
            return false;
        }
        Some(a)
    };
    if L >= COUNT {
        count_access(cx.m, index, who.mask, bytes, &offsets.low, shape, allocation.is_some());
    }
    let offsets = &offsets.low;
    if L >= FULL {
        let slot = allocation.map(|_| slot - 1);
        hazards::follow(cx, request, who.mask, offsets, slot, shape.same);
    }
    match allocation {
        Some(a) => {
            words::transfer(&mut words::Global(&a.words), cx.rows, op, kind, who, offsets, shape);
        }
        None => {
            words::transfer(
                &mut words::Shared(&mut cx.b.shared),
                cx.rows,
                op,
                kind,
                who,
                offsets,
                shape,
            );
        }
    }
    true
}

#[inline(always)]
fn count_access(
    m: &mut Machine<'_>,
    index: u32,
    mask: u32,
    bytes: u32,
    offsets: &[u32; 32],
    shape: Shape,
    global: bool,
) {
    let site = &mut m.sites[index as usize];
    if global {
        site.requests += 1;
        site.ideal += u64::from(count::ideal_sectors(mask.count_ones(), bytes));
        // allocations are aligned to sectors, so offsets count like addresses
        site.units += u64::from(if shape.run {
            (offsets[0] % 32 + 32 * bytes).div_ceil(32)
        } else if shape.same {
            (offsets[0] % 32 + bytes).div_ceil(32)
        } else if let Some(halves) = shape.halves {
            half_sectors(halves, bytes)
        } else {
            count::sectors(&wide(offsets), mask, bytes)
        });
    } else {
        site.shared_requests += 1;
        let (wavefronts, ideal) = if bytes <= 4 && (shape.run || shape.same) {
            (1, 1)
        } else if let (Some([a, b]), 4) = (shape.halves, bytes) {
            (half_wavefronts(a, b), 1)
        } else {
            count::shared_wavefronts(&wide(offsets), mask, bytes)
        };
        site.wavefronts += u64::from(wavefronts);
        site.wavefronts_ideal += u64::from(ideal);
    }
}

#[inline(always)]
fn wide(offsets: &[u32; 32]) -> [u64; 32] {
    let mut v = [0; 32];
    for i in 0..32 {
        v[i] = u64::from(offsets[i]);
    }
    v
}

/// Sectors that two half-warps touch, each a run or one address: two ranges, which may overlap.
#[inline(always)]
fn half_sectors(halves: [Half; 2], bytes: u32) -> u32 {
    let [(a, z), (b, y)] = halves.map(|h| {
        let length = if h.run { 16 * bytes } else { bytes };
        (h.first / 32, (h.first + length).div_ceil(32))
    });
    let apart = (z - a) + (y - b);
    if a < y && b < z { z.max(y) - a.min(b) } else { apart }
}

/// Wavefronts of two half-warps in 4-byte words: two when a bank has a word of each, and not the same one.
#[inline(always)]
fn half_wavefronts(a: Half, b: Half) -> u32 {
    let (x, y) = (a.first / 4, b.first / 4);
    let length = |h: Half| if h.run { 16 } else { 1 };
    let span = (x + length(a)).max(y + length(b)) - x.min(y);
    let between = y.wrapping_sub(x) % 32;
    1 + u32::from(span > 32 && (between < length(a) || between + length(b) > 32))
}

/// An access that needs a closer look: local memory, several windows or allocations, or something wrong.
#[inline(never)]
fn closely<const L: u8>(cx: &mut Context<'_, '_, '_>, request: &Request<'_>, who: &Who) {
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
    let of = |address: u64| match (op.space, split(address).0) {
        (MemSpace::Generic, SHARED_SLOT) => (MemSpace::Shared, base(SHARED_SLOT)),
        (MemSpace::Generic, LOCAL_SLOT) => (MemSpace::Local, base(LOCAL_SLOT)),
        (MemSpace::Generic, _) => (MemSpace::Global, 0),
        (space, _) => (space, 0),
    };
    let mut rest = who.mask;
    while rest != 0 {
        // one window after the other
        let (space, window) = of(addresses[rest.trailing_zeros() as usize]);
        let here: u32 =
            lanes(rest).filter(|l| of(addresses[*l]).0 == space).fold(0, |all, l| all | 1 << l);
        rest &= !here;
        let part = addresses.map(|a| a.wrapping_sub(window));
        let keep = if here == who.mask { who.keep } else { here };
        let who = Who { mask: here, keep, ..*who };
        if space == MemSpace::Local {
            local::access::<L>(cx, request, &who, &part);
        } else {
            careful::<L>(cx, request, &who, &part, space == MemSpace::Global);
        }
    }
}

/// Each lane by itself: bounds and alignment; then those that are fine, one allocation at a time.
#[inline(never)]
fn careful<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    request: &Request<'_>,
    who: &Who,
    addresses: &[u64; 32],
    global: bool,
) {
    let Request { op, kind, .. } = *request;
    let bytes = op.bytes();
    let mut good = 0_u32;
    let write = kind == Kind::Store;
    for lane in lanes(who.mask) {
        let linear = cx.warp.index * 32 + lane as u32;
        let address = addresses[lane];
        let (place, limits) = if global {
            let (slot, offset) = split(address);
            match (slot as usize).checked_sub(1).and_then(|s| cx.m.grid.memory.allocations.get(s)) {
                Some(a) if a.writable || kind == Kind::Load => {
                    (Place::Global(slot - 1, offset), Some((offset, a.bytes as i64)))
                }
                Some(_) => (Place::Global(slot - 1, offset), Some((offset, 0))),
                None => (Place::Nowhere(address), None),
            }
        } else {
            // 32-bit addresses before the window's start wrap around
            let offset = match op.address {
                Address::Row32(_) if op.space == MemSpace::Shared => {
                    i64::from(address as u32 as i32)
                }
                _ => address as i64,
            };
            let inside = u32::try_from(offset)
                .is_ok_and(|o| o.checked_add(bytes).is_some_and(|end| cx.m.shared_inside(o, end)));
            (Place::Shared(offset), Some((offset, if inside { i64::MAX } else { 0 })))
        };
        let what = match limits {
            None => FindingKind::InvalidAddress,
            Some((offset, limit))
                if offset < 0 || offset.saturating_add(i64::from(bytes)) > limit =>
            {
                FindingKind::OutOfBounds
            }
            Some((offset, _)) if offset % i64::from(bytes) != 0 => FindingKind::Misaligned,
            _ => {
                good |= 1 << lane;
                continue;
            }
        };
        cx.m.fault(what, op, place, cx.b.index, linear, write);
    }
    // the lanes that are fine go on, one allocation at a time; the others read zeros
    if kind != Kind::Store {
        let bad = who.mask & !good;
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
            // one shared array at a time, too
            lanes(good)
                .filter(|l| {
                    let (a, z) =
                        (addresses[*l].min(addresses[first]), addresses[*l].max(addresses[first]));
                    cx.m.shared_inside(a as u32, (z as u32).saturating_add(bytes))
                })
                .fold(0, |all, l| all | 1 << l)
        };
        good &= !same;
        let origin = if global { base(slot) } else { 0 };
        let offsets = Offsets::new(|i| addresses[i], same, origin);
        let who = Who { mask: same, keep: same, ..*who };
        let space = if global { MemSpace::Global } else { MemSpace::Shared };
        go::<L>(cx, request, &who, &offsets, space, slot);
    }
}
