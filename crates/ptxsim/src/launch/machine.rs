//! The interpreter that one host thread runs blocks with.

use crate::exec::caches::Caches;
use crate::exec::disturb::Disturbance;
use crate::exec::findings::Findings;
use crate::exec::hazards::cell::MAX_SITE;
use crate::exec::hazards::pages::{SharedPages, SlotShadow};
use crate::exec::hazards::prior_access::Workspace;
use crate::exec::heap::Heap;
use crate::exec::interp::handlers::SLICE_STRONG_BRANCHES;
use crate::exec::machine::{BlockExecutions, BranchExecutions, Grid, Machine, Site};
use crate::exec::pattern::Pattern;
use crate::exec::trace::{Tracer, WarpTracer};
use crate::trace::Thread;
use crate::{Moves, Source};

use super::{Diagnose, Options};

/// The linear index of a position in a box, x fastest. The position is inside, and the box's volume
/// fits 32 bits.
pub(super) fn linear_index([x, y, z]: [u32; 3], [width, height, _]: [u32; 3]) -> u32 {
    x + width * (y + height * z)
}

/// Follows the thread, and the others of its warp if it says so.
pub(super) fn new_tracer(grid: &Grid<'_>, thread: &Thread) -> WarpTracer {
    let program = grid.program;
    let home = program
        .functions
        .get(grid.entry)
        .and_then(|f| program.source_of.get(f.start as usize..))
        .into_iter()
        .flatten()
        .find_map(|s| program.sources.get(*s as usize).filter(|s| s.line > 0));
    let own =
        |source: &Source| source.line > 0 && home.is_some_and(|home| home.file == source.file);
    let home: Vec<bool> = program.sources.iter().map(own).collect();
    let (block, linear) =
        (linear_index(thread.block, grid.grid), linear_index(thread.thread, grid.block));
    let follow = |linear| Tracer::new(*thread, (block, linear), program, home.clone());
    let first = linear / 32 * 32;
    let others = (first..grid.threads.min(first + 32)).filter(|n| thread.warp && *n != linear);
    WarpTracer::new(follow(linear), others.map(follow).collect())
}

pub(super) fn new_machine<'g>(
    grid: &'g Grid<'g>,
    options: &Options,
    budget: u64,
    heap: Option<Heap>,
    shared: Option<&[SharedPages]>,
) -> Machine<'g> {
    let program = grid.program;
    let full = options.diagnose == Diagnose::Full;
    let multiplies = !program.multiplications.is_empty();
    let shadows = if full {
        grid.memory
            .allocations
            .iter()
            .zip(grid.writable)
            .enumerate()
            .map(|(slot, (a, writable))| {
                if *writable {
                    let shared = shared.and_then(|shared| shared.get(slot)).cloned();
                    SlotShadow::new(a.words.len(), shared)
                } else {
                    SlotShadow::default()
                }
            })
            .collect()
    } else {
        vec![]
    };
    Machine {
        grid,
        findings: Findings::default(),
        sites: vec![Site::default(); program.memory.len()],
        blocks: vec![BlockExecutions::default(); program.blocks.len()],
        branches: vec![BranchExecutions::default(); program.ops.len()],
        barriers: vec![0; program.ops.len()],
        multiplications: vec![0; if multiplies { program.ops.len() } else { 0 }],
        images: vec![Moves::default(); program.images.len()],
        image_sectors: vec![],
        patterns: vec![Pattern::default(); program.memory.len()],
        shadows,
        sync: (full && grid.syncs).then(Box::default),
        parallel: shared.is_some(),
        workspace: Workspace {
            list: vec![],
            volatile_sites: (0..MAX_SITE)
                .zip(&program.memory)
                .filter_map(|(site, op)| op.volatile.then_some(site))
                .collect(),
            atomics: program.memory.iter().any(|op| op.atomic.is_some()),
        },
        fuel: i64::try_from(budget).unwrap_or(i64::MAX),
        budget,
        last_iteration: None,
        fatal: false,
        unmapped: false,
        strong_seen: false,
        changes: 0,
        placeholder: None,
        all_yielded: false,
        observed_others: false,
        busiest_warp: 0,
        load_waits: options.count_waits.then(Box::default),
        caches: options.caches.map(|shares| Box::new(Caches::new(shares))),
        shortest_slice: SLICE_STRONG_BRANCHES,
        output: vec![],
        output_dropped: 0,
        heap,
        trace: None,
        snapshots: (options.disturbance == Some(Disturbance::Exchange)).then(Box::default),
        touched: None,
    }
}
