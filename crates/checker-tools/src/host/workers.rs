//! The threads that run learners' code, one job at a time each, and what waits for them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use axum::http::StatusCode;
use checker::backend::Choice;
use checker::compile::Cache;
use checker::engine::Engine;
use checker::explain::ON_PAGE;
use checker::progress::Progress;
use checker::session::{self, Session};
use checker::workbook::Workbook;
use checker::worker::{Killer, Sandbox};
use checker::{attempt, console};
use cudart_sim::start;
use tempfile::TempDir;

use super::answers::{Answer, Promise};
use super::client::Client;
use super::metrics::Metrics;
use super::queue::Queue;
use super::task::{Bench, Task, problem};

/// Bytes of compiled code on disk.
const COMPILED_BYTES: u64 = 256 << 20;
/// An answer that took longer may be the clock's work, so it isn't remembered.
const LONGEST_REMEMBERED: Duration = Duration::from_secs(5);

/// A task that waits.
struct Job {
    task: Task,
    promise: Promise,
    since: Instant,
}

/// The threads and their queue.
pub struct Workers {
    queue: Arc<Queue<Job>>,
    metrics: Arc<Metrics>,
    ends: AtomicBool,
    killers: Vec<Killer>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// The empty workbook of sessions, and compiled code.
    _folder: TempDir,
}

/// What limits a job.
#[derive(Debug, Clone, Copy)]
pub struct JobLimits {
    /// Jobs at a time.
    pub jobs: usize,
    /// Jobs that may wait.
    pub waiting: usize,
    /// Wall time of a job.
    pub time: Duration,
    /// Memory of the code that runs.
    pub memory_bytes: u64,
}

impl Workers {
    /// Finds or installs the compilers, and starts the threads. `book` is the folder of the
    /// book's sources.
    ///
    /// # Errors
    /// When there are no compilers, or this machine has no sandbox.
    pub fn start(limits: JobLimits, metrics: Arc<Metrics>, book: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let workbook = empty_workbook(folder.path())?;
        let cache = Cache::in_folder(folder.path().join("compiled")).limited(COMPILED_BYTES);
        let mut engines = vec![];
        for _ in 0..limits.jobs {
            let engine = session::engine(Choice::Sim)?.with_cache(cache.clone());
            let engine = engine.without_installing();
            engines.push(engine.confined(Sandbox::Require, Some(limits.memory_bytes), None));
        }
        if let Some(engine) = engines.first_mut() {
            engine.ready().map_err(attempt::Error::from)?;
        }
        let killers = engines.iter().map(Engine::killer).collect();
        let queue = Arc::new(Queue::new(limits.waiting));
        let threads = engines.into_iter().map(|engine| {
            let (queue, metrics) = (Arc::clone(&queue), Arc::clone(&metrics));
            let (progress, _) = Progress::load(&workbook.state());
            let session = Session { workbook: workbook.clone(), progress, command: ON_PAGE };
            let book = book.to_path_buf();
            let mut worker = Worker { engine, session, book, time: limits.time };
            thread::spawn(move || {
                while let Some(job) = queue.pop() {
                    worker.serve(job, &metrics);
                }
            })
        });
        let threads = Mutex::new(threads.collect());
        let ends = AtomicBool::new(false);
        Ok(Self { queue, metrics, ends, killers, threads, _folder: folder })
    }

    /// Has a task of this client's done, and its promise fulfilled. False if there is no room.
    pub fn submit(&self, client: Client, task: Task, promise: Promise) -> bool {
        let job = Job { task, promise, since: Instant::now() };
        self.queue.push(client, job).is_ok()
    }

    /// Jobs that wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Whether no more jobs are taken.
    pub fn is_ending(&self) -> bool {
        self.ends.load(Relaxed)
    }

    /// Takes no more jobs, and drops those that wait.
    pub fn end(&self) {
        self.ends.store(true, Relaxed);
        self.queue.end();
    }

    /// How many jobs run.
    pub fn running(&self) -> u64 {
        self.metrics.running.load(Relaxed)
    }

    /// Ends the jobs that still run, and the threads.
    pub fn join(&self) {
        self.end();
        self.killers.iter().for_each(Killer::kill);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A workbook without files, because reports name files relative to one.
fn empty_workbook(folder: &Path) -> anyhow::Result<Workbook> {
    for part in ["exercises", ".workbook"] {
        std::fs::create_dir(folder.join(part)).context("cannot make a temporary folder")?;
    }
    Workbook::find(folder).context("the temporary folder is lost")
}

/// One thread's part.
struct Worker {
    engine: Engine,
    session: Session,
    book: PathBuf,
    time: Duration,
}

impl Worker {
    fn serve(&mut self, Job { task, promise, since }: Job, metrics: &Metrics) {
        if promise.is_abandoned() {
            return;
        }
        let waited = since.elapsed();
        metrics.running.fetch_add(1, Relaxed);
        let start = Instant::now();
        let (answer, is_certain) = self.answer(&task);
        let ran = start.elapsed();
        metrics.observe(waited, ran);
        promise.fulfil(Arc::new(answer), is_certain && ran < LONGEST_REMEMBERED);
        metrics.running.fetch_sub(1, Relaxed);
    }

    /// The answer to a task, and whether it would be the same another time.
    fn answer(&mut self, task: &Task) -> (Answer, bool) {
        // The processes that have run one person's code never run another one's.
        self.engine.recycle();
        let Self { engine, session, book, time } = self;
        let killer = engine.killer();
        let bench = Bench { session, book, engine };
        let run = || catch_unwind(AssertUnwindSafe(|| task.run(bench)));
        let (result, timed_out) = limited(&killer, *time, run);
        let (status, why) = match result {
            Ok(Ok(made)) if !timed_out => return made,
            _ if timed_out => {
                let why = format!("This took more than {} s, which is the limit.", time.as_secs());
                (StatusCode::UNPROCESSABLE_ENTITY, why)
            }
            Ok(Err(error)) => {
                console::print_warning(format_args!("{}: {error:#}", task.name()));
                let why =
                    "The server could not run this. Its operator finds the reason in the log.";
                (StatusCode::INTERNAL_SERVER_ERROR, why.to_owned())
            }
            _ => {
                let why = "The server has a bug, which its operator finds in the log.";
                (StatusCode::INTERNAL_SERVER_ERROR, why.to_owned())
            }
        };
        (Answer { status, json: problem(&why), passed: false }, false)
    }
}

/// Does `work`, and ends what the killer ends after `limit`. Returns whether that was necessary.
fn limited<T>(killer: &Killer, limit: Duration, work: impl FnOnce() -> T) -> (T, bool) {
    let (done, is_done) = mpsc::channel::<()>();
    let is_done = Mutex::new(is_done);
    let wait = || {
        let is_done = is_done.lock().unwrap_or_else(PoisonError::into_inner);
        let timed_out = is_done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        if timed_out {
            killer.kill();
        }
        timed_out
    };
    killer.resume();
    thread::scope(|scope| {
        let timer = start::patiently(|| thread::Builder::new().spawn_scoped(scope, wait));
        let result = work();
        drop(done);
        // without a timer, the check has the limits of its processes
        (result, timer.is_ok_and(|timer| timer.join().unwrap_or(false)))
    })
}
