//! One page per diagnostic: what `checker explain SLUG` prints, and what the book shows.

use crate::diagnostic::Slug;

/// The page about a diagnostic, in Markdown. Every page has the sections that the test below names.
pub fn page(slug: Slug) -> &'static str {
    macro_rules! pages {
        ($($variant:ident => $file:literal),* $(,)?) => {
            match slug { $( Slug::$variant => include_str!(concat!("pages/", $file, ".md")), )* }
        };
    }
    pages! {
        Passed => "passed",
        NotStarted => "not-started",
        UnreadableSource => "unreadable-source",
        CompileError => "compile-error",
        CompilerStopped => "compiler-stopped",
        WrongSignature => "wrong-signature",
        OutOfBoundsRead => "out-of-bounds-read",
        OutOfBoundsWrite => "out-of-bounds-write",
        InvalidAddress => "invalid-address",
        UseAfterFree => "use-after-free",
        DoubleFree => "double-free",
        InvalidFree => "invalid-free",
        MisalignedAccess => "misaligned-access",
        BadHandle => "bad-handle",
        SurfaceCoordinate => "surface-coordinate",
        UninitialisedRead => "uninitialised-read",
        SharedRace => "shared-race",
        GlobalRace => "global-race",
        BarrierNotReached => "barrier-not-reached",
        Deadlock => "deadlock",
        Livelock => "livelock",
        BadBarrier => "bad-barrier",
        BadSyncMask => "bad-sync-mask",
        NeverFinishes => "never-finishes",
        Trap => "trap",
        NotCooperative => "not-cooperative",
        StackOverflow => "stack-overflow",
        InputChanged => "input-changed",
        LaunchFailed => "launch-failed",
        OutputNotWritten => "output-not-written",
        NotANumber => "not-a-number",
        WrongValues => "wrong-values",
        WrongAnswer => "wrong-answer",
        WrittenTwice => "written-twice",
        Uncoalesced => "uncoalesced",
        BankConflict => "bank-conflict",
        GateMissed => "gate-missed",
        CallFailed => "call-failed",
        UncheckedError => "unchecked-error",
        MemoryLeak => "memory-leak",
        MissingWait => "missing-wait",
        HostRace => "host-race",
        ProgramEnded => "program-ended",
        HostCrash => "host-crash",
        Unsupported => "unsupported",
    }
}

/// Every diagnostic that there is.
pub fn slugs() -> impl Iterator<Item = Slug> {
    Slug::ALL.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTIONS: [&str; 5] = [
        "## What it means",
        "## Why it happens",
        "## How to find it",
        "## On a real GPU",
        "## To think about",
    ];

    /// A learner can look up every diagnostic, and finds the same five answers on each page.
    #[test]
    fn every_diagnostic_has_a_whole_page() {
        for slug in slugs() {
            let page = page(slug);
            assert!(page.starts_with(&format!("# {slug}\n")), "{slug}: the title is its name");
            let places: Vec<Option<usize>> = SECTIONS.iter().map(|s| page.find(s)).collect();
            assert!(places.iter().all(Option::is_some), "{slug}: sections {places:?}");
            assert!(places.is_sorted(), "{slug}: sections in the agreed order");
            for (i, section) in SECTIONS.iter().enumerate() {
                let body = page.split(section).nth(1).unwrap_or_default();
                let body = body.split("\n## ").next().unwrap_or_default().trim();
                assert!(body.len() > 40, "{slug}: section {} says something", SECTIONS[i]);
            }
            let question = page.split(SECTIONS[4]).nth(1).unwrap_or_default();
            assert!(question.contains('?'), "{slug}: ends with a question");
            assert_eq!(page.matches("```").count() % 2, 0, "{slug}: code fences are closed");
            assert!(page.lines().all(|line| line.chars().count() <= 80), "{slug}: line length");
        }
    }
}
