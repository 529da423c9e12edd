//! Access patterns: the element that each lane of a warp accesses, or -1 for none.

use crate::Random;

/// Elements by lane.
pub(super) type Lanes = [i32; 32];

fn lanes(f: impl Fn(i32) -> i32) -> Lanes {
    std::array::from_fn(|i| f(i as i32))
}

/// Patterns by name, for accesses whose width does not matter.
pub(super) fn common() -> Vec<(String, Lanes)> {
    let mut all: Vec<(String, Lanes)> = [
        ("consecutive", lanes(|i| i)),
        ("backwards", lanes(|i| 31 - i)),
        ("broadcast", lanes(|_| 5)),
        ("pairs", lanes(|i| i / 2)),
        ("quads", lanes(|i| i / 4)),
        ("same_mod_4", lanes(|i| i % 4)),
        ("same_mod_16", lanes(|i| i % 16)),
        ("lower_half", lanes(|i| if i < 16 { i } else { -1 })),
        ("upper_half", lanes(|i| if i < 16 { -1 } else { i })),
        ("even_lanes", lanes(|i| if i % 2 == 0 { i } else { -1 })),
        ("one_quarter", lanes(|i| if i / 8 == 2 { i } else { -1 })),
        ("one_lane", lanes(|i| if i == 19 { 3 } else { -1 })),
        ("two_words_of_a_bank", lanes(|i| if i == 7 { 7 + 32 } else { i })),
    ]
    .map(|(name, lanes)| (name.to_owned(), lanes))
    .into();
    for stride in [2, 3, 4, 8, 16, 32, 33] {
        all.push((format!("stride_{stride}"), lanes(|i| i * stride)));
    }
    all
}

/// Patterns that decide whether the halves and quarters of a warp share a wavefront.
pub(super) fn merging() -> Vec<(String, Lanes)> {
    [
        ("pairs_by_2", lanes(|i| i & !2)),
        ("pairs_by_4", lanes(|i| i & !4)),
        ("pairs_by_8", lanes(|i| i & !8)),
        ("pairs_by_16", lanes(|i| i & !16)),
        ("pairs_in_the_lower_half", lanes(|i| if i < 16 { i / 2 } else { i })),
        ("pairs_by_1_then_by_2", lanes(|i| if i < 16 { i / 2 } else { i & !2 })),
        ("broadcast_per_half", lanes(|i| i / 16)),
        ("broadcast_per_half_far", lanes(|i| i / 16 * 64)),
        ("broadcast_per_quarter", lanes(|i| i / 8)),
        ("broadcast_per_quarter_far", lanes(|i| i / 8 * 64)),
        ("pairs_stride_2", lanes(|i| i / 2 * 2)),
        ("pairs_stride_16", lanes(|i| i / 2 * 16)),
        ("pairs_stride_32", lanes(|i| i / 2 * 32)),
        ("even_lanes_stride_2", lanes(|i| if i % 2 == 0 { i * 2 } else { -1 })),
        ("even_lanes_stride_16", lanes(|i| if i % 2 == 0 { i * 8 } else { -1 })),
        ("lanes_0_and_31", lanes(|i| if i == 0 || i == 31 { i } else { -1 })),
        ("lanes_0_and_31_at_one_bank", lanes(|i| if i == 0 || i == 31 { i / 31 * 64 } else { -1 })),
        ("same_mod_8", lanes(|i| i % 8)),
        ("halves_swapped", lanes(|i| (i + 16) % 32)),
        ("quarters_of_one_bank_set", lanes(|i| i % 8 + i / 8 * 32)),
        ("halves_of_one_bank_set", lanes(|i| i % 16 + i / 16 * 32)),
    ]
    .map(|(name, lanes)| (name.to_owned(), lanes))
    .into()
}

/// Random elements below several limits: for all lanes, for some lanes, and for groups of lanes
/// with the same element.
pub(super) fn random(count: u64, limits: &[u64]) -> Vec<(String, Lanes)> {
    let mut all = Vec::new();
    for &limit in limits {
        for n in 0..count {
            let mut random = Random(limit << 8 | n);
            let group = [1, 1, 1, 2, 4, 8][random.below(6) as usize];
            let off = [0, 0, 1, 3][random.below(4) as usize]; // of four lanes
            let values: Vec<i32> = (0..32).map(|_| random.below(limit) as i32).collect();
            let out: Vec<bool> = (0..32).map(|_| random.below(4) < off).collect();
            let chosen = lanes(|i| {
                let i = i as usize;
                if out[i] { -1 } else { values[i / group * group] }
            });
            all.push((format!("random_{limit}_{n}"), chosen));
        }
    }
    all
}
