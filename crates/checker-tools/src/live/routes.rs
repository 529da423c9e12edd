//! What the servers of the live book share: pages, assets, and the form of requests and answers.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use checker::exercises;
use checker::progress;
use checker::spec::Spec;
use serde::Serialize;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tower_http::compression::CompressionLayer;

use super::assets;
use super::events::json;
use super::site::Site;

/// How long the body of a request may take.
const BODY_TIME: Duration = Duration::from_secs(10);

/// What every answer says, so that browsers guess nothing and no other site embeds it.
const ALWAYS: [(HeaderName, &str); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The pages of the book, their scripts, and the routes of `work` below `/live`.
pub fn with_pages(site: Arc<Site>, work: Router) -> Router {
    Router::new()
        .route("/live/assets/{name}", get(asset))
        .fallback(page)
        .with_state(site)
        .merge(work)
        .layer(CompressionLayer::new())
}

/// Adds to every answer what all answers say.
pub fn with_headers(router: Router) -> Router {
    router.layer(middleware::map_response(add_headers))
}

async fn add_headers(mut response: Response) -> Response {
    for (name, value) in ALWAYS {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

/// A page or another file of the book.
async fn page(State(site): State<Arc<Site>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let depth = path.trim_start_matches('/').matches('/').count();
    let found = blocking(move || match site.file(&path) {
        Some(file) => Some((StatusCode::OK, file)),
        None => Some((StatusCode::NOT_FOUND, site.file("/404.html")?)),
    });
    let (status, file) = match found.await {
        Ok(Some(found)) => found,
        Ok(None) => return StatusCode::NOT_FOUND.into_response(),
        Err(status) => return status.into_response(),
    };
    let caching = if file.immutable { "max-age=31536000, immutable" } else { "no-cache" };
    let head = [
        (header::CONTENT_TYPE, file.kind),
        (header::CACHE_CONTROL, caching),
        (header::ETAG, &file.tag),
    ];
    if status == StatusCode::OK && has_tag(request.headers(), &file.tag) {
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    let bytes = match status {
        StatusCode::NOT_FOUND => with_base(&file.bytes, depth),
        _ => file.bytes.clone(),
    };
    let policy = file.policy.as_ref().map(|policy| [(header::CONTENT_SECURITY_POLICY, policy)]);
    match policy {
        Some(policy) => (status, head, policy, bytes).into_response(),
        None => (status, head, bytes).into_response(),
    }
}

/// mdBook's page for missing addresses, whose own addresses are relative to the book's root, so
/// that it has its styles at an address in `depth` folders of a book at any path.
fn with_base(page: &Bytes, depth: usize) -> Bytes {
    let root = if depth == 0 { "./".to_owned() } else { "../".repeat(depth) };
    let page = String::from_utf8_lossy(page);
    page.replacen("<base href=\"/\">", &format!("<base href=\"{root}\">"), 1).into()
}

/// Whether the browser already has this version.
fn has_tag(headers: &HeaderMap, tag: &str) -> bool {
    let tags = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    tags.is_some_and(|tags| tags.split(',').any(|one| one.trim() == tag))
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some((kind, text)) = assets::find(&name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let tag = format!("W/\"{}\"", &progress::hash(text.as_bytes())[..32]);
    let head =
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache"), (header::ETAG, &tag)];
    match has_tag(&headers, &tag) {
        true => (StatusCode::NOT_MODIFIED, head).into_response(),
        false => (head, text).into_response(),
    }
}

/// The exercise with this name.
pub fn exercise(id: &str) -> Result<&'static Spec, StatusCode> {
    exercises::all().iter().copied().find(|spec| spec.id == id).ok_or(StatusCode::NOT_FOUND)
}

/// Runs what reads or writes files on a thread that may wait.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StatusCode> {
    spawn_blocking(work).await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

/// An answer as JSON that no cache keeps.
pub fn answer(status: StatusCode, value: &impl Serialize) -> Response {
    json_answer(status, json(value))
}

/// The same for JSON.
pub fn json_answer(status: StatusCode, json: String) -> Response {
    let head = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, head, json).into_response()
}

/// An answer with the reason why something was not done.
#[derive(Serialize)]
struct Problem {
    problem: String,
}

/// An answer that says why something was not done, as a sentence.
pub fn problem(status: StatusCode, problem: String) -> Response {
    answer(status, &Problem { problem })
}

/// The body of a request, of at most this many bytes, if it comes in time.
pub async fn body(body: Body, most_bytes: usize) -> Result<Bytes, StatusCode> {
    let read = timeout(BODY_TIME, to_bytes(body, most_bytes)).await;
    read.map_err(|_| StatusCode::REQUEST_TIMEOUT)?.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_page_finds_its_styles() {
        let page = Bytes::from("<head><base href=\"/\"></head>");
        let base = |depth| String::from_utf8(with_base(&page, depth).to_vec()).expect("text");
        assert_eq!(base(0), "<head><base href=\"./\"></head>");
        assert_eq!(base(2), "<head><base href=\"../../\"></head>");
    }
}
