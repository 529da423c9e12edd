use super::*;
use crate::Diagnose;

/// Adds a constant to each element of `in`, and counts the launches in `counter` if `counts` is
/// not 0.
const KERNEL: &str = ".version 8.0\n.target sm_75\n.address_size 64\n\
    .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 counter, .param .u32 counts) {\n\
    .reg .b64 %d<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\n\
    ld.param.u64 %d1, [in];\ncvta.to.global.u64 %d1, %d1;\n\
    ld.param.u64 %d2, [out];\ncvta.to.global.u64 %d2, %d2;\n\
    ld.param.u64 %d3, [counter];\ncvta.to.global.u64 %d3, %d3;\nld.param.u32 %r6, [counts];\n\
    mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\n\
    mad.lo.s32 %r4, %r1, %r3, %r2;\nmul.wide.s32 %d4, %r4, 4;\n\
    add.s64 %d5, %d1, %d4;\nadd.s64 %d6, %d2, %d4;\nld.global.u32 %r5, [%d5];\n\
    add.s32 %r5, %r5, 7;\nst.global.u32 [%d6], %r5;\n\
    setp.ne.s32 %p1, %r4, 0;\nsetp.eq.s32 %p2, %r6, 0;\nor.pred %p1, %p1, %p2;\n@%p1 ret;\n\
    ld.global.u32 %r7, [%d3];\nadd.s32 %r7, %r7, 1;\nst.global.u32 [%d3], %r7;\nret;\n}\n";

const BLOCKS: u32 = 64;
const BYTES: u64 = 64 * 256 * 4;

/// Memory of two identical devices: on one, repeated launches are replayed.
struct Twins {
    module: Module,
    repeats: Repeats,
    memories: [Memory; 2],
}

impl Twins {
    fn new() -> Self {
        let module = Module::parse(KERNEL).expect("parses");
        Self { module, repeats: Repeats::default(), memories: [Memory::new(), Memory::new()] }
    }

    fn alloc(&mut self, name: &str, contents: Option<&[u8]>) -> u64 {
        let each = self.memories.each_mut().map(|memory| memory.alloc(name, BYTES, 4, contents));
        let [a, b] = each.map(|address| address.expect("room"));
        assert_eq!(a, b);
        a
    }

    fn write(&mut self, address: u64, data: &[u8]) {
        for memory in &mut self.memories {
            memory.write(address, data).expect("inside");
        }
    }

    /// Launches on both devices, compares everything, and returns whether the launch was replayed.
    fn launch(&mut self, [from, to, counter]: [u64; 3], counts: u32) -> bool {
        let mut args: Vec<_> = [from, to, counter].map(|a| a.to_le_bytes().to_vec()).into();
        args.push(counts.to_le_bytes().to_vec());
        let launch = Launch {
            entry: "k".into(),
            grid: [BLOCKS, 1, 1],
            block: [256, 1, 1],
            args,
            ..Launch::default()
        };
        let options = Options { diagnose: Diagnose::Full, ..Options::default() };
        let [a, b] = &mut self.memories;
        let before = self.repeats.replayed();
        let seen = self.repeats.run(&self.module, a, &launch, &options, true).expect("runs");
        let expected = run_recording(&self.module, b, &launch, &options).expect("runs");
        assert_eq!(seen, expected);
        for (a, b) in a.allocations.iter_mut().zip(&mut b.allocations) {
            assert_eq!(a.fingerprint(), Fingerprint::of(b), "{}", a.name);
            assert_eq!(a.fingerprint(), Fingerprint::of(a), "{}", a.name);
            assert_eq!(a.initialised, b.initialised, "{}", a.name);
        }
        self.repeats.replayed() > before
    }
}

fn numbers(from: u32) -> Vec<u8> {
    (from..).take(BYTES as usize / 4).flat_map(u32::to_le_bytes).collect()
}

#[test]
fn a_launch_on_the_same_contents_is_replayed() {
    let mut twins = Twins::new();
    let from = twins.alloc("from", Some(&numbers(0)));
    let (to, counter) = (twins.alloc("to", None), twins.alloc("counter", Some(&numbers(0))));
    let arrays = [from, to, counter];
    let replayed: Vec<bool> = (0..6).map(|_| twins.launch(arrays, 0)).collect();
    assert_eq!(replayed, [false, false, true, true, true, true]);
    // the output is restored when something else has changed it
    twins.write(to, &numbers(1000));
    assert!(!twins.launch(arrays, 0), "the output is new");
    twins.write(to, &numbers(1000));
    assert!(twins.launch(arrays, 0), "known input and known output");
    // memory that the kernel cannot access does not matter
    twins.alloc("another", None);
    assert!(twins.launch(arrays, 0));
    // another input, and the first again
    twins.write(from, &numbers(5));
    assert!(!twins.launch(arrays, 0));
    twins.write(from, &numbers(0));
    assert!(!twins.launch(arrays, 0), "contents are not compared so soon after new ones");
}

/// The kernel reads and writes the counter. One that has no counter reads nothing that it writes.
#[test]
fn a_launch_that_reads_nothing_that_it_writes_is_replayed_at_once() {
    let without_counter = KERNEL.replace("ld.global.u32 %r7", "mov.u32 %r7, 5; //");
    let mut twins =
        Twins { module: Module::parse(&without_counter).expect("parses"), ..Twins::new() };
    let from = twins.alloc("from", Some(&numbers(0)));
    let (to, counter) = (twins.alloc("to", None), twins.alloc("counter", None));
    let replayed: Vec<bool> = (0..3).map(|_| twins.launch([from, to, counter], 1)).collect();
    assert_eq!(replayed, [false, true, true]);
    // in place it does
    let replayed: Vec<bool> = (0..3).map(|_| twins.launch([from, from, counter], 1)).collect();
    assert_eq!(replayed, [false; 3]);
}

#[test]
fn a_launch_that_changes_its_own_input_runs_each_time() {
    let mut twins = Twins::new();
    let from = twins.alloc("from", Some(&numbers(0)));
    let (to, counter) = (twins.alloc("to", None), twins.alloc("counter", Some(&numbers(0))));
    for _ in 0..20 {
        assert!(!twins.launch([from, to, counter], 1));
    }
    assert_eq!(twins.memories[0].read(counter, 4).expect("inside"), 20_u32.to_le_bytes());
    // until the program resets it, as one that measures does
    let mut replayed = 0;
    for _ in 0..200 {
        twins.write(counter, &numbers(0));
        replayed += u32::from(twins.launch([from, to, counter], 1));
    }
    assert!(replayed > 100, "{replayed}");
}

#[test]
fn a_launch_with_a_finding_runs_each_time() {
    let mut twins = Twins::new();
    let from = twins.alloc("from", None);
    let (to, counter) = (twins.alloc("to", None), twins.alloc("counter", None));
    for _ in 0..5 {
        assert!(!twins.launch([from, to, counter], 0), "it reads uninitialised memory");
    }
}

#[test]
fn fingerprints_differ_where_contents_do() {
    let mut memory = Memory::new();
    let address = memory.alloc("a", 4096, 4, None).expect("room");
    let mut seen = vec![memory.allocations[0].fingerprint()];
    for offset in [0, 1, 4, 31, 32, 60, 2048, 4095] {
        memory.write(address + offset, &[0]).expect("inside");
        seen.push(memory.allocations[0].fingerprint());
        memory.write(address + offset, &[1]).expect("inside");
        seen.push(memory.allocations[0].fingerprint());
    }
    for (i, a) in seen.iter().enumerate() {
        assert!(seen[..i].iter().all(|b| a != b), "{i}");
    }
    let saved = memory.allocations[0].save();
    memory.write(address, &[9; 4096]).expect("inside");
    memory.allocations[0].restore(&saved);
    assert_eq!(memory.allocations[0].fingerprint(), seen[seen.len() - 1]);
}
