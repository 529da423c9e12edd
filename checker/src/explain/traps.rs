//! Explains a trap: one that the source has, or one that the compiler puts in the place of code
//! that cannot work.

use ptxsim::Access;

use super::scan::{Source, is_word, span};
use super::scene::Scene;
use super::{Draft, host};
use crate::report::Span;

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
    if let Some((name, marks)) = misused(&local, "a local variable") {
        return Draft::new(format!("{thread} updates the local variable `{name}` atomically"))
            .mark(marks)
            .note("an atomic operation works only on global or shared memory, so the compiler replaces this one with a trap")
            .note(ends)
            .think(format!("which threads use the same `{name}`, and which should?"));
    }
    let constant = if own { vec![] } else { scene.source.stores_to_constants() };
    if let Some((name, marks)) = misused(&constant, "in constant memory") {
        return Draft::new(format!("{thread} stores to the constant `{name}`"))
            .mark(marks)
            .note("a kernel only reads constant memory, so the compiler replaces this store with a trap; the host writes it with cudaMemcpyToSymbol")
            .note(ends)
            .think(format!("which memory should get this value, or which call should write `{name}` before the launch?"));
    }
    Draft::new(format!("{thread} executed a trap"))
        .mark(scene.mark(at, true, format!("trap executed by {thread}")))
        .note(ends)
        .note("a trap comes from __trap(), from `asm(\"trap;\")`, from a write through a null pointer or to constant memory, or from an atomic operation on a local variable")
        .think("which condition brings this thread to this line?")
}

/// A variable in memory that code of the device uses in a way that this memory does not allow.
#[derive(Debug, PartialEq, Eq)]
struct Misused {
    name: String,
    line: u32,
    column: u32,
    length: u32,
}

/// The first variable of these, and marks of all its uses.
fn misused(uses: &[Misused], what: &str) -> Option<(String, Vec<Span>)> {
    let name = uses.first()?.name.clone();
    let own = uses.iter().filter(|found| found.name == name);
    let mark = |found: &Misused| {
        let label = format!("`{name}` is {what}");
        span(found.line, found.column, found.length, true, label)
    };
    let marks = own.map(mark).collect();
    Some((name, marks))
}

impl Source<'_> {
    /// The calls `atomicAdd(&x, ...)` where `x` is a local variable, or an element of a local
    /// array.
    fn local_atomics(&self) -> Vec<Misused> {
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

    /// Stores of kernels and device functions to variables in constant memory.
    fn stores_to_constants(&self) -> Vec<Misused> {
        let declared = self.texts().filter(|(_, code)| code.trim().starts_with("__constant__"));
        let names: Vec<String> =
            declared.filter_map(|(_, code)| host::device_variable(&code)).collect();
        let store = |name: &String, (line, column): (u32, u32)| {
            self.function_around(line)?;
            let mut after = self.after(line, column + name.chars().count() as u32);
            while let Some(rest) = after.trim_start().strip_prefix('[') {
                after = rest.split_once(']')?.1.to_owned();
            }
            let after = after.trim_start();
            let changes = ["++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "^="];
            let assigns = after.starts_with('=') && !after.starts_with("==");
            if !assigns && !changes.iter().any(|operator| after.starts_with(operator)) {
                return None;
            }
            let (column, length) = self.statement_with(line, column, name)?;
            Some(Misused { name: name.clone(), line, column, length })
        };
        let stores = names.iter().flat_map(|name| {
            self.occurrences(name).into_iter().filter_map(move |place| store(name, place))
        });
        stores.collect()
    }

    fn local_atomic(&self, (line, column, call): (u32, u32, &String)) -> Option<Misused> {
        let inside = self.after(line, column + call.chars().count() as u32);
        let pointer = inside.trim_start().strip_prefix('(')?.split(',').next()?.trim().to_owned();
        if let Some(name) = self.local_target(&pointer, line, MAX_STEPS) {
            let (column, length) = self.statement_with(line, column, call)?;
            return Some(Misused { name, line, column, length });
        }
        self.passed_to_atomic(&pointer, line)
    }

    /// The local variable of a function's caller that the function passes on to an atomic one.
    fn passed_to_atomic(&self, pointer: &str, line: u32) -> Option<Misused> {
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
            Some(Misused { name, line, column, length })
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
    fn stores_to_constants_are_found() {
        let stores = |body: &str| {
            let text = format!(
                "__constant__ float weights[3];\n__constant__ int side;\n\
                 __global__ void k(float* out, int i) {{\n    {body}\n}}\n"
            );
            let found = Source::new(&text).stores_to_constants();
            found.into_iter().map(|found| (found.name, found.line)).collect::<Vec<_>>()
        };
        assert_eq!(stores("weights[i + 1] = 1.0f;"), [("weights".to_owned(), 4)]);
        assert_eq!(stores("side++;"), [("side".to_owned(), 4)]);
        for right in
            ["out[i] = weights[i];", "if (side == 3) out[0] = 1;", "float w = weights[0] * 2;"]
        {
            assert_eq!(stores(right), [], "{right}");
        }
    }

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
