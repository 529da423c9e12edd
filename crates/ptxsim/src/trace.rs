//! What one thread did, line by line: the public side of tracing. `exec::trace` records it.

use serde::{Deserialize, Serialize};

use crate::{Access, FindingKind, Source};

/// Which thread to follow, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Block index (x, y, z).
    pub block: [u32; 3],
    /// Thread index in its block (x, y, z).
    pub thread: [u32; 3],
    /// Steps to keep from the beginning.
    pub first: usize,
    /// Steps to keep from the end.
    pub last: usize,
    /// Only steps on these lines count, first and last; `None` for all.
    pub lines: Option<(u32, u32)>,
}

/// What a thread did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Its steps from the beginning.
    pub first: Vec<Step>,
    /// Steps left out behind them.
    pub skipped: u64,
    /// Its last steps, when some were left out.
    pub last: Vec<Step>,
    /// How it ended.
    pub end: End,
    /// Whether the module says where its variables are: a debug build does.
    pub variables: bool,
}

/// How a thread's trace ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum End {
    /// It left the kernel.
    Left,
    /// Its last access was wrong: what a GPU does from there on is anybody's guess.
    Fault,
    /// It waited at a barrier, or for other lanes, when the launch ended.
    Waiting,
    /// It was still running when the launch ended.
    Running,
    /// It never started: the launch ended before its block's turn.
    #[default]
    NotStarted,
}

/// A visit of one source line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Step {
    /// Where.
    pub source: Source,
    /// The function's own name.
    pub function: String,
    /// Calls around it; 0 in the kernel.
    pub depth: u32,
    /// Lanes of the warp that were there together.
    pub lanes: u32,
    /// Lanes of the warp that had not left.
    pub live: u32,
    /// Variables in scope that had a value when the visit began, inner ones last.
    pub variables: Vec<Binding>,
    /// Variables that got another value, with the last one.
    pub set: Vec<Binding>,
    /// Memory accessed, in order.
    pub touched: Vec<Touch>,
    /// Conditional branches decided.
    pub branches: u32,
    /// Threads of the block that had arrived at the barrier, this thread's lanes included, and how many it has.
    pub barrier: Option<(u32, u32)>,
    /// The thread left the kernel here.
    pub left: bool,
}

/// A variable with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// As the source calls it.
    pub name: String,
    /// What it holds.
    pub value: Value,
}

/// What the bits of a value mean.
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
    /// Not known.
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
pub struct Touch {
    /// What was done, and where.
    pub access: Access,
    /// Per element: what was read or written; for an atomic, its operand.
    pub values: Vec<Value>,
    /// For an atomic: what was there before, where the kernel asked for it.
    pub old: Option<Value>,
    /// Index per dimension, for an array of several.
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

    /// The same before it.
    pub fn before(&self, name: &str) -> Option<&Value> {
        self.variables.iter().rev().find(|b| b.name == name).map(|b| &b.value)
    }
}

impl Value {
    /// As a whole number, where it is one.
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

    /// As a floating-point number, where it is one.
    pub fn float(&self) -> Option<f64> {
        match (self.kind, self.bytes) {
            (Kind::Float, 4) => Some(f64::from(f32::from_bits(self.bits as u32))),
            (Kind::Float, 8) => Some(f64::from_bits(self.bits)),
            _ => None,
        }
    }
}
