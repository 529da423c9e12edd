//! The figures of chapter 4 about barriers: what the threads of a block store in their tile, and
//! how many of them wait at the barrier. They are drawn from recordings of the page's listings.

use super::Panel;
use super::svg::{Svg, WIDTH};
use crate::book::recording::{Event, Recording, What};

const WARP: usize = 32;
/// Height of a step: its words, the tile, and how full the barrier is.
const STEP: f64 = 50.0;

/// The threads of a recorded block.
struct Block<'a>(&'a [Vec<Event>]);

impl Block<'_> {
    fn threads(&self) -> usize {
        self.0.len()
    }

    fn warps(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let threads = self.threads();
        (0..threads).step_by(WARP).map(move |first| first..threads.min(first + WARP))
    }

    /// The value that a thread stores in its own slot of the tile.
    fn stored(&self, thread: usize) -> Option<&str> {
        self.0[thread].iter().find_map(|event| match &event.what {
            What::Access { action: "write", array, offset, value, bytes }
                if array == "tile" && *offset == (thread as i64) * i64::from(*bytes) =>
            {
                Some(value.as_str())
            }
            _ => None,
        })
    }

    /// The slot that a thread reads first, and what it finds there.
    fn first_read(&self, thread: usize) -> Option<(usize, &str)> {
        self.0[thread].iter().find_map(|event| match &event.what {
            What::Access { action: "read", array, offset, bytes, value } if array == "tile" => {
                Some((usize::try_from(offset / i64::from(*bytes)).ok()?, value.as_str()))
            }
            _ => None,
        })
    }

    /// Whether a thread reaches a barrier.
    fn waits(&self, thread: usize) -> bool {
        self.0[thread].iter().any(|event| matches!(event.what, What::Barrier { .. }))
    }

    /// The number of slots that a thread reads.
    fn reads(&self, thread: usize) -> usize {
        let read = |event: &&Event| matches!(&event.what, What::Access { action: "read", array, .. } if array == "tile");
        self.0[thread].iter().filter(read).count()
    }

    /// Whether a thread stores a result in global memory.
    fn has_result(&self, thread: usize) -> bool {
        self.0[thread].iter().any(|event| {
            matches!(&event.what, What::Access { action: "write", array, .. } if array.starts_with("allocation"))
        })
    }

    /// Whether the slot that a thread reads first holds something else than what its owner stores.
    fn too_early(&self, thread: usize) -> bool {
        self.first_read(thread)
            .is_some_and(|(slot, found)| slot < self.threads() && self.stored(slot) != Some(found))
    }
}

/// The colours of a drawing and their words, in the order of the legend.
type Legend<'a> = &'a [(&'a str, &'a str)];

/// One step of a drawing, from top to bottom.
struct Step {
    says: String,
    words: String,
    /// The class of each thread, which owns the slot of its own number.
    cells: Vec<&'static str>,
    /// The threads that wait at the barrier, where the step shows one.
    waiting: Option<usize>,
}

/// The tile of `differences` with its barrier and without it.
pub fn write_and_read(right: &Recording, wrong: &Recording) -> Vec<Panel> {
    let (right, wrong) = (Block(&right.threads), Block(&wrong.threads));
    let threads = right.threads();
    let early: Vec<usize> = (0..WARP).filter(|t| wrong.too_early(*t)).collect();
    let of_early: Vec<String> = early.iter().map(usize::to_string).collect();
    let of_early = of_early.join(", ");
    vec![
        Panel {
            title: "With the barrier",
            caption: format!(
                "Block 0 of `differences` has {threads} threads, which are two warps. No thread \
                 reads before all threads have reached the barrier, so each thread reads the value \
                 that its neighbour has stored. It doesn't matter which warp is first."
            ),
            svg: draw(
                &with_barrier(&right),
                &[("g0", "stored"), ("g1", "read"), ("nothing", "not started")],
            ),
        },
        Panel {
            title: "Without a barrier",
            caption: format!(
                "In this run, warp 0 is first. Its threads don't wait, so thread {of_early} reads \
                 slot {} before warp 1 has filled this slot. If warp 1 is first in another run, \
                 the results are right.",
                early.last().map_or(0, |last| last + 1)
            ),
            svg: draw(
                &without_barrier(&wrong),
                &[
                    ("g0", "stored"),
                    ("g1", "read"),
                    ("clash", "too early"),
                    ("nothing", "not started"),
                ],
            ),
        },
    ]
}

fn with_barrier(block: &Block<'_>) -> Vec<Step> {
    let mut steps = filling(block, "elements");
    let threads = block.threads();
    let of_neighbours = |t: &usize| block.first_read(*t).is_some_and(|(slot, _)| slot == t + 1);
    let last = (0..threads).rev().find(of_neighbours).unwrap_or(0);
    steps.push(Step {
        says: format!(
            "All threads have reached the barrier. Threads 0 to {last} read their neighbours' \
             slots, which are all filled."
        ),
        words: "both warps read".to_owned(),
        cells: vec!["g1"; threads],
        waiting: None,
    });
    steps
}

/// Each warp stores its values and waits, one after the other.
fn filling(block: &Block<'_>, what: &str) -> Vec<Step> {
    let threads = block.threads();
    let mut steps: Vec<Step> = Vec::new();
    let mut waiting = 0;
    for (number, warp) in block.warps().enumerate() {
        let end = warp.end;
        let arrived = warp.clone().filter(|t| block.waits(*t)).count();
        waiting += arrived;
        let left = warp.len() - arrived;
        let kinds = kinds(block, warp.clone(), what);
        let wait = match (waiting == threads, arrived) {
            (true, _) => {
                format!("All {threads} threads have now reached the barrier, so they continue.")
            }
            (_, 0) => format!("{waiting} of {threads} threads wait at the barrier."),
            _ => format!("Now, {waiting} of {threads} threads wait at the barrier."),
        };
        let does = match (arrived, left) {
            (0, _) => format!("All threads of warp {number} exit."),
            (_, 0) => format!("Warp {number} stores {kinds}."),
            _ => format!("Warp {number} stores {kinds}, and its other {left} threads exit."),
        };
        let cells = (0..threads).map(|t| match block.stored(t) {
            _ if t >= end => "nothing",
            Some("inf") => "g2",
            Some(_) => "g0",
            None => "spare",
        });
        let verb = if arrived == 0 { "exits" } else { "stores" };
        steps.push(Step {
            says: format!("{does} {wait}"),
            words: format!("warp {number} {verb}"),
            cells: cells.collect(),
            waiting: Some(waiting),
        });
    }
    steps
}

/// "12 readings and 20 infinities"
fn kinds(block: &Block<'_>, warp: std::ops::Range<usize>, what: &str) -> String {
    let infinite = warp.clone().filter(|t| block.stored(*t) == Some("inf")).count();
    let finite = warp.filter(|t| block.stored(*t).is_some_and(|value| value != "inf")).count();
    match (finite, infinite) {
        (0, n) => format!("{n} infinities"),
        (n, 0) => format!("{n} {what}"),
        (n, m) => format!("{n} {what} and {m} infinities"),
    }
}

fn without_barrier(block: &Block<'_>) -> Vec<Step> {
    let threads = block.threads();
    let mut steps = Vec::new();
    for (number, warp) in block.warps().enumerate() {
        let end = warp.end;
        let stored = (0..threads).map(|t| if t < end { "g0" } else { "nothing" });
        steps.push(Step {
            says: format!("Warp {number} stores its elements."),
            words: format!("warp {number} stores"),
            cells: stored.collect(),
            waiting: None,
        });
        let early: Vec<usize> = warp.clone().filter(|t| block.too_early(*t)).collect();
        let result = match early[..] {
            [] => "All values are right.".to_owned(),
            [t] => format!("Thread {t} reads slot {}, which isn't filled yet.", t + 1),
            _ => format!("{} threads read slots that aren't filled yet.", early.len()),
        };
        let cells = (0..threads).map(|t| match t {
            t if early.contains(&t) => "clash",
            t if t < warp.end => "g1",
            _ => "nothing",
        });
        steps.push(Step {
            says: format!(
                "The threads of warp {number} read their neighbours' slots immediately. {result}"
            ),
            words: format!("warp {number} reads"),
            cells: cells.collect(),
            waiting: None,
        });
    }
    steps
}

/// The last block of `above_lowest`, whose threads without an element stay or return.
pub fn spare_threads(right: &Recording, wrong: &Recording) -> Vec<Panel> {
    let (right, wrong) = (Block(&right.threads), Block(&wrong.threads));
    let threads = right.threads();
    let elements = (0..threads).filter(|t| right.has_result(*t)).count();
    let spare = threads - elements;
    let here = (0..threads).filter(|t| wrong.waits(*t)).count();
    let mut stay = filling(&right, "readings");
    stay.push(Step {
        says: format!(
            "Thread 0 has read {} slots and stored the lowest value. All {threads} threads have reached the second barrier, too, \
             and the {elements} threads with a reading store their results.",
            right.reads(0) - 1
        ),
        words: "results".to_owned(),
        cells: (0..threads).map(|t| if right.has_result(t) { "g0" } else { "data" }).collect(),
        waiting: None,
    });
    vec![
        Panel {
            title: "The threads stay",
            caption: format!(
                "Block 2 of `above_lowest` has {elements} readings for {threads} threads. The \
                 other {spare} threads store infinity, which can't be the lowest reading. When the \
                 last warp has reached the barrier, all threads continue."
            ),
            svg: draw(
                &stay,
                &[
                    ("g0", "reading"),
                    ("g2", "infinity"),
                    ("data", "no result"),
                    ("nothing", "not started"),
                ],
            ),
        },
        Panel {
            title: "The threads return",
            caption: format!(
                "With an early `return`, only {here} of {threads} threads reach the barrier. They \
                 continue, because the other threads have exited. However, thread 0 then reads {} \
                 slots that this block has never filled.",
                threads - here
            ),
            svg: draw(
                &filling(&wrong, "readings"),
                &[("g0", "reading"), ("spare", "exited"), ("nothing", "not started")],
            ),
        },
    ]
}

/// The steps one below the other, and the legend below them.
fn draw(steps: &[Step], legend: Legend<'_>) -> Svg {
    let mut svg = Svg::default();
    for (number, step) in steps.iter().enumerate() {
        svg.begin_step(number + 1, &step.says);
        let y = number as f64 * STEP;
        let threads = step.cells.len();
        let w = WIDTH / threads as f64;
        svg.word([0.0, y + 11.0], "small", &format!("{}. {}", number + 1, step.words));
        for (first, run) in runs(&step.cells) {
            let class = step.cells[first];
            let word = if run as f64 * w >= 16.0 && class != "nothing" {
                run.to_string()
            } else {
                String::new()
            };
            svg.cell([first as f64 * w, y + 15.0], [run as f64 * w - 1.0, 18.0], class, &word);
        }
        if let Some(waiting) = step.waiting {
            let open = waiting == threads;
            let words = if open {
                format!("all {threads} continue")
            } else {
                format!("{waiting} of {threads} wait")
            };
            svg.word([WIDTH - 2.0, y + 11.0], "small end", &words);
            svg.line([0.0, y + 38.0], [WIDTH, y + 38.0], "");
            svg.line([0.0, y + 38.0], [waiting as f64 * w, y + 38.0], "stop");
        }
        svg.end_step();
    }
    let y = steps.len() as f64 * STEP + 2.0;
    let mut x = 0.0;
    for (class, word) in legend {
        svg.cell([x, y], [16.0, 10.0], class, "");
        svg.word([x + 21.0, y + 9.0], "small", word);
        x += 33.0 + 6.6 * word.len() as f64;
    }
    svg
}

/// Neighbouring threads of one warp whose cells look the same: the first, and how many there are.
fn runs(cells: &[&str]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (thread, class) in cells.iter().enumerate() {
        match runs.last_mut() {
            Some((first, count)) if cells[*first] == *class && thread % WARP != 0 => *count += 1,
            _ => runs.push((thread, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::figure::tests::root;

    fn recording(name: &str) -> Recording {
        Recording::read(&root(), name).expect("a recording")
    }

    /// What the page says about the border between the warps.
    #[test]
    fn only_the_last_thread_of_warp_0_reads_too_early() {
        let (right, wrong) = (recording("differences"), recording("differences_wrong"));
        let early = |r: &Recording| {
            let block = Block(&r.threads);
            (0..r.threads.len()).filter(|t| block.too_early(*t)).collect::<Vec<_>>()
        };
        assert_eq!(early(&right), [0; 0]);
        assert_eq!(early(&wrong), [31]);
        let captions: Vec<String> =
            write_and_read(&right, &wrong).into_iter().map(|p| p.caption).collect();
        assert!(captions[1].contains("thread 31 reads slot 32"), "{captions:?}");
    }

    /// What the page says about the last block.
    #[test]
    fn the_barrier_fills_by_warps_or_never() {
        let (right, wrong) = (recording("above_lowest"), recording("above_lowest_wrong"));
        let waiting = |r: &Recording| {
            filling(&Block(&r.threads), "readings")
                .iter()
                .filter_map(|s| s.waiting)
                .collect::<Vec<_>>()
        };
        assert_eq!(waiting(&right), [32, 64, 96, 128]);
        assert_eq!(waiting(&wrong), [32, 44, 44, 44]);
        let says = &filling(&Block(&right.threads), "readings")[1].says;
        assert!(says.contains("12 readings and 20 infinities"), "{says}");
    }
}
