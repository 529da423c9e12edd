//! Tests of how much host memory a launch takes.

use super::*;
use crate::memory::Initialised;

/// Shadow bytes per byte of the kernel's data after one launch of `body` with an output array
/// of `bytes`.
fn shadow_of(body: &str, blocks: u32, bytes: u64) -> f64 {
    let ptx = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b64 %d<9>;\n.reg .b32 %r<9>;\n.reg .b16 %h<9>;\n.reg .pred %p<9>;\n\
         ld.param.u64 %d1, [out];\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r1, %ctaid.x;\n\
         mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.s32 %r4, %r1, %r3, %r2;\ncvt.u16.u32 %h1, %r4;\n\
         {body}\nret;\n}}\n"
    );
    let module = Module::parse(&ptx).expect("parses");
    let mut memory = Memory::new();
    let out = memory.alloc("out", bytes, 1, None).expect("memory");
    let launch = Launch {
        entry: "k".into(),
        grid: [blocks, 1, 1],
        block: [256, 1, 1],
        shared: 0,
        shared_allowed: None,
        cooperative: false,
        args: vec![out.to_le_bytes().to_vec()],
    };
    let seen = observe(&module, &mut memory, &launch, &Options::default(), Follow::default())
        .expect("runs");
    let Merged { observations: seen, shadows, .. } = seen;
    assert_eq!((seen.completed, seen.findings), (true, vec![]));
    let record = match &memory.allocations[0].initialised {
        Initialised::Some(bits) => bits.len(),
        _ => 0,
    };
    (record + shadows.iter().map(SlotShadow::bytes).sum::<usize>()) as f64 / bytes as f64
}

#[test]
fn shadow_memory_takes_four_bytes_per_byte() {
    let blocks = 4096;
    let threads = u64::from(blocks) * 256;
    // the rest is the page table (one entry per 4 KiB) and freed lists
    let limit = 4.01;
    let at = |scale: u32| format!("mul.wide.s32 %d2, %r4, {scale};\nadd.s64 %d1, %d1, %d2;\n");
    let words = at(4) + "st.global.u32 [%d1], %r4;";
    let halves = at(2) + "st.global.u16 [%d1], %h1;";
    let bytes = at(1) + "st.global.u8 [%d1], %h1;";
    let in_place = at(1)
        + "st.global.u8 [%d1], %h1;\nld.global.u8 %h2, [%d1];\nadd.s16 %h2, %h2, 1;\n\
                           bar.sync 0;\nst.global.u8 [%d1], %h2;";
    let three =
        at(3) + "st.global.u8 [%d1], %h1;\nst.global.u8 [%d1+1], %h1;\nst.global.u8 [%d1+2], %h1;";
    for (body, scale) in [(words, 4), (halves, 2), (bytes, 1), (in_place, 1), (three, 3)] {
        let factor = shadow_of(&body, blocks, threads * scale);
        assert!((3.9..=limit).contains(&factor), "{factor} for {body}");
    }
    let none = shadow_of(
        &(at(4) + "setp.eq.u32 %p1, %r4, 3;\n@%p1 st.global.u32 [%d1], %r4;"),
        blocks,
        threads * 4,
    );
    assert!(none < 0.2, "a page and the record of what is initialised, not {none}");
}
