//! What a pass says of itself, and the gates.

use crate::backend::Run;
use crate::judge;
use crate::spec::{Case, Role, Spec};
use crate::value::Value;
use crate::verdict::{Measured, Passed, Verdict};

/// What adds up over the cases of a kernel that is right.
#[derive(Default)]
pub(super) struct Facts {
    passed: Passed,
    gated: bool,
    missed: Option<(usize, Vec<Measured>, Option<ptxsim::LineCounters>)>,
}

impl Facts {
    pub(super) fn add(
        &mut self,
        spec: &'static Spec,
        (index, case): (usize, &Case),
        inputs: &[Value],
        run: &Run,
    ) {
        let passed = &mut self.passed;
        let size = inputs.iter().zip(spec.params).filter(|(_, param)| param.role != Role::In);
        let size = size.map(|(value, _)| elements(value)).max().unwrap_or(0);
        passed.sizes = match passed.cases {
            0 => (size, size),
            _ => (passed.sizes.0.min(size), passed.sizes.1.max(size)),
        };
        passed.cases += 1;
        if let Some(seen) = &run.observations {
            let writes = seen.arrays.iter().map(|array| array.max_writes).max();
            passed.max_writes = passed.max_writes.max(writes);
            if case.gated || !self.gated {
                passed.sectors_per_request = Some(seen.totals.sectors_per_request());
            }
        }
        if case.gated {
            self.gated = true;
            let (gates, line) = judge::gates(spec, index, run);
            if self.missed.is_none() && gates.iter().any(|gate| !gate.holds) {
                self.missed = Some((index, gates.clone(), line));
            }
            passed.gates = gates;
        }
    }

    /// Whether a gate was missed so far.
    pub(super) const fn missed(&self) -> bool {
        self.missed.is_some()
    }

    pub(super) fn verdict(self) -> Verdict {
        match self.missed {
            Some((case, gates, line)) => Verdict::GateMissed { case, gates, line },
            None => Verdict::Passed(self.passed),
        }
    }
}

fn elements(value: &Value) -> usize {
    match value {
        Value::Array(array) => array.len(),
        Value::Out { shape, .. } => shape.iter().product(),
        Value::Scalar(_) => 0,
    }
}
