//! What the card can do at best, measured in the same run: a copy, and arithmetic.

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use checker::attempt::SEED;
use checker::backend::{Arg, Choice, Launch};
use checker::compile::{self, Outcome};
use checker::engine::Engine;
use checker::value::DType;

use super::{LAUNCHES, Sample};

/// Number of floats in the copy: more than the caches of a GPU hold.
const COPIED_FLOATS: usize = 1 << 26;
const COPY: &str = include_str!("copy.cu");

const ARITHMETIC: &str = include_str!("arithmetic.cu");
/// Threads of the arithmetic: several on each core of the largest cards.
const THREADS: u32 = 1 << 20;
/// Operations of each thread, as in `arithmetic.cu`: chains, steps, and two in each step.
const OPERATIONS: f64 = 8.0 * 1024.0 * 2.0;

/// The limits of a card.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes that a plain copy reads and writes in a second.
    pub copy: f64,
    /// Additions and multiplications of floats in a second, two for each fused operation.
    pub operations: f64,
}

impl Limits {
    /// Measures them.
    ///
    /// # Errors
    /// When the GPU can't be used.
    pub fn measure(engine: &mut Engine) -> anyhow::Result<Self> {
        Ok(Self { copy: Self::copy(engine)?, operations: arithmetic(engine)? })
    }

    /// The bandwidth of a plain copy, in bytes per second.
    ///
    /// # Errors
    /// When the GPU can't be used.
    pub fn copy(engine: &mut Engine) -> anyhow::Result<f64> {
        let bytes = COPIED_FLOATS * 4;
        let quads = u32::try_from(COPIED_FLOATS / 4)?;
        let args = vec![
            buffer("in", bytes, Some(vec![1; bytes])),
            buffer("out", bytes, None),
            Arg::Scalar(quads.to_le_bytes().to_vec()),
        ];
        let seconds = seconds(engine, "copy", COPY, quads, args)?;
        Ok(2.0 * bytes as f64 / seconds)
    }
}

fn arithmetic(engine: &mut Engine) -> anyhow::Result<f64> {
    let args = vec![
        buffer("out", THREADS as usize * 4, None),
        Arg::Scalar(0.999_f32.to_le_bytes().to_vec()),
        Arg::Scalar(0.5_f32.to_le_bytes().to_vec()),
    ];
    let seconds = seconds(engine, "arithmetic", ARITHMETIC, THREADS, args)?;
    Ok(OPERATIONS * f64::from(THREADS) / seconds)
}

fn buffer(name: &str, bytes: usize, data: Option<Vec<u8>>) -> Arg {
    let writable = data.is_none();
    Arg::Buffer { name: name.into(), dtype: DType::F32, bytes, data, writable }
}

/// The median time of a kernel's launches with warm caches.
fn seconds(
    engine: &mut Engine,
    entry: &str,
    source: &str,
    threads: u32,
    args: Vec<Arg>,
) -> anyhow::Result<f64> {
    let file = format!("{entry}.cu");
    let module = match engine.compile(source, &file, &compile::Options::default())? {
        Outcome::Compiled(module) => module,
        refused => bail!("{file} does not compile: {refused:?}"),
    };
    let launch = Launch {
        entry: entry.into(),
        grid: [threads / 256, 1, 1],
        block: [256, 1, 1],
        shared: 0,
        cooperative: false,
        ordered: vec![],
        args,
        seed: SEED,
        budget: 0,
        repeat: LAUNCHES,
        disturbance: None,
        snapshots: None,
        count_waits: false,
        part_of: None,
    };
    let run = engine.run(Choice::Gpu, &module.ptx, &launch)?;
    ensure!(run.faults.is_empty(), "{file} failed: {:?}", run.faults);
    let sample = Sample::of(&run.milliseconds).context("no launch was timed")?;
    Ok(sample.median * 1e-3)
}
