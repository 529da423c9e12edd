//! Atomics of 16 bits: sums of half precision and bfloat16, alone and in pairs, and
//! compare-and-swap.

use crate::common::{Kernel, Ran, module};
use ptxsim::Options;

/// A kernel whose threads have the address of `d` in %x0, of its element of `old` in %x1, its
/// number in %r0 and a shared array `s`.
fn run(body: &str, d: &[u16], threads: u32) -> Ran {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 d, .param .u64 old)\n{{\n\
         .reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %x<8>;\n.reg .pred %p<4>;\n.shared .align 4 .b8 s[8];\n\
         ld.param.u64 %x0, [d];\nld.param.u64 %x1, [old];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %x2, %r0, 4;\n\
         add.s64 %x1, %x1, %x2;\n{body}\nret;\n}}\n"
    );
    let kernel = Kernel::new(&module(&text), "k").block(threads, 1, 1).buffer("d", d);
    let ran = kernel.buffer("old", &vec![0_u32; threads as usize]).run(&Options::default());
    assert!(ran.seen.completed, "{body}");
    assert_eq!(ran.seen.findings, [], "{body}");
    ran
}

const ONE: u16 = 0x3c00;
const BONE: u16 = 0x3f80;

#[test]
fn adding_to_one_half_keeps_the_other() {
    for (ty, one, forty) in [("f16", ONE, 0x5100_u16), ("bf16", BONE, 0x4220)] {
        for (at, around) in
            [(0, [0, 0xaaaa, 0xbbbb]), (2, [0xaaaa, 0, 0xbbbb]), (4, [0xaaaa, 0xbbbb, 0])]
        {
            for space in ["", ".global"] {
                for text in [
                    format!("atom{space}.add.noftz.{ty} %h1, [%x0+{at}], %h0;"),
                    format!("atom.relaxed.gpu{space}.add.noftz.{ty} %h1, [%x0+{at}], %h0;"),
                    format!("red.relaxed.gpu{space}.add.noftz.{ty} [%x0+{at}], %h0;"),
                ] {
                    let ran = run(&format!("mov.b16 %h0, {one};\n{text}"), &around, 40);
                    let mut wanted = around;
                    wanted[at as usize / 2] = forty;
                    assert_eq!(ran.get::<u16>("d"), wanted, "{text}");
                }
            }
        }
    }
}

#[test]
fn pairs_of_halves_are_added_separately() {
    // 1.0 above, 0.5 below; the lower half overflows on its own
    for (ty, pair, sums) in
        [("f16x2", "0x3c003800", [0x4d00, 0x5100]), ("bf16x2", "0x3f803f00", [0x41a0, 0x4220])]
    {
        for text in [
            format!("atom.add.noftz.{ty} %r2, [%x0], %r1;\nst.global.u32 [%x1], %r2;"),
            format!("red.global.add.noftz.{ty} [%x0], %r1;"),
        ] {
            let ran = run(&format!("mov.b32 %r1, {pair};\n{text}"), &[0, 0], 40);
            assert_eq!(ran.get::<u16>("d"), sums, "{text}");
        }
    }
    let ran =
        run("mov.b32 %r1, 0x3c007bff;\natom.add.noftz.f16x2 %r2, [%x0], %r1;", &[0x7bff, 0], 1);
    assert_eq!(ran.get::<u16>("d"), [0x7c00, ONE]);
}

/// Subnormal numbers are not flushed, and the old value is returned.
#[test]
fn atomics_return_the_old_half() {
    let ran = run(
        "mov.b16 %h0, 1;\natom.global.add.noftz.f16 %h1, [%x0+2], %h0;\ncvt.u32.u16 %r1, %h1;\nst.global.u32 [%x1], %r1;",
        &[7, 0, 9],
        33,
    );
    assert_eq!(ran.get::<u16>("d"), [7, 33, 9]);
    let mut old = ran.get::<u32>("old");
    old.sort_unstable();
    assert_eq!(old, (0..33).collect::<Vec<_>>());
}

#[test]
fn halves_in_shared_memory() {
    let ran = run(
        "setp.ne.s32 %p1, %r0, 0;\n@%p1 bra $filled;\nst.shared.u32 [s], 0;\nst.shared.u32 [s+4], 0;\n$filled:\n\
         bar.sync 0;\nmov.b16 %h0, 0x3c00;\natom.shared.add.noftz.f16 %h1, [s+6], %h0;\nbar.sync 0;\n\
         @%p1 bra $done;\nld.shared.u16 %h2, [s+6];\nst.global.u16 [%x0], %h2;\n$done:",
        &[0],
        64,
    );
    assert_eq!(ran.get::<u16>("d"), [0x5400]);
}

/// `atomicCAS` of an `unsigned short` swaps only where the values are equal, and only its half of
/// the word.
#[test]
fn compare_and_swap_of_halves() {
    let swap = "add.s32 %r1, %r0, 100;\ncvt.u16.u32 %h0, %r1;\natom.global.cas.b16 %h1, [%x0+2], 5, %h0;\n\
                cvt.u32.u16 %r1, %h1;\nst.global.u32 [%x1], %r1;";
    let ran = run(swap, &[1, 5, 3], 40);
    assert_eq!(ran.get::<u16>("d"), [1, 100, 3]);
    assert_eq!(ran.get::<u32>("old")[..3], [5, 100, 100]);
    assert_eq!(run(swap, &[5, 4, 5], 40).get::<u16>("d"), [5, 4, 5]);
}

/// A lock of 16 bits orders the accesses that it protects.
#[test]
fn a_lock_in_sixteen_bits() {
    let ran = run(
        "$again:\natom.acquire.gpu.global.cas.b16 %h1, [%x0+2], 0, 1;\nsetp.ne.u16 %p1, %h1, 0;\n@%p1 bra $again;\n\
         ld.global.u16 %h2, [%x0];\nadd.u16 %h2, %h2, 1;\nst.global.u16 [%x0], %h2;\n\
         st.release.gpu.global.u16 [%x0+2], 0;",
        &[0, 0],
        70,
    );
    assert_eq!(ran.get::<u16>("d"), [70, 0]);
}

#[test]
fn the_elected_lane_is_the_lowest() {
    let ran = run(
        "elect.sync %r1|%p1, -1;\nselp.u32 %r2, 100, 0, %p1;\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%x1], %r1;",
        &[0],
        40,
    );
    let old = ran.get::<u32>("old");
    assert_eq!((old[0], old[1], old[31], old[32], old[39]), (100, 0, 0, 100, 0));
    // the lowest of the lanes in the mask
    let ran = run(
        "setp.lt.u32 %p2, %r0, 3;\n@%p2 bra $done;\nelect.sync _|%p1, 0xfffffff8;\nselp.u32 %r1, 1, 0, %p1;\n\
         st.global.u32 [%x1], %r1;\n$done:",
        &[0],
        32,
    );
    let old = ran.get::<u32>("old");
    assert_eq!((old.iter().sum::<u32>(), old[3]), (1, 1));
}
