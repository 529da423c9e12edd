//! Nodes that allocate and free memory, and what a graph with such nodes cannot do.

use std::collections::BTreeSet;

use super::{ExecHandle, GraphHandle, Graphs, Node, NodeHandle, NodeWork};
use crate::error::{Code, Result};
use crate::graph::{Id, Stream};
use crate::runtime::Runtime;
use crate::runtime::work::Work;

/// Whether a graph with these nodes allocates or frees memory.
pub(super) fn has_memory(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| matches!(node.work, NodeWork::Allocate(_) | NodeWork::Free(_)))
}

/// Fails for a graph whose nodes allocate or free memory.
pub(super) fn refuse_memory(nodes: &[Node], what: &str) -> Result {
    if !has_memory(nodes) {
        return Ok(());
    }
    let reason = format!("a graph with nodes that allocate or free memory cannot {what}");
    Err(Code::NOT_SUPPORTED.because(reason))
}

/// The addresses that nodes allocate.
fn allocated(nodes: &[Node]) -> impl Iterator<Item = u64> {
    nodes.iter().filter_map(|node| match node.work {
        NodeWork::Allocate(address) => Some(address),
        _ => None,
    })
}

/// How many nodes allocate the memory, and how many free it.
fn uses(nodes: &[Node], address: u64) -> (usize, usize) {
    let count = |wanted: fn(&NodeWork) -> Option<u64>| {
        nodes.iter().filter(|node| wanted(&node.work) == Some(address)).count()
    };
    let allocate = |work: &NodeWork| match work {
        NodeWork::Allocate(address) => Some(*address),
        _ => None,
    };
    let free = |work: &NodeWork| match work {
        NodeWork::Free(address) => Some(*address),
        _ => None,
    };
    (count(allocate), count(free))
}

/// The nodes that a node after these ones waits for.
fn ancestors(nodes: &[Node], after: &[NodeHandle]) -> Vec<Node> {
    let mut reached = after.to_vec();
    let mut next = 0;
    while let Some(handle) = reached.get(next).copied() {
        next += 1;
        let node = nodes.iter().find(|node| node.handle == handle);
        for before in node.map(|node| node.after.as_slice()).unwrap_or_default() {
            if !reached.contains(before) {
                reached.push(*before);
            }
        }
    }
    nodes.iter().filter(|node| reached.contains(&node.handle)).cloned().collect()
}

impl Graphs {
    /// An address that a node after these ones can allocate again: nodes before it have freed as
    /// many bytes there.
    fn reusable(
        &self,
        graph: GraphHandle,
        after: &[NodeHandle],
        has_bytes: impl Fn(u64) -> bool,
    ) -> Result<Option<u64>> {
        let nodes = self.nodes(graph)?;
        let before = ancestors(nodes, after);
        let is_free = |address: &u64| {
            let (allocations, frees) = uses(nodes, *address);
            has_bytes(*address)
                && allocations == frees
                && uses(&before, *address) == (allocations, frees)
        };
        Ok(allocated(&before).find(is_free))
    }
}

impl Runtime {
    /// `cudaGraphAddMemAllocNode`: the node and the address.
    pub fn add_allocation_node(
        &mut self,
        graph: GraphHandle,
        after: Vec<NodeHandle>,
        bytes: u64,
    ) -> Result<(NodeHandle, u64)> {
        self.alive()?;
        let memory = &self.memory.graph_memory;
        let has_bytes = |address| memory.bytes(address) == Some(bytes);
        let address = match self.graphs.reusable(graph, &after, has_bytes)? {
            Some(address) => {
                self.memory.graph_memory.allocated_again(address);
                address
            }
            None => {
                let site = self.findings.site();
                self.memory.reserve_for_graph(bytes, graph.0, site)?
            }
        };
        let node = self.add_node(graph, after, NodeWork::Allocate(address))?;
        Ok((node, address))
    }

    /// `cudaGraphAddMemFreeNode`.
    pub fn add_free_node(
        &mut self,
        graph: GraphHandle,
        after: Vec<NodeHandle>,
        address: u64,
    ) -> Result<NodeHandle> {
        self.alive()?;
        let nodes = self.graphs.nodes(graph)?.to_vec();
        self.check_free_node(&nodes, graph.0, address)?;
        self.add_node(graph, after, NodeWork::Free(address))
    }

    /// Fails unless a node of `graph`, which has these nodes, can free the memory.
    fn check_free_node(&mut self, nodes: &[Node], graph: u64, address: u64) -> Result {
        let (allocations, frees) = uses(nodes, address);
        let memory = &mut self.memory.graph_memory;
        if memory.bytes(address).is_none() {
            let reason = "only memory that a node of a graph allocates can be freed by a node";
            return Err(Code::INVALID_VALUE.because(reason));
        }
        let most = if memory.is_foreign(address, graph) { 1 } else { allocations };
        if frees >= most {
            return Err(Code::INVALID_VALUE.because("a node of this graph frees it already"));
        }
        memory.set_freed_by(address, graph)
    }

    /// The work of a child node: the nodes of another graph.
    pub fn child_graph(&self, graph: GraphHandle) -> Result<NodeWork> {
        let nodes = self.graphs.sorted_nodes(graph)?;
        refuse_memory(&nodes, "be a part of another graph")?;
        Ok(NodeWork::Child(nodes))
    }

    /// `cudaMallocAsync` while the stream is being captured: the address. `None` if it is not.
    pub(in crate::runtime) fn capture_allocation(
        &mut self,
        bytes: u64,
        stream: Stream,
    ) -> Result<Option<u64>> {
        let Some((capture, _)) = self.captured(stream) else { return Ok(None) };
        let site = self.findings.site();
        let address = self.memory.reserve_for_graph(bytes, capture, site)?;
        self.capture(stream, || NodeWork::Allocate(address))?;
        Ok(Some(address))
    }

    /// `cudaFreeAsync` while the stream is being captured. Returns false if it is not.
    pub(in crate::runtime) fn capture_free(
        &mut self,
        address: u64,
        stream: Stream,
    ) -> Result<bool> {
        let Some((capture, nodes)) = self.captured(stream) else { return Ok(false) };
        let nodes = nodes.to_vec();
        self.check_free_node(&nodes, capture, address)?;
        self.capture(stream, || NodeWork::Free(address))
    }

    /// Before a launch: memory of the launch before must be free, unless each launch frees it.
    pub(super) fn free_of_last_launch(
        &mut self,
        nodes: &[Node],
        auto_free: bool,
        stream: Stream,
    ) -> Result {
        // Several nodes, one after the other, may allocate the same address.
        let kept: BTreeSet<u64> = allocated(nodes)
            .filter(|address| self.memory.graph_memory.is_allocated(*address))
            .collect();
        if !auto_free && !kept.is_empty() {
            let reason = "memory that an earlier launch of this graph allocated has not been freed";
            return Err(Code::INVALID_VALUE.because(reason));
        }
        for address in kept {
            self.memory.graph_memory.start_freeing(address)?;
            self.enqueue(stream, Work::Free(address));
        }
        Ok(())
    }

    /// Allocates the memory of a node that begins after `begin`. What frees the same memory is
    /// before that, so it is done first.
    pub(super) fn launch_allocation(&mut self, address: u64, begin: Id) -> Result {
        while self.lost.is_none()
            && let Some(step) = self.streams.step_towards(begin)
        {
            self.perform(step);
        }
        self.alive()?;
        self.memory.allocate_for_graph(address)
    }

    /// `cudaGraphExecDestroy`.
    pub fn destroy_executable(&mut self, exec: ExecHandle) -> Result {
        let nodes = self.graphs.destroy_executable(exec)?;
        for address in allocated(&nodes) {
            self.memory.graph_memory.executable_destroyed(address);
        }
        Ok(())
    }
}
