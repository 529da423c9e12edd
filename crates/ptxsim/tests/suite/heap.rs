//! The device's heap, and freed memory: each block of `malloc` has its own bounds, and using freed
//! memory is a finding.

use crate::common::{Kernel, Ran, bytes_of, line, module, ptx, values_of};
use ptxsim::{
    Action, Finding, FindingKind, FreeProblem, Launch, Limits, Memory, Module, Observations,
    Options, run,
};

const FILE: &str = "objects/heap";

fn kernel(entry: &str) -> Kernel {
    Kernel::new(&module(&ptx(FILE)), entry).block(1, 1, 1)
}

fn finding_at<'r>(ran: &'r Ran, mark: &str, what: &FindingKind) -> &'r Finding {
    let finding = ran.only_finding();
    assert_eq!((&finding.what, finding.at.source.line), (what, line(FILE, mark)), "{finding:#?}");
    finding
}

#[test]
fn correct_linked_lists_have_no_findings() {
    let k = kernel("lists").block(64, 1, 1).uninitialised::<i32>("out", 64).scalar(20_i32);
    k.assert_clean(|ran| assert_eq!(ran.get::<i32>("out"), [190; 64]));
    // the heap is not listed among the kernel's arrays
    assert_eq!(k.full().seen.arrays.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["out"]);
}

/// The heap has CUDA's default of 8 MB, and freed memory can be allocated again.
#[test]
fn accesses_beyond_the_heap() {
    for (bytes, most) in
        [(1_u64 << 20, 8), (100_000, 83), (1 << 23, 1), ((1 << 23) + 1, 0), (1 << 40, 0)]
    {
        let k = kernel("until_it_is_full").uninitialised::<i32>("out", 2).scalar(bytes);
        k.assert_clean(|ran| assert_eq!(ran.get::<i32>("out"), [most, most], "{bytes}"));
    }
}

#[test]
fn each_allocation_has_its_own_bounds() {
    let launch =
        |i: i32| kernel("too_long").uninitialised::<i32>("out", 1).scalar(10_i32).scalar(i).full();
    assert_eq!(launch(9).seen.findings, []);
    // one element past the end; where the next block is; before the first block
    for i in [10, 100, 200, 300, -1, -100] {
        let ran = launch(i);
        let at = &finding_at(&ran, "too_long", &FindingKind::OutOfBounds).at;
        assert_eq!(at.action, Action::Write);
        assert_eq!((at.array.as_deref(), at.elements), (Some("malloc(40)"), Some(10)), "{i}");
        assert_eq!(ran.get::<i32>("out"), [5], "the neighbour is whole");
        if i < 100 {
            assert_eq!(at.index, Some(i.into()));
        }
    }
}

#[test]
fn malloc_returns_uninitialised_memory() {
    let ran = kernel("not_written").uninitialised::<i32>("out", 1).full();
    let at = &finding_at(&ran, "not_written", &FindingKind::UninitialisedRead).at;
    assert_eq!(
        (at.array.as_deref(), at.index, at.elements),
        (Some("malloc(64)"), Some(0), Some(16))
    );
}

#[test]
fn use_after_free() {
    let ran = kernel("dangling").uninitialised::<i32>("out", 1).scalar(3_i32).full();
    let finding = finding_at(&ran, "dangling_read", &FindingKind::UseAfterFree);
    assert_eq!((finding.at.action, finding.at.index), (Action::Read, Some(3)));
    let with = finding.with.as_ref().expect("who freed it");
    assert_eq!((with.source.line, with.action), (line(FILE, "dangling_free"), Action::Free));
    // the same for a write; many threads make one finding
    let ran =
        kernel("dangling").block(32, 1, 1).uninitialised::<i32>("out", 1).scalar(3_i32).full();
    let seen: Vec<_> =
        ran.seen.findings.iter().filter(|f| f.what == FindingKind::UseAfterFree).collect();
    assert_eq!((seen.len(), seen[0].count), (1, 32));
}

#[test]
fn invalid_frees() {
    let launch =
        |which: i32| kernel("wrong_free").uninitialised::<i32>("out", 8).scalar(which).full();
    assert_eq!(launch(3).seen.findings, []);
    let ran = launch(0);
    let problem = FreeProblem::NotTheStart;
    let finding = finding_at(&ran, "free_inside", &FindingKind::InvalidFree { problem });
    assert_eq!((finding.at.array.as_deref(), finding.at.index), (Some("malloc(64)"), Some(16)));
    let ran = launch(1);
    let problem = FreeProblem::NotFromMalloc;
    let finding = finding_at(&ran, "free_argument", &FindingKind::InvalidFree { problem });
    assert_eq!(finding.at.array.as_deref(), Some("out"));
    let ran = launch(2);
    let finding = finding_at(&ran, "free_twice", &FindingKind::DoubleFree);
    assert_eq!(finding.with.as_ref().expect("the first").source.line, line(FILE, "free_twice") - 2);
}

#[test]
fn malloc_returns_null_when_the_heap_is_full() {
    let ran = kernel("null_when_full").uninitialised::<i32>("out", 1).full();
    let finding = finding_at(&ran, "null_when_full", &FindingKind::InvalidAddress);
    assert_eq!(finding.at.address, 0);
}

fn launch(m: &Module, memory: &mut Memory, entry: &str, args: &[Vec<u8>]) -> Observations {
    let launch = Launch {
        entry: entry.to_owned(),
        grid: [1; 3],
        block: [1; 3],
        args: args.to_vec(),
        ..Launch::default()
    };
    run(m, memory, &launch, &Options::default()).unwrap_or_else(|e| panic!("{entry}: {e}"))
}

/// The second launch can read what the first allocated, until the third frees it.
#[test]
fn heap_memory_persists_between_launches() {
    let (m, mut memory) = (module(&ptx(FILE)), Memory::new());
    let place = memory.alloc("where", 8, 8, None).expect("memory");
    let out = memory.alloc("out", 4, 4, None).expect("memory");
    let [place, out, n] = [bytes_of(&[place]), bytes_of(&[out]), bytes_of(&[6_i32])];
    assert_eq!(launch(&m, &mut memory, "keep", &[place.clone(), n.clone()]).findings, []);
    let sum = [place.clone(), out, n];
    assert_eq!(launch(&m, &mut memory, "sum_up", &sum).findings, []);
    let address = u64::from_le_bytes(sum[1].clone().try_into().expect("8 bytes"));
    assert_eq!(values_of::<i32>(&memory.read(address, 4).expect("out")), [55]);
    assert_eq!(launch(&m, &mut memory, "give_back", &[place]).findings, []);
    let seen = launch(&m, &mut memory, "sum_up", &sum);
    assert_eq!(seen.findings.len(), 1);
    assert_eq!(seen.findings[0].what, FindingKind::UseAfterFree);
    assert_eq!(seen.findings[0].at.source.line, line(FILE, "sum_up"));
}

/// `cudaFree` before the kernel that uses the pointer.
#[test]
fn use_after_the_host_freed() {
    let (m, mut memory) = (module(&ptx("01_vadd")), Memory::new());
    let buffers: Vec<u64> = ["a", "b", "c"]
        .map(|name| memory.alloc(name, 128, 4, Some(&[0; 128])).expect("memory"))
        .to_vec();
    memory.free(buffers[1]).expect("it is there");
    assert!(memory.free(buffers[1]).is_err() && memory.free(buffers[0] + 4).is_err());
    assert!(memory.read(buffers[1], 4).is_err());
    let mut args: Vec<Vec<u8>> = buffers.iter().map(|b| bytes_of(&[*b])).collect();
    args.push(bytes_of(&[32_i32]));
    let shape = Launch {
        entry: "vadd".to_owned(),
        grid: [1; 3],
        block: [32, 1, 1],
        args,
        ..Launch::default()
    };
    let seen = run(&m, &mut memory, &shape, &Options::default()).expect("a run");
    let [f] = seen.findings.as_slice() else { panic!("{:#?}", seen.findings) };
    assert_eq!((&f.what, f.count, f.with.is_none()), (&FindingKind::UseAfterFree, 32, true));
    assert_eq!((f.at.array.as_deref(), f.at.index, f.at.elements), (Some("b"), Some(0), Some(32)));
    // its memory can be allocated again
    let mut memory = Memory::new();
    for _ in 0..4 {
        let address = memory.alloc("large", 300 << 20, 4, None).expect("memory");
        memory.free(address).expect("it is there");
    }
}

/// The host can set the heap's size until the first kernel with `malloc` runs.
#[test]
fn the_host_sets_the_heap_size() {
    for (heap, findings) in [(1 << 20, 0), (16, 1)] {
        let (m, mut memory) = (module(&ptx(FILE)), Memory::new());
        memory.set_limits(Limits { heap, ..memory.limits() });
        let place = memory.alloc("where", 8, 8, None).expect("memory");
        let args = [bytes_of(&[place]), bytes_of(&[6_i32])];
        assert!(!memory.has_heap());
        assert_eq!(launch(&m, &mut memory, "keep", &args).findings.len(), findings, "{heap}");
        assert!(memory.has_heap());
    }
}

/// A reset frees all memory, and old addresses stay invalid.
#[test]
fn reset_frees_everything() {
    let (m, mut memory) = (module(&ptx(FILE)), Memory::new());
    memory.set_limits(Limits { stack: 4096, ..memory.limits() });
    let old = memory.alloc("where", 8, 8, None).expect("memory");
    launch(&m, &mut memory, "keep", &[bytes_of(&[old]), bytes_of(&[6_i32])]);
    assert!(memory.used() > 8 && memory.has_heap() && memory.holds(old, 8));
    memory.reset();
    assert_eq!((memory.used(), memory.has_heap(), memory.holds(old, 1)), (0, false, false));
    assert_eq!(memory.limits(), Memory::new().limits());
    let new = memory.alloc("where", 8, 8, None).expect("memory");
    assert_ne!(new, old);
    let args = [bytes_of(&[new]), bytes_of(&[6_i32])];
    assert_eq!(launch(&m, &mut memory, "keep", &args).findings, []);
}
