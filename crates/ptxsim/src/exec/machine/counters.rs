//! Counters of a machine, per source line.

use super::Machine;
use crate::Counters;
use crate::decode::op::{Code, MemOp};

impl Machine<'_> {
    /// The counts of all operations as counters, each with the index of its source location.
    pub fn counters(&self) -> Vec<(u32, Counters)> {
        let program = self.program();
        let mut all: Vec<(u32, Counters)> = Vec::new();
        for (block, executions) in program.blocks.iter().zip(&self.blocks) {
            if executions.warps == 0 {
                continue;
            }
            let sources = program.instruction_sources.iter();
            let sources = sources.skip(block.first as usize).take(block.instructions as usize);
            let counters = Counters {
                instructions: executions.warps,
                thread_instructions: executions.lanes,
                ..Counters::default()
            };
            all.extend(sources.map(|source| (*source, counters)));
        }
        let mut add = |pc: u32, c: Counters| {
            let source = program.source_of.get(pc as usize).copied().unwrap_or(0);
            all.push((source, c));
        };
        // accesses of barriers in memory are not counted, because how often a thread polls depends
        // on the order
        let data = |(op, _): &(&MemOp, _)| !op.at_barrier;
        for (op, site) in program.memory.iter().zip(&self.sites).filter(data) {
            let mut c = Counters {
                local_requests: site.local_requests,
                local_sectors: site.local_sectors,
                ..Counters::default()
            };
            let load = matches!(program.ops[op.pc as usize].code, Code::Load | Code::Copy);
            if op.atomic.is_some() {
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
            add(op.pc, c);
        }
        for (pc, executions) in self.branches.iter().enumerate() {
            if executions.all > 0 {
                add(
                    pc as u32,
                    Counters {
                        branches: executions.all,
                        divergent_branches: executions.divergent,
                        ..Counters::default()
                    },
                );
            }
        }
        for (op, executed) in program.images.iter().zip(&self.images) {
            if *executed > 0 {
                add(op.memory.pc, Counters { texture_requests: *executed, ..Counters::default() });
            }
        }
        for (pc, executed) in self.barriers.iter().enumerate() {
            if *executed > 0 {
                add(pc as u32, Counters { barriers: *executed, ..Counters::default() });
            }
        }
        all
    }
}
