//! How fast `ptxsim` runs, in thread-instructions per second: `cargo bench -p ptxsim`, or with a kernel's name behind `--`.
//!
//! Each kernel at each level of diagnosis, on one core by the processor time of its thread, and on two by the clock; the
//! best of several runs, since other work on the machine only ever adds time. Beside them a plain Rust version of the
//! same work, in the same unit: the kernel's thread-instructions by the time that Rust takes for its results. The PTX is
//! what nvcc 13.0 makes of the conformance kernels for `compute_75`.

mod plain;

use std::hint::black_box;
use std::time::Instant;

use plain::Output;
use ptxsim::{Diagnose, Launch, Memory, Module, Options, run, shadow_bytes};

struct Work {
    name: &'static str,
    ptx: &'static str,
    entry: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    /// Buffers in bytes with their contents, and scalars, in parameter order.
    args: Vec<Arg>,
    /// The same in plain Rust.
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
            plain: {
                let x = numbers(n as usize);
                Box::new(move || plain::vector_add(&x, &x))
            },
        },
        Work {
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
        Work {
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
        Work {
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
        Work {
            name: "mandelbrot, 1024",
            ptx: include_str!("kernels/fmath.ptx"),
            entry: "mandel",
            grid: [64, 64, 1],
            block: [16, 16, 1],
            shared: 0,
            args: vec![Arg::Out(4 << 20), int(1024), int(1024), int(256)],
            plain: Box::new(|| plain::mandelbrot(1024, 1024, 256)),
        },
        Work {
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
        Work {
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

/// Memory with the work's arrays, its launch, and where its output is: the last array.
fn prepare(work: &Work) -> (Memory, Launch, (u64, u64)) {
    let mut memory = Memory::new();
    let mut output = (0, 0);
    let args = work
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
        entry: work.entry.to_owned(),
        grid: work.grid,
        block: work.block,
        shared: work.shared,
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

/// The best of several launches; and the thread-instructions (0 when not counted) and the output.
fn best(
    work: &Work,
    module: &Module,
    diagnose: Diagnose,
    threads: usize,
) -> (Seconds, u64, Output) {
    let mut least = Seconds { processor: f64::MAX, clock: f64::MAX };
    let mut end = (0, vec![]);
    for _ in 0..5 {
        let (mut memory, launch, output) = prepare(work);
        let options = Options { diagnose, threads, budget: u64::MAX >> 2, ..Options::default() };
        let (clock, start) = (Instant::now(), processor());
        let seen = run(module, &mut memory, &launch, &options).expect("launches");
        least.processor = least.processor.min(processor() - start);
        least.clock = least.clock.min(clock.elapsed().as_secs_f64());
        assert!(seen.completed && seen.findings.is_empty(), "{}: {:?}", work.name, seen.findings);
        let words = memory.read(output.0, output.1).expect("memory");
        let words = words.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        end = (seen.totals.thread_instructions, words);
    }
    (least, end.0, end.1)
}

/// Seconds of the plain version; its results must be the kernel's, a few apart where rounding decides.
fn plain(work: &Work, kernel: &Output) -> f64 {
    let mut least = f64::MAX;
    let mut output = vec![];
    for _ in 0..5 {
        let start = processor();
        output = black_box((work.plain)());
        least = least.min(processor() - start);
    }
    let near = |(a, b): &(&u32, &u32)| {
        let (x, y) = (f32::from_bits(**a), f32::from_bits(**b));
        a == b || (x - y).abs() <= 1e-3 * x.abs().max(y.abs())
    };
    let equal = output.iter().zip(kernel).filter(near).count();
    assert_eq!(output.len(), kernel.len(), "{}", work.name);
    assert!(equal * 100 >= kernel.len() * 99, "{}: {equal} of {}", work.name, kernel.len());
    least
}

fn main() {
    const LEVELS: [Diagnose; 3] = [Diagnose::Bounds, Diagnose::Count, Diagnose::Full];
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    println!("G thread-instructions/s      one core                 two cores: times as fast");
    println!(
        "{:<20}{:>8}{:>9}{:>9}{:>8}{:>12}{:>9}{:>8}{:>12}{:>9}",
        "",
        "M instr",
        "bounds",
        "counted",
        "full",
        "bounds",
        "counted",
        "full",
        "plain Rust",
        "shadow"
    );
    let mut logs = [0.0_f64; 7];
    let mut count = 0.0;
    for work in works() {
        if only.as_ref().is_some_and(|o| !work.name.contains(o.as_str())) {
            continue;
        }
        let module = Module::parse(work.ptx).expect("parses");
        let one = LEVELS.map(|level| best(&work, &module, level, 1));
        let two = LEVELS.map(|level| best(&work, &module, level, 2));
        let instructions = one[1].1 as f64;
        let rates = one.each_ref().map(|(t, ..)| instructions / t.processor / 1e9);
        let gains: [f64; 3] = std::array::from_fn(|i| one[i].0.clock / two[i].0.clock);
        let rust = instructions / plain(&work, &one[0].2) / 1e9;
        let (mut memory, launch, _) = prepare(&work);
        let data: usize = work.args.iter().map(Arg::bytes).sum();
        let shadow =
            shadow_bytes(&module, &mut memory, &launch).expect("launches") as f64 / data as f64;
        for (log, value) in logs.iter_mut().zip(rates.iter().chain(&gains).chain([&rust])) {
            *log += value.ln();
        }
        count += 1.0;
        print!("{:<20}{:>8.0}", work.name, instructions / 1e6);
        print!("{:>9.2}{:>9.2}{:>8.2}", rates[0], rates[1], rates[2]);
        print!("{:>12.2}{:>9.2}{:>8.2}", gains[0], gains[1], gains[2]);
        println!("{rust:>12.2}{shadow:>9.2}");
    }
    let [a, b, c, x, y, z, rust] = logs.map(|l| (l / count).exp());
    println!(
        "{:<28}{a:>9.2}{b:>9.2}{c:>8.2}{x:>12.2}{y:>9.2}{z:>8.2}{rust:>12.2}",
        "geometric mean"
    );
}
