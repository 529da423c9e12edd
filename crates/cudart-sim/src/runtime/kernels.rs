//! The program's device code: what it registers before `main`, and launches.

use std::sync::Arc;

use ptxsim::{Launch, Module};

use super::Runtime;
use super::functions::Clusters;
use super::work::{HostCall, Work};
use crate::error::{Code, Result};
use crate::graph::Stream;
use crate::report::Cause;

/// A fat binary; its module is made when something of it is first used.
#[derive(Debug)]
pub(super) struct Binary {
    ptx: Option<String>,
    module: Option<Arc<Module>>,
    /// Cause there is no module.
    refused: Option<String>,
}

/// A kernel that the program has registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Which fat binary it is in.
    pub binary: usize,
    /// Its name in PTX.
    pub name: String,
    /// `cudaFuncAttributeMaxDynamicSharedMemorySize`, once set.
    pub shared_allowed: Option<u32>,
    /// `cudaFuncAttributePreferredSharedMemoryCarveout`.
    pub carveout: i32,
    /// What is set of its clusters.
    pub clusters: Clusters,
}

/// A `__device__` or `__constant__` variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub binary: usize,
    pub name: String,
    pub bytes: u64,
}

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

/// What launches are called, however they are written.
const LAUNCH: &str = "cudaLaunchKernel";

impl Runtime {
    /// `__cudaRegisterFatBinary`: the binary's number.
    pub fn register_binary(&mut self, ptx: Option<String>) -> usize {
        self.binaries.push(Binary { ptx, module: None, refused: None });
        self.binaries.len() - 1
    }

    /// `__cudaRegisterFunction`.
    pub fn register_kernel(&mut self, binary: usize, host: u64, name: &str) {
        let (name, clusters) = (name.to_owned(), Clusters::default());
        let kernel = Kernel { binary, name, shared_allowed: None, carveout: -1, clusters };
        self.kernels.insert(host, kernel);
    }

    /// `__cudaRegisterVar`.
    pub fn register_variable(&mut self, binary: usize, shadow: u64, name: &str, bytes: u64) {
        self.variables.insert(shadow, Variable { binary, name: name.to_owned(), bytes });
    }

    /// `__cudaPushCallConfiguration`: what `<<<...>>>` leaves for the call that follows.
    pub fn push_configuration(&mut self, shape: LaunchShape, stream: Stream) {
        self.enter(LAUNCH);
        let site = self.site();
        self.mine().configurations.push((shape, stream, site));
    }

    /// `__cudaPopCallConfiguration`.
    pub fn pop_configuration(&mut self) -> Result<(LaunchShape, Stream)> {
        let mine = self.mine();
        let (shape, stream, site) = mine.configurations.pop().ok_or(Code::INVALID_VALUE)?;
        mine.configured = Some(site);
        Ok((shape, stream))
    }

    /// The module of a fat binary.
    pub(super) fn module(&mut self, binary: usize) -> Result<Arc<Module>> {
        let binary = self.binaries.get_mut(binary).ok_or(Code::INVALID_KERNEL_IMAGE)?;
        if binary.module.is_none() && binary.refused.is_none() {
            let text = binary.ptx.take().ok_or(Code::INVALID_KERNEL_IMAGE)?;
            match Module::parse(&text) {
                Ok(module) => binary.module = Some(Arc::new(module)),
                Err(error) => binary.refused = Some(error.to_string()),
            }
        }
        binary.module.clone().ok_or(Code::INVALID_PTX)
    }

    /// The bytes of each parameter of a kernel.
    pub fn parameters(&mut self, host: u64) -> Result<Vec<usize>> {
        let kernel = self.kernel(host)?.clone();
        let module = self.module(kernel.binary)?;
        let entry = module.entries().iter().find(|e| e.name == kernel.name);
        let entry = entry.ok_or(Code::INVALID_DEVICE_FUNCTION)?;
        Ok(entry.params.iter().map(|p| p.bytes as usize).collect())
    }

    /// The kernel whose host function is at `host`.
    pub fn kernel(&self, host: u64) -> Result<&Kernel> {
        let missing =
            if host == 0 { Code::INVALID_DEVICE_FUNCTION } else { Code::INVALID_RESOURCE_HANDLE };
        self.kernels.get(&host).ok_or(missing)
    }

    /// `cudaLaunchKernel`, `cudaLaunchCooperativeKernel`: what can be refused is refused now, the rest happens in its turn.
    pub fn launch(
        &mut self,
        host: u64,
        shape: LaunchShape,
        args: Vec<Vec<u8>>,
        stream: Stream,
        cooperative: bool,
    ) -> Result {
        if let Some(site) = self.mine().configured.take() {
            // the call is one of nvcc's stub, whose line is that of the kernel
            self.calling = (LAUNCH, Some(site));
        }
        self.alive()?;
        let kernel = self.kernel(host)?.clone();
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        if kernel.clusters.required != [0; 3] {
            self.may_cluster(host, shape.grid, kernel.clusters.required)?;
        }
        let module = self.module(kernel.binary)?;
        let launch = Launch {
            entry: kernel.name.clone(),
            grid: shape.grid,
            block: shape.block,
            shared: u32::try_from(shape.shared).map_err(|_| Code::INVALID_VALUE)?,
            shared_allowed: kernel.shared_allowed,
            cooperative,
            args,
        };
        match ptxsim::check(&module, &launch) {
            Ok(()) => {}
            Err(ptxsim::Error::BadLaunch { error, text }) => {
                self.because(Cause::Limit { text });
                return Err(Code(error.code() as i32));
            }
            // told when it runs, with its reason
            Err(_) => {}
        }
        let name = module.readable(&kernel.name);
        self.ask(stream, Work::Kernel { binary: kernel.binary, launch, name }, &[]);
        Ok(())
    }

    /// `cudaLaunchHostFunc`.
    pub fn call(&mut self, stream: Stream, call: HostCall) -> Result {
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        self.ask(stream, Work::Call(call), &[]);
        Ok(())
    }
}
