//! JUnit XML, in the two dialects that exclude each other.
//!
//! * GitLab reads `lib/gitlab/ci/parsers/test/junit.rb`: `file` of a test case becomes a link; of
//!   `failure` and `error` the text is shown and the attributes are not; cases with the same suite,
//!   class and name are dropped; `[[ATTACHMENT|path]]` in `system-out` is a link to an artifact.
//! * Jenkins validates against `junit-10.xsd` (xunit plugin), which knows no `file` of a test case;
//!   it shows a tree of packages and classes made from `classname`, and `message` above the text.
//!
//! Both colour a job by `failure` and `error` alone, so what was not tried is `skipped`. What the
//! machine could not grade is an `error`.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use crate::record::{Exercise, Record};

use super::checks::{Check, State, checks, class, path};
use super::{Audience, Error, Format, Write};
use crate::text::{line, plain};

/// The dialect of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// Test cases have the attribute `file`.
    Gitlab,
    /// Valid after `junit-10.xsd`.
    Jenkins,
}

/// JUnit XML as GitLab reads it, for any number of students.
pub static GITLAB: Format = Format {
    name: "junit",
    file_name: "junit.xml",
    audience: Audience::Student,
    write: Write::Class(|records, _| write(&GITLAB, records, Dialect::Gitlab)),
};

/// JUnit XML that is valid after Jenkins' schema, for any number of students.
pub static JENKINS: Format = Format {
    name: "junit-jenkins",
    file_name: "junit.xml",
    audience: Audience::Student,
    write: Write::Class(|records, _| write(&JENKINS, records, Dialect::Jenkins)),
};

/// Writes the document; where there are several students, classes begin with the student's id.
///
/// # Errors
/// When the document cannot be written.
fn write(format: &Format, records: &[Record], dialect: Dialect) -> Result<String, Error> {
    let mut out = Vec::new();
    let fail = |reason: String| Error::Write { format: format.name, reason };
    document(&mut out, records, dialect).map_err(|error| fail(error.to_string()))?;
    String::from_utf8(out).map_err(|error| fail(error.to_string()))
}

fn document(out: &mut Vec<u8>, records: &[Record], dialect: Dialect) -> std::io::Result<()> {
    let mut suites = vec![];
    for record in records {
        for exercise in &record.exercises {
            let student = (records.len() > 1).then(|| line(&record.student.id));
            suites.push(Suite::new(exercise, student));
        }
    }
    let mut writer = Writer::new_with_indent(out, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let title = records.first().map(|record| line(&record.made.title)).unwrap_or_default();
    let mut root = BytesStart::new("testsuites");
    root.push_attribute(("name", title.as_str()));
    let sum = |count: fn(&Suite<'_>) -> usize| suites.iter().map(count).sum::<usize>().to_string();
    root.push_attribute(("tests", sum(|suite| suite.checks.len()).as_str()));
    root.push_attribute(("failures", sum(|suite| suite.count(State::Failed)).as_str()));
    root.push_attribute(("errors", sum(|suite| suite.count(State::NotGraded)).as_str()));
    writer.write_event(Event::Start(root))?;
    for suite in &suites {
        suite.write(&mut writer, dialect)?;
    }
    writer.write_event(Event::End(BytesEnd::new("testsuites")))?;
    writer.write_indent()
}

/// An exercise.
struct Suite<'a> {
    class: String,
    exercise: &'a Exercise,
    checks: Vec<Check<'a>>,
}

impl<'a> Suite<'a> {
    fn new(exercise: &'a Exercise, student: Option<String>) -> Self {
        let class = match student {
            Some(student) => format!("{student}.{}", class(exercise)),
            None => class(exercise),
        };
        Self { class, exercise, checks: checks(exercise) }
    }

    fn count(&self, state: State) -> usize {
        self.checks.iter().filter(|check| check.state == state).count()
    }

    fn write(&self, writer: &mut Writer<&mut Vec<u8>>, dialect: Dialect) -> std::io::Result<()> {
        let mut start = BytesStart::new("testsuite");
        start.push_attribute(("name", self.class.as_str()));
        start.push_attribute(("tests", self.checks.len().to_string().as_str()));
        start.push_attribute(("failures", self.count(State::Failed).to_string().as_str()));
        start.push_attribute(("errors", self.count(State::NotGraded).to_string().as_str()));
        start.push_attribute(("skipped", self.count(State::Skipped).to_string().as_str()));
        start.push_attribute(("time", seconds(self.exercise.millis).as_str()));
        writer.write_event(Event::Start(start))?;
        for check in &self.checks {
            self.case(check, writer, dialect)?;
        }
        writer.write_event(Event::End(BytesEnd::new("testsuite")))
    }

    fn case(
        &self,
        check: &Check<'_>,
        writer: &mut Writer<&mut Vec<u8>>,
        dialect: Dialect,
    ) -> std::io::Result<()> {
        let mut start = BytesStart::new("testcase");
        start.push_attribute(("name", check.name.as_str()));
        start.push_attribute(("classname", self.class.as_str()));
        if dialect == Dialect::Gitlab {
            start.push_attribute(("file", path(check.exercise).as_str()));
        }
        let millis = check.item.map_or(0, |item| item.millis);
        start.push_attribute(("time", seconds(millis).as_str()));
        let what = match check.state {
            State::Held => return writer.write_event(Event::Empty(start)),
            State::Failed => "failure",
            State::NotGraded => "error",
            State::Skipped => "skipped",
        };
        writer.write_event(Event::Start(start))?;
        let mut detail = BytesStart::new(what);
        detail.push_attribute(("message", check.message.as_str()));
        if check.state == State::Skipped {
            // Jenkins prefers the attribute, and GitLab shows the text.
            text(writer, detail, &check.message)?;
        } else {
            detail.push_attribute(("type", check.slug.as_str()));
            text(writer, detail, &check.text())?;
        }
        writer.write_event(Event::End(BytesEnd::new("testcase")))
    }
}

/// An element with text, which the writer does not indent.
fn text(
    writer: &mut Writer<&mut Vec<u8>>,
    start: BytesStart<'_>,
    text: &str,
) -> std::io::Result<()> {
    let end = start.to_end().into_owned();
    writer.write_event(Event::Start(start.borrow()))?;
    writer.write_event(Event::Text(BytesText::new(&plain(text))))?;
    writer.write_event(Event::End(end))
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}
