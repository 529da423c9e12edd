//! `checker profile`: what each line of a kernel costs, counted by the simulator.

use cudart_sim::occupancy::SIMULATED;
use cudart_sim::runtime::LaunchChoice;

use crate::backend::Choice;
use crate::cli::{CaseFormat, Profile};
use crate::exercises;
use crate::exit::Exit;
use crate::inspect;
use crate::present;
use crate::report::{html, profile};
use crate::session::{self, Session};
use crate::source;

/// Profiles one case of an exercise.
pub fn run(args: &Profile) -> anyhow::Result<Exit> {
    let exit = run_in_format(args);
    // A program that reads JSON gets a document even when nothing could run; the reason is on
    // standard error.
    if exit.is_err() && args.case.format() == CaseFormat::Json {
        say!("{}", profile::json(None));
    }
    exit
}

fn run_in_format(args: &Profile) -> anyhow::Result<Exit> {
    if args.case.format() == CaseFormat::Html {
        // Parts of a profile are laid out as on a terminal, and codes for colours are no HTML.
        colored::control::set_override(false);
    }
    let session = Session::open()?;
    let spec = exercises::find(&args.name)?;
    let options = args.case.options();
    let mut engine = session::engine(Choice::Sim)?;
    let path = session.workbook.exercise(spec);
    let choice = args.launch.as_deref().map(LaunchChoice::parse);
    let card = args.gpu.unwrap_or(&SIMULATED);
    let source = source::read(&path);
    match inspect::profile(spec, source, &mut engine, &options, choice.as_ref(), card)? {
        Ok(profiled) => {
            let mut profile = present::profile(&session, spec, &profiled, &options);
            profile.occupancy_table = args.gpu.is_some();
            match args.case.format() {
                CaseFormat::Json => say!("{}", profile::json(Some(&profile))),
                CaseFormat::Html => {
                    say!("{}", html::page(&[html::profile(&profile, &profiled.source)]));
                }
                CaseFormat::Term => say!("{}", present::profile_text(&profile, &profiled.source)),
            }
            Ok(if profiled.observations.completed { Exit::Passed } else { Exit::NotYet })
        }
        Err(attempt) => {
            let report = present::report(&session, spec, &attempt);
            match args.case.format() {
                CaseFormat::Json => {
                    say!("{}", profile::json(None));
                    eprintln!("{}", present::text(&report, &attempt));
                }
                CaseFormat::Html => say!("{}", present::html(&report, &attempt, None)),
                CaseFormat::Term => say!("{}", present::text(&report, &attempt)),
            }
            Ok(Exit::of(&attempt.verdict))
        }
    }
}
