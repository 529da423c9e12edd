//! Tests with the numbers that the runtime reports on an H100, with those of the occupancy
//! calculator, and with arbitrary blocks.

use proptest::prelude::*;

use super::*;

/// What `hardware/occupancy.cu` printed.
const H100: &str = include_str!("../../hardware/occupancy-h100.tsv");

fn block(threads: u32, registers: u32, shared: u32) -> BlockResources {
    BlockResources { threads, registers: Some(registers), shared }
}

/// The error of a launch of 265 blocks without shared memory.
fn refusal(registers: u32, threads: u32, cooperative: bool) -> Option<i32> {
    let threads = threads.into();
    let needs = Needs { registers, threads, blocks: 265, shared: 0, cooperative };
    needs.refusal("k").map(|(code, _)| code.0)
}

fn numbers(line: &str) -> Vec<u32> {
    line.split('\t').filter_map(|cell| cell.parse().ok()).collect()
}

/// Resident blocks, and launches that fail with 701, for 33 kernels and 2079 launches.
#[test]
fn blocks_are_those_of_an_h100() {
    let launches = H100.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let mut compared = 0;
    for line in launches {
        let [registers, threads, shared, blocks, available, error] = numbers(line)[..] else {
            panic!("{line}")
        };
        let seen = SIMULATED.occupancy(block(threads, registers, shared));
        assert_eq!(seen.blocks, blocks, "{line}");
        if blocks > 0 {
            assert_eq!(SIMULATED.available_shared(blocks), available, "{line}");
        }
        assert_eq!(refusal(registers, threads, false), (error == 701).then_some(701), "{line}");
        assert!(error == 701 || error == 0, "{line}");
        compared += 1;
    }
    assert_eq!(compared, 33 * 63);
}

/// `maxThreadsPerBlock`, and the block that `cudaOccupancyMaxPotentialBlockSize` suggests, which is
/// the largest with the most warps.
#[test]
fn kernels_are_those_of_an_h100() {
    for line in H100.lines().filter(|line| line.starts_with("kernel")) {
        let [registers, max_threads, _, grid, best] = numbers(line)[..] else { panic!("{line}") };
        assert_eq!(max_threads_per_block(registers), max_threads, "{line}");
        let sizes = (1..=max_threads / 32).map(|warps| 32 * warps);
        let warps = |threads: &u32| SIMULATED.occupancy(block(*threads, registers, 0)).warps;
        let most = sizes.max_by_key(warps).expect("a size");
        assert_eq!(most, best, "{line}");
        let blocks = SIMULATED.occupancy(block(best, registers, 0)).blocks;
        assert_eq!(blocks * SIMULATED.multiprocessors, grid, "{line}");
    }
}

/// The name of a card; the threads, registers and bytes of shared memory of a block; and the
/// resident blocks with their limiters.
type Case = (&'static str, (u32, u32, u32), u32, &'static [Limiter]);

/// The occupancy calculator's answers for other cards.
#[test]
fn blocks_of_other_cards() {
    use Limiter::{Blocks, Registers, SharedMemory, Threads};
    let cases: &[Case] = &[
        ("sm_75", (256, 32, 0), 4, &[Threads]),
        ("sm_75", (32, 16, 0), 16, &[Blocks]),
        ("sm_75", (256, 64, 0), 4, &[Threads, Registers]),
        ("sm_75", (128, 32, 24_000), 2, &[SharedMemory]),
        ("sm_75", (1024, 65, 0), 0, &[Registers]),
        ("sm_80", (256, 32, 0), 8, &[Threads, Registers]),
        ("sm_80", (128, 32, 48 << 10), 3, &[SharedMemory]),
        ("sm_86", (256, 32, 0), 6, &[Threads]),
        ("sm_86", (256, 64, 0), 4, &[Registers]),
        ("sm_86", (64, 32, 0), 16, &[Blocks]),
        ("sm_89", (64, 32, 0), 24, &[Threads, Blocks]),
        ("sm_89", (128, 32, 49 << 10), 2, &[SharedMemory]),
        ("sm_90", (1024, 32, 0), 2, &[Threads, Registers]),
        ("sm_100", (128, 128, 0), 4, &[Registers]),
        ("sm_100", (128, 32, 200 << 10), 1, &[SharedMemory]),
    ];
    for (name, (threads, registers, shared), blocks, limiters) in cases {
        let card = Card::find(name).expect("a card");
        let seen = card.occupancy(block(*threads, *registers, *shared));
        assert_eq!((seen.blocks, seen.limiters().as_slice()), (*blocks, *limiters), "{name}");
    }
}

/// 264 blocks of 512 threads with 64 registers are resident on 132 multiprocessors.
#[test]
fn cooperative_launches_need_registers_for_all_blocks() {
    assert_eq!(refusal(64, 512, true), Some(720));
    assert_eq!((refusal(32, 512, true), refusal(64, 512, false)), (None, None));
}

/// Blocks that no launch can have: too many threads, or too much shared memory.
#[test]
fn impossible_blocks_are_never_resident() {
    for card in CARDS {
        assert_eq!(card.occupancy(block(1025, 16, 0)).blocks, 0, "{}", card.name);
        assert_eq!(card.occupancy(block(32, 16, 228 << 10)).blocks, 0, "{}", card.name);
        assert_eq!(card.occupancy(block(32, 16, u32::MAX)).blocks, 0, "{}", card.name);
    }
}

/// The simulator, which knows no registers, and this module agree on the rest.
#[test]
fn unknown_registers_limit_nothing() {
    for threads in 1..=1024 {
        for shared in [0, 1, 5000, 48 << 10, 114 << 10, 227 << 10] {
            let seen = SIMULATED.occupancy(BlockResources { threads, registers: None, shared });
            assert_eq!(u64::from(seen.blocks), ptxsim::occupancy(threads.into(), shared.into()));
        }
    }
    assert_eq!(SIMULATED.multiprocessors, ptxsim::MULTIPROCESSORS);
}

#[test]
fn cards_are_found_in_every_spelling() {
    for name in ["h100", "H100", "sm_90", "sm90", "9.0", "90"] {
        assert_eq!(Card::find(name), Some(&SIMULATED), "{name}");
    }
    for name in ["rtx4090", "RTX 4090", "rtx-4090", "sm_89"] {
        assert_eq!(Card::find(name).map(|card| card.name), Some("RTX 4090"), "{name}");
    }
    assert_eq!(Card::find("sm_100").map(Card::architecture).as_deref(), Some("sm_100"));
    for name in ["", "sm", "sm_", "sm_60", "GeForce"] {
        assert_eq!(Card::find(name), None, "{name}");
    }
}

proptest! {
    /// A block that needs more of one resource is never resident more often, and what is resident
    /// fits the multiprocessor.
    #[test]
    fn more_of_a_resource_never_means_more_blocks(
        card in 0..CARDS.len(),
        (threads, registers, shared) in (1_u32..=1024, 1_u32..=255, 0_u32..=228 << 10),
        (more_threads, more_registers, more_shared) in (0_u32..=1024, 0_u32..=255, 0_u32..=228 << 10),
    ) {
        let card = &CARDS[card];
        let of = |block| card.occupancy(block).blocks;
        let blocks = of(block(threads, registers, shared));
        prop_assert!(of(block(threads + more_threads, registers, shared)) <= blocks);
        prop_assert!(of(block(threads, registers + more_registers, shared)) <= blocks);
        prop_assert!(of(block(threads, registers, shared + more_shared)) <= blocks);
        prop_assert!(blocks * threads * registers <= REGISTERS);
        prop_assert!(blocks * threads <= card.limits.threads);
        prop_assert!(blocks * shared <= card.limits.shared);
        let seen = card.occupancy(block(threads, registers, shared));
        prop_assert!(!seen.limiters().is_empty() && seen.ratio() <= 1.0);
        prop_assert_eq!(
            refusal(registers, threads, false).is_some(),
            seen.by_registers == Some(0),
        );
    }
}
