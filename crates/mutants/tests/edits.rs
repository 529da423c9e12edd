//! The edit mechanism on texts of all kinds.

use mutants::{Edit, Problem, apply};
use proptest::prelude::*;

fn edit(find: &str, replace: &str) -> Edit {
    Edit { find: find.into(), replace: replace.into() }
}

const KERNEL: &str = "\
void k(int n) {
    int i = 0;  // 0 .. n-1
    if (i < n) {
        wait();  // for all
        a[i] = b[i];
    }
}
";

#[test]
fn a_piece_of_a_line_is_replaced() {
    let text = apply(KERNEL, &[edit("i < n", "i <= n")]).unwrap();
    assert_eq!(text, KERNEL.replace("i < n", "i <= n"));
}

#[test]
fn a_line_that_is_deleted_leaves_no_blank_line_and_no_comment() {
    let text = apply(KERNEL, &[edit("wait();", "")]).unwrap();
    assert_eq!(text, KERNEL.replace("        wait();  // for all\n", ""));
}

#[test]
fn a_deletion_keeps_what_else_is_on_the_line() {
    let text = apply(KERNEL, &[edit(" = b[i]", "")]).unwrap();
    assert_eq!(text, KERNEL.replace(" = b[i]", ""));
    let text = apply(KERNEL, &[edit("void k(int n)", "")]).unwrap();
    assert_eq!(text, KERNEL.replace("void k(int n)", ""));
}

#[test]
fn several_lines_are_deleted() {
    let find = "    if (i < n) {\n        wait();  // for all\n        a[i] = b[i];\n    }";
    let text = apply(KERNEL, &[edit(find, "")]).unwrap();
    assert_eq!(text, "void k(int n) {\n    int i = 0;  // 0 .. n-1\n}\n");
}

#[test]
fn the_last_line_may_be_deleted_without_a_line_break() {
    assert_eq!(apply("one;\ntwo;", &[edit("two;", "")]).unwrap(), "one;\n");
    assert_eq!(apply("one;", &[edit("one;", "")]).unwrap(), "");
}

#[test]
fn every_problem_names_its_text() {
    let missing = apply(KERNEL, &[edit("j", "i")]).unwrap_err();
    assert_eq!(missing, Problem::Missing { find: "j".into() });
    let twice = apply(KERNEL, &[edit("[i]", "[0]")]).unwrap_err();
    assert_eq!(twice, Problem::Ambiguous { find: "[i]".into() });
    // both occurrences share a character
    assert!(matches!(apply("aaa", &[edit("aa", "b")]), Err(Problem::Ambiguous { .. })));
    let overlap = apply(KERNEL, &[edit("a[i] = b", "x"), edit("] = b[i]", "y")]).unwrap_err();
    assert_eq!(overlap, Problem::Overlap { first: "a[i] = b".into(), second: "] = b[i]".into() });
    assert_eq!(apply(KERNEL, &[edit(" ", "x")]).unwrap_err(), Problem::NothingToFind);
    assert_eq!(
        apply(KERNEL, &[edit("i < n", "i < n")]).unwrap_err(),
        Problem::NoChange("i < n".into())
    );
    assert_eq!(apply(KERNEL, &[]).unwrap_err(), Problem::NoEdit);
    for problem in [missing, twice] {
        assert!(problem.to_string().lines().count() == 2, "{problem}");
    }
}

#[test]
fn neighbours_do_not_overlap() {
    let text =
        apply(KERNEL, &[edit("i < ", "i + 1 < "), edit("n) {\n        w", "m) {\n        w")]);
    assert_eq!(text.unwrap(), KERNEL.replace("i < n", "i + 1 < m"));
}

/// A text of words that are all different, and for each word whether and how it is replaced.
fn words() -> impl Strategy<Value = Vec<(String, Option<String>)>> {
    let word = proptest::option::of("[a-z +(;\n]{1,8}");
    proptest::collection::vec(word, 1..12).prop_map(|replaced| {
        let numbered = replaced.into_iter().enumerate();
        numbered.map(|(i, replaced)| (format!("<{i}>"), replaced)).collect()
    })
}

proptest! {
    /// Every edit finds its own place, whatever the others write, and in whatever order they stand.
    #[test]
    fn edits_are_independent(words in words(), gap in "[ \n]{0,3}", reverse: bool) {
        let base: String = words.iter().map(|(word, _)| format!("{word}{gap}")).collect();
        let expected: String = words
            .iter()
            .map(|(word, replaced)| format!("{}{gap}", replaced.as_ref().unwrap_or(word)))
            .collect();
        let mut edits: Vec<Edit> = words
            .iter()
            .filter_map(|(word, replaced)| Some(edit(word, replaced.as_ref()?)))
            .collect();
        if reverse {
            edits.reverse();
        }
        match apply(&base, &edits) {
            Ok(text) => prop_assert_eq!(text, expected),
            Err(problem) => prop_assert_eq!((problem, edits.len()), (Problem::NoEdit, 0)),
        }
    }

    /// A text is either missing, or there once, or there several times, and only once is accepted.
    #[test]
    fn exactly_once_is_accepted(base in "[ab]{0,12}", find in "[ab]{1,4}") {
        let windows = base.as_bytes().windows(find.len());
        let count = windows.filter(|window| *window == find.as_bytes()).count();
        let result = apply(&base, &[edit(&find, "x")]);
        match count {
            0 => prop_assert_eq!(result, Err(Problem::Missing { find })),
            1 => prop_assert_eq!(result, Ok(base.replacen(&find, "x", 1))),
            _ => prop_assert_eq!(result, Err(Problem::Ambiguous { find })),
        }
    }

    /// Two edits are refused exactly when the pieces that they replace share a character.
    #[test]
    fn shared_characters_are_an_overlap(a in 0_usize..20, b in 0_usize..20, n in 1_usize..6, m in 1_usize..6) {
        let base = "0123456789abcdefghijklmnopqrst";
        let edits = [edit(&base[a..a + n], "X"), edit(&base[b..b + m], "Y")];
        let shared = a < b + m && b < a + n;
        let overlap = matches!(apply(base, &edits), Err(Problem::Overlap { .. }));
        prop_assert_eq!(overlap, shared);
    }

    /// No text makes it panic, and a deletion never takes code of another line.
    #[test]
    fn a_deletion_takes_its_own_lines_only(base in "([a-z/ é]{0,6}\n){0,4}[a-z/ ]{0,6}", start in 0_usize..20, length in 1_usize..6) {
        let find: String = base.chars().skip(start).take(length).collect();
        if let Ok(text) = apply(&base, &[edit(&find, "")]) {
            let at = base.find(&find).unwrap_or_default();
            let line = base[..at].rfind('\n').map_or(0, |newline| newline + 1);
            prop_assert!(text.starts_with(&base[..line]), "{:?} {:?} {:?}", base, find, text);
            let end = at + find.len();
            let next = match base[end..].find('\n') {
                _ if find.ends_with('\n') => end,
                Some(newline) => end + newline + 1,
                None => base.len(),
            };
            prop_assert!(text.ends_with(&base[next..]), "{:?} {:?} {:?}", base, find, text);
        }
    }
}
