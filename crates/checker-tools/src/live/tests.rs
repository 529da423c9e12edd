//! The server over real sockets: what browsers, other sites and hostile clients send to it.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use checker::workbook::Workbook;
use tokio::sync::oneshot;

use super::bench::Bench;
use super::checks::{Stop, Work};
use super::connections::{self, Limits};
use super::guard::Guard;
use super::listings::runs::Runs;
use super::run::Task;
use super::site::{Site, Store};
use super::{Live, api};

/// No answer takes this long, also on a busy machine. It only keeps a broken server from blocking
/// the tests.
const BOUND: Duration = Duration::from_secs(60);
const PAGE: &str = "<html><head></head><body>page</body></html>";

/// A server with a small book and a workbook, which ends when it is dropped.
struct Server {
    address: SocketAddr,
    cookie: String,
    folder: tempfile::TempDir,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// These tests are about requests, so nothing is compiled.
struct NoChecks;

impl Work for NoChecks {
    type Job = Task;
    type Outcome = ();

    fn prepare(&mut self) {}

    fn begin(&mut self) -> Option<Stop> {
        None
    }

    fn run(&mut self, _: &Task) {}

    fn finished(&mut self, _: Task, (): ()) {}
}

fn build(book: &Path, dest: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(dest.join("ch01_threads"))?;
    for page in ["index.html", "ch01_threads/guard.html"] {
        fs::copy(book.join("page.html"), dest.join(page))?;
    }
    fs::write(dest.join("404.html"), "<html>none</html>")?;
    fs::write(dest.join("big-0123abcd.js"), "0123456789abcdef".repeat(1 << 16))?;
    Ok(())
}

impl Server {
    fn start() -> Self {
        Self::with_limits(BOUND, BOUND)
    }

    fn with_limits(head: Duration, write: Duration) -> Self {
        let limits = Limits { head, write, ..Limits::default() };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (root, exercises) = (folder.path(), folder.path().join("exercises/ch01_threads"));
        fs::create_dir_all(root.join(".workbook")).expect("folders");
        fs::create_dir_all(&exercises).expect("folders");
        fs::write(root.join("page.html"), PAGE).expect("writable");
        fs::write(root.join("secret"), "secret").expect("writable");
        let workbook = Workbook::find(root).expect("a workbook");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a socket");
        let address = listener.local_addr().expect("an address");
        let guard = Arc::new(Guard::new(address.port()).expect("random numbers"));
        let token = guard.address().split_once("token=").expect("a token").1.to_owned();
        let live = Live {
            site: Arc::new(Site::new(root, build, Some(Store::Disk)).expect("a book")),
            guard,
            listings: Arc::new(Runs::new(root.to_path_buf())),
            bench: Some(Arc::new(Bench::with_work(workbook, |_, _, _| NoChecks))),
        };
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
                connections::run(listener, api::router(live), limits, stopped).await;
            });
        });
        Self {
            address,
            cookie: format!("Cookie: workbook-{}={token}", address.port()),
            folder,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(BOUND)).expect("a socket");
        stream.set_write_timeout(Some(BOUND)).expect("a socket");
        stream
    }

    /// Sends a request with these header lines on a connection of its own, and returns the answer.
    fn send(&self, request: &str, headers: &[&str], body: &str) -> String {
        let mut stream = self.connect();
        let host = format!("Host: {}", self.address);
        let host = if headers.iter().any(|line| line.starts_with("Host")) { "" } else { &host };
        let length = format!("Content-Length: {}", body.len());
        let lines = [&[request], headers, &[host, "Connection: close", &length]].concat();
        let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        let head = lines.join("\r\n");
        // A server that refuses a request need not read its body.
        let _ = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.send(&format!("GET {path} HTTP/1.1"), &[], "")
    }

    fn origin(&self) -> String {
        format!("Origin: http://{}", self.address)
    }

    /// A request of an own page.
    fn work(&self, request: &str, body: &str) -> String {
        self.send(&format!("{request} HTTP/1.1"), &[&self.cookie, &self.origin()], body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ends without a panic");
        }
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

fn json(answer: &str) -> serde_json::Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").expect("a body").1).expect("JSON")
}

/// A browser opens six connections at a time and keeps them, and other tabs do the same: no page
/// waits for another one's connection.
#[test]
fn a_thousand_fresh_loads_are_answered() {
    let server = Server::start();
    let mut kept = Vec::new();
    for load in 0..1000 {
        let mut stream = server.connect();
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).unwrap_or_else(|error| panic!("load {load}: {error}"));
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
        kept.push(stream);
        if kept.len() > 24 {
            kept.remove(0);
        }
    }
}

#[test]
fn a_connection_serves_many_requests() {
    let server = Server::start();
    let mut stream = server.connect();
    for _ in 0..3 {
        let request = format!("HEAD / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        while !answer.ends_with("\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            answer.push(char::from(byte[0]));
        }
        assert_eq!(status(&answer), "200");
    }
}

/// Pages have a policy, are compressed, and are not sent again if the browser has them.
#[test]
fn pages_are_cached_and_compressed() {
    let server = Server::start();
    let page = server.get("/ch01_threads/guard.html");
    assert_eq!(status(&page), "200");
    assert!(
        page.contains("content-security-policy: default-src 'none'; script-src 'self';"),
        "{page}"
    );
    assert!(page.contains("x-content-type-options: nosniff"));
    assert!(page.contains("workbook-exercise"));
    let tag = page.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag");
    let known = format!("If-None-Match: {tag}");
    let request = "GET /ch01_threads/guard.html HTTP/1.1";
    assert_eq!(status(&server.send(request, &[&known], "")), "304");
    assert!(page.contains("cache-control: no-cache"));

    let script = "GET /big-0123abcd.js HTTP/1.1";
    let script = server.send(script, &["Accept-Encoding: gzip"], "");
    assert!(script.contains("content-encoding: gzip"), "{}", &script[..400]);
    assert!(script.contains("immutable"));
    assert!(script.len() < 1 << 18);
    assert_eq!(status(&server.get("/nothing.html")), "404");
}

/// Scripts of other sites cannot use this server, also if their names lead here.
#[test]
fn other_sites_are_refused() {
    let server = Server::start();
    let request = "GET /live/exercises/guard HTTP/1.1";
    let cookie = server.cookie.as_str();
    let evil = format!("Host: evil.example:{}", server.address.port());
    assert_eq!(status(&server.send("GET / HTTP/1.1", &[&evil], "")), "421");
    assert_eq!(status(&server.send(request, &[&evil, cookie], "")), "421");
    assert_eq!(status(&server.send(request, &[], "")), "401");
    assert_eq!(status(&server.send(request, &[cookie], "")), "200");
    let foreign = "Origin: http://127.0.0.1:1";
    assert_eq!(status(&server.send(request, &[cookie, foreign], "")), "403");
    let site = "Sec-Fetch-Site: same-site";
    assert_eq!(status(&server.send(request, &[cookie, site], "")), "403");

    let listing = "POST /live/listings HTTP/1.1";
    let body = r#"{"listing":"ch01/hello"}"#;
    for headers in [&[cookie][..], &[cookie, foreign], &[&server.origin()]] {
        let refused = server.send(listing, headers, body);
        assert!(["401", "403"].contains(&status(&refused)), "{refused}");
    }

    let body = r#"{"base":"missing","text":"evil"}"#;
    let request = "PUT /live/exercises/guard HTTP/1.1";
    for headers in [&[cookie][..], &[cookie, foreign], &[&server.origin()]] {
        let refused = server.send(request, headers, body);
        assert!(["401", "403"].contains(&status(&refused)), "{refused}");
    }
    assert!(!server.folder.path().join("exercises/ch01_threads/guard.cu").exists());
    let answer = server.send("POST / HTTP/1.1", &[cookie, &server.origin()], "");
    assert_eq!(status(&answer), "405");
}

#[test]
fn the_address_of_the_command_gives_the_cookie() {
    let server = Server::start();
    let token = server.cookie.rsplit_once('=').expect("a token").1;
    let answer = server.get(&format!("/ch01_threads/guard.html?token={token}"));
    assert_eq!(status(&answer), "303");
    assert!(answer.contains("location: /ch01_threads/guard.html\r\n"), "{answer}");
    assert!(answer.contains(&format!("set-cookie: {}", &server.cookie["Cookie: ".len()..])));
    assert!(!server.get("/?token=0").contains("set-cookie"));
}

#[test]
fn no_path_leads_outside() {
    let server = Server::start();
    for path in [
        "/../secret",
        "/%2e%2e/secret",
        "/..%2fsecret",
        "//etc/passwd",
        "/live/assets/../../secret",
        "/live/assets/%2e%2e%2f%2e%2e%2fsecret",
        "/live/exercises/%2e%2e%2f%2e%2e%2fsecret",
        "/ch01_threads/%00",
    ] {
        let headers = [server.cookie.as_str()];
        let answer = server.send(&format!("GET {path} HTTP/1.1"), &headers, "");
        assert!(["400", "404"].contains(&status(&answer)), "{path}: {answer}");
        assert!(!answer.contains("\r\n\r\nsecret"), "{path}");
    }
}

/// The head and the body of a request have limits, and a client that exceeds them costs nothing but
/// its connection.
#[test]
fn endless_requests_end() {
    let server = Server::start();
    let mut stream = server.connect();
    stream.write_all(b"GET / HTTP/1.1\r\nX: ").expect("sent");
    assert!(sent_before_end(&mut stream) < ENDLESS);

    let mut stream = server.connect();
    let head = format!(
        "PUT /live/exercises/guard HTTP/1.1\r\nHost: {}\r\n{}\r\n{}\r\nTransfer-Encoding: \
         chunked\r\n\r\n40000000\r\n",
        server.address,
        server.cookie,
        server.origin()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    assert!(sent_before_end(&mut stream) < ENDLESS);
    assert_eq!(status(&server.get("/")), "200");
}

/// More bytes than a connection takes whose server has stopped reading: systems let the buffers of
/// both ends grow to tens of megabytes.
const ENDLESS: usize = 1 << 30;

/// Sends bytes until the server closes the connection, at most [`ENDLESS`], and returns how many
/// the connection has taken.
fn sent_before_end(stream: &mut TcpStream) -> usize {
    let block = [b'a'; 1 << 16];
    let mut sent = 0;
    while sent < ENDLESS && stream.write_all(&block).is_ok() {
        sent += block.len();
    }
    sent
}

/// A client that sends nothing, and one that reads nothing, lose their connections, and others are
/// served meanwhile.
#[test]
fn slow_clients_are_disconnected() {
    let short = Duration::from_millis(100);
    let server = Server::with_limits(short, short);
    let mut silent = server.connect();
    silent.write_all(b"GET / HTTP/1.1\r\nHo").expect("sent");
    // Pages until the buffers of the system are full.
    let mut deaf = server.connect();
    let request = format!("GET /big-0123abcd.js HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let requests = request.repeat(16);
    deaf.write_all(requests.as_bytes()).expect("sent");
    assert_eq!(status(&server.get("/")), "200");

    let mut rest = Vec::new();
    match silent.read_to_end(&mut rest) {
        Ok(_) => assert!(!rest.starts_with(b"HTTP/1.1 200")),
        Err(error) => assert_eq!(error.kind(), io::ErrorKind::ConnectionReset),
    }
    // The server has given up on the client as soon as its side of the connection is closed: then
    // writing fails. Until then, requests only fill the buffers.
    let closed = (0..600).any(|_| {
        thread::sleep(short);
        deaf.write_all(b"\r\n").is_err()
    });
    assert!(closed, "the server still waits");
}

/// A page that saves over another version gets the file as it is, and the file stays.
#[test]
fn saves_of_old_versions_are_conflicts() {
    let server = Server::start();
    let file = server.folder.path().join("exercises/ch01_threads/guard.cu");
    let exercise = json(&server.work("GET /live/exercises/guard", ""));
    assert_eq!(exercise["file"]["version"], "missing");
    assert_eq!(exercise["path"], "exercises/ch01_threads/guard.cu");

    let save = |base: &str, text: &str| {
        let body = serde_json::json!({"base": base, "text": text, "by": "a page"});
        server.work("PUT /live/exercises/guard", &body.to_string())
    };
    let saved = save("missing", "one\n");
    assert_eq!(status(&saved), "200", "{saved}");
    assert_eq!(fs::read_to_string(&file).expect("a file"), "one\n");
    let version = json(&saved)["version"].as_str().expect("a version").to_owned();
    fs::write(&file, "two\n").expect("writable");
    let conflict = save(&version, "three\n");
    assert_eq!(status(&conflict), "409");
    assert_eq!(json(&conflict)["text"], "two\n");
    assert_eq!(fs::read_to_string(&file).expect("a file"), "two\n");

    let large = save(json(&conflict)["version"].as_str().expect("a version"), &"x".repeat(2 << 20));
    assert_eq!(status(&large), "413");
    assert_eq!(status(&server.work("PUT /live/exercises/guard", "{")), "400");
    assert_eq!(status(&server.work("PUT /live/exercises/no_such", "{}")), "404");
}

/// Hints come one by one and are remembered, and the solution comes after a pass.
#[test]
fn hints_and_solutions() {
    let server = Server::start();
    let total = checker::exercises::find("guard").expect("an exercise").hints.len();
    for shown in 1..=total + 1 {
        let hints = json(&server.work("POST /live/exercises/guard/hint", ""));
        let expected = shown.min(total);
        assert_eq!(hints["shown"].as_array().expect("a list").len(), expected);
        assert_eq!(hints["total"], total);
    }
    assert_eq!(status(&server.work("GET /live/exercises/guard/solution", "")), "403");
    let hash = checker::progress::hash(b"x");
    let progress = server.folder.path().join(".workbook/progress.txt");
    fs::write(progress, format!("passed guard {hash}\n")).expect("writable");
    let solution = server.work("GET /live/exercises/guard/solution", "");
    assert!(json(&solution)["text"].as_str().expect("a text").contains("__global__"));
    let course = json(&server.work("GET /live/course", ""));
    assert_eq!(course["done"], 1);
    let guard =
        course["exercises"].as_array().expect("a list").iter().find(|one| one["id"] == "guard");
    assert_eq!(guard.expect("the exercise")["state"], "changed");
}

/// The original is restored after a copy of the learner's file was made.
#[test]
fn a_reset_keeps_a_copy() {
    let server = Server::start();
    let file = server.folder.path().join("exercises/ch01_threads/guard.cu");
    fs::write(&file, "my work").expect("writable");
    let answer = server.work("POST /live/exercises/guard/reset", "");
    assert_eq!(status(&answer), "200", "{answer}");
    let original = json(&answer)["file"]["text"].as_str().expect("a text").to_owned();
    assert_eq!(fs::read_to_string(&file).expect("a file"), original);
    let copy = server.folder.path().join(".workbook/backup/guard.1.cu");
    assert_eq!(fs::read_to_string(copy).expect("a copy"), "my work");
}

/// A page lists the copies, the newest first, and gets the text of each. The original and a text
/// that is the newest copy already make no further copies.
#[test]
fn copies_are_listed_and_read() {
    let server = Server::start();
    let state = server.folder.path().join(".workbook/backup");
    let copies = || json(&server.work("GET /live/exercises/guard/copies", ""));
    assert_eq!(copies(), serde_json::json!([]));
    let original =
        json(&server.work("POST /live/exercises/guard/reset", ""))["file"]["text"].clone();
    let original = original.as_str().expect("a text").to_owned();
    for text in ["one\n", "one\ntwo\n", "one\ntwo\n", &original] {
        let body = serde_json::json!({ "text": text }).to_string();
        assert_eq!(status(&server.work("POST /live/exercises/guard/copy", &body)), "204");
    }
    fs::write(state.join("guard_other.7.cu"), "another exercise's").expect("writable");
    let found = copies();
    let found = found.as_array().expect("a list");
    let numbers: Vec<_> = found.iter().map(|copy| (&copy["number"], &copy["lines"])).collect();
    assert_eq!(numbers, [(&2.into(), &2.into()), (&1.into(), &1.into())]);
    assert!(found.iter().all(|copy| copy["saved"].as_u64().is_some_and(|time| time > 0)));
    assert_eq!(json(&server.work("GET /live/exercises/guard/copies/1", ""))["text"], "one\n");
    for missing in ["3", "7", "x"] {
        let answer = server.work(&format!("GET /live/exercises/guard/copies/{missing}"), "");
        assert!(matches!(status(&answer), "404" | "400"), "{missing}: {answer}");
    }
}
