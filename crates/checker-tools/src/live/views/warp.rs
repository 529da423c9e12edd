//! What the lanes of a warp access on one line: the sectors of global memory that a request moves,
//! and the banks of shared memory with the wavefronts that it takes.

use std::collections::BTreeMap;

use checker::explain::Words;
use checker::inspect::Traced;
use checker::text::sanitise;
use ptxsim::count;
use ptxsim::trace::{MemoryAccess, Step};
use serde::Serialize;

use super::threads::lanes;
use super::values;

/// Executions of the line that are shown at most.
const MAX_VISITS: usize = 24;
/// Accesses of one execution that are shown at most.
const MAX_ACCESSES: usize = 8;

/// A warp on one line.
#[derive(Debug, Serialize)]
pub struct Warp {
    line: u32,
    block: [u32; 3],
    /// The index of each lane's thread in its block; as many as the warp has threads.
    threads: Vec<[u32; 3]>,
    /// The warp's number in its block.
    warp: u32,
    visits: Vec<Visit>,
    /// Executions beyond these.
    skipped: usize,
}

/// One execution of the line by lanes that were together.
#[derive(Debug, Serialize)]
struct Visit {
    /// A bit for each lane that executed it.
    lanes: u32,
    /// A bit for each lane that had not exited.
    live: u32,
    requests: Vec<Request>,
}

/// What the lanes do at one of the line's accesses.
#[derive(Debug, Serialize)]
struct Request {
    action: &'static str,
    space: &'static str,
    /// The array; `None` where its name is not known.
    array: Option<String>,
    /// Bytes of each lane's access.
    bytes: u32,
    lanes: Vec<Lane>,
    /// The first byte of the array, as an address modulo 32.
    misaligned: u64,
    /// Global memory: sectors that the request moves, and those that contiguous data would need.
    sectors: Option<[u32; 2]>,
    /// Shared memory: wavefronts that the request takes, and the least number.
    turns: Option<[u32; 2]>,
}

#[derive(Debug, Serialize)]
struct Lane {
    lane: u32,
    /// `in[7]`
    element: String,
    /// Bytes from the start of the array; negative before it.
    offset: i64,
    value: Option<String>,
    /// Whether the access is a mistake.
    wrong: bool,
    /// Shared memory: each word's bank, and the wavefront in which the bank serves it, from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    served: Vec<[u32; 2]>,
}

impl Warp {
    /// The steps of a warp that was traced on this line, in blocks of this size.
    pub fn new(traced: &Traced, line: u32, block_size: [u32; 3], words: &Words<'_>) -> Self {
        let all = lanes(&traced.trace, traced.thread.thread, block_size);
        let mut visits: BTreeMap<(u64, u32), Vec<(u32, &Step)>> = BTreeMap::new();
        for lane in &all.lanes {
            for step in lane.trace.first.iter().chain(&lane.trace.last) {
                if step.source.line == line {
                    visits.entry((step.clock, step.depth)).or_default().push((lane.lane, step));
                }
            }
        }
        Self {
            line,
            block: traced.thread.block,
            threads: all.threads,
            warp: all.warp,
            skipped: visits.len().saturating_sub(MAX_VISITS),
            visits: visits.values().take(MAX_VISITS).map(|steps| visit(steps, words)).collect(),
        }
    }
}

fn visit(steps: &[(u32, &Step)], words: &Words<'_>) -> Visit {
    let mut requests: Vec<Vec<(u32, &MemoryAccess)>> = vec![];
    for (lane, step) in steps {
        for (number, access) in step.accesses.iter().enumerate().take(MAX_ACCESSES) {
            // lanes that part within the line may access something else
            let same = |other: &&MemoryAccess| {
                let (a, b) = (&access.access, &other.access);
                (&a.array, a.action, a.space, a.bytes) == (&b.array, b.action, b.space, b.bytes)
            };
            let free = |lanes: &&mut Vec<(u32, &MemoryAccess)>| {
                lanes.first().is_none_or(|(_, other)| same(other))
                    && lanes.iter().all(|(other, _)| other != lane)
            };
            match requests.iter_mut().skip(number).find(free) {
                Some(lanes) => lanes.push((*lane, access)),
                None => requests.push(vec![(*lane, access)]),
            }
        }
    }
    requests.truncate(MAX_ACCESSES);
    Visit {
        lanes: steps.iter().fold(0, |mask, (lane, _)| mask | 1 << lane),
        live: steps.iter().fold(0, |live, (_, step)| live | step.live),
        requests: requests.iter().filter_map(|lanes| request(lanes, words)).collect(),
    }
}

fn request(lanes: &[(u32, &MemoryAccess)], words: &Words<'_>) -> Option<Request> {
    let (_, first) = lanes.first()?;
    let (at, space) = (&first.access, values::space(first));
    let bytes = at.bytes;
    let (mut addresses, mut mask) = ([0; 32], 0);
    for (lane, access) in lanes {
        if access.fault.is_none() {
            addresses[*lane as usize % 32] = access.access.address;
            mask |= 1 << (lane % 32);
        }
    }
    let is_plain = values::action(first) != "atomic";
    let sectors = (space == "global" && mask != 0).then(|| {
        let moved = count::sectors(&addresses, mask, bytes);
        [moved, count::ideal_sectors(mask.count_ones(), bytes, moved)]
    });
    let turns = (space == "shared" && is_plain && mask != 0).then(|| {
        let load = values::action(first) == "read";
        let (took, transactions) = count::shared_wavefronts(&addresses, mask, bytes, load);
        [took, transactions]
    });
    // Some wide loads of equal addresses are merged, which this picture doesn't show.
    let served = turns.map_or_else(Vec::new, |[took, _]| {
        let served = served(&addresses, mask, bytes);
        let last = served.iter().flatten().map(|[_, turn]| turn + 1).max();
        if last == Some(took) { served } else { vec![] }
    });
    Some(Request {
        action: values::action(first),
        space,
        array: words.access(first).array.as_deref().map(sanitise),
        bytes,
        lanes: lanes
            .iter()
            .map(|(lane, access)| {
                let said = words.access(access);
                Lane {
                    lane: *lane,
                    element: sanitise(&said.element),
                    offset: access.access.offset.unwrap_or_default(),
                    value: said.value,
                    wrong: access.fault.is_some(),
                    served: served.get(*lane as usize).cloned().unwrap_or_default(),
                }
            })
            .collect(),
        misaligned: at.address.wrapping_sub_signed(at.offset.unwrap_or_default()) % count::SECTOR,
        sectors,
        turns,
    })
}

/// The bank of each lane's words and the wavefront in which it serves them. A bank serves one word
/// in a wavefront, to all lanes that need it. Accesses of 8 and 16 bytes are served for halves and
/// quarters of the warp, one after the other.
fn served(addresses: &count::Addresses, mask: u32, bytes: u32) -> Vec<Vec<[u32; 2]>> {
    let words = u64::from(bytes.div_ceil(4).max(1));
    let together = (32 / words.clamp(1, 4)) as usize;
    let mut lanes = vec![vec![]; 32];
    let mut before = 0;
    for first in (0..32).step_by(together) {
        let mut queues: Vec<Vec<u64>> = vec![vec![]; count::BANKS as usize];
        for lane in (first..first + together).filter(|lane| mask >> lane & 1 == 1) {
            for word in 0..words {
                let word = addresses[lane] / 4 + word;
                let bank = (word % u64::from(count::BANKS)) as usize;
                let queue = &mut queues[bank];
                let turn = queue.iter().position(|known| *known == word).unwrap_or_else(|| {
                    queue.push(word);
                    queue.len() - 1
                });
                lanes[lane].push([bank as u32, before + turn as u32]);
            }
        }
        before += queues.iter().map(Vec::len).max().unwrap_or(0) as u32;
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The wavefronts that the picture shows are those that the simulator counts.
    #[test]
    fn turns_are_those_of_the_simulator() {
        for bytes in [4, 8, 16] {
            for stride in 1..40 {
                let addresses: count::Addresses =
                    std::array::from_fn(|lane| (lane as u64) * stride * u64::from(bytes));
                let (counted, _) = count::shared_wavefronts(&addresses, u32::MAX, bytes, true);
                let last = served(&addresses, u32::MAX, bytes).into_iter().flatten();
                let shown = last.map(|[_, turn]| turn + 1).max().unwrap_or(0);
                assert_eq!(shown, counted, "stride {stride} of {bytes} bytes");
            }
        }
    }
}
