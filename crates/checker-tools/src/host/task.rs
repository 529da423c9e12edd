//! One check, one view of a run or one run of a listing. It depends on nothing but the request, the
//! course and the book.

use std::path::Path;

use axum::http::StatusCode;
use checker::attempt::{self, Options};
use checker::engine::Engine;
use checker::progress::hash;
use checker::session::Session;
use checker::source;
use checker::spec::Spec;
use sha2::{Digest as _, Sha256};

use super::answers::{Answer, Key};
use crate::live::events::json;
use crate::live::listings::{Failure, Request as Listing};
use crate::live::verdict::Verdict;
use crate::live::views::Look;

/// What runs a learner's code.
#[derive(Debug)]
pub enum Task {
    /// Something about an exercise.
    Exercise {
        /// The exercise.
        spec: &'static Spec,
        /// The learner's text.
        source: String,
        /// What is wanted.
        action: Action,
    },
    /// A listing of a lesson runs.
    Listing(Listing),
}

/// What is wanted of a text.
#[derive(Debug)]
pub enum Action {
    /// A verdict.
    Check,
    /// A view of a run.
    Look(Box<Look>),
}

/// What a task works with.
pub struct Bench<'a> {
    /// A session in an empty workbook.
    pub session: &'a Session,
    /// The folder of the book's sources.
    pub book: &'a Path,
    /// What compiles and runs.
    pub engine: &'a mut Engine,
}

impl Task {
    /// What the log calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::Exercise { spec, .. } => spec.id,
            Self::Listing(listing) => &listing.listing,
        }
    }

    /// The SHA-256 of everything that the answer depends on.
    pub fn key(&self) -> Key {
        let parts = match self {
            Self::Exercise { spec, source, action } => {
                let action = match action {
                    Action::Check => "check".to_owned(),
                    Action::Look(look) => format!("{look:?}"),
                };
                [spec.id.to_owned(), action, source.clone()]
            }
            Self::Listing(listing) => {
                let Listing { listing, part, texts, profile, steps } = listing;
                let what = format!("profile: {profile}, steps: {steps:?}");
                [format!("listing {listing}"), what, format!("{part:?} {texts:?}")]
            }
        };
        let mut sum = Sha256::new();
        for part in parts {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
        sum.finalize().into()
    }

    /// Makes the answer, and says whether it would be the same another time.
    ///
    /// # Errors
    /// When the machine or the checker has failed.
    pub fn run(&self, bench: Bench<'_>) -> anyhow::Result<(Answer, bool)> {
        let Bench { session, book, engine } = bench;
        let made = match self {
            Self::Exercise { spec, source, action: Action::Check } => {
                let text = source::text(source.clone().into_bytes());
                let options = Options::default();
                let examination = attempt::check_source(spec, text, engine, &options)?;
                let version = hash(source.as_bytes());
                let verdict = Verdict::new(session, spec, version, &examination);
                let passed = verdict.passed == Some(true);
                return Ok((Answer { status: StatusCode::OK, json: json(&verdict), passed }, true));
            }
            Self::Exercise { spec, source, action: Action::Look(look) } => {
                let text = source::text(source.clone().into_bytes());
                look.json(session, spec, text, engine)
            }
            Self::Listing(listing) => match listing.json(book, engine) {
                Err(Failure::Failed(error)) => return Err(error),
                Err(Failure::Refused(why)) => Err(why),
                Ok(answer) => Ok(answer),
            },
        };
        let is_certain = made.is_ok();
        let (status, json) = match made {
            Ok(json) => (StatusCode::OK, json),
            Err(why) => (StatusCode::UNPROCESSABLE_ENTITY, problem(&why)),
        };
        Ok((Answer { status, json, passed: false }, is_certain))
    }
}

/// JSON that says why something was not done.
pub fn problem(why: &str) -> String {
    json(&serde_json::json!({ "problem": why }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal requests have equal keys, and each part of a request counts.
    #[test]
    fn everything_that_an_answer_depends_on_is_in_the_key() {
        let listing = |listing: &str, part: &str, texts: &[(&str, &str)], profile, steps: &str| {
            let texts = texts.iter().map(|(name, text)| ((*name).into(), (*text).into()));
            let (listing, part) = (listing.into(), part.into());
            let steps = serde_json::from_str(steps).expect("a thread");
            Task::Listing(Listing { listing, part, texts: texts.collect(), profile, steps }).key()
        };
        let keys = [
            listing("ch01/a", "", &[], false, "null"),
            listing("ch01/b", "", &[], false, "null"),
            listing("ch01/a", "kernel", &[], false, "null"),
            listing("ch01/a", "", &[("kernel", "x")], false, "null"),
            listing("ch01/a", "", &[("kernel", "y")], false, "null"),
            listing("ch01/a", "", &[], true, "null"),
            listing("ch01/a", "", &[], false, "{}"),
            listing("ch01/a", "", &[], false, r#"{"launch":2}"#),
            listing("ch01/a", "", &[], false, r#"{"at":[[0,0,0],[1,0,0]]}"#),
            listing("ch01/a", "", &[], false, r#"{"text":true}"#),
        ];
        assert_eq!(keys[0], listing("ch01/a", "", &[], false, "null"));
        let distinct: std::collections::HashSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
    }
}
