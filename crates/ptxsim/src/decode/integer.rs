//! Integer arithmetic, logic, bit fields, carries.

use super::function::Decoder;
use super::op::{Code, Constant};
use crate::Error;
use crate::arith::bits::{self, Overshoot, Permute};
use crate::arith::int;
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    /// Integer instructions of up to 32 bits. `.s16` and `.u16` sources are extended first, results
    /// cut.
    pub(super) fn int32(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
        let narrow = ty.bytes() < 4;
        let signed = ty.signed();
        let code = match i.root() {
            // 64-bit sources with a 32-bit result
            "popc" | "clz" | "brev" | "bfind" if ty.bytes() == 8 => return self.int64(i, ty),
            "add" if i.has("sat") => Code::Bin32(|a, b| (a as i32).saturating_add(b as i32) as u32),
            "sub" if i.has("sat") => Code::Bin32(|a, b| (a as i32).saturating_sub(b as i32) as u32),
            "add" => Code::AddI,
            "sub" => Code::SubI,
            "mul" if i.has("hi") => match (narrow, signed) {
                (true, false) => Code::Bin32(|a, b| u32::from(int::mul_hi_u16(a as u16, b as u16))),
                (true, true) => Code::Bin32(|a, b| int::mul_hi_s16(a as i16, b as i16) as u32),
                (false, false) => Code::Bin32(int::mul_hi_u32),
                (false, true) => Code::Bin32(|a, b| int::mul_hi_s32(a as i32, b as i32) as u32),
            },
            "mul" => Code::MulI,
            "mad" if i.has("hi") && i.has("sat") => {
                Code::Tern32(|a, b, c| int::mad_hi_sat_s32(a as i32, b as i32, c as i32) as u32)
            }
            "mad" if i.has("hi") && !narrow => {
                if signed {
                    Code::Tern32(|a, b, c| {
                        (int::mul_hi_s32(a as i32, b as i32) as u32).wrapping_add(c)
                    })
                } else {
                    Code::Tern32(|a, b, c| int::mul_hi_u32(a, b).wrapping_add(c))
                }
            }
            "mad" if i.has("hi") && signed => {
                Code::Tern32(|a, b, c| (int::mul_hi_s16(a as i16, b as i16) as u32).wrapping_add(c))
            }
            "mad" if i.has("hi") => Code::Tern32(|a, b, c| {
                u32::from(int::mul_hi_u16(a as u16, b as u16)).wrapping_add(c)
            }),
            "mad" => Code::MadI,
            "mul24" => match (signed, i.has("hi")) {
                (true, false) => Code::Bin32(|a, b| int::mul24_lo_s32(a as i32, b as i32) as u32),
                (true, true) => Code::Bin32(|a, b| int::mul24_hi_s32(a as i32, b as i32) as u32),
                (false, false) => Code::Bin32(int::mul24_lo_u32),
                (false, true) => Code::Bin32(int::mul24_hi_u32),
            },
            "mad24" if i.has("lo") => {
                if signed {
                    Code::Tern32(|a, b, c| {
                        (int::mul24_lo_s32(a as i32, b as i32) as u32).wrapping_add(c)
                    })
                } else {
                    Code::Tern32(|a, b, c| int::mul24_lo_u32(a, b).wrapping_add(c))
                }
            }
            "div" if signed => Code::Bin32(|a, b| int::div_s32(a as i32, b as i32) as u32),
            "div" => Code::Bin32(int::div_u32),
            "rem" if signed => Code::Bin32(|a, b| int::rem_s32(a as i32, b as i32) as u32),
            "rem" => Code::Bin32(int::rem_u32),
            "mad24" if i.has("sat") => {
                Code::Tern32(|a, b, c| int::mad24_hi_sat_s32(a as i32, b as i32, c as i32) as u32)
            }
            "mad24" if signed => Code::Tern32(|a, b, c| {
                (int::mul24_hi_s32(a as i32, b as i32) as u32).wrapping_add(c)
            }),
            "mad24" => Code::Tern32(|a, b, c| int::mul24_hi_u32(a, b).wrapping_add(c)),
            "min" if i.has("relu") => Code::Bin32(|a, b| (a as i32).min(b as i32).max(0) as u32),
            "max" if i.has("relu") => Code::Bin32(|a, b| (a as i32).max(b as i32).max(0) as u32),
            "min" => {
                if signed {
                    Code::MinSI
                } else {
                    Code::MinUI
                }
            }
            "max" => {
                if signed {
                    Code::MaxSI
                } else {
                    Code::MaxUI
                }
            }
            "abs" => Code::Un32(|a| (a as i32).wrapping_abs() as u32),
            "neg" => Code::NegI,
            "and" => Code::AndI,
            "or" => Code::OrI,
            "xor" => Code::XorI,
            "not" => Code::NotI,
            "cnot" => Code::Un32(|a| u32::from(a == 0)),
            "shl" => Code::ShlI,
            "shr" => {
                if signed {
                    Code::ShrSI
                } else {
                    Code::ShrUI
                }
            }
            "popc" => Code::Un32(u32::count_ones),
            "clz" => Code::Un32(u32::leading_zeros),
            "brev" => Code::Un32(u32::reverse_bits),
            "bfind" => match (signed, i.has("shiftamt")) {
                (false, false) => Code::Un32(bits::bfind_u32),
                (true, false) => Code::Un32(|a| bits::bfind_s32(a as i32)),
                (false, true) => Code::Un32(|a| bits::bfind_shift(bits::bfind_u32(a), 31)),
                (true, true) => Code::Un32(|a| bits::bfind_shift(bits::bfind_s32(a as i32), 31)),
            },
            "bfe" if signed => Code::Tern32(|a, b, c| bits::bfe_s32(a as i32, b, c) as u32),
            "bfe" => Code::Tern32(bits::bfe_u32),
            "bfi" => return self.bfi(i, ty),
            "sad" if signed => {
                Code::Tern32(|a, b, c| int::sad_s32(a as i32, b as i32, c as i32) as u32)
            }
            "sad" => Code::Tern32(int::sad_u32),
            "prmt" => Self::permute(i),
            "szext" => match (signed, i.has("clamp")) {
                (false, false) => Code::Bin32(|a, b| bits::szext_u32(a, b, Overshoot::Wrap)),
                (false, true) => Code::Bin32(|a, b| bits::szext_u32(a, b, Overshoot::Clamp)),
                (true, false) => {
                    Code::Bin32(|a, b| bits::szext_s32(a as i32, b, Overshoot::Wrap) as u32)
                }
                (true, true) => {
                    Code::Bin32(|a, b| bits::szext_s32(a as i32, b, Overshoot::Clamp) as u32)
                }
            },
            "bmsk" if i.has("clamp") => Code::Bin32(|a, b| bits::bmsk(a, b, Overshoot::Clamp)),
            "bmsk" => Code::Bin32(|a, b| bits::bmsk(a, b, Overshoot::Wrap)),
            "shf" => {
                let clamp = i.has("clamp");
                match (i.has("l"), clamp) {
                    (true, false) => Code::Tern32(|a, b, c| bits::shf_l(a, b, c, Overshoot::Wrap)),
                    (true, true) => Code::Tern32(|a, b, c| bits::shf_l(a, b, c, Overshoot::Clamp)),
                    (false, false) => Code::Tern32(|a, b, c| bits::shf_r(a, b, c, Overshoot::Wrap)),
                    (false, true) => Code::Tern32(|a, b, c| bits::shf_r(a, b, c, Overshoot::Clamp)),
                }
            }
            "dp4a" | "dp2a" => Self::dot_product(i),
            "fns" => Code::Tern32(|a, b, c| bits::fns(a, b, c as i32)),
            "lop3" => return self.lop3(i),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let d = self.operand(i, 0)?;
        let d = self.d32(d)?;
        let shift = matches!(i.root(), "shl" | "shr");
        let mut rows = [0_u32; 3];
        for (n, row) in rows.iter_mut().enumerate() {
            let Some(operand) = i.operands.get(n + 1) else { continue };
            *row = self.r32(operand)?;
            if narrow && !(shift && n == 1) {
                let t = self.temp32();
                let extend = match (ty.bytes(), signed) {
                    (1, false) => Code::ZextB,
                    (1, true) => Code::SextB,
                    (_, false) => Code::ZextH,
                    (_, true) => Code::SextH,
                };
                self.emit(extend, t, *row, 0, 0);
                *row = t;
            }
        }
        self.emit(code, d, rows[0], rows[1], rows[2]);
        if narrow {
            self.emit(if ty.bytes() == 1 { Code::ZextB } else { Code::ZextH }, d, d, 0, 0);
        }
        Ok(())
    }

    fn dot_product(i: &Instruction<'a>) -> Code {
        let mut signs = i.types().map(Type::signed);
        let signs = (signs.next().unwrap_or_default(), signs.next().unwrap_or_default());
        macro_rules! dot {
            ($function:ident $(, $high:literal)?) => {
                match signs {
                    (false, false) => Code::Tern32(|a, b, c| int::$function(a, b, c, false, false $(, $high)?)),
                    (false, true) => Code::Tern32(|a, b, c| int::$function(a, b, c, false, true $(, $high)?)),
                    (true, false) => Code::Tern32(|a, b, c| int::$function(a, b, c, true, false $(, $high)?)),
                    (true, true) => Code::Tern32(|a, b, c| int::$function(a, b, c, true, true $(, $high)?)),
                }
            };
        }
        match (i.root(), i.has("hi")) {
            ("dp4a", _) => dot!(dp4a),
            (_, false) => dot!(dp2a, false),
            (_, true) => dot!(dp2a, true),
        }
    }

    /// `.u16x2` and `.s16x2`: each half for itself (PTX ISA 8.0, sm_90).
    pub(super) fn pairs(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
        macro_rules! halves {
            ($f:expr) => {
                Code::Bin32(|a, b| {
                    let f: fn(u16, u16) -> u16 = $f;
                    u32::from(f(a as u16, b as u16))
                        | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
                })
            };
        }
        let signed = ty.signed_halves();
        let code = match (i.root(), signed) {
            ("add", true) if i.has("sat") => {
                halves!(|a, b| (a as i16).saturating_add(b as i16) as u16)
            }
            ("add", false) if i.has("sat") => halves!(u16::saturating_add),
            ("add", _) => halves!(u16::wrapping_add),
            ("min", true) if i.has("relu") => {
                halves!(|a, b| (a as i16).min(b as i16).max(0) as u16)
            }
            ("max", true) if i.has("relu") => {
                halves!(|a, b| (a as i16).max(b as i16).max(0) as u16)
            }
            ("min", true) => halves!(|a, b| (a as i16).min(b as i16) as u16),
            ("max", true) => halves!(|a, b| (a as i16).max(b as i16) as u16),
            ("min", false) => halves!(u16::min),
            ("max", false) => halves!(u16::max),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let (d, a, b) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
        let (d, a, b) = (self.d32(d)?, self.r32(a)?, self.r32(b)?);
        self.emit(code, d, a, b, 0);
        Ok(())
    }

    /// `vabsdiff2` and `vabsdiff4` (PTX ISA, "Video Instructions"): distances of the halves or
    /// bytes of two registers, or with `.add` their sum and a third one. An unsigned result holds
    /// every distance, so `.sat` changes nothing.
    pub(super) fn differences(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let parts =
            |o: &Operand<'_>| matches!(o, Operand::Name(n) if n.contains(".b") || n.contains(".h"));
        if i.operands.iter().any(parts) {
            return self.unsupported(format!("`{}` of chosen parts", i.name));
        }
        if i.operands.len() != 4 {
            return self.bad(format!("`{}` has four operands", i.name));
        }
        macro_rules! distances {
            ($function:ident) => {
                match (i.types().last() == Some(Type::S32), i.root() == "vabsdiff2") {
                    (false, false) => Code::Tern32(|a, b, c| bits::$function(a, b, c, 8, false)),
                    (false, true) => Code::Tern32(|a, b, c| bits::$function(a, b, c, 16, false)),
                    (true, false) => Code::Tern32(|a, b, c| bits::$function(a, b, c, 8, true)),
                    (true, true) => Code::Tern32(|a, b, c| bits::$function(a, b, c, 16, true)),
                }
            };
        }
        let code = if i.has("add") { distances!(distance_sum) } else { distances!(distances) };
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (b, c) = (self.operand(i, 2)?, self.operand(i, 3)?);
        let (d, a, b, c) = (self.d32(d)?, self.r32(a)?, self.r32(b)?, self.r32(c)?);
        self.emit(code, d, a, b, c);
        Ok(())
    }

    fn permute(i: &Instruction<'a>) -> Code {
        macro_rules! prmt {
            ($mode:ident) => {
                Code::Tern32(|a, b, c| bits::prmt(a, b, c, Permute::$mode))
            };
        }
        match i.modifiers().last().unwrap_or_default() {
            "f4e" => prmt!(Forward4),
            "b4e" => prmt!(Backward4),
            "rc8" => prmt!(Replicate8),
            "ecl" => prmt!(EdgeLeft),
            "ecr" => prmt!(EdgeRight),
            "rc16" => prmt!(Replicate16),
            _ => prmt!(Generic),
        }
    }

    /// `lop3.b32 d, a, b, c, table`, and `lop3.or.b32 d|p, a, b, c, table, q` with
    /// `p = (d != 0) or q`.
    pub(super) fn lop3(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Operand::Int(table) = *self.operand(i, 4)? else {
            return self.bad("`lop3` needs a constant table");
        };
        let (d, p) = match self.operand(i, 0)? {
            Operand::Pair(d, p) => (Operand::register(d), Some(Operand::register(p))),
            other => (other.clone(), None),
        };
        let (d, a, b, c) =
            (self.d32(&d)?, self.operand(i, 1)?, self.operand(i, 2)?, self.operand(i, 3)?);
        let (a, b, c) = (self.r32(a)?, self.r32(b)?, self.r32(c)?);
        let source = match i.operands.get(5) {
            Some(q) => Some(self.pred(q)?),
            None => None,
        };
        self.emit(Code::Tern32(bits::LOP3[table as usize & 0xff]), d, a, b, c);
        if let Some(p) = p {
            let (p, t, zero) = (self.dp(&p)?, self.temp_pred(), self.constant32(Constant::Bits(0)));
            self.emit(Code::NeI, t, d, zero, 0);
            self.combine(i.modifiers().find(|m| matches!(*m, "and" | "or")), p, t, source);
        }
        Ok(())
    }

    /// `bfi` has four sources: the field is shifted into place and blended.
    pub(super) fn bfi(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
        let (Some(a), Some(b), Some(c), Some(w)) =
            (i.operands.get(1), i.operands.get(2), i.operands.get(3), i.operands.get(4))
        else {
            return self.bad("`bfi` needs four sources");
        };
        let d = self.operand(i, 0)?;
        let (start, width) = (self.r32(c)?, self.r32(w)?);
        if ty.bytes() == 8 {
            let (d, a, b) = (self.d64(d)?, self.r64(a)?, self.r64(b)?);
            let (mask, field, ones) =
                (self.temp64(), self.temp64(), self.constant64(Constant::Bits(u64::MAX)));
            let zero = self.constant64(Constant::Bits(0));
            self.emit(Code::Field64(|a, s, w| bits::bfi_b64(a, 0, s, w)), mask, ones, start, width);
            self.emit(Code::Field64(|a, s, w| bits::bfi_b64(a, 0, s, w)), field, a, start, width);
            let t = self.temp64();
            self.emit(Code::NotL, t, mask, 0, 0);
            self.emit(Code::AndL, t, t, b, 0);
            self.emit(Code::OrL, t, t, field, 0);
            self.emit(Code::OrL, d, t, zero, 0);
        } else {
            let (d, a, b) = (self.d32(d)?, self.r32(a)?, self.r32(b)?);
            let (mask, field, ones) =
                (self.temp32(), self.temp32(), self.constant32(Constant::Bits(0xffff_ffff)));
            self.emit(Code::Tern32(|a, s, w| bits::bfi_b32(a, 0, s, w)), mask, ones, start, width);
            self.emit(Code::Tern32(|a, s, w| bits::bfi_b32(a, 0, s, w)), field, a, start, width);
            let t = self.temp32();
            self.emit(Code::NotI, t, mask, 0, 0);
            self.emit(Code::AndI, t, t, b, 0);
            self.emit(Code::OrI, d, t, field, 0);
        }
        Ok(())
    }

    pub(super) fn int64(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
        let signed = ty.signed();
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let narrow = match i.root() {
            "popc" => Some(Code::Narrow(u64::count_ones)),
            "clz" => Some(Code::Narrow(u64::leading_zeros)),
            "bfind" => Some(match (signed, i.has("shiftamt")) {
                (false, false) => Code::Narrow(bits::bfind_u64),
                (true, false) => Code::Narrow(|a| bits::bfind_s64(a as i64)),
                (false, true) => Code::Narrow(|a| bits::bfind_shift(bits::bfind_u64(a), 63)),
                (true, true) => Code::Narrow(|a| bits::bfind_shift(bits::bfind_s64(a as i64), 63)),
            }),
            _ => None,
        };
        if let Some(code) = narrow {
            let (d, a) = (self.d32(d)?, self.r64(a)?);
            self.emit(code, d, a, 0, 0);
            return Ok(());
        }
        let code = match i.root() {
            "add" => Code::AddL,
            "sub" => Code::SubL,
            "mul" if i.has("hi") && signed => {
                Code::Bin64(|a, b| int::mul_hi_s64(a as i64, b as i64) as u64)
            }
            "mul" if i.has("hi") => Code::Bin64(int::mul_hi_u64),
            "mul" => Code::MulL,
            "mad" if i.has("hi") && signed => {
                Code::Tern64(|a, b, c| (int::mul_hi_s64(a as i64, b as i64) as u64).wrapping_add(c))
            }
            "mad" if i.has("hi") => Code::Tern64(|a, b, c| int::mul_hi_u64(a, b).wrapping_add(c)),
            "mad" => Code::MadL,
            "div" if signed => Code::Bin64(|a, b| int::div_s64(a as i64, b as i64) as u64),
            "div" => Code::Bin64(int::div_u64),
            "rem" if signed => Code::Bin64(|a, b| int::rem_s64(a as i64, b as i64) as u64),
            "rem" => Code::Bin64(int::rem_u64),
            "min" if signed => Code::Bin64(|a, b| (a as i64).min(b as i64) as u64),
            "min" => Code::Bin64(u64::min),
            "max" if signed => Code::Bin64(|a, b| (a as i64).max(b as i64) as u64),
            "max" => Code::Bin64(u64::max),
            "abs" => Code::Un64(|a| (a as i64).wrapping_abs() as u64),
            "neg" => Code::NegL,
            "and" => Code::AndL,
            "or" => Code::OrL,
            "xor" => Code::XorL,
            "not" => Code::NotL,
            "cnot" => Code::Un64(|a| u64::from(a == 0)),
            "brev" => Code::Un64(u64::reverse_bits),
            "sad" if signed => {
                Code::Tern64(|a, b, c| int::sad_s64(a as i64, b as i64, c as i64) as u64)
            }
            "sad" => Code::Tern64(int::sad_u64),
            "shl" | "shr" | "bfe" => {
                let b = self.operand(i, 2)?;
                let (d, a, b) = (self.d64(d)?, self.r64(a)?, self.r32(b)?);
                let code = match (i.root(), signed) {
                    ("shl", _) => Code::ShlL,
                    ("shr", false) => Code::ShrUL,
                    ("shr", true) => Code::ShrSL,
                    (_, false) => Code::Field64(bits::bfe_u64),
                    (_, true) => Code::Field64(|a, b, c| bits::bfe_s64(a as i64, b, c) as u64),
                };
                let c = if i.root() == "bfe" {
                    let c = self.operand(i, 3)?;
                    self.r32(c)?
                } else {
                    0
                };
                self.emit(code, d, a, b, c);
                return Ok(());
            }
            "bfi" => return self.bfi(i, ty),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        self.emit64(i, code)
    }

    pub(super) fn emit64(&mut self, i: &Instruction<'a>, code: Code) -> Result<(), Error> {
        let d = self.operand(i, 0)?;
        let d = self.d64(d)?;
        let mut rows = [0_u32; 3];
        for (n, row) in rows.iter_mut().enumerate() {
            if let Some(operand) = i.operands.get(n + 1) {
                *row = self.r64(operand)?;
            }
        }
        self.emit(code, d, rows[0], rows[1], rows[2]);
        Ok(())
    }

    pub(super) fn wide(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Some(ty) = i.types().last() else { return self.bad("`mul.wide` needs a type") };
        let (d, a, b) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
        if ty.bytes() == 2 {
            // 16 x 16 -> 32
            let extend = if ty.signed() { Code::SextH } else { Code::ZextH };
            let (d, a, b) = (self.d32(d)?, self.r32(a)?, self.r32(b)?);
            let (x, y) = (self.temp32(), self.temp32());
            self.emit(extend, x, a, 0, 0);
            self.emit(extend, y, b, 0, 0);
            if i.root() == "mad" {
                let c = self.operand(i, 3)?;
                let c = self.r32(c)?;
                self.emit(Code::MadI, d, x, y, c);
            } else {
                self.emit(Code::MulI, d, x, y, 0);
            }
            return Ok(());
        }
        let (d, a, b) = (self.d64(d)?, self.r32(a)?, self.r32(b)?);
        if i.root() == "mad" {
            let c = self.operand(i, 3)?;
            let c = self.r64(c)?;
            self.emit(if ty.signed() { Code::MadWideS } else { Code::MadWideU }, d, a, b, c);
        } else {
            self.emit(if ty.signed() { Code::MulWideS } else { Code::MulWideU }, d, a, b, 0);
        }
        Ok(())
    }

    /// Extended-precision arithmetic: the condition code is predicate 0 of the function.
    pub(super) fn carry(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Some(ty) = i.types().last() else { return self.bad("carry arithmetic needs a type") };
        let signed = ty.signed();
        macro_rules! functions {
            ($add:ident, $sub:ident, $lo:ident, $hi_u:ident, $hi_s:ident) => {
                match (i.root(), i.has("hi")) {
                    ("add", _) => |a, b, _, _| int::$add(a, b, false),
                    ("addc", _) => |a, b, _, carry| int::$add(a, b, carry),
                    ("sub", _) => |a, b, _, _| int::$sub(a, b, true),
                    ("subc", _) => |a, b, _, carry| int::$sub(a, b, carry),
                    ("mad", false) => |a, b, c, _| int::$lo(a, b, c, false),
                    ("mad", true) if signed => |a, b, c, _| int::$hi_s(a, b, c, false),
                    ("mad", true) => |a, b, c, _| int::$hi_u(a, b, c, false),
                    (_, false) => int::$lo,
                    (_, true) if signed => int::$hi_s,
                    _ => int::$hi_u,
                }
            };
        }
        let writes = i.has("cc");
        let (d, a, b) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
        if ty.bytes() == 8 {
            let f: fn(u64, u64, u64, bool) -> (u64, bool) = functions!(
                add_carry_64,
                sub_carry_64,
                mad_lo_carry_64,
                mad_hi_carry_u64,
                mad_hi_carry_s64
            );
            let (d, a, b) = (self.d64(d)?, self.r64(a)?, self.r64(b)?);
            let c = match i.operands.get(3) {
                Some(c) => self.r64(c)?,
                None => a,
            };
            self.emit(if writes { Code::Carry64(f) } else { Code::CarryIn64(f) }, d, a, b, c);
            return Ok(());
        }
        let f: fn(u32, u32, u32, bool) -> (u32, bool) = functions!(
            add_carry_32,
            sub_carry_32,
            mad_lo_carry_32,
            mad_hi_carry_u32,
            mad_hi_carry_s32
        );
        let (d, a, b) = (self.d32(d)?, self.r32(a)?, self.r32(b)?);
        let c = match i.operands.get(3) {
            Some(c) => self.r32(c)?,
            None => a,
        };
        self.emit(if writes { Code::Carry(f) } else { Code::CarryIn(f) }, d, a, b, c);
        Ok(())
    }
}
