//! `checker dev hardware`: the simulator's tables on a real GPU. Records of what came out are in
//! `checker/crates/ptxsim/tests/records/`, and tests hold the simulator to them.
//!
//! Runs in this process and not in a worker: the kernels are ours, and a profiler watches one process best.

mod instructions;

use crate::backend::gpu::Gpu;
use crate::backend::{Arg, Backend, Launch, Run};
use crate::cli::Hardware;
use crate::exit::Exit;
use crate::value::DType;

/// Runs one of the tables.
pub fn run(what: &Hardware) -> anyhow::Result<Exit> {
    match what {
        Hardware::Launches { list: true } => {
            for launch in ptx_cases::counters::launches() {
                say!("{}\t{}\t{}", launch.name, launch.kernel, launch.file);
            }
            Ok(Exit::Passed)
        }
        Hardware::Launches { list: false } => launches(),
        Hardware::Instructions(args) => instructions::run(args),
    }
}

/// Every launch whose cost is recorded, with nothing launched between them.
fn launches() -> anyhow::Result<Exit> {
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
    say!("{} launches on {}", all.len(), gpu.info().name);
    Ok(Exit::Passed)
}

/// One launch; a fault of any kind is an error here.
fn launched(gpu: &mut Gpu, launch: &ptx_cases::Launch) -> anyhow::Result<Run> {
    let run = gpu.run(&Launch {
        entry: launch.kernel.clone(),
        grid: launch.grid,
        block: launch.block,
        shared: launch.shared,
        cooperative: false,
        args: launch.args.iter().map(argument).collect(),
        seed: 0,
        budget: 0,
        repeat: 0,
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
