//! Tokens to symbols: what is left when everything is gone that can be changed without a thought.
//!
//! | in the file | compared |
//! | --- | --- |
//! | `const`, `static`, `inline`, `__restrict__`, `extern "C"`, `std::`, `this->`, attributes | nothing |
//! | any arithmetic type, `auto`, several words of one | one token |
//! | `(float)x`, `float(x)`, `static_cast<float>(x)` | `(x)` or `x` |
//! | `x + 0`, `x * 1`, `x << 0` | `x` |
//! | `*(a + i)` | `a[i]` |
//! | `((a) + (b * c))`, `(a)[i]`, `return (a);` | `a + b * c`, `a[i]`, `return a;` |
//! | `int a = 1, b;`, `int a{1}; int b;`, `int a; a = 1;` | `a = 1 ;` |
//! | `__shared__ float a[9], b[9];` | a declaration each |
//! | `++i`, `i++`, `i += 1`, `i = i + 1` | `i ++` |
//! | `{`, `}` | nothing |
//! | a string, a character, a number | its kind; 0, 1 and 2 are themselves |
//! | a name of the language, of CUDA or its libraries | itself |
//! | any other name | a number, new in each file: see [`super::grams`] for how these are compared |

mod groups;
mod index;
mod neutral;

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::lex::{self, Kind, Raw};
use super::macros;
use super::words::{self, Around, Word};

/// Set in symbols of names; the other bits are the name's number in its file.
pub(super) const NAME: u64 = 1 << 63;

/// A token as it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// Equal for equal tokens of any files, names apart.
    pub symbol: u64,
    /// Equal for equal tokens as written.
    pub written: u64,
    /// One-based line.
    pub line: u32,
}

/// The tokens of a file for comparison.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let found = macros::expand(lex::tokens(text));
    let found = simplify(&found);
    // `(256 + 0)` needs its parentheses no more once it is `(256)`.
    let found = index::elements(&neutral::remove(casts(found)));
    let found = groups::remove(found);
    let found = neutral::remove(found);
    let found = declarations(&found);
    let found = increments(found);
    let mut names: HashMap<String, u64> = HashMap::new();
    let mut out = Vec::with_capacity(found.len());
    for token in found {
        if matches!(token.text.as_str(), "{" | "}") && token.class == Class::Sign {
            continue;
        }
        let written = hash(&token.text);
        let symbol = match token.class {
            Class::Name => {
                let next = names.len() as u64;
                NAME | *names.entry(token.text).or_insert(next)
            }
            Class::Type => hash("type"),
            Class::Literal(kind) => hash(kind) ^ 1,
            Class::Fixed | Class::FixedType | Class::Sign => hash(&token.text),
        };
        out.push(Token { symbol, written, line: token.line });
    }
    out
}

/// Whether a file has more bytes or tokens than are compared.
pub(super) fn is_cut(text: &str) -> bool {
    if text.len() > lex::MAX_BYTES {
        return true;
    }
    // only macros make more tokens than there are characters
    let may_be = text.len() >= macros::MAX_TOKENS || text.contains("define");
    may_be && macros::expand(lex::tokens(text)).len() >= macros::MAX_TOKENS
}

/// A hash of a word, never one of a name.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish() & !NAME
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Name,
    Type,
    Fixed,
    FixedType,
    /// With its kind.
    Literal(&'static str),
    Sign,
}

#[derive(Debug, Clone)]
struct Tok {
    class: Class,
    text: String,
    line: u32,
}

impl Tok {
    fn is(&self, text: &str) -> bool {
        self.text == text && !matches!(self.class, Class::Literal(_))
    }

    fn is_type(&self) -> bool {
        matches!(self.class, Class::Type | Class::FixedType)
    }

    /// Whether an operand may end here, so that an operator with two operands may follow.
    fn ends_operand(&self) -> bool {
        matches!(self.class, Class::Name | Class::Literal(_)) || self.is(")") || self.is("]")
    }

    fn sign(text: &str, line: u32) -> Self {
        Self { class: Class::Sign, text: text.to_owned(), line }
    }
}

fn is(token: Option<&Tok>, text: &str) -> bool {
    token.is_some_and(|token| token.is(text))
}

fn class(token: Option<&Tok>) -> Option<Class> {
    token.map(|token| token.class)
}

/// Leaves out what says nothing, and gives each word its class.
fn simplify(raw: &[Raw]) -> Vec<Tok> {
    let mut out: Vec<Tok> = Vec::with_capacity(raw.len());
    let sign = |i: usize, text: &str| {
        raw.get(i).is_some_and(|token| token.kind == Kind::Sign && token.text == text)
    };
    let mut i = 0;
    while let Some(token) = raw.get(i) {
        let line = token.line;
        let literal = |kind| Tok { class: Class::Literal(kind), text: token.text.clone(), line };
        match token.kind {
            // `[[nodiscard]]`; an index never begins with a lambda here.
            Kind::Sign if token.text == "[" && sign(i + 1, "[") => {
                let end = (i..raw.len().min(i + 64)).find(|at| sign(*at, "]") && sign(at + 1, "]"));
                i = end.map_or(i, |end| end + 1);
            }
            Kind::Sign => out.push(Tok::sign(&token.text, line)),
            Kind::Text => {
                let joined = out.last().is_some_and(|last| last.class == Class::Literal("text"));
                // `extern "C"` is one word in effect.
                let linkage = i > 0 && raw.get(i - 1).is_some_and(|before| before.text == "extern");
                if !joined && !linkage {
                    out.push(literal("text"));
                }
            }
            Kind::Character => out.push(literal("character")),
            Kind::Floating => out.push(literal("number with a point")),
            Kind::Integer => out.push(literal(integer(&token.text))),
            Kind::Word => {
                let around = Around {
                    member: i > 0 && (sign(i - 1, ".") || sign(i - 1, "->")),
                    call: sign(i + 1, "("),
                    template: sign(i + 1, "<"),
                };
                if token.text == "std" && sign(i + 1, "::")
                    || token.text == "this" && sign(i + 1, "->")
                {
                    i += 2;
                    continue;
                }
                let text = words::canonical(&token.text).to_owned();
                let push = |class, text| Tok { class, text, line };
                match words::classify(&token.text, around) {
                    Word::Nothing => {}
                    Word::Type if out.last().is_some_and(|last| last.class == Class::Type) => {}
                    Word::Type => out.push(push(Class::Type, token.text.clone())),
                    Word::Fixed | Word::Member => out.push(push(Class::Fixed, text)),
                    Word::FixedType => out.push(push(Class::FixedType, text)),
                    Word::Name => out.push(push(Class::Name, token.text.clone())),
                }
            }
        }
        i += 1;
    }
    out
}

/// Kind of a whole number. 0, 1 and 2 (the first, the next, a half) are structure; others are
/// choices.
fn integer(text: &str) -> &'static str {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    if digits.strip_suffix(['f', 'F']).is_some() && !digits.starts_with("0x") {
        return "number with a point";
    }
    let value = digits
        .strip_prefix("0x")
        .or(digits.strip_prefix("0X"))
        .map_or_else(|| digits.replace('\'', "").parse(), |hex| u64::from_str_radix(hex, 16));
    match value {
        Ok(0) => "0",
        Ok(1) => "1",
        Ok(2) => "2",
        _ => "number",
    }
}

/// Takes casts out: their type, and the parentheses around it.
fn casts(tokens: Vec<Tok>) -> Vec<Tok> {
    let mut out: Vec<Tok> = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        let stars = |from: usize| {
            tokens.iter().skip(from).take_while(|token| token.is("*") || token.is("&")).count()
        };
        // `(float)x`, `(float4*)p`, and not `sizeof(float)`, `f(float)`, `if (...)`.
        if token.is("(") && tokens.get(i + 1).is_some_and(Tok::is_type) {
            let end = i + 2 + stars(i + 2);
            let operand = tokens.get(end + 1).is_some_and(|next| {
                next.class != Class::Sign
                    || matches!(next.text.as_str(), "(" | "-" | "&" | "*" | "!" | "~")
            });
            let called = out.last().is_some_and(|last| {
                last.class == Class::Name || last.is("sizeof") || last.is("alignof") || last.is(">")
            });
            if is(tokens.get(end), ")") && operand && !called {
                i = end + 1;
                i += push_operand(&mut out, tokens.get(i));
                continue;
            }
        }
        // `float(x)`, and not `float f(x)`.
        if token.class == Class::Type && is(tokens.get(i + 1), "(") && !is(tokens.get(i + 2), "*") {
            i += 1;
            i += push_operand(&mut out, tokens.get(i));
            continue;
        }
        let named = ["static_cast", "reinterpret_cast", "const_cast"];
        if named.iter().any(|name| token.is(name)) && is(tokens.get(i + 1), "<") {
            let inside = tokens.iter().skip(i).take(16);
            let end = inside.clone().position(|token| token.is(">"));
            if let Some(end) = end {
                i += end + 1;
                i += push_operand(&mut out, tokens.get(i));
                continue;
            }
        }
        out.push(token.clone());
        i += 1;
    }
    out
}

/// Adds the parenthesis around what is cast, if there is one, as a sign that stays. Returns how
/// many tokens this has added.
fn push_operand(out: &mut Vec<Tok>, next: Option<&Tok>) -> usize {
    let parenthesis = next.filter(|next| next.is("("));
    out.extend(parenthesis.map(|token| Tok { class: Class::Fixed, ..token.clone() }));
    usize::from(parenthesis.is_some())
}

/// One declaration for each thing that is declared, and none for what has no value yet.
fn declarations(tokens: &[Tok]) -> Vec<Tok> {
    let mut out: Vec<Tok> = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while i < tokens.len() {
        if begins_statement(tokens, i)
            && let Some(end) = declaration(tokens, i, &mut out)
        {
            i = end;
        } else {
            out.extend(tokens.get(i).cloned());
            i += 1;
        }
    }
    out
}

fn begins_statement(tokens: &[Tok], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| tokens.get(before)) else { return true };
    [";", "{", "}", ":", "else", "do"].iter().any(|text| before.is(text))
        || before.is("(") && at >= 2 && is(tokens.get(at - 2), "for")
}

/// Appends the declaration at `begin` in its simple form and gives the place behind it; `None`
/// where there is none.
fn declaration(tokens: &[Tok], begin: usize, out: &mut Vec<Tok>) -> Option<usize> {
    // `__shared__`, `__device__`, ...
    let space = |token: &&Tok| token.class == Class::Fixed && token.text.starts_with("__");
    let spaces = tokens.get(begin..)?.iter().take_while(space).count();
    let kind = begin + spaces;
    let first = tokens.get(kind)?;
    if !first.is_type() && first.class != Class::Name {
        return None;
    }
    let prefix = tokens.get(begin..=kind)?;
    let mut at = kind + 1;
    let stars = |from: usize| {
        tokens.iter().skip(from).take_while(|token| token.is("*") || token.is("&")).count()
    };
    // The first declarator decides whether this is a declaration of variables.
    let name = at + stars(at);
    let behind = tokens.get(name + 1)?;
    if class(tokens.get(name)) != Some(Class::Name)
        || !["=", ";", ",", "[", "{"].iter().any(|text| behind.is(text))
    {
        return None;
    }
    loop {
        let pointer = at..at + stars(at);
        let name = pointer.end;
        if class(tokens.get(name)) != Some(Class::Name) {
            return Some(at);
        }
        let end = declarator_end(tokens, name + 1);
        let declarator = tokens.get(name..end).unwrap_or_default();
        let initialised = is(tokens.get(name + 1), "=");
        let braced = is(tokens.get(name + 1), "{");
        if spaces == 0 && (initialised || braced) {
            out.extend_from_slice(tokens.get(name..=name).unwrap_or_default());
            let line = first.line;
            if braced {
                out.push(Tok::sign("=", line));
            }
            out.extend_from_slice(declarator.get(1..).unwrap_or_default());
            out.push(Tok::sign(";", line));
        } else if spaces > 0 || declarator.len() > 1 {
            out.extend_from_slice(prefix);
            out.extend_from_slice(tokens.get(pointer).unwrap_or_default());
            out.extend_from_slice(declarator);
            out.push(Tok::sign(";", first.line));
        }
        at = end + 1;
        if !is(tokens.get(end), ",") {
            return Some(at);
        }
    }
}

/// The `,` or `;` behind a declarator, or the end of everything.
fn declarator_end(tokens: &[Tok], from: usize) -> usize {
    let mut depth = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(from) {
        if token.class != Class::Sign {
            continue;
        }
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return i,
            },
            ";" => return i,
            "," if depth == 0 => return i,
            _ => {}
        }
    }
    tokens.len()
}

/// One form for all ways to change a variable by a step.
fn increments(tokens: Vec<Tok>) -> Vec<Tok> {
    const STEPS: [(&str, &str); 10] = [
        ("+", "+="),
        ("-", "-="),
        ("*", "*="),
        ("/", "/="),
        ("%", "%="),
        ("&", "&="),
        ("|", "|="),
        ("^", "^="),
        ("<<", "<<="),
        (">>", ">>="),
    ];
    let mut short: Vec<Tok> = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        // `i = i + ...` is `i += ...`.
        let again = token.class == Class::Name
            && is(tokens.get(i + 1), "=")
            && class(tokens.get(i + 2)) == Some(Class::Name)
            && is(tokens.get(i + 2), &token.text)
            && i.checked_sub(1).is_none_or(|before| {
                [";", "{", "}", ")", "else", "do"].iter().any(|text| is(tokens.get(before), text))
            });
        let step = STEPS.iter().find(|(sign, _)| again && is(tokens.get(i + 3), sign));
        short.push(token.clone());
        i += 1;
        if let Some((_, step)) = step {
            short.push(Tok::sign(step, token.line));
            i += 3;
        }
    }
    let mut out: Vec<Tok> = Vec::with_capacity(short.len());
    let mut i = 0;
    while let Some(token) = short.get(i) {
        let ends = |at| [";", ")", ","].iter().any(|text| is(short.get(at), text));
        let one = class(short.get(i + 1)) == Some(Class::Literal("1"));
        let prefix = out.last().is_none_or(|last| {
            last.class == Class::Sign && !last.is("]") && !last.is(")") || last.is("else")
        });
        if (token.is("+=") || token.is("-=")) && one && ends(i + 2) {
            out.push(Tok::sign(if token.is("+=") { "++" } else { "--" }, token.line));
            i += 2;
        } else if (token.is("++") || token.is("--"))
            && prefix
            && class(short.get(i + 1)) == Some(Class::Name)
        {
            out.extend(short.get(i + 1).cloned());
            out.push(token.clone());
            i += 2;
        } else {
            out.push(token.clone());
            i += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn symbols(text: &str) -> Vec<u64> {
        tokens(text).iter().map(|token| token.symbol).collect()
    }

    /// Each disguise that costs no thought gives the same symbols.
    #[test]
    fn disguises_are_seen_through() {
        for forms in [
            &["int a = b, c; c = 1;", "int a{b}; auto c = 1;", "auto const a = b; float c; c=1;"][..],
            &[
                "for (int i = 0; i < n; i++) f(i);",
                "for (size_t i = 0; i < n; ++i) { f(i); }",
                "for (unsigned j{0}; j < m; j += 1) f(j);",
            ],
            &["x = x + y * 2;", "x += y * 2;"],
            &["float y = (float)x;", "y = x;", "const float& y = x;", "y = (x);"],
            &["y = static_cast<float>(x);", "y = float(x);", "y = (float)(x);"],
            &["__shared__ float a[9], b[8];", "__shared__ float a[9]; __shared__ int b[9];"],
            &["std::vector<float> v(n);", "std::vector<double> values(count);"],
            &["p = NULL; q = fmaxf(a, b);", "float* p = nullptr; q = max(a, b);"],
            &[
                "extern \"C\" __global__ void k(const float* __restrict__ a) {}",
                "__global__ static void kernel(double *x) { ; }",
            ][..1],
            &["printf(\"a\" \"b\");", "printf(\"c\\n\");"],
            &["auto* p = reinterpret_cast<float4*>(x);", "p = (float4*)(x);"],
            &["if (a and not b) c();", "if (p && !q) { r(); }"],
            &["t = a + 1;", "(t) = ((a) + 1);", "((t)) = (((a)) + ((1)));"],
            &["return f(a[i], b);", "return ((f)((a)[(i)], (b)));"],
            &[
                "if (i < n) x[i]++;",
                "if (((i) < n)) (x)[i]++;",
                "if (i < (n)) { (x[(i)]) += (1); }",
            ],
            &["k<<<g, b>>>(x, y);", "(k)<<<(g), ((b))>>>((x), y);"],
            &["x = a * b + c;", "x = (a * b) + c;", "x = ((a * (b)) + c);"],
            &["x = a + b + c;", "x = (a + b) + c;"],
            &["x = a < b && -c;", "x = (a < b) && (-c);"],
            &["x = a ? b + c : f(d);", "x = (a) ? (b + c) : (f(d));"],
            &["if (a) *p = b;", "if (a) (*p) = (b);"],
            &["x = a;", "x = a + 0;", "x = (a - 0u) * 1;", "x = 0 + a;", "x = 1 * a / 1;"],
            &["x[i] = y[a * 3 - z[i]];", "*(x + i) = *(y + a * 3 - *(z + (i)));"],
            &["x[a * 3];", "x[(a + 0) * (3 + 0)];", "x[a * 3 + 0];", "x[a * 3 | 0];"],
            &["return a - b;", "return a - 0 - b * 1;", "return a * 1 - b;"],
            &["if (a < b) c();", "if (a + 0 < (b << 0)) c();"],
        ] {
            for form in forms {
                assert_eq!(symbols(form), symbols(forms[0]), "{form}\n{}", forms[0]);
            }
        }
    }

    /// Other code gives other symbols.
    #[test]
    fn differences_stay() {
        for (a, b) in [
            ("a[i] = b[i];", "a[i] = b[j];"),
            ("x += 1;", "x += 2;"),
            ("x += 1;", "x -= 1;"),
            ("f(x);", "__syncthreads();"),
            ("v.x = 1;", "v.y = 1;"),
            ("float a[3];", "float a;"),
            ("sizeof(float)", "x"),
            ("x = 1.0f;", "x = 1;"),
            ("atomicAdd(&a, 1);", "atomicMax(&a, 1);"),
            ("dim3 b(1, 2);", "b(1, 2);"),
            ("a = b * c;", "a = b; c;"),
            ("a = b * (c + d);", "a = b * c + d;"),
            ("a = (b + c) * d;", "a = b + c * d;"),
            ("a = b - (c - d);", "a = b - c - d;"),
            ("a = b + (c + d);", "a = b + c + d;"),
            ("a = (*b)[c];", "a = *b[c];"),
            ("a = !(b && c);", "a = !b && c;"),
            ("a = -(b + c);", "a = -b + c;"),
            ("f(a);", "f = a;"),
            ("f(a)(b);", "f(a, b);"),
            ("f((a, b));", "f(a, b);"),
            ("x = a * (b + c);", "x = b[c];"),
            ("x = *(a, b + c);", "x = b[c];"),
            ("x = *(b + c < d);", "x = b[c < d];"),
            ("x = a + 0 * b;", "x = a * b;"),
            ("x = a - 0;", "x = 0 - a;"),
            ("x = a << 0 + b;", "x = a + b;"),
            ("x = a * 1.5f;", "x = a;"),
            ("x = a + 0.0f;", "x = a;"),
            ("x = 2 / 1 % a;", "x = 2 / a;"),
            ("p(*a, +0);", "p(*a);"),
        ] {
            assert_ne!(symbols(a), symbols(b), "{a} | {b}");
        }
    }

    /// Tokens know their lines, also those that were moved.
    #[test]
    fn lines_are_kept() {
        let lines: Vec<u32> = tokens("a\n=\n1;\n\n++\nb;").iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 2, 3, 3, 6, 5, 6]);
    }

    proptest! {
        /// No bytes make it panic, and lines stay inside the file.
        #[test]
        fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let text = String::from_utf8_lossy(&bytes);
            let lines = text.matches('\n').count() as u32 + 1;
            prop_assert!(tokens(&text).iter().all(|token| (1..=lines).contains(&token.line)));
        }

        /// Nor do tokens in any order, and layout never matters.
        #[test]
        fn any_tokens(parts in proptest::collection::vec(0..WORDS.len(), 0..60)) {
            let words = parts.iter().map(|part| WORDS[*part]);
            let spaces: String = words.clone().map(|word| format!("{word} ")).collect();
            let wide: String = words.map(|word| format!("/* x */ {word}\t \\\n ")).collect();
            prop_assert_eq!(symbols(&spaces), symbols(&wide));
        }
    }

    const WORDS: &[&str] = &[
        "int",
        "float4",
        "a",
        "b",
        "=",
        ",",
        ";",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "*",
        "&",
        "+",
        "++",
        "+=",
        "1",
        "2.5",
        "\"t\"",
        "'c'",
        "for",
        "else",
        "static_cast",
        "<",
        ">",
        "std",
        "::",
        "this",
        "->",
        "x",
        "typedef",
        "using",
        "extern",
        "__shared__",
        "sizeof",
        "if",
        "return",
        ".",
    ];
}
