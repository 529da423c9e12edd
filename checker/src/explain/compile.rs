//! The compiler said no, or never got so far. Its first error, with help where a learner's slip is recognised.

use super::names::{self, Name};
use super::scan::{Source, span};
use super::words::{count, many};
use super::{Context, Draft};
use crate::compile::{Message, Severity};
use crate::report::Span;
use crate::spec::Spec;
use crate::text::sanitise;
use crate::verdict::Unreadable;

const NO_HEADERS: &str =
    "kernel exercises need no #include: CUDA's built-ins, math functions and printf are there";

/// What is said about a recognised slip.
#[derive(Default)]
struct Help {
    /// At the mark.
    label: String,
    /// Below it.
    notes: Vec<String>,
    /// Where the slip is, when that is not where the compiler noticed it.
    place: Option<(u32, u32, u32)>,
    /// What to think about.
    think: Option<&'static str>,
    /// In place of the compiler's sentence, when that would lead astray.
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
        return Draft::new("the compiler rejected the file, and did not say why");
    };
    let sentence = first.text.lines().next().unwrap_or_default();
    // What the candidates would have taken is a list for experts.
    let sentence = sentence.split(" operand types are").next().unwrap_or(sentence).trim();
    let mut help = help(first, sentence, source);
    // what is said of the host's names is about exercises without a host
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
            "{} below it; mend this one first, and the others may go with it",
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
        Help::new("the kernel has already ended above this")
            .note("there is one } too many above, or one { too few")
    } else if about("expected a statement") {
        Help::new("no statement can start with this")
    } else if about("expected an expression") {
        Help::new("a value belongs here")
    } else if about("call must be configured") {
        Help::new("a kernel is launched, not called")
            .note("between its name and its arguments stand the grid and the block: name<<<grid, block>>>(...)")
    } else if about("modifiable lvalue") {
        read_only(&word)
    } else if about("not open source file") {
        Help {
            title: Some(format!("there is no header \"{quoted}\" here")),
            place: source.whole_line(message.line),
            ..Help::new("this line is not needed").note(NO_HEADERS)
        }
    } else if about("no operator \"[]\"") && triple(message, source).is_some() {
        Help {
            place: triple(message, source),
            ..Help::new("an index is one number")
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
        // The sign itself says nothing: the value behind it is meant.
        let place = place.and_then(|place| source.without_sign(place));
        Help { place, ..conversion(sentence) }
    } else if about("calling a __host__ function") {
        called_host_function(sentence)
    } else if about("host function") || about("__host__ function") {
        host_function(&word)
    } else if about("host variable") {
        Help {
            title: Some("a variable outside every function needs to say where it lives".into()),
            ..Help::new("constexpr, __device__ or __constant__ is missing")
        }
    } else if about("unrecognized token") {
        Help::new("CUDA C++ does not know this character")
            .note("text that was copied often brings curly quotes or special spaces: type it again")
    } else if about("must have a constant value") {
        Help::new("the compiler must know this size")
            .note("the size of an array is fixed when the file is compiled: use a constexpr")
    } else if about("must have a void return type") || about("return value type") {
        Help::new("a kernel returns nothing")
            .note("a kernel hands back its results through an array that it writes")
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
            .note("calls take ( ), elements of an array take [ ]")
    } else if about("more than one instance of overloaded function") {
        Help {
            title: Some(format!("more than one version of {quoted} fits these values")),
            ..Help::new("the values have different types")
                .note("give all of them one type: 2.0f is a float, 2.0 a double, 2 an int")
        }
    } else if about("#include") || about("in NVIDIA's header") {
        Help {
            place: source.whole_line(message.line),
            ..Help::new("this line is not needed").note(NO_HEADERS)
        }
    } else if about("too many arguments") || about("too few arguments") {
        Help::new("the number of values does not fit")
    } else if about("explicit type is missing") || about("no storage class") {
        Help::new("what is this? No type is known by this name")
            .note("a kernel starts with: extern \"C\" __global__ void")
    } else {
        Help::default()
    }
}

/// A built-in with three parts on the message's line that stands there without one of them.
fn triple(message: &Message, source: &Source<'_>) -> Option<(u32, u32, u32)> {
    ["threadIdx", "blockIdx", "blockDim", "gridDim"].into_iter().find_map(|name| {
        let length = name.len() as u32;
        let whole = |&(line, column): &(u32, u32)| {
            line == message.line && source.word(line, column + length).as_deref() != Some(".")
        };
        let (line, column) = source.places(name).into_iter().find(whole)?;
        Some((line, column, length))
    })
}

fn undefined(word: &str, source: &Source<'_>) -> Help {
    match names::about(word) {
        Some(Name::Spelled { right, what }) => {
            Help::new(format!("CUDA's {what} is spelled {right}"))
        }
        Some(Name::NotHere(why)) => Help::new("not known here").note(why),
        None => match names::nearest(word, source.identifiers().filter(|name| name != word)) {
            Some(near) => Help::new(format!("did you mean {near}?")),
            None => Help::new("nothing above has this name")
                .note("a variable must be declared, with its type, before the line that uses it"),
        },
    }
}

fn no_member(class: &str, member: &str) -> Help {
    match class {
        "uint3" | "dim3" | "int3" | "float3" => Help::new("its parts are x, y and z")
            .note("they are written in small letters: threadIdx.x"),
        "uint2" | "int2" | "float2" | "double2" => Help::new("its parts are x and y"),
        "std" => Help::new(format!("there is no std::{member} here"))
            .note("a GPU thread has no C++ standard library: use CUDA's own functions, such as sqrtf, fminf, printf"),
        _ => Help::new("no such part"),
    }
}

/// The compiler notices a missing sign at the next word, often a line too late: the mark goes behind the code before
/// it, unless it stands there already.
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
        "threadIdx" | "blockIdx" | "blockDim" | "gridDim" | "warpSize" => Help::new(format!(
            "{word} can only be read"
        ))
        .note(
            "the hardware sets it, differently for each thread: keep your own value in a variable",
        ),
        word => Help::new(format!("`{word}` is const: it can only be read"))
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
            Help::new("the whole array, where one element belongs")
                .note("one element of an array is written with an index: name[...]")
        }
        (false, true) => Help::new("one number, where an array belongs"),
        (true, true) if from.contains("const") && !to.contains("const") => {
            Help::new("a const array cannot become a writable one")
        }
        (true, true) if from.starts_with("void") => {
            Help::new("the pointer needs a cast to its type")
        }
        _ => Help::new(format!("{from} does not fit into {to}")),
    }
}

/// `calling a __host__ function("Scale::operator ()(float) const") from a __global__ function("map<Scale>") is not
/// allowed`, which marks the call.
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
        ..Help::new("this call")
            .note("the function is compiled for the CPU only: where it is written, __device__ is missing in front of it")
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
        title: Some(format!("{name} is a function for the CPU, and this file is for the GPU")),
        ..Help::new("__device__ is missing in front of it")
            .note("__global__ marks a kernel, __device__ a function that kernels call")
    }
}

/// The compiler did not end.
pub fn stopped(how: &str) -> Draft {
    Draft::new(how)
        .note("usual files compile in a tenth of a second")
        .note("macros or templates that expand without end can keep it busy for ever")
        .think("which part of the file did you add last?")
}

/// The file cannot be used as source.
pub fn unreadable(why: &Unreadable, spec: &'static Spec, context: &Context<'_>) -> Draft {
    let file = context.file;
    let reset = format!("to start again from the original: {} reset {}", context.command, spec.id);
    match why {
        Unreadable::Missing => Draft::new(format!("{file} is not there")).note(reset),
        Unreadable::Empty => Draft::new(format!("{file} is empty"))
            .note("was it saved before the editor was closed?")
            .note(reset),
        Unreadable::Binary(line) => Draft::new(format!("{file} is not plain text (line {line})"))
            .note("save it as UTF-8 text, without NUL bytes")
            .note(reset),
        Unreadable::TooLarge(bytes, limit) => Draft::new(format!(
            "{file} has {} bytes; an exercise may have {}",
            count(*bytes),
            count(*limit)
        ))
        .note("is it the right file?")
        .note(reset),
        Unreadable::Io(reason) => Draft::new(format!(
            "{file} cannot be read: {}",
            sanitise(reason)
        ))
        .note("check that it is a plain file, that it belongs to you, and that you may read it")
        .note(format!("or move it away, and then {reset}")),
    }
}
