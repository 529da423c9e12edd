//! `grading.toml`, read so that every mistake has its line.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{
    Counts, EarlierFolder, Error, Exception, Hidden, Late, PenaltyBase, Policy, Problem, Rule,
    SpeedOf, SpeedRule, Weights, nearest,
};
use crate::course::{Course, Exercise};
use crate::dates;
use crate::record::Show;
use crate::seed;

const TOP: &[&str] = &[
    "title",
    "zone",
    "exercises",
    "points",
    "due",
    "release",
    "credit",
    "late",
    "hidden",
    "attempts",
    "leaderboard",
    "chapter",
    "exercise",
    "students",
];
const CREDIT: &[&str] = &[
    "partial",
    "visible",
    "hidden",
    "gate",
    "gate_bonus",
    "speed_bonus",
    "speed_of",
    "speed_none",
    "speed_full",
];
const LATE: &[&str] =
    &["free_days", "grace_minutes", "penalty", "of", "most", "cutoff_days", "earlier"];
const HIDDEN: &[&str] = &["seeds", "show", "until"];
const ATTEMPTS: &[&str] = &["cap", "counts"];
const EXERCISE: &[&str] = &[
    "points",
    "due",
    "release",
    "bonus",
    "partial",
    "visible",
    "hidden",
    "gate",
    "gate_bonus",
    "speed_bonus",
    "speed_of",
    "speed_none",
    "speed_full",
];
/// The names of what a speed is a share of.
const SPEED_OF: [(&str, SpeedOf); 2] = [("solution", SpeedOf::Solution), ("copy", SpeedOf::Copy)];
const STUDENT: &[&str] = &["due", "extension_days", "free_days", "excused"];

/// For tests: none is missing from the documentation.
#[cfg(test)]
pub const ALL_KEYS: [&[&str]; 7] = [TOP, CREDIT, LATE, HIDDEN, ATTEMPTS, EXERCISE, STUDENT];

/// More points, or days, than that are a slip of the keyboard.
pub const MAX_POINTS: f64 = 1_000_000.0;
pub const MAX_DAYS: u64 = 366;
/// A file that has to be more times as fast as the solution is a slip, too.
pub const MAX_SHARE: f64 = 10.0;

/// What the parser says about a key that a table has already.
const DUPLICATE: &str = "duplicate key";

type Value<'t> = Spanned<DeValue<'t>>;

/// One table of the file.
#[derive(Clone, Copy)]
struct Table<'a, 't>(&'a DeTable<'t>);

impl<'a, 't> Table<'a, 't> {
    fn get(self, key: &str) -> Option<&'a Value<'t>> {
        self.0.get(key)
    }
}

struct Reader<'c> {
    text: &'c str,
    course: &'c Course,
    zone: Option<TimeZone>,
    problems: Vec<Problem>,
}

pub fn parse(text: &str, course: &Course) -> Result<Policy, Error> {
    // Editors add a byte order mark unasked.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { text, course, zone: None, problems: vec![] };
    let (root, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        for error in errors {
            let at = error.span().unwrap_or(0..0);
            let what = reader.explained(&at, error.message());
            reader.problem(at, what);
        }
        return Err(reader.error());
    }
    let policy = reader.policy(Table(root.get_ref()));
    if reader.problems.is_empty() { Ok(policy) } else { Err(reader.error()) }
}

/// A table, unless it is missing or none.
type Own<'a, 't> = Option<Table<'a, 't>>;

/// Tables by their names, each with the place of its name.
type Named<'a, 't> = BTreeMap<String, (Range<usize>, Own<'a, 't>)>;

/// The first of the tables that has the key.
fn deciding<'a, 't>(tables: &[Table<'a, 't>], key: &str) -> Own<'a, 't> {
    tables.iter().copied().find(|table| table.get(key).is_some())
}

impl Reader<'_> {
    fn error(mut self) -> Error {
        self.problems.sort();
        self.problems.dedup();
        Error(self.problems)
    }

    /// The one-based line of a place.
    fn line(&self, at: &Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..at.start.min(self.text.len())).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// What the parser says about a place, with the key that it means. `hidden` is twice in the
    /// format, as a weight and as a table, so that both are often meant to be different things.
    fn explained(&self, at: &Range<usize>, message: &str) -> String {
        if message != DUPLICATE {
            return message.to_owned();
        }
        let key = self.text.get(at.clone()).unwrap_or_default().trim();
        let twice = format!("`{key}` is here a second time, and a table has each key once");
        match key {
            "hidden" => format!(
                "{twice}; the weight of a case with secret inputs is `hidden` below `[credit]`, and what students see \
                 of these cases is the table `[hidden]`"
            ),
            _ => twice,
        }
    }

    fn problem(&mut self, at: Range<usize>, what: String) {
        let line = self.line(&at);
        // One line, whatever the parser or a key says.
        self.problems.push(Problem {
            line,
            what: crate::text::shown(what.trim().replace('\n', ", ").as_bytes()),
        });
    }

    /// A problem of one exercise. Where one line decides for many of them, the first is named.
    fn problem_of(&mut self, exercise: &str, at: Range<usize>, what: &str) {
        let before = self.problems.len();
        self.problem(at, format!("`{exercise}` {what}"));
        let (before, new) = self.problems.split_at(before);
        let same = |new: &Problem| {
            before.iter().any(|old| old.line == new.line && old.what.ends_with(what))
        };
        if new.first().is_some_and(same) {
            self.problems.pop();
        }
    }

    fn policy(&mut self, root: Table<'_, '_>) -> Policy {
        self.known(root, "the policy", TOP);
        if let Some(value) = root.get("zone") {
            let name = self.text_of(value, "zone");
            match name.map(|name| (TimeZone::get(&name), name)) {
                Some((Ok(zone), _)) => self.zone = Some(zone),
                Some((Err(_), name)) => {
                    self.problem(
                        value.span(),
                        format!("no time zone is called `{name}`: `Europe/Berlin` is one"),
                    );
                }
                None => {}
            }
        }
        let mut policy = Policy::of_nothing();
        if let Some(value) = root.get("title") {
            policy.title = self.text_of(value, "title").unwrap_or(policy.title);
        }
        policy.hash = seed::sha256(self.text.as_bytes());
        policy.zone = self.zone.clone();
        let asked = match root.get("exercises") {
            Some(value) => self.exercises(value, "exercises"),
            None => self.course.exercises.iter().map(|exercise| exercise.id.clone()).collect(),
        };
        let credit = self.table(root, "credit", CREDIT);
        let chapters = self.named(root, "chapter");
        let exercises = self.named(root, "exercise");
        self.all_known(&chapters, &exercises, &asked);
        let course = self.course;
        for exercise in course.exercises.iter().filter(|exercise| asked.contains(&exercise.id)) {
            let named = [exercises.get(&exercise.id), chapters.get(&exercise.chapter)];
            let tables: Vec<Table<'_, '_>> =
                named.into_iter().flatten().filter_map(|(_, table)| *table).collect();
            policy.rules.push(self.rule(exercise, &tables, root, credit));
        }
        self.somewhere_timed(credit, &policy);
        self.late(root, &mut policy.late);
        self.hidden(root, &mut policy.hidden);
        if let Some(table) = self.table(root, "attempts", ATTEMPTS) {
            policy.attempts = self.whole(table, "cap", 1, u64::from(u32::MAX));
            let counts = [
                ("last", Counts::Last),
                ("last-on-time", Counts::LastOnTime),
                ("best", Counts::Best),
            ];
            policy.counts = self.one_of(table, "counts", &counts).unwrap_or_default();
        }
        policy.leaderboard = self.flag(root, "leaderboard").unwrap_or(false);
        policy.students = self.students(root);
        policy
    }

    /// Points for speed that no exercise of the class can give are a mistake.
    fn somewhere_timed(&mut self, credit: Own<'_, '_>, policy: &Policy) {
        let Some(table) = credit.filter(|_| !policy.rules.is_empty()) else { return };
        let Some(value) = table.get("speed_bonus") else { return };
        let bonus = self.number(table, "speed_bonus", 0.0, MAX_POINTS).unwrap_or(0.0);
        let timed = |rule: &Rule| {
            let mut all = self.course.exercises.iter();
            all.any(|exercise| exercise.id == rule.exercise && exercise.timed)
        };
        if bonus > 0.0 && !policy.rules.iter().any(timed) {
            let what = "no exercise of this class gives points for `speed_bonus`, because none is \
                        about faster kernels";
            self.problem(value.span(), what.into());
        }
    }

    /// The rules of one exercise: `own` are its own table and its chapter's, which decide before
    /// the class's.
    fn rule<'a, 't>(
        &mut self,
        exercise: &Exercise,
        own: &[Table<'a, 't>],
        root: Table<'a, 't>,
        credit: Own<'a, 't>,
    ) -> Rule {
        let class: Vec<Table<'a, 't>> = own.iter().copied().chain([root]).collect();
        let credit: Vec<Table<'a, 't>> = own.iter().copied().chain(credit).collect();
        let mut weight = |key: &str| {
            deciding(&credit, key).and_then(|table| self.number(table, key, 0.0, MAX_POINTS))
        };
        let weights = Weights {
            visible: weight("visible").unwrap_or(1.0),
            hidden: weight("hidden").unwrap_or(1.0),
            gate: weight("gate"),
        };
        let gate_bonus = weight("gate_bonus").unwrap_or(0.0);
        let points = deciding(&class, "points")
            .and_then(|table| self.number(table, "points", 0.0, MAX_POINTS));
        let rule = Rule {
            exercise: exercise.id.clone(),
            points: points.unwrap_or(10.0),
            due: deciding(&class, "due").and_then(|table| self.time(table, "due")),
            release: deciding(&class, "release").and_then(|table| self.time(table, "release")),
            bonus: deciding(own, "bonus")
                .and_then(|table| self.flag(table, "bonus"))
                .unwrap_or(false),
            partial: deciding(&credit, "partial")
                .and_then(|table| self.flag(table, "partial"))
                .unwrap_or(true),
            weights,
            gate_bonus,
            speed: self.speed(exercise, own, &credit),
        };
        let place = |tables: &[Table<'_, '_>], keys: &[&str]| {
            keys.iter()
                .find_map(|key| deciding(tables, key)?.get(key).map(Spanned::span))
                .unwrap_or(0..0)
        };
        let without_gates = weights.gate.is_some_and(|gate| gate <= 0.0) || gate_bonus > 0.0;
        if weights.visible + weights.hidden <= 0.0 && without_gates {
            let at = place(&credit, &["visible", "hidden", "gate"]);
            let what = "has nothing with a weight above 0, so no student can get a point for it";
            self.problem_of(&exercise.id, at, what);
        }
        if let (Some(release), Some(due)) = (rule.release, rule.due)
            && due <= release
        {
            let what = "would be due before its release: change `due` or `release`";
            self.problem_of(&exercise.id, place(&class, &["release"]), what);
        }
        rule
    }

    /// The extra points for an exercise's speed: none without `speed_bonus`, and none for an
    /// exercise that can't be timed, unless its own table asks for them, which is a mistake.
    fn speed<'a, 't>(
        &mut self,
        exercise: &Exercise,
        own: &[Table<'a, 't>],
        credit: &[Table<'a, 't>],
    ) -> Option<SpeedRule> {
        let mut number = |key: &str, most: f64| {
            deciding(credit, key).and_then(|table| self.number(table, key, 0.0, most))
        };
        let bonus = number("speed_bonus", MAX_POINTS).unwrap_or(0.0);
        let none = number("speed_none", 1.0).unwrap_or(0.5);
        let full = number("speed_full", MAX_SHARE).unwrap_or(0.9);
        let of = deciding(credit, "speed_of")
            .and_then(|table| self.one_of(table, "speed_of", &SPEED_OF))
            .unwrap_or_default();
        if bonus <= 0.0 {
            return None;
        }
        let at = |key: &str| {
            deciding(credit, key).and_then(|table| table.get(key)).map_or(0..0, Spanned::span)
        };
        if full <= none {
            let at = if at("speed_full").is_empty() { at("speed_none") } else { at("speed_full") };
            self.problem(
                at,
                format!(
                    "`speed_full` is {full} and has to be above `speed_none`, which is {none}; the \
                     defaults are 0.9 and 0.5"
                ),
            );
        }
        if !exercise.timed {
            if own.first().is_some_and(|table| table.get("speed_bonus").is_some()) {
                let what = "can't give points for speed: its solution isn't about faster kernels";
                self.problem_of(&exercise.id, at("speed_bonus"), what);
            }
            return None;
        }
        Some(SpeedRule { bonus, of, none, full })
    }

    fn late(&mut self, root: Table<'_, '_>, late: &mut Late) {
        let Some(table) = self.table(root, "late", LATE) else { return };
        late.free_days = self.whole(table, "free_days", 0, MAX_DAYS).unwrap_or(late.free_days);
        late.grace_minutes =
            self.whole(table, "grace_minutes", 0, 24 * 60).unwrap_or(late.grace_minutes);
        late.penalty = self.fraction(table, "penalty").unwrap_or(late.penalty);
        late.most = self.fraction(table, "most").unwrap_or(late.most);
        late.cutoff_days = self.whole(table, "cutoff_days", 0, MAX_DAYS);
        let of = [("possible", PenaltyBase::Possible), ("earned", PenaltyBase::Earned)];
        late.of = self.one_of(table, "of", &of).unwrap_or(late.of);
        late.earlier = table.get("earlier").map(|value| self.folders(value));
    }

    /// The output folders of earlier assignments.
    fn folders(&mut self, value: &Value<'_>) -> Vec<EarlierFolder> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type(value, "earlier", "a list of output folders");
            return vec![];
        };
        let mut folders: Vec<EarlierFolder> = vec![];
        for value in list.iter() {
            let Some(path) = self.text_of(value, "earlier") else { continue };
            if folders.iter().any(|folder| folder.path == path) {
                self.problem(
                    value.span(),
                    format!("`earlier` has `{path}` twice: its days would count twice"),
                );
            }
            folders.push(EarlierFolder { path, line: self.line(&value.span()) });
        }
        folders
    }

    fn hidden(&mut self, root: Table<'_, '_>, hidden: &mut Hidden) {
        let Some(table) = self.table(root, "hidden", HIDDEN) else { return };
        hidden.seeds = self.whole(table, "seeds", 0, 100).unwrap_or(hidden.seeds);
        let show = [
            ("nothing", Show::Nothing),
            ("verdict", Show::Verdict),
            ("everything", Show::Everything),
        ];
        hidden.show = self.one_of(table, "show", &show).unwrap_or(hidden.show);
        hidden.until = self.time(table, "until");
    }

    fn students(&mut self, root: Table<'_, '_>) -> BTreeMap<String, Exception> {
        let mut students = BTreeMap::new();
        for (id, (_, table)) in self.named(root, "students") {
            let Some(table) = table else { continue };
            self.known(table, &format!("students.\"{id}\""), STUDENT);
            let excused = match table.get("excused").map(|value| (value, value.get_ref())) {
                Some((_, DeValue::Boolean(true))) => {
                    self.course.exercises.iter().map(|exercise| exercise.id.clone()).collect()
                }
                Some((_, DeValue::Boolean(false))) | None => BTreeSet::new(),
                Some((value, _)) => self.exercises(value, "excused"),
            };
            let exception = Exception {
                due: self.time(table, "due"),
                extension_days: self.whole(table, "extension_days", 0, MAX_DAYS).unwrap_or(0),
                free_days: self.whole(table, "free_days", 0, MAX_DAYS),
                excused,
            };
            students.insert(id, exception);
        }
        students
    }

    /// Names in a list: chapters stand for their exercises.
    fn exercises(&mut self, value: &Value<'_>, key: &str) -> BTreeSet<String> {
        let mut ids = BTreeSet::new();
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type(value, key, "a list of chapters and exercises");
            return ids;
        };
        for value in list.iter() {
            let Some(name) = self.text_of(value, key) else { continue };
            let of = |exercise: &&Exercise| exercise.id == name || exercise.chapter == name;
            let all: Vec<String> = self
                .course
                .exercises
                .iter()
                .filter(of)
                .map(|exercise| exercise.id.clone())
                .collect();
            if all.is_empty() {
                self.unknown_exercise(value.span(), &name);
            }
            ids.extend(all);
        }
        if list.is_empty() && key == "exercises" {
            self.problem(
                value.span(),
                "`exercises` is empty: leave it out to grade all of them".to_owned(),
            );
        }
        ids
    }

    fn unknown_exercise(&mut self, at: Range<usize>, name: &str) {
        let course = self.course;
        let ids =
            course.exercises.iter().map(|exercise| exercise.id.as_str()).chain(course.chapters());
        let hint = nearest(name, ids).map_or_else(
            || "`checker list` shows them all".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        self.problem(at, format!("no exercise or chapter is called `{name}`; {hint}"));
    }

    /// Checks the names and keys of `[chapter.NAME]` and `[exercise.NAME]`.
    fn all_known(
        &mut self,
        chapters: &Named<'_, '_>,
        exercises: &Named<'_, '_>,
        asked: &BTreeSet<String>,
    ) {
        for (is_chapter, (name, (at, table))) in
            chapters.iter().map(|one| (true, one)).chain(exercises.iter().map(|one| (false, one)))
        {
            let of = |exercise: &&Exercise| {
                *name == if is_chapter { &exercise.chapter } else { &exercise.id }[..]
            };
            let of: Vec<&Exercise> = self.course.exercises.iter().filter(of).collect();
            if of.is_empty() {
                self.unknown_exercise(at.clone(), name);
            } else if !of.iter().any(|exercise| asked.contains(&exercise.id)) {
                self.problem(
                    at.clone(),
                    format!("`{name}` has settings and is not in `exercises`: add it there"),
                );
            }
            if let Some(table) = table {
                self.known(
                    *table,
                    &format!("{}.{name}", if is_chapter { "chapter" } else { "exercise" }),
                    EXERCISE,
                );
                for key in EXERCISE.iter().filter(|key| table.get(key).is_some()) {
                    // Read here once, so that a mistake is reported even where another table
                    // decides.
                    match *key {
                        "due" | "release" => drop(self.time(*table, key)),
                        "bonus" | "partial" => drop(self.flag(*table, key)),
                        "speed_of" => drop(self.one_of(*table, key, &SPEED_OF)),
                        "speed_none" => drop(self.number(*table, key, 0.0, 1.0)),
                        "speed_full" => drop(self.number(*table, key, 0.0, MAX_SHARE)),
                        _ => drop(self.number(*table, key, 0.0, MAX_POINTS)),
                    }
                }
            }
        }
    }

    fn known(&mut self, table: Table<'_, '_>, name: &str, known: &[&str]) {
        for key in table.0.keys() {
            if known.contains(&key.get_ref().as_ref()) {
                continue;
            }
            let hint = nearest(key.get_ref(), known.iter().copied()).map_or_else(
                || format!("it may have {}", known.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            self.problem(key.span(), format!("{name} has no key `{}`; {hint}", key.get_ref()));
        }
    }

    fn table<'a, 't>(&mut self, root: Table<'a, 't>, key: &str, known: &[&str]) -> Own<'a, 't> {
        let value = root.get(key)?;
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type(value, key, "a table");
            return None;
        };
        self.known(Table(table), key, known);
        Some(Table(table))
    }

    /// The tables in a table, by their names.
    fn named<'a, 't>(&mut self, root: Table<'a, 't>, key: &str) -> Named<'a, 't> {
        let mut all = BTreeMap::new();
        let Some(value) = root.get(key) else { return all };
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type(value, key, "tables with names");
            return all;
        };
        for (name, value) in table {
            let own = value.get_ref().as_table().map(Table);
            if own.is_none() {
                self.wrong_type(value, &format!("{key}.{}", name.get_ref()), "a table");
            }
            all.insert(name.get_ref().to_string(), (name.span(), own));
        }
        all
    }

    fn wrong_type(&mut self, value: &Value<'_>, key: &str, wanted: &str) {
        self.problem(
            value.span(),
            format!("`{key}` is {wanted}, not a value of type {}", value.get_ref().type_str()),
        );
    }

    fn text_of(&mut self, value: &Value<'_>, key: &str) -> Option<String> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.wrong_type(value, key, "text in quotes");
        }
        text.map(str::to_owned)
    }

    fn flag(&mut self, table: Table<'_, '_>, key: &str) -> Option<bool> {
        let value = table.get(key)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.wrong_type(value, key, "true or false");
        }
        flag
    }

    fn number(&mut self, table: Table<'_, '_>, key: &str, least: f64, most: f64) -> Option<f64> {
        let value = table.get(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse::<f64>().ok(),
            DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
            _ => None,
        };
        match number {
            Some(number) if (least..=most).contains(&number) => Some(number),
            Some(number) => {
                self.problem(
                    value.span(),
                    format!("`{key}` is {number}, and has to be from {least} to {most}"),
                );
                None
            }
            None => {
                self.wrong_type(value, key, "a number");
                None
            }
        }
    }

    fn fraction(&mut self, table: Table<'_, '_>, key: &str) -> Option<f64> {
        let value = table.get(key)?;
        let number = self.number(table, key, 0.0, MAX_POINTS)?;
        if number > 1.0 {
            self.problem(value.span(), format!("`{key}` is a fraction from 0 to 1: 0.1 for 10 %"));
            return None;
        }
        Some(number)
    }

    fn whole(&mut self, table: Table<'_, '_>, key: &str, least: u64, most: u64) -> Option<u32> {
        let value = table.get(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        let number = number.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            self.problem(value.span(), format!("`{key}` is a whole number from {least} to {most}"));
        }
        number.and_then(|number| u32::try_from(number).ok())
    }

    fn one_of<T: Copy>(&mut self, table: Table<'_, '_>, key: &str, all: &[(&str, T)]) -> Option<T> {
        let value = table.get(key)?;
        let text = self.text_of(value, key)?;
        let found = all.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<String> = all.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            self.problem(
                value.span(),
                format!("`{key}` is \"{text}\", and has to be one of {}", names.join(", ")),
            );
        }
        found
    }

    fn time(&mut self, table: Table<'_, '_>, key: &str) -> Option<Timestamp> {
        let value = table.get(key)?;
        let text = match value.get_ref() {
            DeValue::Datetime(time) => time.to_string(),
            DeValue::String(text) => text.trim().to_owned(),
            _ => {
                self.wrong_type(value, key, "a time: \"2026-10-05T23:59:00+02:00\"");
                return None;
            }
        };
        match time(&text, self.zone.as_ref()) {
            Ok(time) => Some(time),
            Err(why) => {
                self.problem(value.span(), format!("`{key}` is `{text}`: {why}"));
                None
            }
        }
    }
}

/// A moment from text: with an offset, with a zone in brackets, or in the class's zone; also as
/// Gradescope (`2026-10-02 23:00:00 -0700`), mail (RFC 2822), and platforms in words or with points
/// (`Friday, 2 October 2026, 11:00 PM`, `2.10.2026 23:00`) write it.
pub(crate) fn time(text: &str, zone: Option<&TimeZone>) -> Result<Timestamp, String> {
    if !text.contains(':') {
        return Err("it has no time of day: write 2026-10-05T23:59:00+02:00".to_owned());
    }
    if text.contains('[') {
        return text.parse::<Zoned>().map(|time| time.timestamp()).map_err(|error| {
            let offset = text.split('[').next().unwrap_or(text);
            let has_offset = offset.parse::<Timestamp>().is_ok();
            if has_offset {
                "its offset and its zone disagree: leave one out".to_owned()
            } else {
                error.to_string()
            }
        });
    }
    if let Ok(time) = without_last_space(text).parse::<Timestamp>() {
        return Ok(time);
    }
    if let Ok(time) = jiff::fmt::rfc2822::parse(text) {
        return Ok(time.timestamp());
    }
    let in_words = || dates::in_words(text).or_else(|| dates::with_points(text));
    let civil = text.parse::<DateTime>().or_else(|error| in_words().ok_or(error));
    let civil = civil.map_err(|_| "write it as 2026-10-05 23:59".to_owned())?;
    match zone {
        Some(zone) => zone.to_timestamp(civil).map_err(|error| error.to_string()),
        None => {
            Err("it has no time zone: write an offset such as +02:00 behind it, or `zone` for all"
                .to_owned())
        }
    }
}

/// `text` without the space before an offset: `23:00:00 -0700` becomes `23:00:00-0700`.
fn without_last_space(text: &str) -> String {
    match text.trim().rsplit_once(' ') {
        Some((time, "UTC")) => format!("{time}Z"),
        Some((time, offset)) if offset.starts_with(['+', '-', 'Z']) => format!("{time}{offset}"),
        _ => text.trim().to_owned(),
    }
}
