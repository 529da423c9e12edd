//! Capturing streams: calls add nodes to a graph instead of enqueuing work (CUDA C++ Programming
//! Guide, "Creating a Graph Using Stream Capture").

use std::collections::BTreeMap;

use super::{GraphHandle, Node, NodeHandle, NodeWork};
use crate::error::{Code, Result};
use crate::graph::{LEGACY, Stream};
use crate::report::{CaptureProblem, Cause};
use crate::runtime::Runtime;
use crate::runtime::findings::sites::SiteId;
use crate::runtime::memory::region::Region;

/// A graph that is being captured.
#[derive(Debug)]
struct Capture {
    nodes: Vec<Node>,
    /// A `cudaStreamCaptureMode`.
    mode: i32,
    /// The stream that the capture began in.
    origin: Stream,
    /// The streams that take part, and the nodes that the next node of each waits for.
    streams: BTreeMap<Stream, Vec<NodeHandle>>,
    /// The call that began the capture.
    begun: SiteId,
    /// The call that cannot be captured, if one was made.
    invalid: Option<SiteId>,
}

/// All captures that have begun and not ended.
#[derive(Debug, Default)]
pub(super) struct Captures {
    active: BTreeMap<u64, Capture>,
    /// Captures so far.
    begun: u64,
    /// Events that were recorded in a capture, and what was captured before.
    events: BTreeMap<usize, (u64, Vec<NodeHandle>)>,
}

/// Of `cudaStreamCaptureMode`: other calls are not restricted.
const RELAXED: i32 = 2;

/// Functions that a capture forbids unless it is relaxed, because they cannot be recorded (CUDA
/// Runtime API, `cudaThreadExchangeStreamCaptureMode`). The documentation does not list them; an
/// H100 (driver 580) refuses these.
const PROHIBITED: [&str; 17] = [
    "cudaMalloc",
    "cudaMallocPitch",
    "cudaMalloc3D",
    "cudaMallocArray",
    "cudaMalloc3DArray",
    "cudaMallocManaged",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaFree",
    "cudaFreeHost",
    "cudaFreeArray",
    "cudaGraphInstantiate",
    "cudaGraphInstantiateWithFlags",
    "cudaMallocMipmappedArray",
    "cudaFreeMipmappedArray",
];

/// `cudaStreamCaptureStatus`.
const NOT_CAPTURING: i32 = 0;
const CAPTURING: i32 = 1;
const INVALIDATED: i32 = 2;

impl Captures {
    /// The capture that a stream takes part in.
    fn of(&self, stream: Stream) -> Option<u64> {
        let mut active = self.active.iter();
        active.find(|(_, capture)| capture.streams.contains_key(&stream)).map(|(id, _)| *id)
    }
}

impl Runtime {
    /// `cudaStreamBeginCapture`.
    pub fn begin_capture(&mut self, stream: Stream, mode: i32) -> Result {
        self.alive()?;
        self.check_stream(stream)?;
        if !(0..=2).contains(&mode) {
            return Err(Code::INVALID_VALUE);
        }
        if stream == LEGACY {
            return Err(Code::CAPTURE_UNSUPPORTED);
        }
        let captures = &mut self.graphs.captures;
        if captures.of(stream).is_some() {
            return Err(Code::ILLEGAL_STATE);
        }
        captures.begun += 1;
        let streams = BTreeMap::from([(stream, vec![])]);
        let begun = self.findings.site();
        let capture =
            Capture { nodes: vec![], mode, origin: stream, streams, begun, invalid: None };
        captures.active.insert(captures.begun, capture);
        Ok(())
    }

    /// `cudaStreamEndCapture`: the graph.
    pub fn end_capture(&mut self, stream: Stream) -> Result<GraphHandle> {
        self.alive()?;
        self.check_stream(stream)?;
        let captures = &mut self.graphs.captures;
        let id = captures.of(stream).ok_or(Code::ILLEGAL_STATE)?;
        if let Some(capture) = captures.active.get(&id).filter(|other| other.origin != stream) {
            let begun = capture.begun;
            return self.refused(Code::CAPTURE_UNMATCHED, CaptureProblem::Unmatched, begun);
        }
        let capture = captures.active.remove(&id).ok_or(Code::ILLEGAL_STATE)?;
        captures.events.retain(|_, (of, _)| *of != id);
        if let Some(by) = capture.invalid {
            return self.refused_as_invalid(by, capture.begun);
        }
        if let Some(node) = capture.first_unjoined() {
            let work = self.findings.sites().resolve(node.site, None);
            let problem = CaptureProblem::Unjoined { work };
            return self.refused(Code::CAPTURE_UNJOINED, problem, capture.begun);
        }
        let site = self.findings.site();
        let graph = self.graphs.create(site);
        self.memory.graph_memory.end_capture(id, graph.0);
        self.graphs.all.insert(graph, capture.nodes);
        Ok(graph)
    }

    /// `cudaStreamIsCapturing`: a `cudaStreamCaptureStatus`.
    pub fn capture_status(&self, stream: Stream) -> Result<i32> {
        self.alive()?;
        self.streams.check(stream)?;
        let captures = &self.graphs.captures;
        let capture = captures.of(stream).and_then(|id| captures.active.get(&id));
        Ok(match capture {
            None => NOT_CAPTURING,
            Some(capture) if capture.invalid.is_some() => INVALIDATED,
            Some(_) => CAPTURING,
        })
    }

    /// The capture that a stream takes part in, and its nodes so far.
    pub(super) fn captured(&self, stream: Stream) -> Option<(u64, &[Node])> {
        let id = self.graphs.captures.of(stream)?;
        self.graphs.captures.active.get(&id).map(|capture| (id, capture.nodes.as_slice()))
    }

    /// Whether a copy or a set that is being captured may use this memory, which a node allocates
    /// when the graph runs.
    pub(in crate::runtime) fn is_captured_memory(&self, region: &Region, stream: Stream) -> bool {
        let bytes = region.span().unwrap_or(u64::MAX);
        self.captured(stream).is_some() && self.memory.is_graph_memory(region.layout.address, bytes)
    }

    /// If the stream is being captured, adds a node to the graph and returns true.
    pub(in crate::runtime) fn capture(
        &mut self,
        stream: Stream,
        work: impl FnOnce() -> NodeWork,
    ) -> Result<bool> {
        let Some(id) = self.graphs.captures.of(stream) else {
            self.refuse_implicit_wait(stream)?;
            return Ok(false);
        };
        let (site, handle) = (self.findings.site(), NodeHandle(self.graphs.new_handle()));
        let Some(capture) = self.graphs.captures.active.get_mut(&id) else { return Ok(false) };
        if let Some(by) = capture.invalid {
            let begun = capture.begun;
            return self.refused_as_invalid(by, begun);
        }
        let after = capture.streams.insert(stream, vec![handle]).unwrap_or_default();
        capture.nodes.push(Node { handle, work: work(), after, site });
        Ok(true)
    }

    /// If the stream is being captured, the event stands for what was captured so far. Returns true
    /// then.
    pub(in crate::runtime) fn capture_record(
        &mut self,
        event: usize,
        stream: Stream,
    ) -> Result<bool> {
        self.refuse_implicit_wait(stream)?;
        let captures = &mut self.graphs.captures;
        let Some(id) = captures.of(stream) else {
            captures.events.remove(&event);
            return Ok(false);
        };
        let before = captures.active.get(&id).and_then(|capture| capture.streams.get(&stream));
        captures.events.insert(event, (id, before.cloned().unwrap_or_default()));
        Ok(true)
    }

    /// If the event was recorded in a capture, the stream takes part in it from now on, after what
    /// was captured before the event. Returns true then.
    pub(in crate::runtime) fn capture_wait(
        &mut self,
        stream: Stream,
        event: usize,
    ) -> Result<bool> {
        self.refuse_implicit_wait(stream)?;
        let site = self.findings.site();
        let captures = &mut self.graphs.captures;
        let own = captures.of(stream);
        let Some((id, before)) = captures.events.get(&event).cloned() else {
            return match own.and_then(|own| captures.active.get_mut(&own)) {
                // a capture cannot wait for work outside of it
                Some(capture) => {
                    capture.invalid.get_or_insert(site);
                    let begun = capture.begun;
                    self.refused(Code::CAPTURE_ISOLATION, CaptureProblem::Isolated, begun)
                }
                None => Ok(false),
            };
        };
        if own.is_some_and(|own| own != id) {
            return Err(Code::CAPTURE_MERGE);
        }
        let Some(capture) = captures.active.get_mut(&id) else { return Ok(false) };
        let after = capture.streams.entry(stream).or_default();
        after.extend(before);
        after.sort_unstable();
        after.dedup();
        Ok(true)
    }

    /// Refuses a function that cannot be recorded while any stream is being captured.
    pub(in crate::runtime) fn refuse_unrecordable(&mut self, function: &str) -> Result {
        match function {
            "cudaDeviceSynchronize" | "cudaThreadSynchronize" => {
                self.invalidate(Code::CAPTURE_UNSUPPORTED, CaptureProblem::NotAllowed, |_| true)
            }
            _ if PROHIBITED.contains(&function) => self.refuse_beside_captures(),
            _ => Ok(()),
        }
    }

    /// A call that no capture records: those that are not relaxed forbid it.
    pub(in crate::runtime) fn refuse_beside_captures(&mut self) -> Result {
        let strict = |capture: &Capture| capture.mode != RELAXED;
        self.invalidate(Code::CAPTURE_UNSUPPORTED, CaptureProblem::Prohibited, strict)
    }

    /// Work in the legacy default stream would wait for the blocking streams of a capture.
    pub(in crate::runtime) fn refuse_implicit_wait(&mut self, stream: Stream) -> Result {
        if stream != LEGACY {
            return Ok(());
        }
        let captures = self.graphs.captures.active.values();
        let captured = captures.flat_map(|capture| capture.streams.keys().copied());
        let blocking: Vec<Stream> =
            captured.filter(|stream| self.streams.is_blocking(*stream)).collect();
        self.invalidate(Code::CAPTURE_IMPLICIT, CaptureProblem::Implicit, |capture| {
            blocking.iter().any(|stream| capture.streams.contains_key(stream))
        })
    }

    /// The host waits for an event or asks about it, which is not possible if it was recorded in a
    /// capture, or during one that forbids it.
    pub(in crate::runtime) fn refuse_event_in_capture(&mut self, event: usize) -> Result {
        let captured = self.graphs.captures.events.get(&event).map(|(id, _)| *id);
        let capture = captured.and_then(|id| self.graphs.captures.active.get(&id));
        if let Some(begun) = capture.map(|capture| capture.begun) {
            self.invalidate(Code::CAPTURED_EVENT, CaptureProblem::CapturedEvent, |capture| {
                capture.begun == begun
            })?;
        }
        self.refuse_beside_captures()
    }

    /// Makes these captures invalid, and refuses the call if there are any.
    fn invalidate(
        &mut self,
        code: Code,
        problem: CaptureProblem,
        which: impl Fn(&Capture) -> bool,
    ) -> Result {
        let site = self.findings.site();
        let mut begun = None;
        for capture in self.graphs.captures.active.values_mut().filter(|capture| which(capture)) {
            capture.invalid.get_or_insert(site);
            begun.get_or_insert(capture.begun);
        }
        begun.map_or(Ok(()), |begun| self.refused(code, problem, begun))
    }

    /// A call waits for a stream, which is not possible while it is being captured.
    pub(in crate::runtime) fn refuse_in_capture(&mut self, stream: Stream) -> Result {
        let site = self.findings.site();
        let captures = &mut self.graphs.captures;
        match captures.of(stream).and_then(|id| captures.active.get_mut(&id)) {
            Some(capture) => {
                capture.invalid.get_or_insert(site);
                let begun = capture.begun;
                self.refused(Code::CAPTURE_UNSUPPORTED, CaptureProblem::NotAllowed, begun)
            }
            None => self.refuse_implicit_wait(stream),
        }
    }

    /// The call at `by` has made the capture invalid in which the current call is made.
    fn refused_as_invalid<T>(&mut self, by: SiteId, begun: SiteId) -> Result<T> {
        let by = self.findings.sites().resolve(by, None);
        self.refused(Code::CAPTURE_INVALIDATED, CaptureProblem::Invalid { by }, begun)
    }

    /// Fails, and records why.
    fn refused<T>(&mut self, code: Code, problem: CaptureProblem, begun: SiteId) -> Result<T> {
        let begun = self.findings.sites().resolve(begun, None);
        self.findings.set_cause(Cause::Capture { problem, begun });
        Err(code)
    }
}

impl Capture {
    /// The first node of another stream that the next node of the first stream does not wait for.
    fn first_unjoined(&self) -> Option<&Node> {
        let mut reached: Vec<NodeHandle> =
            self.streams.get(&self.origin).cloned().unwrap_or_default();
        let mut next = 0;
        while let Some(handle) = reached.get(next).copied() {
            next += 1;
            let node = self.nodes.iter().find(|node| node.handle == handle);
            for before in node.map(|node| node.after.as_slice()).unwrap_or_default() {
                if !reached.contains(before) {
                    reached.push(*before);
                }
            }
        }
        self.nodes.iter().find(|node| !reached.contains(&node.handle))
    }
}
