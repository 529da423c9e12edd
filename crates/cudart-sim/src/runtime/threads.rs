//! State that each thread of the host has for itself: its last error, and the launch that it is
//! preparing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use super::findings::sites::SiteId;
use super::launches::LaunchShape;
use crate::error::Code;
use crate::graph::{PER_THREAD, Stream};

/// What `<<<...>>>` leaves for the launch that follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaunchConfiguration {
    pub shape: LaunchShape,
    pub stream: Stream,
    pub site: SiteId,
}

/// The state of one thread.
#[derive(Debug, Default)]
pub(super) struct ThreadState {
    /// The error that `cudaGetLastError` returns next.
    pub last_error: Option<Code>,
    /// Launches that `<<<...>>>` has configured and that were not made yet.
    pub configurations: Vec<LaunchConfiguration>,
    /// The call site of the launch whose configuration was taken last.
    pub launch_site: Option<SiteId>,
}

/// The state of all threads.
#[derive(Debug, Default)]
pub(super) struct Threads(HashMap<ThreadId, ThreadState>);

impl Threads {
    /// The state of the calling thread.
    pub fn current(&mut self) -> &mut ThreadState {
        self.0.entry(thread::current().id()).or_default()
    }
}

/// The calling thread's own default stream (`cudaStreamPerThread`).
pub fn own_stream() -> Stream {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    Stream(PER_THREAD.0 + NUMBER.with(|number| *number))
}
