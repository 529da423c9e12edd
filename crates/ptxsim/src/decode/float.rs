//! Decodes floating-point arithmetic: rounding modes, `.approx`, `.ftz`, `.sat`.

use super::function::Decoder;
use super::op::{Code, Constant};
use crate::Error;
use crate::arith::approx;
use crate::arith::float::{self, Property, Round};
use crate::arith::soft::Format;
use crate::parse::ast::{Instruction, Type};

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
/// Flushes subnormals to zero: what `.ftz` does before and after an operation.
pub(super) const FTZ: Code = Code::Un32(|a| float::ftz_f32(f32::from_bits(a)).to_bits());

impl<'a> Decoder<'_, 'a> {
    pub(super) fn rounding(i: &Instruction<'a>) -> Round {
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

    pub(super) fn float32(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let round = Self::rounding(i);
        let (approximate, nan) = (i.has("approx"), i.has("NaN"));
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
            "rcp" if approximate => Code::RcpF,
            "rcp" => rounded!(round, f1!(|a| float::rcp_f32(a, Round::Near)), f1, |a| rcp_f32),
            "rsqrt" => Code::RsqrtF,
            "sin" => f1!(approx::sin),
            "cos" => f1!(approx::cos),
            "lg2" => f1!(approx::lg2),
            "ex2" => f1!(approx::ex2),
            "tanh" => f1!(approx::tanh),
            "min" if i.has("xorsign") && nan => {
                f2!(|a, b| float::xorsign_f32(a, b, float::min_nan_f32))
            }
            "max" if i.has("xorsign") && nan => {
                f2!(|a, b| float::xorsign_f32(a, b, float::max_nan_f32))
            }
            "min" if i.has("xorsign") => f2!(|a, b| float::xorsign_f32(a, b, float::min_f32)),
            "max" if i.has("xorsign") => f2!(|a, b| float::xorsign_f32(a, b, float::max_f32)),
            "min" if nan => f2!(float::min_nan_f32),
            "max" if nan => f2!(float::max_nan_f32),
            "min" => Code::MinF,
            "max" => Code::MaxF,
            "abs" => Code::AbsF,
            "neg" => Code::NegF,
            // PTX: the sign of a, the magnitude of b
            "copysign" => Code::Bin32(|a, b| (a & 0x8000_0000) | (b & 0x7fff_ffff)),
            "testp" => return self.testp(i, Type::F32),
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
                self.emit(FTZ, t, *row, 0, 0);
                *row = t;
            }
        }
        self.emit(code, d, rows[0], rows[1], rows[2]);
        if i.has("sat") {
            self.emit(f1!(float::saturate_f32), d, d, 0, 0);
        }
        if ftz {
            self.emit(FTZ, d, d, 0, 0);
        }
        Ok(())
    }

    pub(super) fn float64(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
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
            "testp" => return self.testp(i, Type::F64),
            _ => return self.unsupported(format!("`{}`", i.name)),
        };
        self.emit64(i, code)
    }

    /// The property as a number, then as a predicate.
    fn testp(&mut self, i: &Instruction<'a>, ty: Type) -> Result<(), Error> {
        macro_rules! tests {
            ($($name:literal $property:ident),*) => {
                match i.modifiers().next() {
                    $( Some($name) if ty == Type::F64 => Code::Narrow(|a| {
                        u32::from(float::testp(a, Format::F64, Property::$property))
                    }),
                    Some($name) => Code::Un32(|a| {
                        u32::from(float::testp(u64::from(a), Format::F32, Property::$property))
                    }), )*
                    _ => return self.unsupported(format!("`{}`", i.name)),
                }
            };
        }
        let code = tests!(
            "finite" Finite, "infinite" Infinite, "number" Number, "notanumber" NotANumber, "normal" Normal,
            "subnormal" Subnormal
        );
        let (p, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (p, t, zero) = (self.dp(p)?, self.temp32(), self.constant32(Constant::Bits(0)));
        let a = if ty == Type::F64 { self.r64(a)? } else { self.r32(a)? };
        self.emit(code, t, a, 0, 0);
        self.emit(Code::NeI, p, t, zero, 0);
        Ok(())
    }
}
