//! Runs the simulator's tables on a real GPU. `crates/ptxsim/tests/records/` holds the results, and
//! the simulator's tests compare against them.
//!
//! ```text
//! cargo build --release -p checker --example hardware
//! target/release/examples/hardware launches             under a profiler
//! target/release/examples/hardware instructions > RECORD.tsv
//! ```
//!
//! The kernels run in this process and not in a worker, because they are trusted and a profiler
//! works best with one process.

mod instructions;

use std::path::PathBuf;
use std::process::ExitCode;

use checker::backend::gpu::Gpu;
use checker::backend::{Arg, Backend, Launch, Run};
use checker::value::DType;
use clap::{Args, Parser};

/// Run the simulator's tables on this machine's GPU
#[derive(Debug, Parser)]
enum Table {
    /// Launch every kernel with recorded costs once, in the record's order, for a profiler
    Launches {
        /// Only list the launches: name, kernel and file.
        #[arg(long)]
        list: bool,
    },
    /// Run every case of the instruction tables and print the record; the exit code is 1 if a case
    /// has unexpected results
    Instructions(Instructions),
}

/// Options of `hardware instructions`.
#[derive(Debug, Args)]
struct Instructions {
    /// Run only these groups of cases, such as `matrices_of_floats`.
    #[arg(value_name = "GROUP")]
    groups: Vec<String>,

    /// Also write all results to this file, as 64-bit numbers one after the other.
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
}

fn main() -> anyhow::Result<ExitCode> {
    match Table::parse() {
        Table::Launches { list: true } => {
            for launch in ptx_cases::counters::launches() {
                println!("{}\t{}\t{}", launch.name, launch.kernel, launch.file);
            }
            Ok(ExitCode::SUCCESS)
        }
        Table::Launches { list: false } => launches(),
        Table::Instructions(args) => instructions::run(&args),
    }
}

/// Makes every launch with recorded costs, and no others.
fn launches() -> anyhow::Result<ExitCode> {
    let mut gpu = Gpu::open()?;
    let mut loaded = "";
    let all = ptx_cases::counters::launches();
    for launch in &all {
        if launch.file != loaded {
            let ptx = ptx_cases::counters::ptx(launch.file);
            gpu.load(ptx.unwrap_or_default().to_owned());
            loaded = launch.file;
        }
        launched(&mut gpu, launch)?;
    }
    println!("{} launches on {}", all.len(), gpu.info().name);
    Ok(ExitCode::SUCCESS)
}

/// Makes one launch. A fault of any kind is an error.
fn launched(gpu: &mut Gpu, launch: &ptx_cases::Launch) -> anyhow::Result<Run> {
    let run = gpu.run(&Launch {
        entry: launch.kernel.clone(),
        grid: launch.grid,
        block: launch.block,
        shared: launch.shared,
        cooperative: false,
        ordered: vec![],
        args: launch.args.iter().map(argument).collect(),
        seed: 0,
        budget: 0,
        repeat: 0,
        disturbance: None,
        snapshots: None,
        count_waits: false,
        part_of: None,
    })?;
    anyhow::ensure!(run.faults.is_empty(), "{}: {:?}", launch.name, run.faults);
    Ok(run)
}

fn argument(arg: &ptx_cases::Arg) -> Arg {
    match arg {
        ptx_cases::Arg::Buffer { contents, .. } => Arg::Buffer {
            name: "buffer".to_owned(),
            dtype: DType::U8,
            bytes: contents.len(),
            data: Some(contents.clone()),
            writable: true,
        },
        ptx_cases::Arg::Scalar(bytes) => Arg::Scalar(bytes.clone()),
    }
}
