//! `checker grade`: turns the submissions of a class into records.

mod absent;
mod decide;
mod dry_run;
mod inputs;
mod late;
mod plan;
mod progress;
mod reports;
mod versions;

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use grading::course::Course;
use grading::points;
use grading::policy::bank;
use grading::record::{self, Flag, LateDays, Record, Student};
use grading::schema;
use grading::store::{self, Store};
use grading::submission::{self, Limits, SubmissionPath, Submitted};
use jiff::Timestamp;

use crate::grade::{self, Class, Event, Job, Plan, Runs, Speeds, Task};
use checker::backend::Choice;
use checker::cli::{self, Backend, Grade, Sandbox};
use checker::engine::Engine;
use checker::exit::Exit;
use checker::say;
use checker::session;
use checker::worker::Worker;
use checker::{attempt, exercises};

use decide::{Action, Decision};
use inputs::Inputs;
use progress::Progress;

/// Wall time for all runs of one file with one kind of inputs. The slowest right program of the
/// course needs a tenth of it on one slow core that it shares with another student's program.
const FILE_TIME_LIMIT: Duration = Duration::from_secs(240);

/// Grades a class. Exit code 3 when a student could not be graded because of the machine.
pub fn run(args: &Grade) -> anyhow::Result<Exit> {
    checker::memory::return_large_arrays();
    let course = grade::course();
    if let Some(file) = args.schema {
        return schema(file, &course);
    }
    let inputs = Inputs::read(args, &course)?;
    if let Some(engine) = &args.plan {
        return plan::write(args, engine, &inputs);
    }
    let store = if args.dry_run { Store::existing(&args.out) } else { Store::open(&args.out)? };
    let made = made(args, &course, &inputs);
    let session = GradingSession {
        args,
        course: &course,
        inputs: &inputs,
        store: &store,
        made: &made,
        tally: Mutex::default(),
    };
    if args.dry_run {
        return Ok(session.dry_run());
    }
    let mut class = Class {
        plan: Plan {
            seed: attempt::SEED,
            secret: inputs.secret.clone(),
            rounds: inputs.policy.hidden.seeds,
            limit: FILE_TIME_LIMIT,
        },
        runs: Runs::default(),
        speeds: None,
    };

    if !args.assume_on_time {
        session.late_without_time()?;
    }
    let progress = Progress::new(inputs.places.len(), &inputs.refused);
    let to_run = session.settle(&progress);
    // Grades that need no run need no compiler, no sandbox and no GPU, either.
    let engines = if to_run.is_empty() { vec![] } else { engines(args)? };
    if inputs.policy.rules.iter().any(|rule| rule.speed.is_some()) && !to_run.is_empty() {
        let gpu = args.gpus.first().map(String::as_str);
        class.speeds = Some(Speeds::new(engine(args, grade::MEMORY, gpu)?));
    }
    let mut lost = None;
    grade::grade(
        &class,
        to_run.len(),
        engines,
        |index| {
            let job = to_run.get(index).and_then(|place| session.job(place, &progress));
            if job.is_none() {
                progress.skipped();
            }
            job
        },
        |event| match event {
            Event::Retried { what, why } => {
                progress.note(&format!("{what}: tried again: {why}"));
                true
            }
            Event::Finished { job, exercises, device, spent } => {
                let record = session.record(*job, exercises, device, spent);
                progress.finished(&record);
                match store.write(&record) {
                    Ok(()) => true,
                    Err(error) => {
                        lost = Some(error);
                        false
                    }
                }
            }
        },
    );
    let absent = lost.map_or_else(
        || session.record_refused().and_then(|()| session.record_absent(&progress)),
        Err,
    );
    progress.end();
    if let Err(error) = absent {
        return Err(anyhow::Error::from(error)
            .context("grading stopped: free disk space, then run it again; all records are kept"));
    }
    let tally = session.tally.into_inner().unwrap_or_default();
    reports::class(args, &inputs, &store, &tally)
}

/// Prints the schema of a file.
fn schema(file: cli::Schema, course: &Course) -> anyhow::Result<Exit> {
    let schema = match file {
        cli::Schema::Policy => schema::policy(course),
        cli::Schema::ByHand => schema::by_hand(course),
        cli::Schema::Roster => schema::roster(),
        cli::Schema::Groups => schema::groups(),
    };
    say!("{}", serde_json::to_string_pretty(&schema)?);
    Ok(Exit::Passed)
}

/// The provenance of every record of this run; `device`, `at` and `seconds` are set for each
/// record.
fn made(args: &Grade, course: &Course, inputs: &Inputs) -> record::Provenance {
    record::Provenance {
        title: inputs.policy.title.clone(),
        course: course.hash.clone(),
        policy: rules(inputs),
        checker: checker(),
        seed: inputs.secret.as_ref().map(grading::seed::Secret::commitment).unwrap_or_default(),
        rounds: inputs.secret.as_ref().map_or(0, |_| inputs.policy.hidden.seeds),
        device: match args.backend {
            Backend::Sim => "simulator".to_owned(),
            Backend::Auto | Backend::Gpu => "GPU".to_owned(),
        },
        sandbox: sandbox(args),
        at: Timestamp::now(),
        zone: inputs.policy.zone().and_then(|zone| zone.iana_name()).map(str::to_owned),
        seconds: 0.0,
    }
}

/// The hash of all rules for points: the policy, and the decisions by hand.
fn rules(inputs: &Inputs) -> String {
    let (policy, decisions) = (&inputs.policy.hash, &inputs.decisions.hash);
    match decisions.as_str() {
        "" => policy.clone(),
        decisions => grading::seed::sha256(format!("{policy} {decisions}").as_bytes()),
    }
}

/// How the code is confined.
fn sandbox(args: &Grade) -> String {
    match args.sandbox {
        Sandbox::Off => "limits only".to_owned(),
        Sandbox::Require | Sandbox::Try => {
            Worker::new().confinement().unwrap_or_default().to_string()
        }
    }
}

/// Version and hash of this executable.
fn checker() -> String {
    let bytes = std::env::current_exe().and_then(fs::read).unwrap_or_default();
    let hash = grading::seed::sha256(&bytes);
    format!("{} ({})", env!("CARGO_PKG_VERSION"), hash.get(..16).unwrap_or_default())
}

/// An engine that allows a process so many bytes of memory.
fn engine(args: &Grade, memory: u64, gpu: Option<&str>) -> anyhow::Result<Engine> {
    let engine = session::engine(Choice::from(args.backend))?;
    Ok(engine.confined(args.sandbox.into(), Some(memory), gpu))
}

/// One engine for each student that is graded at the same time.
fn engines(args: &Grade) -> anyhow::Result<Vec<Engine>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let on_gpu = args.backend != Backend::Sim;
    let usual = if on_gpu { args.gpus.len().max(1) } else { cores };
    let count = args.jobs.map_or(usual, usize::from);
    let mut engines = vec![];
    for index in 0..count {
        let gpu = match args.gpus.len() {
            0 => None,
            gpus => args.gpus.get(index % gpus).map(String::as_str),
        };
        engines.push(engine(args, args.memory << 20, gpu)?);
    }
    // a problem that every file would have is reported once, here
    if let Some(engine) = engines.first_mut() {
        engine.ready().map_err(attempt::Error::from)?;
    }
    Ok(engines)
}

/// When a submission is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Before anything runs.
    Settle,
    /// When an engine is free to run it.
    Run,
}

/// What became of a submission.
#[derive(Debug)]
enum Prepared {
    /// Its record is current now.
    Done,
    /// It has files to run.
    NeedsRun,
    /// It is ready to run.
    Job(Box<Job>),
}

/// One run of `checker grade`: it prepares jobs from submissions and makes records of results.
struct GradingSession<'a> {
    args: &'a Grade,
    course: &'a Course,
    inputs: &'a Inputs,
    store: &'a Store,
    made: &'a record::Provenance,
    tally: Mutex<Tally>,
}

/// The files that are not graded, without those that may count in place of the last one.
fn not_graded(ignored: Vec<String>, versions: &[versions::Version]) -> Vec<String> {
    let is_version = |line: &String| {
        let rest = |version: &versions::Version| line.strip_prefix(&version.file.path);
        versions.iter().filter_map(rest).any(|rest| rest.starts_with(": "))
    };
    ignored.into_iter().filter(|line| !is_version(line)).collect()
}

/// Counts of submissions that were not graded in this run.
#[derive(Debug, Default)]
pub struct Tally {
    /// Students whose record is current.
    pub unchanged: usize,
    /// Students whose runs are current and whose points were computed again.
    pub rescored: usize,
    /// Submissions that could not be read.
    pub refused: usize,
}

/// An unreadable submission: it has no files, and a flag says why.
fn unreadable(place: &SubmissionPath, error: submission::Error) -> Submitted {
    let line = error.to_string();
    let mut ignored = error.left;
    if ignored.is_empty() {
        ignored.push(format!("your submission: {}", error.reason));
    }
    Submitted {
        id_hint: place.id.clone(),
        source: place.shown(),
        files: vec![],
        versions: vec![],
        ignored,
        hash: grading::seed::sha256(line.as_bytes()),
        notes: vec![Flag { what: "refused".into(), exercise: None, detail: line }],
    }
}

/// A remark about points by hand above what the exercise can give.
fn points_above(exercise: &record::Exercise) -> Option<Flag> {
    let points = exercise.by_hand.as_ref()?.points?;
    let extra: f64 = exercise.items.iter().map(|item| item.extra).sum();
    let possible = exercise.possible + extra;
    let detail = format!("{points} points by hand are more than the {possible} that are possible");
    let flag = Flag { what: "by-hand".into(), exercise: Some(exercise.id.clone()), detail };
    (points > possible && !exercise.excused).then_some(flag)
}

impl GradingSession<'_> {
    /// Finishes everything that needs no run, on all processors, and returns the others in their
    /// order.
    fn settle(&self, progress: &Progress) -> Vec<&SubmissionPath> {
        let places = &self.inputs.places;
        let next = AtomicUsize::new(0);
        let work = || {
            let mut open = vec![];
            while let Some((index, place)) = {
                let index = next.fetch_add(1, Ordering::Relaxed);
                places.get(index).map(|place| (index, place))
            } {
                match self.prepared(place, progress, Stage::Settle) {
                    Ok(Prepared::NeedsRun) => open.push(index),
                    Ok(_) => progress.skipped(),
                    Err(line) => {
                        progress.note(&line);
                        progress.skipped();
                    }
                }
            }
            open
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut open: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
        });
        open.sort_unstable();
        open.into_iter().filter_map(|index| places.get(index)).collect()
    }

    /// Reads a student's submission again and prepares its job; `None` when it can't be read any
    /// more.
    fn job(&self, place: &SubmissionPath, progress: &Progress) -> Option<Job> {
        match self.prepared(place, progress, Stage::Run) {
            Ok(Prepared::Job(job)) => Some(*job),
            Ok(Prepared::Done | Prepared::NeedsRun) => None,
            Err(line) => {
                progress.note(&line);
                None
            }
        }
    }

    fn prepared(
        &self,
        place: &SubmissionPath,
        progress: &Progress,
        stage: Stage,
    ) -> Result<Prepared, String> {
        let limits = Limits::default();
        let submitted = submission::read(place, self.course, &limits).or_else(|error| {
            progress.note(&error.to_string());
            self.tally(|tally| tally.refused += 1);
            Ok::<_, String>(unreadable(place, error))
        });
        submitted.and_then(|submitted| self.prepare(place, submitted, progress, stage))
    }

    fn tally(&self, change: impl FnOnce(&mut Tally)) {
        change(&mut self.tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    /// The student's record of an earlier run, if there is one. A damaged record is made again,
    /// without its history.
    fn previous_record(&self, id: &str, progress: &Progress) -> Option<Record> {
        self.store.read(id).unwrap_or_else(|damaged| {
            progress.note(&format!("{damaged}; it is made again"));
            None
        })
    }

    /// Finishes a submission that needs no run, and prepares the job of one that does.
    fn prepare(
        &self,
        place: &SubmissionPath,
        submitted: Submitted,
        progress: &Progress,
        stage: Stage,
    ) -> Result<Prepared, String> {
        let id = &place.id;
        let before = match stage {
            Stage::Settle => self.previous_record(id, progress),
            // what is damaged was said before
            Stage::Run => self.store.read(id).ok().flatten(),
        };
        // Files that the command has found at its start don't become late while it works.
        let now = self.made.at;
        let Decision { action, arrival, files, versions, wanted, flags } =
            self.decide(place, &submitted, before.as_ref(), now);
        match (&action, &before) {
            (Action::Keep, _) => {
                let refused = |flag: &Flag| flag.what == "refused";
                if !before.iter().any(|record| record.flags.iter().any(refused)) {
                    self.tally(|tally| tally.unchanged += 1);
                }
                return Ok(Prepared::Done);
            }
            (Action::Run, _) if stage == Stage::Settle && !files.is_empty() => {
                return Ok(Prepared::NeedsRun);
            }
            (Action::Refuse { most }, Some(before)) => {
                let kept = store::over_the_cap(before.clone(), *most);
                self.store.write(&kept).map_err(|error| error.to_string())?;
                return Err(format!("{id}: a submission over the limit of {most} was not graded"));
            }
            _ => {}
        }
        let submission = record::Submission {
            source: submitted.source,
            hash: submitted.hash,
            at: arrival.at,
            at_from: arrival.at_from,
            attempt: arrival.attempt,
            files: files.iter().map(|version| version.file.clone()).collect(),
            group: place.group.clone(),
            ignored: not_graded(submitted.ignored, &versions),
        };
        let replaced = flags.iter().find(|flag| flag.what == decide::OTHER_FOLDER);
        if let Some(flag) = replaced
            && before.as_ref().is_some_and(|before| !before.flags.contains(flag))
        {
            progress.note(&format!("{id}: {}", flag.detail));
        }
        if action == Action::Score
            && let Some(before) = before
        {
            let job = Job { student: id.clone(), submission, flags, exercises: vec![] };
            let rescored = self.rescored(job, before, &versions, &wanted);
            self.store.write(&rescored).map_err(|error| error.to_string())?;
            self.tally(|tally| tally.rescored += 1);
            return Ok(Prepared::Done);
        }
        let mut exercises = vec![];
        for spec in exercises::all().iter().filter(|spec| wanted.contains(&spec.id)) {
            let is = |version: &&versions::Version| version.file.exercise == spec.id;
            let keep = |version: &versions::Version| self.keep_file(id, version);
            let file = files.iter().find(is).map(keep).transpose()?;
            let others = versions.iter().filter(is);
            let others =
                others.map(|version| Ok::<_, String>((version.file.clone(), keep(version)?)));
            let others = others.collect::<Result<_, _>>()?;
            let rule = self.inputs.policy.rule(spec.id);
            let timed = rule.is_some_and(|rule| rule.speed.is_some());
            exercises.push(Task { spec, file, others, timed });
        }
        let blank = exercises.iter().all(|task| task.file.is_none());
        let job = Job { student: id.clone(), submission, flags, exercises };
        if stage == Stage::Settle && blank {
            let exercises = job.exercises.iter().map(|task| grade::blank_exercise(task.spec));
            let record =
                self.record(job.clone(), exercises.collect(), String::new(), Duration::ZERO);
            self.store.write(&record).map_err(|error| error.to_string())?;
            return Ok(Prepared::Done);
        }
        Ok(Prepared::Job(Box::new(job)))
    }

    /// The record of runs that an earlier record has, with the points of the current policy.
    fn rescored(
        &self,
        mut job: Job,
        before: Record,
        versions: &[versions::Version],
        wanted: &[&str],
    ) -> Record {
        let mut exercises = before.exercises;
        exercises.retain(|exercise| wanted.contains(&exercise.id.as_str()));
        // The runs are of the files in the record, and only their times and places may be new.
        let now = std::mem::take(&mut job.submission.files);
        let renewed = |file: &record::File| {
            let all = now.iter().chain(versions.iter().map(|version| &version.file));
            let new = all.into_iter().find(|new| store::is_same(new, file));
            record::File { at: new.map_or(file.at, |new| new.at), ..file.clone() }
        };
        job.submission.files = before.submission.files.iter().map(renewed).collect();
        for other in exercises.iter_mut().flat_map(|exercise| &mut exercise.others) {
            other.file = renewed(&other.file);
        }
        let of_runs = before.flags.iter().filter(|flag| !decide::is_of_intake(flag)).cloned();
        job.flags = of_runs.chain(job.flags).collect();
        let spent = Duration::try_from_secs_f64(before.made.seconds).unwrap_or_default();
        self.record(job, exercises, before.made.device, spent)
    }

    /// The record of a graded job.
    fn record(
        &self,
        job: Job,
        exercises: Vec<record::Exercise>,
        device: String,
        spent: Duration,
    ) -> Record {
        let mut exercises = exercises;
        let Job { student: id, mut submission, mut flags, .. } = job;
        let policy = &self.inputs.policy;
        let comment = self.inputs.decisions.apply(&id, &mut exercises);
        points::choose(policy, &id, &mut submission, &mut exercises);
        let score = points::score(policy, &id, &submission, &mut exercises);
        flags.retain(|flag| flag.what != "by-hand");
        flags.extend(exercises.iter().filter_map(points_above));
        let entry = self.inputs.roster.as_ref().and_then(|roster| roster.entry(&id));
        let student = entry.map_or_else(
            || Student { id: id.clone(), ..Student::default() },
            |entry| entry.student.clone(),
        );
        let device = if device.is_empty() { self.made.device.clone() } else { device };
        let made = record::Provenance {
            device,
            at: Timestamp::now(),
            seconds: spent.as_secs_f64(),
            ..self.made.clone()
        };
        let mut record = Record {
            version: record::VERSION,
            student,
            made,
            submission,
            exercises,
            score,
            comment,
            late_days: None,
            flags,
        };
        if policy.late.earlier.is_some() {
            let here = bank::free_days(&record);
            record.late_days = Some(LateDays { here, ..policy.late_days(&id) });
        }
        record
    }
}
