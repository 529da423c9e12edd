//! Times from a save to the verdict, in a warm `checker watch blocks` whose file is replaced by one
//! version after another, so that the cache never has the result. `cargo bench --bench watch`
//! prints the times in milliseconds.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const SAVES: usize = 25;

fn main() {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let root = temp.path().join("workbook");
    checker(temp.path()).args(["init", "workbook"]).output().expect("the checker starts");
    let file = root.join("exercises/ch01_threads/blocks.cu");
    let skeleton = fs::read_to_string(&file).expect("the exercise");
    let solution =
        checker(&root).args(["solution", "blocks", "--spoil"]).output().expect("the solution");
    let solution = String::from_utf8(solution.stdout).expect("text");

    let mut watch = checker(&root);
    watch.args(["watch", "blocks", "--backend", "sim"]).stdout(Stdio::piped());
    let mut child = watch.spawn().expect("the checker starts");
    let lines = lines(&mut child);
    wait(&lines, Duration::from_secs(300));

    let run = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    for (name, text) in [("wrong (the skeleton)", &skeleton), ("right (the solution)", &solution)] {
        let mut times = Vec::new();
        for save in 0..SAVES {
            // A pause as in an editor. The first save of a series is for warming up and does not
            // count.
            thread::sleep(Duration::from_millis(200));
            let start = Instant::now();
            fs::write(&file, format!("{text}\n// {run} {save}\n")).expect("writable");
            wait(&lines, Duration::from_secs(30));
            if save > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
        times.sort_by(f64::total_cmp);
        let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or(f64::NAN);
        println!(
            "watch blocks, {name}: save to verdict {:.0} ms (median), {:.0} ms (90 %), {:.0} to {:.0} ms",
            at(50),
            at(90),
            at(0),
            times.last().copied().unwrap_or(f64::NAN),
        );
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn checker(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

fn lines(child: &mut Child) -> Receiver<String> {
    let out = child.stdout.take().expect("piped");
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}

/// Waits for a report's last line, which names the device and the time.
fn wait(lines: &Receiver<String>, limit: Duration) {
    let start = Instant::now();
    loop {
        match lines.recv_timeout(limit.saturating_sub(start.elapsed())) {
            Ok(line) if line.contains("simulator · ") => return,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => panic!("no verdict within {limit:?}"),
            Err(RecvTimeoutError::Disconnected) => panic!("the checker ended"),
        }
    }
}
