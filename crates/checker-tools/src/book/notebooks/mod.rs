//! The book as Jupyter notebooks: `checker book notebooks DIR`.
//!
//! Each lesson page begins a notebook, which also has the exercises that follow the page.
//!
//! ```text
//! page of the book
//!   │ listings    whole programs and commands of the checker become cells
//!   │ mdBook      includes, and the markers of the page (`pieces` for those that differ here)
//!   │ text        what Jupyter's Markdown lacks
//!   │ links       to pages: to the notebook and the heading
//!   │ cells       splits the page at its cells and headings
//!   ▼
//! Notebook ── format ──> JSON
//! ```

mod cells;
mod format;
mod links;
mod listings;
mod pieces;
mod start;
mod text;

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use mdbook_driver::MDBook;
use mdbook_driver::book::{BookItem, Chapter};
use mdbook_driver::builtin_renderers::MarkdownRenderer;

use super::Workbook;
use cells::Cell;
use format::Notebook;
use grading::text::quote;
use links::Pages;

pub(super) use pieces::piece;
pub use start::FILE as FIRST;

/// A page of the book, filled.
struct Page {
    /// Relative to the book's `src`: `ch01_threads/guard.md`.
    path: String,
    /// Its title in the table of contents.
    title: String,
    markdown: String,
}

/// The pages of one notebook.
struct Part {
    /// `ch01_2_blocks_and_launches.ipynb`
    file: String,
    /// The title of its first page.
    title: String,
    pages: Vec<Page>,
}

/// What the notebooks need from elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Addresses<'a> {
    /// The built book, to which links to pages in no notebook lead.
    pub book_url: Option<&'a str>,
    /// What pip installs: a name, or the address of a wheel.
    pub package: &'a str,
}

/// The paths of notebooks.
#[derive(Debug, Default)]
pub struct Notebooks {
    /// The new ones.
    pub written: Vec<PathBuf>,
    /// Those that existed, which may contain a learner's work.
    pub kept: Vec<PathBuf>,
}

/// Writes the notebooks of the book in `root` into `dest`, except for those that exist there.
///
/// # Errors
/// When the book can't be read, or the notebooks can't be written.
pub fn write(root: &Path, dest: &Path, addresses: &Addresses) -> anyhow::Result<Notebooks> {
    let parts = parts(pages(root)?);
    let index = Pages::new(&parts, addresses.book_url);
    let setup = Cell::Code(setup(addresses.package));
    fs::create_dir_all(dest).with_context(|| format!("cannot write {}", dest.display()))?;
    let mut all = Notebooks::default();
    let mut save = |file: &str, cells: Vec<Cell>| -> anyhow::Result<()> {
        let path = dest.join(file);
        let notebook = Notebook::new(file, cells);
        let created = File::create_new(&path)
            .and_then(|mut created| created.write_all(notebook.to_json().as_bytes()));
        match created {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => all.kept.push(path),
            created => {
                created.with_context(|| format!("cannot write {}", path.display()))?;
                all.written.push(path);
            }
        }
        Ok(())
    };
    save(start::FILE, [vec![setup.clone()], start::cells(&parts)].concat())?;
    for part in &parts {
        let mut cells = vec![setup.clone()];
        for page in &part.pages {
            let markdown = text::for_jupyter(&page.markdown);
            cells.extend(cells::split(&index.rewrite(&markdown, &page.path)));
        }
        save(&part.file, cells)?;
    }
    Ok(all)
}

/// The first cell of each notebook. It needs no network where the package is installed.
fn setup(package: &str) -> String {
    format!(
        "import importlib.util\n\
         if importlib.util.find_spec(\"cuda_workbook\") is None:\n    \
         %pip install --quiet {0}\n    \
         importlib.invalidate_caches()\n\
         if importlib.util.find_spec(\"cuda_workbook\") is None:\n    \
         print(\"The workbook isn't installed. Download its wheel (cuda_workbook-*.whl) from the course's releases, run\"\n          \
         \" `%pip install PATH/OF/THE/WHEEL` in a cell, and then run this cell again.\")\n\
         else:\n    \
         %load_ext cuda_workbook",
        quote(package)
    )
}

/// The filled pages of the book that belong into notebooks, in their order.
fn pages(root: &Path) -> anyhow::Result<Vec<Page>> {
    let mut book = MDBook::load(root)
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(|| format!("the book in {} cannot be read", root.display()))?;
    let mut problem = None;
    book.book.for_each_mut(|item| {
        let BookItem::Chapter(chapter) = item else { return };
        let Some(path) = &chapter.path else { return };
        match listings::to_cells(&chapter.content, path, root) {
            Ok(content) => chapter.content = content,
            Err(error) => problem = Some(error),
        }
    });
    if let Some(problem) = problem {
        return Err(problem.into());
    }
    book.with_preprocessor(Workbook::for_notebooks());
    let (filled, _) = book
        .preprocess_book(&MarkdownRenderer::new())
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(|| format!("the book in {} cannot be read", root.display()))?;
    let chapters = filled.iter().filter_map(|item| match item {
        BookItem::Chapter(chapter) => page(chapter),
        _ => None,
    });
    Ok(chapters.filter(|page| belongs(&page.path)).collect())
}

fn page(chapter: &Chapter) -> Option<Page> {
    let path = chapter.path.as_ref()?.to_str()?.to_owned();
    Some(Page { path, title: chapter.name.clone(), markdown: chapter.content.clone() })
}

/// Whether a page is for learners. `%checker explain` shows the pages of the diagnostics.
fn belongs(path: &str) -> bool {
    !path.starts_with("instructors/") && !path.starts_with("diagnostics")
}

fn parts(pages: Vec<Page>) -> Vec<Part> {
    let mut parts: Vec<Part> = vec![];
    for page in pages {
        let (folder, file) = page.path.rsplit_once('/').unwrap_or(("", &page.path));
        let stem = file.trim_end_matches(".md");
        if checker::exercises::find(stem).is_ok_and(|spec| spec.chapter == folder)
            && let Some(part) = parts.last_mut()
        {
            part.pages.push(page);
            continue;
        }
        let file = match folder.split_once('_').filter(|(chapter, _)| chapter.starts_with("ch")) {
            Some((chapter, _)) => {
                let prefix = format!("{chapter}_");
                let number = parts.iter().filter(|part| part.file.starts_with(&prefix)).count() + 1;
                format!("{prefix}{number}_{}.ipynb", slug(&page.title))
            }
            None => format!("{}.ipynb", slug(stem)),
        };
        parts.push(Part { file, title: page.title.clone(), pages: vec![page] });
    }
    parts
}

/// "1. Threads, blocks, grids" -> "threads_blocks_grids".
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.skip_while(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests;
