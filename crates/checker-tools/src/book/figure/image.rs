//! The figures of chapter 9: positions of texels, filtering between them, and a tile with its halo.

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

/// The positions of texels, and the result of filtering at a position between them.
pub fn texels(values: [i32; 4], place: f64) -> Vec<Panel> {
    let low = (place - 0.5).floor();
    let alpha = place - 0.5 - low;
    let [left, right] = [0, 1].map(|i| values[low as usize + i]);
    let blend = f64::from(left) * (1.0 - alpha) + f64::from(right) * alpha;
    vec![
        Panel {
            title: "Texels are intervals",
            caption: format!(
                "This row has {} texels, and coordinates start at its edge. So texel 0 covers the interval from 0 to 1, and \
                 its centre is at 0.5. The centre of texel i is at i + 0.5.",
                values.len()
            ),
            svg: row(values, None),
        },
        Panel {
            title: "Between two texels",
            caption: format!(
                "`x = {place}` is between the centres {} and {}, at {alpha} of the distance. The filter takes {} of the left \
                 texel and {alpha} of the right texel, so the result is {} * {left} + {alpha} * {right} = {blend}.",
                low + 0.5,
                low + 1.5,
                1.0 - alpha,
                1.0 - alpha
            ),
            svg: row(values, Some(place)),
        },
        Panel {
            title: "Between four texels",
            caption: "In an image, a point is between the centres of four texels. `alpha` is its horizontal distance from the \
                      two left centres, and `beta` is its vertical distance from the two upper centres. The weight of each \
                      texel is the area of the opposite rectangle, so \
                      the nearest texel has the largest weight. The four areas add up to 1."
                .to_owned(),
            svg: areas(0.25, 0.5),
        },
    ]
}

const CELL: f64 = 80.0;
const LEFT: f64 = 20.0;

fn row(values: [i32; 4], place: Option<f64>) -> Svg {
    let mut svg = Svg::default();
    let top = 30.0;
    let at = |x: f64| LEFT + x * CELL;
    let taken = |i: usize| place.is_some_and(|p| (p - (i as f64 + 0.5)).abs() < 1.0);
    for (i, value) in values.iter().enumerate() {
        let class = if place.is_none() {
            group(i)
        } else if taken(i) {
            "g0"
        } else {
            "data"
        };
        svg.cell([at(i as f64), top], [CELL - 1.5, 34.0], class, &value.to_string());
        svg.word([at(i as f64 + 0.5), 16.0], "small middle", &format!("texel {i}"));
        svg.line([at(i as f64 + 0.5), top + 36.0], [at(i as f64 + 0.5), top + 44.0], "brace");
        svg.word([at(i as f64 + 0.5), top + 58.0], "small middle", &format!("{}", i as f64 + 0.5));
    }
    for i in 0..=values.len() {
        svg.line([at(i as f64), top + 36.0], [at(i as f64), top + 62.0], "brace");
        svg.word([at(i as f64), top + 76.0], "small middle", &i.to_string());
    }
    if let Some(place) = place {
        svg.line([at(place), top - 4.0], [at(place), top + 88.0], "brace");
        svg.word([at(place), top + 102.0], "small middle", &format!("x = {place}"));
    }
    svg
}

fn areas(alpha: f64, beta: f64) -> Svg {
    let mut svg = Svg::default();
    // Wide enough for the number in the narrow rectangles.
    let (left, top, width, height) = (75.0, 26.0, 210.0, 150.0);
    let (x, y) = (left + alpha * width, top + beta * height);
    let share = |a: f64, b: f64| format!("{}", a * b);
    // The weight of a texel is the area of the rectangle at the opposite corner.
    let parts = [
        ([left, top], [x - left, y - top], "g3", share(alpha, beta)),
        ([x, top], [left + width - x, y - top], "g2", share(1.0 - alpha, beta)),
        ([left, y], [x - left, top + height - y], "g1", share(alpha, 1.0 - beta)),
        ([x, y], [left + width - x, top + height - y], "g0", share(1.0 - alpha, 1.0 - beta)),
    ];
    for (at, [w, h], class, word) in parts {
        svg.cell(at, [w - 1.5, h - 1.5], class, &word);
    }
    let corners = [
        ([left - 30.0, top + 4.0], "g0", share(1.0 - alpha, 1.0 - beta)),
        ([left + width + 30.0, top + 4.0], "g1", share(alpha, 1.0 - beta)),
        ([left - 30.0, top + height], "g2", share(1.0 - alpha, beta)),
        ([left + width + 30.0, top + height], "g3", share(alpha, beta)),
    ];
    for ([x, y], class, word) in corners {
        svg.cell([x - 26.0, y - 14.0], [52.0, 24.0], class, &word);
    }
    svg.line([left, top - 10.0], [x, top - 10.0], "brace");
    svg.word([left, top - 14.0], "small", &format!("alpha = {alpha}"));
    svg.word(
        [WIDTH / 2.0, top + height + 24.0],
        "small middle",
        &format!("beta = {beta}: half of the way down"),
    );
    svg
}

/// A tile of `side` x `side` pixels with a halo of one pixel, and the thread that fills each cell.
pub fn halo(side: usize) -> Vec<Panel> {
    let (all, threads) = ((side + 2) * (side + 2), side * side);
    vec![
        Panel {
            title: "What a block needs",
            caption: format!(
                "The block has {threads} pixels, with one thread for each pixel. The frame of neighbours around them is called the halo, \
                 and it has four sides of {side} pixels and four corners. The pixel at the upper left needs neighbours above it, \
                 to its left, and across the corner."
            ),
            svg: tile(side, |row, col| {
                let edges =
                    usize::from(row == 0 || row > side) + usize::from(col == 0 || col > side);
                match edges {
                    0 => ("g0", format!("{}", (row - 1) * side + col - 1)),
                    1 => ("g1", String::new()),
                    _ => ("g2", String::new()),
                }
            }),
        },
        Panel {
            title: "Which thread loads a cell",
            caption: format!(
                "There are {all} cells and {threads} threads. We number the cells row by row, including the corners. Thread 0 loads \
                 cell 0, thread 1 loads cell 1, and so on. After thread {}, thread 0 continues with cell {threads}. No cell \
                 needs a case of its own, so you can't forget a cell.",
                threads - 1
            ),
            svg: tile(side, |row, col| {
                let cell = row * (side + 2) + col;
                (group(cell / threads), (cell % threads).to_string())
            }),
        },
    ]
}

fn tile(side: usize, cell: impl Fn(usize, usize) -> (&'static str, String)) -> Svg {
    let mut svg = Svg::default();
    let n = side + 2;
    let w = 40.0;
    let left = (WIDTH - n as f64 * w) / 2.0;
    for row in 0..n {
        for col in 0..n {
            let (class, word) = cell(row, col);
            let at = [left + col as f64 * w, 2.0 + row as f64 * 28.0];
            svg.cell(at, [w - 2.0, 26.0], class, &word);
        }
    }
    svg
}
