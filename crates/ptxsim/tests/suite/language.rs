//! What PTX has beside instructions: vector registers, functions with parameters in registers,
//! addresses of parameters and of shared memory, operands with an offset.

use crate::common::{Kernel, module};
use ptxsim::Options;

/// Runs `body` with one thread. `%x0` has the address of 16 words 0, 1, 2, ..., and the kernel
/// stores its results at `%x1`.
#[track_caller]
fn results(functions: &str, body: &str) -> Vec<u32> {
    let m = module(&format!(
        ".version 8.3\n.target sm_90\n.address_size 64\n{functions}\n\
         .visible .entry k(.param .u64 a, .param .u64 b)\n{{\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n\
         .reg .b64 %x<9>;\n.reg .pred %p<5>;\nld.param.u64 %x0, [a];\nld.param.u64 %x1, [b];\n{body}\nret;\n}}\n"
    ));
    let data: Vec<u32> = (0..16).collect();
    let kernel = Kernel::new(&m, "k").block(1, 1, 1).buffer("a", &data).buffer("b", &[99_u32; 8]);
    let ran = kernel.run(&Options::default());
    assert!(ran.seen.completed && ran.seen.findings.is_empty(), "{:#?}", ran.seen.findings);
    ran.get("b")
}

#[track_caller]
fn check(body: &str, wanted: &[u32]) {
    assert_eq!(results("", body)[..wanted.len()], *wanted, "{body}");
}

#[test]
fn vector_registers() {
    check(
        ".reg .v2 .u32 %v;\nld.global.v2.u32 %v, [%x0+8];\nadd.u32 %v.x, %v.y, %v.r;\nst.global.v2.u32 [%x1], %v;",
        &[5, 3],
    );
    check(
        ".reg .v4 .b32 %v<3>;\nmov.v4.u32 %v2, {1, 2, 3, 4};\nmov.v4.b32 %v0, %v2;\nmov.b32 %v0.w, %v2.b;\n\
         st.global.v4.b32 [%x1], %v0;",
        &[1, 2, 3, 3],
    );
    // the sources of a move may be among its destinations
    check(
        "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.v2.u32 {%r1, %r2}, {%r2, %r1};\nst.global.v2.u32 [%x1], {%r1, %r2};",
        &[2, 1],
    );
    check(
        ".reg .v2 .u32 %v;\nmov.b64 %x2, {7, 8};\nmov.b64 %v, %x2;\nmov.u32 %v.x, 9;\nmov.b64 %x3, %v;\n\
         st.global.u64 [%x1], %x3;\nst.global.u32 [%x1+8], %v.y;",
        &[9, 8, 8],
    );
    check(
        ".reg .v4 .u16 %v;\nmov.v4.u16 %v, {1, 2, 3, 4};\nmov.b64 %x2, %v;\nst.global.b64 [%x1], %x2;",
        &[0x2_0001, 0x4_0003],
    );
    // a pointer in a vector register
    check(
        ".reg .v2 .b64 %v;\nmov.v2.b64 %v, {%x0, %x1};\nld.global.u32 %r1, [%v.x+12];\nst.global.u32 [%v.y], %r1;",
        &[3],
    );
}

#[test]
fn registers_of_128_bits() {
    check(
        ".reg .b128 %q<2>;\nld.global.b128 %q0, [%x0+16];\nmov.b128 %q1, %q0;\nmov.b128 {%x2, %x3}, %q1;\n\
         mov.b128 %q0, {%x3, %x2};\nst.global.b128 [%x1], %q0;",
        &[6, 7, 4, 5],
    );
}

#[test]
fn operands_with_an_offset() {
    check(
        "mov.u32 %r1, 10;\nadd.u32 %r2, %r1+4, %r1;\nst.global.u32 [%x1], %r2+-1;\nadd.s64 %x2, %x1+4, 0;\n\
         st.global.u32 [%x2], %r1;\nmov.u32 %r3, %r1+7;\nst.global.u32 [%x1+8], %r3;",
        &[23, 10, 17],
    );
}

#[test]
fn functions_with_parameters_in_registers() {
    let functions = ".func (.reg .u32 %sum, .reg .u64 %product, .reg .u16 %low) both(.reg .u32 %a, .reg .u64 %b, .reg .f32 %c)\n{\n\
         .reg .u64 %t;\n.reg .u32 %u;\n.reg .pred %p;\ncvt.u64.u32 %t, %a;\nmul.lo.u64 %product, %t, %b;\n\
         cvt.rzi.u32.f32 %u, %c;\nadd.u32 %sum, %a, %u;\ncvt.u16.u32 %low, %u;\nsetp.eq.u32 %p, %a, 3;\n@%p ret;\n\
         add.u32 %sum, %sum, 100;\nret;\n}\n";
    let body = |a: &str| {
        format!(
            "mov.u32 %r1, {a};\nmov.u64 %x2, 0x100000001;\nmov.f32 %f1, 0f41200000;\n\
             call (%r2, %x3, %h1), both, (%r1, %x2, %f1);\nst.global.u32 [%x1], %r2;\nst.global.u64 [%x1+8], %x3;\n\
             cvt.u32.u16 %r3, %h1;\nst.global.u32 [%x1+4], %r3;"
        )
    };
    assert_eq!(results(functions, &body("3"))[..4], [13, 10, 3, 3]);
    assert_eq!(results(functions, &body("4"))[..4], [114, 10, 4, 4]);
    // constants, and a result that is dropped
    let body = "call (%r2, _, %h1), both, (5, 7, 2.0);\nst.global.u32 [%x1], %r2;";
    assert_eq!(results(functions, body)[0], 107);
}

/// Parameters in `.param` space, with registers as arguments and results.
#[test]
fn parameters_of_both_kinds() {
    let functions = ".func (.param .b64 r) twice(.param .b64 p, .param .b32 q)\n{\n.reg .u64 %a, %b;\n.reg .u32 %c;\n\
         ld.param.u64 %a, [p];\nld.param.u32 %c, [q];\ncvt.u64.u32 %b, %c;\nadd.u64 %a, %a, %b;\nst.param.b64 [r], %a;\nret;\n}\n";
    let body = "mov.u64 %x2, 0x200000003;\nmov.u32 %r1, 5;\ncall (%x3), twice, (%x2, %r1);\nst.global.u64 [%x1], %x3;";
    assert_eq!(results(functions, body)[..2], [8, 2]);
}

#[test]
fn the_address_of_a_parameter_of_a_function() {
    let functions = ".func (.param .b32 r) pick(.param .align 8 .b8 p[16], .param .b32 n)\n{\n.reg .u64 %a<4>;\n.reg .u32 %c<3>;\n\
         ld.param.u32 %c0, [n];\nmul.wide.u32 %a1, %c0, 4;\nmov.b64 %a0, p;\nadd.u64 %a2, %a0, %a1;\nld.param.u32 %c1, [%a2];\n\
         cvta.param.u64 %a3, %a0;\nadd.u64 %a3, %a3, %a1;\nld.u32 %c2, [%a3];\nadd.u32 %c1, %c1, %c2;\n\
         st.param.b32 [r], %c1;\nret;\n}\n";
    let body = "{\n.param .align 8 .b8 p[16];\n.param .b32 n;\n.param .b32 r;\nst.param.v4.b32 [p], {11, 22, 33, 44};\n\
         st.param.b32 [n], 2;\ncall (r), pick, (p, n);\nld.param.b32 %r1, [r];\nst.global.u32 [%x1], %r1;\n}";
    assert_eq!(results(functions, body)[0], 66);
}

/// `ptxas` makes a shared or local access of a generic one whose address comes from `mov`.
#[test]
fn generic_accesses_of_addresses_that_mov_gives() {
    check(
        ".shared .align 8 .b8 tile[64];\n.local .align 8 .b8 own[16];\nmov.u64 %x2, tile;\nst.u32 [%x2+8], 41;\n\
         add.s64 %x3, %x2, 4;\nld.u32 %r1, [%x3+4];\nst.global.u32 [%x1], %r1;\nmov.u64 %x4, own;\nst.u32 [%x4], 42;\n\
         ld.local.u32 %r2, [own];\nst.global.u32 [%x1+4], %r2;\nmov.u32 %r3, tile;\ncvt.u64.u32 %x5, %r3;\n\
         ld.u32 %r4, [%x5+8];\nst.global.u32 [%x1+8], %r4;\nst.u32 [tile], 43;\ncvta.shared.u64 %x6, %x2;\n\
         ld.u32 %r5, [%x6];\nst.global.u32 [%x1+12], %r5;",
        &[41, 42, 41, 43],
    );
}
