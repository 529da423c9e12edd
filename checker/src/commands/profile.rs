//! `checker profile`: what each line of a kernel costs, counted by the simulator.

use super::present;
use super::session::{self, Session};
use crate::attempt::{self, Options};
use crate::backend::Choice;
use crate::cli::{Look, Profile};
use crate::engine::Engine;
use crate::exercises;
use crate::exit::Exit;
use crate::explain::{self, Context};
use crate::inspect::{self, Profiled};
use crate::report::{profile, terminal};
use crate::spec::Spec;

/// Profiles one case of an exercise.
pub fn run(args: &Profile) -> anyhow::Result<Exit> {
    let exit = run_in_format(args);
    // Whoever reads JSON gets JSON, also where nothing could be tried; why is on stderr.
    if exit.is_err() && args.look.json {
        say!("{}", profile::json(None));
    }
    exit
}

fn run_in_format(args: &Profile) -> anyhow::Result<Exit> {
    let session = Session::open()?;
    let spec = exercises::find(&args.name)?;
    let options = options(&args.look);
    let mut engine = session::engine(Choice::Sim)?;
    let path = session.workbook.exercise(spec);
    match inspect::profile(spec, &path, &mut engine, &options)? {
        Ok(seen) => {
            let described = describe(&session, spec, &seen, &options);
            if args.look.json {
                say!("{}", profile::json(Some(&described)));
            } else {
                say!("{}", text(&described, &seen));
            }
            Ok(if seen.observations.completed { Exit::Passed } else { Exit::NotYet })
        }
        Err(attempt) => {
            let report = present::report(&session, spec, &attempt);
            if args.look.json {
                say!("{}", profile::json(None));
                eprintln!("{}", present::text(&report, &attempt).trim_end());
            } else {
                say!("{}", present::text(&report, &attempt).trim_end());
            }
            Ok(Exit::of(&attempt.verdict))
        }
    }
}

/// The profile of what `check` has just shown; nothing where there is nothing to count.
pub fn after_check(
    session: &Session,
    spec: &'static Spec,
    engine: &mut Engine,
    options: &Options,
) -> Result<(), attempt::Error> {
    let path = session.workbook.exercise(spec);
    if let Ok(seen) = inspect::profile(spec, &path, engine, options)? {
        say!("{}", text(&describe(session, spec, &seen, options), &seen));
    }
    Ok(())
}

fn describe(
    session: &Session,
    spec: &'static Spec,
    seen: &Profiled,
    options: &Options,
) -> profile::Profile {
    let context = Context {
        file: &session.workbook.relative(&session.workbook.exercise(spec)),
        source: &seen.source,
        device: "simulator",
        millis: seen.millis,
        printed: None,
        seed: options.seed,
        command: session.command,
    };
    explain::profile(spec, seen, &context)
}

fn text(described: &profile::Profile, seen: &Profiled) -> String {
    let text = profile::render(described, &seen.source, terminal::full_width());
    text.trim_end().to_owned()
}

/// The options of a look at one case, from the command line.
pub fn options(look: &Look) -> Options {
    Options { case: look.case.clone(), seed: look.seed.unwrap_or(attempt::SEED) }
}
