//! Planted pairs are found, other pairs are not, and no submission can do anything to its reader.

mod class;
mod disguise;
mod output;

use class::{Random, Versions, course, unrelated, versions};
use grading::similar::{Options, Similar, Submission, compare, compare_with};
use rustix::process::{Resource, Rlimit};

fn with_hands(versions: &[Versions]) -> Vec<&Versions> {
    let found: Vec<&Versions> = versions.iter().filter(|one| !one.hands.is_empty()).collect();
    assert_eq!(found.len(), 3);
    found
}

/// The versions in different hands, and the published one.
fn hands(one: &Versions) -> Vec<&String> {
    assert!(one.hands.len() >= 6);
    one.hands.iter().chain([&one.solution]).collect()
}

fn student(name: &str, exercise: &str, text: &str) -> Submission {
    (name.to_owned(), vec![(exercise.to_owned(), text.to_owned())])
}

fn listed(similar: &Similar) -> Vec<(&str, &str)> {
    similar.pairs.iter().map(|pair| (pair.a.as_str(), pair.b.as_str())).collect()
}

/// Seven solutions of one exercise, written apart, in different styles: no two are listed, neither
/// when nothing is known of a class (two students), nor in a class of seven.
#[test]
fn solutions_in_different_hands_are_not_listed() {
    let versions = versions();
    let course = course(&versions);
    let mut highest = 0.0_f64;
    let mut pairs = 0;
    for one in with_hands(&versions) {
        let hands = hands(one);
        let all: Vec<Submission> = hands
            .iter()
            .enumerate()
            .map(|(i, text)| student(&format!("s{i}"), &one.exercise.id, text))
            .collect();
        assert!(compare(&course, &all, &Options::default()).pairs.is_empty());
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                let options = Options { threshold: 0.0, ..Options::default() };
                let similar = compare(&course, &[a.clone(), b.clone()], &options);
                let score = similar.pairs.first().map_or(0.0, |pair| pair.score);
                highest = highest.max(score);
                pairs += 1;
                assert!(
                    score < Options::default().threshold,
                    "{}: {} {}",
                    one.exercise.id,
                    a.0,
                    b.0
                );
            }
        }
    }
    println!("solutions in different hands: {pairs} pairs, the highest score {highest:.2}");
    assert_eq!(pairs, 63);
}

/// What is before a copy in its file doesn't hide it, or the file is named.
#[test]
fn what_comes_first_hides_no_copy() {
    let versions = versions();
    let course = course(&versions);
    let one = with_hands(&versions)
        .into_iter()
        .max_by_key(|one| one.exercise.skeleton.len())
        .expect("one");
    let texts = hands(one);
    let class: Vec<Submission> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| student(&format!("s{i}"), &one.exercise.id, text))
        .collect();
    let with = |before: &str| {
        let copy = format!("{before}\n{}", texts[0]);
        let class = [class.clone(), vec![student("thief", &one.exercise.id, &copy)]].concat();
        compare(&course, &class, &Options::default())
    };
    let listed = |before: &str| with(before).pair("s0", "thief").is_some();
    assert!(listed(&" ".repeat(50_000)) && listed(&format!("/*{}*/", "x".repeat(50_000))));
    for before in [" ".repeat(200_000), "int unused() { return 3; }\n".repeat(2_000)] {
        assert_eq!(with(&before).cut, [format!("thief: {}", one.exercise.id)]);
    }
}

/// One copied exercise among independent solutions is found under every disguise when there is
/// enough of it, and nothing else is listed with it.
#[test]
fn one_copied_exercise_is_found() {
    let versions = versions();
    let course = course(&versions);
    let (mut planted, mut missed, mut small, mut wrong, mut pairs) = (0, 0, 0, 0, 0);
    for one in with_hands(&versions) {
        let texts = hands(one);
        for (source, text) in texts.iter().enumerate() {
            for (name, disguise) in disguise::ALL {
                let mut class: Vec<Submission> = texts
                    .iter()
                    .enumerate()
                    .map(|(i, text)| student(&format!("s{i}"), &one.exercise.id, text))
                    .collect();
                let copy = disguise(text, &mut Random(source as u64));
                class.push(student("thief", &one.exercise.id, &copy));
                let all =
                    compare(&course, &class, &Options { threshold: 0.0, ..Options::default() });
                let own = all.pair(&format!("s{source}"), "thief").map_or(0.0, |pair| pair.own);
                let similar = compare(&course, &class, &Options::default());
                let is_found = similar.pair(&format!("s{source}"), "thief").is_some();
                wrong += similar.pairs.len() - usize::from(is_found);
                pairs += similar.compared - 1;
                // A match that is hardly longer than the right answer is no evidence, and is not
                // listed.
                if own < 60.0 {
                    small += 1;
                    continue;
                }
                planted += 1;
                missed += usize::from(!is_found);
                // A statement after each leaves no run of tokens where statements are short.
                let chopped = name == "a dead statement after each";
                assert!(is_found || chopped, "{} {source} {name}: own {own}", one.exercise.id);
            }
        }
    }
    println!(
        "one copied exercise: {} of {planted} found, {small} too small, {wrong} of {pairs} others listed",
        planted - missed
    );
    assert!(planted >= 100 && missed <= 4, "{planted} {missed}");
    assert_eq!(wrong, 0);
}

/// In classes in which all students submit different wrong versions of the same solutions (what all
/// of them share is common, and only the mistakes are left), a copied submission is found under
/// every disguise, if it has enough that is its own. Only a statement after each may hide 20
/// exercises: it leaves no run of tokens where statements are short.
#[test]
fn a_copied_submission_is_found_among_mutants() {
    let versions = versions();
    let course = course(&versions);
    let (mut pairs, mut wrong, mut planted, mut small) = (0, 0, 0, 0);
    for (round, (name, disguise)) in disguise::ALL.into_iter().enumerate() {
        for many in [45, 20] {
            let mut random = Random(round as u64);
            let mut class = unrelated(&versions, 13, &mut random);
            random.shuffle(&mut class[0].1);
            let copied: Vec<(String, String)> = class[0]
                .1
                .iter()
                .take(many)
                .map(|(exercise, text)| (exercise.clone(), disguise(text, &mut random)))
                .collect();
            class[1].1.retain(|(exercise, _)| copied.iter().all(|(other, _)| other != exercise));
            class[1].1.extend(copied);
            let similar = compare(&course, &class, &Options::default());
            let is_found = similar.pair("student000", "student001").is_some();
            let all = compare(&course, &class, &Options { threshold: 0.0, ..Options::default() });
            let own = all.pair("student000", "student001").map_or(0.0, |pair| pair.own);
            let may_hide = name == "a dead statement after each" && many == 20;
            assert!(is_found || may_hide || own < 60.0, "{name}, {many} exercises: own {own}");
            small += usize::from(own < 60.0);
            planted += 1;
            wrong += similar.pairs.len() - usize::from(is_found);
            pairs += similar.compared - 1;
        }
    }
    println!(
        "copied submissions among mutants: {planted}, {small} too small, {wrong} of {pairs} others listed"
    );
    assert!(planted == 2 * disguise::ALL.len() && 4 * small <= planted, "{planted} {small}");
    assert_eq!(wrong, 0);
}

/// All right answers to a short exercise are the same, so they are no evidence: for two students,
/// for a few, for a class.
#[test]
fn right_answers_of_short_exercises_are_not_listed() {
    let versions = versions();
    let course = course(&versions);
    let short: Vec<(String, String)> = versions
        .iter()
        .filter(|one| one.exercise.chapter == "ch01_threads")
        .map(|one| (one.exercise.id.clone(), one.solution.clone()))
        .collect();
    assert_eq!(short.len(), 7);
    for students in [2, 3, 5, 30] {
        let class: Vec<Submission> =
            (0..students).map(|i| (format!("s{i}"), short.clone())).collect();
        let similar = compare(&course, &class, &Options::default());
        assert!(similar.pairs.is_empty(), "{students}: {:?}", listed(&similar));
        assert_eq!(similar.scores.iter().sum::<usize>(), similar.compared);
    }
}

/// Files as handed out share everything and count nothing, also when they are renamed.
#[test]
fn skeletons_count_nothing() {
    let versions = versions();
    let course = course(&versions);
    let files = |change: fn(&str) -> String| -> Vec<(String, String)> {
        let file = |one: &Versions| (one.exercise.id.clone(), change(&one.exercise.skeleton));
        versions.iter().map(file).collect()
    };
    let class = [("a".to_owned(), files(str::to_owned)), ("b".to_owned(), files(disguise::rename))];
    let options = Options { threshold: 0.0, ..Options::default() };
    let similar = compare(&course, &class, &options);
    assert!(similar.pairs.is_empty(), "{:?}", similar.pairs);
}

/// Published code counts as the students' own unless it is given as known.
#[test]
fn known_files_are_left_out() {
    let versions = versions();
    let course = course(&versions);
    let one = versions.iter().find(|one| one.exercise.id == "fft_shared").unwrap();
    let id = one.exercise.id.clone();
    let class =
        [student("a", &id, &one.solution), student("b", &id, &disguise::rename(&one.solution))];
    assert_eq!(listed(&compare(&course, &class, &Options::default())), [("a", "b")]);
    let known = vec![(id, one.solution.clone())];
    let options = Options { threshold: 0.0, known, ..Options::default() };
    assert!(compare(&course, &class, &options).pairs.is_empty());
}

/// Against former years only pairs with a student of this class are listed, and what this class has
/// in common counts nothing, however few former students have it.
#[test]
fn former_classes_are_compared_with_this_one() {
    let versions = versions();
    let course = course(&versions);
    let one = with_hands(&versions)[0];
    let (id, text) = (one.exercise.id.as_str(), one.hands[1].as_str());
    let (other, third) = (one.hands[2].as_str(), one.hands[3].as_str());
    let class = [student("ada", id, text), student("bob", id, other)];
    let former = [
        student("2024/a", id, &disguise::rename(text)),
        student("2024/b", id, third),
        student("2025/b", id, &disguise::rename(third)),
    ];
    let with = |class: &[Submission], former: &[Submission]| {
        compare_with(&course, class, former, &Options::default())
    };
    let similar = with(&class, &former);
    assert_eq!(listed(&similar), [("2024/a", "ada")]);
    assert_eq!((similar.students, similar.former, similar.compared), (2, 3, 1 + 2 * 3));
    assert_eq!(listed(&with(&class, &[])), [("", ""); 0]);
    assert_eq!(with(&class, &[]), compare(&course, &class, &Options::default()));

    // a hundred of other years, and this class has it from its lecture
    let class: Vec<Submission> = (0..6).map(|i| student(&format!("s{i}"), id, text)).collect();
    let mut former: Vec<Submission> =
        (0..60).map(|i| student(&format!("2024/{i}"), id, third)).collect();
    former.push(student("2024/with", id, text));
    assert_eq!(listed(&with(&class, &former)), [("", ""); 0]);
}

/// Three students with one source are a group, and the same student is never a pair, however often
/// the folder is named.
#[test]
fn groups_and_names() {
    let versions = versions();
    let course = course(&versions);
    let one = with_hands(&versions)[0];
    let (id, text) = (one.exercise.id.as_str(), one.hands[1].as_str());
    let class = [
        student("c", id, &disguise::dead(text, 3)),
        student("a", id, text),
        student("b", id, &disguise::rename(text)),
        student("a", id, text),
        student("d", "no_such_exercise", text),
    ];
    let similar = compare(&course, &class, &Options::default());
    assert_eq!(similar.students, 4);
    assert_eq!(similar.groups, [["a", "b", "c"]]);
    assert_eq!(similar.ignored, ["d: no_such_exercise"]);
    assert!(similar.pairs.iter().all(|pair| pair.a < pair.b));
    let few = compare(&course, &class, &Options { most_pairs: 1, ..Options::default() });
    assert_eq!((few.pairs.len(), few.not_listed), (1, 2));
    assert_eq!(few.sources.len(), 2);
}

/// The same input gives the same result, whatever the order of the students.
#[test]
fn the_order_of_students_does_not_matter() {
    let versions = versions();
    let course = course(&versions);
    let options = Options { threshold: 0.1, ..Options::default() };
    let mut class = unrelated(&versions, 9, &mut Random(3));
    let one = compare(&course, &class, &options);
    assert!(!one.pairs.is_empty());
    class.reverse();
    assert_eq!(compare(&course, &class, &options), one);
}

/// The environment variable that asks a child process to compare the hostile files.
const CHILD: &str = "GRADING_COMPARE_HOSTILE_FILES";

/// Files made to be slow take two seconds of processor time: one token, one line, or one pattern
/// again and again. The child may use ten times as much, so that only another order of growth
/// fails.
#[test]
fn hostile_files_are_bounded() {
    if std::env::var_os(CHILD).is_some() {
        let seconds = if cfg!(debug_assertions) { 400 } else { 20 };
        let limit = Rlimit { current: Some(seconds), maximum: Some(seconds) };
        rustix::process::setrlimit(Resource::Cpu, limit).expect("a limit");
        return compare_hostile_files();
    }
    let status = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "hostile_files_are_bounded"])
        .env(CHILD, "1")
        .status()
        .expect("a child");
    assert!(status.success(), "{status}");
}

fn compare_hostile_files() {
    let versions = versions();
    let course = course(&versions);
    let deep = "(".repeat(200_000);
    let texts = [
        "a ".repeat(100_000),
        "a = b + c; ".repeat(20_000),
        "x[i] = y[j]; y[j] = x[i]; ".repeat(9_000) + &"q;".repeat(3_000),
        deep,
        "/*".repeat(100_000),
        "int a, b, c; ".repeat(30_000),
        "R\"(".repeat(60_000),
        "#define A A B\n#define B A A\n".to_owned() + &"A ".repeat(100_000),
        "\\\n".repeat(100_000),
        "int x = {".repeat(20_000),
    ];
    let class: Vec<Submission> = (0..20)
        .map(|i| {
            let text = &texts[i % texts.len()];
            (
                format!("s{i}"),
                versions
                    .iter()
                    .take(2)
                    .map(|one| (one.exercise.id.clone(), text.clone()))
                    .collect(),
            )
        })
        .collect();
    let similar = compare(&course, &class, &Options::default());
    assert_eq!(similar.files, 40);
}
