//! The figures of the hardware: a CPU beside a GPU, and a multiprocessor with the memories that its
//! loads reach. The numbers are those of the pages: an H200 in the introduction, an H100 in chapter
//! 11 (NVIDIA H100 Tensor Core GPU Architecture). The cycles are from
//! `book/examples/ch11/latency.cu`.

use super::Panel;
use super::svg::{Svg, WIDTH};

/// Multiprocessors of an H100 and of an H200, and how many of them a row of the drawing has.
const MULTIPROCESSORS: usize = 132;
const IN_A_ROW: usize = 22;

const SCHEDULERS: usize = 4;
const WARPS_OF_A_SCHEDULER: usize = 16;

/// Left edge and width of what is inside the chip's outline.
const INSIDE: f64 = 8.0;
const ACROSS: f64 = WIDTH - 2.0 * INSIDE;

/// A CPU with a few large cores, and a GPU with many small multiprocessors.
pub fn cpu_and_gpu() -> Vec<Panel> {
    vec![
        Panel {
            title: "A CPU",
            caption: "A CPU has a few large cores. A large part of each core, and of the rest of the chip, \
                      serves to avoid waiting."
                .to_owned(),
            svg: cpu(4),
        },
        Panel {
            title: "A GPU",
            caption: format!(
                "An H200 has {MULTIPROCESSORS} multiprocessors. All of them share a cache, and a memory \
                 outside the chip. A GPU on a card of its own is connected to the CPU's memory, too, but \
                 this connection is much slower."
            ),
            svg: gpu(),
        },
    ]
}

/// A chip with large cores above a common cache, and the memory below the chip.
fn cpu(cores: usize) -> Svg {
    let mut svg = Svg::default();
    svg.word([0.0, 12.0], "small", "the chip");
    svg.cell([0.0, 18.0], [WIDTH, 148.0], "data", "");
    let step = ACROSS / cores as f64;
    for core in 0..cores {
        let x = INSIDE + core as f64 * step + 2.0;
        svg.cell([x, 26.0], [step - 4.0, 96.0], "g0", "");
        svg.word([x + step / 2.0 - 2.0, 58.0], "middle", "core");
        svg.cell([x + 6.0, 88.0], [step - 16.0, 28.0], "g2", "cache");
    }
    svg.cell([INSIDE + 2.0, 128.0], [ACROSS - 4.0, 30.0], "g2", "a cache for all cores");
    memory(&mut svg, 166.0, "the CPU's memory");
    svg
}

/// A chip with all its multiprocessors above a common cache, and the memory below the chip.
fn gpu() -> Svg {
    let mut svg = Svg::default();
    svg.word([0.0, 12.0], "small", &format!("the chip, with {MULTIPROCESSORS} multiprocessors"));
    svg.cell([0.0, 18.0], [WIDTH, 148.0], "data", "");
    multiprocessors(&mut svg, 26.0);
    svg.cell([INSIDE + 2.0, 128.0], [ACROSS - 4.0, 30.0], "g2", "a cache for all multiprocessors");
    memory(&mut svg, 166.0, "the GPU's memory");
    svg
}

/// Rows of small cells, one for each multiprocessor, from `top` on; 96 units high.
fn multiprocessors(svg: &mut Svg, top: f64) {
    let step = ACROSS / IN_A_ROW as f64;
    for at in 0..MULTIPROCESSORS {
        let (row, col) = (at / IN_A_ROW, at % IN_A_ROW);
        let corner = [INSIDE + col as f64 * step + 2.0, top + row as f64 * 16.0];
        svg.cell(corner, [step - 4.0, 12.0], "g0", "");
    }
}

/// A memory below the chip, whose lower edge is at `chip`, with a line between the two.
fn memory(svg: &mut Svg, chip: f64, name: &str) {
    svg.line([WIDTH / 2.0, chip], [WIDTH / 2.0, chip + 18.0], "brace");
    svg.cell([0.0, chip + 18.0], [WIDTH, 34.0], "spare", name);
}

/// What a multiprocessor of an H100 contains, and where the data of its loads can be.
pub fn multiprocessor() -> Vec<Panel> {
    vec![
        Panel {
            title: "A multiprocessor",
            caption: format!(
                "A multiprocessor of an H100 has {SCHEDULERS} schedulers. Each of them has places for \
                 {WARPS_OF_A_SCHEDULER} warps, and registers for the values of their threads. All warps \
                 of the multiprocessor use the same shared memory and the same L1 cache."
            ),
            svg: inside(),
        },
        Panel {
            title: "The memories",
            caption: "A load first looks for its data in the L1 cache of its own multiprocessor, then in \
                      the L2 cache, and then in the GPU's memory. Each of these memories is larger than \
                      the previous one, and slower."
                .to_owned(),
            svg: memories(),
        },
    ]
}

fn inside() -> Svg {
    let mut svg = Svg::default();
    svg.cell([0.0, 2.0], [WIDTH, 186.0], "data", "");
    let step = ACROSS / SCHEDULERS as f64;
    for scheduler in 0..SCHEDULERS {
        let x = INSIDE + scheduler as f64 * step + 2.0;
        let wide = step - 4.0;
        svg.cell([x, 10.0], [wide, 26.0], "picked", "scheduler");
        for warp in 0..WARPS_OF_A_SCHEDULER {
            let (row, col) = (warp / 4, warp % 4);
            let corner = [x + col as f64 * wide / 4.0 + 1.0, 42.0 + row as f64 * 14.0];
            svg.cell(corner, [wide / 4.0 - 2.0, 11.0], "g0", "");
        }
        svg.word([x + wide / 2.0, 110.0], "small middle", "16 warps");
        svg.cell([x, 118.0], [wide, 26.0], "g3", "registers");
    }
    svg.cell([INSIDE + 2.0, 152.0], [ACROSS - 4.0, 28.0], "g2", "shared memory and L1 cache");
    svg
}

fn memories() -> Svg {
    let mut svg = Svg::default();
    svg.word([0.0, 12.0], "small", "132 multiprocessors, each with an L1 cache: 43 cycles");
    svg.cell([0.0, 18.0], [WIDTH, 164.0], "data", "");
    multiprocessors(&mut svg, 26.0);
    svg.line([WIDTH / 2.0, 120.0], [WIDTH / 2.0, 140.0], "brace");
    svg.cell([INSIDE + 2.0, 140.0], [ACROSS - 4.0, 34.0], "g2", "L2 cache, 50 MiB: 283 cycles");
    memory(&mut svg, 182.0, "the GPU's memory, 80 GB: 673 cycles");
    svg
}
