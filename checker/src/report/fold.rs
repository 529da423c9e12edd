//! Finds the iterations of loops in a sequence of steps, so that a trace can show a few of them and
//! summarise the others.

use std::collections::HashMap;

/// A part of the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// The element with this index.
    Step(usize),
    /// Consecutive iterations with the same steps.
    Loop(Vec<Vec<Node>>),
}

/// Iterations that make a loop, at least.
const MIN_ITERATIONS: usize = 3;
/// Nodes in an iteration, at most.
const MAX_ITERATION_NODES: usize = 48;

/// Finds repetitions in `keys`, inner loops first. Elements with equal keys count as the same step.
pub fn fold(keys: impl IntoIterator<Item = (u32, u32)>) -> Vec<Node> {
    let mut numbers: HashMap<Key, usize> = HashMap::new();
    let mut nodes: Vec<(usize, Node)> = keys
        .into_iter()
        .enumerate()
        .map(|(i, key)| (number(&mut numbers, Key::Step(key)), Node::Step(i)))
        .collect();
    let mut period = 1;
    while period <= MAX_ITERATION_NODES.min(nodes.len() / MIN_ITERATIONS) {
        period = if fold_period(&mut nodes, period, &mut numbers) { 1 } else { period + 1 };
    }
    nodes.into_iter().map(|(_, node)| node).collect()
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Step((u32, u32)),
    Loop(Vec<usize>),
}

/// The number of a key: equal keys have equal numbers.
fn number(numbers: &mut HashMap<Key, usize>, key: Key) -> usize {
    let next = numbers.len();
    *numbers.entry(key).or_insert(next)
}

/// Folds every repetition of `period` nodes; true when there was one.
fn fold_period(
    nodes: &mut Vec<(usize, Node)>,
    period: usize,
    numbers: &mut HashMap<Key, usize>,
) -> bool {
    let (mut out, mut at, mut found) = (Vec::with_capacity(nodes.len()), 0, false);
    while at < nodes.len() {
        let alike = |i: usize, j: usize| match (nodes.get(i), nodes.get(j)) {
            (Some(a), Some(b)) => a.0 == b.0,
            _ => false,
        };
        let mut end = at + period;
        while alike(end, end - period) {
            end += 1;
        }
        let iterations = (end - at) / period;
        let whole = nodes.get(at..at + iterations * period).unwrap_or_default();
        // A loop node is not folded again by itself.
        let is_loop = period == 1 && matches!(whole.first(), Some((_, Node::Loop(_))));
        if iterations >= MIN_ITERATIONS && !is_loop {
            let key = whole.iter().take(period).map(|(key, _)| *key).collect();
            let iterations = whole
                .chunks(period)
                .map(|iteration| iteration.iter().map(|(_, node)| node.clone()).collect())
                .collect();
            out.push((number(numbers, Key::Loop(key)), Node::Loop(iterations)));
            at += whole.len();
            found = true;
        } else {
            out.extend(nodes.get(at).cloned());
            at += 1;
        }
    }
    *nodes = out;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(nodes: &[Node], keys: &[u32]) -> String {
        let one = |node: &Node| match node {
            Node::Step(i) => keys[*i].to_string(),
            Node::Loop(iterations) => {
                format!("{}x({})", iterations.len(), text(&iterations[0], keys))
            }
        };
        nodes.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn folded(keys: &[u32]) -> String {
        text(&fold(keys.iter().map(|key| (*key, 0))), keys)
    }

    /// Loops, nested loops, and sequences that only look like a loop.
    #[test]
    fn loops_are_found() {
        assert_eq!(folded(&[1, 2, 1, 2, 1, 2, 1, 3]), "3x(1 2) 1 3");
        assert_eq!(folded(&[7, 7, 7, 7, 8]), "4x(7) 8");
        assert_eq!(folded(&[1, 2, 1, 2, 3]), "1 2 1 2 3");
        let inner = [1, 2, 3, 2, 3, 2, 3, 2, 4];
        assert_eq!(folded(&inner.repeat(3)), "3x(1 3x(2 3) 2 4)");
        let uneven = [[1, 5, 5, 5].as_slice(), &[1, 5, 5, 5, 5, 5], &[1, 5, 5, 5, 5]].concat();
        assert_eq!(folded(&uneven), "3x(1 3x(5))", "how often an inner loop iterates may differ");
        assert_eq!(folded(&[]), "");
    }

    /// Folding neither loses nor duplicates an element.
    #[test]
    fn every_element_stays_in_order() {
        fn walk(nodes: &[Node], out: &mut Vec<usize>) {
            for node in nodes {
                match node {
                    Node::Step(i) => out.push(*i),
                    Node::Loop(iterations) => {
                        iterations.iter().for_each(|iteration| walk(iteration, out))
                    }
                }
            }
        }
        let keys: Vec<u32> = (0..500).map(|i| i * i % 7 + i / 100).collect();
        let mut out = vec![];
        walk(&fold(keys.iter().map(|key| (*key, 0))), &mut out);
        assert_eq!(out, (0..500).collect::<Vec<_>>());
    }
}
