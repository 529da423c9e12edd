//! The timeline of a program, drawn as a row for each engine of the device. The digits in a row are
//! streams.
//!
//! ```text
//!   simulated time in microseconds; the digits are streams
//!
//!   copies in   .1111111122222222111111112222222..........
//!   kernels     .........1.......2.......1......2.........
//!   copies out  ..........1111111122222222111111112222222.
//!               |0        |25       |50       |75
//! ```

use cudart_sim::clock::{Engine, Span};

use super::terminal::hanging;
use crate::text::sanitise;
use crate::timeline::{axis_step, overlap};

/// The engines in the order of the rows.
const ENGINES: [(Engine, &str); 3] =
    [(Engine::ToDevice, "copies in"), (Engine::Device, "kernels"), (Engine::ToHost, "copies out")];

/// Columns to the left of the bars.
const LEFT: usize = 14;

/// Lays out the timeline to `width` columns; empty when no engine did any work.
pub fn render(spans: &[Span], width: usize) -> String {
    let end = spans.iter().fold(0.0, |end: f64, span| end.max(span.end));
    if spans.is_empty() || end <= 0.0 {
        return String::new();
    }
    let cells = width.saturating_sub(LEFT).max(16);
    let streams = streams(spans);
    let heading = match streams.len() {
        0 | 1 => "simulated time in microseconds; the digit is the stream".to_owned(),
        n => format!("simulated time in microseconds; the digits are the {n} streams"),
    };
    let mut out = hanging(&heading, "  ", "  ", width);
    out.push('\n');
    for (engine, name) in ENGINES {
        let own = spans.iter().filter(|span| span.engine == engine);
        for (i, lane) in lanes(own).into_iter().enumerate() {
            let bars = row(lane.into_iter(), end / cells as f64, cells);
            let name = if i == 0 { name } else { "" };
            out.push_str(&format!("  {name:<width$}{bars}\n", width = LEFT - 2));
        }
    }
    out.push_str(&format!("{}{}\n", " ".repeat(LEFT), axis(end, cells)));
    if streams.contains(&0) && streams.len() > 1 {
        let note = "0 is the default stream; it waits for the streams that cudaStreamCreate made, and they wait for it";
        out.push_str(&hanging(note, "  ", "  ", width));
    }
    if let Some(share) = overlap(spans) {
        let note =
            format!("two or more engines work at once for {:.0} % of the busy time", 100.0 * share);
        out.push_str(&hanging(&sanitise(&note), "  ", "  ", width));
    }
    out
}

/// The streams' numbers, in order.
fn streams(spans: &[Span]) -> Vec<u64> {
    let mut numbers: Vec<u64> = spans.iter().map(|span| span.stream).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The sign of a stream: its number as a digit or letter, and `*` from 36 on.
fn sign(stream: u64) -> char {
    u32::try_from(stream).ok().and_then(|n| char::from_digit(n, 36)).unwrap_or('*')
}

/// The most rows for work of one engine that is done at the same time. Further work shares the
/// last row.
const MAX_LANES: usize = 8;

/// The work of an engine in rows, such that the work of a row does not overlap; at least one row.
fn lanes<'a>(spans: impl Iterator<Item = &'a Span>) -> Vec<Vec<&'a Span>> {
    let mut spans: Vec<&Span> = spans.collect();
    spans.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut lanes: Vec<Vec<&Span>> = vec![vec![]];
    for span in spans {
        let free = |lane: &Vec<&Span>| lane.last().is_none_or(|last| last.end <= span.start);
        match lanes.iter().position(free) {
            Some(lane) => lanes[lane].push(span),
            None if lanes.len() < MAX_LANES => lanes.push(vec![span]),
            None => lanes[MAX_LANES - 1].push(span),
        }
    }
    lanes
}

/// One row of an engine. Each cell stands for `unit` microseconds and shows the stream that uses
/// most of them.
fn row<'a>(spans: impl Iterator<Item = &'a Span>, unit: f64, cells: usize) -> String {
    let mut shown = vec![(0.0, '.'); cells];
    for span in spans {
        let first = ((span.start / unit) as usize).min(cells - 1);
        for (i, cell) in shown.iter_mut().enumerate().skip(first) {
            let (from, to) = (i as f64 * unit, (i + 1) as f64 * unit);
            let covered = span.end.min(to) - span.start.max(from);
            if covered <= 0.0 {
                break;
            }
            if covered > cell.0 {
                *cell = (covered, sign(span.stream));
            }
        }
    }
    shown.into_iter().map(|(_, sign)| sign).collect()
}

/// Marks at round times, each with its time.
fn axis(end: f64, cells: usize) -> String {
    let step = axis_step(end, cells / 9);
    let mut out = String::new();
    for mark in 0.. {
        let time = f64::from(mark) * step;
        let at = (time / end * cells as f64) as usize;
        let word = format!("|{time}");
        if at + word.len() > cells {
            break;
        }
        out.push_str(&" ".repeat(at.saturating_sub(out.len())));
        out.push_str(&word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(stream: u64, engine: Engine, start: f64, end: f64) -> Span {
        Span { stream, engine, what: String::new(), start, end }
    }

    /// There are 64 cells of one microsecond. A kernel of a tenth of a microsecond is visible, too.
    #[test]
    fn every_engine_has_a_row_and_every_piece_of_work_a_sign() {
        use Engine::{Device, ToDevice, ToHost};
        let spans = [
            span(1, ToDevice, 2.0, 12.0),
            span(1, Device, 12.0, 12.1),
            span(12, ToDevice, 12.0, 22.0),
            span(1, ToHost, 13.0, 23.0),
            span(12, ToHost, 54.0, 64.0),
            span(99, Device, 22.0, 24.0),
        ];
        let expected = "  simulated time in microseconds; the digits are the 3 streams

  copies in   ..1111111111cccccccccc..........................................
  kernels     ............1.........**........................................
  copies out  .............1111111111...............................cccccccccc
              |0        |10       |20       |30       |40       |50       |60
  two or more engines work at once for 32 % of the busy time
";
        assert_eq!(render(&spans, LEFT + 64), expected);
        assert_eq!(render(&[], 80), "");
    }

    #[test]
    fn kernels_at_the_same_time_have_rows_of_their_own() {
        let spans = [
            span(1, Engine::Device, 0.0, 32.0),
            span(2, Engine::Device, 16.0, 64.0),
            span(3, Engine::Device, 40.0, 48.0),
        ];
        let text = render(&spans, LEFT + 64);
        let rows: Vec<&str> = text.lines().skip(3).take(2).collect();
        let [dots, ones, twos] = [(".", 8), ("1", 32), ("2", 48)].map(|(sign, n)| sign.repeat(n));
        assert_eq!(rows[0], format!("  kernels     {ones}{dots}33333333{dots}{dots}"));
        assert_eq!(rows[1], format!("              {dots}{dots}{twos}"));
    }

    #[test]
    fn no_line_is_wider_than_asked() {
        let spans = [span(0, Engine::Device, 0.0, 123.4), span(3, Engine::ToHost, 1.0, 98_765.4)];
        for width in [40, 57, 80, 120] {
            let text = render(&spans, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        }
    }
}
