//! What several launches did together.

use ptxsim::{LineCounters, Observations};

use super::LaunchRecord;

/// The observations of launches, added up in total and by line, without their findings.
pub fn total_of<'a>(launches: impl IntoIterator<Item = &'a LaunchRecord>) -> Observations {
    let mut all = Observations { completed: true, ..Observations::default() };
    for Observations {
        completed,
        totals,
        traffic,
        lines,
        shared_bytes,
        constant_bytes,
        warps,
        busiest_warp,
        ..
    } in launches.into_iter().map(|launch| &launch.observations)
    {
        all.completed &= completed;
        all.shared_bytes = all.shared_bytes.max(*shared_bytes);
        all.constant_bytes = all.constant_bytes.max(*constant_bytes);
        all.warps += warps;
        all.busiest_warp = all.busiest_warp.max(*busiest_warp);
        all.totals.add(totals);
        all.traffic.add(traffic);
        for line in lines {
            match all.lines.iter_mut().find(|known| known.source == line.source) {
                Some(known) => {
                    known.counters.add(&line.counters);
                    known.traffic.add(&line.traffic);
                }
                None => all.lines.push(line.clone()),
            }
        }
    }
    let key = |line: &LineCounters| (line.source.file.clone(), line.source.line);
    all.lines.sort_by_key(key);
    all
}
