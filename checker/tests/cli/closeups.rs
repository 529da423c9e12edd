//! `checker profile` with the built binary and the real compiler.

use std::fs;

use crate::common::Workbook;

/// What a command printed, less the times.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.split_once(" · ") {
        Some((device, time)) if time.ends_with(" ms") => format!("{device} · N ms\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Every exercise of chapter 1, as it is given and as it is solved: the counts are the ones that the gates see.
#[test]
fn profiles_of_chapter_1() {
    let workbook = Workbook::new();
    let mut screens = String::new();
    for name in ["double_it", "guard", "blocks", "grid_stride", "matrix_add_2d"] {
        for solved in [false, true] {
            if solved {
                workbook.solve(name);
            }
            let ran = workbook.run(&["profile", name]);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
            screens += &timeless(&ran.out);
            screens += "\n----\n\n";
        }
    }
    insta::assert_snapshot!(screens);
}

/// The same counts as JSON, another case, and `check --profile` after a verdict.
#[test]
fn profiles_for_programs_and_after_a_check() {
    let workbook = Workbook::new();
    let ran = workbook.run(&["profile", "grid_stride", "--json"]);
    assert_eq!((ran.code, ran.err.as_str(), ran.out.lines().count()), (0, "", 1), "{ran:?}");
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(document["version"], 1);
    let lines = document["profile"]["lines"].as_array().expect("lines");
    let worst = lines.iter().find(|line| line["sectors_per_request"] == 32.0).expect("strided");
    assert!(worst["text"].as_str().expect("text").contains("sqrtf"));
    assert_eq!(worst["counters"]["load_requests"], 1024);
    assert_eq!(document["profile"]["gates"][0]["holds"], false);

    let ran = workbook.run(&["profile", "grid_stride", "--case", "one warp, 33 elements"]);
    assert!(ran.out.contains("case `one warp, 33 elements`"), "{ran:?}");
    let ran = workbook.run(&["check", "grid_stride", "--backend", "sim", "--profile"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.find("error[gate-missed]") < ran.out.find("profile of grid_stride"), "{ran:?}");
}

/// A kernel that does not compile, never ends, or does not exist: a report or a usage error, and JSON stays JSON.
#[test]
fn what_cannot_be_profiled() {
    let workbook = Workbook::new();
    let file = workbook.exercise("guard");
    fs::write(&file, "extern \"C\" __global__ void guard(\n").expect("writable");
    let ran = workbook.run(&["profile", "guard"]);
    assert!(ran.code == 1 && ran.out.contains("error[compile-error]"), "{ran:?}");
    let ran = workbook.run(&["profile", "guard", "--json"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "{\"version\":1,\"profile\":null}\n"));
    assert!(ran.err.contains("compile-error"), "{ran:?}");

    let endless = "extern \"C\" __global__ void guard(const float* a, float* out, int n) {\n    \
                   for (int i = 0; i < n;) {\n        out[i] = a[i];\n    }\n}\n";
    fs::write(&file, endless).expect("writable");
    let ran = workbook.run(&["profile", "guard"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("did not finish") && ran.out.contains("not right yet"), "{ran:?}");

    for (args, says) in [
        (&["profile", "gard"][..], "did you mean `guard`"),
        (&["profile", "guard", "--case", "zzz"], "`1000 elements`"),
        (&["check", "1", "--profile"], "one exercise"),
        (&["check", "guard", "--profile", "--format", "json"], "profile NAME --json"),
        (&["check", "--all", "--profile"], "--all"),
        (&["profile"], "NAME"),
    ] {
        let ran = workbook.run(args);
        assert!(ran.code == 2 && ran.err.contains(says), "{args:?}: {ran:?}");
    }
}
