//! `checker report`: writes records in a report format.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use grading::formats::pseudonyms::{self, Key};
use grading::formats::{self, Options};
use grading::record::Record;
use grading::store;
use jiff::Timestamp;

use checker::cli::{Audience, Report};
use checker::error::Usage;
use checker::exit::Exit;
use checker::say;
use checker::text::sanitise;
use colored::Colorize as _;

/// Writes one report. Nothing is run.
pub fn run(args: &Report) -> anyhow::Result<Exit> {
    let Some(format) = formats::find(&args.format) else {
        let names = formats::names();
        let near = names.iter().max_by(|a, b| {
            strsim::jaro_winkler(a, &args.format).total_cmp(&strsim::jaro_winkler(b, &args.format))
        });
        let near = near.copied().unwrap_or_default();
        let names = names.join(", ");
        return Err(Usage(format!(
            "there is no format `{}`; did you mean `{near}`? The formats are {names}",
            args.format
        ))
        .into());
    };
    let Read { mut records, terms } = read(&args.records)?;
    if let Some(path) = &args.anonymous {
        records = anonymous(path, &records)?;
    }
    let audience = match args.audience {
        None => format.audience,
        Some(Audience::Student) => formats::Audience::Student,
        Some(Audience::Instructor) => formats::Audience::Instructor,
    };
    let options = Options {
        audience,
        assignment: args.column.clone(),
        terms,
        // a platform's runner sets GITHUB_..., CLASSROOM, COMMIT_URL
        platform: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        ..Options::new(Timestamp::now())
    };
    let formats::Table { text, left_out } =
        format.table(&records, &options).map_err(|error| match error {
            // the machine's doing: another run may grade it
            formats::Error::Incomplete { .. } => anyhow::Error::from(error),
            error => Usage(error.to_string()).into(),
        })?;
    for line in left_out {
        eprintln!("{}: {}", "warning".yellow().bold(), sanitise(&line));
    }
    match &args.out {
        Some(path) => fs::write(path, text)
            .map_err(|error| anyhow::anyhow!("{} cannot be written: {error}", path.display()))?,
        None => say!("{}", text.trim_end_matches('\n')),
    }
    Ok(Exit::Passed)
}

/// Records, and how many of them each argument has.
#[derive(Default)]
struct Read {
    records: Vec<Record>,
    terms: Vec<(String, usize)>,
}

/// The records in the given files and folders. An unreadable record is an error, because readers
/// would take a report without it for complete.
fn read(paths: &[PathBuf]) -> anyhow::Result<Read> {
    let mut all = Read::default();
    for path in paths {
        let before = all.records.len();
        for file in files(path)? {
            all.records.push(store::read_file(&file).map_err(|error| Usage(error.to_string()))?);
        }
        let new = all.records.get(before..).unwrap_or_default();
        let title = new.first().map_or("", |record| &record.made.title);
        let folder = path.display();
        all.terms.push((format!("{title} ({folder})"), new.len()));
    }
    Ok(all)
}

/// The files of records that an argument names.
fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let inner = path.join("records");
    let folder = if inner.is_dir() { &inner } else { path };
    let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|file| is_record(file)).collect();
    files.sort();
    if files.is_empty() {
        return Err(Usage(format!("{} contains no records", path.display())).into());
    }
    Ok(files)
}

/// The records under pseudonyms, whose key is in the file at `path`.
fn anonymous(path: &Path, records: &[Record]) -> anyhow::Result<Vec<Record>> {
    let wrong = |why: String| Usage(format!("{}: {why}", path.display()));
    let mut key = match fs::read_to_string(path) {
        Ok(text) => Key::parse(&text).map_err(wrong)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Key::default(),
        Err(error) => return Err(wrong(format!("it cannot be read: {error}")).into()),
    };
    // The keys of a `RandomState` come from the system, so no pseudonym depends on its student.
    let random = || RandomState::new().build_hasher().finish();
    let records = pseudonyms::anonymous(records, &mut key, random);
    let text = key.write().map_err(|why| anyhow::anyhow!("the key could not be written: {why}"))?;
    // A temporary file can be read by its owner alone, and so can the key.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut part = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    part.write_all(text.as_bytes())?;
    part.persist(path)?;
    Ok(records)
}

fn is_record(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".json") && !name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use checker::cli::Cli;
    use clap::CommandFactory as _;
    use grading::formats;

    /// The command line is in another crate than the formats.
    #[test]
    fn the_help_lists_all_formats() {
        let cli = Cli::command();
        let report = cli.find_subcommand("report").expect("a command");
        let format = report.get_arguments().find(|argument| argument.get_id() == "format");
        let help = format.and_then(clap::Arg::get_help).expect("help").to_string();
        assert_eq!(help, format!("Report format: {}", formats::names().join(", ")));
    }
}
