//! The routes: pages, assets, and what the scripts of pages request.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use checker::exercises;
use checker::progress;
use checker::spec::Spec;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tower_http::compression::CompressionLayer;

use super::bench::Bench;
use super::events::{Event, json};
use super::files::Refusal;
use super::listings::Request as Listing;
use super::views::Look;
use super::{Live, assets, guard};

/// The largest body of a request in bytes: the largest source, where each byte may be escaped.
const MAX_BODY_BYTES: usize = 7 << 20;
/// How long the body of a request may take.
const BODY_TIME: Duration = Duration::from_secs(10);

/// What every answer says, so that browsers guess nothing and no other site embeds it.
const ALWAYS: [(HeaderName, &str); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// All routes of the server.
pub fn router(live: Live) -> Router {
    let guard = Arc::clone(&live.guard);
    let mut router = Router::new()
        .route("/live/assets/{name}", get(asset))
        .route("/live/listings", post(listing));
    if live.bench.is_some() {
        router = router
            .route("/live/course", get(course))
            .route("/live/exercises/{id}", get(exercise).put(save))
            .route("/live/exercises/{id}/check", post(check))
            .route("/live/exercises/{id}/copy", post(copy))
            .route("/live/exercises/{id}/look", post(look))
            .route("/live/exercises/{id}/hint", post(hint))
            .route("/live/exercises/{id}/reset", post(reset))
            .route("/live/exercises/{id}/solution", get(solution))
            .route("/live/exercises/{id}/events", get(events));
    }
    router
        .fallback(page)
        .with_state(Arc::new(live))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(guard, guard::admit))
        .layer(middleware::map_response(with_headers))
}

async fn with_headers(mut response: Response) -> Response {
    for (name, value) in ALWAYS {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

/// A page or another file of the book.
async fn page(State(live): State<Arc<Live>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let site = Arc::clone(&live.site);
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
    let policy = file.policy.as_ref().map(|policy| [(header::CONTENT_SECURITY_POLICY, policy)]);
    match policy {
        Some(policy) => (status, head, policy, file.bytes.clone()).into_response(),
        None => (status, head, file.bytes.clone()).into_response(),
    }
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

/// What handlers of an exercise need.
type Called = (Arc<Bench>, &'static Spec);

/// The bench and the exercise of a request.
fn called(live: &Live, id: &str) -> Result<Called, StatusCode> {
    let bench = live.bench.as_ref().ok_or(StatusCode::NOT_FOUND)?;
    let spec = exercises::all().iter().find(|spec| spec.id == id).ok_or(StatusCode::NOT_FOUND)?;
    Ok((Arc::clone(bench), spec))
}

/// Runs what reads or writes files on a thread that may wait.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StatusCode> {
    spawn_blocking(work).await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

/// An answer as JSON that no cache keeps.
fn answer(status: StatusCode, value: &impl Serialize) -> Response {
    json_answer(status, json(value))
}

fn json_answer(status: StatusCode, json: String) -> Response {
    let head = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, head, json).into_response()
}

/// An answer with the reason why something was not done.
#[derive(Serialize)]
struct Problem {
    problem: String,
}

fn problem(status: StatusCode, problem: String) -> Response {
    answer(status, &Problem { problem })
}

/// The body of a request, within its limits of size and time.
async fn body(body: Body) -> Result<Bytes, StatusCode> {
    let read = timeout(BODY_TIME, to_bytes(body, MAX_BODY_BYTES)).await;
    read.map_err(|_| StatusCode::REQUEST_TIMEOUT)?.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)
}

type Answer = Result<Response, StatusCode>;

async fn course(State(live): State<Arc<Live>>) -> Answer {
    let bench = Arc::clone(live.bench.as_ref().ok_or(StatusCode::NOT_FOUND)?);
    let course = blocking(move || bench.course()).await?;
    Ok(answer(StatusCode::OK, &course))
}

async fn exercise(State(live): State<Arc<Live>>, Path(id): Path<String>) -> Answer {
    let (bench, spec) = called(&live, &id)?;
    let exercise = blocking(move || bench.open(spec)).await?;
    Ok(answer(StatusCode::OK, &exercise))
}

/// A text that a page saves.
#[derive(Deserialize)]
struct Save {
    /// The version that the page has seen last.
    base: String,
    text: String,
    /// The page, so that it can recognise its own change among the events.
    #[serde(default)]
    by: String,
    /// Whether the present file is copied into the backups before.
    #[serde(default)]
    keep_copy: bool,
}

#[derive(Serialize)]
struct Saved {
    version: String,
}

async fn save(State(live): State<Arc<Live>>, Path(id): Path<String>, request: Request) -> Answer {
    let (bench, spec) = called(&live, &id)?;
    let bytes = body(request.into_body()).await?;
    let save: Save = serde_json::from_slice(&bytes).map_err(|_| StatusCode::BAD_REQUEST)?;
    let saved =
        blocking(move || bench.save(spec, (&save.base, &save.text), save.keep_copy, &save.by));
    Ok(match saved.await? {
        Ok(version) => answer(StatusCode::OK, &Saved { version }),
        Err(Refusal::Conflict(file)) => answer(StatusCode::CONFLICT, &file),
        Err(Refusal::TooLarge) => {
            let why = "The text has more than 1 MiB, which is the most that the checker reads.";
            problem(StatusCode::PAYLOAD_TOO_LARGE, why.into())
        }
        Err(Refusal::System(why)) => problem(StatusCode::FORBIDDEN, why),
    })
}

/// A text that the learner gives up for the file.
#[derive(Deserialize)]
struct Copy {
    text: String,
}

async fn copy(State(live): State<Arc<Live>>, Path(id): Path<String>, request: Request) -> Answer {
    let (bench, spec) = called(&live, &id)?;
    let bytes = body(request.into_body()).await?;
    let copy: Copy = serde_json::from_slice(&bytes).map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(match blocking(move || bench.keep_copy(spec, copy.text.as_bytes())).await? {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => problem(StatusCode::FORBIDDEN, format!("No copy was made: {error}.")),
    })
}

async fn check(State(live): State<Arc<Live>>, Path(id): Path<String>) -> Answer {
    let (bench, spec) = called(&live, &id)?;
    bench.check(spec);
    Ok(StatusCode::ACCEPTED.into_response())
}

async fn look(State(live): State<Arc<Live>>, Path(id): Path<String>, request: Request) -> Answer {
    let (bench, spec) = called(&live, &id)?;
    let bytes = body(request.into_body()).await?;
    let look: Look = serde_json::from_slice(&bytes).map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(match bench.look(spec, look).await {
        Ok(Ok(view)) => json_answer(StatusCode::OK, view),
        Ok(Err(why)) => problem(StatusCode::UNPROCESSABLE_ENTITY, why),
        Err(_) => problem(StatusCode::CONFLICT, "Another page looks at this exercise.".into()),
    })
}

async fn listing(State(live): State<Arc<Live>>, request: Request) -> Answer {
    let bytes = body(request.into_body()).await?;
    let listing: Listing = serde_json::from_slice(&bytes).map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(match live.listings.ask(listing).await {
        Ok(Ok(answer)) => json_answer(StatusCode::OK, answer),
        Ok(Err(why)) => problem(StatusCode::UNPROCESSABLE_ENTITY, why),
        Err(_) => problem(StatusCode::CONFLICT, "The listing has been run again.".into()),
    })
}

async fn hint(State(live): State<Arc<Live>>, Path(id): Path<String>) -> Answer {
    let (bench, spec) = called(&live, &id)?;
    let hints = blocking(move || bench.next_hint(spec)).await?;
    Ok(answer(StatusCode::OK, &hints))
}

async fn reset(State(live): State<Arc<Live>>, Path(id): Path<String>) -> Answer {
    let (bench, spec) = called(&live, &id)?;
    Ok(match blocking(move || bench.reset(spec)).await? {
        Ok(exercise) => answer(StatusCode::OK, &exercise),
        Err(error) => problem(StatusCode::CONFLICT, format!("{error:#}")),
    })
}

#[derive(Serialize)]
struct Solution {
    text: &'static str,
}

async fn solution(State(live): State<Arc<Live>>, Path(id): Path<String>) -> Answer {
    let (bench, spec) = called(&live, &id)?;
    Ok(match blocking(move || bench.solution(spec)).await? {
        Some(text) => answer(StatusCode::OK, &Solution { text }),
        None => problem(StatusCode::FORBIDDEN, "You have not passed this exercise yet.".into()),
    })
}

/// What happens to an exercise while its page is open, and first, how it is now.
async fn events(State(live): State<Arc<Live>>, Path(id): Path<String>) -> Answer {
    let (bench, spec) = called(&live, &id)?;
    // The page must not miss what happens between both.
    let subscription = bench.events.subscribe(spec.id);
    let exercise = blocking(move || bench.open(spec)).await?;
    let first = Event::new(Some(spec.id), "exercise", &exercise);
    Ok(subscription.stream(first).into_response())
}
