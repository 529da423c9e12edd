//! What `dev check` proves about one exercise.

use std::fs;
use std::path::{Path, PathBuf};

use mutants::Mutant;
use serde::Serialize;

use super::verdict_texts::{self, VerdictTexts};
use super::{originals, stem};
use checker::attempt::{self, Attempt, Options};
use checker::backend::poison::mix;
use checker::diagnostic::Slug;
use checker::engine::Engine;
use checker::session;
use checker::spec::{Spec, Start};
use checker::toolchain::{Origin, Version};
use checker::verdict::Verdict;

/// Where the accepted solutions are, in the repository.
const ACCEPTED: &str = "checker/proof/accepted";

/// Mutants that every exercise needs at least.
const LEAST_MUTANTS: usize = 3;

/// Hints that every exercise needs at least.
const LEAST_HINTS: usize = 3;

/// A right solution that does not compile with the headers of a toolkit.
struct Rejected {
    exercise: &'static str,
    solution: &'static str,
    version: Version,
}

/// CUB of CUDA 12.4 includes `<iostream>`, which NVRTC does not have. The wheels that the checker
/// installs have a newer CUB.
const REJECTED_BY_TOOLKITS: [Rejected; 1] =
    [Rejected { exercise: "reduce_tree", solution: "cub", version: Version::new(12, 4) }];

/// One statement about an exercise, and whether it is true.
#[derive(Debug, Clone, Serialize)]
pub struct Proof {
    /// What it is about: "files", "skeleton", "solution", "mutant five_blocks".
    pub about: String,
    /// Why it is not true; `None` when it is.
    pub problem: Option<String>,
    /// The verdict found, where code ran.
    pub verdict: Option<Slug>,
    /// The device that ran the code.
    pub device: Option<String>,
    /// Wall time in milliseconds.
    pub millis: u64,
    /// For a mutant, how it differs from its base.
    #[serde(skip)]
    pub origin: Option<String>,
}

impl Proof {
    fn of_files(about: &str, problem: Option<String>) -> Self {
        Self { about: about.into(), problem, verdict: None, device: None, millis: 0, origin: None }
    }

    /// Whether it is about a mutant.
    pub fn is_about_mutant(&self) -> bool {
        self.about.starts_with("mutant ")
    }
}

/// What `dev check` does beyond checking each file once.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// What is done with the texts of the verdicts.
    pub verdict_texts: VerdictTexts,
    /// Number of further seeds with which every solution must pass.
    pub seeds: u64,
}

/// Proves one exercise: its files first, then every version of its code by checking it.
///
/// # Errors
/// When checking is not possible at all: there is no compiler, or no GPU although one was
/// requested.
pub fn prove(
    root: &Path,
    spec: &'static Spec,
    engine: &mut Engine,
    scope: Scope,
) -> Result<Vec<Proof>, attempt::Error> {
    let exercise = root.join("exercises").join(originals::file(spec));
    let solution = root.join("solutions").join(originals::file(spec));
    let mutants = mutants::of_exercise(root, spec.chapter, spec.id);
    let mut proofs = vec![
        Proof::of_files("original", differs(&exercise, &originals::original(root, spec))),
        Proof::of_files("page", page(root, spec)),
        Proof::of_files("words", words(spec)),
        Proof::of_files("mutants", too_few(mutants.len())),
    ];
    if spec.start == Start::Write {
        proofs.push(Proof::of_files("added lines", only_adds(&exercise, &solution)));
    }

    let mut shown = String::new();
    let (proof, skeleton) = run("skeleton", spec, &exercise, spec.skeleton, engine)?;
    if let Some(attempt) = &skeleton {
        verdict_texts::add(&mut shown, "skeleton", spec, attempt);
    }
    let baseline = skeleton.and_then(|attempt| wrong_baseline(&attempt.verdict));
    proofs.push(Proof { problem: proof.problem.clone().or(baseline), ..proof });
    proofs.push(run("solution", spec, &solution, Slug::Passed, engine)?.0);
    for seed in 0..scope.seeds {
        // A case adds its index to the seed, so the seeds have to be far from each other, as secret
        // ones are.
        let options = Options { seed: mix(seed), ..Options::default() };
        let about = format!("solution, seed {}", options.seed);
        let (proof, _) = run_with(&about, spec, &solution, Slug::Passed, engine, &options)?;
        if proof.problem.is_some() {
            proofs.push(proof);
        }
    }
    for path in accepted(root, spec) {
        let name = stem(&path);
        let about = format!("accepted {name}");
        let own_headers = engine.compilers().kernels.origin != Origin::Cache;
        let version = engine.compilers().kernels.release();
        let rejected = REJECTED_BY_TOOLKITS.iter().any(|rejected| {
            own_headers
                && (rejected.exercise, rejected.solution) == (spec.id, name.as_str())
                && rejected.version == version
        });
        let expected = if rejected { Slug::CompileError } else { Slug::Passed };
        proofs.push(run(&about, spec, &path, expected, engine)?.0);
    }
    for mutant in mutants {
        proofs.push(match mutant {
            Ok(mutant) => prove_mutant(&mutant, spec, engine, &mut shown)?,
            Err(error) => {
                let name = error.mutant.as_deref().unwrap_or("list");
                Proof::of_files(&format!("mutant {name}"), Some(error.to_string()))
            }
        });
    }
    match scope.verdict_texts {
        VerdictTexts::Ignore => {}
        VerdictTexts::Compare => {
            proofs.push(Proof::of_files("verdicts", verdict_texts::differ(root, spec, &shown)));
        }
        VerdictTexts::Bless => {
            proofs.push(Proof::of_files("verdicts", verdict_texts::write(root, spec, &shown)));
        }
    }
    Ok(proofs)
}

/// Right solutions of an exercise that differ from the course's own, in order of name.
fn accepted(root: &Path, spec: &Spec) -> Vec<PathBuf> {
    let folder = root.join(ACCEPTED).join(spec.chapter).join(spec.id);
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut sources: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "cu")).collect();
    sources.sort();
    sources
}

/// Checks a mutant, and adds the text of its verdict to `shown`.
fn prove_mutant(
    mutant: &Mutant,
    spec: &'static Spec,
    engine: &mut Engine,
    shown: &mut String,
) -> Result<Proof, attempt::Error> {
    let about = format!("mutant {}", mutant.name);
    let expected = match expected(mutant) {
        Ok(slug) => slug,
        Err(problem) => return Ok(Proof::of_files(&about, Some(problem))),
    };
    let folder = match folder_with(mutant) {
        Ok(folder) => folder,
        Err(error) => return Ok(Proof::of_files(&about, Some(error.to_string()))),
    };
    let path = folder.path().join(file_name(mutant));
    let (proof, attempt) = run(&about, spec, &path, expected, engine)?;
    if let Some(attempt) = &attempt {
        verdict_texts::add(shown, &about, spec, attempt);
    }
    Ok(Proof { origin: Some(mutant.origin.to_string()), ..proof })
}

/// The diagnostic that the checker must find in a mutant.
pub fn expected(mutant: &Mutant) -> Result<Slug, String> {
    match Slug::parse(&mutant.expected) {
        Some(Slug::Passed) => Err("`passed` is expected, but a mutant must not pass".into()),
        Some(slug) => Ok(slug),
        None => Err(format!("there is no diagnostic `{}`", mutant.expected)),
    }
}

/// A temporary folder with the mutant's source in it, because a check reads a file.
fn folder_with(mutant: &Mutant) -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join(file_name(mutant)), &mutant.source)?;
    Ok(folder)
}

fn file_name(mutant: &Mutant) -> String {
    format!("{}.cu", mutant.exercise)
}

/// Checks a file, and compares the verdict with the expected one.
fn run(
    about: &str,
    spec: &'static Spec,
    path: &Path,
    expected: Slug,
    engine: &mut Engine,
) -> Result<(Proof, Option<Attempt>), attempt::Error> {
    run_with(about, spec, path, expected, engine, &Options::default())
}

fn run_with(
    about: &str,
    spec: &'static Spec,
    path: &Path,
    expected: Slug,
    engine: &mut Engine,
    options: &Options,
) -> Result<(Proof, Option<Attempt>), attempt::Error> {
    let attempt = match attempt::check(spec, path, engine, options) {
        Ok(attempt) => attempt,
        // Without a compiler, or without the GPU that was requested, nothing can be proven at all.
        // Every other error is one problem among others, and must not hide them.
        Err(error @ (attempt::Error::NoGpu(_) | attempt::Error::Compiler(_))) => return Err(error),
        Err(error) => return Ok((Proof::of_files(about, Some(error.to_string())), None)),
    };
    let slug = attempt.verdict.slug();
    let proof = Proof {
        about: about.into(),
        problem: (slug != expected).then(|| format!("expected {expected}, found {slug}")),
        verdict: Some(slug),
        device: Some(attempt.device.clone()),
        millis: attempt.millis,
        origin: None,
    };
    Ok((proof, Some(attempt)))
}

/// Which baseline of the Spec differs from the value that the skeleton has, by more than 1 % and
/// more than 0.05.
fn wrong_baseline(verdict: &Verdict) -> Option<String> {
    let Verdict::GateMissed { gates, .. } = verdict else { return None };
    gates.iter().find_map(|measured| {
        let (baseline, value) = (measured.gate.baseline?, measured.value?);
        let differs = (baseline - value).abs() > 0.05_f64.max(baseline.abs() * 0.01);
        let metric = &measured.gate.metric;
        differs.then(|| format!("{metric:?}: the Spec says {baseline}, the skeleton has {value}"))
    })
}

fn differs(exercise: &Path, original: &Path) -> Option<String> {
    let same = matches!((fs::read(exercise), fs::read(original)), (Ok(a), Ok(b)) if a == b);
    (!same).then(|| {
        let command = session::command();
        format!(
            "exercises/ and checker/proof/originals/ differ: run `{command} dev bless` to take the former as the original"
        )
    })
}

fn page(root: &Path, spec: &Spec) -> Option<String> {
    let page = root.join("book").join("src").join(spec.chapter).join(format!("{}.md", spec.id));
    (!page.is_file()).then(|| format!("book/src/{}/{}.md is missing", spec.chapter, spec.id))
}

fn words(spec: &Spec) -> Option<String> {
    match (spec.hints.len(), spec.pitfalls.len()) {
        (hints, _) if hints < LEAST_HINTS => {
            Some(format!("{hints} hints: at least {LEAST_HINTS} are needed"))
        }
        (_, 0) => Some("pitfalls are missing".into()),
        _ if spec.start == Start::Optimise && spec.gates.is_empty() => {
            Some("an optimise exercise needs a gate".into())
        }
        _ if !spec.gates.is_empty() && !spec.cases.iter().any(|case| case.gated) => {
            Some("no case measures the gates".into())
        }
        _ => None,
    }
}

fn too_few(mutants: usize) -> Option<String> {
    (mutants < LEAST_MUTANTS)
        .then(|| format!("{mutants} mutants: at least {LEAST_MUTANTS} are needed"))
}

/// Solving a `write` exercise only adds code: the skeleton's lines are found in the solution, in
/// the same order.
fn only_adds(exercise: &Path, solution: &Path) -> Option<String> {
    let (Ok(before), Ok(after)) = (fs::read_to_string(exercise), fs::read_to_string(solution))
    else {
        // Checking an unreadable file reports it.
        return None;
    };
    let after = code(&after);
    let mut rest = after.iter();
    let lost = code(&before).into_iter().find(|line| !rest.any(|other| other == line));
    lost.map(|line| format!("the solution lost or moved the skeleton's line `{line}`"))
}

/// The lines of code without comments, and with single spaces.
fn code(source: &str) -> Vec<String> {
    let lines = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let lines = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect()
}

/// Files in the course's folders that belong to no exercise.
pub fn strays(root: &Path, specs: &[&'static Spec]) -> Vec<String> {
    let trees: [(&str, &[&str]); 6] = [
        ("exercises", &["cu"]),
        ("solutions", &["cu"]),
        ("checker/proof/originals", &["cu"]),
        // a list, and a folder of whole files
        ("checker/proof/mutants", &["toml", ""]),
        // a folder for each exercise
        (ACCEPTED, &[""]),
        ("checker/proof/verdicts", &["txt"]),
    ];
    let mut strays = Vec::new();
    for (tree, extensions) in trees {
        let folders = fs::read_dir(root.join(tree)).into_iter().flatten().flatten();
        for chapter in folders.map(|entry| entry.path()).filter(|path| path.is_dir()) {
            let entries = fs::read_dir(&chapter).into_iter().flatten().flatten();
            for path in entries.map(|entry| entry.path()) {
                let extension = path.extension().unwrap_or_default();
                let belongs = extensions.iter().any(|e| extension == *e)
                    && specs
                        .iter()
                        .any(|spec| stem(&chapter) == spec.chapter && stem(&path) == spec.id);
                if !belongs {
                    strays.push(path.strip_prefix(root).unwrap_or(&path).display().to_string());
                }
            }
        }
    }
    strays.sort();
    strays
}

#[cfg(test)]
mod tests {
    use mutants::Origin;

    use super::*;

    /// In `write` exercises comments may go, but code may only be added.
    #[test]
    fn a_changed_line_is_not_an_added_one() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| {
            let path = temp.path().join(name);
            fs::write(&path, text).expect("writable");
            path
        };
        let skeleton = write(
            "s.cu",
            "// Goal\nvoid k(int n) {\n    int i = 0;  // mine\n    // TODO 1: ?\n}\n",
        );
        let good = write("g.cu", "void k(int n) {\n  int i = 0;\n  int j = i;\n}\n");
        let changed = write("c.cu", "void k(int n) {\n  int i = 1;\n}\n");
        assert_eq!(only_adds(&skeleton, &good), None);
        assert!(
            only_adds(&skeleton, &changed).is_some_and(|problem| problem.contains("int i = 0;"))
        );
    }

    /// A mutant that expects nothing, or nothing that exists, must never count as caught.
    #[test]
    fn expectations_are_strict() {
        for (name, slug) in [
            ("shared-race", Some(Slug::SharedRace)),
            ("passed", None),
            ("no-such-thing", None),
            ("", None),
        ] {
            let mutant = Mutant {
                exercise: "guard".into(),
                name: "m".into(),
                mistake: String::new(),
                expected: name.into(),
                source: String::new(),
                origin: Origin::File("m.cu".into()),
            };
            assert_eq!(expected(&mutant).ok(), slug, "{name}");
        }
    }
}
