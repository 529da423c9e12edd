//! Learners' code runs in child processes of the same binary, never in the checker's own.
//!
//! A child may hang, crash, exhaust memory, or lose its GPU: it is killed on the clock with its process group, and the
//! next job gets a fresh one. A child that behaves is kept, so that `watch` pays for a compile and a launch and not for
//! a start. One compiles, one simulates, one holds the GPU, and programs get others ([`Loaded`]); each is confined
//! to what its work needs ([`Sandbox`]). The checker itself loads neither CUDA nor NVRTC, and right answers never reach a child.

mod cancel;
mod capture;
mod child;
mod process;
mod program;
mod sandbox;
#[cfg(all(test, target_os = "linux"))]
mod tests;
mod watchdog;
mod wire;

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use self::cancel::Killer;
pub use self::child::serve;
use self::process::{Lost, Process, Program};
pub use self::program::Loaded;
use self::sandbox::Rules;
pub use self::sandbox::{Confined, Sandbox};
use self::wire::{Reply, Request};
use crate::backend::{Choice, Fault, GpuInfo, Launch, NoGpu, PRINTED_LIMIT, Run};
use crate::compile::{self, Options, Outcome, ProgramOptions};
use crate::toolchain::Toolchain;

/// How long a GPU may take to answer at all: the driver's start takes seconds on a machine with many.
const GPU_START_LIMIT: Duration = Duration::from_secs(60);

/// How long the compiler may take, its own first start included; an exercise takes NVRTC a fiftieth of a second, and
/// nvcc one.
const COMPILE_LIMIT: Duration = Duration::from_secs(20);

/// How many times as long it may take for a program that is no exercise.
const OWN_PROGRAM: u32 = 15;

/// What went wrong on our side of the fence.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The child could not be started.
    #[error("the checker could not start its worker process `{program}`: {source}")]
    Start {
        /// The executable.
        program: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The GPU was asked for and cannot be used.
    #[error(transparent)]
    NoGpu(#[from] NoGpu),
    /// Code was to run confined only, and this system cannot do that.
    #[error(
        "learners' code cannot be confined on this machine: {0}; `--sandbox try` runs it with what there is, which is no \
         protection from code that means harm"
    )]
    NoSandbox(String),
    /// The child said something that is no answer.
    #[error("this is a bug in the checker: its worker process answered nonsense: {0}")]
    Protocol(String),
    /// Another thread ended the job with [`Killer::kill`].
    #[error("the check was cancelled")]
    Cancelled,
    /// A program could not be written to where its process finds it.
    #[error("a compiled program cannot be written to the temporary folder: {0}")]
    Object(io::Error),
    /// The checker's own code panicked in the child.
    #[error("this is a bug in the checker: {0}")]
    Bug(String),
}

/// What a child is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Compiles.
    Compiler,
    /// Simulates kernels.
    Simulator,
    /// Runs kernels on the GPU.
    Gpu,
    /// Calls a function of a program on the simulator.
    Program,
    /// The same on the GPU.
    GpuProgram,
}

/// The checker's end of its child processes. Children start with the first job that needs them, and end with this.
#[derive(Debug)]
pub struct Worker {
    program: Program,
    rules: Rules,
    compiler: Option<Process>,
    simulator: Option<Process>,
    gpu: Option<Process>,
    /// Of programs that were right on the GPU so far.
    program_on_gpu: Option<Loaded>,
    gpu_info: Option<GpuInfo>,
    killer: Killer,
    compile_limit: Duration,
}

impl Default for Worker {
    fn default() -> Self {
        Self::new()
    }
}

impl Worker {
    /// A worker whose children are this very executable, which must be `checker`.
    pub fn new() -> Self {
        Self::from(Program::current())
    }

    /// The same with another executable: what a test or a benchmark needs.
    pub fn with_program(checker: PathBuf) -> Self {
        Self::from(Program::new(checker))
    }

    /// The same with another limit on the time that a compilation may take (20 s unless told).
    pub fn with_compile_limit(self, limit: Duration) -> Self {
        Self { compile_limit: limit, ..self }
    }

    /// The same with another confinement of its children ([`Sandbox::Try`] unless told).
    pub fn with_sandbox(self, mode: Sandbox) -> Self {
        Self { rules: Rules { mode, ..self.rules }, ..self }
    }

    /// The same with children that may have so many bytes of memory each, with all that they start.
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { rules: Rules { memory: Some(bytes), ..self.rules }, ..self }
    }

    /// The same with the one GPU that `CUDA_VISIBLE_DEVICES` names so.
    pub fn with_gpu(self, gpu: &str) -> Self {
        Self { rules: Rules { gpu: Some(gpu.to_owned()), ..self.rules }, ..self }
    }

    /// Ends the children: the next job gets new ones, which know nothing of the jobs before.
    pub fn recycle(&mut self) {
        self.compiler = None;
        self.simulator = None;
        self.gpu = None;
        self.program_on_gpu = None;
    }

    /// Sees that a child can be confined, where that is required.
    ///
    /// # Errors
    /// When it cannot, or no child can be started.
    pub fn ready(&self) -> Result<(), Error> {
        let confined = self.confined()?;
        match (self.rules.mode, confined.holds()) {
            (Sandbox::Require, false) => {
                let words = confined.to_string();
                Err(Error::NoSandbox(confined.missing.unwrap_or(words)))
            }
            _ => Ok(()),
        }
    }

    /// What a child that runs a learner's program gives up on this machine.
    ///
    /// # Errors
    /// When there is no worker process, or the checker has a bug.
    pub fn confined(&self) -> Result<Confined, Error> {
        let rules = Rules { mode: Sandbox::Try, ..self.rules.clone() };
        let mut process = Process::start(&self.program, Role::Program, &rules)?;
        match process.ask(&Request::Confined, GPU_START_LIMIT, &self.killer) {
            Ok(Reply::Confined(confined)) => Ok(confined),
            Ok(other) => Err(unexpected(other)),
            Err(lost) => Err(Error::Protocol(lost.to_string())),
        }
    }

    /// Compiles one kernel file with NVRTC. A compiler that does not end or that falls over is `Outcome::Stopped`.
    ///
    /// # Errors
    /// When there is no worker process, or the checker has a bug.
    pub fn compile(
        &mut self,
        toolchain: &Toolchain,
        source: &str,
        file: &str,
        options: &Options,
    ) -> Result<Outcome, Error> {
        let limit = self.compile_limit;
        let request = Request::Compile {
            toolchain: Cow::Borrowed(toolchain),
            source: Cow::Borrowed(source),
            file: Cow::Borrowed(file),
            options: Cow::Borrowed(options),
        };
        let killer = self.killer.clone();
        let reply = self.compiler(toolchain)?.ask(&request, limit, &killer);
        match self.settle(Role::Compiler, reply) {
            Ok(Reply::Compiled(outcome)) => Ok(outcome),
            Ok(other) => Err(unexpected(other)),
            Err(lost) => lost.compiler(limit),
        }
    }

    /// Runs one launch on the GPU or (for any other choice) on the simulator, within `limit` of wall time.
    ///
    /// What the learner's kernel does wrong, a time-out and a crash included, is in `Run::faults`.
    ///
    /// # Errors
    /// When the launch could not be tried: no worker process, no GPU, or a bug in the checker.
    pub fn run(
        &mut self,
        backend: Choice,
        ptx: &str,
        launch: &Launch,
        limit: Duration,
    ) -> Result<Run, Error> {
        let (role, device) = match backend {
            Choice::Gpu => (Role::Gpu, format!("GPU: {}", self.gpu_for_kernels()?.name)),
            Choice::Auto | Choice::Sim => (Role::Simulator, "simulator".to_owned()),
        };
        let killer = self.killer.clone();
        let process = self.process(role)?;
        let known = process.ptx.as_deref() == Some(ptx);
        let request = Request::Run {
            ptx: (!known).then_some(Cow::Borrowed(ptx)),
            launch: Cow::Borrowed(launch),
        };
        let reply = process.ask(&request, limit, &killer);
        process.ptx = Some(ptx.to_owned());
        let printed = process.printed();
        let fault = match self.settle(role, reply) {
            Ok(Reply::Ran { run, .. }) => return Ok(with_printed((*run).into(), printed)),
            Ok(other) => return Err(unexpected(other)),
            Err(lost) => lost.fault(limit)?,
        };
        Ok(with_printed(Run::failed(fault, device), printed))
    }

    /// Compiles a program with nvcc, as [`Worker::compile`] does a kernel.
    ///
    /// # Errors
    /// As there.
    pub fn build(
        &mut self,
        toolchain: &Toolchain,
        source: &str,
        file: &str,
        options: &ProgramOptions,
    ) -> Result<Outcome<compile::Program>, Error> {
        // a program of somebody's own may be as long as it likes
        let limit = self.compile_limit * if options.folder.is_some() { OWN_PROGRAM } else { 1 };
        let request = Request::Build {
            toolchain: Cow::Borrowed(toolchain),
            source: Cow::Borrowed(source),
            file: Cow::Borrowed(file),
            options: Cow::Borrowed(options),
        };
        let killer = self.killer.clone();
        let reply = self.compiler(toolchain)?.ask(&request, limit, &killer);
        match self.settle(Role::Compiler, reply) {
            Ok(Reply::Built(outcome)) => Ok(outcome),
            Ok(other) => Err(unexpected(other)),
            Err(lost) => lost.compiler(limit),
        }
    }

    /// Starts a process for a program, to be called on the GPU or (for any other choice) on the simulator. On the GPU it may be
    /// the one that was kept ([`Worker::keep`]).
    ///
    /// # Errors
    /// When there is no such process, no GPU, or no confinement where that is required.
    pub fn load(&mut self, backend: Choice, object: &[u8]) -> Result<Loaded, Error> {
        let (role, device) = match backend {
            Choice::Gpu => (Role::GpuProgram, format!("GPU: {}", self.gpu()?.name)),
            Choice::Auto | Choice::Sim => (Role::Program, "simulator".to_owned()),
        };
        if backend == Choice::Gpu
            && let Some(mut kept) = self.program_on_gpu.take()
            && kept.put(object).is_ok()
        {
            return Ok(kept);
        }
        let start = |worker: &Self| {
            let process = Process::start(&worker.program, role, &worker.rules)?;
            Loaded::new(process, role, object, device.clone(), &worker.rules, worker.killer.clone())
        };
        match start(self) {
            // a GPU in the compute mode `exclusive` has room for one process, and that one may be ours
            Err(Error::NoGpu(_)) if self.gpu.take().is_some() => start(self),
            started => started,
        }
    }

    /// Keeps the process of a program that was right on the GPU, for the next program of the same learner.
    pub fn keep(&mut self, program: Loaded) {
        self.program_on_gpu = Some(program);
    }

    /// Runs one launch on the simulator within `limit` of wall time, and records what one of its threads does. No trace
    /// where the launch was refused, or did not end.
    ///
    /// # Errors
    /// As [`Worker::run`].
    pub fn trace(
        &mut self,
        ptx: &str,
        launch: &Launch,
        thread: ptxsim::trace::Thread,
        limit: Duration,
    ) -> Result<(Run, Option<ptxsim::trace::Trace>), Error> {
        let killer = self.killer.clone();
        let process = self.process(Role::Simulator)?;
        let request =
            Request::Trace { ptx: Cow::Borrowed(ptx), launch: Cow::Borrowed(launch), thread };
        let reply = process.ask(&request, limit, &killer);
        process.ptx = Some(ptx.to_owned());
        let printed = process.printed();
        let fault = match self.settle(Role::Simulator, reply) {
            Ok(Reply::Traced { run, trace }) => {
                return Ok((with_printed((*run).into(), printed), trace.0));
            }
            Ok(other) => return Err(unexpected(other)),
            Err(lost) => lost.fault(limit)?,
        };
        Ok((with_printed(Run::failed(fault, "simulator".into()), printed), None))
    }

    /// The GPU that kernels run on, asked once in the child that holds it.
    ///
    /// # Errors
    /// Why there is none, and what to do about it.
    pub fn gpu(&mut self) -> Result<GpuInfo, NoGpu> {
        match &self.gpu_info {
            Some(info) => Ok(info.clone()),
            None => self.ask_gpu(),
        }
    }

    /// The GPU with a child that has it open, so that a driver's slow start is not taken for a slow kernel.
    fn gpu_for_kernels(&mut self) -> Result<GpuInfo, NoGpu> {
        if self.gpu.as_mut().is_some_and(Process::is_alive) {
            return self.gpu();
        }
        match self.ask_gpu() {
            // as in `load`
            Err(_) if self.program_on_gpu.take().is_some() => self.ask_gpu(),
            asked => asked,
        }
    }

    fn ask_gpu(&mut self) -> Result<GpuInfo, NoGpu> {
        let killer = self.killer.clone();
        let process = self.process(Role::Gpu).map_err(|e| NoGpu { why: e.to_string() })?;
        let reply = process.ask(&Request::Gpu, GPU_START_LIMIT, &killer);
        let info = opened(self.settle(Role::Gpu, reply))?;
        self.gpu_info = Some(info.clone());
        Ok(info)
    }

    /// A handle that ends this worker's job from another thread.
    pub fn killer(&self) -> Killer {
        self.killer.clone()
    }

    /// The child that compiles, which has to see where the compiler lies.
    fn compiler(&mut self, toolchain: &Toolchain) -> Result<&mut Process, Error> {
        if self.rules.readable.is_empty() {
            self.rules.readable = toolchain.folders();
        }
        self.process(Role::Compiler)
    }

    /// The child for a role, started when there is none.
    fn process(&mut self, role: Role) -> Result<&mut Process, Error> {
        let slot = match role {
            Role::Compiler => &mut self.compiler,
            Role::Simulator | Role::Program => &mut self.simulator,
            Role::Gpu | Role::GpuProgram => &mut self.gpu,
        };
        // Between two jobs a child can be killed from outside, and nobody has noticed.
        if slot.as_mut().is_some_and(|process| !process.is_alive()) {
            *slot = None;
        }
        match slot {
            Some(process) => Ok(process),
            None => Ok(slot.insert(Process::start(&self.program, role, &self.rules)?)),
        }
    }

    /// Lets go of a child that is lost or has said its last word.
    fn settle(&mut self, role: Role, reply: Result<Reply, Lost>) -> Result<Reply, Lost> {
        if reply.as_ref().map_or(true, Reply::is_last) {
            match role {
                Role::Compiler => self.compiler = None,
                Role::Simulator => self.simulator = None,
                Role::Gpu => self.gpu = None,
                // nobody keeps those
                Role::Program | Role::GpuProgram => {}
            }
        }
        reply
    }
}

impl From<Program> for Worker {
    fn from(program: Program) -> Self {
        Self {
            program,
            rules: Rules::default(),
            compiler: None,
            simulator: None,
            gpu: None,
            program_on_gpu: None,
            gpu_info: None,
            killer: Killer::default(),
            compile_limit: COMPILE_LIMIT,
        }
    }
}

impl Lost {
    /// What the loss says of the kernel that ran.
    fn fault(self, limit: Duration) -> Result<Fault, Error> {
        match self {
            Self::TimedOut => Ok(Fault::TimedOut { seconds: limit.as_secs_f64() }),
            Self::Died(_) | Self::Memory(_) => Ok(Fault::WorkerDied { how: self.to_string() }),
            Self::Cancelled => Err(Error::Cancelled),
            Self::Failed(error) => Err(error),
        }
    }

    /// What the loss says of the compiler that ran.
    fn compiler<T>(self, limit: Duration) -> Result<Outcome<T>, Error> {
        let seconds = limit.as_secs_f64();
        match self {
            Self::TimedOut => {
                Ok(Outcome::Stopped(format!("the compiler did not finish within {seconds} s")))
            }
            Self::Died(how) => Ok(Outcome::Stopped(format!("the compiler crashed ({how})"))),
            Self::Memory(bytes) => Ok(Outcome::Stopped(format!(
                "the compiler took more than {} MiB of memory",
                bytes >> 20
            ))),
            Self::Cancelled => Err(Error::Cancelled),
            Self::Failed(error) => Err(error),
        }
    }
}

/// What a child said to [`Request::Gpu`]: the GPU that it has opened, with a context, or why it could not.
fn opened(reply: Result<Reply, Lost>) -> Result<GpuInfo, NoGpu> {
    let why = match reply {
        Ok(Reply::Gpu(info)) => return Ok(info),
        Ok(Reply::NoGpu(no_gpu)) => return Err(no_gpu),
        Ok(other) => unexpected(other).to_string(),
        Err(Lost::TimedOut) => format!(
            "NVIDIA's driver did not answer within {} s: see whether nvidia-smi does, or use --backend sim",
            GPU_START_LIMIT.as_secs()
        ),
        Err(Lost::Died(how)) => format!(
            "NVIDIA's driver brought its process down ({how}): see whether nvidia-smi works, or use --backend sim"
        ),
        Err(lost @ Lost::Memory(_)) => lost.to_string(),
        Err(Lost::Cancelled) => Error::Cancelled.to_string(),
        Err(Lost::Failed(error)) => error.to_string(),
    };
    Err(NoGpu { why })
}

/// An answer to another question.
fn unexpected(reply: Reply) -> Error {
    match reply {
        Reply::NoGpu(no_gpu) => Error::NoGpu(no_gpu),
        Reply::NoSandbox(why) => Error::NoSandbox(why),
        Reply::Bug(text) => Error::Bug(text),
        Reply::Confined(_)
        | Reply::Gpu(_)
        | Reply::Compiled(_)
        | Reply::Built(_)
        | Reply::Called { .. }
        | Reply::Ran { .. }
        | Reply::Traced { .. } => Error::Protocol("an answer to another question".into()),
    }
}

/// Adds what the child printed to what the simulator collected, within the same limit.
fn with_printed(mut run: Run, (text, dropped): (String, u64)) -> Run {
    let room = PRINTED_LIMIT.saturating_sub(run.printed.len()).min(text.len());
    let cut = (0..=room).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    run.printed.push_str(text.get(..cut).unwrap_or_default());
    run.printed_dropped += dropped + (text.len() - cut) as u64;
    run
}
