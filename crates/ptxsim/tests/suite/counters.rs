//! The counters, in total and per line, against numbers derived by hand from the access patterns.
//! Sectors are 32 bytes, banks 4 bytes wide; definitions as in Nsight Compute's source metrics.

use crate::common::{Kernel, Ran, both_compilers, module};
use ptxsim::{Counters, Diagnose, FindingKind, Moves, Options, Traffic};

/// The counters of the line with the comment `@mark`; all zero when it was never executed.
fn at(ran: &Ran, mark: &str) -> Counters {
    let text = std::fs::read_to_string("tests/kernels/planted/counters.cu").expect("the source");
    let suffix = format!("// @{mark}");
    let line =
        text.lines().position(|l| l.ends_with(&suffix)).unwrap_or_else(|| panic!("no {suffix}"))
            as u32
            + 1;
    on(ran, line)
}

fn on(ran: &Ran, line: u32) -> Counters {
    let mut found = ran.seen.lines.iter().filter(|l| l.source.line == line);
    let counters = found.next().map(|l| l.counters).unwrap_or_default();
    assert!(found.next().is_none(), "line {line} is listed once");
    counters
}

fn counted(kernel: &Kernel) -> Ran {
    let count = kernel.run(&Options { diagnose: Diagnose::Count, ..Options::default() });
    let full = kernel.full();
    assert_eq!((&count.seen.totals, &count.seen.lines), (&full.seen.totals, &full.seen.lines));
    let none = kernel.run(&Options { diagnose: Diagnose::Bounds, ..Options::default() });
    assert_eq!(none.seen.totals, Counters::default());
    let (c, mut traffic) = (&count.seen.totals, count.seen.traffic);
    traffic.constants = Moves::default();
    if c.global_atomics + c.shared_atomics + c.texture_requests == 0 {
        // counters of launches have neither the lanes of stores nor the width of accesses
        (traffic.stores.lanes, traffic.stores.words) = (0, 0);
        traffic.loads.words = traffic.loads.lanes;
        (traffic.loads.idle_words, traffic.stores.idle_words) = (0, 0);
        (traffic.shared_words, traffic.single_products) = (0, 0);
        assert_eq!(traffic, Traffic::of_loads_and_stores(c), "only loads and stores move data");
    }
    count
}

/// Requests, sectors, ideal sectors.
fn loads(c: &Counters) -> [u64; 3] {
    [c.load_requests, c.load_sectors, c.load_sectors_ideal]
}

fn stores(c: &Counters) -> [u64; 3] {
    [c.store_requests, c.store_sectors, c.store_sectors_ideal]
}

/// Requests, wavefronts, ideal wavefronts.
fn shared(c: &Counters) -> [u64; 3] {
    [c.shared_requests, c.shared_wavefronts, c.shared_wavefronts_ideal]
}

#[test]
fn every_instruction_of_a_vector_addition() {
    for m in both_compilers("01_vadd") {
        let run = |n: usize| {
            counted(
                &Kernel::new(&m, "vadd")
                    .block(128, 1, 1)
                    .buffer("a", &vec![1.0_f32; n])
                    .buffer("b", &vec![1.0_f32; n])
                    .uninitialised::<f32>("c", n)
                    .scalar(n as i32),
            )
        };
        // 10 instructions up to the branch, 11 in the `if`, then `ret`: by 4 warps, the last one
        // with 4 lanes inside
        let ran = run(100);
        let t = ran.seen.totals;
        assert_eq!((t.instructions, t.thread_instructions), (4 * 22, 128 * 11 + 100 * 11));
        assert_eq!((t.branches, t.divergent_branches, t.barriers), (4, 1, 0));
        assert_eq!(loads(&t), [8, 2 * (3 * 4 + 1), 2 * (3 * 4 + 1)]);
        assert_eq!(t.thread_loads, 2 * 100);
        assert_eq!(stores(&t), [4, 13, 13]);
        let lines: Vec<(u32, u64, u64)> = ran
            .seen
            .lines
            .iter()
            .map(|l| (l.source.line, l.counters.instructions, l.counters.thread_instructions))
            .collect();
        let inside = 3 * 100;
        assert_eq!(
            lines,
            [(1, 16, 4 * 128), (2, 28, 4 * 128 + inside), (3, 40, 2 * 128 + 8 * 100), (4, 4, 128)]
        );
        assert_eq!(loads(&on(&ran, 3)), loads(&t));
        // no thread of the last warp is inside
        let t = run(96).seen.totals;
        assert_eq!((t.instructions, t.thread_instructions), (3 * 22 + 11, 128 * 11 + 96 * 11));
        assert_eq!((t.branches, t.divergent_branches), (4, 0));
        assert!((t.active_lanes() - 2464.0 / 77.0).abs() < 1e-9);
    }
}

#[test]
fn sectors_of_strides() {
    for m in both_compilers("planted/counters") {
        for (stride, sectors) in [(1, 4), (2, 8), (3, 12), (4, 16), (8, 32), (32, 32), (0, 1)] {
            let size = 64 * stride.max(1) as usize;
            let ran = Kernel::new(&m, "strided")
                .grid(2, 1, 1)
                .buffer("in", &vec![0.0_f32; size])
                .buffer("out", &vec![0.0_f32; size])
                .scalar(stride);
            let ran = counted(&ran);
            // the ideal never exceeds the actual cost
            let wanted = [2, 2 * sectors, 2 * sectors.min(4)];
            assert_eq!(loads(&at(&ran, "strided_load")), wanted, "stride {stride}");
            assert_eq!(stores(&at(&ran, "strided_store")), wanted, "stride {stride}");
        }
    }
}

#[test]
fn sectors_of_widths_and_offsets() {
    for m in both_compilers("planted/counters") {
        let ran = counted(
            &Kernel::new(&m, "broadcast").buffer("in", &[1.0_f32]).uninitialised::<f32>("out", 32),
        );
        assert_eq!(loads(&at(&ran, "broadcast_load")), [1, 1, 1]);
        let ran = counted(
            &Kernel::new(&m, "quads")
                .buffer("in", &[1.0_f32; 128])
                .uninitialised::<f32>("out", 128),
        );
        // the compiler puts the load on the line of the store
        assert_eq!(
            (loads(&ran.seen.totals), stores(&at(&ran, "quads_store"))),
            ([1, 16, 16], [1, 16, 16])
        );
        let ran = counted(
            &Kernel::new(&m, "doubles")
                .buffer("in", &[1.0_f64; 32])
                .uninitialised::<f64>("out", 32),
        );
        assert_eq!(
            (loads(&ran.seen.totals), stores(&at(&ran, "doubles_store"))),
            ([1, 8, 8], [1, 8, 8])
        );
        let ran = counted(
            &Kernel::new(&m, "bytes").buffer("in", &[1_u8; 32]).uninitialised::<u8>("out", 32),
        );
        assert_eq!(
            (loads(&ran.seen.totals), stores(&at(&ran, "bytes_store"))),
            ([1, 1, 1], [1, 1, 1])
        );
        // 128 bytes that begin 4 bytes behind a sector's start touch five
        let ran = counted(
            &Kernel::new(&m, "shifted")
                .buffer("in", &[1.0_f32; 33])
                .uninitialised::<f32>("out", 32),
        );
        assert_eq!(loads(&at(&ran, "shifted_load")), [1, 5, 4]);
    }
}

#[test]
fn wavefronts_of_transposes() {
    for m in both_compilers("planted/counters") {
        for (entry, wavefronts) in [("transpose_plain", 32 * 32), ("transpose_padded", 32)] {
            let ran = counted(
                &Kernel::new(&m, entry)
                    .block(32, 32, 1)
                    .buffer("in", &[1.0_f32; 1024])
                    .uninitialised::<f32>("out", 1024),
            );
            assert_eq!(shared(&at(&ran, entry)), [32, wavefronts, 32]);
            // the stores into the tile have no conflicts
            assert_eq!(shared(&ran.seen.totals), [64, wavefronts + 32, 64]);
            assert_eq!(ran.seen.totals.shared_conflicts(), wavefronts - 32);
            assert_eq!((ran.seen.totals.barriers, ran.seen.warps), (32, 32));
            let row = if entry == "transpose_padded" { 33 } else { 32 };
            assert_eq!(ran.seen.shared_bytes, 4 * 32 * row);
        }
    }
}

#[test]
fn wavefronts_of_strides_and_widths() {
    for m in both_compilers("planted/counters") {
        for (stride, wavefronts) in
            [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4), (6, 2), (16, 16), (32, 32)]
        {
            let ran = counted(
                &Kernel::new(&m, "shared_stride")
                    .shared(32 * 32 * 4)
                    .uninitialised::<f32>("out", 32)
                    .scalar(stride),
            );
            assert_eq!(shared(&at(&ran, "shared_stride")), [1, wavefronts, 1], "stride {stride}");
            assert_eq!(ran.seen.shared_bytes, 4096, "dynamic");
            assert_eq!(shared(&at(&ran, "shared_broadcast")), [1, 1, 1]);
        }
        let ran = counted(
            &Kernel::new(&m, "shared_wide")
                .uninitialised::<f64>("out", 32)
                .uninitialised::<f32>("quads", 128),
        );
        assert_eq!(shared(&at(&ran, "shared_double")), [1, 2, 2]);
        assert_eq!(shared(&at(&ran, "shared_double_load")), [1, 2, 2]);
        assert_eq!(shared(&at(&ran, "shared_quad")), [1, 4, 4]);
    }
}

#[test]
fn branches_and_atomics() {
    for m in both_compilers("planted/counters") {
        // four warps: all threads of two are inside, of one some, of one none
        let ran = counted(
            &Kernel::new(&m, "branches")
                .grid(2, 1, 1)
                .block(64, 1, 1)
                .buffer("out", &[0_i32])
                .scalar(70_i32),
        );
        let c = at(&ran, "branch");
        assert_eq!((c.branches, c.divergent_branches), (4, 1));
        let t = ran.seen.totals;
        // 70 of the 128 threads, in three of the four warps
        assert_eq!((t.global_atomics, t.thread_atomics, t.load_requests), (3, 70, 0));
        assert_eq!(ran.seen.warps, 4);
        let ran = counted(
            &Kernel::new(&m, "shared_atomics")
                .block(64, 1, 1)
                .uninitialised::<i32>("out", 32)
                .scalar(32_i32),
        );
        let t = ran.seen.totals;
        assert_eq!(
            (t.shared_atomics, t.global_atomics, t.barriers, t.divergent_branches),
            (2, 0, 4, 0)
        );
        assert_eq!(ran.get::<i32>("out"), [2; 32]);
    }
}

#[test]
fn local_memory_and_array_use() {
    for m in both_compilers("planted/counters") {
        let ran = counted(
            &Kernel::new(&m, "local_array")
                .block(64, 1, 1)
                .uninitialised::<i32>("out", 64)
                .scalar(3_i32),
        );
        assert_eq!(at(&ran, "local_load").local_requests, 2);
        let use_of = &Kernel::new(&m, "local_array")
            .block(64, 1, 1)
            .uninitialised::<i32>("out", 99)
            .scalar(3_i32)
            .full();
        let [out] = use_of.seen.arrays.as_slice() else { panic!("{:?}", use_of.seen.arrays) };
        assert_eq!(
            (out.name.as_str(), out.elements, out.written, out.max_writes, out.most_written),
            ("out", 99, 64, 1, 64)
        );
    }
}

/// What one full warp moves with a single instruction, written into a kernel with a parameter `p`
/// for 1024 words, a shared array `s` of as many, and a constant array `c`. `%x2` is `p` plus
/// `step` words for each lane, and `%r2` and `%x3` are the same in `s` and in `c`.
fn moved_by(instruction: &str, step: u32) -> Traffic {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 c[1024];\n\
         .visible .entry k(.param .u64 p)\n{{\n\
         .reg .b32 %r<9>;\n.reg .b64 %x<9>;\n.shared .align 16 .b32 s[1024];\n\
         ld.param.u64 %x0, [p];\nmov.u32 %r0, %tid.x;\nmul.lo.u32 %r1, %r0, {bytes};\n\
         cvt.u64.u32 %x1, %r1;\nadd.s64 %x2, %x0, %x1;\nmov.u32 %r2, s;\nadd.s32 %r2, %r2, %r1;\n\
         mov.u64 %x3, c;\nadd.s64 %x3, %x3, %x1;\nmov.u32 %r3, 0;\nmov.u32 %r5, 0;\n\
         {instruction}\n\
         mul.wide.u32 %x4, %r0, 128;\nadd.s64 %x4, %x0, %x4;\nst.global.u32 [%x4], %r3;\nret;\n}}\n",
        bytes = 4 * step
    );
    let kernel = Kernel::new(&module(&text), "k").block(32, 1, 1).buffer("p", &vec![0_u32; 1024]);
    let mut traffic = counted(&kernel).seen.traffic;
    // without the store of the result at the end
    traffic.stores.requests -= 1;
    traffic.stores.lanes -= 32;
    traffic.stores.words -= 32;
    traffic.stores.sectors -= 32;
    traffic.stores.sectors_ideal -= 4;
    traffic
}

/// Lanes that load one after the other waste sectors, although each request by itself needs only
/// one. A broadcast wastes none.
#[test]
fn words_of_a_sector_that_no_lane_accesses_are_idle() {
    let moved = |predicate: &str, address: &str| {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n\
             .visible .entry k(.param .u64 p)\n{{\n\
             .reg .b32 %r<9>;\n.reg .b64 %x<9>;\n.reg .pred %p<2>;\n\
             ld.param.u64 %x0, [p];\nmov.u32 %r0, %tid.x;\n{predicate}\n\
             mul.wide.u32 %x1, %r0, 4;\nadd.s64 %x2, %x0, %x1;\n\
             @%p0 ld.volatile.global.u32 %r3, [{address}];\nret;\n}}\n",
        );
        let kernel = Kernel::new(&module(&text), "k").block(32, 1, 1).buffer("p", &vec![0_u32; 64]);
        let loads = kernel.full().seen.traffic.loads;
        (loads.sectors, loads.idle_words, loads.sectors_packed(), loads.sectors_wasted())
    };
    let all = "setp.lt.u32 %p0, %r0, 32;";
    assert_eq!(moved(all, "%x2"), (4, 0, 4, 0), "packed");
    assert_eq!(moved(all, "%x0"), (1, 0, 1, 0), "a broadcast");
    assert_eq!(moved("setp.eq.u32 %p0, %r0, 3;", "%x2"), (1, 7, 1, 0), "one lane");
    let kernel_of_lanes = |lanes: u64| Moves {
        requests: lanes,
        lanes,
        words: lanes,
        sectors: lanes,
        sectors_ideal: lanes,
        idle_words: 7 * lanes,
    };
    let alone = kernel_of_lanes(32);
    assert_eq!((alone.sectors_packed(), alone.sectors_wasted()), (4, 28), "32 lanes one by one");
}

/// A load of 16 bytes is one request and one access of each lane, but four words.
#[test]
fn accesses_of_threads_count_in_words() {
    let words = |load: &str| {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n\
             .visible .entry k(.param .u64 p)\n{{\n\
             .reg .b64 %x<3>;\n.reg .b32 %r<5>;\n.reg .b16 %h<2>;\n\
             ld.param.u64 %x0, [p];\n{load}\nret;\n}}\n",
        );
        let kernel = Kernel::new(&module(&text), "k").block(32, 1, 1).buffer("p", &[0_u32; 4]);
        let loads = kernel.full().seen.traffic.loads;
        (loads.requests, loads.lanes, loads.words)
    };
    assert_eq!(words("ld.global.u32 %r0, [%x0];"), (1, 32, 32));
    assert_eq!(words("ld.global.u8 %h0, [%x0];"), (1, 32, 32));
    assert_eq!(words("ld.global.u64 %x1, [%x0];"), (1, 32, 64));
    assert_eq!(words("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%x0];"), (1, 32, 128));
}

/// An instruction that moves data counts by what it moves, and not by what it is called.
#[test]
fn every_way_to_load_is_a_load() {
    let lanes = 32;
    let one = |sectors| Moves {
        requests: 1,
        lanes,
        words: lanes,
        sectors,
        sectors_ideal: 4,
        idle_words: 0,
    };
    let none = Traffic::default();
    for (step, sectors) in [(1, 4), (8, 32)] {
        let loads = Traffic { loads: one(sectors), ..none };
        let both = Traffic { loads: one(sectors), stores: one(sectors), ..none };
        let stores = Traffic { stores: one(sectors), ..none };
        let constants = Traffic { constants: one(sectors), ..none };
        for (instruction, wanted) in [
            ("ld.global.u32 %r3, [%x2];", loads),
            ("ld.volatile.global.u32 %r3, [%x2];", loads),
            ("ld.global.nc.u32 %r3, [%x2];", loads),
            ("ld.relaxed.gpu.u32 %r3, [%x2];", loads),
            ("ld.const.u32 %r3, [%x3];", constants),
            ("atom.global.or.b32 %r3, [%x2], 0;", both),
            ("atom.global.add.u32 %r3, [%x2], 0;", both),
            ("atom.global.cas.b32 %r3, [%x2], 0, 0;", both),
            ("atom.global.exch.b32 %r3, [%x2], %r5;", both),
            ("atom.global.max.s32 %r3, [%x2], %r5;", both),
            // nothing uses the old value
            ("atom.global.or.b32 %r4, [%x2], 0;", stores),
            ("red.global.add.u32 [%x2], %r5;", stores),
            ("st.volatile.global.u32 [%x2], %r5;", stores),
        ] {
            assert_eq!(moved_by(instruction, step), wanted, "{instruction} {step}");
        }
    }
}

/// A multiplication of single floats or halves counts, fused or not. One of pairs of halves
/// doesn't, and neither does one of integers.
#[test]
fn products_of_single_numbers_are_counted() {
    let registers = ".reg .f32 %f<2>;\n.reg .f64 %d<2>;\n.reg .b16 %h<2>;\nmov.b16 %h0, 0;\n\
                     mov.f32 %f0, 0f3f800000;\nmov.f64 %d0, 0d3ff0000000000000;\n";
    for (instruction, products) in [
        ("mul.f32 %f1, %f0, %f0;", 1),
        ("fma.rn.f32 %f1, %f0, %f0, %f0;", 1),
        ("mad.rn.f32 %f1, %f0, %f0, %f0;", 1),
        ("mul.f64 %d1, %d0, %d0;", 1),
        ("fma.rn.f16 %h1, %h0, %h0, %h0;", 1),
        ("mul.bf16 %h1, %h0, %h0;", 1),
        ("fma.rn.f16x2 %r4, %r5, %r5, %r5;", 0),
        ("mul.bf16x2 %r4, %r5, %r5;", 0),
        ("add.f32 %f1, %f0, %f0;", 0),
        ("mul.lo.u32 %r4, %r5, %r5;", 0),
        ("mul.wide.u32 %x5, %r5, %r5;", 0),
    ] {
        let moved = moved_by(&format!("{registers}{instruction}"), 1);
        assert_eq!(moved.single_products, products, "{instruction}");
    }
}

/// An atomic on shared memory is a request with the bank conflicts of a load, and one that all
/// lanes do to one word has none.
#[test]
fn atomics_on_shared_memory_are_requests_with_conflicts() {
    for (step, conflicts) in [(0, 0), (1, 0), (2, 1), (8, 7), (32, 31)] {
        let wanted = Traffic {
            shared_requests: 2,
            shared_words: 64,
            shared_conflicts: 2 * conflicts,
            ..Traffic::default()
        };
        for instruction in [
            "ld.shared.u32 %r3, [%r2];",
            "atom.shared.or.b32 %r3, [%r2], 0;",
            "atom.shared.add.u32 %r3, [%r2], 1;",
            "atom.shared.cas.b32 %r3, [%r2], 0, 0;",
            "atom.shared.add.f32 %r3, [%r2], 0f00000000;",
            "red.shared.add.u32 [%r2], 1;",
        ] {
            let first = "st.shared.u32 [%r2], %r5;\nbar.warp.sync 0xffffffff;";
            let traffic = moved_by(&format!("{first}\n{instruction}"), step);
            assert_eq!(traffic, wanted, "{instruction} {step}");
        }
    }
}

/// A call through a pointer can take the place of a loop's branch, and an arrival at a barrier in
/// shared memory that of a block barrier.
#[test]
fn calls_through_pointers_are_branches_and_arrivals_are_barriers() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func f() { ret; }\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %x<4>;\n\
        .shared .align 8 .b64 b;\nf_type: .callprototype _ ();\n\
        mbarrier.init.shared.b64 [b], 32;\nmbarrier.arrive.shared.b64 %x1, [b];\n\
        mov.u64 %x0, f;\ncall %x0, (), f_type;\ncall f, ();\nret;\n}\n";
    let seen = Kernel::new(&module(text), "k").block(32, 1, 1).scalar(0_u64).full().seen;
    assert_eq!((seen.traffic.branches, seen.totals.branches), (1, 0));
    assert_eq!((seen.traffic.barriers, seen.totals.barriers), (1, 0));
}

/// Constant memory has an address space of its own, so `ld.const` of another array is no way to
/// load without being counted.
#[test]
fn other_memory_is_no_constant_memory() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %x<4>;\n\
        ld.param.u64 %x0, [p];\nld.const.u32 %r0, [%x0];\nst.global.u32 [%x0], %r0;\nret;\n}\n";
    let seen = Kernel::new(&module(text), "k").buffer("p", &[7_u32]).full().seen;
    let [finding] = seen.findings.as_slice() else { panic!("{:?}", seen.findings) };
    assert_eq!(finding.what, FindingKind::InvalidAddress);
}
