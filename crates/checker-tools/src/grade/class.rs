//! Grading a class: several students at a time, each in processes of their own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use grading::record::{Exercise, File, Flag, Outcome, Report, Status, Submission};
use grading::text::hidden_characters;

use super::exercise::{self, Graded, Plan, Runs, StudentFile};
use super::speed::Speeds;
use super::suspicious::suspicious;
use checker::engine::Engine;
use checker::spec::Spec;

/// How often a file is retried after a failure of the machine.
const MAX_RETRIES: u32 = 2;

/// Wall time before the first retry; later ones wait longer.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// A student's submission, ready to be graded.
#[derive(Debug, Clone)]
pub struct Job {
    /// The student's id.
    pub student: String,
    /// The submission, as its record will have it.
    pub submission: Submission,
    /// Remarks for an instructor that are known before anything runs.
    pub flags: Vec<Flag>,
    /// The exercises to grade.
    pub exercises: Vec<Task>,
}

/// An exercise of one student.
#[derive(Debug, Clone)]
pub struct Task {
    /// Which one.
    pub spec: &'static Spec,
    /// The file that was submitted last, if one was.
    pub file: Option<Source>,
    /// Other files, one of which may count in its place.
    pub others: Vec<(File, Source)>,
    /// Whether the speed of right files is measured.
    pub timed: bool,
}

/// A file to grade.
#[derive(Debug, Clone)]
pub struct Source {
    /// In the submission.
    pub path: String,
    /// The path of the kept copy, which commands name to run it again.
    pub kept: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// How a class is graded.
#[derive(Debug)]
pub struct Class {
    /// How files are run.
    pub plan: Plan,
    /// The runs that were made so far.
    pub runs: Runs,
    /// Measures speeds, if the policy gives points for them.
    pub speeds: Option<Speeds>,
}

/// Progress of grading.
#[derive(Debug)]
pub enum Event {
    /// A student has been graded.
    Finished {
        /// The job, without its files and with all flags.
        job: Box<Job>,
        /// Its exercises, without points.
        exercises: Vec<Exercise>,
        /// The device that ran the code; empty when nothing was run.
        device: String,
        /// Wall time.
        spent: Duration,
    },
    /// A file was retried because the machine failed.
    Retried {
        /// The exercise and the student.
        what: String,
        /// Why.
        why: String,
    },
}

/// Grades `count` students, one on each engine at a time, and calls `on_event` as soon as a student
/// is done. `job` reads a submission when it is needed, and returns `None` when there is nothing to
/// grade. No further student is started once `on_event` returns false.
pub fn grade(
    class: &Class,
    count: usize,
    engines: Vec<Engine>,
    job: impl Fn(usize) -> Option<Job> + Sync,
    mut on_event: impl FnMut(Event) -> bool,
) {
    let next = AtomicUsize::new(0);
    let (sender, events) = mpsc::channel();
    thread::scope(|scope| {
        let many = engines.len();
        for (number, mut engine) in engines.into_iter().enumerate() {
            let (sender, next, job) = (sender.clone(), &next, &job);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let Some(job) = job(index) else { continue };
                    // the processes of one student never run the next one's code
                    engine.recycle();
                    let first = job.exercises.len() * number / many;
                    let finished = grade_student(class, job, first, &mut engine, |event| {
                        drop(sender.send(event));
                    });
                    if sender.send(finished).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for event in events {
            if !on_event(event) {
                next.store(count, Ordering::Relaxed);
            }
        }
    });
}

/// Grades a student from the exercise number `first` on, and those before it at the end. Engines
/// begin in different places, because otherwise all of them would wait for the same file at first,
/// the one that was handed out.
fn grade_student(
    class: &Class,
    mut job: Job,
    first: usize,
    engine: &mut Engine,
    notify: impl Fn(Event),
) -> Event {
    let started = Instant::now();
    let mut device = String::new();
    let mut exercises = vec![];
    let mut files = std::mem::take(&mut job.exercises);
    let first = first.min(files.len());
    let behind = files.len() - first;
    files.rotate_left(first);
    // What a public run prints is shown. After a run with secret inputs, it could say how long that
    // one took, or how busy it had made the machine, so all public runs come first.
    for Task { spec, file, others, .. } in &files {
        let versions = file.iter().chain(others.iter().map(|(_, source)| source));
        for Source { bytes, .. } in versions {
            if class.runs.public(spec, bytes, &class.plan, engine).is_err() {
                engine.recycle(); // the file is run again when it is graded
            }
        }
    }
    for Task { spec, file, others, timed } in files {
        let mut run = |source| {
            let (exercise, on) = grade_source(
                class,
                &job.student,
                (spec, timed),
                source,
                &mut job.flags,
                engine,
                &notify,
            );
            device = on.unwrap_or(std::mem::take(&mut device));
            exercise
        };
        let mut exercise = match file {
            Some(source) => run(source),
            None => blank_exercise(spec),
        };
        exercise.others =
            others.into_iter().map(|(file, source)| run(source).take_version(file)).collect();
        exercises.push(exercise);
    }
    exercises.rotate_left(behind);
    // flags are in the order of the course, whichever exercise came first
    let place = |flag: &Flag| exercises.iter().position(|e| Some(&e.id) == flag.exercise.as_ref());
    job.flags.sort_by_key(place);
    Event::Finished { job: Box::new(job), exercises, device, spent: started.elapsed() }
}

/// Grades one file, and adds what an instructor should see to `flags`. The device is the one that
/// ran it.
fn grade_source(
    class: &Class,
    student: &str,
    (spec, timed): (&'static Spec, bool),
    Source { path, kept, bytes }: Source,
    flags: &mut Vec<Flag>,
    engine: &mut Engine,
    notify: &impl Fn(Event),
) -> (Exercise, Option<String>) {
    let blank = Exercise { file: Some(path), status: Status::NotGraded, ..blank_exercise(spec) };
    let suspicions = suspicious(spec.kind, &String::from_utf8_lossy(&bytes));
    if let Some(first) = suspicions.first() {
        let more = match suspicions.len() {
            1 => String::new(),
            more => format!(", and {} more", more - 1),
        };
        flags.push(flag("look-at", spec, format!("{first}{more}")));
    }
    let hidden = hidden_characters(&String::from_utf8_lossy(&bytes));
    if let Some(first) = hidden.first() {
        let more = match hidden.len() {
            1 => "",
            _ => ", and other lines contain such characters, too",
        };
        flags.push(flag("hidden-characters", spec, format!("{first}{more}")));
    }
    let mut retries = 0;
    let graded = loop {
        let file = StudentFile { path: &kept, bytes: &bytes };
        match exercise::grade_file(spec, file, &class.plan, &class.runs, engine) {
            Ok(graded) => break Ok(graded),
            Err(error) if retries < MAX_RETRIES => {
                retries += 1;
                let what = format!("{} of {student}", spec.id);
                notify(Event::Retried { what, why: error.to_string() });
                thread::sleep(RETRY_PAUSE * retries);
                engine.recycle();
            }
            // what a submission can cause is a verdict about the submission
            Err(error) => {
                engine.recycle();
                let runs = (&class.plan, &class.runs);
                break exercise::grade_unrunnable(spec, file, &error, runs, engine)
                    .ok_or_else(|| error.to_string());
            }
        }
    };
    match graded {
        Ok(mut graded) => {
            show_own_path(&mut graded, &kept, blank.file.as_deref().unwrap_or_default());
            if let Some(why) = &graded.contained {
                flags.push(flag("contained", spec, why.clone()));
            }
            if graded.report.slug == "unreadable-source" {
                flags.push(flag("unreadable-source", spec, graded.report.title.clone()));
            }
            if let Some(speeds) = class.speeds.as_ref().filter(|_| timed && graded.passed) {
                let speed = speeds.item(spec, &bytes);
                if speed.outcome == Outcome::NotRun {
                    flags.push(flag("not-timed", spec, speed.message.clone()));
                }
                graded.items.push(speed);
            }
            // the engine has known its device since before the file ran
            (filled(blank, graded, retries), engine.device(spec.kind.has_host_code()).ok())
        }
        Err(why) => {
            flags.push(flag("not-graded", spec, why.clone()));
            let report = Report { slug: "not-graded".into(), title: why, ..Report::default() };
            (Exercise { report: Some(report), retries, ..blank }, None)
        }
    }
}

fn flag(what: &str, spec: &Spec, detail: String) -> Flag {
    Flag { what: what.to_owned(), exercise: Some(spec.id.to_owned()), detail }
}

/// Names the file in words as the student did. Only commands name the kept copy, whose path is the
/// instructor's.
fn show_own_path(graded: &mut Graded, kept: &str, own: &str) {
    let report = &mut graded.report;
    let texts = [&mut report.title].into_iter();
    let texts = texts
        .chain([&mut report.case, &mut report.think, &mut report.printed].into_iter().flatten());
    let texts = texts.chain(&mut report.notes).chain(report.table.iter_mut().flatten());
    let texts = texts.chain(report.spans.iter_mut().map(|span| &mut span.label));
    let texts = texts.chain(graded.items.iter_mut().map(|item| &mut item.message));
    for text in texts.filter(|text| text.contains(kept)) {
        *text = text.replace(kept, own);
    }
}

/// An exercise without a submitted file.
pub fn blank_exercise(spec: &Spec) -> Exercise {
    Exercise::missing(spec.id, spec.chapter, spec.goal)
}

/// The exercise with its status and items; points decide later whether it is partly right.
fn filled(blank: Exercise, graded: Graded, retries: u32) -> Exercise {
    Exercise {
        status: if graded.passed { Status::Passed } else { Status::Failed },
        report: Some(graded.report),
        report_hidden: graded.report_hidden,
        items: graded.items,
        contained: graded.contained,
        contained_hidden: graded.contained_hidden,
        retries,
        millis: graded.millis,
        ..blank
    }
}
