//! Writes with block scope that an atomic with device scope observes.
//!
//! What is ordered after an atomic is ordered after the writes that the atomic observes, directly
//! or through other atomics (PTX ISA, "Causality Order"). Usually the atomic therefore stands for
//! the write, and the write is forgotten. An atomic with device scope cannot stand for a write with
//! block scope, because a strong access of another block conflicts with the write only. Such a
//! *narrow* write stays in the list and gets a bit, its *chain*. Each atomic that adds to what is
//! ordered after the write leaves an entry with that bit, an *observer*, which conflicts with
//! nothing. The writes that stand for the narrow one carry the bit, so that an atomic that observes
//! one of them becomes an observer, too.

use super::prior_access::{PriorAccess, Strength};

/// What an access means for the chains of its word, by byte.
#[derive(Debug, Default)]
pub(super) struct Observation {
    /// Chains whose narrow write is ordered before the access.
    ordered: [u8; 4],
    /// Chains of which the access, an atomic, observes a member.
    observed: [u8; 4],
    /// Chains that the access, a strong write, carries on.
    carried: [u8; 4],
}

/// The bytes of a mask, as numbers.
fn bytes_of(mask: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |byte| mask >> byte & 1 == 1)
}

/// The mask of the bytes whose chains have one of `chains`.
fn mask_of(by_byte: &[u8; 4], chains: u8) -> u8 {
    bytes_of(15).filter(|byte| by_byte[*byte] & chains != 0).fold(0, |mask, byte| mask | 1 << byte)
}

/// The entries that stand for `entry` where `chains` differ by byte.
fn split(entry: PriorAccess, chains: &[u8; 4]) -> impl Iterator<Item = PriorAccess> {
    let mut rest = entry.bytes;
    std::iter::from_fn(move || {
        let first = bytes_of(rest).next()?;
        let same = bytes_of(rest).filter(|byte| chains[*byte] == chains[first]);
        let bytes = same.fold(0, |mask, byte| mask | 1 << byte);
        rest &= !bytes;
        Some(PriorAccess { bytes, chains: chains[first], ..entry })
    })
}

impl Observation {
    /// What `new` observes. `last` has for each byte the index of the entry that wrote it last.
    /// Gives a narrow write its bit; where there is none left, `new` becomes a narrow write itself.
    pub fn of(
        list: &mut [PriorAccess],
        new: &mut PriorAccess,
        last: &[usize; 4],
        is_ordered: impl Fn(&PriorAccess) -> bool,
    ) -> Self {
        let mut this = Self::default();
        if list.iter().all(|prior| prior.strength != Strength::Cta) {
            return this;
        }
        for prior in list.iter().filter(|prior| prior.observer || prior.is_narrow()) {
            if prior.chains != 0 && is_ordered(prior) {
                bytes_of(prior.bytes).for_each(|byte| this.ordered[byte] |= prior.chains);
            }
        }
        if !new.write || new.strength == Strength::Weak {
            return this;
        }
        for prior in list.iter().filter(|prior| !prior.observer && !prior.is_narrow()) {
            if prior.chains != 0 && prior.is_covered_by(new) && is_ordered(prior) {
                bytes_of(prior.bytes).for_each(|byte| this.carried[byte] |= prior.chains);
            }
        }
        for byte in bytes_of(new.bytes).filter(|_| new.atomic) {
            let used = list.iter().fold(0, |used, prior| used | prior.chains);
            let Some(prior) = list.get_mut(last[byte]).filter(|prior| prior.is_observed_by(new))
            else {
                continue;
            };
            if prior.is_narrow() && prior.chains == 0 && new.strength == Strength::Gpu {
                if used == u8::MAX {
                    new.strength = Strength::Cta;
                    continue;
                }
                prior.chains = 1 << used.trailing_ones();
                if is_ordered(prior) {
                    bytes_of(prior.bytes).for_each(|byte| this.ordered[byte] |= prior.chains);
                }
            }
            this.observed[byte] |= prior.chains;
            this.carried[byte] |= prior.chains;
        }
        this
    }

    /// Bytes in which a narrow write is ordered before the access.
    pub fn ordered_bytes(&self, prior: &PriorAccess) -> u8 {
        if prior.is_narrow() { mask_of(&self.ordered, prior.chains) } else { 0 }
    }

    /// Bytes in which `new` stands for a narrow write because it observes a member of its chain.
    pub fn replaced_bytes(&self, prior: &PriorAccess, new: &PriorAccess) -> u8 {
        let replaces = prior.is_narrow() && new.strength == Strength::Cta;
        if replaces { mask_of(&self.observed, prior.chains) } else { 0 }
    }

    /// Adds the entries of the new access, which is `new` in the bytes that no other entry stands
    /// for, and removes observers of writes that are gone.
    pub fn add(&self, list: &mut Vec<PriorAccess>, new: PriorAccess) {
        if self.carried != [0; 4] && new.strength == Strength::Gpu {
            let left: [u8; 4] =
                std::array::from_fn(|byte| self.observed[byte] & !self.ordered[byte]);
            let observer = PriorAccess { observer: true, ..new };
            list.extend(split(observer, &left).filter(|observer| observer.chains != 0));
            list.extend(split(new, &self.carried));
        } else if new.bytes != 0 {
            list.push(new);
        }
        if list.iter().any(|prior| prior.chains != 0) {
            let narrow = list.iter().filter(|prior| prior.is_narrow());
            let live = narrow.fold(0, |live, prior| live | prior.chains);
            list.iter_mut().for_each(|prior| prior.chains &= live);
            list.retain(|prior| !prior.observer || prior.chains != 0);
        }
    }
}

/// Is a narrow write ordered before an access of `bytes`, because an observer of each of these
/// bytes is?
pub(super) fn order(
    list: &[PriorAccess],
    prior: &PriorAccess,
    bytes: u8,
    is_ordered: impl Fn(&PriorAccess) -> bool,
) -> bool {
    if prior.chains == 0 || !prior.is_narrow() {
        return false;
    }
    let observers = list.iter().filter(|other| other.observer && other.chains & prior.chains != 0);
    let ordered = observers.filter(|observer| is_ordered(observer));
    prior.bytes & bytes & !ordered.fold(0, |mask, observer| mask | observer.bytes) == 0
}
