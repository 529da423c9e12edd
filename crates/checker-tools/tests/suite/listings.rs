//! The code on the book's pages: each listing is a file that `book capture` compiles and runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A fragment in the text may have this many lines. What is longer has to be a file.
const FRAGMENT_LINES: usize = 5;

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book")
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The pages of the chapters.
fn pages() -> Vec<(PathBuf, String)> {
    let chapters = files(&book().join("src"), "md").into_iter().filter(|page| {
        let folder = page.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
        folder.starts_with("ch")
    });
    chapters.map(|page| (page.clone(), fs::read_to_string(page).expect("a page"))).collect()
}

/// Files and anchors that a page includes.
fn includes(page: &Path, text: &str) -> Vec<(PathBuf, Option<String>)> {
    let markers = text.split("{{#include ").skip(1).filter_map(|rest| rest.split("}}").next());
    let folder = page.parent().expect("a folder");
    markers
        .map(|marker| match marker.trim().split_once(':') {
            Some((file, anchor)) => (folder.join(file), Some(anchor.to_owned())),
            None => (folder.join(marker.trim()), None),
        })
        .collect()
}

/// The fenced blocks of a page: what follows the fence, and the number of lines that no include
/// gave.
fn blocks(text: &str) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut inside = false;
    for line in text.lines().map(str::trim_start) {
        match (line.strip_prefix("```"), inside) {
            (Some(_), true) => inside = false,
            (Some(language), false) => {
                inside = true;
                found.push((language.to_owned(), 0));
            }
            (None, true) if !line.starts_with("{{#include") => {
                found.last_mut().expect("a block").1 += 1;
            }
            _ => {}
        }
    }
    found
}

/// mdBook shows nothing at all where an anchor is misspelt.
#[test]
fn every_included_part_exists() {
    let mut seen = 0;
    for (page, text) in pages() {
        for (file, anchor) in includes(&page, &text) {
            let code = fs::read_to_string(&file)
                .unwrap_or_else(|e| panic!("{}: {}: {e}", page.display(), file.display()));
            let Some(anchor) = anchor else { continue };
            let comment = if file.extension().is_some_and(|e| e == "py") { "#" } else { "//" };
            let marked = |word: &str| {
                code.lines().any(|line| line.trim() == format!("{comment} {word}: {anchor}"))
            };
            assert!(
                marked("ANCHOR") && marked("ANCHOR_END"),
                "{}: {} has no part `{anchor}`",
                page.display(),
                file.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 50, "only {seen} parts: the test looks at the wrong thing");
}

/// Long code in a page was not compiled; and a listing that no page shows is left over.
#[test]
fn code_on_pages_comes_from_listings() {
    let mut pasted = Vec::new();
    let mut shown = BTreeSet::new();
    for (page, text) in pages() {
        shown.extend(
            includes(&page, &text)
                .into_iter()
                .map(|(file, _)| file.canonicalize().expect("a file")),
        );
        for (language, lines) in blocks(&text) {
            if language.starts_with("cpp") && lines > FRAGMENT_LINES {
                pasted.push(format!("{}: {lines} lines of code", page.display()));
            }
        }
    }
    assert!(pasted.is_empty(), "{}", pasted.join("\n"));
    let unused: Vec<PathBuf> = files(&book().join("examples"), "cu")
        .into_iter()
        .filter(|file| {
            let folder =
                file.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
            folder.starts_with("ch") && !shown.contains(&file.canonicalize().expect("a file"))
        })
        .collect();
    assert!(unused.is_empty(), "no page shows {unused:?}");
}

/// A page that teaches a kernel prints one.
#[test]
fn every_lesson_page_shows_a_kernel() {
    let mut without = Vec::new();
    for (page, text) in pages() {
        let stem = page.file_stem().expect("a name").to_string_lossy();
        if checker::exercises::find(&stem).is_ok_and(|spec| spec.id == stem) || stem == "checkpoint"
        {
            continue;
        }
        let has = includes(&page, &text).iter().any(|(file, _)| {
            let code = fs::read_to_string(file).unwrap_or_default();
            // an extension of PyTorch is called from Python
            let is_complete = code.contains("int main(") || code.contains("torch/extension.h");
            code.contains("__global__") && is_complete
        });
        if !has {
            without.push(page.display().to_string());
        }
    }
    assert!(without.is_empty(), "no complete program on {without:?}");
}

/// Each captured output of a chapter belongs to a listing, or is in the list of captures.
#[test]
fn outputs_belong_to_listings() {
    let list = fs::read_to_string(book().join("outputs/captures.toml")).expect("the list");
    let recorded = fs::read_to_string(book().join("outputs/recordings.toml")).expect("the list");
    for output in files(&book().join("outputs"), "txt") {
        let folder = output.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
        let stem = output.file_stem().expect("a name").to_string_lossy();
        let stem = stem.strip_suffix(".narrow").unwrap_or(&stem);
        let listing = book().join("examples").join(&*folder).join(format!("{stem}.cu"));
        let listed = match folder.starts_with("ch") {
            true => listing.exists() || list.contains(&format!("name = \"{folder}/{stem}\"")),
            false if folder == "recordings" => recorded.contains(&format!("name = \"{stem}\"")),
            false => folder == "diagnostics" || list.contains(&format!("name = \"{stem}\"")),
        };
        assert!(listed, "{}: nothing captures it", output.display());
    }
}

/// A captured output that no page shows is left over.
#[test]
fn every_output_is_shown() {
    let shown: String = files(&book().join("src"), "md")
        .into_iter()
        .map(|page| fs::read_to_string(page).expect("a page"))
        .collect();
    let list = fs::read_to_string(book().join("outputs/captures.toml")).expect("the list");
    let names = list.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let unused: Vec<&str> =
        names.filter(|name| !shown.contains(&format!("{{{{#output {name}}}}}"))).collect();
    assert!(unused.is_empty(), "no page shows {unused:?}");
}
