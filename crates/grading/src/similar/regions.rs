//! Tiles to lines: where two files agree, for people to read.

use super::data::{Lines, Region, Row};
use super::files::File;
use super::tile::Tile;

/// Regions of fewer tokens are left out where there are others.
const MIN_REGION_TOKENS: u32 = 3;

/// The regions of two files in the order of the first.
pub(super) fn regions(a: &File, b: &File, tiles: &[Tile]) -> Vec<Region> {
    let mut found = vec![];
    for tile in tiles {
        // Tokens that count and stand in the same lines, or in the next ones, are one region.
        let mut part: Option<(usize, usize)> = None;
        for i in counted(a, b, *tile, 0, tile.length) {
            part = match part {
                Some((begin, end)) if near(a, tile.a, end, i) && near(b, tile.b, end, i) => {
                    Some((begin, i))
                }
                Some((begin, end)) => {
                    found.extend(region(a, b, *tile, begin, end));
                    Some((i, i))
                }
                None => Some((i, i)),
            };
        }
        found.extend(part.and_then(|(begin, end)| region(a, b, *tile, begin, end)));
    }
    if found.iter().any(|region| region.tokens >= MIN_REGION_TOKENS) {
        found.retain(|region| region.tokens >= MIN_REGION_TOKENS);
    }
    found.sort_by_key(|region| (region.a.first, region.b.first, region.a.last));
    found
}

/// Places in a tile whose tokens count in both files, from `begin` to before `end`.
fn counted(
    a: &File,
    b: &File,
    tile: Tile,
    begin: usize,
    end: usize,
) -> impl Iterator<Item = usize> {
    let counts = |file: &File, at: usize| file.weights.get(at).is_some_and(|weight| *weight > 0.0);
    (begin..end).filter(move |i| counts(a, tile.a + i) && counts(b, tile.b + i))
}

/// Whether two tokens of a file stand in one line or in neighbouring ones.
fn near(file: &File, begin: usize, one: usize, other: usize) -> bool {
    let line = |at: usize| file.tokens.get(begin + at).map_or(0, |token| token.line);
    line(one).abs_diff(line(other)) <= 1
}

/// The region of a tile's tokens `begin` to `end`, both included.
fn region(a: &File, b: &File, tile: Tile, begin: usize, end: usize) -> Option<Region> {
    let tokens_a = a.tokens.get(tile.a + begin..=tile.a + end)?;
    let tokens_b = b.tokens.get(tile.b + begin..=tile.b + end)?;
    let lines = |tokens: &[super::normal::Token]| {
        let lines = tokens.iter().map(|token| token.line);
        Some(Lines { first: lines.clone().min()?, last: lines.max()? })
    };
    let (lines_a, lines_b) = (lines(tokens_a)?, lines(tokens_b)?);
    let counted: Vec<usize> = counted(a, b, tile, begin, end + 1).collect();
    let students = counted.iter().filter_map(|i| a.students.get(tile.a + i)).max();
    let pairs = tokens_a.iter().zip(tokens_b);
    Some(Region {
        a: lines_a,
        b: lines_b,
        tokens: counted.len() as u32,
        others: students.copied().unwrap_or(0).saturating_sub(2),
        verbatim: pairs.clone().all(|(a, b)| a.written == b.written),
        rows: rows(lines_a, lines_b, pairs.map(|(a, b)| (a.line, b.line))),
    })
}

/// Lines side by side: those whose tokens agree stand in one row, and what lies between fills up
/// from above.
fn rows(a: Lines, b: Lines, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Row> {
    let mut rows = vec![];
    // The next lines that have no row yet.
    let (mut next_a, mut next_b) = (a.first, b.first);
    let mut fill = |to_a: u32, to_b: u32, next_a: &mut u32, next_b: &mut u32| {
        while *next_a < to_a || *next_b < to_b {
            let take = |next: &mut u32, to: u32| {
                (*next < to).then(|| {
                    *next += 1;
                    *next - 1
                })
            };
            rows.push(Row { a: take(next_a, to_a), b: take(next_b, to_b) });
        }
    };
    for (line_a, line_b) in pairs {
        // Both begin a line here, which the other one has not passed.
        if line_a >= next_a && line_b >= next_b {
            fill(line_a, line_b, &mut next_a, &mut next_b);
            fill(line_a + 1, line_b + 1, &mut next_a, &mut next_b);
        }
    }
    fill(a.last + 1, b.last + 1, &mut next_a, &mut next_b);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of both sides stands in one row, in order, and lines whose tokens agree stand
    /// together.
    #[test]
    fn rows_hold_every_line_once() {
        let a = Lines { first: 3, last: 8 };
        let b = Lines { first: 10, last: 12 };
        let pairs = [(3, 10), (3, 10), (5, 11), (6, 11), (8, 12)];
        let rows = rows(a, b, pairs.into_iter());
        assert_eq!(rows.iter().filter_map(|row| row.a).collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8]);
        assert_eq!(rows.iter().filter_map(|row| row.b).collect::<Vec<_>>(), [10, 11, 12]);
        for (line_a, line_b) in [(3, 10), (5, 11), (8, 12)] {
            assert!(rows.contains(&Row { a: Some(line_a), b: Some(line_b) }), "{rows:?}");
        }
    }
}
