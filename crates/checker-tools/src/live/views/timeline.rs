//! When each copy and kernel of a program runs on the simulated clock.

use checker::timeline::overlap;
use cudart_sim::clock::{Engine, Span};
use serde::Serialize;

use checker::text::sanitise;

/// Pieces of work that are shown at most.
const MAX_SPANS: usize = 600;
/// Characters of a kernel's name that are shown at most.
const MAX_NAME: usize = 60;

/// The timeline of a program.
#[derive(Debug, Serialize)]
pub struct Timeline {
    /// The streams that have work, in ascending order; 0 is the default stream.
    streams: Vec<u64>,
    /// In the order in which they began.
    work: Vec<Work>,
    /// Pieces of work at the end that are left out.
    skipped: usize,
    /// When the last one ended, in microseconds.
    end: f64,
    /// The share of the time with any work in which at least two engines work.
    overlap: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Work {
    stream: u64,
    engine: &'static str,
    what: String,
    start: f64,
    end: f64,
}

impl Timeline {
    /// The work of the copy engines and the kernels.
    pub fn new(spans: &[Span]) -> Self {
        let engine = |engine| match engine {
            Engine::ToDevice => Some("to-device"),
            Engine::Device => Some("device"),
            Engine::ToHost => Some("to-host"),
            Engine::HostOnly => None,
        };
        let named =
            |span: &Span| -> String { sanitise(&span.what).chars().take(MAX_NAME).collect() };
        let mut work: Vec<Work> = spans
            .iter()
            .filter_map(|span| {
                let (stream, engine) = (span.stream, engine(span.engine)?);
                let (start, end) = (rounded(span.start), rounded(span.end));
                Some(Work { stream, engine, what: named(span), start, end })
            })
            .collect();
        work.sort_by(|a, b| a.start.total_cmp(&b.start));
        let mut streams: Vec<u64> = work.iter().map(|work| work.stream).collect();
        streams.sort_unstable();
        streams.dedup();
        let end = work.iter().fold(0.0, |end: f64, work| end.max(work.end));
        let skipped = work.len().saturating_sub(MAX_SPANS);
        work.truncate(MAX_SPANS);
        Self { streams, work, skipped, end, overlap: overlap(spans) }
    }
}

fn rounded(microseconds: f64) -> f64 {
    (microseconds * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However much a program does, the answer is small, and it says what is left out.
    #[test]
    fn long_timelines_are_cut() {
        let span = |n: u32| Span {
            stream: u64::from(n % 3),
            engine: [Engine::ToDevice, Engine::Device, Engine::HostOnly][n as usize % 3],
            what: "k".repeat(5000),
            start: f64::from(n),
            end: f64::from(n + 1),
        };
        let timeline = Timeline::new(&(0..9000).map(span).collect::<Vec<_>>());
        assert_eq!((timeline.work.len(), timeline.skipped), (MAX_SPANS, 6000 - MAX_SPANS));
        assert_eq!((timeline.streams, timeline.end), (vec![0, 1], 8999.0));
        let bytes = serde_json::to_string(&timeline.work).expect("JSON").len();
        assert!(bytes < 128 << 10, "{bytes}");
    }
}
