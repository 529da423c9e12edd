//! Explains warp operations whose mask does not fit the lanes that execute them.

use ptxsim::{Finding, MaskProblem, Space};

use super::Draft;
use super::branches::parting;
use super::scene::Scene;
use super::words::many;

/// A warp operation with this mask, executed by the lanes `present`.
pub fn sync_mask(
    scene: &Scene<'_>,
    finding: &Finding,
    [mask, present]: [u32; 2],
    problem: MaskProblem,
) -> Draft {
    let at = &finding.at;
    let (thread, lane) = (scene.thread(at), at.linear % 32);
    let reads = |source: u32, why: String| {
        Draft::new(format!("lane {lane} reads lane {source}, which {why}"))
            .note(format!("in the mask {mask:#010x}: {}", lanes(mask)))
            .note("a shuffle gets a value only from a lane that executes it, too, and that the mask names")
    };
    let executed = format!("executed by {}", lanes(present));
    let here = format!("lane {lane} is {thread}; {executed}");
    let every = format!(
        "a mask has one bit for each lane{}; every lane that it names must execute this line",
        if at.space == Some(Space::Shared) { "" } else { " of a warp" }
    );
    let (draft, label, question) = match problem {
        MaskProblem::AbsentLanes => {
            let names = many(mask.count_ones().into(), "lane", "lanes");
            let are = match present.count_ones() {
                1 => "1 is".to_owned(),
                n => format!("{n} are"),
            };
            let draft =
                Draft::new(format!("the mask {mask:#010x} names {names}, but only {are} here"))
                    .note(format!("not here: {}", lanes(mask & !present)));
            (draft.note(every), executed, "which lanes execute this line, and which ones should?")
        }
        MaskProblem::LacksItself => {
            let draft =
                Draft::new(format!("{thread} is not in the mask {mask:#010x} that it passes"))
                    .note(format!("in the mask: {}", lanes(mask)));
            let question = "which lanes reach this line, and which of them does the mask name?";
            (draft.note(every), executed, question)
        }
        MaskProblem::OtherMask { lane: other, mask: others } => {
            let draft = Draft::new(format!(
                "lanes {lane} and {other} execute this line together with different masks"
            ))
            .note(format!("lane {lane} passes {mask:#010x}, lane {other} passes {others:#010x}"))
            .note("all lanes that a mask names must pass this same mask");
            let question =
                "what is the mask computed from, and is that the same for all its lanes?";
            (draft, here, question)
        }
        MaskProblem::SourceNotNamed { lane: source } => (
            reads(source, "the mask does not name".into()),
            here,
            "which lanes does this shuffle read, and does the mask name all of them?",
        ),
        MaskProblem::SourceExited { lane: source } => (
            reads(source, "has exited".into()),
            here,
            "which lanes does this shuffle read, and are all of them still there?",
        ),
    };
    let mut draft = draft.mark(scene.mark(at, true, label)).think(question);
    if let Some(with) = finding.with.as_ref().filter(|_| problem == MaskProblem::AbsentLanes) {
        let other = with.linear % 32;
        draft = match with.source.line == at.source.line && with.called_from == at.called_from {
            true => draft,
            false => draft.mark(scene.mark(with, false, format!("lane {other} waits here"))),
        };
        // one of the two conditions kept the lanes apart
        let branch = parting(scene, at, with).or_else(|| parting(scene, with, at));
        draft = draft.mark(branch.map(|branch| branch.mark("only some lanes enter here")));
    }
    draft
}

/// `lane 3`, `lanes 0 to 4`, `lanes 0, 2, 4 ...`.
pub fn lanes(mask: u32) -> String {
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
