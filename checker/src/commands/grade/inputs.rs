//! What the command line of `grade` names, read before anything is graded: a mistake in it costs nothing but a line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use grading::course::Course;
use grading::plan::shard::Shard;
use grading::policy::Policy;
use grading::roster::Roster;
use grading::seed::Secret;
use grading::submission::{self, Found, Place};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::cli::Grade;
use crate::error::Usage;
use crate::text::sanitise;

/// Everything that grading starts from.
pub struct Inputs {
    pub policy: Policy,
    pub roster: Option<Roster>,
    pub secret: Option<Secret>,
    /// When everything was handed in, unless the roster knows better.
    pub at: Option<Timestamp>,
    /// The submissions of this shard, in the order of their students' ids.
    pub places: Vec<Place>,
    /// One line for each submission that cannot even be looked at.
    pub refused: Vec<String>,
    /// Whether a whole class was given.
    pub is_class: bool,
    /// Who of this shard is on the roster and not among the submissions of a whole class.
    pub absent: Vec<String>,
}

impl Inputs {
    pub fn read(args: &Grade, course: &Course) -> anyhow::Result<Self> {
        let policy = match &args.policy {
            None => Policy::without_file(course),
            Some(path) => Policy::parse(&text(path, "policy")?, course)
                .map_err(|error| Usage(format!("{}: {error}", path.display())))?,
        };
        let roster = match &args.roster {
            Some(path) => Some(roster(path, policy.zone())?),
            None => None,
        };
        let secret = args.seed_file.as_deref().map(secret).transpose()?;
        let at = args.submitted_at.as_deref().map(time).transpose()?;
        let shard = match &args.shard {
            None => None,
            Some(text) => Some(text.parse::<Shard>().map_err(|error| Usage(error.to_string()))?),
        };
        let found = submission::many(&args.submissions, course);
        let ours = |id: &str| shard.is_none_or(|shard| shard.has(id));
        let absent = match &roster {
            Some(roster) if found.is_class => absent(roster, &found, ours),
            _ => vec![],
        };
        let is_class = found.is_class;
        let mut places = found.submissions;
        places.retain(|place| ours(&place.id));
        let refused: Vec<String> =
            found.refused.into_iter().filter(|r| ours(&r.id)).map(|r| r.line).collect();
        if places.is_empty() && shard.is_none() {
            refused.iter().for_each(|line| eprintln!("warning: {}", sanitise(line)));
            return Err(Usage(
                "nothing to grade: a submission is a folder, an archive or a .cu file that mirrors exercises/".into(),
            )
            .into());
        }
        Ok(Self { policy, roster, secret, at, places, refused, is_class, absent })
    }

    /// When a student's submission was handed in, if anybody knows.
    pub fn told(&self, id: &str) -> Option<Timestamp> {
        let entry = self.roster.as_ref().and_then(|roster| roster.entry(id));
        entry.and_then(|entry| entry.submitted_at).or(self.at)
    }
}

/// Who of the roster handed in nothing; who handed in twice, or a link, did.
fn absent(roster: &Roster, found: &Found, ours: impl Fn(&str) -> bool) -> Vec<String> {
    let there = found.submissions.iter().map(|place| &place.id);
    let there: BTreeSet<&String> = there.chain(found.refused.iter().map(|r| &r.id)).collect();
    let ids = roster.students.iter().map(|entry| &entry.student.id);
    ids.filter(|id| ours(id) && !there.contains(id)).cloned().collect()
}

/// Reads the class list.
pub fn roster(path: &Path, zone: Option<&TimeZone>) -> anyhow::Result<Roster> {
    let bytes = bytes(path, "roster")?;
    Roster::parse(&bytes, None, zone)
        .map_err(|error| Usage(format!("{}: {error}", path.display())).into())
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
