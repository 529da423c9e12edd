//! What children may do to the checker: nothing. Some are shell scripts that break the protocol, others are this very
//! test binary serving with a misbehaving answer.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use super::cancel::Killer;
use super::child::serve_with;
use super::process::{Lost, Process, Program};
use super::sandbox::Rules;
use super::wire::{self, Reply, Request};
use super::{Error, Role, Sandbox, Worker};
use crate::backend::{Arg, Call, Choice, Fault, GpuInfo, Launch, NoGpu, PRINTED_LIMIT, Run};
use crate::value::DType;

mod programs;

const PATIENCE: Duration = Duration::from_secs(60);

fn worker(script: &str) -> Worker {
    // what a script does to the protocol is the question here, not what it may do to the machine
    Worker::from(Program::shell(script)).with_sandbox(Sandbox::Off)
}

/// This test binary as a child. Descriptor 3 keeps the way to the parent, as libtest writes to standard output.
fn misbehaving() -> Worker {
    misbehaving_with("1")
}

/// The same with a file that stands for a GPU which one process can hold at a time: who locks it has it.
fn misbehaving_with(gpu: &str) -> Worker {
    let binary = std::env::current_exe().unwrap();
    worker(&format!(
        "exec env CUDA_WORKBOOK_TEST_CHILD='{gpu}' '{}' --exact worker::tests::impersonate --nocapture 3>&1 1>/dev/null",
        binary.display()
    ))
}

/// Takes the GPU that a file stands for, for as long as the file is open.
fn take(gpu: &File) -> Reply {
    match gpu.try_lock() {
        Ok(()) => Reply::Gpu(GpuInfo {
            name: "exclusive".into(),
            memory: 1,
            capability: (1, 0),
            driver: (1, 0),
        }),
        Err(_) => Reply::NoGpu(NoGpu { why: "somebody else has it".into() }),
    }
}

fn launch(entry: &str) -> Launch {
    Launch {
        entry: entry.into(),
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        cooperative: false,
        args: Vec::new(),
        seed: 1,
        budget: 1000,
        repeat: 0,
    }
}

fn call(entry: &str, args: Vec<(DType, Arg)>) -> Call {
    Call { entry: entry.into(), args, seed: 1, budget: 1, repeat: 0 }
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
        printed: String::new(),
        printed_dropped: 0,
        milliseconds: vec![],
        device: "honest".into(),
    }
}

/// Not a test of its own: the child that `misbehaving` starts.
#[test]
fn impersonate() {
    let Some(gpu) = std::env::var_os("CUDA_WORKBOOK_TEST_CHILD") else { return };
    let gpu = File::open(gpu);
    let parent = OpenOptions::new().write(true).open("/proc/self/fd/3").unwrap();
    rustix::stdio::dup2_stdout(&parent).unwrap();
    drop(parent);
    let mut received = 0;
    let mut job = crate::program::Job::new(false, |_| {});
    serve_with(Role::Simulator, |request| {
        if let Request::Call { object, call, token } = request {
            if call.entry != "compiled" {
                return called(&call.entry, &object, token);
            }
            return match job.call(&object, &call) {
                Ok(run) => Reply::Called { token, run: Box::new(run.into()), last: false },
                Err(error) => Reply::Bug(error),
            };
        }
        if let (Request::Gpu, Ok(gpu)) = (&request, &gpu) {
            return take(gpu);
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
            "sleep" => std::thread::sleep(PATIENCE),
            "nap" => std::thread::sleep(Duration::from_millis(20)),
            "environment" => {
                run.device = std::env::vars().map(|(k, _)| k).collect::<Vec<_>>().join(" ");
            }
            "received" => run.device = received.to_string(),
            _ => {}
        }
        Reply::Ran { run: Box::new(run.into()), last: launch.entry == "last" }
    });
}

/// What a program's process answers to a call.
fn called(entry: &str, object: &Path, token: wire::Token) -> Reply {
    let run = Box::new(blank().into());
    match entry {
        "honest" => Reply::Called { token, run, last: false },
        "read" => {
            let printed = fs::read_to_string(object).unwrap();
            Reply::Called { token, run: Box::new(Run { printed, ..blank() }.into()), last: false }
        }
        "guess" => Reply::Called { token: [0; 2], run, last: false },
        "run" => Reply::Ran { run, last: true },
        "no-sandbox" => Reply::NoSandbox("none".into()),
        _ => Reply::NoGpu(NoGpu { why: "none".into() }),
    }
}

/// The clock is kept whatever the child does: not answer, not even read a request larger than a pipe.
#[test]
fn a_child_that_never_answers_is_killed_in_time() {
    for body in ["exec sleep 600", "trap '' TERM INT HUP; while :; do sleep 600; done"] {
        let mut worker = worker(body);
        let start = Instant::now();
        let large = "x".repeat(8 << 20);
        let run =
            worker.run(Choice::Sim, &large, &launch("k"), Duration::from_millis(300)).unwrap();
        assert_eq!(run.faults, [Fault::TimedOut { seconds: 0.3 }]);
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert!(worker.simulator.is_none());
    }
}

/// A save during an endless kernel must not wait for the clock, and the next job must run as if nothing had been.
#[test]
fn another_thread_can_end_a_job() {
    let mut worker = worker("exec sleep 600");
    let killer = worker.killer();
    let start = Instant::now();
    let ending = std::thread::spawn({
        let killer = killer.clone();
        move || {
            std::thread::sleep(Duration::from_millis(100));
            killer.kill();
        }
    });
    let run = worker.run(Choice::Sim, "", &launch("k"), PATIENCE);
    assert!(matches!(run, Err(Error::Cancelled)), "{run:?}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(worker.simulator.is_none(), "the child was killed");
    ending.join().unwrap();

    let run = worker.run(Choice::Sim, "", &launch("k"), PATIENCE);
    assert!(matches!(run, Err(Error::Cancelled)), "until it is resumed, no job starts");
    killer.resume();
    let run = worker.run(Choice::Sim, "", &launch("k"), Duration::from_millis(200)).unwrap();
    assert_eq!(run.faults, [Fault::TimedOut { seconds: 0.2 }]);
}

/// Killed and resumed before the job has noticed: it is cancelled all the same, and the next one is not.
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
        let run = run(&mut worker, "nap", PATIENCE);
        ending.join().unwrap();
        // A child that starts slowly may be killed before its job begins, which then runs.
        assert!(matches!(&run, Err(Error::Cancelled)) || run.is_ok_and(|r| r.faults.is_empty()));
    }
    assert_eq!(run(&mut worker, "quiet", PATIENCE).unwrap().device, "honest");
}

/// Whatever a child started goes with it, and nobody is left as a zombie.
#[test]
fn the_whole_group_is_killed_and_reaped() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("pid");
    let script = format!("sleep 600 & echo $! > '{}'; wait", note.display());
    let mut process =
        Process::start(&Program::shell(&script), Role::Simulator, &Rules::default()).unwrap();
    let child = process.id();
    assert!(matches!(
        process.ask(&Request::Gpu, Duration::from_millis(500), &Killer::default()),
        Err(Lost::TimedOut)
    ));
    let grandchild = fs::read_to_string(&note).unwrap();
    let gone = |pid: &str| match fs::read_to_string(format!("/proc/{pid}/stat")) {
        // Reparented, so a zombie of somebody else's: dead all the same.
        Ok(stat) => stat.contains(") Z "),
        Err(_) => true,
    };
    let start = Instant::now();
    while !gone(grandchild.trim()) && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(gone(grandchild.trim()));
    assert!(!fs::exists(format!("/proc/{child}")).unwrap(), "the child was not reaped");
}

/// A crash is reported with its cause and its last words, whether it comes before, between or within frames.
#[test]
fn a_child_that_dies_says_how() {
    for (body, how) in [
        ("echo last words >&2; exit 7", "exit code 7: last words"),
        ("printf 'cwk1\\011\\000\\000\\000\\000\\000\\000\\000abc'; exit 7", "exit code 7"),
        ("printf cwk; kill -SEGV $$", "signal 11"),
    ] {
        let mut worker = worker(body);
        let run = run(&mut worker, "k", PATIENCE).unwrap();
        assert_eq!(run.faults, [Fault::WorkerDied { how: how.into() }]);
    }
}

/// An answer that is no frame, or a frame that is no answer, is our error and never the learner's.
#[test]
fn nonsense_is_an_error() {
    for body in [
        "echo 'case 1: passed'; sleep 600",
        "printf 'cwk1\\377\\377\\377\\377\\377\\377\\377\\377'; sleep 600",
        "printf 'cwk1\\003\\000\\000\\000\\000\\000\\000\\000\\377\\377\\377'; sleep 600",
    ] {
        let mut worker = worker(body);
        let start = Instant::now();
        assert!(matches!(run(&mut worker, "k", PATIENCE), Err(Error::Protocol(_))), "{body}");
        assert!(start.elapsed() < PATIENCE / 2);
    }
}

#[test]
fn a_missing_program_is_named() {
    let mut worker = Worker::with_program("/nonexistent/checker".into());
    let text = run(&mut worker, "k", PATIENCE).unwrap_err().to_string();
    assert!(text.contains("/nonexistent/checker"), "{text}");
    assert!(worker.gpu().unwrap_err().why.contains("/nonexistent/checker"));
}

/// A frame on standard output or error is output, not an answer.
#[test]
fn printed_frames_are_not_answers() {
    let mut worker = misbehaving();
    let run = run(&mut worker, "forge", PATIENCE).unwrap();
    assert_eq!(run.device, "honest");
    assert_eq!(run.printed.matches("cwk1").count(), 2, "{}", run.printed);
    assert_eq!(run.printed.matches("forged").count(), 2);
}

/// A flood is cut and counted, and the next job starts with an empty page.
#[test]
fn a_million_lines_are_cut_and_counted() {
    let mut worker = misbehaving();
    let flood = run(&mut worker, "flood", PATIENCE).unwrap();
    assert_eq!(flood.printed.len(), PRINTED_LIMIT);
    assert!(flood.printed.starts_with("line 0000000\nline 0000001\n"));
    assert_eq!(flood.printed_dropped, 13_000_000 - PRINTED_LIMIT as u64);
    let next = run(&mut worker, "quiet", PATIENCE).unwrap();
    assert_eq!((next.printed.as_str(), next.printed_dropped), ("", 0));
}

/// A panic is the checker's own bug, with its place; the next job gets a fresh child.
#[test]
fn a_panic_is_a_bug_of_the_checker() {
    let mut worker = misbehaving();
    match run(&mut worker, "panic", PATIENCE) {
        Err(Error::Bug(text)) => {
            assert!(text.contains("an index went wrong") && text.contains("tests.rs:"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(run(&mut worker, "quiet", PATIENCE).unwrap().device, "honest");
}

/// Memory is limited: an allocation beyond it ends the child, not the machine.
#[test]
fn a_huge_allocation_ends_only_the_child() {
    let mut worker = misbehaving();
    let run = run(&mut worker, "allocate", PATIENCE).unwrap();
    let [Fault::WorkerDied { how }] = &run.faults[..] else { panic!("{:?}", run.faults) };
    assert!(how.starts_with("signal 6: memory allocation of"), "{how}");
    assert_eq!(self::run(&mut worker, "quiet", PATIENCE).unwrap().device, "honest");
}

/// A warm child is used again and gets equal PTX once; a new child gets it anew.
#[test]
fn ptx_travels_once_per_child() {
    let mut worker = misbehaving();
    for _ in 0..3 {
        assert_eq!(run(&mut worker, "received", PATIENCE).unwrap().device, "1");
    }
    let other = worker.run(Choice::Sim, "other", &launch("received"), PATIENCE).unwrap();
    assert_eq!(other.device, "2");
    run(&mut worker, "last", PATIENCE).unwrap();
    assert_eq!(run(&mut worker, "received", PATIENCE).unwrap().device, "1");
}

/// A child killed from outside between two jobs is replaced without anybody noticing.
#[test]
fn a_child_killed_between_jobs_is_replaced() {
    let mut worker = misbehaving();
    run(&mut worker, "quiet", PATIENCE).unwrap();
    let pid =
        rustix::process::Pid::from_raw(worker.simulator.as_ref().unwrap().id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let start = Instant::now();
    while worker.simulator.as_mut().unwrap().is_alive() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(run(&mut worker, "quiet", PATIENCE).unwrap().device, "honest");
}

/// A learner's `#include "/proc/self/environ"` finds nothing of the user's.
#[test]
fn the_environment_is_not_passed_on() {
    let mut worker = misbehaving();
    let names = run(&mut worker, "environment", PATIENCE).unwrap().device;
    assert!(std::env::var_os("CARGO").is_some(), "cargo sets this for tests");
    for secret in ["CARGO", "HOME", "USER"] {
        assert!(!names.split(' ').any(|name| name == secret), "{names}");
    }
}

/// When the checker is killed, a busy child does not stay behind.
#[test]
fn an_orphan_ends_itself() {
    let mut worker = misbehaving();
    run(&mut worker, "quiet", PATIENCE).unwrap();
    let process = worker.simulator.as_mut().unwrap();
    let request = Request::Run { ptx: None, launch: std::borrow::Cow::Owned(launch("sleep")) };
    process.abandon(&wire::encode(&request).unwrap());
    let start = Instant::now();
    while process.is_alive() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
