//! The rest of the corpus: double precision, switches, clocks, fences, `cuda::atomic`, inline
//! assembly, structs, cooperative groups.

use crate::common::{Kernel, Random, all_settings, bytes_of, close};
use ptxsim::{Error, FindingKind, Module};

/// The kernels that cannot run, by setting: they use clusters.
const UNSUPPORTED: [&str; 3] = [
    "sm90 36_cluster90 clus: `barrier.cluster.arrive`",
    "fast90 36_cluster90 clus: `barrier.cluster.arrive`",
    "nvrtc90 36_cluster90 clus: `barrier.cluster.arrive`",
];

#[test]
fn unsupported_instructions_are_errors() {
    let mut unsupported = vec![];
    for file in files() {
        for m in all_settings(&file) {
            // clusters need `compute_90`; for earlier targets the file has no kernel
            let empty = file == "36_cluster90" && !m.setting.ends_with("90");
            assert_eq!(m.entries().is_empty(), empty, "{file} {}", m.setting);
            for entry in m.entries() {
                match m.refused(&entry.name) {
                    None => {}
                    Some(Error::Unsupported { feature, source_line: Some(line) }) => {
                        assert!(line.line > 0, "{file}: {feature} {line:?}");
                        unsupported.push(format!("{} {file} {}: {feature}", m.setting, entry.name));
                    }
                    Some(other) => panic!("{file}: {other}"),
                }
            }
        }
    }
    assert_eq!(unsupported, UNSUPPORTED);
}

fn files() -> Vec<String> {
    let mut files: Vec<_> = std::fs::read_dir("tests/kernels")
        .expect("the corpus")
        .filter_map(|f| {
            f.ok()?.file_name().into_string().ok()?.strip_suffix(".cu").map(str::to_owned)
        })
        .collect();
    files.sort();
    assert_eq!(files.len(), 40);
    files
}

/// Decodes one instruction for each opcode with modifiers that a compiler emits for the kernels,
/// including contracted code and `compute_100`.
#[test]
fn every_opcode_decodes() {
    let text = std::fs::read_to_string("tests/kernels/opcodes.txt").expect("the list");
    let mut unsupported = vec![];
    let mut count = 0;
    for line in text.lines() {
        count += 1;
        let opcode = line.split([' ', ';']).next().unwrap_or_default();
        // a call takes several statements; other tests have calls
        if opcode.starts_with("call") {
            continue;
        }
        match decoded(line) {
            Ok(()) => {}
            Err(Error::Unsupported { .. }) => unsupported.push(opcode.to_owned()),
            Err(other) => panic!("{line}: {other}"),
        }
    }
    assert!(count > 500, "{count}");
    assert_eq!(unsupported, UNSUPPORTED_OPCODES);
}

/// Instructions of clusters.
const UNSUPPORTED_OPCODES: [&str; 2] = ["barrier.cluster.arrive", "barrier.cluster.wait"];

/// Names of registers that the compilers number, and special registers.
const DECLARED: [&str; 13] = [
    "%r",
    "%rd",
    "%f",
    "%fd",
    "%p",
    "%rs",
    "%SP",
    "%SPL",
    "%laneid",
    "%lanemask_lt",
    "%clock",
    "%globaltimer",
    "%envreg",
];

/// Decodes one instruction after declarations for the names in it, whose prefixes give their types.
fn decoded(instruction: &str) -> Result<(), Error> {
    let opcode = instruction.split([' ', ';']).next().unwrap_or_default();
    let mut text = ".version 9.0\n.target sm_100\n.address_size 64\n.visible .entry k(.param .b64 a)\n{\n\
        .reg .b16 %rs<999>;\n.reg .b32 %r<999>;\n.reg .b64 %rd<9999>;\n.reg .f32 %f<999>;\n.reg .f64 %fd<999>;\n\
        .reg .pred %p<999>;\n.local .b8 __local_depot0[64];\n.reg .b64 %SP, %SPL;\n"
        .to_owned();
    let mut names: Vec<&str> = instruction[opcode.len()..]
        .split(|c: char| !(c.is_ascii_alphanumeric() || "_$.%".contains(c)))
        .filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic() || "_$%".contains(c)))
        .filter(|w| *w != "_")
        .collect();
    names.sort_unstable();
    names.dedup();
    let half = opcode.contains("16") && !opcode.contains("x2");
    let digit = |c: char| c.is_ascii_digit();
    for name in names {
        text += &match name {
            "__local_depot0" => String::new(),
            _ if name.starts_with("__$temp") => format!(".reg .pred {name};\n"),
            _ if name.starts_with('$') => format!("{name}:\n"),
            // declared above, or special
            _ if name.contains('.') || DECLARED.contains(&name.trim_end_matches(digit)) => {
                String::new()
            }
            _ if name.starts_with('%') && opcode.ends_with("64") => {
                format!(".reg .b64 {name};\n")
            }
            _ if name.starts_with('%') => format!(".reg .b32 {name};\n"),
            _ if opcode.starts_with("ld.param") || opcode.starts_with("st.param") => {
                format!(".param .align 16 .b8 {name}[256];\n")
            }
            "p" if !half => ".reg .pred p;\n".to_owned(),
            "f" => ".reg .f32 f;\n".to_owned(),
            // the inline assembly in the headers for halves has its own register names
            _ if name.len() <= 5 && half => format!(".reg .b16 {name};\n"),
            _ if name.len() <= 5 => format!(".reg .b32 {name};\n"),
            _ if opcode.contains("shared") => format!(".shared .align 16 .b8 {name}[256];\n"),
            _ => format!(".global .align 16 .b8 {name}[256];\n"),
        };
    }
    text += &format!("{instruction}\nret;\n}}\n");
    let module = Module::parse(&text)?;
    module.refused("k").cloned().map_or(Ok(()), Err)
}

#[test]
fn double_precision() {
    for m in all_settings("14_double") {
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
            .uninitialised::<f64>("y", n)
            .scalar(n as i32)
            .assert_clean(|ran| m.same64(&ran.get("y"), &wanted));
        Kernel::new(&m, "dtrans")
            .block(40, 1, 1)
            .buffer("x", &x)
            .uninitialised::<f64>("y", 40)
            .assert_clean(|ran| {
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
            .uninitialised::<f64>("o", 1)
            .scalar(n as i32)
            .assert_clean(|ran| m.same64(&ran.get("o"), &[dot]));
    }
}

#[test]
fn switches_and_a_bytecode_interpreter() {
    for m in all_settings("17_switch") {
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
            .uninitialised::<f32>("y", 40)
            .assert_clean(|ran| m.same(&ran.get("y"), &wanted));
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
            .uninitialised::<i32>("out", 50)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("out"), wanted));
    }
}

#[test]
fn clocks_are_monotonic() {
    for m in all_settings("22_clock") {
        let ran =
            Kernel::new(&m, "clk").buffer("t", &[0_i64; 65]).buffer("x", &[0.5_f32; 32]).full();
        let t: Vec<i64> = ran.get("t");
        assert!(t[..32].iter().all(|t| *t > 200), "{t:?}");
        // all write the same value to t[64], which is no race
        assert_eq!((ran.seen.findings.as_slice(), ran.seen.completed), ([].as_slice(), true));
    }
}

#[test]
fn fences_and_flags_between_blocks() {
    for m in all_settings("24_fence") {
        let x: Vec<f32> = (0..5 * 256).map(|i| (i % 13) as f32).collect();
        Kernel::new(&m, "lastblock")
            .grid(5, 1, 1)
            .block(256, 1, 1)
            .buffer("x", &x)
            .uninitialised::<f32>("part", 5)
            .uninitialised::<f32>("out", 1)
            .scalar(1280_i32)
            .assert_clean(|ran| m.same(&ran.get("out"), &[x.iter().sum::<f32>()]));
    }
    for m in all_settings("24b_cuatomic") {
        let entry = |name: &str| {
            m.entries().iter().find(|e| e.name.contains(name)).expect("a kernel").name.clone()
        };
        Kernel::new(&m, &entry("mp"))
            .grid(2, 1, 1)
            .block(1, 1, 1)
            .uninitialised::<i32>("data", 1)
            .buffer("flag", &[0_i32])
            .uninitialised::<i32>("out", 1)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("out"), [42]));
        Kernel::new(&m, &entry("ar"))
            .block(1, 1, 1)
            .buffer("c", &[0_i32])
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("c"), [4]));
    }
}

#[test]
fn inline_assembly() {
    for m in all_settings("25_inlineasm") {
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
            .uninitialised::<u32>("o", 64)
            .buffer("a", &a)
            .assert_clean(|ran| assert_eq!(ran.get::<u32>("o"), wanted));
    }
}

#[test]
fn structs_by_value_and_by_pointer() {
    for m in all_settings("27_structparam") {
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
            .assert_clean(|ran| m.same(&ran.get("p"), &wanted));
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
            .uninitialised::<u8>("out", 56 * n)
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
        m.same(&ran.get("data"), &grid);
    }
}

#[test]
fn cooperative_groups() {
    for m in all_settings("12_coopgroups") {
        let x = Random(5).ints(64, 50);
        Kernel::new(&m, "cg_reduce")
            .block(64, 1, 1)
            .buffer("x", &x)
            .uninitialised::<i32>("o", 2)
            .assert_clean_at(&m, |ran| {
                assert_eq!(
                    ran.get::<i32>("o"),
                    [x[..32].iter().sum::<i32>(), x[32..].iter().sum()]
                );
            });
        let ran = Kernel::new(&m, "cg_tile")
            .block(64, 1, 1)
            .buffer("x", &x)
            .buffer("o", &[0_i32, 0])
            .full();
        assert!(ran.seen.completed);
        assert_eq!(ran.get::<i32>("o")[0], x.iter().sum::<i32>());
        let mut wanted: Vec<i32> = (0..64).filter(|t| x[*t as usize] > 0).collect();
        wanted.insert(0, wanted.len() as i32);
        Kernel::new(&m, "cg_coalesced")
            .block(64, 1, 1)
            .buffer("c", &[0_i32; 65])
            .buffer("x", &x)
            .assert_clean_at(&m, |ran| {
                let mut c: Vec<i32> = ran.get("c");
                c.truncate(wanted.len());
                c[1..].sort_unstable();
                assert_eq!(c, wanted);
            });
    }
}

#[test]
fn launch_bounds_and_ragged_control_flow() {
    for m in all_settings("35_launchbounds") {
        let a = Random(6).floats(256 * 9, -1.0, 1.0);
        let wanted: Vec<f32> =
            (0..512).map(|i| (0..7).fold(0.0, |s, k| s + a[i + k * 256])).collect();
        Kernel::new(&m, "lb")
            .grid(2, 1, 1)
            .block(256, 1, 1)
            .buffer("a", &a)
            .uninitialised::<f32>("b", 512)
            .scalar(7_i32)
            .assert_clean(|ran| m.same(&ran.get("b"), &wanted));
        // `gotoish` reads what its neighbours write, which is a race and must be a finding
        let ran = Kernel::new(&m, "gotoish")
            .block(32, 1, 1)
            .buffer("a", &(0..34).collect::<Vec<i32>>())
            .full();
        assert!(ran.seen.findings.iter().any(|f| f.what == FindingKind::GlobalRace));
    }
}

#[test]
fn pipelines_and_barrier_objects() {
    let g = Random(7).floats(5 * 512, -1.0, 1.0);
    for m in all_settings("26_cpasync") {
        let wanted: Vec<f32> =
            (0..128).map(|t| (0..5).fold(0.0, |s, k| s + g[(k * 128 + 127 - t) * 4])).collect();
        Kernel::new(&m, "pipe")
            .block(128, 1, 1)
            .buffer("g", &g)
            .uninitialised::<f32>("o", 128)
            .scalar(5_i32)
            .assert_clean_at(&m, |ran| m.same(&ran.get("o"), &wanted));
        let wanted: Vec<f32> = g[..128].iter().rev().copied().collect();
        Kernel::new(&m, "pipe4")
            .block(128, 1, 1)
            .buffer("g", &g[..128])
            .uninitialised::<f32>("o", 128)
            .assert_clean_at(&m, |ran| m.same(&ran.get("o"), &wanted));
    }
    for m in all_settings("26b_barrier") {
        let wanted: Vec<f32> = g[..256].iter().rev().copied().collect();
        Kernel::new(&m, "bar")
            .block(256, 1, 1)
            .buffer("g", &g[..256])
            .assert_clean_at(&m, |ran| m.same(&ran.get("g"), &wanted));
        // barriers in shared memory: see `UNSUPPORTED`
        if m.refused("cbar").is_some() {
            continue;
        }
        Kernel::new(&m, "cbar")
            .block(64, 1, 1)
            .uninitialised::<i32>("o", 64)
            .assert_clean_at(&m, |ran| {
                assert_eq!(ran.get::<i32>("o"), (0..64).rev().collect::<Vec<_>>())
            });
    }
}

#[test]
fn big_switches() {
    for m in all_settings("17b_bigswitch") {
        let x = Random(8).floats(100, 0.1, 3.0);
        let op: Vec<i32> = (0..44).map(|i| (i * 13 + 5) % 43).collect();
        let wanted: Vec<f64> = (0..44)
            .map(|i| {
                let (a, k) = (x[i], op[i]);
                f64::from(match k {
                    40.. => 0.0,
                    _ if k % 4 == 0 => a * (k as f32 + 0.5),
                    _ if k % 4 == 1 => x[i + k as usize],
                    // `__sinf` is an approximation
                    _ if k % 4 == 2 => return f64::from(a).sin() + f64::from(k),
                    _ => a.sqrt() - k as f32,
                })
            })
            .collect();
        Kernel::new(&m, "sw40")
            .block(44, 1, 1)
            .buffer("op", &op)
            .buffer("x", &x)
            .uninitialised::<f32>("y", 44)
            .assert_clean_at(&m, |ran| close(&ran.get("y"), &wanted, 2.0, 1e-6));
        let mut r = Random(9);
        for start in [0, 3, 40, -7] {
            let code: Vec<u8> = (0..60).map(|_| r.below(24) as u8).collect();
            let memory = r.ints(32, 1 << 20);
            let (mut a, mut p, mut after) = (0_i32, 0, memory.clone());
            // the thread's number is 0, so the first instructions derive another number from it
            let code = [vec![5; (start & 3) as usize], code].concat();
            while p < code.len() {
                let k = i32::from(code[p]);
                p += 1;
                match k % 5 {
                    0 => a = a.wrapping_add(k),
                    1 => a = a.wrapping_mul(after[(k.wrapping_add(a) & 7) as usize]),
                    2 => after[(a & 31) as usize] = k,
                    3 => p += if a > k { 2 } else { 0 },
                    _ => a ^= after[k as usize],
                }
            }
            let ran = Kernel::new(&m, "vm")
                .block(1, 1, 1)
                .buffer("c", &code)
                .scalar(code.len() as i32)
                .uninitialised::<i32>("o", 1)
                .buffer("m", &memory)
                .full();
            assert_eq!(ran.seen.findings, []);
            assert_eq!((ran.get::<i32>("o"), ran.get::<i32>("m")), (vec![a], after));
        }
    }
}

/// The value of a binary16, by the formula.
fn from_half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = if exponent == 0 {
        fraction * 2f64.powi(-24)
    } else {
        (1024.0 + fraction) * 2f64.powi(exponent - 25)
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Rounds to a number of bits of significand: those of a normal half, or of a bfloat16.
fn rounded(x: f64, bits: i32) -> f64 {
    if x == 0.0 {
        return x;
    }
    let unit = 2f64.powi(x.abs().log2().floor() as i32 + 1 - bits);
    (x / unit).round_ties_even() * unit
}

/// The bits of a number that a half represents exactly.
fn to_half(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let bits = (0..0x7c00).find(|b| from_half(*b) == x.abs());
    sign | bits.unwrap_or_else(|| panic!("{x} is no half"))
}

fn halves(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| rounded(f64::from(random.floats(1, 0.0, 4.0)[0]) - 1.5, 11)).collect()
}

#[test]
fn half_precision() {
    let mut r = Random(10);
    let n = 70;
    let (x, y, a) = (halves(&mut r, n + 1), halves(&mut r, n), 1.375);
    let packed = |v: &[f64]| v.iter().map(|v| to_half(*v)).collect::<Vec<u16>>();
    for m in all_settings("13_half") {
        let wanted: Vec<u16> =
            x.iter().zip(&y).map(|(x, y)| to_half(rounded(a * x + y, 11))).collect();
        Kernel::new(&m, "haxpy")
            .grid(3, 1, 1)
            .bytes(bytes_of(&[to_half(a)]))
            .buffer("x", &packed(&x))
            .buffer("y", &packed(&y))
            .scalar(n as i32)
            .assert_clean_at(&m, |ran| assert_eq!(ran.get::<u16>("y"), wanted));
        let limits: Vec<f32> = (0..n / 2).map(|i| if i % 2 == 0 { -9.0 } else { 9.0 }).collect();
        let pairs = &x[..n];
        Kernel::new(&m, "hvec")
            .block(n as u32 / 2, 1, 1)
            .buffer("x", &packed(pairs))
            .uninitialised::<u16>("y", n)
            .buffer("f", &limits)
            .assert_clean_at(&m, |ran| {
                for (i, got) in ran.get::<u16>("y").into_iter().enumerate() {
                    let (got, v) = (from_half(got), rounded(pairs[i] + 1.0, 11));
                    let (wanted, ulps) = match (i / 2 % 2, i % 2) {
                        // cuda_fp16: `hexp` and `hsqrt` are off by an ulp at most
                        (0, 0) => (v.exp(), 2.0),
                        (0, _) if v < 0.0 => continue,
                        (0, _) => (v.sqrt(), 1.0),
                        _ => (rounded(v * pairs[i], 11), 0.0),
                    };
                    assert!(
                        (got - wanted).abs() <= ulps * 2f64.powi(-10) * wanted.abs(),
                        "{} {i}: {got} is not {wanted}",
                        m.setting
                    );
                }
            });
        let wanted: Vec<f32> = (0..n)
            .map(|i| {
                let (square, quotient) = (rounded(x[i] * x[i], 11), rounded(x[i] / x[i + 1], 11));
                (x[i] + rounded(square - quotient, 11)) as f32
            })
            .collect();
        let integers: Vec<i32> = x[..n].iter().map(|x| x.round_ties_even() as i32).collect();
        Kernel::new(&m, "hops")
            .block(n as u32, 1, 1)
            .buffer("x", &packed(&x))
            .uninitialised::<f32>("o", n)
            .uninitialised::<i32>("k", n)
            .assert_clean_at(&m, |ran| {
                assert_eq!(ran.get::<i32>("k"), integers);
                m.same(&ran.get("o"), &wanted);
            });
        let f = Random(11).floats(n, 0.5, 3.0);
        let sums: Vec<f64> =
            (0..n).map(|i| rounded(rounded(x[i], 8) + rounded(f64::from(f[i]), 8), 8)).collect();
        let brain = |v: f64| ((v as f32).to_bits() >> 16) as u16;
        Kernel::new(&m, "bf")
            .block(n as u32, 1, 1)
            .buffer("x", &x[..n].iter().map(|v| brain(rounded(*v, 8))).collect::<Vec<_>>())
            .uninitialised::<u16>("y", n)
            .buffer("f", &f)
            .assert_clean_at(&m, |ran| {
                assert_eq!(ran.get::<u16>("y"), sums.iter().map(|v| brain(*v)).collect::<Vec<_>>());
                let wanted: Vec<f32> = sums.iter().map(|v| *v as f32).collect();
                m.same(&ran.get("f"), &wanted);
            });
    }
}
