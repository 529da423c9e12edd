//! Counts what the L1 and L2 caches can't serve.
//!
//! Each warp has an equal share of both caches, which keeps the lines of 128 bytes that the warp
//! accessed last; a line has four sectors, which are loaded separately (CUDA C++ Programming Guide,
//! "Device Memory Accesses"). The simulator runs warps one after another, and a GPU side by side,
//! so the shares take the place of the order in which resident warps would push lines out of a
//! cache. What several warps access is counted once, because one of them can load it for the
//! others: in a block for L1, in the grid for L2. So the counts are rather too small than too
//! large, as a lower bound of a time needs them.
//!
//! It runs at the level [`TRACE`](super::TRACE), for launches that ask for it.

use rustc_hash::FxHashMap;

use super::access::Kind;
use super::warp::lanes;
use crate::{LevelCounts, WarpCaches};

/// Bytes of a cache line, and of one of its sectors.
const LINE: u64 = 128;
const SECTOR: u64 = 32;

/// L1 looks up lines at the same time if their numbers differ modulo this. On an H200, a load of 32
/// lines that are a power of two apart takes 32 cycles (`row_col_sums`, `matrix_add_2d`), and one
/// of neighbouring words in two lines not more than one in one line (`conv2d`).
const TAG_BANKS: usize = 4;

/// A line of device memory: the slot of its allocation, and its number there.
type LineAt = (u32, u32);

/// The caches of a launch.
#[derive(Debug)]
pub(crate) struct Caches {
    shares: WarpCaches,
    pub counts: LevelCounts,
    lines: FxHashMap<LineAt, Line>,
    /// What each warp keeps, the line of the last access at the end. By block and warp.
    kept: FxHashMap<(u32, u32), Vec<(LineAt, u8)>>,
    /// Turns of L1 for all accesses of a block.
    blocks: FxHashMap<u32, u64>,
    /// Atomic operations on a word of device memory.
    atomics: FxHashMap<(u32, u32), u64>,
}

/// What has happened to a line so far. Sectors are bits.
#[derive(Debug, Default)]
struct Line {
    /// The last block, and its last warp.
    block: u32,
    warp: u32,
    /// More than one warp of that block, or more than one block, has accessed it.
    by_warps: bool,
    by_blocks: bool,
    /// Sectors that have been accessed, by the last block and by all.
    in_block: u8,
    ever: u8,
    written: u8,
    /// Sectors that the only warp of the block has lost from L1 and loaded again, and those that
    /// the only warp of the grid has lost from L2.
    again_l1: u64,
    again_l2: u64,
    again_partial: u64,
}

/// The sectors of one line that a warp accesses at once.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    line: LineAt,
    sectors: u8,
    /// Bytes of each sector.
    bytes: [u8; 4],
}

impl Caches {
    pub fn new(shares: WarpCaches) -> Self {
        Self {
            shares,
            counts: LevelCounts::default(),
            lines: FxHashMap::default(),
            kept: FxHashMap::default(),
            blocks: FxHashMap::default(),
            atomics: FxHashMap::default(),
        }
    }

    /// Counts an access of the lanes of `mask` to `bytes` bytes each, at these offsets of a slot.
    pub(super) fn access(
        &mut self,
        warp: (u32, u32),
        kind: Kind,
        (slot, offsets): (u32, &[u32; 32]),
        mask: u32,
        bytes: u32,
    ) {
        if kind == Kind::Atomic {
            for lane in lanes(mask) {
                let count = self.atomics.entry((slot, offsets[lane] / 4)).or_default();
                *count += 1;
                self.counts.busiest_word = self.counts.busiest_word.max(*count);
            }
            // L2 executes them, on sectors that it has to have
            let (parts, number) = parts(slot, offsets, mask, bytes);
            for part in &parts[..number] {
                self.touch(warp, kind, part);
            }
            return;
        }
        let (parts, number) = parts(slot, offsets, mask, bytes);
        let mut missed = Missed::default();
        for part in &parts[..number] {
            missed.add(self.touch(warp, kind, part));
        }
        let counts = &mut self.counts;
        let mut of_bank = [0; TAG_BANKS];
        for part in &parts[..number] {
            of_bank[part.line.1 as usize % TAG_BANKS] += 1;
        }
        let turns = of_bank.into_iter().max().unwrap_or(0);
        counts.l1_turns += turns;
        let of_block = self.blocks.entry(warp.0).or_default();
        *of_block += turns;
        counts.busiest_block_turns = counts.busiest_block_turns.max(*of_block);
        if kind == Kind::Load {
            counts.requests_beyond_l1 += u64::from(missed.l1 > 0);
            counts.requests_beyond_l2 += u64::from(missed.l2 > 0);
        }
    }

    /// Counts an access to shared memory.
    pub fn shared(&mut self, offsets: &[u32; 32], mask: u32, bytes: u32) {
        let mut words: [u32; 32] = [u32::MAX; 32];
        for lane in lanes(mask) {
            words[lane] = offsets[lane] / bytes;
        }
        words.sort_unstable();
        let different = 1 + words.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64
            - u64::from(words[31] == u32::MAX && words[0] != u32::MAX);
        // the assembler can make one access of 16 bytes from neighbours
        let words = (different * u64::from(bytes)).div_ceil(4);
        self.counts.shared_words += words.max(u64::from(2 * bytes));
    }

    /// A warp has ended.
    pub fn exit(&mut self, warp: (u32, u32)) {
        self.kept.remove(&warp);
    }

    fn touch(&mut self, (block, warp): (u32, u32), kind: Kind, part: &Part) -> Missed {
        let Self { shares, counts, lines, kept, .. } = self;
        let line = lines.entry(part.line).or_default();
        let is_first = line.ever == 0;
        if !is_first {
            let other_block = line.block != block;
            let other_warp = other_block || line.warp != warp;
            if other_warp && !line.by_warps && !line.by_blocks {
                counts.read_sectors -= std::mem::take(&mut line.again_l2);
                counts.partial_stores -= std::mem::take(&mut line.again_partial);
            }
            if other_block {
                (line.by_blocks, line.by_warps, line.in_block, line.again_l1) = (true, false, 0, 0);
            } else if other_warp {
                line.by_warps = true;
                counts.l1_sectors -= std::mem::take(&mut line.again_l1);
            }
        }
        (line.block, line.warp) = (block, warp);
        let kept = kept.entry((block, warp)).or_default();
        let found = (!is_first)
            .then(|| kept.iter().rposition(|(at, _)| *at == part.line))
            .flatten()
            .map(|at| (kept.len() - at, kept.remove(at).1));
        let (age, has) = found.unwrap_or((usize::MAX, 0));
        let held = |lines: u32| if age <= lines as usize { has } else { 0 };
        let sectors = part.sectors;
        let mut missed = Missed::default();
        let beyond_l2 = |shared: bool, ever: u8| {
            sectors & !held(shares.l2_lines) & !if shared { ever } else { 0 }
        };
        let by_others = line.by_warps || line.by_blocks;
        match kind {
            Kind::Load => {
                let l1 = sectors
                    & !held(shares.l1_lines)
                    & !if line.by_warps { line.in_block } else { 0 };
                let l2 = l1 & beyond_l2(by_others, line.ever);
                line.again_l1 += u64::from((l1 & line.in_block).count_ones());
                line.again_l2 += u64::from((l2 & line.ever).count_ones());
                missed = Missed { l1: l1.count_ones(), l2: l2.count_ones() };
                counts.l1_sectors += u64::from(missed.l1);
                counts.read_sectors += u64::from(missed.l2);
                counts.l1_single_sectors += u64::from(missed.l1 == 1);
                counts.read_single_sectors += u64::from(missed.l2 == 1);
            }
            Kind::Store | Kind::Atomic => {
                let partial = (0..4).filter(|s| u64::from(part.bytes[*s]) < SECTOR);
                let partial = partial.fold(0, |all, s| all | 1 << s);
                let lost = beyond_l2(by_others, line.ever) & partial;
                line.again_partial += u64::from((lost & line.ever).count_ones());
                counts.partial_stores += u64::from(lost.count_ones());
                counts.written_sectors += u64::from((sectors & !line.written).count_ones());
                line.written |= sectors;
            }
        }
        line.in_block |= sectors;
        line.ever |= sectors;
        kept.push((part.line, has | sectors));
        if kept.len() > shares.l2_lines.max(shares.l1_lines) as usize {
            kept.remove(0);
        }
        missed
    }
}

/// Sectors of a warp's load that it found in no cache.
#[derive(Debug, Clone, Copy, Default)]
struct Missed {
    l1: u32,
    l2: u32,
}

impl Missed {
    const fn add(&mut self, other: Self) {
        self.l1 += other.l1;
        self.l2 += other.l2;
    }
}

/// The lines of an access. A lane's bytes lie in one line, because they are aligned.
fn parts(slot: u32, offsets: &[u32; 32], mask: u32, bytes: u32) -> ([Part; 32], usize) {
    let mut parts = [Part::default(); 32];
    let mut number = 0;
    let mut last = None;
    for lane in lanes(mask) {
        let at = u64::from(offsets[lane]);
        if last == Some(at) {
            continue;
        }
        last = Some(at);
        let line = (slot, (at / LINE) as u32);
        let known = parts[..number].iter().rposition(|part| part.line == line);
        let part = &mut parts[known.unwrap_or(number)];
        number += usize::from(known.is_none());
        part.line = line;
        for byte in (at % LINE..at % LINE + u64::from(bytes)).step_by(bytes.min(32) as usize) {
            let sector = (byte / SECTOR) as usize & 3;
            part.sectors |= 1 << sector;
            part.bytes[sector] = part.bytes[sector].saturating_add(bytes.min(32) as u8);
        }
    }
    (parts, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARES: WarpCaches = WarpCaches { l1_lines: 2, l2_lines: 4 };

    /// The counts after loads of one word each, given as warp and line.
    fn loads(lines: impl IntoIterator<Item = (u32, u32)>) -> LevelCounts {
        let mut caches = Caches::new(SHARES);
        for (warp, line) in lines {
            caches.access((warp / 8, warp % 8), Kind::Load, (0, &[line * 128; 32]), 1, 4);
        }
        caches.counts
    }

    /// A line that is used again comes from the cache that still has it.
    #[test]
    fn a_warp_keeps_as_many_lines_as_its_share_has() {
        let counts = |lines: &[u32]| {
            let counts = loads(lines.iter().map(|line| (0, *line)));
            (counts.l1_sectors, counts.read_sectors)
        };
        assert_eq!(counts(&[1, 2, 1, 2]), (2, 2), "both are in L1");
        assert_eq!(counts(&[1, 2, 3, 1]), (4, 3), "L1 has lost the first, L2 has it");
        assert_eq!(counts(&[1, 2, 3, 4, 5, 1]), (6, 6), "L2 has lost it, too");
    }

    /// What two warps load is counted once for their caches, in whatever order the simulator runs
    /// them.
    #[test]
    fn a_line_of_several_warps_is_counted_once() {
        let alone = [1, 2, 3, 4, 5, 1].map(|line| (0, line));
        let same_block = loads(alone.into_iter().chain([(1, 1)]));
        assert_eq!((same_block.l1_sectors, same_block.read_sectors), (5, 5));
        let other_block = loads(alone.into_iter().chain([(8, 1)]));
        assert_eq!((other_block.l1_sectors, other_block.read_sectors), (7, 5));
    }

    /// A sector that a store fills needs nothing from memory; one that it fills in part does, as
    /// often as L2 has lost it in between.
    #[test]
    fn stores_in_part_are_counted_when_the_sector_is_not_in_l2() {
        let mut caches = Caches::new(SHARES);
        let words: [u32; 32] = std::array::from_fn(|lane| 4 * lane as u32);
        caches.access((0, 0), Kind::Store, (0, &words), u32::MAX, 4);
        assert_eq!((caches.counts.partial_stores, caches.counts.written_sectors), (0, 4));
        for line in [1, 1, 2, 3, 4, 5, 1] {
            caches.access((0, 0), Kind::Store, (0, &[line * 128; 32]), 1, 4);
        }
        assert_eq!((caches.counts.partial_stores, caches.counts.written_sectors), (6, 9));
    }

    /// 32 different words take a wavefront. One word for all lanes takes a quarter, because the
    /// assembler can load four such words at once; 16 bytes for all lanes take one.
    #[test]
    fn shared_accesses_count_what_the_banks_must_deliver() {
        let words = |offsets: [u32; 32], mask, bytes| {
            let mut caches = Caches::new(SHARES);
            caches.shared(&offsets, mask, bytes);
            caches.counts.shared_words
        };
        assert_eq!(words(std::array::from_fn(|lane| 4 * lane as u32), u32::MAX, 4), 32);
        assert_eq!(words(std::array::from_fn(|lane| 4 * lane as u32), 0xffff, 4), 16);
        assert_eq!(words([64; 32], u32::MAX, 4), 8);
        assert_eq!(words([64; 32], u32::MAX, 16), 32);
        assert_eq!(words(std::array::from_fn(|lane| 16 * lane as u32), u32::MAX, 16), 128);
    }

    /// Atomic operations on one word follow one another.
    #[test]
    fn the_word_with_the_most_atomics_is_found() {
        let mut caches = Caches::new(SHARES);
        caches.access((0, 0), Kind::Atomic, (0, &[8; 32]), u32::MAX, 4);
        caches.access((1, 0), Kind::Atomic, (0, &[8; 32]), 3, 4);
        caches.access((1, 0), Kind::Atomic, (1, &[8; 32]), 3, 4);
        assert_eq!(caches.counts.busiest_word, 34);
        assert_eq!(caches.counts.written_sectors, 2, "they move sectors, too");
    }
}
