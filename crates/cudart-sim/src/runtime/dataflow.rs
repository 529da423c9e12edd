//! What the host contributes to a program's results.
//!
//! The outputs of an exercise must come from the device, and what the device computes must follow
//! from the inputs. So this records two things while a function of a program runs:
//!
//! * *Deliveries*: the bytes that copies, or kernels in memory that both sides share, brought to
//!   the host. A byte of an output that none of them brought was written by the host itself.
//! * *Commands*: everything that the host sends to the device, and which memory it copies back.
//!   Data that is a part of an input array counts as that part, whatever its values are. All other
//!   commands must be the same for all values of the input arrays, which a caller checks with two
//!   runs that differ in nothing else. Otherwise the host has computed with the inputs, and sends
//!   what it found (noninterference: Goguen and Meseguer, "Security Policies and Security Models",
//!   1982).
//!
//! The commands contain every call of the runtime with the numbers that it got, because a kernel
//! can find out some of these: the width of an array, or the size of the device's heap.

mod calls;
mod delivered;
mod inputs;
mod places;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use ptxsim::Launch;
use serde::{Deserialize, Serialize};

use super::Runtime;
use super::findings::sites::SiteId;
use super::memory::region::Region;
use super::memory::shared::{KeptContents, SharedContents};
use super::objects::textures::{TexelSource, TextureSettings};
use super::work::SetPattern;
use crate::graph::Id;
use crate::report::{Command, CommandKind, MovedData, Origin, OwnData};
use calls::Calls;
pub use calls::RecordedArgument;
use delivered::Deliveries;
pub use delivered::HostWritten;
pub(super) use delivered::{runs, whole_words};
use places::{Origins, WordPlaces, in_array};

/// A word of data.
type Word = [u8; 4];

/// Bytes of a launch's arguments that are not data of the host's: pointers, sizes and some numbers.
const USUAL_ARGUMENT_BYTES: usize = 128;

/// Commands that are recorded one by one. Those after them are one command together.
const MAX_COMMANDS: usize = 4096;

/// So much data that is not one word again and again stands in one place only, so that many chunks
/// need no search for others.
const DISTINCTIVE_BYTES: usize = 64;

/// Pieces of data that are recorded one by one. Those after them must come from exactly the same
/// place, even if their data stands in several.
const MAX_PIECES: usize = 1 << 22;

/// How what the host contributes is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Watching {
    /// The host only copies: data that it moves stands together where it comes from.
    #[default]
    Blocks,
    /// The host may also rearrange: each word of 4 bytes that it moves stands where it comes from.
    Words,
}

/// An array of the program's caller.
#[derive(Debug, Clone)]
pub struct WatchedArray {
    /// Its name.
    pub name: String,
    /// Where it begins in the host's memory.
    pub address: u64,
    /// What it contains before the call.
    pub contents: Vec<u8>,
    /// Whether the program may write to it.
    pub output: bool,
}

impl WatchedArray {
    /// The offset of an address in the array.
    fn offset(&self, address: u64) -> Option<usize> {
        let offset = usize::try_from(address.checked_sub(self.address)?).ok()?;
        (offset < self.contents.len()).then_some(offset)
    }
}

/// A command with the digest of all that it sends.
#[derive(Debug)]
struct Recorded {
    digest: u64,
    kind: CommandKind,
    own: OwnData,
    moved: Vec<MovedData>,
    site: SiteId,
}

impl Recorded {
    /// Makes this command and a later one a single command.
    fn join(&mut self, later: &Self) {
        let joined = |a: u64, b: u64| {
            let mut both = DefaultHasher::new();
            (a, b).hash(&mut both);
            both.finish()
        };
        self.digest = joined(self.digest, later.digest);
        let digest = joined(self.own.digest, later.own.digest);
        self.own = OwnData { bytes: self.own.bytes + later.own.bytes, digest };
        let end = self.moved.last().map_or(0, |last| last.at + last.bytes);
        self.moved
            .extend(later.moved.iter().map(|piece| MovedData { at: end + piece.at, ..*piece }));
    }
}

/// What a command sends, as it becomes known.
#[derive(Debug, Default)]
struct Sent {
    all: DefaultHasher,
    own: OwnData,
    moved: Vec<MovedData>,
    /// Bytes of data so far.
    bytes: u64,
}

impl Sent {
    /// Adds data that the host has made.
    fn add_own(&mut self, data: &[u8]) {
        let mut words = data.chunks(size_of::<Word>());
        let first = words.next();
        if words.any(|word| Some(word) != first) {
            let mut both = DefaultHasher::new();
            (self.own.digest, data).hash(&mut both);
            self.own = OwnData { bytes: self.own.bytes + data.len() as u64, digest: both.finish() };
        }
    }
}

/// What the host has sent, and what it has got.
#[derive(Debug, Default)]
pub(super) struct DataFlow {
    arrays: Vec<WatchedArray>,
    /// The words of all arrays, where words count.
    words: Option<WordPlaces>,
    deliveries: Deliveries,
    origins: Origins,
    /// Where the part ends of each array that was sent last.
    next_parts: Vec<usize>,
    /// Pieces of data that the host has moved.
    pieces: usize,
    /// By the work that they belong to, because the order in which work is done may depend on time.
    commands: BTreeMap<(Id, u32), Recorded>,
    calls: Calls,
    /// The digest of which long pieces of deliveries the host has copied to the outputs, and the
    /// words and short pieces.
    moved: (u64, Vec<MovedData>),
}

impl DataFlow {
    /// Is anything recorded?
    pub fn is_on(&self) -> bool {
        !self.arrays.is_empty()
    }

    fn command(&mut self, id: Id, kind: CommandKind, site: SiteId, sent: Sent) {
        let number = self.commands.range((id, 0)..=(id, u32::MAX)).count() as u32;
        let Sent { all, own, moved, .. } = sent;
        let command = Recorded { digest: all.finish(), kind, own, moved, site };
        if self.commands.len() < MAX_COMMANDS {
            self.commands.insert((id, number), command);
        } else if let Some(mut last) = self.commands.last_entry() {
            last.get_mut().join(&command);
        }
    }

    /// The array that contains an address, and the offset in it.
    fn place(&self, address: u64) -> Option<(usize, usize)> {
        let array = self.arrays.iter().enumerate();
        array.filter_map(|(i, array)| Some((i, array.offset(address)?))).next()
    }

    /// Memory of the host as it is in every run: in an array, or anywhere else.
    fn hash_host(&self, address: u64, digest: &mut DefaultHasher) {
        self.place(address).hash(digest);
    }

    /// Data of the host: where it lies, and its bytes, unless it has only been moved from an array
    /// or from something that the device has delivered. Then it is where the data stands there.
    fn hash_data(&mut self, address: u64, data: &[u8], sent: &mut Sent) {
        self.hash_host(address, &mut sent.all);
        let at = sent.bytes;
        sent.bytes += data.len() as u64;
        let origins = self.origins_of_words(data).or_else(|| self.origin_of_part(address, data));
        let moved = origins.is_some();
        (data.len(), (!moved).then_some(data)).hash(&mut sent.all);
        let Some((bytes, origins)) = origins else {
            sent.add_own(data);
            return;
        };
        for (at, from) in (at..).step_by(bytes).zip(origins) {
            match self.pieces {
                MAX_PIECES => from.hash(&mut sent.all),
                _ => {
                    self.pieces += 1;
                    sent.moved.push(MovedData { at, bytes: bytes as u64, from });
                }
            }
        }
    }

    /// The bytes and the origins of all words of data, if words count, and if all of them stand in
    /// the arrays or were delivered.
    fn origins_of_words(&mut self, data: &[u8]) -> Option<(usize, Vec<Origin>)> {
        let (words, rest) = data.as_chunks();
        let (inputs, delivered) = (self.words.as_mut()?, self.deliveries.words()?);
        inputs.sort();
        let known = |word: &Word| inputs.contain(*word) || delivered.contain(*word);
        if !rest.is_empty() || !words.iter().all(known) {
            return None;
        }
        let origin =
            |word: &Word| self.origins.of_word(*word, inputs.of(*word).chain(delivered.of(*word)));
        Some((size_of::<Word>(), words.iter().map(origin).collect()))
    }

    /// The bytes and the origin of data that is a part of an array, or of a delivery.
    fn origin_of_part(&mut self, address: u64, data: &[u8]) -> Option<(usize, Vec<Origin>)> {
        let held = |array: &WatchedArray| inputs::holds(&array.contents, data);
        let unchanged =
            self.place(address).filter(|(array, offset)| self.has(*array, *offset, data));
        let distinctive = data.len() >= DISTINCTIVE_BYTES
            && data[..data.len() - size_of::<Word>()] != data[size_of::<Word>()..];
        let place = unchanged.or_else(|| self.next_part(data)).filter(|_| distinctive);
        let origin = match place {
            Some((array, offset)) => {
                if let Some(next) = self.next_parts.get_mut(array) {
                    *next = offset + data.len();
                }
                Origin::Place(in_array(array, offset))
            }
            None if self.arrays.iter().any(held) || self.deliveries.contain(data) => {
                self.origins.one_of(self.deliveries.places(&self.arrays, data))
            }
            None => return None,
        };
        Some((data.len().max(1), vec![origin]))
    }

    /// Whether data stands at this place in an array.
    fn has(&self, array: usize, offset: usize, data: &[u8]) -> bool {
        let contents = self.arrays.get(array).and_then(|array| array.contents.get(offset..));
        contents.is_some_and(|contents| contents.starts_with(data))
    }

    /// The array that has data right after the part that was sent last, and the offset.
    fn next_part(&self, data: &[u8]) -> Option<(usize, usize)> {
        let mut next = self.next_parts.iter().copied().enumerate();
        next.find(|(array, offset)| self.has(*array, *offset, data))
    }

    /// The device has delivered data to this address of the host.
    fn deliver(&mut self, address: u64, data: &[u8]) {
        self.deliveries.add(&self.arrays, address, data);
    }
}

impl Runtime {
    /// Records from now on what the host sends to the device, and what it gets: the program's
    /// caller has these arrays.
    pub fn watch(&mut self, arrays: Vec<WatchedArray>, watching: Watching) {
        self.memory.keep_shared_contents(!arrays.is_empty());
        let by_words = watching == Watching::Words;
        let words = by_words.then(|| {
            let mut words = WordPlaces::default();
            for (index, array) in arrays.iter().enumerate() {
                words.add(in_array(index, 0), &array.contents);
            }
            words
        });
        let deliveries = Deliveries::new(by_words);
        let next_parts = vec![0; arrays.len()];
        self.dataflow = DataFlow { arrays, words, deliveries, next_parts, ..DataFlow::default() };
    }

    /// The bytes that the host itself has written to the arrays that may be written, whose contents
    /// are now these, in their order.
    pub fn written_by_host(&mut self, contents: &[&[u8]]) -> Vec<HostWritten> {
        self.take_shared_contents();
        let DataFlow { arrays, deliveries, origins, .. } = &mut self.dataflow;
        let outputs = arrays.iter().enumerate().filter(|(_, array)| array.output);
        let (mut own, mut copies, mut moved) = (vec![], vec![], vec![]);
        for ((index, _), now) in outputs.zip(contents) {
            match deliveries.sources(arrays, index, now) {
                Ok(sources) => {
                    copies.push(delivered::copies(&sources.pieces));
                    moved.extend(deliveries.origins(arrays, index, now, &sources, origins));
                }
                Err(written) => own.push(written),
            }
        }
        let mut digest = DefaultHasher::new();
        copies.hash(&mut digest);
        self.dataflow.moved = (digest.finish(), moved);
        own
    }

    /// What the host has sent, in the order in which it did.
    pub(super) fn commands(&self) -> Vec<Command> {
        let sites = self.findings.sites();
        let command = |recorded: &Recorded| Command {
            digest: recorded.digest,
            kind: recorded.kind,
            own: recorded.own,
            moved: recorded.moved.clone(),
            at: sites.resolve(recorded.site, None),
        };
        let (digest, moved) = self.dataflow.moved.clone();
        let (kind, own) = (CommandKind::OnHost, OwnData::default());
        let moved = Command { digest, kind, own, moved, at: None };
        let flow = &self.dataflow;
        let calls = flow.calls.recorded().iter().map(command);
        flow.commands.values().map(command).chain([moved]).chain(calls).collect()
    }

    /// The places of data that stands in several ([`Origin::OneOf`]).
    pub(super) fn equal_places(&self) -> Vec<Vec<u64>> {
        self.dataflow.origins.sets().to_vec()
    }

    /// A kernel is about to run.
    pub(super) fn record_launch(
        &mut self,
        binary: usize,
        launch: &Launch,
        (id, site): (Id, SiteId),
    ) {
        if !self.dataflow.is_on() {
            return;
        }
        let Ok(module) = self.objects.module(binary) else { return };
        let mut sent = Sent::default();
        (&launch.entry, launch.grid, launch.block, launch.shared).hash(&mut sent.all);
        if let Some(entry) = module.entries().iter().find(|entry| entry.name == launch.entry) {
            let params = entry.params.iter().zip(&launch.args);
            let used: Vec<&[u8]> =
                params.flat_map(|(param, argument)| param.used(argument)).collect();
            used.iter().for_each(|part| part.hash(&mut sent.all));
            if used.iter().map(|part| part.len()).sum::<usize>() > USUAL_ARGUMENT_BYTES {
                sent.add_own(&used.concat());
            }
        }
        self.dataflow.command(id, CommandKind::Launch, site, sent);
    }

    /// A copy is about to be done; `data` is what it reads.
    pub(super) fn record_copy(
        &mut self,
        (to_device, from_device): (bool, bool),
        (to, from): (&Region, &Region),
        data: &[u8],
        (id, site): (Id, SiteId),
    ) {
        if !self.dataflow.is_on() {
            return;
        }
        let mut sent = Sent::default();
        let flow = &mut self.dataflow;
        (to.extent.width, to.extent.height, to.extent.depth).hash(&mut sent.all);
        let kind = match (to_device, from_device) {
            (true, false) => {
                hash_layout(to, &mut sent.all);
                for (address, row) in from.rows().zip(data.chunks(to.extent.width as usize)) {
                    flow.hash_data(address, row, &mut sent);
                }
                CommandKind::ToDevice
            }
            (false, true) => {
                hash_layout(from, &mut sent.all);
                to.rows().for_each(|row| flow.hash_host(row, &mut sent.all));
                for (row, bytes) in to.rows().zip(data.chunks(to.extent.width as usize)) {
                    flow.deliver(row, bytes);
                }
                CommandKind::ToHost
            }
            (true, true) => {
                hash_layout(to, &mut sent.all);
                hash_layout(from, &mut sent.all);
                CommandKind::WithinDevice
            }
            (false, false) => return,
        };
        flow.command(id, kind, site, sent);
    }

    /// A set of device memory is about to be done.
    pub(super) fn record_set(
        &mut self,
        to: &Region,
        pattern: SetPattern,
        (id, site): (Id, SiteId),
    ) {
        if self.dataflow.is_on() {
            let mut sent = Sent::default();
            (to.extent.width, to.extent.height, to.extent.depth).hash(&mut sent.all);
            hash_layout(to, &mut sent.all);
            pattern.hash(&mut sent.all);
            self.dataflow.command(id, CommandKind::Set, site, sent);
        }
    }

    /// The host has made a texture or a surface object.
    pub(crate) fn record_object(
        &mut self,
        source: TexelSource,
        settings: Option<&TextureSettings>,
        site: SiteId,
    ) {
        if self.dataflow.is_on() {
            let mut sent = Sent::default();
            (source, settings.map(TextureSettings::bits)).hash(&mut sent.all);
            let id = self.streams.upcoming();
            self.dataflow.command(id, CommandKind::Object, site, sent);
        }
    }

    /// Work has got what the host wrote to memory that both sides share.
    pub(super) fn record_uploads(&mut self, (id, site): (Id, SiteId)) {
        let KeptContents { uploads, downloads, .. } = self.memory.take_shared_contents();
        self.deliver(downloads);
        for SharedContents { address, data } in uploads {
            if !self.memory.is_pinned(address) {
                self.record.managed_changed(data.len() as u64);
            }
            let mut sent = Sent::default();
            self.memory.on_device(address).hash(&mut sent.all);
            self.dataflow.hash_data(address, &data, &mut sent);
            self.dataflow.command(id, CommandKind::Shared, site, sent);
        }
    }

    /// The host has got what the device wrote to memory that both sides share.
    pub(super) fn take_shared_contents(&mut self) {
        let kept = self.memory.take_shared_contents();
        self.deliver(kept.downloads);
    }

    fn deliver(&mut self, downloads: Vec<SharedContents>) {
        for SharedContents { address, data } in downloads {
            self.dataflow.deliver(address, &data);
        }
    }
}

/// Where a box is in device memory, whose addresses are the same in every run.
fn hash_layout(region: &Region, digest: &mut DefaultHasher) {
    let layout = region.layout;
    (layout.address, layout.pitch, layout.plane).hash(digest);
}

#[cfg(test)]
mod tests {
    use super::places::in_array;
    use super::{Runtime, Sent, WatchedArray, Watching};
    use crate::report::Origin;
    use crate::runtime::Settings;

    const STAGED: u64 = 0x7f00_0000_0000;

    /// The origins of pieces of these arrays that the host sends from other memory.
    fn origins(arrays: &[Vec<u8>], pieces: &[&[u8]]) -> Vec<Origin> {
        let mut runtime = Runtime::new(Settings::default());
        let array = |(i, contents): (usize, &Vec<u8>)| WatchedArray {
            name: format!("array {i}"),
            address: 0x7f10_0000_0000 + (i as u64) * 0x1000_0000,
            contents: contents.clone(),
            output: false,
        };
        runtime.watch(arrays.iter().enumerate().map(array).collect(), Watching::Blocks);
        let mut sent = Sent::default();
        for piece in pieces {
            runtime.dataflow.hash_data(STAGED, piece, &mut sent);
        }
        sent.moved.iter().map(|piece| piece.from).collect()
    }

    fn numbers(n: u32) -> Vec<u8> {
        (0..n).flat_map(|i| (i * 2_654_435_761 + 1).to_le_bytes()).collect()
    }

    #[test]
    fn chunks_have_the_places_where_they_stand() {
        let (a, b) = (numbers(100), numbers(200)[400..].to_vec());
        let pieces = [&a[..100], &b[..100], &a[100..200], &b[300..], &a[300..]];
        let places = [(0, 0), (1, 0), (0, 100), (1, 300), (0, 300)];
        let places = places.map(|(array, offset)| Origin::Place(in_array(array, offset)));
        assert_eq!(origins(&[a.clone(), b.clone()], &pieces), places);
    }

    /// One of two elements, again and again.
    #[test]
    fn single_elements_have_their_places() {
        let a = numbers(100);
        let places = [4, 8, 4].map(|offset| Origin::Place(in_array(0, offset)));
        assert_eq!(origins(std::slice::from_ref(&a), &[&a[4..8], &a[8..12], &a[4..8]]), places);
    }

    /// A chunk of zeros could come from anywhere among zeros.
    #[test]
    fn equal_chunks_have_all_their_places() {
        let zeros = vec![0; 256];
        assert_eq!(origins(std::slice::from_ref(&zeros), &[&zeros[..64]]), [Origin::OneOf(0)]);
    }
}
