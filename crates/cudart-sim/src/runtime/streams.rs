//! What streams are besides their work: flags and priorities.

use super::{Runtime, properties};
use crate::error::{Code, Result};
use crate::graph::{LEGACY, PER_THREAD, Stream};

/// `cudaStreamNonBlocking`.
const NON_BLOCKING: u32 = 1;

/// How a stream was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamKind {
    /// `cudaStreamNonBlocking`, or 0.
    pub flags: u32,
    /// The lower, the sooner.
    pub priority: i32,
}

impl Runtime {
    /// `cudaStreamCreateWithPriority`: priorities beyond the range are the nearest in it.
    pub fn create_stream(&mut self, flags: u32, priority: i32) -> Result<Stream> {
        self.alive()?;
        if flags & !NON_BLOCKING != 0 {
            return Err(Code::INVALID_VALUE);
        }
        self.facts.streams += 1;
        let (greatest, least) = properties::PRIORITIES;
        let kind = StreamKind { flags, priority: priority.clamp(greatest, least) };
        let stream = self.graph.create(flags == 0);
        self.streams.insert(stream, kind);
        Ok(stream)
    }

    /// `cudaStreamGetFlags`, `cudaStreamGetPriority`.
    pub fn stream_kind(&self, stream: Stream) -> Result<StreamKind> {
        self.alive()?;
        if stream == LEGACY || stream >= PER_THREAD {
            return Ok(StreamKind { flags: 0, priority: 0 });
        }
        self.streams.get(&stream).copied().ok_or(Code::INVALID_RESOURCE_HANDLE)
    }

    /// `cudaStreamDestroy`.
    pub fn destroy_stream(&mut self, stream: Stream) -> Result {
        self.alive()?;
        self.streams.remove(&stream);
        if self.graph.destroy(stream) { Ok(()) } else { Err(Code::INVALID_RESOURCE_HANDLE) }
    }
}
