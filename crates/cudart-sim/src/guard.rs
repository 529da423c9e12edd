//! Pages of the program's memory that the device uses at this moment, kept from the host.
//!
//! Work that is pending reads or writes page-locked and managed memory whenever it likes; a program that touches that memory
//! meanwhile mostly gets away with it. Here such pages are closed (`mprotect`) from the time that work is asked for until the
//! host has waited for it. The signal that an access then causes is noted, the pages are opened, and the program goes on with
//! what was there before.
//!
//! Nothing here knows of streams and names: a guard has a number, and whoever set it knows what that is.

#![expect(unsafe_code, reason = "pages of the program's memory")]

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a page, for which memory is open or closed.
pub const PAGE: u64 = 4096;

/// Bytes that somebody else uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Its number: later ones are higher.
    pub number: u64,
    /// The first byte.
    pub from: u64,
    /// The byte behind the last.
    pub to: u64,
    /// The bytes may be written, not only read.
    pub writes: bool,
}

/// An access of the host to bytes of a guard that it had to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The guard's number.
    pub number: u64,
    /// The address.
    pub address: u64,
    /// Was it a write?
    pub write: bool,
    /// Where in the program: return addresses, the innermost first.
    pub frames: crate::runtime::Frames,
}

#[derive(Debug, Default)]
struct Guards {
    all: Vec<Guard>,
    /// Pages that are open all the same, and guards that are.
    open: BTreeSet<u64>,
    done: BTreeSet<u64>,
    hits: Vec<Hit>,
}

static GUARDS: Mutex<Guards> =
    Mutex::new(Guards { all: vec![], open: BTreeSet::new(), done: BTreeSet::new(), hits: vec![] });

/// Never held while the program's memory is touched, so that a signal of an access never waits for its own thread.
fn lock() -> MutexGuard<'static, Guards> {
    GUARDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What may be done with pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    All,
    Read,
    None,
}

/// Sets what may be done with pages; false where there are none.
fn protect(from: u64, to: u64, access: Access) -> bool {
    let flags = match access {
        Access::All => libc::PROT_READ | libc::PROT_WRITE,
        Access::Read => libc::PROT_READ,
        Access::None => libc::PROT_NONE,
    };
    if from >= to {
        return true;
    }
    // SAFETY: only whole pages of memory that the program got from this runtime, or gave to it; Rust holds no references
    // into it. A failure leaves pages as they are.
    unsafe { libc::mprotect(from as *mut libc::c_void, (to - from) as usize, flags) == 0 }
}

/// New pages of zeros at this address, which nobody uses; `None` when somebody does, or memory is short.
pub fn map(address: u64, bytes: u64) -> Option<u64> {
    let length = usize::try_from(bytes).ok()?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a mapping that replaces none.
    let at = unsafe { libc::mmap(address as *mut libc::c_void, length, access, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return None;
    }
    if at as u64 == address {
        return Some(address);
    }
    // a system that does not know the flag has chosen another place
    unmap(at as u64, bytes);
    None
}

/// Gives pages back that [`map`] gave.
pub fn unmap(address: u64, bytes: u64) {
    // SAFETY: the program has freed them; what it does with their address later is its own mistake.
    unsafe { libc::munmap(address as *mut libc::c_void, bytes as usize) };
}

impl Guard {
    /// The pages that hold nothing but these bytes, and those that hold some of them if the memory is `whole` pages.
    const fn pages(&self) -> (u64, u64) {
        (self.from / PAGE * PAGE, self.to.next_multiple_of(PAGE))
    }
}

impl Guards {
    /// Sets the pages of a range as the guards demand.
    fn settle(&self, from: u64, to: u64) {
        let (from, to) = (from / PAGE * PAGE, to.next_multiple_of(PAGE));
        protect(from, to, Access::All);
        // closing to reading first: what is written is closed to both
        for writes in [false, true] {
            let closed =
                self.all.iter().filter(|g| g.writes == writes && !self.done.contains(&g.number));
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

/// Closes bytes, which lie in whole pages of memory from this runtime.
pub fn close(guard: Guard) {
    let mut guards = lock();
    let (from, to) = guard.pages();
    guards.open.retain(|page| *page < from || *page >= to);
    guards.all.push(guard);
    guards.settle(from, to);
}

/// Ends guards, and opens what only they have closed.
pub fn end(ended: impl Fn(u64) -> bool) {
    let mut guards = lock();
    let (over, left) = guards.all.drain(..).partition::<Vec<_>, _>(|guard| ended(guard.number));
    guards.all = left;
    for guard in over {
        guards.done.remove(&guard.number);
        let (from, to) = guard.pages();
        guards.open.retain(|page| *page < from || *page >= to);
        guards.settle(from, to);
    }
}

/// Opens these bytes for the runtime itself, while `f` runs.
pub fn opened<T>(from: u64, to: u64, f: impl FnOnce() -> T) -> T {
    let any =
        lock().all.iter().any(|guard| guard.from < to && from < guard.to.next_multiple_of(PAGE));
    if !any {
        return f();
    }
    protect(from / PAGE * PAGE, to.next_multiple_of(PAGE), Access::All);
    let result = f();
    lock().settle(from, to);
    result
}

/// Opens everything while `f` runs, which is the program's own and in its turn.
pub fn all_opened<T>(f: impl FnOnce() -> T) -> T {
    let spans: Vec<_> = lock().all.iter().map(Guard::pages).collect();
    for (from, to) in &spans {
        protect(*from, *to, Access::All);
    }
    let result = f();
    let guards = lock();
    spans.iter().for_each(|(from, to)| guards.settle(*from, *to));
    result
}

/// An access has failed. If guards have done that, it is noted, the place is opened, and the access may be tried again.
pub fn hit(address: u64, write: bool, frames: impl FnOnce() -> crate::runtime::Frames) -> bool {
    let mut guards = lock();
    let page = address / PAGE * PAGE;
    let covers = |guard: &&Guard| guard.pages().0 <= page && page < guard.pages().1;
    if !guards.all.iter().any(|guard| covers(&guard)) {
        return false;
    }
    let guilty = guards.all.iter().find(|guard| {
        let touched = guard.from <= address && address < guard.to && (guard.writes || write);
        touched && !guards.done.contains(&guard.number)
    });
    match guilty.copied() {
        Some(guard) => {
            guards.hits.push(Hit { number: guard.number, address, write, frames: frames() });
            guards.done.insert(guard.number);
            guards.settle(guard.from, guard.to);
        }
        // a neighbour of these bytes in the same page
        None => {
            guards.open.insert(page);
        }
    }
    // another thread may have come here first; only pages that are gone stay closed
    protect(page, page + PAGE, Access::All)
}

/// The accesses since the last call.
pub fn hits() -> Vec<Hit> {
    std::mem::take(&mut lock().hits)
}
