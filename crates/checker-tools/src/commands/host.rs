//! `checker host`: serves the live book to a class that installs nothing.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::Context as _;
use checker::cli::Host;
use checker::exit::Exit;

use super::book::{Sources, build_for_hosting};
use crate::host::{self, Admission, Limits, Settings};

/// Serves until a signal ends the server.
pub fn run(args: &Host) -> anyhow::Result<Exit> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let listener = TcpListener::bind(args.bind).with_context(|| {
        format!("{} cannot be used: `--bind` chooses another address", args.bind)
    })?;
    let (origins, base, proxies) = (&args.origin, &args.base_path, &args.trusted_proxy);
    let settings = Settings {
        admission: Admission::new(listener.local_addr()?, origins, base, proxies)?,
        listener,
        jobs: args.jobs.map_or(cores, usize::from),
        limits: Limits {
            per_minute: args.rate,
            burst: args.burst,
            waiting: args.queue as usize,
            time: Duration::from_secs(args.time_limit),
            memory_bytes: args.memory << 20,
            cache_bytes: usize::try_from(args.cache << 20)?,
        },
        log_addresses: !args.anonymous_log,
    };
    let sources = Sources::find()?;
    host::serve(&sources.folder, build_for_hosting, settings)?;
    Ok(Exit::Passed)
}
