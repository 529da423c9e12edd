//! `checker grade`: what a class handed in becomes records.

mod absent;
pub mod inputs;
pub mod plan;
mod progress;
pub mod reports;

use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use grading::course::Course;
use grading::points;
use grading::record::{self, File, Flag, Record, Student};
use grading::store::{self, Arrival, Inputs as Current, Store};
use grading::submission::{self, Handed, Limits, Place, Submitted};
use jiff::Timestamp;

use crate::backend::Choice;
use crate::cli::{Backend, Grade, Sandbox};
use crate::engine::Engine;
use crate::exit::Exit;
use crate::grade::{self, Class, Job, Memo, Plan, Source, Told};
use crate::session;
use crate::spec::Spec;
use crate::worker::Worker;
use crate::{attempt, exercises};

use inputs::Inputs;
use progress::Progress;

/// Wall time for all runs of one file with one kind of inputs.
const LIMIT: Duration = Duration::from_secs(120);

/// Grades. Exit code 3 when somebody could not be graded because of the machine.
pub fn run(args: &Grade) -> anyhow::Result<Exit> {
    let course = grade::course();
    let inputs = Inputs::read(args, &course)?;
    if let Some(engine) = &args.plan {
        return plan::write(args, engine, &inputs);
    }
    let store = Store::open(&args.out)?;
    let made = made(args, &course, &inputs);
    let engines = engines(args)?;
    let class = Class {
        plan: Plan {
            seed: attempt::SEED,
            secret: inputs.secret.clone(),
            rounds: inputs.policy.hidden.seeds,
            limit: LIMIT,
        },
        memo: Memo::default(),
    };

    let desk = Desk {
        args,
        course: &course,
        inputs: &inputs,
        store: &store,
        made: &made,
        tally: Mutex::default(),
    };
    let progress = Progress::new(inputs.places.len(), &inputs.refused);
    let mut lost = None;
    grade::grade(
        &class,
        inputs.places.len(),
        engines,
        |index| {
            let job = inputs.places.get(index).and_then(|place| desk.take(place, &progress));
            if job.is_none() {
                progress.skipped();
            }
            job
        },
        |told| match told {
            Told::Retried { what, why } => {
                progress.note(&format!("{what}: tried again: {why}"));
                true
            }
            Told::Finished { job, exercises, device, spent } => {
                let record = desk.record(*job, exercises, device, spent);
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
    let absent = lost.map_or_else(|| desk.absent(&progress), Err);
    progress.end();
    if let Err(error) = absent {
        return Err(anyhow::Error::from(error)
            .context("grading stopped: run it again when there is room; what is graded is kept"));
    }
    let tally = desk.tally.into_inner().unwrap_or_default();
    reports::class(args, &inputs, &store, &tally)
}

/// What every record of this run says of how it was made; `device`, `at` and `seconds` are each record's own.
fn made(args: &Grade, course: &Course, inputs: &Inputs) -> record::Made {
    record::Made {
        title: inputs.policy.title.clone(),
        course: course.hash.clone(),
        policy: inputs.policy.hash.clone(),
        checker: checker(),
        seed: inputs.secret.as_ref().map(grading::seed::Secret::commitment).unwrap_or_default(),
        device: match args.backend {
            Backend::Sim => "simulator".to_owned(),
            Backend::Auto | Backend::Gpu => "GPU".to_owned(),
        },
        sandbox: sandbox(args),
        at: Timestamp::now(),
        seconds: 0.0,
    }
}

/// What keeps the code in.
fn sandbox(args: &Grade) -> String {
    match args.sandbox {
        Sandbox::Off => "limits only".to_owned(),
        Sandbox::Require | Sandbox::Try => Worker::new().confined().unwrap_or_default().to_string(),
    }
}

/// Version and hash of this executable.
fn checker() -> String {
    let bytes = std::env::current_exe().and_then(fs::read).unwrap_or_default();
    let hash = grading::seed::sha256(&bytes);
    format!("{} ({})", env!("CARGO_PKG_VERSION"), hash.get(..16).unwrap_or_default())
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
        let engine = session::engine(Choice::from(args.backend))?;
        engines.push(engine.confined(args.sandbox.into(), Some(args.memory << 20), gpu));
    }
    // what would fail for every file fails here, once
    if let Some(engine) = engines.first_mut() {
        engine.ready().map_err(attempt::Error::from)?;
    }
    Ok(engines)
}

/// Where submissions come in and records go out.
struct Desk<'a> {
    args: &'a Grade,
    course: &'a Course,
    inputs: &'a Inputs,
    store: &'a Store,
    made: &'a record::Made,
    tally: Mutex<Tally>,
}

/// What happened besides grading.
#[derive(Debug, Default)]
pub struct Tally {
    /// Students whose record is still right.
    pub unchanged: usize,
    /// Submissions that could not be read.
    pub refused: usize,
}

/// A submission of which nothing can be read: nothing is in it, and its record says why.
fn unreadable(place: &Place, line: String) -> Submitted {
    Submitted {
        id_hint: place.id.clone(),
        source: submission::shown(place.path.as_os_str().as_encoded_bytes()),
        files: vec![],
        ignored: vec![],
        hash: grading::seed::sha256(line.as_bytes()),
        notes: vec![Flag { what: "refused".into(), exercise: None, detail: line }],
    }
}

impl Desk<'_> {
    /// Reads what a student handed in. `None` when nothing is to be done, or nothing can be.
    fn take(&self, place: &Place, progress: &Progress) -> Option<Job> {
        let limits = Limits::default();
        let submitted = submission::read(&place.path, self.course, &limits).or_else(|error| {
            let line = error.to_string();
            progress.note(&line);
            self.tally(|tally| tally.refused += 1);
            Ok::<_, String>(unreadable(place, line))
        });
        match submitted.and_then(|submitted| self.enter(place, submitted, progress)) {
            Ok(job) => job,
            Err(line) => {
                progress.note(&line);
                None
            }
        }
    }

    fn tally(&self, change: impl FnOnce(&mut Tally)) {
        change(&mut self.tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    /// The exercises that are asked for at this moment.
    fn wanted(&self, now: Timestamp) -> Vec<&str> {
        self.inputs.policy.released(now).map(|rule| rule.exercise.as_str()).collect()
    }

    /// What the grade of a submission depends on.
    fn current<'b>(
        &'b self,
        submission: &'b str,
        exercises: &'b [&'b str],
        told: Option<Timestamp>,
    ) -> Current<'b> {
        Current {
            submission,
            course: &self.made.course,
            policy: &self.made.policy,
            checker: &self.made.checker,
            seed: &self.made.seed,
            exercises,
            told,
        }
    }

    /// The student's record, if there is one. What is damaged is made again, and what it said of earlier submissions is lost.
    fn before(&self, id: &str, progress: &Progress) -> Option<Record> {
        self.store.read(id).unwrap_or_else(|damaged| {
            progress.note(&format!("{damaged}; it is made again"));
            None
        })
    }

    /// What has to be graded of a submission.
    fn enter(
        &self,
        place: &Place,
        submitted: Submitted,
        progress: &Progress,
    ) -> Result<Option<Job>, String> {
        let id = &place.id;
        let before = self.before(id, progress);
        let policy = &self.inputs.policy;
        let now = Timestamp::now();
        let wanted = self.wanted(now);
        let told = self.inputs.told(id);
        let current = self.current(&submitted.hash, &wanted, told);
        if !self.args.again && before.as_ref().is_some_and(|record| current.is_current(record)) {
            self.tally(|tally| tally.unchanged += 1);
            return Ok(None);
        }
        let mut files: Vec<File> = submitted.files.iter().map(Handed::to_record).collect();
        let arrival = Arrival::of(before.as_ref(), &submitted.hash, told, now, &mut files);
        if let Some(cap) = policy.attempts
            && arrival.is_over(Some(cap))
            && let Some(before) = before
        {
            let kept = store::over_the_cap(before, cap);
            self.store.write(&kept).map_err(|error| error.to_string())?;
            return Err(format!("{id}: a further submission was not graded: {cap} are the most"));
        }
        let mut flags = submitted.notes;
        if self.inputs.roster.as_ref().is_some_and(|roster| roster.entry(id).is_none()) {
            let detail = "nobody on the roster has this id".to_owned();
            flags.push(Flag { what: "not-on-the-roster".into(), exercise: None, detail });
        }
        let mut handed: Vec<Handed> = submitted.files;
        let mut exercises = vec![];
        for spec in exercises::all().iter().filter(|spec| wanted.contains(&spec.id)) {
            let at = handed.iter().position(|file| file.exercise == spec.id);
            let file = at.map(|at| handed.swap_remove(at));
            let source = file.map(|file| self.keep(id, spec, file)).transpose()?;
            exercises.push((*spec, source));
        }
        let submission = record::Submission {
            source: submitted.source,
            hash: submitted.hash,
            at: arrival.at,
            at_from: arrival.at_from,
            attempt: arrival.attempt,
            files,
            ignored: submitted.ignored,
        };
        Ok(Some(Job { student: id.clone(), submission, flags, exercises }))
    }

    /// Keeps a file where a failure can be looked at again, whatever it was packed in.
    fn keep(&self, id: &str, spec: &Spec, file: Handed) -> Result<Source, String> {
        let folder = store::file_name(id);
        let folder = folder.strip_suffix(".json").unwrap_or(&folder);
        let path = self
            .args
            .out
            .join("files")
            .join(folder)
            .join(spec.chapter)
            .join(format!("{}.cu", spec.id));
        let kept = (|| {
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(&path, &file.bytes)
        })();
        kept.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Source { path: file.path, kept: path.display().to_string(), bytes: file.bytes })
    }

    /// The record of what was graded.
    fn record(
        &self,
        job: Job,
        exercises: Vec<record::Exercise>,
        device: String,
        spent: Duration,
    ) -> Record {
        let mut exercises = exercises;
        let score =
            points::score(&self.inputs.policy, &job.student, &job.submission, &mut exercises);
        let entry = self.inputs.roster.as_ref().and_then(|roster| roster.entry(&job.student));
        let student = entry.map_or_else(
            || Student { id: job.student.clone(), ..Student::default() },
            |entry| entry.student.clone(),
        );
        let device = if device.is_empty() { self.made.device.clone() } else { device };
        let made = record::Made {
            device,
            at: Timestamp::now(),
            seconds: spent.as_secs_f64(),
            ..self.made.clone()
        };
        let Job { submission, flags, .. } = job;
        Record { version: record::VERSION, student, made, submission, exercises, score, flags }
    }
}
