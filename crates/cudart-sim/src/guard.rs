//! Closes pages of the program's memory to the host while the device may use them.
//!
//! Pending work may read or write page-locked and managed memory at any time. A program that
//! accesses such memory before it has waited is usually right by luck. Here, the pages are closed
//! (`mprotect`) when the host enqueues the work, and opened when the host has waited for it. An
//! access meanwhile causes a signal. Its handler records the access and opens the pages, and the
//! program continues with the old contents.
//!
//! This module knows nothing about streams or work: a guard has a number, whose meaning only the
//! caller knows.

#![expect(unsafe_code, reason = "pages of the program's memory")]

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    /// The return addresses in the program, beginning with the innermost.
    pub frames: crate::runtime::Frames,
}

#[derive(Debug, Default)]
struct Guards {
    all: Vec<Guard>,
    /// Pages that an access next to a guard's bytes has opened.
    open: BTreeSet<u64>,
    /// The numbers of guards that a hit has opened.
    opened: BTreeSet<u64>,
    hits: Vec<Hit>,
}

static GUARDS: Mutex<Guards> = Mutex::new(Guards {
    all: vec![],
    open: BTreeSet::new(),
    opened: BTreeSet::new(),
    hits: vec![],
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

/// Handles the signal of an access. If a guard is the reason, records the access, opens the page,
/// and returns true, so that the access can be tried again.
pub fn hit(address: u64, write: bool, frames: impl FnOnce() -> crate::runtime::Frames) -> bool {
    let mut guards = lock();
    let page = address / PAGE * PAGE;
    let covers = |guard: &&Guard| guard.pages().0 <= page && page < guard.pages().1;
    if !guards.all.iter().any(|guard| covers(&guard)) {
        return false;
    }
    let violated = guards.all.iter().find(|guard| {
        let touched = guard.from <= address && address < guard.to && (guard.writes || write);
        touched && !guards.opened.contains(&guard.number)
    });
    match violated.copied() {
        Some(guard) => {
            guards.hits.push(Hit { number: guard.number, address, write, frames: frames() });
            guards.opened.insert(guard.number);
            guards.protect_range(guard.from, guard.to);
        }
        // the access was next to a guard's bytes, in the same page
        None => {
            guards.open.insert(page);
        }
    }
    // another thread may have opened the page before; this only fails if the page is not mapped any
    // more
    protect(page, page + PAGE, Access::All)
}

/// The recorded accesses since the last call.
pub fn hits() -> Vec<Hit> {
    std::mem::take(&mut lock().hits)
}
