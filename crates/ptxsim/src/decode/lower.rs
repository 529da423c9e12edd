//! Decodes one PTX instruction: chooses the function for it by its name. Control flow and calls are
//! decoded here.

use super::Symbol;
use super::function::{Decoder, Local, Row};
use super::memory::scope;
use super::op::{CallOp, Code, Constant, Scope, Special, Target};
use crate::Error;
use crate::parse::ast::{Instruction, Operand};

impl<'a> Decoder<'_, 'a> {
    /// Decodes one instruction into one or more operations.
    pub fn lower(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        self.check(i)?;
        match i.root() {
            "bra" => self.branch(i),
            "brx" => self.branch_indexed(i),
            "ret" => {
                self.emit(if self.entry { Code::Exit } else { Code::Return }, 0, 0, 0, 0);
                self.open_block();
                Ok(())
            }
            "exit" => {
                self.emit(Code::Exit, 0, 0, 0, 0);
                self.open_block();
                Ok(())
            }
            "trap" => {
                let grid_barrier = self.cooperative
                    && self.func.specials.iter().any(|(_, s)| matches!(s, Special::EnvReg(_)));
                self.emit(Code::Trap, u32::from(grid_barrier), 0, 0, 0);
                Ok(())
            }
            "call" => self.call(i),
            "ld" | "ldu" if i.has("param") || i.has("param::entry") || i.has("param::func") => {
                self.load_param(i)
            }
            "st" if i.has("param") || i.has("param::func") => self.store_param(i),
            "ld" | "ldu" => self.load(i),
            "st" => self.store(i),
            "atom" | "red" => self.atomic(i),
            "mov" => self.mov(i),
            "cvta" => self.cvta(i),
            "tex" | "tld4" | "suld" | "sust" | "txq" | "suq" => self.image(i),
            "cp" => self.copy(i),
            "bar" | "barrier" => self.barrier(i),
            "mbarrier" => self.mbarrier(i),
            "vabsdiff2" | "vabsdiff4" => self.differences(i),
            "shfl" | "vote" | "match" | "activemask" | "redux" | "elect" => self.collective(i),
            "membar" | "fence" => {
                self.func.communicates = true;
                self.func.syncs = true;
                self.emit(Code::Fence, u32::from(scope(i) == Scope::Gpu), 0, 0, 0);
                Ok(())
            }
            // hints, and instructions that only affect a debugger or a profiler
            "nanosleep" | "prefetch" | "prefetchu" | "applypriority" | "discard" | "pmevent"
            | "brkpt" | "griddepcontrol" => Ok(()),
            "isspacep" => self.isspacep(i),
            // a cache policy is only a hint, so any value will do
            "createpolicy" => {
                let d = self.operand(i, 0)?;
                let (d, zero) = (self.d64(d)?, self.constant64(Constant::Bits(0)));
                self.emit(Code::MovL, d, zero, 0, 0);
                Ok(())
            }
            _ => self.arithmetic(i),
        }
    }

    fn branch(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let Operand::Name(label) = self.operand(i, 0)? else {
            return self.bad("`bra` needs a label");
        };
        match i.guard {
            None => self.emit_to(Code::Jump, true, 0, false, label),
            Some((negated, register)) => {
                let pred = self.pred_register(register)?;
                self.emit_to(Code::Branch, true, pred, negated, label);
            }
        }
        Ok(())
    }

    /// `brx.idx index, list`: a chain of comparisons, and after it a trap for an index that is not in
    /// the list.
    fn branch_indexed(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (index, list) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let Operand::Name(list) = list else { return self.bad("`brx.idx` needs a list of labels") };
        let Some(labels) = self.target_list(list) else {
            return self.bad(format!("no `.branchtargets` named `{list}`"));
        };
        let index = self.r32(index)?;
        for (n, label) in labels.iter().enumerate() {
            let (p, number) = (self.temp_pred(), self.constant32(Constant::Bits(n as u64)));
            self.emit(Code::EqI, p, index, number, 0);
            self.emit_to(Code::Branch, true, p, false, label);
        }
        self.emit(Code::BadIndex, labels.len() as u32, index, 0, 0);
        self.open_block();
        Ok(())
    }

    fn call(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let mut operands = i.operands.iter();
        let mut next = operands.next();
        let mut results = vec![];
        if let Some(Operand::List(all)) = next {
            results = self.param_list(all)?;
            next = operands.next();
        }
        let Some(Operand::Name(name)) = next else { return self.bad("`call` needs a function") };
        let args = match operands.next() {
            Some(Operand::List(all)) => self.param_list(all)?,
            _ => vec![],
        };
        let target = match (self.lookup(name), *name) {
            (Some(Local::Symbol(Symbol::Function(f))), _) => Target::Function(f),
            (Some(Local::Register(Row::R64(row), _)), _) => Target::Indirect(row),
            (_, "vprintf") => Target::Printf,
            (_, "malloc") => Target::Malloc,
            (_, "free") => Target::Free,
            (_, "__assertfail") => Target::AssertFail,
            _ => {
                return self
                    .unsupported(format!("calls of `{}`", crate::demangle::qualified_name(name)));
            }
        };
        self.program.calls.push(CallOp { target, args, results });
        self.emit(Code::Call, self.program.calls.len() as u32 - 1, 0, 0, 0);
        self.open_block();
        Ok(())
    }

    fn param_list(&self, all: &[Operand<'a>]) -> Result<Vec<(u32, u32)>, Error> {
        all.iter()
            .map(|o| match o {
                Operand::Name(name) => match self.lookup(name) {
                    Some(Local::Param { row, bytes }) => Ok((row, bytes.div_ceil(4).max(1))),
                    _ => self.bad(format!("`{name}` is not a call parameter")),
                },
                _ => self.unsupported("calls with registers as parameters"),
            })
            .collect()
    }
}
