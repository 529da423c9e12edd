//! What a check needs besides the exercise: the compiler, its cache, the worker processes and the
//! choice of the backend.

use std::path::PathBuf;
use std::time::Duration;

use cudart_sim::occupancy::{Card, SIMULATED};
use cudart_sim::resources::KernelResources;

use crate::backend::{Choice, GpuInfo, Launch, NoGpu, Run, Simulation};
use crate::compile::{
    self, Assembly, Cache, Outcome, Program, ProgramOptions, SIMULATED_ARCHITECTURE, Target,
};
use crate::toolchain::{self, Compilers, Device, Extra, Toolchain, Version};
use crate::worker::{self, Killer, ProgramProcess, Sandbox, WholeRun, Worker};

/// Wall time that one launch may take before its worker is killed.
pub const LAUNCH_TIME_LIMIT: Duration = Duration::from_secs(10);

/// A backend whose GPU is known, before the compiler is: the driver decides which one it takes.
pub struct Devices {
    worker: Worker,
    backend: Choice,
    gpu: Option<Result<GpuInfo, NoGpu>>,
}

impl Devices {
    /// Looks for the GPU, unless the backend is the simulator.
    pub fn find(backend: Choice) -> Self {
        let mut worker = Worker::new();
        let gpu = (backend != Choice::Sim).then(|| worker.gpu());
        Self { worker, backend, gpu }
    }

    /// The GPU and its driver, if cases run there.
    pub fn gpu(&self) -> Option<Device> {
        self.gpu.as_ref()?.as_ref().ok().map(device)
    }

    /// An engine with these compilers.
    pub fn engine(self, compilers: Compilers) -> Engine {
        let Self { worker, backend, gpu } = self;
        let cache = Cache::open();
        Engine { compilers, cache, worker, backend, gpu, announce: |_| (), installs: true }
    }
}

/// What the compiler has to know about a GPU.
pub fn device(gpu: &GpuInfo) -> Device {
    let (major, minor) = gpu.driver;
    Device { driver: Version::new(major, minor), capability: gpu.capability }
}

/// Compiles and runs code. One engine serves many exercises, because its worker processes stay
/// warm.
pub struct Engine {
    compilers: Compilers,
    cache: Cache,
    worker: Worker,
    backend: Choice,
    gpu: Option<Result<GpuInfo, NoGpu>>,
    announce: fn(&Extra),
    installs: bool,
}

impl Engine {
    /// An engine for these compilers and this backend. Processes start when they are first needed.
    pub fn new(compilers: Compilers, backend: Choice) -> Self {
        Devices { worker: Worker::new(), backend, gpu: None }.engine(compilers)
    }

    /// The same engine, which calls `announce` before it installs headers that a source includes.
    pub fn announcing(self, announce: fn(&Extra)) -> Self {
        Self { announce, ..self }
    }

    /// The same engine, which keeps what it compiles in this cache.
    pub fn with_cache(self, cache: Cache) -> Self {
        Self { cache, ..self }
    }

    /// The same engine, which rejects a source whose headers are not installed, and doesn't install
    /// them.
    pub fn without_installing(self) -> Self {
        Self { installs: false, ..self }
    }

    /// The same engine with other limits for learners' code: the sandbox, the memory of a process
    /// in bytes, and the visible GPU, as in `CUDA_VISIBLE_DEVICES`.
    pub fn confined(mut self, sandbox: Sandbox, memory: Option<u64>, gpu: Option<&str>) -> Self {
        // the process that has looked for the GPU was confined in the usual way
        if sandbox != Sandbox::default() || memory.is_some() || gpu.is_some() {
            self.worker.recycle();
        }
        self.worker = self.worker.with_sandbox(sandbox);
        if let Some(bytes) = memory {
            self.worker = self.worker.with_memory(bytes);
        }
        if let Some(gpu) = gpu {
            self.worker = self.worker.with_gpu(gpu);
            self.gpu = None;
        }
        self
    }

    /// The same engine, whose compiler may read these folders although it is confined.
    pub fn reading(mut self, folders: Vec<PathBuf>) -> Self {
        self.worker = self.worker.with_readable(folders);
        self
    }

    /// Checks that code can run: with the required sandbox, and on a GPU where one is required.
    ///
    /// # Errors
    /// When the sandbox or the GPU is not available.
    pub fn ready(&mut self) -> Result<(), worker::Error> {
        self.programs_use_gpu()?;
        self.worker.check_sandbox()
    }

    /// Ends the processes that ran code so far, so that later code runs in new ones.
    pub fn recycle(&mut self) {
        self.worker.recycle();
    }

    /// The compilers in use.
    pub fn compilers(&self) -> &Compilers {
        &self.compilers
    }

    /// The GPU, or why there is none. The worker looks for it once.
    ///
    /// # Errors
    /// Why no GPU can be used.
    pub fn gpu(&mut self) -> Result<GpuInfo, NoGpu> {
        self.gpu.get_or_insert_with(|| self.worker.gpu()).clone()
    }

    /// Whether the cases of kernels run on a GPU.
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

    /// Whether host programs run on a GPU.
    ///
    /// # Errors
    /// When the GPU was selected, and there is none, or it does not take what nvcc compiles.
    pub fn programs_use_gpu(&mut self) -> Result<bool, NoGpu> {
        if !self.uses_gpu()? {
            return Ok(false);
        }
        match (&self.compilers.programs_off_gpu, self.backend) {
            (None, _) => Ok(true),
            (Some(_), Choice::Auto) => Ok(false),
            (Some(why), _) => Err(NoGpu {
                why: format!("host programs cannot run on this GPU, because {why}"),
                advice: Some("install a CUDA toolkit that the driver takes".to_owned()),
                has_card: true,
            }),
        }
    }

    /// Why host programs run on the simulator, although kernels run on the GPU.
    pub fn programs_off_gpu(&mut self) -> Option<String> {
        let kernels = self.uses_gpu().unwrap_or(false);
        self.compilers.programs_off_gpu.clone().filter(|_| kernels)
    }

    /// The device that runs the cases of a kernel or of a program: "simulator", "GPU: NVIDIA H200".
    ///
    /// # Errors
    /// When the GPU was selected, and it cannot be used.
    pub fn device(&mut self, has_host_code: bool) -> Result<String, NoGpu> {
        match if has_host_code { self.programs_use_gpu()? } else { self.uses_gpu()? } {
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
    fn architecture(&mut self, compiler: Version, on_gpu: bool) -> String {
        match self.backend {
            Choice::Auto | Choice::Gpu if on_gpu => match self.gpu() {
                Ok(gpu) => architecture(compiler, gpu.capability),
                Err(_) => SIMULATED_ARCHITECTURE.to_owned(),
            },
            _ => SIMULATED_ARCHITECTURE.to_owned(),
        }
    }

    /// The architecture of machine code that programs need, because the GPU's driver is older than
    /// nvcc.
    fn machine(&mut self) -> Option<String> {
        let Device { driver, capability: (major, minor) } = device(&self.gpu().ok()?);
        (self.compilers.programs.release() > driver).then(|| format!("sm_{major}{minor}"))
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
        self.compile_for(&SIMULATED, source, file, options)
    }

    /// The same with an architecture that is no newer than the card's.
    ///
    /// # Errors
    /// As [`Engine::compile`].
    pub fn compile_for(
        &mut self,
        card: &Card,
        source: &str,
        file: &str,
        options: &compile::Options,
    ) -> Result<Outcome, worker::Error> {
        let arch = self.architecture(self.compilers.kernels.release(), true);
        let arch = older(arch, &card.architecture());
        let options = &compile::Options { arch, ..options.clone() };
        self.with_headers(kernels, |engine| engine.compile_once(source, file, options))
    }

    fn compile_once(
        &mut self,
        source: &str,
        file: &str,
        options: &compile::Options,
    ) -> Result<Outcome, worker::Error> {
        if let Some(module) = self.cache.get(&self.compilers.kernels, source, file, options) {
            return Ok(Outcome::Compiled(module));
        }
        let outcome = self.worker.compile(&self.compilers.kernels, source, file, options)?;
        if let Outcome::Compiled(module) = &outcome {
            self.cache.put(&self.compilers.kernels, source, file, options, module);
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
        let on_gpu = self.compilers.programs_off_gpu.is_none();
        let arch = self.architecture(self.compilers.programs.release(), on_gpu);
        let arch = older(arch, &options.assembled_for);
        let machine = match options.target {
            Target::Simulator => None,
            Target::Gpu | Target::TimedGpu | Target::Both => self.machine(),
        };
        let options = &ProgramOptions { arch, machine, ..options.clone() };
        self.with_headers(programs, |engine| engine.build_once(source, file, options))
    }

    fn build_once(
        &mut self,
        source: &str,
        file: &str,
        options: &ProgramOptions,
    ) -> Result<Outcome<Program>, worker::Error> {
        if let Some(program) = self.cache.get(&self.compilers.programs, source, file, options) {
            return Ok(Outcome::Compiled(program));
        }
        let outcome = self.worker.build(&self.compilers.programs, source, file, options)?;
        if let Outcome::Compiled(program) = &outcome {
            self.cache.put(&self.compilers.programs, source, file, options, program);
        }
        Ok(outcome)
    }

    /// What the assembler allocates for each kernel in PTX, or a sentence that says why this is
    /// unknown. Results are cached.
    ///
    /// # Errors
    /// When the worker cannot be used.
    pub fn resources(
        &mut self,
        ptx: &str,
        assembly: &Assembly,
    ) -> Result<Result<Vec<KernelResources>, String>, worker::Error> {
        // a toolkit of CUDA 12 may have the assembler that the newer NVRTC lacks
        let Compilers { kernels, programs, .. } = &self.compilers;
        let has_assembler = compile::assembler(kernels).is_some();
        let toolchain = if has_assembler { kernels } else { programs };
        if let Some(known) = self.cache.get(toolchain, ptx, "", assembly) {
            return Ok(Ok(known));
        }
        let resources = self.worker.assemble(toolchain, ptx, assembly)?;
        if let Ok(known) = &resources {
            self.cache.put(toolchain, ptx, "", assembly, known);
        }
        Ok(resources)
    }

    /// Compiles, and once more for each package of headers that the source turns out to need.
    fn with_headers<T>(
        &mut self,
        compiler: fn(&mut Compilers) -> &mut Toolchain,
        mut compile: impl FnMut(&mut Self) -> Result<Outcome<T>, worker::Error>,
    ) -> Result<Outcome<T>, worker::Error> {
        let mut installed: Vec<&'static Extra> = vec![];
        loop {
            let outcome = compile(self)?;
            let Outcome::Rejected(messages) = &outcome else { return Ok(outcome) };
            if !self.installs {
                return Ok(outcome);
            }
            let needed = messages.iter().find_map(|m| toolchain::providing(m.missing_header()?));
            let Some(extra) = needed.filter(|extra| !installed.contains(extra)) else {
                return Ok(outcome);
            };
            (self.announce)(extra);
            let compiler = compiler(&mut self.compilers);
            match toolchain::install_headers(compiler, extra) {
                Ok(toolchain) => *compiler = toolchain,
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

    /// Runs a whole program on the simulator, confined, within `limit` of wall time.
    ///
    /// # Errors
    /// As [`Engine::run`]. Mistakes of the program are in the [`WholeRun`].
    pub fn run_whole(
        &mut self,
        object: &[u8],
        arguments: &[String],
        simulation: &Simulation,
        limit: Duration,
    ) -> Result<WholeRun, worker::Error> {
        self.worker.run_whole(object, arguments, simulation, limit)
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

fn kernels(compilers: &mut Compilers) -> &mut Toolchain {
    &mut compilers.kernels
}

fn programs(compilers: &mut Compilers) -> &mut Toolchain {
    &mut compilers.programs
}

/// The newest architecture that this compiler has, and that runs on a GPU of this compute
/// capability and on the simulator.
fn architecture(compiler: Version, (major, minor): (u32, u32)) -> String {
    const OF_CUDA_12: &[u32] = &[90, 89, 87, 86, 80, 75, 72, 70, 62, 61, 60];
    const OF_CUDA_13: &[u32] = &[90, 89, 88, 87, 86, 80, 75];
    let known = if compiler.major < 13 { OF_CUDA_12 } else { OF_CUDA_13 };
    let own = 10 * major + minor;
    let newest = known.iter().find(|known| **known <= own).or(known.last());
    newest.map_or_else(|| SIMULATED_ARCHITECTURE.to_owned(), |known| format!("compute_{known}"))
}

/// The older of a virtual architecture (`compute_90`) and that of a card (`sm_75`).
fn older(arch: String, card: &str) -> String {
    let number = |text: &str| text.split('_').nth(1).and_then(|n| n.parse::<u32>().ok());
    match (number(&arch), number(card)) {
        (Some(own), Some(most)) if most < own => format!("compute_{most}"),
        _ => arch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_compiled_for_the_older_of_both_devices() {
        let cuda_13 = Version::new(13, 0);
        let cases =
            [((9, 0), "90"), ((7, 5), "75"), ((8, 9), "89"), ((12, 0), "90"), ((5, 2), "75")];
        for (capability, number) in cases {
            assert_eq!(architecture(cuda_13, capability), format!("compute_{number}"));
        }
        assert_eq!(architecture(cuda_13, (9, 0)), SIMULATED_ARCHITECTURE);
    }

    #[test]
    fn code_is_never_newer_than_the_card() {
        for (arch, card, expected) in [
            ("compute_90", "sm_75", "compute_75"),
            ("compute_90", "sm_90", "compute_90"),
            ("compute_90", "sm_100", "compute_90"),
            ("compute_75", "sm_89", "compute_75"),
        ] {
            assert_eq!(older(arch.to_owned(), card), expected);
        }
    }

    /// CUDA 12 compiles for older GPUs than CUDA 13, and lacks one that came later.
    #[test]
    fn each_compiler_gets_architectures_that_it_supports() {
        let cuda_12 = Version::new(12, 4);
        let cases = [
            ((9, 0), "90"),
            ((8, 8), "87"),
            ((7, 0), "70"),
            ((6, 1), "61"),
            ((6, 0), "60"),
            ((12, 0), "90"),
        ];
        for (capability, number) in cases {
            assert_eq!(architecture(cuda_12, capability), format!("compute_{number}"));
        }
        assert_eq!(architecture(Version::new(13, 0), (8, 8)), "compute_88");
    }
}
