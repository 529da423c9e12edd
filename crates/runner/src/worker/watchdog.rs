//! Observes a child from outside: how much memory it uses, how many threads it has, and whether it
//! is working.
//!
//! Resource limits apply to each process separately, and do not cover every kind of memory. The
//! limit on threads counts all processes of a user, and root has none. So the checker also measures
//! the child and all its descendants from time to time.

use std::time::Duration;

/// The most processes that are measured, in case a process starts others without end.
#[cfg(target_os = "linux")]
const MAX_PROCESSES: usize = 64;

/// The most threads of a child and its descendants. The simulator and a driver need some dozens,
/// and a machine that has to run thousands cannot start other processes.
pub(super) const MAX_THREADS: u64 = 256;

/// The state of a child and its descendants at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// Bytes of resident memory.
    pub(super) resident: u64,
    /// Threads. Beyond [`MAX_THREADS`], nothing else is measured.
    pub(super) threads: u64,
    /// Processor time used so far, without that of descendants which have ended.
    pub(super) processor_time: Duration,
    /// Does any thread wait for a processor or a disk? Then the child may be late only because the
    /// machine is busy.
    pub(super) busy: bool,
}

/// How many threads the process `id` has; 0 if it has ended.
#[cfg(target_os = "linux")]
pub(super) fn threads(id: u32) -> u64 {
    stat(id).map_or(0, |process| process.threads)
}

/// Measures the process `id` and its descendants. What the system does not report counts as zero.
#[cfg(target_os = "linux")]
pub(super) fn measure(id: u32) -> Load {
    let mut load = Load::default();
    let mut left = vec![id];
    for _ in 0..MAX_PROCESSES {
        let Some(id) = left.pop() else { break };
        let Some(process) = stat(id) else { continue };
        load.processor_time += process.processor_time;
        load.threads += process.threads;
        // reading the state of each of them would take long
        if load.threads > MAX_THREADS {
            break;
        }
        load.resident += resident(id).unwrap_or(0);
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

/// What proc_pid_stat(5) says about one process.
#[cfg(target_os = "linux")]
struct Stat {
    /// `utime` and `stime`.
    processor_time: Duration,
    /// `num_threads`.
    threads: u64,
}

#[cfg(target_os = "linux")]
fn stat(id: u32) -> Option<Stat> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // the fields after the name, from `state` on
    let (_, rest) = stat.rsplit_once(") ")?;
    let field = |n: usize| rest.split_whitespace().nth(n)?.parse::<u64>().ok();
    let ticks = field(11)? + field(12)?;
    let processor_time =
        Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second());
    Some(Stat { processor_time, threads: field(17)? })
}

/// Other systems report nothing.
#[cfg(not(target_os = "linux"))]
pub(super) fn measure(_: u32) -> Load {
    Load::default()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::sync::{Arc, Barrier};

    /// A process is measured with all its threads, and no further than to their number once there
    /// are too many.
    #[test]
    fn threads_are_counted() {
        let before = measure(std::process::id());
        assert!(before.threads >= 1 && before.resident > 0);
        let wait = Arc::new(Barrier::new(MAX_THREADS as usize + 1));
        let threads: Vec<_> = (0..MAX_THREADS)
            .map(|_| {
                let wait = Arc::clone(&wait);
                std::thread::spawn(move || wait.wait())
            })
            .collect();
        let load = measure(std::process::id());
        wait.wait();
        threads.into_iter().for_each(|thread| drop(thread.join()));
        assert!(load.threads > MAX_THREADS, "{load:?}");
        assert_eq!(load.resident, 0, "nothing else is measured");
    }
}
