//! Which requests are answered, and for which client. A page of another site can make a browser
//! send requests to this server, so a request must name one of the server's addresses in `Host`,
//! and one that has code run must come from a page of the server.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use checker::error::Usage;

use super::client::{self, Client, Network};
use crate::live::connections::Peer;
use crate::live::guard::{only, refuse};
use crate::live::page::LIVE;

/// What a request is compared with.
#[derive(Debug)]
pub struct Admission {
    /// `https://cuda.example.edu`, as browsers write it.
    origins: Vec<String>,
    /// Empty, or `/cuda`.
    base: String,
    proxies: Vec<Network>,
}

impl Admission {
    /// The rules for a server that listens at `bind`, from the options of its command line.
    ///
    /// # Errors
    /// When an option is wrong; and when other machines can connect, and no origin is named.
    pub fn new(
        bind: SocketAddr,
        origins: &[String],
        base_path: &str,
        proxies: &[String],
    ) -> anyhow::Result<Self> {
        let mut all: Vec<String> =
            origins.iter().map(|url| origin(url)).collect::<Result<_, _>>()?;
        if all.is_empty() && !bind.ip().is_loopback() {
            let why = format!(
                "other machines can connect to {bind}: name the address in their browsers, for example \
                 `--origin https://cuda.example.edu`"
            );
            return Err(Usage(why).into());
        }
        if bind.ip().is_loopback() {
            let port = bind.port();
            for name in ["127.0.0.1", "localhost", "[::1]"] {
                // Browsers leave the usual port out.
                all.push(format!("http://{name}:{port}").trim_end_matches(":80").to_owned());
            }
        }
        let network = |text: &String| {
            let why =
                || Usage(format!("--trusted-proxy {text}: this isn't an address or a network"));
            Network::parse(text).ok_or_else(why)
        };
        let proxies = proxies.iter().map(network).collect::<Result<_, _>>()?;
        Ok(Self { origins: all, base: base(base_path)?, proxies })
    }

    /// The path below which the book is: empty, or `/cuda`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The address that `checker host` prints.
    pub fn address(&self) -> String {
        format!("{}{}/", self.origins.first().map_or("", String::as_str), self.base)
    }

    /// The client that a request comes from.
    pub fn client(&self, request: &Request) -> Client {
        let peer = request.extensions().get::<Peer>();
        let peer = peer.map_or(IpAddr::from([0, 0, 0, 0]), |Peer(address)| *address);
        Client::new(client::address(peer, request.headers(), &self.proxies))
    }

    /// The request's path in the book: `/index.html` for `/cuda/index.html`.
    pub fn path<'a>(&self, request: &'a Request) -> Option<&'a str> {
        let path = request.uri().path().strip_prefix(self.base.as_str())?;
        (path.is_empty() || path.starts_with('/')).then_some(path)
    }

    /// Why a request with this path in the book isn't answered.
    pub fn refusal(&self, method: &Method, path: &str, headers: &HeaderMap) -> Option<Response> {
        if !self.is_addressed(headers) {
            return Some(refuse(StatusCode::MISDIRECTED_REQUEST, "this server has another name"));
        }
        let work = path.trim_start_matches('/').strip_prefix(LIVE);
        let is_work = work.is_some_and(|path| path.starts_with('/'));
        let reads = matches!(*method, Method::GET | Method::HEAD);
        if is_work && !self.is_from_own_page(reads, headers) {
            return Some(refuse(StatusCode::FORBIDDEN, "the request comes from another site"));
        }
        if !is_work && !reads {
            return Some(refuse(StatusCode::METHOD_NOT_ALLOWED, "pages can only be read"));
        }
        None
    }

    /// Whether `Host` names this server, exactly once.
    fn is_addressed(&self, headers: &HeaderMap) -> bool {
        let host = only(headers, header::HOST);
        host.is_some_and(|host| {
            let names = |origin: &String| {
                origin.split_once("://").is_some_and(|(_, own)| own.eq_ignore_ascii_case(host))
            };
            self.origins.iter().any(names)
        })
    }

    /// Whether a page of this server has sent the request.
    fn is_from_own_page(&self, reads: bool, headers: &HeaderMap) -> bool {
        let origin = only(headers, header::ORIGIN);
        let from_here = |origin: &str| self.origins.iter().any(|own| own == origin);
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        origin.map_or(reads && !headers.contains_key(header::ORIGIN), from_here)
            && site.is_none_or(|site| site == b"same-origin")
    }
}

/// An origin as browsers write it: in lower case, without the usual port and without a path.
fn origin(url: &str) -> Result<String, Usage> {
    let wrong =
        || Usage(format!("--origin {url}: an origin looks like `https://cuda.example.edu`"));
    let (scheme, host) = url.trim_end_matches('/').split_once("://").ok_or_else(wrong)?;
    let (scheme, host) = (scheme.to_ascii_lowercase(), host.to_ascii_lowercase());
    let usual = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => return Err(wrong()),
    };
    let host = host.strip_suffix(usual).unwrap_or(&host);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    if host.is_empty() || !host.chars().all(is_part) {
        return Err(wrong());
    }
    Ok(format!("{scheme}://{host}"))
}

/// A base path without its last slash.
fn base(path: &str) -> Result<String, Usage> {
    let base = path.trim_end_matches('/');
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
    let is_path = base.is_empty() || base.starts_with('/') && base.chars().all(is_part);
    if !is_path || base.contains("//") || base.split('/').any(|part| part == "..") {
        return Err(Usage(format!("--base-path {path}: a path looks like `/cuda`")));
    }
    Ok(base.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local() -> SocketAddr {
        "127.0.0.1:8080".parse().expect("an address")
    }

    fn hosted() -> Admission {
        let origins = ["https://CUDA.example.edu:443/".to_owned()];
        Admission::new("0.0.0.0:80".parse().expect("an address"), &origins, "/cuda/", &[])
            .expect("right options")
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().expect("a value"));
        }
        headers
    }

    /// Names of other sites that lead here are refused, and so are their pages.
    #[test]
    fn only_own_pages_have_code_run() {
        let hosted = hosted();
        let host = ("host", "cuda.example.edu");
        let own = ("origin", "https://cuda.example.edu");
        let status = |method, path: &str, pairs: &[_]| {
            hosted.refusal(&method, path, &headers(pairs)).map(|response| response.status())
        };
        let check = "/live/exercises/guard/check";
        assert_eq!(status(Method::GET, "/", &[host]), None);
        assert_eq!(status(Method::POST, check, &[host, own]), None);
        assert_eq!(status(Method::POST, "/", &[host, own]), Some(StatusCode::METHOD_NOT_ALLOWED));
        for other in ["evil.example", "cuda.example.edu:8080", "cuda.example.edu.evil", ""] {
            let refused = Some(StatusCode::MISDIRECTED_REQUEST);
            assert_eq!(status(Method::GET, "/", &[("host", other)]), refused, "{other}");
        }
        assert!(status(Method::GET, "/", &[host, host]).is_some());
        for foreign in ["http://cuda.example.edu", "https://evil.example", "null", ""] {
            let foreign = ("origin", foreign);
            let refused = Some(StatusCode::FORBIDDEN);
            assert_eq!(status(Method::POST, check, &[host, foreign]), refused, "{foreign:?}");
        }
        assert!(status(Method::POST, check, &[host]).is_some());
        let site = ("sec-fetch-site", "cross-site");
        assert!(status(Method::POST, check, &[host, own, site]).is_some());
    }

    #[test]
    fn the_book_is_below_its_path() {
        let path = |url: &str| {
            let request = Request::builder().uri(url).body(axum::body::Body::empty());
            hosted().path(&request.expect("a request")).map(str::to_owned)
        };
        assert_eq!(path("/cuda/ch01/guard.html").as_deref(), Some("/ch01/guard.html"));
        assert_eq!(path("/cuda").as_deref(), Some(""));
        assert_eq!(path("/cudart/x"), None);
        assert_eq!(path("/"), None);
        assert_eq!(hosted().address(), "https://cuda.example.edu/cuda/");
    }

    /// A server that other machines can reach has a name, and wrong options are named.
    #[test]
    fn wrong_options() {
        let new = |bind: &str, origin: &str, base: &str, proxy: &str| {
            let list = |text: &str| match text {
                "" => vec![],
                text => vec![text.to_owned()],
            };
            let bind = bind.parse().expect("an address");
            Admission::new(bind, &list(origin), base, &list(proxy)).map_err(|why| why.to_string())
        };
        let why = new("0.0.0.0:80", "", "/", "").expect_err("no origin");
        assert!(why.contains("--origin https://cuda.example.edu"), "{why}");
        for origin in ["cuda.example.edu", "ftp://x", "https://", "https://a/b", "https://a b"] {
            assert!(new("127.0.0.1:1", origin, "/", "").is_err(), "{origin}");
        }
        for base in ["cuda", "/a//b", "/../x", "/a b", "/%2e"] {
            assert!(new("127.0.0.1:1", "", base, "").is_err(), "{base}");
        }
        assert!(new("127.0.0.1:1", "", "/", "proxy").is_err());
        let own = Admission::new(local(), &[], "/", &[]).expect("right options");
        assert!(own.is_addressed(&headers(&[("host", "localhost:8080")])));
        assert!(!own.is_addressed(&headers(&[("host", "localhost")])));
    }
}
