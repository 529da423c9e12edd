//! Finds the signal by which one block lets another one read what it has written, when no fence
//! orders the signal after the write.

use ptxsim::{Access, Action};

use super::Draft;
use super::races::calls_barrier;
use super::scan::{assignment, is_word, words};
use super::scene::Scene;

/// An atomic operation, or a store to a volatile flag, that may become visible before a write
/// above it.
pub struct Signal {
    line: u32,
    /// The variable that the other block looks at.
    name: String,
    pub atomic: bool,
    /// Whether a barrier of the block is between the write and the signal.
    pub behind_barrier: bool,
    /// Whether a fence for the own block only is there.
    behind_block_fence: bool,
}

/// The signal after a write that another block waits for before it reads, if no fence for all
/// blocks is between the write and the signal.
pub fn unfenced_signal(scene: &Scene<'_>, write: &Access, read: &Access) -> Option<Signal> {
    if (write.action, read.action) != (Action::Write, Action::Read) {
        return None;
    }
    let function = scene.source.function_around(write.source.line)?;
    let lines: Vec<(u32, String)> = scene
        .source
        .texts()
        .filter(|(line, _)| (function.line..=function.end).contains(line))
        .collect();
    let flags: Vec<String> = scene.source.texts().flat_map(|(_, code)| volatiles(&code)).collect();
    let (written, used) = (write.source.line, read.source.line);
    let waits_for = |name: &str| {
        lines.iter().filter(|(line, _)| *line <= used).any(|(line, code)| {
            let atomic = operand(code).is_some_and(|operand| operand == name);
            if atomic {
                let column = code.find("atomic").map_or(1, |at| at as u32 + 1);
                return is_value_used(&scene.source.before(*line, column));
            }
            let waits = has_word(code, "while") || has_word(code, "if");
            waits && has_word(code, name) && flags.iter().any(|flag| flag == name)
        })
    };
    let mut signals =
        lines.iter().filter(|(line, _)| *line >= written).filter_map(|(line, code)| {
            let (name, atomic) = match operand(code) {
                Some(name) => (name, true),
                None => (flags.iter().find(|flag| stores(code, flag))?.clone(), false),
            };
            waits_for(&name).then_some((*line, name, atomic))
        });
    let (line, name, atomic) = signals.next()?;
    let between = || lines.iter().filter(|(n, _)| (written..=line).contains(n)).map(|(_, t)| t);
    let fences = ["__threadfence(", "__threadfence_system(", "memory_order", "atomic_thread_fence"];
    if between().any(|code| fences.iter().any(|fence| code.replace(' ', "").contains(fence))) {
        return None;
    }
    Some(Signal {
        line,
        name,
        atomic,
        behind_barrier: between().any(|code| calls_barrier(code)),
        behind_block_fence: between().any(|code| code.contains("__threadfence_block")),
    })
}

impl Signal {
    /// Adds what the signal does not order, and what does.
    pub fn explain(&self, mut draft: Draft) -> Draft {
        let Self { line, name, .. } = self;
        draft = draft.note(if self.atomic {
            super::races::FENCE_ORDERS_ATOMICS
        } else {
            "a volatile store makes no other access of its thread visible: only a fence, such as __threadfence(), orders them"
        });
        if self.behind_block_fence {
            draft = draft.note(
                "__threadfence_block() orders the accesses only for threads of the same block",
            );
        }
        draft.note(if self.atomic {
            format!("call __threadfence() after (1) and before the atomic operation on line {line}")
        } else {
            format!(
                "call __threadfence() after (1) and before the store to `{name}` on line {line}"
            )
        })
    }
}

/// The variable that an atomic operation in this code updates.
fn operand(code: &str) -> Option<String> {
    let (_, rest) = code.split_once("atomic")?;
    let argument = rest.trim_start_matches(is_word).trim_start().strip_prefix('(')?;
    let argument = argument.trim_start_matches(|c: char| c.is_whitespace() || "&*(".contains(c));
    let name: String = argument.chars().take_while(|c| is_word(*c)).collect();
    (!name.is_empty()).then_some(name)
}

/// Whether a statement uses what its atomic operation returns, by its code before the operation.
fn is_value_used(before: &str) -> bool {
    // `if (threadIdx.x == 0) atomicAdd(...)` has a condition, but uses no value
    let open = before.matches('(').count() > before.matches(')').count();
    open || assignment(before).is_some() || before.trim_end().ends_with("return")
}

/// Whether some code stores to a flag: `*flag = 1`, `flag[0] = 1`, `flag = 1`.
fn stores(code: &str, flag: &str) -> bool {
    code.split(';').any(|statement| {
        let target = assignment(statement).and_then(|at| statement.get(..at)).unwrap_or_default();
        let target = target.rsplit(['{', ')']).next().unwrap_or_default();
        has_word(target, flag) && !has_word(target, "volatile")
    })
}

fn has_word(code: &str, word: &str) -> bool {
    let code: Vec<char> = code.chars().collect();
    words(&code).any(|(_, other)| other == word)
}

/// The names that some code declares as volatile, or uses through a pointer to volatile.
fn volatiles(code: &str) -> Vec<String> {
    let parts = code.split("volatile").skip(1);
    let name = |part: &str| {
        let end = part.find([',', ';', ')', '=', '['])?;
        let declared: Vec<char> = part.get(..end)?.chars().collect();
        let used = part.get(end..)?.strip_prefix(')').unwrap_or_default();
        let used: Vec<char> = used.trim_start_matches(['&', '(', ' ']).chars().collect();
        let after = words(&used).next().filter(|(at, _)| *at == 0).map(|(_, word)| word);
        after.or_else(|| words(&declared).last().map(|(_, word)| word))
    };
    parts.filter_map(name).collect()
}
