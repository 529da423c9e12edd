//! The figure of chapter 8: copies and a kernel on the simulated clock, in one stream, and in
//! chunks on several streams.

use cudart_sim::clock::{self, Clock, ClockedWork, Engine, Span};
use cudart_sim::graph::{Id, Stream};
use ptxsim::Counters;

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};
use checker::timeline::{axis_step, overlap};

/// A program that copies `n` floats from page-locked memory, computes, and copies them back.
pub fn panels(n: u64) -> Vec<Panel> {
    let [serial, four, eight] =
        [(1, 1), (4, 4), (8, 3)].map(|(chunks, streams)| work(n, chunks, streams));
    let end = serial.iter().fold(0.0, |end: f64, span| end.max(span.end));
    let panel = |title, spans: &[Span], words: &str| {
        let last = spans.iter().fold(0.0, |last: f64, span| last.max(span.end));
        let share = 100.0 * overlap(spans).unwrap_or_default();
        Panel {
            title,
            caption: format!(
                "{words} The last copy ends after {last:.0} microseconds, and for {share:.0} % of that time at least two engines work at once."
            ),
            svg: draw(spans, end),
        }
    };
    vec![
        panel(
            "One stream",
            &serial,
            "The stream copies 4 MiB to the device, runs the kernel, and copies the results back. Each step waits until the one \
             before has finished, so two of the three engines are always idle.",
        ),
        panel(
            "Four chunks, four streams",
            &four,
            "Each number is a stream with one chunk of 1 MiB. While chunk 2 is copied to the device, the kernel already works \
             on chunk 1, which is then copied back.",
        ),
        panel(
            "Eight chunks, three streams",
            &eight,
            "Shorter chunks begin to overlap sooner. The three streams take turns, and each one copies a chunk to the device, \
             runs the kernel and copies the results back, in this order.",
        ),
    ]
}

/// The timeline of a program that processes `n` floats in `chunks` chunks, on `streams` streams in
/// turn.
fn work(n: u64, chunks: u64, streams: u64) -> Vec<Span> {
    let mut clock = Clock::default();
    let mut last: Vec<Option<Id>> = vec![None; streams as usize];
    let mut submitted = vec![];
    for chunk in 0..chunks {
        for (engine, cost) in costs(n / chunks) {
            submitted.push((chunk % streams, engine, cost, clock.submit()));
        }
    }
    for (number, (stream, engine, cost, enqueued)) in (0..).zip(submitted) {
        let before = &mut last[stream as usize];
        let after: Vec<Id> = before.iter().copied().collect();
        let id = Id::of(number);
        let (stream, what) = (Stream(stream + 1), String::new());
        let (after, share) = (&after, 1.0);
        clock.add(ClockedWork { id, stream, after, enqueued, engine, what, cost, share });
        *before = Some(id);
    }
    clock.spans().to_vec()
}

/// The times of a copy in, a kernel that reads and writes every element once, and a copy out.
fn costs(n: u64) -> [(Engine, f64); 3] {
    let (bytes, threads) = (4 * n, 256);
    let counters = Counters {
        instructions: 60 * n / 32,
        load_sectors: bytes / 32,
        store_sectors: bytes / 32,
        ..Counters::default()
    };
    [
        (Engine::ToDevice, clock::bus(bytes, true)),
        (Engine::Device, clock::kernel(n.div_ceil(threads), threads, &counters)),
        (Engine::ToHost, clock::bus(bytes, true)),
    ]
}

/// A row for each engine, `end` microseconds wide.
fn draw(spans: &[Span], end: f64) -> Svg {
    const ROW: f64 = 46.0;
    let mut svg = Svg::default();
    let at = |time: f64| (time / end * (WIDTH - 2.0)).round();
    let rows = [
        (Engine::ToDevice, "copies in"),
        (Engine::Device, "kernels"),
        (Engine::ToHost, "copies out"),
    ];
    for (row, (engine, name)) in (0..).zip(rows) {
        let y = f64::from(row) * ROW;
        svg.word([0.0, y + 12.0], "small", name);
        svg.line([0.0, y + 40.0], [WIDTH, y + 40.0], "");
        for span in spans.iter().filter(|span| span.engine == engine) {
            let (x, w) = (at(span.start), (at(span.end) - at(span.start)).max(2.0));
            let word = if w >= 10.0 { span.stream.to_string() } else { String::new() };
            svg.cell([x, y + 18.0], [w, 22.0], group(span.stream as usize - 1), &word);
        }
    }
    let bottom = 3.0 * ROW;
    let step = axis_step(end, 5);
    for time in (0..).map(|mark| f64::from(mark) * step).take_while(|time| *time < end) {
        svg.line([at(time), bottom - 4.0], [at(time), bottom + 2.0], "brace");
        let word = if time == 0.0 { "0 us".to_owned() } else { time.to_string() };
        svg.word([at(time), bottom + 14.0], "small", &word);
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the page says, nothing overlaps in one stream, and more than half of the time does in
    /// four.
    #[test]
    fn chunks_in_streams_overlap_and_finish_sooner() {
        let [serial, four, eight] = [(1, 1), (4, 4), (8, 3)].map(|(c, s)| work(1 << 20, c, s));
        let share = |spans: &[Span]| overlap(spans).expect("something is done");
        assert_eq!(share(&serial), 0.0);
        assert!(share(&four) > 0.5 && share(&eight) > share(&four));
        let end = |spans: &[Span]| spans.iter().fold(0.0, |end: f64, span| end.max(span.end));
        assert!(end(&four) < 0.75 * end(&serial) && end(&eight) < end(&four));
        assert_eq!([serial.len(), four.len(), eight.len()], [3, 12, 24]);
    }
}
