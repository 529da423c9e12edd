//! An `if` or a loop whose body is only a `;`, about which the CUDA compilers don't warn.

use super::scan::{Source, is_word};

/// A character of the source's code with its line and column.
type Placed = ((u32, u32), char);

impl Source<'_> {
    /// Says which code the `;` right after an `if`, `for` or `while` separates from it. The rule is
    /// that of clang's `-Wempty-body`: the `;` is on the line of the `)`, and behind a loop, what
    /// follows is a block or looks like the loop's body because it is further to the right.
    pub fn empty_body(&self) -> Option<String> {
        let code: Vec<Placed> = self.code_chars().collect();
        let directives = self.directive_lines();
        let words = ["if", "for", "while"]
            .iter()
            .flat_map(|word| self.occurrences(word).into_iter().map(move |place| (place, *word)));
        let mut places: Vec<((u32, u32), &str)> =
            words.filter(|((line, _), _)| !directives.contains(line)).collect();
        places.sort_unstable();
        let (line, word, below) = places.into_iter().find_map(|(place, word)| {
            let follows = separated(&code, place, word)?;
            Some((place.0, word, follows))
        })?;
        let when = match word {
            "if" => "even if the condition is false",
            _ => "once, after the loop",
        };
        Some(format!(
            "line {line}: the `;` right after `{word} (...)` is its whole body, so the {below} runs {when}"
        ))
    }
}

/// What follows the empty body of the statement at a place; `None` if that has another body, or if
/// it is the end of a `do`.
fn separated(code: &[Placed], place: (u32, u32), word: &str) -> Option<&'static str> {
    let start = code.iter().position(|(at, _)| *at == place)?;
    let mut depth = 0_i32;
    let close = start
        + code.get(start..)?.iter().position(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            *c == ')' && depth == 0
        })?;
    let between: String = code.get(start..close)?.iter().map(|(_, c)| *c).collect();
    let header = between.get(word.len()..)?.trim_start();
    if !(header.starts_with('(') || header.starts_with("constexpr")) {
        return None;
    }
    // a loop that takes a lock has no other body
    if word == "while" && header.contains("atomic") {
        return None;
    }
    let solid = |from: usize| {
        let rest = code.get(from..)?;
        Some(from + rest.iter().position(|(_, c)| !c.is_whitespace())?)
    };
    let end = solid(close + 1).filter(|at| code[*at].1 == ';')?;
    if code[end].0.0 != code[close].0.0 || word == "while" && ends_do(code.get(..start)?) {
        return None;
    }
    let next = solid(end + 1)?;
    let name: String =
        code.get(next..)?.iter().map(|(_, c)| *c).take_while(|c| is_word(*c)).collect();
    let ((line, column), c) = code[next];
    let inside = line == place.0 || column > place.1;
    match (c, word) {
        ('}', _) => None,
        _ if name == "else" => None,
        ('{', _) => Some("block behind it"),
        (_, "if") => Some("statement behind it"),
        _ if inside => Some("statement behind it"),
        _ => None,
    }
}

/// Whether the code ends with the block of a `do`.
fn ends_do(before: &[Placed]) -> bool {
    let Some(end) = before.iter().rposition(|(_, c)| !c.is_whitespace()) else { return false };
    if before[end].1 != '}' {
        // `do statement; while (...);`
        let text: String = before.iter().map(|(_, c)| *c).collect();
        let last = text.trim_end().trim_end_matches(';').rsplit([';', '{', '}']).next();
        return last.is_some_and(|last| last.split(|c| !is_word(c)).any(|word| word == "do"));
    }
    let mut depth = 0_i32;
    let open = before[..=end].iter().rposition(|(_, c)| {
        depth += i32::from(*c == '}') - i32::from(*c == '{');
        depth == 0
    });
    let text: String = before.iter().take(open.unwrap_or(0)).map(|(_, c)| *c).collect();
    text.trim_end().rsplit(|c| !is_word(c)).next() == Some("do")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<String> {
        Source::new(text).empty_body()
    }

    #[test]
    fn an_empty_body_is_said_to_be_one() {
        let block = said("void f() {\n    if (idx < n);\n    {\n        x();\n    }\n}\n");
        assert_eq!(
            block.as_deref(),
            Some(
                "line 2: the `;` right after `if (...)` is its whole body, so the block behind it runs even if the condition is false"
            )
        );
        let host = said("void f() {\n    for (int k = 0; k < (n + 1); ++k);\n    {\n    }\n}\n");
        assert_eq!(
            host.as_deref(),
            Some(
                "line 2: the `;` right after `for (...)` is its whole body, so the block behind it runs once, after the loop"
            )
        );
        for text in [
            "    if (bin >= 0); atomicAdd(a, 1);\n",
            "    while (a\n           < b);\n        ++a;\n",
            "    if (a)\n        b();\n    if (c);\n    d();\n",
        ] {
            let text = said(text).unwrap_or_default();
            assert!(text.contains("so the statement behind it runs"), "{text}");
        }
    }

    #[test]
    fn a_loop_that_only_waits_is_right() {
        for text in [
            "    while (atomicCAS(&lock, 0, 1));\n    x += 1;\n",
            "    while (atomicCAS(&lock, 0, 1));\n    {\n        x += 1;\n    }\n",
            "    for (; x != 1; x /= 2)\n        ;\n    y();\n",
            "    for (k = 0; k < 1; k++);\n    if (idx < n) {\n    }\n",
            "    do {\n        x();\n    } while (y);\n    {\n    }\n",
            "    do x(); while (y); z();\n",
            "    if (a); else b();\n",
            "#if (A);\n{\n",
            "    for (int k = 0; k < n; ++k) { x(); }\n    int iffy(int); {\n",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }
}
