//! What a check needs besides the exercise: the compiler, its cache, the worker processes and the
//! choice of the backend.

use std::time::Duration;

use crate::backend::{Choice, GpuInfo, Launch, NoGpu, Run};
use crate::compile::{self, Cache, Outcome, Program, ProgramOptions};
use crate::toolchain::Toolchain;
use crate::worker::{self, Killer, ProgramProcess, Sandbox, Worker};

/// Wall time that one launch may take before its worker is killed.
pub const LAUNCH_TIME_LIMIT: Duration = Duration::from_secs(10);

/// Compiles and runs code. One engine serves many exercises, because its worker processes stay
/// warm.
pub struct Engine {
    toolchain: Toolchain,
    cache: Cache,
    worker: Worker,
    backend: Choice,
    gpu: Option<Result<GpuInfo, NoGpu>>,
}

impl Engine {
    /// An engine for this compiler and backend. Processes start when they are first needed.
    pub fn new(toolchain: Toolchain, backend: Choice) -> Self {
        Self { toolchain, cache: Cache::open(), worker: Worker::new(), backend, gpu: None }
    }

    /// The same engine with other limits for learners' code: the sandbox, the memory of a process
    /// in bytes, and the visible GPU, as in `CUDA_VISIBLE_DEVICES`.
    pub fn confined(mut self, sandbox: Sandbox, memory: Option<u64>, gpu: Option<&str>) -> Self {
        self.worker = self.worker.with_sandbox(sandbox);
        if let Some(bytes) = memory {
            self.worker = self.worker.with_memory(bytes);
        }
        if let Some(gpu) = gpu {
            self.worker = self.worker.with_gpu(gpu);
        }
        self
    }

    /// Checks that code can run: with the required sandbox, and on a GPU where one is required.
    ///
    /// # Errors
    /// When the sandbox or the GPU is not available.
    pub fn ready(&mut self) -> Result<(), worker::Error> {
        self.uses_gpu()?;
        self.worker.check_sandbox()
    }

    /// Ends the processes that ran code so far, so that later code runs in new ones.
    pub fn recycle(&mut self) {
        self.worker.recycle();
    }

    /// The compiler in use.
    pub fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// The GPU, or why there is none. The worker looks for it once.
    ///
    /// # Errors
    /// Why no GPU can be used.
    pub fn gpu(&mut self) -> Result<GpuInfo, NoGpu> {
        self.gpu.get_or_insert_with(|| self.worker.gpu()).clone()
    }

    /// Whether the cases run on a GPU.
    ///
    /// # Errors
    /// When the GPU was selected, and there is none.
    pub fn uses_gpu(&mut self) -> Result<bool, NoGpu> {
        match self.backend {
            Choice::Sim => Ok(false),
            Choice::Auto => Ok(self.gpu().is_ok()),
            Choice::Gpu => self.gpu().map(|_| true),
        }
    }

    /// The device that runs the cases: "simulator", "GPU: NVIDIA H200".
    ///
    /// # Errors
    /// When the GPU was selected, and there is none.
    pub fn device(&mut self) -> Result<String, NoGpu> {
        match self.uses_gpu()? {
            true => Ok(format!("GPU: {}", self.gpu()?.name)),
            false => Ok("simulator".to_owned()),
        }
    }

    /// A handle that stops the engine's current job from another thread.
    pub fn killer(&self) -> Killer {
        self.worker.killer()
    }

    /// Compiles a kernel file, or returns the cached result.
    ///
    /// # Errors
    /// When the worker cannot be used; a rejected source is an [`Outcome`].
    pub fn compile(
        &mut self,
        source: &str,
        file: &str,
        options: &compile::Options,
    ) -> Result<Outcome, worker::Error> {
        if let Some(module) = self.cache.get(&self.toolchain, source, file, options) {
            return Ok(Outcome::Compiled(module));
        }
        let outcome = self.worker.compile(&self.toolchain, source, file, options)?;
        if let Outcome::Compiled(module) = &outcome {
            self.cache.put(&self.toolchain, source, file, options, module);
        }
        Ok(outcome)
    }

    /// Compiles a program, or returns the cached result.
    ///
    /// # Errors
    /// As [`Engine::compile`].
    pub fn build(
        &mut self,
        source: &str,
        file: &str,
        options: &ProgramOptions,
    ) -> Result<Outcome<Program>, worker::Error> {
        if let Some(program) = self.cache.get(&self.toolchain, source, file, options) {
            return Ok(Outcome::Compiled(program));
        }
        let outcome = self.worker.build(&self.toolchain, source, file, options)?;
        if let Outcome::Compiled(program) = &outcome {
            self.cache.put(&self.toolchain, source, file, options, program);
        }
        Ok(outcome)
    }

    /// Starts a process with a program, on the GPU or on the simulator. Give its calls
    /// [`LAUNCH_TIME_LIMIT`].
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn load(
        &mut self,
        backend: Choice,
        object: &[u8],
    ) -> Result<ProgramProcess, worker::Error> {
        self.worker.load(backend, object)
    }

    /// Keeps a program's process on the GPU for the next program, until [`Engine::recycle`].
    pub fn keep(&mut self, program: ProgramProcess) {
        self.worker.keep(program);
    }

    /// Runs one launch on the GPU or on the simulator.
    ///
    /// # Errors
    /// When the worker cannot be used; the kernel's own faults are in the [`Run`].
    pub fn run(
        &mut self,
        backend: Choice,
        ptx: &str,
        launch: &Launch,
    ) -> Result<Run, worker::Error> {
        self.worker.run(backend, ptx, launch, LAUNCH_TIME_LIMIT)
    }

    /// Runs one launch on the simulator and records the steps of one of its threads.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn trace(
        &mut self,
        ptx: &str,
        launch: &Launch,
        thread: ptxsim::trace::Thread,
    ) -> Result<(Run, Option<ptxsim::trace::Trace>), worker::Error> {
        self.worker.trace(ptx, launch, thread, LAUNCH_TIME_LIMIT)
    }
}
