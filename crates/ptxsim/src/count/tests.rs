//! The cost functions against sets of sectors and words, and against the optima in NVIDIA's Kernel
//! Profiling Guide.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const FULL: u32 = u32::MAX;

fn pattern(address: impl Fn(u64) -> u64) -> Addresses {
    std::array::from_fn(|i| address(i as u64))
}

/// Wavefronts of a load, and those without conflicts.
fn loaded(addresses: &Addresses, mask: u32, bytes: u32) -> (u32, u32) {
    shared_wavefronts(addresses, mask, bytes, true)
}

#[test]
fn sectors_per_request_are_the_documented_optima() {
    for (bytes, expected) in [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16)] {
        let packed = pattern(|i| 4096 + i * u64::from(bytes));
        assert_eq!(sectors(&packed, FULL, bytes), expected);
        assert_eq!(ideal_sectors(32, bytes, 32), expected);
    }
    assert_eq!(sectors(&pattern(|i| 4100 + i * 4), FULL, 4), 5, "shifted by one element");
    assert_eq!(sectors(&pattern(|i| 4096 + i * 32), FULL, 4), 32, "every lane its own sector");
    assert_eq!(sectors(&pattern(|i| 4096 + i * 4096), FULL, 4), 32);
    assert_eq!(sectors(&pattern(|i| 4096 + (31 - i) * 4096), FULL, 4), 32);
    assert_eq!(sectors(&pattern(|_| 4096), FULL, 4), 1, "all lanes one address");
    assert_eq!(sectors(&pattern(|i| 4096 + i * 4), 1, 4), 1);
    assert_eq!(sectors(&pattern(|i| i), 0, 4), 0);
    assert_eq!(ideal_sectors(1, 4, 1), 1);
    assert_eq!(ideal_sectors(0, 4, 0), 0);
    assert_eq!(ideal_sectors(32, 4, 1), 1, "lanes that share a sector need no more");
}

#[test]
fn shared_memory_without_conflicts() {
    for (bytes, expected) in [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4)] {
        let packed = pattern(|i| i * u64::from(bytes));
        assert_eq!(loaded(&packed, FULL, bytes), (expected, expected), "{bytes} bytes");
        assert_eq!(worst_collision(&packed, FULL, bytes), None);
    }
    assert_eq!(loaded(&pattern(|_| 64), FULL, 4), (1, 1), "broadcast");
    assert_eq!(loaded(&pattern(|i| i * 4 % 16 + 128), FULL, 4), (1, 1), "multicast");
    assert_eq!(loaded(&pattern(|i| i * 132), FULL, 4), (1, 1), "a padded column");
    assert_eq!(loaded(&pattern(|i| i * 4), 0, 4), (0, 0));
}

#[test]
fn shared_memory_with_conflicts() {
    for (stride, ways) in [(2, 2), (4, 4), (8, 8), (16, 16), (32, 32), (3, 1), (33, 1)] {
        let strided = pattern(|i| i * stride * 4);
        assert_eq!(loaded(&strided, FULL, 4), (ways, 1), "stride {stride}");
        let falling = pattern(|i| (31 - i) * stride * 4);
        assert_eq!(loaded(&falling, FULL, 4), (ways, 1), "stride -{stride}");
    }
    let column = pattern(|i| i * 128 + 12);
    let worst = Collision { bank: 3, lanes: FULL, words: 32 };
    assert_eq!(worst_collision(&column, FULL, 4), Some(worst));
    assert_eq!(loaded(&column, 0xff, 4), (8, 1));
}

#[test]
fn wide_accesses_split_and_merge() {
    assert_eq!(loaded(&pattern(|_| 64), FULL, 8), (1, 1), "64-bit broadcast merges");
    assert_eq!(loaded(&pattern(|i| i / 2 * 8), FULL, 8), (1, 1), "pairs i, i^1");
    assert_eq!(loaded(&pattern(|i| (i & !2) * 8), FULL, 8), (2, 1), "pairs i, i^2");
    assert_eq!(loaded(&pattern(|i| i % 16 * 8), FULL, 8), (2, 2), "halves equal, no pairs");
    assert_eq!(
        loaded(&pattern(|i| i / 2 * 16), FULL, 8),
        (2, 1),
        "pairs that merge and then conflict"
    );
    assert_eq!(shared_wavefronts(&pattern(|_| 64), FULL, 8, false), (2, 2), "stores never merge");
    assert_eq!(shared_wavefronts(&pattern(|i| i / 2 * 16), FULL, 16, false), (4, 4));
    assert_eq!(loaded(&pattern(|i| i * 8), 0x5555_5555, 8), (2, 1), "partners inactive");
    assert_eq!(loaded(&pattern(|i| i * 8), 0xffff, 8), (1, 1), "one half only");
    assert_eq!(loaded(&pattern(|i| i * 16), FULL, 8), (4, 2), "stride 2");
    assert_eq!(loaded(&pattern(|_| 64), FULL, 16), (2, 2), "never under two for a warp");
    assert_eq!(loaded(&pattern(|i| i / 2 * 16), FULL, 16), (2, 2));
    assert_eq!(loaded(&pattern(|i| i * 16), 0xff, 16), (1, 1), "one quarter only");
    assert_eq!(loaded(&pattern(|i| i * 128), FULL, 16), (32, 4), "a column of float4");
    assert_eq!(
        worst_collision(&pattern(|i| i * 128 + 16), FULL, 16).map(|c| (c.bank, c.words)),
        Some((4, 8))
    );
}

#[test]
fn atomics_take_turns() {
    let wavefronts = |lane: fn(u64) -> u64, how| atomic_wavefronts(&pattern(lane), FULL, how);
    let one_bank = |i: u64| i * 128;
    for (how, apart, together, conflict) in [
        (Update::Native, 1, 32, 32),
        (Update::Increment, 1, 1, 32),
        (Update::Swap, 2, 64, 64),
        (Update::Loop4, 2, 64, 64),
    ] {
        assert_eq!(wavefronts(|i| i * 4, how), apart, "{how:?}");
        assert_eq!(wavefronts(|_| 64, how), together, "{how:?}");
        assert_eq!(wavefronts(one_bank, how), conflict, "{how:?}");
        assert_eq!(atomic_wavefronts(&pattern(|i| i * 4), 0, how), 0, "{how:?}");
    }
    assert_eq!(wavefronts(|i| i * 8, Update::Loop8), 4);
    assert_eq!(wavefronts(|_| 64, Update::Loop8), 16 * 4 + 16 * 2);
    assert_eq!(wavefronts(|i| i / 2 * 4, Update::Native), 2);
}

#[test]
fn local_words_lie_beside_their_neighbours() {
    assert_eq!(local_sectors(&pattern(|_| 12), FULL, 4), 4);
    assert_eq!(local_sectors(&pattern(|_| 8), FULL, 8), 8);
    assert_eq!(local_sectors(&pattern(|_| 3), FULL, 1), 4);
    assert_eq!(local_sectors(&pattern(|i| i * 4), FULL, 4), 32);
    assert_eq!(local_sectors(&pattern(|i| i % 2 * 4), 0xff, 4), 2);
}

fn sectors_by_set(addresses: &Addresses, mask: u32, bytes: u32) -> u32 {
    let touched: BTreeSet<u64> = (0..32)
        .filter(|i| mask >> i & 1 == 1)
        .flat_map(|i| (0..u64::from(bytes)).map(move |b| (addresses[i] + b) >> 5))
        .collect();
    touched.len() as u32
}

/// The rule for wavefronts, written with sets of (bank, word).
fn wavefronts_by_set(addresses: &Addresses, mask: u32, bytes: u32, load: bool) -> (u32, u32) {
    let active: Vec<usize> = (0..32).filter(|i| mask >> i & 1 == 1).collect();
    let alone = |by: usize| {
        active.iter().all(|&i| mask >> (i ^ by) & 1 == 0 || addresses[i] == addresses[i ^ by])
    };
    let merge = load && (alone(1) || alone(2));
    let size = match (bytes, merge) {
        (16, false) => 8,
        (16, true) | (8, false) => 16,
        _ => 32,
    };
    let (mut result, mut transactions) = (0, 0);
    for group in 0..32 / size {
        let mut banks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for &i in active.iter().filter(|&&i| i / size == group) {
            for word in 0..u64::from(bytes).div_ceil(4) {
                let word = addresses[i] / 4 + word;
                banks.entry(word % 32).or_default().insert(word);
            }
        }
        result += banks.values().map(|words| words.len() as u32).max().unwrap_or(0);
        transactions += u32::from(!banks.is_empty());
    }
    (result, transactions)
}

/// Strides, small windows, equal lanes, random addresses; all aligned to `bytes`.
fn access() -> impl Strategy<Value = (Addresses, u32, u32)> {
    let bytes = prop_oneof![Just(1u32), Just(2), Just(4), Just(8), Just(16)];
    let shape = prop_oneof![
        (any::<u32>(), -70i64..70).prop_map(|(base, stride)| {
            pattern(|i| (i64::from(base) + (1 << 12) + stride * i as i64) as u64)
        }),
        (any::<u32>(), 1u64..300, any::<[u16; 32]>()).prop_map(|(base, window, r)| pattern(|i| {
            u64::from(base) + u64::from(r[i as usize]) % window
        })),
        any::<[u32; 32]>().prop_map(|r| pattern(|i| u64::from(r[i as usize]))),
        (any::<[u16; 32]>(), 0u32..6)
            .prop_map(|(r, by)| pattern(|i| u64::from(r[(i >> by << by) as usize]))),
    ];
    let mask = prop_oneof![Just(FULL), any::<u32>(), (0u32..32).prop_map(|n| FULL >> n)];
    (shape, mask, bytes)
        .prop_map(|(shape, mask, bytes)| (shape.map(|a| a * u64::from(bytes)), mask, bytes))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn sectors_are_the_set((addresses, mask, bytes) in access(), shift in 0u64..4) {
        prop_assert_eq!(sectors(&addresses, mask, bytes), sectors_by_set(&addresses, mask, bytes));
        let misaligned = addresses.map(|a| a + shift);
        prop_assert_eq!(sectors(&misaligned, mask, bytes), sectors_by_set(&misaligned, mask, bytes));
    }

    #[test]
    fn wavefronts_are_the_busiest_bank((addresses, mask, bytes) in access()) {
        for load in [true, false] {
            prop_assert_eq!(
                shared_wavefronts(&addresses, mask, bytes, load),
                wavefronts_by_set(&addresses, mask, bytes, load)
            );
        }
        let (wavefronts, transactions) = loaded(&addresses, mask, bytes);
        let collision = worst_collision(&addresses, mask, bytes);
        prop_assert_eq!(collision.is_some(), wavefronts > transactions);
        if let Some(c) = collision {
            prop_assert!(c.words > 1 && c.words <= c.lanes.count_ones() && c.lanes & !mask == 0);
        }
    }

    #[test]
    fn nothing_panics(addresses: [u64; 32], mask: u32, bytes: u32) {
        sectors(&addresses, mask, bytes);
        local_sectors(&addresses, mask, bytes);
        for load in [true, false] {
            shared_wavefronts(&addresses, mask, bytes, load);
        }
        for how in [Update::Native, Update::Increment, Update::Swap, Update::Loop4, Update::Loop8] {
            atomic_wavefronts(&addresses, mask, how);
        }
        worst_collision(&addresses, mask, bytes);
    }
}
