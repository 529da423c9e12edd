//! The statements on one line of the learner's source. The compiler's line table has one column for
//! each line, that of its first statement, and none for a function that is written on one line. So
//! where a line has several statements, only their text says which of them accesses an array.

use std::ops::RangeInclusive;

use super::scan::{Source, assignment, is_word, words};

/// Words that only the header of a function for the device has.
const HEADER_WORDS: [&str; 3] = ["__global__", "__device__", "__host__"];

/// A part of a line: its one-based column, its length, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Statement {
    column: u32,
    length: u32,
    text: String,
}

impl Source<'_> {
    /// Whether the line table's column is that of the statement which was executed.
    pub fn is_exact(&self, line: u32, column: u32) -> bool {
        let all = self.statements(line);
        let first = all.first().map_or(0, |first| first.column);
        all.len() < 2 || column > first && !all.iter().any(Statement::is_header)
    }

    /// Where the statements are that may have accessed `array`, on a line with several of them: one
    /// statement, or the part of the line that contains them all.
    pub fn accessing(&self, line: u32, array: Option<&str>) -> Option<(u32, u32)> {
        let mut all = self.statements(line);
        all.retain(|statement| !statement.is_header());
        let indexable = array.and_then(|name| self.declaration(name)).is_some_and(|d| d.indexable);
        let accesses = |name: &str| {
            all.iter().filter(|s| s.accesses(name, indexable)).collect::<Vec<&Statement>>()
        };
        let named = array.map(accesses).unwrap_or_default();
        let (first, last) = match (&named[..], &all[..]) {
            ([only], _) => (*only, *only),
            ([first, .., last], _) => (*first, *last),
            (_, [first, .., last]) => (first, last),
            (_, [only]) => (only, only),
            _ => return None,
        };
        Some((first.column, last.column + last.length - first.column))
    }

    /// Where the statements with a subscript or a dereferenced pointer are on a line with several
    /// statements. `None` if the line has only one statement.
    pub fn memory_accesses(&self, line: u32) -> Option<(u32, u32)> {
        let all = self.statements(line);
        let accesses = |s: &&Statement| {
            let pointer =
                s.text.starts_with('*') || s.text.contains(") *") || s.text.contains("= *");
            !s.is_header() && (s.text.contains('[') || s.text.contains("->") || pointer)
        };
        let mut found = all.iter().filter(accesses);
        let first = found.next().filter(|_| all.len() > 1)?;
        let last = found.next_back().unwrap_or(first);
        Some((first.column, last.column + last.length - first.column))
    }

    /// The only statement on these lines that reads the array `name`, or that writes it: its line,
    /// column and length.
    pub fn only_access(
        &self,
        mut lines: RangeInclusive<u32>,
        name: &str,
        write: bool,
    ) -> Option<(u32, u32, u32)> {
        let most = lines.end().saturating_sub(*lines.start());
        (most < 400).then_some(())?;
        let mut found = lines
            .by_ref()
            .flat_map(|line| self.statements(line).into_iter().map(move |s| (line, s)))
            .filter(|(_, s)| s.accesses(name, true) && s.does(name, write));
        let (line, only) = found.next()?;
        found.next().is_none().then_some((line, only.column, only.length))
    }

    /// The statements and headers of a line.
    fn statements(&self, line: u32) -> Vec<Statement> {
        let code = self.code_chars_from(line).take_while(|((at, _), c)| *at == line && *c != '\n');
        let (mut all, mut depth): (Vec<Statement>, i32) = (vec![], 0);
        let mut open = false;
        for ((_, column), c) in code {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth <= 0 && matches!(c, ';' | '{' | '}') {
                open = false;
            } else if !open && !c.is_whitespace() {
                all.push(Statement { column, length: 1, text: c.to_string() });
                open = true;
            } else if let Some(last) = all.last_mut().filter(|_| open) {
                last.text.push(c);
            }
        }
        for statement in &mut all {
            statement.text.truncate(statement.text.trim_end().len());
            statement.length = statement.text.chars().count() as u32;
        }
        all
    }
}

impl Statement {
    fn is_header(&self) -> bool {
        HEADER_WORDS.iter().any(|word| self.text.contains(word))
    }

    /// Whether the statement assigns to an element of `name`, or reads one.
    fn does(&self, name: &str, write: bool) -> bool {
        let Some(at) = assignment(&self.text) else { return !write };
        let names = |text: &str| {
            let chars: Vec<char> = text.chars().collect();
            words(&chars).filter(|(_, word)| word == name).count()
        };
        let (target, value) = self.text.split_at(at);
        let compound = target.trim_end().ends_with(['+', '-', '*', '/', '%', '&', '|', '^']);
        if write { names(target) > 0 } else { compound || names(value) > 0 || names(target) > 1 }
    }

    /// Whether the statement uses an element of `name`, or `name` itself if that is a single
    /// variable.
    fn accesses(&self, name: &str, indexable: bool) -> bool {
        let chars: Vec<char> = self.text.chars().collect();
        words(&chars).filter(|(_, word)| word == name).any(|(start, word)| {
            let after: String = chars.iter().skip(start + word.chars().count()).collect();
            let before: String = chars.iter().take(start).collect();
            let before = before.trim_end();
            let dereferenced = before.strip_suffix('*').is_some_and(|rest| {
                let rest = rest.trim_end();
                // what stands behind `if (...)` is no factor
                let condition = rest.ends_with(')')
                    && ["if", "while", "for"].iter().any(|word| self.text.starts_with(word));
                let operand = |c: char| is_word(c) || matches!(c, ')' | ']');
                condition || rest.ends_with("else") || !rest.ends_with(operand)
            });
            let element = after.trim_start().starts_with('[') || after.starts_with("->");
            !indexable || element || dereferenced
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, array: Option<&str>) -> Option<String> {
        let source = Source::new(text);
        let (column, length) = source.accessing(1, array)?;
        Some(text.chars().skip(column as usize - 1).take(length as usize).collect())
    }

    #[test]
    fn the_statement_that_accesses_an_array_is_found_on_its_line() {
        let kernel = "__global__ void add(const int* v, int* total, int n) { int i = threadIdx.x; if (i < n) { *total += v[i]; } }";
        assert_eq!(marked(kernel, Some("total")).as_deref(), Some("*total += v[i]"));
        assert_eq!(marked(kernel, Some("v")).as_deref(), Some("*total += v[i]"));
        let body = "int i = threadIdx.x; if (i < n) { *total += v[i]";
        assert_eq!(marked(kernel, None).as_deref(), Some(body));
        let alias =
            "    if (t < 32) { volatile int* v = s; v[t] += v[t + 32]; v[t] += v[t + 16]; }";
        let all = "if (t < 32) { volatile int* v = s; v[t] += v[t + 32]; v[t] += v[t + 16]";
        let with_shared = |name| {
            let text = format!("{alias}\n__shared__ int s[64];");
            let (column, length) = Source::new(&text).accessing(1, Some(name))?;
            Some(text.chars().skip(column as usize - 1).take(length as usize).collect::<String>())
        };
        assert_eq!(with_shared("s").as_deref(), Some(all), "another name for `s` is used");
        assert_eq!(with_shared("v").as_deref(), Some("v[t] += v[t + 32]; v[t] += v[t + 16]"));
        assert_eq!(
            marked("for (int i = 0; i < n; ++i) s += a[i];", None).as_deref(),
            Some("for (int i = 0; i < n; ++i) s += a[i]")
        );
        assert_eq!(marked("}", None), None);
    }

    #[test]
    fn the_statements_that_access_memory_are_found_on_their_line() {
        let marked = |text: &str| {
            let (column, length) = Source::new(text).memory_accesses(1)?;
            Some(text.chars().skip(column as usize - 1).take(length as usize).collect::<String>())
        };
        let line = "    while (i < n) { out[i] = f(a[i]); i += step * blockDim.x; }";
        assert_eq!(marked(line).as_deref(), Some("out[i] = f(a[i])"));
        assert_eq!(
            marked("if (t) { *p = 1; ++t; q->x = a[i]; }").as_deref(),
            Some("*p = 1; ++t; q->x = a[i]")
        );
        assert_eq!(marked("    for (int i = 0; i < n; ++i) s += a[i];"), None);
        assert_eq!(marked("    ++i; ++k;"), None);
    }

    #[test]
    fn one_statement_has_the_column_of_the_line_table() {
        let source = Source::new(
            "    out[i] = in[i];\n  int a = 1; out[a] = 2;\n__device__ int f(int* p) { return *p; }\n",
        );
        assert!(source.is_exact(1, 5) && source.is_exact(2, 14) && source.is_exact(9, 1));
        assert!(!source.is_exact(2, 3) && !source.is_exact(3, 30));
    }
}
