//! What the scripts of pages request while the learner works with the files of a workbook.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use checker::spec::Spec;
use serde::{Deserialize, Serialize};

use super::bench::Bench;
use super::events::Event;
use super::files::Refusal;
use super::listings::Request as Listing;
use super::listings::runs::Runs;
use super::routes::{self, answer, blocking, json_answer, problem};
use super::views::Look;
use super::{Live, guard};

/// The largest body of a request in bytes: the largest source, where each byte may be escaped.
const MAX_BODY_BYTES: usize = 7 << 20;

/// All routes of the server.
pub fn router(Live { site, guard, listings, bench }: Live) -> Router {
    let mut work = Router::new()
        .route("/live/listings", post(listing))
        .route("/live/listings/{folder}/{name}", get(listing_text))
        .with_state(listings);
    if let Some(bench) = bench {
        let exercises = Router::new()
            .route("/live/course", get(course))
            .route("/live/exercises/{id}", get(exercise).put(save))
            .route("/live/exercises/{id}/check", post(check))
            .route("/live/exercises/{id}/copy", post(copy))
            .route("/live/exercises/{id}/copies", get(copies))
            .route("/live/exercises/{id}/copies/{number}", get(copy_text))
            .route("/live/exercises/{id}/look", post(look))
            .route("/live/exercises/{id}/hint", post(hint))
            .route("/live/exercises/{id}/reset", post(reset))
            .route("/live/exercises/{id}/solution", get(solution))
            .route("/live/exercises/{id}/events", get(events))
            .with_state(bench);
        work = work.merge(exercises);
    }
    let pages = routes::with_pages(site, work);
    routes::with_headers(pages.layer(middleware::from_fn_with_state(guard, guard::admit)))
}

/// The exercise of a request, and the body's bytes.
async fn called(
    id: &str,
    request: Request,
) -> Result<(&'static Spec, axum::body::Bytes), StatusCode> {
    let spec = routes::exercise(id)?;
    Ok((spec, routes::body(request.into_body(), MAX_BODY_BYTES).await?))
}

type Answer = Result<Response, StatusCode>;

async fn course(State(bench): State<Arc<Bench>>) -> Answer {
    let course = blocking(move || bench.course()).await?;
    Ok(answer(StatusCode::OK, &course))
}

async fn exercise(State(bench): State<Arc<Bench>>, Path(id): Path<String>) -> Answer {
    let spec = routes::exercise(&id)?;
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

async fn save(State(bench): State<Arc<Bench>>, Path(id): Path<String>, request: Request) -> Answer {
    let (spec, bytes) = called(&id, request).await?;
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

async fn copy(State(bench): State<Arc<Bench>>, Path(id): Path<String>, request: Request) -> Answer {
    let (spec, bytes) = called(&id, request).await?;
    let copy: Copy = serde_json::from_slice(&bytes).map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(match blocking(move || bench.keep_copy(spec, copy.text.as_bytes())).await? {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => problem(StatusCode::FORBIDDEN, format!("No copy was made: {error}.")),
    })
}

async fn copies(State(bench): State<Arc<Bench>>, Path(id): Path<String>) -> Answer {
    let spec = routes::exercise(&id)?;
    Ok(answer(StatusCode::OK, &blocking(move || bench.copies(spec)).await?))
}

async fn copy_text(
    State(bench): State<Arc<Bench>>,
    Path((id, number)): Path<(String, u32)>,
) -> Answer {
    let spec = routes::exercise(&id)?;
    let text = blocking(move || bench.copy(spec, number)).await?;
    Ok(answer(StatusCode::OK, &Text { text: text.ok_or(StatusCode::NOT_FOUND)? }))
}

async fn check(State(bench): State<Arc<Bench>>, Path(id): Path<String>) -> Answer {
    let spec = routes::exercise(&id)?;
    bench.check(spec);
    Ok(StatusCode::ACCEPTED.into_response())
}

async fn look(State(bench): State<Arc<Bench>>, Path(id): Path<String>, request: Request) -> Answer {
    let (spec, bytes) = called(&id, request).await?;
    let look: Look = serde_json::from_slice(&bytes).map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(match bench.look(spec, look).await {
        Ok(Ok(view)) => json_answer(StatusCode::OK, view),
        Ok(Err(why)) => problem(StatusCode::UNPROCESSABLE_ENTITY, why),
        Err(_) => problem(StatusCode::CONFLICT, "Another page looks at this exercise.".into()),
    })
}

async fn listing(State(listings): State<Arc<Runs>>, request: Request) -> Answer {
    let bytes = routes::body(request.into_body(), MAX_BODY_BYTES).await?;
    let listing: Listing = serde_json::from_slice(&bytes).map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(match listings.ask(listing).await {
        Ok(Ok(answer)) => json_answer(StatusCode::OK, answer),
        Ok(Err(why)) => problem(StatusCode::UNPROCESSABLE_ENTITY, why),
        Err(_) => problem(StatusCode::CONFLICT, "The listing has been run again.".into()),
    })
}

async fn listing_text(
    State(listings): State<Arc<Runs>>,
    Path((folder, name)): Path<(String, String)>,
) -> Answer {
    let text = blocking(move || listings.text(&format!("{folder}/{name}"))).await?;
    Ok(answer(StatusCode::OK, &Text { text: text.ok_or(StatusCode::NOT_FOUND)? }))
}

async fn hint(State(bench): State<Arc<Bench>>, Path(id): Path<String>) -> Answer {
    let spec = routes::exercise(&id)?;
    let hints = blocking(move || bench.next_hint(spec)).await?;
    Ok(answer(StatusCode::OK, &hints))
}

async fn reset(State(bench): State<Arc<Bench>>, Path(id): Path<String>) -> Answer {
    let spec = routes::exercise(&id)?;
    Ok(match blocking(move || bench.reset(spec)).await? {
        Ok(exercise) => answer(StatusCode::OK, &exercise),
        Err(error) => problem(StatusCode::CONFLICT, format!("{error:#}")),
    })
}

/// A text that a page shows.
#[derive(Serialize)]
struct Text {
    text: String,
}

async fn solution(State(bench): State<Arc<Bench>>, Path(id): Path<String>) -> Answer {
    let spec = routes::exercise(&id)?;
    Ok(match blocking(move || bench.solution(spec)).await? {
        Some(text) => answer(StatusCode::OK, &Text { text: text.to_owned() }),
        None => problem(StatusCode::FORBIDDEN, "You have not passed this exercise yet.".into()),
    })
}

/// What happens to an exercise while its page is open, and first, how it is now.
async fn events(State(bench): State<Arc<Bench>>, Path(id): Path<String>) -> Answer {
    let spec = routes::exercise(&id)?;
    // The page must not miss what happens between both.
    let subscription = bench.events.subscribe(spec.id);
    let exercise = blocking(move || bench.open(spec)).await?;
    let first = Event::new(Some(spec.id), "exercise", &exercise);
    Ok(subscription.stream(first).into_response())
}
