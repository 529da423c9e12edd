//! Measures how fast `ptxsim` runs, in thread-instructions per second: `cargo bench -p ptxsim`, or
//! with a kernel's name behind `--`.
//!
//! Each kernel runs at the full level of diagnosis, on one core, measured by the processor time of
//! its thread, and on two cores, measured by the clock. The best of several runs counts, because
//! other work on the machine only ever adds time. For comparison, a plain Rust version does the
//! same work; its rate is the kernel's thread-instructions divided by the time that Rust takes for
//! the same results. The PTX is what nvcc 13.0 makes of the conformance kernels for `compute_75`.

mod plain;

use std::hint::black_box;
use std::time::Instant;

use plain::Output;
use ptxsim::{Launch, Memory, Module, Options, run, shadow_bytes};

struct Workload {
    name: &'static str,
    ptx: &'static str,
    entry: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    /// Buffers in bytes with their contents, and scalars, in parameter order.
    args: Vec<Arg>,
    /// The same work in plain Rust.
    plain: Box<dyn Fn() -> Output>,
}

enum Arg {
    In(Vec<u8>),
    Out(usize),
    Scalar(Vec<u8>),
}

impl Arg {
    /// Bytes of data.
    fn bytes(&self) -> usize {
        match self {
            Self::In(data) => data.len(),
            Self::Out(bytes) => *bytes,
            Self::Scalar(_) => 0,
        }
    }
}

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i % 97) as f32 * 0.25).collect()
}

fn floats(n: usize) -> Arg {
    Arg::In(numbers(n).into_iter().flat_map(f32::to_le_bytes).collect())
}

fn bytes() -> Vec<u8> {
    (0..8_u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn int(n: i32) -> Arg {
    Arg::Scalar(n.to_le_bytes().to_vec())
}

fn workloads() -> Vec<Workload> {
    let n = 4 << 20;
    vec![
        Workload {
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
            plain: {
                let x = numbers(n as usize);
                Box::new(move || plain::vector_add(&x, &x))
            },
        },
        Workload {
            name: "matmul naive, 512",
            ptx: include_str!("kernels/matmul.ptx"),
            entry: "matmul_naive",
            grid: [32, 32, 1],
            block: [16, 16, 1],
            shared: 0,
            args: vec![floats(512 * 512), floats(512 * 512), Arg::Out(4 * 512 * 512), int(512)],
            plain: {
                let x = numbers(512 * 512);
                Box::new(move || plain::matmul(&x, &x, 512))
            },
        },
        Workload {
            name: "matmul tiled, 512",
            ptx: include_str!("kernels/matmul.ptx"),
            entry: "matmul_tiled",
            grid: [32, 32, 1],
            block: [16, 16, 1],
            shared: 0,
            args: vec![floats(512 * 512), floats(512 * 512), Arg::Out(4 * 512 * 512), int(512)],
            plain: {
                let x = numbers(512 * 512);
                Box::new(move || plain::matmul_tiled(&x, &x, 512))
            },
        },
        Workload {
            name: "reduce shared, 4 Mi",
            ptx: include_str!("kernels/reduce.ptx"),
            entry: "reduce_shared",
            grid: [n / 256, 1, 1],
            block: [256, 1, 1],
            shared: 1024,
            args: vec![floats(n as usize), Arg::Out(4 * n as usize / 256), int(n as i32)],
            plain: {
                let x: Vec<u32> = numbers(n as usize).into_iter().map(f32::to_bits).collect();
                Box::new(move || plain::reduce(&x))
            },
        },
        Workload {
            name: "mandelbrot, 1024",
            ptx: include_str!("kernels/fmath.ptx"),
            entry: "mandel",
            grid: [64, 64, 1],
            block: [16, 16, 1],
            shared: 0,
            args: vec![Arg::Out(4 << 20), int(1024), int(1024), int(256)],
            plain: Box::new(|| plain::mandelbrot(1024, 1024, 256)),
        },
        Workload {
            name: "n-body, 4096",
            ptx: include_str!("kernels/nbody.ptx"),
            entry: "nbody",
            grid: [32, 1, 1],
            block: [128, 1, 1],
            shared: 0,
            args: vec![floats(4 * 4096), Arg::Out(16 * 4096), int(4096)],
            plain: {
                let x = numbers(4 * 4096);
                Box::new(move || plain::n_body(x.as_chunks().0))
            },
        },
        Workload {
            name: "histogram, 8 MB",
            ptx: include_str!("kernels/histogram.ptx"),
            entry: "hist",
            grid: [256, 1, 1],
            block: [256, 1, 1],
            shared: 0,
            args: vec![Arg::In(bytes()), Arg::In(vec![0; 1024]), int(8 << 20)],
            plain: {
                let x = bytes();
                Box::new(move || plain::histogram(&x))
            },
        },
    ]
}

/// Processor time of this thread, in seconds.
fn processor() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// Memory with the workload's arrays, its launch, and the address and bytes of its output, which is
/// the last array.
fn prepare(workload: &Workload) -> (Memory, Launch, (u64, u64)) {
    let mut memory = Memory::new();
    let mut output = (0, 0);
    let args = workload
        .args
        .iter()
        .map(|arg| {
            let (bytes, data) = match arg {
                Arg::Scalar(data) => return data.clone(),
                Arg::In(data) => (data.len() as u64, Some(data.as_slice())),
                Arg::Out(bytes) => (*bytes as u64, None),
            };
            let address = memory.alloc("array", bytes, 4, data).expect("memory");
            output = (address, bytes);
            address.to_le_bytes().to_vec()
        })
        .collect();
    let launch = Launch {
        entry: workload.entry.to_owned(),
        grid: workload.grid,
        block: workload.block,
        shared: workload.shared,
        args,
        ..Launch::default()
    };
    (memory, launch, output)
}

/// Seconds of one launch, by the thread's processor time and by the clock.
#[derive(Clone, Copy)]
struct Seconds {
    processor: f64,
    clock: f64,
}

/// The least time of several launches, with the thread-instructions (0 when they are not counted)
/// and the output.
fn best(workload: &Workload, module: &Module, threads: usize) -> (Seconds, u64, Output) {
    let mut least = Seconds { processor: f64::MAX, clock: f64::MAX };
    let mut end = (0, vec![]);
    for _ in 0..5 {
        let (mut memory, launch, output) = prepare(workload);
        let options = Options { threads, budget: u64::MAX >> 2, ..Options::default() };
        let (clock, start) = (Instant::now(), processor());
        let seen = run(module, &mut memory, &launch, &options).expect("launches");
        least.processor = least.processor.min(processor() - start);
        least.clock = least.clock.min(clock.elapsed().as_secs_f64());
        assert!(
            seen.completed && seen.findings.is_empty(),
            "{}: {:?}",
            workload.name,
            seen.findings
        );
        let words = memory.read(output.0, output.1).expect("memory");
        let words = words.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        end = (seen.totals.thread_instructions, words);
    }
    (least, end.0, end.1)
}

/// Seconds of the plain version. Its results must be the kernel's, except for a few that differ by
/// rounding.
fn plain(workload: &Workload, kernel: &Output) -> f64 {
    let mut least = f64::MAX;
    let mut output = vec![];
    for _ in 0..5 {
        let start = processor();
        output = black_box((workload.plain)());
        least = least.min(processor() - start);
    }
    let near = |(a, b): &(&u32, &u32)| {
        let (x, y) = (f32::from_bits(**a), f32::from_bits(**b));
        a == b || (x - y).abs() <= 1e-3 * x.abs().max(y.abs())
    };
    let equal = output.iter().zip(kernel).filter(near).count();
    assert_eq!(output.len(), kernel.len(), "{}", workload.name);
    assert!(equal * 100 >= kernel.len() * 99, "{}: {equal} of {}", workload.name, kernel.len());
    least
}

fn main() {
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    println!("G thread-instructions/s      one core   two cores");
    println!(
        "{:<20}{:>8}{:>9}{:>12}{:>12}{:>9}",
        "", "M instr", "", "times", "plain Rust", "shadow"
    );
    let mut logs = [0.0_f64; 3];
    let mut count = 0.0;
    for workload in workloads() {
        if only.as_ref().is_some_and(|o| !workload.name.contains(o.as_str())) {
            continue;
        }
        let module = Module::parse(workload.ptx).expect("parses");
        let (one, instructions, output) = best(&workload, &module, 1);
        let (two, ..) = best(&workload, &module, 2);
        let instructions = instructions as f64;
        let rate = instructions / one.processor / 1e9;
        let gain = one.clock / two.clock;
        let rust = instructions / plain(&workload, &output) / 1e9;
        let (mut memory, launch, _) = prepare(&workload);
        let data: usize = workload.args.iter().map(Arg::bytes).sum();
        let shadow =
            shadow_bytes(&module, &mut memory, &launch).expect("launches") as f64 / data as f64;
        for (log, value) in logs.iter_mut().zip([rate, gain, rust]) {
            *log += value.ln();
        }
        count += 1.0;
        print!("{:<20}{:>8.0}", workload.name, instructions / 1e6);
        println!("{rate:>9.2}{gain:>12.2}{rust:>12.2}{shadow:>9.2}");
    }
    let [rate, gain, rust] = logs.map(|l| (l / count).exp());
    println!("{:<28}{rate:>9.2}{gain:>12.2}{rust:>12.2}", "geometric mean");
}
