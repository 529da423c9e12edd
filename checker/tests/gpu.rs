//! The GPU backend on a real GPU, through the worker's child process:
//!
//! ```text
//! CUDA_WORKBOOK_TEST_GPU=1 cargo test --release --test gpu
//! ```
//!
//! Without the variable nothing is tested, and a line says so. With it, the test fails on a machine
//! without a usable GPU. `CUDA_WORKBOOK_WORKER_PROGRAM` names another `checker-worker`, for a test
//! that was built on another machine.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use checker::backend::{Arg, Choice, Fault, Launch, PRINTED_LIMIT, Run};
use checker::value::DType;
use checker::worker::{Error, Worker};

const PTX: &str = include_str!("gpu/kernels.ptx");
const LIMIT: Duration = Duration::from_secs(20);
const N: usize = 1000;

fn main() -> ExitCode {
    if std::env::var_os("CUDA_WORKBOOK_TEST_GPU").is_none() {
        println!("gpu: NOT RUN. On a machine with an NVIDIA GPU, set CUDA_WORKBOOK_TEST_GPU=1");
        return ExitCode::SUCCESS;
    }
    let worker = std::env::var_os("CUDA_WORKBOOK_WORKER_PROGRAM")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_checker-worker")), PathBuf::from);
    let mut worker = Worker::with_program(worker);
    let start = Instant::now();
    match worker.gpu() {
        Ok(info) => println!("gpu: {info:?}, started in {} ms", start.elapsed().as_millis()),
        Err(no_gpu) => {
            println!("gpu: FAILED, no GPU: {no_gpu}");
            return ExitCode::FAILURE;
        }
    }
    let mut failed = 0;
    for (name, test) in TESTS {
        let start = Instant::now();
        let result = test(&mut worker);
        let millis = start.elapsed().as_secs_f64() * 1e3;
        match result {
            Ok(seen) => println!("ok      {name:<32} {millis:8.1} ms  {seen}"),
            Err(seen) => {
                failed += 1;
                println!("FAILED  {name:<32} {millis:8.1} ms  {seen}");
            }
        }
    }
    println!("gpu: {} passed, {failed} failed", TESTS.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A description of what a test observed; the error of a failed test.
type Observed = Result<String, String>;
type Test = fn(&mut Worker) -> Observed;

/// The order matters: the right kernel after each fault shows that the next job has a working GPU.
const TESTS: &[(&str, Test)] = &[
    ("a right kernel", right),
    ("the same, warm", right),
    ("writes beyond the end", overrun),
    ("copies a guard zone beyond the end", copy_overrun),
    ("writes before the start", |w| expect(w, "underrun", &|f| is_guard(f, "out", -1))),
    ("writes a read-only input", scribble),
    ("an output that is not written", untouched),
    ("module state is fresh", fresh_state),
    ("more shared memory than 48 KiB", much_shared),
    ("more threads than a block takes", too_many_threads),
    ("a kernel that is not there", |w| expect(w, "missing", &|f| is_driver(f, 500))),
    ("text that is not PTX", not_ptx),
    ("PTX of the future", future_ptx),
    ("a missing argument", missing_argument),
    ("an illegal address", |w| expect(w, "illegal", &|f| is_driver(f, 700))),
    ("healthy after it", right),
    ("a misaligned address", |w| expect(w, "misaligned", &|f| is_driver(f, 716))),
    ("healthy after it", right),
    ("trap", |w| expect(w, "trapped", &|f| is_driver(f, 719) || is_driver(f, 715))),
    ("healthy after it", right),
    ("a failed assert", asserted),
    ("healthy after it", right),
    ("an endless kernel", endless),
    ("healthy after it", right),
    ("printf, with a forged frame's tag", greet),
    ("printf, a million lines", chatter),
    ("more memory than there is", huge),
    ("healthy after it", right),
    ("twenty warm launches", twenty),
];

fn input() -> Vec<u8> {
    (0..N).flat_map(|i| (i as f32 + 0.5).to_le_bytes()).collect()
}

fn launch(entry: &str) -> Launch {
    let buffer = |name: &str, data: Option<Vec<u8>>, writable| Arg::Buffer {
        name: name.into(),
        dtype: DType::F32,
        bytes: N * 4,
        data,
        writable,
    };
    Launch {
        entry: entry.into(),
        grid: [4, 1, 1],
        block: [256, 1, 1],
        shared: 0,
        cooperative: false,
        ordered: vec![],
        args: vec![
            buffer("in", Some(input()), false),
            buffer("out", None, true),
            Arg::Scalar((N as i32).to_le_bytes().to_vec()),
        ],
        seed: 7,
        budget: 1 << 30,
        repeat: 0,
        disturbance: None,
        snapshots: None,
        count_waits: false,
        part_of: None,
    }
}

fn run(worker: &mut Worker, launch: &Launch) -> Result<Run, String> {
    worker.run(Choice::Gpu, PTX, launch, LIMIT).map_err(|e| e.to_string())
}

fn floats(run: &Run) -> Vec<f32> {
    let bytes = run.outputs.first().map(|o| o.data.as_slice()).unwrap_or_default();
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn observed(holds: bool, what: impl std::fmt::Debug) -> Observed {
    let what = format!("{what:?}");
    let what = if what.len() > 300 { format!("{}...", &what[..300]) } else { what };
    if holds { Ok(what) } else { Err(what) }
}

fn is_guard(fault: &Fault, buffer: &str, at: i64) -> bool {
    matches!(fault, Fault::GuardZone { name, index } if name == buffer && *index == at)
}

fn is_driver(fault: &Fault, expected: u32) -> bool {
    matches!(fault, Fault::Driver { code, .. } if *code == expected)
}

/// Exactly one fault, of this kind.
fn expect(worker: &mut Worker, entry: &str, right: &dyn Fn(&Fault) -> bool) -> Observed {
    let run = run(worker, &launch(entry))?;
    observed(run.faults.len() == 1 && run.faults.iter().all(right), &run.faults)
}

fn right(worker: &mut Worker) -> Observed {
    let run = run(worker, &launch("double_it"))?;
    let expected: Vec<f32> = (0..N).map(|i| 2.0 * (i as f32 + 0.5)).collect();
    observed(run.faults.is_empty() && floats(&run) == expected, (&run.device, &run.faults))
}

fn overrun(worker: &mut Worker) -> Observed {
    expect(worker, "overrun", &|f| is_guard(f, "out", N as i64))
}

fn copy_overrun(worker: &mut Worker) -> Observed {
    expect(worker, "copy_overrun", &|f| is_guard(f, "out", N as i64))
}

fn scribble(worker: &mut Worker) -> Observed {
    let is_fifth = |f: &Fault| matches!(f, Fault::InputChanged { name, index: 5 } if name == "in");
    expect(worker, "scribble", &is_fifth)
}

fn untouched(worker: &mut Worker) -> Observed {
    let run = run(worker, &launch("greet"))?;
    let poisoned = run.outputs.first().is_some_and(|o| {
        o.poison.is_some_and(|p| o.data.chunks(4).all(|word| word == p)) && o.data.len() == N * 4
    });
    observed(poisoned && run.faults.is_empty(), floats(&run).first())
}

fn fresh_state(worker: &mut Worker) -> Observed {
    let counts: Vec<Option<f32>> = (0..2)
        .map(|_| {
            let one_block = Launch { grid: [1; 3], ..launch("count_calls") };
            run(worker, &one_block).map(|r| floats(&r).first().copied())
        })
        .collect::<Result<_, _>>()?;
    observed(counts == [Some(1.0), Some(1.0)], counts)
}

fn much_shared(worker: &mut Worker) -> Observed {
    let fits = run(worker, &Launch { grid: [1; 3], shared: 8 << 10, ..launch("much_shared") })?;
    let too_much = run(worker, &Launch { shared: 1 << 20, ..launch("much_shared") })?;
    let refused = too_much.faults.first().is_some_and(|f| is_driver(f, 701));
    let sum = floats(&fits).first() == Some(&256.0);
    observed(sum && fits.faults.is_empty() && refused, (&fits.faults, &too_much.faults))
}

fn too_many_threads(worker: &mut Worker) -> Observed {
    let run = run(worker, &Launch { block: [1024, 2, 1], ..launch("double_it") })?;
    observed(run.faults.first().is_some_and(|f| is_driver(f, 701)), &run.faults)
}

fn not_ptx(worker: &mut Worker) -> Observed {
    let broken = PTX.replacen("ret;", "retreat %r1;", 1);
    let run =
        worker.run(Choice::Gpu, &broken, &launch("double_it"), LIMIT).map_err(|e| e.to_string())?;
    let named =
        |f: &Fault| matches!(f, Fault::Driver { code: 218, text, .. } if text.contains("retreat"));
    observed(run.faults.iter().all(named) && run.faults.len() == 1, &run.faults)
}

fn future_ptx(worker: &mut Worker) -> Observed {
    let future = PTX.replacen(".version 9.0", ".version 99.0", 1);
    match worker.run(Choice::Gpu, &future, &launch("double_it"), LIMIT) {
        Err(Error::NoGpu(no_gpu)) => Ok(no_gpu.to_string()),
        other => Err(format!("{other:?}")),
    }
}

fn missing_argument(worker: &mut Worker) -> Observed {
    let mut short = launch("double_it");
    short.args.truncate(2);
    match worker.run(Choice::Gpu, PTX, &short, LIMIT) {
        Err(Error::Bug(text)) => Ok(text),
        other => Err(format!("{other:?}")),
    }
}

fn asserted(worker: &mut Worker) -> Observed {
    let run = run(worker, &Launch { grid: [1; 3], block: [4, 1, 1], ..launch("asserted") })?;
    let said = run.printed.contains("thread: [3,0,0] Assertion `in[threadIdx.x] < 3.0f` failed");
    observed(
        said && run.faults.iter().all(|f| is_driver(f, 710)) && run.faults.len() == 1,
        (&run.faults, &run.printed),
    )
}

fn endless(worker: &mut Worker) -> Observed {
    let limit = Duration::from_secs(2);
    let run = worker.run(Choice::Gpu, PTX, &launch("endless"), limit).map_err(|e| e.to_string())?;
    observed(run.faults == [Fault::TimedOut { seconds: 2.0 }], &run.faults)
}

fn greet(worker: &mut Worker) -> Observed {
    let run = run(worker, &Launch { grid: [1; 3], ..launch("greet") })?;
    let lines: Vec<&str> = run.printed.lines().collect();
    observed(lines == ["cwk1 thread 0 of 256", "cwk1 thread 1 of 256"], lines)
}

fn chatter(worker: &mut Worker) -> Observed {
    let run = run(worker, &Launch { grid: [4, 1, 1], block: [64, 1, 1], ..launch("chatter") })?;
    let cut = run.printed.len() <= PRINTED_LIMIT && run.printed_dropped > 0;
    observed(cut && run.faults.is_empty(), (run.printed.len(), run.printed_dropped))
}

/// Larger than the device's memory, so the driver refuses it before anything is copied.
fn huge(worker: &mut Worker) -> Observed {
    let mut many = launch("double_it");
    let output = Arg::Buffer {
        name: "out".into(),
        dtype: DType::F32,
        bytes: 1 << 62,
        data: None,
        writable: true,
    };
    if let Some(arg) = many.args.get_mut(1) {
        *arg = output;
    }
    match worker.run(Choice::Gpu, PTX, &many, LIMIT) {
        Err(Error::NoGpu(no_gpu)) => Ok(no_gpu.to_string()),
        other => Err(format!("{other:?}")),
    }
}

fn twenty(worker: &mut Worker) -> Observed {
    let start = Instant::now();
    for _ in 0..20 {
        right(worker)?;
    }
    Ok(format!("{:.2} ms each", start.elapsed().as_secs_f64() * 1e3 / 20.0))
}
