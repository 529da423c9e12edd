//! Where data stands that the host moves.
//!
//! A host may copy parts of arrays and of what the device has delivered, and in some exercises it
//! may put their words into another order. But the order must not follow from the values, because
//! it could spell a result: 32 copies of two different words are 32 bits. So each piece is recorded
//! with the places where its data stands, and for other values in the arrays the host must have
//! taken it from the same place. Data that stands in several places may come from any of them.

use std::collections::HashMap;

use super::Word;
use crate::report::Origin;

/// The place of zeros between the fields of structures, which stand nowhere.
const PADDING: u64 = 0;

/// The number of the first delivery. Before it come the numbers of arrays.
const FIRST_DELIVERY: u64 = 1 << 16;

/// Places that are kept of data that stands in several places. Data after that has only its first.
const MAX_KEPT_PLACES: usize = 1 << 22;

/// The place of a byte in an array.
pub(super) const fn in_array(array: usize, offset: usize) -> u64 {
    ((array as u64 + 1) << 32) + offset as u64
}

/// The place of a byte in a delivery.
pub(super) const fn in_delivery(number: usize, offset: usize) -> u64 {
    ((FIRST_DELIVERY + number as u64) << 32) + offset as u64
}

/// Words with their places.
#[derive(Debug, Default)]
pub(super) struct WordPlaces {
    all: Vec<(Word, u64)>,
    sorted: bool,
}

impl WordPlaces {
    /// Adds the words of data that begins at this place.
    pub fn add(&mut self, first: u64, data: &[u8]) {
        let places = (first..).step_by(size_of::<Word>());
        self.all.extend(data.as_chunks().0.iter().copied().zip(places));
        self.sorted = false;
    }

    /// Prepares for [`Self::of`].
    pub fn sort(&mut self) {
        if !std::mem::replace(&mut self.sorted, true) {
            // most of it is sorted already
            self.all.sort();
        }
    }

    /// The places of a word in ascending order, once they are sorted.
    pub fn of(&self, word: Word) -> impl Iterator<Item = u64> {
        let first = self.all.partition_point(|(other, _)| *other < word);
        let places = self.all[first..].iter().take_while(move |(other, _)| *other == word);
        places.map(|(_, place)| *place)
    }

    /// Whether a word stands somewhere, or is padding.
    pub fn contain(&self, word: Word) -> bool {
        word == [0; 4] || self.of(word).next().is_some()
    }
}

/// The sets of places of data that stands in several places.
#[derive(Debug, Default)]
pub(super) struct Origins {
    sets: Vec<Vec<u64>>,
    /// The sets of words, by the word, the number of its places, which grows, and the first of
    /// them, because a word may stand in as many places of arrays as of deliveries.
    of_words: HashMap<(Word, usize, u64), Origin>,
    kept_places: usize,
}

impl Origins {
    /// All sets, for [`Origin::OneOf`].
    pub fn sets(&self) -> &[Vec<u64>] {
        &self.sets
    }

    /// The origin of a word that stands in these places.
    pub fn of_word(&mut self, word: Word, places: impl Iterator<Item = u64>) -> Origin {
        let padding = (word == [0; 4]).then_some(PADDING);
        let all: Vec<u64> = padding.into_iter().chain(places).collect();
        let key = (word, all.len(), all.first().copied().unwrap_or(PADDING));
        match self.of_words.get(&key) {
            Some(known) => *known,
            None if all.len() <= 1 => Origin::Place(all.first().copied().unwrap_or(PADDING)),
            None => {
                let new = self.one_of(all);
                self.of_words.insert(key, new);
                new
            }
        }
    }

    /// The origin of data that stands in these places.
    pub fn one_of(&mut self, mut places: Vec<u64>) -> Origin {
        places.sort_unstable();
        let first = Origin::Place(places.first().copied().unwrap_or(PADDING));
        if places.len() <= 1 || self.kept_places + places.len() > MAX_KEPT_PLACES {
            return first;
        }
        self.kept_places += places.len();
        self.sets.push(places);
        Origin::OneOf(self.sets.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_all_their_places() {
        let mut words = WordPlaces::default();
        words.add(in_array(0, 0), &[1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 9]);
        words.add(in_array(1, 0), &[2, 0, 0, 0]);
        words.sort();
        let places = |word: u8| words.of([word, 0, 0, 0]).collect::<Vec<_>>();
        assert_eq!(places(1), [in_array(0, 0), in_array(0, 8)]);
        assert_eq!(places(2), [in_array(0, 4), in_array(1, 0)]);
        assert!(places(9).is_empty() && !words.contain([9, 0, 0, 0]));
        assert!(words.contain([0; 4]), "padding");
    }

    #[test]
    fn equal_words_share_a_set() {
        let mut origins = Origins::default();
        let word = [1, 0, 0, 0];
        assert_eq!(origins.of_word(word, [7].into_iter()), Origin::Place(7));
        let both = origins.of_word(word, [7, 11].into_iter());
        assert_eq!(both, Origin::OneOf(0));
        assert_eq!(origins.of_word(word, [7, 11].into_iter()), both);
        let delivered = [in_delivery(0, 4), in_delivery(0, 8)];
        assert_eq!(origins.of_word(word, delivered.into_iter()), Origin::OneOf(1));
        assert_eq!(origins.of_word([0; 4], std::iter::empty()), Origin::Place(PADDING));
        assert_eq!(origins.of_word([0; 4], [3].into_iter()), Origin::OneOf(2));
        assert_eq!(origins.sets(), [vec![7, 11], delivered.to_vec(), vec![PADDING, 3]]);
    }
}
