//! The book: an mdBook preprocessor that fills the pages with facts from the Specs, figures,
//! captured outputs, quizzes and the pages of the diagnostics.
//!
//! A page has a marker on a line of its own for each such piece. [`markers`] parses the markers,
//! and the sibling modules write the pieces. The same preprocessor runs inside
//! `checker book build`, and as a child process of a plain `mdbook build book`.
//!
//! ```text
//! {{#exercise blocks}}    goal, minutes, parameters, cases and gates, from the Spec
//! {{#skeleton blocks}}    the original file
//! {{#hints blocks}}       the hints, each folded
//! {{#solution blocks}}    the solution, folded
//! {{#pitfalls blocks}}    common mistakes, and why they are wrong
//! {{#output NAME}}        what a command printed: book/outputs/NAME.txt
//! {{#figure NAME}}        a figure of `figure`
//! {{#quiz ch01}}          book/quizzes/ch01.toml
//! {{#gains}}              what the optimise exercises gain on a real GPU
//! {{#gains h200}}         the same for the kernels on another GPU
//! {{#course}}             the chapters, their exercises, and the time they take
//! {{#names}}              book/names.toml: the terms of CUDA and of other ways to program a GPU
//! {{#diagnostics}}        a list of all diagnostics, each with a page below this one
//! ```

use std::path::{Path, PathBuf};

use mdbook_preprocessor::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use checker::{course, session};

mod audience;
pub mod capture;
mod course_map;
mod diagnostics;
pub(crate) mod exercise;
pub(crate) mod figure;
mod gains;
mod html;
mod listings;
mod markers;
mod names;
pub mod notebooks;
mod numbers;
mod quiz;
pub mod recording;

use markers::Marker;

/// What is wrong with a marker, and where it is.
#[derive(Debug, thiserror::Error)]
#[error("{page}:{line}: {problem}")]
pub struct Error {
    /// The page, relative to the book's `src`.
    page: String,
    /// One-based line.
    line: usize,
    problem: Problem,
}

/// Why a marker cannot be replaced.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// There is no marker of this name.
    #[error("there is no marker `{0}`")]
    UnknownMarker(String),
    /// The marker needs a name after it.
    #[error("marker `{0}` needs a name, as in {{{{#{0} blocks}}}}")]
    NameMissing(String),
    /// No such exercise.
    #[error(transparent)]
    Exercise(#[from] checker::exercises::Unknown),
    /// The exercise's file is missing from the course.
    #[error("the course has no {0}")]
    NoListing(String),
    /// No such figure.
    #[error("no figure is called `{0}`")]
    UnknownFigure(String),
    /// A file that the marker names cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that the marker names is not what it should be.
    #[error("{}: {message}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// The preprocessor. Its name in `book.toml` is `workbook`.
#[derive(Debug, Default)]
pub struct Workbook {
    edition: Edition,
}

/// What the book becomes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Edition {
    /// Pages that are read beside an editor and a terminal.
    #[default]
    Pages,
    /// Pages of a server that works with the files of a workbook.
    Served,
    /// Pages of a server for a class, which shows a solution only after a pass.
    Hosted,
    Notebooks,
}

impl Workbook {
    /// A preprocessor whose pieces are cells of notebooks, where these differ from web pages.
    fn for_notebooks() -> Self {
        Self { edition: Edition::Notebooks }
    }

    /// A preprocessor for pages that work with the files of a workbook.
    pub fn for_serving() -> Self {
        Self { edition: Edition::Served }
    }

    /// A preprocessor for the pages of a class, which say when a solution is shown, in place of the
    /// solution.
    pub fn for_hosting() -> Self {
        Self { edition: Edition::Hosted }
    }
}

impl Preprocessor for Workbook {
    fn name(&self) -> &str {
        "workbook"
    }

    fn run(
        &self,
        context: &PreprocessorContext,
        mut book: Book,
    ) -> mdbook_preprocessor::errors::Result<Book> {
        visit(&mut book.items, &context.root, self.edition)?;
        if session::command() == "checker" {
            book.for_each_mut(|item| {
                if let BookItem::Chapter(chapter) = item {
                    chapter.content = course::without_cargo(&chapter.content);
                }
            });
        }
        Ok(book)
    }
}

fn visit(items: &mut [BookItem], root: &Path, edition: Edition) -> Result<(), Error> {
    for item in items {
        if let BookItem::Chapter(chapter) = item {
            fill(chapter, root, edition)?;
            visit(&mut chapter.sub_items, root, edition)?;
        }
    }
    Ok(())
}

fn fill(chapter: &mut Chapter, root: &Path, edition: Edition) -> Result<(), Error> {
    let page = chapter.path.as_ref().map_or_else(String::new, |path| path.display().to_string());
    let mut has_diagnostics = false;
    let content = audience::text_for(edition, &chapter.content);
    let content = markers::replace(&content, |marker| {
        has_diagnostics |= marker.name == "diagnostics";
        match edition {
            Edition::Hosted if marker.name == "solution" => {
                Ok("This page shows a solution after you've passed.".to_owned())
            }
            Edition::Pages | Edition::Served | Edition::Hosted => piece(marker, root),
            Edition::Notebooks => notebooks::piece(marker, root),
        }
    });
    let content = content.map_err(|(line, problem)| Error { page: page.clone(), line, problem })?;
    let for_instructors = page.starts_with("instructors/");
    let content = numbers::unbroken(&content);
    chapter.content = if for_instructors { on_screen_only(&content) } else { content };
    if has_diagnostics {
        diagnostics::add_pages(chapter, root).map_err(|problem| Error {
            page,
            line: 1,
            problem,
        })?;
    }
    Ok(())
}

/// Markdown that the print edition leaves out, because its readers look it up on a screen.
fn on_screen_only(markdown: &str) -> String {
    format!("<div class=\"wb-screen\">\n\n{markdown}\n\n</div>\n")
}

fn piece(marker: &Marker, root: &Path) -> Result<String, Problem> {
    let name = || marker.name_of();
    let spec = || marker.spec();
    match marker.name {
        "exercise" => {
            let spec = spec()?;
            Ok(exercise::card(spec, &gains::record_with(spec.id)?))
        }
        "skeleton" => exercise::skeleton(spec()?),
        "hints" => Ok(exercise::hints(spec()?)),
        "solution" => exercise::solution(spec()?),
        "pitfalls" => Ok(exercise::pitfalls(spec()?)),
        "output" => capture::show(name()?, root),
        "figure" => figure::named(name()?, root),
        "quiz" => quiz::show(name()?, root),
        "gains" => Ok(gains::table(&gains::record_of(marker.argument)?)),
        "course" => course_map::show(root),
        "names" => names::show(root),
        "diagnostics" => Ok(diagnostics::list()),
        other => Err(Problem::UnknownMarker(other.to_owned())),
    }
}

/// Reads a file of the book.
fn read(path: PathBuf) -> Result<String, Problem> {
    std::fs::read_to_string(&path).map_err(|source| Problem::Read { path, source })
}
