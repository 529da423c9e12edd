//! Times `checker run` for whole programs on the simulator with full diagnosis, after they were
//! compiled once: `cargo bench -p checker --bench programs`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often each program runs. The best time counts, because other processes share the machine.
const RUNS: usize = 5;

/// The programs, and their arguments.
const PROGRAMS: &[(&str, &str)] = &[
    ("vector_add", ""),
    ("matmul", ""),
    ("measured", "pricing"),
    ("measured", "scan"),
    ("measured", "histogram"),
    ("measured", "convolution"),
    ("measured", "streams"),
    ("measured", "sort"),
];

fn run(program: &Path, argument: &str) -> Duration {
    let start = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_checker"))
        .args(["run", "--backend", "sim"])
        .arg(program)
        .args(["--", argument])
        .stdout(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{} {argument}", program.display());
    start.elapsed()
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs");
    for (name, argument) in PROGRAMS {
        let program = folder.join(name).with_extension("cu");
        run(&program, argument); // compiles the program
        let best = (0..RUNS).map(|_| run(&program, argument)).min().unwrap_or_default();
        println!("{:24} {:6} ms", format!("{name} {argument}"), best.as_millis());
    }
}
