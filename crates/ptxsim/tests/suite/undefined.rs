//! What a lane gets from `shfl.down` beyond the last lane that takes part is undefined. That is a
//! mistake where a result depends on it, and only there.

use ptxsim::{FindingKind, MaskProblem};

use crate::common::{Kernel, module};

/// Runs `body` in one warp. `%x4` is the address of the thread's own element of `out`, `%r3` its
/// lane, and `%r5` its element of `in`. Returns the lanes that read undefined values, and the lanes
/// that they read.
fn reads(body: &str) -> Vec<(u32, u32)> {
    let m = module(&format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .func (.param .b32 r) twice(.param .b32 a) {{\n.reg .b32 %q<3>;\n\
         ld.param.b32 %q1, [a];\nadd.s32 %q2, %q1, %q1;\nst.param.b32 [r], %q2;\nret;\n}}\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {{\n\
         .reg .b32 %r<20>;\n.reg .b64 %x<20>;\n.reg .pred %p<9>;\n\
         .local .align 4 .b8 mine[16];\n.shared .align 4 .b8 tile[128];\n\
         ld.param.u64 %x1, [in];\ncvta.to.global.u64 %x1, %x1;\n\
         ld.param.u64 %x2, [out];\ncvta.to.global.u64 %x2, %x2;\nmov.u32 %r3, %tid.x;\n\
         mul.wide.s32 %x5, %r3, 4;\nadd.s64 %x3, %x1, %x5;\nadd.s64 %x4, %x2, %x5;\n\
         ld.global.u32 %r5, [%x3];\n{body}\nend:\nret;\n}}\n"
    ));
    let values: Vec<i32> = (0..32).map(|i| i * i).collect();
    let ran = Kernel::new(&m, "k").block(32, 1, 1).buffer("in", &values);
    let ran = ran.buffer("out", &[0_i32; 32]).full();
    let problem = |f: &ptxsim::Finding| match f.what {
        FindingKind::BadSyncMask { problem: MaskProblem::SourceNotNamed { lane }, .. } => {
            (f.at.linear, lane)
        }
        _ => panic!("{f:?}"),
    };
    ran.seen.findings.iter().map(problem).collect()
}

/// Lanes 0 to 19 get the value of the lane `by` above them in `%r6`.
fn neighbour(by: u32, then: &str) -> Vec<(u32, u32)> {
    reads(&format!(
        "setp.ge.u32 %p1, %r3, 20;\n@%p1 bra end;\n\
         shfl.sync.down.b32 %r6|%p2, %r5, {by}, 31, 0xfffff;\n{then}"
    ))
}

#[test]
fn an_undefined_value_that_is_stored_is_reported() {
    assert_eq!(neighbour(1, "st.global.u32 [%x4], %r6;"), [(19, 20)]);
    assert_eq!(neighbour(4, "st.global.u32 [%x4], %r6;"), [(16, 20)]);
    assert_eq!(neighbour(1, "sub.s32 %r7, %r6, %r5;\nst.global.u32 [%x4], %r7;"), [(19, 20)]);
    assert_eq!(neighbour(1, "red.global.add.u32 [%x2], %r6;"), [(19, 20)]);
    let shared = "mov.u32 %r8, tile;\nst.shared.u32 [%r8], %r6;";
    assert_eq!(
        neighbour(1, &format!("setp.ne.u32 %p3, %r3, 19;\n@%p3 bra end;\n{shared}")),
        [(19, 20)]
    );
}

/// The halves of the lanes that take part are folded onto the lower ones.
#[test]
fn an_undefined_value_that_no_result_uses_is_not_reported() {
    let fold = |lanes: u32| {
        let mut code = format!("setp.ge.u32 %p1, %r3, {lanes};\n@%p1 bra end;\n");
        let mask = u32::MAX >> (32 - lanes);
        for by in [16, 8, 4, 2, 1].into_iter().filter(|by| *by < lanes) {
            code += &format!("shfl.sync.down.b32 %r6, %r5, {by}, 31, {mask};\n");
            code += "add.s32 %r5, %r5, %r6;\n";
        }
        code
    };
    let first_lane = "setp.ne.u32 %p3, %r3, 0;\n@%p3 bra end;\nst.global.u32 [%x4], %r5;";
    assert_eq!(reads(&format!("{}{first_lane}", fold(16))), []);
    assert_eq!(reads(&format!("{}{first_lane}", fold(8))), []);
    // every lane stores
    assert_eq!(reads(&format!("{}st.global.u32 [%x4], %r5;", fold(16))), [(8, 16)]);
    // the last lane chooses another value
    let edge = "setp.lt.u32 %p3, %r3, 19;\nselp.b32 %r7, %r6, %r5, %p3;\nst.global.u32 [%x4], %r7;";
    assert_eq!(neighbour(1, edge), []);
    let wrong = edge.replace("lt.u32 %p3, %r3, 19", "lt.u32 %p3, %r3, 20");
    assert_eq!(neighbour(1, &wrong), [(19, 20)]);
    let masked = "setp.lt.u32 %p3, %r3, 19;\nselp.b32 %r7, -1, 0, %p3;\nand.b32 %r7, %r6, %r7;\n\
                  st.global.u32 [%x4], %r7;";
    assert_eq!(neighbour(1, masked), []);
}

#[test]
fn undefined_values_are_followed_through_calls_memory_and_other_shuffles() {
    let called = "{\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %r6;\n\
                  call (r), twice, (a);\nld.param.b32 %r7, [r];\n}\n";
    assert_eq!(neighbour(1, &format!("{called}st.global.u32 [%x4], %r7;")), [(19, 20)]);
    let local = "st.local.u32 [mine+4], %r6;\nld.local.u32 %r7, [mine+4];\n";
    assert_eq!(neighbour(1, local), []);
    assert_eq!(neighbour(1, &format!("{local}st.global.u32 [%x4], %r7;")), [(19, 20)]);
    let other = "st.local.u32 [mine+4], %r6;\nst.local.u32 [mine+8], %r5;\n\
                 ld.local.u32 %r7, [mine+8];\nst.global.u32 [%x4], %r7;";
    assert_eq!(neighbour(1, other), []);
    // lane 0 gets lane 19's value
    let again = "shfl.sync.idx.b32 %r7, %r6, 19, 31, 0xfffff;\nsetp.ne.u32 %p3, %r3, 0;\n\
                 @%p3 bra end;\nst.global.u32 [%x4], %r7;";
    assert_eq!(neighbour(1, again), [(19, 20)]);
    assert_eq!(neighbour(1, &again.replace(" 19,", " 18,")), []);
    let vote = "setp.gt.s32 %p4, %r6, 5;\nvote.sync.ballot.b32 %r7, %p4, 0xfffff;\n\
                setp.ne.u32 %p3, %r3, 0;\n@%p3 bra end;\nst.global.u32 [%x4], %r7;";
    assert_eq!(neighbour(1, vote), [(19, 20)]);
}

#[test]
fn an_undefined_value_may_decide_what_is_stored() {
    let count = "setp.le.s32 %p3, %r6, %r5;\n@%p3 bra end;\nred.global.add.u32 [%x2], 1;";
    assert_eq!(neighbour(1, count), [(19, 20)]);
    let kept_out = "setp.gt.s32 %p3, %r6, %r5;\nsetp.lt.u32 %p4, %r3, 19;\n\
                    and.pred %p5, %p3, %p4;\nnot.pred %p5, %p5;\n@%p5 bra end;\n\
                    red.global.add.u32 [%x2], 1;";
    assert_eq!(neighbour(1, kept_out), []);
    // the larger value goes down by a branch, and only lane 0 stores it
    let largest = "setp.le.s32 %p3, %r6, %r5;\n@%p3 bra keep;\nmov.u32 %r5, %r6;\nkeep:\n\
                   setp.ne.u32 %p4, %r3, 0;\n@%p4 bra end;\nst.global.u32 [%x4], %r5;";
    assert_eq!(neighbour(4, largest), []);
}
