//! `checker check`: one exercise, a chapter, or everything.

use std::path::Path;
use std::time::Duration;

use colored::Colorize;
use indicatif::{ProgressBar, ProgressStyle};

use super::session::{self, Session, Target};
use super::{Usage, complain, meaning, present, profile};
use crate::attempt::{self, Attempt, Options};
use crate::cli::{Check, Format};
use crate::engine::Engine;
use crate::exit::Exit;
use crate::report::{Report, json};
use crate::spec::Spec;
use crate::{exercises, explain};

/// Checks what the command line names: without a name, the first open exercise.
pub fn run(args: &Check) -> anyhow::Result<Exit> {
    let exit = run_in_format(args);
    // Whoever reads JSON gets JSON, also where no check could be made; why is on stderr.
    if exit.is_err() && args.format == Format::Json {
        say!("{}", json::render(&[]).trim_end());
    }
    exit
}

/// Checks a file that is not the workbook's own: nothing is recorded.
fn foreign(args: &Check, file: &Path) -> anyhow::Result<Exit> {
    let name = args.what.as_deref().unwrap_or_default();
    let Target::Exercise(spec) = session::target(name)? else {
        return Err(Usage(format!("--file is for one exercise, and `{name}` is a chapter")).into());
    };
    let mut engine =
        session::engine(args.run.backend)?.confined(args.run.sandbox.into(), None, None);
    let attempt = attempt::check(spec, file, &mut engine, &session::options(&args.run))?;
    let shown = file.display().to_string();
    let report = explain::foreign(&shown, session::command(), spec, &attempt);
    match args.format {
        Format::Json => say!("{}", json::render(&[report]).trim_end()),
        Format::Term => say!("{}", present::text(&report, &attempt).trim_end()),
    }
    Ok(Exit::of(&attempt.verdict))
}

fn run_in_format(args: &Check) -> anyhow::Result<Exit> {
    if let Some(file) = &args.file {
        return foreign(args, file);
    }
    let mut session = Session::open()?;
    let specs: Vec<&'static Spec> = match args.what.as_deref().map(session::target).transpose()? {
        Some(Target::Exercise(spec)) => vec![spec],
        Some(Target::Chapter(chapter)) => chapter.exercises.to_vec(),
        None if args.all => exercises::all().to_vec(),
        None => match session.next_open() {
            Some(spec) => vec![spec],
            None => {
                eprintln!("Everything is done. `{} check --all` checks it again.", session.command);
                if args.format == Format::Json {
                    say!("{}", json::render(&[]).trim_end());
                }
                return Ok(Exit::Passed);
            }
        },
    };
    let options = session::options(&args.run);
    let mut engine =
        session::engine(args.run.backend)?.confined(args.run.sandbox.into(), None, None);
    if args.profile && (args.format == Format::Json || specs.len() != 1) {
        return Err(Usage(
            "--profile is for one exercise on the terminal; `checker profile NAME --json` is for programs".into(),
        )
        .into());
    }
    match (args.format, specs.as_slice()) {
        (Format::Term, [spec]) if args.profile => {
            let exit = one(&mut session, spec, &mut engine, &options)?;
            say!();
            profile::after_check(&session, spec, &mut engine, &options)?;
            Ok(exit)
        }
        (Format::Json, specs) => as_json(&mut session, specs, &mut engine, &options),
        (Format::Term, [spec]) => one(&mut session, spec, &mut engine, &options),
        (Format::Term, specs) => many(&mut session, specs, &mut engine, &options),
    }
}

/// Checks one exercise, records a pass, and returns the attempt with its report.
pub fn attempt(
    session: &mut Session,
    spec: &'static Spec,
    engine: &mut Engine,
    options: &Options,
) -> Result<(Attempt, Report), attempt::Error> {
    let path = session.workbook.exercise(spec);
    let attempt = attempt::check(spec, &path, engine, options)?;
    session.record(spec, &attempt);
    let report = present::report(session, spec, &attempt);
    Ok((attempt, report))
}

fn one(
    session: &mut Session,
    spec: &'static Spec,
    engine: &mut Engine,
    options: &Options,
) -> anyhow::Result<Exit> {
    let (attempt, report) = attempt(session, spec, engine, options)?;
    say!("{}", present::text(&report, &attempt).trim_end());
    if attempt.passed() {
        say!("  {}", progress_line(session, spec));
    }
    Ok(Exit::of(&attempt.verdict))
}

/// "1 of 45 done. Next: guard (15 min)"
pub fn progress_line(session: &Session, spec: &Spec) -> String {
    let (done, all) = session.count();
    match session.next_after(spec) {
        Some(next) => {
            format!("{done} of {all} done. Next: {} ({} min)", next.id.bold(), next.minutes)
        }
        None => format!("{done} of {all} done. That was the last one: well done!"),
    }
}

/// A line per exercise while they run; then the first that failed in full, and a summary.
fn many(
    session: &mut Session,
    specs: &[&'static Spec],
    engine: &mut Engine,
    options: &Options,
) -> anyhow::Result<Exit> {
    let bar = bar(specs.len());
    let width = specs.iter().map(|spec| spec.id.len()).max().unwrap_or(0);
    let (mut exits, mut failure) = (Vec::new(), None);
    for &spec in specs {
        bar.set_message(spec.id);
        let line = match attempt(session, spec, engine, options) {
            Ok((attempt, report)) => {
                exits.push(Exit::of(&attempt.verdict));
                let (mark, slug) = match report.passed {
                    true => ("✓".green(), "".normal()),
                    false => ("×".red(), report.slug.as_str().red()),
                };
                let line = format!("  {mark} {:width$}  {:>5} ms  {slug}", spec.id, attempt.millis);
                if !report.passed && failure.is_none() {
                    failure = Some((attempt, report));
                }
                line
            }
            Err(error) => {
                let error =
                    anyhow::Error::from(error).context(format!("{} was not checked", spec.id));
                exits.push(meaning(&error));
                bar.suspend(|| complain(&error));
                format!("  {} {:width$}  not checked", "!".yellow(), spec.id)
            }
        };
        bar.suspend(|| say!("{}", line.trim_end()));
        bar.inc(1);
    }
    bar.finish_and_clear();
    say!();
    if let Some((attempt, report)) = failure {
        say!("{}\n", present::text(&report, &attempt).trim_end());
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

/// The reports as one JSON document on stdout, and nothing else there.
fn as_json(
    session: &mut Session,
    specs: &[&'static Spec],
    engine: &mut Engine,
    options: &Options,
) -> anyhow::Result<Exit> {
    let (mut exits, mut reports) = (Vec::new(), Vec::new());
    for &spec in specs {
        match attempt(session, spec, engine, options) {
            Ok((attempt, report)) => {
                exits.push(Exit::of(&attempt.verdict));
                reports.push(report);
            }
            Err(error) => {
                let error =
                    anyhow::Error::from(error).context(format!("{} was not checked", spec.id));
                exits.push(meaning(&error));
                complain(&error);
            }
        }
    }
    say!("{}", json::render(&reports).trim_end());
    Ok(exits.into_iter().max().unwrap_or(Exit::Passed))
}

/// A bar on stderr; indicatif draws nothing where stderr is no terminal.
pub fn bar(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template("  {bar:28} {pos}/{len}  {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
