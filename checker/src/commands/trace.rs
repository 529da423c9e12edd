//! `checker trace`: what one thread does, line by line.

use cudart_sim::runtime::LaunchChoice;

use crate::backend::Choice;
use crate::cli::{CaseFormat, ThreadOptions, Trace};
use crate::exercises;
use crate::exit::Exit;
use crate::explain;
use crate::inspect::{self, Follow};
use crate::present;
use crate::report::{html, terminal, trace};
use crate::session::{self, Session};
use crate::source;

/// Follows one thread of one case of an exercise.
pub fn run(args: &Trace) -> anyhow::Result<Exit> {
    let exit = run_in_format(args);
    // A program that reads JSON gets a document even when nothing could run; the reason is on
    // standard error.
    if exit.is_err() && args.case.format() == CaseFormat::Json {
        say!("{}", trace::json(None));
    }
    exit
}

fn run_in_format(args: &Trace) -> anyhow::Result<Exit> {
    let session = Session::open()?;
    let spec = exercises::find(&args.name)?;
    let options = args.case.options();
    let mut engine = session::engine(Choice::Sim)?;
    let path = session.workbook.exercise(spec);
    let choice = args.launch.as_deref().map(LaunchChoice::parse);
    let ThreadOptions { block, thread, lines, limit } = args.thread;
    let follow = Follow { launch: choice.as_ref(), block, thread, lines, warp: false };
    match inspect::trace(spec, source::read(&path), &mut engine, &options, follow)? {
        Ok(traced) => {
            let file = session.workbook.relative(&path);
            let context =
                present::context(&session, &file, &traced.source, traced.millis, &options);
            let trace = explain::trace(spec, &traced, &context);
            match args.case.format() {
                CaseFormat::Json => say!("{}", trace::json(Some(&trace))),
                CaseFormat::Html => {
                    say!("{}", html::page(&[html::trace(&trace, limit as usize)]));
                }
                CaseFormat::Term => {
                    let text = trace::render(&trace, limit as usize, terminal::full_width());
                    say!("{}", text.trim_end());
                }
            }
            let returned = traced.trace.end == ptxsim::trace::End::Left;
            Ok(if returned { Exit::Passed } else { Exit::NotYet })
        }
        Err(attempt) => {
            let report = present::report(&session, spec, &attempt);
            match args.case.format() {
                CaseFormat::Json => {
                    say!("{}", trace::json(None));
                    eprintln!("{}", present::text(&report, &attempt));
                }
                CaseFormat::Html => say!("{}", present::html(&report, &attempt, None)),
                CaseFormat::Term => say!("{}", present::text(&report, &attempt)),
            }
            Ok(Exit::of(&attempt.verdict))
        }
    }
}
