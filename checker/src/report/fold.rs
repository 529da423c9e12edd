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

/// What is needed of a step.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its line.
    pub line: u32,
    /// Depth of calls.
    pub depth: u32,
    /// For the header of a loop: the loop.
    pub header: Option<Header>,
}

/// The header of a loop.
#[derive(Debug, Clone, Copy)]
pub struct Header {
    /// The last line of the loop's body.
    pub last_line: u32,
    /// Whether the condition was false, so that the loop ended.
    pub ends: bool,
}

/// Iterations that make a loop, at least.
const MIN_ITERATIONS: usize = 3;
/// Nodes in an iteration, at most, of a loop that is found by its repetitions.
const MAX_ITERATION_NODES: usize = 48;

/// Finds the loops in a sequence of steps.
///
/// An iteration of a loop with a header begins with the header's step, whatever the iteration does.
/// Where no header is known, as of `do`, equal sequences of lines are iterations, inner loops
/// first.
pub fn fold(keys: &[Key]) -> Vec<Node> {
    structured(keys, 0)
}

/// The nodes of `keys`; the first has the index `offset`.
fn structured(keys: &[Key], offset: usize) -> Vec<Node> {
    let mut nodes = vec![];
    let mut at = 0;
    while let Some(key) = keys.get(at) {
        let is_header = |other: &Key| {
            (other.line, other.depth) == (key.line, key.depth) && other.header.is_some()
        };
        let begins = |other: &Key| is_header(other) && other.header.is_some_and(|h| !h.ends);
        let Some(header) = key.header.filter(|header| !header.ends) else {
            nodes.push(Node::Step(offset + at));
            at += 1;
            continue;
        };
        let is_inside = |other: &Key| {
            let lines = key.line..=header.last_line;
            other.depth > key.depth || (other.depth == key.depth && lines.contains(&other.line))
        };
        let mut iterations = vec![];
        while keys.get(at).is_some_and(begins) {
            let body = keys.get(at + 1..).unwrap_or_default();
            let length = body.iter().take_while(|key| is_inside(key) && !is_header(key)).count();
            let mut iteration = vec![Node::Step(offset + at)];
            let body = body.get(..length).unwrap_or_default();
            iteration.extend(structured(body, offset + at + 1));
            iterations.push(iteration);
            at += 1 + length;
        }
        if iterations.len() >= MIN_ITERATIONS {
            nodes.push(Node::Loop(iterations));
        } else {
            nodes.extend(iterations.into_iter().flatten());
        }
    }
    repetitions(nodes, keys, offset)
}

/// Folds what repeats among the nodes.
fn repetitions(nodes: Vec<Node>, keys: &[Key], offset: usize) -> Vec<Node> {
    let mut numbers: HashMap<Repeated, usize> = HashMap::new();
    let place = |node: &Node| {
        let key = keys.get(first_step(node)?.checked_sub(offset)?)?;
        Some((key.line, key.depth))
    };
    let mut nodes: Vec<(usize, Node)> = nodes
        .into_iter()
        .map(|node| {
            let is_loop = matches!(node, Node::Loop(_));
            let place = place(&node).unwrap_or_default();
            (number(&mut numbers, Repeated::Node(is_loop, place)), node)
        })
        .collect();
    let mut period = 1;
    while period <= MAX_ITERATION_NODES.min(nodes.len() / MIN_ITERATIONS) {
        period = if fold_period(&mut nodes, period, &mut numbers) { 1 } else { period + 1 };
    }
    nodes.into_iter().map(|(_, node)| node).collect()
}

/// The index of the first step of a node.
pub fn first_step(node: &Node) -> Option<usize> {
    match node {
        Node::Step(i) => Some(*i),
        Node::Loop(iterations) => first_step(iterations.first()?.first()?),
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Repeated {
    /// A step or a loop with a header, at this line and depth.
    Node(bool, (u32, u32)),
    /// Iterations of nodes with these numbers.
    Loop(Vec<usize>),
}

/// The number of a key: equal keys have equal numbers.
fn number(numbers: &mut HashMap<Repeated, usize>, key: Repeated) -> usize {
    let next = numbers.len();
    *numbers.entry(key).or_insert(next)
}

/// Folds every repetition of `period` nodes; true when there was one.
fn fold_period(
    nodes: &mut Vec<(usize, Node)>,
    period: usize,
    numbers: &mut HashMap<Repeated, usize>,
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
            out.push((number(numbers, Repeated::Loop(key)), Node::Loop(iterations)));
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

    fn steps(lines: &[u32]) -> Vec<Key> {
        lines.iter().map(|line| Key { line: *line, depth: 0, header: None }).collect()
    }

    fn folded(lines: &[u32]) -> String {
        text(&fold(&steps(lines)), lines)
    }

    /// As `folded`, with the header of a loop on each of these lines; the last visit before another
    /// line after the loop ends it.
    fn folded_with(lines: &[u32], headers: &[(u32, u32)]) -> String {
        let mut keys = steps(lines);
        for (i, key) in keys.iter_mut().enumerate() {
            let line = key.line;
            let Some((_, last_line)) = headers.iter().find(|(header, _)| *header == line) else {
                continue;
            };
            let ends = lines.get(i + 1).is_none_or(|next| !(line..=*last_line).contains(next));
            key.header = Some(Header { last_line: *last_line, ends });
        }
        text(&fold(&keys), lines)
    }

    /// Iterations that do different things are iterations of the same loop, whose number counts
    /// from its beginning.
    #[test]
    fn iterations_begin_with_their_header() {
        let uneven = [1, 2, 3, 5, 2, 3, 4, 5, 2, 3, 5, 2, 6];
        assert_eq!(folded_with(&uneven, &[(2, 5)]), "1 3x(2 3 5) 2 6");
        let nested = [1, 2, 3, 2, 3, 2, 1, 2, 1, 2, 3, 2, 1, 4];
        assert_eq!(folded_with(&nested, &[(1, 3), (2, 3)]), "3x(1 2 3 2 3 2) 1 4");
        // left by `break` in its third iteration, and later begun again
        let left = [2, 3, 2, 3, 2, 3, 7, 2, 3, 2, 3, 2, 3, 2, 8];
        assert_eq!(folded_with(&left, &[(2, 3)]), "3x(2 3) 7 3x(2 3) 2 8");
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
        walk(&fold(&steps(&keys)), &mut out);
        assert_eq!(out, (0..500).collect::<Vec<_>>());
    }
}
