//! Decodes barriers in shared memory (PTX ISA, "mbarrier"): 64-bit words. An arrival is an atomic
//! operation on the word, and a wait is a load that checks whether a phase is complete.
//!
//! Arrivals release and waits acquire, so races around them are found as with any other flag. A
//! wait never blocks, because `mbarrier.try_wait` may return at once.

use super::function::Decoder;
use super::op::{AtomicOp, Code, Constant, MemSpace, Phase, Scope};
use crate::Error;
use crate::arith::mbarrier;
use crate::parse::ast::{Instruction, Operand};

impl<'a> Decoder<'_, 'a> {
    pub(super) fn mbarrier(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        match i.modifiers().next().unwrap_or_default() {
            "init" => {
                let count = self.operand(i, 1)?;
                let count = self.extended(count)?;
                let new = self.temp64();
                self.emit(Code::Un64(mbarrier::init), new, count, 0, 0);
                self.set_mbarrier(i, new)
            }
            // the word is zero afterwards
            "inval" => {
                let zero = self.constant64(Constant::Bits(0));
                self.set_mbarrier(i, zero)
            }
            "arrive" => self.arrive(i, AtomicOp::Arrive),
            "arrive_drop" => self.arrive(i, AtomicOp::ArriveDrop),
            "test_wait" | "try_wait" => self.phase_done(i),
            "pending_count" => {
                let (d, state) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let (d, state) = (self.d32(d)?, self.r64(state)?);
                self.emit(Code::Narrow(mbarrier::pending), d, state, 0, 0);
                Ok(())
            }
            _ => self.unsupported(format!("`{}`", i.name)),
        }
    }

    /// A 32-bit operand in a 64-bit row.
    fn extended(&mut self, operand: &Operand<'a>) -> Result<u32, Error> {
        if let Operand::Int(n) = operand {
            return Ok(self.constant64(Constant::Bits(*n & 0xffff_ffff)));
        }
        let (row, wide) = (self.r32(operand)?, self.temp64());
        self.emit(Code::ZextIL, wide, row, 0, 0);
        Ok(wide)
    }

    fn set_mbarrier(&mut self, i: &Instruction<'a>, value: u32) -> Result<(), Error> {
        let memory = self.operand(i, 0)?;
        let mut op = self.memory_op(i, memory)?;
        (op.wide, op.at_barrier) = (true, true);
        op.rows[0] = value;
        self.func.syncs = true;
        self.emit_memory(Code::Store, op);
        Ok(())
    }

    fn arrive(&mut self, i: &Instruction<'a>, kind: AtomicOp) -> Result<(), Error> {
        let (d, memory) = (self.operand(i, 0)?.clone(), self.operand(i, 1)?);
        let mut op = self.memory_op(i, memory)?;
        (op.wide, op.at_barrier) = (true, true);
        (op.strong, op.scope, op.release) = (true, Scope::Cta, !i.has("relaxed"));
        op.atomic = Some(kind);
        op.b = match i.operands.get(2) {
            Some(count) => self.extended(count)?,
            None => self.constant64(Constant::Bits(1)),
        };
        if d != Operand::Sink {
            op.rows[0] = self.d64(&d)?;
        }
        self.func.syncs = true;
        self.func.communicates |= op.space != MemSpace::Shared;
        self.emit_memory(Code::Atomic, op);
        Ok(())
    }

    fn phase_done(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (p, memory, phase) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
        let (phase, by): (_, fn(u64, u64) -> u64) = if i.has("parity") {
            (self.extended(phase)?, |now, parity| mbarrier::parity(now) ^ (parity & 1))
        } else {
            (self.r64(phase)?, |now, state| mbarrier::parity(now ^ state))
        };
        let mut op = self.memory_op(i, memory)?;
        let now = self.temp64();
        (op.wide, op.at_barrier) = (true, true);
        op.rows[0] = now;
        (op.strong, op.scope, op.acquire) = (true, Scope::Cta, !i.has("relaxed"));
        op.waits = Some(if i.has("parity") { Phase::Parity } else { Phase::State });
        op.b = phase;
        self.func.syncs = true;
        self.func.communicates |= op.space != MemSpace::Shared;
        self.emit_memory(Code::Load, op);
        let (p, done, t) = (self.dp(p)?, self.temp64(), self.temp32());
        let zero = self.constant32(Constant::Bits(0));
        self.emit(Code::Bin64(by), done, now, phase, 0);
        self.emit(Code::Narrow(|done| done as u32), t, done, 0, 0);
        self.emit(Code::NeI, p, t, zero, 0);
        Ok(())
    }
}
