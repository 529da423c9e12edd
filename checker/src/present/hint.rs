//! Hints, one more at each call.

use colored::Colorize;

use crate::report::terminal::paragraph;
use crate::session::Session;
use crate::spec::Spec;

/// The next hint as text; the progress remembers that it was shown. After the last hint, all of
/// them again.
pub fn next_hint(session: &mut Session, spec: &Spec) -> String {
    let shown = session.progress.hints(spec.id);
    let (all, command) = (spec.hints.len(), session.command);
    let entry = |number: usize, hint: &str| {
        let title = format!("{} hint {number} of {all}", spec.id).bold();
        let hint = hint.replace("cargo checker ", "checker ");
        format!("{title}\n{}", paragraph(&hint.replace("`checker ", &format!("`{command} "))))
    };
    let Some(hint) = spec.hints.get(shown) else {
        let all = (1..).zip(spec.hints).map(|(number, hint)| entry(number, hint));
        return all.collect::<Vec<_>>().join("\n");
    };
    session.change(|progress| progress.set_hints(spec.id, shown + 1));
    let next_step = if shown + 1 == all {
        format!(
            "That was the last one. `{command} solution {} --spoil` shows the solution.",
            spec.id
        )
    } else {
        format!("Still stuck? `{command} hint {}` says more.", spec.id)
    };
    format!("{}\n\n{next_step}", entry(shown + 1, hint))
}
