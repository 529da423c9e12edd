//! What one warp's memory access costs: 32-byte sectors in global memory, wavefronts in shared memory.
//!
//! Pure functions of the lanes' addresses, the mask of active lanes and the bytes that each lane accesses. They
//! reproduce the source-level metrics of Nsight Compute (`smsp__sass_sectors_mem_global`,
//! `smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared` and their `_ideal` partners), which depend on nothing else.
//! The common shapes (consecutive, all equal, within one line) cost a few vector instructions.

/// Bytes of a sector: the unit in which global memory moves.
pub const SECTOR: u64 = 32;

/// Banks of shared memory, each four bytes wide.
pub const BANKS: u32 = 32;

/// One address per lane of a warp.
pub type Addresses = [u64; 32];

/// Distinct sectors that the active lanes touch, each accessing `bytes` bytes from its address.
#[inline]
pub fn sectors(addresses: &Addresses, mask: u32, bytes: u32) -> u32 {
    if mask == 0 || bytes == 0 {
        return 0;
    }
    let step = u64::from(bytes);
    let base = addresses[0];
    let mut uneven = !mask;
    let mut offset = 0u64;
    for (i, &address) in (0u64..).zip(addresses) {
        offset |= address ^ base.wrapping_add(i.wrapping_mul(step));
    }
    uneven |= u32::from(offset != 0);
    if uneven == 0 {
        let last = base.wrapping_add(32 * step - 1) / SECTOR;
        return last.wrapping_sub(base / SECTOR) as u32 + 1;
    }
    scattered_sectors(addresses, mask, step)
}

/// The general case: any mask, any pattern.
fn scattered_sectors(addresses: &Addresses, mask: u32, bytes: u64) -> u32 {
    let filled = filled(addresses, mask);
    let mut first = [0u64; 32];
    let mut straddles = false;
    for (sector, &address) in first.iter_mut().zip(&filled) {
        *sector = address / SECTOR;
        straddles |= address % SECTOR + bytes > SECTOR;
    }
    if !straddles {
        return distinct(&first);
    }
    // Lanes reach beyond their first sector: count the union of their ranges, taken in order.
    first.sort_unstable();
    let mut sorted = filled;
    sorted.sort_unstable();
    let (mut count, mut next) = (0u64, 0u64);
    for &address in &sorted {
        let end = (address.saturating_add(bytes - 1) / SECTOR).saturating_add(1);
        let start = (address / SECTOR).max(next);
        count += end.saturating_sub(start);
        next = next.max(end);
    }
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// How many different numbers there are.
fn distinct(values: &[u64; 32]) -> u32 {
    let (mut least, mut most) = (u64::MAX, 0);
    let mut steps = 0;
    let mut rising = true;
    for &value in values {
        least = least.min(value);
        most = most.max(value);
    }
    if most - least < 64 {
        let seen = values.iter().fold(0u64, |seen, &value| seen | 1 << ((value - least) & 63));
        return seen.count_ones();
    }
    for pair in values.windows(2) {
        if let [a, b] = pair {
            steps += u32::from(a != b);
            rising &= a <= b;
        }
    }
    if rising {
        return steps + 1;
    }
    let mut sorted = *values;
    sorted.sort_unstable();
    sorted.windows(2).filter(|pair| pair.first() != pair.last()).count() as u32 + 1
}

/// The addresses with those of inactive lanes replaced by one of an active lane, so that they add nothing.
#[inline]
fn filled(addresses: &Addresses, mask: u32) -> Addresses {
    let any = addresses[(mask.trailing_zeros() & 31) as usize];
    let mut result = *addresses;
    for (i, address) in result.iter_mut().enumerate() {
        let active = 0u64.wrapping_sub(u64::from(mask >> i & 1));
        *address = *address & active | any & !active;
    }
    result
}

/// Sectors that `active` lanes would touch if their data lay packed: `ceil(active * bytes / 32)`.
#[inline]
pub fn ideal_sectors(active: u32, bytes: u32) -> u32 {
    active.saturating_mul(bytes).div_ceil(SECTOR as u32)
}

/// Wavefronts that a shared-memory access takes, and how many it would take without bank conflicts.
///
/// Up to 4 bytes a lane, the warp is one transaction. With 8 bytes each half-warp is one, with 16 each quarter;
/// two of them merge if every active lane `i` has lane `i ^ 1` inactive or at the same address, or likewise for
/// `i ^ 2`. A transaction takes as many wavefronts as the busiest bank has different words; lanes at one word
/// share it. The second number is the count of transactions.
#[inline]
pub fn shared_wavefronts(addresses: &Addresses, mask: u32, bytes: u32) -> (u32, u32) {
    if mask == 0 {
        return (0, 0);
    }
    let unit = u64::from(bytes.max(4)).next_power_of_two().min(16);
    let banks = 128 / unit;
    let mut slots = filled(addresses, mask);
    for slot in &mut slots {
        *slot /= unit;
    }
    if unit == 4 {
        return (degree(&slots, mask, banks), 1);
    }
    let (mut wavefronts, mut transactions) = (0, 0);
    for group in groups(&slots, mask, unit) {
        if mask & group != 0 {
            wavefronts += degree(&slots, mask & group, banks);
            transactions += 1;
        }
    }
    (wavefronts, transactions)
}

/// The lanes of each transaction of an access of 8 or 16 bytes a lane.
#[inline]
fn groups(slots: &Addresses, mask: u32, unit: u64) -> [u32; 4] {
    let merged = paired(slots, mask, 1) || paired(slots, mask, 2);
    match (unit, merged) {
        (8, true) => [u32::MAX, 0, 0, 0],
        (8, false) | (_, true) => [0xffff, 0xffff_0000, 0, 0],
        (_, false) => [0xff, 0xff00, 0xff_0000, 0xff00_0000],
    }
}

/// Whether each active lane `i` has lane `i ^ by` inactive or in the same slot.
#[inline]
fn paired(slots: &Addresses, mask: u32, by: usize) -> bool {
    let mut same = 0u32;
    for (i, slot) in slots.iter().enumerate() {
        same |= u32::from(slots.get(i ^ by) == Some(slot)) << i;
    }
    let partner_active = match by {
        1 => (mask & 0x5555_5555) << 1 | mask >> 1 & 0x5555_5555,
        _ => (mask & 0x3333_3333) << 2 | mask >> 2 & 0x3333_3333,
    };
    mask & partner_active & !same == 0
}

/// The most different slots that fall into one bank, over the lanes of `mask` (not zero).
#[inline]
fn degree(slots: &Addresses, mask: u32, banks: u64) -> u32 {
    let (mut least, mut most) = (u64::MAX, 0);
    for (i, &slot) in slots.iter().enumerate() {
        let outside = u64::from(mask >> i & 1).wrapping_sub(1); // all ones for lanes not asked about
        least = least.min(slot | outside);
        most = most.max(slot & !outside);
    }
    // Neighbours closer than the number of banks cannot meet in one.
    if most - least < banks { 1 } else { scattered_degree(slots, mask, banks) }
}

fn scattered_degree(slots: &Addresses, mask: u32, banks: u64) -> u32 {
    let mut count = [0u32; BANKS as usize]; // different slots seen in each bank
    let mut highest = [0u64; BANKS as usize];
    let mut seen = [0u32; BANKS as usize]; // lanes that added one
    let mut left = mask;
    while left != 0 {
        let lane = left.trailing_zeros() as usize & 31;
        left &= left - 1;
        let slot = slots[lane];
        let bank = (slot & (banks - 1)) as usize & 31;
        // Rising addresses, the usual case, need no search.
        let new = count[bank] == 0
            || slot > highest[bank]
            || slot < highest[bank] && !lanes(seen[bank]).any(|other| slots[other] == slot);
        if new {
            count[bank] += 1;
            highest[bank] = highest[bank].max(slot);
            seen[bank] |= 1 << lane;
        }
    }
    count.into_iter().max().unwrap_or(0)
}

/// The lanes of a mask, lowest first.
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// The busiest bank of a shared-memory access: which lanes meet there, at how many different words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collision {
    /// The bank, 0 to 31; the first of them where a lane's access spans several.
    pub bank: u32,
    /// The lanes of one transaction that access this bank.
    pub lanes: u32,
    /// Different words among them: the wavefronts that the transaction takes.
    pub words: u32,
}

/// The busiest bank of an access that has conflicts; `None` if it has none. For messages, not for speed.
pub fn worst_collision(addresses: &Addresses, mask: u32, bytes: u32) -> Option<Collision> {
    if mask == 0 {
        return None;
    }
    let unit = u64::from(bytes.max(4)).next_power_of_two().min(16);
    let banks = 128 / unit;
    let slots = filled(addresses, mask).map(|address| address / unit);
    let groups = if unit == 4 { [u32::MAX, 0, 0, 0] } else { groups(&slots, mask, unit) };
    let mut worst: Option<Collision> = None;
    for group in groups {
        for bank in 0..banks {
            let here = lanes(mask & group).filter(|&lane| slots[lane] % banks == bank);
            let here = here.fold(0u32, |set, lane| set | 1 << lane);
            if here == 0 {
                continue;
            }
            let words = scattered_degree(&slots, here, banks);
            if words > worst.map_or(1, |w| w.words) {
                worst = Some(Collision { bank: (bank * unit / 4) as u32, lanes: here, words });
            }
        }
    }
    worst
}

#[cfg(test)]
mod tests;
