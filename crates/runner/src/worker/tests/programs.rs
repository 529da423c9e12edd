//! Tests that programs cannot harm the checker or each other.

use std::fs;
use std::time::Duration;

use super::super::{Error, ProgramProcess, Worker, program};
use super::{LONG_LIMIT, call, launch, misbehaving, misbehaving_with};
use crate::backend::{Arg, Choice, Fault};
use crate::value::DType;

/// No reply that a program forges is accepted: none without the token of the call, and none that
/// blames the machine.
#[test]
fn a_program_cannot_forge_replies() {
    let mut worker = misbehaving();
    let mut faults_of = |entry: &str| {
        let call = call(entry, vec![]);
        worker.load(Choice::Sim, b"")?.call(&call, LONG_LIMIT).map(|run| run.faults)
    };
    assert_eq!(faults_of("honest").unwrap(), []);
    for forged in ["guess", "run", "no-sandbox", "no-gpu"] {
        let faults = faults_of(forged).unwrap();
        assert!(matches!(faults.as_slice(), [Fault::Garbled { .. }]), "{forged}: {faults:?}");
    }
}

/// If another process holds the GPU, the calls of a program would fail, and it would lose points.
/// So it does not run there. The checker's own child for kernels releases the GPU.
#[test]
fn a_program_never_runs_on_a_gpu_that_is_in_use() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let call = call("honest", vec![]);
    let mut worker = misbehaving_with(file.path().to_str().unwrap());

    assert_eq!(worker.gpu().unwrap().name, "exclusive");
    assert!(worker.gpu.is_some());
    let mut loaded = worker.load(Choice::Gpu, b"").unwrap();
    assert!(worker.gpu.is_none());
    assert_eq!(loaded.call(&call, LONG_LIMIT).unwrap().faults, []);
    drop(loaded);

    file.as_file().lock().unwrap();
    assert!(matches!(worker.load(Choice::Gpu, b""), Err(Error::NoGpu(_))));
    file.as_file().unlock().unwrap();
    assert!(worker.load(Choice::Gpu, b"").is_ok());
}

/// Threads and processes that a program has started run only during calls, when time and memory are
/// limited. The program can be called again afterwards.
#[test]
fn a_program_is_suspended_between_its_calls() {
    let mut worker = misbehaving();
    let mut loaded = worker.load(Choice::Sim, b"").unwrap();
    let call = call("honest", vec![]);
    for calls in 1..=3 {
        assert_eq!(loaded.call(&call, LONG_LIMIT).unwrap().faults, []);
        assert_eq!(loaded.calls(), calls);
        let stat = fs::read_to_string(format!("/proc/{}/stat", loaded.id())).unwrap();
        // the state "T" is stopped by a signal (proc_pid_stat(5)); the signal may take a moment to
        // arrive
        let stopped = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(2));
            let stat = fs::read_to_string(format!("/proc/{}/stat", loaded.id())).unwrap();
            stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('T'))
        });
        assert!(stopped, "{stat}");
    }
}

/// On a GPU, the programs of one learner share a process that is kept. The programs of the next
/// learner get a new process, and a process that is not kept ends.
#[test]
fn programs_of_one_learner_share_a_process_on_a_gpu() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut worker = misbehaving_with(file.path().to_str().unwrap());
    let next = |worker: &mut Worker, object: &[u8]| {
        let mut loaded = worker.load(Choice::Gpu, object).unwrap();
        let run = loaded.call(&call("read", vec![]), LONG_LIMIT).unwrap();
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
    let other = next(&mut worker, b"of another learner");
    assert_ne!(other.id(), process);
    assert_eq!(other.calls(), 1);
    let process = other.id();
    drop(other);
    assert_ne!(next(&mut worker, b"not kept").id(), process);

    // a kept process releases a GPU that only one process can use, when the child for kernels needs
    // it
    let kept = next(&mut worker, b"kept");
    worker.keep(kept);
    worker.run(Choice::Gpu, "ptx", &launch("k"), LONG_LIMIT).unwrap();
    assert!(worker.program_on_gpu.is_none());
}

/// If the file for a compiled program exists already, it is not written, because it may be a link
/// to anywhere.
#[test]
fn a_program_is_not_written_through_a_link() {
    let mut worker = misbehaving();
    let mut loaded = worker.load(Choice::Sim, b"").unwrap();
    let precious = tempfile::NamedTempFile::new().unwrap();
    fs::write(precious.path(), "precious").unwrap();
    std::os::unix::fs::symlink(precious.path(), loaded.scratch().join("program-1.so")).unwrap();
    assert!(matches!(loaded.replace(b"written"), Err(Error::Object(_))));
    assert_eq!(fs::read_to_string(precious.path()).unwrap(), "precious");
}

/// If two programs in one process have functions and variables of the same name, each uses its own.
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
    let next = |loaded: &mut ProgramProcess| {
        let run = loaded.call(&call, LONG_LIMIT).unwrap();
        assert_eq!(run.faults, []);
        i32::from_le_bytes(run.outputs[0].data[..].try_into().unwrap())
    };
    assert_eq!([next(&mut loaded), next(&mut loaded)], [1, 2]);
    loaded.replace(&compile(10)).unwrap();
    assert_eq!([next(&mut loaded), next(&mut loaded)], [10, 20]);
}

/// Tokens never repeat, because otherwise a reply to one call could be accepted for another.
#[test]
fn tokens_differ() {
    let tokens: std::collections::HashSet<_> = (0..100).flat_map(|_| program::token()).collect();
    assert_eq!(tokens.len(), 200);
}
