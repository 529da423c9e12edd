//! Decodes conversions to and from numbers narrower than 16 bits: `cvt` with the 8-bit
//! floating-point formats, and `cvt.pack`.

use super::function::Decoder;
use super::op::{Code, Constant};
use crate::Error;
use crate::arith::fp8::{Small, halves_of_pair, pair_of_f32, pair_of_halves};
use crate::parse::ast::Instruction;

impl<'a> Decoder<'_, 'a> {
    /// `cvt` between pairs of 8-bit numbers and `f32` or `f16x2`.
    pub(super) fn cvt_small(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let last = i.modifiers().last().unwrap_or_default();
        macro_rules! forms {
            ($code:ident, $function:ident, $($x:ident),*) => {
                match (i.has("e4m3x2"), i.has("relu")) {
                    (true, false) => Code::$code(|$($x),*| $function(Small::E4M3, $($x),*, false)),
                    (true, true) => Code::$code(|$($x),*| $function(Small::E4M3, $($x),*, true)),
                    (false, false) => Code::$code(|$($x),*| $function(Small::E5M2, $($x),*, false)),
                    (false, true) => Code::$code(|$($x),*| $function(Small::E5M2, $($x),*, true)),
                }
            };
        }
        let code = match last {
            "f32" => forms!(Bin32, pair_of_f32, a, b),
            "f16x2" => forms!(Un32, pair_of_halves, a),
            _ => forms!(Un32, halves_of_pair, a),
        };
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (d, a) = (self.d32(d)?, self.r32(a)?);
        let b = match i.operands.get(2) {
            Some(b) => self.r32(b)?,
            None => a,
        };
        self.emit(code, d, a, b, 0);
        Ok(())
    }

    /// `cvt.pack.sat.u8.s32.b32 d, a, b, c`: two integers, clamped and packed, `b` lowest. Above them
    /// are the lower bits of `c`; pairs of 16 bits fill the register.
    pub(super) fn cvt_pack(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        macro_rules! clamped {
            ($low:expr, $high:expr, $bits:expr) => {
                (Code::Un32(|a| (a as i32).clamp($low, $high) as u32 & ((1 << $bits) - 1)), $bits)
            };
        }
        let narrow =
            i.modifiers().find(|m| m.starts_with(['u', 's']) && !matches!(*m, "sat" | "s32"));
        let (clamp, bits) = match narrow {
            Some("u2") => clamped!(0, 3, 2),
            Some("s2") => clamped!(-2, 1, 2),
            Some("u4") => clamped!(0, 15, 4),
            Some("s4") => clamped!(-8, 7, 4),
            Some("u8") => clamped!(0, 255, 8),
            Some("s8") => clamped!(-128, 127, 8),
            Some("u16") => clamped!(0, 65_535, 16),
            Some("s16") => clamped!(-32_768, 32_767, 16),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let (d, a, b) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
        let (d, a, b) = (self.d32(d)?, self.r32(a)?, self.r32(b)?);
        let (high, low) = (self.temp32(), self.temp32());
        self.emit(clamp, high, a, 0, 0);
        self.emit(clamp, low, b, 0, 0);
        let by = self.constant32(Constant::Bits(bits));
        self.emit(Code::ShlI, high, high, by, 0);
        self.emit(Code::OrI, low, low, high, 0);
        if let Some(c) = i.operands.get(3) {
            let (c, above) = (self.r32(c)?, self.temp32());
            let by = self.constant32(Constant::Bits(2 * bits));
            self.emit(Code::ShlI, above, c, by, 0);
            self.emit(Code::OrI, low, low, above, 0);
        }
        self.emit(Code::MovI, d, low, 0, 0);
        Ok(())
    }
}
