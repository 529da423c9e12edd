//! Fragments of `k` tokens (k-grams), comparable across files.
//!
//! Names are compared by the pattern in which they come back ("parameterised" matching: Baker, "A
//! theory of parameterized pattern matching", STOC 1993): in a fragment, the first name is 0, the
//! next one that is new is 1, and so on. So `a[i] = b[i]` is `x[j] = y[j]`, whatever the names, and
//! is not `x[j] = y[k]`.

use super::normal::{NAME, Token};

/// A fragment's hash and where it begins.
pub(super) type Gram = (u64, u32);

/// All fragments of `length` tokens in order of their hashes.
///
/// Winnowing (Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document
/// fingerprinting", SIGMOD 2003) would keep one of every window of fragments, so that an index of
/// millions of pages stays small, and would miss agreement shorter than window and fragment
/// together. An exercise has a few hundred tokens: here the window is 1, and nothing is missed.
pub(super) fn grams(tokens: &[Token], length: usize) -> Vec<Gram> {
    let mut names: Vec<u64> = Vec::with_capacity(length);
    let windows = tokens.windows(length.max(1)).zip(0_u32..);
    let mut found: Vec<Gram> = windows.map(|(window, i)| (hash(window, &mut names), i)).collect();
    found.sort_unstable();
    found
}

/// The hash of each line that has tokens, and the places of those.
pub(super) fn lines(tokens: &[Token]) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
    let mut names = vec![];
    let mut begin = 0;
    tokens.chunk_by(|a, b| a.line == b.line).map(move |line| {
        let place = begin..begin + line.len();
        begin = place.end;
        (hash(line, &mut names), place)
    })
}

/// The hash of a fragment. `names` is memory to work in.
fn hash(fragment: &[Token], names: &mut Vec<u64>) -> u64 {
    names.clear();
    let symbols = fragment.iter().map(|token| {
        if token.symbol & NAME == 0 {
            return token.symbol;
        }
        let known = names.iter().position(|name| *name == token.symbol);
        let place = known.unwrap_or_else(|| {
            names.push(token.symbol);
            names.len() - 1
        });
        NAME | place as u64
    });
    symbols.fold(0xcbf2_9ce4_8422_2325, |hash, symbol| mix(hash ^ symbol))
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
