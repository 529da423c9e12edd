//! One check or one view of a run. It depends on nothing but the request and the course.

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
use crate::live::verdict::Verdict;
use crate::live::views::Look;

/// What runs a learner's code.
#[derive(Debug)]
pub struct Task {
    /// The exercise.
    pub spec: &'static Spec,
    /// The learner's text.
    pub source: String,
    /// What is wanted.
    pub action: Action,
}

/// What is wanted of a text.
#[derive(Debug)]
pub enum Action {
    /// A verdict.
    Check,
    /// A view of a run.
    Look(Box<Look>),
}

impl Task {
    /// The SHA-256 of everything that the answer depends on.
    pub fn key(&self) -> Key {
        let action = match &self.action {
            Action::Check => "check".to_owned(),
            Action::Look(look) => format!("{look:?}"),
        };
        let mut sum = Sha256::new();
        for part in [self.spec.id, &action, &self.source] {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
        sum.finalize().into()
    }

    /// Makes the answer, and says whether it would be the same another time.
    ///
    /// # Errors
    /// When the machine or the checker has failed.
    pub fn run(
        &self,
        session: &Session,
        engine: &mut Engine,
    ) -> Result<(Answer, bool), attempt::Error> {
        let source = source::text(self.source.clone().into_bytes());
        match &self.action {
            Action::Check => {
                let options = Options::default();
                let examination = attempt::check_source(self.spec, source, engine, &options)?;
                let version = hash(self.source.as_bytes());
                let verdict = Verdict::new(session, self.spec, version, &examination);
                let passed = verdict.passed == Some(true);
                Ok((Answer { status: StatusCode::OK, json: json(&verdict), passed }, true))
            }
            Action::Look(look) => {
                let look = look.json(session, self.spec, source, engine);
                let is_certain = look.is_ok();
                let (status, json) = match look {
                    Ok(view) => (StatusCode::OK, view),
                    Err(why) => (StatusCode::UNPROCESSABLE_ENTITY, problem(&why)),
                };
                Ok((Answer { status, json, passed: false }, is_certain))
            }
        }
    }
}

/// JSON that says why something was not done.
pub fn problem(why: &str) -> String {
    json(&serde_json::json!({ "problem": why }))
}
