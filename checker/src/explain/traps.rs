//! Explains a trap: one that the source has, or one that the compiler puts in the place of code
//! that cannot work.

use ptxsim::Access;

use super::Draft;
use super::scan::{Source, is_word, span};
use super::scene::Scene;

/// Most variables that are followed to the one that a pointer points to.
const MAX_STEPS: u32 = 4;

/// A thread that has executed a trap.
pub fn trap(scene: &Scene<'_>, at: &Access) -> Draft {
    let thread = scene.thread(at);
    let ends = "a trap ends the whole launch, so none of its results can be used";
    // the text of an `asm` may have one, too
    let own = ["__trap", "__builtin_trap", "asm", "__asm__", "__asm"];
    let own = own.iter().any(|word| !scene.source.occurrences(word).is_empty());
    let local = if own { vec![] } else { scene.source.local_atomics() };
    if let Some(first) = local.first() {
        let name = first.name.clone();
        let all = local.iter().filter(|found| found.name == name);
        let mark = all.map(|found| {
            let label = format!("`{name}` is a local variable");
            span(found.line, found.column, found.length, true, label)
        });
        return Draft::new(format!("{thread} updates the local variable `{name}` atomically"))
            .mark(mark)
            .note("an atomic operation works only on global or shared memory, so the compiler replaces this one with a trap")
            .note(ends)
            .think(format!("which threads use the same `{name}`, and which should?"));
    }
    Draft::new(format!("{thread} executed a trap"))
        .mark(scene.mark(at, true, format!("trap executed by {thread}")))
        .note(ends)
        .note("a trap comes from __trap(), from `asm(\"trap;\")`, from a write through a null pointer, or from an atomic operation on a local variable")
        .think("which condition brings this thread to this line?")
}

/// A call of an atomic function for a local variable.
#[derive(Debug, PartialEq, Eq)]
struct LocalAtomic {
    name: String,
    line: u32,
    column: u32,
    length: u32,
}

impl Source<'_> {
    /// The calls `atomicAdd(&x, ...)` where `x` is a local variable, or an element of a local
    /// array.
    fn local_atomics(&self) -> Vec<LocalAtomic> {
        let calls = self.identifiers().filter(|word| {
            let operation = word.strip_prefix("atomic");
            operation.is_some_and(|rest| rest.starts_with(char::is_uppercase))
        });
        let calls: std::collections::BTreeSet<String> = calls.collect();
        let places = calls.iter().flat_map(|call| {
            self.occurrences(call).into_iter().map(move |(line, column)| (line, column, call))
        });
        let mut places: Vec<(u32, u32, &String)> = places.collect();
        places.sort_unstable();
        places.into_iter().filter_map(|place| self.local_atomic(place)).collect()
    }

    fn local_atomic(&self, (line, column, call): (u32, u32, &String)) -> Option<LocalAtomic> {
        let inside = self.after(line, column + call.chars().count() as u32);
        let pointer = inside.trim_start().strip_prefix('(')?.split(',').next()?.trim().to_owned();
        if let Some(name) = self.local_target(&pointer, line, MAX_STEPS) {
            let (column, length) = self.statement_with(line, column, call)?;
            return Some(LocalAtomic { name, line, column, length });
        }
        self.passed_to_atomic(&pointer, line)
    }

    /// The local variable of a function's caller that the function passes on to an atomic one.
    fn passed_to_atomic(&self, pointer: &str, line: u32) -> Option<LocalAtomic> {
        let function = self.function_around(line).filter(|function| !function.is_kernel())?;
        let own = pointer.trim_start_matches('&').trim_start();
        let named = |text: &String| text.rsplit(|c| !is_word(c)).next() == Some(own);
        let parameters = function.parameters();
        let number = parameters.iter().position(named)?;
        // what the function gets is an address, or a reference
        let address = match (parameters[number].contains('&'), pointer.starts_with('&')) {
            (true, true) => "&",
            (false, false) => "",
            _ => return None,
        };
        self.occurrences(&function.name).into_iter().find_map(|(line, column)| {
            if (function.line..=function.end).contains(&line) {
                return None;
            }
            let argument = self.call_arguments(line, &function.name).into_iter().nth(number)?;
            let passed = format!("{address}{}", argument.text);
            let name = self.local_target(&passed, line, MAX_STEPS)?;
            let (column, length) = self.statement_with(line, column, &function.name)?;
            Some(LocalAtomic { name, line, column, length })
        })
    }

    /// The local variable that a pointer points to, or into: `&x`, `&x.n`, `a + 2`, or a variable
    /// with such a value.
    fn local_target(&self, pointer: &str, line: u32, steps: u32) -> Option<String> {
        let (address, rest) = match pointer.strip_prefix('&') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, pointer),
        };
        let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
        let after = rest.get(name.len()..)?.trim_start();
        let function = self.function_around(line)?;
        let found = self.declaration_before(&name, line)?;
        let here = found.line > function.line && found.line <= line && !found.parameter;
        let statement = self.before(found.line, found.column);
        let of_block = ["__shared__", "static", "&"].iter().any(|word| statement.contains(word));
        if !here || of_block {
            return None;
        }
        let behind = self.after(found.line, found.column + name.chars().count() as u32);
        let array = behind.trim_start().starts_with('[');
        let itself = match (address, array) {
            // the variable, or a member of it
            (true, false) => !found.indexable && (after.is_empty() || after.starts_with('.')),
            (true, true) => after.starts_with('['),
            (false, array) => array && !after.starts_with('['),
        };
        if itself {
            return Some(name);
        }
        let value = behind.trim_start().strip_prefix('=')?.split([';', ',']).next()?.trim();
        let plain = !address && !array && after.is_empty();
        plain.then(|| self.local_target(value, found.line, steps.checked_sub(1)?)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_on_local_variables_are_found() {
        let kernel = |body: &str| {
            let text = format!(
                "__device__ int total;\n__device__ void bump(int& x) {{ atomicAdd(&x, 1); }}\n__device__ void by_address(int* x) {{ atomicAdd(x, 1); }}\n\
                 __global__ void k(int* out, int n) {{\n    __shared__ int hits, bins[4];\n    \
                 int seen = out[0];\n    int mine[4];\n    Pair both;\n    int* p = out;\n    {body}\n}}\n"
            );
            let source = Source::new(&text);
            source
                .local_atomics()
                .into_iter()
                .map(|found| (found.name, found.line))
                .collect::<Vec<_>>()
        };
        let local = |name: &str| -> Vec<(String, u32)> { vec![(name.to_owned(), 10)] };
        assert_eq!(kernel("if (n) atomicAdd(&seen, 1);"), local("seen"));
        assert_eq!(kernel("atomicMax(&mine[2], n);"), local("mine"));
        assert_eq!(kernel("atomicMax(mine + 2, n);"), local("mine"));
        assert_eq!(kernel("atomicCAS_block(&both.n, 1, 2);"), local("both"));
        assert_eq!(kernel("int* q = &seen; atomicAdd(q, 1);"), local("seen"));
        assert_eq!(kernel("bump(seen); by_address(out);"), local("seen"));
        assert_eq!(kernel("by_address(&seen); bump(out[1]);"), local("seen"));
        for right in [
            "bump(out[1]); by_address(&hits); by_address(p);",
            "int* q = &hits; atomicAdd(q, 1);",
            "atomicAdd(&hits, seen);",
            "atomicAdd(&bins[1], 1);",
            "atomicAdd(bins + 1, 1);",
            "atomicAdd(&total, 1);",
            "atomicAdd(out, 1);",
            "atomicAdd(&out[seen], 1);",
            "atomicAdd(p, 1);",
            "atomicAdd(&p[1], 1);",
            "int& r = out[1]; atomicAdd(&r, 1);",
        ] {
            assert_eq!(kernel(right), vec![], "{right}");
        }
    }
}
