//! Tests that a misbehaving child cannot harm the checker. Some children are shell scripts that
//! violate the protocol. Others are this test binary, which serves requests with wrong replies.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use super::cancel::Killer;
use super::child::serve_with;
use super::process::{NoReply, Process, Program};
use super::sandbox::Rules;
use super::wire::{self, Reply, Request};
use super::{Error, Role, Sandbox, Worker};
use cudart_sim::runtime::Watching;

use crate::backend::{Arg, Call, Choice, Fault, GpuInfo, Launch, NoGpu, PRINTED_LIMIT, Run};
use crate::value::DType;

mod programs;

/// A time limit that a test reaches.
const SHORT_LIMIT: Duration = Duration::from_millis(500);

/// A time limit that no test should reach.
const LONG_LIMIT: Duration = Duration::from_secs(60);

fn worker(script: &str) -> Worker {
    // these tests are about the protocol, not about the sandbox
    Worker::from(Program::shell(script)).with_sandbox(Sandbox::Off)
}

/// This test binary as a child. Descriptor 3 is the pipe to the parent, because libtest writes to
/// standard output.
fn misbehaving() -> Worker {
    misbehaving_with("1")
}

/// The same with a file in place of a GPU that only one process at a time can use. The process that
/// locks the file has the GPU.
fn misbehaving_with(gpu: &str) -> Worker {
    let binary = std::env::current_exe().unwrap();
    worker(&format!(
        "exec env CUDA_WORKBOOK_TEST_CHILD='{gpu}' '{}' --exact worker::tests::impersonate --nocapture 3>&1 1>/dev/null",
        binary.display()
    ))
}

/// Opens the GPU that a file stands for, until the file is closed.
fn open_gpu(gpu: &File) -> Reply {
    match gpu.try_lock() {
        Ok(()) => Reply::Gpu(GpuInfo {
            name: "exclusive".into(),
            memory: 1,
            capability: (1, 0),
            driver: (1, 0),
        }),
        Err(_) => Reply::NoGpu(NoGpu::unknown("another process has it".into())),
    }
}

fn launch(entry: &str) -> Launch {
    Launch {
        entry: entry.into(),
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        cooperative: false,
        ordered: vec![],
        args: Vec::new(),
        seed: 1,
        budget: 1000,
        repeat: 0,
        disturbance: None,
        snapshots: None,
        count_waits: false,
        part_of: None,
    }
}

fn call(entry: &str, args: Vec<(DType, Arg)>) -> Call {
    Call {
        entry: entry.into(),
        args,
        seed: 1,
        budget: 1,
        timed: None,
        traced: None,
        watching: Watching::default(),
        skipped: None,
        part_of: None,
        disturbance: None,
        snapshots: vec![],
        fault: None,
        resources: vec![],
    }
}

fn run(worker: &mut Worker, entry: &str, limit: Duration) -> Result<Run, Error> {
    worker.run(Choice::Sim, "ptx", &launch(entry), limit)
}

fn blank() -> Run {
    Run {
        outputs: Vec::new(),
        faults: Vec::new(),
        observations: None,
        program: None,
        resources: vec![],
        printed: String::new(),
        printed_dropped: 0,
        uncopied: vec![],
        written_by_host: vec![],
        milliseconds: vec![],
        cold_milliseconds: vec![],
        device: "honest".into(),
    }
}

/// The child that `misbehaving` starts, and not a test.
#[test]
fn impersonate() {
    let Some(gpu) = std::env::var_os("CUDA_WORKBOOK_TEST_CHILD") else { return };
    let gpu = File::open(gpu);
    let parent = OpenOptions::new().write(true).open("/proc/self/fd/3").unwrap();
    rustix::stdio::dup2_stdout(&parent).unwrap();
    drop(parent);
    let mut received = 0;
    let mut caller = crate::program::Caller::new(false, |_| {});
    serve_with(Role::Simulator, |request| {
        if let Request::Call { object, call, token } = request {
            if call.entry != "compiled" {
                return reply_to_call(&call.entry, &object, token);
            }
            return match caller.call(&object, &call) {
                Ok(run) => Reply::Called { token, run: Box::new(run), last: false },
                Err(error) => Reply::Bug(error),
            };
        }
        if let (Request::Gpu, Ok(gpu)) = (&request, &gpu) {
            return open_gpu(gpu);
        }
        let Request::Run { ptx, launch } = request else { return Reply::Bug("not a run".into()) };
        received += usize::from(ptx.is_some());
        let mut run = blank();
        match launch.entry.as_str() {
            "forge" => {
                let forged = GpuInfo {
                    name: "forged".into(),
                    memory: 1,
                    capability: (1, 0),
                    driver: (1, 0),
                };
                let frame = wire::encode(&Reply::Gpu(forged)).unwrap();
                for name in ["/proc/self/fd/1", "/proc/self/fd/2"] {
                    File::options().append(true).open(name).unwrap().write_all(&frame).unwrap();
                }
            }
            "flood" => {
                let mut out = std::io::stdout().lock();
                for i in 0..1_000_000 {
                    writeln!(out, "line {i:07}").unwrap();
                }
            }
            "panic" => panic!("an index went wrong"),
            "allocate" => drop(std::hint::black_box(vec![1_u8; 8 << 30])),
            "sleep" => std::thread::sleep(Duration::from_secs(24 * 3600)),
            "nap" => std::thread::sleep(Duration::from_millis(20)),
            "naps" => {
                let start = std::time::Instant::now();
                while start.elapsed() < 11 * SHORT_LIMIT {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            "environment" => {
                run.device = std::env::vars().map(|(k, _)| k).collect::<Vec<_>>().join(" ");
            }
            "received" => run.device = received.to_string(),
            _ => {}
        }
        Reply::Ran { run: Box::new(run), last: launch.entry == "last" }
    });
}

/// The reply of a program's process to a call.
fn reply_to_call(entry: &str, object: &Path, token: wire::Token) -> Reply {
    let run = Box::new(blank());
    match entry {
        "honest" => Reply::Called { token, run, last: false },
        "read" => {
            let printed = fs::read_to_string(object).unwrap();
            Reply::Called { token, run: Box::new(Run { printed, ..blank() }), last: false }
        }
        "guess" => Reply::Called { token: [0; 2], run, last: false },
        "run" => Reply::Ran { run, last: true },
        "no-sandbox" => Reply::NoSandbox("none".into()),
        _ => Reply::NoGpu(NoGpu::unknown("none".into())),
    }
}

/// The time limit holds whatever the child does, even if it does not read a request that is larger
/// than a pipe.
#[test]
fn a_child_that_never_replies_is_killed_in_time() {
    for body in ["exec sleep 600", "trap '' TERM INT HUP; while :; do sleep 600; done"] {
        let mut worker = worker(body);
        let large = "x".repeat(8 << 20);
        let run =
            worker.run(Choice::Sim, &large, &launch("k"), Duration::from_millis(300)).unwrap();
        assert_eq!(run.faults, [Fault::TimedOut { seconds: 0.3 }]);
        assert!(worker.simulator.is_none());
    }
}

/// A child that sleeps again and again is not one that gets no processor, so its limit is not
/// extended.
#[test]
fn short_sleeps_count_as_time() {
    let mut worker = misbehaving();
    let run = run(&mut worker, "naps", SHORT_LIMIT).unwrap();
    assert_eq!(run.faults, [Fault::TimedOut { seconds: SHORT_LIMIT.as_secs_f64() }]);
}

/// A cancelled job ends before its time limit, and the next job runs as usual.
#[test]
fn another_thread_can_cancel_a_job() {
    let mut worker = worker("exec sleep 600");
    let killer = worker.killer();
    let ending = std::thread::spawn({
        let killer = killer.clone();
        move || {
            std::thread::sleep(Duration::from_millis(100));
            killer.kill();
        }
    });
    let run = worker.run(Choice::Sim, "", &launch("k"), LONG_LIMIT);
    assert!(matches!(run, Err(Error::Cancelled)), "{run:?}");
    assert!(worker.simulator.is_none(), "the child was killed");
    ending.join().unwrap();

    let run = worker.run(Choice::Sim, "", &launch("k"), LONG_LIMIT);
    assert!(matches!(run, Err(Error::Cancelled)), "no job starts before the worker is resumed");
    killer.resume();
    let run = worker.run(Choice::Sim, "", &launch("k"), Duration::from_millis(200)).unwrap();
    assert_eq!(run.faults, [Fault::TimedOut { seconds: 0.2 }]);
}

/// A job that is killed and resumed before it has noticed is still cancelled, and the next one is
/// not.
#[test]
fn a_job_that_is_killed_and_resumed_at_once_is_cancelled() {
    let mut worker = misbehaving();
    let killer = worker.killer();
    for _ in 0..20 {
        let ending = std::thread::spawn({
            let killer = killer.clone();
            move || {
                std::thread::sleep(Duration::from_millis(20));
                killer.kill();
                killer.resume();
            }
        });
        let run = run(&mut worker, "nap", LONG_LIMIT);
        ending.join().unwrap();
        // if the child starts slowly, `kill` and `resume` may both come before the job, which then
        // runs
        assert!(matches!(&run, Err(Error::Cancelled)) || run.is_ok_and(|r| r.faults.is_empty()));
    }
    assert_eq!(run(&mut worker, "quiet", LONG_LIMIT).unwrap().device, "honest");
}

/// The processes that a child has started are killed with it, and no zombie is left.
#[test]
fn the_whole_group_is_killed_and_reaped() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("pid");
    let script = format!("sleep 600 & echo $! > '{}'; wait", note.display());
    let mut process =
        Process::start(&Program::shell(&script), Role::Simulator, &Rules::default()).unwrap();
    let child = process.id();
    assert!(matches!(
        process.request(&Request::Gpu, Duration::from_millis(500), &Killer::default()),
        Err(NoReply::TimedOut)
    ));
    let grandchild = fs::read_to_string(&note).unwrap();
    let gone = |pid: &str| match fs::read_to_string(format!("/proc/{pid}/stat")) {
        // it has another parent now, which may not have collected its exit status yet
        Ok(stat) => stat.contains(") Z "),
        Err(_) => true,
    };
    while !gone(grandchild.trim()) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!fs::exists(format!("/proc/{child}")).unwrap(), "the child was not reaped");
}

/// A crash is reported with its cause and the last printed line, whether it comes before, between
/// or within frames.
#[test]
fn the_cause_of_a_death_is_reported() {
    for (body, how) in [
        ("echo last words >&2; exit 7", "exit code 7: last words"),
        ("printf 'cwk1\\011\\000\\000\\000\\000\\000\\000\\000abc'; exit 7", "exit code 7"),
        ("printf cwk; kill -SEGV $$", "signal 11"),
    ] {
        let mut worker = worker(body);
        let run = run(&mut worker, "k", LONG_LIMIT).unwrap();
        assert_eq!(run.faults, [Fault::WorkerDied { how: how.into() }]);
    }
}

/// Bytes that are not a frame, and frames that are not a reply, are errors of the checker and never
/// of the learner.
#[test]
fn a_malformed_reply_is_an_error() {
    for body in [
        "echo 'case 1: passed'; sleep 600",
        "printf 'cwk1\\377\\377\\377\\377\\377\\377\\377\\377'; sleep 600",
        "printf 'cwk1\\003\\000\\000\\000\\000\\000\\000\\000\\377\\377\\377'; sleep 600",
    ] {
        let mut worker = worker(body);
        assert!(matches!(run(&mut worker, "k", LONG_LIMIT), Err(Error::Protocol(_))), "{body}");
    }
}

#[test]
fn a_missing_program_is_named() {
    let mut worker = Worker::with_program("/nonexistent/checker".into());
    let text = run(&mut worker, "k", LONG_LIMIT).unwrap_err().to_string();
    assert!(text.contains("/nonexistent/checker"), "{text}");
    assert!(worker.gpu().unwrap_err().why.contains("/nonexistent/checker"));
}

/// A frame on standard output or standard error is output, and not a reply.
#[test]
fn printed_frames_are_not_replies() {
    let mut worker = misbehaving();
    let run = run(&mut worker, "forge", LONG_LIMIT).unwrap();
    assert_eq!(run.device, "honest");
    assert_eq!(run.printed.matches("cwk1").count(), 2, "{}", run.printed);
    assert_eq!(run.printed.matches("forged").count(), 2);
}

/// Long output is cut and counted, and the next job starts without output.
#[test]
fn a_million_lines_are_cut_and_counted() {
    let mut worker = misbehaving();
    let flood = run(&mut worker, "flood", LONG_LIMIT).unwrap();
    assert_eq!(flood.printed.len(), PRINTED_LIMIT);
    assert!(flood.printed.starts_with("line 0000000\nline 0000001\n"));
    assert_eq!(flood.printed_dropped, 13_000_000 - PRINTED_LIMIT as u64);
    let next = run(&mut worker, "quiet", LONG_LIMIT).unwrap();
    assert_eq!((next.printed.as_str(), next.printed_dropped), ("", 0));
}

/// A panic is a bug of the checker, and is reported with its location. The next job gets a new
/// child.
#[test]
fn a_panic_is_a_bug_of_the_checker() {
    let mut worker = misbehaving();
    match run(&mut worker, "panic", LONG_LIMIT) {
        Err(Error::Bug(text)) => {
            assert!(text.contains("an index went wrong") && text.contains("tests.rs:"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(run(&mut worker, "quiet", LONG_LIMIT).unwrap().device, "honest");
}

/// An allocation beyond the memory limit ends only the child.
#[test]
fn a_huge_allocation_ends_only_the_child() {
    let mut worker = misbehaving();
    let run = run(&mut worker, "allocate", LONG_LIMIT).unwrap();
    let [Fault::WorkerDied { how }] = &run.faults[..] else { panic!("{:?}", run.faults) };
    assert!(how.starts_with("signal 6: memory allocation of"), "{how}");
    assert_eq!(self::run(&mut worker, "quiet", LONG_LIMIT).unwrap().device, "honest");
}

/// A child is used again, and gets the same PTX only once. A new child gets it again.
#[test]
fn ptx_is_sent_once_per_child() {
    let mut worker = misbehaving();
    for _ in 0..3 {
        assert_eq!(run(&mut worker, "received", LONG_LIMIT).unwrap().device, "1");
    }
    let other = worker.run(Choice::Sim, "other", &launch("received"), LONG_LIMIT).unwrap();
    assert_eq!(other.device, "2");
    run(&mut worker, "last", LONG_LIMIT).unwrap();
    assert_eq!(run(&mut worker, "received", LONG_LIMIT).unwrap().device, "1");
}

/// A child that was killed from outside between two jobs is replaced, and the next job succeeds.
#[test]
fn a_child_killed_between_jobs_is_replaced() {
    let mut worker = misbehaving();
    run(&mut worker, "quiet", LONG_LIMIT).unwrap();
    let pid =
        rustix::process::Pid::from_raw(worker.simulator.as_ref().unwrap().id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    while worker.simulator.as_mut().unwrap().is_alive() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(run(&mut worker, "quiet", LONG_LIMIT).unwrap().device, "honest");
}

/// A learner's `#include "/proc/self/environ"` cannot read the user's variables.
#[test]
fn the_environment_is_not_passed_on() {
    let mut worker = misbehaving();
    let names = run(&mut worker, "environment", LONG_LIMIT).unwrap().device;
    assert!(std::env::var_os("CARGO").is_some(), "cargo sets this for tests");
    for secret in ["CARGO", "HOME", "USER"] {
        assert!(!names.split(' ').any(|name| name == secret), "{names}");
    }
}

/// When the checker is killed, a busy child also ends.
#[test]
fn an_orphan_ends_itself() {
    let mut worker = misbehaving();
    run(&mut worker, "quiet", LONG_LIMIT).unwrap();
    let process = worker.simulator.as_mut().unwrap();
    let request = Request::Run { ptx: None, launch: std::borrow::Cow::Owned(launch("sleep")) };
    process.abandon(&wire::encode(&request).unwrap());
    while process.is_alive() {
        std::thread::sleep(Duration::from_millis(10));
    }
}
