//! The record of `checker bench`: a file with one line of JSON for each time that it was run.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::timing::{Limits, Sample, Times};

/// What one run has measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// When.
    pub at: jiff::Timestamp,
    /// The exercise.
    pub exercise: String,
    /// Its large case: "n = 67108864".
    pub sizes: String,
    /// SHA-256 of the learner's file, as text.
    pub file: String,
    /// "NVIDIA H100 80GB HBM3".
    pub gpu: String,
    /// The newest CUDA version that its driver takes: "13.0".
    pub driver: String,
    /// The version of the compiler of kernels: "13.0.88".
    pub compiler: String,
    /// State of the GPU before the measurement, as far as `nvidia-smi` has told it.
    pub clocks: Option<Clocks>,
    /// What the GPU could do at best.
    pub limits: Limits,
    /// Bytes that the kernels have to move; `None` for a program whose kernels aren't timed.
    pub bytes: Option<u64>,
    /// Floating-point operations that the large case needs; `None` if they aren't counted.
    pub operations: Option<f64>,
    /// The learner's file.
    pub yours: Measured,
    /// The original file, if it is right but slow.
    pub original: Option<Measured>,
    /// The solution.
    pub solution: Measured,
    /// What a library needs for the same work, if there is one for it on this machine.
    pub library: Option<LibraryTime>,
}

impl Entry {
    /// The least time in seconds that the card's limits allow; `None` for a program.
    pub fn least(&self) -> Option<f64> {
        let bytes = self.bytes? as f64 / self.limits.copy;
        let operations = self.operations.unwrap_or(0.0) / self.limits.operations;
        Some(bytes.max(operations))
    }
}

/// The times of one file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// With inputs in the caches, as far as they fit; or of a program's calls.
    pub warm: Sample,
    /// With other data in the caches; `None` for a program.
    pub cold: Option<Sample>,
    /// All kernels of a program together, if they were timed.
    pub kernels: Option<Sample>,
}

impl Measured {
    /// The times of kernels, alone or within a program; of a program's calls if its kernels aren't
    /// timed.
    pub fn shown(&self) -> Sample {
        self.kernels.unwrap_or(self.warm)
    }
}

impl From<Times> for Measured {
    fn from(Times { warm, cold }: Times) -> Self {
        Self { warm, cold, kernels: None }
    }
}

/// The times of a library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryTime {
    /// "cuBLAS".
    pub name: String,
    /// With data that is on the device.
    pub time: Sample,
}

/// State of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// Clock of the multiprocessors in MHz.
    pub multiprocessors: f64,
    /// Clock of the memory in MHz.
    pub memory: f64,
    /// Power in watts.
    pub power: f64,
    /// Temperature in degrees Celsius.
    pub temperature: f64,
}

/// Asks `nvidia-smi` about the first GPU; `None` if that isn't possible.
pub fn clocks() -> Option<Clocks> {
    let query = "--query-gpu=clocks.sm,clocks.mem,power.draw,temperature.gpu";
    let mut command = Command::new("nvidia-smi");
    command.args([query, "--format=csv,noheader,nounits"]);
    // The first GPU that the driver shows to this process.
    let visible = std::env::var("CUDA_VISIBLE_DEVICES").ok();
    let first =
        visible.as_deref().and_then(|list| list.split(',').next()).filter(|id| !id.is_empty());
    command.args(["--id", first.unwrap_or("0")]);
    let output = command.output().ok().filter(|output| output.status.success())?;
    parse(&String::from_utf8_lossy(&output.stdout))
}

fn parse(line: &str) -> Option<Clocks> {
    let numbers: Vec<f64> =
        line.trim().split(',').map_while(|word| word.trim().parse().ok()).collect();
    let [multiprocessors, memory, power, temperature] = numbers.try_into().ok()?;
    Some(Clocks { multiprocessors, memory, power, temperature })
}

/// The entries of a file, the oldest first.
///
/// # Errors
/// When the file can't be read, or a line isn't an entry.
pub fn read(file: &Path) -> anyhow::Result<Vec<Entry>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let entry = |(at, line): (usize, &str)| {
        serde_json::from_str(line).with_context(|| {
            format!(
                "{}:{}: this line isn't one that `bench --record` has written",
                file.display(),
                at + 1
            )
        })
    };
    lines.map(entry).collect()
}

/// Adds an entry to a file, which is made if it isn't there.
///
/// # Errors
/// When the file can't be written, or contains something else.
pub fn add(file: &Path, entry: &Entry) -> anyhow::Result<()> {
    if file.exists() {
        let entries = read(file)?;
        if entries.is_empty() && std::fs::metadata(file).is_ok_and(|data| data.len() > 1) {
            bail!("{} isn't a record of `bench`", file.display());
        }
    }
    let line = format!("{}\n", serde_json::to_string(entry)?);
    let write =
        || OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes());
    write().with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An entry with these medians.
    pub fn entry(yours: f64, solution: f64) -> Entry {
        let measured = |median| {
            let sample = Sample { median, least: median, spread: 0.01, count: 9 };
            Measured {
                warm: sample,
                cold: Some(Sample { median: 2.0 * median, ..sample }),
                kernels: None,
            }
        };
        Entry {
            at: "2026-03-01T12:00:00Z".parse().expect("a time"),
            exercise: "reduce_tree".into(),
            sizes: "n = 1000".into(),
            file: "ab".into(),
            gpu: "NVIDIA H100".into(),
            driver: "13.0".into(),
            compiler: "13.0.88".into(),
            clocks: parse("1980, 2619, 120.5, 41\n"),
            limits: Limits { copy: 3e12, operations: 5e13 },
            bytes: Some(750_000_000),
            operations: None,
            yours: measured(yours),
            original: Some(measured(1.0)),
            solution: measured(solution),
            library: None,
        }
    }

    /// What was recorded is read again, and a file of something else stays as it is.
    #[test]
    fn a_record_grows_by_a_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("times.jsonl");
        for yours in [1.0, 0.5] {
            add(&file, &entry(yours, 0.25)).expect("written");
        }
        assert_eq!(read(&file).expect("read"), [entry(1.0, 0.25), entry(0.5, 0.25)]);
        let other = folder.path().join("notes.txt");
        std::fs::write(&other, "my notes\n").expect("written");
        let error = add(&other, &entry(1.0, 0.25)).expect_err("refused").to_string();
        assert!(error.contains("notes.txt:1: this line isn't one"), "{error}");
        assert_eq!(std::fs::read_to_string(&other).expect("read"), "my notes\n");
    }

    #[test]
    fn the_state_of_a_gpu() {
        let clocks =
            Clocks { multiprocessors: 1980.0, memory: 2619.0, power: 70.25, temperature: 36.0 };
        assert_eq!(parse("1980, 2619, 70.25, 36\n"), Some(clocks));
        for other in ["", "1980, [N/A], 70.25, 36", "1980, 2619, 70.25", "no devices were found"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
