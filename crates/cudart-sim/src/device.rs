//! A thread that works for the device while the program does not call the runtime.
//!
//! Pending work is done when the host waits for it, in the calls of the runtime. A program may also
//! wait without a call, and this thread notices that in two ways:
//!
//! * The program accesses memory that pending work uses a second time with the same instruction
//!   ([`crate::guard`]). It waits until the device has done some of that work.
//! * The program has called nothing for some time, and something is pending whose effect it may
//!   see in memory without guards, for example a host function. Then the device does it.
//!
//! Neither of them changes a report: findings follow from which work is ordered with what, and not
//! from when it was done.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::abi;
use crate::start;

/// How long the program calls nothing before the device does work on its own. The program only
/// waits longer on a busy machine.
const IDLE: Duration = Duration::from_millis(50);

/// The addresses that host threads poll.
#[derive(Debug, Default)]
struct Requests {
    waiting: VecDeque<u64>,
    /// Requests so far, and those that were served. They are served in order.
    made: u64,
    served: u64,
}

#[derive(Debug, Default)]
struct DeviceThread {
    requests: Mutex<Requests>,
    changed: Condvar,
}

static THREAD: OnceLock<DeviceThread> = OnceLock::new();

impl DeviceThread {
    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves requests as long as the process lives.
    fn serve(&self) {
        let mut calls = abi::calls();
        loop {
            let mut requests = self.lock();
            let Some(address) = requests.waiting.pop_front() else {
                let waited = self.changed.wait_timeout(requests, IDLE);
                let (requests, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                let idle = timeout.timed_out() && requests.waiting.is_empty();
                drop(requests);
                if idle && std::mem::replace(&mut calls, abi::calls()) == abi::calls() {
                    abi::host_is_idle();
                }
                continue;
            };
            drop(requests);
            abi::host_polls(address);
            self.lock().served += 1;
            self.changed.notify_all();
        }
    }
}

/// Starts the thread, unless it runs already.
pub(crate) fn start() {
    if THREAD.get().is_none() && THREAD.set(DeviceThread::default()).is_ok() {
        let serve = || {
            if let Some(thread) = THREAD.get() {
                thread.serve();
            }
        };
        // without the thread, a program that waits without a call waits forever
        let _ = start::thread("simulated device", serve);
    }
}

/// The calling thread polls an address. Returns when the device has done some of the work that may
/// change the contents.
pub(crate) fn poll(address: u64) {
    let Some(thread) = THREAD.get() else { return };
    let mut requests = thread.lock();
    requests.waiting.push_back(address);
    requests.made += 1;
    let ticket = requests.made;
    thread.changed.notify_all();
    while requests.served < ticket {
        requests = thread.changed.wait(requests).unwrap_or_else(PoisonError::into_inner);
    }
}
