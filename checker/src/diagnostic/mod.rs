//! The diagnostics that the checker can report: for each its stable name, one sentence on what it
//! means, its page, and its place in the book's index.
//!
//! All of that is one entry in `table.rs`; the page is `pages/NAME.md`. What a report says about a
//! particular verdict is written in `explain`.

mod table;

pub use table::Slug;

/// Some diagnostics under a heading of the book's index.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// "A kernel and its memory".
    pub heading: &'static str,
    /// In the order of the index.
    pub slugs: &'static [Slug],
}

/// Makes [`Slug`] from the table. An entry is the name in Rust, the name that people type, and what
/// it means in one sentence; its place is its group and its position there.
macro_rules! diagnostics {
    ($($heading:literal { $($variant:ident $name:literal $meaning:literal)* })*) => {
        /// The stable name of a diagnostic: what `checker explain` takes, and what a mutant is
        /// expected to get.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub enum Slug {
            $($(#[doc = $meaning] #[serde(rename = $name)] $variant,)*)*
        }

        impl Slug {
            /// The diagnostics under the headings of the book's index.
            pub const GROUPS: &[$crate::diagnostic::Group] = &[
                $($crate::diagnostic::Group { heading: $heading, slugs: &[$(Self::$variant),*] },)*
            ];

            /// Every diagnostic, in the order of the book's index.
            pub const ALL: &[Self] = &[$($(Self::$variant,)*)*];

            /// The name as people type it: `out-of-bounds-write`.
            pub const fn as_str(self) -> &'static str {
                match self { $($(Self::$variant => $name,)*)* }
            }

            /// What it means, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $($(Self::$variant => $meaning,)*)* }
            }

            /// Its page in Markdown: what `checker explain` prints, and what the book shows.
            pub const fn page(self) -> &'static str {
                match self {
                    $($(Self::$variant => include_str!(concat!("pages/", $name, ".md")),)*)*
                }
            }
        }
    };
}

use diagnostics;

impl Slug {
    /// The diagnostic of that name, in any case, with `_` or spaces for `-`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        Self::ALL.iter().copied().find(|slug| slug.as_str() == name)
    }
}

impl std::fmt::Display for Slug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTIONS: [&str; 5] = [
        "## What it means",
        "## Why it happens",
        "## How to find it",
        "## On a real GPU",
        "## To think about",
    ];

    /// People type the names, and mutants expect them, so each must be found again in every
    /// spelling.
    #[test]
    fn every_slug_is_found_by_its_name() {
        for slug in Slug::ALL {
            assert_eq!(Slug::parse(slug.as_str()), Some(*slug));
            assert_eq!(
                serde_json::to_value(slug).expect("a string"),
                slug.as_str(),
                "one spelling"
            );
        }
        assert_eq!(Slug::parse(" Shared_Race "), Some(Slug::SharedRace));
        assert_eq!(Slug::parse("shared race"), Some(Slug::SharedRace));
        assert_eq!(Slug::parse("no-such-thing"), None);
    }

    /// Each page answers the same five questions.
    #[test]
    fn every_diagnostic_has_a_whole_page() {
        for slug in Slug::ALL {
            let page = slug.page();
            assert!(page.starts_with(&format!("# {slug}\n")), "{slug}: the title is its name");
            let places: Vec<Option<usize>> = SECTIONS.iter().map(|s| page.find(s)).collect();
            assert!(places.iter().all(Option::is_some), "{slug}: sections {places:?}");
            assert!(places.is_sorted(), "{slug}: sections in the agreed order");
            for section in SECTIONS {
                let body = page.split(section).nth(1).unwrap_or_default();
                let body = body.split("\n## ").next().unwrap_or_default().trim();
                assert!(body.len() > 40, "{slug}: section {section} is too short");
            }
            let question = page.split(SECTIONS[4]).nth(1).unwrap_or_default();
            assert!(question.contains('?'), "{slug}: ends with a question");
            assert_eq!(page.matches("```").count() % 2, 0, "{slug}: code fences are closed");
            assert!(page.lines().all(|line| line.chars().count() <= 80), "{slug}: line length");
        }
    }

    /// The index shows one line for each diagnostic.
    #[test]
    fn every_meaning_is_one_sentence() {
        for slug in Slug::ALL {
            let meaning = slug.meaning();
            assert!(meaning.ends_with('.') && !meaning.contains(". "), "{slug}: {meaning}");
        }
    }
}
