//! Which diagnostic each verdict is reported under.

use super::{Measured, Mismatch, Verdict};
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
            Self::Fault { fault, .. } => Slug::of_fault(fault),
            Self::WrongValues { mismatch, .. } => mismatch.slug(),
            Self::ComputedOnHost { .. } => Slug::ComputedOnHost,
            Self::GateMissed { gates, .. } => Measured::decisive(gates)
                .map_or(Slug::GateMissed, |measured| measured.gate.metric.slug()),
        }
    }

    /// Whether everything passed.
    pub const fn passed(&self) -> bool {
        matches!(self, Self::Passed(_))
    }
}

impl Mismatch {
    /// NaN counts only when it explains every wrong element, because a few NaNs must not hide a
    /// mistake in the arithmetic. An output with a few untouched elements has wrong values, since
    /// their pattern says more.
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
    /// The diagnostic when a gate on it is missed.
    pub const fn slug(self) -> Slug {
        match self {
            Self::SectorsPerRequest { .. } => Slug::Uncoalesced,
            Self::WritesPerElement => Slug::WrittenTwice,
            Self::SharedConflicts => Slug::BankConflict,
            _ => Slug::GateMissed,
        }
    }
}

impl Slug {
    /// The diagnostic that a fault leads to. Driver codes: CUDA Driver API, `CUresult`.
    pub fn of_fault(fault: &Fault) -> Self {
        match fault {
            Fault::Finding(finding) | Fault::InLaunch { finding, .. } => Self::of_finding(finding),
            Fault::Host(finding) => Self::of_host_finding(finding),
            Fault::Leaked(_) => Self::MemoryLeak,
            Fault::Undefined { .. } => Self::CompileError,
            Fault::Exited { .. } => Self::ProgramEnded,
            Fault::Crashed { .. } | Fault::Garbled { .. } => Self::HostCrash,
            Fault::GuardZone { .. } => Self::OutOfBoundsWrite,
            Fault::InputChanged { .. } => Self::InputChanged,
            Fault::Driver { code, .. } => match code {
                700 => Self::InvalidAddress,
                702 => Self::NeverFinishes,
                710 => Self::Trap,
                716 => Self::MisalignedAccess,
                _ => Self::LaunchFailed,
            },
            Fault::TimedOut { .. } | Fault::NoTimeLeft { .. } => Self::NeverFinishes,
            Fault::WorkerDied { .. } => Self::LaunchFailed,
            Fault::Unsupported { .. } => Self::Unsupported,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Passed, Results, Unreadable};

    #[test]
    fn exit_codes_distinguish_wrong_from_could_not_run() {
        use crate::exit::{ENVIRONMENT, NOT_YET, PASSED, code};
        let fault = |fault| Verdict::Fault {
            case: 0,
            fault: Box::new(fault),
            others: 0,
            results: Results::default(),
        };
        assert_eq!(code(&Verdict::Passed(Passed::default())), PASSED);
        assert_eq!(code(&Verdict::UnreadableSource(Unreadable::Empty)), NOT_YET);
        assert_eq!(code(&fault(Fault::TimedOut { seconds: 1.0 })), NOT_YET);
        assert_eq!(code(&fault(Fault::WorkerDied { how: "signal 9".into() })), ENVIRONMENT);
        let feature = "tex.2d".into();
        assert_eq!(code(&fault(Fault::Unsupported { feature, source: None })), ENVIRONMENT);
    }
}
