//! The stable names of verdicts, and which verdict has which.

use cudart_sim::report::{HostFinding, HostFindingKind};
use ptxsim::{Action, Finding, FindingKind};
use serde::{Deserialize, Serialize};

use super::{Mismatch, Verdict};
use crate::backend::Fault;
use crate::spec::Metric;

/// The stable name of a verdict: what `checker explain` takes, and what a mutant's first line expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slug {
    /// Everything holds.
    Passed,
    /// The skeleton's gaps are still open and the outputs untouched.
    NotStarted,
    /// The source file is missing, empty, not text, or too large.
    UnreadableSource,
    /// The compiler rejected it.
    CompileError,
    /// The compiler did not end or crashed on it.
    CompilerStopped,
    /// No kernel of the right name, or its parameters differ.
    WrongSignature,
    /// A read outside an array.
    OutOfBoundsRead,
    /// A write outside an array.
    OutOfBoundsWrite,
    /// An address in no allocation.
    InvalidAddress,
    /// Memory that was freed before.
    UseAfterFree,
    /// Memory that is freed twice.
    DoubleFree,
    /// `free` of what `malloc` did not return.
    InvalidFree,
    /// An address that its size does not divide.
    MisalignedAccess,
    /// No texture, or no surface.
    BadHandle,
    /// A surface access outside the array or between its elements.
    SurfaceCoordinate,
    /// A read of memory that nothing wrote.
    UninitialisedRead,
    /// A race in shared memory.
    SharedRace,
    /// A race in global memory.
    GlobalRace,
    /// A barrier that some threads never reach.
    BarrierNotReached,
    /// Nobody can go on.
    Deadlock,
    /// Everybody waits in a loop for what cannot happen.
    Livelock,
    /// A barrier that no GPU has.
    BadBarrier,
    /// A warp operation with the wrong mask.
    BadSyncMask,
    /// The budget or the clock ran out.
    NeverFinishes,
    /// `trap` or a failed device `assert`.
    Trap,
    /// A barrier for the whole grid in a launch that is not cooperative.
    NotCooperative,
    /// Too much local memory.
    StackOverflow,
    /// An input buffer was changed.
    InputChanged,
    /// The launch was refused or failed in the driver in another way.
    LaunchFailed,
    /// An output was not written at all.
    OutputNotWritten,
    /// NaN where a number belongs.
    NotANumber,
    /// Values beyond the tolerance.
    WrongValues,
    /// What the learner has recorded in the file is not so.
    WrongAnswer,
    /// Right, but an element is written more than once.
    WrittenTwice,
    /// Right, but with uncoalesced access.
    Uncoalesced,
    /// Right, but with bank conflicts.
    BankConflict,
    /// Right, but another count is missed.
    GateMissed,
    /// A call of the CUDA runtime returned an error.
    CallFailed,
    /// The same, and nobody asked for it.
    UncheckedError,
    /// Memory that was never freed.
    MemoryLeak,
    /// Work in two streams that nothing orders.
    MissingWait,
    /// The host touches memory that work may still be using.
    HostRace,
    /// A program ended its process.
    ProgramEnded,
    /// A program was ended by a signal.
    HostCrash,
    /// Valid CUDA that the simulator does not know.
    Unsupported,
}

impl Slug {
    /// Every slug, in the order in which a check can meet them.
    pub const ALL: [Self; 45] = [
        Self::Passed,
        Self::NotStarted,
        Self::UnreadableSource,
        Self::CompileError,
        Self::CompilerStopped,
        Self::WrongSignature,
        Self::OutOfBoundsRead,
        Self::OutOfBoundsWrite,
        Self::InvalidAddress,
        Self::UseAfterFree,
        Self::DoubleFree,
        Self::InvalidFree,
        Self::MisalignedAccess,
        Self::BadHandle,
        Self::SurfaceCoordinate,
        Self::UninitialisedRead,
        Self::SharedRace,
        Self::GlobalRace,
        Self::BarrierNotReached,
        Self::Deadlock,
        Self::Livelock,
        Self::BadBarrier,
        Self::BadSyncMask,
        Self::NeverFinishes,
        Self::Trap,
        Self::NotCooperative,
        Self::StackOverflow,
        Self::InputChanged,
        Self::LaunchFailed,
        Self::OutputNotWritten,
        Self::NotANumber,
        Self::WrongValues,
        Self::WrongAnswer,
        Self::WrittenTwice,
        Self::Uncoalesced,
        Self::BankConflict,
        Self::GateMissed,
        Self::CallFailed,
        Self::UncheckedError,
        Self::MemoryLeak,
        Self::MissingWait,
        Self::HostRace,
        Self::ProgramEnded,
        Self::HostCrash,
        Self::Unsupported,
    ];

    /// The name as people type it: `out-of-bounds-write`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::NotStarted => "not-started",
            Self::UnreadableSource => "unreadable-source",
            Self::CompileError => "compile-error",
            Self::CompilerStopped => "compiler-stopped",
            Self::WrongSignature => "wrong-signature",
            Self::OutOfBoundsRead => "out-of-bounds-read",
            Self::OutOfBoundsWrite => "out-of-bounds-write",
            Self::InvalidAddress => "invalid-address",
            Self::UseAfterFree => "use-after-free",
            Self::DoubleFree => "double-free",
            Self::InvalidFree => "invalid-free",
            Self::MisalignedAccess => "misaligned-access",
            Self::BadHandle => "bad-handle",
            Self::SurfaceCoordinate => "surface-coordinate",
            Self::UninitialisedRead => "uninitialised-read",
            Self::SharedRace => "shared-race",
            Self::GlobalRace => "global-race",
            Self::BarrierNotReached => "barrier-not-reached",
            Self::Deadlock => "deadlock",
            Self::Livelock => "livelock",
            Self::BadBarrier => "bad-barrier",
            Self::BadSyncMask => "bad-sync-mask",
            Self::NeverFinishes => "never-finishes",
            Self::Trap => "trap",
            Self::NotCooperative => "not-cooperative",
            Self::StackOverflow => "stack-overflow",
            Self::InputChanged => "input-changed",
            Self::LaunchFailed => "launch-failed",
            Self::OutputNotWritten => "output-not-written",
            Self::NotANumber => "not-a-number",
            Self::WrongValues => "wrong-values",
            Self::WrongAnswer => "wrong-answer",
            Self::WrittenTwice => "written-twice",
            Self::Uncoalesced => "uncoalesced",
            Self::BankConflict => "bank-conflict",
            Self::GateMissed => "gate-missed",
            Self::CallFailed => "call-failed",
            Self::UncheckedError => "unchecked-error",
            Self::MemoryLeak => "memory-leak",
            Self::MissingWait => "missing-wait",
            Self::HostRace => "host-race",
            Self::ProgramEnded => "program-ended",
            Self::HostCrash => "host-crash",
            Self::Unsupported => "unsupported",
        }
    }

    /// The slug of that name, in any case, with `_` or spaces for `-`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        Self::ALL.into_iter().find(|slug| slug.as_str() == name)
    }
}

impl std::fmt::Display for Slug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

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
    match finding.what {
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

    /// The names are typed by people and written in mutants: they must not change, and every one must be found again.
    #[test]
    fn every_slug_is_found_by_its_name() {
        for slug in Slug::ALL {
            assert_eq!(Slug::parse(slug.as_str()), Some(slug));
            assert_eq!(
                serde_json::to_value(slug).expect("a string"),
                slug.as_str(),
                "one spelling"
            );
        }
        assert_eq!(Slug::parse(" Shared_Race "), Some(Slug::SharedRace));
        assert_eq!(Slug::parse("shared race"), Some(Slug::SharedRace));
        assert_eq!(Slug::parse("no-such-thing"), None);
    }

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
