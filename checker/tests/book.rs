//! The book of this repository, built in this process: every marker can be filled in, and every link inside it leads
//! somewhere.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use mdbook_driver::MDBook;

fn built() -> (tempfile::TempDir, PathBuf) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book");
    let pages = tempfile::tempdir().expect("a temporary folder");
    let mut book = MDBook::load(root).expect("the book loads");
    book.config.build.build_dir = pages.path().to_path_buf();
    book.with_preprocessor(checker::book::Workbook);
    book.build().expect("the book builds");
    let folder = pages.path().to_path_buf();
    (pages, folder)
}

fn html_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the book") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            html_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "html") {
            found.push(path);
        }
    }
}

/// Values of the attribute `name` in `page`.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// `a/b/../c` -> `a/c`.
fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// A reader never meets a raw marker, a dead link, or a link to a heading that was renamed.
#[test]
fn every_page_is_whole_and_every_link_leads_somewhere() {
    let (_keep, folder) = built();
    let mut files = Vec::new();
    html_files(&folder, &mut files);
    let pages: HashMap<PathBuf, String> = files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a page");
            (path, text)
        })
        .collect();
    let ids: HashMap<&PathBuf, HashSet<&str>> = pages
        .iter()
        .map(|(path, text)| (path, attributes(text, "id").into_iter().collect()))
        .collect();
    let mut links = 0;
    for (path, text) in &pages {
        // The 404 page is served from any depth, so its links are relative to the site and not to itself.
        if path.file_name().is_some_and(|name| name == "404.html") {
            continue;
        }
        assert!(!text.contains("{{#"), "{}: a marker is left", path.display());
        for link in attributes(text, "href").into_iter().chain(attributes(text, "src")) {
            if link.is_empty() || link.contains(':') || link.starts_with("//") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => tidy(&path.parent().expect("a folder").join(file)),
            };
            assert!(target.exists(), "{}: {link} leads nowhere", path.display());
            if let Some(ids) = ids.get(&target).filter(|_| !anchor.is_empty()) {
                assert!(ids.contains(anchor), "{}: {link} has no such heading", path.display());
            }
            links += 1;
        }
    }
    assert!(links > 300, "only {links} links: the test looks at the wrong thing");
}

/// The lesson of a chapter: its pages that belong to no exercise. A long one is divided.
fn lessons(chapter: &Path) -> String {
    let mut pages = Vec::new();
    html_files(chapter, &mut pages);
    let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    pages.retain(|page| checker::exercises::find(&stem(page).unwrap_or_default()).is_err());
    assert!(pages.contains(&chapter.join("lesson.html")), "{}: no lesson", chapter.display());
    pages.iter().map(|page| fs::read_to_string(page).expect("a page")).collect()
}

/// A page for every exercise and for every diagnostic, each with its facts.
#[test]
fn exercises_and_diagnostics_have_their_pages() {
    let (_keep, folder) = built();
    for spec in checker::exercises::all() {
        let path = folder.join(spec.chapter).join(format!("{}.html", spec.id));
        let page = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(page.matches("class=\"wb-hint\"").count(), spec.hints.len(), "{}", spec.id);
        for case in spec.cases {
            assert!(page.contains(case.why), "{}: case {}", spec.id, case.name);
        }
        let section = spec.learn.split('"').nth(1).expect("learn names a section");
        let lessons = lessons(&folder.join(spec.chapter));
        assert!(lessons.contains(section), "{}: no section {section}", spec.id);
    }
    for slug in checker::explain::slugs() {
        assert!(folder.join("diagnostics").join(format!("{slug}.html")).exists(), "{slug}");
    }
}
