//! Which student is graded where.

use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};

/// One of `count` parts of a class, written "3/40": one-based, as on the command line of test
/// runners (cargo-nextest's `--partition hash:3/40`).
///
/// The part is decided by the student's id alone (the first eight bytes of its SHA-256, as a
/// little-endian number, modulo `count`): a student stays in their part when others come and go, on
/// every machine. Another `count` moves most of them. Parts are of similar size, not of the same
/// size: where ten are expected in each, some have twenty and some have two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// From 1 to `count`.
    number: u32,
    /// At least 1.
    count: u32,
}

/// Why a text is no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no shard: the third of forty is written 3/40")]
pub struct NoShard(String);

impl Shard {
    /// Part `number` of `count`; `None` unless 1 <= number <= count.
    pub const fn new(number: u32, count: u32) -> Option<Self> {
        if number >= 1 && number <= count { Some(Self { number, count }) } else { None }
    }

    /// The shard of `student` among `count` parts (0 counts as 1).
    pub fn of(student: &str, count: u32) -> Self {
        let count = count.max(1);
        let hash = Sha256::digest(student.as_bytes());
        let hash = hash.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        // The remainder is below a u32.
        Self { number: u32::try_from(hash % u64::from(count)).unwrap_or(0) + 1, count }
    }

    /// Whether `student` is graded here.
    pub fn has(self, student: &str) -> bool {
        Self::of(student, self.count) == self
    }

    /// From 1 to [`Shard::count`].
    pub const fn number(self) -> u32 {
        self.number
    }

    /// How many parts there are.
    pub const fn count(self) -> u32 {
        self.count
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        // `parse` would take "+3", too.
        let number = |digits: &str| {
            digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
        };
        text.split_once('/')
            .and_then(|(n, of)| Self::new(number(n)?, number(of)?))
            .ok_or_else(|| NoShard(text.escape_debug().to_string()))
    }
}

/// Parts of a class with this many students: about `each` in one, at least 1 part, at most `limit`.
pub fn count(students: usize, each: u32, limit: u32) -> u32 {
    let parts = students.div_ceil(each.max(1) as usize);
    u32::try_from(parts).unwrap_or(u32::MAX).clamp(1, limit.max(1))
}

/// Students in the largest part.
pub fn largest(students: &[String], count: u32) -> usize {
    let mut sizes = std::collections::BTreeMap::<u32, usize>::new();
    for student in students {
        *sizes.entry(Shard::of(student, count).number).or_default() += 1;
    }
    sizes.into_values().max().unwrap_or(0)
}

/// Numbers in ascending order with runs shortened: "1-3,7", as Slurm's `--array` takes them.
pub fn ranges(numbers: &[u32]) -> String {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut runs: Vec<(u32, u32)> = vec![];
    for n in sorted {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => runs.push((n, n)),
        }
    }
    let run = |(a, b): (u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A class is graded by machines that never meet: where a student belongs may not change with a
    /// version, or records of half a class are made twice and the others never. The numbers come
    /// from `sha256sum`.
    #[test]
    fn where_a_student_belongs_is_fixed() {
        // printf ada | sha256sum: fdee430d40bd57de..., little-endian 0xde57bd400d43eefd.
        for (student, count) in [("ada", 40), ("ada", 7), ("ada", 1)] {
            let expected = 0x_de57_bd40_0d43_eefd_u64 % u64::from(count) + 1;
            assert_eq!(u64::from(Shard::of(student, count).number()), expected);
        }
    }

    /// "0/3", "4/3" and every other shard without students is refused, and the error shows the
    /// right form.
    #[test]
    fn only_shards_are_shards() {
        assert_eq!("3/40".parse(), Ok(Shard { number: 3, count: 40 }));
        for text in ["", "3", "0/3", "4/3", "3/0", "1/2/3", "+1/3", " 1/3", "-1/3", "1/4294967296"]
        {
            let error = text.parse::<Shard>().unwrap_err().to_string();
            assert!(error.contains("written 3/40"), "{text}: {error}");
        }
    }

    /// The parts of a class of 5 000 are near enough to each other that one does not run twice as
    /// long as the plan allows.
    #[test]
    fn parts_are_of_similar_size() {
        let class: Vec<String> = (0..5000).map(|n| format!("u{n}")).collect();
        assert_eq!(count(class.len(), 10, 1000), 500);
        let most = largest(&class, 500);
        assert!((15..=28).contains(&most), "{most}");
        assert_eq!((count(0, 10, 9), count(95, 10, 9), count(3, 0, 0)), (1, 9, 1));
    }

    /// Slurm reads these lists.
    #[test]
    fn runs_are_shortened() {
        assert_eq!(ranges(&[7, 3, 1, 2, 2]), "1-3,7");
        assert_eq!((ranges(&[]), ranges(&[5])), (String::new(), "5".into()));
    }

    proptest! {
        /// Every student is in exactly one shard.
        #[test]
        fn each_student_is_in_one_part(student in ".*", count in 1_u32..300) {
            let homes = (1..=count).filter(|n| Shard::new(*n, count).unwrap().has(&student)).count();
            prop_assert_eq!(homes, 1);
        }

        /// The command line reads what a plan writes into a script.
        #[test]
        fn a_shard_survives_being_written(count in 1_u32.., number in 1_u32..) {
            let Some(shard) = Shard::new(number, count) else { return Ok(()) };
            prop_assert_eq!(shard.to_string().parse::<Shard>(), Ok(shard));
        }
    }
}
