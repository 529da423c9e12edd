//! A second call of a program in a case that it has solved, with other values in its arrays.
//!
//! The results must be right again, and the host must do the same. Otherwise the host has computed
//! with the values. A host that sends much data of its own, or whose part is to copy, is called a
//! third time, with other numbers. They may be all that a kernel's work depends on, as with random
//! numbers, and a host that copies other bytes for other numbers puts elements where they belong. A
//! program that reports errors is also called on machines with faults ([`Case::other_faults`]), and
//! one whose host may move single elements is called with kernels that store nothing.

use ptxsim::Disturbance;

use super::case_run::{CaseRun, GpuUse};
use super::{CompiledCode, Error, PreparedCase};
use crate::backend::{Choice, Run};
use crate::engine::Engine;
use crate::judge;
use crate::spec::{Case, HostPart, Spec};
use crate::verdict::{HostShare, Verdict};

/// What a second call is made with.
pub(super) struct SecondCall<'a> {
    pub spec: &'static Spec,
    pub code: &'a mut CompiledCode,
    pub engine: &'a mut Engine,
}

/// What is wrong after a second call.
pub(super) struct Failure {
    /// The seed with which a check shows it.
    pub seed: u64,
    /// The run to show, with the verdict.
    pub case_run: CaseRun,
}

impl SecondCall<'_> {
    /// Calls the program again, and compares.
    pub(super) fn failure(
        &mut self,
        prepared: &PreparedCase,
        case_run: &CaseRun,
        gpu_use: GpuUse,
    ) -> Result<Option<Failure>, Error> {
        let (spec, case, seed) = (self.spec, prepared.index, prepared.check_seed());
        if !spec.kind.has_host_code() || case_run.run.program.is_none() {
            return Ok(None);
        }
        let with = |verdict| CaseRun { verdict: Some(verdict), ..case_run.clone() };
        let on_host = |share: HostShare| {
            let case_run = with(Verdict::ComputedOnHost { case, share });
            Failure { seed, case_run }
        };
        let other = prepared.with_other_arrays(spec);
        let run = self.run(&other)?;
        let Some(wrong) = judge::case(spec, case, &other.inputs, &run) else {
            let share = match judge::sent(&case_run.run, &run) {
                None => self.made(prepared, &case_run.run)?,
                share => share,
            };
            let share = match share {
                None => self.assumed(prepared)?,
                share => share,
            };
            let share = match share {
                None => self.independent(prepared, &case_run.run)?,
                share => share,
            };
            return Ok(share.map(on_host));
        };
        // A learner can repeat a run whose scalars are of the same seed.
        let repeatable = PreparedCase::new(spec, (case, prepared.case), prepared.other_seed());
        let repeated = CaseRun::new(spec, &repeatable, self.code, gpu_use, self.engine)?;
        Ok(Some(match repeated.verdict {
            Some(_) => Failure { seed: prepared.other_seed(), case_run: repeated },
            None => Failure { seed, case_run: with(wrong) },
        }))
    }

    /// What the host has computed from the numbers of the case, if it sends much data of its own,
    /// or where its part of the exercise is to copy.
    fn made(&mut self, prepared: &PreparedCase, run: &Run) -> Result<Option<HostShare>, Error> {
        let copies = prepared.case.gated && self.spec.kind.host_part() == Some(HostPart::Copies);
        let made = judge::made_data(run);
        let other = prepared.with_other_numbers(self.spec);
        if !made && !copies || other.inputs == prepared.inputs {
            return Ok(None);
        }
        let other = self.run(&other)?;
        let share = judge::made(run, &other).filter(|_| made);
        Ok(share.or_else(|| judge::arranged(run, &other).filter(|_| copies)))
    }

    /// What the host has written without regard to what the runtime returned.
    fn assumed(&mut self, prepared: &PreparedCase) -> Result<Option<HostShare>, Error> {
        for &fault in prepared.case.other_faults {
            let faulty = Case { fault: Some(fault), ..*prepared.case };
            let run = self.run(&prepared.on_machine_with(fault))?;
            if let Some(share) = judge::assumed(self.spec, &faulty, &prepared.inputs, &run) {
                return Ok(Some(share));
            }
        }
        Ok(None)
    }

    /// What the host has written without regard to what kernels stored, where its part is more than
    /// to copy the results.
    fn independent(
        &mut self,
        prepared: &PreparedCase,
        run: &Run,
    ) -> Result<Option<HostShare>, Error> {
        let rearranges = self.spec.kind.host_part() == Some(HostPart::Rearranges);
        if !prepared.case.gated || !rearranges {
            return Ok(None);
        }
        let without = self.run(&prepared.disturbed(Disturbance::Stores))?;
        Ok(judge::independent(self.spec, run, &without))
    }

    fn run(&mut self, prepared: &PreparedCase) -> Result<Run, Error> {
        self.code.run(Choice::Sim, self.spec, prepared, self.engine)
    }
}
