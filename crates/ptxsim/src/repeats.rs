//! Launches that repeat an earlier one.
//!
//! A program that measures a kernel launches it some hundred times with the same arguments on the
//! same data. A launch is a function of its kernel, its arguments, its options and the contents of
//! the memory that it can read: nothing in it depends on the host's time or threads. So when all of
//! these are as they were before an earlier launch, its observations are those of the earlier one.
//! It also leaves the same contents in the memory that it writes, if these were the same before, or
//! are what the earlier launch left and cannot be read.
//!
//! Comparing contents costs time too. It pauses longer each time the contents were new, and is left
//! out for launches that are quicker than the comparison.

use std::collections::VecDeque;

use crate::fingerprint::Fingerprint;
use crate::launch::{Reach, prepare};
use crate::memory::{Limits, SavedAllocation};
use crate::{AccessSet, Error, Launch, Memory, Module, Observations, Options, run, run_recording};

/// The launches of a program, and what the repeated ones did.
#[derive(Debug, Default)]
pub struct Repeats {
    /// The one that was launched last comes first.
    known: VecDeque<Known>,
    /// Words of all saved contents.
    saved_words: usize,
    replayed: u64,
}

/// Different launches that are remembered.
const MAX_KNOWN: usize = 64;

/// Words of contents that are kept, to restore what a launch left: 512 MiB.
const MAX_SAVED_WORDS: usize = 1 << 27;

/// Launches of fewer thread instructions are not remembered.
const MIN_THREAD_INSTRUCTIONS: u64 = 100_000;

/// Different contents of memory that are remembered for a launch.
const MAX_RESULTS: usize = 2;

/// How often the pause between comparisons that find new contents doubles.
const MAX_DOUBLINGS: u32 = 6;

/// What a launch depends on besides the contents of memory.
#[derive(Debug, PartialEq, Eq)]
struct Setup {
    module: u64,
    launch: Launch,
    options: Options,
    limits: Limits,
    recording: bool,
}

#[derive(Debug)]
struct Known {
    setup: Setup,
    /// Thread instructions that were executed since contents were last compared.
    executed: u64,
    /// Comparisons since the last that found known contents.
    misses: u32,
    /// Launches left before contents are compared again.
    pause: u32,
    results: VecDeque<LaunchResult>,
}

/// What a launch finds in memory.
#[derive(Debug)]
struct Found {
    /// The state of the texture and surface objects.
    objects: u64,
    /// The slots that it may read.
    reads: Vec<(usize, Fingerprint)>,
    /// The slots that it may write. `None` means that nothing is known about the contents.
    writes: Vec<(usize, Option<Fingerprint>)>,
}

/// What a launch did that found these contents.
#[derive(Debug)]
struct LaunchResult {
    objects: u64,
    reads: Vec<(usize, Fingerprint)>,
    writes: Vec<Written>,
    observations: Observations,
    accessed: AccessSet,
}

/// An allocation that a launch may write.
#[derive(Debug)]
struct Written {
    slot: usize,
    before: Option<Fingerprint>,
    after: Fingerprint,
    /// The contents after the launch, if they are known to have been others before.
    contents: Option<SavedAllocation>,
}

impl Repeats {
    /// Runs a kernel, or does what it did before if everything that it depends on is the same.
    /// Records which bytes it accesses if `recording` is true.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run(
        &mut self,
        module: &Module,
        memory: &mut Memory,
        launch: &Launch,
        options: &Options,
        recording: bool,
    ) -> Result<(Observations, AccessSet), Error> {
        let (options, limits) = (*options, memory.limits());
        let setup = Setup { module: module.id, launch: launch.clone(), options, limits, recording };
        let reach = prepare(module, memory, launch)?.reach(memory);
        let mut known = self.take(&setup).unwrap_or_else(|| Known::new(setup));
        let is_new = known.executed == 0;
        let compares = known.pause == 0 && stale_words(memory, &reach) <= known.executed;
        let mut found = (compares && !memory.has_heap()).then(|| Found::new(memory, &reach));
        if let Some(found) = &found {
            if let Some(result) = known.results.iter().find(|result| result.is_repeated(found)) {
                result.restore(memory);
                let done = (result.observations.clone(), result.accessed.clone());
                (known.misses, self.replayed) = (0, self.replayed + 1);
                self.insert(known);
                return Ok(done);
            }
            known.pause = (1 << known.misses.min(MAX_DOUBLINGS)) - 1;
            (known.misses, known.executed) = (known.misses + 1, 0);
        }
        known.pause = known.pause.saturating_sub(u32::from(found.is_none()));
        let done = if recording {
            run_recording(module, memory, launch, &options)?
        } else {
            (run(module, memory, launch, &options)?, AccessSet::default())
        };
        known.executed += done.0.totals.thread_instructions;
        if known.executed < MIN_THREAD_INSTRUCTIONS {
            self.forget(&known);
            return Ok(done);
        }
        if is_new && reach.is_separate() && stale_words(memory, &reach) <= known.executed {
            // what the launch cannot write is as it found it
            found = Some(Found::afterwards(memory, &reach));
        }
        if let Some(found) = found.filter(|_| is_repeatable(&done.0) && !memory.has_heap()) {
            self.remember(&mut known, found, memory, &done);
        }
        self.insert(known);
        Ok(done)
    }

    /// Launches that were not run, because they repeated an earlier one.
    pub const fn replayed(&self) -> u64 {
        self.replayed
    }

    fn take(&mut self, setup: &Setup) -> Option<Known> {
        let index = self.known.iter().position(|known| known.setup == *setup)?;
        self.known.remove(index)
    }

    fn insert(&mut self, known: Known) {
        self.known.push_front(known);
        if self.known.len() > MAX_KNOWN
            && let Some(oldest) = self.known.pop_back()
        {
            self.forget(&oldest);
        }
    }

    fn forget(&mut self, known: &Known) {
        self.saved_words -= known.results.iter().map(LaunchResult::words).sum::<usize>();
    }

    /// Remembers what a launch did, if there is room for the contents that it left.
    fn remember(
        &mut self,
        known: &mut Known,
        Found { objects, reads, writes }: Found,
        memory: &mut Memory,
        (observations, accessed): &(Observations, AccessSet),
    ) {
        if known.results.len() >= MAX_RESULTS
            && let Some(oldest) = known.results.pop_front()
        {
            self.saved_words -= oldest.words();
        }
        let mut words = 0;
        let mut written = vec![];
        for (slot, before) in writes {
            let allocation = &mut memory.allocations[slot];
            let after = allocation.fingerprint();
            let changed = before.is_some_and(|before| before != after);
            words += if changed { allocation.words.len() } else { 0 };
            written.push((Written { slot, before, after, contents: None }, changed));
        }
        while self.saved_words + words > MAX_SAVED_WORDS {
            let Some(oldest) = self.known.pop_back() else { return };
            self.forget(&oldest);
        }
        self.saved_words += words;
        let save = |(written, changed): (Written, bool)| {
            let contents = changed.then(|| memory.allocations[written.slot].save());
            Written { contents, ..written }
        };
        known.results.push_back(LaunchResult {
            objects,
            reads,
            writes: written.into_iter().map(save).collect(),
            observations: observations.clone(),
            accessed: accessed.clone(),
        });
    }
}

impl Known {
    const fn new(setup: Setup) -> Self {
        Self { setup, executed: 0, misses: 0, pause: 0, results: VecDeque::new() }
    }
}

impl Found {
    fn new(memory: &mut Memory, reach: &Reach) -> Self {
        let mut fingerprint = |slot: &usize| (*slot, memory.allocations[*slot].fingerprint());
        let reads = reach.read.iter().map(&mut fingerprint).collect();
        let writes = reach.written.iter().map(&mut fingerprint);
        let writes = writes.map(|(slot, contents)| (slot, Some(contents))).collect();
        Self { objects: memory.objects.changes, reads, writes }
    }

    /// What a launch found that has run since, and does not read what it writes.
    fn afterwards(memory: &mut Memory, reach: &Reach) -> Self {
        let mut fingerprint = |slot: &usize| (*slot, memory.allocations[*slot].fingerprint());
        let reads = reach.read.iter().map(&mut fingerprint).collect();
        let writes = reach.written.iter().map(|slot| (*slot, None)).collect();
        Self { objects: memory.objects.changes, reads, writes }
    }
}

impl LaunchResult {
    fn words(&self) -> usize {
        self.writes.iter().filter_map(|written| Some(written.contents.as_ref()?.words())).sum()
    }

    /// Does a launch that finds these contents do the same?
    fn is_repeated(&self, found: &Found) -> bool {
        let leaves_the_same =
            |(written, (slot, now)): (&Written, &(usize, Option<Fingerprint>))| {
                let restored = *now == written.before && written.contents.is_some();
                written.slot == *slot && (*now == Some(written.after) || restored)
            };
        self.objects == found.objects
            && self.reads == found.reads
            && self.writes.len() == found.writes.len()
            && self.writes.iter().zip(&found.writes).all(leaves_the_same)
    }

    /// Gives memory the contents that the launch left.
    fn restore(&self, memory: &mut Memory) {
        for Written { slot, after, contents, .. } in &self.writes {
            let allocation = &mut memory.allocations[*slot];
            if let Some(contents) = contents
                && allocation.fingerprint() != *after
            {
                allocation.restore(contents);
                allocation.fingerprint = Some(*after);
            }
        }
    }
}

/// Whether a launch with these observations may be replayed. One with a finding runs each time, so
/// that the finding counts each time, and so does one that prints.
fn is_repeatable(seen: &Observations) -> bool {
    seen.completed && seen.findings.is_empty() && seen.output.is_empty() && seen.output_dropped == 0
}

/// Words that a launch may access and whose fingerprint is not known.
fn stale_words(memory: &Memory, reach: &Reach) -> u64 {
    let slots = reach.read.iter().chain(&reach.written).map(|slot| &memory.allocations[*slot]);
    slots.filter(|a| a.fingerprint.is_none()).map(|a| a.words.len() as u64).sum()
}

#[cfg(test)]
mod tests;
