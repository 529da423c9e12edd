//! Which mistakes end a launch as they would on a GPU, which do not, and what ends it here alone.

use crate::common::{Kernel, module};
use ptxsim::{Action, FindingKind, Options};

/// A kernel with `body` over two arrays, `a` and `b`. Thread `i` has the address of `a[i]` in
/// `%x0`, that of `b[i]` in `%x1`, and `i` in `%r1`.
fn kernel(body: &str) -> Kernel {
    let m = module(&format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{{\n\
         .reg .b32 %r<9>;\n.reg .b64 %x<9>;\n.reg .pred %p<5>;\n.shared .align 16 .b8 tile[256];\n\
         ld.param.u64 %x0, [a];\nld.param.u64 %x1, [b];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %x2, %r1, 4;\n\
         add.s64 %x0, %x0, %x2;\nadd.s64 %x1, %x1, %x2;\n{body}\nret;\n}}\n"
    ));
    let data: Vec<u32> = (0..32).collect();
    Kernel::new(&m, "k").buffer("a", &data).uninitialised::<u32>("b", 32)
}

/// 30 million instructions after the mistake, the kernel stores its result.
#[test]
fn mistakes_that_a_gpu_does_not_see_do_not_stop_the_kernel() {
    let long = "mov.u32 %r2, 0;\n$loop:\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 10000000;\n@%p1 bra $loop;\n\
                st.global.u32 [%x1], %r2;";
    for (mistake, what) in [
        ("ld.global.u32 %r3, [%x1];", FindingKind::UninitialisedRead),
        (
            "mov.u32 %r4, tile;\nst.volatile.shared.u32 [%r4], %r1;\nst.shared.u32 [%r4], %r1;",
            FindingKind::SharedRace,
        ),
        ("ld.global.u32 %r3, [%x0+128];", FindingKind::OutOfBounds),
    ] {
        let ran = kernel(&format!("{mistake}\n{long}")).block(32, 1, 1).run(&Options::default());
        assert!(ran.seen.findings.iter().any(|f| f.what == what), "{:#?}", ran.seen.findings);
        assert!(ran.seen.completed, "{mistake}");
        assert_eq!(ran.get::<u32>("b"), [10_000_000; 32], "{mistake}");
    }
}

/// A finding comes first, and then the limit that the simulator has by itself.
#[test]
fn the_budget_is_named_also_after_a_finding() {
    let body = "ld.global.u32 %r3, [%x1];\nmov.u32 %r2, 0;\n$loop:\nadd.s32 %r2, %r2, 1;\n\
                setp.lt.s32 %p1, %r2, 10000000;\n@%p1 bra $loop;";
    let ran = kernel(body).run(&Options { budget: 1_000_000, ..Options::default() });
    let found: Vec<_> = ran.seen.findings.iter().map(|f| f.what.clone()).collect();
    let budget = FindingKind::OverBudget { instructions: 1_000_000 };
    assert_eq!(found, [FindingKind::UninitialisedRead, budget]);
}

/// An address that is misaligned and outside of its array is misaligned on a GPU.
#[test]
fn alignment_comes_before_bounds() {
    for access in [
        "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%x0+116];",
        "ld.global.u64 %x3, [%x0+124];",
        "st.global.u32 [%x0+1025], %r1;",
        "mov.u32 %r2, tile;\nld.shared.u64 %x3, [%r2+252];",
    ] {
        let ran = kernel(access).block(1, 1, 1).run(&Options::default());
        let f = ran.only_finding();
        assert_eq!(f.what, FindingKind::Misaligned, "{access}");
    }
    let aligned = kernel("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%x0+128];").block(1, 1, 1);
    let ran = aligned.run(&Options::default());
    assert_eq!(ran.only_finding().what, FindingKind::OutOfBounds);
}

/// Far from its array, an access hits no memory at all.
#[test]
fn an_access_far_from_its_array_ends_the_launch() {
    let mib = 1_i64 << 20;
    for (offset, unmapped) in [
        (128, false),
        (mib, false),
        (40 * mib, false),
        (-40 * mib, false),
        (256 * mib, true),
        (-256 * mib, true),
        (16384 * mib, true),
        (-16384 * mib, true),
    ] {
        let body = format!("add.s64 %x3, %x0, {offset};\nst.global.u32 [%x3], %r1;");
        let ran = kernel(&body).run(&Options::default());
        let f = ran.only_finding();
        assert_eq!((&f.what, f.at.action), (&FindingKind::OutOfBounds, Action::Write), "{offset}");
        assert_eq!(ran.seen.unmapped, unmapped, "{offset}");
    }
}

#[test]
fn a_branch_index_that_is_not_in_its_list() {
    let body = "ld.global.u32 %r2, [%x0];\nadd.s32 %r2, %r2, 1;\nmov.u32 %r3, 0;\n\
                $list: .branchtargets $one, $two;\nbrx.idx %r2, $list;\n$one:\nmov.u32 %r3, 1;\nbra $end;\n\
                $two:\nmov.u32 %r3, 2;\n$end:\nst.global.u32 [%x1], %r3;";
    let ran = kernel(body).block(1, 1, 1).run(&Options::default());
    assert_eq!(ran.get::<u32>("b")[0], 2);
    assert!(ran.seen.completed);
    let ran = kernel(body).block(2, 1, 1).run(&Options::default());
    let f = ran.only_finding();
    assert_eq!(f.what, FindingKind::BadBranch { index: 2, targets: 2 });
    assert_eq!(f.at.linear, 1);
    assert!(!ran.seen.completed);
}
