//! A loaded module: its kernels, ready to launch.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

mod loaded;

use crate::Error;
use crate::debug::Debug;
use crate::decode::provenance::Provenance;
use crate::decode::{self, Program};
use crate::device;
use crate::parse::{self, ast};

/// A PTX module, which is parsed and decoded once and can be launched any number of times.
#[derive(Debug)]
pub struct Module {
    /// Distinguishes modules in a [`crate::Memory`].
    pub(crate) id: u64,
    pub(crate) program: Program,
    pub(crate) entries: Vec<Entry>,
}

/// A kernel of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// As in the PTX; C++ names are mangled.
    pub name: String,
    /// Its parameters in order.
    pub params: Vec<Param>,
    /// Static shared memory of the module's variables that belong to it, in bytes.
    pub shared_bytes: u32,
    pub(crate) function: usize,
    pub(crate) accesses: Provenance,
    pub(crate) bounds: ast::Bounds,
}

impl Entry {
    /// Whether the kernel may write through this parameter, or through an address in it.
    pub fn writes(&self, parameter: usize) -> bool {
        let bit = |i: u32| self.accesses.written.checked_shr(i).is_some_and(|bits| bits & 1 == 1);
        bit(63) || u32::try_from(parameter).is_ok_and(bit)
    }

    /// The most threads that a block can have: what `__launch_bounds__` says, or the device's
    /// limit.
    pub fn max_threads_per_block(&self) -> u32 {
        let required = self.bounds.required.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z));
        required.or(self.bounds.threads).unwrap_or(device::MAX_THREADS as u32)
    }
}

/// A kernel parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// As in the PTX: `kernel_param_0`.
    pub name: String,
    /// Its type; a struct is [`ParamType::Bytes`].
    pub ty: ParamType,
    /// Size in bytes.
    pub bytes: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// The bytes that the kernel's own code loads; `None` if it may load any, because it takes the
    /// parameter's address. Of a structure, a kernel does not load what is between its members.
    pub loaded: Option<Vec<Range<u32>>>,
}

impl Param {
    /// The parts of an argument that the kernel can depend on.
    pub fn used<'a>(&'a self, argument: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let all = self.loaded.is_none().then_some(argument);
        let part = |range: &Range<u32>| argument.get(range.start as usize..range.end as usize);
        all.into_iter().chain(self.loaded.iter().flatten().filter_map(part))
    }
}

/// A parameter's fundamental type (PTX ISA, "Fundamental Types").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "PTX's own names")]
pub enum ParamType {
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    B8,
    B16,
    B32,
    B64,
    F16,
    F32,
    F64,
    /// An array of bytes: a struct passed by value.
    Bytes,
}

impl Module {
    /// The module's variables in global memory (`__device__`, `__managed__`, and static variables
    /// of functions): their names in the source, and their bytes.
    pub fn global_variables(&self) -> impl Iterator<Item = (&str, u64)> {
        let global = self.program.variables.iter().filter(|variable| !variable.constant);
        global.map(|variable| (variable.name.as_str(), variable.bytes))
    }

    /// May this kernel wait for what other threads do, by atomic or strong operations?
    pub fn may_wait(&self, entry: &str) -> bool {
        let entry = self.entries.iter().find(|known| known.name == entry);
        let function = entry.and_then(|entry| self.program.functions.get(entry.function));
        self.program.helpers_ordered || function.is_some_and(|function| function.ordered)
    }

    /// Parses and decodes PTX text.
    ///
    /// # Errors
    /// [`Error::Parse`] where the text is not PTX, [`Error::Unsupported`] for variables that the
    /// simulator does not support. An unsupported function is an error later, and only for the
    /// kernels that need it: [`Module::refused`].
    pub fn parse(ptx: &str) -> Result<Self, Error> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let tree = parse::parse(ptx).map_err(|e| Error::from(e).located(ptx))?;
        let (mut program, accesses) = decode::decode(&tree).map_err(|e| e.located(ptx))?;
        program.debug = Debug::read(ptx, &program);
        let mut entries = vec![];
        for (function, (f, accesses)) in
            tree.functions.iter().filter(|f| f.body.is_some()).zip(accesses).enumerate()
        {
            if f.entry {
                entries.push(Entry {
                    name: f.name.to_owned(),
                    params: f.params.iter().map(|v| param(f, v)).collect(),
                    shared_bytes: shared_bytes(&tree, f),
                    function,
                    accesses,
                    bounds: f.bounds,
                });
            }
        }
        Ok(Self { id: NEXT.fetch_add(1, Ordering::Relaxed), program, entries })
    }

    /// Why a kernel cannot run here although its module can be loaded: the kernel, or a function
    /// that it may call, uses something that the simulator does not support.
    pub fn refused(&self, entry: &str) -> Option<&Error> {
        let entry = self.entries.iter().find(|e| e.name == entry)?;
        self.program.refusal(entry.function)
    }

    /// Local memory in bytes that a thread of a kernel needs, without what the assembler may add.
    pub fn local_bytes(&self, entry: &str) -> u64 {
        let entry = self.entries.iter().find(|e| e.name == entry);
        entry.map_or(0, |entry| self.program.local_bytes(entry.function))
    }

    /// A kernel's name as the source has it, without types of its parameters.
    pub fn readable(&self, entry: &str) -> String {
        crate::demangle::kernel_name(entry).to_owned()
    }

    /// The kernels, in the order of the text.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// Bytes of static shared memory that a kernel declares, or that its module declares and the kernel
/// names.
fn shared_bytes(tree: &ast::Ptx<'_>, f: &ast::Function<'_>) -> u32 {
    let body = f.body.as_deref().unwrap_or_default();
    let own = body.iter().filter_map(|s| match s {
        ast::Statement::Variable(v) if v.space == "shared" => Some(v.bytes()),
        _ => None,
    });
    let mut named = HashSet::new();
    for statement in body {
        let ast::Statement::Instruction(i) = statement else { continue };
        named.extend(i.operands.iter().filter_map(|o| match o {
            ast::Operand::Name(n) | ast::Operand::Offset(n, _) => Some(*n),
            ast::Operand::Memory { base, .. } => *base,
            _ => None,
        }));
    }
    let module = tree
        .variables
        .iter()
        .filter(|v| v.space == "shared" && named.contains(v.name))
        .map(ast::Variable::bytes);
    let bytes = own.chain(module).fold(0, u64::saturating_add);
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn param(f: &ast::Function<'_>, v: &ast::Variable<'_>) -> Param {
    use ast::Type as T;
    let ty = match v.ty {
        _ if v.elements != Some(1) => ParamType::Bytes,
        T::S8 => ParamType::S8,
        T::S16 => ParamType::S16,
        T::S32 => ParamType::S32,
        T::S64 => ParamType::S64,
        T::U8 => ParamType::U8,
        T::U16 => ParamType::U16,
        T::U32 => ParamType::U32,
        T::U64 => ParamType::U64,
        T::B8 => ParamType::B8,
        T::B16 => ParamType::B16,
        T::B32 => ParamType::B32,
        T::B64 => ParamType::B64,
        T::F16 => ParamType::F16,
        T::F32 => ParamType::F32,
        T::F64 => ParamType::F64,
        _ => ParamType::Bytes,
    };
    Param {
        name: v.name.to_owned(),
        ty,
        bytes: u32::try_from(v.bytes()).unwrap_or(u32::MAX),
        align: v.align,
        loaded: loaded::bytes(f, v.name),
    }
}
