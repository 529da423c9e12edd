//! Multiplication of matrices on tensor cores: whole kernels as nvcc translates `<mma.h>` and
//! inline assembly, what they cost, and what is wrong with them.

use crate::common::{Kernel, Ran, Random, all_settings, line, module, ptx};
use ptxsim::arith::half::{f16_to_f32, f32_to_f16};
use ptxsim::arith::soft::Round;
use ptxsim::{Action, Finding, FindingKind, MatrixProblem, Module};
use std::sync::Arc;

fn kernels() -> Arc<Module> {
    module(&ptx("objects/matrices_80"))
}

fn half(x: f32) -> u16 {
    f32_to_f16(x, Round::Near)
}

/// Small multiples of 1/8, whose products and sums are exact in every type here.
fn eighths(random: &mut Random, n: usize) -> Vec<f32> {
    (0..n).map(|_| random.below(17) as f32 / 8.0 - 1.0).collect()
}

/// The product of an m x k and a k x n matrix, both by rows.
fn product(a: &[f32], b: &[f32], [m, n, k]: [usize; 3]) -> Vec<f32> {
    let at = |i: usize| (0..k).map(|l| a[i / n * k + l] * b[l * n + i % n]).sum();
    (0..m * n).map(at).collect()
}

fn transposed<T: Copy>(a: &[T], rows: usize) -> Vec<T> {
    let columns = a.len() / rows;
    (0..a.len()).map(|i| a[i % rows * columns + i / rows]).collect()
}

fn halves(values: &[f32]) -> Vec<u16> {
    values.iter().map(|x| half(*x)).collect()
}

#[test]
fn matrices_of_halves_from_global_and_shared_memory() {
    let m = kernels();
    let mut random = Random(1);
    let (a, b) = (eighths(&mut random, 64 * 64), eighths(&mut random, 64 * 64));
    let expected = product(&a, &b, [64; 3]);
    let launch = |kernel: &str| {
        Kernel::new(&m, kernel)
            .buffer("a", &halves(&a))
            .buffer("b", &halves(&b))
            .uninitialised::<f32>("c", 64 * 64)
            .scalar(64_i32)
    };
    let doubled: Vec<f32> = expected.iter().map(|x| 2.0 * x).collect();
    launch("halves").grid(4, 4, 1).assert_clean(|ran| assert_eq!(ran.get::<f32>("c"), doubled));
    launch("shared_halves")
        .grid(2, 2, 1)
        .block(128, 1, 1)
        .assert_clean(|ran| assert_eq!(ran.get::<f32>("c"), expected));
}

/// The same code of every compiler, optimised and for debugging.
#[test]
fn one_product_at_every_setting() {
    let mut random = Random(5);
    let (a, b) = (eighths(&mut random, 256), eighths(&mut random, 256));
    let expected = product(&a, &b, [16; 3]);
    for m in all_settings("34_wmma") {
        Kernel::new(&m, "wm")
            .buffer("a", &halves(&a))
            .buffer("b", &halves(&transposed(&b, 16)))
            .uninitialised::<f32>("c", 256)
            .assert_clean_at(&m, |ran| assert_eq!(ran.get::<f32>("c"), expected));
    }
}

#[test]
fn matrices_of_bytes() {
    let m = kernels();
    let mut random = Random(2);
    let mut draw = || (0..64 * 64).map(|_| random.below(256) as i8).collect::<Vec<_>>();
    let (a, b) = (draw(), draw());
    let expected: Vec<i32> = (0..64 * 64)
        .map(|i| {
            (0..64).map(|k| i32::from(a[i / 64 * 64 + k]) * i32::from(b[k * 64 + i % 64])).sum()
        })
        .collect();
    Kernel::new(&m, "bytes")
        .grid(4, 4, 1)
        .buffer("a", &a)
        .buffer("b", &transposed(&b, 64))
        .uninitialised::<i32>("c", 64 * 64)
        .scalar(64_i32)
        .assert_clean(|ran| assert_eq!(ran.get::<i32>("c"), expected));
}

#[test]
fn matrices_of_the_other_types_and_shapes() {
    let m = kernels();
    let mut random = Random(3);
    // bfloat16, 32 x 8 results by columns
    let (a, b) = (eighths(&mut random, 32 * 16), eighths(&mut random, 16 * 8));
    let bf16 = |v: &[f32]| v.iter().map(|x| (x.to_bits() >> 16) as u16).collect::<Vec<_>>();
    let expected: Vec<f32> = product(&a, &b, [32, 8, 16]).iter().map(|x| x + 1.0).collect();
    Kernel::new(&m, "bfloats")
        .buffer("a", &bf16(&transposed(&a, 32)))
        .buffer("b", &bf16(&transposed(&b, 16)))
        .uninitialised::<f32>("c", 256)
        .assert_clean(|ran| assert_eq!(ran.get::<f32>("c"), transposed(&expected, 32)));
    // tf32 added to what is there; the kernel rounds a, the hardware cuts b
    let (a, b) = (eighths(&mut random, 16 * 8), eighths(&mut random, 8 * 16));
    let c = eighths(&mut random, 256);
    let expected: Vec<f32> =
        product(&a, &b, [16, 16, 8]).iter().zip(&c).map(|(x, c)| x + c).collect();
    let beyond = |x: &f32| if *x == 0.0 { 0.0 } else { f32::from_bits(x.to_bits() | 0x1fff) };
    Kernel::new(&m, "tf32s")
        .buffer("a", &a)
        .buffer("b", &transposed(&b, 8).iter().map(beyond).collect::<Vec<_>>())
        .buffer("c", &c)
        .assert_clean(|ran| assert_eq!(ran.get::<f32>("c"), expected));
    // sums of halves, 8 x 32
    let (a, b) = (eighths(&mut random, 8 * 16), eighths(&mut random, 16 * 32));
    let c = eighths(&mut random, 256);
    let expected: Vec<f32> =
        product(&a, &b, [8, 32, 16]).iter().zip(&c).map(|(x, c)| x + c).collect();
    Kernel::new(&m, "half_sums")
        .buffer("a", &halves(&a))
        .buffer("b", &halves(&b))
        .buffer("c", &halves(&c))
        .assert_clean(|ran| {
            let got: Vec<f32> = ran.get::<u16>("c").into_iter().map(f16_to_f32).collect();
            assert_eq!(got, expected);
        });
}

#[test]
fn inline_assembly() {
    let m = kernels();
    let mut random = Random(4);
    let (a, b) = (eighths(&mut random, 16 * 16), eighths(&mut random, 16 * 8));
    let expected: Vec<f32> = product(&a, &b, [16, 8, 16]).iter().map(|x| x + 0.5).collect();
    Kernel::new(&m, "assembly")
        .buffer("a", &halves(&a))
        .buffer("b", &halves(&transposed(&b, 16)))
        .uninitialised::<f32>("c", 128)
        .assert_clean(|ran| assert_eq!(ran.get::<f32>("c"), expected));
}

/// A request is one of the hardware's: four loads of 4 bytes by each lane for 256 halves in global
/// memory, one load of 16 bytes in shared memory, four stores of 8 bytes for 256 floats.
#[test]
fn matrices_cost_what_the_hardware_needs() {
    let m = kernels();
    let zeros = vec![0_u16; 64 * 64];
    let launch = |kernel: &str| {
        Kernel::new(&m, kernel)
            .buffer("a", &zeros)
            .buffer("b", &zeros)
            .uninitialised::<f32>("c", 64 * 64)
            .scalar(64_i32)
    };
    let seen = launch("halves").grid(4, 4, 1).full().seen;
    let written = seen.arrays.iter().find(|array| array.name == "c").map(|array| array.written);
    assert_eq!(written, Some(64 * 64));
    let (c, warps) = (seen.totals, 16);
    assert_eq!(c.matrix_multiplications, warps * 4);
    assert_eq!((c.load_requests, c.thread_loads), (warps * 4 * 8, warps * 4 * 8 * 32));
    // each load has 8 lines of 16 bytes
    assert_eq!((c.load_sectors, c.load_sectors_ideal), (warps * 4 * 8 * 8, warps * 4 * 8 * 4));
    // each store has 8 lines of 32 bytes
    assert_eq!((c.store_requests, c.store_sectors), (warps * 4, warps * 4 * 8));
    let c = launch("shared_halves").grid(2, 2, 1).block(128, 1, 1).full().seen.totals;
    let (warps, steps) = (16, 4);
    assert_eq!(c.matrix_multiplications, warps * steps);
    // the tiles are written by 8 stores of each warp
    assert_eq!(c.shared_requests, warps * steps * (2 + 8));
    let copied = c.shared_wavefronts - 4 * 2 * warps * steps;
    assert!(copied >= 8 * warps * steps, "{c:?}");
}

fn faulty(entry: &str, threads: u32, scalars: &[i32]) -> Ran {
    let kernel = Kernel::new(&kernels(), entry)
        .block(threads, 1, 1)
        .buffer("a", &vec![half(1.0); 2048])
        .uninitialised::<f32>("c", 256);
    scalars.iter().fold(kernel, |kernel, s| kernel.scalar(*s)).full()
}

fn problem(finding: &Finding) -> MatrixProblem {
    match finding.what {
        FindingKind::BadMatrixOperation { problem } => problem,
        _ => panic!("{finding:?}"),
    }
}

#[test]
fn operations_on_matrices_need_the_whole_warp() {
    let load = line("objects/matrices_80", "load");
    let called = |f: &Finding| f.at.source.line == load || f.at.called_from.is_some();
    for (ran, present) in [
        (faulty("half_a_warp", 32, &[]), 0xffff),
        (faulty("early_exit", 32, &[20]), 0xf_ffff),
        (faulty("any_stride", 40, &[0, 16]), 0xff),
    ] {
        let finding = &ran.seen.findings[0];
        assert_eq!(problem(finding), MatrixProblem::AbsentLanes { present });
        assert!(called(finding), "{finding:?}");
    }
}

#[test]
fn addresses_and_strides_of_matrices() {
    let only = |ran: Ran| problem(ran.only_finding());
    assert_eq!(faulty("any_stride", 32, &[16, 24]).seen.findings, []);
    match only(faulty("any_stride", 32, &[4, 16])) {
        MatrixProblem::Address { address, multiple: 32 } => assert_eq!(address % 32, 8),
        other => panic!("{other:?}"),
    }
    let stride = MatrixProblem::Stride { bytes: 40, elements: 20, multiple: 16 };
    assert_eq!(only(faulty("any_stride", 32, &[0, 20])), stride);
    // in shared memory, where misaligned rows would be a finding of their own
    let stride = MatrixProblem::Stride { bytes: 34, elements: 17, multiple: 16 };
    assert_eq!(only(faulty("shared_stride", 32, &[17])), stride);
    assert_eq!(faulty("shared_stride", 32, &[16]).seen.findings, []);
    let lane = MatrixProblem::OtherAddress { lane: 1 };
    assert_eq!(only(faulty("pointer_of_each_lane", 32, &[])), lane);
    assert_eq!(
        only(faulty("stride_of_each_lane", 32, &[])),
        MatrixProblem::OtherStride { lane: 20 }
    );
}

/// The accesses of loads and stores of matrices are checked like all others.
#[test]
fn accesses_of_matrices_are_checked() {
    let ran = faulty("any_stride", 32, &[1920, 16]);
    let finding = ran.only_finding();
    assert_eq!((&finding.what, finding.at.action), (&FindingKind::OutOfBounds, Action::Read));
    assert_eq!(finding.at.array.as_deref(), Some("a"));
    assert!(finding.at.index >= Some(2048), "{finding:?}");
    let race = faulty("without_a_barrier", 32, &[]);
    let race = race.only_finding();
    assert_eq!(race.what, FindingKind::SharedRace);
    let lines = [Some(&race.at), race.with.as_ref()].map(|a| a.map(|a| a.source.line));
    assert!(lines.contains(&Some(line("objects/matrices_80", "write"))), "{race:?}");
    let unwritten = faulty("only_half_written", 32, &[]);
    assert_eq!(unwritten.only_finding().what, FindingKind::UninitialisedRead);
    let race = faulty("store_over_each_other", 64, &[]);
    assert_eq!(race.seen.findings, [], "equal values are no race");
}

#[test]
fn unsupported_shapes_say_what_is_supported() {
    let text = |instruction: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<9>;\n\
             .reg .f64 %d<9>;\n{instruction}\nret;\n}}\n"
        )
    };
    let unsupported = |instruction: &str| {
        let m = module(&text(instruction));
        m.refused("k").map(ToString::to_string).unwrap_or_default()
    };
    let wmma = unsupported("wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r0}, [%r1];");
    assert!(wmma.contains("m8n8k32") && wmma.contains("m16n16k16"), "{wmma}");
    let mma = unsupported(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1},{%d2},{%d3},{%d4,%d5};",
    );
    assert!(mma.contains("m8n8k4") && mma.contains("m16n8k16"), "{mma}");
    for (wrong, why) in [
        (
            "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0}, {%r0,%r1}, {%r2}, {%r3,%r4};",
            "operand 1",
        ),
        ("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3}, [%r1], 16;", "8 registers"),
    ] {
        let error = Module::parse(&text(wrong)).expect_err(wrong).to_string();
        assert!(error.contains(why), "{error}");
    }
}
