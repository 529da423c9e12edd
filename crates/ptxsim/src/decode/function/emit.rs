//! Adds operations to the program, with the constants and special registers that they read.

use super::{Decoder, Fixup};
use crate::decode::op::{Block, Code, Constant, MemOp, Op, Special};

impl<'a> Decoder<'_, 'a> {
    pub fn constant32(&mut self, constant: Constant) -> u32 {
        if let Some(row) = self.constants32.get(&constant) {
            return *row;
        }
        let row = self.temp32();
        self.constants32.insert(constant, row);
        self.func.constants32.push((row, constant));
        row
    }

    pub fn constant64(&mut self, constant: Constant) -> u32 {
        if let Some(row) = self.constants64.get(&constant) {
            return *row;
        }
        let row = self.temp64();
        self.constants64.insert(constant, row);
        self.func.constants64.push((row, constant));
        row
    }

    pub fn special(&mut self, special: Special) -> u32 {
        if let Some(row) = self.specials.get(&special) {
            return *row;
        }
        let row = self.temp32();
        self.specials.insert(special, row);
        self.func.specials.push((row, special));
        row
    }

    pub fn emit(&mut self, code: Code, d: u32, a: u32, b: u32, c: u32) {
        self.program.ops.push(Op { code, d, a, b, c });
        self.program.source_of.push(self.source);
    }

    pub fn emit_memory(&mut self, code: Code, mut op: MemOp) {
        op.pc = self.program.ops.len() as u32;
        self.program.memory.push(op);
        self.emit(code, self.program.memory.len() as u32 - 1, 0, 0, 0);
    }

    /// Starts a basic block here, unless one has just started.
    pub fn open_block(&mut self) {
        let at = self.program.ops.len() as u32;
        if self.block_open && self.program.blocks.last().is_some_and(|b| b.start + 1 == at) {
            return;
        }
        self.emit(Code::Enter, self.program.blocks.len() as u32, 0, 0, 0);
        let first = self.program.instructions.len() as u32;
        self.program.blocks.push(Block { start: at, instructions: 0, first });
        self.block_open = true;
    }

    /// Emits a jump or branch to a label that may come later.
    pub fn emit_to(&mut self, code: Code, counted: bool, pred: u32, negated: bool, label: &'a str) {
        self.fixups.push(Fixup {
            op: self.program.ops.len(),
            label,
            scope: self.scope(),
            line: self.line,
        });
        self.emit(code, u32::from(counted), pred, u32::from(negated), 0);
        self.open_block();
    }
}
