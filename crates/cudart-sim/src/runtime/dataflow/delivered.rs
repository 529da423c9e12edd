//! Which bytes of an output the device has delivered.

use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::inputs::{MIN_BYTES, find_all, holds};
use super::{WatchedArray, Word};

/// Bytes of deliveries to other memory than outputs that are kept; the oldest go first.
const MAX_KEPT_BYTES: usize = 256 << 20;

/// More pieces count as the host's own work.
const MAX_PIECES: usize = 4096;

/// Equal bytes between two parts that the host has written, which it may have written, too.
const JOINED_GAP_BYTES: usize = 64;

/// Places in a delivery at which a piece may begin.
const MAX_PLACES: usize = 256;

/// Bytes of an output that the host has copied from somewhere else: from where the device had
/// delivered them, or from an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Piece {
    source: PieceSource,
    /// The first byte in it.
    offset: usize,
    bytes: usize,
}

/// Where the bytes of an output come from, without the values: the source, and how far they lie
/// from their place in it. Whether a single byte has changed is chance, so parts of one copy are
/// one.
pub(super) fn copies(pieces: &[(usize, Piece)]) -> Vec<(PieceSource, isize)> {
    let mut all = vec![];
    for (at, piece) in pieces {
        let copy = (piece.source, at.cast_signed() - piece.offset.cast_signed());
        let certain = piece.bytes >= MIN_BYTES;
        if certain && !all.contains(&copy) {
            all.push(copy);
        }
    }
    all
}

/// Where a piece comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PieceSource {
    /// The delivery with this number.
    Delivery(usize),
    /// The array with this number.
    Array(usize),
}

/// Bytes of an output that the host has written itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostWritten {
    /// The array's name.
    pub array: String,
    /// The first of these bytes.
    pub first: u64,
    /// The byte after the last of them.
    pub end: u64,
}

/// What the device has delivered to the host.
#[derive(Debug, Default)]
pub(super) struct Deliveries {
    /// To outputs: the index of the array, the offset, and the data. Later ones come later.
    to_outputs: Vec<(usize, usize, Vec<u8>)>,
    /// To other memory.
    others: VecDeque<Vec<u8>>,
    kept_bytes: usize,
    /// The words of all deliveries, where words count.
    words: Option<HashSet<Word>>,
}

impl Deliveries {
    /// Nothing is delivered yet. The host may rearrange what is, if words count.
    pub fn new(by_words: bool) -> Self {
        Self { words: by_words.then(HashSet::new), ..Self::default() }
    }

    /// Whether data is a part of something that was delivered, or all of it.
    pub fn contain(&self, data: &[u8]) -> bool {
        let to_outputs = self.to_outputs.iter().map(|(.., delivery)| delivery);
        let mut all = self.others.iter().chain(to_outputs);
        all.any(|delivery| holds(delivery, data))
    }

    /// Whether this word was delivered and words count. Zeros may stand between structures.
    pub fn has_word(&self, word: &Word) -> bool {
        self.words.as_ref().is_some_and(|words| *word == [0; 4] || words.contains(word))
    }

    /// Adds data that has been delivered to an address of the host.
    pub fn add(&mut self, arrays: &[WatchedArray], address: u64, data: &[u8]) {
        if let Some(words) = &mut self.words {
            words.extend(data.as_chunks::<4>().0);
        }
        let place = arrays.iter().enumerate();
        let mut place = place.filter_map(|(i, array)| Some((i, array.offset(address)?)));
        if let Some((index, offset)) = place.next() {
            // what it overwrites completely is no longer there
            let covers = |(other, at, old): &(usize, usize, Vec<u8>)| {
                *other == index && offset <= *at && at + old.len() <= offset + data.len()
            };
            self.to_outputs.retain(|earlier| !covers(earlier));
            self.to_outputs.push((index, offset, data.to_vec()));
            return;
        }
        self.others.push_back(data.to_vec());
        self.kept_bytes += data.len();
        while self.kept_bytes > MAX_KEPT_BYTES
            && let Some(oldest) = self.others.pop_front()
        {
            self.kept_bytes -= oldest.len();
        }
    }

    /// Where the bytes of an output come from that are not as they were before the call, and that
    /// the device has not delivered in place: pieces of what it delivered elsewhere, pieces of
    /// arrays, or the host.
    pub fn sources(
        &self,
        arrays: &[WatchedArray],
        index: usize,
        now: &[u8],
    ) -> Result<Vec<(usize, Piece)>, HostWritten> {
        let Some(array) = arrays.get(index) else { return Ok(vec![]) };
        let mut moved: Vec<bool> = now.iter().zip(&array.contents).map(|(a, b)| a != b).collect();
        for (_, offset, data) in self.to_outputs.iter().filter(|(other, ..)| *other == index) {
            for (i, byte) in (*offset..).zip(data) {
                if let (Some(moved), Some(now)) = (moved.get_mut(i), now.get(i)) {
                    *moved &= now != byte;
                }
            }
        }
        let mut pieces = vec![];
        let mut own: Option<Range<usize>> = None;
        for run in runs(&moved) {
            // a byte of a word may be as it was before by chance
            let run = whole_words(&run, now.len());
            if self.are_words(&now[run.clone()]) {
                continue;
            }
            match self.pieces(arrays, &now[run.clone()]) {
                Some(found) => {
                    let mut at = run.start;
                    for piece in found {
                        pieces.push((at, piece));
                        at += piece.bytes;
                    }
                }
                None => own = Some(own.map_or(run.start, |own| own.start)..run.end),
            }
        }
        match own {
            None => Ok(pieces),
            Some(own) => Err(HostWritten {
                array: array.name.clone(),
                first: own.start as u64,
                end: own.end as u64,
            }),
        }
    }

    /// Whether words count, and all of these were delivered.
    fn are_words(&self, bytes: &[u8]) -> bool {
        let (words, rest) = bytes.as_chunks();
        self.words.is_some() && rest.is_empty() && words.iter().all(|word| self.has_word(word))
    }

    /// The pieces that the bytes consist of, if they do.
    fn pieces(&self, arrays: &[WatchedArray], mut bytes: &[u8]) -> Option<Vec<Piece>> {
        let mut all = vec![];
        while !bytes.is_empty() && all.len() < MAX_PIECES {
            let piece = self.longest_piece(arrays, bytes)?;
            bytes = &bytes[piece.bytes..];
            all.push(piece);
        }
        bytes.is_empty().then_some(all)
    }

    /// The piece that `bytes` begins with. Of several, it is one of the shortest source.
    fn longest_piece(&self, arrays: &[WatchedArray], bytes: &[u8]) -> Option<Piece> {
        let delivered = self.others.iter().enumerate();
        let delivered = delivered.map(|(i, data)| (PieceSource::Delivery(i), data));
        let arrays = arrays.iter().enumerate();
        let arrays = arrays.map(|(i, array)| (PieceSource::Array(i), &array.contents));
        let found = delivered.chain(arrays).filter_map(|(source, data)| {
            let piece = piece_of(source, data, bytes)?;
            Some((piece.bytes, Reverse(data.len()), piece))
        });
        let best = found.max_by_key(|(bytes, length, _)| (*bytes, *length));
        best.map(|(_, _, piece)| piece)
    }
}

/// The longest piece of `data` that `bytes` begins with; of short data, only all of it.
fn piece_of(source: PieceSource, data: &[u8], bytes: &[u8]) -> Option<Piece> {
    if data.len() < MIN_BYTES {
        let whole = !data.is_empty() && bytes.starts_with(data);
        return whole.then_some(Piece { source, offset: 0, bytes: data.len() });
    }
    // a few bytes of an array say nothing about where the host has them from
    if matches!(source, PieceSource::Array(_)) && bytes.len() < MIN_BYTES {
        return None;
    }
    let begin = &bytes[..bytes.len().min(MIN_BYTES)];
    let length = |at: usize| data[at..].iter().zip(bytes).take_while(|(a, b)| a == b).count();
    let places = find_all(data, begin).take(MAX_PLACES);
    let pieces = places.map(|offset| Piece { source, offset, bytes: length(offset) });
    pieces.reduce(|best, piece| if piece.bytes > best.bytes { piece } else { best })
}

/// The words that a range of bytes touches, of so many bytes.
pub(in crate::runtime) fn whole_words(run: &Range<usize>, bytes: usize) -> Range<usize> {
    run.start / 4 * 4..run.end.next_multiple_of(4).min(bytes)
}

/// The ranges of bytes that are set, where those with a short gap are one.
pub(in crate::runtime) fn runs(set: &[bool]) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = vec![];
    for i in (0..set.len()).filter(|i| set[*i]) {
        match all.last_mut() {
            Some(last) if i - last.end < JOINED_GAP_BYTES => last.end = i + 1,
            _ => all.push(i..i + 1),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Deliveries, HostWritten, Piece, PieceSource, copies};
    use crate::runtime::dataflow::WatchedArray;

    const OUT: u64 = 1000;

    fn output(bytes: usize) -> Vec<WatchedArray> {
        vec![WatchedArray {
            name: "out".into(),
            address: OUT,
            contents: vec![0xAA; bytes],
            output: true,
        }]
    }

    /// Numbers that are all different.
    fn numbers(n: u32) -> Vec<u8> {
        (0..n).flat_map(|i| (i * 2_654_435_761 + 1).to_le_bytes()).collect()
    }

    fn own(first: u64, end: u64) -> Result<Vec<(usize, Piece)>, HostWritten> {
        Err(HostWritten { array: "out".into(), first, end })
    }

    #[test]
    fn copies_to_the_output_are_deliveries() {
        let (arrays, data) = (output(400), numbers(100));
        let mut deliveries = Deliveries::default();
        deliveries.add(&arrays, OUT, &data[..200]);
        deliveries.add(&arrays, OUT + 200, &data[200..]);
        assert_eq!(deliveries.sources(&arrays, 0, &data), Ok(vec![]));
    }

    /// Nothing but a copy of the device's may change an element.
    #[test]
    fn one_element_of_the_host_is_found() {
        let (arrays, data) = (output(400), numbers(100));
        let mut deliveries = Deliveries::default();
        deliveries.add(&arrays, OUT, &data);
        let mut now = data;
        now[40..44].copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(deliveries.sources(&arrays, 0, &now), own(40, 44));
    }

    #[test]
    fn what_the_host_writes_without_a_delivery_is_its_own() {
        let arrays = output(400);
        let deliveries = Deliveries::default();
        assert_eq!(deliveries.sources(&arrays, 0, &numbers(100)), own(0, 400));
        assert_eq!(deliveries.sources(&arrays, 0, &arrays[0].contents), Ok(vec![]));
    }

    /// Chunks that arrive in page-locked memory, from where the host copies them.
    #[test]
    fn deliveries_to_other_memory_may_be_copied() {
        let (arrays, data) = (output(400), numbers(100));
        let mut deliveries = Deliveries::default();
        deliveries.add(&arrays, 9000, &data[..160]);
        deliveries.add(&arrays, 9000, &data[160..]);
        let pieces = deliveries.sources(&arrays, 0, &data).expect("delivered");
        let expected = [(0, 160), (160, 240)];
        assert_eq!(
            pieces.iter().map(|(at, piece)| (*at, piece.bytes)).collect::<Vec<_>>(),
            expected
        );
        let from = [(PieceSource::Delivery(0), 0), (PieceSource::Delivery(1), 160)];
        assert_eq!(copies(&pieces), from);
        let mut sorted = data;
        sorted.reverse();
        assert_eq!(deliveries.sources(&arrays, 0, &sorted), own(0, 400));
    }

    /// An element that happens to be as it was before the call changes nothing.
    #[test]
    fn chance_changes_no_copy() {
        let (mut arrays, data) = (output(400), numbers(100));
        let mut deliveries = Deliveries::default();
        deliveries.add(&arrays, 9000, &data);
        let all = |arrays: &[WatchedArray]| {
            copies(&deliveries.sources(arrays, 0, &data).expect("delivered"))
        };
        let usual = all(&arrays);
        arrays[0].contents[..5].copy_from_slice(&data[..5]);
        arrays[0].contents[100..220].copy_from_slice(&data[100..220]);
        assert_eq!(all(&arrays), usual);
    }

    /// A result of 4 bytes that arrives in a variable.
    #[test]
    fn short_deliveries_count_as_a_whole() {
        let arrays = output(8);
        let mut deliveries = Deliveries::default();
        deliveries.add(&arrays, 9000, &[1, 2, 3, 4]);
        deliveries.add(&arrays, 9000, &[5, 6, 7, 8]);
        let now = [1, 2, 3, 4, 5, 6, 7, 8];
        assert!(deliveries.sources(&arrays, 0, &now).is_ok());
        assert_eq!(deliveries.sources(&arrays, 0, &[1, 2, 3, 5, 5, 6, 7, 8]), own(0, 8));
    }

    /// Without a step, the results are the inputs, which the host may copy.
    #[test]
    fn inputs_may_be_copied_to_outputs() {
        let mut arrays = output(400);
        let contents = numbers(100);
        arrays.push(WatchedArray {
            name: "in".into(),
            address: 5000,
            contents: contents.clone(),
            output: false,
        });
        let deliveries = Deliveries::default();
        let whole = Piece { source: PieceSource::Array(1), offset: 0, bytes: 400 };
        assert_eq!(deliveries.sources(&arrays, 0, &contents), Ok(vec![(0, whole)]));
        let mut now = arrays[0].contents.clone();
        now[..4].copy_from_slice(&contents[40..44]);
        assert_eq!(deliveries.sources(&arrays, 0, &now), own(0, 4), "not a single element");
    }

    /// Rows that become columns on the host.
    #[test]
    fn words_may_be_rearranged_where_they_count() {
        let (arrays, data) = (output(400), numbers(100));
        let mut deliveries = Deliveries::new(true);
        deliveries.add(&arrays, 9000, &data);
        let words = data.as_chunks::<4>().0;
        let mut now: Vec<u8> = words.iter().rev().flatten().copied().collect();
        assert_eq!(deliveries.sources(&arrays, 0, &now), Ok(vec![]));
        now[8..12].copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(deliveries.sources(&arrays, 0, &now), own(0, 400));
    }
}
