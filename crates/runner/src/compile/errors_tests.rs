//! Real logs of NVRTC 13.0, and arbitrary text.

use proptest::prelude::*;

use super::*;

const FILE: &str = "exercises/ch01_threads/kernel.cu";

/// Parses a log in which `FILE` stands for the learner's file.
fn parsed(log: &str, source: &str) -> Vec<Message> {
    parse(
        &log.replace("FILE", FILE),
        FILE,
        source,
        Some(Path::new("/opt/cuda/include")),
        Included::Hidden,
    )
}

fn error(line: u32, column: u32, length: u32, text: &str) -> Message {
    Message { file: None, severity: Severity::Error, line, column, length, text: text.to_owned() }
}

fn warning(line: u32, column: u32, length: u32, text: &str) -> Message {
    Message { file: None, severity: Severity::Warning, line, column, length, text: text.to_owned() }
}

/// The mark is the whole name, also behind a tab, and at the end of a file.
#[test]
fn names_and_tabs() {
    let source = "extern \"C\" __global__ void k(float* out) {\n    int idx = threadId.x;\n\tout[idx] = blah(1) + 2\n}\n";
    let log = "\
FILE(2): error: identifier \"threadId\" is undefined
      int idx = threadId.x;
                ^

FILE(3): error: identifier \"blah\" is undefined
  \tout[idx] = blah(1) + 2
  \t           ^

FILE(4): error: expected a \";\"
  }
  ^

3 errors detected in the compilation of \"FILE\".
";
    assert_eq!(
        parsed(log, source),
        [
            error(2, 15, 8, "identifier \"threadId\" is undefined"),
            error(3, 13, 4, "identifier \"blah\" is undefined"),
            error(3, 23, 1, "expected a \";\""),
        ]
    );
}

/// NVRTC counts bytes, the renderer characters.
#[test]
fn columns_are_characters() {
    let source = "    out[0] = \"\u{e9}\u{e9}\" + oops;\n";
    let log = "FILE(1): error: identifier \"oops\" is undefined\n      out[0] = \"\u{e9}\u{e9}\" + oops;\n                        ^\n";
    assert_eq!(parsed(log, source), [error(1, 21, 4, "identifier \"oops\" is undefined")]);
}

/// A message includes its further lines and the place of an instantiation, and no notes about
/// overloads.
#[test]
fn longer_messages() {
    let source = "\
template <typename T> __device__ T twice(T v) {
    return v.nothing() * 2;
}
__device__ int over(int a);
extern \"C\" __global__ void k(float* out) {
    out[0] = twice(1.0f);
    out[1] = over(\"text\");
    unsigned int u = -1 < 2u;
}
";
    let log = "\
FILE(7): error: no instance of overloaded function \"over\" matches the argument list
            argument types are: (const char [5])
      out[1] = over(\"text\");
               ^
FILE(4): note #3326-D: function \"over(int)\" does not match because argument #1 does not match parameter
  __device__ int over(int a);
                 ^

FILE(8): warning #68-D: integer conversion resulted in a change of sign
      unsigned int u = -1 < 2u;
                       ^

Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"

FILE(2): error: expression must have class type but it has type \"float\"
      return v.nothing() * 2;
             ^
          detected during instantiation of \"T twice(T) [with T=float]\" at line 6

3 errors detected in the compilation of \"FILE\".
";
    assert_eq!(
        parsed(log, source),
        [
            error(
                7,
                14,
                4,
                "no instance of overloaded function \"over\" matches the argument list \
                 argument types are: (const char [5])"
            ),
            warning(8, 22, 1, "integer conversion resulted in a change of sign"),
            error(
                2,
                12,
                1,
                "expression must have class type but it has type \"float\" \
                 (in the instantiation of \"T twice(T) [with T=float]\" at line 6)"
            ),
        ]
    );
}

/// "At end of source" has no line; the brace that was never closed has one.
#[test]
fn unclosed_brace() {
    let source = "extern \"C\" __global__ void k(float* out) {\n    out[0] = 1;\n    if (1) {\n";
    let log = "\
At end of source: error: expected a \"}\"
FILE(3): note #3196-D: to match this \"{\"
      if (1) {
             ^

1 error detected in the compilation of \"FILE\".
";
    assert_eq!(parsed(log, source), [error(3, 12, 1, "expected a \"}\" to match this \"{\"")]);
}

/// Learners do not set compiler options or search paths, so advice about them is removed.
#[test]
fn advice_about_options_is_removed() {
    let source = "void helper(int x) {}\n#include <cstdio>\n";
    let log = "\
FILE(1): error: A function without execution space annotations (__host__/__device__/__global__) is considered a host \
function, and host functions are not allowed in JIT mode. Consider using -default-device flag to process unannotated \
functions as __device__ functions in JIT mode
  void helper(int x) {}
       ^

FILE(2): catastrophic error: could not open source file \"cstdio\" (no directories in search list)
  #include <cstdio>
                   ^

 and 1 catastrophic error detected in the compilation of \"FILE\".
Compilation terminated.
";
    assert_eq!(
        parsed(log, source),
        [
            error(
                1,
                6,
                6,
                "A function without execution space annotations (__host__/__device__/__global__) is considered a \
                 host function, and host functions are not allowed in JIT mode."
            ),
            error(2, 1, 17, "could not open source file \"cstdio\""),
        ]
    );
}

/// The compiler quotes an included file. None of that text reaches the messages.
#[test]
fn included_files_are_never_quoted() {
    let log = "\
/etc/passwd(1): error: identifier \"root\" is undefined
  root:x:0:0:root:/root:/bin/bash
  ^

/etc/passwd(1): error: expected a \";\"
  root:x:0:0:root:/root:/bin/bash
      ^

2 errors detected in the compilation of \"FILE\".
";
    let source = "// hello\n  #  include \"/etc/passwd\"\n";
    let own = "the included file does not compile; an exercise is one file and needs no #include";
    assert_eq!(parsed(log, source), [error(2, 3, 24, own)]);

    let both = format!("{log}\nFILE(1): error: expected a declaration\n  // hello\n  ^\n");
    assert_eq!(parsed(&both, source), [error(1, 1, 1, "expected a declaration")]);

    // `#line 1 "/etc/passwd"` moves the learner's own lines there.
    let renamed = "the lines after this #line do not compile; without it, messages can show them";
    assert_eq!(parsed(log, "\n#line 1 \"elsewhere\"\n"), [error(2, 1, 19, renamed)]);
    assert_eq!(parsed(log, "# 1 \"/etc/passwd\"\n"), [error(1, 1, 17, renamed)]);
    assert_eq!(parsed(log, "int x;\n"), [error(0, 0, 1, own)]);
    // A path that only begins like NVIDIA's folder.
    let sneaky = log.replace("/etc/passwd", "/opt/cuda/include/../../../etc/passwd");
    assert_eq!(parsed(&sneaky, source), [error(2, 3, 24, own)]);
}

/// Inside NVIDIA's headers the sentence is kept, the folder is not, and the learner's line is
/// marked.
#[test]
fn nvidia_headers() {
    let log = "\
/opt/cuda/include/cooperative_groups.h(167): error: static assertion failed with \"a power of two\"
      static_assert(size <= 32, \"a power of two\");
      ^
          detected during instantiation of \"tiled_partition<Size>\" at line 3 of \"FILE\"
";
    let source = "#include <cooperative_groups.h>\n\n    auto t = tiled_partition<33>(g);\n";
    assert_eq!(
        parsed(log, source),
        [error(
            3,
            5,
            32,
            "in NVIDIA's header cooperative_groups.h: static assertion failed with \"a power of two\""
        )]
    );
}

/// Without a caret only the line is marked; without a position, nothing.
#[test]
fn missing_carets_and_places() {
    assert_eq!(parsed("FILE(2): error: strange\n", "a\nb\n"), [error(2, 0, 1, "strange")]);
    assert_eq!(parsed("nvrtc: error: strange\n", ""), [error(0, 0, 1, "strange")]);
    assert_eq!(parsed("FILE(99): error: beyond\n  x\n  ^\n", "a\n"), [error(99, 0, 1, "beyond")]);
    assert_eq!(parsed("", ""), []);
}

/// Twenty thousand errors stay readable.
#[test]
fn many_errors() {
    let mut log: String =
        (1..=100).map(|i| format!("FILE({i}): error: number {i}\n  x\n  ^\n\n")).collect();
    log.push_str("Error limit reached.\n100 errors detected in the compilation of \"FILE\".\n");
    let messages = parsed(&log, &"x\n".repeat(100));
    assert_eq!(messages.len(), MAX_MESSAGES + 1);
    let last = messages.last().map(|m| (m.severity, m.text.as_str()));
    let text = "at least 50 more messages are not shown; start with the first";
    assert_eq!(last, Some((Severity::Warning, text)));
    let long = parsed(&format!("FILE(1): error: {}\n", "x".repeat(10_000)), "");
    assert_eq!(long.first().map(|m| m.text.chars().count()), Some(MAX_MESSAGE_CHARS + 4));
}

/// A missing semicolon is marked where it belongs, across blank lines and comments. Where the
/// compiler points into a line, the position stays.
#[test]
fn missing_semicolons() {
    let log = |line: u32, echo: &str, caret: &str| {
        format!("FILE({line}): error: expected a \";\"\n  {echo}\n  {caret}\n")
    };
    let text = "expected a \";\"";
    let source =
        "    int i = a * b   // the sum\n\n    // next\n    if (i < n) {\n    j = 1 k = 2;\n";
    assert_eq!(parsed(&log(4, "    if (i < n) {", "    ^"), source), [error(1, 17, 1, text)]);
    assert_eq!(parsed(&log(5, "    j = 1 k = 2;", "          ^"), source), [error(5, 11, 1, text)]);
    // After a structure, the compiler points behind what may belong to a variable of its type.
    let structure = "struct S {\n    int a;\n}\n\n__device__ __forceinline__ int f();\n";
    let next = "    __attribute__((device)) __inline__ __attribute__((always_inline)) int f();";
    let caret = " ".repeat(next.find("int f").expect("there") - 4) + "  ^";
    let next = &next[4..];
    assert_eq!(parsed(&log(5, next, &caret[2..]), structure), [error(3, 1, 1, text)]);
    let function = "int f()\n\nstatic int g();\n";
    let caret = format!("{}^", " ".repeat(7));
    assert_eq!(parsed(&log(3, "static int g();", &caret), function), [error(3, 8, 3, text)]);
    // Block comments and strings can hide the end of the code, so the compiler's position stays.
    let unclear = "    int i = a + b   /* the\n sum */\n    if (i < n) {\n";
    assert_eq!(parsed(&log(3, "    if (i < n) {", "    ^"), unclear), [error(3, 5, 2, text)]);
}

#[test]
fn absolute_paths_become_names() {
    assert_eq!(without_folders("open \"/home/ada/x.h\" now"), "open \"x.h\" now");
    assert_eq!(without_folders("a / b /c exercises/a.cu //x"), "a / b /c exercises/a.cu x");
}

proptest! {
    /// No log and no source make the parser panic, and a mark always lies inside its line.
    #[test]
    fn any_text_is_parsed(log in "(FILE|/etc/passwd|At end of source|\u{e9}|[ \t]{0,3}|\n){0,3}(\\([0-9]{0,12}\\))?(: (catastrophic error|error|note|warning #[0-9]{0,3}-D): )?.{0,20}\n[ \t]{0,9}.{0,20}\n[ \t]{0,30}\\^\n.{0,40}", source in "(.{0,30}\n){0,5}") {
        let lines: Vec<&str> = source.lines().collect();
        for message in parsed(&log, &source) {
            prop_assert!(message.length >= 1);
            if message.column > 0 {
                let line = lines.get(message.line as usize - 1).expect("a marked line exists");
                let width = line.chars().count().max(1) as u32;
                prop_assert!(message.column + message.length - 1 <= width, "{message:?} in {line:?}");
            }
        }
    }

    #[test]
    fn any_bytes_are_parsed(log in any::<String>(), source in any::<String>()) {
        parsed(&log, &source);
        first_line(&log);
    }
}

/// The assembler reads a file of its own, which no `#include` names. If it cannot read a file that
/// `asm` names, the message says so, and neither names that file nor repeats its text.
#[test]
fn a_file_that_the_assembler_cannot_read() {
    let source = "// hello\n  asm(\".incbin \\\"/etc/shadow\\\"\");\nint x;\n";
    let text = UNREADABLE_BY_ASSEMBLER;
    for why in [
        "file not found: /etc/shadow",
        "can't open /etc/shadow for reading: Permission denied",
        "unable to include `/etc/shadow'",
    ] {
        let log = format!("/tmp/cc1.s: Assembler messages:\n/tmp/cc1.s:7: Error: {why}\n");
        let messages = parsed(&log, source);
        let [message] = messages.as_slice() else { panic!("{messages:?}") };
        assert_eq!((message.line, message.text.as_str()), (2, text), "{why}");
    }
    let log = "/tmp/cc1.s: Assembler messages:\n/tmp/cc1.s:7: Error: no such instruction: `foo'\n";
    let messages = parsed(log, "int x;\nasm(\"foo\");\n");
    let [message] = messages.as_slice() else { panic!("{messages:?}") };
    assert_eq!(message.line, 2);
    assert!(message.text.contains("assembler") && !message.text.contains("included"));
}
