//! Launches a kernel: checks limits and arguments, distributes the blocks over host threads, and
//! gathers observations.

mod blocks;
mod limits;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use blocks::{Order, Queue, run_queued_blocks};

use crate::address::base;
use crate::decode::InitValue;
use crate::decode::op::Target;
use crate::decode::provenance::{ANY, IMAGES, Origins};
use crate::exec::findings::Findings;
use crate::exec::hazards::cell::{BLOCK_MASK, MAX_SITE};
use crate::exec::hazards::pages::{CellBudget, SlotShadow};
use crate::exec::hazards::prior_access::Workspace;
use crate::exec::heap::Heap;
use crate::exec::machine::{BlockExecutions, BranchExecutions, Grid, Machine, Site};
use crate::exec::pattern::Pattern;
use crate::exec::trace::Tracer;
use crate::exec::vector::Vectors;
use crate::exec::{BOUNDS, COUNT, FULL, TRACE};
use crate::memory::Initialised;
use crate::module::Entry;
use crate::trace::{Thread, Trace};
use crate::{
    AccessSet, ArrayUse, Counters, CudaError, Error, LineCounters, Memory, Module, Observations,
    Source, device,
};

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
}

/// How much a launch observes.
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
}

impl Default for Options {
    fn default() -> Self {
        Self { diagnose: Diagnose::Full, seed: 0, threads: 1, budget: 400_000_000 }
    }
}

/// The most words that are copied so that a launch on several host threads can be undone.
const MAX_SNAPSHOT_WORDS: usize = 1 << 28;

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
/// names.
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

/// The linear index of a position in a box, x fastest. The position is inside, and the box's volume
/// fits 32 bits.
fn linear_index([x, y, z]: [u32; 3], [width, height, _]: [u32; 3]) -> u32 {
    x + width * (y + height * z)
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

/// What a launch needs besides its module.
pub(crate) struct Prepared<'m> {
    entry: &'m Entry,
    params: Vec<u8>,
    /// Slots of the module's variables.
    variables: Vec<usize>,
    /// The address of the grid barrier of a cooperative launch.
    barrier: u64,
}

/// Checks a launch, and writes to memory what the driver writes there before a kernel starts.
/// Doing it again changes nothing.
pub(crate) fn prepare<'m>(
    module: &'m Module,
    memory: &mut Memory,
    launch: &Launch,
) -> Result<Prepared<'m>, Error> {
    let entry = find_entry(module, launch)?;
    if let Some(error) = module.program.refusal(entry.function) {
        return Err(error.clone());
    }
    limits::check(module, entry, launch)?;
    let params = limits::pack_arguments(entry, &launch.args)?;
    let variables = bind_variables(module, memory)?;
    // a kernel that takes the address of an argument reads it from memory
    let arguments = module.program.functions.get(entry.function).and_then(|f| f.arguments);
    if let Some(slot) = arguments.and_then(|v| variables.get(v)) {
        memory.write(base(*slot as u64 + 1), &params)?;
    }
    let barrier = if launch.cooperative { memory.grid_barrier()? } else { 0 };
    Ok(Prepared { entry, params, variables, barrier })
}

/// The slots that a launch may access, in order.
pub(crate) struct Reach {
    /// Those that it may read.
    pub read: Vec<usize>,
    /// Those that it may write.
    pub written: Vec<usize>,
}

impl Reach {
    /// Whether the launch writes nothing that it reads.
    pub fn is_separate(&self) -> bool {
        self.written.iter().all(|slot| self.read.binary_search(slot).is_err())
    }
}

impl Prepared<'_> {
    /// What the launch may access.
    pub fn reach(&self, memory: &Memory) -> Reach {
        let Self { entry, params, variables, .. } = self;
        let accesses = entry.accesses;
        let mut read = reachable_slots(accesses.read, entry, params, memory);
        let texels = memory.objects.slots().filter(|_| accesses.read & IMAGES != 0);
        texels.chain(variables.iter().copied()).for_each(|slot| read[slot] = true);
        let written = reachable_slots(accesses.written, entry, params, memory);
        let slots = |marked: Vec<bool>| {
            let used = marked.into_iter().zip(&memory.allocations).enumerate();
            used.filter(|(_, (m, a))| *m && !a.words.is_empty()).map(|(slot, _)| slot).collect()
        };
        Reach { read: slots(read), written: slots(written) }
    }
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
        vectors: Vectors::detect(),
    };
    let blocks = launch.grid.iter().map(|n| u64::from(*n)).product::<u64>();
    let warps = blocks * u64::from(threads.div_ceil(32));
    let threads = if heap.is_some() || launch.cooperative || ordered {
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
    record_results(memory, &shadows, &writable, &mut merged.observations);
    merged.observations.completed = merged.completed;
    merged.observations.shared_bytes = total_shared;
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
    threads: usize,
    bytes: bool,
) -> Option<Merged> {
    let full = options.diagnose == Diagnose::Full;
    if full && blocks > u64::from(BLOCK_MASK) {
        return None;
    }
    let words =
        grid.memory.allocations.iter().zip(grid.writable).filter(|(_, writable)| **writable);
    if words.map(|(a, _)| a.words.len()).sum::<usize>() > MAX_SNAPSHOT_WORDS {
        return None;
    }
    let before = grid.memory.snapshot(grid.writable);
    let cell_budget: CellBudget = Arc::new(AtomicI64::new(grid.memory.words() as i64));
    let (queue, order) = (Queue::new(blocks, threads), Order::new(blocks, 0));
    let worker = || {
        // the budget is divided, so that more threads do not have more of it in total
        let budget = options.budget / threads as u64;
        let mut m = new_machine(grid, options, budget, None, Some(&cell_budget));
        m.touched = bytes.then(Box::default);
        let done = run_blocks(&mut m, &queue, &order, options.diagnose, 0);
        (m, done)
    };
    let results: Vec<(Machine<'_>, bool)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let mine = worker();
        handles.into_iter().filter_map(|h| h.join().ok()).chain([mine]).collect()
    });
    let fine =
        results.len() == threads && results.iter().all(|(m, done)| *done && !m.must_repeat_alone());
    let merged = fine.then(|| merge_shadows(results)).flatten();
    if merged.is_none() {
        grid.memory.restore(&before);
    }
    merged
}

fn run_blocks(
    m: &mut Machine<'_>,
    queue: &Queue,
    order: &Order,
    diagnose: Diagnose,
    seed: u64,
) -> bool {
    match diagnose {
        _ if m.trace.is_some() => run_queued_blocks::<TRACE>(m, queue, order, seed),
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

impl Module {
    /// The address of a `__device__` or `__constant__` variable in this memory, by its name in PTX;
    /// `None` when there is none.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for the module's variables.
    pub fn variable(&self, memory: &mut Memory, name: &str) -> Result<Option<u64>, Error> {
        let slots = bind_variables(self, memory)?;
        let found = self.program.variables.iter().position(|v| v.symbol == name);
        Ok(found.and_then(|v| slots.get(v)).map(|slot| base(*slot as u64 + 1)))
    }
}

/// The kernel that a launch names.
fn find_entry<'m>(module: &'m Module, launch: &Launch) -> Result<&'m Entry, Error> {
    module.entries.iter().find(|e| e.name == launch.entry).ok_or_else(|| Error::NoSuchEntry {
        name: launch.entry.clone(),
        found: module.entries.iter().map(|e| e.name.clone()).collect(),
    })
}

/// Slots of the module's variables, which are allocated and initialised when the module first runs
/// in this memory.
fn bind_variables(module: &Module, memory: &mut Memory) -> Result<Vec<usize>, Error> {
    if let Some((_, slots)) = memory.modules.iter().find(|(id, _)| *id == module.id) {
        return Ok(slots.clone());
    }
    let mut slots = vec![];
    for v in &module.program.variables {
        // variables without an initial value start as zeros (PTX ISA, "Initializers")
        slots.push(memory.allocate(&v.name, v.bytes.max(1), v.element, true)?);
    }
    for (v, slot) in module.program.variables.iter().zip(&slots) {
        for (offset, value, bytes) in &v.init {
            let bits = match value {
                InitValue::Bits(bits) => *bits,
                InitValue::Variable(other, o) => {
                    slots.get(*other).map_or(0, |s| base(*s as u64 + 1).wrapping_add(*o as u64))
                }
                InitValue::Function(f) => base(crate::address::FUNCTION_SLOT) + *f as u64 * 16,
            };
            let data = bits.to_le_bytes();
            memory.write(base(*slot as u64 + 1) + offset, &data[..(*bytes as usize).min(8)])?;
        }
        if let Some(a) = memory.allocations.get_mut(*slot) {
            a.writable = !v.constant;
        }
    }
    memory.modules.push((module.id, slots.clone()));
    Ok(slots)
}

/// Which slots a launch may access through the parameters that `through` names, or all slots.
fn reachable_slots(through: Origins, entry: &Entry, params: &[u8], memory: &Memory) -> Vec<bool> {
    let mut all = vec![through & ANY != 0; memory.allocations.len()];
    let mut offset = 0_usize;
    let accessed = |i: usize| {
        u32::try_from(i).ok().and_then(|i| through.checked_shr(i)).is_some_and(|w| w & 1 == 1)
    };
    for (i, param) in entry.params.iter().enumerate() {
        offset = offset.next_multiple_of(param.align.max(1) as usize);
        // fewer than 8 bytes cannot hold an address; a struct may hold any
        match (accessed(i), param.bytes) {
            (true, 8) => {
                let data = params.get(offset..offset + 8).and_then(|d| d.first_chunk().copied());
                let slot = crate::address::split(u64::from_le_bytes(data.unwrap_or_default())).0;
                if let Some(s) = (slot as usize).checked_sub(1).and_then(|s| all.get_mut(s)) {
                    *s = true;
                }
            }
            (true, 9..) => all.fill(true),
            _ => {}
        }
        offset += param.bytes as usize;
    }
    all
}

fn new_tracer(grid: &Grid<'_>, thread: &Thread) -> Tracer {
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
    let home = program.sources.iter().map(own).collect();
    let (block, lane) =
        (linear_index(thread.block, grid.grid), linear_index(thread.thread, grid.block));
    Tracer::new(*thread, block, lane, home)
}

fn new_machine<'g>(
    grid: &'g Grid<'g>,
    options: &Options,
    budget: u64,
    heap: Option<Heap>,
    cell_budget: Option<&CellBudget>,
) -> Machine<'g> {
    let program = grid.program;
    let full = options.diagnose == Diagnose::Full;
    let shadows = if full {
        grid.memory
            .allocations
            .iter()
            .zip(grid.writable)
            .map(|(a, writable)| {
                if *writable {
                    SlotShadow::new(a.words.len(), cell_budget.cloned())
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
        images: vec![0; program.images.len()],
        patterns: vec![Pattern::default(); program.memory.len()],
        shadows,
        sync: (full && grid.syncs).then(Box::default),
        parallel: cell_budget.is_some(),
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
        output: vec![],
        output_dropped: 0,
        heap,
        trace: None,
        touched: None,
    }
}

struct Merged {
    heap: Option<Heap>,
    observations: Observations,
    completed: bool,
    shadows: Vec<SlotShadow>,
    trace: Option<Trace>,
    touched: Option<Box<AccessSet>>,
}

/// One shadow per allocation from those of several host threads; `None` when accesses of two of
/// them conflict.
fn merge_shadows(mut results: Vec<(Machine<'_>, bool)>) -> Option<Merged> {
    let slots = results.iter().map(|(m, _)| m.shadows.len()).max().unwrap_or(0);
    let mut all: Vec<Vec<SlotShadow>> = (0..slots).map(|_| vec![]).collect();
    for (m, _) in &mut results {
        for (slot, shadow) in std::mem::take(&mut m.shadows).into_iter().enumerate() {
            all[slot].push(shadow);
        }
    }
    let shadows = all.into_iter().map(SlotShadow::join).collect::<Option<Vec<_>>>()?;
    Some(Merged { shadows, ..merge(results) })
}

fn merge(results: Vec<(Machine<'_>, bool)>) -> Merged {
    let mut observations = Observations::default();
    let mut completed = true;
    let mut lines: BTreeMap<Source, Counters> = BTreeMap::new();
    let mut findings = Findings::default();
    let (mut shadows, mut heap) = (vec![], None);
    let mut output = vec![];
    let mut trace = None;
    let mut touched: Option<Box<AccessSet>> = None;
    for (mut m, done) in results {
        completed &= done;
        observations.unmapped |= m.unmapped;
        for (source, counters) in m.counters() {
            observations.totals.add(&counters);
            let Some(source) = m.grid.program.sources.get(source as usize) else { continue };
            lines.entry(Source { column: 0, ..source.clone() }).or_default().add(&counters);
        }
        output.extend_from_slice(&m.output);
        observations.output_dropped += m.output_dropped;
        findings.absorb(std::mem::take(&mut m.findings));
        shadows = std::mem::take(&mut m.shadows);
        trace = m.trace.take().map(|tracer| tracer.finish(&m)).or(trace);
        heap = m.heap.take().or(heap);
        touched = match (touched, m.touched.take()) {
            (Some(mut all), Some(more)) => {
                all.join(&more);
                Some(all)
            }
            (all, more) => all.or(more),
        };
    }
    observations.output = String::from_utf8_lossy(&output).into_owned();
    observations.findings = findings.finish();
    observations.lines = lines
        .into_iter()
        .filter(|(s, c)| s.line > 0 && *c != Counters::default())
        .map(|(source, counters)| LineCounters { source, counters })
        .collect();
    Merged { observations, completed, shadows, heap, trace, touched }
}

/// Marks as initialised what the launch wrote, and reports how it used the named allocations that
/// it wrote.
fn record_results(
    memory: &mut Memory,
    shadows: &[SlotShadow],
    writable: &[bool],
    observations: &mut Observations,
) {
    for (slot, allocation) in memory.allocations.iter_mut().enumerate() {
        if !writable.get(slot).copied().unwrap_or(false) {
            continue;
        }
        let Some(shadow) = shadows.get(slot) else {
            // without a shadow, any of its bytes may have been initialised
            allocation.initialised = Initialised::All;
            continue;
        };
        let words = allocation.words.len();
        if allocation.initialised != Initialised::All {
            for (word, cell) in shadow.cells() {
                let bytes = cell.initialised(None);
                if bytes != 0 {
                    allocation.initialised.add(word, bytes, words);
                }
            }
            allocation.initialised.compact(allocation.bytes);
        }
        let per = (allocation.element as usize / 4).max(1);
        let (mut written, mut most, mut most_written) = (0_u64, 0, 0_u64);
        // words come in order, so an element's words follow each other
        let mut words = shadow.cells().filter(|(_, cell)| cell.writes() > 0).peekable();
        while let Some((word, cell)) = words.next() {
            let mut writes = cell.writes();
            while let Some((_, cell)) = words.next_if(|(next, _)| next / per == word / per) {
                writes = writes.max(cell.writes());
            }
            written += 1;
            if writes > most {
                (most, most_written) = (writes, 0);
            }
            most_written += u64::from(writes == most);
        }
        if written > 0 && !allocation.name.is_empty() {
            let elements = allocation.bytes
                / u64::from(allocation.element.max(if allocation.element < 4 { 4 } else { 1 }));
            observations.arrays.push(ArrayUse {
                name: allocation.name.clone(),
                elements: elements.max(1),
                written,
                max_writes: most,
                most_written,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shadow bytes per byte of the kernel's data after one launch of `body` with an output array
    /// of `bytes`.
    fn shadow_of(body: &str, blocks: u32, bytes: u64) -> f64 {
        let ptx = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
             .reg .b64 %d<9>;\n.reg .b32 %r<9>;\n.reg .b16 %h<9>;\n.reg .pred %p<9>;\n\
             ld.param.u64 %d1, [out];\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r1, %ctaid.x;\n\
             mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.s32 %r4, %r1, %r3, %r2;\ncvt.u16.u32 %h1, %r4;\n\
             {body}\nret;\n}}\n"
        );
        let module = Module::parse(&ptx).expect("parses");
        let mut memory = Memory::new();
        let out = memory.alloc("out", bytes, 1, None).expect("memory");
        let launch = Launch {
            entry: "k".into(),
            grid: [blocks, 1, 1],
            block: [256, 1, 1],
            shared: 0,
            shared_allowed: None,
            cooperative: false,
            args: vec![out.to_le_bytes().to_vec()],
        };
        let seen = observe(&module, &mut memory, &launch, &Options::default(), Follow::default())
            .expect("runs");
        let Merged { observations: seen, shadows, .. } = seen;
        assert_eq!((seen.completed, seen.findings), (true, vec![]));
        let record = match &memory.allocations[0].initialised {
            Initialised::Some(bits) => bits.len(),
            _ => 0,
        };
        (record + shadows.iter().map(SlotShadow::bytes).sum::<usize>()) as f64 / bytes as f64
    }

    #[test]
    fn shadow_memory_takes_four_bytes_per_byte() {
        let blocks = 4096;
        let threads = u64::from(blocks) * 256;
        // the rest is the page table (one entry per 4 KiB) and freed lists
        let limit = 4.01;
        let at = |scale: u32| format!("mul.wide.s32 %d2, %r4, {scale};\nadd.s64 %d1, %d1, %d2;\n");
        let words = at(4) + "st.global.u32 [%d1], %r4;";
        let halves = at(2) + "st.global.u16 [%d1], %h1;";
        let bytes = at(1) + "st.global.u8 [%d1], %h1;";
        let in_place = at(1)
            + "st.global.u8 [%d1], %h1;\nld.global.u8 %h2, [%d1];\nadd.s16 %h2, %h2, 1;\n\
                               bar.sync 0;\nst.global.u8 [%d1], %h2;";
        let three = at(3)
            + "st.global.u8 [%d1], %h1;\nst.global.u8 [%d1+1], %h1;\nst.global.u8 [%d1+2], %h1;";
        for (body, scale) in [(words, 4), (halves, 2), (bytes, 1), (in_place, 1), (three, 3)] {
            let factor = shadow_of(&body, blocks, threads * scale);
            assert!((3.9..=limit).contains(&factor), "{factor} for {body}");
        }
        let none = shadow_of(
            &(at(4) + "setp.eq.u32 %p1, %r4, 3;\n@%p1 st.global.u32 [%d1], %r4;"),
            blocks,
            threads * 4,
        );
        assert!(none < 0.2, "a page and the record of what is initialised, not {none}");
    }
}
