//! The figures of chapter 4's first page: the barrier between writing and reading, threads that
//! must reach it, and a tile with a halo in one dimension.

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

/// A block of `threads` threads in warps of `warp`. Each writes its element to its slot and reads
/// that of the opposite thread.
pub fn wall(threads: usize, warp: usize) -> Vec<Panel> {
    let last = threads - 1;
    vec![
        Panel {
            title: "Write",
            caption: format!(
                "A block of {threads} threads, drawn as two warps of {warp}. Each thread stores its element in its own \
                 slot of the tile."
            ),
            svg: exchange(threads, warp, threads, None),
        },
        Panel {
            title: "Without a barrier",
            caption: format!(
                "The second warp hasn't started yet, and the first one continues. Thread 0 reads slot {last}, which is \
                 still empty. In another run, the second warp may be faster, and then the result is right."
            ),
            svg: exchange(threads, warp, warp, Some((warp, false))),
        },
        Panel {
            title: "With a barrier",
            caption: format!(
                "No thread passes the barrier before all {threads} have reached it. After it, every slot is filled, so \
                 thread 0 reads slot {last} and thread {last} reads slot 0."
            ),
            svg: exchange(threads, warp, threads, Some((threads, true))),
        },
    ]
}

/// The slot that thread `t` of `threads` reads.
const fn opposite(t: usize, threads: usize) -> usize {
    threads - 1 - t
}

/// `written` threads have written their slots; `read` is the number of threads that read now, and
/// whether a barrier is in between.
fn exchange(threads: usize, warp: usize, written: usize, read: Option<(usize, bool)>) -> Svg {
    let mut svg = Svg::default();
    let (left, w, h) = (64.0, 36.0, 24.0);
    let x = |i: usize| left + i as f64 * w;
    let middle = |i: usize| x(i) + w / 2.0 - 1.0;
    let class = |t: usize| group(t / warp);
    let letter = |i: usize| char::from(b'a' + i as u8).to_string();

    svg.word([0.0, 32.0], "small", "threads");
    svg.word([0.0, 92.0], "small", "tile");
    for warp_number in 0..threads / warp {
        let (from, to) = (x(warp_number * warp), x((warp_number + 1) * warp) - 3.0);
        svg.word([(from + to) / 2.0, 10.0], "small middle", &format!("warp {warp_number}"));
    }
    for t in 0..threads {
        svg.cell([x(t), 16.0], [w - 2.0, h], class(t), &t.to_string());
        if t < written {
            svg.line([middle(t), 16.0 + h], [middle(t), 76.0], "reach");
            svg.cell([x(t), 76.0], [w - 2.0, h], class(t), &letter(t));
        } else {
            svg.cell([x(t), 76.0], [w - 2.0, h], "nothing", "?");
        }
    }
    let Some((readers, barrier)) = read else { return svg };
    let top = if barrier { 190.0 } else { 172.0 };
    if barrier {
        svg.line([left - 8.0, 118.0], [x(threads) + 4.0, 118.0], "stop");
        svg.word([0.0, 122.0], "small", "barrier");
    }
    svg.word([0.0, top + 16.0], "small", "read");
    let from = if barrier { 122.0 } else { 76.0 + h };
    for t in 0..readers {
        let slot = opposite(t, threads);
        let filled = slot < written;
        svg.line([middle(slot), from], [middle(t), top], if filled { "reach" } else { "wrong" });
        let (class, word) = if filled { (class(t), letter(slot)) } else { ("nothing", "?".into()) };
        svg.cell([x(t), top], [w - 2.0, h], class, &word);
    }
    svg
}

/// A block with more `threads` than elements. The spare threads return before the barrier, or write
/// a zero and reach it.
pub fn barrier_with_spare_threads<const N: usize>(
    elements: [i32; N],
    threads: usize,
) -> Vec<Panel> {
    let spare = threads - N;
    let sum: i32 = elements.iter().sum();
    vec![
        Panel {
            title: "They return",
            caption: format!(
                "{N} elements, {threads} threads. The {spare} without an element return, so they never reach the \
                 barrier. CUDA doesn't allow that, and the simulator stops here. A GPU may continue, but then the sum \
                 contains {spare} slots that no thread has written."
            ),
            svg: meeting(&elements, threads, false),
        },
        Panel {
            title: "They store a zero",
            caption: format!(
                "All threads reach the barrier. A thread without an element stores a value that doesn't change the \
                 result, which is 0 for a sum. Thread 0 adds up {threads} slots, and the sum is {sum}, as it should be."
            ),
            svg: meeting(&elements, threads, true),
        },
    ]
}

fn meeting(elements: &[i32], threads: usize, all: bool) -> Svg {
    let mut svg = Svg::default();
    let (left, w, h) = (64.0, 36.0, 24.0);
    let x = |i: usize| left + i as f64 * w;
    svg.word([0.0, 18.0], "small", "threads");
    svg.word([0.0, 74.0], "small", "stores");
    for t in 0..threads {
        let has = elements.get(t);
        let class = if has.is_some() { "g0" } else { "spare" };
        svg.cell([x(t), 2.0], [w - 2.0, h], class, &t.to_string());
        if let Some(value) = has.copied().or(all.then_some(0)) {
            let class = if has.is_some() { "g0" } else { "g2" };
            svg.line([x(t) + w / 2.0, 26.0], [x(t) + w / 2.0, 58.0], "reach");
            svg.cell([x(t), 58.0], [w - 2.0, h], class, &value.to_string());
        } else {
            svg.line([x(t) + w / 2.0, 26.0], [x(t) + w / 2.0, 40.0], "wrong");
            svg.word([x(t) + w / 2.0 - 1.0, 54.0], "small middle", "left");
        }
    }
    svg.line([left - 8.0, 98.0], [x(threads) + 4.0, 98.0], "stop");
    svg.word([0.0, 102.0], "small", "barrier");
    let here = if all { threads } else { elements.len() };
    let state = if all { "all continue" } else { "not allowed" };
    svg.word([left, 120.0], "", &format!("{here} of {threads} threads reach it: {state}"));
    svg
}

/// The number of cells in the tile of a block.
const fn cells(block: usize, radius: usize) -> usize {
    block + 2 * radius
}

/// The element in a cell of the tile of block `number`; `None` before the first element.
fn element(cell: usize, number: usize, block: usize, radius: usize) -> Option<usize> {
    (number * block + cell).checked_sub(radius)
}

/// The tile of one block of a stencil: the elements that it needs, the threads that load them, what
/// one thread reads, and the cells before the start of the array.
pub fn stencil(block: usize, radius: usize) -> Vec<Panel> {
    let all = cells(block, radius);
    let thread = 2;
    let first = element(0, 1, block, radius).unwrap_or(0);
    vec![
        Panel {
            title: "What a block needs",
            caption: format!(
                "Block 1 of {block} threads, with radius {radius}. Its sums need {radius} more elements on the left and \
                 {radius} on the right, so its tile has {block} + 2 * {radius} = {all} cells. Cell 0 holds element {first}."
            ),
            svg: strip(block, radius, 1, |cell| {
                let own = (radius..radius + block).contains(&cell);
                (if own { "g0" } else { "g1" }, cell.to_string())
            }),
        },
        Panel {
            title: "Which thread fills it",
            caption: format!(
                "There are {all} cells and {block} threads, which take the cells in turn. Thread 0 fills cell 0 and cell \
                 {block}, thread 1 fills the next ones, and the second round ends with thread {}.",
                (all - 1) % block
            ),
            svg: strip(block, radius, 1, |cell| (group(cell / block), (cell % block).to_string())),
        },
        Panel {
            title: "One sum",
            caption: format!(
                "Thread {thread} computes the result of element {}. Its sum begins at cell {thread} and has {} cells, up \
                 to cell {}. The borders of the block aren't a special case any more.",
                block + thread,
                2 * radius + 1,
                thread + 2 * radius
            ),
            svg: strip(block, radius, 1, |cell| {
                let mine = (thread..=thread + 2 * radius).contains(&cell);
                let class = match (mine, cell == thread + radius) {
                    (_, true) => "picked",
                    (true, _) => "g0",
                    _ => "data",
                };
                (class, cell.to_string())
            }),
        },
        Panel {
            title: "At the edge",
            caption: format!(
                "In block 0, there are no elements for the first {radius} cells, so they get zeros. These don't change a \
                 sum, and no thread reads out of bounds."
            ),
            svg: strip(block, radius, 0, |cell| match element(cell, 0, block, radius) {
                Some(_) if cell >= radius + block => ("g1", "x".into()),
                Some(_) => ("g0", "x".into()),
                None => ("nothing", "0".into()),
            }),
        },
    ]
}

/// The cells of a tile in a row, with the numbers of their elements above them.
fn strip(
    block: usize,
    radius: usize,
    number: usize,
    cell: impl Fn(usize) -> (&'static str, String),
) -> Svg {
    let mut svg = Svg::default();
    let all = cells(block, radius);
    let w = WIDTH / all as f64;
    svg.word([0.0, 10.0], "small", "holds element");
    for c in 0..all {
        let x = c as f64 * w;
        let word = element(c, number, block, radius).map_or("-".to_owned(), |e| e.to_string());
        svg.word([x + w / 2.0 - 1.0, 26.0], "small middle", &word);
        let (class, word) = cell(c);
        svg.cell([x, 32.0], [w - 2.0, 28.0], class, &word);
    }
    let (from, to) = (radius as f64 * w, (radius + block) as f64 * w - 2.0);
    svg.line([from, 66.0], [to, 66.0], "brace");
    svg.word([(from + to) / 2.0, 80.0], "small middle", "the block's own");
    svg.word([0.0, 80.0], "small", "halo");
    svg.word([to + 4.0, 80.0], "small", "halo");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each slot is read once, and not by the thread that wrote it.
    #[test]
    fn every_thread_reads_the_slot_of_another() {
        let mut read: Vec<usize> = (0..8).map(|t| opposite(t, 8)).collect();
        assert!(read.iter().enumerate().all(|(t, slot)| t != *slot));
        read.sort_unstable();
        assert_eq!(read, (0..8).collect::<Vec<_>>());
    }

    /// The tile of the exercise has 1048 bytes for 256 threads and radius 3, and its 16 blocks load
    /// 1.02 elements for each of 4096, as the simulator counts for the solution.
    #[test]
    fn the_tile_has_room_for_both_halos() {
        assert_eq!(cells(256, 3) * 4, 1048);
        let loaded: usize = (0..16)
            .flat_map(|number| (0..cells(256, 3)).map(move |cell| element(cell, number, 256, 3)))
            .filter(|element| element.is_some_and(|e| e < 4096))
            .count();
        assert_eq!(loaded, 4096 + 15 * 6);
        // The element of thread t is in the middle of the cells that the thread adds up.
        for (block, radius, t) in [(8, 3, 2), (256, 20, 255)] {
            assert_eq!(element(t + radius, 1, block, radius), Some(block + t));
        }
        assert_eq!(element(2, 0, 8, 3), None);
    }

    #[test]
    fn zeros_change_no_sum() {
        let panels = barrier_with_spare_threads([3, 1, 4, 1, 5], 8);
        assert!(panels[1].caption.contains("the sum is 14"), "{}", panels[1].caption);
        assert!(panels[0].caption.contains("The 3 without"), "{}", panels[0].caption);
    }
}
