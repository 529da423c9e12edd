//! Decodes video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions"):
//! arithmetic on bytes and halves of registers, with saturation, and a second operation or a merge.
//!
//! They become operations on 64-bit rows, which hold every intermediate result exactly. Where the
//! code that an H200 executes deviates from the PTX ISA, so does `arith/video.rs`. A frequent
//! instruction, `vabsdiff` of all parts, has functions of its own (`differences`).

use super::function::Decoder;
use super::op::{Code, Constant};
use crate::Error;
use crate::arith::video;
use crate::parse::ast::{Instruction, Operand, Type};

/// The part of a register that an operand selects, or where a result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Byte(u32),
    Half(u32),
}

impl Part {
    const fn bits(self) -> u32 {
        match self {
            Self::Whole => 32,
            Self::Byte(_) => 8,
            Self::Half(_) => 16,
        }
    }

    const fn shift(self) -> u32 {
        match self {
            Self::Whole => 0,
            Self::Byte(n) => 8 * n,
            Self::Half(n) => 16 * n,
        }
    }
}

/// `x` clamped to the integers of some width.
macro_rules! clamp {
    ($low:expr, $high:expr) => {
        Code::Un64(|x| (x as i64).clamp($low, $high) as u64)
    };
}

/// Clamps to numbers of `bits` bits.
fn clamp(bits: u32, signed: bool) -> Code {
    match (bits, signed) {
        (8, false) => clamp!(0, 0xff),
        (8, true) => clamp!(-0x80, 0x7f),
        (16, false) => clamp!(0, 0xffff),
        (16, true) => clamp!(-0x8000, 0x7fff),
        (_, false) => clamp!(0, 0xffff_ffff),
        (_, true) => clamp!(-0x8000_0000, 0x7fff_ffff),
    }
}

/// What `.sat` does to the result of a scalar video instruction.
fn saturate(root: &str, part: Part, signed: bool) -> Code {
    match (root, part, signed) {
        ("vshl" | "vshr", _, true) => Code::Un64(video::saturated_shift_s32),
        ("vshl" | "vshr", _, false) => Code::Un64(video::saturated_shift_u32),
        (_, Part::Byte(_), true) => Code::Un64(|x| x.min(0x7f)),
        (_, Part::Byte(_), false) => Code::Un64(|x| x.min(0xff)),
        (_, Part::Half(_), true) => Code::Un64(|x| x.min(0x7fff)),
        (_, Part::Half(_), false) => Code::Un64(|x| x.min(0xffff)),
        (_, Part::Whole, true) => clamp(32, true),
        (_, Part::Whole, false) => Code::Un64(video::saturated_u32),
    }
}

/// A function of two signed numbers.
macro_rules! signed {
    (|$a:ident, $b:ident| $f:expr) => {
        Code::Bin64(|$a, $b| {
            let ($a, $b) = ($a as i64, $b as i64);
            ($f) as u64
        })
    };
}

impl<'a> Decoder<'_, 'a> {
    pub(super) fn video(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        match i.root() {
            "vabsdiff2" | "vabsdiff4" if self.is_plain_difference(i) => self.differences(i),
            "vmad" => self.video_mad(i),
            root if root.ends_with('2') => self.video_parts(i, 2),
            root if root.ends_with('4') => self.video_parts(i, 4),
            _ => self.video_scalar(i),
        }
    }

    /// An unsigned `vabsdiff` of all parts in their order.
    fn is_plain_difference(&self, i: &Instruction<'a>) -> bool {
        i.types().next() == Some(Type::U32)
            && i.types().nth(1) == i.types().nth(2)
            && i.operands.iter().all(|o| match o {
                Operand::Name(name) => self.lookup(name).is_some(),
                _ => true,
            })
    }

    fn video_scalar(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let types: Vec<Type> = i.types().collect();
        // `vset` has no type of its own; its result is 0 or 1, and a second operation compares it
        // as a number of the first operand's type
        let (to, from) = match types[..] {
            [a, b] => (a, [a, b]),
            [to, a, b] => (to, [a, b]),
            _ => return self.bad(format!("`{}` needs the types of its operands", i.name)),
        };
        let (d, part) = self.part_of(self.operand(i, 0)?)?;
        let d = self.d32(&d)?;
        let (a, b) = (self.operand(i, 1)?, self.operand(i, 2)?);
        let (a, b) = (self.extracted(a, from[0])?, self.extracted(b, from[1])?);
        let t = self.temp64();
        self.emit(self.video_operation(i)?, t, a, b, 0);
        if i.has("sat") {
            self.emit(saturate(i.root(), part, to.signed()), t, t, 0, 0);
        }
        let second = i.modifiers().skip(2).find(|m| matches!(*m, "add" | "min" | "max"));
        let Some(c) = i.operands.get(3) else {
            if part != Part::Whole || second.is_some() {
                return self.bad(format!("`{}` needs a fourth operand", i.name));
            }
            self.emit(Code::TruncLI, d, t, 0, 0);
            return Ok(());
        };
        if let Some(second) = second {
            let c = self.extracted(c, to)?;
            if matches!(i.root(), "vadd" | "vsub") {
                self.emit(Code::Un64(video::low_half), t, t, 0, 0);
            }
            let code = match (second, to.signed()) {
                ("add", _) => Code::AddL,
                ("min", true) => signed!(|a, b| a.min(b)),
                (_, true) => signed!(|a, b| a.max(b)),
                ("min", false) => Code::Bin64(u64::min),
                (_, false) => Code::Bin64(u64::max),
            };
            self.emit(code, t, t, c, 0);
            self.emit(Code::TruncLI, d, t, 0, 0);
            return Ok(());
        }
        let c = self.r32(c)?;
        let low = self.temp32();
        self.emit(Code::TruncLI, low, t, 0, 0);
        if part == Part::Half(1) {
            // an H200 takes the upper half of the result here, and the low bits for all other parts
            let by = self.constant32(Constant::Bits(16));
            self.emit(Code::ShrUI, low, low, by, 0);
        }
        self.merge(d, low, c, part);
        Ok(())
    }

    /// `d = c`, with the low bits of `value` in the place of `part`.
    fn merge(&mut self, d: u32, value: u32, c: u32, part: Part) {
        let mask = (u64::MAX >> (64 - part.bits())) << part.shift();
        let shift = self.constant32(Constant::Bits(u64::from(part.shift())));
        let (mask, keep) = (
            self.constant32(Constant::Bits(mask)),
            self.constant32(Constant::Bits(!mask & 0xffff_ffff)),
        );
        let (inside, outside) = (self.temp32(), self.temp32());
        self.emit(Code::ShlI, inside, value, shift, 0);
        self.emit(Code::AndI, inside, inside, mask, 0);
        self.emit(Code::AndI, outside, c, keep, 0);
        self.emit(Code::OrI, d, inside, outside, 0);
    }

    /// What the instruction computes from two parts, as a function of signed 64-bit numbers.
    fn video_operation(&self, i: &Instruction<'a>) -> Result<Code, Error> {
        let root = i.root().trim_end_matches(['2', '4']);
        Ok(match root {
            "vadd" => Code::AddL,
            "vsub" => Code::SubL,
            "vabsdiff" => signed!(|a, b| if a < b { b - a } else { a - b }),
            "vmin" => signed!(|a, b| a.min(b)),
            "vmax" => signed!(|a, b| a.max(b)),
            // rounded up where the sum is not negative
            "vavrg" => signed!(|a, b| (a + b + i64::from(a + b >= 0)) >> 1),
            "vshl" if i.has("clamp") => signed!(|a, b| a << b.clamp(0, 32)),
            "vshl" => signed!(|a, b| a << (b & 31)),
            "vshr" if i.has("clamp") => signed!(|a, b| a >> b.clamp(0, 32)),
            "vshr" => signed!(|a, b| a >> (b & 31)),
            "vset" => {
                let cmp =
                    i.modifiers().find(|m| matches!(*m, "eq" | "ne" | "lt" | "le" | "gt" | "ge"));
                match cmp {
                    Some("eq") => signed!(|a, b| a == b),
                    Some("ne") => signed!(|a, b| a != b),
                    Some("lt") => signed!(|a, b| a < b),
                    Some("le") => signed!(|a, b| a <= b),
                    Some("gt") => signed!(|a, b| a > b),
                    Some(_) => signed!(|a, b| a >= b),
                    None => return self.bad(format!("`{}` needs a comparison", i.name)),
                }
            }
            _ => return self.unsupported(format!("`{}`", i.name)),
        })
    }

    /// `vmad d, a, b, c`: `a * b + c` in 64 bits, scaled. A minus negates the product, or `c`.
    ///
    /// An H200 multiplies and adds whole registers as signed numbers, also where their type is
    /// unsigned, and the types decide only how the sum is shifted and saturated.
    fn video_mad(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let types: Vec<Type> = i.types().collect();
        let [_, of_a, of_b] = types[..] else {
            return self.bad(format!("`{}` needs three types", i.name));
        };
        let d = self.operand(i, 0)?;
        let d = self.d32(d)?;
        let operand = |n: usize| match i.operands.get(n) {
            Some(Operand::Minus(name)) => (Operand::Name(name), true),
            Some(other) => (other.clone(), false),
            None => (Operand::Sink, false),
        };
        let ((a, minus_a), (b, minus_b), (c, minus_c)) = (operand(1), operand(2), operand(3));
        let minus_product = minus_a != minus_b;
        let signed = of_a.signed() || of_b.signed() || minus_product || minus_c;
        let (a, b) = (self.factor(&a, of_a)?, self.factor(&b, of_b)?);
        let c = self.extracted(&c, Type::S32)?;
        let t = self.temp64();
        self.emit(Code::MulL, t, a, b, 0);
        if minus_product {
            self.emit(Code::NegL, t, t, 0, 0);
        }
        self.emit(if minus_c { Code::SubL } else { Code::AddL }, t, t, c, 0);
        if i.has("po") {
            let one = self.constant64(Constant::Bits(1));
            self.emit(Code::AddL, t, t, one, 0);
        }
        let by = if i.has("shr7") {
            7
        } else if i.has("shr15") {
            15
        } else {
            0
        };
        if by > 0 {
            let by = self.constant32(Constant::Bits(by));
            self.emit(if signed { Code::ShrSL } else { Code::ShrUL }, t, t, by, 0);
        }
        if i.has("sat") {
            self.emit(clamp(32, signed), t, t, 0, 0);
        }
        self.emit(Code::TruncLI, d, t, 0, 0);
        Ok(())
    }

    /// A factor of `vmad`: a part as its type has it, or a whole register as a signed number.
    fn factor(&mut self, operand: &Operand<'a>, ty: Type) -> Result<u32, Error> {
        let whole = self.part_of(operand)?.1 == Part::Whole;
        self.extracted(operand, if whole { Type::S32 } else { ty })
    }

    /// The same operation on all halves or bytes; `count` of them.
    fn video_parts(&mut self, i: &Instruction<'a>, count: u32) -> Result<(), Error> {
        let types: Vec<Type> = i.types().collect();
        let (to, from) = match types[..] {
            [a, b] => (Type::U32, [a, b]),
            [to, a, b] => (to, [a, b]),
            _ => return self.bad(format!("`{}` needs the types of its operands", i.name)),
        };
        let (d, a, b, c) =
            (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?, self.operand(i, 3)?);
        let (d, mask) = self.parts_of(d, count)?;
        let (a, select_a) = self.parts_of(a, count)?;
        let (b, select_b) = self.parts_of(b, count)?;
        let first = |from: u32| (from..from + count).collect::<Vec<u32>>();
        let (select_a, select_b) =
            (select_a.unwrap_or_else(|| first(0)), select_b.unwrap_or_else(|| first(count)));
        let mask = mask.unwrap_or_else(|| first(0));
        if select_a.len() != count as usize || select_b.len() != count as usize {
            return self.bad(format!("`{}` selects {count} parts", i.name));
        }
        let (d, a, b, c) = (self.d32(&d)?, self.r32(&a)?, self.r32(&b)?, self.r32(c)?);
        let part = |n: u32| if count == 2 { Part::Half(n) } else { Part::Byte(n) };
        let code = self.video_operation(i)?;
        let result = self.temp32();
        self.emit(Code::MovI, result, c, 0, 0);
        for n in (0..count).filter(|n| mask.contains(n)) {
            // parts from `count` on are those of the second operand
            let one = |d: &mut Self, selected: u32, ty| {
                let row = if selected < count { a } else { b };
                d.extract(row, part(selected % count), ty)
            };
            let x = one(self, select_a[n as usize], from[0]);
            let y = one(self, select_b[n as usize], from[1]);
            let (t, low) = (self.temp64(), self.temp32());
            self.emit(code, t, x, y, 0);
            if i.has("sat") {
                self.emit(clamp(part(0).bits(), to.signed()), t, t, 0, 0);
            }
            self.emit(Code::TruncLI, low, t, 0, 0);
            if i.has("add") {
                self.emit(Code::AddI, result, result, low, 0);
            } else {
                self.merge(result, low, result, part(n));
            }
        }
        self.emit(Code::MovI, d, result, 0, 0);
        Ok(())
    }

    /// The register of an operand such as `%r1.b0`, and its part.
    fn part_of(&self, operand: &Operand<'a>) -> Result<(Operand<'a>, Part), Error> {
        let Operand::Name(name) = operand else { return Ok((operand.clone(), Part::Whole)) };
        let Some((register, selected)) =
            name.rsplit_once('.').filter(|_| self.lookup(name).is_none())
        else {
            return Ok((operand.clone(), Part::Whole));
        };
        let part = match selected {
            "b0" => Part::Byte(0),
            "b1" => Part::Byte(1),
            "b2" => Part::Byte(2),
            "b3" => Part::Byte(3),
            "h0" => Part::Half(0),
            "h1" => Part::Half(1),
            _ => return self.bad(format!("`{selected}` is no part of a register")),
        };
        Ok((Operand::Name(register), part))
    }

    /// The register of an operand such as `%r1.h32`, and the parts that it selects, lowest first.
    fn parts_of(
        &self,
        operand: &Operand<'a>,
        count: u32,
    ) -> Result<(Operand<'a>, Option<Vec<u32>>), Error> {
        let Operand::Name(name) = operand else { return Ok((operand.clone(), None)) };
        let Some((register, selected)) =
            name.rsplit_once('.').filter(|_| self.lookup(name).is_none())
        else {
            return Ok((operand.clone(), None));
        };
        let digits = selected.strip_prefix(if count == 2 { 'h' } else { 'b' });
        let parts: Option<Vec<u32>> =
            digits.and_then(|digits| digits.chars().rev().map(|c| c.to_digit(10)).collect());
        match parts.filter(|parts| parts.iter().all(|part| *part < 2 * count)) {
            Some(parts) => Ok((Operand::Name(register), Some(parts))),
            None => self.bad(format!("`{selected}` selects no parts of a register")),
        }
    }

    /// An operand's part as a 64-bit number, with or without a sign.
    fn extracted(&mut self, operand: &Operand<'a>, ty: Type) -> Result<u32, Error> {
        let (register, part) = self.part_of(operand)?;
        let row = self.r32(&register)?;
        Ok(self.extract(row, part, ty))
    }

    fn extract(&mut self, row: u32, part: Part, ty: Type) -> u32 {
        let narrow = match (part, ty.signed()) {
            (Part::Whole, _) => None,
            (Part::Byte(_), false) => Some(Code::ZextB),
            (Part::Byte(_), true) => Some(Code::SextB),
            (Part::Half(_), false) => Some(Code::ZextH),
            (Part::Half(_), true) => Some(Code::SextH),
        };
        let mut value = row;
        if let Some(narrow) = narrow {
            value = self.temp32();
            let by = self.constant32(Constant::Bits(u64::from(part.shift())));
            self.emit(Code::ShrUI, value, row, by, 0);
            self.emit(narrow, value, value, 0, 0);
        }
        let wide = self.temp64();
        self.emit(if ty.signed() { Code::SextIL } else { Code::ZextIL }, wide, value, 0, 0);
        wide
    }
}
