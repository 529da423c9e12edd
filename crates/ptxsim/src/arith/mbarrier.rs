//! Barriers in memory (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"). What lies in their
//! 64 bits is nobody's business but the instructions': here the threads that are still to come to this phase in bits 0 to
//! 19, those that come to the next one in bits 20 to 39, and the last bit of the phase's number in bit 63.

const COUNT: u64 = (1 << 20) - 1;
const PHASE: u64 = 1 << 63;

/// A new barrier for so many arrivals.
#[inline]
pub const fn init(count: u64) -> u64 {
    let count = count & COUNT;
    count | count << 20
}

/// After `count` arrivals; with `drop`, those come to no later phase.
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

/// The last bit of the number of the phase that a barrier is in.
#[inline]
pub const fn parity(barrier: u64) -> u64 {
    barrier >> 63
}

/// How many are still to come.
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
        // one comes for the last time: the phase still needs two more, the next ones two
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
