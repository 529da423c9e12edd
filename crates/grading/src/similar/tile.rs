//! The common parts of two files, each token at most once: Greedy String Tiling (Wise, "String
//! similarity via greedy string tiling and Running Karp-Rabin matching", 1993), as JPlag does it
//! (Prechelt, Malpohl, Philippsen, 2002).
//!
//! The longest common run of tokens becomes a tile, then the longest one that does not overlap it,
//! and so on down to a least length. So the order of functions and statements does not matter. Runs
//! are found from equal fragments (`grams`) and extended as long as names translate one to one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::grams::Gram;
use super::normal::{NAME, Token};

/// A file to be tiled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'f> {
    pub tokens: &'f [Token],
    /// Its fragments, sorted; of the same length on both sides.
    pub grams: &'f [Gram],
}

/// A common run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tile {
    /// First token in one file.
    pub a: usize,
    /// First token in the other.
    pub b: usize,
    /// Tokens.
    pub length: usize,
}

/// Most places of one fragment in one file that are tried: code that repeats itself has as many
/// chances as it needs.
const MAX_SEEDS_PER_GRAM: usize = 64;

/// Tiles files; keeps its memory from one pair to the next.
#[derive(Debug, Default)]
pub(super) struct Tiler {
    /// Names of one file as names of the other, with the number of the run that they hold for.
    forth: Vec<(u64, u64)>,
    back: Vec<(u64, u64)>,
    run: u64,
    /// Places where a run may begin: diagonal (b - a, shifted), a.
    seeds: Vec<(usize, usize)>,
    taken_a: Vec<bool>,
    taken_b: Vec<bool>,
}

impl Tiler {
    /// The tiles of two files, the longest first; `least` is the length of their fragments.
    pub(super) fn tiles(&mut self, a: Side<'_>, b: Side<'_>, least: usize) -> Vec<Tile> {
        let mut runs = self.runs(a, b, least);
        self.taken_a.clear();
        self.taken_a.resize(a.tokens.len(), false);
        self.taken_b.clear();
        self.taken_b.resize(b.tokens.len(), false);
        let mut tiles = vec![];
        while let Some((length, Reverse(at_a), Reverse(at_b))) = runs.pop() {
            let free = |i: usize| !self.taken(at_a + i, at_b + i);
            // Parts of the run that no longer tile has taken.
            let mut begin = 0;
            let mut parts = vec![];
            for i in 0..=length {
                if i == length || !free(i) {
                    if i - begin >= least {
                        parts.push((begin, i - begin));
                    }
                    begin = i + 1;
                }
            }
            if parts == [(0, length)] {
                let whole = |taken: &mut Vec<bool>, from: usize| {
                    taken.iter_mut().skip(from).take(length).for_each(|place| *place = true);
                };
                whole(&mut self.taken_a, at_a);
                whole(&mut self.taken_b, at_b);
                tiles.push(Tile { a: at_a, b: at_b, length });
            } else {
                runs.extend(
                    parts.into_iter().map(|(begin, length)| {
                        (length, Reverse(at_a + begin), Reverse(at_b + begin))
                    }),
                );
            }
        }
        tiles
    }

    fn taken(&self, a: usize, b: usize) -> bool {
        let at = |taken: &[bool], i: usize| taken.get(i).copied().unwrap_or(true);
        at(&self.taken_a, a) || at(&self.taken_b, b)
    }

    /// All runs that cannot be extended.
    fn runs(
        &mut self,
        a: Side<'_>,
        b: Side<'_>,
        least: usize,
    ) -> BinaryHeap<(usize, Reverse<usize>, Reverse<usize>)> {
        self.find_seeds(a, b);
        let mut runs = BinaryHeap::new();
        let seeds = std::mem::take(&mut self.seeds);
        let mut last = (usize::MAX, 0);
        for (diagonal, at_a) in &seeds {
            let at_b = diagonal + at_a - a.tokens.len();
            // The end of the last run on this diagonal.
            let reached = if last.0 == *diagonal { last.1 } else { 0 };
            if at_a + least <= reached {
                continue;
            }
            let length = self.extend(a.tokens, b.tokens, *at_a, at_b);
            if length >= least {
                runs.push((length, Reverse(*at_a), Reverse(at_b)));
                last = (*diagonal, at_a + length);
            }
        }
        self.seeds = seeds;
        runs
    }

    /// Equal fragments, diagonal by diagonal.
    fn find_seeds(&mut self, a: Side<'_>, b: Side<'_>) {
        self.seeds.clear();
        let (mut rest_a, mut rest_b) = (a.grams, b.grams);
        while let (Some((hash_a, _)), Some((hash_b, _))) = (rest_a.first(), rest_b.first()) {
            let (hash_a, hash_b) = (*hash_a, *hash_b);
            let here =
                |grams: &[Gram], hash| grams.iter().take_while(|(other, _)| *other == hash).count();
            if hash_a == hash_b {
                let (many_a, many_b) = (here(rest_a, hash_a), here(rest_b, hash_b));
                for (_, at_a) in rest_a.iter().take(many_a.min(MAX_SEEDS_PER_GRAM)) {
                    for (_, at_b) in rest_b.iter().take(many_b.min(MAX_SEEDS_PER_GRAM)) {
                        let diagonal = *at_b as usize + a.tokens.len() - *at_a as usize;
                        self.seeds.push((diagonal, *at_a as usize));
                    }
                }
                rest_a = rest_a.get(many_a..).unwrap_or_default();
                rest_b = rest_b.get(many_b..).unwrap_or_default();
            } else if hash_a < hash_b {
                rest_a = rest_a.get(1..).unwrap_or_default();
            } else {
                rest_b = rest_b.get(1..).unwrap_or_default();
            }
        }
        self.seeds.sort_unstable();
    }

    /// How many tokens from these places on agree, names one to one.
    fn extend(&mut self, a: &[Token], b: &[Token], at_a: usize, at_b: usize) -> usize {
        self.run += 1;
        let (a, b) = (a.get(at_a..).unwrap_or_default(), b.get(at_b..).unwrap_or_default());
        let agree = |(a, b): &(&Token, &Token)| match (a.symbol & NAME, b.symbol & NAME) {
            (0, 0) => a.symbol == b.symbol,
            (NAME, NAME) => {
                let forth = stands_for(&mut self.forth, self.run, a.symbol, b.symbol);
                forth && stands_for(&mut self.back, self.run, b.symbol, a.symbol)
            }
            _ => false,
        };
        a.iter().zip(b).take_while(agree).count()
    }
}

/// Whether `name` stands for `other` in this run; it does from now on where it stood for nothing.
fn stands_for(names: &mut Vec<(u64, u64)>, run: u64, name: u64, other: u64) -> bool {
    let place = (name & !NAME) as usize;
    if place >= names.len() {
        names.resize(place + 1, (0, 0));
    }
    match names.get_mut(place) {
        Some(entry) if entry.0 != run => {
            *entry = (run, other);
            true
        }
        Some(entry) => entry.1 == other,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::grams::grams;
    use super::super::normal;
    use super::*;

    const MIN_TILE_TOKENS: usize = 6;

    fn tiles(a: &str, b: &str) -> Vec<usize> {
        let (a, b) = (normal::tokens(a), normal::tokens(b));
        let (grams_a, grams_b) = (grams(&a, MIN_TILE_TOKENS), grams(&b, MIN_TILE_TOKENS));
        let sides = (Side { tokens: &a, grams: &grams_a }, Side { tokens: &b, grams: &grams_b });
        let mut tiler = Tiler::default();
        let found = tiler.tiles(sides.0, sides.1, MIN_TILE_TOKENS);
        // The other way round it is the same, and no token is in two tiles.
        let back = tiler.tiles(sides.1, sides.0, MIN_TILE_TOKENS);
        let sum = |tiles: &[Tile]| tiles.iter().map(|tile| tile.length).sum::<usize>();
        assert_eq!(sum(&found), sum(&back));
        for place in 0..a.len() {
            let inside = |tile: &&Tile| (tile.a..tile.a + tile.length).contains(&place);
            assert!(found.iter().filter(inside).count() <= 1);
        }
        found.iter().map(|tile| tile.length).collect()
    }

    /// Functions in another order are two tiles, statements in between split one.
    #[test]
    fn order_and_insertions() {
        let f = "void f(int a) { b[a] = c[a] * d; }";
        let g = "void g(int e) { e += h[e - 1]; k(e, e); }";
        let whole = tiles(f, f);
        assert_eq!(whole.len(), 1);
        let both = tiles(&format!("{f}{g}"), &format!("{g}{f}"));
        assert_eq!(both.len(), 2);
        let split = tiles("a = b[i] + c[i]; d = e[i] * a;", "x = y[j] + z[j]; no(); u = v[j] * x;");
        assert_eq!(split.len(), 2);
    }

    /// Names translate one to one within a tile.
    #[test]
    fn names_are_one_to_one() {
        let code = "a = b[i] + c[j] * b[i];";
        let longest = |other: &str| tiles(code, other).first().copied().unwrap_or(0);
        let whole = longest("x = y[k] + z[l] * y[k];");
        assert_eq!(whole, 17);
        assert!(longest("x = y[k] + y[l] * y[k];") < whole);
        assert!(longest("x = y[k] + z[k] * y[k];") < whole);
    }

    /// One pattern again and again becomes one tile, not a thousand.
    #[test]
    fn repetition() {
        let (few, many) = ("a[i] = b[i]; ".repeat(50), "x[j] = y[j]; ".repeat(80));
        assert_eq!(tiles(&few, &many), [50 * 10]);
    }
}
