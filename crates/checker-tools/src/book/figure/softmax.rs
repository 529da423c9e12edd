//! The figure of chapter 12 about a softmax whose greatest score is not known yet.

use super::Panel;
use super::svg::{Svg, WIDTH};

/// What a thread knows after a tile.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Running {
    /// The greatest score so far.
    greatest: f64,
    /// The factor for what had been added up before this tile.
    factor: f64,
    /// The sum of the weights so far, relative to the greatest score so far.
    sum: f64,
}

/// The state after each tile of `tile` scores.
fn run(scores: &[f64], tile: usize) -> Vec<Running> {
    let mut now = Running { greatest: f64::NEG_INFINITY, factor: 0.0, sum: 0.0 };
    let after = |scores: &[f64]| {
        let greatest = scores.iter().copied().fold(now.greatest, f64::max);
        let factor = (now.greatest - greatest).exp();
        let weights: f64 = scores.iter().map(|score| (score - greatest).exp()).sum();
        now = Running { greatest, factor, sum: now.sum * factor + weights };
        now
    };
    scores.chunks(tile).map(after).collect()
}

/// Three tiles of scores of one query: the weights and their sum after each tile.
pub fn running(scores: &[f64; 6]) -> Vec<Panel> {
    const TILE: usize = 2;
    let states = run(scores, TILE);
    let panel = |(number, title): (usize, &'static str)| {
        let now = states[number];
        let changes = match number {
            0 => "The first weights are relative to it.".to_owned(),
            _ if now.factor < 1.0 => format!(
                "The sum so far was {:.2}. It's multiplied by exp({} - {}) = {:.2}, and so are the \
                 weighted values. Then the new weights are added.",
                states[number - 1].sum,
                states[number - 1].greatest,
                now.greatest,
                now.factor
            ),
            _ => "It's the same as before, so the factor is 1, and the new weights are added."
                .to_owned(),
        };
        let caption = format!(
            "After this tile, the greatest score is {}. {changes} The sum is {:.2}.",
            now.greatest, now.sum
        );
        Panel { title, caption, svg: draw(scores, TILE, number, now.greatest) }
    };
    ["Tile 1", "Tile 2", "Tile 3"].into_iter().enumerate().map(panel).collect()
}

/// The scores, and below them the weights of those up to tile `number`.
fn draw(scores: &[f64], tile: usize, number: usize, greatest: f64) -> Svg {
    let mut svg = Svg::default();
    let w = WIDTH / scores.len() as f64;
    svg.word([0.0, 10.0], "small", "scores");
    svg.word([0.0, 66.0], "small", "weights, relative to the greatest score so far");
    for (k, score) in scores.iter().enumerate() {
        let x = k as f64 * w;
        let (class, weight) = match (k / tile).cmp(&number) {
            std::cmp::Ordering::Less => ("data", format!("{:.2}", (score - greatest).exp())),
            std::cmp::Ordering::Equal => ("g0", format!("{:.2}", (score - greatest).exp())),
            std::cmp::Ordering::Greater => ("spare", String::new()),
        };
        svg.cell([x, 16.0], [w - 2.0, 28.0], class, &score.to_string());
        svg.cell([x, 72.0], [w - 2.0, 28.0], class, &weight);
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum after the last tile is the one that the greatest of all scores would have given.
    #[test]
    fn the_last_sum_is_that_of_all_scores() {
        let scores = [1.0, 3.0, 2.0, 5.0, 4.0, 0.0];
        let states = run(&scores, 2);
        let all: f64 = scores.iter().map(|score| (score - 5.0_f64).exp()).sum();
        assert!((states[2].sum - all).abs() < 1e-12);
        let factors: Vec<f64> = states.iter().map(|state| state.factor).collect();
        assert_eq!(factors, [0.0, (-2.0_f64).exp(), 1.0]);
    }
}
