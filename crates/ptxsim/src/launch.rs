//! Launches a kernel: checks limits and arguments, distributes the blocks over host threads, and
//! gathers observations.

mod arrays;
mod blocks;
mod limits;
mod machine;
mod merge;
mod prepare;
#[cfg(test)]
mod tests;
mod writer;

use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::thread::Builder;

use arrays::record_results;
use blocks::{Order, Queue, run_queued_blocks};
use machine::{linear_index, new_machine, new_tracer};
use merge::{Merged, merge, merge_shadows};
use prepare::{Prepared, find_entry, reachable_slots};
pub(crate) use prepare::{Reach, prepare};

use crate::decode::op::Target;
use crate::exec::disturb::Disturbance;
use crate::exec::hazards::cell::BLOCK_MASK;
use crate::exec::hazards::pages::{CellBudget, SharedPages, SlotShadow};
use crate::exec::hazards::saved_pages::SavedPages;
use crate::exec::heap::Heap;
use crate::exec::machine::{Grid, Machine};
use crate::exec::vector::Vectors;
use crate::exec::{BOUNDS, COUNT, FULL, TRACE};
use crate::trace::{Thread, Trace};
use crate::{AccessSet, CudaError, Error, Memory, Module, Observations, Snapshots, device};

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The kernel's name.
    pub entry: String,
    /// Blocks per grid (x, y, z).
    pub grid: [u32; 3],
    /// Threads per block (x, y, z).
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// The most dynamic shared memory that the program allows, in bytes: the function's attribute
    /// `MAX_DYNAMIC_SHARED_SIZE_BYTES`. `None` where the program never set it: the kernel then has
    /// what its static arrays leave of 48 KiB.
    pub shared_allowed: Option<u32>,
    /// The launch is `cudaLaunchCooperativeKernel`: all blocks are on the device at once and may
    /// synchronise.
    pub cooperative: bool,
    /// The arguments, one per parameter, little-endian.
    pub args: Vec<Vec<u8>>,
    /// What [`Disturbance::Exchange`] puts into shared memory: what a launch with other inputs had
    /// there.
    pub snapshots: Option<Arc<Snapshots>>,
}

/// How much a launch observes. Only the full level is compiled to be fast; tests compare it with
/// the lower ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Diagnose {
    /// Bounds, alignment, barriers, and the budget.
    Bounds,
    /// The same, and the counters.
    Count,
    /// The same, and races and uninitialised reads.
    #[default]
    Full,
}

/// How to run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What to observe.
    pub diagnose: Diagnose,
    /// 0 runs blocks and warps in order; each other seed runs them in another order, which is
    /// always the same.
    pub seed: u64,
    /// The most host threads to use. A launch whose result could depend on the order of its blocks
    /// uses one. Races between blocks are found with [`Diagnose::Full`] only; without it, memory
    /// after such a race is what one of the possible orders leaves.
    pub threads: usize,
    /// Warp instructions after which the launch ends with [`crate::FindingKind::OverBudget`].
    pub budget: u64,
    /// What is disturbed, to find out whether the results depend on it.
    pub disturbance: Option<Disturbance>,
    /// Counts how often warps wait for loads ([`Observations::load_waits`]), which takes longer.
    pub count_waits: bool,
    /// Counts what caches can't serve ([`Observations::levels`]), on one host thread.
    pub caches: Option<WarpCaches>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            diagnose: Diagnose::Full,
            seed: 0,
            threads: 1,
            budget: 400_000_000,
            disturbance: None,
            count_waits: false,
            caches: None,
        }
    }
}

/// The share of the caches that each resident warp has, in lines of 128 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpCaches {
    /// Lines of its multiprocessor's L1.
    pub l1_lines: u32,
    /// Lines of L2.
    pub l2_lines: u32,
}

/// The most words that are copied so that a launch on several host threads can be undone.
const MAX_SAVED_WORDS: usize = 1 << 28;

/// More host threads than this do not help.
const MAX_HOST_THREADS: usize = 64;

/// Runs a kernel until it ends, or until a fault or a deadlock stops it.
///
/// # Errors
/// [`Error::NoSuchEntry`], or [`Error::BadLaunch`] for limits and arguments. What the kernel does
/// wrong is in the observations.
pub fn run(
    module: &Module,
    memory: &mut Memory,
    launch: &Launch,
    options: &Options,
) -> Result<Observations, Error> {
    Ok(observe(module, memory, launch, options, Follow::default())?.observations)
}

/// Runs a kernel and records which bytes of device memory it accessed. Below [`Diagnose::Full`]
/// nothing is recorded.
///
/// # Errors
/// As [`run`].
pub fn run_recording(
    module: &Module,
    memory: &mut Memory,
    launch: &Launch,
    options: &Options,
) -> Result<(Observations, AccessSet), Error> {
    let follow = Follow { bytes: true, ..Follow::default() };
    let seen = observe(module, memory, launch, options, follow)?;
    Ok((seen.observations, seen.touched.map(|touched| *touched).unwrap_or_default()))
}

/// What a launch records beside what it diagnoses.
#[derive(Debug, Clone, Copy, Default)]
struct Follow<'a> {
    /// Every step of this thread.
    thread: Option<&'a Thread>,
    /// Which bytes are accessed.
    bytes: bool,
}

/// Runs a kernel with everything diagnosed, and records what one of its threads does. In a debug
/// build (`--device-debug`) lines are executed in the order of the source, and variables have
/// names. Where the thread says so, the other threads of its warp are recorded, too.
///
/// # Errors
/// As [`run`]; [`Error::BadLaunch`] for a thread that the launch does not have.
pub fn trace(
    module: &Module,
    memory: &mut Memory,
    launch: &Launch,
    options: &Options,
    thread: &Thread,
) -> Result<(Observations, Trace), Error> {
    let follow = Follow { thread: Some(thread), bytes: false };
    let seen = observe_thread(module, memory, launch, options, follow)?;
    Ok((seen.observations, seen.trace.unwrap_or_default()))
}

/// Runs a kernel as [`trace`] does, and also records which bytes of device memory it accessed.
///
/// # Errors
/// As [`trace`].
pub fn trace_recording(
    module: &Module,
    memory: &mut Memory,
    launch: &Launch,
    options: &Options,
    thread: &Thread,
) -> Result<(Observations, AccessSet, Trace), Error> {
    let follow = Follow { thread: Some(thread), bytes: true };
    let seen = observe_thread(module, memory, launch, options, follow)?;
    let touched = seen.touched.map(|touched| *touched).unwrap_or_default();
    Ok((seen.observations, touched, seen.trace.unwrap_or_default()))
}

/// Runs a kernel with everything diagnosed if it has the thread that `follow` names.
fn observe_thread(
    module: &Module,
    memory: &mut Memory,
    launch: &Launch,
    options: &Options,
    follow: Follow<'_>,
) -> Result<Merged, Error> {
    let outside = |at: [u32; 3], dims: [u32; 3]| at.iter().zip(dims).any(|(at, dim)| *at >= dim);
    if let Some(thread) = follow.thread
        && (outside(thread.block, launch.grid) || outside(thread.thread, launch.block))
    {
        let text = format!(
            "block {:?}, thread {:?} is outside of grid {:?}, block {:?}",
            thread.block, thread.thread, launch.grid, launch.block
        );
        return Err(Error::launch(CudaError::InvalidValue, text));
    }
    let options = Options { diagnose: Diagnose::Full, threads: 1, ..*options };
    observe(module, memory, launch, &options, follow)
}

/// Bytes of shadow memory that a fully diagnosed launch takes beside its global memory.
///
/// # Errors
/// As [`run`].
pub fn shadow_bytes(module: &Module, memory: &mut Memory, launch: &Launch) -> Result<usize, Error> {
    let options = Options { budget: u64::MAX >> 2, ..Options::default() };
    let shadows = observe(module, memory, launch, &options, Follow::default())?.shadows;
    Ok(shadows.iter().map(SlotShadow::bytes).sum())
}

/// Runs a kernel and records what `follow` names. The result includes the shadow of global memory
/// after the launch.
fn observe(
    module: &Module,
    memory: &mut Memory,
    launch: &Launch,
    options: &Options,
    follow: Follow<'_>,
) -> Result<Merged, Error> {
    let Prepared { entry, params, variables, barrier } = prepare(module, memory, launch)?;
    let allocates = module.program.calls.iter().any(|c| c.target == Target::Malloc);
    let mut heap =
        if allocates || memory.heap.is_some() { Some(Heap::for_launch(memory)?) } else { None };
    let function = module.program.functions.get(entry.function);
    let syncs = module.program.helpers_sync || function.is_some_and(|f| f.syncs);
    let ordered = module.program.helpers_ordered || function.is_some_and(|f| f.ordered);
    let writable = reachable_slots(entry.accesses.written, entry, &params, memory);
    for (allocation, _) in memory.allocations.iter_mut().zip(&writable).filter(|(_, w)| **w) {
        allocation.fingerprint = None;
    }
    let threads = launch.block.iter().product();
    let total_shared = entry.shared_bytes + launch.shared;
    let grid = Grid {
        program: &module.program,
        memory,
        grid: launch.grid,
        block: launch.block,
        threads,
        shared_bytes: module.program.shared_static + launch.shared,
        dynamic_shared: launch.shared,
        total_shared,
        barrier,
        mapped_bytes: mapped_bytes(memory),
        resident: device::resident(u64::from(threads), u64::from(total_shared)),
        params: &params,
        variables: &variables,
        entry: entry.function,
        writable: &writable,
        syncs,
        disturbance: options.disturbance,
        snapshots: launch.snapshots.as_deref(),
        vectors: Vectors::detect(),
    };
    let blocks = launch.grid.iter().map(|n| u64::from(*n)).product::<u64>();
    let warps = blocks * u64::from(threads.div_ceil(32));
    let records = options.caches.is_some() || options.disturbance == Some(Disturbance::Exchange);
    let alone = heap.is_some() || launch.cooperative || ordered || records;
    let threads = if alone {
        1
    } else {
        options
            .threads
            .clamp(1, MAX_HOST_THREADS)
            .min(usize::try_from(blocks).unwrap_or(MAX_HOST_THREADS))
    };
    let parallel = (threads > 1)
        .then(|| run_parallel(&grid, options, blocks, threads, follow.bytes))
        .flatten();
    let mut merged = parallel.unwrap_or_else(|| {
        merge(vec![run_sequential(&grid, options, blocks, heap.take(), follow)])
    });
    let shadows = std::mem::take(&mut merged.shadows);
    memory.heap = merged.heap.take();
    if let (Some(trace), Some(thread)) = (&mut merged.trace, follow.thread) {
        let find = |byte| writer::writer_of(byte, launch, &module.program, memory, &shadows);
        trace.writer = thread.written.and_then(find);
    }
    record_results(memory, &shadows, &writable, &mut merged.observations);
    merged.observations.completed = merged.completed;
    merged.observations.shared_bytes = total_shared;
    let constants = module.program.variables.iter().filter(|variable| variable.constant);
    merged.observations.constant_bytes = constants.map(|variable| variable.bytes).sum();
    merged.observations.warps = warps;
    merged.shadows = shadows;
    Ok(merged)
}

/// The most bytes that a GPU may have mapped on either side of an array: all other arrays, in pages
/// of 2 MiB, and what the driver may have allocated beside them. On an H200, stores up to 40 MiB
/// beside the only array gave no error, and those 256 MiB away ended the launch.
fn mapped_bytes(memory: &Memory) -> u64 {
    const PAGE_BYTES: u64 = 2 << 20;
    const DRIVER_BYTES: u64 = 128 << 20;
    memory
        .allocations
        .iter()
        .fold(DRIVER_BYTES, |sum, a| sum.saturating_add(a.bytes.next_multiple_of(PAGE_BYTES)))
}

/// Runs all blocks on one host thread, in the order of the seed.
fn run_sequential<'g>(
    grid: &'g Grid<'g>,
    options: &Options,
    blocks: u64,
    heap: Option<Heap>,
    Follow { thread, bytes }: Follow<'_>,
) -> (Machine<'g>, bool) {
    let mut m = new_machine(grid, options, options.budget, heap, None);
    m.touched = bytes.then(Box::default);
    m.trace = thread.map(|thread| Box::new(new_tracer(grid, thread)));
    let front = thread.map(|thread| u64::from(linear_index(thread.block, grid.grid)));
    let order = Order::new(blocks, options.seed).with_front(front);
    let queue = Queue::new(blocks, 1);
    let done = run_blocks(&mut m, &queue, &order, options.diagnose, options.seed);
    (m, done)
}

/// Runs the blocks on several host threads. When there is any finding, this restores memory and
/// returns `None`, because findings may depend on the order of the blocks, and the caller reports
/// those of a run on one thread. A result without findings does not depend on the order.
fn run_parallel(
    grid: &Grid<'_>,
    options: &Options,
    blocks: u64,
    mut threads: usize,
    bytes: bool,
) -> Option<Merged> {
    let full = options.diagnose == Diagnose::Full;
    if full && blocks > u64::from(BLOCK_MASK) {
        return None;
    }
    let shared = share_pages(grid, full)?;
    let (queue, order) = (Queue::new(blocks, threads), Order::new(blocks, 0));
    // it is divided, so that more threads do not have more of it in total
    let budget = options.budget / threads as u64;
    let worker = || {
        let mut m = new_machine(grid, options, budget, None, Some(&shared));
        m.touched = bytes.then(Box::default);
        let done = run_blocks(&mut m, &queue, &order, options.diagnose, 0);
        (m, done)
    };
    let results: Vec<(Machine<'_>, bool)> = std::thread::scope(|scope| {
        // the system may have no more threads for the moment, and the others do all the work then
        let start = |_| Builder::new().spawn_scoped(scope, worker).ok();
        let handles: Vec<_> = (1..threads).filter_map(start).collect();
        threads = handles.len() + 1;
        let mine = worker();
        handles.into_iter().filter_map(|h| h.join().ok()).chain([mine]).collect()
    });
    let fine =
        results.len() == threads && results.iter().all(|(m, done)| *done && !m.must_repeat_alone());
    let merged = fine.then(|| merge_shadows(results)).flatten();
    if merged.is_none() {
        for (allocation, shared) in grid.memory.allocations.iter().zip(&shared) {
            shared.saved.restore(&allocation.words);
        }
    }
    merged
}

/// What the host threads share of each allocation. With a shadow, which is only kept when
/// everything is diagnosed, pages are saved when they are touched, and otherwise all are saved now;
/// `None` if these are too many.
fn share_pages(grid: &Grid<'_>, full: bool) -> Option<Vec<SharedPages>> {
    let written = |(slot, _): &(usize, _)| grid.writable.get(*slot).copied().unwrap_or(false);
    let allocations = || grid.memory.allocations.iter().enumerate();
    let words = allocations().filter(written).map(|(_, a)| a.words.len()).sum::<usize>();
    if !full && words > MAX_SAVED_WORDS {
        return None;
    }
    let budget: CellBudget = Arc::new(AtomicI64::new(grid.memory.words() as i64));
    let shared = allocations().map(|item| {
        let words = if written(&item) { &item.1.words[..] } else { &[] };
        let saved = SavedPages::new(words.len());
        if !full {
            saved.save_all(words);
        }
        SharedPages { budget: budget.clone(), saved: Arc::new(saved) }
    });
    Some(shared.collect())
}

fn run_blocks(
    m: &mut Machine<'_>,
    queue: &Queue,
    order: &Order,
    diagnose: Diagnose,
    seed: u64,
) -> bool {
    match diagnose {
        _ if m.trace.is_some()
            || m.load_waits.is_some()
            || m.caches.is_some()
            || m.grid.disturbance.is_some_and(Disturbance::suppresses_accesses) =>
        {
            run_queued_blocks::<TRACE>(m, queue, order, seed)
        }
        Diagnose::Bounds => run_queued_blocks::<BOUNDS>(m, queue, order, seed),
        Diagnose::Count => run_queued_blocks::<COUNT>(m, queue, order, seed),
        Diagnose::Full => run_queued_blocks::<FULL>(m, queue, order, seed),
    }
}

/// Checks whether the driver would start this launch. Arguments are not checked.
///
/// # Errors
/// As [`run`].
pub fn check(module: &Module, launch: &Launch) -> Result<(), Error> {
    let entry = find_entry(module, launch)?;
    if let Some(error) = module.program.refusal(entry.function) {
        return Err(error.clone());
    }
    limits::check(module, entry, launch)
}
