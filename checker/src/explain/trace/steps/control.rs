//! Control flow: the condition of a statement, the names that it reads, and what it decided.

use ptxsim::trace::{Kind, Step, Value};

use super::StepWriter;

impl StepWriter<'_, '_> {
    /// The value of a condition, derived from what the thread executed after it: more of the same
    /// line if the body is on it, otherwise the next line.
    pub(super) fn decided(
        &self,
        step: &Step,
        control: &Control,
        next: Option<&Step>,
    ) -> Option<bool> {
        if step.branches == 0 {
            return None;
        }
        let line = step.source.line;
        let next = next.filter(|next| next.depth == step.depth);
        let again = next.is_some_and(|next| next.source.line == line);
        match self.scene.source.body(line, control.word) {
            Some((first, last)) if first > line => {
                Some((first..=last).contains(&next?.source.line))
            }
            // What the body does on this line cannot be distinguished from another statement on it,
            // and a jump away leaves no mark.
            Some(_) if self.is_ambiguous(line, control.word) => None,
            Some((_, last)) => {
                let is_next_inside =
                    next.is_some_and(|next| (line + 1..=last).contains(&next.source.line));
                let repeats = control.repeats && again;
                Some(step.continued || repeats || is_next_inside)
            }
            None => control.repeats.then_some(again),
        }
    }

    /// Whether `line` has further statements than the one of `word`, or one that leaves its body.
    fn is_ambiguous(&self, line: u32, word: &str) -> bool {
        let count = |word: &str| {
            self.scene.source.occurrences(word).iter().filter(|(at, _)| *at == line).count()
        };
        let others = ["else", "return", "break", "continue", "goto"];
        count(word) > 1 || others.into_iter().any(|other| count(other) > 0)
    }
}

/// An `if`, `for`, `while` or the like at the start of a statement.
pub(super) struct Control {
    pub word: &'static str,
    pub repeats: bool,
    pub condition: String,
}

impl Control {
    /// The value of a variable that the condition tests.
    pub fn tested(&self, step: &Step, name: &str) -> Option<Value> {
        let Some(change) = self.changes_after(name) else {
            let value = if step.branches > 0 { step.at_branch(name) } else { step.value(name) };
            return value.cloned();
        };
        if step.branches == 0 {
            return step.before(name).cloned();
        }
        // The variable has changed by the time of the branch.
        let value = step.at_branch(name)?;
        let bits = match value.kind {
            Kind::Signed | Kind::Unsigned => value.bits.wrapping_sub_signed(change),
            _ => return None,
        };
        let unused = 64 - 8 * value.bytes.clamp(1, 8);
        Some(Value { bits: bits << unused >> unused, ..value.clone() })
    }

    /// By how much the condition changes a variable after reading it, as `left--` does. A part that
    /// is evaluated only if another one is true has not run by the time of the first branch.
    pub fn changes_after(&self, name: &str) -> Option<i64> {
        let always = ["&&", "||", "?"].iter().fold(self.condition.as_str(), |text, operator| {
            text.split(operator).next().unwrap_or(text)
        });
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        always.match_indices(name).find_map(|(at, _)| {
            let (before, rest) = (always.get(..at)?.trim_end(), always.get(at + name.len()..)?);
            let member = before.ends_with('.') || before.ends_with("->");
            if always.get(..at)?.ends_with(is_word) || member {
                return None;
            }
            match rest.trim_start().get(..2) {
                Some("++") => Some(1),
                Some("--") => Some(-1),
                _ => None,
            }
        })
    }
}

pub(super) fn control(statement: &str) -> Option<Control> {
    let text = statement.trim_start_matches(|c: char| c == '}' || c.is_whitespace());
    let text = text.strip_prefix("else").map_or(text, |rest| rest.trim_start());
    for (word, repeats) in [("if", false), ("for", true), ("while", true), ("switch", false)] {
        let Some(rest) = text.strip_prefix(word).map(str::trim_start) else { continue };
        let Some(inner) = rest.strip_prefix('(') else { continue };
        let mut depth = 1;
        let end = inner.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        let inner = inner.get(..end.map_or(inner.len(), |(at, _)| at))?;
        let condition = if word == "for" { inner.split(';').nth(1).unwrap_or("") } else { inner };
        return Some(Control { word, repeats, condition: condition.to_owned() });
    }
    None
}

/// The names that a text reads, in order, each once per mention: `threadIdx.x` is one.
pub(super) fn names(text: &str) -> impl Iterator<Item = String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found: Vec<String> = vec![];
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let member =
            rest.get(..start).is_some_and(|before| before.trim_end().ends_with(['.', '>']));
        let word_and_more = rest.get(start..).unwrap_or_default();
        let length = word_and_more.find(|c| !is_word(c)).unwrap_or(word_and_more.len());
        let (word, after) = word_and_more.split_at(length);
        rest = after;
        if word.starts_with(|c: char| c.is_ascii_digit())
            || (member && !found.is_empty() && word.len() == 1)
        {
            continue;
        }
        let axis = ["x", "y", "z"].into_iter().find(|axis| {
            let tail = after.strip_prefix('.').and_then(|tail| tail.strip_prefix(*axis));
            tail.is_some_and(|tail| !tail.starts_with(is_word))
        });
        let built_in = matches!(word, "threadIdx" | "blockIdx" | "blockDim" | "gridDim");
        found.push(match axis.filter(|_| built_in) {
            Some(axis) => format!("{word}.{axis}"),
            None => word.to_owned(),
        });
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use ptxsim::trace::Binding;

    use super::*;

    /// The trace describes the names that a line mentions.
    #[test]
    fn names_and_conditions() {
        let all = |text: &str| names(text).collect::<Vec<_>>().join(" ");
        assert_eq!(
            all("const int idx = blockIdx.x * blockDim.x + threadIdx.y;"),
            "const int idx blockIdx.x blockDim.x threadIdx.y"
        );
        assert_eq!(all("out[2 * i + 1u] = v.x + 0x1f;"), "out i v");
        let found = |text: &str| control(text).map(|c| (c.word, c.condition));
        assert_eq!(found("} else if (a < (b)) {"), Some(("if", "a < (b)".into())));
        assert_eq!(found("for (int k = 0; k < n; ++k) {"), Some(("for", " k < n".into())));
        assert_eq!(found("for (;;) {"), Some(("for", String::new())));
        assert_eq!(found("while (x)"), Some(("while", "x".into())));
        assert_eq!(found("iffy(a);"), None);
        assert_eq!(found("out[i] = 1;"), None);
    }

    /// A condition tests the value that a variable has before `--` or `++` after its name.
    #[test]
    fn a_condition_tests_the_value_before_it_changes() {
        let change = |text: &str| control(text).and_then(|c| c.changes_after("left"));
        assert_eq!(change("for (left = 3; left--; ) {"), Some(-1));
        assert_eq!(change("while (left ++ < n)"), Some(1));
        assert_eq!(change("while (--left)"), None);
        assert_eq!(change("while (left && n--)"), None);
        assert_eq!(change("while (i.left--)"), None);
        assert_eq!(change("while (n && left--)"), None);

        let value = |bits: u64, bytes: u32, kind: Kind| Binding {
            name: "left".into(),
            value: Value { kind, bytes, bits, points_at: None },
        };
        let tested = |bits: u64, bytes: u32, kind: Kind| {
            let set_at_branch = vec![value(bits, bytes, kind)];
            let step = Step { branches: 1, set_at_branch, ..Step::default() };
            control("while (left--)").and_then(|c| c.tested(&step, "left")?.integer())
        };
        assert_eq!(tested(0, 4, Kind::Signed), Some(1));
        assert_eq!(tested(u64::from(u32::MAX), 4, Kind::Signed), Some(0));
        assert_eq!(tested(u64::from(u32::MAX), 4, Kind::Unsigned), Some(0));
        assert_eq!(tested(255, 1, Kind::Unsigned), Some(0));
    }
}
