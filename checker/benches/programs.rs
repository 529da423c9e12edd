//! Times `checker run` for whole programs on the simulator with full diagnosis, after they were
//! compiled once: `cargo bench -p checker --bench programs`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often each program runs. The best time counts, because other processes share the machine.
const RUNS: usize = 5;

fn run(program: &Path) -> Duration {
    let start = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_checker"))
        .args(["run", "--backend", "sim"])
        .arg(program)
        .stdout(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{}", program.display());
    start.elapsed()
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs");
    for name in ["vector_add", "matmul"] {
        let program = folder.join(name).with_extension("cu");
        run(&program); // compiles the program
        let best = (0..RUNS).map(|_| run(&program)).min().unwrap_or_default();
        println!("{name:12} {:6} ms", best.as_millis());
    }
}
