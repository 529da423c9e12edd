//! Lists of mutants: those of the course, and broken ones.

use std::fs;
use std::path::Path;

use mutants::{NotFound, Origin};

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Needs no compiler, so an edit that a change of a solution breaks shows at once.
#[test]
fn every_mutant_of_the_course_can_be_made() {
    let mutants = mutants::all(repository());
    let broken: Vec<String> =
        mutants.iter().filter_map(|mutant| Some(mutant.as_ref().err()?.to_string())).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    assert!(mutants.len() >= 648, "{}", mutants.len());
    for mutant in mutants.into_iter().flatten() {
        let path = mutant.path();
        assert!(mutant.mistake.len() > 5, "{path} does not say what its mistake is");
        assert!(!mutant.source.contains("// expect:"), "{path} contains its own answer");
        let space_at_end = mutant.source.lines().find(|line| line.ends_with(' '));
        assert_eq!(space_at_end, None, "{path} has space at the end of a line");
    }
}

const SOLUTION: &str = "int a;\nint b;\n";

/// A repository with one exercise, `ch01/one`, and these mutants.
fn course(list: &str, files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |path: String, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("solutions/ch01/one.cu".into(), SOLUTION);
    write("checker/proof/originals/ch01/one.cu".into(), "int todo;\n");
    write("checker/proof/mutants/ch01/one.toml".into(), list);
    for (name, text) in files {
        write(format!("checker/proof/mutants/ch01/one/{name}.cu"), text);
    }
    root
}

/// What is said about the only mutant of a list.
fn problem(list: &str) -> String {
    let course = course(list, &[]);
    let mut mutants = mutants::of_exercise(course.path(), "ch01", "one");
    assert_eq!(mutants.len(), 1);
    mutants.remove(0).unwrap_err().to_string()
}

#[test]
fn edits_and_files_are_read_in_order_of_name() {
    let list = "\
[wrong-values.z]
mistake = \"The last one.\"
find = 'a'
replace = 'c'

[shared-race.a]
mistake = \"The first one.\"
base = \"skeleton\"
edits = [
    { find = 'int', replace = 'long' },
    { find = 'todo', replace = 'done' },
]
";
    let file = "// expect: memory-leak\n// A file\n// of its own.\n\nint m;\n// kept\n";
    let course = course(list, &[("m", file)]);
    let mutants = mutants::of_exercise(course.path(), "ch01", "one");
    let mutants: Vec<_> = mutants.into_iter().map(Result::unwrap).collect();
    let read: Vec<_> = mutants
        .iter()
        .map(|m| (m.path(), m.expected.as_str(), m.mistake.as_str(), m.source.as_str()))
        .collect();
    let expected = [
        ("one/a".to_owned(), "shared-race", "The first one.", "long done;\n"),
        ("one/m".to_owned(), "memory-leak", "A file of its own.", "int m;\n// kept\n"),
        ("one/z".to_owned(), "wrong-values", "The last one.", "int c;\nint b;\n"),
    ];
    assert_eq!(read, expected);
    assert_eq!(mutants[2].origin.to_string(), "the solution with\n- a\n+ c");
    assert!(matches!(mutants[1].origin, Origin::File(_)));
}

#[test]
fn a_broken_mutant_is_named_with_its_file_and_text() {
    let missing = problem("[x.y]\nmistake = \"M.\"\nfind = 'absent'\nreplace = ''\n");
    for part in ["checker/proof/mutants/ch01/one.toml", "mutant y", "does not occur", "absent"] {
        assert!(missing.contains(part), "{missing}");
    }
    assert!(
        problem("[x.y]\nmistake = \"M.\"\nfind = 'int'\nreplace = ''\n").contains("more than once")
    );
    assert!(problem("[x.y]\nmistake = \"M.\"\nfind = 'a'\n").contains("`find` and `replace`"));
    assert!(problem("[x.y]\nmistake = \"M.\"\n").contains("no edit"));
    assert!(problem("[x.y]\nmistake = \"M.\"\nfidn = 'a'\nreplace = 'b'\n").contains("fidn"));
    assert!(problem("[y]\nmistake = \"M.\"\nfind = 'a'\nreplace = 'b'\n").contains("one.toml"));
}

#[test]
fn a_broken_mutant_hides_no_other() {
    let list = "\
[x.bad]
mistake = \"M.\"
find = 'absent'
replace = ''

[x.good]
mistake = \"M.\"
find = 'a'
replace = 'c'

[y.good]
mistake = \"The same name.\"
find = 'a'
replace = 'd'
";
    let course = course(list, &[("no_header", "int x;\n"), ("bad", "// expect: x\n// M.\nint;\n")]);
    let mutants = mutants::of_exercise(course.path(), "ch01", "one");
    let good: Vec<_> = mutants.iter().flatten().map(|mutant| mutant.name.as_str()).collect();
    assert_eq!(good, ["good"]);
    let problems: Vec<_> = mutants.iter().filter_map(|mutant| mutant.as_ref().err()).collect();
    assert_eq!(problems.len(), 4, "{problems:?}");
    let same_name = problems.iter().filter(|error| error.problem.contains("same name"));
    assert_eq!(same_name.count(), 2, "{problems:?}");
}

#[test]
fn a_name_leads_to_one_mutant() {
    let mutant = mutants::find(repository(), "guard/less_or_equal").unwrap();
    assert!(mutant.source.contains("if (idx <= n) {"), "{}", mutant.source);
    assert!(matches!(mutants::find(repository(), "guard/none"), Err(NotFound::Unknown(_))));
    let ambiguous = mutants::find(repository(), "no_guard").unwrap_err().to_string();
    assert!(ambiguous.contains("rng_pi/no_guard"), "{ambiguous}");
    let unique = mutants::find(repository(), "folds_inside_the_guard").unwrap();
    assert_eq!(unique.path(), "warp_shuffle/folds_inside_the_guard");
}
