//! `checker dev mutant`: writes out one mutant as a whole file.

use std::fs;

use anyhow::Context;

use super::repository;
use checker::cli::DevMutant;
use checker::error::Usage;
use checker::exit::Exit;
use checker::say;

/// Prints the mutant's source, or writes it to a file.
pub fn run(args: &DevMutant) -> anyhow::Result<Exit> {
    let mutant =
        mutants::find(&repository()?, &args.name).map_err(|error| Usage(error.to_string()))?;
    match &args.out {
        Some(path) => fs::write(path, &mutant.source)
            .with_context(|| format!("cannot write {}", path.display()))?,
        None => say!("{}", mutant.source.trim_end()),
    }
    Ok(Exit::Passed)
}
