//! The prior accesses of one word that still matter, one by one, and how a new access is added to
//! them.
//!
//! A prior access is forgotten when a later one stands for it. The later one is then ordered after
//! it, accesses the same bytes, and conflicts with everything that the prior one would conflict
//! with. So an access that is ordered after neither of the two cannot race with the forgotten one
//! without racing with the other.

use super::observers::Observation;
use crate::exec::warp::lanes;

/// How an access takes part in synchronisation (PTX ISA, "Memory Consistency Model", "Strong
/// Operations").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strength {
    /// A plain load or store.
    Weak,
    /// Atomic or volatile, with the scope of the block.
    Cta,
    /// Atomic or volatile, with the scope of the device or the system.
    Gpu,
}

/// The threads that a prior access stands for. All but `Exactly` are kept where only barriers and
/// whole-warp synchronisations order threads, because there it is enough to know how far apart the
/// threads are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessGroup {
    /// The thread that it names.
    One,
    /// That thread and others of its warp.
    Lanes,
    /// That thread and others of its block, in several warps.
    Warps,
    /// That thread and others in several blocks.
    Blocks,
    /// Exactly these lanes of these warps of its block.
    Exactly { warps: u32, lanes: u32 },
}

impl AccessGroup {
    /// The group from the two bits in which a shadow cell keeps it.
    pub const fn from_bits(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::One,
            1 => Self::Lanes,
            2 => Self::Warps,
            _ => Self::Blocks,
        }
    }

    /// The bits in which a shadow cell keeps it; `None` when it cannot.
    pub const fn to_bits(self) -> Option<u64> {
        match self {
            Self::One => Some(0),
            Self::Lanes => Some(1),
            Self::Warps => Some(2),
            Self::Blocks => Some(3),
            Self::Exactly { .. } => None,
        }
    }
}

/// A prior access of a word, or several that differ by their threads only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PriorAccess {
    /// The block's number as marks keep it; in shared memory, the generation.
    pub block: u32,
    pub stamp: u32,
    /// The memory operation.
    pub site: u32,
    /// Linear index in the block.
    pub thread: u32,
    /// Bits of the word's bytes that this entry is still about.
    pub bytes: u8,
    /// All the bytes of a strong access; 0 of a weak one.
    pub extent: u8,
    pub write: bool,
    /// An atomic, which observes the value that it replaces.
    pub atomic: bool,
    /// A volatile store, or a volatile load that does not poll. Such a load races with such stores
    /// of other threads, although both are strong.
    pub volatile: bool,
    /// An asynchronous copy in flight: nothing is ordered after it.
    pub in_flight: bool,
    /// The chains of narrow writes that it is a member of (`observers.rs`).
    pub chains: u8,
    /// No access by itself: what is ordered after it is ordered after the narrow writes of its
    /// chains.
    pub observer: bool,
    pub strength: Strength,
    pub group: AccessGroup,
}

impl PriorAccess {
    /// Is it a race when nothing orders the two?
    pub fn conflicts(&self, other: &Self) -> bool {
        self.bytes & other.bytes != 0
            && !self.observer
            && !other.observer
            && (self.write || other.write)
            && (!self.is_morally_strong_with(other) || self.is_unpolled_with(other))
    }

    /// One of the two is a volatile load that does not poll what the other stores.
    fn is_unpolled_with(&self, other: &Self) -> bool {
        self.volatile && other.volatile && self.write != other.write
    }

    /// PTX ISA, "Morally Strong Operations": both strong, each in the other's scope, and on the
    /// same bytes.
    fn is_morally_strong_with(&self, other: &Self) -> bool {
        let (a, b) = (self.strength, other.strength);
        a != Strength::Weak
            && b != Strength::Weak
            && (self.block == other.block && self.group != AccessGroup::Blocks
                || a == Strength::Gpu && b == Strength::Gpu)
            && self.extent == other.extent
    }

    /// Does everything that conflicts with this access also conflict with `later`, which is ordered
    /// after it?
    ///
    /// Of writes with device scope in two blocks the later one stands for both, although accesses
    /// with block scope of its block conflict with the prior one only: the limit of scopes that
    /// the README names.
    ///
    /// A strong write stands for no read. An atomic may observe it, and what is ordered after that
    /// atomic is then ordered after the write, but not after the reads before it.
    pub(super) fn is_covered_by(&self, later: &Self) -> bool {
        if later.strength == Strength::Weak {
            return later.write || !self.write;
        }
        self.write == later.write
            && self.extent == later.extent
            && (later.volatile || !self.volatile)
            && match (self.strength, later.strength) {
                (Strength::Gpu, _) if self.write => true,
                // writes with block scope by the later one's block, and with any scope where the
                // prior one has block scope, conflict with a read of another block only
                (Strength::Gpu, _) | (Strength::Cta, Strength::Cta) => {
                    self.block == later.block && self.group != AccessGroup::Blocks
                }
                _ => false,
            }
    }

    /// Does an atomic observe this access, if it wrote the word last?
    pub(super) fn is_observed_by(&self, atomic: &Self) -> bool {
        self.group == AccessGroup::One && !self.in_flight && self.is_morally_strong_with(atomic)
    }

    /// A strong write with block scope.
    pub(super) fn is_narrow(&self) -> bool {
        self.write && self.strength == Strength::Cta && !self.observer
    }

    /// The linear indices of the threads that it stands for: all of an exact group, else the named
    /// one.
    pub fn threads(&self) -> impl Iterator<Item = u32> {
        let (warps, lane_mask) = self.warps_and_lanes();
        lanes(warps).flat_map(move |w| lanes(lane_mask).map(move |l| (w * 32 + l) as u32))
    }

    const fn warps_and_lanes(&self) -> (u32, u32) {
        match self.group {
            AccessGroup::Exactly { warps, lanes } => (warps, lanes),
            _ => (1 << (self.thread / 32 % 32), 1 << (self.thread % 32)),
        }
    }

    /// Takes in another access that differs by its threads only. False, and nothing done, when the
    /// threads of both together are not the same lanes in each of some warps.
    fn absorb(&mut self, other: &Self) -> bool {
        let ((w, l), (x, m)) = (self.warps_and_lanes(), other.warps_and_lanes());
        let Self { thread, site, group, atomic, .. } = *self;
        let like_this = Self { thread, site, group, atomic, ..*other };
        let fits = like_this == *self && (w == x || l == m) && !self.in_flight;
        if fits {
            (self.thread, self.site) = (other.thread, other.site);
            if (w, l) != (x, m) {
                self.group = AccessGroup::Exactly { warps: w | x, lanes: l | m };
            }
        }
        fits
    }

    fn is_like(&self, other: &Self) -> bool {
        let class = |p: &Self| (p.write, p.strength, p.extent, p.volatile);
        class(self) == class(other)
    }

    fn is_strong_write(&self) -> bool {
        self.write && self.strength != Strength::Weak
    }
}

/// Entries that the list of one word may have. Beyond it the oldest read is forgotten, or the
/// oldest write if there are no reads, so that a race with it is missed. It takes this many groups
/// of threads that use one word without an order.
const MAX_LIST_LENGTH: usize = 64;

/// Which accesses may become one entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grouping {
    /// Unordered accesses whose threads are then not known exactly.
    pub unknown_threads: bool,
    /// Strong writes. An atomic observes one of them, and orders it before other threads.
    pub strong_writes: bool,
}

/// Adds `new` to a word's list of prior accesses, in which writes are in the order of their
/// execution.
///
/// `is_ordered` says whether a prior access is ordered before the new one, and `is_outdated`
/// whether it is ordered before every access that can still follow.
pub(crate) fn record(
    list: &mut Vec<PriorAccess>,
    mut new: PriorAccess,
    grouping: Grouping,
    is_ordered: impl Fn(&PriorAccess) -> bool,
    is_outdated: impl Fn(&PriorAccess) -> bool,
) {
    if !new.write && !new.in_flight && list.contains(&new) {
        return;
    }
    let may_group = grouping.strong_writes || !new.is_strong_write();
    // the bytes of the new access that no other entry stands for
    let mut rest = new.bytes;
    let mut grouped: [Option<PriorAccess>; 4] = [None; 4];
    let mut groups = 0;
    let last = if new.atomic { last_writes(list, new.bytes) } else { [usize::MAX; 4] };
    let observation = Observation::of(list, &mut new, &last, &is_ordered);
    let mut index = 0;
    list.retain_mut(|prior| {
        let is_last = (0..4).filter(|byte| last[*byte] == index);
        let observed = is_last.fold(0, |bytes, byte| bytes | 1_u8 << byte);
        index += 1;
        if is_outdated(prior) {
            return false;
        }
        if prior.in_flight || new.in_flight || prior.observer {
            return true;
        }
        let both = prior.bytes & new.bytes;
        if both == 0 {
            return true;
        }
        let before = is_ordered(prior);
        let same_moment = prior.group == AccessGroup::One
            && (prior.block, prior.thread, prior.stamp) == (new.block, new.thread, new.stamp);
        if same_moment && before && prior.write && prior.strength == Strength::Weak && !new.write {
            // whatever is unordered with a thread's read right after its own write is unordered
            // with the write, too
            rest &= !both;
            return true;
        }
        let mut gone = 0;
        if prior.is_covered_by(&new) {
            gone = if before || prior.conflicts(&new) {
                both
            } else {
                let ordered = observation.ordered_bytes(prior);
                both & (ordered | observation.replaced_bytes(prior, &new))
            };
        }
        let stays_narrow = prior.is_narrow() && new.strength == Strength::Gpu;
        if observed & !gone != 0 && prior.is_observed_by(&new) && !stays_narrow {
            // observation, then base causality: what is ordered after the atomic is ordered after
            // the write it observed
            gone |= observed;
        }
        if gone != 0 {
            prior.bytes &= !gone;
        } else if grouping.unknown_threads
            && may_group
            && prior.is_like(&new)
            && groups < grouped.len()
        {
            // there is at most one such entry per byte
            let group = smallest_group(prior, &new);
            grouped[groups] = Some(PriorAccess { bytes: both, group, ..new });
            groups += 1;
            rest &= !both;
            prior.bytes &= !both;
        }
        prior.bytes != 0
    });
    list.extend(grouped.into_iter().flatten());
    observation.add(list, PriorAccess { bytes: rest, ..new });
    if list.iter().any(|prior| prior.bytes != new.bytes) {
        merge_bytes(list);
    }
    if !grouping.unknown_threads && may_group {
        merge_threads(list);
    }
    if list.len() > MAX_LIST_LENGTH {
        let oldest_read = list.iter().position(|prior| !prior.write && !prior.in_flight);
        let oldest = || list.iter().position(|prior| !prior.in_flight && !prior.observer);
        list.remove(oldest_read.or_else(oldest).unwrap_or(0));
    }
}

/// For each of `bytes`, the entry that wrote it last.
fn last_writes(list: &[PriorAccess], bytes: u8) -> [usize; 4] {
    std::array::from_fn(|byte| {
        let wrote = |prior: &PriorAccess| {
            prior.write && !prior.observer && prior.bytes & bytes & 1 << byte != 0
        };
        list.iter().rposition(wrote).unwrap_or(usize::MAX)
    })
}

/// The smallest group with the threads of two unordered accesses.
fn smallest_group(old: &PriorAccess, new: &PriorAccess) -> AccessGroup {
    if old.group == AccessGroup::Blocks || old.block != new.block {
        AccessGroup::Blocks
    } else if old.group == AccessGroup::Warps || old.thread >> 5 != new.thread >> 5 {
        AccessGroup::Warps
    } else if old.group == AccessGroup::Lanes || old.thread != new.thread {
        AccessGroup::Lanes
    } else {
        AccessGroup::One
    }
}

/// Makes one entry of the newest one and those that differ from it by their threads only.
fn merge_threads(list: &mut Vec<PriorAccess>) {
    let Some(mut newest) = list.pop() else { return };
    while let Some(i) = list.iter().position(|prior| {
        let mut prior = *prior;
        prior.absorb(&newest)
    }) {
        let mut other = list.remove(i);
        other.absorb(&newest);
        newest = other;
    }
    list.push(newest);
}

/// Makes one entry of those that differ by their bytes only.
pub(super) fn merge_bytes(list: &mut Vec<PriorAccess>) {
    let mut i = 0;
    while i < list.len() {
        let bytes = list[i].bytes;
        let mut j = i + 1;
        while j < list.len() {
            if (PriorAccess { bytes, ..list[j] }) == list[i] {
                let other = list.remove(j);
                list[i].bytes |= other.bytes;
            } else {
                j += 1;
            }
        }
        i += 1;
    }
}

/// Memory operations, by their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct SiteSet(Vec<u64>);

impl FromIterator<u32> for SiteSet {
    fn from_iter<I: IntoIterator<Item = u32>>(sites: I) -> Self {
        let mut set = vec![];
        for site in sites {
            let word = site as usize / 64;
            if set.len() <= word {
                set.resize(word + 1, 0);
            }
            set[word] |= 1 << (site % 64);
        }
        Self(set)
    }
}

impl SiteSet {
    pub fn contains(&self, site: u32) -> bool {
        self.0.get(site as usize / 64).is_some_and(|word| word >> (site % 64) & 1 == 1)
    }
}

/// What the slow path works with.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// The prior accesses of the word at hand.
    pub list: Vec<PriorAccess>,
    /// The operations whose accesses have [`PriorAccess::volatile`] set. Marks do not say it.
    pub volatile_sites: SiteSet,
    /// The kernel has atomics.
    pub atomics: bool,
}

/// The side table: lists of prior accesses of words whose shadow cells cannot hold them.
#[derive(Debug, Default)]
pub(crate) struct PriorLists {
    all: Vec<Vec<PriorAccess>>,
    free: Vec<u32>,
}

impl PriorLists {
    /// Moves a list into the table; its index there.
    pub fn insert(&mut self, list: &mut Vec<PriorAccess>) -> u32 {
        // a copy takes no more room than it needs
        let exact = list.clone();
        list.clear();
        match self.free.pop() {
            Some(index) => {
                self.all[index as usize] = exact;
                index
            }
            None => {
                self.all.push(exact);
                self.all.len() as u32 - 1
            }
        }
    }

    pub fn get_mut(&mut self, index: u32) -> Option<&mut Vec<PriorAccess>> {
        self.all.get_mut(index as usize)
    }

    pub fn swap(&mut self, index: u32, list: &mut Vec<PriorAccess>) {
        if let Some(kept) = self.all.get_mut(index as usize) {
            std::mem::swap(kept, list);
        }
    }

    pub fn free(&mut self, index: u32) {
        if let Some(kept) = self.all.get_mut(index as usize) {
            *kept = vec![];
            self.free.push(index);
        }
    }

    /// Replaces the stamps of a block's accesses by what `map` makes of them.
    pub fn renumber(&mut self, block: u32, map: &impl Fn(u32) -> u32) {
        for prior in self.all.iter_mut().flatten().filter(|prior| prior.block == block) {
            prior.stamp = map(prior.stamp);
        }
    }

    pub fn clear(&mut self) {
        self.all.clear();
        self.free.clear();
    }

    /// Bytes of host memory that the table takes.
    pub fn bytes(&self) -> usize {
        let list = |l: &Vec<PriorAccess>| l.capacity() * size_of::<PriorAccess>();
        self.all.capacity() * size_of::<Vec<PriorAccess>>()
            + self.free.capacity() * size_of::<u32>()
            + self.all.iter().map(list).sum::<usize>()
    }
}
