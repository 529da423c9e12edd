//! From tiles to one number for two students.

use std::collections::BTreeMap;

use super::files::File;
use super::tile::Tile;

/// The share of two students in one exercise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    /// Its place in the course.
    pub exercise: usize,
    /// Unusual tokens in tiles.
    pub shared: f64,
    /// Unusual tokens of one file.
    pub own_a: f64,
    /// Unusual tokens of the other file.
    pub own_b: f64,
}

impl Part {
    fn own(&self) -> f64 {
        self.own_a.min(self.own_b)
    }
}

/// The score of two students.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Score {
    pub score: f64,
    pub shared: f64,
    pub own: f64,
    /// The highest share first.
    pub parts: Vec<Part>,
    /// How many of the parts, from the first, make up the score.
    pub counting: usize,
}

/// Unusual tokens of two files that lie in tiles.
pub(super) fn shared(a: &File, b: &File, tiles: &[Tile]) -> f64 {
    let weight = |file: &File, at: usize| file.weights.get(at).copied().unwrap_or(0.0);
    let tokens = tiles.iter().flat_map(|tile| (0..tile.length).map(|i| (tile.a + i, tile.b + i)));
    tokens.map(|(at_a, at_b)| weight(a, at_a).min(weight(b, at_b))).sum()
}

/// The highest `shared / (own + doubt)` over any choice of exercises. An exercise raises that as
/// long as its own share is higher than the score so far, so the best choice is the first few by
/// share.
pub(super) fn score(mut parts: Vec<Part>, doubt: f64) -> Score {
    let share = |part: &Part| part.shared / part.own().max(f64::MIN_POSITIVE);
    parts.sort_by(|a, b| share(b).total_cmp(&share(a)).then_with(|| a.exercise.cmp(&b.exercise)));
    let mut best = Score { score: 0.0, shared: 0.0, own: 0.0, parts: vec![], counting: 0 };
    let (mut shared, mut own) = (0.0, 0.0);
    for (i, part) in parts.iter().enumerate() {
        shared += part.shared;
        own += part.own();
        let score = shared / (own + doubt.max(0.0)).max(f64::MIN_POSITIVE);
        if score > best.score {
            best = Score { score, shared, own, counting: i + 1, ..best };
        }
    }
    Score { parts, ..best }
}

/// Students who are linked by pairs, in groups of three or more.
pub(super) fn groups(pairs: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    // Each student's group is named by its lowest member.
    let mut group: BTreeMap<usize, usize> = BTreeMap::new();
    for (a, b) in pairs {
        let one = *group.entry(a).or_insert(a);
        let other = *group.entry(b).or_insert(b);
        let (low, high) = (one.min(other), one.max(other));
        group.values_mut().filter(|name| **name == high).for_each(|name| *name = low);
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (student, name) in group {
        members.entry(name).or_default().push(student);
    }
    members.into_values().filter(|members| members.len() > 2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(exercise: usize, shared: f64, own: f64) -> Part {
        Part { exercise, shared, own_a: own, own_b: own * 2.0 }
    }

    /// One exercise copied out of many is not diluted by the others, a few tokens are never much,
    /// and small ones add up.
    #[test]
    fn the_best_choice_of_exercises_counts() {
        let one = score(vec![part(0, 5.0, 90.0), part(1, 80.0, 80.0), part(2, 9.0, 100.0)], 40.0);
        assert_eq!((one.counting, one.shared, one.own), (1, 80.0, 80.0));
        assert!((one.score - 80.0 / 120.0).abs() < 1e-9);
        assert_eq!(one.parts[0].exercise, 1);
        let tiny = score(vec![part(0, 8.0, 8.0)], 40.0);
        assert!(tiny.score < 0.2);
        let many = score((0..10).map(|i| part(i, 8.0, 8.0)).collect(), 40.0);
        assert_eq!(many.counting, 10);
        assert!(many.score > 0.6);
        assert_eq!(score(vec![], 40.0).score, 0.0);
    }

    /// Links join groups, whatever their order, and two students are a pair, not a group.
    #[test]
    fn groups_are_joined() {
        let pairs = [(1, 2), (5, 6), (3, 4), (2, 3), (8, 9), (9, 7)];
        assert_eq!(groups(pairs.into_iter()), [vec![1, 2, 3, 4], vec![7, 8, 9]]);
        assert!(groups([(1, 2)].into_iter()).is_empty());
    }
}
