//! Which instructions are PTX: `tests/isa/verdicts` records for some thousands of valid and invalid
//! instructions whether NVIDIA's assembler accepts them (`tests/isa/ask` makes it), and the decoder
//! must agree.

use ptxsim::{Error, Module};

fn verdicts() -> Vec<(bool, String)> {
    std::fs::read_to_string("tests/isa/verdicts")
        .expect("what ptxas said")
        .lines()
        .map(|line| (line.starts_with('+'), line[2..].to_owned()))
        .collect()
}

/// Decodes a kernel with this one instruction.
fn decoded(instruction: &str) -> Result<(), Error> {
    let header = std::fs::read_to_string("tests/isa/header").expect("the registers");
    let module = Module::parse(&format!("{header}{instruction}\nret;\n}}\n"))?;
    module.refused("k").cloned().map_or(Ok(()), Err)
}

/// Instructions that ptxas refuses although PTX ISA allows them: it requires an order of the
/// modifiers in the first, and refuses absolute addresses.
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
            // the instruction is on line 19, behind the declarations of the registers
            Err(Error::Parse { line, message, .. }) if line != 19 || message.is_empty() => {
                wrong.push(format!("not at its line: {instruction} line {line}"));
            }
            Err(Error::Parse { .. } | Error::Unsupported { .. }) | Ok(()) => {}
            Err(other) => wrong.push(format!("{instruction} {other}")),
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
