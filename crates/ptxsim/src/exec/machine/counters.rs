//! Counters of a machine, per source line.

use super::{Machine, Site};
use crate::decode::op::{AtomicOp, Code, ImageKind, MemOp, MemSpace};
use crate::{Counters, Moves, Traffic};

impl Machine<'_> {
    /// The counts of all operations, each with the index of its source location.
    pub fn counters(&self) -> Vec<(u32, Counters, Traffic)> {
        let program = self.program();
        let mut all: Vec<(u32, Counters, Traffic)> = Vec::new();
        for (block, executions) in program.blocks.iter().zip(&self.blocks) {
            if executions.warps == 0 {
                continue;
            }
            let instructions = program.instructions.iter();
            let instructions =
                instructions.skip(block.first as usize).take(block.instructions as usize);
            let counters = Counters {
                instructions: executions.warps,
                thread_instructions: executions.lanes,
                ..Counters::default()
            };
            all.extend(instructions.map(|instruction| {
                let single_products = executions.warps * u64::from(instruction.single_product);
                (instruction.source, counters, Traffic { single_products, ..Traffic::default() })
            }));
        }
        let mut add = |pc: u32, c: Counters, traffic: Traffic| {
            let source = program.source_of.get(pc as usize).copied().unwrap_or(0);
            all.push((source, c, traffic));
        };
        for (op, site) in program.memory.iter().zip(&self.sites) {
            let moved = traffic(op, site, program.ops[op.pc as usize].code);
            // accesses of barriers in memory are not counted, because how often a thread polls
            // depends on the order
            if op.at_barrier {
                add(op.pc, Counters::default(), moved);
                continue;
            }
            let mut c = Counters {
                local_requests: site.local_requests,
                local_sectors: site.local_sectors,
                ..Counters::default()
            };
            let load = matches!(program.ops[op.pc as usize].code, Code::Load | Code::Copy);
            if op.space == MemSpace::Constant {
                // constants have a cache and counters of their own
            } else if op.atomic.is_some() {
                c.global_atomics = site.requests;
                c.thread_atomics = site.lanes;
                c.global_atomic_sectors = site.sectors;
                c.shared_atomics = site.shared_requests;
                c.shared_atomic_wavefronts = site.wavefronts;
            } else if load {
                c.load_requests = site.requests;
                c.thread_loads = site.lanes;
                c.load_sectors = site.sectors;
                c.load_sectors_ideal = site.sectors_ideal;
            } else {
                c.store_requests = site.requests;
                c.store_sectors = site.sectors;
                c.store_sectors_ideal = site.sectors_ideal;
            }
            if op.atomic.is_none() {
                c.shared_requests = site.shared_requests;
                c.shared_wavefronts = site.wavefronts;
                c.shared_wavefronts_ideal = site.wavefronts_ideal;
                c.shared_transactions = site.transactions;
            }
            add(op.pc, c, moved);
        }
        for (pc, executions) in self.branches.iter().enumerate() {
            if executions.all > 0 {
                let mut c = Counters::default();
                // the hardware counts other jumps apart from conditional branches
                if matches!(program.ops[pc].code, Code::Branch) {
                    (c.branches, c.divergent_branches) = (executions.all, executions.divergent);
                }
                let moved = Traffic { branches: executions.all, ..Traffic::default() };
                add(pc as u32, c, moved);
            }
        }
        for (op, moves) in program.images.iter().zip(&self.images) {
            if moves.requests > 0 {
                let c = Counters { texture_requests: moves.requests, ..Counters::default() };
                let mut moved = Traffic::default();
                match op.kind {
                    ImageKind::Query(..) => {}
                    ImageKind::Store(_) => moved.stores = *moves,
                    _ => moved.loads = *moves,
                }
                add(op.memory.pc, c, moved);
            }
        }
        for (pc, executed) in self.barriers.iter().enumerate() {
            if *executed > 0 {
                let c = Counters { barriers: *executed, ..Counters::default() };
                add(pc as u32, c, Traffic { barriers: *executed, ..Traffic::default() });
            }
        }
        for (pc, executed) in self.multiplications.iter().enumerate() {
            if *executed > 0 {
                let c = Counters { matrix_multiplications: *executed, ..Counters::default() };
                add(pc as u32, c, Traffic::default());
            }
        }
        all
    }
}

/// What a memory operation has moved.
fn traffic(op: &MemOp, site: &Site, code: Code) -> Traffic {
    if op.at_barrier {
        let arrives = matches!(op.atomic, Some(AtomicOp::Arrive | AtomicOp::ArriveDrop));
        let barriers = if arrives { site.shared_requests } else { 0 };
        return Traffic { barriers, ..Traffic::default() };
    }
    let moves = Moves {
        requests: site.requests,
        lanes: site.lanes,
        words: site.lanes * u64::from(op.bytes().div_ceil(4)),
        sectors: site.sectors,
        sectors_ideal: site.sectors_ideal,
        idle_words: site.idle_words,
    };
    let mut moved = Traffic {
        shared_requests: site.shared_requests,
        shared_words: site.shared_words,
        shared_conflicts: site.wavefronts.saturating_sub(site.transactions),
        ..Traffic::default()
    };
    match op.atomic {
        _ if op.space == MemSpace::Constant => moved.constants = moves,
        None if matches!(code, Code::Load | Code::Copy) => moved.loads = moves,
        None => moved.stores = moves,
        Some(_) => {
            moved.stores = moves;
            if op.rows[0] != u32::MAX {
                moved.loads = moves;
            }
        }
    }
    moved
}
