//! The files below `checker/proof/mutants`: a list for each exercise, and mutants that are whole
//! files.

use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::edit::{self, Edit};

/// Where the mutants are, in the repository.
const FOLDER: &str = "checker/proof/mutants";

/// What the first line of a mutant that is a whole file begins with; the name of the diagnostic
/// follows.
const EXPECT: &str = "// expect:";

/// A wrong version of an exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The exercise.
    pub exercise: String,
    /// Its own name, which is unique within the exercise.
    pub name: String,
    /// What the mistake is, in a sentence.
    pub mistake: String,
    /// The name of the diagnostic that the checker must find.
    pub expected: String,
    /// The whole file, as a learner would have written it.
    pub source: String,
    /// How it is written down.
    pub origin: Origin,
}

/// How a mutant is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// As edits in the list of its exercise.
    Edits {
        /// What is edited.
        base: Base,
        /// The edits.
        edits: Vec<Edit>,
    },
    /// As a file of its own.
    File(PathBuf),
}

/// What a mutant's edits are applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// The exercise's solution.
    #[default]
    Solution,
    /// The exercise as learners get it.
    Skeleton,
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Solution => "solution",
            Self::Skeleton => "skeleton",
        })
    }
}

impl Mutant {
    /// `guard/less_or_equal`
    pub fn path(&self) -> String {
        format!("{}/{}", self.exercise, self.name)
    }
}

/// What is different from the base, line by line, with `-` and `+` in front; or where the whole
/// file is.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "the whole file {}", path.display()),
            Self::Edits { base, edits } => {
                write!(f, "the {base} with")?;
                for edit in edits {
                    edit.find.lines().try_for_each(|line| write!(f, "\n- {line}"))?;
                    edit.replace.lines().try_for_each(|line| write!(f, "\n+ {line}"))?;
                }
                Ok(())
            }
        }
    }
}

/// A mutant or a list of mutants that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", path.display(), mutant.as_ref().map(|name| format!(", mutant {name}")).unwrap_or_default())]
pub struct Error {
    /// The file, relative to the repository.
    pub path: PathBuf,
    /// The mutant's name, where the problem is one mutant's.
    pub mutant: Option<String>,
    /// What is wrong with it.
    pub problem: String,
}

/// One table of a list: the mutant's name and its diagnostic are the table's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    mistake: String,
    #[serde(default)]
    base: Base,
    /// The only edit; several are in `edits`.
    find: Option<String>,
    replace: Option<String>,
    #[serde(default)]
    edits: Vec<Edit>,
}

impl Entry {
    fn into_edits(self) -> Result<Vec<Edit>, String> {
        match (self.find, self.replace, self.edits.is_empty()) {
            (Some(find), Some(replace), true) => Ok(vec![Edit { find, replace }]),
            (None, None, _) => Ok(self.edits),
            _ => Err("it needs either both `find` and `replace`, or `edits`".into()),
        }
    }
}

/// The mutants of one exercise in order of name. A broken one is an error of its own and hides no
/// other.
pub fn of_exercise(repository: &Path, chapter: &str, exercise: &str) -> Vec<Result<Mutant, Error>> {
    let folder = Path::new(FOLDER).join(chapter);
    let mut named = BTreeMap::new();
    let mut broken = vec![];
    let list = folder.join(format!("{exercise}.toml"));
    if repository.join(&list).exists() {
        match from_list(repository, &list, chapter, exercise) {
            Ok(mutants) => {
                for (name, mutant) in mutants {
                    add(&mut named, &mut broken, name, mutant, &list);
                }
            }
            Err(problem) => {
                broken.push(Err(Error { path: list.clone(), mutant: None, problem }));
            }
        }
    }
    for path in sources(&repository.join(&folder).join(exercise)) {
        let name = stem(&path);
        let path = path.strip_prefix(repository).unwrap_or(&path);
        let mutant = from_file(repository, path, exercise, &name);
        add(&mut named, &mut broken, name, mutant, path);
    }
    broken.into_iter().chain(named.into_values()).collect()
}

/// Adds a mutant under its name, which no other one of the exercise may have.
fn add(
    named: &mut BTreeMap<String, Result<Mutant, Error>>,
    broken: &mut Vec<Result<Mutant, Error>>,
    name: String,
    mutant: Result<Mutant, String>,
    path: &Path,
) {
    let error = |problem| Error { path: path.to_owned(), mutant: Some(name.clone()), problem };
    match named.entry(name.clone()) {
        btree_map::Entry::Occupied(_) => {
            broken.push(Err(error("another mutant of this exercise has the same name".into())));
        }
        btree_map::Entry::Vacant(place) => {
            place.insert(mutant.map_err(error));
        }
    }
}

/// The mutants of a list, each with its name.
type Listed = Vec<(String, Result<Mutant, String>)>;

fn from_list(
    repository: &Path,
    list: &Path,
    chapter: &str,
    exercise: &str,
) -> Result<Listed, String> {
    let text = fs::read_to_string(repository.join(list)).map_err(|error| error.to_string())?;
    let tables: BTreeMap<String, BTreeMap<String, Entry>> =
        toml::from_str(&text).map_err(|error| error.to_string())?;
    let read = |folder: &str| {
        let path = Path::new(folder).join(chapter).join(format!("{exercise}.cu"));
        fs::read_to_string(repository.join(&path))
            .map_err(|error| format!("{}: {error}", path.display()))
    };
    let (solution, skeleton) = (read("solutions"), read("checker/proof/originals"));
    let mut mutants = vec![];
    for (expected, entries) in tables {
        for (name, entry) in entries {
            let (base, mistake) = (entry.base, entry.mistake.clone());
            let source = entry.into_edits().and_then(|edits| {
                let text = match base {
                    Base::Solution => &solution,
                    Base::Skeleton => &skeleton,
                };
                let text = text.as_ref().map_err(Clone::clone)?;
                let source = edit::apply(text, &edits).map_err(|problem| problem.to_string())?;
                Ok((source, edits))
            });
            let mutant = source.map(|(source, edits)| Mutant {
                exercise: exercise.to_owned(),
                name: name.clone(),
                mistake,
                expected: expected.clone(),
                source,
                origin: Origin::Edits { base, edits },
            });
            mutants.push((name, mutant));
        }
    }
    Ok(mutants)
}

/// A whole file: its first comment says what is expected and what the mistake is, and is no part of
/// the source.
fn from_file(repository: &Path, path: &Path, exercise: &str, name: &str) -> Result<Mutant, String> {
    let text = fs::read_to_string(repository.join(path)).map_err(|error| error.to_string())?;
    let expected = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix(EXPECT))
        .ok_or_else(|| format!("its first line is not `{EXPECT} DIAGNOSTIC`"))?;
    let header = text.lines().take_while(|line| line.starts_with("//")).count();
    let mistake: Vec<&str> =
        text.lines().take(header).skip(1).map(|line| line.trim_start_matches('/').trim()).collect();
    let source = text.lines().skip(header).skip_while(|line| line.trim().is_empty());
    Ok(Mutant {
        exercise: exercise.to_owned(),
        name: name.to_owned(),
        mistake: mistake.join(" "),
        expected: expected.trim().to_owned(),
        source: source.map(|line| format!("{line}\n")).collect(),
        origin: Origin::File(path.to_owned()),
    })
}

/// All mutants of the course, in order of chapter, exercise and name.
pub fn all(repository: &Path) -> Vec<Result<Mutant, Error>> {
    let mut exercises = vec![];
    for chapter in entries(&repository.join(FOLDER)) {
        for path in entries(&chapter) {
            exercises.push((stem(&chapter), stem(&path)));
        }
    }
    exercises.sort();
    exercises.dedup();
    let mutants =
        |(chapter, exercise): (String, String)| of_exercise(repository, &chapter, &exercise);
    exercises.into_iter().flat_map(mutants).collect()
}

/// Why a name does not lead to one mutant.
#[derive(Debug, thiserror::Error)]
pub enum NotFound {
    /// There is none of this name.
    #[error(
        "there is no mutant `{0}`: a name is EXERCISE/NAME, or NAME where only one exercise has it"
    )]
    Unknown(String),
    /// Several exercises have a mutant of this name.
    #[error("several exercises have a mutant `{name}`: {}", candidates.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// `EXERCISE/NAME` of each.
        candidates: Vec<String>,
    },
    /// It cannot be read.
    #[error(transparent)]
    Broken(#[from] Error),
}

/// The mutant called `EXERCISE/NAME`, or `NAME` where only one exercise has a mutant of that name.
///
/// # Errors
/// When there is none or more than one, or when it is broken.
pub fn find(repository: &Path, name: &str) -> Result<Mutant, NotFound> {
    let mut found = vec![];
    let mut broken = None;
    for mutant in all(repository) {
        match mutant {
            Ok(mutant) if mutant.path() == name || mutant.name == name => found.push(mutant),
            Ok(_) => {}
            Err(error) => {
                let of_name = error.mutant.as_deref();
                if of_name.is_none() || of_name == name.rsplit('/').next() {
                    broken = broken.or(Some(error));
                }
            }
        }
    }
    if found.len() > 1 {
        let candidates = found.iter().map(Mutant::path).collect();
        return Err(NotFound::Ambiguous { name: name.to_owned(), candidates });
    }
    match (found.pop(), broken) {
        (Some(mutant), _) => Ok(mutant),
        (None, Some(error)) => Err(error.into()),
        (None, None) => Err(NotFound::Unknown(name.to_owned())),
    }
}

/// The `.cu` files of a folder, which need not exist.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = entries(folder);
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    files
}

/// What is in a folder, in order of name; nothing where there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The name of a file without its extension.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
