//! Pixels of three bytes in sectors of 32, and the loads that fetch them: the first figure of
//! chapter 9.

use std::collections::BTreeSet;

use super::Panel;
use super::svg::{Svg, WIDTH};

const LANES: usize = 32;
const SECTOR: usize = 32;
/// Bytes of the pixels of a warp.
const SPAN: usize = 3 * LANES;

/// One load of a warp: the first byte of each active lane, and the number of bytes that each lane
/// loads.
struct Load {
    first: Vec<usize>,
    bytes: usize,
}

impl Load {
    /// Lane i loads from byte `step * i + start`; the lanes whose byte is not one of the warp's
    /// pixels are inactive.
    fn new(start: usize, step: usize, bytes: usize) -> Self {
        let first = (0..LANES).map(|lane| start + step * lane).filter(|at| *at < SPAN).collect();
        Self { first, bytes }
    }

    fn wanted(&self) -> BTreeSet<usize> {
        self.first.iter().flat_map(|at| *at..at + self.bytes).collect()
    }

    fn sectors(&self) -> BTreeSet<usize> {
        self.wanted().into_iter().map(|byte| byte / SECTOR).collect()
    }
}

/// Three loads of bytes, and one of words.
pub fn packed() -> Vec<Panel> {
    let colours = [0, 1, 2].map(|colour| Load::new(colour, 3, 1));
    let words = Load::new(0, 4, 4);
    let fetched: usize = colours.iter().map(|load| load.sectors().len()).sum();
    let [red, green, _] = &colours;
    vec![
        Panel {
            title: "The load of the red bytes",
            caption: format!(
                "32 pixels have {SPAN} bytes, which are {} sectors. Lane i loads byte 3i. Each of these sectors contains some of \
                 the {} bytes that are used, so the request loads {} bytes.",
                SPAN / SECTOR,
                red.wanted().len(),
                red.sectors().len() * SECTOR
            ),
            svg: draw(red),
        },
        Panel {
            title: "The load of the green bytes",
            caption: format!(
                "This request loads the same {} sectors again, and the request for the blue bytes loads them a third time. \
                 That makes {fetched} sectors for 32 pixels, or {} bytes for each pixel.",
                green.sectors().len(),
                fetched * SECTOR / LANES
            ),
            svg: draw(green),
        },
        Panel {
            title: "Words, side by side",
            caption: format!(
                "A lane can load 4 bytes at once. So {} lanes are enough, and each sector is loaded once, which makes {} bytes \
                 for each pixel. However, a word isn't a pixel, so lane 1 loads two bytes of pixel 1 and two bytes of pixel 2.",
                words.first.len(),
                words.sectors().len() * SECTOR / LANES
            ),
            svg: draw(&words),
        },
    ]
}

/// Each row is a sector and each cell a byte, in the colour red, green or blue of its pixel. Bytes
/// that are used are filled.
fn draw(load: &Load) -> Svg {
    let mut svg = Svg::default();
    let wanted = load.wanted();
    let w = WIDTH / SECTOR as f64;
    for byte in 0..SPAN {
        let (row, col) = (byte / SECTOR, byte % SECTOR);
        let class = if wanted.contains(&byte) {
            "used"
        } else if load.sectors().contains(&row) {
            "fetched"
        } else {
            "sector"
        };
        let y = row as f64 * 44.0;
        svg.cell([col as f64 * w, y], [w - 1.2, 22.0], class, "");
        svg.word([(col as f64 + 0.5) * w, y + 34.0], "small middle", ["r", "g", "b"][byte % 3]);
    }
    let y = (SPAN / SECTOR) as f64 * 44.0 + 6.0;
    for (class, word, x) in [("used", "used", 0.0), ("fetched", "also loaded", 90.0)] {
        svg.cell([x, y], [16.0, 8.0], class, "");
        svg.word([x + 21.0, y + 8.0], "small", word);
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::figure::simulated;

    /// The lanes below `lanes` load a byte or a word at `start + step * lane`.
    const LOADS: &str = "
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry load(.param .u64 a, .param .u32 start, .param .u32 step, .param .u32 lanes,
                             .param .u32 words) {
            .reg .pred %p<3>;
            .reg .b32 %r<9>;
            .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [a];
            ld.param.u32 %r1, [start];
            ld.param.u32 %r2, [step];
            ld.param.u32 %r3, [lanes];
            ld.param.u32 %r4, [words];
            mov.u32 %r5, %tid.x;
            setp.ge.u32 %p1, %r5, %r3;
            @%p1 bra DONE;
            mad.lo.u32 %r6, %r5, %r2, %r1;
            cvt.u64.u32 %rd2, %r6;
            add.s64 %rd3, %rd1, %rd2;
            setp.eq.u32 %p2, %r4, 0;
            @%p2 bra BYTE;
            ld.global.u32 %r7, [%rd3];
            bra DONE;
        BYTE:
            ld.global.u8 %r8, [%rd3];
        DONE:
            ret;
        }";

    fn counted_sectors(load: &Load, start: usize, step: usize) -> Result<u64, ptxsim::Error> {
        let mut memory = ptxsim::Memory::new();
        let a = memory.alloc("a", SPAN as u64, 1, Some(&[7; SPAN]))?;
        let words = usize::from(load.bytes == 4);
        let numbers = [start, step, load.first.len(), words];
        let numbers = numbers.map(simulated::word);
        let args = std::iter::once(a.to_le_bytes().to_vec()).chain(numbers).collect();
        Ok(simulated::run(LOADS, "load", LANES, args, memory)?.totals.load_sectors)
    }

    /// The figure shows as many sectors as the simulator counts.
    #[test]
    fn figure_and_simulator_count_the_same_sectors() -> Result<(), ptxsim::Error> {
        for (start, step, bytes) in [(0, 3, 1), (1, 3, 1), (2, 3, 1), (0, 4, 4)] {
            let load = Load::new(start, step, bytes);
            let drawn = load.sectors().len() as u64;
            assert_eq!(counted_sectors(&load, start, step)?, drawn, "{start} {step} {bytes}");
        }
        Ok(())
    }

    /// The counts of the skeleton and of the gate of the exercise.
    #[test]
    fn nine_bytes_or_three_for_each_pixel() {
        let captions: Vec<_> = packed().into_iter().map(|panel| panel.caption).collect();
        assert!(captions[0].contains("the 32 bytes that are used"), "{captions:?}");
        assert!(
            captions[1].contains("9 sectors for 32 pixels, or 9 bytes for each"),
            "{captions:?}"
        );
        assert!(captions[2].contains("24 lanes are enough"), "{captions:?}");
        assert!(captions[2].contains("3 bytes for each pixel"), "{captions:?}");
    }
}
