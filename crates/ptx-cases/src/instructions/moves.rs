//! Guards, packing and unpacking.

use super::Table;

pub(super) fn guards_leave_the_others_alone(t: &Table) {
    t.case("mov.b32 {d}, 77;\n@{c} add.s32 {d}, {a}, {b};", "rrrp", |a, b, c| {
        if c == 1 { a.wrapping_add(b) } else { 77 }
    });
    t.case("mov.b32 {d}, 77;\n@!{c} mul.lo.s32 {d}, {a}, {b};", "rrrp", |a, b, c| {
        if c == 0 { a.wrapping_mul(b) } else { 77 }
    });
    t.case(
        "mov.b64 {d}, {a};\n@{c} mov.b64 {d}, {b};",
        "dddp",
        |a, b, c| if c == 1 { b } else { a },
    );
    t.case("setp.eq.u32 {d}, {a}, {a};\n@{c} setp.lt.u32 {d}, {a}, {b};", "prrp", |a, b, c| {
        u64::from(c == 0 || a < b)
    });
    // some threads exit, so their elements stay unchanged
    let text =
        "mov.b32 {d}, 5;\n@{c} bra $over;\nadd.s32 {d}, {a}, {b};\n$over:\nxor.b32 {d}, {d}, 3;";
    t.case(text, "rrrp", |a, b, c| (if c == 1 { 5 } else { a.wrapping_add(b) }) ^ 3);
}

pub(super) fn packing_and_unpacking(t: &Table) {
    let text = "{\n.reg .b32 %lo, %hi;\nmov.b64 {%lo, %hi}, {a};\nmov.b64 {d}, {%hi, %lo};\n}";
    t.case(text, "dd", |a, _, _| a.rotate_left(32));
    let text = "{\n.reg .b16 %q<4>;\nmov.b64 {%q0, %q1, %q2, %q3}, {a};\nmov.b64 {d}, {%q3, %q2, %q1, %q0};\n}";
    t.case(text, "dd", |a, _, _| {
        a << 48 | (a << 16 & 0xffff_0000_0000) | (a >> 16 & 0xffff_0000) | a >> 48
    });
    let text = "{\n.reg .b16 %lo, %hi;\nmov.b32 {%lo, %hi}, {a};\nmov.b32 {d}, {%hi, %lo};\n}";
    t.case(text, "rr", |a, _, _| u64::from((a as u32).rotate_left(16)));
}
