//! Decodes half precision: `.f16` and `.bf16` in the low half of a row, `.f16x2` and `.bf16x2` in
//! both halves.
//!
//! PTX ISA, "Half Precision Floating Point Instructions". `.ftz`, `.sat` and `.relu` are operations
//! before and after.

use super::function::Decoder;
use super::op::{Code, Constant};
use crate::Error;
use crate::arith::approx;
use crate::arith::half;
use crate::arith::soft::Format;
use crate::parse::ast::{Instruction, Type};

/// A function of 16-bit patterns and their format, for every lane of the type.
macro_rules! one {
    ($ty:expr, $f:expr) => {
        match $ty {
            Type::F16 => Code::Un32(|a| u32::from($f(a as u16, Format::F16))),
            Type::Bf16 => Code::Un32(|a| u32::from($f(a as u16, Format::BF16))),
            Type::F16x2 => {
                Code::Un32(|a| pair($f(a as u16, Format::F16), $f((a >> 16) as u16, Format::F16)))
            }
            _ => {
                Code::Un32(|a| pair($f(a as u16, Format::BF16), $f((a >> 16) as u16, Format::BF16)))
            }
        }
    };
}
macro_rules! two {
    ($ty:expr, $f:expr) => {
        match $ty {
            Type::F16 => Code::Bin32(|a, b| u32::from($f(a as u16, b as u16, Format::F16))),
            Type::Bf16 => Code::Bin32(|a, b| u32::from($f(a as u16, b as u16, Format::BF16))),
            Type::F16x2 => Code::Bin32(|a, b| {
                pair(
                    $f(a as u16, b as u16, Format::F16),
                    $f((a >> 16) as u16, (b >> 16) as u16, Format::F16),
                )
            }),
            _ => Code::Bin32(|a, b| {
                pair(
                    $f(a as u16, b as u16, Format::BF16),
                    $f((a >> 16) as u16, (b >> 16) as u16, Format::BF16),
                )
            }),
        }
    };
}
macro_rules! three {
    ($ty:expr, $f:expr) => {
        match $ty {
            Type::F16 => {
                Code::Tern32(|a, b, c| u32::from($f(a as u16, b as u16, c as u16, Format::F16)))
            }
            Type::Bf16 => {
                Code::Tern32(|a, b, c| u32::from($f(a as u16, b as u16, c as u16, Format::BF16)))
            }
            Type::F16x2 => Code::Tern32(|a, b, c| {
                pair(
                    $f(a as u16, b as u16, c as u16, Format::F16),
                    $f((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16, Format::F16),
                )
            }),
            _ => Code::Tern32(|a, b, c| {
                pair(
                    $f(a as u16, b as u16, c as u16, Format::BF16),
                    $f((a >> 16) as u16, (b >> 16) as u16, (c >> 16) as u16, Format::BF16),
                )
            }),
        }
    };
}

fn pair(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// The format of a 16-bit type or of the halves of a packed one.
pub(super) const fn is_bf16(ty: Type) -> bool {
    matches!(ty, Type::Bf16 | Type::Bf16x2)
}

/// Widens the low half of a row to `f32`; exact, so that comparisons of `f32` are those of the
/// halves.
pub(super) const fn widen(ty: Type) -> Code {
    if is_bf16(ty) {
        Code::Un32(|a| half::bf16_to_f32(a as u16).to_bits())
    } else {
        Code::Un32(|a| half::f16_to_f32(a as u16).to_bits())
    }
}

impl<'a> Decoder<'_, 'a> {
    pub(super) fn float16(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
        let nan = i.has("NaN");
        let code = match i.root() {
            "add" => two!(ty, half::add16),
            "sub" => two!(ty, half::sub16),
            "mul" => two!(ty, half::mul16),
            "fma" => three!(ty, half::fma16),
            "neg" => one!(ty, half::neg16),
            "abs" => one!(ty, half::abs16),
            "min" if i.has("xorsign") && nan => {
                two!(ty, |a, b, f| half::xorsign16(a, b, f, |x, y, f| half::min16(x, y, f, true)))
            }
            "max" if i.has("xorsign") && nan => {
                two!(ty, |a, b, f| half::xorsign16(a, b, f, |x, y, f| half::max16(x, y, f, true)))
            }
            "min" if i.has("xorsign") => {
                two!(ty, |a, b, f| half::xorsign16(a, b, f, |x, y, f| half::min16(x, y, f, false)))
            }
            "max" if i.has("xorsign") => {
                two!(ty, |a, b, f| half::xorsign16(a, b, f, |x, y, f| half::max16(x, y, f, false)))
            }
            "min" if nan => two!(ty, |a, b, f| half::min16(a, b, f, true)),
            "max" if nan => two!(ty, |a, b, f| half::max16(a, b, f, true)),
            "min" => two!(ty, |a, b, f| half::min16(a, b, f, false)),
            "max" => two!(ty, |a, b, f| half::max16(a, b, f, false)),
            "ex2" => one!(ty, |a, f| half::through_f32(a, f, approx::ex2)),
            "tanh" => one!(ty, |a, f| half::through_f32(a, f, approx::tanh)),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        let d = self.operand(i, 0)?;
        let d = self.d32(d)?;
        let ftz = i.has("ftz");
        let mut rows = [0_u32; 3];
        for (row, operand) in rows.iter_mut().zip(i.operands.iter().skip(1)) {
            *row = self.r32(operand)?;
            if ftz {
                *row = self.flushed16(*row, ty);
            }
        }
        self.emit(code, d, rows[0], rows[1], rows[2]);
        if i.has("relu") {
            self.emit(one!(ty, half::relu16), d, d, 0, 0);
        }
        if i.has("sat") {
            self.emit(one!(ty, half::saturate16), d, d, 0, 0);
        }
        if ftz {
            self.emit(one!(ty, half::ftz16), d, d, 0, 0);
        }
        Ok(())
    }

    /// A row with subnormals flushed to zero.
    pub(super) fn flushed16(&mut self, row: u32, ty: Type) -> u32 {
        let t = self.temp32();
        self.emit(one!(ty, half::ftz16), t, row, 0, 0);
        t
    }

    /// The two halves of a packed row, each in the low half of a new row.
    pub(super) fn halves(&mut self, row: u32) -> [u32; 2] {
        let (low, high) = (self.temp32(), self.temp32());
        let sixteen = self.constant32(Constant::Bits(16));
        self.emit(Code::ZextH, low, row, 0, 0);
        self.emit(Code::ShrUI, high, row, sixteen, 0);
        [low, high]
    }

    /// Packs two halves into one row.
    pub(super) fn joined(&mut self, d: u32, low: u32, high: u32) {
        self.emit(Code::Bin32(|a, b| pair(a as u16, b as u16)), d, low, high, 0);
    }
}
