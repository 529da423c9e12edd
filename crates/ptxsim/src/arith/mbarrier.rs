//! Barriers in shared memory (PTX ISA, "Parallel Synchronization and Communication Instructions:
//! mbarrier"). PTX leaves the layout of their 64 bits open. Here bits 0 to 19 are the pending
//! arrivals of this phase, bits 20 to 39 the expected arrivals of the next one, and bit 63 is the
//! parity of the phase's number.

const COUNT: u64 = (1 << 20) - 1;
const PHASE: u64 = 1 << 63;

/// A new barrier that expects `count` arrivals in each phase.
#[inline]
pub const fn init(count: u64) -> u64 {
    let count = count & COUNT;
    count | count << 20
}

/// The barrier after `count` arrivals. With `drop`, later phases expect that many fewer.
#[inline]
pub const fn arrive(barrier: u64, count: u64, drop: bool) -> u64 {
    let expected = barrier >> 20 & COUNT;
    let expected = if drop { expected.saturating_sub(count) } else { expected };
    let pending = (barrier & COUNT).saturating_sub(count);
    if pending > 0 {
        return barrier & PHASE | expected << 20 | pending;
    }
    // the phase is complete, and the next one begins
    barrier & PHASE ^ PHASE | expected << 20 | expected
}

/// The parity of the current phase's number.
#[inline]
pub const fn parity(barrier: u64) -> u64 {
    barrier >> 63
}

/// The pending arrivals of the current phase.
#[inline]
pub const fn pending(barrier: u64) -> u32 {
    (barrier & COUNT) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_each_other() {
        let mut b = init(3);
        for phase in 0..4 {
            for left in [3, 2, 1] {
                assert_eq!((parity(b), pending(b)), (phase % 2, left));
                b = arrive(b, 1, false);
            }
        }
        assert_eq!(arrive(b, 3, false), init(3) | PHASE);
        // one arrives and drops out: this phase still needs two more arrivals, the next ones two
        b = arrive(init(3), 1, true);
        assert_eq!((parity(b), pending(b)), (0, 2));
        b = arrive(b, 2, false);
        assert_eq!((parity(b), pending(b)), (1, 2));
    }

    #[test]
    fn counts_that_make_no_sense_stay_in_their_bits() {
        for barrier in [0, u64::MAX, init(u64::MAX)] {
            for count in [0, 1, u64::MAX] {
                for drop in [false, true] {
                    assert_eq!(arrive(barrier, count, drop) & !PHASE >> 40 << 40, 0);
                }
            }
        }
    }
}
