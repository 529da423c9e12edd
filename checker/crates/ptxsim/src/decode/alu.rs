//! Arithmetic, logic, comparison and conversion instructions to operations.
//!
//! What kernels execute all the time has an operation of its own; the rest goes through function pointers. 16-bit
//! integers are extended, computed in 32 bits and cut again; `.ftz` and `.sat` become operations before and after.

use super::function::Decoder;
use super::op::{Code, Constant};
use crate::Error;
use crate::arith::approx;
use crate::arith::bits::{self, Overshoot, Permute};
use crate::arith::convert::{Convert, Rounding, Scalar};
use crate::arith::float::{self, Round};
use crate::arith::half;
use crate::arith::int;
use crate::arith::soft::Format;
use crate::parse::ast::{Instruction, Operand, Type};

/// `f32` functions on bits.
macro_rules! f1 {
    ($f:expr) => {
        Code::Un32(|a| $f(f32::from_bits(a)).to_bits())
    };
}
macro_rules! f2 {
    ($f:expr) => {
        Code::Bin32(|a, b| $f(f32::from_bits(a), f32::from_bits(b)).to_bits())
    };
}
macro_rules! f3 {
    ($f:expr) => {
        Code::Tern32(|a, b, c| {
            $f(f32::from_bits(a), f32::from_bits(b), f32::from_bits(c)).to_bits()
        })
    };
}
/// `f64` functions on bits.
macro_rules! d1 {
    ($f:expr) => {
        Code::Un64(|a| $f(f64::from_bits(a)).to_bits())
    };
}
macro_rules! d2 {
    ($f:expr) => {
        Code::Bin64(|a, b| $f(f64::from_bits(a), f64::from_bits(b)).to_bits())
    };
}
macro_rules! d3 {
    ($f:expr) => {
        Code::Tern64(|a, b, c| {
            $f(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)).to_bits()
        })
    };
}
/// A function in the rounding mode of the instruction; the first argument is for `.rn`.
macro_rules! rounded {
    ($round:expr, $near:expr, $wrap:ident, |$($x:ident),*| $call:ident) => {
        match $round {
            Round::Near => $near,
            Round::Zero => $wrap!(|$($x),*| float::$call($($x),*, Round::Zero)),
            Round::Down => $wrap!(|$($x),*| float::$call($($x),*, Round::Down)),
            Round::Up => $wrap!(|$($x),*| float::$call($($x),*, Round::Up)),
        }
    };
}
/// 16-bit floats in the low half of a row.
macro_rules! h2 {
    ($f:ident, $format:expr) => {
        match $format {
            Type::F16 => Code::Bin32(|a, b| u32::from(half::$f(a as u16, b as u16, Format::F16))),
            _ => Code::Bin32(|a, b| u32::from(half::$f(a as u16, b as u16, Format::BF16))),
        }
    };
}

impl<'a> Decoder<'_, 'a> {
    /// Decodes an instruction that only computes.
    pub fn arithmetic(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let root = i.root();
        match root {
            "setp" => return self.setp(i),
            "set" => return self.set(i),
            "selp" => return self.selp(i),
            "cvt" => return self.cvt(i),
            "mul" | "mad" if i.has("wide") => return self.wide(i),
            "add" | "sub" | "mad" if i.has("cc") => return self.carry(i),
            "addc" | "subc" | "madc" => return self.carry(i),
            _ => {}
        }
        let Some(ty) = i.types().last() else { return self.unsupported(format!("`{}`", i.name)) };
        match ty {
            Type::Pred => self.logic_pred(i),
            Type::F32 => self.float32(i),
            Type::F64 => self.float64(i),
            Type::F16 | Type::Bf16 => self.float16(i, ty),
            Type::F16x2 | Type::Bf16x2 | Type::B128 => self.unsupported(format!("`{}`", i.name)),
            _ if ty.bytes() == 8 => self.int64(i, ty),
            _ => self.int32(i, ty),
        }
    }

    fn logic_pred(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let code = match i.root() {
            "and" => Code::AndP,
            "or" => Code::OrP,
            "xor" => Code::XorP,
            "not" => Code::NotP,
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (d, a) = (self.dp(d)?, self.pred(a)?);
        let b = if i.root() == "not" {
            a
        } else {
            let b = self.operand(i, 2)?;
            self.pred(b)?
        };
        self.emit(code, d, a, b, 0);
        Ok(())
    }

    // ---- integers ----

    /// Integer instructions of up to 32 bits. `.s16` and `.u16` sources are extended first, results cut.
    fn int32(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
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
            "mad" if i.has("lo") || narrow => Code::MadI,
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
            "prmt" => self.permute(i),
            "shf" => {
                let clamp = i.has("clamp");
                match (i.has("l"), clamp) {
                    (true, false) => Code::Tern32(|a, b, c| bits::shf_l(a, b, c, Overshoot::Wrap)),
                    (true, true) => Code::Tern32(|a, b, c| bits::shf_l(a, b, c, Overshoot::Clamp)),
                    (false, false) => Code::Tern32(|a, b, c| bits::shf_r(a, b, c, Overshoot::Wrap)),
                    (false, true) => Code::Tern32(|a, b, c| bits::shf_r(a, b, c, Overshoot::Clamp)),
                }
            }
            "dp4a" => {
                let mut types = i.types().map(Type::signed);
                match (types.next().unwrap_or_default(), types.next().unwrap_or_default()) {
                    (false, false) => Code::Tern32(|a, b, c| int::dp4a(a, b, c, false, false)),
                    (false, true) => Code::Tern32(|a, b, c| int::dp4a(a, b, c, false, true)),
                    (true, false) => Code::Tern32(|a, b, c| int::dp4a(a, b, c, true, false)),
                    (true, true) => Code::Tern32(|a, b, c| int::dp4a(a, b, c, true, true)),
                }
            }
            "fns" => Code::Tern32(|a, b, c| bits::fns(a, b, c as i32)),
            "lop3" => return self.lop3(i),
            "slct" => return self.unsupported("`slct`"),
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

    fn permute(&self, i: &Instruction<'a>) -> Code {
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

    /// Sum of the minterms that the table names.
    fn lop3(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, table) = (self.operand(i, 0)?, self.operand(i, 4)?);
        let Operand::Int(table) = *table else { return self.bad("`lop3` needs a constant table") };
        let d = self.d32(d)?;
        let [a, b, c] = [1, 2, 3].map(|n| i.operands.get(n));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else {
            return self.bad("`lop3` needs three sources");
        };
        let rows = [self.r32(a)?, self.r32(b)?, self.r32(c)?];
        let (sum, term, t) = (self.temp32(), self.temp32(), self.temp32());
        let zero = self.constant32(Constant::Bits(0));
        self.emit(Code::MovI, sum, zero, 0, 0);
        for minterm in (0..8_u32).filter(|m| table >> m & 1 == 1) {
            let ones = self.constant32(Constant::Bits(0xffff_ffff));
            self.emit(Code::MovI, term, ones, 0, 0);
            for (row, bit) in rows.iter().zip([4, 2, 1]) {
                let source = if minterm & bit != 0 {
                    *row
                } else {
                    self.emit(Code::NotI, t, *row, 0, 0);
                    t
                };
                self.emit(Code::AndI, term, term, source, 0);
            }
            self.emit(Code::OrI, sum, sum, term, 0);
        }
        self.emit(Code::MovI, d, sum, 0, 0);
        Ok(())
    }

    /// `bfi` has four sources: the field is shifted into place and blended.
    fn bfi(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
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

    fn int64(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
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

    fn emit64(&mut self, i: &Instruction<'a>, code: Code) -> Result<(), Error> {
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

    fn wide(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
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
    fn carry(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Some(ty) = i.types().last() else { return self.bad("carry arithmetic needs a type") };
        if ty.bytes() != 4 {
            return self.unsupported(format!("`{}`", i.name));
        }
        let signed = ty.signed();
        let f: fn(u32, u32, u32, bool) -> (u32, bool) = match (i.root(), i.has("hi")) {
            ("add", _) => |a, b, _, _| int::add_carry_32(a, b, false),
            ("addc", _) => |a, b, _, carry| int::add_carry_32(a, b, carry),
            ("sub", _) => |a, b, _, _| int::sub_borrow_32(a, b, false),
            ("subc", _) => |a, b, _, carry| int::sub_borrow_32(a, b, carry),
            ("mad", false) => |a, b, c, _| int::mad_lo_carry_32(a, b, c, false),
            ("mad", true) if signed => |a, b, c, _| int::mad_hi_carry_s32(a, b, c, false),
            ("mad", true) => |a, b, c, _| int::mad_hi_carry_u32(a, b, c, false),
            (_, false) => int::mad_lo_carry_32,
            (_, true) if signed => int::mad_hi_carry_s32,
            _ => int::mad_hi_carry_u32,
        };
        let (d, a, b) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
        let (d, a, b) = (self.d32(d)?, self.r32(a)?, self.r32(b)?);
        let c = match i.operands.get(3) {
            Some(c) => self.r32(c)?,
            None => a,
        };
        self.emit(if i.has("cc") { Code::Carry(f) } else { Code::CarryIn(f) }, d, a, b, c);
        Ok(())
    }

    // ---- floats ----

    fn rounding(i: &Instruction<'a>) -> Round {
        i.modifiers()
            .find_map(|m| match m {
                "rz" => Some(Round::Zero),
                "rm" => Some(Round::Down),
                "rp" => Some(Round::Up),
                "rn" => Some(Round::Near),
                _ => None,
            })
            .unwrap_or(Round::Near)
    }

    fn float32(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let round = Self::rounding(i);
        let approximate = i.has("approx");
        let code = match i.root() {
            "add" => rounded!(round, Code::AddF, f2, |a, b| add_f32),
            "sub" => rounded!(round, Code::SubF, f2, |a, b| sub_f32),
            "mul" => rounded!(round, Code::MulF, f2, |a, b| mul_f32),
            "fma" | "mad" => rounded!(round, Code::FmaF, f3, |a, b, c| fma_f32),
            "div" if approximate => f2!(approx::div),
            "div" if i.has("full") => f2!(approx::div_full),
            "div" => rounded!(round, Code::DivF, f2, |a, b| div_f32),
            "sqrt" if approximate => f1!(approx::sqrt),
            "sqrt" => rounded!(round, Code::SqrtF, f1, |a| sqrt_f32),
            "rcp" if approximate => f1!(approx::rcp),
            "rcp" => rounded!(round, f1!(|a| float::rcp_f32(a, Round::Near)), f1, |a| rcp_f32),
            "rsqrt" => f1!(approx::rsqrt),
            "sin" => f1!(approx::sin),
            "cos" => f1!(approx::cos),
            "lg2" => f1!(approx::lg2),
            "ex2" => f1!(approx::ex2),
            "tanh" => f1!(approx::tanh),
            "min" if i.has("NaN") => f2!(float::min_nan_f32),
            "max" if i.has("NaN") => f2!(float::max_nan_f32),
            "min" => Code::MinF,
            "max" => Code::MaxF,
            "abs" => Code::AbsF,
            "neg" => Code::NegF,
            // PTX: the sign of a, the magnitude of b
            "copysign" => Code::Bin32(|a, b| (a & 0x8000_0000) | (b & 0x7fff_ffff)),
            "testp" => return self.testp(i),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let d = self.operand(i, 0)?;
        let d = self.d32(d)?;
        let ftz = i.has("ftz");
        let mut rows = [0_u32; 3];
        for (row, operand) in rows.iter_mut().zip(i.operands.iter().skip(1)) {
            *row = self.r32(operand)?;
            if ftz {
                let t = self.temp32();
                self.emit(f1!(float::ftz_f32), t, *row, 0, 0);
                *row = t;
            }
        }
        self.emit(code, d, rows[0], rows[1], rows[2]);
        if i.has("sat") {
            self.emit(f1!(float::saturate_f32), d, d, 0, 0);
        }
        if ftz {
            self.emit(f1!(float::ftz_f32), d, d, 0, 0);
        }
        Ok(())
    }

    fn float64(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let round = Self::rounding(i);
        let approximate = i.has("approx");
        let code = match i.root() {
            "add" => rounded!(round, Code::AddD, d2, |a, b| add_f64),
            "sub" => rounded!(round, Code::SubD, d2, |a, b| sub_f64),
            "mul" => rounded!(round, Code::MulD, d2, |a, b| mul_f64),
            "fma" | "mad" => rounded!(round, Code::FmaD, d3, |a, b, c| fma_f64),
            "div" => rounded!(round, Code::DivD, d2, |a, b| div_f64),
            "sqrt" => rounded!(round, Code::SqrtD, d1, |a| sqrt_f64),
            "rcp" if approximate => d1!(approx::rcp_f64),
            "rcp" => rounded!(round, d1!(|a| float::rcp_f64(a, Round::Near)), d1, |a| rcp_f64),
            "rsqrt" if i.has("ftz") => d1!(approx::rsqrt_ftz_f64),
            "rsqrt" => d1!(approx::rsqrt_f64),
            "min" => Code::MinD,
            "max" => Code::MaxD,
            "abs" => Code::AbsD,
            "neg" => Code::NegD,
            "copysign" => Code::Bin64(|a, b| (a & 1 << 63) | (b & !(1 << 63))),
            "testp" => return self.testp(i),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        self.emit64(i, code)
    }

    fn float16(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
        let code = match i.root() {
            "add" => h2!(add16, ty),
            "sub" => h2!(sub16, ty),
            "mul" => h2!(mul16, ty),
            "fma" if ty == Type::F16 => Code::Tern32(|a, b, c| {
                u32::from(half::fma16(a as u16, b as u16, c as u16, Format::F16))
            }),
            "fma" => Code::Tern32(|a, b, c| {
                u32::from(half::fma16(a as u16, b as u16, c as u16, Format::BF16))
            }),
            "neg" => Code::Un32(|a| a ^ 0x8000),
            "abs" => Code::Un32(|a| a & 0x7fff),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let d = self.operand(i, 0)?;
        let d = self.d32(d)?;
        let mut rows = [0_u32; 3];
        for (row, operand) in rows.iter_mut().zip(i.operands.iter().skip(1)) {
            *row = self.r32(operand)?;
        }
        self.emit(code, d, rows[0], rows[1], rows[2]);
        Ok(())
    }

    fn testp(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        self.unsupported(format!("`{}`", i.name))
    }

    // ---- comparison and selection ----

    /// `setp.cmp[.bool][.ftz].type p[|q], a, b[, c]`.
    fn setp(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, q) = match self.operand(i, 0)? {
            Operand::Pair(p, q) => (Operand::Name(p), Some(Operand::Name(q))),
            other => (other.clone(), None),
        };
        let d = self.dp(&d)?;
        let result = self.compare(i, 1)?;
        let combine = i.modifiers().find(|m| matches!(*m, "and" | "or" | "xor"));
        let source = match (combine, i.operands.get(3)) {
            (Some(_), Some(c)) => Some(self.pred(c)?),
            _ => None,
        };
        if let Some(q) = q {
            let q = self.dp(&q)?;
            let t = self.temp_pred();
            self.emit(Code::NotP, t, result, 0, 0);
            self.combine(combine, q, t, source);
        }
        self.combine(combine, d, result, source);
        Ok(())
    }

    fn combine(&mut self, how: Option<&str>, d: u32, a: u32, b: Option<u32>) {
        match (how, b) {
            (Some("and"), Some(b)) => self.emit(Code::AndP, d, a, b, 0),
            (Some("or"), Some(b)) => self.emit(Code::OrP, d, a, b, 0),
            (Some("xor"), Some(b)) => self.emit(Code::XorP, d, a, b, 0),
            _ => self.emit(Code::MovP, d, a, 0, 0),
        }
    }

    /// The comparison of operands `first` and `first + 1`, into a fresh predicate.
    fn compare(&mut self, i: &Instruction<'a>, first: usize) -> Result<u32, Error> {
        let Some(ty) = i.types().last() else { return self.bad("a comparison needs a type") };
        let Some(cmp) = i.modifiers().find(|m| {
            matches!(
                *m,
                "eq" | "ne"
                    | "lt"
                    | "le"
                    | "gt"
                    | "ge"
                    | "lo"
                    | "ls"
                    | "hi"
                    | "hs"
                    | "equ"
                    | "neu"
                    | "ltu"
                    | "leu"
                    | "gtu"
                    | "geu"
                    | "num"
                    | "nan"
            )
        }) else {
            return self.unsupported(format!("`{}`", i.name));
        };
        let (a, b) = (self.operand(i, first)?, self.operand(i, first + 1)?);
        let t = self.temp_pred();
        macro_rules! pick {
            ($($name:literal => $f:ident, $d:ident;)*) => {
                match cmp {
                    $( $name => if ty == Type::F64 { Code::$d } else { Code::$f }, )*
                    _ => return self.unsupported(format!("`{}`", i.name)),
                }
            };
        }
        if ty.float() {
            let code = pick!(
                "eq" => EqF, EqD; "ne" => NeF, NeD; "lt" => LtF, LtD; "le" => LeF, LeD; "gt" => GtF, GtD;
                "ge" => GeF, GeD; "equ" => EquF, EquD; "neu" => NeuF, NeuD; "ltu" => LtuF, LtuD;
                "leu" => LeuF, LeuD; "gtu" => GtuF, GtuD; "geu" => GeuF, GeuD; "num" => NumF, NumD;
                "nan" => NanF, NanD;
            );
            let (a, b) = match ty {
                Type::F64 => (self.r64(a)?, self.r64(b)?),
                Type::F32 => {
                    let mut rows = [self.r32(a)?, self.r32(b)?];
                    if i.has("ftz") {
                        for row in &mut rows {
                            let t = self.temp32();
                            self.emit(f1!(float::ftz_f32), t, *row, 0, 0);
                            *row = t;
                        }
                    }
                    (rows[0], rows[1])
                }
                Type::F16 | Type::Bf16 => {
                    let widen = if ty == Type::F16 {
                        Code::Un32(|a| half::f16_to_f32(a as u16).to_bits())
                    } else {
                        Code::Un32(|a| half::bf16_to_f32(a as u16).to_bits())
                    };
                    let (a, b, x, y) = (self.r32(a)?, self.r32(b)?, self.temp32(), self.temp32());
                    self.emit(widen, x, a, 0, 0);
                    self.emit(widen, y, b, 0, 0);
                    (x, y)
                }
                _ => return self.unsupported(format!("`{}`", i.name)),
            };
            self.emit(code, t, a, b, 0);
            return Ok(t);
        }
        let signed = ty.signed();
        let wide = ty.bytes() == 8;
        macro_rules! int {
            ($l:ident, $i:ident) => {
                if wide { Code::$l } else { Code::$i }
            };
        }
        let code = match (cmp, signed) {
            ("eq", _) => int!(EqL, EqI),
            ("ne", _) => int!(NeL, NeI),
            ("lt", true) => int!(LtSL, LtSI),
            ("le", true) => int!(LeSL, LeSI),
            ("gt", true) => int!(GtSL, GtSI),
            ("ge", true) => int!(GeSL, GeSI),
            ("lt" | "lo", _) => int!(LtUL, LtUI),
            ("le" | "ls", _) => int!(LeUL, LeUI),
            ("gt" | "hi", _) => int!(GtUL, GtUI),
            ("ge" | "hs", _) => int!(GeUL, GeUI),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let (a, b) = if wide {
            (self.r64(a)?, self.r64(b)?)
        } else {
            let mut rows = [self.r32(a)?, self.r32(b)?];
            if ty.bytes() == 2 {
                for row in &mut rows {
                    let x = self.temp32();
                    self.emit(if signed { Code::SextH } else { Code::ZextH }, x, *row, 0, 0);
                    *row = x;
                }
            }
            (rows[0], rows[1])
        };
        self.emit(code, t, a, b, 0);
        Ok(t)
    }

    /// `set.cmp.dtype.stype d, a, b`: all ones or 1.0 where it holds.
    fn set(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Some(to) = i.types().next() else { return self.bad("`set` needs types") };
        let one = match to {
            Type::F32 => 0x3f80_0000,
            Type::F16 => 0x3c00,
            Type::Bf16 => 0x3f80,
            t if t.bytes() == 4 && !t.float() => 0xffff_ffff,
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let p = self.compare(i, 1)?;
        let d = self.operand(i, 0)?;
        let (d, one, zero) = (
            self.d32(d)?,
            self.constant32(Constant::Bits(one)),
            self.constant32(Constant::Bits(0)),
        );
        self.emit(Code::SelI, d, one, zero, p);
        Ok(())
    }

    fn selp(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Some(ty) = i.types().last() else { return self.bad("`selp` needs a type") };
        let (d, a, b, p) =
            (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?, self.operand(i, 3)?);
        let p = self.pred(p)?;
        if ty.bytes() == 8 {
            let (d, a, b) = (self.d64(d)?, self.r64(a)?, self.r64(b)?);
            self.emit(Code::SelL, d, a, b, p);
        } else {
            let (d, a, b) = (self.d32(d)?, self.r32(a)?, self.r32(b)?);
            self.emit(Code::SelI, d, a, b, p);
            if ty.bytes() == 2 {
                self.emit(Code::ZextH, d, d, 0, 0);
            }
        }
        Ok(())
    }

    // ---- conversion ----

    fn cvt(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let mut types = i.types();
        let (Some(to), Some(from)) = (types.next(), types.next()) else {
            return self.bad("`cvt` needs two types");
        };
        let (Some(to_scalar), Some(from_scalar)) = (scalar(to), scalar(from)) else {
            return self.unsupported(format!("`{}`", i.name));
        };
        if i.operands.len() != 2 || i.has("relu") || i.has("satfinite") {
            return self.unsupported(format!("`{}`", i.name));
        }
        let rounding = i.modifiers().find_map(|m| {
            Some(match m {
                "rn" | "rna" => Rounding::Float(Round::Near),
                "rz" => Rounding::Float(Round::Zero),
                "rm" => Rounding::Float(Round::Down),
                "rp" => Rounding::Float(Round::Up),
                "rni" => Rounding::Integer(Round::Near),
                "rzi" => Rounding::Integer(Round::Zero),
                "rmi" => Rounding::Integer(Round::Down),
                "rpi" => Rounding::Integer(Round::Up),
                _ => return None,
            })
        });
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let plain = !i.has("sat") && !i.has("ftz");
        let near = matches!(rounding, None | Some(Rounding::Float(Round::Near)));
        let zero = matches!(rounding, Some(Rounding::Integer(Round::Zero)));
        let hot = match (to, from) {
            (Type::F32, Type::S32) if plain && near => Some(Code::CvtFS),
            (Type::F32, Type::U32) if plain && near => Some(Code::CvtFU),
            (Type::S32, Type::F32) if plain && zero => Some(Code::CvtSF),
            (Type::U32, Type::F32) if plain && zero => Some(Code::CvtUF),
            (Type::F64, Type::F32) if plain => Some(Code::CvtDF),
            (Type::F32, Type::F64) if plain && near => Some(Code::CvtFD),
            (Type::F64, Type::S32) if plain && near => Some(Code::CvtDS),
            (Type::S64 | Type::U64, Type::S32) if plain => Some(Code::SextIL),
            (Type::S64 | Type::U64, Type::U32) if plain => Some(Code::ZextIL),
            (Type::S32 | Type::U32, Type::S64 | Type::U64) if plain => Some(Code::TruncLI),
            _ => None,
        };
        let (wide_to, wide_from) = (to.bytes() == 8, from.bytes() == 8);
        let d = if wide_to { self.d64(d)? } else { self.d32(d)? };
        let a = if wide_from { self.r64(a)? } else { self.r32(a)? };
        if let Some(code) = hot {
            self.emit(code, d, a, 0, 0);
            return Ok(());
        }
        self.program.conversions.push(Convert {
            to: to_scalar,
            from: from_scalar,
            rounding,
            sat: i.has("sat"),
            ftz: i.has("ftz"),
        });
        let c = self.program.conversions.len() as u32 - 1;
        let code = match (wide_to, wide_from) {
            (false, false) => Code::Cvt32,
            (true, true) => Code::Cvt64,
            (true, false) => Code::CvtWiden,
            (false, true) => Code::CvtNarrow,
        };
        self.emit(code, d, a, 0, c);
        Ok(())
    }
}

const fn scalar(ty: Type) -> Option<Scalar> {
    Some(match ty {
        Type::S8 => Scalar::S8,
        Type::U8 | Type::B8 => Scalar::U8,
        Type::S16 => Scalar::S16,
        Type::U16 | Type::B16 => Scalar::U16,
        Type::S32 => Scalar::S32,
        Type::U32 | Type::B32 => Scalar::U32,
        Type::S64 => Scalar::S64,
        Type::U64 | Type::B64 => Scalar::U64,
        Type::F16 => Scalar::F16,
        Type::Bf16 => Scalar::BF16,
        Type::F32 => Scalar::F32,
        Type::F64 => Scalar::F64,
        _ => return None,
    })
}
