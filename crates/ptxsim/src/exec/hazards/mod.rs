//! The race detector: uninitialised reads and races of each access, before its data moves.
//!
//! Two accesses race when they conflict and neither happens before the other (PTX ISA, "Memory
//! Consistency Model"). The parts, in reading order:
//!
//! * [`cell`]: what is remembered about a word of memory
//! * [`prior_access`]: the same as a list of accesses, and which of them may be forgotten;
//!   [`observers`]: atomics that order a write without standing for it
//! * [`current_access`]: the slow path, which compares a new access with that list
//! * [`fast_path`]: comparisons of whole marks that decide nearly every access
//! * [`sync`]: fences, warps and barriers; [`sync_state`]: releases and acquires; [`vector_clock`]:
//!   the clocks of both
//! * [`locks`]: what a lock does not protect, whichever thread takes it first
//! * [`pages`]: the shadow of global memory; [`renumber`]: what happens when stamps run out
//! * [`copies`] and [`image`]: asynchronous copies, textures and surfaces

pub(crate) mod cell;
pub(super) mod copies;
pub(crate) mod current_access;
mod fast_path;
pub(super) mod image;
mod locks;
mod observers;
pub(crate) mod pages;
pub(crate) mod prior_access;
pub(crate) mod renumber;
pub(crate) mod saved_pages;
pub(crate) mod sync;
pub(crate) mod sync_state;
#[cfg(test)]
mod tests;
mod vector_clock;

use super::access::{Context, Kind, Request};
use super::alu::Rows;
use super::machine::{BlockState, Location, Machine};
use super::warp::lanes;
use super::words::{Half, Shape};
use crate::FindingKind;
use crate::arith::mbarrier;
use crate::decode::op::{AtomicOp, MemOp, Phase, Scope};
use crate::memory::{Allocation, Initialised};
use cell::{MAX_SITE, ShadowCell, site_of};
use current_access::{Conflict, CurrentAccess, check_and_record, is_same_instruction};
use fast_path::FastPath;
use locks::{Change, Exposed, HeldLock};
use pages::{PAGE_WORDS, SlotShadow};
use prior_access::{PriorAccess, PriorLists, Strength};
use sync_state::{Epochs, StrongWrite, SyncAddress};

/// Checks one access and records it. `slot` is the allocation in global memory; `None` is shared
/// memory.
#[inline(always)]
pub(super) fn check(
    cx: &mut Context<'_, '_, '_>,
    request: &Request<'_>,
    mask: u32,
    offsets: &[u32; 32],
    slot: Option<u64>,
    shape: &Shape,
) {
    let Request { index, op, kind } = *request;
    let warp = cx.warp.sync_epoch();
    let (m, b, rows) = (&mut *cx.m, &mut *cx.b, &cx.rows);
    let ordered =
        |slot: u64| m.grid.memory.allocations.get(slot as usize).is_some_and(|a| a.ordered);
    let strength = match slot {
        Some(slot) if op.strong && ordered(slot) => Strength::Weak,
        _ => strength(op, slot.is_none()),
    };
    let current = CurrentAccess {
        strength,
        volatile: op.volatile && index < MAX_SITE,
        ..CurrentAccess::new(m, b, warp, index, slot.is_none())
    };
    let fast_path = FastPath::new(&current);
    let check = AccessCheck { op, kind, mask, offsets, shape, rows, current, fast_path };
    match slot {
        Some(slot) => {
            let grid = m.grid;
            let Some(allocation) = grid.memory.allocations.get(slot as usize) else { return };
            if !m.shadows.get(slot as usize).is_some_and(SlotShadow::is_followed) {
                // the launch cannot write it, so there are no races
                if allocation.initialised != Initialised::All {
                    check.report_uninitialised(m, b, slot, &allocation.initialised);
                }
                return;
            }
            let Some(mut shadow) = m.shadows.get_mut(slot as usize).map(std::mem::take) else {
                return;
            };
            check.check_global(m, b, slot, &mut shadow, allocation);
            m.shadows[slot as usize] = shadow;
        }
        None => {
            let mut shadow = std::mem::take(&mut b.shared_shadow);
            check.check_shared(m, b, &mut shadow);
            b.shared_shadow = shadow;
        }
    }
    if op.strong && m.sync.is_some() {
        check.synchronise(m, b, slot);
    }
}

/// In shared memory every scope is the block.
#[inline(always)]
fn strength(op: &MemOp, shared: bool) -> Strength {
    match (op.strong, op.scope) {
        (false, _) => Strength::Weak,
        (true, Scope::Cta) if !shared => Strength::Cta,
        _ => Strength::Gpu,
    }
}

/// Does the kernel use the old value of an element that it exchanges? If not, the atomic is a
/// store.
fn ignores_old_value(op: &MemOp) -> bool {
    op.atomic == Some(AtomicOp::Exch) && op.rows[0] == u32::MAX
}

/// The first and the last lane of a mask.
const fn first_and_last(mask: u32) -> u32 {
    if mask == 0 { 0 } else { 1 << mask.trailing_zeros() | 1 << (31 - mask.leading_zeros()) }
}

/// Lanes of an access that the fast path may decide together: side by side (`run`), or at one
/// address (`same`).
struct Part {
    mask: u32,
    run: bool,
    same: bool,
}

impl Part {
    #[inline(always)]
    const fn first_lane(&self) -> usize {
        self.mask.trailing_zeros() as usize & 31
    }
}

/// One word of one lane's access.
struct WordAccess {
    lane: usize,
    /// Which of the words that the lane accesses.
    word: usize,
    location: Location,
    /// The word's value.
    old: Option<u32>,
}

/// An access of a warp, as the checks see it.
struct AccessCheck<'a, 'r> {
    op: &'a MemOp,
    kind: Kind,
    mask: u32,
    offsets: &'a [u32; 32],
    shape: &'a Shape,
    rows: &'a Rows<'r>,
    /// The access by the first lane of the warp.
    current: CurrentAccess,
    fast_path: FastPath,
}

impl AccessCheck<'_, '_> {
    /// The first word that a lane accesses, and how many.
    #[inline(always)]
    fn words(&self, lane: usize) -> (usize, usize) {
        (self.offsets[lane] as usize / 4, self.op.bytes().div_ceil(4) as usize)
    }

    /// Bits of the bytes that a lane accesses in a word.
    #[inline(always)]
    fn bytes(&self, lane: usize) -> u8 {
        let bytes = self.op.bytes();
        if bytes >= 4 { 0xf } else { ((1_u8 << bytes) - 1) << (self.offsets[lane] % 4) }
    }

    /// Is it a weak access of whole words, as the fast path needs it?
    #[inline(always)]
    fn is_plain(&self) -> bool {
        !self.op.strong && self.op.bytes() >= 4
    }

    /// Tries the fast path for one word of one lane.
    #[inline(always)]
    fn try_fast(&self, cell: &mut ShadowCell, mark: u64, plain: bool, shared: bool) -> bool {
        match (self.kind, shared) {
            (Kind::Load, true) => plain && self.fast_path.read_shared(cell, mark),
            (Kind::Load, false) => plain && self.fast_path.read_global(cell, mark),
            (Kind::Store, true) => plain && self.fast_path.write_shared(cell, mark),
            (Kind::Store, false) => plain && self.fast_path.write_global(cell, mark),
            (Kind::Atomic, _) => {
                self.current.strength == Strength::Gpu
                    && self.fast_path.update_atomically(cell, mark, shared)
            }
        }
    }

    /// Tries the fast path for one word of one lane's volatile access to shared memory.
    #[inline(always)]
    fn try_fast_strongly(&self, m: &Machine<'_>, cell: &mut ShadowCell, mark: u64) -> bool {
        if !self.op.strong || self.op.bytes() < 4 {
            return false;
        }
        let volatile_sites = &m.workspace.volatile_sites;
        let like = |half| volatile_sites.contains(site_of(half)) == self.current.volatile;
        match self.kind {
            Kind::Load => self.fast_path.read_shared_strongly(cell, mark, like),
            Kind::Store => self.fast_path.write_shared_strongly(cell, mark, like),
            Kind::Atomic => false,
        }
    }

    /// Reports lanes that read bytes which were never initialised, in an allocation that the launch
    /// cannot write.
    fn report_uninitialised(
        &self,
        m: &mut Machine<'_>,
        b: &BlockState,
        slot: u64,
        initialised: &Initialised,
    ) {
        for lane in lanes(self.mask) {
            let (first, n) = self.words(lane);
            let needed = self.bytes(lane);
            if (first..first + n).any(|w| initialised.bits(w) & needed != needed) {
                self.report_uninitialised_word(m, b, lane, self.location(Some(slot), lane, 0));
            }
        }
    }

    #[cold]
    fn report_uninitialised_word(
        &self,
        m: &mut Machine<'_>,
        b: &BlockState,
        lane: usize,
        location: Location,
    ) {
        let thread = b.thread(self.current.by_lane(lane).thread);
        m.fault(FindingKind::UninitialisedRead, self.op, location, thread, false);
    }

    #[inline(always)]
    fn check_global(
        &self,
        m: &mut Machine<'_>,
        b: &BlockState,
        slot: u64,
        shadow: &mut SlotShadow,
        allocation: &Allocation,
    ) {
        let (plain, mark) = (self.is_plain(), self.current.mark());
        let (mut number, mut page): (usize, &mut [ShadowCell]) = (usize::MAX, &mut []);
        for part in self.parts() {
            let first = self.words(part.first_lane()).0;
            if first / PAGE_WORDS != number {
                number = first / PAGE_WORDS;
                page = shadow.pages.page(number, allocation);
            }
            let rest = self.try_fast_part(&part, page.get_mut(first % PAGE_WORDS..), false);
            for lane in lanes(rest) {
                let (first, n) = self.words(lane);
                let needed = self.bytes(lane);
                let mark = mark + lane as u64;
                for w in first..first + n {
                    if w / PAGE_WORDS != number {
                        number = w / PAGE_WORDS;
                        page = shadow.pages.page(number, allocation);
                    }
                    let Some(cell) = page.get_mut(w % PAGE_WORDS) else { continue };
                    let lacks = cell.initialised(None) & needed != needed;
                    if lacks && self.kind != Kind::Store && !ignores_old_value(self.op) {
                        let location = self.location(Some(slot), lane, w - first);
                        self.report_uninitialised_word(m, b, lane, location);
                    }
                    if !self.try_fast(cell, mark, plain, false) {
                        let old = m.grid.memory.word(slot as usize, w);
                        let location = self.location(Some(slot), lane, w - first);
                        let access = WordAccess { lane, word: w - first, location, old };
                        self.check_slowly(m, b, cell, &mut shadow.lists, &access);
                        if self.kind != Kind::Load {
                            cell.count_write();
                        }
                    }
                }
            }
        }
    }

    /// The lanes in parts that may be decided as a whole: the warp, or its halves.
    #[inline(always)]
    fn parts(&self) -> impl Iterator<Item = Part> {
        let Shape { run, same, halves } = self.shape;
        let whole = Part { mask: self.mask, run: *run, same: *same };
        let halves = halves.filter(|_| !run && !same).map(|[a, b]| {
            let half = |mask, half: Half| Part { mask, run: half.run, same: !half.run };
            [half(0xffff, a), half(0xffff_0000, b)]
        });
        let [first, second] = halves.map_or([Some(whole), None], |halves| halves.map(Some));
        first.into_iter().chain(second)
    }

    /// Tries the fast path for the lanes of a part together; returns the mask of those that remain.
    /// `cells` are those from the first lane's word on, to the end of their page at most.
    #[inline(always)]
    fn try_fast_part(&self, part: &Part, cells: Option<&mut [ShadowCell]>, shared: bool) -> u32 {
        let Part { mask, run, same } = *part;
        let Some(cells) = cells.filter(|_| self.is_plain()) else { return mask };
        let bytes = self.op.bytes() as usize;
        let decided = if run && bytes == 4 {
            let mark = self.current.mark() + part.first_lane() as u64;
            match cells.first_chunk_mut::<32>() {
                Some(cells) if mask == u32::MAX => self.try_fast_run(cells, mark, shared),
                _ => match cells.first_chunk_mut::<16>() {
                    Some(cells) if mask != u32::MAX => self.try_fast_run(cells, mark, shared),
                    _ => false,
                },
            }
        } else {
            let words = cells.get(..bytes / 4).filter(|_| same && self.kind == Kind::Load);
            let readable = |cell| self.fast_path.any_thread_may_read(cell, shared);
            if words.is_some_and(|words| words.iter().all(readable)) {
                // a cell cannot tell a warp that reads one address from two of its lanes that do
                return first_and_last(mask);
            }
            false
        };
        if decided { 0 } else { mask }
    }

    #[inline(always)]
    fn try_fast_run<const N: usize>(
        &self,
        cells: &mut [ShadowCell; N],
        mark: u64,
        shared: bool,
    ) -> bool {
        match (self.kind, shared) {
            (Kind::Load, true) => self.fast_path.read_shared_run(cells, mark),
            (Kind::Load, false) => self.fast_path.read_global_run(cells, mark),
            (Kind::Store, true) => self.fast_path.write_shared_run(cells, mark),
            (Kind::Store, false) => self.fast_path.write_global_run(cells, mark),
            (Kind::Atomic, _) => false,
        }
    }

    fn location(&self, slot: Option<u64>, lane: usize, word: usize) -> Location {
        let offset = i64::from(self.offsets[lane]) + word as i64 * 4;
        slot.map_or(Location::Shared(offset), |slot| Location::Global(slot, offset))
    }

    #[inline(always)]
    fn check_shared(&self, m: &mut Machine<'_>, b: &mut BlockState, shadow: &mut [ShadowCell]) {
        let (plain, mark) = (self.is_plain(), self.current.mark());
        for part in self.parts() {
            let first = self.words(part.first_lane()).0;
            for lane in lanes(self.try_fast_part(&part, shadow.get_mut(first..), true)) {
                let (first, n) = self.words(lane);
                let mark = mark + lane as u64;
                for w in first..first + n {
                    let Some(cell) = shadow.get_mut(w) else { break };
                    if !self.try_fast(cell, mark, plain, true)
                        && !self.try_fast_strongly(m, cell, mark)
                    {
                        self.check_shared_slowly(m, b, cell, lane, w);
                    }
                }
            }
        }
    }

    #[inline(never)]
    fn check_shared_slowly(
        &self,
        m: &mut Machine<'_>,
        b: &mut BlockState,
        cell: &mut ShadowCell,
        lane: usize,
        w: usize,
    ) {
        let word = w - self.words(lane).0;
        let needed = self.bytes(lane);
        let location = self.location(None, lane, word);
        let generation = self.current.generation();
        let lacks = cell.initialised(generation) & needed != needed;
        if lacks && self.kind != Kind::Store && !ignores_old_value(self.op) {
            self.report_uninitialised_word(m, b, lane, location);
        }
        let old = b.shared.get(w).copied();
        let mut lists = std::mem::take(&mut b.shared_lists);
        let access = WordAccess { lane, word, location, old };
        self.check_slowly(m, b, cell, &mut lists, &access);
        b.shared_lists = lists;
    }

    /// The slow path for one word of one lane: records the access, and reports a race.
    #[inline(never)]
    fn check_slowly(
        &self,
        m: &mut Machine<'_>,
        b: &BlockState,
        cell: &mut ShadowCell,
        lists: &mut PriorLists,
        access: &WordAccess,
    ) {
        let current = self.current.by_lane(access.lane);
        let write = self.kind != Kind::Load;
        let atomic = self.kind == Kind::Atomic;
        let new = PriorAccess { atomic, ..current.to_prior(self.bytes(access.lane), write) };
        let benign = |conflict: &Conflict| self.stores_same_value(conflict, access);
        if self.kind == Kind::Store
            && self.is_plain()
            && let Some(prior) = self.fast_path.unread_write(cell)
            && benign(&Conflict { prior, same_instruction: is_same_instruction(&prior, &new) })
        {
            // the new write stands for the one before, whatever thread made that
            cell.write = ShadowCell::written(current.mark());
            return;
        }
        let thread = current.thread_id();
        let clock = m.sync.as_mut().and_then(|sync| {
            if write && !self.op.strong && cell.may_be_strong() {
                let slot = access.location.slot();
                let address = self.sync_address(slot, access.lane, 4 * access.word as u32);
                sync.plain_write(thread, address, self.op.bytes().min(4));
            }
            sync.clock(thread).cloned()
        });
        let clock = clock.as_ref();
        let held: Vec<HeldLock> =
            m.sync.as_ref().map_or(vec![], |sync| sync.held_locks(thread).to_vec());
        if !held.is_empty() {
            cell.unpack(current.generation(), lists, &mut m.workspace);
            for (index, lock) in held.iter().enumerate() {
                let prior = m.workspace.list.iter().find(|prior| {
                    let conflict = Conflict { prior: **prior, same_instruction: false };
                    prior.conflicts(&new) && lock.orders(&current, prior) && !benign(&conflict)
                });
                if let (Some(prior), Some(sync)) = (prior, m.sync.as_mut()) {
                    let conflict = Conflict { prior: *prior, same_instruction: false };
                    let exposed = Exposed::new(current, access.location, conflict, write);
                    sync.expose(thread, index, exposed);
                }
            }
            cell.repack(current.generation(), lists, &mut m.workspace);
        }
        let found = check_and_record(cell, lists, &mut m.workspace, &current, new, clock, benign);
        if let Some(conflict) = found {
            m.race(self.op, access.location, &current, b.index, conflict, write);
        }
    }

    fn sync_address(&self, slot: Option<u64>, lane: usize, by: u32) -> SyncAddress {
        let offset = self.offsets[lane] + by;
        slot.map_or(SyncAddress::Shared(offset), |slot| SyncAddress::Global(slot, offset))
    }

    /// The phase of a barrier in memory that a lane arrives in, or whose end it sees; `None` when
    /// it sees no end.
    fn phase(&self, b: &BlockState, lane: usize) -> Option<u32> {
        let w = self.offsets[lane] as usize / 4;
        let now = mbarrier::parity(u64::from(b.shared.get(w + 1).copied().unwrap_or(0)) << 32);
        let Some(waits) = self.op.waits else { return Some(now as u32) };
        let operand = self.rows.x.get(self.op.b as usize).map_or(0, |row| row.0[lane]);
        let phase = match waits {
            Phase::State => mbarrier::parity(operand),
            Phase::Parity => operand & 1,
        };
        (phase != now).then_some(phase as u32)
    }

    /// What a strong access acquires and releases, lane by lane in the order in which its data
    /// moves.
    #[inline(never)]
    fn synchronise(&self, m: &mut Machine<'_>, b: &mut BlockState, slot: Option<u64>) {
        let grid = m.grid;
        let Some(sync) = &mut m.sync else { return };
        let op = self.op;
        let epochs = Epochs {
            block: self.current.block_epoch,
            warp: self.current.warp_epoch,
            stamp: if op.release { b.advance() } else { 0 },
        };
        let release = op.release.then_some(epochs);
        let (mut swapped, mut changed) = (vec![], vec![]);
        let mut taken_at = None;
        let mut exposed: Vec<Exposed> = vec![];
        for lane in lanes(self.mask) {
            let thread = self.current.by_lane(lane).thread_id();
            let mut address = self.sync_address(slot, lane, 0);
            if op.at_barrier {
                // threads that wait for the end of a phase acquire what was released in that phase
                let Some(phase) = self.phase(b, lane) else { continue };
                address = self.sync_address(slot, lane, 4 * phase);
            }
            let change = self.change(lane, address, |w| match slot {
                Some(slot) => grid.memory.word(slot as usize, w),
                None => b.shared.get(w).copied(),
            });
            // of the lanes that change the same word, the first finds what is in memory
            let change = change.filter(|_| !changed.contains(&address));
            let lock = change.and_then(|change| sync.given_back(thread, &change).cloned());
            if let Some(change) = change {
                changed.push(address);
                if lock.is_none() && self.kind == Kind::Atomic {
                    let stamp = *taken_at.get_or_insert_with(|| b.advance());
                    let acquires = op.acquire.then_some(op.scope);
                    sync.take_lock(thread, change, Epochs { stamp, ..epochs }, acquires);
                }
            }
            if self.kind != Kind::Store {
                sync.strong_read(thread, address, op.scope, op.acquire);
            }
            let writes = match self.kind {
                Kind::Load => false,
                Kind::Store => true,
                Kind::Atomic if op.atomic == Some(AtomicOp::Cas) => {
                    let word = |w: usize| match slot {
                        Some(slot) => grid.memory.word(slot as usize, w),
                        None => b.shared.get(w).copied(),
                    };
                    // of the lanes that swap the same word, one succeeds
                    let succeeds = !swapped.contains(&address) && self.compare(lane, word);
                    if succeeds {
                        swapped.push(address);
                    }
                    succeeds
                }
                Kind::Atomic => true,
            };
            if writes {
                let atomic = self.kind == Kind::Atomic;
                let write = StrongWrite { address, scope: op.scope, release, atomic };
                match &lock {
                    Some(lock) => exposed.extend(sync.give_back(thread, lock, write)),
                    None => sync.strong_write(thread, write),
                }
            }
        }
        for Exposed { current, location, conflict, write, .. } in exposed {
            let op = grid.program.memory.get(current.site as usize).unwrap_or(op);
            m.race(op, location, &current, b.index, conflict, write);
        }
    }

    /// The change of its word that a lane's compare-and-swap, exchange or strong store makes, if
    /// that can take a lock or give it back. `word` reads memory.
    fn change(
        &self,
        lane: usize,
        address: SyncAddress,
        word: impl Fn(usize) -> Option<u32>,
    ) -> Option<Change> {
        let op = self.op;
        let new = match (self.kind, op.atomic) {
            (Kind::Atomic, Some(AtomicOp::Cas)) if self.compare(lane, &word) => op.c,
            (Kind::Atomic, Some(AtomicOp::Exch)) => op.b,
            (Kind::Store, _) if op.vector == 1 => op.rows[0],
            _ => return None,
        };
        let w = self.offsets[lane] as usize / 4;
        let (old, new) = if op.wide {
            let row = self.rows.x.get(new as usize)?;
            (u64::from(word(w)?) | u64::from(word(w + 1)?) << 32, row.0[lane])
        } else if op.width == 4 {
            (u64::from(word(w)?), u64::from(self.rows.r.get(new as usize)?.0[lane]))
        } else {
            return None;
        };
        (old != new).then_some(Change { address, old, new })
    }

    /// Does a lane's compare-and-swap find the value that it compares with? `word` reads memory.
    fn compare(&self, lane: usize, word: impl Fn(usize) -> Option<u32>) -> bool {
        let op = self.op;
        let w = self.offsets[lane] as usize / 4;
        if op.wide {
            let old = word(w).zip(word(w + 1));
            let old = old.map(|(low, high)| u64::from(low) | u64::from(high) << 32);
            return old == self.rows.x.get(op.b as usize).map(|row| row.0[lane]);
        }
        let (shift, bits) = match op.width {
            2 => (self.offsets[lane] % 4 * 8, 0xffff),
            _ => (0, u32::MAX),
        };
        let expected = self.rows.r.get(op.b as usize).map(|row| row.0[lane] & bits);
        word(w).map(|old| old >> shift & bits) == expected
    }

    /// The bytes that a lane stores in word `word` of its access, where they are in the word.
    fn stored_value(&self, lane: usize, word: usize) -> Option<u32> {
        let op = self.op;
        let mut value = 0;
        for (e, row) in op.rows.iter().enumerate().take(op.vector as usize) {
            let at = self.offsets[lane] % 4 + e as u32 * op.width;
            if op.wide {
                let x = self.rows.x.get(*row as usize)?.0[lane];
                if word / 2 == e {
                    value = if word.is_multiple_of(2) { x as u32 } else { (x >> 32) as u32 };
                }
            } else if at as usize / 4 == word {
                let x = self.rows.r.get(*row as usize)?.0[lane];
                let bits = u32::MAX >> (32 - 8 * op.width.min(4));
                value |= (x & bits) << (at % 4 * 8);
            }
        }
        Some(value)
    }

    /// Do two unordered stores store the same value? Then every order gives the same result, and
    /// there is nothing to report.
    fn stores_same_value(&self, conflict: &Conflict, access: &WordAccess) -> bool {
        let prior = conflict.prior;
        let WordAccess { lane, word, old, .. } = *access;
        if self.kind != Kind::Store || !prior.write || prior.strength != Strength::Weak {
            return false;
        }
        let bytes = crate::memory::byte_mask(prior.bytes & self.bytes(lane));
        let new = self.stored_value(lane, word).map(|v| v & bytes);
        let other = prior.thread as usize & 31;
        // in a loop, the other lane may have made its store in an earlier iteration
        let together = conflict.same_instruction && self.mask >> other & 1 == 1;
        if together && self.offsets[other] == self.offsets[lane] {
            // two lanes of one instruction, of which neither value is in memory yet
            return self.stored_value(other, word).map(|v| v & bytes) == new;
        }
        old.is_some() && old.map(|v| v & bytes) == new
    }
}
