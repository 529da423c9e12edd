//! Decodes arithmetic, logic, comparison and conversion instructions.
//!
//! Frequent instructions have operations of their own; the others become function pointers
//! (`Code::Bin32` and the like). 16-bit integers are extended, computed in 32 bits and truncated;
//! `.ftz` and `.sat` become operations before and after.

use super::function::Decoder;
use super::op::Code;
use crate::Error;
use crate::parse::ast::{Instruction, Type};

impl<'a> Decoder<'_, 'a> {
    /// Decodes an instruction that only computes.
    pub fn arithmetic(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let root = i.root();
        match root {
            "setp" => return self.setp(i),
            "set" => return self.set(i),
            "selp" => return self.selp(i),
            "slct" => return self.slct(i),
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
            Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 => self.float16(i, ty),
            Type::S16x2 | Type::U16x2 => self.pairs(i, ty),
            Type::B128 => self.unsupported(format!("`{}`", i.name)),
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
}
