//! The decoded program: compact operations over register rows.
//!
//! A row of the 32-bit file is `[u32; 32]` (one value per lane; 8- and 16-bit values are kept
//! zero-extended), a row of the 64-bit file is `[u64; 32]`, and a predicate is a lane mask.
//! Constants and special registers are rows, too, so every operand is an index.

mod matrix;

use super::Parameter;
use crate::count::Update;

pub(crate) use self::matrix::*;
pub(crate) use super::code::Code;

/// One operation: `d` is written, `a`, `b`, `c` are read; each is a row of the file that `code`
/// implies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Op {
    pub code: Code,
    pub d: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

/// Lanes that ignore a loaded value: those whose predicate in a row is `when`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unused {
    pub row: u32,
    pub when: bool,
}

/// The fixed part of a memory operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemOp {
    pub space: MemSpace,
    /// Bytes of one element, 1, 2, 4 or 8.
    pub width: u32,
    /// Elements per thread, 1, 2 or 4.
    pub vector: u32,
    /// Sign-extend loads into wider registers.
    pub signed: bool,
    /// Registers are 64-bit rows.
    pub wide: bool,
    /// Destination or source rows; `u32::MAX` for `_`.
    pub rows: [u32; 4],
    pub address: Address,
    pub offset: i64,
    /// Volatile, relaxed, acquire or release: two such accesses are not a data race.
    pub strong: bool,
    /// A volatile store, or a volatile load that does not poll (`decode/polling.rs`).
    pub volatile: bool,
    /// A load of data that nothing writes during the launch (`.nc`).
    pub read_only: bool,
    /// The scope of a strong access, and what it orders.
    pub scope: Scope,
    pub acquire: bool,
    pub release: bool,
    pub atomic: Option<AtomicOp>,
    /// An access to a barrier in shared memory (`mbarrier`).
    pub at_barrier: bool,
    /// A load that checks whether a phase of a barrier in shared memory is complete. Row `b` has
    /// the phase.
    pub waits: Option<Phase>,
    /// An atomic whose operand is the constant 1.
    pub by_one: bool,
    /// How it reads what other threads may be writing, if it does (`decode/observing.rs`).
    pub observation: Option<Observation>,
    /// The lanes that do not need what a load loads (`decode/speculative.rs`).
    pub unused: Option<Unused>,
    /// Rows of an atomic's operands, or of a phase (64 bits).
    pub b: u32,
    pub c: u32,
    /// The shared variable that the address was computed from; [`u32::MAX`] where that is unknown.
    pub array: u32,
    /// The kernel's parameter that the address was computed from, if that is known.
    pub parameter: Option<Parameter>,
    /// The operation in the program, for its source.
    pub pc: u32,
}

/// How an access reads what other threads may be writing at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Observation {
    /// It repeats the read until the value has changed.
    Polls,
    /// It uses the value that it reads.
    Reads,
}

/// The threads that a strong access or a fence is for (PTX ISA, "Scope"). There is one device and
/// there are no clusters: `.cluster` is the block, `.sys` is the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Cta,
    Gpu,
}

impl MemOp {
    pub const fn bytes(&self) -> u32 {
        self.width * self.vector
    }

    /// How the hardware updates shared memory, if this is an atomic. NVIDIA H200, `tests/records/`.
    pub fn update(&self) -> Option<Update> {
        Some(match self.atomic? {
            AtomicOp::Cas => Update::Swap,
            AtomicOp::Exch => Update::Native,
            _ if self.width == 8 => Update::Loop8,
            AtomicOp::Arrive | AtomicOp::ArriveDrop => Update::Native,
            AtomicOp::AddF
            | AtomicOp::AddH
            | AtomicOp::AddH2
            | AtomicOp::AddB
            | AtomicOp::AddB2 => Update::Loop4,
            AtomicOp::Add if self.by_one && self.rows[0] == u32::MAX => Update::Increment,
            _ => Update::Native,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemSpace {
    Global,
    /// Global memory, except that the counters leave it out because constants have their own cache.
    Constant,
    Shared,
    Local,
    /// The address of each lane decides.
    Generic,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Address {
    Row64(u32),
    Row32(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Add,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Inc,
    Dec,
    MinS,
    MaxS,
    MinU,
    MaxU,
    AddF,
    AddD,
    /// One or two 16-bit numbers: `H` is `.f16`, `B` is `.bf16`.
    AddH,
    AddH2,
    AddB,
    AddB2,
    /// An arrival at a barrier in shared memory; `ArriveDrop` also leaves the barrier.
    Arrive,
    ArriveDrop,
}

/// How an instruction names a phase of a barrier in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// By the state that an arrival returned.
    State,
    /// By the parity of its number.
    Parity,
}

/// A texture or surface operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImageOp {
    pub kind: ImageKind,
    /// 64-bit row of the handle.
    pub object: u32,
    pub dimensions: u32,
    /// 32-bit rows: the layer, and the coordinates.
    pub layer: Option<u32>,
    pub at: [u32; 3],
    /// The registers, their width, and the position in the program.
    pub memory: MemOp,
    /// The index of the same operation among the memory operations, for race reports.
    pub site: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageKind {
    /// `Sample` has floating-point coordinates, `Fetch` integer ones.
    Sample,
    Fetch,
    /// One channel of four texels.
    Gather(usize),
    Load(Outside),
    Store(Outside),
    /// The flag is true for a surface.
    Query(Property, bool),
}

/// What a surface access outside the surface does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outside {
    Trap,
    Clamp,
    Zero,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Property {
    Width,
    Height,
    Depth,
    Layers,
    /// Levels and samples.
    One,
    Normalized,
}

/// An asynchronous copy from global to shared memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CopyOp {
    /// The memory operations that it reads from and writes to. They have no registers.
    pub from: u32,
    pub to: u32,
    pub size: CopySize,
}

/// How many bytes are read; zeros are written for the rest.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CopySize {
    All,
    /// The number in a 32-bit row.
    Row(u32),
    /// None where the predicate is true.
    Unless(u32),
}

/// A block barrier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BarrierOp {
    /// 32-bit rows: barrier number, and thread count where given.
    pub id: u32,
    pub count: Option<u32>,
    /// False for `bar.arrive`.
    pub waits: bool,
    pub reduce: Option<Reduce>,
}

/// `bar.red`: source predicate, destination row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reduce {
    pub kind: ReduceKind,
    pub source: u32,
    pub d: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReduceKind {
    Popc,
    And,
    Or,
}

/// A warp-wide `.sync` operation. The kind decides the files of its rows; `mask` is a 32-bit row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CollectiveOp {
    pub kind: CollectiveKind,
    pub mask: u32,
    pub d: u32,
    /// Predicate destination, where there is one.
    pub p: Option<u32>,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CollectiveKind {
    Sync,
    ActiveMask,
    ShflUp,
    ShflDown,
    ShflBfly,
    ShflIdx,
    VoteAll,
    VoteAny,
    VoteUni,
    VoteBallot,
    MatchAny32,
    MatchAny64,
    MatchAll32,
    MatchAll64,
    Elect,
    ReduxAdd,
    ReduxMinS,
    ReduxMaxS,
    ReduxMinU,
    ReduxMaxU,
    ReduxAnd,
    ReduxOr,
    ReduxXor,
    /// Tile operation number `a`.
    Tile,
    /// Multiplication number `a`.
    Multiply,
}

impl CollectiveKind {
    /// An operation on matrices, which takes no mask: the whole warp executes it.
    pub const fn on_matrices(self) -> bool {
        matches!(self, Self::Tile | Self::Multiply)
    }
}

/// A call: rows of words that carry arguments and results.
#[derive(Debug, Clone)]
pub(crate) struct CallOp {
    pub target: Target,
    /// First row and number of 32-bit words of each argument, each result.
    pub args: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Function(usize),
    /// A 64-bit row with a function's address.
    Indirect(u32),
    Printf,
    Malloc,
    Free,
    AssertFail,
}

/// A function's register window and calling convention.
#[derive(Debug, Clone, Default)]
pub(crate) struct Func {
    /// First byte of each of a kernel's arguments.
    pub argument_starts: Vec<u32>,
    pub start: u32,
    pub rows32: u32,
    pub rows64: u32,
    pub preds: u32,
    pub constants32: Vec<(u32, Constant)>,
    pub constants64: Vec<(u32, Constant)>,
    pub specials: Vec<(u32, Special)>,
    pub params: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
    pub local_bytes: u32,
    /// The variable with the kernel's arguments, when the kernel takes the address of one.
    pub arguments: Option<usize>,
    /// The function has fences, acquires, releases or volatile accesses, so blocks may communicate.
    pub communicates: bool,
    /// The function has fences, acquires and releases, partial warp masks or numbered barriers, so
    /// its threads are not only ordered by block barriers and whole-warp `__syncwarp`s.
    pub syncs: bool,
    /// Its results or its output may depend on the order in which blocks run, apart from races.
    pub ordered: bool,
    /// Why this function cannot run. Kernels that may call it cannot run either; others of the
    /// module can.
    pub refused: Option<crate::Error>,
}

/// A row whose value is known at the launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    Bits(u64),
    /// A module variable's address plus an offset.
    Variable(usize, i64),
    /// A launch argument: offset in the parameter buffer, bytes, sign-extended?
    Param {
        offset: u32,
        bytes: u32,
        signed: bool,
    },
    /// The first byte of dynamic shared memory, plus an offset.
    DynamicShared(i64),
    /// A function's address.
    Function(usize),
}

/// Special registers (PTX ISA, "Special Registers"); all are 32-bit rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NWarpId,
    SmId,
    NSmId,
    GridId,
    MaskEq,
    MaskLe,
    MaskLt,
    MaskGe,
    MaskGt,
    DynamicSmemSize,
    TotalSmemSize,
    /// The driver sets these: 1 and 2 are the upper and the lower half of the grid barrier's
    /// address.
    EnvReg(u8),
}

/// A run of operations with one entry: PTX instructions in it, and where it starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub start: u32,
    /// The number of PTX instructions, and where they begin in `Program::instructions`.
    pub instructions: u32,
    pub first: u32,
}
