//! The diagnostics' pages: the very text that `checker explain` prints, a page of the book each.

use std::fmt::Write;

use mdbook_preprocessor::book::{BookItem, Chapter, SectionNumber};

use crate::explain;

/// A list of all diagnostics, each a link to its page.
pub fn list() -> String {
    let mut out = String::new();
    for slug in explain::slugs() {
        let name = slug.as_str();
        let _ =
            writeln!(out, "- [`{name}`](diagnostics/{name}.md): {}", meaning(explain::page(slug)));
    }
    out
}

/// The first sentence under the page's first section.
fn meaning(page: &str) -> String {
    let text = page.lines().skip_while(|l| !l.starts_with("## ")).skip(1);
    let paragraph: Vec<&str> =
        text.skip_while(|l| l.trim().is_empty()).take_while(|l| !l.trim().is_empty()).collect();
    let paragraph = paragraph.join(" ");
    paragraph.split_inclusive(". ").next().unwrap_or_default().trim().to_owned()
}

/// Adds a page for every diagnostic below `parent`.
pub fn add_pages(parent: &mut Chapter) {
    let mut names = parent.parent_names.clone();
    names.push(parent.name.clone());
    let folder = parent.path.as_ref().map(|p| p.with_file_name("diagnostics")).unwrap_or_default();
    for (number, slug) in (1..).zip(explain::slugs()) {
        let name = slug.as_str();
        let path = folder.join(format!("{name}.md"));
        let mut chapter = Chapter::new(name, explain::page(slug).to_owned(), path, names.clone());
        // Without a number, mdBook's table of contents would not nest the page below its parent.
        chapter.number = parent.number.as_ref().map(|parent| {
            SectionNumber::new(parent.iter().copied().chain([number]).collect::<Vec<u32>>())
        });
        chapter.source_path = None;
        parent.sub_items.push(BookItem::Chapter(chapter));
    }
}
