//! What one client may use: others are served in any case.

use std::fs;
use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::repository;

use super::client::{Server, answer, check_body};
use super::{endless, solution};

const CHECK: &str = "/live/exercises/guard/check";

/// A client above its rate is told when to try again, and another one is served.
#[test]
fn a_client_has_a_rate() {
    let options = ["--rate", "1", "--burst", "2", "--trusted-proxy", "127.0.0.1"];
    let server = Server::start(&options);
    let check = |client: &str, text: &str| {
        server.post_as(Some(client), CHECK, &check_body(&solution("guard", text)))
    };
    for text in ["one", "two"] {
        assert_eq!(check("203.0.113.1", text).status, 200);
    }
    let refused = check("203.0.113.1", "three");
    assert_eq!(refused.status, 429, "{refused:?}");
    let after = refused.head.lines().find_map(|line| line.strip_prefix("retry-after: "));
    let after: u32 = after.expect("a time").parse().unwrap();
    assert!((1..=60).contains(&after), "{after}");
    // What the server remembers costs nothing.
    assert_eq!(check("203.0.113.1", "two").status, 200);
    assert_eq!(check("203.0.113.2", "three").status, 200);
    // A client can't name another one: the proxy appends what it sees.
    assert_eq!(check("203.0.113.9, 203.0.113.1", "four").status, 429);
}

/// While a client's endless kernels wait, the check of another one is next.
#[test]
fn clients_take_turns() {
    let options =
        ["--jobs", "1", "--queue", "16", "--trusted-proxy", "127.0.0.1", "--time-limit", "2"];
    let server = Server::start(&options);
    thread::scope(|scope| {
        let many: Vec<_> = (0..6)
            .map(|number| {
                let (server, body) = (&server, check_body(&endless(&number.to_string())));
                scope.spawn(move || server.post_as(Some("203.0.113.1"), CHECK, &body).status)
            })
            .collect();
        server.wait_for_queue(2);
        let start = Instant::now();
        let body = check_body(&solution("guard", "turns"));
        let verdict = server.post_as(Some("203.0.113.2"), CHECK, &body);
        assert_eq!((verdict.status, &verdict.json()["passed"]), (200, &json!(true)));
        assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
        assert!(server.get("/metrics").body.contains("checker_host_queue_length "));
        // At most four of one client's checks wait. Whether the first one runs already when the
        // sixth one arrives depends on the machine.
        let statuses: Vec<u16> = many.into_iter().map(|check| check.join().unwrap()).collect();
        let refused = statuses.iter().filter(|status| **status == 503).count();
        assert!((1..=2).contains(&refused), "{statuses:?}");
    });
}

/// A check that takes too long is ended, and says so; the next one runs.
#[test]
fn a_check_has_a_time() {
    let server = Server::start(&["--jobs", "1", "--time-limit", "3"]);
    // The checker itself stops a program that sleeps after 10 s.
    let sleeping = repository().join("checker/proof/attacks/sleep.cu");
    let ended = server.check("roundtrip", &fs::read_to_string(sleeping).unwrap());
    assert_eq!(ended.status, 422, "{ended:?}");
    let why = ended.json()["problem"].as_str().unwrap().to_owned();
    assert!(why.contains("more than 3 s"), "{why}");
    assert_eq!(server.check("guard", &solution("guard", "next")).json()["passed"], true);
}

/// A body that is too large or never ends is cut off, and others are served meanwhile.
#[test]
fn bodies_are_limited() {
    let server = Server::start(&[]);
    let large = check_body(&format!("// {}\n", "x".repeat(300 << 10)));
    let refused = server.post(CHECK, &large);
    assert_eq!(refused.status, 413);
    assert!(refused.json()["problem"].as_str().unwrap().contains("256 KiB"));

    let head = format!(
        "POST {CHECK} HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.host
    );
    let mut endless = server.connect();
    endless.write_all(format!("{head}40000000\r\n").as_bytes()).unwrap();
    let block = [b'a'; 1 << 16];
    let sent = (0..1 << 14).take_while(|_| endless.write_all(&block).is_ok()).count();
    assert!(sent < 1 << 9, "{sent} blocks of 64 KiB");

    let mut slow = server.connect();
    slow.write_all(format!("{head}5\r\n{{\"sou").as_bytes()).unwrap();
    assert_eq!(server.check("guard", &solution("guard", "meanwhile")).status, 200);
    let start = Instant::now();
    assert_eq!(answer(slow).status, 408);
    assert!(start.elapsed() < Duration::from_secs(20));
}
