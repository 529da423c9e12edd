//! The figures of chapter 6 about threads that update the same element: a lost update, step by
//! step, and private bins of blocks.

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

/// What a thread does in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Read,
    Add,
    Write,
    /// Load, add and store in one atomic operation.
    Atomic,
}

/// One step of one of two threads as text, and the counter after it.
#[derive(Debug, PartialEq, Eq)]
struct Done {
    thread: usize,
    step: Step,
    words: String,
    counter: u32,
}

/// Two threads that each add 1 to a counter that was 0, in the given order.
fn replay(order: &[(usize, Step)]) -> Vec<Done> {
    let mut counter = 0;
    let mut register = [0; 2];
    let step = |&(thread, step): &(usize, Step)| {
        let mine = &mut register[thread];
        let words = match step {
            Step::Read => {
                *mine = counter;
                format!("read {counter}")
            }
            Step::Add => {
                *mine += 1;
                format!("{} + 1 = {mine}", *mine - 1)
            }
            Step::Write => {
                counter = *mine;
                format!("write {counter}")
            }
            Step::Atomic => {
                counter += 1;
                "atomicAdd".to_owned()
            }
        };
        Done { thread, step, words, counter }
    };
    order.iter().map(step).collect()
}

/// Two threads that update a counter: one after the other, at the same time, and with an atomic.
pub fn lost_update() -> Vec<Panel> {
    use Step::{Add, Atomic, Read, Write};
    let panel = |title, words: &str, order: &[(usize, Step)]| {
        let done = replay(order);
        let end = done.last().map_or(0, |done| done.counter);
        Panel {
            title,
            caption: format!("{words} The counter ends at {end}."),
            svg: timeline(&done),
        }
    };
    vec![
        panel(
            "In turn",
            "Time runs downwards. By luck, thread 0 has stored its result before thread 1 loads the counter.",
            &[(0, Read), (0, Add), (0, Write), (1, Read), (1, Add), (1, Write)],
        ),
        panel(
            "At the same time",
            "Thread 1 loads the counter before thread 0 has stored its result. Both add 1 to the same old value, and the \
             second store overwrites the first.",
            &[(0, Read), (1, Read), (0, Add), (1, Add), (0, Write), (1, Write)],
        ),
        panel(
            "Atomic",
            "Loading, adding and storing are one step. Thread 1 has to wait, and then it loads the value that thread 0 has stored.",
            &[(0, Atomic), (1, Atomic)],
        ),
    ]
}

fn timeline(done: &[Done]) -> Svg {
    const ROW: f64 = 30.0;
    const MIDDLE: [f64; 2] = [152.0, 208.0];
    let mut svg = Svg::default();
    svg.word([60.0, 12.0], "small middle", "thread 0");
    svg.word([180.0, 12.0], "small middle", "counter");
    svg.word([300.0, 12.0], "small middle", "thread 1");
    svg.cell([MIDDLE[0], 18.0], [56.0, 24.0], "data", "0");
    let mut y = 18.0 + ROW;
    let threads = 2;
    for (i, step) in done.iter().enumerate() {
        let rows = if step.step == Step::Atomic { 3.0 } else { 1.0 };
        let height = rows * ROW - 6.0;
        let x = if step.thread == 0 { 0.0 } else { 240.0 };
        svg.cell([x, y], [120.0, height], group(step.thread), &step.words);
        let last = i + 1 == done.len();
        let lost = last && (step.counter as usize) < threads;
        let class = if lost { "clash" } else { "data" };
        svg.cell([MIDDLE[0], y], [56.0, height], class, &step.counter.to_string());
        let (near, far) = if step.thread == 0 { (120.0, MIDDLE[0]) } else { (240.0, MIDDLE[1]) };
        let middle = y + height / 2.0;
        match step.step {
            Step::Read => svg.line([far, middle], [near, middle], "reach"),
            Step::Write => svg.line([near, middle], [far, middle], "brace"),
            Step::Atomic => {
                svg.line([far, middle - 8.0], [near, middle - 8.0], "reach");
                svg.line([near, middle + 8.0], [far, middle + 8.0], "brace");
            }
            Step::Add => {}
        }
        y += rows * ROW;
    }
    svg.word([0.0, y + 10.0], "small", "thin line: reads the counter; thick line: writes it");
    svg
}

/// Threads of a block in the picture of the bins.
const BLOCK: usize = 8;
/// The bin of each element; most are the same, so that threads contend for it.
const BIN_OF_ELEMENT: [usize; 3 * BLOCK] =
    [2, 2, 1, 2, 2, 3, 2, 2, 2, 0, 2, 2, 2, 2, 1, 2, 2, 2, 3, 2, 0, 2, 2, 2];
const BINS: usize = 4;

/// The number of `elements` in each bin.
fn counts(elements: &[usize]) -> [usize; BINS] {
    let mut bins = [0; BINS];
    for &bin in elements {
        bins[bin] += 1;
    }
    bins
}

/// One set of bins for the grid, and one for each block.
pub fn private_bins() -> Vec<Panel> {
    let all = counts(&BIN_OF_ELEMENT);
    let most = |bins: [usize; BINS]| bins.into_iter().max().unwrap_or(0);
    let blocks: Vec<_> = BIN_OF_ELEMENT.chunks(BLOCK).map(counts).collect();
    let longest = blocks.iter().copied().map(most).max().unwrap_or(0);
    vec![
        Panel {
            title: "One set of bins",
            caption: format!(
                "{} blocks count {} elements in one set of bins. This takes {} atomic operations on global memory, and {} of them \
                 wait for each other at the same bin.",
                blocks.len(),
                BIN_OF_ELEMENT.len(),
                BIN_OF_ELEMENT.len(),
                most(all)
            ),
            svg: bins(None),
        },
        Panel {
            title: "A set for each block",
            caption: format!(
                "Each block counts in bins of its own in shared memory, where at most {longest} threads wait for each other at the \
                 same bin. Then each of the {} blocks adds its {BINS} bins to the global bins. This takes {} atomic operations \
                 on global memory, and at most {} of them wait for each other at the same bin.",
                blocks.len(),
                blocks.len() * BINS,
                blocks.len()
            ),
            svg: bins(Some(&blocks)),
        },
    ]
}

fn bins(private: Option<&[[usize; BINS]]>) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / BIN_OF_ELEMENT.len() as f64;
    let wide = 64.0;
    let global = |bin: usize| 20.0 + bin as f64 * 84.0;
    let bottom = if private.is_some() { 178.0 } else { 112.0 };
    svg.word([0.0, 12.0], "small", "elements, each with the number of its bin");
    for (e, bin) in BIN_OF_ELEMENT.iter().enumerate() {
        let (block, x) = (e / BLOCK, e as f64 * w);
        svg.cell([x, 18.0], [w - 1.5, 22.0], group(block), &bin.to_string());
        let from = [x + w / 2.0, 40.0];
        match private {
            None => svg.line(from, [global(*bin) + wide / 2.0, bottom], "reach"),
            Some(_) => svg.line(from, [private_bin(block, *bin) + 13.0, 92.0], "reach"),
        }
    }
    for (block, bins) in private.unwrap_or_default().iter().enumerate() {
        for (bin, count) in bins.iter().enumerate() {
            let x = private_bin(block, bin);
            svg.cell([x, 92.0], [26.0, 24.0], group(block), &count.to_string());
            svg.line([x + 13.0, 116.0], [global(bin) + wide / 2.0, bottom], "reach");
        }
    }
    for (bin, count) in counts(&BIN_OF_ELEMENT).iter().enumerate() {
        svg.cell([global(bin), bottom], [wide, 26.0], "data", &count.to_string());
        svg.word([global(bin) + wide / 2.0, bottom + 39.0], "small middle", &format!("bin {bin}"));
    }
    svg
}

fn private_bin(block: usize, bin: usize) -> f64 {
    block as f64 * 120.0 + bin as f64 * 28.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results that the page states for the three orders.
    #[test]
    fn an_update_is_lost_only_if_both_threads_read_the_same_value() {
        let words: Vec<String> = lost_update().into_iter().map(|panel| panel.caption).collect();
        assert!(words[0].ends_with("ends at 2."), "{words:?}");
        assert!(words[1].ends_with("ends at 1."), "{words:?}");
        assert!(words[2].ends_with("ends at 2."), "{words:?}");
    }

    #[test]
    fn private_bins_add_up_to_the_global_ones() {
        let mut sum = [0; BINS];
        for block in BIN_OF_ELEMENT.chunks(BLOCK).map(counts) {
            sum.iter_mut().zip(block).for_each(|(sum, count)| *sum += count);
        }
        assert_eq!(sum, counts(&BIN_OF_ELEMENT));
        let captions: Vec<String> = private_bins().into_iter().map(|p| p.caption).collect();
        assert!(
            captions[0].contains("24 atomic operations on global memory, and 18 of them"),
            "{captions:?}"
        );
        assert!(
            captions[1].contains("12 atomic operations on global memory, and at most 3 of them"),
            "{captions:?}"
        );
    }
}
