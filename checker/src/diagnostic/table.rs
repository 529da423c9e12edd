//! The table of all diagnostics, and the findings that lead to them.

use cudart_sim::report::{Cause, HostFinding, HostFindingKind};
use ptxsim::{Action, Finding, FindingKind};

use super::diagnostics;

diagnostics! {
    "Before anything runs" {
        NotStarted "not-started"
            "The file still contains a TODO, and the kernel has not written any output."
        UnreadableSource "unreadable-source"
            "The source file is missing, empty, not text, or too large."
        CompileError "compile-error"
            "The compiler rejects the file."
        CompilerStopped "compiler-stopped"
            "The compiler crashes on the file, or does not finish."
        WrongSignature "wrong-signature"
            "The file does not contain the kernel, or the kernel's parameters are wrong."
        LaunchFailed "launch-failed"
            "The launch is refused, or fails in the driver."
        NotCooperative "not-cooperative"
            "The kernel uses a barrier for the whole grid, but the launch is not cooperative."
        Unsupported "unsupported"
            "The code is valid CUDA that the simulator does not support."
    }

    "A kernel and its memory" {
        OutOfBoundsRead "out-of-bounds-read"
            "A thread reads outside an array."
        OutOfBoundsWrite "out-of-bounds-write"
            "A thread writes outside an array."
        InvalidAddress "invalid-address"
            "A thread uses an address that belongs to no allocation."
        MisalignedAccess "misaligned-access"
            "An address is not a multiple of the size of the access."
        UninitialisedRead "uninitialised-read"
            "Memory is read before anything was written to it."
        UseAfterFree "use-after-free"
            "Memory is used after it was freed."
        DoubleFree "double-free"
            "Memory is freed twice."
        InvalidFree "invalid-free"
            "Memory is freed through a pointer that no allocation returned."
        BadHandle "bad-handle"
            "A function gets the handle of a texture, surface, stream or event that does not exist."
        SurfaceCoordinate "surface-coordinate"
            "A surface access lies outside the array, or between two of its elements."
        StackOverflow "stack-overflow"
            "A thread needs more local memory than it can have."
        InputChanged "input-changed"
            "The kernel changes an array that it should only read."
    }

    "Synchronisation between threads" {
        SharedRace "shared-race"
            "Threads use the same element of shared memory in no fixed order, and one of them writes it."
        GlobalRace "global-race"
            "Threads use the same element of global memory in no fixed order, and one of them writes it."
        BarrierNotReached "barrier-not-reached"
            "Some threads of a block wait at a barrier that others never reach."
        BadBarrier "bad-barrier"
            "The kernel uses a barrier with a number or a thread count that no GPU supports."
        BadSyncMask "bad-sync-mask"
            "A warp operation gets a mask that does not match the lanes that execute it."
        BadMatrixOperation "bad-matrix-operation"
            "A warp's operation on matrices gets lanes, a pointer or a row length that does not fit."
        Deadlock "deadlock"
            "No thread can continue, because all of them wait for each other."
        Livelock "livelock"
            "All remaining threads wait in a loop for a change that cannot happen."
        NeverFinishes "never-finishes"
            "The kernel does not end, or it exceeds the checker's limit for instructions or time."
        Trap "trap"
            "A thread executes a trap, or an `assert` in the kernel fails."
    }

    "Results" {
        OutputNotWritten "output-not-written"
            "An output is not written at all."
        WrongValues "wrong-values"
            "Values differ from the reference by more than the tolerance."
        NotANumber "not-a-number"
            "Results are NaN or infinite where the reference has numbers."
        WrongAnswer "wrong-answer"
            "A number that you recorded in the file is not right."
        ComputedOnHost "computed-on-host"
            "The results are right, but the host has computed all or some of them."
        Passed "passed"
            "Every case and every gate passes."
    }

    "Right results at too high a cost" {
        Uncoalesced "uncoalesced"
            "The accesses of a warp to global memory are spread over too many sectors."
        BankConflict "bank-conflict"
            "Threads of a warp use different words of the same bank of shared memory."
        WrittenTwice "written-twice"
            "An element of an output is written more than once."
        GateMissed "gate-missed"
            "A count that the exercise limits misses its target."
    }

    "The host" {
        CallFailed "call-failed"
            "A call of the CUDA runtime returns an error."
        UncheckedError "unchecked-error"
            "A launch fails, and the program never checks for the error."
        WrongDirection "wrong-direction"
            "The direction of a copy does not fit its pointers."
        MemoryLeak "memory-leak"
            "Memory or another resource of the device is never released."
        MissingWait "missing-wait"
            "Work in two streams uses the same memory, and nothing orders it."
        HostRace "host-race"
            "The host uses memory that the device may still be using."
        UnfinishedWork "unfinished-work"
            "The program ends without waiting for work on the device."
        ProgramEnded "program-ended"
            "The program ends its own process instead of returning."
        HostCrash "host-crash"
            "A signal ends the program."
    }
}

impl Slug {
    /// The diagnostic that a finding of the simulator leads to.
    pub const fn of_finding(finding: &Finding) -> Self {
        Self::of_finding_kind(&finding.what, finding.at.action)
    }

    /// The diagnostic that a kind of finding leads to, when the thread was doing `action`.
    pub const fn of_finding_kind(kind: &FindingKind, action: Action) -> Self {
        match kind {
            FindingKind::OutOfBounds => match action {
                Action::Read => Self::OutOfBoundsRead,
                _ => Self::OutOfBoundsWrite,
            },
            FindingKind::InvalidAddress | FindingKind::BadBranch { .. } => Self::InvalidAddress,
            FindingKind::UseAfterFree => Self::UseAfterFree,
            FindingKind::DoubleFree => Self::DoubleFree,
            FindingKind::InvalidFree { .. } => Self::InvalidFree,
            FindingKind::Misaligned => Self::MisalignedAccess,
            FindingKind::BadObject { .. } => Self::BadHandle,
            FindingKind::BadSurfaceCoordinate { .. } => Self::SurfaceCoordinate,
            FindingKind::UninitialisedRead => Self::UninitialisedRead,
            FindingKind::SharedRace => Self::SharedRace,
            FindingKind::GlobalRace => Self::GlobalRace,
            FindingKind::BarrierNotReached { .. } => Self::BarrierNotReached,
            FindingKind::Deadlock { .. } => Self::Deadlock,
            FindingKind::Livelock { .. } => Self::Livelock,
            FindingKind::BadBarrier { .. } => Self::BadBarrier,
            FindingKind::BadSyncMask { .. } => Self::BadSyncMask,
            FindingKind::BadMatrixOperation { .. } => Self::BadMatrixOperation,
            FindingKind::NeverFinishes { .. } | FindingKind::OverBudget { .. } => {
                Self::NeverFinishes
            }
            FindingKind::Trap | FindingKind::Assert { .. } => Self::Trap,
            FindingKind::NotCooperative => Self::NotCooperative,
            FindingKind::StackOverflow { .. } => Self::StackOverflow,
        }
    }

    /// The diagnostic that a finding in host code leads to.
    pub fn of_host_finding(finding: &HostFinding) -> Self {
        match &finding.kind {
            HostFindingKind::CallFailed(failure) | HostFindingKind::UncheckedError(failure)
                if matches!(failure.cause, Some(Cause::NoSuchObject { .. })) =>
            {
                Self::BadHandle
            }
            // A launch returns nothing, so the program certainly did not look at its error. What
            // other functions return it may have looked at, which the runtime cannot see.
            HostFindingKind::UncheckedError(_)
                if finding.at.as_ref().is_some_and(|at| at.call == "cudaLaunchKernel") =>
            {
                Self::UncheckedError
            }
            HostFindingKind::CallFailed(_) | HostFindingKind::UncheckedError(_) => Self::CallFailed,
            HostFindingKind::WrongDirection { .. } => Self::WrongDirection,
            HostFindingKind::HostOverread { .. } => Self::OutOfBoundsRead,
            HostFindingKind::HostOverwrite { .. } => Self::OutOfBoundsWrite,
            HostFindingKind::UninitialisedCopy { .. } => Self::UninitialisedRead,
            HostFindingKind::DoubleFree { .. } => Self::DoubleFree,
            HostFindingKind::InvalidFree { .. } => Self::InvalidFree,
            HostFindingKind::UseAfterFree { .. } => Self::UseAfterFree,
            HostFindingKind::ReleasedObject { .. } => Self::UseAfterFree,
            HostFindingKind::NeverAwaited { .. } => Self::UnfinishedWork,
            HostFindingKind::MissingWait { .. } => Self::MissingWait,
            HostFindingKind::HostRace { .. } => Self::HostRace,
        }
    }
}
