//! The files of one exercise, with what each token counts.

use std::collections::{HashMap, HashSet};

use super::data::{Line, MIN_COMMON_STUDENTS, Options, Origin};
use super::grams::{Gram, grams, lines};
use super::normal::{self, Token};
use super::tile::{Side, Tiler};

/// Length of the fragments that are looked for in the skeleton. Shorter than the others: that a
/// line stands in the skeleton is likely from the start.
const GIVEN: usize = 8;
/// Rarity is computed from counts as if a class had at least this many students.
const SMALL_CLASS: usize = 16;

/// Code in files that every student has.
pub(super) struct Given<'g> {
    /// Fragments of all skeletons: what the course teaches elsewhere.
    pub taught: &'g HashSet<u64>,
    /// Tokens and fragments of [`GIVEN`] of this exercise's skeleton, and of known files.
    files: Vec<(Vec<Token>, Vec<Gram>)>,
    /// Their lines.
    lines: HashSet<u64>,
}

impl<'g> Given<'g> {
    /// From the texts of one exercise that every student has.
    pub(super) fn new<'t>(
        taught: &'g HashSet<u64>,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let file = |text| {
            let tokens = normal::tokens(text);
            let grams = grams(&tokens, GIVEN);
            (tokens, grams)
        };
        let files: Vec<(Vec<Token>, Vec<Gram>)> = texts.into_iter().map(file).collect();
        let lines =
            files.iter().flat_map(|(tokens, _)| lines(tokens)).map(|(hash, _)| hash).collect();
        Self { taught, files, lines }
    }
}

/// One student's file.
pub(super) struct File {
    /// Which of the students.
    pub student: usize,
    /// Whether that student is of a former class.
    pub former: bool,
    pub tokens: Vec<Token>,
    pub grams: Vec<Gram>,
    /// Marks the tokens that every student was given.
    pub given: Vec<bool>,
    /// How many students have the commonest fragment around each token.
    pub students: Vec<u32>,
    /// The weight of each token: 1 where it is unusual, 0 where it is given or common.
    pub weights: Vec<f64>,
    /// Sum of the weights.
    pub own: f64,
}

impl File {
    fn new(
        student: usize,
        text: &str,
        given: &Given<'_>,
        fragment: usize,
        tiler: &mut Tiler,
    ) -> Self {
        let tokens = normal::tokens(text);
        let mut taken = vec![false; tokens.len()];
        let mut take = |from: usize, length: usize| {
            taken.iter_mut().skip(from).take(length).for_each(|token| *token = true);
        };
        let short = grams(&tokens, GIVEN);
        for (other, grams) in &given.files {
            let side = Side { tokens: &tokens, grams: &short };
            for tile in tiler.tiles(side, Side { tokens: other, grams }, GIVEN) {
                take(tile.a, tile.length);
            }
        }
        // Short ones too, because `__syncthreads();` has no author.
        for (_, place) in lines(&tokens).filter(|(hash, _)| given.lines.contains(hash)) {
            take(place.start, place.len());
        }
        let grams = grams(&tokens, fragment);
        for (_, at) in grams.iter().filter(|(hash, _)| given.taught.contains(hash)) {
            take(*at as usize, fragment);
        }
        let none = vec![0; tokens.len()];
        let weights = vec![];
        Self {
            student,
            former: false,
            tokens,
            grams,
            given: taken,
            students: none,
            weights,
            own: 0.0,
        }
    }

    pub(super) fn side(&self) -> Side<'_> {
        Side { tokens: &self.tokens, grams: &self.grams }
    }

    /// The lines of its text, each with whose it is.
    pub(super) fn lines(&self, text: &str) -> Vec<Line> {
        let texts = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let mut lines: Vec<Line> =
            texts.map(|text| Line { text: text.to_owned(), origin: Origin::Nothing }).collect();
        for (i, token) in self.tokens.iter().enumerate() {
            let given = self.given.get(i).copied().unwrap_or(false);
            let counts = self.weights.get(i).is_some_and(|weight| *weight > 0.0);
            let origin = match (given, counts) {
                (true, _) => Origin::Given,
                (false, false) => Origin::Common,
                (false, true) => Origin::Own,
            };
            if let Some(line) = lines.get_mut(token.line.saturating_sub(1) as usize) {
                line.origin = match (line.origin, origin) {
                    (Origin::Own, _) | (_, Origin::Own) => Origin::Own,
                    (Origin::Common, _) | (_, Origin::Common) => Origin::Common,
                    _ => Origin::Given,
                };
            }
        }
        lines
    }
}

/// The files of one exercise.
pub(super) struct Files {
    pub files: Vec<File>,
    /// A fragment that more students have is common.
    pub most: u32,
    /// Which files have each fragment that is not common in this class.
    owners: HashMap<u64, Vec<u32>>,
}

impl Files {
    /// Reads the files, given as (student, text), and counts what each token is worth.
    pub(super) fn new(
        texts: &[(usize, &str)],
        former: &HashSet<usize>,
        given: &Given<'_>,
        options: &Options,
        tiler: &mut Tiler,
    ) -> Self {
        let fragment = options.fragment.max(2);
        let mut files: Vec<File> = texts
            .iter()
            .map(|(student, text)| File {
                former: former.contains(student),
                ..File::new(*student, text, given, fragment, tiler)
            })
            .collect();
        let mut owners: HashMap<u64, Vec<u32>> = HashMap::new();
        for (i, file) in files.iter().enumerate() {
            for run in file.grams.chunk_by(|a, b| a.0 == b.0) {
                if let Some((hash, _)) = run.first() {
                    owners.entry(*hash).or_default().push(i as u32);
                }
            }
        }
        // Files with nothing of their own are no solutions.
        let solutions = || files.iter().filter(|file| file.given.contains(&false));
        let most_of = |solved: usize| {
            (options.common * solved as f64).ceil().max(f64::from(MIN_COMMON_STUDENTS)) as u32 - 1
        };
        let solved = solutions().count();
        let most = most_of(solved);
        // What is common in this class is common, however few students of former ones have it.
        let most_here = most_of(solutions().filter(|file| !file.former).count());
        let is_here = |file: &&u32| files.get(**file as usize).is_some_and(|file| !file.former);
        let common: HashSet<u64> = owners
            .iter()
            .filter(|(_, owners)| owners.iter().filter(is_here).count() as u32 > most_here)
            .map(|(hash, _)| *hash)
            .collect();
        for file in &mut files {
            for (hash, at) in &file.grams {
                let many = owners.get(hash).map_or(1, |owners| owners.len() as u32);
                let many = if common.contains(hash) { many.max(most + 1) } else { many };
                let around = file.students.iter_mut().skip(*at as usize).take(fragment);
                around.for_each(|students| *students = (*students).max(many));
            }
            let weigh = |(given, students): (&bool, &u32)| match (given, *students) {
                (true, _) => 0.0,
                (false, students) if students > most => 0.0,
                (false, students) => rarity(students, solved),
            };
            file.weights = file.given.iter().zip(&file.students).map(weigh).collect();
            file.own = file.weights.iter().sum();
        }
        owners.retain(|hash, _| !common.contains(hash));
        Self { files, most, owners }
    }

    /// Pairs of files that have an unusual fragment in common, each once, by their places in
    /// `files`, the lower first. Any other pair shares nothing that counts: a token that counts has
    /// no common fragment around it, and a tile holds at least one of those.
    pub(super) fn candidates(&self) -> Vec<(usize, usize)> {
        let many = self.files.len();
        let mut seen = vec![false; many * many];
        let rare = |owners: &&Vec<u32>| (2..=self.most as usize).contains(&owners.len());
        for owners in self.owners.values().filter(rare) {
            for (i, a) in owners.iter().enumerate() {
                for b in owners.iter().skip(i + 1) {
                    if let Some(place) = seen.get_mut(*a as usize * many + *b as usize) {
                        *place = true;
                    }
                }
            }
        }
        let is_former = |file: usize| self.files.get(file).is_some_and(|file| file.former);
        let pairs = seen.iter().enumerate().filter(|(_, seen)| **seen);
        let pairs = pairs.map(|(place, _)| (place / many, place % many));
        pairs.filter(|(a, b)| !is_former(*a) || !is_former(*b)).collect()
    }
}

/// The weight of a token by the number of students that have it and the size of the class: 1 for
/// two, less for more, by the logarithm (as inverse document frequencies are: Spärck Jones, 1972).
fn rarity(students: u32, of: usize) -> f64 {
    if students <= 2 {
        return 1.0;
    }
    let all = of.max(SMALL_CLASS) as f64;
    (1.0 - f64::from(students - 1).ln() / (all - 1.0).ln()).max(0.0)
}
