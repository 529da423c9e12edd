//! A simple scan of the learner's source, which finds the expressions that a report marks. It never
//! decides a verdict.
//!
//! The compiler's line table gives the first column of a statement. This module searches its text
//! for names, with comments and strings blanked out. A report does not mark what it cannot find.

use std::ops::RangeInclusive;

use crate::report::Span;

/// Characters that are searched. Some searches take a time that grows with the square of the
/// length, and the checker searches the files of a whole class. No exercise needs a tenth of it.
const MAX_SEARCHED: usize = 32 << 10;
/// Characters of a line that is searched.
const MAX_SEARCHED_COLUMNS: usize = 500;

/// The learner's file, and the same with comments and string literals replaced by spaces.
///
/// Lines of more than [`MAX_SEARCHED_COLUMNS`], and all lines after [`MAX_SEARCHED`] characters,
/// are spaces, too.
pub struct Source<'a> {
    lines: Vec<&'a str>,
    code: Vec<Vec<char>>,
}

/// `name[subscript]` on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscript {
    /// One-based column.
    pub column: u32,
    /// Characters, with all subscripts.
    pub length: u32,
    /// The text between the first brackets.
    pub inner: String,
    /// True when the expression has one subscript only.
    pub flat: bool,
    /// True when something is assigned to it: `=`, `+=`, `++`.
    pub assigned: bool,
    /// True when it is read: everything but the target of a plain `=`.
    pub read: bool,
}

impl<'a> Source<'a> {
    /// Reads `text`.
    pub fn new(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut in_comment = false;
        let mut searched = 0;
        let mut code: Vec<Vec<char>> =
            lines.iter().map(|line| blank(line, &mut in_comment)).collect();
        for line in &mut code {
            searched += line.len();
            if line.len() > MAX_SEARCHED_COLUMNS || searched > MAX_SEARCHED {
                line.fill(' ');
            }
        }
        Self { lines, code }
    }

    /// The line as written, one-based.
    pub fn line(&self, line: u32) -> Option<&'a str> {
        self.lines.get(index(line)?).copied()
    }

    /// The line without comments and strings, one-based; columns are those of the original.
    fn code(&self, line: u32) -> Option<&[char]> {
        self.code.get(index(line)?).map(Vec::as_slice)
    }

    /// Number of lines.
    pub fn len(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    /// Every line's code as text, with its number.
    pub fn texts(&self) -> impl Iterator<Item = (u32, String)> + '_ {
        self.code.iter().enumerate().map(|(i, code)| (i as u32 + 1, code.iter().collect()))
    }

    /// The statement that starts at `column` (or the whole line's code when that is 0): up to its
    /// `;` or `{`.
    pub fn statement(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let code = self.code(line)?;
        let first = code.iter().position(|c| !c.is_whitespace())?;
        let start = index(column).unwrap_or(first).max(first);
        let rest = code.get(start..)?;
        // A `for (;;)` keeps its semicolons: only those outside parentheses end a statement.
        let mut depth = 0_i32;
        let mut end = rest.len();
        for (i, c) in rest.iter().enumerate() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                '{' | ';' if depth <= 0 => {
                    end = i;
                    break;
                }
                _ => {}
            }
        }
        let text = rest.get(..end)?;
        let length = end - text.iter().rev().take_while(|c| c.is_whitespace()).count();
        (length > 0).then_some((start as u32 + 1, length as u32))
    }

    /// The code of the statement that begins on `line`, up to its `;` or `{`, over at most `most`
    /// lines.
    pub fn statement_text(&self, line: u32, most: u32) -> String {
        self.statement_text_from(line, 1, most)
    }

    /// The code of the statement around `column`, of several on `line`. Column 0 is unknown:
    /// `None` then, unless the line has one statement only.
    pub fn statement_text_around(&self, line: u32, column: u32, most: u32) -> Option<String> {
        let code = self.code(line)?;
        if column == 0 {
            let last = code.iter().rposition(|c| !c.is_whitespace())?;
            let several = code.get(..last)?.iter().any(ends_statement);
            return (!several).then(|| self.statement_text(line, most));
        }
        Some(self.statement_text_from(line, self.start_around(line, column)?, most))
    }

    /// The statement around `column`, or the first one of the line if that is 0: up to its `;` or
    /// `{`.
    pub fn statement_around(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        if column == 0 {
            return self.statement(line, 0);
        }
        // The compiler gives code of a macro the column of the macro's own definition.
        let around = self.statement(line, self.start_around(line, column)?);
        around.or_else(|| self.statement(line, 0))
    }

    /// Of several statements on `line`, the one around `column` or else the first one with `text`
    /// in its code; `None` if no statement has it.
    pub fn statement_with(&self, line: u32, column: u32, text: &str) -> Option<(u32, u32)> {
        let code = self.code(line)?;
        let has = |(start, length): &(u32, u32)| {
            let first = (*start as usize).saturating_sub(1);
            let statement = code.get(first..first + *length as usize);
            statement.is_some_and(|s| s.iter().collect::<String>().contains(text))
        };
        let around = self.statement_around(line, column).filter(|_| column > 0);
        around.filter(has).or_else(|| {
            let starts = code.iter().enumerate().filter(|(_, c)| ends_statement(c));
            let starts = std::iter::once(0).chain(starts.map(|(at, _)| at as u32 + 2));
            starts
                .filter_map(|start| self.statement_around(line, start))
                .find(|statement| !text.is_empty() && has(statement))
        })
    }

    /// The statement at `column`, or the body of the function whose header that is, if the body
    /// begins on the same line: the compiler may give its code the place of the header.
    pub fn executed(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let (start, length) = self.statement(line, column)?;
        let code = self.code(line)?;
        let header: String =
            code.get(start as usize - 1..(start + length) as usize - 1)?.iter().collect();
        let control = ["if", "else", "for", "while", "do", "switch"];
        let first: String = header.chars().take_while(|c| is_word(*c)).collect();
        let rest = code.get((start + length) as usize - 1..)?;
        let opens = rest.iter().find(|c| !c.is_whitespace()) == Some(&'{');
        if !opens || !header.ends_with(')') || control.contains(&first.as_str()) {
            return Some((start, length));
        }
        let open = (start + length) as usize - 1 + rest.iter().position(|c| *c == '{')?;
        let body = code.get(open + 1..)?;
        let mut depth = 1_i32;
        let end = body.iter().position(|c| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            depth == 0
        });
        let body = body.get(..end.unwrap_or(body.len()))?;
        let text: String = body.iter().collect();
        let space = text.chars().take_while(|c| c.is_whitespace()).count();
        let length = text.trim().chars().count();
        let body = ((open + 1 + space) as u32 + 1, length as u32);
        Some(if length == 0 { (start, header.chars().count() as u32) } else { body })
    }

    /// The column at which the statement around `column` begins on `line`.
    fn start_around(&self, line: u32, column: u32) -> Option<u32> {
        let code = self.code(line)?;
        let before = code.get(..index(column)?.min(code.len()))?;
        let mut depth = 0_i32;
        // The semicolons in the head of a `for` end no statement.
        let end = before.iter().rposition(|c| {
            depth += i32::from(*c == ')') - i32::from(*c == '(');
            depth == 0 && ends_statement(c)
        });
        let start = end.map_or(0, |end| end + 1);
        let space = code.get(start..)?.iter().take_while(|c| c.is_whitespace()).count();
        Some((start + space) as u32 + 1)
    }

    fn statement_text_from(&self, line: u32, column: u32, most: u32) -> String {
        let mut text = String::new();
        let mut depth = 0_i32;
        let rest = self.chars(line).skip_while(|(at, _)| *at < (line, column));
        for (_, c) in rest.take_while(|((at, _), _)| *at < line.saturating_add(most)) {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                '{' | ';' if depth <= 0 => break,
                _ => {}
            }
            text.push(c);
        }
        text.trim().to_owned()
    }

    /// Whether `line` is where the function `name` begins.
    pub fn begins_function(&self, line: u32, name: &str) -> bool {
        let text = self.statement_text(line, 8);
        let before_body = self.chars(line).map(|(_, c)| c).skip_while(|c| *c != '(');
        let opens = before_body.take_while(|c| *c != ';').any(|c| c == '{');
        let chars: Vec<char> = text.chars().collect();
        // `operator` of `operator()`
        let name = name.trim_end_matches(|c: char| !is_word(c));
        opens && words(&chars).any(|(_, word)| word == name) && !text.contains('=')
    }

    /// The first and the last line of the body of the `if`, `for` or `while` on `line`, without its
    /// braces where they have lines of their own. `None` if there is no such statement, or if its
    /// body is empty.
    pub fn body(&self, line: u32, word: &str) -> Option<(u32, u32)> {
        let (_, start) = self.occurrences(word).into_iter().find(|(at, _)| *at == line)?;
        let mut rest =
            self.chars(line).skip_while(|((at, column), _)| (*at, *column) < (line, start));
        let mut depth = 0_i32;
        rest.find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            *c == ')' && depth == 0
        })?;
        let mut rest = rest.filter(|(_, c)| !c.is_whitespace());
        let ((open_line, _), open) = rest.next()?;
        if open == ';' {
            return None;
        }
        // The body ends where a statement or a block outside of all brackets does.
        let (mut round, mut curly) = (0_i32, i32::from(open == '{'));
        let mut lines = if open == '{' { None } else { Some((open_line, open_line)) };
        for ((at, _), c) in rest {
            round += i32::from(c == '(') - i32::from(c == ')');
            curly += i32::from(c == '{') - i32::from(c == '}');
            let block_ends = c == '}' && curly == 0;
            if !(block_ends && open == '{') {
                lines = Some((lines.map_or(at, |(first, _)| first), at));
            }
            if block_ends || (c == ';' && round == 0 && curly == 0) {
                return lines;
            }
        }
        None
    }

    /// The lines of the body of the function `name`, braces included.
    pub fn function_lines(&self, name: &str) -> Option<RangeInclusive<u32>> {
        let first = self.occurrences(name).into_iter().find_map(|(line, column)| {
            let before_body = self.chars(line).skip_while(|(at, _)| *at < (line, column));
            let mut end = before_body.skip_while(|(_, c)| *c != '(');
            end.find(|(_, c)| matches!(c, '{' | ';')).filter(|(_, c)| *c == '{').map(|(at, _)| at)
        })?;
        let mut depth = 0_i32;
        let body = self.chars(first.0).skip_while(|(at, _)| *at < first);
        let ((last, _), _) = body.into_iter().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            depth == 0
        })?;
        Some(first.0..=last)
    }

    /// The lines of each kernel, from its `__global__` to the end of its body.
    pub fn kernels(&self) -> Vec<RangeInclusive<u32>> {
        let starts = self.occurrences("__global__");
        starts.into_iter().filter_map(|start| Some(start.0..=self.end_of_body(start)?)).collect()
    }

    /// The last line of the body of the function whose declaration begins at `start`.
    fn end_of_body(&self, start: (u32, u32)) -> Option<u32> {
        let mut depth = 0_i32;
        let declaration = self.chars(start.0).skip_while(|(at, _)| *at < start);
        for ((line, _), c) in declaration {
            depth += i32::from(c == '{') - i32::from(c == '}');
            match c {
                '}' if depth <= 0 => return Some(line),
                ';' if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// The code from `line` to the end, with the position of each character and a line end after
    /// each line.
    fn chars(&self, line: u32) -> impl Iterator<Item = ((u32, u32), char)> + '_ {
        let lines = self.code.iter().enumerate().skip(index(line).unwrap_or(0));
        lines.flat_map(|(i, code)| {
            let ended = code.iter().copied().chain(['\n']);
            ended.zip(1..).map(move |(c, column)| ((i as u32 + 1, column), c))
        })
    }

    /// The code from the first line to the last, as [`Source::code_chars_from`] has it.
    pub fn code_chars(&self) -> impl Iterator<Item = ((u32, u32), char)> + '_ {
        self.chars(1)
    }

    /// The code from `line` on, without comments and strings, with the place of each character.
    pub fn code_chars_from(&self, line: u32) -> impl Iterator<Item = ((u32, u32), char)> + '_ {
        self.chars(line)
    }

    /// All of a line, without its indentation.
    pub fn whole_line(&self, line: u32) -> Option<(u32, u32, u32)> {
        let text = self.line(line)?;
        let indent = text.chars().take_while(|c| c.is_whitespace()).count();
        let length = text.trim().chars().count();
        (length > 0).then_some((line, indent as u32 + 1, length as u32))
    }

    /// The same part of the line without its first character and the space after it.
    pub fn without_first_char(
        &self,
        (line, column, length): (u32, u32, u32),
    ) -> Option<(u32, u32, u32)> {
        let rest = self.code(line)?.get(column as usize..(column + length) as usize - 1)?;
        let space = rest.iter().take_while(|c| c.is_whitespace()).count() as u32;
        (length > 1 + space).then(|| (line, column + 1 + space, length - 1 - space))
    }

    /// Every `name[...]` on `line`.
    pub fn subscripts(&self, line: u32, name: &str) -> Vec<Subscript> {
        let Some(code) = self.code(line) else { return Vec::new() };
        words(code)
            .filter(|(_, word)| word == name)
            .filter_map(|(start, word)| subscript(code, start, start + word.chars().count()))
            .collect()
    }

    /// The word (or single sign) at a one-based column.
    pub fn word(&self, line: u32, column: u32) -> Option<String> {
        let code: Vec<char> = self.line(line)?.chars().collect();
        let at = index(column)?;
        let word: String = code.get(at..)?.iter().take_while(|c| is_word(**c)).collect();
        if word.is_empty() { code.get(at).map(ToString::to_string) } else { Some(word) }
    }

    /// Every identifier in the file.
    pub fn identifiers(&self) -> impl Iterator<Item = String> + '_ {
        self.code.iter().flat_map(|code| words(code)).map(|(_, word)| word)
    }

    /// Whether the code has a variable of type `float`, or a vector of these.
    pub fn has_floats(&self) -> bool {
        self.identifiers().any(|word| word.starts_with("float"))
    }

    /// Lines that hold the word `word` in code, with its one-based column.
    pub fn occurrences(&self, word: &str) -> Vec<(u32, u32)> {
        let on = |(i, code): (usize, &Vec<char>)| -> Vec<(u32, u32)> {
            words(code)
                .filter(|(_, found)| found == word)
                .map(|(start, _)| (i as u32 + 1, start as u32 + 1))
                .collect()
        };
        self.code.iter().enumerate().flat_map(on).collect()
    }

    /// The last character of code before `line`:`column`: where a missing `;` belongs.
    pub fn end_before(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let here = self.code(line)?;
        let before = here.get(..index(column)?.min(here.len()))?;
        if let Some(at) = before.iter().rposition(|c| !c.is_whitespace()) {
            return Some((line, at as u32 + 1));
        }
        (1..line).rev().find_map(|line| {
            let at = self.code(line)?.iter().rposition(|c| !c.is_whitespace())?;
            Some((line, at as u32 + 1))
        })
    }

    /// Whether the line's code ends with the character at this column, and has more before it.
    pub fn ends_at(&self, line: u32, column: u32) -> bool {
        let (Some(code), Some(at)) = (self.code(line), index(column)) else { return false };
        let first = code.iter().position(|c| !c.is_whitespace());
        code.iter().rposition(|c| !c.is_whitespace()) == Some(at) && first != Some(at)
    }

    /// The header (`if (...)`, `for (...)`, ...) of the innermost block around `line` that starts
    /// with one of `words`.
    pub fn enclosing(&self, line: u32, column: u32, starts: &[&str]) -> Option<(u32, u32, u32)> {
        let mut depth = 0_i32;
        let mut end = index(column).unwrap_or(0);
        for number in (1..=line).rev() {
            let code = self.code(number)?;
            if number != line {
                end = code.len();
            }
            for at in (0..end.min(code.len())).rev() {
                match code.get(at) {
                    Some('}') => depth += 1,
                    Some('{') if depth > 0 => depth -= 1,
                    Some('{') => {
                        let text: String = code.iter().collect();
                        let header = text.trim_start_matches(['}', ' ', '\t']);
                        if starts.iter().any(|start| begins(header, start)) {
                            let column = (text.chars().count() - header.chars().count()) as u32 + 1;
                            let (column, length) = self.statement(number, column)?;
                            return Some((number, column, length));
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// The names of the parameters of the kernel called `kernel`, as the learner wrote them.
    pub fn parameters(&self, kernel: &str) -> Vec<String> {
        let all: Vec<char> =
            self.code.iter().flat_map(|code| code.iter().copied().chain(['\n'])).collect();
        let Some((start, word)) = words(&all).find(|(start, word)| {
            word == kernel && all.get(start + word.len()..).is_some_and(|r| starts_with(r, '('))
        }) else {
            return Vec::new();
        };
        let Some(open) = all.iter().skip(start + word.len()).position(|c| *c == '(') else {
            return Vec::new();
        };
        let mut depth = 0_i32;
        let inside = |c: &&char| {
            depth += i32::from(**c == '(') - i32::from(**c == ')');
            depth >= 0
        };
        let list: String =
            all.iter().skip(start + word.len() + open + 1).take_while(inside).collect();
        let name = |parameter: &String| {
            // neither the dimensions of an array nor a default belong to the name
            let declared = parameter.split(['[', '=']).next().unwrap_or_default();
            let chars: Vec<char> = declared.chars().collect();
            words(&chars).last().map(|(_, word)| word)
        };
        super::outline::split_list(&list).iter().filter_map(name).collect()
    }
}

/// Whether a statement computes what it assigns to from its old value: `a[i] += b`, `++*c`,
/// `*m = max(*m, key)`, `if (*m < key) *m = key`. An assignment to a variable with a plain name is
/// none, because it is no element of an array, unless `accessed` is the name of the memory that the
/// statement is known to access.
pub fn updates(statement: &str, accessed: Option<&str>) -> bool {
    let code: String = statement.chars().filter(|c| !c.is_whitespace()).collect();
    let is_element = |target: &str| {
        target.starts_with(['*', '(']) || target.ends_with(']') || accessed == Some(target)
    };
    if ["++", "--"].iter().any(|sign| {
        code.split_once(sign).is_some_and(|(before, after)| {
            let prefixed = after.split(|c| !is_word(c)).next().filter(|word| !word.is_empty());
            is_element(target_of(before))
                || prefixed.is_some_and(is_element)
                || after.starts_with('*')
                || after.contains('[')
        })
    }) {
        return true;
    }
    assignments(&code).any(|at| updates_in(&code, at, is_element))
}

/// Whether the assignment at a position of some code computes an element from its old value.
fn updates_in(code: &str, at: usize, is_element: impl Fn(&str) -> bool) -> bool {
    let (before, value) = (code.get(..at).unwrap_or(""), code.get(at + 1..).unwrap_or(""));
    let plain = before.trim_end_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
    let target = target_of(plain);
    let compound = plain.len() < before.len();
    let before = plain.strip_suffix(target).unwrap_or("");
    let uses_target = compound || value.contains(target) || before.contains(target);
    // `a[i] += a[i + 1]` reads another thread's element, too.
    let array = target.trim_start_matches(['*', '(']).split(|c| !is_word(c)).next().unwrap_or("");
    let rest: Vec<char> = format!("{before} {value}").replace(target, " ").chars().collect();
    let others = words(&rest).any(|(_, word)| word == array);
    is_element(target) && uses_target && !others
}

/// Whether a statement stores what an atomic function returns, or something made of it, in an
/// element that this function has changed: `hits[0] = atomicAdd(&hits[0], 1)`.
pub fn stores_beside_atomic(statement: &str) -> bool {
    let code: String = statement.chars().filter(|c| !c.is_whitespace()).collect();
    let Some(at) = assignment(&code) else { return false };
    let (before, value) = code.split_at(at);
    let array = target_of(before).trim_start_matches(['*', '(']).split(|c| !is_word(c)).next();
    let arguments = value.find("atomic").map(|call| value[call..].chars().collect::<Vec<char>>());
    arguments.is_some_and(|all| words(&all).any(|(_, word)| Some(word.as_str()) == array))
}

/// Whether code declares a reference of this name: `int &total`.
pub fn declares_reference(code: &str, name: &str) -> bool {
    code.match_indices('&').any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + 1..]);
        let rest = after.strip_prefix(name);
        let typed = before.trim_end().ends_with(|c: char| is_word(c) || c == '>');
        typed && rest.is_some_and(|rest| rest.trim_start().starts_with([',', ')', '=', ';']))
    })
}

/// The position of the `=` of the first assignment.
pub fn assignment(code: &str) -> Option<usize> {
    assignments(code).next()
}

/// The positions of the `=` of all assignments: a value may contain another one.
fn assignments(code: &str) -> impl Iterator<Item = usize> {
    let signs: Vec<char> = code.chars().collect();
    code.char_indices().enumerate().filter_map(move |(i, (at, c))| {
        let around = [i.checked_sub(1).and_then(|i| signs.get(i)), signs.get(i + 1)];
        let compares = around[1] == Some(&'=') || matches!(around[0], Some('=' | '!'));
        // `<=` compares, and `<<=` assigns.
        let before = i.checked_sub(2).and_then(|i| signs.get(i));
        let less = matches!(around[0], Some('<' | '>')) && before != around[0];
        (c == '=' && !compares && !less).then_some(at)
    })
}

/// What stands on the left of an assignment: the last `*p`, `(*p)`, `a[i]` or name of `code`.
fn target_of(code: &str) -> &str {
    let mut depth = 0_i32;
    let start = code.char_indices().rev().find(|(at, c)| {
        // Parentheses belong to it only around the whole, as in `(*p)++`, or in a subscript.
        let around = at + 1 == code.len() || depth > 0;
        depth += i32::from(*c == ']' || *c == ')' && around) - i32::from(matches!(c, '[' | '('));
        depth < 0 || depth == 0 && !(is_word(*c) || matches!(c, '[' | '(' | '.' | '*' | '>' | '-'))
    });
    let from = start.map_or(0, |(at, c)| at + c.len_utf8());
    code.get(from..).unwrap_or("")
}

/// A span that marks `length` characters.
pub fn span(line: u32, column: u32, length: u32, primary: bool, label: impl Into<String>) -> Span {
    Span { line, column, length: length.max(1), label: label.into(), primary }
}

fn index(one_based: u32) -> Option<usize> {
    usize::try_from(one_based.checked_sub(1)?).ok()
}

const fn ends_statement(c: &char) -> bool {
    matches!(*c, ';' | '{' | '}')
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn starts_with(code: &[char], sign: char) -> bool {
    code.iter().find(|c| !c.is_whitespace()) == Some(&sign)
}

fn begins(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_word))
}

/// Identifiers and keywords with their zero-based starts.
pub fn words(code: &[char]) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(c) = code.get(at) {
            let start = at;
            if !is_word(*c) {
                at += 1;
                continue;
            }
            while code.get(at).is_some_and(|c| is_word(*c)) {
                at += 1;
            }
            if !c.is_ascii_digit() {
                return Some((start, code.get(start..at)?.iter().collect()));
            }
        }
        None
    })
}

fn subscript(code: &[char], start: usize, name_end: usize) -> Option<Subscript> {
    let mut end = name_end;
    let mut inner: Option<String> = None;
    let mut subscripts = 0;
    while code.get(end..).is_some_and(|rest| starts_with(rest, '[')) {
        let open = end + code.get(end..)?.iter().position(|c| *c == '[')?;
        let close = closing(code, open)?;
        inner.get_or_insert_with(|| code.iter().take(close).skip(open + 1).collect());
        subscripts += 1;
        end = close + 1;
    }
    let inner = inner?.trim().to_owned();
    let rest: String = code.get(end..)?.iter().filter(|c| !c.is_whitespace()).take(3).collect();
    let plain = rest.starts_with('=') && !rest.starts_with("==");
    let compound = rest.starts_with("++")
        || rest.starts_with("--")
        || (rest.starts_with(['+', '-', '*', '/', '%', '&', '|', '^'])
            && rest.get(1..2) == Some("="))
        || rest.starts_with("<<=")
        || rest.starts_with(">>=")
        || code.get(..start).is_some_and(|before| {
            let before: String = before.iter().collect();
            before.trim_end().ends_with("++") || before.trim_end().ends_with("--")
        });
    Some(Subscript {
        column: start as u32 + 1,
        length: (end - start) as u32,
        inner,
        flat: subscripts == 1,
        assigned: plain || compound,
        read: !plain,
    })
}

fn closing(code: &[char], open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in code.iter().enumerate().skip(open) {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The line with comments, string and character literals as spaces.
fn blank(line: &str, in_comment: &mut bool) -> Vec<char> {
    let mut code: Vec<char> = line.chars().collect();
    let mut quote: Option<char> = None;
    let mut at = 0;
    while at < code.len() {
        let (c, next) = (code.get(at).copied(), code.get(at + 1).copied());
        let mut erase = 1;
        match (quote, c, next) {
            _ if *in_comment => {
                if (c, next) == (Some('*'), Some('/')) {
                    *in_comment = false;
                    erase = 2;
                }
            }
            (Some(_), Some('\\'), _) => erase = 2,
            (Some(q), Some(c), _) => {
                if c == q {
                    quote = None;
                }
            }
            (None, Some('/'), Some('/')) => erase = code.len() - at,
            (None, Some('/'), Some('*')) => {
                *in_comment = true;
                erase = 2;
            }
            (None, Some(q @ ('"' | '\'')), _) => quote = Some(q),
            _ => {
                at += 1;
                continue;
            }
        }
        for c in code.iter_mut().skip(at).take(erase) {
            *c = ' ';
        }
        at += erase;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KERNEL: &str = r#"extern "C" __global__ void k(const float* a, float* result,
                              int n) {
    // result[9] = 1;
    for (int s = n; s > 0; s /= 2) {
        tile[tid] += tile[tid + s]; /* tile[3] */
        if (tid < s) {
            __syncthreads();
        }
    }
    result[row * n + col] = m[y][x[0]];
}
"#;

    /// The time that searches take does not grow with what a student pads a file with.
    #[test]
    fn what_is_too_long_is_not_searched() {
        let long = format!("{}\nint b;\n", "int a; ".repeat(100));
        assert_eq!(Source::new(&long).texts().map(|(_, code)| code).nth(1).unwrap(), "int b;");
        assert!(Source::new(&long).texts().next().unwrap().1.trim().is_empty());
        let many = "int a;\n".repeat(20_000);
        let searched =
            Source::new(&many).texts().filter(|(_, code)| !code.trim().is_empty()).count();
        assert_eq!(searched, MAX_SEARCHED / 6);
    }

    /// The marks under a learner's code are where the fault is.
    #[test]
    fn finds_the_expressions_that_matter() {
        let source = Source::new(KERNEL);
        let tiles = source.subscripts(5, "tile");
        assert_eq!(tiles.len(), 2, "the one in the comment does not count");
        assert_eq!((tiles[0].column, tiles[0].assigned, tiles[0].read), (9, true, true));
        assert_eq!((tiles[1].column, tiles[1].length), (22, 13));
        assert_eq!((tiles[1].inner.as_str(), tiles[1].assigned), ("tid + s", false));
        assert!(source.subscripts(3, "result").is_empty(), "a comment");
        let written = &source.subscripts(10, "result")[0];
        assert!(written.assigned && !written.read && written.flat);
        assert!(!source.subscripts(10, "m")[0].flat);
        assert_eq!(source.subscripts(10, "m")[0].length, 10);
        assert_eq!(source.statement(4, 5), Some((5, 30)));
        assert_eq!(source.parameters("k"), ["a", "result", "n"]);
        assert_eq!(source.enclosing(7, 13, &["if"]), Some((6, 9, 12)));
        assert_eq!(source.enclosing(7, 13, &["for", "while"]), Some((4, 5, 30)));
        assert_eq!(source.end_before(11, 1), Some((10, 39)));
        assert_eq!(source.statement_text(1, 6).split_whitespace().last(), Some("n)"));
        assert_eq!(source.statement_text(5, 6), "tile[tid] += tile[tid + s]");
        assert_eq!(source.function_lines("k"), Some(2..=11));
        let two = Source::new("  cudaMalloc(&a, n); cudaMalloc(&b, n);\n  f(x);\n");
        let around = |line, column| two.statement_text_around(line, column, 4);
        assert_eq!(around(1, 13).as_deref(), Some("cudaMalloc(&a, n)"));
        assert_eq!(around(1, 32).as_deref(), Some("cudaMalloc(&b, n)"));
        assert_eq!((around(1, 0), around(2, 0).as_deref()), (None, Some("f(x)")));
        assert_eq!(
            (two.statement_around(1, 13), two.statement_around(1, 32)),
            (Some((3, 17)), Some((22, 17)))
        );
        assert_eq!(two.statement_around(2, 90), Some((3, 4)), "a column of another file");
        assert_eq!((source.body(4, "for"), source.body(6, "if")), (Some((5, 8)), Some((7, 7))));
        assert_eq!((source.body(4, "if"), source.body(10, "if")), (None, None));
        let short =
            Source::new("if (a)\n  b =\n 1;\nwhile (f(x));\nif (a) { b = 1; }\nif (c) {\n}\n");
        assert_eq!((short.body(1, "if"), short.body(4, "while")), (Some((2, 3)), None));
        assert_eq!((short.body(5, "if"), short.body(6, "if")), (Some((5, 5)), None));
        let nested = Source::new(
            "for (;;)\n  for (int i = 0; i < 2; i++)\n    x = f(i);\nif (a) { b;\n c; }\n",
        );
        assert_eq!((nested.body(1, "for"), nested.body(4, "if")), (Some((2, 3)), Some((4, 5))));
    }

    #[test]
    fn updates_of_elements() {
        let yes = [
            "*c += 1",
            "(*hits)++",
            "++*hits",
            "bins[b[i]] += 1",
            "bins[b] = bins[b] + 1",
            "*longest = max(*longest, key)",
            "if (*m < key) *m = key",
            "a[0] <<= 2",
        ];
        let no = [
            "out[i] = in[i]",
            "x += a[i]",
            "a[i] = a[i + 1]",
            "*c = 1",
            "if (a[i] <= 2) b[i] = 3",
            "a[i] += a[i + s]",
            "t[i] = f(t[i], t[j])",
            "",
            "=",
        ];
        for text in yes {
            assert!(updates(text, None), "{text}");
        }
        for text in no {
            assert!(!updates(text, None), "{text}");
        }
        for text in ["total += v[i]", "total = total + v[i]", "++total", "if (i < n) total += v[i]"]
        {
            assert!(updates(text, Some("total")) && !updates(text, Some("v")), "{text}");
        }
    }

    #[test]
    fn an_assignment_may_store_beside_an_atomic_function() {
        for text in ["hits[0] = atomicAdd(&hits[0], 1)", "*sum = atomicAdd(sum, v) + v"] {
            assert!(stores_beside_atomic(text), "{text}");
        }
        let others = ["place = atomicAdd(&hits[0], 1)", "atomicAdd(&hits[0], v)", "hits[0] += 1"];
        for text in others.into_iter().chain(["out[i] = atomicMax(&best[b], v)", "", "= atomic"]) {
            assert!(!stores_beside_atomic(text), "{text}");
        }
    }

    proptest! {
        /// A learner's file can be anything.
        #[test]
        fn never_panics(text in "(?s).{0,200}", line in 0u32..12, column in 0u32..60) {
            let source = Source::new(&text);
            source.statement(line, column);
            source.subscripts(line, "a");
            source.enclosing(line, column, &["if", "for"]);
            source.end_before(line, column);
            source.word(line, column);
            source.statement_text(line, 6);
            source.statement_text_around(line, column, 6).as_deref().map(|text| updates(text, Some("a")));
            stores_beside_atomic(&text);
            source.statement_around(line, column);
            source.parameters("a");
        }
        #[test]
        fn never_panics_on_code(text in "[a-c\\[\\](){};=+/*\"' \n]{0,200}", line in 0u32..12, column in 0u32..60) {
            let source = Source::new(&text);
            source.statement(line, column);
            source.subscripts(line, "a");
            source.enclosing(line, column, &["a", "b"]);
            source.end_before(line, column);
            source.parameters("a");
            source.body(line, "a");
            source.statement_text(line, 6);
        }
    }
}
