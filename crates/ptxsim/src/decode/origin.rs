//! The shared array that an address was computed from.
//!
//! In C++ an address that was computed from one array's address, and from no other, must stay
//! inside that array, even where it lands in the middle of another one. The analysis is
//! flow-insensitive and conservative: a value computed from several addresses, loaded from memory,
//! or passed by a caller has no known origin.
//!
//! The same pass finds out which registers hold an address of shared or local memory as `mov` gives
//! it, without `cvta`. A generic access through such a register is undefined in PTX; ptxas makes a
//! shared or local access of it, and so does the decoder.

use std::collections::HashMap;

use crate::parse::ast::{Function, Instruction, Operand, Statement, whole_register};

/// The variable whose address a value was computed from, by its name in PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin<'a> {
    Of(&'a str),
    /// Several variables, or unknown.
    Unknown,
}

/// How a register holds an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Window {
    /// As an offset in shared memory.
    Shared,
    /// As an offset in local memory.
    Local,
    /// As a generic address, or in different ways at different times.
    Generic,
}

/// The shared arrays behind a function's registers.
#[derive(Debug, Default)]
pub(super) struct Origins<'a> {
    of: HashMap<&'a str, Origin<'a>>,
    windows: HashMap<&'a str, Window>,
}

impl<'a> Origins<'a> {
    /// `shared` returns whether a name is a shared variable at module scope.
    pub fn new(function: &Function<'a>, shared: impl Fn(&str) -> bool) -> Self {
        let body = function.body.as_deref().unwrap_or_default();
        let mut of = HashMap::new();
        let mut windows = HashMap::new();
        // where a function takes the address of a parameter, the parameter is in local memory
        windows.extend(address_taken(function).map(|name| (name, Window::Local)));
        let mut instructions = vec![];
        for statement in body {
            match statement {
                Statement::Variable(v) if v.space == "shared" => {
                    of.insert(v.name, Origin::Of(v.name));
                    windows.insert(v.name, Window::Shared);
                }
                Statement::Variable(v) if v.space == "local" => {
                    windows.insert(v.name, Window::Local);
                }
                Statement::Instruction(i) => instructions.push(i),
                _ => {}
            }
        }
        for i in &instructions {
            i.operands.iter().for_each(|operand| {
                for_each_name(operand, &mut |name| {
                    if shared(name) {
                        of.insert(name, Origin::Of(name));
                        windows.insert(name, Window::Shared);
                    }
                });
            });
        }
        let mut origins = Self { of, windows };
        if origins.windows.is_empty() {
            return origins;
        }
        // once an address is in memory, a load may return it
        let mut escaped = false;
        while instructions.iter().fold(false, |changed, i| {
            escaped |= origins.escapes(i);
            origins.propagate(function, i, escaped) | origins.propagate_window(i) | changed
        }) {}
        origins
    }

    /// The variable that the address in `name` was computed from, if it is only one.
    pub fn variable(&self, name: &str) -> Option<&'a str> {
        match self.of.get(whole_register(name)) {
            Some(Origin::Of(variable)) => Some(*variable),
            _ => None,
        }
    }

    /// How the address in `name` is held, if it is one of shared or local memory.
    pub fn window(&self, name: &str) -> Option<Window> {
        self.windows.get(whole_register(name)).copied()
    }

    /// Propagates how addresses are held to an instruction's result. Returns whether that changed
    /// anything.
    fn propagate_window(&mut self, i: &Instruction<'a>) -> bool {
        let Some((destination, sources)) = i.operands.split_first() else { return false };
        let from = match i.root() {
            "mov" | "add" | "sub" | "mad" | "and" | "or" | "cvt" | "selp" | "max" | "min" => {
                // what is added to an offset, for example an index from memory, leaves it one
                let mut from = None;
                let mut add = |name| {
                    if let (None | Some(Window::Generic), Some(window)) =
                        (from, self.windows.get(name))
                    {
                        from = Some(*window);
                    }
                };
                sources.iter().for_each(|source| for_each_name(source, &mut add));
                from
            }
            // any other instruction that writes an address gives a generic one
            "cvta" | "ld" | "ldu" | "atom" | "shfl" => Some(Window::Generic),
            _ => None,
        };
        let Some(from) = from else { return false };
        let mut changed = false;
        for_each_name(destination, &mut |name| {
            let before = self.windows.get(name).copied();
            let after =
                if before.is_some_and(|before| before != from) { Window::Generic } else { from };
            changed |= before != Some(after);
            self.windows.insert(name, after);
        });
        changed
    }

    /// Whether the instruction stores an address in memory or passes it to a function.
    fn escapes(&self, i: &Instruction<'a>) -> bool {
        let values = match i.root() {
            "st" | "red" => i.operands.get(1..),
            "atom" => i.operands.get(2..),
            "call" => Some(i.operands.as_slice()),
            _ => None,
        };
        values.unwrap_or_default().iter().any(|o| self.origin_of(o).is_some())
    }

    /// Propagates the origins of an instruction's sources to its result. Returns whether that
    /// changed anything.
    fn propagate(&mut self, function: &Function<'a>, i: &Instruction<'a>, escaped: bool) -> bool {
        let Some((destination, sources)) = i.operands.split_first() else { return false };
        let all = |sources: &[Operand<'a>]| {
            sources.iter().fold(None, |all, source| join(all, self.origin_of(source)))
        };
        let from = match i.root() {
            "st" | "red" | "bra" | "ret" | "exit" | "bar" | "barrier" | "cp" | "call" => None,
            // truth values, masks and counts of lanes
            "setp" | "set" | "isspacep" | "testp" | "vote" | "match" | "activemask" => None,
            "ld" if i.modifiers().any(|m| m.starts_with("param")) => {
                let param = |o: &Operand<'a>| {
                    matches!(o, Operand::Memory { base: Some(base), .. }
                        if function.entry && function.params.iter().any(|p| p.name == *base))
                };
                (!sources.iter().all(param)).then_some(Origin::Unknown)
            }
            "ld" | "ldu" | "atom" | "tex" | "tld4" | "suld" => escaped.then_some(Origin::Unknown),
            // the last operand only selects
            "selp" | "slct" => all(sources.get(..2).unwrap_or_default()),
            _ => all(sources),
        };
        let Some(from) = from else { return false };
        let mut changed = false;
        for_each_name(destination, &mut |name| {
            let before = self.of.get(name).copied();
            let after = join(before, Some(from));
            if before != after {
                changed = true;
                self.of.extend(after.map(|origin| (name, origin)));
            }
        });
        changed
    }

    fn origin_of(&self, operand: &Operand<'a>) -> Option<Origin<'a>> {
        let mut all = None;
        for_each_name(operand, &mut |name| all = join(all, self.of.get(name).copied()));
        all
    }
}

/// The parameters of a device function whose address it takes.
pub(super) fn address_taken<'f, 'a>(
    function: &'f Function<'a>,
) -> impl Iterator<Item = &'a str> + use<'f, 'a> {
    let takes = |i: &Instruction<'a>, param: &str| {
        matches!(i.root(), "mov" | "cvta")
            && matches!(i.operands.get(1), Some(Operand::Name(n) | Operand::Offset(n, _)) if *n == param)
    };
    let body = function.body.as_deref().unwrap_or_default();
    let params = function.params.iter().filter(|p| !function.entry && p.space == "param");
    params.map(|p| p.name).filter(move |name| {
        body.iter().any(|s| matches!(s, Statement::Instruction(i) if takes(i, name)))
    })
}

fn join<'a>(a: Option<Origin<'a>>, b: Option<Origin<'a>>) -> Option<Origin<'a>> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) => Some(if a == b { a } else { Origin::Unknown }),
    }
}

/// The names in an operand.
pub(crate) fn for_each_name<'a>(operand: &Operand<'a>, f: &mut impl FnMut(&'a str)) {
    match operand {
        Operand::Name(name)
        | Operand::Not(name)
        | Operand::Offset(name, _)
        | Operand::Memory { base: Some(name), .. } => f(whole_register(name)),
        Operand::Pair(a, b) => {
            f(a);
            f(b);
        }
        Operand::Vector(all) | Operand::List(all) => all.iter().for_each(|o| for_each_name(o, f)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// The variable behind each register of a kernel with two shared arrays, `a` and `b`.
    fn origin(body: &str, register: &str) -> Option<String> {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
             .shared .align 4 .b8 a[64];\n.shared .align 4 .b8 b[64];\n{body}\nret;\n}}\n"
        );
        let ptx = parse::parse(&text).expect("parses");
        let origins = Origins::new(&ptx.functions[0], |_| false);
        origins.variable(register).map(str::to_owned)
    }

    #[test]
    fn arithmetic_keeps_the_array() {
        let body = "mov.u32 %r1, a;\nshl.b32 %r2, %r9, 2;\nadd.s32 %r3, %r1, %r2;\n\
                    cvt.u64.u32 %d1, %r3;\ncvta.shared.u64 %d2, %d1;\nadd.s64 %d3, %d2, 8;";
        assert_eq!(origin(body, "%r3").as_deref(), Some("a"));
        assert_eq!(origin(body, "%d3").as_deref(), Some("a"));
        assert_eq!(origin(body, "%r2"), None);
    }

    #[test]
    fn a_selection_between_two_arrays_has_no_origin() {
        let body = "mov.u32 %r1, a;\nmov.u32 %r2, b;\nsetp.eq.u32 %p1, %r1, %r9;\n\
                    selp.b32 %r3, %r1, %r2, %p1;\nselp.b32 %r4, %r1, %r1, %p1;\n\
                    mov.u32 %r5, %r1;\nmov.u32 %r5, %r2;";
        assert_eq!(origin(body, "%r3"), None);
        assert_eq!(origin(body, "%r4").as_deref(), Some("a"));
        assert_eq!(origin(body, "%r5"), None);
    }

    #[test]
    fn an_address_loaded_from_memory_has_no_origin() {
        let load = "mov.u32 %r1, a;\nld.global.u32 %r2, [%d9];\nadd.s32 %r3, %r1, %r2;";
        assert_eq!(origin(load, "%r3").as_deref(), Some("a"));
        let escaped = format!("{load}\nmov.u32 %r4, b;\nst.global.u32 [%d9], %r4;");
        assert_eq!(origin(&escaped, "%r3"), None);
    }
}
