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
    /// It was made before the device was reset.
    old: bool,
}

/// `cudaEventDisableTiming`, `cudaEventInterprocess`, and all flags that there are.
const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;
const FLAGS: u32 = 7;

impl Runtime {
    /// `cudaEventCreateWithFlags`: the event's number.
    pub fn create_event(&mut self, flags: u32) -> Result<usize> {
        self.alive()?;
        let timed = flags & DISABLE_TIMING == 0;
        if flags & !FLAGS != 0 || timed && flags & INTERPROCESS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        self.events.push(Some(Event { recorded: None, timed, old: false }));
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
        let id = self.ask(stream, Work::Event, &[]);
        self.event(event)?.recorded = Some(id);
        Ok(())
    }

    /// Is there such an event?
    pub fn know_event(&mut self, event: usize) -> Result {
        self.alive()?;
        self.event(event).map(|_| ())
    }

    /// `cudaStreamWaitEvent`: what comes later in the stream waits for the event's last record.
    pub fn wait_event(&mut self, stream: Stream, event: usize) -> Result {
        self.alive()?;
        let recorded = self.event(event)?.recorded;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        if let Some(id) = recorded.filter(|id| !self.graph.order().known(*id)) {
            self.ask(stream, Work::Event, &[id]);
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
        let mut places = [Id::of(0); 2];
        for (place, event) in places.iter_mut().zip([first, last]) {
            let Event { recorded, timed, .. } = *self.event(event)?;
            let id = recorded.filter(|_| timed).ok_or(Code::INVALID_RESOURCE_HANDLE)?;
            if !self.graph.done(id) {
                return Err(Code::NOT_READY);
            }
            *place = id;
        }
        let [start, end] = places.map(|id| self.clock.end(id));
        let milliseconds = ((end - start) / 1000.0) as f32;
        let site = self.site();
        self.facts.elapsed.push((places, milliseconds, site));
        Ok(milliseconds)
    }

    /// The device has been reset: events that there are belong to nothing.
    pub(super) fn forget_events(&mut self) {
        self.events.iter_mut().flatten().for_each(|event| event.old = true);
    }

    fn event(&mut self, event: usize) -> Result<&mut Event> {
        let event = self.events.get_mut(event).and_then(Option::as_mut);
        let event = event.ok_or(Code::INVALID_RESOURCE_HANDLE)?;
        if event.old { Err(Code::CONTEXT_IS_DESTROYED) } else { Ok(event) }
    }
}
