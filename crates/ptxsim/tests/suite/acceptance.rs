//! What is PTX and what is not: `tests/isa/verdicts` holds what NVIDIA's assembler said of some thousands of instructions,
//! right ones and wrong ones (`tests/isa/ask`), and the decoder must say the same.

use ptxsim::{Error, Module};

fn verdicts() -> Vec<(bool, String)> {
    std::fs::read_to_string("tests/isa/verdicts")
        .expect("what ptxas said")
        .lines()
        .map(|line| (line.starts_with('+'), line[2..].to_owned()))
        .collect()
}

/// What the decoder says of one instruction.
fn decoded(instruction: &str) -> Result<(), Error> {
    let header = std::fs::read_to_string("tests/isa/header").expect("the registers");
    let module = Module::parse(&format!("{header}{instruction}\nret;\n}}\n"))?;
    module.refused("k").cloned().map_or(Ok(()), Err)
}

/// Where ptxas is stricter than PTX ISA: an order of modifiers that it minds in this one instruction, and absolute
/// addresses.
const LENIENT: [&str; 2] = ["div.ftz.full.f32 %f0,%f1,%f2;", "ld.shared.u32 %r0,[16];"];

#[test]
fn ptxas_and_the_decoder_agree() {
    let mut wrong = vec![];
    for (accepted, instruction) in verdicts() {
        match decoded(&instruction) {
            Ok(()) if !accepted && !LENIENT.contains(&instruction.as_str()) => {
                wrong.push(format!("taken, though ptxas refuses it: {instruction}"));
            }
            Err(Error::Parse { line, message, .. }) if accepted => {
                wrong.push(format!("refused: {instruction} line {line}: {message}"));
            }
            // the registers' lines come before it
            Err(Error::Parse { line, message, .. }) if line != 19 || message.is_empty() => {
                wrong.push(format!("not at its line: {instruction} line {line}"));
            }
            Err(Error::Parse { .. } | Error::Unsupported { .. }) | Ok(()) => {}
            Err(other) => wrong.push(format!("{instruction} {other}")),
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
