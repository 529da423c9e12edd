//! `checker hint`: one more hint each time, from a nudge to nearly the answer.

use colored::Colorize;

use super::Usage;
use super::session::Session;
use crate::exercises;
use crate::exit::Exit;
use crate::report::terminal::paragraph;
use crate::spec::Spec;

/// Prints the next hint of an exercise, or of the first open one.
pub fn run(name: Option<&str>) -> anyhow::Result<Exit> {
    let mut session = Session::open()?;
    let spec = match name {
        Some(name) => exercises::find(name)?,
        None => session
            .next_open()
            .ok_or_else(|| Usage("everything is done: name the exercise".into()))?,
    };
    say!("{}", next(&mut session, spec));
    Ok(Exit::Passed)
}

/// The next hint as text, and remembers that it was shown. After the last one: all of them again.
pub fn next(session: &mut Session, spec: &Spec) -> String {
    let shown = session.progress.hints(spec.id);
    let (all, command) = (spec.hints.len(), session.command);
    let title = |number: usize| format!("{} hint {number} of {all}", spec.id).bold();
    match spec.hints.get(shown) {
        Some(hint) => {
            session.change(|progress| progress.set_hints(spec.id, shown + 1));
            let then = match all - shown - 1 {
                0 => format!(
                    "That was the last one. `{command} solution {} --spoil` shows the solution.",
                    spec.id
                ),
                _ => format!("Still stuck? `{command} hint {}` says more.", spec.id),
            };
            format!("{}\n{}\n\n{then}", title(shown + 1), paragraph(hint))
        }
        None => {
            let one =
                |(number, hint): (usize, &&str)| format!("{}\n{}", title(number), paragraph(hint));
            let all = (1..).zip(spec.hints).map(one);
            all.collect::<Vec<_>>().join("\n")
        }
    }
}
