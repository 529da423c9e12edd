//! Explains the compiler's first error, with help for the slips that it recognises, and files that
//! never got compiled.

use super::names::{self, Name};
use super::scan::{Source, span};
use super::words::{count, many};
use super::{Context, Draft};
use crate::compile::{Message, Severity};
use crate::report::Span;
use crate::spec::Spec;
use crate::text::sanitise;
use crate::verdict::Unreadable;

const NO_HEADERS: &str = "kernel exercises need no #include: CUDA's built-ins, math functions and printf are already available";

/// What is said about a recognised slip.
#[derive(Default)]
struct Help {
    /// The label of the mark.
    label: String,
    /// Notes below the marks.
    notes: Vec<String>,
    /// Where the slip is, when that is not where the compiler noticed it.
    place: Option<(u32, u32, u32)>,
    /// The question at the end of the report.
    think: Option<&'static str>,
    /// Replaces the compiler's sentence where that would mislead.
    title: Option<String>,
}

impl Help {
    fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    fn thinking(mut self, question: &'static str) -> Self {
        self.think = Some(question);
        self
    }
}

/// Explains the first error: the others often follow from it.
pub fn explain(messages: &[Message], source: &Source<'_>, has_host_code: bool) -> Draft {
    let errors = || messages.iter().filter(|message| message.severity == Severity::Error);
    let Some(first) = errors().next().or(messages.first()) else {
        return Draft::new("the compiler rejected the file, but did not say why");
    };
    let sentence = first.text.lines().next().unwrap_or_default();
    // The compiler's list of operand types helps only experts.
    let sentence = sentence.split(" operand types are").next().unwrap_or(sentence).trim();
    let mut help = help(first, sentence, source);
    // The usual help about CUDA's host functions is for kernel exercises, in which they are not
    // available.
    if has_host_code && sentence.contains("\"cuda") && sentence.contains("is undefined") {
        help.notes = vec!["the CUDA runtime has no function of this name".into()];
    }
    let mut draft = Draft::new(help.title.unwrap_or_else(|| sentence.to_owned()));
    draft.spans.extend(match help.place {
        Some((line, column, length)) => Some(span(line, column, length, true, help.label.clone())),
        None => mark(first, &help.label, source),
    });
    if draft.spans.is_empty() && !help.label.is_empty() {
        draft.notes.push(help.label);
    }
    draft.notes.extend(help.notes);
    draft.think = help.think.map(str::to_owned);
    let more = errors().count().saturating_sub(1);
    if more > 0 {
        draft.notes.push(format!(
            "{} below it; fix this first, because the others may disappear with it",
            many(more as u64, "more error", "more errors")
        ));
    }
    draft
}

/// The word that the compiler points at.
fn mark(message: &Message, label: &str, source: &Source<'_>) -> Option<Span> {
    let text = source.line(message.line)?;
    if message.column == 0 {
        let (column, length) = source.statement(message.line, 0)?;
        return Some(span(message.line, column, length, true, label));
    }
    let word = source.word(message.line, message.column).unwrap_or_default();
    let length = (word.chars().count() as u32).max(message.length);
    let room = (text.chars().count() as u32 + 1).saturating_sub(message.column);
    Some(span(message.line, message.column, length.min(room), true, label))
}

fn help(message: &Message, sentence: &str, source: &Source<'_>) -> Help {
    let word = source.word(message.line, message.column).unwrap_or_default();
    let quoted = sentence.split('"').nth(1).unwrap_or_default();
    let about = |what: &str| sentence.contains(what);
    if about("is undefined") {
        undefined(quoted, source)
    } else if about("has no member") {
        let member = sentence.split('"').nth(3).unwrap_or_default();
        no_member(quoted, member)
    } else if about("expected a \";\"") {
        missing(source, message, ";")
    } else if about("expected a \")\"") {
        missing(source, message, ")")
    } else if about("expected a \"]\"") {
        missing(source, message, "]")
    } else if about("expected a \"}\"") {
        let label = if about("to match this") {
            "this { is never closed"
        } else {
            "a } is missing somewhere above"
        };
        Help::new(label).note("every { needs its }: count them, from the innermost block outwards")
    } else if about("expected a declaration") {
        Help::new("the kernel already ends above this line")
            .note("there is one } too many above, or one { too few")
    } else if about("expected a statement") {
        Help::new("no statement can start with this")
    } else if about("expected an expression") {
        Help::new("expected a value here")
    } else if about("call must be configured") {
        Help::new("a kernel must be launched, not called")
            .note("write the grid and the block between its name and its arguments: name<<<grid, block>>>(...)")
    } else if about("modifiable lvalue") {
        read_only(&word)
    } else if about("not open source file") {
        Help {
            title: Some(format!("there is no header \"{quoted}\" here")),
            place: source.whole_line(message.line),
            ..Help::new("this line is not needed").note(NO_HEADERS)
        }
    } else if about("no operator \"[]\"") && built_in_without_axis(message, source).is_some() {
        Help {
            place: built_in_without_axis(message, source),
            ..Help::new("an index must be a single number")
                .note("threadIdx, blockIdx and blockDim have three parts each: .x, .y and .z")
        }
    } else if about("must have pointer-to-object type") {
        Help::new("this is a single number, not an array")
            .note("only arrays (pointers, such as const float* in) take an index in [ ]")
    } else if about("must have integral") {
        Help::new("an index must be a whole number")
    } else if about("cannot be assigned to") || about("cannot be used to initialize") {
        let place = source.statement(message.line, message.column).filter(|_| word == "=");
        let place = place.map(|(column, length)| (message.line, column, length));
        // The compiler points at the `=`, but the value after it has the wrong type.
        let place = place.and_then(|place| source.without_first_char(place));
        Help { place, ..conversion(sentence) }
    } else if about("calling a __host__ function") {
        called_host_function(sentence)
    } else if about("host function") || about("__host__ function") {
        host_function(&word)
    } else if about("host variable") {
        Help {
            title: Some("a variable outside every function needs a memory space".into()),
            ..Help::new("constexpr, __device__ or __constant__ is missing")
        }
    } else if about("unrecognized token") {
        Help::new("this character is not part of CUDA C++")
            .note("copied text often contains curly quotes or special spaces: type this line again")
    } else if about("must have a constant value") {
        Help::new("the compiler must know this size")
            .note("the size of an array is fixed when the file is compiled: use a constexpr")
    } else if about("must have a void return type") || about("return value type") {
        Help::new("a kernel returns nothing")
            .note("a kernel returns its results by writing them to an array")
    } else if about("already been declared") {
        Help::new(format!("there is already a `{quoted}` above"))
    } else if about("kernel launch could not be processed") {
        Help {
            title: Some("a kernel exercise does not launch anything".into()),
            ..Help::new("the checker does this for you")
                .note("the checker chooses the grid and the block, and launches the kernel")
        }
    } else if about("pointer-to-) function type") {
        Help::new(format!("`{word}` is not a function"))
            .note("use ( ) for a call and [ ] for an element of an array")
    } else if about("more than one instance of overloaded function") {
        Help {
            title: Some(format!("more than one version of {quoted} fits these values")),
            ..Help::new("the values have different types")
                .note("give all of them the same type: 2.0f is a float, 2.0 a double, 2 an int")
        }
    } else if about("#include") || about("in NVIDIA's header") {
        Help {
            place: source.whole_line(message.line),
            ..Help::new("this line is not needed").note(NO_HEADERS)
        }
    } else if about("too many arguments") || about("too few arguments") {
        Help::new("wrong number of arguments")
    } else if about("explicit type is missing") || about("no storage class") {
        Help::new("no type has this name")
            .note("a kernel starts with: extern \"C\" __global__ void")
    } else {
        Help::default()
    }
}

/// A built-in such as `threadIdx` that the message's line uses without `.x`, `.y` or `.z`.
fn built_in_without_axis(message: &Message, source: &Source<'_>) -> Option<(u32, u32, u32)> {
    ["threadIdx", "blockIdx", "blockDim", "gridDim"].into_iter().find_map(|name| {
        let length = name.len() as u32;
        let whole = |&(line, column): &(u32, u32)| {
            line == message.line && source.word(line, column + length).as_deref() != Some(".")
        };
        let (line, column) = source.occurrences(name).into_iter().find(whole)?;
        Some((line, column, length))
    })
}

fn undefined(word: &str, source: &Source<'_>) -> Help {
    match names::about(word) {
        Some(Name::Spelled { right, what }) => {
            Help::new(format!("CUDA's {what} is spelled {right}"))
        }
        Some(Name::NotHere(why)) => Help::new("not available here").note(why),
        None => match names::nearest(word, source.identifiers().filter(|name| name != word)) {
            Some(near) => Help::new(format!("did you mean {near}?")),
            None => Help::new("nothing above has this name")
                .note("declare a variable, with its type, before the line that uses it"),
        },
    }
}

fn no_member(class: &str, member: &str) -> Help {
    match class {
        "uint3" | "dim3" | "int3" | "float3" => Help::new("its parts are x, y and z")
            .note("write them in lower case: threadIdx.x"),
        "uint2" | "int2" | "float2" | "double2" => Help::new("its parts are x and y"),
        "std" => Help::new(format!("there is no std::{member} here"))
            .note("a GPU thread has no C++ standard library: use CUDA's own functions, such as sqrtf, fminf, printf"),
        _ => Help::new("no such member"),
    }
}

/// The compiler notices a missing sign at the next word, often a line too late, so the mark goes
/// after the code before that word, unless it is there already.
fn missing(source: &Source<'_>, message: &Message, sign: &str) -> Help {
    let (line, column) = (message.line, message.column);
    let behind = source.ends_at(line, column) && source.word(line, column).as_deref() != Some("}");
    let end = if behind { Some((line, column)) } else { source.end_before(line, column) };
    let place = end.map(|(line, column)| (line, column, 1));
    let label = format!("a {sign} is missing after this");
    Help { place, title: Some(format!("expected a {sign}")), ..Help::new(label) }
}

fn read_only(word: &str) -> Help {
    match word {
        "threadIdx" | "blockIdx" | "blockDim" | "gridDim" | "warpSize" => {
            Help::new(format!("{word} is read-only"))
                .note("the hardware sets it for each thread: keep your own value in a variable")
        }
        word => Help::new(format!("`{word}` is const, so it cannot be changed"))
            .note("const in the parameter list is a promise to the caller")
            .thinking("which parameter is meant for the results?"),
    }
}

/// `a value of type "const float *" cannot be assigned to an entity of type "float"`.
fn conversion(sentence: &str) -> Help {
    let mut types = sentence.split('"').skip(1).step_by(2);
    let (from, to) = (types.next().unwrap_or_default(), types.next().unwrap_or_default());
    match (from.contains('*'), to.contains('*')) {
        (true, false) if !from.contains("char") => {
            Help::new("the whole array instead of one element")
                .note("select one element with an index: name[...]")
        }
        (false, true) => Help::new("one number instead of an array"),
        (true, true) if from.contains("const") && !to.contains("const") => {
            Help::new("a const array cannot become a writable one")
        }
        (true, true) if from.starts_with("void") => {
            Help::new("the pointer needs a cast to its type")
        }
        _ => Help::new(format!("{from} cannot become {to}")),
    }
}

/// `calling a __host__ function("Scale::operator ()(float) const") from a __global__ function("map<Scale>") is not allowed`,
/// which marks the call.
fn called_host_function(sentence: &str) -> Help {
    let quoted = sentence.split('"').nth(1).unwrap_or_default();
    // without its parameters, which also begin with a parenthesis in `operator ()(float)`
    let name = match quoted.split_once("operator ()") {
        Some((object, _)) => format!("{object}operator()"),
        None => quoted.split('(').next().unwrap_or_default().trim().to_owned(),
    };
    let name = if name.is_empty() { "a function".to_owned() } else { name };
    Help {
        title: Some(format!("code for the GPU calls {name}, which is a function for the CPU")),
        ..Help::new("this call").note(
            "the function is compiled only for the CPU: add __device__ in front of its definition",
        )
    }
}

fn host_function(word: &str) -> Help {
    if word == "main" {
        return Help {
            title: Some("a kernel exercise has no main()".into()),
            ..Help::new("the checker is the program around your kernel").note(
                "the checker allocates the arrays, launches the kernel and compares the results",
            )
        };
    }
    let name = if word.is_empty() { "this function" } else { word };
    Help {
        title: Some(format!("{name} is a function for the CPU, but this file is for the GPU")),
        ..Help::new("__device__ is missing in front of it")
            .note("__global__ marks a kernel, __device__ a function that kernels call")
    }
}

/// The compiler did not end.
pub fn stopped(how: &str) -> Draft {
    Draft::new(how)
        .note("a typical file compiles in a tenth of a second")
        .note("macros or templates that expand endlessly can keep the compiler busy forever")
        .think("which part of the file did you add last?")
}

/// The file cannot be used as source.
pub fn unreadable(why: &Unreadable, spec: &'static Spec, context: &Context<'_>) -> Draft {
    let file = context.file;
    let reset = format!("to start again from the original: {} reset {}", context.command, spec.id);
    match why {
        Unreadable::Missing => Draft::new(format!("{file} does not exist")).note(reset),
        Unreadable::Empty => Draft::new(format!("{file} is empty"))
            .note("check that the editor saved it")
            .note(reset),
        Unreadable::Binary(line) => Draft::new(format!("{file} is not plain text (line {line})"))
            .note("save it as UTF-8 text, without NUL bytes")
            .note(reset),
        Unreadable::TooLarge(bytes, limit) => Draft::new(format!(
            "{file} has {} bytes; an exercise may have {}",
            count(*bytes),
            count(*limit)
        ))
        .note("check that it is the right file")
        .note(reset),
        Unreadable::Io(reason) => Draft::new(format!(
            "{file} cannot be read: {}",
            sanitise(reason)
        ))
        .note("check that it is a plain file, that it belongs to you, and that you may read it")
        .note(format!("or move it away, and then {reset}")),
    }
}
