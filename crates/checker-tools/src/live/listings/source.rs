//! The file of a listing and the parts of it that pages show.
//!
//! A page shows a whole file of `book/examples`, or what stands between `// ANCHOR: name` and
//! `// ANCHOR_END: name`. Readers never see the lines of the anchors themselves. In the program
//! that runs, and where a page shows it as a whole, these lines are empty. So lines have the same
//! numbers as in the file, and as in the outputs that the book shows.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// The largest program in bytes, as for any source that the checker reads.
const MAX_BYTES: usize = checker::source::MAX_BYTES as usize;

/// A program of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// `ch01/mirror`: its file below `book/examples`, without `.cu`.
    name: String,
    /// The lines of the file; `None` for an anchor.
    lines: Vec<Option<String>>,
    /// The parts by their names, as ranges of `lines`.
    parts: BTreeMap<String, Range<usize>>,
}

/// A program in which a page has replaced parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// `mirror.cu`.
    pub file: String,
    /// The program.
    pub text: String,
    /// The lines of `text` that the page shows, from 0.
    pub shown: Range<usize>,
}

impl Listing {
    /// The listing with this name in the folder of the book; `None` if there is no such program.
    pub fn read(book: &Path, name: &str) -> Option<Self> {
        let (folder, stem) = name.split_once('/')?;
        if ![folder, stem].iter().all(|part| is_word(part)) {
            return None;
        }
        let path = book.join("examples").join(folder).join(format!("{stem}.cu"));
        let text = checker::source::read(&path).ok()?;
        text.contains("int main(").then(|| Self::parse(name, &text))
    }

    fn parse(name: &str, text: &str) -> Self {
        let (mut lines, mut open, mut parts) = (vec![], BTreeMap::new(), BTreeMap::new());
        for line in text.lines() {
            if let Some(part) = anchor(line, "ANCHOR:") {
                open.insert(part.to_owned(), lines.len() + 1);
                lines.push(None);
            } else if let Some(part) = anchor(line, "ANCHOR_END:") {
                if let Some(start) = open.remove(part) {
                    parts.insert(part.to_owned(), start..lines.len());
                }
                lines.push(None);
            } else {
                lines.push(Some(line.to_owned()));
            }
        }
        Self { name: name.to_owned(), lines, parts }
    }

    /// The text of a part, as mdBook shows it, or of the whole program without a name; `None` if
    /// there is no such part.
    pub fn part(&self, name: &str) -> Option<String> {
        let range = self.range(name)?;
        let lines = self.lines.get(range.clone())?.iter();
        Some(match name {
            "" => self.between(range.start, range.end).flat_map(|line| [line, "\n"]).collect(),
            _ => lines.flatten().flat_map(|line| [line.as_str(), "\n"]).collect(),
        })
    }

    /// The number of a part's first line in the program; `None` if there is no such part.
    pub fn first_line(&self, name: &str) -> Option<usize> {
        Some(self.range(name)?.start + 1)
    }

    /// The program in which these parts have these texts, for a page that shows the part `shown`.
    /// Another part that shares lines with it does not change.
    ///
    /// # Errors
    /// When there is no such part, or the program becomes too large, as a sentence.
    pub fn with(&self, shown: &str, texts: &BTreeMap<String, String>) -> Result<Changed, String> {
        let range = self.range(shown).ok_or("This listing has no such part.")?;
        let mut changes: Vec<(Range<usize>, &str)> = vec![];
        for (name, text) in texts {
            let other = self.range(name).ok_or("This listing has no such part.")?;
            if name == shown || other.end <= range.start || range.end <= other.start {
                changes.push((other, text));
            }
        }
        // The page has no lines for the anchors inside its part.
        let own = self.part(shown).unwrap_or_default();
        let has_anchors = self.lines.get(range.clone()).is_some_and(|part| part.contains(&None));
        if has_anchors && !shown.is_empty() && !texts.contains_key(shown) {
            changes.retain(|(other, _)| other.end <= range.start || range.end <= other.start);
            changes.push((range.clone(), &own));
        }
        // Parts that follow each other have distinct starts, unless one of them is empty.
        changes.sort_by_key(|(range, _)| (range.start, range.end));
        let mut lines: Vec<&str> = vec![];
        let (mut next, mut found) = (0, None);
        for (changed, text) in &changes {
            if changed.start < next {
                continue;
            }
            if found.is_none() && range.start < changed.start {
                found = Some(lines.len() + range.start - next);
            }
            lines.extend(self.between(next, changed.start));
            if *changed == range {
                found = Some(lines.len());
            }
            lines.extend(text.lines());
            next = changed.end;
        }
        let start = found.unwrap_or(lines.len() + range.start.saturating_sub(next));
        lines.extend(self.between(next, self.lines.len()));
        let is_part = !shown.is_empty();
        let length = match texts.get(shown) {
            Some(text) => text.lines().count(),
            None if is_part => own.lines().count(),
            None => range.len(),
        };
        let text: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
        if text.len() > MAX_BYTES {
            return Err(
                "The program has more than 1 MiB, which is the most that the checker reads.".into(),
            );
        }
        let stem = self.name.rsplit('/').next().unwrap_or(&self.name);
        Ok(Changed { file: format!("{stem}.cu"), text, shown: start..start + length })
    }

    fn between(&self, from: usize, to: usize) -> impl Iterator<Item = &str> {
        let lines = self.lines.get(from..to).unwrap_or_default().iter();
        lines.map(|line| line.as_deref().unwrap_or_default())
    }

    fn range(&self, part: &str) -> Option<Range<usize>> {
        if part.is_empty() { Some(0..self.lines.len()) } else { self.parts.get(part).cloned() }
    }
}

/// The name after an anchor's mark.
fn anchor<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let name = line.split_once(mark)?.1.trim();
    is_word(name).then_some(name)
}

/// Whether this is a name as files of listings and their parts have.
fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// ANCHOR: all
#include <cstdio>

// ANCHOR: kernel
__global__ void k() {
}
// ANCHOR_END: kernel

int main() {
    // ANCHOR: launch
    k<<<1, 1>>>();
    // ANCHOR_END: launch
}
// ANCHOR_END: all
";

    fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    fn shown(changed: &Changed) -> Vec<&str> {
        changed.text.lines().skip(changed.shown.start).take(changed.shown.len()).collect()
    }

    #[test]
    fn a_part_is_what_stands_between_its_anchors() {
        let listing = Listing::parse("ch01/k", TEXT);
        assert_eq!(listing.part("kernel").as_deref(), Some("__global__ void k() {\n}\n"));
        assert_eq!(listing.part("launch").as_deref(), Some("    k<<<1, 1>>>();\n"));
        let lines = |name: &str| listing.part(name).map(|text| text.lines().count());
        assert_eq!((lines("all"), lines("")), (Some(8), Some(TEXT.lines().count())));
        assert_eq!(listing.part("no"), None);
        assert_eq!(listing.first_line("kernel"), Some(5));
        assert_eq!((listing.first_line("all"), listing.first_line("no")), (Some(2), None));
        // Lines have their numbers in the file, but no anchor is shown.
        let whole = listing.part("").expect("a program");
        let file = |line: usize| TEXT.lines().nth(line).filter(|line| !line.contains("ANCHOR"));
        for (number, line) in whole.lines().enumerate() {
            assert_eq!(line, file(number).unwrap_or_default());
        }
        let same = listing.with("launch", &texts(&[])).expect("a program");
        assert_eq!(Some(same.text.as_str()), listing.part("").as_deref());
        assert_eq!((same.file.as_str(), shown(&same)), ("k.cu", vec!["    k<<<1, 1>>>();"]));
    }

    /// The parts that a page has changed are inserted into the rest of the file, and what the page
    /// shows is found again wherever it has moved to.
    #[test]
    fn changed_parts_are_inserted() {
        let listing = Listing::parse("ch01/k", TEXT);
        let both =
            texts(&[("kernel", "// one\n// two\n// three\n"), ("launch", "    k<<<2, 2>>>();")]);
        let expected = "\n#include <cstdio>\n\n\n// one\n// two\n// three\n\n\nint main() {\n\n    k<<<2, 2>>>();\n\n}\n\n";
        let kernel = listing.with("kernel", &both).expect("a program");
        assert_eq!(kernel.text, expected);
        assert_eq!(shown(&kernel), ["// one", "// two", "// three"]);
        let launch = listing.with("launch", &both).expect("a program");
        assert_eq!((launch.text.as_str(), shown(&launch)), (expected, vec!["    k<<<2, 2>>>();"]));
        // The page shows the launch as it was, below a kernel that has become longer.
        let moved =
            listing.with("launch", &texts(&[("kernel", "1\n2\n3\n4\n")])).expect("a program");
        assert_eq!(shown(&moved), ["    k<<<1, 1>>>();"]);
        let before = listing.with("kernel", &texts(&[("launch", "1\n2\n")])).expect("a program");
        assert_eq!(shown(&before), ["__global__ void k() {", "}"]);
        // A part without lines stays a place.
        let empty = listing.with("kernel", &texts(&[("kernel", "")])).expect("a program");
        assert_eq!((shown(&empty), empty.text.contains("void")), (vec![], false));
        // A part that contains the shown one is another view of the same lines.
        let all = listing.with("kernel", &texts(&[("all", "x")])).expect("a program");
        assert_eq!(Some(all.text.as_str()), listing.part("").as_deref());
        let all = listing.with("all", &texts(&[("all", "x"), ("kernel", "y")])).expect("a program");
        assert_eq!(all.text, "\nx\n\n");
        // A page that shows a part with anchors has none of their lines.
        let all = listing.with("all", &texts(&[])).expect("a program");
        assert_eq!(shown(&all).join("\n") + "\n", listing.part("all").expect("a part"));
        assert_eq!(all.text.lines().nth(all.shown.start), Some("#include <cstdio>"));
    }

    #[test]
    fn only_programs_of_the_book_are_listings() {
        let book = tempfile::tempdir().expect("a temporary folder");
        let write = |path: &str, text: &str| {
            let path = book.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, text).expect("writable");
        };
        write("examples/ch01/k.cu", TEXT);
        write("examples/diagnostics/k.cu", "__global__ void k() {}");
        write("secret/k.cu", TEXT);
        assert!(Listing::read(book.path(), "ch01/k").is_some());
        for bad in [
            "diagnostics/k",
            "ch01/no",
            "ch01",
            "../secret/k",
            "../k",
            "ch01/../k",
            "/k",
            "ch01/k.cu",
        ] {
            assert_eq!(Listing::read(book.path(), bad), None, "{bad}");
        }
        let listing = Listing::parse("ch01/k", TEXT);
        assert!(listing.with("no", &texts(&[])).is_err());
        assert!(listing.with("kernel", &texts(&[("no", "")])).is_err());
        let large = "x".repeat(MAX_BYTES);
        assert!(listing.with("kernel", &texts(&[("kernel", &large)])).is_err());
    }
}
