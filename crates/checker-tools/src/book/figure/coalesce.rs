//! The sectors of 32 bytes that one request of a warp touches: 32 threads with 4 bytes each.

use std::collections::BTreeSet;

use super::Panel;
use super::svg::{Svg, WIDTH};
use crate::book::recording::Recording;

const LANES: usize = 32;
pub const FLOAT: usize = 4;
const SECTOR: usize = 32;
/// The pictures show a matrix of 32 rows of 32 floats.
const SIDE: usize = 32;

/// The sectors that contain the floats at these addresses, in bytes.
pub fn sectors(addresses: impl Iterator<Item = usize>) -> BTreeSet<usize> {
    addresses.map(|a| a / SECTOR).collect()
}

/// A load of a warp: lane l loads `width` floats from float `first + l * stride` on.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// The distance between the first floats of neighbouring lanes, in floats.
    pub stride: usize,
    /// The first float of lane 0, counted from the start of a sector.
    pub first: usize,
    /// Floats that each lane loads.
    pub width: usize,
}

/// The number of sectors that a load touches.
pub fn sectors_of(access: Access) -> usize {
    let Access { stride, first, width } = access;
    let floats = (0..LANES).flat_map(|lane| (0..width).map(move |i| first + lane * stride + i));
    sectors(floats.map(|float| float * FLOAT)).len()
}

/// Largest stride and offset of the picture with sliders, in floats.
const STRIDES: usize = 32;
const OFFSETS: usize = 7;

/// Five accesses for readers without sliders, and the table that the sliders show: a row for each
/// stride from 0, with the number of sectors for each offset from 0.
pub fn stride_and_offset() -> (Vec<Panel>, String) {
    let panels = vec![
        warp("Stride 1", "Lane k reads element k", |lane| lane),
        warp(
            "From float 1",
            "Lane k reads element k + 1, so the first float isn't at the start of a sector",
            |lane| lane + 1,
        ),
        warp("Stride 2", "Lane k reads element 2k", |lane| 2 * lane),
        warp("Stride 3", "Lane k reads element 3k", |lane| 3 * lane),
        warp("Stride 8", "Lane k reads element 8k", |lane| 8 * lane),
    ];
    let row = |stride| {
        let count = |first| sectors_of(Access { stride, first, width: 1 }).to_string();
        (0..=OFFSETS).map(count).collect::<Vec<_>>().join(" ")
    };
    (panels, (0..=STRIDES).map(row).collect::<Vec<_>>().join(","))
}

/// A warp that reads a row, and one that reads a column.
pub fn row_or_column() -> Vec<Panel> {
    vec![
        warp(
            "Along a row",
            "Lane k reads column k of row 0, so the 32 elements are neighbours",
            |lane| lane,
        ),
        warp(
            "Down a column",
            "Lane k reads column 0 of row k, so the elements are a whole row apart",
            |lane| lane * SIDE,
        ),
    ]
}

/// The first load of warp 0 in the grid-stride loop of `partial_sums` and in the chunks of
/// `chunk_sums`, as they were recorded.
pub fn loop_or_chunk(grid_stride: &Recording, chunks: &Recording) -> Vec<Panel> {
    let [next, apart] = [grid_stride, chunks].map(|recording| {
        recording.first_reads().into_iter().map(|byte| byte as usize / FLOAT).collect::<Vec<_>>()
    });
    let chunk = apart.get(1).copied().unwrap_or_default();
    vec![
        drawn(
            "Grid-stride",
            "In the first iteration of `partial_sums`, lane k loads element k",
            &next,
        ),
        drawn(
            "Chunks",
            &format!(
                "In the first iteration of `chunk_sums`, lane k loads element {chunk}k, the first element of its chunk"
            ),
            &apart,
        ),
    ]
}

fn warp(title: &'static str, what: &str, element: impl Fn(usize) -> usize) -> Panel {
    drawn(title, what, &(0..LANES).map(element).collect::<Vec<_>>())
}

/// The float that each lane loads.
fn drawn(title: &'static str, what: &str, elements: &[usize]) -> Panel {
    let elements: BTreeSet<usize> = elements.iter().copied().collect();
    let rows = elements.last().map_or(0, |last| last / SIDE + 1).max(4);
    let loaded = sectors(elements.iter().map(|e| e * FLOAT));
    let moved = loaded.len() * SECTOR;
    let used = elements.len() * FLOAT;
    Panel {
        title,
        caption: format!(
            "{what}. The request moves {} sectors with {moved} bytes, and the lanes use {used} of \
             these bytes.",
            loaded.len()
        ),
        svg: draw(&elements, &loaded, rows),
    }
}

/// Memory as `rows` rows of 32 floats: eight floats in a sector, four sectors in a row. Loaded
/// sectors are shaded, used floats are filled.
pub fn draw(elements: &BTreeSet<usize>, loaded: &BTreeSet<usize>, rows: usize) -> Svg {
    let mut svg = Svg::default();
    let cell = WIDTH / (SIDE as f64 + 3.0);
    let place = |element: usize| {
        let (row, col) = (element / SIDE, element % SIDE);
        [col as f64 * cell + (col / 8) as f64 * cell, row as f64 * 7.0]
    };
    for sector in 0..rows * SIDE * FLOAT / SECTOR {
        let class = if loaded.contains(&sector) { "fetched" } else { "sector" };
        svg.cell(place(sector * 8), [8.0 * cell - 1.0, 6.0], class, "");
    }
    for element in elements {
        svg.cell(place(*element), [cell - 1.0, 6.0], "used", "");
    }
    let y = rows as f64 * 7.0 + 8.0;
    let legend = [
        ("used", "in use", 0.0),
        ("fetched", "moved, not used", 80.0),
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
    use super::super::simulated;
    use super::super::tests::root;
    use super::*;

    /// The figures show as many sectors as the simulator counts.
    #[test]
    fn figures_and_simulator_count_the_same_sectors() -> Result<(), ptxsim::Error> {
        for step in [1, 2, 3, 7, 8, SIDE] {
            let drawn = sectors((0..LANES).map(|lane| lane * step * FLOAT)).len() as u64;
            assert_eq!(simulated::sectors(step, 0, 1)?, drawn, "step {step}");
        }
        Ok(())
    }

    /// So do all positions of the sliders, and a load of four floats.
    #[test]
    fn every_position_of_the_sliders_is_what_the_simulator_counts() -> Result<(), ptxsim::Error> {
        let (_, table) = stride_and_offset();
        for (stride, row) in table.split(',').enumerate() {
            for (first, shown) in row.split(' ').enumerate() {
                let counted = simulated::sectors(stride, first, 1)?;
                assert_eq!(shown, counted.to_string(), "stride {stride} from {first}");
            }
        }
        for stride in [4, 8, 32] {
            let shown = sectors_of(Access { stride, first: 0, width: 4 }) as u64;
            assert_eq!(simulated::sectors(stride, 0, 4)?, shown, "float4, stride {stride}");
        }
        Ok(())
    }

    /// The numbers in the chapter and in its gates.
    #[test]
    fn a_row_is_four_sectors_and_a_column_thirty_two() {
        let captions =
            |panels: Vec<Panel>| panels.into_iter().map(|p| p.caption).collect::<Vec<_>>();
        let row_column = captions(row_or_column());
        assert!(
            row_column[0].contains("4 sectors with 128 bytes, and the lanes use 128"),
            "{row_column:?}"
        );
        assert!(
            row_column[1].contains("32 sectors with 1024 bytes, and the lanes use 128"),
            "{row_column:?}"
        );
        let recorded = |name| Recording::read(&root(), name).expect("a recording");
        let loops = captions(loop_or_chunk(&recorded("partial_sums"), &recorded("chunk_sums")));
        assert!(loops[0].contains("4 sectors with 128 bytes"), "{loops:?}");
        assert!(loops[1].contains("element 20k") && loops[1].contains("32 sectors"), "{loops:?}");
    }
}
