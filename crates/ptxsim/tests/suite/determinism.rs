//! The same launch has the same results and the same observations each time, on any number of host
//! threads.

use crate::common::{Kernel, Random, both_compilers};
use ptxsim::{Diagnose, FindingKind, Options};

/// Runs the kernel several times on 1 to 8 threads; all observations and all of memory must be the
/// same. With racing blocks, memory is only determined at the level that finds races.
fn assert_stable(kernel: &Kernel, buffer: &str) {
    let races = kernel.full().seen.findings.iter().any(|f| f.what == FindingKind::GlobalRace);
    for diagnose in [Diagnose::Bounds, Diagnose::Count, Diagnose::Full] {
        for seed in [0, 3] {
            let run = |threads| {
                let ran = kernel.run(&Options {
                    diagnose,
                    seed,
                    threads,
                    budget: 5_000_000,
                    ..Options::default()
                });
                (ran.get::<u8>(buffer), ran.seen)
            };
            let first = run(1);
            for threads in [1, 2, 4, 8, 4, 2] {
                let again = run(threads);
                assert_eq!(first.1, again.1, "{diagnose:?}, seed {seed}, {threads} threads");
                assert!(
                    first.0 == again.0 || races && diagnose != Diagnose::Full,
                    "{diagnose:?}, seed {seed}, {threads} threads: other results"
                );
            }
        }
    }
}

#[test]
fn correct_kernels_are_stable() {
    for m in both_compilers("03_matmul") {
        let x = Random(1).floats(45 * 45, -1.0, 1.0);
        for entry in ["matmul_naive", "matmul_tiled"] {
            let k = Kernel::new(&m, entry).grid(3, 3, 1).block(16, 16, 1);
            assert_stable(
                &k.buffer("A", &x)
                    .buffer("B", &x)
                    .uninitialised::<f32>("C", 45 * 45)
                    .scalar(45_i32),
                "C",
            );
        }
    }
    for m in both_compilers("04_reduce") {
        // the order of atomic floating-point additions changes the last digits
        let x = Random(2).floats(5000, -1.0, 1.0);
        let k = Kernel::new(&m, "reduce_shfl").grid(9, 1, 1).block(96, 1, 1);
        assert_stable(&k.buffer("x", &x).buffer("out", &[0.0_f32]).scalar(5000_i32), "out");
    }
    for m in both_compilers("05_atomics") {
        let k = Kernel::new(&m, "spinlock").grid(5, 1, 1).block(40, 1, 1);
        assert_stable(&k.buffer("lock", &[0_i32]).buffer("count", &[0_i32]), "count");
    }
    for m in both_compilers("23_vote") {
        let x = Random(3).ints(192, 1000);
        let k = Kernel::new(&m, "compact").grid(3, 1, 1).block(64, 1, 1);
        assert_stable(&k.buffer("x", &x).buffer("o", &[0_i32; 192]).buffer("c", &[0_i32]), "o");
    }
    for m in both_compilers("20_printf") {
        let k = Kernel::new(&m, "pf").grid(70, 1, 1).buffer("x", &[1.0_f32; 32]).scalar(32_i32);
        assert_stable(&k, "x");
    }
}

#[test]
fn findings_are_stable() {
    for m in both_compilers("planted/bounds") {
        let k = Kernel::new(&m, "read_behind").grid(8, 1, 1).block(50, 1, 1);
        assert_stable(&k.buffer("in", &[1.0_f32; 100]).buffer("out", &[0.0_f32; 400]), "out");
        let k = Kernel::new(&m, "pointer").grid(3, 1, 1).block(50, 1, 1);
        assert_stable(&k.scalar(0_u64).buffer("out", &[0_i32; 50]), "out");
        let k = Kernel::new(&m, "shared_before").grid(6, 1, 1);
        assert_stable(&k.buffer("out", &[0_i32; 32]), "out");
    }
    for m in both_compilers("planted/races") {
        for entry in ["neighbour", "second_round", "together", "between_blocks", "within_block"] {
            let k = Kernel::new(&m, entry).grid(1, 1, 1).block(64, 1, 1);
            assert_stable(&k.buffer("out", &[0_i32; 96]), "out");
        }
        let k = Kernel::new(&m, "stencil_in_place")
            .grid(5, 1, 1)
            .buffer("a", &[1.0_f32; 160])
            .scalar(160_i32);
        assert_stable(&k, "a");
    }
    for m in both_compilers("planted/sync") {
        let k = Kernel::new(&m, "early_return").grid(4, 1, 1).block(64, 1, 1);
        assert_stable(&k.buffer("out", &[0_i32; 64]).scalar(40_i32), "out");
        let k =
            Kernel::new(&m, "in_an_if").grid(4, 1, 1).block(64, 1, 1).buffer("out", &[0_i32; 64]);
        assert_stable(&k, "out");
        // these findings stop the launch while other blocks are in flight
        let k = Kernel::new(&m, "trap").grid(40, 1, 1).block(4, 1, 1);
        assert_stable(&k.buffer("in", &[0_i32, 0, 0, 7]), "in");
        let k = Kernel::new(&m, "two_barriers").grid(40, 1, 1).block(64, 1, 1);
        assert_stable(&k.buffer("out", &[0_i32; 64]), "out");
        let k = Kernel::new(&m, "endless").grid(4, 1, 1).buffer("out", &[0_i32]).scalar(2_i32);
        assert_stable(&k, "out");
    }
}

#[test]
fn seeds_change_the_order_and_not_the_result() {
    let m = &both_compilers("20_printf")[0];
    let run = |seed| {
        let k = Kernel::new(m, "pf").grid(5, 1, 1).buffer("x", &[1.0_f32; 64]).scalar(2_i32);
        k.run(&Options { seed, ..Options::default() }).seen.output
    };
    let all: Vec<String> = (0..4).map(run).collect();
    assert!(all.iter().any(|o| *o != all[0]), "some seed reorders the blocks");
    let sorted = |o: &String| {
        let mut lines: Vec<String> = o.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert!(all.iter().all(|o| sorted(o) == sorted(&all[0])));
}
