//! Describes how many blocks of a kernel are resident on a multiprocessor, and what limits them.

use super::words::{count, dims, many};
use crate::inspect::{KernelResidency, Residency};
use crate::report::occupancy::{KernelOccupancy, Occupancies};
use crate::text::sanitise;

/// Kernels that have a sentence of their own.
const SENTENCES: usize = 3;

/// The occupancy as data, and a sentence for each kernel. `alone` is the only kernel of an
/// exercise, which need not be named.
pub fn occupancy(residency: &Residency, alone: bool) -> (Occupancies, Vec<String>) {
    let card = residency.card;
    let (major, minor) = card.capability;
    let kernels = residency.kernels.as_deref().unwrap_or_default();
    let all = Occupancies {
        gpu: card.name.to_owned(),
        compute_capability: format!("{major}.{minor}"),
        multiprocessors: card.multiprocessors,
        kernels: kernels.iter().map(|kernel| described(residency, kernel)).collect(),
        unknown: residency.kernels.as_ref().err().map(|why| sanitise(why)),
    };
    let mut sentences: Vec<String> = all
        .kernels
        .iter()
        .take(SENTENCES)
        .map(|kernel| sentence(&all.gpu, kernel, alone))
        .collect();
    if let more @ 1.. = all.kernels.len().saturating_sub(SENTENCES) {
        let more = many(more as u64, "more kernel or shape", "more kernels or shapes");
        sentences.push(format!("the table of --gpu also has the occupancy of {more}"));
    }
    sentences.extend(all.unknown.iter().map(|why| format!("the registers are unknown: {why}")));
    (all, sentences)
}

fn described(residency: &Residency, seen: &KernelResidency) -> KernelOccupancy {
    let (resources, occupancy) = (&seen.resources, &seen.occupancy);
    KernelOccupancy {
        kernel: sanitise(&seen.kernel),
        grid: seen.grid,
        block: seen.block,
        registers_per_thread: resources.registers,
        local_bytes_per_thread: resources.local,
        spill_store_bytes: resources.spill_stores,
        spill_load_bytes: resources.spill_loads,
        static_shared_bytes: resources.shared,
        dynamic_shared_bytes: seen.dynamic_shared,
        active_blocks: occupancy.blocks,
        active_warps: occupancy.warps,
        max_warps: occupancy.max_warps,
        occupancy: occupancy.ratio(),
        block_limit_registers: occupancy.by_registers,
        block_limit_shared_memory: occupancy.by_shared,
        block_limit_warps: occupancy.by_threads,
        block_limit_sm: occupancy.by_blocks,
        limited_by: occupancy.limiters(),
        waves: seen.waves(residency.card),
    }
}

/// "occupancy 100 % on an H100: 8 blocks per multiprocessor, limited by threads; 10 registers per
/// thread".
fn sentence(gpu: &str, kernel: &KernelOccupancy, alone: bool) -> String {
    let name = kernel.kernel.split('(').next().unwrap_or_default();
    let of = match alone {
        true => String::new(),
        false => format!(" of `{name}` in blocks of {} threads", dims(kernel.block)),
    };
    let gpu = format!("{} {gpu}", article(gpu));
    let registers =
        many(kernel.registers_per_thread.into(), "register per thread", "registers per thread");
    let spilled = match (kernel.spill_store_bytes, kernel.local_bytes_per_thread) {
        (0, _) => String::new(),
        (_, bytes) => {
            format!(", and {} of local memory for values that don't fit", count_bytes(bytes))
        }
    };
    if kernel.active_blocks == 0 {
        return format!(
            "no block{of} can be launched on {gpu}: {} allow none; {registers}{spilled}",
            kernel.limiters()
        );
    }
    format!(
        "occupancy{of} {} on {gpu}: {} per multiprocessor, limited by {}; {registers}{spilled}",
        kernel.percent(),
        many(kernel.active_blocks.into(), "block", "blocks"),
        kernel.limiters(),
    )
}

fn count_bytes(bytes: u32) -> String {
    format!("{} {}", count(bytes.into()), if bytes == 1 { "byte" } else { "bytes" })
}

/// The article before the name of a card, whose first letter is usually spelled.
fn article(name: &str) -> &'static str {
    let vowel = |c: char| "AEFHILMNORSX".contains(c);
    if name.starts_with(vowel) { "an" } else { "a" }
}

#[cfg(test)]
mod tests {
    use cudart_sim::occupancy::{Card, SIMULATED};
    use cudart_sim::resources::KernelResources;
    use cudart_sim::runtime::LaunchRecord;

    use super::*;

    fn residency(card: &'static Card, registers: u32, spill_stores: u32) -> Residency {
        let name = "step".to_owned();
        let resources = KernelResources {
            name,
            registers,
            spill_stores,
            local: spill_stores,
            ..Default::default()
        };
        let launch = LaunchRecord {
            kernel: "step".into(),
            symbol: "step".into(),
            grid: [264, 1, 1],
            block: [256, 1, 1],
            ..LaunchRecord::default()
        };
        Residency::of_program(card, Ok(vec![resources]), &[&launch])
    }

    #[test]
    fn a_sentence_names_the_limit() {
        let (all, sentences) = occupancy(&residency(&SIMULATED, 40, 0), true);
        let expected = "occupancy 75 % on an H100: 6 blocks per multiprocessor, limited by registers; 40 registers per thread";
        assert_eq!(sentences, [expected]);
        assert_eq!(all.kernels[0].waves, Some(264.0 / (6.0 * 132.0)));
        let turing = Card::find("sm_75").expect("a card");
        let (_, sentences) = occupancy(&residency(turing, 64, 8), false);
        let expected = "occupancy of `step` in blocks of 256 threads 100 % on a T4: 4 blocks per multiprocessor, limited by threads and registers; 64 registers per thread, and 8 bytes of local memory for values that don't fit";
        assert_eq!(sentences, [expected]);
    }

    #[test]
    fn what_is_unknown_is_said() {
        let why = Err("there is no assembler".to_owned());
        let (all, sentences) = occupancy(&Residency::of_program(&SIMULATED, why, &[]), true);
        assert_eq!(sentences, ["the registers are unknown: there is no assembler"]);
        assert!(all.kernels.is_empty() && all.unknown.is_some());
    }
}
