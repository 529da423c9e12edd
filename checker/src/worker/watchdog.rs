//! What a child is doing, as the system sees it from outside: how much memory it has, and whether it is working.
//!
//! Limits that a process carries hold for each process by itself and do not cover every kind of memory. The checker's end
//! therefore also looks from time to time at the child with all that it has started.

use std::time::Duration;

/// A look at a child and its descendants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// Bytes of memory that are really there.
    pub(super) resident: u64,
    /// Processor time used so far, that of descendants which have ended left out.
    pub(super) spent: Duration,
    /// Whether any thread wants a processor, or waits for a disk: it is late because the machine is busy.
    pub(super) busy: bool,
}

/// Looks at the process `id`. Where the system tells nothing, nothing is seen.
#[cfg(target_os = "linux")]
pub(super) fn look(id: u32) -> Load {
    let mut load = Load::default();
    let mut left = vec![id];
    // a process that starts others without end is not followed for ever
    for _ in 0..64 {
        let Some(id) = left.pop() else { break };
        load.resident += resident(id).unwrap_or(0);
        load.spent += spent(id).unwrap_or_default();
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
fn spent(id: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(Duration::from_millis((user + system) * 1000 / rustix::param::clock_ticks_per_second()))
}

/// Looks at the process `id`: nothing is seen here.
#[cfg(not(target_os = "linux"))]
pub(super) fn look(_: u32) -> Load {
    Load::default()
}
