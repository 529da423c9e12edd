//! The figures of chapter 1 about which thread works on which element.

use super::Panel;
use super::svg::{Svg, WIDTH};

/// The class that colours a block or a row; there are four colours in turn.
pub fn group(number: usize) -> &'static str {
    ["g0", "g1", "g2", "g3"][number % 4]
}

/// A block of `rows` x `cols` threads over an array of the same shape. The thread (row, col) is
/// highlighted.
pub fn one_block(rows: usize, cols: usize, [row, col]: [usize; 2]) -> Vec<Panel> {
    let idx = row * cols + col;
    vec![
        Panel {
            title: "The block",
            caption: format!(
                "The block is {cols} threads wide and {rows} threads high, so it has {} threads. The two numbers in a \
                 thread are its `threadIdx.x`, which grows to the right, and its `threadIdx.y`, which grows downwards.",
                rows * cols
            ),
            svg: block(rows, cols, None),
        },
        Panel {
            title: "Memory",
            caption: format!(
                "In memory, the {rows} rows of {cols} elements follow each other. Before the element in row {row} and column \
                 {col}, there are {row} * {cols} elements of the rows above and {col} elements of its own row, so its index \
                 is {row} * {cols} + {col} = {idx}.",
            ),
            svg: memory(rows, cols, [row, col]),
        },
        Panel {
            title: "Both together",
            caption: format!(
                "Here you see each thread with the index of its element. Thread ({col}, {row}) has index {idx}, and no \
                 two threads have the same index."
            ),
            svg: block(rows, cols, Some([row, col])),
        },
    ]
}

fn block(rows: usize, cols: usize, picked: Option<[usize; 2]>) -> Svg {
    let mut svg = Svg::default();
    let (w, h, left, top) = (62.0, 34.0, 40.0, 22.0);
    svg.word([left, 14.0], "small", "threadIdx.x \u{2192}");
    svg.word([0.0, top + 20.0], "small", "y \u{2193}");
    for row in 0..rows {
        for col in 0..cols {
            let at = [left + col as f64 * (w + 2.0), top + row as f64 * (h + 2.0)];
            let (class, word) = match picked {
                Some(p) if p == [row, col] => ("picked", (row * cols + col).to_string()),
                Some(_) => (group(row), (row * cols + col).to_string()),
                None => (group(row), format!("({col}, {row})")),
            };
            svg.cell(at, [w, h], class, &word);
        }
    }
    svg
}

fn memory(rows: usize, cols: usize, [row, col]: [usize; 2]) -> Svg {
    let mut svg = Svg::default();
    let n = rows * cols;
    let w = WIDTH / n as f64;
    for idx in 0..n {
        let class = if idx == row * cols + col { "picked" } else { group(idx / cols) };
        svg.cell([idx as f64 * w, 24.0], [w - 2.0, 28.0], class, &idx.to_string());
    }
    for r in 0..rows {
        let x = r as f64 * cols as f64 * w;
        svg.word([x, 14.0], "small", &format!("row {r}"));
    }
    let end = (row * cols) as f64 * w;
    svg.line([0.0, 62.0], [end - 2.0, 62.0], "brace");
    svg.word([0.0, 76.0], "small", &format!("{row} * {cols} before the row"));
    svg.line([end, 62.0], [end + col as f64 * w - 2.0, 62.0], "brace");
    svg.word([end + 40.0, 76.0], "small", &format!("and {col} before it in its row"));
    svg
}

/// `threads` threads over `n` elements, without a guard and with one.
pub fn spare_threads(threads: usize, n: usize) -> Vec<Panel> {
    let spare = threads - n;
    let last = threads - 1;
    vec![
        Panel {
            title: "No guard",
            caption: format!(
                "There are {threads} threads and {n} elements. Threads {n} to {last} access memory beyond the end of the \
                 array. This memory may belong to other data."
            ),
            svg: threads_over_data(threads, n, false),
        },
        Panel {
            title: "With a guard",
            caption: format!(
                "For threads {n} to {last}, `idx < n` is false. These {spare} threads don't access any memory."
            ),
            svg: threads_over_data(threads, n, true),
        },
    ]
}

fn threads_over_data(threads: usize, n: usize, guarded: bool) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / threads as f64;
    svg.word([0.0, 12.0], "small", "threads");
    svg.word([0.0, 112.0], "small", &format!("data: {n} elements"));
    for t in 0..threads {
        let x = t as f64 * w;
        let middle = x + w / 2.0 - 1.0;
        let inside = t < n;
        svg.cell([x, 18.0], [w - 2.0, 24.0], if inside { "g0" } else { "spare" }, &t.to_string());
        if inside {
            svg.line([middle, 42.0], [middle, 70.0], "reach");
            svg.cell([x, 72.0], [w - 2.0, 24.0], "data", &t.to_string());
        } else {
            svg.cell([x, 72.0], [w - 2.0, 24.0], "nothing", if guarded { "" } else { "!" });
            if guarded {
                svg.line([x + 3.0, 57.0], [x + w - 5.0, 57.0], "stop");
            } else {
                svg.line([middle, 42.0], [middle, 70.0], "wrong");
            }
        }
    }
    let words = if guarded { "idx < n is false" } else { "beyond the end!" };
    svg.word([WIDTH - 2.0, 112.0], "small end", words);
    svg
}

/// `grid` blocks of `block` threads over `n` elements, indexed by the thread index alone, and by
/// the global index.
pub fn many_blocks(grid: usize, block: usize, n: usize) -> Vec<Panel> {
    let spare = grid * block - n;
    vec![
        Panel {
            title: "threadIdx.x alone",
            caption: format!(
                "Each block numbers its threads from 0, so all {grid} blocks write the elements 0 to {}. No thread \
                 writes the other elements.",
                block - 1
            ),
            svg: blocks_over_data(grid, block, n, false),
        },
        Panel {
            title: "The global index",
            caption: format!(
                "`blockIdx.x * blockDim.x + threadIdx.x` is a different number in every thread of the grid. Of the {} \
                 threads, {spare} in the last block have no element.",
                grid * block
            ),
            svg: blocks_over_data(grid, block, n, true),
        },
    ]
}

fn blocks_over_data(grid: usize, block: usize, n: usize, global: bool) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / (grid * block) as f64;
    for b in 0..grid {
        svg.word([(b * block) as f64 * w, 12.0], "small", &format!("block {b}"));
        for t in 0..block {
            let thread = b * block + t;
            let x = thread as f64 * w;
            let idx = if global { thread } else { t };
            let class = if idx < n { group(b) } else { "spare" };
            svg.cell([x, 18.0], [w - 2.0, 26.0], class, &t.to_string());
            if idx < n {
                let to = idx as f64 * w + w / 2.0 - 1.0;
                svg.line([x + w / 2.0 - 1.0, 44.0], [to, 84.0], "reach");
            }
        }
    }
    for idx in 0..n {
        let touched = global || idx < block;
        let class = match (touched, global) {
            (true, true) => group(idx / block),
            (true, false) => "clash",
            (false, _) => "nothing",
        };
        svg.cell([idx as f64 * w, 86.0], [w - 2.0, 26.0], class, &idx.to_string());
    }
    svg.word([0.0, 128.0], "small", &format!("out: {n} elements"));
    if !global {
        svg.word([WIDTH - 2.0, 128.0], "small end", "never written");
    }
    svg
}
