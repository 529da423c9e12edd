//! Decodes comparison, selection and conversion.

use super::float::FTZ;
use super::function::Decoder;
use super::half::widen;
use super::op::{Code, Constant};
use crate::Error;
use crate::arith::convert::{Convert, Rounding, Scalar};
use crate::arith::float::Round;
use crate::arith::tf32::{Tie, tf32, tf32_relu, tf32_satfinite};
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    /// `setp.cmp[.bool][.ftz].type p[|q], a, b[, c]`. For packed halves, `p` is about the low half
    /// and `q` about the high. A single predicate is `p`.
    pub(super) fn setp(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (d, q) = match self.operand(i, 0)? {
            Operand::Pair(p, q) => (Operand::register(p), Some(Operand::register(q))),
            other => (other.clone(), None),
        };
        let packed = i.types().last().is_some_and(Type::packed);
        let d = self.dp(&d)?;
        let (result, high) = if packed {
            let [low, high] = self.compare_halves(i)?;
            (low, Some(high))
        } else {
            (self.compare(i, 1)?, None)
        };
        let combine = i.modifiers().find(|m| matches!(*m, "and" | "or" | "xor"));
        let source = match (combine, i.operands.get(3)) {
            (Some(_), Some(c)) => Some(self.pred(c)?),
            _ => None,
        };
        if let Some(q) = q {
            let q = self.dp(&q)?;
            // `p` and `q` may also be sources, so both results are computed before either is
            // written
            let (t, first) = (self.temp_pred(), self.temp_pred());
            match high {
                Some(high) => self.emit(Code::MovP, t, high, 0, 0),
                None => self.emit(Code::NotP, t, result, 0, 0),
            }
            self.combine(combine, first, result, source);
            self.combine(combine, q, t, source);
            self.emit(Code::MovP, d, first, 0, 0);
        } else {
            self.combine(combine, d, result, source);
        }
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
        let (a, b) = (self.operand(i, first)?, self.operand(i, first + 1)?);
        let rows = if ty.bytes() == 8 {
            [self.r64(a)?, self.r64(b)?]
        } else {
            [self.r32(a)?, self.r32(b)?]
        };
        self.compare_rows(i, ty, rows)
    }

    /// The comparisons of the low and of the high halves of packed operands.
    fn compare_halves(&mut self, i: &Instruction<'a>) -> Result<[u32; 2], Error> {
        let (a, b) = (self.operand(i, 1)?, self.operand(i, 2)?);
        let (a, b) = (self.r32(a)?, self.r32(b)?);
        let (a, b) = (self.halves(a), self.halves(b));
        let ty =
            if i.types().last().is_some_and(super::half::is_bf16) { Type::Bf16 } else { Type::F16 };
        Ok([self.compare_rows(i, ty, [a[0], b[0]])?, self.compare_rows(i, ty, [a[1], b[1]])?])
    }

    fn compare_rows(
        &mut self,
        i: &Instruction<'a>,
        ty: Type,
        [mut a, mut b]: [u32; 2],
    ) -> Result<u32, Error> {
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
            for row in [&mut a, &mut b] {
                let x = self.temp32();
                match ty {
                    Type::F32 if i.has("ftz") => {
                        self.emit(FTZ, x, *row, 0, 0);
                        *row = x;
                    }
                    Type::F16 | Type::Bf16 => {
                        let from = if i.has("ftz") { self.flushed16(*row, ty) } else { *row };
                        self.emit(widen(ty), x, from, 0, 0);
                        *row = x;
                    }
                    _ => {}
                }
            }
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
        if ty.bytes() == 2 {
            for row in [&mut a, &mut b] {
                let x = self.temp32();
                self.emit(if signed { Code::SextH } else { Code::ZextH }, x, *row, 0, 0);
                *row = x;
            }
        }
        self.emit(code, t, a, b, 0);
        Ok(t)
    }

    /// `set.cmp[.bool].dtype.stype d, a, b[, c]`: all ones or 1.0 where the comparison is true.
    pub(super) fn set(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let mut types = i.types();
        let (Some(to), Some(from)) = (types.next(), types.next()) else {
            return self.bad("`set` needs two types");
        };
        let one = match to {
            Type::F32 => 0x3f80_0000,
            Type::F16 | Type::F16x2 => 0x3c00,
            Type::Bf16 | Type::Bf16x2 => 0x3f80,
            t if t.bytes() == 4 && !from.packed() => 0xffff_ffff,
            _ => 0xffff,
        };
        let holds = if from.packed() {
            self.compare_halves(i)?.to_vec()
        } else {
            vec![self.compare(i, 1)?]
        };
        let combine = i.modifiers().find(|m| matches!(*m, "and" | "or" | "xor"));
        let source = match (combine, i.operands.get(3)) {
            (Some(_), Some(c)) => Some(self.pred(c)?),
            _ => None,
        };
        let d = self.operand(i, 0)?;
        let (d, one, zero) = (
            self.d32(d)?,
            self.constant32(Constant::Bits(one)),
            self.constant32(Constant::Bits(0)),
        );
        let mut rows = vec![];
        for p in holds {
            let (q, t) = (self.temp_pred(), self.temp32());
            self.combine(combine, q, p, source);
            self.emit(Code::SelI, t, one, zero, q);
            rows.push(t);
        }
        match rows[..] {
            [low, high] => self.joined(d, low, high),
            _ => self.emit(Code::MovI, d, rows[0], 0, 0),
        }
        Ok(())
    }

    /// `slct.dtype.s32 d, a, b, c`: `a` where `c` is at least 0, `b` where it is less or a NaN.
    pub(super) fn slct(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Some(ty) = i.types().next() else { return self.bad("`slct` needs types") };
        let (d, a, b, c) =
            (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?, self.operand(i, 3)?);
        let (mut c, zero, p) = (self.r32(c)?, self.constant32(Constant::Bits(0)), self.temp_pred());
        let float = i.types().last() == Some(Type::F32);
        if float && i.has("ftz") {
            let t = self.temp32();
            self.emit(FTZ, t, c, 0, 0);
            c = t;
        }
        self.emit(if float { Code::GeF } else { Code::GeSI }, p, c, zero, 0);
        if ty.bytes() == 8 {
            let (d, a, b) = (self.d64(d)?, self.r64(a)?, self.r64(b)?);
            self.emit(Code::SelL, d, a, b, p);
        } else {
            let (d, a, b) = (self.d32(d)?, self.r32(a)?, self.r32(b)?);
            self.emit(Code::SelI, d, a, b, p);
        }
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
        if i.has("tf32") {
            return self.cvt_tf32(i);
        }
        if i.has("pack") {
            return self.cvt_pack(i);
        }
        if i.has("e4m3x2") || i.has("e5m2x2") {
            return self.cvt_small(i);
        }
        let mut types = i.types();
        let (Some(to), Some(from)) = (types.next(), types.next()) else {
            return self.bad("`cvt` needs two types");
        };
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
        if to.packed() {
            return self.cvt_pair(i, to, from, rounding);
        }
        let fits = |to: Type, from: Type| {
            to.signed() == from.signed() && to.bytes() >= from.bytes()
                || to.signed() && to.bytes() > from.bytes()
        };
        if i.has("sat") && !to.float() && !from.float() && fits(to, from) {
            return self.bad(format!("`{}` has nothing to saturate", i.name));
        }
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
        // a wider register takes the result extended
        let extend = !wide_to && self.is_wide(d);
        let a = if wide_from { self.r64(a)? } else { self.r32(a)? };
        let row = match (wide_to, extend) {
            (true, _) => self.d64(d)?,
            (false, true) => self.temp32(),
            (false, false) => self.d32(d)?,
        };
        match hot {
            Some(code) => self.emit(code, row, a, 0, 0),
            None => {
                let convert = self.conversion(i, to, from, rounding)?;
                let code = match (wide_to, wide_from) {
                    (false, false) => Code::Cvt32,
                    (true, true) => Code::Cvt64,
                    (true, false) => Code::CvtWiden,
                    (false, true) => Code::CvtNarrow,
                };
                self.emit(code, row, a, 0, convert);
            }
        }
        if extend {
            let d = self.d64(d)?;
            self.emit(if to.signed() { Code::SextIL } else { Code::ZextIL }, d, row, 0, 0);
        }
        Ok(())
    }

    /// `cvt.rn.f16x2.f32 d, a, b`: `a` in the upper half, `b` in the lower.
    fn cvt_pair(
        &mut self,
        i: &Instruction<'a>,
        to: Type,
        from: Type,
        rounding: Option<Rounding>,
    ) -> Result<(), Error> {
        let half = if to == Type::F16x2 { Type::F16 } else { Type::Bf16 };
        let (d, a, b) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
        let (d, a, b) = (self.d32(d)?, self.r32(a)?, self.r32(b)?);
        let convert = self.conversion(i, half, from, rounding)?;
        let (high, low) = (self.temp32(), self.temp32());
        self.emit(Code::Cvt32, high, a, 0, convert);
        self.emit(Code::Cvt32, low, b, 0, convert);
        self.joined(d, low, high);
        Ok(())
    }

    /// `cvt.rna.tf32.f32 d, a`: an `f32` whose fraction has 10 bits.
    fn cvt_tf32(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let code = match (i.modifiers().next(), i.has("relu")) {
            (Some("rna"), _) if i.has("satfinite") => {
                Code::Un32(|a| tf32_satfinite(tf32(a, Tie::Away)))
            }
            (Some("rna"), _) => Code::Un32(|a| tf32(a, Tie::Away)),
            (Some("rz"), false) => Code::Un32(|a| tf32(a, Tie::Zero)),
            (Some("rz"), true) => Code::Un32(|a| tf32_relu(tf32(a, Tie::Zero))),
            (_, false) => Code::Un32(|a| tf32(a, Tie::Even)),
            (_, true) => Code::Un32(|a| tf32_relu(tf32(a, Tie::Even))),
        };
        let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (d, a) = (self.d32(d)?, self.r32(a)?);
        self.emit(code, d, a, 0, 0);
        Ok(())
    }

    fn conversion(
        &mut self,
        i: &Instruction<'a>,
        to: Type,
        from: Type,
        rounding: Option<Rounding>,
    ) -> Result<u32, Error> {
        let (Some(to), Some(from)) = (scalar(to), scalar(from)) else {
            return self.unsupported(format!("`{}`", i.name));
        };
        self.program.conversions.push(Convert {
            to,
            from,
            rounding,
            sat: i.has("sat"),
            ftz: i.has("ftz"),
            relu: i.has("relu"),
            satfinite: i.has("satfinite"),
        });
        Ok(self.program.conversions.len() as u32 - 1)
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
