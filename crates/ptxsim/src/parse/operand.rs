//! Parses instructions and their operands.

use super::ast::{Instruction, Operand, Statement};
use super::lexer::Kind;
use super::{Parser, Result};

impl<'a> Parser<'_, 'a> {
    pub(super) fn instruction(
        &mut self,
        line: u32,
        guard: Option<(bool, &'a str)>,
    ) -> Result<Statement<'a>> {
        let name = self.word()?;
        let mut operands = vec![];
        while !self.eat(';') {
            operands.push(self.operand(0)?);
            if !self.eat(',') {
                self.expect(';')?;
                break;
            }
        }
        Ok(Statement::Instruction(Instruction { line, guard, name, operands }))
    }

    fn operand(&mut self, depth: u32) -> Result<Operand<'a>> {
        if depth > 4 {
            return self.error("a simpler operand");
        }
        match self.peek() {
            Some(Kind::Punct('[')) => {
                self.at += 1;
                let operand = match self.peek() {
                    Some(Kind::Word(base)) => {
                        self.at += 1;
                        // a negative offset is `[base+-4]`
                        let offset = if self.eat('+') { self.signed_int()? } else { 0 };
                        // textures: [object, {x, y}]
                        if self.eat(',') {
                            let at = self.operand(depth + 1)?;
                            Operand::Vector(vec![Operand::Name(base), at])
                        } else {
                            Operand::Memory { base: Some(base), offset }
                        }
                    }
                    _ => Operand::Memory { base: None, offset: self.signed_int()? },
                };
                self.expect(']')?;
                Ok(operand)
            }
            Some(Kind::Punct('{')) => {
                self.at += 1;
                self.operands_until('}', depth).map(Operand::Vector)
            }
            Some(Kind::Punct('(')) => {
                self.at += 1;
                self.operands_until(')', depth).map(Operand::List)
            }
            Some(Kind::Punct('!')) => {
                self.at += 1;
                self.word().map(Operand::Not)
            }
            Some(Kind::Punct('-')) => match self.peek_at(1) {
                Some(Kind::F64(bits)) => {
                    self.at += 2;
                    Ok(Operand::F64(bits ^ 1 << 63))
                }
                Some(Kind::Word(name)) => {
                    self.at += 2;
                    Ok(Operand::Minus(name))
                }
                _ => self.signed_int().map(|n| Operand::Int(n as u64)),
            },
            Some(Kind::Int(n)) => {
                self.at += 1;
                Ok(Operand::Int(n))
            }
            Some(Kind::F32(bits)) => {
                self.at += 1;
                Ok(Operand::F32(bits))
            }
            Some(Kind::F64(bits)) => {
                self.at += 1;
                Ok(Operand::F64(bits))
            }
            Some(Kind::Word("_")) if self.peek_at(1) != Some(Kind::Punct('|')) => {
                self.at += 1;
                Ok(Operand::Sink)
            }
            Some(Kind::Word(name)) => {
                self.at += 1;
                if self.eat('|') {
                    return Ok(Operand::Pair(name, self.word()?));
                }
                match self.offset()? {
                    0 => Ok(Operand::Name(name)),
                    offset => Ok(Operand::Offset(name, offset)),
                }
            }
            _ => self.error("an operand"),
        }
    }

    fn operands_until(&mut self, close: char, depth: u32) -> Result<Vec<Operand<'a>>> {
        let mut all = vec![];
        while !self.eat(close) {
            all.push(self.operand(depth + 1)?);
            if !self.eat(',') {
                self.expect(close)?;
                break;
            }
        }
        Ok(all)
    }
}
