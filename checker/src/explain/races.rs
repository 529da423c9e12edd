//! Threads that get in each other's way: races, barriers that never open, masks that name absent lanes.

use ptxsim::{Access, Action, Finding, Space, WaitingAt};

use super::Draft;
use super::scan::span;
use super::scene::Scene;
use super::words::{Places, count, many, volume};

/// Two accesses of one element, in no fixed order. `with` came first.
pub fn race(scene: &Scene<'_>, finding: &Finding) -> Draft {
    let at = &finding.at;
    let Some(with) = finding.with.as_ref() else {
        return one_sided(scene, at);
    };
    if with.pending {
        return pending(scene, finding, with);
    }
    let turned = read_too_early(scene, at, with);
    let (at, with) = if turned { (with, at) } else { (at, with) };
    let same_block = at.block == with.block;
    let who = |access: &Access| {
        let thread = scene.places.thread_index(access.thread);
        if same_block { format!("thread {thread}") } else { scene.who(access) }
    };
    let (second, first, element) = (who(at), who(with), scene.element(at));
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
        (Action::Atomic, Action::Atomic) => {
            format!(
                "{first} and {second} update {element} at once, each atomically for its own block only"
            )
        }
        (Action::Atomic, _) | (_, Action::Atomic) => {
            format!("{first} and {second} use {element} at once, and only one of them atomically")
        }
        _ => format!("{first} and {second} use {element} at once, in no fixed order"),
    };
    let mut draft = Draft::new(title);
    let (one, two) = (said(scene, &first, with), said(scene, &second, at));
    let marks =
        (scene.mark(with, false, format!("(1) {one}")), scene.mark(at, true, format!("(2) {two}")));
    let same_line = with.source.line == at.source.line;
    match marks {
        (Some(a), Some(b)) if (a.line, a.column, a.length) == (b.line, b.column, b.length) => {
            draft = draft
                .mark([span(b.line, b.column, b.length, true, "both come here")])
                .note(format!("(1) {one}; (2) {two}"));
        }
        (a, b) => draft = draft.mark(a).mark(b),
    }
    if let Some(index) = scene.subscript_value(at).filter(|_| same_line) {
        draft = draft.note(format!("{index} for {second}"));
    }
    let split = same_line && scene.expression(at).is_some_and(|(_, s)| s.assigned && s.read);
    if split {
        draft = draft.note("this changes the element in three steps: read, compute, write");
    } else if same_line && same_block && scene.loop_around(at).is_some() {
        draft = draft.note("the loop around it runs both: (1) may be from an earlier round");
    }
    let shared_loop = scene.loop_of_both(at, with).filter(|_| same_block && !same_line && !turned);
    if let Some(line) = shared_loop {
        draft = draft.note(format!(
            "both are in the loop of line {line}: (2) may be of the same round as (1), or of the next"
        ));
    }
    let times = match finding.count {
        0 | 1 => String::new(),
        n if turned => format!("; {} accesses at (1) race like this", count(n)),
        n => format!("; {} accesses at this place race like this", count(n)),
    };
    draft = if !same_block {
        draft.note(format!(
            "blocks run in any order, and __syncthreads() does not wait for other blocks{times}"
        ))
    } else if volume(scene.block) <= 32 {
        draft.note(format!("nothing orders (1) and (2), not even in one warp{times}"))
    } else {
        draft.note(format!("no barrier lies between (1) and (2){times}"))
    };
    if let Some(line) = uncalled_barrier(scene) {
        draft = draft
            .note(format!("line {line} names __syncthreads, but does not call it: see its ()"));
    }
    draft.note("It may well print the right answer on your GPU today. It is still wrong.").think(
        match (same_block, at.action == with.action) {
            _ if split => "what is lost when two threads read the same old value?",
            _ if shared_loop.is_some() => {
                "at which places of a round does everybody have to wait for everybody?"
            }
            (_, true) if at.action == Action::Atomic => {
                "which threads are these updates atomic for, and which others come here?"
            }
            (_, false) if [at.action, with.action].contains(&Action::Atomic) => {
                "what becomes of an atomic update that comes just before or after the ordinary access?"
            }
            (true, false) => "what must every thread have finished before this line is safe?",
            (true, true) if same_line => "which one of the threads should own this element?",
            (true, true) => "which of the two should come first, and what makes the other one wait?",
            (false, true) => "why do two blocks come to the same element at all?",
            (false, false) => {
                "should the reader find the old value here, or the new one, and what decides that?"
            }
        },
    )
}

/// Whether the write comes before the read in the kernel's text, once for each thread: then it is the read that comes too
/// early, whichever of the two happened first this time.
fn read_too_early(scene: &Scene<'_>, at: &Access, with: &Access) -> bool {
    at.block == with.block
        && (at.action, with.action) == (Action::Write, Action::Read)
        && at.source.line < with.source.line
        && at.called_from.is_none()
        && with.called_from.is_none()
        && scene.loop_around(at).is_none()
}

/// An access of what an asynchronous copy reads or writes, before the copying thread has waited for it.
fn pending(scene: &Scene<'_>, finding: &Finding, with: &Access) -> Draft {
    let at = &finding.at;
    let (who, copier, element) = (scene.who(at), scene.who(with), scene.element(at));
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
    let draft = Draft::new(format!("{who} {verb} {element} {when}"))
        .mark(scene.mark(with, false, format!("(1) {copier} starts to copy")))
        .mark(scene.mark(at, true, format!("(2) {who} {verb} {element}")));
    let times = match finding.count {
        0 | 1 => String::new(),
        n => format!("; {} accesses come too early like this", count(n)),
    };
    draft
        .note("a copy goes on by itself: a barrier waits for threads, not for their copies")
        .note(format!("first each thread waits for its own copies, then comes the barrier{times}"))
        .note("It may well print the right answer on your GPU today. It is still wrong.")
        .think("how many groups of copies may still be on their way when (2) comes?")
}

/// A race whose other party is not known.
fn one_sided(scene: &Scene<'_>, at: &Access) -> Draft {
    let element = scene.element(at);
    Draft::new(format!("{} uses {element} while another thread may change it", scene.who(at)))
        .mark(scene.mark(at, true, "not ordered with another thread's access"))
        .note("It may well print the right answer on your GPU today. It is still wrong.")
        .think("which other threads come to this element, and what orders them?")
}

fn said(scene: &Scene<'_>, who: &str, access: &Access) -> String {
    let element = scene.element(access);
    match access.action {
        Action::Read => format!("{who} reads {element}"),
        Action::Write => format!("{who} writes {element}"),
        Action::Atomic => format!("{who} updates {element} atomically"),
        _ => format!("{who} uses {element}"),
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
        format!(" of block {}", scene.places.block_index(at.block))
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
        format!("thread {} waits here", thread(scene.places, at)),
    ));
    let Some(with) = with else {
        return draft.think("which threads get as far as this barrier?");
    };
    let other = thread(scene.places, with);
    draft = match with.action {
        Action::Exit => match way_out(scene, at.source.line, with) {
            Some((line, column, length)) => {
                let label = format!("thread {other} left the kernel here");
                draft.mark([span(line, column, length, false, label)])
            }
            None => draft.note(format!("thread {other} has already left the kernel")),
        },
        _ if with.source.line == at.source.line => {
            draft.note(format!("thread {other} waits at this line too, in another round"))
        }
        _ => draft.mark(scene.mark(with, false, format!("thread {other} waits here instead"))),
    };
    let inside = scene.source.enclosing(at.source.line, at.source.column, &["if", "else", "while"]);
    let question = if let Some((line, column, length)) = inside {
        let label = "only some threads come in here";
        draft = draft.mark([span(line, column, length, false, label)]);
        "who has to come to this barrier, and does that depend on the condition?"
    } else if let Some((line, column, length)) = left_loop(scene, at, with) {
        let label = "some threads have left this loop, others go round once more";
        draft = draft.mark([span(line, column, length, false, label)]);
        "how often does each thread go round, and what decides it?"
    } else {
        "what could the threads without work do, so that they still reach the barrier?"
    };
    draft
        .note("__syncthreads() opens when every thread of the block has reached that same line")
        .think(question)
}

/// The loop around the barrier `at`, where the thread of `with` is past it.
fn left_loop(scene: &Scene<'_>, at: &Access, with: &Access) -> Option<(u32, u32, u32)> {
    let around = scene.loop_around(at)?;
    // a later loop, or one inside this one: it cannot be told which
    let past = scene.loop_around(with).is_none_or(|(line, ..)| line < around.0);
    (with.source.line > at.source.line && past).then_some(around)
}

/// The `return` by which a thread can have left before `barrier`: where the finding says, or the only one above.
fn way_out(scene: &Scene<'_>, barrier: u32, with: &Access) -> Option<(u32, u32, u32)> {
    let mut above = scene.source.places("return");
    let recorded = above.iter().any(|(line, _)| *line == with.source.line);
    above.retain(|(line, _)| if recorded { *line == with.source.line } else { *line < barrier });
    let (line, _) = (above.len() == 1).then(|| above.first().copied())??;
    // The whole statement, with its `if`: the condition is what decides.
    let (column, length) = scene.source.statement(line, 0)?;
    Some((line, column, length))
}

fn thread(places: Places, access: &Access) -> String {
    places.thread_index(access.thread)
}

/// A barrier that no GPU has: a number above 15, or a part of a warp.
pub fn bad_barrier(scene: &Scene<'_>, at: &Access, id: u32, threads: Option<u32>) -> Draft {
    let who = scene.who(at);
    let (title, question) = match threads.filter(|n| n % 32 != 0) {
        Some(n) => (
            format!(
                "{who} comes to a barrier for {}: not whole warps",
                many(n.into(), "thread", "threads")
            ),
            "how many whole warps do the threads that meet here make?",
        ),
        None => (
            format!("{who} comes to barrier number {id}, which a block does not have"),
            "how many different barriers does the kernel need at the same time?",
        ),
    };
    Draft::new(title)
        .mark(scene.mark(at, true, "illegal with these values"))
        .note("a block has the barriers 0 to 15, each for all its threads or for a multiple of 32")
        .note("a GPU stops the kernel here: CUDA_ERROR_ILLEGAL_INSTRUCTION")
        .think(question)
}

/// Nobody can go on.
pub fn deadlock(scene: &Scene<'_>, at: &Access, with: Option<&Access>, waiting: u32) -> Draft {
    Draft::new(format!(
        "no thread can go on: {} for something that never happens",
        if waiting == 1 {
            "1 thread waits".into()
        } else {
            format!("{} threads wait", count(waiting.into()))
        }
    ))
    .mark(scene.mark(at, true, format!("{} waits here", scene.who(at))))
    .mark(with.and_then(|with| scene.mark(with, false, format!("{} waits here", scene.who(with)))))
    .note("threads wait for each other in a circle, or for a value that nobody will write any more")
    .think("who would have to do what, so that the first of them can go on?")
}

/// Everybody who is left waits in a loop, or at a barrier for those who do.
pub fn livelock(
    scene: &Scene<'_>,
    at: &Access,
    with: Option<&Access>,
    waiting: u32,
    places: &[WaitingAt],
) -> Draft {
    let looks = |access: &Access| match access.array {
        Some(_) => format!("{} waits for {}", scene.who(access), scene.element(access)),
        None => format!("{} waits here", scene.who(access)),
    };
    let threads = |n: u32| {
        if n == 1 {
            "1 thread waits".to_owned()
        } else {
            format!("{} threads wait", count(n.into()))
        }
    };
    let mut draft = Draft::new(format!(
        "no thread can go on: {} for what nobody can change any more",
        threads(waiting)
    ))
    .mark(scene.mark(at, true, looks(at)));
    if let Some(with) = with.filter(|with| with.source.line != at.source.line) {
        draft = draft.mark(scene.mark(with, false, looks(with)));
    } else if let Some(with) = with {
        draft = draft.note(format!("here, too: {}", looks(with)));
    }
    for place in places.iter().filter(|_| places.len() > 1) {
        let what = if place.spinning { "in a loop" } else { "at a barrier" };
        draft =
            draft.note(format!("line {}: {} {what}", place.source.line, threads(place.threads)));
    }
    draft
        .note("the simulator has seen that every thread that is left goes in a circle")
        .think("who would have to write this element, and where is that thread now?")
}

/// A warp operation whose mask does not fit the lanes that execute it.
pub fn sync_mask(scene: &Scene<'_>, at: &Access, mask: u32, present: u32) -> Draft {
    let absent = mask & !present;
    let draft = if absent != 0 {
        Draft::new(format!(
            "the mask {mask:#010x} names {}, but only {} here",
            many(mask.count_ones().into(), "lane", "lanes"),
            match present.count_ones() {
                1 => "1 is".into(),
                n => format!("{n} are"),
            }
        ))
        .note(format!("not here: {}", lanes(absent)))
    } else {
        Draft::new(format!("{} is not in the mask {mask:#010x} that it gives", scene.who(at)))
            .note(format!("in the mask: {}", lanes(mask)))
    };
    let warp = if at.space == Some(Space::Shared) { "" } else { " of a warp" };
    draft
        .mark(scene.mark(at, true, format!("executed by {}", lanes(present))))
        .note(format!(
            "a mask has one bit for each lane{warp}; every lane that it names must come here"
        ))
        .think(if absent != 0 {
            "which lanes of the last warp have an element, and which do not?"
        } else {
            "which lanes come to this line, and which of them does the mask name?"
        })
}

/// `lane 3`, `lanes 0 to 4`, `lanes 0, 2, 4 ...`.
fn lanes(mask: u32) -> String {
    let set: Vec<u32> = (0..32).filter(|lane| mask >> lane & 1 == 1).collect();
    match (set.first(), set.last()) {
        (Some(first), Some(last)) if first == last => format!("lane {first}"),
        (Some(first), Some(last)) if (last - first) as usize + 1 == set.len() => {
            format!("lanes {first} to {last}")
        }
        (Some(_), Some(_)) => {
            let shown: Vec<String> = set.iter().take(4).map(u32::to_string).collect();
            let dots = if set.len() > 4 { " ..." } else { "" };
            format!("lanes {}{dots}", shown.join(", "))
        }
        _ => "no lane".into(),
    }
}
