//! Markers in a page: `{{#name argument}}` on a line of its own, outside code.

use super::Problem;
use checker::spec::Spec;

/// One marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker<'a> {
    /// `exercise`.
    pub name: &'a str,
    /// `blocks`.
    pub argument: Option<&'a str>,
}

impl<'a> Marker<'a> {
    /// The name after the marker's own.
    ///
    /// # Errors
    /// When there is none.
    pub fn name_of(&self) -> Result<&'a str, Problem> {
        self.argument.ok_or_else(|| Problem::NameMissing(self.name.to_owned()))
    }

    /// The exercise that it names.
    ///
    /// # Errors
    /// When there is no such exercise.
    pub fn spec(&self) -> Result<&'static Spec, Problem> {
        Ok(checker::exercises::find(self.name_of()?)?)
    }
}

/// The marker, if the line is one.
fn parse(line: &str) -> Option<Marker<'_>> {
    let inside = line.trim().strip_prefix("{{#")?.strip_suffix("}}")?;
    let mut words = inside.split_whitespace();
    Some(Marker { name: words.next()?, argument: words.next() })
}

/// Replaces every marker of `page` with what `piece` returns for it.
///
/// # Errors
/// The one-based line of the first marker for which `piece` fails, and its error.
pub fn replace(
    page: &str,
    mut piece: impl FnMut(&Marker) -> Result<String, Problem>,
) -> Result<String, (usize, Problem)> {
    let mut out = String::with_capacity(page.len());
    let mut fenced = false;
    for (number, line) in page.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        match parse(line).filter(|_| !fenced) {
            Some(marker) => {
                out.push_str(&piece(&marker).map_err(|problem| (number + 1, problem))?);
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(marker: &Marker) -> Result<String, Problem> {
        Ok(format!("<{} {}>", marker.name, marker.argument.unwrap_or("-")))
    }

    #[test]
    fn only_whole_lines_outside_code_are_markers() {
        let page = "a\n  {{#quiz ch01}}\nin {{#text x}} a line\n```\n{{#quiz ch01}}\n```\n{{#diagnostics}}\n";
        let expected =
            "a\n<quiz ch01>\nin {{#text x}} a line\n```\n{{#quiz ch01}}\n```\n<diagnostics ->\n";
        assert_eq!(replace(page, echo).expect("no marker is refused"), expected);
    }

    #[test]
    fn a_failing_marker_is_named_by_its_line() {
        let refuse = |m: &Marker| Err(Problem::UnknownMarker(m.name.to_owned()));
        let (line, problem) = replace("a\n\n{{#oops}}\n", refuse).expect_err("refused");
        assert_eq!((line, problem.to_string().as_str()), (3, "there is no marker `oops`"));
    }
}
