//! The grid's barrier: cooperative launches run it, and in others it is a finding.

use crate::common::{Kernel, Random, line, module, ptx};
use ptxsim::{CudaError, Error, FindingKind, Options};

#[test]
fn cooperative_groups_kernel() {
    let m = module(&ptx("12_coopgroups"));
    for n in [1, 100, 256] {
        let a: Vec<i32> = (0..n).map(|i| i * i - 50).collect();
        let wanted: Vec<i32> = a.iter().map(|v| v + 1).collect();
        let ran = Kernel::new(&m, "cg_grid")
            .grid(4, 1, 1)
            .block(64, 1, 1)
            .cooperative()
            .buffer("a", &a)
            .scalar(n)
            .full();
        assert!(ran.seen.completed);
        // after the barrier every element is one more; the order of the two additions is not
        // determined
        for (i, got) in ran.get::<i32>("a").into_iter().enumerate() {
            let sum = wanted[i] + wanted[wanted.len() - 1 - i];
            assert!(got == sum || got == sum + wanted[i], "{i}: {got}");
        }
    }
}

/// A reduction with ten barriers of the grid, in every order of blocks, up to 500 blocks.
#[test]
fn many_barriers_and_many_blocks() {
    let m = module(&ptx("objects/grid"));
    for (blocks, n) in [(1, 10), (2, 1000), (33, 5000), (500, 20_011)] {
        let x = Random(blocks.into()).ints(n, 2000);
        let kernel = Kernel::new(&m, "grid_sum")
            .grid(blocks, 1, 1)
            .block(64, 1, 1)
            .cooperative()
            .buffer("x", &x)
            .uninitialised::<i32>("partial", blocks as usize)
            .uninitialised::<i32>("out", 1)
            .scalar(n as i32);
        let check = |out: Vec<i32>| assert_eq!(out, [x.iter().sum::<i32>()]);
        if blocks < 100 {
            kernel.assert_clean(|ran| check(ran.get("out")));
        } else {
            let ran = kernel.run(&Options { seed: 3, ..Options::default() });
            assert_eq!(ran.seen.findings, []);
            check(ran.get("out"));
        }
        // the driver's workspace is not listed among the kernel's arrays
        let names: Vec<String> = kernel.full().seen.arrays.iter().map(|a| a.name.clone()).collect();
        assert_eq!(names, ["partial", "out"]);
    }
}

#[test]
fn a_launch_that_is_not_cooperative_has_no_barrier() {
    let m = module(&ptx("objects/grid"));
    let ran = Kernel::new(&m, "grid_sum")
        .grid(3, 1, 1)
        .block(64, 1, 1)
        .buffer("x", &[1_i32; 10])
        .uninitialised::<i32>("partial", 3)
        .uninitialised::<i32>("out", 1)
        .scalar(10_i32)
        .full();
    let finding = ran.only_finding();
    assert_eq!(finding.what, FindingKind::NotCooperative);
    assert_eq!(finding.at.source.line, line("objects/grid", "grid_sync"));
    assert!(!ran.seen.completed);
}

/// A trap that the kernel itself contains is reported as a trap, with and without a grid barrier.
#[test]
fn traps_of_the_kernel_are_reported_as_traps() {
    let m = module(&ptx("objects/grid"));
    for cooperative in [false, true] {
        let mut k =
            Kernel::new(&m, "own_trap").buffer("x", &[-1_i32; 32]).uninitialised::<i32>("out", 32);
        if cooperative {
            k = k.cooperative();
        }
        let ran = k.full();
        assert_eq!(ran.only_finding().what, FindingKind::Trap);
        assert_eq!(ran.only_finding().at.source.line, line("objects/grid", "own_trap"));
    }
}

/// 132 multiprocessors hold 32 blocks of 64 threads each, and not one more.
#[test]
fn all_blocks_must_fit_the_device() {
    let m = module(&ptx("objects/grid"));
    let launch = |blocks: u32| {
        Kernel::new(&m, "own_trap")
            .grid(blocks, 1, 1)
            .block(1024, 1, 1)
            .cooperative()
            .buffer("x", &[1_i32; 1024])
            .uninitialised::<i32>("out", 1024)
            .try_run(&Options { diagnose: ptxsim::Diagnose::Bounds, ..Options::default() })
    };
    assert!(launch(264).is_ok_and(|ran| ran.seen.completed));
    let refused = launch(265).err().expect("one block too many");
    let Error::BadLaunch { error, text } = &refused else { panic!("{refused}") };
    assert_eq!(*error, CudaError::CooperativeLaunchTooLarge);
    assert!(text.contains("265 blocks") && text.contains("264 blocks"), "{text}");
}
