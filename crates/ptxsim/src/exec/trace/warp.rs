//! The records of the followed threads of one warp: of the thread itself, and of the threads beside
//! it where these are followed as well.

use super::{Context, Here, Tracer};
use crate::exec::machine::Machine;
use crate::exec::warp::Split;
use crate::trace::{Neighbour, Trace};

/// The threads of a warp that are followed.
#[derive(Debug)]
pub(crate) struct WarpTracer {
    /// The thread, and then the others in the order of their lanes.
    threads: Vec<Tracer>,
    /// Operations that the warp has executed.
    operations: u64,
}

impl WarpTracer {
    /// Follows `thread`, and with it `others` of its warp.
    pub fn new(thread: Tracer, others: Vec<Tracer>) -> Self {
        let mut threads = vec![thread];
        threads.extend(others);
        Self { threads, operations: 0 }
    }

    /// The warp, in its own block.
    pub fn warp_of(&self, block: u32) -> Option<usize> {
        self.threads.first()?.warp_of(block)
    }

    /// The records, with everything named.
    pub fn finish(self, m: &Machine<'_>) -> Trace {
        let mut threads = self.threads.into_iter();
        let Some(thread) = threads.next() else { return Trace::default() };
        let named =
            |tracer: Tracer| Neighbour { lane: tracer.linear % 32, trace: tracer.finish(m) };
        Trace { neighbours: threads.map(named).collect(), ..thread.finish(m) }
    }
}

/// Records what the operation at `pc` is about to do, for each followed thread that executes it.
#[inline(never)]
pub(crate) fn before(cx: &mut Context<'_, '_, '_>, split: &Split, pc: u32) {
    let Context { m, b, warp, rows } = cx;
    let in_warp =
        |followed: &mut Box<WarpTracer>| followed.warp_of(b.index) == Some(warp.index as usize);
    let Some(mut followed) = m.trace.take_if(in_warp) else { return };
    followed.operations += 1;
    let (frame, depth) = (split.frame, split.stack.len());
    let clock = followed.operations;
    let here = Here { pc, mask: split.mask, live: *warp.live, frame, depth, clock };
    for tracer in &mut followed.threads {
        if tracer.follows(b.index, warp.index, split.mask) {
            tracer.observe(m, b, warp, rows, &here);
        }
    }
    m.trace = Some(followed);
}
