//! Whole kernels, as two compilers translate them, against plain Rust: bit for bit where IEEE 754
//! determines the result (the PTX is compiled without contraction), within a few units in the last
//! place where the kernel uses `.approx`. Correct kernels must have no finding, at any level of
//! diagnosis and in any order of blocks and warps.

use crate::common::{self, Kernel, Random, all_settings, close, module};
use ptxsim::{Diagnose, FindingKind, Options};

const COUNT: Options = Options {
    diagnose: Diagnose::Count,
    seed: 0,
    threads: 1,
    budget: 50_000_000,
    disturbance: None,
    count_waits: false,
    caches: None,
};

#[test]
fn vadd_skips_threads_beyond_the_end() {
    for m in all_settings("01_vadd") {
        for n in [1, 31, 255, 256, 257, 1000] {
            let mut r = Random(n as u64);
            let (a, b) = (r.floats(n, -9.0, 9.0), r.floats(n, -9.0, 9.0));
            let wanted: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            Kernel::new(&m, "vadd")
                .grid(n.div_ceil(128) as u32, 1, 1)
                .block(128, 1, 1)
                .buffer("a", &a)
                .buffer("b", &b)
                .uninitialised::<f32>("c", n)
                .scalar(n as i32)
                .assert_clean(|ran| m.same(&ran.get("c"), &wanted));
        }
    }
}

#[test]
fn saxpy_with_a_grid_stride_loop() {
    for m in all_settings("01_vadd") {
        let mut r = Random(2);
        let (x, y) = (r.floats(1003, -9.0, 9.0), r.floats(1003, -9.0, 9.0));
        let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 1.7 * x + y).collect();
        Kernel::new(&m, "saxpy_gridstride")
            .grid(3, 1, 1)
            .block(96, 1, 1)
            .scalar(1003_i32)
            .scalar(1.7_f32)
            .buffer("x", &x)
            .buffer("y", &y)
            .assert_clean(|ran| m.same(&ran.get("y"), &wanted));
    }
}

#[test]
fn brighten_clamps_bytes_and_keeps_row_padding() {
    for m in all_settings("02_index2d") {
        let (w, h, pitch) = (37, 21, 40);
        let image: Vec<u8> = (0..pitch * h).map(|i| (i * 7 % 256) as u8).collect();
        for delta in [100, -100] {
            let wanted: Vec<u8> =
                image
                    .iter()
                    .enumerate()
                    .map(|(i, v)| {
                        if i % pitch < w { (i32::from(*v) + delta).clamp(0, 255) as u8 } else { *v }
                    })
                    .collect();
            Kernel::new(&m, "img_brighten")
                .grid(3, 3, 1)
                .block(16, 8, 1)
                .buffer("img", &image)
                .scalar(w as i32)
                .scalar(h as i32)
                .scalar(pitch as i32)
                .scalar(delta)
                .assert_clean(|ran| assert_eq!(ran.get::<u8>("img"), wanted));
        }
    }
}

#[test]
fn gray_is_weighted_in_single_precision() {
    for m in all_settings("02_index2d") {
        let n = 301;
        let rgba: Vec<u8> = (0..4 * n).map(|i| (i * 31 % 256) as u8).collect();
        let wanted: Vec<u8> = rgba
            .chunks(4)
            .map(|p| {
                (0.299_f32 * f32::from(p[0]) + 0.587 * f32::from(p[1]) + 0.114 * f32::from(p[2]))
                    as u8
            })
            .collect();
        Kernel::new(&m, "rgb2gray")
            .grid(5, 1, 1)
            .block(64, 1, 1)
            .buffer("in", &rgba)
            .uninitialised::<u8>("out", n)
            .scalar(n as i32)
            .assert_clean(|ran| assert_eq!(ran.get::<u8>("out"), wanted));
    }
}

#[test]
fn heat_equation_in_three_dimensions() {
    for m in all_settings("02_index2d") {
        let (nx, ny, nz) = (13_usize, 7, 6);
        let a = Random(4).floats(nx * ny * nz, 0.0, 100.0);
        let mut wanted = vec![-1.0_f32; a.len()];
        for z in 1..nz - 1 {
            for y in 1..ny - 1 {
                for x in 1..nx - 1 {
                    let i = (z * ny + y) * nx + x;
                    let around = a[i - 1]
                        + a[i + 1]
                        + a[i - nx]
                        + a[i + nx]
                        + a[i - nx * ny]
                        + a[i + nx * ny]
                        - 6.0 * a[i];
                    wanted[i] = a[i] + 0.1 * around;
                }
            }
        }
        Kernel::new(&m, "heat3d")
            .grid(2, 3, 3)
            .block(8, 3, 2)
            .buffer("a", &a)
            .buffer("b", &vec![-1.0_f32; a.len()])
            .scalar(nx as i32)
            .scalar(ny as i32)
            .scalar(nz as i32)
            .assert_clean(|ran| m.same(&ran.get("b"), &wanted));
    }
}

#[test]
fn matrix_products_round_as_their_loops_do() {
    for m in all_settings("03_matmul") {
        for n in [5_usize, 33] {
            let mut r = Random(n as u64);
            let (a, b) = (r.floats(n * n, -1.0, 1.0), r.floats(n * n, -1.0, 1.0));
            let wanted: Vec<f32> = (0..n * n)
                .map(|i| (0..n).fold(0.0, |s, k| s + a[i / n * n + k] * b[k * n + i % n]))
                .collect();
            let blocks = n.div_ceil(16) as u32;
            for entry in ["matmul_naive", "matmul_tiled"] {
                Kernel::new(&m, entry)
                    .grid(blocks, blocks, 1)
                    .block(16, 16, 1)
                    .buffer("A", &a)
                    .buffer("B", &b)
                    .uninitialised::<f32>("C", n * n)
                    .scalar(n as i32)
                    .assert_clean(|ran| m.same(&ran.get("C"), &wanted));
            }
        }
    }
}

#[test]
fn reductions_by_shuffles() {
    for m in all_settings("04_reduce") {
        let n = 777;
        // small integers: every order of additions gives the same sum
        let x: Vec<f32> = (0..n).map(|i| (i % 50) as f32).collect();
        Kernel::new(&m, "reduce_shfl")
            .grid(3, 1, 1)
            .block(96, 1, 1)
            .buffer("x", &x)
            .buffer("out", &[0.0_f32])
            .scalar(n)
            .assert_clean(|ran| m.same(&ran.get("out"), &[x.iter().sum::<f32>()]));
        let x: Vec<f64> = (0..n).map(|i| f64::from(i % 50)).collect();
        Kernel::new(&m, "reduce_f64")
            .block(64, 1, 1)
            .buffer("x", &x)
            .buffer("out", &[0.0_f64])
            .scalar(n)
            .assert_clean(|ran| assert_eq!(ran.get::<f64>("out"), [x.iter().sum::<f64>()]));
    }
}

#[test]
fn reductions_in_dynamic_shared_memory() {
    for m in all_settings("04_reduce") {
        let x = Random(6).ints(1000, 1 << 30);
        let wanted: Vec<i32> =
            x.chunks(128).map(|c| c.iter().fold(0_i32, |s, v| s.wrapping_add(*v))).collect();
        Kernel::new(&m, "reduce_shared")
            .grid(8, 1, 1)
            .block(128, 1, 1)
            .shared(512)
            .buffer("x", &x)
            .uninitialised::<i32>("out", 8)
            .scalar(1000_i32)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("out"), wanted));
    }
}

#[test]
fn shuffles_of_every_mode() {
    for m in all_settings("04_reduce") {
        let x = Random(7).ints(64, 1 << 20);
        let wanted: Vec<i32> = (0..64_usize)
            .map(|t| {
                let (warp, lane) = (t / 32 * 32, t % 32);
                let up = if lane % 16 >= 1 { lane - 1 } else { lane };
                let down = if lane + (lane & 3) < 32 { lane + (lane & 3) } else { lane };
                x[warp + 3] + x[warp + up] + x[warp + (lane ^ 5)] + x[warp + down]
            })
            .collect();
        Kernel::new(&m, "shfl_all")
            .block(64, 1, 1)
            .uninitialised::<i32>("o", 64)
            .buffer("x", &x)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("o"), wanted));
    }
}

#[test]
fn every_atomic_operation_in_one_thread() {
    for m in all_settings("05_atomics") {
        Kernel::new(&m, "atomics")
            .block(1, 1, 1)
            .buffer("i", &[5_i32, 7, -3, 9, 0, 0, 0, 0, 0, 0, 0])
            .buffer("u", &[100_u32, 0, 0xff, 8, 12, 77, 0, 40, 0, 0, 0, 0])
            .buffer("f", &[0.5_f32, 1.0, 3.0, 0.0])
            .buffer("l", &[u64::MAX, 3, 0, 0])
            .buffer("d", &[0.25_f64])
            .scalar(1_i32)
            .assert_clean(|ran| {
                assert_eq!(ran.get::<i32>("i"), [6, 7, 0, 0, 0, 0, 0, 0, 0, 0, -3]);
                // `inc` at its limit wraps to 0, `dec` of 0 wraps to the limit; u[10] = 100 + 77 +
                // 40
                assert_eq!(ran.get::<u32>("u"), [0, 100, 0xff, 8, 12, 0, 0, 43, 0, 0, 217, 0]);
                assert_eq!(ran.get::<f32>("f"), [2.0, 3.0, 1.0, 4.0]);
                assert_eq!(ran.get::<u64>("l"), [0, 3, 5, 3]);
                assert_eq!(ran.get::<f64>("d"), [1.25]);
            });
        Kernel::new(&m, "atomic_scopes")
            .block(1, 1, 1)
            .buffer("i", &[0_i32, 1, 2, 3, 4])
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("i"), [1, 3, 3, 3, 2]));
    }
}

#[test]
fn atomics_of_many_threads_add_up() {
    for m in all_settings("05_atomics") {
        let kernel = Kernel::new(&m, "atomics")
            .grid(3, 1, 1)
            .block(50, 1, 1)
            .buffer("i", &[0_i32, 0, -1, 1 << 20, 0, 0, 0, 0, 0, 0, 0])
            .buffer("u", &[0_u32; 12])
            .buffer("f", &[0.0_f32; 4])
            .buffer("l", &[0_u64; 4])
            .buffer("d", &[0.0_f64])
            .scalar(131_i32);
        for seed in 0..4 {
            let ran = kernel.run(&Options { seed, ..COUNT });
            let i = ran.get::<i32>("i");
            assert_eq!(i[..4], [131, -(0..131).sum::<i32>(), 130, 0]);
            let u = ran.get::<u32>("u");
            // 131 increments that wrap after 100; `or` and `xor` of all t
            assert_eq!(
                (u[0], u[3], u[4], u[7]),
                (131 % 101, 255, (0..131).fold(0, |x, t| x ^ t), 393)
            );
            assert_eq!(ran.get::<f32>("f")[..3], [196.5, 262.0, 1.0]);
            assert_eq!(ran.get::<u64>("l")[..3], [131, 130, 5]);
            assert_eq!(ran.get::<f64>("d"), [131.0]);
        }
        // every thread writes i[10], u[10], u[11], f[3] and l[3] with plain stores, which race; the
        // atomics do not
        let full = kernel.full();
        assert!(
            full.seen
                .findings
                .iter()
                .all(|f| f.what == FindingKind::GlobalRace && f.at.source.line >= 3)
        );
        assert!(!full.seen.findings.is_empty());
    }
}

#[test]
fn maximum_by_compare_and_swap() {
    for m in all_settings("05_atomics") {
        let x = Random(8).floats(333, 0.0, 1000.0);
        let most = x.iter().fold(0.0_f32, |m, v| m.max(*v));
        let ran = Kernel::new(&m, "cas_loop")
            .grid(4, 1, 1)
            .block(96, 1, 1)
            .buffer("m", &[0.0_f32])
            .buffer("x", &x)
            .scalar(333_i32)
            .run(&COUNT);
        assert!(ran.seen.completed);
        m.same(&ran.get("m"), &[most]);
    }
}

#[test]
fn spin_locks_admit_every_thread() {
    for m in all_settings("05_atomics") {
        Kernel::new(&m, "spinlock")
            .grid(5, 1, 1)
            .block(70, 1, 1)
            .buffer("lock", &[0_i32])
            .buffer("count", &[0_i32])
            .assert_clean(|ran| {
                assert_eq!((ran.get::<i32>("count"), ran.get::<i32>("lock")), (vec![350], vec![0]))
            });
    }
    for m in all_settings("37_naive_spin") {
        Kernel::new(&m, "naive_spin")
            .grid(2, 1, 1)
            .block(40, 1, 1)
            .buffer("lock", &[0_i32])
            .buffer("count", &[0_i32])
            // the lock is taken without a fence
            .assert_races(|ran| {
                assert_eq!((ran.get::<i32>("count"), ran.get::<i32>("lock")), (vec![80], vec![0]))
            });
        Kernel::new(&m, "intra_warp_wait")
            .buffer("flag", &[0_i32])
            .buffer("out", &[0_i32])
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("out"), [1]));
    }
}

#[test]
fn blocks_may_wait_for_each_other_in_any_order() {
    for m in all_settings("07_scan") {
        let n = 300;
        let d: Vec<i32> = (0..n).map(|i| i * 3 % 17).collect();
        let mut sum = 0;
        let wanted: Vec<i32> = d
            .iter()
            .map(|v| {
                sum += v;
                sum
            })
            .collect();
        Kernel::new(&m, "decoupled")
            .grid(n as u32, 1, 1)
            .block(33, 1, 1)
            .buffer("flag", &vec![0_i32; n as usize])
            .uninitialised::<i32>("val", n as usize)
            .buffer("d", &d)
            // the waiting block has no fence between the flag and the value
            .assert_races(|ran| assert_eq!(ran.get::<i32>("val"), wanted));
    }
}

#[test]
fn divergent_barriers() {
    for m in all_settings("37_naive_spin") {
        let ran = Kernel::new(&m, "bar_divergent")
            .block(64, 1, 1)
            .buffer("a", &vec![0_i32; 128])
            .scalar(40_i32)
            .full();
        let finding = ran.seen.findings.first().expect("a finding");
        assert!(matches!(finding.what, FindingKind::BarrierNotReached { .. }), "{finding:?}");
        assert_eq!(finding.at.source.line, 11);
        // two `__syncthreads()` in the source are the same barrier to the hardware
        let wanted: Vec<i32> = (0..64).map(|t| if t < 32 { -(t + 32) } else { t - 32 }).collect();
        let ran =
            Kernel::new(&m, "bar_two_sites").block(64, 1, 1).uninitialised::<i32>("a", 64).full();
        assert!(ran.seen.completed);
        assert_eq!(ran.get::<i32>("a"), wanted);
    }
}

#[test]
fn histograms_in_shared_memory() {
    for m in all_settings("06_histogram") {
        let d: Vec<u8> =
            (0..5001_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 27) as u8).collect();
        let mut wanted = vec![0_u32; 256];
        d.iter().for_each(|v| wanted[usize::from(*v)] += 1);
        Kernel::new(&m, "hist")
            .grid(3, 1, 1)
            .block(100, 1, 1)
            .buffer("d", &d)
            .buffer("bins", &[0_u32; 256])
            .scalar(5001_i32)
            .assert_clean(|ran| assert_eq!(ran.get::<u32>("bins"), wanted));
    }
}

#[test]
fn prefix_sums() {
    for m in all_settings("07_scan") {
        let d = Random(10).ints(128, 1000);
        let mut sum = 0;
        let exclusive: Vec<i32> = d
            .iter()
            .map(|v| {
                sum += v;
                sum - v
            })
            .collect();
        Kernel::new(&m, "scan_blelloch")
            .block(64, 1, 1)
            .shared(512)
            .buffer("d", &d)
            .scalar(128_i32)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("d"), exclusive));
        let inclusive: Vec<i32> = (0..128).map(|i| d[i / 32 * 32..=i].iter().sum()).collect();
        Kernel::new(&m, "scan_warp")
            .block(128, 1, 1)
            .buffer("d", &d)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("d"), inclusive));
    }
}

#[test]
fn transposes_of_matrices_with_partial_tiles() {
    for m in all_settings("08_transpose") {
        let (w, h) = (45_usize, 70);
        let x = Random(11).floats(w * h, 0.0, 1.0);
        let wanted: Vec<f32> = (0..w * h).map(|i| x[i % h * w + i / h]).collect();
        Kernel::new(&m, "transpose")
            .grid(2, 3, 1)
            .block(32, 8, 1)
            .buffer("in", &x)
            .uninitialised::<f32>("out", w * h)
            .scalar(w as i32)
            .scalar(h as i32)
            .assert_clean(|ran| m.same(&ran.get("out"), &wanted));
    }
}

#[test]
fn constant_memory_has_its_initial_values() {
    for m in all_settings("10_constant") {
        // in a program the host copies the filter; here it is an initial value, 1.0 to 9.0
        let filter: Vec<String> =
            (1..10).flat_map(|i| (i as f32).to_le_bytes()).map(|b| b.to_string()).collect();
        let with = m.text.replace("filt[36];", &format!("filt[36] = {{{}}};", filter.join(", ")));
        assert_ne!(with, m.text);
        let with = module(&with);
        let (w, h) = (35_usize, 19);
        let x = Random(12).floats(w * h, -1.0, 1.0);
        let mut wanted = vec![7.0_f32; w * h];
        for y in 1..h - 1 {
            for c in 1..w - 1 {
                let mut s = 0.0;
                for j in 0..3 {
                    for i in 0..3 {
                        s += (j * 3 + i + 1) as f32 * x[(y + j - 1) * w + c + i - 1];
                    }
                }
                wanted[y * w + c] = s;
            }
        }
        Kernel::new(&with, "conv3x3")
            .grid(3, 3, 1)
            .block(16, 8, 1)
            .buffer("in", &x)
            .buffer("out", &vec![7.0_f32; w * h])
            .scalar(w as i32)
            .scalar(h as i32)
            .assert_clean(|ran| m.same(&ran.get("out"), &wanted));
        let index: Vec<u8> = (0..40).map(|i| i % 5).collect();
        let wanted: Vec<i32> = (0..40).map(|i| [1, 2, 3, 0, 0][i % 5]).collect();
        Kernel::new(&with, "lutk")
            .block(40, 1, 1)
            .buffer("in", &index)
            .uninitialised::<i32>("out", 40)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("out"), wanted));
    }
}

#[test]
fn dynamic_shared_memory_of_mixed_types() {
    for m in all_settings("11_dynshared") {
        let d: Vec<i32> = (0..50).collect();
        Kernel::new(&m, "rev")
            .block(50, 1, 1)
            .shared(200)
            .buffer("d", &d)
            .scalar(50_i32)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("d"), (0..50).rev().collect::<Vec<_>>()));
        let f: Vec<f32> = (0..64).map(|i| i as f32 * 0.5).collect();
        let d: Vec<f64> = (0..64).map(|i| f64::from(i) * 0.25).collect();
        Kernel::new(&m, "mixed")
            .block(64, 1, 1)
            .shared(64 * 12)
            .buffer("f", &f)
            .buffer("d", &d)
            .assert_clean(|ran| {
                let wanted: Vec<f64> = (0..64).map(|t| d[t ^ 1] + (63 - t) as f64).collect();
                assert_eq!(ran.get::<f64>("d"), wanted);
                m.same(&ran.get("f"), &(0..64).map(|t| f[t ^ 1]).collect::<Vec<_>>());
            });
    }
}

/// The error function by its power series, good to 1e-12 for the arguments used here.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

#[test]
fn mathematical_functions() {
    for m in all_settings("15_fmath") {
        let n = 100;
        let mut r = Random(15);
        let x = [r.floats(n, 0.05, 4.0), r.floats(n, 0.4, 3.0)].concat();
        Kernel::new(&m, "fm")
            .grid(2, 1, 1)
            .block(64, 1, 1)
            .buffer("x", &x)
            .uninitialised::<f32>("y", 18 * n)
            .scalar(n as i32)
            .assert_clean(|ran| {
                let y: Vec<f32> = ran.get("y");
                let row = |k: usize| &y[k * n..(k + 1) * n];
                let f = |g: fn(f64, f64) -> f64| -> Vec<f64> {
                    (0..n).map(|i| g(f64::from(x[i]), f64::from(x[i + n]))).collect()
                };
                let e = |g: fn(f32, f32) -> f32| -> Vec<f32> {
                    (0..n).map(|i| g(x[i], x[i + n])).collect()
                };
                // IEEE operations
                m.same(row(4), &e(|a, _| a.sqrt()));
                m.same(row(6), &e(|a, b| a / b));
                m.same(row(7), &e(|a, _| 1.0 / a));
                m.same(row(10), &e(|a, b| a % b));
                m.same(
                    row(11),
                    &e(|a, b| a.floor() + b.ceil() + a.round() + b.trunc() + a.round_ties_even()),
                );
                m.same(row(12), &e(|a, b| a.min(b) + a.max(b) + a.abs() + a.copysign(b)));
                // the CUDA C++ Programming Guide, "Mathematical Functions", gives 1 to 4 ulp for
                // these
                close(row(0), &f(|a, _| a.sin()), 4.0, 1e-7);
                close(row(1), &f(|a, _| a.cos()), 4.0, 1e-7);
                close(row(2), &f(|a, _| a.exp()), 4.0, 0.0);
                close(row(3), &f(|a, _| a.ln()), 4.0, 1e-7);
                close(row(5), &f(f64::powf), 8.0, 0.0);
                close(row(8), &f(|a, _| 1.0 / a.sqrt()), 4.0, 0.0);
                close(row(9), &f(|a, _| a.tanh()), 4.0, 0.0);
                close(row(13), &f(|a, b| a.log2() + b.exp2() + a.log10()), 6.0, 2e-6);
                close(row(14), &f(|a, _| a.tan()), 6.0, 1e-6);
                close(row(15), &f(f64::atan2), 4.0, 0.0);
                close(row(16), &f(|a, _| erf(a)), 4.0, 0.0);
                close(row(17), &f(|a, b| a.hypot(b) + a.cbrt()), 4.0, 0.0);
            });
    }
}

#[test]
fn intrinsics() {
    for m in all_settings("15_fmath") {
        for a in Random(16).floats(20, 0.1, 6.0) {
            // one thread, because y[i + 1] of one thread is y[i] of the next
            let ran = Kernel::new(&m, "intrin")
                .block(1, 1, 1)
                .buffer("x", &[a])
                .uninitialised::<f32>("y", 2)
                .uninitialised::<i32>("k", 1)
                .full();
            assert_eq!(ran.seen.findings, []);
            let k = (a.round_ties_even() as i32 + a as i32 + a.floor() as i32)
                .wrapping_add(a.to_bits() as i32);
            assert_eq!(ran.get::<i32>("k"), [k]);
            let y: Vec<f32> = ran.get("y");
            m.same(&y[1..], &[k as f32 + 0.0 + f32::from_bits(k as u32)]);
            let a = f64::from(a);
            let sum = a.sin()
                + a.exp()
                + a.ln()
                + a / 3.0
                + 1.0 / a
                + a.sqrt()
                + a
                + 1.0
                + a * a
                + a.powf(2.5)
                + a.clamp(0.0, 1.0);
            close(&y[..1], &[sum], 40.0, 1e-4);
        }
    }
}

#[test]
fn mandelbrot_counts_exactly() {
    for m in all_settings("15_fmath") {
        let (w, h, limit) = (50_i32, 30_i32, 60);
        let mut wanted = vec![];
        for y in 0..h {
            for x in 0..w {
                let (cr, ci) = (x as f32 * 3.0 / w as f32 - 2.0, y as f32 * 2.0 / h as f32 - 1.0);
                let (mut zr, mut zi, mut k) = (0.0_f32, 0.0_f32, 0);
                while k < limit && zr * zr + zi * zi < 4.0 {
                    let t = zr * zr - zi * zi + cr;
                    zi = 2.0 * zr * zi + ci;
                    zr = t;
                    k += 1;
                }
                wanted.push(k);
            }
        }
        Kernel::new(&m, "mandel")
            .grid(4, 4, 1)
            .block(16, 8, 1)
            .uninitialised::<i32>("o", 1500)
            .scalar(w)
            .scalar(h)
            .scalar(limit)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("o"), wanted));
    }
}

#[test]
fn integer_divisions() {
    for m in all_settings("16_intdiv") {
        let mut r = Random(17);
        for _ in 0..30 {
            let shift = r.below(40);
            let (a, b) = (r.next() as i32, ((r.next() as i32) >> (shift % 31)) | 1);
            let u: Vec<u32> = (0..5).map(|_| (r.next() as u32 >> r.below(31)) | 1).collect();
            let l: Vec<i64> = (0..5).map(|_| (r.next() as i64 >> r.below(62)) | 1).collect();
            let ul: Vec<u64> = (0..6).map(|_| (r.next() >> r.below(62)) | 1).collect();
            // one thread, because each thread would read what the one before writes
            let ran = Kernel::new(&m, "idiv")
                .block(1, 1, 1)
                .buffer("a", &[a])
                .buffer("b", &[b])
                .uninitialised::<i32>("q", 96)
                .buffer("u", &u)
                .buffer("l", &l)
                .buffer("ul", &ul)
                .full();
            assert_eq!(ran.seen.findings, []);
            let q: Vec<i32> = ran.get("q");
            assert_eq!(
                (q[0], q[32], q[64]),
                (a.wrapping_div(b), a.wrapping_rem(b), a / 3 + a % 8),
                "{a} {b}"
            );
            assert_eq!(
                ran.get::<u32>("u")[0],
                (u[1] / u[2]).wrapping_add(u[3] % 7).wrapping_add(u[4] / 10)
            );
            assert_eq!(
                ran.get::<i64>("l")[0],
                l[1].wrapping_div(l[2]).wrapping_add(l[3].wrapping_rem(l[4]))
            );
            assert_eq!(ran.get::<u64>("ul")[0], (ul[1] / ul[2]).wrapping_add(ul[3] % ul[5]));
        }
    }
}

/// `__byte_perm`: byte `n` of the result is byte `selector nibble n` of `y:x`.
fn byte_perm(x: u32, y: u32, selector: u32) -> u32 {
    let all = u64::from(y) << 32 | u64::from(x);
    (0..4).fold(0, |d, n| d | ((all >> ((selector >> (4 * n) & 7) * 8)) as u32 & 0xff) << (8 * n))
}

#[test]
fn bit_manipulation() {
    for m in all_settings("16_intdiv") {
        let mut r = Random(18);
        let a: Vec<u32> = (0..34).map(|i| r.next() as u32 >> (i % 20)).collect();
        let l: Vec<u64> = (0..34).map(|i| r.next() >> (i * 2 % 60)).collect();
        let wanted: Vec<u32> = (0..33)
            .map(|i| {
                let (x, y) = (a[i], a[i + 1]);
                let low24 = |v: u32| i64::from((v << 8) as i32 >> 8);
                let mut s = x.count_ones();
                let mut add = |v: u32| s = s.wrapping_add(v);
                add(x.leading_zeros());
                add(x.reverse_bits());
                add(if y == 0 { 0 } else { y.trailing_zeros() + 1 });
                add(byte_perm(x, y, 0x5140));
                add(((u64::from(y) << 32 | u64::from(x)) << 7 >> 32) as u32);
                add(((u64::from(x) * u64::from(y)) >> 32) as u32);
                add(x << (y & 31));
                add(x >> 3);
                add(x >> 5 & 0xff);
                add(l[i].count_ones());
                add(l[i].leading_zeros());
                add((low24(x) * low24(y)) as u32);
                add(x.abs_diff(y).wrapping_add(3));
                let bytes = x.to_le_bytes().into_iter().zip(y.to_le_bytes());
                add(bytes.clone().fold(3, |s, (x, y)| s + i32::from(x as i8) * i32::from(y as i8))
                    as u32);
                add(x.min(y));
                add(x.max(y));
                add((x as i32).wrapping_abs() as u32);
                add(!x ^ y);
                add(u32::from_le_bytes(
                    bytes
                        .map(|(x, y)| x.wrapping_add(y))
                        .collect::<Vec<_>>()
                        .try_into()
                        .expect("4"),
                ));
                add(u64::from(x & 0xff_ffff).wrapping_mul(u64::from(y & 0xff_ffff)) as u32);
                add(((i128::from(l[i] as i64) * i128::from(l[i + 1] as i64)) >> 64) as u32);
                s
            })
            .collect();
        Kernel::new(&m, "bits")
            .block(33, 1, 1)
            .buffer("a", &a)
            .uninitialised::<u32>("o", 33)
            .buffer("l", &l)
            .assert_clean(|ran| assert_eq!(ran.get::<u32>("o"), wanted));
    }
}

#[test]
fn collatz_and_short_integers() {
    for m in all_settings("16_intdiv") {
        let n: Vec<u64> = (1..200).chain([0xffff_ffff, 1 << 40]).collect();
        let wanted: Vec<i32> = n
            .iter()
            .map(|n| {
                let (mut v, mut s) = (*n, 0);
                while v != 1 {
                    v = if v % 2 == 1 { 3 * v + 1 } else { v / 2 };
                    s += 1;
                }
                s
            })
            .collect();
        Kernel::new(&m, "collatz")
            .grid(4, 1, 1)
            .block(64, 1, 1)
            .buffer("n", &n)
            .uninitialised::<i32>("steps", n.len())
            .scalar(n.len() as i32)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("steps"), wanted));
        for seed in Random(19).ints(10, 1 << 30) {
            let ran = Kernel::new(&m, "lcg")
                .block(1, 1, 1)
                .buffer("s", &[seed as u32])
                .buffer("h", &[0_u16, 60_000])
                .buffer("c", &[0_i8, -100])
                .full();
            let mut x = seed as u32;
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            assert_eq!(ran.seen.findings, []);
            assert_eq!(ran.get::<u32>("s"), [x]);
            assert_eq!(ran.get::<u16>("h")[0], 60_000_u16.wrapping_mul(3).wrapping_add(x as u16));
            assert_eq!(ran.get::<i8>("c")[0], (-100_i8).wrapping_sub(x as i8));
        }
    }
}

#[test]
fn calls_direct_indirect_and_virtual() {
    for m in all_settings("18_devicecalls") {
        let mut r = Random(20);
        let (x, v) = (r.floats(32, -2.0, 2.0), r.floats(33 * 3, -2.0, 2.0));
        let k: Vec<i32> = (0..64).map(|i| i * 5 - 30).collect();
        Kernel::new(&m, "calls")
            .buffer("x", &x)
            .uninitialised::<f32>("y", 32)
            .buffer("v", &v)
            .uninitialised::<f32>("w", 96)
            .buffer("k", &k)
            .assert_clean(|ran| {
                let wanted: Vec<f32> =
                    (0..32).map(|i| (0..i).fold(0.0, |s, n| s + x[i] * n as f32)).collect();
                m.same(&ran.get("y"), &wanted);
                let mut w = vec![];
                for i in 0..32 {
                    let (a, b) = (&v[3 * i..3 * i + 3], &v[3 * i + 3..3 * i + 6]);
                    w.extend([
                        a[1] * b[2] - a[2] * b[1],
                        a[2] * b[0] - a[0] * b[2],
                        a[0] * b[1] - a[1] * b[0],
                    ]);
                }
                m.same(&ran.get("w"), &w);
                let sum: Vec<i32> = (0..32).map(|i| i + k[i as usize]).collect();
                let doubled: Vec<i32> = sum.iter().map(|s| s * 2).collect();
                assert_eq!(ran.get::<i32>("k"), [doubled, sum].concat());
            });
        let a = Random(21).ints(40, 100);
        let wanted: Vec<i32> =
            (0..40).map(|t| if a[t as usize] & 1 == 0 { t + 1 } else { t * 2 }).collect();
        Kernel::new(&m, "indirect")
            .block(40, 1, 1)
            .buffer("a", &a)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("a"), wanted));
        let wanted: Vec<f32> =
            (0..40).map(|t| if t & 1 == 1 { 25.0 } else { 314.0 / 100.0 * 3.0 * 3.0 }).collect();
        Kernel::new(&m, "virt")
            .block(40, 1, 1)
            .uninitialised::<f32>("o", 40)
            .scalar(3_i32)
            .assert_clean(|ran| m.same(&ran.get("o"), &wanted));
    }
}

#[test]
fn arrays_in_local_memory() {
    for m in all_settings("19_localarray") {
        let n = 40_usize;
        let index = Random(22).ints(n, 1000);
        let o = Random(23).floats(32 * n, 0.0, 9.0);
        let mut wanted = o.clone();
        for t in 0..n {
            let mut a: Vec<f32> = (0..32).map(|i| o[i * n + t]).collect();
            let k = (index[t] & 31) as usize;
            a[k] += 1.0;
            wanted[t] = a[(k * 7) & 31];
        }
        Kernel::new(&m, "larr")
            .block(n as u32, 1, 1)
            .buffer("idx", &index)
            .buffer("o", &o)
            .scalar(n as i32)
            .assert_clean(|ran| m.same(&ran.get("o"), &wanted));
        let d = Random(24).ints(16 * 70, 1000);
        let wanted: Vec<i32> = d
            .chunks(16)
            .flat_map(|c| {
                let mut c = c.to_vec();
                c.sort_unstable();
                c
            })
            .collect();
        Kernel::new(&m, "insertion")
            .grid(3, 1, 1)
            .block(32, 1, 1)
            .buffer("d", &d)
            .scalar(d.len() as i32)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("d"), wanted));
    }
}

/// CUDA C++ Programming Guide, "Formatted Output": the number of arguments, or -1 without a format.
#[test]
fn printf_returns_the_number_of_arguments() {
    let call = "{\n.param .b64 f;\n.param .b64 v;\n.param .b32 d;\nst.param.b64 [f], %x2;\n\
                st.param.b64 [v], 0;\ncall.uni (d), vprintf, (f, v);\nld.param.b32 %r1, [d];\n}\n";
    let m = module(&format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.global .align 1 .b8 text[8] = {{37, 100, 44, 37, 105}};\n\
         .extern .func (.param .b32 d) vprintf (.param .b64 f, .param .b64 v);\n\
         .visible .entry k(.param .u64 a)\n{{\n.reg .b32 %r<5>;\n.reg .b64 %x<5>;\nld.param.u64 %x0, [a];\n\
         mov.u64 %x2, text;\n{call}st.global.u32 [%x0], %r1;\nmov.u64 %x2, 0;\n{call}\
         st.global.u32 [%x0+4], %r1;\nret;\n}}\n"
    ));
    Kernel::new(&m, "k")
        .uninitialised::<i32>("a", 2)
        .assert_clean(|ran| assert_eq!(ran.get::<i32>("a"), [2, -1]));
}

#[test]
fn printing_asserting_and_allocating() {
    for m in all_settings("20_printf") {
        let kernel =
            Kernel::new(&m, "pf").grid(2, 1, 1).buffer("x", &[0.5_f32, -1.25, 3.0]).scalar(2_i32);
        let ran = kernel.full();
        assert_eq!(
            ran.seen.output,
            "thread 0 block 0: 0.500000 ok\nthread 1 block 0: -1.250000 ok\nthread 0 block 1: 0.500000 ok\n\
             thread 1 block 1: -1.250000 ok\n"
        );
        kernel.assert_clean(|ran| assert_eq!(ran.seen.output.lines().count(), 4));
        let launch = |x: &[i32]| Kernel::new(&m, "as").block(x.len() as u32, 1, 1).buffer("x", x);
        launch(&[1; 40]).assert_clean(|_| {});
        let ran = launch(&[1, 2, -3]).full();
        assert_eq!(
            ran.only_finding().what,
            FindingKind::Assert { expression: "x[threadIdx.x] >= 0".to_owned() }
        );
        assert_eq!((ran.only_finding().at.thread, ran.seen.completed), ([2, 0, 0], false));
        let ran = launch(&[1, 77]).full();
        assert_eq!(
            (&ran.only_finding().what, ran.only_finding().at.thread),
            (&FindingKind::Trap, [1, 0, 0])
        );
        Kernel::new(&m, "dynmem").block(40, 1, 1).uninitialised::<u64>("o", 40).assert_clean(
            |ran| {
                let mut all: Vec<u64> = ran.get("o");
                all.sort_unstable();
                all.dedup();
                assert!(all.len() == 40 && all[0] != 0 && all.iter().all(|p| p % 16 == 0));
            },
        );
    }
}

#[test]
fn vectors_and_cache_hints() {
    for m in all_settings("21_vector") {
        let n = 77_usize;
        let a = Random(25).floats(4 * n, -1.0, 1.0);
        let wanted: Vec<f32> =
            a.chunks(4).flat_map(|v| [v[0] * 2.0, v[1], v[2], v[3] + v[1]]).collect();
        Kernel::new(&m, "f4copy")
            .grid(3, 1, 1)
            .buffer("a", &a)
            .uninitialised::<f32>("b", 4 * n)
            .scalar(n as i32)
            .assert_clean(|ran| m.same(&ran.get("b"), &wanted));
        let a = Random(26).ints(80, 1 << 31);
        let s: Vec<i16> = (0..160).map(|i| (i * 411 - 30_000) as i16).collect();
        let u: Vec<u8> = (0..160).map(|i| (i * 3) as u8).collect();
        Kernel::new(&m, "i2")
            .block(40, 1, 1)
            .buffer("a", &a)
            .uninitialised::<i64>("b", 80)
            .buffer("s", &s)
            .uninitialised::<f64>("d", 80)
            .buffer("u", &u)
            .assert_clean(|ran| {
                assert_eq!(
                    ran.get::<i64>("b"),
                    a.iter().map(|v| i64::from(*v)).collect::<Vec<_>>()
                );
                let wanted: Vec<f64> = (0..40)
                    .flat_map(|i| {
                        [
                            f64::from(i32::from(s[4 * i]) + i32::from(u[4 * i + 1])),
                            f64::from(s[4 * i + 3]),
                        ]
                    })
                    .collect();
                assert_eq!(ran.get::<f64>("d"), wanted);
            });
        let g = Random(27).floats(256, -1.0, 1.0);
        let wanted: Vec<f32> = g.chunks(4).rev().flatten().copied().collect();
        Kernel::new(&m, "sh4")
            .block(64, 1, 1)
            .buffer("g", &g)
            .assert_clean(|ran| m.same(&ran.get("g"), &wanted));
        let a = Random(28).floats(35, -1.0, 1.0);
        let sums = (0..32).map(|i| a[i] + a[i + 1] + a[i + 2] + a[i + 3]);
        let wanted: Vec<f32> = sums.chain([1.0; 32]).chain([2.0; 32]).collect();
        Kernel::new(&m, "hints")
            .buffer("a", &a)
            .uninitialised::<f32>("b", 96)
            .assert_clean(|ran| m.same(&ran.get("b"), &wanted));
    }
}

#[test]
fn votes_matches_and_counting_barriers() {
    for m in all_settings("23_vote") {
        for shift in [1, -20, 20] {
            let x: Vec<i32> = (0..32).map(|i| i * 7 % 5 - 2 + shift).collect();
            let ballot = (0..32).fold(0_u32, |b, i| b | u32::from(x[i] > 0) << i);
            let mut wanted = vec![9_u32; 128];
            for i in 0..32 {
                let below = (1_u32 << i) - 1;
                wanted[i] = ballot
                    .wrapping_add((ballot & below).count_ones())
                    .wrapping_add(u32::from(ballot != 0) + u32::from(ballot == u32::MAX))
                    .wrapping_add(u32::MAX);
                if x[i] > 0 {
                    wanted[i + 32] = (0..32).filter(|j| x[*j] == x[i]).fold(0, |m, j| m | 1 << j);
                }
                // all equal gives 0xffffffff + 1; not all equal gives 0 + 0
                wanted[i + 64] = 0;
                wanted[i + 96] = below;
            }
            Kernel::new(&m, "votes")
                .buffer("x", &x)
                .buffer("o", &[9_u32; 128])
                .assert_clean(|ran| assert_eq!(ran.get::<u32>("o"), wanted));
        }
        let x = Random(29).ints(50, 9);
        let count = x.iter().filter(|v| **v > 0).count() as i32;
        let (and, or) = (x.iter().all(|v| *v != 0), x.iter().any(|v| *v != 0));
        Kernel::new(&m, "syncs")
            .block(50, 1, 1)
            .buffer("x", &x)
            .uninitialised::<i32>("o", 50)
            .assert_clean(|ran| {
                assert_eq!(ran.get::<i32>("o"), [count + i32::from(and) + i32::from(or); 50])
            });
        let x = Random(30).ints(192, 1000);
        let mut odd: Vec<i32> = x.iter().copied().filter(|v| v & 1 == 1).collect();
        odd.sort_unstable();
        Kernel::new(&m, "compact")
            .grid(3, 1, 1)
            .block(64, 1, 1)
            .buffer("x", &x)
            .uninitialised::<i32>("o", 192)
            .buffer("c", &[0_i32])
            .assert_clean(|ran| {
                assert_eq!(ran.get::<i32>("c"), [odd.len() as i32]);
                let mut got = ran.get::<i32>("o")[..odd.len()].to_vec();
                got.sort_unstable();
                assert_eq!(got, odd);
            });
    }
}

#[test]
fn templates() {
    for m in all_settings("28_templates") {
        let x = Random(31).ints(768, 1 << 20);
        let wanted: Vec<i32> = x.chunks(256).map(|c| c.iter().sum()).collect();
        Kernel::new(&m, "_Z4tredIiLi256EEvPKT_PS0_")
            .grid(3, 1, 1)
            .block(256, 1, 1)
            .buffer("x", &x)
            .uninitialised::<i32>("o", 3)
            // the last warp has volatile accesses and no barriers
            .assert_races(|ran| assert_eq!(ran.get::<i32>("o"), wanted));
        let d: Vec<f64> = (0..1024).map(|i| f64::from(i % 99)).collect();
        Kernel::new(&m, "_Z4tredIdLi512EEvPKT_PS0_")
            .grid(2, 1, 1)
            .block(512, 1, 1)
            .buffer("x", &d)
            .uninitialised::<f64>("o", 2)
            // the last warp has volatile accesses and no barriers
            .assert_races(|ran| {
                assert_eq!(
                    ran.get::<f64>("o"),
                    [d[..512].iter().sum(), d[512..].iter().sum::<f64>()]
                )
            });
        let h: Vec<u16> = (0..256_u16).map(|i| i.wrapping_mul(301)).collect();
        let sum = |h: &[u16]| h.iter().fold(0_u16, |s, v| s.wrapping_add(*v));
        Kernel::new(&m, "_Z4tredItLi128EEvPKT_PS0_")
            .grid(2, 1, 1)
            .block(128, 1, 1)
            .buffer("x", &h)
            .uninitialised::<u16>("o", 2)
            // the last warp has volatile accesses and no barriers
            .assert_races(|ran| assert_eq!(ran.get::<u16>("o"), [sum(&h[..128]), sum(&h[128..])]));
        let (a, c) = (Random(32).floats(100, -2.0, 2.0), [0.5_f32, -1.5, 2.25, 0.125]);
        let wanted: Vec<f32> =
            a.iter().map(|x| ((c[3] * x + c[2]) * x + c[1]) * x + c[0]).collect();
        Kernel::new(&m, "_Z3mapI4PolyEvPKfPfiT_")
            .grid(2, 1, 1)
            .block(64, 1, 1)
            .buffer("a", &a)
            .uninitialised::<f32>("b", 100)
            .scalar(100_i32)
            .bytes(common::bytes_of(&c))
            .assert_clean(|ran| m.same(&ran.get("b"), &wanted));
    }
}

#[test]
fn recursion() {
    for m in all_settings("29_recursion") {
        let (threads, n) = (40_usize, 33);
        let d = Random(33).ints(threads * n, 100);
        let mut fib = vec![0, 1];
        (2..16).for_each(|i| fib.push(fib[i - 1] + fib[i - 2]));
        let wanted: Vec<i32> = d
            .chunks(n)
            .flat_map(|c| {
                let mut c = c.to_vec();
                c.sort_unstable();
                c
            })
            .collect();
        Kernel::new(&m, "rec")
            .block(threads as u32, 1, 1)
            .uninitialised::<i32>("o", threads)
            .buffer("d", &d)
            .scalar(n as i32)
            .assert_clean(|ran| {
                assert_eq!(
                    ran.get::<i32>("o"),
                    (0..threads).map(|t| fib[t & 15]).collect::<Vec<_>>()
                );
                assert_eq!(ran.get::<i32>("d"), wanted);
            });
    }
}

#[test]
fn bitonic_sorts() {
    for m in all_settings("30_bitonic") {
        let d = Random(34).ints(1024, 5000);
        let mut wanted = d.clone();
        wanted.sort_unstable();
        Kernel::new(&m, "bitonic_sh")
            .block(1024, 1, 1)
            .buffer("d", &d)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("d"), wanted));
        let mut d = d[..256].to_vec();
        let mut wanted = d.clone();
        wanted.sort_unstable();
        for k in (1..=8).map(|e| 1 << e) {
            for j in (0..).map(|e| k >> (e + 1)).take_while(|j| *j > 0) {
                let ran = Kernel::new(&m, "bitonic")
                    .grid(4, 1, 1)
                    .block(64, 1, 1)
                    .buffer("d", &d)
                    .scalar(j)
                    .scalar(k)
                    .full();
                assert_eq!(ran.seen.findings, []);
                d = ran.get("d");
            }
        }
        assert_eq!(d, wanted);
    }
}

#[test]
fn n_body_forces() {
    for m in all_settings("31_nbody") {
        let n = 256_usize;
        let p = Random(35).floats(4 * n, 0.1, 1.0);
        let mut wanted = vec![];
        for i in 0..n {
            let me: Vec<f64> = p[4 * i..4 * i + 4].iter().map(|v| f64::from(*v)).collect();
            let mut a = [0.0; 3];
            for t in p.chunks(4) {
                let d: Vec<f64> = (0..3).map(|k| f64::from(t[k]) - me[k]).collect();
                let inv = 1.0 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-9).sqrt();
                let s = f64::from(t[3]) * inv * inv * inv;
                (0..3).for_each(|k| a[k] += d[k] * s);
            }
            wanted.extend([a[0], a[1], a[2], 0.0]);
        }
        Kernel::new(&m, "nbody")
            .grid(2, 1, 1)
            .block(128, 1, 1)
            .buffer("p", &p)
            .uninitialised::<f32>("a", 4 * n)
            .scalar(n as i32)
            .assert_clean(|ran| close(&ran.get("a"), &wanted, 200.0, 0.05));
    }
}

#[test]
fn graphs_and_sparse_matrices() {
    for m in all_settings("32_bfs_spmv") {
        // each vertex has edges to three others
        let n = 200_usize;
        let row: Vec<i32> = (0..=n as i32).map(|v| 3 * v).collect();
        let col: Vec<i32> = (0..n)
            .flat_map(|v| [(v * 2) % n, (v * 3 + 1) % n, (v + 7) % n])
            .map(|v| v as i32)
            .collect();
        let mut wanted = vec![-1_i32; n];
        wanted[0] = 0;
        let mut edge = vec![0];
        while let Some(v) = edge.pop() {
            for u in &col[3 * v..3 * v + 3] {
                let (u, next) = (*u as usize, wanted[v] + 1);
                if wanted[u] < 0 || wanted[u] > next {
                    wanted[u] = next;
                    edge.push(u);
                }
            }
        }
        let mut dist = vec![-1_i32; n];
        dist[0] = 0;
        for level in 0.. {
            let ran = Kernel::new(&m, "bfs")
                .grid(3, 1, 1)
                .block(96, 1, 1)
                .buffer("row", &row)
                .buffer("col", &col)
                .buffer("dist", &dist)
                .buffer("changed", &[0_i32])
                .scalar(n as i32)
                .scalar(level)
                .run(&Options { seed: level as u64, ..COUNT });
            assert!(ran.seen.completed);
            dist = ran.get("dist");
            if ran.get::<i32>("changed") == [0] {
                break;
            }
        }
        assert_eq!(dist, wanted);
        let value: Vec<f64> = (0..3 * n).map(|i| (i as f64).sin()).collect();
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let wanted: Vec<f64> = (0..n)
            .map(|r| (3 * r..3 * r + 3).fold(0.0, |s, e| s + value[e] * x[col[e] as usize]))
            .collect();
        Kernel::new(&m, "spmv")
            .grid(3, 1, 1)
            .block(96, 1, 1)
            .buffer("row", &row)
            .buffer("col", &col)
            .buffer("val", &value)
            .buffer("x", &x)
            .uninitialised::<f64>("y", n)
            .scalar(n as i32)
            .assert_clean(|ran| m.same64(&ran.get("y"), &wanted));
    }
}

#[test]
fn softmax_sums_to_one() {
    for m in all_settings("33_softmax") {
        let (rows, n) = (3_usize, 301_usize);
        let x = Random(36).floats(rows * n, -5.0, 5.0);
        let wanted: Vec<f64> = x
            .chunks(n)
            .flat_map(|r| {
                let most = r.iter().fold(f64::MIN, |m, v| m.max(f64::from(*v)));
                let e: Vec<f64> = r.iter().map(|v| (f64::from(*v) - most).exp()).collect();
                let sum: f64 = e.iter().sum();
                e.into_iter().map(move |e| e / sum).collect::<Vec<_>>()
            })
            .collect();
        Kernel::new(&m, "softmax")
            .grid(rows as u32, 1, 1)
            .block(256, 1, 1)
            .buffer("x", &x)
            .uninitialised::<f32>("y", rows * n)
            .scalar(n as i32)
            .assert_clean(|ran| close(&ran.get("y"), &wanted, 16.0, 1e-10));
    }
}
