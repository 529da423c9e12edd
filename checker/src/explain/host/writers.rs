//! Says how much of an array was written before a launch that reads the rest of it, and by which
//! call.

use cudart_sim::runtime::LaunchRecord;
use ptxsim::Finding;

use super::{Draft, Program};
use crate::explain::words::{count, many};

/// Adds what had been written of the memory that a finding is about, if a part of it had not.
pub fn explain(
    program: Program<'_>,
    launched: &LaunchRecord,
    finding: &Finding,
    draft: Draft,
) -> Draft {
    let at = &finding.at;
    let (Some(written), Some(name), Some(all)) = (at.written, &at.array, at.array_bytes) else {
        return draft;
    };
    // the bytes between the rows of memory with a pitch need no writing
    let Some(memory) = launched.named.iter().find(|m| m.name == *name && m.rows.is_none()) else {
        return draft;
    };
    let each = at.elements.and_then(|elements| all.checked_div(elements)).unwrap_or(1).max(1);
    let (some, all, [one, more]) = if each > 1 && written.bytes % each == 0 && all % each == 0 {
        (written.bytes / each, all / each, ["element", "elements"])
    } else {
        (written.bytes, all, ["byte", "bytes"])
    };
    let first = if written.from_start == written.bytes { "the first " } else { "" };
    let which = match some {
        1 if !first.is_empty() => "only the first was".to_owned(),
        1 => "only one was".to_owned(),
        _ => format!("only {first}{} were", count(some)),
    };
    let array = program.name(memory);
    let writer = launched.writers.iter().find(|(memory, _)| memory == name);
    let writer = writer.map(|(_, at)| at).filter(|at| launched.at.as_ref() != Some(at));
    let label = match writer {
        Some(at) if at.call == "cudaLaunchKernel" => format!("this kernel wrote to {array} before"),
        _ => format!("this wrote to {array} before"),
    };
    draft
        .mark(writer.and_then(|at| program.mark(Some(at), false, label)))
        .note(format!("{array} has {}; before this launch, {which} written", many(all, one, more),))
}
