//! Which bytes of its parameters a kernel's code loads.

use std::ops::Range;

use crate::decode::origin::for_each_name;
use crate::parse::ast::{Function, Instruction, Operand, Statement};

/// The bytes of the parameter called `name` that the code of a kernel loads, in the order of the
/// text. `None` if the code uses the parameter in another way, such as by its address.
pub(super) fn bytes(function: &Function<'_>, name: &str) -> Option<Vec<Range<u32>>> {
    let body = function.body.as_deref().unwrap_or_default();
    let instructions = body.iter().filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    });
    let mut all = vec![];
    for instruction in instructions.filter(|instruction| names(instruction, name)) {
        let range = load(instruction, name)?;
        if !all.contains(&range) {
            all.push(range);
        }
    }
    Some(all)
}

/// Whether an operand of the instruction names the parameter.
fn names(instruction: &Instruction<'_>, name: &str) -> bool {
    let mut found = false;
    for operand in &instruction.operands {
        for_each_name(operand, &mut |other| found |= other == name);
    }
    found
}

/// The bytes of the parameter that a `ld.param` loads.
fn load(instruction: &Instruction<'_>, name: &str) -> Option<Range<u32>> {
    let [to, Operand::Memory { base: Some(base), offset }] = instruction.operands.as_slice() else {
        return None;
    };
    let param = instruction.modifiers().any(|modifier| modifier.starts_with("param"));
    if instruction.root() != "ld" || !param || *base != name {
        return None;
    }
    let elements = if let Operand::Vector(parts) = to { parts.len() } else { 1 };
    let bytes = instruction.types().last()?.bytes() * u32::try_from(elements).ok()?;
    let start = u32::try_from(*offset).ok()?;
    Some(start..start.checked_add(bytes)?)
}

#[cfg(test)]
mod tests {
    use crate::Module;

    /// The bytes of the structure `s` that a kernel with this body loads: starts and ends.
    fn loaded(body: &str) -> Option<Vec<[u32; 2]>> {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n\
             .visible .entry k(.param .u64 p, .param .align 8 .b8 s[24]) {{\n\
             .reg .b64 %d<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n{body}\nret;\n}}\n"
        );
        let module = Module::parse(&text).expect("parses");
        let ranges = module.entries()[0].params[1].loaded.as_ref()?;
        Some(ranges.iter().map(|range| [range.start, range.end]).collect())
    }

    /// What lies between the members of a structure has any value, so nothing may depend on it.
    #[test]
    fn gaps_of_structures_are_not_loaded() {
        let body = "ld.param.u64 %d1, [s];\nld.param.f32 %f1, [s+8];\nld.param.u64 %d1, [s];";
        assert_eq!(loaded(body), Some(vec![[0, 8], [8, 12]]));
        assert_eq!(loaded("ld.param.v2.u32 {%r1, %r2}, [s+16];"), Some(vec![[16, 24]]));
        assert_eq!(loaded(""), Some(vec![]));
    }

    #[test]
    fn by_its_address_a_kernel_may_load_everything() {
        assert_eq!(loaded("mov.b64 %d1, s;"), None);
        assert_eq!(loaded("ld.param.u64 %d1, [s];\nmov.b64 %d2, s;"), None);
    }

    #[test]
    fn used_parts_of_an_argument() {
        let text = ".version 8.0\n.target sm_75\n.address_size 64\n\
                    .visible .entry k(.param .align 4 .b8 s[12]) {\n.reg .b32 %r<3>;\n\
                    ld.param.u32 %r1, [s];\nld.param.u32 %r2, [s+8];\nret;\n}\n";
        let module = Module::parse(text).expect("parses");
        let argument: Vec<u8> = (0..12).collect();
        let used: Vec<&[u8]> = module.entries()[0].params[0].used(&argument).collect();
        assert_eq!(used, [&[0_u8, 1, 2, 3][..], &[8, 9, 10, 11]]);
    }
}
