//! What a thread knows: of which earlier accesses it is certain that they came before.
//!
//! Stamps of a block only grow, so knowing "everything of this thread before stamp 7" takes one number: for a thread, a
//! warp, or a whole block. Knowledge never changes once it is made, and what two of them have in common they share:
//! a thousand blocks that have met know the same, and finding that out costs nothing.

use std::collections::HashMap;
use std::sync::Arc;

use super::prior_access::{Crowd, Past};

/// Knowledge of any number of blocks: a tree over block numbers, 5 bits a level.
#[derive(Debug, Clone, Default)]
pub(crate) struct Know(Option<Arc<Node>>);

/// Levels of the tree: block numbers as marks keep them have 20 bits.
const LEVELS: u32 = 4;

#[derive(Debug)]
enum Node {
    /// Children by 5 bits of the block number; set bits tell which there are.
    Inner {
        bits: u32,
        children: Box<[Arc<Node>]>,
    },
    Of(Of),
}

/// Knowledge of one block: accesses with stamps below these are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Of {
    /// Of all its threads.
    pub block: u32,
    /// Of single threads, and of warps (at 1024 + warp), in order. What `block` says already is left out.
    fine: Vec<(u16, u32)>,
}

impl Of {
    /// Knowledge of the whole block.
    pub fn block(stamp: u32) -> Self {
        Self { block: stamp, fine: vec![] }
    }

    /// Adds a thread.
    pub fn thread(&mut self, linear: u32, stamp: u32) {
        self.raise(linear as u16, stamp);
    }

    /// Adds a warp with all its lanes.
    pub fn warp(&mut self, warp: u32, stamp: u32) {
        self.raise(1024 + warp as u16, stamp);
    }

    fn raise(&mut self, of: u16, stamp: u32) {
        if stamp <= self.block {
            return;
        }
        match self.fine.binary_search_by_key(&of, |(o, _)| *o) {
            Ok(i) => self.fine[i].1 = self.fine[i].1.max(stamp),
            Err(i) => self.fine.insert(i, (of, stamp)),
        }
    }

    fn get(&self, of: u32) -> u32 {
        let found = self.fine.binary_search_by_key(&of, |(o, _)| u32::from(*o));
        found.map_or(0, |i| self.fine[i].1)
    }

    fn thread_before(&self, linear: u32, stamp: u32) -> bool {
        stamp < self.block || stamp < self.get(linear) || stamp < self.get(1024 + linear / 32)
    }

    /// Does `other` say all that this does?
    fn within(&self, other: &Self) -> bool {
        if self.block > other.block {
            return false;
        }
        let mut theirs = other.fine.iter();
        self.fine.iter().all(|(of, stamp)| {
            *stamp <= other.block
                || theirs.find(|(o, _)| o >= of).is_some_and(|t| t.0 == *of && *stamp <= t.1)
        })
    }

    fn join(&self, other: &Self) -> Self {
        let mut all = Self::block(self.block.max(other.block));
        all.fine.reserve(self.fine.len() + other.fine.len());
        let (mut a, mut b) = (self.fine.iter().peekable(), other.fine.iter().peekable());
        loop {
            let next = match (a.peek().copied(), b.peek().copied()) {
                (None, None) => return all,
                (Some(x), Some(y)) if x.0 == y.0 => {
                    a.next();
                    b.next();
                    (x.0, x.1.max(y.1))
                }
                (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => {
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
            if next.1 > all.block {
                all.fine.push(next);
            }
        }
    }
}

impl Know {
    /// Is every access that `past`, of block `block`, stands for known?
    pub fn covers(&self, block: u32, past: &Past) -> bool {
        let Some(of) = self.of(block) else { return false };
        if past.stamp < of.block {
            return true;
        }
        match past.crowd {
            Crowd::One => of.thread_before(past.thread, past.stamp),
            Crowd::These { .. } => past.threads().all(|t| of.thread_before(t, past.stamp)),
            _ => false,
        }
    }

    fn of(&self, block: u32) -> Option<&Of> {
        let mut node = self.0.as_ref()?;
        for level in (0..LEVELS).rev() {
            let Node::Inner { bits, children } = &**node else { return None };
            node = child(*bits, children, block >> (5 * level) & 31)?;
        }
        if let Node::Of(of) = &**node { Some(of) } else { None }
    }

    /// Learns what `other` knows.
    pub fn join(&mut self, other: &Self) {
        match (&self.0, &other.0) {
            (_, None) => {}
            (None, _) => self.0.clone_from(&other.0),
            (Some(a), Some(b)) => self.0 = Some(join(a, b)),
        }
    }

    /// Learns about one block.
    pub fn learn(&mut self, block: u32, of: Of) {
        let mut node = Arc::new(Node::Of(of));
        for level in 0..LEVELS {
            let bits = 1 << (block >> (5 * level) & 31);
            node = Arc::new(Node::Inner { bits, children: [node].into() });
        }
        self.join(&Self(Some(node)));
    }

    /// Are both one and the same? Quick, and false when in doubt.
    pub fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The stamps of a block that this knowledge speaks of.
    pub fn stamps(&self, block: u32, into: &mut Vec<u32>) {
        if let Some(of) = self.of(block) {
            into.push(of.block);
            into.extend(of.fine.iter().map(|(_, stamp)| *stamp));
        }
    }

    /// Renames the stamps of a block. `renamed` are the trees that were renamed already, by where they are.
    pub fn rename(&mut self, block: u32, to: &impl Fn(u32) -> u32, renamed: &mut Renamed) {
        if self.of(block).is_none() {
            return;
        }
        if let Some(root) = &mut self.0 {
            *root = rename(root, block, LEVELS, to, renamed);
        }
    }
}

/// Nodes before and after they were renamed. The old ones are kept, so that their addresses are not taken again.
#[derive(Debug, Default)]
pub(crate) struct Renamed(HashMap<usize, [Arc<Node>; 2]>);

fn child(bits: u32, children: &[Arc<Node>], of: u32) -> Option<&Arc<Node>> {
    if bits >> of & 1 == 0 {
        return None;
    }
    children.get((bits & ((1 << of) - 1)).count_ones() as usize)
}

/// Both together; one of the two where it says all that the other does.
fn join(a: &Arc<Node>, b: &Arc<Node>) -> Arc<Node> {
    if Arc::ptr_eq(a, b) {
        return a.clone();
    }
    match (&**a, &**b) {
        (Node::Of(x), Node::Of(y)) => {
            if y.within(x) {
                a.clone()
            } else if x.within(y) {
                b.clone()
            } else {
                Arc::new(Node::Of(x.join(y)))
            }
        }
        (Node::Inner { bits: p, children: x }, Node::Inner { bits: q, children: y }) => {
            let bits = p | q;
            let (mut all_a, mut all_b) = (bits == *p, bits == *q);
            let mut children = Vec::with_capacity(bits.count_ones() as usize);
            for of in (0..32).filter(|of| bits >> of & 1 == 1) {
                let both = match (child(*p, x, of), child(*q, y, of)) {
                    (Some(m), Some(n)) => {
                        let both = join(m, n);
                        all_a &= Arc::ptr_eq(&both, m);
                        all_b &= Arc::ptr_eq(&both, n);
                        both
                    }
                    (Some(only), None) | (None, Some(only)) => only.clone(),
                    (None, None) => continue,
                };
                children.push(both);
            }
            if all_a {
                a.clone()
            } else if all_b {
                b.clone()
            } else {
                Arc::new(Node::Inner { bits, children: children.into() })
            }
        }
        // all trees have the same depth
        _ => a.clone(),
    }
}

fn rename(
    node: &Arc<Node>,
    block: u32,
    level: u32,
    to: &impl Fn(u32) -> u32,
    renamed: &mut Renamed,
) -> Arc<Node> {
    let at = Arc::as_ptr(node) as usize;
    if let Some([_, new]) = renamed.0.get(&at) {
        return new.clone();
    }
    let new = match &**node {
        Node::Of(of) => {
            let mut new = Of::block(to(of.block));
            new.fine = of.fine.iter().map(|(o, stamp)| (*o, to(*stamp))).collect();
            new.fine.retain(|(_, stamp)| *stamp > new.block);
            Node::Of(new)
        }
        Node::Inner { bits, children } => {
            let of = block >> (5 * level.saturating_sub(1)) & 31;
            let mut children = children.clone();
            if bits >> of & 1 == 1
                && let Some(child) =
                    children.get_mut((bits & ((1 << of) - 1)).count_ones() as usize)
            {
                *child = rename(child, block, level.saturating_sub(1), to, renamed);
            }
            Node::Inner { bits: *bits, children }
        }
    };
    let new = Arc::new(new);
    renamed.0.insert(at, [node.clone(), new.clone()]);
    new
}
