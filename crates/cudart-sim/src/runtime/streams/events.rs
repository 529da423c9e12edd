//! Events: positions in streams that other streams and the host can wait for.

use super::Streams;
use crate::error::{Code, Result};
use crate::graph::{Id, Stream};
use crate::runtime::findings::sites::SiteId;
use crate::runtime::work::Work;

/// The state of an event.
#[derive(Debug, Clone, Copy)]
pub(in crate::runtime) struct Event {
    /// Where it was recorded last.
    recorded: Option<Id>,
    /// The stream and the call of that record.
    recorded_by: Option<(Stream, SiteId)>,
    /// The record before that one, with its stream and call.
    replaced: Option<(Id, Stream, SiteId)>,
    /// Does it measure time?
    timed: bool,
    /// Was the device reset after the event was created?
    invalid: bool,
    /// The call that created it.
    site: SiteId,
}

/// Two events between which the program measured a time.
#[derive(Debug, Clone, Copy)]
pub(in crate::runtime) struct Interval {
    pub start: Id,
    pub end: Id,
    pub milliseconds: f32,
}

/// A stream's wait for an event.
#[derive(Debug, Clone, Copy)]
pub(in crate::runtime) struct Wait {
    pub stream: Stream,
    /// The work that is enqueued next.
    before: Id,
    pub site: SiteId,
    /// The record that the stream waits for, with its stream.
    pub recorded: Option<(Stream, SiteId)>,
    /// The record that this one has replaced, with its stream and call.
    replaced: Option<(Id, Stream, SiteId)>,
}

/// The most waits that are recorded.
const MAX_WAITS: usize = 4096;

/// `cudaEventDisableTiming`, `cudaEventInterprocess`, and all flags together.
const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;
const ALL_FLAGS: u32 = 7;

impl Streams {
    /// `cudaEventCreateWithFlags`: the event's number.
    pub(crate) fn create_event(&mut self, flags: u32, site: SiteId) -> Result<usize> {
        let timed = flags & DISABLE_TIMING == 0;
        if flags & !ALL_FLAGS != 0 || timed && flags & INTERPROCESS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        self.events.push(Some(Event {
            recorded: None,
            recorded_by: None,
            replaced: None,
            timed,
            invalid: false,
            site,
        }));
        Ok(self.events.len() - 1)
    }

    /// The events that the program has not destroyed, by number, and the calls that created them.
    pub(in crate::runtime) fn kept_events(&self) -> impl Iterator<Item = (u64, SiteId)> {
        let all = (0..).zip(&self.events);
        let kept = all.filter_map(|(i, event)| Some((i, event.as_ref()?)));
        kept.filter(|(_, event)| !event.invalid).map(|(i, event)| (i, event.site))
    }

    /// `cudaEventDestroy`, called at `site`.
    pub(in crate::runtime) fn destroy_event(&mut self, event: usize, site: SiteId) -> Result {
        self.event(event)?;
        self.events[event] = None;
        self.destroyed_events.insert(event, site);
        Ok(())
    }

    /// The call that destroyed this event, if one did.
    pub(in crate::runtime) fn event_destroyed_by(&self, event: usize) -> Option<SiteId> {
        self.destroyed_events.get(&event).copied()
    }

    /// Does this event exist?
    pub fn check_event(&mut self, event: usize) -> Result {
        self.event(event).map(|_| ())
    }

    /// `cudaEventRecord`.
    pub(in crate::runtime) fn record(
        &mut self,
        event: usize,
        stream: Stream,
        site: SiteId,
    ) -> Result {
        self.event(event)?;
        self.check(stream)?;
        let id = self.enqueue(stream, Work::Event, site, &[]);
        let event = self.event(event)?;
        event.replaced = event.recorded.zip(event.recorded_by).map(|(id, (s, site))| (id, s, site));
        (event.recorded, event.recorded_by) = (Some(id), Some((stream, site)));
        Ok(())
    }

    /// `cudaStreamWaitEvent`: later work in the stream waits for the event's last record.
    pub(in crate::runtime) fn wait_event(
        &mut self,
        stream: Stream,
        event: usize,
        site: SiteId,
    ) -> Result {
        let Event { recorded, recorded_by, replaced, .. } = *self.event(event)?;
        self.check(stream)?;
        let before = self.upcoming();
        self.waits.push_back(Wait { stream, before, site, recorded: recorded_by, replaced });
        if self.waits.len() > MAX_WAITS {
            self.waits.pop_front();
        }
        if let Some(id) = recorded.filter(|id| !self.order().is_synchronised(*id)) {
            self.enqueue(stream, Work::Event, site, &[id]);
        }
        Ok(())
    }

    /// The wait of `stream` that should order its work `id` after work of stream `of`, and whether
    /// it comes only after `id`: the last one before `id`, for an event of `of` or for one that had
    /// not been recorded, else for an event of `stream` itself, else the first one after `id` for
    /// an event of `of`.
    pub(in crate::runtime) fn wait_without_effect(
        &self,
        stream: Stream,
        id: Id,
        of: Stream,
    ) -> Option<(Wait, bool)> {
        let own = |wait: &&Wait| wait.stream == stream;
        let recorded_in = |wait: &Wait, stream| wait.recorded.is_some_and(|(s, _)| s == stream);
        let before = || self.waits.iter().rev().filter(own).filter(|wait| wait.before <= id);
        let meant = |wait: &&Wait| wait.recorded.is_none() || recorded_in(wait, of);
        let early = before().find(meant).or_else(|| before().find(|w| recorded_in(w, stream)));
        if let Some(wait) = early {
            return Some((*wait, false));
        }
        let mut after = self.waits.iter().filter(own).filter(|wait| wait.before > id);
        after.find(|wait| recorded_in(wait, of)).map(|wait| (*wait, true))
    }

    /// The wait of `stream` that would order its work `id` after the work `first` of stream `of` if
    /// its event had not been recorded again in another stream, with that earlier record.
    pub(in crate::runtime) fn wait_for_replaced(
        &self,
        (stream, id): (Stream, Id),
        (of, first): (Stream, Id),
    ) -> Option<(Wait, SiteId)> {
        let before = |wait: &&Wait| wait.stream == stream && wait.before <= id;
        self.waits.iter().rev().filter(before).find_map(|wait| {
            let (record, in_stream, site) = wait.replaced?;
            let elsewhere = wait.recorded.is_some_and(|(last, _)| last != in_stream);
            (in_stream == of && record > first && elsewhere).then_some((*wait, site))
        })
    }

    /// Where an event was recorded last.
    pub(in crate::runtime) fn recorded(&mut self, event: usize) -> Result<Option<Id>> {
        self.event(event).map(|event| event.recorded)
    }

    /// Whether each of two events has been recorded and is not complete.
    pub(in crate::runtime) fn are_pending(&self, events: [usize; 2]) -> [bool; 2] {
        events.map(|event| {
            let event = self.events.get(event).and_then(Option::as_ref);
            event.and_then(|event| event.recorded).is_some_and(|id| !self.graph.done(id))
        })
    }

    /// The stream and the call of an event's last record.
    pub(in crate::runtime) fn recorded_by(&self, event: usize) -> Option<(Stream, SiteId)> {
        self.events.get(event)?.as_ref()?.recorded_by
    }

    /// `cudaEventElapsedTime`.
    pub(in crate::runtime) fn interval(&mut self, first: usize, last: usize) -> Result<Interval> {
        let (start, end) = (self.time_point(first)?, self.time_point(last)?);
        if !(self.graph.done(start) && self.graph.done(end)) {
            return Err(Code::NOT_READY);
        }
        let milliseconds = ((self.clock.end(end) - self.clock.end(start)) / 1000.0) as f32;
        Ok(Interval { start, end, milliseconds })
    }

    /// Where an event that measures time was recorded.
    fn time_point(&mut self, event: usize) -> Result<Id> {
        let Event { recorded, timed, .. } = *self.event(event)?;
        recorded.filter(|_| timed).ok_or_else(|| {
            let reason = "an event with cudaEventDisableTiming measures no time";
            Code::INVALID_RESOURCE_HANDLE.because(reason)
        })
    }

    /// The device was reset, so the events of its context cannot be used any more.
    pub(super) fn invalidate_events(&mut self) {
        self.events.iter_mut().flatten().for_each(|event| event.invalid = true);
    }

    fn event(&mut self, event: usize) -> Result<&mut Event> {
        let event = self.events.get_mut(event).and_then(Option::as_mut);
        let event = event.ok_or(Code::INVALID_RESOURCE_HANDLE)?;
        if event.invalid { Err(Code::CONTEXT_IS_DESTROYED) } else { Ok(event) }
    }
}
