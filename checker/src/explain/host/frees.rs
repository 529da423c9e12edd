//! Explains memory that is freed twice.

use cudart_sim::report::{CallSite, Memory};

use super::{Draft, Program};
use crate::explain::scan::{is_word, span};

/// Memory that both calls free, while the program never frees what `never_freed` allocated.
pub(super) fn twice(
    program: Program<'_>,
    memory: &Memory,
    [first, again]: [Option<&CallSite>; 2],
    never_freed: Option<&CallSite>,
) -> Draft {
    let draft = |title: String| {
        Draft::new(title).mark(program.mark(first, false, "freed here")).mark(program.mark(
            again,
            true,
            "freed again here",
        ))
    };
    let pointers = [first, again].map(|call| program.freed_pointer(call?));
    let [Some(a), Some(b)] = pointers else { return unnamed(program, memory, draft) };
    // A member and a parameter have one name in one function and another one in another function.
    if a == b || !program.in_one_function([first, again]) {
        return unnamed(program, memory, draft);
    }
    let both = format!("`{a}` and `{b}`");
    let mut draft =
        draft(format!("{both} hold the same address, so this memory is freed a second time"));
    let copies = program.copies([&a, &b], again);
    let copied = !copies.is_empty();
    for (line, column, length) in copies {
        draft = draft.mark([span(line, column, length, false, "copies the address")]);
    }
    draft = draft.mark(program.mark(never_freed, false, "allocated here and never freed"));
    let lost = never_freed.and_then(|place| program.line(place));
    draft.think(match (lost, copied) {
        (Some((line, _)), _) => format!(
            "which variable still holds the address of the memory from line {line} when these lines free memory?"
        ),
        (None, true) => "which of the two variables should free this memory?".to_owned(),
        (None, false) => format!("which line gives {both} the same address?"),
    })
}

/// Memory that two calls free by the same name, or by one that is not known.
fn unnamed(program: Program<'_>, memory: &Memory, draft: impl Fn(String) -> Draft) -> Draft {
    draft(format!("{} is freed a second time", program.name(memory)))
        .note("after the first free, the memory may already belong to another allocation")
        .think("which part of the program owns this memory, so that it alone should free it?")
}

impl Program<'_> {
    /// Whether both calls are in one function, in which different names are different variables.
    fn in_one_function(self, calls: [Option<&CallSite>; 2]) -> bool {
        let [a, b] = calls.map(|call| {
            let (line, _) = self.line(call?)?;
            self.source.function_around(line).map(|function| function.line)
        });
        a.is_some() && a == b
    }

    /// The pointer that a call frees, as the source has it.
    fn freed_pointer(self, call: &CallSite) -> Option<String> {
        let (line, _) = self.line(call)?;
        let mut arguments = self.source.call_arguments(line, &call.call).into_iter();
        Some(arguments.next()?.text).filter(|text| !text.is_empty())
    }

    /// The statements `a = b;` and `b = a;` in the function of a call, before it.
    fn copies(self, [a, b]: [&str; 2], call: Option<&CallSite>) -> Vec<(u32, u32, u32)> {
        let Some((end, _)) = call.and_then(|call| self.line(call)) else { return vec![] };
        let Some(function) = self.source.function_around(end) else { return vec![] };
        if [a, b].iter().any(|name| !name.chars().all(is_word)) {
            return vec![];
        }
        let mut found = Vec::new();
        for (to, from) in [(a, b), (b, a)] {
            for (line, column) in self.source.occurrences(to) {
                let after = self.source.after(line, column + to.chars().count() as u32);
                let value = after.trim_start().strip_prefix('=').map(str::trim_start);
                let rest = value.and_then(|value| value.strip_prefix(from));
                let is_copy = rest.is_some_and(|rest| rest.trim_start().starts_with(';'));
                if is_copy && (function.line..end).contains(&line) {
                    let length = to.chars().count() + after.find(';').unwrap_or_default();
                    found.push((line, column, length as u32));
                }
            }
        }
        found.sort_unstable();
        found
    }
}
