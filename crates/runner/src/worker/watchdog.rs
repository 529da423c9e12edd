//! Observes a child from outside: how much memory it uses, and whether it is working.
//!
//! Resource limits apply to each process separately, and do not cover every kind of memory. So the
//! checker also measures the child and all its descendants from time to time.

use std::time::Duration;

/// The most processes that are measured, in case a process starts others without end.
#[cfg(target_os = "linux")]
const MAX_PROCESSES: usize = 64;

/// The state of a child and its descendants at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// Bytes of resident memory.
    pub(super) resident: u64,
    /// Processor time used so far, without that of descendants which have ended.
    pub(super) processor_time: Duration,
    /// Does any thread wait for a processor or a disk? Then the child may be late only because the
    /// machine is busy.
    pub(super) busy: bool,
}

/// Measures the process `id` and its descendants. What the system does not report counts as zero.
#[cfg(target_os = "linux")]
pub(super) fn measure(id: u32) -> Load {
    let mut load = Load::default();
    let mut left = vec![id];
    for _ in 0..MAX_PROCESSES {
        let Some(id) = left.pop() else { break };
        load.resident += resident(id).unwrap_or(0);
        load.processor_time += processor_time(id).unwrap_or_default();
        for thread in std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten()
        {
            let path = thread.path();
            let stat = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
            // "12 (name) R ...": the name may contain anything (proc_pid_stat(5))
            let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
            load.busy |= matches!(state, Some('R' | 'D'));
            let children = std::fs::read_to_string(path.join("children")).unwrap_or_default();
            left.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
    }
    load
}

/// `Rss` of proc_pid_statm(5), in bytes.
#[cfg(target_os = "linux")]
fn resident(id: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// `utime` and `stime` of proc_pid_stat(5).
#[cfg(target_os = "linux")]
fn processor_time(id: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(Duration::from_millis((user + system) * 1000 / rustix::param::clock_ticks_per_second()))
}

/// Other systems report nothing.
#[cfg(not(target_os = "linux"))]
pub(super) fn measure(_: u32) -> Load {
    Load::default()
}
