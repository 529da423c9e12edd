//! Explains why pip failed, from its messages and its log, with the wordings of pip 20 to 25.
//!
//! The messages alone do not say it. A pip that makes no second attempt, as `PIP_RETRIES=0` asks,
//! writes "No matching distribution found" for a proxy that refuses it, for an index that does not
//! exist and for wheels of another system. Its log has the reason for each page and each file.

use std::path::Path;

use super::error::Error;

/// What pip writes when it cannot reach a server.
const NETWORK: &[&str] = &[
    "Failed to establish a new connection",
    "name resolution",
    "NameResolutionError",
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Read timed out",
    "SSLError",
    "Connection aborted",
    "IncompleteRead",
    "Network is unreachable",
    "HTTPError",
    "HTTP error",
];
/// What pip writes when a proxy refuses it or does not answer.
const PROXY: &[&str] = &["Tunnel connection failed", "Cannot connect to proxy", "ProxyError"];
/// Of these, what says why the proxy refuses pip.
const REFUSED: &[&str] = &["Tunnel connection failed"];
/// What pip writes when it does not trust a server.
const CERTIFICATE: &[&str] = &["CERTIFICATE_VERIFY_FAILED", "certificate verify failed"];
const DISK: &[&str] =
    &["No space left on device", "Disk quota exceeded", "[Errno 28]", "[Errno 122]"];
const ALTERED: &[&str] =
    &["DO NOT MATCH THE HASHES", "Hash mismatch", "BadZipFile", "has an invalid wheel"];
const ABSENT: &[&str] = &["No matching distribution", "Could not find a version"];

/// The error behind pip's messages in `stderr` and its `log`.
pub(super) fn explain(stderr: &str, log: &str, status: String, cache: &Path) -> Error {
    if has(stderr, DISK) {
        return Error::NoSpace {
            folder: cache.to_path_buf(),
            need: super::pins::CUDA_13.required_space(),
            free: None,
        };
    }
    if has(stderr, ALTERED) {
        return Error::Hash;
    }
    let unreachable = log.lines().filter(|line| line.contains("Could not fetch URL"));
    let causes = || unreachable.clone().chain(stderr.lines());
    let find = |needles: &[&str]| {
        needles.iter().find_map(|needle| causes().find_map(|line| from(line, needle)))
    };
    if let Some(detail) = find(CERTIFICATE) {
        return Error::Certificate { detail };
    }
    let network = find(NETWORK);
    if let Some(detail) = find(PROXY) {
        // Without a refusal, the network's error says why there is no connection to the proxy.
        return Error::Proxy { detail: find(REFUSED).or(network).unwrap_or(detail) };
    }
    let index = configured_index(log);
    if let (Some(detail), None) = (&network, &index) {
        return Error::Offline { detail: detail.clone() };
    }
    let absent = stderr.lines().find(|line| has(line, ABSENT)).map(excerpt);
    let Some(absent) = network.or(absent) else {
        return Error::Pip { status, detail: last_lines(stderr) };
    };
    if absent.contains("from versions: none") && log.contains("none of the wheel's tags") {
        return Error::OtherSystem;
    }
    match index {
        Some(index) => {
            let refusal = unreachable.clone().find_map(|line| from(line, "Client Error"));
            Error::Index { index, detail: refusal.unwrap_or(absent) }
        }
        None => Error::NotOffered { detail: absent },
    }
}

/// The index or the folder that pip's configuration names in place of the usual index.
fn configured_index(log: &str) -> Option<String> {
    let named = |label: &str| {
        let (_, places) = log.split_once(label)?;
        Some(excerpt(places.lines().next()?))
    };
    named("Looking in indexes: ").or_else(|| {
        // "Ignoring indexes" stands there with PIP_NO_INDEX.
        log.contains("Ignoring indexes: ").then(|| named("Looking in links: "))?
    })
}

fn has(text: &str, needles: &[&str]) -> bool {
    needles.iter().any(|needle| text.contains(needle))
}

/// The part of a line from `needle` to the end of its quotation, which is readable although pip
/// prints nested exceptions. An HTTP status before the needle belongs to it.
fn from(line: &str, needle: &str) -> Option<String> {
    let at = line.find(needle)?;
    let before = line.get(..at)?.trim_end();
    let number = before.rsplit(' ').next().unwrap_or_default();
    let is_status = number.len() == 3 && number.chars().all(|c| c.is_ascii_digit());
    let at = if is_status { before.len() - number.len() } else { at };
    let rest = line.get(at..)?;
    let end = rest.find(['\'', '"', ')']).unwrap_or(rest.len());
    Some(excerpt(rest.get(..end).unwrap_or(rest)))
}

/// The last lines of what pip wrote, each marked as pip's.
pub(super) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(6)..).unwrap_or_default();
    last.iter().map(|l| format!("  pip: {}", excerpt(l))).collect::<Vec<_>>().join("\n")
}

/// One line of pip's output without its level, safe and short enough to show.
fn excerpt(line: &str) -> String {
    let message = line.trim().trim_start_matches("ERROR: ").trim_start_matches("WARNING: ");
    crate::text::excerpt(message, 300)
}

#[cfg(test)]
#[path = "pip_failure_tests.rs"]
mod tests;
