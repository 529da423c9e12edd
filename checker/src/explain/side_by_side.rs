//! The two accesses of a race as data for a picture: who does what where, and what is missing
//! between them.

use ptxsim::{Access, Action, Finding, FindingKind};

use super::races::parties;
use super::scan::Source;
use super::scene::Scene;
use super::words::volume;
use crate::backend::Fault;
use crate::spec::Spec;
use crate::text::sanitise;
use crate::verdict::Verdict;

/// A race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    /// The accesses, in the order in which the report numbers them.
    pub accesses: [RacingAccess; 2],
    /// What is missing between them.
    pub missing: Missing,
}

/// One access of a race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RacingAccess {
    /// Block index (x, y, z).
    pub block: [u32; 3],
    /// Thread index in its block (x, y, z).
    pub thread: [u32; 3],
    /// `thread 3`, or `block 1, thread 3`.
    pub name: String,
    /// What the thread does.
    pub action: Action,
    /// `tile[4]`
    pub element: String,
    /// Its line; 0 if it is not known.
    pub line: u32,
    /// The text of the line.
    pub text: String,
}

/// What would put two accesses in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// A barrier of the block.
    BlockBarrier,
    /// A barrier of the warp, or of the block.
    WarpBarrier,
    /// Nothing in the kernel that the threads wait at: they are in different blocks.
    BetweenBlocks,
    /// An atomic operation in place of a load, a computation and a store.
    AtomicOperation,
    /// Another element for one of the threads: both write it on one line.
    OwnElement,
    /// A wait for an asynchronous copy.
    CopyWait,
}

/// The race that a verdict is about; `None` if it is about something else, or if only one access is
/// known.
pub fn race(spec: &'static Spec, verdict: &Verdict, source: &str) -> Option<Race> {
    let Verdict::Fault { case, fault, .. } = verdict else { return None };
    let source = Source::new(source);
    match &**fault {
        Fault::Finding(finding) => of_finding(&Scene::new(spec, *case, &source, true)?, finding),
        Fault::InLaunch { launch, finding } => of_finding(&Scene::launch(launch, &source), finding),
        _ => None,
    }
}

fn of_finding(scene: &Scene<'_>, finding: &Finding) -> Option<Race> {
    if !matches!(finding.what, FindingKind::SharedRace | FindingKind::GlobalRace) {
        return None;
    }
    let [first, second] = parties(scene, finding)?;
    Some(Race {
        accesses: [first, second].map(|access| describe(scene, access)),
        missing: missing(scene, finding, first, second),
    })
}

fn describe(scene: &Scene<'_>, access: &Access) -> RacingAccess {
    let line = access.source.line;
    RacingAccess {
        block: access.block,
        thread: access.thread,
        name: scene.thread(access),
        action: access.action,
        element: sanitise(scene.element(access).trim_matches('`')),
        line,
        text: sanitise(scene.source.line(line).unwrap_or_default()),
    }
}

fn missing(scene: &Scene<'_>, finding: &Finding, first: &Access, second: &Access) -> Missing {
    if finding.with.as_ref().is_some_and(|with| with.pending) {
        return Missing::CopyWait;
    }
    let same_line = first.source.line == second.source.line;
    let atomic = [first.action, second.action].contains(&Action::Atomic);
    if same_line && !atomic && scene.is_update(second) {
        Missing::AtomicOperation
    } else if first.block != second.block {
        Missing::BetweenBlocks
    } else if same_line && first.action == second.action {
        Missing::OwnElement
    } else if finding.one_warp || volume(scene.block) <= 32 {
        Missing::WarpBarrier
    } else {
        Missing::BlockBarrier
    }
}
