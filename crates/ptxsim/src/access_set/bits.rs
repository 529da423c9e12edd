//! One bit per byte of an allocation, from about the first to the last byte that was accessed.

use std::ops::Range;

/// The least number of words by which the bits grow.
const GROWTH: usize = 512;

/// A set of bytes. Word `i` has the bits of the bytes `64 * i` to `64 * i + 63`.
#[derive(Debug, Clone, Default)]
pub(super) struct Bits {
    /// The number of the first word that is kept.
    start: usize,
    words: Vec<u64>,
}

impl Bits {
    #[inline]
    pub fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let (first, last) = ((range.start / 64) as usize, ((range.end - 1) / 64) as usize);
        if first < self.start || last >= self.start + self.words.len() {
            self.grow(first, last);
        }
        let (first, last) = (first - self.start, last - self.start);
        let low = u64::MAX << (range.start % 64);
        let high = u64::MAX >> (63 - (range.end - 1) % 64);
        if first == last {
            self.words[first] |= low & high;
        } else {
            self.words[first] |= low;
            self.words[first + 1..last].fill(u64::MAX);
            self.words[last] |= high;
        }
    }

    /// Makes room for the words `first` to `last`.
    #[cold]
    fn grow(&mut self, first: usize, last: usize) {
        let aligned = first / GROWTH * GROWTH;
        if self.words.is_empty() {
            self.start = aligned;
        } else if first < self.start {
            // room for as many words as there are, because falling addresses go on falling
            let start = aligned.min(self.start.saturating_sub(self.words.len()));
            self.words.splice(0..0, std::iter::repeat_n(0, self.start - start));
            self.start = start;
        }
        let needed = (last + 1 - self.start).next_multiple_of(GROWTH);
        if needed > self.words.len() {
            self.words.resize(needed, 0);
        }
    }

    #[inline(always)]
    pub fn word(&self, index: usize) -> u64 {
        // an index before the start wraps round, and no word is there
        self.words.get(index.wrapping_sub(self.start)).copied().unwrap_or(0)
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The numbers of the words that may have bits.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + self.words.len()
    }

    pub fn join(&mut self, other: &Self) {
        let Some(last) = other.span().last() else { return };
        self.grow(other.start, last);
        let own = self.words.iter_mut().skip(other.start - self.start);
        own.zip(&other.words).for_each(|(a, b)| *a |= b);
    }
}

/// Equal sets may keep different numbers of empty words.
impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.span(), other.span());
        (a.start.min(b.start)..a.end.max(b.end)).all(|i| self.word(i) == other.word(i))
    }
}

impl Eq for Bits {}
