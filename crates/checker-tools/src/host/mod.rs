//! `checker host`: the live book for a class that installs nothing.
//!
//! ```text
//! browsers ── admission ──┬── live::routes   pages and scripts
//!    with the files       └── api ── answers ── rate ── queue ── workers ── task
//! ```
//!
//! A learner's files are in the browser. A check is a request with the exercise and the text, and
//! its answer depends on nothing else, so the server keeps nothing about a learner, and any server
//! can answer. `answers` remembers answers by content and has equal requests run once, `rate` and
//! `queue` share the machine among clients, and `workers` run the code in the sandbox, with new
//! processes for each request.

mod access_log;
mod admission;
mod answers;
mod api;
mod client;
mod course;
mod metrics;
mod queue;
mod rate;
mod task;
mod workers;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use checker::say;

pub use admission::Admission;
use answers::Answers;
use metrics::Metrics;
use rate::Rates;
use workers::{JobLimits, Workers};

use crate::live::connections;
use crate::live::site::{Build, Site, Store};

/// Connections at once. A browser opens six, and a proxy shares them.
const MAX_CONNECTIONS: usize = 800;
/// How long a client may take for the head of a request, and between two requests.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// How much longer than its limit a job may take to end.
const GRACE_TIME: Duration = Duration::from_secs(5);
/// How often the end looks whether jobs still run.
const END_STEP: Duration = Duration::from_millis(20);

/// How a server works.
#[derive(Debug)]
pub struct Settings {
    /// Where it listens.
    pub listener: TcpListener,
    /// Which requests it answers.
    pub admission: Admission,
    /// Jobs at a time.
    pub jobs: usize,
    /// What clients may use.
    pub limits: Limits,
    /// Whether the log contains the addresses of clients.
    pub log_addresses: bool,
}

/// What clients may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Jobs of a client in a minute.
    pub per_minute: u32,
    /// Jobs of a client after a pause.
    pub burst: u32,
    /// Jobs that may wait.
    pub waiting: usize,
    /// Wall time of a job.
    pub time: Duration,
    /// Memory of the code of a job.
    pub memory_bytes: u64,
    /// Memory of remembered answers.
    pub cache_bytes: usize,
}

/// What a server answers with.
struct Host {
    admission: Admission,
    workers: Workers,
    answers: Arc<Answers>,
    rates: Rates,
    metrics: Arc<Metrics>,
    book: PathBuf,
    log_addresses: bool,
}

impl Host {
    /// A server with its threads.
    ///
    /// # Errors
    /// When there are no compilers, or this machine has no sandbox.
    fn start(settings: Settings, book: &Path) -> anyhow::Result<Arc<Self>> {
        let Settings { admission, jobs, limits, log_addresses, .. } = settings;
        let metrics = Arc::<Metrics>::default();
        let Limits { per_minute, burst, waiting, time, memory_bytes, cache_bytes } = limits;
        let job = JobLimits { jobs, waiting, time, memory_bytes };
        let workers = Workers::start(job, Arc::clone(&metrics), book)?;
        let answers = Answers::new(cache_bytes);
        let rates = Rates::new(per_minute, burst);
        let book = book.to_path_buf();
        Ok(Arc::new(Self { admission, workers, answers, rates, metrics, book, log_addresses }))
    }

    /// Refuses new jobs, and waits for those that run.
    async fn end(&self, limit: Duration) {
        self.workers.end();
        let start = Instant::now();
        while self.workers.running() > 0 && start.elapsed() < limit {
            tokio::time::sleep(END_STEP).await;
        }
    }
}

/// Serves the book in the folder `book`, which `build` builds, until Ctrl-C or a terminating
/// signal.
///
/// # Errors
/// When the book cannot be built, there are no compilers, or this machine has no sandbox.
pub fn serve(book: &Path, build: Build, settings: Settings) -> anyhow::Result<()> {
    // Parts of a profile are laid out as on a terminal, and codes for colours are no HTML.
    colored::control::set_override(false);
    let end_limit = settings.limits.time + GRACE_TIME;
    settings.listener.set_nonblocking(true)?;
    let listener = settings.listener.try_clone()?;
    let site = Arc::new(Site::new(book, build, Some(Store::Browser))?);
    let host = Host::start(settings, book)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    say!("the book is at {}   (press Ctrl-C to stop)", host.admission.address());
    let app = api::router(Arc::clone(&host), site);
    let limits = connections::Limits {
        connections: MAX_CONNECTIONS,
        head: HEAD_TIME,
        ..connections::Limits::default()
    };
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let stop = async {
            crate::live::end_signal().await;
            host.end(end_limit).await;
        };
        connections::run(listener, app, limits, stop).await;
        anyhow::Ok(())
    })?;
    host.workers.join();
    Ok(())
}
