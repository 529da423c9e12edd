//! Tests of how much host memory a launch takes.

use super::*;
use crate::memory::Initialised;

/// The PTX of kernel `k`, whose array is at %d1 and whose global thread index is %r4.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
     .reg .b64 %d<9>;\n.reg .b32 %r<9>;\n.reg .b16 %h<9>;\n.reg .pred %p<9>;\n\
     ld.param.u64 %d1, [out];\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r1, %ctaid.x;\n\
     mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.s32 %r4, %r1, %r3, %r2;\ncvt.u16.u32 %h1, %r4;\n\
     {body}\nret;\n}}\n"
    )
}

/// The launch of so many blocks of 256 threads of kernel `k`.
fn launch(blocks: u32, out: u64) -> Launch {
    Launch {
        entry: "k".into(),
        grid: [blocks, 1, 1],
        block: [256, 1, 1],
        args: vec![out.to_le_bytes().to_vec()],
        ..Launch::default()
    }
}

/// Shadow bytes per byte of the kernel's data after one launch of `body` with an output array
/// of `bytes`.
fn shadow_of(body: &str, blocks: u32, bytes: u64) -> f64 {
    let module = Module::parse(&kernel(body)).expect("parses");
    let mut memory = Memory::new();
    let out = memory.alloc("out", bytes, 1, None).expect("memory");
    let launch = launch(blocks, out);
    let seen = observe(&module, &mut memory, &launch, &Options::default(), Follow::default())
        .expect("runs");
    let Merged { observations: seen, shadows, .. } = seen;
    assert_eq!((seen.completed, seen.findings), (true, vec![]));
    let record = match &memory.allocations[0].initialised {
        Initialised::Some(some) => some.bits().len(),
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

/// Every store of a launch that is undone is undone: of words, of bytes, of vectors across pages,
/// and atomics, when the last block's race makes several host threads start again on one.
#[test]
fn a_launch_that_starts_again_finds_what_memory_held_before() {
    let each = "mul.wide.s32 %d2, %r4, 16;\nadd.s64 %d2, %d1, %d2;\n\
                ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%d2];\nadd.u32 %r5, %r5, 1;\n\
                st.global.v4.u32 [%d2], {%r5, %r5, %r5, %r5};\n\
                ld.global.u8 %h2, [%d2+5];\nadd.s16 %h2, %h2, 3;\nst.global.u8 [%d2+5], %h2;\n\
                red.global.add.u32 [%d2+12], 9;\n\
                setp.eq.u32 %p1, %r1, 63;\n@%p1 st.global.u32 [%d1], %r4;";
    let bytes = 64 * 256 * 16;
    let contents: Vec<u8> = (0..bytes as u32 / 4).flat_map(u32::to_le_bytes).collect();
    let run = |threads: usize| {
        let module = Module::parse(&kernel(each)).expect("parses");
        let mut memory = Memory::new();
        let out = memory.alloc("out", bytes, 4, Some(&contents)).expect("memory");
        let options = Options { threads, ..Options::default() };
        let seen = observe(&module, &mut memory, &launch(64, out), &options, Follow::default())
            .expect("runs");
        assert!(!seen.observations.findings.is_empty());
        memory.read(out, bytes).expect("contents")
    };
    let alone = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == alone, "{threads} host threads");
    }
}
