//! Forward progress: threads that wait for others finish in every order, as on hardware since
//! Volta. Kernels that can never finish have a finding, soon, with the threads that wait, where,
//! and for what.

use crate::common::{Kernel, Ran, Random, line, module, ptx};
use ptxsim::{Action, FindingKind, LoopValues, Options, Space, WaitingAt};

const FILE: &str = "objects/progress";

fn kernel(entry: &str) -> Kernel {
    Kernel::new(&module(&ptx(FILE)), entry)
}

/// Finishes without a finding in several orders of blocks and warps.
fn assert_ends(kernel: &Kernel, seeds: u64, check: impl Fn(&Ran)) {
    for seed in 0..seeds {
        let ran = kernel.run(&Options { seed, ..Options::default() });
        assert_eq!(ran.seen.findings, [], "seed {seed}");
        assert!(ran.seen.completed);
        check(&ran);
    }
}

#[test]
fn locks_between_lanes_warps_and_blocks() {
    for (grid, block) in [(1, 2), (1, 32), (1, 96), (8, 32), (20, 64)] {
        let k = kernel("lanes_of_one_lock").grid(grid, 1, 1).block(block, 1, 1);
        let k = k.buffer("lock", &[0_i32]).buffer("count", &[0_i32]);
        assert_ends(&k, 3, |ran| assert_eq!(ran.get::<i32>("count")[0], (grid * block) as i32));
        let k = kernel("warps_of_one_lock").grid(grid, 1, 1).block(block, 1, 1);
        let k = k.buffer("lock", &[0_i32]).buffer("count", &[0_i32]);
        assert_ends(&k, 3, |ran| {
            assert_eq!(ran.get::<i32>("count")[0], (grid * block.div_ceil(32)) as i32)
        });
    }
}

#[test]
fn ticket_locks_serve_every_thread_once() {
    let k = kernel("tickets").grid(6, 1, 1).block(48, 1, 1);
    let k =
        k.buffer("next", &[0_u32]).buffer("serving", &[0_u32]).uninitialised::<i32>("order", 288);
    assert_ends(&k, 4, |ran| {
        let mut order: Vec<i32> = ran.get("order");
        order.sort_unstable();
        assert_eq!(order, (0..288).collect::<Vec<_>>());
    });
}

#[test]
fn lanes_wait_for_lanes() {
    let k = kernel("flag_in_a_warp").buffer("flag", &[0_i32; 32]).buffer("out", &[0_i32; 32]);
    assert_ends(&k, 3, |ran| {
        assert_eq!(ran.get::<i32>("out"), (0..32).map(|i| 1 - i % 2).collect::<Vec<_>>());
    });
}

/// Producers with lower and with higher numbers than their consumers, more than 1000 blocks at
/// once.
#[test]
fn blocks_pass_values_in_both_directions() {
    for up in [1, 0] {
        for blocks in [2, 37, 1200] {
            let n = blocks as usize;
            let k = kernel("chain").grid(blocks, 1, 1).block(32, 1, 1);
            let k = k.buffer("flag", &vec![0_i32; n]).uninitialised::<i32>("value", n).scalar(up);
            assert_ends(&k, if blocks > 1000 { 2 } else { 4 }, |ran| {
                let sums: Vec<i32> = (0..blocks as i32).map(|i| i * (i + 1) / 2).collect();
                assert_eq!(ran.get::<i32>("value"), sums);
            });
        }
    }
}

#[test]
fn decoupled_look_back_over_a_thousand_blocks() {
    let blocks = 1100;
    let x = Random(9).ints(blocks * 64, 100);
    let mut sum = 0;
    let wanted: Vec<i32> = x
        .iter()
        .map(|v| {
            sum += v;
            sum
        })
        .collect();
    let k = kernel("look_back").grid(blocks as u32, 1, 1).block(64, 1, 1);
    let k = k.buffer("x", &x).uninitialised::<i32>("out", x.len()).buffer("ticket", &[0_u32]);
    let k = k
        .buffer("state", &vec![0_i32; blocks])
        .uninitialised::<i32>("own", blocks)
        .uninitialised::<i32>("upto", blocks);
    assert_ends(&k, 3, |ran| assert_eq!(ran.get::<i32>("out"), wanted));
}

/// A counter of attempts or a clock ends these loops, so they must not be reported as endless.
#[test]
fn spinning_loops_with_a_bound_end() {
    for tries in [0, 100, 200_000] {
        let k = kernel("patience")
            .block(1, 1, 1)
            .buffer("flag", &[0_i32])
            .uninitialised::<i32>("out", 2)
            .scalar(tries);
        assert_ends(&k, 1, |ran| assert_eq!(ran.get::<i32>("out"), [tries, 1]));
    }
}

/// All threads wait for a word that one thread changes after millions of other instructions.
#[test]
fn waiting_for_a_change_that_still_comes_is_no_livelock() {
    for (grid, block) in [(1, 2), (1, 64), (3, 64)] {
        let k = kernel("late").grid(grid, 1, 1).block(block, 1, 1);
        let k = k.buffer("flag", &[0_i32]).buffer("out", &[0_i32; 2]).scalar(1_000_000_i32);
        let ran = k.run(&Options { diagnose: ptxsim::Diagnose::Count, ..Options::default() });
        assert_eq!((ran.seen.findings.as_slice(), ran.seen.completed), (&[][..], true));
        assert_eq!(ran.get::<i32>("out")[0], 1);
    }
}

/// Asserts that the kernel has one finding, long before the budget is used up, in every order.
fn assert_never_ends(kernel: &Kernel, check: impl Fn(&Ran, &[WaitingAt], u32)) {
    for seed in [0, 1, 5] {
        let ran = kernel.run(&Options { seed, budget: 20_000_000, ..Options::default() });
        assert!(!ran.seen.completed);
        let FindingKind::Livelock { waiting, places } = &ran.only_finding().what else {
            panic!("{:#?}", ran.only_finding())
        };
        assert_eq!(*waiting, places.iter().map(|p| p.threads).sum::<u32>());
        check(&ran, places, *waiting);
    }
}

fn places(all: &[WaitingAt]) -> Vec<(u32, u32, bool)> {
    all.iter().map(|p| (p.source.line, p.threads, p.spinning)).collect()
}

#[test]
fn a_lock_taken_twice() {
    let k =
        kernel("twice").block(1, 1, 1).buffer("lock", &[0_i32; 4]).uninitialised::<i32>("out", 2);
    assert_never_ends(&k, |ran, all, _| {
        assert_eq!(places(all), [(line(FILE, "twice"), 1, true)]);
        let at = &ran.only_finding().at;
        assert_eq!(
            (at.array.as_deref(), at.index, at.action),
            (Some("lock"), Some(2), Action::Atomic)
        );
        assert_eq!(ran.only_finding().with, None);
        // its earlier stores are in memory
        assert_eq!(ran.get::<i32>("out")[0], 1);
    });
}

#[test]
fn a_flag_that_is_never_set() {
    let k = kernel("nobody_sets").grid(3, 1, 1).block(64, 1, 1);
    let k = k.buffer("flag", &[0_i32; 4]).uninitialised::<i32>("out", 64);
    assert_never_ends(&k, |ran, all, waiting| {
        assert_eq!((places(all), waiting), (vec![(line(FILE, "nobody_sets"), 192, true)], 192));
        let at = &ran.only_finding().at;
        assert_eq!(
            (at.array.as_deref(), at.index, at.action),
            (Some("flag"), Some(3), Action::Read)
        );
        assert_eq!(
            (at.block, at.thread, ran.only_finding().with.is_none()),
            ([0; 3], [0; 3], true)
        );
    });
}

#[test]
fn two_blocks_wait_for_each_other() {
    let k = kernel("circle").grid(2, 1, 1).block(1, 1, 1);
    let k = k.buffer("flag", &[0_i32; 2]).uninitialised::<i32>("out", 2);
    assert_never_ends(&k, |ran, all, _| {
        let (one, two) = (line(FILE, "circle_0"), line(FILE, "circle_1"));
        assert_eq!(places(all), [(one, 1, true), (two, 1, true)]);
        let (at, with) =
            (&ran.only_finding().at, ran.only_finding().with.as_ref().expect("two parties"));
        assert_eq!((at.source.line, at.block[0], at.index), (one, 0, Some(1)));
        assert_eq!((with.source.line, with.block[0], with.index), (two, 1, Some(0)));
    });
}

#[test]
fn some_threads_at_a_barrier_and_others_in_a_loop() {
    let k = kernel("behind_the_barrier").block(96, 1, 1);
    let k = k.buffer("flag", &[0_i32]).uninitialised::<i32>("out", 96);
    assert_never_ends(&k, |ran, all, _| {
        let (barrier, spin) = (line(FILE, "behind_barrier"), line(FILE, "behind_spin"));
        assert_eq!(places(all), [(barrier, 32, false), (spin, 64, true)]);
        let (at, with) =
            (&ran.only_finding().at, ran.only_finding().with.as_ref().expect("two parties"));
        assert_eq!((at.source.line, at.thread[0], at.action), (spin, 32, Action::Read));
        assert_eq!((with.source.line, with.thread[0], with.action), (barrier, 0, Action::Wait));
    });
}

/// 5000 blocks of 1024 threads: 264 fit the device, and each waits for one that has not started.
#[test]
fn waiting_for_a_block_that_is_not_resident() {
    let blocks = 5000;
    let k = kernel("never_started").grid(blocks, 1, 1).block(1024, 1, 1);
    let k = k.buffer("flag", &vec![0_i32; blocks as usize]).uninitialised::<i32>("out", 1);
    let options = Options { diagnose: ptxsim::Diagnose::Bounds, ..Options::default() };
    let ran = k.run(&options);
    let FindingKind::Livelock { waiting, places } = &ran.only_finding().what else { panic!() };
    assert_eq!((*waiting, places.len()), (264 * 1024, 1));
    assert_eq!(places[0].source.line, line(FILE, "never_started"));
}

#[test]
fn a_flag_in_shared_memory() {
    let k = kernel("shared_flag").block(64, 1, 1).uninitialised::<i32>("out", 64);
    assert_never_ends(&k, |ran, all, _| {
        assert_eq!(places(all), [(line(FILE, "shared_flag"), 32, true)]);
        let at = &ran.only_finding().at;
        assert_eq!((at.space, at.index, at.linear), (Some(Space::Shared), Some(2), 32));
    });
}

/// An endless loop that reads no memory does not wait. It is reported as a kernel that never
/// finishes, but soon, too.
#[test]
fn endless_loops_without_memory_accesses_are_found_early() {
    let k = kernel("looks_at_nothing").block(32, 1, 1).buffer("out", &[1_i32]).scalar(10_i32);
    let ran = k.run(&Options { budget: 1 << 40, ..Options::default() });
    let FindingKind::NeverFinishes { instructions, .. } = ran.only_finding().what else {
        panic!("{:#?}", ran.only_finding())
    };
    assert!(instructions < 10_000_000, "{instructions}");
    assert_eq!(ran.only_finding().at.source.line, line(FILE, "endless"));
}

/// Storing an equal value is not progress, so such loops are soon found to be endless: when all
/// threads store to one word, each to its own, or several warps to shared words.
#[test]
fn endless_loops_that_store_equal_values() {
    for place in ["mov.u32 %r2, 0;", "mad.lo.u32 %r2, %r4, %r3, %r1;", "mov.u32 %r2, %r1;"] {
        let m = module(&format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{{\n.reg .b32 %r<9>;\n\
             .reg .b64 %x<5>;\nld.param.u64 %x0, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, %ntid.x;\n\
             mov.u32 %r4, %ctaid.x;\n{place}\nmul.wide.u32 %x1, %r2, 4;\nadd.s64 %x0, %x0, %x1;\n\
             $a:\nst.global.u32 [%x0], 5;\nbra $a;\n}}\n"
        ));
        let k = Kernel::new(&m, "k").grid(4, 1, 1).block(128, 1, 1).uninitialised::<u32>("a", 512);
        let ran = k.run(&Options { budget: 1 << 40, ..Options::default() });
        let FindingKind::NeverFinishes { instructions, .. } = ran.only_finding().what else {
            panic!("{:#?}", ran.only_finding())
        };
        assert!(instructions < 20_000_000, "{instructions}");
    }
}

/// One block never reaches the grid's barrier.
#[test]
fn a_grid_barrier_that_one_block_never_reaches() {
    let m = module(&ptx("objects/grid"));
    let k = Kernel::new(&m, "left_out")
        .grid(3, 1, 1)
        .block(32, 1, 1)
        .cooperative()
        .uninitialised::<i32>("out", 3);
    assert_never_ends(&k, |ran, all, waiting| {
        assert_eq!((all.len(), waiting), (1, 64));
        assert_eq!(ran.only_finding().at.source.line, line("objects/grid", "left_out"));
    });
}

/// Every iteration changes a word and changes it back. This counts as progress, so only the budget
/// ends the loop.
#[test]
fn atomics_that_cancel_out_count_as_changes() {
    let m = module(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<5>;\n\
         .reg .b64 %x<5>;\n.reg .pred %p<3>;\nld.param.u64 %x0, [a];\n$a:\natom.global.add.u32 %r1, [%x0], 1;\n\
         atom.global.add.u32 %r2, [%x0], -1;\nsetp.ne.u32 %p1, %r2, 7;\n@%p1 bra $a;\nret;\n}\n",
    );
    let k = Kernel::new(&m, "k").block(1, 1, 1).buffer("a", &[0_u32]);
    let ran = k.run(&Options { budget: 100_000, ..Options::default() });
    assert_eq!(ran.only_finding().what, FindingKind::OverBudget { instructions: 100_000 });
}

fn loops(body: &str) -> Kernel {
    let m = module(&format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"k.cu\"\n\
         .visible .entry k(.param .u64 a, .param .u64 b)\n{{\n.reg .b32 %r<9>;\n.reg .f32 %f<5>;\n\
         .reg .b64 %x<9>;\n.reg .pred %p<5>;\nld.param.u64 %x0, [a];\nld.param.u64 %x1, [b];\n\
         mov.u32 %r1, %tid.x;\nmul.wide.u32 %x2, %r1, 4;\nadd.s64 %x0, %x0, %x2;\nadd.s64 %x1, %x1, %x2;\n{body}\n\
         st.global.f32 [%x1], %f1;\nret;\n}}\n"
    ));
    Kernel::new(&m, "k").block(64, 1, 1).buffer("a", &[1.5_f32; 64]).uninitialised::<f32>("b", 64)
}

/// A sum and a counter of iterations grow, but no branch depends on them.
#[test]
fn what_no_branch_depends_on_is_no_progress() {
    let body = "mov.f32 %f1, 0f00000000;\nmov.u32 %r3, 0;\n.loc 1 17 5\nmov.u32 %r2, %r1;\n$loop:\n\
                .loc 1 20 9\nld.global.f32 %f2, [%x0];\nadd.f32 %f1, %f1, %f2;\nadd.s32 %r3, %r3, 1;\n\
                .loc 1 19 5\nsetp.lt.s32 %p1, %r2, 1000;\n@%p1 bra $loop;\n.loc 1 22 5\ncvt.rn.f32.s32 %f3, %r3;\n\
                add.f32 %f1, %f1, %f3;";
    for seed in 0..3 {
        let ran = loops(body).run(&Options { seed, budget: 1 << 40, ..Options::default() });
        let f = ran.only_finding();
        assert!(matches!(f.what, FindingKind::NeverFinishes { .. }), "{f:#?}");
        assert_eq!(f.at.source.line, 19, "the loop's line, and not that of what comes before");
    }
}

/// With a budget that ends before the first round of all threads does.
#[test]
fn a_small_budget_distinguishes_no_progress_from_slow_progress() {
    let endless = "mov.f32 %f1, 0f00000000;\nmov.u32 %r2, %r1;\n$loop:\nld.global.f32 %f2, [%x0];\n\
                   st.global.f32 [%x1], %f2;\n.loc 1 19 5\nsetp.lt.s32 %p1, %r2, 1000;\n@%p1 bra $loop;";
    let counts = "mov.f32 %f1, 0f00000000;\nmov.u32 %r2, 0;\n$loop:\nld.global.f32 %f2, [%x0];\n\
                  add.s32 %r2, %r2, 1;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra $loop;";
    for (body, ends) in [(endless, false), (counts, true)] {
        let ran = loops(body).run(&Options { budget: 10_000, ..Options::default() });
        let what = if ends {
            FindingKind::OverBudget { instructions: 10_000 }
        } else {
            FindingKind::NeverFinishes { instructions: 10_000, values: LoopValues::Unchanged }
        };
        assert_eq!(ran.only_finding().what, what, "{body}");
    }
}

/// The same loop with an index that grows: it ends, but not within the budget.
#[test]
fn slow_progress_is_stopped_by_the_budget_alone() {
    let body = "mov.f32 %f1, 0f00000000;\nmov.u32 %r2, %r1;\n$loop:\nld.global.f32 %f2, [%x0];\n\
                add.f32 %f1, %f1, %f2;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, 3000000;\n@%p1 bra $loop;";
    let ran = loops(body).run(&Options { budget: 5_000_000, ..Options::default() });
    assert_eq!(ran.only_finding().what, FindingKind::OverBudget { instructions: 5_000_000 });
    let ran = loops(body).run(&Options { budget: 50_000_000, ..Options::default() });
    assert!(ran.seen.completed && ran.seen.findings.is_empty(), "{:?}", ran.seen.findings);
}

/// A loop in a called function, whose caller counts: the whole state counts there.
#[test]
fn a_loop_of_the_caller_is_progress() {
    let m = module(
        ".version 8.0\n.target sm_75\n.address_size 64\n.func inner(.param .b32 n)\n{\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\n\
         ld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\n$a:\nadd.s32 %r2, %r2, 1;\nbar.sync 0;\nsetp.lt.s32 %p1, %r2, %r1;\n\
         @%p1 bra $a;\nret;\n}\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\nmov.u32 %r1, 0;\n$b:\n{\n\
         .param .b32 n;\nst.param.b32 [n], 100;\ncall.uni inner, (n);\n}\nadd.s32 %r1, %r1, 1;\n\
         setp.lt.s32 %p1, %r1, 5000;\n@%p1 bra $b;\nret;\n}\n",
    );
    let ran = Kernel::new(&m, "k").block(64, 1, 1).run(&Options::default());
    assert!(ran.seen.completed && ran.seen.findings.is_empty(), "{:?}", ran.seen.findings);
}

/// `x` goes round in a cycle: of two, which a round of turns sees as no change, and of three.
#[test]
fn values_that_come_again_are_a_cycle() {
    for (modulus, least) in [(2, 0), (3, 0)] {
        let body = format!(
            "mov.f32 %f1, 0f00000000;\nmov.u32 %r2, 0;\n$loop:\n.loc 1 20 9\nadd.s32 %r2, %r2, 1;\n\
             rem.u32 %r2, %r2, {modulus};\n.loc 1 19 5\nsetp.ge.s32 %p1, %r2, {least};\n@%p1 bra $loop;"
        );
        let ran = loops(&body).run(&Options { budget: 1_000_000, ..Options::default() });
        let f = ran.only_finding();
        assert!(
            matches!(f.what, FindingKind::NeverFinishes { values: LoopValues::Cycle, .. }),
            "{f:#?}"
        );
        assert_eq!(f.at.source.line, 19);
    }
}

/// Thread 3 runs in a loop that polls nothing, and the others wait for it at a barrier.
#[test]
fn a_loop_of_one_thread_keeps_the_others_at_a_barrier() {
    for (step, expected) in [
        ("xor.b32 %r2, %r2, 4;", LoopValues::Cycle),
        ("or.b32 %r2, %r2, 4;", LoopValues::Unchanged),
    ] {
        let body = format!(
            "mov.f32 %f1, 0f00000000;\nmov.u32 %r2, 12;\nsetp.ne.u32 %p2, %r1, 3;\n@%p2 bra $wait;\n\
             $loop:\n.loc 1 20 9\n{step}\n.loc 1 19 5\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra $loop;\n\
             $wait:\n.loc 1 22 5\nbar.sync 0;"
        );
        let ran = loops(&body).run(&Options { budget: 1 << 40, ..Options::default() });
        let f = ran.only_finding();
        let FindingKind::NeverFinishes { values, .. } = f.what else { panic!("{f:#?}") };
        assert_eq!((values, f.at.linear, f.at.source.line), (expected, 3, 19));
        let with = f.with.as_ref().expect("a thread at the barrier");
        assert_eq!((with.linear, with.source.line), (0, 22));
    }
}

/// The step is 0. What the loop does besides depends on memory, but its end does not.
#[test]
fn a_loop_whose_end_depends_on_registers_alone() {
    let body = |step: &str| {
        format!(
            "mov.f32 %f1, 0f00000000;\nmov.u32 %r2, %r1;\n$loop:\nld.global.f32 %f2, [%x0];\n\
             setp.lt.f32 %p2, %f2, %f1;\n@%p2 bra $skip;\natom.global.add.u32 %r3, [%x0], 1;\n$skip:\n\
             {step}\nsetp.lt.s32 %p1, %r2, 1000000;\n@%p1 bra $loop;"
        )
    };
    let run = |step: &str| {
        let ran = loops(&body(step)).run(&Options { budget: 100_000, ..Options::default() });
        ran.only_finding().what.clone()
    };
    let never = FindingKind::NeverFinishes { instructions: 100_000, values: LoopValues::Unchanged };
    assert_eq!(run("add.s32 %r2, %r2, 0;"), never);
    assert_eq!(run("add.s32 %r2, %r2, 1;"), FindingKind::OverBudget { instructions: 100_000 });
    // the value that memory decides may end it
    let skips = "setp.eq.u32 %p3, %r3, 0;\n@%p3 add.s32 %r2, %r2, 1;";
    assert_eq!(run(skips), FindingKind::OverBudget { instructions: 100_000 });
}

/// The compiler may find out that a condition is always true, and leave it out.
#[test]
fn a_loop_that_no_branch_leaves() {
    let ran = loops("mov.f32 %f1, 0f00000000;\n$loop:\nbra $loop;").full();
    let f = ran.only_finding();
    assert!(
        matches!(f.what, FindingKind::NeverFinishes { values: LoopValues::None, .. }),
        "{f:#?}"
    );
}
