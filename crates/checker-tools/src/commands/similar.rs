//! `checker similar`: lists submissions that are more alike than chance and the course explain.

use std::fs;

use colored::Colorize;
use grading::similar::{self, Options, Similar};
use grading::submission::{self, Limits, Search};

use crate::grade;
use checker::cli::Similar as Args;
use checker::error::Usage;
use checker::exit::Exit;
use checker::say;
use checker::text::sanitise;
use checker::{course, exercises};

/// Columns when the terminal's width is unknown.
const UNKNOWN_WIDTH: usize = 100;

/// Compares every two submissions.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let all = grade::course();
    let found = submission::many(&args.submissions, &Search::by_id(&all));
    let warn = |line: &str| eprintln!("{}: {}", "warning".yellow().bold(), sanitise(line));
    found.refused.iter().for_each(|refused| warn(&refused.line));
    let mut submissions: Vec<similar::Submission> = vec![];
    for place in &found.submissions {
        match submission::read(place, &all, &Limits::default()) {
            Ok(submitted) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let files = submitted.files.iter().map(|f| (f.exercise.clone(), text(&f.bytes)));
                submissions.push((place.id.clone(), files.collect()));
            }
            Err(error) => warn(&error.to_string()),
        }
    }
    if submissions.len() < 2 {
        return Err(Usage("two submissions are the least that can be compared".into()).into());
    }
    // a student who solves an exercise as the book does has copied nothing
    let solution =
        |spec: &checker::spec::Spec| Some((spec.id.to_owned(), course::solution(spec)?.to_owned()));
    let known = exercises::all().iter().filter_map(|spec| solution(spec)).collect();
    let similar = similar::compare(&all, &submissions, &Options { known, ..Options::default() });
    show(args, &similar)?;
    Ok(Exit::Passed)
}

fn show(args: &Args, similar: &Similar) -> anyhow::Result<()> {
    if let Some(path) = &args.html {
        fs::write(path, similar::html(similar))
            .map_err(|error| anyhow::anyhow!("{} cannot be written: {error}", path.display()))?;
    }
    if args.json {
        say!("{}", serde_json::to_string(similar)?);
        return Ok(());
    }
    let width = crossterm::terminal::size().map_or(UNKNOWN_WIDTH, |(columns, _)| columns.into());
    let colour = colored::control::SHOULD_COLORIZE.should_colorize();
    let text = match &args.pair {
        None => similar::text(similar, width, colour),
        Some(names) => {
            let pair = names.split_once(',').and_then(|(a, b)| similar.pair(a.trim(), b.trim()));
            let pair = pair.ok_or_else(|| {
                Usage(format!(
                    "`{names}` is no pair of the list: name two students as `--pair ada,charles`"
                ))
            })?;
            similar::pair(similar, pair, width, colour)
        }
    };
    say!("{}", text.trim_end());
    Ok(())
}
