//! The figure of chapter 11: the roofline of a card, and measured kernels below it.

use super::Panel;
use super::svg::{Svg, WIDTH};

/// GB/s between the memory and the multiprocessors of an H100, and GFLOP/s of its float arithmetic,
/// as the page states them.
const BANDWIDTH: f64 = 3000.0;
const PEAK: f64 = 60_000.0;

/// Operations for each byte and GFLOP/s of `book/examples/ch11/degrees.cu`
/// (`checker/proof/records/nvidia-h100.md`).
const MEASURED: [(f64, f64); 5] =
    [(1.0, 2348.0), (4.0, 9205.0), (16.0, 31_997.0), (32.0, 43_927.0), (64.0, 54_473.0)];

/// The drawn part of the plane, in powers of two and of ten.
const INTENSITIES: [f64; 2] = [-1.0, 7.0];
const RATES: [f64; 2] = [3.0, 5.0];
const LEFT: f64 = 34.0;
const TOP: f64 = 24.0;
const BASE: f64 = 204.0;

fn x(intensity: f64) -> f64 {
    let share = (intensity.log2() - INTENSITIES[0]) / (INTENSITIES[1] - INTENSITIES[0]);
    LEFT + share * (WIDTH - LEFT)
}

fn y(rate: f64) -> f64 {
    let share = (rate.log10() - RATES[0]) / (RATES[1] - RATES[0]);
    BASE - share * (BASE - TOP)
}

/// The limits of an H100, and then five kernels that do more and more operations for each byte.
pub fn panels() -> Vec<Panel> {
    let limits = format!(
        "No kernel is above the thick line. It rises up to {:.0} operations for each byte, because \
         the bytes take longer there, and then it's horizontal.",
        PEAK / BANDWIDTH
    );
    let kernels = "The squares are five versions of the next kernel. The first three are \
                   memory-bound, and the other two are compute-bound.";
    vec![
        Panel { title: "The limits", caption: limits, svg: draw(&[]) },
        Panel { title: "Five kernels", caption: kernels.to_owned(), svg: draw(&MEASURED) },
    ]
}

fn draw(kernels: &[(f64, f64)]) -> Svg {
    let ridge = PEAK / BANDWIDTH;
    let mut svg = Svg::default();
    svg.word([0.0, 12.0], "small", "TFLOP/s, on an H100");
    for rate in [1.0, 10.0, 100.0] {
        svg.word([0.0, y(rate * 1e3) + 4.0], "small", &rate.to_string());
        svg.line([LEFT, y(rate * 1e3)], [WIDTH, y(rate * 1e3)], "");
    }
    for exponent in 0..=6 {
        let intensity = f64::from(1 << exponent);
        svg.word([x(intensity), BASE + 16.0], "small middle", &intensity.to_string());
    }
    svg.word([WIDTH / 2.0, BASE + 34.0], "small middle", "operations for each byte");
    svg.line([x(0.5), y(BANDWIDTH * 0.5)], [x(ridge), y(PEAK)], "brace");
    svg.line([x(ridge), y(PEAK)], [WIDTH, y(PEAK)], "brace");
    svg.line([x(ridge), y(PEAK)], [x(ridge), BASE], "reach");
    for (intensity, rate) in kernels {
        svg.cell([x(*intensity) - 4.0, y(*rate) - 4.0], [8.0, 8.0], "g0", "");
    }
    svg.word([x(2.0), BASE - 8.0], "small", "memory-bound");
    svg.word([x(ridge) + 6.0, BASE - 8.0], "small", "compute-bound");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squares stand where the recorded run puts them, and none is above the roof.
    #[test]
    fn the_squares_are_the_recorded_ones() {
        let record = include_str!("../../../../../checker/proof/records/nvidia-h100.md");
        for (intensity, rate) in MEASURED {
            let line = record
                .lines()
                .find(|line| line.contains(&format!("{intensity:5.2} operations/byte")))
                .expect("a recorded line");
            assert!(line.ends_with(&format!(" {rate} GFLOP/s")), "{line}");
            assert!(rate < PEAK.min(BANDWIDTH * intensity));
        }
    }
}
