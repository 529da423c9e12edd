//! Which requests are answered. Pages of other sites can make a browser send requests to this
//! server, and names of other sites can be made to lead here (DNS rebinding).
//!
//! * Each request must name this server in `Host`.
//! * A request that reads or changes the learner's work must come from a page of this server and
//!   have the token. The browser gets the token as a cookie when it opens the address that the
//!   command prints.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::page::LIVE;

/// What a request is compared with.
pub struct Guard {
    port: u16,
    token: String,
}

impl Guard {
    /// A guard for the server at this port, with a new token.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn new(port: u16) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { port, token })
    }

    /// The address that gives a browser the token.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// A host and this server's port, as they stand in `Host` and `Origin`.
    fn is_this_server(&self, host: &str) -> bool {
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        matches!(name, "127.0.0.1" | "localhost") && port.parse() == Ok(self.port)
    }

    /// Whether `Host` names this server, exactly once.
    fn is_addressed(&self, headers: &HeaderMap) -> bool {
        only(headers, header::HOST).is_some_and(|host| self.is_this_server(host))
    }

    /// Whether a page of this server has sent the request. Browsers send `Origin` with each
    /// request that changes something, and `Sec-Fetch-Site` with all requests.
    fn is_from_own_page(&self, method: &Method, headers: &HeaderMap) -> bool {
        let origin = only(headers, header::ORIGIN);
        let from_here = |origin: &str| {
            origin.strip_prefix("http://").is_some_and(|host| self.is_this_server(host))
        };
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        let reads = matches!(*method, Method::GET | Method::HEAD);
        origin.map_or(reads && !headers.contains_key(header::ORIGIN), from_here)
            && site.is_none_or(|site| site == b"same-origin")
    }

    /// The name of the cookie. Cookies of all ports of a machine are in one place, so it contains
    /// the port.
    fn cookie_name(&self) -> String {
        format!("workbook-{}", self.port)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|all| all.to_str().ok());
        let mut pairs =
            cookies.flat_map(|all| all.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(key, value)| key == name && is_equal(value.as_bytes(), self.token.as_bytes()))
    }

    /// The answer to a request for a page with `?token=`: the same page without it, and the cookie
    /// if the token is right.
    fn exchange(&self, path: &str, query: &str) -> Option<Response> {
        let token = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
        // A path that begins with two slashes would name another host.
        let location = format!("/{}", path.trim_start_matches('/'));
        let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response();
        if is_equal(token.as_bytes(), self.token.as_bytes()) {
            let name = self.cookie_name();
            let cookie = format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict");
            let cookie = HeaderValue::from_str(&cookie).ok()?;
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        Some(response)
    }
}

/// Answers the requests that may not go on.
pub async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let (method, uri, headers) = (request.method(), request.uri(), request.headers());
    if !guard.is_addressed(headers) {
        return refuse(StatusCode::MISDIRECTED_REQUEST, "this server has another name");
    }
    let path = uri.path();
    let is_work = path.strip_prefix('/').is_some_and(|path| {
        path.strip_prefix(LIVE).is_some_and(|rest| rest.starts_with('/'))
            && !path.starts_with(&format!("{LIVE}/assets/"))
    });
    if is_work {
        if !guard.is_from_own_page(method, headers) {
            return refuse(StatusCode::FORBIDDEN, "the request comes from another site");
        }
        if !guard.has_cookie(headers) {
            return refuse(StatusCode::UNAUTHORIZED, "open the address that `book serve` prints");
        }
    } else if !matches!(*method, Method::GET | Method::HEAD) {
        return refuse(StatusCode::METHOD_NOT_ALLOWED, "pages can only be read");
    } else if let Some(response) = uri.query().and_then(|query| guard.exchange(path, query)) {
        return response;
    }
    next.run(request).await
}

/// An answer that only says why.
pub(crate) fn refuse(status: StatusCode, why: &'static str) -> Response {
    (status, why).into_response()
}

/// The value of a header that is there exactly once.
pub(crate) fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

/// Whether both are equal, in a time that does not depend on where they differ.
fn is_equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).expect("a value"));
        }
        headers
    }

    /// A name of another site that leads here is refused, and so is a request with two names.
    #[test]
    fn only_this_server_is_addressed() {
        let guard = Guard { port: 3000, token: "t".into() };
        for host in ["127.0.0.1:3000", "localhost:3000"] {
            assert!(guard.is_addressed(&headers(&[("host", host)])), "{host}");
        }
        for host in ["evil.example:3000", "127.0.0.1", "127.0.0.1:3001", "localhost.evil:3000", ""]
        {
            assert!(!guard.is_addressed(&headers(&[("host", host)])), "{host}");
        }
        let twice = [("host", "127.0.0.1:3000"), ("host", "evil.example")];
        assert!(!guard.is_addressed(&headers(&twice)));
        assert!(!guard.is_addressed(&headers(&[])));
        assert!(Guard { port: 80, ..guard }.is_addressed(&headers(&[("host", "localhost")])));
    }

    /// Pages of other sites, of other ports and of files can neither read nor change anything.
    #[test]
    fn only_own_pages_send_requests() {
        let guard = Guard { port: 3000, token: "t".into() };
        let own = |method, pairs: &[_]| guard.is_from_own_page(&method, &headers(pairs));
        let here = ("origin", "http://127.0.0.1:3000");
        assert!(own(Method::PUT, &[here]));
        assert!(own(Method::PUT, &[here, ("sec-fetch-site", "same-origin")]));
        assert!(own(Method::GET, &[("sec-fetch-site", "same-origin")]));
        assert!(own(Method::GET, &[]));
        assert!(!own(Method::PUT, &[]), "a change needs an origin");
        assert!(!own(Method::GET, &[("sec-fetch-site", "same-site")]));
        assert!(!own(Method::GET, &[("sec-fetch-site", "cross-site")]));
        assert!(!own(Method::GET, &[here, here]));
        for origin in
            ["null", "http://evil.example", "http://127.0.0.1:3001", "https://127.0.0.1:3000"]
        {
            assert!(!own(Method::PUT, &[("origin", origin)]), "{origin}");
            assert!(!own(Method::GET, &[("origin", origin)]), "{origin}");
        }
    }

    /// The token is exchanged for a cookie that scripts cannot read and other sites cannot use.
    #[test]
    fn the_token_becomes_a_cookie() {
        let guard = Guard::new(3000).expect("random numbers");
        assert_eq!(guard.token.len(), 32);
        let query = format!("x=1&token={}", guard.token);
        let response = guard.exchange("//evil.example/", &query).expect("a redirection");
        assert_eq!(response.headers()[header::LOCATION], "/evil.example/");
        let cookie = response.headers()[header::SET_COOKIE].to_str().expect("text");
        assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
        let pair = cookie.split(';').next().expect("a pair");
        assert!(guard.has_cookie(&headers(&[("cookie", &format!("a=b; {pair}"))])));
        assert!(!guard.has_cookie(&headers(&[("cookie", "workbook-3000=")])));
        assert!(!guard.has_cookie(&headers(&[("cookie", &pair.replace("3000", "3001"))])));

        let wrong = guard.exchange("/", "token=abc").expect("a redirection");
        assert!(!wrong.headers().contains_key(header::SET_COOKIE));
        assert!(guard.exchange("/", "highlight=token").is_none());
    }
}
