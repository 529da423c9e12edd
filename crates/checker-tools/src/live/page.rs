//! What the server adds to mdBook's pages while it sends them: scripts, and a content security
//! policy. The files of the build stay as they are.

use std::fmt::Write as _;
use std::path::Path;

use checker::exercises;
use checker::spec::Spec;
use sha2::{Digest as _, Sha256};

use super::site::Store;

/// The media type of pages.
pub const MEDIA_TYPE: &str = "text/html; charset=utf-8";

/// Below this path are the scripts, and what they request.
pub const LIVE: &str = "live";

/// Pages that are parts or copies of others, and get no scripts.
const PLAIN_PAGES: [&str; 3] = ["print.html", "toc.html", "404.html"];

/// What a page can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scripts {
    /// Where the learner's files are. If there are any, the sidebar shows the learner's progress,
    /// and an exercise is solved on its page.
    pub bench: Option<Store>,
    /// It has listings that run.
    pub listings: bool,
}

/// The page with the scripts of the live book. `path` is its place in the book.
pub fn enliven(html: String, path: &Path, scripts: Scripts) -> String {
    let name = path.to_str().unwrap_or_default();
    let Some(head_end) = html.find("</head>").filter(|_| !PLAIN_PAGES.contains(&name)) else {
        return html;
    };
    let root = "../".repeat(path.components().count().saturating_sub(1));
    let assets = format!("{root}{LIVE}/assets");
    let mut added = match scripts {
        Scripts { bench: None, listings: false } => return html,
        _ => format!("<link rel=\"stylesheet\" href=\"{assets}/live.css\">\n"),
    };
    if scripts.bench == Some(Store::Browser) {
        added.push_str("<meta name=\"workbook-store\" content=\"browser\">\n");
    }
    let mut script = |name: &str| {
        let _ = writeln!(added, "<script type=\"module\" src=\"{assets}/{name}\"></script>");
    };
    if scripts.bench.is_some() {
        script("sidebar.js");
    }
    if scripts.listings {
        script("listing.js");
    }
    if let Some(spec) = exercise(path).filter(|_| scripts.bench.is_some()) {
        // The identifiers of exercises are words, so they need no escapes.
        let _ = write!(
            added,
            "<meta name=\"workbook-exercise\" content=\"{}\">\n\
             <script type=\"module\" src=\"{assets}/bench.js\"></script>\n",
            spec.id
        );
    }
    let mut page = html;
    page.insert_str(head_end, &added);
    page
}

/// The exercise whose page has this place in the book.
fn exercise(path: &Path) -> Option<&'static Spec> {
    let page = path.to_str()?;
    exercises::all().iter().copied().find(|spec| page == page_of(spec))
}

/// The place of an exercise's page in the book: `ch01_threads/guard.html`.
pub fn page_of(spec: &Spec) -> String {
    format!("{}/{}.html", spec.chapter, spec.id)
}

/// A policy that allows the server's own files, and those scripts that mdBook writes into the page
/// itself, by their hashes. mdBook also needs `style` attributes: each page has one, and the print
/// edition has one for each page break.
pub fn policy(html: &str) -> String {
    let mut scripts = String::from("'self'");
    for script in inline_scripts(html) {
        let _ = write!(scripts, " 'sha256-{}'", base64(&Sha256::digest(script)));
    }
    // Only the page for missing addresses names the place that its own addresses are relative to.
    let base = if html.contains("<base ") { "'self'" } else { "'none'" };
    format!(
        "default-src 'none'; script-src {scripts}; style-src 'self'; style-src-attr 'unsafe-inline'; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; \
         base-uri {base}; form-action 'self'; frame-ancestors 'self'"
    )
}

/// The contents of the page's `<script>` elements without attributes.
fn inline_scripts(html: &str) -> impl Iterator<Item = &str> {
    html.split("<script>").skip(1).filter_map(|rest| Some(rest.split_once("</script>")?.0))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<html><head><title>x</title></head><body><script>a = 1;</script>\
                        <script src=\"b.js\"></script></body></html>";

    /// The vectors of RFC 4648.
    #[test]
    fn base64_is_that_of_the_standard() {
        for (plain, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }

    /// A script that mdBook has written into a page runs, and any other one doesn't.
    #[test]
    fn the_policy_allows_the_scripts_of_the_build_only() {
        let policy = policy(PAGE);
        let hash = base64(&Sha256::digest("a = 1;"));
        assert!(policy.contains(&format!("script-src 'self' 'sha256-{hash}';")), "{policy}");
        assert!(policy.contains("base-uri 'none'"), "{policy}");
        let based = super::policy("<html><head><base href=\"/\"></head></html>");
        assert!(based.contains("base-uri 'self'"), "{based}");
        let scripts = policy.split("; ").find(|part| part.starts_with("script-src"));
        assert!(scripts.is_some_and(|scripts| !scripts.contains("unsafe")), "{policy}");
    }

    /// A page of an exercise becomes a bench, other pages get the sidebar, and parts stay.
    #[test]
    fn scripts_are_added_by_the_kind_of_the_page() {
        let all = Scripts { bench: Some(Store::Disk), listings: false };
        let page = |path: &str| enliven(PAGE.to_owned(), Path::new(path), all);
        let bench = page("ch01_threads/guard.html");
        assert!(bench.contains("<meta name=\"workbook-exercise\" content=\"guard\">"));
        assert!(bench.contains("src=\"../live/assets/bench.js\""));
        assert!(bench.find("bench.js") < bench.find("</head>"));
        for other in ["ch01_threads/lesson.html", "ch02_memory/guard.html", "index.html"] {
            let other = page(other);
            assert!(other.contains("live/assets/sidebar.js") && !other.contains("bench.js"));
        }
        assert!(page("index.html").contains("src=\"live/assets/sidebar.js\""));
        for plain in PLAIN_PAGES {
            assert_eq!(page(plain), PAGE);
        }
        let hosted = Scripts { bench: Some(Store::Browser), listings: false };
        let hosted = enliven(PAGE.to_owned(), Path::new("index.html"), hosted);
        assert!(hosted.contains("<meta name=\"workbook-store\" content=\"browser\">"));
        assert!(!bench.contains("workbook-store"));
        let lesson =
            |scripts| enliven(PAGE.to_owned(), Path::new("ch01_threads/lesson.html"), scripts);
        assert!(lesson(Scripts { listings: true, ..all }).contains("live/assets/listing.js"));
        let reading = lesson(Scripts { bench: None, listings: true });
        assert!(reading.contains("live/assets/listing.js") && !reading.contains("sidebar.js"));
        assert!(!page("ch01_threads/lesson.html").contains("listing.js"));
        assert_eq!(lesson(Scripts { bench: None, listings: false }), PAGE);
    }
}
