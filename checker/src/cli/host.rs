//! Arguments of `checker host`.

use std::net::SocketAddr;

use clap::Args;

/// `checker host`
#[derive(Debug, Args)]
#[command(after_help = "\
The files of a learner are in the learner's browser. The server compiles and runs each text that a page sends, in the sandbox
and on the simulator, and stores nothing about learners. So you can run as many servers behind one address as you like.

A client is an IP address, or a network of 64 bits in IPv6. All people behind one address share its limits, so raise --rate if
a class shares an address.

Addresses besides the pages:
  /healthz    returns 200, or 503 while the server shuts down
  /metrics    counts and times for Prometheus; don't publish them

Examples:
  checker host                                            try it at http://127.0.0.1:8080
  checker host --origin https://cuda.example.edu --trusted-proxy 127.0.0.1      behind a proxy on this machine
  checker host --bind 0.0.0.0:8080 --origin http://lab7:8080                    in a local network

On SIGTERM or Ctrl-C, the server refuses new checks with the status 503, waits for the checks that are running, and exits.")]
pub struct Host {
    /// Address and port to listen on.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub bind: SocketAddr,
    /// Address that the class types into browsers, without a path; you can repeat it. Required
    /// unless the server listens on this machine only.
    #[arg(long, value_name = "URL")]
    pub origin: Vec<String>,
    /// Path at which the server offers the book, for example `/cuda`.
    #[arg(long, value_name = "PATH", default_value = "/")]
    pub base_path: String,
    /// Address or network of a proxy, for example `10.0.0.0/8`, whose header X-Forwarded-For names
    /// the client; can be given several times.
    #[arg(long, value_name = "ADDR")]
    pub trusted_proxy: Vec<String>,
    /// Number of checks at the same time [default: one for each processor].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Number of checks and views that a client may have run in a minute. An answer that the server
    /// remembers doesn't count.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: u32,
    /// Number of checks and views that a client may request at once after a pause.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub burst: u32,
    /// Number of checks and views that may wait; one client may have a quarter of them.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(4..=100_000))]
    pub queue: u32,
    /// Time limit for a check or view, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub time_limit: u64,
    /// Memory limit for the code of one check, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 768, value_parser = clap::value_parser!(u64).range(256..))]
    pub memory: u64,
    /// Memory for answers that the server remembers, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    pub cache: u64,
    /// Leave the addresses of clients out of the log.
    #[arg(long)]
    pub anonymous_log: bool,
}
