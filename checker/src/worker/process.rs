//! One child process, seen from the checker.

use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use tempfile::TempDir;

use super::cancel::Killer;
use super::capture::Capture;
use super::sandbox::{Rules, limits};
use super::watchdog::{self, Load};
use super::wire::{self, Reply};
use super::{Error, Role};

/// Tells the child what it is for.
pub(super) const ROLE_VARIABLE: &str = "CUDA_WORKBOOK_WORKER";

/// Whether it has to confine itself.
pub(super) const SANDBOX_VARIABLE: &str = "CUDA_WORKBOOK_SANDBOX";
/// The folder that it may write to.
pub(super) const OWN_VARIABLE: &str = "CUDA_WORKBOOK_OWN";
/// What it may read beside the system: folders as in PATH.
pub(super) const READABLE_VARIABLE: &str = "CUDA_WORKBOOK_READABLE";
/// Bytes of memory that it may have.
pub(super) const MEMORY_VARIABLE: &str = "CUDA_WORKBOOK_MEMORY";

/// What a child sees of the environment: only what CUDA and the dynamic loader need. A learner's `#include` can print
/// the rest of it.
#[cfg(unix)]
const KEPT_VARIABLES: [&str; 10] = [
    // nvcc finds the host's compiler by it
    "PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_HOME",
    "CUDA_PATH",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "TMPDIR",
];
/// The same on Windows, which starts no process without some, and finds libraries through PATH.
#[cfg(not(unix))]
const KEPT_VARIABLES: [&str; 9] = [
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_HOME",
    "CUDA_PATH",
    "SystemRoot",
    "SystemDrive",
    "TEMP",
    "TMP",
    "PATH",
];

/// Bytes that a pipe holds: the most that Linux gives an ordinary user.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1 << 20;

/// How often a child that works is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How many times as long as it should a child may take that the machine does not let work.
const MOST_PATIENCE: u32 = 3;

/// How long a killed child may take to go. One that is stuck in the driver is left to a thread of its own.
const REAP_LIMIT: Duration = Duration::from_secs(2);

/// Longest quotation of a dying child's last words, in characters.
const LAST_WORDS: usize = 200;

/// The executable that children are.
#[derive(Debug, Clone)]
pub(super) struct Program {
    path: PathBuf,
    args: Vec<String>,
}

impl Program {
    /// This file; a relative path is one from here, wherever the child starts.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path: std::path::absolute(&path).unwrap_or(path), args: vec!["worker".into()] }
    }

    /// A child that is a shell script.
    #[cfg(test)]
    pub(super) fn shell(script: &str) -> Self {
        Self { path: "/bin/sh".into(), args: vec!["-c".into(), script.into()] }
    }

    /// This executable. On Linux through its link in /proc, which stays right when the file was replaced by a newer
    /// build while `watch` runs.
    pub(super) fn current() -> Self {
        let link = Path::new("/proc/self/exe");
        if cfg!(target_os = "linux") && link.exists() {
            return Self::new(link.to_owned());
        }
        Self::new(std::env::current_exe().unwrap_or_else(|_| "checker".into()))
    }
}

/// Why a child gave no answer. It is to be dropped then.
#[derive(Debug)]
pub(super) enum Lost {
    /// It did not answer in time.
    TimedOut,
    /// It ended: how.
    Died(Death),
    /// It had more memory than it may have, in bytes.
    Memory(u64),
    /// Nobody wants its answer any more.
    Cancelled,
    /// It answered nonsense, or could not be asked.
    Failed(Error),
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TimedOut => f.write_str("no answer in time"),
            Self::Died(death) => death.fmt(f),
            Self::Memory(bytes) => write!(f, "it took more than {} MiB of memory", bytes >> 20),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// How a child came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Death {
    /// `None` when it only stopped answering.
    pub(super) status: Option<ExitStatus>,
    /// The last line that it printed; may be empty.
    pub(super) words: String,
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.status {
            Some(status) => f.write_str(&describe(status))?,
            None => f.write_str("it stopped answering")?,
        }
        if self.words.is_empty() { Ok(()) } else { write!(f, ": {}", self.words) }
    }
}

/// What the thread that waits for an answer can hear.
#[derive(Debug)]
pub(super) enum Heard {
    /// The payload of a frame.
    Reply(Vec<u8>),
    /// Something else than a frame.
    Broken(wire::Error),
    /// The child closed its end.
    Ended,
    /// Nobody wants the answer any more.
    Cancelled,
    /// The child had more memory than this many bytes.
    TooMuch(u64),
}

/// A running child. Dropping it kills its process group and leaves no zombie.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    frames: Sender<Vec<u8>>,
    inbox: Sender<Heard>,
    replies: Receiver<Heard>,
    capture: Capture,
    printed: (String, u64),
    /// The most memory that it may have, with all that it starts.
    memory: Option<u64>,
    /// The folder that it may write to; it goes with the child.
    own: TempDir,
    /// The PTX that the child has.
    pub(super) ptx: Option<String>,
}

impl Process {
    pub(super) fn start(program: &Program, role: Role, rules: &Rules) -> Result<Self, Error> {
        Self::try_start(program, role, rules)
            .map_err(|source| Error::Start { program: program.path.display().to_string(), source })
    }

    fn try_start(program: &Program, role: Role, rules: &Rules) -> std::io::Result<Self> {
        let capture = Capture::new()?;
        let own = tempfile::Builder::new().prefix("cuda-workbook-").tempdir()?;
        let readable = std::env::join_paths(&rules.readable).unwrap_or_default();
        let mut command = Command::new(&program.path);
        command
            .args(&program.args)
            .env_clear()
            .envs(KEPT_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .env(ROLE_VARIABLE, role.as_str())
            .env(SANDBOX_VARIABLE, rules.mode.as_str())
            .env(READABLE_VARIABLE, readable)
            .env(OWN_VARIABLE, own.path())
            .envs(rules.memory.map(|bytes| (MEMORY_VARIABLE, bytes.to_string())))
            .envs(rules.gpu.as_ref().map(|gpu| ("CUDA_VISIBLE_DEVICES", gpu)))
            .env("TMPDIR", own.path())
            // what the driver compiles it keeps there
            .env("CUDA_CACHE_PATH", own.path())
            .envs((role == Role::GpuProgram).then_some(("CUDA_CACHE_DISABLE", "1")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(capture.writer()?);
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // Its own group, so that one kill reaches whatever it may start; no folder of the learner's as its own.
            command.process_group(0).arg0("checker").current_dir("/");
        }
        let mut child = command.spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        #[cfg(target_os = "linux")]
        {
            // Arrays go through these pipes; with the usual 64 KiB that takes a task switch each. Best effort.
            let _ = stdin.as_ref().map(|pipe| rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES));
            let _ = stdout.as_ref().map(|pipe| rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES));
        }
        // Threads do the blocking: a child that does not read holds up its writer, never the clock.
        let (frames, outbox) = mpsc::channel();
        let (inbox, replies) = mpsc::channel();
        if let Some(stdin) = stdin {
            thread::spawn(move || write_frames(stdin, &outbox));
        }
        if let Some(stdout) = stdout {
            let inbox = inbox.clone();
            thread::spawn(move || read_frames(stdout, &inbox));
        }
        let printed = Default::default();
        // shared memory is in none of the limits that a process carries; what a driver maps is no memory of ours
        let on_gpu = matches!(role, Role::Gpu | Role::GpuProgram);
        let memory = rules.memory.or((!on_gpu).then_some(limits::MEMORY));
        Ok(Self { child, frames, inbox, replies, capture, printed, memory, own, ptx: None })
    }

    /// Asks, and waits for the answer until the clock runs out.
    pub(super) fn ask(
        &mut self,
        request: &impl Serialize,
        limit: Duration,
        killer: &Killer,
    ) -> Result<Reply, Lost> {
        let frame = wire::encode(request).map_err(|e| Lost::Failed(Error::Bug(e.to_string())))?;
        if !killer.begin(self.inbox.clone()) {
            return Err(Lost::Cancelled);
        }
        // A closed channel means that the child is gone, which the wait for its answer reports better.
        let _ = self.frames.send(frame);
        let heard = self.hear(limit);
        if killer.end() {
            // Also when the answer was quicker: the next job must not find the message to cancel this one.
            self.end();
            return Err(Lost::Cancelled);
        }
        let reply = match heard {
            Ok(Heard::Reply(payload)) => wire::decode(&payload).map_err(|e| self.nonsense(&e)),
            Ok(
                Heard::Broken(wire::Error::Io(_) | wire::Error::Short { .. })
                | Heard::Ended
                | Heard::Cancelled,
            )
            | Err(RecvTimeoutError::Disconnected) => Err(Lost::Died(self.cause_of_death())),
            Ok(Heard::Broken(error)) => Err(self.nonsense(&error)),
            Ok(Heard::TooMuch(bytes)) => {
                self.end();
                Err(Lost::Memory(bytes))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.end();
                Err(Lost::TimedOut)
            }
        };
        self.printed = self.capture.take();
        reply
    }

    /// Waits for an answer, and keeps an eye on the child. A child that wants a processor and gets none, because the machine
    /// is busy, has up to three times as long.
    fn hear(&self, limit: Duration) -> Result<Heard, RecvTimeoutError> {
        let start = Instant::now();
        let mut first: Option<Load> = None;
        loop {
            let left = limit.saturating_sub(start.elapsed());
            match self.replies.recv_timeout(if left.is_zero() { LOOK } else { left.min(LOOK) }) {
                Err(RecvTimeoutError::Timeout) => {}
                heard => return heard,
            }
            let (elapsed, load) = (start.elapsed(), watchdog::look(self.child.id()));
            if self.memory.is_some_and(|most| load.resident > most) {
                return Ok(Heard::TooMuch(self.memory.unwrap_or_default()));
            }
            let spent = load.spent.saturating_sub(first.get_or_insert(load).spent);
            let starved = load.busy && spent < elapsed / 2 && elapsed < limit * MOST_PATIENCE;
            if elapsed >= limit && !starved {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// Stops the child and all in its group where they are: what a program has left behind works only while somebody looks.
    pub(super) fn stand_still(&mut self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::STOP);
    }

    /// Lets them go on.
    pub(super) fn go_on(&mut self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::CONT);
    }

    /// Sends a signal to the child's group, if there is still a child.
    #[cfg(unix)]
    fn signal(&mut self, signal: rustix::process::Signal) {
        // The child is not collected while this says so: its number still names it and its group.
        if !self.is_alive() {
            return;
        }
        let group = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// The folder that the child may write to.
    pub(super) fn own(&self) -> &Path {
        self.own.path()
    }

    /// What the child printed during the last job: text, and bytes left out.
    pub(super) fn printed(&mut self) -> (String, u64) {
        std::mem::take(&mut self.printed)
    }

    /// False when it has ended by itself.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn nonsense(&mut self, error: &wire::Error) -> Lost {
        self.end();
        Lost::Failed(Error::Protocol(error.to_string()))
    }

    /// How a child that closed its pipe came to its end.
    fn cause_of_death(&mut self) -> Death {
        // Its status first: a kill must not become the cause.
        let status = self.wait(Duration::from_millis(500));
        self.end();
        let (printed, _) = self.capture.text();
        let mut lines = printed.lines().rev().map(str::trim);
        let last = lines.find(|l| !l.is_empty() && !l.starts_with("note:")).unwrap_or_default();
        let words = grading::text::excerpt(last, LAST_WORDS);
        Death { status, words }
    }

    /// Kills the group and collects what is left.
    fn end(&mut self) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
        let _ = self.child.kill();
        let _ = self.wait(REAP_LIMIT);
    }

    /// Waits for its end, but not for ever.
    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if start.elapsed() < limit => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                _ => return None,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
impl Process {
    /// Its process number.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a last request and closes the pipe, as a checker that is killed does.
    pub(super) fn abandon(&mut self, frame: &[u8]) {
        self.frames.send(frame.to_vec()).unwrap();
        self.frames = mpsc::channel().0;
    }
}

fn write_frames(mut stdin: impl Write, frames: &Receiver<Vec<u8>>) {
    while let Ok(frame) = frames.recv() {
        if wire::send(&mut stdin, &frame).is_err() {
            return;
        }
    }
}

fn read_frames(stdout: impl Read, inbox: &Sender<Heard>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let heard = match wire::read(&mut stdout) {
            Ok(Some(frame)) => Heard::Reply(frame),
            Ok(None) => Heard::Ended,
            Err(error) => Heard::Broken(error),
        };
        let over = !matches!(heard, Heard::Reply(_));
        if inbox.send(heard).is_err() || over {
            return;
        }
    }
}

/// "signal 9", "exit code 101".
fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => status.to_string(),
    }
}

impl Role {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Compiler => "compiler",
            Self::Simulator => "simulator",
            Self::Gpu => "gpu",
            Self::Program => "program",
            Self::GpuProgram => "gpu-program",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::Compiler, Self::Simulator, Self::Gpu, Self::Program, Self::GpuProgram]
            .into_iter()
            .find(|role| role.as_str() == text)
    }
}
