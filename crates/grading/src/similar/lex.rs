//! CUDA C++ to tokens: comments and white space go, everything else stays, whatever the bytes are.
//!
//! The lexical grammar is that of ISO C++20, [lex]: line splices first, maximal munch, raw strings,
//! digit separators, alternative tokens and digraphs; `<<<` and `>>>` are CUDA's. Nothing is an
//! error here: a character that begins no token is left out, and a literal or comment without an
//! end goes on to the end of its line or of the file.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or a keyword.
    Word,
    /// A number without a point or an exponent.
    Integer,
    /// A number with one.
    Floating,
    /// A string, raw or not.
    Text,
    /// 'c'.
    Character,
    /// An operator or punctuation, in its primary spelling.
    Sign,
}

/// A token as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Raw {
    pub kind: Kind,
    /// Its characters without line splices; digraphs and alternative tokens in their primary
    /// spelling.
    pub text: String,
    /// One-based line in the file.
    pub line: u32,
    /// Zero-based logical line: splices and comments do not end one. A directive ends with its row.
    pub row: u32,
}

/// Most bytes that are looked at in one file; the rest is left out. The longest solution of the
/// course has 5 KiB.
pub(super) const MAX_BYTES: usize = 128 * 1024;

/// Signs of more than one character, the longest first, with their primary spelling.
const SIGNS: [(&str, &str); 41] = [
    ("%:%:", "##"),
    ("<<<", "<<<"),
    (">>>", ">>>"),
    ("<<=", "<<="),
    (">>=", ">>="),
    ("...", "..."),
    ("->*", "->*"),
    ("<=>", "<=>"),
    ("::", "::"),
    ("->", "->"),
    ("++", "++"),
    ("--", "--"),
    ("<<", "<<"),
    (">>", ">>"),
    ("<=", "<="),
    (">=", ">="),
    ("==", "=="),
    ("!=", "!="),
    ("&&", "&&"),
    ("||", "||"),
    ("+=", "+="),
    ("-=", "-="),
    ("*=", "*="),
    ("/=", "/="),
    ("%=", "%="),
    ("&=", "&="),
    ("|=", "|="),
    ("^=", "^="),
    ("##", "##"),
    (".*", ".*"),
    ("<:", "["),
    (":>", "]"),
    ("<%", "{"),
    ("%>", "}"),
    ("%:", "#"),
    ("{", "{"),
    ("}", "}"),
    ("[", "["),
    ("]", "]"),
    ("(", "("),
    (")", ")"),
];

/// Signs of one character that are not in [`SIGNS`].
const SINGLE: &[u8] = b"#;:?.+-*/%^&|~!=<>,";

/// Alternative tokens ([lex.digraph]).
const WORDS: [(&str, &str); 11] = [
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("xor", "^"),
    ("bitand", "&"),
    ("bitor", "|"),
    ("compl", "~"),
    ("and_eq", "&="),
    ("or_eq", "|="),
    ("xor_eq", "^="),
    ("not_eq", "!="),
];

/// The tokens of a file.
pub(super) fn tokens(text: &str) -> Vec<Raw> {
    let (bytes, lines) = splice(text.as_bytes());
    Lexer { bytes: &bytes, lines: &lines, at: 0, row: 0, found: vec![] }.all()
}

/// The bytes without line splices, and the line of each.
fn splice(text: &[u8]) -> (Vec<u8>, Vec<u32>) {
    let text = text.get(..MAX_BYTES).unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len());
    let mut lines = Vec::with_capacity(text.len());
    let mut line = 1;
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        // Compilers take white space between the backslash and the end of the line for nothing.
        let end = after.trim_ascii_start_of_line();
        if byte == b'\\' && end.first() == Some(&b'\n') {
            line += 1;
            rest = end.get(1..).unwrap_or_default();
            continue;
        }
        bytes.push(byte);
        lines.push(line);
        line += u32::from(byte == b'\n');
        rest = after;
    }
    (bytes, lines)
}

trait Blank {
    fn trim_ascii_start_of_line(&self) -> &Self;
}

impl Blank for [u8] {
    /// Without the spaces, tabs and carriage returns at the beginning.
    fn trim_ascii_start_of_line(&self) -> &Self {
        let blanks = self.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        self.get(blanks..).unwrap_or_default()
    }
}

struct Lexer<'t> {
    bytes: &'t [u8],
    lines: &'t [u32],
    at: usize,
    row: u32,
    found: Vec<Raw>,
}

impl Lexer<'_> {
    fn all(mut self) -> Vec<Raw> {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => {
                    self.row += 1;
                    self.at += 1;
                }
                b'/' if self.peek(1) == Some(b'/') => self.at += self.until(b"\n"),
                b'/' if self.peek(1) == Some(b'*') => {
                    self.at += 2;
                    self.at += self.until(b"*/") + 2;
                }
                b'"' => self.quoted(b'"', Kind::Text),
                b'\'' => self.quoted(b'\'', Kind::Character),
                b'0'..=b'9' => self.number(),
                b'.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number(),
                byte if begins_word(byte) => self.word(),
                _ => self.sign(),
            }
        }
        self.found
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// How many bytes there are before `end`, or to the end of the file.
    fn until(&self, end: &[u8]) -> usize {
        let rest = self.rest();
        rest.windows(end.len()).position(|window| window == end).unwrap_or(rest.len())
    }

    /// Takes `length` bytes as a token.
    fn push(&mut self, kind: Kind, length: usize, text: Option<&str>) {
        let bytes = self.rest().get(..length).unwrap_or(self.rest());
        let text = text.map_or_else(|| String::from_utf8_lossy(bytes).into_owned(), str::to_owned);
        let line = self.lines.get(self.at).copied().unwrap_or(1);
        self.found.push(Raw { kind, text, line, row: self.row });
        self.at += length.max(1);
    }

    fn word(&mut self) {
        let length = self.rest().iter().take_while(|byte| in_word(**byte)).count();
        let word = self.rest().get(..length).unwrap_or_default();
        let quote = self.peek(length);
        match word {
            b"R" | b"LR" | b"uR" | b"UR" | b"u8R" if quote == Some(b'"') => self.raw(length),
            b"L" | b"u" | b"U" | b"u8" if quote == Some(b'"') => {
                self.at += length;
                self.quoted(b'"', Kind::Text);
            }
            b"L" | b"u" | b"U" | b"u8" if quote == Some(b'\'') => {
                self.at += length;
                self.quoted(b'\'', Kind::Character);
            }
            word => match WORDS.iter().find(|(name, _)| name.as_bytes() == word) {
                Some((_, sign)) => self.push(Kind::Sign, length, Some(sign)),
                None => self.push(Kind::Word, length, None),
            },
        }
    }

    /// A raw string: `R"delimiter(...)delimiter"`.
    fn raw(&mut self, prefix: usize) {
        let inside = self.rest().get(prefix + 1..).unwrap_or_default();
        let delimiter = inside.iter().take(17).position(|byte| *byte == b'(');
        let Some(delimiter) = delimiter.and_then(|length| inside.get(..length)) else {
            self.at += prefix;
            return self.quoted(b'"', Kind::Text);
        };
        let end = [b")", delimiter, b"\""].concat();
        let length = prefix + 1 + delimiter.len();
        let after = self.rest().get(length..).unwrap_or_default();
        let text = after.windows(end.len()).position(|window| window == end);
        let length = text.map_or(self.rest().len(), |text| length + text + end.len());
        self.push(Kind::Text, length, None);
    }

    /// A string or a character up to its quote, or to the end of the line.
    fn quoted(&mut self, quote: u8, kind: Kind) {
        let mut length = 1;
        loop {
            match self.peek(length) {
                None | Some(b'\n') => break,
                Some(b'\\') if self.peek(length + 1).is_some_and(|next| next != b'\n') => {
                    length += 2
                }
                Some(byte) => {
                    length += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.push(kind, length, None);
    }

    /// A preprocessing number ([lex.ppnumber]).
    fn number(&mut self) {
        let hex = self.peek(0) == Some(b'0') && matches!(self.peek(1), Some(b'x' | b'X'));
        let mut length = 1;
        let mut floating = self.peek(0) == Some(b'.');
        while let Some(byte) = self.peek(length) {
            let before = self.peek(length - 1).unwrap_or_default();
            let exponent = match before {
                b'e' | b'E' => !hex,
                b'p' | b'P' => hex,
                _ => false,
            };
            match byte {
                b'+' | b'-' if exponent => {}
                b'\'' if self.peek(length + 1).is_some_and(in_word) => {}
                b'.' => floating = true,
                byte if in_word(byte) => {}
                _ => break,
            }
            floating |= match byte {
                b'e' | b'E' => !hex,
                b'p' | b'P' => hex,
                _ => false,
            };
            length += 1;
        }
        self.push(if floating { Kind::Floating } else { Kind::Integer }, length, None);
    }

    fn sign(&mut self) {
        let rest = self.rest();
        if let Some((sign, primary)) =
            SIGNS.iter().find(|(sign, _)| rest.starts_with(sign.as_bytes()))
        {
            return self.push(Kind::Sign, sign.len(), Some(primary));
        }
        match rest.first() {
            Some(byte) if SINGLE.contains(byte) => self.push(Kind::Sign, 1, None),
            _ => self.at += 1,
        }
    }
}

/// Every byte of a character beyond ASCII may be part of a name: which ones C++ allows does not
/// matter here.
const fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

const fn in_word(byte: u8) -> bool {
    begins_word(byte) || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let tokens = tokens(text);
        tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Layout and comments, also inside tokens, leave no trace.
    #[test]
    fn layout_and_comments_are_gone() {
        let plain = shown("int a = b + 1; // c\n");
        for text in [
            "int/**/a=b+1;",
            "int\ta\r\n=\n\nb /* // \n */ + 1;",
            "in\\\nt a = b \\\n+ 1; // more \\\n and more",
            "int a = b + 1; /* to the end",
            "int a = b + 1; \\ \t\r\n",
        ] {
            assert_eq!(shown(text), plain, "{text:?}");
        }
    }

    /// Literals are one token each, whatever is inside, and have a kind.
    #[test]
    fn literals() {
        for (text, kind) in [
            (r#""a // \" b""#, Kind::Text),
            (r#"u8"a""#, Kind::Text),
            (r#"R"x(" )" )x""#, Kind::Text),
            (r#"LR"(\)""#, Kind::Text),
            (r"'\''", Kind::Character),
            ("L'a'", Kind::Character),
            ("1'000'000ull", Kind::Integer),
            ("0xE", Kind::Integer),
            ("0b101", Kind::Integer),
            ("1e-3", Kind::Floating),
            (".5f", Kind::Floating),
            ("1.", Kind::Floating),
            ("0x1p-3", Kind::Floating),
            ("größe", Kind::Word),
        ] {
            let found = tokens(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!((found[0].kind, found[0].text.is_empty()), (kind, false), "{text}");
        }
        assert_eq!(shown("0xE+1"), "0xE + 1");
        assert_eq!(shown("1..2"), "1..2", "one preprocessing number");
        assert_eq!(shown("\"no end\nx"), "\"no end x");
    }

    /// A launch is not four shifts, and other spellings of a sign are the same sign.
    #[test]
    fn signs() {
        assert_eq!(shown("k<<<g,b>>>(x)"), "k <<< g , b >>> ( x )");
        assert_eq!(shown("a<:0:> and not b %:x"), "a [ 0 ] && ! b # x");
        assert_eq!(shown("a\u{1}\u{0}`@b"), "a b");
    }

    /// Lines are those of the file, rows those of the preprocessor.
    #[test]
    fn lines_and_rows() {
        let found = tokens("#define A \\\n 1\nb /* \n\n */ c\n");
        let places: Vec<_> =
            found.iter().map(|token| (token.text.as_str(), token.line, token.row)).collect();
        assert_eq!(
            places,
            [("#", 1, 0), ("define", 1, 0), ("A", 1, 0), ("1", 2, 0), ("b", 3, 1), ("c", 5, 1)]
        );
    }
}
