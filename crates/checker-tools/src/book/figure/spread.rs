//! The figure of chapter 5: how far one NaN spreads. The cells are computed.

use super::Panel;
use super::svg::{Svg, WIDTH};

/// Cells along each side of the grid.
const SIDE: usize = 9;

type Grid = [[f32; SIDE]; SIDE];

/// A grid with one NaN in the middle, and the grid after one and two rounds of a 3 x 3 mean.
pub fn panels() -> Vec<Panel> {
    let mut start = [[1.0; SIDE]; SIDE];
    start[SIDE / 2][SIDE / 2] = f32::NAN;
    let once = blurred(&start);
    let twice = blurred(&once);
    let bad = |grid: &Grid| grid.iter().flatten().filter(|v| v.is_nan()).count();
    let sum: f32 = twice.iter().flatten().sum();
    vec![
        Panel {
            title: "One cell",
            caption: format!(
                "{} of {} cells is NaN. The kernel doesn't stop, and CUDA reports no error.",
                bad(&start),
                SIDE * SIDE
            ),
            svg: draw(&start),
        },
        Panel {
            title: "After one mean",
            caption: format!(
                "Each cell has become the mean of itself and its neighbours, so {} cells are NaN.",
                bad(&once)
            ),
            svg: draw(&once),
        },
        Panel {
            title: "After two means",
            caption: format!(
                "{} cells are NaN. You can no longer see where the first NaN was, and the sum of \
                 all cells is {sum}.",
                bad(&twice)
            ),
            svg: draw(&twice),
        },
    ]
}

/// The mean of each cell and its neighbours; a cell at the edge has fewer.
fn blurred(grid: &Grid) -> Grid {
    let mut out = *grid;
    for (row, cells) in out.iter_mut().enumerate() {
        for (col, cell) in cells.iter_mut().enumerate() {
            let near = |at: usize| at.saturating_sub(1)..=(at + 1).min(SIDE - 1);
            let around: Vec<f32> =
                near(row).flat_map(|r| near(col).map(move |c| grid[r][c])).collect();
            *cell = around.iter().sum::<f32>() / around.len() as f32;
        }
    }
    out
}

fn draw(grid: &Grid) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / SIDE as f64;
    for (row, cells) in grid.iter().enumerate() {
        for (col, value) in cells.iter().enumerate() {
            let (class, word) = if value.is_nan() { ("clash", "NaN") } else { ("data", "1") };
            svg.cell([col as f64 * w, row as f64 * 24.0], [w - 2.0, 22.0], class, word);
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_spreads_by_one_cell_in_each_round() {
        let captions: Vec<String> = panels().into_iter().map(|p| p.caption).collect();
        assert!(captions[0].starts_with("1 of 81"), "{captions:?}");
        assert!(captions[1].contains("so 9 cells are NaN"), "{captions:?}");
        assert!(
            captions[2].starts_with("25 cells") && captions[2].ends_with("is NaN."),
            "{captions:?}"
        );
    }
}
