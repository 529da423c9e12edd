//! The figures of chapter 10: random streams, a checkerboard, neurons in memory, two arrays that
//! are swapped, butterflies.

use std::collections::BTreeSet;

use super::Panel;
use super::coalesce;
use super::index::group;
use super::svg::{Svg, WIDTH};
use checker::exercises::philox;

/// The numbers that `threads` threads draw in `rounds` rounds, with one stream for all threads and
/// with one for each.
pub fn streams(seed: u32, threads: u32, rounds: u32) -> Vec<Panel> {
    let draws = |stream: fn(u32) -> u32| {
        let mut svg = Svg::default();
        let (left, w, h) = (70.0, 68.0, 26.0);
        for round in 0..rounds {
            let x = left + f64::from(round) * w + w / 2.0;
            svg.word([x, 12.0], "small middle", &format!("round {round}"));
        }
        for thread in 0..threads {
            let y = 18.0 + f64::from(thread) * h;
            svg.word([0.0, y + 17.0], "small", &format!("thread {thread}"));
            for round in 0..rounds {
                let [word, ..] = philox([round, 0, stream(thread), 0], [seed, 0]);
                let at = [left + f64::from(round) * w, y];
                let class = group(stream(thread) as usize);
                svg.cell(at, [w - 2.0, h - 2.0], class, &format!("{:.3}", fraction(word)));
            }
        }
        svg
    };
    vec![
        Panel {
            title: "One stream for all threads",
            caption: format!(
                "Each cell shows the x of a draw as a share of 2^32. All threads call `philox` with the counter (round, 0, 0, 0) \
                 and the seed {seed}, so all {threads} threads draw the same points."
            ),
            svg: draws(|_| 0),
        },
        Panel {
            title: "A stream for each thread",
            caption: "The counter is (round, 0, thread, 0), so each thread draws its own points. No draw depends on the previous draw, \
                      so you could compute any cell of this table alone."
                .to_owned(),
            svg: draws(|thread| thread),
        },
    ]
}

fn fraction(word: u32) -> f64 {
    f64::from(word) / 2_f64.powi(32)
}

/// The colour of a cell of the checkerboard: 0 where row + col is even.
fn colour(row: usize, col: usize) -> usize {
    (row + col) % 2
}

/// The column of the `k`-th cell of a colour in `row`.
fn column(colour: usize, row: usize, k: usize) -> usize {
    2 * k + (row + colour) % 2
}

/// The four neighbours of a cell (row, k) of one colour, as cells (row, k) of the other colour:
/// above, below, the one with the same k, and the one beside it. The lattice has `rows` rows with
/// `half` cells of either colour.
fn neighbours(colour: usize, [row, k]: [usize; 2], [rows, half]: [usize; 2]) -> [[usize; 2]; 4] {
    let beside = if (row + colour) % 2 == 1 { (k + 1) % half } else { (k + half - 1) % half };
    [[(row + rows - 1) % rows, k], [(row + 1) % rows, k], [row, k], [row, beside]]
}

/// A lattice in two colours, and an array for each colour.
pub fn checkerboard(rows: usize, cols: usize, [row, col]: [usize; 2]) -> Vec<Panel> {
    let half = cols / 2;
    let mine = colour(row, col);
    let place = [row, col / 2];
    let around = neighbours(mine, place, [rows, half]);
    let looks_at = |r: usize, c: usize| colour(r, c) != mine && around.contains(&[r, c / 2]);
    let class = |r: usize, c: usize| match () {
        () if [r, c] == [row, col] => "picked",
        () if looks_at(r, c) => "clash",
        () if colour(r, c) == mine => "g0",
        () => "data",
    };

    let mut board = Svg::default();
    let (w, h) = (40.0, 28.0);
    let left = (WIDTH - cols as f64 * w) / 2.0;
    for r in 0..rows {
        for c in 0..cols {
            let at = [left + c as f64 * w, 2.0 + r as f64 * h];
            board.cell(at, [w - 2.0, h - 2.0], class(r, c), &format!("{r},{c}"));
        }
    }

    let mut packed = Svg::default();
    let gap = 24.0;
    let left = (WIDTH - 2.0 * half as f64 * w - gap) / 2.0;
    for (number, name) in ["even sites", "odd sites"].iter().enumerate() {
        let x = left + number as f64 * (half as f64 * w + gap);
        packed.word([x, 12.0], "small", name);
        for r in 0..rows {
            for k in 0..half {
                let c = column(number, r, k);
                let at = [x + k as f64 * w, 18.0 + r as f64 * h];
                packed.cell(at, [w - 2.0, h - 2.0], class(r, c), &format!("{r},{c}"));
            }
        }
    }

    vec![
        Panel {
            title: "Two colours",
            caption: format!(
                "The sum of row and column is even at the blue sites and odd at the grey sites. Site ({row}, {col}), which is \
                 filled, reads its four red neighbours, which are all odd sites. No even site reads another even site, so all \
                 even sites can change at the same time, while the odd sites don't change."
            ),
            svg: board,
        },
        Panel {
            title: "Packed by colour",
            caption: "In memory, each colour has its own array, so the sites that change together are neighbours. Of the four \
                      sites that a site reads, three have the same index k in their rows. For an even site, the index of the \
                      fourth site is k - 1 in even rows and k + 1 in odd rows."
                .to_owned(),
            svg: packed,
        },
    ]
}

/// The sectors that a warp loads when each lane reads one field of its neuron, which has `fields`
/// floats.
pub fn neurons(fields: usize) -> Vec<Panel> {
    const LANES: usize = 32;
    let panel = |title, how: &str, element: &dyn Fn(usize) -> usize| {
        let elements: BTreeSet<usize> = (0..LANES).map(element).collect();
        let fetched = coalesce::sectors(elements.iter().map(|e| e * coalesce::FLOAT));
        Panel {
            title,
            caption: format!(
                "{how} A warp that reads v loads {} sectors for its 32 floats.",
                fetched.len()
            ),
            svg: coalesce::draw(&elements, &fetched, fields),
        }
    };
    vec![
        panel(
            "An array of structs",
            &format!(
                "The {fields} floats of a neuron are together in memory, and 32 neurons follow each other."
            ),
            &|lane| fields * lane,
        ),
        panel(
            "A struct of arrays",
            &format!(
                "Each of the {fields} fields has its own array with the values of 32 neurons."
            ),
            &|lane| lane,
        ),
    ]
}

/// A row of cells over time: updated in place, and from one array to another.
pub fn ping_pong(cells: usize, cell: usize) -> Vec<Panel> {
    vec![
        Panel {
            title: "In place",
            caption: format!(
                "Cells 0 to {} already have their new values, and the other cells still have their old values. So the thread of \
                 cell {cell} reads a new value on its left and an old value on its right. In another run, the order can differ.",
                cell - 1
            ),
            svg: in_place(cells, cell),
        },
        Panel {
            title: "Step 1",
            caption: "Every thread reads A and writes B, so A doesn't change, and the order of the threads doesn't matter.".to_owned(),
            svg: two_arrays(cells, cell, false),
        },
        Panel {
            title: "Step 2",
            caption: "The host has swapped the two pointers without copying any cell. Now every thread reads B and writes A, whose \
                      old values no thread needs any longer."
                .to_owned(),
            svg: two_arrays(cells, cell, true),
        },
    ]
}

const LABEL: f64 = 66.0;

fn cells_at(svg: &mut Svg, y: f64, count: usize, class: impl Fn(usize) -> (&'static str, String)) {
    let w = (WIDTH - LABEL) / count as f64;
    for i in 0..count {
        let (class, word) = class(i);
        svg.cell([LABEL + i as f64 * w, y], [w - 2.0, 26.0], class, &word);
    }
}

fn middle(cells: usize, i: usize) -> f64 {
    let w = (WIDTH - LABEL) / cells as f64;
    LABEL + (i as f64 + 0.5) * w - 1.0
}

fn in_place(cells: usize, cell: usize) -> Svg {
    let mut svg = Svg::default();
    svg.word([0.0, 27.0], "small", "A");
    cells_at(&mut svg, 10.0, cells, |i| match i {
        i if i < cell => ("g1", "new".to_owned()),
        i if i == cell => ("picked", "?".to_owned()),
        _ => ("g0", "old".to_owned()),
    });
    for side in [cell - 1, cell + 1] {
        svg.line([middle(cells, side), 38.0], [middle(cells, cell), 62.0], "wrong");
    }
    svg.word([middle(cells, cell), 76.0], "small middle", &format!("thread of cell {cell}"));
    svg
}

fn two_arrays(cells: usize, cell: usize, swapped: bool) -> Svg {
    let mut svg = Svg::default();
    let (top, bottom) = (10.0, 80.0);
    let (now, next) = if swapped { (bottom, top) } else { (top, bottom) };
    for (name, y) in [("A", top), ("B", bottom)] {
        let role = if y == now { "now" } else { "next" };
        svg.word([0.0, y + 17.0], "small", &format!("{name}: {role}"));
        cells_at(&mut svg, y, cells, |i| match (y == now, i) {
            (true, i) if i.abs_diff(cell) <= 1 => ("g1", "old".to_owned()),
            (true, _) => ("g0", "old".to_owned()),
            (false, i) if i == cell => ("picked", "new".to_owned()),
            (false, _) => ("data", String::new()),
        });
    }
    let (from, to) = if now < next { (now + 28.0, next - 2.0) } else { (now - 2.0, next + 28.0) };
    for i in cell - 1..=cell + 1 {
        svg.line([middle(cells, i), from], [middle(cells, cell), to], "brace");
    }
    svg
}

/// The position of point `i` of `2^stages` before the first stage: its bits in reverse.
fn reversed(i: usize, stages: u32) -> usize {
    i.reverse_bits() >> (usize::BITS - stages)
}

/// The two points of butterfly `tid` in the stage with distance `half`, and its number in its
/// group.
fn butterfly(tid: usize, half: usize) -> (usize, usize, usize) {
    let k = tid % half;
    let a = 2 * (tid - k) + k;
    (a, a + half, k)
}

/// The fast Fourier transform of `2^stages` points: the order at the start, and the stages, with
/// one thread highlighted.
pub fn butterflies(stages: u32, tid: usize) -> Vec<Panel> {
    let n = 1_usize << stages;
    let rounds: Vec<usize> = (0..stages).map(|round| 1 << round).collect();
    let twiddles: Vec<String> = rounds
        .iter()
        .map(|&half| {
            let (a, b, k) = butterfly(tid, half);
            format!("slots {a} and {b}, rotated by {k}/{half} of pi")
        })
        .collect();
    vec![
        Panel {
            title: "Bits in reverse",
            caption: format!(
                "The index 1 is {:03b} in binary. Its bits in reverse are {:03b}, so point 1 moves to slot {}. Afterwards, the \
                 even points are in the first half, the odd points are in the second half, and each half is ordered in the same way.",
                1,
                reversed(1, stages),
                reversed(1, stages)
            ),
            svg: sorted(n, stages),
        },
        Panel {
            title: "Stage by stage",
            caption: format!(
                "Each of the {stages} stages has {} butterflies, one for each thread. The bold butterflies belong to thread {tid}, which combines {}.",
                n / 2,
                twiddles.join("; then ")
            ),
            svg: network(n, stages, &rounds, tid),
        },
        Panel {
            title: "One butterfly",
            caption: "A butterfly loads two points, a and b, and stores its two results in the same slots. It multiplies b by the twiddle \
                      factor, which rotates b. Then, one result is a plus the rotated b, and the other is a minus the rotated b."
                .to_owned(),
            svg: one_butterfly(),
        },
    ]
}

fn row_of(i: usize) -> f64 {
    10.0 + i as f64 * 28.0
}

fn sorted(n: usize, stages: u32) -> Svg {
    let mut svg = Svg::default();
    for i in 0..n {
        let to = reversed(i, stages);
        let name = |i: usize| format!("{i} = {i:03b}");
        svg.cell([40.0, row_of(i)], [78.0, 22.0], group(i % 2), &name(i));
        svg.cell([242.0, row_of(to)], [78.0, 22.0], group(i % 2), &name(i));
        let class = if i == 1 { "brace" } else { "reach" };
        svg.line([120.0, row_of(i) + 11.0], [240.0, row_of(to) + 11.0], class);
        svg.word([352.0, row_of(to) + 15.0], "small end", &to.to_string());
    }
    svg
}

fn network(n: usize, stages: u32, rounds: &[usize], tid: usize) -> Svg {
    let mut svg = Svg::default();
    let w = 34.0;
    let step = (WIDTH - w) / f64::from(stages);
    for column in 0..=rounds.len() {
        let x = column as f64 * step;
        for i in 0..n {
            let word = match column {
                0 => format!("{}", reversed(i, stages)),
                _ if column == rounds.len() => format!("{i}"),
                _ => String::new(),
            };
            svg.cell([x, row_of(i)], [w, 22.0], "data", &word);
        }
        let Some(&half) = rounds.get(column) else { continue };
        // The bold lines are drawn last, on top of the others.
        let threads = (0..n / 2).filter(|t| *t != tid).chain([tid]);
        for thread in threads {
            let (a, b, _) = butterfly(thread, half);
            let class = if thread == tid { "brace" } else { "reach" };
            for (from, to) in [(a, a), (a, b), (b, a), (b, b)] {
                let [y1, y2] = [from, to].map(|i| row_of(i) + 11.0);
                svg.line([x + w + 1.0, y1], [x + step - 1.0, y2], class);
            }
        }
    }
    svg.word([0.0, row_of(n) + 8.0], "small", "in");
    svg.word([WIDTH, row_of(n) + 8.0], "small end", "out");
    for (round, half) in rounds.iter().enumerate() {
        let x = w + round as f64 * step + (step - w) / 2.0;
        svg.word([x, row_of(n) + 8.0], "small middle", &format!("half = {half}"));
    }
    svg
}

fn one_butterfly() -> Svg {
    let mut svg = Svg::default();
    let (left, right) = (50.0, 170.0);
    for (y, word) in [(10.0, "a"), (80.0, "b")] {
        svg.cell([left - 40.0, y], [40.0, 26.0], "g0", word);
    }
    svg.cell([left + 14.0, 80.0], [84.0, 26.0], "g1", "* twiddle");
    svg.line([left, 93.0], [left + 14.0, 93.0], "brace");
    svg.line([left, 23.0], [right + 30.0, 23.0], "brace");
    svg.line([left + 98.0, 93.0], [right + 30.0, 93.0], "brace");
    svg.line([left + 98.0, 93.0], [right + 30.0, 27.0], "brace");
    svg.line([left + 98.0, 23.0], [right + 30.0, 89.0], "brace");
    svg.cell([right + 30.0, 10.0], [130.0, 26.0], "g2", "a + twiddle * b");
    svg.cell([right + 30.0, 80.0], [130.0, 26.0], "g2", "a - twiddle * b");
    svg.word([left + 20.0, 126.0], "small", "twiddle = e^(-i pi k / half)");
    svg
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// The neighbours are above, below, left and right on the lattice, which wraps around its
    /// edges.
    #[test]
    fn packed_neighbours_are_the_lattices() {
        let (rows, cols) = (4, 6);
        for row in 0..rows {
            for col in 0..cols {
                let mine = colour(row, col);
                assert_eq!(column(mine, row, col / 2), col);
                let packed: BTreeSet<[usize; 2]> =
                    neighbours(mine, [row, col / 2], [rows, cols / 2])
                        .map(|[r, k]| [r, column(1 - mine, r, k)])
                        .into();
                let lattice = BTreeSet::from([
                    [(row + rows - 1) % rows, col],
                    [(row + 1) % rows, col],
                    [row, (col + cols - 1) % cols],
                    [row, (col + 1) % cols],
                ]);
                assert_eq!(packed, lattice, "({row}, {col})");
            }
        }
    }

    /// The stages of the picture compute the sum that defines the transform of 8 points.
    #[test]
    fn butterflies_transform() {
        let input: [f64; 8] = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, -6.0];
        let mut points = [[0.0; 2]; 8];
        for (i, value) in input.iter().enumerate() {
            points[reversed(i, 3)] = [*value, 0.0];
        }
        for half in [1, 2, 4] {
            for tid in 0..4 {
                let (a, b, k) = butterfly(tid, half);
                let (sine, cosine) = (-PI * k as f64 / half as f64).sin_cos();
                let [re, im] = points[b];
                let turned = [re * cosine - im * sine, re * sine + im * cosine];
                let old = points[a];
                points[a] = [old[0] + turned[0], old[1] + turned[1]];
                points[b] = [old[0] - turned[0], old[1] - turned[1]];
            }
        }
        for (k, point) in points.iter().enumerate() {
            let mut sum = [0.0; 2];
            for (j, value) in input.iter().enumerate() {
                let (sine, cosine) = (-2.0 * PI * (j * k) as f64 / 8.0).sin_cos();
                sum = [sum[0] + value * cosine, sum[1] + value * sine];
            }
            let apart = (point[0] - sum[0]).abs() + (point[1] - sum[1]).abs();
            assert!(apart < 1e-12, "{k}: {point:?} {sum:?}");
        }
    }

    /// A warp loads 28 sectors of structs with 7 floats, and 4 sectors of a plain array, as the
    /// exercise's profile counts.
    #[test]
    fn fields_of_structs_are_far_apart() {
        let captions: Vec<String> = neurons(7).into_iter().map(|panel| panel.caption).collect();
        assert!(captions[0].contains("28 sectors") && captions[1].contains("4 sectors"));
    }
}
