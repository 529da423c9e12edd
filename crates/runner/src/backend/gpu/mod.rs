//! Kernels on a real GPU, through NVIDIA's driver.
//!
//! A GPU reports little: it checks pages and not arrays, and after a fault the whole process has
//! lost the device. Therefore each buffer lies between guard zones that are compared afterwards,
//! inputs are compared with what was sent, outputs start as poison, and the first fault ends this
//! process (`worker` starts another).

mod code;
mod driver;
mod environment;
mod timed;

use self::code::{Binary, Function, Module};
use self::driver::{Buffer, Device, Failure};
use self::timed::Caches;
use super::guard;
use super::poison::{mix, poison, poisoned};
use super::{Arg, Backend, Error, GpuInfo, Launch, NoGpu, Run};

/// The first GPU that the driver shows (`CUDA_VISIBLE_DEVICES` chooses), with its context.
pub struct Gpu {
    device: Device,
    info: GpuInfo,
    ptx: String,
    /// The compiled `ptx`, after the first launch.
    binary: Option<Binary>,
    healthy: bool,
}

impl Gpu {
    /// Loads the driver and opens the first GPU.
    ///
    /// # Errors
    /// When there is no usable GPU: why, and what to do about it.
    pub fn open() -> Result<Self, NoGpu> {
        let device = Device::open()?;
        let info = device.info().map_err(environment::unusable)?;
        environment::check_versions(&info)?;
        Ok(Self { device, info, ptx: String::new(), binary: None, healthy: true })
    }

    /// Its name, memory and versions.
    pub const fn info(&self) -> &GpuInfo {
        &self.info
    }

    fn try_run(&self, binary: &Binary, launch: &Launch) -> Result<Run, LaunchError> {
        // Loaded for every launch, because the global variables of one case must not reach the next
        // one.
        let module = Module::load(&self.device, binary)?;
        let function = module.function(&launch.entry)?;
        self.check_limits(&function, launch)?;
        let buffers = self.upload(launch)?;
        let mut pointers = buffers.iter().flatten().map(|b| b.address() + guard::ZONE_BYTES as u64);
        let words: Vec<u64> = launch
            .args
            .iter()
            .map(|arg| match arg {
                Arg::Buffer { .. } => pointers.next(),
                Arg::Scalar(bytes) => scalar_word(bytes),
            })
            .collect::<Option<_>>()
            .ok_or_else(|| LaunchError::Bug("a scalar argument is longer than 8 bytes".into()))?;
        let mut run = self.empty_run();
        let images = if launch.repeat == 0 {
            function.launch(launch, words)?;
            self.device.synchronise()?;
            timed::images(&buffers)?
        } else {
            self.time(binary, launch, &words, &buffers, &mut run)?
        };
        for (index, (arg, image)) in launch.args.iter().zip(images).enumerate() {
            if let Some(image) = image {
                run.add_guarded_buffer(arg, &image, salt(launch.seed, index), launch.seed);
            }
        }
        Ok(run)
    }

    /// Times launches, and returns what the buffers contain after the fastest one. So a kernel that
    /// does its work in some launches only isn't right.
    fn time(
        &self,
        binary: &Binary,
        launch: &Launch,
        words: &[u64],
        buffers: &[Option<Buffer<'_>>],
        run: &mut Run,
    ) -> Result<timed::Images, LaunchError> {
        let memory = timed::Memory::new(&self.device, buffers)?;
        let time = |caches| -> Result<f64, LaunchError> {
            let module = Module::load(&self.device, binary)?;
            let function = module.function(&launch.entry)?;
            function.allow_shared(launch.shared)?;
            memory.restore(caches)?;
            Ok(self.device.time(|| function.launch(launch, words.to_vec()))?)
        };
        // The first launch is slower, because the driver has deferred some of its work to it.
        time(Caches::Warm)?;
        let mut images = timed::images(buffers)?;
        let mut fastest = f64::INFINITY;
        for caches in [Caches::Warm, Caches::Cold] {
            for _ in 0..launch.repeat {
                let took = time(caches)?;
                match caches {
                    Caches::Warm => run.milliseconds.push(took),
                    Caches::Cold => run.cold_milliseconds.push(took),
                }
                if took < fastest {
                    fastest = took;
                    images = timed::images(buffers)?;
                }
            }
        }
        Ok(images)
    }

    /// Compares the launch with the limits of the GPU and of the kernel, because the driver's error
    /// does not say which limit was exceeded.
    fn check_limits(&self, function: &Function<'_>, launch: &Launch) -> Result<(), LaunchError> {
        let sizes = function.parameter_sizes()?;
        let fits = sizes.len() == launch.args.len()
            && sizes.iter().zip(&launch.args).all(|(size, arg)| match arg {
                Arg::Buffer { .. } => *size == 8,
                Arg::Scalar(bytes) => *size == bytes.len(),
            });
        if !fits {
            return Err(LaunchError::Bug(format!(
                "`{}` takes parameters of {sizes:?} bytes, and {} arguments of other sizes were given",
                launch.entry,
                launch.args.len()
            )));
        }
        let limits = self.device.limits()?;
        let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
        let refuse = |text: String| Err(LaunchError::Fault(environment::out_of_resources(text)));
        for (axis, what) in ["x", "y", "z"].iter().enumerate() {
            let (asked, limit) = (launch.block[axis], limits.block[axis]);
            if asked == 0 || asked > limit {
                return refuse(format!(
                    "{asked} threads per block in {what}: this GPU takes 1 to {limit}"
                ));
            }
            let (asked, limit) = (launch.grid[axis], limits.grid[axis]);
            if asked == 0 || asked > limit {
                return refuse(format!("{asked} blocks in {what}: this GPU takes 1 to {limit}"));
            }
        }
        if threads > u64::from(limits.threads) {
            return refuse(format!(
                "{threads} threads per block: this GPU takes up to {}",
                limits.threads
            ));
        }
        let most = function.max_threads()?;
        if threads > u64::from(most) {
            return refuse(format!(
                "{threads} threads per block: this kernel uses so many registers that {most} fit"
            ));
        }
        let shared = u64::from(launch.shared) + function.static_shared()?;
        if shared > limits.shared {
            return refuse(format!(
                "{shared} bytes of shared memory per block: this GPU has {} bytes",
                limits.shared
            ));
        }
        Ok(function.allow_shared(launch.shared)?)
    }

    /// One allocation per buffer argument: zone, contents or poison, zone.
    fn upload(&self, launch: &Launch) -> Result<Vec<Option<Buffer<'_>>>, LaunchError> {
        let upload = |(index, arg): (usize, &Arg)| {
            let Arg::Buffer { bytes, data, .. } = arg else { return Ok(None) };
            let whole = (*bytes as u64).saturating_add(2 * guard::ZONE_BYTES as u64);
            let free = self.device.free_memory();
            let taken = || LaunchError::NoGpu(environment::memory_taken(whole, free));
            // The image is made in host memory, so a size that does not fit on the GPU is refused
            // first.
            if free.is_some_and(|free| whole > free) {
                return Err(taken());
            }
            let salt = salt(launch.seed, index);
            let image = match data {
                Some(data) => guard::wrap(data, salt),
                None => guard::wrap(&poisoned(poison(launch.seed), *bytes), salt),
            };
            match Buffer::upload(&self.device, &image) {
                Err(failure) if failure.is_out_of_memory() => Err(taken()),
                other => Ok(Some(other?)),
            }
        };
        launch.args.iter().enumerate().map(upload).collect()
    }

    fn empty_run(&self) -> Run {
        Run::new(format!("GPU: {}", self.info.name))
    }
}

impl Backend for Gpu {
    fn load(&mut self, ptx: String) {
        self.ptx = ptx;
        self.binary = None;
    }

    fn run(&mut self, launch: &Launch) -> Result<Run, Error> {
        let binary = match self.binary.take() {
            // a launch that is timed needs the fastest code, however long the driver compiles
            _ if launch.repeat > 0 => Ok(Binary::text(&self.ptx)),
            Some(binary) => Ok(binary),
            None => Binary::compile(&self.device, &self.ptx).map_err(LaunchError::from),
        };
        let ran = binary.and_then(|binary| {
            let ran = self.try_run(&binary, launch);
            self.binary = (launch.repeat == 0).then_some(binary);
            ran
        });
        match ran {
            Ok(run) => Ok(run),
            Err(LaunchError::Fault(failure)) => {
                // After a refused launch the process can still use the device; after a fault in a
                // kernel it cannot.
                self.healthy = self.device.synchronise().is_ok();
                Ok(Run { faults: vec![failure.into()], ..self.empty_run() })
            }
            Err(LaunchError::NoGpu(no_gpu)) => Err(no_gpu.into()),
            Err(LaunchError::Bug(text)) => Err(Error::Bug(text)),
        }
    }

    fn healthy(&self) -> bool {
        self.healthy
    }
}

/// Why a launch has no outputs.
enum LaunchError {
    /// A fault in the learner's code.
    Fault(Failure),
    /// A problem of this machine.
    NoGpu(NoGpu),
    /// A bug in the checker.
    Bug(String),
}

impl From<Failure> for LaunchError {
    fn from(failure: Failure) -> Self {
        if environment::is_environment(&failure) {
            Self::NoGpu(environment::unusable(failure))
        } else {
            Self::Fault(failure)
        }
    }
}

/// A scalar as a word, from whose first bytes the driver copies the argument.
fn scalar_word(bytes: &[u8]) -> Option<u64> {
    let mut word = [0; 8];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(word))
}

/// The salt of a buffer's guard zones, different for each buffer and run.
fn salt(seed: u64, index: usize) -> u64 {
    mix(seed.wrapping_add(index as u64))
}
