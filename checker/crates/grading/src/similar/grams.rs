//! Fragments of `k` tokens (k-grams), comparable across files.
//!
//! Names are compared by the pattern in which they come back ("parameterised" matching: Baker, "A theory of parameterized
//! pattern matching", STOC 1993): in a fragment, the first name is 0, the next one that is new is 1, and so on. So `a[i] = b[i]`
//! is `x[j] = y[j]`, whatever the names, and is not `x[j] = y[k]`.

use super::normal::{NAME, Token};

/// A fragment's hash and where it begins.
pub(super) type Gram = (u64, u32);

/// All fragments of `length` tokens in order of their hashes.
///
/// Winnowing (Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting", SIGMOD 2003) would keep one
/// of every window of fragments, so that an index of millions of pages stays small, and would miss agreement shorter than
/// window and fragment together. An exercise has a few hundred tokens: here the window is 1, and nothing is missed.
pub(super) fn grams(tokens: &[Token], length: usize) -> Vec<Gram> {
    let mut names: Vec<u64> = Vec::with_capacity(length);
    let mut found: Vec<Gram> = tokens
        .windows(length)
        .enumerate()
        .map(|(i, window)| {
            names.clear();
            let mut hash = 0xcbf2_9ce4_8422_2325_u64;
            for token in window {
                let symbol = if token.symbol & NAME == 0 {
                    token.symbol
                } else {
                    let known = names.iter().position(|name| *name == token.symbol);
                    NAME | known.unwrap_or_else(|| {
                        names.push(token.symbol);
                        names.len() - 1
                    }) as u64
                };
                hash = mix(hash ^ symbol);
            }
            (hash, i as u32)
        })
        .collect();
    found.sort_unstable();
    found
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
