//! A check's result as a page shows it.

use checker::attempt::{Examination, TrialResult};
use checker::diagnostic::Slug;
use checker::explain::{count, gate_value};
use checker::report::html::{Page, Section};
use checker::report::{Report, Span, html};
use checker::session::Session;
use checker::spec::{Case, Op, Spec};
use checker::verdict::Measured;
use checker::{course, present};
use serde::Serialize;

use crate::book::exercise::metric;

/// The result of a check.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// The version of the file that was checked.
    pub version: String,
    /// Whether the exercise is passed; `None` if the check could not be made.
    pub passed: Option<bool>,
    /// The name of the diagnostic; empty if the check could not be made.
    pub slug: &'static str,
    /// One line: what is wrong, or what passed.
    pub title: String,
    /// The report as HTML.
    pub article: String,
    /// The command that shows what the thread in question does.
    pub trace: Option<String>,
    /// The marked places in the source.
    pub spans: Vec<Span>,
    /// One row for each case.
    pub cases: Vec<CaseRow>,
    /// One row for each gate that was measured.
    pub gates: Vec<GateRow>,
}

/// What became of a case.
#[derive(Debug, Clone, Serialize)]
pub struct CaseRow {
    name: &'static str,
    sizes: String,
    /// `None` if it did not run.
    passed: Option<bool>,
    millis: u64,
}

/// A gate and what was measured.
#[derive(Debug, Clone, Serialize)]
pub struct GateRow {
    case: &'static str,
    metric: &'static str,
    /// "at most 32"
    required: String,
    /// "32.0": the count of the original, if its results are right.
    start: Option<String>,
    /// "1.5", or `None` if it was not measured.
    measured: Option<String>,
    holds: bool,
    /// The measured number and the target for bars.
    value: Option<f64>,
    target: f64,
}

impl Verdict {
    /// The verdict of an examination of this version of the file.
    pub fn new(
        session: &Session,
        spec: &'static Spec,
        version: String,
        examination: &Examination,
    ) -> Self {
        let attempt = &examination.attempt;
        let mut report = present::report(session, spec, attempt);
        let gates = gates(spec, &examination.results);
        // The page shows the gates as a table of its own.
        if !gates.is_empty() && matches!(report.slug, Slug::Passed | Slug::GateMissed) {
            report.table.clear();
        }
        Self {
            version,
            passed: Some(attempt.passed()),
            slug: report.slug.as_str(),
            article: article(spec, &report, &attempt.source),
            title: report.title,
            trace: report.trace,
            spans: report.spans,
            cases: rows(spec, &examination.results)
                .map(|(case, result)| row(case, result))
                .collect(),
            gates,
        }
    }

    /// What is shown when the check could not be made.
    pub fn failure(version: String, why: &str) -> Self {
        let title = format!("The check couldn't be made: {why}");
        let article = format!(
            "<article class=\"wb-report wb-unsupported\"><p class=\"wb-title\">{}</p></article>",
            html::escape(&title)
        );
        let (spans, cases, gates) = (vec![], vec![], vec![]);
        Self { version, passed: None, slug: "", title, trace: None, article, spans, cases, gates }
    }
}

/// A report on the page of its exercise, which is in a folder of the book.
pub fn article(spec: &'static Spec, report: &Report, source: &str) -> String {
    let section = course::section(spec);
    let page = Page {
        section: section.map(|address| Section {
            name: spec.learn.to_owned(),
            address: format!("../{address}"),
        }),
        explained: Some(format!("../diagnostics/{}.html", report.slug)),
        hints: true,
        threads: true,
    };
    html::on_page(report, source, &page)
}

fn rows<'a>(
    spec: &'static Spec,
    results: &'a [TrialResult],
) -> impl Iterator<Item = (&'static Case, &'a TrialResult)> {
    results.iter().filter_map(|result| Some((spec.cases.get(result.trial.case)?, result)))
}

fn row(case: &'static Case, result: &TrialResult) -> CaseRow {
    let defines = case.defines.iter().map(|(name, value)| format!("{name} = {value}"));
    let sizes = case.sizes.iter().map(|(name, size)| format!("{name} = {}", count(*size as u64)));
    CaseRow {
        name: case.name,
        sizes: defines.chain(sizes).collect::<Vec<_>>().join(", "),
        passed: result.ran.then(|| result.passed()),
        millis: result.millis,
    }
}

/// The gates of the first case that misses one, or else of the first gated case.
fn gates(spec: &'static Spec, results: &[TrialResult]) -> Vec<GateRow> {
    let gated = || rows(spec, results).filter(|(_, result)| !result.gates.is_empty());
    let missed = gated().find(|(_, result)| result.gates.iter().any(|gate| !gate.holds));
    let Some((case, result)) = missed.or_else(|| gated().next()) else { return vec![] };
    result.gates.iter().map(|measured| gate(case.name, measured)).collect()
}

fn gate(case: &'static str, measured: &Measured) -> GateRow {
    let gate = &measured.gate;
    let op = match gate.op {
        Op::AtMost => "at most",
        Op::AtLeast => "at least",
        Op::Exactly => "exactly",
    };
    GateRow {
        case,
        metric: metric(gate.metric),
        required: format!("{op} {}", gate_value(gate.metric, Some(gate.target))),
        start: gate.baseline.map(|start| gate_value(gate.metric, Some(start))),
        measured: measured.value.map(|value| gate_value(gate.metric, Some(value))),
        holds: measured.holds,
        value: measured.value,
        target: gate.target,
    }
}
