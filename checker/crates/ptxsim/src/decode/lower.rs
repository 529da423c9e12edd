//! Control flow, data movement, memory, synchronisation and calls to operations; arithmetic is in `alu`.

use super::Symbol;
use super::function::{Decoder, Local, Row};
use super::op::{
    Address, AtomicOp, BarrierOp, CallOp, Code, CollectiveKind, CollectiveOp, Constant, MemOp,
    MemSpace, Reduce, ReduceKind, Special, Target,
};
use crate::Error;
use crate::address::{LOCAL_SLOT, SHARED_SLOT, base};
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    /// Decodes one instruction into one or more operations.
    pub fn lower(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        match i.root() {
            "bra" => self.branch(i),
            "ret" => {
                self.emit(if self.entry { Code::Exit } else { Code::Return }, 0, 0, 0, 0);
                self.open_block();
                Ok(())
            }
            "exit" => {
                self.emit(Code::Exit, 0, 0, 0, 0);
                self.open_block();
                Ok(())
            }
            "trap" => {
                self.emit(Code::Trap, 0, 0, 0, 0);
                Ok(())
            }
            "call" => self.call(i),
            "ld" | "ldu" if i.has("param") || i.has("param::entry") || i.has("param::func") => {
                self.load_param(i)
            }
            "st" if i.has("param") || i.has("param::func") => self.store_param(i),
            "ld" | "ldu" => self.load(i),
            "st" => self.store(i),
            "atom" | "red" => self.atomic(i),
            "mov" => self.mov(i),
            "cvta" => self.cvta(i),
            "bar" | "barrier" => self.barrier(i),
            "shfl" | "vote" | "match" | "activemask" | "redux" => self.collective(i),
            "membar" | "fence" => {
                self.func.talks = true;
                Ok(())
            }
            "nanosleep" | "prefetch" | "prefetchu" | "applypriority" | "discard" | "pmevent" => {
                Ok(())
            }
            _ => self.arithmetic(i),
        }
    }

    fn branch(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Operand::Name(label) = self.operand(i, 0)? else {
            return self.bad("`bra` needs a label");
        };
        match i.guard {
            None => self.emit_to(Code::Jump, true, 0, false, label),
            Some((negated, register)) => {
                let pred = self.pred_register(register)?;
                self.emit_to(Code::Branch, true, pred, negated, label);
            }
        }
        Ok(())
    }

    // ---- operands ----

    pub fn pred_register(&self, name: &str) -> Result<u32, Error> {
        match self.lookup(name) {
            Some(Local::Register(Row::Pred(row), _)) => Ok(row),
            _ => self.bad(format!("`{name}` is not a predicate register")),
        }
    }

    /// A predicate operand, negation resolved.
    pub fn pred(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Name(name) => self.pred_register(name),
            Operand::Not(name) => {
                let source = self.pred_register(name)?;
                let t = self.temp_pred();
                self.emit(Code::NotP, t, source, 0, 0);
                Ok(t)
            }
            Operand::Int(n) => {
                // constants: p xor p, p or not p
                let t = self.temp_pred();
                self.emit(Code::XorP, t, t, t, 0);
                if *n != 0 {
                    self.emit(Code::NotP, t, t, 0, 0);
                }
                Ok(t)
            }
            _ => self.bad("expected a predicate"),
        }
    }

    /// A 32-bit row for a source operand.
    pub fn r32(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Int(n) => Ok(self.constant32(Constant::Bits(*n & 0xffff_ffff))),
            Operand::F32(bits) => Ok(self.constant32(Constant::Bits(u64::from(*bits)))),
            Operand::Name(name) | Operand::Offset(name, _) => {
                let offset = if let Operand::Offset(_, o) = operand { *o } else { 0 };
                if let Some(special) = special(name) {
                    return Ok(self.special(special));
                }
                match self.lookup(name) {
                    Some(Local::Register(Row::R32(row), _)) => Ok(row),
                    Some(Local::Register(Row::R64(row), _)) => {
                        let t = self.temp32();
                        self.emit(Code::TruncLI, t, row, 0, 0);
                        Ok(t)
                    }
                    Some(Local::Symbol(symbol)) => {
                        let constant = self.symbol_constant(symbol, offset);
                        Ok(self.constant32(constant))
                    }
                    Some(Local::Stack(at)) => {
                        let t = self.stack_address(i64::from(at).wrapping_add(offset));
                        let low = self.temp32();
                        self.emit(Code::TruncLI, low, t, 0, 0);
                        Ok(low)
                    }
                    _ if name.starts_with('%') => {
                        self.unsupported(format!("the register `{name}`"))
                    }
                    _ => self.bad(format!("`{name}` is not a 32-bit value")),
                }
            }
            _ => self.bad("expected a 32-bit value"),
        }
    }

    /// A 64-bit row for a source operand.
    pub fn r64(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Int(n) => Ok(self.constant64(Constant::Bits(*n))),
            Operand::F64(bits) => Ok(self.constant64(Constant::Bits(*bits))),
            Operand::Name(name) | Operand::Offset(name, _) => {
                let offset = if let Operand::Offset(_, o) = operand { *o } else { 0 };
                match self.lookup(name) {
                    Some(Local::Register(Row::R64(row), _)) => Ok(row),
                    Some(Local::Register(Row::R32(row), _)) => {
                        let t = self.temp64();
                        self.emit(Code::ZextIL, t, row, 0, 0);
                        Ok(t)
                    }
                    Some(Local::Symbol(symbol)) => {
                        let constant = self.symbol_constant(symbol, offset);
                        Ok(self.constant64(constant))
                    }
                    Some(Local::Stack(at)) => {
                        Ok(self.stack_address(i64::from(at).wrapping_add(offset)))
                    }
                    Some(Local::Argument(_) | Local::Param { .. }) => {
                        self.unsupported("taking the address of a kernel parameter")
                    }
                    _ if matches!(*name, "%clock64" | "%globaltimer") => {
                        let t = self.temp64();
                        self.emit(Code::ClockL, t, 0, 0, 0);
                        Ok(t)
                    }
                    _ if name.starts_with('%') => {
                        self.unsupported(format!("the register `{name}`"))
                    }
                    _ => self.bad(format!("`{name}` is not a 64-bit value")),
                }
            }
            _ => self.bad("expected a 64-bit value"),
        }
    }

    fn symbol_constant(&self, symbol: Symbol, offset: i64) -> Constant {
        match symbol {
            Symbol::Variable(v) => Constant::Variable(v, offset),
            Symbol::Shared(at) => Constant::Bits(i64::from(at).wrapping_add(offset) as u64),
            Symbol::DynamicShared => Constant::DynamicShared(offset),
            Symbol::Function(f) => Constant::Function(f),
        }
    }

    fn stack_address(&mut self, offset: i64) -> u32 {
        let c = self.constant64(Constant::Bits(offset as u64));
        let t = self.temp64();
        self.emit(Code::LocalBase, t, c, 0, 0);
        t
    }

    /// A destination register's row in the 32-bit file.
    pub fn d32(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Sink => Ok(self.temp32()),
            Operand::Name(name) => match self.lookup(name) {
                Some(Local::Register(Row::R32(row), _)) => Ok(row),
                _ => self.bad(format!("`{name}` is not a 32-bit register")),
            },
            _ => self.bad("expected a 32-bit register"),
        }
    }

    pub fn d64(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Sink => Ok(self.temp64()),
            Operand::Name(name) => match self.lookup(name) {
                Some(Local::Register(Row::R64(row), _)) => Ok(row),
                _ => self.bad(format!("`{name}` is not a 64-bit register")),
            },
            _ => self.bad("expected a 64-bit register"),
        }
    }

    pub fn dp(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        match operand {
            Operand::Sink => Ok(self.temp_pred()),
            Operand::Name(name) => self.pred_register(name),
            _ => self.bad("expected a predicate register"),
        }
    }

    fn is_wide(&self, operand: &Operand<'a>) -> bool {
        matches!(operand, Operand::Name(n) if matches!(self.lookup(n), Some(Local::Register(Row::R64(_), _))))
    }

    // ---- moves ----

    fn mov(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let Some(ty) = i.types().last() else { return self.bad("`mov` needs a type") };
        match (d, a) {
            (Operand::Vector(parts), _) => return self.unpack(ty, parts, a),
            (_, Operand::Vector(parts)) => return self.pack(ty, d, parts),
            _ => {}
        }
        if ty == Type::Pred {
            let (d, a) = (self.dp(d)?, self.pred(a)?);
            self.emit(Code::MovP, d, a, 0, 0);
        } else if ty.bytes() == 8 {
            let clock = matches!(a, Operand::Name("%clock64" | "%globaltimer"));
            let (d, a) = (self.d64(d)?, self.r64(a)?);
            self.emit(Code::MovL, d, a, 0, 0);
            if clock {
                self.open_block();
            }
        } else if matches!(a, Operand::Name("%clock" | "%clock_hi" | "%globaltimer_lo")) {
            let d = self.d32(d)?;
            self.emit(Code::ClockI, d, 0, 0, 0);
            // time passes block by block: what follows counts for the next reading
            self.open_block();
        } else {
            let (d, a) = (self.d32(d)?, self.r32(a)?);
            let narrow = ty.bytes() == 2;
            self.emit(if narrow { Code::ZextH } else { Code::MovI }, d, a, 0, 0);
        }
        Ok(())
    }

    /// `mov.b64 {%r1, %r2}, %rd1`, `mov.b32 {%rs1, %rs2}, %r1`, `mov.b64 {%rs1 .. %rs4}, %rd1`.
    fn unpack(&mut self, ty: Type, parts: &[Operand<'a>], a: &Operand<'a>) -> Result<(), Error> {
        let halves: Vec<u32> = if ty.bytes() == 8 {
            let a = self.r64(a)?;
            let (low, high) = (self.temp32(), self.temp32());
            self.emit(Code::LowLI, low, a, 0, 0);
            self.emit(Code::HighLI, high, a, 0, 0);
            vec![low, high]
        } else {
            let a = self.r32(a)?;
            let t = self.temp32();
            self.emit(Code::MovI, t, a, 0, 0);
            vec![t]
        };
        let per = parts.len().checked_div(halves.len()).unwrap_or(0);
        if !matches!(per, 1 | 2 | 4) || per * halves.len() != parts.len() {
            return self.unsupported(format!("`mov.{ty:?}` into {} parts", parts.len()));
        }
        for (n, part) in parts.iter().enumerate() {
            let d = self.d32(part)?;
            let source = halves[n / per];
            let shift = self.constant32(Constant::Bits((n % per * 32 / per) as u64));
            match per {
                1 => self.emit(Code::MovI, d, source, 0, 0),
                _ => {
                    self.emit(Code::ShrUI, d, source, shift, 0);
                    self.emit(if per == 2 { Code::ZextH } else { Code::ZextB }, d, d, 0, 0);
                }
            }
        }
        Ok(())
    }

    fn pack(&mut self, ty: Type, d: &Operand<'a>, parts: &[Operand<'a>]) -> Result<(), Error> {
        let words = if ty.bytes() == 8 { 2 } else { 1 };
        let per = parts.len() / words;
        if !matches!(per, 1 | 2 | 4) || per * words != parts.len() {
            return self.unsupported(format!("`mov.{ty:?}` from {} parts", parts.len()));
        }
        let mut rows = vec![];
        for word in parts.chunks(per) {
            let whole = self.temp32();
            for (n, part) in word.iter().enumerate() {
                let a = self.r32(part)?;
                if n == 0 {
                    self.emit(Code::MovI, whole, a, 0, 0);
                } else {
                    let (shift, t) =
                        (self.constant32(Constant::Bits((n * 32 / per) as u64)), self.temp32());
                    self.emit(Code::ShlI, t, a, shift, 0);
                    self.emit(Code::OrI, whole, whole, t, 0);
                }
            }
            rows.push(whole);
        }
        if words == 2 {
            let d = self.d64(d)?;
            self.emit(Code::Pack, d, rows[0], rows[1], 0);
        } else {
            let d = self.d32(d)?;
            self.emit(Code::MovI, d, rows[0], 0, 0);
        }
        Ok(())
    }

    /// Global and generic addresses are one here; shared and local memory are windows into it.
    fn cvta(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let window = if i.has("shared") || i.has("shared::cta") {
            base(SHARED_SLOT)
        } else if i.has("local") {
            base(LOCAL_SLOT)
        } else if i.has("param") {
            return self.unsupported("taking the address of a kernel parameter");
        } else {
            0
        };
        let to = i.has("to");
        let (d, a) = (self.d64(d)?, self.r64(a)?);
        if window == 0 {
            self.emit(Code::MovL, d, a, 0, 0);
        } else {
            let w = self.constant64(Constant::Bits(window));
            self.emit(if to { Code::SubL } else { Code::AddL }, d, a, w, 0);
        }
        Ok(())
    }

    // ---- parameters ----

    fn load_param(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Some(ty) = i.types().last() else { return self.bad("`ld.param` needs a type") };
        let d = self.operand(i, 0)?.clone();
        let Operand::Memory { base: Some(name), offset } = *self.operand(i, 1)? else {
            return self.unsupported("`ld.param` through an address");
        };
        let parts = if let Operand::Vector(parts) = d { parts } else { vec![d] };
        for (n, part) in parts.iter().enumerate() {
            let at = offset.wrapping_add(n as i64 * i64::from(ty.bytes()));
            match self.lookup(name) {
                Some(Local::Argument(start)) => {
                    let constant = Constant::Param {
                        offset: i64::from(start).wrapping_add(at) as u32,
                        bytes: ty.bytes(),
                        signed: ty.signed(),
                    };
                    if self.is_wide(part) {
                        let (d, c) = (self.d64(part)?, self.constant64(constant));
                        self.emit(Code::MovL, d, c, 0, 0);
                    } else {
                        let (d, c) = (self.d32(part)?, self.constant32(constant));
                        self.emit(Code::MovI, d, c, 0, 0);
                    }
                }
                Some(Local::Param { row, bytes }) => {
                    let (row, shift) = self.param_word(row, bytes, at, ty)?;
                    self.load_param_word(part, ty, row, shift)?;
                }
                Some(Local::Register(..)) => {
                    return self.unsupported("`ld.param` through a register");
                }
                _ => return self.bad(format!("no parameter `{name}`")),
            }
        }
        Ok(())
    }

    fn param_word(&self, row: u32, bytes: u32, at: i64, ty: Type) -> Result<(u32, u32), Error> {
        match u32::try_from(at) {
            Ok(at)
                if at.checked_add(ty.bytes()).is_some_and(|end| end <= bytes.max(4))
                    && at % ty.bytes().min(4) == 0 =>
            {
                Ok((row + at / 4, at % 4 * 8))
            }
            _ => self.bad(format!("offset {at} is outside the parameter")),
        }
    }

    fn load_param_word(
        &mut self,
        d: &Operand<'a>,
        ty: Type,
        row: u32,
        shift: u32,
    ) -> Result<(), Error> {
        if ty.bytes() == 8 {
            let d = self.d64(d)?;
            self.emit(Code::Pack, d, row, row + 1, 0);
            return Ok(());
        }
        let t = self.temp32();
        if shift == 0 {
            self.emit(Code::MovI, t, row, 0, 0);
        } else {
            let s = self.constant32(Constant::Bits(u64::from(shift)));
            self.emit(Code::ShrUI, t, row, s, 0);
        }
        match (ty.bytes(), ty.signed()) {
            (1, false) => self.emit(Code::ZextB, t, t, 0, 0),
            (1, true) => self.emit(Code::SextB, t, t, 0, 0),
            (2, false) => self.emit(Code::ZextH, t, t, 0, 0),
            (2, true) => self.emit(Code::SextH, t, t, 0, 0),
            _ => {}
        }
        if self.is_wide(d) {
            let d = self.d64(d)?;
            self.emit(if ty.signed() { Code::SextIL } else { Code::ZextIL }, d, t, 0, 0);
        } else {
            let d = self.d32(d)?;
            self.emit(Code::MovI, d, t, 0, 0);
        }
        Ok(())
    }

    fn store_param(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Some(ty) = i.types().last() else { return self.bad("`st.param` needs a type") };
        let Operand::Memory { base: Some(name), offset } = *self.operand(i, 0)? else {
            return self.bad("`st.param` needs a parameter");
        };
        let Some(Local::Param { row, bytes }) = self.lookup(name) else {
            return self.bad(format!("no parameter `{name}` to store to"));
        };
        let value = self.operand(i, 1)?.clone();
        let parts = if let Operand::Vector(parts) = value { parts } else { vec![value] };
        for (n, part) in parts.iter().enumerate() {
            let at = offset.wrapping_add(n as i64 * i64::from(ty.bytes()));
            let (row, shift) = self.param_word(row, bytes, at, ty)?;
            match ty.bytes() {
                8 => {
                    let a = self.r64(part)?;
                    self.emit(Code::LowLI, row, a, 0, 0);
                    self.emit(Code::HighLI, row + 1, a, 0, 0);
                }
                4 => {
                    let a = self.r32(part)?;
                    self.emit(Code::MovI, row, a, 0, 0);
                }
                n => {
                    let a = self.r32(part)?;
                    let bits = u64::from((1_u32 << (n * 8)) - 1) << shift;
                    let (keep, mask) = (
                        self.constant32(Constant::Bits(!bits & 0xffff_ffff)),
                        self.constant32(Constant::Bits(bits)),
                    );
                    let (s, t) = (self.constant32(Constant::Bits(u64::from(shift))), self.temp32());
                    self.emit(Code::ShlI, t, a, s, 0);
                    self.emit(Code::AndI, t, t, mask, 0);
                    self.emit(Code::AndI, row, row, keep, 0);
                    self.emit(Code::OrI, row, row, t, 0);
                }
            }
        }
        Ok(())
    }

    // ---- memory ----

    fn space(&mut self, i: &Instruction<'a>) -> Result<MemSpace, Error> {
        Ok(if i.has("global") || i.has("const") {
            MemSpace::Global
        } else if i.has("shared") || i.has("shared::cta") {
            MemSpace::Shared
        } else if i.has("local") {
            MemSpace::Local
        } else if i.has("shared::cluster") {
            return self.unsupported("shared memory of another block");
        } else {
            MemSpace::Generic
        })
    }

    fn memory_op(&mut self, i: &Instruction<'a>, memory: &Operand<'a>) -> Result<MemOp, Error> {
        let Some(ty) = i.types().last() else {
            return self.bad(format!("`{}` needs a type", i.name));
        };
        if ty == Type::B128 {
            return self.unsupported(format!("`{}`", i.name));
        }
        let vector = if i.has("v2") {
            2
        } else if i.has("v4") {
            4
        } else {
            1
        };
        if i.has("v8") {
            return self.unsupported(format!("`{}`", i.name));
        }
        let Operand::Memory { base, offset } = memory else {
            return self.bad("expected `[address]`");
        };
        let address = match base {
            None => Address::Row64(self.constant64(Constant::Bits(0))),
            Some(name) => match self.lookup(name) {
                Some(Local::Register(Row::R64(row), _)) => Address::Row64(row),
                Some(Local::Register(Row::R32(row), _)) => Address::Row32(row),
                _ => Address::Row64(self.r64(&Operand::Name(name))?),
            },
        };
        let strong = ["volatile", "relaxed", "acquire", "release", "mmio"].iter().any(|m| i.has(m));
        self.func.talks |= strong;
        Ok(MemOp {
            space: self.space(i)?,
            width: ty.bytes(),
            vector,
            signed: ty.signed(),
            wide: false,
            rows: [u32::MAX; 4],
            address,
            offset: *offset,
            strong,
            atomic: None,
            b: 0,
            c: 0,
            pc: 0,
        })
    }

    fn load(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, memory) = (self.operand(i, 0)?.clone(), self.operand(i, 1)?);
        let mut op = self.memory_op(i, memory)?;
        let parts = if let Operand::Vector(parts) = d { parts } else { vec![d] };
        if parts.len() != op.vector as usize {
            return self.bad(format!("`{}` needs {} registers", i.name, op.vector));
        }
        op.wide = parts.iter().any(|p| self.is_wide(p));
        for (row, part) in op.rows.iter_mut().zip(&parts) {
            if *part != Operand::Sink {
                *row = if op.wide { self.d64(part)? } else { self.d32(part)? };
            }
        }
        if op.width == 8 && !op.wide && parts.iter().any(|p| *p != Operand::Sink) {
            return self.bad("an 8-byte load needs 64-bit registers");
        }
        self.emit_memory(Code::Load, op);
        Ok(())
    }

    fn store(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (memory, value) = (self.operand(i, 0)?, self.operand(i, 1)?.clone());
        let mut op = self.memory_op(i, memory)?;
        let parts = if let Operand::Vector(parts) = value { parts } else { vec![value] };
        if parts.len() != op.vector as usize {
            return self.bad(format!("`{}` needs {} values", i.name, op.vector));
        }
        op.wide = op.width == 8;
        for (row, part) in op.rows.iter_mut().zip(&parts) {
            *row = if op.wide { self.r64(part)? } else { self.r32(part)? };
        }
        self.emit_memory(Code::Store, op);
        Ok(())
    }

    fn atomic(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let red = i.root() == "red";
        let first = usize::from(!red);
        let memory = self.operand(i, first)?;
        let mut op = self.memory_op(i, memory)?;
        let Some(ty) = i.types().last() else { return self.bad("an atomic needs a type") };
        let Some(name) = i.modifiers().find(|m| {
            matches!(
                *m,
                "add" | "and" | "or" | "xor" | "exch" | "cas" | "inc" | "dec" | "min" | "max"
            )
        }) else {
            return self.unsupported(format!("`{}`", i.name));
        };
        let kind = match (name, ty) {
            ("add", Type::F32) => AtomicOp::AddF,
            ("add", Type::F64) => AtomicOp::AddD,
            (_, t) if t.float() || !matches!(t.bytes(), 4 | 8) || i.has("v2") || i.has("v4") => {
                return self.unsupported(format!("`{}`", i.name));
            }
            ("add", _) => AtomicOp::Add,
            ("and", _) => AtomicOp::And,
            ("or", _) => AtomicOp::Or,
            ("xor", _) => AtomicOp::Xor,
            ("exch", _) => AtomicOp::Exch,
            ("cas", _) => AtomicOp::Cas,
            ("inc", _) => AtomicOp::Inc,
            ("dec", _) => AtomicOp::Dec,
            ("min", t) if t.signed() => AtomicOp::MinS,
            ("min", _) => AtomicOp::MinU,
            (_, t) if t.signed() => AtomicOp::MaxS,
            _ => AtomicOp::MaxU,
        };
        op.wide = op.width == 8;
        op.strong = true;
        if !red {
            let d = self.operand(i, 0)?;
            if *d != Operand::Sink {
                op.rows[0] = if op.wide { self.d64(d)? } else { self.d32(d)? };
            }
        }
        let b = self.operand(i, first + 1)?;
        op.b = if op.wide { self.r64(b)? } else { self.r32(b)? };
        if kind == AtomicOp::Cas {
            let c = self.operand(i, first + 2)?;
            op.c = if op.wide { self.r64(c)? } else { self.r32(c)? };
        }
        op.atomic = Some(kind);
        self.program.has_atomics = true;
        // nvcc keeps a destination register also for results that nobody uses
        self.program.ordered_atomics |=
            matches!(kind, AtomicOp::AddF | AtomicOp::AddD | AtomicOp::Exch | AtomicOp::Cas)
                || !red;
        self.emit_memory(Code::Atomic, op);
        Ok(())
    }

    // ---- synchronisation ----

    fn barrier(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        if i.has("warp") {
            let mask = self.operand(i, 0)?;
            let mask = self.r32(mask)?;
            return self.emit_collective(CollectiveOp::new(CollectiveKind::Sync, mask));
        }
        if i.has("cluster") {
            return self.unsupported("cluster barriers");
        }
        let reduce = i.has("red");
        let first = usize::from(reduce);
        let id = self.operand(i, first)?;
        let id = self.r32(id)?;
        let mut op = BarrierOp { id, count: None, waits: !i.has("arrive"), reduce: None };
        let counts = i.operands.len() - first - usize::from(reduce);
        if counts == 2 {
            let count = self.operand(i, first + 1)?;
            op.count = Some(self.r32(count)?);
        }
        if reduce {
            let kind = if i.has("popc") {
                ReduceKind::Popc
            } else if i.has("and") {
                ReduceKind::And
            } else {
                ReduceKind::Or
            };
            let (d, source) = (self.operand(i, 0)?, self.operand(i, i.operands.len() - 1)?);
            let d = if kind == ReduceKind::Popc { self.d32(d)? } else { self.dp(d)? };
            let source = self.pred(source)?;
            op.reduce = Some(Reduce { kind, source, d });
        }
        self.program.barriers.push(op);
        self.emit(Code::Barrier, self.program.barriers.len() as u32 - 1, 0, 0, 0);
        // threads wait behind the barrier: they may meet others there
        self.open_block();
        Ok(())
    }

    fn emit_collective(&mut self, op: CollectiveOp) -> Result<(), Error> {
        // lanes wait for each other at the operation itself
        if op.kind != CollectiveKind::ActiveMask {
            self.open_block();
        }
        self.program.collectives.push(op);
        self.emit(Code::Collective, self.program.collectives.len() as u32 - 1, 0, 0, 0);
        Ok(())
    }

    fn collective(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        use CollectiveKind as K;
        let root = i.root();
        if root == "activemask" {
            let d = self.operand(i, 0)?;
            let mask = self.constant32(Constant::Bits(0));
            let mut op = CollectiveOp::new(K::ActiveMask, mask);
            op.d = self.d32(d)?;
            return self.emit_collective(op);
        }
        if !i.has("sync") {
            return self.unsupported(format!(
                "`{}` without `.sync`, which PTX removed for this target",
                i.name
            ));
        }
        let kind = match (root, i.modifiers().find(|m| *m != "sync").unwrap_or_default()) {
            ("shfl", "up") => K::ShflUp,
            ("shfl", "down") => K::ShflDown,
            ("shfl", "bfly") => K::ShflBfly,
            ("shfl", "idx") => K::ShflIdx,
            ("vote", "all") => K::VoteAll,
            ("vote", "any") => K::VoteAny,
            ("vote", "uni") => K::VoteUni,
            ("vote", "ballot") => K::VoteBallot,
            ("match", "any") => {
                if i.has("b64") {
                    K::MatchAny64
                } else {
                    K::MatchAny32
                }
            }
            ("match", "all") => {
                if i.has("b64") {
                    K::MatchAll64
                } else {
                    K::MatchAll32
                }
            }
            ("redux", "add") => K::ReduxAdd,
            ("redux", "min") => {
                if i.has("s32") {
                    K::ReduxMinS
                } else {
                    K::ReduxMinU
                }
            }
            ("redux", "max") => {
                if i.has("s32") {
                    K::ReduxMaxS
                } else {
                    K::ReduxMaxU
                }
            }
            ("redux", "and") => K::ReduxAnd,
            ("redux", "or") => K::ReduxOr,
            ("redux", "xor") => K::ReduxXor,
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let mask = self.operand(i, i.operands.len().saturating_sub(1))?;
        let mask = self.r32(mask)?;
        let mut op = CollectiveOp::new(kind, mask);
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        match d {
            Operand::Pair(d, p) => {
                op.d = self.d32(&Operand::Name(d))?;
                op.p = Some(self.dp(&Operand::Name(p))?);
            }
            _ if matches!(kind, K::VoteAll | K::VoteAny | K::VoteUni) => op.d = self.dp(d)?,
            _ => op.d = self.d32(d)?,
        }
        match root {
            "vote" => op.a = self.pred(a)?,
            "match" if matches!(kind, K::MatchAny64 | K::MatchAll64) => op.a = self.r64(a)?,
            _ => op.a = self.r32(a)?,
        }
        if root == "shfl" {
            let (b, c) = (self.operand(i, 2)?, self.operand(i, 3)?);
            op.b = self.r32(b)?;
            op.c = self.r32(c)?;
        }
        self.emit_collective(op)
    }

    // ---- calls ----

    fn call(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let mut operands = i.operands.iter();
        let mut next = operands.next();
        let mut results = vec![];
        if let Some(Operand::List(all)) = next {
            results = self.param_list(all)?;
            next = operands.next();
        }
        let Some(Operand::Name(name)) = next else { return self.bad("`call` needs a function") };
        let args = match operands.next() {
            Some(Operand::List(all)) => self.param_list(all)?,
            _ => vec![],
        };
        let target = match (self.lookup(name), *name) {
            (Some(Local::Symbol(Symbol::Function(f))), _) => Target::Function(f),
            (Some(Local::Register(Row::R64(row), _)), _) => Target::Indirect(row),
            (_, "vprintf") => Target::Printf,
            (_, "malloc") => Target::Malloc,
            (_, "free") => Target::Free,
            (_, "__assertfail") => Target::AssertFail,
            _ => {
                return self
                    .unsupported(format!("calls of `{}`", crate::demangle::qualified_name(name)));
            }
        };
        self.program.calls.push(CallOp { target, args, results });
        self.emit(Code::Call, self.program.calls.len() as u32 - 1, 0, 0, 0);
        self.open_block();
        Ok(())
    }

    fn param_list(&self, all: &[Operand<'a>]) -> Result<Vec<(u32, u32)>, Error> {
        all.iter()
            .map(|o| match o {
                Operand::Name(name) => match self.lookup(name) {
                    Some(Local::Param { row, bytes }) => Ok((row, bytes.div_ceil(4).max(1))),
                    _ => self.bad(format!("`{name}` is not a call parameter")),
                },
                _ => self.unsupported("calls with registers as parameters"),
            })
            .collect()
    }
}

impl CollectiveOp {
    const fn new(kind: CollectiveKind, mask: u32) -> Self {
        Self { kind, mask, d: 0, p: None, a: 0, b: 0, c: 0 }
    }
}

fn special(name: &str) -> Option<Special> {
    let axis = |n: &str| match n {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    let (stem, dim) = name.split_once('.').unwrap_or((name, ""));
    Some(match stem {
        "%tid" => Special::Tid(axis(dim)?),
        "%ntid" => Special::Ntid(axis(dim)?),
        "%ctaid" => Special::Ctaid(axis(dim)?),
        "%nctaid" => Special::Nctaid(axis(dim)?),
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::NWarpId,
        "%smid" => Special::SmId,
        "%nsmid" => Special::NSmId,
        "%gridid" => Special::GridId,
        "%lanemask_eq" => Special::MaskEq,
        "%lanemask_le" => Special::MaskLe,
        "%lanemask_lt" => Special::MaskLt,
        "%lanemask_ge" => Special::MaskGe,
        "%lanemask_gt" => Special::MaskGt,
        "%dynamic_smem_size" => Special::DynamicSmemSize,
        _ => return None,
    })
}
