//! Decodes moves, address conversions, and the parameters of kernels and calls.

use super::Symbol;
use super::function::{Decoder, Local, Row};
use super::op::{Code, Constant};
use super::origin::Window;
use crate::Error;
use crate::address::{LOCAL_SLOT, SHARED_SLOT, base, split};
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    pub(super) fn mov(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let Some(ty) = i.types().last() else { return self.bad("`mov` needs a type") };
        if i.has("v2") || i.has("v4") {
            return self.mov_elements(i, ty, d, a);
        }
        match (d, a) {
            (Operand::Vector(parts), _) => return self.unpack(ty, parts, a),
            (_, Operand::Vector(parts)) => return self.pack(ty, d, parts),
            _ => {}
        }
        self.check_mov(i, ty, d, a)?;
        if ty == Type::B128 {
            let (Some(d), Some(a)) = (self.wide_pair(d), self.wide_pair(a)) else {
                return self.bad("`mov.b128` needs two registers of 128 bits");
            };
            for half in 0..2 {
                self.emit(Code::MovL, d + half, a + half, 0, 0);
            }
            return Ok(());
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
            // the clock advances at block boundaries, so the next reading needs a new block
            self.open_block();
        } else {
            let (d, a) = (self.d32(d)?, self.r32(a)?);
            let narrow = ty.bytes() == 2;
            self.emit(if narrow { Code::ZextH } else { Code::MovI }, d, a, 0, 0);
        }
        Ok(())
    }

    /// `mov.v2.u32 {%r1, %r2}, {%r3, %r4}`. The sources may be among the destinations.
    fn mov_elements(
        &mut self,
        i: &Instruction<'a>,
        ty: Type,
        d: &Operand<'a>,
        a: &Operand<'a>,
    ) -> Result<(), Error> {
        let count = if i.has("v2") { 2 } else { 4 };
        let (Operand::Vector(to), Operand::Vector(from)) = (d, a) else {
            return self.bad(format!("`{}` needs {count} values on each side", i.name));
        };
        if to.len() != count || from.len() != count || ty == Type::Pred || ty.bytes() > 8 {
            return self.bad(format!("`{}` needs {count} values on each side", i.name));
        }
        for (d, a) in to.iter().zip(from) {
            self.check_mov(i, ty, d, a)?;
        }
        let wide = ty.bytes() == 8;
        let mut values = vec![];
        for a in from {
            let t = if wide { self.temp64() } else { self.temp32() };
            let a = if wide { self.r64(a)? } else { self.r32(a)? };
            self.emit(if wide { Code::MovL } else { Code::MovI }, t, a, 0, 0);
            values.push(t);
        }
        for (d, value) in to.iter().zip(values) {
            let d = if wide { self.d64(d)? } else { self.d32(d)? };
            self.emit(if wide { Code::MovL } else { Code::MovI }, d, value, 0, 0);
        }
        Ok(())
    }

    /// The first of the two rows of a 128-bit register.
    pub(super) fn wide_pair(&self, operand: &Operand<'a>) -> Option<u32> {
        match self.named(operand) {
            Some(Local::Register(Row::R64(row), Type::B128)) => Some(row),
            _ => None,
        }
    }

    /// `mov.b64 {%r1, %r2}, %rd1`, `mov.b32 {%rs1, %rs2}, %r1`, `mov.b64 {%rs1 .. %rs4}, %rd1`.
    pub(super) fn unpack(
        &mut self,
        ty: Type,
        parts: &[Operand<'a>],
        a: &Operand<'a>,
    ) -> Result<(), Error> {
        self.check_parts(ty, parts, a)?;
        if let Some(whole) = self.wide_pair(a) {
            if let [a, b] = parts {
                for (half, part) in [a, b].into_iter().enumerate() {
                    let d = self.d64(part)?;
                    self.emit(Code::MovL, d, whole + half as u32, 0, 0);
                }
                return Ok(());
            }
            return self.bad("`mov.b128` has two parts of 64 bits");
        }
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
            return self.bad(format!("`mov.{}` has no {} parts", ty.name(), parts.len()));
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

    pub(super) fn pack(
        &mut self,
        ty: Type,
        d: &Operand<'a>,
        parts: &[Operand<'a>],
    ) -> Result<(), Error> {
        self.check_parts(ty, parts, d)?;
        if let Some(whole) = self.wide_pair(d) {
            let [a, b] = parts else { return self.bad("`mov.b128` has two parts of 64 bits") };
            let (a, b, t) = (self.r64(a)?, self.r64(b)?, self.temp64());
            self.emit(Code::MovL, t, b, 0, 0);
            self.emit(Code::MovL, whole, a, 0, 0);
            self.emit(Code::MovL, whole + 1, t, 0, 0);
            return Ok(());
        }
        let words = if ty.bytes() == 8 { 2 } else { 1 };
        let per = parts.len() / words;
        if !matches!(per, 1 | 2 | 4) || per * words != parts.len() {
            return self.bad(format!("`mov.{}` has no {} parts", ty.name(), parts.len()));
        }
        let mut rows = vec![];
        for word in parts.chunks(per) {
            let whole = self.temp32();
            for (n, part) in word.iter().enumerate() {
                let a = self.r32(part)?;
                if n == 0 {
                    // the row of a narrow register may be sign-extended
                    let cut = [Code::MovI, Code::ZextH, Code::ZextB][per / 2];
                    self.emit(cut, whole, a, 0, 0);
                } else {
                    let (shift, t) =
                        (self.constant32(Constant::Bits((n * 32 / per) as u64)), self.temp32());
                    self.emit(if per == 2 { Code::ZextH } else { Code::ZextB }, t, a, 0, 0);
                    self.emit(Code::ShlI, t, t, shift, 0);
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

    /// Generic addresses of global memory are its global addresses; shared and local memory are
    /// windows.
    pub(super) fn cvta(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        // a parameter of a function is in local memory
        let local = match a {
            Operand::Name(name) | Operand::Offset(name, _) => {
                self.spilled.contains_key(name) || self.origins.window(name) == Some(Window::Local)
            }
            _ => false,
        };
        let param = i.modifiers().any(|m| m.starts_with("param"));
        let window = if i.modifiers().any(|m| m.starts_with("shared")) {
            base(SHARED_SLOT)
        } else if i.has("local") || param && local {
            base(LOCAL_SLOT)
        } else {
            0
        };
        let to = i.has("to");
        let fits = match a {
            Operand::Name(name) | Operand::Offset(name, _) => match self.lookup(name) {
                Some(Local::Register(_, register)) => Type::U64.agrees_with(register),
                // the operand is an address in that space
                Some(Local::Symbol(Symbol::Shared(_) | Symbol::DynamicShared)) => {
                    i.modifiers().any(|m| m.starts_with("shared"))
                }
                Some(Local::Symbol(Symbol::Variable(v))) => {
                    i.has(if self.program.variables[v].constant { "const" } else { "global" })
                }
                Some(Local::Stack(_)) => i.has("local"),
                Some(Local::Argument(_) | Local::Param { .. }) => {
                    i.modifiers().any(|m| m.starts_with("param"))
                }
                _ => true,
            },
            _ => true,
        };
        if !fits {
            return self.bad(format!("operand 2 of `{}` is no address of that space", i.name));
        }
        let (d, a) = (self.d64(d)?, self.r64(a)?);
        if window == 0 {
            self.emit(Code::MovL, d, a, 0, 0);
        } else {
            let w = self.constant64(Constant::Bits(window));
            self.emit(if to { Code::SubL } else { Code::AddL }, d, a, w, 0);
        }
        Ok(())
    }

    /// Whether a generic address is in the window of a state space. All addresses outside the
    /// windows are global.
    pub(super) fn isspacep(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let code = match i.modifiers().next() {
            Some("global") => {
                Code::Narrow(|a| u32::from(!matches!(split(a).0, SHARED_SLOT | LOCAL_SLOT)))
            }
            Some("local") => Code::Narrow(|a| u32::from(split(a).0 == LOCAL_SLOT)),
            Some("shared" | "shared::cta" | "shared::cluster") => {
                Code::Narrow(|a| u32::from(split(a).0 == SHARED_SLOT))
            }
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let (p, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (p, a, t, zero) =
            (self.dp(p)?, self.r64(a)?, self.temp32(), self.constant32(Constant::Bits(0)));
        self.emit(code, t, a, 0, 0);
        self.emit(Code::NeI, p, t, zero, 0);
        Ok(())
    }

    pub(super) fn load_param(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
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
                // an address of a kernel's parameter
                Some(Local::Register(..)) => return self.load(i),
                _ => return self.bad(format!("no parameter `{name}`")),
            }
        }
        Ok(())
    }

    pub(super) fn param_word(
        &self,
        row: u32,
        bytes: u32,
        at: i64,
        ty: Type,
    ) -> Result<(u32, u32), Error> {
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

    pub(super) fn load_param_word(
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

    pub(super) fn store_param(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
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
}
