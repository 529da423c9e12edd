//! Which bytes of an output the device has delivered.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::inputs::{MIN_BYTES, find_all, holds};
use super::places::{Origins, WordPlaces, in_array, in_delivery};
use super::{WatchedArray, Word};
use crate::report::MovedData;

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

/// Where the bytes of an output come from that the device has not delivered in place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct MovedBytes {
    /// Pieces with their offsets in the output.
    pub pieces: Vec<(usize, Piece)>,
    /// Ranges of words that the host may put into any order, where words count.
    words: Vec<Range<usize>>,
}

/// Data that the device has delivered.
#[derive(Debug)]
struct Delivery {
    /// How many came before it.
    number: usize,
    data: Vec<u8>,
}

/// What the device has delivered to the host.
#[derive(Debug, Default)]
pub(super) struct Deliveries {
    /// To outputs: the index of the array, and the offset. Later ones come later.
    to_outputs: Vec<(usize, usize, Delivery)>,
    /// To other memory.
    others: VecDeque<Delivery>,
    /// All so far, those included that are no longer kept.
    added: usize,
    kept_bytes: usize,
    /// The words of all deliveries, where words count.
    words: Option<WordPlaces>,
}

impl Deliveries {
    /// Nothing is delivered yet. The host may rearrange what is, if words count.
    pub fn new(by_words: bool) -> Self {
        Self { words: by_words.then(WordPlaces::default), ..Self::default() }
    }

    /// Whether data is a part of something that was delivered, or all of it.
    pub fn contain(&self, data: &[u8]) -> bool {
        self.all().any(|delivery| holds(&delivery.data, data))
    }

    /// All that are kept.
    fn all(&self) -> impl Iterator<Item = &Delivery> {
        self.others.iter().chain(self.to_outputs.iter().map(|(.., delivery)| delivery))
    }

    /// The delivered words, if words count. Zeros may stand between structures.
    pub fn words(&mut self) -> Option<&WordPlaces> {
        let words = self.words.as_mut()?;
        words.sort();
        Some(words)
    }

    /// The places at which data stands in the arrays and in what was delivered.
    pub fn places(&self, arrays: &[WatchedArray], data: &[u8]) -> Vec<u64> {
        let in_arrays = arrays.iter().enumerate().flat_map(|(index, array)| {
            offsets(&array.contents, data).map(move |offset| in_array(index, offset))
        });
        let delivered = self.all().flat_map(|delivery| {
            let place = |offset| in_delivery(delivery.number, offset);
            offsets(&delivery.data, data).map(place)
        });
        in_arrays.chain(delivered).collect()
    }

    /// Where the words and the short pieces of an output come from. They may stand anywhere, so all
    /// their places must be known; long pieces are [`copies`].
    pub fn origins(
        &mut self,
        arrays: &[WatchedArray],
        index: usize,
        now: &[u8],
        sources: &MovedBytes,
        origins: &mut Origins,
    ) -> Vec<MovedData> {
        let mut all = vec![];
        let at = |offset: usize| in_array(index, offset);
        for (offset, piece) in sources.pieces.iter().filter(|(_, p)| p.bytes < MIN_BYTES) {
            let places = self.places(arrays, &now[*offset..offset + piece.bytes]);
            let (at, bytes) = (at(*offset), piece.bytes as u64);
            all.push(MovedData { at, bytes, from: origins.one_of(places) });
        }
        let Some(words) = self.words() else { return all };
        for range in &sources.words {
            for (i, word) in now[range.clone()].as_chunks::<4>().0.iter().enumerate() {
                let from = origins.of_word(*word, words.of(*word));
                all.push(MovedData { at: at(range.start + 4 * i), bytes: 4, from });
            }
        }
        all.sort_by_key(|piece| piece.at);
        all
    }

    /// Adds data that has been delivered to an address of the host.
    pub fn add(&mut self, arrays: &[WatchedArray], address: u64, data: &[u8]) {
        let delivery = Delivery { number: self.added, data: data.to_vec() };
        self.added += 1;
        if let Some(words) = &mut self.words {
            words.add(in_delivery(delivery.number, 0), data);
        }
        let place = arrays.iter().enumerate();
        let mut place = place.filter_map(|(i, array)| Some((i, array.offset(address)?)));
        if let Some((index, offset)) = place.next() {
            // what it overwrites completely is no longer there
            let covers = |(other, at, old): &(usize, usize, Delivery)| {
                *other == index && offset <= *at && at + old.data.len() <= offset + data.len()
            };
            self.to_outputs.retain(|earlier| !covers(earlier));
            self.to_outputs.push((index, offset, delivery));
            return;
        }
        self.others.push_back(delivery);
        self.kept_bytes += data.len();
        while self.kept_bytes > MAX_KEPT_BYTES
            && let Some(oldest) = self.others.pop_front()
        {
            self.kept_bytes -= oldest.data.len();
        }
    }

    /// Where the bytes of an output come from that are not as they were before the call, and that
    /// the device has not delivered in place: pieces of what it delivered elsewhere, pieces of
    /// arrays, or the host.
    pub fn sources(
        &mut self,
        arrays: &[WatchedArray],
        index: usize,
        now: &[u8],
    ) -> Result<MovedBytes, HostWritten> {
        let Some(array) = arrays.get(index) else { return Ok(MovedBytes::default()) };
        self.words();
        let mut moved: Vec<bool> = now.iter().zip(&array.contents).map(|(a, b)| a != b).collect();
        let in_place = self.to_outputs.iter().filter(|(other, ..)| *other == index);
        for (_, offset, delivery) in in_place {
            for (i, byte) in (*offset..).zip(&delivery.data) {
                if let (Some(moved), Some(now)) = (moved.get_mut(i), now.get(i)) {
                    *moved &= now != byte;
                }
            }
        }
        let (mut pieces, mut words) = (vec![], vec![]);
        let mut own: Option<Range<usize>> = None;
        for run in runs(&moved) {
            // a byte of a word may be as it was before by chance
            let run = whole_words(&run, now.len());
            if self.are_words(&now[run.clone()]) {
                words.push(run);
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
            None => Ok(MovedBytes { pieces, words }),
            Some(own) => Err(HostWritten {
                array: array.name.clone(),
                first: own.start as u64,
                end: own.end as u64,
            }),
        }
    }

    /// Whether words count, and all of these were delivered.
    fn are_words(&self, bytes: &[u8]) -> bool {
        let Some(delivered) = &self.words else { return false };
        let (words, rest) = bytes.as_chunks();
        rest.is_empty() && words.iter().all(|word: &Word| delivered.contain(*word))
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
        let delivered = self.others.iter();
        let delivered = delivered.map(|d| (PieceSource::Delivery(d.number), &d.data));
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

/// The places in `all` from which `data` may come: any, or of short data only all of it or whole
/// elements.
fn offsets<'a>(all: &'a [u8], data: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let elements = data.len().is_multiple_of(4);
    let any = all.len() >= MIN_BYTES || all.len() == data.len();
    find_all(all, data).filter(move |at| any || elements && at.is_multiple_of(4))
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
    use super::{Deliveries, HostWritten, MovedBytes, Piece, PieceSource, copies};
    use crate::report::Origin;
    use crate::runtime::dataflow::WatchedArray;
    use crate::runtime::dataflow::places::{Origins, in_delivery};

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

    fn own(first: u64, end: u64) -> Result<MovedBytes, HostWritten> {
        Err(HostWritten { array: "out".into(), first, end })
    }

    /// Nothing is there that the host has moved.
    fn nothing() -> Result<MovedBytes, HostWritten> {
        Ok(MovedBytes::default())
    }

    #[test]
    fn copies_to_the_output_are_deliveries() {
        let (arrays, data) = (output(400), numbers(100));
        let mut deliveries = Deliveries::default();
        deliveries.add(&arrays, OUT, &data[..200]);
        deliveries.add(&arrays, OUT + 200, &data[200..]);
        assert_eq!(deliveries.sources(&arrays, 0, &data), nothing());
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
        let mut deliveries = Deliveries::default();
        assert_eq!(deliveries.sources(&arrays, 0, &numbers(100)), own(0, 400));
        assert_eq!(deliveries.sources(&arrays, 0, &arrays[0].contents), nothing());
    }

    /// Chunks that arrive in page-locked memory, from where the host copies them.
    #[test]
    fn deliveries_to_other_memory_may_be_copied() {
        let (arrays, data) = (output(400), numbers(100));
        let mut deliveries = Deliveries::default();
        deliveries.add(&arrays, 9000, &data[..160]);
        deliveries.add(&arrays, 9000, &data[160..]);
        let pieces = deliveries.sources(&arrays, 0, &data).expect("delivered").pieces;
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
        let mut all = |arrays: &[WatchedArray]| {
            copies(&deliveries.sources(arrays, 0, &data).expect("delivered").pieces)
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
        let mut deliveries = Deliveries::default();
        let whole = Piece { source: PieceSource::Array(1), offset: 0, bytes: 400 };
        assert_eq!(
            deliveries.sources(&arrays, 0, &contents),
            Ok(MovedBytes { pieces: vec![(0, whole)], words: vec![] })
        );
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
        let all = MovedBytes { pieces: vec![], words: std::iter::once(0..400).collect() };
        assert_eq!(deliveries.sources(&arrays, 0, &now), Ok(all.clone()));
        let moved = deliveries.origins(&arrays, 0, &now, &all, &mut Origins::default());
        let reverse = (0..100).map(|i| Origin::Place(in_delivery(0, 4 * (99 - i))));
        assert!(moved.iter().map(|piece| piece.from).eq(reverse), "each word has its place");
        now[8..12].copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(deliveries.sources(&arrays, 0, &now), own(0, 400));
    }

    /// A table of all bytes, from which a host could take any result.
    #[test]
    fn short_pieces_have_their_places() {
        let arrays = output(4);
        let mut deliveries = Deliveries::default();
        (0..=255).for_each(|byte| deliveries.add(&arrays, 9000, &[byte]));
        let now = [3, 1, 4, 1];
        let sources = deliveries.sources(&arrays, 0, &now).expect("delivered");
        let moved = deliveries.origins(&arrays, 0, &now, &sources, &mut Origins::default());
        let table = now.map(|byte| Origin::Place(in_delivery(usize::from(byte), 0)));
        assert!(moved.iter().map(|piece| piece.from).eq(table));
    }
}
