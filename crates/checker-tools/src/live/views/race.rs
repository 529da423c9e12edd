//! The two accesses of a race, side by side.

use checker::explain::{self, Missing, RacingAccess};
use checker::inspect::Profiled;
use checker::spec::Spec;
use ptxsim::Action;
use serde::Serialize;

use super::lines::cut;

/// A race.
#[derive(Debug, Serialize)]
pub struct RaceView {
    /// What is wrong, as a sentence.
    title: String,
    accesses: [AccessView; 2],
    missing: &'static str,
}

#[derive(Debug, Serialize)]
struct AccessView {
    block: [u32; 3],
    thread: [u32; 3],
    /// `thread 3`, or `block 1, thread 3`.
    name: String,
    action: &'static str,
    element: String,
    line: u32,
    text: String,
}

impl RaceView {
    /// The race that a case ends with; `None` if it doesn't end with one.
    pub fn new(spec: &'static Spec, profiled: &Profiled, title: Option<String>) -> Option<Self> {
        let race = explain::race(spec, profiled.verdict.as_ref()?, &profiled.source)?;
        Some(Self {
            title: title.unwrap_or_default(),
            accesses: race.accesses.map(access),
            missing: match race.missing {
                Missing::BlockBarrier => "block-barrier",
                Missing::WarpBarrier => "warp-barrier",
                Missing::BetweenBlocks => "between-blocks",
                Missing::AtomicOperation => "atomic",
                Missing::OwnElement => "own-element",
                Missing::CopyWait => "copy-wait",
            },
        })
    }
}

fn access(racing: RacingAccess) -> AccessView {
    AccessView {
        block: racing.block,
        thread: racing.thread,
        name: racing.name,
        action: match racing.action {
            Action::Write => "writes",
            Action::Atomic => "updates",
            Action::Read => "reads",
            _ => "uses",
        },
        element: racing.element,
        line: racing.line,
        text: cut(racing.text.trim()),
    }
}
