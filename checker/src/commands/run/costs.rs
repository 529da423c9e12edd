//! What `checker run --profile` prints: a timeline and the cost of each launch.

use cudart_sim::report::Report;

use crate::explain;
use crate::report::{terminal, timeline};
use crate::text::sanitise;

/// The timeline, and a table with the cost of each launch.
pub fn costs(report: &Report, width: usize) -> String {
    let mut out = format!("\n{}", timeline::render(&report.timeline, width));
    if report.launches.is_empty() {
        return out;
    }
    let head = ["kernel", "grid", "block", "stream", "us", "requests", "sectors", "conflicts"];
    let rows = report.launches.iter().map(|launch| {
        let total = &launch.observations.totals;
        let requests = total.load_requests + total.store_requests;
        let span = launch.span.and_then(|span| report.timeline.get(span));
        let kernel = sanitise(&launch.kernel);
        vec![
            kernel.split('(').next().unwrap_or_default().chars().take(24).collect(),
            explain::dims(launch.grid),
            explain::dims(launch.block),
            launch.stream.to_string(),
            span.map_or("-".into(), |span| format!("{:.1}", span.end - span.start)),
            requests.to_string(),
            if requests == 0 { "-".into() } else { format!("{:.1}", total.sectors_per_request()) },
            total.shared_conflicts().to_string(),
        ]
    });
    let head = head.map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    out.push_str(&format!("\n{}", terminal::table_to_width(&rows, "  ", width)));
    out.push_str(
        "\n  requests: global loads and stores, per warp; sectors: 32-byte sectors per request\n",
    );
    out
}
