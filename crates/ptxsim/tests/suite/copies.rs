//! Asynchronous copies: when they complete, what they write, and which accesses are findings until
//! then.

use crate::common::{Kernel, Ran, module};
use ptxsim::{Action, Diagnose, Error, FindingKind, Module, Options};

/// A warp that has 32 words of its own: shared memory at `%r2`, `in` at `%d1`, `out` at `%d2`. Line
/// numbers are those of `body`.
fn kernel(body: &str) -> Kernel {
    let body: String =
        body.lines().enumerate().map(|(n, l)| format!(".loc 1 {} 1\n{l}\n", n + 1)).collect();
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {{\n\
         .reg .b64 %d<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<9>;\n.shared .align 16 .b8 tile[512];\n\
         ld.param.u64 %d1, [in];\nld.param.u64 %d2, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\n\
         mul.wide.u32 %d3, %r1, 4;\nadd.s64 %d1, %d1, %d3;\nadd.s64 %d2, %d2, %d3;\n\
         shl.b32 %r3, %r1, 2;\nadd.s32 %r2, %r2, %r3;\n{body}\nret;\n}}\n.file 1 \"k.cu\"\n"
    );
    let input: Vec<u32> = (0..128).map(|i| 0x0403_0201 + i).collect();
    Kernel::new(&module(&text), "k")
        .block(32, 1, 1)
        .buffer("in", &input)
        .uninitialised::<u32>("out", 128)
}

fn at(kernel: &Kernel, diagnose: Diagnose) -> Ran {
    kernel.run(&Options { diagnose, ..Options::default() })
}

/// The contents of `out` after a correct kernel, which must be the same at every level.
fn assert_output(body: &str, wanted: impl Fn(u32) -> u32) {
    let k = kernel(body);
    for diagnose in [Diagnose::Bounds, Diagnose::Count, Diagnose::Full] {
        let ran = at(&k, diagnose);
        assert_eq!((&ran.seen.findings[..], ran.seen.completed), (&[][..], true), "{body}");
        let wanted: Vec<u32> = (0..32).map(&wanted).collect();
        assert_eq!(ran.get::<u32>("out")[..32], wanted, "{diagnose:?}: {body}");
    }
}

const COPY: &str = "cp.async.ca.shared.global [%r2], [%d1], 4;\n";
const SHOW: &str = "ld.shared.u32 %r4, [%r2];\nst.global.u32 [%d2], %r4;";

#[test]
fn copies_are_visible_after_the_wait() {
    for wait in [
        "cp.async.wait_all;\n",
        "cp.async.commit_group;\ncp.async.wait_group 0;\n",
        "cp.async.commit_group;\ncp.async.commit_group;\ncp.async.wait_group 1;\n",
    ] {
        assert_output(&format!("{COPY}{wait}{SHOW}"), |i| 0x0403_0201 + i);
    }
    // two groups; the kernel waits for the older one
    let two = format!(
        "{COPY}cp.async.commit_group;\ncp.async.ca.shared.global [%r2+128], [%d1+128], 4;\n\
         cp.async.commit_group;\ncp.async.wait_group 1;\n{SHOW}"
    );
    assert_output(&two, |i| 0x0403_0201 + i);
}

#[test]
fn reading_before_the_wait_sees_old_data_and_is_a_finding() {
    let store = "st.shared.u32 [%r2], 7;\n";
    for wait in [
        "",
        // nothing has been committed, or the newest group may stay in flight
        "cp.async.wait_group 0;\n",
        "cp.async.commit_group;\ncp.async.wait_group 1;\n",
        "cp.async.commit_group;\nbar.sync 0;\n",
    ] {
        let k = kernel(&format!("{store}{COPY}{wait}{SHOW}"));
        assert_eq!(at(&k, Diagnose::Bounds).get::<u32>("out")[..32], [7; 32], "{wait}");
        let ran = at(&k, Diagnose::Full);
        let f = ran.only_finding();
        let with = f.with.as_ref().expect("the copy");
        assert_eq!((&f.what, f.count), (&FindingKind::SharedRace, 32), "{wait}");
        assert_eq!((f.at.action, with.action, with.pending), (Action::Read, Action::Write, true));
        assert_eq!((with.source.line, with.thread, with.index), (2, f.at.thread, f.at.index));
        assert_eq!(ran.get::<u32>("out")[..32], [7; 32]);
    }
}

/// Until the copy is complete, the source must not be written and the destination must not be
/// accessed.
#[test]
fn source_and_destination_are_in_use_until_the_wait() {
    let wait = "cp.async.wait_all;\n";
    let k = kernel(&format!("{COPY}st.global.u32 [%d1], 9;\n{wait}{SHOW}"));
    let ran = at(&k, Diagnose::Full);
    let f = ran.only_finding();
    assert_eq!((&f.what, f.count, f.at.source.line), (&FindingKind::GlobalRace, 32, 2));
    assert_eq!(f.with.as_ref().map(|w| (w.source.line, w.action)), Some((1, Action::Read)));
    // the simulator copies as late as allowed, so the new value is copied
    assert_eq!(ran.get::<u32>("out")[..32], [9; 32]);

    let k = kernel(&format!("{COPY}st.shared.u32 [%r2], 9;\n{wait}{SHOW}"));
    let ran = at(&k, Diagnose::Full);
    assert_eq!(
        (&ran.only_finding().what, ran.only_finding().at.action),
        (&FindingKind::SharedRace, Action::Write)
    );
    assert_eq!(ran.get::<u32>("out")[0], 0x0403_0201);

    // accesses before the copy and after the wait are no findings
    assert_output(
        &format!("st.global.u32 [%d1], 5;\n{COPY}{wait}st.global.u32 [%d1], 9;\n{SHOW}"),
        |_| 5,
    );
    assert_output(&format!("{COPY}{wait}st.shared.u32 [%r2], 9;\n{SHOW}"), |_| 9);
}

#[test]
fn other_threads_need_a_barrier_after_the_wait() {
    let neighbour = "xor.b32 %r5, %r3, 4;\nmov.u32 %r6, tile;\nadd.s32 %r6, %r6, %r5;\n\
                     ld.shared.u32 %r4, [%r6];\nst.global.u32 [%d2], %r4;";
    let wait = "cp.async.wait_all;\n";
    assert_output(&format!("{COPY}{wait}bar.sync 0;\n{neighbour}"), |i| 0x0403_0201 + (i ^ 1));
    for order in [wait.to_owned(), format!("bar.sync 0;\n{wait}")] {
        let ran = at(&kernel(&format!("{COPY}{order}{neighbour}")), Diagnose::Full);
        let f = ran.only_finding();
        assert_eq!((&f.what, f.count), (&FindingKind::SharedRace, 32), "{order}");
        let with = f.with.as_ref().expect("the copy");
        assert_eq!(
            (with.source.line, with.thread[0], with.pending),
            (1, f.at.thread[0] ^ 1, false)
        );
    }
}

/// PTX ISA, "cp.async": `src-size` bytes are read and zeros written for the rest; `ignore-src`
/// reads nothing.
#[test]
fn bytes_beyond_the_source_size_become_zeros() {
    let copy =
        |bytes: &str| format!("setp.gt.u32 %p1, %r1, 15;\n{bytes}cp.async.wait_all;\n{SHOW}");
    let sized = "min.u32 %r5, %r1, 4;\ncp.async.ca.shared.global [%r2], [%d1], 4, %r5;\n";
    let value = |i: u32| 0x0403_0201 + i;
    let part = |i: u32| if i < 4 { value(i) & ((1 << (8 * i)) - 1) } else { value(i) };
    assert_output(&copy(sized), part);
    let ignored = "cp.async.ca.shared.global [%r2], [%d1], 4, %p1;\n";
    assert_output(&copy(ignored), |i| if i > 15 { 0 } else { value(i) });
    // nothing is read, so the address need not be valid
    let nowhere = "selp.b64 %d1, 0, %d1, %p1;\nselp.b32 %r5, 0, 4, %p1;\n\
                   cp.async.ca.shared.global [%r2], [%d1], 4, %r5;\n";
    assert_output(&copy(nowhere), |i| if i > 15 { 0 } else { value(i) });
}

#[test]
fn wide_copies() {
    let body = "setp.gt.u32 %p1, %r1, 7;\nmul.wide.u32 %d3, %r1, 12;\nadd.s64 %d4, %d1, %d3;\n\
                mul.lo.u32 %r5, %r1, 12;\nadd.s32 %r5, %r5, %r2;\n\
                @!%p1 cp.async.cg.shared.global.L2::128B [%r5], [%d4], 16;\n\
                cp.async.wait_all;\nbar.sync 0;\n";
    assert_output(&format!("{body}{SHOW}"), |i| 0x0403_0201 + i);
}

#[test]
fn copies_are_checked_for_bounds_and_alignment() {
    for (copy, what, action) in [
        ("cp.async.ca.shared.global [%r2+512], [%d1], 4;", FindingKind::OutOfBounds, Action::Write),
        ("cp.async.ca.shared.global [%r2], [%d1+512], 4;", FindingKind::OutOfBounds, Action::Read),
        ("cp.async.ca.shared.global [%r2+2], [%d1], 4;", FindingKind::Misaligned, Action::Write),
        ("cp.async.ca.shared.global [%r2], [%d1+1], 4;", FindingKind::Misaligned, Action::Read),
        (
            "cp.async.ca.shared.global [%r2], [%d2], 4;",
            FindingKind::UninitialisedRead,
            Action::Read,
        ),
    ] {
        let ran = at(&kernel(&format!("{copy}\ncp.async.wait_all;")), Diagnose::Full);
        let f = ran.only_finding();
        assert_eq!((&f.what, f.at.action, f.count), (&what, action, 32), "{copy}");
        assert_eq!(
            f.at.array.as_deref(),
            Some(
                ["tile", "in", "out"]
                    [usize::from(action == Action::Read) + usize::from(copy.contains("[%d2]"))]
            )
        );
    }
}

#[test]
fn a_copy_counts_as_a_load_and_a_shared_store() {
    let ran = at(&kernel(&format!("{COPY}cp.async.wait_all;")), Diagnose::Count);
    let t = ran.seen.totals;
    assert_eq!((t.load_requests, t.load_sectors, t.load_sectors_ideal), (1, 4, 4));
    assert_eq!((t.shared_requests, t.shared_wavefronts, t.shared_wavefronts_ideal), (1, 1, 1));
}

#[test]
fn malformed_copies_are_refused() {
    let refused = |copy: &str| {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{\n\
             .reg .b64 %d<9>;\n.reg .b32 %r<9>;\n{copy}\nret;\n}}\n"
        );
        Module::parse(&text).expect_err(copy)
    };
    for copy in [
        "cp.async.ca.shared.global [%r2], [%d1], 3;",
        "cp.async.cg.shared.global [%r2], [%d1], 8;",
        "cp.async.ca.shared.global [%r2], [%d1];",
        "cp.async.shared.global [%r2], [%d1], 4;",
        "cp.async.ca.global.shared.v2 [%r2], [%d1], 4;",
        "cp.async.wait_group;",
        "cp.async.commit_group 1;",
    ] {
        assert!(matches!(refused(copy), Error::Parse { line: 7, .. }), "{copy}: {}", refused(copy));
    }
}

/// The sectors of the loads that the warp has waited for, and the instructions between each of them
/// and its wait.
fn awaited(body: &str) -> (u64, u64) {
    let ran = kernel(body).run(&Options { count_waits: true, ..Options::default() });
    assert_eq!(ran.seen.findings, [], "{body}");
    let awaited = ran.seen.awaited.expect("counted");
    let mut loads = awaited.sectors.iter();
    let (distance, sectors) =
        loads.next().map_or((0, 0), |(distance, sectors)| (*distance, *sectors));
    assert!(loads.next().is_none(), "{body}: {awaited:?}");
    (sectors, distance)
}

#[test]
fn the_work_during_a_load_ends_at_the_wait() {
    let commit = "cp.async.commit_group;\n";
    assert_eq!(awaited(&format!("{COPY}{commit}cp.async.wait_group 0;\n{SHOW}")), (4, 2));
    assert_eq!(awaited(&format!("{COPY}{commit}{commit}cp.async.wait_group 1;\n{SHOW}")), (4, 3));
    assert_eq!(awaited(&format!("{COPY}cp.async.wait_all;\n{SHOW}")), (4, 1));
    assert_eq!(awaited("ld.global.u32 %r4, [%d1];\nst.global.u32 [%d2], %r4;"), (4, 1));
    // a copy that the warp never waits for
    assert_eq!(awaited(&format!("{COPY}{commit}")), (0, 0));
    // a value that nothing needs, and one that is overwritten
    assert_eq!(awaited("ld.global.u32 %r4, [%d1];\nmov.u32 %r5, 1;"), (0, 0));
    assert_eq!(awaited("ld.global.u32 %r4, [%d1];\nmov.u32 %r4, 1;"), (0, 0));
}

/// A load that begins long before its wait counts at most as much as is asked for, so it doesn't
/// make up for others. Multiplications and additions are counted as fused.
#[test]
fn an_early_load_does_not_make_up_for_others() {
    let work = "fma.rn.f32 %f1, %f1, %f1, %f1;\n".repeat(100);
    let loads = format!(
        ".reg .f32 %f<2>;\nmov.f32 %f1, 0f00000000;\nld.global.u32 %r4, [%d1];\n{work}st.global.u32 [%d2], %r4;\n\
         ld.global.u32 %r5, [%d1];\nst.global.u32 [%d2], %r5;"
    );
    let ran = kernel(&loads).run(&Options { count_waits: true, ..Options::default() });
    let awaited = ran.seen.awaited.expect("counted");
    assert_eq!(awaited.instructions(1000), Some(51.0));
    assert_eq!(awaited.instructions(21), Some(11.0));
    assert_eq!(awaited.fused, 100);
    assert_eq!(ptxsim::AwaitedLoads::default().instructions(21), None);
}

/// A wait for copies is a wait for loads if a copy is in flight, and if the copy reads anything.
#[test]
fn waits_for_copies_are_waits_for_loads() {
    let waits = |body: &str| {
        let ran = kernel(body).run(&Options { count_waits: true, ..Options::default() });
        let sectors: u64 = ran.seen.awaited.expect("counted").sectors.values().sum();
        (ran.seen.load_waits.expect("counted"), sectors)
    };
    let wait = "cp.async.wait_all;\n";
    assert_eq!(waits(wait), (0, 0));
    assert_eq!(waits(&format!("{COPY}{wait}")), (1, 4));
    assert_eq!(waits(&format!("{COPY}{wait}{wait}")), (1, 4));
    assert_eq!(waits(&format!("{COPY}{wait}{COPY}{wait}")), (2, 8));
    assert_eq!(waits(&format!("{COPY}{COPY}{wait}")), (1, 8));
    let nothing = "mov.u32 %r5, 0;\ncp.async.ca.shared.global [%r2], [%d1], 4, %r5;\n";
    assert_eq!(waits(&format!("{nothing}{wait}")), (0, 0));
}
