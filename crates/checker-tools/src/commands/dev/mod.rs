//! `checker dev`: the tools for authors.

mod bound;
mod check;
mod class;
mod mutant;
mod new;
mod originals;
mod proofs;
mod ptx;
mod record;
mod time;
mod verdict_texts;

use std::path::{Path, PathBuf};

use checker::cli::Dev;
use checker::error::Usage;
use checker::exit::Exit;
use checker::session::Session;

/// Runs the tool that was named.
pub fn run(args: &Dev) -> anyhow::Result<Exit> {
    match args {
        Dev::Bound(args) => bound::run(args),
        Dev::Check(args) => check::run(args),
        Dev::Class(args) => class::run(args),
        Dev::Mutant(args) => mutant::run(args),
        Dev::New { path } => new::run(path),
        Dev::Bless(args) => originals::run(args.name.as_deref()),
        Dev::Ptx(args) => ptx::run(args),
        Dev::Record(args) => record::run(args),
        Dev::Time(args) => time::run(args),
    }
}

/// The root of the course's repository, which authors' tools need because a workbook lacks the
/// sources.
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

/// The name of a file without its extension.
fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
