//! The routes, and what each request goes through: admission, a rate for each client, the answers
//! that are remembered, and the queue. No request changes what another one gets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use checker::course;
use checker::spec::Spec;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Host;
use super::access_log;
use super::answers::{self, Answer, Found};
use super::client::Client;
use super::course::{Course, Exercise};
use super::metrics::{Gauges, Outcome};
use super::task::{Action, Task};
use crate::live::listings;
use crate::live::routes::{self, answer, json_answer, problem};
use crate::live::site::Site;
use crate::live::views::Look;

/// The largest body of a request in bytes. A source of 200 KiB fits, and none of the course has
/// more than 10.
pub const MAX_BODY_BYTES: usize = 256 << 10;

/// When a browser may try again what the server could not take.
const RETRY_TIME: Duration = Duration::from_secs(2);

/// All routes of the server.
pub fn router(host: Arc<Host>, site: Arc<Site>) -> Router {
    let work = Router::new()
        .route("/live/course", get(course))
        .route("/live/exercises/{id}", get(exercise))
        .route("/live/exercises/{id}/check", post(check))
        .route("/live/exercises/{id}/look", post(look))
        .route("/live/exercises/{id}/solution", post(solution))
        .route("/live/listings", post(listing))
        .route("/live/listings/{folder}/{name}", get(listing_text))
        .with_state(Arc::clone(&host));
    let book = TowerToHyperService::new(routes::with_pages(site, work));
    let all = move |request: Request| async move {
        let (start, client) = (Instant::now(), host.admission.client(&request));
        let line = access_log::Line::new(&request, host.log_addresses.then_some(client));
        let response = respond(&host, &book, client, request).await;
        let outcome = outcome(&response);
        host.metrics.count(outcome);
        line.write(&response, outcome, start.elapsed());
        response
    };
    routes::with_headers(Router::new().fallback(all))
}

async fn respond(
    host: &Host,
    book: &TowerToHyperService<Router>,
    client: Client,
    mut request: Request,
) -> Response {
    match request.uri().path() {
        "/healthz" if host.workers.is_ending() => {
            return (StatusCode::SERVICE_UNAVAILABLE, "ending\n").into_response();
        }
        "/healthz" => return "ok\n".into_response(),
        "/metrics" => return metrics(host),
        _ => {}
    }
    let Some(path) = host.admission.path(&request).map(str::to_owned) else {
        return (StatusCode::NOT_FOUND, "there is no page at this address\n").into_response();
    };
    if let Some(refused) = host.admission.refusal(request.method(), &path, request.headers()) {
        return refused;
    }
    if path.is_empty() {
        return Redirect::permanent(&format!("{}/", host.admission.base())).into_response();
    }
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let Ok(uri) = format!("{path}{query}").parse::<Uri>() else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    *request.uri_mut() = uri;
    request.extensions_mut().insert(client);
    match book.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// How a request ended: as its handler has said, or else by the status.
fn outcome(response: &Response) -> Outcome {
    let by_status = || match response.status() {
        status if status.is_client_error() => Outcome::Refused,
        status if status.is_server_error() => Outcome::Failed,
        _ => Outcome::Page,
    };
    response.extensions().get().copied().unwrap_or_else(by_status)
}

fn metrics(host: &Host) -> Response {
    let gauges = Gauges { queue: host.workers.waiting(), cache_bytes: host.answers.bytes() };
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, host.metrics.text(gauges)).into_response()
}

async fn course() -> Response {
    answer(StatusCode::OK, &Course::new())
}

async fn exercise(Path(id): Path<String>) -> Result<Response, StatusCode> {
    Ok(answer(StatusCode::OK, &Exercise::new(routes::exercise(&id)?)))
}

/// The body of a request that has code run.
#[derive(Deserialize)]
struct Submitted {
    source: String,
    /// What the page wants to see of a run.
    #[serde(default)]
    look: Box<Look>,
}

type Refusal = Response;

/// The exercise and the body of a request.
async fn submitted(id: &str, request: Request) -> Result<(&'static Spec, Submitted), Refusal> {
    let spec = routes::exercise(id).map_err(IntoResponse::into_response)?;
    Ok((spec, parsed(request).await?))
}

/// The body of a request.
async fn parsed<T: DeserializeOwned>(request: Request) -> Result<T, Refusal> {
    let bytes = routes::body(request.into_body(), MAX_BODY_BYTES).await;
    let bytes = bytes.map_err(|status| match status {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let most = MAX_BODY_BYTES >> 10;
            problem(status, format!("This server takes requests of at most {most} KiB."))
        }
        status => status.into_response(),
    })?;
    serde_json::from_slice(&bytes).map_err(|_| StatusCode::BAD_REQUEST.into_response())
}

async fn check(
    State(host): State<Arc<Host>>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let (spec, Submitted { source, .. }) = submitted(&id, request).await?;
    let (made, outcome) =
        host.answer(client, Task::Exercise { spec, source, action: Action::Check }).await?;
    Ok(marked(json_answer(made.status, made.json.clone()), outcome))
}

async fn look(
    State(host): State<Arc<Host>>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let (spec, Submitted { source, look }) = submitted(&id, request).await?;
    let action = Action::Look(look);
    let (made, outcome) = host.answer(client, Task::Exercise { spec, source, action }).await?;
    Ok(marked(json_answer(made.status, made.json.clone()), outcome))
}

async fn listing(
    State(host): State<Arc<Host>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Refusal> {
    let task = Task::Listing(parsed(request).await?);
    let (made, outcome) = host.answer(client, task).await?;
    Ok(marked(json_answer(made.status, made.json.clone()), outcome))
}

async fn listing_text(
    State(host): State<Arc<Host>>,
    Path((folder, name)): Path<(String, String)>,
) -> Result<Response, StatusCode> {
    let text =
        routes::blocking(move || listings::text(&host.book, &format!("{folder}/{name}"))).await?;
    Ok(answer(StatusCode::OK, &Text { text: text.ok_or(StatusCode::NOT_FOUND)? }))
}

/// A text that a page shows.
#[derive(Serialize)]
struct Text {
    text: String,
}

/// The solution for a text that passes. The server keeps no passes, so it checks the text again,
/// unless it remembers the answer.
async fn solution(
    State(host): State<Arc<Host>>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Refusal> {
    let (spec, Submitted { source, .. }) = submitted(&id, request).await?;
    let (made, outcome) =
        host.answer(client, Task::Exercise { spec, source, action: Action::Check }).await?;
    let response = match course::solution(spec).filter(|_| made.passed) {
        Some(text) => answer(StatusCode::OK, &Text { text: text.to_owned() }),
        None if made.status == StatusCode::OK => {
            problem(StatusCode::FORBIDDEN, "This text doesn't pass the exercise.".into())
        }
        None => json_answer(made.status, made.json.clone()),
    };
    Ok(marked(response, outcome))
}

fn marked(mut response: Response, outcome: Outcome) -> Response {
    response.extensions_mut().insert(outcome);
    response
}

/// An answer that says when to try again, in whole seconds.
fn later(status: StatusCode, outcome: Outcome, time: Duration, why: &str) -> Response {
    let mut response = problem(status, why.to_owned());
    let seconds = time.as_secs_f64().ceil().max(1.0) as u32;
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    marked(response, outcome)
}

impl Host {
    /// The answer to a task of this client's.
    async fn answer(&self, client: Client, task: Task) -> Result<(Arc<Answer>, Outcome), Refusal> {
        let ending = || {
            let why = "The server is about to end.";
            later(StatusCode::SERVICE_UNAVAILABLE, Outcome::Ending, RETRY_TIME, why)
        };
        let key = task.key();
        let (promise, receiver) = loop {
            if self.workers.is_ending() {
                return Err(ending());
            }
            match self.answers.find(key) {
                Found::Answer(answer) => return Ok((answer, Outcome::Cached)),
                Found::Pending(receiver) => {
                    // The request that has promised the answer may be refused.
                    if let Some(answer) = answers::wait(receiver).await {
                        return Ok((answer, Outcome::Cached));
                    }
                }
                Found::Nothing(promise, receiver) => break (promise, receiver),
            }
        };
        self.rates.take(client, Instant::now()).map_err(|time| {
            let why = "Your network address has sent too many checks.";
            later(StatusCode::TOO_MANY_REQUESTS, Outcome::RateLimited, time, why)
        })?;
        if !self.workers.submit(client, task, promise) {
            let why = "The server has too much to do.";
            let (status, outcome) = (StatusCode::SERVICE_UNAVAILABLE, Outcome::QueueFull);
            return Err(later(status, outcome, RETRY_TIME, why));
        }
        match answers::wait(receiver).await {
            Some(answer) => Ok((answer, Outcome::Ran)),
            None => Err(ending()),
        }
    }
}
