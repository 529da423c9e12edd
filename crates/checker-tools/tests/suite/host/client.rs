//! A server in a process of its own, and requests as browsers send them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// No answer takes this long, also on a busy machine. It only keeps a broken server from blocking
/// the test.
const BOUND: Duration = Duration::from_secs(300);

/// A server, which ends when it is dropped.
pub struct Server {
    child: Mutex<Child>,
    /// "127.0.0.1:41234"
    pub host: String,
    log: Arc<Mutex<Vec<String>>>,
    _folder: tempfile::TempDir,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The body of a request that has a text checked.
pub fn check_body(source: &str) -> String {
    json!({ "source": source }).to_string()
}

fn command(folder: &std::path::Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checker-tools"));
    command.current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
    command.args(["host", "--bind", "127.0.0.1:0"]).args(options);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Server {
    /// A server with these options, at a free port.
    pub fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = command(folder.path(), options).spawn().unwrap();
        let log = Arc::<Mutex<Vec<String>>>::default();
        let (lines, errors) = (Arc::clone(&log), BufReader::new(child.stderr.take().unwrap()));
        thread::spawn(move || {
            errors.lines().map_while(Result::ok).for_each(|line| lines.lock().unwrap().push(line));
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("http"), "{line}: {:?}", log.lock().unwrap());
        let port = port_of(child.id());
        Self { child: child.into(), host: format!("127.0.0.1:{port}"), log, _folder: folder }
    }

    /// The exit code and the message of a server that doesn't start.
    pub fn failure(options: &[&str]) -> (Option<i32>, String) {
        let folder = tempfile::tempdir().unwrap();
        let output = command(folder.path(), options).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(BOUND)).unwrap();
        stream.set_write_timeout(Some(BOUND)).unwrap();
        stream
    }

    /// Sends a request with these headers.
    pub fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let mut stream = self.connect();
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        answer(stream)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[&format!("Host: {}", self.host)], "")
    }

    /// Sends a body as one of the server's own pages does.
    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.post_as(None, path, body)
    }

    /// The same through a proxy that names the client.
    pub fn post_as(&self, client: Option<&str>, path: &str, body: &str) -> Answer {
        let host = &self.host;
        let mut headers = vec![format!("Host: {host}"), format!("Origin: http://{host}")];
        headers.extend(client.map(|client| format!("X-Forwarded-For: {client}")));
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        self.send("POST", path, &headers, body)
    }

    /// Has a text checked.
    pub fn check(&self, exercise: &str, source: &str) -> Answer {
        self.post(&format!("/live/exercises/{exercise}/check"), &check_body(source))
    }

    /// Waits until the metrics contain this line.
    pub fn wait_for(&self, line: &str) {
        self.wait_until(|metrics| metrics.lines().any(|found| found == line));
    }

    /// Waits until at least this many checks wait.
    pub fn wait_for_queue(&self, length: usize) {
        self.wait_until(|metrics| {
            let found = metrics.lines().find_map(|l| l.strip_prefix("checker_host_queue_length "));
            found.and_then(|found| found.parse().ok()).is_some_and(|now: usize| now >= length)
        });
    }

    fn wait_until(&self, holds: impl Fn(&str) -> bool) {
        let start = Instant::now();
        while !holds(&self.get("/metrics").body) {
            assert!(start.elapsed() < BOUND, "{}", self.get("/metrics").body);
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The lines of the log so far.
    pub fn log(&self) -> Vec<String> {
        // The line of a request is written before its answer, but read by another thread.
        thread::sleep(Duration::from_millis(200));
        self.log.lock().unwrap().clone()
    }

    /// Asks the server to end.
    pub fn terminate(&self) {
        let id = rustix::process::Pid::from_child(&self.child.lock().unwrap());
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }

    /// Asks the server to end, and waits until it has.
    pub fn end(&self) -> ExitStatus {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It removes its temporary folder.
        self.end();
    }
}

/// Reads an answer to its end.
pub fn answer(mut stream: TcpStream) -> Answer {
    let mut bytes = vec![];
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, head: format!("{head}\r\n"), body: body.to_owned() }
}

/// The port at which this process listens. With `--origin`, the server prints another address.
fn port_of(process: u32) -> u16 {
    let sockets: Vec<String> = std::fs::read_dir(format!("/proc/{process}/fd"))
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .map(|link| link.display().to_string())
        .collect();
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let listening = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let own = listening
        .filter(|fields| fields[3] == "0A" && sockets.contains(&format!("socket:[{}]", fields[9])));
    let ports = own.map(|fields| fields[1].rsplit(':').next().unwrap().to_owned());
    let port = ports.last().expect("a port");
    u16::from_str_radix(&port, 16).unwrap()
}
