//! What every thread of the host has of its own: its last error, and the launch that it is about to make.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use super::sites::Site;
use super::{LaunchShape, Runtime};
use crate::error::Code;
use crate::graph::{PER_THREAD, Stream};

/// One thread's state.
#[derive(Debug, Default)]
pub(super) struct Mine {
    /// For `cudaGetLastError`.
    pub last: Option<Code>,
    /// What `<<<...>>>` has left for the calls that follow.
    pub configurations: Vec<(LaunchShape, Stream, Site)>,
    /// Where the launch that `<<<...>>>` has begun was written.
    pub configured: Option<Site>,
}

/// All threads'.
#[derive(Debug, Default)]
pub(super) struct Threads(HashMap<ThreadId, Mine>);

impl Runtime {
    /// The state of the thread that calls.
    pub(super) fn mine(&mut self) -> &mut Mine {
        self.threads.0.entry(thread::current().id()).or_default()
    }

    /// `cudaGetLastError`, or without `forget` `cudaPeekAtLastError`. An error that ended the context is told by every
    /// call, not by this one.
    pub fn last_error(&mut self, forget: bool) -> Code {
        self.looked();
        let mine = self.mine();
        let last = if forget { mine.last.take() } else { mine.last };
        last.unwrap_or(Code::SUCCESS)
    }
}

/// The default stream of the thread that calls (`cudaStreamPerThread`).
pub fn own_stream() -> Stream {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    Stream(PER_THREAD.0 + NUMBER.with(|number| *number))
}
