//! Launching a graph: its nodes become work in streams.
//!
//! Each node follows one of the nodes that it waits for in the same stream, if that stream is not
//! taken by another node yet, and waits for the others by events. So nodes without an order are
//! unordered for the detection of missing waits, too.

use super::memory::refuse_memory;
use super::{ExecHandle, Node, NodeHandle, NodeWork};
use crate::error::{Code, Result};
use crate::graph::{Id, Stream};
use crate::runtime::Runtime;
use crate::runtime::work::{HostFunction, Work};

/// A stream for nodes of a graph.
#[derive(Debug)]
struct Lane {
    stream: Stream,
    /// The node that is the last in the stream.
    last: Option<NodeHandle>,
}

/// The nodes that have been enqueued, and the last work of each.
type Enqueued = Vec<(NodeHandle, Id)>;

impl Runtime {
    /// `cudaGraphLaunch`.
    pub fn launch_graph(&mut self, exec: ExecHandle, stream: Stream) -> Result {
        self.alive()?;
        self.check_stream(stream)?;
        let executable = self.graphs.executables.get(&exec).ok_or(Code::INVALID_VALUE)?;
        let (nodes, last) = (executable.nodes.clone(), executable.last);
        let auto_free = executable.auto_free;
        if self.captured(stream).is_some() {
            refuse_memory(&nodes, "be a part of another graph")?;
        }
        if self.capture(stream, || NodeWork::Child(nodes.clone()))? {
            return Ok(());
        }
        self.free_of_last_launch(&nodes, auto_free, stream)?;
        let site = self.findings.site();
        let also: Vec<Id> = last.into_iter().collect();
        let start = self.streams.enqueue(stream, Work::Event, site, &also);
        let ends = self.enqueue_nodes(&nodes, stream, start);
        self.findings.continue_at("cudaGraphLaunch", site);
        let end = self.streams.enqueue(stream, Work::Event, site, &ends?);
        if let Some(executable) = self.graphs.executables.get_mut(&exec) {
            executable.last = Some(end);
        }
        Ok(())
    }

    /// Enqueues nodes that wait for `start`, the last work of `stream`. Returns the work that ends
    /// them.
    fn enqueue_nodes(&mut self, nodes: &[Node], stream: Stream, start: Id) -> Result<Vec<Id>> {
        let mut lanes = vec![Lane { stream, last: None }];
        let mut enqueued: Enqueued = vec![];
        for node in nodes {
            let follows = |lane: &Lane| match lane.last {
                Some(last) => node.after.contains(&last),
                None => node.after.is_empty(),
            };
            let lane = lanes.iter().position(follows).unwrap_or_else(|| {
                lanes.push(Lane { stream: self.streams.create_internal(), last: None });
                lanes.len() - 1
            });
            lanes[lane].last = Some(node.handle);
            let stream = lanes[lane].stream;
            let of = |handle: &NodeHandle| enqueued.iter().find(|(known, _)| known == handle);
            let mut also: Vec<Id> = node.after.iter().filter_map(of).map(|(_, id)| *id).collect();
            also.push(start);
            let begin = self.streams.enqueue(stream, Work::Event, node.site, &also);
            self.findings.continue_at("cudaGraphLaunch", node.site);
            self.enqueue_node(&node.work, stream, begin)?;
            enqueued.push((node.handle, self.streams.newest(stream).unwrap_or(begin)));
        }
        for lane in lanes.iter().skip(1) {
            let _ = self.streams.destroy(lane.stream);
        }
        let waited_for = |handle: &NodeHandle| nodes.iter().any(|n| n.after.contains(handle));
        Ok(enqueued.iter().filter(|(handle, _)| !waited_for(handle)).map(|(_, id)| *id).collect())
    }

    /// Enqueues the work of a node, which begins after `begin`.
    fn enqueue_node(&mut self, work: &NodeWork, stream: Stream, begin: Id) -> Result {
        match work {
            NodeWork::Kernel(request) => {
                self.launch(super::LaunchRequest { stream, ..request.clone() })
            }
            NodeWork::Copy(transfer) => self.copy_async(*transfer, stream),
            NodeWork::Set { to, extent, pattern } => self.set_async(*to, *extent, *pattern, stream),
            NodeWork::Host(function) => {
                let function = function.clone();
                self.launch_host_function(stream, HostFunction(function.0))
            }
            NodeWork::Record(event) => self.record_event(*event, stream),
            NodeWork::Wait(event) => self.wait_event(stream, *event),
            NodeWork::Empty => Ok(()),
            NodeWork::Allocate(address) => self.launch_allocation(*address, begin),
            NodeWork::Free(address) => {
                self.memory.graph_memory.start_freeing(*address)?;
                self.enqueue(stream, Work::Free(*address));
                Ok(())
            }
            NodeWork::Child(nodes) => {
                let ends = self.enqueue_nodes(nodes, stream, begin)?;
                let site = self.findings.site();
                self.streams.enqueue(stream, Work::Event, site, &ends);
                Ok(())
            }
        }
    }
}
