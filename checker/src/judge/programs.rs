//! The counts of a whole program: its copies, its launches, its time on the simulated clock.

use cudart_sim::clock::{Engine, Span};
use cudart_sim::report::Report;

use crate::spec::{Case, Metric};
use crate::timeline::overlap;

/// The count of `metric`; `None` for a metric of kernels, and when nothing of the kind happened.
pub fn measure(metric: Metric, case: &Case, program: &Report) -> Option<f64> {
    let copies = &program.copies;
    let count = match metric {
        Metric::BytesToDevice => copies.to_device.bytes,
        Metric::BytesToHost => copies.to_host.bytes,
        Metric::CopiesToDevice => copies.to_device.calls,
        Metric::CopiesToHost => copies.to_host.calls,
        Metric::CopiesWithinDevice => copies.within_device.calls,
        Metric::Launches => program.launches.len() as u64,
        Metric::Allocations => program.allocations,
        Metric::LiveAllocations => program.peak_live,
        Metric::DeviceWaits => program.synchronisations.device,
        Metric::SpareBlocks => spare_blocks(case.size("n") as u64, program),
        Metric::IdleLanes => idle_lanes(program),
        Metric::Overlap => return overlap(&program.timeline),
        Metric::TimedKernels => return measured_share(program, kernel_spans(program)),
        Metric::TimedCopies => return measured_share(program, copy_spans(program)),
        _ => return None,
    };
    Some(count as f64)
}

fn volume([x, y, z]: [u32; 3]) -> u64 {
    u64::from(x) * u64::from(y) * u64::from(z)
}

fn spare_blocks(n: u64, program: &Report) -> u64 {
    let needed = |block| n.div_ceil(volume(block).max(1));
    program.launches.iter().map(|l| volume(l.grid).saturating_sub(needed(l.block))).sum()
}

fn idle_lanes(program: &Report) -> u64 {
    program.launches.iter().map(|l| (32 - volume(l.block) % 32) % 32).sum()
}

fn kernel_spans(program: &Report) -> impl Iterator<Item = &Span> {
    program.launches.iter().filter_map(|launch| program.timeline.get(launch.span?))
}

/// Copies between the host and the device.
fn copy_spans(program: &Report) -> impl Iterator<Item = &Span> {
    let copies = |span: &&Span| matches!(span.engine, Engine::ToDevice | Engine::ToHost);
    program.timeline.iter().filter(copies)
}

/// The share of this work's time that the last measurement covers.
fn measured_share<'a>(program: &Report, work: impl Iterator<Item = &'a Span>) -> Option<f64> {
    let measured = program.elapsed.last()?;
    let (mut inside, mut all) = (0.0, 0.0);
    for span in work {
        let covered = span.end.min(measured.end) - span.start.max(measured.start);
        inside += covered.max(0.0);
        all += span.end - span.start;
    }
    (all > 0.0).then(|| inside / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(engine: Engine, start: f64, end: f64) -> Span {
        Span { stream: 0, engine, what: String::new(), start, end }
    }

    /// From 3 to 8: half a copy of 2, none of another, and none of what moves within the device.
    #[test]
    fn a_measurement_covers_what_lies_between_its_events() {
        use cudart_sim::report::ElapsedTime;
        let mut program = Report {
            timeline: vec![
                span(Engine::ToDevice, 2.0, 4.0),
                span(Engine::Device, 4.0, 9.0),
                span(Engine::ToHost, 9.0, 11.0),
            ],
            ..Report::default()
        };
        assert_eq!(measured_share(&program, copy_spans(&program)), None, "nothing was measured");
        program.elapsed = vec![ElapsedTime { start: 3.0, end: 8.0, milliseconds: 0.005, at: None }];
        assert_eq!(measured_share(&program, copy_spans(&program)), Some(0.25));
        assert_eq!(
            measured_share(&program, kernel_spans(&program)),
            None,
            "spans that are not launches are not kernels"
        );
        assert_eq!(measured_share(&program, program.timeline.iter().skip(1).take(1)), Some(0.8));
    }
}
