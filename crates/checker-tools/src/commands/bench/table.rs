//! What `checker bench` prints.

use std::fmt::Write;

use colored::Colorize;

use super::history::{Entry, LibraryTime, Measured};
use super::roofline::{Bound, Roofline};
use crate::timing::Sample;

/// Times that differ by less than this share count as equal.
const NOISE: f64 = 0.03;

/// The times as a table, with sentences about them.
pub fn text(entry: &Entry, earlier: Option<&[Entry]>) -> String {
    let mut out = String::new();
    let clocks = entry.clocks.map_or(String::new(), |clocks| {
        format!(
            ", {:.0} MHz, memory {:.0} MHz, {:.0} W, {:.0} °C",
            clocks.multiprocessors, clocks.memory, clocks.power, clocks.temperature
        )
    });
    let _ = writeln!(out, "{}{clocks}", entry.gpu.bold());
    let _ = writeln!(
        out,
        "In this run, a copy moves {:.0} GB/s, and float arithmetic reaches {:.1} TFLOP/s.\n",
        entry.limits.copy / 1e9,
        entry.limits.operations / 1e12
    );
    let _ = writeln!(out, "{} with {}", entry.exercise.bold(), entry.sizes);
    let roofline = Roofline::of(entry);
    let of_limit = match roofline.as_ref().map(Roofline::bound) {
        Some(Bound::Arithmetic) => "of the peak",
        Some(Bound::Memory) => "of a copy",
        None if entry.bytes.is_some() => "of a copy",
        None => "",
    };
    let second = match entry.yours {
        Measured { kernels: Some(_), .. } => "its kernels",
        Measured { cold: Some(_), .. } => "cold cache",
        _ => "",
    };
    let _ = writeln!(out, "{:<14}{:>12}{:>9}{second:>14}{of_limit:>13}", "", "median", "spread");
    row(&mut out, entry, "your file", &entry.yours);
    if let Some(original) = &entry.original {
        row(&mut out, entry, "the original", original);
    }
    row(&mut out, entry, "the solution", &entry.solution);
    if let Some(LibraryTime { name, time }) = &entry.library {
        let kernels = entry.yours.kernels.map(|_| *time);
        row(&mut out, entry, name, &Measured { warm: *time, cold: None, kernels });
    }
    out.push('\n');
    if let Some(original) = &entry.original {
        let _ = writeln!(out, "{}", compared(entry, original, "the original"));
    }
    let _ = writeln!(out, "{}", compared(entry, &entry.solution, "the solution"));
    if let Some(library) = &entry.library {
        let _ = writeln!(out, "{}", compared_time(entry, library.time, &library.name));
    }
    if let Some(roofline) = roofline {
        let _ = writeln!(out, "\n{}", roofline.text());
    }
    if let Some(earlier) = earlier {
        let _ = writeln!(out, "{}", history(entry, earlier));
    }
    out.truncate(out.trim_end().len());
    out
}

fn row(out: &mut String, entry: &Entry, name: &str, measured: &Measured) {
    let milliseconds = |median: f64| format!("{median:.4} ms");
    let spread = format!("{:.1} %", 100.0 * measured.warm.spread);
    let second = measured.kernels.or(measured.cold);
    let second = second.map_or(String::new(), |sample| milliseconds(sample.median));
    let share = entry.least().map_or(String::new(), |least| {
        format!("{:.0} %", 100.0 * least / (measured.shown().median * 1e-3))
    });
    let median = milliseconds(measured.warm.median);
    let _ = writeln!(out, "{name:<14}{median:>12}{spread:>9}{second:>14}{share:>13}");
}

/// "Your file is 2.0 times as fast as the original."
fn compared(entry: &Entry, other: &Measured, name: &str) -> String {
    compared_time(entry, other.shown(), name)
}

fn compared_time(entry: &Entry, other: Sample, name: &str) -> String {
    let factor = other.median / entry.yours.shown().median;
    if (factor - 1.0).abs() < NOISE {
        format!("Your file is as fast as {name}.")
    } else if factor > 1.0 {
        format!("Your file is {factor:.2} times as fast as {name}.")
    } else {
        format!("Your file takes {:.2} times as long as {name}.", 1.0 / factor)
    }
}

/// How the times compare with earlier ones of this exercise on this GPU.
fn history(entry: &Entry, earlier: &[Entry]) -> String {
    let same = |other: &&Entry| {
        other.exercise == entry.exercise && other.gpu == entry.gpu && other.sizes == entry.sizes
    };
    let earlier: Vec<&Entry> = earlier.iter().filter(same).collect();
    let median = |entry: &Entry| entry.yours.shown().median;
    let best = earlier.iter().copied().min_by(|a, b| median(a).total_cmp(&median(b)));
    let (Some(last), Some(best)) = (earlier.last(), best) else {
        return "The record has no earlier times of this exercise on this GPU.".into();
    };
    let said = |name: &str, other: &Entry| {
        let day = other.at.strftime("%Y-%m-%d %H:%M");
        let change = 100.0 * (median(entry) / median(other) - 1.0);
        format!(
            "{name:<14}{:>12}  {day} UTC, now {change:+.0} %",
            format!("{:.4} ms", median(other))
        )
    };
    let mut text = format!("\nEarlier times, of {}:\n{}", earlier.len(), said("the last", last));
    if best.at != last.at {
        let _ = write!(text, "\n{}", said("the best", best));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::history::tests::entry;
    use super::*;

    /// The whole output, as a learner sees it.
    #[test]
    fn the_table() {
        colored::control::set_override(false);
        let earlier = [
            entry(0.4, 0.25),
            entry(0.8, 0.25),
            Entry { gpu: "another".into(), ..entry(0.1, 0.25) },
        ];
        insta::assert_snapshot!(text(&entry(0.5, 0.25), Some(&earlier)));
    }

    /// Noise is no progress.
    #[test]
    fn equal_times_are_equal() {
        let same = entry(0.251, 0.25);
        assert_eq!(
            compared(&same, &same.solution, "the solution"),
            "Your file is as fast as the solution."
        );
        assert_eq!(
            history(&same, &[]),
            "The record has no earlier times of this exercise on this GPU."
        );
    }
}
