//! The course inside the binary: original exercises, solutions and the book, which `build.rs`
//! collects.

use include_dir::{Dir, include_dir};

use crate::spec::Spec;

static COURSE: Dir = include_dir!("$OUT_DIR/course");

/// One file of the course.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its path relative to a workbook, with `/` between the parts:
    /// `exercises/ch01_threads/double_it.cu`.
    pub path: &'static str,
    /// Its bytes.
    pub contents: &'a [u8],
}

/// Every file under the folder `top` (`exercises`, `solutions` or `book`), sorted by path.
pub fn files(top: &str) -> Vec<File<'static>> {
    let mut found = Vec::new();
    if let Some(dir) = COURSE.get_dir(top) {
        collect(dir, &mut found);
    }
    found.sort_by_key(|file| file.path);
    found
}

fn collect(dir: &'static Dir, found: &mut Vec<File<'static>>) {
    for file in dir.files() {
        if let Some(path) = file.path().to_str() {
            found.push(File { path, contents: file.contents() });
        }
    }
    for dir in dir.dirs() {
        collect(dir, found);
    }
}

/// The skeleton of an exercise; `None` when the course lacks it, which `dev check` reports.
pub fn skeleton(spec: &Spec) -> Option<&'static str> {
    text("exercises", spec)
}

/// An exercise's text for a folder without cargo, where the command is `checker`.
pub fn without_cargo(text: &str) -> String {
    text.replace("cargo checker ", "checker ")
}

/// Its solution; `None` when the course lacks it.
pub fn solution(spec: &Spec) -> Option<&'static str> {
    text("solutions", spec)
}

/// The page of an exercise in the book, in Markdown, and its path in the workbook.
pub fn page(spec: &Spec) -> Option<File<'static>> {
    let path = format!("book/src/{}/{}.md", spec.chapter, spec.id);
    let file = COURSE.get_file(path)?;
    Some(File { path: file.path().to_str()?, contents: file.contents() })
}

/// The section of the book that explains an exercise, as an address in the built book:
/// `ch01_threads/lesson.html#more-threads-than-data`. `None` if no lesson has this heading.
pub fn section(spec: &Spec) -> Option<String> {
    let (chapter, rest) = spec.learn.strip_prefix("chapter ")?.split_once(',')?;
    let title = rest.split('"').nth(1)?;
    let folder = format!("book/src/ch{:02}_", chapter.parse::<u32>().ok()?);
    let mut pages: Vec<File<'static>> = files("book");
    pages.retain(|page| page.path.starts_with(&folder) && page.path.ends_with(".md"));
    let has_section = |page: &&File<'_>| {
        let text = std::str::from_utf8(page.contents).unwrap_or_default();
        let mut headings = text.lines().filter(|line| line.starts_with('#'));
        headings.any(|line| line.trim_start_matches('#').trim().replace('`', "") == title)
    };
    let page = pages.iter().find(has_section)?.path;
    let page = page.strip_prefix("book/src/")?.strip_suffix(".md")?;
    Some(format!("{page}.html#{}", anchor(title)))
}

/// The identifier that mdBook gives to a heading.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter_map(|c| match c {
        c if c.is_whitespace() => Some('-'),
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

fn text(top: &str, spec: &Spec) -> Option<&'static str> {
    COURSE.get_file(format!("{top}/{}/{}.cu", spec.chapter, spec.id))?.contents_utf8()
}
