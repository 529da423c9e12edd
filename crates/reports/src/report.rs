//! A verdict in words: what the checker explains, what terminals and JSON show, and what a record
//! keeps.
//!
//! The checker names a verdict by an enum, and a record by the enum's text, because a record is
//! also about what is no verdict (a file that the machine could not grade). So [`Report`] is
//! generic over its slug.

use std::fmt::Display;

use serde::{Deserialize, Serialize, Serializer};

use crate::text::cut;

/// One message for a person, complete: renderers only lay it out. Its JSON is that of
/// `checker check --format json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report<S = String> {
    /// The exercise.
    pub exercise: String,
    /// The verdict's stable name: "out-of-bounds-write".
    pub slug: S,
    /// True when the exercise is passed.
    pub passed: bool,
    /// One line: what is wrong, or what passed.
    pub title: String,
    /// The file, relative to the workbook.
    pub file: String,
    /// The case, when the verdict is about one: "case `five blocks` (n = 1280, grid 5, block 256)".
    pub case: Option<String>,
    /// Marked source lines in reading order.
    pub spans: Vec<Span>,
    /// Lines of a table, first its header; columns are aligned by the renderer. Empty when there is
    /// none.
    pub table: Vec<Vec<String>>,
    /// Facts, a line each.
    pub notes: Vec<String>,
    /// One question to think about; never the answer.
    pub think: Option<String>,
    /// The place in the book that explains it, and the `explain` command.
    pub learn: Option<String>,
    /// The command that shows, line by line, what the thread in question does.
    pub trace: Option<String>,
    /// The command that repeats exactly this case.
    pub again: Option<String>,
    /// Whether it is about a whole program, and not about a kernel.
    pub program: bool,
    /// The output of the kernel or program, already cut and sanitised.
    pub printed: Option<String>,
    /// "simulator", "GPU: NVIDIA H200".
    pub device: String,
    /// Wall time of the whole check in milliseconds.
    pub millis: u64,
}

/// A marked place in a source file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Span {
    /// One-based line.
    pub line: u32,
    /// One-based first column.
    pub column: u32,
    /// Characters marked.
    pub length: u32,
    /// The label at the marked characters.
    pub label: String,
    /// The place that matters most; the others give context.
    pub primary: bool,
}

/// The most characters of a text in a record.
const MAX_RECORDED_CHARS: usize = 2000;
/// The most entries of a list in a record.
const MAX_RECORDED: usize = 64;

impl<S: Display> Report<S> {
    /// The report as a record keeps it. The fields that the record's exercise has itself
    /// (`exercise`, `file`, `millis`) or that only help in a workbook (`trace`, `program`) are left
    /// empty, and [`serialize_recorded`] does not write them.
    ///
    /// Names in a submission may have megabytes, so every text and every list has a limit. (What a
    /// program prints has another one.)
    pub fn into_recorded(self) -> Report {
        let short = |text: String| cut(&text, MAX_RECORDED_CHARS);
        let all = |texts: Vec<String>| texts.into_iter().take(MAX_RECORDED).map(short).collect();
        let span = |span: Span| Span { label: short(span.label), ..span };
        Report {
            exercise: String::new(),
            slug: self.slug.to_string(),
            passed: self.passed,
            title: short(self.title),
            file: String::new(),
            case: self.case,
            spans: self.spans.into_iter().take(MAX_RECORDED).map(span).collect(),
            table: self.table.into_iter().take(MAX_RECORDED).map(all).collect(),
            notes: all(self.notes),
            think: self.think.map(short),
            learn: self.learn,
            trace: None,
            again: self.again,
            program: false,
            printed: self.printed,
            device: self.device,
            millis: 0,
        }
    }
}

/// The fields of a report that a record's JSON has.
#[derive(Serialize)]
struct Recorded<'a> {
    slug: &'a str,
    passed: bool,
    title: &'a str,
    case: &'a Option<String>,
    spans: &'a [Span],
    table: &'a [Vec<String>],
    notes: &'a [String],
    think: &'a Option<String>,
    learn: &'a Option<String>,
    again: &'a Option<String>,
    printed: &'a Option<String>,
    device: &'a str,
}

/// Writes the fields of a report that a record keeps, for `#[serde(serialize_with)]`. They are read
/// as any other report.
///
/// # Errors
/// Those of the serializer.
pub fn serialize_recorded<T: Serializer>(
    report: &Option<Report>,
    serializer: T,
) -> Result<T::Ok, T::Error> {
    let recorded = report.as_ref().map(|report| Recorded {
        slug: &report.slug,
        passed: report.passed,
        title: &report.title,
        case: &report.case,
        spans: &report.spans,
        table: &report.table,
        notes: &report.notes,
        think: &report.think,
        learn: &report.learn,
        again: &report.again,
        printed: &report.printed,
        device: &report.device,
    });
    recorded.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report<&'static str> {
        Report {
            exercise: "guard".into(),
            slug: "out-of-bounds-write",
            passed: false,
            title: "thread 5 writes out[5]".into(),
            file: "exercises/ch01_threads/guard.cu".into(),
            case: Some("case `five`".into()),
            spans: vec![Span {
                line: 4,
                column: 2,
                length: 3,
                label: "here".into(),
                primary: true,
            }],
            table: vec![vec!["i".into(), "out".into()]],
            notes: vec!["out has 5 elements".into()],
            think: Some("why?".into()),
            learn: Some("the book".into()),
            trace: Some("checker trace guard".into()),
            again: Some("checker check guard".into()),
            program: true,
            printed: Some("hello".into()),
            device: "simulator".into(),
            millis: 12,
        }
    }

    /// Scripts and graders read these fields: they are the contract of `--format json`.
    #[test]
    fn the_json_of_a_report_has_every_field_in_order() {
        assert_eq!(
            serde_json::to_string(&report()).unwrap(),
            r#"{"exercise":"guard","slug":"out-of-bounds-write","passed":false,"title":"thread 5 writes out[5]","file":"exercises/ch01_threads/guard.cu","case":"case `five`","spans":[{"line":4,"column":2,"length":3,"label":"here","primary":true}],"table":[["i","out"]],"notes":["out has 5 elements"],"think":"why?","learn":"the book","trace":"checker trace guard","again":"checker check guard","program":true,"printed":"hello","device":"simulator","millis":12}"#
        );
    }

    /// A file of 700 bytes can have a name of megabytes, which would fill records and pages.
    #[test]
    fn a_record_keeps_short_texts_and_lists() {
        let long = "n".repeat(2 * MAX_RECORDED_CHARS);
        let label = long.clone();
        let span = Span { label, ..report().spans[0].clone() };
        let many = MAX_RECORDED + 6;
        let recorded = Report {
            title: long.clone(),
            spans: vec![span; many],
            table: vec![vec![long.clone(); many]; many],
            notes: vec![long.clone(); many],
            think: Some(long),
            ..report()
        }
        .into_recorded();
        let texts = [&recorded.notes]
            .into_iter()
            .chain(&recorded.table)
            .flat_map(|list| {
                assert_eq!(list.len(), MAX_RECORDED);
                list
            })
            .chain([&recorded.title, recorded.think.as_ref().unwrap()])
            .chain(recorded.spans.iter().map(|span| &span.label));
        for text in texts {
            assert_eq!(text.chars().count(), MAX_RECORDED_CHARS);
        }
        assert_eq!((recorded.table.len(), recorded.spans.len()), (MAX_RECORDED, MAX_RECORDED));
        assert!(recorded.title.ends_with('…'));
    }
}
