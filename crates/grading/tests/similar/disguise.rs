//! Edits that disguise a copy as the student's own work.

use crate::class::Random;

/// A way to change a text.
type Disguise = fn(&str, &mut Random) -> String;

/// All of them, with their names.
pub const ALL: [(&str, Disguise); 12] = [
    ("nothing", |text, _| text.to_owned()),
    ("names", |text, _| rename(text)),
    ("layout and comments", layout),
    ("order of functions", |text, _| reorder(text)),
    ("declarations", |text, _| declarations(text)),
    ("macros", |text, _| macros(text)),
    ("dead statements", |text, _| dead(text, 3)),
    ("a dead statement after each", |text, _| dead(text, 1)),
    ("all at once", |text, random| {
        layout(&dead(&declarations(&reorder(&macros(&rename(text)))), 4), random)
    }),
    ("parentheses", |text, _| parentheses(text)),
    ("a macro for each sign", |text, _| signs(text)),
    ("operations without effect", |text, _| neutral(text)),
];

const KEPT: &[&str] = &[
    "alignas",
    "atomicAdd",
    "atomicCAS",
    "atomicExch",
    "atomicMax",
    "atomicMin",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "constexpr",
    "continue",
    "default",
    "delete",
    "dim3",
    "do",
    "double",
    "else",
    "explicit",
    "extern",
    "false",
    "float",
    "float2",
    "float4",
    "for",
    "if",
    "include",
    "inline",
    "int",
    "int2",
    "int4",
    "long",
    "make_float2",
    "make_float4",
    "make_uint2",
    "make_uint4",
    "make_uchar4",
    "namespace",
    "nullptr",
    "operator",
    "pragma",
    "reinterpret_cast",
    "return",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "static_cast",
    "std",
    "struct",
    "switch",
    "template",
    "this",
    "true",
    "typename",
    "uchar4",
    "uint2",
    "uint4",
    "unroll",
    "unsigned",
    "using",
    "vector",
    "void",
    "volatile",
    "while",
    "C",
    "x",
    "y",
    "z",
    "w",
    "data",
    "size",
    "begin",
    "end",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "printf",
    "define",
    "uchar3",
    "make_uchar3",
    "float3",
    "uint8_t",
    "class",
    "public",
    "private",
    "goto",
    "push_back",
    "resize",
    "uint32_t",
];

/// Functions of the libraries are known by being called with nothing of that name in the file.
const CALLED: &[&str] = &[
    "abs",
    "ceil",
    "ceilf",
    "cospi",
    "cosf",
    "exp",
    "expf",
    "expm1f",
    "fabsf",
    "floor",
    "floorf",
    "fma",
    "fmaf",
    "fmax",
    "fmaxf",
    "fmin",
    "fminf",
    "isnan",
    "log",
    "logf",
    "max",
    "min",
    "pow",
    "powf",
    "rintf",
    "rsqrtf",
    "sinf",
    "sinpif",
    "cospif",
    "sincosf",
    "sincospif",
    "sqrt",
    "sqrtf",
    "tanhf",
    "tex2D",
    "isfinite",
    "isinf",
    "roundf",
    "lroundf",
    "log1pf",
    "tanh",
    "exp2f",
    "log2f",
    "rsqrt",
    "swap",
    "erff",
    "cos",
    "sin",
    "memcpy",
    "memset",
    "malloc",
    "free",
];

fn kept(word: &str) -> bool {
    KEPT.contains(&word)
        || CALLED.contains(&word)
        || word.starts_with("__")
        || word.starts_with("cuda")
        || word.starts_with(|c: char| c.is_ascii_digit())
}

/// Applies `change` to each word outside comments, strings and directives.
fn words(text: &str, mut change: impl FnMut(&str) -> String) -> String {
    let mut out = String::new();
    for line in strip_comments(text).lines() {
        if line.trim_start().starts_with('#') && !line.contains("define") {
            out += line;
        } else {
            let mut rest = line;
            while let Some(c) = rest.chars().next() {
                let word = |c: char| c.is_alphanumeric() || c == '_';
                let length = match c {
                    '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                    c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
                    c => c.len_utf8(),
                };
                let (part, after) = rest.split_at(length);
                if word(c) {
                    out += &change(part)
                } else {
                    out += part
                }
                rest = after;
            }
        }
        out.push('\n');
    }
    out
}

pub fn strip_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.find("//").map_or(line, |at| line[..at].trim_end()));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Every name that can be chosen is another one.
pub fn rename(text: &str) -> String {
    let mut names: Vec<String> = vec![];
    words(text, |word| {
        if kept(word) {
            return word.to_owned();
        }
        let place = names.iter().position(|name| name == word).unwrap_or_else(|| {
            names.push(word.to_owned());
            names.len() - 1
        });
        ["my", "the", "new", "tmp"][place % 4].to_owned() + &format!("Value{place}")
    })
}

/// Other lines, other indentation, other comments.
pub fn layout(text: &str, random: &mut Random) -> String {
    let mut out = String::from("/* my own solution,\n   really */\n\n");
    for line in strip_comments(text).lines() {
        let line = line.trim();
        if line.starts_with('#') {
            out += &format!("\n{line}\n");
            continue;
        }
        for part in line.split_inclusive([' ', ';', '{', ')']) {
            out += part.trim();
            out += match random.below(9) {
                0 => "\n\t\t",
                1 => "   ",
                2 => " // this is important\n",
                _ => " ",
            };
        }
        out += if random.below(4) == 0 { "\n\n" } else { " " };
    }
    out
}

/// Top-level items in reverse order.
pub fn reorder(text: &str) -> String {
    let text = strip_comments(text);
    let (mut items, mut item, mut depth) = (vec![], String::new(), 0_i32);
    let mut directives = String::new();
    for line in text.lines() {
        if depth == 0 && line.trim_start().starts_with('#') {
            directives += &format!("{line}\n");
            continue;
        }
        item += &format!("{line}\n");
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        let ended = line.trim_end().ends_with(['}', ';']);
        if depth == 0 && ended {
            items.push(std::mem::take(&mut item));
        }
    }
    items.push(item);
    items.reverse();
    directives + &items.concat()
}

/// Declarations apart from their values, other types, no `const`, other increments.
pub fn declarations(text: &str) -> String {
    let mut out = String::new();
    for line in strip_comments(text).lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let code = line.trim_start().trim_start_matches("const ");
        let split = ["int ", "float ", "unsigned int ", "size_t "].iter().find_map(|kind| {
            let rest = code.strip_prefix(kind)?;
            let (name, value) = rest.split_once(" = ")?;
            let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
            (plain && value.ends_with(';') && !value.contains(", ")).then_some((kind, name, value))
        });
        out += &match split {
            Some((kind, name, value)) => {
                let kind = if *kind == "float " { "double " } else { "long " };
                format!("{indent}{kind}{name};\n{indent}{name} = {value}\n")
            }
            None => format!("{indent}{}\n", code.replace("++)", " += 1)").replace("const ", "")),
        };
    }
    out
}

/// Other words for what is written most.
pub fn macros(text: &str) -> String {
    let text = strip_comments(text);
    let mut head =
        String::from("#define TX threadIdx.x\n#define TY threadIdx.y\n#define BX blockIdx.x\n");
    head += "#define BY blockIdx.y\n#define WAIT __syncthreads()\ntypedef float real;\nusing whole = int;\n";
    let text = text
        .replace("threadIdx.x", "TX")
        .replace("threadIdx.y", "TY")
        .replace("blockIdx.x", "BX")
        .replace("blockIdx.y", "BY")
        .replace("__syncthreads()", "WAIT");
    head + &words(&text, |word| match word {
        "float" => "real".into(),
        "int" => "whole".into(),
        word => word.to_owned(),
    })
}

/// A statement without effect after every few statements.
pub fn dead(text: &str, every: usize) -> String {
    let mut out = String::new();
    let (mut depth, mut statements) = (0_i32, 0);
    for line in strip_comments(text).lines() {
        out += &format!("{line}\n");
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        if depth > 0 && line.trim_end().ends_with(';') {
            statements += 1;
            if statements % every == 0 {
                out += &format!(
                    "int unused{statements} = {statements}; if (unused{statements} > 900) unused{statements}--;\n"
                );
            }
        }
    }
    out
}

/// Puts parentheses around each index and each assigned expression of one line.
fn parentheses(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut out = String::new();
        for piece in line.split_inclusive('[') {
            let (index, rest) = match piece.split_once(']') {
                Some((index, rest)) if out.ends_with('[') => (index, rest),
                _ => {
                    out.push_str(piece);
                    continue;
                }
            };
            let is_index = !index.is_empty() && !["&", "="].contains(&index);
            let index = if is_index { format!("({index})") } else { index.to_owned() };
            out.push_str(&format!("{index}]{rest}"));
        }
        let assigned = out.split_once(" = ").and_then(|(to, expression)| {
            let (expression, rest) = expression.split_once(';')?;
            let plain = !to.contains("for") && !expression.contains(['{', ',', '[']);
            plain.then(|| format!("{to} = (({expression}));{rest}"))
        });
        assigned.unwrap_or(out) + "\n"
    });
    lines.collect()
}

/// Replaces each brace and semicolon outside of directives by a macro.
fn signs(text: &str) -> String {
    let signs = [("{", "OPEN_"), ("}", "CLOSE_"), (";", "END_")];
    let mut out: String =
        signs.iter().map(|(sign, name)| format!("#define {name} {sign}\n")).collect();
    for line in text.lines() {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let mut code = code.to_owned();
        if !code.trim_start().starts_with('#') && !code.contains(['"', '\'']) {
            for (sign, name) in signs {
                code = code.replace(sign, &format!(" {name} "));
            }
        }
        out.push_str(&format!("{code}//{comment}\n"));
    }
    out
}

/// Adds zero to each index.
fn neutral(text: &str) -> String {
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with(['#', '/']) || line.contains(['"', '\'']) {
            return format!("{line}\n");
        }
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let pieces = code.split_inclusive(']').map(|piece| match piece.strip_suffix(']') {
            Some(index) if !index.ends_with(['[', '&', '=']) => format!("{index} + 0]"),
            _ => piece.to_owned(),
        });
        format!("{}//{comment}\n", pieces.collect::<String>())
    });
    lines.collect()
}
