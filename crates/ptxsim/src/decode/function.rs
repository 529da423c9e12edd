//! Decodes one function: its statements in order, its parameters, and in the end the positions of
//! its labels.

mod emit;
mod names;
mod sources;

use std::collections::HashMap;

pub(super) use self::sources::Files;
use self::sources::{Located, Sources};
use super::op::{Address, Code, Constant, Func, MemSpace, Special};
use super::origin::Origins;
use super::parameter::Parameters;
use super::{InstructionInfo, MAX_ROWS, Program, Symbol};
use crate::debug::FunctionNames;
use crate::parse::ast::{Function, Instruction, Operand, Statement, Type};
use crate::{CudaError, Error, device};

/// Where a register lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    R32(u32),
    R64(u32),
    Pred(u32),
}

impl Row {
    /// The row that is `by` rows further on in the same file.
    const fn offset(self, by: u32) -> Self {
        match self {
            Self::R32(row) => Self::R32(row + by),
            Self::R64(row) => Self::R64(row + by),
            Self::Pred(row) => Self::Pred(row + by),
        }
    }
}

/// The number of rows that a register of this type takes.
const fn rows_of(ty: Type) -> u32 {
    if ty.bytes() == 16 { 2 } else { 1 }
}

/// The types and sizes in bytes of each function's parameters, by the function's name.
pub(super) type Signatures<'a> = HashMap<&'a str, Vec<(Type, u64)>>;

/// A name in a function's scope.
#[derive(Debug, Clone, Copy)]
pub(super) enum Local {
    Register(Row, Type),
    /// `%r<5>`: the first row and how many.
    Range(Row, Type, u32),
    /// A vector register: its first row and its number of elements, and how many such registers
    /// `.v2 .b32 %v<5>` declares.
    Vector(Row, Type, u32),
    VectorRange(Row, Type, u32, u32),
    /// A call parameter or result: first 32-bit row and bytes.
    Param {
        row: u32,
        bytes: u32,
    },
    /// An entry's parameter: offset in the parameter buffer.
    Argument(u32),
    /// A `.local` variable: offset in the frame.
    Stack(u32),
    Symbol(Symbol),
    Prototype,
}

/// A jump whose label may come later.
struct Fixup<'a> {
    op: usize,
    label: &'a str,
    scope: u32,
    line: u32,
}

pub(super) struct Decoder<'p, 'a> {
    pub program: &'p mut Program,
    pub symbols: &'p HashMap<&'a str, Symbol>,
    /// The parameters of the module's functions, by name.
    pub signatures: &'p Signatures<'a>,
    pub names: HashMap<&'a str, Local>,
    pub func: Func,
    pub entry: bool,
    /// The shared arrays that its registers point into.
    pub origins: Origins<'a>,
    pub parameters: Parameters<'a>,
    constants32: HashMap<Constant, u32>,
    constants64: HashMap<Constant, u32>,
    specials: HashMap<Special, u32>,
    labels: HashMap<(u32, &'a str), u32>,
    fixups: Vec<Fixup<'a>>,
    /// Index into `program.sources` for what is emitted now.
    pub source: u32,
    /// Line in the PTX of the instruction being decoded.
    pub line: u32,
    /// There are vector registers.
    has_vectors: bool,
    /// Whether that instruction comes from a header of cooperative groups.
    pub cooperative: bool,
    block_open: bool,
    /// Bytes of an entry's parameters.
    pub argument_bytes: u64,
    /// Lists of labels for `brx.idx`, by scope and name.
    pub targets: HashMap<(u32, &'a str), Vec<&'a str>>,
    /// Where in the frame the parameters are whose address the function takes.
    pub spilled: HashMap<&'a str, u32>,
    /// The registers that the function returns 64-bit values in, and the words that carry them.
    pub returned: Vec<(u32, u32)>,
    /// Names that inner scopes hide, and where each open scope starts in that list.
    hidden: Vec<(&'a str, Option<Local>)>,
    scopes: Vec<(u32, usize)>,
    /// The scope around each scope; the first is the function's own.
    parents: Vec<u32>,
    name: &'a str,
}

/// PTX ISA, "Kernel Function Parameters".
const MAX_PARAMS: u64 = 32_764;

/// Decodes `function` and appends it to the program.
pub(super) fn decode<'a>(
    function: &Function<'a>,
    files: &Files<'a>,
    symbols: &HashMap<&'a str, Symbol>,
    signatures: &Signatures<'a>,
    program: &mut Program,
) -> Result<(), Error> {
    let start = program.ops.len() as u32;
    let shared =
        |name: &str| matches!(symbols.get(name), Some(Symbol::Shared(_) | Symbol::DynamicShared));
    let mut d = Decoder {
        program,
        symbols,
        signatures,
        names: HashMap::new(),
        // predicate 0 is the condition code
        func: Func { start, preds: 1, ..Func::default() },
        entry: function.entry,
        origins: Origins::new(function, shared),
        parameters: Parameters::new(function),
        constants32: HashMap::new(),
        constants64: HashMap::new(),
        specials: HashMap::new(),
        labels: HashMap::new(),
        fixups: vec![],
        source: 0,
        line: 0,
        has_vectors: false,
        cooperative: false,
        block_open: false,
        argument_bytes: 0,
        targets: HashMap::new(),
        spilled: HashMap::new(),
        returned: vec![],
        hidden: vec![],
        scopes: vec![(0, 0)],
        parents: vec![0],
        name: function.name,
    };
    d.signature(function)?;
    let mut sources = Sources::new(function, files);
    for statement in function.body.as_deref().unwrap_or_default() {
        match statement {
            Statement::Location { file, line, column, inlined_at } => {
                d.cooperative = sources.cooperative(*file);
                if let Some(place) = sources.at(*file, *line, *column, *inlined_at) {
                    d.source = d.intern(place);
                }
            }
            Statement::Instruction(i) => {
                sources.end_chain();
                d.line = i.line;
                d.instruction(i)?;
            }
            Statement::Label(name) => {
                d.open_block();
                let at = d.program.ops.len() as u32 - 1;
                if d.labels.insert((d.scope(), name), at).is_some() {
                    return d.bad(format!("there are two labels `{name}`"));
                }
            }
            Statement::Register { ty, elements, name, count } => {
                d.registers(*ty, *elements, name, *count)?;
            }
            Statement::Variable(v) => d.variable(v)?,
            Statement::Prototype(name) => {
                d.declare(name, Local::Prototype);
            }
            Statement::Targets(name, labels) => {
                d.targets.insert((d.scope(), name), labels.clone());
            }
            Statement::Open => {
                d.parents.push(d.scope());
                d.scopes.push((d.parents.len() as u32 - 1, d.hidden.len()));
            }
            Statement::Close => d.close(),
        }
    }
    d.open_block();
    d.emit_return();
    d.finish()
}

impl<'a> Decoder<'_, 'a> {
    fn signature(&mut self, function: &Function<'a>) -> Result<(), Error> {
        let bytes = function.params.iter().fold(0, |sum: u64, p| sum.saturating_add(p.bytes()));
        if bytes > MAX_PARAMS {
            return self.unsupported(format!(
                "{bytes} bytes of parameters (at most {MAX_PARAMS} are possible)"
            ));
        }
        let mut offset = 0_u32;
        for p in &function.params {
            if function.entry {
                offset = offset.next_multiple_of(p.align.max(1));
                self.names.insert(p.name, Local::Argument(offset));
                self.func.argument_starts.push(offset);
                offset = offset.saturating_add(p.bytes() as u32);
                self.argument_bytes = u64::from(offset);
            }
        }
        if function.entry {
            self.open_block();
            return Ok(());
        }
        let mut received = vec![];
        for p in &function.params {
            let words = match self.register_param(p)? {
                None => self.param_rows(p.name, p.bytes()),
                Some(Row::R64(register)) => {
                    let row = self.func.rows32;
                    self.func.rows32 += 2;
                    received.push((register, row));
                    (row, 2)
                }
                Some(Row::R32(register) | Row::Pred(register)) => (register, 1),
            };
            self.func.params.push(words);
        }
        for p in &function.returns {
            let words = match self.register_param(p)? {
                None => self.param_rows(p.name, p.bytes()),
                Some(Row::R64(register)) => {
                    let row = self.func.rows32;
                    self.func.rows32 += 2;
                    self.returned.push((register, row));
                    (row, 2)
                }
                Some(Row::R32(register) | Row::Pred(register)) => (register, 1),
            };
            self.func.results.push(words);
        }
        self.open_block();
        for (register, row) in received {
            self.emit(Code::Pack, register, row, row + 1, 0);
        }
        self.spill(function)
    }

    /// The register of a parameter or result that is one: `.func (.reg .u32 %r) f (.reg .u64 %x)`.
    fn register_param(
        &mut self,
        p: &crate::parse::ast::Variable<'a>,
    ) -> Result<Option<Row>, Error> {
        if p.space != "reg" {
            return Ok(None);
        }
        if p.elements != Some(1) || p.ty == Type::Pred || p.ty.bytes() > 8 {
            return self.unsupported(format!("the parameter `{}` in a register", p.name));
        }
        let row = self.new_row(p.ty);
        self.declare(p.name, Local::Register(row, p.ty));
        Ok(Some(row))
    }

    /// Copies the parameters whose address the function takes to local memory.
    fn spill(&mut self, function: &Function<'a>) -> Result<(), Error> {
        for name in super::origin::address_taken(function) {
            let Some(Local::Param { row, bytes }) = self.lookup(name) else { continue };
            let start = self.func.local_bytes.next_multiple_of(16);
            self.func.local_bytes = start + bytes.next_multiple_of(4);
            self.spilled.insert(name, start);
            for word in 0..bytes.div_ceil(4) {
                let address = self.stack_address(i64::from(start + word * 4));
                let mut op = self.memory_op_at(Address::Row64(address), MemSpace::Local, 4);
                op.rows[0] = row + word;
                self.emit_memory(Code::Store, op);
            }
        }
        Ok(())
    }

    /// Leaves the kernel or the function.
    pub fn emit_return(&mut self) {
        if self.entry {
            self.emit(Code::Exit, 0, 0, 0, 0);
            return;
        }
        for (register, row) in self.returned.clone() {
            self.emit(Code::LowLI, row, register, 0, 0);
            self.emit(Code::HighLI, row + 1, register, 0, 0);
        }
        self.emit(Code::Return, 0, 0, 0, 0);
    }

    /// The labels of a `.branchtargets` list that is in scope.
    pub fn target_list(&self, name: &str) -> Option<Vec<&'a str>> {
        self.scopes.iter().rev().find_map(|(scope, _)| self.targets.get(&(*scope, name)).cloned())
    }

    fn instruction(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let expanded = self.expanded(i);
        let i = expanded.as_ref().unwrap_or(i);
        if let Some(block) = self.program.blocks.last_mut() {
            block.instructions += 1;
            let ty = i.types().last();
            let single = matches!(ty, Some(Type::F16 | Type::Bf16 | Type::F32 | Type::F64));
            self.program.instructions.push(InstructionInfo {
                source: self.source,
                single_product: single && matches!(i.root(), "mul" | "mad" | "fma"),
            });
        }
        match i.guard {
            Some((negated, register)) if i.root() != "bra" => {
                let pred = self.pred_register(register)?;
                let branch = self.program.ops.len();
                // a guard that decides whether threads leave does the work of a branch
                let leaves = matches!(i.root(), "exit" | "ret");
                self.emit(Code::Branch, u32::from(leaves), pred, u32::from(!negated), 0);
                self.open_block();
                self.lower(i)?;
                self.open_block();
                self.program.ops[branch].c = self.program.ops.len() as u32 - 1;
                Ok(())
            }
            _ => self.lower(i),
        }
    }

    pub fn intern(&mut self, place: Located) -> u32 {
        let program = &mut *self.program;
        let Located { source, caller } = place;
        let same = |i: usize| {
            program.sources.get(i) == Some(&source) && program.callers.get(i) == Some(&caller)
        };
        if same(self.source as usize) {
            return self.source;
        }
        // functions have few distinct locations, so it is enough to look back a little before
        // adding one
        let n = program.sources.len();
        if let Some(i) = (n.saturating_sub(64)..n).rev().find(|i| same(*i)) {
            return i as u32;
        }
        program.sources.push(source);
        program.callers.push(caller);
        n as u32
    }

    pub fn bad<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::Parse { line: self.line, message: message.into(), source_line: None })
    }

    pub fn unsupported<T>(&self, feature: impl Into<String>) -> Result<T, Error> {
        let source = self.program.sources.get(self.source as usize).filter(|s| s.line > 0).cloned();
        Err(Error::Unsupported { feature: feature.into(), source_line: source })
    }

    pub fn operand<'o>(&self, i: &'o Instruction<'a>, n: usize) -> Result<&'o Operand<'a>, Error> {
        match i.operands.get(n) {
            Some(o) => Ok(o),
            None => self.bad(format!("`{}` lacks operand {}", i.name, n + 1)),
        }
    }

    fn finish(mut self) -> Result<(), Error> {
        let rows = self.func.rows32.max(self.func.rows64).max(self.func.preds);
        if rows > MAX_ROWS {
            return self.unsupported(format!("functions with more than {MAX_ROWS} values"));
        }
        if self.func.local_bytes > device::LOCAL {
            return Err(Error::launch(
                CudaError::InvalidPtx,
                format!(
                    "a function needs {} bytes of local memory; a thread has at most {}",
                    self.func.local_bytes,
                    device::LOCAL
                ),
            ));
        }
        for Fixup { op, label, mut scope, line } in std::mem::take(&mut self.fixups) {
            // a label is visible in its own scope and in those within it
            let target = loop {
                match self.labels.get(&(scope, label)) {
                    Some(target) => break *target,
                    None if scope == 0 => {
                        return Err(Error::Parse {
                            line,
                            message: format!("no label `{label}`"),
                            source_line: None,
                        });
                    }
                    None => scope = self.parents[scope as usize],
                }
            };
            self.program.ops[op].c = target;
        }
        // a debug build stays as it is, because its labels say where variables are
        if self.program.debug_build {
            let labels = self.labels.iter().map(|((_, label), at)| ((*label).to_owned(), *at));
            self.program.names.labels.extend(labels);
        } else {
            super::simplify::simplify(self.program, &self.func);
        }
        super::polling::mark(self.program, &self.func, self.entry);
        super::observing::mark(self.program, &self.func, self.entry);
        super::speculative::mark(self.program, &self.func);
        self.program.functions.push(self.func);
        let mut names = FunctionNames { name: self.name.to_owned(), ..FunctionNames::default() };
        for (name, local) in self.names {
            match local {
                Local::Register(row, _) => drop(names.registers.insert(name.to_owned(), row)),
                Local::Range(first, _, count) => {
                    names.ranges.insert(name.to_owned(), (first, count));
                }
                Local::Stack(at) => drop(names.stack.insert(name.to_owned(), at)),
                Local::Argument(at) => drop(names.arguments.insert(name.to_owned(), at)),
                _ => {}
            }
        }
        self.program.names.functions.push(names);
        Ok(())
    }
}
