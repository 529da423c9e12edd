//! The accesses of one word that still matter, one by one, and what a new access makes of them.
//!
//! An access is forgotten when a later one stands for it: ordered after it, on the same bytes, and in conflict with
//! everything that it would be in conflict with. What is ordered after neither can then race with the forgotten one
//! without racing with the other.

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
    One = 0,
    /// It and others of its warp.
    Lanes = 1,
    /// It and others of its block, in several warps.
    Warps = 2,
    /// It and others in several blocks.
    Blocks = 3,
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
        Some(self as u64)
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

    fn alike(&self, other: &Self) -> bool {
        (self.write, self.strong, self.extent) == (other.write, other.strong, other.extent)
    }
}

/// Records `new` in a word's list. `ordered` tells what of the past is ordered before it, `settled` what is ordered
/// before everything that may still come.
pub(crate) fn record(
    list: &mut Vec<Past>,
    new: Past,
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
        } else if p.alike(&new) && n < joined.len() {
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

/// One entry for bytes that have the same past.
fn unite(list: &mut Vec<Past>) {
    let mut i = 0;
    while i < list.len() {
        let bytes = list[i].bytes;
        let mut j = i + 1;
        while j < list.len() {
            if (Past { bytes, ..list[j] }) == list[i] {
                let other = list.swap_remove(j);
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

    pub fn clear(&mut self) {
        self.all.clear();
        self.free.clear();
    }

    /// Bytes that it takes.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        let list = |l: &Vec<Past>| l.capacity() * size_of::<Past>();
        self.all.capacity() * size_of::<Vec<Past>>()
            + self.free.capacity() * size_of::<u32>()
            + self.all.iter().map(list).sum::<usize>()
    }
}
