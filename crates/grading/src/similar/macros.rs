//! Directives are taken out, and aliases are replaced by what they stand for:
//! `#define TX threadIdx.x`, short macros with arguments, `typedef` and `using`.
//!
//! This is no preprocessor: every alias holds in the whole file, conditions are not evaluated
//! except `#if 0`, and a macro with arguments that is a statement stays where it is defined, as
//! code of its own, unless it is very short.

use std::collections::HashMap;

use super::lex::{Kind, Raw};

/// Most tokens of a macro with arguments that is replaced. Longer ones are functions in all but
/// name: copied into every use, one popular macro for checking errors would look like pages of
/// agreement.
const MAX_MACRO_TOKENS: usize = 24;
/// Most tokens of a macro with arguments that holds signs of statements and is still replaced.
const MAX_STATEMENT_TOKENS: usize = 6;
/// Most tokens of an alias for a type.
const MAX_TYPE_TOKENS: usize = 12;
/// Aliases within aliases.
const MAX_EXPANSION_DEPTH: usize = 8;
/// Most tokens of a file, aliases replaced: the rest is left out. The longest solution of the
/// course has about 1000.
pub(super) const MAX_TOKENS: usize = 8_000;

/// The definition of a macro or alias.
#[derive(Debug)]
struct Alias {
    /// The parameters of a macro with arguments. The last one may be [`REST`].
    parameters: Option<Vec<String>>,
    body: Vec<Raw>,
}

/// The name, in the body of a macro with `...`, of all arguments that remain.
const REST: &str = "__VA_ARGS__";

type Aliases = HashMap<String, Alias>;

/// The tokens that a compiler would see, as far as one file determines them.
pub(super) fn expand(raw: Vec<Raw>) -> Vec<Raw> {
    let mut aliases = Aliases::new();
    let code = directives(raw, &mut aliases);
    let code = types(code, &mut aliases);
    let out = Vec::with_capacity(code.len());
    let mut replacement = Replacement { aliases: &aliases, inside: vec![], out, steps: 0 };
    replacement.take(&code);
    replacement.out.truncate(MAX_TOKENS);
    replacement.out
}

fn is(token: Option<&Raw>, text: &str) -> bool {
    token.is_some_and(|token| token.text == text && token.kind != Kind::Text)
}

/// Takes the directives out and what lies between `#if 0` and its end.
fn directives(raw: Vec<Raw>, aliases: &mut Aliases) -> Vec<Raw> {
    let mut out = Vec::with_capacity(raw.len());
    // Depth of conditions inside a part that is switched off; 0 outside.
    let mut off = 0_usize;
    for row in raw.chunk_by(|a, b| a.row == b.row) {
        if !is(row.first(), "#") {
            if off == 0 {
                out.extend_from_slice(row);
            }
            continue;
        }
        let name = row.get(1).map_or("", |token| token.text.as_str());
        match name {
            "if" | "ifdef" | "ifndef" if off > 0 => off += 1,
            "if" if row.len() == 3 && (is(row.get(2), "0") || is(row.get(2), "false")) => off = 1,
            "endif" if off > 0 => off -= 1,
            "else" | "elif" if off == 1 => off = 0,
            "define" if off == 0 => {
                let rest = row.get(2..).unwrap_or_default();
                if !define(rest, aliases) {
                    out.extend_from_slice(row.get(1..).unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    out
}

/// Notes a macro; false where it stays as code.
fn define(rest: &[Raw], aliases: &mut Aliases) -> bool {
    let Some((name, after)) = rest.split_first() else { return true };
    if name.kind != Kind::Word {
        return true;
    }
    // `#define F (x)` is no macro with arguments. White space is gone here, so the parentheses must
    // hold names only, and something must follow them.
    let close = after.iter().position(|token| token.text == ")").unwrap_or(0);
    let parameters =
        after.get(1..close).filter(|_| is(after.first(), "(") && close + 1 < after.len());
    let parameters = parameters.and_then(|inside| {
        let names = inside.iter().enumerate().map(|(i, token)| match i % 2 {
            0 if token.kind == Kind::Word => Some(token.text.clone()),
            0 if token.text == "..." && i + 1 == inside.len() => Some(REST.to_owned()),
            1 if token.text == "," => Some(String::new()),
            _ => None,
        });
        let names: Option<Vec<String>> = names.collect();
        names.map(|names| names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>())
    });
    let body = match &parameters {
        Some(_) => after.get(close + 1..).unwrap_or_default(),
        None => after,
    };
    let makes_text = |token: &Raw| token.text == "#";
    let ends = |token: &Raw| matches!(token.text.as_str(), ";" | "{" | "}");
    let most = match parameters.is_some() && body.iter().any(ends) {
        true => MAX_STATEMENT_TOKENS,
        false => MAX_MACRO_TOKENS,
    };
    if body.len() > most || body.iter().any(makes_text) {
        return false;
    }
    aliases.insert(name.text.clone(), Alias { parameters, body: body.to_vec() });
    true
}

/// Takes out `typedef TYPE NAME;` and `using NAME = TYPE;`, and `using namespace NAME;`.
fn types(code: Vec<Raw>, aliases: &mut Aliases) -> Vec<Raw> {
    let mut out = Vec::with_capacity(code.len());
    let mut rest = code.as_slice();
    while let Some((token, after)) = rest.split_first() {
        let end = after.iter().take(MAX_TYPE_TOKENS + 3).position(|token| token.text == ";");
        let statement = end.and_then(|end| after.get(..end)).unwrap_or_default();
        let plain = !statement.iter().any(|token| matches!(token.text.as_str(), "{" | "(" | "["));
        let found = match (token.text.as_str(), statement) {
            ("typedef", [body @ .., name]) if plain && !body.is_empty() => Some((name, body)),
            ("using", [name, equals, body @ ..]) if plain && equals.text == "=" => {
                Some((name, body))
            }
            ("using", [namespace, ..]) if namespace.text == "namespace" => {
                rest = after.get(statement.len() + 1..).unwrap_or_default();
                continue;
            }
            _ => None,
        };
        match found {
            Some((name, body)) if name.kind == Kind::Word => {
                let alias = Alias { parameters: None, body: body.to_vec() };
                aliases.insert(name.text.clone(), alias);
                rest = after.get(statement.len() + 1..).unwrap_or_default();
            }
            _ => {
                out.push(token.clone());
                rest = after;
            }
        }
    }
    out
}

struct Replacement<'a> {
    aliases: &'a Aliases,
    /// The names that are being replaced.
    inside: Vec<String>,
    out: Vec<Raw>,
    /// Tokens looked at: aliases of nothing cost time, too.
    steps: usize,
}

impl Replacement<'_> {
    /// Appends `code` with its aliases replaced.
    fn take(&mut self, code: &[Raw]) {
        let mut rest = code;
        while let Some((token, after)) = rest.split_first() {
            self.steps += 1;
            if self.out.len() >= MAX_TOKENS || self.steps >= 8 * MAX_TOKENS {
                return;
            }
            rest = after;
            let Some((body, length)) = self.body(token, after) else {
                self.out.push(token.clone());
                continue;
            };
            rest = rest.get(length..).unwrap_or_default();
            // The replacement gets the position of the name.
            let place = |part| Raw { line: token.line, row: token.row, ..part };
            let body: Vec<Raw> = body.into_iter().map(place).collect();
            self.inside.push(token.text.clone());
            self.take(&body);
            self.inside.pop();
        }
    }

    /// The replacement of a token, and the number of the following tokens that it consumes.
    fn body(&self, token: &Raw, after: &[Raw]) -> Option<(Vec<Raw>, usize)> {
        if token.kind != Kind::Word || self.inside.len() >= MAX_EXPANSION_DEPTH {
            return None;
        }
        let alias = self.aliases.get(&token.text)?;
        if self.inside.contains(&token.text) {
            return None;
        }
        let Some(parameters) = &alias.parameters else {
            return Some((fill(&alias.body, &[], &[]), 0));
        };
        let has_rest = parameters.last().is_some_and(|last| last == REST);
        let (arguments, length) = arguments(after, has_rest.then_some(parameters.len()))?;
        (arguments.len() == parameters.len())
            .then(|| (fill(&alias.body, parameters, &arguments), length))
    }
}

/// The arguments in the parentheses at the beginning of `code`, and how many tokens that are. The
/// last of `most` arguments contains the commas of those that would follow.
fn arguments(code: &[Raw], most: Option<usize>) -> Option<(Vec<&[Raw]>, usize)> {
    if !is(code.first(), "(") {
        return None;
    }
    let mut found = vec![];
    let (mut depth, mut begin) = (0_usize, 1);
    for (i, token) in code.iter().enumerate().take(256) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 1 => {
                found.push(code.get(begin..i)?);
                return Some((found, i + 1));
            }
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 1 && most.is_none_or(|most| found.len() + 1 < most) => {
                found.push(code.get(begin..i)?);
                begin = i + 1;
            }
            _ => {}
        }
    }
    None
}

/// A macro's body with its arguments. `##` joins the tokens beside it.
fn fill(body: &[Raw], parameters: &[String], arguments: &[&[Raw]]) -> Vec<Raw> {
    let mut out: Vec<Raw> = vec![];
    let mut joins = false;
    for token in body {
        if token.text == "##" {
            joins = !out.is_empty();
            continue;
        }
        let place = parameters.iter().position(|name| *name == token.text);
        let argument = place.and_then(|place| arguments.get(place).copied());
        let mut part = argument.unwrap_or(std::slice::from_ref(token));
        if std::mem::take(&mut joins)
            && let (Some(left), Some((first, rest))) = (out.last_mut(), part.split_first())
        {
            left.text.push_str(&first.text);
            part = rest;
        }
        out.extend_from_slice(part);
        if out.len() > MAX_TOKENS {
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::lex;
    use super::*;

    fn shown(text: &str) -> String {
        let tokens = expand(lex::tokens(text));
        tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The disguises that cost a line each.
    #[test]
    fn aliases_are_replaced() {
        for (text, plain) in [
            ("#define TX threadIdx.x\nint t = TX;", "int t = threadIdx . x ;"),
            ("#define A B\n#define B 1\nA", "1"),
            (
                "#define AT(i, j) a[i][j]\nAT(x + 1, f(y, z)) = 0;",
                "a [ x + 1 ] [ f ( y , z ) ] = 0 ;",
            ),
            ("#define S (1 + 2)\nS", "( 1 + 2 )"),
            ("#define E ;\n#define O {\n#define C }\nO f() E C", "{ f ( ) ; }"),
            ("#define SET(a, b) a = b;\nSET(x, 1)", "x = 1 ;"),
            ("#define STOP return; }\nSTOP", "return ; }"),
            ("#define J(a, b) a##b\nint J(al, pha) = J(be, ) + J(, ta);", "int alpha = be + ta ;"),
            ("#define A be ## ta\nA", "beta"),
            ("#define I(...) __VA_ARGS__\nI(f(x, y), z) I()", "f ( x , y ) , z"),
            ("#define F(a, ...) f(__VA_ARGS__, a)\nF(1, 2, 3)", "f ( 2 , 3 , 1 )"),
            ("typedef unsigned int word; word w;", "unsigned int w ;"),
            ("using F = float; F* f;", "float * f ;"),
            ("using namespace std; f();", "f ( ) ;"),
            ("#include <vector>\n#pragma unroll\nf();", "f ( ) ;"),
            ("#if 0\na\n#if 1\nb\n#endif\n#else\nc\n#endif\nd", "c d"),
        ] {
            assert_eq!(shown(text), plain, "{text}");
        }
    }

    /// A macro for checking errors is code where it is defined, and a call where it is used.
    #[test]
    fn long_macros_stay() {
        let text = "#define CHECK(x) do { if (x) exit(1); } while (0)\nCHECK(f());";
        assert_eq!(
            shown(text),
            "define CHECK ( x ) do { if ( x ) exit ( 1 ) ; } while ( 0 ) CHECK ( f ( ) ) ;"
        );
        assert_eq!(shown("#define P(a) f(#a)\nP(1)"), "define P ( a ) f ( # a ) P ( 1 )");
    }

    /// Macros that call themselves or double at every level cost no more than a file of the largest
    /// size.
    #[test]
    fn bombs_are_bounded() {
        assert_eq!(shown("#define A A A\nA"), "A A");
        let mut text = String::from("#define F0(x) x x x x x x\n");
        for level in 1..40 {
            text += &format!("#define F{level}(x) F{0}(x) F{0}(x) F{0}(x) F{0}(x)\n", level - 1);
        }
        for level in 0..40 {
            text += &format!("F{level}(F{level}(a)) ");
        }
        assert!(expand(lex::tokens(&text)).len() <= MAX_TOKENS);
        // Nothing, very often.
        let mut text =
            String::from("#define E\n#define N0 E E E E E E E E E E E E E E E E E E E E\n");
        for level in 1..6 {
            text += &format!("#define N{level} {}\n", format!("N{} ", level - 1).repeat(20));
        }
        assert!(expand(lex::tokens(&(text + "N5 N4 N5"))).is_empty());
    }
}
