//! The functions that device code calls and the driver provides: `vprintf`, `malloc`, `free`,
//! `__assertfail`.

use super::access::{ActiveLanes, Context};
use super::alu::Rows;
use super::machine::{BlockState, Machine, ThreadAt};
use super::warp::lanes;
use crate::address::{LOCAL_SLOT, SHARED_SLOT, split};
use crate::decode::op::Target;
use crate::{FindingKind, printf};

/// Local memory of a thread. A device has 512 KB (CUDA C++ Programming Guide, "Technical
/// Specifications"). It is less here, so that a whole block of runaway recursions fits into a
/// laptop's memory.
pub(super) const LOCAL_LIMIT_BYTES: u64 = 64 << 10;

/// The return value of the device's `printf` for a format that is no string: -1 (CUDA C++
/// Programming Guide, "Formatted Output").
const NO_FORMAT: u64 = u64::MAX;

/// Executes a call of a built-in function. False when the kernel cannot continue.
#[inline(never)]
pub(super) fn call(
    cx: &mut Context<'_, '_, '_>,
    (call, pc): (u32, u32),
    target: Target,
    active: &ActiveLanes,
) -> bool {
    let (m, b, rows) = (&mut *cx.m, &*cx.b, &mut cx.rows);
    let (warp, local) = (cx.warp.index, cx.warp.local.as_slice());
    let Some(op) = m.grid.program.calls.get(call as usize) else { return false };
    let argument = |rows: &Rows<'_>, n: usize, lane: usize| -> u64 {
        let Some((row, words)) = op.args.get(n).copied() else { return 0 };
        let word = |r: u32| rows.r.get(r as usize).map_or(0, |row| u64::from(row.0[lane]));
        word(row) | if words > 1 { word(row + 1) << 32 } else { 0 }
    };
    let mut results = [0_u64; 32];
    for lane in lanes(active.mask) {
        let read = |address: u64, n: usize| bytes(m, b, local, lane, address, n);
        let string = |address: u64| text(m, b, local, lane, address);
        match target {
            // So that a kernel that prints without end reaches its instruction budget soon, dropped
            // output is not formatted. It counts with the length of the first lane's format.
            Target::Printf if m.output_is_full() => {
                let format = string(argument(rows, 0, lane));
                let bytes = format.as_ref().map_or(0, |format| format.len() as u64);
                let arguments = format.map(|f| u64::from(printf::format(&f, &[], &string).1));
                results = [arguments.unwrap_or(NO_FORMAT); 32];
                m.output_dropped += bytes * u64::from(active.mask.count_ones());
                break;
            }
            Target::Printf => {
                let Some(format) = string(argument(rows, 0, lane)) else {
                    results[lane] = NO_FORMAT;
                    continue;
                };
                let packed = read(argument(rows, 1, lane), 32 * 8);
                let (line, arguments) = printf::format(&format, &packed, &string);
                results[lane] = u64::from(arguments);
                m.print(line.as_bytes());
            }
            Target::AssertFail => {
                let expression = string(argument(rows, 0, lane)).unwrap_or_default();
                let expression = String::from_utf8_lossy(&expression).into_owned();
                let at = ThreadAt { pc, linear: warp * 32 + lane as u32 };
                m.report(FindingKind::Assert { expression }, b.index, at);
                return false;
            }
            Target::Malloc => results[lane] = m.malloc(argument(rows, 0, lane)),
            Target::Free => {
                let at = ThreadAt { pc, linear: warp * 32 + lane as u32 };
                m.free(argument(rows, 0, lane), b.index, at);
            }
            _ => {}
        }
    }
    if let Some((row, words)) = op.results.first().copied() {
        for w in 0..words.min(2) {
            let v = results.map(|r| (r >> (32 * w)) as u32);
            rows.set32(row + w, &v, active.mask);
        }
    }
    true
}

/// Up to `n` bytes at a generic address; shorter where memory ends.
fn bytes(
    m: &Machine<'_>,
    b: &BlockState,
    local: &[u32],
    lane: usize,
    address: u64,
    n: usize,
) -> Vec<u8> {
    let (slot, offset) = split(address);
    let Ok(start) = usize::try_from(offset) else { return vec![] };
    let byte = |at: usize| -> Option<u8> {
        let word = match slot {
            SHARED_SLOT => b.shared.get(at / 4).copied(),
            LOCAL_SLOT => local.get(at / 4 * 32 + lane).copied(),
            _ => m.grid.memory.word((slot as usize).checked_sub(1)?, at / 4),
        }?;
        Some((word >> (at % 4 * 8)) as u8)
    };
    (start..start.saturating_add(n)).map_while(byte).collect()
}

/// The zero-terminated string at an address, cut at 4096 bytes; `None` for an address outside
/// memory.
fn text(
    m: &Machine<'_>,
    b: &BlockState,
    local: &[u32],
    lane: usize,
    address: u64,
) -> Option<Vec<u8>> {
    let mut all = bytes(m, b, local, lane, address, 4096);
    if all.is_empty() {
        return None;
    }
    if let Some(end) = all.iter().position(|b| *b == 0) {
        all.truncate(end);
    }
    Some(all)
}
