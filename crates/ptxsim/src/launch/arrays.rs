//! What a launch left in its arrays: which bytes are initialised, and how often each element was
//! written.

use crate::exec::hazards::pages::SlotShadow;
use crate::memory::{Allocation, Initialised};
use crate::{ArrayUse, Memory, Observations};

/// Marks as initialised what the launch wrote, and reports how it used the named allocations that
/// it wrote.
pub(super) fn record_results(
    memory: &mut Memory,
    shadows: &[SlotShadow],
    writable: &[bool],
    observations: &mut Observations,
) {
    for (slot, allocation) in memory.allocations.iter_mut().enumerate() {
        if !writable.get(slot).copied().unwrap_or(false) {
            continue;
        }
        let Some(shadow) = shadows.get(slot) else {
            // without a shadow, any of its bytes may have been initialised
            allocation.initialised = Initialised::All;
            continue;
        };
        record_initialised(allocation, shadow);
        if !allocation.name.is_empty() {
            observations.arrays.extend(array_use(allocation, shadow));
        }
    }
}

fn record_initialised(allocation: &mut Allocation, shadow: &SlotShadow) {
    if allocation.initialised == Initialised::All {
        return;
    }
    let words = allocation.words.len();
    for (word, cell) in shadow.cells() {
        let bytes = cell.initialised(None);
        if bytes != 0 {
            allocation.initialised.add(word, bytes, words);
        }
    }
    allocation.initialised.compact(allocation.bytes);
}

/// How the launch wrote to an allocation; `None` when it did not.
fn array_use(allocation: &Allocation, shadow: &SlotShadow) -> Option<ArrayUse> {
    let writes = match allocation.element as usize / 4 {
        0 | 1 => shadow.cells().fold(Writes::default(), |all, (_, cell)| all.and(cell.writes())),
        words => writes_of_elements(shadow, words),
    };
    let element_bytes = allocation.element.max(if allocation.element < 4 { 4 } else { 1 });
    (writes.written > 0).then(|| ArrayUse {
        name: allocation.name.clone(),
        elements: (allocation.bytes / u64::from(element_bytes)).max(1),
        written: writes.written,
        max_writes: writes.most,
        most_written: writes.most_written,
    })
}

/// The writes to elements of several words, where the word that was written most often counts.
fn writes_of_elements(shadow: &SlotShadow, words: usize) -> Writes {
    let mut all = Writes::default();
    let (mut element, mut writes) = (0, 0);
    // words come in order, so an element's words follow each other
    for (word, cell) in shadow.cells() {
        if word / words != element {
            all = all.and(writes);
            (element, writes) = (word / words, 0);
        }
        writes = writes.max(cell.writes());
    }
    all.and(writes)
}

/// How often the elements of an array were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Writes {
    /// Elements written at all.
    written: u64,
    /// The most writes to one element.
    most: u32,
    /// Elements with that many writes.
    most_written: u64,
}

impl Writes {
    /// These, and an element that was written `writes` times.
    #[inline(always)]
    fn and(self, writes: u32) -> Self {
        let Self { written, most, most_written } = self;
        let kept = if writes > most { 0 } else { most_written };
        Self {
            written: written + u64::from(writes > 0),
            most: most.max(writes),
            most_written: kept + u64::from(writes > 0 && writes >= most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_with_the_most_writes_are_counted() {
        let of = |writes: &[u32]| writes.iter().fold(Writes::default(), |all, w| all.and(*w));
        assert_eq!(of(&[0, 0]), Writes::default());
        assert_eq!(of(&[1, 0, 1]), Writes { written: 2, most: 1, most_written: 2 });
        assert_eq!(of(&[1, 3, 1, 3, 0, 2]), Writes { written: 5, most: 3, most_written: 2 });
    }
}
