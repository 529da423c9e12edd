//! `checker check`: one exercise, a chapter, or the whole course.

use std::path::Path;

use colored::Colorize;
use cudart_sim::occupancy::SIMULATED;

use crate::attempt::{self, Attempt, Options};
use crate::cli::{Check, ReportFormat};
use crate::engine::Engine;
use crate::error::Usage;
use crate::exit::Exit;
use crate::report::{Report, html, json, short};
use crate::session::{self, Session, Target};
use crate::spec::Spec;
use crate::{console, error, exercises, explain, inspect, present, source};

/// Checks the exercises that the command line names. Without a name, that is the first open
/// exercise.
pub fn run(args: &Check) -> anyhow::Result<Exit> {
    let exit = run_in_format(args);
    // A program that reads JSON gets a document even when no check could be made; the reason is on
    // standard error.
    if exit.is_err() && args.format == ReportFormat::Json {
        say!("{}", json::render(&[]).trim_end());
    }
    exit
}

fn run_in_format(args: &Check) -> anyhow::Result<Exit> {
    if let Some(file) = &args.file {
        return check_other_file(args, file);
    }
    let mut session = Session::open()?;
    let specs = match args.what.as_deref().map(session::target).transpose()? {
        Some(target) => target.specs(),
        None if args.all => exercises::all().to_vec(),
        None => match session.next_open() {
            Some(spec) => vec![spec],
            None => {
                eprintln!("Everything is done. `{} check --all` checks it again.", session.command);
                if args.format == ReportFormat::Json {
                    say!("{}", json::render(&[]).trim_end());
                }
                return Ok(Exit::Passed);
            }
        },
    };
    let options = args.run.options();
    let mut engine =
        session::engine(args.run.backend)?.confined(args.run.sandbox.into(), None, None);
    if args.profile && (args.format != ReportFormat::Term || specs.len() != 1) {
        return Err(Usage(
            "--profile shows one exercise on the terminal; `checker profile NAME --json` prints JSON".into(),
        )
        .into());
    }
    match (args.format, specs.as_slice()) {
        (ReportFormat::Json, specs) => check_for_json(&mut session, specs, &mut engine, &options),
        (ReportFormat::Short, specs) => {
            check_for_editors(&mut session, specs, &mut engine, &options)
        }
        (ReportFormat::Html, specs) => {
            check_for_notebooks(&mut session, specs, &mut engine, &options)
        }
        (ReportFormat::Term, [spec]) => {
            let exit = check_one(&mut session, spec, &mut engine, &options)?;
            if args.profile {
                say!();
                show_profile(&session, spec, &mut engine, &options)?;
            }
            Ok(exit)
        }
        (ReportFormat::Term, specs) => check_many(&mut session, specs, &mut engine, &options),
    }
}

/// Checks a file that is not the workbook's own. Nothing is recorded.
fn check_other_file(args: &Check, file: &Path) -> anyhow::Result<Exit> {
    let name = args.what.as_deref().unwrap_or_default();
    let Target::Exercise(spec) = session::target(name)? else {
        return Err(Usage(format!("--file needs an exercise, and `{name}` is a chapter")).into());
    };
    let mut engine =
        session::engine(args.run.backend)?.confined(args.run.sandbox.into(), None, None);
    let attempt = attempt::check(spec, file, &mut engine, &args.run.options())?;
    let shown = file.display().to_string();
    let report = explain::foreign(&shown, session::command(), spec, &attempt);
    match args.format {
        ReportFormat::Json => say!("{}", json::render(&[report]).trim_end()),
        ReportFormat::Short => say!("{}", short::render(&report).trim_end()),
        ReportFormat::Html => say!("{}", present::html(&report, &attempt, None)),
        ReportFormat::Term => say!("{}", present::text(&report, &attempt)),
    }
    Ok(Exit::of(&attempt.verdict))
}

fn check_one(
    session: &mut Session,
    spec: &'static Spec,
    engine: &mut Engine,
    options: &Options,
) -> anyhow::Result<Exit> {
    let (attempt, report) = present::check(session, spec, engine, options)?;
    say!("{}", present::text(&report, &attempt));
    if attempt.passed() {
        say!("  {}", present::progress_line(session, spec));
    }
    Ok(Exit::of(&attempt.verdict))
}

/// Prints the profile of an exercise that has just been checked, unless nothing could run.
fn show_profile(
    session: &Session,
    spec: &'static Spec,
    engine: &mut Engine,
    options: &Options,
) -> Result<(), attempt::Error> {
    let path = session.workbook.exercise(spec);
    let source = source::read(&path);
    if let Ok(profiled) = inspect::profile(spec, source, engine, options, None, &SIMULATED)? {
        let profile = present::profile(session, spec, &profiled, options);
        say!("{}", present::profile_text(&profile, &profiled.source));
    }
    Ok(())
}

/// Prints a line for each exercise when it is checked, then the report of the first one that
/// failed, then a summary.
fn check_many(
    session: &mut Session,
    specs: &[&'static Spec],
    engine: &mut Engine,
    options: &Options,
) -> anyhow::Result<Exit> {
    let bar = console::progress_bar(specs.len());
    let width = specs.iter().map(|spec| spec.id.len()).max().unwrap_or(0);
    let (mut exits, mut failure) = (Vec::new(), None);
    for &spec in specs {
        bar.set_message(spec.id);
        let checked = check_named(session, spec, engine, options);
        let line = match &checked {
            Ok((attempt, report)) => {
                let (mark, slug) = match report.passed {
                    true => ("✓".green(), "".normal()),
                    false => ("×".red(), report.slug.as_str().red()),
                };
                format!("  {mark} {:width$}  {:>5} ms  {slug}", spec.id, attempt.millis)
            }
            Err(error) => {
                bar.suspend(|| console::print_error(error));
                format!("  {} {:width$}  not checked", "!".yellow(), spec.id)
            }
        };
        exits.push(exit(&checked));
        if let Ok((attempt, report)) = checked
            && !report.passed
            && failure.is_none()
        {
            failure = Some((attempt, report));
        }
        bar.suspend(|| say!("{}", line.trim_end()));
        bar.inc(1);
    }
    bar.finish_and_clear();
    say!();
    if let Some((attempt, report)) = failure {
        say!("{}\n", present::text(&report, &attempt));
    }
    let count = |wanted: Exit| exits.iter().filter(|exit| **exit == wanted).count();
    let passed = count(Exit::Passed);
    let failed = count(Exit::NotYet);
    let rest = exits.len() - passed - failed;
    let unchecked =
        if rest == 0 { String::new() } else { format!(", {rest} could not be checked") };
    say!("{passed} of {} passed, {failed} not yet{unchecked}", exits.len());
    Ok(exits.into_iter().max().unwrap_or(Exit::Passed))
}

/// Prints the lines of each report as soon as it is there.
fn check_for_editors(
    session: &mut Session,
    specs: &[&'static Spec],
    engine: &mut Engine,
    options: &Options,
) -> anyhow::Result<Exit> {
    let mut exits = Vec::new();
    for &spec in specs {
        let checked = check_named(session, spec, engine, options);
        exits.push(exit(&checked));
        match checked {
            Ok((_, report)) => say!("{}", short::render(&report).trim_end()),
            Err(error) => console::print_error(&error),
        }
    }
    Ok(exits.into_iter().max().unwrap_or(Exit::Passed))
}

/// Prints the reports as one HTML fragment on standard output. Of an exercise that is the only one,
/// and has passed, the fragment also names the next one.
fn check_for_notebooks(
    session: &mut Session,
    specs: &[&'static Spec],
    engine: &mut Engine,
    options: &Options,
) -> anyhow::Result<Exit> {
    colored::control::set_override(false);
    let (mut exits, mut articles) = (Vec::new(), Vec::new());
    for &spec in specs {
        let checked = check_named(session, spec, engine, options);
        exits.push(exit(&checked));
        match checked {
            Ok((attempt, report)) => {
                let only = attempt.passed() && specs.len() == 1;
                let after = only.then(|| present::progress_line(session, spec));
                articles.push(html::render(&report, &attempt.source, after.as_deref()));
            }
            Err(error) => console::print_error(&error),
        }
    }
    if !articles.is_empty() {
        say!("{}", html::page(&articles));
    }
    Ok(exits.into_iter().max().unwrap_or(Exit::Passed))
}

/// Prints the reports as one JSON document on standard output, and nothing else there.
fn check_for_json(
    session: &mut Session,
    specs: &[&'static Spec],
    engine: &mut Engine,
    options: &Options,
) -> anyhow::Result<Exit> {
    let (mut exits, mut reports) = (Vec::new(), Vec::new());
    for &spec in specs {
        let checked = check_named(session, spec, engine, options);
        exits.push(exit(&checked));
        match checked {
            Ok((_, report)) => reports.push(report),
            Err(error) => console::print_error(&error),
        }
    }
    say!("{}", json::render(&reports).trim_end());
    Ok(exits.into_iter().max().unwrap_or(Exit::Passed))
}

/// Checks one exercise of several; an error names the exercise.
fn check_named(
    session: &mut Session,
    spec: &'static Spec,
    engine: &mut Engine,
    options: &Options,
) -> anyhow::Result<(Attempt, Report)> {
    present::check(session, spec, engine, options)
        .map_err(|error| anyhow::Error::from(error).context(format!("{} was not checked", spec.id)))
}

fn exit(checked: &anyhow::Result<(Attempt, Report)>) -> Exit {
    match checked {
        Ok((attempt, _)) => Exit::of(&attempt.verdict),
        Err(error) => error::exit(error),
    }
}
