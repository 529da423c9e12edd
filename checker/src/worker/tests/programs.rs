//! What programs may do to the checker, and to each other: nothing.

use std::fs;
use std::time::Duration;

use super::super::{Error, Loaded, Worker, program};
use super::{PATIENCE, call, launch, misbehaving, misbehaving_with};
use crate::backend::{Arg, Choice, Fault};
use crate::value::DType;

/// A program that writes answers of its own gets none of them taken: not one without the call's token, and above all not one
/// that blames the machine.
#[test]
fn a_program_cannot_answer_for_the_checker() {
    let mut worker = misbehaving();
    let mut answer = |entry: &str| {
        let call = call(entry, vec![]);
        worker.load(Choice::Sim, b"")?.call(&call, PATIENCE).map(|run| run.faults)
    };
    assert_eq!(answer("honest").unwrap(), []);
    for forged in ["guess", "run", "no-sandbox", "no-gpu"] {
        let faults = answer(forged).unwrap();
        assert!(matches!(faults.as_slice(), [Fault::Garbled { .. }]), "{forged}: {faults:?}");
    }
}

/// A program that is graded on a GPU which somebody else holds would see calls that fail, and lose points for it. So nothing of
/// it runs there. Our own process for kernels makes room.
#[test]
fn a_program_never_runs_on_a_gpu_that_is_taken() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let call = call("honest", vec![]);
    let mut worker = misbehaving_with(file.path().to_str().unwrap());

    assert_eq!(worker.gpu().unwrap().name, "exclusive");
    assert!(worker.gpu.is_some());
    let mut loaded = worker.load(Choice::Gpu, b"").unwrap();
    assert!(worker.gpu.is_none());
    assert_eq!(loaded.call(&call, PATIENCE).unwrap().faults, []);
    drop(loaded);

    file.as_file().lock().unwrap();
    assert!(matches!(worker.load(Choice::Gpu, b""), Err(Error::NoGpu(_))));
    file.as_file().unlock().unwrap();
    assert!(worker.load(Choice::Gpu, b"").is_ok());
}

/// What a program has started goes on working only while it is called: the clock and the limits look at it then. It can be called
/// again afterwards.
#[test]
fn a_program_stands_still_between_its_calls() {
    let mut worker = misbehaving();
    let mut loaded = worker.load(Choice::Sim, b"").unwrap();
    let call = call("honest", vec![]);
    for calls in 1..=3 {
        assert_eq!(loaded.call(&call, PATIENCE).unwrap().faults, []);
        assert_eq!(loaded.calls(), calls);
        let stat = fs::read_to_string(format!("/proc/{}/stat", loaded.id())).unwrap();
        // "T" is stopped by a signal (proc_pid_stat(5)), which may take a moment to reach it
        let stopped = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(2));
            let stat = fs::read_to_string(format!("/proc/{}/stat", loaded.id())).unwrap();
            stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('T'))
        });
        assert!(stopped, "{stat}");
    }
}

/// On a GPU the programs of a learner follow each other in a process that is kept, the next learner's have a new one, and one
/// that is not kept ends.
#[test]
fn programs_follow_each_other_on_a_gpu() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut worker = misbehaving_with(file.path().to_str().unwrap());
    let next = |worker: &mut Worker, object: &[u8]| {
        let mut loaded = worker.load(Choice::Gpu, object).unwrap();
        let run = loaded.call(&call("read", vec![]), PATIENCE).unwrap();
        assert_eq!(run.printed.as_bytes(), object);
        loaded
    };

    let first = next(&mut worker, b"first");
    let process = first.id();
    worker.keep(first);
    let second = next(&mut worker, b"second");
    assert_eq!((second.id(), second.calls()), (process, 2));
    worker.keep(second);
    worker.recycle();
    let other = next(&mut worker, b"of somebody else");
    assert_ne!(other.id(), process);
    assert_eq!(other.calls(), 1);
    let process = other.id();
    drop(other);
    assert_ne!(next(&mut worker, b"not kept").id(), process);

    // what is kept does not hold a GPU for one process against our own, which runs kernels
    let kept = next(&mut worker, b"kept");
    worker.keep(kept);
    worker.run(Choice::Gpu, "ptx", &launch("k"), PATIENCE).unwrap();
    assert!(worker.program_on_gpu.is_none());
}

/// A file that waits where a compiled program is to be written is not written through: it may be a link to anywhere.
#[test]
fn a_program_is_not_written_through_a_link() {
    let mut worker = misbehaving();
    let mut loaded = worker.load(Choice::Sim, b"").unwrap();
    let precious = tempfile::NamedTempFile::new().unwrap();
    fs::write(precious.path(), "precious").unwrap();
    std::os::unix::fs::symlink(precious.path(), loaded.own().join("program-1.so")).unwrap();
    assert!(matches!(loaded.put(b"written"), Err(Error::Object(_))));
    assert_eq!(fs::read_to_string(precious.path()).unwrap(), "precious");
}

/// Two programs in one process have functions and variables of the same name. Each finds its own, as it left them.
#[test]
fn each_program_of_a_process_has_its_own_names() {
    let folder = tempfile::tempdir().unwrap();
    let compile = |step: u32| {
        let (source, object) = (folder.path().join("p.c"), folder.path().join("p.so"));
        let code = format!("int sum; void compiled(int* out) {{ *out = sum += {step}; }}");
        fs::write(&source, code).unwrap();
        let cc = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([&object, &source])
            .status();
        assert!(cc.unwrap().success());
        fs::read(&object).unwrap()
    };
    let out =
        Arg::Buffer { name: "out".into(), dtype: DType::I32, bytes: 4, data: None, writable: true };
    let call = call("compiled", vec![(DType::I32, out)]);
    let mut worker = misbehaving();
    let mut loaded = worker.load(Choice::Sim, &compile(1)).unwrap();
    let next = |loaded: &mut Loaded| {
        let run = loaded.call(&call, PATIENCE).unwrap();
        assert_eq!(run.faults, []);
        i32::from_le_bytes(run.outputs[0].data[..].try_into().unwrap())
    };
    assert_eq!([next(&mut loaded), next(&mut loaded)], [1, 2]);
    loaded.put(&compile(10)).unwrap();
    assert_eq!([next(&mut loaded), next(&mut loaded)], [10, 20]);
}

/// Tokens are never the same, or an answer to one call would be one to the next.
#[test]
fn tokens_differ() {
    let tokens: std::collections::HashSet<_> = (0..100).flat_map(|_| program::token()).collect();
    assert_eq!(tokens.len(), 200);
}
