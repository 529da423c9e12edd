//! The reference: full vector clocks, and every access that ever was.

use super::{BLOCKS, How, THREADS, position};
use crate::decode::op::Scope;

pub(super) type Clock = [u32; THREADS];

pub(super) fn join(to: &mut Clock, from: &Clock) {
    to.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
}

#[derive(Default, Clone, Copy)]
pub(super) struct Flag {
    device: Clock,
    cta: [Clock; BLOCKS as usize],
    writer: Option<usize>,
}

/// An access as the reference remembers it.
#[derive(Clone)]
struct Accessed {
    thread: usize,
    /// The thread's own clock at the access.
    time: u32,
    bytes: u8,
    write: bool,
    how: How,
    /// By byte, the earlier writes that are ordered before whatever this one is ordered before.
    stands_for: [Vec<usize>; 4],
}

impl Accessed {
    const fn scope(&self) -> Option<Scope> {
        self.how.scope()
    }
}

fn are_morally_strong(a: &Accessed, b: &Accessed, shared: bool) -> bool {
    let same_block = shared || position(a.thread).block == position(b.thread).block;
    let gpu = Some(Scope::Gpu);
    a.scope().is_some()
        && b.scope().is_some()
        && a.bytes == b.bytes
        && (same_block || a.scope() == gpu && b.scope() == gpu)
}

/// A race of the newest access.
pub(super) struct Race {
    /// An access with block scope races with atomics of other blocks only, each of which an atomic
    /// of its own block has observed since.
    pub only_beyond_scope: bool,
}

#[derive(Default)]
pub(super) struct Reference {
    pub clocks: [Clock; THREADS],
    pub acquired: [Clock; THREADS],
    pub acquired_cta: [Clock; THREADS],
    released: [Clock; THREADS],
    released_cta: [Clock; THREADS],
    pub flags: [Flag; 2],
    pub arrived: [Clock; BLOCKS as usize],
    accesses: Vec<Accessed>,
}

impl Reference {
    pub fn new() -> Self {
        let mut new = Self::default();
        (0..THREADS).for_each(|t| new.clocks[t][t] = 1);
        new
    }

    /// Does this access race with an earlier one? In shared memory every scope is the block.
    pub fn access(
        &mut self,
        thread: usize,
        bytes: u8,
        write: bool,
        how: How,
        shared: bool,
    ) -> Option<Race> {
        let time = self.clocks[thread][thread];
        let mut new = Accessed { thread, time, bytes, write, how, stands_for: Default::default() };
        let mut race = None;
        for byte in (0..4).filter(|byte| bytes >> byte & 1 == 1) {
            for (i, old) in self.accesses.iter().enumerate() {
                let unpolled = (old.how, how) == (How::Volatile, How::Volatile)
                    && old.write != write
                    && !self.is_replaced(i, byte);
                if old.bytes >> byte & 1 == 1
                    && (write || old.write)
                    && (!are_morally_strong(old, &new, shared) || unpolled)
                    && !self.is_before(i, thread, byte)
                {
                    let race = race.get_or_insert(Race { only_beyond_scope: true });
                    race.only_beyond_scope &= !shared
                        && how.scope() == Some(Scope::Cta)
                        && self.is_beyond_scope(i, &new, byte);
                }
            }
            if write && how.scope().is_some() {
                new.stands_for[byte] = self.stood_for(&new, byte, shared);
            }
        }
        self.accesses.push(new);
        race
    }

    /// The writes of a byte that a new strong write stands for: those that are ordered before it,
    /// if they conflict with nothing else than it does, those that it observes as an atomic, and
    /// what these stand for.
    fn stood_for(&self, new: &Accessed, byte: usize, shared: bool) -> Vec<usize> {
        let newest = self.accesses.iter().rposition(|a| a.write && a.bytes >> byte & 1 == 1);
        let observed = newest.filter(|newest| {
            new.how.is_atomic() && are_morally_strong(&self.accesses[*newest], new, shared)
        });
        let directly: Vec<usize> = (0..self.accesses.len())
            .filter(|i| {
                let old = &self.accesses[*i];
                let covered = old.write
                    && old.bytes == new.bytes
                    && old.scope().is_some()
                    && (old.how != How::Volatile || new.how == How::Volatile)
                    && (shared || old.scope() == Some(Scope::Gpu) || new.scope() == old.scope());
                covered && self.is_before(*i, new.thread, byte) || observed == Some(*i)
            })
            .collect();
        let indirectly = directly.iter().flat_map(|i| &self.accesses[*i].stands_for[byte]);
        indirectly.chain(&directly).copied().collect()
    }

    fn standing_for(&self, i: usize, byte: usize) -> impl Iterator<Item = &Accessed> {
        self.accesses[i + 1..].iter().filter(move |later| later.stands_for[byte].contains(&i))
    }

    /// Has an atomic observed the volatile store `i`? No thread loads the stored value any more.
    fn is_replaced(&self, i: usize, byte: usize) -> bool {
        self.standing_for(i, byte).any(|later| later.how != How::Volatile)
    }

    fn is_beyond_scope(&self, i: usize, new: &Accessed, byte: usize) -> bool {
        let old = &self.accesses[i];
        let block = position(new.thread).block;
        old.write
            && old.bytes == new.bytes
            && old.scope().is_some()
            && position(old.thread).block != block
            && self.standing_for(i, byte).any(|later| position(later.thread).block == block)
    }

    /// Is access `i` ordered before what thread `t` does now, as far as one byte shows?
    fn is_before(&self, i: usize, t: usize, byte: usize) -> bool {
        let happens_before = |a: &Accessed| self.clocks[t][a.thread] >= a.time;
        happens_before(&self.accesses[i]) || self.standing_for(i, byte).any(happens_before)
    }
    /// Later accesses of the thread have a later time.
    pub fn tick(&mut self, t: usize) {
        self.clocks[t][t] += 1;
    }

    pub fn synchronise(&mut self, threads: &[usize], arrived: &Clock) {
        let mut joined = *arrived;
        for t in threads {
            for clock in [&self.clocks[*t], &self.acquired[*t], &self.acquired_cta[*t]] {
                join(&mut joined, clock);
            }
        }
        for t in threads {
            self.clocks[*t] = joined;
            (self.acquired[*t], self.acquired_cta[*t]) = Default::default();
            self.tick(*t);
        }
    }

    pub fn fence(&mut self, t: usize, scope: Scope) {
        let cta = std::mem::take(&mut self.acquired_cta[t]);
        join(&mut self.clocks[t], &cta);
        if scope == Scope::Gpu {
            let device = std::mem::take(&mut self.acquired[t]);
            join(&mut self.clocks[t], &device);
            self.released[t] = self.clocks[t];
        }
        self.released_cta[t] = self.clocks[t];
        self.tick(t);
    }

    pub fn load(&mut self, t: usize, flag: u32, scope: Scope, acquire: bool) {
        let flag = self.flags[flag as usize];
        let cta = flag.cta[position(t).block as usize];
        let device = if scope == Scope::Gpu { flag.device } else { Clock::default() };
        if acquire {
            join(&mut self.clocks[t], &cta);
            join(&mut self.clocks[t], &device);
        } else {
            join(&mut self.acquired_cta[t], &cta);
            join(&mut self.acquired[t], &device);
        }
    }

    pub fn store(&mut self, t: usize, flag: u32, scope: Scope, release: bool, atomic: bool) {
        let (device, cta) = if release {
            (self.clocks[t], self.clocks[t])
        } else {
            (self.released[t], self.released_cta[t])
        };
        let nothing = device == Clock::default() && cta == Clock::default();
        let flag = &mut self.flags[flag as usize];
        if !atomic && flag.writer != Some(t) {
            *flag = Flag::default();
        }
        if scope == Scope::Gpu {
            join(&mut flag.device, &device);
        }
        join(&mut flag.cta[position(t).block as usize], &cta);
        if !nothing && (!atomic || release) {
            flag.writer = Some(t);
        }
        if release {
            self.tick(t);
        }
    }
}
