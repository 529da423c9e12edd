//! Explains handles of other objects that a launch passes for a texture or a surface.

use cudart_sim::report::{ForeignArgument, LeakKind, PointerTarget};
use cudart_sim::runtime::LaunchRecord;
use ptxsim::{Finding, FindingKind};

use super::names::object_name;
use super::{Draft, Program};
use crate::explain::scan::words;
use crate::explain::scene::Scene;

/// Largest number of lines over which the instruction's statement is read.
const STATEMENT_LINES: u32 = 6;

/// Says what the handle of a finding is, and for which parameter the launch passes it.
pub fn explain(
    program: Program<'_>,
    launched: &LaunchRecord,
    (scene, finding): (&Scene<'_>, &Finding),
    mut draft: Draft,
) -> Draft {
    let surface = matches!(finding.what, FindingKind::BadObject { surface: true, .. });
    let wanted = if surface { LeakKind::Surface } else { LeakKind::Texture };
    let all = &launched.foreign_arguments;
    let with_handle: Vec<&ForeignArgument> =
        all.iter().filter(|argument| argument.value == finding.at.address).collect();
    let Some((object, at)) = with_handle.first().and_then(|argument| object_of(argument)) else {
        return draft;
    };
    if object == wanted {
        return draft;
    }
    let (name, wanted_name) = (object_name(object), object_name(wanted));
    let needed = wanted_name.trim_start_matches("a ");
    draft.title =
        format!("a {} instruction gets the handle of {name}", needed.trim_end_matches(" object"));
    draft.notes.retain(|note| !note.contains("with this handle was created"));
    draft = draft.mark(program.mark(at, false, format!("{name} is created here")));
    let names = program.source.parameters(&launched.kernel);
    let Some(used) = used(scene, finding, &names, &with_handle) else {
        return draft
            .note(format!(
                "the launch passes the handle of {name} where the kernel needs {wanted_name}"
            ))
            .think("which of its arguments does this line use as the handle?");
    };
    let parameter = argument(&names, used.number);
    draft = draft.note(format!("{parameter} is {name}, and not {wanted_name}"));
    let other = with_handle.iter().find(|argument| argument.number != used.number);
    let swapped = all.iter().find(|argument| object_of(argument).is_some_and(|(o, _)| o == wanted));
    let is_handle = matches!(object, LeakKind::Texture | LeakKind::Surface);
    if let Some(swapped) = swapped {
        let swapped = argument(&names, swapped.number);
        return draft
            .note(format!("{swapped} is {wanted_name}, so the two arguments are swapped"))
            .think("in which order does the kernel take these two handles?");
    }
    if let Some(other) = other {
        let other = argument(&names, other.number);
        draft = draft.note(format!("the launch passes the same handle as {other}"));
    }
    draft.think(if is_handle {
        format!("which handle should the launch pass for {parameter}?")
    } else {
        format!("which call makes {wanted_name} of {name}, and where does it store its handle?")
    })
}

fn object_of(
    argument: &ForeignArgument,
) -> Option<(LeakKind, Option<&cudart_sim::report::CallSite>)> {
    match &argument.target {
        PointerTarget::Object { object, at } => Some((*object, at.as_ref())),
        _ => None,
    }
}

/// The argument that the statement of a finding uses, of those with its handle.
fn used<'l>(
    scene: &Scene<'_>,
    finding: &Finding,
    names: &[String],
    with_handle: &[&'l ForeignArgument],
) -> Option<&'l ForeignArgument> {
    if let [only] = with_handle {
        return Some(only);
    }
    let (line, column) = (finding.at.source.line, finding.at.source.column);
    let text = scene.source.statement_text_around(line, column, STATEMENT_LINES)?;
    let text: Vec<char> = text.chars().collect();
    let is_named = |argument: &&&ForeignArgument| {
        let name = names.get(argument.number);
        words(&text).any(|(_, word)| Some(&word) == name)
    };
    let mut named = with_handle.iter().filter(is_named);
    let used = named.next()?;
    named.next().is_none().then_some(*used)
}

/// An argument of a launch, by its name if the source shows it.
fn argument(names: &[String], number: usize) -> String {
    match names.get(number) {
        Some(name) => format!("the argument `{name}`"),
        None => format!("argument number {}", number + 1),
    }
}
