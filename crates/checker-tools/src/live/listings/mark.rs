//! Which listing each code block of a page is. mdBook has put the text of the file into the page,
//! so the server reads the page's source, which has the file's name, and looks for that text.

use std::path::Path;

use super::source::Listing;

/// A listing that the source of a page includes.
#[derive(Debug, PartialEq, Eq)]
struct Included {
    listing: String,
    part: String,
    /// The number of its first line in the program.
    first: usize,
    text: String,
}

/// The page with an attribute at each code block that is a listing; `None` if there is none.
/// `page` is its place in the book, and `book` the folder of the sources.
pub fn mark(html: &str, page: &Path, book: &Path) -> Option<String> {
    let source = book.join("src").join(page).with_extension("md");
    let markdown = std::fs::read_to_string(source).ok()?;
    let included: Vec<Included> = included(&markdown, book).collect();
    let marked = attributed(html, &included);
    (marked.len() > html.len()).then_some(marked)
}

/// The listings that a page includes as the only line of a block, in its order.
fn included<'a>(markdown: &'a str, book: &'a Path) -> impl Iterator<Item = Included> + 'a {
    markdown.lines().filter_map(move |line| {
        let include = line.strip_prefix("{{#include ")?.strip_suffix("}}")?;
        let (_, path) = include.split_once("examples/")?;
        let (path, part) = path.split_once(':').unwrap_or((path, ""));
        let listing = path.strip_suffix(".cu")?;
        let program = Listing::read(book, listing)?;
        let (text, first) = (program.part(part)?, program.first_line(part)?);
        Some(Included { listing: listing.to_owned(), part: part.to_owned(), first, text })
    })
}

/// Adds the attributes `data-listing`, `data-part` and `data-first` to the code blocks with these
/// texts.
fn attributed(html: &str, included: &[Included]) -> String {
    const BLOCK: &str = "<code class=\"language-cpp";
    let mut out = String::with_capacity(html.len() + 64 * included.len());
    let (mut rest, mut included) = (html, included.iter().peekable());
    while let (Some(start), true) = (rest.find(BLOCK), included.peek().is_some()) {
        let (before, block) = rest.split_at(start);
        let Some((tag, tail)) = block.split_once('>') else { break };
        let Some((code, _)) = tail.split_once("</code>") else { break };
        out.push_str(before);
        let text = unescape(code);
        let mut ahead = included.clone();
        if let Some(found) = ahead.find(|one| one.text.trim_end() == text.trim_end()) {
            // Names of listings and parts are words, so they need no escapes.
            let (name, rest_of_tag) = tag.split_at("<code".len());
            out.push_str(&format!(
                "{name} data-listing=\"{}\" data-part=\"{}\" data-first=\"{}\"{rest_of_tag}>",
                found.listing, found.part, found.first
            ));
            included = ahead;
        } else {
            out.push_str(tag);
            out.push('>');
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The text of HTML without elements.
fn unescape(html: &str) -> String {
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&amp;", "&"),
    ];
    entities.iter().fold(html.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(listing: &str, part: &str, text: &str) -> Included {
        Included { listing: listing.into(), part: part.into(), first: 7, text: text.into() }
    }

    /// A block is a listing only if it has the listing's text.
    #[test]
    fn blocks_are_found_by_their_text() {
        let html = "<p>x</p><pre><code class=\"language-cpp\">int a;\n</code></pre>\
                    <pre><code class=\"language-cpp wrong\">a &lt; b &amp;&amp; &quot;c&quot;;\n</code></pre>\
                    <pre><code class=\"language-console\">a</code></pre>\
                    <pre><code class=\"language-cpp\">other;\n</code></pre><p>y</p>";
        let marked = attributed(
            html,
            &[one("ch01/missing", "all", "missing;\n"), one("ch01/b", "part", "a < b && \"c\";\n")],
        );
        let expected = html.replace(
            "<code class=\"language-cpp wrong\"",
            "<code data-listing=\"ch01/b\" data-part=\"part\" data-first=\"7\" class=\"language-cpp wrong\"",
        );
        assert_eq!(marked, expected);
        assert_eq!(attributed(html, &[]), html);
        assert_eq!(unescape("&amp;lt;"), "&lt;");
    }

    /// All listings of the real book's lessons are found in the pages that mdBook makes of them.
    #[test]
    fn every_listing_of_the_book_is_found() {
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book");
        let mut found = 0;
        for folder in std::fs::read_dir(book.join("src")).expect("the book").flatten() {
            for page in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let markdown = std::fs::read_to_string(page.path()).unwrap_or_default();
                let listed = markdown.lines().filter(|line| {
                    line.contains("/examples/ch")
                        && line.contains(".cu")
                        && line.starts_with("{{#include")
                });
                assert_eq!(
                    included(&markdown, &book).filter(|one| one.listing.starts_with("ch")).count(),
                    listed.count(),
                    "{}",
                    page.path().display()
                );
                found += included(&markdown, &book).count();
            }
        }
        assert!(found > 100, "{found}");
    }
}
