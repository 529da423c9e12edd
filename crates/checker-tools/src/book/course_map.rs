//! A table of the chapters, with sums over the Specs of their exercises.

use std::fmt::Write;
use std::path::Path;

use super::html::inline;
use super::{Problem, read};
use checker::spec::Spec;

/// A table of all chapters with title, exercises and time. The titles are those of the lessons.
///
/// # Errors
/// When a chapter has no lesson.
pub fn show(root: &Path) -> Result<String, Problem> {
    let mut out = String::from(
        "<table class=\"wb-table wb-map\">\n<thead><tr><th>Chapter</th><th>Exercises</th><th>Time</th></tr></thead>\n<tbody>\n",
    );
    let all = checker::exercises::all();
    for exercises in all.chunk_by(|a, b| a.chapter == b.chapter) {
        let [first, ..] = exercises else { continue };
        let lesson = read(root.join("src").join(first.chapter).join("lesson.md"))?;
        let title = lesson.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
        let names: Vec<String> = exercises.iter().map(|spec| link(spec)).collect();
        let _ = writeln!(
            out,
            "<tr><th>{}. <a href=\"{}/lesson.md\">{}</a></th><td data-label=\"Exercises\">{}</td>\
             <td data-label=\"Time\">{}</td></tr>",
            number(first),
            first.chapter,
            inline(title),
            names.join(", "),
            time(exercises)
        );
    }
    let _ = writeln!(
        out,
        "</tbody>\n<tfoot><tr><th>Together</th><td data-label=\"Exercises\">{} exercises</td><td data-label=\"Time\">{}</td></tr></tfoot>\n</table>",
        all.len(),
        time(all)
    );
    Ok(out)
}

/// `ch01_threads` -> 1.
fn number(spec: &Spec) -> u32 {
    let digits: String = spec.chapter.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_default()
}

fn link(spec: &Spec) -> String {
    format!("<a href=\"{}/{1}.md\"><code>{1}</code></a>", spec.chapter, spec.id)
}

/// "1 h 35 min".
fn time(exercises: &[&Spec]) -> String {
    let minutes: u32 = exercises.iter().map(|spec| spec.minutes).sum();
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours}\u{a0}h {minutes}\u{a0}min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time of a chapter is the sum of the times of its exercises.
    #[test]
    fn a_chapter_takes_as_long_as_its_exercises() {
        let guard = checker::exercises::find("guard").expect("an exercise");
        assert_eq!(time(&[guard]), format!("{} min", guard.minutes));
        assert_eq!(time(&[guard; 6]), "1 h");
        assert_eq!(time(&[guard; 7]), "1\u{a0}h 10\u{a0}min");
        assert_eq!(number(guard), 1);
    }
}
