//! A class: students side by side, each in processes of their own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use grading::record::{Exercise, Flag, Report, Status};
use jiff::Timestamp;

use super::exercise::{self, Graded, Memo, Plan};
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
    /// The exercises to grade, each with its file: where it lies for whoever runs it again, and its bytes.
    pub exercises: Vec<(&'static Spec, Option<(String, Vec<u8>)>)>,
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
    /// The job of this index is done.
    Finished {
        /// Index of the job.
        job: usize,
        /// Its exercises, without points.
        exercises: Vec<Exercise>,
        /// What somebody should look at.
        flags: Vec<Flag>,
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

/// Grades every job, as many side by side as there are engines, and tells of each as soon as it is done. A job that grading
/// does not begin before `tell` says no is left out.
pub fn grade(
    class: &Class,
    jobs: &[Job],
    engines: Vec<Engine>,
    mut tell: impl FnMut(Told) -> bool,
) {
    let next = AtomicUsize::new(0);
    let (to, told) = mpsc::channel();
    thread::scope(|scope| {
        for mut engine in engines {
            let (to, next) = (to.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { return };
                    // nothing of one student is left where the next one's code runs
                    engine.recycle();
                    let retried = |told| drop(to.send(told));
                    let finished = student(class, (index, job), &mut engine, retried);
                    if to.send(finished).is_err() {
                        return;
                    }
                }
            });
        }
        drop(to);
        for said in told {
            if !tell(said) {
                next.store(jobs.len(), Ordering::Relaxed);
            }
        }
    });
}

fn student(
    class: &Class,
    (index, job): (usize, &Job),
    engine: &mut Engine,
    tell: impl Fn(Told),
) -> Told {
    let started = std::time::Instant::now();
    let mut flags = vec![];
    let mut device = String::new();
    let mut exercises = vec![];
    for (spec, file) in &job.exercises {
        let blank = blank(spec);
        let Some((path, bytes)) = file else {
            exercises.push(blank);
            continue;
        };
        let blank = Exercise { file: Some(path.clone()), status: Status::NotGraded, ..blank };
        let mut retries = 0;
        let graded = loop {
            let file = (job.student.as_str(), path.as_str(), bytes.as_slice());
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
        match graded {
            Ok(graded) => {
                device.clone_from(&graded.device);
                if let Some(why) = &graded.contained {
                    flags.push(flag("contained", spec, why.clone()));
                }
                exercises.push(filled(blank, graded, retries));
            }
            Err(why) => {
                flags.push(flag("not-graded", spec, why.clone()));
                let report =
                    Some(Report { slug: "not-graded".into(), title: why, ..Report::default() });
                exercises.push(Exercise { report, retries, ..blank });
            }
        }
    }
    let spent = started.elapsed();
    Told::Finished { job: index, exercises, flags, device, spent }
}

fn flag(what: &str, spec: &Spec, detail: String) -> Flag {
    Flag { what: what.to_owned(), exercise: Some(spec.id.to_owned()), detail }
}

/// An exercise of which nothing was handed in.
fn blank(spec: &Spec) -> Exercise {
    Exercise {
        id: spec.id.to_owned(),
        chapter: spec.chapter.to_owned(),
        goal: spec.goal.to_owned(),
        status: Status::Missing,
        points: 0.0,
        possible: 0.0,
        bonus: false,
        due: None::<Timestamp>,
        excused: false,
        late_days: 0,
        free_days: 0,
        penalty: 0.0,
        file: None,
        report: None,
        report_hidden: false,
        items: vec![],
        contained: None,
        retries: 0,
        millis: 0,
    }
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
