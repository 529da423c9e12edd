//! `submission_metadata.yml`, which Gradescope puts beside the folders of an export.
//!
//! Ruby writes it, so its keys are symbols:
//!
//! ```yaml
//! submission_456:
//!   :submitters:
//!   - :name: Ada Lovelace
//!     :sid: u1042
//!     :email: ada@example.org
//!   :created_at: 2026-10-02 23:00:00.000000000 Z
//! ```

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

use super::clue::Clue;
use crate::policy;

/// The file's name.
pub const FILE: &str = "submission_metadata.yml";

/// What it says of one folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Submitted {
    /// Who submitted it, each with the clues to find them; several for a group.
    pub submitters: Vec<Submitter>,
    /// When.
    pub at: Option<Timestamp>,
}

/// A student who submitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Submitter {
    /// Email address, student id or name, the first that is there.
    pub student: String,
    /// What identifies the student, the most certain first.
    pub clues: Vec<Clue>,
}

#[derive(Deserialize)]
struct Folder {
    #[serde(rename = ":submitters", default)]
    submitters: Option<Vec<Person>>,
    #[serde(rename = ":created_at")]
    created_at: Option<String>,
}

#[derive(Deserialize)]
struct Person {
    #[serde(rename = ":name")]
    name: Option<String>,
    #[serde(rename = ":sid")]
    sid: Option<String>,
    #[serde(rename = ":email")]
    email: Option<String>,
}

/// Reads the file's text; the keys of the result are the folders' names.
///
/// # Errors
/// One line that says what is wrong with it.
pub fn parse(text: &str) -> Result<BTreeMap<String, Submitted>, String> {
    let folders: BTreeMap<String, Folder> =
        serde_saphyr::from_str(text).map_err(|error| one_line(&error.to_string()))?;
    Ok(folders.into_iter().map(|(name, folder)| (name, folder.into())).collect())
}

fn one_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

impl From<Folder> for Submitted {
    fn from(folder: Folder) -> Self {
        Self {
            submitters: folder
                .submitters
                .into_iter()
                .flatten()
                .filter_map(Person::submitter)
                .collect(),
            at: folder.created_at.and_then(|text| policy::file::time(&text, None).ok()),
        }
    }
}

impl Person {
    fn submitter(self) -> Option<Submitter> {
        let of = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (email, sid, name) = (of(self.email), of(self.sid), of(self.name));
        let student = email.clone().or_else(|| sid.clone()).or_else(|| name.clone())?;
        let mut clues = vec![];
        if let Some(sid) = sid {
            clues.push(Clue::column("SID", &sid));
            clues.push(Clue::Username(sid));
        }
        if let Some(email) = email {
            clues.push(Clue::column("Email", &email));
            clues.push(Clue::column("Email address", &email));
            clues.push(Clue::Username(email));
        }
        clues.extend(name.map(Clue::Name));
        Some(Submitter { student, clues })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups, missing ids and times with and without zones, as Gradescope writes them.
    #[test]
    fn the_metadata_of_an_export() {
        let text = "---\nsubmission_456:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '0042'\n    :email: ada@example.org\n  - :name: Charles Babbage\n    :sid:\n    :email: cb@example.org\n  :created_at: 2026-10-02 23:00:00.337395000 Z\n  :score: 10.0\n  :status: processed\nsubmission_7:\n  :submitters: []\nsubmission_8:\n  :submitters:\n";
        let all = parse(text).unwrap();
        let one = &all["submission_456"];
        let students: Vec<&str> = one.submitters.iter().map(|s| s.student.as_str()).collect();
        assert_eq!(students, ["ada@example.org", "cb@example.org"]);
        assert_eq!(one.submitters[0].clues[0], Clue::column("SID", "0042"));
        assert_eq!(one.at, Some("2026-10-02T23:00:00.337395Z".parse().unwrap()));
        for none in ["submission_7", "submission_8"] {
            assert!(all[none].submitters.is_empty());
        }
    }

    /// It may have been edited, or made to harm.
    #[test]
    fn what_is_no_metadata() {
        assert!(parse("submission_1: 7").is_err());
        assert!(parse(": : :").is_err());
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n";
        assert!(parse(bomb).is_err());
    }
}
