//! The occupancy of a multiprocessor by the kernels of a run, as data and as a table. The names are
//! those of NVIDIA Nsight Compute ("Occupancy" and "Launch Statistics").

use colored::Colorize;
use cudart_sim::occupancy::Limiter;
use serde::Serialize;

use super::terminal::{hanging, table_to_width};

/// The occupancy of a card by the kernels of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occupancies {
    /// The card: "H100".
    pub gpu: String,
    /// Its compute capability: "9.0".
    pub compute_capability: String,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Each kernel with each size of its blocks.
    pub kernels: Vec<KernelOccupancy>,
    /// Why the registers are unknown, so that `kernels` is empty.
    pub unknown: Option<String>,
}

/// The occupancy of a multiprocessor by one kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelOccupancy {
    /// The kernel's name, without its parameters.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Registers of a thread.
    pub registers_per_thread: u32,
    /// Local memory of a thread in bytes.
    pub local_bytes_per_thread: u32,
    /// Bytes of the instructions that store spilled registers.
    pub spill_store_bytes: u32,
    /// Bytes of the instructions that load spilled registers.
    pub spill_load_bytes: u32,
    /// Shared memory of a block in bytes, as the kernel declares it.
    pub static_shared_bytes: u32,
    /// Shared memory of a block in bytes, as the launch asks for it.
    pub dynamic_shared_bytes: u32,
    /// Resident blocks of a multiprocessor.
    pub active_blocks: u32,
    /// Resident warps of a multiprocessor.
    pub active_warps: u32,
    /// The most warps of a multiprocessor.
    pub max_warps: u32,
    /// Theoretical occupancy: resident warps of the most that are possible, from 0 to 1.
    pub occupancy: f64,
    /// How many blocks the registers allow.
    pub block_limit_registers: Option<u32>,
    /// How many blocks the shared memory allows.
    pub block_limit_shared_memory: Option<u32>,
    /// How many blocks the threads allow.
    pub block_limit_warps: u32,
    /// The most blocks of a multiprocessor.
    pub block_limit_sm: u32,
    /// The resources that allow no further block.
    pub limited_by: Vec<Limiter>,
    /// How often the grid fills the card.
    pub waves: Option<f64>,
}

/// The word for a limiter.
pub const fn word(limiter: Limiter) -> &'static str {
    match limiter {
        Limiter::Threads => "threads",
        Limiter::Blocks => "blocks",
        Limiter::Registers => "registers",
        Limiter::SharedMemory => "shared memory",
    }
}

impl KernelOccupancy {
    /// "threads and registers".
    pub fn limiters(&self) -> String {
        let words: Vec<&str> = self.limited_by.iter().map(|limiter| word(*limiter)).collect();
        words.join(" and ")
    }

    /// "75 %".
    pub fn percent(&self) -> String {
        format!("{:.0} %", 100.0 * self.occupancy)
    }
}

/// For each kernel a table of what a block needs, and how many blocks each resource allows; empty
/// without kernels.
pub fn table(all: &Occupancies, width: usize) -> String {
    if all.kernels.is_empty() {
        return String::new();
    }
    let legend = format!(
        "on one of the {} multiprocessors of the {} (compute capability {}); blocks: how many of them fit at the same \
         time, if nothing else limits them",
        all.multiprocessors, all.gpu, all.compute_capability
    );
    let tables = all.kernels.iter().map(|kernel| table_to_width(&rows(kernel), "  ", width));
    let tables: Vec<String> = tables.collect();
    format!("{}\n{}", tables.join("\n"), hanging(&legend, "  ", "  ", width).dimmed())
}

/// Sentences about kernels, one after the other.
pub fn sentences(all: &[String], width: usize) -> String {
    all.iter().map(|sentence| hanging(sentence, "  ", "    ", width)).collect()
}

/// The rows of a kernel's table, the heading first.
fn rows(kernel: &KernelOccupancy) -> Vec<Vec<String>> {
    let name: String =
        kernel.kernel.split('(').next().unwrap_or_default().chars().take(24).collect();
    let threads: u64 = kernel.block.iter().map(|side| u64::from(*side)).product();
    let shared = kernel.static_shared_bytes.saturating_add(kernel.dynamic_shared_bytes);
    let row = |limiter: Limiter, needs: String, blocks: Option<u32>| {
        let limits = kernel.limited_by.contains(&limiter);
        let blocks = blocks.map_or("-".to_owned(), |n| n.to_string());
        let mark = if limits { "limit" } else { "" };
        vec![word(limiter).to_owned(), needs, blocks, mark.to_owned()]
    };
    vec![
        vec![name, "needs".to_owned(), "blocks".to_owned(), String::new()],
        row(Limiter::Threads, format!("{threads} in a block"), Some(kernel.block_limit_warps)),
        row(
            Limiter::Registers,
            format!("{} in a thread", kernel.registers_per_thread),
            kernel.block_limit_registers,
        ),
        row(
            Limiter::SharedMemory,
            format!("{shared} bytes in a block"),
            kernel.block_limit_shared_memory,
        ),
        row(Limiter::Blocks, "-".to_owned(), Some(kernel.block_limit_sm)),
    ]
}
