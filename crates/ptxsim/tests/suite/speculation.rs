//! Loads whose value only some lanes need (`decode/speculative.rs`).

use ptxsim::FindingKind;

use crate::common::{Kernel, module};

/// A warp stores to `s[tid]`, and another one loads `s[0]` without a barrier, as for
/// `if (tid == 32 && s[0] != 0)`. `combine` makes the branch's predicate of both conditions.
fn races(combine: &str) -> bool {
    let m = module(&format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 4 .b8 s[256];\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {{\n.reg .b32 %r<5>;\n.reg .pred %p<6>;\n\
         .reg .b64 %rd<5>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
         setp.ne.u32 %p1, %r1, 0;\n@%p1 bra read;\nst.shared.u32 [s], %r1;\nret;\n\
         read:\nsetp.ne.u32 %p2, %r1, 64;\nsetp.eq.u32 %p5, %r1, 64;\nld.shared.u32 %r2, [s];\n\
         setp.eq.u32 %p3, %r2, 7;\n{combine}\n@%p4 bra end;\nst.global.u32 [%rd1], %r1;\nend:\nret;\n}}\n"
    ));
    let ran = Kernel::new(&m, "k").block(64, 1, 1).buffer("in", &[0_i32]);
    let ran = ran.buffer("out", &[0_i32; 64]).full();
    ran.seen.findings.iter().any(|finding| finding.what == FindingKind::SharedRace)
}

/// No thread has number 64, so no thread needs the value.
#[test]
fn a_value_that_no_lane_needs_is_not_read() {
    assert!(!races("or.pred %p4, %p2, %p3;"));
    assert!(!races("or.pred %p4, %p3, %p2;"));
    assert!(!races("and.pred %p4, %p5, %p3;"));
    // the branch skips another use
    assert!(!races("or.pred %p4, %p2, %p3;\n@%p4 bra end;\nst.global.u32 [%rd1], %r2;"));
}

/// The value decides about the branch in every lane.
#[test]
fn a_value_that_lanes_need_is_read() {
    for combine in ["or.pred %p4, %p5, %p3;", "and.pred %p4, %p2, %p3;", "not.pred %p4, %p3;"] {
        assert!(races(combine), "{combine}");
    }
    // the branch does not skip the other use
    let after = "and.pred %p4, %p5, %p3;\n@%p4 bra end;\nst.global.u32 [%rd1], %r2;";
    assert!(races(after));
    // the result of the comparison is used again
    let again = "or.pred %p4, %p2, %p3;\nselp.u32 %r3, 1, 2, %p3;\nst.global.u32 [%rd1+4], %r3;";
    assert!(races(again));
}
