//! Prepares a launch: its kernel, its arguments, and the module's variables in memory.

use crate::address::base;
use crate::decode::InitValue;
use crate::decode::provenance::{ANY, IMAGES, Origins};
use crate::module::Entry;
use crate::{Error, Memory, Module};

use super::{Launch, limits};

/// What a launch needs besides its module.
pub(crate) struct Prepared<'m> {
    pub(super) entry: &'m Entry,
    pub(super) params: Vec<u8>,
    /// Slots of the module's variables.
    pub(super) variables: Vec<usize>,
    /// The address of the grid barrier of a cooperative launch.
    pub(super) barrier: u64,
}

/// Checks a launch, and writes to memory what the driver writes there before a kernel starts.
/// Doing it again changes nothing.
pub(crate) fn prepare<'m>(
    module: &'m Module,
    memory: &mut Memory,
    launch: &Launch,
) -> Result<Prepared<'m>, Error> {
    let entry = find_entry(module, launch)?;
    if let Some(error) = module.program.refusal(entry.function) {
        return Err(error.clone());
    }
    limits::check(module, entry, launch)?;
    let params = limits::pack_arguments(entry, &launch.args)?;
    let variables = bind_variables(module, memory)?;
    // a kernel that takes the address of an argument reads it from memory
    let arguments = module.program.functions.get(entry.function).and_then(|f| f.arguments);
    if let Some(slot) = arguments.and_then(|v| variables.get(v)) {
        memory.write(base(*slot as u64 + 1), &params)?;
    }
    let barrier = if launch.cooperative { memory.grid_barrier()? } else { 0 };
    Ok(Prepared { entry, params, variables, barrier })
}

/// The slots that a launch may access, in order.
pub(crate) struct Reach {
    /// Those that it may read.
    pub read: Vec<usize>,
    /// Those that it may write.
    pub written: Vec<usize>,
}

impl Reach {
    /// Whether the launch writes nothing that it reads.
    pub fn is_separate(&self) -> bool {
        self.written.iter().all(|slot| self.read.binary_search(slot).is_err())
    }
}

impl Prepared<'_> {
    /// What the launch may access.
    pub fn reach(&self, memory: &Memory) -> Reach {
        let Self { entry, params, variables, .. } = self;
        let accesses = entry.accesses;
        let mut read = reachable_slots(accesses.read, entry, params, memory);
        let texels = memory.objects.slots().filter(|_| accesses.read & IMAGES != 0);
        texels.chain(variables.iter().copied()).for_each(|slot| read[slot] = true);
        let written = reachable_slots(accesses.written, entry, params, memory);
        let slots = |marked: Vec<bool>| {
            let used = marked.into_iter().zip(&memory.allocations).enumerate();
            used.filter(|(_, (m, a))| *m && !a.words.is_empty()).map(|(slot, _)| slot).collect()
        };
        Reach { read: slots(read), written: slots(written) }
    }
}

impl Module {
    /// The address of a `__device__` or `__constant__` variable in this memory, by its name in PTX;
    /// `None` when there is none.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for the module's variables.
    pub fn variable(&self, memory: &mut Memory, name: &str) -> Result<Option<u64>, Error> {
        let slots = bind_variables(self, memory)?;
        let found = self.program.variables.iter().position(|v| v.symbol == name);
        Ok(found.and_then(|v| slots.get(v)).map(|slot| base(*slot as u64 + 1)))
    }
}

/// The kernel that a launch names.
pub(super) fn find_entry<'m>(module: &'m Module, launch: &Launch) -> Result<&'m Entry, Error> {
    module.entries.iter().find(|e| e.name == launch.entry).ok_or_else(|| Error::NoSuchEntry {
        name: launch.entry.clone(),
        found: module.entries.iter().map(|e| e.name.clone()).collect(),
    })
}

/// Slots of the module's variables, which are allocated and initialised when the module first runs
/// in this memory.
fn bind_variables(module: &Module, memory: &mut Memory) -> Result<Vec<usize>, Error> {
    if let Some((_, slots)) = memory.modules.iter().find(|(id, _)| *id == module.id) {
        return Ok(slots.clone());
    }
    let mut slots = vec![];
    for v in &module.program.variables {
        // variables without an initial value start as zeros (PTX ISA, "Initializers")
        slots.push(memory.allocate(&v.name, v.bytes.max(1), v.element, true)?);
    }
    for (v, slot) in module.program.variables.iter().zip(&slots) {
        for (offset, value, bytes) in &v.init {
            let bits = match value {
                InitValue::Bits(bits) => *bits,
                InitValue::Variable(other, o) => {
                    slots.get(*other).map_or(0, |s| base(*s as u64 + 1).wrapping_add(*o as u64))
                }
                InitValue::Function(f) => base(crate::address::FUNCTION_SLOT) + *f as u64 * 16,
            };
            let data = bits.to_le_bytes();
            memory.write(base(*slot as u64 + 1) + offset, &data[..(*bytes as usize).min(8)])?;
        }
        if let Some(a) = memory.allocations.get_mut(*slot) {
            a.writable = !v.constant;
        }
    }
    memory.modules.push((module.id, slots.clone()));
    Ok(slots)
}

/// Which slots a launch may access through the parameters that `through` names, or all slots.
pub(super) fn reachable_slots(
    through: Origins,
    entry: &Entry,
    params: &[u8],
    memory: &Memory,
) -> Vec<bool> {
    let mut all = vec![through & ANY != 0; memory.allocations.len()];
    let mut offset = 0_usize;
    let accessed = |i: usize| {
        u32::try_from(i).ok().and_then(|i| through.checked_shr(i)).is_some_and(|w| w & 1 == 1)
    };
    for (i, param) in entry.params.iter().enumerate() {
        offset = offset.next_multiple_of(param.align.max(1) as usize);
        // fewer than 8 bytes cannot hold an address; a struct may hold any
        match (accessed(i), param.bytes) {
            (true, 8) => {
                let data = params.get(offset..offset + 8).and_then(|d| d.first_chunk().copied());
                let slot = crate::address::split(u64::from_le_bytes(data.unwrap_or_default())).0;
                if let Some(s) = (slot as usize).checked_sub(1).and_then(|s| all.get_mut(s)) {
                    *s = true;
                }
            }
            (true, 9..) => all.fill(true),
            _ => {}
        }
        offset += param.bytes as usize;
    }
    all
}
