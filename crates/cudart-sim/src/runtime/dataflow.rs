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

mod delivered;
mod inputs;

use std::collections::{BTreeMap, HashSet};
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
use crate::report::{Command, CommandKind};
use delivered::Deliveries;
pub use delivered::HostWritten;
pub(super) use delivered::{runs, whole_words};

/// A word of data.
type Word = [u8; 4];

/// Commands that are recorded one by one. Those after them are one command together.
const MAX_COMMANDS: usize = 4096;

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

/// What the host has sent, and what it has got.
#[derive(Debug, Default)]
pub(super) struct DataFlow {
    watching: Watching,
    arrays: Vec<WatchedArray>,
    /// The words of all arrays, where words count.
    words: HashSet<Word>,
    deliveries: Deliveries,
    /// By the work that they belong to, because the order in which work is done may depend on time.
    commands: BTreeMap<(Id, u32), (u64, CommandKind, SiteId)>,
    /// The digest of which pieces of deliveries the host has copied to the outputs.
    moved: u64,
}

impl DataFlow {
    /// Is anything recorded?
    pub fn is_on(&self) -> bool {
        !self.arrays.is_empty()
    }

    fn command(&mut self, id: Id, kind: CommandKind, site: SiteId, digest: DefaultHasher) {
        let number = self.commands.range((id, 0)..=(id, u32::MAX)).count() as u32;
        if self.commands.len() < MAX_COMMANDS {
            self.commands.insert((id, number), (digest.finish(), kind, site));
        } else if let Some(mut last) = self.commands.last_entry() {
            let mut both = DefaultHasher::new();
            (last.get().0, digest.finish()).hash(&mut both);
            last.get_mut().0 = both.finish();
        }
    }

    /// Memory of the host as it is in every run: in an array, or anywhere else.
    fn hash_host(&self, address: u64, digest: &mut DefaultHasher) {
        let array = self.arrays.iter().enumerate();
        let place = array.filter_map(|(i, array)| Some((i, array.offset(address)?))).next();
        place.hash(digest);
    }

    /// Data of the host: where it lies, and its bytes, unless it has only been copied from an
    /// array or from something that the device has delivered. Which of these it is may be chance.
    fn hash_data(&self, address: u64, data: &[u8], digest: &mut DefaultHasher) {
        self.hash_host(address, digest);
        let moved = self.arrays.iter().any(|array| inputs::holds(&array.contents, data))
            || self.deliveries.contain(data)
            || self.watching == Watching::Words && self.are_words(data);
        (data.len(), (!moved).then_some(data)).hash(digest);
    }

    /// Whether all words stand in the arrays, or were delivered.
    fn are_words(&self, data: &[u8]) -> bool {
        let (words, rest) = data.as_chunks();
        let moved = |word: &Word| self.words.contains(word) || self.deliveries.has_word(word);
        rest.is_empty() && words.iter().all(moved)
    }
}

impl Runtime {
    /// Records from now on what the host sends to the device, and what it gets: the program's
    /// caller has these arrays.
    pub fn watch(&mut self, arrays: Vec<WatchedArray>, watching: Watching) {
        self.memory.keep_shared_contents(!arrays.is_empty());
        let of = |array: &WatchedArray| array.contents.as_chunks().0.to_vec();
        let by_words = watching == Watching::Words;
        let words = arrays.iter().filter(|_| by_words).flat_map(of).collect();
        let deliveries = Deliveries::new(by_words);
        self.dataflow = DataFlow { watching, arrays, words, deliveries, ..DataFlow::default() };
    }

    /// The bytes that the host itself has written to the arrays that may be written, whose contents
    /// are now these, in their order.
    pub fn written_by_host(&mut self, contents: &[&[u8]]) -> Vec<HostWritten> {
        self.take_shared_contents();
        let flow = &mut self.dataflow;
        let outputs = flow.arrays.iter().enumerate().filter(|(_, array)| array.output);
        let (mut own, mut moved) = (vec![], vec![]);
        for ((index, _), now) in outputs.zip(contents) {
            match flow.deliveries.sources(&flow.arrays, index, now) {
                Ok(pieces) => moved.push(delivered::copies(&pieces)),
                Err(written) => own.push(written),
            }
        }
        let mut digest = DefaultHasher::new();
        moved.hash(&mut digest);
        flow.moved = digest.finish();
        own
    }

    /// What the host has sent, in the order in which it did.
    pub(super) fn commands(&self) -> Vec<Command> {
        let sites = self.findings.sites();
        let command = |&(digest, kind, site): &(u64, CommandKind, SiteId)| Command {
            digest,
            kind,
            at: sites.resolve(site, None),
        };
        let moved = Command { digest: self.dataflow.moved, kind: CommandKind::OnHost, at: None };
        self.dataflow.commands.values().map(command).chain([moved]).collect()
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
        let mut digest = DefaultHasher::new();
        (&launch.entry, launch.grid, launch.block, launch.shared).hash(&mut digest);
        if let Some(entry) = module.entries().iter().find(|entry| entry.name == launch.entry) {
            for (param, argument) in entry.params.iter().zip(&launch.args) {
                param.used(argument).for_each(|part| part.hash(&mut digest));
            }
        }
        self.dataflow.command(id, CommandKind::Launch, site, digest);
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
        let mut digest = DefaultHasher::new();
        let flow = &mut self.dataflow;
        (to.extent.width, to.extent.height, to.extent.depth).hash(&mut digest);
        let kind = match (to_device, from_device) {
            (true, false) => {
                hash_layout(to, &mut digest);
                for (address, row) in from.rows().zip(data.chunks(to.extent.width as usize)) {
                    flow.hash_data(address, row, &mut digest);
                }
                CommandKind::ToDevice
            }
            (false, true) => {
                hash_layout(from, &mut digest);
                to.rows().for_each(|row| flow.hash_host(row, &mut digest));
                for (row, bytes) in to.rows().zip(data.chunks(to.extent.width as usize)) {
                    flow.deliveries.add(&flow.arrays, row, bytes);
                }
                CommandKind::ToHost
            }
            (true, true) => {
                hash_layout(to, &mut digest);
                hash_layout(from, &mut digest);
                CommandKind::WithinDevice
            }
            (false, false) => return,
        };
        flow.command(id, kind, site, digest);
    }

    /// A set of device memory is about to be done.
    pub(super) fn record_set(
        &mut self,
        to: &Region,
        pattern: SetPattern,
        (id, site): (Id, SiteId),
    ) {
        if self.dataflow.is_on() {
            let mut digest = DefaultHasher::new();
            (to.extent.width, to.extent.height, to.extent.depth).hash(&mut digest);
            hash_layout(to, &mut digest);
            pattern.hash(&mut digest);
            self.dataflow.command(id, CommandKind::Set, site, digest);
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
            let mut digest = DefaultHasher::new();
            (source, settings.map(TextureSettings::bits)).hash(&mut digest);
            let id = self.streams.upcoming();
            self.dataflow.command(id, CommandKind::Object, site, digest);
        }
    }

    /// Work has got what the host wrote to memory that both sides share.
    pub(super) fn record_uploads(&mut self, (id, site): (Id, SiteId)) {
        let KeptContents { uploads, downloads, .. } = self.memory.take_shared_contents();
        self.deliver(downloads);
        for SharedContents { address, data } in uploads {
            let mut digest = DefaultHasher::new();
            self.memory.on_device(address).hash(&mut digest);
            self.dataflow.hash_data(address, &data, &mut digest);
            self.dataflow.command(id, CommandKind::Shared, site, digest);
        }
    }

    /// The host has got what the device wrote to memory that both sides share.
    pub(super) fn take_shared_contents(&mut self) {
        let kept = self.memory.take_shared_contents();
        self.deliver(kept.downloads);
    }

    fn deliver(&mut self, downloads: Vec<SharedContents>) {
        let DataFlow { deliveries, arrays, .. } = &mut self.dataflow;
        for SharedContents { address, data } in downloads {
            deliveries.add(arrays, address, &data);
        }
    }
}

/// Where a box is in device memory, whose addresses are the same in every run.
fn hash_layout(region: &Region, digest: &mut DefaultHasher) {
    let layout = region.layout;
    (layout.address, layout.pitch, layout.plane).hash(digest);
}
