//! `checker report`: writes records in a report format.

use std::fs;
use std::path::Path;

use grading::formats::{self, Options};
use grading::record::Record;
use grading::store;
use jiff::Timestamp;

use checker::cli::{Audience, Report};
use checker::error::Usage;
use checker::exit::Exit;
use checker::say;

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
    let records = read(&args.records)?;
    let audience = match args.audience {
        None => format.audience,
        Some(Audience::Student) => formats::Audience::Student,
        Some(Audience::Instructor) => formats::Audience::Instructor,
    };
    let options = Options {
        audience,
        assignment: args.column.clone(),
        // a platform's runner sets GITHUB_..., CLASSROOM, COMMIT_URL
        platform: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        ..Options::new(Timestamp::now())
    };
    let text = format.render(&records, &options)?;
    match &args.out {
        Some(path) => fs::write(path, text)
            .map_err(|error| anyhow::anyhow!("{} cannot be written: {error}", path.display()))?,
        None => say!("{}", text.trim_end_matches('\n')),
    }
    Ok(Exit::Passed)
}

/// The records in the given files and folders. An unreadable record is an error, because readers
/// would take a report without it for complete.
fn read(paths: &[std::path::PathBuf]) -> anyhow::Result<Vec<Record>> {
    let mut records = vec![];
    for path in paths {
        if path.is_dir() {
            let mut files: Vec<_> = fs::read_dir(path)?
                .flatten()
                .map(|entry| entry.path())
                .filter(|file| is_record(file))
                .collect();
            files.sort();
            if files.is_empty() {
                return Err(Usage(format!("{} holds no records", path.display())).into());
            }
            for file in files {
                records.push(store::read_file(&file).map_err(|error| Usage(error.to_string()))?);
            }
        } else {
            records.push(store::read_file(path).map_err(|error| Usage(error.to_string()))?);
        }
    }
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
