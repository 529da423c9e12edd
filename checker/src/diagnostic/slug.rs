//! The stable names of diagnostics.

use serde::{Deserialize, Serialize};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
