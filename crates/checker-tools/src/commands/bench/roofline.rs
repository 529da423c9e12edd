//! The roofline of an exercise: the limits of the card, and how far below them its files are.
//!
//! After Samuel Williams, Andrew Waterman and David Patterson, *Roofline: an insightful visual
//! performance model*, 2009. Intensity is that of the exercise: the operations that it needs, for
//! each byte that its arrays make necessary. So all its files have the same intensity, and a file
//! that moves more bytes than necessary is further below the roof.

use std::fmt::Write;

use super::history::{Entry, Measured};

/// Size of the picture in a terminal, without its labels.
const COLUMNS: usize = 56;
const ROWS: usize = 12;
/// Size of the SVG, and of its margins.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 56.0;

/// What limits an exercise on a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The bandwidth of device memory.
    Memory,
    /// The rate of float arithmetic.
    Arithmetic,
}

/// The limits of a card, and the files of an exercise below them.
#[derive(Debug)]
pub struct Roofline {
    /// Bytes in a second.
    bandwidth: f64,
    /// Operations in a second.
    peak: f64,
    /// Operations for each byte.
    intensity: f64,
    /// Operations in a second of each file, with its mark and its name.
    points: Vec<(char, &'static str, f64)>,
}

impl Roofline {
    /// The roofline of a measurement; `None` if the exercise has no number of operations or bytes.
    pub fn of(entry: &Entry) -> Option<Self> {
        let (bytes, operations) = (entry.bytes? as f64, entry.operations?);
        let rate = |measured: &Measured| operations / (measured.shown().median * 1e-3);
        let mut points = vec![('S', "the solution", rate(&entry.solution))];
        points.extend(entry.original.as_ref().map(|file| ('O', "the original", rate(file))));
        points.extend(
            entry
                .library
                .as_ref()
                .map(|library| ('L', "the library", operations / (library.time.median * 1e-3))),
        );
        points.push(('Y', "your file", rate(&entry.yours)));
        let limits = entry.limits;
        Some(Self {
            bandwidth: limits.copy,
            peak: limits.operations,
            intensity: operations / bytes,
            points,
        })
    }

    /// The limit that the exercise reaches first.
    pub fn bound(&self) -> Bound {
        if self.intensity < self.ridge() { Bound::Memory } else { Bound::Arithmetic }
    }

    /// The greatest number of operations in a second.
    pub fn roof(&self) -> f64 {
        self.roof_at(self.intensity)
    }

    fn roof_at(&self, intensity: f64) -> f64 {
        (self.bandwidth * intensity).min(self.peak)
    }

    /// The intensity from which on arithmetic is the limit.
    fn ridge(&self) -> f64 {
        self.peak / self.bandwidth
    }

    /// The shown intensities as powers of two: whole ones that leave room on both sides.
    fn exponents(&self) -> (i32, i32) {
        let (low, high) = (self.intensity.min(self.ridge()), self.intensity.max(self.ridge()));
        (low.log2().floor() as i32 - 2, high.log2().ceil() as i32 + 2)
    }

    /// The lowest shown rate: a bit less than anything in the picture.
    fn floor(&self) -> f64 {
        let left = self.roof_at(2.0_f64.powi(self.exponents().0));
        self.points.iter().fold(left, |least, point| least.min(point.2)) / 1.5
    }

    /// Where an intensity and a rate are in the picture, as shares of its width and height.
    fn place(&self, intensity: f64, rate: f64) -> (f64, f64) {
        let (low, high) = self.exponents();
        let x = (intensity.log2() - f64::from(low)) / f64::from(high - low);
        let floor = self.floor();
        (x, (rate / floor).ln() / (1.2 * self.peak / floor).ln())
    }

    /// The picture for a terminal, and what it says in words.
    pub fn text(&self) -> String {
        let mut cells = [[' '; COLUMNS]; ROWS];
        let row = |y: f64| ROWS - 1 - ((y * ROWS as f64) as usize).min(ROWS - 1);
        let (low, high) = self.exponents();
        for column in 0..COLUMNS {
            let x = (column as f64 + 0.5) / COLUMNS as f64;
            let intensity = 2.0_f64.powf(f64::from(low) + x * f64::from(high - low));
            let (_, y) = self.place(intensity, self.roof_at(intensity));
            let mark = if intensity < self.ridge() { '/' } else { '-' };
            if let Some(cell) = cells.get_mut(row(y)).and_then(|line| line.get_mut(column)) {
                *cell = mark;
            }
        }
        for (mark, _, rate) in &self.points {
            let (x, y) = self.place(self.intensity, *rate);
            let line = cells.get_mut(row(y)).into_iter().flatten();
            // Files that are equally fast stand beside each other.
            let free = |cell: &&mut char| !cell.is_ascii_alphabetic();
            if let Some(cell) = line.skip((x * COLUMNS as f64) as usize).find(free) {
                *cell = *mark;
            }
        }
        let top = row(self.place(self.ridge(), self.peak).1);
        let mut out = String::from("TFLOP/s\n");
        for (at, line) in cells.iter().enumerate() {
            let label = if at == top { rate(self.peak) } else { String::new() };
            let line: String = line.iter().collect();
            let _ = writeln!(out, "{label:>7} |{}", line.trim_end());
        }
        let _ = writeln!(out, "{:>7} +{}", rate(self.floor()), "-".repeat(COLUMNS));
        let mut ticks = vec![' '; COLUMNS + 8];
        for exponent in (low..=high).step_by(2) {
            let column =
                (f64::from(exponent - low) / f64::from(high - low) * COLUMNS as f64) as usize;
            for (cell, letter) in ticks.iter_mut().skip(column).zip(tick(exponent).chars()) {
                *cell = letter;
            }
        }
        let ticks: String = ticks.iter().collect();
        let _ = writeln!(out, "{:9}{}", "", ticks.trim_end());
        let _ = writeln!(out, "{:9}operations for each byte; {}", "", self.legend());
        out.push('\n');
        out.push_str(&self.summary());
        out
    }

    fn legend(&self) -> String {
        let names = self.points.iter().rev().map(|(mark, name, _)| format!("{mark} {name}"));
        names.collect::<Vec<_>>().join(", ")
    }

    /// "Memory is the limit, ...".
    fn summary(&self) -> String {
        let (intensity, ridge) = (amount(self.intensity), amount(self.ridge()));
        let (limit, reason) = match self.bound() {
            Bound::Memory => ("Memory", "only above"),
            Bound::Arithmetic => ("Arithmetic", "already above"),
        };
        let yours = self.points.last().map_or(0.0, |point| point.2);
        format!(
            "{limit} is the limit: the exercise needs {intensity} operations for each byte, and \
             arithmetic limits a kernel {reason} {ridge}.\nYour file reaches {:.0} % of this limit.",
            100.0 * yours / self.roof()
        )
    }

    /// The picture as a document of its own.
    pub fn svg(&self, title: &str) -> String {
        let (low, high) = self.exponents();
        let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
        let at = |intensity: f64, rate: f64| {
            let (x, y) = self.place(intensity, rate);
            (LEFT + x * width, TOP + (1.0 - y) * height)
        };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             font-family=\"sans-serif\" font-size=\"14\">\n<title>Roofline: {title}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"22\" font-weight=\"bold\">{title}</text>\n"
        );
        let base = HEIGHT - BOTTOM;
        for exponent in (low..=high).step_by(2) {
            let (x, _) = at(2.0_f64.powi(exponent), self.peak);
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {TOP}V{base}\" stroke=\"#ddd\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                base + 20.0,
                tick(exponent)
            );
        }
        let decades = self.floor().log10().ceil() as i32..=self.peak.log10().floor() as i32;
        for value in decades.map(|decade| 10.0_f64.powi(decade)) {
            let (_, y) = at(self.ridge(), value);
            let _ = writeln!(
                out,
                "<path d=\"M{LEFT} {y:.1}h{width}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                y + 5.0,
                rate(value)
            );
        }
        let corners = [2.0_f64.powi(low), self.ridge(), 2.0_f64.powi(high)];
        let roof = corners.map(|intensity| at(intensity, self.roof_at(intensity)));
        let roof = roof.map(|(x, y)| format!("{x:.1},{y:.1}")).join(" ");
        let _ = writeln!(
            out,
            "<polyline points=\"{roof}\" fill=\"none\" stroke=\"#1f4e8c\" stroke-width=\"3\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">operations for each byte</text>\n\
             <text x=\"{:.1}\" y=\"{:.1}\">TFLOP/s</text>",
            LEFT + width / 2.0,
            HEIGHT - 12.0,
            8.0,
            TOP - 4.0
        );
        let mut points = self.points.clone();
        points.sort_by(|a, b| b.2.total_cmp(&a.2));
        let mut free = f64::NEG_INFINITY;
        for (_, name, value) in points {
            let (x, y) = at(self.intensity, value);
            // The names of files that are nearly equally fast stand below each other.
            let label = y.max(free) + 5.0;
            free = label + 12.0;
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"#b03a2e\"/>\
                 <text x=\"{:.1}\" y=\"{label:.1}\">{name}, {} TFLOP/s</text>",
                x + 10.0,
                rate(value)
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

/// A rate in TFLOP/s with two significant digits or more.
fn rate(operations: f64) -> String {
    amount(operations / 1e12)
}

fn amount(value: f64) -> String {
    match value {
        value if value >= 10.0 => format!("{value:.0}"),
        value if value >= 1.0 => format!("{value:.1}"),
        value => {
            let digits = (1.0 - value.log10().floor()).clamp(0.0, 9.0) as usize;
            format!("{value:.digits$}")
        }
    }
}

/// A power of two: "1/4", "16".
fn tick(exponent: i32) -> String {
    let power = 1_u64 << exponent.unsigned_abs().min(63);
    if exponent < 0 { format!("1/{power}") } else { power.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::history::tests::entry;
    use super::*;

    fn roofline(operations: f64) -> Roofline {
        let entry = Entry { operations: Some(operations), ..entry(0.5, 0.26) };
        Roofline::of(&entry).expect("a roofline")
    }

    /// What a learner sees, for an exercise on each side of the ridge.
    #[test]
    fn pictures() {
        insta::assert_snapshot!("memory", roofline(187_500_000.0).text());
        insta::assert_snapshot!("arithmetic", roofline(12e9).text());
    }

    #[test]
    fn a_document() {
        insta::assert_snapshot!("svg", roofline(187_500_000.0).svg("reduce_tree on NVIDIA H100"));
    }

    /// 750 MB at 3 TB/s take 0.25 ms, and 12.5 billion operations at 50 TFLOP/s take as long.
    #[test]
    fn the_limits_meet_at_the_ridge() {
        for (operations, bound) in [(12e9, Bound::Memory), (13e9, Bound::Arithmetic)] {
            let roofline = roofline(operations);
            assert_eq!(roofline.bound(), bound);
            let least = operations / roofline.roof();
            let expected = if bound == Bound::Memory { 0.25e-3 } else { operations / 5e13 };
            assert!((least - expected).abs() < 1e-9, "{least}");
        }
    }

    /// A program, or an exercise with integers, has none.
    #[test]
    fn without_operations_there_is_none() {
        assert!(Roofline::of(&entry(0.5, 0.25)).is_none());
        let program = Entry { operations: Some(1e9), bytes: None, ..entry(0.5, 0.25) };
        assert!(Roofline::of(&program).is_none());
    }

    #[test]
    fn numbers_keep_two_digits() {
        let shown = [50.0, 2.345, 0.25, 0.0123].map(amount);
        assert_eq!(shown, ["50", "2.3", "0.25", "0.012"]);
        assert_eq!([-3, 0, 5].map(tick), ["1/8", "1", "32"]);
    }
}
