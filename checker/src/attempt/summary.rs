//! What adds up over the cases that are right: the facts of a pass, and the gates.

use super::PreparedCase;
use super::case_run::CaseRun;
use crate::spec::{Role, Spec};
use crate::verdict::{Measured, Passed, Verdict};

/// The facts of a pass so far, and the first missed gate.
#[derive(Default)]
pub(super) struct Summary {
    passed: Passed,
    gated: bool,
    missed: Option<Missed>,
}

/// A case with a missed gate.
struct Missed {
    case: usize,
    gates: Vec<Measured>,
    line: Option<ptxsim::LineCounters>,
}

impl Summary {
    /// Adds a case that is right.
    pub(super) fn add(&mut self, spec: &'static Spec, prepared: &PreparedCase, case_run: &CaseRun) {
        let passed = &mut self.passed;
        let outputs = prepared.inputs.iter().zip(spec.params).filter(|(_, p)| p.role != Role::In);
        let size = outputs.map(|(value, _)| value.array_elements()).max().unwrap_or(0);
        passed.sizes = match passed.cases {
            0 => (size, size),
            _ => (passed.sizes.0.min(size), passed.sizes.1.max(size)),
        };
        passed.cases += 1;
        let gated = prepared.case.gated;
        if let Some(observations) = &case_run.run.observations {
            let writes = observations.arrays.iter().map(|array| array.max_writes).max();
            passed.max_writes = passed.max_writes.max(writes);
            if gated || !self.gated {
                passed.sectors_per_request = Some(observations.totals.sectors_per_request());
            }
        }
        if gated {
            self.gated = true;
            passed.gates.clone_from(&case_run.gates);
            if self.missed.is_none() && case_run.gates.iter().any(|gate| !gate.holds) {
                self.missed = Some(Missed {
                    case: prepared.index,
                    gates: case_run.gates.clone(),
                    line: case_run.heaviest_line.clone(),
                });
            }
        }
    }

    /// Whether a gate has been missed so far.
    pub(super) const fn missed(&self) -> bool {
        self.missed.is_some()
    }

    /// A pass, or the first missed gate.
    pub(super) fn verdict(self) -> Verdict {
        match self.missed {
            Some(Missed { case, gates, line }) => Verdict::GateMissed { case, gates, line },
            None => Verdict::Passed(self.passed),
        }
    }
}
