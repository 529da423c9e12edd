//! The handles of streams and events, and what any handle belongs to.
//!
//! Handles are large, as the pointers are that NVIDIA's runtime returns, so none can be mistaken
//! for a number of bytes. Those of arrays, pools, graphs and textures are in other ranges.

use super::findings::sites::SiteId;
use super::{ArrayHandle, Runtime};
use crate::error::Result;
use crate::graph::{Id, LEGACY, PER_THREAD, Stream};
use crate::report::{Cause, LeakKind, PointerTarget};

const FIRST_STREAM: usize = 0x00ca_b000_0000_0000;
const FIRST_EVENT: usize = 0x00ca_e000_0000_0000;
const STEP: usize = 16;

/// The number of no stream: so many are never created, and those of threads come after it.
const NO_STREAM: u64 = PER_THREAD.0 - 1;

/// The handle of a stream that the program created.
pub const fn of_stream(stream: Stream) -> usize {
    FIRST_STREAM + stream.0 as usize * STEP
}

/// The handle of an event.
pub const fn of_event(number: usize) -> usize {
    FIRST_EVENT + number * STEP
}

/// The stream with this handle; for any other value a stream that does not exist.
pub const fn stream(handle: usize) -> Stream {
    let number = number(handle, FIRST_STREAM) as u64;
    Stream(if number < NO_STREAM { number } else { NO_STREAM })
}

/// The number of the event with this handle; for any other value a number that no event has.
pub const fn event(handle: usize) -> usize {
    number(handle, FIRST_EVENT)
}

const fn number(handle: usize, first: usize) -> usize {
    let distance = handle.wrapping_sub(first);
    // no program creates so many
    if distance.is_multiple_of(STEP) { distance / STEP } else { usize::MAX / STEP }
}

impl Runtime {
    /// Fails, and records why, if a stream does not exist.
    pub(crate) fn check_stream(&mut self, stream: Stream) -> Result {
        self.streams.check(stream).inspect_err(|_| {
            let destroyed = self.streams.destroyed_by(stream);
            self.no_such_object(LeakKind::Stream, destroyed);
        })
    }

    /// Fails, and records why, if an event does not exist.
    pub(crate) fn check_event(&mut self, event: usize) -> Result {
        self.streams.check_event(event).inspect_err(|_| {
            let destroyed = self.streams.event_destroyed_by(event);
            self.no_such_object(LeakKind::Event, destroyed);
        })
    }

    /// Where an event was recorded last.
    pub(super) fn recorded(&mut self, event: usize) -> Result<Option<Id>> {
        self.check_event(event)?;
        self.streams.recorded(event)
    }

    /// `cudaStreamDestroy`.
    pub fn destroy_stream(&mut self, stream: Stream) -> Result {
        if stream != LEGACY && stream < PER_THREAD {
            self.check_stream(stream)?;
        }
        let site = self.findings.site();
        self.streams.destroy(stream)?;
        self.streams.set_destroyed_by(stream, site);
        Ok(())
    }

    /// `cudaEventDestroy`.
    pub fn destroy_event(&mut self, event: usize) -> Result {
        self.check_event(event)?;
        let site = self.findings.site();
        self.streams.destroy_event(event, site)
    }

    /// The current call gets a handle of an object that does not exist: the call at `destroyed`
    /// destroyed it, or no call created it.
    fn no_such_object(&mut self, object: LeakKind, destroyed: Option<SiteId>) {
        let destroyed = destroyed.and_then(|site| self.findings.sites().resolve(site, None));
        self.findings.set_cause(Cause::NoSuchObject { object, destroyed });
    }

    /// The object whose handle this value is.
    pub(super) fn object_of(&self, handle: u64) -> Option<PointerTarget> {
        let array = self.memory.array(ArrayHandle(handle)).ok();
        let array = array.map(|array| (LeakKind::Array, array.site));
        let object = || {
            let mut all = self.objects.textures();
            let (_, object) = all.find(|(texture, _)| *texture == handle)?;
            let kind = if object.is_texture() { LeakKind::Texture } else { LeakKind::Surface };
            Some((kind, object.site))
        };
        let handle = handle as usize;
        let stream = || {
            let mut all = self.streams.kept();
            let (_, site) = all.find(|(number, _)| *number == stream(handle).0)?;
            Some((LeakKind::Stream, site))
        };
        let event = || {
            let mut all = self.streams.kept_events();
            let (_, site) = all.find(|(number, _)| *number == event(handle) as u64)?;
            Some((LeakKind::Event, site))
        };
        let (object, site) = array.or_else(object).or_else(stream).or_else(event)?;
        let at = self.findings.sites().resolve(site, None);
        Some(PointerTarget::Object { object, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_large_and_belong_to_one_object() {
        for n in [0, 1, 1000] {
            assert_eq!(stream(of_stream(Stream(n))), Stream(n));
            assert_eq!(event(of_event(n as usize)), n as usize);
            assert_ne!(event(of_stream(Stream(n))), n as usize);
            assert!(u32::try_from(of_stream(Stream(n))).is_err());
        }
        // a handle that was never set, one between two streams, and one of another object
        for other in [0x7fff_1234_5670, of_stream(Stream(1)) + 1, of_event(3)] {
            assert_eq!(stream(other), Stream(NO_STREAM), "{other:#x}");
        }
    }
}
