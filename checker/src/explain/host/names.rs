//! What the learner's source calls memory, pointers and calls.

use cudart_sim::report::{CallSite, LeakKind, Memory, MemoryKind, PointerTarget};

use super::super::scan::{is_word, span};
use super::{Draft, Program};
use crate::report;

impl Program<'_> {
    /// The learner's name for some memory.
    pub(super) fn name(self, memory: &Memory) -> String {
        if memory.kind == MemoryKind::Variable {
            return format!("`{}`", memory.name);
        }
        let place = memory.at.as_ref();
        let line = place.and_then(|place| self.line(place));
        let statement =
            line.and_then(|(line, column)| self.source.statement_text_around(line, column, 4));
        if let Some(name) = self.caller(memory).and_then(|caller| caller.variable) {
            return format!("`{name}`");
        }
        let named = statement.as_deref();
        if let Some(name) = named.and_then(|s| allocated_variable(s).or(registered_variable(s))) {
            return format!("`{name}`");
        }
        let registered = place.is_some_and(|place| place.call == REGISTER);
        let made = if registered { "registered" } else { "allocated" };
        let kind = match memory.kind {
            MemoryKind::Pinned => "the page-locked memory",
            MemoryKind::Managed => "the managed memory",
            _ => "the device memory",
        };
        match line {
            Some((line, _)) => format!("{kind} {made} on line {line}"),
            None if registered => "memory that the program has registered".to_owned(),
            None => format!("{kind} called {}", memory.name),
        }
    }

    /// The function that allocated some memory, as the source calls it.
    pub(super) fn allocator(self, memory: &Memory) -> String {
        let place = memory.at.as_ref();
        let line = place.and_then(|place| self.line(place));
        let statement =
            line.and_then(|(line, column)| self.source.statement_text_around(line, column, 4));
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        let named = statement.and_then(|statement| {
            let mut words = statement.split(|c| !plain(c));
            words.find(|word| word.starts_with("cuda") && word.contains("lloc")).map(str::to_owned)
        });
        let texels = memory.name.starts_with("array ");
        let unknown = if texels { "cudaMallocArray" } else { "cudaMalloc" };
        named.unwrap_or_else(|| place.map_or(unknown, |place| &place.call).to_owned())
    }

    /// Says where the memory of a copy was allocated, if the copy uses another name for it.
    pub(super) fn other_name(self, draft: Draft, memory: &Memory, at: Option<&CallSite>) -> Draft {
        let name = self.name(memory);
        let plain = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
        let Some((plain, at)) = plain.zip(at) else { return draft };
        let Some((line, _)) = self.line(at) else { return draft };
        let arguments = self.source.call_arguments(line, &at.call);
        let number = match at.call.as_str() {
            "cudaMemcpy" | "cudaMemcpyAsync" => 1,
            // the pitch of the destination stands before it
            "cudaMemcpy2D" | "cudaMemcpy2DAsync" => 2,
            _ => return draft,
        };
        let source = arguments.get(number).map(|argument| argument.text.as_str());
        let variable = |text: &&str| text.chars().all(is_word) && *text != plain;
        let allocated = memory.at.as_ref().and_then(|made| self.line(made));
        match source.filter(variable).zip(allocated) {
            Some((other, (line, _))) => draft.note(format!(
                "`{other}` points here to the memory that line {line} allocated as {name}"
            )),
            None => draft,
        }
    }

    pub(super) fn pointer(self, pointer: &PointerTarget) -> String {
        match pointer {
            PointerTarget::Null => "a null pointer".into(),
            PointerTarget::Host | PointerTarget::Stack => "ordinary host memory".into(),
            PointerTarget::Freed { memory, offset, .. } => {
                let name = self.name(memory);
                match offset {
                    0 => format!("{name}, which was freed before"),
                    n => format!("byte {n} of {name}, which was freed before"),
                }
            }
            PointerTarget::Object { object, .. } => {
                format!("the handle of {}", object_name(*object))
            }
            PointerTarget::Inside { memory, offset } => {
                let kind = match memory.kind {
                    MemoryKind::Device | MemoryKind::Variable => "on the device",
                    MemoryKind::Pinned => "page-locked host memory",
                    MemoryKind::Managed => "managed memory",
                };
                match offset {
                    0 => format!("{} ({kind})", self.name(memory)),
                    n => format!("byte {n} of {} ({kind})", self.name(memory)),
                }
            }
        }
    }

    /// The line and column of a position, if it is in the learner's file.
    pub(in crate::explain) fn line(self, place: &CallSite) -> Option<(u32, u32)> {
        let source = place.source.as_ref()?;
        let name = source.file.rsplit('/').next()?;
        (name == self.file && source.line > 0).then_some((source.line, source.column))
    }

    /// Marks where memory was allocated. If that is in a function that several lines call, the call
    /// is marked, too.
    pub(super) fn allocated(self, memory: &Memory) -> Vec<report::Span> {
        let registers = memory.at.as_ref().is_some_and(|place| place.call == REGISTER);
        let made = if registers { "page-locked here" } else { "allocated here" };
        let mut all: Vec<_> = self.mark(memory.at.as_ref(), false, made).into_iter().collect();
        if let Some(Caller { line, function, .. }) = self.caller(memory)
            && let Some((column, length)) = self.source.statement_with(line, 0, &function)
        {
            all.push(span(line, column, length, false, "called here"));
        }
        all
    }

    /// The call of the function that allocated some memory, if the source has several calls of it.
    fn caller(self, memory: &Memory) -> Option<Caller> {
        let at = memory.at.as_ref()?;
        let (inner, _) = self.line(at)?;
        let from = at
            .called_from
            .as_ref()
            .filter(|from| from.file.rsplit('/').next() == Some(self.file))?;
        let function = self.source.function_around(inner)?;
        let calls = self.source.occurrences(&function.name).into_iter();
        let calls: Vec<(u32, u32)> =
            calls.filter(|(line, _)| !(function.line..=function.end).contains(line)).collect();
        let (line, column) = *calls.iter().find(|(line, _)| *line == from.line)?;
        // `auto d_out = on_device<float>(n)`
        let before = self.source.before(line, column);
        let assigned = before.trim_end().strip_suffix('=').map(str::trim_end);
        let variable = assigned.and_then(|text| text.rsplit(|c| !is_word(c)).next());
        let variable = variable.filter(|name| !name.is_empty()).map(str::to_owned);
        (calls.len() > 1).then_some(Caller { line, function: function.name, variable })
    }

    pub(super) fn mark(
        self,
        place: Option<&CallSite>,
        primary: bool,
        label: impl Into<String>,
    ) -> Option<report::Span> {
        let place = place?;
        let (line, column) = self.line(place)?;
        // a backtrace often has no column, and then only the name says which statement it was
        let name = if place.call == "cudaLaunchKernel" { "<<<" } else { &place.call };
        let named = self.source.statement_with(line, column, name);
        let (column, length) = named.or_else(|| self.source.statement_around(line, column))?;
        Some(span(line, column, length, primary, label))
    }
}

/// A call of a function that allocates memory.
struct Caller {
    line: u32,
    /// The function's name.
    function: String,
    /// What gets its result.
    variable: Option<String>,
}

/// The function that page-locks memory of the program's own.
pub(super) const REGISTER: &str = "cudaHostRegister";

/// The variable that a program registers: `x` of `cudaHostRegister(const_cast<float*>(x), bytes,
/// cudaHostRegisterDefault)`.
fn registered_variable(statement: &str) -> Option<&str> {
    let (_, after) = statement.split_once(REGISTER)?;
    let pointer = after.trim_start().strip_prefix('(')?.split(',').next()?;
    let plain = |c: char| c.is_alphanumeric() || "_.[]->".contains(c);
    // a cast stands before the name, in parentheses or with the name in them
    let name = pointer.trim().trim_end_matches(')').trim_end();
    let name = name.rsplit(['(', ')']).next()?.trim();
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// What an object is.
pub(super) const fn object_name(object: LeakKind) -> &'static str {
    match object {
        LeakKind::Array => "an array of texels",
        LeakKind::Texture => "a texture object",
        LeakKind::Surface => "a surface object",
        LeakKind::Stream => "a stream",
        LeakKind::Event => "an event",
        LeakKind::Graph => "a graph",
        LeakKind::ExecutableGraph => "an executable graph",
        LeakKind::Memory | LeakKind::Pinned | LeakKind::Registered | LeakKind::DeviceHeap => {
            "memory"
        }
    }
}

/// The function that releases an object.
pub(super) const fn releasing(object: LeakKind) -> &'static str {
    match object {
        LeakKind::Array => "cudaFreeArray",
        LeakKind::Texture => "cudaDestroyTextureObject",
        LeakKind::Surface => "cudaDestroySurfaceObject",
        LeakKind::Stream => "cudaStreamDestroy",
        LeakKind::Event => "cudaEventDestroy",
        LeakKind::Graph => "cudaGraphDestroy",
        LeakKind::ExecutableGraph => "cudaGraphExecDestroy",
        LeakKind::Memory => "cudaFree",
        LeakKind::DeviceHeap => "free",
        LeakKind::Pinned => "cudaFreeHost",
        LeakKind::Registered => "cudaHostUnregister",
    }
}

/// The name of the function that was called.
pub(super) fn call(place: Option<&CallSite>) -> String {
    place.map_or_else(|| "a call".to_owned(), |place| place.call.clone())
}

/// The variable that an allocation fills in: `d_a` of `cudaMalloc((void**)&d_a, bytes)`.
fn allocated_variable(statement: &str) -> Option<&str> {
    let (_, after) = statement.split_once("Malloc")?;
    let (_, arguments) = after.split_once('(')?;
    let (_, name) = arguments.split(',').next()?.rsplit_once('&')?;
    let name = name.trim();
    let plain = |c: char| c.is_alphanumeric() || "_.[]->".contains(c);
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// `weights` of `__constant__ float weights[3];`: a declaration on one line that begins with the
/// specifier.
pub fn device_variable(code: &str) -> Option<String> {
    let code = code.trim();
    let rest = ["__constant__", "__device__"].iter().find_map(|word| code.strip_prefix(word))?;
    let declared = rest.split(['[', '=', ';', '{']).next()?.trim_end();
    let name = declared.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    (!declared.contains('(') && declared.len() > name.len() && !name.is_empty())
        .then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{allocated_variable, device_variable, registered_variable};

    #[test]
    fn variables_of_the_device_are_known_by_their_declaration() {
        let name = |code| device_variable(code);
        assert_eq!(name("__constant__ float weights[3];").as_deref(), Some("weights"));
        assert_eq!(name("  __device__ int hits = 0;").as_deref(), Some("hits"));
        assert_eq!(name("__device__ float* at(int z);"), None);
        assert_eq!(name("__device__"), None);
        assert_eq!(name("float weights[3];"), None);
    }

    #[test]
    fn registered_memory_is_called_by_its_variable() {
        let name = |pointer| {
            registered_variable(&format!("cudaHostRegister({pointer}, n * 4, 0)"))
                .map(str::to_owned)
        };
        for pointer in ["out", "const_cast<float*>(out)", "(void*)out", "((void*) out)"] {
            assert_eq!(name(pointer).as_deref(), Some("out"), "{pointer}");
        }
        assert_eq!(name("buffers[i]").as_deref(), Some("buffers[i]"));
        assert_eq!(name("out + first"), None);
        assert_eq!(name("v.data()"), None);
        assert_eq!(registered_variable("cudaMallocHost(&h, n)"), None);
    }

    #[test]
    fn memory_is_called_by_its_variable() {
        assert_eq!(allocated_variable("cudaMalloc(&d_a, bytes)"), Some("d_a"));
        assert_eq!(
            allocated_variable("check(cudaMalloc((void**)&buffers[i], n))"),
            Some("buffers[i]")
        );
        assert_eq!(allocated_variable("cudaMallocHost(reinterpret_cast<void**>(&h), n)"), None);
        assert_eq!(allocated_variable("auto p = make(n)"), None);
    }
}
