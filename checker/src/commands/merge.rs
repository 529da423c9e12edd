//! `checker merge`: what the shards of a class left, brought together.

use std::fs;
use std::path::Path;

use colored::Colorize;
use grading::merge::{self, Found};
use grading::plan::{PLAN, Plan};
use grading::roster::Roster;
use grading::store::Store;

use super::grade::{inputs, reports};
use crate::cli::Merge;
use crate::error::Usage;
use crate::exit::Exit;

/// Collects records, writes the class's files, and tells who is missing. Exit code 3 while somebody is.
pub fn run(args: &Merge) -> anyhow::Result<Exit> {
    let mut found = vec![];
    let mut plan = None;
    for dir in &args.dirs {
        plan = plan.or(read_plan(dir)?);
        let store = Store::open(dir)?;
        for path in store.paths()? {
            let bytes =
                fs::read(&path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
            found.push(Found { path: path.display().to_string(), bytes });
        }
    }
    let roster = args.roster.as_deref().map(|path| inputs::roster(path, None)).transpose()?;
    let ids =
        |roster: &Roster| roster.students.iter().map(|entry| entry.student.id.clone()).collect();
    let class: Vec<String> = roster.as_ref().map(ids).unwrap_or_default();
    let handed_in = plan.as_ref().map_or(&[][..], |plan| &plan.students);
    let merged =
        merge::merge(&found, &class, handed_in).map_err(|mixed| Usage(mixed.to_string()))?;
    let store = Store::open(&args.out)?;
    for record in &merged.records {
        store.write(record)?;
    }
    let again = match &plan {
        Some(plan) => {
            let again = plan.again(&merged.shards(plan))?;
            super::grade::plan::put(&args.out.join("plan"), &again.files)?;
            Some(again.next).filter(|next| !next.is_empty())
        }
        None => None,
    };
    if merged.is_whole() {
        // of a merge before, when somebody was missing
        let _ = fs::remove_file(args.out.join("plan").join("retry.sh"));
    }
    say!("{}", merged.summary(plan.as_ref(), again.as_deref()).trim_end());
    let is_absent = |id: &str| class.is_empty() || class.iter().any(|listed| listed == id);
    let (records, _) = reports::students(&args.out, &store, is_absent)?;
    let written = reports::write(&args.out, &records)?;
    if !written.is_empty() {
        say!("{}", written.join("   ").bold());
    }
    Ok(if merged.is_whole() { Exit::Passed } else { Exit::Environment })
}

/// The plan of a class that was spread over machines, if there is one.
fn read_plan(dir: &Path) -> anyhow::Result<Option<Plan>> {
    let path = dir.join("plan").join(PLAN);
    match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| Usage(format!("{}: {error}", path.display())).into()),
        Err(_) => Ok(None),
    }
}
