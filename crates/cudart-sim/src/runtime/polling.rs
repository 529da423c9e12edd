//! Work that the device does although no call waits for it, because the program waits without a
//! call.

use super::Runtime;
use super::work::Work;
use crate::device;
use crate::graph::Id;

impl Runtime {
    /// The host polls an address that pending work may change: does the first such work and
    /// everything that it needs.
    pub(crate) fn host_polls(&mut self, address: u64) {
        self.host_runs = true;
        let users = self.memory.users_of(address);
        match users.into_iter().find(|id| !self.streams.is_done(*id)) {
            Some(id) => {
                self.perform_towards(id);
                self.streams.observed(id);
            }
            None => {
                if let Some(step) = self.streams.step_any() {
                    self.perform(step);
                }
            }
        }
        self.host_runs = false;
        self.memory.show_to_host();
        self.acquire(address);
    }

    /// The program has called nothing for some time. It may wait for what a host function does, or
    /// for page-locked memory that a kernel reaches without an argument, which is not guarded.
    pub(crate) fn host_is_idle(&mut self) {
        self.host_runs = true;
        let function =
            self.streams.first_pending(|task| matches!(task.work, Work::HostFunction(_)));
        if let Some(id) = function {
            self.perform_towards(id);
        } else if self.memory.has_shared() {
            let kernel =
                self.streams.first_pending(|task| matches!(task.work, Work::Kernel { .. }));
            if let Some(id) = kernel {
                self.perform_towards(id);
            }
        }
        self.host_runs = false;
        self.memory.show_to_host();
    }

    fn perform_towards(&mut self, id: Id) {
        while self.lost.is_none()
            && let Some(step) = self.streams.step_towards(id)
        {
            self.perform(step);
        }
    }

    /// The host has read an address again after work was done. If that work stored there with an
    /// atomic or strong operation, the host is now ordered after it, and after everything that is
    /// ordered before it.
    fn acquire(&mut self, address: u64) {
        self.report_host_races();
        for id in self.memory.strong_writers(address) {
            self.memory.end_guards(id, self.streams.order());
        }
    }

    /// Work was enqueued that the host may wait for without a call.
    pub(super) fn expect_polls(&self) {
        device::start();
    }
}
