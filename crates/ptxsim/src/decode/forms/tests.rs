//! The table against the decoder: exactly the forms that are marked cannot run.

use super::{Match, find};
use crate::parse::ast::Statement;
use crate::{Error, Module};

#[test]
fn exactly_the_marked_forms_are_unsupported() {
    let header = std::fs::read_to_string("tests/isa/header").expect("the registers");
    let verdicts = std::fs::read_to_string("tests/isa/verdicts").expect("what ptxas accepts");
    let mut wrong = vec![];
    for instruction in verdicts.lines().filter_map(|line| line.strip_prefix("+ ")) {
        let text = format!("{header}{instruction}\nret;\n}}\n");
        let tree = crate::parse::parse(&text).expect(instruction);
        let body = tree.functions.iter().find_map(|f| f.body.as_deref()).expect("a body");
        let first = body.iter().find_map(|statement| match statement {
            Statement::Instruction(i) => Some(i),
            _ => None,
        });
        let first = first.expect("an instruction");
        let Match::Form(form) = find(first) else {
            wrong.push(format!("no form: {instruction}"));
            continue;
        };
        let module = Module::parse(&text).expect(instruction);
        let refused = matches!(module.refused("k"), Some(Error::Unsupported { .. }));
        if form.supported == refused {
            wrong.push(format!("supported: {}, refused: {refused}: {instruction}", form.supported));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
