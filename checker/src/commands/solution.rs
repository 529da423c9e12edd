//! `checker solution`: the solution of an exercise that is passed, or of any exercise with
//! `--spoil`.

use crate::cli::Solution;
use crate::course;
use crate::error::Usage;
use crate::exercises;
use crate::exit::Exit;
use crate::session::Session;

/// Prints the solution.
pub fn run(args: &Solution) -> anyhow::Result<Exit> {
    let spec = exercises::find(&args.name)?;
    if !args.spoil {
        let session = Session::open()?;
        if !session.progress.is_passed(spec.id) {
            let (id, command) = (spec.id, session.command);
            say!("You have not passed {id} yet, so its solution stays hidden.");
            say!();
            say!("  Stuck    {command} hint {id}");
            say!("  Anyway   {command} solution {id} --spoil");
            return Ok(Exit::NotYet);
        }
    }
    let solution = course::solution(spec)
        .ok_or_else(|| Usage(format!("this checker has no solution of {}", spec.id)))?;
    say!("{}", solution.trim_end());
    Ok(Exit::Passed)
}
