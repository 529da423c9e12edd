//! Groups: students who submit together.
//!
//! ```text
//! group,id
//! team-1,ada@example.org
//! team-1,charles@example.org
//! ```
//!
//! A table with a column `group` and one with ids as on a roster, or a roster with such a column. A
//! submission with the name of a group, or with the id of one of its members, is of all of them. A
//! student without a group submits alone.

use std::collections::BTreeMap;

use crate::policy::{self, Problem};
use crate::record::Group;
use crate::roster::Roster;
use crate::text::shown;

/// Header of the column with the names of groups in a file of groups.
pub const COLUMN: &str = "group";

/// The groups of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Groups {
    by_name: BTreeMap<String, Group>,
    /// The name of each member's group.
    of: BTreeMap<String, String>,
}

impl Groups {
    /// The groups that a file of groups describes. With a `roster`, all members have to be on it.
    ///
    /// # Errors
    /// All problems by line; put the file's name before each. A row that were left out would cost a
    /// student the grade, so any wrong row is an error.
    pub fn parse(bytes: &[u8], roster: Option<&Roster>) -> Result<Self, policy::Error> {
        let one = |problem: crate::roster::Problem| Problem {
            line: usize::try_from(problem.line).unwrap_or(usize::MAX),
            what: problem.what.replace("the roster is empty", "the file is empty"),
        };
        let table = Roster::parse(bytes, None, None)
            .map_err(|problem| policy::Error(vec![one(problem)]))?;
        let mut problems: Vec<Problem> = table.problems.iter().cloned().map(one).collect();
        let listed = || roster.iter().flat_map(|roster| &roster.students);
        for entry in &table.students {
            let id = entry.student.id.as_str();
            if roster.is_some_and(|roster| roster.entry(id).is_none()) {
                let meant = policy::nearest(id, listed().map(|entry| entry.student.id.as_str()));
                let meant = meant.map(|id| format!("; did you mean `{id}`?")).unwrap_or_default();
                let line = usize::try_from(entry.line).unwrap_or(usize::MAX);
                problems
                    .push(Problem { line, what: format!("`{id}` is not on the roster{meant}") });
            }
        }
        match Self::of_column(&table, COLUMN) {
            Ok(groups) if problems.is_empty() => return Ok(groups),
            Ok(_) => {}
            Err(policy::Error(more)) => problems.extend(more),
        }
        problems.sort();
        Err(policy::Error(problems))
    }

    /// The groups in a column of a roster; students with an empty cell submit alone.
    ///
    /// # Errors
    /// When there is no such column, no group in it, or a group has the id of another student.
    pub fn of_column(roster: &Roster, column: &str) -> Result<Self, policy::Error> {
        let problem = |line: usize, what: String| policy::Error(vec![Problem { line, what }]);
        let headers = roster.students.first().map(|entry| &entry.student.columns);
        let headers: Vec<&String> = headers.into_iter().flat_map(BTreeMap::keys).collect();
        let Some(header) = headers.iter().find(|header| header.eq_ignore_ascii_case(column)) else {
            let listed: Vec<String> =
                headers.iter().map(|header| format!("`{}`", shown(header.as_bytes()))).collect();
            let column = shown(column.as_bytes());
            let what = format!("no column is called `{column}`; there are {}", listed.join(", "));
            return Err(problem(1, what));
        };
        let mut groups = Self::default();
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for entry in &roster.students {
            let cell = entry.student.columns.get(*header).map_or("", |cell| cell.trim());
            if cell.is_empty() {
                continue;
            }
            let name = shown(cell.as_bytes());
            let id = entry.student.id.clone();
            lines.entry(name.clone()).or_insert(usize::try_from(entry.line).unwrap_or(usize::MAX));
            let blank = Group { name: name.clone(), members: vec![] };
            groups.by_name.entry(name.clone()).or_insert(blank).members.push(id.clone());
            groups.of.insert(id, name);
        }
        if groups.by_name.is_empty() {
            return Err(problem(1, format!("the column `{}` is empty", shown(header.as_bytes()))));
        }
        let of_another = |name: &String| {
            roster.entry(name).is_some_and(|entry| groups.of.get(&entry.student.id) != Some(name))
        };
        let taken = groups.by_name.keys().filter(|name| of_another(name));
        let problems: Vec<Problem> = taken
            .map(|name| Problem {
                line: lines.get(name).copied().unwrap_or(1),
                what: format!(
                    "the group `{name}` has the id of a student who is not in it: rename the group"
                ),
            })
            .collect();
        if problems.is_empty() { Ok(groups) } else { Err(policy::Error(problems)) }
    }

    /// The group that a submission's name means: its own name, or the id of a member.
    pub fn find(&self, name: &str) -> Option<&Group> {
        self.by_name.get(self.of.get(name).map_or(name, String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str, roster: Option<&Roster>) -> String {
        Groups::parse(text.as_bytes(), roster).unwrap_err().to_string()
    }

    /// A submission is a group's by the group's name and by each member's id.
    #[test]
    fn groups_are_found_by_their_name_and_their_members() {
        let text = "\u{feff}group;id\r\nteam 1;ada\r\nteam 1;bob\r\nsolo;carl\r\n;dora\r\n";
        let groups = Groups::parse(text.as_bytes(), None).unwrap();
        for name in ["team 1", "ada", "bob"] {
            assert_eq!(groups.find(name).unwrap().members, ["ada", "bob"], "{name}");
        }
        assert_eq!(groups.find("carl").unwrap().name, "solo");
        assert!(groups.find("dora").is_none() && groups.find("Team 1").is_none());
        // a group may have the name of one of its members
        let own = Groups::parse(b"group,id\nada,ada\nada,bob\n", None).unwrap();
        assert_eq!(own.find("bob").unwrap().members, ["ada", "bob"]);
    }

    /// Each mistake has its line and a way out, and hostile text stays text.
    #[test]
    fn mistakes_have_lines() {
        let roster = Roster::parse(b"id\nada\nbob\ncharles\n", None, None).unwrap();
        insta::assert_snapshot!(errors("group,id\nt,ada\nt,chalres\nu,ada\nu\n", Some(&roster)), @r"
        line 3: `chalres` is not on the roster; did you mean `charles`?
        line 4: `ada` is already in line 2: this row is left out
        line 5: there are 1 columns, and the header has 2: a quote may be open, or a separator be missing
        ");
        insta::assert_snapshot!(errors("team,id\nt,ada\n", None), @"line 1: no column is called `group`; there are `id`, `team`");
        insta::assert_snapshot!(errors("group,who\nt,ada\n", None), @"line 1: no column is called `id`; there are `group`, `who`");
        insta::assert_snapshot!(errors("group,id\nbob,ada\nu,bob\n", None), @"line 2: the group `bob` has the id of a student who is not in it: rename the group");
        insta::assert_snapshot!(errors("group,id\n,ada\n", None), @"line 1: the column `group` is empty");
        insta::assert_snapshot!(errors("", None), @"line 1: the file is empty: it needs a header with a column `id`");
        let hostile = Groups::parse(b"group,id\n\"a\x1b[31m\nb\",ada\n", None).unwrap();
        assert_eq!(hostile.find("ada").unwrap().name, "a\\u{1b}[31m\\nb");
    }
}
