//! Launching kernels, and calling functions of the host from a stream.

use ptxsim::Launch;

use super::Runtime;
use super::graphs::{NodeFunction, NodeWork};
use super::threads::LaunchConfiguration;
use super::work::{HostFunction, Work};
use crate::error::{Code, Result};
use crate::graph::Stream;
use crate::occupancy::Needs;
use crate::report::Cause;

/// The numbers between `<<<` and `>>>`, without the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: usize,
}

/// A launch as the program asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchRequest {
    /// The address of the kernel's host function.
    pub host: u64,
    /// The size of the grid.
    pub shape: LaunchShape,
    /// The bytes of each argument.
    pub args: Vec<Vec<u8>>,
    /// The stream.
    pub stream: Stream,
    /// Do all blocks have to be on the device at the same time?
    pub cooperative: bool,
}

/// The name of a launch in findings, however it is written.
const LAUNCH: &str = "cudaLaunchKernel";

impl Runtime {
    /// `__cudaPushCallConfiguration`: what `<<<...>>>` leaves for the call that follows.
    pub fn push_configuration(&mut self, shape: LaunchShape, stream: Stream) {
        self.enter(LAUNCH);
        let site = self.findings.site();
        let configuration = LaunchConfiguration { shape, stream, site };
        self.threads.current().configurations.push(configuration);
    }

    /// `__cudaPopCallConfiguration`.
    pub fn pop_configuration(&mut self) -> Result<(LaunchShape, Stream)> {
        let thread = self.threads.current();
        let configuration = thread.configurations.pop().ok_or(Code::INVALID_VALUE)?;
        thread.launch_site = Some(configuration.site);
        Ok((configuration.shape, configuration.stream))
    }

    /// `cudaLaunchKernel`, `cudaLaunchCooperativeKernel`. A launch that exceeds a limit fails at
    /// once. Any other is enqueued.
    pub fn launch(&mut self, request: LaunchRequest) -> Result {
        let LaunchRequest { host, shape, args, stream, cooperative } = request;
        if let Some(site) = self.threads.current().launch_site.take() {
            // the call is in nvcc's stub, so the site of `<<<...>>>` is used instead
            self.findings.continue_at(LAUNCH, site);
        }
        self.alive()?;
        self.check_kernel_image()?;
        let kernel = self.objects.kernel(host)?.clone();
        self.check_stream(stream)?;
        if kernel.clusters.required != [0; 3] {
            self.check_clusters(host, shape.grid, kernel.clusters.required)?;
        }
        let module = self.objects.module(kernel.binary).inspect_err(|_| {
            // the assembler has accepted the PTX
            if let Some(why) = self.objects.unreadable(kernel.binary) {
                let text =
                    format!("the simulator cannot read this PTX, which is a bug in it: {why}");
                self.findings.set_cause(Cause::Limit { text });
            }
        })?;
        let launch = Launch {
            entry: kernel.name.clone(),
            grid: shape.grid,
            block: shape.block,
            shared: u32::try_from(shape.shared).map_err(|_| Code::INVALID_VALUE)?,
            shared_allowed: kernel.shared_allowed,
            cooperative,
            args,
            snapshots: None,
        };
        match ptxsim::check(&module, &launch) {
            Ok(()) => {}
            Err(ptxsim::Error::BadLaunch { error, text }) => {
                self.findings.set_cause(Cause::Limit { text });
                return Err(Code(error.code() as i32));
            }
            // this fails again when the kernel is to run, and is reported then
            Err(_) => {}
        }
        if let Some(registers) = self.objects.registers(&kernel) {
            let fixed = self.objects.static_shared_bytes(host)?;
            let product = |dims: [u32; 3]| dims.iter().map(|n| u64::from(*n)).product();
            let needs = Needs {
                registers,
                threads: product(launch.block),
                blocks: product(launch.grid),
                shared: launch.shared.saturating_add(fixed),
                cooperative,
            };
            self.check_registers(needs, &module.readable(&kernel.name))?;
        }
        let captured =
            LaunchRequest { host, shape, args: launch.args.clone(), stream, cooperative };
        if self.capture(stream, || NodeWork::Kernel(captured))? {
            return Ok(());
        }
        let name = module.readable(&kernel.name);
        let (objects_of, called) = (launch.clone(), name.clone());
        let number = self.findings.launch_enqueued();
        let id = self.enqueue(stream, Work::Kernel { binary: kernel.binary, launch, name });
        self.record.launch_numbers.insert(id, number);
        self.use_objects(&objects_of, &called);
        Ok(())
    }

    /// Fails if the registers of the launch are more than the device has.
    fn check_registers(&mut self, needs: Needs, name: &str) -> Result {
        needs.refusal(name).map_or(Ok(()), |(code, text)| {
            self.findings.set_cause(Cause::Limit { text });
            Err(code)
        })
    }

    /// Can a grid be launched in clusters of this size? If not, this records why.
    pub fn check_clusters(&mut self, host: u64, grid: [u32; 3], size: [u32; 3]) -> Result {
        self.alive()?;
        let checked = self.objects.kernel(host)?.check_clusters(grid, size);
        checked.map_err(|refusal| {
            self.findings.set_cause(Cause::Limit { text: refusal.text });
            refusal.code
        })
    }

    /// `cudaLaunchHostFunc`.
    pub fn launch_host_function(&mut self, stream: Stream, function: HostFunction) -> Result {
        self.alive()?;
        self.check_stream(stream)?;
        if self.capture(stream, || NodeWork::Host(NodeFunction(function.0.clone())))? {
            return Ok(());
        }
        self.enqueue(stream, Work::HostFunction(function));
        Ok(())
    }
}
