//! Comparison, selection and conversion.

use super::float::FTZ;
use super::function::Decoder;
use super::op::{Code, Constant};
use crate::Error;
use crate::arith::convert::{Convert, Rounding, Scalar};
use crate::arith::float::Round;
use crate::arith::half;
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    /// `setp.cmp[.bool][.ftz].type p[|q], a, b[, c]`.
    pub(super) fn setp(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
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

    pub(super) fn combine(&mut self, how: Option<&str>, d: u32, a: u32, b: Option<u32>) {
        match (how, b) {
            (Some("and"), Some(b)) => self.emit(Code::AndP, d, a, b, 0),
            (Some("or"), Some(b)) => self.emit(Code::OrP, d, a, b, 0),
            (Some("xor"), Some(b)) => self.emit(Code::XorP, d, a, b, 0),
            _ => self.emit(Code::MovP, d, a, 0, 0),
        }
    }

    /// The comparison of operands `first` and `first + 1`, into a fresh predicate.
    pub(super) fn compare(&mut self, i: &Instruction<'a>, first: usize) -> Result<u32, Error> {
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
                            self.emit(FTZ, t, *row, 0, 0);
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
    pub(super) fn set(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
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

    pub(super) fn selp(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
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

    pub(super) fn cvt(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
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
