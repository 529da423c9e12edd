//! `checker dev`: the tools of an author.

mod check;
mod class;
mod new;
mod originals;
mod proofs;
mod ptx;
mod screens;
mod time;

use std::path::PathBuf;

use crate::cli::Dev;
use crate::error::Usage;
use crate::exit::Exit;
use crate::session::Session;

/// Runs one of them.
pub fn run(args: &Dev) -> anyhow::Result<Exit> {
    match args {
        Dev::Check(args) => check::run(args),
        Dev::Class(args) => class::run(args),
        Dev::New { path } => new::run(path),
        Dev::Bless(args) => originals::run(args.name.as_deref()),
        Dev::Ptx(args) => ptx::run(args),
        Dev::Time(args) => time::run(args),
    }
}

/// The repository: authors' tools need the sources, not only a workbook.
fn repository() -> anyhow::Result<PathBuf> {
    let root = Session::open()?.workbook.root().to_path_buf();
    if root.join("checker/proof/mutants").is_dir() && root.join("solutions").is_dir() {
        return Ok(root);
    }
    Err(Usage(format!(
        "{} is a workbook, not the course's repository: `dev` needs the repository",
        root.display()
    ))
    .into())
}
