//! Events: places in streams that others can wait for.

use super::Runtime;
use super::work::Work;
use crate::error::{Code, Result};
use crate::graph::{Id, Stream};

/// An event, by its number.
#[derive(Debug, Default)]
pub(super) struct Event {
    /// The last place where it was recorded.
    recorded: Option<Id>,
}

impl Runtime {
    /// `cudaEventCreate`: the event's number.
    pub fn create_event(&mut self) -> Result<usize> {
        self.alive()?;
        self.events.push(Some(Event::default()));
        Ok(self.events.len() - 1)
    }

    /// `cudaEventDestroy`.
    pub fn destroy_event(&mut self, event: usize) -> Result {
        self.alive()?;
        self.event(event)?;
        self.events[event] = None;
        Ok(())
    }

    /// `cudaEventRecord`.
    pub fn record(&mut self, event: usize, stream: Stream) -> Result {
        self.alive()?;
        self.event(event)?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        let id = self.graph.add(stream, Work::Event(event), &[]);
        self.event(event)?.recorded = Some(id);
        Ok(())
    }

    /// `cudaStreamWaitEvent`: what comes later in the stream waits for the event's last record.
    pub fn wait_event(&mut self, stream: Stream, event: usize) -> Result {
        self.alive()?;
        let recorded = self.event(event)?.recorded;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        if let Some(id) = recorded.filter(|id| !self.graph.done(*id)) {
            self.graph.add(stream, Work::Event(usize::MAX), &[id]);
        }
        Ok(())
    }

    /// `cudaEventSynchronize`.
    pub fn synchronize_event(&mut self, event: usize) -> Result {
        self.alive()?;
        self.event(event)?.recorded.map_or(Ok(()), |id| self.finish(id))
    }

    /// `cudaEventQuery`.
    pub fn query_event(&mut self, event: usize) -> Result {
        self.alive()?;
        let Some(id) = self.event(event)?.recorded.filter(|id| !self.graph.done(*id)) else {
            return Ok(());
        };
        if let Some((_, work)) = self.graph.step(id) {
            self.perform(work);
        }
        self.alive()?;
        Err(Code::NOT_READY)
    }

    /// The device has come to an event.
    pub(super) fn reached(&mut self, _event: usize) {}

    fn event(&mut self, event: usize) -> Result<&mut Event> {
        self.events.get_mut(event).and_then(Option::as_mut).ok_or(Code::INVALID_RESOURCE_HANDLE)
    }
}
