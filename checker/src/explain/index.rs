//! The value that an index had for the thread of an access, as far as the launch and the source fix
//! it. Of several array accesses on one line, it shows which one a finding is about.

use ptxsim::Access;

use super::scan::{Subscript, is_word};
use super::scene::Scene;
use super::types::{Token, tokens};

/// How many definitions an index may depend on, one inside the other.
const MAX_LEVELS: u32 = 8;
/// Types whose variables keep the value of an index.
const WIDE_TYPES: [&str; 10] = [
    "int",
    "unsigned",
    "long",
    "size_t",
    "auto",
    "uint32_t",
    "int32_t",
    "uint64_t",
    "int64_t",
    "ptrdiff_t",
];
/// An index of 32 bits wraps around at this number.
const WRAP: i128 = 1 << 32;

impl Scene<'_> {
    /// Of several accesses that a finding may be about, those whose index is the finding's or
    /// cannot be computed. If the index of one is certain to be it, the others do not count.
    pub fn with_index(&self, access: &Access, mut found: Vec<Subscript>) -> Vec<Subscript> {
        let Some(index) = self.index_in_source(access) else { return found };
        let value = |s: &Subscript| {
            let whole = access.last_index.is_none() && s.flat;
            whole.then(|| self.value_at(access, &s.inner)).flatten()
        };
        let is_it = |s: &Subscript| value(s).map(|value| is_same_index(value, index));
        if found.iter().any(|s| is_it(s) == Some(true)) {
            found.retain(|s| is_it(s) == Some(true));
        } else {
            found.retain(|s| is_it(s).is_none());
        }
        found
    }

    /// Whether an index of the source can have this value for the thread of an access: nothing
    /// moves its pointer, and nothing shows that the value is another one.
    pub fn may_be(&self, access: &Access, subscript: &str, index: i64) -> bool {
        let array = access.array.as_deref().map(|array| self.name(array));
        let around = self.source.function_around(access.source.line);
        let moves = array
            .zip(around)
            .is_some_and(|(array, around)| self.source.changes_in(around.line..=around.end, array));
        let value = self.value_at(access, subscript);
        !moves && value.is_none_or(|value| is_same_index(value, index))
    }

    /// The index of an access, counted as the source counts it.
    fn index_in_source(&self, access: &Access) -> Option<i64> {
        match self.located(access) {
            Some(found) => found.size.filter(|_| !found.in_member_array).map(|_| found.index),
            None => access.index?.checked_sub(self.first_element(access)?),
        }
    }

    /// The value of an expression on the line of an access, for its thread.
    pub fn value_at(&self, access: &Access, text: &str) -> Option<i128> {
        Evaluation { scene: self, access, levels: MAX_LEVELS }.value(&tokens(text))
    }
}

fn is_same_index(value: i128, index: i64) -> bool {
    (value - i128::from(index)).rem_euclid(WRAP) == 0
}

/// Computes an expression for one thread.
#[derive(Clone, Copy)]
struct Evaluation<'e, 'a> {
    scene: &'e Scene<'a>,
    access: &'e Access,
    levels: u32,
}

impl Evaluation<'_, '_> {
    fn value(self, text: &[Token]) -> Option<i128> {
        if let Some((a, sign, b)) = split_last(text, &["+", "-"]) {
            let (a, b) = (self.value(a)?, self.value(b)?);
            return if sign == "+" { a.checked_add(b) } else { a.checked_sub(b) };
        }
        if let Some((a, sign, b)) = split_last(text, &["*", "/", "%"]) {
            let (a, b) = (self.value(a)?, self.value(b)?);
            // a negative number may be a large unsigned one
            let divides = a >= 0 && b > 0;
            return match sign {
                "*" => a.checked_mul(b),
                "/" => divides.then(|| a / b),
                _ => divides.then(|| a % b),
            };
        }
        match text {
            [sign, rest @ ..] if sign.is("-") => self.value(rest)?.checked_neg(),
            [open, inner @ .., close] if open.is("(") && close.is(")") => self.value(inner),
            [only] => self.name_or_number(only.text()),
            [name, dot, axis] if dot.is(".") => self.of_thread(name.text(), axis.text()),
            _ => None,
        }
    }

    /// `threadIdx.x` and its like.
    fn of_thread(self, name: &str, axis: &str) -> Option<i128> {
        let axis = ["x", "y", "z"].iter().position(|each| *each == axis)?;
        let of = match name {
            "threadIdx" => self.access.thread,
            "blockIdx" => self.access.block,
            "blockDim" => self.scene.block,
            "gridDim" => self.scene.grid,
            _ => return None,
        };
        of.get(axis).map(|value| i128::from(*value))
    }

    fn name_or_number(self, text: &str) -> Option<i128> {
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return text.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok();
        }
        let deeper = Self { levels: self.levels.checked_sub(1)?, ..self };
        let (source, line) = (self.scene.source, self.access.source.line);
        if let Some((_, meaning)) = source.macro_named(text) {
            return deeper.value(&tokens(meaning.split("//").next()?));
        }
        let template = self.scene.template_arguments().iter().find(|(name, _)| name == text);
        if let Some((_, value)) = template {
            return value.parse().ok();
        }
        let around = source.function_around(line)?;
        let lines = around.line..=around.end;
        let mut declared = source.declarations(text).filter(|found| lines.contains(&found.line));
        let Some(found) = declared.next() else { return source.constant(text).map(i128::from) };
        if declared.next().is_some() || source.changes_in(lines, text) {
            return None;
        }
        if found.parameter {
            let kernel = self.scene.kernel_function().filter(|kernel| kernel.line == around.line);
            return kernel.and_then(|_| self.scene.integer_argument(text)).map(i128::from);
        }
        let before = source.before(found.line, found.column);
        let wide = before.split(|c| !is_word(c)).any(|word| WIDE_TYPES.contains(&word));
        let value = source.initial_value(found.line, found.column).filter(|_| wide)?;
        deeper.value(&tokens(&value))
    }
}

/// The tokens before and after the last of these binary operators that is outside all brackets.
fn split_last<'t>(
    text: &'t [Token],
    signs: &[&str],
) -> Option<(&'t [Token], &'t str, &'t [Token])> {
    let mut depth = 0_i32;
    for at in (0..text.len()).rev() {
        let token = text.get(at)?;
        depth += i32::from(token.is(")") || token.is("]"));
        depth -= i32::from(token.is("(") || token.is("["));
        let sign = depth == 0 && signs.contains(&token.text());
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let operand = |t: &Token| t.is(")") || t.is("]") || t.text().chars().all(is_word);
        if sign && before.is_some_and(operand) {
            return Some((text.get(..at)?, token.text(), text.get(at + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_operators_are_split_from_the_right() {
        let split = |text: &str, signs: &[&str]| {
            let all = tokens(text);
            split_last(&all, signs).map(|(a, sign, b)| (a.len(), sign.to_owned(), b.len()))
        };
        assert_eq!(split("a - (b - c)", &["+", "-"]), Some((1, "-".to_owned(), 5)));
        assert_eq!(split("a - b + c", &["+", "-"]), Some((3, "+".to_owned(), 1)));
        assert_eq!(split("a * -b", &["+", "-"]), None);
        assert_eq!(split("p[i + 1]", &["+", "-"]), None);
        assert!(is_same_index(-1, 4_294_967_295) && !is_same_index(1, 2));
    }
}
