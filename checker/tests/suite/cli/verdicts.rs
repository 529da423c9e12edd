//! Checking with the built binary. The checker itself installs the compiler if there is none.

use std::fs;

use crate::cli::common::Workbook;

/// The first run greets the learner, installs what is missing, checks the first exercise, and says
/// what to do next. Later runs show the progress.
#[test]
fn the_first_run_and_the_next() {
    let workbook = Workbook::new();
    let ran = workbook.run(&[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for text in [
        "CUDA workbook: ",
        "ch01",
        "add_one",
        "Read ",
        "checker book serve",
        "checker watch",
        "checker hint add_one",
    ] {
        assert!(ran.out.contains(text), "{text}: {ran:?}");
    }
    workbook.solve("add_one");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("Next: guard") && ran.out.contains("checker hint guard"), "{ran:?}");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("1 done") && ran.out.contains("checker hint guard"), "{ran:?}");
}

/// A pass is recorded and reveals the solution, and `list` marks a file that changed afterwards.
#[test]
fn a_pass_counts() {
    let workbook = Workbook::new();
    assert_eq!(workbook.run(&["check", "blocks", "--backend", "sim"]).code, 1, "the skeleton");
    workbook.solve("blocks");
    let ran = workbook.run(&["check", "blocks", "--backend", "sim"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut course = checker::exercises::all().iter().skip_while(|spec| spec.id != "blocks");
    let next = format!("Next: {}", course.nth(1).expect("`blocks` is not the last").id);
    assert!(ran.out.contains("1 of ") && ran.out.contains(&next), "no `{next}` in {ran:?}");
    assert_eq!(workbook.run(&["solution", "blocks"]).code, 0);
    let file = workbook.exercise("blocks");
    let text = fs::read_to_string(&file).expect("there");
    fs::write(&file, text + "// more\n").expect("writable");
    assert!(workbook.run(&["list"]).out.contains("changed since it passed"));
}

/// Passing one case does not pass the exercise.
#[test]
fn a_single_case_is_no_pass() {
    let workbook = Workbook::new();
    workbook.solve("blocks");
    let ran = workbook.run(&["check", "blocks", "--backend", "sim", "--case", "five blocks"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(workbook.run(&["list"]).out.contains("0 of "));
    let ran = workbook.run(&["check", "blocks", "--case", "six blocks"]);
    assert!(ran.code == 2 && ran.err.contains("`five blocks`"), "{ran:?}");
}

/// A bad file leads to a verdict on its exercise, and the next exercise is still checked.
#[test]
fn bad_files_get_their_verdicts_and_stop_nothing() {
    let workbook = Workbook::new();
    fs::remove_file(workbook.exercise("double_it")).expect("there");
    fs::write(workbook.exercise("guard"), "").expect("writable");
    fs::write(workbook.exercise("blocks"), b"\x7fELF\0\0").expect("writable");
    fs::write(workbook.exercise("grid_stride"), "x".repeat(3 << 20)).expect("writable");
    workbook.solve("matrix_add_2d");
    let ran = workbook.run(&["check", "1", "--backend", "sim"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let count = checker::exercises::chapters()[0].exercises.len();
    let summary = format!("1 of {count} passed, {} not yet", count - 1);
    assert!(ran.out.contains(&summary), "{ran:?}");

    fs::write(workbook.exercise("guard"), "int main() { return 0 }").expect("writable");
    let ran = workbook.run(&["check", "guard", "--backend", "sim"]);
    assert!(ran.code == 1 && ran.out.contains("compile-error"), "{ran:?}");
    fs::write(workbook.exercise("guard"), "extern \"C\" __global__ void gard() {}")
        .expect("writable");
    let ran = workbook.run(&["check", "guard", "--backend", "sim"]);
    assert!(ran.code == 1 && ran.out.contains("wrong-signature"), "{ran:?}");
}

/// An endless kernel is stopped by the simulator's budget, or by the clock.
#[test]
fn an_endless_kernel_is_a_verdict() {
    let workbook = Workbook::new();
    let endless = "extern \"C\" __global__ void guard(const float* a, float* out, int n) {
        for (volatile int i = 0; i < 1; ) { out[0] = 1.0f; }
    }";
    fs::write(workbook.exercise("guard"), endless).expect("writable");
    let ran = workbook.run(&["check", "guard", "--backend", "sim"]);
    assert!(ran.code == 1 && ran.out.contains("never-finishes"), "{ran:?}");
}

/// With `--format json`, stdout is one JSON document with a version and a report for each exercise,
/// and nothing else.
#[test]
fn json() {
    let workbook = Workbook::new();
    workbook.solve("guard");
    let ran = workbook.run(&["check", "1", "--backend", "sim", "--format", "json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let json: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON and nothing else");
    assert_eq!(json["version"], 1);
    let reports = json["reports"].as_array().expect("reports");
    assert_eq!(reports.len(), checker::exercises::chapters()[0].exercises.len());
    for report in reports {
        let passed = report["exercise"] == "guard";
        assert_eq!(report["passed"], passed, "{report}");
        assert_eq!(report["slug"] == "passed", passed, "{report}");
        assert!(report["title"].is_string() && report["millis"].is_u64(), "{report}");
    }
}

/// In a workbook on a read-only medium, `check` works and warns that the pass was not saved.
#[cfg(unix)]
#[test]
fn a_workbook_that_cannot_be_written_is_still_checked() {
    let workbook = Workbook::new();
    workbook.solve("guard");
    // Permissions would not stop root, but a file in place of the folder does.
    fs::remove_dir_all(workbook.root().join(".workbook")).expect("removable");
    fs::write(workbook.root().join(".workbook"), "").expect("writable");
    let ran = workbook.run(&["check", "guard", "--backend", "sim"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("progress was not saved"), "{ran:?}");
}

/// A kernel that exceeds a limit, or prints without end, gets a verdict and is not reported as a
/// bug of the checker.
#[test]
fn too_much_is_a_verdict() {
    let workbook = Workbook::new();
    let head =
        "extern \"C\" __global__ void blocks(const float* a, const float* b, float* out, int n)";
    for (source, slug) in [
        (format!("__device__ char big[4294967296ULL];\n{head} {{ big[n] = 1; }}"), "launch-failed"),
        (format!("{head} {{ volatile char big[1048576]; big[n] = 1; }}"), "launch-failed"),
        (format!("{head} {{ while (true) printf(\"%d\\n\", n); }}"), "never-finishes"),
        (
            format!("{head} {{ for (int i = 0; i < 1000000; i++) printf(\"%d\\n\", i); }}"),
            "never-finishes",
        ),
    ] {
        fs::write(workbook.exercise("blocks"), &source).expect("writable");
        let ran = workbook.run(&["check", "blocks", "--backend", "sim"]);
        assert!(ran.code == 1 && ran.out.contains(slug), "{source}: {ran:?}");
        for wrong in ["bug in the checker", "driver's words", "--backend sim", "RUST_BACKTRACE"] {
            assert!(!ran.out.contains(wrong) && !ran.err.contains(wrong), "{source}: {ran:?}");
        }
    }
}

/// The compiler copies inline assembly into the PTX unread. An error in it is the learner's, at the
/// line of the `asm`.
#[test]
fn inline_assembly_that_is_no_ptx_is_a_compile_error() {
    let workbook = Workbook::new();
    for asm in [
        r#"asm("hello");"#,
        r#"asm("hello;");"#,
        r#"asm("ret");"#,
        r#"asm("add.s32 %0, %0, 1" : "+r"(n));"#,
        r#"asm("add.s32 %0, %0" : "+r"(n));"#,
        r#"asm("bar.sync 0");"#,
        r#"asm(".reg .b32 t");"#,
        r#"asm("mov.u32 %0, {1;" : "=r"(n));"#,
        r#"asm("{");"#,
        r#"asm("}");"#,
        r#"asm("/*");"#,
    ] {
        let source = format!(
            "extern \"C\" __global__ void guard(const float* a, float* out, int n) {{\n    if (threadIdx.x < n) {{\n\
             {asm}\n        out[threadIdx.x] = a[threadIdx.x] + n;\n    }}\n}}\n"
        );
        fs::write(workbook.exercise("guard"), &source).expect("writable");
        let ran = workbook.run(&["check", "guard", "--backend", "sim"]);
        let expected = ["compile-error", "inline assembly: ", "guard.cu:3"];
        assert!(ran.code == 1 && expected.iter().all(|t| ran.out.contains(t)), "{asm}: {ran:?}");
    }
}

/// Blocks of 8 threads read and write 32 bytes at a time, which is one sector, as `profile` counts.
#[test]
fn a_pass_counts_sectors_like_a_profile() {
    let workbook = Workbook::new();
    workbook.solve_in("ch02_memory", "roundtrip");
    let file = workbook.root().join("exercises/ch02_memory/roundtrip.cu");
    let text = fs::read_to_string(&file).expect("there");
    let small = text.replace("<<<grid, block>>>", "<<<(n + 7) / 8, 8>>>");
    assert_ne!(text, small);
    fs::write(&file, small).expect("writable");
    let ran = workbook.run(&["check", "roundtrip", "--backend", "sim"]);
    assert!(ran.code == 0 && ran.out.contains("1.0 sectors/request"), "{ran:?}");
    let ran = workbook.run(&["profile", "roundtrip", "--backend", "sim"]);
    assert!(!ran.out.contains("4.0"), "{ran:?}");
}

/// Right answers do not show that every thread has a value.
#[test]
fn a_pass_names_a_variable_that_some_threads_use_without_a_value() {
    let workbook = Workbook::new();
    workbook.solve_in("ch10_science", "euler_collatz");
    let file = workbook.root().join("exercises/ch10_science/euler_collatz.cu");
    let text = fs::read_to_string(&file).expect("there");
    let unset = text.replace("unsigned int key = 0;", "unsigned int key;");
    assert_ne!(text, unset);
    fs::write(&file, unset).expect("writable");
    let ran = workbook.run(&["check", "euler_collatz", "--backend", "sim"]);
    assert!(ran.out.contains("`key` (line "), "{ran:?}");
}

/// Editors read `--format short` line by line, with the pattern of `.vscode/tasks.json`.
#[test]
fn lines_for_editors_have_places() {
    let workbook = Workbook::new();
    let tasks = fs::read_to_string(workbook.root().join(".vscode/tasks.json")).expect("tasks");
    let tasks: serde_json::Value = serde_json::from_str(&tasks).expect("JSON");
    let commands: Vec<&str> = (tasks["tasks"].as_array().expect("tasks").iter())
        .filter_map(|task| task["command"].as_str())
        .collect();
    assert_eq!(
        commands,
        ["checker watch --format short", "checker check ${fileBasenameNoExtension} --format short"]
    );
    for task in tasks["tasks"].as_array().expect("tasks") {
        assert_eq!(task["windows"]["command"], task["command"], "a workbook has no cargo");
    }
    let pattern = &tasks["tasks"][1]["problemMatcher"]["pattern"]["regexp"];
    let pattern = regex::Regex::new(pattern.as_str().expect("a pattern")).expect("a pattern");

    let ran = workbook.run(&["check", "guard", "--backend", "sim", "--format", "short"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let place = "exercises/ch01_threads/guard.cu";
    for (n, line) in ran.out.lines().enumerate() {
        let found = pattern.captures(line).unwrap_or_else(|| panic!("no place: {line}"));
        assert_eq!(
            (&found[1], &found[4]),
            (place, if n == 0 { "error" } else { "note" }),
            "{line}"
        );
    }
    assert!(ran.out.contains("[out-of-bounds-write]\n"), "{ran:?}");
    assert!(ran.out.contains("note: think: "), "{ran:?}");

    workbook.solve("guard");
    let ran = workbook.run(&["check", "guard", "--backend", "sim", "--format", "short"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "guard: passed\n"), "{ran:?}");
}

/// Notebooks get one HTML fragment on standard output, whatever the verdict is.
#[test]
fn notebooks_get_articles() {
    let workbook = Workbook::new();
    let ran = workbook.run(&["check", "guard", "--backend", "sim", "--format", "html"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.out.starts_with("<style>") && ran.out.trim_end().ends_with("</article>"),
        "{ran:?}"
    );
    assert!(ran.out.contains("data-slug=\"out-of-bounds-write\""), "{ran:?}");
    let ran = workbook.run(&["profile", "guard", "--format", "html"]);
    assert!(ran.out.contains("<article class=\"wb-report wb-profile\""), "{ran:?}");
    assert!(!ran.out.contains('\u{1b}'), "{ran:?}");
    let ran = workbook.run(&["trace", "guard", "--thread", "3", "--format", "html"]);
    assert!(ran.out.contains("<article class=\"wb-report wb-trace\""), "{ran:?}");
    let ran = workbook.run(&["trace", "guard", "--json", "--format", "html"]);
    assert_eq!(ran.code, 2, "{ran:?}");

    workbook.solve("guard");
    let ran = workbook.run(&["check", "guard", "--backend", "sim", "--format", "html"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains(" done. Next: "), "{ran:?}");
    let ran = workbook.run(&["check", "1", "--backend", "sim", "--format", "html"]);
    assert_eq!(ran.out.matches("<article").count(), 7, "{ran:?}");
}

/// Error codes have to be those that the runtime returned. Codes that a program computes from its
/// arguments pass in no case, because a solved case is called again on a machine with a fault that
/// the arguments don't show.
#[test]
fn predicted_error_codes_pass_in_no_case() {
    let workbook = Workbook::new();
    let attack = concat!(env!("CARGO_MANIFEST_DIR"), "/proof/attacks/by_heart_codes.cu");
    let file = workbook.root().join("exercises/ch02_memory/error_checking.cu");
    fs::copy(attack, file).expect("writable");
    let spec = checker::exercises::find("error_checking").expect("an exercise");
    for case in spec.cases.iter().filter(|case| case.fault.is_none()) {
        let args = ["check", "error_checking", "--case", case.name, "--backend", "sim"];
        let ran = workbook.run(&args);
        assert_eq!(ran.code, 1, "{}: {ran:?}", case.name);
        assert!(ran.out.contains("error[computed-on-host]"), "{}: {ran:?}", case.name);
    }
}
