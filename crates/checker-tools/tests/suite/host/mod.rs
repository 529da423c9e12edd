//! `checker host` over real sockets: the real program, compiler and sandbox.

mod client;
mod limits;

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::common::repository;
use client::{Answer, Server, check_body};

/// The course's solution of an exercise in chapter 1, with a first line of its own, so that no
/// other test has had it checked.
fn solution(exercise: &str, line: &str) -> String {
    let path = repository().join(format!("solutions/ch01_threads/{exercise}.cu"));
    format!("// {line}\n{}", fs::read_to_string(path).unwrap())
}

/// A kernel that never ends; the simulator gives up after seconds.
fn endless(line: &str) -> String {
    solution("guard", line).replacen('{', "{ volatile bool always = true; while (always) {}", 1)
}

/// The original file of an exercise in chapter 1.
fn original(exercise: &str) -> String {
    let path = repository().join(format!("checker/proof/originals/ch01_threads/{exercise}.cu"));
    fs::read_to_string(path).unwrap()
}

/// A text passes or fails by itself, and a solution is shown only for a text that passes.
#[test]
fn a_check_depends_on_its_request_only() {
    let server = Server::start(&[]);
    let source = solution("guard", "passes");
    let verdict = server.check("guard", &source);
    assert_eq!((verdict.status, &verdict.json()["passed"]), (200, &json!(true)), "{verdict:?}");
    assert_eq!(verdict.json()["version"], checker::progress::hash(source.as_bytes()));
    let failed = server.check("guard", &original("guard"));
    assert_eq!((failed.status, &failed.json()["passed"]), (200, &json!(false)));

    let shown = |source: &str| server.post("/live/exercises/guard/solution", &check_body(source));
    assert_eq!(shown(&original("guard")).status, 403);
    assert_eq!(shown("not CUDA").status, 403);
    let text = shown(&source).json()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("__global__"));

    // Another exercise's solution is no pass.
    assert_eq!(shown(&solution("add_one", "another")).status, 403);
    let page = server.get("/ch01_threads/guard.html");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<meta name=\"workbook-store\" content=\"browser\">"));
    assert!(page.body.contains("live/assets/bench.js"));
    assert!(!page.body.contains("wb-solution"), "the page has the solution");
    let exercise = server.get("/live/exercises/guard").json();
    // the server names the installed command, without cargo
    let text = original("guard").replace("cargo checker ", "checker ");
    assert_eq!(exercise["original"], text);
    assert_eq!(exercise["path"], "exercises/ch01_threads/guard.cu");
    let count = server.get("/live/course").json()["exercises"].as_array().unwrap().len();
    assert_eq!(count, checker::exercises::all().len());

    // The views of a run are requests of the same kind.
    let look = json!({ "source": source, "look": { "view": "lines" } }).to_string();
    let view = server.post("/live/exercises/guard/look", &look);
    assert_eq!((view.status, &view.json()["view"]), (200, &json!("lines")), "{view:?}");
    let look = json!({ "source": source, "look": { "view": "lines", "case": "none" } });
    let view = server.post("/live/exercises/guard/look", &look.to_string());
    assert_eq!(view.status, 422);
    assert!(view.json()["problem"].as_str().unwrap().contains("no case `none`"));
    assert_eq!(server.post("/live/exercises/guard/check", "{").status, 400);
    assert_eq!(server.check("no_such", "x").status, 404);
    assert!(server.end().success());
}

/// Equal requests at the same time run once, and later ones not at all.
#[test]
fn equal_texts_run_once() {
    let server = Server::start(&["--jobs", "2"]);
    let source = solution("guard", "equal");
    thread::scope(|scope| {
        let checks: Vec<_> =
            (0..4).map(|_| scope.spawn(|| server.check("guard", &source))).collect();
        for check in checks {
            assert_eq!(check.join().unwrap().json()["passed"], true);
        }
    });
    assert_eq!(server.check("guard", &source).json()["passed"], true);
    let metrics = server.get("/metrics").body;
    let value = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse::<u32>().unwrap()
    };
    assert_eq!(value("checker_host_run_seconds_count"), 1, "{metrics}");
    assert_eq!(value("checker_host_requests_total{outcome=\"ran\"}"), 1);
    assert_eq!(value("checker_host_requests_total{outcome=\"cached\"}"), 4);
    assert_eq!(value("checker_host_queue_length"), 0);
}

/// The server is where the proxy says, and answers under no other name.
#[test]
fn behind_a_proxy() {
    let options = ["--origin", "https://cuda.example.edu", "--base-path", "/cuda"];
    let server = Server::start(&options);
    let send = |path: &str, headers: &[&str]| server.send("GET", path, headers, "");
    let host = "Host: cuda.example.edu";
    let page = send("/cuda/ch01_threads/guard.html", &[host]);
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-security-policy: default-src 'none'; script-src 'self'"));
    assert!(page.head.contains("x-content-type-options: nosniff"));
    assert_eq!(send("/cuda/live/assets/bench.js", &[host]).status, 200);
    let moved = send("/cuda", &[host]);
    assert_eq!(moved.status, 308);
    assert!(moved.head.contains("location: /cuda/\r\n"), "{}", moved.head);
    assert_eq!(send("/", &[host]).status, 404);
    assert_eq!(send("/cudart/", &[host]).status, 404);
    assert_eq!(send("/cuda/", &["Host: evil.example"]).status, 421);
    // Probes come without the name.
    assert_eq!(send("/healthz", &["Host: 10.0.0.1:8080"]).status, 200);

    let check = "/cuda/live/exercises/guard/check";
    let body = check_body(&original("guard"));
    let post = |headers: &[&str]| server.send("POST", check, headers, &body).status;
    assert_eq!(post(&[host, "Origin: https://cuda.example.edu"]), 200);
    assert_eq!(post(&[host, "Origin: https://evil.example"]), 403);
    assert_eq!(post(&[host]), 403);
}

/// The server ends once what runs has its answer, and refuses what comes meanwhile.
#[test]
fn the_end_waits_for_what_runs() {
    let server = Server::start(&[]);
    let other = solution("guard", "too late");
    thread::scope(|scope| {
        let running = scope.spawn(|| server.check("guard", &endless("at the end")));
        server.wait_for("checker_host_running 1");
        server.terminate();
        let refused = loop {
            let answer = server.check("guard", &other);
            if answer.status == 503 {
                break answer;
            }
            thread::sleep(Duration::from_millis(5));
        };
        assert!(refused.head.contains("retry-after: "), "{}", refused.head);
        assert_eq!(server.get("/healthz").status, 503);
        let answer: Answer = running.join().unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["slug"], "never-finishes");
    });
    assert!(server.end().success());
}

/// The log has a line for each request, without what was sent.
#[test]
fn the_log_has_no_source() {
    let server = Server::start(&["--anonymous-log"]);
    server.check("guard", &solution("guard", "my secret text"));
    let lines = server.log();
    let line = lines.iter().find(|line| line.contains("/live/exercises/guard/check")).unwrap();
    assert!(line.contains(" - POST /live/exercises/guard/check 200 ran "), "{line}");
    assert!(!lines.concat().contains("my secret text"));
}

/// Wrong options end the program with the exit code of the command line.
#[test]
fn options_that_are_wrong() {
    for options in [
        &["--bind", "0.0.0.0:0"][..],
        &["--origin", "cuda.example.edu"],
        &["--base-path", "cuda"],
        &["--trusted-proxy", "proxy.example"],
    ] {
        let (code, message) = Server::failure(options);
        assert_eq!(code, Some(2), "{options:?}: {message}");
        assert!(message.starts_with("error: "), "{message}");
    }
}
