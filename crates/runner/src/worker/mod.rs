//! Runs learners' code in child processes, and never in the checker's own
//! process.
//!
//! The checker itself loads neither CUDA nor NVRTC. Its children (`checker-worker`) do: one
//! compiles, one simulates kernels, one holds the GPU, and programs with host code get children of
//! their own ([`ProgramProcess`]). A child starts with the first job that needs it, and is kept for
//! later jobs, so that `watch` only waits for a compilation and a launch. A child that hangs,
//! crashes, uses too much memory or loses its GPU is killed with its process group, and the next
//! job gets a new one.
//!
//! # Protocol
//!
//! A child reads requests from its standard input. It writes replies to a descriptor that it moves
//! away from standard output before anything else runs (`child.rs`). So whatever a kernel, a driver
//! or a library prints is captured output ([`PRINTED_LIMIT`]), and never a reply. Requests and
//! replies are length-prefixed frames (`wire.rs`). A reply that is not such a frame is an error of
//! the checker, and never one of the learner.
//!
//! # Sandbox
//!
//! Before a child reads anything of a learner's, it gives up the rights that its role does not need
//! ([`Sandbox`]): files (landlock), system calls (seccomp) and resources (rlimits). The simulator
//! opens no file at all. The compiler sees the system's folders, the CUDA compiler and its scratch
//! folder. Each compilation has a process of its own, forked from one that has loaded the compiler
//! and reads no request (`prefork.rs`), with the same addresses each time (`addresses.rs`). The
//! process of a program can only compute; a call that it may not make is reported with its line. A
//! child with a GPU sees the driver's devices. From outside, `watchdog.rs` adds up the memory of a
//! child and its descendants, and distinguishes a slow child from one that a busy machine does not
//! let work, and `thread_limit.rs` decides about each thread that a program starts.
//!
//! # Trust
//!
//! Right answers never reach a child. The checker computes references itself, after the run. A
//! program shares its process with the checker's code, so `program.rs` checks what that process
//! replies. The outputs are only bytes that will be compared. The counts are as trustworthy as the
//! process: a program that manipulates the checker's memory can forge counts, but not results.
//!
//! * Every call has a secret token, which the reply repeats. So a program that knows the protocol
//!   cannot reply in the checker's place.
//! * The checker asks a child what the machine lacks (a sandbox, a GPU) before it loads the
//!   program. So a program cannot blame the machine.
//! * On the simulator, every call gets a new process, because the observations are about the whole
//!   process.
//! * On a GPU, a process serves all cases of a program as long as they are right, and in a class
//!   all programs of one student, because a driver needs 0.17 s to create a context (NVIDIA H200)
//!   and creates one after the other, however many processes ask. A case that is wrong there after
//!   other calls is run again in a new process, and only that run counts. A case that is right has
//!   the right outputs, whatever earlier calls have left, and was also right on the simulator in a
//!   process of its own.
//! * Between calls the process is suspended, so that nothing which the program has started works
//!   unobserved.

#[cfg(target_os = "linux")]
mod addresses;
mod cancel;
mod capture;
mod card_lock;
mod child;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod prefork;
#[cfg(unix)]
mod private_pipe;
mod process;
mod program;
mod sandbox;
mod scratch;
#[cfg(all(test, target_os = "linux"))]
mod tests;
#[cfg(target_os = "linux")]
mod thread_limit;
mod watchdog;
mod whole;
mod wire;

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use cudart_sim::resources::KernelResources;

pub use self::cancel::Killer;
use self::card_lock::CardLock;
pub use self::child::serve;
pub use self::process::starved;
use self::process::{NoReply, Process, Program};
pub use self::program::ProgramProcess;
use self::sandbox::Rules;
pub use self::sandbox::{Confinement, Sandbox};
pub use self::whole::{End, WholeRun};
use self::wire::{Reply, Request};
use crate::backend::{Choice, Fault, GpuInfo, Launch, NoGpu, PRINTED_LIMIT, Run};
use crate::compile::{self, Assembly, Options, Outcome, ProgramOptions};
use crate::toolchain::Toolchain;

/// How long a GPU may take to reply for the first time. On a machine with many GPUs, the driver
/// needs seconds to start.
const GPU_START_LIMIT: Duration = Duration::from_secs(60);

/// How long the compiler may take, including its first start. For an exercise, NVRTC needs 0.02 s
/// and nvcc 1 s.
const COMPILE_LIMIT: Duration = Duration::from_secs(20);

/// By which factor that limit is longer for a learner's own program, which is not an exercise.
const OWN_PROGRAM_FACTOR: u32 = 15;

/// What went wrong in the checker or the machine, and not in learners' code.
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
    /// The GPU is required and cannot be used.
    #[error(transparent)]
    NoGpu(#[from] NoGpu),
    /// Confinement is required, and this system does not support it.
    #[error(
        "learners' code cannot be confined on this machine: {0}; `--sandbox try` runs it with the confinement that is \
         possible, which does not protect against malicious code"
    )]
    NoSandbox(String),
    /// The child did not send a valid reply.
    #[error("this is a bug in the checker: its worker process sent a malformed reply: {0}")]
    Protocol(String),
    /// Another thread cancelled the job with [`Killer::kill`].
    #[error("the check was cancelled")]
    Cancelled,
    /// A program could not be written to the scratch folder of its process.
    #[error("a compiled program cannot be written to the temporary folder: {0}")]
    Object(io::Error),
    /// A card could not be reserved for timing.
    #[error(
        "the GPU can't be reserved for timing, because a file in the temporary folder can't be locked: {0}"
    )]
    CardLock(io::Error),
    /// The checker's own code failed in the child.
    #[error("this is a bug in the checker: {0}")]
    Bug(String),
}

/// The purpose of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Compiles.
    Compiler,
    /// Simulates kernels.
    Simulator,
    /// Runs kernels on the GPU.
    Gpu,
    /// Calls a function or the `main` of a program on the simulator.
    Program,
    /// The same on the GPU.
    GpuProgram,
}

/// The child processes of the checker. A child starts with the first job that needs it. Dropping
/// this ends all children.
#[derive(Debug)]
pub struct Worker {
    program: Program,
    rules: Rules,
    compiler: Option<Process>,
    simulator: Option<Process>,
    gpu: Option<Process>,
    /// The process of programs whose calls on the GPU were all right so far.
    program_on_gpu: Option<ProgramProcess>,
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
    /// A worker whose children are the `checker-worker` beside this program.
    pub fn new() -> Self {
        Self::from(Program::Installed)
    }

    /// A worker whose children are another executable, for tests and benchmarks.
    pub fn with_program(worker: PathBuf) -> Self {
        Self::from(Program::new(worker))
    }

    /// Changes the time limit of a compilation, which is 20 s by default.
    pub fn with_compile_limit(self, limit: Duration) -> Self {
        Self { compile_limit: limit, ..self }
    }

    /// Changes how children are confined, which is [`Sandbox::Try`] by default.
    pub fn with_sandbox(self, mode: Sandbox) -> Self {
        Self { rules: Rules { mode, ..self.rules }, ..self }
    }

    /// Limits the memory of each child and its descendants to this many bytes.
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { rules: Rules { memory: Some(bytes), ..self.rules }, ..self }
    }

    /// Lets a child that compiles read these folders, too.
    pub fn with_readable(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.rules.readable.extend(folders);
        Self { compiler: None, ..self }
    }

    /// Uses only the GPU with this name in `CUDA_VISIBLE_DEVICES`.
    pub fn with_gpu(self, gpu: &str) -> Self {
        Self { rules: Rules { gpu: Some(gpu.to_owned()), ..self.rules }, ..self }
    }

    /// Ends all children. The next job gets a new child, which contains nothing of earlier jobs.
    pub fn recycle(&mut self) {
        // on Linux, the child that compiles has seen nothing of earlier jobs (`prefork.rs`)
        if cfg!(not(target_os = "linux")) {
            self.compiler = None;
        }
        self.simulator = None;
        self.gpu = None;
        self.program_on_gpu = None;
    }

    /// Checks that a child can be confined, if that is required.
    ///
    /// # Errors
    /// If it cannot be confined, or no child can be started.
    pub fn check_sandbox(&self) -> Result<(), Error> {
        let confinement = self.confinement()?;
        match (self.rules.mode, confinement.is_complete()) {
            (Sandbox::Require, false) => {
                let text = confinement.to_string();
                Err(Error::NoSandbox(confinement.missing.unwrap_or(text)))
            }
            _ => Ok(()),
        }
    }

    /// How a child that runs a learner's program is confined on this machine.
    ///
    /// # Errors
    /// If the child cannot be started, or the checker has a bug.
    pub fn confinement(&self) -> Result<Confinement, Error> {
        let rules = Rules { mode: Sandbox::Try, ..self.rules.clone() };
        let mut process = Process::start(&self.program, Role::Program, &rules)?;
        match process.request(&Request::Confinement, GPU_START_LIMIT, &self.killer) {
            Ok(Reply::Confinement(confinement)) => Ok(confinement),
            Ok(other) => Err(unexpected(other)),
            Err(lost) => Err(Error::Protocol(lost.to_string())),
        }
    }

    /// Compiles a file with a kernel with NVRTC. If the compiler hangs or crashes, the outcome is
    /// `Outcome::Stopped`.
    ///
    /// # Errors
    /// If the child cannot be started, or the checker has a bug.
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
        let reply = self.compiler(toolchain)?.request(&request, limit, &killer);
        match self.drop_if_last(Role::Compiler, reply) {
            Ok(Reply::Compiled(outcome)) => Ok(outcome),
            Ok(other) => Err(unexpected(other)),
            Err(lost) => lost.into_outcome(limit),
        }
    }

    /// Runs a launch on the GPU or, for any other choice, on the simulator, within `limit` of wall
    /// time.
    ///
    /// Mistakes of the learner's kernel are in `Run::faults`, including time-outs and crashes.
    ///
    /// # Errors
    /// If the child cannot be started, there is no GPU, or the checker has a bug.
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
        let gpu = self.rules.gpu.clone();
        let killer = self.killer.clone();
        let process = self.process(role)?;
        let known = process.ptx.as_deref() == Some(ptx);
        let _lock = match backend {
            Choice::Gpu => CardLock::take_to_run(gpu.as_deref(), launch.repeat > 0)?,
            Choice::Auto | Choice::Sim => None,
        };
        let request = Request::Run {
            ptx: (!known).then_some(Cow::Borrowed(ptx)),
            launch: Cow::Borrowed(launch),
        };
        let reply = process.request(&request, limit, &killer);
        process.ptx = Some(ptx.to_owned());
        let printed = process.printed();
        let fault = match self.drop_if_last(role, reply) {
            Ok(Reply::Ran { run, .. }) => return Ok(with_printed(*run, printed)),
            Ok(other) => return Err(unexpected(other)),
            Err(lost) => lost.into_fault(limit)?,
        };
        Ok(with_printed(Run::failed(fault, device), printed))
    }

    /// Compiles a program with nvcc. See [`Worker::compile`].
    ///
    /// # Errors
    /// As [`Worker::compile`].
    pub fn build(
        &mut self,
        toolchain: &Toolchain,
        source: &str,
        file: &str,
        options: &ProgramOptions,
    ) -> Result<Outcome<compile::Program>, Error> {
        // a learner's own program may be long
        let limit =
            self.compile_limit * if options.project.is_some() { OWN_PROGRAM_FACTOR } else { 1 };
        let request = Request::Build {
            toolchain: Cow::Borrowed(toolchain),
            source: Cow::Borrowed(source),
            file: Cow::Borrowed(file),
            options: Cow::Borrowed(options),
        };
        let killer = self.killer.clone();
        let reply = self.compiler(toolchain)?.request(&request, limit, &killer);
        match self.drop_if_last(Role::Compiler, reply) {
            Ok(Reply::Built(outcome)) => Ok(outcome),
            Ok(other) => Err(unexpected(other)),
            Err(lost) => lost.into_outcome(limit),
        }
    }

    /// Assembles PTX, to count the registers of its kernels. The inner error is a sentence that
    /// says why they are unknown.
    ///
    /// # Errors
    /// As [`Worker::compile`].
    pub fn assemble(
        &mut self,
        toolchain: &Toolchain,
        ptx: &str,
        assembly: &Assembly,
    ) -> Result<Result<Vec<KernelResources>, String>, Error> {
        let limit = self.compile_limit;
        let request = Request::Assemble {
            toolchain: Cow::Borrowed(toolchain),
            ptx: Cow::Borrowed(ptx),
            assembly: Cow::Borrowed(assembly),
        };
        let killer = self.killer.clone();
        let reply = self.compiler(toolchain)?.request(&request, limit, &killer);
        match self.drop_if_last(Role::Compiler, reply) {
            Ok(Reply::Assembled(resources)) => Ok(resources),
            Ok(other) => Err(unexpected(other)),
            Err(lost) => match lost.into_outcome::<()>(limit)? {
                Outcome::Stopped(what) => Ok(Err(what)),
                _ => Ok(Err("the assembler did not finish".into())),
            },
        }
    }

    /// Starts a process for a program that will be called on the GPU or, for any other choice, on
    /// the simulator. On the GPU this may be the process that was kept ([`Worker::keep`]).
    ///
    /// # Errors
    /// If the process cannot be started, there is no GPU, or the process cannot be confined
    /// although that is required.
    pub fn load(&mut self, backend: Choice, object: &[u8]) -> Result<ProgramProcess, Error> {
        let (role, device) = match backend {
            Choice::Gpu => (Role::GpuProgram, format!("GPU: {}", self.gpu()?.name)),
            Choice::Auto | Choice::Sim => (Role::Program, "simulator".to_owned()),
        };
        if backend == Choice::Gpu
            && let Some(mut kept) = self.program_on_gpu.take()
            && kept.replace(object).is_ok()
        {
            return Ok(kept);
        }
        let start = |worker: &Self| {
            let process = Process::start(&worker.program, role, &worker.rules)?;
            ProgramProcess::new(
                process,
                role,
                object,
                device.clone(),
                &worker.rules,
                worker.killer.clone(),
            )
        };
        match start(self) {
            // in the compute mode `exclusive`, only one process can use a GPU, and that may be our
            // child for kernels
            Err(Error::NoGpu(_)) if self.gpu.take().is_some() => start(self),
            started => started,
        }
    }

    /// Keeps the process of a program whose calls on the GPU were all right, for the next program
    /// of the same learner.
    pub fn keep(&mut self, program: ProgramProcess) {
        self.program_on_gpu = Some(program);
    }

    /// Runs a launch on the simulator within `limit` of wall time, and records what one of its
    /// threads does. There is no trace if the launch was refused or did not end.
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
        let reply = process.request(&request, limit, &killer);
        process.ptx = Some(ptx.to_owned());
        let printed = process.printed();
        let fault = match self.drop_if_last(Role::Simulator, reply) {
            Ok(Reply::Traced { run, trace }) => {
                return Ok((with_printed(*run, printed), trace));
            }
            Ok(other) => return Err(unexpected(other)),
            Err(lost) => lost.into_fault(limit)?,
        };
        Ok((with_printed(Run::failed(fault, "simulator".into()), printed), None))
    }

    /// The GPU that kernels run on. The child that holds it is asked only once.
    ///
    /// # Errors
    /// Why there is no GPU, and what to do about it.
    pub fn gpu(&mut self) -> Result<GpuInfo, NoGpu> {
        match &self.gpu_info {
            Some(info) => Ok(info.clone()),
            None => self.query_gpu(),
        }
    }

    /// The GPU, after a child has opened it, so that a driver's slow start does not count as a slow
    /// kernel.
    fn gpu_for_kernels(&mut self) -> Result<GpuInfo, NoGpu> {
        if self.gpu.as_mut().is_some_and(Process::is_alive) {
            return self.gpu();
        }
        match self.query_gpu() {
            // as in `load`
            Err(_) if self.program_on_gpu.take().is_some() => self.query_gpu(),
            queried => queried,
        }
    }

    fn query_gpu(&mut self) -> Result<GpuInfo, NoGpu> {
        let killer = self.killer.clone();
        let process = self.process(Role::Gpu).map_err(|e| NoGpu::unknown(e.to_string()))?;
        let reply = process.request(&Request::Gpu, GPU_START_LIMIT, &killer);
        let info = opened(self.drop_if_last(Role::Gpu, reply))?;
        self.gpu_info = Some(info.clone());
        Ok(info)
    }

    /// A handle with which another thread can cancel this worker's job.
    pub fn killer(&self) -> Killer {
        self.killer.clone()
    }

    /// The child that compiles, which may read the folders of the compilers that were used so far:
    /// kernels and programs may have two.
    fn compiler(&mut self, toolchain: &Toolchain) -> Result<&mut Process, Error> {
        let readable = &mut self.rules.readable;
        let mut folders = toolchain.folders();
        folders.retain(|folder| !readable.contains(folder));
        if !folders.is_empty() {
            readable.append(&mut folders);
            self.compiler = None;
        }
        if cfg!(target_os = "linux") && self.rules.preload.is_none() {
            let libraries = toolchain.builtins.iter().chain([&toolchain.nvrtc]);
            self.rules.preload = Some(libraries.cloned().collect());
        }
        self.process(Role::Compiler)
    }

    /// The child for a role, which is started if there is none.
    fn process(&mut self, role: Role) -> Result<&mut Process, Error> {
        let slot = match role {
            Role::Compiler => &mut self.compiler,
            Role::Simulator | Role::Program => &mut self.simulator,
            Role::Gpu | Role::GpuProgram => &mut self.gpu,
        };
        // a child may have been killed from outside between two jobs
        if slot.as_mut().is_some_and(|process| !process.is_alive()) {
            *slot = None;
        }
        match slot {
            Some(process) => Ok(process),
            None => Ok(slot.insert(Process::start(&self.program, role, &self.rules)?)),
        }
    }

    /// Drops a child that did not reply, or that ends after its reply.
    fn drop_if_last(
        &mut self,
        role: Role,
        reply: Result<Reply, NoReply>,
    ) -> Result<Reply, NoReply> {
        if reply.as_ref().map_or(true, Reply::is_last) {
            match role {
                Role::Compiler => self.compiler = None,
                Role::Simulator => self.simulator = None,
                Role::Gpu => self.gpu = None,
                // a `ProgramProcess` owns its child
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

impl NoReply {
    /// The fault of the kernel or program that ran.
    fn into_fault(self, limit: Duration) -> Result<Fault, Error> {
        match self {
            Self::TimedOut => Ok(Fault::TimedOut { seconds: limit.as_secs_f64() }),
            Self::Died(_) | Self::MemoryExceeded(_) | Self::TooManyThreads => {
                Ok(Fault::WorkerDied { how: self.to_string() })
            }
            Self::Cancelled => Err(Error::Cancelled),
            Self::Failed(error) => Err(error),
        }
    }

    /// The outcome of the compilation.
    fn into_outcome<T>(self, limit: Duration) -> Result<Outcome<T>, Error> {
        let seconds = limit.as_secs_f64();
        match self {
            Self::TimedOut => {
                Ok(Outcome::Stopped(format!("the compiler did not finish within {seconds} s")))
            }
            Self::Died(how) => Ok(Outcome::Stopped(format!("the compiler crashed ({how})"))),
            Self::MemoryExceeded(bytes) => Ok(Outcome::Stopped(format!(
                "the compiler used more than {} MiB of memory",
                bytes >> 20
            ))),
            Self::TooManyThreads => Ok(Outcome::Stopped(format!(
                "the compiler started more than {} threads",
                watchdog::MAX_THREADS
            ))),
            Self::Cancelled => Err(Error::Cancelled),
            Self::Failed(error) => Err(error),
        }
    }
}

/// The reply to [`Request::Gpu`]: the GPU, which the child has opened with a context, or why it
/// could not.
fn opened(reply: Result<Reply, NoReply>) -> Result<GpuInfo, NoGpu> {
    let why = match reply {
        Ok(Reply::Gpu(info)) => return Ok(info),
        Ok(Reply::NoGpu(no_gpu)) => return Err(no_gpu),
        Ok(other) => unexpected(other).to_string(),
        Err(NoReply::TimedOut) => {
            let seconds = GPU_START_LIMIT.as_secs();
            return Err(driver_failed(format!("NVIDIA's driver did not reply within {seconds} s")));
        }
        Err(NoReply::Died(how)) => {
            return Err(driver_failed(format!("NVIDIA's driver ended its process ({how})")));
        }
        Err(lost @ (NoReply::MemoryExceeded(_) | NoReply::TooManyThreads)) => lost.to_string(),
        Err(NoReply::Cancelled) => Error::Cancelled.to_string(),
        Err(NoReply::Failed(error)) => error.to_string(),
    };
    Err(NoGpu::unknown(why))
}

fn driver_failed(why: String) -> NoGpu {
    let advice = Some("check whether nvidia-smi works".to_owned());
    NoGpu { why, advice, has_card: true }
}

/// The error for a reply to another request.
fn unexpected(reply: Reply) -> Error {
    match reply {
        Reply::NoGpu(no_gpu) => Error::NoGpu(no_gpu),
        Reply::NoSandbox(why) => Error::NoSandbox(why),
        Reply::Bug(text) => Error::Bug(text),
        Reply::Confinement(_)
        | Reply::Gpu(_)
        | Reply::Compiled(_)
        | Reply::Built(_)
        | Reply::Called { .. }
        | Reply::Ended { .. }
        | Reply::Ran { .. }
        | Reply::Assembled(_)
        | Reply::Traced { .. } => Error::Protocol("a reply to another request".into()),
    }
}

/// Adds what the child printed to the output that the simulator collected, within the same limit.
fn with_printed(mut run: Run, (text, dropped): (String, u64)) -> Run {
    let room = PRINTED_LIMIT.saturating_sub(run.printed.len()).min(text.len());
    let cut = (0..=room).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    run.printed.push_str(text.get(..cut).unwrap_or_default());
    run.printed_dropped += dropped + (text.len() - cut) as u64;
    run
}
