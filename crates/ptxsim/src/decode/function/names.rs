//! The names of a function: what a name means in the scope where it stands, and the rows that
//! registers and parameters take.

use std::collections::HashMap;

use super::{Decoder, Local, Row, rows_of};
use crate::Error;
use crate::decode::MAX_ROWS;
use crate::parse::ast::{Instruction, Operand, Type, Variable, component};

impl<'a> Decoder<'_, 'a> {
    /// The innermost open scope.
    pub(super) fn scope(&self) -> u32 {
        self.scopes.last().map_or(0, |s| s.0)
    }

    /// Declares a name until the scope ends.
    pub(super) fn declare(&mut self, name: &'a str, local: Local) {
        let before = self.names.insert(name, local);
        if self.scopes.len() > 1 {
            self.hidden.push((name, before));
        }
    }

    pub(super) fn close(&mut self) {
        let Some((_, start)) = self.scopes.pop() else { return };
        for (name, before) in self.hidden.drain(start..).rev() {
            match before {
                Some(local) => self.names.insert(name, local),
                None => self.names.remove(name),
            };
        }
    }

    /// Rows for a call parameter's words.
    pub(super) fn param_rows(&mut self, name: &'a str, bytes: u64) -> (u32, u32) {
        let bytes = bytes.min(4096) as u32;
        let words = bytes.div_ceil(4).max(1);
        let row = self.func.rows32;
        self.func.rows32 += words;
        self.declare(name, Local::Param { row, bytes });
        (row, words)
    }

    pub(super) fn variable(&mut self, v: &Variable<'a>) -> Result<(), Error> {
        match v.space {
            "param" => {
                self.param_rows(v.name, v.bytes());
            }
            "local" => {
                let offset = self
                    .func
                    .local_bytes
                    .checked_next_multiple_of(v.align.max(4))
                    .unwrap_or(u32::MAX);
                let bytes = u32::try_from(v.bytes()).unwrap_or(u32::MAX);
                self.func.local_bytes = offset.saturating_add(bytes);
                self.declare(v.name, Local::Stack(offset));
            }
            _ => {
                let mut symbols = HashMap::new();
                crate::decode::declare(v, self.program, &mut symbols)?;
                crate::decode::initialise(v, self.program, &symbols)?;
                if let Some(symbol) = symbols.get(v.name) {
                    self.declare(v.name, Local::Symbol(*symbol));
                }
            }
        }
        Ok(())
    }

    pub(super) fn registers(
        &mut self,
        ty: Type,
        elements: u32,
        name: &'a str,
        count: Option<u32>,
    ) -> Result<(), Error> {
        // `finish` checks the number again, with the rows of constants and temporaries
        let rows = self.func.rows32.max(self.func.rows64).max(self.func.preds);
        let all = count.unwrap_or(1).saturating_mul(elements);
        if rows.saturating_add(all.saturating_mul(rows_of(ty))) > MAX_ROWS {
            return self.unsupported(format!("functions with more than {MAX_ROWS} registers"));
        }
        // `%r<5>` declares %r0 .. %r4, which `lookup` finds by the range
        if all > 0 {
            let first = self.new_row(ty);
            for _ in 1..all {
                self.new_row(ty);
            }
            let local = match (elements, count) {
                (1, None) => Local::Register(first, ty),
                (1, Some(count)) => Local::Range(first, ty, count),
                (_, None) => Local::Vector(first, ty, elements),
                (_, Some(count)) => Local::VectorRange(first, ty, elements, count),
            };
            self.has_vectors |= elements > 1;
            self.declare(name, local);
        }
        Ok(())
    }

    pub(super) fn new_row(&mut self, ty: Type) -> Row {
        let file = match ty {
            Type::Pred => &mut self.func.preds,
            _ if ty.bytes() >= 8 => &mut self.func.rows64,
            _ => &mut self.func.rows32,
        };
        let row = *file;
        // a register of 128 bits is two rows
        *file += rows_of(ty);
        match ty {
            Type::Pred => Row::Pred(row),
            _ if ty.bytes() >= 8 => Row::R64(row),
            _ => Row::R32(row),
        }
    }

    pub fn temp32(&mut self) -> u32 {
        self.func.rows32 += 1;
        self.func.rows32 - 1
    }

    pub fn temp64(&mut self) -> u32 {
        self.func.rows64 += 1;
        self.func.rows64 - 1
    }

    pub fn temp_pred(&mut self) -> u32 {
        self.func.preds += 1;
        self.func.preds - 1
    }

    /// Resolves a name: a local name, `%r` with a number in a declared range, a component of a
    /// vector register, or a module symbol.
    pub fn lookup(&self, name: &str) -> Option<Local> {
        match self.names.get(name) {
            Some(Local::Range(..) | Local::VectorRange(..)) | None => {}
            Some(local) => return Some(*local),
        }
        if let Some(local) = self.lookup_in_range(name) {
            return Some(local);
        }
        if let Some((whole, last)) = name.rsplit_once('.')
            && let Some(element) = component(last)
            && let Some(local) = self.element(whole, element)
        {
            return Some(local);
        }
        self.symbols.get(name).map(|s| Local::Symbol(*s))
    }

    fn lookup_in_range(&self, name: &str) -> Option<Local> {
        // the name of a range may end in digits, too, so each split into name and number is tried
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let digits = digits.min(u32::MAX.ilog10() as usize + 1);
        for start in name.len() - digits..name.len() {
            let (stem, number) = name.split_at(start);
            if number != "0" && number.starts_with('0') {
                continue;
            }
            let number = || number.parse::<u32>().ok();
            match self.names.get(stem) {
                Some(Local::Range(first, ty, count)) => {
                    if let Some(n) = number().filter(|n| n < count) {
                        return Some(Local::Register(first.offset(n * rows_of(*ty)), *ty));
                    }
                }
                Some(Local::VectorRange(first, ty, elements, count)) => {
                    if let Some(n) = number().filter(|n| n < count) {
                        let first = first.offset(n * elements * rows_of(*ty));
                        return Some(Local::Vector(first, *ty, *elements));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// One element of a vector register.
    fn element(&self, vector: &str, element: u32) -> Option<Local> {
        let whole = match self.names.get(vector) {
            Some(local @ Local::Vector(..)) => *local,
            _ => self.lookup_in_range(vector)?,
        };
        match whole {
            Local::Vector(first, ty, elements) if element < elements => {
                Some(Local::Register(first.offset(element * rows_of(ty)), ty))
            }
            _ => None,
        }
    }

    /// What an operand names.
    pub fn named(&self, operand: &Operand<'a>) -> Option<Local> {
        match operand {
            Operand::Name(name) | Operand::Offset(name, _) => self.lookup(name),
            Operand::Element(vector, element) => self.element(vector, *element),
            _ => None,
        }
    }

    /// The instruction with the elements of vector registers that it names as a whole; `None` if it
    /// names none.
    pub(super) fn expanded(&self, i: &Instruction<'a>) -> Option<Instruction<'a>> {
        let elements = |o: &Operand<'a>| match o {
            Operand::Name(name) => match self.lookup(name) {
                Some(Local::Vector(_, _, elements)) => Some((*name, elements)),
                _ => None,
            },
            _ => None,
        };
        if !self.has_vectors || !i.operands.iter().any(|o| elements(o).is_some()) {
            return None;
        }
        let operands = i.operands.iter().map(|o| match elements(o) {
            Some((name, n)) => Operand::Vector((0..n).map(|e| Operand::Element(name, e)).collect()),
            None => o.clone(),
        });
        Some(Instruction { operands: operands.collect(), ..i.clone() })
    }
}
