//! Every kind of finding, with planted bugs, and beside each bug a correct kernel that must have no
//! finding. All details of a finding must be right: the line, both accesses, the block, the thread,
//! the array, the index, the number of threads.

use crate::common::{Kernel, Ran, both_compilers, line, module};
use ptxsim::{Action, FindingKind, MaskProblem, Options, Space};

/// Runs the kernel of both compilers. Each run must have exactly one finding, at the marked line;
/// `check` checks the rest.
fn assert_finding(
    file: &str,
    entry: &str,
    mark: &str,
    launch: impl Fn(Kernel) -> Kernel,
    check: impl Fn(&Ran),
) {
    for m in both_compilers(&format!("planted/{file}")) {
        let ran = launch(Kernel::new(&m, entry)).full();
        let finding = ran.only_finding();
        assert_eq!(finding.at.source.line, line(file, mark), "{finding:#?}");
        assert_eq!(finding.at.source.file, format!("{file}.cu"));
        check(&ran);
    }
}

/// Runs the correct kernel of both compilers in several orders.
fn assert_no_findings(file: &str, entry: &str, launch: impl Fn(Kernel) -> Kernel) {
    for m in both_compilers(&format!("planted/{file}")) {
        launch(Kernel::new(&m, entry)).assert_clean(|_| {});
    }
}

/// Array, index, elements, and bytes of the access in the only finding.
fn place(ran: &Ran) -> (Option<&str>, Option<i64>, Option<u64>, u32) {
    let at = &ran.only_finding().at;
    (at.array.as_deref(), at.index, at.elements, at.bytes)
}

#[test]
fn reading_one_element_past_the_end() {
    let launch = |k: Kernel| {
        k.grid(2, 1, 1)
            .block(50, 1, 1)
            .buffer("in", &[1.0_f32; 100])
            .uninitialised::<f32>("out", 100)
    };
    assert_finding("bounds", "read_behind", "read_behind", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!((&f.what, f.count, f.with.is_some()), (&FindingKind::OutOfBounds, 1, false));
        assert_eq!((f.at.action, f.at.space), (Action::Read, Some(Space::Global)));
        assert_eq!((f.at.block, f.at.thread, f.at.linear), ([1, 0, 0], [49, 0, 0], 49));
        assert_eq!(place(ran), (Some("in"), Some(100), Some(100), 4));
        // the other threads continue, so the rest of the kernel's output is there
        assert_eq!(ran.get::<f32>("out")[..99], [1.0; 99]);
    });
}

#[test]
fn writing_one_element_past_the_end() {
    let launch = |k: Kernel| k.grid(4, 1, 1).uninitialised::<f32>("out", 100).scalar(100_i32);
    assert_finding("bounds", "write_behind", "write_behind", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!((&f.what, f.count, f.at.action), (&FindingKind::OutOfBounds, 1, Action::Write));
        assert_eq!((f.at.block, f.at.thread), ([3, 0, 0], [4, 0, 0]));
        assert_eq!(place(ran), (Some("out"), Some(100), Some(100), 4));
    });
    assert_no_findings("bounds", "write_behind", |k| {
        k.grid(4, 1, 1).uninitialised::<f32>("out", 100).scalar(99_i32)
    });
}

#[test]
fn reading_before_the_start() {
    let launch = |k: Kernel| k.buffer("in", &[1.0_f64; 32]).uninitialised::<f64>("out", 32);
    assert_finding("bounds", "read_before", "read_before", launch, |ran| {
        assert_eq!(
            (&ran.only_finding().what, ran.only_finding().at.thread),
            (&FindingKind::OutOfBounds, [0, 0, 0])
        );
        assert_eq!(place(ran), (Some("in"), Some(-1), Some(32), 8));
    });
}

#[test]
fn reading_far_outside_and_in_the_next_allocation() {
    // on a GPU, the next allocation is 64 elements away, and anything may be 1 000 000 elements
    // away
    for distance in [64, 1_000_000, -64, 500_000_000, -500_000_000] {
        for before in [true, false] {
            let launch = |k: Kernel| {
                let k = k.block(2, 1, 1).uninitialised::<i32>("out", 64).scalar(distance);
                if before { k } else { k.block(4, 1, 1) }
            };
            let m = both_compilers("planted/bounds");
            for m in &m {
                let ran = launch(Kernel::new(m, "write_far")).full();
                let f = ran.only_finding();
                assert_eq!(f.at.index, Some(i64::from(distance)));
                assert_eq!((f.count, f.at.thread), (if before { 1 } else { 3 }, [1, 0, 0]));
                assert_eq!(f.at.array.as_deref(), Some("out"));
                assert_eq!(ran.get::<i32>("out")[0], 3);
            }
        }
    }
}

#[test]
fn atomics_out_of_bounds() {
    let launch = |k: Kernel| k.block(3, 1, 1).buffer("bins", &[0_i32; 16]).scalar(16_i32);
    assert_finding("bounds", "atomic_behind", "atomic_behind", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!((&f.what, f.count, f.at.action), (&FindingKind::OutOfBounds, 3, Action::Atomic));
        assert_eq!(place(ran), (Some("bins"), Some(16), Some(16), 4));
    });
}

#[test]
fn shared_arrays_have_separate_bounds() {
    let launch = |shift: i32| move |k: Kernel| k.uninitialised::<i32>("out", 32).scalar(shift);
    assert_finding("bounds", "shared_behind", "shared_behind", launch(1), |ran| {
        let f = ran.only_finding();
        assert_eq!(
            (&f.what, f.count, f.at.space),
            (&FindingKind::OutOfBounds, 1, Some(Space::Shared))
        );
        assert_eq!((f.at.thread, place(ran)), ([31, 0, 0], (Some("first"), Some(32), Some(32), 4)));
    });
    assert_finding("bounds", "shared_behind", "shared_behind", launch(8), |ran| {
        assert_eq!(
            (ran.only_finding().count, place(ran)),
            (8, (Some("first"), Some(32), Some(32), 4))
        );
        // the next array is unchanged
        assert_eq!(ran.get::<i32>("out"), (0..32).collect::<Vec<_>>());
    });
    assert_no_findings("bounds", "shared_behind", launch(0));
    let launch = |k: Kernel| k.uninitialised::<i32>("out", 32);
    assert_finding("bounds", "shared_before", "shared_before", launch, |ran| {
        assert_eq!(
            (&ran.only_finding().what, ran.only_finding().count),
            (&FindingKind::OutOfBounds, 1)
        );
        assert_eq!(place(ran), (Some("tile"), Some(-1), Some(32), 4));
    });
}

#[test]
fn dynamic_shared_memory_has_the_size_of_the_launch() {
    let launch = |bytes: u32| move |k: Kernel| k.shared(bytes).uninitialised::<f32>("out", 32);
    assert_no_findings("bounds", "shared_dynamic", launch(33 * 4));
    for m in both_compilers("planted/bounds") {
        let ran = launch(32 * 4)(Kernel::new(&m, "shared_dynamic")).full();
        let f = &ran.seen.findings[0];
        assert_eq!(
            (&f.what, f.at.source.line),
            (&FindingKind::OutOfBounds, line("bounds", "shared_dynamic"))
        );
        assert_eq!(
            (f.at.thread, f.at.index, f.at.elements, f.count),
            ([31, 0, 0], Some(32), Some(32), 1)
        );
        // the read of the same element after the barrier is not a second finding
        assert_eq!(ran.seen.findings.len(), 1);
    }
}

#[test]
fn local_arrays_out_of_bounds() {
    let launch =
        |n: i32| move |k: Kernel| k.block(4, 1, 1).uninitialised::<i32>("out", 4).scalar(n);
    assert_finding("bounds", "local_behind", "local_behind", launch(5), |ran| {
        let f = ran.only_finding();
        assert_eq!((&f.what, f.at.space), (&FindingKind::OutOfBounds, Some(Space::Local)));
        assert_eq!((f.at.thread, f.count), ([3, 0, 0], 1));
    });
    assert_finding("bounds", "local_behind", "local_behind", launch(-1000), |ran| {
        assert_eq!(ran.only_finding().count, 4)
    });
    assert_no_findings("bounds", "local_behind", launch(4));
}

#[test]
fn invalid_pointers() {
    for address in [0_u64, 0xdead_beef_0000, u64::MAX - 4095, 4096] {
        let launch = |k: Kernel| k.block(5, 1, 1).scalar(address).uninitialised::<i32>("out", 5);
        assert_finding("bounds", "pointer", "pointer", launch, |ran| {
            let f = ran.only_finding();
            assert_eq!(
                (&f.what, f.at.address, f.count),
                (&FindingKind::InvalidAddress, address, 5)
            );
            assert_eq!((f.at.array.as_deref(), f.at.index), (None, None));
        });
    }
}

#[test]
fn wide_accesses_must_be_aligned() {
    let launch =
        |k: Kernel| k.block(3, 1, 1).buffer("in", &[1.0_f32; 64]).uninitialised::<f32>("out", 12);
    assert_finding("bounds", "misaligned_float4", "misaligned_float4", launch, |ran| {
        assert_eq!(
            (&ran.only_finding().what, ran.only_finding().count),
            (&FindingKind::Misaligned, 3)
        );
        assert_eq!(place(ran), (Some("in"), Some(1), Some(64), 16));
    });
    let launch = |k: Kernel| k.block(1, 1, 1).uninitialised::<f32>("out", 12);
    assert_finding("bounds", "misaligned_double", "misaligned_double", launch, |ran| {
        assert_eq!(
            (&ran.only_finding().what, ran.only_finding().at.action),
            (&FindingKind::Misaligned, Action::Write)
        );
        assert_eq!(place(ran), (Some("out"), Some(3), Some(12), 8));
    });
}

#[test]
fn constant_memory_cannot_be_written() {
    // a null pointer that the compiler can see becomes a trap
    let launch = |k: Kernel| k.block(1, 1, 1).uninitialised::<i32>("out", 1).scalar(1_i32);
    for m in both_compilers("planted/bounds") {
        assert_eq!(
            launch(Kernel::new(&m, "write_constant")).full().only_finding().what,
            FindingKind::Trap
        );
    }
    let m = module(
        ".version 8.0\n.target sm_75\n.address_size 64\n.const .align 4 .u32 table[4] = {1, 2, 3, 4};\n\
         .visible .entry k() {\n.reg .b64 %rd<3>;\nmov.u64 %rd1, table;\ncvta.const.u64 %rd2, %rd1;\n\
         st.u32 [%rd2+8], 9;\nret;\n}\n",
    );
    let ran = Kernel::new(&m, "k").block(1, 1, 1).full();
    assert_eq!(
        (&ran.only_finding().what, ran.only_finding().at.space),
        (&FindingKind::OutOfBounds, Some(Space::Constant))
    );
    assert_eq!(place(&ran), (Some("table"), Some(2), Some(4), 4));
}

#[test]
fn uninitialised_reads() {
    let launch = |k: Kernel| {
        k.block(40, 1, 1).uninitialised::<i32>("in", 40).uninitialised::<i32>("out", 40)
    };
    assert_finding("bounds", "uninitialised_global", "uninitialised_global", launch, |ran| {
        assert_eq!(
            (&ran.only_finding().what, ran.only_finding().count),
            (&FindingKind::UninitialisedRead, 40)
        );
        assert_eq!(place(ran), (Some("in"), Some(0), Some(40), 4));
    });
    assert_no_findings("bounds", "uninitialised_global", |k| {
        k.buffer("in", &[1_i32; 32]).uninitialised::<i32>("out", 32)
    });
    let launch = |k: Kernel| k.grid(2, 1, 1).block(64, 1, 1).uninitialised::<i32>("out", 64);
    for m in both_compilers("planted/bounds") {
        // both blocks write the same values to `out`, which is no race
        let ran = launch(Kernel::new(&m, "uninitialised_shared")).full();
        let f = ran.only_finding();
        assert_eq!((&f.what, f.count), (&FindingKind::UninitialisedRead, 2));
        assert_eq!((f.at.block, f.at.thread, f.at.index), ([0, 0, 0], [5, 0, 0], Some(5)));
        assert_eq!(f.at.array.as_deref(), Some("tile"));
    }
    let launch =
        |n: i32| move |k: Kernel| k.block(8, 1, 1).uninitialised::<i32>("out", 8).scalar(n);
    assert_finding("bounds", "uninitialised_local", "uninitialised_local", launch(6), |ran| {
        let f = ran.only_finding();
        assert_eq!(
            (&f.what, f.count, f.at.thread),
            (&FindingKind::UninitialisedRead, 2, [6, 0, 0])
        );
        assert_eq!(f.at.space, Some(Space::Local));
    });
    assert_no_findings("bounds", "uninitialised_local", launch(8));
}

#[test]
fn a_missing_barrier() {
    // NVIDIA's own sample for racecheck: thread 0 reads 127 words that others write
    let launch =
        |k: Kernel| k.block(128, 1, 1).buffer("in", &[1_i32; 128]).uninitialised::<i32>("out", 1);
    assert_finding("races", "sum_kernel", "sum_kernel", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!((&f.what, f.count, f.at.action), (&FindingKind::SharedRace, 127, Action::Read));
        let with = f.with.as_ref().expect("the writer");
        assert_eq!(
            (with.source.line, with.action),
            (line("races", "sum_kernel_with"), Action::Write)
        );
        assert_eq!(
            (f.at.thread[0], f.at.array.as_deref(), f.at.elements),
            (0, Some("smem"), Some(128))
        );
        assert_eq!((f.at.index, with.index), (with.index, Some(i64::from(with.thread[0]))));
        assert_eq!(f.at.block, with.block);
    });
    // warp 0 reads first, so the write of warp 1 completes the race
    let launch = |k: Kernel| k.block(96, 1, 1).uninitialised::<i32>("out", 96);
    assert_finding("races", "neighbour", "neighbour_with", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!((&f.what, f.count, f.at.action), (&FindingKind::SharedRace, 96, Action::Write));
        let with = f.with.as_ref().expect("the other party");
        assert_eq!((with.source.line, with.action), (line("races", "neighbour"), Action::Read));
        assert_eq!((f.at.linear, with.linear, f.at.index, with.index), (32, 0, Some(32), Some(32)));
    });
    assert_no_findings("races", "neighbour_right", |k| {
        k.block(96, 1, 1).uninitialised::<i32>("out", 96)
    });
}

#[test]
fn a_missing_barrier_before_writing_again() {
    let launch = |k: Kernel| k.block(96, 1, 1).uninitialised::<i32>("out", 96);
    assert_finding("races", "overwrite", "overwrite", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!((&f.what, f.at.action), (&FindingKind::SharedRace, Action::Write));
        let with = f.with.as_ref().expect("the reader");
        assert_eq!(
            (with.action, with.source.line),
            (Action::Read, line("races", "overwrite_with"))
        );
        assert_eq!((with.index, with.array.as_deref()), (f.at.index, Some("tile")));
    });
    for m in both_compilers("planted/races") {
        let ran =
            Kernel::new(&m, "second_round").block(64, 1, 1).uninitialised::<i32>("out", 64).full();
        let f = &ran.seen.findings[0];
        assert_eq!(
            (&f.what, f.at.source.line),
            (&FindingKind::SharedRace, line("races", "second_round"))
        );
    }
}

#[test]
fn two_lanes_of_one_store_write_the_same_word() {
    let launch = |k: Kernel| k.block(64, 1, 1).uninitialised::<i32>("out", 64);
    assert_finding("races", "together", "together", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!(
            (&f.what, f.at.action, f.at.array.as_deref()),
            (&FindingKind::SharedRace, Action::Write, Some("slot"))
        );
        let with = f.with.as_ref().expect("the other writer");
        assert_eq!((with.source.line, with.action), (f.at.source.line, Action::Write));
        assert_ne!(with.linear, f.at.linear);
    });
    assert_no_findings("races", "together_alike", launch);
}

#[test]
fn races_within_one_warp() {
    let launch = |k: Kernel| k.uninitialised::<i32>("out", 32);
    assert_finding("races", "no_syncwarp", "no_syncwarp", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!((&f.what, f.count), (&FindingKind::SharedRace, 32));
        let with = f.with.as_ref().expect("the writer");
        assert_eq!(with.source.line, line("races", "no_syncwarp_with"));
        assert_eq!(with.linear, f.at.linear ^ 1);
    });
    assert_no_findings("races", "with_syncwarp", launch);
    assert_no_findings("races", "bytes_apart", |k| {
        k.block(64, 1, 1).uninitialised::<u8>("out", 64)
    });
}

#[test]
fn races_in_global_memory() {
    let launch = |k: Kernel| k.grid(3, 1, 1).uninitialised::<i32>("out", 32);
    assert_finding("races", "between_blocks", "between_blocks", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!(
            (&f.what, f.count, f.at.array.as_deref()),
            (&FindingKind::GlobalRace, 64, Some("out"))
        );
        let with = f.with.as_ref().expect("the other block");
        assert_eq!((f.at.block, with.block), ([1, 0, 0], [0, 0, 0]));
        assert_eq!((f.at.thread, with.thread, f.at.index), ([0, 0, 0], [0, 0, 0], Some(0)));
    });
    assert_finding(
        "races",
        "within_block",
        "within_block",
        |k| k.block(64, 1, 1).uninitialised::<i32>("out", 32),
        |ran| {
            let f = ran.only_finding();
            assert_eq!((&f.what, f.count), (&FindingKind::GlobalRace, 32));
            assert_eq!((f.at.linear, f.with.as_ref().map(|w| w.linear)), (1, Some(0)));
        },
    );
    assert_no_findings("races", "between_blocks", |k| {
        k.block(32, 1, 1).uninitialised::<i32>("out", 32)
    });
}

#[test]
fn unsynchronised_increments() {
    for m in both_compilers("planted/races") {
        let launch = |entry| Kernel::new(&m, entry).grid(2, 1, 1).buffer("count", &[0_i32]);
        let ran = launch("increment").full();
        assert!(!ran.seen.findings.is_empty());
        assert!(ran.seen.findings.iter().all(|f| f.what == FindingKind::GlobalRace
            && f.at.source.line == line("races", "increment")
            && f.with.as_ref().is_some_and(|w| w.source.line == f.at.source.line)));
        assert_eq!(ran.seen.findings.len(), 1, "{:#?}", ran.seen.findings);
        launch("increment_right").assert_clean(|ran| assert_eq!(ran.get::<i32>("count"), [64]));
    }
}

#[test]
fn atomic_and_plain_access_race() {
    let launch =
        |k: Kernel| k.block(64, 1, 1).buffer("count", &[0_i32]).uninitialised::<i32>("out", 1);
    assert_finding("races", "atomic_and_plain", "atomic_and_plain", launch, |ran| {
        let f = ran.only_finding();
        assert_eq!(
            (&f.what, f.at.action, f.at.thread),
            (&FindingKind::GlobalRace, Action::Read, [40, 0, 0])
        );
        let with = f.with.as_ref().expect("the atomic");
        assert_eq!(
            (with.action, with.source.line),
            (Action::Atomic, line("races", "atomic_and_plain_with"))
        );
    });
}

#[test]
fn in_place_stencil_races() {
    for m in both_compilers("planted/races") {
        let ran = Kernel::new(&m, "stencil_in_place")
            .grid(3, 1, 1)
            .buffer("a", &[1.0_f32; 96])
            .scalar(96_i32)
            .full();
        let f = ran.only_finding();
        assert_eq!(
            (&f.what, f.at.source.line),
            (&FindingKind::GlobalRace, line("races", "stencil_in_place"))
        );
    }
}

#[test]
fn threads_that_exit_before_a_barrier() {
    for (threads, n) in [(64, 40), (40, 33), (64, 32)] {
        let launch = |k: Kernel| k.block(threads, 1, 1).uninitialised::<i32>("out", 64).scalar(n);
        assert_finding("sync", "early_return", "early_return", launch, |ran| {
            let f = ran.only_finding();
            let n = n as u32;
            assert_eq!(f.what, FindingKind::BarrierNotReached { waiting: n, missing: threads - n });
            assert_eq!((f.at.thread, f.at.action), ([0, 0, 0], Action::Wait));
            let with = f.with.as_ref().expect("one that left");
            assert_eq!((with.thread, with.action), ([n, 0, 0], Action::Exit));
        });
        assert_no_findings("sync", "early_return", |k| {
            k.block(32, 1, 1).uninitialised::<i32>("out", 32).scalar(32_i32)
        });
    }
}

#[test]
fn a_barrier_in_a_branch() {
    let launch = |k: Kernel| k.block(64, 1, 1).buffer("out", &[0_i32; 64]);
    assert_finding("sync", "in_an_if", "in_an_if", launch, |ran| {
        assert_eq!(
            ran.only_finding().what,
            FindingKind::BarrierNotReached { waiting: 16, missing: 48 }
        );
    });
    let launch = |n: i32| move |k: Kernel| k.block(64, 1, 1).buffer("out", &[0_i32; 64]).scalar(n);
    assert_finding("sync", "trip_counts", "trip_counts", launch(3), |ran| {
        assert!(matches!(ran.only_finding().what, FindingKind::BarrierNotReached { .. }));
    });
    assert_no_findings("sync", "trip_counts", launch(1));
}

#[test]
fn numbered_barriers() {
    for m in both_compilers("planted/sync") {
        let ran =
            Kernel::new(&m, "two_barriers").block(64, 1, 1).uninitialised::<i32>("out", 64).full();
        // each half waits for all 64 threads at its own barrier
        let f = ran.only_finding();
        assert_eq!(f.what, FindingKind::Deadlock { waiting: 32 });
        let lines = [line("sync", "two_barriers_one"), line("sync", "two_barriers_two")];
        assert_eq!([f.at.source.line, f.with.as_ref().map_or(0, |w| w.source.line)], lines);
        assert!(!ran.seen.completed);
        Kernel::new(&m, "producer_consumer")
            .block(64, 1, 1)
            .uninitialised::<i32>("out", 32)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("out"), (0..32).collect::<Vec<_>>()));
        Kernel::new(&m, "named_half")
            .block(128, 1, 1)
            .uninitialised::<i32>("out", 128)
            .assert_clean(|_| {});
    }
}

#[test]
fn shuffles_from_inactive_lanes() {
    let launch = |k: Kernel| k.uninitialised::<i32>("out", 32);
    assert_finding("sync", "shuffle_half", "shuffle_half", launch, |ran| {
        let f = ran.only_finding();
        let problem = MaskProblem::AbsentLanes;
        assert_eq!(f.what, FindingKind::BadSyncMask { mask: u32::MAX, present: 0xffff, problem });
        assert_eq!(f.at.thread, [0, 0, 0]);
    });
    assert_finding("sync", "shuffle_outside", "shuffle_outside", launch, |ran| {
        let problem = MaskProblem::LacksItself;
        assert_eq!(
            ran.only_finding().what,
            FindingKind::BadSyncMask { mask: 0xffff, present: u32::MAX, problem }
        );
        assert_eq!(ran.only_finding().at.thread, [16, 0, 0]);
    });
    assert_no_findings("sync", "shuffle_right", launch);
}

#[test]
fn endless_kernels_exhaust_the_budget() {
    let options = Options { budget: 200_000, ..Options::default() };
    for m in both_compilers("planted/sync") {
        let ran = Kernel::new(&m, "endless").buffer("out", &[0_i32]).scalar(2_i32).run(&options);
        let f = ran
            .seen
            .findings
            .iter()
            .find(|f| f.what == FindingKind::OverBudget { instructions: 200_000 });
        let at = f.expect("a finding").at.source.line;
        assert!(at.abs_diff(line("sync", "endless")) <= 1, "line {at}");
        assert!(!ran.seen.completed);
        let ran = Kernel::new(&m, "spin")
            .grid(3, 1, 1)
            .block(40, 1, 1)
            .buffer("flag", &[0_i32])
            .run(&options);
        assert!(matches!(ran.only_finding().what, FindingKind::Livelock { waiting: 120, .. }));
        assert_eq!(ran.only_finding().at.source.line, line("sync", "spin"));
        Kernel::new(&m, "spin").grid(3, 1, 1).buffer("flag", &[1_i32]).assert_clean(|_| {});
    }
}

#[test]
fn endless_recursion_exhausts_the_stack() {
    assert_finding(
        "sync",
        "recursion",
        "recursion",
        |k| k.block(40, 1, 1).buffer("out", &[0_i32; 2]),
        |ran| {
            assert!(matches!(ran.only_finding().what, FindingKind::StackOverflow { .. }));
            assert!(!ran.seen.completed);
        },
    );
}

#[test]
fn a_trap_names_the_thread() {
    assert_finding(
        "sync",
        "trap",
        "trap",
        |k| k.grid(2, 1, 1).block(4, 1, 1).buffer("in", &[0, 1, 7, 7]),
        |ran| {
            let f = ran.only_finding();
            assert_eq!(
                (&f.what, f.at.block, f.at.thread),
                (&FindingKind::Trap, [0, 0, 0], [2, 0, 0])
            );
            assert!(!ran.seen.completed);
        },
    );
}

#[test]
fn locks_and_flags_order_accesses() {
    for m in both_compilers("planted/races") {
        Kernel::new(&m, "locked")
            .grid(3, 1, 1)
            .block(70, 1, 1)
            .buffer("lock", &[0_i32])
            .buffer("count", &[0_i32])
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("count"), [210]));
        Kernel::new(&m, "handed_over")
            .block(64, 1, 1)
            .uninitialised::<i32>("data", 1)
            .buffer("flag", &[0_i32])
            .uninitialised::<i32>("out", 1)
            .assert_clean(|ran| assert_eq!(ran.get::<i32>("out"), [42]));
    }
}
