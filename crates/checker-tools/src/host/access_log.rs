//! The access log: one line for each request on standard error, without anything of its body.

use std::io::Write as _;
use std::time::Duration;

use axum::extract::Request;
use axum::response::Response;
use jiff::Timestamp;

use super::client::Client;
use super::metrics::Outcome;

/// Characters of a path that are logged.
const MAX_PATH_CHARS: usize = 200;

/// A line that is written when the request has its answer.
pub struct Line {
    client: Option<Client>,
    method: String,
    path: String,
}

impl Line {
    /// A line about this request; without a client, its address is left out.
    pub fn new(request: &Request, client: Option<Client>) -> Self {
        let path = request.uri().path().chars().take(MAX_PATH_CHARS).collect::<String>();
        let path = path.escape_debug().to_string();
        Self { client, method: request.method().to_string(), path }
    }

    /// Writes the line. If standard error is closed, there is no log.
    pub fn write(self, response: &Response, outcome: Outcome, time: Duration) {
        let line = self.text(Timestamp::now(), response.status().as_u16(), outcome, time);
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    fn text(&self, at: Timestamp, status: u16, outcome: Outcome, time: Duration) -> String {
        let Self { client, method, path } = self;
        let client = client.map_or_else(|| "-".to_owned(), |client| client.to_string());
        let (outcome, seconds) = (outcome.name(), time.as_secs_f64());
        format!("{at:.3} {client} {method} {path} {status} {outcome} {seconds:.3}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request is one line, whatever its path contains, and its query is left out.
    #[test]
    fn a_request_is_one_line() {
        let request = Request::builder().uri("/live/a%0Ab?token=secret");
        let request = request.body(axum::body::Body::empty()).expect("a request");
        let client = Client::new([10, 0, 0, 1].into());
        let at: Timestamp = "2026-11-01T12:00:00Z".parse().expect("a time");
        let text = |client| {
            Line::new(&request, client).text(at, 200, Outcome::Ran, Duration::from_millis(83))
        };
        let expected = "2026-11-01T12:00:00.000Z 10.0.0.1 GET /live/a%0Ab 200 ran 0.083\n";
        assert_eq!(text(Some(client)), expected);
        assert_eq!(text(None), expected.replace("10.0.0.1", "-"));
    }
}
