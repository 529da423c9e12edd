//! The figures of chapter 2: the memories of host and device with the copies between them, and the
//! layout of 2-D arrays.

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

/// Left edge of the device's half, and width of either half.
const DEVICE: f64 = 216.0;
const SIDE: f64 = 144.0;

/// The five steps of every program, with a panel for each.
pub fn round_trip() -> Vec<Panel> {
    let panel = |title, caption: &str, step| Panel {
        title,
        caption: caption.to_owned(),
        svg: two_sides(step),
    };
    vec![
        panel(
            "1. Allocate",
            "`cudaMalloc` allocates memory on the device for each array. The memory isn't cleared, \
             so its contents are arbitrary.",
            1,
        ),
        panel(
            "2. Copy in",
            "`cudaMemcpy` with `cudaMemcpyHostToDevice` copies the input over the bus. Now the input \
             is in both memories.",
            2,
        ),
        panel(
            "3. Launch",
            "The kernel reads and writes the device's memory. The host doesn't wait for the kernel, and \
             continues at once.",
            3,
        ),
        panel(
            "4. Copy out",
            "`cudaMemcpy` with `cudaMemcpyDeviceToHost` waits for the kernel, and then copies the \
             results back over the bus.",
            4,
        ),
        panel(
            "5. Free",
            "`cudaFree` frees each array on the device. The host keeps its arrays.",
            5,
        ),
    ]
}

fn two_sides(step: u32) -> Svg {
    let mut svg = Svg::default();
    for (x, name) in [(0.0, "host"), (DEVICE, "device")] {
        svg.word([x, 12.0], "small", &format!("{name}'s memory"));
        svg.cell([x, 18.0], [SIDE, 112.0], "data", "");
    }
    svg.line([SIDE, 74.0], [DEVICE, 74.0], "brace");
    svg.word([(SIDE + DEVICE) / 2.0, 90.0], "small middle", "bus");

    let array = |svg: &mut Svg, x: f64, y: f64, class: &str, word: &str| {
        svg.cell([x + 14.0, y], [SIDE - 28.0, 30.0], class, word);
    };
    array(&mut svg, 0.0, 32.0, "g0", "a");
    array(&mut svg, 0.0, 86.0, if step >= 4 { "g2" } else { "spare" }, "out");
    if step < 5 {
        array(&mut svg, DEVICE, 32.0, if step >= 2 { "g0" } else { "spare" }, "d_a");
        array(&mut svg, DEVICE, 86.0, if step >= 3 { "g2" } else { "spare" }, "d_out");
    }
    match step {
        2 => arrow(&mut svg, [SIDE - 12.0, 47.0], [DEVICE + 12.0, 47.0]),
        3 => {
            arrow(&mut svg, [DEVICE + SIDE / 2.0, 64.0], [DEVICE + SIDE / 2.0, 84.0]);
            svg.word([DEVICE + SIDE / 2.0 + 8.0, 79.0], "small", "kernel");
        }
        4 => arrow(&mut svg, [DEVICE + 12.0, 101.0], [SIDE - 12.0, 101.0]),
        _ => {}
    }
    let call = match step {
        1 => "cudaMalloc(&d_a, bytes);",
        2 => "cudaMemcpy(d_a, a, bytes, ...);",
        3 => "to_fahrenheit<<<grid, block>>>(d_a, d_out, n);",
        4 => "cudaMemcpy(out, d_out, bytes, ...);",
        _ => "cudaFree(d_a);",
    };
    svg.word([WIDTH / 2.0, 150.0], "small middle", call);
    svg
}

/// A horizontal or vertical arrow.
fn arrow(svg: &mut Svg, from: [f64; 2], [x, y]: [f64; 2]) {
    svg.line(from, [x, y], "brace");
    let back = |a: f64, b: f64| 6.0 * (a - b).signum() * f64::from(a != b);
    let (dx, dy) = (back(from[0], x), back(from[1], y));
    for side in [-4.0, 4.0] {
        let aside = if dx == 0.0 { [side, 0.0] } else { [0.0, side] };
        svg.line([x + dx + aside[0], y + dy + aside[1]], [x, y], "brace");
    }
}

/// A region of `rows` x `cols` elements, packed and in rows of `pitch` elements. A sector has
/// `sector` elements.
pub fn pitch(rows: usize, cols: usize, pitch: usize, sector: usize) -> Vec<Panel> {
    vec![
        Panel {
            title: "Packed",
            caption: format!(
                "{rows} rows of {cols} floats follow each other. A sector has {sector} floats, so row 1 \
                 begins in the middle of a sector, and a warp that reads this row touches one more \
                 sector than necessary."
            ),
            svg: rows_in_memory(rows, cols, cols, sector),
        },
        Panel {
            title: "With a pitch",
            caption: format!(
                "Each row begins at the start of a sector. Here, the pitch is {pitch} floats, which are {} \
                 bytes, and {} of these bytes are padding. Row r begins at byte r * pitch.",
                pitch * 4,
                (pitch - cols) * 4
            ),
            svg: rows_in_memory(rows, cols, pitch, sector),
        },
    ]
}

fn rows_in_memory(rows: usize, cols: usize, pitch: usize, sector: usize) -> Svg {
    let mut svg = Svg::default();
    let in_line = 2 * sector;
    let w = WIDTH / (in_line as f64 + 0.5);
    let lines = ((rows - 1) * pitch + cols).div_ceil(in_line);
    for at in 0..lines * in_line {
        let (row, col) = (at / pitch, at % pitch);
        let ours = row < rows && col < cols;
        let padding = row < rows && col >= cols;
        let class = match (ours, padding) {
            (true, _) => group(row),
            (_, true) => "spare",
            _ => "data",
        };
        let place = at % in_line;
        let x = place as f64 * w + if place >= sector { w / 2.0 } else { 0.0 };
        let y = 20.0 + (at / in_line) as f64 * 34.0;
        let word = if ours && col == 0 { format!("r{row}") } else { String::new() };
        svg.cell([x, y], [w - 1.5, 26.0], class, &word);
    }
    let bottom = 20.0 + lines as f64 * 34.0 + 10.0;
    for s in 0..2 {
        let x = s as f64 * (sector as f64 + 0.5) * w;
        svg.word([x, 12.0], "small", &format!("a sector of {sector} floats"));
    }
    let words = format!("row {} begins at float {}", rows - 1, (rows - 1) * pitch);
    svg.word([0.0, bottom], "small", &words);
    svg
}
