//! Reads calls in the learner's source.

use super::scan::Source;

/// An argument of a call as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its code.
    pub text: String,
    /// One-based line and column, and its length on that line.
    pub place: (u32, u32, u32),
}

impl Source<'_> {
    /// The arguments of the first call of `name` at or after a place, also of a launch. Empty if
    /// there is no such call within a few lines.
    pub fn call_arguments(&self, line: u32, name: &str) -> Vec<Argument> {
        let at = self.occurrences(name).into_iter().find(|(at, _)| *at == line);
        let Some((line, column)) = at else { return vec![] };
        let start = column + name.chars().count() as u32;
        let mut rest = self
            .code_chars_from(line)
            .skip_while(move |((at, place), _)| (*at, *place) < (line, start))
            .take_while(move |((at, _), _)| *at < line + 12)
            .peekable();
        // The configuration of a launch is skipped.
        let mut angles = 0_i32;
        loop {
            match rest.peek() {
                Some((_, '<')) => angles += 1,
                Some((_, '>')) => angles -= 1,
                Some((_, '(')) if angles <= 0 => break,
                Some((_, c)) if angles > 0 || c.is_whitespace() => {}
                _ => return vec![],
            }
            rest.next();
        }
        rest.next();
        let mut all: Vec<Argument> = vec![];
        let mut current: Option<Argument> = None;
        let mut depth = 0_i32;
        for ((at, place), c) in rest {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            if depth < 0 || (depth == 0 && c == ',') {
                all.extend(current.take());
                if depth < 0 {
                    break;
                }
                continue;
            }
            match &mut current {
                None if c.is_whitespace() => {}
                None => current = Some(Argument { text: c.into(), place: (at, place, 1) }),
                Some(argument) => {
                    argument.text.push(if c == '\n' { ' ' } else { c });
                    if at == argument.place.0 && !c.is_whitespace() {
                        argument.place.2 = place + 1 - argument.place.1;
                    }
                }
            }
        }
        for argument in &mut all {
            argument.text = argument.text.trim_end().to_owned();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_at_the_commas_of_the_call() {
        let source =
            Source::new("  f(a, g(b, c)[1],\n    (d + 2));\n  k<<<f(1), 2>>>(&x, n);\n h();\n");
        let texts = |line, name| -> Vec<String> {
            source.call_arguments(line, name).into_iter().map(|one| one.text).collect()
        };
        assert_eq!(texts(1, "f"), ["a", "g(b, c)[1]", "(d + 2)"]);
        assert_eq!(texts(3, "k"), ["&x", "n"]);
        assert_eq!(source.call_arguments(3, "k")[0].place, (3, 18, 2));
        assert!(texts(4, "h").is_empty() && texts(9, "f").is_empty());
    }
}
