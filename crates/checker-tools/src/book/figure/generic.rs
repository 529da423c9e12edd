//! The figures of chapter 7: an unrolled loop, a fused kernel, and the identity element of a
//! reduction.

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};

/// A loop over the `2 * radius + 1` weights of a convolution, and the same loop unrolled.
pub fn unroll(radius: usize) -> Vec<Panel> {
    let taps = 2 * radius + 1;
    vec![
        Panel {
            title: "A loop",
            caption: format!(
                "With radius {radius}, the loop has {taps} iterations. After each iteration, a branch tests whether there's another \
                 iteration. So a warp executes {taps} branches here, and 17 branches with radius 8."
            ),
            svg: rounds(taps, true),
        },
        Panel {
            title: "Unrolled",
            caption: format!(
                "The compiler knows that there are {taps} iterations, and writes them one after \
                 the other. No test is left, and the index in each address is now a constant."
            ),
            svg: rounds(taps, false),
        },
    ]
}

fn rounds(taps: usize, asks: bool) -> Svg {
    let mut svg = Svg::default();
    for k in 0..taps {
        let y = 4.0 + k as f64 * 36.0;
        let work = if asks {
            "acc += weights[k] * in[idx + k]".to_owned()
        } else {
            format!("acc += weights[{k}] * in[idx + {k}]")
        };
        svg.cell([0.0, y], [228.0, 28.0], group(k), &work);
        if asks {
            svg.cell([236.0, y], [WIDTH - 237.0, 28.0], "spare", &format!("{} < {taps}?", k + 1));
        }
    }
    svg
}

/// A kernel in a sequence: the arrays that it reads, the expression that it computes, the array
/// that it writes.
struct Step {
    reads: &'static [&'static str],
    does: &'static str,
    writes: &'static str,
}

/// `clamp(a * x + b * y)` with a kernel for each operation, as an array library computes it.
const SEPARATE: &[Step] = &[
    Step { reads: &["x"], does: "a * x", writes: "scaled" },
    Step { reads: &["scaled", "y"], does: "scaled + b * y", writes: "sum" },
    Step { reads: &["sum"], does: "clamp(sum)", writes: "out" },
];
/// The same expression in one kernel.
const FUSED: &[Step] = &[Step { reads: &["x", "y"], does: "clamp(a * x + b * y)", writes: "out" }];

/// The number of loads and stores, and of arrays other than x, y and out.
fn traffic(steps: &[Step]) -> (usize, usize, usize) {
    let loads = steps.iter().map(|step| step.reads.len()).sum();
    (loads, steps.len(), steps.iter().filter(|step| step.writes != "out").count())
}

/// The same expression in three kernels, and in one.
pub fn fused() -> Vec<Panel> {
    let bytes = |steps| {
        let (loads, stores, _) = traffic(steps);
        (loads, stores, 4 * (loads + stores))
    };
    let (loads, stores, apart) = bytes(SEPARATE);
    let (fewer_loads, fewer_stores, fused) = bytes(FUSED);
    vec![
        Panel {
            title: "A kernel for each operation",
            caption: format!(
                "{} launches with {loads} loads and {stores} stores move {apart} bytes for each \
                 element. {} arrays contain only intermediate results.",
                SEPARATE.len(),
                traffic(SEPARATE).2
            ),
            svg: kernels(SEPARATE),
        },
        Panel {
            title: "One kernel",
            caption: format!(
                "{} launch with {fewer_loads} loads and {fewer_stores} store moves {fused} bytes for each element. The \
                 intermediate results stay in registers.",
                FUSED.len()
            ),
            svg: kernels(FUSED),
        },
    ]
}

fn kernels(steps: &[Step]) -> Svg {
    let mut svg = Svg::default();
    let class = |array: &str| match array {
        "x" => "g0",
        "y" => "g1",
        "out" => "g2",
        _ => "spare",
    };
    let mut y = 16.0;
    for (i, step) in steps.iter().enumerate() {
        svg.word([104.0, y - 5.0], "small", &format!("launch {}", i + 1));
        for (k, array) in step.reads.iter().enumerate() {
            let top = y + k as f64 * 27.0;
            svg.cell([0.0, top], [64.0, 23.0], class(array), array);
            svg.line([66.0, top + 12.0], [102.0, top + 12.0], "brace");
        }
        let tall = 27.0 * step.reads.len() as f64 - 4.0;
        svg.cell([104.0, y], [150.0, tall], "data", step.does);
        svg.line([256.0, y + tall / 2.0], [292.0, y + tall / 2.0], "brace");
        svg.cell([294.0, y + tall / 2.0 - 12.0], [64.0, 23.0], class(step.writes), step.writes);
        y += tall + 26.0;
    }
    svg
}

/// The maximum of three negative numbers by four threads whose accumulators start with 0, and with
/// -infinity.
pub fn identity_element(elements: [f32; 3]) -> Vec<Panel> {
    let from = |title, start: f32, why: &str| {
        let rows = tree(elements, start);
        let result = rows.last().and_then(|row| row.first()).copied().unwrap_or(start);
        Panel {
            title,
            caption: format!("The result is {}, which is {why}", number(result)),
            svg: reduction(elements, start, &rows),
        }
    };
    vec![
        from(
            "Start at 0",
            0.0,
            "the start value of every thread, and not an element. A 0 doesn't change a sum, but it \
             can change a maximum.",
        ),
        from(
            "Start at -infinity",
            f32::NEG_INFINITY,
            "the largest element. `max(-infinity, a)` is `a`, so the thread without an element doesn't change the result.",
        ),
    ]
}

/// The accumulator of each thread, then the values after each round of the tree.
fn tree(elements: [f32; 3], start: f32) -> Vec<Vec<f32>> {
    let mut rows = vec![(0..4).map(|i| elements.get(i).map_or(start, |e| start.max(*e))).collect()];
    while let Some(row) = rows.last().filter(|row: &&Vec<f32>| row.len() > 1) {
        let half = row.len() / 2;
        rows.push((0..half).map(|i| row[i].max(row[i + half])).collect());
    }
    rows
}

fn number(value: f32) -> String {
    if value == f32::NEG_INFINITY { "-inf".to_owned() } else { value.to_string() }
}

fn reduction(elements: [f32; 3], start: f32, rows: &[Vec<f32>]) -> Svg {
    let mut svg = Svg::default();
    let (left, w) = (112.0, 62.0);
    let cell = |svg: &mut Svg, row: usize, col: usize, class: &str, word: &str| {
        svg.cell([left + col as f64 * w, 2.0 + row as f64 * 34.0], [w - 4.0, 26.0], class, word);
    };
    let label = |svg: &mut Svg, row: usize, word: &str| {
        svg.word([0.0, 19.0 + row as f64 * 34.0], "small", word);
    };
    label(&mut svg, 0, "each starts with");
    label(&mut svg, 1, "its element");
    for thread in 0..4 {
        cell(&mut svg, 0, thread, "spare", &number(start));
        match elements.get(thread) {
            Some(element) => cell(&mut svg, 1, thread, "g0", &number(*element)),
            None => cell(&mut svg, 1, thread, "nothing", "none"),
        }
    }
    for (round, row) in rows.iter().enumerate() {
        let word = match round {
            0 => "the larger one".to_owned(),
            _ => format!("round {round}"),
        };
        label(&mut svg, 2 + round, &word);
        for (col, value) in row.iter().enumerate() {
            let class = if elements.contains(value) { "g0" } else { "spare" };
            cell(&mut svg, 2 + round, col, class, &number(*value));
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use checker::exercises;
    use checker::spec::{Metric, Spec};

    fn gate(spec: &Spec, metric: Metric) -> (Option<f64>, f64) {
        let gate = spec.gates.iter().find(|gate| gate.metric == metric).expect("such a gate");
        (gate.baseline, gate.target)
    }

    /// The numbers in the pictures are the gates of the exercise: the count of the skeleton, and
    /// the limit.
    #[test]
    fn traffic_is_what_the_exercise_measures() {
        let spec = exercises::find("elementwise").expect("an exercise");
        let ((loads, stores, spare), (least_loads, least_stores, none)) =
            (traffic(SEPARATE), traffic(FUSED));
        let count = |n: usize| n as f64;
        assert_eq!(gate(spec, Metric::LoadsPerElement), (Some(count(loads)), count(least_loads)));
        assert_eq!(gate(spec, Metric::Launches), (Some(count(SEPARATE.len())), count(FUSED.len())));
        let (start, target) = gate(spec, Metric::StoreRequests);
        assert_eq!(start.map(|start| start / target), Some(count(stores / least_stores)));
        let arrays = |temporary: usize| count(3 + temporary);
        assert_eq!(gate(spec, Metric::Allocations), (Some(arrays(spare)), arrays(none)));
    }

    /// -3 is the largest of -5, -3 and -8; 0 is larger but not an element.
    #[test]
    fn a_maximum_from_zero_is_zero() {
        let elements = [-5.0, -3.0, -8.0];
        let result = |start| tree(elements, start).last().cloned();
        assert_eq!(result(0.0), Some(vec![0.0]));
        assert_eq!(result(f32::NEG_INFINITY), Some(vec![-3.0]));
    }

    /// The picture and the text have as many iterations as weights.
    #[test]
    fn a_round_for_each_weight() {
        let panels = unroll(1);
        assert!(
            panels[0].caption.contains("3 iterations") && panels[0].caption.contains("3 branches")
        );
        assert_eq!(panels[0].svg.finish("").matches("<rect").count(), 6);
        assert_eq!(panels[1].svg.finish("").matches("<rect").count(), 3);
    }
}
