//! What a check needs besides the exercise: the compiler, its cache, the worker processes and the
//! choice of the backend.

use std::time::Duration;

use crate::backend::{Choice, GpuInfo, Launch, NoGpu, Run};
use crate::compile::{self, Cache, Outcome, Program, ProgramOptions, SIMULATED_ARCHITECTURE};
use crate::toolchain::{self, Extra, Toolchain};
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
    announce: fn(&Extra),
}

impl Engine {
    /// An engine for this compiler and backend. Processes start when they are first needed.
    pub fn new(toolchain: Toolchain, backend: Choice) -> Self {
        let (cache, worker) = (Cache::open(), Worker::new());
        Self { toolchain, cache, worker, backend, gpu: None, announce: |_| () }
    }

    /// The same engine, which calls `announce` before it installs headers that a source includes.
    pub fn announcing(self, announce: fn(&Extra)) -> Self {
        Self { announce, ..self }
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

    /// The virtual architecture of device code: that of the device which runs it. The simulated
    /// device has compute capability 9.0, and where a GPU and the simulator run the same code, it
    /// is the older one of both.
    fn architecture(&mut self) -> String {
        match self.backend {
            Choice::Sim => SIMULATED_ARCHITECTURE.to_owned(),
            Choice::Auto | Choice::Gpu => match self.gpu() {
                Ok(gpu) => architecture(gpu.capability),
                Err(_) => SIMULATED_ARCHITECTURE.to_owned(),
            },
        }
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
        let options = &compile::Options { arch: self.architecture(), ..options.clone() };
        self.with_headers(|engine| engine.compile_once(source, file, options))
    }

    fn compile_once(
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
        let options = &ProgramOptions { arch: self.architecture(), ..options.clone() };
        self.with_headers(|engine| engine.build_once(source, file, options))
    }

    fn build_once(
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

    /// Compiles, and once more for each package of headers that the source turns out to need.
    fn with_headers<T>(
        &mut self,
        mut compile: impl FnMut(&mut Self) -> Result<Outcome<T>, worker::Error>,
    ) -> Result<Outcome<T>, worker::Error> {
        let mut installed: Vec<&'static Extra> = vec![];
        loop {
            let outcome = compile(self)?;
            let Outcome::Rejected(messages) = &outcome else { return Ok(outcome) };
            let needed = messages.iter().find_map(|m| toolchain::providing(m.missing_header()?));
            let Some(extra) = needed.filter(|extra| !installed.contains(extra)) else {
                return Ok(outcome);
            };
            (self.announce)(extra);
            match toolchain::install_headers(&self.toolchain, extra) {
                Ok(toolchain) => self.toolchain = toolchain,
                Err(error) => {
                    let name = extra.name;
                    return Ok(Outcome::Unavailable(format!(
                        "the headers of {name} are needed, but not installed: {error}"
                    )));
                }
            }
            // The process that compiles may read only the folders that were known at its start.
            self.worker.recycle();
            installed.push(extra);
        }
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

/// The newest architecture that runs on a GPU of this compute capability and on the simulator.
fn architecture((major, minor): (u32, u32)) -> String {
    const KNOWN: [u32; 7] = [90, 89, 88, 87, 86, 80, 75];
    let own = 10 * major + minor;
    let newest = KNOWN.into_iter().find(|known| *known <= own).unwrap_or(75);
    format!("compute_{newest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_compiled_for_the_older_of_both_devices() {
        let cases =
            [((9, 0), "90"), ((7, 5), "75"), ((8, 9), "89"), ((12, 0), "90"), ((5, 2), "75")];
        for (capability, number) in cases {
            assert_eq!(architecture(capability), format!("compute_{number}"));
        }
        assert_eq!(architecture((9, 0)), SIMULATED_ARCHITECTURE);
    }
}
