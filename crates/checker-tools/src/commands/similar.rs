//! `checker similar`: lists submissions that are more alike than chance and the course explain.

use std::fs;
use std::path::PathBuf;

use colored::Colorize;
use grading::course::Course;
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

/// Compares every two submissions, and with those of former years.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let all = grade::course();
    let submissions = read(&args.submissions, &all);
    let mut former: Vec<similar::Submission> = vec![];
    for folder in &args.against {
        let year = folder.file_name().map_or_else(
            || folder.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        let found = read(std::slice::from_ref(folder), &all);
        if found.is_empty() {
            let folder = folder.display();
            return Err(Usage(format!("--against {folder}: there is no submission in it")).into());
        }
        former.extend(found.into_iter().map(|(id, files)| (format!("{year}/{id}"), files)));
    }
    if submissions.len() < 2 && (submissions.is_empty() || former.is_empty()) {
        return Err(Usage(
            "at least two submissions are needed; for a platform's download, compare the folder \
             `files` that `checker grade` writes"
                .into(),
        )
        .into());
    }
    // a student who solves an exercise as the book does has copied nothing
    let solution =
        |spec: &checker::spec::Spec| Some((spec.id.to_owned(), course::solution(spec)?.to_owned()));
    let known = exercises::all().iter().filter_map(|spec| solution(spec)).collect();
    let options = Options { known, ..Options::default() };
    let similar = similar::compare_with(&all, &submissions, &former, &options);
    show(args, &similar)?;
    Ok(Exit::Passed)
}

/// The submissions that can be read; the others are named.
fn read(paths: &[PathBuf], course: &Course) -> Vec<similar::Submission> {
    let found = submission::many(paths, &Search::by_id(course));
    let warn = |line: &str| eprintln!("{}: {}", "warning".yellow().bold(), sanitise(line));
    found.refused.iter().for_each(|refused| warn(&refused.line));
    let mut submissions = vec![];
    for place in &found.submissions {
        match submission::read(place, course, &Limits::default()) {
            Ok(submitted) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let files = submitted.files.iter().map(|f| (f.exercise.clone(), text(&f.bytes)));
                submissions.push((place.id.clone(), files.collect()));
            }
            Err(error) => warn(&error.to_string()),
        }
    }
    submissions
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
                    "`{names}` is not a listed pair: name two students as in `--pair ada,charles`"
                ))
            })?;
            similar::pair(similar, pair, width, colour)
        }
    };
    say!("{}", text.trim_end());
    Ok(())
}
