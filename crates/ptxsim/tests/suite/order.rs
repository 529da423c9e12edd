//! Threads that synchronise with fences, flags, locks, partial masks and numbered barriers. Each
//! mistake is a race that names both accesses, and the correct kernel beside it has no finding.

use crate::common::{Kernel, Ran, both_compilers, line, module};
use ptxsim::{Action, Finding, FindingKind, MaskProblem, Options};

/// Runs the kernel of both compilers; the only finding must complete at the marked line.
fn races(entry: &str, launch: impl Fn(Kernel) -> Kernel, check: impl Fn(&Finding)) {
    for m in both_compilers("planted/order") {
        let ran = launch(Kernel::new(&m, entry)).full();
        let f = ran.only_finding();
        assert!(matches!(f.what, FindingKind::GlobalRace | FindingKind::SharedRace), "{f:#?}");
        assert_eq!(f.at.source.line, line("order", entry), "{f:#?}");
        check(f);
    }
}

/// The same, and the other access is at the line marked `_with`.
fn races_with(entry: &str, launch: impl Fn(Kernel) -> Kernel, check: impl Fn(&Finding)) {
    races(entry, launch, |f| {
        let with = f.with.as_ref().expect("the other party");
        assert_eq!(with.source.line, line("order", &format!("{entry}_with")), "{f:#?}");
        check(f);
    });
}

fn assert_no_findings(entry: &str, launch: impl Fn(Kernel) -> Kernel, check: impl Fn(&Ran)) {
    for m in both_compilers("planted/order") {
        launch(Kernel::new(&m, entry)).assert_clean(&check);
    }
}

#[test]
fn locks_need_a_fence_on_both_sides() {
    let launch = |k: Kernel| {
        k.grid(3, 1, 1).block(40, 1, 1).buffer("lock", &[0_i32]).buffer("count", &[0_i32])
    };
    assert_no_findings("lock_right", launch, |ran| assert_eq!(ran.get::<i32>("count"), [120]));
    for entry in ["lock_without_release", "lock_without_acquire"] {
        races(entry, launch, |f| {
            let with = f.with.as_ref().expect("the other party");
            assert_eq!(with.source.line, f.at.source.line);
            assert_eq!(f.at.array.as_deref(), Some("count"));
            assert_ne!((f.at.block, f.at.linear), (with.block, with.linear));
        });
    }
}

#[test]
fn flags_need_a_fence_on_both_sides() {
    let launch = |k: Kernel| {
        let k = k.grid(2, 1, 1).block(1, 1, 1);
        k.uninitialised::<i32>("data", 1).buffer("flag", &[0_i32]).uninitialised::<i32>("out", 1)
    };
    assert_no_findings("flag_right", launch, |ran| assert_eq!(ran.get::<i32>("out"), [42]));
    races_with("flag_without_release", launch, |f| {
        assert_eq!((f.at.block, f.at.array.as_deref()), ([1, 0, 0], Some("data")));
        assert_eq!(
            (f.at.action, f.with.as_ref().map(|w| w.action)),
            (Action::Read, Some(Action::Write))
        );
    });
    races_with("flag_without_acquire", launch, |f| assert_eq!(f.at.block, [1, 0, 0]));
}

#[test]
fn a_flag_must_not_be_a_plain_variable() {
    let launch = |k: Kernel| {
        let k = k.grid(2, 1, 1).block(1, 1, 1);
        k.uninitialised::<i32>("data", 1).buffer("flag", &[0_i32]).uninitialised::<i32>("out", 1)
    };
    races_with("plain_flag", launch, |f| assert_eq!(f.at.array.as_deref(), Some("flag")));
}

#[test]
fn block_scope_fences_do_not_order_other_blocks() {
    let launch = |threads: u32| {
        move |k: Kernel| {
            let k = k.grid(64 / threads, 1, 1).block(threads, 1, 1);
            k.uninitialised::<i32>("data", 1)
                .buffer("flag", &[0_i32])
                .uninitialised::<i32>("out", 1)
        }
    };
    assert_no_findings("flag_for_the_block_only", launch(64), |ran| {
        assert_eq!(ran.get::<i32>("out"), [42])
    });
    races_with("flag_for_the_block_only", launch(32), |f| {
        assert_eq!((f.at.block, f.with.as_ref().map(|w| w.block)), ([1, 0, 0], Some([0, 0, 0])));
    });
}

#[test]
fn block_scope_atomics_do_not_order_other_blocks() {
    let launch = |blocks: u32| move |k: Kernel| k.grid(blocks, 1, 1).buffer("count", &[0_i32]);
    assert_no_findings("add_for_the_block_only", launch(1), |ran| {
        assert_eq!(ran.get::<i32>("count"), [32])
    });
    races("add_for_the_block_only", launch(2), |f| {
        let with = f.with.as_ref().expect("the other block");
        assert_eq!((f.at.action, with.action), (Action::Atomic, Action::Atomic));
        assert_eq!((f.at.block, with.block), ([1, 0, 0], [0, 0, 0]));
    });
}

#[test]
fn happens_before_is_transitive() {
    let launch = |k: Kernel| {
        let k = k.grid(5, 1, 1).block(64, 1, 1).uninitialised::<i32>("data", 64);
        k.buffer("flag", &[0_i32; 5]).uninitialised::<i32>("out", 5 * 64)
    };
    assert_no_findings("chain", launch, |ran| assert_eq!(ran.get::<i32>("out")[64 * 4], 1));
    races_with(
        "leader_speaks_too_soon",
        |k| {
            let k = k.grid(2, 1, 1).block(64, 1, 1).uninitialised::<i32>("data", 64);
            k.buffer("flag", &[0_i32]).uninitialised::<i32>("out", 64)
        },
        |f| assert_eq!(f.count, 63, "all but what the leader wrote itself"),
    );
}

#[test]
fn the_last_block_sums_partial_results() {
    let launch = |k: Kernel| {
        let k = k.grid(20, 1, 1).buffer("in", &[3_i32; 20]);
        k.uninitialised::<i32>("part", 20).uninitialised::<i32>("out", 1)
    };
    assert_no_findings("last_block", launch, |ran| assert_eq!(ran.get::<i32>("out"), [60]));
    races_with("last_block_without_fence", launch, |f| {
        assert_eq!((f.count, f.at.array.as_deref()), (19, Some("part")));
    });
}

#[test]
fn an_atomic_observes_the_one_it_replaces() {
    let launch = |k: Kernel| {
        k.grid(3, 1, 1).block(40, 1, 1).buffer("count", &[0_i32]).uninitialised::<i32>("out", 1)
    };
    assert_no_findings("last_one_resets", launch, |ran| {
        assert_eq!((ran.get::<i32>("count")[0], ran.get::<i32>("out")[0]), (0, 120));
    });
    for m in both_compilers("planted/order") {
        let ran = launch(Kernel::new(&m, "first_one_resets")).full();
        let (f, marked) = (ran.only_finding(), line("order", "first_one_resets_with"));
        let with = f.with.as_ref().expect("the other party");
        assert!([f.at.source.line, with.source.line].contains(&marked), "{f:#?}");
    }
}

#[test]
fn a_hand_written_grid_barrier_orders_all_blocks() {
    for (blocks, threads, rounds) in [(7, 64, 4), (1000, 32, 3)] {
        let n = blocks as usize * threads as usize;
        let launch = |k: Kernel| {
            let k = k.grid(blocks, 1, 1).block(threads, 1, 1).buffer("a", &vec![1_i32; n]);
            k.uninitialised::<i32>("b", n).buffer("count", &[0_u32]).scalar(rounds)
        };
        for m in both_compilers("planted/order") {
            let ran = launch(Kernel::new(&m, "grid_meets")).full();
            assert_eq!((ran.seen.findings.as_slice(), ran.seen.completed), (&[][..], true));
        }
    }
    let launch = |k: Kernel| {
        let k = k.grid(4, 1, 1).block(64, 1, 1).buffer("a", &[1_i32; 256]);
        k.uninitialised::<i32>("b", 256).buffer("count", &[0_u32])
    };
    for m in both_compilers("planted/order") {
        let ran = launch(Kernel::new(&m, "grid_meets_without_barrier")).full();
        let f = &ran.seen.findings[0];
        let marked = ["grid_meets_without_barrier", "grid_meets_without_barrier_with"];
        let marked = marked.map(|mark| line("order", mark));
        assert!(marked.contains(&f.at.source.line) && f.what == FindingKind::GlobalRace, "{f:#?}");
    }
}

#[test]
fn partial_masks_order_the_lanes_they_name() {
    assert_no_findings("halves_apart", |k| k.uninitialised::<i32>("out", 32), |_| {});
    races_with(
        "halves_mixed",
        |k| k.uninitialised::<i32>("out", 32),
        |f| {
            assert_eq!((f.count, f.with.as_ref().map(|w| w.linear)), (32, Some(f.at.linear ^ 16)));
        },
    );
    // lanes that have exited need not arrive (CUDA C++ Programming Guide, "Synchronization
    // Functions")
    assert_no_findings("some_have_left", |k| k.uninitialised::<i32>("out", 64), |_| {});
}

#[test]
fn lanes_must_agree_on_the_mask() {
    for m in both_compilers("planted/order") {
        let ran = Kernel::new(&m, "mask_not_agreed").uninitialised::<i32>("out", 32).full();
        let f = ran.only_finding();
        assert_eq!(
            f.what,
            FindingKind::BadSyncMask {
                mask: u32::MAX,
                present: 0xffff,
                problem: MaskProblem::OtherMask { lane: 16, mask: 0xffff_0000 }
            }
        );
        assert_eq!(f.at.source.line, line("order", "mask_not_agreed"));
    }
}

#[test]
fn numbered_barriers_order_their_participants() {
    let launch = |k: Kernel| k.block(128, 1, 1).uninitialised::<i32>("out", 128);
    assert_no_findings("pairs_of_warps", launch, |_| {});
    races_with("pairs_of_warps_mixed", launch, |f| {
        assert!(f.with.as_ref().is_some_and(|w| w.linear == f.at.linear ^ 64))
    });
    races_with("producer_goes_on", |k| k.block(64, 1, 1).uninitialised::<i32>("out", 96), |_| {});
}

#[test]
fn races_between_bytes_of_one_word() {
    races(
        "one_byte",
        |k| k.uninitialised::<u8>("out", 16),
        |f| {
            assert_eq!((f.count, f.at.index, f.at.bytes), (16, Some(0), 1));
            assert_eq!((f.at.linear, f.with.as_ref().map(|w| w.linear)), (1, Some(0)));
        },
    );
    for m in both_compilers("planted/order") {
        let ran = Kernel::new(&m, "one_byte_of_shared")
            .block(64, 1, 1)
            .uninitialised::<u8>("out", 64)
            .full();
        assert_eq!(
            (&ran.only_finding().what, ran.only_finding().count),
            (&FindingKind::SharedRace, 64)
        );
    }
    for shift in 0..5 {
        let launch = |k: Kernel| {
            k.grid(3, 1, 1).block(40, 1, 1).uninitialised::<u8>("out", 130).scalar(shift)
        };
        assert_no_findings("bytes_apart_globally", launch, |_| {});
    }
    assert_no_findings("same_byte_same_value", |k| k.uninitialised::<u8>("out", 8), |_| {});
}

#[test]
fn verdicts_do_not_depend_on_the_order_of_blocks() {
    for m in both_compilers("planted/order") {
        for seed in 0..8 {
            let k = Kernel::new(&m, "flag_without_release").grid(2, 1, 1).block(1, 1, 1);
            let k = k
                .uninitialised::<i32>("data", 1)
                .buffer("flag", &[0_i32])
                .uninitialised::<i32>("out", 1);
            assert_eq!(k.run(&Options { seed, ..Options::default() }).seen.findings.len(), 1);
        }
    }
}

/// A kernel of PTX text with `out` and `n`: `%d1` is `out`, `%d2` this thread's word in it, `%r1`
/// the thread, `%r2` the block, `%r3` is `n`.
fn written(body: &str) -> std::sync::Arc<ptxsim::Module> {
    module(&format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.extern .shared .align 4 .b8 tile[];\n\
         .visible .entry k(.param .u64 out, .param .u32 n) {{\n.reg .b64 %d<9>;\n.reg .b32 %r<19>;\n\
         .reg .b16 %h<9>;\n.reg .pred %p<9>;\n.local .align 4 .b8 own[16];\nld.param.u64 %d1, [out];\n\
         ld.param.u32 %r3, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d2, %r1, 4;\n\
         add.s64 %d2, %d1, %d2;\nmov.u32 %r9, 0;\n{body}\nret;\n}}\n"
    ))
}

fn repeated(what: &str) -> String {
    format!("AGAIN:\n{what}\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, %r3;\n@%p1 bra AGAIN;\n")
}

/// More synchronisations than a mark has stamps for.
const MANY: u32 = 150_000;

#[test]
fn a_block_never_runs_out_of_stamps() {
    let neighbour = "xor.b32 %r4, %r1, 33;\nmul.wide.u32 %d3, %r4, 4;\nadd.s64 %d3, %d1, %d3;\n\
                     ld.global.u32 %r5, [%d3];";
    let run = |each: &str| {
        let m = written(&format!("st.global.u32 [%d2], %r1;\n{}{neighbour}", repeated(each)));
        Kernel::new(&m, "k").block(64, 1, 1).uninitialised::<u32>("out", 64).scalar(MANY).full()
    };
    assert_eq!(run("bar.sync 0;").seen.findings, []);
    let races = run("bar.warp.sync -1;");
    assert_eq!(
        (&races.only_finding().what, races.only_finding().count),
        (&FindingKind::GlobalRace, 64)
    );
    // the write is from before the stamps were renumbered, and is still ordered before the read
    let late =
        written(&format!("{}st.global.u32 [%d2], %r1;\n{neighbour}", repeated("bar.sync 0;")));
    let late =
        Kernel::new(&late, "k").block(64, 1, 1).uninitialised::<u32>("out", 64).scalar(MANY).full();
    assert!(late.seen.findings.iter().any(|f| f.what == FindingKind::GlobalRace));
}

#[test]
fn released_clocks_survive_renumbering_of_stamps() {
    let run = |before: &str, after: &str| {
        let m = written(&format!(
            "setp.ne.u32 %p2, %r2, 0;\n@%p2 bra READER;\n{before}\n{}{after}\nst.volatile.global.u32 [%d1+4], 1;\n\
             ret;\nREADER:\nld.volatile.global.u32 %r5, [%d1+4];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra READER;\n\
             membar.gl;\nld.global.u32 %r6, [%d1];",
            repeated("membar.gl;")
        ));
        let k = Kernel::new(&m, "k").grid(3, 1, 1).block(1, 1, 1);
        k.buffer("out", &[0_u32, 0]).scalar(MANY).full()
    };
    let write = "st.global.u32 [%d1], 7;";
    assert_eq!(run(write, "").seen.findings, []);
    let races = run("", write);
    assert_eq!(
        (&races.only_finding().what, races.only_finding().count),
        (&FindingKind::GlobalRace, 2)
    );
}

#[test]
fn uninitialised_bytes() {
    // width and offset of the write, width and offset of the read, and whether that is correct
    let cases = [
        ("u16", 0, "u16", 0, true),
        ("u16", 0, "u32", 0, false),
        ("u16", 2, "u8", 1, false),
        ("u8", 3, "u8", 3, true),
    ];
    for (store, at, load, from, fine) in cases {
        let shared = format!(
            "cvt.u16.u32 %h1, %r1;\nshl.b32 %r4, %r1, 2;\nmov.u32 %r5, tile;\nadd.u32 %r4, %r4, %r5;\n\
             st.shared.{store} [%r4+{at}], %h1;\nld.shared.{load} %r6, [%r4+{from}];"
        );
        let global = format!(
            "cvt.u16.u32 %h1, %r1;\nst.global.{store} [%d2+{at}], %h1;\nld.global.{load} %r6, [%d2+{from}];"
        );
        let local = format!(
            "cvt.u16.u32 %h1, %r1;\nmov.u64 %d4, own;\nst.local.{store} [%d4+{at}], %h1;\n\
             ld.local.{load} %r6, [%d4+{from}];"
        );
        // a struct on the stack is copied with its padding, so in local memory only words without
        // any written byte count
        let fine_too = fine || load == "u32";
        for (body, fine) in [(shared, fine), (global, fine), (local, fine_too)] {
            let m = written(&body);
            let k =
                Kernel::new(&m, "k").block(40, 1, 1).shared(160).uninitialised::<u32>("out", 40);
            let ran = k.scalar(0_u32).full();
            if fine {
                assert_eq!(ran.seen.findings, [], "{body}");
            } else {
                let f = ran.only_finding();
                assert_eq!((&f.what, f.count), (&FindingKind::UninitialisedRead, 40), "{body}");
            }
        }
    }
}
