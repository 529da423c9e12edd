//! What one request of a warp fetches: 32 threads, 4 bytes each, in sectors of 32 bytes.

use std::collections::BTreeSet;

use super::Panel;
use super::svg::{Svg, WIDTH};

const LANES: usize = 32;
pub const FLOAT: usize = 4;
const SECTOR: usize = 32;
/// The matrix of the pictures: 32 rows of 32 floats.
const SIDE: usize = 32;

/// Addresses in bytes of the 32 lanes' floats -> the sectors that they lie in.
pub fn sectors(addresses: impl Iterator<Item = usize>) -> BTreeSet<usize> {
    addresses.map(|a| a / SECTOR).collect()
}

/// A warp along a row, and down a column.
pub fn row_or_column() -> Vec<Panel> {
    vec![
        warp("Along a row", "Lane k reads element (0, k): 32 neighbours", |lane| lane),
        warp("Down a column", "Lane k reads element (k, 0): a whole row apart", |lane| lane * SIDE),
    ]
}

/// A warp in step, two elements each, and a chunk of eight each.
pub fn chunk_or_step() -> Vec<Panel> {
    vec![
        warp("In step", "Lane k reads element k", |lane| lane),
        warp("Two each", "Lane k reads element 2k, and element 2k + 1 in the next step", |lane| {
            2 * lane
        }),
        warp("Eight each", "Lane k reads element 8k, and its seven neighbours later", |lane| {
            8 * lane
        }),
    ]
}

fn warp(title: &'static str, what: &str, element: impl Fn(usize) -> usize) -> Panel {
    let elements: BTreeSet<usize> = (0..LANES).map(element).collect();
    let fetched = sectors(elements.iter().map(|e| e * FLOAT));
    let moved = fetched.len() * SECTOR;
    let used = elements.len() * FLOAT;
    Panel {
        title,
        caption: format!(
            "{what}. {} sectors: {moved} bytes move for the {used} that are used.",
            fetched.len()
        ),
        svg: draw(&elements, &fetched, SIDE),
    }
}

/// Memory as `rows` rows of 32 floats: eight floats to a sector, four sectors to a row. Fetched sectors are shaded, floats in use filled.
pub fn draw(elements: &BTreeSet<usize>, fetched: &BTreeSet<usize>, rows: usize) -> Svg {
    let mut svg = Svg::default();
    let cell = WIDTH / (SIDE as f64 + 3.0);
    let place = |element: usize| {
        let (row, col) = (element / SIDE, element % SIDE);
        [col as f64 * cell + (col / 8) as f64 * cell, row as f64 * 7.0]
    };
    for sector in 0..rows * SIDE * FLOAT / SECTOR {
        let class = if fetched.contains(&sector) { "fetched" } else { "sector" };
        svg.cell(place(sector * 8), [8.0 * cell - 1.0, 6.0], class, "");
    }
    for element in elements {
        svg.cell(place(*element), [cell - 1.0, 6.0], "used", "");
    }
    let y = rows as f64 * 7.0 + 8.0;
    let legend = [
        ("used", "in use", 0.0),
        ("fetched", "fetched with it", 80.0),
        ("sector", "not touched", 210.0),
    ];
    for (class, word, x) in legend {
        svg.cell([x, y], [16.0, 8.0], class, "");
        svg.word([x + 21.0, y + 8.0], "small", word);
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: &str = "
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry load(.param .u64 a, .param .u32 step) {
            .reg .b32 %r<5>;
            .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [a];
            ld.param.u32 %r1, [step];
            mov.u32 %r2, %tid.x;
            mul.lo.s32 %r3, %r2, %r1;
            mul.wide.s32 %rd2, %r3, 4;
            add.s64 %rd3, %rd1, %rd2;
            ld.global.u32 %r4, [%rd3];
            ret;
        }";

    /// Sectors that the simulator counts when lane l loads the float `step * l`.
    fn simulated(step: u32) -> Result<u64, ptxsim::Error> {
        let mut memory = ptxsim::Memory::new();
        let a = memory.alloc("a", 8192, 4, Some(&[0; 8192]))?;
        let launch = ptxsim::Launch {
            entry: "load".to_owned(),
            grid: [1, 1, 1],
            block: [LANES as u32, 1, 1],
            shared: 0,
            args: vec![a.to_le_bytes().to_vec(), step.to_le_bytes().to_vec()],
            ..ptxsim::Launch::default()
        };
        let options = ptxsim::Options {
            diagnose: ptxsim::Diagnose::Count,
            seed: 0,
            threads: 1,
            budget: 1000,
        };
        let module = ptxsim::Module::parse(LOAD)?;
        Ok(ptxsim::run(&module, &mut memory, &launch, &options)?.totals.load_sectors)
    }

    /// Page and checker must never disagree: the figures show what the simulator counts.
    #[test]
    fn figures_and_simulator_count_the_same_sectors() -> Result<(), ptxsim::Error> {
        for step in [1, 2, 3, 7, 8, SIDE] {
            let drawn = sectors((0..LANES).map(|lane| lane * step * FLOAT)).len() as u64;
            assert_eq!(simulated(step as u32)?, drawn, "step {step}");
        }
        Ok(())
    }

    /// The numbers that the chapter and its gates are about.
    #[test]
    fn a_row_is_four_sectors_and_a_column_thirty_two() {
        let captions =
            |panels: Vec<Panel>| panels.into_iter().map(|p| p.caption).collect::<Vec<_>>();
        let row_column = captions(row_or_column());
        assert!(row_column[0].contains("4 sectors: 128 bytes move for the 128"), "{row_column:?}");
        assert!(
            row_column[1].contains("32 sectors: 1024 bytes move for the 128"),
            "{row_column:?}"
        );
        let steps = captions(chunk_or_step());
        assert!(steps[1].contains("8 sectors: 256 bytes"), "{steps:?}");
        assert!(steps[2].contains("32 sectors: 1024 bytes"), "{steps:?}");
    }
}
