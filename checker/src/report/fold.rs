//! Rounds of loops in a sequence: what repeats is found, so that it need not be read again and again.

use std::collections::HashMap;

/// A part of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// The element with this index.
    One(usize),
    /// Rounds that go the same way, one after the other.
    Rounds(Vec<Vec<Node>>),
}

/// So many rounds are worth being called a loop.
const FEWEST: usize = 3;
/// Rounds of more elements than this are not looked for.
const LONGEST: usize = 48;

/// Finds what repeats in `keys`, inner loops first. Elements with equal keys are alike.
pub fn fold(keys: impl IntoIterator<Item = (u32, u32)>) -> Vec<Node> {
    let mut names: HashMap<Key, usize> = HashMap::new();
    let mut nodes: Vec<(usize, Node)> = keys
        .into_iter()
        .enumerate()
        .map(|(i, key)| (name(&mut names, Key::One(key)), Node::One(i)))
        .collect();
    let mut period = 1;
    while period <= LONGEST.min(nodes.len() / FEWEST) {
        period = if pass(&mut nodes, period, &mut names) { 1 } else { period + 1 };
    }
    nodes.into_iter().map(|(_, node)| node).collect()
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    One((u32, u32)),
    Rounds(Vec<usize>),
}

fn name(names: &mut HashMap<Key, usize>, key: Key) -> usize {
    let next = names.len();
    *names.entry(key).or_insert(next)
}

/// Folds every repetition of `period` nodes; true when there was one.
fn pass(nodes: &mut Vec<(usize, Node)>, period: usize, names: &mut HashMap<Key, usize>) -> bool {
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
        let rounds = (end - at) / period;
        let whole = nodes.get(at..at + rounds * period).unwrap_or_default();
        // one node that stands for rounds already is not folded again by itself
        let loops = period == 1 && matches!(whole.first(), Some((_, Node::Rounds(_))));
        if rounds >= FEWEST && !loops {
            let key = whole.iter().take(period).map(|(key, _)| *key).collect();
            let rounds = whole
                .chunks(period)
                .map(|round| round.iter().map(|(_, node)| node.clone()).collect())
                .collect();
            out.push((name(names, Key::Rounds(key)), Node::Rounds(rounds)));
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
            Node::One(i) => keys[*i].to_string(),
            Node::Rounds(rounds) => format!("{}x({})", rounds.len(), text(&rounds[0], keys)),
        };
        nodes.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn folded(keys: &[u32]) -> String {
        text(&fold(keys.iter().map(|key| (*key, 0))), keys)
    }

    /// Loops, loops in loops, and what only looks like one.
    #[test]
    fn rounds_are_found() {
        assert_eq!(folded(&[1, 2, 1, 2, 1, 2, 1, 3]), "3x(1 2) 1 3");
        assert_eq!(folded(&[7, 7, 7, 7, 8]), "4x(7) 8");
        assert_eq!(folded(&[1, 2, 1, 2, 3]), "1 2 1 2 3");
        let inner = [1, 2, 3, 2, 3, 2, 3, 2, 4];
        assert_eq!(folded(&inner.repeat(3)), "3x(1 3x(2 3) 2 4)");
        let uneven = [[1, 5, 5, 5].as_slice(), &[1, 5, 5, 5, 5, 5], &[1, 5, 5, 5, 5]].concat();
        assert_eq!(folded(&uneven), "3x(1 3x(5))", "how often an inner loop goes round may differ");
        assert_eq!(folded(&[]), "");
    }

    /// Nothing is lost, and nothing doubled.
    #[test]
    fn every_element_stays_in_order() {
        fn walk(nodes: &[Node], out: &mut Vec<usize>) {
            for node in nodes {
                match node {
                    Node::One(i) => out.push(*i),
                    Node::Rounds(rounds) => rounds.iter().for_each(|round| walk(round, out)),
                }
            }
        }
        let keys: Vec<u32> = (0..500).map(|i| i * i % 7 + i / 100).collect();
        let mut out = vec![];
        walk(&fold(keys.iter().map(|key| (*key, 0))), &mut out);
        assert_eq!(out, (0..500).collect::<Vec<_>>());
    }
}
