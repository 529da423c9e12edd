//! The inputs of `checker grade`, read before anything is graded, so that a mistake in them is
//! reported at once.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use colored::Colorize as _;
use grading::by_hand::Decisions;
use grading::course::Course;
use grading::groups::Groups;
use grading::plan::shard::Shard;
use grading::policy::{Policy, bank};
use grading::roster::{ReadError, Roster};
use grading::seed::Secret;
use grading::submission::{self, Found, Ignored, Naming, Refused, Search, SubmissionPath};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::reports;
use checker::cli::{self, Grade};
use checker::error::Usage;
use checker::text::sanitise;

/// The inputs of a grading session.
pub struct Inputs {
    pub policy: Policy,
    pub decisions: Decisions,
    pub roster: Option<Roster>,
    pub secret: Option<Secret>,
    /// When new and changed submissions arrived for which neither the roster nor a name states a
    /// time.
    pub at: Option<Timestamp>,
    /// The submissions of this shard, in the order of their students' ids.
    pub places: Vec<SubmissionPath>,
    /// Submissions that cannot be opened.
    pub refused: Vec<Refused>,
    /// Files that are no submissions.
    pub ignored: Vec<Ignored>,
    /// Whether names contain times of day, and no time zone is known for them.
    pub has_times_without_zone: bool,
    /// Whether a whole class was given.
    pub is_class: bool,
    /// Students of this shard on the roster without a submission, if a whole class was given.
    pub absent: Vec<String>,
}

impl Inputs {
    pub fn read(args: &Grade, course: &Course) -> anyhow::Result<Self> {
        let policy = match &args.policy {
            None => Policy::without_file(course),
            Some(path) => policy(path, &args.out, course)?,
        };
        let decisions = match &args.by_hand {
            None => Decisions::default(),
            Some(path) => Decisions::parse(&text(path, "file of decisions")?, course)
                .map_err(|error| Usage(format!("{}: {error}", path.display())))?,
        };
        let roster = match &args.roster {
            Some(path) => Some(roster(path, args, policy.zone())?),
            None => None,
        };
        let problems = roster.iter().flat_map(|roster| &roster.problems);
        for problem in problems {
            warn(&format!("the roster: {problem}"));
        }
        let secret = args.seed_file.as_deref().map(secret).transpose()?;
        let at = args.submitted_at.as_deref().map(time).transpose()?;
        let shard = match &args.shard {
            None => None,
            Some(text) => Some(text.parse::<Shard>().map_err(|error| Usage(error.to_string()))?),
        };
        let naming = naming(args)?;
        let groups = groups(args, roster.as_ref())?;
        let search = Search {
            course,
            naming: naming.as_ref(),
            roster: roster.as_ref(),
            groups: groups.as_ref(),
            zone: policy.zone(),
        };
        let found = submission::many(&args.submissions, &search);
        if naming.is_none() {
            suggest_naming(&found, roster.as_ref());
        }
        let ours = |id: &str| shard.is_none_or(|shard| shard.has(id));
        let absent = match &roster {
            Some(roster) if found.is_class => absent(roster, &found, ours),
            _ => vec![],
        };
        let is_class = found.is_class;
        let has_times_without_zone = found.has_times_without_zone;
        let mut places = found.submissions;
        places.retain(|place| ours(&place.id));
        let refused: Vec<Refused> =
            found.refused.into_iter().filter(|refused| ours(&refused.id)).collect();
        if places.is_empty() && shard.is_none() {
            lines(&refused).iter().for_each(|line| warn(line));
            reports::print_ignored(&found.ignored, None);
            return Err(Usage(nothing(naming.as_ref())).into());
        }
        let ids = places.iter().map(|place| place.id.as_str());
        let ids: BTreeSet<&str> = ids.collect();
        let exceptions = policy.students.keys().map(|id| ("the policy has rules for", id));
        let by_hand = decisions.students.keys().map(|id| ("there are points by hand for", id));
        exceptions
            .chain(by_hand)
            .for_each(|(what, id)| warn_of_unknown(what, id, roster.as_ref(), &ids));
        warn_of_points(&decisions, &policy);
        warn_of_times(&places, roster.as_ref(), args.assume_on_time);
        let ignored = found.ignored;
        Ok(Self {
            policy,
            decisions,
            roster,
            secret,
            at,
            places,
            refused,
            ignored,
            has_times_without_zone,
            is_class,
            absent,
        })
    }

    /// What belongs to no grade, a line each: files that were not matched, and rows of the roster
    /// that were not read.
    pub fn unmatched(&self) -> Vec<String> {
        let files = self.ignored.iter().filter(|one| !one.added);
        let files = files.map(|one| format!("{}: {}", one.path, one.why));
        let rows = self.roster.iter().flat_map(|roster| &roster.problems);
        files.chain(rows.map(|problem| format!("the roster: {problem}"))).collect()
    }

    /// The students whose submission cannot be opened or is not certain.
    pub fn refused_ids(&self) -> BTreeSet<&str> {
        self.refused.iter().map(|refused| refused.id.as_str()).collect()
    }

    /// When a student submitted, if the roster or the names state it. A member of a group
    /// without a time has the latest one of the others, because one of them submitted.
    pub fn stated_time(&self, place: &SubmissionPath) -> Option<Timestamp> {
        let of = |id: &String| self.roster.as_ref()?.entry(id)?.submitted_at;
        let members = place.group.iter().flat_map(|group| &group.members);
        of(&place.id).or_else(|| members.filter_map(of).max()).or(place.at)
    }
}

/// One line for each file that is refused, also where it may be of several students.
pub fn lines(refused: &[Refused]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let lines = refused.iter().map(|refused| refused.line.as_str());
    lines.filter(|line| seen.insert(*line)).collect()
}

fn nothing(naming: Option<&Naming>) -> String {
    match naming.and_then(Naming::platform) {
        Some(platform) => format!(
            "nothing to grade: name the folder with the files of {}'s download, such as `{}`",
            platform.name(),
            platform.example()
        ),
        None => "nothing to grade: a submission is a folder, an archive or a .cu file that mirrors exercises/".into(),
    }
}

fn warn(line: &str) {
    eprintln!("{}: {}", "warning".yellow().bold(), sanitise(line).replace('\n', " "));
}

/// Warns of points by hand above what an exercise can give, as a slip of the pen makes them.
fn warn_of_points(decisions: &Decisions, policy: &Policy) {
    for (id, exercise, points, possible) in decisions.above(policy) {
        warn(&format!(
            "{id}: {points} points by hand for `{exercise}` are more than its {possible}"
        ));
    }
}

/// Times of the roster and of the download may differ by what both leave out.
const SAME_TIME: SignedDuration = SignedDuration::from_mins(1);

/// Warns of times that contradict each other.
fn warn_of_times(places: &[SubmissionPath], roster: Option<&Roster>, assume_on_time: bool) {
    let other_time = |place: &&SubmissionPath| {
        let listed = roster.and_then(|roster| roster.entry(&place.id)?.submitted_at);
        listed
            .zip(place.at)
            .is_some_and(|(listed, named)| listed.duration_since(named).abs() > SAME_TIME)
    };
    let ids = |of: &dyn Fn(&&SubmissionPath) -> bool| -> Vec<&str> {
        places.iter().filter(of).map(|place| place.id.as_str()).collect()
    };
    let differ = ids(&other_time);
    if !differ.is_empty() {
        warn(&format!(
            "the roster and the download have different times for {}: a file counts with the earlier one",
            reports::names(&differ)
        ));
    }
    let late = ids(&|place| {
        let listed = roster.and_then(|roster| roster.entry(&place.id)?.submitted_at);
        place.late && place.at.or(listed).is_none()
    });
    if assume_on_time && !late.is_empty() {
        warn(&format!(
            "the platform marks the submissions of {} as late, and --assume-on-time counts them as on time",
            reports::names(&late)
        ));
    }
}

fn policy(path: &Path, out: &Path, course: &Course) -> anyhow::Result<Policy> {
    let wrong = |error| Usage(format!("{}: {error}", path.display()));
    let mut policy = Policy::parse(&text(path, "policy")?, course).map_err(wrong)?;
    bank::read(&mut policy, path.parent().unwrap_or(Path::new("")), out).map_err(wrong)?;
    Ok(policy)
}

/// The groups, if the command line names them.
fn groups(args: &Grade, roster: Option<&Roster>) -> anyhow::Result<Option<Groups>> {
    let wrong = |path: &Path, error| Usage(format!("{}: {error}", path.display()));
    if let Some(path) = &args.groups {
        let groups = Groups::parse(&bytes(path, "file of groups")?, roster);
        return Ok(Some(groups.map_err(|error| wrong(path, error))?));
    }
    match (&args.group_column, roster, &args.roster) {
        (Some(column), Some(roster), Some(path)) => {
            let groups = Groups::of_column(roster, column);
            Ok(Some(groups.map_err(|error| wrong(path, error))?))
        }
        _ => Ok(None),
    }
}

fn submission_platform(platform: cli::Platform) -> submission::Platform {
    match platform {
        cli::Platform::Moodle => submission::Platform::Moodle,
        cli::Platform::Canvas => submission::Platform::Canvas,
        cli::Platform::Blackboard => submission::Platform::Blackboard,
        cli::Platform::Brightspace => submission::Platform::Brightspace,
        cli::Platform::Gradescope => submission::Platform::Gradescope,
    }
}

/// How the submissions are named, if the command line says it.
fn naming(args: &Grade) -> anyhow::Result<Option<Naming>> {
    if let Some(platform) = args.from {
        return Ok(Some(Naming::of_platform(submission_platform(platform))));
    }
    let column = args.id_column.clone();
    match (&args.id_pattern, column) {
        (Some(pattern), column) => Naming::of_pattern(pattern, column)
            .map(Some)
            .map_err(|why| Usage(format!("--id-pattern: {why}")).into()),
        (None, Some(column)) => Ok(Some(Naming::of_column(column))),
        (None, None) => Ok(None),
    }
}

/// Warns of a student whom neither the class list nor a submission has, because an id that is
/// misspelt changes no grade.
fn warn_of_unknown(what: &str, id: &str, roster: Option<&Roster>, submitted: &BTreeSet<&str>) {
    let Some(roster) = roster else { return };
    if roster.entry(id).is_some() || submitted.contains(id) {
        return;
    }
    let listed = roster.students.iter().map(|entry| entry.student.id.as_str());
    let meant = grading::policy::nearest(id, listed);
    let meant = meant.map(|id| format!("; did you mean `{id}`?")).unwrap_or_default();
    warn(&format!("{what} the student `{id}`, and the roster has no such id{meant}"));
}

/// Names the option that a download needs, when its names are a platform's.
fn suggest_naming(found: &Found, roster: Option<&Roster>) {
    let unknown = |id: &str| roster.is_none_or(|roster| roster.entry(id).is_none());
    let paths = found.submissions.iter().filter(|place| unknown(&place.id));
    let paths = paths.flat_map(|place| &place.parts).map(|part| part.path.as_path());
    let names = paths.chain(found.ignored.iter().map(|ignored| Path::new(&ignored.path)));
    let names: Vec<String> =
        names.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    if let Some(platform) = Naming::guess(names.iter().map(String::as_str)) {
        let name = platform.name();
        eprintln!(
            "{}: these names come from a {name} download; `--from {}` finds the students",
            "help".cyan().bold(),
            name.to_lowercase()
        );
    }
}

/// Students on the roster without a submission. A refused submission, such as a link or one of two,
/// is not absent.
fn absent(roster: &Roster, found: &Found, ours: impl Fn(&str) -> bool) -> Vec<String> {
    let there = found.submissions.iter().map(|place| &place.id);
    let there: BTreeSet<&String> = there.chain(found.refused.iter().map(|r| &r.id)).collect();
    let ids = roster.students.iter().map(|entry| &entry.student.id);
    ids.filter(|id| ours(id) && !there.contains(id)).cloned().collect()
}

/// The roster. With `--from`, or where no other column has ids, `--id-column` names their column.
fn roster(path: &Path, args: &Grade, zone: Option<&TimeZone>) -> anyhow::Result<Roster> {
    let column = args.id_column.as_deref();
    let ids = column.filter(|_| args.from.is_some());
    let read = Roster::read(path, ids, zone).or_else(|error| match column {
        Some(_) if ids.is_none() => Roster::read(path, column, zone),
        _ => Err(error),
    });
    read.map_err(|error| {
        let way_out = match &error {
            ReadError::Parse { problem, .. } if problem.what.starts_with("no column is called") => {
                "; `--id-column` names the column of the ids"
            }
            _ => "",
        };
        let usage = anyhow::Error::from(Usage(format!("{error}{way_out}")));
        match error {
            ReadError::Io { .. } => usage.context("nothing was graded"),
            ReadError::Parse { .. } => usage,
        }
    })
}

fn secret(path: &Path) -> anyhow::Result<Secret> {
    let secret = Secret::new(&bytes(path, "secret")?);
    secret.map_err(|error| Usage(format!("{}: {error}", path.display())).into())
}

fn time(text: &str) -> anyhow::Result<Timestamp> {
    text.parse().map_err(|error| {
        let way_out = "write it as 2026-12-01T23:59:00+01:00";
        Usage(format!("--submitted-at {text}: {error}; {way_out}")).into()
    })
}

fn bytes(path: &Path, what: &str) -> anyhow::Result<Vec<u8>> {
    fs::read(path)
        .map_err(|error| Usage(format!("the {what} {} cannot be read: {error}", path.display())))
        .context("nothing was graded")
}

fn text(path: &Path, what: &str) -> anyhow::Result<String> {
    let bytes = bytes(path, what)?;
    String::from_utf8(bytes)
        .map_err(|_| Usage(format!("the {what} {} is not UTF-8 text", path.display())).into())
}
