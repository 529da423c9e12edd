//! The facts of a finding that reports state as numbers: how many threads, which elements, which
//! lanes; and how often elements were written.

use std::sync::Arc;

use ptxsim::{Finding, FindingKind, MaskProblem, Module};

use crate::common::{Kernel, Ran, module};

/// A kernel with parameters `in` and `out`; `%x1` and `%x2` are their addresses, `%r1` is the
/// thread's number in the launch, `%r2` its block's and `%r3` its own in the block.
fn kernel(body: &str) -> Arc<Module> {
    module(&format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {{\n\
         .reg .b32 %r<20>;\n.reg .b64 %x<20>;\n.reg .b16 %h<4>;\n.reg .pred %p<4>;\n.reg .f32 %f<9>;\n\
         ld.param.u64 %x1, [in];\ncvta.to.global.u64 %x1, %x1;\n\
         ld.param.u64 %x2, [out];\ncvta.to.global.u64 %x2, %x2;\n\
         mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %tid.x;\nmov.u32 %r4, %ntid.x;\n\
         mad.lo.s32 %r1, %r2, %r4, %r3;\n{body}\nret;\n}}\n"
    ))
}

/// `%x3` and `%x4` are the addresses of element `%r1` of both arrays.
const ELEMENTS: &str =
    "mul.wide.s32 %x5, %r1, 4;\nadd.s64 %x3, %x1, %x5;\nadd.s64 %x4, %x2, %x5;\n";

fn guard(threads: u32, n: usize, body: &str) -> Ran {
    let (values, m) = (vec![1_i32; n], kernel(&format!("{ELEMENTS}{body}")));
    let kernel = Kernel::new(&m, "k").grid(threads.div_ceil(256), 1, 1).block(256, 1, 1);
    kernel.buffer("in", &values).uninitialised::<i32>("out", n).full()
}

/// A thread that reads one element past the end and writes another one is a single thread, and so
/// is one that does it again in a loop.
#[test]
fn threads_are_counted_once() {
    let once = "ld.global.u32 %r5, [%x3];\nst.global.u32 [%x4], %r5;";
    let ran = guard(1024, 1000, once);
    let Finding { count, threads, what, .. } = ran.only_finding();
    assert_eq!((what, *count, *threads), (&FindingKind::OutOfBounds, 24, 24));

    let in_a_loop = format!(
        "mov.u32 %r6, 0;\nmore:\n{once}\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, 5;\n@%p1 bra more;"
    );
    let ran = guard(1024, 1000, &in_a_loop);
    assert_eq!((ran.only_finding().count, ran.only_finding().threads), (120, 24));

    let ran = guard(1280, 1279, once);
    assert_eq!((ran.only_finding().count, ran.only_finding().threads), (1, 1));
}

/// Threads of several blocks, which several host threads run.
#[test]
fn threads_of_many_blocks_are_added_up() {
    let ran = guard(256 * 40, 100, "ld.global.u32 %r5, [%x3];\nst.global.u32 [%x4], %r5;");
    assert_eq!(ran.only_finding().threads, 256 * 40 - 100);
}

/// Four bytes at once, of an array of 15 elements of 2 bytes.
#[test]
fn an_access_of_several_elements_names_the_last() {
    let m = kernel("ld.global.u32 %r5, [%x1+28];\nst.global.u32 [%x2], %r5;");
    let ran = Kernel::new(&m, "k").block(1, 1, 1).buffer("in", &[0_u16; 15]);
    let ran = ran.uninitialised::<i32>("out", 1).full();
    let at = &ran.only_finding().at;
    assert_eq!((at.index, at.last_index, at.elements), (Some(14), Some(15), Some(15)));
    assert_eq!(at.array_bytes, Some(30));

    let m = kernel("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%x1+16];\nst.global.f32 [%x2], %f1;");
    let ran = Kernel::new(&m, "k").block(1, 1, 1).buffer("in", &[0_f32; 6]);
    let ran = ran.uninitialised::<f32>("out", 1).full();
    let at = &ran.only_finding().at;
    assert_eq!((at.index, at.last_index, at.elements), (Some(4), Some(7), Some(6)));

    let m = kernel("ld.global.f32 %f1, [%x1+24];\nst.global.f32 [%x2], %f1;");
    let ran = Kernel::new(&m, "k").block(1, 1, 1).buffer("in", &[0_f32; 6]);
    let ran = ran.uninitialised::<f32>("out", 1).full();
    assert_eq!((ran.only_finding().at.index, ran.only_finding().at.last_index), (Some(6), None));
}

#[test]
fn an_access_names_the_pointer_that_it_goes_through() {
    let m = kernel("ld.global.f32 %f1, [%x1+24];\nst.global.f32 [%x2], %f1;");
    let ran = Kernel::new(&m, "k").block(1, 1, 1).buffer("in", &[0_f32; 6]);
    let ran = ran.uninitialised::<f32>("out", 1).full();
    let at = &ran.only_finding().at;
    let pointer = at.pointer.expect("a parameter");
    assert_eq!((pointer.parameter, pointer.byte, pointer.start, at.offset), (0, 0, 0, Some(24)));
}

fn mask_problem(body: &str) -> (u32, MaskProblem) {
    let m = kernel(body);
    let ran = Kernel::new(&m, "k").buffer("in", &[0_i32]).uninitialised::<i32>("out", 32).full();
    let finding = ran.only_finding();
    match finding.what {
        FindingKind::BadSyncMask { problem, .. } => (finding.at.linear, problem),
        _ => panic!("{finding:?}"),
    }
}

/// Who is in which mask: the lane itself, the lane that it reads, a lane with another mask.
#[test]
fn what_is_wrong_with_a_mask() {
    use MaskProblem::{AbsentLanes, LacksItself, OtherMask, SourceExited, SourceNotNamed};
    let shuffle = |mask: &str| {
        format!(
            "{mask}\nshfl.sync.down.b32 %r7|%p2, %r3, 16, 31, %r6;\n\
             mul.wide.s32 %x5, %r3, 4;\nadd.s64 %x4, %x2, %x5;\nst.global.u32 [%x4], %r7;"
        )
    };
    // each half passes only itself: lane 0 reads lane 16
    let own = shuffle("setp.lt.u32 %p1, %r3, 16;\nselp.b32 %r6, 0xffff, 0xffff0000, %p1;");
    assert_eq!(mask_problem(&own), (0, SourceNotNamed { lane: 16 }));
    let constant = shuffle("mov.u32 %r6, 0xffff;");
    assert_eq!(mask_problem(&constant), (0, SourceNotNamed { lane: 16 }));
    let vote = "mov.u32 %r6, 0xffff;\nsetp.eq.u32 %p1, %r3, 0;\nvote.sync.any.pred %p2, %p1, %r6;";
    assert_eq!(mask_problem(vote), (16, LacksItself));
    let mixed = shuffle("setp.lt.u32 %p1, %r3, 16;\nselp.b32 %r6, -1, 0xffff0000, %p1;");
    assert_eq!(mask_problem(&mixed), (0, OtherMask { lane: 16, mask: 0xffff_0000 }));
    let lower = shuffle("mov.u32 %r6, -1;");
    let diverged =
        format!("setp.ge.u32 %p1, %r3, 16;\n@%p1 bra high;\n{lower}\nhigh:\nbar.sync 0;");
    assert_eq!(mask_problem(&diverged), (0, AbsentLanes));
    // the upper half has left the kernel before the lower one shuffles
    let leave = "setp.ge.u32 %p1, %r3, 16;\n@%p1 exit;\n";
    let exited = format!("{leave}{}", shuffle("mov.u32 %r6, -1;"));
    assert_eq!(mask_problem(&exited), (0, SourceExited { lane: 16 }));
}

/// `row + col` writes some elements more often than others; a store without the block's number
/// writes all of them equally often.
#[test]
fn how_many_elements_were_written_most_often() {
    let used = |m: &Arc<Module>, n| {
        let ran = Kernel::new(m, "k").grid(5, 1, 1).block(256, 1, 1).buffer("in", &[0_i32]);
        let ran = ran.uninitialised::<i32>("out", n).full();
        ran.seen.arrays.iter().find(|a| a.name == "out").cloned().expect("written")
    };
    let by_thread =
        kernel("mul.wide.s32 %x5, %r3, 4;\nadd.s64 %x4, %x2, %x5;\nst.global.u32 [%x4], %r3;");
    let all = used(&by_thread, 1280);
    assert_eq!((all.written, all.max_writes, all.most_written), (256, 5, 256));
    let by_sum = kernel(
        "add.s32 %r5, %r2, %r3;\nmul.wide.s32 %x5, %r5, 4;\nadd.s64 %x4, %x2, %x5;\nst.global.u32 [%x4], %r5;",
    );
    let some = used(&by_sum, 1280);
    assert_eq!((some.written, some.max_writes, some.most_written), (260, 5, 252));
}

/// Lane 0 writes 7 to `out[5]` and leaves the loop; lane 1 writes the same value there in its
/// second iteration, when lane 0's registers say something else.
#[test]
fn an_equal_value_in_a_later_iteration_is_no_race() {
    let body = |step: i32| {
        format!(
            "setp.gt.u32 %p1, %r3, 1;\n@%p1 bra end;\nmov.u32 %r5, 7;\nsub.s32 %r5, %r5, %r3;\n\
             add.s32 %r6, %r3, 5;\nadd.s32 %r8, %r3, 1;\nmov.u32 %r7, 0;\nloop:\n\
             mul.wide.s32 %x5, %r6, 4;\nadd.s64 %x4, %x2, %x5;\nst.global.u32 [%x4], %r5;\n\
             add.s32 %r5, %r5, {step};\nsub.s32 %r6, %r6, 1;\nadd.s32 %r7, %r7, 1;\n\
             setp.lt.s32 %p2, %r7, %r8;\n@%p2 bra loop;\nend:"
        )
    };
    let run = |step: i32| {
        let m = kernel(&body(step));
        let ran = Kernel::new(&m, "k").block(32, 1, 1).buffer("in", &[0_i32]);
        ran.uninitialised::<i32>("out", 8).full()
    };
    let equal = run(1);
    assert!(equal.seen.findings.is_empty(), "{:?}", equal.seen.findings);
    assert_eq!(run(2).only_finding().what, FindingKind::GlobalRace);
}

/// A warp with fewer lanes than 32 counts as 32 threads at a barrier for a number of threads.
#[test]
fn a_barrier_counts_whole_warps() {
    let m = kernel("add.s32 %r5, %r4, 31;\nand.b32 %r5, %r5, -32;\nbar.sync 1, %r5;");
    for threads in [1, 31, 32, 33, 40, 64] {
        let ran = Kernel::new(&m, "k").block(threads, 1, 1).buffer("in", &[0_i32]);
        let ran = ran.buffer("out", &[0_i32]).full();
        assert!(ran.seen.completed && ran.seen.findings.is_empty(), "{threads}");
    }
    let m = kernel("bar.sync 1, 64;");
    let ran =
        Kernel::new(&m, "k").block(24, 1, 1).buffer("in", &[0_i32]).buffer("out", &[0_i32]).full();
    assert_eq!(
        ran.only_finding().what,
        FindingKind::BarrierNotReached { waiting: 24, missing: 32 }
    );
}

/// The first warp waits in line 10 and the second in line 15, and both go on. Then the second warp
/// exits, and the first waits alone.
#[test]
fn the_first_barrier_that_two_warps_reach_in_different_lines_is_the_cause() {
    let m = module(
        ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .b32 %r<5>;\n.reg .pred %p<4>;\n\
         .loc 1 9 5\nmov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra end;\n\
         .loc 1 10 9\nbar.sync 0;\nend:\n.loc 1 15 5\nbar.sync 0;\n.loc 1 16 1\nret;\n}\n",
    );
    let ran = Kernel::new(&m, "k").block(64, 1, 1).buffer("in", &[0_i32]);
    let ran = ran.buffer("out", &[0_i32]).full();
    let f = ran.only_finding();
    assert_eq!(f.what, FindingKind::BarrierNotReached { waiting: 64, missing: 0 });
    let with = f.with.as_ref().expect("a thread at the other barrier");
    assert_eq!([f.at.source.line, with.source.line], [10, 15]);
    assert_eq!([f.at.linear, with.linear], [0, 32]);
}

/// A compiler copies the body of a loop to run some iterations outside of it, so one warp waits at
/// two operations of one line. They are one barrier; what is wrong comes after it.
#[test]
fn two_copies_of_a_barrier_are_one() {
    let copies = |line| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\"\n\
             .visible .entry k(.param .u64 in, .param .u64 out) {{\n.reg .b32 %r<5>;\n.reg .pred %p<4>;\n\
             .loc 1 9 5\nmov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 8;\n@%p1 bra last;\n\
             .loc 1 10 9\nbar.sync 0;\nbar.sync 0;\nret;\n\
             last:\n.loc 1 {line} 9\nbar.sync 0;\n.loc 1 16 1\nret;\n}}\n"
        )
    };
    let found = |line| {
        let m = module(&copies(line));
        let ran = Kernel::new(&m, "k").block(32, 1, 1).buffer("in", &[0_i32]);
        // where the threads exit follows from that
        ran.buffer("out", &[0_i32]).full().seen.findings.first().map(|f| f.what.clone())
    };
    assert_eq!(found(10), Some(FindingKind::BarrierNotReached { waiting: 8, missing: 24 }));
    assert_eq!(found(12), Some(FindingKind::BarrierNotReached { waiting: 32, missing: 0 }));
}
