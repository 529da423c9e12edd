//! Loads, stores and atomics in every space.

use super::Table;
use super::values::{mask, number};

pub(super) fn loads_extend_and_stores_cut(t: &Table) {
    for (ty, w, signed) in [
        ("u8", 8, false),
        ("s8", 8, true),
        ("u16", 16, false),
        ("s16", 16, true),
        ("u32", 32, false),
        ("s32", 32, true),
    ] {
        for at in (0..8_i64).step_by(w as usize / 8) {
            t.memory(&format!("ld.global.{ty} %x6, [%x1+{at}];"), move |_, a, _| {
                number(a >> (8 * at), w, signed) as u64
            });
            if w <= 16 {
                t.memory(
                    &format!("ld.global.{ty} %r1, [%x1+{at}];\ncvt.u64.u32 %x6, %r1;"),
                    move |_, a, _| u64::from(number(a >> (8 * at), w, signed) as u32),
                );
            }
            // to the copies of a in shared and in local memory
            for (space, base) in [("shared", "%x7"), ("local", "own")] {
                t.memory(
                    &format!(
                        "mul.wide.u32 %x8, %r21, 8;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\n\
                         st.{space}.u64 [{base}], %x4;\nst.{space}.{ty} [{base}+{at}], %x5;\nld.{space}.u64 %x6, [{base}];"
                    ),
                    move |_, a, b| {
                        let field = mask(w) << (8 * at);
                        a & !field | b << (8 * at) & field
                    },
                );
            }
        }
    }
}

pub(super) fn vectors_move_in_one_piece(t: &Table) {
    t.memory("ld.global.v2.u32 {%r1, %r2}, [%x1];\nmov.b64 %x6, {%r2, %r1};", |_, a, _| {
        a.rotate_left(32)
    });
    t.memory(
        "ld.global.v4.u16 {%h1, %h2, %h3, %h4}, [%x1];\nmov.b64 %x6, {%h4, %h1, %h2, %h3};",
        |_, a, _| a.rotate_left(16),
    );
    t.memory("ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%x1];\ncvt.u64.u16 %x6, %h3;", |_, a, _| {
        a >> 16 & 0xff
    });
    t.memory("ld.global.v2.u32 {_, %r2}, [%x1];\ncvt.u64.u32 %x6, %r2;", |_, a, _| a >> 32);
    t.memory(
        "mul.wide.u32 %x8, %r21, 16;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\nst.shared.v2.u64 [%x7], {%x4, %x5};\n\
         ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%x7];\nmov.b64 %x6, {%r1, %r4};",
        |_, a, b| a & 0xffff_ffff | b & 0xffff_ffff_0000_0000,
    );
}

pub(super) fn generic_addresses_of_three_spaces_in_one_warp(t: &Table) {
    // each lane loads one of: its element of b in global memory, a's copy in shared memory, a's
    // complement in local memory
    let body = "mul.wide.u32 %x8, %r21, 8;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\nst.shared.u64 [%x7], %x4;\n\
         not.b64 %x9, %x4;\nst.local.u64 [own+8], %x9;\ncvta.shared.u64 %x10, %x7;\nmov.u64 %x11, own;\n\
         cvta.local.u64 %x11, %x11;\nadd.s64 %x11, %x11, 8;\nrem.u32 %r1, %r20, 3;\nsetp.eq.s32 %p1, %r1, 1;\n\
         setp.eq.s32 %p2, %r1, 2;\nselp.b64 %x12, %x10, %x2, %p1;\nselp.b64 %x12, %x11, %x12, %p2;\n\
         ld.u64 %x6, [%x12];\nadd.s64 %x6, %x6, 1;\nst.u64 [%x12], %x6;\nld.u64 %x6, [%x12];";
    t.memory(body, |i, a, b| {
        let v = match i % 3 {
            0 => b,
            1 => a,
            _ => !a,
        };
        v.wrapping_add(1)
    });
}

pub(super) fn atomics_of_every_kind(t: &Table) {
    type Op = (&'static str, fn(u64, u64, u32) -> u64);
    let ops: [Op; 20] = [
        ("add.u32", |a, b, _| a.wrapping_add(b)),
        ("add.s32", |a, b, _| a.wrapping_add(b)),
        ("add.u64", |a, b, _| a.wrapping_add(b)),
        ("and.b32", |a, b, _| a & b),
        ("or.b32", |a, b, _| a | b),
        ("xor.b32", |a, b, _| a ^ b),
        ("and.b64", |a, b, _| a & b),
        ("or.b64", |a, b, _| a | b),
        ("xor.b64", |a, b, _| a ^ b),
        ("exch.b32", |_, b, _| b),
        ("exch.b64", |_, b, _| b),
        ("min.s32", |a, b, w| number(a, w, true).min(number(b, w, true)) as u64),
        ("max.s32", |a, b, w| number(a, w, true).max(number(b, w, true)) as u64),
        ("min.u32", |a, b, _| a.min(b)),
        ("max.u32", |a, b, _| a.max(b)),
        ("min.s64", |a, b, w| number(a, w, true).min(number(b, w, true)) as u64),
        ("max.s64", |a, b, w| number(a, w, true).max(number(b, w, true)) as u64),
        ("max.u64", |a, b, _| a.max(b)),
        ("inc.u32", |a, b, _| if a >= b { 0 } else { a + 1 }),
        ("dec.u32", |a, b, _| if a == 0 || a > b { b } else { a - 1 }),
    ];
    for (name, f) in ops {
        let w: u32 = if name.ends_with("64") { 64 } else { 32 };
        let value = move |a: u64, b: u64| f(a & mask(w), b & mask(w), w) & mask(w);
        for space in ["global", "shared"] {
            // one case for the memory afterwards and one for the old value
            let set_up = "mul.wide.u32 %x8, %r21, 8;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\nst.shared.u64 [%x7], %x4;\n";
            let place = if space == "global" { "%x1" } else { "%x7" };
            let (b, d) = if w == 64 { ("%x5", "%x9") } else { ("%r5", "%r9") };
            let narrow = if w == 64 { "" } else { "cvt.u32.u64 %r5, %x5;\n" };
            let widen = if w == 64 { "mov.b64 %x6, %x9;" } else { "cvt.u64.u32 %x6, %r9;" };
            t.memory(
                &format!("{set_up}{narrow}atom.{space}.{name} {d}, [{place}], {b};\n{widen}"),
                move |_, a, _| a & mask(w),
            );
            for (op, d) in [("atom", format!("{d}, ")), ("red", String::new())] {
                if op == "red" && name.starts_with("exch") {
                    continue;
                }
                t.memory(
                    &format!(
                        "{set_up}{narrow}{op}.{space}.{name} {d}[{place}], {b};\nld.{space}.u64 %x6, [{place}];"
                    ),
                    move |_, a, b| value(a, b) | a & !mask(w),
                );
            }
        }
    }
    t.memory(
        "and.b64 %x9, %x5, 1;\nsetp.eq.s64 %p1, %x9, 1;\nselp.b64 %x9, %x4, %x5, %p1;\n\
         atom.global.cas.b64 %x10, [%x1], %x9, 99;\nld.global.u64 %x6, [%x1];",
        |_, a, b| if b & 1 == 1 || a == b { 99 } else { a },
    );
    // 16 bits: the other half of the word must not change
    t.memory(
        "cvt.u16.u64 %h1, %x4;\ncvt.u16.u64 %h2, %x5;\natom.global.cas.b16 %h3, [%x1], %h1, %h2;\n\
         ld.global.u64 %x6, [%x1];",
        |_, a, b| a & !0xffff | b & 0xffff,
    );
}

/// Matrices of 8 rows of 8 elements of 16 bits. Thread `l` of a warp stores 16 bytes, its elements
/// of a and b, as row `l % 8` of matrix `l / 8` in shared memory.
pub(super) fn matrices_in_a_warp(t: &Table) {
    t.target(90);
    // element `column` of row `row` of matrix `n` in the warp of thread `i`
    let element = |[a, b]: [&[u64]; 2], i: usize, n: usize, row: usize, column: usize| {
        let thread = i / 32 * 32 + 8 * n + row;
        let half = if column < 4 { a[thread] } else { b[thread] };
        half >> (16 * (column % 4)) & 0xffff
    };
    let rows = "mul.wide.u32 %x8, %r21, 16;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\n\
                st.shared.v2.u64 [%x7], {%x4, %x5};\nbar.warp.sync -1;\n";
    for (count, registers) in [(1, "%r1"), (2, "%r1, %r2"), (4, "%r1, %r2, %r3, %r4")] {
        for trans in [false, true] {
            let suffix = if trans { ".trans" } else { "" };
            for n in 0..count {
                let body = format!(
                    "{rows}ldmatrix.sync.aligned.m8n8.x{count}{suffix}.shared.b16 {{{registers}}}, [%x7];\n\
                     cvt.u64.u32 %x6, %r{};",
                    n + 1
                );
                t.memory_of_all(&body, move |inputs, i| {
                    let (row, column) = (i % 32 / 4, 2 * (i % 4));
                    let at = |next| {
                        if trans {
                            element(inputs, i, n, column + next, row)
                        } else {
                            element(inputs, i, n, row, column + next)
                        }
                    };
                    at(0) | at(1) << 16
                });
            }
        }
    }
    // from the registers of a warp to shared memory, and its own row back
    for trans in [false, true] {
        let suffix = if trans { ".trans" } else { "" };
        let body = format!(
            "mul.wide.u32 %x8, %r21, 16;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\nmov.b64 {{%r1, %r2}}, %x4;\n\
             mov.b64 {{%r3, %r4}}, %x5;\n\
             stmatrix.sync.aligned.m8n8.x4{suffix}.shared.b16 [%x7], {{%r1, %r2, %r3, %r4}};\nbar.warp.sync -1;\n\
             ld.shared.v2.u64 {{%x9, %x10}}, [%x7];\nshr.u64 %x11, %x10, 32;\nxor.b64 %x6, %x9, %x10;\n\
             add.s64 %x6, %x6, %x11;"
        );
        t.memory_of_all(&body, move |[a, b], i| {
            let (lane, first) = (i % 32, i / 32 * 32);
            let (n, row) = (lane / 8, lane % 8);
            let register = |thread: usize| match n {
                0 => a[thread],
                1 => a[thread] >> 32,
                2 => b[thread],
                _ => b[thread] >> 32,
            };
            let element = |column: usize| {
                let (r, c) = if trans { (column, row) } else { (row, column) };
                register(first + 4 * r + c / 2) >> (16 * (c % 2)) & 0xffff
            };
            let words = [0, 4].map(|c| (0..4).fold(0, |w, k| w | element(c + k) << (16 * k)));
            (words[0] ^ words[1]).wrapping_add(words[1] >> 32)
        });
    }
    t.memory_of_all(
        "cvt.u32.u64 %r1, %x4;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\ncvt.u64.u32 %x6, %r2;",
        |[a, _], i| {
            let first = i / 32 * 32;
            let at = |row: usize, column: usize| {
                a[first + 4 * row + column / 2] >> (16 * (column % 2)) & 0xffff
            };
            let (row, column) = (i % 32 / 4, 2 * (i % 4));
            at(column, row) | at(column + 1, row) << 16
        },
    );
}
