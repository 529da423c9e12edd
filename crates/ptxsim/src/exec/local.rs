//! Local memory: the arrays on each thread's stack.

use super::access::{ActiveLanes, Context, Kind, Request};
use super::alu::Rows;
use super::machine::Location;
use super::warp::lanes;
use super::words::{Words, atomic, element, store};
use super::{COUNT, FULL};
use crate::FindingKind;
use crate::count;
use crate::decode::op::MemOp;

/// Executes a local access: each lane has its own column of words.
#[inline(never)]
pub(super) fn access<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    request: &Request<'_>,
    active: &ActiveLanes,
    addresses: &[u64; 32],
) {
    let Request { index, op, kind } = *request;
    let Context { m, b, warp, rows } = cx;
    let top = active.local_base + active.local_bytes;
    let words = (top as usize).div_ceil(4);
    if warp.local.len() < words * 32 {
        warp.local.resize(words * 32, 0);
        warp.local_written.resize(words * 4, 0);
    }
    if L >= COUNT {
        let site = &mut m.sites[index as usize];
        site.local_requests += 1;
        site.local_sectors += u64::from(count::local_sectors(addresses, active.mask, op.bytes()));
    }
    let bytes = op.bytes();
    for lane in lanes(active.mask) {
        let offset = addresses[lane] as i64;
        let what = if offset < 0 || offset.saturating_add(i64::from(bytes)) > i64::from(top) {
            Some(FindingKind::OutOfBounds)
        } else if offset % i64::from(bytes) != 0 {
            Some(FindingKind::Misaligned)
        } else {
            None
        };
        let thread = b.thread(warp.index * 32 + lane as u32);
        if let Some(what) = what {
            m.fault(what, op, Location::Local(offset), thread, kind == Kind::Store);
            if kind != Kind::Store {
                for row in op.rows.into_iter().filter(|r| *r != u32::MAX) {
                    if op.wide {
                        rows.x[row as usize].0[lane] = 0;
                    } else {
                        rows.r[row as usize].0[lane] = 0;
                    }
                }
            }
            continue;
        }
        let used = offset as usize..offset as usize + bytes as usize;
        // compilers copy a struct with its padding, so a word counts once any byte of it was
        // written
        let unwritten = |word: &[u32]| word.iter().all(|byte| byte >> lane & 1 == 0);
        if L >= FULL
            && kind != Kind::Store
            && warp.local_written[used.clone()].chunks(4).any(unwritten)
        {
            let what = FindingKind::UninitialisedRead;
            m.fault(what, op, Location::Local(offset), thread, false);
        }
        if kind != Kind::Load {
            for byte in used {
                warp.local_written[byte] |= 1 << lane;
            }
        }
        let mut column = Column { words: &mut *warp.local, lane };
        let only = ActiveLanes { mask: 1 << lane, write_mask: 1 << lane, ..*active };
        let offsets = [offset as u32; 32];
        match kind {
            Kind::Load => lane_load(&column, rows, op, lane, offset as u32),
            Kind::Store => {
                store(&mut column, rows, op, &only, &offsets);
            }
            Kind::Atomic => {
                atomic(&mut column, rows, op, &only, &offsets);
            }
        }
    }
}

/// The local memory of one lane.
struct Column<'m> {
    words: &'m mut [u32],
    lane: usize,
}

impl Words for Column<'_> {
    fn get(&self, word: usize) -> u32 {
        self.words.get(word * 32 + self.lane).copied().unwrap_or(0)
    }

    fn set(&mut self, word: usize, value: u32, mask: u32) {
        if let Some(w) = self.words.get_mut(word * 32 + self.lane) {
            *w = (*w & !mask) | (value & mask);
        }
    }
}

fn lane_load<W: Words>(words: &W, rows: &mut Rows<'_>, op: &MemOp, lane: usize, offset: u32) {
    for e in 0..op.vector {
        let row = op.rows[e as usize & 3];
        if row == u32::MAX {
            continue;
        }
        let value = element(words, offset + e * op.width, op);
        if op.wide {
            rows.x[row as usize].0[lane] = value;
        } else {
            rows.r[row as usize].0[lane] = value as u32;
        }
    }
}
