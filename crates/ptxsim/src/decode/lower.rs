//! Decodes one PTX instruction: chooses the function for it by its name. Control flow and calls are
//! decoded here.

use super::Symbol;
use super::function::{Decoder, Local, Row};
use super::memory::scope;
use super::op::{CallOp, Code, Constant, Scope, Special, Target};
use crate::Error;
use crate::parse::ast::{Instruction, Operand, Type};

impl<'a> Decoder<'_, 'a> {
    /// Decodes one instruction into one or more operations.
    pub fn lower(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        self.check(i)?;
        match i.root() {
            "bra" => self.branch(i),
            "brx" => self.branch_indexed(i),
            "ret" => {
                self.emit_return();
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
            "ldmatrix" | "stmatrix" | "movmatrix" => self.matrix(i),
            "wmma" => self.wmma(i),
            "mma" => self.multiply(i, false),
            root if is_video(root) => self.video(i),
            "shfl" | "vote" | "match" | "activemask" | "redux" | "elect" => self.collective(i),
            // there are no other proxies here
            "fence" if i.has("proxy") => Ok(()),
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
            // a block is a cluster of its own, so it is block 0 there, and all addresses are its
            // own
            "mapa" => {
                let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
                if i.types().last() == Some(Type::U32) {
                    let (d, a) = (self.d32(d)?, self.r32(a)?);
                    self.emit(Code::MovI, d, a, 0, 0);
                } else {
                    let (d, a) = (self.d64(d)?, self.r64(a)?);
                    self.emit(Code::MovL, d, a, 0, 0);
                }
                Ok(())
            }
            "getctarank" => {
                let d = self.operand(i, 0)?;
                let (d, zero) = (self.d32(d)?, self.constant32(Constant::Bits(0)));
                self.emit(Code::MovI, d, zero, 0, 0);
                Ok(())
            }
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

    /// `brx.idx index, list`: a chain of comparisons, and after it a trap for an index that is not
    /// in the list.
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
        let (mut results, mut wide) = (vec![], vec![]);
        if let Some(Operand::List(all)) = next {
            for result in all {
                results.push(self.result_words(result, &mut wide)?);
            }
            next = operands.next();
        }
        let Some(Operand::Name(name)) = next else { return self.bad("`call` needs a function") };
        let mut args = vec![];
        if let Some(Operand::List(all)) = operands.next() {
            for (n, argument) in all.iter().enumerate() {
                let formal = self.signatures.get(name).and_then(|all| all.get(n)).copied();
                args.push(self.argument_words(argument, formal)?);
            }
        }
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
        for (register, row) in wide {
            self.emit(Code::Pack, register, row, row + 1, 0);
        }
        Ok(())
    }

    /// The words that carry an argument: a parameter's own, or those of a register or a constant.
    /// `formal` is the type and the size of the function's parameter, where it is known.
    fn argument_words(
        &mut self,
        argument: &Operand<'a>,
        formal: Option<(Type, u64)>,
    ) -> Result<(u32, u32), Error> {
        match self.named(argument) {
            Some(Local::Param { row, bytes }) => return Ok((row, bytes.div_ceil(4).max(1))),
            Some(Local::Register(Row::R32(row), _)) if !matches!(argument, Operand::Offset(..)) => {
                return Ok((row, 1));
            }
            Some(Local::Register(Row::Pred(_), _)) => {
                return self.unsupported("a predicate as a parameter");
            }
            Some(Local::Register(..)) => {}
            None if matches!(argument, Operand::Int(_) | Operand::F32(_) | Operand::F64(_)) => {}
            _ => return self.bad("an argument is no parameter, register or constant"),
        }
        let row = self.func.rows32;
        self.func.rows32 += 2;
        if self.is_wide(argument) || formal.is_none_or(|(_, bytes)| bytes == 8) {
            let value = self.r64(argument)?;
            self.emit(Code::LowLI, row, value, 0, 0);
            self.emit(Code::HighLI, row + 1, value, 0, 0);
            Ok((row, 2))
        } else {
            let value = self.r32(argument)?;
            self.emit(Code::MovI, row, value, 0, 0);
            Ok((row, 1))
        }
    }

    /// The words that carry a result. Those of a 64-bit register are added to `wide`, to be packed
    /// after the call.
    fn result_words(
        &mut self,
        result: &Operand<'a>,
        wide: &mut Vec<(u32, u32)>,
    ) -> Result<(u32, u32), Error> {
        match self.named(result) {
            Some(Local::Param { row, bytes }) => Ok((row, bytes.div_ceil(4).max(1))),
            Some(Local::Register(Row::R32(row), _)) => Ok((row, 1)),
            Some(Local::Register(Row::R64(register), _)) => {
                let row = self.func.rows32;
                self.func.rows32 += 2;
                wide.push((register, row));
                Ok((row, 2))
            }
            Some(Local::Register(Row::Pred(_), _)) => self.unsupported("a predicate as a result"),
            None if *result == Operand::Sink => Ok((self.temp32(), 1)),
            _ => self.bad("a result is no parameter or register"),
        }
    }
}

/// Whether this is a video instruction; `vote` is none.
fn is_video(root: &str) -> bool {
    let scalar = root.trim_end_matches(['2', '4']);
    matches!(
        scalar,
        "vadd"
            | "vsub"
            | "vabsdiff"
            | "vmin"
            | "vmax"
            | "vshl"
            | "vshr"
            | "vmad"
            | "vset"
            | "vavrg"
    )
}
