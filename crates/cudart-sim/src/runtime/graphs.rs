//! CUDA graphs: work that the program describes once and launches many times (CUDA C++ Programming
//! Guide, "CUDA Graphs").
//!
//! A graph is a list of nodes with their dependencies, made node by node or by capturing a stream
//! ([`capture`]). Launching one enqueues its nodes as usual work ([`launch`]).

mod capture;
mod launch;
mod memory;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Runtime;
use super::copies::Transfer;
use super::findings::sites::SiteId;
use super::launches::LaunchRequest;
use super::memory::region::{Extent, RowLayout};
use super::work::SetPattern;
use crate::error::{Code, Result};
use crate::graph::Id;
use crate::report::LeakKind;
use capture::Captures;

/// A `cudaGraph_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct GraphHandle(pub u64);

/// A `cudaGraphNode_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct NodeHandle(pub u64);

/// A `cudaGraphExec_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ExecHandle(pub u64);

/// Handles are numbers that are not the address of anything on the host or the device.
const FIRST_HANDLE: u64 = 0x00ca_d000_0000_0000;
const HANDLE_STEP: u64 = 64;

/// A function of the program that a node calls.
#[derive(Clone)]
pub struct NodeFunction(pub Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for NodeFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function of the program")
    }
}

/// What a node does.
#[derive(Debug, Clone)]
pub enum NodeWork {
    /// A kernel. The request's stream has no meaning.
    Kernel(LaunchRequest),
    /// A copy.
    Copy(Transfer),
    /// A set.
    Set {
        /// The memory.
        to: RowLayout,
        /// Its size.
        extent: Extent,
        /// The bytes of an element.
        pattern: SetPattern,
    },
    /// A function of the program.
    Host(NodeFunction),
    /// Nothing.
    Empty,
    /// Records an event.
    Record(usize),
    /// Waits for an event.
    Wait(usize),
    /// The nodes of another graph.
    Child(Vec<Node>),
    /// Allocates the memory at this address.
    Allocate(u64),
    /// Frees the memory at this address.
    Free(u64),
}

impl NodeWork {
    /// Its `cudaGraphNodeType`.
    pub const fn kind(&self) -> i32 {
        match self {
            Self::Kernel(_) => 0,
            Self::Copy(_) => 1,
            Self::Set { .. } => 2,
            Self::Host(_) => 3,
            Self::Child(_) => 4,
            Self::Empty => 5,
            Self::Wait(_) => 6,
            Self::Record(_) => 7,
            Self::Allocate(_) => 10,
            Self::Free(_) => 11,
        }
    }
}

/// A node of a graph.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its handle.
    pub handle: NodeHandle,
    /// What it does.
    pub work: NodeWork,
    /// The nodes that it waits for.
    pub after: Vec<NodeHandle>,
    /// The call that made it.
    site: SiteId,
}

/// A graph that can be launched.
#[derive(Debug)]
struct Executable {
    /// In an order in which every node comes after those that it waits for.
    nodes: Vec<Node>,
    /// The graph that it was made of.
    graph: GraphHandle,
    /// Each launch frees what the one before has allocated and left.
    auto_free: bool,
    /// The end of its last launch. The next launch waits for it.
    last: Option<Id>,
    /// The call that made it.
    site: SiteId,
}

/// The graphs of a program.
#[derive(Debug, Default)]
pub struct Graphs {
    all: BTreeMap<GraphHandle, Vec<Node>>,
    /// The calls that made the graphs.
    sites: BTreeMap<GraphHandle, SiteId>,
    executables: BTreeMap<ExecHandle, Executable>,
    captures: Captures,
    /// Handles so far.
    created: u64,
}

/// The nodes in an order in which every node comes after those that it waits for; `None` if there
/// is a cycle.
fn sorted(nodes: &[Node]) -> Option<Vec<Node>> {
    let mut left: Vec<&Node> = nodes.iter().collect();
    let mut done: Vec<Node> = Vec::with_capacity(nodes.len());
    while !left.is_empty() {
        let ready = |node: &&Node| {
            node.after.iter().all(|handle| done.iter().any(|node| node.handle == *handle))
        };
        let next = left.iter().position(ready)?;
        done.push(left.remove(next).clone());
    }
    Some(done)
}

impl Graphs {
    fn new_handle(&mut self) -> u64 {
        self.created += 1;
        FIRST_HANDLE + self.created * HANDLE_STEP
    }

    /// `cudaGraphCreate`, called at `site`.
    pub(crate) fn create(&mut self, site: SiteId) -> GraphHandle {
        let handle = GraphHandle(self.new_handle());
        self.all.insert(handle, vec![]);
        self.sites.insert(handle, site);
        handle
    }

    /// The graphs and executable graphs that the program has not destroyed, with their handles and
    /// the calls that made them.
    pub(super) fn kept(&self) -> impl Iterator<Item = (LeakKind, u64, SiteId)> {
        let graphs = self.sites.iter().map(|(graph, site)| (LeakKind::Graph, graph.0, *site));
        let executables = self.executables.iter();
        graphs.chain(executables.map(|(e, made)| (LeakKind::ExecutableGraph, e.0, made.site)))
    }

    /// `cudaGraphDestroy`.
    pub fn destroy(&mut self, graph: GraphHandle) -> Result {
        self.sites.remove(&graph);
        self.all.remove(&graph).map(|_| ()).ok_or(Code::INVALID_VALUE)
    }

    /// `cudaGraphClone`.
    pub(crate) fn clone_graph(&mut self, graph: GraphHandle, site: SiteId) -> Result<GraphHandle> {
        let nodes = self.nodes(graph)?.to_vec();
        memory::refuse_memory(&nodes, "be cloned")?;
        let clone = self.create(site);
        self.all.insert(clone, nodes);
        Ok(clone)
    }

    /// The nodes of a graph, in the order of their creation.
    pub fn nodes(&self, graph: GraphHandle) -> Result<&[Node]> {
        self.all.get(&graph).map(Vec::as_slice).ok_or(Code::INVALID_VALUE)
    }

    /// The nodes of a graph, each after those that it waits for. Fails if the graph has a cycle.
    pub fn sorted_nodes(&self, graph: GraphHandle) -> Result<Vec<Node>> {
        sorted(self.nodes(graph)?).ok_or(Code::INVALID_VALUE)
    }

    /// Does this executable graph exist?
    pub fn check_executable(&self, exec: ExecHandle) -> Result {
        self.executables.get(&exec).map(|_| ()).ok_or(Code::INVALID_VALUE)
    }

    /// A node of any graph.
    pub fn node(&self, node: NodeHandle) -> Result<&Node> {
        let mut nodes = self.all.values().flatten();
        nodes.find(|known| known.handle == node).ok_or(Code::INVALID_VALUE)
    }

    /// `cudaGraphDestroyNode`. Other nodes do not wait for it any more.
    pub fn destroy_node(&mut self, node: NodeHandle) -> Result {
        self.node(node)?;
        let of_graph = |nodes: &&Vec<Node>| nodes.iter().any(|known| known.handle == node);
        if let Some(nodes) = self.all.values().find(of_graph) {
            memory::refuse_memory(nodes, "lose nodes")?;
        }
        for nodes in self.all.values_mut() {
            nodes.retain(|known| known.handle != node);
            nodes.iter_mut().for_each(|other| other.after.retain(|before| *before != node));
        }
        Ok(())
    }

    /// `cudaGraphAddDependencies`, `cudaGraphRemoveDependencies`: `to` waits for `from`, or does not
    /// any more.
    pub fn set_dependency(
        &mut self,
        graph: GraphHandle,
        (from, to): (NodeHandle, NodeHandle),
        waits: bool,
    ) -> Result {
        if !waits {
            memory::refuse_memory(self.nodes(graph)?, "lose dependencies")?;
        }
        let nodes = self.all.get_mut(&graph).ok_or(Code::INVALID_VALUE)?;
        let known = nodes.iter().any(|node| node.handle == from);
        let to = nodes.iter_mut().find(|node| node.handle == to).ok_or(Code::INVALID_VALUE)?;
        if !known || to.after.contains(&from) == waits {
            return Err(Code::INVALID_VALUE);
        }
        if waits {
            to.after.push(from);
        } else {
            to.after.retain(|before| *before != from);
        }
        Ok(())
    }

    /// `cudaGraphInstantiate`. Fails if the graph has a cycle.
    pub(crate) fn instantiate(
        &mut self,
        graph: GraphHandle,
        auto_free: bool,
        site: SiteId,
    ) -> Result<ExecHandle> {
        let nodes = sorted(self.nodes(graph)?).ok_or(Code::INVALID_VALUE)?;
        if self.executables.values().any(|executable| executable.graph == graph) {
            memory::refuse_memory(&nodes, "have two executable graphs at the same time")?;
        }
        let handle = ExecHandle(self.new_handle());
        let executable = Executable { nodes, graph, auto_free, last: None, site };
        self.executables.insert(handle, executable);
        Ok(handle)
    }

    /// Destroys an executable graph, and returns its nodes.
    fn destroy_executable(&mut self, exec: ExecHandle) -> Result<Vec<Node>> {
        let executable = self.executables.remove(&exec).ok_or(Code::INVALID_VALUE)?;
        Ok(executable.nodes)
    }

    /// `cudaGraphExecUpdate`: gives the nodes of an executable the parameters of a graph with the
    /// same nodes and dependencies. Returns false if they are not the same.
    pub fn update(&mut self, exec: ExecHandle, graph: GraphHandle) -> Result<bool> {
        let nodes = sorted(self.nodes(graph)?).ok_or(Code::INVALID_VALUE)?;
        let executable = self.executables.get_mut(&exec).ok_or(Code::INVALID_VALUE)?;
        let shape = |nodes: &[Node]| -> Vec<(i32, Option<u64>, Vec<usize>)> {
            let index = |handle: &NodeHandle| nodes.iter().position(|n| n.handle == *handle);
            let memory = |node: &Node| match node.work {
                NodeWork::Allocate(address) | NodeWork::Free(address) => Some(address),
                _ => None,
            };
            let of = |node: &Node| {
                let after = node.after.iter().filter_map(index).collect();
                (node.work.kind(), memory(node), after)
            };
            nodes.iter().map(of).collect()
        };
        let same = shape(&nodes) == shape(&executable.nodes);
        if same {
            for (old, new) in executable.nodes.iter_mut().zip(nodes) {
                old.work = new.work;
            }
        }
        Ok(same)
    }

    /// `cudaGraphKernelNodeSetParams`, or `cudaGraphExecKernelNodeSetParams` with an executable.
    pub fn set_work(
        &mut self,
        exec: Option<ExecHandle>,
        node: NodeHandle,
        work: NodeWork,
    ) -> Result {
        let found = match exec {
            Some(exec) => {
                let executable = self.executables.get_mut(&exec).ok_or(Code::INVALID_VALUE)?;
                executable.nodes.iter_mut().find(|known| known.handle == node)
            }
            None => self.all.values_mut().flatten().find(|known| known.handle == node),
        };
        let known = found.filter(|known| known.work.kind() == work.kind());
        known.ok_or(Code::INVALID_VALUE)?.work = work;
        Ok(())
    }

    /// `cudaDeviceReset`. Handles are not used again.
    pub(super) fn reset(&mut self) {
        *self = Self { created: self.created, ..Self::default() };
    }
}

impl Runtime {
    /// `cudaGraphAddKernelNode` and its relatives.
    pub fn add_node(
        &mut self,
        graph: GraphHandle,
        after: Vec<NodeHandle>,
        work: NodeWork,
    ) -> Result<NodeHandle> {
        self.alive()?;
        let known = self.graphs.nodes(graph)?;
        if !after.iter().all(|handle| known.iter().any(|node| node.handle == *handle)) {
            return Err(Code::INVALID_VALUE);
        }
        if let NodeWork::Kernel(request) = &work {
            self.objects.kernel(request.host)?;
        }
        let (site, handle) = (self.findings.site(), NodeHandle(self.graphs.new_handle()));
        if let Some(nodes) = self.graphs.all.get_mut(&graph) {
            nodes.push(Node { handle, work, after, site });
        }
        Ok(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, NodeHandle, NodeWork, SiteId, sorted};

    #[test]
    fn nodes_come_after_those_that_they_wait_for() {
        let node = |n, after: &[u64]| {
            let after = after.iter().map(|n| NodeHandle(*n)).collect();
            Node { handle: NodeHandle(n), work: NodeWork::Empty, after, site: SiteId::default() }
        };
        let order = |nodes: &[Node]| {
            let sorted = sorted(nodes)?;
            Some(sorted.iter().map(|node| node.handle.0).collect::<Vec<_>>())
        };
        let diamond = [node(1, &[4]), node(2, &[1]), node(3, &[1]), node(4, &[])];
        assert_eq!(order(&diamond), Some(vec![4, 1, 2, 3]));
        assert_eq!(order(&[node(1, &[2]), node(2, &[1])]), None);
    }
}
