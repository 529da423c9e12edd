//! Writes the report that explains a verdict to a learner. All wording is here, and nothing here
//! changes a verdict.
//!
//! Each family of verdicts has one file. The longer page of each diagnostic is
//! `diagnostic/pages/NAME.md`.

mod attempt;
mod bounds;
mod branches;
mod calls;
mod case_line;
mod compile;
mod element;
mod empty;
mod faults;
mod gates;
mod halo;
mod host;
mod index;
mod masks;
mod matrices;
mod names;
mod objects;
mod occupancy;
mod outline;
mod passed;
mod profile;
mod program;
mod races;
mod scan;
mod scene;
mod shared;
mod side_by_side;
mod signals;
mod signature;
mod slips;
mod statements;
mod trace;
mod traps;
mod types;
mod values;
mod words;

use cudart_sim::runtime::{LaunchRecord, Refusal};
use ptxsim::{Finding, FindingKind};

use crate::backend::Fault;
use crate::compile::Message;
use crate::diagnostic::Slug;
use crate::report::{Report, Span};
use crate::spec::{Case, Spec};
use crate::text::sanitise;
use crate::verdict::{Results, Verdict};

pub use attempt::{attempt, foreign};
pub use gates::{gate, value as gate_value};
pub use occupancy::occupancy;
pub use profile::{launches as launches_profile, profile};
use scan::Source;
use scene::Scene;
pub use side_by_side::{Missing, Race, RacingAccess, race};
use slips::Setting;
pub use trace::{Words, kernel_line, launch_trace, launch_words, trace, with_words};
pub use words::{count, dims};

/// What a report on a page of the live book has in place of the command. Its renderer turns
/// commands into links and buttons, so no reader sees this word.
pub const ON_PAGE: &str = "(page)";

/// Lines of a kernel's own output that a report keeps.
const PRINTED_LINES: usize = 24;
/// Characters of one such line that a report keeps.
const PRINTED_COLUMNS: usize = 200;

/// What a report needs besides the verdict.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The learner's file, relative to the workbook.
    pub file: &'a str,
    /// Its text; empty when it could not be read.
    pub source: &'a str,
    /// The device that ran it: "simulator", "GPU: NVIDIA H200".
    pub device: &'a str,
    /// Wall time of the check in milliseconds.
    pub millis: u64,
    /// What the kernel printed in the case that the verdict is about.
    pub printed: Option<&'a str>,
    /// The seed of the inputs.
    pub seed: u64,
    /// How the learner calls the checker: `checker` or `cargo checker`.
    pub command: &'a str,
}

/// What a family of verdicts writes; [`explain`] adds what all reports share.
#[derive(Debug, Default)]
struct Draft {
    title: String,
    case: Option<usize>,
    spans: Vec<Span>,
    table: Vec<Vec<String>>,
    notes: Vec<String>,
    think: Option<String>,
    /// The backend for the repeating command, if another one can find out more.
    backend: Option<&'static str>,
    /// Block and thread that are worth tracing.
    watch: Option<([u32; 3], [u32; 3])>,
}

impl Draft {
    fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    fn think(mut self, question: impl Into<String>) -> Self {
        self.think = Some(question.into());
        self
    }

    fn on_backend(mut self, backend: &'static str) -> Self {
        self.backend = Some(backend);
        self
    }

    fn watch(mut self, thread: Option<([u32; 3], [u32; 3])>) -> Self {
        self.watch = thread;
        self
    }

    fn mark(mut self, span: impl IntoIterator<Item = Span>) -> Self {
        self.spans.extend(span);
        self
    }
}

/// Writes the report of a verdict.
pub fn explain(spec: &'static Spec, verdict: &Verdict, context: &Context<'_>) -> Report {
    let source = Source::new(context.source);
    let draft = draft(spec, verdict, &source, context);
    let slug = verdict.slug();
    let case = draft.case.and_then(|index| spec.cases.get(index));
    let (watch, backend) = (draft.watch, draft.backend);
    Report {
        passed: verdict.passed(),
        program: spec.kind.has_host_code(),
        case: draft.case.map(|case| case_line::case_line(spec, case, context.seed)),
        learn: (slug != Slug::Passed)
            .then(|| format!("{} · {} explain {slug}", spec.learn, context.command)),
        trace: case
            .zip(watch)
            .filter(|_| spec.kind.has_one_launch())
            .map(|(case, thread)| trace_command(spec, case, thread, context)),
        again: case.map(|case| again(spec, case.name, backend, context)),
        ..report(draft, spec.id, slug, context)
    }
}

/// The parts that every report has, made safe to print.
fn report(draft: Draft, about: &str, slug: Slug, context: &Context<'_>) -> Report {
    let mut spans = draft.spans;
    spans.sort_by_key(|span| (span.line, span.column));
    Report {
        exercise: about.into(),
        slug,
        passed: false,
        program: false,
        title: sanitise(&draft.title),
        file: sanitise(context.file),
        case: None,
        spans: spans.into_iter().map(|s| Span { label: sanitise(&s.label), ..s }).collect(),
        table: draft.table.iter().map(|row| row.iter().map(|c| sanitise(c)).collect()).collect(),
        notes: draft.notes.iter().map(|note| sanitise(note)).collect(),
        think: draft.think.as_deref().map(sanitise),
        learn: None,
        trace: None,
        again: None,
        printed: context.printed.and_then(printed),
        device: sanitise(context.device),
        millis: context.millis,
    }
}

/// Writes the report of a program that does not compile.
pub fn not_compiled(messages: &[Message], context: &Context<'_>) -> Report {
    let draft = compile::explain(messages, &Source::new(context.source), Setting::Run);
    report(draft, context.file, Slug::CompileError, context)
}

/// Writes the report of a program that calls a function which no file and no library defines.
pub fn undefined_symbol(symbol: &str, context: &Context<'_>) -> Report {
    let draft = program::undefined(symbol, &Source::new(context.source));
    report(draft, context.file, Slug::CompileError, context)
}

/// A symbol of the linker as the source has it.
pub fn plain_symbol(symbol: &str) -> String {
    program::plain(symbol)
}

/// Writes the report of a mistake in a program's host code.
pub fn host(fault: &Fault, context: &Context<'_>) -> Option<Report> {
    let source = Source::new(context.source);
    let program = program(&source, context);
    let draft = host::fault(program, fault)?;
    let slug = Slug::of_fault(fault);
    let learn = Some(format!("{} explain {slug}", context.command));
    Some(Report { learn, ..report(draft, program.file, slug, context) })
}

/// Writes the report of what was found in a launch of a program. `others` is the number of further
/// findings.
pub fn launch(
    launched: &LaunchRecord,
    finding: &Finding,
    others: usize,
    context: &Context<'_>,
) -> Report {
    let LaunchRecord { kernel, grid, block, .. } = launched;
    let source = Source::new(context.source);
    let fault = Fault::Finding(finding.clone());
    let program = program(&source, context);
    let scene = Scene::launch(launched, &source).with_names(host::indirect(program, launched));
    let scene = scene.in_file(&finding.at.source.file);
    let draft = faults::explain(&scene, &fault, others);
    let draft = host::explain_arguments(program, launched, (&scene, finding), draft);
    let draft = match finding.what {
        FindingKind::OverBudget { .. } => draft.note(
            "`--budget MILLIONS` raises it: the number of warp instructions, in millions, that a kernel may execute",
        ),
        _ => draft,
    };
    let slug =
        Verdict::Fault { case: 0, fault: Box::new(fault), others, results: Results::default() }
            .slug();
    let (kernel, grid, block) = (sanitise(kernel), dims(*grid), dims(*block));
    Report {
        case: Some(format!("kernel `{kernel}` (grid {grid}, block {block})")),
        learn: Some(format!("{} explain {slug}", context.command)),
        ..report(draft, &kernel, slug, context)
    }
}

/// Writes the report of a launch that the simulator did not run because its kernel uses what the
/// simulator does not support. `None` where it is not known what or where.
pub fn refused_launch(
    launched: &LaunchRecord,
    refusal: &Refusal,
    context: &Context<'_>,
) -> Option<Report> {
    let LaunchRecord { kernel, grid, block, .. } = launched;
    let (feature, at) = (refusal.feature.clone()?, refusal.at.clone()?);
    let source = Source::new(context.source);
    let scene = Scene::launch(launched, &source).in_file(&at.file);
    let fault = Fault::Unsupported { feature, source: Some(at) };
    let draft = faults::explain(&scene, &fault, 0);
    let slug =
        Verdict::Fault { case: 0, fault: Box::new(fault), others: 0, results: Results::default() }
            .slug();
    let (kernel, grid, block) = (sanitise(kernel), dims(*grid), dims(*block));
    Some(Report {
        case: Some(format!("kernel `{kernel}` (grid {grid}, block {block})")),
        learn: Some(format!("{} explain {slug}", context.command)),
        ..report(draft, &kernel, slug, context)
    })
}

fn draft(
    spec: &'static Spec,
    verdict: &Verdict,
    source: &Source<'_>,
    context: &Context<'_>,
) -> Draft {
    let scene = |case: usize| Scene::new(spec, case, source, context.device == "simulator");
    // An exercise is compiled under its own name, however the learner's file is called.
    let file = format!("{}.cu", spec.id);
    let program = host::Program { source, file: &file };
    let mut about = None;
    let mut draft = match verdict {
        Verdict::Passed(passed) => passed::explain(passed, program),
        Verdict::NotStarted { output, elements, todo_line } => {
            values::not_started(spec, (output, *elements), *todo_line, source, context)
        }
        Verdict::UnreadableSource(why) => compile::unreadable(why, spec, context),
        Verdict::CompileError(messages) => compile::explain(messages, source, setting(spec)),
        Verdict::CompilerStopped(how) => compile::stopped(how),
        Verdict::WrongSignature(signature) => signature::explain(spec, signature, source),
        Verdict::Fault { case, fault, others, results } => {
            about = Some(*case);
            let mut draft = match &**fault {
                Fault::InLaunch { launch, finding } => {
                    let fault = Fault::Finding(finding.clone());
                    let names = host::indirect(program, launch);
                    let scene = Scene::launch(launch, source).with_names(names);
                    let draft = faults::explain(&scene, &fault, *others);
                    host::explain_arguments(program, launch, (&scene, finding), draft)
                }
                _ => host::fault(program, fault).unwrap_or_else(|| {
                    scene(*case)
                        .map_or_else(broken_case, |scene| faults::explain(&scene, fault, *others))
                }),
            };
            let right = *results == Results::NotWrong;
            draft.notes.retain(|note| right || note != races::MAY_BE_RIGHT);
            match (results, &**fault) {
                (Results::Unwritten(output), Fault::Finding(finding)) => {
                    let threads = scene(*case).map_or(0, |scene| scene.threads());
                    bounds::unwritten((finding, threads), output, draft)
                }
                _ => draft,
            }
        }
        Verdict::WrongValues { case, mismatch } => {
            about = Some(*case);
            let scene = scene(*case).map(|scene| scene.with_launch(mismatch.launch));
            scene.map_or_else(broken_case, |scene| values::explain(&scene, spec, mismatch))
        }
        Verdict::ComputedOnHost { case, share } => {
            about = Some(*case);
            host::share(program, share)
        }
        Verdict::GateMissed { case, gates, lines, variables, overlap } => {
            about = Some(*case);
            let explain =
                |scene| gates::explain(&scene, gates, lines, (variables, overlap.as_ref()));
            scene(*case).map_or_else(broken_case, explain)
        }
    };
    draft.case = about;
    draft
}

/// What an exercise is compiled as.
fn setting(spec: &Spec) -> Setting {
    if spec.kind.has_host_code() { Setting::Program } else { Setting::Kernel }
}

/// A program that is compiled under the name of the learner's file.
fn program<'a>(source: &'a Source<'a>, context: &Context<'a>) -> host::Program<'a> {
    let file = context.file.rsplit(['/', '\\']).next().unwrap_or(context.file);
    host::Program { source, file }
}

fn broken_case() -> Draft {
    Draft::new("this is a bug in the checker: the verdict names a case that does not exist")
}

/// The command that shows what a thread of this case does.
fn trace_command(
    spec: &'static Spec,
    case: &Case,
    (block, thread): ([u32; 3], [u32; 3]),
    context: &Context<'_>,
) -> String {
    let option = |name: &str, place: [u32; 3]| {
        let used = place.iter().rposition(|at| *at > 0)?;
        let parts: Vec<String> = place.iter().take(used + 1).map(ToString::to_string).collect();
        Some(format!(" --{name} {}", parts.join(",")))
    };
    let usual = crate::inspect::default_case(spec).is_some_and(|usual| usual.name == case.name);
    let parts = [
        option("block", block),
        option("thread", thread),
        (!usual).then(|| format!(" --case '{}'", case.name.replace('\'', r"'\''"))),
        (context.seed != crate::attempt::SEED).then(|| format!(" --seed {}", context.seed)),
    ];
    let options: Vec<String> = parts.into_iter().flatten().collect();
    format!("{} trace {}{}", context.command, spec.id, options.concat())
}

/// The command that repeats exactly this case.
fn again(spec: &Spec, case: &str, backend: Option<&str>, context: &Context<'_>) -> String {
    let case = case.replace('\'', r"'\''");
    let backend = backend.map_or_else(String::new, |backend| format!(" --backend {backend}"));
    let Context { command, seed, .. } = context;
    format!("{command} check {} --case '{case}' --seed {seed}{backend}", spec.id)
}

/// The kernel's own output, shortened to fit a screen and made safe to print.
fn printed(text: &str) -> Option<String> {
    let clean = sanitise(text);
    let clean = clean.trim_end();
    if clean.is_empty() {
        return None;
    }
    let total = clean.lines().count();
    let cut = |line: &str| -> String {
        let mut short: String = line.chars().take(PRINTED_COLUMNS).collect();
        if short.len() < line.len() {
            short.push_str(" ...");
        }
        short
    };
    let mut lines: Vec<String> = clean.lines().take(PRINTED_LINES).map(cut).collect();
    if total > PRINTED_LINES {
        lines.push(format!("... {} more lines", words::size(total - PRINTED_LINES)));
    }
    Some(lines.join("\n"))
}
