//! The figures of chapter 6 about prefix sums: the up-sweep and down-sweep of one tile, and the
//! carry from tile to tile.

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

/// A tile before or after a round, and the slots that the round changed.
struct State {
    name: String,
    slots: Vec<i32>,
    changed: Vec<usize>,
}

/// The up-sweep: the last of every 2 * stride slots gets the sum of these slots.
fn up(slots: &mut [i32]) -> Vec<State> {
    let mut states =
        vec![State { name: "loaded".to_owned(), slots: slots.to_vec(), changed: vec![] }];
    let mut stride = 1;
    while stride < slots.len() {
        let ends: Vec<usize> = (2 * stride - 1..slots.len()).step_by(2 * stride).collect();
        for &end in &ends {
            slots[end] += slots[end - stride];
        }
        states.push(State {
            name: format!("stride {stride}"),
            slots: slots.to_vec(),
            changed: ends,
        });
        stride *= 2;
    }
    states
}

/// The down-sweep: the first half of every 2 * stride slots gets the sum of what is before them,
/// and the second half also gets the sum of the first half.
fn down(slots: &mut [i32]) -> Vec<State> {
    let last = slots.len() - 1;
    slots[last] = 0;
    let mut states =
        vec![State { name: "last = 0".to_owned(), slots: slots.to_vec(), changed: vec![last] }];
    let mut stride = slots.len() / 2;
    while stride > 0 {
        let ends: Vec<usize> = (2 * stride - 1..slots.len()).step_by(2 * stride).collect();
        for &end in &ends {
            let before = slots[end];
            slots[end] += slots[end - stride];
            slots[end - stride] = before;
        }
        let changed = ends.iter().flat_map(|end| [end - stride, *end]).collect();
        states.push(State { name: format!("stride {stride}"), slots: slots.to_vec(), changed });
        stride /= 2;
    }
    states
}

/// The up-sweep and the down-sweep of one tile.
pub fn up_and_down(values: &[i32]) -> Vec<Panel> {
    let mut slots = values.to_vec();
    let (up, down) = (up(&mut slots), down(&mut slots));
    let total: i32 = values.iter().sum();
    let own: Vec<i32> = slots.iter().zip(values).map(|(before, own)| before + own).collect();
    let result =
        State { name: "+ own".to_owned(), slots: own, changed: (0..values.len()).collect() };
    vec![
        Panel {
            title: "Up",
            caption: format!(
                "This is a reduction. In each round, each coloured slot gets the sum of its own \
                 value and the value `stride` places to its left. At the end, the last slot \
                 contains the sum of all elements, {total}, and the other slots contain sums of \
                 parts of the array."
            ),
            svg: draw(&up),
        },
        Panel {
            title: "Down",
            caption: "The last slot becomes 0, because there's no element before the tile. In each round, the coloured slots form pairs. The left slot gets \
                      the old value of the right slot, and the right slot gets the sum of both old values. At the end, each slot contains the sum of all \
                      elements before it. If you add the slot's own element, you get the prefix sum."
                .to_owned(),
            svg: draw(&down.into_iter().chain([result]).collect::<Vec<_>>()),
        },
    ]
}

fn draw(states: &[State]) -> Svg {
    let mut svg = Svg::default();
    let left = 66.0;
    for (row, state) in states.iter().enumerate() {
        let y = row as f64 * 34.0;
        svg.word([0.0, y + 18.0], "small", &state.name);
        let w = (WIDTH - left) / state.slots.len() as f64;
        for (i, value) in state.slots.iter().enumerate() {
            let class = if state.changed.contains(&i) { "g0" } else { "data" };
            svg.cell([left + i as f64 * w, y], [w - 3.0, 26.0], class, &value.to_string());
        }
    }
    svg
}

/// The inclusive prefix sums.
fn prefix_sums(values: &[i32]) -> Vec<i32> {
    let mut sum = 0;
    let add = |value: &i32| {
        sum += value;
        sum
    };
    values.iter().map(add).collect()
}

/// Tiles of `tile` elements in three launches.
pub fn carry(values: &[i32], tile: usize) -> Vec<Panel> {
    let scanned: Vec<i32> = values.chunks(tile).flat_map(prefix_sums).collect();
    let totals: Vec<i32> = scanned.chunks(tile).filter_map(|t| t.last().copied()).collect();
    let upto = prefix_sums(&totals);
    let carries: Vec<i32> =
        [0].into_iter().chain(upto.iter().copied()).take(totals.len()).collect();
    let result: Vec<i32> = scanned
        .chunks(tile)
        .zip(&carries)
        .flat_map(|(tile, carry)| tile.iter().map(move |value| value + carry))
        .collect();
    let list = |values: &[i32]| values.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
    vec![
        Panel {
            title: "1. Scan the tiles",
            caption: format!(
                "Each tile of {tile} elements has its own block, which starts at 0. So the block's last result is the total of its \
                 tile, and the totals are {}.",
                list(&totals)
            ),
            svg: tiles(tile, &[("in", values)], &[("scanned", &scanned)], &[]),
        },
        Panel {
            title: "2. Scan the totals",
            caption: format!(
                "One block runs the same kernel on the totals. The prefix sums of {} are {}, so \
                 the carries are {}.",
                list(&totals),
                list(&upto),
                list(&carries)
            ),
            svg: tiles(
                tile,
                &[],
                &[],
                &[("totals", &totals), ("sums", &upto), ("carry", &carries)],
            ),
        },
        Panel {
            title: "3. Add the carry",
            caption: "Each tile has a block again, which adds the tile's carry to every element."
                .to_owned(),
            svg: tiles(tile, &[("scanned", &scanned)], &[("out", &result)], &[("carry", &carries)]),
        },
    ]
}

type Row<'a> = (&'a str, &'a [i32]);

/// Rows of elements in the colours of their tiles, with rows of one number for each tile between
/// them.
fn tiles(tile: usize, above: &[Row<'_>], below: &[Row<'_>], per_tile: &[Row<'_>]) -> Svg {
    let mut svg = Svg::default();
    let mut y = 0.0;
    let gap = 8.0;
    let name = |svg: &mut Svg, y: f64, name: &str| svg.word([0.0, y + 12.0], "small", name);
    let place = |i: usize, n: usize| {
        let tiles = n.div_ceil(tile);
        let w = (WIDTH - gap * (tiles as f64 - 1.0)) / n as f64;
        (i as f64 * w + (i / tile) as f64 * gap, w)
    };
    let elements = |svg: &mut Svg, rows: &[Row<'_>], y: &mut f64| {
        for (label, values) in rows {
            name(svg, *y, label);
            for (i, value) in values.iter().enumerate() {
                let (x, w) = place(i, values.len());
                svg.cell([x, *y + 17.0], [w - 2.0, 24.0], group(i / tile), &value.to_string());
            }
            *y += 52.0;
        }
    };
    elements(&mut svg, above, &mut y);
    for (label, values) in per_tile {
        name(&mut svg, y, label);
        let w = (WIDTH - gap * (values.len() as f64 - 1.0)) / values.len() as f64;
        for (i, value) in values.iter().enumerate() {
            let x = i as f64 * (w + gap);
            let word = if *label == "carry" { format!("+ {value}") } else { value.to_string() };
            svg.cell([x + w / 2.0 - 26.0, y + 17.0], [52.0, 24.0], group(i), &word);
        }
        y += 52.0;
    }
    elements(&mut svg, below, &mut y);
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [i32; 8] = [3, 1, 4, 1, 5, 9, 2, 6];

    #[test]
    fn the_tree_computes_exclusive_prefix_sums() {
        let mut slots = VALUES.to_vec();
        up(&mut slots);
        assert_eq!(slots, [3, 4, 4, 9, 5, 14, 2, 31]);
        down(&mut slots);
        assert_eq!(slots, [0, 3, 4, 8, 9, 14, 23, 25]);
    }

    /// The three launches compute what one loop over all elements computes.
    #[test]
    fn carries_make_one_scan_of_many() {
        let values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
        let panels = carry(&values, 4);
        assert!(panels[0].caption.contains("9, 22, 21"), "{}", panels[0].caption);
        assert!(panels[1].caption.contains("are 9, 31, 52, so the carries are 0, 9, 31"));
        let last = panels[2].svg.finish("");
        for sum in prefix_sums(&values) {
            assert!(last.contains(&format!(">{sum}</text>")), "{sum}");
        }
    }
}
