//! The pointer parameters that a kernel may write through.
//!
//! A read of memory that the launch cannot write needs no shadow memory. The analysis is
//! flow-insensitive and conservative: an address that it cannot follow counts as "may point
//! anywhere".

use std::collections::HashMap;

use crate::parse::ast::{Function, Instruction, Operand, Statement, whole_register};

/// Parameters as bits, and [`ANY`].
pub(crate) type Origins = u64;
/// May point anywhere.
pub(crate) const ANY: Origins = 1 << 63;

/// The parameters (bit `i` for parameter `i`) that the function's stores and atomics may write
/// through.
pub(crate) fn written(function: &Function<'_>) -> Origins {
    let body = function.body.as_deref().unwrap_or_default();
    let instructions: Vec<&Instruction<'_>> = body
        .iter()
        .filter_map(|s| if let Statement::Instruction(i) = s { Some(i) } else { None })
        .collect();
    if instructions.iter().any(|i| i.root() == "call") || function.params.len() >= 63 {
        return ANY;
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
    let mut written = 0;
    for i in &instructions {
        let memory = match i.root() {
            "st" | "red" if !i.has("shared") && !i.has("local") && !i.has("param") => {
                i.operands.first()
            }
            "atom" if !i.has("shared") => i.operands.get(1),
            // asynchronous copies write to shared memory
            "cp" if i.has("async") && !i.has("bulk") => continue,
            "cp" | "sust" => return ANY,
            _ => continue,
        };
        let through =
            memory.and_then(memory_base).map_or(ANY, |b| origins.get(b).copied().unwrap_or(ANY));
        written |= if through == 0 { ANY } else { through };
    }
    written
}

fn is_wide(i: &Instruction<'_>) -> bool {
    i.types().last().is_some_and(|t| t.bytes() >= 8)
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
