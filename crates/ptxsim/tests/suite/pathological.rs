//! Texts of a megabyte that are hard for a parser. Each must be handled with a few seconds of
//! processor time and with little memory. Every case runs in a child process with a limit on
//! either, so that a failure does not end the other cases, and a busy machine changes nothing.

use std::fmt::Write;
use std::process::{Command, Stdio};

use ptxsim::Module;
use rustix::process::{Resource, Rlimit};

const HEADER: &str = ".version 9.0\n.target sm_75\n.address_size 64\n";
const MEGABYTE: usize = 1 << 20;
/// The environment variable that names the case for a child process.
const CASE: &str = "PTXSIM_PATHOLOGICAL_CASE";

/// The limits of one case. The memory includes the simulated GPU's 512 MiB, if a kernel uses them,
/// and its shadow.
const SECONDS: u64 = 20;
const BYTES: u64 = 4 << 30;

fn kernel(body: &str) -> String {
    format!(
        "{HEADER}.visible .entry k(.param .u64 a)\n{{\n.reg .b32 %r<9>;\n.reg .b64 %x<9>;\n.reg .pred %p<9>;\n\
         ld.param.u64 %x0, [a];\n{body}\nret;\n}}\n"
    )
}

/// A text of about a megabyte, of one line over and over; `#` is the number of the repetition.
fn many(line: &str) -> String {
    let mut text = String::with_capacity(MEGABYTE + 100);
    let mut n = 0;
    while text.len() < MEGABYTE {
        let _ = writeln!(text, "{}", line.replace('#', &n.to_string()));
        n += 1;
    }
    text
}

fn deep(open: &str, close: &str) -> String {
    let n = MEGABYTE / (open.len() + close.len());
    format!("{}{}", open.repeat(n), close.repeat(n))
}

/// A name, and the text.
type Case = (&'static str, fn() -> String);

const CASES: &[Case] = &[
    ("blocks in blocks", || kernel(&deep("{\n", "}\n"))),
    ("blocks that do not end", || kernel(&"{".repeat(MEGABYTE))),
    ("vectors in vectors", || kernel(&format!("mov.b64 {}, %x1;", deep("{", "}")))),
    ("brackets in brackets", || kernel(&format!("ld.global.u32 %r1, {};", deep("[", "]")))),
    ("parentheses in parentheses", || kernel(&format!("call.uni {};", deep("(", ")")))),
    ("a vector of everything", || {
        kernel(&format!("mov.b64 {{{}%r1}}, %x1;", "%r1, ".repeat(MEGABYTE / 5)))
    }),
    ("operands without end", || kernel(&format!("add.s32 %r1{};", ", %r1".repeat(MEGABYTE / 5)))),
    ("arguments without end", || {
        kernel(&format!("call.uni k, (%r1{});", ", %r1".repeat(MEGABYTE / 5)))
    }),
    ("minus signs", || kernel(&format!("mov.u32 %r1, {}1;", "-".repeat(MEGABYTE)))),
    ("a long name", || kernel(&format!("mov.u32 %r1, {};", "x".repeat(MEGABYTE)))),
    ("a long opcode", || kernel(&format!("add{} %r1, %r1, %r1;", ".s32".repeat(MEGABYTE / 4)))),
    ("a long number", || kernel(&format!("mov.u32 %r1, {};", "9".repeat(MEGABYTE)))),
    ("digits behind a register", || kernel(&format!("mov.u32 %r1, %r{};", "0".repeat(MEGABYTE)))),
    ("labels", || kernel(&many("$L#:"))),
    ("copies of copies", || {
        let mut lines: Vec<String> =
            (2..30_000).map(|n| format!("mov.u32 %q{n}, %q{};", n - 1)).collect();
        lines.reverse();
        kernel(&format!(".reg .b32 %q<30000>;\nmov.u32 %q1, 7;\n{}", lines.join("\n")))
    }),
    ("results that nobody reads", || {
        let lines: Vec<String> =
            (2..30_000).map(|n| format!("add.u32 %q{n}, %q{}, %r1;", n - 1)).collect();
        kernel(&format!(".reg .b32 %q<30000>;\n{}", lines.join("\n")))
    }),
    ("branches out of deep blocks", || {
        let body = format!("{}{}", "{\n".repeat(255), "@%p1 bra $L;\n".repeat(40_000));
        kernel(&format!("{body}{}$L:", "}\n".repeat(255)))
    }),
    ("registers of deep blocks", || {
        let body = format!("{}{}", "{\n".repeat(255), "mov.u32 %r1, %r2;\n".repeat(40_000));
        kernel(&format!("{body}{}", "}\n".repeat(255)))
    }),
    ("labels and branches", || kernel(&many("$L#:\n@%p1 bra $L#;"))),
    ("one label for all", || kernel(&format!("$L:\n{}", many("@%p1 bra $L;")))),
    ("branches to nowhere", || kernel(&many("bra $L#;"))),
    ("guarded statements", || kernel(&many("@%p1 mov.u32 %r1, #;"))),
    ("constants", || kernel(&many("mov.u32 %r1, #;"))),
    ("constants in 64 bits", || kernel(&many("add.s64 %x1, %x1, #;"))),
    ("registers one by one", || kernel(&many(".reg .b32 %q#;"))),
    ("registers by the million", || kernel(&many(".reg .b32 %q#<1000000>;"))),
    ("registers by the billion", || kernel(".reg .b32 %q<4000000000>;\nmov.u32 %q3999999999, 1;")),
    ("predicates by the million", || {
        kernel(".reg .pred %q<1048576>;\nsetp.eq.s32 %q1048575, 1, 1;")
    }),
    ("parameters of calls", || kernel(&many(".param .b8 q#[4096];"))),
    ("local arrays", || kernel(&many(".local .b8 q#[65536];"))),
    ("local arrays beyond everything", || {
        kernel(&many(".local .align 65536 .b8 q#[9223372036854775808];"))
    }),
    ("shared arrays", || kernel(&many(".shared .b8 q#[1];"))),
    ("a shared array of 2^63", || {
        kernel(".shared .b64 q[9223372036854775808];\n.shared .b64 p[9223372036854775808];")
    }),
    ("module's shared arrays", || {
        format!("{}{}", many(".shared .b8 q#[1];"), kernel(&many("st.shared.u8 [q#], 1;")))
    }),
    ("global arrays of 2^63", || {
        format!("{HEADER}{}{}", many(".global .b64 g#[9223372036854775808];"), kernel(""))
    }),
    ("global arrays of a megabyte", || {
        format!("{HEADER}{}{}", many(".global .b8 g#[1048576];"), kernel(""))
    }),
    ("half a gigabyte", || {
        format!(
            "{HEADER}.global .b8 g[500000000];\n{}",
            kernel("mov.u64 %x1, g;\nst.global.u32 [%x1], 1;")
        )
    }),
    ("arrays of arrays", || {
        format!("{HEADER}.global .b8 g{};\n{}", "[2]".repeat(MEGABYTE / 3), kernel(""))
    }),
    ("alignments", || {
        format!("{HEADER}.global .align 9223372036854775808 .b8 g[1];\n{}", kernel(""))
    }),
    ("large alignments", || kernel(&many(".shared .align 65536 .b8 q#[1];"))),
    ("initial values", || {
        format!("{HEADER}.global .b8 g[4] = {{{}1}};\n{}", "1, ".repeat(MEGABYTE / 3), kernel(""))
    }),
    ("nested initial values", || {
        format!(
            "{HEADER}.global .u32 g = {}1{};\n{}",
            "{".repeat(MEGABYTE / 2),
            "}".repeat(MEGABYTE / 2),
            kernel("")
        )
    }),
    ("variables that point at each other", || {
        format!("{HEADER}{}{}", many(".global .u64 g# = g#;"), kernel(""))
    }),
    ("functions", || format!("{HEADER}{}{}", many(".func f#() { ret; }"), kernel(""))),
    ("functions that call each other", || {
        format!(
            "{HEADER}.func g() {{ ret; }}\n{}{}",
            many(".func f#() { call.uni g, (); ret; }"),
            kernel("call.uni f1, ();")
        )
    }),
    ("functions that call through pointers", || {
        format!(
            "{HEADER}{}{}",
            many(
                ".func f#() {\n.reg .b64 %x<2>;\np: .callprototype _ ();\ncall %x1, (), p;\nret;\n}"
            ),
            kernel("call.uni f1, ();")
        )
    }),
    ("functions that call themselves", || {
        format!(
            "{HEADER}{}",
            many(".func f#() { call.uni f#, (); ret; }") + &kernel("call.uni f1, ();")
        )
    }),
    ("functions that are refused", || {
        format!("{HEADER}{}{}", many(".func f#() { tcgen05.x; }"), kernel("call.uni f9, ();"))
    }),
    ("kernels", || format!("{HEADER}{}", many(".entry k#() { ret; }"))),
    ("kernels with a shared variable each", || {
        format!("{HEADER}{}", many(".entry k#() { .shared .b8 s[1]; ret; }"))
    }),
    ("parameters", || {
        format!("{HEADER}.entry k({}.param .u32 z) {{ ret; }}", many(".param .u32 p#,"))
    }),
    ("a parameter of 2^64", || {
        format!("{HEADER}.entry k(.param .b8 p[18446744073709551615]) {{ ret; }}")
    }),
    ("calls", || format!("{HEADER}.func f() {{ ret; }}\n{}", kernel(&many("call.uni f, ();")))),
    ("calls through pointers", || {
        format!(
            "{HEADER}.func f() {{ ret; }}\n{}",
            kernel(&format!("p: .callprototype _ ();\n{}", many("call %x1, (), p;")))
        )
    }),
    ("barriers", || kernel(&many("bar.sync 0;"))),
    ("shuffles", || kernel(&many("shfl.sync.up.b32 %r1, %r1, 1, 0, -1;"))),
    ("line tables", || {
        format!(
            "{HEADER}{}{}",
            many(".file # \"f#.cu\""),
            kernel(&many(".loc # # #\nmov.u32 %r1, %r2;"))
        )
    }),
    ("line tables of many kernels", || {
        format!("{HEADER}{}{}", many(".file # \"f#.cu\""), many(".entry k#() { .loc 1 1 1\nret; }"))
    }),
    ("inlined forever", || kernel(&many(".loc 1 # 1, function_name $i, inlined_at 1 # 1"))),
    ("comments", || kernel(&"/**/".repeat(MEGABYTE / 4))),
    ("a comment that does not end", || kernel(&"/*".repeat(MEGABYTE / 2))),
    ("strings", || kernel(&format!(".pragma {};", "\"\"".repeat(MEGABYTE / 2)))),
    ("empty lines", || kernel(&"\n".repeat(MEGABYTE))),
    ("nothing but dots", || ".".repeat(MEGABYTE)),
    ("nothing but zeros", || "\0".repeat(MEGABYTE)),
    ("a loop without an end", || kernel("$L:\nadd.s32 %r1, %r1, 1;\nbra $L;")),
    ("printing without an end", || {
        kernel(
            "$L:\n{\n.param .b64 f;\n.param .b64 v;\n.param .b32 d;\nst.param.b64 [f], %x0;\nst.param.b64 [v], %x0;\ncall.uni (d), vprintf, (f, v);\n}\nbra $L;",
        )
    }),
];

/// Parses the text and launches its first kernels.
fn answer(text: &str) {
    if let Ok(module) = Module::parse(text) {
        super::robustness::launch_first(&module, 3);
    }
}

#[test]
fn large_inputs_take_bounded_time_and_memory() {
    if let Ok(name) = std::env::var(CASE) {
        for (resource, most) in [(Resource::As, BYTES), (Resource::Cpu, SECONDS)] {
            let limit = Rlimit { current: Some(most), maximum: Some(most) };
            rustix::process::setrlimit(resource, limit).expect("a limit");
        }
        let text = CASES.iter().find(|c| c.0 == name).expect("a case").1;
        answer(&text());
        return;
    }
    let program = std::env::current_exe().expect("this program");
    let mut failed = vec![];
    for (name, _) in CASES {
        let status = Command::new(&program)
            .args(["--exact", "pathological::large_inputs_take_bounded_time_and_memory"])
            .env(CASE, name)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("a child");
        if !status.success() {
            failed.push(format!("{name}: {status}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
