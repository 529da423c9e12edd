//! Divides C++ code into tokens.

use super::super::scan::is_word;

/// A word, a number, or a sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    pub fn text(&self) -> &str {
        &self.0
    }

    pub fn is(&self, text: &str) -> bool {
        self.0 == text
    }

    /// The token if it is an identifier or a keyword.
    pub fn word(&self) -> Option<&str> {
        self.0.starts_with(|c| is_word(c) && !c.is_ascii_digit()).then_some(self.0.as_str())
    }

    /// Whether it says nothing about how a type lies in memory.
    pub fn is_qualifier(&self) -> bool {
        matches!(
            self.text(),
            "const"
                | "volatile"
                | "mutable"
                | "constexpr"
                | "struct"
                | "class"
                | "union"
                | "enum"
                | "typename"
                | "restrict"
                | "__restrict__"
                | "__restrict"
                | "inline"
                | "extern"
                | "static"
                | "__shared__"
                | "__device__"
                | "__constant__"
                | "__managed__"
                | "__grid_constant__"
        )
    }
}

/// The tokens of `code`, in which comments are blank.
pub fn tokens(code: &str) -> Vec<Token> {
    let mut all: Vec<Token> = vec![];
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") || rest.starts_with("->") {
            2
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        all.push(Token(token.to_owned()));
        rest = after.trim_start();
    }
    all
}

/// The parts of `text` between signs that are outside of all brackets.
pub fn split(text: &[Token], sign: &str) -> Vec<Vec<Token>> {
    let (mut all, mut part, mut depth) = (vec![], vec![], 0_i32);
    for token in text {
        depth += match token.text() {
            "(" | "[" | "{" | "<" => 1,
            ")" | "]" | "}" | ">" => -1,
            _ => 0,
        };
        if depth == 0 && token.is(sign) {
            all.push(std::mem::take(&mut part));
        } else {
            part.push(token.clone());
        }
    }
    if !part.is_empty() || !all.is_empty() {
        all.push(part);
    }
    all
}

/// The position of the bracket that closes the one at `open`.
pub fn closing(text: &[Token], open: usize) -> Option<usize> {
    let (opens, closes) = match text.get(open)?.text() {
        "(" => ("(", ")"),
        "{" => ("{", "}"),
        "<" => ("<", ">"),
        _ => return None,
    };
    let mut depth = 0_i32;
    text.iter().enumerate().skip(open).find_map(|(at, token)| {
        depth += i32::from(token.is(opens)) - i32::from(token.is(closes));
        (depth == 0).then_some(at)
    })
}
