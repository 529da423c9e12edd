//! Launches of `kernels/atomics.cu`: contention by pattern, histograms, reductions, scans.

use super::lanes::{self, Lanes};
use crate::{Launch, Random};

fn k(name: &str) -> Launch {
    Launch::new("atomics", name)
}

pub(super) fn launches() -> Vec<Launch> {
    [shared(), global(), blocks()].concat()
}

fn few() -> Vec<(String, Lanes)> {
    let names =
        ["consecutive", "broadcast", "pairs", "same_mod_4", "even_lanes", "one_lane", "stride_32"];
    let mut some = lanes::common();
    some.retain(|(name, _)| names.contains(&name.as_str()));
    some.extend(lanes::random(3, &[8, 64]));
    some
}

fn shared() -> Vec<Launch> {
    let mut all = Vec::new();
    let mut everything = lanes::common();
    everything.extend(lanes::random(6, &[8, 64, 1024]));
    for name in [
        "shared_add",
        "shared_add_returning",
        "shared_increment",
        "shared_max",
        "shared_exchange",
        "shared_swap",
        "shared_add_float",
        "shared_add_long",
    ] {
        let patterns = if name == "shared_add" { everything.clone() } else { few() };
        for (pattern, index) in patterns {
            let launch = k(name).variant(&pattern).shared(1088 * 8).buffer(&index);
            all.push(match name {
                "shared_add_float" => launch.zeros(128, 4).scalar(1.5_f32),
                "shared_add_long" => launch.zeros(128, 8).scalar(3_u64),
                _ => launch.zeros(128, 4).scalar(3_i32),
            });
        }
    }
    all
}

fn global() -> Vec<Launch> {
    let mut all = Vec::new();
    for name in [
        "global_add",
        "global_add_returning",
        "global_max",
        "global_exchange",
        "global_swap",
        "global_add_float",
        "global_add_long",
        "global_add_double",
    ] {
        for (pattern, index) in few() {
            let launch = k(name).variant(&pattern).buffer(&index);
            all.push(match name {
                "global_add_float" => launch.zeros(1088, 4).zeros(32, 4).scalar(1.5_f32),
                "global_add_long" => launch.zeros(1088, 8).zeros(32, 8).scalar(3_u64),
                "global_add_double" => launch.zeros(1088, 8).zeros(32, 8).scalar(1.5_f64),
                _ => launch.zeros(1088, 4).zeros(32, 4).scalar(3_i32),
            });
        }
    }
    all
}

fn blocks() -> Vec<Launch> {
    let mut random = Random(5);
    let mut all = Vec::new();
    let numbers: Vec<i32> = (0..500).map(|_| random.below(8) as i32).collect();
    all.push(
        k("one_counter")
            .grid(4, 1, 1)
            .block(128, 1, 1)
            .buffer(&numbers)
            .zeros(1, 4)
            .scalar(500_i32),
    );
    let n = 4096;
    for contended in [10, 40, 90] {
        let bytes: Vec<u8> = (0..n)
            .map(|_| if random.below(100) < contended { 42 } else { random.below(256) as u8 })
            .collect();
        let simple = |name: &str, grid: u32| {
            k(name)
                .variant(contended)
                .grid(grid, 1, 1)
                .block(256, 1, 1)
                .buffer(&bytes)
                .zeros(256, 4)
                .scalar(n)
        };
        all.push(simple("histogram_global", 16));
        all.push(simple("histogram_shared", 4));
    }
    let floats = random.floats(1024, -1.0, 1.0);
    for name in ["reduce_divergent", "reduce_strided", "reduce_sequential", "reduce_shuffle"] {
        all.push(k(name).grid(4, 1, 1).block(256, 1, 1).buffer(&floats).zeros(4, 4));
    }
    for name in ["scan_naive", "scan_up_and_down"] {
        all.push(k(name).block(256, 1, 1).buffer(&floats).zeros(1024, 4));
    }
    all
}
