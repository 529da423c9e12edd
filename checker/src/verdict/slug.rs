//! Which diagnostic each verdict is reported under.

use cudart_sim::report::{HostFinding, HostFindingKind};
use ptxsim::{Action, Finding, FindingKind};

use super::{Mismatch, Verdict};
use crate::backend::Fault;
use crate::diagnostic::Slug;
use crate::spec::Metric;

impl Verdict {
    /// Its stable name.
    pub fn slug(&self) -> Slug {
        match self {
            Self::Passed(_) => Slug::Passed,
            Self::NotStarted { .. } => Slug::NotStarted,
            Self::UnreadableSource(_) => Slug::UnreadableSource,
            Self::CompileError(_) => Slug::CompileError,
            Self::CompilerStopped(_) => Slug::CompilerStopped,
            Self::WrongSignature(_) => Slug::WrongSignature,
            Self::Fault { fault, .. } => fault.slug(),
            Self::WrongValues { mismatch, .. } => mismatch.slug(),
            Self::GateMissed { gates, .. } => gates
                .iter()
                .find(|measured| !measured.holds)
                .map_or(Slug::GateMissed, |measured| measured.gate.metric.slug()),
        }
    }

    /// True for a pass, and for nothing else.
    pub const fn passed(&self) -> bool {
        matches!(self, Self::Passed(_))
    }
}

impl Mismatch {
    /// An output that nobody wrote; NaN, when it explains every wrong element, so that a few do not hide the arithmetic;
    /// else wrong values, of which some may be untouched: a pattern says more about those.
    pub const fn slug(&self) -> Slug {
        if self.total > 0 && self.untouched == self.total {
            Slug::OutputNotWritten
        } else if self.answer {
            Slug::WrongAnswer
        } else if self.nan > 0 && self.nan + self.untouched == self.wrong {
            Slug::NotANumber
        } else {
            Slug::WrongValues
        }
    }
}

impl Metric {
    /// The verdict when a gate on it is missed.
    pub const fn slug(self) -> Slug {
        match self {
            Self::SectorsPerRequest => Slug::Uncoalesced,
            Self::WritesPerElement => Slug::WrittenTwice,
            Self::SharedConflicts => Slug::BankConflict,
            _ => Slug::GateMissed,
        }
    }
}

impl Fault {
    /// The verdict that it leads to. Driver codes: CUDA Driver API, `CUresult`.
    pub fn slug(&self) -> Slug {
        match self {
            Self::Finding(finding) | Self::InLaunch { finding, .. } => finding_slug(finding),
            Self::Host(finding) => host_slug(finding),
            Self::Leaked(_) => Slug::MemoryLeak,
            Self::Undefined { .. } => Slug::CompileError,
            Self::Exited { .. } => Slug::ProgramEnded,
            Self::Crashed { .. } | Self::Garbled { .. } => Slug::HostCrash,
            Self::GuardZone { .. } => Slug::OutOfBoundsWrite,
            Self::InputChanged { .. } => Slug::InputChanged,
            Self::Driver { code, .. } => match code {
                700 => Slug::InvalidAddress,
                702 => Slug::NeverFinishes,
                710 => Slug::Trap,
                716 => Slug::MisalignedAccess,
                _ => Slug::LaunchFailed,
            },
            Self::TimedOut { .. } => Slug::NeverFinishes,
            Self::WorkerDied { .. } => Slug::LaunchFailed,
            Self::Unsupported { .. } => Slug::Unsupported,
        }
    }
}

fn host_slug(finding: &HostFinding) -> Slug {
    match finding.kind {
        // whether the program looks at what a function returns cannot be seen; a launch returns nothing
        HostFindingKind::UncheckedError(_)
            if finding.at.as_ref().is_some_and(|at| at.call == "cudaLaunchKernel") =>
        {
            Slug::UncheckedError
        }
        HostFindingKind::CallFailed(_) | HostFindingKind::UncheckedError(_) => Slug::CallFailed,
        HostFindingKind::UninitialisedCopy { .. } => Slug::UninitialisedRead,
        HostFindingKind::DoubleFree { .. } => Slug::DoubleFree,
        HostFindingKind::InvalidFree { .. } => Slug::InvalidFree,
        HostFindingKind::UseAfterFree { .. } => Slug::UseAfterFree,
        HostFindingKind::MissingWait { .. } => Slug::MissingWait,
        HostFindingKind::HostRace { .. } => Slug::HostRace,
    }
}

fn finding_slug(finding: &Finding) -> Slug {
    match finding.what {
        FindingKind::OutOfBounds if finding.at.action == Action::Read => Slug::OutOfBoundsRead,
        FindingKind::OutOfBounds => Slug::OutOfBoundsWrite,
        FindingKind::InvalidAddress => Slug::InvalidAddress,
        FindingKind::UseAfterFree => Slug::UseAfterFree,
        FindingKind::DoubleFree => Slug::DoubleFree,
        FindingKind::InvalidFree { .. } => Slug::InvalidFree,
        FindingKind::Misaligned => Slug::MisalignedAccess,
        FindingKind::BadObject { .. } => Slug::BadHandle,
        FindingKind::BadSurfaceCoordinate { .. } => Slug::SurfaceCoordinate,
        FindingKind::UninitialisedRead => Slug::UninitialisedRead,
        FindingKind::SharedRace => Slug::SharedRace,
        FindingKind::GlobalRace => Slug::GlobalRace,
        FindingKind::BarrierNotReached { .. } => Slug::BarrierNotReached,
        FindingKind::Deadlock { .. } => Slug::Deadlock,
        FindingKind::Livelock { .. } => Slug::Livelock,
        FindingKind::BadBarrier { .. } => Slug::BadBarrier,
        FindingKind::BadSyncMask { .. } => Slug::BadSyncMask,
        FindingKind::NeverFinishes { .. } => Slug::NeverFinishes,
        FindingKind::Trap | FindingKind::Assert { .. } => Slug::Trap,
        FindingKind::NotCooperative => Slug::NotCooperative,
        FindingKind::StackOverflow { .. } => Slug::StackOverflow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Passed, Unreadable};

    /// "Wrong" and "could not run" are never confused.
    #[test]
    fn exit_codes_tell_wrong_from_could_not_run() {
        use crate::exit::{ENVIRONMENT, NOT_YET, PASSED, code};
        let fault = |fault| Verdict::Fault { case: 0, fault, others: 0 };
        assert_eq!(code(&Verdict::Passed(Passed::default())), PASSED);
        assert_eq!(code(&Verdict::UnreadableSource(Unreadable::Empty)), NOT_YET);
        assert_eq!(code(&fault(Fault::TimedOut { seconds: 1.0 })), NOT_YET);
        assert_eq!(code(&fault(Fault::WorkerDied { how: "signal 9".into() })), ENVIRONMENT);
        let feature = "tex.2d".into();
        assert_eq!(code(&fault(Fault::Unsupported { feature, source: None })), ENVIRONMENT);
    }
}
