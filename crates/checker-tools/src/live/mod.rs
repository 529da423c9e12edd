//! The live book: `checker book serve` serves the pages of the book on this machine. The page of an
//! exercise is the place where the learner solves it, and the listings of lessons run.
//!
//! ```text
//! browser ── guard ──┬── routes ─┬── site    pages, with scripts that `page` adds
//!                    │           └── assets  these scripts, and the editor
//!                    └── api ──┬── listings   runs what a lesson shows, on a thread of its own
//!                              └── bench ─┬── files    the learner's files, by version
//!                                         ├── checks   the thread that runs the learner's code ── run ── views
//!                                         └── events   what pages are sent while they are open
//! ```
//!
//! The pages of `checker book build` are the same without the scripts, and need no server.
//! `checker host` (`crate::host`) serves the same pages to many people, whose files are in their
//! browsers: `routes`, `connections`, `verdict` and `views` are for both.

mod api;
mod assets;
mod bench;
mod checks;
pub(crate) mod connections;
mod course_state;
pub(crate) mod events;
mod files;
pub(crate) mod guard;
pub(crate) mod listings;
pub(crate) mod page;
mod rebuild;
pub(crate) mod routes;
mod run;
pub(crate) mod site;
#[cfg(test)]
mod tests;
pub(crate) mod verdict;
pub(crate) mod views;

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use checker::say;
use checker::workbook::Workbook;
use colored::Colorize;

use bench::Bench;
use connections::Limits;
use guard::Guard;
use listings::runs::Runs;
pub use site::Build;
use site::{Site, Store};

/// The port, unless the learner names one, or another program uses it.
const DEFAULT_PORT: u16 = 3000;
/// How long the threads that answer may take to end.
const END_TIME: Duration = Duration::from_secs(2);

/// What a server answers with.
struct Live {
    site: Arc<Site>,
    guard: Arc<Guard>,
    /// Runs the listings of lessons.
    listings: Arc<Runs>,
    /// `None` outside of a workbook. Then pages of exercises can only be read.
    bench: Option<Arc<Bench>>,
}

/// Serves the book in the folder `book`, which `build` builds, until Ctrl-C or a terminating
/// signal. In a workbook, pages work with its exercises.
///
/// # Errors
/// When the book cannot be built, or the port cannot be used.
pub fn serve(
    book: &Path,
    build: Build,
    workbook: Option<Workbook>,
    port: Option<u16>,
    open: bool,
) -> anyhow::Result<()> {
    let site = Arc::new(Site::new(book, build, workbook.as_ref().map(|_| Store::Disk))?);
    let listener = listen(port)?;
    let guard = Arc::new(Guard::new(listener.local_addr()?.port()).context("no random numbers")?);
    let bench = workbook.map(|workbook| Arc::new(Bench::new(workbook)));
    let _files = bench.as_ref().map(bench::watch_files).transpose()?;
    let _sources = rebuild::watch(book, Arc::clone(&site));

    say!("the book is at {}   (press Ctrl-C to stop)", guard.address().bold());
    if open {
        browse(&guard.address());
    }
    let listings = Arc::new(Runs::new(book.to_path_buf()));
    let app = api::router(Live { site, guard, listings, bench });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_all()
        .build()
        .context("cannot start threads")?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        connections::run(listener, app, Limits::default(), end_signal()).await;
        anyhow::Ok(())
    })?;
    // The last page that is open holds the bench, and with the bench, the learner's code ends.
    runtime.shutdown_timeout(END_TIME);
    Ok(())
}

/// A socket at this port of this machine; by default at a free one if the usual one is in use.
fn listen(port: Option<u16>) -> anyhow::Result<TcpListener> {
    let at = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listener = match port {
        Some(port) => at(port).with_context(|| {
            format!("port {port} cannot be used: `--port 0` uses any free port")
        })?,
        None => at(DEFAULT_PORT).or_else(|_| at(0)).context("no port can be used")?,
    };
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Waits for Ctrl-C, or for a request to end.
pub(crate) async fn end_signal() {
    let interrupt = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            (Ok(mut terminate), Ok(mut hangup)) => {
                tokio::select! { _ = terminate.recv() => (), _ = hangup.recv() => () }
            }
            _ => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! { () = interrupt => (), () = terminate => () }
}

/// Asks the system to open a page. A failure is ignored because the URL has been printed.
fn browse(url: &str) {
    let opener = match () {
        () if cfg!(target_os = "macos") => "open",
        () if cfg!(windows) => "explorer",
        () => "xdg-open",
    };
    let _ = Command::new(opener).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
