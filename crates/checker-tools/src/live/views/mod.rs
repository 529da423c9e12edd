//! What a page shows of one case: typed data that its scripts draw. Each view has limits, so that
//! an answer stays small however much a run does.

mod lines;
mod output;
mod race;
mod threads;
mod timeline;
mod values;
mod warp;

use checker::attempt::{self, Attempt, Options};
use checker::engine::Engine;
use checker::explain::{self, Words};
use checker::inspect::{self, Follow, Traced};
use checker::present;
use checker::report::html;
use checker::report::trace::Trace;
use checker::session::Session;
use checker::spec::Spec;
use checker::verdict::Unreadable;
use cudart_sim::occupancy::SIMULATED;
use cudart_sim::runtime::LaunchChoice;
use serde::{Deserialize, Serialize};

pub(super) use lines::Lines;
pub(super) use threads::{Followed, Threads, without_variables};
pub(super) use timeline::Timeline;

use super::events::json;
use super::verdict::article;

/// The largest answer in bytes.
const MAX_BYTES: usize = 512 << 10;

/// What a page wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What each line costs.
    #[default]
    Lines,
    /// What a warp does on one line.
    Warp,
    /// What a warp does, step by step.
    Threads,
    /// What one thread does, as text.
    Steps,
    /// The accesses of a race.
    Race,
    /// The outputs beside the right ones.
    Output,
    /// When each copy and kernel of a program runs.
    Timeline,
}

/// A view of one case.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Look {
    view: Kind,
    /// The case; by default the first one whose counts are graded.
    case: Option<String>,
    /// A thread.
    thread: [u32; 3],
    /// Its block.
    block: [u32; 3],
    /// The launch of a program, by its number or by its kernel's name; by default the first.
    launch: Option<String>,
    /// The line whose accesses are shown.
    line: u32,
}

/// The data of a view.
#[derive(Debug, Serialize)]
#[serde(tag = "view", rename_all = "kebab-case")]
enum View {
    Lines(Lines),
    Warp(warp::Warp),
    Threads(Box<Threads>),
    /// HTML in which each text of the learner's is escaped.
    Article {
        article: String,
    },
    Race(race::RaceView),
    Output(output::OutputView),
    Timeline(Timeline),
    /// There is nothing to draw, and why.
    Nothing {
        why: &'static str,
    },
}

impl Look {
    /// The view of a run of this source, as JSON of at most [`MAX_BYTES`].
    ///
    /// # Errors
    /// Why there is none, as a sentence.
    pub fn json(
        &self,
        session: &Session,
        spec: &'static Spec,
        source: Result<String, Unreadable>,
        engine: &mut Engine,
    ) -> Result<String, String> {
        let view = self.view(session, spec, source, engine).map_err(|error| error.to_string())?;
        capped(json(&view))
    }

    fn view(
        &self,
        session: &Session,
        spec: &'static Spec,
        source: Result<String, Unreadable>,
        engine: &mut Engine,
    ) -> Result<View, attempt::Error> {
        let options = Options { case: self.case.clone(), ..Options::default() };
        let launch = self.launch.as_deref().map(LaunchChoice::parse);
        let launch = launch.as_ref();
        let nothing_ran = |attempt: &Attempt| View::Article {
            article: article(spec, &present::report(session, spec, attempt), &attempt.source),
        };
        let follow = |warp, lines| {
            let (block, thread) = (self.block, self.thread);
            Follow { launch, block, thread, lines, warp }
        };
        let trace = |source, engine: &mut Engine, follow| {
            inspect::trace(spec, source, engine, &options, follow)
        };
        Ok(match self.view {
            Kind::Lines | Kind::Timeline | Kind::Race => {
                match inspect::profile(spec, source, engine, &options, launch, &SIMULATED)? {
                    Err(attempt) => nothing_ran(&attempt),
                    Ok(profiled) if self.view == Kind::Timeline => {
                        View::Timeline(Timeline::new(&profiled.timeline))
                    }
                    Ok(profiled) if self.view == Kind::Race => {
                        let report = present::profile(session, spec, &profiled, &options);
                        match race::RaceView::new(spec, &profiled, report.wrong) {
                            Some(race) => View::Race(race),
                            None => View::Nothing { why: "This case has no race." },
                        }
                    }
                    Ok(profiled) => {
                        let profile = present::profile(session, spec, &profiled, &options);
                        View::Lines(Lines::new(profile, &profiled.source))
                    }
                }
            }
            Kind::Output => match inspect::outputs(spec, source, engine, &options)? {
                Err(attempt) => nothing_ran(&attempt),
                Ok(outputs) => View::Output(output::OutputView::new(&outputs)),
            },
            Kind::Warp => {
                match trace(source, engine, follow(true, Some((self.line, self.line))))? {
                    Err(attempt) => nothing_ran(&attempt),
                    Ok(traced) => {
                        let [_, block] = shape(spec, &traced);
                        let draw =
                            |words: &Words<'_>| warp::Warp::new(&traced, self.line, block, words);
                        View::Warp(explain::with_words(spec, &traced, draw)?)
                    }
                }
            }
            Kind::Threads => match trace(source, engine, follow(true, None))? {
                Err(attempt) => nothing_ran(&attempt),
                Ok(traced) => {
                    let followed = Followed::of_case(&traced, shape(spec, &traced));
                    let draw = |words: &Words<'_>| Threads::new(&followed, words);
                    View::Threads(Box::new(explain::with_words(spec, &traced, draw)?))
                }
            },
            Kind::Steps => match trace(source, engine, follow(false, None))? {
                Err(attempt) => nothing_ran(&attempt),
                Ok(traced) => View::Article { article: steps(session, spec, &traced, &options) },
            },
        })
    }
}

/// Steps of a trace that a page shows as text, at most; similar iterations of a loop count once.
const MAX_STEPS: usize = 400;

/// A thread's steps as HTML.
fn steps(session: &Session, spec: &'static Spec, traced: &Traced, options: &Options) -> String {
    let file = session.workbook.relative(&session.workbook.exercise(spec));
    let context = present::context(session, &file, &traced.source, traced.millis, options);
    steps_article(explain::trace(spec, traced, &context))
}

/// The steps as HTML. A page chooses another launch itself, and not by an option of a command.
pub(super) fn steps_article(trace: Trace) -> String {
    html::trace(&Trace { other_launches: None, ..trace }, MAX_STEPS)
}

/// The grid and the block of the launch that was traced.
fn shape(spec: &Spec, traced: &Traced) -> [[u32; 3]; 2] {
    let case = || spec.cases.get(traced.case).map(|case| [case.grid, case.block]);
    let launch = traced.launch.as_ref().map(|launch| [launch.record.grid, launch.record.block]);
    launch.or_else(case).unwrap_or([[1; 3]; 2])
}

/// An answer within the limit.
pub(super) fn capped(json: String) -> Result<String, String> {
    match json.len() {
        0..=MAX_BYTES => Ok(json),
        bytes => Err(format!(
            "This view has {} KiB, and a page shows at most {} KiB. Choose a smaller case.",
            bytes >> 10,
            MAX_BYTES >> 10
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_too_large_is_refused() {
        assert!(capped("x".repeat(MAX_BYTES)).is_ok());
        let why = capped("x".repeat(MAX_BYTES + 1024)).expect_err("too large");
        assert!(why.contains("513 KiB"), "{why}");
    }

    #[test]
    fn a_page_names_its_view() {
        let look: Look = serde_json::from_str(
            r#"{"view":"warp","case":"one","block":[1,0,0],"thread":[2,0,0],"line":7}"#,
        )
        .expect("a look");
        assert_eq!((look.view, look.line, look.block), (Kind::Warp, 7, [1, 0, 0]));
        assert!(serde_json::from_str::<Look>(r#"{"view":"nonsense"}"#).is_err());
    }
}
