//! The rest of the corpus: double precision, switches, clocks, fences, `cuda::atomic`, inline assembly, structs,
//! cooperative groups.

use crate::common::{Kernel, Random, bytes_of, module, ptx, same};
use ptxsim::{Error, FindingKind, Module};

#[test]
fn double_precision() {
    let m = module(&ptx("14_double"));
    let n = 77;
    let mut r = Random(1);
    let x: Vec<f64> =
        (0..2 * n).map(|_| r.below(1 << 30) as f64 / (1 << 27) as f64 + 0.01).collect();
    let wanted: Vec<f64> = (0..n)
        .map(|i| {
            let (a, b) = (x[i], x[i + n]);
            a * b + a / b - a.abs().sqrt()
                + 1.0 / b
                + a.min(b)
                + a.floor()
                + f64::from(b as f32)
                + f64::from(a as i32)
                + (b as i64) as f64
                + a.round_ties_even()
        })
        .collect();
    Kernel::new(&m, "dmath")
        .grid(3, 1, 1)
        .buffer("x", &x)
        .empty::<f64>("y", n)
        .scalar(n as i32)
        .clean(|ran| assert_eq!(ran.get::<f64>("y"), wanted));
    Kernel::new(&m, "dtrans").block(40, 1, 1).buffer("x", &x).empty::<f64>("y", 40).clean(|ran| {
        for (x, y) in x.iter().zip(ran.get::<f64>("y")) {
            let wanted = x.exp() + x.ln() + x.sin() + x.powf(1.5);
            assert!(
                (y - wanted).abs() <= 8.0 * f64::EPSILON * x.exp().max(8.0),
                "{x}: {y}, not {wanted}"
            );
        }
    });
    let dot = (0..n).fold(0.0, |s, i| x[i].mul_add(x[i + n], s));
    Kernel::new(&m, "ddot")
        .block(1, 1, 1)
        .buffer("a", &x[..n])
        .buffer("b", &x[n..])
        .empty::<f64>("o", 1)
        .scalar(n as i32)
        .clean(|ran| assert_eq!(ran.get::<f64>("o"), [dot]));
}

#[test]
fn switches_and_a_little_interpreter() {
    let m = module(&ptx("17_switch"));
    let x = Random(2).floats(47, 0.5, 9.0);
    let op: Vec<i32> = (0..40).map(|i| i * 7 % 11 - 1).collect();
    let wanted: Vec<f32> = (0..40)
        .map(|i| {
            let a = x[i];
            match op[i] {
                0 => a + 1.0,
                1 => a * a,
                2 => a.sqrt(),
                3 => -a,
                4 => a / 3.0,
                5 => x[i + 1],
                6 => a - x[i + 2],
                7 => 1.0 / a,
                8 => x[i + 7] * 5.0,
                _ => 0.0,
            }
        })
        .collect();
    Kernel::new(&m, "sw")
        .block(40, 1, 1)
        .buffer("op", &op)
        .buffer("x", &x)
        .empty::<f32>("y", 40)
        .clean(|ran| same(&ran.get("y"), &wanted));
    // every thread runs the same program on its own number; 4 skips for odd ones
    let code = [0_u8, 1, 4, 6, 2, 5, 0, 4, 1, 1, 2, 7, 0];
    let wanted: Vec<i32> = (0..50_i32)
        .map(|t| {
            let (mut acc, mut pc) = (t, 0);
            while pc < code.len() {
                pc += 1;
                match code[pc - 1] {
                    0 => acc += 1,
                    1 => acc *= 3,
                    2 => acc ^= 0x55,
                    4 => pc += if acc & 1 == 1 { 2 } else { 0 },
                    5 => acc >>= 1,
                    6 => acc = -acc,
                    _ => pc = code.len(),
                }
            }
            acc
        })
        .collect();
    Kernel::new(&m, "bytecode")
        .block(50, 1, 1)
        .buffer("code", &code)
        .scalar(code.len() as i32)
        .empty::<i32>("out", 50)
        .clean(|ran| assert_eq!(ran.get::<i32>("out"), wanted));
}

#[test]
fn clocks_run_forwards() {
    let m = module(&ptx("22_clock"));
    let ran = Kernel::new(&m, "clk").buffer("t", &[0_i64; 65]).buffer("x", &[0.5_f32; 32]).full();
    let t: Vec<i64> = ran.get("t");
    assert!(t[..32].iter().all(|t| *t > 200), "{t:?}");
    // all write the same t[64]; that is no race
    assert_eq!((ran.seen.findings.as_slice(), ran.seen.completed), ([].as_slice(), true));
}

#[test]
fn fences_and_flags_between_blocks() {
    let m = module(&ptx("24_fence"));
    let x: Vec<f32> = (0..5 * 256).map(|i| (i % 13) as f32).collect();
    Kernel::new(&m, "lastblock")
        .grid(5, 1, 1)
        .block(256, 1, 1)
        .buffer("x", &x)
        .empty::<f32>("part", 5)
        .empty::<f32>("out", 1)
        .scalar(1280_i32)
        .clean(|ran| same(&ran.get("out"), &[x.iter().sum::<f32>()]));
    let m = module(&ptx("24b_cuatomic"));
    let entry = |name: &str| {
        m.entries().iter().find(|e| e.name.contains(name)).expect("a kernel").name.clone()
    };
    Kernel::new(&m, &entry("mp"))
        .grid(2, 1, 1)
        .block(1, 1, 1)
        .empty::<i32>("data", 1)
        .buffer("flag", &[0_i32])
        .empty::<i32>("out", 1)
        .clean(|ran| assert_eq!(ran.get::<i32>("out"), [42]));
    Kernel::new(&m, &entry("ar"))
        .block(1, 1, 1)
        .buffer("c", &[0_i32])
        .clean(|ran| assert_eq!(ran.get::<i32>("c"), [4]));
}

#[test]
fn inline_assembly() {
    let m = module(&ptx("25_inlineasm"));
    let a: Vec<u32> = Random(3).ints(66, 1 << 32).into_iter().map(|v| v as u32).collect();
    let wanted: Vec<u32> = (0..64)
        .map(|i| {
            let r = a[i].max(i as u32 % 32);
            let (lo, carry) = a[i].overflowing_add(a[i + 1]);
            let hi = a[i + 2].wrapping_add(u32::from(carry));
            r.wrapping_add(r >> 4 & 0xff).wrapping_add(lo).wrapping_add(hi)
        })
        .collect();
    Kernel::new(&m, "ia")
        .block(64, 1, 1)
        .empty::<u32>("o", 64)
        .buffer("a", &a)
        .clean(|ran| assert_eq!(ran.get::<u32>("o"), wanted));
}

#[test]
fn structs_by_value_and_by_pointer() {
    let m = module(&ptx("27_structparam"));
    let mut r = Random(4);
    let p = r.floats(6 * 50, -1.0, 1.0);
    let wanted: Vec<f32> = p
        .chunks(6)
        .flat_map(|p| {
            [p[0] + p[3] * 0.25, p[1] + p[4] * 0.25, p[2] + p[5] * 0.25, p[3], p[4], p[5]]
        })
        .collect();
    Kernel::new(&m, "aos")
        .grid(2, 1, 1)
        .buffer("p", &p)
        .scalar(0.25_f32)
        .scalar(50_i32)
        .clean(|ran| same(&ran.get("p"), &wanted));
    // struct P: pos 0..12, id 12, w 16..24, tag 24..29, m 32..56
    let n = 20;
    let one: Vec<u8> = [
        bytes_of(&[1.0_f32, 2.0, 3.0]),
        bytes_of(&[7_i32]),
        bytes_of(&[1.5_f64]),
        vec![10, 11, 12, 13, 14, 0, 0, 0],
        bytes_of(&[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0]),
    ]
    .concat();
    assert_eq!(one.len(), 56);
    let all: Vec<u8> = one.iter().copied().cycle().take(56 * n).collect();
    let ps = Kernel::new(&m, "sp").block(n as u32, 1, 1);
    let data = vec![0_f32; n * 32];
    let ran = ps
        .bytes(one.clone())
        .struct_with_buffer(bytes_of(&[32_i32, 20]), "data", &data)
        .buffer("ps", &all)
        .empty::<u8>("out", 56 * n)
        .scalar(1_i32)
        .full();
    assert_eq!(ran.seen.findings, []);
    let mut wanted = one.clone();
    wanted[0..4].copy_from_slice(&2.0_f32.to_le_bytes());
    wanted[16..24].copy_from_slice(&2.25_f64.to_le_bytes());
    wanted[25] = 11;
    wanted[52..56].copy_from_slice(&4.0_f32.to_le_bytes());
    for q in ran.get::<u8>("out").chunks(56) {
        assert_eq!((&q[..29], &q[32..]), (&wanted[..29], &wanted[32..]));
    }
    let mut grid = data;
    (0..n).for_each(|i| grid[32 + i] = 1.0);
    same(&ran.get("data"), &grid);
}

#[test]
fn cooperative_groups() {
    let m = module(&ptx("12_coopgroups"));
    let x = Random(5).ints(64, 50);
    Kernel::new(&m, "cg_reduce").block(64, 1, 1).buffer("x", &x).empty::<i32>("o", 2).clean(
        |ran| {
            assert_eq!(ran.get::<i32>("o"), [x[..32].iter().sum::<i32>(), x[32..].iter().sum()]);
        },
    );
    let ran =
        Kernel::new(&m, "cg_tile").block(64, 1, 1).buffer("x", &x).buffer("o", &[0_i32, 0]).full();
    assert!(ran.seen.completed);
    assert_eq!(ran.get::<i32>("o")[0], x.iter().sum::<i32>());
    let mut wanted: Vec<i32> = (0..64).filter(|t| x[*t as usize] > 0).collect();
    wanted.insert(0, wanted.len() as i32);
    Kernel::new(&m, "cg_coalesced")
        .block(64, 1, 1)
        .buffer("c", &[0_i32; 65])
        .buffer("x", &x)
        .clean(|ran| {
            let mut c: Vec<i32> = ran.get("c");
            c.truncate(wanted.len());
            c[1..].sort_unstable();
            assert_eq!(c, wanted);
        });
}

#[test]
fn launch_bounds_and_ragged_control_flow() {
    let m = module(&ptx("35_launchbounds"));
    let a = Random(6).floats(256 * 9, -1.0, 1.0);
    let wanted: Vec<f32> = (0..512).map(|i| (0..7).fold(0.0, |s, k| s + a[i + k * 256])).collect();
    Kernel::new(&m, "lb")
        .grid(2, 1, 1)
        .block(256, 1, 1)
        .buffer("a", &a)
        .empty::<f32>("b", 512)
        .scalar(7_i32)
        .clean(|ran| same(&ran.get("b"), &wanted));
    // `gotoish` reads what its neighbours write: a race, and it must be told
    let ran = Kernel::new(&m, "gotoish")
        .block(32, 1, 1)
        .buffer("a", &(0..34).collect::<Vec<i32>>())
        .full();
    assert!(ran.seen.findings.iter().any(|f| f.what == FindingKind::GlobalRace));
}

#[test]
fn pipelines_and_barrier_objects() {
    let m = module(&ptx("26_cpasync"));
    let g = Random(7).floats(5 * 512, -1.0, 1.0);
    let wanted: Vec<f32> =
        (0..128).map(|t| (0..5).fold(0.0, |s, k| s + g[(k * 128 + 127 - t) * 4])).collect();
    Kernel::new(&m, "pipe")
        .block(128, 1, 1)
        .buffer("g", &g)
        .empty::<f32>("o", 128)
        .scalar(5_i32)
        .clean(|ran| same(&ran.get("o"), &wanted));
    let wanted: Vec<f32> = g[..128].iter().rev().copied().collect();
    Kernel::new(&m, "pipe4")
        .block(128, 1, 1)
        .buffer("g", &g[..128])
        .empty::<f32>("o", 128)
        .clean(|ran| same(&ran.get("o"), &wanted));
    let m = module(&ptx("26b_barrier"));
    let wanted: Vec<f32> = g[..256].iter().rev().copied().collect();
    Kernel::new(&m, "bar")
        .block(256, 1, 1)
        .buffer("g", &g[..256])
        .clean(|ran| same(&ran.get("g"), &wanted));
    Kernel::new(&m, "cbar")
        .block(64, 1, 1)
        .empty::<i32>("o", 64)
        .clean(|ran| assert_eq!(ran.get::<i32>("o"), (0..64).rev().collect::<Vec<_>>()));
}
