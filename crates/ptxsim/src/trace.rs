//! The steps of one thread, line by line. `exec::trace` records them.

use serde::{Deserialize, Serialize};

use crate::{Access, FindingKind, Source};

/// The thread to trace, and how many steps to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Thread {
    /// Block index (x, y, z).
    pub block: [u32; 3],
    /// Thread index in its block (x, y, z).
    pub thread: [u32; 3],
    /// The number of steps to keep from the beginning.
    pub first: usize,
    /// The number of steps to keep from the end.
    pub last: usize,
    /// The first and the last line whose steps are kept; `None` for all lines.
    pub lines: Option<(u32, u32)>,
    /// Whether the other threads of its warp are followed, too.
    pub warp: bool,
    /// A byte of an array whose writer is looked up after the launch: the number of the parameter
    /// that points to the array's start, and the byte.
    pub written: Option<(u32, u64)>,
}

/// The trace of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Its steps from the beginning.
    pub first: Vec<Step>,
    /// The number of steps that are left out after these.
    pub skipped: u64,
    /// Its last steps, if any were left out.
    pub last: Vec<Step>,
    /// How it ended.
    pub end: End,
    /// Whether the module is a debug build, which describes its variables.
    pub variables: bool,
    /// The other threads of its warp, where these were followed.
    pub neighbours: Vec<Neighbour>,
    /// The thread that wrote the byte that was looked up, where one did so without an atomic
    /// operation, and no other access of the same word hides it.
    pub writer: Option<Writer>,
}

/// The last write of a word.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Writer {
    /// Block index (x, y, z).
    pub block: [u32; 3],
    /// Thread index in its block (x, y, z).
    pub thread: [u32; 3],
    /// The place of the store; line 0 where it is not known.
    pub source: Source,
}

/// Another thread of a warp that was followed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Neighbour {
    /// Its lane.
    pub lane: u32,
    /// Its trace, which has no neighbours.
    pub trace: Trace,
}

/// How a thread's trace ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum End {
    /// The thread exited.
    Left,
    /// Its last access was invalid, so what a GPU would do after it is undefined.
    Fault,
    /// It waited at a barrier, or for other lanes, when the launch ended.
    Waiting,
    /// It was still running when the launch ended.
    Running,
    /// It never started: the launch ended before its block's turn.
    #[default]
    NotStarted,
}

/// One execution of a source line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Step {
    /// The line.
    pub source: Source,
    /// The function's own name.
    pub function: String,
    /// Depth of calls; 0 in the kernel.
    pub depth: u32,
    /// Operations that the warp had executed when the step began, its first one included. Lanes
    /// that begin a step together have the same number there.
    pub clock: u64,
    /// Lanes of the warp that executed it together.
    pub lanes: u32,
    /// Lanes of the warp that had not exited.
    pub live: u32,
    /// Variables in scope that had a value before the step, inner ones last.
    pub variables: Vec<Binding>,
    /// Variables that changed, with their new values.
    pub set: Vec<Binding>,
    /// Memory accessed, in order.
    pub accesses: Vec<MemoryAccess>,
    /// Conditional branches executed.
    pub branches: u32,
    /// Variables that had changed when the first of these branches was executed, with their values
    /// then. In a loop on one line, these are the values that its condition reads.
    pub set_at_branch: Vec<Binding>,
    /// Whether the line did more after the last of these branches, as a loop on one line does in
    /// every iteration.
    pub continued: bool,
    /// Threads of the block that had arrived at the barrier, including this warp's lanes, and the
    /// block's number of threads.
    pub barrier: Option<(u32, u32)>,
    /// Warps of the block that waited at a barrier then, this step's lanes left out: the warp's
    /// number, and its lanes that waited.
    pub waiting: Vec<(u32, u32)>,
    /// Warps of the block with lanes that had exited when this step's lanes arrived at the barrier:
    /// the warp's number, and these lanes.
    pub exited: Vec<(u32, u32)>,
    /// The thread exited here.
    pub left: bool,
}

/// A variable with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Its name in the source.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// How to interpret the bits of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A two's complement integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// IEEE 754 binary32 or binary64.
    Float,
    /// 0 or 1.
    Bool,
    /// An address.
    Pointer,
    /// Unknown.
    #[default]
    Bits,
}

/// A scalar value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// Its size.
    pub bytes: u32,
    /// Its bits, zero-extended.
    pub bits: u64,
    /// For a pointer: the array and the element that it points at.
    pub points_at: Option<(String, i64)>,
}

/// One memory access of the thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryAccess {
    /// The operation and its location.
    pub access: Access,
    /// The value read or written for each element; for an atomic, its operand.
    pub values: Vec<Value>,
    /// For an atomic whose result the kernel uses: the old value.
    pub old: Option<Value>,
    /// The value that such an atomic stores.
    pub new: Option<Value>,
    /// The index in each dimension, for an array of several.
    pub subscripts: Vec<i64>,
    /// What is wrong with it.
    pub fault: Option<FindingKind>,
}

impl Step {
    /// The value of a variable after the step: the innermost of that name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        let all = self.set.iter().chain(self.variables.iter().rev());
        all.into_iter().find(|b| b.name == name).map(|b| &b.value)
    }

    /// The value of a variable at the first conditional branch of the step.
    pub fn at_branch(&self, name: &str) -> Option<&Value> {
        let all = self.set_at_branch.iter().chain(self.variables.iter().rev());
        all.into_iter().find(|b| b.name == name).map(|b| &b.value)
    }

    /// The value of a variable before the step.
    pub fn before(&self, name: &str) -> Option<&Value> {
        self.variables.iter().rev().find(|b| b.name == name).map(|b| &b.value)
    }
}

impl Value {
    /// The value as an integer, if it is one.
    pub fn integer(&self) -> Option<i128> {
        match self.kind {
            Kind::Signed => {
                let unused = 64 - 8 * self.bytes.clamp(1, 8);
                Some(i128::from((self.bits << unused) as i64 >> unused))
            }
            Kind::Unsigned | Kind::Bool => Some(i128::from(self.bits)),
            Kind::Float | Kind::Pointer | Kind::Bits => None,
        }
    }

    /// The value as a floating-point number, if it is one.
    pub fn float(&self) -> Option<f64> {
        match (self.kind, self.bytes) {
            (Kind::Float, 4) => Some(f64::from(f32::from_bits(self.bits as u32))),
            (Kind::Float, 8) => Some(f64::from_bits(self.bits)),
            _ => None,
        }
    }
}
