//! Joins what the host threads of a launch observed.

use std::collections::BTreeMap;

use crate::exec::findings::Findings;
use crate::exec::hazards::pages::SlotShadow;
use crate::exec::heap::Heap;
use crate::exec::machine::Machine;
use crate::trace::Trace;
use crate::{AccessSet, Counters, LineCounters, Observations, Source, Traffic};

/// What a launch leaves behind beside global memory.
pub(super) struct Merged {
    pub heap: Option<Heap>,
    pub observations: Observations,
    pub completed: bool,
    pub shadows: Vec<SlotShadow>,
    pub trace: Option<Trace>,
    pub touched: Option<Box<AccessSet>>,
}

/// One shadow per allocation from those of several host threads; `None` when accesses of two of
/// them conflict.
pub(super) fn merge_shadows(mut results: Vec<(Machine<'_>, bool)>) -> Option<Merged> {
    let slots = results.iter().map(|(m, _)| m.shadows.len()).max().unwrap_or(0);
    let mut all: Vec<Vec<SlotShadow>> = (0..slots).map(|_| vec![]).collect();
    for (m, _) in &mut results {
        for (slot, shadow) in std::mem::take(&mut m.shadows).into_iter().enumerate() {
            all[slot].push(shadow);
        }
    }
    let shadows = all.into_iter().map(SlotShadow::join).collect::<Option<Vec<_>>>()?;
    Some(Merged { shadows, ..merge(results) })
}

pub(super) fn merge(results: Vec<(Machine<'_>, bool)>) -> Merged {
    let program = results.first().map(|(m, _)| m.grid.program);
    let mut observations = Observations::default();
    let mut completed = true;
    let mut lines: BTreeMap<Source, (Counters, Traffic)> = BTreeMap::new();
    let mut findings = Findings::default();
    let (mut shadows, mut heap) = (vec![], None);
    let mut output = vec![];
    let mut trace = None;
    let mut touched: Option<Box<AccessSet>> = None;
    for (mut m, done) in results {
        completed &= done;
        observations.unmapped |= m.unmapped;
        if let Some(counted) = &m.load_waits {
            *observations.load_waits.get_or_insert_default() += counted.waits;
            observations.awaited.get_or_insert_default().add(&counted.awaited);
        }
        observations.snapshots = m.snapshots.take();
        if let Some(caches) = &m.caches {
            observations.levels.get_or_insert_default().add(&caches.counts);
        }
        observations.busiest_warp = observations.busiest_warp.max(m.busiest_warp);
        for (source, counters, traffic) in m.counters() {
            observations.totals.add(&counters);
            observations.traffic.add(&traffic);
            let Some(source) = m.grid.program.sources.get(source as usize) else { continue };
            let line = lines.entry(Source { column: 0, ..source.clone() }).or_default();
            line.0.add(&counters);
            line.1.add(&traffic);
        }
        output.extend_from_slice(&m.output);
        observations.output_dropped += m.output_dropped;
        findings.absorb(std::mem::take(&mut m.findings));
        shadows = std::mem::take(&mut m.shadows);
        trace = m.trace.take().map(|tracer| tracer.finish(&m)).or(trace);
        heap = m.heap.take().or(heap);
        touched = match (touched, m.touched.take()) {
            (Some(mut all), Some(more)) => {
                all.join(&more);
                Some(all)
            }
            (all, more) => all.or(more),
        };
    }
    observations.output = String::from_utf8_lossy(&output).into_owned();
    observations.findings = findings.finish(program);
    observations.lines = lines
        .into_iter()
        .filter(|(s, (c, t))| s.line > 0 && (*c, *t) != Default::default())
        .map(|(source, (counters, traffic))| LineCounters { source, counters, traffic })
        .collect();
    Merged { observations, completed, shadows, heap, trace, touched }
}
