//! The conditions by which threads part: some wait in a branch, and others did not enter it.
//!
//! A report blames a condition only if the run shows a thread for which it failed.

use ptxsim::{Access, Action};

use super::scan::{Source, is_word, span};
use super::scene::Scene;
use crate::report::Span;

/// A line and a column.
type Place = (u32, u32);

/// The header of a block of code, such as `if (tid == 0)`, and the places of its braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    line: u32,
    column: u32,
    length: u32,
    open: Place,
    close: Place,
    /// The text between the parentheses.
    pub condition: String,
}

impl Branch {
    /// Marks the header.
    pub fn mark(&self, label: impl Into<String>) -> Span {
        span(self.line, self.column, self.length, false, label)
    }

    fn contains(&self, place: Place) -> bool {
        (self.open..self.close).contains(&place)
    }
}

/// The innermost branch around the place where one thread is, into which the run shows that the
/// other thread did not go. It is in the function of that place, or in the one that calls it.
pub fn parting<'a>(scene: &Scene<'a>, inside: &Access, outside: &Access) -> Option<Branch> {
    let source = scene.source;
    places(scene, inside).find_map(|place| {
        let branch = around(source, place)?;
        let function = source.function_around(branch.line)?;
        let other = places(scene, outside).find(|p| (function.line..=function.end).contains(&p.0));
        // a thread whose place is not known has left the kernel
        let Some(other) = other else {
            return (outside.action == Action::Exit).then_some(branch);
        };
        let failed = match outside.action {
            // the line of its last branch: an early `return` stands before the condition or inside
            Action::Exit => {
                other.0 == branch.line
                    || other.0 > branch.line && !branch.contains(other)
                    || other.0 > place.0
            }
            _ if branch.contains(other) => false,
            _ if other > branch.close => true,
            // in the next iteration of a loop, or in the other branch
            _ => {
                let in_loop = scene.common_loop(inside, outside);
                in_loop.is_some_and(|line| line < branch.line) || is_else_of(source, &branch, other)
            }
        };
        failed.then_some(branch)
    })
}

/// A local variable that alone is the condition of a branch, with the value of the condition's
/// variable inside it. Each thread has a variable of its own.
pub fn own_variable<'b>(source: &Source<'_>, branch: &'b Branch) -> Option<(&'b str, bool)> {
    let name = branch.condition.trim();
    let negated = name.strip_prefix('!').map(str::trim);
    let name = negated.unwrap_or(name);
    let found =
        source.declaration_before(name, branch.line).filter(|_| name.chars().all(is_word))?;
    let function = source.function_around(branch.line)?;
    let local = !found.parameter && (function.line..=function.end).contains(&found.line);
    let shared = source.before(found.line, found.column).contains("__shared__");
    (local && !shared).then_some((name, negated.is_none()))
}

/// The line of an access and of the call of the function that it is in, in the learner's file.
fn places(scene: &Scene<'_>, access: &Access) -> impl Iterator<Item = Place> {
    let own = scene.shows(access).then_some(&access.source);
    let all = [own, access.called_from.as_ref()].into_iter().flatten();
    all.map(|source| (source.line, source.column)).collect::<Vec<_>>().into_iter()
}

/// The innermost branch around a place.
fn around(source: &Source<'_>, (line, column): Place) -> Option<Branch> {
    let (line, column, length) = source.enclosing(line, column, &["if", "else", "while"])?;
    let mut code = source.code_chars_from(line).skip_while(|(at, _)| *at < (line, column));
    let (mut depth, mut condition, mut ended) = (0_i32, String::new(), false);
    let (open, _) = code.find(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        ended |= *c == ')' && depth == 0;
        let first = *c == '(' && depth == 1;
        if depth > 0 && !first && !ended {
            condition.push(*c);
        }
        *c == '{' && depth == 0
    })?;
    let mut depth = 1;
    let (close, _) = code.find(|(_, c)| {
        depth += i32::from(*c == '{') - i32::from(*c == '}');
        depth == 0
    })?;
    Some(Branch { line, column, length, open, close, condition })
}

/// Whether `branch` is the `else` of the branch around `other`, or the other way round.
fn is_else_of(source: &Source<'_>, branch: &Branch, other: Place) -> bool {
    around(source, other).is_some_and(|first| {
        let between = source.code_chars_from(first.close.0);
        let between =
            between.filter(|(at, c)| *at > first.close && *at < branch.open && *c != '\n');
        let text: String = between.map(|(_, c)| c).collect();
        text.trim_start().starts_with("else") && !text.contains(['{', '}', ';'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_has_a_condition_and_an_end() {
        let source = Source::new(
            "void k() {\n    bool last = f(1);\n    if (!last) {\n        g({1});\n    } else {\n        h();\n    }\n}\n",
        );
        let branch = around(&source, (4, 9)).expect("a branch");
        assert_eq!((branch.line, branch.open, branch.close), (3, (3, 16), (5, 5)));
        assert_eq!(own_variable(&source, &branch), Some(("last", false)));
        let other = around(&source, (6, 9)).expect("the other branch");
        assert!(is_else_of(&source, &other, (4, 9)));
    }
}
