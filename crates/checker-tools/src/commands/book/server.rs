//! A server of the book's pages for this machine only: static files, rebuilt at every change.
//!
//! mdBook's own `serve` is in its binary and not in its library. tiny_http is the smallest
//! maintained server that suffices: a few hundred lines, no async runtime, HTTP/1.1 on one port.

use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow};
use colored::Colorize;
use notify::{RecursiveMode, Watcher};
use tiny_http::{Header, Request, Response, Server};

use super::build;
use checker::console;
use checker::say;

/// Serves the book in `folder` until the process is stopped.
pub fn serve(folder: &Path, port: u16, open: bool) -> anyhow::Result<()> {
    let pages = tempfile::tempdir().context("cannot make a temporary folder")?;
    build(folder, pages.path())?;

    let server = Server::http(("127.0.0.1", port))
        .map_err(|error| anyhow!("{error}"))
        .with_context(|| format!("port {port} cannot be used: `--port 0` uses any free port"))?;
    let port = server.server_addr().to_ip().map_or(port, |address| address.port());
    let url = format!("http://127.0.0.1:{port}/");
    say!("the book is at {}   (press Ctrl-C to stop)", url.bold());
    if open {
        browse(&url);
    }
    let (changes, changed) = mpsc::channel();
    let _watcher = watch(folder, changes);
    let (source, dest) = (folder.to_path_buf(), pages.path().to_path_buf());
    thread::spawn(move || rebuild(&source, &dest, &changed));
    for request in server.incoming_requests() {
        // A browser that closed the connection is not an error.
        let _ = answer(request, pages.path());
    }
    Ok(())
}

/// Sends a message at every change of the book's sources. When the system has no watches left,
/// there is no watcher, and the book is served as it was built.
fn watch(folder: &Path, changes: mpsc::Sender<()>) -> Option<notify::RecommendedWatcher> {
    let handler = move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| !event.kind.is_access()) {
            let _ = changes.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(handler).ok()?;
    for part in [
        "src",
        "book.toml",
        "names.toml",
        "quizzes",
        "outputs",
        "examples",
        "widgets",
        "theme",
        "../exercises",
    ] {
        // A part that this book lacks cannot be watched.
        let _ = watcher.watch(&folder.join(part), RecursiveMode::Recursive);
    }
    Some(watcher)
}

fn rebuild(folder: &Path, pages: &Path, changed: &mpsc::Receiver<()>) {
    while changed.recv().is_ok() {
        // An editor changes several files at a time, so wait until the changes stop.
        while changed.recv_timeout(Duration::from_millis(100)).is_ok() {}
        match build(folder, pages) {
            Ok(()) => say!("rebuilt"),
            Err(error) => console::print_error(&error),
        }
    }
}

fn answer(request: Request, pages: &Path) -> std::io::Result<()> {
    let found = locate(pages, request.url()).and_then(|path| Some((File::open(&path).ok()?, path)));
    match found {
        Some((file, path)) => request.respond(with_type(Response::from_file(file), &path)),
        None => {
            let path = pages.join("404.html");
            let page = fs::read(&path).unwrap_or_else(|_| b"not found".to_vec());
            request.respond(with_type(Response::from_data(page).with_status_code(404), &path))
        }
    }
}

/// The file that a URL names; `None` when it does not exist or lies outside `pages`.
fn locate(pages: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?;
    let path = PathBuf::from(unescape(path.trim_start_matches('/'))?);
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let path = pages.join(path);
    let path = if path.is_dir() { path.join("index.html") } else { path };
    path.is_file().then_some(path)
}

/// Decodes `%20` and the like; `None` when the result is not UTF-8.
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
    String::from_utf8(bytes).ok()
}

fn with_type<R: std::io::Read>(response: Response<R>, path: &Path) -> Response<R> {
    let kind = match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" | "cu" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    let headers = [("Content-Type", kind), ("Cache-Control", "no-store")];
    headers
        .into_iter()
        .filter_map(|(name, value)| Header::from_bytes(name, value).ok())
        .fold(response, |response, header| response.with_header(header))
}

/// Asks the system to open a page. A failure is ignored because the URL has been printed.
fn browse(url: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = match cfg!(windows) {
        true => std::process::Command::new("explorer"),
        false => std::process::Command::new(opener),
    };
    let _ = command
        .arg(url)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
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
        assert_eq!(locate(&pages, "/a%20b/c.html?x=1#y"), Some(pages.join("a b/c.html")));
        let absolute = format!("//{}", temp.path().join("secret").display());
        for bad in [
            "/../secret",
            "/%2e%2e/secret",
            "/a%20b/../../secret",
            "/a b",
            "/%zz",
            "/%ff",
            &absolute,
        ] {
            assert_eq!(locate(&pages, bad), None, "{bad}");
        }
    }
}
