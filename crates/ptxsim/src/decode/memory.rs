//! Decodes loads, stores and atomics.

use super::function::{Decoder, Local, Row};
use super::op::{Address, AtomicOp, Code, Constant, MemOp, MemSpace, Scope};
use super::origin::Window;
use crate::Error;
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    pub(super) fn space(&mut self, i: &Instruction<'a>) -> Result<MemSpace, Error> {
        Ok(if i.has("global") {
            MemSpace::Global
        } else if i.has("const") {
            MemSpace::Constant
        } else if i.modifiers().any(|m| m.starts_with("shared")) {
            // a block is a cluster of its own
            MemSpace::Shared
        } else if i.has("local") {
            MemSpace::Local
        } else {
            MemSpace::Generic
        })
    }

    pub(super) fn memory_op(
        &mut self,
        i: &Instruction<'a>,
        memory: &Operand<'a>,
    ) -> Result<MemOp, Error> {
        let Some(ty) = i.types().last() else {
            return self.bad(format!("`{}` needs a type", i.name));
        };
        let atomic = matches!(i.root(), "atom" | "red");
        if i.has("v8") && !atomic || ty == Type::B128 && (i.has("v2") || i.has("v4")) {
            return self.unsupported(format!("`{}`", i.name));
        }
        // 128 bits are two elements of 64
        let (width, vector) = match ty.bytes() {
            16 => (8, 2),
            bytes if i.has("v2") => (bytes, 2),
            bytes if i.has("v4") => (bytes, 4),
            bytes => (bytes, 1),
        };
        let strong = ["volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"]
            .iter()
            .any(|m| i.has(m));
        self.func.communicates |= strong;
        let (acquire, release) =
            ["acquire", "release"].map(|m| i.has(m) || i.has("acq_rel")).into();
        self.func.syncs |= acquire || release;
        let space = self.space(i)?;
        Ok(MemOp {
            signed: ty.signed(),
            strong,
            volatile: i.has("volatile"),
            read_only: i.has("nc"),
            scope: scope(i),
            acquire,
            release,
            ..self.memory_at(memory, space, width, vector)?
        })
    }

    /// A plain access of `vector` elements of `width` bytes. The caller fills in the registers.
    pub(super) fn memory_at(
        &mut self,
        memory: &Operand<'a>,
        space: MemSpace,
        width: u32,
        vector: u32,
    ) -> Result<MemOp, Error> {
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
        let space = match base.and_then(|name| self.origins.window(name)) {
            Some(Window::Shared) if space == MemSpace::Generic => MemSpace::Shared,
            Some(Window::Local) if space == MemSpace::Generic => MemSpace::Local,
            _ => space,
        };
        let array = match base {
            Some(name) if space != MemSpace::Global => self.shared_array(name),
            _ => u32::MAX,
        };
        let parameter = base.and_then(|name| self.parameters.behind(name));
        let op = self.memory_op_at(address, space, width);
        Ok(MemOp { vector, offset: *offset, array, parameter, ..op })
    }

    /// A plain access of one element at the address in a row.
    pub(super) const fn memory_op_at(
        &self,
        address: Address,
        space: MemSpace,
        width: u32,
    ) -> MemOp {
        MemOp {
            space,
            width,
            vector: 1,
            signed: false,
            wide: false,
            rows: [u32::MAX; 4],
            address,
            offset: 0,
            strong: false,
            volatile: false,
            read_only: false,
            scope: Scope::Gpu,
            acquire: false,
            release: false,
            atomic: None,
            at_barrier: false,
            waits: None,
            by_one: false,
            observation: None,
            unused: None,
            b: 0,
            c: 0,
            array: u32::MAX,
            parameter: None,
            pc: 0,
        }
    }

    /// The shared variable that the address in a register was computed from, or [`u32::MAX`].
    fn shared_array(&self, register: &str) -> u32 {
        let variable = self.origins.variable(register);
        // a function's own variable hides the module's
        let of = |symbol| self.program.shared.iter().rposition(|v| v.symbol == symbol);
        variable.and_then(of).and_then(|v| u32::try_from(v).ok()).unwrap_or(u32::MAX)
    }

    pub(super) fn load(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, memory) = (self.operand(i, 0)?.clone(), self.operand(i, 1)?);
        let mut op = self.memory_op(i, memory)?;
        if let Some(whole) = self.wide_pair(&d) {
            op.wide = true;
            (op.rows[0], op.rows[1]) = (whole, whole + 1);
            self.emit_memory(Code::Load, op);
            return Ok(());
        }
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

    pub(super) fn store(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (memory, value) = (self.operand(i, 0)?, self.operand(i, 1)?.clone());
        let mut op = self.memory_op(i, memory)?;
        if let Some(whole) = self.wide_pair(&value) {
            op.wide = true;
            (op.rows[0], op.rows[1]) = (whole, whole + 1);
            self.emit_memory(Code::Store, op);
            return Ok(());
        }
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

    /// An atomic; those of several elements are one after the other, because only each element is
    /// updated atomically (PTX ISA, "atom").
    pub(super) fn atomic(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let first = usize::from(i.root() == "atom");
        let Some(count) = [("v2", 2), ("v4", 4), ("v8", 8)].iter().find(|(v, _)| i.has(v)) else {
            return self.atomic_element(i);
        };
        let elements = |n: usize| match i.operands.get(n) {
            Some(Operand::Vector(all)) if all.len() == count.1 => Some(all.as_slice()),
            _ => None,
        };
        let (Some(sources), Some(Operand::Memory { base, offset }), results) =
            (elements(first + 1), i.operands.get(first), elements(0).filter(|_| first == 1))
        else {
            return self.bad(format!("`{}` needs {} values in braces", i.name, count.1));
        };
        if first == 1 && results.is_none() && i.operands.first() != Some(&Operand::Sink) {
            return self.bad(format!("`{}` needs {} registers in braces", i.name, count.1));
        }
        let bytes = i.types().last().map_or(0, Type::bytes);
        for (n, source) in sources.iter().enumerate() {
            let memory = Operand::Memory {
                base: *base,
                offset: offset.wrapping_add(n as i64 * i64::from(bytes)),
            };
            let result = results.map_or(Operand::Sink, |all| all[n].clone());
            let mut operands = if first == 1 { vec![result] } else { vec![] };
            operands.extend([memory, source.clone()]);
            self.atomic_element(&Instruction { operands, ..i.clone() })?;
        }
        Ok(())
    }

    fn atomic_element(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let red = i.root() == "red";
        let first = usize::from(!red);
        let memory = self.operand(i, first)?;
        let mut op = self.memory_op(i, memory)?;
        op.vector = 1;
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
            ("add", Type::F16) => AtomicOp::AddH,
            ("add", Type::F16x2) => AtomicOp::AddH2,
            ("add", Type::Bf16) => AtomicOp::AddB,
            ("add", Type::Bf16x2) => AtomicOp::AddB2,
            ("cas", Type::B16) => AtomicOp::Cas,
            (_, t) if t.float() || !matches!(t.bytes(), 4 | 8) => {
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
        op.by_one = *b == Operand::Int(1);
        op.b = if op.wide { self.r64(b)? } else { self.r32(b)? };
        if kind == AtomicOp::Cas {
            let c = self.operand(i, first + 2)?;
            op.c = if op.wide { self.r64(c)? } else { self.r32(c)? };
        }
        op.atomic = Some(kind);
        self.emit_memory(Code::Atomic, op);
        Ok(())
    }
}

/// The scope that an instruction names; volatile accesses, and atomics that name none, are for the
/// whole device (PTX ISA, "ld.volatile", "atom").
pub(super) fn scope(i: &Instruction<'_>) -> Scope {
    if i.has("cta") || i.has("cluster") { Scope::Cta } else { Scope::Gpu }
}
