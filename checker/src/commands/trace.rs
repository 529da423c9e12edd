//! `checker trace`: what one thread does, line by line.

use super::session::{self, Session};
use super::{present, profile};
use crate::backend::Choice;
use crate::cli::Trace;
use crate::exercises;
use crate::exit::Exit;
use crate::explain::{self, Context};
use crate::inspect;
use crate::report::{terminal, trace};

/// Follows one thread of one case of an exercise.
pub fn run(args: &Trace) -> anyhow::Result<Exit> {
    let exit = run_in_format(args);
    // Whoever reads JSON gets JSON, also where nothing could be tried; why is on stderr.
    if exit.is_err() && args.look.json {
        say!("{}", trace::json(None));
    }
    exit
}

fn run_in_format(args: &Trace) -> anyhow::Result<Exit> {
    let session = Session::open()?;
    let spec = exercises::find(&args.name)?;
    let options = profile::options(&args.look);
    let mut engine = session::engine(Choice::Sim)?;
    let path = session.workbook.exercise(spec);
    let who = (args.block, args.thread);
    match inspect::trace(spec, &path, &mut engine, &options, who, args.lines)? {
        Ok(seen) => {
            let context = Context {
                file: &session.workbook.relative(&path),
                source: &seen.source,
                device: "simulator",
                millis: seen.millis,
                printed: None,
                seed: options.seed,
                command: session.command,
            };
            let told = explain::trace(spec, &seen, &context);
            if args.look.json {
                say!("{}", trace::json(Some(&told)));
            } else {
                let text = trace::render(&told, args.limit as usize, terminal::full_width());
                say!("{}", text.trim_end());
            }
            let left = seen.trace.end == ptxsim::trace::End::Left;
            Ok(if left { Exit::Passed } else { Exit::NotYet })
        }
        Err(attempt) => {
            let report = present::report(&session, spec, &attempt);
            if args.look.json {
                say!("{}", trace::json(None));
                eprintln!("{}", present::text(&report, &attempt).trim_end());
            } else {
                say!("{}", present::text(&report, &attempt).trim_end());
            }
            Ok(Exit::of(&attempt.verdict))
        }
    }
}
