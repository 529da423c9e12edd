//! Launches of `kernels/branches.cu`: divergence, and local memory.

use crate::{Launch, Random};

pub(super) fn launches() -> Vec<Launch> {
    let k = |name: &str| Launch::new("branches", name).block(128, 1, 1);
    let mut random = Random(6);
    let floats = random.floats(128, 1.0, 9.0);
    let mut below = |n: u64| -> Vec<i32> { (0..128).map(|_| random.below(n) as i32).collect() };
    let mut all: Vec<Launch> =
        ["odd_even", "by_warp", "nested"].map(|name| k(name).buffer(&floats).zeros(128, 4)).into();
    all.push(k("trip_counts").buffer(&below(40)).zeros(128, 4));
    all.push(k("choice").buffer(&below(4)).zeros(128, 4));
    all.push(k("predicated").buffer(&below(9)).zeros(128, 4));
    let uniform = vec![9_i32; 128];
    for (what, index) in [("uniform", &uniform), ("random", &below(32))] {
        all.push(k("local_array").variant(what).buffer(index).zeros(128, 4));
        all.push(k("local_doubles").variant(what).buffer(index).zeros(128, 8));
    }
    all
}
