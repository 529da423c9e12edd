//! Threads that synchronise beyond block barriers and whole-warp `__syncwarp`s: fences, flags, locks, partial masks,
//! numbered barriers (PTX ISA, "Memory Consistency Model": release and acquire patterns, synchronisation, causality).
//!
//! * A strong write after a fence, or a releasing one, leaves at its address what its thread knew at the fence; atomics
//!   add to what is there, other writes replace it.
//! * A strong read hears what is at its address. An acquiring one knows it at once, others once their thread comes to a
//!   fence, or to a barrier that its block or warp meets at (CUDA C++ Programming Guide, "Memory Fence Functions": the
//!   reduction by the last block relies on it).
//! * Operations for the block only (`.cta`, `__threadfence_block`, `atomicAdd_block`) carry nothing to other blocks.
//! * Whatever a thread knows it passes on (causality order is transitive).

use std::collections::HashMap;

use super::vector_clock::{Know, Of, Renamed};
use crate::decode::op::Scope;

/// A thread: block index as marks keep it, and linear index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Who {
    pub block: u32,
    pub thread: u32,
}

/// Where a strong access went: a slot of global memory, or the block's own shared memory, and the byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Global(u64, u32),
    Shared(u32),
}

/// Since when the others of its block are ordered before a thread: stamps of the last barrier, of the last whole-warp
/// synchronisation, and the present.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Now {
    pub block: u32,
    pub warp: u32,
    pub stamp: u32,
}

/// What a fence makes ready to be told.
#[derive(Debug, Clone, Default)]
struct Told {
    know: Know,
    now: Now,
}

/// One thread's part in the talk.
#[derive(Debug, Clone, Default)]
struct Voice {
    know: Know,
    /// Heard by strong reads, not known yet: from all, and from the own block with no matter which scope.
    heard: Know,
    heard_near: Know,
    /// At the last fence for all, and at the last one of any scope.
    told: Told,
    told_near: Told,
}

/// A block that is under way.
#[derive(Debug, Default)]
struct Talking {
    voices: Vec<Voice>,
    shared: HashMap<u32, Location>,
    /// What those knew that arrived at a barrier without waiting, by its number.
    arrived: HashMap<u32, Know>,
}

/// What a strong read of an address hears.
#[derive(Debug, Default)]
struct Location {
    all: Know,
    /// What only threads of the same block hear, by block.
    near: HashMap<u32, Know>,
    writer: Option<Who>,
}

/// All that is said and heard in a launch.
#[derive(Debug, Default)]
pub(crate) struct Talk {
    blocks: HashMap<u32, Talking>,
    global: HashMap<(u64, u32), Location>,
}

impl Told {
    fn all(&self, who: Who) -> Know {
        let mut know = self.know.clone();
        if self.now.stamp > 0 {
            let mut of = Of::block(self.now.block);
            of.warp(who.thread / 32, self.now.warp);
            of.thread(who.thread, self.now.stamp);
            know.learn(who.block, of);
        }
        know
    }
}

impl Talk {
    /// What a thread knows.
    pub fn know(&self, who: Who) -> Option<&Know> {
        self.blocks.get(&who.block)?.voices.get(who.thread as usize).map(|v| &v.know)
    }

    /// A block is done: its threads will say nothing more.
    pub fn end(&mut self, block: u32) {
        self.blocks.remove(&block);
    }

    fn voice(&mut self, who: Who) -> &mut Voice {
        let voices = &mut self.blocks.entry(who.block).or_default().voices;
        let at = who.thread as usize;
        if voices.len() <= at {
            voices.resize(at + 1, Voice::default());
        }
        &mut voices[at]
    }

    fn location(&self, who: Who, place: Place) -> Option<&Location> {
        match place {
            Place::Global(slot, byte) => self.global.get(&(slot, byte)),
            Place::Shared(byte) => self.blocks.get(&who.block)?.shared.get(&byte),
        }
    }

    /// A fence: what was heard is known, and what is known may be told.
    pub fn fence(&mut self, who: Who, scope: Scope, now: Now) {
        let voice = self.voice(who);
        let near = std::mem::take(&mut voice.heard_near);
        voice.know.join(&near);
        if scope == Scope::Gpu {
            let heard = std::mem::take(&mut voice.heard);
            voice.know.join(&heard);
        }
        let told = Told { know: voice.know.clone(), now };
        if scope == Scope::Gpu {
            voice.told = told.clone();
        }
        voice.told_near = told;
    }

    /// A strong read.
    pub fn hear(&mut self, who: Who, place: Place, scope: Scope, acquire: bool) {
        let Some(location) = self.location(who, place) else { return };
        let near = match place {
            Place::Global(..) => location.near.get(&who.block).cloned().unwrap_or_default(),
            Place::Shared(_) => location.all.clone(),
        };
        let all = if scope == Scope::Gpu { location.all.clone() } else { Know::default() };
        let voice = self.voice(who);
        if acquire {
            voice.know.join(&near);
            voice.know.join(&all);
        } else {
            voice.heard_near.join(&near);
            voice.heard.join(&all);
        }
    }

    /// A strong write; of an atomic when `adds`. `now` is given for a releasing one.
    pub fn tell(&mut self, who: Who, place: Place, scope: Scope, now: Option<Now>, adds: bool) {
        let voice = self.voice(who);
        let (all, near) = match now {
            Some(now) => {
                let all = Told { know: voice.know.clone(), now }.all(who);
                (all.clone(), all)
            }
            None => (voice.told.all(who), voice.told_near.all(who)),
        };
        let nothing = Know::default();
        if all.is(&nothing) && near.is(&nothing) {
            // nothing to add; any other write ends what others have said
            if !adds && self.location(who, place).is_some_and(|l| l.writer != Some(who)) {
                self.silence(who, place, 1);
            }
            return;
        }
        let location = match place {
            Place::Global(slot, byte) => self.global.entry((slot, byte)).or_default(),
            Place::Shared(byte) => {
                self.blocks.entry(who.block).or_default().shared.entry(byte).or_default()
            }
        };
        if !adds && location.writer != Some(who) {
            *location = Location::default();
        }
        if !adds || now.is_some() {
            location.writer = Some(who);
        }
        match place {
            Place::Shared(_) => location.all.join(&near),
            Place::Global(..) => {
                if scope == Scope::Gpu {
                    location.all.join(&all);
                }
                if !near.is(&nothing) {
                    location.near.entry(who.block).or_default().join(&near);
                }
            }
        }
    }

    /// A plain write of some bytes: who reads them hears nothing.
    pub fn silence(&mut self, who: Who, place: Place, bytes: u32) {
        for i in 0..bytes {
            match place {
                Place::Global(slot, byte) => {
                    self.global.remove(&(slot, byte + i));
                }
                Place::Shared(byte) => {
                    if let Some(block) = self.blocks.get_mut(&who.block) {
                        block.shared.remove(&(byte + i));
                    }
                }
            }
        }
    }

    /// What threads of a block know together, and what they have heard.
    fn together(&mut self, block: u32, threads: impl Iterator<Item = u32>) -> Know {
        let (mut all, mut last) = (Know::default(), Know::default());
        for thread in threads {
            let voice = self.voice(Who { block, thread });
            // threads that have met before know the same
            if !voice.know.is(&last) {
                all.join(&voice.know);
                last = voice.know.clone();
            }
            all.join(&voice.heard);
            all.join(&voice.heard_near);
        }
        all
    }

    /// Threads of a block meet: each knows what all know, and `of` about their own block.
    pub fn meet(&mut self, block: u32, threads: &[u32], of: Option<Of>) {
        let mut all = self.together(block, threads.iter().copied());
        if let Some(of) = of {
            all.learn(block, of);
        }
        for thread in threads {
            let voice = self.voice(Who { block, thread: *thread });
            voice.know = all.clone();
            voice.heard = Know::default();
            voice.heard_near = Know::default();
        }
    }

    /// Threads arrive at a numbered barrier without waiting.
    pub fn arrive(&mut self, block: u32, id: u32, threads: &[u32], of: Of) {
        let mut all = self.together(block, threads.iter().copied());
        all.learn(block, of);
        self.blocks.entry(block).or_default().arrived.entry(id).or_default().join(&all);
    }

    /// A numbered barrier opens: those that waited meet, and know what those that arrived knew.
    pub fn open(&mut self, block: u32, id: u32, threads: &[u32], of: Option<Of>) {
        let arrived = self.blocks.get_mut(&block).and_then(|b| b.arrived.remove(&id));
        if let (Some(arrived), Some(first)) = (arrived, threads.first()) {
            self.voice(Who { block, thread: *first }).know.join(&arrived);
        }
        self.meet(block, threads, of);
    }

    /// Everything that anybody knows or could hear.
    fn all(&mut self) -> impl Iterator<Item = (Option<u32>, &mut Know, Option<&mut Now>)> {
        let voices = self.blocks.iter_mut().flat_map(|(block, b)| {
            let shared = b.shared.values_mut().flat_map(Location::all);
            let voices = b.voices.iter_mut().flat_map(|v| {
                let Voice { know, heard, heard_near, told, told_near } = v;
                [
                    (know, None),
                    (heard, None),
                    (heard_near, None),
                    (&mut told.know, Some(&mut told.now)),
                    (&mut told_near.know, Some(&mut told_near.now)),
                ]
            });
            let rest = shared.chain(b.arrived.values_mut()).map(|know| (know, None));
            voices.chain(rest).map(|(know, now)| (Some(*block), know, now))
        });
        let global = self.global.values_mut().flat_map(Location::all);
        voices.chain(global.map(|know| (None, know, None)))
    }

    /// The stamps of a block that somebody knows of.
    pub fn stamps(&mut self, block: u32) -> Vec<u32> {
        let mut stamps = vec![];
        for (of, know, now) in self.all() {
            know.stamps(block, &mut stamps);
            if let (Some(now), true) = (now, of == Some(block)) {
                stamps.extend([now.block, now.warp, now.stamp]);
            }
        }
        stamps
    }

    /// Renames a block's stamps.
    pub fn rename(&mut self, block: u32, to: &impl Fn(u32) -> u32) {
        let mut renamed = Renamed::default();
        for (of, know, now) in self.all() {
            know.rename(block, to, &mut renamed);
            if let (Some(now), true) = (now, of == Some(block)) {
                *now = Now { block: to(now.block), warp: to(now.warp), stamp: to(now.stamp) };
            }
        }
    }
}

impl Location {
    fn all(&mut self) -> impl Iterator<Item = &mut Know> {
        std::iter::once(&mut self.all).chain(self.near.values_mut())
    }
}
