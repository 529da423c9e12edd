//! The kernel parameter that an address was computed from.
//!
//! Several parameters may point into one allocation, so the address alone does not say through
//! which of them a kernel accessed it. The analysis is flow-insensitive and conservative: an
//! address that was computed from several parameters, or that may have been loaded from memory, has
//! no known parameter.

use std::collections::HashMap;

use super::origin::for_each_name;
use crate::parse::ast::{Function, Instruction, Operand, Statement, whole_register};

/// A pointer among a kernel's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The parameter, counted from 0.
    pub number: u16,
    /// Byte of the parameter where the pointer begins: above 0 in a structure.
    pub offset: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    From(Parameter),
    /// Several parameters, or perhaps an address from memory.
    Unclear,
}

/// The parameters behind a kernel's registers.
#[derive(Debug, Default)]
pub(super) struct Parameters<'a> {
    of: HashMap<&'a str, Origin>,
    /// What is stored on the stack, where a debug build keeps its parameters: by base and offset.
    stack: HashMap<(&'a str, i64), Origin>,
}

/// The registers with the address of the stack.
const STACK: [&str; 2] = ["%SP", "%SPL"];

impl<'a> Parameters<'a> {
    /// Follows the parameters of `function`, which are known only if it is a kernel.
    pub fn new(function: &Function<'a>) -> Self {
        let mut all = Self::default();
        if !function.entry {
            return all;
        }
        let body = function.body.as_deref().unwrap_or_default();
        let instructions: Vec<&Instruction<'a>> = body
            .iter()
            .filter_map(|s| if let Statement::Instruction(i) = s { Some(i) } else { None })
            .collect();
        while instructions.iter().fold(false, |changed, i| all.propagate(function, i) | changed) {}
        all
    }

    /// The parameter that the address in `name` was computed from, if it is only one.
    pub fn behind(&self, name: &str) -> Option<Parameter> {
        match self.of.get(whole_register(name)) {
            Some(Origin::From(parameter)) => Some(*parameter),
            _ => None,
        }
    }

    /// Propagates the origins of an instruction's sources to its results. Returns whether that
    /// changed anything.
    fn propagate(&mut self, function: &Function<'a>, i: &Instruction<'a>) -> bool {
        let Some((destination, sources)) = i.operands.split_first() else { return false };
        let wide = i.types().last().is_some_and(|ty| ty.bytes() >= 8);
        let from = match i.root() {
            "ld" if wide && i.modifiers().any(|m| m.starts_with("param")) => {
                return self.load_parameter(function, destination, sources);
            }
            "st" if wide => return self.store(destination, sources),
            "ld" if wide && stack_slot(sources.first()).is_some() => {
                stack_slot(sources.first()).and_then(|slot| self.stack.get(&slot).copied())
            }
            "ld" | "ldu" | "atom" | "shfl" if wide => Some(Origin::Unclear),
            "mov" | "cvta" | "add" | "min" | "max" => self.join(sources),
            "sub" => self.join(sources.get(..1).unwrap_or_default()),
            // the last operand only selects
            "selp" => self.join(sources.get(..2).unwrap_or_default()),
            // a product is an index in bytes
            "mad" => self.join(sources.get(2..).unwrap_or_default()),
            _ => None,
        };
        let mut changed = false;
        for_each_name(destination, &mut |name| changed |= self.add(name, from));
        changed
    }

    /// Loads one parameter, or several neighbouring parts of one.
    fn load_parameter(
        &mut self,
        function: &Function<'a>,
        destination: &Operand<'a>,
        sources: &[Operand<'a>],
    ) -> bool {
        let part = |n: usize| {
            let [Operand::Memory { base: Some(base), offset }] = sources else {
                return Origin::Unclear;
            };
            let number = function.params.iter().position(|p| p.name == *base);
            let offset = offset.saturating_add(8 * n as i64);
            match (number.and_then(|n| u16::try_from(n).ok()), u16::try_from(offset)) {
                (Some(number), Ok(offset)) => Origin::From(Parameter { number, offset }),
                _ => Origin::Unclear,
            }
        };
        let parts = if let Operand::Vector(parts) = destination {
            parts.as_slice()
        } else {
            std::slice::from_ref(destination)
        };
        let mut changed = false;
        for (n, operand) in parts.iter().enumerate() {
            for_each_name(operand, &mut |name| changed |= self.add(name, Some(part(n))));
        }
        changed
    }

    /// Stores an address on the stack. Returns whether that changed anything.
    fn store(&mut self, place: &Operand<'a>, sources: &[Operand<'a>]) -> bool {
        let Some(slot) = stack_slot(Some(place)) else { return false };
        let before = self.stack.get(&slot).copied();
        let after = both(before, self.join(sources));
        self.stack.extend(after.map(|origin| (slot, origin)));
        before != after
    }

    /// Adds an origin to those of a register. Returns whether that changed anything.
    fn add(&mut self, name: &'a str, from: Option<Origin>) -> bool {
        let before = self.of.get(name).copied();
        let after = both(before, from);
        self.of.extend(after.map(|origin| (name, origin)));
        before != after
    }

    fn join(&self, operands: &[Operand<'a>]) -> Option<Origin> {
        let mut all = None;
        for operand in operands {
            for_each_name(operand, &mut |name| all = both(all, self.of.get(name).copied()));
        }
        all
    }
}

/// The part of the stack that an operand is.
fn stack_slot<'a>(operand: Option<&Operand<'a>>) -> Option<(&'a str, i64)> {
    let Some(Operand::Memory { base: Some(base), offset }) = operand else { return None };
    STACK.contains(base).then_some((*base, *offset))
}

fn both(a: Option<Origin>, b: Option<Origin>) -> Option<Origin> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) => Some(if a == b { a } else { Origin::Unclear }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// The parameter behind a register of a kernel with a pointer `p` and a structure `s`: its
    /// number and the pointer's place in it.
    fn behind(body: &str, register: &str) -> Option<(u16, u16)> {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n\
             .visible .entry k(.param .u64 p, .param .align 8 .b8 s[24]) {{\n\
             .reg .b64 %d<20>;\n.reg .b64 %SP;\n.reg .b32 %r<20>;\n.reg .pred %p<4>;\n{body}\nret;\n}}\n"
        );
        let ptx = parse::parse(&text).expect("parses");
        let found = Parameters::new(&ptx.functions[0]).behind(register);
        found.map(|parameter| (parameter.number, parameter.offset))
    }

    const LOADS: &str = "ld.param.u64 %d1, [p];\ncvta.to.global.u64 %d2, %d1;\n\
                         ld.param.v2.u64 {%d3, %d4}, [s+8];\n";

    #[test]
    fn an_address_keeps_its_parameter() {
        let body = format!(
            "{LOADS}mul.wide.s32 %d5, %r1, 24;\nadd.s64 %d6, %d2, %d5;\nadd.s64 %d6, %d6, 128;\n\
             mad.lo.s64 %d7, %d3, 4, %d4;"
        );
        assert_eq!(behind(&body, "%d6"), Some((0, 0)));
        assert_eq!((behind(&body, "%d3"), behind(&body, "%d7")), (Some((1, 8)), Some((1, 16))));
        assert_eq!(behind(&body, "%d5"), None);
    }

    #[test]
    fn a_debug_build_keeps_parameters_on_the_stack() {
        let body = format!(
            "{LOADS}st.u64 [%SP+8], %d3;\nst.u64 [%SP+16], %d1;\nld.u64 %d5, [%SP+8];\nadd.s64 %d6, %d5, 4;"
        );
        assert_eq!(behind(&body, "%d6"), Some((1, 8)));
    }

    #[test]
    fn an_address_from_two_places_has_none() {
        let selected = format!("{LOADS}selp.b64 %d5, %d2, %d4, %p1;\nadd.s64 %d6, %d5, 4;");
        assert_eq!(behind(&selected, "%d6"), None);
        let followed = format!("{LOADS}mov.u64 %d5, %d2;\nld.global.u64 %d5, [%d5+8];");
        assert_eq!(behind(&followed, "%d5"), None);
    }
}
