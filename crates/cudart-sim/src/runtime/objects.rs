//! The program's device code and the objects that it creates: modules, kernels, variables, textures
//! and surfaces.

pub(super) mod functions;
pub(super) mod textures;

use std::collections::BTreeMap;
use std::sync::Arc;

use ptxsim::{Entry, Module};

use super::findings::sites::SiteId;
use super::memory::AddressSpace;
use crate::error::{Code, Result};
use crate::fatbin;
use crate::report::StaticVariable;
use crate::resources::KernelResources;
use functions::ClusterSettings;
use textures::TextureObject;

/// A fat binary of the program. Its module is created when it is first used.
#[derive(Debug)]
struct Binary {
    ptx: Option<String>,
    /// The architecture of its PTX: 90 for compute capability 9.0.
    architecture: i32,
    module: Option<Arc<Module>>,
    /// Why the PTX could not be parsed.
    invalid: Option<String>,
}

/// A kernel that the program has registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The index of its fat binary.
    pub(super) binary: usize,
    /// Its name in PTX.
    pub(super) name: String,
    /// `cudaFuncAttributeMaxDynamicSharedMemorySize`, if the program has set it.
    pub(super) shared_allowed: Option<u32>,
    /// `cudaFuncAttributePreferredSharedMemoryCarveout`.
    carveout: i32,
    pub(super) clusters: ClusterSettings,
}

/// A `__device__` or `__constant__` variable.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable {
    binary: usize,
    name: String,
    bytes: u64,
}

/// Everything that the program has registered or created by handle.
#[derive(Debug, Default)]
pub struct Objects {
    binaries: Vec<Binary>,
    /// By the address of the kernel's host function.
    kernels: BTreeMap<u64, Kernel>,
    /// What the assembler has allocated for kernels, by their names in PTX, as far as that is
    /// known.
    resources: BTreeMap<String, KernelResources>,
    /// By the address of the variable's host shadow.
    variables: BTreeMap<u64, Variable>,
    /// Texture and surface objects, by handle.
    textures: BTreeMap<u64, TextureObject>,
    /// Objects that the program has destroyed. Pending kernels may still use them, so the simulator
    /// destroys them when no work is left.
    destroyed: Vec<u64>,
    /// By handle, whether a destroyed object was a texture, and the call that destroyed it.
    destroyed_by: BTreeMap<u64, (bool, SiteId)>,
}

impl Objects {
    /// `__cudaRegisterFatBinary`: the binary's index.
    pub fn register_binary(&mut self, ptx: Option<String>) -> usize {
        let architecture = ptx.as_deref().and_then(fatbin::architecture).unwrap_or_default();
        self.binaries.push(Binary { ptx, architecture, module: None, invalid: None });
        self.binaries.len() - 1
    }

    /// `__cudaRegisterFunction`.
    pub fn register_kernel(&mut self, binary: usize, host: u64, name: &str) {
        let (name, clusters) = (name.to_owned(), ClusterSettings::default());
        let kernel = Kernel { binary, name, shared_allowed: None, carveout: -1, clusters };
        self.kernels.insert(host, kernel);
    }

    /// Adds what the assembler has allocated for kernels. Of two kernels with the same name, it is
    /// not known which one is which.
    pub fn assembled(&mut self, resources: impl IntoIterator<Item = KernelResources>) {
        let mut ambiguous = vec![];
        for kernel in resources {
            let name = kernel.name.clone();
            if self.resources.insert(name.clone(), kernel).is_some() {
                ambiguous.push(name);
            }
        }
        self.resources.retain(|name, _| !ambiguous.contains(name));
    }

    /// The registers of a thread of this kernel, if they are known.
    pub(super) fn registers(&self, kernel: &Kernel) -> Option<u32> {
        self.registers_of(&kernel.name)
    }

    /// The same for the kernel with this symbol.
    pub(super) fn registers_of(&self, symbol: &str) -> Option<u32> {
        self.resources.get(symbol).map(|resources| resources.registers)
    }

    /// `__cudaRegisterVar`.
    pub fn register_variable(&mut self, binary: usize, shadow: u64, name: &str, bytes: u64) {
        self.variables.insert(shadow, Variable { binary, name: name.to_owned(), bytes });
    }

    /// The module of a fat binary.
    pub(super) fn module(&mut self, binary: usize) -> Result<Arc<Module>> {
        let binary = self.binaries.get_mut(binary).ok_or(Code::INVALID_KERNEL_IMAGE)?;
        if binary.module.is_none() && binary.invalid.is_none() {
            let text = binary.ptx.take().ok_or(Code::INVALID_KERNEL_IMAGE)?;
            match Module::parse(&text) {
                Ok(module) => binary.module = Some(Arc::new(module)),
                Err(error) => binary.invalid = Some(error.to_string()),
            }
        }
        binary.module.clone().ok_or(Code::INVALID_PTX)
    }

    /// The variables in global memory of all modules that were used.
    pub(super) fn global_variables(&self) -> Vec<StaticVariable> {
        let modules = self.binaries.iter().filter_map(|binary| binary.module.as_deref());
        let all = modules.flat_map(Module::global_variables);
        all.map(|(name, bytes)| StaticVariable { name: name.to_owned(), bytes }).collect()
    }

    /// Why a fat binary has no module, if the simulator cannot read its PTX.
    pub(super) fn unreadable(&self, binary: usize) -> Option<&str> {
        self.binaries.get(binary)?.invalid.as_deref()
    }

    /// The architecture of the PTX in a fat binary.
    fn architecture(&self, binary: usize) -> i32 {
        self.binaries.get(binary).map_or(0, |binary| binary.architecture)
    }

    /// The kernel whose host function is at this address.
    pub fn kernel(&self, host: u64) -> Result<&Kernel> {
        let missing =
            if host == 0 { Code::INVALID_DEVICE_FUNCTION } else { Code::INVALID_RESOURCE_HANDLE };
        self.kernels.get(&host).ok_or(missing)
    }

    /// Calls `f` with the same kernel as PTX declares it.
    fn with_entry<T>(&mut self, host: u64, f: impl FnOnce(&Entry) -> T) -> Result<T> {
        let kernel = self.kernel(host)?.clone();
        let module = self.module(kernel.binary)?;
        let entry = module.entries().iter().find(|entry| entry.name == kernel.name);
        entry.map(f).ok_or(Code::INVALID_DEVICE_FUNCTION)
    }

    /// The bytes of each parameter of a kernel.
    pub fn parameter_bytes(&mut self, host: u64) -> Result<Vec<usize>> {
        self.with_entry(host, |entry| entry.params.iter().map(|p| p.bytes as usize).collect())
    }

    /// The bytes of a kernel's static shared memory.
    pub(super) fn static_shared_bytes(&mut self, host: u64) -> Result<u32> {
        self.with_entry(host, |entry| entry.shared_bytes)
    }

    /// The address of a variable in device memory.
    pub(crate) fn variable_address(
        &mut self,
        shadow: u64,
        memory: &mut AddressSpace,
    ) -> Result<u64> {
        let Variable { binary, name, .. } =
            self.variables.get(&shadow).cloned().ok_or(Code::INVALID_SYMBOL)?;
        let module = self.module(binary)?;
        let address =
            module.variable(memory.device_mut(), &name).map_err(|_| Code::MEMORY_ALLOCATION)?;
        address.ok_or(Code::INVALID_SYMBOL)
    }

    /// The bytes of a variable.
    pub fn variable_bytes(&self, shadow: u64) -> Result<u64> {
        self.variables.get(&shadow).map(|v| v.bytes).ok_or(Code::INVALID_SYMBOL)
    }

    /// `cudaDeviceReset`: device code stays registered, and all other objects are gone.
    pub(super) fn reset(&mut self) {
        self.textures.clear();
        self.destroyed.clear();
        self.destroyed_by.clear();
    }
}
