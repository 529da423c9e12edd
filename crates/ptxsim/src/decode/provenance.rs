//! The pointer parameters that a kernel may read or write through.
//!
//! A read of memory that the launch cannot write needs no shadow memory, and a launch does the same
//! again if the memory that it can read is the same. The analysis is flow-insensitive and
//! conservative: an address that it cannot follow counts as "may point anywhere".

use std::collections::HashMap;

use crate::parse::ast::{Function, Instruction, Operand, Statement, whole_register};

/// Parameters as bits, and [`ANY`].
pub(crate) type Origins = u64;
/// May point anywhere.
pub(crate) const ANY: Origins = 1 << 63;
/// Texels of textures and surfaces.
pub(crate) const IMAGES: Origins = 1 << 62;

/// The parameters (bit `i` for parameter `i`) that a function may access memory through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Provenance {
    /// Those that its stores and atomics may write through.
    pub written: Origins,
    /// Those that its loads and atomics may read through, and [`IMAGES`]. Variables of the module
    /// don't count.
    pub read: Origins,
}

/// Through which parameters a function may access memory.
pub(crate) fn analyse(function: &Function<'_>) -> Provenance {
    let body = function.body.as_deref().unwrap_or_default();
    let instructions: Vec<&Instruction<'_>> = body
        .iter()
        .filter_map(|s| if let Statement::Instruction(i) = s { Some(i) } else { None })
        .collect();
    if instructions.iter().any(|i| i.root() == "call") || function.params.len() >= 62 {
        return Provenance { written: ANY, read: ANY };
    }
    let param = |name: &str| function.params.iter().position(|p| p.name == name);
    let mut origins: HashMap<&str, Origins> = HashMap::new();
    loop {
        let mut changed = false;
        for i in &instructions {
            let Some((destination, sources)) = i.operands.split_first() else { continue };
            let from = match i.root() {
                "ld" if i.has("param") => sources
                    .iter()
                    .filter_map(memory_base)
                    .map(|b| param(b).map_or(ANY, |p| 1 << p))
                    .fold(0, |a, b| a | b),
                "ld" | "atom" | "shfl" | "tex" | "suld" if is_wide(i) => ANY,
                "ld" | "st" | "red" | "bra" | "ret" => continue,
                _ => sources.iter().fold(0, |all, s| all | origins_of(s, &origins)),
            };
            for_each_register(destination, &mut |name| {
                let entry = origins.entry(name).or_default();
                changed |= *entry | from != *entry;
                *entry |= from;
            });
        }
        if !changed {
            break;
        }
    }
    let mut all = Provenance { written: 0, read: 0 };
    for i in &instructions {
        let through = |operand: Option<&Operand<'_>>| {
            let base = operand.and_then(memory_base);
            let through = base.map_or(ANY, |b| origins.get(b).copied().unwrap_or(ANY));
            if through == 0 { ANY } else { through }
        };
        all.written |= match i.root() {
            "st" | "red" if !i.has("shared") && !i.has("local") && !i.has("param") => {
                through(i.operands.first())
            }
            "wmma" if i.has("store") && !in_shared(i) => through(i.operands.first()),
            "atom" if !i.has("shared") => through(i.operands.get(1)),
            // asynchronous copies write to shared memory
            "cp" if i.has("async") && !i.has("bulk") => 0,
            "cp" | "sust" => ANY,
            _ => 0,
        };
        all.read |= match i.root() {
            "ld" | "ldu" | "red" | "atom"
                if ["shared", "local", "param", "const"].iter().any(|space| i.has(space)) =>
            {
                0
            }
            "red" => through(i.operands.first()),
            "ld" | "ldu" | "atom" => through(i.operands.get(1)),
            "wmma" if i.has("load") && !in_shared(i) => through(i.operands.get(1)),
            "tex" | "tld4" | "suld" => IMAGES,
            "cp" => ANY,
            _ => 0,
        };
    }
    all
}

fn is_wide(i: &Instruction<'_>) -> bool {
    i.types().last().is_some_and(|t| t.bytes() >= 8)
}

fn in_shared(i: &Instruction<'_>) -> bool {
    i.modifiers().any(|m| m.starts_with("shared"))
}

fn memory_base<'a>(operand: &Operand<'a>) -> Option<&'a str> {
    if let Operand::Memory { base, .. } = operand { base.map(whole_register) } else { None }
}

fn origins_of(operand: &Operand<'_>, origins: &HashMap<&str, Origins>) -> Origins {
    let mut all = 0;
    for_each_register(operand, &mut |name| all |= origins.get(name).copied().unwrap_or(0));
    all
}

fn for_each_register<'a>(operand: &Operand<'a>, f: &mut impl FnMut(&'a str)) {
    match operand {
        Operand::Name(n) | Operand::Offset(n, _) => f(whole_register(n)),
        Operand::Pair(a, b) => {
            f(a);
            f(b);
        }
        Operand::Vector(all) | Operand::List(all) => all.iter().for_each(|o| {
            if let Operand::Name(n) = o {
                f(whole_register(n));
            }
        }),
        _ => {}
    }
}
