//! The progress of grading: a bar on a terminal, plain lines elsewhere.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use colored::Colorize;
use grading::record::{Record, Status};
use grading::submission::Refused;
use indicatif::{ProgressBar, ProgressStyle};

use super::inputs::lines;
use checker::text::sanitise;

/// The bar and its counts.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    graded: AtomicUsize,
    contained: AtomicUsize,
    infrastructure: AtomicUsize,
}

impl Progress {
    /// The progress of a class; unreadable submissions are reported at once.
    pub fn new(students: usize, refused: &[Refused]) -> Self {
        let bar = ProgressBar::new(students as u64);
        let style = "  grading  {bar:24} {pos}/{len} students{msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let this = Self {
            bar,
            started: Instant::now(),
            graded: AtomicUsize::new(0),
            contained: AtomicUsize::new(0),
            infrastructure: AtomicUsize::new(0),
        };
        lines(refused).iter().for_each(|line| this.note(line));
        this
    }

    /// Prints one line about a submission. The line may quote hostile text.
    pub fn note(&self, line: &str) {
        let line = sanitise(line).replace('\n', " ");
        self.bar.suspend(|| eprintln!("{}: {line}", "warning".yellow().bold()));
    }

    /// Counts a graded student.
    pub fn finished(&self, record: &Record) {
        let graded = self.graded.fetch_add(1, Ordering::Relaxed) + 1;
        let add = |to: &AtomicUsize, count: usize| to.fetch_add(count, Ordering::Relaxed) + count;
        let contained = usize::from(record.flags.iter().any(|flag| flag.what == "contained"));
        let contained = add(&self.contained, contained);
        let lost = record.exercises.iter().filter(|e| e.status == Status::NotGraded).count();
        let lost = add(&self.infrastructure, lost);
        let minutes = self.started.elapsed().as_secs_f64() / 60.0;
        let rate = graded as f64 / minutes.max(1e-3);
        let done = self.bar.position() + 1;
        let rest = self.bar.length().unwrap_or(done).saturating_sub(done) as f64 / rate.max(1e-3);
        let left = match rest {
            rest if rest < 1.0 => format!("{:.0} s left", (rest * 60.0).ceil()),
            rest => format!("{:.0} min left", rest.ceil()),
        };
        self.bar.set_message(format!(
            " · {rate:.0}/min · {left} · {contained} contained · {lost} not graded"
        ));
        self.bar.inc(1);
    }

    /// Counts a student with nothing to grade.
    pub fn skipped(&self) {
        self.bar.inc(1);
    }

    /// Removes the bar.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
