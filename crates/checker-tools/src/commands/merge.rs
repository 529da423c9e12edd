//! `checker merge`: joins the records of a class's shards.

use std::collections::BTreeSet;
use std::fs;

use colored::Colorize;
use grading::gradebook;
use grading::merge::{self, files};
use grading::roster::Roster;
use grading::store::Store;

use checker::cli::Merge;
use checker::error::Usage;
use checker::exit::Exit;
use checker::say;

/// Collects records, writes the class's files, and lists missing students. Exit code 3 while a
/// student is missing.
pub fn run(args: &Merge) -> anyhow::Result<Exit> {
    let mut found = vec![];
    let mut plan = None;
    for dir in &args.dirs {
        plan = plan.or(files::plan(dir).map_err(|error| Usage(error.to_string()))?);
        found.extend(files::records(dir)?);
    }
    let roster = args.roster.as_deref().map(|path| Roster::read(path, None, None)).transpose();
    let roster = roster.map_err(|error| Usage(error.to_string()))?;
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
            again.write_into(&args.out.join("plan"))?;
            Some(again.next).filter(|next| !next.is_empty())
        }
        None => None,
    };
    if merged.is_whole() {
        // an earlier merge with missing students may have left it
        let _ = fs::remove_file(args.out.join("plan").join("retry.sh"));
    }
    say!("{}", merged.summary(plan.as_ref(), again.as_deref()).trim_end());
    let unmatched = args.dirs.iter().flat_map(|dir| gradebook::unmatched(dir));
    let unmatched: BTreeSet<String> = unmatched.collect();
    gradebook::write_unmatched(&args.out, &Vec::from_iter(unmatched))?;
    let is_absent = |id: &str| class.is_empty() || class.iter().any(|listed| listed == id);
    let (records, _) = gradebook::write_student_pages(&args.out, &store, is_absent)?;
    let written = gradebook::write_class_files(&args.out, &records, false)?;
    if !written.is_empty() {
        say!("{}", written.join("   ").bold());
    }
    Ok(if merged.is_whole() { Exit::Passed } else { Exit::Environment })
}
