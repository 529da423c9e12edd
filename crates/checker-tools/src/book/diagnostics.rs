//! The pages of the diagnostics. Each has the text that `checker explain` prints, then the smallest
//! example, then the checker's report on the example.

use std::fmt::Write;
use std::path::Path;

use mdbook_preprocessor::book::{BookItem, Chapter, SectionNumber};

use super::{Problem, capture, read};
use checker::diagnostic::Slug;
use checker::spec::Spec;

/// A list of all diagnostics, each a link to its page.
pub fn list() -> String {
    let mut out = String::new();
    for group in Slug::GROUPS {
        let _ = writeln!(out, "\n## {}\n", group.heading);
        for slug in group.slugs {
            let _ = writeln!(out, "- [`{slug}`](diagnostics/{slug}.md): {}", slug.meaning());
        }
    }
    out
}

/// The smallest file that shows a diagnostic: `book/examples/diagnostics/SLUG.cu`.
pub struct Example {
    slug: Slug,
    text: String,
}

impl Example {
    /// Reads the example of a diagnostic; `root` is the folder of the book.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of(slug: Slug, root: &Path) -> Result<Self, Problem> {
        let path = root.join("examples").join("diagnostics").join(format!("{slug}.cu"));
        Ok(Self { slug, text: read(path)? })
    }

    /// Its path, relative to the repository.
    pub fn path(&self) -> String {
        format!("book/examples/diagnostics/{}.cu", self.slug)
    }

    /// The exercise whose file it replaces: the one whose function it defines, or `guard` if it
    /// defines none. `None` for a program of its own.
    pub fn exercise(&self) -> Option<&'static Spec> {
        if self.text.contains("int main(") {
            return None;
        }
        let defined = |spec: &&'static Spec| self.text.contains(&format!(" {}(", spec.id));
        let all = checker::exercises::all();
        all.iter().copied().find(defined).or_else(|| checker::exercises::find("guard").ok())
    }

    /// The command that shows it, without `checker`.
    pub fn command(&self) -> String {
        match self.exercise() {
            Some(spec) => format!("check {} --backend sim", spec.id),
            None => format!("run {}.cu --backend sim", self.slug),
        }
    }

    /// Whether this output shows its diagnostic and no other.
    pub fn is_shown_by(&self, printed: &str) -> bool {
        let heads = printed.lines().filter_map(|line| {
            let (register, rest) = line.split_once('[')?;
            let known = matches!(register, "error" | "not your bug" | "bug in the checker");
            known.then(|| rest.split(']').next()).flatten()
        });
        let heads: Vec<&str> = heads.collect();
        match self.slug {
            // These two are not errors, so they have no name in brackets.
            Slug::Passed => heads.is_empty() && printed.contains("\u{2713}"),
            Slug::NotStarted => heads.is_empty() && printed.contains("not yet:"),
            slug => heads == [slug.as_str()],
        }
    }

    /// The example as a section of the diagnostic's page.
    fn section(&self, root: &Path) -> Result<String, Problem> {
        let place = match self.exercise() {
            Some(spec) => format!(
                "To see the report, replace the contents of `exercises/{1}/{0}.cu` (exercise [`{0}`](../{1}/{0}.md)) with this file:",
                spec.id, spec.chapter
            ),
            None => format!("This is a whole program, `{}.cu`:", self.slug),
        };
        let listing = match self.text.trim_end() {
            "" => "(nothing: the file is empty)",
            text => text,
        };
        let output = capture::show(&format!("diagnostics/{}", self.slug), root)?;
        Ok(format!("\n## The smallest example\n\n{place}\n\n```cpp\n{listing}\n```\n\n{output}"))
    }
}

/// Adds a page for every diagnostic below `parent`; `root` is the book's folder.
///
/// # Errors
/// When a diagnostic has no example, or the example's output was not captured.
pub fn add_pages(parent: &mut Chapter, root: &Path) -> Result<(), Problem> {
    let mut names = parent.parent_names.clone();
    names.push(parent.name.clone());
    let folder = parent.path.as_ref().map(|p| p.with_file_name("diagnostics")).unwrap_or_default();
    for (number, slug) in (1..).zip(Slug::ALL.iter().copied()) {
        let name = slug.as_str();
        let path = folder.join(format!("{name}.md"));
        let text = format!("{}{}", slug.page(), Example::of(slug, root)?.section(root)?);
        let text = super::on_screen_only(&text);
        let mut chapter = Chapter::new(name, text, path, names.clone());
        // Without a number, mdBook's table of contents would not nest the page below its parent.
        chapter.number = parent.number.as_ref().map(|parent| {
            SectionNumber::new(parent.iter().copied().chain([number]).collect::<Vec<u32>>())
        });
        chapter.source_path = None;
        parent.sub_items.push(BookItem::Chapter(chapter));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An example that shows another diagnostic, or more than one, is rejected.
    #[test]
    fn an_example_shows_its_diagnostic_and_no_other() {
        let example = |slug| Example { slug, text: String::new() };
        let race = "$ cargo checker check guard\nerror[shared-race]: thread 0 reads\n";
        assert!(example(Slug::SharedRace).is_shown_by(race));
        assert!(!example(Slug::GlobalRace).is_shown_by(race));
        assert!(
            !example(Slug::SharedRace).is_shown_by(&format!("{race}error[memory-leak]: 400\n"))
        );
        assert!(example(Slug::Unsupported).is_shown_by("not your bug[unsupported]: x\n"));
        assert!(example(Slug::NotStarted).is_shown_by("not yet: `out` is untouched\n"));
        assert!(!example(Slug::Passed).is_shown_by(race));
        assert!(!example(Slug::SharedRace).is_shown_by("  \u{2713} guard\n"));
    }
}
