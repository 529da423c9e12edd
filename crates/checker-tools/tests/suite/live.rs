//! The live book as a browser sees it: the real program in a new workbook, with the real compiler.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::repository;

/// No answer takes this long, also on a busy machine. It only keeps a broken server from blocking
/// the test.
const BOUND: Duration = Duration::from_secs(300);

struct Book {
    folder: tempfile::TempDir,
    server: Child,
    _output: BufReader<ChildStdout>,
    /// "127.0.0.1:41234"
    host: String,
    cookie: String,
}

impl Book {
    fn serve() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_checker-tools"));
            command.current_dir(folder.path()).env("NO_COLOR", "1").stdin(Stdio::null());
            command
        };
        assert!(program().args(["init", "."]).output().unwrap().status.success());
        let mut command = program();
        command.args(["book", "serve", "--port", "0"]).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let address = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
        let (host, token) = address["http://".len()..].split_once("/?token=").unwrap();
        let (host, token) = (host.to_owned(), token.to_owned());
        let cookie = format!("workbook-{}={token}", host.split_once(':').unwrap().1);
        Self { folder, server, _output: output, host, cookie }
    }

    fn file(&self, exercise: &str) -> PathBuf {
        self.folder.path().join("exercises").join(format!("{exercise}.cu"))
    }

    /// Sends a request as an own page does, and returns a reader of what comes after the head, and
    /// the status.
    fn request(&self, method: &str, path: &str, body: &str) -> (u16, BufReader<TcpStream>) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(BOUND)).unwrap();
        let (host, cookie) = (&self.host, &self.cookie);
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).unwrap();
        }
        (status, reader)
    }

    /// Runs a listing, and returns the status and the answer.
    fn run_listing(&self, body: &Value) -> (u16, Value) {
        let (status, mut reader) = self.request("POST", "/live/listings", &body.to_string());
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        (status, serde_json::from_str::<Value>(&text).unwrap_or_default())
    }

    fn save(&self, base: &str, text: &str) -> u16 {
        let body = json!({"base": base, "text": text, "by": "the test"}).to_string();
        let (status, mut reader) = self.request("PUT", "/live/exercises/add_one", &body);
        reader.read_to_string(&mut String::new()).unwrap();
        status
    }
}

impl Drop for Book {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Server-sent events.
struct Events(BufReader<TcpStream>);

impl Events {
    /// The data of the next event of this name that `holds`.
    fn next(&mut self, name: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let mut current = String::new();
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ends before {name}");
            if let Some(event) = line.strip_prefix("event: ") {
                event.trim().clone_into(&mut current);
            } else if let Some(data) = line.strip_prefix("data: ")
                && current == name
            {
                let data: Value = serde_json::from_str(data).unwrap();
                if holds(&data) {
                    return data;
                }
            }
        }
    }
}

/// A text that is saved gets a verdict, from the page and from another program, and the server ends
/// politely.
#[test]
fn a_page_saves_and_another_program_saves() {
    let mut book = Book::serve();
    let solution = fs::read_to_string(repository().join("solutions/ch01_threads/add_one.cu"));
    let solution = solution.unwrap();
    let file = book.file("ch01_threads/add_one");
    let original = fs::read_to_string(&file).unwrap();

    let (status, reader) = book.request("GET", "/live/exercises/add_one/events", "");
    assert_eq!(status, 200);
    let mut events = Events(reader);
    let exercise = events.next("exercise", |_| true);
    assert_eq!(exercise["file"]["text"], original);
    let base = exercise["file"]["version"].as_str().unwrap();
    let verdict = events.next("verdict", |_| true);
    assert_eq!((&verdict["version"], &verdict["passed"]), (&json!(base), &json!(false)));
    assert!(verdict["article"].as_str().unwrap().starts_with("<article class=\"wb-report"));

    // The page passes.
    assert_eq!(book.save(base, &solution), 200);
    assert_eq!(fs::read_to_string(&file).unwrap(), solution);
    let change = events.next("file", |_| true);
    assert_eq!(change["by"], "the test");
    let verdict = events.next("verdict", |_| true);
    assert_eq!(
        (&verdict["version"], &verdict["passed"]),
        (&change["file"]["version"], &json!(true))
    );
    let cases = verdict["cases"].as_array().unwrap();
    assert!(!cases.is_empty() && cases.iter().all(|case| case["passed"] == true), "{cases:?}");
    assert!(verdict["gates"].as_array().unwrap().iter().all(|gate| gate["holds"] == true));
    events.next("course", |course| course["done"] == 1);

    // Another program writes a text whose mistake contains markup.
    let wrong = solution.replace("1.0f", "\"<img src=x>\"");
    assert_ne!(wrong, solution);
    fs::write(&file, &wrong).unwrap();
    let change = events.next("file", |change| change["file"]["text"] == wrong);
    assert_eq!(change["by"], Value::Null);
    let version = &change["file"]["version"];
    let verdict = events.next("verdict", |verdict| verdict["version"] == *version);
    assert_eq!(verdict["passed"], false);
    assert!(!verdict["article"].as_str().unwrap().contains("<img"));
    assert_eq!(book.save(base, &solution), 409, "the page has not seen this version");

    // A kernel that never ends is no reason to wait.
    let body = solution.replacen('{', "{ volatile bool always = true; while (always) {}", 1);
    assert_eq!(book.save(version.as_str().unwrap(), &body), 200);
    let change = events.next("file", |change| change["file"]["text"] == body);
    events.next("checking", |version| *version == change["file"]["version"]);
    assert_eq!(book.save(change["file"]["version"].as_str().unwrap(), &solution), 200);
    events.next("verdict", |verdict| verdict["passed"] == true);

    let id = rustix::process::Pid::from_child(&book.server);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert!(book.server.wait().unwrap().success());
}

/// A listing runs as the book has it and as a page has changed it, its marks are in the lines that
/// the page shows, and its file stays as it is.
#[test]
fn a_page_runs_a_listing() {
    let book = Book::serve();
    let run = |body: Value| book.run_listing(&body);
    let (status, hello) = run(json!({"listing": "ch01/hello", "part": "all"}));
    assert_eq!((status, &hello["right"]), (200, &json!(true)), "{hello}");
    assert_eq!(hello["printed"].as_str().unwrap().lines().count(), 8);
    assert_eq!(hello["lines"], Value::Null);

    let source = fs::read_to_string(repository().join("book/examples/ch01/mirror.cu")).unwrap();
    let kernel = source.split("// ANCHOR: kernel\n").nth(1).unwrap();
    let kernel = kernel.split("// ANCHOR_END").next().unwrap();
    let mirror = |text: &str, profile: bool| {
        let texts = json!({"kernel": text});
        run(json!({"listing": "ch01/mirror", "part": "kernel", "texts": texts, "profile": profile}))
    };
    let marked = |answer: &Value| answer["reports"][0]["spans"][0]["line"].as_u64().unwrap();
    let line = |word: &str| {
        1 + kernel.lines().position(|line| line.contains(word)).expect("a line") as u64
    };
    let (_, wrong) = mirror(&kernel.replace("width - 1 - x", "width - 1 - <img src=x>"), false);
    assert_eq!((&wrong["printed"], marked(&wrong)), (&Value::Null, line("width - 1")), "{wrong}");
    assert!(!wrong["reports"][0]["article"].as_str().unwrap().contains("<img"));
    let (_, outside) =
        mirror(&kernel.replace("out[row_start + x]", "out[row_start + x + 1]"), true);
    assert_eq!(outside["reports"][0]["slug"], "out-of-bounds-write");
    assert_eq!(marked(&outside), line("out[row_start"));
    assert_eq!(
        (&outside["reports"][0]["inside"], &outside["first_line"]),
        (&json!(true), &json!(4))
    );
    let (_, longer) = mirror(&format!("// one\n// two\n{kernel}"), true);
    assert_eq!(longer["right"], true, "{longer}");
    let rows = longer["lines"]["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["accesses"] == true), "{rows:?}");

    // Nothing of this machine is shown, whatever the program calls its own file.
    let secret = book.folder.path().join("secret.txt");
    fs::write(&secret, "a secret\n".repeat(9)).unwrap();
    let (_, renamed) = mirror(&format!("#line 1 {:?}\n{kernel}oops;\n", secret), true);
    assert!(renamed["printed"].is_null() && !renamed.to_string().contains("a secret"), "{renamed}");
    let (_, included) = mirror(&format!("#include {:?}\n{kernel}", secret), true);
    assert!(included["printed"].is_null() && !included.to_string().contains("a secret"));

    for bad in [
        json!({"listing": "../secret"}),
        json!({"listing": "ch01/no"}),
        json!({"listing": "ch01/hello", "part": "no"}),
    ] {
        assert_eq!(run(bad).0, 422);
    }
    assert_eq!(run(json!({"part": "all"})).0, 400);
}

/// A page shows the steps of a listing's thread: first those of the mistake, or of the first
/// thread, then those of any other thread and launch.
#[test]
fn a_page_shows_the_steps_of_a_listing() {
    let book = Book::serve();
    let run = |body: Value| book.run_listing(&body);
    let program = |kernel: &str, launches: &str| {
        format!(
            "#include <cstdio>\n__global__ void scale(float* x, int n)\n{{\n    int i = blockIdx.x * \
             blockDim.x + threadIdx.x;\n{kernel}\n}}\nint main()\n{{\n    float* d;\n    \
             cudaMalloc(&d, 64 * sizeof(float));\n    cudaMemset(d, 0, 64 * sizeof(float));\n{launches}\n    \
             cudaDeviceSynchronize();\n    cudaFree(d);\n}}\n"
        )
    };
    let steps = |text: &str, steps: Value| {
        run(json!({"listing": "ch01/hello", "texts": {"": text}, "steps": steps}))
    };
    let right =
        program("    x[i] = 2 * x[i];", "    scale<<<2, 32>>>(d, 64);\n    scale<<<1, 8>>>(d, 8);");
    let (status, first) = steps(&right, json!({}));
    assert_eq!((status, &first["right"]), (200, &json!(true)), "{first}");
    let seen = &first["steps"];
    assert_eq!((&seen["launch"], seen["launches"].as_object().unwrap().len()), (&json!(1), 2));
    let rows = seen["threads"]["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["line"] == 5 && row["lanes"] == u32::MAX), "{seen}");
    assert_eq!(seen["threads"]["end"], "left");
    let own = rows.iter().find(|row| row["line"] == 5).unwrap()["own"].to_string();
    assert!(own.contains("\"i\",\"0\""), "{own}");

    let (_, second) = steps(&right, json!({"launch": 2, "at": [[0, 0, 0], [7, 0, 0]]}));
    assert_eq!(second["steps"]["threads"]["lane"], 7, "{second}");
    assert_eq!(second["steps"]["threads"]["threads"].as_array().unwrap().len(), 8);
    let (_, text) = steps(&right, json!({"launch": 2, "at": [[0, 0, 0], [7, 0, 0]], "text": true}));
    let article = text["steps"]["article"].as_str().unwrap();
    assert!(article.contains("x[7]") && !article.contains("--launch"), "{text}");
    let (status, none) = steps(&right, json!({"launch": 2, "at": [[0, 0, 0], [8, 0, 0]]}));
    assert_eq!(status, 422, "{none}");
    assert!(none["problem"].as_str().unwrap().contains("launch 2"), "{none}");
    assert_eq!(steps(&right, json!({"launch": 3})).0, 422);
    assert_eq!(steps(&right, json!({"launch": 0})).0, 422);

    let wrong =
        program("    x[i + 32] = 1;", "    scale<<<1, 8>>>(d, 8);\n    scale<<<2, 32>>>(d, 64);");
    let (_, found) = steps(&wrong, json!({}));
    let threads = &found["steps"]["threads"];
    assert_eq!(found["steps"]["launch"], 2, "{found}");
    assert_eq!((&threads["block"], &threads["finding"]["line"]), (&json!([1, 0, 0]), &json!(5)));
    assert!(threads["finding"]["row"].is_u64(), "{threads}");

    // An atomic stores another value than its operand, and what CUDA's own functions call it is no
    // variable of the program.
    let sum = program("    atomicAdd(&x[3], 2.0f);", "    scale<<<1, 8>>>(d, 8);");
    let (_, added) = steps(&sum, json!({"at": [[0, 0, 0], [1, 0, 0]]}));
    let rows = added["steps"]["threads"]["rows"].as_array().unwrap();
    let own = &rows.iter().find(|row| row["line"] == 5).unwrap()["own"];
    assert_eq!(
        (&own["accesses"][0]["value"], &own["facts"][0][0]),
        (&json!("4"), &json!("atomically updates x[3] with 2, which was 2"))
    );
    assert!(!own["variables"].to_string().contains("address"), "{own}");

    // At a barrier, threads that have exited are no threads that are still expected.
    let gone = program(
        "    if (i >= 32 && i < 64) return;\n    for (int r = 0; r < 2; r++) __syncthreads();",
        "    scale<<<1, 96>>>(d, 64);",
    );
    let (_, waits) = steps(&gone, json!({"at": [[0, 0, 0], [3, 0, 0]]}));
    let rows = waits["steps"]["threads"]["rows"].as_array().unwrap();
    let last = rows.iter().rev().find(|row| row["barrier"].is_object()).unwrap();
    assert_eq!(
        last["barrier"],
        json!({"arrived": 32, "threads": 96, "warps": [], "exited": [[1, u32::MAX]]})
    );
    assert!(last["own"]["facts"].to_string().contains("and 32 have exited"), "{last}");

    let (status, idle) = steps(&program("", ""), json!({}));
    assert_eq!((status, &idle["steps"]), (200, &Value::Null), "{idle}");
    assert!(idle["notes"].to_string().contains("no steps"), "{idle}");
}
