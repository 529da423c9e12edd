//! The figure of chapter 4 about a tile with a halo in one dimension.

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

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
                "Block 1 has {block} threads, and the radius is {radius}. The block's sums need \
                 {radius} more elements on the left and {radius} more on the right, so its tile \
                 has {block} + 2 * {radius} = {all} cells. Cell 0 contains element {first}."
            ),
            svg: strip(block, radius, 1, |cell| {
                let own = (radius..radius + block).contains(&cell);
                (if own { "g0" } else { "g1" }, cell.to_string())
            }),
        },
        Panel {
            title: "Which thread fills a cell",
            caption: format!(
                "There are {all} cells and {block} threads, so the threads fill the cells in a loop. Thread 0 fills cells 0 \
                 and {block}, thread 1 fills cells 1 and {}, and so on. In the second iteration, thread {} fills the last cell.",
                block + 1,
                (all - 1) % block
            ),
            svg: strip(block, radius, 1, |cell| (group(cell / block), (cell % block).to_string())),
        },
        Panel {
            title: "One sum",
            caption: format!(
                "Thread {thread} computes the result of element {}. It adds up {} cells, from cell \
                 {thread} to cell {}. The first and the last thread of the block need no special \
                 case.",
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
                "In block 0, there are no elements for the first {radius} cells, so the threads store zeros there. Zeros don't \
                 change a sum, and no thread reads out of bounds."
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
    svg.word([0.0, 10.0], "small", "contains element");
    for c in 0..all {
        let x = c as f64 * w;
        let word = element(c, number, block, radius).map_or("-".to_owned(), |e| e.to_string());
        svg.word([x + w / 2.0 - 1.0, 26.0], "small middle", &word);
        let (class, word) = cell(c);
        svg.cell([x, 32.0], [w - 2.0, 28.0], class, &word);
    }
    let (from, to) = (radius as f64 * w, (radius + block) as f64 * w - 2.0);
    svg.line([from, 66.0], [to, 66.0], "brace");
    svg.word([(from + to) / 2.0, 80.0], "small middle", "own elements");
    svg.word([0.0, 80.0], "small", "halo");
    svg.word([to + 4.0, 80.0], "small", "halo");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
