//! No text makes the parser panic, and no module that parses makes a launch panic or hang. Inline
//! assembly with mistakes, the output of a newer compiler, or a broken file must end in an error or
//! a finding.

use crate::common::ptx;
use proptest::prelude::*;
use ptxsim::{Diagnose, Launch, Memory, Module, Options, ParamType, run};

/// Kernels that together use every feature, small enough to mutate often.
const FILES: [&str; 17] = [
    "01_vadd",
    "02_index2d",
    "03_matmul",
    "04_reduce",
    "05_atomics",
    "06_histogram",
    "07_scan",
    "11_dynshared",
    "18_devicecalls",
    "19_localarray",
    "20_printf",
    "21_vector",
    "23_vote",
    "29_recursion",
    "37_naive_spin",
    "planted/racecheck_async",
    "planted/sync",
];

/// One change of a text's tokens or lines. The numbers are taken modulo the number of tokens or
/// lines.
#[derive(Debug, Clone)]
enum Change {
    DropToken(usize),
    RepeatToken(usize),
    SwapTokens(usize, usize),
    CopyToken(usize, usize),
    Number(usize, u64),
    DropLine(usize),
    RepeatLine(usize),
    SwapLines(usize, usize),
    MoveLine(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<usize>;
    let number = prop_oneof![
        Just(0_u64),
        Just(1),
        Just(3),
        Just(31),
        Just(32),
        Just(64),
        Just(4096),
        Just(0x7fff_ffff),
        Just(0xffff_ffff),
        Just(u64::MAX),
        Just(1 << 63),
        Just(1 << 35),
    ];
    prop_oneof![
        at().prop_map(Change::DropToken),
        at().prop_map(Change::RepeatToken),
        (at(), at()).prop_map(|(a, b)| Change::SwapTokens(a, b)),
        (at(), at()).prop_map(|(a, b)| Change::CopyToken(a, b)),
        (at(), number).prop_map(|(a, n)| Change::Number(a, n)),
        at().prop_map(Change::DropLine),
        at().prop_map(Change::RepeatLine),
        (at(), at()).prop_map(|(a, b)| Change::SwapLines(a, b)),
        (at(), at()).prop_map(|(a, b)| Change::MoveLine(a, b)),
    ]
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$%.".contains(c)
}

/// Words and single other characters, white space included.
fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = vec![];
    for c in text.chars() {
        match all.last_mut() {
            Some(last) if is_word(c) && last.ends_with(is_word) => last.push(c),
            _ => all.push(c.to_string()),
        }
    }
    all
}

fn mutated(text: &str, changes: &[Change]) -> String {
    let mut lines: Vec<String> =
        text.lines().filter(|l| !l.trim().is_empty()).map(str::to_owned).collect();
    // nearly all lines are code; the first ones are the header
    for change in changes {
        let n = lines.len();
        match *change {
            Change::DropLine(a) => drop(lines.remove(a % n)),
            Change::RepeatLine(a) => lines.insert(a % n, lines[a % n].clone()),
            Change::SwapLines(a, b) => lines.swap(a % n, b % n),
            Change::MoveLine(a, b) => {
                let line = lines.remove(a % n);
                lines.insert(b % n, line);
            }
            _ => {}
        }
    }
    let mut all = tokens(&lines.join("\n"));
    let words: Vec<usize> = (0..all.len()).filter(|i| all[*i].starts_with(is_word)).collect();
    let numbers: Vec<usize> = words
        .iter()
        .copied()
        .filter(|i| all[*i].starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    for change in changes {
        match *change {
            Change::DropToken(a) => all[words[a % words.len()]].clear(),
            Change::RepeatToken(a) => {
                let token = &mut all[words[a % words.len()]];
                *token = format!("{token} {token}");
            }
            Change::SwapTokens(a, b) => all.swap(words[a % words.len()], words[b % words.len()]),
            // replaces a token by one with the same first character (a register by a register), so
            // that the text often parses
            Change::CopyToken(a, b) => {
                let from = all[words[a % words.len()]].clone();
                let like: Vec<usize> = words
                    .iter()
                    .copied()
                    .filter(|i| {
                        all[*i].get(..2) == from.get(..2)
                            && all[*i].contains('.') == from.contains('.')
                    })
                    .collect();
                if !like.is_empty() {
                    all[like[b % like.len()]] = from;
                }
            }
            Change::Number(a, n) if !numbers.is_empty() => {
                all[numbers[a % numbers.len()]] = n.to_string()
            }
            _ => {}
        }
    }
    all.concat()
}

/// Launches every kernel of a module with small buffers and small numbers.
fn launch_all(module: &Module, shape: u32) {
    launch(module, shape, usize::MAX);
}

/// Launches the first kernels of a module that may have very many.
pub fn launch_first(module: &Module, shape: u32) {
    launch(module, shape, 3);
}

fn launch(module: &Module, shape: u32, entries: usize) {
    for entry in module.entries().iter().take(entries) {
        for diagnose in [Diagnose::Bounds, Diagnose::Full] {
            let mut memory = Memory::new();
            let mut args = vec![];
            for (n, param) in entry.params.iter().enumerate() {
                let mut arg = match param.ty {
                    ParamType::U64 if n as u32 == shape % 5 => vec![0; 8],
                    ParamType::U64 => {
                        let contents = (n % 2 == 0).then_some([n as u8 + 1; 4096]);
                        let bytes = memory.alloc(
                            "buffer",
                            4096,
                            4,
                            contents.as_ref().map(|c| c.as_slice()),
                        );
                        bytes.expect("4 KiB").to_le_bytes().to_vec()
                    }
                    _ => 33_u64.to_le_bytes().to_vec(),
                };
                // a kernel with too many parameters is refused, whatever its arguments
                arg.resize(param.bytes.min(1 << 16) as usize, 0);
                args.push(arg);
            }
            let launch = Launch {
                entry: entry.name.clone(),
                grid: [2, 1 + shape % 2, 1],
                block: [[40, 1, 1], [7, 5, 2], [1, 1, 1], [64, 1, 1]][shape as usize % 4],
                shared: [0, 512][shape as usize / 4 % 2],
                args,
                ..Launch::default()
            };
            let options =
                Options { diagnose, seed: u64::from(shape), budget: 20_000, ..Options::default() };
            // an error is an acceptable result
            let _ = run(module, &mut memory, &launch, &options);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(text in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = Module::parse(&String::from_utf8_lossy(&text));
    }

    #[test]
    fn random_ptx_words_never_panic(words in proptest::collection::vec(proptest::sample::select(vec![
        ".version 8.0\n", ".target sm_75\n", ".visible .entry k(", ")", "{", "}", ".param .u64 a", ".reg .b32 %r<5>;",
        ".reg .b64 %rd<5>;", ".reg .pred %p<2>;", "add.s32", "%r1", "%r99", "%rd1", "%p1", "@%p1", ",", ";", "[", "]",
        "[%rd1+4]", "ld.global.u32", "st.shared.v4.f32", "{%r1, %r2}", "bra", "$L1", "$L1:", "call.uni", "(", "ret;",
        "-1", "0f3F800000", "18446744073709551615", "bar.sync 0;", "shfl.sync.up.b32", "mov.b64", "setp.lt.s32",
        "%r1|%p1", "atom.global.add.u32", "cvt.u8.s64", "bfi.b64", "lop3.b32", ".shared .b8 s[4294967295];",
        ".local .align 16 .b8 d[99999999];", ".global .u64 g[2] = {g, k};", "_", "!", "%tid.x", ".loc 1 2 3", ".func",
        "mad.lo.cc.u32", "vote.sync.all.pred", "match.all.sync.b32", "bar.red.popc.u32", "bar.red", "prmt.b32.f4e",
        "<", ">", "=", ".file 1 \"a.cu\"", ".section .debug_str {", "/*", "*/", "//", "\"", "é", "::", "\n",
    ]), 0..60)) {
        let body = words.concat();
        let _ = Module::parse(&body);
        let _ = Module::parse(&words.join(" "));
        let inside = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{{\n.reg .b32 %r<5>;\n\
             .reg .b64 %rd<5>;\n.reg .pred %p<2>;\n{}\nret;\n}}\n",
            words.join(" ")
        );
        if let Ok(module) = Module::parse(&inside) {
            launch_all(&module, 0);
        }
    }

    #[test]
    fn mutated_kernels_never_panic_and_always_end(
        file in 0..FILES.len(),
        changes in proptest::collection::vec(change(), 1..5),
        shape in 0..16_u32,
    ) {
        let text = mutated(&ptx(FILES[file]), &changes);
        if let Ok(module) = Module::parse(&text) {
            launch_all(&module, shape);
        }
    }
}

/// Wraps statements in a kernel with a pointer and a number.
fn parsed(body: &str) -> Result<Module, ptxsim::Error> {
    Module::parse(&format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{{\n\
         .reg .b16 %h<4>;\n.reg .b32 %r<5>;\n.reg .b64 %x<5>;\n.reg .pred %p<3>;\nld.param.u64 %x0, [a];\n{body}\nret;\n}}\n"
    ))
}

#[test]
fn hostile_statements_end_in_errors_or_findings() {
    for body in [
        // registers outside their range, or so far outside that sums overflow
        "add.s32 %r1, %r4294967295, %r2;",
        "add.s32 %r1, %r5, %r2;",
        "mov.b64 %x4, %x99;",
        // addresses whose ends overflow
        "mov.u64 %x1, 9223372036854775804;\nst.shared.u32 [%x1], 1;",
        "mov.u64 %x1, 9223372036854775804;\nst.local.u32 [%x1], 1;",
        "mov.u64 %x1, 9223372036854775800;\nld.shared.u64 %x2, [%x1+7];",
        "mov.u32 %r1, 4294967292;\nst.shared.u32 [%r1], 1;",
        ".shared .b8 s[4];\nmov.u64 %x1, 9223372036854775808;\nst.shared.u32 [%x1], 1;",
        ".shared .b8 s[4];\nmov.u64 %x1, 9223372036854775804;\nst.shared.u32 [%x1+s], 1;",
        ".shared .b64 s[2305843009213693951];\n.shared .b64 t[2305843009213693951];\nst.shared.u32 [t], 1;",
        ".shared .pred s[4];\nst.shared.u32 [s+64], 1;",
        "mov.u32 %r1, 4294967292;\nld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r1+4];",
        "ld.global.u32 %r1, [-4];",
        "ld.u32 %r1, [18446744073709551615];",
        "ld.param.u32 %r1, [n+4294967292];",
        "ld.param.u32 %r1, [n+-4];",
        "ld.param.u64 %x1, [a+9223372036854775807];",
        // call parameters and their words
        "{\n.param .b32 q;\nst.param.b32 [q+4294967292], %r1;\n}",
        "{\n.param .b8 q[3];\nst.param.b64 [q], %x1;\n}",
        "{\n.param .b8 q[99999999];\nst.param.b64 [q+4088], %x1;\n}",
        // sizes
        ".local .align 16 .b8 d[4294967295];\nst.local.u32 [d], 1;",
        ".local .align 16 .b8 d[524280];\n.local .align 16 .b8 e[524280];\nst.local.u32 [d], 1;",
        ".local .align 16 .b8 d[500000];\nst.local.u32 [d+499996], 1;",
        ".shared .align 4 .b8 s[1048576];\nst.shared.u32 [s], 1;",
        ".shared .align 65536 .b8 s[4];\n.shared .align 65536 .b8 t[4];\nst.shared.u32 [t+4], 1;",
        ".shared .align 2147483648 .b8 s[4];",
        ".reg .b32 %q<1048576>;\nmov.u32 %q1048575, 1;",
        ".reg .b64 %q<65000>;\n.reg .b32 %w<65000>;\nmov.u32 %w64999, 1;",
        ".reg .pred %q<1000000>;\nmov.pred %q999999, 1;",
        ".reg .b32 %q<0>;\nmov.u32 %q0, 1;",
        // sinks, missing operands, surplus operands
        "st.global.u32 [%x0], _;",
        "st.global.v2.u32 [%x0], {%r1, _};",
        "ld.global.v4.u32 {_, _, _, _}, [%x0];",
        "ld.global.u32 _, [%x0];",
        "atom.global.add.u32 _, [%x0], 1;",
        "atom.global.cas.b32 %r1, [%x0], 1;",
        "add.s32 %r1;",
        "add.s32 %r1, %r2;",
        "add.f64 %x1, %x2;",
        "fma.rn.f32 %r1, %r2;",
        "shfl.sync.up.b32 %r1, %r2;",
        "shfl.sync.up.b32 %r1|%p1;",
        "vote.sync.all.pred %p1;",
        "bar.red.popc.u32 %r1;",
        "bar.red.popc.u32 %r1, 0;",
        "bar.sync;",
        "bar.sync 4294967295;",
        "bar.sync 0, 0;",
        "bar.arrive 0, 4294967295;",
        "mov.b64 {}, %x1;",
        "mov.b64 %x1, {};",
        "mov.b64 {%r1, %r2, %r3}, %x1;",
        "setp.lt.s32 %p1|%p1, %r1, %r2, %p1;",
        "selp.b32 %r1, %r2, %r3;",
        "lop3.b32 %r1, %r2, %r3, %r4, 99999;",
        "prmt.b32 %r1, %r2, %r3;",
        "cvt.u32.f32 %r1, %x1;",
        "bra $nowhere;",
        "@%p1 bra %r1;",
        "@%r1 add.s32 %r1, %r1, %r1;",
        // calls of undeclared functions, of the function itself, through a number
        "call.uni missing, ();",
        "call.uni k, ();",
        "call %x1, ();",
        "mov.u64 %x1, k;\np: .callprototype _ ();\ncall %x1, (), p;",
        "{\n.param .b64 q;\n.param .b64 z;\nst.param.b64 [q], %x1;\ncall.uni (z), malloc, (q);\nld.param.b64 %x1, [z];\n}",
        "{\n.param .b64 q;\n.param .b64 z;\nmov.u64 %x1, -1;\nst.param.b64 [q], %x1;\ncall.uni (z), malloc, (q);\n}",
        "{\n.param .b64 q;\n.param .b64 z;\n.param .b32 y;\nmov.u64 %x1, -1;\nst.param.b64 [q], %x1;\ncall.uni (y), vprintf, (q, z);\n}",
        // frees of numbers
        "{\n.param .b64 q;\nst.param.b64 [q], 7;\ncall.uni free, (q);\n}",
        "{\n.param .b64 q;\nst.param.b64 [q], -7;\ncall.uni free, (q);\n}",
        "call.uni __assertfail, ();",
        "call.uni vprintf, ();",
        // 32-byte vectors, 8-bit atomics, and other oddities
        "ld.global.v4.u64 {%x1, %x2, %x3, %x4}, [%x0];",
        "ld.global.pred %r1, [%x0];",
        "atom.global.add.u8 %r1, [%x0], 1;",
        "exit;\nexit;\ntrap;",
        "$a:\n$b:\nbra $a;",
        "$a:\nbar.arrive 1, 32;\nbra $a;",
        "$a:\nbar.warp.sync -1;\nbra $a;",
        "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 7;\n$a:\n@%p1 bra $a;\nbar.warp.sync -1;",
    ] {
        match parsed(body) {
            Ok(module) => (0..8).for_each(|shape| launch_all(&module, shape)),
            Err(e) => assert!(!e.to_string().is_empty()),
        }
    }
}

/// Inputs that crashed once, and inputs that widened the fuzzer's coverage.
#[test]
fn fuzzer_inputs_end_in_errors_or_findings() {
    let files: Vec<_> = std::fs::read_dir("fuzz/corpus").expect("the corpus").collect();
    assert!(files.len() > 200, "{}", files.len());
    for file in files {
        let bytes = std::fs::read(file.expect("a file").path()).expect("readable");
        match Module::parse(&String::from_utf8_lossy(&bytes)) {
            Ok(module) => (0..4).for_each(|shape| launch_first(&module, shape)),
            Err(e) => assert!(!e.to_string().is_empty()),
        }
    }
}

#[test]
fn depth_and_length_do_not_exhaust_the_stack() {
    for (open, close) in [("{", "}"), ("(", ")"), ("[", "]"), ("{{", "")] {
        assert!(
            parsed(&format!("mov.b64 {}%x1{}, %x2;", open.repeat(50_000), close.repeat(50_000)))
                .is_err()
        );
        let _ = parsed(&open.repeat(50_000));
    }
    let long = "add.s32 %r1, %r1, 1;\n".repeat(20_000);
    let module = parsed(&long).expect("a long kernel");
    launch_all(&module, 0);
    let init = format!(".global .u32 g = {}1{};\n", "{".repeat(50_000), "}".repeat(50_000));
    assert!(Module::parse(&init).is_ok());
}

#[test]
fn launches_without_threads_or_with_too_many_are_errors() {
    let module = parsed("").expect("an empty kernel");
    let launch = |grid, block, shared, args: Vec<Vec<u8>>| {
        let launch =
            Launch { entry: "k".to_owned(), grid, block, shared, args, ..Launch::default() };
        run(&module, &mut Memory::new(), &launch, &Options::default())
    };
    let args = || vec![vec![0; 8], vec![0; 4]];
    assert!(launch([1; 3], [1; 3], 0, args()).is_ok());
    for (grid, block, shared) in [
        ([0, 1, 1], [1; 3], 0),
        ([1; 3], [0, 1, 1], 0),
        ([1; 3], [1, 0, 1], 0),
        ([1; 3], [1025, 1, 1], 0),
        ([1; 3], [32, 32, 2], 0),
        ([1; 3], [1, 1, 65], 0),
        ([u32::MAX, 1, 1], [1; 3], 0),
        ([0x7fff_ffff, 65_535, 65_535], [1; 3], 0),
        ([1, 65_536, 1], [1; 3], 0),
        ([1; 3], [u32::MAX; 3], 0),
        ([1; 3], [1; 3], u32::MAX),
    ] {
        assert!(launch(grid, block, shared, args()).is_err(), "{grid:?} {block:?} {shared}");
    }
    assert!(launch([1; 3], [1; 3], 0, vec![]).is_err());
    assert!(launch([1; 3], [1; 3], 0, vec![vec![0; 8], vec![0; 8]]).is_err());
    assert!(Memory::new().alloc("all", u64::MAX, 4, None).is_err());
}
