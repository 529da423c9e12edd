//! The figures of chapter 8: copies and kernels on the simulated clock, in one stream, in chunks on
//! several streams, and in a recorded run of a listing. The reader can step from one piece of work
//! to the next.

use cudart_sim::clock::{self, Clock, ClockedWork, Engine, Span};
use cudart_sim::graph::{Id, Stream};
use ptxsim::Counters;

use super::Panel;
use super::index::group;
use super::svg::{Svg, WIDTH};
use crate::book::recording::{Recording, Work};
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
                "{words} The last copy ends after {last:.0} microseconds, and at least two engines work at once for {share:.0} % of that time."
            ),
            svg: draw(&works(spans), end),
        }
    };
    vec![
        panel(
            "One stream",
            &serial,
            "The stream copies 4 MiB to the device, runs the kernel, and copies the results back. Each step waits until the \
             previous step has finished, so two of the three engines are always idle.",
        ),
        panel(
            "Four chunks, four streams",
            &four,
            "Each number names a stream, which processes one chunk of 1 MiB. While chunk 2 is copied to the device, the kernel already works \
             on chunk 1, which is then copied back.",
        ),
        panel(
            "Eight chunks, three streams",
            &eight,
            "Shorter chunks begin to overlap sooner. The three streams take turns, and each stream copies a chunk to the device, \
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

/// The runs of `frames.cu` from page-locked memory, and from ordinary memory.
pub fn frames(locked: &Recording, ordinary: &Recording) -> Vec<Panel> {
    let panel = |title, recording: &Recording, words: &str| {
        let work = &recording.timeline;
        let copies = || work.iter().filter(|work| work.engine == Engine::ToDevice);
        let one = copies().next().map_or(0.0, |copy| copy.end - copy.start);
        let last = copies().fold(0.0, |last: f64, copy| last.max(copy.end));
        Panel {
            title,
            caption: format!(
                "{words} On the simulator's clock, each of the {} copies takes {one:.1} microseconds, and the last copy to the device ends after {last:.0} microseconds.",
                copies().count()
            ),
            svg: draw(work, end(work)),
        }
    };
    vec![
        panel(
            "Page-locked memory",
            locked,
            "This is the run of `frames.cu`. The row of the copies has no gap, and while one stream copies a frame, the kernel works \
             on the other stream's frame.",
        ),
        panel(
            "Ordinary memory",
            ordinary,
            "This is the same program with `new` instead of `cudaMallocHost`. The kernels take as long as before, but the copies take longer.",
        ),
    ]
}

fn end(work: &[Work]) -> f64 {
    work.iter().fold(0.0, |end: f64, work| end.max(work.end))
}

fn works(spans: &[Span]) -> Vec<Work> {
    let mut recording = Recording::default();
    recording.set_timeline(spans);
    recording.timeline
}

const ROWS: [(Engine, &str, &str); 3] = [
    (Engine::ToDevice, "copies in", "copying in"),
    (Engine::Device, "kernels", "a kernel"),
    (Engine::ToHost, "copies out", "copying out"),
];

/// A row for each engine, `end` microseconds wide, with a step for each time at which work begins.
fn draw(work: &[Work], end: f64) -> Svg {
    const ROW: f64 = 46.0;
    let mut svg = Svg::default();
    let at = |time: f64| (time / end * (WIDTH - 2.0)).round();
    for (row, (_, name, _)) in (0..).zip(ROWS) {
        let y = f64::from(row) * ROW;
        svg.word([0.0, y + 12.0], "small", name);
        svg.line([0.0, y + 40.0], [WIDTH, y + 40.0], "");
    }
    let bottom = 3.0 * ROW;
    let step = axis_step(end, 5);
    for time in (0..).map(|mark| f64::from(mark) * step).take_while(|time| *time < end) {
        svg.line([at(time), bottom - 4.0], [at(time), bottom + 2.0], "brace");
        let word = if time == 0.0 { "0 us".to_owned() } else { time.to_string() };
        svg.word([at(time), bottom + 14.0], "small", &word);
    }
    for (number, begun) in (1..).zip(work.chunk_by(|a, b| a.start == b.start)) {
        svg.begin_step(number, &description(begun, work));
        for one in begun {
            let Some(row) = ROWS.iter().position(|(engine, ..)| *engine == one.engine) else {
                continue;
            };
            let (x, w) = (at(one.start), (at(one.end) - at(one.start)).max(2.0));
            let word = if w >= 10.0 { one.stream.to_string() } else { String::new() };
            let class = group(one.stream.saturating_sub(1) as usize);
            svg.cell([x, row as f64 * ROW + 18.0], [w, 22.0], class, &word);
        }
        svg.end_step();
    }
    svg
}

/// "After 12.6 us: stream 2 starts copying in, and stream 1 starts a kernel. Two engines work now."
fn description(begun: &[Work], all: &[Work]) -> String {
    let Some(first) = begun.first() else { return String::new() };
    let starts = begun.iter().map(|work| {
        let what =
            ROWS.iter().find(|(engine, ..)| *engine == work.engine).map_or("", |(.., what)| what);
        match work.stream {
            0 => format!("the default stream starts {what}"),
            stream => format!("stream {stream} starts {what}"),
        }
    });
    let starts = starts.collect::<Vec<_>>().join(", and ");
    let now = |work: &&Work| work.start <= first.start && work.end > first.start;
    let engines = ROWS
        .iter()
        .filter(|(engine, ..)| all.iter().filter(now).any(|work| work.engine == *engine));
    let busy = match engines.count() {
        0 | 1 => "One engine works now.",
        2 => "Two engines work at once now.",
        _ => "All three engines work at once now.",
    };
    format!("After {:.1} us, {starts}. {busy}", first.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::figure::tests::root;

    /// What the page says about the two runs: copies without a gap, and copies of four times the
    /// length.
    #[test]
    fn the_recorded_copies_follow_each_other() {
        let [locked, ordinary] = ["frames", "frames_pageable"].map(|name| {
            let recording = Recording::read(&root(), name).expect("a recording");
            let copies = recording.timeline.into_iter().filter(|w| w.engine == Engine::ToDevice);
            copies.collect::<Vec<_>>()
        });
        assert!(locked.windows(2).all(|pair| pair[1].start <= pair[0].end));
        let length = |work: &Work| work.end - work.start;
        let ratio = length(&ordinary[0]) / length(&locked[0]);
        assert!((3.0..5.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn each_step_says_what_begins() {
        let spans = work(1 << 20, 4, 4);
        let svg = draw(&works(&spans), 500.0);
        let says = svg.steps().join("\n");
        assert!(says.contains("stream 1 starts copying in. One engine works now."), "{says}");
        assert!(says.contains("All three engines work at once now."), "{says}");
        assert!(svg.steps().len() > 6 && svg.steps().len() <= spans.len());
    }

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
