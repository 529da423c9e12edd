//! The counters, in total and per line, against numbers derived by hand from the access patterns.
//! Sectors are 32 bytes, banks 4 bytes wide; definitions as in Nsight Compute's source metrics.

use crate::common::{Kernel, Ran, both_compilers};
use ptxsim::{Counters, Diagnose, Options};

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
