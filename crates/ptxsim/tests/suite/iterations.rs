//! Races in a loop say how the iterations of their parties relate.

use crate::common::{Kernel, module};
use ptxsim::{FindingKind, Iteration, Options};

/// A tile that all threads write (line 15) and then read (line 17), again and again, with barriers
/// after the writes and after the reads, or without one of them; `copies` of the loop's body follow
/// each other, as if the compiler had unrolled it.
fn tiles(barriers: [bool; 2], copies: usize) -> Option<Iteration> {
    let [after_writes, after_reads] = barriers.map(|b| if b { "bar.sync 0;\n" } else { "" });
    let body = format!(
        ".loc 1 15 9\nst.shared.u32 [%r3], %r5;\n.loc 1 16 9\n{after_writes}.loc 1 17 9\nld.shared.u32 %r6, [%r4];\n\
         add.u32 %r5, %r5, %r6;\n.loc 1 18 9\n{after_reads}"
    )
    .repeat(copies);
    let m = module(&format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"k.cu\"\n.visible .entry k(.param .u64 a)\n{{\n\
         .reg .b32 %r<9>;\n.reg .b64 %x<3>;\n.reg .pred %p<2>;\n.shared .align 4 .b8 tile[512];\n\
         ld.param.u64 %x0, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r5, %r1;\nmov.u32 %r2, tile;\nshl.b32 %r3, %r1, 2;\n\
         add.u32 %r3, %r2, %r3;\nxor.b32 %r4, %r1, 64;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r2, %r4;\nmov.u32 %r7, 0;\n\
         $loop:\n{body}.loc 1 14 5\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 3;\n@%p1 bra $loop;\n\
         mul.wide.u32 %x1, %r1, 4;\nadd.s64 %x0, %x0, %x1;\nst.global.u32 [%x0], %r5;\nret;\n}}\n"
    ));
    let kernel = Kernel::new(&m, "k").block(128, 1, 1).uninitialised::<u32>("a", 128);
    let ran = kernel.run(&Options::default());
    let race = ran.seen.findings.iter().find(|f| f.what == FindingKind::SharedRace);
    let race = race.expect("a race");
    // from the point of view of the write
    if race.at.source.line == 15 {
        race.at.iteration
    } else {
        race.at.iteration.map(|iteration| match iteration {
            Iteration::Next => Iteration::Previous,
            Iteration::Previous => Iteration::Next,
            Iteration::Same => Iteration::Same,
        })
    }
}

#[test]
fn without_the_barrier_after_the_writes_both_are_in_one_iteration() {
    for copies in [1, 2, 4] {
        assert_eq!(tiles([false, true], copies), Some(Iteration::Same), "{copies}");
    }
}

#[test]
fn without_the_barrier_after_the_reads_the_write_is_in_the_next_iteration() {
    for copies in [1, 2, 4] {
        assert_eq!(tiles([true, false], copies), Some(Iteration::Next), "{copies}");
    }
}

#[test]
fn without_any_barrier_it_may_be_either() {
    assert_eq!(tiles([false, false], 1), None);
}
