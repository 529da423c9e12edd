//! The accesses of one word that still matter, one by one, and what a new access makes of them.
//!
//! An access is forgotten when a later one stands for it: ordered after it, on the same bytes, and in conflict with
//! everything that it would be in conflict with. What is ordered after neither can then race with the forgotten one
//! without racing with the other.

use crate::exec::warp::lanes;

/// How an access of memory takes part in synchronisation (PTX ISA, "Memory Consistency Model", "Strong Operations").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strength {
    /// A plain load or store.
    Weak,
    /// Atomic or volatile, for the block's own threads.
    Cta,
    /// Atomic or volatile, for all threads of the device, or beyond.
    Gpu,
}

/// The threads that an access stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crowd {
    /// The one that it names.
    One,
    /// It and others of its warp.
    Lanes,
    /// It and others of its block, in several warps.
    Warps,
    /// It and others in several blocks.
    Blocks,
    /// Exactly these lanes of these warps of its block; kept where more than barriers orders threads.
    These { warps: u32, lanes: u32 },
}

impl Crowd {
    /// The crowd in a cell's kind.
    pub const fn from_bits(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::One,
            1 => Self::Lanes,
            2 => Self::Warps,
            _ => Self::Blocks,
        }
    }

    /// As a cell keeps it.
    pub const fn bits(self) -> Option<u64> {
        match self {
            Self::One => Some(0),
            Self::Lanes => Some(1),
            Self::Warps => Some(2),
            Self::Blocks => Some(3),
            Self::These { .. } => None,
        }
    }
}

/// One past access of a word, or a crowd of them that are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Past {
    pub block: u32,
    pub stamp: u32,
    pub site: u32,
    pub thread: u32,
    /// Bits of the word's bytes that this entry is still about.
    pub bytes: u8,
    /// For a strong access, all its bytes.
    pub extent: u8,
    pub write: bool,
    /// An atomic, which observes what it replaces.
    pub adds: bool,
    /// An asynchronous copy on its way: nothing is ordered after it.
    pub flying: bool,
    pub strong: Strength,
    pub crowd: Crowd,
}

impl Past {
    /// Do the two need an order?
    pub fn conflicts(&self, other: &Self) -> bool {
        self.bytes & other.bytes != 0 && (self.write || other.write) && !self.morally_strong(other)
    }

    /// PTX ISA, "Morally Strong Operations": both strong, in each other's scope, and the same bytes.
    fn morally_strong(&self, other: &Self) -> bool {
        let (a, b) = (self.strong, other.strong);
        a != Strength::Weak
            && b != Strength::Weak
            && (self.block == other.block && self.crowd != Crowd::Blocks
                || a == Strength::Gpu && b == Strength::Gpu)
            && self.extent == other.extent
    }

    /// Is whatever conflicts with `self` also in conflict with `later`?
    fn covered_by(&self, later: &Self) -> bool {
        (later.write || !self.write)
            && match later.strong {
                Strength::Weak => true,
                Strength::Cta => self.strong != Strength::Weak && self.extent == later.extent,
                Strength::Gpu => self.strong == Strength::Gpu && self.extent == later.extent,
            }
    }

    /// The threads that it stands for, as far as they are known.
    pub fn threads(&self) -> impl Iterator<Item = u32> {
        let (warps, all) = self.product();
        lanes(warps).flat_map(move |w| lanes(all).map(move |l| (w * 32 + l) as u32))
    }

    /// Warps and lanes.
    const fn product(&self) -> (u32, u32) {
        match self.crowd {
            Crowd::These { warps, lanes } => (warps, lanes),
            _ => (1 << (self.thread / 32 % 32), 1 << (self.thread % 32)),
        }
    }

    /// Takes in another access that differs by its thread only. False when the two are no product of warps and lanes.
    fn absorb(&mut self, other: &Self) -> bool {
        let ((w, l), (x, m)) = (self.product(), other.product());
        let Self { thread, site, crowd, adds, .. } = *self;
        let like = Self { thread, site, crowd, adds, ..*other };
        let together = like == *self && (w == x || l == m) && !self.flying;
        if together {
            (self.thread, self.site) = (other.thread, other.site);
            if (w, l) != (x, m) {
                self.crowd = Crowd::These { warps: w | x, lanes: l | m };
            }
        }
        together
    }

    fn alike(&self, other: &Self) -> bool {
        (self.write, self.strong, self.extent) == (other.write, other.strong, other.extent)
    }
}

/// The past of a word is at most this long. What is older is forgotten, so that a race with it is missed; it takes this many
/// groups of threads that use one word without an order.
const LONGEST: usize = 64;

/// Records `new` in a word's list. `crowds` tells whether accesses without an order may become a crowd whose members are
/// not known; `ordered` tells what of the past is ordered before it, `settled` what is ordered
/// before everything that may still come.
pub(crate) fn record(
    list: &mut Vec<Past>,
    mut new: Past,
    crowds: bool,
    ordered: impl Fn(&Past) -> bool,
    settled: impl Fn(&Past) -> bool,
) {
    let mut rest = new.bytes;
    let mut joined: [Option<Past>; 4] = [None; 4];
    let mut n = 0;
    list.retain_mut(|p| {
        if settled(p) {
            return false;
        }
        if p.flying || new.flying {
            return true;
        }
        let both = p.bytes & new.bytes;
        if both == 0 {
            return true;
        }
        let before = ordered(p);
        let same = p.crowd == Crowd::One
            && (p.block, p.thread, p.stamp) == (new.block, new.thread, new.stamp);
        if same && before && p.write && p.strong == Strength::Weak && !new.write {
            // nothing can come between a thread's own write and its read at once after it
            rest &= !both;
            return true;
        }
        if (before || p.conflicts(&new)) && p.covered_by(&new) {
            p.bytes &= !both;
        } else if new.adds && p.write && p.crowd == Crowd::One && p.morally_strong(&new) {
            // observation, then base causality: what comes after the atomic comes after what it has observed
            if p.strong == Strength::Cta {
                new.strong = Strength::Cta;
            }
            p.bytes &= !both;
        } else if crowds && p.alike(&new) && n < joined.len() {
            // at most one of a kind per byte
            joined[n] = Some(Past { bytes: both, crowd: join(p, &new), ..new });
            n += 1;
            rest &= !both;
            p.bytes &= !both;
        }
        p.bytes != 0
    });
    list.extend(joined.into_iter().flatten());
    if rest != 0 {
        list.push(Past { bytes: rest, ..new });
    }
    unite(list);
    if !crowds {
        gather(list);
        if list.len() > LONGEST {
            list.remove(0);
        }
    }
}

/// The crowd of two accesses that nothing orders.
fn join(old: &Past, new: &Past) -> Crowd {
    if old.crowd == Crowd::Blocks || old.block != new.block {
        Crowd::Blocks
    } else if old.crowd == Crowd::Warps || old.thread >> 5 != new.thread >> 5 {
        Crowd::Warps
    } else if old.crowd == Crowd::Lanes || old.thread != new.thread {
        Crowd::Lanes
    } else {
        Crowd::One
    }
}

/// The newest entry and those that differ from it by their threads become one.
fn gather(list: &mut Vec<Past>) {
    let Some(mut newest) = list.pop() else { return };
    while let Some(i) = list.iter().position(|p| {
        let mut p = *p;
        p.absorb(&newest)
    }) {
        let mut other = list.remove(i);
        other.absorb(&newest);
        newest = other;
    }
    list.push(newest);
}

/// One entry for bytes that have the same past.
fn unite(list: &mut Vec<Past>) {
    let mut i = 0;
    while i < list.len() {
        let bytes = list[i].bytes;
        let mut j = i + 1;
        while j < list.len() {
            if (Past { bytes, ..list[j] }) == list[i] {
                let other = list.remove(j);
                list[i].bytes |= other.bytes;
            } else {
                j += 1;
            }
        }
        i += 1;
    }
}

/// The side table: pasts of words whose cells cannot hold them.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    all: Vec<Vec<Past>>,
    free: Vec<u32>,
}

impl Lists {
    /// A place for a list.
    pub fn keep(&mut self, list: &mut Vec<Past>) -> u32 {
        // a copy is as long as it has to be
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

    pub fn swap(&mut self, index: u32, list: &mut Vec<Past>) {
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

    /// Renames the stamps of a block's accesses.
    pub fn rename(&mut self, block: u32, to: &impl Fn(u32) -> u32) {
        for p in self.all.iter_mut().flatten().filter(|p| p.block == block) {
            p.stamp = to(p.stamp);
        }
    }

    pub fn clear(&mut self) {
        self.all.clear();
        self.free.clear();
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        let list = |l: &Vec<Past>| l.capacity() * size_of::<Past>();
        self.all.capacity() * size_of::<Vec<Past>>()
            + self.free.capacity() * size_of::<u32>()
            + self.all.iter().map(list).sum::<usize>()
    }
}
