//! A class: students side by side, each in processes of their own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use grading::record::{Exercise, Flag, Report, Status, Submission};

use super::exercise::{self, Graded, Memo, Plan};
use super::suspicious::suspicious;
use crate::engine::Engine;
use crate::spec::Spec;

/// How often a file is tried again when the machine was at fault.
const RETRIES: u32 = 2;

/// Wall time after which it is tried again; longer each time.
const PAUSE: Duration = Duration::from_millis(500);

/// What one student handed in.
#[derive(Debug, Clone)]
pub struct Job {
    /// The student's id, which the secret inputs depend on.
    pub student: String,
    /// The submission, as its record will have it.
    pub submission: Submission,
    /// What somebody should look at, as far as it is known before anything runs.
    pub flags: Vec<Flag>,
    /// The exercises to grade, each with its file.
    pub exercises: Vec<(&'static Spec, Option<Source>)>,
}

/// A file to grade.
#[derive(Debug, Clone)]
pub struct Source {
    /// In the submission.
    pub path: String,
    /// Where it lies for whoever runs it again.
    pub kept: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// How a class is graded.
#[derive(Debug)]
pub struct Class {
    /// How files are run.
    pub plan: Plan,
    /// Runs of the same file with public inputs.
    pub memo: Memo,
}

/// What grading tells while it goes on.
#[derive(Debug)]
pub enum Told {
    /// A student is done.
    Finished {
        /// Its job, whose files are gone and whose flags are complete.
        job: Box<Job>,
        /// Its exercises, without points.
        exercises: Vec<Exercise>,
        /// Who ran the code; empty when nothing was run.
        device: String,
        /// Wall time.
        spent: Duration,
    },
    /// A file was tried again, because of the machine.
    Retried {
        /// Which file.
        what: String,
        /// Why.
        why: String,
    },
}

/// Grades `count` students, as many side by side as there are engines, and tells of each as soon as it is done. What a student
/// handed in is asked for when it is needed; who has nothing to be graded has no job. Nobody else is begun once `tell` says no.
pub fn grade(
    class: &Class,
    count: usize,
    engines: Vec<Engine>,
    job: impl Fn(usize) -> Option<Job> + Sync,
    mut tell: impl FnMut(Told) -> bool,
) {
    let next = AtomicUsize::new(0);
    let (to, told) = mpsc::channel();
    thread::scope(|scope| {
        for mut engine in engines {
            let (to, next, job) = (to.clone(), &next, &job);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let Some(job) = job(index) else { continue };
                    // nothing of one student is left where the next one's code runs
                    engine.recycle();
                    let finished = student(class, job, &mut engine, |told| drop(to.send(told)));
                    if to.send(finished).is_err() {
                        return;
                    }
                }
            });
        }
        drop(to);
        for said in told {
            if !tell(said) {
                next.store(count, Ordering::Relaxed);
            }
        }
    });
}

fn student(class: &Class, mut job: Job, engine: &mut Engine, tell: impl Fn(Told)) -> Told {
    let started = Instant::now();
    let mut device = String::new();
    let mut exercises = vec![];
    for (spec, file) in std::mem::take(&mut job.exercises) {
        let blank = blank(spec);
        let Some(Source { path, kept, bytes }) = file else {
            exercises.push(blank);
            continue;
        };
        let blank = Exercise { file: Some(path), status: Status::NotGraded, ..blank };
        let suspicions = suspicious(spec.kind, &String::from_utf8_lossy(&bytes));
        if let Some(first) = suspicions.first() {
            let more = match suspicions.len() {
                1 => String::new(),
                more => format!(", and {} more", more - 1),
            };
            job.flags.push(flag("look-at", spec, format!("{first}{more}")));
        }
        let mut retries = 0;
        let graded = loop {
            let file = (job.student.as_str(), kept.as_str(), bytes.as_slice());
            match exercise::file(spec, file, &class.plan, &class.memo, engine) {
                Ok(graded) => break Ok(graded),
                Err(error) if retries < RETRIES => {
                    retries += 1;
                    let what = format!("{} of {}", spec.id, job.student);
                    tell(Told::Retried { what, why: error.to_string() });
                    thread::sleep(PAUSE * retries);
                    engine.recycle();
                }
                Err(error) => break Err(error.to_string()),
            }
        };
        exercises.push(match graded {
            Ok(graded) => {
                // known since before the file ran
                device = engine.device().unwrap_or_default();
                if let Some(why) = &graded.contained {
                    job.flags.push(flag("contained", spec, why.clone()));
                }
                filled(blank, graded, retries)
            }
            Err(why) => {
                job.flags.push(flag("not-graded", spec, why.clone()));
                let report = Report { slug: "not-graded".into(), title: why, ..Report::default() };
                Exercise { report: Some(report), retries, ..blank }
            }
        });
    }
    Told::Finished { job: Box::new(job), exercises, device, spent: started.elapsed() }
}

fn flag(what: &str, spec: &Spec, detail: String) -> Flag {
    Flag { what: what.to_owned(), exercise: Some(spec.id.to_owned()), detail }
}

/// An exercise of which nothing was handed in.
pub fn blank(spec: &Spec) -> Exercise {
    Exercise::missing(spec.id, spec.chapter, spec.goal)
}

/// Status and items; whether something is partly right is decided with the points.
fn filled(blank: Exercise, graded: Graded, retries: u32) -> Exercise {
    Exercise {
        status: if graded.passed { Status::Passed } else { Status::Failed },
        report: Some(graded.report),
        report_hidden: graded.report_hidden,
        items: graded.items,
        contained: graded.contained,
        retries,
        millis: graded.millis,
        ..blank
    }
}
