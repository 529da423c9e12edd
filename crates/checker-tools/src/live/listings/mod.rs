//! Listings that run. A page sends the name of a listing and the texts of the parts that the reader
//! has changed, and gets what the program prints, what the simulator finds, and what its lines
//! cost. Nothing is kept on the server: the same request has the same answer.

pub mod mark;
pub mod runs;
mod source;
mod steps;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use checker::backend::Simulation;
use checker::compile::{Program, ProgramOptions, Project, Target};
use checker::engine::Engine;
use checker::explain;
use checker::report::html::{self, Page};
use checker::report::launches;
use checker::report::{self, Span};
use checker::standalone::{self, Built, Files, Remark};
use checker::worker::{End, WholeRun};
use cudart_sim::report::Report;
use cudart_sim::runtime::{TracedLaunch, total_of};
use serde::{Deserialize, Serialize};

use super::events::json;
use super::views::{Lines, Timeline, capped};
use source::{Changed, Listing};
use steps::{Chosen, Steps};

/// How long a listing may run.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// Warp instructions after which the simulator stops a kernel of a listing, so that it can say what
/// never ends within the time limit.
const BUDGET: u64 = 50_000_000;
/// Memory of the simulated device in bytes, as with `checker run`. It is allocated only as a
/// program uses it.
const DEVICE_MEMORY: u64 = 16 << 30;
/// Rows of the table of launches that a page shows at most.
const MAX_LAUNCHES: usize = 40;
/// What the simulator looks for in a program whose right output it doesn't know.
const NO_MISTAKE: &str = "no mistake such as an access out of bounds or a race";
/// Reports that a page shows at most.
const MAX_REPORTS: usize = 5;

/// What a page wants to run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Request {
    /// `ch01/mirror`: the listing's file below `book/examples`, without `.cu`.
    pub listing: String,
    /// The part that the page shows; empty for the whole file.
    #[serde(default)]
    pub part: String,
    /// The parts that the reader has changed, by their names.
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    /// Whether the page wants the costs of each line, too.
    #[serde(default)]
    pub profile: bool,
    /// The thread whose steps the page wants, too.
    #[serde(default)]
    pub steps: Option<Chosen>,
}

/// What a page shows below a listing.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// What came of it, as a sentence.
    summary: String,
    /// Whether the program ended well and nothing was found.
    right: bool,
    /// The number of the program's line that the shown part begins with.
    first_line: usize,
    /// What the program printed; `None` if it did not run.
    printed: Option<String>,
    /// Bytes that it printed and that are left out.
    printed_dropped: u64,
    /// Reports, in the order in which they should be read.
    reports: Vec<Shown>,
    /// Further facts, a line each.
    notes: Vec<String>,
    /// What each line costs, if the page wants that and a kernel ran.
    lines: Option<Lines>,
    /// When the copies and kernels ran, if the page wants that.
    timeline: Option<Timeline>,
    /// The launches, if the page wants them.
    launches: Option<Launches>,
    /// What the threads of a warp do, if the page wants that and a kernel ran.
    steps: Option<Steps>,
}

/// The launches of a program, added up by kernel and shape.
#[derive(Debug, Serialize)]
struct Launches {
    /// First the header.
    rows: Vec<Vec<String>>,
    /// What the columns mean.
    legend: String,
    /// Rows at the end that are left out.
    skipped: usize,
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The request can't be answered, for this reason, which is a sentence.
    #[error("{0}")]
    Refused(String),
    /// The compiler or the machine failed.
    #[error("{0:#}")]
    Failed(anyhow::Error),
}

/// A report as a page shows it.
#[derive(Debug, Serialize)]
struct Shown {
    /// The name of the diagnostic.
    slug: &'static str,
    /// HTML, in which each text of the learner's is escaped.
    article: String,
    /// The marked places in the shown part, whose lines begin with 1.
    spans: Vec<Span>,
    /// Whether all marked places are in the shown part.
    inside: bool,
}

impl Request {
    /// Runs the listing of the book in this folder. The answer is JSON of bounded size.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn json(&self, book: &Path, engine: &mut Engine) -> Result<String, Failure> {
        capped(json(&self.answer(book, engine)?)).map_err(Failure::Refused)
    }

    fn answer(&self, book: &Path, engine: &mut Engine) -> Result<Answer, Failure> {
        let missing = || Failure::Refused("The book has no such listing.".to_owned());
        let listing = Listing::read(book, &self.listing).ok_or_else(missing)?;
        let program = listing.with(&self.part, &self.texts).map_err(Failure::Refused)?;
        run(&program, self, engine)
    }
}

/// The whole text of a listing of the book in this folder; `None` if there is no such listing.
pub fn text(book: &Path, listing: &str) -> Option<String> {
    Listing::read(book, listing)?.part("")
}

/// Compiles and runs a program in the sandbox.
fn run(program: &Changed, request: &Request, engine: &mut Engine) -> Result<Answer, Failure> {
    let files = Files::alone(&program.file, program.text.clone());
    let shown = &program.shown;
    let built = standalone::build(&files, &options(), engine).map_err(Failure::Failed)?;
    let compiled = match built {
        Built::Program(compiled) => compiled,
        Built::Rejected(why) => {
            let mut answer = Answer::new(shown, "The program doesn't compile.");
            answer.add(why, shown);
            return Ok(answer);
        }
    };
    let warnings = standalone::warnings(&files, &compiled.warnings);
    if let Some(missing) = standalone::unsupported(&files, &compiled) {
        let mut answer = Answer::new(shown, "The simulator can't run this program.");
        answer.notes = [vec![missing], warnings].concat();
        return Ok(answer);
    }
    let mut answer = Answer::new(shown, "");
    answer.notes = warnings;
    let report = execute(&mut answer, &compiled, (&files, shown), request.profile, engine)
        .map_err(Failure::Failed)?;
    match (&request.steps, report) {
        (Some(_), Some(report)) if report.launches.is_empty() => {
            answer.notes.push("No kernel ran, so there are no steps.".to_owned());
        }
        (Some(wanted), Some(report)) => {
            answer.steps = Some(Steps::new(wanted, &files, &report, engine)?);
        }
        _ => {}
    }
    Ok(answer)
}

/// How a listing is compiled.
fn options() -> ProgramOptions {
    ProgramOptions::program(Target::Simulator, Project::in_folder("/nowhere"))
}

/// How the simulator runs a listing.
fn simulation(program: &Program, traced: Option<TracedLaunch>) -> Simulation {
    Simulation {
        seed: 0,
        memory: DEVICE_MEMORY,
        budget: BUDGET,
        traced,
        resources: program.resources.clone().unwrap_or_default(),
    }
}

/// Runs a compiled program, and adds what it does to the answer. Returns what the simulator has
/// recorded.
fn execute(
    answer: &mut Answer,
    compiled: &Program,
    (files, shown): (&Files, &Range<usize>),
    profile: bool,
    engine: &mut Engine,
) -> anyhow::Result<Option<Report>> {
    let simulation = simulation(compiled, None);
    let start = Instant::now();
    let ran = engine.run_whole(&compiled.object, &[], &simulation, TIME_LIMIT)?;
    let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let WholeRun { end, report, printed, printed_dropped } = ran;
    if let End::NotStarted(why) = &end {
        answer.summary = "The program doesn't compile.".to_owned();
        answer.add(standalone::unloadable(why, files)?, shown);
        return Ok(None);
    }
    let unusual = standalone::unusual_end(&end);
    let (remarks, found) = standalone::findings(files, report.as_ref(), unusual.as_deref(), millis);
    answer.summary = summary(&end, found, &printed, printed_dropped);
    answer.right = end == End::Exited(0) && !found && unusual.is_none();
    answer.printed = Some(printed);
    answer.printed_dropped = printed_dropped;
    for remark in remarks {
        answer.add(remark, shown);
    }
    let Some(report) = report else { return Ok(None) };
    if !profile {
        return Ok(Some(report));
    }
    if !report.timeline.is_empty() {
        answer.timeline = Some(Timeline::new(&report.timeline));
    }
    if !report.launches.is_empty() {
        answer.launches = Some(Launches::new(&report));
        let observed = total_of(&report.launches);
        let costs = standalone::by_file(files, &observed).into_iter().next();
        answer.lines = costs.map(|(file, observed)| {
            let context = standalone::context(&file.name, &file.text, millis);
            let described = explain::launches_profile(&observed, &context);
            Lines::new(described, &file.text)
        });
    }
    Ok(Some(report))
}

impl Launches {
    fn new(report: &Report) -> Self {
        let groups = launches::groups(&report.launches, &report.timeline, None);
        let mut rows = launches::rows(&groups);
        let skipped = rows.len().saturating_sub(1 + MAX_LAUNCHES);
        rows.truncate(1 + MAX_LAUNCHES);
        Self { rows, legend: launches::legend(&groups), skipped }
    }
}

/// What came of a run, in one or two sentences. `is_wrong` says whether anything was found.
fn summary(end: &End, is_wrong: bool, printed: &str, dropped: u64) -> String {
    let lines = match printed.lines().count() {
        _ if dropped > 0 => "printed more than a page shows".to_owned(),
        0 => "printed nothing".to_owned(),
        1 => "printed one line".to_owned(),
        n => format!("printed {} lines", explain::count(n as u64)),
    };
    match end {
        End::Exited(0) if is_wrong => format!("The program {lines}, and something is wrong."),
        End::Exited(0) if printed.is_empty() => {
            format!("The program {lines}, and the simulator found {NO_MISTAKE}.")
        }
        End::Exited(0) => format!(
            "The program {lines}, and the simulator found {NO_MISTAKE}. Whether the output is right, \
             only you can see."
        ),
        End::Exited(code) => format!("The program {lines} and ended with exit code {code}."),
        other => {
            let how = standalone::unusual_end(other).unwrap_or_default();
            format!("The program {lines}, and it {how}.")
        }
    }
}

impl Answer {
    fn new(shown: &Range<usize>, summary: &str) -> Self {
        Self {
            summary: summary.to_owned(),
            right: false,
            first_line: shown.start + 1,
            printed: None,
            printed_dropped: 0,
            reports: vec![],
            notes: vec![],
            lines: None,
            timeline: None,
            launches: None,
            steps: None,
        }
    }

    fn add(&mut self, remark: Remark, shown: &Range<usize>) {
        match remark {
            Remark::Line(line) => self.notes.push(line),
            Remark::Report(..) if self.reports.len() == MAX_REPORTS => {
                let more = "More mistakes were found, which are not shown.";
                if self.notes.last().is_none_or(|last| last != more) {
                    self.notes.push(more.to_owned());
                }
            }
            Remark::Report(report, file) => {
                self.reports.push(Shown::new(*report, &file.text, shown));
            }
        }
    }
}

impl Shown {
    fn new(report: report::Report, source: &str, shown: &Range<usize>) -> Self {
        let line = |span: &Span| (span.line as usize).checked_sub(1 + shown.start);
        let spans: Vec<Span> = report
            .spans
            .iter()
            .filter_map(|span| {
                let line = line(span).filter(|line| *line < shown.len())?;
                Some(Span { line: u32::try_from(line).ok()? + 1, ..span.clone() })
            })
            .collect();
        Self {
            slug: report.slug.as_str(),
            inside: !spans.is_empty() && spans.len() == report.spans.len(),
            spans,
            article: html::on_page(&report, source, &Page::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use checker::standalone::SourceFile;

    #[test]
    fn a_page_names_a_listing_and_what_has_changed() {
        let request: Request =
            serde_json::from_str(r#"{"listing":"ch01/hello"}"#).expect("a request");
        assert_eq!((request.part.as_str(), request.texts.len(), request.profile), ("", 0, false));
        let request: Request = serde_json::from_str(
            r#"{"listing":"ch01/mirror","part":"kernel","texts":{"launch":"x"},"profile":true}"#,
        )
        .expect("a request");
        assert_eq!((request.texts["launch"].as_str(), request.profile), ("x", true));
        assert!(serde_json::from_str::<Request>(r#"{"part":"kernel"}"#).is_err());
    }

    #[test]
    fn a_run_is_one_sentence() {
        let said = |end: End, wrong, printed: &str, dropped| summary(&end, wrong, printed, dropped);
        assert_eq!(
            said(End::Exited(0), false, "a\nb\n", 0),
            "The program printed 2 lines, and the simulator found no mistake such as an access out of \
             bounds or a race. Whether the output is right, only you can see."
        );
        assert_eq!(
            said(End::Exited(0), true, "", 0),
            "The program printed nothing, and something is wrong."
        );
        assert_eq!(
            said(End::Exited(3), false, "a", 0),
            "The program printed one line and ended with exit code 3."
        );
        assert_eq!(
            said(End::TimedOut(TIME_LIMIT), false, "a\na", 7),
            "The program printed more than a page shows, and it did not end within 10 seconds, so it was ended."
        );
    }

    /// Marks are numbered as the page's lines, and a program with many mistakes makes no endless
    /// page.
    #[test]
    fn reports_are_about_the_lines_that_a_page_shows() {
        let report = |lines: &[u32]| {
            let spans = lines.iter().map(|line| Span { line: *line, column: 1, ..Span::default() });
            let file = SourceFile { name: "k.cu".into(), text: "x\n".repeat(9) };
            let symbol = explain::undefined_symbol("f", &standalone::context("k.cu", "", 0));
            Remark::Report(Box::new(report::Report { spans: spans.collect(), ..symbol }), file)
        };
        let shown = 2..5;
        let mut answer = Answer::new(&shown, "");
        assert_eq!(answer.first_line, 3);
        for lines in [&[3, 5][..], &[2, 4], &[6], &[]] {
            answer.add(report(lines), &shown);
        }
        let marks = |shown: &Shown| shown.spans.iter().map(|span| span.line).collect::<Vec<_>>();
        let found: Vec<_> = answer.reports.iter().map(|one| (marks(one), one.inside)).collect();
        assert_eq!(found, [(vec![1, 3], true), (vec![2], false), (vec![], false), (vec![], false)]);
        for _ in 0..20 {
            answer.add(report(&[3]), &shown);
        }
        assert_eq!((answer.reports.len(), answer.notes.len()), (MAX_REPORTS, 1));
    }
}
