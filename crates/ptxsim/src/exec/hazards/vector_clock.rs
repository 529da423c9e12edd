//! Vector clocks: which earlier accesses of other threads are ordered before what a thread does
//! now.
//!
//! The stamps of a block only grow, so "everything that this thread did before stamp 7" takes one
//! number: for a thread, a warp, or a whole block. Clocks are immutable trees that share what they
//! have in common. A thousand blocks that have synchronised with each other therefore have one
//! clock, and comparing two copies of it takes one comparison of pointers.

use std::collections::HashMap;
use std::sync::Arc;

use super::prior_access::{AccessGroup, PriorAccess};

/// A vector clock over any number of blocks: a tree over block numbers, 5 bits a level.
#[derive(Debug, Clone, Default)]
pub(crate) struct VectorClock(Option<Arc<Node>>);

/// Levels of the tree: block numbers as marks keep them have 20 bits.
const LEVELS: u32 = 4;

#[derive(Debug)]
enum Node {
    /// Children by 5 bits of the block number; a set bit for each that exists.
    Inner {
        bits: u32,
        children: Box<[Arc<Node>]>,
    },
    Block(BlockClock),
}

/// The part of a vector clock that is about one block: accesses with stamps below these are ordered
/// before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BlockClock {
    /// For all threads of the block.
    pub block: u32,
    /// Higher stamps of single threads and of warps, sorted by their keys.
    finer: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// A thread's linear index, or [`WARP_KEYS`] plus a warp's index.
    key: u16,
    stamp: u32,
}

/// Keys of warps come after those of the at most 1024 threads of a block.
const WARP_KEYS: u16 = 1024;

impl BlockClock {
    /// The clock after everything that the whole block did before `stamp`.
    pub fn new(stamp: u32) -> Self {
        Self { block: stamp, finer: vec![] }
    }

    /// Adds what a thread did before `stamp`.
    pub fn raise_thread(&mut self, linear: u32, stamp: u32) {
        self.raise(linear as u16, stamp);
    }

    /// Adds what all lanes of a warp did before `stamp`.
    pub fn raise_warp(&mut self, warp: u32, stamp: u32) {
        self.raise(WARP_KEYS + warp as u16, stamp);
    }

    fn raise(&mut self, key: u16, stamp: u32) {
        if stamp <= self.block {
            return;
        }
        match self.finer.binary_search_by_key(&key, |entry| entry.key) {
            Ok(i) => self.finer[i].stamp = self.finer[i].stamp.max(stamp),
            Err(i) => self.finer.insert(i, Entry { key, stamp }),
        }
    }

    fn finer(&self, key: u16) -> u32 {
        let found = self.finer.binary_search_by_key(&key, |entry| entry.key);
        found.map_or(0, |i| self.finer[i].stamp)
    }

    fn covers(&self, linear: u32, stamp: u32) -> bool {
        let (thread, warp) = (linear as u16, WARP_KEYS + (linear / 32) as u16);
        stamp < self.block || stamp < self.finer(thread) || stamp < self.finer(warp)
    }

    /// Is everything that this clock covers also covered by `other`?
    fn is_within(&self, other: &Self) -> bool {
        if self.block > other.block {
            return false;
        }
        let mut theirs = other.finer.iter();
        self.finer.iter().all(|ours| {
            ours.stamp <= other.block
                || theirs
                    .find(|their| their.key >= ours.key)
                    .is_some_and(|their| their.key == ours.key && ours.stamp <= their.stamp)
        })
    }

    fn join(&self, other: &Self) -> Self {
        let mut joined = Self::new(self.block.max(other.block));
        joined.finer.reserve(self.finer.len() + other.finer.len());
        let (mut a, mut b) = (self.finer.iter().peekable(), other.finer.iter().peekable());
        loop {
            let next = match (a.peek().copied(), b.peek().copied()) {
                (None, None) => return joined,
                (Some(x), Some(y)) if x.key == y.key => {
                    a.next();
                    b.next();
                    Entry { key: x.key, stamp: x.stamp.max(y.stamp) }
                }
                (Some(x), y) if y.is_none_or(|y| x.key < y.key) => {
                    a.next();
                    *x
                }
                (_, Some(y)) => {
                    b.next();
                    *y
                }
                (Some(x), None) => {
                    a.next();
                    *x
                }
            };
            if next.stamp > joined.block {
                joined.finer.push(next);
            }
        }
    }
}

impl VectorClock {
    /// Are the accesses of all threads that `prior`, an access of block `block`, stands for ordered
    /// before?
    pub fn covers(&self, block: u32, prior: &PriorAccess) -> bool {
        let Some(clock) = self.block_clock(block) else { return false };
        if prior.stamp < clock.block {
            return true;
        }
        match prior.group {
            AccessGroup::One => clock.covers(prior.thread, prior.stamp),
            AccessGroup::Exactly { .. } => prior.threads().all(|t| clock.covers(t, prior.stamp)),
            _ => false,
        }
    }

    fn block_clock(&self, block: u32) -> Option<&BlockClock> {
        let mut node = self.0.as_ref()?;
        for level in (0..LEVELS).rev() {
            let Node::Inner { bits, children } = &**node else { return None };
            node = child(*bits, children, digit(block, level))?;
        }
        if let Node::Block(clock) = &**node { Some(clock) } else { None }
    }

    /// Adds everything that `other` covers.
    pub fn join(&mut self, other: &Self) {
        match (&self.0, &other.0) {
            (_, None) => {}
            (None, _) => self.0.clone_from(&other.0),
            (Some(a), Some(b)) => self.0 = Some(join(a, b)),
        }
    }

    /// Adds everything of one block that `clock` covers.
    pub fn join_block(&mut self, block: u32, clock: BlockClock) {
        let mut node = Arc::new(Node::Block(clock));
        for level in 0..LEVELS {
            let bits = 1 << digit(block, level);
            node = Arc::new(Node::Inner { bits, children: [node].into() });
        }
        self.join(&Self(Some(node)));
    }

    /// Are both the same tree? Two equal clocks that were made apart are not.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Adds the stamps of a block with which this clock compares accesses to `thresholds`.
    pub fn collect_thresholds(&self, block: u32, thresholds: &mut Vec<u32>) {
        if let Some(clock) = self.block_clock(block) {
            thresholds.push(clock.block);
            thresholds.extend(clock.finer.iter().map(|entry| entry.stamp));
        }
    }

    /// Replaces the stamps of a block by what `map` makes of them. Trees that several clocks share
    /// stay shared: `done` are those that were renumbered already.
    pub fn renumber(&mut self, block: u32, map: &impl Fn(u32) -> u32, done: &mut RenumberedNodes) {
        if self.block_clock(block).is_none() {
            return;
        }
        if let Some(root) = &mut self.0 {
            *root = renumber(root, block, LEVELS, map, done);
        }
    }
}

/// Nodes by their address, before and after they were renumbered. The old ones are kept so that no
/// new node gets their address.
#[derive(Debug, Default)]
pub(crate) struct RenumberedNodes(HashMap<usize, [Arc<Node>; 2]>);

/// The child of a node at `level` (0 above the leaves) on the path to a block.
const fn digit(block: u32, level: u32) -> u32 {
    block >> (5 * level) & 31
}

/// Where the child `digit` is among those that exist.
const fn child_index(bits: u32, digit: u32) -> usize {
    (bits & ((1 << digit) - 1)).count_ones() as usize
}

fn child(bits: u32, children: &[Arc<Node>], digit: u32) -> Option<&Arc<Node>> {
    if bits >> digit & 1 == 0 {
        return None;
    }
    children.get(child_index(bits, digit))
}

/// Joins two trees; the result is one of the two where that covers the other.
fn join(a: &Arc<Node>, b: &Arc<Node>) -> Arc<Node> {
    if Arc::ptr_eq(a, b) {
        return a.clone();
    }
    match (&**a, &**b) {
        (Node::Block(x), Node::Block(y)) => {
            if y.is_within(x) {
                a.clone()
            } else if x.is_within(y) {
                b.clone()
            } else {
                Arc::new(Node::Block(x.join(y)))
            }
        }
        (Node::Inner { bits: p, children: x }, Node::Inner { bits: q, children: y }) => {
            let bits = p | q;
            let (mut is_a, mut is_b) = (bits == *p, bits == *q);
            let mut children = Vec::with_capacity(bits.count_ones() as usize);
            for digit in (0..32).filter(|digit| bits >> digit & 1 == 1) {
                let joined = match (child(*p, x, digit), child(*q, y, digit)) {
                    (Some(m), Some(n)) => {
                        let joined = join(m, n);
                        is_a &= Arc::ptr_eq(&joined, m);
                        is_b &= Arc::ptr_eq(&joined, n);
                        joined
                    }
                    (Some(only), None) | (None, Some(only)) => only.clone(),
                    (None, None) => continue,
                };
                children.push(joined);
            }
            if is_a {
                a.clone()
            } else if is_b {
                b.clone()
            } else {
                Arc::new(Node::Inner { bits, children: children.into() })
            }
        }
        // all trees have the same depth
        _ => a.clone(),
    }
}

/// `level` counts the levels below and including this node.
fn renumber(
    node: &Arc<Node>,
    block: u32,
    level: u32,
    map: &impl Fn(u32) -> u32,
    done: &mut RenumberedNodes,
) -> Arc<Node> {
    let address = Arc::as_ptr(node) as usize;
    if let Some([_, new]) = done.0.get(&address) {
        return new.clone();
    }
    let new = match &**node {
        Node::Block(clock) => {
            let mut new = BlockClock::new(map(clock.block));
            new.finer = clock
                .finer
                .iter()
                .map(|entry| Entry { stamp: map(entry.stamp), ..*entry })
                .filter(|entry| entry.stamp > new.block)
                .collect();
            Node::Block(new)
        }
        Node::Inner { bits, children } => {
            let below = level.saturating_sub(1);
            let digit = digit(block, below);
            let mut children = children.clone();
            if bits >> digit & 1 == 1
                && let Some(child) = children.get_mut(child_index(*bits, digit))
            {
                *child = renumber(child, block, below, map, done);
            }
            Node::Inner { bits: *bits, children }
        }
    };
    let new = Arc::new(new);
    done.0.insert(address, [node.clone(), new.clone()]);
    new
}
