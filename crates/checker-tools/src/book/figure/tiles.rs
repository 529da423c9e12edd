//! The figures of chapter 4's second page about tiles of matrices: a transpose that reads and
//! writes along rows, and a product.

use super::Panel;
use super::svg::{Svg, WIDTH};

/// Rows and columns of a tile, and lanes of a warp, in these pictures.
const SIDE: usize = 4;

/// A matrix in the picture: its upper left corner, and the size of an element.
#[derive(Clone, Copy)]
struct Sheet {
    at: [f64; 2],
    cell: f64,
    rows: usize,
    cols: usize,
}

impl Sheet {
    fn name(self, svg: &mut Svg, name: &str) {
        svg.word([self.at[0], self.at[1] - 5.0], "small", name);
    }

    /// Draws every element; `class` colours it. There is a gap between tiles.
    fn draw(self, svg: &mut Svg, class: impl Fn(usize, usize) -> &'static str) {
        for row in 0..self.rows {
            for col in 0..self.cols {
                let side = [self.cell - 1.5; 2];
                svg.cell(self.place(row, col), side, class(row, col), "");
            }
        }
    }

    fn place(self, row: usize, col: usize) -> [f64; 2] {
        let gap = |i: usize| i as f64 * self.cell + (i / SIDE) as f64 * 3.0;
        [self.at[0] + gap(col), self.at[1] + gap(row)]
    }

    fn middle(self, row: usize, col: usize) -> [f64; 2] {
        let [x, y] = self.place(row, col);
        [x + self.cell / 2.0, y + self.cell / 2.0]
    }
}

/// The row and column of `in` that thread (`tx`, `ty`) of block (`bx`, `by`) reads.
const fn read([bx, by]: [usize; 2], [tx, ty]: [usize; 2]) -> [usize; 2] {
    [by * SIDE + ty, bx * SIDE + tx]
}

/// The row and column of `out` that the thread writes, and the cell of the tile that it reads for
/// that.
const fn written([bx, by]: [usize; 2], [tx, ty]: [usize; 2]) -> ([usize; 2], [usize; 2]) {
    ([bx * SIDE + ty, by * SIDE + tx], [tx, ty])
}

/// A matrix of `down` x `across` tiles, and the elements that one warp of block (2, 0) moves
/// through its tile.
pub fn turn(down: usize, across: usize) -> Vec<Panel> {
    let (block, ty) = ([across - 1, 0], 1);
    vec![
        Panel {
            title: "Without a tile",
            caption: format!(
                "This is a matrix of {} x {} elements and its transpose. A warp of {SIDE} lanes \
                 reads {SIDE} neighbouring elements of a row, and writes them to a column, so each \
                 lane writes to a different row.",
                down * SIDE,
                across * SIDE
            ),
            svg: sheets(down, across, block, |tx| {
                let at = read(block, [tx, ty]);
                (Some(at), None, Some([at[1], at[0]]))
            }),
        },
        Panel {
            title: "Into the tile",
            caption: format!(
                "Here, the kernel uses a tile. The warp with ty = {ty} reads {SIDE} neighbouring \
                 elements of a row and stores them as row {ty} of the tile. The other warps of the \
                 block load the other rows. Then all warps wait at the barrier."
            ),
            svg: sheets(down, across, block, |tx| {
                (Some(read(block, [tx, ty])), Some([ty, tx]), None)
            }),
        },
        Panel {
            title: "Out of the tile",
            caption: format!(
                "The same warp reads column {ty} of the tile, and writes {SIDE} neighbouring \
                 elements of a row of `out`. The block loaded the tile from tile row {} and tile \
                 column {}, and stores it in tile row {} and tile column {}.",
                block[1], block[0], block[0], block[1]
            ),
            svg: sheets(down, across, block, |tx| {
                let (out, tile) = written(block, [tx, ty]);
                (None, Some(tile), Some(out))
            }),
        },
    ]
}

type Used = (Option<[usize; 2]>, Option<[usize; 2]>, Option<[usize; 2]>);

/// `used` returns the element of `in`, the cell of the tile and the element of `out` that each lane
/// uses.
fn sheets(down: usize, across: usize, block: [usize; 2], used: impl Fn(usize) -> Used) -> Svg {
    let mut svg = Svg::default();
    let cell = 12.0;
    let input = Sheet { at: [0.0, 18.0], cell, rows: down * SIDE, cols: across * SIDE };
    let out = Sheet { at: [WIDTH - 104.0, 18.0], cell, rows: across * SIDE, cols: down * SIDE };
    let tile = Sheet { at: [186.0, 82.0], cell, rows: SIDE, cols: SIDE };
    let lanes: Vec<Used> = (0..SIDE).map(used).collect();
    let of_block = |row: usize, col: usize, [x, y]: [usize; 2]| [col / SIDE, row / SIDE] == [x, y];

    input.name(&mut svg, "in");
    input.draw(&mut svg, |row, col| {
        let mine = lanes.iter().any(|(read, ..)| *read == Some([row, col]));
        if mine { "used" } else { shade(of_block(row, col, block)) }
    });
    out.name(&mut svg, "out");
    out.draw(&mut svg, |row, col| {
        let mine = lanes.iter().any(|(.., written)| *written == Some([row, col]));
        if mine { "used" } else { shade(of_block(row, col, [block[1], block[0]])) }
    });
    if lanes.iter().any(|(_, tile, _)| tile.is_some()) {
        // Below the tile, because lines from `in` arrive from above.
        svg.word([tile.at[0], tile.at[1] + SIDE as f64 * cell + 14.0], "small", "tile");
        tile.draw(&mut svg, |row, col| {
            let mine = lanes.iter().any(|(_, cell, _)| *cell == Some([row, col]));
            if mine { "used" } else { "g0" }
        });
    }
    for (read, cell, written) in &lanes {
        let places = [
            read.map(|[row, col]| input.middle(row, col)),
            cell.map(|[row, col]| tile.middle(row, col)),
            written.map(|[row, col]| out.middle(row, col)),
        ];
        let places: Vec<[f64; 2]> = places.into_iter().flatten().collect();
        if let [from, to] = places[..] {
            svg.line(from, to, "reach");
        }
    }
    svg
}

const fn shade(of_block: bool) -> &'static str {
    if of_block { "g0" } else { "data" }
}

/// A product of `rows` x `inner` and `inner` x `cols` matrices: what one element needs, and what a
/// block loads in each iteration.
pub fn product([rows, inner, cols]: [usize; 3]) -> Vec<Panel> {
    let block = [1, 0];
    let picked = read(block, [2, 1]);
    let rounds = inner.div_ceil(SIDE);
    let [naive, tiled] = [false, true].map(|tiled| loads(inner, SIDE, tiled));
    let mut panels = vec![Panel {
        title: "One element",
        caption: format!(
            "An element of c needs a row of a and a column of b, which is {inner} + {inner} = {naive} loads. Its right \
             neighbour needs the same row, and the element below it needs the same column."
        ),
        svg: matrices([rows, inner, cols], block, picked, |k| (k < inner).then_some(false)),
    }];
    let titles = ["Iteration 1", "Iteration 2", "Iteration 3"];
    for (round, title) in titles.into_iter().enumerate().take(rounds) {
        let caption = match round {
            0 => format!(
                "The block loads a tile of a and a tile of b with {SIDE} x {SIDE} elements each, so each thread \
                 loads two elements. After a barrier, every thread multiplies {SIDE} pairs from shared memory. \
                 Then all threads wait at another barrier."
            ),
            1 => "The tile of a has moved to the right, and the tile of b has moved down. The \
                  threads continue their sums."
                .to_owned(),
            _ => format!(
                "After {rounds} iterations, the sums are complete. Each thread has loaded 2 \
                 elements in each iteration, which makes {tiled} loads instead of {naive}."
            ),
        };
        panels.push(Panel {
            title,
            caption,
            svg: matrices([rows, inner, cols], block, picked, |k| {
                (k / SIDE == round).then_some(true)
            }),
        });
    }
    panels
}

/// The number of loads from global memory of one thread.
const fn loads(inner: usize, side: usize, tiled: bool) -> usize {
    if tiled { 2 * inner.div_ceil(side) } else { 2 * inner }
}

/// Draws a at the lower left, b at the upper right, and c where their rows and columns meet.
/// `wanted` returns whether the k-th column of a and the k-th row of b are unused, used by the one
/// element, or used by the whole tile.
fn matrices(
    [rows, inner, cols]: [usize; 3],
    [bx, by]: [usize; 2],
    [row, col]: [usize; 2],
    wanted: impl Fn(usize) -> Option<bool>,
) -> Svg {
    let mut svg = Svg::default();
    let cell = 13.0;
    let across = inner as f64 * cell + (inner / SIDE) as f64 * 3.0 + 26.0;
    let left = (WIDTH - across - cols as f64 * cell - 6.0) / 2.0;
    let b = Sheet { at: [left + across, 16.0], cell, rows: inner, cols };
    let below = b.at[1] + inner as f64 * cell + (inner / SIDE) as f64 * 3.0 + 16.0;
    let a = Sheet { at: [left, below], cell, rows, cols: inner };
    let c = Sheet { at: [left + across, below], cell, rows, cols };
    a.name(&mut svg, "a");
    b.name(&mut svg, "b");
    c.name(&mut svg, "c");
    let class = |mine: bool, tile: bool, k: usize| match wanted(k) {
        Some(_) if mine => "used",
        Some(true) if tile => "g1",
        _ => "data",
    };
    a.draw(&mut svg, |r, k| class(r == row, r / SIDE == by, k));
    b.draw(&mut svg, |k, c| class(c == col, c / SIDE == bx, k));
    c.draw(&mut svg, |r, c| match () {
        () if [r, c] == [row, col] => "used",
        () if [c / SIDE, r / SIDE] == [bx, by] => "g0",
        () => "data",
    });
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element is read once, and written once to its place in the transpose. The element that
    /// a thread writes at (row, column) is the one that another thread read at (column, row) and
    /// put into that cell of the tile.
    #[test]
    fn the_way_through_the_tile_is_a_transpose() {
        for block in [[0, 0], [2, 0], [1, 1]] {
            for (tx, ty) in (0..SIDE).flat_map(|ty| (0..SIDE).map(move |tx| (tx, ty))) {
                let (out, [tile_row, tile_col]) = written(block, [tx, ty]);
                // Thread (column, row) filled the cell (row, column) of the tile.
                let brought = read(block, [tile_col, tile_row]);
                assert_eq!(brought, [out[1], out[0]]);
            }
        }
    }

    /// The element that the chapter follows by hand.
    #[test]
    fn row_3_column_9_becomes_row_9_column_3() {
        assert_eq!(read([2, 0], [1, 3]), [3, 9]);
        assert_eq!(written([2, 0], [3, 1]), ([9, 3], [3, 1]));
    }

    /// The lanes of a warp read neighbours in a row, and write neighbours in a row.
    #[test]
    fn reads_and_writes_are_along_rows() {
        for tx in 1..SIDE {
            let [before, here] = [tx - 1, tx].map(|tx| read([2, 0], [tx, 1]));
            assert_eq!(here, [before[0], before[1] + 1]);
            let [before, here] = [tx - 1, tx].map(|tx| written([2, 0], [tx, 1]).0);
            assert_eq!(here, [before[0], before[1] + 1]);
        }
    }

    /// The counts of the exercise: 256 loads for an element of c, and 16 with tiles of 16 x 16.
    #[test]
    fn a_tile_of_sixteen_saves_fifteen_loads_of_sixteen() {
        assert_eq!([false, true].map(|tiled| loads(128, 16, tiled)), [256, 16]);
        assert_eq!([false, true].map(|tiled| loads(12, SIDE, tiled)), [24, 6]);
        // The last question of the checkpoint.
        assert_eq!(loads(128, 32, true), 8);
    }
}
