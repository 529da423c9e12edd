//! The learner's side of the pages: files, checks, hints and progress of the workbook.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context as _;
use checker::commands::reset;
use checker::explain::ON_PAGE;
use checker::progress::Progress;
use checker::report::html;
use checker::session::Session;
use checker::spec::Spec;
use checker::workbook::Workbook;
use checker::{course, source, watch, workbook};
use serde::Serialize;
use tokio::sync::oneshot;

use super::checks::{Checks, Work};
use super::course_state::CourseState;
use super::events::{Event, Events};
use super::files::{self, Refusal, State};
use super::run::{Running, Task};
use super::verdict::Verdict;
use super::views::Look;

/// How long an editor has to finish a save, because many truncate the file and then write it.
const SAVE_TIME: Duration = Duration::from_millis(8);
/// How much longer it has if the file is missing or empty then, because some delete or rename the
/// file and then write it.
const EMPTY_FILE_TIME: Duration = Duration::from_millis(100);

/// Copies that a page offers at most.
const MAX_COPIES: usize = 20;

/// The workbook that the pages work with.
pub struct Bench {
    workbook: Workbook,
    /// What pages are sent.
    pub events: Arc<Events>,
    checks: Checks<Task>,
    verdicts: Arc<Verdicts>,
    /// The version of each file that pages were sent. It is locked while a file is written, so that
    /// the watcher does not report the page's own change.
    known: Mutex<HashMap<&'static str, String>>,
}

/// The last verdict on each exercise.
pub(super) type Verdicts = Mutex<HashMap<&'static str, Verdict>>;

/// Everything about an exercise.
#[derive(Debug, Serialize)]
pub struct Exercise {
    id: &'static str,
    /// The file's path in the workbook.
    path: String,
    /// Whether it is a program, whose work on the device has a timeline.
    program: bool,
    file: State,
    verdict: Option<Verdict>,
    passed: bool,
    hints: Hints,
    course: CourseState,
}

/// The hints that the learner has seen, as HTML.
#[derive(Debug, Serialize)]
pub struct Hints {
    shown: Vec<String>,
    total: usize,
}

/// A text that was replaced.
#[derive(Debug, Serialize)]
pub struct Copy {
    /// Its number among the copies of this exercise.
    number: u32,
    /// When it was saved, in milliseconds since 1970; `None` if the system does not say.
    saved: Option<u64>,
    lines: usize,
}

impl Copy {
    fn new(number: u32, path: &Path) -> Option<Self> {
        let saved = path.metadata().and_then(|metadata| metadata.modified()).ok();
        let saved = saved.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let saved = saved.and_then(|time| u64::try_from(time.as_millis()).ok());
        Some(Self { number, saved, lines: source::read(path).ok()?.lines().count() })
    }
}

/// A change of a file.
#[derive(Serialize)]
struct Change<'a> {
    file: &'a State,
    /// The page that has made it; `None` if another program has.
    by: Option<&'a str>,
}

impl Bench {
    /// A bench for this workbook, with its thread. Compilers are found when the first check needs
    /// them.
    pub fn new(workbook: Workbook) -> Self {
        Self::with_work(workbook, Running::new)
    }

    /// A bench with other work for its thread.
    pub(super) fn with_work<W: Work<Job = Task>>(
        workbook: Workbook,
        work: impl FnOnce(Workbook, Arc<Events>, Arc<Verdicts>) -> W,
    ) -> Self {
        let (events, verdicts) = (Arc::new(Events::default()), Arc::<Verdicts>::default());
        let checks = Checks::start(work(workbook.clone(), events.clone(), verdicts.clone()));
        Self { workbook, events, checks, verdicts, known: Mutex::default() }
    }

    fn session(&self) -> Session {
        open(&self.workbook)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<&'static str, String>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An exercise as a page shows it. If there is no verdict on the file as it is, one is made.
    pub fn open(&self, spec: &'static Spec) -> Exercise {
        let path = self.workbook.exercise(spec);
        let file = {
            let mut known = self.known();
            let file = files::read(&path);
            known.insert(spec.id, file.version.clone());
            file
        };
        let verdict = lock(&self.verdicts).get(spec.id).cloned();
        let verdict = verdict.filter(|verdict| verdict.version == file.version);
        if verdict.is_none() {
            self.checks.submit(Task::Check(spec));
        }
        let session = self.session();
        Exercise {
            id: spec.id,
            path: self.workbook.relative(&path),
            program: spec.kind.has_host_code(),
            file,
            verdict,
            passed: session.progress.is_passed(spec.id),
            hints: hints(&session, spec),
            course: CourseState::new(&session),
        }
    }

    /// How far the learner is.
    pub fn course(&self) -> CourseState {
        CourseState::new(&self.session())
    }

    /// Replaces the version `base` of a file, as the page `by` wishes, and checks it. With
    /// `keep_copy`, the file is copied into the workbook's backups before.
    ///
    /// # Errors
    /// When the file is another version, or cannot be written.
    pub fn save(
        &self,
        spec: &'static Spec,
        (base, text): (&str, &str),
        keep_copy: bool,
        by: &str,
    ) -> Result<String, Refusal> {
        let path = self.workbook.exercise(spec);
        let mut known = self.known();
        if keep_copy && let Ok(current) = source::bytes(&path) {
            self.keep_copy(spec, &current)
                .map_err(|error| Refusal::System(format!("No copy was made: {error}.")))?;
        }
        let version = files::write(&path, base, text)?;
        known.insert(spec.id, version.clone());
        drop(known);
        let file = State { version: version.clone(), text: Some(text.to_owned()), problem: None };
        self.send_change(spec, &file, Some(by));
        self.checks.submit(Task::Check(spec));
        Ok(version)
    }

    /// Writes a text that the learner gives up into the workbook's backups, unless it is the
    /// original or the newest copy.
    ///
    /// # Errors
    /// When the copy cannot be written.
    pub fn keep_copy(&self, spec: &'static Spec, text: &[u8]) -> Result<(), workbook::Error> {
        let original = course::skeleton(spec).map(|text| self.workbook.text_of(text));
        let newest = self.workbook.copies(spec).into_iter().next();
        let is_newest =
            newest.is_some_and(|(_, path)| source::bytes(&path).is_ok_and(|old| old == text));
        if is_newest || original.is_some_and(|original| original.as_bytes() == text) {
            return Ok(());
        }
        self.workbook.save_copy(spec, text).map(drop)
    }

    /// The copies in the workbook's backups, the newest first.
    pub fn copies(&self, spec: &'static Spec) -> Vec<Copy> {
        let copies = self.workbook.copies(spec).into_iter().take(MAX_COPIES);
        copies.filter_map(|(number, path)| Copy::new(number, &path)).collect()
    }

    /// The text of a copy; `None` if there is no such copy, or it is no text.
    pub fn copy(&self, spec: &'static Spec, number: u32) -> Option<String> {
        let copies = self.workbook.copies(spec);
        let (_, path) = copies.into_iter().find(|(found, _)| *found == number)?;
        source::read(&path).ok()
    }

    /// Checks a file again.
    pub fn check(&self, spec: &'static Spec) {
        self.checks.submit(Task::Check(spec));
    }

    /// Looks into one case. Resolves to JSON, or to why there is none; to an error if a newer
    /// look at the same exercise came.
    pub fn look(
        &self,
        spec: &'static Spec,
        look: Look,
    ) -> oneshot::Receiver<Result<String, String>> {
        let (reply, view) = oneshot::channel();
        self.checks.submit(Task::Look { spec, look, reply });
        view
    }

    /// Shows one more hint.
    pub fn next_hint(&self, spec: &'static Spec) -> Hints {
        let mut session = self.session();
        let shown = session.progress.hints(spec.id);
        if shown < spec.hints.len() {
            session.change(|progress| progress.set_hints(spec.id, shown + 1));
        }
        hints(&session, spec)
    }

    /// Restores the original file, and keeps a copy of the learner's.
    ///
    /// # Errors
    /// When the file can neither be copied nor replaced.
    pub fn reset(&self, spec: &'static Spec) -> anyhow::Result<Exercise> {
        reset::restore(&mut self.session(), spec)?;
        let exercise = self.open(spec);
        self.send_change(spec, &exercise.file, None);
        self.send_course();
        Ok(exercise)
    }

    /// The solution, once the exercise is passed.
    pub fn solution(&self, spec: &'static Spec) -> Option<&'static str> {
        course::solution(spec).filter(|_| self.session().progress.is_passed(spec.id))
    }

    /// Looks at files that another program may have changed. This takes as long as editors take to
    /// save a file.
    fn look_again(&self, specs: &[&'static Spec]) {
        thread::sleep(SAVE_TIME);
        for spec in specs {
            let path = self.workbook.exercise(spec);
            let is_empty = |file: &State| file.text.as_ref().is_none_or(String::is_empty);
            if is_empty(&files::read(&path)) {
                thread::sleep(EMPTY_FILE_TIME);
            }
            let mut known = self.known();
            let file = files::read(&path);
            let before = known.insert(spec.id, file.version.clone());
            drop(known);
            if before.as_ref() != Some(&file.version) && self.events.is_open(spec.id) {
                self.send_change(spec, &file, None);
                self.checks.submit(Task::Check(spec));
            }
        }
    }

    fn send_change(&self, spec: &'static Spec, file: &State, by: Option<&str>) {
        self.events.send(Event::new(Some(spec.id), "file", &Change { file, by }));
    }

    fn send_course(&self) {
        self.events.send(Event::new(None, "course", &self.course()));
    }
}

/// Reports changes that other programs make to the learner's files, until the returned watcher is
/// dropped.
///
/// # Errors
/// When the folder cannot be watched.
pub fn watch_files(bench: &Arc<Bench>) -> anyhow::Result<Box<dyn notify::Watcher>> {
    let (sender, touched) = std::sync::mpsc::channel();
    let folder = bench.workbook.root().join("exercises");
    let watcher = watch::watch_files(&folder, move |spec| {
        let _ = sender.send(spec);
    })
    .with_context(|| format!("cannot watch {}", folder.display()))?;
    let bench = Arc::downgrade(bench);
    thread::spawn(move || {
        while let Ok(first) = touched.recv() {
            let mut specs: Vec<&'static Spec> = vec![first];
            for spec in touched.try_iter() {
                if specs.iter().all(|other| other.id != spec.id) {
                    specs.push(spec);
                }
            }
            let Some(bench) = bench.upgrade() else { return };
            bench.look_again(&specs);
        }
    });
    Ok(watcher)
}

/// The session of a workbook as it is now.
pub(super) fn open(workbook: &Workbook) -> Session {
    let (progress, _) = Progress::load(&workbook.state());
    Session { workbook: workbook.clone(), progress, command: ON_PAGE }
}

fn hints(session: &Session, spec: &Spec) -> Hints {
    let shown = spec.hints.iter().take(session.progress.hints(spec.id));
    Hints { shown: shown.map(|hint| html::inline(hint)).collect(), total: spec.hints.len() }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
