//! One child process, as the checker controls it.

use std::cell::Cell;
use std::io::{BufReader, Read, Write};
#[cfg(target_os = "linux")]
use std::net::Shutdown;
#[cfg(target_os = "linux")]
use std::os::{fd::OwnedFd, unix::net::UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::cancel::Killer;
use super::capture::Capture;
use super::sandbox::{Rules, limits};
use super::scratch::Scratch;
#[cfg(target_os = "linux")]
use super::thread_limit;
use super::watchdog::{self, Load};
use super::wire::{self, Reply};
use super::{Error, Role};
use crate::backend::PRINTED_LIMIT;
use crate::executable;
use crate::start;

/// Environment variables for the child. This is its role.
pub(super) const ROLE_VARIABLE: &str = "CUDA_WORKBOOK_WORKER";

/// The mode of its sandbox.
pub(super) const SANDBOX_VARIABLE: &str = "CUDA_WORKBOOK_SANDBOX";
/// Its scratch folder, which it may write to.
pub(super) const SCRATCH_VARIABLE: &str = "CUDA_WORKBOOK_OWN";
/// Further folders that it may read, in the format of PATH.
pub(super) const READABLE_VARIABLE: &str = "CUDA_WORKBOOK_READABLE";
/// The compiler's libraries, in the format of PATH, for a child that forks a process for each
/// compilation.
pub(super) const PRELOAD_VARIABLE: &str = "CUDA_WORKBOOK_PRELOAD";
/// How many bytes of memory it may use.
pub(super) const MEMORY_VARIABLE: &str = "CUDA_WORKBOOK_MEMORY";

/// The variables that a child of this role inherits: only those that CUDA and the dynamic loader
/// need, because a learner's `#include` or program can print the environment.
#[cfg(unix)]
fn kept_variables(role: Role) -> &'static [&'static str] {
    match role {
        // nvcc finds the host compiler through PATH
        Role::Compiler => {
            &["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH", "CUDA_HOME", "CUDA_PATH"]
        }
        Role::Simulator | Role::Program => &["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"],
        Role::Gpu | Role::GpuProgram => &[
            "LD_LIBRARY_PATH",
            "DYLD_LIBRARY_PATH",
            "CUDA_VISIBLE_DEVICES",
            "CUDA_DEVICE_ORDER",
            "NVIDIA_VISIBLE_DEVICES",
            "NVIDIA_DRIVER_CAPABILITIES",
        ],
    }
}

/// The same on Windows, which needs some of them to start a process, and finds libraries through
/// PATH.
#[cfg(not(unix))]
fn kept_variables(_: Role) -> &'static [&'static str] {
    &[
        "CUDA_VISIBLE_DEVICES",
        "CUDA_DEVICE_ORDER",
        "CUDA_HOME",
        "CUDA_PATH",
        "SystemRoot",
        "SystemDrive",
        "TEMP",
        "TMP",
        "PATH",
    ]
}

/// The capacity of a pipe in bytes. This is the most that Linux allows an ordinary user.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1 << 20;

/// How often a working child is measured.
const MEASURE_INTERVAL: Duration = Duration::from_millis(20);

/// By which factor the time limit of a child is extended at most while a busy machine has not given
/// it that much processor time.
const MAX_LIMIT_FACTOR: u32 = 12;

thread_local! {
    /// [`starved`].
    static STARVED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// How long the children that this thread has waited for wanted to work and got no processor, in
/// all.
pub fn starved() -> Duration {
    STARVED.get()
}

/// How long the checker waits for a killed child to end. A child that is stuck in the driver is not
/// waited for any longer.
const REAP_LIMIT: Duration = Duration::from_secs(2);

/// The most characters that are quoted of the last line that a child printed before it died.
const MAX_LAST_LINE_CHARS: usize = 200;

/// The executable of the children.
#[derive(Debug, Clone)]
pub(super) enum Program {
    /// `checker-worker`, which is looked for when the first child starts.
    Installed,
    /// Another executable with its arguments, for tests and benchmarks.
    Other(PathBuf, Vec<String>),
}

impl Program {
    /// The executable at this path. A relative path is relative to the current folder of the
    /// checker.
    pub(super) fn new(path: PathBuf) -> Self {
        Self::Other(std::path::absolute(&path).unwrap_or(path), vec![])
    }

    /// A child that is a shell script.
    #[cfg(test)]
    pub(super) fn shell(script: &str) -> Self {
        Self::Other("/bin/sh".into(), vec!["-c".into(), script.into()])
    }

    fn command(&self) -> std::io::Result<Command> {
        Ok(match self {
            Self::Installed => Command::new(executable::worker()?),
            Self::Other(path, args) => {
                let mut command = Command::new(path);
                command.args(args);
                command
            }
        })
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Installed => f.write_str("checker-worker"),
            Self::Other(path, _) => path.display().fmt(f),
        }
    }
}

/// Why a child did not reply. The child cannot be used any more.
#[derive(Debug)]
pub(super) enum NoReply {
    /// It did not reply in time.
    TimedOut,
    /// It ended.
    Died(ChildExit),
    /// It used more than this many bytes of memory, which is its limit.
    MemoryExceeded(u64),
    /// It had more than [`watchdog::MAX_THREADS`] threads.
    TooManyThreads,
    /// The job was cancelled.
    Cancelled,
    /// The reply is malformed, or the request could not be sent.
    Failed(Error),
}

impl std::fmt::Display for NoReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TimedOut => f.write_str("no reply in time"),
            Self::Died(death) => death.fmt(f),
            Self::MemoryExceeded(bytes) => {
                write!(f, "it took more than {} MiB of memory", bytes >> 20)
            }
            Self::TooManyThreads => {
                write!(f, "it started more than {} threads", watchdog::MAX_THREADS)
            }
            Self::Cancelled => f.write_str("cancelled"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// How a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChildExit {
    /// `None` if it only closed its pipe.
    pub(super) status: Option<ExitStatus>,
    /// The last line that it printed, which may be empty.
    pub(super) last_line: String,
}

impl std::fmt::Display for ChildExit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.status {
            Some(status) => f.write_str(&describe(status))?,
            None => f.write_str("it stopped replying")?,
        }
        if self.last_line.is_empty() { Ok(()) } else { write!(f, ": {}", self.last_line) }
    }
}

/// What can happen while the checker waits for a reply.
#[derive(Debug)]
pub(super) enum ChildEvent {
    /// The payload of a frame.
    Reply(Vec<u8>),
    /// The child wrote something that is not a frame.
    Malformed(wire::Error),
    /// The child closed its pipe.
    Closed,
    /// The job was cancelled.
    Cancelled,
    /// The child used more than this many bytes of memory.
    MemoryExceeded(u64),
    /// The child had too many threads.
    TooManyThreads,
}

/// A running child. Dropping it kills its process group and collects its exit status.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    frames: Sender<Vec<u8>>,
    event_sender: Sender<ChildEvent>,
    events: Receiver<ChildEvent>,
    capture: Capture,
    printed: (String, u64),
    /// How many bytes of memory the child may use together with its descendants.
    memory: Option<u64>,
    /// The folder that the child may write to. It is removed with the child.
    scratch: Scratch,
    /// The PTX that the child has loaded.
    pub(super) ptx: Option<String>,
}

impl Process {
    pub(super) fn start(program: &Program, role: Role, rules: &Rules) -> Result<Self, Error> {
        Self::try_start(program, role, rules)
            .map_err(|source| Error::Start { program: program.to_string(), source })
    }

    fn try_start(program: &Program, role: Role, rules: &Rules) -> std::io::Result<Self> {
        let capture = Capture::new()?;
        let scratch = Scratch::new()?;
        let kept = kept_variables(role).iter();
        let readable = (role == Role::Compiler).then(|| {
            (READABLE_VARIABLE, std::env::join_paths(&rules.readable).unwrap_or_default())
        });
        let preload = rules.preload.as_ref().filter(|_| role == Role::Compiler);
        let preload = preload
            .map(|paths| (PRELOAD_VARIABLE, std::env::join_paths(paths).unwrap_or_default()));
        let mut command = program.command()?;
        command
            .env_clear()
            .envs(kept.filter_map(|name| Some((name, std::env::var_os(name)?))))
            .env(ROLE_VARIABLE, role.as_str())
            .env(SANDBOX_VARIABLE, rules.mode.as_str())
            .envs(readable)
            .envs(preload)
            .env(SCRATCH_VARIABLE, scratch.path())
            .envs(rules.memory.map(|bytes| (MEMORY_VARIABLE, bytes.to_string())))
            .envs(rules.gpu.as_ref().map(|gpu| ("CUDA_VISIBLE_DEVICES", gpu)))
            .env("TMPDIR", scratch.path())
            // where the driver caches what it compiles
            .env("CUDA_CACHE_PATH", scratch.path())
            .envs((role == Role::GpuProgram).then_some(("CUDA_CACHE_DISABLE", "1")))
            // otherwise, the time of a kernel's first launch contains loading the kernel, which
            // takes 0.1 to 0.3 ms on an H100
            .env("CUDA_MODULE_LOADING", "EAGER")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(capture.writer()?);
        #[cfg(target_os = "linux")]
        let socket = match role {
            // it sends a descriptor back
            Role::Program | Role::GpuProgram => {
                let (ours, theirs) = UnixStream::pair()?;
                command.stdin(OwnedFd::from(theirs));
                Some(ours)
            }
            _ => None,
        };
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // a process group of its own, so that one signal reaches all descendants, and a neutral
            // current folder
            command.process_group(0).arg0("checker").current_dir("/");
        }
        let mut child = start::process(&mut command)?;
        // this closes the child's end of the socket here, so that the end of the child closes it
        drop(command);
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        #[cfg(target_os = "linux")]
        {
            // arrays are sent through these pipes, and the default of 64 KiB would need a task
            // switch for each part; a failure only makes this slower
            let _ = stdin.as_ref().map(|pipe| rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES));
            let _ = stdout.as_ref().map(|pipe| rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES));
        }
        // other threads do the reading and writing, so that a child that does not read cannot stop
        // the clock
        let (frames, outgoing) = mpsc::channel();
        let (event_sender, events) = mpsc::channel();
        #[cfg(target_os = "linux")]
        if let Some(socket) = &socket {
            let (id, socket, events) = (child.id(), socket.try_clone()?, event_sender.clone());
            start::thread("threads", move || thread_limit::supervise(id, &socket, &events))?;
        }
        start::thread("requests", move || {
            if let Some(stdin) = stdin {
                write_frames(stdin, &outgoing);
            }
            #[cfg(target_os = "linux")]
            if let Some(socket) = socket {
                write_frames(&socket, &outgoing);
                // there is another descriptor of it here
                let _ = socket.shutdown(Shutdown::Write);
            }
        })?;
        if let Some(stdout) = stdout {
            let event_sender = event_sender.clone();
            start::thread("replies", move || read_frames(stdout, &event_sender))?;
        }
        let printed = Default::default();
        // resource limits do not count shared memory, so all memory is measured, except on a GPU,
        // where the driver maps much more
        let on_gpu = matches!(role, Role::Gpu | Role::GpuProgram);
        let memory = rules.memory.or((!on_gpu).then_some(limits::MEMORY_BYTES));
        Ok(Self {
            child,
            frames,
            event_sender,
            events,
            capture,
            printed,
            memory,
            scratch,
            ptx: None,
        })
    }

    /// Sends a request, and waits for the reply within `limit` of wall time.
    pub(super) fn request(
        &mut self,
        request: &impl Serialize,
        limit: Duration,
        killer: &Killer,
    ) -> Result<Reply, NoReply> {
        let frame =
            wire::encode(request).map_err(|e| NoReply::Failed(Error::Bug(e.to_string())))?;
        if !killer.begin(self.event_sender.clone()) {
            return Err(NoReply::Cancelled);
        }
        // if the channel is closed, the child has ended, which the wait below reports
        let _ = self.frames.send(frame);
        let event = self.wait_for_event(limit);
        if killer.end() {
            // this also applies if the reply came first, because the next job must not receive the
            // cancellation of this one
            self.end();
            return Err(NoReply::Cancelled);
        }
        let reply = match event {
            Ok(ChildEvent::Reply(payload)) => {
                wire::decode(&payload).map_err(|e| self.protocol_error(&e))
            }
            Ok(
                ChildEvent::Malformed(wire::Error::Io(_) | wire::Error::Short { .. })
                | ChildEvent::Closed
                | ChildEvent::Cancelled,
            )
            | Err(RecvTimeoutError::Disconnected) => Err(NoReply::Died(self.exit_cause())),
            Ok(ChildEvent::Malformed(error)) => Err(self.protocol_error(&error)),
            Ok(ChildEvent::MemoryExceeded(bytes)) => {
                self.end();
                Err(NoReply::MemoryExceeded(bytes))
            }
            Ok(ChildEvent::TooManyThreads) => {
                self.end();
                Err(NoReply::TooManyThreads)
            }
            Err(RecvTimeoutError::Timeout) => {
                self.end();
                Err(NoReply::TimedOut)
            }
        };
        self.printed = self.capture.take();
        reply
    }

    /// Waits for an event, and measures the child meanwhile. Time in which the child wants to work
    /// and gets no processor does not count, so that a result does not depend on how busy the
    /// machine is; the child may take up to [`MAX_LIMIT_FACTOR`] times as long. Time in which it
    /// sleeps counts, however shortly it sleeps each time.
    fn wait_for_event(&self, limit: Duration) -> Result<ChildEvent, RecvTimeoutError> {
        let start = Instant::now();
        let mut before: Option<(Duration, Load)> = None;
        let mut starved = Duration::ZERO;
        loop {
            let left = limit.saturating_sub(start.elapsed());
            match self.events.recv_timeout(if left.is_zero() {
                MEASURE_INTERVAL
            } else {
                left.min(MEASURE_INTERVAL)
            }) {
                Err(RecvTimeoutError::Timeout) => {}
                event => return event,
            }
            let (elapsed, load) = (start.elapsed(), watchdog::measure(self.child.id()));
            if load.threads > watchdog::MAX_THREADS {
                return Ok(ChildEvent::TooManyThreads);
            }
            if self.memory.is_some_and(|limit| load.resident > limit) {
                return Ok(ChildEvent::MemoryExceeded(self.memory.unwrap_or_default()));
            }
            if let Some((time, before)) = before.filter(|_| load.busy) {
                let worked = load.processor_time.saturating_sub(before.processor_time);
                let without_processor = (elapsed - time).saturating_sub(worked);
                starved += without_processor;
                STARVED.set(STARVED.get() + without_processor);
            }
            before = Some((elapsed, load));
            if elapsed - starved >= limit || elapsed >= limit * MAX_LIMIT_FACTOR {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// Suspends the child's process group, so that nothing which a program has started runs while
    /// the checker does not measure it.
    pub(super) fn suspend(&mut self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::STOP);
    }

    /// Lets the process group run again.
    pub(super) fn resume(&mut self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::CONT);
    }

    /// Sends a signal to the child's process group, unless the child has ended.
    #[cfg(unix)]
    fn signal(&mut self, signal: rustix::process::Signal) {
        // a child that is alive has not been waited for, so its id still belongs to it and its
        // group
        if !self.is_alive() {
            return;
        }
        let group = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// Waits at most for `limit` until the child has ended by itself after its last reply, and adds
    /// what it printed meanwhile to [`Process::printed`]. Returns `None` if it did not end.
    pub(super) fn finish(&mut self, limit: Duration) -> Option<ExitStatus> {
        let status = self.wait(limit);
        self.end();
        let (text, dropped) = self.capture.take();
        let room = PRINTED_LIMIT.saturating_sub(self.printed.0.len());
        let cut = text.floor_char_boundary(room.min(text.len()));
        self.printed.0.push_str(text.get(..cut).unwrap_or_default());
        self.printed.1 += dropped + (text.len() - cut) as u64;
        status
    }

    /// The folder that the child may write to.
    pub(super) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// What the child printed during the last job: text, and the number of bytes that are left out.
    pub(super) fn printed(&mut self) -> (String, u64) {
        std::mem::take(&mut self.printed)
    }

    /// Has the child not ended yet?
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn protocol_error(&mut self, error: &wire::Error) -> NoReply {
        self.end();
        NoReply::Failed(Error::Protocol(error.to_string()))
    }

    /// How a child ended that has closed its pipe.
    fn exit_cause(&mut self) -> ChildExit {
        // the status is read first, because otherwise the kill below would be the cause
        let status = self.wait(Duration::from_millis(500));
        self.end();
        let (printed, _) = self.capture.text();
        let mut lines = printed.lines().rev().map(str::trim);
        let last = lines.find(|l| !l.is_empty() && !l.starts_with("note:")).unwrap_or_default();
        let last_line = crate::text::excerpt(last, MAX_LAST_LINE_CHARS);
        ChildExit { status, last_line }
    }

    /// Kills the process group and waits for the child.
    fn end(&mut self) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        #[cfg(unix)]
        self.signal(rustix::process::Signal::KILL);
        let _ = self.child.kill();
        let _ = self.wait(REAP_LIMIT);
    }

    /// Waits for the child to end, at most for `limit`.
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
    /// The process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a last request and closes the pipe, as happens when the checker is killed.
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

fn read_frames(stdout: impl Read, events: &Sender<ChildEvent>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let event = match wire::read(&mut stdout) {
            Ok(Some(frame)) => ChildEvent::Reply(frame),
            Ok(None) => ChildEvent::Closed,
            Err(error) => ChildEvent::Malformed(error),
        };
        let last = !matches!(event, ChildEvent::Reply(_));
        if events.send(event).is_err() || last {
            return;
        }
    }
}

/// The status in words, for example "signal 9" or "exit code 101".
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
