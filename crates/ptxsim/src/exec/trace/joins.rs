//! Where branches join, the compiler copies registers so that a variable has one register after
//! them. These copies have no line of their own but keep that of the block before them in the text,
//! which the thread may have jumped over, so a trace does not count them as work of a line.

use std::collections::HashMap;

use crate::decode::Program;
use crate::decode::op::Code;

/// The blocks that several blocks continue with, and whether the thread is at the start of one.
#[derive(Debug)]
pub(super) struct Joins {
    /// For each operation that begins a block: do several blocks lead to it?
    shared: Vec<bool>,
    /// The thread has executed nothing but copies since it entered such a block.
    at_start: bool,
    /// The source location of the block that was entered last.
    source: u32,
}

impl Joins {
    pub fn new(program: &Program) -> Self {
        let mut ways: HashMap<u32, u32> = HashMap::new();
        let mut before = None;
        for (pc, op) in (0_u32..).zip(&program.ops) {
            match op.code {
                Code::Jump | Code::Branch => *ways.entry(op.c).or_default() += 1,
                Code::Enter if !matches!(before, Some(Code::Jump | Code::Exit | Code::Return)) => {
                    *ways.entry(pc).or_default() += 1;
                }
                _ => {}
            }
            before = Some(op.code);
        }
        let shared = (0..program.ops.len() as u32)
            .map(|pc| ways.get(&pc).is_some_and(|ways| *ways > 1))
            .collect();
        Self { shared, at_start: false, source: 0 }
    }

    /// Whether the operation at `pc`, which the thread executes now, is such a copy.
    pub fn copies(&mut self, program: &Program, pc: u32) -> bool {
        let Some(op) = program.ops.get(pc as usize) else { return false };
        let source = program.source_of.get(pc as usize).copied().unwrap_or(0);
        match op.code {
            Code::Enter => {
                self.at_start |= self.shared.get(pc as usize).is_some_and(|shared| *shared);
                self.source = source;
                false
            }
            Code::Jump => false,
            Code::MovI | Code::MovL | Code::MovP | Code::ZextH => {
                self.at_start &= source == self.source;
                self.at_start
            }
            _ => {
                self.at_start = false;
                false
            }
        }
    }
}
