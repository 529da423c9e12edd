//! The figure of chapter 6 about a warp that adds up its registers with `__shfl_down_sync`.

use super::Panel;
use super::svg::{Svg, WIDTH};

/// The values of the active half of the lanes before each step, and after the last. In a step,
/// lane l adds the value of lane l + distance.
fn steps(values: &[i32]) -> Vec<Vec<i32>> {
    let mut all = vec![values.to_vec()];
    let mut live = values.to_vec();
    while live.len() > 1 {
        let (low, high) = live.split_at(live.len() / 2);
        live = low.iter().zip(high).map(|(a, b)| a + b).collect();
        all.push(live.clone());
    }
    all
}

/// A panel for each step. `values` has one value for each lane; their number is a power of two.
pub fn shuffle(values: &[i32]) -> Vec<Panel> {
    let steps = steps(values);
    let titles = ["Step 1", "Step 2", "Step 3"];
    steps
        .iter()
        .zip(steps.iter().skip(1))
        .zip(titles)
        .map(|((before, after), title)| {
            let distance = after.len();
            let end = match after[..] {
                [sum] => format!(" Lane 0 now has the sum of all values, {sum}."),
                _ => String::new(),
            };
            Panel {
                title,
                caption: format!(
                    "With `__shfl_down_sync(mask, value, {distance})`, lane l gets the value of lane l + {distance} and \
                     adds it to its own value.{end} The lanes with an empty cell do the same, but the kernel doesn't use their results."
                ),
                svg: draw(values.len(), before, after),
            }
        })
        .collect()
}

fn draw(lanes: usize, before: &[i32], after: &[i32]) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / lanes as f64;
    svg.word([0.0, 12.0], "small", "the registers of a warp of 8 lanes");
    for lane in 0..lanes {
        let x = lane as f64 * w;
        let value = |row: &[i32]| row.get(lane).map_or_else(String::new, i32::to_string);
        let class = |row: &[i32]| if lane < row.len() { "g0" } else { "spare" };
        svg.cell([x, 18.0], [w - 6.0, 28.0], class(before), &value(before));
        svg.cell([x, 92.0], [w - 6.0, 28.0], class(after), &value(after));
        svg.word([x + w / 2.0 - 3.0, 134.0], "small middle", &lane.to_string());
        if lane < after.len() {
            let middle = x + w / 2.0 - 3.0;
            svg.line([middle, 46.0], [middle, 92.0], "reach");
            svg.line([middle + after.len() as f64 * w, 46.0], [middle, 92.0], "brace");
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rounds_leave_the_sum_in_lane_0() {
        let steps = steps(&[3, 1, 4, 1, 5, 9, 2, 6]);
        assert_eq!(steps[1..], [vec![8, 10, 6, 7], vec![14, 17], vec![31]]);
        let last = shuffle(&[3, 1, 4, 1, 5, 9, 2, 6]).pop().expect("three steps");
        assert!(last.caption.contains("value, 1)") && last.caption.contains("all values, 31"));
    }
}
