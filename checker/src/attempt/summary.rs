//! What adds up over the cases that are right: the facts of a pass, and the gates.

use super::PreparedCase;
use super::case_run::CaseRun;
use crate::judge;
use crate::spec::{Gate, Metric, Spec};
use crate::value::Value;
use crate::verdict::{Measured, Passed, Verdict};

/// The facts of a pass so far, and the verdict about the first missed gate.
#[derive(Default)]
pub(super) struct Summary {
    passed: Passed,
    gated: bool,
    missed: Option<Verdict>,
}

impl Summary {
    /// Adds a case that is right.
    pub(super) fn add(&mut self, spec: &'static Spec, prepared: &PreparedCase, case_run: &CaseRun) {
        let passed = &mut self.passed;
        // The largest array is as large as the work: a sum has one element, and its input has n.
        let size = prepared.inputs.iter().map(Value::array_elements).max().unwrap_or(0);
        passed.sizes = match passed.cases {
            0 => (size, size),
            _ => (passed.sizes.0.min(size), passed.sizes.1.max(size)),
        };
        passed.cases += 1;
        if let Some(program) = &case_run.run.program {
            passed.freeing_wait = passed.freeing_wait.take().or(program.freeing_wait.clone());
        }
        let gated = prepared.case.gated;
        if let Some(observations) = &case_run.run.observations {
            let writes = judge::writes_per_element(spec, observations);
            passed.max_writes = passed.max_writes.max(writes);
            if !self.gated {
                // as the exercise's own gate counts them; without one, small requests count as they
                // are
                let gated = |gate: &Gate| matches!(gate.metric, Metric::SectorsPerRequest { .. });
                let gate = spec.gates.iter().any(gated);
                let totals = &observations.totals;
                passed.sectors_per_request = Some(match gate {
                    true => totals.sectors_per_128_bytes(),
                    false => totals.sectors_per_narrow_request(),
                });
            }
        }
        if gated {
            if !self.gated {
                passed.gates.clone_from(&case_run.gates);
            }
            self.gated = true;
        }
        if self.missed.is_none() && case_run.gates.iter().any(|gate| !gate.holds) {
            let gates = case_run.gates.clone();
            self.missed = Some(gate_missed(prepared.index, gates, case_run));
        }
    }

    /// Whether a gate has been missed so far.
    pub(super) const fn missed(&self) -> bool {
        self.missed.is_some()
    }

    /// A pass, or the first missed gate.
    pub(super) fn verdict(self) -> Verdict {
        match self.missed {
            Some(verdict) => verdict,
            None => Verdict::Passed(self.passed),
        }
    }
}

/// The verdict about a case that misses a gate.
pub(super) fn gate_missed(case: usize, gates: Vec<Measured>, case_run: &CaseRun) -> Verdict {
    let program = case_run.run.program.as_ref();
    Verdict::GateMissed {
        case,
        gates,
        lines: case_run.heaviest_lines.clone(),
        variables: program.map(|program| program.variables.clone()).unwrap_or_default(),
        overlap: program.map(judge::overlap_facts),
    }
}
