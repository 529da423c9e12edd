//! `checker dev ptx`: runs any PTX file on the simulator.

use std::fs;
use std::path::Path;

use colored::Colorize;
use ptxsim::{Launch, Memory, Module, Observations, Options};

use checker::cli::Ptx;
use checker::exit::Exit;
use checker::say;

/// Why the PTX cannot be run.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{path}: {source}")]
    File { path: String, source: std::io::Error },
    #[error("{path}: {source}")]
    Simulator { path: String, source: ptxsim::Error },
}

/// Runs the PTX, writes the output buffer, and prints the observations as JSON.
pub fn run(args: &Ptx) -> anyhow::Result<Exit> {
    match observe(args) {
        Ok(observations) => {
            say!("{}", serde_json::to_string_pretty(&observations)?);
            Ok(Exit::Passed)
        }
        Err(error) => {
            eprintln!("{}: {error}", "error".red().bold());
            Ok(if matches!(error, Error::File { .. }) { Exit::Usage } else { Exit::NotYet })
        }
    }
}

fn observe(args: &Ptx) -> Result<Observations, Error> {
    let file = |path: &Path| {
        let path = path.display().to_string();
        move |source| Error::File { path, source }
    };
    let simulator = |source| Error::Simulator { path: args.file.display().to_string(), source };

    let text = fs::read_to_string(&args.file).map_err(file(&args.file))?;
    let module = Module::parse(&text).map_err(simulator)?;
    let mut memory = Memory::new();
    let mut addresses = Vec::new();
    if let Some(path) = &args.input {
        let input = fs::read(path).map_err(file(path))?;
        let address = memory.alloc("in", input.len() as u64, 4, Some(&input));
        addresses.push(address.map_err(simulator)?);
    }
    let zeros = zeros(args.output_bytes).map_err(simulator)?;
    let output = memory.alloc("out", args.output_bytes, 4, Some(&zeros)).map_err(simulator)?;
    addresses.push(output);

    let launch = Launch {
        entry: args.entry.clone(),
        grid: args.grid,
        block: args.block,
        shared: args.shared,
        shared_allowed: Some(args.shared),
        args: addresses.iter().map(|address| address.to_le_bytes().to_vec()).collect(),
        ..Launch::default()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // seed 0 keeps blocks and warps in their natural order, which an author expects
    let options = Options { threads, budget: args.budget, ..Options::default() };
    let observations = ptxsim::run(&module, &mut memory, &launch, &options).map_err(simulator)?;
    let bytes = memory.read(output, args.output_bytes).map_err(simulator)?;
    fs::write(&args.output, bytes).map_err(file(&args.output))?;
    Ok(observations)
}

/// A zeroed buffer. A size that memory cannot hold is an error instead of an abort.
fn zeros(bytes: u64) -> Result<Vec<u8>, ptxsim::Error> {
    let too_large =
        || ptxsim::Error::Memory(format!("an output of {bytes} bytes does not fit in memory"));
    let length = usize::try_from(bytes).map_err(|_| too_large())?;
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(length).map_err(|_| too_large())?;
    zeros.resize(length, 0);
    Ok(zeros)
}
