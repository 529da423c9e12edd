//! Decodes the instructions that move 8x8 matrices of 16-bit elements between shared memory and the
//! registers of a warp: `ldmatrix`, `stmatrix`, `movmatrix` (PTX ISA, "Warp Level Matrix
//! Instructions").
//!
//! Eight lanes give the addresses of a matrix's rows, 16 bytes each. Lane `l` holds elements
//! `2 * (l % 4)` and the next one of row `l / 4`. So a load is one of 16 bytes by the lanes with
//! addresses, and then shuffles.

use super::function::Decoder;
use super::op::{Code, CollectiveKind, CollectiveOp, Constant, MemSpace, Special};
use crate::Error;
use crate::parse::ast::{Instruction, Operand};

/// Elements of 32 bits in a row of a matrix.
const WORDS: u32 = 4;

impl<'a> Decoder<'_, 'a> {
    pub(super) fn matrix(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        if !i.has("m8n8") || !i.has("b16") {
            return self.unsupported(format!("`{}`", i.name));
        }
        match i.root() {
            "ldmatrix" => self.load_matrix(i),
            "stmatrix" => self.store_matrix(i),
            _ => {
                let (d, a) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let (d, a) = (self.d32(d)?, self.r32(a)?);
                // element `c` of row `r` comes from element `r` of row `c`
                let lane = self.special(Special::LaneId);
                let row = self.masked(lane, 0, 3);
                let row = self.shifted(row, 3);
                let first = self.masked(lane, 3, 3);
                let from = self.sum(row, first);
                let half = self.masked(lane, 2, 1);
                let low = self.shuffled(a, from, 0)?;
                let high = self.shuffled(a, from, WORDS)?;
                self.join_halves(d, [low, high], half);
                Ok(())
            }
        }
    }

    fn load_matrix(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let registers = self.matrix_registers(i, 0)?;
        let memory = self.operand(i, 1)?;
        let words = self.row_access(i, memory, registers.len() as u32, None)?;
        let lane = self.special(Special::LaneId);
        for (n, register) in registers.iter().enumerate() {
            let d = self.d32(register)?;
            if i.has("trans") {
                // two elements of column `lane / 4`, in rows `2 * (lane % 4)` and the next
                let row = self.masked(lane, 0, 3);
                let row = self.shifted(row, 1);
                let (word, half) = (self.masked(lane, 3, 3), self.masked(lane, 2, 1));
                let mut halves = vec![];
                for next in 0..2 {
                    let mut all = vec![];
                    for w in &words {
                        all.push(self.shuffled(*w, row, 8 * n as u32 + next)?);
                    }
                    halves.push(self.chosen(&all, word));
                }
                self.join_halves(d, [halves[0], halves[1]], half);
            } else {
                let (row, word) = (self.masked(lane, 2, 7), self.masked(lane, 0, 3));
                let mut all = vec![];
                for w in &words {
                    all.push(self.shuffled(*w, row, 8 * n as u32)?);
                }
                let chosen = self.chosen(&all, word);
                self.emit(Code::MovI, d, chosen, 0, 0);
            }
        }
        Ok(())
    }

    fn store_matrix(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let registers = self.matrix_registers(i, 1)?;
        let memory = self.operand(i, 0)?;
        let mut values = vec![];
        for register in &registers {
            values.push(self.r32(register)?);
        }
        // lane `l` stores row `l % 8` of matrix `l / 8`
        let lane = self.special(Special::LaneId);
        let (row, matrix) = (self.masked(lane, 0, 7), self.masked(lane, 3, 3));
        let mut words = [0; 4];
        for (w, word) in (0..).zip(&mut words) {
            let mut all = vec![];
            for value in &values {
                all.push(if i.has("trans") {
                    // elements `2 * w` and `2 * w + 1` of the row, from two lanes' halves
                    let (from, half) = (self.masked(row, 1, 3), self.masked(row, 0, 1));
                    let low = self.shuffled(*value, from, 8 * w)?;
                    let high = self.shuffled(*value, from, 8 * w + 4)?;
                    let joined = self.temp32();
                    self.join_halves(joined, [low, high], half);
                    joined
                } else {
                    let from = self.shifted(row, 2);
                    self.shuffled(*value, from, w)?
                });
            }
            *word = self.chosen(&all, matrix);
        }
        self.row_access(i, memory, registers.len() as u32, Some(words))?;
        Ok(())
    }

    /// The registers of a matrix operand: one, two or four.
    fn matrix_registers(&self, i: &Instruction<'a>, n: usize) -> Result<Vec<Operand<'a>>, Error> {
        let all = match self.operand(i, n)? {
            Operand::Vector(all) => all.clone(),
            one => vec![one.clone()],
        };
        let wanted = [("x1", 1), ("x2", 2), ("x4", 4)].iter().find(|(name, _)| i.has(name));
        match wanted {
            Some((_, count)) if all.len() == *count => Ok(all),
            _ => self.bad(format!("`{}` has another number of registers", i.name)),
        }
    }

    /// Loads or stores 16 bytes in each of the lanes that give the addresses of `matrices`.
    fn row_access(
        &mut self,
        i: &Instruction<'a>,
        memory: &Operand<'a>,
        matrices: u32,
        stored: Option<[u32; 4]>,
    ) -> Result<[u32; 4], Error> {
        let space = match self.space(i)? {
            MemSpace::Shared | MemSpace::Generic => self.space(i)?,
            _ => return self.bad(format!("`{}` accesses shared memory", i.name)),
        };
        let mut op = self.memory_at(memory, space, 4, WORDS)?;
        let words = stored.unwrap_or_else(|| [0; 4].map(|_| self.temp32()));
        op.rows = words;
        let zero = self.constant32(Constant::Bits(0));
        if stored.is_none() {
            words.iter().for_each(|word| self.emit(Code::MovI, *word, zero, 0, 0));
        }
        // the other lanes skip the access
        let code = if stored.is_some() { Code::Store } else { Code::Load };
        self.for_first_lanes(8 * matrices, |this| this.emit_memory(code, op));
        Ok(words)
    }

    /// `(row >> shift) & mask`.
    fn masked(&mut self, row: u32, shift: u64, mask: u64) -> u32 {
        let (t, by) = (self.temp32(), self.constant32(Constant::Bits(shift)));
        let mask = self.constant32(Constant::Bits(mask));
        self.emit(Code::ShrUI, t, row, by, 0);
        self.emit(Code::AndI, t, t, mask, 0);
        t
    }

    fn shifted(&mut self, row: u32, left: u64) -> u32 {
        let (t, by) = (self.temp32(), self.constant32(Constant::Bits(left)));
        self.emit(Code::ShlI, t, row, by, 0);
        t
    }

    fn sum(&mut self, a: u32, b: u32) -> u32 {
        let t = self.temp32();
        self.emit(Code::AddI, t, a, b, 0);
        t
    }

    /// The value of lane `from + more`.
    fn shuffled(&mut self, value: u32, from: u32, more: u32) -> Result<u32, Error> {
        let more = self.constant32(Constant::Bits(u64::from(more)));
        let mut op = CollectiveOp::new(
            CollectiveKind::ShflIdx,
            self.constant32(Constant::Bits(0xffff_ffff)),
        );
        (op.d, op.a, op.b) = (self.temp32(), value, self.sum(from, more));
        op.c = self.constant32(Constant::Bits(0x1f));
        self.emit_collective(op)?;
        Ok(op.d)
    }

    /// One of one, two or four values, by number.
    fn chosen(&mut self, values: &[u32], number: u32) -> u32 {
        let mut values = values.to_vec();
        let zero = self.constant32(Constant::Bits(0));
        let mut bit = 0;
        while values.len() > 1 {
            let (p, odd) = (self.temp_pred(), self.masked(number, bit, 1));
            self.emit(Code::NeI, p, odd, zero, 0);
            values = values
                .chunks(2)
                .map(|pair| {
                    let t = self.temp32();
                    self.emit(Code::SelI, t, pair[1], pair[0], p);
                    t
                })
                .collect();
            bit += 1;
        }
        values[0]
    }

    /// Halves number `half` of two values, in one register.
    fn join_halves(&mut self, d: u32, [low, high]: [u32; 2], half: u32) {
        let by = self.shifted(half, 4);
        let cut = |this: &mut Self, value| {
            let t = this.temp32();
            this.emit(Code::ShrUI, t, value, by, 0);
            this.emit(Code::ZextH, t, t, 0, 0);
            t
        };
        let (low, high) = (cut(self, low), cut(self, high));
        let high = self.shifted(high, 16);
        self.emit(Code::OrI, d, low, high, 0);
    }
}
