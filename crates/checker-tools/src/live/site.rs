//! The built pages: finds the file that a URL names, and keeps what was read.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use anyhow::Context;
use axum::body::Bytes;
use checker::progress;
use tempfile::TempDir;

use super::listings::mark;
use super::page::{self, Scripts};

/// Builds the pages of the book in the first folder into the second one.
pub type Build = fn(&Path, &Path) -> anyhow::Result<()>;

/// Where a learner's files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// In a workbook on the disk of this machine.
    Disk,
    /// In the learner's browser.
    Browser,
}

/// The pages of a book, which [`Site::rebuild`] replaces as a whole.
pub struct Site {
    book: PathBuf,
    build: Build,
    /// Where the learner's files are; without one, pages get no scripts that work with them.
    store: Option<Store>,
    built: RwLock<Arc<Built>>,
}

/// The pages of one build.
struct Built {
    folder: TempDir,
    read: Mutex<HashMap<PathBuf, Arc<File>>>,
}

/// A file as it is sent.
pub struct File {
    /// Its contents.
    pub bytes: Bytes,
    /// The entity tag, with its quotes. It is weak, because a compressed body has the same one.
    pub tag: String,
    /// The media type.
    pub kind: &'static str,
    /// The content security policy of a page.
    pub policy: Option<String>,
    /// Whether the name contains a hash of the contents, so that they never change.
    pub immutable: bool,
}

impl Site {
    /// Builds the book.
    ///
    /// # Errors
    /// When the book cannot be built.
    pub fn new(book: &Path, build: Build, store: Option<Store>) -> anyhow::Result<Self> {
        let built = RwLock::new(Arc::new(Built::new(book, build)?));
        Ok(Self { book: book.to_path_buf(), build, store, built })
    }

    /// Builds the book again. Requests get the old pages until all new ones are there.
    ///
    /// # Errors
    /// When the book cannot be built. The old pages stay.
    pub fn rebuild(&self) -> anyhow::Result<()> {
        let built = Arc::new(Built::new(&self.book, self.build)?);
        *self.built.write().unwrap_or_else(PoisonError::into_inner) = built;
        Ok(())
    }

    /// The file that a URL's path names; `None` if there is none.
    pub fn file(&self, url: &str) -> Option<Arc<File>> {
        let built = Arc::clone(&self.built.read().unwrap_or_else(PoisonError::into_inner));
        let path = locate(built.folder.path(), url)?;
        let known = || built.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = known().get(&path) {
            return Some(Arc::clone(file));
        }
        let file = Arc::new(self.read(built.folder.path(), &path)?);
        known().insert(path, Arc::clone(&file));
        Some(file)
    }

    fn read(&self, folder: &Path, path: &Path) -> Option<File> {
        let bytes = fs::read(path).ok()?;
        let kind = media_type(path);
        let (bytes, policy) = match kind {
            page::MEDIA_TYPE => {
                let html = String::from_utf8(bytes).ok()?;
                let policy = page::policy(&html);
                let within = path.strip_prefix(folder).ok()?;
                let marked = mark::mark(&html, within, &self.book);
                let scripts = Scripts { bench: self.store, listings: marked.is_some() };
                let html = page::enliven(marked.unwrap_or(html), within, scripts);
                (html.into_bytes(), Some(policy))
            }
            _ => (bytes, None),
        };
        let tag = format!("W/\"{}\"", &progress::hash(&bytes)[..32]);
        Some(File { bytes: bytes.into(), tag, kind, policy, immutable: has_hash(path) })
    }
}

impl Built {
    fn new(book: &Path, build: Build) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        build(book, folder.path())?;
        Ok(Self { folder, read: Mutex::default() })
    }
}

/// The file below `folder` that a URL's path names; `None` if it does not exist or lies outside.
fn locate(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = PathBuf::from(unescape(url.trim_start_matches('/'))?);
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let path = folder.join(path);
    let path = if path.is_dir() { path.join("index.html") } else { path };
    path.is_file().then_some(path)
}

/// Decodes `%20` and the like; `None` when the result is not UTF-8 or contains a NUL.
fn unescape(url: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(url.len());
    let mut rest = url.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?);
                tail
            }
            _ => {
                bytes.push(*first);
                tail
            }
        };
    }
    String::from_utf8(bytes).ok().filter(|path| !path.contains('\0'))
}

/// Whether mdBook has put a hash of the contents into the file's name: `book-609e4cb8.js`.
fn has_hash(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let hash = stem.rsplit_once('-').map_or("", |(_, hash)| hash);
    hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The media type by the file's name.
pub fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => page::MEDIA_TYPE,
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" | "cu" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only files below the pages are served, however the URL is written.
    #[test]
    fn nothing_outside_is_served() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let pages = temp.path().join("pages");
        fs::create_dir_all(pages.join("a b")).expect("folders");
        fs::write(temp.path().join("secret"), "").expect("writable");
        fs::write(pages.join("index.html"), "").expect("writable");
        fs::write(pages.join("a b/c.html"), "").expect("writable");

        assert_eq!(locate(&pages, "/"), Some(pages.join("index.html")));
        assert_eq!(locate(&pages, "/a%20b/c.html"), Some(pages.join("a b/c.html")));
        let absolute = format!("//{}", temp.path().join("secret").display());
        for bad in [
            "/../secret",
            "/%2e%2e/secret",
            "/%2e%2e%2fsecret",
            "/a%20b/../../secret",
            "/a b",
            "/index.html%00",
            "/%zz",
            "/%ff",
            &absolute,
        ] {
            assert_eq!(locate(&pages, bad), None, "{bad}");
        }
    }

    /// A page that was sent once is sent in its new form after the book was built again.
    #[test]
    fn a_new_build_replaces_the_old_one() {
        fn build(book: &Path, dest: &Path) -> anyhow::Result<()> {
            fs::copy(book.join("page"), dest.join("index.html"))?;
            Ok(())
        }
        let book = tempfile::tempdir().expect("a temporary folder");
        let write = |text: &str| fs::write(book.path().join("page"), text).expect("writable");
        write("old");
        let site = Site::new(book.path(), build, None).expect("built");
        let old = site.file("/").expect("a page");
        assert_eq!(old.bytes, "old");
        write("new");
        site.rebuild().expect("built");
        let new = site.file("/").expect("a page");
        assert_eq!(new.bytes, "new");
        assert_ne!(new.tag, old.tag);
        fs::remove_file(book.path().join("page")).expect("removed");
        assert!(site.rebuild().is_err());
        assert_eq!(site.file("/").expect("a page").bytes, "new", "the old pages stay");
    }

    /// A browser keeps a file for ever only if another version has another name.
    #[test]
    fn only_names_with_a_hash_are_immutable() {
        for name in ["book-609e4cb8.js", "clipboard-1626706a.min.js", "css/general-e96d0476.css"] {
            assert!(has_hash(Path::new(name)), "{name}");
        }
        for name in ["index.html", "open-sans-v17-all-charsets-300.woff2", "how-to-work.html"] {
            assert!(!has_hash(Path::new(name)), "{name}");
        }
    }
}
