//! Races that do not depend on the order: locks of which one thread misses a fence, and volatile
//! accesses.

use crate::common::Kernel;
use ptxsim::{FindingKind, Module, Options};
use std::sync::Arc;

/// Seeds, each of which runs blocks and warps in another order.
const SEEDS: std::ops::Range<u64> = 0..50;

fn module(body: &str) -> Arc<Module> {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u64 b) {{\n\
         .reg .b64 %d<9>;\n.reg .b32 %r<20>;\n.reg .f32 %f<9>;\n.reg .pred %p<9>;\n\
         .shared .align 4 .b8 s[512];\n\
         ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r3, %r1, 2;\nmov.u32 %r4, s;\n\
         add.s32 %r4, %r4, %r3;\n{body}\nret;\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).into()
}

fn kernel(body: &str, blocks: u32, threads: u32) -> Kernel {
    Kernel::new(&module(body), "k")
        .grid(blocks, 1, 1)
        .block(threads, 1, 1)
        .buffer("a", &[0_u32; 4])
        .buffer("b", &[0_u32; 4])
}

/// The seeds with which the kernel has no race.
fn silent(kernel: &Kernel) -> Vec<u64> {
    let is_race =
        |kind: &FindingKind| matches!(kind, FindingKind::SharedRace | FindingKind::GlobalRace);
    SEEDS
        .filter(|seed| {
            let ran = kernel.run(&Options { seed: *seed, budget: 200_000, ..Options::default() });
            let others: Vec<_> = ran.seen.findings.iter().filter(|f| !is_race(&f.what)).collect();
            assert!(others.is_empty(), "{others:?}");
            ran.seen.findings.is_empty()
        })
        .collect()
}

fn assert_races(name: &str, kernel: &Kernel) {
    assert_eq!(silent(kernel), [0_u64; 0], "{name}: no race with these seeds");
}

fn assert_clean(name: &str, kernel: &Kernel) {
    assert_eq!(silent(kernel), SEEDS.collect::<Vec<_>>(), "{name}: a race with the other seeds");
}

/// How a thread takes a lock and gives it back.
#[derive(Debug, Clone, Copy)]
struct Lock {
    take: &'static str,
    acquire: &'static str,
    release: &'static str,
    give: &'static str,
}

const CAS: &str = "atom.global.cas.b32 %r9, [%d1], 0, 1;";
const EXCHANGE: &str = "atom.global.exch.b32 %r9, [%d1], 1;";
const RIGHT: Lock = Lock {
    take: CAS,
    acquire: "membar.gl;",
    release: "membar.gl;",
    give: "atom.global.exch.b32 %r9, [%d1], 0;",
};

/// Each of two threads increments `b[0]` under the lock `a[0]`, thread 0 with the first kind of
/// lock. They are in two blocks, or in two warps of a block.
fn locked(first: Lock, second: Lock, two_blocks: bool) -> Kernel {
    let section = |name: &str, lock: Lock| {
        let Lock { take, acquire, release, give } = lock;
        format!(
            "{name}: {take}\nsetp.ne.s32 %p1, %r9, 0;\n@%p1 bra {name};\n{acquire}\n\
             ld.global.u32 %r8, [%d2];\nadd.s32 %r8, %r8, 1;\nst.global.u32 [%d2], %r8;\n\
             {release}\n{give}\nret;\n"
        )
    };
    let number = if two_blocks { "%r2" } else { "%r7" };
    let body = format!(
        "and.b32 %r6, %r1, 31;\nsetp.ne.s32 %p2, %r6, 0;\n@%p2 bra E;\nshr.u32 %r7, %r1, 5;\n\
         setp.ne.s32 %p3, {number}, 0;\n@%p3 bra B;\n{}{}E: mov.u32 %r9, 0;",
        section("A", first),
        section("B", second)
    );
    let (blocks, threads) = if two_blocks { (2, 32) } else { (1, 64) };
    kernel(&body, blocks, threads)
}

#[test]
fn a_lock_with_both_fences_protects() {
    let kinds = [
        RIGHT,
        Lock { take: EXCHANGE, ..RIGHT },
        Lock { give: "st.volatile.global.u32 [%d1], 0;", ..RIGHT },
        Lock { give: "st.relaxed.gpu.global.u32 [%d1], 0;", ..RIGHT },
        Lock { give: "atom.global.cas.b32 %r9, [%d1], 1, 0;", ..RIGHT },
        Lock { take: "atom.acquire.gpu.global.cas.b32 %r9, [%d1], 0, 1;", acquire: "", ..RIGHT },
        Lock { release: "", give: "st.release.gpu.global.u32 [%d1], 0;", ..RIGHT },
        Lock {
            take: "atom.acquire.gpu.global.exch.b32 %r9, [%d1], 1;",
            acquire: "",
            release: "",
            give: "atom.release.gpu.global.exch.b32 %r9, [%d1], 0;",
        },
    ];
    for first in kinds {
        for second in kinds {
            for two_blocks in [false, true] {
                assert_clean(
                    &format!("{first:?} and {second:?}"),
                    &locked(first, second, two_blocks),
                );
            }
        }
    }
    // within a block, its own scope is enough
    let cta = Lock { acquire: "membar.cta;", release: "membar.cta;", ..RIGHT };
    assert_clean("block scope", &locked(cta, RIGHT, false));
}

#[test]
fn a_missing_fence_of_a_lock_races_in_every_order() {
    let wrong = [
        Lock { acquire: "", ..RIGHT },
        Lock { release: "", ..RIGHT },
        Lock { acquire: "", release: "", ..RIGHT },
        Lock { take: EXCHANGE, acquire: "", ..RIGHT },
        Lock { release: "", give: "st.volatile.global.u32 [%d1], 0;", ..RIGHT },
        Lock { acquire: "", give: "st.volatile.global.u32 [%d1], 0;", ..RIGHT },
        Lock { release: "", give: "st.relaxed.gpu.global.u32 [%d1], 0;", ..RIGHT },
        Lock { acquire: "", release: "", give: "st.release.gpu.global.u32 [%d1], 0;", ..RIGHT },
        Lock {
            take: "atom.acquire.gpu.global.cas.b32 %r9, [%d1], 0, 1;",
            acquire: "",
            release: "",
            ..RIGHT
        },
    ];
    for lock in wrong {
        for two_blocks in [false, true] {
            assert_races(&format!("first {lock:?}"), &locked(lock, RIGHT, two_blocks));
            assert_races(&format!("second {lock:?}"), &locked(RIGHT, lock, two_blocks));
        }
    }
    let narrow = [
        Lock { acquire: "membar.cta;", ..RIGHT },
        Lock { release: "membar.cta;", ..RIGHT },
        Lock { release: "", give: "st.release.cta.global.u32 [%d1], 0;", ..RIGHT },
    ];
    for lock in narrow {
        assert_races(&format!("first {lock:?}"), &locked(lock, RIGHT, true));
        assert_races(&format!("second {lock:?}"), &locked(RIGHT, lock, true));
    }
}

/// The lock is known from its word's value. Where the value shows who comes next, the order is
/// fixed, and the first thread has nothing to acquire.
#[test]
fn a_handshake_is_no_lock() {
    let body = "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra B;\n\
                atom.global.exch.b32 %r9, [%d1], 1;\nst.global.u32 [%d2], 7;\nmembar.gl;\n\
                atom.global.exch.b32 %r9, [%d1], 2;\nbra E;\n\
                B: atom.global.cas.b32 %r9, [%d1], 2, 3;\nsetp.ne.s32 %p2, %r9, 2;\n@%p2 bra B;\n\
                membar.gl;\nld.global.u32 %r8, [%d2];\nst.global.u32 [%d2+4], %r8;\nE: membar.gl;";
    assert_clean("handshake", &kernel(body, 2, 1));
}

/// One flag: block 0 stores `b[0]` and sets it, block 1 waits for it and loads.
fn flagged(set: &str, wait: &str) -> Kernel {
    let body = format!(
        "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra B;\nst.global.u32 [%d2], 7;\n{set}\nbra E;\n\
         B: {wait}\nld.global.u32 %r8, [%d2];\nst.global.u32 [%d2+4], %r8;\nE: membar.cta;"
    );
    kernel(&body, 2, 1)
}

const SET: &str = "membar.gl;\nst.volatile.global.u32 [%d1], 1;";
const WAIT: &str = "ld.volatile.global.u32 %r9, [%d1];\nsetp.eq.s32 %p2, %r9, 0;\n@%p2 bra B;";

#[test]
fn a_polled_volatile_flag_orders_with_fences_on_both_sides() {
    assert_clean("both", &flagged(SET, &format!("{WAIT}\nmembar.gl;")));
    assert_races("no fence of the reader", &flagged(SET, WAIT));
    let unfenced = SET.replace("membar.gl;\n", "");
    assert_races("no fence of the writer", &flagged(&unfenced, &format!("{WAIT}\nmembar.gl;")));
    let narrow = SET.replace("membar.gl", "membar.cta");
    assert_races("narrow fence", &flagged(&narrow, &format!("{WAIT}\nmembar.gl;")));
    let plain = SET.replace(".volatile", "");
    assert_races("plain flag", &flagged(&plain, &format!("{WAIT}\nmembar.gl;")));
    let relaxed = SET.replace(".volatile", ".relaxed.gpu");
    assert_clean("relaxed flag", &flagged(&relaxed, &format!("{WAIT}\nmembar.gl;")));
    // compilers load once before the loop
    let rotated = "ld.volatile.global.u32 %r9, [%d1];\nsetp.ne.s32 %p2, %r9, 0;\n@%p2 bra G;\n\
                   W: nanosleep.u32 20;\nld.volatile.global.u32 %r9, [%d1];\n\
                   setp.eq.s32 %p2, %r9, 0;\n@%p2 bra W;\nG: membar.gl;";
    assert_clean("rotated", &flagged(SET, rotated));
}

/// The last five rounds of a reduction in shared memory by volatile accesses of the first of two
/// warps; `read` comes after the loads of each round, and `write` after its store.
fn reduction(read: &str, write: &str) -> Kernel {
    let mut body = "st.shared.u32 [%r4], %r1;\nbar.sync 0;\nsetp.gt.s32 %p4, %r1, 31;\n\
                    @%p4 bra E;\n"
        .to_owned();
    for stride in [16, 8, 4, 2, 1] {
        body += &format!(
            "ld.volatile.shared.u32 %r8, [%r4+{}];\nld.volatile.shared.u32 %r9, [%r4];\n\
             add.s32 %r8, %r8, %r9;\n{read}\nst.volatile.shared.u32 [%r4], %r8;\n{write}\n",
            4 * stride
        );
    }
    body += "setp.ne.s32 %p5, %r1, 0;\n@%p5 bra E;\nst.global.u32 [%d1], %r8;\nE: mov.u32 %r9, 0;";
    kernel(&body, 1, 64)
}

#[test]
fn volatile_does_not_replace_a_warp_barrier() {
    assert_races("no barrier", &reduction("", ""));
    assert_races("after the store only", &reduction("", "bar.warp.sync 0xffffffff;"));
    assert_races("before the store only", &reduction("bar.warp.sync 0xffffffff;", ""));
    assert_clean("both", &reduction("bar.warp.sync 0xffffffff;", "bar.warp.sync 0xffffffff;"));
}

#[test]
fn volatile_accesses_race_unless_something_orders_them() {
    let increment = "ld.volatile.global.u32 %r8, [%d1];\nadd.s32 %r8, %r8, 1;\n\
                     st.volatile.global.u32 [%d1], %r8;";
    assert_races("a counter", &kernel(increment, 2, 32));
    assert_races("a counter of a block", &kernel(increment, 1, 64));
    assert_clean("a counter of one thread", &kernel(&increment.repeat(3), 1, 1));

    let neighbour = |barrier: &str| {
        format!(
            "st.volatile.shared.u32 [%r4], %r1;\n{barrier}\nxor.b32 %r5, %r3, 128;\n\
             mov.u32 %r6, s;\nadd.s32 %r6, %r6, %r5;\nld.volatile.shared.u32 %r8, [%r6];\n\
             add.s32 %r9, %r8, 1;"
        )
    };
    assert_races("another warp's element", &kernel(&neighbour(""), 1, 64));
    assert_clean("after a barrier", &kernel(&neighbour("bar.sync 0;"), 1, 64));

    let look = "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra B;\nst.volatile.global.u32 [%d1], 1;\nbra E;\n\
                B: ld.volatile.global.u32 %r8, [%d1];\nst.global.u32 [%d2], %r8;\nE: mov.u32 %r9, 0;";
    assert_races("a flag that is looked at once", &kernel(look, 2, 1));
}

#[test]
fn volatile_accesses_that_poll_or_meet_atomics_do_not_race() {
    let count = "ld.volatile.global.u32 %r8, [%d1];\natom.global.add.u32 %r9, [%d1], 1;";
    assert_clean("atomics", &kernel(count, 2, 32));
    let cas = "ld.volatile.global.u32 %r8, [%d1];\n\
               L: mov.u32 %r7, %r8;\nadd.s32 %r6, %r7, 1;\n\
               atom.global.cas.b32 %r8, [%d1], %r7, %r6;\nsetp.ne.s32 %p1, %r8, %r7;\n@%p1 bra L;";
    assert_clean("the first read of a loop of swaps", &kernel(cas, 2, 32));
    assert_races("the same read, not volatile", &kernel(&cas.replace("ld.volatile", "ld"), 2, 32));
    // all threads set a flag to one value, and each waits for it
    let all = "st.volatile.global.u32 [%d1], 1;\nW: ld.volatile.global.u32 %r8, [%d1];\n\
               setp.eq.s32 %p1, %r8, 0;\n@%p1 bra W;";
    assert_clean("all set a flag", &kernel(all, 2, 32));
    // a ticket lock, in the form that a warp can take: the work is inside the loop
    let ticket = "atom.global.add.u32 %r5, [%d1], 1;\nmov.u32 %r6, 0;\n\
                  L: ld.volatile.global.u32 %r8, [%d1+4];\nsetp.ne.s32 %p1, %r8, %r5;\n@%p1 bra N;\n\
                  membar.gl;\nld.global.u32 %r9, [%d2];\nadd.s32 %r9, %r9, 1;\n\
                  st.global.u32 [%d2], %r9;\nmembar.gl;\nadd.s32 %r8, %r8, 1;\n\
                  st.volatile.global.u32 [%d1+4], %r8;\nmov.u32 %r6, 1;\n\
                  N: setp.eq.s32 %p2, %r6, 0;\n@%p2 bra L;";
    assert_clean("a ticket lock", &kernel(ticket, 2, 4));
    // a value and its flag in one word of 64 bits
    let packed = "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra B;\nmov.u64 %d3, 4294967303;\n\
                  st.volatile.global.u64 [%d1], %d3;\nbra E;\n\
                  B: ld.volatile.global.u64 %d4, [%d1];\nshr.u64 %d5, %d4, 32;\n\
                  setp.eq.s64 %p2, %d5, 0;\n@%p2 bra B;\nst.global.u64 [%d2], %d4;\nE: mov.u32 %r9, 0;";
    assert_clean("packed", &kernel(packed, 2, 1));
}
