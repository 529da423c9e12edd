//! What `checker bench` shows where nothing can be timed: the least time that a kernel can take.

use std::fmt::Write;

use colored::Colorize;
use serde::Serialize;

use crate::bound::record::{File, Record, measured};
use crate::bound::{Alone, Bound, CARDS, Card, Limit, Work};
use crate::timing;
use checker::report::terminal::wrap;
use checker::spec::Spec;

/// Limits of less than this share of the bound aren't shown.
const SHOWN: f64 = 0.05;
/// Characters of the longest bar.
const BAR: f64 = 24.0;

/// The least times of a learner's file, beside those of the course's files.
#[derive(Debug, Serialize)]
pub struct Bounds {
    exercise: String,
    sizes: String,
    cards: Vec<OnCard>,
}

#[derive(Debug, Serialize)]
struct OnCard {
    gpu: &'static str,
    yours: Bound,
    original: Option<Reference>,
    solution: Option<Reference>,
}

/// A file of the course.
#[derive(Debug, Clone, Copy, Serialize)]
struct Reference {
    /// Seconds.
    bound: f64,
    /// The time that was measured on such a card in seconds, if it was.
    measured: Option<f64>,
}

impl Bounds {
    /// The bounds of launches with this work.
    ///
    /// # Errors
    /// When a record of the course cannot be read.
    pub fn new(spec: &Spec, work: &[Work]) -> anyhow::Result<Self> {
        let record = Record::load()?;
        let reference = |card: &Card, file| -> anyhow::Result<Option<Reference>> {
            let Some(kernels) = record.find(spec, file) else { return Ok(None) };
            let measured = measured(card, spec.id, file)?.map(|milliseconds| milliseconds * 1e-3);
            Ok(Some(Reference { bound: kernels.bound(card).seconds, measured }))
        };
        let on_card = |card: &Card| {
            Ok(OnCard {
                gpu: card.name,
                yours: Bound::of(work, card),
                original: reference(card, File::Original)?,
                solution: reference(card, File::Solution)?,
            })
        };
        let cards = CARDS.iter().map(on_card).collect::<anyhow::Result<_>>()?;
        Ok(Self { exercise: spec.id.into(), sizes: timing::sizes(spec), cards })
    }

    /// The table, and the limits of the learner's file on the card with this name, in lines of at
    /// most `width` characters.
    pub fn text(&self, gpu: &str, width: usize) -> String {
        let about = "The simulator has counted the work of your file. On these GPUs, it takes at \
                     least this long. The measured times are those of the course's files there.";
        let mut out = wrap(about, width).join("\n");
        let _ = write!(out, "\n\n{} with {}\n{:<14}", self.exercise.bold(), self.sizes, "");
        for card in &self.cards {
            let _ = write!(out, "{:>14}{:>12}", format!("{}: least", card.gpu), "measured");
        }
        out.push('\n');
        let mut row = |name: &str, of: &dyn Fn(&OnCard) -> Option<Reference>| {
            if !self.cards.iter().any(|card| of(card).is_some()) {
                return;
            }
            let _ = write!(out, "{name:<14}");
            for reference in self.cards.iter().map(of) {
                let least = reference.map_or(String::new(), |known| milliseconds(known.bound));
                let time = reference.and_then(|known| known.measured);
                let time = time.map_or("-".into(), milliseconds);
                let _ = write!(out, "{least:>14}{time:>12}");
            }
            out.push('\n');
        };
        let yours = |card: &OnCard| Some(Reference { bound: card.yours.seconds, measured: None });
        row("your file", &yours);
        row("the original", &|card| card.original);
        row("the solution", &|card| card.solution);
        if let Some(card) = self.cards.iter().find(|card| card.gpu == gpu) {
            let _ = write!(out, "\n{}", limits(&card.yours, gpu, width));
        }
        out
    }
}

/// What each limit alone takes, with a bar, and what the greatest means.
fn limits(bound: &Bound, gpu: &str, width: usize) -> String {
    let mut out = format!("What your file needs at least on an {gpu}:\n");
    let longest = bound.limits.first().map_or(0.0, |first| first.seconds);
    for Alone { limit, seconds } in &bound.limits {
        if *seconds > 0.0 && *seconds >= SHOWN * longest {
            let bar = "█".repeat((BAR * seconds / longest).ceil() as usize);
            let _ = writeln!(out, "  {:<32}{:>11}  {bar}", name(*limit), milliseconds(*seconds));
        }
    }
    let _ = write!(out, "\n{}", wrap(meaning(bound.limiter()), width).join("\n"));
    out
}

/// "0.132 ms", and "0.5 µs" below a microsecond.
fn milliseconds(seconds: f64) -> String {
    match seconds < 1e-6 {
        true => format!("{:.1} µs", seconds * 1e6),
        false => format!("{:.3} ms", seconds * 1e3),
    }
}

/// What is limited.
const fn name(limit: Limit) -> &'static str {
    match limit {
        Limit::Instructions => "instructions",
        Limit::SharedMemory => "wavefronts of shared memory",
        Limit::L1 => "lines and sectors from L1",
        Limit::BusiestBlock => "L1, for one block",
        Limit::L2 => "bytes from and to L2",
        Limit::DeviceMemory => "bytes from and to device memory",
        Limit::SingleSectors => "single sectors of device memory",
        Limit::PartialStores => "stores to parts of sectors",
        Limit::Atomics => "atomics on device memory",
        Limit::Latency => "waiting for loads",
    }
}

/// What a kernel with this limit does, and what would help.
const fn meaning(limit: Limit) -> &'static str {
    match limit {
        Limit::Instructions => {
            "Your file is limited by its instructions: a multiprocessor issues at most four in a cycle, each \
             for a warp. Fewer instructions for each result would make the least time shorter."
        }
        Limit::SharedMemory => {
            "Your file is limited by shared memory: a multiprocessor has one wavefront in a cycle, with 32 \
             words at most. Without bank conflicts, or with values that stay in registers, it would need fewer."
        }
        Limit::L1 => {
            "Your file is limited by L1: it looks up the lines of a load or store of a warp one after the \
             other. Threads of a warp that access neighbouring elements need fewer lines."
        }
        Limit::BusiestBlock => {
            "Your file is limited by one block, which does much more than the others. Most multiprocessors \
             have nothing to do meanwhile. More blocks with less work would share it."
        }
        Limit::L2 => {
            "Your file is limited by L2: its loads find too little in L1. Values that threads of a block \
             share, or neighbouring elements for neighbouring threads, would need fewer bytes from L2."
        }
        Limit::DeviceMemory => {
            "Your file is limited by device memory. If it moves each element only once, no kernel for this \
             exercise is much faster."
        }
        Limit::SingleSectors => {
            "Your file is limited by loads of single sectors, which device memory delivers much more slowly \
             than whole lines. Neighbouring threads should load neighbouring elements."
        }
        Limit::PartialStores => {
            "Your file is limited by stores that fill only a part of a sector, so that the device has to \
             combine it with the rest. Neighbouring threads should store neighbouring elements."
        }
        Limit::Atomics => {
            "Your file is limited by atomic operations on device memory. Those on one word happen one \
             after the other. Each block can combine its values first, in registers or shared memory."
        }
        Limit::Latency => {
            "Your file is limited by latency: its warps wait for loads, and too few loads are in flight. More \
             resident warps, or several independent loads in each thread, would hide it."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole output, as a learner sees it.
    #[test]
    fn the_table() {
        colored::control::set_override(false);
        let reference = |bound, measured| Some(Reference { bound, measured });
        let on_card = |gpu, card: &Card| OnCard {
            gpu,
            yours: Bound::of(
                &[Work {
                    read_sectors: 4e7,
                    written_sectors: 4e7,
                    partial_stores: 1e7,
                    wavefronts: 3e7,
                    ..Work::default()
                }],
                card,
            ),
            original: reference(1e-3, Some(1.5e-3)),
            solution: reference(0.5e-3, None),
        };
        let bounds = Bounds {
            exercise: "tile_transpose".into(),
            sizes: "rows = 8192, cols = 4096".into(),
            cards: vec![on_card("H100", &CARDS[0]), on_card("H200", &CARDS[1])],
        };
        insta::assert_snapshot!(bounds.text("H100", 80));
    }
}
