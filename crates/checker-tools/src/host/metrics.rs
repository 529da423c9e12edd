//! Counts and times in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A page, a script or another fixed answer.
    Page,
    /// Code ran.
    Ran,
    /// The answer was remembered, or another request's.
    Cached,
    /// The client has used up its rate.
    RateLimited,
    /// Too many jobs wait.
    QueueFull,
    /// The server is about to end.
    Ending,
    /// The request was wrong.
    Refused,
    /// The server failed.
    Failed,
}

const OUTCOMES: [(Outcome, &str); 8] = [
    (Outcome::Page, "page"),
    (Outcome::Ran, "ran"),
    (Outcome::Cached, "cached"),
    (Outcome::RateLimited, "rate_limited"),
    (Outcome::QueueFull, "queue_full"),
    (Outcome::Ending, "ending"),
    (Outcome::Refused, "refused"),
    (Outcome::Failed, "failed"),
];

impl Outcome {
    /// Its name in metrics and in the log.
    pub fn name(self) -> &'static str {
        OUTCOMES.iter().find(|(outcome, _)| *outcome == self).map_or("", |(_, name)| name)
    }
}

/// Upper bounds of the histogram's buckets, in milliseconds.
const BOUNDS_MILLIS: [u64; 10] = [25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000];

/// A histogram of times.
#[derive(Debug, Default)]
struct Histogram {
    /// Times up to each bound and above the one before, and those above all bounds.
    buckets: [AtomicU64; BOUNDS_MILLIS.len() + 1],
    micros: AtomicU64,
}

/// All metrics that are counted; the rest is asked for when they are read.
#[derive(Debug, Default)]
pub struct Metrics {
    outcomes: [AtomicU64; OUTCOMES.len()],
    /// Jobs that run now.
    pub running: AtomicU64,
    runs: Histogram,
    waits: Histogram,
}

/// What other parts of the server measure.
#[derive(Debug, Clone, Copy)]
pub struct Gauges {
    /// Jobs that wait.
    pub queue: usize,
    /// Bytes of remembered answers.
    pub cache_bytes: usize,
}

impl Metrics {
    /// Counts a request.
    pub fn count(&self, outcome: Outcome) {
        let mut counts = OUTCOMES.iter().zip(&self.outcomes);
        if let Some((_, count)) = counts.find(|((known, _), _)| *known == outcome) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// Counts a job by how long it has waited and run.
    pub fn observe(&self, waited: Duration, ran: Duration) {
        self.waits.observe(waited);
        self.runs.observe(ran);
    }

    /// The metrics as text.
    pub fn text(&self, gauges: Gauges) -> String {
        let mut out = String::new();
        head(&mut out, "requests_total", "counter", "Requests by how they ended");
        for ((_, name), count) in OUTCOMES.iter().zip(&self.outcomes) {
            let count = count.load(Relaxed);
            let _ = writeln!(out, "checker_host_requests_total{{outcome=\"{name}\"}} {count}");
        }
        let values = [
            ("queue_length", "Checks and views that wait", gauges.queue as u64),
            ("running", "Checks and views that run", self.running.load(Relaxed)),
            ("cache_bytes", "Bytes of remembered answers", gauges.cache_bytes as u64),
        ];
        for (name, help, value) in values {
            head(&mut out, name, "gauge", help);
            let _ = writeln!(out, "checker_host_{name} {value}");
        }
        self.runs.write(&mut out, "run_seconds", "How long checks and views ran");
        self.waits.write(&mut out, "wait_seconds", "How long they waited before");
        out
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP checker_host_{name} {help}\n# TYPE checker_host_{name} {kind}");
}

impl Histogram {
    fn observe(&self, time: Duration) {
        let within = |bound: &u64| time <= Duration::from_millis(*bound);
        let at = BOUNDS_MILLIS.iter().position(within).unwrap_or(BOUNDS_MILLIS.len());
        self.buckets[at].fetch_add(1, Relaxed);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Relaxed);
    }

    fn write(&self, out: &mut String, name: &str, help: &str) {
        head(out, name, "histogram", help);
        let name = format!("checker_host_{name}");
        let mut count = 0;
        for (bound, bucket) in BOUNDS_MILLIS.iter().zip(&self.buckets) {
            count += bucket.load(Relaxed);
            let bound = Duration::from_millis(*bound).as_secs_f64();
            let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {count}");
        }
        count += self.buckets[BOUNDS_MILLIS.len()].load(Relaxed);
        let sum = Duration::from_micros(self.micros.load(Relaxed)).as_secs_f64();
        let _ = writeln!(
            out,
            "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum}\n{name}_count {count}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_in_the_text_format() {
        let metrics = Metrics::default();
        metrics.count(Outcome::Cached);
        metrics.count(Outcome::Cached);
        let ran = [30, 80, 60_000].map(Duration::from_millis);
        ran.into_iter().for_each(|ran| metrics.observe(Duration::ZERO, ran));
        let text = metrics.text(Gauges { queue: 3, cache_bytes: 9 });
        for line in [
            "# TYPE checker_host_requests_total counter",
            "checker_host_requests_total{outcome=\"cached\"} 2",
            "checker_host_requests_total{outcome=\"failed\"} 0",
            "checker_host_queue_length 3",
            "checker_host_run_seconds_bucket{le=\"0.025\"} 0",
            "checker_host_run_seconds_bucket{le=\"0.05\"} 1",
            "checker_host_run_seconds_bucket{le=\"0.1\"} 2",
            "checker_host_run_seconds_bucket{le=\"30\"} 2",
            "checker_host_run_seconds_bucket{le=\"+Inf\"} 3",
            "checker_host_run_seconds_sum 60.11",
            "checker_host_run_seconds_count 3",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
