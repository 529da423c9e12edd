//! Decodes asynchronous copies from global to shared memory (PTX ISA, "cp.async").

use super::function::{Decoder, Local};
use super::op::{Code, CopyOp, CopySize, MemSpace};
use crate::Error;
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    pub(super) fn copy(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        if !i.has("async") || i.has("bulk") || i.has("mbarrier") {
            return self.unsupported(format!("`{}`", i.name));
        }
        if i.has("commit_group") || i.has("wait_all") {
            if !i.operands.is_empty() || i.modifiers().count() != 2 {
                return self.bad(format!("`{}` takes no operands", i.name));
            }
            let code = if i.has("commit_group") { Code::CopyCommit } else { Code::CopyWait };
            self.emit(code, u32::MAX, 0, 0, 0);
            return Ok(());
        }
        if i.has("wait_group") {
            let [Operand::Int(groups)] = i.operands.as_slice() else {
                return self.bad(format!("`{}` takes a number of groups", i.name));
            };
            // a kernel never has that many groups in flight
            let groups = u32::try_from(*groups).unwrap_or(u32::MAX).min(u32::MAX - 1);
            self.emit(Code::CopyWait, groups, 0, 0, 0);
            return Ok(());
        }
        self.copy_bytes(i)
    }

    fn copy_bytes(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let known = |m: &str| {
            let hint = m.starts_with("L2::");
            hint || matches!(m, "async" | "ca" | "cg" | "shared" | "shared::cta" | "global")
        };
        if let Some(other) = i.modifiers().find(|m| !known(m)) {
            return if other == "shared::cluster" {
                self.unsupported("shared memory of another block")
            } else {
                self.bad(format!("`cp.async` takes no `.{other}`"))
            };
        }
        let shared = i.has("shared") || i.has("shared::cta");
        if !shared || !i.has("global") || i.has("ca") == i.has("cg") {
            return self.bad("asynchronous copies are `cp.async.ca` or `.cg` `.shared.global`");
        }
        let (to, from, bytes) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
        let bytes = match bytes {
            Operand::Int(bytes @ (4 | 8)) if i.has("ca") => *bytes as u32,
            Operand::Int(16) => 16,
            _ => return self.bad(format!("`{}` copies 4, 8 or 16 bytes, `.cg` only 16", i.name)),
        };
        let policy = usize::from(i.has("L2::cache_hint"));
        let size = match i.operands.len().checked_sub(3 + policy) {
            Some(0) => CopySize::All,
            Some(1) => match &i.operands[3] {
                Operand::Name(name) | Operand::Not(name)
                    if matches!(self.lookup(name), Some(Local::Register(_, Type::Pred))) =>
                {
                    CopySize::Unless(self.pred(&i.operands[3])?)
                }
                size => CopySize::Row(self.r32(size)?),
            },
            _ => return self.bad(format!("`{}` takes 3 or 4 operands", i.name)),
        };
        let to = self.memory_at(to, MemSpace::Shared, bytes.min(4), bytes.div_ceil(4))?;
        let from = self.memory_at(from, MemSpace::Global, bytes.min(4), bytes.div_ceil(4))?;
        let pc = self.program.ops.len() as u32;
        let first = self.program.memory.len() as u32;
        for mut op in [from, to] {
            op.pc = pc;
            self.program.memory.push(op);
        }
        self.program.copies.push(CopyOp { from: first, to: first + 1, size });
        self.emit(Code::Copy, self.program.copies.len() as u32 - 1, 0, 0, 0);
        Ok(())
    }
}
