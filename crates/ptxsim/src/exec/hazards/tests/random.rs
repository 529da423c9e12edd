//! Random traces.

use std::hash::{BuildHasher, RandomState};

use super::{BLOCKS, Event, How, Setting, THREADS, WARPS};
use crate::decode::op::Scope;

/// A generator of random numbers (SplitMix64).
pub(super) struct Random(u64);

/// A seed that differs from run to run.
pub(super) fn new_seed() -> u64 {
    RandomState::new().hash_one(0) >> 16
}

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 32) % n
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn thread(&mut self) -> usize {
        self.below(THREADS as u64) as usize
    }

    fn block(&mut self) -> u32 {
        self.below(BLOCKS.into()) as u32
    }

    fn members(&mut self) -> u8 {
        1 + self.below(63) as u8
    }

    /// A trace, the setting that it is for, and whether several host threads run it.
    pub fn trace(&mut self) -> (Setting, bool, Vec<Event>) {
        let hosts = self.below(8) == 0;
        let synchronises = !hosts && self.flag();
        let setting = Setting { shared: !hosts && self.flag(), fast: self.flag(), synchronises };
        let length = 1 + self.below(if synchronises { 60 } else { 24 });
        // of every other trace, the accesses are of one size, so that more of them observe others
        let size = self.flag().then(|| self.below(3) as u8);
        // traces without plain accesses, or without scopes, are longer before their first race
        let (plain, cta) = (self.below(6), self.below(3) == 0);
        let volatile = !hosts && self.flag();
        let events = (0..length).map(|_| {
            if synchronises && self.below(2) == 0 {
                return self.synchronisation();
            }
            match self.below(12) {
                0 => Event::Barrier { block: self.block() },
                1 => Event::WarpSync { block: self.block(), warp: self.below(WARPS.into()) as u32 },
                2 => Event::Renumber { block: self.block() },
                _ => self.access(size, plain, cta, volatile, hosts),
            }
        });
        (setting, hosts, events.collect())
    }

    fn access(
        &mut self,
        size: Option<u8>,
        plain: u64,
        cta: bool,
        volatile: bool,
        hosts: bool,
    ) -> Event {
        let bytes = 1 << size.unwrap_or_else(|| self.below(3) as u8);
        let byte = self.below(4) as u8 / bytes * bytes;
        let byte = if size.is_some() { 0 } else { byte };
        let mut write = self.flag();
        let scope = if cta && self.flag() { Scope::Cta } else { Scope::Gpu };
        let how = match self.below(6) {
            n if n < plain => How::Plain,
            1 if volatile => How::Volatile,
            2 if !hosts => How::Strong(scope),
            3 if volatile => How::Volatile,
            _ if hosts || self.flag() => {
                write = true;
                How::Atomic(scope)
            }
            _ => How::Strong(scope),
        };
        Event::Access { thread: self.thread(), byte, bytes, write, how }
    }

    fn synchronisation(&mut self) -> Event {
        let (thread, block, flag) = (self.thread(), self.block(), self.below(2) as u32);
        let scope = if self.below(4) == 0 { Scope::Cta } else { Scope::Gpu };
        let (acquire, release) = (self.flag(), self.flag());
        match self.below(12) {
            0 | 1 => Event::Fence { thread, scope },
            2 | 3 => Event::Load { thread, flag, scope, acquire },
            4 | 5 => Event::Store { thread, flag, scope, release },
            6 | 7 => Event::Add { thread, flag, scope, acquire, release },
            8 => Event::Clear { thread, flag },
            9 => Event::Synchronise { block, members: self.members() },
            10 => Event::Arrive { block, members: self.members() },
            _ => Event::Open { block, members: self.members() },
        }
    }
}
