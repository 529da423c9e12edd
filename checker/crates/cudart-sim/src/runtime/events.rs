//! Events: places in streams that others can wait for.

use super::Runtime;
use super::work::Work;
use crate::error::{Code, Result};
use crate::graph::{Id, Stream};

/// An event, by its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    /// The last place where it was recorded.
    recorded: Option<Id>,
    /// Does it know when that was?
    timed: bool,
    /// When that was, in microseconds.
    reached: f64,
}

impl Runtime {
    /// `cudaEventCreate`: the event's number.
    pub fn create_event(&mut self, timed: bool) -> Result<usize> {
        self.alive()?;
        self.events.push(Some(Event { recorded: None, timed, reached: 0.0 }));
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
        let id = self.ask(stream, Work::Event(event), &[]);
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
        if let Some(id) = recorded.filter(|id| !self.graph.order().known(*id)) {
            self.ask(stream, Work::Event(usize::MAX), &[id]);
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
        self.event(event)?.recorded.map_or(Ok(()), |id| self.ask_about(id))
    }

    /// `cudaEventElapsedTime`: milliseconds between two events.
    pub fn between(&mut self, first: usize, last: usize) -> Result<f32> {
        self.alive()?;
        let mut times = [0.0; 2];
        for (time, event) in times.iter_mut().zip([first, last]) {
            let Event { recorded, timed, reached } = *self.event(event)?;
            let id = recorded.filter(|_| timed).ok_or(Code::INVALID_RESOURCE_HANDLE)?;
            if !self.graph.done(id) {
                return Err(Code::NOT_READY);
            }
            *time = reached;
        }
        let [start, end] = times;
        let milliseconds = ((end - start) / 1000.0) as f32;
        let site = self.site();
        self.facts.elapsed.push((start, end, milliseconds, site));
        Ok(milliseconds)
    }

    /// The device has come to an event.
    pub(super) fn reached(&mut self, event: usize, id: Id, end: f64) {
        if let Ok(event) = self.event(event)
            && event.recorded == Some(id)
        {
            event.reached = end;
        }
    }

    fn event(&mut self, event: usize) -> Result<&mut Event> {
        self.events.get_mut(event).and_then(Option::as_mut).ok_or(Code::INVALID_RESOURCE_HANDLE)
    }
}
