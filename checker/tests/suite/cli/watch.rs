//! `checker watch` without a terminal: each save leads to a verdict.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::common::{Workbook, checker};

/// A running `watch`, which is killed at the end of the test.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(workbook: &Workbook, name: &str) -> Self {
        Self::start_with(workbook, &[name])
    }

    fn start_with(workbook: &Workbook, arguments: &[&str]) -> Self {
        let mut command = checker(&workbook.root());
        command.args(["watch", "--backend", "sim"]).args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the checker starts");
        let out = child.stdout.take().expect("piped");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { child, lines }
    }

    /// Waits for a line with this text, and returns how long that took.
    fn wait_for(&self, text: &str, limit: Duration) -> Duration {
        let start = Instant::now();
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(limit.saturating_sub(start.elapsed())) {
                Ok(line) if line.contains(text) => return start.elapsed(),
                Ok(line) => seen.push(line),
                Err(error) => panic!("no `{text}` ({error}) in:\n{}", seen.join("\n")),
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How long to wait for a line. It is long because the compiler may have to be installed first, and
/// because other tests run at the same time.
const LINE_TIMEOUT: Duration = Duration::from_secs(1800);

/// Every kind of save leads to a check: in place, by renaming as vim does it, and in another
/// exercise.
#[test]
fn every_kind_of_save_is_checked() {
    let workbook = Workbook::new();
    let watch = Watch::start(&workbook, "guard");
    watch.wait_for("error[", LINE_TIMEOUT);

    fs::write(workbook.exercise("guard"), "int main() {").expect("writable");
    watch.wait_for("compile-error", LINE_TIMEOUT);

    let aside = workbook.root().join("exercises/ch01_threads/.guard.cu.swp");
    let solution = workbook.run(&["solution", "guard", "--spoil"]).out;
    fs::write(&aside, solution).expect("writable");
    fs::rename(&aside, workbook.exercise("guard")).expect("renamed");
    watch.wait_for("Next: ", LINE_TIMEOUT);

    fs::write(workbook.exercise("blocks"), "int x = ;").expect("writable");
    watch.wait_for("blocks.cu", LINE_TIMEOUT);
}

/// A save kills the worker of an endless kernel, and the new file is checked.
#[test]
fn a_save_ends_an_endless_kernel() {
    let workbook = Workbook::new();
    let watch = Watch::start(&workbook, "guard");
    watch.wait_for("error[", LINE_TIMEOUT);
    let endless = "extern \"C\" __global__ void guard(const float* a, float* out, int n) {
        for (volatile int i = 0; i < 1; ) { out[0] = 1.0f; }
    }";
    fs::write(workbook.exercise("guard"), endless).expect("writable");
    thread::sleep(Duration::from_millis(300));
    workbook.solve("guard");
    watch.wait_for("Next: ", LINE_TIMEOUT);
}

/// For an editor, the verdicts lie between two lines that it recognises.
#[test]
fn editors_see_where_a_verdict_begins_and_ends() {
    let workbook = Workbook::new();
    let watch = Watch::start_with(&workbook, &["guard", "--format", "short"]);
    watch.wait_for("checking guard", LINE_TIMEOUT);
    watch.wait_for("exercises/ch01_threads/guard.cu:", LINE_TIMEOUT);
    watch.wait_for("checked guard", LINE_TIMEOUT);
    let solution = workbook.run(&["solution", "guard", "--spoil"]).out;
    fs::write(workbook.exercise("guard"), solution).expect("writable");
    watch.wait_for("checking guard", LINE_TIMEOUT);
    watch.wait_for("guard: passed", LINE_TIMEOUT);
    watch.wait_for("checked guard", LINE_TIMEOUT);
}
