//! `checker book`: builds the book, as pages or as notebooks, with mdBook as a library, so that
//! nothing needs to be installed.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use mdbook_driver::MDBook;
use tempfile::TempDir;

use crate::book::capture::{self, Outcome};
use crate::book::notebooks;
use crate::live;
use checker::cli::Book;
use checker::error::Usage;
use checker::exit::Exit;
use checker::say;
use checker::session::Session;
use checker::workbook;

/// Builds or serves the book.
pub fn run(args: &Book) -> anyhow::Result<Exit> {
    match args {
        Book::Build { dest } => {
            let sources = Sources::find()?;
            let dest = match dest {
                Some(dest) => std::path::absolute(dest)?,
                None => sources.output()?,
            };
            build(&sources.folder, &dest)?;
            say!("{}", dest.join("index.html").display());
        }
        Book::Capture { check, names } => return capture(*check, names),
        Book::Notebooks { dir, book_url, package } => {
            let sources = Sources::find()?;
            let links = notebooks::Addresses { book_url: book_url.as_deref(), package };
            let all = notebooks::write(&sources.folder, dir, &links)?;
            for path in &all.written {
                say!("{}", path.display());
            }
            if !all.kept.is_empty() {
                let (kept, dir) = (all.kept.len(), dir.display());
                say!(
                    "\nThe folder {dir} had {kept} of the notebooks already, and they have not been changed."
                );
                say!("To get new ones, name another folder, or move these away first.");
            }
            let first = dir.join(notebooks::FIRST);
            say!("\nOpen the first one, for example with `jupyter lab {}`.", first.display());
        }
        Book::Serve { port, open } => {
            let sources = Sources::find()?;
            let workbook = Session::open().ok().map(|session| session.workbook);
            let build: live::Build = if workbook.is_some() { build_for_serving } else { build };
            live::serve(&sources.folder, build, workbook, *port, *open)?;
        }
    }
    Ok(Exit::Passed)
}

/// Runs the commands whose output the book shows, and writes what they print. With `check`, only
/// compares.
fn capture(check: bool, names: &[String]) -> anyhow::Result<Exit> {
    let book = Session::open()?
        .workbook
        .book()
        .ok_or_else(|| Usage("this workbook has no book".into()))?;
    let checker = std::env::current_exe().context("the checker's own program cannot be found")?;
    let (mut stale, mut failed) = (0, 0);
    for (name, outcome) in capture::all(&book, &checker, names, check)? {
        match outcome {
            Ok(Outcome::Same) => {}
            Ok(Outcome::Written) => say!("{name}: written"),
            Ok(Outcome::Stale(printed)) => {
                stale += 1;
                say!("{name} is stale; the checker now prints:\n{printed}");
            }
            Err(error) => {
                failed += 1;
                say!("{error}");
            }
        }
    }
    if failed > 0 {
        return Err(Usage(format!("{failed} outputs of the book cannot be captured")).into());
    }
    if stale > 0 {
        return Err(Usage(format!(
            "{stale} outputs of the book are stale: `checker book capture` updates them"
        ))
        .into());
    }
    Ok(Exit::Passed)
}

/// The sources of the book: those of the workbook, or else the embedded ones, in a temporary
/// folder.
pub struct Sources {
    /// Their folder.
    pub folder: PathBuf,
    embedded: Option<TempDir>,
}

/// The embedded folders that the book's pages include files of.
const PARTS: [&str; 5] = ["book", "exercises", "solutions", "classroom", "crates"];

impl Sources {
    /// Finds them.
    ///
    /// # Errors
    /// When the embedded ones cannot be written.
    pub fn find() -> anyhow::Result<Self> {
        if let Some(folder) = Session::open().ok().and_then(|session| session.workbook.book()) {
            return Ok(Self { folder, embedded: None });
        }
        let temp = tempfile::tempdir().context("cannot make a temporary folder")?;
        for part in PARTS {
            workbook::extract(part, temp.path())?;
        }
        Ok(Self { folder: temp.path().join("book"), embedded: Some(temp) })
    }

    /// The folder for the pages when the command line names none.
    fn output(&self) -> anyhow::Result<PathBuf> {
        match self.embedded {
            // The temporary folder is deleted when the command ends. In a workbook, `book` has the
            // listings, and building into a folder empties it.
            Some(_) => Ok(std::env::current_dir()?.join("book").join("book")),
            None => Ok(load(&self.folder)?.build_dir_for("html")),
        }
    }
}

fn load(folder: &Path) -> anyhow::Result<MDBook> {
    MDBook::load(folder)
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(|| format!("the book in {} cannot be read", folder.display()))
}

/// Builds the pages into `dest`.
fn build(folder: &Path, dest: &Path) -> anyhow::Result<()> {
    build_with(folder, dest, crate::book::Workbook::default())
}

/// The same for `checker book serve` in a workbook.
fn build_for_serving(folder: &Path, dest: &Path) -> anyhow::Result<()> {
    build_with(folder, dest, crate::book::Workbook::for_serving())
}

/// The same for `checker host`, without the solutions.
pub fn build_for_hosting(folder: &Path, dest: &Path) -> anyhow::Result<()> {
    build_with(folder, dest, crate::book::Workbook::for_hosting())
}

fn build_with(folder: &Path, dest: &Path, pages: crate::book::Workbook) -> anyhow::Result<()> {
    let mut book = load(folder)?;
    book.config.build.build_dir = dest.to_path_buf();
    // This replaces the preprocessor program that `book.toml` names for a plain mdBook.
    book.with_preprocessor(pages);
    book.build()
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(|| format!("the book in {} cannot be built", folder.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::PARTS;
    use checker::workbook;

    fn pages(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        let files = files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "md"));
        files.chain(folders.iter().flat_map(|folder| pages(folder))).collect()
    }

    /// A page that the program builds without the repository finds every file that it includes.
    #[test]
    fn embedded_pages_find_what_they_include() {
        let temp = tempfile::tempdir().unwrap();
        for part in PARTS {
            workbook::extract(part, temp.path()).unwrap();
        }
        let mut included = 0;
        for page in pages(&temp.path().join("book/src")) {
            let text = fs::read_to_string(&page).unwrap();
            for path in text.split("{{#include ").skip(1) {
                let path = path.split("}}").next().unwrap().split(':').next().unwrap().trim();
                let file = page.parent().unwrap().join(path);
                assert!(file.is_file(), "{} includes {path}", page.display());
                included += 1;
            }
        }
        assert!(included > 4, "{included}");
    }
}
