//! The summary of a pass.

use cudart_sim::report::FreeingWait;

use super::Draft;
use super::gates;
use super::host::Program;
use super::words::{many, measured, size, times};
use crate::verdict::Passed;

/// Summarises a pass: its cases and sizes, and the counts that improved.
pub fn explain(passed: &Passed, program: Program<'_>) -> Draft {
    let (smallest, largest) = passed.sizes;
    let sizes = if smallest == largest {
        format!("arrays of {}", many(largest as u64, "element", "elements"))
    } else {
        format!("arrays of {} to {} elements", size(smallest), size(largest))
    };
    let mut draft = Draft::new(format!("{}, {sizes}", many(passed.cases as u64, "case", "cases")));
    let mut facts = Vec::new();
    match passed.max_writes {
        Some(1) => facts.push("each element written once".to_owned()),
        Some(n @ ptxsim::MAX_COUNTED_WRITES..) => {
            facts.push(format!("an element written {}", times(n)));
        }
        Some(n) if n > 1 => facts.push(format!("elements written up to {}", times(n))),
        _ => {}
    }
    // Without requests, there is no such number to show.
    if let Some(sectors) = passed.sectors_per_request.filter(|sectors| *sectors > 0.0) {
        facts.push(format!("{sectors:.1} sectors/request"));
    }
    if !facts.is_empty() {
        facts.push("no findings".to_owned());
        draft = draft.note(facts.join(" · "));
    }
    if let Some(FreeingWait { at, copy }) = &passed.freeing_wait
        && let Some(((line, _), (copied, _))) = program.line(at).zip(program.line(copy))
    {
        draft = draft.note(format!(
            "only {} (line {line}) waits for the copy on line {copied}: it does so on current GPUs, but NVIDIA's documentation does not promise that, whereas cudaStreamSynchronize and cudaDeviceSynchronize are made for this",
            at.call
        ));
    }
    let gated = passed.gates.iter().any(|gate| gate.gate.baseline.is_some());
    if gated {
        draft.table = gates::table(&passed.gates);
    }
    for gate in &passed.gates {
        let (Some(value), Some(start)) = (gate.value, gate.gate.baseline) else { continue };
        if value > 0.0 && start / value >= 1.5 {
            let times = measured((start / value * 10.0).round() / 10.0);
            draft = draft.note(format!(
                "{}: {times} times fewer than at the start",
                gates::name(gate.gate.metric)
            ));
        }
    }
    draft
}
