//! `checker dev new`: writes the files of a new exercise, and prints the lines that register it in
//! the course.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;

use super::repository;
use checker::error::Usage;
use checker::exercises;
use checker::exit::Exit;
use checker::say;
use checker::session;

const SKELETON: &str = include_str!("templates/skeleton.cu");
const SOLUTION: &str = include_str!("templates/solution.cu");
const SPEC: &str = include_str!("templates/spec.rs.txt");
const MUTANTS: &str = include_str!("templates/mutants.toml");
const PAGE: &str = include_str!("templates/page.md");

/// Writes the files. If one of them exists already, nothing is written.
pub fn run(path: &str) -> anyhow::Result<Exit> {
    let root = repository()?;
    let (chapter, name) = path
        .split_once('/')
        .filter(|(chapter, name)| is_name(chapter) && is_name(name))
        .ok_or_else(|| {
            Usage(format!("`{path}` is not CHAPTER/NAME in lower case: ch01_threads/halve_it"))
        })?;
    if exercises::find(name).is_ok() {
        return Err(Usage(format!("an exercise called `{name}` exists already")).into());
    }
    let number = exercises::chapters()
        .iter()
        .find(|existing| existing.id == chapter)
        .map(|existing| existing.number)
        .or_else(|| chapter.get(2..4)?.parse().ok())
        .ok_or_else(|| Usage(format!("`{chapter}` is not a chapter: chNN_topic")))?;

    let files: [(PathBuf, &str); 5] = [
        (format!("exercises/{chapter}/{name}.cu").into(), SKELETON),
        (format!("solutions/{chapter}/{name}.cu").into(), SOLUTION),
        (format!("checker/src/exercises/{chapter}/{name}.rs").into(), SPEC),
        (format!("checker/proof/mutants/{chapter}/{name}.toml").into(), MUTANTS),
        (format!("book/src/{chapter}/{name}.md").into(), PAGE),
    ];
    if let Some((existing, _)) = files.iter().find(|(file, _)| root.join(file).exists()) {
        return Err(
            Usage(format!("{} exists already: nothing was written", existing.display())).into()
        );
    }
    for (file, template) in files {
        let text = template
            .replace("{{name}}", name)
            .replace("{{chapter}}", chapter)
            .replace("{{number}}", &number.to_string());
        let to = root.join(&file);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::File::create_new(&to)
            .and_then(|mut out| out.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", file.display()))?;
        say!("{}", file.display());
    }
    say!();
    say!("Now add, where the exercise belongs in the course:");
    say!("  checker/src/exercises/{chapter}/mod.rs   mod {name};  and  &{name}::SPEC,");
    say!("  book/src/SUMMARY.md                        - [{name}]({chapter}/{name}.md)");
    say!("List at least three mutants in checker/proof/mutants/{chapter}/{name}.toml, then run:");
    let command = session::command();
    say!("  {command} dev bless {name} && {command} dev check --bless {name}");
    Ok(Exit::Passed)
}

/// Whether `text` is lower-case letters, digits and `_` after a first letter, so that it can be a
/// file name and an identifier.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
