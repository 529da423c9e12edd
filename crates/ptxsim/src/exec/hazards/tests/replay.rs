//! Replays a trace in the detector, and its synchronisation in the reference, too.

use super::super::cell::ShadowCell;
use super::super::current_access::{CurrentAccess, check_and_record};
use super::super::fast_path::FastPath;
use super::super::prior_access::{PriorAccess, PriorLists, Strength, Workspace};
use super::super::renumber::{StampMap, renumber_cells};
use super::super::sync_state::{Epochs, StrongWrite, SyncAddress, SyncState};
use super::super::vector_clock::BlockClock;
use super::reference::{Clock, Flag, Reference, join};
use super::{BLOCKS, Event, How, Position, Setting, WARPS, members, position};
use crate::decode::op::Scope;
use crate::exec::machine::ThreadId;

/// The detector's state of a block.
#[derive(Clone, Copy)]
struct Block {
    stamp: u32,
    epoch: u32,
    warps: [u32; WARPS as usize],
}

impl Block {
    fn advance(&mut self) -> u32 {
        self.stamp += 1;
        self.stamp
    }

    fn next_epochs(&mut self, warp: u32) -> Epochs {
        let stamp = self.advance();
        Epochs { block: self.epoch, warp: self.warps[warp as usize].max(self.epoch), stamp }
    }
}

/// The generation of shared memory's only block.
const GENERATION: u32 = 7;

pub(super) struct Detector {
    blocks: [Block; BLOCKS as usize],
    sync: Option<SyncState>,
    pub cell: ShadowCell,
    pub lists: PriorLists,
    workspace: Workspace,
    shared: bool,
}

impl Detector {
    /// A detector for a trace.
    pub fn new(events: &[Event], setting: Setting) -> Self {
        let volatile = |event: &Event| matches!(event, Event::Access { how: How::Volatile, .. });
        let is_atomic = |event: &Event| matches!(event, Event::Access { how: How::Atomic(_), .. });
        let sites = (0..).zip(events).filter(|(_, event)| volatile(event));
        Self {
            blocks: [Block { stamp: 1, epoch: 1, warps: [1; WARPS as usize] }; BLOCKS as usize],
            sync: setting.synchronises.then(SyncState::default),
            cell: ShadowCell::default(),
            lists: PriorLists::default(),
            workspace: Workspace {
                list: vec![],
                volatile_sites: sites.map(|(site, _)| site).collect(),
                atomics: events.iter().any(is_atomic),
            },
            shared: setting.shared,
        }
    }

    /// Is this access found to race? `site` is the number of the event.
    pub fn access(
        &mut self,
        thread: usize,
        site: u32,
        mask: u8,
        write: bool,
        how: How,
        fast: bool,
    ) -> (bool, CurrentAccess) {
        let Position { block, warp, linear } = position(thread);
        let (b, shared) = (self.blocks[block as usize], self.shared);
        let current = CurrentAccess {
            thread: linear,
            block: if shared { GENERATION } else { block },
            stamp: b.stamp,
            site,
            block_epoch: b.epoch,
            warp_epoch: b.warps[warp as usize].max(b.epoch),
            volatile: how == How::Volatile,
            strength: match how.scope() {
                None => Strength::Weak,
                Some(Scope::Cta) if !shared => Strength::Cta,
                _ => Strength::Gpu,
            },
            block_number: block,
            may_group: self.sync.is_none(),
            shared,
        };
        let (path, mark) = (FastPath::new(&current), current.mark());
        let cell = &mut self.cell;
        let decided = fast
            && mask == 15
            && match (write, current.strength) {
                (false, Strength::Weak) if shared => path.read_shared(cell, mark),
                (true, Strength::Weak) if shared => path.write_shared(cell, mark),
                (false, Strength::Weak) => path.read_global(cell, mark),
                (true, Strength::Weak) => path.write_global(cell, mark),
                (true, Strength::Gpu) if how.is_atomic() => {
                    path.update_atomically(cell, mark, shared)
                }
                _ => false,
            };
        let clock = self.sync.as_ref().and_then(|sync| sync.clock(current.thread_id()));
        let new = PriorAccess { atomic: how.is_atomic(), ..current.to_prior(mask, write) };
        let (lists, workspace) = (&mut self.lists, &mut self.workspace);
        let got = !decided
            && check_and_record(cell, lists, workspace, &current, new, clock, |_| false).is_some();
        (got, current)
    }

    /// Renumbers as a launch does.
    fn renumber(&mut self, block: u32) {
        let b = &mut self.blocks[block as usize];
        let mut thresholds = self.sync.as_mut().map_or(vec![], |sync| sync.thresholds(block));
        thresholds.extend([b.stamp, b.epoch]);
        thresholds.extend(b.warps);
        let map = StampMap::new(thresholds);
        let threshold = |stamp| map.threshold(stamp);
        if let Some(sync) = &mut self.sync {
            sync.renumber(block, &threshold);
        }
        *b = Block {
            stamp: threshold(b.stamp),
            epoch: threshold(b.epoch),
            warps: b.warps.map(threshold),
        };
        let mark = |stamp| map.mark(stamp);
        if !self.shared || block == 0 {
            let number = if self.shared { GENERATION } else { block };
            renumber_cells(std::iter::once(&mut self.cell), &mut self.lists, number, &mark);
        }
    }
}

/// Replays an event that orders threads in both.
pub(super) fn synchronise(detector: &mut Detector, reference: &mut Reference, event: &Event) {
    let nothing = Clock::default();
    let all = |block: u32| members(block, 0xff);
    let linear =
        |threads: &[usize]| threads.iter().map(|t| position(*t).linear).collect::<Vec<u32>>();
    match *event {
        Event::Access { .. } => return,
        Event::Renumber { block } => return detector.renumber(block),
        Event::Barrier { block } => {
            let b = &mut detector.blocks[block as usize];
            b.epoch = b.advance();
            reference.synchronise(&all(block), &nothing);
            if let Some(sync) = &mut detector.sync {
                sync.synchronise(block, &linear(&all(block)), None);
            }
            return;
        }
        Event::WarpSync { block, warp } => {
            let b = &mut detector.blocks[block as usize];
            b.warps[warp as usize] = b.advance();
            let mut threads = all(block);
            threads.retain(|t| position(*t).warp == warp);
            reference.synchronise(&threads, &nothing);
            if let Some(sync) = &mut detector.sync {
                sync.synchronise(block, &linear(&threads), None);
            }
            return;
        }
        _ => {}
    }
    let Some(sync) = &mut detector.sync else { return };
    let blocks = &mut detector.blocks;
    let id = |thread| {
        let Position { block, linear, .. } = position(thread);
        ThreadId { block, linear }
    };
    let address = |flag: u32| SyncAddress::Global(3, 4 * flag);
    let next_epochs = |blocks: &mut [Block], thread| {
        let Position { block, warp, .. } = position(thread);
        blocks[block as usize].next_epochs(warp)
    };
    // what the threads did themselves
    let own_clock = |blocks: &mut [Block], block: u32, threads: &[usize]| {
        let b = &mut blocks[block as usize];
        let stamp = b.advance();
        let mut own = BlockClock::new(b.epoch);
        for t in threads {
            let Position { warp, linear, .. } = position(*t);
            own.raise_warp(warp, b.warps[warp as usize]);
            own.raise_thread(linear, stamp);
        }
        own
    };
    match *event {
        Event::Fence { thread, scope } => {
            let epochs = next_epochs(blocks, thread);
            sync.fence(id(thread), scope, epochs);
            reference.fence(thread, scope);
        }
        Event::Load { thread, flag, scope, acquire } => {
            sync.strong_read(id(thread), address(flag), scope, acquire);
            reference.load(thread, flag, scope, acquire);
        }
        Event::Store { thread, flag, scope, release } => {
            let epochs = release.then(|| next_epochs(blocks, thread));
            let address = address(flag);
            let write = StrongWrite { address, scope, release: epochs, atomic: false };
            sync.strong_write(id(thread), write);
            reference.store(thread, flag, scope, release, false);
        }
        Event::Add { thread, flag, scope, acquire, release } => {
            let epochs = release.then(|| next_epochs(blocks, thread));
            let address = address(flag);
            let write = StrongWrite { address, scope, release: epochs, atomic: true };
            sync.strong_read(id(thread), address, scope, acquire);
            sync.strong_write(id(thread), write);
            reference.load(thread, flag, scope, acquire);
            reference.store(thread, flag, scope, release, true);
        }
        Event::Clear { thread, flag } => {
            sync.plain_write(id(thread), address(flag), 4);
            reference.flags[flag as usize] = Flag::default();
        }
        Event::Synchronise { block, members: bits } => {
            let threads = members(block, bits);
            let own = own_clock(blocks, block, &threads);
            sync.synchronise(block, &linear(&threads), Some(own));
            reference.synchronise(&threads, &nothing);
        }
        Event::Arrive { block, members: bits } => {
            let threads = members(block, bits);
            let own = own_clock(blocks, block, &threads);
            sync.arrive(block, 1, &linear(&threads), own);
            for t in threads {
                for clock in [reference.clocks[t], reference.acquired[t], reference.acquired_cta[t]]
                {
                    join(&mut reference.arrived[block as usize], &clock);
                }
                reference.tick(t);
            }
        }
        Event::Open { block, members: bits } => {
            let threads = members(block, bits);
            let own = own_clock(blocks, block, &threads);
            sync.open_barrier(block, 1, &linear(&threads), Some(own));
            let arrived = std::mem::take(&mut reference.arrived[block as usize]);
            reference.synchronise(&threads, &arrived);
        }
        _ => {}
    }
}
