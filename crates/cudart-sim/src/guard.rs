//! Closes pages of the program's memory to the host while the device may use them.
//!
//! Pending work may read or write page-locked and managed memory at any time. A program that
//! accesses such memory before it has waited is usually right by luck. Here, the pages are closed
//! (`mprotect`) when the host enqueues the work, and opened when the host has waited for it. An
//! access meanwhile causes a signal. Its handler records the access and opens the pages for this
//! one instruction, which the processor executes as a single step, and the program continues with
//! the old contents.
//!
//! An instruction that accesses the same address a second time is waiting for the device. Then the
//! device does some of the work before the program continues ([`crate::device`]). So a program that
//! polls sees a change, after a number of accesses that does not depend on how fast anything is.
//!
//! This module knows nothing about streams or work: a guard has a number, whose meaning only the
//! caller knows.

#![expect(unsafe_code, reason = "pages of the program's memory")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::report::MAX_RECORDED_ACCESSES;

/// Bytes of a page. Memory is opened and closed page by page.
pub const PAGE: u64 = 4096;

/// Bytes that pending work uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Its number. Later guards have higher numbers.
    pub number: u64,
    /// The first byte.
    pub from: u64,
    /// The byte after the last.
    pub to: u64,
    /// May the work write the bytes (otherwise it only reads them)?
    pub writes: bool,
}

/// An access of the host to bytes of a guard, before it has waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The guard's number.
    pub number: u64,
    /// The address.
    pub address: u64,
    /// Was it a write?
    pub write: bool,
    /// The instruction.
    pub instruction: usize,
    /// The access's number. It may hit several guards.
    pub access: u64,
    /// Had the work been done before the access?
    pub after_work: bool,
    /// The return addresses in the program, beginning with the innermost.
    pub frames: crate::runtime::Frames,
}

#[derive(Debug, Default)]
struct Guards {
    all: Vec<Guard>,
    /// Pages that an access next to a guard's bytes has opened.
    open: BTreeSet<u64>,
    /// The numbers of guards that were hit so often that they are opened.
    opened: BTreeSet<u64>,
    /// The numbers of guards whose work has been done.
    done: BTreeSet<u64>,
    /// Recorded accesses to the guards, and whether [`take_hits`] has returned them.
    hits: Vec<(Hit, bool)>,
    /// Recorded accesses so far.
    accesses: u64,
    /// Single steps so far.
    steps: u32,
}

/// The most accesses that are recorded for a guard, before its pages are opened.
const MAX_HITS: usize = MAX_RECORDED_ACCESSES as usize;

/// The most single steps of a program, because each takes as long as several system calls.
/// Afterwards, the first access opens a guard's pages.
const MAX_STEPS: u32 = 20_000;

/// The most pages that one instruction accesses.
const MAX_STEP_PAGES: usize = 8;

thread_local! {
    /// Pages that are open for the instruction that this thread executes as a single step, and 0.
    static STEPPING: [Cell<u64>; MAX_STEP_PAGES] = const { [const { Cell::new(0) }; MAX_STEP_PAGES] };
}

/// What the handler of a signal must do before the program continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The page is open, so the instruction can be executed again.
    Continue,
    /// The page is open for one instruction. After it, [`step_ended`] must be called.
    SingleStep,
    /// The same, but first the device should do work that may change the contents.
    Poll,
}

/// Can this processor execute a single instruction of the program?
const SINGLE_STEPS: bool = cfg!(target_arch = "x86_64");

static GUARDS: Mutex<Guards> = Mutex::new(Guards {
    all: vec![],
    open: BTreeSet::new(),
    opened: BTreeSet::new(),
    done: BTreeSet::new(),
    hits: vec![],
    accesses: 0,
    steps: 0,
});

/// The lock is never held while the program's memory is accessed. So a signal handler never waits
/// for its own thread.
fn lock() -> MutexGuard<'static, Guards> {
    GUARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the host may access pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    All,
    Read,
    None,
}

/// Sets how the host may access pages. Returns false if there are no pages.
fn protect(from: u64, to: u64, access: Access) -> bool {
    let flags = match access {
        Access::All => libc::PROT_READ | libc::PROT_WRITE,
        Access::Read => libc::PROT_READ,
        Access::None => libc::PROT_NONE,
    };
    if from >= to {
        return true;
    }
    // SAFETY: these are whole pages of memory that the program got from this runtime or registered
    // with it, and Rust holds no references into it. A failure leaves the pages as they are.
    unsafe { libc::mprotect(from as *mut libc::c_void, (to - from) as usize, flags) == 0 }
}

/// Maps new pages of zeros at this address. Returns `None` if the address is in use or memory is
/// short.
pub fn map(address: u64, bytes: u64) -> Option<u64> {
    let length = usize::try_from(bytes).ok()?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: with this flag, the mapping does not replace another one.
    let at = unsafe { libc::mmap(address as *mut libc::c_void, length, access, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return None;
    }
    if at as u64 == address {
        return Some(address);
    }
    // a system that does not know the flag may choose another address
    unmap(at as u64, bytes);
    None
}

/// Unmaps pages that [`map`] has mapped.
pub fn unmap(address: u64, bytes: u64) {
    // SAFETY: the program has freed this memory, and Rust holds no references into it.
    unsafe { libc::munmap(address as *mut libc::c_void, bytes as usize) };
}

impl Guard {
    /// The first byte of the first page with bytes of this guard, and the byte after the last such
    /// page.
    const fn pages(&self) -> (u64, u64) {
        (self.from / PAGE * PAGE, self.to.next_multiple_of(PAGE))
    }
}

impl Guards {
    /// Opens and closes the pages of a range as the guards demand.
    fn protect_range(&self, from: u64, to: u64) {
        let (from, to) = (from / PAGE * PAGE, to.next_multiple_of(PAGE));
        protect(from, to, Access::All);
        // guards that write come second, because their pages are also closed for reading
        for writes in [false, true] {
            let closed =
                self.all.iter().filter(|g| g.writes == writes && !self.opened.contains(&g.number));
            for guard in closed {
                let (first, last) = guard.pages();
                let (first, last) = (first.max(from), last.min(to));
                protect(first, last, if writes { Access::None } else { Access::Read });
            }
        }
        for page in self.open.range(from..to) {
            protect(*page, page + PAGE, Access::All);
        }
    }
}

/// Pages that contain nothing but memory that a program gets from this process's main program, as
/// the first byte and the byte after the last of each range.
static OWN_PAGES: Mutex<Vec<(u64, u64)>> = Mutex::new(vec![]);

/// Declares that these pages contain nothing but memory that the program works with. So they can be
/// closed as a whole when the program registers a part of them as page-locked memory.
pub fn own_pages(from: u64, to: u64) {
    OWN_PAGES.lock().unwrap_or_else(PoisonError::into_inner).push((from, to));
}

/// Are all pages of these bytes declared by [`own_pages`]?
pub fn are_own_pages(from: u64, to: u64) -> bool {
    let pages = OWN_PAGES.lock().unwrap_or_else(PoisonError::into_inner);
    pages.iter().any(|(first, last)| *first <= from && to <= *last)
}

/// Closes the pages of a guard, which belong to memory from this runtime or are registered with it.
pub fn close(guard: Guard) {
    let mut guards = lock();
    let (from, to) = guard.pages();
    guards.open.retain(|page| *page < from || *page >= to);
    guards.all.push(guard);
    guards.protect_range(from, to);
}

/// Removes the guards whose numbers have `ended`, and opens the pages that only they had closed.
pub fn end(ended: impl Fn(u64) -> bool) {
    let mut guards = lock();
    let (removed, left) = guards.all.drain(..).partition::<Vec<_>, _>(|guard| ended(guard.number));
    guards.all = left;
    for guard in removed {
        guards.opened.remove(&guard.number);
        guards.done.remove(&guard.number);
        guards.hits.retain(|(hit, _)| hit.number != guard.number);
        let (from, to) = guard.pages();
        guards.open.retain(|page| *page < from || *page >= to);
        guards.protect_range(from, to);
    }
}

/// Opens these bytes for the runtime itself while `f` runs.
pub fn opened<T>(from: u64, to: u64, f: impl FnOnce() -> T) -> T {
    let any =
        lock().all.iter().any(|guard| guard.from < to && from < guard.to.next_multiple_of(PAGE));
    if !any {
        return f();
    }
    protect(from / PAGE * PAGE, to.next_multiple_of(PAGE), Access::All);
    let result = f();
    lock().protect_range(from, to);
    result
}

/// Opens all pages while `f` runs, which is a function of the program that a stream calls.
pub fn all_opened<T>(f: impl FnOnce() -> T) -> T {
    let spans: Vec<_> = lock().all.iter().map(Guard::pages).collect();
    for (from, to) in &spans {
        protect(*from, *to, Access::All);
    }
    let result = f();
    let guards = lock();
    spans.iter().for_each(|(from, to)| guards.protect_range(*from, *to));
    result
}

/// Handles the signal of an access by the instruction at `instruction`. If a guard is the reason,
/// records the access and opens the page. Returns `None` if there is another reason.
pub fn hit(
    address: u64,
    write: bool,
    instruction: usize,
    frames: impl FnOnce() -> crate::runtime::Frames,
) -> Option<Action> {
    let mut guards = lock();
    let page = address / PAGE * PAGE;
    let covers = |guard: &&Guard| guard.pages().0 <= page && page < guard.pages().1;
    if !guards.all.iter().any(|guard| covers(&guard)) {
        return None;
    }
    let violated =
        |guard: &&Guard| guard.from <= address && address < guard.to && (guard.writes || write);
    let violated: Vec<u64> = guards.all.iter().filter(violated).map(|guard| guard.number).collect();
    let own = |hit: &Hit| violated.contains(&hit.number);
    let polls = guards
        .hits
        .iter()
        .any(|(hit, _)| own(hit) && hit.address == address && hit.instruction == instruction);
    let exhausted = guards.hits.iter().filter(|(hit, _)| own(hit)).count() >= MAX_HITS;
    if !polls && !violated.is_empty() && !exhausted {
        guards.accesses += 1;
        let (access, frames) = (guards.accesses, frames());
        for number in &violated {
            let (number, after_work) = (*number, guards.done.contains(number));
            let hit = Hit { number, address, write, instruction, access, after_work, frames };
            guards.hits.push((hit, false));
        }
    }
    let steps = SINGLE_STEPS
        && (polls || guards.steps < MAX_STEPS && !exhausted)
        && STEPPING.with(|pages| remember(pages, page));
    if steps {
        // polling may go on for as long as the program likes
        guards.steps += u32::from(!polls);
    } else if !violated.is_empty() {
        guards.opened.extend(&violated);
        let ranges: Vec<_> =
            guards.all.iter().filter(|g| violated.contains(&g.number)).copied().collect();
        ranges.iter().for_each(|guard| guards.protect_range(guard.from, guard.to));
    } else {
        // the access was next to a guard's bytes, in the same page
        guards.open.insert(page);
    }
    // another thread may have opened the page before; this only fails if the page is not mapped any
    // more
    if !protect(page, page + PAGE, Access::All) {
        return None;
    }
    Some(match (polls, steps) {
        (true, true) => Action::Poll,
        (false, true) => Action::SingleStep,
        (_, false) => Action::Continue,
    })
}

/// Adds a page to those that are open for a single step. Returns false if there is no room.
fn remember(pages: &[Cell<u64>; MAX_STEP_PAGES], page: u64) -> bool {
    match pages.iter().find(|entry| [0, page].contains(&entry.get())) {
        Some(entry) => {
            entry.set(page);
            true
        }
        None => false,
    }
}

/// The instruction that this thread executed as a single step has ended: closes its pages again.
/// Returns false if the thread was not in a single step.
pub fn step_ended() -> bool {
    STEPPING.with(|pages| {
        let open = pages.iter().map(|entry| entry.replace(0)).filter(|page| *page != 0);
        let open: Vec<u64> = open.collect();
        let guards = lock();
        open.iter().for_each(|page| guards.protect_range(*page, page + PAGE));
        !open.is_empty()
    })
}

/// The work of this guard has been done. The guard stays until the host has waited.
pub fn work_done(number: u64) {
    let mut guards = lock();
    if guards.all.iter().any(|guard| guard.number == number) {
        guards.done.insert(number);
    }
}

/// The recorded accesses to guards whose numbers are `known`, in their order. Each is returned
/// once.
pub fn take_hits(known: impl Fn(u64) -> bool) -> Vec<Hit> {
    let mut guards = lock();
    let new = guards.hits.iter_mut().filter(|(hit, taken)| !taken && known(hit.number));
    new.map(|(hit, taken)| {
        *taken = true;
        *hit
    })
    .collect()
}
