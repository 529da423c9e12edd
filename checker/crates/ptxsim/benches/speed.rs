//! How fast `ptxsim` runs, in thread-instructions per second, at each level of diagnosis: `cargo bench -p ptxsim`.
//!
//! The PTX is what nvcc 13.0 makes of the conformance kernels for `compute_75`. One host thread, its processor time;
//! the best of several runs, since other work on the machine only ever adds time.

use ptxsim::{Diagnose, Launch, Memory, Module, Options, run};

struct Work {
    name: &'static str,
    ptx: &'static str,
    entry: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    /// Buffers in bytes with their contents, and scalars, in parameter order.
    args: Vec<Arg>,
}

enum Arg {
    In(Vec<u8>),
    Out(usize),
    Scalar(Vec<u8>),
}

fn floats(n: usize) -> Arg {
    Arg::In((0..n).flat_map(|i| ((i % 97) as f32 * 0.25).to_le_bytes()).collect())
}

fn int(n: i32) -> Arg {
    Arg::Scalar(n.to_le_bytes().to_vec())
}

fn works() -> Vec<Work> {
    let n = 4 << 20;
    vec![
        Work {
            name: "vector add, 4 Mi",
            ptx: include_str!("kernels/vadd.ptx"),
            entry: "vadd",
            grid: [n / 256, 1, 1],
            block: [256, 1, 1],
            shared: 0,
            args: vec![
                floats(n as usize),
                floats(n as usize),
                Arg::Out(4 * n as usize),
                int(n as i32),
            ],
        },
        Work {
            name: "matmul naive, 512",
            ptx: include_str!("kernels/matmul.ptx"),
            entry: "matmul_naive",
            grid: [32, 32, 1],
            block: [16, 16, 1],
            shared: 0,
            args: vec![floats(512 * 512), floats(512 * 512), Arg::Out(4 * 512 * 512), int(512)],
        },
        Work {
            name: "matmul tiled, 512",
            ptx: include_str!("kernels/matmul.ptx"),
            entry: "matmul_tiled",
            grid: [32, 32, 1],
            block: [16, 16, 1],
            shared: 0,
            args: vec![floats(512 * 512), floats(512 * 512), Arg::Out(4 * 512 * 512), int(512)],
        },
        Work {
            name: "reduce shared, 4 Mi",
            ptx: include_str!("kernels/reduce.ptx"),
            entry: "reduce_shared",
            grid: [n / 256, 1, 1],
            block: [256, 1, 1],
            shared: 1024,
            args: vec![floats(n as usize), Arg::Out(4 * n as usize / 256), int(n as i32)],
        },
        Work {
            name: "mandelbrot, 1024",
            ptx: include_str!("kernels/fmath.ptx"),
            entry: "mandel",
            grid: [64, 64, 1],
            block: [16, 16, 1],
            shared: 0,
            args: vec![Arg::Out(4 << 20), int(1024), int(1024), int(256)],
        },
        Work {
            name: "n-body, 4096",
            ptx: include_str!("kernels/nbody.ptx"),
            entry: "nbody",
            grid: [32, 1, 1],
            block: [128, 1, 1],
            shared: 0,
            args: vec![floats(4 * 4096), Arg::Out(16 * 4096), int(4096)],
        },
        Work {
            name: "histogram, 8 MB",
            ptx: include_str!("kernels/histogram.ptx"),
            entry: "hist",
            grid: [256, 1, 1],
            block: [256, 1, 1],
            shared: 0,
            args: vec![
                Arg::In(
                    (0..8_u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect(),
                ),
                Arg::In(vec![0; 1024]),
                int(8 << 20),
            ],
        },
    ]
}

/// Processor time of this thread, in seconds.
fn now() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// Seconds of one launch, and the thread-instructions that it executed (0 when not counted).
fn once(work: &Work, module: &Module, diagnose: Diagnose) -> (f64, u64) {
    let mut memory = Memory::new();
    let args = work
        .args
        .iter()
        .map(|arg| match arg {
            Arg::In(data) => {
                let address = memory.alloc("in", data.len() as u64, 4, Some(data)).expect("memory");
                address.to_le_bytes().to_vec()
            }
            Arg::Out(bytes) => {
                let address = memory.alloc("out", *bytes as u64, 4, None).expect("memory");
                address.to_le_bytes().to_vec()
            }
            Arg::Scalar(data) => data.clone(),
        })
        .collect();
    let launch = Launch {
        entry: work.entry.to_owned(),
        grid: work.grid,
        block: work.block,
        shared: work.shared,
        args,
        ..Launch::default()
    };
    let options = Options { diagnose, budget: u64::MAX >> 2, ..Options::default() };
    let start = now();
    let seen = run(module, &mut memory, &launch, &options).expect("launches");
    let time = now() - start;
    assert!(seen.completed && seen.findings.is_empty(), "{}: {:?}", work.name, seen.findings);
    (time, seen.totals.thread_instructions)
}

fn main() {
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    println!("G thread-instructions/s on one core");
    println!("{:<22}{:>10}{:>12}{:>12}{:>12}", "", "M instr", "bounds", "counted", "full");
    let mut logs = [0.0_f64; 3];
    let mut count = 0.0;
    for work in works() {
        if only.as_ref().is_some_and(|o| !work.name.contains(o.as_str())) {
            continue;
        }
        let module = Module::parse(work.ptx).expect("parses");
        let instructions = once(&work, &module, Diagnose::Count).1;
        let mut row = format!("{:<22}{:>10}", work.name, instructions / 1_000_000);
        for (i, level) in
            [Diagnose::Bounds, Diagnose::Count, Diagnose::Full].into_iter().enumerate()
        {
            let best = (0..5).map(|_| once(&work, &module, level).0).fold(f64::MAX, f64::min);
            let rate = instructions as f64 / best / 1e9;
            logs[i] += rate.ln();
            row += &format!("{rate:>12.2}");
        }
        count += 1.0;
        println!("{row}");
    }
    let means = logs.map(|l: f64| (l / count).exp());
    println!("{:<32}{:>12.2}{:>12.2}{:>12.2}", "geometric mean", means[0], means[1], means[2]);
}
