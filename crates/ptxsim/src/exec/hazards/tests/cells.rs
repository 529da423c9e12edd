//! The forms of a shadow cell, shadows of several host threads, and lanes side by side.

use std::collections::HashSet;

use super::super::cell::{ShadowCell, mark};
use super::super::current_access::{CurrentAccess, check_and_record};
use super::super::fast_path::FastPath;
use super::super::pages::{PAGE_WORDS, SlotShadow};
use super::super::prior_access::{AccessGroup, PriorAccess, PriorLists, Strength, Workspace};
use crate::Memory;

#[test]
fn unpacking_a_packed_cell_restores_its_accesses() {
    let mut random = 7_u64;
    let mut next = |n: u32| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as u32 % n
    };
    let mut forms = HashSet::new();
    for _ in 0..20_000 {
        let mut list = vec![];
        for _ in 0..next(4) {
            let (bytes, strength) = (
                if next(2) == 0 { 15 } else { 1 << next(4) },
                [Strength::Weak, Strength::Gpu, Strength::Cta][next(9) as usize / 4],
            );
            list.push(PriorAccess {
                block: next(3),
                stamp: 1 + next(2),
                site: 100 + next(12),
                thread: next(1024),
                bytes,
                extent: if strength == Strength::Weak { 0 } else { bytes },
                write: next(2) == 0,
                atomic: false,
                volatile: false,
                in_flight: false,
                chains: 0,
                observer: false,
                strength,
                group: AccessGroup::from_bits(u64::from(next(8) / 5)),
            });
        }
        let (mut lists, mut kept) = (PriorLists::default(), list.clone());
        let cell = ShadowCell::pack(ShadowCell::untouched(0), None, 15, &mut lists, &mut kept);
        forms.insert(cell.write >> 61);
        let mut workspace = Workspace::default();
        cell.unpack(None, &mut lists, &mut workspace);
        let kept = workspace.list;
        // byte by byte, because one entry may have become several
        let bytes = |list: &[PriorAccess]| {
            let each = list
                .iter()
                .flat_map(|p| (0..4).map(move |b| PriorAccess { bytes: p.bytes & 1 << b, ..*p }));
            let mut all: Vec<String> =
                each.filter(|p| p.bytes != 0).map(|p| format!("{p:?}")).collect();
            all.sort();
            all
        };
        assert_eq!(bytes(&list), bytes(&kept));
        assert_eq!((cell.initialised(None), cell.writes()), (15, 0));
    }
    assert!(forms.len() >= 4, "{forms:?}");
}

#[test]
fn joining_shadows_finds_conflicts_of_host_threads() {
    let mut memory = Memory::new();
    memory.alloc("data", (PAGE_WORDS as u64 + 8) * 4, 4, Some(&[])).expect("memory");
    let allocations = memory.allocations;
    let shadow = |block: u32, word: usize, bytes: u8, write: bool, strength| {
        let current = CurrentAccess { strength, ..access(block, 1, 1) };
        let mut shadow = SlotShadow::new(PAGE_WORDS + 8, None);
        let cell = shadow.pages.cell(word, &allocations[0]).expect("a cell");
        let new = current.to_prior(bytes, write);
        check_and_record(
            cell,
            &mut shadow.lists,
            &mut Workspace::default(),
            &current,
            new,
            None,
            |_| false,
        );
        shadow
    };
    let (weak, gpu) = (Strength::Weak, Strength::Gpu);
    let written = |word| shadow(0, word, 15, true, weak);
    let conflict = |a, b| SlotShadow::join(vec![a, b]).is_none();
    for word in [0, 5, PAGE_WORDS + 7] {
        assert!(conflict(written(word), shadow(1, word, 15, false, weak)));
        assert!(conflict(written(word), shadow(1, word, 4, false, weak)));
    }
    assert!(!conflict(written(0), shadow(1, 1, 15, false, weak)));
    assert!(!conflict(written(0), shadow(1, PAGE_WORDS, 15, false, weak)));
    assert!(!conflict(shadow(0, 0, 15, false, weak), shadow(1, 0, 15, false, weak)));
    assert!(!conflict(shadow(0, 0, 3, true, weak), shadow(1, 0, 12, true, weak)));
    assert!(!conflict(shadow(0, 0, 15, true, gpu), shadow(1, 0, 15, true, gpu)));
    assert!(conflict(shadow(0, 0, 15, true, gpu), shadow(1, 0, 15, false, weak)));
    // three shadows, without and with a conflict
    let third = || shadow(2, 0, 12, true, weak);
    let all = vec![shadow(0, 0, 1, true, weak), shadow(1, 0, 2, true, weak), third()];
    assert!(SlotShadow::join(all).is_some());
    let all = vec![written(0), shadow(1, 1, 15, true, weak), third()];
    assert!(SlotShadow::join(all).is_none());
}

/// An access to global memory by thread 0 of a block, at stamp 1.
fn access(block: u32, block_epoch: u32, warp_epoch: u32) -> CurrentAccess {
    CurrentAccess {
        thread: 0,
        block,
        stamp: 1,
        site: 0,
        block_epoch,
        warp_epoch,
        strength: Strength::Weak,
        volatile: false,
        block_number: block,
        may_group: true,
        shared: false,
    }
}

/// The fast path leaves the cells of lanes side by side as it does lane by lane.
#[test]
fn lanes_together_leave_the_same_cells_as_one_by_one() {
    let mut random = 11_u64;
    let mut next = |n: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    let mut decided = [0_u32; 4];
    for round in 0..200_000 {
        let (block, epoch) = (3_u32, 2 + next(2) as u32);
        let current = access(block, epoch, epoch + next(2) as u32);
        let path = FastPath::new(&CurrentAccess { may_group: next(4) > 0, ..current });
        let first = mark(block, epoch + next(2) as u32, 9, 64);
        // all cells alike but for the thread, and now and then one that is not
        let mut half = || {
            let kind = [0, 0, 0, 1, 2, 3, 4, 7][next(8) as usize];
            let mark = mark(2 + next(2) as u32, next(5) as u32, 5, 0);
            let low = [0, 15, 15, next(16)][next(4) as usize];
            if next(3) == 0 { low << 21 } else { mark | low << 21 | kind << 61 }
        };
        let (alike, odd) = ([half(), half()], [half(), half()]);
        let (odd_cell, far) = (next(64), [0, 32, 0, 64][next(4) as usize]);
        let cells: [ShadowCell; 16] = std::array::from_fn(|i| {
            let [write, read] = if odd_cell == i as u64 { odd } else { alike };
            let thread = 64 - 32 + far + i as u64;
            let of = |half: u64| if half >> 25 == 0 { half } else { half | thread };
            ShadowCell { write: of(write), read: of(read) }
        });
        let which = round % 4;
        // shared memory does not count its writes
        let counts = if which < 2 { !(15 << 21) } else { !0 };
        let cells = cells.map(|c| ShadowCell { read: c.read & counts, ..c });
        let (mut together, mut alone) = (cells, cells);
        let done = match which {
            0 => path.read_shared_run(&mut together, first),
            1 => path.write_shared_run(&mut together, first),
            2 => path.read_global_run(&mut together, first),
            _ => path.write_global_run(&mut together, first),
        };
        if !done {
            assert_eq!(together, cells);
            continue;
        }
        decided[which] += 1;
        for (cell, mark) in alone.iter_mut().zip(first..) {
            let fine = match which {
                0 => path.read_shared(cell, mark),
                1 => path.write_shared(cell, mark),
                2 => cell.initialised(None) == 15 && path.read_global(cell, mark),
                _ => path.write_global(cell, mark),
            };
            assert!(fine, "{cells:x?} {first:x}");
        }
        assert_eq!(together, alone, "{cells:x?} {first:x}");
    }
    assert!(decided.iter().all(|n| *n > 1000), "{decided:?}");
}

/// The fast path for volatile accesses of shared words leaves the cells that the slow path leaves.
#[test]
fn volatile_accesses_leave_the_same_cells_on_both_paths() {
    let mut random = 13_u64;
    let mut next = |n: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    let mut workspace =
        Workspace { volatile_sites: std::iter::once(1).collect(), ..Workspace::default() };
    let mut decided = [0_u32; 2];
    for _ in 0..200_000 {
        let epoch = 2 + next(2) as u32;
        let warp_epoch = epoch + next(2) as u32;
        let site = next(2) as u32;
        let current = CurrentAccess {
            thread: 32 * next(2) as u32 + next(2) as u32,
            stamp: warp_epoch + next(2) as u32,
            site,
            volatile: site == 1,
            strength: Strength::Gpu,
            shared: true,
            ..access(3, epoch, warp_epoch)
        };
        let mut half = |kinds: &[u64], low: u64| {
            let kind = kinds[next(kinds.len() as u64) as usize];
            let (block, stamp) =
                (2 + next(4).min(1) as u32, next(u64::from(current.stamp)) as u32 + 1);
            let thread = 32 * next(2) as u32 + next(2) as u32;
            let none = u64::from(block) << 41;
            let half = mark(block, stamp, next(2) as u32, thread) | kind << 61;
            if next(4) == 0 { none | low << 21 } else { half | low << 21 }
        };
        let cell = ShadowCell { write: half(&[0, 4, 4], 15), read: half(&[0, 1, 2, 4, 5, 6], 0) };
        let write = next(2) > 0;
        let (path, mut fast, mut slow) = (FastPath::new(&current), cell, cell);
        let like = |half: u64| (half >> 10 & 1 == 1) == current.volatile;
        let done = if write {
            path.write_shared_strongly(&mut fast, current.mark(), like)
        } else {
            path.read_shared_strongly(&mut fast, current.mark(), like)
        };
        if !done {
            assert_eq!(fast, cell);
            continue;
        }
        decided[usize::from(write)] += 1;
        let (mut lists, new) = (PriorLists::default(), current.to_prior(15, write));
        let found =
            check_and_record(&mut slow, &mut lists, &mut workspace, &current, new, None, |_| false);
        assert_eq!((found, fast), (None, slow), "{cell:x?} {current:?} {write}");
    }
    assert!(decided.iter().all(|n| *n > 10_000), "{decided:?}");
}
