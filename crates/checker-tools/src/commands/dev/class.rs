//! `checker dev class`: an invented class whose grades are known before it is graded.
//!
//! The students hand in solutions, skeletons, mutants and hostile files. The grade that each file
//! must get is written beside the submissions, and `--verify` compares the records with these
//! grades after the class has been graded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use grading::record::{Record, Status};
use grading::store::{self, Store};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde::{Deserialize, Serialize};

use super::{proofs, repository, stem};
use checker::cli::DevClass;
use checker::error::Usage;
use checker::exercises;
use checker::exit::Exit;
use checker::say;
use checker::spec::Spec;

/// When the submissions are due. One student in three is one or two days late.
const DUE: &str = "2026-12-01T12:00:00Z";

/// Fraction of the points that each late day costs.
const PENALTY: f64 = 0.1;

/// The grades that the class must get, by student.
#[derive(Debug, Serialize, Deserialize)]
struct Planted {
    students: BTreeMap<String, Student>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Student {
    days_late: u32,
    exercises: BTreeMap<String, File>,
}

/// The file that a student submitted for an exercise, and the grade that it must get.
#[derive(Debug, Serialize, Deserialize)]
struct File {
    /// "solution", "skeleton", "mutant adds_a_twice", "attack fork", or "nothing".
    what: String,
    /// Name of the verdict; empty where nothing was submitted.
    slug: String,
    points: f64,
    possible: f64,
}

/// Makes a class, or compares its records with the planted grades. The exit code is 2 when a grade
/// differs.
pub fn run(args: &DevClass) -> anyhow::Result<Exit> {
    match &args.verify {
        Some(out) => verify(&args.dir, out),
        None => make(args),
    }
}

/// What a student can hand in for one exercise.
#[derive(Clone)]
struct Choice {
    what: String,
    slug: String,
    text: String,
}

fn make(args: &DevClass) -> anyhow::Result<Exit> {
    let root = repository()?;
    if fs::read_dir(&args.dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Usage(format!("{} is not empty: name a new folder", args.dir.display())).into());
    }
    let attacks = attacks(&root)?;
    let wrong: Vec<Vec<Choice>> =
        exercises::all().iter().map(|spec| mutants(&root, spec)).collect::<Result<_, _>>()?;
    let mut random = ChaCha8Rng::seed_from_u64(args.seed);
    // of its own, so that the same seed gives the same class with more or fewer distinct files
    let mut marks = ChaCha8Rng::seed_from_u64(args.seed);
    let mut planted = Planted { students: BTreeMap::new() };
    let mut roster = String::from("id,name,submitted_at\n");
    let mut hostile = attacks.iter().cycle();
    for number in 0..args.students {
        let id = format!("student{number:04}");
        let mut student = Student { days_late: 0, exercises: BTreeMap::new() };
        // one student in three is late, by one or two days
        if random.next_u32() % 3 == 0 {
            student.days_late = 1 + random.next_u32() % 2;
        }
        // percentage of the course that the student solves
        let skill = random.next_u32() % 101;
        // one student in ten hands in a hostile file
        let attack = match random.next_u32() % 10 {
            0 => hostile.next(),
            _ => None,
        };
        let folder = args.dir.join("submissions").join(&id);
        for ((index, spec), mutants) in exercises::all().iter().enumerate().zip(&wrong) {
            let choice = match attack.filter(|(exercise, _)| exercise == spec.id) {
                Some((_, attack)) => Some(attack.clone()),
                None => deal(spec, mutants, skill, &mut random),
            };
            let possible = 5.0 + f64::from(u32::try_from(index % 4).unwrap_or(0)) * 5.0;
            let full = choice.as_ref().is_some_and(|choice| choice.slug == "passed");
            let points = if full { possible } else { 0.0 };
            let (what, slug) = match &choice {
                Some(choice) => (choice.what.clone(), choice.slug.clone()),
                None => ("nothing".to_owned(), String::new()),
            };
            student.exercises.insert(spec.id.to_owned(), File { what, slug, points, possible });
            if let Some(mut choice) = choice {
                if marks.next_u32() % 100 < args.distinct {
                    choice.text += &format!("\n// written by {id}\n");
                }
                let path =
                    folder.join("exercises").join(spec.chapter).join(format!("{}.cu", spec.id));
                fs::create_dir_all(path.parent().unwrap_or(&folder))?;
                fs::write(path, choice.text)?;
            }
        }
        fs::create_dir_all(folder.join("exercises"))?;
        let at = match student.days_late {
            0 => "2026-12-01T11:00:00Z",
            1 => "2026-12-02T11:00:00Z",
            _ => "2026-12-03T11:00:00Z",
        };
        roster += &format!("{id},\"Student, Number {number}\",{at}\n");
        planted.students.insert(id, student);
    }
    fs::write(args.dir.join("roster.csv"), roster)?;
    fs::write(args.dir.join("grading.toml"), policy())?;
    fs::write(
        args.dir.join("secret.txt"),
        format!("a class that is made up, number {:020}\n", args.seed),
    )?;
    fs::write(args.dir.join("planted.json"), serde_json::to_vec_pretty(&planted)?)?;
    let dir = args.dir.display();
    say!("A class of {} students is in {dir}/submissions. Now run:", args.students);
    say!(
        "  checker grade {dir}/submissions --roster {dir}/roster.csv --policy {dir}/grading.toml --seed-file {dir}/secret.txt --out OUT"
    );
    say!("  checker dev class {dir} --verify OUT");
    Ok(Exit::Passed)
}

/// The submission of a student who solves `skill` % of the exercises.
fn deal(spec: &Spec, mutants: &[Choice], skill: u32, random: &mut ChaCha8Rng) -> Option<Choice> {
    let whole = |what: &str, slug: &str, text: Option<&str>| {
        Some(Choice { what: what.into(), slug: slug.into(), text: text?.into() })
    };
    if random.next_u32() % 100 < skill {
        return whole("solution", "passed", checker::course::solution(spec));
    }
    match random.next_u32() % 10 {
        0..3 => whole("skeleton", &spec.skeleton.to_string(), checker::course::skeleton(spec)),
        3..5 => None,
        _ => {
            let index = usize::try_from(random.next_u32()).unwrap_or(0) % mutants.len().max(1);
            mutants.get(index).cloned()
        }
    }
}

/// The mutants of an exercise.
fn mutants(root: &Path, spec: &Spec) -> anyhow::Result<Vec<Choice>> {
    let mut choices = vec![];
    for mutant in mutants::of_exercise(root, spec.chapter, spec.id) {
        let mutant = mutant?;
        let slug = proofs::expected(&mutant)
            .map_err(|problem| Usage(format!("{}: {problem}", mutant.path())))?;
        let what = format!("mutant {}", mutant.name);
        choices.push(Choice { what, slug: slug.to_string(), text: mutant.source });
    }
    Ok(choices)
}

/// The hostile files, each with its exercise.
fn attacks(root: &Path) -> anyhow::Result<Vec<(String, Choice)>> {
    let folder = root.join("checker/proof/attacks");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    paths.sort();
    let mut attacks = vec![];
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let key = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key));
            line.map(|value| value.trim_start_matches(':').trim().to_owned())
        };
        let (Some(exercise), Some(public)) = (key("exercise:"), key("expect:")) else { continue };
        // the verdict is another one in a grade if the file is right with public inputs and wrong
        // with secret ones
        let slug = key("hidden:").unwrap_or(public);
        let what = format!("attack {}", stem(&path));
        attacks.push((exercise, Choice { what, slug, text }));
    }
    Ok(attacks)
}

/// A policy without partial credit, so that the points of a file follow from its verdict.
fn policy() -> String {
    let mut text = format!(
        "title = \"A class that is made up\"\ndue = \"{DUE}\"\n\n[credit]\npartial = false\n\n[late]\npenalty = {PENALTY}\nof = \"earned\"\n"
    );
    for (index, spec) in exercises::all().iter().enumerate() {
        text += &format!("\n[exercise.{}]\npoints = {}\n", spec.id, 5 + (index % 4) * 5);
    }
    text
}

fn verify(dir: &Path, out: &Path) -> anyhow::Result<Exit> {
    let text = fs::read(dir.join("planted.json"))?;
    let planted: Planted = serde_json::from_slice(&text)?;
    let store = Store::open(out)?;
    let (mut problems, mut files) = (0, 0);
    let mut problem = |text: String| {
        say!("× {text}");
        problems += 1;
    };
    for (id, student) in &planted.students {
        match store::read_file(&store.path(id)) {
            Ok(record) => compare(id, student, &record, &mut problem),
            Err(error) => problem(error.to_string()),
        }
        files += student.exercises.len();
    }
    say!(
        "class of {}, {files} exercises, {problems} grades differ from the planted ones",
        planted.students.len()
    );
    Ok(if problems == 0 { Exit::Passed } else { Exit::Usage })
}

fn compare(id: &str, student: &Student, record: &Record, problem: &mut impl FnMut(String)) {
    if record.exercises.len() != student.exercises.len() {
        problem(format!("{id}: {} exercises in the record", record.exercises.len()));
    }
    let keep = 1.0 - PENALTY * f64::from(student.days_late);
    let mut sum = 0.0;
    for exercise in &record.exercises {
        let Some(file) = student.exercises.get(&exercise.id) else { continue };
        sum += file.points * keep;
        let slug = exercise.report.as_ref().map_or("", |report| report.slug.as_str());
        let status = match (file.slug.as_str(), file.points > 0.0) {
            ("", _) => exercise.status == Status::Missing,
            (_, true) => exercise.status == Status::Passed,
            (_, false) => matches!(exercise.status, Status::Failed | Status::Partial),
        };
        // some hostile files may be stopped in several ways, and which one acts first varies
        let expected = file.slug.split(" or ").any(|one| one == slug);
        if !expected
            || !status
            || exercise.points != file.points
            || exercise.possible != file.possible
        {
            problem(format!(
                "{id}: {} ({}): {slug}, {}, {} of {} points; expected {}, {} of {}",
                exercise.id,
                file.what,
                exercise.status.as_str(),
                exercise.points,
                exercise.possible,
                file.slug,
                file.points,
                file.possible
            ));
        }
    }
    let sum = (sum * 100.0).round() / 100.0;
    if (record.score.points - sum).abs() > 0.011 || !record.score.complete {
        problem(format!("{id}: {} points in total; expected {sum}", record.score.points));
    }
}
