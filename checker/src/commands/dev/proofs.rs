//! What `dev check` proves about one exercise.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{originals, screens};
use crate::attempt::{self, Attempt, Options};
use crate::backend::poison::mix;
use crate::diagnostic::Slug;
use crate::engine::Engine;
use crate::spec::{Spec, Start};
use crate::verdict::Verdict;

/// One statement about an exercise, and whether it holds.
#[derive(Debug, Clone, Serialize)]
pub struct Proof {
    /// What it is about: "files", "skeleton", "solution", "mutant five_blocks".
    pub about: String,
    /// Why it does not hold; `None` when it does.
    pub problem: Option<String>,
    /// The verdict met, where something ran.
    pub verdict: Option<Slug>,
    /// Who ran it.
    pub device: Option<String>,
    /// Wall time in milliseconds.
    pub millis: u64,
}

impl Proof {
    fn of_files(about: &str, problem: Option<String>) -> Self {
        Self { about: about.into(), problem, verdict: None, device: None, millis: 0 }
    }
}

/// What is done with the text of the verdicts, which people have read in `checker/proof/verdicts/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screens {
    /// Nothing: on a GPU some sentences are about what it did.
    Leave,
    /// It must be what was read.
    Compare,
    /// It is written there, to be read.
    Bless,
}

/// Proves one exercise: its files first, then every file of code by checking it.
///
/// # Errors
/// When checking is not possible at all: no compiler, no GPU although one was asked for.
pub fn prove(
    root: &Path,
    spec: &'static Spec,
    engine: &mut Engine,
    screens: Screens,
    seeds: u64,
) -> Result<Vec<Proof>, attempt::Error> {
    let exercise = root.join("exercises").join(originals::file(spec));
    let solution = root.join("solutions").join(originals::file(spec));
    let mutants = mutants(root, spec);
    let mut proofs = vec![
        Proof::of_files("original", differs(&exercise, &originals::original(root, spec))),
        Proof::of_files("page", page(root, spec)),
        Proof::of_files("words", words(spec)),
        Proof::of_files("mutants", few(mutants.len())),
    ];
    if spec.start == Start::Write {
        proofs.push(Proof::of_files("added lines", only_adds(&exercise, &solution)));
    }

    let ran = run("skeleton", spec, &exercise, spec.skeleton, engine)?;
    let mut shown = String::new();
    if let Some(attempt) = &ran.1 {
        screens::add(&mut shown, "skeleton", spec, attempt);
    }
    let baseline = ran.1.and_then(|attempt| baseline(&attempt.verdict));
    proofs.push(Proof { problem: ran.0.problem.clone().or(baseline), ..ran.0 });
    proofs.push(run("solution", spec, &solution, Slug::Passed, engine)?.0);
    for seed in 0..seeds {
        // far from each other, as secret ones are: a case adds its index
        let seed = mix(seed);
        let options = Options { seed, ..Options::default() };
        let (proof, _) = run_with(
            &format!("solution, seed {seed}"),
            spec,
            &solution,
            Slug::Passed,
            engine,
            &options,
        )?;
        if proof.problem.is_some() {
            proofs.push(proof);
        }
    }
    for path in mutants {
        let about = format!("mutant {}", stem(&path));
        let proof = match expectation(&path) {
            Ok(slug) => {
                let (proof, attempt) = run(&about, spec, &path, slug, engine)?;
                if let Some(attempt) = &attempt {
                    screens::add(&mut shown, &about, spec, attempt);
                }
                proof
            }
            Err(problem) => Proof::of_files(&about, Some(problem)),
        };
        proofs.push(proof);
    }
    match screens {
        Screens::Leave => {}
        Screens::Compare => {
            proofs.push(Proof::of_files("screens", screens::differ(root, spec, &shown)));
        }
        Screens::Bless => {
            proofs.push(Proof::of_files("screens", screens::write(root, spec, &shown)));
        }
    }
    Ok(proofs)
}

/// Checks a file, and compares the verdict with the one expected.
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
        // Without a compiler or the GPU that was asked for, nothing can be proven at all. Everything else is a finding,
        // and must not hide the other findings.
        Err(error @ (attempt::Error::NoGpu(_) | attempt::Error::Compiler(_))) => return Err(error),
        Err(error) => return Ok((Proof::of_files(about, Some(error.to_string())), None)),
    };
    let slug = attempt.verdict.slug();
    let proof = Proof {
        about: about.into(),
        problem: (slug != expected).then(|| format!("{expected} expected, {slug} found")),
        verdict: Some(slug),
        device: Some(attempt.device.clone()),
        millis: attempt.millis,
    };
    Ok((proof, Some(attempt)))
}

/// What the Spec says that the skeleton measures must be what it measures.
fn baseline(verdict: &Verdict) -> Option<String> {
    let Verdict::GateMissed { gates, .. } = verdict else { return None };
    gates.iter().find_map(|measured| {
        let (said, found) = (measured.gate.baseline?, measured.value?);
        let off = (said - found).abs() > 0.05_f64.max(said.abs() * 0.01);
        off.then(|| format!("{:?}: the Spec says {said}, it is {found}", measured.gate.metric))
    })
}

/// The wrong kernels of an exercise, in order of name.
pub fn mutants(root: &Path, spec: &Spec) -> Vec<PathBuf> {
    let folder = root.join("checker/proof/mutants").join(spec.chapter).join(spec.id);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut mutants: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "cu")).collect();
    mutants.sort();
    mutants
}

/// The diagnostic that a mutant's first line expects.
pub fn expectation(path: &Path) -> Result<Slug, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let first = text.lines().next().unwrap_or_default();
    let name = first.strip_prefix("// expect:").ok_or("its first line is not `// expect: SLUG`")?;
    match Slug::parse(name.trim()) {
        Some(Slug::Passed) => Err("a mutant that passes is no mutant".into()),
        Some(slug) => Ok(slug),
        None => Err(format!("`{}` is no diagnostic", name.trim())),
    }
}

fn differs(exercise: &Path, original: &Path) -> Option<String> {
    let same = matches!((fs::read(exercise), fs::read(original)), (Ok(a), Ok(b)) if a == b);
    (!same).then(|| {
        "exercises/ and checker/proof/originals/ differ: `checker dev bless` takes the former as the original".into()
    })
}

fn page(root: &Path, spec: &Spec) -> Option<String> {
    let page = root.join("book").join("src").join(spec.chapter).join(format!("{}.md", spec.id));
    (!page.is_file()).then(|| format!("book/src/{}/{}.md is missing", spec.chapter, spec.id))
}

fn words(spec: &Spec) -> Option<String> {
    match (spec.hints.len(), spec.pitfalls.len()) {
        (hints, _) if hints < 3 => Some(format!("{hints} hints: at least 3 are needed")),
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

fn few(mutants: usize) -> Option<String> {
    (mutants < 3).then(|| format!("{mutants} mutants: at least 3 are needed"))
}

/// Solving a `write` exercise only adds lines of code: the skeleton's are found in the solution, in order.
fn only_adds(exercise: &Path, solution: &Path) -> Option<String> {
    let (Ok(before), Ok(after)) = (fs::read_to_string(exercise), fs::read_to_string(solution))
    else {
        // That a file cannot be read is found by checking it.
        return None;
    };
    let after = code(&after);
    let mut rest = after.iter();
    let lost = code(&before).into_iter().find(|line| !rest.any(|other| other == line));
    lost.map(|line| format!("the solution lost or moved the skeleton's line `{line}`"))
}

/// The lines of code: without comments, and white space counts once.
fn code(source: &str) -> Vec<String> {
    let lines = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let lines = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect()
}

pub fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Files in the course's folders that belong to no exercise.
pub fn strays(root: &Path, specs: &[&'static Spec]) -> Vec<String> {
    let trees = [
        ("exercises", "cu"),
        ("solutions", "cu"),
        ("checker/proof/originals", "cu"),
        ("checker/proof/mutants", ""),
        ("checker/proof/verdicts", "txt"),
    ];
    let mut strays = Vec::new();
    for (tree, extension) in trees {
        let folders = fs::read_dir(root.join(tree)).into_iter().flatten().flatten();
        for chapter in folders.map(|entry| entry.path()).filter(|path| path.is_dir()) {
            let entries = fs::read_dir(&chapter).into_iter().flatten().flatten();
            for path in entries.map(|entry| entry.path()) {
                let known = specs.iter().any(|spec| {
                    stem(&chapter) == spec.chapter
                        && stem(&path) == spec.id
                        && path.extension().unwrap_or_default() == extension
                });
                if !known {
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
    use super::*;

    /// The contract of `write` exercises: comments may go, code may only be added.
    #[test]
    fn only_adding_is_told_from_changing() {
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

    /// A mutant without a readable expectation must never count as caught.
    #[test]
    fn expectations_are_strict() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let path = temp.path().join("m.cu");
        for (text, expected) in [
            ("// expect: shared-race\n", Some(Slug::SharedRace)),
            ("// expects: shared-race\n", None),
            ("\n// expect: shared-race\n", None),
            ("// expect: passed\n", None),
            ("// expect: no-such-thing\n", None),
        ] {
            fs::write(&path, text).expect("writable");
            assert_eq!(expectation(&path).ok(), expected, "{text}");
        }
    }
}
