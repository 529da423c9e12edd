//! One file of one student: every case with the public inputs, then with secret ones, then the
//! gates.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use grading::record::{self, Item, Kind, Outcome, Show};
use grading::seed::{Secret, sha256};
use grading::text;

use checker::attempt::{self, Attempt, Examination, Trial, TrialResult, in_public_order};
use checker::backend::Fault;
use checker::compile::UNREADABLE_BY_ASSEMBLER;
use checker::engine::Engine;
use checker::explain;
use checker::source;
use checker::spec::{Case, Spec};
use checker::verdict::{Passed, Results, Verdict};

/// How a class's files are run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Seed of the public inputs: those that the learners saw.
    pub seed: u64,
    /// Where the secret inputs come from; without it there are none.
    pub secret: Option<Secret>,
    /// Secret runs of each case.
    pub rounds: u32,
    /// Wall time for all runs of one file with public inputs, and again with secret ones.
    pub limit: Duration,
}

/// The result of a file, before points.
#[derive(Debug, Clone, PartialEq)]
pub struct Graded {
    /// Public cases, secret cases, gates; without points.
    pub items: Vec<Item>,
    /// Whether every item passed.
    pub passed: bool,
    /// The verdict in words.
    pub report: record::Report,
    /// Whether the report is about secret inputs.
    pub report_hidden: bool,
    /// Why the sandbox stopped the code, where it tried something forbidden.
    pub contained: Option<String>,
    /// Whether only secret runs were stopped.
    pub contained_hidden: bool,
    /// Wall time of the public runs in milliseconds: that of secret ones may depend on their
    /// inputs.
    pub millis: u64,
}

/// A file of a student.
#[derive(Debug, Clone, Copy)]
pub struct StudentFile<'a> {
    /// Where the kept copy is, for commands that run it again.
    pub path: &'a str,
    /// Its contents.
    pub bytes: &'a [u8],
}

/// Why a file could not be graded: the machine's or the checker's problem.
pub type Problem = attempt::Error;

/// Results of the files of a class, because half of them may be as they were handed out, or equal
/// to another student's. Equal files have equal secret inputs, too ([`Secret::seed`]), so a grade
/// doesn't depend on which student came first.
#[derive(Debug, Default)]
pub struct Runs(Mutex<HashMap<FileRuns, Slot>>);

/// The runs of one file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FileRuns {
    exercise: &'static str,
    /// SHA-256 of the file.
    file: String,
    /// With which inputs.
    hidden: bool,
}

/// Locked while the runs are made, so that they are made once.
type Slot = Arc<Mutex<Option<Arc<Examination>>>>;

impl Runs {
    /// The results of all cases of a file with public inputs.
    ///
    /// # Errors
    /// When it could not be run.
    pub(super) fn public(
        &self,
        spec: &'static Spec,
        bytes: &[u8],
        plan: &Plan,
        engine: &mut Engine,
    ) -> Result<Arc<Examination>, Problem> {
        let trials: Vec<Trial> = (0..spec.cases.len())
            .map(|case| Trial { case, seed: plan.seed, hidden: false })
            .collect();
        self.examine(spec, bytes, &trials, plan, engine)
    }

    /// The results of `trials`, which are the same for equal files.
    fn examine(
        &self,
        spec: &'static Spec,
        bytes: &[u8],
        trials: &[Trial],
        plan: &Plan,
        engine: &mut Engine,
    ) -> Result<Arc<Examination>, Problem> {
        let hidden = trials.iter().any(|trial| trial.hidden);
        let key = FileRuns { exercise: spec.id, file: sha256(bytes), hidden };
        let slot = Arc::clone(
            self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default(),
        );
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(examination) = &*slot {
            return Ok(Arc::clone(examination));
        }
        let examination = Arc::new(run(spec, bytes, trials, engine, plan.limit)?);
        *slot = Some(Arc::clone(&examination));
        Ok(examination)
    }
}

fn run(
    spec: &'static Spec,
    bytes: &[u8],
    trials: &[Trial],
    engine: &mut Engine,
    limit: Duration,
) -> Result<Examination, Problem> {
    attempt::examine(spec, source::text(bytes.to_vec()), trials, engine, limit)
}

/// Grades one file of a student.
///
/// # Errors
/// When it could not be run; whatever is wrong with the file is in the grade.
pub fn grade_file(
    spec: &'static Spec,
    file: StudentFile<'_>,
    plan: &Plan,
    runs: &Runs,
    engine: &mut Engine,
) -> Result<Graded, Problem> {
    let StudentFile { path, bytes } = file;
    let skeleton = checker::course::skeleton(spec).unwrap_or_default();
    let start = runs.public(spec, skeleton.as_bytes(), plan, engine)?;
    let public = runs.public(spec, bytes, plan, engine)?;
    let passes = |case: usize| public.results.iter().any(|t| t.trial.case == case && t.passed());
    let secret: Vec<Trial> = trials(spec, bytes, plan);
    // a case that fails with public inputs is not run with secret ones
    let worth: Vec<Trial> = secret.iter().filter(|trial| passes(trial.case)).copied().collect();
    let hidden = match worth.is_empty() {
        true => None,
        false => Some(runs.examine(spec, bytes, &worth, plan, engine)?),
    };
    let ran = hidden.as_ref().map_or(&[][..], |hidden| &hidden.results);
    let secret: Vec<TrialResult> = secret
        .iter()
        .map(|trial| {
            ran.iter()
                .find(|t| t.trial == *trial)
                .cloned()
                .unwrap_or_else(|| TrialResult::skipped(*trial))
        })
        .collect();
    Ok(described(spec, path, &start, (&public, &secret)))
}

/// The grade of a file that the checker could not run, although it can run the exercise's solution:
/// so the file is the cause, and the grade says what happened. `None` when the solution cannot be
/// run either, because the machine is the cause.
pub fn grade_unrunnable(
    spec: &'static Spec,
    file: StudentFile<'_>,
    why: &Problem,
    (plan, runs): (&Plan, &Runs),
    engine: &mut Engine,
) -> Option<Graded> {
    let mut examine = |source: Option<&str>| {
        runs.public(spec, source.unwrap_or_default().as_bytes(), plan, engine).ok()
    };
    let solution = examine(checker::course::solution(spec))?;
    let start = examine(checker::course::skeleton(spec))?;
    if !solution.attempt.verdict.passed() {
        return None;
    }
    let how = format!("the checker failed on this file each time, and not on the solution: {why}");
    let verdict = Verdict::Fault {
        case: 0,
        fault: Box::new(Fault::WorkerDied { how }),
        others: 0,
        results: Results::default(),
    };
    let skipped = |results: &[TrialResult]| -> Vec<TrialResult> {
        results.iter().map(|result| TrialResult::skipped(result.trial)).collect()
    };
    let attempt = Attempt {
        verdict,
        source: String::from_utf8_lossy(file.bytes).into_owned(),
        hash: sha256(file.bytes),
        warnings: vec![],
        ..start.attempt.clone()
    };
    let public = Examination { attempt, results: skipped(&start.results) };
    let secret: Vec<TrialResult> =
        trials(spec, file.bytes, plan).into_iter().map(TrialResult::skipped).collect();
    Some(described(spec, file.path, &start, (&public, &secret)))
}

/// The grade of a file from its runs, and from those of the file that was handed out.
fn described(
    spec: &'static Spec,
    path: &str,
    start: &Examination,
    (public, secret): (&Examination, &[TrialResult]),
) -> Graded {
    let writer = ItemWriter { spec, path, attempt: &public.attempt };
    let mut items: Vec<Item> = vec![];
    let passes = |case: usize| public.results.iter().any(|t| t.trial.case == case && t.passed());
    let at_start = |case: usize| start.results.iter().any(|t| t.trial.case == case && t.passed());
    for result in public.results.iter().chain(secret) {
        let case = result.trial.case;
        items.push(Item { given: at_start(case), ..writer.case(result, passes(case)) });
    }
    let runs = GatedRuns { public: gated(spec, &public.results), secret: gated(spec, secret) };
    let start = gated(spec, &start.results);
    for (index, gate) in spec.gates.iter().enumerate() {
        let given = holds_at_start(index, &start);
        items.push(Item { given, ..writer.gate(index, gate, &runs) });
    }
    let (attempt, report_hidden) = match (&public.attempt.verdict, first_wrong(secret)) {
        (Verdict::Passed(_), Some((result, verdict))) => {
            let attempt = Attempt {
                verdict,
                seed: result.trial.seed,
                printed: result.printed.clone(),
                ..public.attempt.clone()
            };
            (attempt, true)
        }
        _ => (public.attempt.clone(), false),
    };
    let report = writer.report(&attempt);
    let stopped_publicly = contained(public, &[]).is_some();
    let stopped = contained(public, secret).cloned();
    let stopped = stopped.map(|verdict| Attempt { verdict, ..public.attempt.clone() });
    Graded {
        passed: items.iter().all(|item| item.outcome == Outcome::Held),
        contained: stopped.map(|stopped| writer.report(&stopped).title),
        contained_hidden: !stopped_publicly,
        items,
        report,
        report_hidden,
        millis: public.attempt.millis,
    }
}

/// The secret runs of a file.
fn trials(spec: &Spec, bytes: &[u8], plan: &Plan) -> Vec<Trial> {
    let Some(secret) = &plan.secret else { return vec![] };
    let file = sha256(bytes);
    let file = &file;
    let rounds = 0..plan.rounds;
    let cases = || spec.cases.iter().enumerate();
    rounds
        .flat_map(|round| {
            cases().map(move |(case, Case { name, .. })| Trial {
                case,
                seed: in_public_order(secret.seed(file, spec.id, name, round)),
                hidden: true,
            })
        })
        .collect()
}

/// The runs of one file that gates are measured on.
struct GatedRuns<'a> {
    public: Vec<&'a TrialResult>,
    secret: Vec<&'a TrialResult>,
}

/// The runs of cases that gates are measured on.
fn gated<'a>(spec: &Spec, results: &'a [TrialResult]) -> Vec<&'a TrialResult> {
    let is_gated = |t: &&TrialResult| spec.cases.get(t.trial.case).is_some_and(|case| case.gated);
    results.iter().filter(is_gated).collect()
}

/// Whether a gate holds in every run that measures it.
fn gate_holds(index: usize, gated: &[&TrialResult]) -> bool {
    !gated.is_empty() && gated.iter().all(|t| t.gates.get(index).is_some_and(|gate| gate.holds))
}

/// The same for the file that was handed out, whose kernel may be right without its answers.
fn holds_at_start(index: usize, gated: &[&TrialResult]) -> bool {
    let holds = |t: &&TrialResult| t.kernel_gates.get(index).is_some_and(|gate| gate.holds);
    !gated.is_empty() && gated.iter().all(holds)
}

/// The first secret run that is wrong, or misses a gate.
fn first_wrong(secret: &[TrialResult]) -> Option<(&TrialResult, Verdict)> {
    secret.iter().filter(|t| t.ran).find_map(|result| {
        let missed = || {
            let gates = result.gates.clone();
            let missed = gates.iter().any(|gate| !gate.holds);
            missed.then_some(Verdict::GateMissed {
                case: result.trial.case,
                gates,
                lines: vec![],
                variables: vec![],
                overlap: None,
            })
        };
        Some((result, result.verdict.clone().or_else(missed)?))
    })
}

/// The verdict of a run in which the code tried something forbidden, or exceeded a limit on
/// resources.
fn contained<'a>(public: &'a Examination, secret: &'a [TrialResult]) -> Option<&'a Verdict> {
    let verdicts = public.results.iter().chain(secret).filter_map(|result| result.verdict.as_ref());
    std::iter::once(&public.attempt.verdict).chain(verdicts).find(|verdict| match verdict {
        Verdict::CompilerStopped(_) => true,
        // an include of a forbidden file
        Verdict::CompileError(messages) => messages.iter().any(|message| {
            message.text.contains("Permission denied")
                || message.text.contains(UNREADABLE_BY_ASSEMBLER)
        }),
        Verdict::Fault { fault, .. } => match &**fault {
            Fault::Garbled { .. } | Fault::WorkerDied { .. } => true,
            Fault::Crashed { signal, .. } => CONTAINMENT_SIGNALS.contains(signal),
            _ => false,
        },
        _ => false,
    })
}

/// `SIGKILL` (too much memory), `SIGXFSZ` (too much output), `SIGSYS` (a system call that is
/// refused).
const CONTAINMENT_SIGNALS: [i32; 3] = [9, 25, 31];

/// Turns results of one file into items and reports.
struct ItemWriter<'a> {
    spec: &'static Spec,
    path: &'a str,
    attempt: &'a Attempt,
}

impl ItemWriter<'_> {
    fn report(&self, attempt: &Attempt) -> record::Report {
        explain::foreign(self.path, "checker", self.spec, attempt).into_recorded()
    }

    /// The item of one run of a case, which passes with public inputs or not. A secret run that
    /// did not take place although it does has failed, because earlier ones took all of the time:
    /// that it was not run would tell the student about them.
    fn case(&self, result: &TrialResult, passes: bool) -> Item {
        let Trial { case, seed, hidden } = result.trial;
        let name = self.spec.cases.get(case).map_or("", |case| case.name);
        let (outcome, verdict) = match (&result.verdict, result.ran) {
            (None, true) => (Outcome::Held, Some(Verdict::Passed(Passed::default()))),
            (Some(verdict), _) => (Outcome::Failed, Some(verdict.clone())),
            (None, false) if hidden && passes => (Outcome::Failed, None),
            // the attempt's verdict says why nothing was run
            (None, false) => {
                (Outcome::NotRun, Some(self.attempt.verdict.clone()).filter(|_| !hidden))
            }
        };
        let report = verdict.as_ref().filter(|_| outcome != Outcome::Held).map(|verdict| {
            let printed = result.printed.clone();
            self.report(&Attempt {
                verdict: verdict.clone(),
                seed,
                printed,
                ..self.attempt.clone()
            })
        });
        let message = match (outcome, &report) {
            (Outcome::Held, _) => "passed".to_owned(),
            (_, Some(report)) => report.title.clone(),
            (Outcome::Failed, None) => "not run: earlier cases took all of the time".to_owned(),
            (Outcome::NotRun, None) => {
                "not run: the case isn't right with the public inputs".to_owned()
            }
        };
        let primary = report.as_ref().and_then(|r| r.spans.iter().find(|span| span.primary));
        let again = format!(
            "checker check {} --case {} --seed {seed} --file {}",
            self.spec.id,
            text::quote(name),
            text::quote(self.path)
        );
        Item {
            name: name.to_owned(),
            kind: Kind::Case,
            hidden,
            show: Show::Everything,
            reveal: None,
            outcome,
            given: false,
            points: 0.0,
            possible: 0.0,
            extra: 0.0,
            slug: verdict.map_or_else(|| "not-run".to_owned(), |v| v.slug().to_string()),
            message,
            line: primary.map(|span| span.line),
            again: Some(again),
            millis: result.millis,
            speed: None,
        }
    }

    /// The item of a gate. It holds if it holds in every run, so that recognising the public inputs
    /// gains nothing. Of the secret runs nothing else is told: a value could carry their inputs. If
    /// these runs decide about it, the item is a hidden one, because whether it holds may depend on
    /// their inputs, too.
    fn gate(&self, index: usize, gate: &checker::spec::Gate, runs: &GatedRuns<'_>) -> Item {
        let GatedRuns { public, secret } = runs;
        let measured = || public.iter().filter_map(|result| result.gates.get(index));
        let shown = measured().find(|gate| !gate.holds).or_else(|| measured().next());
        let value = explain::gate_value(gate.metric, shown.and_then(|measured| measured.value));
        let hidden = !secret.is_empty() && gate_holds(index, public);
        let missed = |gates| Verdict::GateMissed {
            case: 0,
            gates,
            lines: vec![],
            variables: vec![],
            overlap: None,
        };
        let (outcome, slug, message) = match shown {
            None => {
                let message = "not measured: its case is not right".to_owned();
                (Outcome::NotRun, "not-run".to_owned(), message)
            }
            Some(gate) if !gate.holds => {
                let slug = missed(vec![*gate]).slug().to_string();
                (Outcome::Failed, slug, format!("measured {value}"))
            }
            Some(_) if !gate_holds(index, public) => {
                let message = "not measured in every run: a case is not right".to_owned();
                (Outcome::Failed, "gate-missed".to_owned(), message)
            }
            Some(gate) if hidden && !gate_holds(index, secret) => {
                let slug = missed(vec![*gate]).slug().to_string();
                (Outcome::Failed, slug, "not held with secret inputs".to_owned())
            }
            Some(_) => (Outcome::Held, "passed".to_owned(), format!("measured {value}")),
        };
        Item {
            name: explain::gate(gate),
            kind: Kind::Gate,
            hidden,
            show: Show::Everything,
            reveal: None,
            outcome,
            given: false,
            points: 0.0,
            possible: 0.0,
            extra: 0.0,
            slug,
            message,
            line: None,
            again: Some(format!(
                "checker check {} --file {}",
                self.spec.id,
                text::quote(self.path)
            )),
            millis: 0,
            speed: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use checker::attempt::SEED;
    use checker::exercises;
    use checker::verdict::Measured;

    use super::*;

    const SECRET: bool = true;

    fn skipped(case: usize, hidden: bool) -> TrialResult {
        TrialResult::skipped(Trial { case, seed: SEED, hidden })
    }

    /// The items of a file whose first case ran with public inputs, and then with none.
    fn items(first_public_run: TrialResult) -> Vec<Item> {
        let spec = exercises::find("roundtrip").expect("an exercise");
        items_of(spec, first_public_run, &[skipped(0, SECRET)])
    }

    /// The items of a file with these runs. The file that was handed out ran nothing.
    fn items_of(spec: &'static Spec, public: TrialResult, secret: &[TrialResult]) -> Vec<Item> {
        let attempt = Attempt {
            verdict: Verdict::Passed(Passed::default()),
            source: String::new(),
            hash: String::new(),
            device: String::new(),
            off_gpu: None,
            gpu: None,
            printed: None,
            warnings: vec![],
            seed: SEED,
            millis: 0,
            complete: true,
        };
        let start = Examination { attempt: attempt.clone(), results: vec![skipped(0, false)] };
        let public = Examination { attempt, results: vec![public] };
        described(spec, "file.cu", &start, (&public, secret)).items
    }

    /// A gate that holds with public inputs is a hidden item as soon as there are secret ones, held
    /// or not. One that is missed with public inputs is not, because students can see that.
    #[test]
    fn a_gate_that_secret_runs_decide_is_hidden() {
        let spec = exercises::find("add_one").expect("an exercise");
        let case = spec.cases.iter().position(|case| case.gated).expect("a gated case");
        let run = |hidden: bool, holds: bool| {
            let gates = spec.gates.iter().map(|gate| Measured {
                gate: *gate,
                value: Some(1.0),
                holds,
                output: None,
                unused: None,
            });
            let gates: Vec<Measured> = gates.collect();
            let kernel_gates = gates.clone();
            TrialResult { ran: true, gates, kernel_gates, ..skipped(case, hidden) }
        };
        let gate = |public: bool, secret: Option<bool>| {
            let secret: Vec<TrialResult> =
                secret.map(|holds| run(SECRET, holds)).into_iter().collect();
            let all = items_of(spec, run(false, public), &secret);
            let gate = all.into_iter().find(|item| item.kind == Kind::Gate).expect("a gate");
            (gate.hidden, gate.outcome)
        };
        assert_eq!(gate(true, Some(true)), (true, Outcome::Held));
        assert_eq!(gate(true, Some(false)), (true, Outcome::Failed));
        assert_eq!(gate(false, Some(false)), (false, Outcome::Failed));
        assert_eq!(gate(true, None), (false, Outcome::Held));
    }

    /// How many secret runs a file has before its time is up may depend on their inputs, so a
    /// student learns only that they are not right.
    #[test]
    fn secret_runs_without_time_have_failed() {
        let right = TrialResult { ran: true, ..skipped(0, false) };
        let all = items(right);
        assert_eq!((all[0].outcome, all[1].outcome), (Outcome::Held, Outcome::Failed));
        assert!(all[1].message.contains("time"), "{}", all[1].message);
        // a case that is wrong with public inputs is not run with secret ones
        let all = items(skipped(0, false));
        assert_eq!(all[1].outcome, Outcome::NotRun);
    }
}
