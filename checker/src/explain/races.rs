//! Explains mistakes of synchronisation: races, barriers that never open, and masks that name
//! absent lanes.

use ptxsim::{Access, Action, Finding, FindingKind, WaitingAt};

use super::Draft;
use super::branches::{own_variable, parting};
use super::scan::span;
use super::scene::Scene;
use super::signals::unfenced_signal;
use super::words::{ThreadNames, count, many, volume};
use crate::spec::Role;

/// The note for a race in a run that has returned no wrong output.
pub const MAY_BE_RIGHT: &str =
    "the result may be right on your GPU today, but the kernel is still wrong";

pub const FENCE_ORDERS_ATOMICS: &str = "an atomic operation makes no other access of its thread visible: only a fence, such as __threadfence(), orders them";

/// Two accesses of one element in no fixed order. The finding's `with` happened first in the
/// simulator.
pub fn race(scene: &Scene<'_>, finding: &Finding) -> Draft {
    let at = &finding.at;
    let Some(with) = finding.with.as_ref() else {
        return race_with_unknown(scene, at);
    };
    if with.pending {
        return pending(scene, finding, with);
    }
    let same_block = at.block == with.block;
    let same_line = with.source.line == at.source.line;
    let shared_loop = shared_loop(scene, at, with);
    let turned = is_turned(scene, at, with, shared_loop);
    let (at, with) = if turned { (with, at) } else { (at, with) };
    let name = |access: &Access| {
        if same_block {
            format!("thread {}", thread_index(scene.thread_names, access))
        } else {
            scene.thread(access)
        }
    };
    let (second, first, element) = (name(at), name(with), scene.element(at));
    let title = match (at.action, with.action) {
        (Action::Read, Action::Write) => {
            format!("{second} reads {element} while {first} may still be writing it")
        }
        (Action::Write, Action::Read) => {
            format!("{second} writes {element} while {first} may still be reading it")
        }
        (Action::Write, Action::Write) => {
            format!("{first} and {second} both write {element}, in no fixed order")
        }
        (Action::Atomic, Action::Atomic) if has_block_scope(scene) => {
            format!(
                "{first} and {second} update {element} at the same time, each atomically only within its own block"
            )
        }
        (Action::Atomic, Action::Atomic) => {
            format!("{first} and {second} both update {element} atomically, in no fixed order")
        }
        (Action::Atomic, _) | (_, Action::Atomic) => {
            format!(
                "{first} and {second} use {element} at the same time, and only one of them atomically"
            )
        }
        _ => format!("{first} and {second} use {element} at the same time, in no fixed order"),
    };
    let mut draft = Draft::new(title);
    let (one, two) = (described(scene, &first, with), described(scene, &second, at));
    let marks =
        (scene.mark(with, false, format!("(1) {one}")), scene.mark(at, true, format!("(2) {two}")));
    match marks {
        (Some(a), Some(b)) if (a.line, a.column, a.length) == (b.line, b.column, b.length) => {
            // an atomic call may be beside the element that it changes
            let atomic = [at.action, with.action].contains(&Action::Atomic);
            let whole = scene.source.statement_around(b.line, b.column).filter(|_| atomic);
            let (column, length) = whole.unwrap_or((b.column, b.length));
            draft = draft
                .mark([span(b.line, column, length, true, "both accesses")])
                .note(format!("(1) {one}; (2) {two}"));
        }
        (a, b) => draft = draft.mark(a).mark(b),
    }
    if let Some(index) = scene.subscript_value(at).filter(|_| same_line) {
        draft = draft.note(format!("{index} for {second}"));
    }
    // members of a union have names that don't show that they are the same bytes
    let other = scene.element(with);
    let of_union = !element.starts_with(&other) && !other.starts_with(&element);
    if let Some(byte) = common_byte(at, with).filter(|_| of_union) {
        let array = at.array.as_deref().map_or_else(|| "its memory".into(), |a| scene.quoted(a));
        draft = draft.note(format!("(1) and (2) overlap: both include byte {byte} of {array}"));
    }
    let stores = same_line && [at.action, with.action].contains(&Action::Write);
    let changed_twice = stores && scene.stores_beside_atomic(at);
    let update = stores && !changed_twice && scene.is_update(at);
    let signal = (!same_block).then(|| unfenced_signal(scene, with, at)).flatten();
    let lock = lock_around(scene, at).filter(|_| update && lock_around(scene, with).is_some());
    if !update && same_line && same_block && scene.enclosing_loop(at).is_some() {
        draft = draft.note("both are in the same loop, so (1) may belong to an earlier iteration");
    }
    if let Some((line, iterations)) = shared_loop {
        draft = draft.note(iterations.note(line));
    }
    let times = match finding.count {
        0 | 1 => String::new(),
        n if turned => format!("; at least {} pairs of such accesses race", count(n)),
        // a store of the value that is already there may be left out
        n => format!("; at least {} accesses at this place race like this", count(n)),
    };
    draft = if let Some(line) = lock {
        draft.note(format!(
            "the lock on line {line} lets in one thread at a time, but the next one may not see what the last one wrote{times}"
        ))
    } else if changed_twice {
        draft
            .note("an atomic function changes the element by itself, and returns the value from before: this line then stores once more")
            .note(format!("other threads may access it in between{times}"))
    } else if update {
        draft
            .note("this changes the element in three steps: read, compute, write")
            .note(format!("other threads may come in between{times}"))
    } else if signal.as_ref().is_some_and(|signal| !signal.behind_barrier) {
        draft.note(format!("blocks run in any order{times}"))
    } else if !same_block {
        draft.note(format!(
            "blocks run in any order, and __syncthreads() does not wait for other blocks{times}"
        ))
    } else if finding.one_warp || volume(scene.block) <= 32 {
        draft.note(format!("nothing orders (1) and (2), even within one warp{times}"))
    } else if let Some(line) = warp_barrier_between(scene, with, at) {
        draft.note(format!(
            "__syncwarp() on line {line} waits for the threads of one warp, and (1) and (2) are in different warps{times}"
        ))
    } else {
        draft.note(format!("there is no barrier between (1) and (2){times}"))
    };
    let plain = ![at.action, with.action].contains(&Action::Atomic);
    let same_store = same_line && at.action == with.action;
    // A barrier would only order two results of one step, and one of them would still be lost.
    // Between different steps, such as a loop that fills a tile and one that uses it, one is
    // missing.
    let alone = ![at, with].iter().any(|access| scene.enclosing_loop(access).is_some());
    let one_step = shared_loop.map_or(alone, |(_, iterations)| iterations == Iterations::Same);
    let contended = same_block
        && !same_line
        && !update
        && one_step
        && [at.action, with.action] == [Action::Write; 2]
        && ![at, with].iter().any(|a| initialises(scene, a) || scene.is_update(a));
    // other launches may have more blocks, between which no barrier helps
    let shared = finding.what == FindingKind::SharedRace;
    if shared && finding.one_warp && plain && !update && !same_store && !contended {
        draft = draft.note("__syncwarp() orders the accesses of one warp's threads, and __syncthreads() those of a whole block");
    }
    if lock.is_some() {
        draft = draft.note(FENCE_ORDERS_ATOMICS);
    }
    if let Some(signal) = signal.as_ref().filter(|_| !update) {
        draft = signal.explain(draft);
    }
    if at.volatile && with.volatile {
        draft = draft.note(
            "volatile makes each access happen, but it gives no order between threads, not even within one warp",
        );
    }
    // A read of the result, after the atomics, needs a barrier instead.
    let plain_read = match (with.action, at.action) {
        (Action::Read, Action::Atomic) if with.source.line <= at.source.line => Some(1),
        (Action::Atomic, Action::Read) if at.source.line <= with.source.line => Some(2),
        _ => None,
    };
    let stale = plain_read.is_some_and(|number| {
        let (read, atomic) = if number == 1 { (with, at) } else { (at, with) };
        feeds(scene, read, atomic)
    });
    if let Some(number) = plain_read.filter(|_| stale) {
        draft = draft.note(format!(
            "the atomic operation uses the value that ({number}) has read, which may have changed in between: an atomic or volatile read would not help"
        ));
    } else if let Some(number) = plain_read {
        draft = draft.note(format!(
            "make the read ({number}) atomic, too, or volatile, because the compiler may split, repeat or move a plain read"
        ));
    }
    if let Some(line) = uncalled_barrier(scene) {
        draft = draft.note(format!("line {line} names __syncthreads but does not call it: add ()"));
    }
    let unordered = [at.action, with.action] == [Action::Atomic; 2] && !has_block_scope(scene);
    if unordered {
        draft = draft.note("an atomic operation changes the element in one step, but it makes no other write visible and doesn't wait for one: a fence (`__threadfence()`) on both sides of the signal orders them");
    }
    draft.note(MAY_BE_RIGHT).think(
        match (same_block, at.action == with.action) {
            _ if unordered => "which signal tells one block that the other one has written the element, and what keeps the two in this order?",
            _ if lock.is_some() => {
                "what orders the accesses of a thread that has the lock with those of the next one?"
            }
            _ if changed_twice => "what is in the element when the atomic function returns, and what does the assignment store there?",
            _ if stale => "in how many steps does a thread change this element?",
            _ if finding.both_write && !update => {
                "how many threads should change this element, and what orders them?"
            }
            (true, true) if of_union => {
                "which thread should write these bytes, and where should the other one write?"
            }
            _ if update && is_result(scene, at) => {
                "how many threads should compute this element, and does it have a value before?"
            }
            _ if update => "what would make these three steps one?",
            _ if contended && !of_union => {
                "should two threads write this element at all, or is the index of (1) or (2) wrong?"
            }
            _ if signal.as_ref().is_some_and(|signal| signal.atomic) => {
                "what makes (1) visible to other blocks before they see the atomic operation?"
            }
            _ if signal.is_some() => {
                "what makes (1) visible to other blocks before they see the flag?"
            }
            _ if shared_loop.is_some_and(|(_, iterations)| iterations == Iterations::Same) => {
                "which threads use this element in one iteration, and in which order should they?"
            }
            _ if shared_loop.is_some_and(|(_, i)| matches!(i, Iterations::Conditional(_))) => {
                "in which iterations do the threads wait, and which elements does the next iteration use?"
            }
            _ if shared_loop.is_some() => {
                "at which points of an iteration must all threads wait for each other?"
            }
            (_, true) if at.action == Action::Atomic => {
                "for which threads are these updates atomic, and which other threads update the element?"
            }
            (true, false)
                if [at.action, with.action].contains(&Action::Atomic)
                    && finding.what == FindingKind::SharedRace
                    && !same_line =>
            {
                "which of the two should all threads have finished before the other begins, and what makes them wait?"
            }
            (_, false) if [at.action, with.action].contains(&Action::Atomic) => {
                "what happens to an atomic update just before or just after the ordinary access?"
            }
            // no barrier is for all blocks
            (true, false) if finding.what == FindingKind::GlobalRace && volume(scene.grid) > 1 => {
                "should the read find the old value or the new one, and where could the other one be kept?"
            }
            // a barrier may be missing, or the read may be meant for another array
            (true, false) if finding.what == FindingKind::GlobalRace => {
                "should the read find the old value or the new one, and what decides that?"
            }
            (true, false) => "should both threads use this element, and if so, what must be finished before (2)?",
            (true, true) if same_line => "which one of the threads should own this element?",
            (true, true) => "should both lines write this element, and if so, what makes (2) wait for (1)?",
            (false, true) => "why do two blocks use the same element at all?",
            (false, false) => {
                "should this read find the old value or the new one, and what decides that?"
            }
        },
    )
}

/// The parties of a race in the order in which its report numbers them, if both are known.
pub fn parties<'f>(scene: &Scene<'_>, finding: &'f Finding) -> Option<[&'f Access; 2]> {
    let (at, with) = (&finding.at, finding.with.as_ref()?);
    let turned = !with.pending && is_turned(scene, at, with, shared_loop(scene, at, with));
    Some(if turned { [at, with] } else { [with, at] })
}

/// The line of the loop around two accesses of one block on different lines, and the iterations
/// that they may belong to.
fn shared_loop(scene: &Scene<'_>, at: &Access, with: &Access) -> Option<(u32, Iterations)> {
    let lines = [with.source.line, at.source.line];
    let line = (at.block == with.block && lines[0] != lines[1])
        .then(|| scene.common_loop(at, with))
        .flatten()?;
    Some((line, Iterations::of(scene, line, lines)))
}

/// Whether the access that came second in the simulator is the first one in the kernel's text.
fn is_turned(
    scene: &Scene<'_>,
    at: &Access,
    with: &Access,
    shared_loop: Option<(u32, Iterations)>,
) -> bool {
    let in_one_iteration = shared_loop.is_some_and(|(_, i)| i == Iterations::Same);
    read_too_early(at, with) && (in_one_iteration || scene.enclosing_loop(at).is_none())
}

/// Which iterations of a loop two accesses in it may belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Iterations {
    /// A barrier between the two places separates them within an iteration.
    Different,
    /// A barrier elsewhere in the loop separates one iteration from the next.
    Same,
    /// There are barriers in both places, or the source does not show them.
    Unclear,
    /// A barrier of the loop, on this line, may be left out in an iteration.
    Conditional(u32),
    /// The loop has no barrier.
    Any,
}

impl Iterations {
    fn of(scene: &Scene<'_>, loop_line: u32, lines: [u32; 2]) -> Self {
        let Some((first, last)) =
            ["for", "while", "do"].iter().find_map(|word| scene.source.body(loop_line, word))
        else {
            return Self::Unclear;
        };
        let [a, b] = [lines[0].min(lines[1]), lines[0].max(lines[1])];
        let barriers: Vec<u32> = scene
            .source
            .texts()
            .filter(|(line, text)| (first..=last).contains(line) && calls_barrier(text))
            .map(|(line, _)| line)
            .collect();
        let skipped = |barrier: u32| {
            let jumps = scene.source.occurrences("continue");
            is_conditional(scene, loop_line, barrier)
                || jumps.iter().any(|(line, _)| (first..barrier).contains(line))
        };
        if let Some(barrier) = barriers.iter().find(|barrier| skipped(**barrier)) {
            return Self::Conditional(*barrier);
        }
        let between = barriers.iter().any(|line| (a..b).contains(line) && *line > a);
        let around = barriers.iter().any(|line| *line > b || *line < a);
        match (between, around) {
            (true, false) => Self::Different,
            (false, true) => Self::Same,
            (true, true) => Self::Unclear,
            (false, false) => Self::Any,
        }
    }

    fn note(self, line: u32) -> String {
        match self {
            Self::Different => format!(
                "both are in the loop on line {line}: its barrier separates them within an iteration, but not one iteration from the next"
            ),
            Self::Same => format!(
                "both belong to the same iteration of the loop on line {line}, because its barrier separates the iterations"
            ),
            Self::Unclear => format!("both are in the loop on line {line}"),
            Self::Conditional(barrier) => format!(
                "both are in the loop on line {line}; its barrier on line {barrier} may be left out, so (1) and (2) may belong to different iterations"
            ),
            Self::Any => format!(
                "both are in the loop on line {line}, so (2) may belong to the same iteration as (1) or to the next one"
            ),
        }
    }
}

/// Whether the statement of a store gives the element a constant, as a first value.
fn initialises(scene: &Scene<'_>, store: &Access) -> bool {
    let (line, column) = (store.source.line, store.source.column);
    let text = scene.source.statement_text_around(line, column, 4);
    text.is_some_and(|text| {
        let value = super::scan::assignment(&text).and_then(|sign| text.get(sign + 1..));
        let value = value.unwrap_or("").trim_matches([';', '-', '(', ')', ' ']);
        let name =
            |text: &str| text.chars().all(|c| c.is_ascii_uppercase() || "_0123456789".contains(c));
        let number = value.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
        !value.is_empty() && (number || name(value) || ["true", "false"].contains(&value))
    })
}

/// A byte of their array that both accesses are to.
fn common_byte(a: &Access, b: &Access) -> Option<i64> {
    let (from, other) = (a.offset?, b.offset?);
    let end = |start: i64, access: &Access| start.saturating_add(access.bytes.max(1).into());
    let first = from.max(other);
    (a.array == b.array && first < end(from, a).min(end(other, b))).then_some(first)
}

/// The line on which a thread waits for the lock that it has during an access: a loop of atomic
/// operations on a variable in front of the access, and another one, which frees it, behind.
fn lock_around(scene: &Scene<'_>, at: &Access) -> Option<u32> {
    let line = at.source.line;
    let function = scene.source.function_around(line)?;
    let locked = |code: &str| {
        let operation = ["atomicCAS", "atomicExch"].iter().find_map(|name| code.split_once(name));
        let (_, rest) = operation?;
        let argument =
            rest.trim_start_matches(super::scan::is_word).trim_start().strip_prefix('(')?;
        let argument = argument.trim_start().trim_start_matches('&');
        let name: String = argument.chars().take_while(|c| super::scan::is_word(*c)).collect();
        (!name.is_empty()).then_some(name)
    };
    let lines = || {
        let inside = |line: &u32| (function.line..=function.end).contains(line);
        scene.source.texts().filter(move |(line, _)| inside(line))
    };
    let waits = lines().filter(|(n, code)| *n <= line && code.contains("while"));
    let (first, name) = waits.filter_map(|(n, code)| Some((n, locked(&code)?))).last()?;
    let mut after = lines().filter(|(n, code)| *n >= line && !code.contains("while"));
    after.any(|(_, code)| locked(&code).as_ref() == Some(&name)).then_some(first)
}

/// Whether an atomic operation uses what a read has found: in its own statement, or by a variable
/// that the read's statement sets.
fn feeds(scene: &Scene<'_>, read: &Access, atomic: &Access) -> bool {
    let text = |access: &Access| {
        let (line, column) = (access.source.line, access.source.column);
        scene.source.statement_text_around(line, column, 4)
    };
    let (Some(reading), Some(updating)) = (text(read), text(atomic)) else { return false };
    if reading == updating {
        return read.source.line == atomic.source.line;
    }
    let Some(sign) = super::scan::assignment(&reading) else { return false };
    let target: Vec<char> = reading.get(..sign).unwrap_or("").trim_end().chars().collect();
    let Some((_, target)) = super::scan::words(&target).last() else { return false };
    let updating: Vec<char> = updating.chars().collect();
    super::scan::words(&updating).any(|(_, word)| word == target)
}

/// Whether the element belongs to an output that has no value before the kernel writes it.
fn is_result(scene: &Scene<'_>, at: &Access) -> bool {
    let param = at.array.as_deref().and_then(|array| scene.param(array));
    param.is_some_and(|param| param.role == Role::Out)
}

/// Whether the barrier on a line is under a condition inside the loop.
fn is_conditional(scene: &Scene<'_>, loop_line: u32, barrier: u32) -> bool {
    let starts = |text: &str| ["if", "else"].iter().any(|word| text.trim_start().starts_with(word));
    let mut before = scene.source.texts().take_while(|(line, _)| *line < barrier);
    let header =
        before.by_ref().filter(|(line, text)| *line > loop_line && !text.trim().is_empty());
    let headed = header.last().is_some_and(|(_, text)| {
        starts(&text) && (text.trim_end().ends_with(')') || text.trim_end().ends_with("else"))
    });
    let on_line = scene.source.line(barrier).is_some_and(starts);
    let around = scene.source.enclosing(barrier, 1, &["if", "else"]);
    headed || on_line || around.is_some_and(|(line, ..)| line > loop_line)
}

/// Whether a line calls a barrier for all threads of a block, or of a group.
pub fn calls_barrier(code: &str) -> bool {
    ["__syncthreads", ".sync"].iter().any(|name| {
        code.split(name).skip(1).any(|rest| {
            rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
                .trim_start()
                .starts_with('(')
        })
    })
}

/// Whether the kernel's text has the write before the read, and each thread executes both once.
/// Then the read is too early, whichever of the two happened first in the simulator.
fn read_too_early(at: &Access, with: &Access) -> bool {
    at.block == with.block
        && (at.action, with.action) == (Action::Write, Action::Read)
        && at.source.line < with.source.line
        && at.called_from.is_none()
        && with.called_from.is_none()
}

/// An access of what an asynchronous copy reads or writes, before the copying thread has waited for
/// it.
fn pending(scene: &Scene<'_>, finding: &Finding, with: &Access) -> Draft {
    let at = &finding.at;
    let (thread, copier, element) = (scene.thread(at), scene.thread(with), scene.element(at));
    let verb = match at.action {
        Action::Read => "reads",
        Action::Write => "writes",
        _ => "uses",
    };
    let own = (at.block, at.thread) == (with.block, with.thread);
    let whose = if own { "its own copy".to_owned() } else { format!("the copy of {copier}") };
    let when = match (at.action, with.action) {
        (Action::Read, Action::Write) => format!("before {whose} has arrived"),
        (_, Action::Write) => format!("while {whose} may still arrive there"),
        _ => format!("while {whose} may still read it"),
    };
    let draft = Draft::new(format!("{thread} {verb} {element} {when}"))
        .mark(scene.mark(with, false, format!("(1) copy started by {copier}")))
        .mark(scene.mark(at, true, format!("(2) {thread} {verb} {element}")));
    let times = match finding.count {
        0 | 1 => String::new(),
        n => format!("; {} accesses are too early like this", count(n)),
    };
    draft
        .note("an asynchronous copy runs on its own: a barrier waits for threads, not for their copies")
        .note(format!("each thread must first wait for its own copies, and then all threads at a barrier{times}"))
        .note(MAY_BE_RIGHT)
        .think("how many groups of copies may still be in flight at (2)?")
}

/// Whether the source names atomic operations that are atomic only within a block. Operations with
/// a wider scope don't race, except in arrays whose accesses must have an order
/// ([`Spec::ordered`](crate::spec::Spec::ordered)).
fn has_block_scope(scene: &Scene<'_>) -> bool {
    let of_block = |word: &str| {
        word.starts_with("atomic") && word.ends_with("_block")
            || ["thread_scope_block", "cta"].contains(&word)
    };
    let words = |code: &str| code.split(|c: char| !c.is_alphanumeric() && c != '_').any(of_block);
    scene.source.texts().any(|(_, code)| words(&code))
}

/// A race whose other access is not known.
fn race_with_unknown(scene: &Scene<'_>, at: &Access) -> Draft {
    let element = scene.element(at);
    Draft::new(format!("{} uses {element} while another thread may change it", scene.thread(at)))
        .mark(scene.mark(at, true, "access that is not ordered with another thread's"))
        .note(MAY_BE_RIGHT)
        .think("which other threads use this element, and what orders their accesses?")
}

fn described(scene: &Scene<'_>, thread: &str, access: &Access) -> String {
    let element = scene.element(access);
    match access.action {
        Action::Read => format!("{thread} reads {element}"),
        Action::Write => format!("{thread} writes {element}"),
        Action::Atomic => format!("{thread} updates {element} atomically"),
        _ => format!("{thread} uses {element}"),
    }
}

/// The line of a `__syncthreads` without parentheses, which compiles and does nothing.
fn uncalled_barrier(scene: &Scene<'_>) -> Option<u32> {
    let named = scene.source.texts().find(|(_, text)| {
        text.split("__syncthreads").skip(1).any(|rest| rest.trim_start().starts_with(';'))
    });
    named.map(|(line, _)| line)
}

/// A barrier of a block that some of its threads never reach.
pub fn barrier(
    scene: &Scene<'_>,
    at: &Access,
    with: Option<&Access>,
    waiting: u32,
    missing: u32,
) -> Draft {
    let of_block = if volume(scene.grid) > 1 {
        format!(" of block {}", scene.thread_names.block_index(at.block))
    } else {
        String::new()
    };
    let wait = if waiting == 1 { "waits" } else { "wait" };
    let waiting = many(waiting.into(), "thread", "threads");
    let title = match missing {
        0 => format!("{waiting}{of_block} {wait}, but not all at the same barrier"),
        _ => format!(
            "{waiting}{of_block} {wait} at a barrier that {} will never reach",
            many(missing.into(), "thread", "threads"),
        ),
    };
    let mut draft = Draft::new(title).mark(scene.mark(
        at,
        true,
        format!("thread {} waits here", thread_index(scene.thread_names, at)),
    ));
    let Some(with) = with else {
        return draft.think("which threads reach this barrier?");
    };
    let other = thread_index(scene.thread_names, with);
    draft = match with.action {
        Action::Exit => match exit_statement(scene, at.source.line, with) {
            Some((line, column, length)) => {
                let label = format!("thread {other} exited here");
                draft.mark([span(line, column, length, false, label)])
            }
            None => draft.note(format!("thread {other} has already exited")),
        },
        _ if with.source.line == at.source.line => {
            let other_call = with.called_from != at.called_from;
            let how = if other_call { "another call" } else { "another iteration" };
            draft.note(format!("thread {other} also waits on this line, but in {how}"))
        }
        _ => draft.mark(scene.mark(with, false, format!("thread {other} waits here instead"))),
    };
    let this = thread_index(scene.thread_names, at);
    let waits = with.action == Action::Wait;
    let question = if let Some(branch) = parting(scene, at, with) {
        draft = draft.mark([branch.mark("only some threads enter here")]);
        match own_variable(scene.source, &branch) {
            Some((name, value)) => {
                draft = draft.note(format!(
                    "each thread has a variable `{name}` of its own: it is {value} in thread {this} and {} in thread {other}",
                    !value
                ));
                "which threads give this variable its value, and how could the other threads get it?"
            }
            None => "which threads must reach this barrier, and does that depend on the condition?",
        }
    } else if let Some(branch) = waits.then(|| parting(scene, with, at)).flatten() {
        draft = draft.mark([branch.mark("only some threads enter here")]);
        "which threads must reach this barrier, and does that depend on the condition?"
    } else if let Some((line, column, length)) = exited_loop(scene, at, with) {
        let label = "some threads have left this loop, while others run another iteration";
        draft = draft.mark([span(line, column, length, false, label)]);
        "how many iterations does each thread run, and what decides that?"
    } else {
        "what could the threads without work do so that they still reach the barrier?"
    };
    let rule = if with.action == Action::Exit {
        "__syncthreads() waits only for threads that have not exited; an exited thread leaves its part of the work undone"
    } else {
        "all threads of a block must reach the same __syncthreads(), in the same iteration"
    };
    draft.note(rule).think(question)
}

/// The loop around the barrier `at`, when the thread of `with` has already left that loop.
fn exited_loop(scene: &Scene<'_>, at: &Access, with: &Access) -> Option<(u32, u32, u32)> {
    let around = scene.enclosing_loop(at)?;
    // Otherwise the thread is in a later loop, or in one inside this loop, which cannot be
    // distinguished here.
    let past = scene.enclosing_loop(with).is_none_or(|(line, ..)| line < around.0);
    (with.source.line > at.source.line && past).then_some(around)
}

/// The `return` by which a thread left the kernel before `barrier`: the one in the finding, or the
/// only one above the barrier. The line of an exit may be one of an inlined function, whose
/// `return` leaves that function only.
fn exit_statement(scene: &Scene<'_>, barrier: u32, with: &Access) -> Option<(u32, u32, u32)> {
    let kernels = scene.source.kernels();
    let around = |line: u32| kernels.iter().find(|lines| lines.contains(&line));
    let leaves = |(line, _): &(u32, u32)| {
        let kernel = around(*line);
        kernel.is_some() && around(barrier).is_none_or(|other| Some(other) == kernel)
    };
    let mut above = scene.source.occurrences("return");
    above.retain(leaves);
    let recorded = above.iter().any(|(line, _)| *line == with.source.line);
    above.retain(|(line, _)| if recorded { *line == with.source.line } else { *line < barrier });
    let (line, _) = (above.len() == 1).then(|| above.first().copied())??;
    // The mark covers the whole statement with its `if`, because the condition decides.
    let (column, length) = scene.source.statement(line, 0)?;
    Some((line, column, length))
}

fn thread_index(names: ThreadNames, access: &Access) -> String {
    names.thread_index(access.thread)
}

/// The line of a `__syncwarp()` between two accesses of different warps.
fn warp_barrier_between(scene: &Scene<'_>, first: &Access, second: &Access) -> Option<u32> {
    let [a, b] = [first, second].map(|access| access.source.line);
    let lines = a.min(b)..=a.max(b);
    let mut code = scene.source.texts().filter(|(line, _)| lines.contains(line));
    let (line, _) = code.find(|(_, code)| code.contains("__syncwarp("))?;
    (first.linear / 32 != second.linear / 32).then_some(line)
}

/// A barrier that no GPU has: a number above 15, or a part of a warp.
pub fn bad_barrier(scene: &Scene<'_>, at: &Access, id: u32, threads: Option<u32>) -> Draft {
    let thread = scene.thread(at);
    let (title, question) = match threads.filter(|n| n % 32 != 0) {
        Some(n) => (
            format!(
                "{thread} uses a barrier for {}, which are not whole warps",
                many(n.into(), "thread", "threads")
            ),
            "how many whole warps should wait at this barrier?",
        ),
        None => (
            format!("{thread} uses barrier number {id}, which a block does not have"),
            "how many different barriers does the kernel need at the same time?",
        ),
    };
    Draft::new(title)
        .mark(scene.mark(at, true, "illegal with these values"))
        .note("a block has the barriers 0 to 15, each for all its threads or for a multiple of 32")
        .note("a GPU stops the kernel here with CUDA_ERROR_ILLEGAL_INSTRUCTION")
        .think(question)
}

/// No thread can continue.
pub fn deadlock(scene: &Scene<'_>, at: &Access, with: Option<&Access>, waiting: u32) -> Draft {
    Draft::new(format!(
        "no thread can continue: {} for something that never happens",
        if waiting == 1 {
            "1 thread waits".into()
        } else {
            format!("{} threads wait", count(waiting.into()))
        }
    ))
    .mark(scene.mark(at, true, format!("{} waits here", scene.thread(at))))
    .mark(with.and_then(|with| scene.mark(with, false, format!("{} waits here", scene.thread(with)))))
    .note("the threads wait at different barriers, and none of these barriers gets all of its threads")
    .think("what would let the first of these threads continue, and which thread would have to do it?")
}

/// All remaining threads wait in a loop, or at a barrier for threads that do.
pub fn livelock(
    scene: &Scene<'_>,
    at: &Access,
    with: Option<&Access>,
    waiting: u32,
    places: &[WaitingAt],
) -> Draft {
    let looks = |access: &Access| match access.array {
        Some(_) => format!("{} waits for {}", scene.thread(access), scene.element(access)),
        None => format!("{} waits here", scene.thread(access)),
    };
    let threads = |n: u32| {
        if n == 1 {
            "1 thread waits".to_owned()
        } else {
            format!("{} threads wait", count(n.into()))
        }
    };
    let mut draft = Draft::new(format!(
        "no thread can continue: {} for a change that no thread can make any more",
        threads(waiting)
    ))
    .mark(scene.mark(at, true, looks(at)));
    if let Some(with) = with.filter(|with| with.source.line != at.source.line) {
        draft = draft.mark(scene.mark(with, false, looks(with)));
    } else if let Some(with) = with {
        draft = draft.note(format!("also here: {}", looks(with)));
    }
    for place in places.iter().filter(|_| places.len() > 1) {
        let what = if place.spinning { "in a loop" } else { "at a barrier" };
        draft =
            draft.note(format!("line {}: {} {what}", place.source.line, threads(place.threads)));
    }
    let question = if at.array.is_none() {
        "what does each of these threads wait for, and where are the threads that should do it?"
    } else if scene.is_launch_of_program() {
        "what should write this element, a thread or the host, and what keeps it from getting there?"
    } else {
        "which thread should write this element, and where is that thread now?"
    };
    draft
        .note("the simulator has found that every remaining thread repeats the same steps forever")
        .think(question)
}
