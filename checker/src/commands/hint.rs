//! `checker hint`: one more hint each time, from a nudge to nearly the answer.

use crate::error::Usage;
use crate::exercises;
use crate::exit::Exit;
use crate::present;
use crate::session::Session;

/// Prints the next hint of an exercise, or of the first open one.
pub fn run(name: Option<&str>) -> anyhow::Result<Exit> {
    let mut session = Session::open()?;
    let spec = match name {
        Some(name) => exercises::find(name)?,
        None => {
            session.next_open().ok_or_else(|| Usage("every exercise is done: name one".into()))?
        }
    };
    say!("{}", present::next_hint(&mut session, spec));
    Ok(Exit::Passed)
}
