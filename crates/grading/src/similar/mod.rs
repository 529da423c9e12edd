//! Similar submissions: pairs of students whose files agree in what neither the course nor the
//! class explains.
//!
//! ```text
//! text -> lex -> macros -> normal     tokens, without names, layout, types and what else is changed without a thought
//!      -> grams                       fragments of 12 tokens; names by the pattern in which they come back
//!      -> files                       what is given (skeletons) and what is common (fragments of a third of the class) counts
//!                                     nothing; the rest by how rare it is
//!      -> tile                        Greedy String Tiling of every two files that share an unusual fragment
//!      -> score                       over the exercises of two students
//! ```
//!
//! **What the score means.** Of the unusual tokens that a student wrote, so many stand in the other
//! one's file as well, in runs of at least 12 tokens. A token is unusual when the skeleton does not
//! have it and the class has not: 1 where no third student has a fragment around it, less where
//! more have, 0 from a third of the class on. For each exercise the one with less of them counts,
//! so that code which was only added hides nothing. The score is `shared / (own + doubt)`, summed
//! over those exercises that make it highest: 50 tokens shared whole are 50 %, 150 are 75 %. So
//! agreement in exercises of three lines, where all right answers are the same, is never listed,
//! and the same wrong code in several of them is.
//!
//! **What is seen through.** Other names, layout and comments; other types and qualifiers;
//! declarations split, joined, moved or added; statements without effect in between; functions in
//! another order; `#define`, `typedef` and `using`; other ways to write an increment, a cast or a
//! literal. What is not: expressions turned around, loops of another form, one function made of
//! two, and statements without effect after every short statement. Who writes a file anew is not
//! found, and is not meant to be.
//!
//! **How good it is** (`tests/similar`: the course's own solutions and its wrong versions, more
//! than 600, and three exercises solved in six hands each). One copied exercise of at least 60
//! unusual tokens among seven solutions, in nine disguises: 132 of 135 found, and the three others
//! have a statement added after each statement. A copied submission, or 20 exercises of it, among
//! 11 students with other wrong versions of the same solutions: 18 of 18 found. Other pairs in
//! these classes: 6489, none listed. Two solutions in different hands, compared alone: 63 pairs,
//! none listed, the highest score 45 %.
//!
//! **Small classes.** In a small class, common code cannot be separated from code that a few
//! students share: of 15 students or fewer, five with one source are taken for common. With two
//! students nothing is common, and the skeletons have to say it all.
//!
//! **What it is not.** Similarity is a reason to look, never proof. Two friends who worked with the
//! same tutor agree as well.
//!
//! The module draws no conclusions, and it skips nothing for speed: every fragment of every file is
//! compared, and 200 students with 45 exercises take about ten seconds on one core, in 31 MiB.

mod columns;
mod data;
mod files;
mod grams;
mod html;
mod lex;
mod macros;
mod normal;
mod regions;
mod score;
mod text;
mod tile;
mod words;

use std::collections::{BTreeMap, HashMap, HashSet};

pub use data::{
    Agreement, Line, Lines, MIN_COMMON_STUDENTS, Options, Origin, Pair, Region, Row, Similar,
    Source, VERSION,
};
pub use html::html;
pub use text::{pair, text};

use crate::course::Course;
use files::{File, Files, Given};
use score::Part;
use tile::Tiler;

/// A student's id and files, as (exercise, text). Of several files of one exercise the last one
/// counts.
pub type Submission = (String, Vec<(String, String)>);

/// Compares every two students of a class.
///
/// Texts may hold anything. Of a file, the first 128 KiB and the first 8000 tokens are compared.
/// Students with the same id are one student.
pub fn compare(course: &Course, submissions: &[Submission], options: &Options) -> Similar {
    compare_with(course, submissions, &[], options)
}

/// Compares every two students of a class, and each of them with each student of `former` ones. Two
/// former students are not compared. Code is common when a third of the class has it, or a third of
/// all.
pub fn compare_with(
    course: &Course,
    submissions: &[Submission],
    former: &[Submission],
    options: &Options,
) -> Similar {
    let class = Class::new(course, submissions, former, options);
    let mut tiler = Tiler::default();
    let mut parts: HashMap<(usize, usize), Vec<Part>> = HashMap::new();
    for exercise in 0..course.exercises.len() {
        let files = class.files(exercise, &mut tiler);
        for (a, b) in files.candidates() {
            let (Some(a), Some(b)) = (files.files.get(a), files.files.get(b)) else { continue };
            let tiles = tiler.tiles(a.side(), b.side(), class.fragment);
            let shared = score::shared(a, b, &tiles);
            if shared >= 1.0 {
                let part = Part { exercise, shared, own_a: a.own, own_b: b.own };
                parts.entry((a.student, b.student)).or_default().push(part);
            }
        }
    }
    class.report(parts, &mut tiler)
}

/// The class that is compared.
struct Class<'c> {
    course: &'c Course,
    options: &'c Options,
    fragment: usize,
    /// In alphabetical order.
    students: Vec<&'c str>,
    /// Which of them are not of this class.
    former: HashSet<usize>,
    /// For each exercise, the students' texts.
    texts: Vec<Vec<(usize, &'c str)>>,
    /// Fragments of all skeletons.
    taught: HashSet<u64>,
    ignored: Vec<String>,
    cut: Vec<String>,
}

impl<'c> Class<'c> {
    fn new(
        course: &'c Course,
        submissions: &'c [Submission],
        former: &'c [Submission],
        options: &'c Options,
    ) -> Self {
        let all = || submissions.iter().chain(former);
        let fragment = options.fragment.max(2);
        let places: HashMap<&str, usize> =
            course.exercises.iter().enumerate().map(|(i, one)| (one.id.as_str(), i)).collect();
        let mut texts: Vec<BTreeMap<usize, &str>> = vec![BTreeMap::new(); course.exercises.len()];
        let (mut ignored, mut cut) = (vec![], vec![]);
        let mut students: Vec<&str> = all().map(|(student, _)| student.as_str()).collect();
        students.sort_unstable();
        students.dedup();
        let place = |(student, _): &Submission| students.binary_search(&student.as_str()).ok();
        let own: HashSet<usize> = submissions.iter().filter_map(place).collect();
        let former = (0..students.len()).filter(|student| !own.contains(student)).collect();
        for (student, files) in all() {
            let Ok(number) = students.binary_search(&student.as_str()) else { continue };
            for (exercise, text) in files {
                match places.get(exercise.as_str()).and_then(|place| texts.get_mut(*place)) {
                    Some(texts) => {
                        texts.insert(number, text.as_str());
                        if normal::is_cut(text) {
                            cut.push(format!("{student}: {exercise}"));
                        }
                    }
                    None => ignored.push(format!("{student}: {exercise}")),
                }
            }
        }
        let taught = course
            .exercises
            .iter()
            .flat_map(|exercise| grams::grams(&normal::tokens(&exercise.skeleton), fragment));
        let taught = taught.map(|(hash, _)| hash).collect();
        let texts = texts.into_iter().map(|texts| texts.into_iter().collect()).collect();
        Self { course, options, fragment, students, former, texts, taught, ignored, cut }
    }

    /// The files of an exercise, by its place in the course.
    fn files(&self, exercise: usize, tiler: &mut Tiler) -> Files {
        let Some(about) = self.course.exercises.get(exercise) else {
            return Files::new(
                &[],
                &self.former,
                &Given::new(&self.taught, []),
                self.options,
                tiler,
            );
        };
        let known = self.options.known.iter().filter(|(id, _)| *id == about.id);
        let known = known.map(|(_, text)| text.as_str());
        let given = Given::new(&self.taught, std::iter::once(about.skeleton.as_str()).chain(known));
        let texts = self.texts.get(exercise).map(Vec::as_slice).unwrap_or_default();
        Files::new(texts, &self.former, &given, self.options, tiler)
    }

    fn report(&self, parts: HashMap<(usize, usize), Vec<Part>>, tiler: &mut Tiler) -> Similar {
        let former = self.former.len();
        let many = self.students.len() - former;
        let compared = many * many.saturating_sub(1) / 2 + many * former;
        let mut scores = [0; 10];
        let mut found: Vec<((usize, usize), score::Score)> = parts
            .into_iter()
            .map(|(pair, parts)| (pair, score::score(parts, self.options.doubt)))
            .collect();
        for (_, score) in &found {
            if let Some(step) = scores.get_mut((score.score * 10.0).min(9.0) as usize) {
                *step += 1;
            }
        }
        scores[0] += compared.saturating_sub(found.len());
        found.retain(|(_, score)| score.score >= self.options.threshold);
        found.sort_by(|(a, one), (b, other)| {
            other.score.total_cmp(&one.score).then_with(|| a.cmp(b))
        });
        let not_listed = found.len().saturating_sub(self.options.most_pairs);
        found.truncate(self.options.most_pairs);

        let name =
            |student: usize| self.students.get(student).copied().unwrap_or_default().to_owned();
        let groups = score::groups(found.iter().map(|(pair, _)| *pair));
        let groups =
            groups.into_iter().map(|group| group.into_iter().map(name).collect()).collect();
        let mut pairs: Vec<Pair> = found
            .iter()
            .map(|((a, b), score)| Pair {
                a: name(*a),
                b: name(*b),
                score: score.score,
                shared: score.shared,
                own: score.own,
                exercises: vec![],
            })
            .collect();
        let sources = self.fill(&found, &mut pairs, tiler);
        Similar {
            version: VERSION,
            students: many,
            former,
            files: self.texts.iter().map(Vec::len).sum(),
            compared,
            threshold: self.options.threshold,
            scores,
            pairs,
            not_listed,
            groups,
            sources,
            ignored: self.ignored.clone(),
            cut: self.cut.clone(),
        }
    }

    /// Adds the exercises of listed pairs, with their regions, and gives the files that they are
    /// in.
    fn fill(
        &self,
        found: &[((usize, usize), score::Score)],
        pairs: &mut [Pair],
        tiler: &mut Tiler,
    ) -> Vec<Source> {
        let mut sources = vec![];
        for (exercise, about) in self.course.exercises.iter().enumerate() {
            let wanted = |score: &score::Score| {
                score.parts.iter().position(|part| part.exercise == exercise)
            };
            if !found.iter().any(|(_, score)| wanted(score).is_some()) {
                continue;
            }
            let files = self.files(exercise, tiler);
            let by_student: HashMap<usize, &File> =
                files.files.iter().map(|file| (file.student, file)).collect();
            let mut shown = HashSet::new();
            for (((a, b), score), pair) in found.iter().zip(pairs.iter_mut()) {
                let Some(place) = wanted(score) else { continue };
                let (Some(file_a), Some(file_b)) = (by_student.get(a), by_student.get(b)) else {
                    continue;
                };
                let Some(part) = score.parts.get(place) else { continue };
                let counts = place < score.counting;
                if !counts && part.shared < self.fragment as f64 / 2.0 {
                    continue;
                }
                let tiles = tiler.tiles(file_a.side(), file_b.side(), self.fragment);
                pair.exercises.push(Agreement {
                    exercise: about.id.clone(),
                    counts,
                    shared: part.shared,
                    own_a: part.own_a,
                    own_b: part.own_b,
                    regions: regions::regions(file_a, file_b, &tiles),
                });
                shown.extend([*a, *b]);
            }
            let texts = self.texts.get(exercise).map(Vec::as_slice).unwrap_or_default();
            for (student, text) in texts.iter().filter(|(student, _)| shown.contains(student)) {
                let Some(file) = by_student.get(student) else { continue };
                sources.push(Source {
                    student: self.students.get(*student).copied().unwrap_or_default().to_owned(),
                    exercise: about.id.clone(),
                    lines: file.lines(text),
                });
            }
        }
        for pair in pairs {
            pair.exercises.sort_by(|one, other| {
                let key =
                    |agreement: &Agreement| (agreement.counts, agreement.share(), agreement.shared);
                let ((a, b, c), (d, e, f)) = (key(other), key(one));
                a.cmp(&d).then(c.total_cmp(&f)).then(b.total_cmp(&e))
            });
        }
        sources
    }
}
