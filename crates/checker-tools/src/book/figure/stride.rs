//! Two ways to distribute `n` elements over fewer threads: a chunk for each thread, and a
//! grid-stride loop.

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

/// A grid of `blocks` x `block` threads over `n` elements.
pub fn panels(blocks: usize, block: usize, n: usize) -> Vec<Panel> {
    let threads = blocks * block;
    let chunk = n.div_ceil(threads);
    vec![
        Panel {
            title: "Chunks, iteration 0",
            caption: format!(
                "There are {threads} threads and {n} elements. Thread t reads the elements {chunk}t to {chunk}t + {}, so in \
                 each iteration, neighbouring threads read elements that are {chunk} apart.",
                chunk - 1
            ),
            svg: step(block, n, threads, |t| (t * chunk < n).then_some(t * chunk)),
        },
        Panel {
            title: "Grid-stride, iteration 0",
            caption: format!(
                "Together, the {threads} threads read the first {threads} elements, and neighbouring threads read \
                 neighbouring elements."
            ),
            svg: step(block, n, threads, |t| (t < n).then_some(t)),
        },
        Panel {
            title: "Iteration 1",
            caption: format!(
                "All threads move on by the number of threads in the grid, which is {threads}."
            ),
            svg: step(block, n, threads, |t| (t + threads < n).then_some(t + threads)),
        },
        Panel {
            title: "Iteration 2",
            caption: format!(
                "In the last iteration, {} threads have an element, and the other threads leave the loop.",
                n.saturating_sub(2 * threads)
            ),
            svg: step(block, n, threads, |t| (t + 2 * threads < n).then_some(t + 2 * threads)),
        },
    ]
}

fn step(block: usize, n: usize, threads: usize, element: impl Fn(usize) -> Option<usize>) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / n as f64;
    svg.word(
        [0.0, 12.0],
        "small",
        &format!("{n} elements, each with the thread that reads it now"),
    );
    let mut owner = vec![None; n];
    for t in 0..threads {
        if let Some(slot) = element(t).and_then(|e| owner.get_mut(e)) {
            *slot = Some(t);
        }
    }
    for (e, owner) in owner.iter().enumerate() {
        let (class, word) = match owner {
            Some(t) => (group(t / block), t.to_string()),
            None => ("data", String::new()),
        };
        let x = e as f64 * w;
        svg.cell([x, 18.0], [w - 2.0, 26.0], class, &word);
        if e % 5 == 0 {
            svg.word([x + w / 2.0 - 1.0, 57.0], "small middle", &e.to_string());
        }
    }
    for b in 0..threads / block {
        let x = 90.0 * b as f64;
        svg.cell([x, 66.0], [14.0, 14.0], group(b), "");
        svg.word([x + 20.0, 77.0], "small", &format!("block {b}"));
    }
    svg
}
