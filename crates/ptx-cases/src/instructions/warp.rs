//! Operations of the lanes of a warp and the threads of a block together.

use super::Table;
use super::values::{ELEMENTS, values};
use crate::Random;

/// PTX ISA, "shfl.sync", its pseudo code.
fn shuffled(mode: &str, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (bval, cval, mask) = (b & 31, c & 31, c >> 8 & 31);
    let max_lane = (lane & mask) | (cval & !mask);
    let min_lane = lane & mask;
    let (j, p) = match mode {
        "up" => (lane.wrapping_sub(bval), lane as i32 - bval as i32 >= max_lane as i32),
        "down" => (lane + bval, lane + bval <= max_lane),
        "bfly" => (lane ^ bval, lane ^ bval <= max_lane),
        _ => (min_lane | (bval & !mask), min_lane | (bval & !mask) <= max_lane),
    };
    if p { (j, true) } else { (lane, false) }
}

pub(super) fn shuffles_with_every_segment(t: &Table) {
    for mode in ["up", "down", "bfly", "idx"] {
        for (segment, clamp) in
            [(0, 31), (16, 31), (24, 31), (28, 31), (0, 0), (16, 0), (24, 0), (0, 15), (31, 31)]
        {
            for by in [0_u32, 1, 3, 7, 16, 31, 33] {
                let c = segment << 8 | clamp;
                let text = format!(
                    "shfl.sync.{mode}.b32 {{d}}|%p9, {{a}}, {by}, {c}, -1;\n@%p9 xor.b32 {{d}}, {{d}}, 0x80000000;"
                );
                let mut random = Random(9);
                let inputs = [values('r', &mut random), vec![0; ELEMENTS], vec![0; ELEMENTS]];
                t.elements(&text, &['r', 'r'], inputs, |[a, ..], i| {
                    let (from, inside) = shuffled(mode, i as u32 % 32, by, c);
                    let v = a[i / 32 * 32 + (from as usize & 31)];
                    if inside { v ^ 0x8000_0000 } else { v }
                });
            }
        }
    }
}

pub(super) fn votes_matches_and_reductions(t: &Table) {
    let mut random = Random(11);
    let a: Vec<u64> =
        (0..ELEMENTS).map(|i| if i / 32 % 4 == 0 { 5 } else { random.below(4) }).collect();
    let inputs = || [a.clone(), vec![0; ELEMENTS], vec![0; ELEMENTS]];
    type Of = fn(&[u64], usize) -> u64;
    let odd: Of = |w, _| (0..32).filter(|i| w[*i] & 1 == 1).fold(0, |m, i| m | 1 << i);
    let cases: [(&str, Of); 16] = [
        ("and.b32 {a}, {a}, 1;\nsetp.eq.u32 %p9, {a}, 1;\nvote.sync.ballot.b32 {d}, %p9, -1;", odd),
        (
            "and.b32 {a}, {a}, 1;\nsetp.eq.u32 %p9, {a}, 1;\nvote.sync.all.pred %p8, %p9, -1;\nselp.b32 {d}, 1, 0, %p8;",
            |w, _| u64::from(w.iter().all(|v| v & 1 == 1)),
        ),
        (
            "and.b32 {a}, {a}, 1;\nsetp.eq.u32 %p9, {a}, 1;\nvote.sync.any.pred %p8, %p9, -1;\nselp.b32 {d}, 1, 0, %p8;",
            |w, _| u64::from(w.iter().any(|v| v & 1 == 1)),
        ),
        (
            "and.b32 {a}, {a}, 1;\nsetp.eq.u32 %p9, {a}, 1;\nvote.sync.uni.pred %p8, %p9, -1;\nselp.b32 {d}, 1, 0, %p8;",
            |w, _| u64::from(w.iter().all(|v| v & 1 == w[0] & 1)),
        ),
        ("setp.ne.u32 %p7, {a}, {a};\nvote.sync.ballot.b32 {d}, !%p7, -1;", |_, _| 0xffff_ffff),
        ("match.any.sync.b32 {d}, {a}, -1;", |w, l| {
            (0..32).filter(|i| w[*i] == w[l]).fold(0, |m, i| m | 1 << i)
        }),
        ("cvt.u64.u32 %x6, {a};\nmatch.any.sync.b64 {d}, %x6, -1;", |w, l| {
            (0..32).filter(|i| w[*i] == w[l]).fold(0, |m, i| m | 1 << i)
        }),
        ("match.all.sync.b32 {d}|%p9, {a}, -1;\n@!%p9 mov.b32 {d}, 9;", |w, _| {
            if w.iter().all(|v| *v == w[0]) { 0xffff_ffff } else { 9 }
        }),
        ("redux.sync.add.s32 {d}, {a}, -1;", |w, _| w.iter().sum()),
        ("redux.sync.min.u32 {d}, {a}, -1;", |w, _| *w.iter().min().expect("32")),
        ("sub.s32 {a}, 0, {a};\nredux.sync.min.s32 {d}, {a}, -1;", |w, _| {
            u64::from((*w.iter().max().expect("32") as u32).wrapping_neg())
        }),
        ("redux.sync.max.u32 {d}, {a}, -1;", |w, _| *w.iter().max().expect("32")),
        ("redux.sync.and.b32 {d}, {a}, -1;", |w, _| w.iter().fold(u64::MAX, |x, y| x & y)),
        ("redux.sync.or.b32 {d}, {a}, -1;", |w, _| w.iter().fold(0, |x, y| x | y)),
        ("redux.sync.xor.b32 {d}, {a}, -1;", |w, _| w.iter().fold(0, |x, y| x ^ y)),
        ("activemask.b32 {d};", |_, _| 0xffff_ffff),
    ];
    for (text, f) in cases {
        t.elements(text, &['r', 'r'], inputs(), |[a, ..], i| {
            f(&a[i / 32 * 32..i / 32 * 32 + 32], i % 32)
        });
    }
    // the halves of a warp, each separately
    let text = "setp.lt.u32 %p9, %r20, 0;\nmov.u32 %r12, %laneid;\nsetp.lt.u32 %p8, %r12, 16;\nselp.b32 %r13, 0xffff, 0xffff0000, %p8;\n\
         @%p8 bra $low;\nredux.sync.add.u32 {d}, {a}, %r13;\nbra $end;\n$low:\nredux.sync.max.u32 {d}, {a}, %r13;\n$end:";
    t.elements(text, &['r', 'r'], inputs(), |[a, ..], i| {
        let half = &a[i / 16 * 16..i / 16 * 16 + 16];
        if i % 32 < 16 { *half.iter().max().expect("16") } else { half.iter().sum() }
    });
}

pub(super) fn barriers_that_count(t: &Table) {
    let mut random = Random(13);
    let a: Vec<u64> = (0..ELEMENTS)
        .map(|i| {
            if i / 64 == 2 {
                1
            } else if i / 64 == 3 {
                0
            } else {
                random.below(2)
            }
        })
        .collect();
    let inputs = || [a.clone(), vec![0; ELEMENTS], vec![0; ELEMENTS]];
    type Of = fn(&[u64]) -> u64;
    let cases: [(&str, Of); 3] = [
        ("barrier.red.popc.u32 {d}, 0, %p9;", |b| b.iter().sum()),
        ("bar.red.and.pred %p8, 0, %p9;\nselp.b32 {d}, 1, 0, %p8;", |b| {
            u64::from(b.iter().all(|v| *v == 1))
        }),
        ("bar.red.or.pred %p8, 1, 64, %p9;\nselp.b32 {d}, 1, 0, %p8;", |b| {
            u64::from(b.contains(&1))
        }),
    ];
    for (text, f) in cases {
        let text = format!("setp.eq.u32 %p9, {{a}}, 1;\n{text}\nbar.sync 0;\nbar.sync 3, 64;");
        t.elements(&text, &['r', 'r'], inputs(), |[a, ..], i| f(&a[i / 64 * 64..i / 64 * 64 + 64]));
    }
}

pub(super) fn special_registers(t: &Table) {
    let text = "mov.u32 %r1, %laneid;\nmov.u32 %r3, %lanemask_lt;\nmov.u32 %r4, %lanemask_ge;\n\
         xor.b32 %r3, %r3, %r4;\nmov.b64 %x6, {%r1, %r3};";
    t.memory(text, |i, _, _| (i as u64 % 32) | 0xffff_ffff_0000_0000);
    let text = "mov.u32 %r1, %lanemask_le;\nmov.u32 %r3, %lanemask_gt;\nmov.u32 %r4, %lanemask_eq;\n\
         xor.b32 %r1, %r1, %r4;\nxor.b32 %r3, %r3, %r1;\nmov.b64 %x6, {%r1, %r3};";
    t.memory(text, |i, _, _| {
        let bit = 1_u64 << (i % 32);
        (bit - 1) | (0xffff_ffff ^ bit) << 32
    });
}
