//! Facts about a program's simulated timeline that judging it, drawing it and printing it share.

use cudart_sim::clock::{Engine, Span};

/// The share of the busy time in which two or more engines work at once, from 0 to 1; `None` when
/// no engine works.
pub fn overlap(timeline: &[Span]) -> Option<f64> {
    let engines = [Engine::ToDevice, Engine::Device, Engine::ToHost];
    let index = |span: &Span| engines.iter().position(|engine| *engine == span.engine);
    let mut marks: Vec<(f64, i32, usize)> = timeline
        .iter()
        .filter_map(|span| Some((span, index(span)?)))
        .flat_map(|(span, engine)| [(span.start, 1, engine), (span.end, -1, engine)])
        .collect();
    // An interval that ends does not overlap one that begins at the same time.
    marks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut busy, mut shared, mut since) = (0.0, 0.0, 0.0);
    // The pieces of work of each engine at a time: kernels may run at the same time.
    let mut work = [0; 3];
    for (at, change, engine) in marks {
        let passed = at - since;
        let working = work.iter().filter(|n| **n > 0).count();
        if working >= 1 {
            busy += passed;
        }
        if working >= 2 {
            shared += passed;
        }
        work[engine] += change;
        since = at;
    }
    (busy > 0.0).then(|| shared / busy)
}

/// The time in which any of these spans lasts.
pub fn busy_time<'a>(spans: impl Iterator<Item = &'a Span>) -> f64 {
    let mut spans: Vec<(f64, f64)> = spans.map(|span| (span.start, span.end)).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut busy, mut until) = (0.0, f64::NEG_INFINITY);
    for (start, end) in spans {
        busy += (end - start.max(until)).max(0.0);
        until = until.max(end);
    }
    busy
}

/// The share of the time in which any of these spans lasts that at least two of them do, from 0 to
/// 1; `None` when there is none.
pub fn shared_time<'a>(spans: impl Iterator<Item = &'a Span>) -> Option<f64> {
    let mut marks: Vec<(f64, i32)> =
        spans.flat_map(|span| [(span.start, 1), (span.end, -1)]).collect();
    marks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut busy, mut shared, mut since, mut running) = (0.0, 0.0, 0.0, 0);
    for (at, change) in marks {
        if running >= 1 {
            busy += at - since;
        }
        if running >= 2 {
            shared += at - since;
        }
        running += change;
        since = at;
    }
    (busy > 0.0).then(|| shared / busy)
}

/// The distance between the marks of a time axis: the smallest of 1, 2, 5, 10, ... with which
/// `marks` marks reach `end`.
pub fn axis_step(end: f64, marks: usize) -> f64 {
    let enough = |step: &f64| step * marks.max(1) as f64 >= end;
    let decades = (0..12).map(|power| 10f64.powi(power));
    let steps = decades.flat_map(|decade| [decade, 2.0 * decade, 5.0 * decade]);
    steps.into_iter().find(enough).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(engine: Engine, start: f64, end: f64) -> Span {
        Span { stream: 0, engine, what: String::new(), start, end }
    }

    /// Two engines work from 2 to 4 and from 6 to 7, at least one from 0 to 9: a third.
    #[test]
    fn overlap_is_the_share_of_busy_time() {
        use Engine::{Device, HostOnly, ToDevice, ToHost};
        let timeline = [
            span(ToDevice, 0.0, 4.0),
            span(Device, 2.0, 7.0),
            span(ToHost, 6.0, 9.0),
            span(HostOnly, 0.0, 9.0),
        ];
        assert_eq!(overlap(&timeline), Some(3.0 / 9.0));
        let serial = [span(ToDevice, 0.0, 4.0), span(Device, 4.0, 5.0), span(ToHost, 8.0, 9.0)];
        assert_eq!(overlap(&serial), Some(0.0));
        let kernels = [span(Device, 0.0, 4.0), span(Device, 2.0, 5.0)];
        assert_eq!(overlap(&kernels), Some(0.0), "kernels at the same time are one engine");
        assert_eq!(overlap(&[]), None);
    }

    #[test]
    fn busy_time_counts_each_moment_once() {
        let spans = [(4.0, 5.0), (0.0, 4.0), (2.0, 3.0), (8.0, 10.0), (3.0, 6.0)];
        let spans = spans.map(|(a, b)| span(Engine::Device, a, b));
        assert_eq!(busy_time(spans.iter()), 8.0);
        assert_eq!(busy_time([].iter()), 0.0);
    }

    /// At least one lasts from 0 to 6 and from 8 to 10, two last from 2 to 4.
    #[test]
    fn shared_time_counts_spans_of_one_engine() {
        let spans = [(0.0, 4.0), (2.0, 6.0), (8.0, 10.0)].map(|(a, b)| span(Engine::Device, a, b));
        assert_eq!(shared_time(spans.iter()), Some(0.25));
        let serial = [(0.0, 4.0), (4.0, 6.0)].map(|(a, b)| span(Engine::Device, a, b));
        assert_eq!(shared_time(serial.iter()), Some(0.0));
        assert_eq!(shared_time([].iter()), None);
    }

    #[test]
    fn marks_are_at_round_times() {
        let steps =
            [(64.0, 7), (111.3, 7), (0.5, 7), (70.0, 7)].map(|(end, marks)| axis_step(end, marks));
        assert_eq!(steps, [10.0, 20.0, 1.0, 10.0]);
    }
}
