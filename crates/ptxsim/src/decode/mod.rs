//! Turns the syntax tree into a program: lays out variables, assigns rows to registers and
//! constants, resolves names.
//!
//! A module is decoded once; a launch only fills in constants. Start reading at `lower.rs`, which
//! decides what decodes an instruction; `forms.txt` lists all instructions, and `code.rs` all
//! operations.

mod alu;
mod check;
pub(crate) mod code;
mod compare;
mod copy;
mod float;
mod forms;
pub(crate) mod fragment;
mod function;
mod half;
mod integer;
mod lower;
mod matrix;
mod mbarrier;
mod memory;
mod moves;
mod narrow;
mod observing;
pub(crate) mod op;
mod operands;
mod order;
pub(crate) mod origin;
mod parameter;
mod polling;
pub(crate) mod provenance;
mod rows;
mod simplify;
mod speculative;
mod sync;
mod tensor;
mod texture;
mod tile;
mod video;

use std::collections::HashMap;

use code::File;
use op::{
    BarrierOp, Block, CallOp, Code, CollectiveOp, CopyOp, Func, ImageOp, MemOp, MultiplyOp, Op,
    Target, TileOp,
};
pub(crate) use parameter::Parameter;
pub(crate) use rows::RowAccess;

pub(crate) use function::Row;

use crate::arith::convert::Convert;
use crate::debug::{Debug, FunctionNames, Names};
use crate::parse::ast::{Init, Ptx, Variable};
use crate::{CudaError, Error, Source};

/// Everything the interpreter needs to run a module's kernels.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub ops: Vec<Op>,
    /// For each operation, an index into `sources`.
    pub source_of: Vec<u32>,
    /// Source locations; `sources[0]` is "unknown".
    pub sources: Vec<Source>,
    /// For each source, where the inlined function around it was called from.
    pub callers: Vec<Option<Source>>,
    pub blocks: Vec<Block>,
    /// Each PTX instruction; those of a block are consecutive.
    pub instructions: Vec<InstructionInfo>,
    pub functions: Vec<Func>,
    pub memory: Vec<MemOp>,
    pub images: Vec<ImageOp>,
    pub copies: Vec<CopyOp>,
    pub calls: Vec<CallOp>,
    pub barriers: Vec<BarrierOp>,
    pub collectives: Vec<CollectiveOp>,
    pub tiles: Vec<TileOp>,
    pub multiplications: Vec<MultiplyOp>,
    pub conversions: Vec<Convert>,
    pub variables: Vec<GlobalVariable>,
    pub shared: Vec<SharedVariable>,
    /// Where dynamic shared memory starts.
    pub shared_static: u32,
    /// Whether [`Func::ordered`] or [`Func::syncs`] is true for any function that is not a kernel.
    pub helpers_ordered: bool,
    pub helpers_sync: bool,
    /// Only for traces: names, and the variables of a debug build.
    pub names: Names,
    pub debug: Debug,
    pub debug_build: bool,
}

/// What counts need to know about a PTX instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InstructionInfo {
    /// An index into [`Program::sources`].
    pub source: u32,
    /// Whether it is among [`crate::Traffic::single_products`].
    pub single_product: bool,
}

/// The lengths of a program's lists before a function is added.
struct Mark {
    ops: usize,
    blocks: usize,
    instructions: usize,
    memory: usize,
    images: usize,
    copies: usize,
    calls: usize,
    barriers: usize,
    collectives: usize,
    tiles: usize,
    multiplications: usize,
    conversions: usize,
    shared: usize,
    shared_static: u32,
}

impl Program {
    fn mark(&self) -> Mark {
        Mark {
            ops: self.ops.len(),
            blocks: self.blocks.len(),
            instructions: self.instructions.len(),
            memory: self.memory.len(),
            images: self.images.len(),
            copies: self.copies.len(),
            calls: self.calls.len(),
            barriers: self.barriers.len(),
            collectives: self.collectives.len(),
            tiles: self.tiles.len(),
            multiplications: self.multiplications.len(),
            conversions: self.conversions.len(),
            shared: self.shared.len(),
            shared_static: self.shared_static,
        }
    }

    /// Removes what a function has added that then turned out not to be decodable.
    fn rewind(&mut self, mark: &Mark) {
        self.ops.truncate(mark.ops);
        self.source_of.truncate(mark.ops);
        self.blocks.truncate(mark.blocks);
        self.instructions.truncate(mark.instructions);
        self.memory.truncate(mark.memory);
        self.images.truncate(mark.images);
        self.copies.truncate(mark.copies);
        self.calls.truncate(mark.calls);
        self.barriers.truncate(mark.barriers);
        self.collectives.truncate(mark.collectives);
        self.tiles.truncate(mark.tiles);
        self.multiplications.truncate(mark.multiplications);
        self.conversions.truncate(mark.conversions);
        self.shared.truncate(mark.shared);
        self.shared_static = mark.shared_static;
    }

    /// A function and those that it may call, directly or not.
    fn reachable(&self, function: usize) -> Vec<usize> {
        let mut seen = vec![false; self.functions.len()];
        let (mut open, mut all) = (vec![function], vec![]);
        let mut everything = false;
        while let Some(f) = open.pop() {
            let Some(func) =
                self.functions.get(f).filter(|_| !std::mem::replace(&mut seen[f], true))
            else {
                continue;
            };
            all.push(f);
            if func.refused.is_some() {
                continue;
            }
            for op in self.operations(f) {
                if let Code::Call = op.code
                    && let Some(call) = self.calls.get(op.d as usize)
                {
                    match call.target {
                        Target::Function(callee) => open.push(callee),
                        Target::Indirect(_) if !std::mem::replace(&mut everything, true) => {
                            open.extend(0..self.functions.len());
                        }
                        _ => {}
                    }
                }
            }
        }
        all
    }

    /// Calls `visit` for each row that operation `pc` reads or writes.
    pub fn visit_rows(&self, pc: u32, visit: impl FnMut(RowAccess, File, u32)) {
        if let Some(op) = self.ops.get(pc as usize) {
            rows::visit_rows(op, self, visit);
        }
    }

    /// Calls `visit` for each register that operation `pc` writes.
    pub fn visit_written_rows(&self, pc: u32, mut visit: impl FnMut(Row)) {
        let Some(op) = self.ops.get(pc as usize) else { return };
        rows::visit_rows(op, self, |access, file, row| match (access, file) {
            (RowAccess::Read, _) => {}
            (RowAccess::Write, File::R) => visit(Row::R32(row)),
            (RowAccess::Write, File::X) => visit(Row::R64(row)),
            (RowAccess::Write, File::P) => visit(Row::Pred(row)),
        });
    }

    /// The operations of a function; empty for one that cannot run.
    pub fn operations(&self, function: usize) -> &[Op] {
        let Some(func) = self.functions.get(function).filter(|f| f.refused.is_none()) else {
            return &[];
        };
        let next = self.functions.iter().skip(function + 1).find(|next| next.refused.is_none());
        let end = next.map_or(self.ops.len(), |next| next.start as usize);
        self.ops.get(func.start as usize..end).unwrap_or_default()
    }

    /// Why a function cannot run: itself, or one that it may call.
    pub fn refusal(&self, function: usize) -> Option<&Error> {
        self.reachable(function).into_iter().find_map(|f| self.functions[f].refused.as_ref())
    }

    /// The most local memory that a function, or one that it may call, declares for a thread.
    pub fn local_bytes(&self, function: usize) -> u64 {
        let bytes = |f: usize| u64::from(self.functions[f].local_bytes);
        self.reachable(function).into_iter().map(bytes).max().unwrap_or(0)
    }
}

/// A `.global` or `.const` variable of the module.
#[derive(Debug)]
pub(crate) struct GlobalVariable {
    /// Its name in PTX.
    pub symbol: String,
    /// Its name in the source.
    pub name: String,
    pub bytes: u64,
    pub element: u32,
    pub init: Vec<(u64, InitValue, u32)>,
    pub constant: bool,
}

/// An initial value. Its offset and size are in `GlobalVariable::init`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InitValue {
    Bits(u64),
    Variable(usize, i64),
    Function(usize),
}

/// A `.shared` variable: offset in the block's shared memory.
#[derive(Debug, Clone)]
pub(crate) struct SharedVariable {
    pub name: String,
    /// Its name in PTX.
    pub symbol: String,
    pub offset: u32,
    /// 0 for a dynamic array.
    pub bytes: u32,
    /// Declared `extern`: all such arrays start at the same address, and the launch gives their
    /// size.
    pub dynamic: bool,
    /// Bytes of an element; 1 when PTX declares the variable as bytes.
    pub element: u32,
}

/// A name that functions can refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Symbol {
    Variable(usize),
    Shared(u32),
    DynamicShared,
    Function(usize),
}

/// Bytes of padding between shared variables, so that a small overrun does not land in the next
/// one. A multiple of 32 banks of 4 bytes, so that padding does not change bank numbers.
const SHARED_GAP: u32 = 128;

/// The most bytes that the shared variables of all of a module's kernels take together, one after
/// the other.
const MAX_SHARED_LAYOUT: u32 = 16 << 20;

/// The most rows of a register window, and of the file that it is in.
pub(crate) const MAX_ROWS: u32 = 1 << 16;

/// Decodes a module. Returns the program, and for each function the set of parameters that it may
/// write through.
///
/// # Errors
/// [`Error::Parse`] for names that are not declared, [`Error::Unsupported`] for what the simulator
/// does not support.
pub(crate) fn decode(ptx: &Ptx<'_>) -> Result<(Program, Vec<provenance::Provenance>), Error> {
    let mut program = Program {
        sources: vec![Source::default()],
        callers: vec![None],
        debug_build: ptx.debug,
        ..Program::default()
    };
    let mut symbols: HashMap<&str, Symbol> = HashMap::new();
    let defined: Vec<_> = ptx.functions.iter().filter(|f| f.body.is_some()).collect();
    for (i, f) in defined.iter().enumerate() {
        symbols.insert(f.name, Symbol::Function(i));
    }
    for v in &ptx.variables {
        declare(v, &mut program, &mut symbols)?;
    }
    for v in ptx.variables.iter().filter(|v| matches!(v.space, "global" | "const")) {
        initialise(v, &mut program, &symbols)?;
    }
    let files = function::Files::new(ptx);
    let signatures: function::Signatures<'_> = ptx
        .functions
        .iter()
        .map(|f| (f.name, f.params.iter().map(|p| (p.ty, p.bytes())).collect()))
        .collect();
    for f in &defined {
        let mark = program.mark();
        match function::decode(f, &files, &symbols, &signatures, &mut program) {
            Ok(()) => {}
            Err(error @ (Error::Unsupported { .. } | Error::BadLaunch { .. })) => {
                program.rewind(&mark);
                program.functions.push(Func { refused: Some(error), ..Func::default() });
                program.names.functions.push(FunctionNames::default());
            }
            Err(error) => return Err(error),
        }
    }
    order::mark(&mut program, &defined.iter().map(|f| f.entry).collect::<Vec<_>>());
    for dynamic in program.shared.iter_mut().filter(|v| v.dynamic) {
        dynamic.offset = program.shared_static;
    }
    let accesses = defined.iter().map(|f| provenance::analyse(f)).collect();
    Ok((program, accesses))
}

/// Lays out a module- or function-scope variable.
fn declare<'a>(
    v: &Variable<'a>,
    program: &mut Program,
    symbols: &mut HashMap<&'a str, Symbol>,
) -> Result<(), Error> {
    let symbol = match v.space {
        "global" | "const" => {
            program.variables.push(GlobalVariable {
                symbol: v.name.to_owned(),
                name: crate::demangle::variable_name(v.name).to_owned(),
                bytes: v.bytes(),
                element: v.ty.bytes(),
                init: vec![],
                constant: v.space == "const",
            });
            Symbol::Variable(program.variables.len() - 1)
        }
        "shared" if v.elements.is_none() => {
            program.shared.push(SharedVariable {
                name: crate::demangle::variable_name(v.name).to_owned(),
                symbol: v.name.to_owned(),
                offset: 0,
                bytes: 0,
                dynamic: true,
                element: v.ty.bytes(),
            });
            Symbol::DynamicShared
        }
        "shared" => {
            let bytes = u32::try_from(v.bytes()).ok().filter(|b| *b <= 1 << 20);
            let Some(bytes) = bytes else {
                return Err(Error::launch(
                    CudaError::InvalidPtx,
                    format!(
                        "`{}` uses too much shared data: {} bytes, and at most {} are possible",
                        crate::demangle::variable_name(v.name),
                        v.bytes(),
                        crate::device::STATIC_SHARED
                    ),
                ));
            };
            let offset = program.shared_static.next_multiple_of(v.align.max(SHARED_GAP));
            program.shared_static = (offset + bytes).next_multiple_of(SHARED_GAP) + SHARED_GAP;
            if program.shared_static > MAX_SHARED_LAYOUT {
                return Err(Error::launch(
                    CudaError::InvalidPtx,
                    format!(
                        "the module's shared variables take {} bytes; a block has at most 227 KiB",
                        program.shared_static
                    ),
                ));
            }
            program.shared.push(SharedVariable {
                name: crate::demangle::variable_name(v.name).to_owned(),
                symbol: v.name.to_owned(),
                offset,
                bytes,
                dynamic: false,
                element: v.ty.bytes(),
            });
            Symbol::Shared(offset)
        }
        space => {
            return Err(Error::Unsupported {
                feature: format!("`.{space}` variables at module scope"),
                source_line: None,
            });
        }
    };
    symbols.insert(v.name, symbol);
    Ok(())
}

fn initialise(
    v: &Variable<'_>,
    program: &mut Program,
    symbols: &HashMap<&str, Symbol>,
) -> Result<(), Error> {
    let Some(Symbol::Variable(index)) = symbols.get(v.name).copied() else { return Ok(()) };
    let bytes = v.ty.bytes();
    let mut init = Vec::with_capacity(v.init.len());
    for (i, value) in v.init.iter().enumerate() {
        let value = match value {
            Init::Bits(bits) => InitValue::Bits(*bits),
            Init::Symbol(name, offset) => match symbols.get(name) {
                Some(Symbol::Variable(v)) => InitValue::Variable(*v, *offset),
                Some(Symbol::Function(f)) => InitValue::Function(*f),
                _ => {
                    return Err(Error::Parse {
                        line: 0,
                        message: format!("`{}` is initialised with the unknown `{name}`", v.name),
                        source_line: None,
                    });
                }
            },
        };
        init.push((i as u64 * u64::from(bytes), value, bytes));
    }
    program.variables[index].init = init;
    Ok(())
}
