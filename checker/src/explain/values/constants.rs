//! Constants of the source that are infinite or NaN, from which such a result can come.

use super::super::scan::{Source, is_word};
use super::{Mismatch, Scene, Span, infinite, span};

/// The names of infinite constants: macros of `<math.h>` and of CUDA's `<math_constants.h>`, and
/// `std::numeric_limits<T>::infinity()`.
const INFINITE: [&str; 7] = [
    "INFINITY",
    "HUGE_VALF",
    "HUGE_VAL",
    "CUDART_INF_F",
    "CUDART_INF",
    "CUDART_INF_FP16",
    "infinity",
];

/// The same for NaN.
const NOT_A_NUMBER: [&str; 8] = [
    "NAN",
    "CUDART_NAN_F",
    "CUDART_NAN",
    "CUDART_NAN_FP16",
    "nanf",
    "nan",
    "quiet_NaN",
    "signaling_NaN",
];

/// A constant in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Constant {
    pub name: &'static str,
    line: u32,
    column: u32,
    negative: bool,
}

impl Constant {
    fn mark(&self) -> Span {
        let length = self.name.chars().count() as u32;
        let label = match self.name {
            name if NOT_A_NUMBER.contains(&name) => "NaN",
            _ if self.negative => "negative infinity",
            _ => "infinity",
        };
        span(self.line, self.column, length, false, label)
    }
}

/// Constants with the value that the wrong elements have. Of infinite ones these are the constants
/// with the same sign if there are any, because few programs negate a constant elsewhere.
pub(super) fn constants(scene: &Scene<'_>, m: &Mismatch) -> Vec<Constant> {
    if !infinite(m) {
        return named(scene.source, &NOT_A_NUMBER);
    }
    let mut found = named(scene.source, &INFINITE);
    let negative = |value: Option<f64>| value.is_some_and(f64::is_sign_negative);
    let sign = m.examples.first().map(|example| negative(example.yours));
    if found.iter().any(|constant| Some(constant.negative) == sign) {
        found.retain(|constant| Some(constant.negative) == sign);
    }
    found
}

/// Marks these constants, unless there are so many that a reader could not compare them.
pub(super) fn mark_constants(constants: &[Constant]) -> Vec<Span> {
    const MOST: usize = 3;
    let few = (..=MOST).contains(&constants.len());
    constants.iter().filter(|_| few).map(Constant::mark).collect()
}

fn named(source: &Source<'_>, names: &[&'static str]) -> Vec<Constant> {
    let mut found = Vec::new();
    for &name in names {
        // functions of the library need their parentheses; a variable may have the same name
        let is_function = name.contains(char::is_lowercase);
        for (line, column) in source.occurrences(name) {
            let after = source.after(line, column + name.chars().count() as u32);
            if is_function && !after.trim_start().starts_with('(') {
                continue;
            }
            let before = source.code_before(line, column);
            let qualifier = |c: char| is_word(c) || matches!(c, ':' | '<' | '>');
            let negative = before.trim_end_matches(qualifier).trim_end().ends_with('-');
            found.push(Constant { name, line, column, negative });
        }
    }
    found.sort_by_key(|constant| (constant.line, constant.column));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_a_sign() {
        let source = Source::new(
            "const float a = -INFINITY; // INFINITY\n\
             float b = -std::numeric_limits<float>::infinity(), infinity = 1;\n\
             float c = x - 1 ? HUGE_VALF : 0, d = infinity - 1;\n",
        );
        let found = named(&source, &INFINITE);
        let found: Vec<_> = found.iter().map(|c| (c.name, c.line, c.negative)).collect();
        let expected = [("INFINITY", 1, true), ("infinity", 2, true), ("HUGE_VALF", 3, false)];
        assert_eq!(found, expected);
    }
}
