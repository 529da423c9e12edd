//! The cost of one warp's memory access: 32-byte sectors in global memory, wavefronts in shared
//! memory.
//!
//! Pure functions of the lanes' addresses, the mask of active lanes and the bytes that each lane
//! accesses. They reproduce what Nsight Compute counts on an NVIDIA H200
//! (`smsp__sass_sectors_mem_global`, `l1tex__data_pipe_lsu_wavefronts_mem_shared`,
//! `l1tex__data_bank_conflicts_pipe_lsu_mem_shared` and the `_ideal` partners of its source view),
//! which depends on nothing else: `tests/records/` has the figures. The common shapes (consecutive,
//! all equal, within one line) cost a few vector instructions.

/// Bytes of a sector: the unit in which global memory moves.
pub const SECTOR: u64 = 32;

/// Banks of shared memory, each four bytes wide.
pub const BANKS: u32 = 32;

/// One address per lane of a warp.
pub type Addresses = [u64; 32];

/// Bit `i` for lane `i`: a mask tested against these becomes vector compares instead of 32 shifts.
const LANE: [u32; 32] = {
    let mut bits = [0; 32];
    let mut i = 0;
    while i < 32 {
        bits[i] = 1 << i;
        i += 1;
    }
    bits
};

/// Properties of a warp's 32 numbers (addresses in some unit) that the fast paths need, active
/// lanes only.
struct Shape {
    /// The numbers. Each inactive lane has the number of an active one, so that it adds nothing.
    values: [u32; 32],
    /// All active lanes have the same number.
    equal: bool,
    /// Lane `i` has some base plus `i * step`.
    consecutive: bool,
}

impl Shape {
    #[inline(always)]
    fn new(mut values: [u32; 32], mask: u32, step: u32) -> Self {
        let first = mask.trailing_zeros() & 31;
        let any = values[first as usize];
        let base = any.wrapping_sub(first.wrapping_mul(step));
        let (mut unequal, mut uneven) = (0, 0);
        for i in 0..32 {
            let active = if mask & LANE[i] != 0 { u32::MAX } else { 0 };
            unequal |= (values[i] ^ any) & active;
            uneven |= (values[i] ^ base.wrapping_add((i as u32).wrapping_mul(step))) & active;
            values[i] = values[i] & active | any & !active;
        }
        Self { values, equal: unequal == 0, consecutive: uneven == 0 }
    }

    /// The least number, if all of them lie in a window of `width` numbers.
    #[inline(always)]
    fn within(&self, width: u32) -> Option<u32> {
        let origin = self.values[0];
        let (mut least, mut most) = (0, 0);
        for value in self.values {
            let distance = value.wrapping_sub(origin) as i32; // signed, for vector minimum and maximum
            least = distance.min(least);
            most = distance.max(most);
        }
        let narrow = (most.wrapping_sub(least) as u32) < width;
        narrow.then_some(origin.wrapping_add_signed(least))
    }
}

/// Distinct sectors that the active lanes access, each of them `bytes` bytes from its address.
#[inline(always)]
pub fn sectors(addresses: &Addresses, mask: u32, bytes: u32) -> u32 {
    if mask == 0 || bytes == 0 {
        return 0;
    }
    let first = addresses[(mask.trailing_zeros() & 31) as usize];
    if mask == u32::MAX && consecutive(addresses, bytes) {
        let end = (first % SECTOR) + 32 * u64::from(bytes);
        return end.div_ceil(SECTOR) as u32;
    }
    // distances from the lowest active lane's line; they are enough when they fit 32 bits
    let line = first & !(SECTOR - 1);
    let (mut offsets, mut beyond, mut straddle) = ([0u32; 32], 0, 0);
    for i in 0..32 {
        let active = if mask & LANE[i] != 0 { u32::MAX } else { 0 };
        let offset = addresses[i].wrapping_sub(line);
        let biased = offset.wrapping_add(1 << 31);
        offsets[i] = offset as u32;
        beyond |= (biased >> 32) as u32 & active;
        straddle |= ((offset as u32 & 31).wrapping_add(bytes - 1) >> 5) & active;
    }
    let lanes = mask >> (mask.trailing_zeros() & 31);
    let contiguous = lanes & lanes.wrapping_add(1) == 0;
    if beyond == 0 {
        let shape = Shape::new(offsets, mask, bytes);
        if shape.consecutive && contiguous {
            let end =
                u64::from(first as u32 & 31) + u64::from(lanes.count_ones()) * u64::from(bytes);
            return end.div_ceil(SECTOR) as u32;
        }
        if straddle == 0 {
            if shape.equal {
                return 1;
            }
            return distinct(shape);
        }
    }
    far_sectors(addresses, mask, bytes)
}

/// Whether each lane's data begins where the last one's ends.
#[inline(always)]
fn consecutive(addresses: &Addresses, bytes: u32) -> bool {
    let mut uneven = 0;
    for (i, &address) in (0u64..).zip(addresses) {
        uneven |= address ^ addresses[0].wrapping_add(i * u64::from(bytes));
    }
    uneven == 0
}

/// The number of different sectors that these offsets are in.
#[inline(always)]
fn distinct(offsets: Shape) -> u32 {
    let sectors = offsets.values.map(|offset| (offset as i32 >> 5) as u32);
    let shape = Shape { values: sectors, ..offsets };
    if let Some(least) = shape.within(64) {
        let seen = sectors.iter().fold(0u64, |seen, s| seen | 1 << (s.wrapping_sub(least) & 63));
        return seen.count_ones();
    }
    let (mut steps, mut rising) = (0, true);
    for i in 1..32 {
        steps += u32::from(sectors[i] != sectors[i - 1]);
        rising &= sectors[i] as i32 >= sectors[i - 1] as i32;
    }
    if rising { steps + 1 } else { sorted_distinct(sectors) }
}

#[inline(never)]
fn sorted_distinct(mut values: [u32; 32]) -> u32 {
    values.sort_unstable();
    1 + values.windows(2).filter(|pair| pair.first() != pair.last()).count() as u32
}

/// The general case, in which an access may reach beyond its first sector: the union of the ranges,
/// in order.
#[inline(never)]
fn far_sectors(addresses: &Addresses, mask: u32, bytes: u32) -> u32 {
    let any = addresses[(mask.trailing_zeros() & 31) as usize];
    let mut sorted: Addresses =
        std::array::from_fn(|i| if mask & LANE[i] != 0 { addresses[i] } else { any });
    sorted.sort_unstable();
    let (mut count, mut next) = (0u64, 0u64);
    for address in sorted {
        let end = address.saturating_add(u64::from(bytes) - 1) / SECTOR + 1;
        count += end.saturating_sub((address / SECTOR).max(next));
        next = next.max(end);
    }
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Sectors that `active` lanes would access if their data lay packed, `ceil(active * bytes / 32)`,
/// and at most the `sectors` that they do access, which are fewer where lanes share their data.
#[inline]
pub fn ideal_sectors(active: u32, bytes: u32, sectors: u32) -> u32 {
    active.saturating_mul(bytes).div_ceil(SECTOR as u32).min(sectors)
}

/// Words of 4 bytes in `ideal` sectors beyond those that `active` lanes access; 0 where lanes share
/// their data.
#[inline]
pub fn idle_words(active: u32, bytes: u32, ideal: u32) -> u32 {
    (ideal * (SECTOR as u32 / 4)).saturating_sub(active.saturating_mul(bytes).div_ceil(4))
}

/// Wavefronts that a shared-memory access of `active` lanes would take if their data lay packed in
/// all banks, and at most the `wavefronts` that it does take.
#[inline]
pub fn ideal_wavefronts(active: u32, bytes: u32, wavefronts: u32) -> u32 {
    active.saturating_mul(bytes).div_ceil(4 * BANKS).min(wavefronts)
}

/// Wavefronts that a load or store in shared memory takes, and how many it would take without bank
/// conflicts.
///
/// Up to 4 bytes a lane, the warp is one transaction. With 8 bytes each half-warp is one, with 16
/// each quarter; in a load two of them merge if every active lane `i` of the warp has lane `i ^ 1`
/// inactive or at the same address, or likewise for `i ^ 2`. A transaction takes as many wavefronts
/// as the busiest bank has different words; lanes at one word share it.
///
/// The second number is the count of transactions; each wavefront beyond it is a bank conflict.
#[inline(always)]
pub fn shared_wavefronts(addresses: &Addresses, mask: u32, bytes: u32, load: bool) -> (u32, u32) {
    if mask == 0 {
        return (0, 0);
    }
    let unit = Unit::of(bytes);
    let shape = unit.shape(addresses, mask);
    if unit.shift == 2 {
        return (if shape.equal || shape.consecutive { 1 } else { degree(&shape, mask, BANKS) }, 1);
    }
    let merged = load && unit.merges(&shape, mask);
    let groups = if merged { unit.merged() } else { unit.separate() };
    let transactions = count_groups(groups, mask);
    if shape.equal || shape.consecutive && !merged {
        return (transactions, transactions);
    }
    let mut wavefronts = 0;
    for group in groups {
        if mask & group != 0 {
            wavefronts += busiest(&shape.values, mask & group, unit.banks());
        }
    }
    (wavefronts, transactions)
}

/// Wavefronts that an atomic operation on shared memory takes.
///
/// One word is updated per bank and wavefront, so lanes at one address are serialised, too.
/// Compare-and-swap takes two wavefronts for each. An operation that the hardware has no
/// instruction for (floating point, 8 bytes) is a loop around compare-and-swap, in which each
/// iteration serves one lane per bank. With 8 bytes each half of the warp has its own wavefronts,
/// and lanes at one address are still serialised.
#[inline(never)]
pub fn atomic_wavefronts(addresses: &Addresses, mask: u32, how: Update) -> u32 {
    match how {
        Update::Native => queue(addresses, mask),
        Update::Increment => shared_wavefronts(addresses, mask, 4, true).0,
        Update::Swap | Update::Loop4 => 2 * queue(addresses, mask),
        Update::Loop8 => rounds_of_8(addresses, mask),
    }
}

/// Lanes at the busiest bank.
fn queue(addresses: &Addresses, mask: u32) -> u32 {
    let mut banks = [0_u8; BANKS as usize];
    for lane in lanes(mask) {
        banks[(addresses[lane] / 4) as usize % banks.len()] += 1;
    }
    banks.into_iter().max().unwrap_or(0).into()
}

fn rounds_of_8(addresses: &Addresses, mask: u32) -> u32 {
    let (mut wavefronts, mut left) = (0, mask);
    while left != 0 {
        let mut served = 0_u32;
        let mut busy = [0_u32; 2]; // the banks of each half
        for lane in lanes(left) {
            let (half, bank) = (lane / 16, addresses[lane] / 8 % 16);
            let other = || lanes(served).any(|l| addresses[l] == addresses[lane]);
            if busy[half] >> bank & 1 == 0 && !other() {
                busy[half] |= 1 << bank;
                served |= LANE[lane];
            }
        }
        wavefronts += 2 * (u32::from(left & 0xffff != 0) + u32::from(left >> 16 != 0));
        left &= !served;
    }
    wavefronts
}

/// How the hardware executes an atomic operation on shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// One instruction.
    Native,
    /// Adding one without reading the old value: lanes at one address are counted, not serialised.
    Increment,
    /// Compare-and-swap.
    Swap,
    /// A loop around compare-and-swap of 4 bytes: adding `f32`.
    Loop4,
    /// A loop around compare-and-swap of 8 bytes.
    Loop8,
}

/// Sectors of a local-memory access. The 4-byte words of the lanes are interleaved, so 8 lanes
/// share a sector.
#[inline(never)]
pub fn local_sectors(offsets: &Addresses, mask: u32, bytes: u32) -> u32 {
    let mut sectors = 0;
    let mut left = mask;
    while left != 0 {
        let word = offsets[left.trailing_zeros() as usize & 31] / 4;
        let together = lanes(left).filter(|&l| offsets[l] / 4 == word).fold(0, |m, l| m | LANE[l]);
        left &= !together;
        let octets = (0..4).map(|n| u32::from(together >> (8 * n) & 0xff != 0)).sum::<u32>();
        sectors += octets * bytes.div_ceil(4);
    }
    sectors
}

/// How many of the groups have an active lane.
#[inline(always)]
fn count_groups(groups: [u32; 4], mask: u32) -> u32 {
    groups.into_iter().map(|group| u32::from(mask & group != 0)).sum()
}

/// The width of a lane's access, which decides how shared memory is divided: as log2 of bytes, 2 to
/// 4.
#[derive(Clone, Copy)]
struct Unit {
    shift: u32,
}

impl Unit {
    #[inline(always)]
    fn of(bytes: u32) -> Self {
        let shift = match bytes {
            0..=4 => 2,
            5..=8 => 3,
            _ => 4,
        };
        Self { shift }
    }

    /// Banks of this width.
    #[inline(always)]
    fn banks(self) -> u32 {
        128 >> self.shift
    }

    /// The addresses in this unit. The shared window is far smaller than 32 bits count.
    #[inline(always)]
    fn shape(self, addresses: &Addresses, mask: u32) -> Shape {
        Shape::new(addresses.map(|address| (address >> self.shift) as u32), mask, 1)
    }

    /// The lanes of each transaction: the warp, its halves or its quarters.
    #[inline(always)]
    fn separate(self) -> [u32; 4] {
        match self.shift {
            2 => [u32::MAX, 0, 0, 0],
            3 => [0xffff, 0xffff_0000, 0, 0],
            _ => [0xff, 0xff00, 0xff_0000, 0xff00_0000],
        }
    }

    /// The lanes of each transaction where two of them merge into one.
    #[inline(always)]
    fn merged(self) -> [u32; 4] {
        if self.shift <= 3 { [u32::MAX, 0, 0, 0] } else { [0xffff, 0xffff_0000, 0, 0] }
    }

    /// Whether transactions of these lanes merge.
    #[inline(always)]
    fn merges(self, shape: &Shape, mask: u32) -> bool {
        self.shift > 2 && (shape.equal || paired(shape, mask, 1) || paired(shape, mask, 2))
    }
}

/// Whether for each active lane `i`, lane `i ^ by` is inactive or at the same address.
#[inline(always)]
fn paired(shape: &Shape, mask: u32, by: usize) -> bool {
    let partners = match by {
        1 => (mask & 0x5555_5555) << 1 | mask >> 1 & 0x5555_5555,
        _ => (mask & 0x3333_3333) << 2 | mask >> 2 & 0x3333_3333,
    };
    let both = mask & partners;
    let mut differ = 0;
    for (i, lane) in LANE.iter().enumerate() {
        let asked = if both & lane != 0 { u32::MAX } else { 0 };
        differ |= (shape.values[i] ^ shape.values[(i ^ by) & 31]) & asked;
    }
    differ == 0
}

/// The most different words in one bank.
#[inline(always)]
fn degree(shape: &Shape, mask: u32, banks: u32) -> u32 {
    // words that span at most as many as there are banks are all in different banks
    if shape.within(banks).is_some() { 1 } else { busiest(&shape.values, mask, banks) }
}

/// Rows of banks that [`busiest`] counts at once.
const ROWS: usize = 64;

#[inline(never)]
fn busiest(places: &[u32; 32], mask: u32, banks: u32) -> u32 {
    let row_shift = banks.trailing_zeros();
    let least = places.iter().fold(u32::MAX, |least, place| least.min(*place)) >> row_shift;
    let most = places.iter().fold(0, |most, place| most.max(*place)) >> row_shift;
    let span = (most - least) as usize + 1;
    if span > ROWS {
        return busiest_of_far_places(places, mask, banks);
    }
    // one bit per place: a row's words are in different banks
    let mut rows = [0_u32; ROWS];
    let mut left = mask;
    while left != 0 {
        let place = places[left.trailing_zeros() as usize & 31];
        left &= left - 1;
        rows[((place >> row_shift) - least) as usize % ROWS] |= 1 << (place & (banks - 1));
    }
    highest_column(&rows[..span])
}

/// The most rows that have one bit in common.
#[inline(always)]
fn highest_column(rows: &[u32]) -> u32 {
    // bit b of digits[k] is digit k of the number of rows that have bit b
    let mut digits = [0_u32; ROWS.ilog2() as usize + 1];
    for row in rows {
        let mut carry = *row;
        for digit in &mut digits {
            if carry == 0 {
                break;
            }
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
    }
    let mut highest = u32::MAX; // the columns that may be the highest
    digits.iter().rev().fold(0, |most, digit| {
        let set = u32::from(digit & highest != 0);
        highest &= if set == 1 { *digit } else { u32::MAX };
        most << 1 | set
    })
}

fn busiest_of_far_places(places: &[u32; 32], mask: u32, banks: u32) -> u32 {
    let mut count = [0_u8; BANKS as usize]; // different places seen in each bank
    let mut seen = [0_u32; BANKS as usize]; // lanes that added one
    let mut most = 0;
    for lane in lanes(mask) {
        let place = places[lane];
        let bank = (place & (banks - 1) & 31) as usize;
        if !lanes(seen[bank]).any(|other| places[other] == place) {
            count[bank] += 1;
            most = most.max(count[bank]);
            seen[bank] |= LANE[lane];
        }
    }
    u32::from(most)
}

/// The lanes of a mask, lowest first.
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |&lane| mask & LANE[lane] != 0)
}

/// The busiest bank of a shared-memory access: the lanes that access it, and the number of
/// different words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collision {
    /// The bank, 0 to 31; the first of them where a lane's access spans several.
    pub bank: u32,
    /// The lanes of one transaction that access this bank.
    pub lanes: u32,
    /// Different words among them: the wavefronts that the transaction takes.
    pub words: u32,
}

/// The busiest bank of a load that has conflicts; `None` if it has none. Slow, because it is for
/// messages only.
pub fn worst_collision(addresses: &Addresses, mask: u32, bytes: u32) -> Option<Collision> {
    let (wavefronts, transactions) = shared_wavefronts(addresses, mask, bytes, true);
    if wavefronts <= transactions {
        return None;
    }
    let unit = Unit::of(bytes);
    let shape = unit.shape(addresses, mask);
    let mut worst: Option<Collision> = None;
    let groups = if unit.merges(&shape, mask) { unit.merged() } else { unit.separate() };
    for group in groups {
        for bank in 0..unit.banks() {
            let here = lanes(mask & group)
                .filter(|&lane| shape.values[lane] % unit.banks() == bank)
                .fold(0, |set, lane| set | LANE[lane]);
            let words = busiest(&shape.values, here, unit.banks());
            if words > worst.map_or(1, |w| w.words) {
                worst = Some(Collision { bank: bank << (unit.shift - 2), lanes: here, words });
            }
        }
    }
    worst
}

#[cfg(test)]
mod tests;
